//! What contradicts itself or cannot be: clocks, differences of times, parents of tracks, lengths.

use super::make::{END, INSTANT, Message, event, file, new, packet, track};
use super::system::{bundle, kernel};
use super::{faults, left_out, opened, path, slices};
use crate::support::front_door::open_one;
use lanescope::document::Document;
use std::time::{Duration, Instant};

/// A reading of a clock.
fn clock(id: i64, time: i64) -> Message {
    new().int(1, id).int(2, time)
}

/// A snapshot of clocks by a sequence.
fn snapshot(sequence: i64, clocks: &[Message]) -> Message {
    packet(sequence, 0, 6, clocks.iter().fold(new(), |all, clock| all.with(1, clock.clone())))
}

/// An event of a sequence at a time of a clock.
fn at(sequence: i64, id: i64, time: i64, name: &str) -> Message {
    packet(sequence, time, 11, event(INSTANT, 2).text(23, name)).int(58, id)
}

fn queue() -> Message {
    packet(1, 0, 60, track(2).text(2, "queue"))
}

/// Where the content of a packet begins in a file of packets that are all shorter than 128 bytes.
fn byte_of(packets: &[Message], nth: usize) -> u64 {
    packets[..nth].iter().map(|packet| packet.0.len() as u64 + 2).sum::<u64>() + 2
}

/// Codes with the bytes that they are about, and how many more there are like each.
fn places(doc: &Document) -> Vec<(String, Option<u64>, u64)> {
    let rows = doc.faults().rows().iter();
    rows.map(|fault| (fault.code.to_string(), fault.place.byte, fault.repeats)).collect()
}

/// Each of many sequences has a clock of its own; of a chain of as many clocks only the first ones are followed.
#[test]
fn snapshots_take_time_by_their_number() {
    const N: i64 = 20_000;
    let mut packets = vec![queue()];
    for n in 1..=N {
        packets.push(snapshot(n, &[clock(6, n * 10), clock(64, 5)]));
        packets.push(at(n, 64, 7, "own"));
    }
    packets.push(snapshot(1, &[clock(6, 100), clock(1_000, 50)]));
    for n in 0..N {
        packets.push(snapshot(1, &[clock(1_000 + n, 50), clock(1_001 + n, 40)]));
    }
    packets.push(at(1, 1_015, 60, "sixteen steps"));
    packets.push(at(1, 1_016, 60, "seventeen steps"));
    packets.push(at(1, 1_000 + N, 60, "too many steps"));
    #[allow(clippy::disallowed_methods)] // the tests run natively
    let begin = Instant::now();
    let doc = opened(&packets);
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
    let mut found = slices(&doc);
    for name in ["queue: 60 seventeen steps", "queue: 60 too many steps", "queue: 260 sixteen steps"] {
        let row = found.iter().position(|row| row == name).unwrap_or_else(|| panic!("{name}"));
        found.remove(row);
    }
    let expected: Vec<String> = (1..=N).map(|n| format!("queue: {} own", n * 10 + 2)).collect();
    assert_eq!(found, expected);
    let said = faults(&doc);
    assert!(
        said[0].contains("steps from a clock to the trace clock: 17 exceeds the limit of 16"),
        "{said:?}"
    );
    assert!(said[1].contains("trace clock: 20,001 exceeds"), "{said:?}");
    assert_eq!(said.len(), 2, "{said:?}");
}

/// Of two ways of the same length a clock goes over the one that its snapshot names first.
#[test]
fn clocks_go_the_shortest_way_and_of_two_the_one_named_first() {
    let packets = [
        queue(),
        snapshot(1, &[clock(6, 1_000), clock(1, 70), clock(3, 50)]),
        snapshot(1, &[clock(200, 8), clock(3, 50), clock(1, 75)]),
        snapshot(1, &[clock(201, 8), clock(200, 8)]),
        snapshot(1, &[clock(201, 9), clock(6, 5_000)]),
        at(1, 200, 10, "over 3"),
        at(1, 201, 10, "directly"),
    ];
    let doc = opened(&packets);
    assert_eq!(slices(&doc), ["queue: 1002 over 3", "queue: 5001 directly"]);
    assert!(faults(&doc).is_empty(), "{:?}", faults(&doc));
}

