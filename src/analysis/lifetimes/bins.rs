//! Accesses over time and units, and sectors in use over time: bins of a power of two of cycles, doubled when time runs on.

/// Bins of a kernel, at most.
const BINS: u64 = 256;
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

/// Accesses over time and units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heat {
    shift: u32,
    rows: Vec<Vec<HeatCell>>,
}

impl Heat {
    /// Cycles of a bin.
    pub fn bin_cycles(&self) -> u64 {
        1 << self.shift
    }

    /// Bins by the row of the unit, in the order of [`super::Level::units`]; rows may be shorter than others.
    pub fn rows(&self) -> &[Vec<HeatCell>] {
        &self.rows
    }

    /// The cell of a cycle.
    pub(super) fn cell(&mut self, row: usize, cycle: u64) -> Option<&mut HeatCell> {
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
    pub fn halve(&mut self) {
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

    /// Rows in this order of their numbers before.
    pub(super) fn arrange(&mut self, order: &[usize]) {
        self.rows =
            order.iter().map(|row| self.rows.get_mut(*row).map(std::mem::take).unwrap_or_default()).collect();
    }

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }
}

/// Sectors in use over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resident {
    shift: u32,
    /// By how many there are more at the end of a bin than at its begin.
    changes: Vec<i64>,
}

impl Resident {
    /// Cycles of a bin.
    pub fn bin_cycles(&self) -> u64 {
        1 << self.shift
    }

    /// Sectors in use at the end of each bin. Data whose only use is the access that brought them in do not count.
    pub fn sectors(&self) -> impl Iterator<Item = u64> {
        self.changes.iter().scan(0_i64, |sum, change| {
            *sum += change;
            Some(u64::try_from(*sum).unwrap_or(0))
        })
    }

    /// Adds a lifetime.
    pub(super) fn add(&mut self, start: u64, end: u64) {
        while BINS <= end.max(start) >> self.shift {
            self.shift += 1;
            self.changes = self.changes.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        for (cycle, change) in [(start, 1), (end, -1)] {
            let at = usize::try_from(cycle >> self.shift).unwrap_or(0);
            if self.changes.len() <= at {
                self.changes.resize(at + 1, 0);
            }
            if let Some(bin) = self.changes.get_mut(at) {
                *bin += change;
            }
        }
    }
}
