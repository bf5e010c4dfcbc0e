//! Parameters: what the user may set of an analysis, a reader or an export.
//!
//! One description drives the control on the page, the address (`#lifetime=last-use`), the command line
//! (`--lifetime last-use`) and requests. Ids are unique over all systems.

mod head;
mod preview;
mod values;

pub use head::{AnalysisHead, Control, ParameterHead};
pub use preview::{LineMatch, LineReader, Preview, PreviewProblem};
pub use values::{Value, Values};

use crate::base::unit::Unit;
use crate::model::Trace;

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
    /// A number.
    Number {
        /// What it counts.
        unit: Unit,
        /// The least value.
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
