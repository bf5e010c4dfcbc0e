//! Trace Event JSON: one array of events, as Chrome's tracing defined it and many tools write it.
//!
//! Written by Chrome and Android, the profilers of `PyTorch`, `TensorFlow` and React Native, `MindStudio`'s operator tools (simulator
//! and on-board timelines, also inside `visualize_data.bin`) and others.
//!
//! ```text
//! {"displayTimeUnit":"ns", "profilingType":"op", "traceEvents":[
//!   {"ph":"X", "name":"MMAD", "pid":"core0.cubecore0", "tid":"CUBE", "ts":0.5, "dur":0.02, "args":{…}}, …]}
//! ```
//!
//! | ph | becomes |
//! |---|---|
//! | X | a slice |
//! | B E | a slice by the rules of `join/pairs.rs`; in operator traces only SET and WAIT, by `join/flags.rs` |
//! | b n e (S T p F) | slices and instants on a track of the id's first name |
//! | T with a `dur` | a state of a thread, as Perfetto reads it: a slice on a track beside the thread |
//! | i I R P | an instant; those of `[memory]` make counters too, by `memory.rs`; `Profile` and `ProfileChunk`, and `P` with a stack (`sf`), are CPU samples, by `sampled.rs` |
//! | s t f | arrows by `join/flows.rs`; so are `bind_id` with `flow_in`, `flow_out` of slices that begin |
//! | C | a counter, each number among the args a series |
//! | M | names, labels and orders of processes and threads |
//! | others | counted, with the reason |
//!
//! `ts` and `dur` are microseconds whatever `displayTimeUnit` says; they are read as decimal text, to the nanosecond.
//! `profilingType` with "op" makes an operator trace: before the events, or behind them in the last 64 KiB of the file.
//! Files without closing bracket, trailing commas and bare arrays are plain; damage costs the events it hits.
//! `samples` with `stackFrames` around the events are CPU samples, by `sampled.rs`.
//! Not read: the meaning of `args` but the number that ties a call to what it launched, by `device/links.rs` (their bytes
//! are read back when asked for); thread clocks.
//!
//! Sources: the document "Trace Event Format" of the Chromium project; for operator traces the specification of their
//! viewer, section 4. Verified on real `PyTorch` profiles, on React Native profiles, and on made operator traces.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![deny(clippy::cast_possible_truncation)]

mod compile;
pub mod detail;
pub(super) mod device;
mod events;
pub mod fields;
pub mod guide;
mod join;
mod memory;
mod meta;
mod outcome;
mod phases;
mod sampled;
mod top;
mod tracks;

pub use detail::detail;
pub use events::{Events, OPERATOR_TERMS, Options, Tally};

use super::System;
use crate::analysis::compare::headline::Quantity;
use crate::analysis::device::has_streams;
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt, found};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::export::ExportInput;
use crate::format::{
    Claim, Degree, Format, Probe, ProbeResult, Reading, Sink, SliceReader, Want, unreadable,
};
use crate::input::json::scan::{Stop, same};
use crate::input::json::stream::{Item, Walk};
use crate::input::json::{has_bad_escape, unescape};
use crate::input::{Bundle, Entry, EntryId, limits, read_range};
use crate::model::id::StrId;
use crate::model::parameter::Values;
use crate::model::strings::Strings;
use fields::{Fields, Key, Layout};
use std::borrow::Cow;

/// The system.
pub static SYSTEM: System = System {
    id: "trace_event",
    title: phrase("Trace Event JSON"),
    formats: &[&FORMAT],
    analyses: &[],
    exports: &[],
    requests: &[],
    color_schemes: &[],
    examples: &[],
    search_prefixes: &[],
    headline: |input| recorded(input).into_iter().collect(),
    guide: &compile::GUIDE,
};

/// The format.
pub static FORMAT: Format = Format {
    id: "trace_event",
    title: "Trace Event JSON",
    written_by: "Chrome, PyTorch profiler, MindStudio operator tools, React Native and many others",
    patterns: &["*.json", "*.json.gz", "*.trace"],
    shows: "Timeline",
    source: "Trace Event Format document of the Chromium project",
    probe: Probe { look: probe_look, join: None },
    parameters: &[],
    read,
    slices: Some(&SLICES),
    mode_note: None,
    operators: None,
};

