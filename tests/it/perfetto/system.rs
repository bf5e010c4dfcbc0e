//! What the kernel, the system and graphics processors say.

use super::make::{Message, new, packed, packet};
use super::{counters, left_out, opened, slices};
use crate::support::front_door::unfinished;
use lanescope::model::id::SliceId;

/// An event of the kernel: time, thread, what happened.
pub(super) fn kernel(time: i64, tid: i64, kind: u64, body: Message) -> Message {
    new().int(1, time).int(2, tid).with(kind, body)
}

/// The events of a processor.
pub(super) fn bundle(cpu: i64, events: Vec<Message>) -> Message {
    let bundle = events.into_iter().fold(new().int(1, cpu), |bundle, event| bundle.with(2, event));
    new().int(10, 1).with(1, bundle)
}

fn switch(time: i64, next: i64, name: &str) -> Message {
    kernel(time, 1, 4, new().text(5, name).int(6, next))
}

fn print(time: i64, tid: i64, text: &str) -> Message {
    kernel(time, tid, 3, new().text(2, &format!("{text}\n")))
}

/// Names of a process and its two threads.
pub(super) fn tree() -> Message {
    let process = new().int(1, 5).int(2, 1).text(3, "com.example").text(3, "-x");
    let thread = |tid: i64, name: &str| new().int(1, tid).text(2, name).int(3, 5);
    packet(1, 0, 2, new().with(1, process).with(2, thread(5, "main")).with(2, thread(7, "worker")))
}

#[test]
fn processors_run_threads_also_in_columns() {
    let compact = new()
        .packed(1, &[100, 20, 30])
        .packed(3, &[7, 0, 8])
        .text(5, "worker")
        .text(5, "swapper")
        .packed(6, &[0, 1, 0]);
    let packets = [
        bundle(0, vec![switch(10, 7, "worker"), switch(40, 0, "swapper/0"), switch(60, 8, "")]),
        new().int(10, 1).with(1, new().int(1, 1).with(4, compact)),
        bundle(0, vec![kernel(70, 8, 236, new().int(1, 8).text(2, "old").text(3, "named later"))]),
        bundle(0, vec![kernel(200, 1, 20, new().text(1, "x").int(2, 9)), switch(210, 0, "swapper/0")]),
    ];
    let doc = opened(&packets);
    let expected = [
        "CPU / CPU 0: 10 +30 worker",
        "CPU / CPU 0: 60 +150 worker",
        "CPU / CPU 1: 100 +20 worker",
        "CPU / CPU 1: 150 +60 worker",
    ];
    // The columns name thread 8 as well, before its new name.
    let found = slices(&doc);
    assert_eq!(found[0], expected[0]);
    assert_eq!(found[2..4], expected[2..]);
    assert_eq!(found[1], "CPU / CPU 0: 60 +150 named later");
}

#[test]
fn marks_of_programs_stand_under_their_processes_main_thread_first() {
    let packets = [
        bundle(0, vec![print(10, 7, "B|5|work"), print(30, 7, "E|5"), print(12, 7, "C|5|load|3")]),
        bundle(1, vec![print(11, 5, "B|5|main work"), print(20, 5, "E|5"), print(21, 5, "I|5|now")]),
        bundle(1, vec![print(13, 5, "S|5|async|1"), print(33, 7, "F|5|async|1"), print(40, 9, "B|9|open")]),
        bundle(2, vec![print(50, 9, "no mark"), switch(60, 7, "worker")]),
        tree(),
    ];
    let doc = opened(&packets);
    let expected = [
        "CPU / CPU 2: 60 +0 worker",
        "Kernel events / Thread 9: 50 print",
        "com.example / async: 13 +20 async",
        "com.example / main: 11 +9 main work",
        "com.example / main: 21 now",
        "com.example / worker: 10 +20 work",
        "com.example / worker (state): 60 +0 Running CPU 2",
        "Process 9 / Thread 9: 40 +20 open",
    ];
    assert_eq!(slices(&doc), expected);
    assert_eq!(counters(&doc), ["com.example / load : 12=3"]);
}

