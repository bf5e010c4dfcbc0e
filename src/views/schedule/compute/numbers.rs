//! What a schedule adds up to.
//!
//! * length = running + gaps + idle for each lane: idle is the time before its first and after its last block.
//! * Percentile p is at (n − 1) · p / 100 of the sorted times, between two of them in proportion, rounded to the nearest
//!   whole one; tail = (longest − p50) ÷ p50.
//! * Waves = blocks with a record ÷ lanes, which are counted of the same blocks.

use super::arrange::PIECE;
use super::groups::{Groups, find_groups, find_medians_within};
use super::{Align, Origins, Schedule, UnitRow};
use crate::base::job::{Turn, pieces};
use crate::base::order::{whole_median, whole_percentile};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Bins of the histogram.
const BINS: usize = 60;

/// What a tool itself computes: means over units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFigures {
    pub blocks: u64,
    /// Units that ran them.
    pub units: u64,
    /// Time that blocks run.
    pub running: u64,
    /// Time that it takes for scheduling.
    pub scheduling: u64,
}

/// How the lanes spend the time, as means over lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaneTime {
    /// Blocks run.
    pub running: f64,
    /// Between two blocks.
    pub gap: f64,
    /// Before the first and after the last block.
    pub idle: f64,
    /// All of it.
    pub length: f64,
}

/// Counts of blocks by how long they ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ElapsedBins {
    /// Where the first bin begins.
    pub from: f64,
    /// Width of a bin.
    pub step: f64,
    /// Blocks of each bin.
    pub counts: Vec<u32>,
}

/// How far the parts of a block are apart: from the earliest to the latest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skew {
    /// Of their starts.
    pub start: u64,
    /// Of their ends.
    pub end: u64,
}

/// What a schedule adds up to, whatever the alignment of units.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Numbers {
    /// Blocks with a record.
    pub blocks: u64,
    /// Units that ran them.
    pub units: u32,
    /// Lanes of all units.
    pub lanes: u32,
    /// The most lanes of a unit.
    pub most_lanes: u32,
    /// Time that blocks run, mean over units.
    pub running: f64,
    /// Gaps, mean over units.
    pub gap: f64,
    pub shortest: u64,
    /// p50, p90 and p99, rounded to whole ones.
    pub percentiles: [u64; 3],
    pub longest: u64,
    /// Blocks with a record over lanes.
    pub waves: f64,
    /// Blocks of the last wave.
    pub last_wave: u32,
    /// Medians over blocks with several parts.
    pub skew: Option<Skew>,
    /// How long blocks ran.
    pub bins: ElapsedBins,
    /// What slow blocks have in common, where they are exceptions.
    pub common: Option<Common>,
    /// The groups that blocks fall into.
    pub groups: Option<Groups>,
}

impl Numbers {
    /// How much longer the longest block is than the median, as a share of it.
    pub fn tail(&self) -> f64 {
        let median = self.percentiles[0] as f64;
        (self.longest as f64 - median) / median.max(1.0)
    }

    /// How many waves there are, the last one counted as a whole.
    pub fn n_waves(&self) -> u32 {
        self.waves.ceil() as u32
    }
}

/// A schedule gets its numbers: blocks are on lanes and ranked.
pub(super) async fn sum(schedule: &mut Schedule, turn: &Turn) {
    let mut numbers = begin(schedule);
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    for piece in pieces(schedule.len(), PIECE) {
        let bins = &mut numbers.bins;
        for elapsed in schedule.elapsed.get(piece.clone()).unwrap_or_default() {
            let at = ((elapsed - numbers.shortest) as f64 / bins.step) as usize;
            if let Some(count) = bins.counts.get_mut(at.min(BINS - 1)) {
                *count += 1;
            }
        }
        if !schedule.parts.is_empty() {
            for skew in piece.filter_map(|row| schedule.skew_of(row as u32)) {
                starts.push(skew.start);
                ends.push(skew.end);
            }
        }
        turn.pause().await;
    }
    let start = whole_median(&mut starts);
    turn.pause().await;
    find_medians(schedule, turn).await;
    numbers.skew = start.zip(whole_median(&mut ends)).map(|(start, end)| Skew { start, end });
    turn.pause().await;
    schedule.numbers = numbers;
    let groups = find_groups(schedule, turn).await;
    match &groups {
        Some(groups) => find_medians_within(schedule, groups, turn).await,
        None => schedule.numbers.common = find_common(schedule, turn).await,
    }
    schedule.numbers.groups = groups;
}

