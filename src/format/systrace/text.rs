//! The reading of a text: two passes over its lines.

use super::classic::Classic;
use super::collect::{Collector, Options, Row, RowPlace};
use super::decode::Decoder;
use super::lines::{Block, Line, Needle, Splitter};
use super::row::{Fields, fields};
use super::survey::{SIGNS, Survey};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::time::{Ticks, scaled_from_decimal};
use crate::format::sink::Sink;
use crate::format::{Reading, Want};
use crate::input::bundle::{Bundle, EntryId};
use crate::model::mark::Refusal;
use memchr::memmem::Finder;
use memchr::{memchr2, memrchr2};
use std::borrow::Cow;

/// A text being read.
pub(super) struct Text {
    entry: EntryId,
    state: State,
}

enum State {
    Begin,
    Survey(Looking),
    Rows(Box<Rows>),
    Done,
}

impl Text {
    pub(super) fn new(entry: EntryId) -> Self {
        Self { entry, state: State::Begin }
    }
}

impl Reading for Text {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        let Some(entry) = bundle.get(self.entry) else {
            let kind = Kind::Io { message: "the file is not there any more".to_owned() };
            return Err(Fault::new("SYS-GONE", Severity::Fatal, Place::default(), kind));
        };
        let all = Want::Stream { entry: self.entry, range: 0..entry.source.len() };
        match std::mem::replace(&mut self.state, State::Done) {
            State::Begin => {
                sink.step = "Searching for NNAPI";
                self.state = State::Survey(Looking::default());
                Ok(all)
            }
            State::Survey(mut looking) => {
                sink.step = "Reading events";
                let group = if sink.is_shared { bundle.short(self.entry).to_owned() } else { String::new() };
                let options = Options { entry: self.entry.0, path: entry.path.clone(), group };
                self.state = State::Rows(Box::new(Rows::new(options, looking.finish(), sink)));
                Ok(all)
            }
            State::Rows(rows) => {
                rows.finish(sink);
                Ok(Want::Done)
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
            State::Rows(rows) => rows.lines.fed(),
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
}

impl Default for Seen {
    fn default() -> Self {
        Self { signs: SIGNS.map(|sign| Finder::new(sign)), survey: Survey::default() }
    }
}

impl Looking {
    fn feed(&mut self, chunk: &[u8]) {
        let seen = &mut self.seen;
        self.lines.feed(chunk, &mut |block| seen.block(block.bytes));
    }

    fn finish(&mut self) -> Survey {
        let seen = &mut self.seen;
        self.lines.finish(&mut |block| seen.block(block.bytes));
        std::mem::take(&mut seen.survey)
    }
}

impl Seen {
    fn block(&mut self, bytes: &[u8]) {
        for sign in &self.signs {
            let mut from = 0;
            while let Some(at) = bytes.get(from..).and_then(|rest| sign.find(rest)).map(|at| at + from) {
                let (before, behind) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
                let start = memrchr2(b'\n', b'\r', before).map_or(0, |end| end + 1);
                let end = memchr2(b'\n', b'\r', behind).map_or(bytes.len(), |n| at + n);
                line_with_sign(bytes.get(start..end).unwrap_or(&[]), &mut self.survey);
                from = end;
            }
        }
    }
}

/// Tells the survey of a line.
fn line_with_sign(line: &[u8], survey: &mut Survey) {
    let found = fields(line).filter(|fields| is_mark(fields.event));
    if let Some(parts) = super::classic::parts(line) {
        let tgid = parts.tgid.filter(|tgid| !tgid.contains('-'));
        let tgid = tgid.or(found.map(|fields| fields.tgid)).unwrap_or("");
        survey.row(parts.pid, tgid, &lossy(parts.mark));
    } else if let Some(fields) = found
        && matches!(fields.rest.first(), Some(b'B' | b'E'))
    {
        survey.row(fields.pid, fields.tgid, &lossy(fields.rest));
    }
}

/// Names of the event that holds a mark.
fn is_mark(event: &[u8]) -> bool {
    matches!(event, b"tracing_mark_write" | b"print" | b"0")
}

/// The second pass: every row.
struct Rows {
    lines: Splitter,
    decoder: Decoder,
    reader: Reader,
}

/// What reads the lines of the second pass.
struct Reader {
    classic: Classic,
    collector: Collector,
    number: u32,
    /// Lines that begin or end what the AOSP parser reads.
    borders: [Needle; 2],
    /// Lines that it must be able to read.
    precious: [Needle; 3],
}

impl Rows {
    fn new(options: Options, survey: Survey, sink: &mut Sink) -> Self {
        let reader = Reader {
            classic: Classic::default(),
            collector: Collector::new(options, survey, sink),
            number: 0,
            borders: [Needle::new(b"TASK-PID"), Needle::new(b"</script>")],
            precious: [
                Needle::new(b"tracing_mark_write: "),
                Needle::new(b"[NN_"),
                Needle::new(b"HIDL::IDevice"),
            ],
        };
        Self { lines: Splitter::default(), decoder: Decoder::default(), reader }
    }

    fn feed(&mut self, chunk: &[u8], sink: &mut Sink) {
        self.decoder.feed(chunk);
        let reader = &mut self.reader;
        self.lines.feed(chunk, &mut |block| reader.block(block, sink));
        reader.collector.arrange(sink);
    }

    fn finish(mut self, sink: &mut Sink) {
        let reader = &mut self.reader;
        self.lines.finish(&mut |block| reader.block(block, sink));
        // Python decodes the whole file before the first line is looked at.
        let refusal = self.decoder.finish().or(reader.classic.refusal.take());
        reader.finish(refusal, sink);
    }
}

impl Reader {
    fn block(&mut self, block: Block, sink: &mut Sink) {
        for needle in self.borders.iter_mut().chain(&mut self.precious) {
            needle.rewind(block.bytes);
        }
        for line in block.lines(self.number) {
            self.number = line.number;
            let start = usize::try_from(line.start - block.start).unwrap_or(0);
            let end = start + line.bytes.len();
            let has = |needle: &mut Needle| needle.is_within(block.bytes, start, end);
            if self.borders.iter_mut().fold(false, |any, needle| has(needle) || any) {
                self.classic.border(line.bytes);
            }
            let is_precious = self.precious.iter_mut().fold(false, |any, needle| has(needle) || any);
            self.line(line, is_precious, sink);
        }
    }

    fn line(&mut self, line: Line, is_precious: bool, sink: &mut Sink) {
        let classic = if is_precious { self.classic.row(line.bytes, line.number) } else { None };
        let found = fields(line.bytes);
        let place = RowPlace {
            line: line.number,
            start: line.start,
            len: u32::try_from(line.bytes.len()).unwrap_or(u32::MAX),
        };
        if let Some((parts, process)) = classic {
            let tgid = parts.tgid.filter(|tgid| !tgid.contains('-')).or(found.map(|found| found.tgid));
            let mark = lossy(parts.mark);
            let comm = lossy(parts.task);
            let row = Row {
                pid: parts.pid,
                comm: comm.trim(),
                tgid: tgid.unwrap_or(""),
                time: nanos(parts.time),
                seconds: parts.time.parse().unwrap_or(0.0),
                mark: &mark,
                classic: Some(&process),
                place,
            };
            self.collector.row(&row, sink);
        } else if let Some(found) = found {
            self.found(&found, place, sink);
        }
    }

    /// A row that the AOSP parser does not take.
    fn found(&mut self, found: &Fields, place: RowPlace, sink: &mut Sink) {
        let time = nanos(found.time);
        if is_mark(found.event) && matches!(found.rest.first(), Some(b'B' | b'E')) {
            let mark = lossy(found.rest);
            let row = Row {
                pid: found.pid,
                comm: found.task,
                tgid: found.tgid,
                time,
                seconds: found.time.parse().unwrap_or(0.0),
                mark: &mark,
                classic: None,
                place,
            };
            self.collector.row(&row, sink);
        } else {
            self.collector.time(time);
        }
    }

    fn finish(&mut self, refusal: Option<Refusal>, sink: &mut Sink) {
        self.collector.finish(refusal, sink);
    }
}

fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Seconds as whole nanoseconds.
fn nanos(seconds: &str) -> Ticks {
    scaled_from_decimal(seconds.as_bytes(), 9).unwrap_or(Ticks::MAX)
}
