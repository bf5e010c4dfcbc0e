//! Metric tables: typed columns with unit and meaning, too long to be a figure; asked for by pages of rows.

use super::code::CodeScope;
use crate::base::unit::Unit;
use crate::base::words::Message;

/// A long table.
pub struct Table {
    /// Stable id for the URL and exports.
    pub id: String,
    /// What a person reads.
    pub title: String,
    /// Columns of equal length.
    pub columns: Vec<TableColumn>,
    /// Remarks below.
    pub notes: Vec<Message>,
    /// Whose code the addresses in it are about.
    pub scope: CodeScope,
}

/// One column.
pub struct TableColumn {
    /// Head of the column.
    pub name: String,
    /// Unit of its numbers.
    pub unit: Unit,
    /// The values.
    pub cells: TableCells,
}

/// Values of a column.
pub enum TableCells {
    /// Numbers; NaN is missing.
    Numbers(Vec<f64>),
    /// Whole numbers that may exceed 2⁵³, such as addresses.
    Integers(Vec<u64>),
    /// Texts; empty is missing.
    Texts(Vec<String>),
}

impl TableCells {
    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(v) => v.len(),
            Self::Integers(v) => v.len(),
            Self::Texts(v) => v.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a row has a value. Looks no further than to the first.
    pub fn has_values(&self) -> bool {
        match self {
            Self::Numbers(v) => v.iter().any(|n| !n.is_nan()),
            Self::Integers(v) => !v.is_empty(),
            Self::Texts(v) => v.iter().any(|t| !t.is_empty()),
        }
    }
}
