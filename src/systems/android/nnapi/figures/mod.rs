//! Figures of NNAPI: layers and phases, executions, functions, what the CPU did, and where the AOSP parser differs.
//!
//! Figures are of one run; those of executions can be of all, and where there are several some stand beside each other. Numbers are milliseconds, as the parser prints them.

mod executions;
mod matrix;
mod runs;

pub(crate) use executions::medians;

use super::Nnapi;
use super::corrected::Run;
use super::mark::{Layer, Phase};
use crate::analysis::contract::{AnalysisInput, ComputedFigure};
use crate::base::number::thousands;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::figure::{Body, Cell, Choice, Fact, Figure, TableColumn, TableFigure, TableOf, Target};
use crate::systems::android::nnapi::corrected::{App, Fallback, Function, Warning, millis};
use crate::systems::android::nnapi::mark::Marks;
use matrix::contrasts;

/// The panel of all of them.
pub const SECTION: &str = phrase("NNAPI");

/// Most runs that can be chosen.
const RUNS: usize = 200;

/// All of them, in the order they are shown.
pub(super) fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let n_runs = input.result::<Nnapi>().map_or(0, |nnapi| nnapi.corrected.runs.len());
    let figure = |&(id, title, kind, columns, choices, compute): &Row| {
        ComputedFigure::new((id, SECTION, title), (kind, columns), compute).choosing(choices(input))
    };
    let is_shown = |row: &&Row| if row.0.starts_with(runs::PREFIX) { 1 < n_runs } else { 0 < n_runs };
    FIGURES.iter().filter(is_shown).map(figure).collect()
}

/// Id, title, kind, columns of the page, what can be chosen, what computes it.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    u8,
    fn(&AnalysisInput) -> Vec<Choice>,
    fn(&AnalysisInput, &str, &[usize]) -> Figure,
);

#[rustfmt::skip] // one figure a line
static FIGURES: &[Row] = &[
    ("nnapi-layers", phrase("Layers and phases"), "matrix", 3, matrix::choices, matrix::figure),
    ("nnapi-runs", phrase("All runs"), "table", 2, runs::choices, runs::table),
    ("nnapi-runs-layers", phrase("Layers of all runs"), "bars", 1, runs::phases, runs::bars),
    ("nnapi-run", phrase("Run"), "facts", 1, runs, run_facts),
    ("nnapi-executions-spread", phrase("Execution times"), "table", 2, executions::choices, executions::spread),
    ("nnapi-executions-strip", phrase("Executions in order"), "scatter", 2, executions::strip_choices, executions::strip),
    ("nnapi-executions-distribution", phrase("Distribution of executions"), "lines", 1, executions::choices, executions::distribution),
    ("nnapi-executions", phrase("Executions"), "table", 3, executions::choices, executions::list),
    ("nnapi-functions", phrase("Functions"), "table", 3, runs, list_functions),
    ("nnapi-fallback", phrase("CPU operations"), "table", 3, runs, list_fallback),
    ("nnapi-differences", phrase("Differences from the AOSP parser"), "table", 3, runs, run_differences),
    ("nnapi-reasons", phrase("Reasons for AOSP parser differences"), "table", 3, runs, run_reasons),
    ("nnapi-warnings", phrase("Contract violations"), "table", 3, runs, run_warnings),
];

/// The runs by number and name.
fn runs(input: &AnalysisInput) -> Vec<Choice> {
    let Some(nnapi) = input.result::<Nnapi>() else { return Vec::new() };
    let options = nnapi.corrected.runs.iter().take(RUNS).map(|run| run_name(input, run)).collect();
    vec![Choice { name: phrase("Run").to_owned(), options }]
}

/// The choice of all of so many runs, where there are several: the one behind those that are listed.
pub(crate) fn all_runs(n: usize) -> usize {
    n.min(RUNS)
}

/// Number and name of a run.
fn run_name(input: &AnalysisInput, run: &Run) -> String {
    let Some(nnapi) = input.result::<Nnapi>() else { return String::new() };
    let number = nnapi.corrected.run_number(run);
    format!("{number} {}", network(input, nnapi, run)).trim_end().to_owned()
}

