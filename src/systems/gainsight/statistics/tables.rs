//! Tables: a row for each kernel, and all numbers by name.

use super::figures::{note, of};
use super::snapshot::is_average;
use super::{Logs, figures};
use crate::analysis::contract::AnalysisInput;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::{Body, Cell, Figure, TableColumn, TableFigure};

/// Rows that a figure shows.
const ROWS: usize = 5_000;

/// What is told of each kernel, with its name in the log and whether it is a percentage.
const TOLD: [(&str, &str, Unit); 9] = [
    ("gpu_sim_cycle", phrase("Cycles"), Unit::Cycles),
    ("gpu_sim_insn", phrase("Thread instructions"), Unit::None),
    ("gpu_ipc", phrase("Instructions per cycle"), Unit::None),
    ("gpu_occupancy", phrase("Occupancy"), Unit::Percent),
    ("L2_BW", phrase("L2 bandwidth"), Unit::GigabytesPerSec),
    ("gpu_tot_sim_cycle", phrase("Cycles so far"), Unit::Cycles),
    ("gpu_tot_ipc", phrase("Instructions per cycle so far"), Unit::None),
    ("gpu_stall_dramfull", phrase("Stalls of full memory queues so far"), Unit::None),
    ("gpu_stall_icnt2sh", phrase("Stalls to cores so far"), Unit::None),
];

pub(super) fn column(name: &str, unit: Unit) -> TableColumn {
    TableColumn { name: name.to_owned(), unit, ..TableColumn::default() }
}

fn text(text: &str) -> Cell {
    if text.is_empty() { Cell::Missing } else { Cell::Text(text.to_owned()) }
}

/// A row for each kernel.
pub(super) fn kernels(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let number = id.rsplit('-').next().and_then(|number| number.parse::<usize>().ok()).unwrap_or(usize::MAX);
    let log = input.trace.extensions.get::<Logs>().and_then(|logs| logs.0.get(number));
    let Some(log) = log else { return figures::of(input, id, |_| Body::Table(TableFigure::default())) };
    let rows_of: Vec<Option<usize>> =
        TOLD.iter().map(|(key, ..)| log.keys.iter().position(|own| own == key)).collect();
    let told = TOLD.iter().zip(&rows_of).filter(|(_, row)| row.is_some());
    let mut columns = vec![
        column(phrase("Row"), Unit::None),
        column(phrase("Kernel"), Unit::None),
        column(phrase("Launch"), Unit::None),
    ];
    let has_streams = log.kernels.iter().any(|kernel| !kernel.stream.is_empty());
    if has_streams {
        columns.push(column(phrase("Stream"), Unit::None));
    }
    columns.extend(told.map(|((key, title, unit), _)| TableColumn {
        has_bar: *key == "gpu_sim_cycle",
        ..column(title, unit.clone())
    }));
    let mut now = vec![f64::NAN; log.keys.len()];
    let row = |(at, kernel): (usize, &super::KernelEnd)| {
        for (key, value) in &kernel.changes {
            if let Some(place) = now.get_mut(*key as usize) {
                *place = *value;
            }
        }
        let mut row = vec![Cell::Integer(at as u64 + 1), text(&kernel.names), text(&kernel.uids)];
        if has_streams {
            row.push(text(&kernel.stream));
        }
        row.extend(rows_of.iter().flatten().map(|key| Cell::number(now.get(*key).copied())));
        row
    };
    let rows = log.kernels.iter().enumerate().take(ROWS).map(row).collect();
    let more_rows = log.kernels.len().saturating_sub(ROWS);
    let table = TableFigure { columns, rows, key_columns: 3, more_rows, ..TableFigure::default() };
    let mut figure = Figure::new("", Body::Table(table));
    if log.kernels.iter().any(|kernel| kernel.uids.is_empty()) {
        figure.notes.push(phrase("A row without a kernel is time in which none ended.").into());
    }
    figure
}

/// All numbers that are no cells of a matrix.
pub(super) fn all(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let mut figure = of(input, id, |shown| {
        let mut columns =
            vec![column(phrase("Statistic"), Unit::None), column(phrase("As printed"), Unit::None)];
        if shown.kernel.is_some() {
            columns.push(column(phrase("Of this kernel"), Unit::None));
        }
        let all = shown.all().filter(|(key, ..)| !key.starts_with("dram."));
        let row = |(key, printed, own): (&str, Option<f64>, Option<f64>)| {
            let mut row = vec![Cell::Text(key.to_owned()), Cell::number(printed)];
            if shown.kernel.is_some() {
                row.push(Cell::number(own.filter(|_| !is_average(key))));
            }
            row
        };
        let rows: Vec<_> = all.map(row).collect();
        let more_rows = rows.len().saturating_sub(ROWS);
        let rows = rows.into_iter().take(ROWS).collect();
        Body::Table(TableFigure { columns, rows, key_columns: 1, more_rows, ..TableFigure::default() })
    });
    note(&mut figure, input, id);
    figure
}
