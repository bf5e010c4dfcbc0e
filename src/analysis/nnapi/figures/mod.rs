//! Figures of NNAPI: layers and phases, executions, functions, what the CPU did, and where the AOSP parser differs.
//!
//! Every figure is of one run. Numbers are milliseconds, as the parser prints them.

mod executions;
mod lists;
mod matrix;
mod run;

use super::Nnapi;
use super::corrected::{App, Run};
use crate::analysis::extras::{Extra, Ground};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::{Body, Choice, Figure, TableColumn, TableFigure};

/// The panel of all of them.
pub const SECTION: &str = phrase("NNAPI");

/// Most runs that can be chosen.
const RUNS: usize = 200;

/// All of them, in the order they are shown.
pub(in crate::analysis) static EXTRAS: &[Extra] = &[
    Extra {
        id: "nnapi-layers",
        section: SECTION,
        title: phrase("Layers and phases"),
        kind: "matrix",
        columns: 3,
        is_there,
        choices: matrix::choices,
        make: matrix::figure,
    },
    Extra {
        id: "nnapi-run",
        section: SECTION,
        title: phrase("Run"),
        kind: "facts",
        columns: 1,
        is_there,
        choices: runs,
        make: run::facts,
    },
    Extra {
        id: "nnapi-executions-spread",
        section: SECTION,
        title: phrase("Times of executions"),
        kind: "table",
        columns: 2,
        is_there,
        choices: runs,
        make: executions::spread,
    },
    Extra {
        id: "nnapi-executions-strip",
        section: SECTION,
        title: phrase("Executions in order"),
        kind: "scatter",
        columns: 2,
        is_there,
        choices: runs,
        make: executions::strip,
    },
    Extra {
        id: "nnapi-executions-distribution",
        section: SECTION,
        title: phrase("Distribution of executions"),
        kind: "lines",
        columns: 1,
        is_there,
        choices: runs,
        make: executions::distribution,
    },
    Extra {
        id: "nnapi-executions",
        section: SECTION,
        title: phrase("Executions"),
        kind: "table",
        columns: 3,
        is_there,
        choices: runs,
        make: executions::list,
    },
    Extra {
        id: "nnapi-functions",
        section: SECTION,
        title: phrase("Functions"),
        kind: "table",
        columns: 3,
        is_there,
        choices: runs,
        make: lists::functions,
    },
    Extra {
        id: "nnapi-fallback",
        section: SECTION,
        title: phrase("Operations on the CPU"),
        kind: "table",
        columns: 3,
        is_there,
        choices: runs,
        make: lists::fallback,
    },
    Extra {
        id: "nnapi-differences",
        section: SECTION,
        title: phrase("Where the AOSP parser differs"),
        kind: "table",
        columns: 3,
        is_there,
        choices: runs,
        make: run::differences,
    },
    Extra {
        id: "nnapi-reasons",
        section: SECTION,
        title: phrase("Why the AOSP parser differs"),
        kind: "table",
        columns: 3,
        is_there,
        choices: runs,
        make: run::reasons,
    },
    Extra {
        id: "nnapi-warnings",
        section: SECTION,
        title: phrase("Against the contract"),
        kind: "table",
        columns: 3,
        is_there,
        choices: runs,
        make: run::warnings,
    },
];

fn is_there(ground: Ground) -> bool {
    ground.nnapi.is_some_and(|nnapi| !nnapi.corrected.runs.is_empty())
}

/// The runs by number and name.
fn runs(ground: Ground) -> Vec<Choice> {
    let Some(nnapi) = ground.nnapi else { return Vec::new() };
    let runs = nnapi.corrected.runs.iter().take(RUNS).enumerate();
    let name = |(i, run): (usize, &Run)| match nnapi.name_of(ground.trace, run) {
        "" => (i + 1).to_string(),
        name => format!("{} {name}", i + 1),
    };
    vec![Choice { name: phrase("Run").to_owned(), options: runs.map(name).collect() }]
}

/// What a figure is made of: the run that is chosen.
#[derive(Clone, Copy)]
struct Of<'a> {
    ground: Ground<'a>,
    nnapi: &'a Nnapi,
    run: &'a Run,
    /// Its number, from 0.
    number: usize,
}

/// The chosen run; `None` for a number out of range.
fn chosen<'a>(ground: Ground<'a>, chosen: &[usize]) -> Option<Of<'a>> {
    let nnapi = ground.nnapi?;
    let number = chosen.first().copied().unwrap_or(0);
    Some(Of { ground, nnapi, run: nnapi.corrected.runs.get(number)?, number })
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
    TableColumn { name: phrase("At (s)").to_owned(), is_place: true, ..TableColumn::default() }
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
