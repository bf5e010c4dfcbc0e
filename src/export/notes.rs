//! Notes of a user as a file of JSON, and back.
//!
//! ```json
//! {"lanescope": "notes", "version": 1, "content": "…", "name": "trace.json",
//!  "notes": [{"text": "…", "address": "view=timeline&window=…", "time": 1790000000000}]}
//! ```
//! `content` is the fingerprint of the files that they are about, `address` what stands behind `#` in an address of the
//! page, `time` milliseconds since 1970.

use crate::base::fault::found;
use crate::base::words::{Message, message};
use crate::input::json::{Json, JsonError, parse};
use crate::model::notes::{ADDRESS_BYTES, FILE_BYTES, MOST, Note, Notes, TEXT_BYTES};
use serde_json::json;

/// Version of the file.
pub const VERSION: i64 = 1;

/// Notes as a file.
pub fn write(notes: &Notes) -> String {
    let list: Vec<_> = notes
        .list
        .iter()
        .map(|note| json!({"text": note.text, "address": note.address, "time": note.time as i64}))
        .collect();
    let file = json!({
        "lanescope": "notes",
        "version": VERSION,
        "content": notes.content,
        "name": notes.name,
        "notes": list,
    });
    format!("{file:#}\n")
}

/// The notes of a file.
///
/// # Errors
/// What is wrong with it, and where. Nothing is taken from a damaged file.
pub fn read(text: &str) -> Result<Notes, Message> {
    if FILE_BYTES < text.len() as u64 {
        return Err(message("the file is larger than {n} bytes").with("n", FILE_BYTES));
    }
    let (file, errors) = parse(text.as_bytes(), 0);
    if let Some(error) = errors.first() {
        return Err(damage(text, error));
    }
    if file.get("lanescope").and_then(Json::as_str) != Some("notes") {
        return Err(message("\"lanescope\": \"notes\" is missing: these are no notes of Lanescope"));
    }
    match file.get("version").map(|version| (version.as_i64(), version.as_text())) {
        Some((Some(VERSION), _)) => {}
        version => {
            let version = version.and_then(|(_, text)| text).unwrap_or("–");
            let words = message("the notes have version {version}, and only version {known} can be read");
            return Err(words.with("version", version).with("known", VERSION));
        }
    }
    let Some(Json::Array(items)) = file.get("notes") else {
        return Err(message("\"notes\" is missing or no list"));
    };
    if MOST < items.len() {
        let words = message("there are {n} notes, and at most {most} can be read");
        return Err(words.with("n", items.len()).with("most", MOST));
    }
    let list =
        items.iter().enumerate().map(|(at, item)| note(at + 1, item)).collect::<Result<Vec<_>, _>>()?;
    let member = |name: &str| file.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let mut notes = Notes { content: member("content"), name: member("name"), list: Vec::new() };
    notes.join(list);
    Ok(notes)
}

/// One note of the list, the first is 1.
fn note(at: usize, item: &Json<'_>) -> Result<Note, Message> {
    let text = |name: &'static str, most: usize| match item.get(name).and_then(Json::as_str) {
        None => {
            Err(message("note {n}: \"{member}\" is missing or no text").with("n", at).with("member", name))
        }
        Some(text) if most < text.len() => {
            let words = message("note {n}: \"{member}\" is longer than {most} bytes");
            Err(words.with("n", at).with("member", name).with("most", most))
        }
        Some(text) => Ok(text.to_owned()),
    };
    let time = item.get("time").and_then(Json::as_f64).filter(|time| (0.0..9e15).contains(time));
    let Some(time) = time else {
        return Err(message("note {n}: \"time\" is no number of milliseconds since 1970").with("n", at));
    };
    Ok(Note { text: text("text", TEXT_BYTES)?, address: text("address", ADDRESS_BYTES)?, time: time.floor() })
}

/// Where a text is no JSON, as an editor counts.
fn damage(text: &str, error: &JsonError) -> Message {
    let before = usize::try_from(error.at).ok().and_then(|at| text.as_bytes().get(..at)).unwrap_or_default();
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    message("line {line}, column {column}: expected {expected}, {found}")
        .with("line", line)
        .with("column", column)
        .with_message("expected", error.expected)
        .with_message("found", found(error.found.clone()))
}
