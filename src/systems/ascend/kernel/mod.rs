//! What one wants to know of a kernel and no file says: how busy each pipe was, what waited for what, which lines cost
//! most, what each kind of instruction moved. Computed of slices, flows and listings when somebody asks for it.

mod hot;
pub mod overlap;
mod pipes;
mod waits;

use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure, FigureHead};
use crate::analysis::timeline::Timeline;
use crate::base::time::Clock;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::figure::{Figure, TableColumn};

/// The panel of all of them.
const SECTION: &str = phrase("Computed");

/// What ticks of a clock are counted in.
fn ticks(clock: Clock) -> Unit {
    match clock {
        Clock::Nanos => Unit::Nanos,
        Clock::Cycles { .. } => Unit::Cycles,
        Clock::Steps => Unit::None,
    }
}

/// Head of a column.
fn column(name: &str, unit: Unit, has_bar: bool) -> TableColumn {
    TableColumn { name: name.to_owned(), unit, has_bar, ..TableColumn::default() }
}

/// How busy pipes were, what waited, what cost most.
pub static ANALYSIS: Analysis = Analysis {
    id: "kernel",
    title: phrase("Kernel"),
    parameters: &[],
    applies: |trace| FIGURES.iter().any(|row| (row.3)(trace)),
    tap: None,
    start: None,
    add_tracks: None,
    faults: None,
    figures,
    advice: Some(pipes::said),
    is_comparable: false,
};

type Row = (&'static str, &'static str, &'static str, fn(&Trace) -> bool, fn(&Trace, &Timeline) -> Figure);

/// Id, title, kind, whether it is there, what computes it; in the order they are shown.
#[rustfmt::skip] // one figure a line
static FIGURES: &[Row] = &[
    ("pipe-utilization", phrase("Pipe utilization over time"), "matrix", pipes::is_there, pipes::utilization),
    ("pipe-times", phrase("Pipe times"), "table", pipes::is_there, pipes::times),
    ("double-buffering", phrase("Copy and compute overlap"), "table", overlap::is_there, overlap::figure),
    ("waits", phrase("Flag sets and waits"), "table", waits::is_there, waits::figure),
    ("hottest-lines", phrase("Hottest lines"), "table", hot::has_lines, hot::lines),
    ("instruction-kinds", phrase("Instructions by pipe and kind"), "table", hot::has_instructions, hot::kinds),
];

fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let figure = |&(id, title, kind, _, _): &Row| {
        let head = FigureHead {
            id: id.to_owned(),
            section: SECTION,
            title: title.to_owned(),
            kind,
            columns: 2,
            choices: Vec::new(),
        };
        ComputedFigure { head, compute }
    };
    FIGURES.iter().filter(|row| (row.3)(input.trace)).map(figure).collect()
}

fn compute(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let row = FIGURES.iter().find(|row| row.0 == id).expect("only figures of the list are asked for");
    (row.4)(input.trace, input.timeline)
}
