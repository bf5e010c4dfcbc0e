//! Rules about executions of NNAPI: systraces made row by row.

mod pairs;
mod threads;
mod unseen;

use super::{check, found, missing, not_here, outcome, overview, planted, silent};
use lanescope::analysis::finding::{Color, Outcome, Overview, SavingKind, Severity, Tile};
use lanescope::base::unit::Unit;
use lanescope::base::words::Language;
use lanescope::model::figure::{BarRole, Body};
use lanescope::systems::android::nnapi::mark::Layer;

/// Threads: of the application, of another application, of the driver.
const APP: u32 = 5;
const OTHER: u32 = 6;
const DRIVER: u32 = 7;

/// Rows as they are added, in microseconds; written in the order of time.
#[derive(Default)]
struct Rows(Vec<(u32, u32, String)>);

/// What an execution spends its time with, in microseconds.
#[derive(Clone, Copy, Default)]
struct Spent {
    runtime: u32,
    io: u32,
    ipc: u32,
    driver: u32,
    cpu: u32,
}

const USUAL: Spent = Spent { runtime: 30, io: 10, ipc: 40, driver: 920, cpu: 0 };

impl Rows {
    fn mark(&mut self, at: u32, thread: u32, mark: &str) {
        self.0.push((at, thread, format!("tracing_mark_write: B|{thread}|{mark}")));
    }

    fn end(&mut self, at: u32, thread: u32) {
        self.0.push((at, thread, format!("tracing_mark_write: E|{thread}")));
    }

    fn scope(&mut self, from: u32, to: u32, thread: u32, mark: &str) {
        self.mark(from, thread, mark);
        self.end(to, thread);
    }

    /// An execution from here on; where it ends, and where the driver begins.
    fn execute(&mut self, at: u32, thread: u32, spent: Spent) -> (u32, u32) {
        let Spent { runtime, io, ipc, driver, cpu } = spent;
        self.mark(at, thread, "[NN_LR_PE]ANeuralNetworksExecution_compute");
        let mut now = at + runtime;
        if 0 < io {
            self.scope(now, now + io, thread, "[NN_LR_PIO]allocatePointerArguments");
            now += io;
        }
        let begin = now + ipc / 2;
        if 0 < driver {
            self.mark(now, thread, "HIDL::IPreparedModel::executeSynchronously::client");
            self.scope(begin, begin + driver, DRIVER, "HIDL::IPreparedModel::executeSynchronously::server");
            now += ipc + driver;
            self.end(now, thread);
        }
        if 0 < cpu {
            self.mark(now, thread, "[NN_LC_PE]computeOnCpu");
            self.scope(now, now + cpu, thread, "[NN_LC_PCO]optimized_ops::Softmax");
            now += cpu;
            self.end(now, thread);
        }
        self.end(now, thread);
        (now, begin)
    }

    fn text(mut self) -> String {
        self.0.sort_by_key(|row| row.0);
        let mut text =
            "# tracer: nop\n#\n#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n".to_owned();
        for (at, thread, row) in self.0 {
            let name = match thread {
                APP => "camera",
                OTHER => "voice",
                _ => "driver",
            };
            text += &format!(
                "{name:>16}-{thread:<5} ({thread:>5}) [000] ...1 {:>12}: {row}\n",
                format!("100.{at:06}")
            );
        }
        text
    }

    fn overview(self) -> Overview {
        let overview = overview("trace.txt", self.text());
        check(&overview);
        overview
    }
}

/// One run of a network with ten executions of a millisecond in the measured loop, so long after each other.
fn executed(gap: u32, spent: impl Fn(u32) -> Spent) -> Overview {
    let mut rows = Rows::default();
    run(&mut rows, 0, (APP, "mobilenet"), gap, spent);
    let overview = rows.overview();
    assert_eq!(overview.tiles.len(), 5);
    assert_eq!(overview.parts.len(), 4);
    overview
}

/// Ten executions in 20 milliseconds.
fn run(rows: &mut Rows, base: u32, of: (u32, &str), gap: u32, spent: impl Fn(u32) -> Spent) {
    pairs::measured(rows, base, of, (10, 20_000), gap, spent);
}

