//! Facts and short tables, and their cells.

use super::{Body, Figure};
use crate::base::number;
use crate::base::unit::Unit;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Names with values, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The facts.
    pub facts: Vec<Fact>,
}

/// One name with its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// Its value.
    pub value: Cell,
    /// Unit of a number.
    pub unit: Unit,
}

impl Fact {
    /// A fact.
    pub fn new(name: impl Into<String>, value: impl Into<Cell>, unit: Unit) -> Self {
        Self { name: name.into(), value: value.into(), unit }
    }
}

/// A value of a fact or table: number, text, or missing. In JSON a number, a string or null.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    /// A number.
    Number(f64),
    /// A whole number that may exceed 2⁵³, such as an address.
    Integer(u64),
    /// A text.
    Text(String),
    /// Not given, NA.
    #[default]
    Missing,
}

impl Cell {
    /// A number that may be missing.
    pub fn number(value: Option<f64>) -> Self {
        value.filter(|v| v.is_finite()).map_or(Self::Missing, Self::Number)
    }

    /// A text that may be empty, which is as good as missing.
    pub fn text(text: &str) -> Self {
        if text.is_empty() { Self::Missing } else { Self::Text(text.to_owned()) }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(v) => Some(*v),
            Self::Integer(v) => Some(*v as f64),
            _ => None,
        }
    }

    /// The value with its unit, for people.
    pub fn with_unit(&self, unit: &Unit) -> String {
        match self {
            // What the file says is whole stays so.
            Self::Number(v) if v.fract() == 0.0 && matches!(unit, Unit::Micros | Unit::Millis) => {
                number::of_kind(&number::fixed(*v, 0), unit.symbol())
            }
            Self::Number(v) => number::with_unit(*v, unit),
            Self::Integer(v) => number::whole_with_unit(*v, unit),
            Self::Text(text) => text.clone(),
            Self::Missing => number::MISSING.to_owned(),
        }
    }

    /// The value alone with all its digits, for files and as a key; nothing when it is missing.
    pub fn plain(&self) -> String {
        match self {
            // Adding 0 makes −0, the sum of nothing, 0.
            Self::Number(v) if v.is_finite() => (v + 0.0).to_string(),
            Self::Integer(v) => v.to_string(),
            Self::Text(text) => text.clone(),
            Self::Number(_) | Self::Missing => String::new(),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Integer(number)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<Option<&str>> for Cell {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Missing, Self::from)
    }
}

impl From<Option<String>> for Cell {
    fn from(text: Option<String>) -> Self {
        text.map_or(Self::Missing, Self::Text)
    }
}

impl From<Option<u64>> for Cell {
    fn from(number: Option<u64>) -> Self {
        number.map_or(Self::Missing, Self::Integer)
    }
}

impl From<Option<f64>> for Cell {
    fn from(number: Option<f64>) -> Self {
        Self::number(number)
    }
}

/// A short table. Cells are in rows; every row has as many cells as there are columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableFigure {
    /// Heads.
    pub columns: Vec<TableColumn>,
    /// Rows of cells.
    pub rows: Vec<Vec<Cell>>,
    /// How many first columns together name a row; compare joins by them.
    pub key_columns: usize,
    /// Rows that were left out because there are too many to cross to the page at once.
    pub more_rows: usize,
    /// Units of the rows when they differ inside a column (facts side by side); empty when the columns say them.
    pub row_units: Vec<Unit>,
}

/// Head of a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableColumn {
    /// Name.
    pub name: String,
    /// Unit of its numbers.
    pub unit: Unit,
    /// Whether a bar shows the number against the largest of the column.
    pub has_bar: bool,
    /// Whether its numbers are differences: written with their sign, colored better or worse.
    pub is_difference: bool,
    /// Whether its texts are words for people, which are translated where they are shown, not names of the data.
    pub is_phrase: bool,
    /// Whether its texts are places in source like `src/kernel.cpp:17`, which lead there.
    #[serde(default)]
    pub is_place: bool,
    /// Whether its numbers are written as the file has them, not with as many decimals each.
    #[serde(default)]
    pub is_exact: bool,
    /// Whether it only says more of another one, such as how far single ones lie from a mean: beside a baseline it stands
    /// behind all others.
    #[serde(default)]
    pub is_detail: bool,
}

impl TableColumn {
    /// A column of numbers, texts or names.
    pub fn new(name: impl Into<String>, unit: Unit) -> Self {
        Self { name: name.into(), unit, ..Self::default() }
    }

    /// A column of numbers with bars.
    pub fn bars(name: impl Into<String>, unit: Unit) -> Self {
        Self { has_bar: true, ..Self::new(name, unit) }
    }

