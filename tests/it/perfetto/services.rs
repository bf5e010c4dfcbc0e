//! States of threads, samples of them, frames and logs, and traces of several machines.

use super::make::{BEGIN, END, Message, event, file, new, packed, packet, track};
use super::system::{bundle, kernel, tree};
use super::{arguments_of, counters, faults, flows, left_out, opened, slices};
use crate::support::front_door::{open_one, unfinished};
use crate::support::rows::calls;
use lanescope::base::time::Span;
use lanescope::model::id::SliceId;
use lanescope::model::track::Role;
use lanescope::views::timeline::messages::{Area, Reply, TimelineQuery};
use lanescope::wire::{Answer, Query};

/// A switch from a thread, whose state is said, to another one.
fn switch(time: i64, (prev, state): (i64, i64), next: i64) -> Message {
    kernel(time, prev, 4, new().int(2, prev).int(4, state).text(5, &format!("t{next}")).int(6, next))
}

fn waking(time: i64, tid: i64) -> Message {
    kernel(time, 1, 20, new().int(2, tid))
}

#[test]
fn states_of_threads_stand_beside_them_whatever_processor_tells_them() {
    let packets = [
        tree(),
        bundle(0, vec![switch(10, (0, 0), 7), switch(30, (7, 1), 5), switch(70, (5, 0x100), 0)]),
        bundle(1, vec![waking(50, 7), waking(55, 7), switch(60, (0, 0), 7), switch(80, (7, 2), 0)]),
        bundle(
            1,
            vec![
                waking(90, 7),
                kernel(91, 1, 18, new().int(1, 7).int(3, 1)),
                waking(96, 5),
                switch(100, (0, 0), 7),
                kernel(105, 7, 235, new().int(1, 9).text(2, "child").int(3, 0x10000)),
            ],
        ),
    ];
    let expected = [
        "CPU / CPU 0: 10 +20 t7",
        "CPU / CPU 0: 30 +40 t5",
        "CPU / CPU 1: 60 +20 t7",
        "CPU / CPU 1: 100 +5 t7",
        "com.example / main (state): 30 +40 Running CPU 0",
        "com.example / main (state): 70 +35 Runnable (preempted)",
        "com.example / worker (state): 10 +20 Running CPU 0",
        "com.example / worker (state): 30 +20 Sleeping",
        "com.example / worker (state): 50 +10 Runnable",
        "com.example / worker (state): 60 +20 Running CPU 1",
        "com.example / worker (state): 80 +10 Uninterruptible sleep (I/O)",
        "com.example / worker (state): 90 +10 Runnable",
        "com.example / worker (state): 100 +5 Running CPU 1",
        "com.example / child (state): 105 +0 Runnable",
    ];
    let doc = opened(&packets);
    assert_eq!(slices(&doc), expected);
    assert_eq!(left_out(&doc), [""; 0]);
}

#[test]
fn columns_of_switches_tell_states_and_wake_ups() {
    let compact = new()
        .packed(1, &[100, 20, 30])
        .packed(2, &[0, 1, 0])
        .packed(3, &[7, 0, 5])
        .text(5, "worker")
        .packed(6, &[0, 0, 0])
        .packed(7, &[130, 10])
        .packed(8, &[7, 5])
        .packed(11, &[0, 0]);
    let packets = [tree(), new().int(10, 1).with(1, new().int(1, 1).with(4, compact))];
    let found = slices(&opened(&packets));
    let expected = [
        "com.example / main (state): 140 +10 Runnable",
        "com.example / main (state): 150 +0 Running CPU 1",
        "com.example / worker (state): 100 +20 Running CPU 1",
        "com.example / worker (state): 120 +10 Sleeping",
        "com.example / worker (state): 130 +20 Runnable",
    ];
    assert_eq!(found[2..], expected);
}

