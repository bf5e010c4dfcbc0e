//! Track events.

use super::make::{BEGIN, COUNTER, END, INSTANT, Message, event, file, new, packed, packet, track};
use super::{arguments_of, counters, faults, flows, left_out, opened, slices};
use crate::support::front_door::{open_one, unfinished};
use lanescope::model::id::SliceId;

/// A sequence of a thread of a process: both named.
fn named() -> Vec<Message> {
    let process = track(1).with(3, new().int(1, 5).text(6, "app"));
    let thread = track(2).int(5, 1).with(4, new().int(1, 5).int(2, 7).text(5, "main"));
    vec![packet(1, 0, 60, process).int(13, 1), packet(1, 0, 60, thread)]
}

fn begin(name: &str) -> Message {
    event(BEGIN, 2).text(23, name)
}

#[test]
fn texts_with_numbers_and_defaults_hold_until_they_are_cleared() {
    let names = |id: i64, name: &str| new().with(2, new().int(1, id).text(2, name));
    let category = new().with(1, new().int(1, 1).text(2, "cat"));
    let interned = Message([names(1, "first").0, category.0].concat());
    let on_thread = new().int(9, BEGIN).int(10, 1).int(3, 1);
    let mut packets = named();
    packets.push(packet(1, 100, 11, on_thread).with(59, new().with(11, new().int(11, 2))).with(12, interned));
    packets.push(packet(1, 150, 11, new().int(9, END)));
    // Cleared: the number means something else, and the track must be said.
    let again = new().int(9, BEGIN).int(11, 2).int(10, 1);
    packets.push(packet(1, 200, 11, again).int(13, 1).with(12, names(1, "second")));
    packets.push(packet(1, 260, 11, new().int(9, END).int(11, 2)));
    packets.push(packet(1, 300, 11, event(INSTANT, 2).int(10, 9)));
    let doc = opened(&packets);
    let expected = ["app / main: 100 +50 first cat", "app / main: 200 +60 second", "app / main: 300 name 9"];
    assert_eq!(slices(&doc), expected);
    assert_eq!(left_out(&doc), ["1 names that were lost"]);
}

#[test]
fn after_a_loss_packets_that_rely_on_lost_ones_are_counted_until_the_next_clearing() {
    let mut packets = named();
    packets.push(packet(1, 10, 11, begin("a")).int(13, 2));
    packets.push(packet(1, 20, 11, begin("lost")).int(13, 2).int(42, 1));
    packets.push(packet(1, 30, 11, event(END, 2)).int(13, 2));
    packets.push(packet(1, 40, 11, event(END, 2)).int(13, 3));
    let doc = opened(&packets);
    assert_eq!(slices(&doc), ["app / main: 10 +30 a"]);
    assert_eq!(left_out(&doc), ["2 packets that rely on lost ones"]);
}

#[test]
fn events_of_a_track_are_ordered_by_time_whoever_writes_them() {
    let mut packets = named();
    packets.push(packet(1, 0, 60, track(3).int(5, 1).text(2, "queue")));
    packets.push(packet(2, 300, 11, event(END, 3)));
    packets.push(packet(2, 200, 11, event(END, 3)));
    packets.push(packet(1, 100, 11, event(BEGIN, 3).text(23, "outer")));
    packets.push(packet(1, 120, 11, event(BEGIN, 3).text(23, "inner")));
    packets.push(packet(1, 400, 11, event(BEGIN, 3).text(23, "open")));
    packets.push(packet(1, 50, 11, event(END, 3)));
    packets.push(packet(1, 500, 11, event(INSTANT, 2).text(23, "last")));
    let doc = opened(&packets);
    let expected = [
        "app / queue: 100 +200 outer",
        "app / queue: 120 +80 inner",
        "app / queue: 400 +100 open",
        "app / main: 500 last",
    ];
    assert_eq!(slices(&doc), expected);
    let said = faults(&doc);
    assert!(
        said[0].starts_with("PFT-ORPHAN-END ") && said[0].contains("slice end without a start"),
        "{said:?}"
    );
    assert!(said[1].starts_with("PFT-OPEN ") && said[1].contains("\"open\" never ends"), "{said:?}");
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(unfinished(&doc), ["app / queue: open"]);
}

