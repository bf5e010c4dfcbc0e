//! Shares, what is unfinished, what a dash means: figures that stand beside each other say the same.

use super::make::{cell, only};
use super::runs::figure;
use super::truth::{column, doc, notes, numbers};
use crate::support::corpus::corpus;
use crate::support::front_door::open_one;
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell, Matrix};
use std::collections::BTreeSet;

/// An execution of 100 µs of the application: 80 of them the runtime's, where its marks are recorded, and 40 of these the
/// driver's or the CPU's.
fn execution(at: u32, is_on_driver: bool, has_runtime: bool) -> String {
    let worker = if is_on_driver { "7 7 B|7|[NN_LD_PE]Driver::execute" } else { "5 5 B|5|[NN_LC_PE]run" };
    let [begin, end] = if has_runtime {
        ["5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute", "5 5 E|5"]
    } else {
        ["9 9 B|9|other", "9 9 E|9"]
    };
    let rows = [
        (0, "5 5 B|5|[NN_LA_PE]once"),
        (10, begin),
        (20, worker),
        (60, if is_on_driver { "7 7 E|7" } else { "5 5 E|5" }),
        (90, end),
        (100, "5 5 E|5"),
    ];
    rows.map(|(later, mark)| format!("{} {mark}\n", at + later)).concat()
}

/// What the panel of the run says of the driver.
fn driver_share(doc: &mut Document) -> Option<Cell> {
    let run = figure(doc, "nnapi-run", &[0]);
    let Body::Facts(facts) = &run.body else { panic!() };
    let found = facts.facts.iter().find(|fact| fact.name == "Driver share of executions");
    assert_eq!(found.is_some(), notes(&run).contains("The driver's share is of the total time of "));
    found.map(|fact| fact.value.clone())
}

/// Four of five executions ran on the CPU: the driver has 40 of 400 µs, the CPU 160. What the application does around them is
/// no time of executions where the runtime marks these.
#[test]
fn what_falls_back_counts_in_the_share_of_the_driver() {
    let rows: String = (0..5).map(|n| execution(n * 1_000, n == 0, true)).collect();
    let mut mixed = doc(&rows);
    assert_eq!(driver_share(&mut mixed), Some(Cell::Number(10.0)));
    let cpu = figure(&mut mixed, "nnapi-fallback", &[0]);
    assert_eq!(column(&cpu, "Self share of executions"), [Cell::Number(40.0)]);
    assert!(notes(&cpu).contains("all 5 complete executions of this run"), "{}", notes(&cpu));
    assert_eq!(driver_share(&mut doc(&execution(0, false, true))), Some(Cell::Number(0.0)));
    // Where the runtime marks none, those of the application are the executions.
    for (has_runtime, share) in [(true, 50.0), (false, 40.0)] {
        assert_eq!(driver_share(&mut doc(&execution(0, true, has_runtime))), Some(Cell::Number(share)));
    }
    // No mark tells who computed.
    let silent = "0 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute\n90 5 5 E|5\n";
    assert_eq!(driver_share(&mut doc(silent)), None);
}

