//! The reading of a text: two passes over its lines.

mod functions;
mod rows;

use super::collect::Options;
use super::{SIGNS, Survey};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Set;
use crate::base::words::phrase;
use crate::format::{Reading, Sink, Want};
use crate::input::{Bundle, EntryId};
use memchr::memmem::Finder;
use memchr::{memchr_iter, memchr2, memmem, memrchr, memrchr2};
use rows::Rows;
use std::hash::Hasher;

/// A text being read.
pub(crate) struct Text {
    entry: EntryId,
    state: TextState,
}

enum TextState {
    Begin,
    Survey(Box<Looking>),
    Rows(Box<Rows>),
    Done,
}

impl Text {
    pub(crate) fn new(entry: EntryId) -> Self {
        Self { entry, state: TextState::Begin }
    }
}

impl Reading for Text {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        let Some(entry) = bundle.get(self.entry) else {
            let kind = Kind::Io { message: "the file is gone".to_owned() };
            return Err(Fault::new("SYS-GONE", Severity::Fatal, Place::default(), kind));
        };
        let all = Want::Stream { entry: self.entry, range: 0..entry.source.len() };
        match std::mem::replace(&mut self.state, TextState::Done) {
            TextState::Begin => {
                sink.step = "Analyzing NNAPI";
                self.state = TextState::Survey(Box::default());
                Ok(all)
            }
            TextState::Survey(mut looking) => {
                sink.step = "Reading events";
                let group = if sink.is_shared { bundle.short(self.entry).to_owned() } else { String::new() };
                let options =
                    Options { entry: self.entry.0, path: entry.path.clone(), group, is_general: false };
                let survey = looking.finish();
                let named = std::mem::take(&mut looking.seen.named);
                self.state = TextState::Rows(Box::new(Rows::new(options, survey, named, sink)));
                Ok(all)
            }
            TextState::Rows(mut rows) => {
                if rows.finish(sink) {
                    return Ok(Want::Done);
                }
                self.state = TextState::Rows(rows);
                Ok(Want::Again)
            }
            TextState::Done => Ok(Want::Done),
        }
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        match &mut self.state {
            TextState::Survey(looking) => looking.feed(chunk),
            TextState::Rows(rows) => rows.feed(chunk, sink),
            TextState::Begin | TextState::Done => {}
        }
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        let fed = match &self.state {
            TextState::Survey(looking) => looking.lines.fed(),
            TextState::Rows(rows) => rows.fed(),
            TextState::Begin | TextState::Done => return None,
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

// One row of ftrace text, read as liberally as people expect.
//
// ```text
//   NeuralNetworks-5143  ( 5143) [005] ...1   142.924145: tracing_mark_write: B|5143|[NN_LR_PE]…
//   task           pid    tgid    cpu   flags time        event               rest
// ```
//
// The task is any text, the process may be missing or dashes, flags of any kind may be missing. Rows of the function
// tracer have no colon: `vfs_read <-ksys_read`.

/// What a row says, as its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fields<'a> {
    /// Name of the thread; may be empty.
    pub(crate) task: &'a str,
    /// Number of the thread.
    pub(crate) pid: &'a str,
    /// Number of the process; empty where the row does not say it.
    pub(crate) tgid: &'a str,
    pub(crate) cpu: u32,
    /// Seconds as decimal text.
    pub(crate) time: &'a str,
    pub(crate) event: &'a [u8],
    /// What follows the event and its colon.
    pub(crate) rest: &'a [u8],
}

/// Dashes that are tried as the one before the thread's number.
const DASHES: usize = 32;

/// A row without what ends it in old pages, where the trace is a string of JavaScript: `\n\`, behind the last row `\n";`.
pub(crate) fn unquoted(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\\n\\").or_else(|| line.strip_suffix(b"\\n\";")).unwrap_or(line)
}

