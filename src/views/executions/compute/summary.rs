//! What many executions add up to: the block that is most frequent in them, mean lanes, bytes moved and used.

use super::{DIVERGENT, Executions, INCOMPLETE, NO_BLOCK, NO_LANES};

/// Blocks that are counted at once.
const BLOCKS: usize = 4;

/// The most frequent blocks by the rule of Misra and Gries: no count is too high, and none is too low by more than a fifth
/// of all; with at most four different blocks all are exact. Where counts have cancelled each other out, a block of before
/// stands for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Top {
    blocks: [u32; BLOCKS],
    counts: [u32; BLOCKS],
}

impl Default for Top {
    fn default() -> Self {
        Self { blocks: [NO_BLOCK; BLOCKS], counts: [0; BLOCKS] }
    }
}

impl Top {
    /// Counts a block so many times.
    #[inline]
    pub fn add(&mut self, block: u32, mut n: u32) {
        for (own, count) in self.blocks.iter().zip(&mut self.counts) {
            if *own == block && 0 < *count {
                *count = count.saturating_add(n);
                return;
            }
        }
        while 0 < n {
            let least = self.counts.iter().copied().min().unwrap_or(0);
            if least == 0 {
                let mut places = self.blocks.iter_mut().zip(&mut self.counts);
                if let Some((own, count)) = places.find(|(_, count)| **count == 0) {
                    (*own, *count) = (block, n);
                }
                return;
            }
            let by = least.min(n);
            self.counts.iter_mut().for_each(|count| *count -= by);
            n -= by;
        }
    }

    /// Counts what was counted elsewhere.
    pub fn merge(&mut self, other: &Self) {
        for (block, count) in other.blocks.iter().zip(other.counts) {
            self.add(*block, count);
        }
        if self.first() == (NO_BLOCK, 0) {
            self.blocks[0] = other.first().0;
        }
    }

    /// The most frequent block, and how often it was counted; the first one of equals.
    pub fn first(&self) -> (u32, u32) {
        let mut best = (NO_BLOCK, 0);
        for (block, count) in self.blocks.iter().zip(self.counts) {
            if best.1 < count || (best.1 == count && 0 < count && *block < best.0) {
                best = (*block, count);
            }
        }
        if best.1 == 0 { (self.blocks[0], 0) } else { best }
    }
}

/// What executions add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub executions: u64,
    /// Their blocks.
    pub top: Top,
    /// Active lanes of those that have some recorded, and how many these are.
    pub lanes: u64,
    /// How many have lanes recorded.
    pub known: u64,
    /// Bytes moved.
    pub moved: u64,
    /// Distinct bytes asked for.
    pub used: u64,
    /// Sectors beyond the fewest.
    pub excess: u64,
    /// How many have lanes drop out.
    pub divergent: u64,
    /// How many lack records.
    pub incomplete: u64,
}

impl Summary {
    /// Takes in an execution.
    #[inline]
    pub fn push(&mut self, executions: &Executions, at: usize) {
        self.executions += 1;
        self.top.add(executions.block.get(at).copied().unwrap_or(NO_BLOCK), 1);
        if let Some(lanes) = lanes(executions, at) {
            self.lanes += u64::from(lanes);
            self.known += 1;
        }
        self.moved += u64::from(executions.moved.get(at).copied().unwrap_or(0));
        self.used += u64::from(executions.used.get(at).copied().unwrap_or(0));
        self.excess += u64::from(executions.excess.get(at).copied().unwrap_or(0));
        let flags = executions.flags.get(at).copied().unwrap_or(0);
        self.divergent += u64::from(flags & DIVERGENT != 0);
        self.incomplete += u64::from(flags & INCOMPLETE != 0);
    }

    /// Takes in what others add up to.
    pub fn merge(&mut self, other: &Self) {
        self.executions += other.executions;
        self.top.merge(&other.top);
        self.lanes += other.lanes;
        self.known += other.known;
        self.moved += other.moved;
        self.used += other.used;
        self.excess += other.excess;
        self.divergent += other.divergent;
        self.incomplete += other.incomplete;
    }

    /// Mean of active lanes; nothing where nobody recorded them.
    pub fn mean_lanes(&self) -> Option<f64> {
        (0 < self.known).then(|| self.lanes as f64 / self.known as f64)
    }

    /// The used part of what was moved, 0 to 1; nothing where nothing was moved.
    pub fn share(&self) -> Option<f64> {
        (0 < self.moved).then(|| (self.used as f64 / self.moved as f64).min(1.0))
    }
}

/// Active lanes of an execution.
#[inline]
pub fn lanes(executions: &Executions, at: usize) -> Option<u8> {
    executions.lanes.get(at).copied().filter(|lanes| *lanes != NO_LANES)
}
