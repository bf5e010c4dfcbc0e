//! Layers by phases: self time with the total beside it, of a run or of one execution, corrected or as the AOSP parser
//! has it.

use super::{Of, chosen, ms, runs};
use crate::analysis::contract::AnalysisInput;
use crate::base::number;
use crate::base::words::{Message, message, phrase};
use crate::model::figure::{Body, Choice, Figure, Matrix, MatrixCell, Number, Target};
use crate::systems::android::nnapi::Nnapi;
use crate::systems::android::nnapi::aosp::{self, TableOptions};
use crate::systems::android::nnapi::corrected::{App, Cell, Matrix as Times, Run, millis};
use crate::systems::android::nnapi::mark::{Layer, Phase};

/// The columns; computing is what of an execution is neither inputs and outputs nor results.
const COLUMNS: [(Column, &str); 11] = [
    // In front, where it is seen at every width.
    (Column::Of(Phase::Overall), phrase("Total")),
    (Column::Of(Phase::Initialization), phrase("Initialization")),
    (Column::Of(Phase::Preparation), phrase("Preparation")),
    (Column::Of(Phase::Compilation), phrase("Compilation")),
    (Column::Of(Phase::InputsOutputs), phrase("I/O")),
    (Column::Compute, phrase("Compute")),
    (Column::Of(Phase::Transformation), phrase("including: transform")),
    (Column::Of(Phase::Computation), phrase("including: compute")),
    (Column::Of(Phase::Results), phrase("Results")),
    (Column::Of(Phase::Execution), phrase("Execution")),
    (Column::Of(Phase::Termination), phrase("Termination")),
];

/// A column.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Column {
    Of(Phase),
    /// What of executions is neither inputs and outputs nor results.
    Compute,
}

impl Column {
    /// Whether it belongs to executions: these are told apart by loop and divided by their number.
    fn is_of_execution(self) -> bool {
        match self {
            Self::Of(phase) => phase == Phase::Execution || phase.is_part_of_execution(),
            Self::Compute => true,
        }
    }
}

/// Which executions are counted.
const LOOPS: [(Option<App>, &str); 3] = [
    (None, phrase("All")),
    (Some(App::Warmup), phrase("Warmup")),
    (Some(App::Benchmark), phrase("Benchmark")),
];

pub(super) fn choices(input: &AnalysisInput) -> Vec<Choice> {
    let choice = |name: &str, options: &[&str]| Choice {
        name: name.to_owned(),
        options: options.iter().map(|&o| o.to_owned()).collect(),
    };
    let mut choices = runs(input);
    let loops: Vec<&str> = loops(input).map(|(_, name)| name).collect();
    if 1 < loops.len() {
        choices.push(choice(phrase("Executions"), &loops));
    }
    choices.push(choice(phrase("Scope"), &[phrase("entire run"), phrase("one execution")]));
    choices.push(numbers());
    choices
}

/// Whose numbers.
pub(super) fn numbers() -> Choice {
    let options = [phrase("Corrected"), phrase("AOSP parser")].map(str::to_owned).to_vec();
    Choice { name: phrase("Numbers").to_owned(), options }
}

/// All executions, and the loops that any run has executions in.
fn loops(input: &AnalysisInput) -> impl Iterator<Item = (Option<App>, &'static str)> {
    let has = move |app: &Option<App>| {
        let runs = input.result::<Nnapi>().map_or(&[][..], |nnapi| &nnapi.corrected.runs);
        app.is_none() || runs.iter().any(|run| 0 < run.matrix.n_executions(*app))
    };
    LOOPS.into_iter().filter(move |(app, _)| has(app))
}

/// The columns; those of parts of computing only where any run has such parts.
pub(super) fn columns(nnapi: &Nnapi) -> Vec<(Column, &'static str)> {
    let is_rare = |column| matches!(column, Column::Of(Phase::Transformation | Phase::Computation));
    let has = |column| match column {
        Column::Of(phase) => {
            let runs = nnapi.corrected.runs.iter();
            runs.flat_map(|run| Layer::REPORTED.map(|layer| run.matrix.cell(None, layer, phase)))
                .any(|cell| 0 < cell.n)
        }
        Column::Compute => true,
    };
    COLUMNS.into_iter().filter(|(column, _)| !is_rare(*column) || has(*column)).collect()
}

