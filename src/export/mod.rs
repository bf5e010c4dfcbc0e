//! What can be saved, and what scripts may ask: the same bytes for the page's menu and for `lanescope --export ID`.
//!
//! To add a general export: a function that writes it, and one entry in [`EXPORTS`]; systems bring their own. An id may
//! carry an argument behind a colon: `figure-svg:core-occupancy` where the export says so, and its parameters,
//! `some-export:per-run`, `some-export:limit=12,strict`.

mod area;
mod blocks;
pub mod columns;
mod device;
mod figures;
pub mod findings;
pub mod minify;
pub mod notes;
pub mod operators;
mod parts;
pub mod report;
pub mod rows;
mod sums;
#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
pub mod tables;
mod trace;

use crate::analysis::Derived;
use crate::analysis::access::RegionSweep;
use crate::analysis::compare::family::JoinedFigure;
use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure};
use crate::analysis::finding::Overview;
use crate::analysis::report::ReportAsk;
use crate::base::time::{Span, Ticks};
use crate::base::words::{Language, phrase};
use crate::draw::ColorBy;
use crate::format::{Faults, Format};
use crate::input::json::{Json, parse};
use crate::input::{Bundle, EntryId, read_range};
use crate::model::Trace;
use crate::model::access::{OPERATION, SPACE, StackFrame, UNIT};
use crate::model::files::OperatorHead;
use crate::model::parameter::{Parameter, Values};
use parts::rows_in_parts;
use serde::Serialize;
use std::any::Any;
use std::ops::Range;
use std::rc::Rc;
use std::{fmt, io};

pub use figures::{families_csv, families_json, families_svg};
pub use parts::{Out, Parts, Saving, stem, whole, written};
pub use rows::figure_csv;

/// All that an export may look at.
pub struct ExportInput<'a> {
    pub bundle: &'a Bundle,
    pub trace: &'a Rc<Trace>,
    pub derived: &'a Derived,
    /// Figures that were joined with a baseline.
    pub compared: &'a [JoinedFigure],
    /// What limits it, as far as that was asked for.
    pub overview: Option<&'a Overview>,
    /// What the user set of parameters.
    pub values: &'a Values,
    /// The analyses that can be made of the trace.
    pub analyses: &'a [&'static Analysis],
    /// Entries that some format reads.
    pub claimed: &'a [EntryId],
    pub faults: &'a Faults,
    pub formats: &'a [&'static Format],
    /// Language of the words that are not data.
    pub language: Language,
    /// Id of the color scheme of pictures.
    pub scheme: &'a str,
    /// What decides the colors of slices.
    pub color: ColorBy,
    /// The operators of the project, when they are asked for.
    pub operators: &'a [OperatorHead],
    /// What a report is to hold, where more is asked for than its argument says.
    pub asked: Option<&'a ReportAsk>,
    /// Seconds since the begin of 1970, where the program has a clock.
    pub now: Option<u64>,
}

impl<'a> ExportInput<'a> {
    /// Bytes of an entry, read anew from the file; empty when they cannot be read (the file may have changed).
    pub fn bytes(&self, entry: u32, range: Range<u64>) -> Vec<u8> {
        let source = self.bundle.get(EntryId(entry)).map(|e| e.source.clone());
        source.and_then(|s| read_range(&*s, range).ok()).unwrap_or_default()
    }

    /// What an analysis may look at.
    pub fn of(&self, analysis: &Analysis) -> AnalysisInput<'a> {
        self.derived.results.input(analysis, self.trace, &self.derived.timeline, self.values)
    }

    /// The result of an analysis as what it is; `None` when it was not made.
    pub fn result<T: Any>(&self, analysis: &Analysis) -> Option<&'a T> {
        self.of(analysis).result()
    }

    /// The figures that can be computed, each with what its analysis may look at.
    pub fn computed(&self) -> impl Iterator<Item = (AnalysisInput<'a>, ComputedFigure)> {
        let (derived, trace, values) = (self.derived, self.trace, self.values);
        self.analyses.iter().flat_map(move |analysis| {
            let input = derived.results.input(analysis, trace, &derived.timeline, values);
            (analysis.figures)(&input).into_iter().map(move |figure| (input, figure))
        })
    }
}