/// Only the application wrote marks.
fn of_application() -> Overview {
    let mut rows = Rows::default();
    rows.mark(0, APP, "[NN_LA_PO]mobilenet");
    for at in 1..9 {
        rows.scope(at * 1_000, at * 1_000 + 990, APP, "[NN_LA_PE]execute");
    }
    rows.end(10_000, APP);
    rows.overview()
}

/// A trace without marks of NNAPI.
fn plain() -> Overview {
    let mut rows = Rows::default();
    rows.scope(0, 10, APP, "doFrame");
    rows.scope(20, 30, APP, "doFrame");
    rows.overview()
}

#[test]
fn operations_on_the_cpu_are_found() {
    let with = executed(0, |_| Spent { driver: 520, cpu: 400, ..USUAL });
    let cpu = planted(&with, "nnapi-on-cpu", 0.4);
    assert_eq!((cpu.saving.kind, cpu.saving.value), (SavingKind::Bound, 4e6));
    assert!((cpu.saving.share - 0.2).abs() < 1e-9);
    assert_eq!(
        cpu.sentence.to_string(),
        "The CPU computes for ⟦40.0 % of the time⟧ of executions of mobilenet (Benchmark), in 10 of 10."
    );
    assert!(cpu.line.to_string().contains("optimized_ops::Softmax, 4.000 ms"), "{}", cpu.line);
    silent(&executed(0, |_| USUAL), "nnapi-on-cpu");
    missing(&of_application(), "nnapi-on-cpu");
    not_here(&plain(), "nnapi-on-cpu");
}

#[test]
fn the_layer_that_takes_most_time_is_named() {
    // Of each millisecond the driver has 920 µs.
    let with = executed(0, |_| USUAL);
    let layer = planted(&with, "nnapi-layer", 0.92);
    assert_eq!((layer.saving.kind, layer.severity), (SavingKind::None, Severity::Note));
    assert_eq!(
        layer.sentence.to_string(),
        "The driver takes ⟦92.0 % of the time⟧ of 10 executions of mobilenet (Benchmark)."
    );
    let line = layer.line.to_string();
    assert!(line.starts_with("The longest execution takes 1.00 times the median."), "{line}");
    assert!(line.contains("The driver decides: look at its waits and partitions"), "{line}");
    let driver = &layer.evidence.numbers[0];
    assert_eq!((driver.name.to_string().as_str(), driver.value), ("Driver", 9.2e6));
    let runtime = executed(0, |_| Spent { runtime: 590, driver: 360, ..USUAL });
    let layer = planted(&runtime, "nnapi-layer", 0.6);
    assert!(layer.sentence.to_string().starts_with("The runtime takes ⟦60.0 %"), "{}", layer.sentence);
    // Neither has half of it; what the CPU and calls have is told by rules of their own.
    silent(&executed(0, |_| Spent { driver: 420, cpu: 500, ..USUAL }), "nnapi-layer");
    missing(&of_application(), "nnapi-layer");
    not_here(&plain(), "nnapi-layer");
    // A driver that wrote no marks: its time counts as calls.
    let mut rows = Rows::default();
    rows.mark(0, APP, "[NN_LA_PO]mobilenet");
    for at in 1..9 {
        rows.mark(at * 1_000, APP, "[NN_LR_PE]ANeuralNetworksExecution_compute");
        rows.scope(
            at * 1_000 + 10,
            at * 1_000 + 900,
            APP,
            "HIDL::IPreparedModel::executeSynchronously::client",
        );
        rows.end(at * 1_000 + 950, APP);
    }
    rows.end(10_000, APP);
    missing(&rows.overview(), "nnapi-layer");
}

