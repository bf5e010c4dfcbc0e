//! Traces in which only a driver wrote marks: its executions are what there is, and one that never ends counts nowhere.

use super::runs::figure;
use super::truth::{column, notes, numbers};
use crate::findings::{check, missing, outcome, planted, silent};
use crate::support::front_door::open_one;
use lanescope::analysis::finding::{Outcome, Overview};
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell};
use lanescope::systems::android::nnapi::corrected::Kind;
use lanescope::systems::android::nnapi::{ANALYSIS, Nnapi};
use std::fmt::Write as _;

/// The binder thread that takes calls, and the thread that computes.
const CALLED: u32 = 790;
const COMPUTES: u32 = 791;

/// Rows of process 756: microseconds after 100 s, thread, what it says.
#[derive(Default)]
struct Rows(Vec<(u64, u32, String)>);

impl Rows {
    fn mark(&mut self, at: u64, thread: u32, mark: &str) {
        self.0.push((at, thread, format!("tracing_mark_write: B|756|{mark}")));
    }

    fn end(&mut self, at: u64, thread: u32) {
        self.0.push((at, thread, "tracing_mark_write: E|756".to_owned()));
    }

    /// The thread that computes gets the processor, or gives it up in this state.
    fn runs(&mut self, at: u64, state: Option<&str>) {
        let (from, to) = if state.is_some() { (COMPUTES, 0) } else { (0, COMPUTES) };
        let name = |tid: u32| if tid == 0 { "swapper/2".to_owned() } else { format!("HwBinder:756_{tid}") };
        self.0.push((
            at,
            from,
            format!(
                "sched_switch: prev_comm={} prev_pid={from} prev_prio=120 prev_state={} ==> next_comm={} next_pid={to} next_prio=120",
                name(from),
                state.unwrap_or("R"),
                name(to)
            ),
        ));
    }

    /// A call that is taken here, and called back so many microseconds later; never where that is `None`.
    fn execute(&mut self, at: u64, dur: Option<u64>) {
        self.mark(at, CALLED, "HIDL::IPreparedModel::execute::server");
        self.end(at + 50, CALLED);
        self.mark(at + 60, COMPUTES, "[NN_LD_PE]SampleDriver::asyncExecute");
        let Some(dur) = dur else { return };
        self.mark(at + dur, COMPUTES, "HIDL::IExecutionCallback::notify::client");
        self.end(at + dur + 20, COMPUTES);
        self.end(at + dur + 60, COMPUTES);
    }

    fn text(mut self) -> String {
        self.0.sort_by_key(|row| row.0);
        let mut text =
            "# tracer: nop\n#\n#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n".to_owned();
        for (at, thread, row) in self.0 {
            let (name, process) = match thread {
                0 => ("<idle>".to_owned(), 0),
                999 => ("other".to_owned(), 999),
                _ => (format!("HwBinder:756_{thread}"), 756),
            };
            let time = format!("{}.{:06}", 100 + at / 1_000_000, at % 1_000_000);
            let _ = writeln!(text, "{name:>16}-{thread:<5} ({process:>5}) [002] ...1 {time:>12}: {row}");
        }
        text
    }

    fn open(self) -> Document {
        let (doc, is_ready) = open_one("trace.txt", self.text().into_bytes());
        assert!(is_ready);
        doc
    }

    fn overview(self) -> Overview {
        let overview = self.open().whole_overview();
        check(&overview);
        overview
    }
}

/// Eight executions, one every 10 ms: of 4.0, 4.1 … 4.7 ms, 34.8 together.
fn eight() -> Rows {
    let mut rows = Rows::default();
    (0..8).for_each(|at| rows.execute(10_000 * (at + 1), Some(4_000 + 100 * at)));
    rows
}

/// The same with a ninth that never ends, a second before the last row of the trace.
fn cut() -> Rows {
    let mut rows = eight();
    rows.execute(90_000, None);
    rows.0.push((1_200_000, 999, "tracing_mark_write: B|999|x".to_owned()));
    rows.0.push((1_300_000, 999, "tracing_mark_write: E|999".to_owned()));
    rows
}

fn tile(overview: &Overview, label: &str) -> (String, String) {
    let tile = overview.tiles.iter().find(|tile| tile.label == label);
    let tile = tile.unwrap_or_else(|| panic!("{label}: {:?}", overview.tiles));
    (tile.value.to_string(), tile.comparison.to_string())
}

