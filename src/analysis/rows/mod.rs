//! Rows of tables of any length: where they come from, which of them are wanted in which order, what a row leads to.
//!
//! ```text
//! RowSource (columns, cells, keys) ──▶ RowOrder (filter, then sort, piece by piece) ──▶ numbers of rows ──▶ a page, CSV
//! ```
//! Everything the page shows as a table is a [`RowSource`]: a source knows cells by row and column and has no order of
//! its own; [`RowOrder`] makes one and is kept until the question changes, so that a page costs only its own rows.

mod accesses;
mod area;
mod device;
mod folds;
mod memory;
pub mod operators;
mod order;
mod slices;
mod statistics;
mod tables;
mod threads;
mod tree;

pub use accesses::AccessRows;
pub use area::{CallRows, CategoryRows, FlowRows, GapRows, IdleRows, SumRows};
pub use device::{KernelRows, KernelSumRows, OperatorRows};
pub use folds::Folds;
pub use memory::MemoryRows;
pub use order::RowOrder;
pub use slices::{HitRows, Only, SliceRows, SliceRuns};
pub use statistics::StatisticsRows;
pub use tables::{FigureRows, LongRows};
pub use threads::ThreadRows;
pub use tree::TreeRows;

use super::access::Side;
use crate::base::number::{duration, fixed, instant};
use crate::base::time::{Clock, Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::Language;
use crate::model::Trace;
use crate::model::figure::TableColumn;
use crate::model::id::{SliceId, StrId, TrackId};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A wide blank, which is not taken for one between words: names in a tree are set in by it.
pub const SET_IN: char = '\u{2003}';

/// One column: its head, what its cells are, and how much room it wants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Name, unit and how cells are shown.
    pub head: TableColumn,
    /// What its cells are.
    pub kind: Kind,
    /// Width in pixels; 0 takes what is left, `None` is as wide as its cells.
    pub width: Option<f32>,
    /// Whether it is left out of what is shown.
    pub is_hidden: bool,
    /// Whether it gives way to the others where not all have room.
    pub can_fold: bool,
    /// Whether its names hold others, which choosing a row lists.
    pub is_group: bool,
    /// Decimals of its numbers; `None` for as many as their unit asks for.
    pub decimals: Option<usize>,
}

/// What the cells of a column are, which decides how they are written and sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Kind {
    /// Texts; numbers in them are sorted by value.
    #[default]
    Text,
    /// Numbers in the unit of the head, as short as the digits of the column allow.
    Number,
    /// The same with all digits.
    Exact,
    /// Whole numbers with separators.
    Count,
    /// Times since the start of the trace.
    Instant(Clock, Ticks),
    /// Lengths of time.
    Duration(Clock),
    /// Shares from 0 to 1, written as percent with a bar.
    Share,
    /// Addresses.
    Address,
}

impl Column {
    /// A column with a name, what its cells are and a width.
    pub fn new(name: &str, kind: Kind, width: f32) -> Self {
        let head = TableColumn { name: name.to_owned(), ..TableColumn::default() };
        // Whole cycles or steps have more digits than times, and a word behind them.
        let is_long = matches!(kind, Kind::Duration(clock) if clock != Clock::Nanos);
        let width = if is_long { width.max(120.0) } else { width };
        Self { head, kind, width: Some(width), ..Self::default() }
    }

    /// The same with a unit.
    #[must_use]
    pub fn unit(mut self, unit: Unit) -> Self {
        self.head.unit = unit;
        self
    }

    /// The same with texts that are phrases: they are shown in the language of the page.
    #[must_use]
    pub fn phrases(mut self) -> Self {
        self.head.is_phrase = true;
        self
    }

    /// The same with times as lists tell them: ms to the microsecond, µs with one decimal. Tips and files have all digits.
    #[must_use]
    pub fn brief(mut self) -> Self {
        self.decimals = (self.head.unit == Unit::Micros).then_some(1);
        self
    }

    /// A value as it is searched for: as it is written, but numbers with all digits and without separators.
    pub fn text<'a>(&self, value: &Value<'a>) -> Cow<'a, str> {
        let text = match (value, self.kind) {
            (Value::Missing, _) => String::new(),
            (Value::Text(text), _) => return text.clone(),
            (Value::Whole(t), Kind::Instant(clock, zero)) => instant(t.saturating_sub(zero), clock),
            (Value::Whole(t), Kind::Duration(clock)) => duration(*t, clock),
            (Value::Number(t), Kind::Duration(clock)) => duration(t.round() as Ticks, clock),
            (Value::Whole(n), _) => n.to_string(),
            (Value::Address(at), _) => format!("0x{at:x}"),
            (Value::Number(v), Kind::Share) => fixed(v * 100.0, 1),
            (Value::Number(v), _) => v.to_string(),
        };
        Cow::Owned(text)
    }
}

