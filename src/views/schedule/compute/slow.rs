//! What slow blocks have in common: a coordinate, a unit, a wave.
//!
//! Slow is longer than p50 by more than 15 %. Something is common when at least half of the slow blocks have it, and at
//! least twice as many of them as of all blocks; of several, the one with the greatest difference of both shares.

use super::Schedule;
use super::arrange::PIECE;
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

/// The search for what slow blocks have in common: a key of all blocks after the other.
pub(super) struct Finding {
    /// Longer ones are slow.
    limit: u64,
    slow: u64,
    /// The key whose values are counted.
    key: usize,
    at: usize,
    /// How many slow blocks and how many blocks have each value.
    counts: Vec<(u64, u64)>,
    best: Option<(f64, Common)>,
}

/// What blocks can have in common: three coordinates, the unit, the wave.
const KEYS: usize = 5;

impl Finding {
    /// Begins; blocks are ranked.
    pub(super) fn new(schedule: &Schedule) -> Self {
        let median = schedule.numbers.percentiles[0];
        let limit = median.saturating_add(median / 100 * SLOW + median % 100 * SLOW / 100);
        let n = schedule.len();
        let fast = schedule.by_elapsed.partition_point(|row| schedule.elapsed[*row as usize] <= limit);
        let slow = (n - fast) as u64;
        let is_few = slow < LEAST || (n as u64) < 2 * slow;
        Self { limit, slow, key: if is_few { KEYS } else { 0 }, at: 0, counts: Vec::new(), best: None }
    }

    /// Counts the next piece; false when all was counted.
    pub(super) fn step(&mut self, schedule: &Schedule) -> bool {
        let values = match self.key {
            axis @ 0..3 => schedule.launch.grid[axis] as usize,
            3 => schedule.units.len(),
            4 => schedule.numbers.n_waves() as usize,
            _ => return false,
        };
        let least = if self.key == 4 { 1 } else { 2 };
        let most = if self.key == 3 { usize::MAX } else { VALUES };
        if !(least..=most).contains(&values) {
            self.key += 1;
            return true;
        }
        self.counts.resize(values, (0, 0));
        let piece = self.at..schedule.len().min(self.at + PIECE);
        self.at = piece.end;
        match self.key {
            axis @ 0..3 => self.count(piece, schedule, |row| schedule.at(row)[axis]),
            3 => self.count(piece, schedule, |row| schedule.unit[row as usize]),
            _ => self.count(piece, schedule, |row| schedule.wave(row)),
        }
        if self.at == schedule.len() {
            self.offer_all(schedule);
            (self.key, self.at) = (self.key + 1, 0);
        }
        true
    }

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

    /// What was found, after the last step.
    pub(super) fn finish(&self) -> Option<Common> {
        self.best.map(|(_, common)| common)
    }
}
