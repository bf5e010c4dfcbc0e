//! Gives out lanes, and remembers them: every slice gets the lowest lane that is free at its start.
//!
//! A lane is free when its last slice has ended; slices that only touch share a lane, slices that overlap never do, so
//! nothing is ever drawn over something else. The lanes' ends are kept in a tree of minima, so that one slice costs the
//! logarithm of the number of lanes: a nesting of 100,000 is no trouble.

use crate::base::map::Map;
use crate::base::time::Ticks;

/// Most lanes of one track. Slices that find none are counted and not drawn; they stay in tables and searches.
pub const MAX_LANES: usize = 1 << 18;

/// The ends of all lanes of a track.
pub(super) struct Picker {
    /// A binary tree in an array: children of `i` are `2i` and `2i + 1`, leaves begin at `leaves`; each node is the
    /// least end below it. A lane without slices ends before all time.
    least: Vec<Ticks>,
    leaves: usize,
    used: usize,
}

impl Default for Picker {
    fn default() -> Self {
        Self { least: vec![Ticks::MIN; 2], leaves: 1, used: 0 }
    }
}

impl Picker {
    /// The lowest lane whose last slice has ended at `start`; it is taken until `end`. `None` when there are too many lanes.
    pub(super) fn take(&mut self, start: Ticks, end: Ticks) -> Option<usize> {
        if start < self.least[1] {
            if MAX_LANES <= self.leaves {
                return None;
            }
            self.grow();
        }
        let mut at = 1;
        while at < self.leaves {
            at *= 2;
            if start < self.least[at] {
                at += 1;
            }
        }
        let lane = at - self.leaves;
        self.used = self.used.max(lane + 1);
        self.set(lane, end);
        Some(lane)
    }

    /// Lets a lane end later than it was taken for.
    pub(super) fn extend(&mut self, lane: usize, end: Ticks) {
        if self.least[self.leaves + lane] < end {
            self.set(lane, end);
        }
    }

    /// When the lane's last slice ends.
    pub(super) fn end(&self, lane: usize) -> Ticks {
        self.least.get(self.leaves + lane).copied().unwrap_or(Ticks::MIN)
    }

    fn set(&mut self, lane: usize, end: Ticks) {
        let mut at = self.leaves + lane;
        self.least[at] = end;
        while 1 < at {
            at /= 2;
            let least = self.least[2 * at].min(self.least[2 * at + 1]);
            if self.least[at] == least {
                break;
            }
            self.least[at] = least;
        }
    }

    fn grow(&mut self) {
        let old = self.leaves;
        let mut least = vec![Ticks::MIN; 4 * old];
        least[2 * old..3 * old].copy_from_slice(&self.least[old..]);
        for at in (1..2 * old).rev() {
            least[at] = least[2 * at].min(least[2 * at + 1]);
        }
        self.least = least;
        self.leaves = 2 * old;
    }
}

/// The lane of each row, in a byte as long as there are few.
#[derive(Default)]
pub(super) struct Numbers {
    /// [`NONE`] for rows without a lane, [`MORE`] for a lane that needs more than a byte: then it stands in `far`.
    near: Vec<u8>,
    /// Rows on the lanes from number [`MORE`] on, with their lanes.
    far: Map<u32, u32>,
}

const NONE: u8 = u8::MAX;
const MORE: u8 = u8::MAX - 1;

impl Numbers {
    /// Sets the lane of a row; `None` when it found none.
    pub(super) fn set(&mut self, row: usize, lane: Option<usize>) {
        if self.near.len() <= row {
            self.near.resize(row + 1, NONE);
        }
        self.near[row] = match lane {
            None => NONE,
            Some(lane) if lane < usize::from(MORE) => lane as u8,
            Some(lane) => {
                self.far.insert(row as u32, lane as u32);
                MORE
            }
        };
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