/// The median block of each unit: blocks are passed from the shortest to the longest.
async fn find_medians(schedule: &mut Schedule, turn: &Turn) {
    let Schedule { by_elapsed, elapsed, unit, units, .. } = schedule;
    let mut passed = vec![0_u32; units.len()];
    for rows in by_elapsed.chunks(PIECE) {
        for row in rows {
            let (Some(unit), Some(elapsed)) = (unit.get(*row as usize), elapsed.get(*row as usize)) else {
                continue;
            };
            let at = *unit as usize;
            let (Some(unit), Some(passed)) = (units.get_mut(at), passed.get_mut(at)) else { continue };
            let (low, high) = (unit.blocks.saturating_sub(1) / 2, unit.blocks / 2);
            unit.median +=
                [low, high].iter().filter(|rank| *rank == passed).count() as f64 * *elapsed as f64 / 2.0;
            *passed += 1;
        }
        turn.pause().await;
    }
}

/// What is known without a look at each block.
fn begin(schedule: &Schedule) -> Numbers {
    let (n, lanes) = (schedule.len(), schedule.lanes.len());
    let ranked = |rank: usize| schedule.by_elapsed.get(rank).map_or(0, |row| schedule.elapsed_of(*row));
    let percentile = |percent: usize| whole_percentile(n, percent, ranked);
    let units = &schedule.units;
    let mean = |sum: f64| sum / (units.len().max(1) as f64);
    let (shortest, longest) = (percentile(0), percentile(100));
    let rest = n.checked_rem(lanes).unwrap_or(0);
    let step = ((longest - shortest) as f64 / BINS as f64).max(1.0);
    let bins = (((longest - shortest) as f64 / step) as usize + 1).min(BINS);
    Numbers {
        blocks: n as u64,
        units: units.len() as u32,
        lanes: lanes as u32,
        most_lanes: units.iter().map(|unit| unit.lanes.len() as u32).max().unwrap_or(0),
        running: mean(units.iter().map(|unit| unit.running as f64).sum()),
        gap: mean(units.iter().map(|unit| unit.gap as f64).sum()),
        shortest,
        percentiles: [50, 90, 99].map(percentile),
        longest,
        waves: n as f64 / (lanes.max(1) as f64),
        last_wave: if rest == 0 { lanes.min(n) as u32 } else { rest as u32 },
        skew: None,
        bins: ElapsedBins { from: shortest as f64, step, counts: vec![0; bins] },
        common: None,
        groups: None,
    }
}

impl Schedule {
    /// How far the parts of a block are apart; `None` where it has one.
    pub fn skew_of(&self, row: u32) -> Option<Skew> {
        let (mut starts, mut ends, mut n) = ((u64::MAX, 0), (u64::MAX, 0), 0);
        for part in self.parts_of(row) {
            let end = part.start.saturating_add(part.elapsed);
            starts = (part.start.min(starts.0), part.start.max(starts.1));
            ends = (end.min(ends.0), end.max(ends.1));
            n += 1;
        }
        (1 < n).then(|| Skew { start: starts.1 - starts.0, end: ends.1 - ends.0 })
    }

    /// How the lanes spend the time. Where times of units cannot be compared, each unit ends with its own last block.
    pub fn lane_time(&self, align: Align) -> LaneTime {
        let origins = self.origins(align);
        let lanes = (self.lanes.len().max(1)) as f64;
        let (mut running, mut gap, mut length) = (0.0, 0.0, 0.0);
        for unit in &self.units {
            running += unit.running as f64;
            gap += unit.gap as f64;
            length += origins.time_of_lanes(unit);
        }
        let (running, gap, length) = (running / lanes, gap / lanes, length / lanes);
        LaneTime { running, gap, idle: (length - running - gap).max(0.0), length }
    }

