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
mod order;
mod slices;
mod statistics;
mod tables;
mod tree;

pub use accesses::AccessRows;
pub use area::{CallRows, CategoryRows, FlowRows, GapRows, IdleRows, SumRows};
pub use device::{KernelRows, KernelSumRows, OperatorRows};
pub use folds::Folds;
pub use order::RowOrder;
pub use slices::{HitRows, Only, SliceRows, SliceRuns};
pub use statistics::StatisticsRows;
pub use tables::{FigureRows, LongRows};
pub use tree::TreeRows;

use super::access::Side;
use crate::analysis::device::{Device, MemoryUse};
use crate::analysis::statistics::{ThreadTime, Threads};
use crate::base::number::{duration, fixed, instant, thousands, with_unit};
use crate::base::time::{Clock, Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Language, fill, phrase, tr};
use crate::model::Trace;
use crate::model::figure::{Cell, TableColumn, TableFigure, TableOf};
use crate::model::files::{OperatorHead, measures_of};
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
    pub kind: Kind,
    /// Width in pixels; 0 takes what is left, `None` is as wide as its cells.
    pub width: Option<f32>,
    /// Whether it is left out of what is shown.
    pub is_hidden: bool,
    /// When it gives way to the others where not all have room: 1 does first; 0 stays.
    pub gives_way: u8,
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

    /// The same, giving way to others where not all have room: 1 does first.
    #[must_use]
    pub fn gives_way(self, order: u8) -> Self {
        Self { gives_way: order, ..self }
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
    Missing,
    Number(f64),
    /// A whole number, or ticks.
    Whole(i64),
    Address(u64),
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
    Number(u64),
    Text(Cow<'a, str>),
    /// By the text of the cell, which is the same for all rows with this number.
    Name(u32),
}

/// What a row leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Goal {
    Slice(SliceId),
    Time(Span),
    Access(u32),
    /// A block of a schedule, by its row.
    Block(u32),
    /// A track or group.
    Track(TrackId),
    /// Places as texts, one a line, such as `src/kernel.cpp:17`.
    Place(String),
    Name(String),
}

/// What decides the color of the square before the first text of a row.
pub enum Paint {
    /// The name of slices on a track.
    Name(TrackId, StrId),
    Slice(SliceId),
    /// What an access counts as.
    Side(Side),
}

/// A bar beside the number of a cell: a part inside of a whole, both as shares of the width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// The part.
    pub inner: f64,
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

// Operators of a project as one table: what each is, and what files tell of it.

/// One row for each operator, in their order; `short` makes a path short.
pub fn operator_table(heads: &[OperatorHead], short: impl Fn(&str) -> String) -> TableFigure {
    let table = TableOf::new(heads)
        .column(phrase("Folder"), Unit::None, |head| Cell::text(&short(&head.path)))
        .column(phrase("Operator"), Unit::None, |head| Cell::text(&head.name))
        .column(phrase("Launch"), Unit::None, |head| Cell::text(&head.launch))
        .column(phrase("Chip"), Unit::None, |head| Cell::text(&head.chip))
        .column(phrase("Type"), Unit::None, |head| Cell::text(&head.kind))
        .column(phrase("Block dim"), Unit::None, |head| head.block_dim)
        .bars(phrase("Duration"), Unit::Micros, |head| head.duration)
        .column(phrase("Clock"), Unit::Megahertz, |head| head.clock);
    let measured = measures_of(heads).into_iter().fold(table, |table, (name, unit)| {
        let has_bar = matches!(unit, Unit::Share | Unit::Percent);
        let column = TableColumn { has_bar, ..TableColumn::new(name.as_str(), unit) };
        table.with(column, |head| head.measure(&name))
    });
    measured.table()
}

// Rows of threads by their states.

/// Threads, how long each was in which state, and which share of what was recorded it ran.
pub struct ThreadRows<'a> {
    trace: &'a Trace,
    of: &'a Threads,
}

