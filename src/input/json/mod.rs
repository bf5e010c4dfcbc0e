//! JSON with offsets, for readers of text formats: whole values, one object's members, and streamed arrays.
//!
//! Three ways in, from small to large:
//! * [`parse`] makes a tree of a whole text that is already in memory (a block of a container, one event).
//! * [`scan`] finds where values end, without building them; it knows "cut" from "damaged".
//! * [`stream::Walk`] walks a text that arrives in chunks and stops at each element of one array.
//!
//! All three take damaged text as far as it goes. Numbers stay text: nobody loses digits here.
//! Facts: RFC 8259; beyond it are accepted NaN, Infinity, trailing commas and a byte order mark.

pub mod scan;
pub mod stream;
pub mod value;

pub use value::{Json, JsonError, parse};

use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;

// Values of files as JSON: digits, texts and orders stay as the file has them; what JSON cannot say (NaN, infinities)
// becomes null.

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => to.serialize_unit(),
            Json::Bool(truth) => to.serialize_bool(*truth),
            Json::Number(digits) => Digits(digits).serialize(to),
            Json::String(text) => to.serialize_str(text),
            Json::Array(items) => to.collect_seq(items),
            Json::Object(members) => to.collect_map(members.iter().map(|(name, value)| (name, value))),
        }
    }
}

/// Digits as a number, to the last of them; null when they are none.
pub struct Digits<'a>(pub &'a str);

impl Serialize for Digits<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let digits = self.0.trim();
        if let Ok(raw) = serde_json::from_str::<&RawValue>(digits)
            && raw.get().starts_with(|c: char| c == '-' || c.is_ascii_digit())
        {
            return raw.serialize(to);
        }
        // Numbers that only lenient readers take, such as `.5` and `+1`.
        digits.parse::<f64>().ok().filter(|v| v.is_finite()).serialize(to)
    }
}

// Chunks of a text joined where it matters: what was not used up is kept and seen again with what follows.

/// Joins chunks.
#[derive(Default)]
pub struct Window {
    kept: Vec<u8>,
    /// Place of the first byte that was not used yet.
    at: u64,
    /// Not worth trying before so many bytes are kept: keeps tiny chunks from costing a look each.
    next_try: usize,
}

impl Window {
    /// A window whose first byte stands at this place.
    pub fn new(at: u64) -> Self {
        Self { at, ..Self::default() }
    }

    /// Place of the first byte that was not used yet.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// How many bytes wait for more.
    pub fn waiting(&self) -> usize {
        self.kept.len()
    }

    /// Shows the next bytes to `read`, which gets them with the place of the first and says how many it used.
    pub fn feed(&mut self, chunk: &[u8], mut read: impl FnMut(&[u8], u64) -> usize) {
        let mut rest = chunk;
        while !self.kept.is_empty() {
            if rest.is_empty() {
                return;
            }
            let (piece, tail) = rest.split_at(rest.len().min(self.kept.len().max(4096)));
            let before = self.kept.len();
            self.kept.extend_from_slice(piece);
            if self.kept.len() < self.next_try {
                rest = tail;
                continue;
            }
            let used = read(&self.kept, self.at).min(self.kept.len());
            self.at += used as u64;
            if let Some(into) = used.checked_sub(before) {
                // Everything that was kept is used: go on in the chunk itself, without copies.
                self.kept.clear();
                rest = rest.get(into..).unwrap_or(&[]);
            } else {
                self.kept.drain(..used);
                rest = tail;
            }
            self.next_try = self.kept.len() + self.kept.len() / 4 + 1;
        }
        let used = read(rest, self.at).min(rest.len());
        self.at += used as u64;
        self.kept.extend_from_slice(rest.get(used..).unwrap_or(&[]));
        self.next_try = 0;
    }

    /// Shows what waits once more, as more of it can be used now.
    pub fn again(&mut self, read: impl FnOnce(&[u8], u64) -> usize) {
        let used = read(&self.kept, self.at).min(self.kept.len());
        self.at += used as u64;
        self.kept.drain(..used);
        self.next_try = 0;
    }

