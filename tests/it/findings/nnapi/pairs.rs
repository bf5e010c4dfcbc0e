//! Two models that differ: of the camera, ten executions of `mobilenet`; of an assistant, six of `speech` and one that never
//! ends. Each is told by its own numbers.

use super::super::{assert_tells, planted};
use super::{APP, DRIVER, OTHER, Overview, Rows, Spent, USUAL, run};

/// A network is compiled and executed so often in the measured loop, so long after each other; the whole takes so long.
pub(super) fn measured(
    rows: &mut Rows,
    base: u32,
    (thread, network): (u32, &str),
    (n, whole): (u32, u32),
    gap: u32,
    spent: impl Fn(u32) -> Spent,
) {
    rows.mark(base, thread, &format!("[NN_LA_PO]{network}"));
    rows.scope(base + 100, base + 200, thread, "[NN_LR_PC]ANeuralNetworksCompilation_finish");
    rows.mark(base + 300, thread, "[NN_LA_PBM]benchmark");
    let mut now = base + 1_000;
    for at in 0..n {
        now = rows.execute(now, thread, spent(at)).0 + gap;
    }
    rows.end(base + whole - 100, thread);
    rows.end(base + whole, thread);
}

/// Six executions in a loop, so long after each other, and one that the recording cuts; 10 ms of the thread in all.
fn speech(rows: &mut Rows, gap: u32, spent: impl Fn(u32) -> Spent) {
    let base = 40_000;
    measured(rows, base, (OTHER, "speech"), (6, 10_000), gap, spent);
    rows.mark(base + 11_000, OTHER, "[NN_LR_PE]ANeuralNetworksExecution_compute");
    rows.mark(base + 11_010, OTHER, "[NN_LC_PE]computeOnCpu");
}

fn both(camera: (u32, Spent), assistant: (u32, Spent)) -> Overview {
    let mut rows = Rows::default();
    run(&mut rows, 0, (APP, "mobilenet"), camera.0, |_| camera.1);
    speech(&mut rows, assistant.0, |_| assistant.1);
    rows.overview()
}

#[test]
fn two_models_are_told_by_their_own_numbers() {
    let parts = both((0, Spent { driver: 520, cpu: 400, ..USUAL }), (0, USUAL));
    let calls =
        both((0, Spent { ipc: 300, driver: 660, ..USUAL }), (0, Spent { ipc: 500, driver: 460, ..USUAL }));
    let copies =
        both((0, Spent { io: 200, driver: 730, ..USUAL }), (0, Spent { io: 100, driver: 830, ..USUAL }));
    let gaps = both((500, USUAL), (250, USUAL));
    let mut rows = Rows::default();
    let slow = |n: u32, driver| move |at| if at < n { Spent { driver, ..USUAL } } else { USUAL };
    run(&mut rows, 0, (APP, "mobilenet"), 0, slow(1, 2_920));
    speech(&mut rows, 0, slow(1, 1_920));
    let first = rows.overview();
    // Of two runs of one model the first executions take 3 and 5 ms.
    let mut rows = Rows::default();
    run(&mut rows, 0, (APP, "mobilenet"), 0, slow(1, 2_920));
    run(&mut rows, 30_000, (APP, "mobilenet"), 0, slow(1, 4_920));
    let runs = rows.overview();
    assert_tells(&[
        (
            &parts,
            "nnapi-partitions",
            &[
                "An execution of mobilenet of camera is split into 2.00 parts on average: 1.00 driver calls, 1.00 parts on the CPU.",
            ],
        ),
        (
            &calls,
            "nnapi-ipc",
            &[
                "Inter-process calls take 30.0 % of the time of executions of mobilenet of camera (Benchmark), 300.000 µs each.",
                "Inter-process calls take 50.0 % of the time of executions of speech of voice (Benchmark), 500.000 µs each.",
            ],
        ),
        (
            &copies,
            "nnapi-copies",
            &[
                "Inputs, outputs and results take 20.0 % of the time of executions of mobilenet of camera (Benchmark), 200.000 µs each.",
                "Inputs, outputs and results take 10.0 % of the time of executions of speech of voice (Benchmark), 100.000 µs each.",
            ],
        ),
        (
            &gaps,
            "nnapi-gaps",
            &[
                "Nothing executes between executions of mobilenet of camera for 31.0 % of the time: 4.500 ms in 9 gaps.",
            ],
        ),
        (
            &first,
            "nnapi-first",
            &[
                "The first execution of mobilenet of camera takes 3.00 times the median of 1.000 ms.",
                "The first execution of speech of voice takes 2.00 times the median of 1.000 ms.",
            ],
        ),
        (
            &runs,
            "nnapi-first",
            &[
                "The first executions of 2 runs of mobilenet take 4.00 times the median of 1.000 ms on average.",
            ],
        ),
    ]);
}