/// One export.
pub struct Export {
    pub id: &'static str,
    /// What a person calls it; an English phrase of `base::words`.
    pub title: &'static str,
    /// What the name of the saved file ends with, behind the title of the document.
    pub suffix: &'static str,
    /// Media type.
    pub mime: &'static str,
    /// Whether an argument may follow the id: the id of one figure with its choices (`:compute-workload:1,0`), or a
    /// range (`:0,5000`).
    pub takes_argument: bool,
    /// What the user may set.
    pub parameters: &'static [&'static Parameter],
    /// Whether there is anything to write.
    pub can: fn(&ExportInput) -> bool,
    /// Begins to write it. The argument is empty when none was given. An error of a part that holds [`ExportMessage`]
    /// comes behind a file that is written, all others instead of the rest of one.
    pub write: fn(&ExportInput, &str) -> io::Result<Parts>,
}

/// The general exports, in the order of the menu.
#[rustfmt::skip] // one entry a line
pub static EXPORTS: &[&Export] = &[
    &report::REPORT_HTML,
    &trace::SUMMARY_JSON,
    &trace::SLICES_CSV,
    &trace::INSTANTS_CSV,
    &sums::RANGE_CSV,
    &sums::STATISTICS_CSV,
    &sums::THREADS_CSV,
    &device::KERNELS_CSV,
    &device::OPERATORS_DEVICE_CSV,
    &device::FUNCTIONS_DEVICE_CSV,
    &device::MODULES_CSV,
    &device::STACKS_CSV,
    &device::OPERATORS_MEMORY_CSV,
    &device::STEPS_CSV,
    &device::IDLE_CSV,
    &area::AGGREGATE_CSV,
    &area::FLAME_SVG,
    &area::GAPS_CSV,
    &area::OVERLAP_CSV,
    &area::OVERLAP_JSON,
    &area::FLOWS_CSV,
    &operators::OPERATORS_CSV,
    &ACCESSES_CSV,
    &blocks::BLOCKS_JSON,
    &figures::FIGURES_JSON,
    &figures::FIGURES_CSV,
    &figures::FIGURE_SVG,
    &findings::FINDINGS_JSON,
];

/// What the page must know of an export: all but how it is written.
#[derive(Clone, Copy)]
pub struct Offer {
    /// As [`Export::id`].
    pub id: &'static str,
    /// As [`Export::title`].
    pub title: &'static str,
    /// As [`Export::parameters`].
    pub parameters: &'static [&'static Parameter],
    /// As [`Export::can`].
    pub can: fn(&ExportInput) -> bool,
}

/// The general exports as they are offered. What writes them is not named here: it is loaded when a file is wanted first.
static OFFERED: [Offer; EXPORTS.len()] = {
    let (mut offered, mut at) = ([EXPORTS[0].offer(); EXPORTS.len()], 0);
    while at < EXPORTS.len() {
        offered[at] = EXPORTS[at].offer();
        at += 1;
    }
    offered
};

/// The general exports as they are offered, then these of systems.
pub fn offers(of_systems: impl Iterator<Item = &'static Export>) -> impl Iterator<Item = Offer> {
    OFFERED.iter().copied().chain(of_systems.map(Export::offer))
}

impl Export {
    const fn offer(&self) -> Offer {
        Offer { id: self.id, title: self.title, parameters: self.parameters, can: self.can }
    }

    /// The values of its parameters: those that were set, and before them those that its argument names.
    fn values(&self, input: &ExportInput, argument: &str) -> Result<Values, String> {
        let mut values = input.values.clone();
        if self.parameters.is_empty() {
            return Ok(values);
        }
        for word in argument.split(',').filter(|word| !word.is_empty()) {
            let (id, text) = word.split_once('=').unwrap_or((word, ""));
            let Some(parameter) = self.parameters.iter().find(|parameter| parameter.id == id) else {
                let known: Vec<&str> = self.parameters.iter().map(|parameter| parameter.id).collect();
                return Err(format!("{} has no parameter {id}; available: {}.", self.id, known.join(", ")));
            };
            let value = parameter.parse(text).map_err(|why| format!("{id}: {why}, found {text}."))?;
            values.set(id, value);
        }
        Ok(values)
    }
}

/// What an export has to say beside the bytes that it wrote.
#[derive(Debug)]
pub struct ExportMessage {
    /// The lines.
    pub text: String,
    /// Whether everything was written.
    pub is_whole: bool,
}

impl fmt::Display for ExportMessage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.text.trim())
    }
}

impl std::error::Error for ExportMessage {}

impl From<ExportMessage> for io::Error {
    fn from(said: ExportMessage) -> Self {
        Self::other(said)
    }
}