#[test]
fn a_driver_execution_that_never_ends_is_in_no_number_and_is_listed() {
    let overview = cut().overview();
    let (value, compared) = tile(&overview, "Driver execution");
    assert_eq!(
        (value.as_str(), compared.as_str()),
        ("4.350 ms", "median of 8, Driver executions; longest 4.700 ms; 95 % needs 20 executions")
    );
    let functions = overview.parts.iter().find(|part| part.title == "Functions").unwrap();
    let row = functions.rows.iter().find(|row| row.name.to_string().contains("asyncExecute")).unwrap();
    assert_eq!(row.cells, ["8", "34.640 ms"]);

    let mut doc = cut().open();
    // Calls, total, self, mean, shortest, longest, and how many more never end.
    let functions = figure(&mut doc, "nnapi-functions", &[0]);
    let near = |found: &[f64], expected: &[f64]| {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?} {expected:?}");
    };
    let of = |name: &str| numbers(&functions, &[name]).remove(0);
    near(&of("SampleDriver::asyncExecute"), &[8.0, 34.8, 34.64, 4.35, 4.0, 4.7, 1.0]);
    // Taking the ninth call ended.
    near(&of("HIDL::IPreparedModel::execute::server"), &[9.0, 0.45, 0.45, 0.05, 0.05, 0.05]);
    assert!(notes(&functions).contains("Calls without an end in the trace: 1."), "{}", notes(&functions));

    let Body::Matrix(matrix) = figure(&mut doc, "nnapi-layers", &[0, 0, 0]).body else { panic!() };
    let at = matrix.columns.iter().position(|name| name == "Execution").unwrap();
    let driver = &matrix.cells[3 * matrix.columns.len() + at];
    assert_eq!((matrix.rows[3].as_str(), driver.value, driver.second), ("Driver", Some(34.8), Some(34.8)));
    assert_eq!(matrix.column_totals[at], Some(34.8));

    let run = figure(&mut doc, "nnapi-run", &[0]);
    let Body::Facts(facts) = &run.body else { panic!() };
    let fact = |name: &str| facts.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value.clone());
    assert_eq!(fact("Executions in drivers"), Some(Cell::Number(8.0)));
    assert_eq!(fact("Unfinished executions"), Some(Cell::Number(1.0)));
    assert_eq!(fact("Executions outside loops"), None);
    assert!(notes(&run).contains("Calls without an end in the trace: 1."), "{}", notes(&run));

    let list = figure(&mut doc, "nnapi-executions", &[0]);
    let remarks = column(&list, "Remark");
    assert_eq!((remarks.len(), remarks.last()), (9, Some(&Cell::Text("unfinished".to_owned()))));
    // The bands of the timeline say so too, and are in no sum.
    let trace = doc.trace();
    let bands = trace.tracks.iter().find(|(_, track)| trace.strings.get(track.name) == "Driver executions");
    let bands = &bands.unwrap().1.slices;
    assert_eq!(bands.len(), 9);
    assert!((0..9).all(|row| bands.is_unfinished(row) == (row == 8)));
    assert!(trace.strings.get(bands.name[8]).ends_with("(unfinished)"));
}

