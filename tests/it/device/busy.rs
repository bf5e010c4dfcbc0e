//! One definition of busy for the streams of a device: heads, minimap, idle time, gaps, overlap and exports say the same.

use super::corpus::opened;
use super::{TRACE, open, rows};
use crate::support::corpus::{corpus, unpacked};
use crate::support::rows::values;
use lanescope::analysis::area::{Scope, gaps};
use lanescope::analysis::device::{Options, device};
use lanescope::analysis::timeline::chosen_tracks;
use lanescope::base::geometry::Size;
use lanescope::base::time::Ticks;
use lanescope::document::Document;
use lanescope::model::id::TrackId;
use lanescope::scene::palette::Palette;
use lanescope::views::timeline::messages::{Area, Frame};
use lanescope::wire;
use lanescope::wire::rows::Source;

/// Of each stream: the track, and how long it is busy as the figures of host and device say.
fn busy(doc: &Document) -> Vec<(TrackId, Ticks)> {
    let found = device(doc.trace(), &doc.derived().timeline, &Options::default());
    found.streams.iter().map(|stream| (stream.track, stream.idle.busy)).collect()
}

/// Everything else that tells how busy streams are says the same.
fn is_one_definition(name: &str, doc: &mut Document) {
    let span = doc.trace().span.unwrap();
    let streams = busy(doc);
    let gaps = rows(doc, "gaps-csv");
    let overlap = doc.query(&wire::Query::Export { id: "overlap-json".to_owned() }).1.unwrap();
    let overlap: serde_json::Value = serde_json::from_slice(&overlap).unwrap();
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let names = overlap["tracks"].as_array().unwrap();
    for (track, busy) in &streams {
        let path = trace.track_path(*track);
        let idle: i64 =
            gaps.iter().filter(|row| row[0] == path).map(|row| row[3].parse::<i64>().unwrap()).sum();
        let recorded = timeline.recorded(trace, *track, span);
        assert_eq!(recorded.dur() - idle, *busy, "{name}: gaps of {path}");
        assert_eq!(timeline.track(*track).busy(span), *busy, "{name}: head of {path}");
        assert_eq!(timeline.track(*track).covered(), *busy, "{name}: {path} among the busiest");
        let at = names.iter().position(|name| name.as_str() == Some(path.as_str()));
        if let Some(at) = at.filter(|_| names.len() < 64 && 0 < *busy) {
            assert_eq!(overlap["busy_together"][at][at].as_i64(), Some(*busy), "{name}: overlap of {path}");
        }
    }
}

#[test]
fn notes_over_kernels_and_waiting_are_no_work() {
    let mut doc = open(TRACE);
    // Kernels and copies of stream 7: 10 + 4 + 20 of 200 µs; the note over them lasts 130, an event is waited for for 2.
    let told: Vec<Ticks> = busy(&doc).into_iter().map(|(_, busy)| busy).collect();
    assert_eq!(told, [34_000, 20_000]);
    is_one_definition("TRACE", &mut doc);
    let gaps: Vec<Vec<String>> = rows(&mut doc, "gaps-csv");
    let of_stream: Vec<String> = gaps
        .iter()
        .filter(|row| row[0].trim_end().ends_with("stream 7"))
        .map(|row| row[1..3].join(".."))
        .collect();
    assert_eq!(of_stream, ["0..50000", "64000..160000", "180000..200000"]);
    // Waiting counts where a person asks for it, notes never.
    let gaps = rows(&mut doc, "gaps-csv:0,200000::waits");
    let of_stream: Vec<String> = gaps
        .iter()
        .filter(|row| row[0].trim_end().ends_with("stream 7"))
        .map(|row| row[1..3].join(".."))
        .collect();
    assert_eq!(of_stream, ["0..50000", "64000..152000", "154000..160000", "180000..200000"]);
    let frame = Frame { ratio: 1.0, ..Frame::default() };
    let (_, note) = doc.draw(&frame, Size { w: 900.0, h: 600.0 }, &Palette::default());
    let Some(note) = note else { panic!("{note:?}") };
    let value =
        |name: &str| note.heads.iter().find(|head| head.name.trim() == name).map(|head| head.value.clone());
    assert_eq!(value("stream 7").as_deref(), Some("17.0 %"));
    // The device works while any of its streams does.
    let of_device: Vec<&str> =
        note.heads.iter().filter(|head| head.is_of_device).map(|head| head.value.as_str()).collect();
    assert_eq!(of_device, ["22.0 %"]);
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let (tracks, span) = (chosen_tracks(trace, &[]), trace.span.unwrap());
    let devices = gaps::devices(Scope { trace, timeline, tracks: &tracks, span });
    assert_eq!(devices.iter().map(|device| (device.1, device.2)).collect::<Vec<_>>(), [(2, 44_000)]);
}

