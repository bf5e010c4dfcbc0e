//! What lies to the right in the picture: the accesses in their order, or the time at which they were.

use crate::model::access::Accesses;
use std::ops::Range;

/// From rows to places on the axis and back.
#[derive(Clone, Copy)]
pub struct Across<'a> {
    accesses: &'a Accesses,
    is_time: bool,
}

impl<'a> Across<'a> {
    /// The order of the accesses, or their time if they say one.
    pub fn new(accesses: &'a Accesses, is_time: bool) -> Self {
        Self { accesses, is_time: is_time && accesses.is_in_time() }
    }

    /// Whether it is the time.
    pub fn is_time(self) -> bool {
        self.is_time
    }

    /// Where the axis ends; it begins at 0.
    pub fn len(self) -> u64 {
        let n = self.accesses.len() as u32;
        n.checked_sub(1).map_or(0, |last| self.x(last).saturating_add(1))
    }

    /// Whether there is nothing on it.
    pub fn is_empty(self) -> bool {
        self.accesses.is_empty()
    }

    /// Where a row is.
    pub fn x(self, row: u32) -> u64 {
        if self.is_time {
            self.accesses.position(row).saturating_sub(self.accesses.position(0))
        } else {
            u64::from(row)
        }
    }

    /// The rows between two places, without those at the second.
    pub fn rows(self, x: Range<u64>) -> Range<u32> {
        let n = self.accesses.len() as u32;
        if !self.is_time {
            let row = |x: u64| u32::try_from(x).map_or(n, |x| x.min(n));
            return row(x.start)..row(x.end).max(row(x.start));
        }
        let first = |x: u64| {
            let (mut low, mut high) = (0, n);
            while low < high {
                let middle = low + (high - low) / 2;
                if self.x(middle) < x { low = middle + 1 } else { high = middle }
            }
            low
        };
        first(x.start)..first(x.end).max(first(x.start))
    }

    /// The rows that lie in a window of the axis, at least partly.
    pub fn rows_seen(self, (from, to): (f64, f64)) -> Range<u32> {
        self.rows(from.max(0.0).floor() as u64..to.max(0.0).ceil() as u64)
    }

    /// What a place is called: the position of a record, or the time.
    pub fn position(self, x: u64) -> u64 {
        if self.is_time {
            self.accesses.position(0).saturating_add(x)
        } else {
            self.accesses.position(u32::try_from(x).unwrap_or(u32::MAX))
        }
    }
}