/// Reads a row; `None` when it is none.
pub(crate) fn fields(line: &[u8]) -> Option<Fields<'_>> {
    let line = unquoted(line);
    memchr_iter(b'-', line).take(DASHES).find_map(|dash| {
        let (task, rest) = line.split_at_checked(dash)?;
        behind_task(rest.get(1..)?)
            .map(|fields| Fields { task: std::str::from_utf8(task.trim_ascii()).unwrap_or(""), ..fields })
    })
}

fn behind_task(line: &[u8]) -> Option<Fields<'_>> {
    let (pid, rest) = digits(line)?;
    let mut rest = rest.trim_ascii_start();
    let mut tgid = "";
    if let Some(inner) = rest.strip_prefix(b"(") {
        let inner = inner.trim_ascii_start();
        let n = inner.iter().position(|b| !b.is_ascii_digit() && *b != b'-')?;
        let (text, behind) = inner.split_at_checked(n)?;
        rest = behind.trim_ascii_start().strip_prefix(b")")?.trim_ascii_start();
        let is_number = text.iter().all(u8::is_ascii_digit);
        tgid = std::str::from_utf8(text).ok().filter(|_| is_number).unwrap_or("");
    }
    let (cpu, rest) = digits(rest.strip_prefix(b"[")?)?;
    let rest = rest.strip_prefix(b"]")?.trim_ascii_start();
    let (time, rest) = match time(rest) {
        Some(found) => found,
        None => {
            // Flags.
            let n = rest.iter().take(16).position(|b| *b == b' ')?;
            time(rest.get(n..)?.trim_ascii_start())?
        }
    };
    let rest = rest.trim_ascii_start();
    let colon = rest.iter().take(64).position(|b| *b == b':');
    let n = colon.or_else(|| memmem::find(rest, b" <-"))?;
    let (event, rest) = rest.split_at_checked(n)?;
    let rest = rest.get(1..)?;
    Some(Fields {
        task: "",
        pid,
        tgid,
        cpu: cpu.parse().ok()?,
        time,
        event,
        rest: rest.strip_prefix(b" ").unwrap_or(rest),
    })
}

/// `142.924145:`, its digits and what follows.
fn time(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let whole = bytes.iter().position(|b| !b.is_ascii_digit()).filter(|n| 0 < *n)?;
    let fraction = bytes.get(whole..)?.strip_prefix(b".")?;
    let n = fraction.iter().position(|b| !b.is_ascii_digit()).filter(|n| 0 < *n)?;
    let rest = fraction.get(n..)?.strip_prefix(b":")?;
    Some((std::str::from_utf8(bytes.get(..whole + 1 + n)?).ok()?, rest))
}

/// The digits at the head, at least one, and what follows.
pub(crate) fn digits(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let n = bytes.iter().position(|b| !b.is_ascii_digit()).unwrap_or(bytes.len());
    let (head, rest) = bytes.split_at_checked(n).filter(|_| 0 < n)?;
    Some((std::str::from_utf8(head).ok()?, rest))
}

/// The process that a mark names, `550` of `B|550|text`; empty when it names none.
pub(crate) fn process_of(mark: &str) -> &str {
    let field = mark.split('|').nth(1).unwrap_or("").trim_end();
    if !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit()) { field } else { "" }
}

/// What a row says, by the names of its columns, for a person who asks for it. Empty when the bytes are no row.
pub(crate) fn detail(bytes: &[u8]) -> Vec<(String, String)> {
    let line = bytes.trim_ascii_end();
    let Some(fields) = fields(line) else { return Vec::new() };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let columns = [
        ("TASK", fields.task.to_owned()),
        ("PID", fields.pid.to_owned()),
        ("TGID", fields.tgid.to_owned()),
        ("CPU", fields.cpu.to_string()),
        ("TIMESTAMP", fields.time.to_owned()),
        ("FUNCTION", format!("{}: {}", text(fields.event), text(fields.rest))),
    ];
    let said = columns.into_iter().filter(|(_, value)| !value.is_empty());
    let said = said.map(|(name, value)| (name.to_owned(), value));
    said.chain(arguments(fields)).collect()
}

