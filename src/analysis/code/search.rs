//! Text search in a listing.

use crate::model::code::Lines;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Most places that are kept; more are only said.
const HITS: usize = 1_000_000;

/// What is searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchQuery {
    /// The text; empty finds nothing.
    pub text: String,
    /// Whether capitals and small letters differ (of ASCII; others always do).
    pub is_case_sensitive: bool,
    /// Whether letters, digits and `_` must not stand around it.
    pub is_whole_word: bool,
}

/// All places, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Row and first byte in it, ascending.
    pub places: Vec<(u32, u32)>,
    /// Whether there are more than a million.
    pub is_cut: bool,
}

/// All places of a text in lines. Costs a pass over the text.
pub fn find(lines: &Lines, query: &SearchQuery) -> Hits {
    let mut hits = Hits::default();
    for row in 0..lines.len() {
        for range in find_in(lines.get(row), query) {
            if hits.places.len() == HITS {
                hits.is_cut = true;
                return hits;
            }
            hits.places.push((row as u32, range.start as u32));
        }
    }
    hits
}

/// The places of a text in one line, in bytes; they do not overlap.
pub fn find_in(line: &str, query: &SearchQuery) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(start) = next(line, at, &query.text, query.is_case_sensitive) {
        let end = start + query.text.len();
        if !query.is_whole_word || is_word(line, start..end) {
            out.push(start..end);
            at = end;
        } else {
            at = start + line[start..].chars().next().map_or(1, char::len_utf8);
        }
    }
    out
}

/// Whether a text contains another, in any case.
pub(super) fn contains_fold(text: &str, part: &str) -> bool {
    next(text, 0, part, false).is_some()
}

fn next(line: &str, from: usize, text: &str, is_exact: bool) -> Option<usize> {
    let (bytes, part) = (line.as_bytes(), text.as_bytes());
    let first = *part.first()?;
    let mut at = from;
    while at + part.len() <= bytes.len() {
        let rest = &bytes[at..=bytes.len() - part.len()];
        let step = if is_exact {
            memchr::memchr(first, rest)
        } else {
            memchr::memchr2(first.to_ascii_lowercase(), first.to_ascii_uppercase(), rest)
        }?;
        at += step;
        let there = &bytes[at..at + part.len()];
        // The first byte of a match is the first byte of a character, so the range lies on characters.
        if there == part || (!is_exact && there.eq_ignore_ascii_case(part)) {
            return Some(at);
        }
        at += 1;
    }
    None
}

fn is_word(line: &str, range: Range<usize>) -> bool {
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    !line[..range.start].chars().next_back().is_some_and(letter)
        && !line[range.end..].chars().next().is_some_and(letter)
}