#[test]
fn counters_are_sums_of_differences_in_their_units() {
    let counter = |uuid: i64, said: Message| track(uuid).int(5, 1).text(2, &format!("c{uuid}")).with(8, said);
    let time = track(13).int(5, 2).with(8, new().int(1, 1).int(4, 1000).int(5, 1));
    let mut packets = named();
    packets.push(packet(1, 0, 60, counter(10, new().int(3, 3).int(4, 1024))));
    packets.push(packet(1, 0, 60, counter(11, new().int(5, 1).text(6, "frames"))));
    packets.push(packet(1, 0, 60, counter(12, new())));
    packets.push(packet(1, 0, 60, time));
    let defaults = new().with(11, new().int(11, 2).int(31, 13));
    packets.push(packet(1, 1, 11, event(COUNTER, 10).int(30, 2)).with(59, defaults));
    packets.push(packet(1, 2, 11, event(COUNTER, 11).int(30, 5)));
    packets.push(packet(1, 3, 11, event(COUNTER, 11).int(30, -2)));
    packets.push(packet(1, 4, 11, event(COUNTER, 12).double(44, 0.5)));
    packets.push(packet(1, 5, 11, new().int(9, BEGIN).text(23, "x").packed(12, &[7])));
    packets.push(packet(1, 6, 11, new().int(9, END).int(12, 3).double(46, 1.5).int(45, 12)));
    // Cleared: sums begin again.
    packets.push(packet(1, 7, 11, event(COUNTER, 11).int(30, 1)).int(13, 1));
    packets.push(packet(1, 8, 11, event(COUNTER, 99).int(30, 1)));
    packets.push(packet(1, 9, 11, event(COUNTER, 12)));
    let doc = opened(&packets);
    let expected = [
        "app / Thread time ns: 5=7000 6=10000",
        "app / c10 B: 1=2048",
        "app / c11 frames: 2=5 3=3 7=1",
        "app / c12 : 4=0.5 6=1.5",
    ];
    assert_eq!(counters(&doc), expected);
    let expected = ["1 counter values without a counter track", "1 counter events without a value"];
    assert_eq!(left_out(&doc), expected);
}

#[test]
fn flows_are_chains_in_the_order_of_time() {
    let mut packets = named();
    packets.push(packet(1, 0, 60, track(3).text(2, "gpu")));
    let at = |time: i64, uuid: i64| packet(1, time, 11, event(INSTANT, uuid));
    let with = |time: i64, uuid: i64, add: fn(Message) -> Message| {
        packet(1, time, 11, add(event(INSTANT, uuid).text(23, "e")))
    };
    packets.push(at(5, 2));
    packets.push(with(30, 3, |e| e.fixed(48, 1)));
    packets.push(with(10, 2, |e| e.fixed(47, 1).int(36, 2)));
    packets.push(with(20, 3, |e| e.fixed(47, 1)));
    // The chain ended: a new one.
    packets.push(with(40, 2, |e| e.fixed(47, 1)));
    packets.push(with(50, 3, |e| e.int(42, 2)));
    // Old events say by themselves what they are: out, in, in.
    packets.push(with(60, 2, |e| e.with(6, new().int(8, 1).int(13, 2))));
    packets.push(with(70, 3, |e| e.with(6, new().int(8, 1).int(13, 1))));
    packets.push(with(80, 3, |e| e.with(6, new().int(8, 1).int(13, 1))));
    let doc = opened(&packets);
    let expected = [
        "1: app / main 10 → gpu 20",
        "1: gpu 20 → gpu 30",
        "2: app / main 10 → gpu 50",
        "1: app / main 60 → gpu 70",
        "1: app / main 60 → gpu 80",
    ];
    assert_eq!(flows(&doc), expected);
}

