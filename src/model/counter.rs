//! Counters: samples of quantities over time. A value holds from its sample to the next.

use super::build::sorting::Rows;
use super::chunked::Chunked;
use super::id::StrId;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use std::cmp::Ordering;

/// One quantity of a counter track; several series of a track are stacked.
pub struct Series {
    /// What it is called.
    pub name: StrId,
    /// Unit of its values.
    pub unit: Unit,
    /// When each sample was taken, sorted when the trace is finished.
    pub time: Chunked<Ticks>,
    /// The value from then on; NaN is a gap.
    pub value: Chunked<f64>,
}

/// In order of time; equal ones stay as they came.
impl Rows for Series {
    fn n_rows(&self) -> usize {
        self.time.len()
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        self.time[a].cmp(&self.time[b])
    }

    fn key(&self, row: usize) -> (Ticks, Ticks) {
        (self.time[row], 0)
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.time.swap(a, b);
        self.value.swap(a, b);
    }

    fn shrink(&mut self) {
        self.time.shrink_to_fit();
        self.value.shrink_to_fit();
    }
}