/// The warm-up computes on the CPU, the measured loop on the driver: shares are of the loop that counts.
#[test]
fn warming_up_is_in_no_share() {
    let mut rows = Rows::default();
    rows.mark(0, APP, "[NN_LA_PO]mobilenet");
    rows.mark(100, APP, "[NN_LA_PWU]warmup");
    for at in 1..4 {
        rows.execute(at * 1_000, APP, Spent { driver: 20, cpu: 900, ..USUAL });
    }
    rows.end(4_500, APP);
    rows.mark(5_000, APP, "[NN_LA_PBM]benchmark");
    for at in 6..11 {
        rows.execute(at * 1_000, APP, USUAL);
    }
    rows.end(12_000, APP);
    rows.end(20_000, APP);
    let of = rows.overview();
    let tile = |label: &str| {
        let tile = of.tiles.iter().find(|tile| tile.label == label).unwrap();
        (tile.value.to_string(), tile.comparison.to_string())
    };
    let base = "of the time of 5 executions, Benchmark";
    assert_eq!(tile("Driver"), ("92.0 %".to_owned(), base.to_owned()));
    assert_eq!(tile("CPU fallback"), ("0.0 %".to_owned(), format!("{base}; in 0 of them")));
    silent(&of, "nnapi-on-cpu");
    planted(&of, "nnapi-layer", 0.92);
}

#[test]
fn executions_in_several_parts_are_found() {
    let with = executed(0, |_| Spent { driver: 520, cpu: 400, ..USUAL });
    let parts = planted(&with, "nnapi-partitions", 2.0);
    assert_eq!(parts.saving.kind, SavingKind::None, "the driver is called once");
    assert!(parts.line.to_string().starts_with("Operations the driver does not support"), "{}", parts.line);
    silent(&executed(0, |_| USUAL), "nnapi-partitions");
    missing(&executed(0, |_| Spent { runtime: 1_000, ..Spent::default() }), "nnapi-partitions");
    missing(&of_application(), "nnapi-partitions");
}

#[test]
fn calls_between_processes_are_found() {
    let with = executed(0, |_| Spent { ipc: 300, driver: 660, ..USUAL });
    let calls = planted(&with, "nnapi-ipc", 0.3);
    assert_eq!((calls.saving.kind, calls.saving.value), (SavingKind::Bound, 3e6));
    assert!(calls.line.to_string().starts_with("Bursts: 0 of 10 executions. A burst"), "{}", calls.line);
    silent(&executed(0, |_| USUAL), "nnapi-ipc");
    missing(&executed(0, |_| Spent { runtime: 1_000, ..Spent::default() }), "nnapi-ipc");
}

#[test]
fn copies_of_inputs_are_found() {
    let with = executed(0, |_| Spent { io: 200, driver: 730, ..USUAL });
    let copies = planted(&with, "nnapi-copies", 0.2);
    assert_eq!(copies.saving.value, 2e6);
    silent(&executed(0, |_| USUAL), "nnapi-copies");
    missing(&of_application(), "nnapi-copies");
    let line = copies.line.text(Language::En);
    assert!(line.starts_with("The runtime copies values"), "{line}");
}

#[test]
fn waiting_in_the_driver_is_found() {
    // The driver's thread sleeps for so long in each execution, and then waits for a processor.
    let scheduled = |sleep: u32, ready: u32| {
        let mut rows = Rows::default();
        let switch = |rows: &mut Rows, at: u32, (from, state): (&str, &str), to: &str| {
            let row = format!(
                "sched_switch: prev_comm={from} prev_pid={} prev_prio=120 prev_state={state} ==> next_comm={to} next_pid={} next_prio=120",
                if from == "driver" { DRIVER } else { 0 },
                if to == "driver" { DRIVER } else { 0 },
            );
            rows.0.push((at, DRIVER, row));
        };
        rows.mark(0, APP, "[NN_LA_PO]mobilenet");
        for at in 1..9 {
            let (_, begin) = rows.execute(at * 1_500, APP, USUAL);
            switch(&mut rows, begin - 5, ("swapper", "R"), "driver");
            if 0 < sleep + ready {
                switch(&mut rows, begin + 100, ("driver", "S"), "swapper");
                let wakes = format!("sched_waking: comm=driver pid={DRIVER} prio=120 target_cpu=000");
                rows.0.push((begin + 100 + sleep, APP, wakes));
                switch(&mut rows, begin + 100 + sleep + ready, ("swapper", "R"), "driver");
            }
            switch(&mut rows, begin + 930, ("driver", "S"), "swapper");
        }
        rows.end(20_000, APP);
        rows.overview()
    };
    let with = scheduled(460, 0);
    let waits = planted(&with, "nnapi-driver-waits", 0.5);
    assert_eq!(waits.saving.kind, SavingKind::None);
    let with = scheduled(92, 368);
    let waits = planted(&with, "nnapi-driver-waits", 0.5);
    assert_eq!((waits.saving.kind, waits.saving.value), (SavingKind::Bound, 8.0 * 368e3));
    silent(&scheduled(0, 0), "nnapi-driver-waits");
    missing(&executed(0, |_| USUAL), "nnapi-driver-waits");
}

