//! What crosses units: where time 0 of each unit is, and how many blocks are resident at a time.
//!
//! Clocks of units count from different values. A block begins at `start − origin(unit)`, with the origin
//! * the start of the unit's first block: supposes that all units begin together,
//! * the earliest start of all: the clocks as they are,
//! * from a timer that all units share, where records have both: `timer = offset(unit) + cycles ÷ rate`, fitted.

use super::{FoundClock, Schedule, UnitRow};
use serde::{Deserialize, Serialize};

/// How units are aligned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Align {
    /// Each unit from its first block.
    #[default]
    First,
    /// Clocks as they are.
    Raw,
    /// By a timer that all units share.
    Timer,
}

/// Time 0 of each unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origins {
    /// What is taken from a start on the clock of a unit, around the ends of the numbers.
    of: Vec<u64>,
    /// From the first start to the last end.
    pub length: u64,
    /// Whether times of different units can be compared at all.
    pub is_comparable: bool,
    /// Whether they are only as near as the units began together.
    pub is_guessed: bool,
}

/// A clock that all units share.
#[derive(Clone, Debug)]
pub(super) struct SharedClock {
    pub(super) clock: Option<FoundClock>,
    origins: Vec<u64>,
}

impl SharedClock {
    /// The clock of the starts itself.
    pub(super) fn same(schedule: &Schedule) -> Self {
        Self { clock: None, origins: earliest(&schedule.units) }
    }

    /// Fitted to a timer in nanoseconds that was read at the start of each block; `None` where that tells no rate.
    pub(super) fn fit(schedule: &Schedule, timer: &[u64]) -> Option<Self> {
        if timer.len() != schedule.len() {
            return None;
        }
        let zero = timer.iter().min()?;
        let points = || {
            schedule.unit.iter().zip(&schedule.start).zip(timer).filter_map(|((unit, start), timer)| {
                let unit = *unit as usize;
                Some((unit, (start - schedule.units.get(unit)?.first) as f64, (timer - zero) as f64))
            })
        };
        let mut means = vec![(0.0, 0.0); schedule.units.len()];
        for (unit, cycles, nanos) in points() {
            let n = f64::from(schedule.units[unit].blocks);
            means[unit] = (means[unit].0 + cycles / n, means[unit].1 + nanos / n);
        }
        let (mut both, mut square) = (0.0, 0.0);
        for (unit, cycles, nanos) in points() {
            let (cycles, nanos) = (cycles - means[unit].0, nanos - means[unit].1);
            (both, square) = (both + cycles * nanos, square + cycles * cycles);
        }
        let nanos_per_cycle = both / square;
        let mhz = 1e3 / nanos_per_cycle;
        if !(1.0..1e5).contains(&mhz) {
            return None;
        }
        let offsets: Vec<f64> =
            means.iter().map(|(cycles, nanos)| nanos / nanos_per_cycle - cycles).collect();
        let least = offsets.iter().copied().fold(f64::INFINITY, f64::min);
        let origin =
            |(unit, offset): (&UnitRow, f64)| unit.first.wrapping_sub((offset - least).round() as u64);
        let origins = schedule.units.iter().zip(offsets).map(origin).collect();
        Some(Self { clock: Some(FoundClock { mhz, is_fitted: true }), origins })
    }
}

/// The earliest start for all.
fn earliest(units: &[UnitRow]) -> Vec<u64> {
    let first = units.iter().map(|unit| unit.first).min().unwrap_or(0);
    vec![first; units.len()]
}

impl Schedule {
    /// Whether units can be aligned so.
    pub fn can_align(&self, align: Align) -> bool {
        align != Align::Timer || self.shared.is_some()
    }

    /// Time 0 of each unit; from the first block where units cannot be aligned as asked.
    pub fn origins(&self, align: Align) -> Origins {
        let of = match (align, &self.shared) {
            (Align::Timer, Some(shared)) => shared.origins.clone(),
            (Align::Raw, _) => earliest(&self.units),
            _ => self.units.iter().map(|unit| unit.first).collect(),
        };
        let end = |(unit, origin): (&UnitRow, &u64)| unit.last.wrapping_sub(*origin);
        let length = self.units.iter().zip(&of).map(end).max().unwrap_or(0);
        let is_shared = self.shared.is_some() && (align == Align::Timer || self.is_on_shared_clock());
        let is_one = self.units.len() < 2;
        Origins {
            of,
            length,
            is_comparable: align != Align::Raw || is_shared || is_one,
            is_guessed: !is_shared && !is_one,
        }
    }

    /// Whether the starts themselves are on a clock that all units share.
    fn is_on_shared_clock(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.clock.is_none())
    }

    /// How many blocks are resident over time. Costs a sort the first time.
    pub fn resident(&self, align: Align) -> &Resident {
        self.resident[align as usize].get_or_init(|| Resident::new(self, &self.origins(align)))
    }
}

impl Origins {
    /// A time of a unit's clock from the common time 0.
    #[inline]
    pub fn time(&self, unit: u32, at: u64) -> u64 {
        at.wrapping_sub(self.of.get(unit as usize).copied().unwrap_or(0))
    }

    /// A time from the common time 0 on the clock of a unit.
    #[inline]
    pub fn clock(&self, unit: u32, time: f64) -> u64 {
        let origin = self.of.get(unit as usize).copied().unwrap_or(0);
        if time < 0.0 { origin.saturating_sub((-time) as u64) } else { origin.wrapping_add(time as u64) }
    }
}

/// How many blocks are resident at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resident {
    starts: Vec<u64>,
    ends: Vec<u64>,
    /// The most.
    pub peak: u32,
    /// The mean from the first start to the last end.
    pub mean: f64,
}

impl Resident {
    fn new(schedule: &Schedule, origins: &Origins) -> Self {
        let rows = || (0..schedule.len() as u32).zip(&schedule.unit);
        let mut starts: Vec<u64> =
            rows().map(|(row, unit)| origins.time(*unit, schedule.start[row as usize])).collect();
        let mut ends: Vec<u64> = rows().map(|(row, unit)| origins.time(*unit, schedule.end(row))).collect();
        starts.sort_unstable();
        ends.sort_unstable();
        let (mut ended, mut peak) = (0, 0);
        for (begun, start) in starts.iter().enumerate() {
            while ends.get(ended).is_some_and(|end| end <= start) {
                ended += 1;
            }
            peak = peak.max((begun + 1).saturating_sub(ended));
        }
        let total: f64 = schedule.units.iter().map(|unit| unit.running as f64).sum();
        Self { starts, ends, peak: peak as u32, mean: total / (origins.length.max(1) as f64) }
    }

    /// How many at a time.
    pub fn at(&self, time: u64) -> u32 {
        let begun = self.starts.partition_point(|start| *start <= time);
        let ended = self.ends.partition_point(|end| *end <= time);
        begun.saturating_sub(ended) as u32
    }
}
