//! Columns whose rows all came: brought to their types and into the order of the rows, piece by piece, so that blocks of
//! any size give way.

use super::cell::shown_as;
use super::columns::{Budget, Columns, Data, Dtypes, Growing};
use crate::base::order;
use crate::base::unit::Unit;
use crate::model::code::{Cells, Column, ColumnStyle, Rows};
use crate::systems::ascend::reader::field::number;
use std::collections::VecDeque;
use std::mem::take;

/// Rows that are done in one piece.
pub(super) const PIECE: usize = 1 << 14;

/// The order of rows: row `i` is row `rows[i]` as it came.
pub(super) struct Order {
    rows: Vec<u32>,
    is_as_it_came: bool,
}

impl Order {
    /// Rows in this order.
    pub(super) fn new(rows: Vec<u32>) -> Self {
        let is_as_it_came = (0u32..).zip(&rows).all(|(i, &at)| i == at);
        Self { rows, is_as_it_came }
    }

    /// So many rows as they came.
    pub(super) fn as_it_came(n: usize) -> Self {
        Self { rows: (0u32..).take(n).collect(), is_as_it_came: true }
    }

    /// The next piece from a row on, and the row behind it.
    pub(super) fn piece(&self, at: usize) -> (&[u32], usize) {
        let end = self.rows.len().min(at.saturating_add(PIECE));
        (self.rows.get(at..end).unwrap_or(&[]), end)
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }
}

/// Columns on their way.
pub(super) struct Settling {
    waiting: VecDeque<Growing>,
    open: Option<Open>,
    done: Vec<Column>,
    n_rows: usize,
    /// Names of columns with values that are not of their type, each once.
    pub(super) mistyped: Vec<String>,
    /// Whether cells were left out because there would be too many.
    pub(super) is_full: bool,
}

impl Settling {
    /// Columns to which no more rows come.
    pub(super) fn new(columns: Columns) -> Self {
        let Columns { growing, n_rows, mistyped, is_full, .. } = columns;
        Self { waiting: growing.into(), open: None, done: Vec::new(), n_rows, mistyped, is_full }
    }

    /// How many rows there are.
    pub(super) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Does the next piece; false when nothing is left to do.
    pub(super) fn step(&mut self, dtypes: &Dtypes, budget: &mut Budget, order: &Order) -> bool {
        let Some(mut open) = self.open.take().or_else(|| self.next(dtypes, budget)) else { return false };
        if open.step(order) {
            self.open = Some(open);
            return true;
        }
        if !open.is_typed && !self.mistyped.contains(&open.column.name) {
            self.mistyped.push(open.column.name.clone());
        }
        self.done.push(open.finish());
        true
    }

    /// The next column that is shown, with a cell for every row.
    fn next(&mut self, dtypes: &Dtypes, budget: &mut Budget) -> Option<Open> {
        while let Some(mut column) = self.waiting.pop_front() {
            let dtype = dtypes.get(&column.name).copied();
            if dtype == Some(0) {
                continue;
            }
            if column.fill(self.n_rows, budget) {
                return Some(Open::new(column, dtype));
            }
            self.is_full = true;
        }
        None
    }

    /// The columns in the order they are shown: by `rank`, then as they came.
    pub(super) fn finish(mut self, rank: fn(&str) -> u8) -> Vec<Column> {
        order::sort_by_key(&mut self.done, |c| rank(&c.name));
        self.done
    }
}

/// What becomes of the cells of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// Texts that become numbers if all of them are.
    Check,
    Numbers,
    Texts,
    Same,
}

/// The column that is being brought to its type and order.
struct Open {
    column: Growing,
    dtype: Option<i64>,
    goal: Goal,
    at: usize,
    to: Data,
    /// Whether all values were of the type.
    is_typed: bool,
}

fn is_number(text: &str) -> bool {
    text.is_empty() || number(text).is_some()
}

impl Open {
    fn new(column: Growing, dtype: Option<i64>) -> Self {
        let is_rate = column.name == "L2Cache Hit Rate";
        let goal = match (&column.data, dtype) {
            (Data::Texts(_), Some(1 | 2 | 4)) => Goal::Numbers,
            // Older files give rates as texts such as "72%"; as numbers they can be sorted and compared.
            (Data::Texts(_), _) if is_rate => Goal::Check,
            (Data::Numbers(_), Some(3)) if !is_rate => Goal::Texts,
            _ => Goal::Same,
        };
        Self { column, dtype, goal, at: 0, to: Data::Numbers(Vec::new()), is_typed: true }
    }

