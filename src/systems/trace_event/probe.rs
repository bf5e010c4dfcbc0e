//! Recognizes Trace Event files by their first megabyte: an array of objects that have a phase.

use super::fields::{Fields, Key, Layout};
use crate::base::fault::excerpt;
use crate::base::words::{message, phrase};
use crate::format::{Degree, ProbeResult, unreadable};
use crate::input::bundle::Entry;
use crate::input::json::scan::Stop;
use crate::input::json::stream::{Item, Walk};
use crate::input::source::read_range;

/// How much of a file is looked at.
const HEAD: u64 = 1 << 20;

/// How much is looked at first: enough to say no to nearly every other file.
const FIRST: u64 = 4096;

/// Role of a file.
const EVENTS: &str = "events";

const NO_JSON: &str = phrase("it is not JSON");

/// How many elements are looked at.
const ELEMENTS: usize = 16;

/// Members that stand before the events of known writers; with one of them a file is worth reading though its events
/// begin later.
const SIGNS: [&str; 8] = [
    "displayTimeUnit",
    "profilingType",
    "schemaVersion",
    "deviceProperties",
    "systemTraceEvents",
    "stackFrames",
    "otherData",
    "traceEvents",
];

/// How sure, and why; or how near, and what is missing.
pub(super) fn look(entry: &Entry) -> ProbeResult {
    let read = |n: u64| read_range(&*entry.source, 0..n).map_err(|e| (0, unreadable(&e.0)));
    let head = read(FIRST)?;
    let start = head.iter().position(|b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t' | 0xEF | 0xBB | 0xBF));
    let Some(start) = start else {
        return Err((0, message("expected an object or an array, found nothing")));
    };
    let rest = head.get(start..).unwrap_or(&[]);
    match rest.first() {
        Some(b'{' | b'[') => judge(&read(HEAD)?, entry.source.len()),
        _ => {
            let missed = message("byte {byte}: expected an object or an array, found {found}");
            Err((0, missed.with("byte", start).with("found", excerpt(rest))))
        }
    }
}

/// What the walk over the head saw.
#[derive(Default)]
struct Seen {
    has_begun: bool,
    has_sign: bool,
    elements: usize,
    with_phase: usize,
    is_damaged: bool,
}

fn judge(head: &[u8], size: u64) -> ProbeResult {
    let seen = walk(head);
    let is_bare = memchr::memmem::find(head, b"\"traceEvents\"").is_none();
    if 0 < seen.with_phase {
        let reason = if is_bare {
            message("{n} of the first {m} elements of the array have a phase")
        } else {
            message("{n} of the first {m} elements of traceEvents have a phase")
        };
        let reason = reason.with("n", seen.with_phase).with("m", seen.elements);
        return Ok((Degree::Certain, EVENTS, reason));
    }
    if seen.has_begun && !is_bare {
        return Ok((Degree::Likely, EVENTS, message("it has a traceEvents array")));
    }
    if seen.has_begun && seen.elements == 0 && (head.len() as u64) < size {
        return Err((40, message("the first element is longer than 1 MB")));
    }
    if seen.has_begun && seen.elements == 0 {
        let missed = if seen.is_damaged { message(NO_JSON) } else { message("the array has no objects") };
        return Err((5, missed));
    }
    if seen.has_begun {
        return Err((30, message("the array's objects have no phase (ph)")));
    }
    if seen.has_sign && (head.len() as u64) < size {
        return Ok((Degree::Likely, EVENTS, message("it starts with trace members")));
    }
    Err(if seen.is_damaged { (5, message(NO_JSON)) } else { (20, message("there is no traceEvents array")) })
}

fn walk(head: &[u8]) -> Seen {
    let mut seen = Seen::default();
    let mut walk = Walk::new("traceEvents");
    let (mut layout, mut fields) = (Layout::default(), Fields::default());
    let mut at = 0;
    while seen.elements < ELEMENTS {
        let (used, item) = walk.next(head.get(at..).unwrap_or(&[]));
        at += used;
        match item {
            Item::Need => break,
            Item::Begin => seen.has_begun = true,
            Item::End => {}
            Item::Member { key, .. } => seen.has_sign |= SIGNS.contains(&key.as_str()),
            Item::Damage { .. } => seen.is_damaged = true,
            Item::Element => {
                let rest = head.get(at..).unwrap_or(&[]);
                match layout.read(rest, &mut fields) {
                    Ok(len) => {
                        seen.elements += 1;
                        let phase = fields.text(rest, Key::Ph);
                        seen.with_phase += usize::from(phase.len() == 1);
                        walk.took();
                        at += len;
                    }
                    Err(Stop::Cut) => break,
                    Err(Stop::Bad { at: offset, .. }) => {
                        seen.is_damaged = true;
                        walk.damaged(rest.get(..offset).unwrap_or(&[]));
                        at += offset;
                    }
                }
            }
        }
    }
    seen
}
