//! What passes the filter of a listing: words that a row contains, and terms such as `op:LDG eff<50 block:3`.
//!
//! | term | rows |
//! | --- | --- |
//! | `op:LDG` | whose opcode contains this |
//! | `eff<50` `lanes>=16` | whose number in the column that begins with the name compares so; shares in percent |
//! | `block:3` | whose text in the column that begins with the name is this, or ends with this number |
//!
//! A name is that of a column, or how one of its words begins. What is no term is looked for as it is, blanks included.

use super::fraction;
use crate::model::code::{Cells, Column, Lines, Listing, ListingKind};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::ops::Range;

/// A filter as it is understood for one listing.
pub(super) struct Filter<'a> {
    terms: Vec<Term<'a>>,
    /// What is looked for beside the terms; may be empty.
    rest: String,
}

enum Term<'a> {
    Opcode(&'a str),
    Number { column: usize, compare: &'a str, value: f64 },
    Text { column: usize, value: &'a str },
}

/// Signs of comparison; longer ones first.
const SIGNS: [&str; 5] = ["<=", ">=", "<", ">", "="];

impl<'a> Filter<'a> {
    pub(super) fn of(rows: &Listing, text: &'a str) -> Self {
        let (mut terms, mut others) = (Vec::new(), Vec::new());
        for word in text.split_whitespace() {
            match term(rows, word) {
                Some(term) => terms.push(term),
                None => others.push(word),
            }
        }
        // Without a term the blanks stay as they were typed.
        let rest = if terms.is_empty() { text.to_owned() } else { others.join(" ") };
        Self { terms, rest }
    }

    pub(super) fn passes(&self, rows: &Listing, row: usize, core: usize) -> bool {
        self.terms.iter().all(|term| term.holds(rows, row, core)) && contains(rows, row, core, &self.rest)
    }
}

/// Whether the text, the address or a text column of a row contains something.
fn contains(rows: &Listing, row: usize, core: usize, part: &str) -> bool {
    part.is_empty()
        || contains_fold(rows.lines.get(row), part)
        || rows.address.get(row).is_some_and(|a| contains_fold(&format!("0x{a:x}"), part))
        || rows.columns.iter().any(|c| contains_fold(c.text(row, core), part))
}

fn term<'a>(rows: &Listing, word: &'a str) -> Option<Term<'a>> {
    if let Some((name, value)) =
        word.split_once(':').filter(|(name, value)| !name.is_empty() && !value.is_empty())
    {
        if name.eq_ignore_ascii_case("op") && rows.kind == ListingKind::Assembly {
            return Some(Term::Opcode(value));
        }
        let is_text = |column: &Column| matches!(column.cells, Cells::Texts { .. });
        return column(rows, name, is_text).map(|column| Term::Text { column, value });
    }
    let (at, compare) =
        SIGNS.iter().filter_map(|sign| Some((word.find(sign)?, *sign))).min_by_key(|(at, _)| *at)?;
    let (name, value) = (word.get(..at)?, word.get(at + compare.len()..)?);
    let value = value.strip_suffix('%').unwrap_or(value).replace(',', "").parse().ok()?;
    let is_number = |column: &Column| matches!(column.cells, Cells::Numbers { .. } | Cells::Parts { .. });
    column(rows, name, is_number).map(|column| Term::Number { column, compare, value })
}

/// The column of a name: its whole name, how it begins, or how one of its words does.
fn column(rows: &Listing, name: &str, is_kind: impl Fn(&Column) -> bool) -> Option<usize> {
    let begins = |text: &str| text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
    let all = || rows.columns.iter().enumerate().filter(|(_, column)| is_kind(column));
    let whole = all().find(|(_, column)| column.name.eq_ignore_ascii_case(name));
    let head = || all().find(|(_, column)| begins(&column.name));
    let word = || all().find(|(_, column)| column.name.split(' ').any(begins));
    (!name.is_empty()).then(|| whole.or_else(head).or_else(word)).flatten().map(|(at, _)| at)
}

impl Term<'_> {
    fn holds(&self, rows: &Listing, row: usize, core: usize) -> bool {
        match *self {
            Self::Opcode(part) => contains_fold(opcode(rows.lines.get(row)), part),
            Self::Number { column, compare, value } => {
                let Some(column) = rows.columns.get(column) else { return false };
                let own = column.number(row, core).filter(|own| 0.0 <= *own);
                let own = own.map(|own| fraction(column, own).map_or(own, |share| share * 100.0));
                let order = own.and_then(|own| own.partial_cmp(&value));
                order.is_some_and(|order| match compare {
                    "<" => order == Ordering::Less,
                    "<=" => order != Ordering::Greater,
                    ">" => order == Ordering::Greater,
                    ">=" => order != Ordering::Less,
                    _ => order == Ordering::Equal,
                })
            }
            Self::Text { column, value } => {
                let own = rows.columns.get(column).map_or("", |column| column.text(row, core));
                own.eq_ignore_ascii_case(value)
                    || number(own).is_some_and(|own| Some(own) == whole_number(value))
            }
        }
    }
}

/// The number that a text is.
fn whole_number(text: &str) -> Option<u64> {
    text.parse().ok()
}

/// The number at the end of a text, such as that of `BB3`.
fn number(text: &str) -> Option<u64> {
    whole_number(text.get(text.trim_end_matches(|c: char| c.is_ascii_digit()).len()..)?)
}

/// The first word of an instruction that is not its predicate: `@!P0 LDG R1, …`, `(W&f0.0) send …`.
fn opcode(text: &str) -> &str {
    let is_predicate = |word: &&str| word.starts_with('@') || (word.starts_with('(') && word.ends_with(')'));
    text.split_whitespace().find(|word| !is_predicate(word)).unwrap_or("")
}

// Text search in a listing.

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
fn contains_fold(text: &str, part: &str) -> bool {
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
