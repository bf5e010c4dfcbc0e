//! How many sectors of 32 bytes each access of a warp touches: records with the same number in the threads of a warp. An
//! estimate: threads that do not run together have other numbers.

use super::feed::Input;
use crate::analysis::density::PerWarp;
use crate::input::source::Source;
use crate::systems::neutrino::folder::Folder;
use crate::systems::neutrino::result::{Field, Role};

/// Bytes that are read at most for all warps together.
const BUDGET: u64 = 32 << 20;
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
    warps: u64,
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
            warps,
            every: warps.div_ceil((BUDGET / cost).max(1)).max(1),
            next: 0,
            result: PerWarp { warps, ..PerWarp::default() },
        })
    }

    /// Looks at the next warps; false when all were seen.
    pub(super) fn step(&mut self) -> bool {
        let mut read = 0;
        while read < OF_WARP && self.next < self.warps {
            read += self.look().unwrap_or(OF_WARP);
            self.next += self.every;
            self.result.looked_at += 1;
        }
        self.next < self.warps
    }

    /// Looks at one warp and returns how many bytes that cost.
    fn look(&mut self) -> Option<u64> {
        let per_block = self.units_per_block.div_ceil(self.threads);
        let (block, warp) = (self.next / per_block, self.next % per_block);
        let first = warp * self.threads;
        let n = self.threads.min(self.units_per_block - first);
        let bytes = self.unit_bytes.min((OF_WARP / n / self.record_bytes).max(1) * self.record_bytes);
        let mut rows: Vec<Vec<u8>> = Vec::new();
        for thread in 0..n {
            let unit = block.checked_mul(self.units_per_block)?.checked_add(first + thread)?;
            let at = self.start.checked_add(unit.checked_mul(self.unit_bytes)?)?;
            rows.push(crate::input::source::read_range(&*self.source, at..at.checked_add(bytes)?).ok()?);
        }
        let size = usize::try_from(self.record_bytes).ok()?;
        let mut sectors = Vec::new();
        for index in 0..usize::try_from(bytes / self.record_bytes).ok()? {
            sectors.clear();
            let records = rows.iter().filter_map(|row| row.get(index * size..(index + 1) * size));
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
