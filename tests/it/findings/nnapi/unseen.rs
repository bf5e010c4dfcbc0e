//! What was not recorded is neither blamed on what was nor told as 0 %: drivers without marks, and a runtime alone.

use super::super::{found, missing, outcome, overview, planted, silent};
use super::{APP, Overview, Rows, Spent, USUAL, executed};
use lanescope::analysis::finding::Outcome;
use lanescope::base::words::Language;

/// Eight executions of a millisecond, with what the runtime does from 100 to 900 µs of each.
fn eight(below: Option<&str>) -> Overview {
    let mut rows = Rows::default();
    rows.mark(0, APP, "[NN_LA_PO]mobilenet");
    for at in (1_000..9_000).step_by(1_000) {
        rows.mark(at, APP, "[NN_LR_PE]ANeuralNetworksExecution_compute");
        if let Some(mark) = below {
            rows.scope(at + 100, at + 900, APP, mark);
        }
        rows.end(at + 1_000, APP);
    }
    rows.end(10_000, APP);
    overview("trace.txt", rows.text())
}

fn tile(of: &Overview, label: &str) -> Option<(String, String)> {
    let tile = of.tiles.iter().find(|tile| tile.label == label)?;
    Some((tile.value.to_string(), tile.comparison.to_string()))
}

fn said(of: &Overview, rule: &str) -> String {
    match outcome(of, rule) {
        Some(Outcome::Missing(said) | Outcome::Nothing(said)) => said.to_string(),
        other => panic!("{rule}: {other:?}"),
    }
}

/// The driver computes below the call and writes nothing.
#[test]
fn calls_are_not_blamed_for_a_driver_without_marks() {
    let of = eight(Some("HIDL::IPreparedModel::executeSynchronously::client"));
    missing(&of, "nnapi-ipc");
    assert_eq!(
        said(&of, "nnapi-ipc"),
        "IPC and driver take 80.0 % of the time of mobilenet, not separable: record with the categories nnapi, hal and aidl"
    );
    missing(&of, "nnapi-layer");
    missing(&of, "nnapi-partitions");
    assert_eq!(tile(&of, "Runtime and IPC"), None);
    let (value, compared) = tile(&of, "IPC and driver").unwrap();
    assert_eq!(value, "80.0 %");
    assert!(
        compared.starts_with("not separable: record hal and aidl; runtime 20.0 %, of the time of 8"),
        "{compared}"
    );
    assert_eq!(tile(&of, "Driver").unwrap().0, "not known");
    let layers = of.parts.iter().find(|part| part.title == "Inference by layer").unwrap();
    let names: Vec<String> = layers.rows.iter().map(|row| row.name.to_string()).collect();
    assert_eq!(names, ["Runtime", "IPC and driver"]);
    // A driver that writes marks is told apart, and then calls are found.
    let with = executed(0, |_| Spent { ipc: 300, driver: 660, ..USUAL });
    planted(&with, "nnapi-ipc", 0.3);
    assert_eq!(tile(&with, "IPC and driver"), None);
}

/// Only the runtime wrote marks: nobody knows what it waits for.
#[test]
fn a_runtime_alone_says_nothing_of_what_lies_below() {
    let of = eight(None);
    assert_eq!(tile(&of, "Driver").unwrap().0, "not known");
    let (value, compared) = tile(&of, "Runtime and IPC").unwrap();
    assert_eq!((value.as_str(), compared.contains("0.0 %")), ("not known", false), "{compared}");
    assert_eq!(
        tile(&of, "CPU fallback").unwrap(),
        ("not known".into(), "nothing below the runtime is marked".into())
    );
    // What is drawn as the runtime holds all that it waits for.
    let layers = of.parts.iter().find(|part| part.title == "Inference by layer").unwrap();
    let names: Vec<String> = layers.rows.iter().map(|row| row.name.to_string()).collect();
    assert_eq!(names, ["Runtime and below"]);
    assert!(found(&of, "nnapi-layer").is_empty());
    for rule in
        ["nnapi-layer", "nnapi-on-cpu", "nnapi-ipc", "nnapi-copies", "nnapi-driver-waits", "nnapi-partitions"]
    {
        missing(&of, rule);
        assert!(said(&of, rule).contains("record with the categories nnapi, hal and aidl"), "{rule}");
    }
    // What the CPU computes whole has no driver to wait for.
    let on_cpu = eight(Some("[NN_LC_PE]computeOnCpu"));
    silent(&on_cpu, "nnapi-driver-waits");
    assert_eq!(said(&on_cpu, "nnapi-driver-waits"), "all 8 executions ran within the app's process");
}