#[test]
fn tracks_that_are_their_own_ancestors_lose_the_first_link_of_the_circle() {
    let child =
        |uuid: i64, parent: i64, name: &str| packet(1, 0, 60, track(uuid).int(5, parent).text(2, name));
    let mut packets = vec![
        child(11, 10, "leaf"),
        child(12, 13, "first"),
        child(10, 12, "second"),
        child(13, 10, "third"),
        child(20, 20, "of itself"),
        child(30, 31, "one"),
        child(31, 30, "other"),
        // A thread below its process is none, whatever the process says.
        packet(1, 0, 60, track(40).int(5, 41).with(3, new().int(1, 5).text(6, "app"))),
        packet(1, 0, 60, track(41).int(5, 40).with(4, new().int(1, 5).int(2, 7).text(5, "main"))),
    ];
    let mut tracks = vec![11, 13, 20, 31, 41];
    tracks.extend([13; 500]);
    for (n, uuid) in tracks.into_iter().enumerate() {
        packets.push(packet(1, n as i64, 11, event(INSTANT, uuid).text(23, "e")));
    }
    let doc = opened(&packets);
    let mut paths: Vec<String> = doc.trace().tracks.shown().iter().map(|id| path(&doc, *id)).collect();
    paths.sort();
    let expected = [
        "app",
        "app / main",
        "first",
        "first / second",
        "first / second / leaf",
        "first / second / third",
        "of itself",
        "one",
        "one / other",
    ];
    assert_eq!(paths, expected);
    let cut = [1, 4, 5].map(|nth| ("PFT-PARENT".to_owned(), Some(byte_of(&packets, nth)), 0));
    assert_eq!(places(&doc), cut);
    assert!(faults(&doc)[1].contains("track 20 is its own ancestor, with parent 20"), "{:?}", faults(&doc));
}

#[test]
fn a_file_without_rows_says_what_it_has_and_not_more() {
    let nameless = packet(1, 0, 2, new().with(1, new().int(1, 5)));
    let named = packet(1, 0, 2, new().with(1, new().int(1, 5).text(3, "app")));
    let clocks = snapshot(1, &[clock(6, 1), clock(3, 1)]);
    let late = packet(1, -1, 11, event(INSTANT, 2));
    let config = packet(1, 0, 33, new().int(1, 1));
    let names = "names of processes, threads and tracks only";
    for (packets, found) in [
        (vec![new().int(8, 1), new().int(8, 2)], "nothing"),
        (vec![clocks.clone(), clocks.clone()], "clock_snapshot"),
        (vec![clocks.clone(), nameless], "process_tree, clock_snapshot"),
        (vec![clocks, named.clone()], names),
        (vec![queue(), queue()], names),
        (vec![named, config.clone()], "trace_config"),
        (vec![queue(), late.clone()], "none that can be shown"),
        (vec![config, late], "none that can be shown"),
        // Only another machine has something.
        (vec![new().int(98, 7).int(10, 1).with(33, new()), queue()], "trace_config"),
    ] {
        let (doc, is_ready) = open_one("trace.pftrace", file(&packets));
        let said = faults(&doc);
        let is_found = said.iter().any(|fault| {
            fault.starts_with("PFT-EMPTY ")
                && fault.contains(&format!("expected events or counters, found {found}."))
        });
        assert!(!is_ready && is_found, "{found}: {said:?}");
    }
}