#[test]
fn long_compiling_is_found() {
    let compiled = |long: u32| {
        let mut rows = Rows::default();
        rows.mark(0, APP, "[NN_LA_PO]mobilenet");
        rows.scope(100, 100 + long, APP, "[NN_LR_PC]ANeuralNetworksCompilation_finish");
        for at in 10..16 {
            rows.execute(at * 1_000, APP, USUAL);
        }
        rows.end(20_000, APP);
        rows.overview()
    };
    let with = compiled(8_000);
    let long = planted(&with, "nnapi-compilation", 8e6);
    assert_eq!((long.saving.kind, long.saving.value), (SavingKind::Bound, 8e6));
    assert!((long.saving.share - 0.4).abs() < 1e-9);
    assert!(
        long.sentence.to_string().ends_with("as long as 8.0 executions of mobilenet."),
        "{}",
        long.sentence
    );
    silent(&compiled(1_000), "nnapi-compilation");
    missing(&of_application(), "nnapi-compilation");
}

#[test]
fn several_compilations_are_counted_and_each_is_held_against_an_execution() {
    let compiled = |rows: &mut Rows, base: u32, (thread, network): (u32, &str), n: u32| {
        rows.mark(base, thread, &format!("[NN_LA_PO]{network}"));
        for at in 0..n {
            let from = base + 100 + at * 2_500;
            rows.scope(from, from + 2_000, thread, "[NN_LR_PC]ANeuralNetworksCompilation_finish");
        }
        for at in 13..19 {
            rows.execute(base + at * 1_000, thread, USUAL);
        }
        rows.end(base + 20_000, thread);
    };
    let mut rows = Rows::default();
    compiled(&mut rows, 0, (APP, "mobilenet"), 4);
    let overview = rows.overview();
    let one = planted(&overview, "nnapi-compilation", 8e6);
    assert_eq!(
        one.sentence.to_string(),
        "4 compilations take ⟦8.000 ms⟧, each on average as long as 2.0 executions of mobilenet."
    );
    // Those of other models are not held against executions of one of them.
    let mut rows = Rows::default();
    compiled(&mut rows, 0, (APP, "mobilenet"), 4);
    compiled(&mut rows, 30_000, (OTHER, "speech"), 2);
    let overview = rows.overview();
    let both = planted(&overview, "nnapi-compilation", 12e6);
    assert_eq!(both.sentence.to_string(), "6 compilations take ⟦12.000 ms⟧, 2.000 ms each on average.");
}

#[test]
fn compiling_in_the_loop_is_found() {
    let compiled = |n: u32| {
        let mut rows = Rows::default();
        rows.mark(0, APP, "[NN_LA_PO]mobilenet");
        rows.scope(100, 200, APP, "[NN_LR_PC]ANeuralNetworksCompilation_finish");
        for at in 1..11 {
            rows.execute(at * 1_500, APP, USUAL);
            if at <= n {
                let from = at * 1_500 + 1_100;
                rows.scope(from, from + 300, APP, "[NN_LR_PC]ANeuralNetworksCompilation_finish");
            }
        }
        rows.end(20_000, APP);
        rows.overview()
    };
    let with = compiled(5);
    let compiling = planted(&with, "nnapi-compiling", 1.5e6);
    assert_eq!((compiling.saving.kind, compiling.saving.value), (SavingKind::Bound, 1.5e6));
    assert!(compiling.sentence.to_string().ends_with(": 5 compilations."), "{}", compiling.sentence);
    // Compiling is no gap: 9 × 500 µs without 5 × 300.
    planted(&with, "nnapi-gaps", 3_000.0 / 14_500.0);
    silent(&compiled(0), "nnapi-compiling");
    let none = executed(0, |_| USUAL);
    let Some(Outcome::Nothing(said)) = outcome(&none, "nnapi-compiling") else { panic!() };
    assert_eq!(said.to_string(), "0 of 1 compilation is between executions");
    let mut rows = Rows::default();
    rows.mark(0, APP, "[NN_LA_PO]mobilenet");
    (1..9).for_each(|at| _ = rows.execute(at * 1_000, APP, USUAL));
    rows.end(10_000, APP);
    let none = rows.overview();
    let Some(Outcome::Nothing(said)) = outcome(&none, "nnapi-compiling") else { panic!() };
    assert_eq!(said.to_string(), "no compilation ends in the trace");
    silent(&compiled(1), "nnapi-compiling");
    missing(&of_application(), "nnapi-compiling");
}