#[test]
fn a_thread_in_the_group_of_a_device_does_not_make_it_busy() {
    let thread = r#"{"ph":"X","pid":0,"tid":0,"name":"_bootstrap","cat":"python_function","ts":0,"dur":200}"#;
    let mut doc = open(&TRACE.replace("\n]}", &format!(",\n{thread}\n]}}")));
    let frame = Frame { ratio: 1.0, ..Frame::default() };
    let (_, note) = doc.draw(&frame, Size { w: 900.0, h: 600.0 }, &Palette::default());
    let Some(note) = note else { panic!("{note:?}") };
    let group = note.heads.iter().find(|head| head.label == "GPU 0").unwrap();
    // Any of its streams works in 22 %; the thread lasts all the time.
    assert_eq!(group.value, "22.0 %");
    is_one_definition("TRACE", &mut doc);
}

/// What the heads of both streams and of the device say, and how long each stream was recorded.
fn with_instants(instants: &str) -> (Vec<String>, Vec<Ticks>) {
    let mut doc = open(&TRACE.replace("\n]}", &format!(",\n{instants}\n]}}")));
    assert_eq!(doc.trace().span.unwrap().dur(), 500_000);
    is_one_definition(instants, &mut doc);
    let frame = Frame { ratio: 1.0, ..Frame::default() };
    let (_, note) = doc.draw(&frame, Size { w: 900.0, h: 600.0 }, &Palette::default());
    let Some(note) = note else { panic!("{note:?}") };
    let named = |name: &str| note.heads.iter().find(|head| head.name.trim() == name || head.label == name);
    let heads = ["stream 7", "stream 20", "GPU 0"].map(|name| named(name).unwrap().value.clone());
    let found = device(doc.trace(), &doc.derived().timeline, &Options::default());
    (heads.to_vec(), found.streams.iter().map(|stream| stream.idle.time()).collect())
}

