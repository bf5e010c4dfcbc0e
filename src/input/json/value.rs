//! A tree of JSON values, for texts that are small enough to be held whole (blocks of containers, single events).
//!
//! The tree borrows from the text: numbers are their digits, strings are copied only when they have escapes.
//! Members keep the order of the file; a key may stand twice. Source of the facts: RFC 8259.

use super::unescape;
use crate::base::fault::excerpt;
use crate::input::limits;
use std::borrow::Cow;

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'a> {
    /// `null`, and whatever could not be read.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as the file writes it, also `NaN`, `Infinity` and `-Infinity`.
    Number(&'a str),
    String(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    /// Named values in the order of the file.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

/// Something that is not JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Byte offset, counted from the base that was given.
    pub at: u64,
    pub expected: &'static str,
    /// What stands there, for a person.
    pub found: String,
}

/// Errors kept of one text; damage that goes on is one damage.
const ERRORS: usize = 100;

/// Reads a whole text. What cannot be read is `Null` or left out, and said; never fails, never panics.
///
/// `base_offset` is the place of the first byte in its entry: errors count from there. A tree of more than
/// [`limits::TREE_ROOM`] bytes ends where it has reached them, and that is said too.
pub fn parse(bytes: &[u8], base_offset: u64) -> (Json<'_>, Vec<JsonError>) {
    parse_within(bytes, base_offset, limits::TREE_ROOM)
}

/// As [`parse`], with a room of its own for the tree, in bytes.
pub fn parse_within(bytes: &[u8], base_offset: u64, room: usize) -> (Json<'_>, Vec<JsonError>) {
    let at = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut parser =
        Parser { bytes, at, base: base_offset, errors: Vec::new(), is_over: false, like: [0; 2], room };
    let value = parser.value(0);
    parser.blanks();
    // Zero bytes pad blocks; they are not part of the text.
    let tail = parser.bytes.get(parser.at..).unwrap_or(&[]);
    if tail.iter().any(|&b| b != 0) {
        parser.error("the end of the text");
    }
    (value, parser.errors)
}

impl<'a> Json<'a> {
    /// The member of this name; the first when there are several. `None` when this is no object.
    pub fn get(&self, key: &str) -> Option<&Json<'a>> {
        self.members().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The digits of a number as in the file, the text of a string, or the word of a truth value.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            Self::Number(digits) => Some(digits),
            Self::Bool(true) => Some("true"),
            Self::Bool(false) => Some("false"),
            _ => None,
        }
    }

    /// The value of a number, or of a text that is a number; `None` for everything else, NaN and infinities too.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(text) => text.parse().ok(),
            Self::String(text) => text.trim().parse().ok(),
            _ => None,
        }
        .filter(|v: &f64| v.is_finite())
    }

    /// The value of a whole number, or of a text that is one, without loss; `None` for fractions.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(text) => text.parse().ok(),
            Self::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The truth of a truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The values of an array; nothing for other kinds.
    pub fn items(&self) -> &[Json<'a>] {
        match self {
            Self::Array(items) => items,
            _ => &[],
        }
    }

    /// The members of an object; nothing for other kinds.
    pub fn members(&self) -> &[(Cow<'a, str>, Json<'a>)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    base: u64,
    errors: Vec<JsonError>,
    /// Whether the end came too early: it is said once, not for everything that is still open.
    is_over: bool,
    /// Sizes of the last array and object: the next one is mostly like it.
    like: [usize; 2],
    /// Bytes that the tree may still take.
    room: usize,
}

impl<'a> Parser<'a> {
    fn peek(&mut self) -> Option<u8> {
        self.blanks();
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn error(&mut self, expected: &'static str) {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        if rest.is_empty() && std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let found = if rest.is_empty() { "the end".to_owned() } else { excerpt(rest) };
        if self.errors.len() < ERRORS {
            self.errors.push(JsonError { at: self.base + self.at as u64, expected, found });
        }
    }

    /// Takes room for one more value; without any left the text ends here.
    fn has_room(&mut self, bytes: usize) -> bool {
        let left = self.room.checked_sub(bytes);
        if left.is_none() && !self.is_over {
            self.error("values that fit in memory");
            self.is_over = true;
            self.at = self.bytes.len();
        }
        self.room = left.unwrap_or(0);
        left.is_some()
    }

    fn value(&mut self, depth: usize) -> Json<'a> {
        match self.peek() {
            Some(b'{' | b'[') if limits::JSON_DEPTH <= depth => {
                self.error("less nesting");
                self.pass_over();
                Json::Null
            }
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => Json::String(self.string()),
            Some(b',' | b':' | b'}' | b']') | None => {
                self.error("a value");
                Json::Null
            }
            Some(_) => self.word(),
        }
    }

