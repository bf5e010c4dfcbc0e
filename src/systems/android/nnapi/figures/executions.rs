//! Executions of a run or of all runs: one by one, in order, and how their times are spread.

use super::{ms, place, run_name, runs, table, time, words};
use crate::analysis::contract::AnalysisInput;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::figure::{
    AxisLabel, Body, Cell, Choice, Figure, Line, LineChart, PlotPoint, ScaleKind, Scatter, ScatterSeries,
    TableColumn, Target,
};
use crate::systems::android::nnapi::Nnapi;
use crate::systems::android::nnapi::corrected::{
    App, Execution, Kind, MIN_FOR_OUTLIERS, Run, Spread, millis,
};
use crate::systems::android::nnapi::mark::Marks;

/// A time of an execution.
type Part = (&'static str, fn(&Execution) -> Ticks);

/// The times of an execution, with the heads of their columns.
const PARTS: [Part; 8] = [
    (phrase("Total"), Execution::total),
    (phrase("Application"), |e| e.application),
    (phrase("Runtime"), |e| e.runtime),
    (phrase("IPC"), |e| e.ipc),
    (phrase("Driver"), |e| e.driver),
    (phrase("CPU"), |e| e.cpu),
    (phrase("I/O"), |e| e.io),
    (phrase("Compute"), Execution::compute),
];

/// The executions that are chosen.
#[derive(Clone, Copy)]
struct Of<'a> {
    nnapi: &'a Nnapi,
    /// All runs, or one of them.
    runs: &'a [Run],
}

/// Those of the chosen run; of several runs all stand first.
fn chosen<'a>(input: &'a AnalysisInput<'a>, options: &[usize]) -> Option<Of<'a>> {
    let nnapi = input.result::<Nnapi>()?;
    let all = &nnapi.corrected.runs[..];
    let option = options.first().copied().unwrap_or(0);
    let runs = match all {
        [_] => all,
        _ if option == 0 => all,
        _ => std::slice::from_ref(all.get(option - 1)?),
    };
    Some(Of { nnapi, runs })
}

/// All runs where there are several, then each of them.
pub(super) fn choices(input: &AnalysisInput) -> Vec<Choice> {
    let mut choices = runs(input);
    if let Some(options) = choices.first_mut().map(|c| &mut c.options).filter(|options| 1 < options.len()) {
        options.insert(0, phrase("All runs").to_owned());
    }
    choices
}

impl<'a> Of<'a> {
    /// All of them, counted through, each with its run.
    fn executions(self) -> impl Iterator<Item = (usize, &'a Run, &'a Execution)> {
        let of_run = move |run| self.nnapi.corrected.executions_of(run).iter().map(move |e| (run, e));
        self.runs.iter().flat_map(of_run).enumerate().map(|(number, (run, e))| (number, run, e))
    }

    /// The loops that they lie in.
    fn loops(self) -> impl Iterator<Item = App> {
        let has = move |app: &App| self.runs.iter().any(|run| 0 < run.matrix.n_executions(Some(*app)));
        App::ALL.into_iter().filter(has)
    }
}

/// Executions of one loop.
fn of_loop(of: Of<'_>, app: App) -> impl Iterator<Item = (usize, &Run, &Execution)> {
    of.executions().filter(move |(_, _, e)| e.app == app)
}

/// How an execution was called, in English.
fn called(kind: Kind) -> &'static str {
    match kind {
        Kind::Synchronous => phrase("Synchronous"),
        Kind::Burst => phrase("Burst"),
        Kind::Asynchronous => phrase("Asynchronous"),
        Kind::Fenced => phrase("Fenced"),
        Kind::Application => phrase("Application"),
    }
}

/// What a loop is called.
fn title(app: App) -> &'static str {
    match app {
        App::Overall => phrase("Outside loops"),
        App::Warmup => phrase("Warmup"),
        App::Benchmark => phrase("Benchmark"),
    }
}

/// The spread of the totals of each loop: where outliers begin.
fn spreads(of: Of) -> [Option<Spread>; 3] {
    App::ALL.map(|app| Spread::of(of_loop(of, app).map(|(_, _, e)| e.total())))
}

fn is_outlier(spreads: &[Option<Spread>; 3], execution: &Execution) -> bool {
    spreads[execution.app as usize].as_ref().is_some_and(|s| s.is_outlier(execution.total()))
}

/// What is said of outliers.
fn rule() -> Message {
    message("Outliers exceed the third quartile of their loop by more than 1.5 × IQR (loops of at least {n} executions).")
        .with("n", MIN_FOR_OUTLIERS)
}

/// Minimum, median, 95th percentile and maximum of each time, by loop.
pub(super) fn spread(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let columns = vec![
        TableColumn { is_phrase: true, ..words(phrase("Time")) },
        TableColumn { is_phrase: true, ..words(phrase("Loop")) },
        TableColumn { name: phrase("Count").to_owned(), ..TableColumn::default() },
        time(phrase("Mean")),
        time(phrase("Min")),
        time(phrase("Median")),
        time(phrase("p95")),
        time(phrase("Max")),
    ];
    let mut rows = Vec::new();
    if let Some(of) = chosen(input, options) {
        for (name, part) in PARTS {
            for app in of.loops() {
                let Some(s) = Spread::of(of_loop(of, app).map(|(_, _, e)| part(e))) else { continue };
                if s.max == 0 && name != PARTS[0].0 {
                    continue;
                }
                let ms = |nanos: f64| Cell::Number(nanos / 1e6);
                rows.push(vec![
                    Cell::Text(name.to_owned()),
                    Cell::Text(title(app).to_owned()),
                    Cell::Number(s.n as f64),
                    ms(s.mean),
                    ms(s.min as f64),
                    ms(s.median),
                    ms(s.p95),
                    ms(s.max as f64),
                ]);
            }
        }
    }
    let mut figure = table(columns, rows, 2);
    figure
        .notes
        .push(message("Each layer's part is its time outside deeper layers; the parts add up to the total."));
    figure
}