/// The value of a cell, as the trace has it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// Nothing.
    Missing,
    /// A number.
    Number(f64),
    /// A whole number, or ticks.
    Whole(i64),
    /// An address.
    Address(u64),
    /// A text.
    Text(Cow<'a, str>),
}

impl<'a> Value<'a> {
    /// A text that is at hand; missing when it is empty.
    pub fn text(text: &'a str) -> Self {
        if text.is_empty() { Self::Missing } else { Self::Text(Cow::Borrowed(text)) }
    }

    /// A whole number in this unit.
    pub fn integer(value: u64, unit: &Unit) -> Self {
        match value {
            address if *unit == Unit::Address => Self::Address(address),
            value => i64::try_from(value).map_or_else(|_| Self::Text(value.to_string().into()), Self::Whole),
        }
    }
}

/// What a cell is sorted by.
pub enum Key<'a> {
    /// Nothing: last in both directions.
    Missing,
    /// By number.
    Number(u64),
    /// By a text.
    Text(Cow<'a, str>),
    /// By the text of the cell, which is the same for all rows with this number.
    Name(u32),
}

/// What a row leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Goal {
    /// A slice.
    Slice(SliceId),
    /// A stretch of time.
    Time(Span),
    /// A memory access.
    Access(u32),
    /// A block of a schedule, by its row.
    Block(u32),
    /// A track or group.
    Track(TrackId),
    /// Places as texts, one a line, such as `src/kernel.cpp:17`.
    Place(String),
    /// What has this name.
    Name(String),
}

/// What decides the color of the square before the first text of a row.
pub enum Paint {
    /// The name of slices on a track.
    Name(TrackId, StrId),
    /// A slice.
    Slice(SliceId),
    /// What an access counts as.
    Side(Side),
}

/// A bar beside the number of a cell: a part inside of a whole, both as shares of the width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// The part.
    pub inner: f64,
    /// The whole.
    pub whole: f64,
}

/// Where a row stands in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// How many rows are around it.
    pub depth: u32,
    /// Whether those inside of it are listed; `None` when there are none.
    pub is_open: Option<bool>,
}

/// Where the rows of a table come from.
pub trait RowSource {
    /// The columns.
    fn columns(&self) -> Vec<Column>;

    /// How many rows there are, also those that are not of the table.
    fn n_rows(&self) -> usize;

    /// Whether a row is of the table.
    fn has(&self, _row: u32) -> bool {
        true
    }

    /// A cell.
    fn cell(&self, row: u32, column: usize) -> Value<'_>;

    /// What a cell is sorted by; cheaper than the cell where a text need not be made.
    fn key(&self, row: u32, column: usize) -> Key<'_> {
        key_of(self.cell(row, column))
    }

    /// The order when none is asked for: column, and whether the greatest comes first. `None` is that of the rows.
    fn order(&self) -> Option<(usize, bool)> {
        None
    }

    /// What a row leads to: when it is chosen, and when it is opened.
    fn goals(&self, _row: u32) -> [Option<Goal>; 2] {
        [None, None]
    }

    /// What decides the color of the square in a row, and the column it stands in.
    fn paint(&self, _row: u32) -> Option<(usize, Paint)> {
        None
    }

    /// The unit of a row, where units differ inside a column.
    fn row_unit(&self, _row: u32) -> Option<&Unit> {
        None
    }

    /// Where a row stands in a tree.
    fn branch(&self, _row: u32) -> Option<Branch> {
        None
    }

    /// The bar of a row, and the column it stands in.
    fn bar(&self, _row: u32) -> Option<(usize, Bar)> {
        None
    }

    /// What these rows are and add up to, in words.
    fn words(&self, _rows: &[u32], _language: Language) -> Vec<String> {
        Vec::new()
    }

    /// How many rows there would be if all could be listed.
    fn n_known(&self) -> u64 {
        self.n_rows() as u64
    }
}

/// What a value is sorted by.
pub fn key_of(value: Value) -> Key {
    match value {
        Value::Missing => Key::Missing,
        Value::Number(v) if v.is_nan() => Key::Missing,
        Value::Number(v) => {
            let bits = v.to_bits();
            Key::Number(if bits >> 63 == 1 { !bits } else { bits | 1 << 63 })
        }
        Value::Whole(v) => Key::Number(v.cast_unsigned() ^ 1 << 63),
        Value::Address(at) => Key::Number(at),
        Value::Text(text) => Key::Text(text),
    }
}

/// The name of a track and of the groups above it.
fn path(trace: &Trace, track: TrackId) -> Value<'static> {
    Value::Text(Cow::Owned(trace.track_path(track)))
}

/// The name of a number.
fn name(trace: &Trace, id: StrId) -> Value<'_> {
    Value::text(trace.strings.get(id))
}