#[test]
fn many_events_of_a_thread_in_pieces_out_of_order_are_one_chain_of_states() {
    // Each processor tells a hundred rounds at once, the later ones first.
    let round =
        |n: i64| vec![switch(n * 10, (0, 0), 7), switch(n * 10 + 4, (7, 1), 0), waking(n * 10 + 8, 7)];
    let piece = |n: i64, odd: i64| (0..100).map(|k| n * 200 + k * 2 + odd).flat_map(round).collect();
    let packets: Vec<_> = (0..40).flat_map(|n| [bundle(1, piece(n, 1)), bundle(0, piece(n, 0))]).collect();
    let doc = opened(&packets);
    let (_, states) = doc.trace().tracks.iter().find(|(_, of)| of.slices.len() == 3 * 8000).unwrap();
    let names: Vec<_> = (0..6).map(|row| doc.trace().strings.get(states.slices.name[row])).collect();
    assert_eq!(names, ["Running", "Sleeping", "Runnable", "Running", "Sleeping", "Runnable"]);
    assert!((0..states.slices.len() - 1).all(|n| states.slices.span(n).end == states.slices.start[n + 1]));
}

#[test]
fn machines_have_processes_processors_and_clocks_of_their_own() {
    let process = |name: &str| packet(1, 0, 2, new().with(1, new().int(1, 5).text(3, name)));
    let clock = |time: i64| new().with(1, new().int(1, 6).int(2, time));
    let pair = |own: i64, host: i64| new().with(2, clock(own)).with(3, clock(host));
    let sync = new().with(1, pair(100, 1100)).with(1, pair(100, 1300));
    let print = |text: &str| kernel(10, 5, 3, new().text(2, text));
    let packets = [
        process("here"),
        process("there").int(98, 3),
        packet(1, 0, 107, sync).int(98, 3),
        bundle(0, vec![print("B|5|a"), kernel(20, 5, 3, new().text(2, "E|5"))]),
        bundle(0, vec![print("C|5|load|2")]).int(98, 3),
        packet(2, 40, 11, event(3, 8).text(23, "now")).int(98, 3),
        packet(2, 30, 11, event(3, 8).text(23, "now")),
    ];
    for packets in [packets.to_vec(), vec![packed(&packets)]] {
        let doc = opened(&packets);
        assert_eq!(slices(&doc), ["Machine 3 / now: 1140 now", "here / Thread 5: 10 +10 a", "now: 30 now"]);
        assert_eq!(counters(&doc), ["Machine 3 / there / load : 1110=2"]);
    }
}

#[test]
fn frames_are_slices_by_layer_as_expected_and_as_they_were() {
    let begin = |kind: u64, said: Message| new().with(kind, said);
    let expected = new().int(1, 1).int(2, 77).int(3, 70).int(4, 5).text(5, "layer");
    let actual = new().int(1, 2).int(2, 77).int(3, 70).int(4, 5).text(5, "layer").int(9, 64 | 128);
    let display = new().int(1, 3).int(2, 70).int(3, 6);
    let end = |cookie: i64| new().with(5, new().int(1, cookie));
    let packets = [
        tree(),
        packet(1, 10, 76, begin(3, expected)),
        packet(1, 12, 76, begin(4, actual)),
        packet(1, 20, 76, end(1)),
        packet(1, 13, 76, begin(1, display)),
        packet(1, 28, 76, end(2)),
        packet(1, 29, 76, end(9)),
    ];
    let mut doc = opened(&packets);
    let shown = [
        "com.example / Actual frames: 12 +16 layer app deadline missed, buffer stuffing",
        "com.example / Expected frames: 10 +10 layer (expected)",
        "Process 6 / Expected frames: 13 +16 Display frame (expected)",
    ];
    assert_eq!(slices(&doc), shown);
    assert_eq!(unfinished(&doc), ["Process 6 / Expected frames: Display frame (expected)"]);
    assert_eq!(left_out(&doc), ["1 frame ends without a start"]);
    let (track, _) = doc.trace().tracks.iter().find(|(_, of)| of.slices.durs().any(|d| d == 10)).unwrap();
    let args = arguments_of(&mut doc, SliceId { track, row: 0 });
    let args: Vec<String> = args.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(args, ["cookie=1", "token=77", "display_frame_token=70", "pid=5", "layer_name=layer"]);
}