/// The columns in which the chosen run has a time. Those of the whole run have none where a loop or one execution is chosen.
fn columns_of(of: Of, pick: &Pick) -> Vec<(Column, &'static str)> {
    let is_meant = |column: Column| {
        let is_of_run = pick.app.is_none() && !pick.is_per_execution;
        is_of_run || column.is_of_execution()
    };
    let is_there = |value: Number| value.is_some_and(|v| v != 0.0);
    let has = |column| {
        let cells = Layer::REPORTED.map(|layer| cell(of, pick, layer, column));
        let has_cell = cells.iter().any(|cell| is_there(cell.value) || is_there(cell.second));
        has_cell || is_there(sum(of, pick, column))
    };
    columns(of.nnapi).into_iter().filter(|(column, _)| is_meant(*column) && has(*column)).collect()
}

/// What is chosen.
#[derive(Default)]
pub(super) struct Pick {
    /// The loop that is counted; `None` counts all.
    pub(super) app: Option<App>,
    /// Whether numbers are divided by the executions.
    pub(super) is_per_execution: bool,
    /// Whether they are those of the AOSP parser.
    pub(super) is_aosp: bool,
}

pub(super) fn figure(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let loops: Vec<_> = loops(input).collect();
    let mut rest = options.iter().skip(1).copied();
    let app = if 1 < loops.len() { rest.next().and_then(|at| loops.get(at)?.0) } else { None };
    let pick = Pick { app, is_per_execution: rest.next() == Some(1), is_aosp: rest.next() == Some(1) };
    let Some(of) = chosen(input, options) else { return Figure::new("", Body::Matrix(Matrix::default())) };
    let columns = columns_of(of, &pick);
    let mut matrix = Matrix {
        row_name: phrase("Layer").to_owned(),
        column_name: phrase("Phase").to_owned(),
        unit: ms(),
        rows: Layer::REPORTED.iter().map(|layer| layer.title().to_owned()).collect(),
        columns: columns.iter().map(|(_, name)| (*name).to_owned()).collect(),
        second_name: phrase("Total time").to_owned(),
        missing: if pick.is_aosp { "n/a".to_owned() } else { String::new() },
        ..Matrix::default()
    };
    for layer in Layer::REPORTED {
        for &(column, _) in &columns {
            matrix.cells.push(cell(of, &pick, layer, column));
        }
    }
    matrix.column_totals = columns.iter().map(|(column, _)| sum(of, &pick, *column)).collect();
    let mut figure = Figure::new("", Body::Matrix(matrix));
    phrase("self time, total time in parentheses").clone_into(&mut figure.scope);
    figure.notes = notes(of, &pick);
    figure
}

/// One number of the parser; `None` is missing.
fn at(times: &aosp::Times, app: Option<App>, column: Column, layer: Option<Layer>) -> Number {
    let place = layer.map_or(Some(aosp::TOTAL), Layer::place)?;
    let line = |phase| match app {
        Some(app) => times.line_of(app, phase),
        None => times.line(phase),
    };
    let value = |phase| line(phase).and_then(|line| line.get(place)).copied();
    let value = match column {
        Column::Of(phase) => value(phase),
        Column::Compute => {
            Some(value(Phase::Execution)? - value(Phase::InputsOutputs)? - value(Phase::Results)?)
        }
    };
    value.filter(|v| v.is_finite())
}

/// By how many a number is divided.
fn divisor(run: &Run, pick: &Pick) -> Option<f64> {
    if !pick.is_per_execution {
        return Some(1.0);
    }
    let n = run.matrix.n_executions(pick.app);
    (0 < n).then_some(n as f64)
}

