//! What slow blocks have in common: a coordinate, a unit, a wave.
//!
//! Slow is longer than p50 by more than 15 %. Something is common when at least half of the slow blocks have it, and at
//! least twice as many of them as of all blocks; of several, the one with the greatest difference of both shares.

use super::Schedule;
use crate::base::map::Map;
use serde::{Deserialize, Serialize};

/// How much longer than the median a slow block is, in percent.
pub(super) const SLOW: u64 = 15;
/// Fewer slow blocks have nothing in common.
const LEAST: u64 = 4;
/// Coordinates and waves with more values are not looked at.
const VALUES: usize = 1 << 16;

/// What slow blocks have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Common {
    /// How much longer than the median they are, in percent.
    pub percent: u64,
    /// How many slow blocks there are.
    pub slow: u64,
    /// How many of them have it.
    pub with: u64,
    /// What they have.
    pub shared: Shared,
}

/// Something that blocks can have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shared {
    /// A coordinate of the grid (0 is x) with this value.
    Is(u8, u32),
    /// A coordinate with this value or a greater one.
    AtLeast(u8, u32),
    /// The id of their unit.
    Unit(u32),
    /// Their wave, from 0.
    Wave(u32),
}

impl Common {
    /// Looks for what slow blocks have in common.
    pub(super) fn of(schedule: &Schedule) -> Option<Self> {
        let median = schedule.numbers.percentiles[0];
        let is_slow = |row: u32| {
            median.saturating_add(median / 100 * SLOW + median % 100 * SLOW / 100)
                < schedule.elapsed[row as usize]
        };
        let n = schedule.len() as u64;
        // Blocks are ranked: the slow ones stand at the end.
        let slow = n - schedule.by_elapsed.partition_point(|row| !is_slow(*row)) as u64;
        if slow < LEAST || n < 2 * slow {
            return None;
        }
        let mut best: Option<(f64, Self)> = None;
        let mut offer = |with: u64, all: u64, shared: Shared| {
            let (share, usual) = (with as f64 / slow as f64, all as f64 / n as f64);
            let score = share - usual;
            let is_common = 0.5 <= share && 2.0 * usual <= share;
            if is_common && best.is_none_or(|(known, _)| known < score) {
                best = Some((score, Self { percent: SLOW, slow, with, shared }));
            }
        };
        let count = |key: &dyn Fn(u32) -> u32| {
            let mut counts: Map<u32, (u64, u64)> = Map::default();
            for row in 0..n as u32 {
                let (with, all) = counts.entry(key(row)).or_default();
                (*with, *all) = (*with + u64::from(is_slow(row)), *all + 1);
            }
            let mut counts: Vec<(u32, (u64, u64))> = counts.into_iter().collect();
            counts.sort_unstable();
            counts
        };
        for axis in 0..3_u8 {
            let values = schedule.launch.grid[usize::from(axis)] as usize;
            if !(2..=VALUES).contains(&values) {
                continue;
            }
            let (mut above, mut all_above) = (0, 0);
            for (value, (with, all)) in count(&|row| schedule.at(row)[usize::from(axis)]).into_iter().rev() {
                offer(with, all, Shared::Is(axis, value));
                (above, all_above) = (above + with, all_above + all);
                offer(above, all_above, Shared::AtLeast(axis, value));
            }
        }
        if 1 < schedule.units.len() {
            for (unit, (with, all)) in count(&|row| schedule.unit[row as usize]) {
                offer(with, all, Shared::Unit(schedule.units[unit as usize].id));
            }
        }
        if schedule.numbers.n_waves() as usize <= VALUES {
            for (wave, (with, all)) in count(&|row| schedule.wave(row)) {
                offer(with, all, Shared::Wave(wave));
            }
        }
        best.map(|(_, common)| common)
    }
}
