//! Columns whose rows all came: brought to their types and into the order of the rows.

use super::cell::shown_as;
use super::columns::{Budget, Columns, Data, Dtypes, Growing};
use crate::base::job::Turn;
use crate::base::order;
use crate::base::unit::Unit;
use crate::model::code::{Cells, Column, ColumnStyle, Rows};
use crate::systems::ascend::reader::field::number;
use std::mem::take;

/// Rows that are done between two pauses.
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

    /// The rows, so many at a time as are done between two pauses.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &[u32]> {
        self.rows.chunks(PIECE)
    }
}

/// Columns that are shown.
pub(super) struct Settled {
    pub(super) columns: Vec<Column>,
    /// Names of columns with values that are not of their type, each once.
    pub(super) mistyped: Vec<String>,
    /// Whether cells were left out because there would be too many.
    pub(super) is_full: bool,
}

/// Columns to which no more rows come, those that are shown with a cell for every row: by `rank`, then as they came.
pub(super) async fn settle(
    columns: Columns,
    (dtypes, budget): (&Dtypes, &mut Budget),
    order: &Order,
    rank: fn(&str) -> u8,
    turn: &Turn,
) -> Settled {
    let Columns { growing, n_rows, mut mistyped, mut is_full, .. } = columns;
    let mut columns = Vec::new();
    for mut column in growing {
        let dtype = dtypes.get(&column.name).copied();
        if dtype == Some(0) {
            continue;
        }
        if !column.fill(n_rows, budget) {
            is_full = true;
            continue;
        }
        let (column, is_typed) = column.settle(dtype, order, turn).await;
        if !is_typed && !mistyped.contains(&column.name) {
            mistyped.push(column.name.clone());
        }
        columns.push(column);
        turn.pause().await;
    }
    order::sort_by_key(&mut columns, |c| rank(&c.name));
    Settled { columns, mistyped, is_full }
}

/// What becomes of the cells of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Numbers,
    Texts,
    Same,
}

fn is_number(text: &str) -> bool {
    text.is_empty() || number(text).is_some()
}

/// Whether all texts are numbers.
async fn are_numbers(texts: &[String], turn: &Turn) -> bool {
    for piece in texts.chunks(PIECE) {
        if !piece.iter().all(|text| is_number(text)) {
            return false;
        }
        turn.pause().await;
    }
    true
}

impl Growing {
    /// Brings the column to its type and order; says too whether all values were of the type.
    async fn settle(mut self, dtype: Option<i64>, order: &Order, turn: &Turn) -> (Column, bool) {
        let is_rate = self.name == "L2Cache Hit Rate";
        let goal = match (&self.data, dtype) {
            (Data::Texts(_), Some(1 | 2 | 4)) => Goal::Numbers,
            // Older files give rates as texts such as "72%"; as numbers they can be sorted and compared.
            (Data::Texts(texts), _) if is_rate && are_numbers(texts, turn).await => {
                self.is_percent = true;
                Goal::Numbers
            }
            (Data::Numbers(_), Some(3)) if !is_rate => Goal::Texts,
            _ => Goal::Same,
        };
        let mut is_typed = true;
        if goal != Goal::Same || !order.is_as_it_came {
            let mut to = self.room(goal, order.rows.len());
            for rows in order.pieces() {
                is_typed &= self.put(rows, &mut to);
                turn.pause().await;
            }
            self.data = to;
        }
        (self.shown(dtype), is_typed)
    }

    /// Room for the cells of so many rows, of the kind they become.
    fn room(&self, goal: Goal, n_rows: usize) -> Data {
        let n = n_rows.saturating_mul(self.stride).min(self.data.len());
        match (&self.data, goal) {
            (_, Goal::Numbers) | (Data::Numbers(_), Goal::Same) => Data::Numbers(Vec::with_capacity(n)),
            (_, Goal::Texts) | (Data::Texts(_), _) => Data::Texts(Vec::with_capacity(n)),
            (Data::Parts(_), _) => Data::Parts(Vec::with_capacity(n)),
            (Data::Registers(_), _) => Data::Registers(Vec::with_capacity(n)),
        }
    }

    /// Puts the cells of these rows behind those before; says whether all values were of the type.
    fn put(&mut self, rows: &[u32], to: &mut Data) -> bool {
        let (stride, mut is_typed) = (self.stride, true);
        match (&mut self.data, to) {
            (Data::Texts(from), Data::Numbers(to)) => each(from, rows, stride, |text| {
                is_typed &= is_number(text);
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
        is_typed
    }

    /// The column as it is shown.
    fn shown(self, dtype: Option<i64>) -> Column {
        let Self { name, stride, is_percent, data, .. } = self;
        let (style, unit) = shown_as(&name, dtype, is_percent);
        let rows = Rows::All;
        let (style, unit, cells) = match data {
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