/// Columns before those of the states.
const BEFORE: usize = 3;
/// What names of states have in them in which a thread wants nothing: it has ended, or the processor is idle.
const QUIET: [&str; 3] = ["dead", "zombie", "idle"];
/// How names of the states begin in which a thread wants a processor and has none.
const WAITS: &str = "runnable";
/// What readers put behind the name of the track of a thread's states, which the table says of all.
const OF_STATES: &str = " (state)";

impl<'a> ThreadRows<'a> {
    /// The rows of threads.
    pub fn new(trace: &'a Trace, of: &'a Threads) -> Self {
        Self { trace, of }
    }

    fn row(&self, row: u32) -> &ThreadTime {
        &self.of.rows[row as usize]
    }
}

impl RowSource for ThreadRows<'_> {
    fn columns(&self) -> Vec<Column> {
        // Where not all have room, those that are 0 everywhere give way to names, then those in which threads want nothing,
        // then those that take least; waiting for a processor is what is looked for.
        let last = self.of.states.len();
        let is_none = |at: usize| self.of.rows.iter().all(|row| row.ticks.get(at).is_none_or(|n| *n == 0));
        let state = |(at, id): (usize, &StrId)| {
            let name = self.trace.strings.get(*id);
            let text = name.to_ascii_lowercase();
            let order = if is_none(at) {
                1
            } else if QUIET.iter().any(|quiet| text.contains(quiet)) {
                2
            } else if at < 2 || text.starts_with(WAITS) {
                0
            } else {
                u8::try_from(last - at + 2).unwrap_or(u8::MAX)
            };
            Column::new(name, Kind::Duration(self.trace.clock), 104.0).gives_way(order)
        };
        let mut columns = vec![
            Column::new(phrase("Thread"), Kind::Text, 0.0),
            Column { width: None, ..Column::new(phrase("Process"), Kind::Text, 0.0) },
            Column::new(phrase("% running"), Kind::Share, 88.0),
        ];
        columns.extend(self.of.states.iter().enumerate().map(state));
        columns
    }

    fn n_rows(&self) -> usize {
        self.of.rows.len()
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let row = self.row(row);
        let track = self.trace.tracks.get(row.track);
        match column {
            0 => {
                let (own, label) = (self.trace.strings.get(track.name), self.trace.strings.get(track.label));
                let own = own.strip_suffix(OF_STATES).unwrap_or(own);
                let text = if label.is_empty() { own.to_owned() } else { format!("{own} {label}") };
                Value::Text(Cow::Owned(text))
            }
            1 => track.parent.map_or(Value::Missing, |id| name(self.trace, self.trace.tracks.get(id).name)),
            2 => Value::Number(row.running as f64 / row.recorded.max(1) as f64),
            _ => row.ticks.get(column - BEFORE).map_or(Value::Missing, |ticks| Value::Whole(*ticks)),
        }
    }

    fn order(&self) -> Option<(usize, bool)> {
        Some((2, true))
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        [Some(Goal::Track(self.row(row).track)), None]
    }

    fn words(&self, rows: &[u32], language: Language) -> Vec<String> {
        let n = thousands(rows.len() as i128);
        let all = || rows.iter().map(|row| self.row(*row));
        // Of several files each may have recorded another time.
        let recorded = all().next().map(|row| row.recorded).filter(|of| all().all(|row| row.recorded == *of));
        let text = match recorded {
            Some(_) => phrase("{n} threads, {time} recorded"),
            None => phrase("{n} threads"),
        };
        let recorded = duration(recorded.unwrap_or(0), self.trace.clock);
        let running: i64 = all().map(|row| row.running).fold(0, i64::saturating_add);
        let text = fill(tr(language, text), &[("n", &n), ("time", &recorded)]);
        vec![text, duration(running, self.trace.clock)]
    }
}

// Rows of memory by operator: how often and how much each allocates and gives back, by itself and with those inside of it.

/// Operators with what they do to one memory, or to each.
pub struct MemoryRows<'a> {
    trace: &'a Trace,
    of: &'a Device,
    device: Option<u32>,
    /// What stands for the name of an operator outside of all.
    outside: &'a str,
    most: i64,
    unit: (&'static str, f64),
}

