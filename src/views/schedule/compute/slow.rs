//! What slow blocks have in common: a coordinate, a unit, a wave.
//!
//! Slow is longer than p50 by more than 15 %. Something is common when at least half of the slow blocks have it, and at
//! least twice as many of them as of all blocks; of several, the one with the greatest difference of both shares.

use super::Schedule;
use super::arrange::PIECE;
use crate::base::job::{Turn, pieces};
use serde::{Deserialize, Serialize};
use std::ops::Range;

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

/// What blocks can have in common: three coordinates, the unit, the wave.
const KEYS: usize = 5;

/// Finds out what slow blocks have in common, one key of all blocks after the other. Blocks are ranked.
pub(super) async fn find_common(schedule: &Schedule, turn: &Turn) -> Option<Common> {
    let median = schedule.numbers.percentiles[0];
    let limit = median.saturating_add(median / 100 * SLOW + median % 100 * SLOW / 100);
    let n = schedule.len();
    let fast = schedule.by_elapsed.partition_point(|row| schedule.elapsed[*row as usize] <= limit);
    let slow = (n - fast) as u64;
    if slow < LEAST || (n as u64) < 2 * slow {
        return None;
    }
    let mut best = None;
    for key in 0..KEYS {
        let values = match key {
            axis @ 0..3 => schedule.launch.grid[axis] as usize,
            3 => schedule.units.len(),
            _ => schedule.numbers.n_waves() as usize,
        };
        let least = if key == 4 { 1 } else { 2 };
        let most = if key == 3 { usize::MAX } else { VALUES };
        if !(least..=most).contains(&values) {
            continue;
        }
        let mut finding = Finding { limit, slow, key, counts: vec![(0, 0); values], best };
        for piece in pieces(n, PIECE) {
            match key {
                axis @ 0..3 => finding.count(piece, schedule, |row| schedule.at(row)[axis]),
                3 => finding.count(piece, schedule, |row| schedule.unit[row as usize]),
                _ => finding.count(piece, schedule, |row| schedule.wave(row)),
            }
            turn.pause().await;
        }
        finding.offer_all(schedule);
        best = finding.best;
    }
    best.map(|(_, common)| common)
}

/// The search by one key.
struct Finding {
    /// Longer ones are slow.
    limit: u64,
    slow: u64,
    key: usize,
    /// How many slow blocks and how many blocks have each value.
    counts: Vec<(u64, u64)>,
    best: Option<(f64, Common)>,
}

impl Finding {
    fn count(&mut self, rows: Range<usize>, schedule: &Schedule, key: impl Fn(u32) -> u32) {
        for (row, elapsed) in (rows.start as u32..).zip(&schedule.elapsed[rows.clone()]) {
            // Numbers of blocks beyond the grid have no place in it.
            if let Some((with, all)) = self.counts.get_mut(key(row) as usize) {
                (*with, *all) = (*with + u64::from(self.limit < *elapsed), *all + 1);
            }
        }
    }

    /// All blocks were counted by this key.
    fn offer_all(&mut self, schedule: &Schedule) {
        let n = schedule.len() as u64;
        let counts = std::mem::take(&mut self.counts);
        let counts: Vec<_> = (0..).zip(counts).filter(|(_, (_, all))| 0 < *all).collect();
        let Ok(axis @ 0..3) = u8::try_from(self.key) else {
            for (value, (with, all)) in counts {
                let is_unit = self.key == 3;
                let unit = |value: u32| Shared::Unit(schedule.units[value as usize].id);
                self.offer(with, all, n, if is_unit { unit(value) } else { Shared::Wave(value) });
            }
            return;
        };
        let (mut above, mut all_above) = (0, 0);
        for (value, (with, all)) in counts.into_iter().rev() {
            self.offer(with, all, n, Shared::Is(axis, value));
            (above, all_above) = (above + with, all_above + all);
            self.offer(above, all_above, n, Shared::AtLeast(axis, value));
        }
    }

    fn offer(&mut self, with: u64, all: u64, n: u64, shared: Shared) {
        let (share, usual) = (with as f64 / self.slow as f64, all as f64 / n as f64);
        let score = share - usual;
        let is_common = 0.5 <= share && 2.0 * usual <= share;
        if is_common && self.best.is_none_or(|(known, _)| known < score) {
            self.best = Some((score, Common { percent: SLOW, slow: self.slow, with, shared }));
        }
    }
}