/// Two networks of a warm-up and two measured executions each. Of the measured ones the driver has 60 of 100 µs and 30 of 100,
/// in the warm-up 10 of 400: the overview, the panel of the run and its executions say the same of each network.
#[test]
fn the_share_of_the_driver_is_one_number_of_one_network_and_loop() {
    let mut rows = String::new();
    let mut execution = |at: u32, dur: u32, driver: u32| {
        for (later, mark) in [
            (0, "5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute"),
            (10, "7 7 B|7|[NN_LD_PE]Driver::execute"),
            (10 + driver, "7 7 E|7"),
            (dur, "5 5 E|5"),
        ] {
            rows += &format!("{} {mark}\n", at + later);
        }
    };
    let mut marks = Vec::new();
    for (base, network, driver) in [(0, "slow", 60), (10_000, "fast", 30)] {
        execution(base + 110, 400, 10);
        execution(base + 1_110, 100, driver);
        execution(base + 1_310, 100, driver);
        marks.extend([
            (base, format!("B|5|[NN_LA_PO]{network}")),
            (base + 100, "B|5|[NN_LA_PWU]loop".to_owned()),
            (base + 900, "E|5".to_owned()),
            (base + 1_100, "B|5|[NN_LA_PBM]loop".to_owned()),
            (base + 1_900, "E|5".to_owned()),
            (base + 2_000, "E|5".to_owned()),
        ]);
    }
    let mut rows: Vec<(u32, String)> = rows
        .lines()
        .map(|row| (row.split_once(' ').unwrap().0.parse().unwrap(), row.to_owned()))
        .chain(marks.into_iter().map(|(at, mark)| (at, format!("{at} 5 5 {mark}"))))
        .collect();
    rows.sort_by_key(|row| row.0);
    let text: String = rows.into_iter().map(|(_, row)| row + "\n").collect();
    let mut doc = doc(&text);
    for (run, share) in [60.0, 30.0].into_iter().enumerate() {
        let panel = figure(&mut doc, "nnapi-run", &[run]);
        let Body::Facts(facts) = &panel.body else { panic!() };
        let found = facts.facts.iter().find(|fact| fact.name == "Driver share of executions").unwrap();
        assert_eq!(found.value, Cell::Number(share));
        let said = notes(&panel);
        assert!(
            said.contains("The driver's share is of the total time of 2 executions, Benchmark."),
            "{said}"
        );
        let list = figure(&mut doc, "nnapi-executions", &[run]);
        assert_eq!(column(&list, "Driver share")[1..], [Cell::Number(share), Cell::Number(share)]);
    }
    let overview = doc.whole_overview();
    let tile = overview.tiles.iter().find(|tile| tile.label == "Driver").unwrap();
    assert_eq!(tile.value.to_string(), "60.0 %");
    assert_eq!(tile.comparison.to_string(), "of the time of 2 executions of slow, Benchmark");
    let layer = overview.findings.iter().find(|finding| finding.rule == "nnapi-layer").unwrap();
    assert_eq!(
        layer.sentence.to_string(),
        "The driver takes ⟦60.0 % of the time⟧ of 2 executions of slow (Benchmark)."
    );
}

