//! Values of blocks as values of answers: digits, texts and orders stay as the file has them.

use crate::input::json::{Digits, Json};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use std::borrow::Cow;

/// A number, or a text that is one, as a number; null for everything else.
pub(super) struct Number<'a>(pub(super) Option<&'a Json<'a>>);

impl Serialize for Number<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(value) if value.as_f64().is_some() => {
                Digits(value.as_text().unwrap_or_default()).serialize(to)
            }
            _ => to.serialize_none(),
        }
    }
}

/// A row with names that only the file knows, in the order of the file.
pub(super) struct Members<'a>(pub(super) Vec<(&'a str, Cell<'a>)>);

/// One value of such a row.
pub(super) enum Cell<'a> {
    /// As the file has it.
    Plain(&'a Json<'a>),
    /// As a number, where it is one; else as the file has it.
    Number(&'a Json<'a>),
    /// Pairs of addresses.
    Ranges(Ranges<'a>),
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (name, cell) in &self.0 {
            match cell {
                Cell::Number(value) if value.as_f64().is_some() => {
                    map.serialize_entry(name, &Number(Some(value)))?;
                }
                Cell::Plain(value) | Cell::Number(value) => map.serialize_entry(name, value)?,
                Cell::Ranges(ranges) => map.serialize_entry(name, ranges)?,
            }
        }
        map.end()
    }
}

/// Ranges of addresses: lists of two texts; what is no pair is left out, as the vendor's viewer does.
pub(super) struct Ranges<'a>(pub(super) Option<&'a Json<'a>>);

impl Serialize for Ranges<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(None)?;
        for range in self.0.map_or(&[][..], Json::items) {
            if let [from, to] = range.items() {
                list.serialize_element(&[text(from), text(to)])?;
            }
        }
        list.end()
    }
}

/// A scalar as text with the digits of the file; empty for lists, objects and null.
pub(super) fn text<'a>(value: &'a Json<'a>) -> &'a str {
    value.as_text().unwrap_or_default()
}

/// The member of this name as text; empty when it is missing.
pub(super) fn text_of<'a>(object: &'a Json<'a>, name: &str) -> &'a str {
    member(object, name).map_or("", text)
}

/// The elements of a member as texts.
pub(super) fn texts_of<'a>(object: &'a Json<'a>, name: &str) -> Vec<&'a str> {
    match object.get(name) {
        Some(Json::Array(items)) => items.iter().map(text).collect(),
        Some(one) if !text(one).is_empty() => vec![text(one)],
        _ => Vec::new(),
    }
}

/// The elements of the first of these members that is a list: blocks have two spellings.
pub(super) fn items_of<'a>(object: &'a Json<'a>, names: &[&str]) -> &'a [Json<'a>] {
    let lists = names.iter().filter_map(|name| object.get(name));
    lists.map(Json::items).find(|items| !items.is_empty()).unwrap_or(&[])
}

/// A member of an object, or of what stands for one: a list of pairs, `["hit", 13, "miss", 64]`, `[["hit", 13], …]` or
/// `[{"hit": 13}, …]`.
pub(super) fn member<'a>(object: &'a Json<'a>, name: &str) -> Option<&'a Json<'a>> {
    let Json::Array(items) = object else { return object.get(name) };
    let pairs = items.iter().find_map(|item| match item {
        Json::Array(pair) => match &pair[..] {
            [key, value] if key.as_str() == Some(name) => Some(value),
            _ => None,
        },
        item => item.get(name),
    });
    let flat = || {
        items.chunks(2).find_map(|pair| match pair {
            [key, value] if key.as_str() == Some(name) => Some(value),
            _ => None,
        })
    };
    pairs.or_else(flat)
}

/// The words of the design document for kinds of cores, `aic` and `aiv1`, as files write them: `cube`, `vector1`.
pub(super) fn kind_of_core(word: &str) -> Cow<'_, str> {
    for (short, long) in [("aic", "cube"), ("aiv", "vector")] {
        if let Some(number) = word.strip_prefix(short)
            && number.bytes().all(|b| b.is_ascii_digit())
        {
            return Cow::Owned(format!("{long}{number}"));
        }
    }
    Cow::Borrowed(word)
}

/// The texts without those that were there before.
pub(super) fn distinct(texts: Vec<&str>) -> Vec<&str> {
    let mut kept: Vec<&str> = Vec::with_capacity(texts.len());
    for text in texts {
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}