/// How its slices are read back; containers that hold such events share it.
pub static SLICES: SliceReader = SliceReader {
    detail: |of| detail::detail(of.bytes),
    origin_key: detail::origin_key,
    origin: detail::origin,
    args: Some(detail::args),
};

/// How long a trace without a device is; what devices did is told of any trace.
fn recorded(input: &ExportInput) -> Option<Quantity> {
    let nanos = input.trace.clock.nanos().filter(|_| !has_streams(input.trace))?;
    let is_own = input.formats.iter().all(|format| format.id == FORMAT.id);
    let span = input.trace.span.filter(|_| is_own && !input.formats.is_empty())?;
    let time = (span.dur() as f64 * nanos, Unit::Nanos);
    // A longer recording is no slower program.
    let n = input.trace.n_slices() + input.trace.n_instants() + input.trace.n_samples();
    Some(Quantity::new(phrase("Recorded time"), time, &"", Message::default()).over(n, "events"))
}

fn read(claim: &Claim, _: &Values) -> Box<dyn Reading> {
    let entry = claim.entries.first().map_or(EntryId(u32::MAX), |(entry, _)| *entry);
    Box::new(File { entry, events: None, is_ended: false })
}

/// How much of the end is looked at for what stands behind the events.
const TAIL: u64 = 1 << 16;

/// The folder of a file when it is that of one core, such as `core0.veccore0`: simulators write a trace of each.
fn core_folder(path: &str) -> Option<&str> {
    let folder = path.rsplit('/').nth(1)?;
    folder.strip_prefix("core")?.starts_with(|c: char| c.is_ascii_digit()).then_some(folder)
}

/// One file being read.
struct File {
    entry: EntryId,
    /// The reader, from the first question on.
    events: Option<Events>,
    is_ended: bool,
}

impl Reading for File {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        if let Some(mut events) = self.events.take() {
            if !std::mem::replace(&mut self.is_ended, true) {
                events.end_text(sink);
            }
            if events.settle(sink) {
                self.events = Some(events);
                return Ok(Want::Again);
            }
            events.finish(sink);
            return Ok(Want::Done);
        }
        let Some(entry) = bundle.get(self.entry) else {
            let kind = Kind::Io { message: "the file is gone".to_owned() };
            return Err(Fault::new("TEV-GONE", Severity::Fatal, Place::default(), kind));
        };
        sink.step = "Reading events";
        let len = entry.source.len();
        let tail = read_range(&*entry.source, len.saturating_sub(TAIL)..len).unwrap_or_default();
        let path = entry.path.clone();
        let core = core_folder(&path);
        let group = match (sink.is_shared, core) {
            // Cores of several devices are told apart by the folders above them.
            (true, Some(core)) => {
                bundle.short(self.entry).rsplit_once('/').map_or(core, |(folder, _)| folder)
            }
            (true, None) => bundle.short(self.entry),
            (false, core) => core.unwrap_or(""),
        };
        let (group, is_core) = (group.to_owned(), core.is_some());
        let is_operator = top::ends_as_operator(&tail).then_some(true);
        let options =
            Options { entry: self.entry.0, path, block: Message::default(), is_operator, group, is_core };
        self.events = Some(Events::new(options));
        Ok(Want::Stream { entry: self.entry, range: 0..entry.source.len() })
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        if let Some(events) = &mut self.events {
            let at = events.fed();
            events.feed(chunk, at, sink);
        }
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        self.events.as_ref().map(|events| (self.entry, events.position()))
    }
}

// Names of events, interned: the bytes of a string become a row of the trace's strings.

/// Remembers the last names by their bytes, so that a name that was seen costs a hash and a comparison.
struct Names {
    /// Hash and row, placed by the hash. A row is compared before it is believed.
    recent: Vec<(u64, StrId)>,
}

/// Names that are remembered; a power of two.
const RECENT: usize = 4096;

impl Default for Names {
    fn default() -> Self {
        Self { recent: vec![(0, Strings::EMPTY); RECENT] }
    }
}

