//! Rows as they nearly always are, read without making a tree of them: names, texts, numbers, lists of numbers. Half a
//! million instructions are read in a third of the time.
//!
//! What is not as usual is refused before anything is taken from it: then the row becomes a tree like any other JSON.

use crate::input::json::scan::{Members, blanks, is_end, unquoted};
use crate::input::json::{Json, parse};
use crate::systems::ascend::reader::field::number;

/// One member of a row.
#[allow(missing_docs)] // the names say it
pub struct Member<'a> {
    pub name: &'a str,
    pub value: Value<'a>,
}

/// Its value.
pub enum Value<'a> {
    /// A text or a number.
    Plain(Json<'a>),
    /// A list of numbers, with its brackets.
    Numbers(&'a [u8]),
    /// Anything else that is whole JSON.
    Tree(Json<'a>),
}

/// The members of a row; `None` when it is not whole JSON, or has texts with escapes.
pub fn members(text: &[u8]) -> Option<Vec<Member<'_>>> {
    let mut all = Members::new(text);
    let mut list = Vec::with_capacity(16);
    for (name, raw) in all.by_ref() {
        list.push(Member { name: plain(name)?, value: value(raw)? });
    }
    all.is_whole().then_some(list)
}

/// A text without escapes.
fn plain(raw: &[u8]) -> Option<&str> {
    let text = unquoted(raw);
    if text.contains(&b'\\') { None } else { std::str::from_utf8(text).ok() }
}

fn value(raw: &[u8]) -> Option<Value<'_>> {
    match raw.first()? {
        b'"' => Some(Value::Plain(Json::String(plain(raw)?.into()))),
        b'0'..=b'9' | b'-' if token(raw)? == raw.len() => {
            Some(Value::Plain(Json::Number(std::str::from_utf8(raw).ok()?)))
        }
        b'[' if numbers(raw, |_| {}).is_some() => Some(Value::Numbers(raw)),
        _ => {
            let (json, errors) = parse(raw, 0);
            errors.is_empty().then_some(Value::Tree(json))
        }
    }
}

/// How long the number is that the bytes begin with: digits, with a sign and a point at most.
fn token(bytes: &[u8]) -> Option<usize> {
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let digits = |at: usize| {
        let rest = bytes.get(at..).unwrap_or(&[]);
        rest.iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let whole = digits(sign);
    if whole == 0 {
        return None;
    }
    let end = sign + whole;
    if bytes.get(end) != Some(&b'.') {
        return Some(end);
    }
    let fraction = digits(end + 1);
    (0 < fraction).then_some(end + 1 + fraction)
}

/// Hands over the numbers of a list, negative ones as NaN; `None` when it holds anything else.
pub fn numbers(raw: &[u8], mut each: impl FnMut(f64)) -> Option<()> {
    let mut at = blanks(raw, 1);
    if raw.get(at) == Some(&b']') {
        return Some(());
    }
    loop {
        let rest = raw.get(at..)?;
        let len = token(rest)?;
        let text = rest.get(..len)?;
        if !rest.get(len).is_some_and(|&b| is_end(b)) {
            return None;
        }
        // Negative numbers stand for no value.
        let value = if text.first() == Some(&b'-') { None } else { number(std::str::from_utf8(text).ok()?) };
        each(value.unwrap_or(f64::NAN));
        at = blanks(raw, at + len);
        match raw.get(at)? {
            b',' => at = blanks(raw, at + 1),
            b']' => return Some(()),
            _ => return None,
        }
    }
}