/// While one frame of a layer is on its way, others begin and end: they do not lie in it.
#[test]
fn frames_at_the_same_time_are_counted_each() {
    let begin = |cookie: i64, layer: &str| {
        new().with(4, new().int(1, cookie).int(2, cookie).int(3, cookie).int(4, 5).text(5, layer))
    };
    let end = |cookie: i64| new().with(5, new().int(1, cookie));
    let packets = [
        tree(),
        packet(1, 10, 76, begin(1, "layer")),
        packet(1, 20, 76, begin(2, "layer")),
        packet(1, 30, 76, begin(3, "other")),
        packet(1, 40, 76, end(2)),
        packet(1, 50, 76, end(3)),
        packet(1, 110, 76, end(1)),
    ];
    let mut doc = opened(&packets);
    let (_, bytes) = doc.query(&Query::Export { id: "statistics-csv".to_owned() });
    let text = String::from_utf8(bytes.unwrap()).unwrap();
    let row = |name: &str| text.lines().find(|row| row.starts_with(name)).unwrap_or_else(|| panic!("{text}"));
    // Count, total, self and mean.
    let cells = |name: &str| row(name).split(',').skip(2).take(4).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(cells("layer,"), ["2", "120", "120", "60"]);
    assert_eq!(cells("other,"), ["1", "20", "20", "20"]);
    let overview = doc.whole_overview();
    let names = overview.parts.iter().find(|part| part.title == "Names with the most time").unwrap();
    let total = names.rows.iter().find(|row| row.name == "layer").unwrap().amount.clone().unwrap();
    assert!((total.0 - 120.0).abs() < 1e-9, "the same total as in the statistics: {total:?}");
}

#[test]
fn messages_of_logs_are_instants_of_their_processes() {
    let line = |time: i64, text: &str| new().int(2, 5).int(5, time).text(6, "tag").int(7, 5).text(8, text);
    let clocks = [(1, 1_000_000), (6, 100)].map(|(id, time)| new().int(1, id).int(2, time));
    let clocks = clocks.into_iter().fold(new(), |all, clock| all.with(1, clock));
    let journal = new().int(1, 9).int(5, 3).text(6, "sshd").text(7, "closed");
    let packets = [
        tree(),
        packet(1, 100, 6, clocks),
        packet(1, 0, 39, new().with(1, line(1_000_050, "one")).with(1, line(1_000_010, "two"))),
        packet(1, 500, 132, journal),
        packet(1, 600, 132, new().with(13, new().int(1, 4))),
    ];
    let doc = opened(&packets);
    let shown = [
        "com.example / Log: 110 tag: two",
        "com.example / Log: 150 tag: one",
        "Process 9 / Log: 500 sshd: closed",
    ];
    assert_eq!(slices(&doc), shown);
    let (_, log) = doc.trace().tracks.iter().find(|(_, of)| of.instants.len() == 2).unwrap();
    assert_eq!(doc.trace().strings.get(log.instants.category[0]), "warning");
    assert_eq!(left_out(&doc), ["1 log packets without a message"]);
}

/// A number of a kind of network says nothing: the kinds are told, each until the next one; numbers of no kind stay numbers.
#[test]
fn kinds_of_networks_are_told_by_name() {
    let row = |time: i64, value: i64| {
        kernel(time, 5, 3, new().text(2, &format!("C|1000|battery_stats.data_conn|{value}")))
    };
    let doc = opened(&[bundle(0, vec![row(1_000, 13), row(4_000, 20), row(5_000, 99), row(6_000, 0)])]);
    let found = slices(&doc);
    assert_eq!(
        found[..2],
        [
            "Process 1000 / battery_stats.data_conn: 1000 +3000 4G (LTE)",
            "Process 1000 / battery_stats.data_conn: 4000 +2000 5G (NR)",
        ]
    );
    assert_eq!(unfinished(&doc), ["Process 1000 / battery_stats.data_conn: Out of service"]);
    assert_eq!(counters(&doc), ["Process 1000 / battery_stats.data_conn : 5000=99"]);
}