/// The priority of the thread that a processor goes over to: behind the arrow stands `next_prio=120`, or `sh:3 [120]` as
/// `trace-cmd report` writes it.
pub(crate) fn priority(bytes: &[u8]) -> Vec<(String, String)> {
    let number = fields(bytes.trim_ascii_end()).filter(|row| row.event == b"sched_switch").and_then(|row| {
        let next = row.rest.get(memmem::rfind(row.rest, b"==> ")?..)?;
        let behind = |text: &[u8]| next.get(memmem::rfind(next, text)? + text.len()..);
        let rest = behind(b" next_prio=").or_else(|| behind(b" ["))?;
        let n = rest.iter().take_while(|b| b.is_ascii_digit() || **b == b'-').count();
        rest.get(..n).filter(|number| !number.is_empty())
    });
    let said = number.map(|n| (phrase("Priority").to_owned(), String::from_utf8_lossy(n).into_owned()));
    said.into_iter().collect()
}

/// Whether an event holds a mark.
pub(crate) fn is_mark(event: &[u8]) -> bool {
    matches!(event, b"tracing_mark_write" | b"print" | b"0")
}

/// Arguments like `prev_comm=two words prev_pid=3`: a value reaches to the next key. Marks have none.
fn arguments(row: Fields) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(if is_mark(row.event) { b"" } else { row.rest });
    let is_key = |key: &str| {
        key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let mut all: Vec<(String, String)> = Vec::new();
    for word in text.split_ascii_whitespace().filter(|word| *word != "==>") {
        match (word.split_once('=').filter(|(key, _)| is_key(key)), all.last_mut()) {
            (Some((key, value)), _) => all.push((key.to_owned(), value.to_owned())),
            (None, Some((_, value))) => value.extend([" ", word]),
            (None, None) => {}
        }
    }
    all
}

// Bytes in pieces of any size become whole lines. A line ends with `\n`, `\r\n` or a `\r` alone.

/// Longest line that is looked at; what is behind is passed over. Rows are far shorter; lines of this length are scripts
/// and JSON of systrace HTML.
const LINE_BYTES: usize = 1 << 18;

/// One line.
#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    /// Its bytes without its end.
    pub(crate) bytes: &'a [u8],
    /// Where it begins in the entry.
    pub(crate) start: u64,
    /// Its number, from 1.
    pub(crate) number: u32,
    /// Whether it is longer than [`LINE_BYTES`]: its bytes are only its head.
    pub(crate) is_cut: bool,
}

/// Collects pieces to whole lines.
#[derive(Default)]
struct Splitter {
    /// The head of a line whose end was not seen yet.
    carry: Vec<u8>,
    /// Where it begins.
    carry_at: u64,
    is_cut: bool,
    /// Bytes seen so far.
    fed: u64,
}

/// Whole lines that stand together.
#[derive(Clone, Copy)]
struct Block<'a> {
    /// Their bytes, line ends included.
    pub(crate) bytes: &'a [u8],
    /// Where they begin in the entry.
    pub(crate) start: u64,
    /// Whether this is the head of one line that is too long.
    pub(crate) is_cut: bool,
}

impl Splitter {
    /// How many bytes were fed.
    pub(crate) fn fed(&self) -> u64 {
        self.fed
    }

