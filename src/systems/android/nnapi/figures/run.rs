//! What a run is, where the AOSP parser has other numbers, and what is against the contract.

use super::matrix::contrasts;
use super::{Of, at, chosen, place, table, time, words};
use crate::analysis::contract::AnalysisInput;
use crate::base::time::Span;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Body, Cell, Fact, Facts, Figure, TableColumn};
use crate::systems::android::nnapi::corrected::{App, Difference, Warning, millis};
use crate::systems::android::nnapi::mark::{Layer, Marks, Phase};

fn fact(name: &str, value: Cell, unit: Unit) -> Fact {
    Fact { name: name.to_owned(), value, unit }
}

/// Name, length, executions, processes, and what the AOSP parser makes of the trace.
pub(super) fn facts(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let Some(of) = chosen(input, options) else { return Figure::new("", Body::Facts(Facts::default())) };
    let (trace, run) = (input.trace, of.run);
    let text = |text: String| if text.is_empty() { Cell::Missing } else { Cell::Text(text) };
    let count = |app| Cell::Number(run.matrix.n_executions(Some(app)) as f64);
    let n_drivers = of.nnapi.corrected.drivers_of(run).iter().filter(|driver| !driver.is_cut).count();
    let of_all = format!("{} / {}", of.number + 1, of.nnapi.corrected.runs.len());
    let mut facts = vec![
        fact(phrase("Name"), text(of.nnapi.name_of(trace, run).to_owned()), Unit::None),
        fact(phrase("Run"), text(of_all), Unit::None),
        fact(phrase("From first to last mark"), Cell::Number(millis(run.span.dur())), Unit::Millis),
        fact(phrase("Executions outside loops"), count(App::Overall), Unit::None),
        fact(phrase("Warm-up executions"), count(App::Warmup), Unit::None),
        fact(phrase("Measured executions"), count(App::Benchmark), Unit::None),
        fact(phrase("Executions in drivers"), Cell::Number(n_drivers as f64), Unit::None),
    ];
    if 0 < run.matrix.n_cut {
        let n = Cell::Number(run.matrix.n_cut as f64);
        facts.push(fact(phrase("Unfinished executions"), n, Unit::None));
    }
    let share = driver_share(of);
    if let Some(share) = share {
        facts.push(fact(phrase("Driver share of executions"), Cell::Number(share), Unit::Percent));
    }
    if 0 < run.n_orphans {
        facts.push(fact(phrase("Ends without a begin"), Cell::Number(run.n_orphans as f64), Unit::None));
    }
    let mut figure = Figure::new("", Body::Facts(Facts { facts }));
    figure.notes.extend(share.map(|_| super::shares_rule()));
    if !super::has_marks(run, Layer::Runtime) {
        figure.notes.push(super::no_runtime());
    }
    if run.is_incomplete {
        figure.notes.push(message("A scope in this run has no end: its times may be wrong."));
    }
    figure.notes.extend(of.nnapi.aosp_words(run));
    figure
}

/// The driver's part of the time of complete executions, in percent; `None` where no mark tells who computed.
fn driver_share(of: Of) -> Option<f64> {
    let complete = of.run.matrix.complete();
    let cell = |layer| complete.cell(None, layer, Phase::Execution);
    let has = |layer| cell(layer).n != 0;
    // Calls to a driver that wrote no marks do not say how long it took.
    let is_known = has(Layer::Driver) || has(Layer::Cpu) && !has(Layer::Ipc);
    let all = complete.sum(None, Phase::Execution);
    (is_known && 0 < all).then(|| cell(Layer::Driver).own as f64 * 100.0 / all as f64)
}

/// The cells in which the AOSP parser has other numbers, with the reasons.
pub(super) fn differences(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let columns = vec![
        TableColumn { is_phrase: true, ..words(phrase("Layer")) },
        TableColumn { is_phrase: true, ..words(phrase("Phase")) },
        TableColumn { is_phrase: true, ..words(phrase("Time")) },
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
        _ if rows.is_empty() => phrase("The AOSP parser gives the same numbers."),
        _ => phrase("Difference = corrected − AOSP. Missing values (n/a) count as 0."),
    };
    let mut figure = table(columns, rows, 3);
    figure.notes.push(note.into());
    figure
}

/// Why it has other numbers.
pub(super) fn reasons(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let columns = vec![
        TableColumn { is_phrase: true, ..words(phrase("Why")) },
        TableColumn { is_phrase: true, ..words(phrase("Layer")) },
        TableColumn { is_phrase: true, ..words(phrase("Phase")) },
        TableColumn { is_phrase: true, ..words(phrase("Loop")) },
        TableColumn { name: phrase("Count").to_owned(), ..TableColumn::default() },
        time(phrase("Affected time")),
    ];
    let name = |name: Option<&str>| name.map_or(Cell::Missing, |name| Cell::Text(name.to_owned()));
    let row = |d: &Difference| {
        vec![
            Cell::Text(d.cause.sentence().to_owned()),
            name(d.cell.map(|(layer, _)| layer.title())),
            name(d.cell.map(|(_, phase)| phase.title())),
            name(d.app.map(|app| app.phase().title())),
            Cell::Number(d.n as f64),
            Cell::number(d.time.map(millis)),
        ]
    };
    let of = chosen(input, options);
    let rows: Vec<_> = of.map_or_else(Vec::new, |of| of.run.differences.iter().map(row).collect());
    let is_empty = rows.is_empty();
    let mut figure = table(columns, rows, 1);
    if is_empty {
        figure.notes.push(message("No known reason for AOSP parser differences in this run."));
    }
    figure
}

/// What the marks do that the contract does not allow.
pub(super) fn warnings(input: &AnalysisInput, _: &str, options: &[usize]) -> Figure {
    let columns = vec![
        TableColumn { is_phrase: true, ..words(phrase("Issue")) },
        TableColumn { name: phrase("Count").to_owned(), ..TableColumn::default() },
        place(),
    ];
    let of = chosen(input, options);
    let row = |of: Of, warning: &Warning| {
        let marks = Marks::of(of.input.trace);
        let start = warning.rows.first().and_then(|row| marks.time.get(*row as usize)).copied();
        let first =
            start.map(|start| at(of.input, "", Some(Span::new(start, start.saturating_add(1_000))), None));
        vec![
            Cell::Text(warning.trouble.sentence().to_owned()),
            Cell::Number(warning.n as f64),
            first.unwrap_or(Cell::Missing),
        ]
    };
    let rows: Vec<_> = of.map_or_else(Vec::new, |of| of.run.warnings.iter().map(|w| row(of, w)).collect());
    let is_empty = rows.is_empty();
    let mut figure = table(columns, rows, 1);
    if is_empty {
        figure.notes.push(message("No contract violations in this run."));
    }
    figure
}
