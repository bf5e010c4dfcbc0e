//! What a reader concludes from the figures is so: what is cut, what was not recorded, what belongs together.

use super::make::{cell, only};
use super::runs::{figure, slices, text};
use crate::support::corpus::corpus;
use crate::support::front_door::open_one;
use crate::support::rows::values;
use lanescope::analysis::statistics::Options;
use lanescope::base::time::Span;
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell, Figure, Target};
use lanescope::systems::android::nnapi::corrected::{App, Kind, PHASES};
use lanescope::systems::android::nnapi::mark::Layer;
use lanescope::systems::android::nnapi::{ANALYSIS, Nnapi};
use lanescope::wire::Query;
use lanescope::wire::rows::Source;
use std::fmt::Write as _;

const HEAD: &str = "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n";

/// A document of rows `MICROSECONDS THREAD PROCESS MARK`.
pub(super) fn doc(rows: &str) -> Document {
    let mut file = HEAD.to_owned();
    for line in rows.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let [time, thread, process, mark] = words[..] else { panic!("{line}") };
        let time: u32 = time.parse().unwrap();
        let _ = writeln!(
            file,
            " thread-{thread}     ({process:>5}) [000] ...1   100.{time:06}: tracing_mark_write: {mark}"
        );
    }
    let (doc, is_ready) = open_one("trace.txt", file.into_bytes());
    assert!(is_ready);
    doc
}

fn real(name: &str) -> Option<Document> {
    let bytes = std::fs::read(corpus("nnapi/aosp")?.join(name)).unwrap();
    let (doc, is_ready) = open_one(name, bytes);
    assert!(is_ready);
    Some(doc)
}

pub(super) fn notes(figure: &Figure) -> String {
    figure.notes.iter().map(|note| format!("{note}\n")).collect()
}

/// The rows of a table whose cells begin with these texts: their numbers, times in milliseconds.
pub(super) fn numbers(figure: &Figure, keys: &[&str]) -> Vec<Vec<f64>> {
    let Body::Table(table) = &figure.body else { panic!("no table") };
    let is_meant =
        |row: &&Vec<Cell>| keys.iter().zip(*row).all(|(key, cell)| *cell == Cell::Text((*key).to_owned()));
    let number = |cell: &Cell| if let Cell::Number(n) = cell { Some(*n) } else { None };
    table.rows.iter().filter(is_meant).map(|row| row.iter().filter_map(number).collect()).collect()
}

pub(super) fn column(figure: &Figure, name: &str) -> Vec<Cell> {
    let Body::Table(table) = &figure.body else { panic!("no table") };
    let at = table.columns.iter().position(|column| column.name == name);
    at.map_or_else(Vec::new, |at| table.rows.iter().map(|row| row[at].clone()).collect())
}

/// Two executions of 100 and 200 µs, one that the end of the file cuts after 400; all of one driver.
const CUT: &str = "0 5 5 B|5|[NN_LA_PO]net
    100 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute
    110 7 7 B|7|[NN_LD_PE]Driver::execute
    160 7 7 E|7
    200 5 5 E|5
    300 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute
    500 5 5 E|5
    600 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute
    650 7 7 B|7|[NN_LD_PE]Driver::execute
    1000 8 8 B|8|something else
    1000 8 8 E|8";

#[test]
fn an_execution_without_an_end_counts_nowhere() {
    let mut doc = doc(CUT);
    let spread = figure(&mut doc, "nnapi-executions-spread", &[0]);
    assert_eq!(numbers(&spread, &["Total"]), [[2.0, 0.15, 0.1, 0.15, 0.2]]);
    // The driver executed in one of the two; nobody knows how long it took in the third.
    assert_eq!(numbers(&spread, &["Driver"])[0][..2], [1.0, 0.05]);
    assert!(notes(&spread).contains("Unfinished executions: 1."), "{}", notes(&spread));
    let list = figure(&mut doc, "nnapi-executions", &[0]);
    assert_eq!(column(&list, "Remark").last(), Some(&Cell::Text("unfinished".to_owned())));
    assert_eq!(column(&list, "Total")[2], Cell::Number(0.4));
    assert_eq!(column(&list, "Driver")[1], Cell::Missing);
    assert_eq!(column(&list, "Driver share")[0], Cell::Number(50.0));
    // Of one execution: 300 µs of two, not 700 of two or three.
    let Body::Matrix(matrix) = figure(&mut doc, "nnapi-layers", &[0, 1, 0]).body else { panic!() };
    let at = matrix.columns.iter().position(|name| name == "Execution").unwrap();
    assert_eq!(matrix.cells[matrix.columns.len() + at].second, Some(0.15));
    assert!(
        matrix.columns.iter().all(|name| !["Total", "Preparation", "Compilation"].contains(&name.as_str()))
    );
    let Body::Matrix(matrix) = figure(&mut doc, "nnapi-layers", &[0, 0, 0]).body else { panic!() };
    let at = matrix.columns.iter().position(|name| name == "Execution").unwrap();
    assert_eq!(matrix.cells[matrix.columns.len() + at].second, Some(0.3));
    let Body::Scatter(plot) = figure(&mut doc, "nnapi-executions-strip", &[0]).body else { panic!() };
    assert_eq!(plot.series.iter().map(|series| series.points.len()).sum::<usize>(), 2);
}

