//! Sectors in use over time: begins and ends of lifetimes while their kernel runs, then the most in each bin and of all.

use super::bins::BINS;
use super::histogram::Growing;
use serde::{Deserialize, Serialize};

/// Distinct cycles of begins, and of ends, at most: beyond, two neighbors become one.
const MOST: usize = 1 << 21;

/// Begins and ends of lifetimes. Takes eight bytes for each distinct cycle of either.
pub struct GrowingUse {
    /// See [`MOST`].
    most: usize,
    /// A step is this power of two of cycles.
    shift: u32,
    starts: Growing,
    ends: Growing,
}

impl Default for GrowingUse {
    fn default() -> Self {
        Self::up_to(MOST)
    }
}

impl GrowingUse {
    /// Nothing yet; keeps so many distinct cycles of begins, and of ends, exactly.
    pub fn up_to(most: usize) -> Self {
        Self { most, shift: 0, starts: Growing::default(), ends: Growing::default() }
    }

    /// Adds a lifetime.
    pub fn add(&mut self, start: u32, end: u32) {
        if self.most < self.starts.settled().max(self.ends.settled()) {
            self.shift += 1;
            self.starts.halve();
            self.ends.halve();
        }
        self.starts.push(u64::from(start >> self.shift));
        self.ends.push(u64::from(end >> self.shift));
    }

    /// The kernel has ended.
    pub fn finish(self) -> Resident {
        let (starts, ends) = (self.starts.finish(), self.ends.finish());
        let last = ends.pairs().last().map_or(0, |(at, _)| at);
        let mut shift = 0;
        while BINS <= last >> shift {
            shift += 1;
        }
        let n = if ends.is_empty() { 0 } else { (last >> shift) + 1 };
        let mut sectors = vec![0_u64; n as usize];
        let (mut starts, mut ends) = (starts.pairs().peekable(), ends.pairs().peekable());
        let (mut now, mut since) = (0_u64, 0);
        let mut peak = Peak { is_exact: self.shift == 0, ..Peak::default() };
        while let Some(at) = [starts.peek(), ends.peek()].into_iter().flatten().map(|(at, _)| *at).min() {
            // As many from the change before to the step in front of this one.
            for bin in since >> shift..=at.saturating_sub(1) >> shift {
                if let Some(most) = sectors.get_mut(bin as usize).filter(|most| **most < now) {
                    *most = now;
                }
            }
            now += starts.next_if(|(own, _)| *own == at).map_or(0, |(_, n)| n);
            now = now.saturating_sub(ends.next_if(|(own, _)| *own == at).map_or(0, |(_, n)| n));
            since = at;
            if peak.sectors < now {
                (peak.sectors, peak.cycle) = (now, at << self.shift);
            }
        }
        Resident { shift: shift + self.shift, sectors, peak }
    }
}

/// Sectors in use over time, from opening to the end of each lifetime. Data whose only use is the access that brought them
/// in do not count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resident {
    shift: u32,
    /// The most in each bin.
    pub sectors: Vec<u64>,
    /// The most of all, with the cycle of the kernel.
    pub peak: Peak,
}

impl Resident {
    /// Cycles of a bin.
    pub fn bin_cycles(&self) -> u64 {
        1 << self.shift
    }
}

/// The most sectors in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peak {
    /// How many.
    pub sectors: u64,
    /// The first cycle with so many.
    pub cycle: u64,
    /// Whether each cycle was looked at; otherwise it is about so many.
    pub is_exact: bool,
}