#[test]
fn times_beyond_all_time_are_said_with_the_number_that_they_come_to() {
    let far = i64::MAX - 5;
    let micros = |micros: i64| new().int(10, 2).with(11, event(INSTANT, 2).text(23, "old").int(16, micros));
    let columns = new()
        .packed(1, &[500, i64::MAX])
        .packed(2, &[1, 1])
        .packed(3, &[7, 8])
        .text(5, "w")
        .packed(6, &[0, 0]);
    let packets = [
        queue(),
        snapshot(1, &[clock(6, 1_000), clock(3, 0), clock(64, 5).int(3, 1).int(4, 1_000)]),
        snapshot(1, &[clock(6, 2_000), clock(3, 1_000), clock(70, far).int(4, 1_000)]),
        at(1, 3, far, "moved"),
        at(1, 64, far, "sum"),
        at(1, 64, 1, "behind it"),
        micros(-3),
        new().int(10, 3).with(1, new().int(1, 0).with(4, columns)),
        bundle(1, vec![kernel(1_500, 7, 3, new().text(2, "I|7|here"))]),
    ];
    let doc = opened(&packets);
    let said: Vec<_> = doc.faults().rows().iter().map(|fault| fault.to_string()).collect();
    let values = [
        (2, format!("clock reading in nanoseconds is {}", i128::from(far) * 1_000)),
        (3, format!("timestamp in nanoseconds is {}", i128::from(far) + 1_000)),
        (4, format!("timestamp in nanoseconds is {}", i128::from(far) * 1_000 + 5_000 - 4_000)),
        (5, format!("timestamp in nanoseconds is {}", i128::from(far) * 1_000 + 6_000 - 4_000)),
        (6, "timestamp in nanoseconds is -3000".to_owned()),
        (7, format!("timestamp is {}", i128::from(i64::MAX) + 500)),
    ];
    assert_eq!(said.len(), values.len(), "{said:#?}");
    for ((nth, value), said) in values.iter().zip(&said) {
        assert!(said.contains(&format!("{value}, must be 0 to {}", i64::MAX)), "{value}: {said}");
        assert!(said.contains(&format!("byte {}", byte_of(&packets, *nth))), "{value}: {said}");
    }
    // What became of nothing is not shown.
    assert!(slices(&doc).iter().all(|row| !row.starts_with("queue")), "{:?}", slices(&doc));
}

#[test]
fn snapshots_that_contradict_each_other_are_said_once_each() {
    const SECOND: i64 = 1_000_000_000;
    let both =
        |boot: i64, monotonic: i64| snapshot(1, &[clock(6, boot), clock(3, monotonic), clock(5, monotonic)]);
    let packets = [
        queue(),
        both(10 * SECOND, 5 * SECOND),
        // The machine slept; another writer read a little earlier; the wall clock is set back.
        both(90 * SECOND, 6 * SECOND),
        both(90 * SECOND - 10, 6 * SECOND - 5),
        snapshot(1, &[clock(6, 91 * SECOND), clock(1, 800 * SECOND), clock(4, 7 * SECOND)]),
        snapshot(1, &[clock(6, 91 * SECOND + 9_000_000), clock(1, 100 * SECOND), clock(4, 7 * SECOND)]),
        // One goes back while the other goes on; one stands.
        both(92 * SECOND, 2 * SECOND),
        both(95 * SECOND, 2 * SECOND),
        at(1, 3, 2 * SECOND, "e"),
    ];
    let doc = opened(&packets);
    assert_eq!(slices(&doc), ["queue: 95000000000 e"]);
    let said = faults(&doc);
    let expected = [6, 7].map(|nth| ("PFT-SNAPSHOT".to_owned(), Some(byte_of(&packets, nth)), 0));
    assert_eq!(places(&doc), expected, "{said:?}");
    assert!(
        said[0].contains(
            "clock 3 is at 2,000,000,000 ns when clock 6 is at 92,000,000,000 ns, but in an earlier snapshot at \
             5,999,999,995 ns and 89,999,999,990 ns"
        ),
        "{said:?}"
    );
}

