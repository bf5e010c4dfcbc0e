//! A page of a table as it is shown: columns with widths, cells of text, number and share.

use super::{Font, text};
use crate::base::brief::{Kept, told};
use serde::{Deserialize, Serialize};

/// One column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Which of all columns of the table: some may be left out.
    pub id: usize,
    pub title: String,
    /// The unit, written in the head.
    pub unit: String,
    /// Width in CSS pixels; 0 takes what is left. Fixed, so that nothing jumps with the data.
    pub width: f64,
    /// Numbers stand at the right.
    pub is_number: bool,
    /// What a full bar of its cells is, in words; empty without bars.
    #[serde(default)]
    pub bar: String,
    /// Names that tell rows apart: they are not cut for others.
    #[serde(default)]
    pub is_key: bool,
    /// Whether it gives way to the others where not all have room.
    #[serde(default)]
    pub can_fold: bool,
    /// Whether its names hold others, which choosing a row lists: a caret stands before them.
    #[serde(default)]
    pub is_group: bool,
}

impl Column {
    /// A column of text.
    pub fn text(id: usize, title: impl Into<String>, width: f64) -> Self {
        Self { id, title: title.into(), width, ..Self::default() }
    }

    /// A column of numbers.
    pub fn number(id: usize, title: impl Into<String>, unit: impl Into<String>, width: f64) -> Self {
        Self { unit: unit.into(), is_number: true, ..Self::text(id, title, width) }
    }
}

/// Least width of a column that takes what is left.
const LEAST: f64 = 150.0;
/// Width up to which such a column of names does not give way to columns that can be left out.
const WANTED: f64 = 280.0;
/// Width that a column of names keeps where there is little room.
const NAME: f64 = 90.0;
/// The same of the first column, whose names tell rows apart.
const FIRST: f64 = 200.0;
/// What stands beside the words of a head: its edges and the arrow of the order.
const BESIDE: f64 = 30.0;
/// The face of heads.
const HEAD: Font = Font::ui(11.0).weight(500);

impl Column {
    /// The width that it has where all columns have room.
    pub fn wanted(&self) -> f64 {
        if self.width <= 0.0 { WANTED } else { self.width.max(self.head()) }
    }

    /// The width of its head, where it has one of numbers.
    fn head(&self) -> f64 {
        let words = |words: &str| f64::from(text::width(words, HEAD));
        let unit = if self.unit.is_empty() { 0.0 } else { words(&self.unit) + 4.0 };
        if self.is_number && !self.title.is_empty() { words(&self.title) + unit + BESIDE } else { 0.0 }
    }

    /// The width that it keeps: numbers and heads are never cut, names give way.
    pub fn least(&self) -> f64 {
        if self.width <= 0.0 {
            LEAST
        } else if self.is_number || self.is_key {
            self.wanted()
        } else {
            let least = if self.id == 0 { FIRST } else { NAME };
            self.width.min(least.max(f64::from(text::width(&self.title, HEAD)) + BESIDE))
        }
    }
}

/// One cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// What it says; empty is shown as missing in number columns.
    pub text: String,
    /// The whole, when `text` is cut or rounded.
    pub full: String,
    /// What it is sorted by where rows are at hand, when that is not the text.
    pub number: Option<f64>,
    /// A bar under the number: 0 to 1.
    pub share: Option<f64>,
    /// A bar beside the text, a part inside of a whole: both 0 to 1.
    pub bar: Option<(f64, f64)>,
    /// Color of a square before the text, `0xRRGGBBAA`.
    pub swatch: Option<u32>,
    /// Quieter than the others.
    pub is_second: bool,
    /// How deep its row lies in a tree, and whether rows inside of it are shown; `None` when there are none.
    pub tree: Option<(u32, Option<bool>)>,
    /// In the fixed-width face.
    pub is_mono: bool,
    /// Whether its row is one that something else points at.
    pub is_marked: bool,
    /// Whether it is a difference to the better or to the worse.
    pub tone: Option<Tone>,
    /// The bytes of a name that are shown where not all of it has room, since they tell it from the others.
    #[serde(default)]
    pub kept: Kept,
}

/// Which way a difference goes; its sign stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Tone {
    Better,
    Worse,
}

// Cells are keys of rows: a row is drawn anew only when it changed. No cell holds a NaN that was not formatted before.
impl Eq for Cell {}

impl std::hash::Hash for Cell {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
        self.full.hash(state);
        self.share.map(f64::to_bits).hash(state);
        self.bar.map(|(inner, whole)| (inner.to_bits(), whole.to_bits())).hash(state);
        self.swatch.hash(state);
        self.tree.hash(state);
        self.is_marked.hash(state);
        self.tone.hash(state);
        self.kept.hash(state);
    }
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A number as it is written, and its value to sort by.
    pub fn number(text: impl Into<String>, value: f64) -> Self {
        Self { text: text.into(), number: Some(value), ..Self::default() }
    }

    /// The same cell, quieter.
    #[must_use]
    pub fn second(mut self) -> Self {
        self.is_second = true;
        self
    }

    /// What a copy of the cell is: the whole.
    pub fn copy(&self) -> &str {
        if self.full.is_empty() { &self.text } else { &self.full }
    }
}

/// By which column a table is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The column, by its id.
    pub column: usize,
    /// Largest first.
    pub is_descending: bool,
}

impl Order {
    /// As an address has it: `2`, or `2d` for largest first.
    pub fn text(self) -> String {
        format!("{}{}", self.column, if self.is_descending { "d" } else { "" })
    }

    /// Reads such a text.
    pub fn parse(text: &str) -> Option<Self> {
        let column = text.trim_end_matches('d').parse().ok()?;
        Some(Self { column, is_descending: text.ends_with('d') })
    }
}

/// Which rows of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageRequest {
    /// The order; `None` is that of the table itself.
    pub order: Option<Order>,
    /// Only rows with a cell that contains this text, whatever its case; empty for all.
    pub filter: String,
    /// First row.
    pub from: usize,
    /// How many at most.
    pub n: usize,
    /// A row, by its number in the table, whose place is to be told.
    pub seek: Option<u32>,
}

/// Rows of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Page {
    pub columns: Vec<Column>,
    /// How many rows there are without the filter.
    pub all: usize,
    /// How many rows fit the filter.
    pub total: usize,
    /// How the rows are in order; what was asked for, else the table's own order where it has one.
    pub order: Option<Order>,
    /// First of the rows below, among those that fit.
    pub from: usize,
    /// The rows, each with a cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Where the row is that was looked for, among those that fit.
    pub at: Option<usize>,
}

/// Most rows whose names are told apart; more are copied, not looked at.
const NAMED: usize = 1_000;

impl Page {
    /// Shortens the names of the first column so that different ones stay different in little room; the whole name stays in
    /// the cell.
    pub fn tell_names(&mut self) {
        let is_named =
            self.rows.len() <= NAMED && self.columns.first().is_some_and(|column| !column.is_number);
        let mut cells: Vec<&mut Cell> = self.rows.iter_mut().filter_map(|row| row.first_mut()).collect();
        cells.retain(|cell| is_named && !cell.text.is_empty());
        let texts: Vec<String> = cells.iter().map(|cell| cell.text.clone()).collect();
        let names: Vec<&str> = texts.iter().map(String::as_str).collect();
        for (cell, told) in cells.into_iter().zip(told(&names)) {
            let whole = std::mem::replace(&mut cell.text, told.text);
            cell.kept = told.kept;
            if cell.full.is_empty() && cell.text != whole {
                cell.full = whole;
            }
        }
    }
}
