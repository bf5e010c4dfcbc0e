//! Rows of any table as they are shown: texts, units, bars and colors of cells, widths of columns.

use super::facts::{column_name, says_unit, unit_of_head};
use super::style::{
    DrawStyle, TEXT, bar_scale, cell_of, difference_cell, difference_with_unit, digits, full, full_bar,
    in_parentheses, is_in_points, sense_ink,
};
use crate::analysis::compare::pair_of;
use crate::analysis::rows::{Column, Kind, RowSource, SET_IN, Value};
use crate::base::number;
use crate::base::unit::{Preference, Unit};
use crate::base::words::{Language, tr, tr_parts};
use crate::model::figure::Target;
use crate::scene::palette::Ink;
use crate::scene::table::{self, Cell, Tone};
use crate::scene::text;
use std::borrow::Cow;

/// Rows that decide how wide columns are and how many digits their numbers take.
pub const SAMPLE: u32 = 200;
/// Least and greatest width of a column that is as wide as its cells.
pub const WIDTHS: (f64, f64) = (48.0, 280.0);
/// Widest column of names that are not cut for others; that of the first column, which tells rows apart.
const SHORT: f64 = 150.0;
const FIRST: f64 = 260.0;

/// How the cells of a table are written. Costs a few of its rows, whatever their number; columns with bars all of them.
pub struct TableFormat {
    columns: Vec<Column>,
    /// How many decimals the numbers of each column take.
    digits: Vec<Option<usize>>,
    /// What a full bar of each column is; `None` without bars.
    most: Vec<Option<f64>>,
}

impl TableFormat {
    /// Looks at the columns and the first rows of a source.
    pub fn new(source: &dyn RowSource) -> Self {
        let columns = source.columns();
        let n_rows = source.n_rows() as u32;
        let first = |n: u32, column: usize| {
            (0..n.min(n_rows)).filter_map(move |row| match source.cell(row, column) {
                Value::Number(v) => Some(v),
                Value::Whole(v) => Some(v as f64),
                _ => None,
            })
        };
        let numbers = |column| first(SAMPLE, column);
        let digits = columns.iter().enumerate().map(|(at, column)| {
            let is_short = column.kind == Kind::Number;
            let own = || is_short.then(|| digits(numbers(at), &column.head.unit)).flatten();
            // That the first rows are whole does not say that all are.
            column.decimals.or_else(|| own().filter(|digits| 0 < *digits || n_rows <= SAMPLE))
        });
        let mut digits: Vec<Option<usize>> = digits.collect();
        // Differences of shares take as many as what they are differences of.
        let name = |at: usize| columns.get(at).map(|column| column.head.name.clone());
        for (at, Column { head, .. }) in columns.iter().enumerate() {
            let is_meant = head.is_difference && is_in_points(&head.unit);
            if let Some((old, new)) = is_meant.then(|| pair_of(at, name)).flatten() {
                digits[at] = digits[old].max(digits[new]);
            }
        }
        let most = columns.iter().enumerate().map(|(at, column)| {
            let Column { head, kind, .. } = column;
            let is_ratio =
                head.unit == Unit::None && (head.name.ends_with("ratio") || head.name.ends_with("rate"));
            match (kind, &head.unit) {
                (Kind::Share, _) => Some(1.0),
                (Kind::Number, _) if !head.has_bar => None,
                (Kind::Exact | Kind::Number, unit) if full_bar(unit).is_some() => full_bar(unit),
                // Of all rows, so that no bar is longer than a full one.
                (Kind::Number, _) => Some(first(n_rows, at).fold(f64::MIN_POSITIVE, f64::max)),
                (Kind::Exact, _) if is_ratio && numbers(at).all(|v| (0.0..=1.0).contains(&v)) => Some(1.0),
                _ => None,
            }
        });
        let most = most.collect();
        Self { columns, digits, most }
    }

    /// The heads of the columns that are shown, as wide as the first rows: how wide the heads themselves are is known to
    /// who arranges them.
    pub fn heads(&self, source: &dyn RowSource, look: &DrawStyle) -> Vec<table::Column> {
        let shown = self.columns.iter().enumerate().filter(|(_, column)| !column.is_hidden);
        let head = |(at, column): (usize, &Column)| {
            let title = tr_parts(look.language, &column_name(&column.head.name, look.language)).into_owned();
            let unit = match column.kind {
                Kind::Share => "%",
                _ => unit_of_head(&column.head),
            };
            let unit = if says_unit(&column.head.name, unit) { "" } else { tr(look.language, unit) };
            let bar = self.most[at].map_or(String::new(), |most| match column.kind {
                Kind::Share => bar_scale(most, &Unit::Share, look),
                _ => bar_scale(most, &column.head.unit, look),
            });
            let width = column.width.map_or_else(|| self.width(source, at, look), f64::from);
            // What names a row stands at its left edge, also when it is a number.
            let head = match column.kind {
                Kind::Text => table::Column::text(at, title, width),
                Kind::Number if at == 0 => table::Column::text(at, title, width),
                _ => table::Column::number(at, title, unit, width),
            };
            // Short names are read as a whole, long ones give way.
            let is_key = column.width.is_none() && width <= if at == 0 { FIRST } else { SHORT };
            table::Column { bar, is_key, gives_way: column.gives_way, is_group: column.is_group, ..head }
        };
        shown.map(head).collect()
    }