/// What a run computes: the name of its network.
fn network<'a>(input: &'a AnalysisInput<'a>, nnapi: &'a Nnapi, run: &Run) -> &'a str {
    nnapi.name_of(input.trace, run)
}

/// A cell of a column of places: told from where the timeline counts from.
fn at(
    input: &AnalysisInput,
    search: &str,
    span: Option<Span>,
    within: Option<Span>,
) -> crate::model::figure::Cell {
    let place = Target::place_of_slices(search, span, within);
    let origin = input.trace.span.map_or(0, Span::origin);
    let place = if span.is_some() { Target::since(&place, origin) } else { place };
    crate::model::figure::Cell::Text(place)
}

/// Whether a layer wrote marks in a run.
fn has_marks(run: &Run, layer: Layer) -> bool {
    run.matrix.cell(None, layer, Phase::Overall).n != 0
}

/// What is said where the runtime wrote no marks.
fn no_runtime() -> Message {
    message(
        "Runtime marks were not recorded, so runtime and CPU work cannot be seen. Record the trace with the nnapi category.",
    )
}

/// Whether drivers were called in a run that wrote no marks: their time is in that of the calls.
fn has_unseen_driver(run: &Run) -> bool {
    let has = |layer| run.matrix.cell(None, layer, Phase::Execution).n != 0;
    has(Layer::Ipc) && !has(Layer::Driver)
}

/// What is said there.
fn no_driver() -> Message {
    message(
        "No driver wrote marks: IPC is the time of the calls and of the driver together, not separable. Record the trace with the categories nnapi, hal and aidl.",
    )
}

/// What is said where they do not count.
fn without_unfinished(n: u64) -> Message {
    message("Unfinished executions are left out: {n}.").with("n", n)
}

/// What is said where only drivers wrote marks.
fn only_drivers() -> Message {
    message(
        "Only drivers wrote marks: these are their executions, from the call to the callback or the end. What the runtime and the application take besides was not recorded.",
    )
}

/// How many functions never end in a run, where any does.
fn without_unended(run: &Run) -> Option<Message> {
    let n: u64 = run.functions.iter().map(|function| function.n_unfinished).sum();
    (0 < n).then(|| {
        message("Calls without an end in the trace: {n}. Counts and times leave them out.").with("n", n)
    })
}

/// What a figure is made of: the run that is chosen.
#[derive(Clone, Copy)]
struct Of<'a> {
    nnapi: &'a Nnapi,
    run: &'a Run,
    /// Its number, from 0.
    number: usize,
}

/// The chosen run; `None` for a number out of range.
fn chosen<'a>(input: &'a AnalysisInput<'a>, chosen: &[usize]) -> Option<Of<'a>> {
    let nnapi = input.result::<Nnapi>()?;
    let number = chosen.first().copied().unwrap_or(0);
    Some(Of { nnapi, run: nnapi.corrected.runs.get(number)?, number })
}

/// The unit of all times.
fn ms() -> Unit {
    Unit::Millis
}

/// Head of a column of times.
fn time(name: &str) -> TableColumn {
    TableColumn::new(name, ms())
}

/// Head of a column of words.
fn words(name: &str) -> TableColumn {
    TableColumn::new(name, Unit::None)
}

/// Head of a column that leads to slices of the timeline.
fn place() -> TableColumn {
    TableColumn::place(phrase("Time (s)"))
}

/// A table, or that there is nothing.
fn table(
    columns: Vec<TableColumn>,
    rows: Vec<Vec<crate::model::figure::Cell>>,
    key_columns: usize,
) -> Figure {
    Figure::new("", Body::Table(TableFigure { columns, rows, key_columns, ..TableFigure::default() }))
}

// Functions of a run, and what the CPU did instead of a driver.

