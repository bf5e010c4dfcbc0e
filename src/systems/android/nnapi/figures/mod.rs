//! Figures of NNAPI: layers and phases, executions, functions, what the CPU did, and where the AOSP parser differs.
//!
//! Figures are of one run; those of executions can be of all, and where there are several some stand beside each other. Numbers are milliseconds, as the parser prints them.

mod executions;
mod lists;
mod matrix;
mod run;
mod runs;

pub(in crate::systems::android) use executions::medians;

use super::Nnapi;
use super::corrected::Run;
use super::mark::{Layer, Phase};
use crate::analysis::contract::{AnalysisInput, ComputedFigure, FigureHead};
use crate::base::time::Span;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::figure::{Body, Choice, Figure, TableColumn, TableFigure, Target};

/// The panel of all of them.
pub const SECTION: &str = phrase("NNAPI");

/// Most runs that can be chosen.
const RUNS: usize = 200;

/// All of them, in the order they are shown.
pub(super) fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let n_runs = input.result::<Nnapi>().map_or(0, |nnapi| nnapi.corrected.runs.len());
    let figure = |&(id, title, kind, columns, choices, compute): &Row| {
        let head = FigureHead {
            id: id.to_owned(),
            section: SECTION,
            title: title.to_owned(),
            kind,
            columns,
            choices: choices(input),
        };
        ComputedFigure { head, compute }
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
    ("nnapi-run", phrase("Run"), "facts", 1, runs, run::facts),
    ("nnapi-executions-spread", phrase("Execution times"), "table", 2, executions::choices, executions::spread),
    ("nnapi-executions-strip", phrase("Executions in order"), "scatter", 2, executions::strip_choices, executions::strip),
    ("nnapi-executions-distribution", phrase("Distribution of executions"), "lines", 1, executions::choices, executions::distribution),
    ("nnapi-executions", phrase("Executions"), "table", 3, executions::choices, executions::list),
    ("nnapi-functions", phrase("Functions"), "table", 3, runs, lists::functions),
    ("nnapi-fallback", phrase("CPU operations"), "table", 3, runs, lists::fallback),
    ("nnapi-differences", phrase("Differences from the AOSP parser"), "table", 3, runs, run::differences),
    ("nnapi-reasons", phrase("Reasons for AOSP parser differences"), "table", 3, runs, run::reasons),
    ("nnapi-warnings", phrase("Contract violations"), "table", 3, runs, run::warnings),
];

/// The runs by number and name.
fn runs(input: &AnalysisInput) -> Vec<Choice> {
    let Some(nnapi) = input.result::<Nnapi>() else { return Vec::new() };
    let options = nnapi.corrected.runs.iter().take(RUNS).map(|run| run_name(input, run)).collect();
    vec![Choice { name: phrase("Run").to_owned(), options }]
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

/// What is said where the time of unfinished executions counts.
fn with_unfinished(n: u64) -> Message {
    message("Unfinished executions: {n}. Their time up to the end of the trace is included.").with("n", n)
}

/// What is said where they do not count.
fn without_unfinished(n: u64) -> Message {
    message("Unfinished executions are left out: {n}.").with("n", n)
}

/// What shares of executions are parts of.
fn shares_rule() -> Message {
    message(
        "Shares of executions are of all time in executions, with the application's part where it is marked.",
    )
}

/// What a figure is made of: the run that is chosen.
#[derive(Clone, Copy)]
struct Of<'a> {
    input: &'a AnalysisInput<'a>,
    nnapi: &'a Nnapi,
    run: &'a Run,
    /// Its number, from 0.
    number: usize,
}

/// The chosen run; `None` for a number out of range.
fn chosen<'a>(input: &'a AnalysisInput<'a>, chosen: &[usize]) -> Option<Of<'a>> {
    let nnapi = input.result::<Nnapi>()?;
    let number = chosen.first().copied().unwrap_or(0);
    Some(Of { input, nnapi, run: nnapi.corrected.runs.get(number)?, number })
}

/// The unit of all times.
fn ms() -> Unit {
    Unit::Millis
}

/// Head of a column of times.
fn time(name: &str) -> TableColumn {
    TableColumn { name: name.to_owned(), unit: ms(), ..TableColumn::default() }
}

/// Head of a column of words.
fn words(name: &str) -> TableColumn {
    TableColumn { name: name.to_owned(), ..TableColumn::default() }
}

/// Head of a column that leads to slices of the timeline.
fn place() -> TableColumn {
    TableColumn { name: phrase("Time (s)").to_owned(), is_place: true, ..TableColumn::default() }
}

/// A table, or that there is nothing.
fn table(
    columns: Vec<TableColumn>,
    rows: Vec<Vec<crate::model::figure::Cell>>,
    key_columns: usize,
) -> Figure {
    Figure::new("", Body::Table(TableFigure { columns, rows, key_columns, ..TableFigure::default() }))
}
