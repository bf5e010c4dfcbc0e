//! What accesses have in common with each other: named attributes with dictionaries of their values.

use crate::base::map::Map;
use crate::base::words::phrase;

/// Number of the attribute that says what was done.
pub const OPERATION: usize = 0;
/// Number of the attribute that says who did it.
pub const UNIT: usize = 1;
/// Number of the attribute that says in which address space.
pub const SPACE: usize = 2;

/// Something that accesses have in common with others, as a dictionary of its values.
#[derive(Default)]
pub struct Attribute {
    /// Stable id for addresses and filters.
    pub id: String,
    /// What a person reads, an English phrase or a word of the file. Units are called what the trace's terms say, as
    /// `group`.
    pub title: String,
    /// Whether it tells units of one name apart.
    pub is_of_unit: bool,
    values: Vec<String>,
    row_of: Map<String, u32>,
}

impl Attribute {
    pub(super) fn new(id: &str, title: &str, is_of_unit: bool) -> Self {
        Self { id: id.to_owned(), title: title.to_owned(), is_of_unit, ..Self::default() }
    }

    /// The values that occur, in the order they came.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// A value by its row; empty for none.
    pub fn value(&self, row: u32) -> &str {
        self.values.get(row as usize).map_or("", String::as_str)
    }

    /// The row of a value, new or old.
    pub fn row(&mut self, value: &str) -> u32 {
        if let Some(row) = self.row_of.get(value) {
            return *row;
        }
        let row = self.values.len() as u32;
        self.values.push(value.to_owned());
        self.row_of.insert(value.to_owned(), row);
        row
    }
}

/// The values that rows have in common: a row of the dictionary of each attribute. Attributes that were named after the
/// class are missing at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Class {
    /// By number of the attribute.
    pub values: Vec<u32>,
}

impl Class {
    /// The row of the value of an attribute.
    pub fn get(&self, attribute: usize) -> u32 {
        self.values.get(attribute).copied().unwrap_or(u32::MAX)
    }

    /// The address space.
    pub fn space(&self) -> u32 {
        self.get(SPACE)
    }
}

/// The attributes of accesses: those that every trace has, then the others.
pub(super) struct Attributes(pub(super) Vec<Attribute>);

impl Default for Attributes {
    fn default() -> Self {
        Self(vec![
            Attribute::new("operation", phrase("Operation"), false),
            Attribute::new("unit", "", true),
            Attribute::new("space", phrase("Space"), false),
        ])
    }
}