impl<'a> MemoryRows<'a> {
    /// Those of a device; of all without.
    pub fn new(trace: &'a Trace, of: &'a Device, device: Option<u32>, outside: &'a str) -> Self {
        let meant = of.memory.iter().filter(|row| device.is_none_or(|device| device == row.device));
        let most = meant.map(|row| row.total.allocated).max().unwrap_or(0);
        let unit = match most {
            0..0x2800 => ("B", 1.0),
            0x2800..0xA0_0000 => ("KiB", 1024.0),
            _ => ("MiB", 1_048_576.0),
        };
        Self { trace, of, device, outside, most, unit }
    }

    fn row(&self, row: u32) -> &MemoryUse {
        &self.of.memory[row as usize]
    }
}

impl RowSource for MemoryRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let unit = Unit::Other(self.unit.0.to_owned());
        let bytes = |name: &str, width| Column::new(name, Kind::Number, width).unit(unit.clone());
        let device = Column::new(phrase("Device"), Kind::Text, 80.0);
        // What was freed follows from what was allocated and what is left.
        vec![
            Column::new(phrase("Operator"), Kind::Text, 0.0),
            Column { is_hidden: self.device.is_some() || self.of.peaks.len() < 2, ..device },
            Column::new(phrase("Allocations"), Kind::Count, 96.0),
            bytes(phrase("Allocated"), 200.0),
            bytes(phrase("Freed"), 96.0).gives_way(3),
            bytes(phrase("Net"), 96.0),
            Column::new(phrase("Self allocations"), Kind::Count, 96.0).gives_way(2),
            bytes(phrase("Self allocated"), 96.0),
            bytes(phrase("Self freed"), 96.0).gives_way(1),
            bytes(phrase("Self net"), 96.0),
        ]
    }

    fn n_rows(&self) -> usize {
        self.of.memory.len()
    }

    fn has(&self, row: u32) -> bool {
        self.device.is_none_or(|device| device == self.row(row).device)
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let row = self.row(row);
        let bytes = |bytes: i64| Value::Number(bytes as f64 / self.unit.1);
        match column {
            0 if row.longest.is_none() => Value::text(self.outside),
            0 => Value::text(self.trace.strings.get(row.name)),
            1 => Value::text(self.of.peaks.get(row.device as usize).map_or("", |peak| &peak.name)),
            2 => Value::Whole(row.total.n.cast_signed()),
            3 => bytes(row.total.allocated),
            4 => bytes(row.total.freed),
            5 => bytes(row.total.net()),
            6 => Value::Whole(row.own.n.cast_signed()),
            7 => bytes(row.own.allocated),
            8 => bytes(row.own.freed),
            9 => bytes(row.own.net()),
            _ => Value::Missing,
        }
    }

    fn order(&self) -> Option<(usize, bool)> {
        Some((7, true))
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let row = self.row(row);
        let name = || self.trace.strings.get(row.name).to_owned();
        [row.longest.map(|_| Goal::Name(name())), row.longest.map(Goal::Slice)]
    }

    fn paint(&self, row: u32) -> Option<(usize, Paint)> {
        let row = self.row(row);
        Some((0, Paint::Name(row.longest?.track, row.name)))
    }

    fn bar(&self, row: u32) -> Option<(usize, Bar)> {
        let row = self.row(row);
        let share = |bytes: i64| bytes as f64 / self.most.max(1) as f64;
        Some((3, Bar { inner: share(row.own.allocated), whole: share(row.total.allocated) }))
    }

    fn words(&self, rows: &[u32], language: Language) -> Vec<String> {
        let n = fill(tr(language, phrase("{n} operators")), &[("n", &thousands(rows.len() as i128))]);
        let peaks = self.of.peaks.iter().enumerate();
        let meant = peaks.filter(|(at, _)| self.device.is_none_or(|device| device as usize == *at));
        let meant: Vec<_> = meant.map(|(_, peak)| peak).collect();
        let size = |bytes: i64| with_unit(bytes as f64, &Unit::Bytes);
        let told = meant.iter().map(|peak| match meant.len() {
            1 => size(peak.bytes),
            _ => format!("{} {}", peak.name, size(peak.bytes)),
        });
        vec![n, told.collect::<Vec<_>>().join(", ")]
    }
}
