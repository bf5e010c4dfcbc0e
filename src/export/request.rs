//! Requests: what scripts and embedding pages ask, one JSON document in, one out. Systems bring the commands.
//!
//! ```text
//! {"id": 7, "moduleName": "source", "type": "request", "command": "source/details/baseInfo", "params": {}}
//! {"type": "response", "id": 1, "requestId": 7, "result": true, "command": …, "moduleName": …, "body": {…}}
//! {…, "result": false, …, "body": {}, "error": {"code": "unknown-id", "message": "There is no core x: expected one of …"}}
//! ```
//! A list of requests is answered by a list, in order.

use super::ExportInput;
use crate::base::time::{Span, Ticks};
use crate::input::json::{Json, parse};
use serde::Serialize;

/// The body of an answer as JSON, or why there is none.
pub type RequestResult = Result<String, RequestError>;

/// One command.
pub struct RequestHandler {
    /// Its name.
    pub command: &'static str,
    /// Answers a request.
    pub answer: fn(&ExportInput, &RequestParams) -> RequestResult,
}

/// The answer to a document of requests.
pub struct Response {
    /// A JSON document.
    pub text: String,
    /// Whether every request could be answered.
    pub is_good: bool,
}

/// Answers a request, or a list of them. The input is `None` while files are not loaded. `answered` counts the answers and
/// gives them their ids. Never fails: what cannot be answered is reported in the answer.
pub fn answer(
    handlers: &[&RequestHandler],
    input: Option<&ExportInput>,
    text: &str,
    answered: &mut u64,
) -> Response {
    let (json, errors) = parse(text.as_bytes(), 0);
    let mut response = Response { text: String::new(), is_good: true };
    if let Some(error) = errors.first() {
        let (at, expected, found) = (error.at, error.expected, &error.found);
        let message = format!("The request is not JSON: byte {at}: expected {expected}, found {found}.");
        let error = RequestError { code: "not-json", message };
        respond(&mut response, &Json::Null, Err(error), answered);
    } else if let Json::Array(requests) = &json {
        response.text.push('[');
        for (i, request) in requests.iter().enumerate() {
            if 0 < i {
                response.text.push(',');
            }
            respond(&mut response, request, body_of(handlers, input, request), answered);
        }
        response.text.push(']');
    } else {
        respond(&mut response, &json, body_of(handlers, input, &json), answered);
    }
    response
}

/// The body of the answer to one request.
fn body_of(handlers: &[&RequestHandler], input: Option<&ExportInput>, request: &Json) -> RequestResult {
    let expected =
        || format!("expected one of {}", handlers.iter().map(|h| h.command).collect::<Vec<_>>().join(", "));
    if !matches!(request, Json::Object(_)) {
        let message = "Expected a request: an object with id, moduleName, command and params.";
        return Err(RequestError { code: "not-a-request", message: message.to_owned() });
    }
    let Some(name) = request.get("command").and_then(Json::as_str) else {
        let message = format!("The request has no command: {}.", expected());
        return Err(RequestError { code: "missing-parameter", message });
    };
    let Some(handler) = handlers.iter().find(|handler| handler.command == name) else {
        let message = format!("Unknown command {name}: {}.", expected());
        return Err(RequestError { code: "unknown-command", message });
    };
    let Some(input) = input else {
        let message = "No document is open: the files are still loading or failed to load.";
        return Err(RequestError { code: "not-open", message: message.to_owned() });
    };
    let params = request.get("params").unwrap_or(&Json::Null);
    (handler.answer)(input, &RequestParams { command: name, params })
}

/// Adds the answer to one request.
fn respond(response: &mut Response, request: &Json, outcome: RequestResult, answered: &mut u64) {
    *answered += 1;
    let echo = |name: &str| body(request.get(name).unwrap_or(&Json::Null));
    let out = &mut response.text;
    out.push_str(&format!(
        "{{\"type\":\"response\",\"id\":{answered},\"requestId\":{},\"result\":{},\"command\":{},\"moduleName\":{},\"body\":",
        echo("id"),
        outcome.is_ok(),
        echo("command"),
        echo("moduleName"),
    ));
    match outcome {
        Ok(body) => out.push_str(&body),
        Err(error) => {
            response.is_good = false;
            let (code, message) = (body(error.code), body(&error.message));
            out.push_str(&format!("{{}},\"error\":{{\"code\":{code},\"message\":{message}}}"));
        }
    }
    out.push('}');
}

