//! What crosses units: where time 0 of each unit is, and how many blocks are resident at a time.
//!
//! Clocks of units count from different values. A block begins at `start − origin(unit)`, with the origin
//! * the start of the unit's first block: supposes that all units begin together,
//! * the earliest start of all: the clocks as they are,
//! * from a timer that all units share, where records have both: `timer = offset(unit) + cycles ÷ rate`, fitted.

use super::arrange::PIECE;
use super::{FoundClock, Schedule, UnitRow};
use crate::base::job::{Turn, pieces};
use crate::base::sort::Ranking;
use crate::wire::Align;
use std::ops::Range;

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

/// One for each way to align units.
#[derive(Default)]
pub(super) struct ByAlign<T> {
    first: T,
    raw: T,
    timer: T,
}

impl<T> ByAlign<T> {
    fn of(&self, align: Align) -> &T {
        match align {
            Align::Auto | Align::First => &self.first,
            Align::Raw => &self.raw,
            Align::Timer => &self.timer,
        }
    }
}

/// A clock that all units share.
#[derive(Clone, Debug)]
pub(super) struct SharedClock {
    pub(super) clock: Option<FoundClock>,
    origins: Vec<u64>,
}

/// A clock that all units share: the clock of the starts itself, or one that is fitted to a timer in nanoseconds that was
/// read at the start of each block. `None` where the timer tells no rate.
pub(super) async fn fit(schedule: &Schedule, timer: &[u64], turn: &Turn) -> Option<SharedClock> {
    if schedule.launch.is_synchronized {
        return Some(SharedClock { clock: None, origins: earliest(&schedule.units) });
    }
    if timer.is_empty() || timer.len() != schedule.len() {
        return None;
    }
    let zero = timer.iter().copied().min().unwrap_or(0);
    // Unit, cycles and nanoseconds of some blocks.
    let times = |rows: Range<usize>| {
        let units = schedule.unit.get(rows.clone()).unwrap_or_default();
        let starts = schedule.start.get(rows.clone()).unwrap_or_default();
        let blocks = units.iter().zip(starts).zip(timer.get(rows).unwrap_or_default());
        blocks.filter_map(|((row, start), timer)| {
            let unit = schedule.units.get(*row as usize)?;
            Some((*row as usize, unit, (start - unit.first) as f64, (timer - zero) as f64))
        })
    };
    // Means of cycles and nanoseconds, by unit.
    let mut means: Vec<(f64, f64)> = vec![(0.0, 0.0); schedule.units.len()];
    for piece in pieces(timer.len(), PIECE) {
        for (row, unit, cycles, nanos) in times(piece) {
            let n = f64::from(unit.blocks);
            if let Some(mean) = means.get_mut(row) {
                *mean = (mean.0 + cycles / n, mean.1 + nanos / n);
            }
        }
        turn.pause().await;
    }
    // Sums of cycles times nanoseconds, and of squares of cycles, both from the means.
    let (mut both, mut square) = (0.0, 0.0);
    for piece in pieces(timer.len(), PIECE) {
        for (row, _, cycles, nanos) in times(piece) {
            let Some(mean) = means.get(row) else { continue };
            let (cycles, nanos) = (cycles - mean.0, nanos - mean.1);
            both += cycles * nanos;
            square += cycles * cycles;
        }
        turn.pause().await;
    }
    let nanos_per_cycle = both / square;
    let mhz = 1e3 / nanos_per_cycle;
    if !(1.0..1e5).contains(&mhz) {
        return None;
    }
    let offsets: Vec<f64> = means.iter().map(|(cycles, nanos)| nanos / nanos_per_cycle - cycles).collect();
    let least = offsets.iter().copied().fold(f64::INFINITY, f64::min);
    let origin = |(unit, offset): (&UnitRow, f64)| unit.first.wrapping_sub((offset - least).round() as u64);
    let origins = schedule.units.iter().zip(offsets).map(origin).collect();
    Some(SharedClock { clock: Some(FoundClock { mhz, is_fitted: true }), origins })
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

    /// How units are aligned where this is asked: by the clock that all share, where there is one and nothing else is asked.
    pub fn aligned(&self, align: Align) -> Align {
        match align {
            Align::Auto | Align::Timer if self.shared.is_some() => Align::Timer,
            Align::Auto | Align::Timer => Align::First,
            asked => asked,
        }
    }

    /// Time 0 of each unit; from the first block where units cannot be aligned as asked.
    pub fn origins(&self, align: Align) -> Origins {
        let align = self.aligned(align);
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

    /// How many blocks are resident over time. Costs a sort the first time, unless it was prepared.
    pub fn resident(&self, align: Align) -> &Resident {
        while !self.prepare_resident(align) {}
        self.resident.of(self.aligned(align)).get_or_init(Resident::default)
    }

    /// Works on [`Schedule::resident`] for some milliseconds; true when it is there.
    pub fn prepare_resident(&self, align: Align) -> bool {
        let align = self.aligned(align);
        let done = self.resident.of(align);
        if done.get().is_some() {
            return true;
        }
        let mut counting = self.counting.of(align).borrow_mut();
        let origins = self.origins(align);
        let now = counting.get_or_insert_with(|| Box::new(Counting::new(self.len())));
        if !now.step(self, &origins)
            && let Some(counting) = counting.take()
        {
            done.get_or_init(|| counting.resident);
        }
        done.get().is_some()
    }
}

impl Origins {
    /// A time of a unit's clock from the common time 0.
    #[inline]
    pub fn time(&self, unit: u32, at: u64) -> u64 {
        at.wrapping_sub(self.of.get(unit as usize).copied().unwrap_or(0))
    }

    /// Time of all lanes of a unit: from the first start to the last end of all; where times of units cannot be compared,
    /// of its own blocks.
    pub fn time_of_lanes(&self, unit: &UnitRow) -> f64 {
        let own = if self.is_comparable { self.length } else { unit.last.saturating_sub(unit.first) };
        own as f64 * unit.lanes.len() as f64
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
    pub peak: u32,
    /// The mean from the first start to the last end.
    pub mean: f64,
}

/// How many blocks are resident, in progress.
pub(super) struct Counting {
    /// Starts, then ends, from the common time 0.
    times: [Option<Ranking>; 2],
    resident: Resident,
    /// How many starts and how many ends were passed.
    at: (usize, usize),
}

impl Counting {
    fn new(n: usize) -> Self {
        let ranking = || Some(Ranking::new(n as u32));
        Self { times: [ranking(), ranking()], resident: Resident::default(), at: (0, 0) }
    }

    /// Does the next piece; false when nothing is left to do. A machine, as the schedule that keeps it cannot be held
    /// by a job.
    fn step(&mut self, schedule: &Schedule, origins: &Origins) -> bool {
        let Self { times: [starts, ends], resident, at } = self;
        let rank = |ranking: &mut Option<Ranking>, to: &mut Vec<u64>, time: &dyn Fn(u32) -> u64| {
            let is_on = ranking.as_mut().is_some_and(|ranking| ranking.step(time));
            if !is_on && let Some(ranking) = ranking.take() {
                to.extend(ranking.finish().into_iter().map(|(time, _)| time));
            }
        };
        if starts.is_some() {
            rank(starts, &mut resident.starts, &|row| schedule.begin(row, origins));
            return true;
        }
        if ends.is_some() {
            rank(ends, &mut resident.ends, &|row| schedule.finish(row, origins));
            return true;
        }
        let piece = at.0..resident.starts.len().min(at.0 + PIECE);
        at.0 = piece.end;
        for (begun, start) in piece.clone().zip(resident.starts.get(piece).unwrap_or_default()) {
            while resident.ends.get(at.1).is_some_and(|end| end <= start) {
                at.1 += 1;
            }
            let now = (begun + 1).saturating_sub(at.1);
            resident.peak = resident.peak.max(now as u32);
        }
        let total: f64 = schedule.units.iter().map(|unit| unit.running as f64).sum();
        resident.mean = total / (origins.length.max(1) as f64);
        at.0 < resident.starts.len()
    }
}

impl Resident {
    /// How many at a time.
    pub fn at(&self, time: u64) -> u32 {
        let begun = self.starts.partition_point(|start| *start <= time);
        let ended = self.ends.partition_point(|end| *end <= time);
        begun.saturating_sub(ended) as u32
    }
}
