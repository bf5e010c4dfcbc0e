//! Requests of the design document through the front door. Expected values are computed here from the bytes of the files,
//! by a walker and rules of their own.

mod cli;
mod code;
mod details;
mod envelope;
mod events;
mod synthetic;
mod timeline;

use crate::support::corpus::corpus;
use crate::support::front_door::open_one;
use crate::support::make_ascend;
use lanescope::document::Document;
use serde_json::{Value, json};

/// One block as it lies in a container.
struct Block {
    kind: u8,
    path: String,
    payload: Vec<u8>,
}

/// Walks a whole container: header of 12 bytes, 4096 bytes of path for sources, content with padding.
fn blocks(bytes: &[u8]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while at + 12 <= bytes.len() {
        let size = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        let (kind, padding) = (bytes[at + 8], bytes[at + 9] as usize);
        at += 12;
        let mut path = String::new();
        if kind == 1 {
            let field = &bytes[at..at + 4096];
            path = String::from_utf8(field.split(|b| *b == 0).next().unwrap().to_vec()).unwrap();
            at += 4096;
        }
        blocks.push(Block { kind, path, payload: bytes[at..at + size - padding].to_vec() });
        at += size;
    }
    blocks
}

/// The JSON of the first block of a kind.
fn block(bytes: &[u8], kind: u8) -> Option<Value> {
    let found = blocks(bytes).into_iter().find(|b| b.kind == kind)?;
    Some(serde_json::from_slice(&found.payload).unwrap())
}

/// The same with every number as the text of its digits.
fn quoted(bytes: &[u8], kind: u8) -> Option<Value> {
    let payload = blocks(bytes).into_iter().find(|b| b.kind == kind)?.payload;
    let (mut out, mut is_text, mut is_escaped, mut is_number) = (Vec::new(), false, false, false);
    for &b in &payload {
        let digit = !is_text && matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.')
            || is_number && matches!(b, b'e' | b'E');
        if digit != is_number {
            out.push(b'"');
        }
        is_number = digit;
        out.push(b);
        if is_text {
            is_text = is_escaped || b != b'"';
            is_escaped = !is_escaped && b == b'\\';
        } else {
            is_text = b == b'"';
        }
    }
    Some(serde_json::from_slice(&out).unwrap())
}

/// Containers to ask: one made here, and the files of the corpus where it is at hand.
fn containers() -> Vec<(String, Vec<u8>)> {
    let made = make_ascend::fixtures().into_iter().filter(|(case, ..)| *case == "device");
    let mut all: Vec<_> = made.map(|(case, _, bytes)| (format!("{case}.bin"), bytes)).collect();
    if let Some(folder) = corpus("ascend") {
        for name in
            ["matmul_leakyrelu_910b4_mix", "assembled/device_like_all_blocks", "assembled/simulator_like"]
        {
            let path = folder.join(name).with_extension("bin");
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            all.push((file, std::fs::read(path).unwrap()));
        }
    }
    all
}

fn opened(name: &str, bytes: &[u8]) -> Document {
    let (doc, is_ready) = open_one(name, bytes.to_vec());
    assert!(is_ready, "{name}");
    doc
}

/// The whole answer to one request.
fn ask(doc: &mut Document, command: &str, params: Value) -> Value {
    let request =
        json!({"id": 7, "moduleName": "m", "type": "request", "command": command, "params": params});
    serde_json::from_str(&doc.request(&request.to_string()).text).unwrap()
}

/// The body of an answer that must be good.
fn body(doc: &mut Document, command: &str, params: Value) -> Value {
    let answer = ask(doc, command, params);
    assert_eq!(answer["result"], json!(true), "{command}: {answer}");
    answer["body"].clone()
}

/// The error of an answer that must not be good: code and message.
fn error(doc: &mut Document, command: &str, params: Value) -> (String, String) {
    let answer = ask(doc, command, params);
    assert_eq!((&answer["result"], &answer["body"]), (&json!(false), &json!({})), "{command}: {answer}");
    let text = |name: &str| answer["error"][name].as_str().unwrap().to_owned();
    (text("code"), text("message"))
}

/// A scalar of a block as text.
fn text(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(text),
        Value::Null | Value::Array(_) | Value::Object(_) => json!(""),
        other => json!(other.to_string()),
    }
}

/// All elements of a list as texts.
fn texts(value: &Value) -> Value {
    value.as_array().map_or(json!([]), |items| items.iter().map(text).collect())
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A list without what was there before.
fn distinct(list: Value) -> Value {
    let mut kept: Vec<Value> = Vec::new();
    for item in list.as_array().unwrap() {
        if !kept.contains(item) {
            kept.push(item.clone());
        }
    }
    json!(kept)
}
