//! Puts blocks on lanes and adds them up, piece by piece.

mod lanes;

use super::align::Fitting;
use super::numbers::Summing;
use super::{Align, Gathered, Schedule, UnitRow};
use crate::base::map::Map;
use crate::base::sort::Ranking;
use lanes::{ByUnit, LaneMaking};

/// Blocks that are looked at in one step.
pub(super) const PIECE: usize = 1 << 16;

/// A schedule on its way.
pub struct Arranging {
    schedule: Schedule,
    timer: Vec<u64>,
    /// How the first picture is aligned.
    align: Align,
    phase: Phase,
    /// How many blocks are done in this phase.
    at: usize,
}

enum Phase {
    /// Blocks get the rows of their units.
    Units(Map<u32, u32>),
    /// By start, from the first of the unit.
    Sort(Ranking),
    /// By unit, then by start.
    ByUnit(ByUnit),
    Lanes(Box<LaneMaking>),
    /// By lane, then by start.
    Order(Box<LaneMaking>),
    /// By length.
    Rank(Ranking),
    Ranked(Vec<(u64, u32)>),
    Index,
    Clock(Box<Fitting>),
    Sum(Box<Summing>),
    /// How many blocks are resident, as they are aligned at first.
    Resident,
    Done,
}

impl Arranging {
    /// Begins with what records say; `align` is how the first picture will be aligned.
    pub fn new(gathered: Gathered, align: Align) -> Self {
        let Gathered { launch, number, unit, start, elapsed, timer, parts, firsts } = gathered;
        let mut units: Vec<(u32, u64)> = firsts.into_iter().collect();
        units.sort_unstable();
        let rows = units.iter().map(|(id, _)| *id).zip(0..).collect();
        let units =
            units.into_iter().map(|(id, first)| UnitRow { id, first, ..UnitRow::default() }).collect();
        let schedule = Schedule { launch, number, unit, start, elapsed, units, parts, ..Schedule::default() };
        Self { schedule, timer, align, phase: Phase::Units(rows), at: 0 }
    }

    /// Works for a few milliseconds; false when all is done.
    pub fn step(&mut self) -> bool {
        let phase = std::mem::replace(&mut self.phase, Phase::Done);
        let schedule = &mut self.schedule;
        let n = schedule.len();
        let piece = self.at..n.min(self.at + PIECE);
        let is_last = piece.end == n;
        self.at = if is_last { 0 } else { piece.end };
        self.phase = match phase {
            Phase::Units(rows) => {
                let row = |id: u32| (id, rows.get(&id).copied().unwrap_or(0));
                let mut last = row(0);
                for unit in &mut schedule.unit[piece] {
                    if last.0 != *unit {
                        last = row(*unit);
                    }
                    *unit = last.1;
                }
                if is_last { Phase::Sort(Ranking::new(n as u32)) } else { Phase::Units(rows) }
            }
            Phase::Sort(mut ranking) => {
                self.at = 0;
                let first = |unit: u32| schedule.units[unit as usize].first;
                if ranking.step(|row| schedule.start[row as usize] - first(schedule.unit[row as usize])) {
                    Phase::Sort(ranking)
                } else {
                    Phase::ByUnit(ByUnit::new(ranking.finish(), schedule.units.len()))
                }
            }
            Phase::ByUnit(mut rows) => {
                self.at = 0;
                if rows.step(&schedule.unit) {
                    Phase::ByUnit(rows)
                } else {
                    Phase::Lanes(Box::new(LaneMaking::new(rows)))
                }
            }
            Phase::Lanes(mut making) => {
                making.place(piece, schedule);
                if is_last {
                    making.begin_order(schedule)
                }
                if is_last { Phase::Order(making) } else { Phase::Lanes(making) }
            }
            Phase::Order(mut making) => {
                making.order(piece, schedule);
                if is_last { Phase::Rank(Ranking::new(n as u32)) } else { Phase::Order(making) }
            }
            Phase::Rank(mut ranking) => {
                self.at = 0;
                if ranking.step(|row| schedule.elapsed[row as usize]) {
                    Phase::Rank(ranking)
                } else {
                    Phase::Ranked(ranking.finish())
                }
            }
            Phase::Ranked(ranked) => {
                schedule.by_elapsed.extend(ranked[piece].iter().map(|(_, row)| *row));
                if is_last { Phase::Index } else { Phase::Ranked(ranked) }
            }
            Phase::Index => {
                schedule.index.extend(&schedule.order[..piece.end], &schedule.elapsed);
                if is_last {
                    Phase::Clock(Box::new(Fitting::new(schedule, &self.timer)))
                } else {
                    Phase::Index
                }
            }
            Phase::Clock(mut fitting) => {
                self.at = 0;
                if fitting.step(schedule, &self.timer) {
                    Phase::Clock(fitting)
                } else {
                    schedule.shared = fitting.finish(schedule);
                    let fitted = schedule.shared.as_ref().and_then(|shared| shared.clock);
                    schedule.launch.clock = fitted.or(schedule.launch.clock);
                    Phase::Sum(Box::new(Summing::new(schedule)))
                }
            }
            Phase::Sum(mut summing) => {
                self.at = 0;
                if summing.step(schedule) { Phase::Sum(summing) } else { Phase::Resident }
            }
            Phase::Resident => {
                self.at = 0;
                if schedule.prepare_resident(self.align) { Phase::Done } else { Phase::Resident }
            }
            Phase::Done => return false,
        };
        true
    }

    /// The schedule, after the last step.
    pub fn finish(self) -> Schedule {
        self.schedule
    }
}
