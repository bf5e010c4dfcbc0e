//! Traces of Perfetto say the same as the text of the same events.

mod damage;
mod fixtures;
mod make;

#[path = "../../../examples/make_systrace/pen.rs"]
mod pen;
#[path = "../../../examples/make_systrace/runs.rs"]
mod runs;

use crate::support::front_door::{open, open_one};
use lanescope::document::Document;
use lanescope::systems::android::nnapi::mark::Marks;
use lanescope::wire::{Answer, Query};

use make::{Event, Packing, TracePacket};
use prost::Message;

/// Three runs, the last one on the CPU, with as many rows of other threads.
fn generated(rows: u64) -> Vec<Event> {
    of(pen::Options { rows, runs: Some(3), ..pen::Options::default() })
}

fn of(options: pen::Options) -> Vec<Event> {
    let mut out = Vec::new();
    runs::write(&mut pen::Pen::new(&mut out, options)).unwrap();
    make::events(&String::from_utf8(out).unwrap())
}

/// The marks of a document: a row a line, and what is known of their threads.
fn marks(doc: &Document) -> String {
    let trace = doc.trace();
    let (marks, text) = (Marks::of(trace), |id| trace.strings.get(id));
    let mut out = format!("{:?} {}\n", marks.refusal, marks.end);
    for row in 0..marks.len() {
        let thread = &marks.threads[marks.thread[row] as usize];
        out += &format!(
            "{:?} {} {} {} {} {} {} {}\n",
            marks.seconds[row],
            marks.time[row],
            text(thread.id),
            text(thread.name),
            text(thread.process),
            text(marks.process[row]),
            marks.is_classic[row],
            text(marks.text[row]),
        );
    }
    out
}

/// Slices of all tracks, the tracks by their paths.
fn slices(doc: &Document) -> Vec<String> {
    let trace = doc.trace();
    let mut out = Vec::new();
    for (id, track) in trace.tracks.iter() {
        let slices = &track.slices;
        for row in 0..slices.len() {
            let name = trace.strings.get(slices.name[row]);
            out.push(format!("{} {} {} {name}", trace.track_path(id), slices.start[row], slices.dur_of(row)));
        }
    }
    out.sort();
    out
}

/// What the AOSP parser would print, in all ways.
fn exports(doc: &mut Document) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for id in [
        "nnapi-text",
        "nnapi-text:total-times",
        "nnapi-text:per-execution",
        "nnapi-text:print-detail",
        "nnapi-json",
        "nnapi-json:total-times,per-execution",
    ] {
        let (answer, bytes) = doc.query(&Query::Export { id: id.to_owned() });
        let Answer::File { said, is_whole, .. } = answer else { panic!("{answer:?}") };
        assert!(is_whole, "{id}: {said}");
        out.push((said, String::from_utf8(bytes.unwrap()).unwrap()));
    }
    out
}

/// How many marks a document has, and what was said about its file.
fn outcome(bytes: Vec<u8>) -> (usize, Vec<String>) {
    let (doc, _) = open_one("trace.pftrace", bytes);
    let said = doc.faults().rows().iter().map(|fault| format!("{} {fault}", fault.code)).collect();
    (Marks::of(doc.trace()).len(), said)
}

#[test]
fn packets_say_the_same_as_text() {
    let events = generated(5_000);
    let (mut text, is_ready) = open_one("trace.txt", make::text(&events));
    assert!(is_ready);
    let printed = exports(&mut text);
    let table = &printed[0].1;
    assert_eq!(table.matches("NNAPI timing summary").count(), 3, "{table}");
    assert!(2_000 < Marks::of(text.trace()).len(), "{}", Marks::of(text.trace()).len());
    assert!(
        Marks::of(text.trace()).time.iter().any(|time| time % 1_000 != 0),
        "times are finer than microseconds"
    );
    for (window, packing, each, chunk) in [
        (usize::MAX, Packing::None, 1, 1 << 20),
        (400, Packing::None, 1, 61),
        (400, Packing::Zlib, 5, 1 << 16),
        (97, Packing::Deflate, 1_000_000, 1_000),
        (400, Packing::Zstd, 7, 1 << 16),
    ] {
        let bytes = make::file(&make::packets(&events, window), packing, each);
        for name in ["trace.pftrace", "unknown"] {
            let (mut doc, is_ready) = open(vec![(name.to_owned(), bytes.clone())], chunk);
            let said: Vec<String> = doc.faults().rows().iter().map(ToString::to_string).collect();
            assert!(is_ready, "{packing:?} {said:?}");
            assert!(marks(&doc) == marks(&text), "{packing:?}: marks differ");
            assert_eq!(slices(&doc), slices(&text), "{packing:?}");
            assert_eq!(exports(&mut doc), printed, "{packing:?}");
        }
    }
}

#[test]
fn a_mark_knows_where_its_text_stands() {
    let events = generated(2_000);
    let bytes = make::file(&make::packets(&events, 300), Packing::None, 1);
    let (doc, _) = open_one("trace.pftrace", bytes.clone());
    let marks = Marks::of(doc.trace());
    for row in 0..marks.len() {
        let at = marks.start[row] as usize;
        let text = &bytes[at..at + marks.len[row] as usize];
        assert_eq!(text, doc.trace().strings.get(marks.text[row]).as_bytes());
    }
}

/// Begin, end and an end of another thread; the rest of the events as told.
fn small() -> Vec<TracePacket> {
    let rows =
        [(100, 7, "B|7|[NN_LR_PE]ANeuralNetworksExecution_compute"), (250, 7, "E|7"), (260, 9, "B|9|x")];
    let events = rows.map(|(nanos, pid, text)| Event {
        nanos,
        name: format!("thread {pid}"),
        pid,
        tgid: pid,
        cpu: pid % 8,
        text: format!("tracing_mark_write: {text}"),
    });
    make::packets(&events, 10)
        .into_iter()
        .filter(|p| !p.ftrace_events.as_ref().is_some_and(|b| b.event.is_empty()))
        .collect()
}

