//! Causes that rules name for what a device loses: each is told only where it is the cause.

use super::{Made, assert_near, made, said, steps};
use crate::findings::{found, missing, overview, silent};
use lanescope::analysis::finding::Finding;
use lanescope::base::words::Language;

fn line(finding: &Finding) -> String {
    finding.line.text(Language::En).into_owned()
}

/// Twenty kernels of 3 µs, each launched by a call of 8 µs, 27 µs after the last one has ended; after ten of them the host does
/// something else for so long.
fn launches(between: u32) -> Made {
    (0..20).fold(made(), |made, n| {
        let at = n * 40 + if n < 10 { 0 } else { between };
        made.launched(7, "k", (at + 20, 3), (at + 2, 8))
    })
}

#[test]
fn a_graph_is_advised_only_where_launching_is_what_takes_time() {
    let rule = "device-launched-late";
    let near = launches(0).found(rule);
    assert_near(near.value, 19.0 * 27e3);
    let graph = "20 of 20 kernels are shorter than the median launch call (8.000 µs). Capture the step as a graph, or fuse small kernels.";
    assert_eq!(line(&near), graph);
    // A gap of 390 µs is brief, and so are the others.
    assert_eq!(line(&launches(350).found(rule)), graph);
    // 5,027 of 5,513 µs.
    let far = launches(5_000).found(rule);
    assert_near(far.value, 5_513e3);
    let other = "91.2 % of it lies in 1 gap of more than 400.000 µs, 50 median launch calls. The host does other work between launches: see what it does in this gap.";
    assert_eq!(line(&far), other);
    // Of two of them each is.
    let both = launches(5_000).launched(7, "k", (6_832, 3), (6_814, 8));
    let said = line(&both.found(rule));
    assert!(said.contains(" lies in 2 gaps of more than 400.000 µs each, 50 "), "{said}");
}

const NEXT: &str = "enumerate(DataLoader)#_Iter.__next__";
const INPUT: &str = "device-idle-for-input";

#[test]
fn only_the_thread_that_launches_next_loads_data_in_a_gap() {
    // Another thread loads ahead while the launching one does something else for 4 ms.
    let ahead = |made: Made, at: u32| {
        made.event((1, 2), ("cpu_op", NEXT), (at, 9_900), "").operator("postprocess", (at, 3_900))
    };
    let both = steps(ahead);
    both.nothing(INPUT);
    assert_near(both.found("device-launched-late").value, 4_010e3);
    // Both load: what is told is of the launching one.
    let found = steps(|made, at| ahead(made, at).operator(NEXT, (at, 3_000))).found(INPUT);
    assert_near(found.value, 3e6);
    assert!(line(&found).starts_with("3.000 ms a step go by in 1 call of enumerate"), "{}", line(&found));
    // Nobody knows who launches what comes next.
    let unknown = made().kernel(7, "k", (0, 1_000)).kernel(7, "k", (5_000, 1_000));
    assert_near(unknown.event((1, 2), ("cpu_op", NEXT), (1_000, 4_000), "").found(INPUT).value, 4e6);
}

/// Five steps of 10 ms, in which the device waits 4.1: something goes on before. At 3.4 a thread hands a kernel to another
/// one, which launches it 0.6 ms later.
fn queued(by: u32, before: impl Fn(Made, u32) -> Made) -> Made {
    let arrow = |phase: &str, category: &str, (ts, pid, tid): (u32, u32, u32), id: u32| {
        format!(
            r#"{{"ph":"{phase}","id":{id},"pid":{pid},"tid":{tid},"ts":{ts},"cat":"{category}","name":"{category}","bp":"e"}}"#
        )
    };
    (0..5).fold(made(), |made, n| {
        let at = n * 10_000;
        before(made.step(n, (at, 10_000)), at)
            .event((1, by), ("cpu_op", "aten::mm"), (at + 3_350, 100), "")
            .event((1, 9), ("cpu_op", "dequeue"), (at + 3_950, 100), "")
            .kernel(7, "k", (at + 4_100, 5_900))
            .raw(arrow("s", "queued", (at + 3_400, 1, by), 2 * n))
            .raw(arrow("f", "queued", (at + 4_100, 0, 7), 2 * n))
            .raw(arrow("s", "launched", (at + 4_000, 1, 9), 2 * n + 1))
            .raw(arrow("f", "launched", (at + 4_100, 0, 7), 2 * n + 1))
    })
}

#[test]
fn who_loads_data_and_then_hands_work_to_a_thread_that_launches_it_keeps_the_device_waiting() {
    // For 3 ms the first thread loads data.
    let queued = |by: u32, loads: u32| {
        queued(by, |made, at| made.event((1, 1), ("cpu_op", NEXT), (at + loads, 3_000), ""))
    };
    let found = queued(1, 0).found(INPUT);
    assert_near(found.value, 3e6);
    assert!(line(&found).starts_with("3.000 ms a step go by in 1 call of enumerate"), "{}", line(&found));
    assert_near(queued(1, 0).found("device-launched-late").value, 1e6);
    // It loads ahead while a third one hands the kernel over.
    queued(2, 0).nothing(INPUT);
    // Once the kernel is handed over it waits for no data.
    queued(1, 3_450).nothing(INPUT);
}