#[test]
fn a_slow_first_execution_is_found() {
    let with = executed(0, |at| if at == 0 { Spent { driver: 2_920, ..USUAL } } else { USUAL });
    let first = planted(&with, "nnapi-first", 3.0);
    assert_eq!((first.saving.kind, first.saving.value), (SavingKind::Estimate, 2e6));
    assert!(
        first.line.to_string().starts_with("Most of it is in this layer: Driver, 2.000 ms"),
        "{}",
        first.line
    );
    silent(&executed(0, |_| USUAL), "nnapi-first");
    // The recording begins amid the executions.
    let mut rows = Rows::default();
    for at in 0..8 {
        rows.execute(at * 1_000, APP, USUAL);
    }
    missing(&rows.overview(), "nnapi-first");
}

#[test]
fn gaps_between_executions_are_found() {
    let with = executed(500, |_| USUAL);
    let gaps = planted(&with, "nnapi-gaps", 4_500.0 / 14_500.0);
    assert_eq!((gaps.saving.kind, gaps.saving.value), (SavingKind::Bound, 4.5e6));
    silent(&executed(10, |_| USUAL), "nnapi-gaps");
    // Of several models it is one finding, which names the others.
    let mut rows = Rows::default();
    for (at, network) in (0..).zip(["one", "two", "three"]) {
        run(&mut rows, at * 30_000, (APP, network), 500, |_| USUAL);
    }
    let overview = rows.overview();
    let gaps = planted(&overview, "nnapi-gaps", 4_500.0 / 14_500.0);
    assert_eq!(gaps.saving.value, 3.0 * 4.5e6);
    let line = gaps.line.to_string();
    assert!(line.ends_with(" 2 more: two camera 31.0 %, three camera 31.0 %."), "{line}");
    not_here(&plain(), "nnapi-gaps");
}

#[test]
fn each_model_and_application_is_named() {
    let mut rows = Rows::default();
    let slow = |_: u32| Spent { driver: 520, cpu: 400, ..USUAL };
    run(&mut rows, 0, (APP, "mobilenet"), 0, slow);
    run(&mut rows, 30_000, (OTHER, "speech"), 0, slow);
    let both = rows.overview();
    let said: Vec<_> = found(&both, "nnapi-on-cpu").into_iter().map(|one| one.sentence.to_string()).collect();
    assert_eq!(said.len(), 2);
    assert!(
        said.iter().any(|said| said.contains("mobilenet of camera (Benchmark), in 10 of 10")),
        "{said:?}"
    );
    assert!(said.iter().any(|said| said.contains("speech of voice (Benchmark), in 10 of 10")), "{said:?}");
    let whole: f64 = found(&both, "nnapi-on-cpu").iter().map(|one| one.saving.share).sum();
    assert!((whole - 0.2).abs() < 1e-9, "8 of 40 milliseconds: {whole}");
}

