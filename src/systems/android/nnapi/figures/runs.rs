//! All runs beside each other.

use super::matrix::{self, Column, Pick};
use super::{Of, ms, network, run_name, time, words};
use crate::analysis::contract::AnalysisInput;
use crate::base::order;
use crate::base::order::sort_floats;
use crate::base::words::{Message, message, phrase};
use crate::model::figure::{Bar, BarRole, Bars, Body, Cell, Choice, Figure, MatrixCell, Number, TableColumn};
use crate::systems::android::nnapi::Nnapi;
use crate::systems::android::nnapi::mark::{Layer, Phase};

/// How ids of these figures begin.
pub(super) const PREFIX: &str = "nnapi-runs";

/// Most runs that have a column.
const COLUMNS: usize = 50;

/// Which time, and whose numbers.
pub(super) fn choices(_: &AnalysisInput) -> Vec<Choice> {
    let options = [phrase("Self time"), phrase("Total time")].map(str::to_owned).to_vec();
    vec![Choice { name: phrase("Time").to_owned(), options }, matrix::numbers()]
}

/// The phases, the whole run first.
pub(super) fn phases(input: &AnalysisInput) -> Vec<Choice> {
    let options = phase_columns(input).into_iter().map(|(_, title)| title.to_owned()).collect();
    vec![Choice { name: phrase("Phase").to_owned(), options }]
}

/// The columns of the table of a run.
fn phase_columns(input: &AnalysisInput) -> Vec<(Column, &'static str)> {
    input.result::<Nnapi>().map_or_else(Vec::new, matrix::columns)
}

fn all<'a>(input: &'a AnalysisInput<'a>) -> impl Iterator<Item = Of<'a>> {
    let of = move |nnapi: &'a Nnapi| {
        let runs = nnapi.corrected.runs.iter().enumerate();
        runs.map(move |(number, run)| Of { nnapi, run, number })
    };
    input.result::<Nnapi>().into_iter().flat_map(of)
}

/// Executions without an end are no part of what runs are compared by.
const COMPLETE: Pick = Pick { app: None, is_per_execution: false, is_aosp: false };

/// Whether the time of a column is known: that of everything is not where an execution has no end.
fn is_complete(of: Of, column: Column) -> bool {
    column != Column::Of(Phase::Overall) || of.run.matrix.n_cut == 0
}

/// What is said of executions without an end.
fn unfinished(input: &AnalysisInput) -> Option<Message> {
    let n: u64 = all(input).map(|of| of.run.matrix.n_cut).sum();
    (0 < n).then(|| super::without_unfinished(n))
}

/// A row for each layer and phase: the smallest, middle and largest time, and that of each run.
pub(super) fn table(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let is_total = options.first() == Some(&1);
    let pick = Pick { is_aosp: options.get(1) == Some(&1), ..COMPLETE };
    let chosen = |cell: MatrixCell| if is_total { cell.second } else { cell.value };
    let phrases = |name: &str| TableColumn { is_phrase: true, ..words(name) };
    let mut columns = vec![phrases(phrase("Layer")), phrases(phrase("Phase"))];
    columns.extend([phrase("Min"), phrase("Median"), phrase("Max")].map(time));
    let (names, common) = names(input);
    columns.extend(names.iter().take(COLUMNS).map(|name| time(name)));
    let mut rows = Vec::new();
    for layer in Layer::REPORTED.map(Some).into_iter().chain([None]) {
        for (column, title) in input.result::<Nnapi>().map_or_else(Vec::new, matrix::columns) {
            let value = |of: Of| match layer {
                _ if !is_complete(of, column) => None,
                Some(layer) => chosen(matrix::cell(of, &pick, layer, column)),
                // A run without the phase has no time of it.
                None => matrix::sum(of, &pick, column).filter(|time| *time != 0.0),
            };
            let values: Vec<Number> = all(input).map(value).collect();
            if values.iter().all(|value| value.is_none_or(|v| v == 0.0)) {
                continue;
            }
            let layer = layer.map_or(phrase("Total"), Layer::title);
            let mut row = vec![Cell::Text(layer.to_owned()), Cell::Text(title.to_owned())];
            row.extend(spread(&values).map(Cell::number));
            row.extend(values.into_iter().take(COLUMNS).map(Cell::number));
            rows.push(row);
        }
    }
    let mut figure = super::table(columns, rows, 2);
    figure.scope = common;
    figure.notes.extend(unfinished(input));
    // Of those without a complete execution nothing that is compared is known.
    let compared = all(input).filter(|of| of.run.matrix.n_cut == 0 || 0 < of.run.matrix.n_executions(None));
    let mut networks: Vec<&str> = compared.map(|of| network(input, of.nnapi, of.run)).collect();
    order::sort(&mut networks);
    networks.dedup();
    if 1 < networks.len() {
        let note = message("Min, Median and Max cover {n} networks together.");
        figure.notes.push(note.with("n", networks.len()));
    }
    let n = all(input).count();
    if COLUMNS < n {
        let note = message("The first {n} of {m} runs have a column; Min, Median and Max cover all runs.");
        figure.notes.push(note.with("n", COLUMNS).with("m", n));
    }
    figure
}

/// What runs are called beside each other, by their numbers where all have one name; and that name.
fn names<'a>(input: &'a AnalysisInput<'a>) -> (Vec<String>, String) {
    let name = |of: Of<'a>| of.nnapi.name_of(input.trace, of.run);
    let first = all(input).next().map(name).unwrap_or_default();
    if all(input).all(|of| name(of) == first) {
        return (all(input).map(|of| format!("#{}", of.number + 1)).collect(), first.to_owned());
    }
    (all(input).map(|of| run_name(input, of.run)).collect(), String::new())
}

/// The smallest, the middle and the largest number.
fn spread(values: &[Number]) -> [Number; 3] {
    let mut sorted: Vec<f64> = values.iter().flatten().copied().collect();
    sort_floats(&mut sorted);
    let n = sorted.len();
    let at = |i: usize| sorted.get(i).copied();
    let median = at(n / 2).zip(at(n.saturating_sub(1) / 2)).map(|(a, b)| f64::midpoint(a, b));
    [at(0), median, sorted.last().copied()]
}

/// A bar for each run, divided by layer.
pub(super) fn bars(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let columns = phase_columns(input);
    let option = options.first().and_then(|&option| columns.get(option)).or(columns.first());
    let column = option.map_or(Column::Of(Phase::Overall), |(column, _)| *column);
    let own = |of: Of<'_>, layer| {
        matrix::cell(of, &COMPLETE, layer, column).value.filter(|_| is_complete(of, column))
    };
    let layers = Layer::REPORTED.into_iter();
    let layers = layers.filter(|&layer| all(input).any(|of| own(of, layer).is_some_and(|time| time != 0.0)));
    let layers: Vec<Layer> = layers.collect();
    let bar = |(of, name): (Of, String)| Bar {
        name,
        values: layers.iter().map(|&layer| own(of, layer)).collect(),
        role: BarRole::Work,
        detail: String::new(),
    };
    let parts = layers.iter().map(|layer| layer.title().to_owned()).collect();
    let colors = layers.iter().map(|layer| layer.color()).collect();
    let bars = all(input).zip(names(input).0).map(bar).collect();
    let bars = Bars { unit: ms(), parts, colors, bars, ..Bars::default() };
    let mut figure = Figure::new("", Body::Bars(bars));
    phrase("self time").clone_into(&mut figure.scope);
    figure.notes.extend(unfinished(input));
    figure
}
