//! Requests: the questions of the vendor's design document, one JSON document in, one out.
//!
//! ```text
//! {"id": 7, "moduleName": "source", "type": "request", "command": "source/details/baseInfo", "params": {}}
//! {"type": "response", "id": 1, "requestId": 7, "result": true, "command": …, "moduleName": …, "body": {…}}
//! {…, "result": false, …, "body": {}, "error": {"code": "unknown-id", "message": "There is no core x: expected one of …"}}
//! ```
//! A list of requests is answered by a list, in order. Names, shapes and kinds of scalars are those of the design
//! document (Ascend/msinsight, Compute design document); digits are those of the file. Times are whole nanoseconds (ticks,
//! where the trace has other ones) from the start of the trace, the smallest time of any row: what the vendor's viewer
//! shows as 0. What is asked of the payload of a block is read back from the file; nothing is kept for it.

mod ask;
mod blocks;
mod cores;
mod details;
mod memory;
mod open;
mod slices;
mod source;
mod traces;
mod units;
mod value;

use super::Document;
use crate::input::json::{Json, parse};
use ask::{Ask, Problem};
use serde::Serialize;
use value::Value;

/// The body of an answer as JSON, or why there is none.
type Answered = Result<String, Problem>;

/// One command.
struct Command {
    name: &'static str,
    answer: fn(&Document, &Ask) -> Answered,
}

/// The commands, in the order of the design.
static COMMANDS: &[Command] = &[
    Command { name: "import/action", answer: open::action },
    Command { name: "unit/threadTracesSummary", answer: traces::summary },
    Command { name: "unit/threadTraces", answer: traces::thread },
    Command { name: "unit/flows", answer: slices::flows },
    Command { name: "unit/threadDetail", answer: slices::detail },
    Command { name: "source/code/file", answer: source::file },
    Command { name: "source/api/line", answer: source::lines },
    Command { name: "source/api/line/dynamic", answer: source::dynamic_lines },
    Command { name: "source/api/instructions", answer: source::instructions },
    Command { name: "source/api/instructions/dynamic", answer: source::dynamic_instructions },
    Command { name: "source/details/baseInfo", answer: details::base_info },
    Command { name: "source/details/computeworkload", answer: details::workload },
    Command { name: "source/details/memoryGraph", answer: memory::graph },
    Command { name: "source/details/memoryTable", answer: memory::table },
    Command { name: "source/details/interCoreLoadAnalysis", answer: cores::occupancy },
    Command { name: "source/details/roofline", answer: cores::roofline },
    Command { name: "source/cache/cachelineRecords", answer: cores::cache_lines },
    Command { name: "source/queryTopWarpStallReason", answer: cores::stalls },
];

/// The names of all commands.
pub fn commands() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name)
}

/// The answer to a document of requests.
pub struct Response {
    /// A JSON document.
    pub text: String,
    /// Whether every request could be answered.
    pub is_good: bool,
}

/// Answers a request, or a list of them. `answered` counts the answers and gives them their ids.
pub(super) fn answer(doc: &Document, text: &str, answered: &mut u64) -> Response {
    let (json, errors) = parse(text.as_bytes(), 0);
    let mut response = Response { text: String::new(), is_good: true };
    if let Some(error) = errors.first() {
        let (at, expected, found) = (error.at, error.expected, &error.found);
        let message = format!("The request is not JSON: byte {at}: expected {expected}, found {found}.");
        let problem = Problem { code: "not-json", message };
        respond(&mut response, &Json::Null, Err(problem), answered);
    } else if let Json::Array(requests) = &json {
        response.text.push('[');
        for (i, request) in requests.iter().enumerate() {
            if 0 < i {
                response.text.push(',');
            }
            respond(&mut response, request, asked(doc, request), answered);
        }
        response.text.push(']');
    } else {
        respond(&mut response, &json, asked(doc, &json), answered);
    }
    response
}

/// The body of the answer to one request.
fn asked(doc: &Document, request: &Json) -> Answered {
    let expected = || format!("expected one of {}", commands().collect::<Vec<_>>().join(", "));
    if !matches!(request, Json::Object(_)) {
        let message = "Expected a request: an object with id, moduleName, command and params.";
        return Err(Problem { code: "not-a-request", message: message.to_owned() });
    }
    let Some(name) = request.get("command").and_then(Json::as_str) else {
        let message = format!("The request has no command: {}.", expected());
        return Err(Problem { code: "missing-parameter", message });
    };
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        let message = format!("There is no command {name}: {}.", expected());
        return Err(Problem { code: "unknown-command", message });
    };
    if !doc.is_ready() {
        let message = "The files are not loaded yet, or could not be: expected an opened document.";
        return Err(Problem { code: "not-open", message: message.to_owned() });
    }
    let params = request.get("params").unwrap_or(&Json::Null);
    (command.answer)(doc, &Ask { command: name, params })
}

/// Adds the answer to one request.
fn respond(response: &mut Response, request: &Json, outcome: Answered, answered: &mut u64) {
    *answered += 1;
    let echo = |name: &str| body(&Value(request.get(name).unwrap_or(&Json::Null)));
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
        Err(problem) => {
            response.is_good = false;
            let (code, message) = (body(problem.code), body(&problem.message));
            out.push_str(&format!("{{}},\"error\":{{\"code\":{code},\"message\":{message}}}"));
        }
    }
    out.push('}');
}

/// A value as JSON.
fn body<T: Serialize + ?Sized>(value: &T) -> String {
    // Fails only for maps whose names are no texts, and there are none.
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}