/// A run of 200 µs of the application and 100 of executing; another one whose execution the end of the file cuts.
#[test]
fn unfinished_executions_are_in_no_number_of_all_runs() {
    let mut doc = doc("0 5 5 B|5|[NN_LA_PO]a
        100 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute
        200 5 5 E|5
        300 5 5 E|5
        400 5 5 B|5|[NN_LA_PO]b
        500 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute
        900 8 8 B|8|other
        900 8 8 E|8");
    let table = figure(&mut doc, "nnapi-runs", &[0, 0]);
    assert_eq!(numbers(&table, &["Runtime", "Execution"]), [[0.1; 4]]);
    assert_eq!(numbers(&table, &["Application", "Total"]), [[0.2; 4]]);
    assert_eq!(numbers(&table, &["Total", "Execution"]), [[0.1; 4]]);
    let said = notes(&table);
    assert!(said.contains("Unfinished executions are left out: 1."), "{said}");
    // Of the one whose execution is cut nothing is compared.
    assert!(!said.contains("networks together"), "{said}");
    let bars = figure(&mut doc, "nnapi-runs-layers", &[0]);
    assert!(notes(&bars).contains("Unfinished executions are left out: 1."));
    let Body::Bars(bars) = bars.body else { panic!() };
    assert!(bars.bars[1].values.iter().all(Option::is_none), "{:?}", bars.bars);
    // So it is in the run itself; the application around it has its time.
    let (run, said) = layers(&mut doc, &[1, 0, 0]);
    assert!(said.contains("Unfinished executions are left out: 1. Total times of scopes around"), "{said}");
    assert!(run.columns.iter().all(|name| name != "Execution"), "{:?}", run.columns);
}

/// 20 executions end; what the file cuts was the longest and is not among them.
#[test]
fn the_cut_execution_of_a_real_trace_is_in_no_number_of_all_runs() {
    let Some(folder) = corpus("nnapi/aosp") else { return };
    let name = "omr1_incomplete.ftrace.txt";
    let mut doc = open_one(name, std::fs::read(folder.join(name)).unwrap()).0;
    let table = figure(&mut doc, "nnapi-runs", &[0, 0]);
    let all = &numbers(&table, &["Total", "Execution"])[0];
    let near = |a: f64, b: f64| assert!((a - b).abs() < 0.01, "{a} {b}");
    near(all[1], 40.8365);
    near(all[2], 162.536);
    assert_eq!(all.len(), 3 + 20);
    // The fifth network is the one that is left out.
    assert!(notes(&table).contains("cover 4 networks together"), "{}", notes(&table));
}

fn layers(doc: &mut Document, chosen: &[usize]) -> (Matrix, String) {
    let figure = figure(doc, "nnapi-layers", chosen);
    let said = notes(&figure);
    let Body::Matrix(matrix) = figure.body else { panic!() };
    (matrix, said)
}

/// Self and total time of executions, of the layer at a row.
fn executing(matrix: &Matrix, row: usize) -> [Option<f64>; 2] {
    let at = matrix.columns.iter().position(|name| name == "Execution").unwrap();
    let cell = &matrix.cells[row * matrix.columns.len() + at];
    [cell.value, cell.second]
}

/// One execution of 100 µs: the application has 35 of its own, creating takes 5, computing 60. Around the one that the end
/// of the file cuts, the application and creating are no part of one execution either.
#[test]
fn one_execution_has_nothing_of_what_lies_around_an_unfinished_one() {
    let mut doc = doc("0 5 5 B|5|[NN_LA_PE]once
        5 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_create
        10 5 5 E|5
        20 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute
        80 5 5 E|5
        100 5 5 E|5
        200 5 5 B|5|[NN_LA_PE]once
        205 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_create
        210 5 5 E|5
        220 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute
        900 8 8 B|8|other
        900 8 8 E|8");
    let (one, _) = layers(&mut doc, &[0, 1, 0]);
    assert_eq!(executing(&one, 0), [Some(0.035), Some(0.1)]);
    assert_eq!(executing(&one, 1), [Some(0.065); 2]);
    let (all, _) = layers(&mut doc, &[0, 0, 0]);
    assert_eq!([executing(&all, 0), executing(&all, 1)], [executing(&one, 0), executing(&one, 1)]);
}

/// The runtime wrote marks, the CPU none: no figure has a number of it, and the legend says so.
#[test]
fn what_has_no_marks_has_no_number_anywhere() {
    let mut doc = doc(&execution(0, true, true));
    let (matrix, said) = layers(&mut doc, &[0, 0, 0]);
    assert_eq!(executing(&matrix, 4), [None; 2]);
    assert!(said.contains("– means no marks, 0 means marks without time."), "{said}");
    let spread = figure(&mut doc, "nnapi-executions-spread", &[0]);
    assert!(numbers(&spread, &["CPU"]).is_empty() && !numbers(&spread, &["Runtime"]).is_empty());
    assert!(column(&figure(&mut doc, "nnapi-executions", &[0]), "CPU").is_empty());
    let (matrix, said) = layers(&mut doc, &[0, 0, 1]);
    assert!(
        said.contains("n/a as the AOSP parser prints it; where the parser prints -, the time is shown."),
        "{said}"
    );
    assert_eq!(matrix.missing, "n/a");
    assert!(said.contains("Compute is Execution − I/O − Results, its total too."), "{said}");
}

/// The total stands in front, where it is seen at every width; phases without times have no column.
#[test]
fn the_total_is_the_first_column_and_empty_phases_have_none() {
    let mut doc = doc(&execution(0, true, true));
    let (matrix, _) = layers(&mut doc, &[0, 0, 0]);
    assert_eq!(matrix.columns, ["Total", "Compute", "Execution"]);
}

/// The call lasts from 10 to 50 µs, 20 of them before the driver takes it; the callback from 300 to 340: 60 µs of calls, of
/// which no other layer has a part, are no more than the 80 of their scopes.
#[test]
fn self_time_of_calls_is_no_more_than_their_total() {
    let (_, run) = only(
        "0 app B|1|[NN_LA_PE]once
        10 work B|1|HIDL::IPreparedModel::execute::client
        30 hal B|7|HIDL::IPreparedModel::execute::server
        35 hal2 B|7|[NN_LD_PE]SampleDriver::asyncExecute
        40 hal E|7
        50 work E|1
        300 hal2 B|7|HIDL::IExecutionCallback::notify::client
        310 back B|1|HIDL::IExecutionCallback::notify::server
        320 hal2 E|7
        330 hal2 E|7
        340 back E|1
        400 app E|1",
    );
    assert_eq!(cell(&run, "LI_PE"), (80.0, 60.0));
    assert_eq!(cell(&run, "LD_PE"), (270.0, 270.0));
}

/// A reason that holds for several cells names them; that of a cell stands once.
#[test]
fn reasons_of_a_number_are_told_apart() {
    let mut doc = doc("0 5 5 B|5|[NN_LA_PO]net
        100 5 5 B|5|[NN_LR_PC]ANeuralNetworksCompilation_finish
        110 6 5 B|5|[NN_LC_PTR]one
        120 6 5 E|5
        130 6 5 B|5|[NN_LC_PCO]two
        150 6 5 E|5
        200 5 5 E|5
        300 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute
        310 6 5 B|5|[NN_LC_PTR]one
        330 6 5 B|5|[NN_LC_PCO]two
        340 6 5 E|5
        350 6 5 E|5
        400 5 5 E|5
        900 5 5 E|5");
    let (matrix, _) = layers(&mut doc, &[0, 0, 0]);
    let mut n_named = 0;
    for cell in &matrix.cells {
        let said: Vec<String> = cell.notes.iter().map(ToString::to_string).collect();
        assert_eq!(said.iter().collect::<BTreeSet<_>>().len(), said.len(), "{said:?}");
        n_named += said.iter().filter(|said| said.starts_with("CPU, Computation: ")).count();
    }
    assert!(0 < n_named);
}

/// A warm-up of one execution and a benchmark of two: of one execution, the parser prints that of the benchmark.
#[test]
fn numbers_that_the_parser_prints_say_over_how_many_executions() {
    let mut rows = "0 5 5 B|5|[NN_LA_PO]net\n".to_owned();
    for (at, name) in [(100, "PWU"), (300, "PBM"), (400, "PE"), (550, "PE")] {
        rows += &match name {
            "PE" => execution(at, false, true),
            "PWU" => format!("{at} 5 5 B|5|[NN_LA_PWU]a\n{}250 5 5 E|5\n", execution(at + 10, false, true)),
            _ => format!("{at} 5 5 B|5|[NN_LA_{name}]b\n"),
        };
    }
    let mut doc = doc(&(rows + "700 5 5 E|5\n800 5 5 E|5\n"));
    let printed = "As printed by the AOSP parser per execution, over the 2 benchmark executions.";
    // Of all executions: the whole run or one, corrected or the parser's.
    for (chosen, is_printed) in [([0, 0, 1, 1], true), ([0, 0, 0, 1], false), ([0, 0, 1, 0], false)] {
        let (_, said) = layers(&mut doc, &chosen);
        assert_eq!(said.contains(printed), is_printed, "{chosen:?}: {said}");
    }
}
