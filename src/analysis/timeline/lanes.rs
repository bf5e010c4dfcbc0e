//! Gives out lanes, and remembers them: every slice gets the lowest lane that is free at its start.
//!
//! A lane is free when its last slice has ended; slices that only touch share a lane, slices that overlap never do, so
//! nothing is ever drawn over something else. The lanes' ends are kept in a tree of minima, so that one slice costs the
//! logarithm of the number of lanes: a nesting of 100,000 is no trouble.

use crate::analysis::ends::Ends;
use crate::base::map::Map;
use crate::base::time::Ticks;
use crate::model::chunked::Chunked;

/// Most lanes of one track. Slices that find none are counted and not drawn; they stay in tables and searches.
pub const MAX_LANES: usize = 1 << 18;

/// The ends of all lanes of a track.
#[derive(Default)]
pub(super) struct Picker {
    ends: Ends,
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
}

/// The lane of each row, in a byte as long as there are few.
#[derive(Default)]
pub(super) struct Numbers {
    /// [`NONE`] for rows without a lane, [`MORE`] for a lane that needs more than a byte: then it stands in `far`.
    near: Chunked<u8>,
    /// Rows on the lanes from number [`MORE`] on, with their lanes.
    far: Map<u32, u32>,
}

const NONE: u8 = u8::MAX;
const MORE: u8 = u8::MAX - 1;

impl Numbers {
    /// Sets the lane of a row; `None` when it found none.
    #[inline]
    pub(super) fn set(&mut self, row: usize, lane: Option<usize>) {
        let near = match lane {
            None => NONE,
            Some(lane) if lane < usize::from(MORE) => lane as u8,
            Some(lane) => {
                self.far.insert(row as u32, lane as u32);
                MORE
            }
        };
        if row == self.near.len() {
            self.near.push(near);
        } else {
            self.near.grow_to(row + 1, &NONE);
            self.near[row] = near;
        }
    }

    /// The lane of a row that was set.
    pub(super) fn get(&self, row: usize) -> Option<usize> {
        match *self.near.get(row)? {
            NONE => None,
            MORE => self.far.get(&(row as u32)).map(|&lane| lane as usize),
            lane => Some(usize::from(lane)),
        }
    }

    /// Gives back memory that was held for rows to come.
    pub(super) fn shrink(&mut self) {
        self.near.shrink_to_fit();
        self.far.shrink_to_fit();
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.near.capacity() + self.far.capacity() * 9
    }
}