/// What the parser has in a cell; of one execution as it prints it: of the benchmark, where there are both loops.
fn theirs(of: Of, pick: &Pick, has_totals: bool, column: Column, layer: Option<Layer>) -> Number {
    let theirs = of.nnapi.aosp_of(of.run)?;
    let is_per_execution = pick.is_per_execution && pick.app.is_none();
    let times = theirs.chosen(TableOptions { has_totals, is_per_execution });
    let n = match pick.app {
        _ if !pick.is_per_execution => 1,
        None => theirs.divisor(),
        Some(app) => theirs.n_executions[app],
    };
    at(&times, pick.app, column, layer).filter(|_| 0 < n).map(|value| value / f64::from(n))
}

/// The times without what has no end, where there is any.
fn complete(run: &Run) -> Option<Times> {
    run.matrix.is_cut().then(|| run.matrix.complete())
}

fn ours(run: &Run, pick: &Pick, layer: Layer, column: Column) -> Cell {
    let complete = complete(run);
    let matrix = complete.as_ref().unwrap_or(&run.matrix);
    match column {
        Column::Of(phase) => matrix.cell(pick.app, layer, phase),
        Column::Compute => matrix.compute(pick.app, layer),
    }
}

/// Self and total time of a cell.
pub(super) fn cell(of: Of, pick: &Pick, layer: Layer, column: Column) -> MatrixCell {
    let own = ours(of.run, pick, layer, column);
    let divisor = divisor(of.run, pick);
    let their_own = theirs(of, pick, false, column, Some(layer));
    let their_total = theirs(of, pick, true, column, Some(layer));
    let is_there = own.n != 0 || own.total != 0 || own.own != 0;
    let corrected = |n: f64| (millis(own.own) / n, millis(own.total) / n);
    let ours = divisor.filter(|_| is_there).map(corrected);
    let (value, second) = match (pick.is_aosp, ours) {
        (true, _) => (their_own, their_total),
        (false, ours) => (ours.map(|o| o.0), ours.map(|o| o.1)),
    };
    let mut notes = Vec::new();
    let other = if pick.is_aosp { ours.map(|o| o.0) } else { their_own };
    if is_other(value, other) {
        let template = match (pick.is_aosp, other) {
            (true, Some(_)) => message("Corrected: {time}"),
            (true, None) => message("Corrected: nothing"),
            (false, Some(_)) => message("AOSP parser: {time}"),
            (false, None) => message("AOSP parser: n/a"),
        };
        notes.push(template.with("time", number::with_unit(other.unwrap_or(0.0), &ms())));
        notes.extend(of.nnapi.reasons(of.run, layer, phase_of(column)));
        notes.extend(of.nnapi.aosp_words(of.run));
        notes.extend(unfinished(of, pick));
    }
    MatrixCell { value, second, count: own.n, place: place(of, layer, column, is_there), notes }
}

/// Rows of all cells in which the parser has another number: layer, phase, which time, both and their difference.
pub(super) fn contrasts(of: Of) -> Vec<Vec<crate::model::figure::Cell>> {
    use crate::model::figure::Cell as Shown;
    let Some(theirs) = of.nnapi.aosp_of(of.run) else { return Vec::new() };
    let mut rows = Vec::new();
    for layer in Layer::REPORTED {
        for (column, title) in COLUMNS {
            let own = ours(of.run, &Pick::default(), layer, column);
            let times =
                [(phrase("Self"), own.own, &theirs.self_times), (phrase("Total"), own.total, &theirs.times)];
            for (kind, time, theirs) in times {
                let (ours, theirs) = (millis(time), at(theirs, None, column, Some(layer)));
                if !is_other(Some(ours), theirs) {
                    continue;
                }
                rows.push(vec![
                    Shown::Text(layer.title().to_owned()),
                    Shown::Text(title.to_owned()),
                    Shown::Text(kind.to_owned()),
                    Shown::Number(ours),
                    Shown::number(theirs),
                    Shown::Number(ours - theirs.unwrap_or(0.0)),
                ]);
            }
        }
    }
    rows
}

