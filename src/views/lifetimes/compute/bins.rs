//! Accesses over time and units: bins of a power of two of cycles, doubled when time runs on.

use super::Outcome;

/// Bins of a kernel, at most.
pub(super) const BINS: u64 = 256;
/// Units that have bins, at most: the rest would be damage.
const UNITS: usize = 4096;

/// How often what happened in a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeatCell {
    /// Accesses without retries.
    pub accesses: u32,
    /// Those that did not find their data.
    pub misses: u32,
    /// Lines of accesses that could not be taken.
    pub retries: u32,
}

impl HeatCell {
    #[inline]
    pub(super) fn add(&mut self, outcome: Outcome) {
        if outcome == Outcome::Retry {
            self.retries = self.retries.saturating_add(1);
        } else {
            self.accesses = self.accesses.saturating_add(1);
            self.misses = self.misses.saturating_add(u32::from(outcome == Outcome::Miss));
        }
    }
}

/// Accesses over time and units, while their kernel runs.
#[derive(Clone, Debug, Default)]
pub struct GrowingHeat {
    shift: u32,
    rows: Vec<Vec<HeatCell>>,
}

impl GrowingHeat {
    /// The cell of a cycle.
    pub fn cell(&mut self, row: usize, cycle: u64) -> Option<&mut HeatCell> {
        if UNITS <= row {
            return None;
        }
        while BINS <= cycle >> self.shift {
            self.halve();
        }
        if self.rows.len() <= row {
            self.rows.resize_with(row + 1, Vec::new);
        }
        let at = usize::try_from(cycle >> self.shift).ok()?;
        let row = self.rows.get_mut(row)?;
        if row.len() <= at {
            row.resize(at + 1, HeatCell::default());
        }
        row.get_mut(at)
    }

    /// Half as many bins, twice as wide.
    fn halve(&mut self) {
        self.shift += 1;
        for row in &mut self.rows {
            let two = |pair: &[HeatCell]| {
                pair.iter().fold(HeatCell::default(), |sum, cell| HeatCell {
                    accesses: sum.accesses.saturating_add(cell.accesses),
                    misses: sum.misses.saturating_add(cell.misses),
                    retries: sum.retries.saturating_add(cell.retries),
                })
            };
            *row = row.chunks(2).map(two).collect();
        }
    }

    /// The kernel has ended; its units stand in this order of their rows.
    pub fn finish(self, order: &[usize]) -> Heat {
        let width = self.rows.iter().map(Vec::len).max().unwrap_or(0) as u64;
        let mut heat = Heat { shift: self.shift, width, rows: order.len(), packed: Vec::new() };
        let mut before = 0;
        for (row, from) in order.iter().zip(0_u64..) {
            for (cell, bin) in self.rows.get(*row).into_iter().flatten().zip(0_u64..) {
                if *cell != HeatCell::default() {
                    let at = from * width + bin;
                    heat.push(at - before, cell);
                    before = at;
                }
            }
        }
        heat.packed.shrink_to_fit();
        heat
    }
}

/// Accesses over time and units. A log may have thousands of kernels, most of whose cells are empty or small: the others
/// are kept as bytes, each with its distance from the one before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heat {
    shift: u32,
    /// Bins of a row.
    width: u64,
    rows: usize,
    packed: Vec<u8>,
}

impl Heat {
    /// Cycles of a bin.
    pub fn bin_cycles(&self) -> u64 {
        1 << self.shift
    }

    /// Bins of a row.
    pub fn width(&self) -> usize {
        self.width as usize
    }

    /// Rows: units, in the order of [`super::Level::units`].
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// Cells that are not empty, each with its number: row by row.
    pub fn cells(&self) -> impl Iterator<Item = (usize, HeatCell)> {
        let (mut rest, mut at) = (self.packed.as_slice(), 0_u64);
        std::iter::from_fn(move || {
            at += number(&mut rest)?;
            let accesses = number(&mut rest)?;
            let mut part = |bit: u64| if accesses & bit == 0 { Some(0) } else { number(&mut rest) };
            let (misses, retries) = (part(HAS_MISSES)?, part(HAS_RETRIES)?);
            let cell = [accesses >> 2, misses, retries].map(|n| n as u32);
            let cell = HeatCell { accesses: cell[0], misses: cell[1], retries: cell[2] };
            Some((at as usize, cell))
        })
    }

    fn push(&mut self, distance: u64, cell: &HeatCell) {
        let (misses, retries) = (u64::from(cell.misses), u64::from(cell.retries));
        let flag = |n: u64, bit: u64| if n == 0 { 0 } else { bit };
        let flags = flag(misses, HAS_MISSES) | flag(retries, HAS_RETRIES);
        let parts = [Some(distance), Some(u64::from(cell.accesses) << 2 | flags)];
        let rest = [misses, retries].map(|n| Some(n).filter(|n| *n != 0));
        for mut n in parts.into_iter().chain(rest).flatten() {
            while MORE <= n {
                self.packed.push(((n % MORE) | MORE) as u8);
                n /= MORE;
            }
            self.packed.push(n as u8);
        }
    }
}

/// Whether misses, and whether retries follow the accesses of a cell.
const HAS_MISSES: u64 = 1;
const HAS_RETRIES: u64 = 2;
/// A byte has seven bits of a number; this one says that more follow.
const MORE: u64 = 128;

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let (mut n, mut shift) = (0, 0);
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        n |= (u64::from(*byte) % MORE) << shift;
        if u64::from(*byte) < MORE {
            return Some(n);
        }
        shift += 7;
    }
}
