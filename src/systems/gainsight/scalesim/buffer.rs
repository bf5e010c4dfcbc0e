//! A buffer: who writes and reads its words, and how long words were in use.
//!
//! A word lives from a write to the last read before the next write. What is written and read in one cycle is written first.

use super::run::Buffer;
use crate::base::map::Map;
use crate::systems::gainsight::grid::Grid;
use crate::views::lifetimes::compute::{Closing, Counts, Distribution, Growing, Level};

/// Bins over time, and over words.
const BINS: (usize, usize) = (256, 128);

/// A buffer while its traces are read.
pub(super) struct Working {
    closing: Closing,
    words: Map<u64, Word>,
    counts: Counts,
    reused: Growing,
    orphaned: Growing,
    reuses: Growing,
    /// Writes and reads over time and words.
    maps: [Grid; 2],
    /// First and last cycle of an access.
    span: Option<(i64, i64)>,
}

/// A word of a buffer.
#[derive(Clone, Copy)]
struct Word {
    /// When it was written; `None` while it was only read.
    start: Option<i64>,
    /// When it was last read since.
    last: i64,
    reads: u32,
}

impl Working {
    pub(super) fn new(closing: Closing) -> Self {
        Self {
            closing,
            words: Map::default(),
            counts: Counts::default(),
            reused: Growing::default(),
            orphaned: Growing::default(),
            reuses: Growing::default(),
            maps: [Grid::new(BINS.0, BINS.1), Grid::new(BINS.0, BINS.1)],
            span: None,
        }
    }

    /// Takes an access. Cycles ascend; of one cycle the writes come first.
    pub(super) fn access(&mut self, is_write: bool, cycle: i64, address: u64) {
        self.span = Some(self.span.map_or((cycle, cycle), |(a, b)| (a.min(cycle), b.max(cycle))));
        if let ([writes, reads], Ok(word)) = (&mut self.maps, i64::try_from(address)) {
            if is_write { writes } else { reads }.add(cycle, word);
        }
        if is_write {
            self.counts.writes += 1;
            let old = self.words.insert(address, Word { start: Some(cycle), last: cycle, reads: 0 });
            self.counts.overwritten += u64::from(old.is_some_and(|old| old.start.is_some()));
            if let Some(old) = old {
                self.close(old, cycle);
            }
        } else {
            self.counts.reads += 1;
            let existing = &mut self.counts.existing;
            let word = self.words.entry(address).or_insert_with(|| {
                *existing += 1;
                Word { start: None, last: cycle, reads: 0 }
            });
            (word.last, word.reads) = (cycle, word.reads.saturating_add(1));
        }
    }

    fn close(&mut self, word: Word, cycle: i64) {
        let Some(start) = word.start else { return };
        let end = if self.closing == Closing::Resident { cycle } else { word.last };
        let length = u64::try_from(end.saturating_sub(start)).unwrap_or(0);
        self.counts.lifetimes += 1;
        self.counts.orphans += u64::from(word.reads == 0);
        if word.reads == 0 { &mut self.orphaned } else { &mut self.reused }.push(length);
        self.reuses.push(u64::from(word.reads));
    }

    /// Everything was read; the layer took so many cycles.
    pub(super) fn finish(mut self, cycles: Option<u64>) -> Buffer {
        let last = self.span.map_or(0, |(_, last)| last);
        let end = cycles.and_then(|cycles| i64::try_from(cycles).ok()).map_or(last, |end| end.max(last));
        let words = std::mem::take(&mut self.words);
        self.counts.sectors = words.len() as u64;
        let never_again: u64 =
            words.values().map(|word| u64::from(word.start.is_some() && word.reads == 0)).sum();
        for word in words.into_values() {
            self.close(word, end);
        }
        let all = |growing: Growing| Distribution::from(&growing.finish());
        let level = Level {
            counts: self.counts,
            reused: all(self.reused),
            orphaned: all(self.orphaned),
            reuses: all(self.reuses),
            ..Level::default()
        };
        let replaced = level.counts.orphans - never_again;
        Buffer { level, maps: self.maps, span: self.span, replaced, padding: 0 }
    }
}