/// A value as JSON, for bodies of answers.
pub fn body<T: Serialize + ?Sized>(value: &T) -> String {
    // Fails only for maps whose names are no texts, and there are none.
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

/// Why a request cannot be answered.
#[derive(Debug)]
pub struct RequestError {
    /// Stable word for programs.
    pub code: &'static str,
    /// One sentence that says what was expected.
    pub message: String,
}

impl RequestError {
    /// There is nothing of this kind in the files.
    pub fn no_data(message: impl Into<String>) -> Self {
        Self { code: "no-data", message: message.into() }
    }

    /// Something was asked for by an id or a name that is not there.
    pub fn unknown_id(what: &str, asked: &str, known: impl IntoIterator<Item = String>) -> Self {
        let mut known: Vec<String> = known.into_iter().take(KNOWN + 1).collect();
        if KNOWN < known.len() {
            known.truncate(KNOWN);
            known.push("…".to_owned());
        }
        let expected = if known.is_empty() {
            "the files have none".to_owned()
        } else {
            format!("expected one of {}", known.join(", "))
        };
        Self { code: "unknown-id", message: format!("Unknown {what} {asked}: {expected}.") }
    }
}

/// Most known ids that an error names.
const KNOWN: usize = 20;

/// The parameters of one request.
pub struct RequestParams<'a> {
    /// Its command.
    pub command: &'a str,
    /// Its `params`; null when there are none.
    pub params: &'a Json<'a>,
}

impl<'a> RequestParams<'a> {
    /// A text that must be there; a number is its digits. Of several names the first is the one that errors speak of.
    pub fn text(&self, names: &[&str]) -> Result<&'a str, RequestError> {
        self.optional(names).ok_or_else(|| self.missing(names, "a string"))
    }

    /// A text, or nothing when it is missing or empty.
    pub fn optional(&self, names: &[&str]) -> Option<&'a str> {
        let found = names.iter().find_map(|name| self.params.get(name)?.as_text());
        found.filter(|text| !text.is_empty())
    }

    /// The elements of a list as texts; a text alone is a list of one.
    pub fn list(&self, name: &str) -> Vec<&'a str> {
        match self.params.get(name) {
            Some(Json::Array(items)) => items.iter().filter_map(Json::as_text).collect(),
            Some(one) => one.as_text().into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// A time in ticks from the start of the trace; fractions are rounded.
    pub fn time(&self, name: &str) -> Result<Option<Ticks>, RequestError> {
        let Some(value) = self.params.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
        let rounded = || value.as_f64().filter(|v| v.abs() < 9e18).map(|v| v.round() as Ticks);
        match value.as_i64().or_else(rounded) {
            Some(time) => Ok(Some(time)),
            None => Err(self.wrong(name, "a number of nanoseconds from the start of the trace")),
        }
    }

    /// The range from `startTime` to `endTime`, both of which must be there.
    pub fn range(&self) -> Result<Span, RequestError> {
        let expected = "a number of nanoseconds from the start of the trace";
        let time = |name| self.time(name)?.ok_or_else(|| self.missing(&[name], expected));
        let (start, end) = (time("startTime")?, time("endTime")?);
        if end < start {
            return Err(self.wrong("endTime", "a time not before startTime"));
        }
        Ok(Span { start, end })
    }

    /// A parameter is not what it should be.
    pub fn wrong(&self, name: &str, expected: &str) -> RequestError {
        let found = self.params.get(name).and_then(Json::as_text).unwrap_or("something else");
        let message = format!("{}: expected params.{name} to be {expected}, found {found}.", self.command);
        RequestError { code: "wrong-parameter", message }
    }

    fn missing(&self, names: &[&str], expected: &str) -> RequestError {
        let name = names.first().copied().unwrap_or_default();
        let message = format!("{}: expected params.{name}, {expected}.", self.command);
        RequestError { code: "missing-parameter", message }
    }
}