#[test]
fn marks_of_the_recording_are_no_recorded_time() {
    let begin = r#"{"ph":"i","name":"Iteration Start: PyTorch Profiler","s":"g","pid":"Traces","tid":"Trace PyTorch Profiler","ts":0}"#;
    let end = r#"{"ph":"i","name":"Record Window End","s":"g","pid":"","tid":"","ts":500}"#;
    let (heads, recorded) = with_instants(&format!("{begin},\n{end}"));
    // 34, 20 and 44 of 200 µs: what was recorded is 0..200.
    assert_eq!((heads.join(", "), recorded), ("17.0 %, 10.0 %, 22.0 %".to_owned(), vec![200_000; 2]));
    // Another instant tells that something was recorded then.
    let other = end.replace("Record Window End", "out of memory");
    let (heads, recorded) = with_instants(&other);
    assert_eq!((heads.join(", "), recorded), ("6.8 %, 4.0 %, 8.8 %".to_owned(), vec![500_000; 2]));
    // The span of the profiler is a mark too; slices of other groups and categories are not.
    let span = r#"{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":0,"dur":500,"args":{"Op count":0}}"#;
    for (text, share, ticks) in [
        (span.to_owned(), "17.0 %", 200_000),
        (span.replace("Spans", "Traces"), "17.0 %", 200_000),
        (span.replace("Spans", "App"), "6.8 %", 500_000),
        (span.replace(r#""Trace""#, r#""user""#), "6.8 %", 500_000),
    ] {
        let (heads, recorded) = with_instants(&text);
        assert_eq!((heads[0].as_str(), recorded), (share, vec![ticks; 2]), "{text}");
    }
    let mut doc = open(&TRACE.replace("\n]}", &format!(",\n{span}\n]}}")));
    let frame = Frame { ratio: 1.0, ..Frame::default() };
    let (_, note) = doc.draw(&frame, Size { w: 900.0, h: 600.0 }, &Palette::default());
    let Some(note) = note else { panic!("{note:?}") };
    let group = note.heads.iter().find(|head| head.name == "Spans").unwrap();
    assert_eq!(group.value, "", "it does nothing");
    // Idle, busy, and what was recorded of the 500 µs.
    let area = Area { span: doc.trace().span.unwrap(), tracks: Vec::new() };
    let idle = values(&mut doc, Source::Idle { area, waits: false }, None, "");
    let row = idle.iter().find(|row| row[0].trim_end().ends_with("stream 7")).unwrap();
    assert_eq!(row[5..], ["166000", "34000", "200000"]);
}

#[test]
fn hidden_names_do_not_change_what_is_work() {
    let mut doc = open(TRACE);
    let hidden = doc.trace().strings.find("k1").unwrap();
    let stream = busy(&doc)[0].0;
    let mut timeline = lanescope::analysis::timeline::Timeline::default();
    while !timeline.extend(doc.trace()) {}
    while !timeline.finish(doc.trace()) {}
    timeline.leave_out(doc.trace(), &[hidden]);
    assert_eq!(timeline.shown(stream).busy(doc.trace().span.unwrap()), 24_000);
    is_one_definition("TRACE", &mut doc);
}

#[test]
fn real_profiles_have_one_definition() {
    let Some(folder) = corpus("real") else { return };
    let files = unpacked(&folder.join("real.tar.zst"), "pytorch/");
    for name in [
        "hta/with_gpu_user_annotation__step_based_trace_2543932.json.gz",
        "hta/nccl_parser_config__nccl_data.json.gz",
        "tracelens/torch_compile_triton__trace.json.gz",
        "tracelens/mi300__resnet_act_checkpoint.json.gz",
        "ascend_msinsight/level1_rank1_eb8fbce_trace_view.json",
    ] {
        let (mut doc, _) = opened(&files, name);
        is_one_definition(name, &mut doc);
    }
    // Recorded are 86.901 ms; the span of the profiler ends at 86.992, a mark of the
    // recording lies at 109.877. Counted over the plain JSON.
    let (doc, _) = opened(&files, "tracelens/mi300__resnet_act_checkpoint.json.gz");
    let found = device(doc.trace(), &doc.derived().timeline, &Options::default());
    let idle = found.streams.iter().map(|stream| stream.idle).filter(|idle| 0 < idle.busy);
    let shares: Vec<String> =
        idle.map(|idle| format!("{:.1}", idle.busy as f64 * 100.0 / idle.time() as f64)).collect();
    assert_eq!(shares, ["33.0", "82.3"]);
    // The span of the profiler lasts 3.366 s, what it recorded 1.239 s; stream 84 works for 274.146 ms of it.
    let (doc, _) = opened(&files, "hta/trace_filter__sampled_rank-1.json.gz");
    let found = device(doc.trace(), &doc.derived().timeline, &Options::default());
    let most = found.streams.iter().map(|stream| (stream.idle.busy, stream.idle.time())).max();
    assert_eq!(most, Some((274_146_000, 1_238_593_000)));
    // Kernels and copies fill 291 of 10,138 µs of the first one; notes over them fill 6.2 %.
    let (doc, _) = opened(&files, "hta/with_gpu_user_annotation__step_based_trace_2543932.json.gz");
    let streams = busy(&doc);
    let most = streams.iter().map(|stream| stream.1).max().unwrap();
    let share = most as f64 * 100.0 / doc.trace().span.unwrap().dur() as f64;
    assert!((share - SHARE).abs() < 0.05, "{share}");
}

/// As counted over the plain JSON.
const SHARE: f64 = 2.87;
