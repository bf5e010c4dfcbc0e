//! Facts and short tables.

use crate::base::number;
use crate::base::unit::Unit;
use serde::{Deserialize, Serialize};

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
}