/// As in the test of Perfetto's own library, with the rows of two processors out of order, one more begin, and instants
/// that begin and end nothing.
#[test]
fn battery_statistics_are_slices_from_their_begins_to_their_ends() {
    let row =
        |time: i64, text: &str| kernel(time, 5, 3, new().text(2, &format!("N|1000|battery_stats.{text}")));
    let packets = [
        bundle(0, vec![row(1_000, "top|+top=123:\"mail\""), row(9_000, "top|-top=123:\"mail\"")]),
        bundle(
            1,
            vec![
                row(2_000, "job|other"),
                row(3_000, "job|+job=456:\"mail_job\""),
                row(4_000, "job|-job=789:\"video_job\""),
                row(5_000, "job|+job=7:\"again\""),
                row(6_000, "job|+job=7:\"again\""),
                row(7_000, "job|-job=7:\"again\""),
                row(8_000, "job|-job=7:\"again\""),
                row(8_500, "charging|+charging"),
                row(8_600, "charging|-charging"),
                row(8_700, "top|=1"),
            ],
        ),
    ];
    let doc = opened(&packets);
    let mut found = slices(&doc);
    found.sort();
    let expected = [
        "Process 1000 / battery_stats.charging: 8500 +100 charging",
        "Process 1000 / battery_stats.job: 1000 +3000 video_job",
        "Process 1000 / battery_stats.job: 2000 other",
        "Process 1000 / battery_stats.job: 3000 +6000 mail_job",
        "Process 1000 / battery_stats.job: 5000 +1000 again",
        "Process 1000 / battery_stats.job: 6000 +1000 again",
        "Process 1000 / battery_stats.top: 1000 +8000 mail",
        "Process 1000 / battery_stats.top: 8700 =1",
    ];
    assert_eq!(found, expected);
    assert_eq!(left_out(&doc), [""; 0]);
}

#[test]
fn samples_of_several_threads_stand_under_them_and_loops_count_once() {
    let interned = new()
        .with(5, new().int(1, 1).text(2, "f"))
        .with(5, new().int(1, 2).text(2, "g"))
        .with(6, new().int(1, 1).int(2, 1))
        .with(6, new().int(1, 2).int(2, 2))
        .with(7, new().int(1, 1).packed(2, &[1, 2, 1]))
        .with(7, new().int(1, 2).packed(2, &[1]));
    let sample =
        |time: i64, tid: i64, stack: i64| packet(1, time, 66, new().int(2, 5).int(3, tid).int(4, stack));
    // Two samples far apart: nothing lasts between them.
    let packets = [
        tree(),
        sample(100, 7, 1).with(12, interned).int(13, 1),
        sample(18_000_000_100, 7, 2),
        sample(200, 5, 1),
    ];
    let mut doc = opened(&packets);
    let whole = Area { span: Span::new(0, 18_000_000_101), tracks: Vec::new() };
    let expected = [
        "worker (CPU samples): 2, 0",
        "· f: 2, 1",
        "· · g: 1, 0",
        "· · · f: 1, 1",
        "main (CPU samples): 1, 0",
        "· f: 1, 0",
        "· · g: 1, 0",
        "· · · f: 1, 1",
    ];
    assert_eq!(calls(&mut doc, &whole), expected);
}

#[test]
fn samples_with_call_stacks_are_instants_and_their_counts_counters() {
    let text = |id: i64, text: &str| new().int(1, id).text(2, text);
    let interned = new()
        .with(5, text(1, "main"))
        .with(5, text(2, "_ZN3abc5innerEv"))
        .with(6, new().int(1, 1).int(2, 1).int(3, 1))
        .with(6, new().int(1, 2).int(2, 2).int(3, 1))
        .with(6, new().int(1, 3).int(3, 1).int(4, 0x1f))
        .with(7, new().int(1, 1).int(2, 1).int(2, 2))
        .with(7, new().int(1, 2).packed(2, &[1, 3]))
        .with(17, text(1, "data"))
        .with(17, text(2, "lib.so"))
        .with(19, new().int(1, 1).int(7, 1).int(7, 2));
    let sample =
        |time: i64, stack: i64| packet(1, time, 66, new().int(1, 2).int(2, 5).int(3, 7).int(4, stack));
    let packets = [
        tree(),
        sample(100, 1).with(12, interned).int(13, 1),
        sample(120, 2),
        sample(110, 1),
        packet(1, 130, 66, new().int(1, 2).int(6, 500).int(7, 3)),
        sample(140, 9),
        packet(1, 150, 66, new().int(18, 1)),
        packet(1, 160, 66, new().int(1, 2).int(17, 40)),
    ];
    let mut doc = opened(&packets);
    let shown = ["100 abc::inner()", "110 abc::inner()", "120 lib.so 0x1f"];
    assert_eq!(slices(&doc), shown.map(|row| format!("com.example / worker (CPU samples): {row}")));
    // They count nowhere as time.
    assert_eq!(doc.trace().n_slices(), 0);
    let whole = Area { span: Span::new(100, 121), tracks: Vec::new() };
    assert_eq!(calls(&mut doc, &whole), ["main: 3, 0", "· abc::inner(): 2, 2", "· lib.so 0x1f: 1, 1"]);
    let part = Area { span: Span::new(105, 120), ..whole };
    assert_eq!(calls(&mut doc, &part), ["main: 1, 0", "· abc::inner(): 1, 1"]);
    let (track, _) = doc.trace().tracks.iter().find(|(_, of)| of.instants.len() == 3).unwrap();
    let (answer, _) = doc.query(&TimelineQuery::Slice(SliceId::of_instant(track, 2)));
    let Some(Reply::Slice(Some(sample))) = answer else { panic!("{answer:?}") };
    let stack: Vec<_> = sample.stack.into_iter().map(|call| call.text).collect();
    assert_eq!(stack, ["lib.so 0x1f · data/lib.so", "main · data/lib.so"]);
    assert_eq!(
        counters(&doc),
        ["CPU / CPU 2 sample count : 130=500", "CPU / CPU 2 sample follower 1 : 130=3"]
    );
    let expected = [
        "1 CPU samples without a call stack",
        "1 CPU samples that the profiler skipped",
        "40 CPU samples that the kernel lost",
    ];
    assert_eq!(left_out(&doc), expected);
}

