//! Several runs in one trace: all of them side by side, and numbers of one that lead to slices of that one.

use crate::support::corpus::corpus;
use crate::support::front_door::open_one;
use crate::support::rows::{page, values, wanted};
use lanescope::base::brief::shown;
use lanescope::base::geometry::Size;
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell, Figure, MatrixCell, ScatterSeries, Target};
use lanescope::scene::palette::Palette;
use lanescope::systems::android::nnapi::mark::Layer;
use lanescope::systems::android::nnapi::{ANALYSIS, Nnapi};
use lanescope::views::timeline::messages::{self as timeline, Area, Arrangement, Folding, SearchQuery};

use lanescope::wire::figures::{FigureQuery, Frame, Reply};
use lanescope::wire::rows::Source;

/// Three runs of one execution each: microseconds of compiling and of executing.
const RUNS: [(u32, u32); 3] = [(300, 40), (200, 60), (500, 20)];

fn three_runs() -> Document {
    runs_of(["net"; 3])
}

/// The same, each of a network of this name.
fn runs_of(networks: [&str; 3]) -> Document {
    let mut text = "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n".to_owned();
    for (((compile, execute), base), network) in RUNS.into_iter().zip([0, 1_000, 2_000]).zip(networks) {
        let begins = format!("B|5|[NN_LA_PO]{network}");
        for (at, mark) in [
            (0, begins.as_str()),
            (100, "B|5|[NN_LR_PC]ANeuralNetworksCompilation_finish"),
            (100 + compile, "E|5"),
            (700, "B|5|[NN_LR_PE]ANeuralNetworksExecution_compute"),
            (700 + execute, "E|5"),
            (900, "E|5"),
        ] {
            let at = base + at;
            text += &format!(" app-5     (    5) [000] ...1   100.{at:06}: tracing_mark_write: {mark}\n");
        }
    }
    let (doc, is_ready) = open_one("trace.txt", text.into_bytes());
    assert!(is_ready);
    doc
}

pub(super) fn figure(doc: &mut Document, id: &str, chosen: &[usize]) -> Figure {
    let ask = FigureQuery::Figure { id: id.to_owned(), chosen: chosen.to_vec() };
    match doc.query(&ask).0 {
        Some(Reply::Figure(shown)) => shown.figure,
        other => panic!("{other:?}"),
    }
}

/// Names and starts of the slices that a place leads to.
pub(super) fn slices(doc: &mut Document, place: &str, is_all: bool) -> Vec<(String, i64)> {
    let Some(Target::Slices { search, within, .. }) = Target::of_place(place) else { panic!("{place}") };
    let within = within.filter(|_| !is_all);
    let query = SearchQuery { text: search, within, ..SearchQuery::default() };
    let rows = values(doc, Source::Hits(query), None, "");
    rows.into_iter().map(|row| (row[0].clone(), row[2].parse().unwrap())).collect()
}

fn cells(doc: &mut Document, run: usize) -> Vec<MatrixCell> {
    let Body::Matrix(matrix) = figure(doc, "nnapi-layers", &[run]).body else { panic!("no matrix") };
    matrix.cells.into_iter().filter(|cell| !cell.place.is_empty()).collect()
}

#[test]
fn numbers_of_a_run_lead_to_its_slices() {
    let mut doc = three_runs();
    for (run, (compile, _)) in RUNS.into_iter().enumerate() {
        let base = 100_000_000_000 + 1_000_000 * run as i64;
        let all = cells(&mut doc, run);
        let compiling = all.iter().find(|cell| cell.value == Some(f64::from(compile) / 1e3)).unwrap();
        let name = "ANeuralNetworksCompilation_finish".to_owned();
        assert_eq!(slices(&mut doc, &compiling.place, false), [(name, base + 100_000)]);
        assert_eq!(slices(&mut doc, &compiling.place, true).len(), RUNS.len());
        // Functions are found by their names.
        let Body::Table(functions) = figure(&mut doc, "nnapi-functions", &[run]).body else { panic!() };
        for row in &functions.rows {
            let (Cell::Text(name), Some(Cell::Text(place))) = (&row[0], row.last()) else {
                panic!("{row:?}")
            };
            let found = slices(&mut doc, place, false);
            assert!(found.iter().all(|(_, at)| (base..base + 900_000).contains(at)), "{found:?}");
            assert!(found.iter().any(|(found, _)| found == name), "{found:?}");
        }
    }
}