/// All executions, a row each.
pub(super) fn list(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let mut columns = vec![
        TableColumn { name: "#".to_owned(), ..TableColumn::default() },
        place(),
        TableColumn { is_phrase: true, ..words(phrase("Loop")) },
        TableColumn { is_phrase: true, ..words(phrase("Call")) },
    ];
    let of = chosen(input, options);
    // Only executions of the application have a part of it.
    let has = |part: &Part| {
        part.0 != PARTS[1].0 || of.into_iter().flat_map(Of::executions).any(|(_, _, e)| part.1(e) != 0)
    };
    let parts: Vec<Part> = PARTS.into_iter().filter(|part| has(part)).collect();
    columns.extend(parts.iter().map(|(name, _)| time(name)));
    columns.push(time(phrase("Setup")));
    columns.push(words(phrase("Thread")));
    columns.push(TableColumn { is_phrase: true, ..words(phrase("Outlier")) });
    if let Some(total) = columns.get_mut(4) {
        total.has_bar = true;
    }
    let has_runs = of.is_some_and(|of| 1 < of.runs.len());
    if has_runs {
        columns.push(words(phrase("Run")));
    }
    let mut rows = Vec::new();
    if let Some(of) = of {
        let spreads = spreads(of);
        let trace = input.trace;
        for (number, run, execution) in of.executions() {
            let span = Span::new(execution.start, execution.end);
            let mut row = vec![
                Cell::Number((number + 1) as f64),
                Cell::Text(Target::place_of_slices("", Some(span), None)),
                Cell::Text(title(execution.app).to_owned()),
                Cell::Text(called(execution.kind).to_owned()),
            ];
            row.extend(parts.iter().map(|(_, part)| Cell::Number(millis(part(execution)))));
            row.push(Cell::Number(millis(execution.setup)));
            let thread = Marks::of(trace).threads.get(execution.thread as usize);
            let name = thread.map_or("", |thread| trace.strings.get(thread.id));
            row.push(Cell::Text(name.to_owned()));
            let outlier = if is_outlier(&spreads, execution) { phrase("outlier") } else { "" };
            row.push(Cell::Text(outlier.to_owned()));
            if has_runs {
                row.push(Cell::Text(run_name(input, run)));
            }
            rows.push(row);
        }
    }
    let mut figure = table(columns, rows, 1);
    figure.notes = vec![
        message("Open a row to show the execution on the timeline; the Flame tab shows its call tree."),
        message("Setup creates, fills and frees the execution; it is not part of the total."),
        rule(),
    ];
    figure
}

/// Total time of each execution in order, loop by loop; outliers apart.
pub(super) fn strip(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let mut series = Vec::new();
    if let Some(of) = chosen(input, options) {
        let spreads = spreads(of);
        let point = |(number, run, e): (usize, &Run, &Execution)| {
            let run = if 1 < of.runs.len() { run_name(input, run) } else { String::new() };
            let name = format!("{run} {} {}", e.kind.id(), number + 1).trim_start().to_owned();
            PlotPoint { x: (number + 1) as f64, y: millis(e.total()), name }
        };
        for app in of.loops() {
            let usual = of_loop(of, app).filter(|(_, _, e)| !is_outlier(&spreads, e));
            series.push(ScatterSeries { name: title(app).to_owned(), points: usual.map(point).collect() });
        }
        let outliers = of.executions().filter(|(_, _, e)| is_outlier(&spreads, e));
        let outliers: Vec<PlotPoint> = outliers.map(point).collect();
        if !outliers.is_empty() {
            series.push(ScatterSeries { name: phrase("Outliers").to_owned(), points: outliers });
        }
    }
    let axis = |name: &str, unit: Unit| AxisLabel { name: name.to_owned(), unit, scale: ScaleKind::Linear };
    let scatter = Scatter {
        x: axis(phrase("Execution"), Unit::Count(String::new())),
        y: axis(phrase("Total time"), ms()),
        series,
    };
    let mut figure = Figure::new("", Body::Scatter(scatter));
    figure.notes.push(rule());
    figure
}

/// The share of executions that are not longer than a time, loop by loop.
pub(super) fn distribution(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let mut lines = Vec::new();
    if let Some(of) = chosen(input, options) {
        for app in of.loops() {
            let mut times: Vec<f64> = of_loop(of, app).map(|(_, _, e)| millis(e.total())).collect();
            crate::base::order::sort_floats(&mut times);
            let n = times.len().max(1) as f64;
            // The line begins at nothing, just where the shortest is.
            let share = (0..=times.len()).map(|i| Some(i as f64 * 100.0 / n)).collect();
            times.insert(0, times.first().copied().unwrap_or(0.0));
            lines.push(Line { name: title(app).to_owned(), x: times, y: share, is_stepped: true });
        }
    }
    let chart = LineChart {
        x: AxisLabel { name: phrase("Total time").to_owned(), unit: ms(), scale: ScaleKind::Linear },
        y: AxisLabel {
            name: phrase("Share of executions").to_owned(),
            unit: Unit::Percent,
            scale: ScaleKind::Linear,
        },
        lines,
        marks: Vec::new(),
    };
    Figure::new("", Body::Lines(chart))
}