/// Where nobody waits, what was caused tells the end; nothing that was caused tells nothing.
#[test]
fn an_execution_that_is_never_awaited_ends_with_what_it_caused() {
    let start = "0 app B|1|[NN_LR_PE]ANeuralNetworksExecution_startCompute
        10 app E|1
        ";
    let (corrected, run) = only(start);
    assert!(corrected.executions[0].is_cut);
    assert_eq!((run.matrix.n_executions(None), run.matrix.n_cut), (0, 1));
    let (corrected, run) = only(&(start.to_owned() + "20 work B|1|[NN_LC_PE]run\n 50 work E|1"));
    let execution = corrected.executions[0];
    assert!(!execution.is_cut && execution.kind == Kind::Asynchronous);
    assert_eq!((execution.time, run.matrix.n_executions(None)), (50_000, 1));
    // A wait that never ends is no end.
    let (corrected, _) = only(&(start.to_owned() + "20 app B|1|[NN_LR_PE]ANeuralNetworksEvent_wait"));
    assert!(corrected.executions[0].is_cut);
}

/// 20 executions end, by the rows of the file: the mean of their times is 64.65790, the median 40.8365, the maximum 162.536.
#[test]
fn the_cut_execution_of_a_real_trace_counts_nowhere() {
    let Some(mut doc) = real("omr1_incomplete.ftrace.txt") else { return };
    let spread = figure(&mut doc, "nnapi-executions-spread", &[21]);
    let all = &numbers(&spread, &["Total", "all networks together"])[0];
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
    assert_eq!(all[0], 20.0);
    near(all[1], 64.6579);
    near(all[3], 40.8365);
    near(all[5], 162.536);
    // Networks stand apart: five executions of each of four, none of the fifth, which the end of the file cuts.
    let networks = [
        ("mobilenet_quantized", 69.3848),
        ("mobilenet_float", 149.2428),
        ("hdrnet_quantized", 25.2996),
        ("hdrnet_float", 14.7044),
    ];
    for (network, mean) in networks {
        let row = &numbers(&spread, &["Total", network])[0];
        assert_eq!(row[0], 5.0);
        near(row[1], mean);
    }
    assert!(numbers(&spread, &["Total", "resnet_quantized"]).is_empty());
    let list = figure(&mut doc, "nnapi-executions", &[21]);
    let remarks = column(&list, "Remark");
    assert_eq!(remarks.iter().filter(|cell| **cell == Cell::Text("unfinished".to_owned())).count(), 1);
    assert_eq!((remarks.len(), column(&list, "Run").len()), (21, 21));
    // Neither the runtime nor a driver wrote marks: nothing is said of them, and no zero stands for it.
    for part in ["Runtime", "CPU", "Driver", "I/O"] {
        assert!(numbers(&spread, &[part]).is_empty() && column(&list, part).is_empty(), "{part}");
    }
}