#[test]
fn executions_of_a_driver_alone_are_listed_as_such() {
    let mut doc = eight().open();
    let nnapi = doc.result::<Nnapi>(&ANALYSIS).unwrap();
    assert!(nnapi.corrected.executions.iter().all(|e| e.kind == Kind::Driver && e.driver == e.total()));
    let spread = figure(&mut doc, "nnapi-executions-spread", &[0]);
    let total = &numbers(&spread, &["Total", "Driver executions"])[0];
    // Too few for a 95th percentile.
    let expected = [8.0, 4.35, 4.0, 4.35, 4.7];
    assert!(total.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{total:?}");
    // Nothing is said of layers that were not recorded.
    for part in ["Application", "Runtime", "IPC", "CPU"] {
        assert!(numbers(&spread, &[part]).is_empty(), "{part}");
    }
    assert!(notes(&spread).contains("Only drivers wrote marks"), "{}", notes(&spread));
    let list = figure(&mut doc, "nnapi-executions", &[0]);
    assert_eq!(column(&list, "Call"), vec![Cell::Text("Driver".to_owned()); 8]);
    assert_eq!(column(&list, "Driver share"), vec![Cell::Number(100.0); 8]);
    assert_eq!(column(&list, "Total")[7], Cell::Number(4.7));
    let Body::Lines(chart) = figure(&mut doc, "nnapi-executions-distribution", &[0]).body else { panic!() };
    assert_eq!((chart.lines.len(), chart.lines[0].name.as_str()), (1, "Driver executions"));
    let Body::Scatter(plot) = figure(&mut doc, "nnapi-executions-strip", &[0]).body else { panic!() };
    assert_eq!(plot.series.iter().map(|series| series.points.len()).sum::<usize>(), 8);
    // One execution of the table is an eighth of it.
    let Body::Matrix(matrix) = figure(&mut doc, "nnapi-layers", &[0, 1, 0]).body else { panic!() };
    let at = matrix.columns.iter().position(|name| name == "Execution").unwrap();
    assert_eq!(matrix.cells[3 * matrix.columns.len() + at].value, Some(4.35));
    // There is one band for each: those of the driver.
    let trace = doc.trace();
    let is_there = |name: &str| trace.tracks.iter().any(|(_, track)| trace.strings.get(track.name) == name);
    assert!(is_there("Driver executions") && !is_there("Executions"));
}

/// Inputs of 30 µs and results of 20 µs that the driver marks are no computing.
#[test]
fn inputs_and_results_of_a_driver_alone_are_told_apart() {
    let mut rows = Rows::default();
    rows.mark(100, COMPUTES, "HIDL::IPreparedModel::executeSynchronously::server");
    for (from, to, mark) in [(110, 140, "[NN_LD_PIO]copyIn"), (300, 320, "[NN_LD_PR]copyOut")] {
        rows.mark(from, COMPUTES, mark);
        rows.end(to, COMPUTES);
    }
    rows.end(400, COMPUTES);
    let doc = rows.open();
    let [execution] = &doc.result::<Nnapi>(&ANALYSIS).unwrap().corrected.executions[..] else { panic!() };
    assert_eq!((execution.total(), execution.io, execution.results), (300_000, 30_000, 20_000));
}

#[test]
fn rules_look_at_what_a_driver_alone_marked() {
    let mut rows = eight();
    for at in 0..8 {
        // It gets its processor 10 µs late, and sleeps uninterruptibly for a millisecond.
        let (from, dur) = (10_000 * (at + 1), 4_000 + 100 * at);
        rows.runs(from + 10, None);
        rows.runs(from + 1_060, Some("D"));
        rows.runs(from + 2_060, None);
        rows.runs(from + dur + 160, Some("S"));
    }
    // Scheduling was recorded before the first and beyond the last of them.
    rows.runs(9_000, Some("S"));
    rows.runs(99_000, None);
    let overview = rows.overview();
    let waits = planted(&overview, "nnapi-driver-waits", 8.08 / 34.8);
    assert_eq!(
        waits.sentence.to_string(),
        "No thread of the driver runs for ⟦23.2 % of the time⟧ of its 8 executions."
    );
    let asleep = waits.evidence.numbers.iter().find(|number| number.name == "Uninterruptible sleep");
    assert_eq!(asleep.map(|number| number.value), Some(8e6));
    // From the end of each to the begin of the next one: 6.0, 5.9 … 5.4 ms of 74.7; all of it is 74.76.
    let gaps = planted(&overview, "nnapi-gaps", 39.9 / 74.7);
    assert_eq!(gaps.saving.value, 39.9e6);
    assert!((gaps.saving.share - 39.9 / 74.76).abs() < 1e-9, "{}", gaps.saving.share);
    assert!(gaps.line.to_string().contains("was not recorded"), "{}", gaps.line);
    silent(&overview, "nnapi-first");
    // What is not the driver's cannot be looked at, and why is told.
    for rule in ["nnapi-layer", "nnapi-on-cpu", "nnapi-partitions", "nnapi-ipc", "nnapi-copies"] {
        missing(&overview, rule);
        let Some(Outcome::Missing(why)) = outcome(&overview, rule) else { panic!() };
        assert!(!why.to_string().contains("no execution starts"), "{rule}: {why}");
    }
    missing(&overview, "nnapi-compilation");
    assert_eq!(
        tile(&overview, "Driver"),
        (
            "100.0 %".to_owned(),
            "of the time of 8 executions, Driver executions; runtime not recorded".to_owned()
        )
    );
    assert_eq!(
        tile(&overview, "First vs. steady state"),
        ("0.92 ×".to_owned(), "first in the recording 4.000 ms, median 4.350 ms".to_owned())
    );
    assert_eq!(tile(&overview, "Runtime and IPC").0, "not known");
    assert_eq!(tile(&overview, "CPU fallback").0, "not known");
    // Without scheduling only that rule cannot look.
    let plain = eight().overview();
    missing(&plain, "nnapi-driver-waits");
    planted(&plain, "nnapi-gaps", 39.9 / 74.7);
}

/// The first takes three times the median of 2 ms; the ninth is an outlier. Calls come on two threads, and leave no gap.
#[test]
fn a_slow_first_execution_and_outliers_of_a_driver_alone_are_found() {
    let mut rows = Rows::default();
    let mut now = 1_000;
    for at in 0..10 {
        let dur = match at {
            0 => 6_000,
            8 => 4_000,
            _ => 2_000,
        };
        let thread = CALLED + 10 * (at % 2);
        rows.mark(now, thread, "HIDL::IPreparedModel::executeSynchronously::server");
        rows.mark(now + 10, thread, "[NN_LD_PE]SampleDriver::executeSynchronously");
        rows.end(now + dur - 10, thread);
        rows.end(now + dur, thread);
        now += dur + 10;
    }
    let mut doc = rows.open();
    let overview = doc.whole_overview();
    check(&overview);
    let first = planted(&overview, "nnapi-first", 3.0);
    assert_eq!(
        first.sentence.to_string(),
        "The first execution of the driver takes ⟦3.00 times the median⟧ of 2.000 ms."
    );
    silent(&overview, "nnapi-gaps");
    let list = figure(&mut doc, "nnapi-executions", &[0]);
    let remarks = column(&list, "Remark");
    let outliers: Vec<usize> =
        (0..10).filter(|at| remarks[*at] == Cell::Text("outlier".to_owned())).collect();
    assert_eq!(outliers, [0, 8]);
}