#[test]
fn frequencies_states_and_interrupts_stand_beside_the_processors() {
    let packets = [
        bundle(0, vec![kernel(10, 0, 11, new().int(1, 1_500_000).int(2, 3))]),
        bundle(
            0,
            vec![
                kernel(11, 0, 13, new().int(1, 2).int(2, 3)),
                kernel(15, 0, 332, new().int(1, 0).int(2, 600_000)),
            ],
        ),
        bundle(0, vec![kernel(12, 0, 13, new().int(1, 0xffff_ffff).int(2, 3))]),
        bundle(
            0,
            vec![kernel(20, 0, 36, new().int(1, 9).text(2, "eth0")), kernel(25, 0, 37, new().int(1, 9))],
        ),
        bundle(1, vec![kernel(30, 0, 24, new().int(1, 7)), kernel(35, 0, 25, new().int(1, 7))]),
    ];
    let doc = opened(&packets);
    assert_eq!(slices(&doc), ["CPU / IRQ CPU 0: 20 +5 IRQ (eth0)", "CPU / Soft IRQ CPU 1: 30 +5 SCHED"]);
    assert_eq!(unfinished(&doc), [""; 0]);
    let open = [bundle(
        0,
        vec![
            kernel(20, 0, 36, new().int(1, 9).text(2, "eth0")),
            kernel(30, 0, 24, new().int(1, 7)),
            kernel(35, 0, 25, new().int(1, 7)),
        ],
    )];
    assert_eq!(unfinished(&opened(&open)), ["CPU / IRQ CPU 0: IRQ (eth0)"]);
    let expected = [
        "CPU / CPU 3 frequency MHz: 10=1500",
        "CPU / CPU 3 idle state : 11=2 12=NaN",
        "GPU / GPU 0 frequency MHz: 15=600",
    ];
    assert_eq!(counters(&doc), expected);
}

#[test]
fn stages_and_counters_of_graphics_processors_are_shown() {
    let specification = |id: i64, name: &str| new().with(24, new().int(1, id).text(2, name));
    let interned = Message([specification(1, "Compute queue").0, specification(2, "Kernel").0].concat());
    let stage = new().int(2, 40).int(13, 1).int(14, 2).with(6, new().text(1, "grid").text(2, "8x8"));
    let packets = [
        packet(1, 100, 53, stage).int(13, 1).with(12, interned),
        packet(1, 150, 53, new().int(2, 5).int(13, 1).text(17, "own name").int(11, 1)),
    ];
    let doc = opened(&packets);
    assert_eq!(
        slices(&doc),
        ["GPU 0 / Compute queue: 100 +40 Kernel", "GPU 1 / Compute queue: 150 +5 own name"]
    );
}

/// Descriptions and values of counters of a graphics processor.
fn gpu_counters(gpu: i64, specs: &[(i64, &str, i64)], values: &[(i64, f64)]) -> Message {
    let spec = |(id, name, unit): &(i64, &str, i64)| new().int(1, *id).text(2, name).int(7, *unit);
    let said = specs.iter().fold(new(), |said, of| said.with(1, spec(of)));
    let said = if specs.is_empty() { new() } else { new().with(1, said) };
    let value = |(id, value): &(i64, f64)| new().int(1, *id).double(3, *value);
    values.iter().fold(said, |said, of| said.with(2, value(of))).int(3, gpu)
}

#[test]
fn counters_of_graphics_processors_belong_to_the_time_before_their_stamp() {
    let values = [(30, 5.0), (10, 3.0), (20, 7.0)];
    let mut packets = vec![packet(1, 0, 52, gpu_counters(0, &[(4, "Busy", 37)], &[]))];
    packets.extend(values.map(|(time, value)| packet(1, time, 52, gpu_counters(0, &[], &[(4, value)]))));
    packets.push(new().int(10, 1).with(52, new().with(2, new().int(1, 4).int(2, 1))));
    // This one says that its values are of the time behind their stamps.
    let ahead = new().int(1, 9).text(2, "Clock").int(7, 15).int(11, 2);
    packets.push(packet(1, 0, 52, new().with(1, new().with(1, ahead))));
    packets.push(packet(1, 15, 52, gpu_counters(0, &[], &[(9, 800.0)])));
    let doc = opened(&packets);
    assert_eq!(counters(&doc), ["GPU 0 / Busy %: 10=7 20=5 30=NaN", "GPU 0 / Clock MHz: 15=800"]);
    let left = [
        "1 GPU counter values without a time or a value",
        "1 first GPU counter values, whose time has no begin",
    ];
    assert_eq!(left_out(&doc), left);
}

