//! Lines of a text that comes in pieces.

use crate::input::limits;
use std::borrow::Cow;

/// Joins pieces to lines.
#[derive(Default)]
pub(in crate::systems::instrumentation) struct LineFeed {
    rest: Vec<u8>,
    at: u64,
    number: u32,
}

/// One line without its end.
pub(in crate::systems::instrumentation) struct Line<'a> {
    /// Its text.
    pub(in crate::systems::instrumentation) text: Cow<'a, str>,
    /// Its first byte.
    pub(in crate::systems::instrumentation) at: u64,
    /// Its number, from 1.
    pub(in crate::systems::instrumentation) number: u32,
}

impl LineFeed {
    /// Takes the next piece; calls back for each line that is whole. Lines of no end are cut.
    pub(in crate::systems::instrumentation) fn feed(&mut self, chunk: &[u8], mut take: impl FnMut(Line)) {
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            let is_whole = piece.ends_with(b"\n");
            if is_whole && self.rest.is_empty() {
                self.line(piece, &mut take);
                continue;
            }
            self.rest.extend_from_slice(piece);
            if is_whole || limits::RECORD_BYTES <= self.rest.len() {
                let line = std::mem::take(&mut self.rest);
                self.line(&line, &mut take);
            }
        }
    }

    /// Nothing more comes: the last line may have no end.
    pub(in crate::systems::instrumentation) fn finish(&mut self, mut take: impl FnMut(Line)) {
        let line = std::mem::take(&mut self.rest);
        if !line.is_empty() {
            self.line(&line, &mut take);
        }
    }

    /// Bytes that were read.
    pub(in crate::systems::instrumentation) fn position(&self) -> u64 {
        self.at
    }

    fn line(&mut self, bytes: &[u8], take: &mut impl FnMut(Line)) {
        self.number = self.number.saturating_add(1);
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let text = if self.at == 0 { text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text) } else { text };
        take(Line { text: String::from_utf8_lossy(text), at: self.at, number: self.number });
        self.at += bytes.len() as u64;
    }
}
