//! Sorting piece by piece, for work that must give way in between.

use super::job::Turn;
use std::cmp::Ordering;
use std::ops::Range;

/// Rows that are compared in one piece, where nothing else is said.
pub const PIECE: usize = 1 << 16;

/// Sorting of rows in progress: runs are sorted first, then pairs of runs become one until one is left.
#[derive(Clone, Debug, Default)]
pub struct Sorting<T> {
    rows: Vec<T>,
    /// The rows of the pass so far.
    out: Vec<T>,
    /// Length of the runs that are in order; 0 while the first runs are made.
    width: usize,
    /// First row of the pair that is joined.
    at: usize,
    /// Next row of the left and of the right run of the pair.
    next: (usize, usize),
    /// Rows of a piece.
    piece: usize,
}

impl<T: Ord + Copy> Sorting<T> {
    /// Rows to be sorted; rows in order cost one look.
    pub fn new(rows: Vec<T>) -> Self {
        let width = if rows.is_sorted() { usize::MAX } else { 0 };
        Self { width, ..Self::in_pieces(rows, PIECE) }
    }

    /// Does the next piece; false when nothing is left to do. A machine, as an inner loop of machines; jobs use
    /// [`sorted`].
    pub fn step(&mut self) -> bool {
        self.go_on(<[T]>::sort_unstable, T::cmp)
    }
}

/// Rows in their order. Pieces are short, as rows may have several numbers.
pub async fn sorted<T: Ord + Copy>(rows: Vec<T>, turn: &Turn) -> Vec<T> {
    let mut sorting = Sorting { piece: PIECE / 4, ..Sorting::new(rows) };
    while sorting.step() {
        turn.pause().await;
    }
    sorting.finish()
}

impl<T: Copy> Sorting<T> {
    /// Rows to be sorted by [`Sorting::step_by`], so many at a time.
    pub fn in_pieces(rows: Vec<T>, piece: usize) -> Self {
        Self { rows, out: Vec::new(), width: 0, at: 0, next: (0, 0), piece }
    }

    /// Does the next piece by an order, the same in all steps; false when nothing is left to do. Equal ones stay as they
    /// are.
    pub fn step_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) -> bool {
        self.go_on(|piece| piece.sort_by(&compare), &compare)
    }

    fn go_on(&mut self, sort: impl FnOnce(&mut [T]), compare: impl Fn(&T, &T) -> Ordering) -> bool {
        let n = self.rows.len();
        if self.width == 0 {
            let end = n.min(self.at + self.piece);
            sort(&mut self.rows[self.at..end]);
            self.at = end;
            if end == n {
                self.begin_pass(self.piece);
            }
            return self.width < n;
        }
        if self.width < n {
            self.join(self.piece, compare);
        }
        self.width < n
    }

    /// The sorted rows, after the last step.
    pub fn finish(self) -> Vec<T> {
        self.rows
    }

    fn begin_pass(&mut self, width: usize) {
        self.width = width;
        self.out.reserve_exact(self.rows.len());
        self.begin_pair(0);
    }

    fn begin_pair(&mut self, at: usize) {
        self.at = at;
        self.next = (at, self.rows.len().min(at.saturating_add(self.width)));
    }

    /// Joins so many rows.
    fn join(&mut self, mut left: usize, compare: impl Fn(&T, &T) -> Ordering) {
        let n = self.rows.len();
        while 0 < left {
            let middle = n.min(self.at.saturating_add(self.width));
            let end = n.min(middle.saturating_add(self.width));
            let (mut a, mut b) = self.next;
            while 0 < left && (a < middle || b < end) {
                let is_left = b == end || a < middle && compare(&self.rows[a], &self.rows[b]).is_le();
                let from = if is_left { &mut a } else { &mut b };
                self.out.push(self.rows[*from]);
                *from += 1;
                left -= 1;
            }
            self.next = (a, b);
            if a < middle || b < end {
                return;
            }
            if end < n {
                self.begin_pair(end);
            } else {
                std::mem::swap(&mut self.rows, &mut self.out);
                self.out.clear();
                self.begin_pass(self.width.saturating_mul(2));
                return;
            }
        }
    }
}

