//! One trace while it is read in pieces.

use super::row;
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::words::{message, phrase};
use crate::format::sink::Sink;
use crate::input::bundle::{Bundle, EntryId};
use crate::systems::gainsight::lines::{Line, Lines};
use std::collections::VecDeque;
use std::ops::Range;

/// Bytes that are asked for at a time.
const PIECE: u64 = 1 << 20;

/// What becomes of rows that look as if they only filled up the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    /// This trace has none: they are rows like others.
    Absent,
    /// They are left out.
    Dropped,
    /// They count.
    Kept,
}

/// A trace.
pub(super) struct Side {
    /// Its entry.
    pub(super) entry: EntryId,
    path: String,
    /// What was asked for ends here.
    asked: u64,
    len: u64,
    lines: Lines,
    /// Cycles and addresses that wait for those of the other trace.
    queue: VecDeque<(i64, u64)>,
    /// Addresses of the row that is read.
    row: Vec<u64>,
    width: Option<usize>,
    last: i64,
    padding_is: Padding,
    /// Rows that only fill up the trace.
    pub(super) padding: u64,
}

impl Side {
    pub(super) fn new(entry: EntryId, bundle: &Bundle, padding_is: Padding) -> Self {
        let source = bundle.get(entry);
        Self {
            entry,
            path: source.map_or_else(String::new, |entry| entry.path.clone()),
            asked: 0,
            len: source.map_or(0, |entry| entry.source.len()),
            lines: Lines::default(),
            queue: VecDeque::new(),
            row: Vec::new(),
            width: None,
            last: i64::MIN,
            padding_is,
            padding: 0,
        }
    }

    /// The bytes that are needed before the next access is known; `None` when it is known, or there is none.
    pub(super) fn want(&mut self) -> Option<Range<u64>> {
        if !self.queue.is_empty() || self.len <= self.asked {
            return None;
        }
        let from = self.asked;
        self.asked = self.len.min(from.saturating_add(PIECE));
        Some(from..self.asked)
    }

    /// Whether all bytes were asked for.
    pub(super) fn is_asked(&self) -> bool {
        self.len <= self.asked
    }

    /// The next access.
    pub(super) fn next(&self) -> Option<i64> {
        self.queue.front().map(|(cycle, _)| *cycle)
    }

    /// Takes the next access.
    pub(super) fn pop(&mut self) -> Option<(i64, u64)> {
        self.queue.pop_front()
    }

    /// Where the reading stands.
    pub(super) fn position(&self) -> u64 {
        self.lines.position()
    }

    pub(super) fn feed(&mut self, chunk: &[u8], sink: &mut Sink) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.feed(chunk, |line| self.line(line, sink));
        self.lines = lines;
    }

    /// Everything was fed: the last line may have no end.
    pub(super) fn finish(&mut self, sink: &mut Sink) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.finish(|line| self.line(line, sink));
        self.lines = lines;
    }

    fn line(&mut self, line: Line, sink: &mut Sink) {
        if line.bytes.trim_ascii().is_empty() {
            return;
        }
        self.row.clear();
        let Some(row) = row::row(line.bytes, &mut self.row) else {
            let expected = phrase("a cycle and addresses").into();
            let kind = Kind::Unexpected { expected, found: excerpt(line.bytes).into() };
            return self.fault("SCS-ROW", Severity::Loss, line, kind, phrase("The row is skipped."), sink);
        };
        if row.is_padding && self.padding_is != Padding::Absent {
            self.padding += 1;
            if self.padding_is == Padding::Dropped {
                return;
            }
        }
        let width = *self.width.get_or_insert(row.width);
        if row.width != width {
            let a = message("the first row has {n} columns of addresses").with("n", width);
            let kind = Kind::Contradiction { a, b: message("this one has {n}").with("n", row.width) };
            let note = phrase("The addresses that stand there count.");
            self.fault("SCS-WIDTH", Severity::Warning, line, kind, note, sink);
        }
        if row.cycle < self.last {
            let a = message("the row before is of cycle {n}").with("n", self.last);
            let kind = Kind::Contradiction { a, b: message("this one is of cycle {n}").with("n", row.cycle) };
            let note = phrase("Lifetimes around it may be wrong.");
            self.fault("SCS-ORDER", Severity::Warning, line, kind, note, sink);
        }
        self.last = row.cycle;
        self.queue.extend(self.row.iter().map(|address| (row.cycle, *address)));
    }

    #[cold]
    fn fault(
        &self,
        code: &'static str,
        severity: Severity,
        line: Line,
        kind: Kind,
        note: &'static str,
        sink: &mut Sink,
    ) {
        let place = Place::byte(&self.path, line.at).line(line.number, 1);
        sink.fault(Fault::new(code, severity, place, kind).note(note));
    }
}
