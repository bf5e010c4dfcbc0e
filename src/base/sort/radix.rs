//! Sorting rows by whole numbers piece by piece, without comparing: a pass for every eleven bits in which the numbers differ.

use std::ops::Range;

/// Rows that are looked at in one piece.
const PIECE: usize = 1 << 17;
/// Bits of one pass.
const BITS: u32 = 11;

/// The rows from 0 on, on their way to the order of their numbers; equal ones stay as they are. Sixteen bytes a row, twice.
#[derive(Debug)]
pub struct Ranking {
    n: u32,
    /// Numbers with their rows.
    pairs: Vec<(u64, u32)>,
    out: Vec<(u64, u32)>,
    /// The least and the greatest number.
    ends: (u64, u64),
    /// Bits below this one are in order.
    shift: u32,
    /// Where the next row of each value of the pass goes.
    next: Vec<u32>,
    stage: Stage,
    at: usize,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Read,
    Count,
    Move,
    Done,
}

impl Ranking {
    /// So many rows.
    pub fn new(n: u32) -> Self {
        Self {
            n,
            pairs: Vec::new(),
            out: Vec::new(),
            ends: (u64::MAX, 0),
            shift: 0,
            next: Vec::new(),
            stage: Stage::Read,
            at: 0,
        }
    }

    /// Does the next piece; `number` is what a row stands for, the same in all steps. False when nothing is left to do.
    /// A machine, as an inner loop of machines.
    pub fn step(&mut self, number: impl Fn(u32) -> u64) -> bool {
        match self.stage {
            Stage::Read => {
                let rows = self.piece(self.n as usize);
                self.pairs.extend((rows.start as u32..rows.end as u32).map(|row| (number(row), row)));
                for (number, _) in &self.pairs[rows] {
                    self.ends = (self.ends.0.min(*number), self.ends.1.max(*number));
                }
                if self.at == self.n as usize {
                    let is_sorted = self.pairs.is_sorted();
                    if !is_sorted {
                        self.out.resize(self.pairs.len(), (0, 0));
                    }
                    self.begin_pass(is_sorted);
                }
            }
            Stage::Count => {
                let rows = self.piece(self.pairs.len());
                for (number, _) in &self.pairs[rows] {
                    self.next[digit(number - self.ends.0, self.shift)] += 1;
                }
                if self.at == self.pairs.len() {
                    let mut sum = 0;
                    for next in &mut self.next {
                        sum += std::mem::replace(next, sum);
                    }
                    (self.stage, self.at) = (Stage::Move, 0);
                }
            }
            Stage::Move => {
                let rows = self.piece(self.pairs.len());
                for pair in &self.pairs[rows] {
                    let next = &mut self.next[digit(pair.0 - self.ends.0, self.shift)];
                    self.out[*next as usize] = *pair;
                    *next += 1;
                }
                if self.at == self.pairs.len() {
                    std::mem::swap(&mut self.pairs, &mut self.out);
                    self.shift += BITS;
                    self.begin_pass(false);
                }
            }
            Stage::Done => {}
        }
        !matches!(self.stage, Stage::Done)
    }

    fn piece(&mut self, n: usize) -> Range<usize> {
        let from = self.at;
        self.at = n.min(from + PIECE);
        from..self.at
    }

    fn begin_pass(&mut self, is_sorted: bool) {
        let is_over = is_sorted || u64::BITS <= self.shift || (self.ends.1 - self.ends.0) >> self.shift == 0;
        (self.stage, self.at) = (if is_over { Stage::Done } else { Stage::Count }, 0);
        self.next.clear();
        self.next.resize(if is_over { 0 } else { 1 << BITS }, 0);
    }

    /// The numbers with their rows in order, after the last step.
    pub fn finish(self) -> Vec<(u64, u32)> {
        self.pairs
    }
}

/// Some bits of a number.
fn digit(number: u64, shift: u32) -> usize {
    (number >> shift) as usize & ((1 << BITS) - 1)
}