#[test]
fn times_of_all_clocks_lie_on_the_clock_of_the_trace() {
    let clock = |id: i64, time: i64| new().int(1, id).int(2, time);
    let snapshot = |time: i64, clocks: Vec<Message>| {
        packet(1, time, 6, clocks.into_iter().fold(new(), |all, clock| all.with(1, clock)))
    };
    let mut packets = named();
    packets.push(snapshot(1_000, vec![clock(6, 1_000), clock(3, 100)]));
    packets.push(snapshot(2_000, vec![clock(6, 2_000), clock(3, 600)]));
    // Reached over the monotonic clock alone; and a clock of the sequence: differences in microseconds.
    packets.push(snapshot(2_000, vec![clock(3, 600), clock(1, 7_000)]));
    packets.push(snapshot(2_000, vec![clock(6, 2_000), clock(64, 10).int(3, 1).int(4, 1_000)]));
    let on =
        |id: i64, time: i64, name: &str| packet(1, time, 11, event(INSTANT, 2).text(23, name)).int(58, id);
    packets.push(on(3, 50, "before all snapshots"));
    packets.push(on(3, 599, "by the first"));
    packets.push(on(3, 601, "by the second"));
    packets.push(on(1, 7_005, "over another clock"));
    packets.push(on(64, 2, "two later"));
    packets.push(on(64, 3, "three later"));
    packets.push(on(99, 1_500, "of no known clock"));
    let doc = opened(&packets);
    let expected = [
        "app / main: 950 before all snapshots",
        "app / main: 1499 by the first",
        "app / main: 1500 of no known clock",
        "app / main: 2001 by the second",
        "app / main: 2005 over another clock",
        "app / main: 4000 two later",
        "app / main: 7000 three later",
    ];
    assert_eq!(slices(&doc), expected);
    let said = faults(&doc);
    assert!(said.len() == 1 && said[0].starts_with("PFT-CLOCK ") && said[0].contains("clock 99"), "{said:?}");
}

#[test]
fn children_stand_in_the_order_that_their_parent_asks_for() {
    let mut packets = Vec::new();
    let child = |uuid: i64, parent: i64, name: &str| track(uuid).int(5, parent).text(2, name);
    packets.push(packet(1, 0, 60, track(1).text(2, "by rank").int(11, 3)));
    packets.push(packet(1, 0, 60, track(2).text(2, "by time").int(11, 2)));
    packets.push(packet(1, 0, 60, child(11, 1, "a").int(12, 5)));
    packets.push(packet(1, 0, 60, child(12, 1, "b").int(12, -5)));
    packets.push(packet(1, 0, 60, child(21, 2, "a")));
    packets.push(packet(1, 0, 60, track(22).int(5, 2).text(10, "b")));
    for (time, uuid) in [(1, 11), (2, 12), (9, 21), (3, 22), (4, 1)] {
        packets.push(packet(1, time, 11, event(INSTANT, uuid).text(23, "e")));
    }
    let expected = [
        "by rank / by rank: 4 e",
        "by rank / b: 2 e",
        "by rank / a: 1 e",
        "by time / b: 3 e",
        "by time / a: 9 e",
    ];
    assert_eq!(slices(&opened(&packets)), expected);
}

#[test]
fn old_phases_are_slices_instants_and_tracks_of_ids() {
    let old = |phase: u8, more: Message| {
        let legacy = Message([new().int(2, i64::from(phase)).0, more.0].concat());
        new().with(6, legacy).text(22, "cat")
    };
    let mut packets = vec![packet(1, 0, 43, new().int(1, 5).text(6, "app")).int(13, 1)];
    let thread = new().int(1, 5).int(2, 7).text(5, "main").int(6, 1_000);
    packets.push(packet(1, 0, 44, thread));
    // Microseconds since the thread was described.
    let late = |micros: i64, event: Message| new().int(10, 1).with(11, event.int(1, micros));
    packets.push(late(5, old(b'B', new()).text(23, "begin")));
    packets.push(late(5, old(b'E', new())));
    packets.push(late(5, old(b'X', new().int(3, 4)).text(23, "whole")));
    packets.push(late(5, old(b'I', new()).text(23, "of the thread")));
    packets.push(late(0, old(b'I', new().int(14, 2)).text(23, "of the process")));
    packets.push(late(0, old(b'b', new().int(11, 3)).text(23, "task")));
    packets.push(late(1, old(b'n', new().int(11, 3)).text(23, "step")));
    packets.push(late(1, old(b'e', new().int(11, 3)).text(23, "task")));
    packets.push(late(0, old(b'b', new().int(10, 3)).text(23, "own")));
    packets.push(late(1, old(b'e', new().int(10, 3)).text(23, "own")));
    packets.push(late(0, old(b'B', new().int(19, 9)).text(23, "of another")));
    packets.push(late(1, old(b'E', new().int(19, 9))));
    packets.push(late(0, old(b'O', new().int(11, 1)).text(23, "object")));
    let doc = opened(&packets);
    let expected = [
        "app / Process events: 1020000 of the process",
        "app / own: 1022000 +1000 own cat",
        "app / main: 1005000 +5000 begin cat",
        "app / main: 1015000 +4000 whole cat",
        "app / main: 1020000 of the thread",
        "app / Thread 9: 1023000 +1000 of another cat",
        "task: 1020000 +2000 task cat",
        "task: 1021000 step",
    ];
    assert_eq!(slices(&doc), expected);
    assert_eq!(left_out(&doc), ["1 track events of phase O"]);
}

