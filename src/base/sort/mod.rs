//! Sorting piece by piece, for work that must give way in between.

pub mod radix;

pub use radix::Ranking;

use super::job::Turn;
use std::cmp::Ordering;
use std::ops::Range;

/// Rows that are compared in one piece, where nothing else is said.
pub const PIECE: usize = 1 << 16;

/// Rows on their way to their order: runs are sorted first, then pairs of runs become one until one is left.
#[derive(Debug, Default)]
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

/// Rows in their order.
pub async fn sorted<T: Ord + Copy>(rows: Vec<T>, turn: &Turn) -> Vec<T> {
    let mut sorting = Sorting::new(rows);
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

/// The numbers from 0 on, on their way to the order of what they stand for; equal ones stay as they are.
#[derive(Debug)]
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
