//! Rows in chunks: however many there are, one more never moves more than a chunk, and hardly any room is held unused.

use std::ops::{Index, IndexMut, Range};

/// Rows of a chunk, as a power of two.
const LOG: u32 = 14;
/// Rows of a chunk.
pub const CHUNK: usize = 1 << LOG;

/// As `Vec`, for millions of rows.
pub struct Chunked<T> {
    full: Vec<Box<[T; CHUNK]>>,
    /// The rows behind them, fewer than a chunk; room for them grows by doubling in the first chunk only.
    tail: Vec<T>,
}

impl<T: Clone> Clone for Chunked<T> {
    fn clone(&self) -> Self {
        // A chunk that is cloned as an array stands on the stack first, where it may have no room.
        let copies = self.full.iter().map(|chunk| chunk.to_vec().into_boxed_slice());
        Self { full: copies.filter_map(|copy| copy.try_into().ok()).collect(), tail: self.tail.clone() }
    }
}

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Chunked<T> {
    /// No rows.
    pub const fn new() -> Self {
        Self { full: Vec::new(), tail: Vec::new() }
    }

    /// How many rows there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.full.len() * CHUNK + self.tail.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One row; `None` behind the last.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&T> {
        match self.full.get(row >> LOG) {
            Some(chunk) => Some(&chunk[row % CHUNK]),
            None => self.tail.get(row - self.full.len() * CHUNK),
        }
    }

    /// The last row.
    pub fn last(&self) -> Option<&T> {
        self.tail.last().or_else(|| self.full.last()?.last())
    }

    /// The first row.
    pub fn first(&self) -> Option<&T> {
        self.get(0)
    }

    /// The last row, to be changed.
    #[inline]
    pub fn last_mut(&mut self) -> Option<&mut T> {
        if self.tail.is_empty() { self.full.last_mut()?.last_mut() } else { self.tail.last_mut() }
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.into_iter()
    }

    /// All rows in order, piece by piece: pieces of columns of one length are of one length.
    pub fn chunks(&self) -> impl Iterator<Item = &[T]> {
        self.full.iter().map(|chunk| &chunk[..]).chain([self.tail.as_slice()])
    }

    /// All rows in order, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.full.iter_mut().flat_map(|chunk| chunk.iter_mut()).chain(&mut self.tail)
    }

    /// Adds a row. Constant time; copies at most a chunk.
    #[inline]
    pub fn push(&mut self, row: T) {
        if self.tail.len() == CHUNK {
            self.begin();
        }
        self.tail.push(row);
    }

    /// The tail is full.
    #[cold]
    fn begin(&mut self) {
        let mut next = Vec::new();
        next.reserve_exact(CHUNK);
        let full = std::mem::replace(&mut self.tail, next).into_boxed_slice();
        if let Ok(full) = full.try_into() {
            self.full.push(full);
        }
    }

    /// Lets two rows change places.
    pub fn swap(&mut self, a: usize, b: usize) {
        let [(of_a, a), (of_b, b)] = [a, b].map(|row| (row >> LOG, row % CHUNK));
        let (of_a, a, of_b, b) = if of_a <= of_b { (of_a, a, of_b, b) } else { (of_b, b, of_a, a) };
        let n = self.full.len();
        let (before, after) = self.full.split_at_mut(of_b.min(n));
        let last: &mut [T] = after.first_mut().map_or(&mut self.tail[..], |chunk| &mut chunk[..]);
        match before.get_mut(of_a) {
            Some(first) => std::mem::swap(&mut first[a], &mut last[b]),
            None => last.swap(a, b),
        }
    }

    /// The first row of which something does not hold that holds of all before it; their number when there is none.
    pub fn partition_point(&self, holds: impl FnMut(&T) -> bool) -> usize {
        self.partition_point_in(0..self.len(), holds)
    }

    /// The same among some rows.
    pub fn partition_point_in(&self, rows: Range<usize>, mut holds: impl FnMut(&T) -> bool) -> usize {
        let Range { start: mut first, mut end } = rows;
        while first < end {
            let middle = first + (end - first) / 2;
            if holds(&self[middle]) {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        first
    }

    /// Gives back memory that was held for rows to come.
    pub fn shrink_to_fit(&mut self) {
        self.full.shrink_to_fit();
        self.tail.shrink_to_fit();
    }

    /// For how many rows memory is held.
    pub fn capacity(&self) -> usize {
        self.full.len() * CHUNK + self.tail.capacity()
    }
}

impl<T: Clone> Chunked<T> {
    /// Adds rows until there are so many.
    pub fn grow_to(&mut self, n: usize, row: &T) {
        while self.len() < n {
            self.push(row.clone());
        }
    }
}

impl<T: Copy + Default + PartialEq> Chunked<T> {
    /// Adds the value of row `at`, the last one, to a column that stays empty until the first value that is not the usual one.
    #[inline]
    pub fn push_sparse(&mut self, at: usize, value: T) {
        if value != T::default() || !self.is_empty() {
            self.grow_to(at, &T::default());
            self.push(value);
        }
    }
}

impl<T> FromIterator<T> for Chunked<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        let mut all = Self::new();
        for row in rows {
            all.push(row);
        }
        all
    }
}

impl<T> Index<usize> for Chunked<T> {
    type Output = T;

    #[inline]
    fn index(&self, row: usize) -> &T {
        match self.full.get(row >> LOG) {
            Some(chunk) => &chunk[row % CHUNK],
            None => &self.tail[row - self.full.len() * CHUNK],
        }
    }
}

impl<T> IndexMut<usize> for Chunked<T> {
    #[inline]
    fn index_mut(&mut self, row: usize) -> &mut T {
        let before = self.full.len() * CHUNK;
        match self.full.get_mut(row >> LOG) {
            Some(chunk) => &mut chunk[row % CHUNK],
            None => &mut self.tail[row - before],
        }
    }
}

/// Rows of full chunks, then those of the tail.
pub struct Iter<'a, T> {
    full: std::slice::Iter<'a, Box<[T; CHUNK]>>,
    piece: std::slice::Iter<'a, T>,
    tail: &'a [T],
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        loop {
            if let Some(row) = self.piece.next() {
                return Some(row);
            }
            self.piece = match self.full.next() {
                Some(chunk) => chunk.iter(),
                None if self.tail.is_empty() => return None,
                None => std::mem::take(&mut self.tail).iter(),
            };
        }
    }
}

impl<'a, T> IntoIterator for &'a Chunked<T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        Iter { full: self.full.iter(), piece: [].iter(), tail: &self.tail }
    }
}
