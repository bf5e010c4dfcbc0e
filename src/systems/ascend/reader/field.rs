//! Members of JSON objects, leniently: every value may be a number or a text, "NA" is missing, and what does not fit is
//! said with its place. For the readers of all JSON blocks.

use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::words::{Message, message};
use crate::format::Sink;
use crate::input::json::{Json, JsonError};
use std::borrow::Cow;

/// Where a block is, for faults about what is inside it.
#[derive(Clone, Debug)]
pub(crate) struct Within {
    /// Path of the entry.
    pub(super) entry: String,
    /// Where the payload begins.
    pub(super) byte: u64,
    /// Number and name of the block, such as `block 7 MEMORY_GRAPH`.
    pub(super) block: Message,
}

impl Within {
    /// A place inside the block: its first byte, and a path such as `vector0 ▸ row 12` behind the name.
    pub(super) fn place(&self, inside: &str) -> Place {
        let place = Place::byte(&*self.entry, self.byte);
        let name = if inside.is_empty() {
            self.block.clone()
        } else {
            let name = message("{block} ▸ {inside}").with_message("block", self.block.clone());
            name.with("inside", cut(inside))
        };
        place.block(name)
    }

    /// Something inside is not what it should be.
    pub(super) fn odd(&self, inside: &str, expected: &'static str, found: impl Into<Message>) -> Fault {
        let mut found = found.into();
        found.key = cut(&found.key).into_owned().into();
        let kind = Kind::Unexpected { expected: Cow::Borrowed(expected), found };
        Fault::new("ASC-FIELD", Severity::Warning, self.place(inside), kind)
    }

    /// Something at a byte is not JSON.
    pub(super) fn not_json(&self, at: u64, expected: &'static str, found: String) -> Fault {
        let kind = Kind::Unexpected { expected: Cow::Borrowed(expected), found: found.into() };
        let fault = Fault::new(
            "ASC-JSON",
            Severity::Loss,
            Place::byte(&*self.entry, at).block(self.block.clone()),
            kind,
        );
        fault.note("The readable part of this block is shown.")
    }

    /// Says what is wrong with the JSON of the block.
    pub(super) fn report_json(&self, errors: Vec<JsonError>, sink: &mut Sink) {
        for error in errors {
            sink.fault(self.not_json(error.at, error.expected, error.found));
        }
    }
}

/// Reads members and says what does not fit.
pub(super) struct Fields<'a> {
    within: &'a Within,
    sink: &'a mut Sink,
}

impl<'a> Fields<'a> {
    /// Members of objects of this block.
    pub(super) fn new(within: &'a Within, sink: &'a mut Sink) -> Self {
        Self { within, sink }
    }

    /// A number, or a text that is one; missing when the member is missing, empty or "NA". A per cent sign is passed over.
    pub(super) fn number(&mut self, object: &Json, key: &str, inside: &str) -> Option<f64> {
        self.value(object.get(key), key, inside)
    }

    /// The same for a value that was found under `key`.
    pub(super) fn value(&mut self, value: Option<&Json>, key: &str, inside: &str) -> Option<f64> {
        let value = value?;
        let text = value.as_text().unwrap_or("");
        let number = number(text);
        if number.is_none() && !value.is_null() && (value.as_text().is_none() || !is_missing(text)) {
            self.odd(&path(inside, key), "a number", shown(value));
        }
        number
    }

    /// A text, or the digits of a number; empty when the member is missing or "NA".
    pub(super) fn text(&mut self, object: &Json, key: &str, inside: &str) -> String {
        let Some(value) = object.get(key) else { return String::new() };
        match value.as_text() {
            Some(text) if is_missing(text) => String::new(),
            Some(text) => text.trim().to_owned(),
            None if value.is_null() => String::new(),
            None => {
                self.odd(&path(inside, key), "a string", shown(value));
                String::new()
            }
        }
    }

    /// The elements of an array; says when the member is there but no array.
    pub(super) fn items<'j>(&mut self, object: &'j Json<'j>, key: &str, inside: &str) -> &'j [Json<'j>] {
        match object.get(key) {
            Some(Json::Array(items)) => items,
            None | Some(Json::Null) => &[],
            Some(other) => {
                self.odd(&path(inside, key), "an array", shown(other));
                &[]
            }
        }
    }

    /// Says that something inside is not what it should be, and what is shown of it.
    pub(super) fn said(
        &mut self,
        severity: Severity,
        inside: &str,
        expected: &'static str,
        found: impl Into<Message>,
        note: &'static str,
    ) {
        let fault = self.within.odd(inside, expected, found);
        self.sink.fault(Fault { severity, ..fault.note(note) });
    }

    /// Says that something inside is left out, because it is not what it should be.
    pub(super) fn left_out(&mut self, inside: &str, expected: &'static str, found: impl Into<Message>) {
        let fault = self.within.odd(inside, expected, found);
        self.sink.fault(Fault { severity: Severity::Loss, ..fault.note("Skipped.") });
    }

    /// Says that something inside is not what it should be, and is shown as missing.
    pub(super) fn odd(&mut self, inside: &str, expected: &'static str, found: impl Into<Message>) {
        let fault = self.within.odd(inside, expected, found);
        self.sink.fault(fault.note("The value is shown as missing."));
    }
}

/// Most letters of a name or value of a file that stand in a fault.
const LETTERS: usize = 200;

/// A text of the file so that it can stand in a line: not too long, and without line breaks.
fn cut(text: &str) -> Cow<'_, str> {
    let end = text.char_indices().nth(LETTERS).map(|(end, _)| end);
    if end.is_none() && !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let head = text.get(..end.unwrap_or(text.len())).unwrap_or("");
    let plain = head.chars().map(|c| if c.is_control() { ' ' } else { c });
    Cow::Owned(plain.chain(end.map(|_| '…')).collect())
}

/// A member inside something; the whole block when that is empty.
fn path(inside: &str, key: &str) -> String {
    if inside.is_empty() { key.to_owned() } else { format!("{inside} ▸ {key}") }
}

/// Digits that a float holds exactly, whatever they are.
const EXACT_DIGITS: usize = 15;

/// A number from its text, which may end in a per cent sign.
pub(super) fn number(text: &str) -> Option<f64> {
    // Most numbers of a large block are short and whole.
    if !text.is_empty() && text.len() <= EXACT_DIGITS && text.bytes().all(|b| b.is_ascii_digit()) {
        return Some(text.bytes().fold(0.0, |v, b| v * 10.0 + f64::from(b - b'0')));
    }
    let text = text.trim();
    text.strip_suffix('%').unwrap_or(text).trim_end().parse().ok().filter(|v: &f64| v.is_finite())
}

/// Whether a text stands for no value.
pub(super) fn is_missing(text: &str) -> bool {
    matches!(text.trim(), "" | "NA" | "N/A" | "nan" | "NaN" | "-")
}

/// A value in a few words, for faults.
pub(super) fn shown(value: &Json) -> Message {
    match value {
        Json::Array(items) => message("an array of {n}").with("n", items.len()),
        Json::Object(members) => message("an object of {n} members").with("n", members.len()),
        Json::Null => "null".into(),
        Json::String(text) => excerpt(text.as_bytes()).into(),
        other => other.as_text().unwrap_or("nothing").to_owned().into(),
    }
}
