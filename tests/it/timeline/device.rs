//! Timelines of host and device: devices first, deep stacks folded, and what the colors of the picture on screen mean.

use crate::support::front_door::open_one;
use lanescope::base::geometry::Size;
use lanescope::document::Document;
use lanescope::model::build::TraceBuilder;
use lanescope::model::slice::SliceRow;
use lanescope::model::track::TrackKind;
use lanescope::scene::palette::Palette;
use lanescope::views::timeline::messages::{Arrangement, Frame, Note};

use std::fmt::Write;

/// A host with a stack of 20 functions, a device with a stream, and a mark without a process.
fn profile() -> String {
    let mut text = String::from("{\"traceEvents\":[\n");
    for (pid, sort, label) in [(1, 1, "CPU"), (0, 5_000_000, "GPU 0")] {
        let meta = |name: &str, args: &str| {
            format!("{{\"ph\":\"M\",\"pid\":{pid},\"tid\":0,\"name\":\"{name}\",\"args\":{{{args}}}}},\n")
        };
        text += &meta("process_name", "\"name\":\"python\"");
        text += &meta("process_labels", &format!("\"labels\":\"{label}\""));
        text += &meta("process_sort_index", &format!("\"sort_index\":{sort}"));
    }
    text += "{\"ph\":\"M\",\"pid\":0,\"tid\":7,\"name\":\"thread_name\",\"args\":{\"name\":\"stream 7\"}},\n";
    text += "{\"ph\":\"i\",\"name\":\"Record Window End\",\"s\":\"g\",\"ts\":1},\n";
    for depth in 0..20 {
        let (start, dur) = (depth, 1_000 - 2 * depth);
        writeln!(text, "{{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"f{depth}\",\"cat\":\"python_function\",\"ts\":{start},\"dur\":{dur}}},").unwrap();
    }
    text += "{\"ph\":\"X\",\"pid\":0,\"tid\":7,\"name\":\"gemm\",\"cat\":\"kernel\",\"ts\":40,\"dur\":9},\n";
    text += "{\"ph\":\"X\",\"pid\":0,\"tid\":7,\"name\":\"add\",\"cat\":\"kernel\",\"ts\":60,\"dur\":3}\n]}";
    text
}

fn open(text: &str) -> Document {
    let (doc, is_ready) = open_one("trace.json", text.as_bytes().to_vec());
    assert!(is_ready);
    doc
}

fn note(doc: &mut Document, filter: &str, scroll: f64, h: f32) -> Note {
    let rows = Box::new(Arrangement { filter: filter.to_owned(), ..Arrangement::default() });
    let frame = Frame { ratio: 1.0, rows, scroll, ..Frame::default() };
    match doc.draw(&frame, Size { w: 800.0, h }, &Palette::default()).1 {
        Some(note) => note,
        other => panic!("{other:?}"),
    }
}

fn heads(note: &Note) -> Vec<&str> {
    note.heads.iter().map(|head| head.name.as_str()).collect()
}

fn legend(note: &Note) -> Vec<&str> {
    note.legend.iter().map(|item| item.name.as_str()).collect()
}

#[test]
fn devices_stand_above_the_host_and_a_lonely_instant_last() {
    let mut doc = open(&profile());
    let all = note(&mut doc, "", 0.0, 2_000.0);
    let names = heads(&all);
    assert_eq!(names[1], "stream 7", "{names:?}");
    assert_eq!(names[names.len() - 1], "No thread", "{names:?}");
    let host = names.iter().position(|name| *name == "Thread 1").unwrap();
    assert!(1 < host && host < names.len() - 2, "{names:?}");
    // Without a device the order of the file holds.
    let plain: String =
        profile().lines().filter(|line| !line.contains("\"pid\":0")).collect::<Vec<_>>().join("\n");
    let plain = plain.trim_end().trim_end_matches(',').to_owned() + "\n]}";
    let mut doc = open(&plain);
    let all = note(&mut doc, "", 0.0, 2_000.0);
    assert_eq!(heads(&all)[0], "No process", "{:?}", heads(&all));
}

/// A stack of the host whose process has the number of the device is none of its rows.
#[test]
fn streams_stand_above_a_stack_that_bears_the_number_of_their_device() {
    let stack = r#"{"ph":"X","pid":0,"tid":0,"name":"main","cat":"python_function","ts":5,"dur":90},"#;
    let text = profile().replacen("{\"ph\":\"i\"", &format!("{stack}\n{{\"ph\":\"i\""), 1);
    let all = note(&mut open(&text), "", 0.0, 2_000.0);
    let names = heads(&all);
    let at = |name: &str| names.iter().position(|own| own.eq_ignore_ascii_case(name)).unwrap();
    assert!(at("stream 7") < at("thread 0") && at("thread 0") < at("thread 1"), "{names:?}");
}

#[test]
fn deep_stacks_of_the_host_begin_folded_beside_a_device() {
    let mut doc = open(&profile());
    let all = note(&mut doc, "", 0.0, 2_000.0);
    let host = all.heads.iter().find(|head| head.name == "Thread 1").unwrap();
    assert!(host.can_open && !host.is_open && host.h <= 64.0, "{host:?}");
}

#[test]
fn the_legend_names_what_is_on_screen_and_follows_the_filter() {
    let mut doc = open(&profile());
    // The first rows are those of the device.
    assert_eq!(legend(&note(&mut doc, "", 0.0, 90.0)), ["gemm", "add"]);
    let all = note(&mut doc, "", 0.0, 2_000.0);
    assert_eq!(legend(&all)[..3], ["gemm", "add", "f0"], "the device first, of each most time first");
    assert_eq!(legend(&all).len(), 11);
    assert_eq!(legend(&note(&mut doc, "stream", 0.0, 2_000.0)), ["gemm", "add"]);
    let host = note(&mut doc, "Thread 1", 0.0, 2_000.0);
    assert!(legend(&host).iter().all(|name| name.starts_with('f')), "{:?}", legend(&host));
}

/// A picture counts a million slices for its legend, and of a track no more than these.
#[test]
fn a_legend_says_how_many_slices_it_was_counted_of() {
    let mut builder = TraceBuilder::default();
    for (title, n) in [("long", (1 << 20) + 7), ("short", 3)] {
        let name = builder.intern(title);
        let track = builder.track(None, TrackKind::Slices, name, 0).unwrap();
        for at in 0..n {
            builder.slice(track, SliceRow::new(at, 1, name));
        }
    }
    let mut doc = Document::of(builder);
    let first = note(&mut doc, "", 0.0, 2_000.0);
    assert_eq!(legend(&first), ["names of 1,048,576 of 1,048,586 slices", "long"]);
    let second = note(&mut doc, "", 0.0, 2_000.0);
    assert_eq!(legend(&second), ["names of 1,048,579 of 1,048,586 slices", "long", "short"]);
    assert_eq!(legend(&note(&mut doc, "short", 0.0, 2_000.0)), ["short"]);
}
