//! Tables of a file: short ones are figures, long ones are read by pages.

use crate::base::unit::Unit;
use crate::base::words::Message;
use crate::model::Trace;
use crate::model::code::CodeScope;
use crate::model::figure::{Advice, Body, Cell, Family, Figure, TableColumn, TableFigure};
use crate::model::table;

/// Rows that a figure shows; longer tables have a view of their own.
const ROWS: usize = 200;

/// What a table is called.
pub(in crate::systems::instrumentation) struct TableText<'a> {
    /// Its id; a second one of the same id gets a number.
    pub(in crate::systems::instrumentation) id: &'a str,
    /// The panel it stands in.
    pub(in crate::systems::instrumentation) section: &'a str,
    /// Its title.
    pub(in crate::systems::instrumentation) title: &'a str,
}

/// A column.
pub(in crate::systems::instrumentation) fn column(name: &str, unit: Unit) -> TableColumn {
    TableColumn { name: name.to_owned(), unit, ..TableColumn::default() }
}

/// Adds a table to a trace; nothing when it has no rows.
pub(in crate::systems::instrumentation) fn add(
    trace: &mut Trace,
    text: &TableText,
    columns: Vec<TableColumn>,
    rows: Vec<Vec<Cell>>,
) {
    add_said(trace, text, (columns, rows), Vec::new(), Vec::new());
}

/// The same with sentences that answer a question, and notes.
pub(in crate::systems::instrumentation) fn add_said(
    trace: &mut Trace,
    text: &TableText,
    (columns, rows): (Vec<TableColumn>, Vec<Vec<Cell>>),
    advice: Vec<Advice>,
    notes: Vec<Message>,
) {
    if rows.is_empty() {
        return;
    }
    let like = |other: &str| {
        let rest = other.strip_prefix(text.id);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.strip_prefix('-').is_some_and(|n| n.parse::<usize>().is_ok())
        })
    };
    let n = trace.figures.iter().filter(|family| like(&family.id)).count()
        + trace.tables.iter().filter(|table| like(&table.id)).count();
    let id = if n == 0 { text.id.to_owned() } else { format!("{}-{}", text.id, n + 1) };
    if rows.len() <= ROWS {
        let body = TableFigure { columns, rows, key_columns: 2, ..TableFigure::default() };
        let mut figure = Figure::new(text.title, Body::Table(body));
        (figure.advice, figure.notes) = (advice, notes);
        trace.figures.push(Family::single(&id, text.section, figure));
        return;
    }
    let columns = columns.iter().enumerate().map(|(at, column)| table::TableColumn {
        name: column.name.clone(),
        unit: column.unit.clone(),
        cells: cells(at, &rows),
    });
    let (columns, scope) = (columns.collect(), CodeScope::default());
    let notes = advice.into_iter().map(|advice| advice.text).chain(notes).collect();
    trace.tables.push(table::Table { id, title: text.title.to_owned(), columns, notes, scope });
}

/// The cells of a column.
fn cells(at: usize, rows: &[Vec<Cell>]) -> table::TableCells {
    let all = rows.iter().map(|row| row.get(at).unwrap_or(&Cell::Missing));
    let whole = all.clone().map(|cell| if let Cell::Integer(n) = cell { Some(*n) } else { None });
    if let Some(whole) = whole.collect::<Option<Vec<u64>>>() {
        return table::TableCells::Integers(whole);
    }
    if all.clone().any(|cell| matches!(cell, Cell::Text(_))) {
        return table::TableCells::Texts(all.map(Cell::plain).collect());
    }
    table::TableCells::Numbers(all.map(|cell| cell.as_number().unwrap_or(f64::NAN)).collect())
}