/// A frame without a mapping, one whose mapping has no path, and one of a file.
#[test]
fn samples_without_a_name_say_where_they_are() {
    let interned = new()
        .with(6, new().int(1, 1).int(4, 0x1f))
        .with(6, new().int(1, 2).int(3, 1).int(4, 0x2a))
        .with(6, new().int(1, 3).int(3, 2).int(4, 0x30))
        .with(7, new().int(1, 1).packed(2, &[1]))
        .with(7, new().int(1, 2).packed(2, &[2]))
        .with(7, new().int(1, 3).packed(2, &[3]))
        .with(17, new().int(1, 1).text(2, "lib.so"))
        .with(19, new().int(1, 1))
        .with(19, new().int(1, 2).int(7, 1));
    let sample = |time: i64, stack: i64| packet(1, time, 66, new().int(2, 5).int(3, 7).int(4, stack));
    let packets = [tree(), sample(100, 1).with(12, interned).int(13, 1), sample(110, 2), sample(120, 3)];
    let doc = opened(&packets);
    let shown = ["100 address 0x1f", "110 address 0x2a", "120 lib.so 0x30"];
    assert_eq!(slices(&doc), shown.map(|row| format!("com.example / worker (CPU samples): {row}")));
}

#[test]
fn samples_of_a_browser_count_from_the_time_of_their_thread() {
    let thread = new().int(1, 5).int(2, 7).text(5, "main").int(6, 1000);
    let interned = new()
        .with(5, new().int(1, 1).text(2, "f"))
        .with(6, new().int(1, 1).int(2, 1))
        .with(7, new().int(1, 1).int(2, 1));
    let clocks = [(3, 0), (6, 0)].map(|(id, time)| new().int(1, id).int(2, time));
    let clocks = clocks.into_iter().fold(new(), |all, clock| all.with(1, clock));
    let samples = new().packed(1, &[1, 1]).packed(2, &[10, 20]);
    let packets = [
        packet(1, 0, 6, clocks),
        packet(1, 0, 44, thread).int(13, 1),
        new().int(10, 1).with(12, interned).with(54, samples),
    ];
    let doc = opened(&packets);
    let expected = ["1010000 f", "1030000 f"].map(|row| format!("Process 5 / main (CPU samples): {row}"));
    assert_eq!(slices(&doc), expected);
}

#[test]
fn arguments_of_instants_and_fields_of_kernel_events_are_read_back() {
    let packets = [
        packet(1, 10, 11, event(3, 8).text(23, "now").with(4, new().text(10, "key").int(4, 3))),
        bundle(0, vec![kernel(20, 7, 45, new().int(1, 9).text(2, "read").with(3, new().int(1, -2)))]),
    ];
    for packets in [packets.to_vec(), vec![packed(&packets)]] {
        let mut doc = opened(&packets);
        assert_eq!(slices(&doc), ["Kernel events / Thread 7: 20 block_rq_issue", "now: 10 now"]);
        let track = |name: &str| {
            doc.trace().tracks.iter().find(|(id, _)| super::path(&doc, *id).ends_with(name)).unwrap().0
        };
        let (instant, event) = (track("now"), track("7"));
        let mut of = |track| {
            let args = arguments_of(&mut doc, SliceId::of_instant(track, 0)).into_iter();
            args.map(|(a, b)| format!("{a}={b}")).collect::<Vec<_>>()
        };
        assert_eq!(of(instant), ["key=3"]);
        assert_eq!(of(event), ["dev=9", "sector=read", "nr_sector.1=-2"]);
    }
}

