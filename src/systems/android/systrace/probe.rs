//! Recognizes traces of ftrace by their text: rows as the kernel writes them, or the header above them.

use super::text::row::fields;
use crate::base::words::{Message, message};
use crate::format::{Degree, ProbeResult, unreadable};
use crate::input::bundle::Entry;
use crate::input::source::read_range;
use memchr::memmem;

/// How much of a file is looked at first: enough to say no to nearly every other file.
const FIRST: u64 = 4096;

/// How much of a text is looked at.
const HEAD: u64 = 1 << 18;

/// A trace in HTML stands behind its viewer of some megabytes: this much of the page is looked at.
const PAGE: u64 = 16 << 20;

/// In steps of this size.
const WINDOW: u64 = 1 << 20;

/// Begins a trace inside a page.
const SCRIPT: &[u8] = b"<script class=\"trace-data\"";

/// Begins a `trace.dat`, which trace-cmd writes.
const TRACE_DAT: &[u8] = b"\x17\x08\x44tracing";

/// Role of a text.
const TEXT: &str = "trace";

/// How many rows make it certain.
const ROWS: usize = 2;

/// Looks at an entry.
pub(super) fn look(entry: &Entry) -> ProbeResult {
    text(entry).map(|(degree, reason)| (degree, TEXT, reason))
}

/// How sure, and why; or how near, and what is missing.
fn text(entry: &Entry) -> Result<(Degree, Message), (u8, Message)> {
    let read = |n: u64| read_range(&*entry.source, 0..n).map_err(|e| (0, unreadable(&e.0)));
    let first = read(FIRST)?;
    let text = first.trim_ascii_start();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
    match text.first() {
        None => return Err((0, message("expected text, found nothing"))),
        Some(b'<') => return page(entry, text),
        Some(b'{' | b'[') => return Err((0, message("expected ftrace rows, found JSON"))),
        Some(_) if first.starts_with(TRACE_DAT) => {
            return Err((60, message("it is binary: `trace-cmd report` converts it to text")));
        }
        Some(_) => {}
    }
    judge(&first).or_else(|miss| {
        // Words and comments may stand before the first row; other texts are not read further.
        let is_near = text.starts_with(b"#") || memmem::find(&first, b"TRACE:").is_some();
        if is_near { judge(&read(HEAD)?) } else { Err(miss) }
    })
}

/// A page: the trace stands in a script of a class of its own.
fn page(entry: &Entry, head: &[u8]) -> Result<(Degree, Message), (u8, Message)> {
    let is_row =
        head.starts_with(b"<...>-") || head.starts_with(b"<idle>-") || head.starts_with(b"<unknown>-");
    let len = entry.source.len();
    let read = |range| read_range(&*entry.source, range).map_err(|e| (0, unreadable(&e.0)));
    if is_row {
        return judge(&read(0..HEAD)?);
    }
    let mut at = 0;
    while at < len.min(PAGE) {
        let bytes = read(at..at + WINDOW)?;
        if memmem::find(&bytes, SCRIPT).is_some() {
            return Ok((Degree::Certain, message("it has a trace-data script")));
        }
        if memmem::find(&bytes, b"TASK-PID").is_some() && memmem::find(&bytes, b"  FUNCTION").is_some() {
            return Ok((Degree::Likely, message("it has the ftrace header")));
        }
        // What is searched for may lie across the end.
        at += WINDOW - 128;
    }
    Err((10, message("it has no trace-data script")))
}

/// A text: rows are worth more than a header, a header more than nothing.
fn judge(head: &[u8]) -> Result<(Degree, Message), (u8, Message)> {
    let lines = head.split(|b| matches!(b, b'\n' | b'\r'));
    let n = lines.filter(|line| fields(line).is_some()).take(ROWS).count();
    let has_header = memmem::find(head, b"TASK-PID").is_some();
    match (n, has_header) {
        (ROWS, _) => Ok((Degree::Certain, message("its lines are ftrace rows"))),
        (1, _) => Ok((Degree::Likely, message("it has an ftrace row"))),
        (_, true) => Ok((Degree::Likely, message("it has the ftrace header"))),
        (_, false) if head.starts_with(b"# tracer:") || head.starts_with(b"TRACE:") => {
            Ok((Degree::Likely, message("it begins like an ftrace file")))
        }
        _ => Err((5, message("no ftrace rows"))),
    }
}
