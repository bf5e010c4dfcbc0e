//! Rows of long tables and of figures that are tables.

use super::{Column, Folds, Goal, Kind, RowSource, Value};
use crate::base::order;
use crate::base::unit::Unit;
use crate::model::figure::{Cell, TableColumn, TableFigure};
use crate::model::{Table, TableCells};

/// Rows of a figure that decide what a column holds.
const SAMPLE: usize = 1_000;
/// Head of a column of numbers of rows.
const NUMBER: &str = "#";

/// A long table.
pub struct LongRows<'a> {
    table: &'a Table,
    /// Whether columns without any value are shown too.
    has_empty: bool,
}

impl<'a> LongRows<'a> {
    /// All rows of a table.
    pub fn new(table: &'a Table, has_empty: bool) -> Self {
        Self { table, has_empty }
    }
}

impl RowSource for LongRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let all = &self.table.columns;
        // A table without any value keeps its heads.
        let hides = !self.has_empty && all.iter().any(|c| c.cells.has_values());
        let column = |(at, c): (usize, &crate::model::TableColumn)| Column {
            head: TableColumn {
                name: c.name.clone(),
                unit: c.unit.clone(),
                is_phrase: self.table.phrases.contains(&at),
                ..TableColumn::default()
            },
            kind: match c.cells {
                TableCells::Numbers(_) | TableCells::Integers(_) => Kind::Exact,
                TableCells::Texts(_) => Kind::Text,
            },
            width: None,
            is_hidden: hides && !c.cells.has_values(),
            ..Column::default()
        };
        all.iter().enumerate().map(column).collect()
    }

    fn n_rows(&self) -> usize {
        self.table.columns.iter().map(|c| c.cells.len()).max().unwrap_or(0)
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let row = row as usize;
        match self.table.columns.get(column).map(|c| (&c.cells, &c.unit)) {
            Some((TableCells::Numbers(v), _)) => {
                v.get(row).filter(|v| !v.is_nan()).map_or(Value::Missing, |v| Value::Number(*v))
            }
            Some((TableCells::Integers(v), unit)) => {
                v.get(row).map_or(Value::Missing, |v| Value::integer(*v, unit))
            }
            Some((TableCells::Texts(v), _)) => v.get(row).map_or(Value::Missing, |v| Value::text(v)),
            None => Value::Missing,
        }
    }
}

/// A figure that is a table.
pub struct FigureRows<'a> {
    table: &'a TableFigure,
    folds: Folds,
}

impl<'a> FigureRows<'a> {
    /// All rows of a figure.
    pub fn new(table: &'a TableFigure) -> Self {
        Self { table, folds: Folds::default() }
    }

    /// Without the rows and columns that say nothing, see [`Folds`].
    pub fn folded(table: &'a TableFigure) -> Self {
        Self { table, folds: Folds::of_table(table) }
    }

    /// Whether a column is written at the right: it holds numbers.
    pub fn is_numeric(&self, column: usize) -> bool {
        let cells = || self.table.rows.iter().take(SAMPLE).filter_map(|r| r.get(column));
        cells().any(|c| c.as_number().is_some()) && !cells().any(|c| matches!(c, Cell::Text(_)))
    }

    /// Whether a column is left out: no row has a value in it, and not all have to be looked at to know.
    fn is_empty(&self, column: usize) -> bool {
        let rows = &self.table.rows;
        let is_missing = |row: &Vec<Cell>| match row.get(column) {
            Some(Cell::Text(text)) => text.is_empty(),
            cell => matches!(cell, Some(Cell::Missing) | None),
        };
        let is_known = !rows.is_empty() && rows.len() <= SAMPLE && self.table.more_rows == 0;
        is_known && self.table.key_columns.max(1) <= column && rows.iter().all(is_missing)
    }

    /// When each column gives way to the others where not all have room, by its place. Beside a baseline its own values do
    /// first, then all others, each time the last ones: the first value stays, with the baseline's and the difference.
    /// Elsewhere none does.
    fn giving(&self) -> Vec<u8> {
        let columns = &self.table.columns;
        let mut order = vec![0; columns.len()];
        let first = columns.iter().position(|column| column.is_difference);
        let Some(first) = first.filter(|_| self.table.row_units.is_empty()) else { return order };
        let is_old = |at: usize| columns.get(at).is_some_and(|column| column.name.ends_with("(baseline)"));
        let from = first.checked_sub(2).filter(|at| is_old(*at)).unwrap_or(first.saturating_sub(1));
        let stays = from..=first;
        let mut giving: Vec<usize> = (self.table.key_columns.max(1)..columns.len()).rev().collect();
        giving.retain(|at| !stays.contains(at));
        order::sort_by_key(&mut giving, |at| !is_old(*at));
        let beyond = giving.len().saturating_sub(usize::from(u8::MAX));
        for (n, at) in (1..).zip(giving) {
            order[at] = u8::try_from(usize::max(n, beyond + 1) - beyond).unwrap_or(u8::MAX);
        }
        order
    }

    /// How many columns are left out, because no row has a value in them.
    pub fn hidden(&self) -> usize {
        (0..self.table.columns.len()).filter(|&column| self.is_empty(column)).count()
    }
}

impl RowSource for FigureRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let giving = self.giving();
        let column = |(at, head): (usize, &TableColumn)| Column {
            gives_way: giving.get(at).copied().unwrap_or(0),
            kind: if self.is_numeric(at) { Kind::Number } else { Kind::Text },
            // Numbers of rows take little room.
            width: (at == 0 && head.name == NUMBER).then_some(56.0),
            head: head.clone(),
            is_hidden: self.is_empty(at) || self.folds.columns.contains(&at),
            ..Column::default()
        };
        self.table.columns.iter().enumerate().map(column).collect()
    }

    fn n_rows(&self) -> usize {
        self.table.rows.len()
    }

    fn has(&self, row: u32) -> bool {
        !self.folds.rows.contains(&(row as usize))
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        match self.table.rows.get(row as usize).and_then(|r| r.get(column)) {
            Some(Cell::Number(v)) => Value::Number(*v),
            Some(Cell::Integer(v)) => {
                let own = self.row_unit(row).or_else(|| self.table.columns.get(column).map(|c| &c.unit));
                Value::integer(*v, own.unwrap_or(&Unit::None))
            }
            Some(Cell::Text(text)) => Value::text(text),
            Some(Cell::Missing) | None => Value::Missing,
        }
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let places = (0..).zip(&self.table.columns).filter(|(_, column)| column.is_place);
        let places = places.filter_map(|(at, _)| match self.cell(row, at) {
            Value::Text(text) => Some(text),
            _ => None,
        });
        let places: Vec<_> = places.collect();
        [None, (!places.is_empty()).then(|| Goal::Place(places.join("\n")))]
    }

    fn row_unit(&self, row: u32) -> Option<&Unit> {
        self.table.row_units.get(row as usize)
    }
}
