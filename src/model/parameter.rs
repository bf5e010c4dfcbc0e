//! Parameters: what the user may set of an analysis, a reader or an export.
//!
//! One description drives the control on the page, the address (`#lifetime=last-use`), the command line
//! (`--lifetime last-use`) and requests. Ids are unique over all systems.

use crate::base::map::ordered;
use crate::base::unit::Unit;
use crate::base::words::Message;
use crate::model::Trace;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One parameter.
pub struct Parameter {
    /// Stable id, words with `-` between them; unique over all systems.
    pub id: &'static str,
    /// What a person reads beside the control, an English phrase of `base::words`.
    pub title: &'static str,
    /// What it does, in one phrase: the tooltip of the control and the line in `--help`.
    pub help: &'static str,
    /// What values it takes, and which one holds when nobody sets it.
    pub kind: ParameterKind,
    /// Whether files are read again when it changes.
    pub rereads: bool,
}

/// What values a parameter takes.
pub enum ParameterKind {
    /// One of a few: id and title of each; the first is the default.
    Choice(&'static [(&'static str, &'static str)]),
    Number {
        /// What it counts.
        unit: Unit,
        min: f64,
        /// The greatest value.
        max: f64,
        /// The value when nobody sets it.
        default: f64,
        /// What an empty field says, an English phrase, where 0 is no value; empty where it is one.
        none: &'static str,
    },
    /// Yes or no; no when nobody sets it.
    Flag,
    /// Any text; empty when nobody sets it.
    Text,
    /// Rows of cells; the first column names the row.
    Table {
        /// Names and units of the columns.
        columns: &'static [(&'static str, Unit)],
        /// The rows when nobody sets them.
        default: fn(&Trace) -> Vec<Vec<String>>,
    },
    /// The text of a file; none when nobody sets it.
    File {
        /// Patterns of file names, for the picker.
        patterns: &'static [&'static str],
        /// Where it says how lines of other files are worded: what tries it.
        preview: Option<Preview>,
    },
}

impl Parameter {
    /// The value that holds when nobody sets one.
    pub fn default_value(&self, trace: &Trace) -> Value {
        match &self.kind {
            ParameterKind::Choice(options) => Value::Text(options.first().map_or("", |o| o.0).to_owned()),
            ParameterKind::Number { default, .. } => Value::Number(*default),
            ParameterKind::Flag => Value::Flag(false),
            ParameterKind::Text | ParameterKind::File { .. } => Value::Text(String::new()),
            ParameterKind::Table { default, .. } => Value::Table(default(trace)),
        }
    }

    /// Reads a value as it is written in addresses and on the command line: the id of a choice, a number, `true` or `false`
    /// (an empty text is `true`), any text, a table as rows `name,1;other,2`.
    ///
    /// # Errors
    /// What was expected, as a phrase that follows the name of the parameter.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        match &self.kind {
            ParameterKind::Choice(options) => {
                let known = options.iter().any(|o| o.0 == text);
                let ids = || options.iter().map(|o| o.0).collect::<Vec<_>>().join(", ");
                if known {
                    Ok(Value::Text(text.to_owned()))
                } else {
                    Err(format!("expected one of {}", ids()))
                }
            }
            ParameterKind::Number { min, max, .. } => {
                let number = text.trim().parse().ok().filter(|n: &f64| min <= n && n <= max);
                number.map(Value::Number).ok_or_else(|| format!("expected a number from {min} to {max}"))
            }
            ParameterKind::Flag => match text {
                "" | "true" => Ok(Value::Flag(true)),
                "false" => Ok(Value::Flag(false)),
                _ => Err("expected true or false".to_owned()),
            },
            ParameterKind::Text | ParameterKind::File { .. } => Ok(Value::Text(text.to_owned())),
            ParameterKind::Table { columns, .. } => {
                let row = |row: &str| row.split(',').map(|cell| cell.trim().to_owned()).collect();
                let rows: Vec<Vec<String>> =
                    text.split([';', '\n']).filter(|row| !row.trim().is_empty()).map(row).collect();
                let is_row = |row: &Vec<String>| {
                    row.len() == columns.len() && row.iter().skip(1).all(|cell| cell.parse::<f64>().is_ok())
                };
                let expected = || {
                    let names: Vec<&str> = columns.iter().map(|c| c.0).collect();
                    format!("expected rows of {}, separated by semicolons", names.join(","))
                };
                if rows.iter().all(is_row) { Ok(Value::Table(rows)) } else { Err(expected()) }
            }
        }
    }
}

