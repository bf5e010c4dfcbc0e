//! Sums and the longest block of a run of blocks on a lane, without a look at each: pictures of very many blocks need them.

use super::Schedule;
use std::ops::Range;

/// Blocks of a chunk.
const CHUNK: usize = 64;

/// What is known of chunks of `Schedule::order`.
#[derive(Default)]
pub(super) struct Index {
    /// Times of all blocks before each place.
    sums: Vec<u64>,
    /// The longest block of each chunk.
    longest: Vec<u32>,
}

impl Index {
    /// Takes in what is new since the last time.
    pub(super) fn extend(&mut self, order: &[u32], elapsed: &[u64]) {
        let mut sum = self.sums.last().copied().unwrap_or(0);
        let known = self.sums.len().saturating_sub(1);
        if self.sums.is_empty() {
            self.sums.push(0);
        }
        self.sums.extend(order[known..].iter().map(|row| {
            sum = sum.saturating_add(elapsed[*row as usize]);
            sum
        }));
        // The last chunk may have grown.
        self.longest.truncate(known / CHUNK);
        let longest = |chunk: &[u32]| chunk.iter().copied().max_by_key(|row| elapsed[*row as usize]);
        self.longest.extend(order[self.longest.len() * CHUNK..].chunks(CHUNK).filter_map(longest));
    }
}

impl Schedule {
    /// The places of the blocks of a lane that end after `from` and begin before `to`, on the clock of their unit.
    pub fn seen(&self, lane: &Range<u32>, from: u64, to: u64) -> Range<usize> {
        let blocks = &self.order[lane.start as usize..lane.end as usize];
        // Blocks of a lane do not overlap: their ends are in order too.
        let first = blocks.partition_point(|row| self.end(*row) <= from);
        let end = blocks.partition_point(|row| self.start[*row as usize] < to).max(first);
        lane.start as usize + first..lane.start as usize + end
    }

    /// Times of the blocks at these places.
    pub fn running(&self, places: Range<usize>) -> u64 {
        self.index.sums[places.end].saturating_sub(self.index.sums[places.start])
    }

    /// The longest of the blocks at these places.
    pub fn longest(&self, places: Range<usize>) -> Option<u32> {
        let (first, last) = (places.start.div_ceil(CHUNK), places.end / CHUNK);
        let longest = |rows: &[u32]| rows.iter().copied().max_by_key(|row| self.elapsed[*row as usize]);
        if last <= first {
            return longest(&self.order[places]);
        }
        let edges = [
            longest(&self.order[places.start..first * CHUNK]),
            longest(&self.index.longest[first..last]),
            longest(&self.order[last * CHUNK..places.end]),
        ];
        edges.into_iter().flatten().max_by_key(|row| self.elapsed[*row as usize])
    }
}