/// Arguments of the first slice of a trace.
fn arguments(bytes: Vec<u8>) -> Vec<(String, String)> {
    let (mut doc, is_ready) = open_one("trace.pftrace", bytes);
    assert!(is_ready);
    let (track, _) = doc.trace().tracks.iter().find(|(_, track)| !track.slices.is_empty()).unwrap();
    arguments_of(&mut doc, SliceId { track, row: 0 })
}

#[test]
fn arguments_are_read_back_also_from_packed_packets() {
    let of = |name: &str| new().text(10, name);
    let nested = of("dict")
        .with(11, of("inner").int(4, -1))
        .with(11, of("list").with(12, new().int(4, 1)).with(12, new().text(6, "two")));
    let args = begin("x")
        .with(4, new().int(1, 1).int(17, 1))
        .with(4, of("flag").int(2, 1))
        .with(4, of("most").int(3, -1))
        .with(4, of("half").double(5, 0.5))
        .with(4, of("pointer").int(7, 0xbeef))
        .with(4, of("json").text(9, "{\"a\":[1,2]}"))
        .with(4, nested)
        .int(34, 4)
        .with(21, new().int(1, 4).int(2, 6));
    let interned = new()
        .with(3, new().int(1, 1).text(2, "key"))
        .with(29, new().int(1, 1).text(2, "value"))
        .with(4, new().int(1, 4).text(2, "a.cc").text(3, "run").int(4, 12))
        .with(20, new().int(1, 6).text(2, "a message"));
    let mut packets = named();
    packets.push(packet(1, 10, 11, args).with(12, interned));
    packets.push(packet(1, 20, 11, event(END, 2)));
    let expected = [
        ("key", "value"),
        ("flag", "true"),
        ("most", "18446744073709551615"),
        ("half", "0.5"),
        ("pointer", "0xbeef"),
        ("json.a", "[1,2]"),
        ("dict.inner", "-1"),
        ("dict.list", "[1,\"two\"]"),
        ("source", "run (a.cc:12)"),
        ("log", "a message, run (a.cc:12)"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(arguments(file(&packets)), expected);
    assert_eq!(arguments(file(&[packed(&packets[..1]), packed(&packets[1..])])), expected);
}

#[test]
fn a_cut_file_shows_all_whole_packets() {
    let mut packets = named();
    packets.push(packet(1, 10, 11, begin("a")));
    packets.push(packet(1, 20, 11, event(END, 2)));
    let whole = file(&packets);
    packets.push(packet(1, 30, 11, begin("cut")));
    let all = file(&packets);
    for len in whole.len() + 1..all.len() {
        let (doc, is_ready) = open_one("trace.pftrace", all[..len].to_vec());
        assert!(is_ready, "{len}");
        assert_eq!(slices(&doc), ["app / main: 10 +10 a"], "{len}");
        let said = faults(&doc);
        assert!(said.len() == 1 && said[0].starts_with("PFT-"), "{len}: {said:?}");
    }
}

#[test]
fn numbers_that_are_used_again_are_other_processes_and_threads() {
    let process = |uuid: i64, name: &str| track(uuid).with(3, new().int(1, 5).text(6, name));
    let thread = |uuid: i64, pid: i64, tid: i64, name: &str| {
        track(uuid).with(4, new().int(1, pid).int(2, tid).text(5, name))
    };
    let mut packets = Vec::new();
    for (n, said) in [
        process(1, "first"),
        thread(11, 5, 7, "a"),
        thread(12, 6, 7, "in another process"),
        process(2, "second"),
        thread(13, 5, 7, "b"),
    ]
    .into_iter()
    .enumerate()
    {
        packets.push(packet(1, n as i64, 60, said));
    }
    for (time, uuid) in [(10, 11), (20, 12), (30, 13)] {
        packets.push(packet(1, time, 11, event(INSTANT, uuid).text(23, "e")));
    }
    let expected = ["first / a: 10 e", "second / b: 30 e", "Process 6 / in another process: 20 e"];
    assert_eq!(slices(&opened(&packets)), expected);
}