/// Executions every 1.5 ms whose driver sleeps for so long of its 920 µs.
fn sleeping(rows: &mut Rows, (base, thread, network): (u32, u32, &str), n: u32, sleep: u32) {
    let switch = |rows: &mut Rows, at: u32, (from, state): (&str, &str), to: &str| {
        let pid = |name: &str| if name == "driver" { DRIVER } else { 0 };
        let row = format!(
            "sched_switch: prev_comm={from} prev_pid={} prev_prio=120 prev_state={state} ==> next_comm={to} next_pid={} next_prio=120",
            pid(from),
            pid(to)
        );
        rows.0.push((at, DRIVER, row));
    };
    rows.mark(base, thread, &format!("[NN_LA_PO]{network}"));
    for at in 1..=n {
        let (_, begin) = rows.execute(base + at * 1_500, thread, USUAL);
        switch(rows, begin - 5, ("swapper", "R"), "driver");
        switch(rows, begin + 100, ("driver", "S"), "swapper");
        rows.0.push((
            begin + 100 + sleep,
            thread,
            format!("sched_waking: comm=driver pid={DRIVER} prio=120 target_cpu=000"),
        ));
        switch(rows, begin + 100 + sleep, ("swapper", "R"), "driver");
        switch(rows, begin + 930, ("driver", "S"), "swapper");
    }
    rows.end(base + 20_000, thread);
}

/// Scheduling ends before the second run: its driver did not sleep all the time, nobody says what it did.
#[test]
fn executions_without_scheduling_are_in_no_wait() {
    let mut rows = Rows::default();
    sleeping(&mut rows, (0, APP, "mobilenet"), 4, 460);
    rows.mark(30_000, APP, "[NN_LA_PO]mobilenet");
    for at in 1..=4 {
        rows.execute(30_000 + at * 1_500, APP, USUAL);
    }
    rows.end(50_000, APP);
    let of = rows.overview();
    let waits = planted(&of, "nnapi-driver-waits", 0.5);
    let sentence = waits.sentence.to_string();
    assert!(sentence.contains("4 executions of mobilenet"), "{sentence}");
}

#[test]
fn waits_and_compilations_of_two_models_are_told_apart() {
    let mut rows = Rows::default();
    sleeping(&mut rows, (0, APP, "mobilenet"), 8, 460);
    sleeping(&mut rows, (30_000, OTHER, "speech"), 4, 230);
    let waits = rows.overview();
    // Compilations of 300 µs behind five of ten, of 600 µs behind two of six executions.
    let mut rows = Rows::default();
    for (base, thread, network, n, long, compiled) in
        [(0, APP, "mobilenet", 10, 300, 5), (30_000, OTHER, "speech", 6, 600, 2)]
    {
        rows.mark(base, thread, &format!("[NN_LA_PO]{network}"));
        rows.scope(base + 100, base + 200, thread, "[NN_LR_PC]ANeuralNetworksCompilation_finish");
        for at in 1..=n {
            rows.execute(base + at * 1_800, thread, USUAL);
            if at <= compiled {
                let from = base + at * 1_800 + 1_100;
                rows.scope(from, from + long, thread, "[NN_LR_PC]ANeuralNetworksCompilation_finish");
            }
        }
        rows.end(base + 20_000, thread);
    }
    let compiled = rows.overview();
    assert_tells(&[
        (
            &waits,
            "nnapi-driver-waits",
            &[
                "No thread of the driver runs for 50.0 % of the time of its 8 executions of mobilenet of camera.",
                "No thread of the driver runs for 25.0 % of the time of its 4 executions of speech of voice.",
            ],
        ),
        (
            &compiled,
            "nnapi-compiling",
            &[
                "Compilation takes 1.500 ms between executions of mobilenet of camera: 5 compilations.",
                "Compilation takes 1.200 ms between executions of speech of voice: 2 compilations.",
            ],
        ),
    ]);
}
