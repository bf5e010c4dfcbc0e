//! Lengths by rank: of each row the slices' lengths, in sorted pieces, in which any rank is found by halving.
//!
//! Lengths that fit into four bytes take four; only rows with a longer slice take eight. Pieces are sorted, not rows, so
//! that no step takes long, however many slices a row has.

use crate::base::order::percentile_of;
use crate::base::time::Ticks;
use std::ops::Range;

/// Lengths that are sorted at once.
const PIECE: usize = 1 << 14;
/// Lengths that are sorted in one step.
const STEP: usize = 1 << 16;

/// The lengths of all rows, each row in a place of its own.
pub(in crate::analysis) struct Ranks {
    short: Vec<u32>,
    long: Vec<Ticks>,
    rows: Vec<Lengths>,
    /// The row whose percentiles come next.
    at: usize,
    /// How much of its lengths is sorted.
    sorted: usize,
}

/// Where the lengths of a row lie.
struct Lengths {
    is_long: bool,
    ends: (Ticks, Ticks),
    room: Range<usize>,
    /// Behind the last length that came.
    next: usize,
}

impl Ranks {
    /// Room for the lengths of rows: of each how many, the least and the greatest.
    pub(in crate::analysis) fn new(rows: impl Iterator<Item = (u64, Ticks, Ticks)>) -> Self {
        let mut sums = [0, 0];
        let place = |(n, min, max): (u64, Ticks, Ticks)| {
            let is_long = u32::try_from(max).is_err();
            let sum = &mut sums[usize::from(is_long)];
            let room = *sum..*sum + n as usize;
            *sum = room.end;
            Lengths { is_long, ends: (min, max), next: room.start, room }
        };
        let rows = rows.map(place).collect();
        Self { short: vec![0; sums[0]], long: vec![0; sums[1]], rows, at: 0, sorted: 0 }
    }

    /// Takes in the length of a slice of a row.
    pub(in crate::analysis) fn push(&mut self, row: u32, dur: Ticks) {
        let Some(lengths) = self.rows.get_mut(row as usize) else { return };
        let at = lengths.next;
        if lengths.room.contains(&at) {
            lengths.next += 1;
            if lengths.is_long {
                self.long[at] = dur;
            } else {
                self.short[at] = u32::try_from(dur).unwrap_or(u32::MAX);
            }
        }
    }

    /// Sorts the next pieces, and hands `take` the median and p95 of rows that are ready; false when all are. A
    /// machine, as an inner loop of machines that run while the trace still grows, too.
    pub(in crate::analysis) fn step(&mut self, mut take: impl FnMut(usize, f64, f64)) -> bool {
        let mut left = STEP;
        while let Some(lengths) = self.rows.get(self.at) {
            let room = lengths.room.start..lengths.next;
            while self.sorted < room.len() {
                if left == 0 {
                    return true;
                }
                let from = room.start + self.sorted;
                let piece = from..room.end.min(from + PIECE);
                left = left.saturating_sub(piece.len());
                self.sorted += piece.len();
                if lengths.is_long {
                    self.long[piece].sort_unstable();
                } else {
                    self.short[piece].sort_unstable();
                }
            }
            let n = lengths.next - lengths.room.start;
            let of = |percent| percentile_of(n, percent, |rank| self.ranked(lengths, rank) as f64);
            if 0 < n {
                take(self.at, of(50), of(95));
            }
            (self.at, self.sorted) = (self.at + 1, 0);
            left = left.saturating_sub(16);
        }
        false
    }

    /// The length of a rank from 0: the least that more lengths than that do not pass.
    fn ranked(&self, lengths: &Lengths, rank: usize) -> Ticks {
        let room = lengths.room.start..lengths.next;
        if room.len() <= PIECE {
            let at = room.start + rank;
            return if lengths.is_long { self.long[at] } else { Ticks::from(self.short[at]) };
        }
        let n_within = |most: Ticks| -> usize {
            if lengths.is_long {
                let pieces = self.long[room.clone()].chunks(PIECE);
                pieces.map(|piece| piece.partition_point(|&dur| dur <= most)).sum()
            } else {
                let pieces = self.short[room.clone()].chunks(PIECE);
                pieces.map(|piece| piece.partition_point(|&dur| Ticks::from(dur) <= most)).sum()
            }
        };
        let (mut least, mut most) = lengths.ends;
        while least < most {
            let middle = least.midpoint(most);
            if rank < n_within(middle) {
                most = middle;
            } else {
                least = middle + 1;
            }
        }
        least
    }
}