    /// Does the next piece; false when the column is done.
    fn step(&mut self, order: &Order) -> bool {
        if self.goal == Goal::Check {
            return self.check();
        }
        if self.goal == Goal::Same && order.is_as_it_came {
            self.to = std::mem::replace(&mut self.column.data, Data::Numbers(Vec::new()));
            return false;
        }
        if self.at == 0 {
            self.to = self.room(order.len());
        }
        let (rows, end) = order.piece(self.at);
        let stride = self.column.stride;
        match (&mut self.column.data, &mut self.to) {
            (Data::Texts(from), Data::Numbers(to)) => each(from, rows, stride, |text| {
                self.is_typed &= is_number(text);
                to.push(number(text).filter(|v| 0.0 <= *v).unwrap_or(f64::NAN));
            }),
            (Data::Numbers(from), Data::Texts(to)) => {
                let text = |v: f64| if v.is_finite() { v.to_string() } else { String::new() };
                each(from, rows, stride, |v| to.push(text(*v)));
            }
            (Data::Numbers(from), Data::Numbers(to)) => each(from, rows, stride, |v| to.push(*v)),
            (Data::Texts(from), Data::Texts(to)) => each(from, rows, stride, |v| to.push(take(v))),
            (Data::Parts(from), Data::Parts(to)) => each(from, rows, stride, |v| to.push(take(v))),
            (Data::Registers(from), Data::Registers(to)) => each(from, rows, 1, |v| to.push(take(v))),
            _ => {} // the room fits the goal
        }
        self.at = end;
        end < order.len()
    }

    /// Room for the cells of so many rows, of the kind they become.
    fn room(&self, n_rows: usize) -> Data {
        let n = n_rows.saturating_mul(self.column.stride).min(self.column.data.len());
        match (&self.column.data, self.goal) {
            (_, Goal::Numbers) | (Data::Numbers(_), Goal::Same | Goal::Check) => {
                Data::Numbers(Vec::with_capacity(n))
            }
            (_, Goal::Texts) | (Data::Texts(_), _) => Data::Texts(Vec::with_capacity(n)),
            (Data::Parts(_), _) => Data::Parts(Vec::with_capacity(n)),
            (Data::Registers(_), _) => Data::Registers(Vec::with_capacity(n)),
        }
    }

    /// Looks whether texts are numbers; always goes on.
    fn check(&mut self) -> bool {
        let Data::Texts(texts) = &self.column.data else { return true };
        let end = texts.len().min(self.at.saturating_add(PIECE));
        if !texts.get(self.at..end).unwrap_or(&[]).iter().all(|text| is_number(text)) {
            (self.goal, self.at) = (Goal::Same, 0);
        } else if end == texts.len() {
            (self.goal, self.at) = (Goal::Numbers, 0);
            self.column.is_percent = true;
        } else {
            self.at = end;
        }
        true
    }

    fn finish(self) -> Column {
        let Growing { name, stride, is_percent, .. } = self.column;
        let (style, unit) = shown_as(&name, self.dtype, is_percent);
        let rows = Rows::All;
        let (style, unit, cells) = match self.to {
            Data::Numbers(values) => (style, unit, Cells::Numbers { values, stride, rows }),
            Data::Texts(values) => (ColumnStyle::Plain, Unit::None, Cells::Texts { values, stride, rows }),
            Data::Parts(values) => (ColumnStyle::Stacked, Unit::Share, Cells::Parts { values, stride, rows }),
            Data::Registers(values) => (ColumnStyle::Registers, Unit::None, Cells::Registers { values }),
        };
        Column { name, unit, style, cells }
    }
}

/// Each cell of these rows.
fn each<T>(cells: &mut [T], rows: &[u32], stride: usize, mut with: impl FnMut(&mut T)) {
    for &row in rows {
        let at = (row as usize).saturating_mul(stride);
        cells.get_mut(at..at.saturating_add(stride)).unwrap_or(&mut []).iter_mut().for_each(&mut with);
    }
}