#[test]
fn the_sentence_of_cpu_operations_says_what_the_marks_allow() {
    let said = |rows: &str| notes(&figure(&mut doc(rows), "nnapi-fallback", &[0]));
    let execution =
        |at: u32| format!("{} 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute\n{} 5 5 E|5\n", at, at + 50);
    let driver = |at: u32| format!("{} 7 7 B|7|[NN_LD_PE]Driver::execute\n{} 7 7 E|7\n", at + 10, at + 20);
    let nested = |at: u32| {
        let all = execution(at);
        let (begin, end) = all.split_once('\n').unwrap();
        format!("{begin}\n{}{end}", driver(at))
    };
    let application = "0 5 5 B|5|[NN_LA_PE]benchmark\n90 5 5 E|5\n";
    assert!(said(application).contains("Runtime marks were not recorded"), "{}", said(application));
    let none = said(&execution(0));
    assert!(none.contains("the trace does not say what computed"), "{none}");
    let some = said(&(nested(0) + &execution(100)));
    assert!(some.contains("A driver ran 1 of 2 executions"), "{some}");
    let all = said(&(nested(0) + &nested(100)));
    assert!(all.contains("a driver ran every execution"), "{all}");
    let idle = said("0 5 5 B|5|[NN_LR_PC]ANeuralNetworksCompilation_finish\n90 5 5 E|5\n");
    assert!(idle.contains("No complete execution"), "{idle}");
    for name in ["omr1.ftrace.txt", "omr1_incomplete.ftrace.txt"] {
        let Some(mut doc) = real(name) else { return };
        let note = notes(&figure(&mut doc, "nnapi-fallback", &[0]));
        assert!(
            note.contains("Runtime marks were not recorded") && !note.contains("No CPU operations"),
            "{note}"
        );
        let run = notes(&figure(&mut doc, "nnapi-run", &[0]));
        assert!(run.contains("Record the trace with the nnapi category"), "{run}");
    }
}

/// A driver executes for 50 µs in an application's 100, and for 100 and 150 µs where only it wrote marks.
#[test]
fn what_the_runtime_takes_is_not_told_where_only_a_driver_wrote_marks() {
    let beside = "0 5 5 B|5|[NN_LA_PO]net\n100 5 5 B|5|[NN_LA_PE]once\n110 7 7 B|7|[NN_LD_PE]Driver::execute\n\
        160 7 7 E|7\n200 5 5 E|5\n300 5 5 E|5\n";
    let alone = "0 7 7 B|7|[NN_LD_PE]Driver::execute\n100 7 7 E|7\n200 7 7 B|7|[NN_LD_PE]Driver::execute\n\
        350 7 7 E|7\n";
    for (rows, ms) in [(beside, 0.05), (alone, 0.25)] {
        let mut doc = doc(rows);
        let Body::Matrix(matrix) = figure(&mut doc, "nnapi-layers", &[0]).body else { panic!("a matrix") };
        let at = matrix.columns.iter().position(|name| name == "Execution").unwrap();
        for (layer, cells) in matrix.rows.iter().zip(matrix.cells.chunks(matrix.columns.len())) {
            let values: Vec<Option<f64>> = cells.iter().map(|cell| cell.value).collect();
            match layer.as_str() {
                "Driver" => assert_eq!(values[at], Some(ms)),
                "Application" => {}
                _ => assert!(values.iter().all(Option::is_none), "{layer}: {values:?}"),
            }
        }
        let spread = figure(&mut doc, "nnapi-executions-spread", &[0]);
        for part in ["Runtime", "IPC", "CPU"] {
            assert!(numbers(&spread, &[part]).is_empty(), "{part} of {rows}");
        }
        let list = figure(&mut doc, "nnapi-executions", &[0]);
        assert!(column(&list, "Runtime").iter().all(|cell| *cell == Cell::Missing), "{rows}");
        for id in
            ["nnapi-run", "nnapi-layers", "nnapi-executions-spread", "nnapi-executions", "nnapi-fallback"]
        {
            let said = notes(&figure(&mut doc, id, &[0]));
            let text = "Runtime marks were not recorded, so runtime and CPU work cannot be seen.";
            assert!(said.contains(text), "{id}: {said}");
        }
    }
    let overview = doc(beside).whole_overview();
    let of = |label: &str| overview.tiles.iter().find(|tile| tile.label == label).unwrap();
    assert_eq!(of("Runtime and IPC").value.to_string(), "not known");
    assert_eq!(of("CPU fallback").comparison.to_string(), "no runtime marks");
}