    /// A column of places in source or on the timeline.
    pub fn place(name: impl Into<String>) -> Self {
        Self { is_place: true, ..Self::new(name, Unit::None) }
    }

    /// A column of words for people.
    pub fn words(name: impl Into<String>) -> Self {
        Self { is_phrase: true, ..Self::new(name, Unit::None) }
    }
}

/// A table in the making: each column says what a thing has in it, and things are the rows.
pub struct TableOf<'a, T> {
    things: &'a [T],
    table: TableFigure,
}

impl<'a, T> TableOf<'a, T> {
    /// A row for each thing, and no column yet. The first column will name the rows.
    pub fn new(things: &'a [T]) -> Self {
        let rows = vec![Vec::new(); things.len()];
        Self { things, table: TableFigure { rows, key_columns: 1, ..TableFigure::default() } }
    }

    /// With this column.
    #[must_use]
    pub fn with<C: Into<Cell>>(mut self, column: TableColumn, cell: impl Fn(&'a T) -> C) -> Self {
        for (row, thing) in self.table.rows.iter_mut().zip(self.things) {
            row.push(cell(thing).into());
        }
        self.table.columns.push(column);
        self
    }

    /// With a column of numbers, texts or names.
    #[must_use]
    pub fn column<C: Into<Cell>>(self, name: &str, unit: Unit, cell: impl Fn(&'a T) -> C) -> Self {
        self.with(TableColumn::new(name, unit), cell)
    }

    /// With a column of numbers with bars.
    #[must_use]
    pub fn bars<C: Into<Cell>>(self, name: &str, unit: Unit, cell: impl Fn(&'a T) -> C) -> Self {
        self.with(TableColumn::bars(name, unit), cell)
    }

    /// With a column of words for people.
    #[must_use]
    pub fn words<C: Into<Cell>>(self, name: &str, cell: impl Fn(&'a T) -> C) -> Self {
        self.with(TableColumn::words(name), cell)
    }

    /// The last column says more of another one.
    #[must_use]
    pub fn detail(mut self) -> Self {
        if let Some(column) = self.table.columns.last_mut() {
            column.is_detail = true;
        }
        self
    }

    /// So many first columns name a row.
    #[must_use]
    pub fn keys(mut self, key_columns: usize) -> Self {
        self.table.key_columns = key_columns;
        self
    }

    /// So many rows were left out.
    #[must_use]
    pub fn more(mut self, more_rows: usize) -> Self {
        self.table.more_rows = more_rows;
        self
    }

    /// The table.
    pub fn table(self) -> TableFigure {
        self.table
    }

    /// A figure of the table; who asks for it gives the title.
    pub fn figure(self) -> Figure {
        Figure::new("", Body::Table(self.table))
    }
}

// How a cell is written: in JSON as a number, a string or null; packed with a sign of what it is.

/// A cell with a sign of what it is.
#[derive(Serialize, Deserialize)]
enum Packed<T> {
    Number(f64),
    Text(T),
    Missing,
    Integer(u64),
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let is_text = to.is_human_readable();
        match self {
            Self::Number(v) if is_text => to.serialize_f64(*v),
            Self::Integer(v) if is_text => to.serialize_u64(*v),
            Self::Text(text) if is_text => to.serialize_str(text),
            Self::Missing if is_text => to.serialize_unit(),
            Self::Number(v) => Packed::<&str>::Number(*v).serialize(to),
            Self::Integer(v) => Packed::<&str>::Integer(*v).serialize(to),
            Self::Text(text) => Packed::Text(text.as_str()).serialize(to),
            Self::Missing => Packed::<&str>::Missing.serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if from.is_human_readable() {
            return from.deserialize_any(AnyCell);
        }
        Ok(match Packed::<String>::deserialize(from)? {
            Packed::Number(v) => Self::Number(v),
            Packed::Integer(v) => Self::Integer(v),
            Packed::Text(text) => Self::Text(text),
            Packed::Missing => Self::Missing,
        })
    }
}

struct AnyCell;

impl Visitor<'_> for AnyCell {
    type Value = Cell;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a number, a string or null")
    }

    fn visit_f64<E: Error>(self, v: f64) -> Result<Cell, E> {
        Ok(Cell::Number(v))
    }

    fn visit_u64<E: Error>(self, v: u64) -> Result<Cell, E> {
        Ok(Cell::Integer(v))
    }

    fn visit_i64<E: Error>(self, v: i64) -> Result<Cell, E> {
        Ok(Cell::Number(v as f64))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Cell, E> {
        Ok(Cell::Text(text.to_owned()))
    }

    fn visit_unit<E: Error>(self) -> Result<Cell, E> {
        Ok(Cell::Missing)
    }
}