/// Differences count from a snapshot or a reference; packets that are not shown count along.
#[test]
fn differences_of_times_need_something_that_they_count_from() {
    let own = |time: i64| clock(64, time).int(3, 1);
    let old = |sequence: i64, name: &str| {
        new().int(10, sequence).with(11, event(INSTANT, 2).text(23, name).int(1, 5))
    };
    let writer = |sequence: i64, said: Message| new().int(10, sequence).with(44, said.int(1, 5).int(2, 7));
    let packets = [
        queue(),
        at(1, 64, 3, "too early"),
        snapshot(1, &[clock(6, 1_000), own(10)]),
        at(1, 64, 3, "three later"),
        packet(1, 4, 60, track(2)).int(58, 64),
        packet(1, 1, 33, new().int(1, 1)).int(58, 64),
        at(1, 64, 2, "seven more"),
        old(2, "nobody's"),
        writer(3, new()),
        old(3, "from nothing"),
        old(3, "later"),
        writer(4, new().int(6, 2)),
        old(4, "from two"),
        snapshot(9, &[clock(6, 0), clock(3, 0)]),
    ];
    let doc = opened(&packets);
    let expected = [
        "queue: 1003 three later",
        "queue: 1010 seven more",
        "queue: 5000 from nothing",
        "queue: 7000 from two",
        "queue: 10000 later",
    ];
    assert_eq!(slices(&doc), expected);
    let said = faults(&doc);
    let expected = [1, 7, 9].map(|nth| ("PFT-DELTA".to_owned(), Some(byte_of(&packets, nth)), 0));
    assert_eq!(places(&doc), expected, "{said:?}");
    assert!(said.iter().all(|said| said.contains("timestamp delta without a reference timestamp.")));
    assert!(
        said[1].ends_with("The event is skipped.") && said[2].ends_with("Times count from 0."),
        "{said:?}"
    );
}

#[test]
fn slices_that_end_before_they_begin_are_said() {
    let whole = |micros: i64| new().with(6, new().int(2, i64::from(b'X')).int(3, micros)).int(11, 2);
    let frame = |kind: u64, cookie: i64| new().with(kind, new().int(1, cookie).int(2, 1).int(3, 5));
    let stage = |nanos: i64| new().int(2, nanos).text(17, "stage");
    let packets = [
        queue(),
        packet(1, 10_000, 11, whole(-2).text(23, "whole")),
        packet(1, 20_000, 11, whole(3).text(23, "good")),
        packet(1, 30_000, 53, stage(-4)),
        packet(1, 40_000, 76, frame(1, 1)),
        packet(1, 30_000, 76, new().with(5, new().int(1, 1))),
        packet(1, 50_000, 11, event(END, 2)),
    ];
    let doc = opened(&packets);
    let shown = slices(&doc);
    for row in ["queue: 10000 +0 whole", "queue: 20000 +3000 good"] {
        assert!(shown.contains(&row.to_owned()), "{shown:?}");
    }
    assert!(shown.iter().any(|row| row.ends_with("30000 +0 stage")), "{shown:?}");
    assert!(shown.iter().any(|row| row.contains(": 40000 +0 Display frame")), "{shown:?}");
    assert_eq!(left_out(&doc), ["1 slice ends without a start"]);
    let negative: Vec<_> = places(&doc).into_iter().filter(|(code, ..)| code == "PFT-NEG-DUR").collect();
    let expected = [1, 3, 5].map(|nth| ("PFT-NEG-DUR".to_owned(), Some(byte_of(&packets, nth)), 0));
    assert_eq!(negative, expected);
    let said = faults(&doc);
    let lengths = ["(−2.000 µs)", "(−4 ns)", "(−10.000 µs)"];
    let has = |length: &&str| said.iter().any(|said| said.contains(&format!("negative duration {length}")));
    assert!(lengths.iter().all(has), "{said:?}");
}