#[test]
fn shares_of_cpu_operations_add_up() {
    let mut doc = doc("0 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute
        100 5 5 B|5|[NN_LC_PE]run
        110 5 5 B|5|[NN_LC_PCO]conv
        190 5 5 E|5
        200 5 5 E|5
        400 5 5 E|5");
    let table = figure(&mut doc, "nnapi-fallback", &[0]);
    assert_eq!(column(&table, "Total"), [Cell::Number(0.1), Cell::Number(0.08)]);
    assert_eq!(column(&table, "Self"), [Cell::Number(0.02), Cell::Number(0.08)]);
    assert_eq!(column(&table, "Self share of executions"), [Cell::Number(5.0), Cell::Number(20.0)]);
}

/// The place of each execution lies in its bands, and these add up to its time: no compiling is among them.
#[test]
fn an_execution_opens_as_itself() {
    let Some(mut doc) = real("omr1.ftrace.txt") else { return };
    let list = figure(&mut doc, "nnapi-executions", &[5]);
    let (times, places) = (column(&list, "Total"), column(&list, "Time (s)"));
    assert_eq!(times.len(), 5);
    let names: Vec<Cell> = (1..=5).map(|n| Cell::Text(format!("{n} mobilenet_quantized"))).collect();
    assert_eq!(column(&list, "Run"), names);
    for (number, (time, place)) in (1..).zip(times.iter().zip(&places)) {
        let (Cell::Number(time), Cell::Text(place)) = (time, place) else { panic!() };
        let bands = bands(&doc, &format!("run {number} execution 1"));
        assert!((bands.iter().map(|s| s.dur()).sum::<i64>() as f64 / 1e6 - time).abs() < 1e-9);
        let Some(Target::Slices { span: Some(span), .. }) = Target::of_place(place) else {
            panic!("{place}")
        };
        assert!(bands.contains(&span), "run {number}");
        let prepared = slices(&mut doc, &Target::place_of_slices("prepareModel", None, Some(span)), false);
        assert_eq!(prepared, [], "run {number}");
        let executed =
            slices(&mut doc, &Target::place_of_slices("IPreparedModel::execute", None, Some(span)), false);
        assert_eq!(executed.len(), 2, "run {number}");
    }
    // The second: 15.457 ms of 538.505.
    assert_eq!(times[1], Cell::Number(15.457));
    // Tables tell times as the timeline does: from the begin of the trace.
    let Cell::Text(place) = &places[0] else { panic!() };
    let shown: f64 = Target::shown(place).parse().unwrap();
    assert!((0.0..60.0).contains(&shown), "{shown}");
}

/// The slices of a name on derived tracks.
fn bands(doc: &Document, name: &str) -> Vec<Span> {
    let trace = doc.trace();
    let tracks = trace.tracks.iter().filter(|(_, track)| track.is_derived).map(|(_, track)| &track.slices);
    let rows =
        tracks.flat_map(|slices| (0..slices.len()).map(move |row| (slices.name[row], slices.span(row))));
    rows.filter(|(of, _)| trace.strings.get(*of) == name).map(|(_, span)| span).collect()
}

/// The file has 6,100 scopes; bands that are made of them are in no number, sum or search.
#[test]
fn bands_are_not_slices_of_the_file() {
    let Some(mut doc) = real("omr1.ftrace.txt") else { return };
    let text = std::fs::read_to_string(corpus("nnapi/aosp").unwrap().join("omr1.ftrace.txt")).unwrap();
    let n = text.lines().filter(|line| line.contains(": tracing_mark_write: B|")).count() as u64;
    assert_eq!((n, doc.trace().n_slices(), doc.head().contents.slices), (6_100, n, n));
    let export = |doc: &mut Document, id: &str| {
        let bytes = doc.query(&Query::Export { id: id.to_owned() }).1.unwrap();
        String::from_utf8(bytes).unwrap()
    };
    assert_eq!(export(&mut doc, "slices-csv").lines().count() as u64, n + 1);
    let rows = values(&mut doc, Source::Statistics(Options::default()), None, "");
    let of =
        |name: &str| rows.iter().filter(|row| row[0] == name).map(|row| row.join(" ")).collect::<Vec<_>>();
    assert_eq!(of("mobilenet_quantized").len(), 1);
    assert!(of("mobilenet_quantized")[0].contains(" 5 "), "{:?}", of("mobilenet_quantized"));
    assert!(rows.iter().all(|row| !row[0].starts_with("run ")), "{rows:?}");
    let hits = slices(&mut doc, &Target::place_of_slices("mobilenet", None, None), true);
    assert_eq!(hits.len(), 5);
    // Who looks at the bands themselves gets their sums.
    let csv = export(&mut doc, "range-csv");
    assert!(!csv.contains("execution 1"), "{csv}");
}

/// Two networks, warm-up and benchmark: four groups, and each number is that of its group.
#[test]
fn networks_and_loops_stand_apart() {
    let mut rows = String::new();
    for (run, (network, times)) in [("slow", [50, 40]), ("fast", [5, 4])].into_iter().enumerate() {
        let base = 1_000 * run as u32;
        let _ = writeln!(rows, "{base} 5 5 B|5|[NN_LA_PO]{network}");
        for (at, (phase, time)) in [(100, ("PWU", times[0])), (300, ("PBM", times[1]))] {
            let at = base + at;
            let _ = writeln!(rows, "{at} 5 5 B|5|[NN_LA_{phase}]loop");
            let _ = writeln!(rows, "{} 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute", at + 10);
            let _ = writeln!(rows, "{} 5 5 E|5\n{} 5 5 E|5", at + 10 + time, at + 100);
        }
        let _ = writeln!(rows, "{} 5 5 E|5", base + 900);
    }
    let mut doc = doc(&rows);
    let spread = figure(&mut doc, "nnapi-executions-spread", &[2]);
    let mean = |network: &str, of: &str| numbers(&spread, &["Total", network, of])[0][..2].to_vec();
    assert_eq!(mean("slow", "Warmup"), [1.0, 0.05]);
    assert_eq!(mean("slow", "Benchmark"), [1.0, 0.04]);
    assert_eq!(mean("fast", "Warmup"), [1.0, 0.005]);
    assert_eq!(mean("fast", "Benchmark"), [1.0, 0.004]);
    assert_eq!(mean("all networks together", "All"), [4.0, 0.024_75]);
    assert!(notes(&spread).contains("Executions of 2 runs"), "{}", notes(&spread));
    let Body::Scatter(plot) = figure(&mut doc, "nnapi-executions-strip", &[2]).body else { panic!() };
    let names: Vec<String> = plot.series.into_iter().map(|series| series.name).collect();
    assert_eq!(names, ["slow · Warmup", "slow · Benchmark", "fast · Warmup", "fast · Benchmark"]);
    // What nobody chose is the first run, here as in every other figure.
    let first = text(&figure(&mut doc, "nnapi-executions", &[0]));
    assert_eq!(first.lines().count(), 3, "{first}");
}

/// Each number that the table of the AOSP parser prints per execution is that of the figure, in every trace at hand.
#[test]
fn numbers_per_execution_are_those_that_the_parser_prints() {
    let Some(folder) = corpus("nnapi") else { return };
    let mut n = 0;
    for path in ["synth", "aosp"].iter().flat_map(|part| std::fs::read_dir(folder.join(part)).unwrap()) {
        let path = path.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let set = path.parent().unwrap().file_name().unwrap();
        let golden = folder.join("golden").join(set).join(format!("{name}.perexec.txt"));
        let Ok(golden) = std::fs::read_to_string(golden) else { continue };
        let (mut doc, is_ready) = open_one(&name, std::fs::read(&path).unwrap());
        let Some(nnapi) = doc.result::<Nnapi>(&ANALYSIS).filter(|_| is_ready) else { continue };
        let printed: Vec<bool> =
            nnapi.corrected.runs.iter().map(|run| nnapi.aosp_of(run).is_some()).collect();
        let choices = nnapi.corrected.runs.iter().any(|run| {
            let of = |app| 0 < run.matrix.n_executions(Some(app));
            of(App::Warmup) || of(App::Benchmark)
        });
        let runs = printed.iter().enumerate().filter(|(_, is)| **is).map(|(run, _)| run);
        let tables = golden.split("Compute      Results         Total    Percentage").skip(1);
        for (run, table) in runs.zip(tables) {
            let chosen: Vec<usize> = if choices { vec![run, 0, 1, 1] } else { vec![run, 1, 1] };
            let Body::Matrix(matrix) = figure(&mut doc, "nnapi-layers", &chosen).body else { panic!() };
            for line in table.lines().take(9) {
                let mut words = line.split_whitespace().map(|word| word.trim_end_matches(['*', '%']));
                let layer = words.next().unwrap_or("");
                let row = matrix.rows.iter().position(|row| row == layer);
                if row.is_none() && layer != "Total" {
                    continue;
                }
                for (column, word) in ["I/O", "Compute", "Results", "Execution"].into_iter().zip(words) {
                    let at = matrix.columns.iter().position(|own| own == column);
                    let value = at.and_then(|at| match row {
                        Some(row) => matrix.cells[row * matrix.columns.len() + at].value,
                        None => matrix.column_totals[at],
                    });
                    match word {
                        "n/a" => assert_eq!(value, None, "{name} run {run} {layer} {column}"),
                        "-" => {
                            assert!(value.unwrap_or(0.0).abs() < 0.0051, "{name} {layer} {column} {value:?}")
                        }
                        word => {
                            let expected: f64 = word.parse().unwrap();
                            let near = value.is_some_and(|value| (value - expected).abs() < 0.0051);
                            assert!(near, "{name} run {run} {layer} {column}: {value:?} {expected}");
                            n += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(200 < n, "{n}");
}

/// Where the numbers differ from the parser's, a reason is said, in the row of the layer.
#[test]
fn every_difference_has_a_reason() {
    let Some(folder) = corpus("nnapi") else { return };
    let mut without = String::new();
    for path in ["synth", "aosp"].iter().flat_map(|part| std::fs::read_dir(folder.join(part)).unwrap()) {
        let path = path.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (mut doc, is_ready) = open_one(&name, std::fs::read(&path).unwrap());
        let n =
            doc.result::<Nnapi>(&ANALYSIS).filter(|_| is_ready).map_or(0, |nnapi| nnapi.corrected.runs.len());
        for run in 0..n {
            let Body::Matrix(matrix) = figure(&mut doc, "nnapi-layers", &[run]).body else { panic!() };
            for (at, cell) in matrix.cells.iter().enumerate() {
                let place =
                    (&matrix.rows[at / matrix.columns.len()], &matrix.columns[at % matrix.columns.len()]);
                let said: Vec<String> = cell.notes.iter().map(ToString::to_string).collect();
                if said.len() == 1 {
                    let _ = writeln!(
                        without,
                        "{name} run {run} {place:?} {:?} {:?} {said:?}",
                        cell.value, cell.second
                    );
                }
            }
        }
    }
    assert!(without.is_empty(), "{without}");
}

#[test]
fn input_of_the_driver_is_not_the_runtimes() {
    // The runtime sets 40 µs of inputs before it computes, the driver copies 30 inside of computing.
    let (_, run) = only(
        "0 app B|1|[NN_LR_PE]ANeuralNetworksExecution_compute
        10 app B|1|[NN_LR_PIO]inputs
        50 app E|1
        60 hal B|7|[NN_LD_PIO]copy
        90 hal E|7
        100 app E|1",
    );
    assert_eq!((cell(&run, "LR_PIO"), cell(&run, "LD_PIO")), ((40.0, 40.0), (30.0, 30.0)));
    let cause = lanescope::systems::android::nnapi::corrected::Cause::Subtraction;
    assert!(
        run.differences.iter().any(|d| d.cause == cause && d.time == Some(30_000)),
        "{:?}",
        run.differences
    );
}

/// The call that stands open in front of these traces has no part in any number.
#[test]
fn a_call_without_an_end_changes_no_number_of_a_trace() {
    let Some(folder) = corpus("nnapi/synth") else { return };
    for name in ["open_scope_across_runs.txt", "incomplete_first.txt"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let (before, after) = text.split_once("getStatus::server\n").unwrap();
        let without = format!("{}\n{after}", before.rsplit_once('\n').unwrap().0);
        let [with, without] = [text.clone(), without].map(|text| open_one(name, text.into_bytes()).0);
        let [with, without] = [&with, &without].map(|doc| doc.result::<Nnapi>(&ANALYSIS).unwrap());
        assert_eq!(with.corrected.drivers.len(), 5, "{name}");
        assert!(with.corrected.runs[0].is_incomplete && !without.corrected.runs[0].is_incomplete, "{name}");
        for (with, without) in with.corrected.runs.iter().zip(&without.corrected.runs) {
            for (layer, phase) in Layer::REPORTED.into_iter().flat_map(|l| PHASES.map(|p| (l, p))) {
                let [with, without] = [with, without].map(|run| run.matrix.cell(None, layer, phase));
                let times = (with.total, with.own);
                assert_eq!(times, (without.total, without.own), "{name} {layer:?} {phase:?}");
            }
        }
    }
}