/// Two applications at once: each keeps its network, and no time of a thread counts twice.
#[test]
fn applications_that_take_turns_are_told_apart() {
    let mut rows = Rows::default();
    rows.mark(0, APP, "[NN_LA_PO]mobilenet");
    rows.mark(50, OTHER, "[NN_LA_PO]speech");
    for at in 1..9 {
        rows.execute(at * 2_000, APP, Spent { driver: 520, cpu: 400, ..USUAL });
        rows.execute(at * 2_000 + 1_000, OTHER, USUAL);
    }
    rows.end(20_000, APP);
    rows.end(20_050, OTHER);
    let both = rows.overview();
    let cpu = planted(&both, "nnapi-on-cpu", 0.4);
    assert!(
        cpu.sentence.to_string().contains("mobilenet of camera (Outside loops), in 8 of 8"),
        "{}",
        cpu.sentence
    );
    assert!((cpu.saving.share - 3.2 / 40.0).abs() < 1e-3, "{}", cpu.saving.share);
}

#[test]
fn executions_without_an_end_count_nowhere() {
    let mut rows = Rows::default();
    rows.mark(0, APP, "[NN_LA_PO]mobilenet");
    for at in 1..9 {
        rows.execute(at * 1_000, APP, USUAL);
    }
    rows.mark(12_000, APP, "[NN_LR_PE]ANeuralNetworksExecution_compute");
    rows.mark(12_010, APP, "[NN_LC_PE]computeOnCpu");
    rows.scope(19_000, 19_100, OTHER, "[NN_LR_PP]loadModel");
    let overview = rows.overview();
    let Some(Outcome::Nothing(said)) = outcome(&overview, "nnapi-on-cpu") else { panic!() };
    assert_eq!(said.to_string(), "the CPU computes for at most 0.0 % of a model's execution time");
    // In no part either: neither what the CPU began, nor the call, nor its time.
    let part = |title: &str| overview.parts.iter().find(|part| part.title == title).unwrap();
    assert!(overview.parts.iter().all(|part| part.title != "CPU operations"));
    let calls =
        part("Functions").rows.iter().find(|row| row.name.to_string().contains("Execution_compute")).unwrap();
    assert_eq!(calls.cells[0], "8");
    let execution = part("All marked time by phase").rows.iter().find(|row| row.name == "Execution").unwrap();
    assert_eq!(execution.cells[0], "8.000 ms");
}

/// Two networks: most time is that of the first one, whose first execution is as fast as the others.
fn two_networks() -> Rows {
    let mut rows = Rows::default();
    run(&mut rows, 0, (APP, "mobilenet"), 0, |_| Spent { driver: 1_420, ..USUAL });
    let first = |at: u32| if at == 0 { Spent { driver: 3_920, ..USUAL } } else { USUAL };
    run(&mut rows, 30_000, (APP, "speech"), 0, first);
    rows
}

#[test]
fn figures_of_one_of_several_models_say_of_which() {
    let of = two_networks().overview();
    // Shares are of the network with most time, which is said.
    let base = "of the time of 10 executions of mobilenet, Benchmark";
    let driver = of.tiles.iter().find(|tile| tile.label == "Driver").unwrap();
    assert_eq!((driver.value.to_string(), driver.comparison.to_string()), ("94.7 %".into(), base.to_owned()));
    let tile = |label: &str| of.tiles.iter().find(|tile| tile.label == label).unwrap();
    assert_eq!(tile("Inference").value.to_string(), "1.500 ms");
    assert_eq!(tile("First vs. steady state").value.to_string(), "4.00 ×");
    assert_eq!(
        tile("First vs. steady state").comparison.to_string(),
        "speech: first 4.000 ms, median 1.000 ms"
    );
    // What all rows share stands above them; rows of several loops say which.
    let part = of.parts.iter().find(|part| part.title == "Executions").unwrap();
    assert_eq!(part.note.to_string(), "by model, Benchmark");
    assert_eq!(part.rows[0].name.to_string(), "mobilenet");
    assert_eq!(part.rows[0].cells, ["10", "1.500 ms", "15.000 ms"]);
    let mut rows = two_networks();
    run(&mut rows, 60_000, (APP, "speech"), 0, |_| USUAL);
    let end = 90_000;
    rows.mark(end, APP, "[NN_LA_PO]speech");
    rows.execute(end + 10, APP, USUAL);
    rows.end(end + 2_000, APP);
    let of = rows.overview();
    let part = of.parts.iter().find(|part| part.title == "Executions").unwrap();
    assert_eq!(part.columns, ["Loop", "Count", "Median", "Total"]);
    assert_eq!((part.measure, part.rows.len()), (2, 3));
    let told: Vec<(&str, &str)> =
        part.rows.iter().map(|row| (row.cells[0].as_str(), row.cells[1].as_str())).collect();
    assert_eq!(told, [("Benchmark", "20"), ("Benchmark", "10"), ("Outside loops", "1")]);
    // Those of several runs lead to all runs: the choice behind the four of them.
    assert!(
        part.rows[0].address.contains("nnapi-executions") && part.rows[0].address.contains('4'),
        "{}",
        part.rows[0].address
    );
}