/// Something about a name that must be said.
enum Odd {
    /// It is not UTF-8: bad bytes became U+FFFD.
    NotText,
    /// It is too long and was cut.
    Long(usize),
    /// It has escapes that JSON does not have.
    Escape,
}

impl Names {
    /// The row of the text between the quotes where it is remembered, else its hash for [`Self::learn`].
    #[inline]
    fn known(&self, raw: &[u8], strings: &Strings) -> Result<StrId, u64> {
        if raw.is_empty() {
            return Ok(Strings::EMPTY);
        }
        let hash = hash_of(raw);
        match self.recent.get(Self::place(hash)) {
            Some(&(known, id)) if known == hash && same(strings.get(id).as_bytes(), raw) => Ok(id),
            _ => Err(hash),
        }
    }

    /// The row of a text that is not remembered, and what is odd about it.
    #[inline(never)]
    fn learn(&mut self, raw: &[u8], hash: u64, sink: &mut Sink) -> (StrId, Option<Odd>) {
        let (text, odd) = read_names(raw);
        let id = sink.builder.intern(&text);
        if odd.is_none()
            && let Some(recent) = self.recent.get_mut(Self::place(hash))
        {
            // A text with escapes is remembered too; it is only never found, because its bytes differ.
            *recent = (hash, id);
        }
        (id, odd)
    }

    #[inline]
    fn place(hash: u64) -> usize {
        usize::try_from(hash >> 52).unwrap_or(0) % RECENT
    }
}

/// What the bytes between two quotes say, at most [`limits::NAME_BYTES`] of it.
fn read_names(raw: &[u8]) -> (Cow<'_, str>, Option<Odd>) {
    let text = unescape(raw);
    if limits::NAME_BYTES < text.len() {
        let n = text.len();
        let end = text.floor_char_boundary(limits::NAME_BYTES);
        return (Cow::Owned(text.get(..end).unwrap_or("").to_owned()), Some(Odd::Long(n)));
    }
    let is_bad = matches!(text, Cow::Owned(_)) && std::str::from_utf8(raw).is_err();
    let is_odd = matches!(text, Cow::Owned(_)) && !is_bad && has_bad_escape(raw);
    (text, is_bad.then_some(Odd::NotText).or_else(|| is_odd.then_some(Odd::Escape)))
}

impl Odd {
    /// The fault to say at a place; `None` for what is counted and said once.
    fn fault(self, place: crate::base::fault::Place) -> Option<Fault> {
        Some(match self {
            Self::Escape => return None,
            Self::NotText => Fault::new("TEV-NOT-TEXT", Severity::Warning, place, Kind::NotText)
                .note("Invalid bytes are shown as �."),
            Self::Long(asked) => {
                let kind = Kind::Limit {
                    what: "name length".into(),
                    asked: asked as u64,
                    allowed: limits::NAME_BYTES as u64,
                };
                Fault::new("TEV-LONG-NAME", Severity::Warning, place, kind).note("The name is truncated.")
            }
        })
    }
}

/// A hash of bytes, eight at a time; its upper bits are the best ones.
#[inline]
fn hash_of(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = (hash ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR).rotate_left(29);
    }
    // The last eight bytes once more, instead of what is left one by one.
    let tail = bytes.last_chunk::<8>().map_or_else(
        || rest.iter().fold(0, |tail, &b| tail << 8 | u64::from(b)),
        |last| u64::from_le_bytes(*last),
    );
    hash = (hash ^ tail).wrapping_mul(FACTOR);
    (hash ^ (hash >> 29)).wrapping_mul(FACTOR)
}

// Recognizes Trace Event files by their first megabyte: an array of objects that have a phase.

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
fn probe_look(entry: &Entry) -> ProbeResult {
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
            let missed = message("byte {byte}: expected an object or an array, {found}");
            Err((0, missed.with("byte", start).with_message("found", found(excerpt(rest)))))
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
    Err(if seen.is_damaged { (5, message(NO_JSON)) } else { (20, message("traceEvents array missing")) })
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
    // A member of megabytes may stand before the events.
    seen.has_sign |= walk.open_member().is_some_and(|key| SIGNS.contains(&key));
    seen
}
