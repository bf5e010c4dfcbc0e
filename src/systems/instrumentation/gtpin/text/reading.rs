//! Reads one text, line by line, as what it was recognized for.

use super::{LATENCIES, LISTING, OPCODES, SIZES, STRIDES, listing, opcodes, profile, sizes, strides};
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::words::phrase;
use crate::format::sink::Sink;
use crate::format::{self, Want};
use crate::input::bundle::{Bundle, Entry, EntryId};
use crate::systems::instrumentation::intel::lines::{Line, LineFeed};

/// What a text becomes.
pub(super) trait Part {
    /// Takes the next line without blanks around it; says what was expected when it is damaged.
    fn line(&mut self, line: &str) -> Result<(), &'static str>;

    /// Everything was read.
    fn finish(&mut self, entry: (EntryId, &Entry), sink: &mut Sink);
}

/// A text that is being read.
pub(super) struct Reading {
    entry: EntryId,
    path: String,
    lines: LineFeed,
    part: Box<dyn Part>,
    is_asked: bool,
}

impl Reading {
    pub(super) fn new(entry: EntryId, role: &str) -> Self {
        let part: Box<dyn Part> = match role {
            LATENCIES => Box::new(profile::Latencies::default()),
            OPCODES => Box::new(opcodes::Opcodes::default()),
            SIZES => Box::new(sizes::Sizes::default()),
            STRIDES => Box::new(strides::Strides::default()),
            LISTING => Box::new(listing::Code::default()),
            _ => Box::new(profile::Times::default()),
        };
        Self { entry, path: String::new(), lines: LineFeed::default(), part, is_asked: false }
    }

    fn line(&mut self, line: &Line, sink: &mut Sink) {
        if let Err(expected) = self.part.line(line.text.trim()) {
            let kind =
                Kind::Unexpected { expected: expected.into(), found: excerpt(line.text.as_bytes()).into() };
            let place = Place::byte(&self.path, line.at).line(line.number, 1);
            sink.fault(
                Fault::new("GTP-LINE", Severity::Loss, place, kind).note(phrase("The line is skipped.")),
            );
        }
    }
}

impl format::Reading for Reading {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        let entry = bundle.get(self.entry);
        if self.is_asked {
            let mut lines = std::mem::take(&mut self.lines);
            lines.finish(|line| self.line(&line, sink));
            if let Some(entry) = entry {
                self.part.finish((self.entry, entry), sink);
            }
            return Ok(Want::Done);
        }
        self.is_asked = true;
        sink.step = "Reading";
        self.path = entry.map_or_else(String::new, |entry| entry.path.clone());
        Ok(Want::Stream { entry: self.entry, range: 0..entry.map_or(0, |entry| entry.source.len()) })
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        let mut lines = std::mem::take(&mut self.lines);
        lines.feed(chunk, |line| self.line(&line, sink));
        self.lines = lines;
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        Some((self.entry, self.lines.position()))
    }
}