// Texts that say how lines of other files are worded: tried on lines before files are read with them.

/// Makes of a text what reads lines by it.
pub type Preview = fn(&str) -> Result<Box<dyn LineReader>, PreviewProblem>;

/// Reads single lines.
pub trait LineReader {
    /// What a line says; `None` when nothing fits it.
    fn match_line(&self, line: &str) -> Option<LineMatch>;
}

/// What a line says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineMatch {
    /// The member of the text whose expression fits.
    pub field: String,
    /// The named groups: name, first byte, and the byte behind the last.
    pub groups: Vec<(String, u32, u32)>,
    /// What they mean, by name: texts, or English phrases.
    pub values: Vec<(String, String)>,
    /// The group whose text means nothing; the line is left out.
    pub wrong: Option<String>,
}

/// Why a text cannot be used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PreviewProblem {
    /// The member that is wrong; empty for the whole.
    pub field: String,
    /// The byte of the member, or of the whole, where that is known.
    pub at: Option<u64>,
    /// What is wrong, without its full stop.
    pub why: Message,
}

// What the user set of parameters. What nobody set is not here: its default holds.

/// The value of one parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// The id of a choice, a text, or the text of a file.
    Text(String),
    Number(f64),
    Flag(bool),
    Table(Vec<Vec<String>>),
}

impl Value {
    /// As [`Parameter::parse`] reads it.
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

// What the page knows of analyses and their parameters: plain data, since no reader and no analysis is linked into it.

/// What has parameters in a document: an analysis, or a format that was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnalysisHead {
    pub id: String,
    /// What a person calls it, an English phrase of `base::words`.
    pub title: String,
    /// Whether it is being computed for the values of now.
    pub is_running: bool,
    /// What the user may set.
    pub parameters: Vec<ParameterHead>,
}

/// A parameter with its value in a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterHead {
    pub id: String,
    /// What a person reads beside the control, an English phrase.
    pub title: String,
    /// What it does, an English phrase.
    pub help: String,
    pub control: Control,
    /// The value that holds when nobody sets one, as text; see [`Parameter::parse`].
    pub default: String,
    /// The value of now, as text.
    pub value: String,
}

/// A control of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Control {
    /// One of these: id and title.
    Choice(Vec<(String, String)>),
    Number {
        /// What it counts.
        unit: Unit,
        min: f64,
        /// The greatest value.
        max: f64,
        /// What an empty field says, an English phrase, where 0 is no value; empty where it is one.
        none: String,
    },
    Flag,
    Text,
    /// Rows of cells under these heads.
    Table(Vec<(String, Unit)>),
    /// A file with one of these patterns.
    File(Vec<String>),
}

impl Parameter {
    /// What the page knows of it.
    pub fn head(&self, trace: &Trace, values: &Values) -> ParameterHead {
        let owned = |pair: &(&str, &str)| (pair.0.to_owned(), pair.1.to_owned());
        let default = self.default_value(trace).to_text();
        ParameterHead {
            id: self.id.to_owned(),
            title: self.title.to_owned(),
            help: self.help.to_owned(),
            control: match &self.kind {
                ParameterKind::Choice(options) => Control::Choice(options.iter().map(owned).collect()),
                ParameterKind::Number { unit, min, max, none, .. } => {
                    let none = (*none).to_owned();
                    Control::Number { unit: unit.clone(), min: *min, max: *max, none }
                }
                ParameterKind::Flag => Control::Flag,
                ParameterKind::Text => Control::Text,
                ParameterKind::Table { columns, .. } => Control::Table(
                    columns.iter().map(|(name, unit)| ((*name).to_owned(), unit.clone())).collect(),
                ),
                ParameterKind::File { patterns, .. } => {
                    Control::File(patterns.iter().map(|&pattern| pattern.to_owned()).collect())
                }
            },
            value: values.get(self.id).map_or_else(|| default.clone(), Value::to_text),
            default,
        }
    }
}