    fn width(&self, source: &dyn RowSource, at: usize, look: &DrawStyle) -> f64 {
        let rows = 0..SAMPLE.min(source.n_rows() as u32);
        // Numbers are not cut, in the widest font that a system may have.
        let wide = if self.columns[at].kind == Kind::Text { 1.0 } else { 1.12 };
        let cells =
            rows.map(|row| text::width(&self.cell(source, row, at, look.language).text, TEXT) * wide + 24.0);
        let width = cells.fold(0.0, f32::max);
        // Names may be cut, numbers are not.
        let most = if self.columns[at].kind == Kind::Text { WIDTHS.1 } else { f64::INFINITY };
        f64::from(width.ceil()).clamp(WIDTHS.0, most)
    }

    /// The shown cells of a row.
    pub fn row(&self, source: &dyn RowSource, row: u32, language: Language) -> Vec<Cell> {
        let shown = (0..self.columns.len()).filter(|at| !self.columns[*at].is_hidden);
        shown.map(|at| self.cell(source, row, at, language)).collect()
    }

    fn cell(&self, source: &dyn RowSource, row: u32, at: usize, language: Language) -> Cell {
        let column = &self.columns[at];
        let row_unit = source.row_unit(row);
        let value = source.cell(row, at);
        let unit = row_unit.unwrap_or(&column.head.unit);
        match &value {
            Value::Missing if column.kind == Kind::Exact => Cell::text(number::MISSING).second(),
            Value::Missing => Cell::default(),
            Value::Text(text) if column.head.is_phrase => Cell::text(tr_parts(language, text)),
            Value::Text(text) if column.head.is_place => {
                Cell { is_link: Target::of_place(text).is_some(), ..Cell::text(Target::shown(text)) }
            }
            // What is set in is copied without its blanks.
            Value::Text(text) if text.starts_with(SET_IN) => {
                Cell { full: text.trim_start_matches(SET_IN).to_owned(), ..Cell::text(text.clone()) }
            }
            Value::Text(text) => Cell::text(text.clone()),
            Value::Address(_) => {
                Cell { is_mono: column.kind == Kind::Address, ..Cell::text(column.text(&value)) }
            }
            Value::Whole(n) => match column.kind {
                Kind::Instant(..) | Kind::Duration(_) => Cell::text(column.text(&value)),
                _ => {
                    let share = self.share(at, *n as f64);
                    match row_unit {
                        Some(unit) => {
                            let text = number::whole_with_unit(*n, unit);
                            Cell { share, full: full(Some(*n as f64), unit), ..Cell::text(text) }
                        }
                        None => Cell { share, ..Cell::text(number::thousands(*n)) },
                    }
                }
            },
            Value::Number(v) => {
                let (text, whole) = match column.kind {
                    Kind::Duration(_) | Kind::Share => (column.text(&value), String::new()),
                    _ if column.head.is_exact && !column.head.is_difference => {
                        (Cow::Owned(v.to_string()), full(Some(*v), unit))
                    }
                    Kind::Exact => (Cow::Owned(exact(*v, unit)), full(Some(*v), unit)),
                    _ => {
                        let text = match row_unit {
                            Some(unit) if column.head.is_difference => difference_with_unit(*v, unit),
                            Some(unit) => number::with_unit(*v, unit),
                            None if column.head.is_difference => difference_cell(*v, unit, self.digits[at]),
                            None => cell_of(*v, unit, self.digits[at]),
                        };
                        let change = self.change(source, row, at, unit);
                        (Cow::Owned(text + &change), full(Some(*v), unit) + &change)
                    }
                };
                Cell {
                    full: whole,
                    share: self.share(at, *v),
                    tone: self.tone(source, row, at, *v),
                    ..Cell::text(text)
                }
            }
        }
    }

    /// Which way a difference goes. Where rows have units of their own, the first cell says what the row is.
    fn tone(&self, source: &dyn RowSource, row: u32, at: usize, difference: f64) -> Option<Tone> {
        let head = &self.columns[at].head;
        if !head.is_difference {
            return None;
        }
        let sense = match (source.row_unit(row), source.cell(row, 0)) {
            (Some(unit), Value::Text(name)) => unit.sense_of(&name),
            (unit, _) => unit.unwrap_or(&head.unit).sense_of(&head.name),
        };
        tone(difference, sense)
    }

    /// Which part of the baseline a difference is, in parentheses behind it.
    fn change(&self, source: &dyn RowSource, row: u32, at: usize, unit: &Unit) -> String {
        let name = |at: usize| self.columns.get(at).map(|column| column.head.name.clone());
        let pair = self.columns[at].head.is_difference.then(|| pair_of(at, name)).flatten();
        let value = |column: usize| match source.cell(row, column) {
            Value::Number(v) => Some(v),
            Value::Whole(v) => Some(v as f64),
            _ => None,
        };
        let change = pair.and_then(|(old, new)| Some(in_parentheses(value(old)?, value(new)?, unit)));
        change.unwrap_or_default()
    }

    /// The part of a bar that a value fills.
    fn share(&self, at: usize, value: f64) -> Option<f64> {
        Some((value / self.most[at]?).clamp(0.0, 1.0))
    }
}

/// A number with all its digits where the head has its unit.
fn exact(value: f64, unit: &Unit) -> String {
    match unit {
        Unit::Address | Unit::Share => full(Some(value), unit),
        _ => number::exact(value),
    }
}

/// Which way a difference goes, where one is good.
pub fn tone(difference: f64, sense: Preference) -> Option<Tone> {
    match sense_ink(difference, sense) {
        Ink::Token("better") => Some(Tone::Better),
        Ink::Token("worse") => Some(Tone::Worse),
        _ => None,
    }
}