/// Functions with their calls, most time first.
fn list_functions(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let of = chosen(input, options);
    let name = |f: &Function| of.map_or("", |of| of.nnapi.corrected.name(f.name));
    let longest = |f: &Function| {
        let start = Marks::of(input.trace).time.get(f.longest as usize).copied();
        let longest = start.map(|start| Span::new(start, start.saturating_add(f.max)));
        at(input, name(f), longest, of.map(|of| of.run.span))
    };
    let is_any_unfinished = of.is_some_and(|of| of.run.functions.iter().any(|f| 0 < f.n_unfinished));
    let ended = |f: &Function, value: f64| (0 < f.n).then_some(value);
    let mut table = TableOf::new(of.map_or(&[][..], |of| &of.run.functions))
        .keys(3)
        .column(phrase("Function"), Unit::None, name)
        .words(phrase("Layer"), |f| f.layer.title())
        .words(phrase("Phase"), |f| f.phase.title())
        .column(phrase("Calls"), Unit::None, |f| f.n as f64)
        .bars(phrase("Total"), ms(), |f| ended(f, millis(f.total)))
        .column(phrase("Self"), ms(), |f| ended(f, millis(f.own)))
        .column(phrase("Mean"), ms(), |f| ended(f, f.mean() / 1e6))
        .column(phrase("Shortest"), ms(), |f| ended(f, millis(f.min)))
        .column(phrase("Longest"), ms(), |f| ended(f, millis(f.max)));
    if is_any_unfinished {
        table = table.column(phrase("Unfinished"), Unit::None, |f| {
            (0 < f.n_unfinished).then_some(f.n_unfinished as f64)
        });
    }
    let mut figure = table.with(place(), longest).figure();
    figure.notes = vec![
        message("Self time is the time a function was innermost on its thread, including waits."),
        message("Open a row to show its longest call on the timeline, with all calls marked."),
    ];
    figure.notes.extend(of.and_then(|of| without_unended(of.run)));
    figure
}

/// What ran on the CPU, most time first.
fn list_fallback(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let of = chosen(input, options);
    let fallback = of.map_or(&[][..], |of| &of.run.fallback);
    let name = |f: &Fallback| of.map_or("", |of| of.nnapi.corrected.name(f.name));
    let (n_executions, all) = of.map_or((0, 0), executed);
    let executions =
        |f: &Fallback| of.map_or(String::new(), |of| numbers(&f.executions, of.run.executions.start));
    let is_empty = fallback.is_empty();
    let mut figure = TableOf::new(fallback)
        .keys(3)
        .column(phrase("Operation"), Unit::None, name)
        .words(phrase("Layer"), |f| f.layer.title())
        .words(phrase("Phase"), |f| f.phase.title())
        .column(phrase("Calls"), Unit::None, |f| f.n as f64)
        .bars(phrase("Total"), ms(), |f| millis(f.total))
        .column(phrase("Self"), ms(), |f| millis(f.own))
        .column(phrase("Self share of executions"), Unit::Percent, |f| {
            (0 < all).then(|| f.own as f64 * 100.0 / all as f64)
        })
        .column(phrase("In executions"), Unit::None, executions)
        .with(TableColumn::place(phrase("Slices")), |f| at(input, name(f), None, of.map(|of| of.run.span)))
        .figure();
    figure.notes = if is_empty {
        of.map(why_none).into_iter().collect()
    } else {
        vec![
            message("Operations computed on the CPU because no driver accepted them or a driver failed."),
            message("Rows can contain each other: only self times and their shares add up."),
            message(
                "Shares are relative to the time of all {n} complete executions of this run, with warm-up.",
            )
            .with("n", thousands(n_executions)),
        ]
    };
    let n_cut = of.map_or(0, |of| of.run.matrix.n_cut);
    figure.notes.extend((!is_empty && 0 < n_cut).then(|| without_unfinished(n_cut)));
    figure
}

/// How many executions of a run end, and their time.
fn executed(of: Of) -> (u64, Ticks) {
    let ended = of.nnapi.corrected.executions_of(of.run).iter().filter(|e| !e.is_cut);
    ended.fold((0, 0), |(n, time), e| (n + 1, time + e.total()))
}

