//! What a schedule adds up to.
//!
//! * length = running + gaps + idle for each lane: idle is the time before its first and after its last block.
//! * Percentile p is at (n − 1) · p / 100 of the sorted times, between two of them in proportion, rounded to the nearest
//!   whole one; tail = (longest − p50) ÷ p50.
//! * Waves = blocks with a record ÷ lanes, which are counted of the same blocks.

use super::arrange::PIECE;
use super::groups::{Groups, find_groups, find_medians_within};
use super::slow::{Common, find_common};
use super::{Align, Origins, Schedule, UnitRow};
use crate::base::job::{Turn, pieces};
use crate::base::order::{whole_median, whole_percentile};
use serde::{Deserialize, Serialize};

/// Bins of the histogram.
const BINS: usize = 60;
/// How much longer than the median a slow block is, in percent.
pub(super) const SLOW: u64 = 15;

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
    /// What slow blocks have in common, where nothing tells all of them from the others.
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
    schedule.numbers.common = match &groups {
        Some(groups) if groups.by.is_empty() => find_common(schedule, groups.longest_fast(), turn).await,
        Some(_) => None,
        None => {
            let median = schedule.numbers.percentiles[0];
            let limit = median.saturating_add(median / 100 * SLOW + median % 100 * SLOW / 100);
            find_common(schedule, limit, turn).await
        }
    };
    if let Some(groups) = &groups {
        find_medians_within(schedule, groups, turn).await;
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
