//! Gives out lanes: every slice gets the lowest lane that is free at its start.
//!
//! A lane is free when its last slice has ended; slices that only touch share a lane, slices that overlap never do, so
//! nothing is ever drawn over something else. The lanes' ends are kept in a tree of minima, so that one slice costs the
//! logarithm of the number of lanes: a nesting of 100,000 is no trouble.

use crate::analysis::ends::Ends;
use crate::base::time::Ticks;

/// Most lanes of one track. Slices that find none are counted and not drawn; they stay in tables and searches.
pub const MAX_LANES: usize = 1 << 18;

/// The ends of all lanes of a track.
#[derive(Default)]
pub(super) struct Picker {
    ends: Ends<false>,
    used: usize,
}

impl Picker {
    /// The lowest lane whose last slice has ended at `start`; it is taken until `end`. `None` when there are too many lanes.
    pub(super) fn take(&mut self, start: Ticks, end: Ticks) -> Option<usize> {
        if start < self.ends.all() {
            if MAX_LANES <= self.ends.len() {
                return None;
            }
            self.ends.grow();
        }
        let lane = self.ends.first(|end| end <= start);
        self.used = self.used.max(lane + 1);
        self.ends.set(lane, end);
        Some(lane)
    }

    /// Lets a lane end later than it was taken for.
    pub(super) fn extend(&mut self, lane: usize, end: Ticks) {
        if self.ends.at(lane) < end {
            self.ends.set(lane, end);
        }
    }

    /// When the lane's last slice ends.
    pub(super) fn end(&self, lane: usize) -> Ticks {
        self.ends.at(lane)
    }
}