/// What the runtime marks of inputs is known, whoever computes.
#[test]
fn inputs_that_a_runtime_alone_marks_are_told() {
    let of = eight(Some("[NN_LR_PIO]allocatePointerArguments"));
    planted(&of, "nnapi-copies", 0.8);
    missing(&of, "nnapi-on-cpu");
}

/// Of 20 executions one lies above the 95th percentile; of fewer it is not told.
#[test]
fn few_executions_have_no_percentile() {
    let of = executed(0, |_| USUAL);
    let (_, compared) = tile(&of, "Inference").unwrap();
    assert_eq!(compared, "median of 10, Benchmark; longest 1.000 ms; 95 % needs 20 executions");
}

/// The rule and the figure agree on how many executions are too few.
#[test]
fn the_first_of_few_executions_is_held_against_none() {
    let of_n = |n: u32| {
        let mut rows = Rows::default();
        rows.mark(0, APP, "[NN_LA_PO]mobilenet");
        for at in 1..=n {
            rows.execute(at * 10_000, APP, if at == 1 { Spent { driver: 2_920, ..USUAL } } else { USUAL });
        }
        rows.end((n + 2) * 10_000, APP);
        rows.overview()
    };
    let few = of_n(3);
    missing(&few, "nnapi-first");
    let (value, compared) = tile(&few, "First vs. steady state").unwrap();
    assert_eq!((value.as_str(), compared), ("–", said(&few, "nnapi-first")));
    let enough = of_n(5);
    planted(&enough, "nnapi-first", 3.0);
    assert_eq!(tile(&enough, "First vs. steady state").unwrap().0, "3.00 ×");
}

/// While warming up the CPU computes four times as long as later: the time beside the share is that of the share.
#[test]
fn warming_up_is_in_no_time_of_operations() {
    let mut rows = Rows::default();
    rows.mark(0, APP, "[NN_LA_PO]mobilenet");
    rows.mark(100, APP, "[NN_LA_PWU]warmup");
    for at in 1..4 {
        rows.execute(at * 1_000, APP, Spent { driver: 20, cpu: 800, ..USUAL });
    }
    rows.end(4_500, APP);
    rows.mark(5_000, APP, "[NN_LA_PBM]benchmark");
    for at in 6..11 {
        rows.execute(at * 1_000, APP, Spent { driver: 720, cpu: 200, ..USUAL });
    }
    rows.end(12_000, APP);
    rows.end(20_000, APP);
    let of = rows.overview();
    let cpu = planted(&of, "nnapi-on-cpu", 0.2);
    assert!(cpu.line.to_string().contains("optimized_ops::Softmax, 1.000 ms"), "{}", cpu.line);
}

/// 300 of 1,000 µs are marked by the application.
#[test]
fn what_the_application_marks_it_moves_itself() {
    let mut rows = Rows::default();
    rows.mark(0, APP, "[NN_LA_PO]mobilenet");
    rows.scope(10, 20, APP, "[NN_LR_PC]ANeuralNetworksCompilation_finish");
    for at in 1..9 {
        rows.mark(at * 2_000, APP, "[NN_LA_PE]execute");
        rows.scope(at * 2_000 + 700, at * 2_000 + 1_000, APP, "[NN_LA_PR]copyResults");
        rows.end(at * 2_000 + 1_000, APP);
    }
    rows.end(20_000, APP);
    let of = rows.overview();
    let own = planted(&of, "nnapi-copies", 0.3);
    let line = own.line.text(Language::En);
    assert!(line.starts_with("The application marks them itself"), "{line}");
    assert_eq!(own.evidence.numbers[2].value, own.evidence.numbers[1].value, "all of it");
}