/// What adds networks says so, and how many they are.
#[test]
fn parts_that_add_networks_say_how_many() {
    let note = |of: &Overview, title: &str| {
        of.parts.iter().find(|part| part.title == title).map(|part| part.note.to_string()).unwrap()
    };
    let both = two_networks().overview();
    for title in ["Functions", "All marked time by phase"] {
        let said = note(&both, title);
        assert!(said.ends_with("; 2 networks added"), "{title}: {said}");
        let one = executed(0, |_| USUAL);
        assert!(!note(&one, title).contains("networks"), "{title}");
    }
    // 20 executions of both; a row is of one network only where its part says no more.
    let functions = both.parts.iter().find(|part| part.title == "Functions").unwrap();
    let row = functions.rows.iter().find(|row| row.name.to_string().contains("Execution_compute")).unwrap();
    assert_eq!(row.cells[0], "20");
}

/// The color of a layer is the same in the picture beside a finding, in the breakdown and on the timeline.
#[test]
fn layers_have_one_color_in_evidence_and_breakdown() {
    let of = executed(0, |_| Spent { driver: 520, cpu: 400, ..USUAL });
    let part = of.parts.iter().find(|part| part.title == "Inference by layer").unwrap();
    let mut n = 0;
    for rule in ["nnapi-layer", "nnapi-compilation", "nnapi-on-cpu", "nnapi-partitions", "nnapi-ipc"] {
        for finding in found(&of, rule) {
            let Some(Body::Bars(bars)) = finding.evidence.figure.as_ref().map(|figure| &figure.body) else {
                panic!("{rule}")
            };
            for bar in &bars.bars {
                let layer = Layer::REPORTED.into_iter().find(|layer| layer.title() == bar.name);
                let color = layer.unwrap_or(Layer::Cpu).color();
                assert_eq!(bar.role, BarRole::Colored(color), "{rule}: {}", bar.name);
                let row = part.rows.iter().find(|row| row.name == bar.name.as_str());
                if let Some(row) = row {
                    assert_eq!(row.color, Some(Color::Series(color - 1)), "{rule}: {}", bar.name);
                    n += 1;
                }
            }
        }
    }
    assert!(3 <= n, "{n} bars of layers");
}

#[test]
fn unequal_networks_are_not_compared() {
    let one = |network: &str| {
        let mut rows = Rows::default();
        run(&mut rows, 0, (APP, network), 0, |_| USUAL);
        rows.overview()
    };
    let (old, same, other) = (one("mobilenet"), one("mobilenet"), one("speech"));
    for tile in &old.tiles {
        assert!(!tile.of.is_empty(), "{}", tile.label);
    }
    let of = |overview: &Overview| overview.parts.iter().map(|part| part.of.clone()).collect::<Vec<_>>();
    assert_eq!(of(&old), of(&same));
    let layers = |overview: &Overview| overview.parts[0].of.clone();
    assert_ne!(layers(&old), layers(&other));
    let slower =
        |tile: &Tile| Tile { amount: Some((2e6, Unit::Nanos)), value: "2.000 ms".into(), ..tile.clone() };
    let change = |a: &Tile, b: &Tile| slower(b).change_since(a);
    assert_eq!(change(&old.tiles[0], &same.tiles[0]), "+100 %, 2×");
    assert_eq!(change(&old.tiles[0], &other.tiles[0]), "");
}
