//! Whole numbers of 64 bits, nearly all of which fit into 32.

use super::chunked::Chunked;

/// A column of such numbers: 4 bytes for each, and 4 more once one needs them.
#[derive(Default)]
pub struct Wide {
    low: Chunked<u32>,
    /// The upper halves; shorter than the other column or empty where they are 0.
    high: Chunked<u32>,
}

impl Wide {
    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.low.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.low.is_empty()
    }

    /// One of them; `None` behind the last.
    #[inline]
    pub fn get(&self, row: usize) -> Option<u64> {
        Some(u64::from(*self.low.get(row)?) | self.upper(row))
    }

    #[inline]
    fn upper(&self, row: usize) -> u64 {
        u64::from(self.high.get(row).copied().unwrap_or(0)) << 32
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.low.iter().enumerate().map(|(row, low)| u64::from(*low) | self.upper(row))
    }

    /// Adds one.
    #[inline]
    pub fn push(&mut self, number: u64) {
        self.high.push_sparse(self.low.len(), (number >> 32) as u32);
        self.low.push(number as u32);
    }

    /// Changes one.
    pub fn set(&mut self, row: usize, number: u64) {
        let high = (number >> 32) as u32;
        if high != 0 || row < self.high.len() {
            self.high.grow_to(row + 1, &0);
            self.high[row] = high;
        }
        self.low[row] = number as u32;
    }

    /// Lets two change places.
    pub fn swap(&mut self, a: usize, b: usize) {
        self.low.swap(a, b);
        if !self.high.is_empty() {
            self.high.grow_to(self.low.len(), &0);
            self.high.swap(a, b);
        }
    }

    /// Gives back memory that was held for numbers to come.
    pub fn shrink_to_fit(&mut self) {
        self.low.shrink_to_fit();
        self.high.shrink_to_fit();
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        4 * (self.low.capacity() + self.high.capacity())
    }
}
