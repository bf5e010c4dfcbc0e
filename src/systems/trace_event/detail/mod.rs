//! Everything that one event says, read from its bytes when a person asks for it.

pub mod origin;

pub(super) use origin::{origin, origin_key};

use super::fields::Key;
use crate::base::number::address;
use crate::base::order;
use crate::format::{Frame, SliceDetail};
use crate::input::json::scan::{blanks, string_end, value_end};
use crate::input::json::{Json, minify, parse};
use std::borrow::Cow;

/// The args of one event as they stand in its bytes, on one line.
pub fn args(bytes: &[u8]) -> Cow<'_, [u8]> {
    let value = member(bytes, b"args").unwrap_or_default();
    let is_line = memchr::memchr2(b'\n', b'\r', value).is_none();
    if is_line { Cow::Borrowed(value) } else { Cow::Owned(minify(value)) }
}

/// The value of a member of the outermost object, found without reading the others; `None` when there is none, or what
/// stands before it is damaged.
fn member<'a>(bytes: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut at = blanks(bytes, bytes.iter().position(|b| *b == b'{')? + 1);
    loop {
        let end = string_end(bytes, at).ok().filter(|_| bytes.get(at) == Some(&b'"'))?;
        let is_it = bytes.get(at + 1..end - 1) == Some(name);
        let colon = blanks(bytes, end);
        let start = blanks(bytes, colon + 1);
        let end = value_end(bytes, start).ok().filter(|_| bytes.get(colon) == Some(&b':'))?;
        if is_it {
            return bytes.get(start..end);
        }
        at = blanks(bytes, end);
        if bytes.get(at) != Some(&b',') {
            return None;
        }
        at = blanks(bytes, at + 1);
    }
}

/// Reads the bytes of one event. Never fails: of damaged bytes comes what can be read.
pub fn detail(bytes: &[u8]) -> SliceDetail {
    let (json, _) = parse(bytes, 0);
    let mut detail = SliceDetail::default();
    for (name, value) in json.members() {
        match name.as_ref() {
            "name" | "cat" | "ph" | "pid" | "tid" => {}
            "args" => {
                flatten("", value, &mut detail.args);
                detail.code = code(value);
                detail.address = value.get("pc_addr").and_then(Json::as_text).and_then(address);
            }
            _ => flatten(name, value, &mut detail.members),
        }
    }
    // What the reader understands first, then what only the file knows.
    order::sort_by_key(&mut detail.members, |(name, _)| !Key::is_known(name));
    detail
}

fn flatten(path: &str, value: &Json, out: &mut Vec<(String, String)>) {
    match value {
        Json::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                flatten(&path, value, out);
            }
        }
        Json::Object(_) if path.is_empty() => {}
        other => {
            let path = if path.is_empty() { "args" } else { path };
            let text = other.as_text().map_or_else(|| json_text(other), str::to_owned);
            out.push((path.to_owned(), text));
        }
    }
}

/// A value as JSON on one line.
fn json_text(value: &Json) -> String {
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    match value {
        Json::Array(items) => {
            format!("[{}]", items.iter().map(json_text).collect::<Vec<_>>().join(", "))
        }
        Json::Object(members) => {
            let parts: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{}: {}", quoted(name), json_text(value)))
                .collect();
            format!("{{{}}}", parts.join(", "))
        }
        Json::String(text) => quoted(text),
        Json::Null => "null".to_owned(),
        other => other.as_text().unwrap_or_default().to_owned(),
    }
}

/// The call stack among the args: `code` has a line `path:line` for each frame, `Call stack` of `PyTorch` has
/// `path(line): function` between semicolons.
fn code(args: &Json) -> Vec<Frame> {
    if let Some(text) = args.get("code").and_then(Json::as_str) {
        return text.lines().map(str::trim).filter(|l| !l.is_empty()).map(path_and_line).collect();
    }
    let stack = args.get("Call stack").or_else(|| args.get("Call Stack")).and_then(Json::as_str);
    stack.map_or_else(Vec::new, |text| {
        text.split(';').map(str::trim).filter(|f| !f.is_empty()).map(python_frame).collect()
    })
}

/// `path:line`, split at the last colon: paths may have colons.
fn path_and_line(text: &str) -> Frame {
    let split = text.rsplit_once(':').and_then(|(path, line)| Some((path, line.trim().parse().ok()?)));
    match split {
        Some((path, line)) => Frame { path: path.to_owned(), line: Some(line), function: String::new() },
        None => Frame { path: text.to_owned(), ..Frame::default() },
    }
}

/// `path(line): function`.
fn python_frame(text: &str) -> Frame {
    let split = text.split_once("): ").and_then(|(head, function)| {
        let (path, line) = head.rsplit_once('(')?;
        Some((path, line.parse().ok()?, function))
    });
    match split {
        Some((path, line, function)) => {
            Frame { path: path.to_owned(), line: Some(line), function: function.to_owned() }
        }
        None => Frame { function: text.to_owned(), ..Frame::default() },
    }
}
