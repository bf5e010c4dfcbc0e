//! What the kernel, the system and graphics processors say.

use super::make::{Message, new, packed, packet};
use super::{counters, left_out, opened, slices};

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
        "Kernel events / Thread 9: 50 +0 print",
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
    let expected = [
        "CPU / CPU 3 frequency MHz: 10=1500",
        "CPU / CPU 3 idle state : 11=2 12=NaN",
        "CPU / GPU 0 frequency MHz: 15=600",
    ];
    assert_eq!(counters(&doc), expected);
}

#[test]
fn stages_and_counters_of_graphics_processors_are_shown() {
    let specification = |id: i64, name: &str| new().with(24, new().int(1, id).text(2, name));
    let interned = Message([specification(1, "Compute queue").0, specification(2, "Kernel").0].concat());
    let stage = new().int(2, 40).int(13, 1).int(14, 2).with(6, new().text(1, "grid").text(2, "8x8"));
    let spec = new().int(1, 4).text(2, "Busy").int(7, 37);
    let read = new().int(1, 5).text(2, "Read").int(7, 7).int(8, 22);
    let packets = [
        packet(1, 100, 53, stage).int(13, 1).with(12, interned),
        packet(1, 150, 53, new().int(2, 5).int(13, 1).text(17, "own name").int(11, 1)),
        packet(1, 0, 52, new().with(1, new().with(1, spec).with(1, read))),
        packet(1, 120, 52, new().with(2, new().int(1, 4).double(3, 12.5)).with(2, new().int(1, 5).int(2, 9))),
        new().int(10, 1).with(52, new().with(2, new().int(1, 4).int(2, 1))),
    ];
    let doc = opened(&packets);
    assert_eq!(
        slices(&doc),
        ["GPU 0 / Compute queue: 100 +40 Kernel", "GPU 1 / Compute queue: 150 +5 own name"]
    );
    assert_eq!(counters(&doc), ["GPU 0 / Busy %: 120=12.5", "GPU 0 / Read B/s: 120=9"]);
    assert_eq!(left_out(&doc), ["1 GPU counter values without a time or a value"]);
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
    let shown = ["1 +0 block_rq_issue", "2 +0 block_rq_issue", "3 +0 9999"];
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