/// A switch in columns keeps the priority of the thread that comes; the next packet has places behind all of them.
#[test]
fn details_of_many_events_and_of_columns_are_read_back_also_from_packed_packets() {
    let columns = new()
        .packed(1, &[100, 20, 30])
        .packed(2, &[0, 1, 0])
        .packed(3, &[7, 0, 5])
        .packed(4, &[98, 120, 139])
        .text(5, "worker")
        .packed(6, &[0, 0, 0]);
    let block = |time: i64, dev: i64| kernel(time, 7, 45, new().int(1, dev));
    let both = new().int(1, 1).with(4, columns).with(2, block(110, 1)).with(2, block(115, 2));
    let packets = [
        tree(),
        new().int(10, 1).with(1, both),
        bundle(0, vec![block(200, 3)]),
        bundle(0, vec![kernel(210, 7, 3, new().text(2, "B|5|scope")), block(220, 4)]),
    ];
    for packets in [packets.to_vec(), vec![packed(&packets)], vec![tree(), packed(&packets), tree()]] {
        let mut doc = opened(&packets);
        let track = |n: usize| doc.trace().tracks.iter().find(|(_, of)| of.instants.len() == n).unwrap().0;
        let events = track(4);
        for (row, dev) in (0..4).zip(["1", "2", "3", "4"]) {
            let args = arguments_of(&mut doc, SliceId::of_instant(events, row));
            assert_eq!(args, [("dev".to_owned(), dev.to_owned())]);
        }
        let cpu = doc.trace().tracks.iter().find(|(_, of)| of.role == Role::Processor).unwrap().0;
        for (row, priority) in [(0, "98"), (1, "139")] {
            let (answer, _) = doc.query(&TimelineQuery::Slice(SliceId { track: cpu, row }));
            let Some(Reply::Slice(Some(slice))) = answer else { panic!("{answer:?}") };
            assert!(slice.facts.contains(&("Priority".to_owned(), priority.to_owned())), "{:?}", slice.facts);
        }
    }
}

#[test]
fn arrows_of_many_numbers_are_all_made_in_their_order() {
    let flow =
        |time: i64, uuid: i64, kind: i64, id: u64| packet(1, time, 11, event(kind, uuid).fixed(47, id));
    let mut packets = Vec::new();
    for n in 0_u64..9000 {
        let time = n.cast_signed() * 10;
        packets.push(flow(time + 5, 3, BEGIN, n));
        packets.push(flow(time, 2, BEGIN, n));
        packets.push(packet(1, time + 2, 11, event(END, 2)));
        packets.push(flow(time + 9, 3, END, n));
    }
    packets.push(packet(1, 0, 60, track(2).text(2, "from")));
    packets.push(packet(1, 0, 60, track(3).text(2, "to")));
    let doc = opened(&packets);
    let found = flows(&doc);
    assert_eq!(found[..2], ["0: from 0 → to 5", "0: to 5 → to 5"]);
    assert_eq!((found.len(), found[17_998].as_str()), (18_000, "8999: from 89990 → to 89995"));
}

#[test]
fn a_trace_without_events_says_what_it_holds() {
    let config = [packet(1, 1, 33, new().int(1, 1)), packet(1, 1, 45, new().int(1, 1))];
    for (packets, said) in [
        (config.to_vec(), "expected events or counters, found trace_config, system_info"),
        (vec![tree()], "expected events or counters, found names of processes, threads and tracks only"),
    ] {
        let (mut doc, is_ready) = open_one("trace.pftrace", file(&packets));
        assert!(!is_ready);
        // The page says this too, and not which formats it is not.
        let (answer, _) = doc.query(&Query::Report);
        let Answer::Report(report) = answer else { panic!("{answer:?}") };
        assert!(report.near.is_empty(), "{:?}", report.near);
        assert!(report.claims.iter().any(|(.., is_chosen)| *is_chosen));
        assert!(report.faults[0].to_string().contains(said), "{:?}", report.faults);
        assert!(
            faults(&doc)[0].starts_with("PFT-EMPTY") && faults(&doc)[0].contains(said),
            "{:?}",
            faults(&doc)
        );
    }
}
