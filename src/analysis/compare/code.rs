//! One metric column of a listing against the same of another document.
//!
//! ```text
//! source        a line meets the same line when its text is the same; lines that moved meet by their text,
//!               the n-th of a text the n-th; where one side has no text, lines meet by their number alone
//! instructions  an instruction meets the one at the same distance from the first, when its text is the same
//! ```

use super::{join, percent};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::code::{Listing, ListingKind};

/// Bytes of one packed row.
const PACKED: usize = 24;

/// What the other document must know of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodeRow {
    /// Line from 0, or the distance from the first address.
    pub place: u64,
    /// What its text comes to, without blanks at its ends; 0 when there is no text.
    pub text: u64,
    /// Its value; NaN is missing.
    pub value: f64,
}

/// The column of another document beside the rows of a listing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JoinedCode {
    /// For each row of the comparison what it meets in the baseline.
    pub rows: Vec<BaselineMatch>,
    /// Rows with a value that only the comparison has.
    pub n_new: usize,
    /// Rows with a value that only the baseline has.
    pub n_gone: usize,
}

/// What a row meets in the baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum BaselineMatch {
    /// There is no such row.
    #[default]
    Nothing,
    /// The row without a value.
    Empty,
    Value(f64),
}

/// The rows of a column. Costs a pass over the listing.
pub fn rows(listing: &Listing, column: usize, core: usize) -> Vec<CodeRow> {
    let first = listing.address.first().copied().unwrap_or(0);
    let column = listing.columns.get(column);
    let row = |at: usize| {
        let place = listing.address.get(at).map_or(at as u64, |address| address.wrapping_sub(first));
        let text = if listing.has_text { hash(listing.lines.get(at)) } else { 0 };
        let value = column.and_then(|c| c.number(at, core)).filter(|v| 0.0 <= *v).unwrap_or(f64::NAN);
        CodeRow { place, text, value }
    };
    (0..listing.lines.len()).map(row).collect()
}

/// Rows as bytes: place, text, bits of the value, each eight bytes from the lowest.
pub fn pack(rows: &[CodeRow]) -> Vec<u8> {
    let mut out = Vec::with_capacity(rows.len() * PACKED);
    for row in rows {
        for word in [row.place, row.text, row.value.to_bits()] {
            out.extend_from_slice(&word.to_le_bytes());
        }
    }
    out
}

/// The rows of some bytes; a rest that is no whole row is left out.
pub fn unpack(bytes: &[u8]) -> Vec<CodeRow> {
    let word = |row: &[u8], at: usize| {
        let bytes = row.get(at * 8..at * 8 + 8).and_then(|b| b.try_into().ok());
        u64::from_le_bytes(bytes.unwrap_or_default())
    };
    let row =
        |row: &[u8]| CodeRow { place: word(row, 0), text: word(row, 1), value: f64::from_bits(word(row, 2)) };
    bytes.chunks_exact(PACKED).map(row).collect()
}

/// Joins the rows of two listings of one kind. Costs the rows of both.
pub fn rows_met(kind: ListingKind, baseline: &[CodeRow], comparison: &[CodeRow]) -> JoinedCode {
    let has_texts = |rows: &[CodeRow]| rows.iter().any(|r| r.text != 0);
    let by_text = has_texts(baseline) && has_texts(comparison);
    let key = |row: &CodeRow| (row.place, if by_text { row.text } else { 0 });
    let keys = |rows: &[CodeRow]| rows.iter().map(key).collect::<Vec<_>>();
    let mut met: Vec<Option<usize>> = vec![None; comparison.len()];
    let mut is_used = vec![false; baseline.len()];
    take(&mut met, &mut is_used, join(&keys(baseline), &keys(comparison)));
    if by_text && kind == ListingKind::Source {
        let left: Vec<usize> = (0..baseline.len()).filter(|&i| !is_used[i]).collect();
        let open: Vec<usize> = (0..comparison.len()).filter(|&i| met[i].is_none()).collect();
        let text = |rows: &[CodeRow], at: &[usize]| at.iter().map(|&i| rows[i].text).collect::<Vec<_>>();
        let pairs = join(&text(baseline, &left), &text(comparison, &open));
        let pairs = pairs.into_iter().map(|(i, j)| (i.map(|i| left[i]), j.map(|j| open[j])));
        take(&mut met, &mut is_used, pairs.collect());
    }
    let row = |at: &Option<usize>| match at.and_then(|at| baseline.get(at)) {
        None => BaselineMatch::Nothing,
        Some(row) if row.value.is_nan() => BaselineMatch::Empty,
        Some(row) => BaselineMatch::Value(row.value),
    };
    let rows: Vec<BaselineMatch> = met.iter().map(row).collect();
    let is_new =
        |(row, met): &(&CodeRow, &BaselineMatch)| !row.value.is_nan() && **met == BaselineMatch::Nothing;
    JoinedCode {
        n_new: comparison.iter().zip(&rows).filter(is_new).count(),
        n_gone: baseline.iter().zip(&is_used).filter(|(row, used)| !**used && !row.value.is_nan()).count(),
        rows,
    }
}

fn take(met: &mut [Option<usize>], is_used: &mut [bool], pairs: Vec<(Option<usize>, Option<usize>)>) {
    for pair in pairs {
        if let (Some(old), Some(new)) = pair {
            met[new] = Some(old);
            is_used[old] = true;
        }
    }
}

/// A difference to a row of the baseline as it is written: with its sign and, behind it, in percent of the baseline; what
/// only one side has is said in a word.
pub fn difference_text(value: Option<f64>, met: BaselineMatch, decimals: usize, unit: &Unit) -> String {
    match (value, met) {
        (Some(new), BaselineMatch::Value(old)) => {
            let sign = if old < new { "+" } else { "" };
            let text = format!("{sign}{}", number::fixed(new - old, decimals));
            match percent(old, new, unit) {
                percent if percent.is_empty() => text,
                percent => format!("{text} ({percent})"),
            }
        }
        (Some(_), BaselineMatch::Nothing) => phrase("added").to_owned(),
        (Some(_), BaselineMatch::Empty) | (None, BaselineMatch::Value(_)) => number::MISSING.to_owned(),
        (None, _) => String::new(),
    }
}

/// FNV-1a of a text without blanks at its ends; never 0.
fn hash(text: &str) -> u64 {
    let step = |h: u64, b: u8| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
    text.trim().bytes().fold(0xcbf2_9ce4_8422_2325, step).max(1)
}