/// The general exports, then these of systems.
pub fn all(of_systems: impl Iterator<Item = &'static Export>) -> impl Iterator<Item = &'static Export> {
    EXPORTS.iter().copied().chain(of_systems)
}

// Memory accesses as CSV: all of them, with the allocation they lie in and their call stack.

static ACCESSES_CSV: Export = Export {
    id: "accesses-csv",
    title: phrase("Memory accesses as CSV"),
    suffix: "accesses.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[],
    can: |input| !input.trace.accesses.is_empty(),
    write: |input, _| Ok(write(input)),
};

/// Heads of the columns in front of the attributes that only some systems have, and behind them.
const FIRST: [&str; 3] = ["record", "operation", "unit"];
const LAST: [&str; 10] =
    ["space", "address", "bytes", "pc", "allocation", "offset", "function", "file", "line", "call stack"];

/// One line for each access in the order of the file. Addresses are hexadecimal; the call stack is innermost first.
fn write(input: &ExportInput) -> Parts {
    let accesses = &input.trace.accesses;
    let others: Vec<usize> = (SPACE + 1..accesses.attributes().len()).collect();
    let other = |at: &usize| {
        let attribute = &accesses.attributes()[*at];
        if attribute.is_of_unit { format!("unit {}", attribute.id) } else { attribute.id.clone() }
    };
    let (first, last) = (FIRST.map(str::to_owned), LAST.map(str::to_owned));
    let head = first.into_iter().chain(others.iter().map(other)).chain(last).collect();
    let mut sweep = RegionSweep::new(accesses);
    rows_in_parts(head, accesses.len(), move |input, row| {
        let (accesses, row) = (&input.trace.accesses, row as u32);
        let Some((access, class)) = accesses.get(row).zip(accesses.class(row)) else { return Vec::new() };
        let site = accesses.site(row);
        let stack = site.and_then(|s| s.stack).and_then(|s| accesses.stacks.get(s as usize));
        let frames = stack.and_then(|s| accesses.frames.get(s.frames.start as usize..s.frames.end as usize));
        let frames = frames.unwrap_or(&[]);
        let text = |id| input.trace.strings.get(id).to_owned();
        let inner = frames.first();
        let region = sweep.region(accesses, row).and_then(|at| Some((at, accesses.regions.get(at)?)));
        let name =
            region.map(|(at, r)| if r.name.is_empty() { (at + 1).to_string() } else { r.name.clone() });
        let mut line = vec![
            access.position.to_string(),
            accesses.value(class, OPERATION).to_owned(),
            accesses.value(class, UNIT).to_owned(),
        ];
        line.extend(others.iter().map(|at| accesses.value(class, *at).to_owned()));
        line.extend([
            accesses.space_name(class.space()).to_owned(),
            format!("0x{:x}", access.address),
            access.bytes.to_string(),
            site.map_or(String::new(), |s| format!("0x{:x}", s.pc)),
            name.unwrap_or_default(),
            region.map_or(String::new(), |(_, r)| (access.address - r.start).to_string()),
            inner.map_or(String::new(), |f| text(f.function)),
            inner.map_or(String::new(), |f| text(f.file)),
            inner.filter(|f| 0 < f.line).map_or(String::new(), |f| f.line.to_string()),
            calls(input.trace, frames),
        ]);
        line
    })
}

/// The functions of a call stack, innermost first.
fn calls(trace: &Trace, frames: &[StackFrame]) -> String {
    frames.iter().map(|frame| place(trace, frame)).collect::<Vec<_>>().join(" < ")
}

/// A frame in one word: `function (file:line:column)`.
fn place(trace: &Trace, frame: &StackFrame) -> String {
    let (function, file) = (trace.strings.get(frame.function), trace.strings.get(frame.file));
    let mut at = file.to_owned();
    for number in [frame.line, frame.column] {
        if 0 < number {
            at.push_str(&format!(":{number}"));
        }
    }
    match (function, at.as_str()) {
        (function, "") => function.to_owned(),
        ("", at) => at.to_owned(),
        (function, at) => format!("{function} ({at})"),
    }
}

// Requests: what scripts and embedding pages ask, one JSON document in, one out. Systems bring the commands.
//
// ```text
// {"id": 7, "moduleName": "source", "type": "request", "command": "source/details/baseInfo", "params": {}}
// {"type": "response", "id": 1, "requestId": 7, "result": true, "command": …, "moduleName": …, "body": {…}}
// {…, "result": false, …, "body": {}, "error": {"code": "unknown-id", "message": "There is no core x: expected one of …"}}
// ```
// A list of requests is answered by a list, in order.

/// The body of an answer as JSON, or why there is none.
pub type RequestResult = Result<String, RequestError>;

/// One command.
pub struct RequestHandler {
    pub command: &'static str,
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