/// Why no operation of the CPU is seen: what the marks of the run allow to say.
fn why_none(of: Of) -> Message {
    if !has_marks(of.run, Layer::Runtime) {
        return no_runtime();
    }
    let executions = of.nnapi.corrected.executions_of(of.run).iter().filter(|e| !e.is_cut);
    let (n, with_driver) = executions.fold((0, 0), |(n, with), e| (n + 1, with + u64::from(0 < e.driver)));
    match with_driver {
        _ if n == 0 => message("No complete execution in this run."),
        0 => message(
            "No CPU operations and no driver executions are marked: the trace does not say what computed.",
        ),
        _ if with_driver < n => {
            let note = message(
                "No CPU operations are marked. A driver ran {n} of {all} executions; the trace does not say what computed the others.",
            );
            note.with("n", with_driver).with("all", n)
        }
        _ => message("No CPU operations in this run: a driver ran every execution."),
    }
}

/// Numbers of executions from 1, those that follow each other as ranges: `1–40, 43`.
fn numbers(rows: &[u32], first: usize) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for row in rows {
        let number = (*row as usize + 1).saturating_sub(first);
        match ranges.last_mut() {
            Some(last) if last.1 + 1 == number => last.1 = number,
            _ => ranges.push((number, number)),
        }
    }
    let text = |(a, b): &(usize, usize)| if a == b { a.to_string() } else { format!("{a}–{b}") };
    ranges.iter().map(text).collect::<Vec<_>>().join(", ")
}

// What a run is, where the AOSP parser has other numbers, and what is against the contract.

/// Name, length, executions, processes, and what the AOSP parser makes of the trace.
fn run_facts(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let Some(of) = chosen(input, options) else { return Figure::nothing() };
    let (trace, run) = (input.trace, of.run);
    let text = |text: String| if text.is_empty() { Cell::Missing } else { Cell::Text(text) };
    let count = |app| Cell::Number(run.matrix.n_executions(Some(app)) as f64);
    let n_drivers = of.nnapi.corrected.drivers_of(run).iter().filter(|driver| !driver.is_cut).count();
    let of_all = format!("{} / {}", of.number + 1, of.nnapi.corrected.runs.len());
    let mut facts = vec![
        Fact::new(phrase("Name"), text(of.nnapi.name_of(trace, run).to_owned()), Unit::None),
        Fact::new(phrase("Run"), text(of_all), Unit::None),
        Fact::new(phrase("From first to last mark"), Cell::Number(millis(run.span.dur())), Unit::Millis),
    ];
    if !of.nnapi.facts.is_of_drivers {
        facts.extend([
            Fact::new(phrase("Executions outside loops"), count(App::Overall), Unit::None),
            Fact::new(phrase("Warm-up executions"), count(App::Warmup), Unit::None),
            Fact::new(phrase("Measured executions"), count(App::Benchmark), Unit::None),
        ]);
    }
    facts.push(Fact::new(phrase("Executions in drivers"), Cell::Number(n_drivers as f64), Unit::None));
    if 0 < run.matrix.n_cut {
        let n = Cell::Number(run.matrix.n_cut as f64);
        facts.push(Fact::new(phrase("Unfinished executions"), n, Unit::None));
    }
    let share = driver_share(of);
    if let Some((share, ..)) = share {
        facts.push(Fact::new(phrase("Driver share of executions"), Cell::Number(share), Unit::Percent));
    }
    if 0 < run.n_orphans {
        facts.push(Fact::new(phrase("Ends without a start"), Cell::Number(run.n_orphans as f64), Unit::None));
    }
    let mut figure = Figure::of_facts(facts);
    figure.notes.extend(share.map(|(_, app, n)| {
        message("The driver's share is of the total time of {n} executions, {loop}.")
            .with("n", thousands(n))
            .with_message("loop", executions::title(of.nnapi, app))
    }));
    if of.nnapi.facts.is_of_drivers {
        figure.notes.push(only_drivers());
    }
    if !has_marks(run, Layer::Runtime) {
        figure.notes.push(no_runtime());
    }
    figure.notes.extend(has_unseen_driver(run).then(no_driver));
    if run.is_incomplete {
        figure.notes.push(message("A scope in this run has no end: its times may be wrong."));
    }
    figure.notes.extend(without_unended(run));
    figure.notes.extend(of.nnapi.aosp_words(run));
    figure
}