/// Sorting in progress of the numbers from 0 on by what they stand for; equal ones stay as they are.
#[derive(Clone, Debug)]
pub struct Sequencing {
    n: usize,
    /// So many of the first ones are known to be in order.
    checked: usize,
    /// Some are not: all numbers, as soon as they are there.
    sorting: Option<Sorting<u32>>,
    piece: usize,
}

impl Sequencing {
    /// So many numbers; `piece` of them are compared in one step: fewer when that is dear.
    pub fn new(n: usize, piece: usize) -> Self {
        Self { n, checked: 1, sorting: None, piece }
    }

    /// Does the next piece; false when nothing is left to do. A machine, as an inner loop of machines.
    pub fn step(&mut self, compare: impl Fn(usize, usize) -> Ordering) -> bool {
        self.step_with(|rows| rows.into_iter().all(|i| compare(i - 1, i).is_le()), &compare)
    }

    /// Whether it is known that they are not in order.
    pub fn is_disordered(&self) -> bool {
        self.sorting.is_some()
    }

    /// The same where somebody knows a faster way to tell whether some rows are not less than those before them.
    pub fn step_with(
        &mut self,
        are_in_order: impl Fn(Range<usize>) -> bool,
        compare: impl Fn(usize, usize) -> Ordering,
    ) -> bool {
        let Some(sorting) = &mut self.sorting else {
            let end = self.n.min(self.checked.saturating_add(self.piece));
            let is_disordered = !are_in_order(self.checked.min(end)..end);
            self.checked = end;
            if is_disordered {
                self.sorting = Some(Sorting::in_pieces(Vec::with_capacity(self.n), self.piece));
            }
            return is_disordered || end < self.n;
        };
        let from = sorting.rows.len();
        if from < self.n {
            let end = self.n.min(from + 4 * self.piece);
            sorting.rows.extend(from as u32..end as u32);
            return true;
        }
        sorting.step_by(|&a, &b| compare(a as usize, b as usize))
    }

    /// The numbers in their order, after the last step; `None` when they were in order.
    pub fn finish(self) -> Option<Vec<u32>> {
        self.sorting.map(Sorting::finish)
    }

    /// How many numbers are compared in one step.
    pub fn piece(&self) -> usize {
        self.piece
    }
}

// Sorting rows by whole numbers piece by piece, without comparing: a pass for every eleven bits in which the numbers differ.

/// Rows that are looked at in one piece.
const RADIX_PIECE: usize = 1 << 17;
/// Bits of one pass.
const BITS: u32 = 11;

/// Sorting in progress of the rows from 0 on by their numbers; equal ones stay as they are. Sixteen bytes a row, twice.
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
    stage: SortStage,
    at: usize,
}

#[derive(Clone, Copy, Debug)]
enum SortStage {
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
            stage: SortStage::Read,
            at: 0,
        }
    }

    /// Does the next piece; `number` is what a row stands for, the same in all steps. False when nothing is left to do.
    /// A machine, as an inner loop of machines.
    pub fn step(&mut self, number: impl Fn(u32) -> u64) -> bool {
        match self.stage {
            SortStage::Read => {
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
            SortStage::Count => {
                let rows = self.piece(self.pairs.len());
                for (number, _) in &self.pairs[rows] {
                    self.next[digit(number - self.ends.0, self.shift)] += 1;
                }
                if self.at == self.pairs.len() {
                    let mut sum = 0;
                    for next in &mut self.next {
                        sum += std::mem::replace(next, sum);
                    }
                    (self.stage, self.at) = (SortStage::Move, 0);
                }
            }
            SortStage::Move => {
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
            SortStage::Done => {}
        }
        !matches!(self.stage, SortStage::Done)
    }

    fn piece(&mut self, n: usize) -> Range<usize> {
        let from = self.at;
        self.at = n.min(from + RADIX_PIECE);
        from..self.at
    }

    fn begin_pass(&mut self, is_sorted: bool) {
        let is_over = is_sorted || u64::BITS <= self.shift || (self.ends.1 - self.ends.0) >> self.shift == 0;
        (self.stage, self.at) = (if is_over { SortStage::Done } else { SortStage::Count }, 0);
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