/// Whether two numbers differ in what is shown.
fn is_other(a: Number, b: Number) -> bool {
    0.000_5 <= (a.unwrap_or(0.0) - b.unwrap_or(0.0)).abs()
}

fn phase_of(column: Column) -> Phase {
    match column {
        Column::Of(phase) => phase,
        Column::Compute => Phase::Execution,
    }
}

/// The slices that make a cell up.
fn place(of: Of, layer: Layer, column: Column, is_there: bool) -> String {
    if !is_there {
        return String::new();
    }
    let search = match column {
        Column::Of(Phase::Overall) if layer == Layer::Application => "scope:LA PO".to_owned(),
        Column::Of(Phase::Overall) => String::new(),
        Column::Compute | Column::Of(Phase::Execution) => format!("scope:{} PE*", layer.code()),
        Column::Of(phase) => format!("scope:{} {}", layer.code(), phase.code()),
    };
    Target::place_of_slices(&search, Some(of.run.span), Some(of.run.span))
}

/// The time of a column.
pub(super) fn sum(of: Of, pick: &Pick, column: Column) -> Number {
    if pick.is_aosp {
        return theirs(of, pick, false, column, None);
    }
    let divisor = divisor(of.run, pick)?;
    let complete = complete(of.run);
    let matrix = complete.as_ref().unwrap_or(&of.run.matrix);
    let sum = |phase| matrix.sum(pick.app, phase);
    let time = match column {
        Column::Of(phase) => sum(phase),
        Column::Compute => sum(Phase::Execution) - sum(Phase::InputsOutputs) - sum(Phase::Results),
    };
    Some(millis(time) / divisor)
}

/// What is said of executions without an end.
fn unfinished(of: Of, pick: &Pick) -> Option<Message> {
    let n = of.run.matrix.n_cut;
    let around = message(
        "Unfinished executions are left out: {n}. Total times of scopes around them can include their time.",
    );
    let is_whole = !pick.is_per_execution && pick.app.is_none();
    (0 < n).then(|| if is_whole { around.with("n", n) } else { super::without_unfinished(n) })
}

fn notes(of: Of, pick: &Pick) -> Vec<Message> {
    let mut notes = vec![
        if pick.is_aosp {
            message(
                "Figures of the AOSP systrace parser; its total of a phase is the largest layer, not a sum. Compute is Execution − I/O − Results, its total too.",
            )
        } else {
            message("Self times add up to the column total: each instant counts in one cell.")
        },
        if pick.is_aosp {
            message(
                "n/a as the AOSP parser prints it; where the parser prints -, the time is shown. Phases without times are left out.",
            )
        } else {
            message("– means no marks, 0 means marks without time. Phases without times are left out.")
        },
        message("Click a number to show its slices on the timeline."),
    ];
    let runs = &of.nnapi.corrected.runs;
    if 1 < runs.len() {
        let note = message("Run {n} of {all}.");
        notes.insert(0, note.with("n", of.number + 1).with("all", runs.len()));
    }
    let theirs = of.nnapi.aosp_of(of.run).filter(|theirs| theirs.has_loops());
    if let Some(theirs) = theirs.filter(|_| pick.is_aosp && pick.is_per_execution && pick.app.is_none()) {
        let note = message("As printed by the AOSP parser per execution, over the {n} benchmark executions.");
        notes.push(note.with("n", theirs.divisor()));
    }
    notes.extend(unfinished(of, pick).filter(|_| !pick.is_aosp));
    notes.extend(super::without_unended(of.run).filter(|_| !pick.is_aosp));
    if of.nnapi.facts.is_of_drivers {
        notes.push(super::only_drivers());
    }
    if !super::has_marks(of.run, Layer::Runtime) {
        notes.push(super::no_runtime());
    }
    notes.extend((!pick.is_aosp && super::has_unseen_driver(of.run)).then(super::no_driver));
    if pick.is_aosp && of.nnapi.aosp_of(of.run).is_none() {
        notes.push(message("The AOSP parser prints nothing for this run; see the run panel for the reason."));
    }
    notes
}