    /// Takes the next piece and hands out the lines that are whole now.
    pub(crate) fn feed(&mut self, chunk: &[u8], take: &mut dyn FnMut(Block)) {
        let at = self.fed;
        self.fed += chunk.len() as u64;
        let mut from = 0;
        if !self.carry.is_empty() {
            let Some(end) = self.end_of_carry(chunk) else {
                self.keep(chunk);
                return;
            };
            let (head, _) = chunk.split_at_checked(end).unwrap_or((chunk, &[]));
            self.keep(head);
            self.give(take);
            from = end;
        }
        let rest = chunk.get(from..).unwrap_or(&[]);
        // A `\r` at the very end may be half of a line end.
        let inner = rest.strip_suffix(b"\r").unwrap_or(rest);
        let whole = memrchr2(b'\n', b'\r', inner).map_or(0, |last| last + 1);
        let (lines, tail) = rest.split_at_checked(whole).unwrap_or((rest, &[]));
        if !lines.is_empty() {
            take(Block { bytes: lines, start: at + from as u64, is_cut: false });
        }
        self.carry_at = at + (from + whole) as u64;
        self.keep(tail);
    }

    /// Nothing follows: hands out the last line, which may have no end.
    pub(crate) fn finish(&mut self, take: &mut dyn FnMut(Block)) {
        if !self.carry.is_empty() {
            self.give(take);
        }
    }

    /// Where the line that was begun ends in the next piece.
    fn end_of_carry(&self, chunk: &[u8]) -> Option<usize> {
        if self.carry.last() == Some(&b'\r') {
            return Some(usize::from(chunk.first() == Some(&b'\n')));
        }
        let at = memchr2(b'\n', b'\r', chunk)?;
        match (chunk.get(at), chunk.get(at + 1)) {
            (Some(b'\r'), None) => None,
            (Some(b'\r'), Some(b'\n')) => Some(at + 2),
            _ => Some(at + 1),
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LINE_BYTES.saturating_sub(self.carry.len());
        if room < bytes.len() {
            self.is_cut = true;
            // Its end must stay known: a `\r` may be the first half of one.
            self.carry.extend_from_slice(bytes.get(..room).unwrap_or(&[]));
            let last = bytes.last().copied().filter(|b| *b == b'\r').unwrap_or(b' ');
            self.carry.pop();
            self.carry.push(last);
        } else {
            self.carry.extend_from_slice(bytes);
        }
    }

    fn give(&mut self, take: &mut dyn FnMut(Block)) {
        take(Block { bytes: &self.carry, start: self.carry_at, is_cut: self.is_cut });
        self.carry.clear();
        self.is_cut = false;
    }
}

impl<'a> Block<'a> {
    /// Its lines; the number of the first is one more than `number`.
    pub(crate) fn lines(self, mut number: u32) -> impl Iterator<Item = Line<'a>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = self.bytes.get(at..).filter(|rest| !rest.is_empty())?;
            let len = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            let end = match (rest.get(len), rest.get(len + 1)) {
                (Some(b'\r'), Some(b'\n')) => len + 2,
                (Some(_), _) => len + 1,
                (None, _) => len,
            };
            number = number.saturating_add(1);
            let start = self.start + at as u64;
            at += end;
            Some(Line { bytes: rest.get(..len)?, start, number, is_cut: self.is_cut })
        })
    }
}

/// The next place of a needle in a block, found once and not line by line.
struct NextMatch {
    finder: memchr::memmem::Finder<'static>,
    next: Option<usize>,
}

impl NextMatch {
    pub(crate) fn new(needle: &'static [u8]) -> Self {
        Self { finder: memchr::memmem::Finder::new(needle), next: None }
    }

    /// Another block begins.
    pub(crate) fn rewind(&mut self, bytes: &[u8]) {
        self.next = self.finder.find(bytes);
    }

    /// Whether it occurs in these bytes of the block; to be asked of ranges from front to back, none of which cuts it.
    #[inline]
    pub(crate) fn is_within(&mut self, bytes: &[u8], start: usize, end: usize) -> bool {
        while let Some(next) = self.next {
            if start <= next {
                return next < end;
            }
            let rest = bytes.get(start..).unwrap_or(&[]);
            self.next = self.finder.find(rest).map(|at| at + start);
        }
        false
    }
}