    /// Forgets what waits: too long for one record. Returns how many bytes it was.
    pub fn discard(&mut self) -> u64 {
        let n = self.kept.len() as u64;
        self.at += n;
        self.kept = Vec::new();
        n
    }

    /// Shows what still waits once more: nothing follows.
    pub fn finish(&mut self, read: impl FnOnce(&[u8], u64) -> usize) {
        let kept = std::mem::take(&mut self.kept);
        let used = read(&kept, self.at).min(kept.len());
        self.at += used as u64;
    }
}

// Text of JSON: what a string says, and JSON without blanks. For every reader and export of JSON.

/// What the bytes between two quotes say. Never fails: bad bytes and lone surrogates become U+FFFD, an escape that does
/// not exist stays as it is written. Borrows when there is nothing to change.
pub fn unescape(raw: &[u8]) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', raw) else { return String::from_utf8_lossy(raw) };
    let mut out = Vec::with_capacity(raw.len());
    let (mut head, mut rest) = raw.split_at(first);
    loop {
        out.extend_from_slice(head);
        rest = escape(rest, &mut out);
        if rest.is_empty() {
            break;
        }
        (head, rest) = rest.split_at(memchr::memchr(b'\\', rest).unwrap_or(rest.len()));
        if rest.is_empty() {
            out.extend_from_slice(head);
            break;
        }
    }
    Cow::Owned(match String::from_utf8(out) {
        Ok(text) => text,
        Err(bad) => String::from_utf8_lossy(bad.as_bytes()).into_owned(),
    })
}

/// Whether a text between quotes has an escape that JSON does not have, or half of a pair of surrogates.
pub fn has_bad_escape(raw: &[u8]) -> bool {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let after = rest.get(at + 2..).unwrap_or(&[]);
        rest = match rest.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => after,
            Some(b'u') => {
                let mut out = Vec::new();
                let behind = unicode(after, &mut out);
                let is_told = hex4(after) == Some(0xFFFD);
                if hex4(after).is_none() || out == "\u{fffd}".as_bytes() && !is_told {
                    return true;
                }
                behind
            }
            _ => return true,
        };
    }
    false
}

/// Writes what the escape at the head of `rest` means and returns what follows it.
fn escape<'a>(rest: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let after = rest.get(2..).unwrap_or(&[]);
    let plain = match rest.get(1) {
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(&c @ (b'"' | b'\\' | b'/')) => c,
        Some(b'u') => return unicode(after, out),
        _ => {
            // Not an escape of JSON (a path with single backslashes, mostly): both characters are meant.
            out.push(b'\\');
            return rest.get(1..).unwrap_or(&[]);
        }
    };
    out.push(plain);
    after
}

/// The character of the four digits after `\u`, with the second half of a pair when there is one.
fn unicode<'a>(digits: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let Some(first) = hex4(digits) else {
        out.extend_from_slice(b"\\u");
        return digits;
    };
    let mut rest = digits.get(4..).unwrap_or(&[]);
    let mut code = first;
    if (0xD800..0xDC00).contains(&first)
        && rest.starts_with(b"\\u")
        && let Some(second) = rest.get(2..).and_then(hex4)
        && (0xDC00..0xE000).contains(&second)
    {
        code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        rest = rest.get(6..).unwrap_or(&[]);
    }
    let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    rest
}

fn hex4(digits: &[u8]) -> Option<u32> {
    let four = digits.get(..4)?;
    four.iter().try_fold(0, |code, &b| Some(code * 16 + char::from(b).to_digit(16)?))
}

/// JSON without the blanks between its tokens; strings and digits stay byte for byte. Works on damaged text too.
pub fn minify(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    let mut at = 0;
    while let Some(&b) = json.get(at) {
        match b {
            b'"' => {
                let end = scan::string_end(json, at).unwrap_or(json.len());
                out.extend_from_slice(json.get(at..end).unwrap_or_default());
                at = end;
                continue;
            }
            b' ' | b'\t' | b'\n' | b'\r' => {}
            _ => out.push(b),
        }
        at += 1;
    }
    out
}