#[test]
fn processes_have_the_names_of_the_tree() {
    let mut packets = small();
    let tree = packets.last_mut().unwrap().process_tree.as_mut().unwrap();
    tree.processes
        .push(make::Process { pid: Some(7), cmdline: vec!["com.example".to_owned(), "-x".to_owned()] });
    let (doc, _) = open_one("trace", make::file(&packets, Packing::None, 1));
    let trace = doc.trace();
    let thread = Marks::of(trace).threads[0];
    assert_eq!(trace.strings.get(thread.process_name), "com.example");
    assert_eq!(trace.strings.get(thread.name), "thread 7");
    assert_eq!(Marks::of(trace).seconds, [1e-7, 2.5e-7]);
    assert_eq!(Marks::of(trace).end, 260);
}

#[test]
fn without_a_tree_the_marks_name_the_process() {
    let mut packets = small();
    packets.pop();
    let (doc, _) = open_one("trace", make::file(&packets, Packing::None, 1));
    let trace = doc.trace();
    let processes: Vec<&str> = Marks::of(trace).process.iter().map(|id| trace.strings.get(*id)).collect();
    assert_eq!(processes, ["7", "7"]);
    assert_eq!(Marks::of(trace).refusal, None);
}

#[test]
fn lost_events_and_other_clocks_are_said() {
    let mut packets = small();
    let bundle = packets[0].ftrace_events.as_mut().unwrap();
    (bundle.lost_events, bundle.ftrace_clock) = (Some(true), Some(3));
    let (n, said) = outcome(make::file(&packets, Packing::None, 1));
    assert_eq!(n, 2);
    assert!(said[0].starts_with("PFT-LOST ") && said[0].contains("some events of CPU 7 lost"), "{said:?}");
    assert!(said[1].starts_with("PFT-CLOCK ") && said[1].contains("clock 3 (local)"), "{said:?}");
}

#[test]
fn a_cut_file_shows_all_whole_packets() {
    let events = generated(2_000);
    let packets = make::packets(&events, 300);
    let whole = make::file(&packets, Packing::None, 1);
    let last_but_tree = make::file(&packets[..packets.len() - 2], Packing::None, 1).len();
    let (doc, _) = open_one("trace.pftrace", whole[..last_but_tree].to_vec());
    let (n, said) = outcome(whole[..last_but_tree + 40].to_vec());
    assert_eq!(n, Marks::of(doc.trace()).len());
    let cut: Vec<_> = said.iter().filter(|said| said.starts_with("PFT-CUT")).collect();
    assert_eq!(cut.len(), 1, "{said:?}");
    assert!(
        cut[0].contains(&format!("byte {}", lanescope::base::number::offset(last_but_tree as u64))),
        "{cut:?}"
    );
}

#[test]
fn after_damage_reading_goes_on_at_the_next_packet() {
    let packets = small();
    let first = make::file(&packets[..1], Packing::None, 1);
    let rest = make::file(&packets[1..], Packing::None, 1);
    // A length beyond the end, noise, and a field of a type that no packet has.
    for damage in [vec![0x0a, 0xff, 0xff, 0x7f], vec![0xff; 30], vec![0x0b, 0x0a, 0x02, 0x50]] {
        let (n, said) = outcome([first.clone(), damage.clone(), rest.clone()].concat());
        assert_eq!(
            (n, said.iter().filter(|s| s.starts_with("PFT-CUT") || s.starts_with("PFT-PACKET")).count()),
            (2, 1),
            "{damage:?} {said:?}"
        );
    }
}

#[test]
fn a_field_of_the_wrong_type_costs_the_rest_of_its_packet() {
    let mut packets = small();
    let tail = packets.split_off(1);
    let first = make::file(&packets, Packing::None, 1);
    // The event of the second packet has a text for its time.
    let wrong = [0x0a, 8, 0x0a, 6, 0x12, 4, 0x0a, 2, b'x', b'y'];
    let (n, said) = outcome([&first[..], &wrong[..], &make::file(&tail, Packing::None, 1)[..]].concat());
    assert_eq!(n, 2);
    assert!(said.iter().any(|s| s.starts_with("PFT-PACKET") && s.contains("invalid wire type")), "{said:?}");
}

#[test]
fn packed_packets_inside_packed_ones_are_not_unpacked() {
    let inner = make::file(&small(), Packing::Zlib, 100);
    let inner = make::Trace::decode(inner.as_slice()).unwrap().packet;
    let (n, said) = outcome(make::file(&inner, Packing::Zlib, 100));
    assert_eq!(n, 0);
    assert!(said.iter().any(|s| s.starts_with("PFT-UNPACK")), "{said:?}");
}

#[test]
fn a_bomb_is_let_off_in_pieces_and_ends_at_the_limit() {
    let zeros = vec![0; 100 << 20];
    let mut packets = small();
    let mut bomb = TracePacket::default();
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, &zeros).unwrap();
    bomb.compressed_packets = Some(encoder.finish().unwrap());
    packets.insert(0, bomb);
    let bytes = make::file(&packets, Packing::None, 1);
    let ((n, said), peak) = crate::support::memory::peak(|| outcome(bytes));
    assert_eq!(n, 2);
    assert!(said.iter().any(|s| s.starts_with("PFT-PACKET")), "{said:?}");
    assert!(peak < 16 << 20, "{peak} bytes held");
}
