//! What the page knows of analyses and their parameters: plain data, since no reader and no analysis is linked into it.

use super::{Parameter, ParameterKind, Value, Values};
use crate::base::unit::Unit;
use crate::model::Trace;
use serde::{Deserialize, Serialize};

/// What has parameters in a document: an analysis, or a format that was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnalysisHead {
    /// Stable id.
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
    /// Stable id.
    pub id: String,
    /// What a person reads beside the control, an English phrase.
    pub title: String,
    /// What it does, an English phrase.
    pub help: String,
    /// The control that it gets.
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
    /// A number in a range.
    Number {
        /// What it counts.
        unit: Unit,
        /// The least value.
        min: f64,
        /// The greatest value.
        max: f64,
        /// What an empty field says, an English phrase, where 0 is no value; empty where it is one.
        none: String,
    },
    /// On or off.
    Flag,
    /// A text.
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
