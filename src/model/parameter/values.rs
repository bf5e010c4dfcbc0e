//! What the user set of parameters. What nobody set is not here: its default holds.

use crate::base::map::ordered;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The value of one parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// The id of a choice, a text, or the text of a file.
    Text(String),
    /// A number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// Rows of cells.
    Table(Vec<Vec<String>>),
}

impl Value {
    /// As [`super::Parameter::parse`] reads it.
    pub fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Flag(is_set) => is_set.to_string(),
            Self::Table(rows) => rows.iter().map(|row| row.join(",")).collect::<Vec<_>>().join(";"),
        }
    }
}

/// Values by the ids of their parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Values(BTreeMap<String, Value>);

impl Values {
    /// Sets a value.
    pub fn set(&mut self, id: &str, value: Value) {
        self.0.insert(id.to_owned(), value);
    }

    /// Goes back to the default.
    pub fn clear(&mut self, id: &str) {
        self.0.remove(id);
    }

    /// What was set; `None` when nothing was.
    pub fn get(&self, id: &str) -> Option<&Value> {
        self.0.get(id)
    }

    /// Whether a flag is set.
    pub fn flag(&self, id: &str) -> bool {
        self.get(id) == Some(&Value::Flag(true))
    }

    /// A number that was set.
    pub fn number(&self, id: &str) -> Option<f64> {
        if let Some(Value::Number(number)) = self.get(id) { Some(*number) } else { None }
    }

    /// A choice or text that was set.
    pub fn text(&self, id: &str) -> Option<&str> {
        if let Some(Value::Text(text)) = self.get(id) { Some(text) } else { None }
    }

    /// The rows of a table that was set.
    pub fn table(&self, id: &str) -> Option<&[Vec<String>]> {
        if let Some(Value::Table(rows)) = self.get(id) { Some(rows) } else { None }
    }

    /// All that were set, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(id, value)| (id.as_str(), value))
    }

    /// Only those of these ids.
    #[must_use]
    pub fn of<'a>(&self, ids: impl Iterator<Item = &'a str>) -> Self {
        Self(ordered(ids.filter_map(|id| Some((id.to_owned(), self.get(id)?.clone())))))
    }

    /// Adds those of another, which win.
    pub fn extend(&mut self, other: &Self) {
        self.0.extend(other.0.clone());
    }
}