/// A table as text: names as they are, times in whole microseconds.
pub(super) fn text(figure: &Figure) -> String {
    let Body::Table(table) = &figure.body else { panic!("no table") };
    let cell = |cell: &Cell| match cell {
        Cell::Number(ms) => format!("{:.0}", ms * 1e3),
        Cell::Text(text) => text.clone(),
        _ => "-".to_owned(),
    };
    let line = |row: &Vec<Cell>| row.iter().map(cell).collect::<Vec<_>>().join(" ");
    let head = table.columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>().join(", ");
    [head].into_iter().chain(table.rows.iter().map(line)).map(|line| line + "\n").collect()
}

/// Networks are named by files: a head of sixty letters above numbers of five would be wider than all else.
#[test]
fn runs_of_networks_with_long_names_have_columns_for_their_numbers() {
    let mut doc = runs_of([
        "mobilenet_v2_1.0_224_quantized_per_channel_with_softmax.tflite",
        "mobilenet_v2_1.0_224_quantized_per_layer_with_softmax.tflite",
        "inception_v4_299_float_with_reduced_mean_and_softmax.tflite",
    ]);
    let id = "nnapi-runs".to_owned();
    let source = Source::Figure { id, chosen: vec![0, 0], is_compared: false, is_folded: false };
    let columns = page(&mut doc, source, wanted(None, "")).page.columns;
    let long: Vec<_> = columns.iter().filter(|column| column.title.contains("softmax")).collect();
    assert_eq!(long.len(), 3);
    for column in &long {
        assert!(column.is_long() && column.wanted(false) <= 200.0, "{}: {}", column.title, column.width);
    }
    // What tells them apart is seen.
    let seen: Vec<String> = long.iter().map(|column| shown(&column.title, &column.kept)).collect();
    assert!(seen[0] != seen[1] && seen[1] != seen[2], "{seen:?}");
    // All have room in a window of 1280 px: the totals too.
    let needs: f64 = columns.iter().map(|column| column.least(true)).sum();
    assert!(needs < 1_040.0, "{needs}");
}

#[test]
fn all_runs_stand_side_by_side() {
    let mut doc = three_runs();
    let own = "Layer, Phase, Min, Median, Max, #1, #2, #3
Application Total 380 560 640 560 640 380
Runtime Total 260 340 520 340 260 520
Runtime Compilation 200 300 500 300 200 500
Runtime Compute 20 40 60 40 60 20
Runtime Execution 20 40 60 40 60 20
Total Total 900 900 900 900 900 900
Total Compilation 200 300 500 300 200 500
Total Compute 20 40 60 40 60 20
Total Execution 20 40 60 40 60 20
";
    let table = figure(&mut doc, "nnapi-runs", &[0, 0]);
    assert_eq!((text(&table), table.scope.as_str()), (own.to_owned(), "net"));
    let total = text(&figure(&mut doc, "nnapi-runs", &[1, 0]));
    assert!(total.contains("\nApplication Total 900 900 900 900 900 900\n"), "{total}");
    let Body::Bars(bars) = figure(&mut doc, "nnapi-runs-layers", &[0]).body else { panic!("no bars") };
    // In the colors of the timeline.
    assert_eq!(
        (bars.parts, bars.colors),
        (["Application", "Runtime"].map(str::to_owned).to_vec(), vec![4, 1])
    );
    let lens = bars.bars.iter().map(|bar| bar.values.iter().flatten().sum::<f64>());
    assert!(lens.map(|len| (len * 1e3).round()).eq([900.0; 3]));
}

/// Only the runtime compiles: the bars of all runs have its color, none that of the name of a run.
#[test]
fn one_layer_of_all_runs_has_one_color() {
    let mut doc = three_runs();
    let (id, chosen) = ("nnapi-runs-layers".to_owned(), vec![3]);
    let Body::Bars(bars) = figure(&mut doc, &id, &chosen).body else { panic!() };
    assert_eq!((bars.parts, bars.bars.len()), (vec!["Runtime".to_owned()], 3));
    let frame = Frame { id, chosen, ..Frame::default() };
    let (scene, _) = doc.draw(&frame, Size { w: 600.0, h: 300.0 }, &Palette::default());
    let scene = format!("{scene:?}");
    let color = format!("Slice({})", Layer::Runtime.color());
    let n = scene.matches(&color).count();
    assert!(0 < n && n == scene.matches("Slice(").count(), "{scene}");
}