    /// A number, a truth value or null: everything up to the next separator.
    fn word(&mut self) -> Json<'a> {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let is_end = |b: &u8| matches!(b, b',' | b':' | b'{' | b'}' | b'[' | b']' | b'"') || *b <= b' ';
        let word = rest.get(..rest.iter().position(is_end).unwrap_or(rest.len())).unwrap_or(&[]);
        let value = match word {
            b"null" => Json::Null,
            b"true" => Json::Bool(true),
            b"false" => Json::Bool(false),
            _ => match std::str::from_utf8(word) {
                Ok(digits) if is_number(word) => Json::Number(digits),
                _ => {
                    self.error("a value");
                    Json::Null
                }
            },
        };
        // A control character is no word and would hold up the walk.
        self.at += word.len().max(1);
        value
    }

    fn string(&mut self) -> Cow<'a, str> {
        let rest = self.bytes.get(self.at + 1..).unwrap_or(&[]);
        let len = string_len(rest);
        let raw = rest.get(..len.unwrap_or(rest.len())).unwrap_or(&[]);
        let text = unescape(raw);
        if matches!(&text, Cow::Owned(_)) && std::str::from_utf8(raw).is_err() {
            self.error("UTF-8 text");
        }
        self.at += raw.len() + 1;
        match len {
            Some(_) => self.at += 1,
            None => self.error("the closing quote of a string"),
        }
        text
    }

    fn array(&mut self, depth: usize) -> Json<'a> {
        self.at += 1;
        let mut items = room(self.like[0]);
        loop {
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                Some(b',') => {
                    self.error("a value");
                    self.at += 1;
                }
                Some(b'}' | b':') | None => {
                    self.error("a value or ]");
                    if self.peek() != Some(b':') {
                        break;
                    }
                    self.at += 1;
                }
                Some(_) => {
                    if !self.has_room(size_of::<Json>()) {
                        break;
                    }
                    items.push(self.value(depth));
                    self.separator(b']', ", or ]");
                }
            }
        }
        self.like[0] = items.len();
        Json::Array(fitted(items))
    }

    fn object(&mut self, depth: usize) -> Json<'a> {
        self.at += 1;
        let mut members = room(self.like[1]);
        loop {
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                Some(b']') | None => {
                    self.error("a name or }");
                    break;
                }
                Some(b'"') => {
                    if !self.has_room(size_of::<(Cow<str>, Json)>()) {
                        break;
                    }
                    let key = self.string();
                    match self.peek() {
                        Some(b':') => self.at += 1,
                        _ => self.error(":"),
                    }
                    members.push((key, self.value(depth)));
                    self.separator(b'}', ", or }");
                }
                Some(_) => {
                    // A value without a name, or a stray separator: passed over, the next name is found again.
                    self.error("a name or }");
                    self.pass_over();
                }
            }
        }
        self.like[1] = members.len();
        Json::Object(fitted(members))
    }

    /// The comma after a value; missing ones are said and taken as there.
    fn separator(&mut self, close: u8, expected: &'static str) {
        match self.peek() {
            Some(b',') => self.at += 1,
            // The caller closes, or says that the end came too early.
            None => {}
            Some(b) if b == close => {}
            Some(_) => self.error(expected),
        }
    }

    /// Passes over one value or separator of any kind and depth, without recursion.
    fn pass_over(&mut self) {
        let mut depth = 0_usize;
        while let Some(b) = self.peek() {
            match b {
                b'"' => {
                    let rest = self.bytes.get(self.at + 1..).unwrap_or(&[]);
                    self.at += 1 + string_len(rest).map_or(rest.len(), |n| n + 1);
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                _ => self.at += 1,
            }
            if depth == 0 {
                break;
            }
        }
    }
}

// Small parts of reading JSON trees: where texts end, what is a number, how much room lists get.

/// Most room that is made before elements are there.
const ROOM: usize = 32;

/// A list with room for as many elements as the last one had.
fn room<T>(like: usize) -> Vec<T> {
    Vec::with_capacity(like.min(ROOM))
}

/// Gives back room that was not needed.
fn fitted<T>(mut list: Vec<T>) -> Vec<T> {
    if list.len() < list.capacity() / 2 {
        list.shrink_to_fit();
    }
    list
}

/// Length up to which a text is short.
const SHORT: usize = 16;

/// How many bytes stand before the closing quote; `None` when there is none.
fn string_len(rest: &[u8]) -> Option<usize> {
    // Most names and values are short: looking at their bytes is faster than preparing a search.
    let mut at = 0;
    for &b in rest.iter().take(SHORT) {
        match b {
            b'"' => return Some(at),
            b'\\' => break,
            _ => at += 1,
        }
    }
    loop {
        at += memchr::memchr2(b'"', b'\\', rest.get(at..)?)?;
        if rest.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// Whether a word is a number of JSON or one of the three that JSON lacks; a leading `+` and `.5` are taken too.
fn is_number(word: &[u8]) -> bool {
    let body = match word {
        [b'-' | b'+', rest @ ..] => rest,
        _ => word,
    };
    // Nearly all are digits, or digits with a point among them.
    let whole = body.iter().take_while(|b| b.is_ascii_digit()).count();
    match body.get(whole..) {
        Some([]) if 0 < whole => return true,
        Some([b'.', fraction @ ..]) if 0 < whole && fraction.iter().all(u8::is_ascii_digit) => return true,
        _ => {}
    }
    matches!(body, b"NaN" | b"Infinity")
        || (body.iter().any(u8::is_ascii_digit)
            && matches!(body.first(), Some(b'0'..=b'9' | b'.'))
            && std::str::from_utf8(word).is_ok_and(|text| text.parse::<f64>().is_ok()))
}
