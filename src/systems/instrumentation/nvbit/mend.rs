//! Records that other output was printed into: the program that is traced writes to the same place.
//!
//! ```text
//! MEMTRACE: CTX 0x… - LDG.E - 0x00007ff412a00890 0x00007fstep 7 done⏎
//! f412a00894 0x00007ff412a00898 …
//! ```
//! What is left when the foreign bytes are cut out must be a whole record.

use super::line::{Access, MARK};
use memchr::memchr;
use memchr::memmem;
use std::ops::Range;

/// Bytes behind a broken line that are searched for the rest of it.
const REACH: usize = 2048;
/// Longest record: the dialect with data has some 1,700 bytes.
const LONGEST: usize = 4096;
/// Foreign bytes that are cut out at most.
const FOREIGN: usize = 1024;
/// Foreign bytes that may look like bytes of the record.
const ALIKE: usize = 8;
/// Longest field or value: the foreign bytes may begin anywhere in it.
const FIELD: usize = 64;
/// Cuts that are tried on a mebibyte of text, so that damage all over a file stays cheap.
pub const TRIES: u32 = 20_000;

/// What stands where a record begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A record of so many bytes.
    Whole(usize),
    /// A record of so many bytes, these of which are foreign; and its text without them.
    Mended(usize, Range<usize>, Vec<u8>),
    /// A record that is wrong at a byte, in a line of so many bytes.
    Broken(usize, usize),
    /// More bytes are needed to tell.
    Cut,
}

/// Reads the record at the start of `bytes` into `access`.
pub(super) fn read(bytes: &[u8], is_last: bool, tries: &mut u32, access: &mut Access) -> Found {
    let end = match memchr(b'\n', bytes.get(..LONGEST).unwrap_or(bytes)) {
        Some(end) => end,
        None if LONGEST <= bytes.len() => LONGEST,
        None if is_last => bytes.len(),
        None => return Found::Cut,
    };
    let line = |end: usize| {
        let line = bytes.get(..end).unwrap_or(bytes);
        line.strip_suffix(b"\r").unwrap_or(line)
    };
    if access.read(line(end)).is_ok() {
        return Found::Whole(end);
    }
    let Some(size) = region(bytes, end, is_last) else { return Found::Cut };
    // The next record may begin in the same line.
    let end = end.min(size);
    match access.read(line(end)) {
        Ok(()) => Found::Whole(end),
        Err(wrong) => match mend(bytes.get(..size).unwrap_or(bytes), wrong, tries, access) {
            Some(mended) => Found::Mended(mended.end, mended.foreign, mended.text),
            None => Found::Broken(end, access.read(line(end)).err().unwrap_or(wrong)),
        },
    }
}

/// The bytes in which the rest of the record must lie that begins at the start of `bytes`, whose first line has `line`
/// bytes; `None` when they have not all arrived.
pub fn region(bytes: &[u8], line: usize, is_last: bool) -> Option<usize> {
    let most = line.saturating_add(REACH);
    let seen = bytes.get(..most.min(bytes.len())).unwrap_or(bytes);
    let next = memmem::find(seen.get(MARK.len()..).unwrap_or(&[]), MARK).map(|at| at + MARK.len());
    match next {
        Some(next) => Some(next),
        // The next record may begin at the very end of what is there.
        None if most + MARK.len() <= bytes.len() || is_last => Some(seen.len()),
        None => None,
    }
}

/// A record that was put together again.
pub struct Mended {
    /// The bytes that were taken for foreign.
    foreign: Range<usize>,
    /// Where the record ends.
    pub end: usize,
    /// What it says without them.
    text: Vec<u8>,
}

/// Cuts foreign bytes out of the record at the start of `region`, which is wrong somewhere in the field or value that
/// begins at byte `wrong`. Then it is in `access`.
pub fn mend(region: &[u8], wrong: usize, tries: &mut u32, access: &mut Access) -> Option<Mended> {
    let end = memchr(b'\n', region).unwrap_or(region.len());
    let froms = || (wrong.saturating_sub(ALIKE).max(MARK.len())..=end.min(wrong + FIELD)).rev();
    // Numbers have a fixed width: when these were reached, the length of the whole is known.
    let len = access.list.filter(|(begin, _)| *begin <= wrong).map(|(_, end)| end);
    let mut joined = Vec::with_capacity(region.len());
    let mut joins = |from: usize, to: usize, tries: &mut u32| -> Option<Mended> {
        let (head, tail) = (region.get(..from)?, region.get(to..)?);
        let line = tail.get(..memchr(b'\n', tail).unwrap_or(tail.len()))?;
        let whole = line.strip_suffix(b"\r").unwrap_or(line);
        // All dialects have 32 numbers of 18 letters, with a blank behind the last.
        let is_len = len.map_or(32 * 18 <= from + whole.len(), |len| from + whole.len() == len);
        let is_end = whole.ends_with(b" ") || (whole.is_empty() && head.ends_with(b" "));
        if !is_len || !is_end || !is_seam(head, whole) {
            return None;
        }
        *tries = tries.checked_sub(1)?;
        joined.clear();
        joined.extend_from_slice(head);
        joined.extend_from_slice(whole);
        // A key that nobody knows is rather made of both.
        let is_whole = access.read(&joined).is_ok() && access.unknown.is_none();
        is_whole.then(|| Mended {
            foreign: from..to,
            end: to + line.len(),
            text: std::mem::take(&mut joined),
        })
    };
    // Most output ends with its line; else the shortest cut that does.
    let lines = memchr::memchr_iter(b'\n', region).map(|at| at + 1);
    let after_lines = lines.map(|to| froms().map(move |from| (from, to)).collect());
    let shortest = (1..=FOREIGN).map(|n| froms().map(move |from| (from, from + n)).collect());
    for cuts in after_lines.chain(shortest) {
        let cuts: Vec<(usize, usize)> = cuts;
        *tries = tries.checked_sub(1)?;
        let mut sound = cuts.into_iter().filter(|(from, to)| from < to && *to <= region.len());
        if let Some(mended) = sound.find_map(|(from, to)| joins(from, to, tries)) {
            return Some(mended);
        }
    }
    None
}

/// Whether two bytes may stand beside each other in a record.
fn is_seam(head: &[u8], tail: &[u8]) -> bool {
    let (Some(a), Some(b)) = (head.last(), tail.first()) else { return tail.is_empty() };
    match a {
        b' ' => !matches!(b, b' ' | b','),
        b',' => b.is_ascii_digit(),
        _ => b.is_ascii_alphanumeric() || matches!(b, b' ' | b',' | b'.' | b'_' | b'(' | b')' | b':'),
    }
}