    /// The share of the time of its lanes that a unit runs blocks, and the share that is gaps.
    pub fn shares(&self, unit: &UnitRow, origins: &Origins) -> (f64, f64) {
        let all = origins.time_of_lanes(unit).max(1.0);
        (unit.running as f64 / all, unit.gap as f64 / all)
    }
}

// What slow blocks have in common: a coordinate, a unit, a wave.
//
// Slow is longer than p50 by more than 15 %. Something is common when at least half of the slow blocks have it, and at
// least twice as many of them as of all blocks; of several, the one with the greatest difference of both shares.

/// How much longer than the median a slow block is, in percent.
pub(super) const SLOW: u64 = 15;
/// Fewer slow blocks have nothing in common.
const LEAST: u64 = 4;
/// Coordinates and waves with more values are not looked at.
pub(super) const VALUES: usize = 1 << 16;

/// What slow blocks have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Common {
    /// How much longer than the median they are, in percent.
    pub percent: u64,
    pub slow: u64,
    /// How many of them have it.
    pub with: u64,
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

/// What blocks can have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    X,
    Y,
    Z,
    Unit,
    Wave,
}

/// Finds out what slow blocks have in common, one key of all blocks after the other. Blocks are ranked.
async fn find_common(schedule: &Schedule, turn: &Turn) -> Option<Common> {
    let median = schedule.numbers.percentiles[0];
    let limit = median.saturating_add(median / 100 * SLOW + median % 100 * SLOW / 100);
    let n = schedule.len();
    let fast = schedule.by_elapsed.partition_point(|row| schedule.elapsed_of(*row) <= limit);
    let slow = (n - fast) as u64;
    if slow < LEAST || (n as u64) < 2 * slow {
        return None;
    }
    let mut best = None;
    let [x, y, z] = schedule.launch.grid.map(|n| n as usize);
    let (units, waves) = (schedule.units.len(), schedule.numbers.n_waves() as usize);
    let keys = [(Key::X, x), (Key::Y, y), (Key::Z, z), (Key::Unit, units), (Key::Wave, waves)];
    for (key, values) in keys {
        let least = if key == Key::Wave { 1 } else { 2 };
        let most = if key == Key::Unit { usize::MAX } else { VALUES };
        if !(least..=most).contains(&values) {
            continue;
        }
        let mut finding = Finding { limit, slow, key, counts: vec![(0, 0); values], best };
        for piece in pieces(n, PIECE) {
            match key {
                Key::X => finding.count(piece, schedule, |row| {
                    let [x, _, _] = schedule.at(row);
                    x
                }),
                Key::Y => finding.count(piece, schedule, |row| {
                    let [_, y, _] = schedule.at(row);
                    y
                }),
                Key::Z => finding.count(piece, schedule, |row| {
                    let [_, _, z] = schedule.at(row);
                    z
                }),
                Key::Unit => {
                    let unit = |row: u32| schedule.unit.get(row as usize).copied();
                    finding.count(piece, schedule, |row| unit(row).unwrap_or(u32::MAX));
                }
                Key::Wave => finding.count(piece, schedule, |row| schedule.wave(row)),
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
    key: Key,
    /// How many slow blocks and how many blocks have each value.
    counts: Vec<(u64, u64)>,
    best: Option<(f64, Common)>,
}

impl Finding {
    fn count(&mut self, rows: Range<usize>, schedule: &Schedule, key: impl Fn(u32) -> u32) {
        for (row, elapsed) in (rows.start as u32..).zip(schedule.elapsed.get(rows).unwrap_or_default()) {
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
        let axis = match self.key {
            Key::X => 0,
            Key::Y => 1,
            Key::Z => 2,
            Key::Unit => {
                for (row, (with, all)) in counts {
                    let Some(unit) = schedule.units.get(row as usize) else { continue };
                    self.offer(with, all, n, Shared::Unit(unit.id));
                }
                return;
            }
            Key::Wave => {
                for (wave, (with, all)) in counts {
                    self.offer(with, all, n, Shared::Wave(wave));
                }
                return;
            }
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
