//! Sorting piece by piece, for work that must give way in between.

use std::cmp::Ordering;

/// Rows that are compared in one piece.
const PIECE: usize = 1 << 16;

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

    /// Does the next piece; false when nothing is left to do.
    pub fn step(&mut self) -> bool {
        self.step_by(T::cmp)
    }
}

impl<T: Copy> Sorting<T> {
    /// Rows to be sorted by [`Sorting::step_by`], so many at a time.
    pub fn in_pieces(rows: Vec<T>, piece: usize) -> Self {
        Self { rows, out: Vec::new(), width: 0, at: 0, next: (0, 0), piece }
    }

    /// Does the next piece by an order, the same in all steps; false when nothing is left to do.
    pub fn step_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) -> bool {
        let n = self.rows.len();
        if self.width == 0 {
            let end = n.min(self.at + self.piece);
            self.rows[self.at..end].sort_unstable_by(&compare);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_give_the_order_of_one_sort() {
        for n in [0, 1, 2, PIECE, PIECE + 1, 3 * PIECE - 1, 5 * PIECE + 7] {
            let rows: Vec<(u64, u32)> =
                (0..n as u32).map(|i| (u64::from(i.wrapping_mul(2_654_435_761)) % 1_000, i)).collect();
            let mut expected = rows.clone();
            expected.sort_unstable();
            for rows in [rows, expected.clone()] {
                let mut sorting = Sorting::new(rows);
                let mut n_steps = 0;
                while sorting.step() {
                    n_steps += 1;
                }
                assert!(n_steps <= 40, "{n_steps}");
                assert!(sorting.finish() == expected, "{n} rows");
            }
        }
    }
}
