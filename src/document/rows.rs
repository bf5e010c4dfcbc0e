//! Rows of tables: filtered, sorted, a page of them.

use super::Document;
use super::figures::variant;
use crate::base::order;
use crate::model::build::natural;
use crate::model::figure::{Body, Cell, TableFigure};
use crate::model::table::{Table, TableCells};
use crate::wire::figures::{Page, Rows};
use std::cmp::Ordering;

/// Rows of a long table or of a table figure, filtered and sorted.
pub(super) fn page(doc: &Document, ask: &Rows) -> Option<Page> {
    if let Some(table) = doc.trace().tables.iter().find(|t| t.id == ask.id) {
        return Some(cut(&Long(table), ask));
    }
    match &variant(doc, &ask.id, &ask.chosen)?.body {
        Body::Table(table) => Some(cut(table, ask)),
        _ => None,
    }
}

/// What rows are cut from.
pub(super) trait Cells {
    fn n_rows(&self) -> usize;
    fn n_columns(&self) -> usize;
    fn cell(&self, row: usize, column: usize) -> Cell;
}

pub(super) struct Long<'a>(pub(super) &'a Table);

impl Cells for Long<'_> {
    fn n_rows(&self) -> usize {
        self.0.columns.iter().map(|c| c.cells.len()).max().unwrap_or(0)
    }

    fn n_columns(&self) -> usize {
        self.0.columns.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell {
        match self.0.columns.get(column).map(|c| &c.cells) {
            Some(TableCells::Numbers(v)) => Cell::number(v.get(row).copied()),
            Some(TableCells::Integers(v)) => v.get(row).map_or(Cell::Missing, |v| integer(*v)),
            Some(TableCells::Texts(v)) => {
                v.get(row).filter(|t| !t.is_empty()).map_or(Cell::Missing, |t| Cell::Text(t.clone()))
            }
            None => Cell::Missing,
        }
    }
}

/// Whole numbers beyond what a float holds exactly cross as text.
fn integer(value: u64) -> Cell {
    let float = value as f64;
    if value < 1 << 53 { Cell::Number(float) } else { Cell::Text(value.to_string()) }
}

impl Cells for TableFigure {
    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    fn n_columns(&self) -> usize {
        self.columns.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell {
        self.rows.get(row).and_then(|r| r.get(column)).cloned().unwrap_or_default()
    }
}

fn cut(table: &dyn Cells, ask: &Rows) -> Page {
    let wanted = ask.filter.to_lowercase();
    let columns = table.n_columns();
    let is_wanted =
        |row: &usize| wanted.is_empty() || (0..columns).any(|c| contains(&table.cell(*row, c), &wanted));
    let mut order: Vec<usize> = (0..table.n_rows()).filter(is_wanted).collect();
    if let Some((column, is_falling)) = ask.sort {
        let mut keyed: Vec<(Cell, usize)> = order.into_iter().map(|r| (table.cell(r, column), r)).collect();
        order::sort_by(&mut keyed, |a, b| compare_cells(&a.0, &b.0, is_falling));
        order = keyed.into_iter().map(|(_, r)| r).collect();
    }
    let row = |r: &usize| (0..columns).map(|c| table.cell(*r, c)).collect();
    let rows = order.iter().skip(ask.from).take(ask.n).map(row).collect();
    Page { total: order.len(), from: ask.from, rows }
}

fn contains(cell: &Cell, wanted: &str) -> bool {
    match cell {
        Cell::Text(text) => text.to_lowercase().contains(wanted),
        Cell::Number(v) => v.to_string().contains(wanted),
        Cell::Missing => false,
    }
}

/// Numbers by value, texts with the numbers in them by value, missing ones always last; equal ones keep their order.
fn compare_cells(a: &Cell, b: &Cell, is_falling: bool) -> Ordering {
    let order = match (a, b) {
        (Cell::Missing, Cell::Missing) => return Ordering::Equal,
        (Cell::Missing, _) => return Ordering::Greater,
        (_, Cell::Missing) => return Ordering::Less,
        (Cell::Number(a), Cell::Number(b)) => a.total_cmp(b),
        (Cell::Number(_), Cell::Text(_)) => Ordering::Less,
        (Cell::Text(_), Cell::Number(_)) => Ordering::Greater,
        (Cell::Text(a), Cell::Text(b)) => natural(a, b),
    };
    if is_falling { order.reverse() } else { order }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::figure::TableColumn;

    fn table() -> TableFigure {
        let row = |name: &str, value: Option<f64>| vec![Cell::Text(name.to_owned()), Cell::number(value)];
        let rows = vec![row("core10", Some(2.0)), row("core2", None), row("Core1", Some(12.5))];
        TableFigure { columns: vec![TableColumn::default(); 2], rows, ..TableFigure::default() }
    }

    fn names(ask: &Rows) -> Vec<String> {
        let text = |row: &Vec<Cell>| match &row[0] {
            Cell::Text(text) => text.clone(),
            _ => String::new(),
        };
        cut(&table(), ask).rows.iter().map(text).collect()
    }

    #[test]
    fn rows_are_sorted_by_value_with_missing_ones_last() {
        let by = |column, is_falling| Rows { sort: Some((column, is_falling)), n: 9, ..Rows::default() };
        assert_eq!(names(&by(1, false)), ["core10", "Core1", "core2"]);
        assert_eq!(names(&by(1, true)), ["Core1", "core10", "core2"]);
        assert_eq!(names(&by(0, false)), ["Core1", "core2", "core10"]);
    }

    #[test]
    fn rows_are_filtered_and_cut() {
        let page = cut(&table(), &Rows { filter: "CORE1".into(), from: 1, n: 1, ..Rows::default() });
        assert_eq!((page.total, page.rows.len()), (2, 1));
        assert_eq!(names(&Rows { filter: "12.".into(), n: 9, ..Rows::default() }), ["Core1"]);
        assert_eq!(names(&Rows { from: 7, n: 9, ..Rows::default() }), Vec::<String>::new());
    }

    #[test]
    fn addresses_keep_all_digits() {
        assert_eq!(integer(4096), Cell::Number(4096.0));
        assert_eq!(integer(u64::MAX), Cell::Text("18446744073709551615".to_owned()));
    }
}
