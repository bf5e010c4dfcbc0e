//! The reading of a text: two passes over its lines.

mod dump;
mod lines;
pub(super) mod row;
mod rows;

pub(super) use row::{detail, priority};

use super::collect::Options;
use super::survey::{SIGNS, Survey};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Set;
use crate::format::sink::Sink;
use crate::format::{Reading, Want};
use crate::input::bundle::{Bundle, EntryId};
use lines::{Block, Splitter};
use memchr::memmem::Finder;
use memchr::{memchr2, memrchr, memrchr2};
use row::{fields, is_mark, unquoted};
use rows::Rows;
use std::hash::Hasher;

/// A text being read.
pub(crate) struct Text {
    entry: EntryId,
    state: State,
}

enum State {
    Begin,
    Survey(Box<Looking>),
    Rows(Box<Rows>),
    Done,
}

impl Text {
    pub(crate) fn new(entry: EntryId) -> Self {
        Self { entry, state: State::Begin }
    }
}

impl Reading for Text {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        let Some(entry) = bundle.get(self.entry) else {
            let kind = Kind::Io { message: "the file is gone".to_owned() };
            return Err(Fault::new("SYS-GONE", Severity::Fatal, Place::default(), kind));
        };
        let all = Want::Stream { entry: self.entry, range: 0..entry.source.len() };
        match std::mem::replace(&mut self.state, State::Done) {
            State::Begin => {
                sink.step = "Analyzing NNAPI";
                self.state = State::Survey(Box::default());
                Ok(all)
            }
            State::Survey(mut looking) => {
                sink.step = "Reading events";
                let group = if sink.is_shared { bundle.short(self.entry).to_owned() } else { String::new() };
                let options =
                    Options { entry: self.entry.0, path: entry.path.clone(), group, is_general: false };
                let survey = looking.finish();
                let named = std::mem::take(&mut looking.seen.named);
                self.state = State::Rows(Box::new(Rows::new(options, survey, named, sink)));
                Ok(all)
            }
            State::Rows(mut rows) => {
                if rows.finish(sink) {
                    return Ok(Want::Done);
                }
                self.state = State::Rows(rows);
                Ok(Want::Again)
            }
            State::Done => Ok(Want::Done),
        }
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        match &mut self.state {
            State::Survey(looking) => looking.feed(chunk),
            State::Rows(rows) => rows.feed(chunk, sink),
            State::Begin | State::Done => {}
        }
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        let fed = match &self.state {
            State::Survey(looking) => looking.lines.fed(),
            State::Rows(rows) => rows.fed(),
            State::Begin | State::Done => return None,
        };
        Some((self.entry, fed))
    }
}

/// The first pass: only lines with a sign of NNAPI are read.
#[derive(Default)]
struct Looking {
    lines: Splitter,
    seen: Seen,
}

/// What the first pass knows.
struct Seen {
    signs: [Finder<'static>; SIGNS.len()],
    survey: Survey,
    /// Lines that were looked at, without their processor and time: the same scopes come again and again.
    known: Set<u64>,
    write: Finder<'static>,
    /// Where lines begin that hold one of [`NAMES`], ascending.
    named: Vec<u64>,
    names: [Finder<'static>; NAMES.len()],
}

impl Default for Seen {
    fn default() -> Self {
        Self {
            signs: SIGNS.map(Finder::new),
            survey: Survey::default(),
            known: Set::default(),
            write: Finder::new(WRITE),
            named: Vec::new(),
            names: [Finder::new(b"[NN_"), Finder::new(b"HIDL::IDevice")],
        }
    }
}

impl Looking {
    fn feed(&mut self, chunk: &[u8]) {
        let seen = &mut self.seen;
        self.lines.feed(chunk, &mut |block| seen.block(&block));
    }

    fn finish(&mut self) -> Survey {
        let seen = &mut self.seen;
        self.lines.finish(&mut |block| seen.block(&block));
        std::mem::take(&mut seen.survey)
    }
}

impl Seen {
    fn block(&mut self, block: &Block) {
        let (bytes, first) = (block.bytes, self.named.len());
        for (n, sign) in self.signs.iter().enumerate() {
            let mut from = 0;
            while let Some(at) = bytes.get(from..).and_then(|rest| sign.find(rest)).map(|at| at + from) {
                let (before, behind) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
                let start = memrchr2(b'\n', b'\r', before).map_or(0, |end| end + 1);
                let end = memchr2(b'\n', b'\r', behind).map_or(bytes.len(), |n| at + n);
                let line = bytes.get(start..end).unwrap_or(&[]);
                let key = key(&self.write, line).filter(|_| self.known.len() < MOST_KNOWN);
                if key.is_none_or(|key| self.known.insert(key)) {
                    line_with_sign(line, &mut self.survey);
                }
                if let Some((around, name)) = NAMES.get(n).zip(self.names.get(n)) {
                    // Mostly the sign found is part of the name.
                    let is_here = before.ends_with(around.0)
                        && behind.get(sign.needle().len()..).is_some_and(|rest| rest.starts_with(around.1));
                    if is_here || name.find(line).is_some() {
                        self.named.push(block.start + start as u64);
                    }
                }
                from = end;
            }
        }
        // A line may have both names.
        let mut added = self.named.split_off(first);
        added.sort_unstable();
        added.dedup();
        self.named.append(&mut added);
    }
}

/// What tells lines apart but for their processor, flags and time; `None` for a line of another form than
/// `task-pid (tgid) [cpu] flags time: tracing_mark_write: mark`.
fn key(write: &Finder, line: &[u8]) -> Option<u64> {
    let colon = write.find(line.get(..MOST_BEFORE_MARK.min(line.len()))?)?;
    let mark = line.get(colon + WRITE.len()..)?;
    let mut rest = line.get(..colon)?;
    // Time and flags.
    for _ in 0..2 {
        let blank = memrchr(b' ', rest)?;
        rest = rest.get(..blank)?.trim_ascii_end();
    }
    let (thread, processor) = rest.split_at_checked(memrchr(b' ', rest)?)?;
    let is_processor = processor.starts_with(b" [") && processor.ends_with(b"]");
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(thread);
    hasher.write_u8(0xff);
    hasher.write(mark);
    is_processor.then(|| hasher.finish())
}

/// Names that the AOSP parser looks for in lines: what stands before and behind the first and the second of [`SIGNS`]. So
/// lines with a name are known after the first pass.
const NAMES: [(&[u8], &[u8]); 2] = [(b"", b"_"), (b"HIDL::", b"")];

/// What stands before a mark.
const WRITE: &[u8] = b": tracing_mark_write: ";

/// Most lines that are remembered.
const MOST_KNOWN: usize = 1 << 16;

/// Bytes in which the beginning of a usual row ends.
const MOST_BEFORE_MARK: usize = 160;

/// Tells the survey of a line.
fn line_with_sign(line: &[u8], survey: &mut Survey) {
    let found = || fields(line).filter(|fields| is_mark(fields.event));
    if let Some(parts) = super::aosp::parts(line) {
        let tgid = parts.tgid.filter(|tgid| !tgid.contains('-'));
        let tgid = tgid.or_else(|| found().map(|fields| fields.tgid)).unwrap_or("");
        survey.row(parts.pid, tgid, &String::from_utf8_lossy(unquoted(parts.mark)));
    } else if let Some(fields) = found()
        && matches!(fields.rest.first(), Some(b'B' | b'E'))
    {
        survey.row(fields.pid, fields.tgid, &String::from_utf8_lossy(fields.rest));
    }
}