/// Parts of executions have the colors that layers have on the timeline and in bars.
#[test]
fn layers_keep_their_colors_among_points() {
    let mut text = "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n".to_owned();
    let mut row = |at: u32, mark: &str| {
        text += &format!(" app-5     (    5) [000] ...1   100.{at:06}: tracing_mark_write: {mark}\n");
    };
    for base in [0, 1_000] {
        row(base, "B|5|[NN_LR_PE]ANeuralNetworksExecution_compute");
        row(base + 100, "B|5|[NN_LC_PE]run");
        row(base + 130, "E|5");
        row(base + 200, "E|5");
    }
    let (mut doc, is_ready) = open_one("trace.txt", text.into_bytes());
    assert!(is_ready);
    let id = || "nnapi-executions-strip".to_owned();
    let Body::Scatter(plot) = figure(&mut doc, &id(), &[0, 1]).body else { panic!() };
    let parts = |series: &ScatterSeries| {
        (series.name.clone(), series.points.iter().map(|p| (p.y * 1e3).round()).collect::<Vec<_>>())
    };
    let found: Vec<_> = plot.series.iter().map(parts).collect();
    assert_eq!(found, [("Runtime".to_owned(), vec![170.0; 2]), ("CPU".to_owned(), vec![30.0; 2])]);
    assert_eq!(plot.colors, [Layer::Runtime.color(), Layer::Cpu.color()]);
    let frame = Frame { id: id(), chosen: vec![0, 1], ..Frame::default() };
    let size = Size { w: 600.0, h: 300.0 };
    let (scene, _) = doc.draw(&frame, size, &Palette::default());
    let scene = format!("{scene:?}");
    for color in plot.colors {
        assert!(scene.contains(&format!("Slice({color})")), "{color}");
    }
}

#[test]
fn the_legend_names_the_layers_that_are_seen() {
    let mut text = "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n".to_owned();
    for (thread, at, mark) in [
        ("app-5", 0, "B|5|[NN_LR_PE]ANeuralNetworksExecution_compute"),
        ("work-6", 100, "B|5|[NN_LC_PE]run"),
        ("work-6", 130, "E|5"),
        ("app-5", 200, "E|5"),
    ] {
        text += &format!(" {thread}  (    5) [000] ...1   100.{at:06}: tracing_mark_write: {mark}\n");
    }
    let (mut doc, is_ready) = open_one("trace.txt", text.into_bytes());
    assert!(is_ready);
    let mut legend = |filter: &str| -> Vec<String> {
        let rows = Box::new(Arrangement { filter: filter.to_owned(), ..Arrangement::default() });
        let frame =
            timeline::Frame { ratio: 1.0, folding: Folding::Open, rows, ..timeline::Frame::default() };
        let size = Size { w: 900.0, h: 900.0 };
        let (_, note) = doc.draw(&frame, size, &Palette::default());
        let Some(note) = note else { panic!("{note:?}") };
        note.legend.into_iter().map(|item| item.name).collect()
    };
    assert_eq!(legend(""), ["Runtime", "CPU"]);
    assert_eq!(legend("work"), ["CPU"]);
}

#[test]
fn executions_of_all_runs_are_in_one_chart() {
    let mut doc = three_runs();
    let points = |doc: &mut Document, run: usize| {
        let Body::Scatter(plot) = figure(doc, "nnapi-executions-strip", &[run]).body else { panic!() };
        let points = plot.series.into_iter().flat_map(|series| series.points);
        points.map(|p| (p.x, (p.y * 1e3).round(), p.name)).collect::<Vec<_>>()
    };
    // All of them are the last choice: what nobody chose is the first run, as the choice of the run says.
    let of = |n: usize, us: u32| (n as f64, f64::from(us), format!("{n} net synchronous 1"));
    assert_eq!(points(&mut doc, 3), [of(1, 40), of(2, 60), of(3, 20)]);
    assert_eq!(points(&mut doc, 1), [(1.0, 60.0, "synchronous 1".to_owned())]);
    let list = text(&figure(&mut doc, "nnapi-executions", &[3]));
    assert_eq!(list.lines().filter(|line| line.contains(" net 1000 ")).count(), 3, "{list}");
    let one = text(&figure(&mut doc, "nnapi-executions", &[2]));
    assert_eq!(one.lines().count(), 2, "{one}");
    // The spread is that of all: 20, 40 and 60.
    let spread = text(&figure(&mut doc, "nnapi-executions-spread", &[3]));
    assert!(spread.contains("\nTotal Outside loops 3000 40 20 40 "), "{spread}");
}

