//! What a request asks: its parameters, leniently, and what to say when one is missing or wrong.

use crate::base::time::{Span, Ticks};
use crate::input::json::Json;

/// Why a request cannot be answered.
#[derive(Debug)]
pub(super) struct Problem {
    /// Stable word for programs.
    pub(super) code: &'static str,
    /// One sentence that says what was expected.
    pub(super) message: String,
}

impl Problem {
    /// There is nothing of this kind in the files.
    pub(super) fn no_data(message: impl Into<String>) -> Self {
        Self { code: "no-data", message: message.into() }
    }

    /// Something was asked for by an id or a name that is not there.
    pub(super) fn unknown_id(what: &str, asked: &str, known: impl IntoIterator<Item = String>) -> Self {
        let mut known: Vec<String> = known.into_iter().take(KNOWN + 1).collect();
        if KNOWN < known.len() {
            known.truncate(KNOWN);
            known.push("…".to_owned());
        }
        let expected = if known.is_empty() {
            "the files hold none".to_owned()
        } else {
            format!("expected one of {}", known.join(", "))
        };
        Self { code: "unknown-id", message: format!("There is no {what} {asked}: {expected}.") }
    }
}

/// Most known ids that an error names.
const KNOWN: usize = 20;

/// The parameters of one request.
pub(super) struct Ask<'a> {
    /// Its command.
    pub(super) command: &'a str,
    /// Its `params`; null when there are none.
    pub(super) params: &'a Json<'a>,
}

impl<'a> Ask<'a> {
    /// A text that must be there; a number is its digits. Of several names the first is the one that errors speak of.
    pub(super) fn text(&self, names: &[&str]) -> Result<&'a str, Problem> {
        self.optional(names).ok_or_else(|| self.missing(names, "a text"))
    }

    /// A text, or nothing when it is missing or empty.
    pub(super) fn optional(&self, names: &[&str]) -> Option<&'a str> {
        let found = names.iter().find_map(|name| self.params.get(name)?.as_text());
        found.filter(|text| !text.is_empty())
    }

    /// The elements of a list as texts; a text alone is a list of one.
    pub(super) fn list(&self, name: &str) -> Vec<&'a str> {
        match self.params.get(name) {
            Some(Json::Array(items)) => items.iter().filter_map(Json::as_text).collect(),
            Some(one) => one.as_text().into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// A time in ticks from the start of the trace; fractions are rounded.
    pub(super) fn time(&self, name: &str) -> Result<Option<Ticks>, Problem> {
        let Some(value) = self.params.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
        let rounded = || value.as_f64().filter(|v| v.abs() < 9e18).map(|v| v.round() as Ticks);
        match value.as_i64().or_else(rounded) {
            Some(time) => Ok(Some(time)),
            None => Err(self.wrong(name, "a number of nanoseconds from the start of the trace")),
        }
    }

    /// The range from `startTime` to `endTime`, both of which must be there.
    pub(super) fn range(&self) -> Result<Span, Problem> {
        let expected = "a number of nanoseconds from the start of the trace";
        let time = |name| self.time(name)?.ok_or_else(|| self.missing(&[name], expected));
        let (start, end) = (time("startTime")?, time("endTime")?);
        if end < start {
            return Err(self.wrong("endTime", "a time that is not before startTime"));
        }
        Ok(Span { start, end })
    }

    /// A parameter is not what it should be.
    pub(super) fn wrong(&self, name: &str, expected: &str) -> Problem {
        let found = self.params.get(name).and_then(Json::as_text).unwrap_or("something else");
        let message = format!("{}: expected params.{name} to be {expected}, found {found}.", self.command);
        Problem { code: "wrong-parameter", message }
    }

    fn missing(&self, names: &[&str], expected: &str) -> Problem {
        let name = names.first().copied().unwrap_or_default();
        let message = format!("{}: expected params.{name}, {expected}.", self.command);
        Problem { code: "missing-parameter", message }
    }
}
