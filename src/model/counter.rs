//! Counters: samples of quantities over time. A value holds from its sample to the next.

use super::id::StrId;
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::unit::Unit;

/// One quantity of a counter track; several series of a track are stacked.
pub struct Series {
    /// What it is called.
    pub name: StrId,
    /// Unit of its values.
    pub unit: Unit,
    /// When each sample was taken, sorted when the trace is finished.
    pub time: Vec<Ticks>,
    /// The value from then on; NaN is a gap.
    pub value: Vec<f64>,
}

impl Series {
    pub(super) fn sort(&mut self) {
        if self.time.is_sorted() {
            return;
        }
        let order = order::sequence(self.time.len(), &|a, b| self.time[a].cmp(&self.time[b]));
        self.time = order.iter().map(|&i| self.time[i as usize]).collect();
        self.value = order.iter().map(|&i| self.value[i as usize]).collect();
    }
}