/// Each number of a real trace of five runs leads to slices of its run, all of those that every run has.
#[test]
fn numbers_of_real_runs_lead_to_their_slices() {
    let Some(folder) = corpus("nnapi/aosp") else { return };
    let bytes = std::fs::read(folder.join("omr1.ftrace.txt")).unwrap();
    let mut doc = open_one("omr1.ftrace.txt", bytes).0;
    let nnapi = doc.result::<Nnapi>(&ANALYSIS).unwrap();
    let spans: Vec<_> = nnapi.corrected.runs.iter().map(|run| run.span).collect();
    assert_eq!(spans.len(), 5);
    for (run, span) in spans.into_iter().enumerate() {
        for cell in cells(&mut doc, run).into_iter().filter(|cell| cell.place.contains("find:")) {
            let found = slices(&mut doc, &cell.place, false);
            assert!(found.iter().all(|(_, at)| span.contains(*at)), "run {run}: {}", cell.place);
            let all = slices(&mut doc, &cell.place, true);
            let of_run = all.iter().filter(|(_, at)| span.contains(*at)).count();
            assert_eq!(found.len(), of_run, "run {run}: {}", cell.place);
            assert!(cell.count == 0 || 0 < of_run, "run {run}: {}", cell.place);
        }
    }
}

/// Two executions of 100 and 200 µs, of which a driver has 50 and 120: the flame graph of the stretch that a row opens has
/// what all threads called in that execution, and nothing of the other.
#[test]
fn the_call_tree_of_an_opened_execution_is_its_own() {
    let mut doc = super::truth::doc(
        "0 5 5 B|5|[NN_LA_PO]net
        100 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute
        110 7 7 B|7|[NN_LD_PE]Driver::execute
        160 7 7 E|7
        200 5 5 E|5
        300 5 5 B|5|[NN_LR_PE]ANeuralNetworksExecution_compute
        310 5 5 B|5|[NN_LC_PE]run
        330 5 5 E|5
        340 7 7 B|7|[NN_LD_PE]Driver::execute
        460 7 7 E|7
        500 5 5 E|5
        900 5 5 E|5",
    );
    // Bands of executions are in no sum of a range; what lies in other slices counts once in that of all names.
    let all = Area { span: doc.trace().span.unwrap(), tracks: Vec::new() };
    let mut sums: Vec<(String, String, i64)> = values(&mut doc, Source::Sums(all), None, "")
        .into_iter()
        .map(|row| (row[0].clone(), row[2].clone(), row[3].parse().unwrap()))
        .collect();
    sums.sort();
    let sum = |name: &str, n: &str, ticks| (name.to_owned(), n.to_owned(), ticks);
    assert_eq!(
        sums,
        [
            sum("ANeuralNetworksExecution_compute", "2", 300_000),
            sum("All names", "6", 1_070_000),
            sum("Driver::execute", "2", 170_000),
            sum("net", "1", 900_000),
            sum("run", "1", 20_000),
        ]
    );
    let list = figure(&mut doc, "nnapi-executions", &[0]);
    let says = "Open a row to select the execution on the timeline; the Flame tab then shows what all threads called in it.";
    assert!(list.notes.iter().any(|note| *note == says), "{:?}", list.notes);
    let places = super::truth::column(&list, "Time (s)");
    let expected: [&[(&str, i64, i64)]; 2] = [
        &[
            ("net", 100_000, 0),
            ("ANeuralNetworksExecution_compute", 100_000, 100_000),
            ("Driver::execute", 50_000, 50_000),
        ],
        &[
            ("net", 200_000, 0),
            ("ANeuralNetworksExecution_compute", 200_000, 180_000),
            ("run", 20_000, 20_000),
            ("Driver::execute", 120_000, 120_000),
        ],
    ];
    assert_eq!(places.len(), expected.len());
    for (place, expected) in places.iter().zip(expected) {
        let Cell::Text(place) = place else { panic!("{place:?}") };
        let Some(Target::Slices { span: Some(span), .. }) = Target::of_place(place) else {
            panic!("{place}")
        };
        let rows = values(&mut doc, Source::Calls(Area { span, tracks: Vec::new() }), None, "");
        // Tracks stand above what was called on them.
        let calls = rows.iter().filter(|row| row[1] != "0");
        let number = |text: &str| text.parse::<i64>().unwrap();
        let calls: Vec<_> = calls.map(|row| (row[0].as_str(), number(&row[3]), number(&row[5]))).collect();
        assert_eq!(calls, expected);
    }
}
