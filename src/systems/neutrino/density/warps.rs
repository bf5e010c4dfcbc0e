//! How many sectors of 32 bytes each access of a warp touches: records with the same number in the threads of a warp. An
//! estimate: threads that do not run together have other numbers.

use super::feed::Input;
use crate::input::source::{Source, read_range};
use crate::systems::neutrino::folder::Folder;
use crate::systems::neutrino::result::{Field, Role};
use crate::views::density::compute::PerWarp;

/// Bytes that are read at most for all warps together, and how many warps are looked at.
const BUDGET: u64 = 32 << 20;
const MOST: u64 = 256;
/// Warps of one step.
const OF_STEP: u64 = 8;
/// Bytes that are read at most of one warp.
const OF_WARP: u64 = 1 << 20;

/// Looking at some warps, evenly spread over the launch.
pub(super) struct Warps {
    source: Source,
    address: Field,
    start: u64,
    record_bytes: u64,
    unit_bytes: u64,
    units_per_block: u64,
    /// Threads of a warp.
    threads: u64,
    /// How many there are.
    all: u64,
    /// Every which warp is looked at.
    every: u64,
    next: u64,
    result: PerWarp,
}

impl Warps {
    /// Begins with the first warp; `None` where units are no threads.
    pub(super) fn new(folder: &Folder) -> Option<Self> {
        let Input::Records(file, section) = Input::of(folder)? else { return None };
        if section.map.is_warp {
            return None;
        }
        let threads = u64::from(file.warp.max(1));
        let units_per_block = section.units_per_block.max(1);
        let warps = (section.addressed / units_per_block).checked_mul(units_per_block.div_ceil(threads))?;
        let cost = section.unit_bytes.saturating_mul(threads).clamp(1, OF_WARP);
        Some(Self {
            source: file.source.clone(),
            address: section.map.field(Role::Address)?.clone(),
            start: section.start,
            record_bytes: section.map.record_bytes().max(1),
            unit_bytes: section.unit_bytes,
            units_per_block,
            threads,
            all: warps,
            every: warps.div_ceil((BUDGET / cost).clamp(1, MOST)).max(1),
            next: 0,
            result: PerWarp { warps, ..PerWarp::default() },
        })
    }

    /// Looks at the next warps; false when all were seen.
    pub(super) fn look_at_some(&mut self) -> bool {
        let (mut n, mut read) = (0, 0);
        while n < OF_STEP && read < OF_WARP && self.next < self.all {
            n += 1;
            read += self.look().unwrap_or(OF_WARP);
            self.next += self.every;
            self.result.looked_at += 1;
        }
        self.next < self.all
    }

    /// Looks at one warp and returns how many bytes that cost.
    fn look(&mut self) -> Option<u64> {
        let per_block = self.units_per_block.div_ceil(self.threads);
        let (block, warp) = (self.next / per_block, self.next % per_block);
        let first = warp * self.threads;
        let n = self.threads.min(self.units_per_block - first);
        let bytes = self.unit_bytes.min((OF_WARP / n / self.record_bytes).max(1) * self.record_bytes);
        let unit = block.checked_mul(self.units_per_block)?.checked_add(first)?;
        let start = self.start.checked_add(unit.checked_mul(self.unit_bytes)?)?;
        // The threads of a warp lie one behind the other: where all of each is read, that is one read.
        let (reads, len) = if bytes == self.unit_bytes { (1, n * bytes) } else { (n, bytes) };
        let mut all = Vec::new();
        for read in 0..reads {
            let at = start.checked_add(read.checked_mul(self.unit_bytes)?)?;
            all.extend(read_range(&*self.source, at..at.checked_add(len)?).ok()?);
        }
        let (size, row) = (usize::try_from(self.record_bytes).ok()?, usize::try_from(bytes).ok()?);
        let mut sectors = Vec::new();
        for at in (0..row).step_by(size) {
            sectors.clear();
            let records = all.chunks(row.max(1)).filter_map(|row| row.get(at..at + size));
            let written = records.filter(|record| record.iter().any(|byte| *byte != 0));
            sectors.extend(written.map(|record| self.address.value(record) >> 5));
            sectors.sort_unstable();
            sectors.dedup();
            if let Some(count) = sectors.len().checked_sub(1).and_then(|n| self.result.counts.get_mut(n)) {
                *count += 1;
            }
        }
        Some(bytes * n)
    }

    /// What was seen.
    pub(super) fn finish(self) -> PerWarp {
        self.result
    }
}
