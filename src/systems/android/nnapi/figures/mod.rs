//! Figures of NNAPI: layers and phases, executions, functions, what the CPU did, and where the AOSP parser differs.
//!
//! Every figure is of one run. Numbers are milliseconds, as the parser prints them.

mod executions;
mod lists;
mod matrix;
mod run;

use super::Nnapi;
use super::corrected::{App, Run};
use crate::analysis::contract::{AnalysisInput, ComputedFigure, FigureHead};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::{Body, Choice, Figure, TableColumn, TableFigure};

/// The panel of all of them.
pub const SECTION: &str = phrase("NNAPI");

/// Most runs that can be chosen.
const RUNS: usize = 200;

/// All of them, in the order they are shown.
pub(super) fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    if input.result::<Nnapi>().is_none_or(|nnapi| nnapi.corrected.runs.is_empty()) {
        return Vec::new();
    }
    let figure = |&(id, title, kind, columns, compute): &Row| {
        let is_matrix = id == "nnapi-layers";
        let choices = if is_matrix { matrix::choices(input) } else { runs(input) };
        let head = FigureHead {
            id: id.to_owned(),
            section: SECTION,
            title: title.to_owned(),
            kind,
            columns,
            choices,
        };
        ComputedFigure { head, compute }
    };
    FIGURES.iter().map(figure).collect()
}

/// Id, title, kind, columns of the page, what computes it.
type Row = (&'static str, &'static str, &'static str, u8, fn(&AnalysisInput, &str, &[usize]) -> Figure);

#[rustfmt::skip] // one figure a line
static FIGURES: &[Row] = &[
    ("nnapi-layers", phrase("Layers and phases"), "matrix", 3, matrix::figure),
    ("nnapi-run", phrase("Run"), "facts", 1, run::facts),
    ("nnapi-executions-spread", phrase("Times of executions"), "table", 2, executions::spread),
    ("nnapi-executions-strip", phrase("Executions in order"), "scatter", 2, executions::strip),
    ("nnapi-executions-distribution", phrase("Distribution of executions"), "lines", 1, executions::distribution),
    ("nnapi-executions", phrase("Executions"), "table", 3, executions::list),
    ("nnapi-functions", phrase("Functions"), "table", 3, lists::functions),
    ("nnapi-fallback", phrase("Operations on the CPU"), "table", 3, lists::fallback),
    ("nnapi-differences", phrase("Differences from the AOSP parser"), "table", 3, run::differences),
    ("nnapi-reasons", phrase("Reasons for AOSP parser differences"), "table", 3, run::reasons),
    ("nnapi-warnings", phrase("Contract violations"), "table", 3, run::warnings),
];

/// The runs by number and name.
fn runs(input: &AnalysisInput) -> Vec<Choice> {
    let Some(nnapi) = input.result::<Nnapi>() else { return Vec::new() };
    let runs = nnapi.corrected.runs.iter().take(RUNS).enumerate();
    let name = |(i, run): (usize, &Run)| match nnapi.name_of(input.trace, run) {
        "" => (i + 1).to_string(),
        name => format!("{} {name}", i + 1),
    };
    vec![Choice { name: phrase("Run").to_owned(), options: runs.map(name).collect() }]
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

/// The loops that the executions of a run lie in, as far as there are any.
fn loops(run: &Run) -> impl Iterator<Item = App> + '_ {
    App::ALL.into_iter().filter(|app| 0 < run.matrix.n_executions(Some(*app)))
}