/// The driver's part of the time of complete executions in the loop that counts, in percent, with the loop and their number;
/// `None` where no mark tells who computed.
fn driver_share(of: Of) -> Option<(f64, App, u64)> {
    let complete = of.run.matrix.complete();
    let has = |layer| complete.cell(None, layer, Phase::Execution).n != 0;
    // Calls to a driver that wrote no marks do not say how long it took.
    let is_known = has(Layer::Driver) || has(Layer::Cpu) && !has(Layer::Ipc);
    let app = App::steady(|app| 0 < of.run.matrix.n_executions(Some(app)));
    let executions = of.nnapi.corrected.executions_of(of.run).iter();
    let ended = executions.filter(|e| !e.is_cut && e.app == app);
    let (n, all, driver) =
        ended.fold((0, 0, 0), |(n, all, driver), e| (n + 1, all + e.total(), driver + e.driver));
    (is_known && 0 < all).then(|| (driver as f64 * 100.0 / all as f64, app, n))
}

/// The cells in which the AOSP parser has other numbers, with the reasons.
fn run_differences(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let columns = vec![
        TableColumn::words(phrase("Layer")),
        TableColumn::words(phrase("Phase")),
        TableColumn::words(phrase("Time")),
        time(phrase("Corrected")),
        time(phrase("AOSP")),
        TableColumn { is_difference: true, ..time(phrase("Difference")) },
    ];
    let of = chosen(input, options);
    let rows = of.map_or_else(Vec::new, contrasts);
    let note = match of {
        Some(of) if of.nnapi.aosp_of(of.run).is_none() => {
            phrase("The AOSP parser prints nothing for this run; see the run panel for the reason.")
        }
        _ if rows.is_empty() => phrase("The AOSP parser gives the same figures."),
        _ => phrase("Difference = corrected − AOSP. Missing values (n/a) count as 0."),
    };
    let mut figure = table(columns, rows, 3);
    figure.notes.push(note.into());
    figure
}

/// Why it has other numbers.
fn run_reasons(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let differences = chosen(input, options).map_or(&[][..], |of| &of.run.differences);
    let is_empty = differences.is_empty();
    let mut figure = TableOf::new(differences)
        .words(phrase("Why"), |d| d.cause.sentence())
        .words(phrase("Layer"), |d| d.cell.map(|(layer, _)| layer.title()))
        .words(phrase("Phase"), |d| d.cell.map(|(_, phase)| phase.title()))
        .words(phrase("Loop"), |d| d.app.map(|app| app.phase().title()))
        .column(phrase("Count"), Unit::None, |d| d.n as f64)
        .column(phrase("Affected time"), ms(), |d| d.time.map(millis))
        .figure();
    if is_empty {
        figure.notes.push(message("No known reason for AOSP parser differences in this run."));
    }
    figure
}

/// What the marks do that the contract does not allow.
fn run_warnings(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let warnings = chosen(input, options).map_or(&[][..], |of| &of.run.warnings);
    let is_empty = warnings.is_empty();
    let first = |warning: &Warning| {
        let start = warning.rows.first().and_then(|row| Marks::of(input.trace).time.get(*row as usize));
        let span = |start: &Ticks| Span::new(*start, start.saturating_add(1_000));
        start.map_or(Cell::Missing, |start| at(input, "", Some(span(start)), None))
    };
    let mut figure = TableOf::new(warnings)
        .words(phrase("Issue"), |warning| warning.trouble.sentence())
        .column(phrase("Count"), Unit::None, |warning| warning.n as f64)
        .with(place(), first)
        .figure();
    if is_empty {
        figure.notes.push(message("No contract violations in this run."));
    }
    figure
}