#[test]
fn who_waits_for_the_device_and_then_hands_work_over_is_what_the_device_is_idle_for() {
    const SYNC: &str = "device-idle-for-synchronization";
    const LATE: &str = "device-launched-late";
    // The calls of a thread may lie on a track of that name in another group.
    let name = |pid: u32, tid: u32, name: &str| {
        format!(r#"{{"ph":"M","pid":{pid},"tid":{tid},"name":"thread_name","args":{{"name":"{name}"}}}}"#)
    };
    let waits = |by: u32, pid: u32, (from, dur): (u32, u32)| {
        let made = queued(by, |made, at| {
            made.event((pid, 1), ("cuda_runtime", "cudaStreamSynchronize"), (at + from, dur), "")
        });
        let names =
            [(1, 1, "Thread 4711"), (1, 2, "Thread 4712"), (1, 9, "Thread 4719"), (2, 1, "Thread 4711")];
        names.iter().fold(made, |made, (pid, tid, text)| made.raw(name(*pid, *tid, text)))
    };
    for pid in [1, 2] {
        let found = waits(1, pid, (0, 3_000)).found(SYNC);
        assert_near(found.value, 3e6);
        assert!(said(&found).contains("mostly in cudaStreamSynchronize"), "{}", said(&found));
        assert_near(waits(1, pid, (0, 3_000)).found(LATE).value, 1e6);
        // A third one hands the kernel over.
        waits(2, pid, (0, 3_000)).nothing(SYNC);
        assert_near(waits(2, pid, (0, 3_000)).found(LATE).value, 4e6);
        // Once it is handed over, nobody waits for the one that did.
        waits(1, pid, (3_450, 500)).nothing(SYNC);
    }
    // The call returns 0.3 ms into each gap but the first: what comes next was not launched ahead.
    let found = waits(1, 2, (6_000, 4_300)).found(LATE);
    let begin = "4 of 5 gaps begin while the host waits for the device, mostly in cudaStreamSynchronize";
    assert!(line(&found).starts_with(begin), "{}", line(&found));
}

#[test]
fn what_launches_kernels_loads_no_data() {
    let around = |made: Made, at: u32| {
        made.event((1, 1), ("user_annotation", "train_one_batch(dataloader)"), (at, 9_990), "")
    };
    steps(around).missing(INPUT);
    // The loader inside of it does, and may copy: from 3 to 3.5 ms.
    let copies = |made: Made, at: u32| {
        let number = format!(r#""correlation":{}"#, 90_000 + at);
        around(made, at)
            .operator(NEXT, (at, 3_900))
            .event((1, 1), ("cuda_runtime", "cudaMemcpyAsync"), (at + 2_900, 10), &number)
            .event((0, 7), ("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)"), (at + 3_000, 500), &number)
    };
    assert_near(steps(copies).found(INPUT).value, 3e6);
}

#[test]
fn calls_for_memory_that_lie_in_one_step_are_told_with_it() {
    let rule = "device-memory-calls";
    // So many calls of 0.4 ms in each of five steps, while the device is busy.
    let of = |calls: [u32; 5]| {
        (0..5).zip(calls).fold(made(), |made, (n, calls)| {
            let at = n * 10_000;
            let made = made.step(n, (at, 10_000)).launched(7, "k", (at + 10, 9_990), (at + 1, 5));
            (0..calls).fold(made, |made, k| made.call("cudaMalloc", (at + 20 + k * 450, 400)))
        })
    };
    let one = of([0, 0, 20, 0, 0]).found(rule);
    assert_eq!(
        said(&one),
        "In 5 steps the host calls the driver 20 times to allocate or free memory, which takes 1.600 ms per step, most of it in ProfilerStep#2."
    );
    assert_near(one.value, 1_600e3);
    let each = of([4; 5]).found(rule);
    assert_eq!(
        said(&each),
        "In a step the host calls the driver 4 times to allocate or free memory, which takes 1.600 ms."
    );
    // Half is not most.
    assert!(!said(&of([5, 5, 10, 0, 0]).found(rule)).contains("most of it"));
}

/// A device whose own row says its steps: five, every 20 ms, of so many ms, each with ten kernels of 0.6 ms.
fn rows(track: &str, lengths: [u32; 5]) -> String {
    let named = |pid: u32, tid: Option<u32>, name: &str| match tid {
        None => format!(r#"{{"ph":"M","pid":{pid},"name":"process_name","args":{{"name":"{name}"}}}}"#),
        Some(tid) => {
            format!(r#"{{"ph":"M","pid":{pid},"tid":{tid},"name":"thread_name","args":{{"name":"{name}"}}}}"#)
        }
    };
    let mut events = vec![
        named(1, None, "/device:GPU:0"),
        named(1, Some(1), "Stream #20(Compute)"),
        named(1, Some(5), track),
        named(701, None, "/host:CPU"),
        named(701, Some(10), "python"),
    ];
    let mut slice = |(pid, tid): (u32, u32), name: &str, (ts, dur): (u32, u32)| {
        events.push(format!(
            r#"{{"ph":"X","pid":{pid},"tid":{tid},"name":"{name}","ts":{ts},"dur":{dur},"args":{{}}}}"#
        ));
    };
    for (n, length) in (0..5).zip(lengths) {
        let at = n * 20_000;
        slice((1, 5), &n.to_string(), (at, length * 1_000));
        slice((701, 10), "PjitFunction(train_step)", (at, 400));
        for k in 0..10 {
            slice((1, 1), "fusion", (at + k * 900, 600));
        }
    }
    format!(r#"{{"displayTimeUnit":"ns","traceEvents":[{}]}}"#, events.join(",\n"))
}

#[test]
fn a_row_of_a_device_that_says_its_steps_is_taken_for_them() {
    let rule = "device-steps-differ";
    let one = overview("trace.json", rows("Steps", [9, 9, 9, 11, 9]));
    let all = found(&one, rule);
    assert_eq!(said(all[0]), "Step 3 takes 2.000 ms longer than the median step, 100.0 % of it idle time.");
    assert_near(all[0].value, 2e6);
    silent(&overview("trace.json", rows("Steps", [9; 5])), rule);
    missing(&overview("trace.json", rows("XLA Modules", [9; 5])), rule);
}