#[test]
fn counters_of_two_graphics_processors_stay_apart_though_their_numbers_are_equal() {
    let listed = |id: i64, gpu: i64, name: &str| {
        let spec = new().with(1, new().int(1, 4).text(2, name));
        new().with(47, new().int(1, id).with(2, spec).int(3, gpu))
    };
    let value = |time: i64, id: i64, value: f64| {
        packet(2, time, 52, new().with(2, new().int(1, 4).double(3, value)).int(4, id))
    };
    let packets = [
        packet(1, 0, 52, gpu_counters(0, &[(4, "Busy", 37)], &[])),
        packet(1, 0, 52, gpu_counters(1, &[(4, "Clock", 15)], &[])),
        packet(1, 10, 52, gpu_counters(0, &[], &[(4, 1.0)])),
        packet(1, 12, 52, gpu_counters(1, &[], &[(4, 2.0)])),
        packet(1, 20, 52, gpu_counters(0, &[], &[(4, 3.0)])),
        packet(1, 22, 52, gpu_counters(1, &[], &[(4, 4.0)])),
        packet(2, 0, 52, new()).with(12, listed(1, 2, "Left")).int(13, 1),
        packet(2, 0, 52, new()).with(12, listed(2, 3, "Right")),
        value(10, 1, 5.0),
        value(11, 2, 6.0),
        value(20, 1, 7.0),
        value(21, 2, 8.0),
    ];
    let expected = [
        "GPU 0 / Busy %: 10=3 20=NaN",
        "GPU 1 / Clock MHz: 12=4 22=NaN",
        "GPU 2 / Left : 10=7 20=NaN",
        "GPU 3 / Right : 11=8 21=NaN",
    ];
    assert_eq!(counters(&opened(&packets)), expected);
}

#[test]
fn marks_of_drivers_are_begins_and_ends_whatever_fields_say_it() {
    type Make = fn(Message, i64, &str) -> Message;
    let letter = |of: char| i64::from(of as u32);
    // Each begins, counts and ends, as its driver numbers the fields.
    let by_letter: [(u64, Make); 6] = [
        (331, |m, phase, name| m.int(1, phase).text(2, name).int(3, 5).int(4, 9)),
        (333, |m, phase, name| m.int(1, 5).text(2, name).int(3, phase).int(4, 9)),
        (348, |m, phase, name| m.int(1, 5).text(4, name).int(5, phase).int(6, 9)),
        (349, |m, phase, name| m.int(1, 5).text(4, name).int(5, phase).int(6, 9)),
        (350, |m, phase, name| m.text(1, name).int(2, 5).int(3, phase).int(4, 9)),
        (467, |m, phase, name| m.text(1, "lwis").int(2, phase).int(3, 5).text(4, name).int(5, 9)),
    ];
    for (kind, make) in by_letter {
        let row =
            |time: i64, phase: char, name: &str| kernel(time, 7, kind, make(new(), letter(phase), name));
        let packets =
            [tree(), bundle(0, vec![row(10, 'B', "work"), row(15, 'C', "load"), row(30, 'E', "work")])];
        let doc = opened(&packets);
        assert_eq!(slices(&doc), ["com.example / worker: 10 +20 work"], "{kind}");
        assert_eq!(counters(&doc), ["com.example / load : 15=9"], "{kind}");
    }
    for kind in [80, 333, 348, 484] {
        let flag = if kind == 333 { 5 } else { 3 };
        let row =
            |time: i64, begins: i64| kernel(time, 7, kind, new().int(1, 5).text(2, "work").int(flag, begins));
        let doc = opened(&[tree(), bundle(0, vec![row(10, 1), row(12, 1), row(20, 0), row(30, 0)])]);
        let expected = ["com.example / worker: 10 +20 work", "com.example / worker: 12 +8 work"];
        assert_eq!(slices(&doc), expected, "{kind}");
    }
    let count = kernel(10, 7, 88, new().int(1, 5).text(2, "load").int(3, -4));
    let probe = |time: i64, phase: i64| kernel(time, 7, 542, new().text(1, "probed").int(2, phase));
    let doc = opened(&[tree(), bundle(0, vec![count, probe(20, 1), probe(25, 3), probe(30, 2)])]);
    assert_eq!(counters(&doc), ["com.example / load : 10=-4"]);
    assert_eq!(slices(&doc), ["com.example / worker: 20 +10 probed", "com.example / worker: 25 probed"]);
}

#[test]
fn a_level_of_a_battery_is_the_float_that_it_is() {
    let doc = opened(&[packet(1, 30, 38, new().int(1, -7).float(2, 99.5).int(3, -5).int(7, 4_100_000))]);
    let expected = [
        "Battery / capacity %: 30=99.5",
        "Battery / charge µAh: 30=-7",
        "Battery / current µA: 30=-5",
        "Battery / voltage µV: 30=4100000",
    ];
    assert_eq!(counters(&doc), expected);
}

