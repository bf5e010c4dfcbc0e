//! A page of a table as it is shown: columns with widths, cells of text, number and share.

use super::{Font, text};
use crate::base::brief::{Kept, told};
use crate::base::order;
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
    /// When it gives way to the others where not all have room: 1 does first; 0 stays.
    #[serde(default)]
    pub gives_way: u8,
    /// Whether its names hold others, which choosing a row lists: a caret stands before them.
    #[serde(default)]
    pub is_group: bool,
    /// The bytes of its title that are shown where not all of it has room, since they tell it from the other heads.
    #[serde(default)]
    pub kept: Kept,
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
const LEAST: f64 = 170.0;
/// Width up to which such a column of names does not give way to columns that can be left out.
const WANTED: f64 = 280.0;
/// Width that a column of names keeps where there is little room.
const NAME: f64 = 90.0;
/// The same of the first column, whose names tell rows apart.
const FIRST: f64 = 200.0;
/// What stands beside the words of a head: its edges and the arrow of the order.
const BESIDE: f64 = 30.0;
/// Between the title of a head and its unit.
const GAP: f64 = 4.0;
/// Widest words of a head: longer ones, mostly names of the data, are cut in their middle.
const WORDS: f64 = 170.0;
/// The face of heads.
const HEAD: Font = Font::ui(11.0).weight(500);

fn wide(words: &str) -> f64 {
    f64::from(text::width(words, HEAD))
}

impl Column {
    /// The width that it has where all columns have room, with heads of one line or of two.
    pub fn wanted(&self, is_high: bool) -> f64 {
        if self.width <= 0.0 { WANTED } else { self.width.max(self.head(is_high)) }
    }

    /// The width that it keeps: numbers and heads are never cut, names give way.
    pub fn least(&self, is_high: bool) -> f64 {
        if self.width <= 0.0 {
            LEAST
        } else if self.is_number || self.is_key {
            self.wanted(is_high)
        } else {
            self.width.min(if self.id == 0 { FIRST } else { NAME }).max(self.head(is_high))
        }
    }

    /// Whether its title is cut: in two lines it is too long as well.
    pub fn is_long(&self) -> bool {
        WORDS < self.words(true)
    }

    /// The width of its head.
    fn head(&self, is_high: bool) -> f64 {
        if self.title.is_empty() { 0.0 } else { self.words(is_high).min(WORDS) + BESIDE }
    }

    /// The width of the words of its head; in two lines that of the longer one, broken where that is shortest.
    fn words(&self, is_high: bool) -> f64 {
        let unit = if self.unit.is_empty() { 0.0 } else { wide(&self.unit) + GAP };
        let whole = wide(&self.title);
        let broken = |(at, _): (usize, &str)| {
            let (first, second) = self.title.split_at(at);
            wide(first).max(wide(second.trim_start()))
        };
        let lines = self.title.match_indices(' ').filter(|_| is_high).map(broken);
        lines.fold(whole, f64::min) + unit
    }
}

/// How the columns of a table share its width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arranged {
    /// The places of the columns that are shown.
    pub shown: Vec<usize>,
    /// Whether heads have two lines.
    pub is_high: bool,
}

/// How columns share a width in pixels, 0 where it is not known yet. Where not all have room long heads take two lines; then
/// columns give way in their order, as many as it takes; then names are cut, and what is left is scrolled to.
pub fn arranged(columns: &[Column], width: f64, can_give_way: bool) -> Arranged {
    let at = |place: &usize| columns.get(*place);
    let needs = |shown: &[usize], is_high: bool| -> f64 {
        shown.iter().filter_map(at).map(|column| column.wanted(is_high)).sum()
    };
    let fits = |shown: &[usize], is_high: bool| width <= 0.0 || needs(shown, is_high) <= width;
    // Words that would be cut in one line have two.
    let is_one = |shown: &[usize]| {
        shown.iter().filter_map(at).all(|column| column.is_long() || column.words(false) <= WORDS)
    };
    let mut shown: Vec<usize> = (0..columns.len()).collect();
    let mut giving: Vec<usize> = shown.clone();
    giving.retain(|place| at(place).is_some_and(|column| can_give_way && 0 < column.gives_way));
    order::sort_by_key(&mut giving, |place| at(place).map(|column| column.gives_way));
    for place in giving {
        if fits(&shown, true) {
            break;
        }
        shown.retain(|other| *other != place);
    }
    let saves = |column: &Column| column.wanted(true) < column.wanted(false);
    let is_high = !(is_one(&shown) && (fits(&shown, false) || !shown.iter().filter_map(at).any(saves)));
    Arranged { shown, is_high }
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
    /// Whether it names a place of the document that a click goes to.
    #[serde(default)]
    pub is_link: bool,
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
    /// the cell. Of heads that are cut it says what tells them apart.
    pub fn tell_names(&mut self) {
        self.tell_heads();
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

    fn tell_heads(&mut self) {
        if !self.columns.iter().any(Column::is_long) {
            return;
        }
        let titles: Vec<String> = self.columns.iter().map(|column| column.title.clone()).collect();
        let names: Vec<&str> = titles.iter().map(String::as_str).collect();
        for (column, told) in self.columns.iter_mut().zip(told(&names)) {
            // What was shortened has no bytes of its own title.
            column.kept = if told.text == column.title { told.kept } else { Kept::new() };
        }
    }
}