#[test]
fn kernel_events_are_called_as_the_file_or_the_schema_calls_them() {
    let field = |name: &str, number: i64, kind: i64| new().text(1, name).int(3, number).int(5, kind);
    let message = new().text(1, "vendor_event").with(2, field("level", 1, 5)).with(2, field("mask", 3, 4));
    let described = new().int(1, 70_000).with(2, message).text(3, "vendor");
    let generic = new()
        .text(1, "old_event")
        .with(2, new().text(1, "who").text(3, "me"))
        .with(2, new().text(1, "left").int(4, -3))
        .with(2, new().text(1, "all").int(5, -1));
    let events = vec![
        kernel(10, 7, 45, new().int(1, 9).int(2, -1).int(3, 8).text(5, "RW").int(9, 1)),
        kernel(20, 7, 70_000, new().int(1, -4).int(3, -1)),
        kernel(30, 7, 327, generic),
        kernel(40, 7, 617, new()),
        kernel(50, 7, 9_999, new().int(2, 6)),
    ];
    let inner = events.into_iter().fold(new().int(1, 0), |bundle, event| bundle.with(2, event));
    let mut doc = opened(&[new().int(10, 1).with(1, inner.with(11, described))]);
    let names = ["10 block_rq_issue", "20 vendor_event", "30 old_event", "40 long_softirq", "50 9999"];
    assert_eq!(slices(&doc), names.map(|row| format!("Kernel events / Thread 7: {row}")));
    let (track, _) = doc.trace().tracks.iter().find(|(_, of)| of.instants.len() == 5).unwrap();
    let arguments = [0, 1, 2, 4].map(|row| {
        let args = super::arguments_of(&mut doc, SliceId::of_instant(track, row));
        args.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    });
    let expected = [
        "dev=9 sector=18446744073709551615 nr_sector=8 rwbs=RW field 9=1",
        "level=-4 mask=18446744073709551615",
        "who=me left=-3 all=18446744073709551615",
        "field 2=6",
    ];
    assert_eq!(arguments, expected);
}

#[test]
fn counters_of_the_system_have_names_and_units() {
    let memory = new().with(1, new().int(1, 2).int(2, 4));
    let packets = [
        packet(1, 10, 7, memory.with(3, new().int(1, 0).int(2, 9)).packed(11, &[1_000_000, 2_000_000])),
        packet(1, 20, 9, new().with(1, new().int(1, 5).int(3, 2).int(10, -900))),
        packet(1, 30, 38, new().int(2, 80).int(3, -5)),
        packet(1, 40, 40, new().with(1, new().int(1, 1).text(2, "big")).with(2, new().int(1, 1).int(3, 7))),
        tree(),
    ];
    let doc = opened(&packets);
    let found = counters(&doc);
    for expected in [
        "Memory / MemFree B: 10=4096",
        "CPU / CPU 0 time (user) ns: 10=9",
        "CPU / CPU 1 frequency MHz: 10=2000",
        "com.example / RSS B: 20=2048",
        "com.example / OOM score : 20=-900",
        "Battery / capacity %: 30=80",
        "Battery / current µA: 30=-5",
        "Power / big µWs: 40=7",
    ] {
        assert!(found.iter().any(|line| line == expected), "{expected}: {found:#?}");
    }
}

#[test]
fn what_is_not_shown_is_counted_by_its_name() {
    let packets = [
        bundle(0, vec![kernel(1, 1, 45, new()), kernel(2, 1, 45, new()), kernel(3, 1, 9_999, new())]),
        packet(1, 1, 91, new().int(1, 1)),
        packet(1, 2, 777, new().int(1, 1)),
        packet(1, 3, 91, new().int(1, 1)),
    ];
    let doc = opened(&packets);
    assert_eq!(left_out(&doc), ["2 packets of entity_state_residency", "1 packets of 777"]);
    let shown = ["1 block_rq_issue", "2 block_rq_issue", "3 9999"];
    assert_eq!(slices(&doc), shown.map(|row| format!("Kernel events / Thread 1: {row}")));
}

#[test]
fn states_of_threads_of_other_kernels_run_on_processors() {
    let state = |time: i64, cpu: i64, tid: i64, state: i64| {
        packet(1, time, 117, new().int(1, cpu).text(2, &format!("task{tid}")).int(3, tid).int(4, state))
    };
    let packets =
        [state(10, 0, 1, 3), state(30, 0, 2, 3), state(50, 0, 2, 4), state(60, 1, 1, 3), state(90, 1, 1, 8)];
    let expected = ["CPU / CPU 0: 10 +20 task1", "CPU / CPU 0: 30 +20 task2", "CPU / CPU 1: 60 +30 task1"];
    let states = [
        "task1 (state): 10 +20 Running CPU 0",
        "task1 (state): 30 +30 Unknown",
        "task1 (state): 60 +30 Running CPU 1",
        "task1 (state): 90 +0 Dead",
        "task2 (state): 30 +20 Running CPU 0",
        "task2 (state): 50 +40 Sleeping",
    ];
    let states = states.map(|row| format!("No process / {row}"));
    let expected: Vec<_> = expected.map(str::to_owned).into_iter().chain(states).collect();
    assert_eq!(slices(&opened(&packets)), expected);
    assert_eq!(slices(&opened(&[packed(&packets)])), expected);
}
