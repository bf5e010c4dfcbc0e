//! Puts blocks on lanes and adds them up, piece by piece.

pub mod lanes;

use super::align::Fitting;
use super::numbers::Summing;
use super::{Align, Gathered, Schedule, UnitRow};
use crate::base::map::Map;
use crate::base::order;
use crate::base::sort::Ranking;
use lanes::{ByUnit, LaneMaking};
use std::ops::Range;

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
        order::sort(&mut units);
        let rows = units.iter().map(|(id, _)| *id).zip(0..).collect();
        let units =
            units.into_iter().map(|(id, first)| UnitRow { id, first, ..UnitRow::default() }).collect();
        let schedule = Schedule { launch, number, unit, start, elapsed, units, parts, ..Schedule::default() };
        Self { schedule, timer, align, phase: Phase::Units(rows), at: 0 }
    }

    /// Works for a few milliseconds; false when all is done.
    pub fn step(&mut self) -> bool {
        let phase = std::mem::replace(&mut self.phase, Phase::Done);
        if matches!(phase, Phase::Done) {
            return false;
        }
        self.phase = self.put_on_lanes(phase).unwrap_or_else(|phase| self.add_up(phase));
        true
    }

    /// The next blocks of a phase that goes over all of them, and whether they are the last.
    fn piece(&mut self) -> (Range<usize>, bool) {
        let n = self.schedule.len();
        let piece = self.at..n.min(self.at + PIECE);
        let is_last = piece.end == n;
        self.at = if is_last { 0 } else { piece.end };
        (piece, is_last)
    }

    /// The next piece of a phase up to lanes; gives other phases back.
    fn put_on_lanes(&mut self, phase: Phase) -> Result<Phase, Phase> {
        Ok(match phase {
            Phase::Units(rows) => {
                let (piece, is_last) = self.piece();
                let row = |id: u32| (id, rows.get(&id).copied().unwrap_or(0));
                let mut last = row(0);
                for unit in &mut self.schedule.unit[piece] {
                    if last.0 != *unit {
                        last = row(*unit);
                    }
                    *unit = last.1;
                }
                if is_last {
                    Phase::Sort(Ranking::new(self.schedule.len() as u32))
                } else {
                    Phase::Units(rows)
                }
            }
            Phase::Sort(mut ranking) => {
                let Schedule { unit, units, start, .. } = &self.schedule;
                let first = |row: u32| units[unit[row as usize] as usize].first;
                if ranking.step(|row| start[row as usize] - first(row)) {
                    Phase::Sort(ranking)
                } else {
                    Phase::ByUnit(ByUnit::new(ranking.finish(), units.len()))
                }
            }
            Phase::ByUnit(mut rows) => {
                if rows.step(&self.schedule.unit) {
                    Phase::ByUnit(rows)
                } else {
                    Phase::Lanes(Box::new(LaneMaking::new(rows)))
                }
            }
            Phase::Lanes(mut making) => {
                let (piece, is_last) = self.piece();
                making.place(piece, &mut self.schedule);
                if is_last {
                    making.begin_order(&mut self.schedule);
                }
                if is_last { Phase::Order(making) } else { Phase::Lanes(making) }
            }
            Phase::Order(mut making) => {
                let (piece, is_last) = self.piece();
                making.order(piece, &mut self.schedule);
                if is_last {
                    Phase::Rank(Ranking::new(self.schedule.len() as u32))
                } else {
                    Phase::Order(making)
                }
            }
            other => return Err(other),
        })
    }

    /// The next piece of a phase behind the lanes.
    fn add_up(&mut self, phase: Phase) -> Phase {
        match phase {
            Phase::Rank(mut ranking) => {
                if ranking.step(|row| self.schedule.elapsed[row as usize]) {
                    Phase::Rank(ranking)
                } else {
                    Phase::Ranked(ranking.finish())
                }
            }
            Phase::Ranked(ranked) => {
                let (piece, is_last) = self.piece();
                self.schedule.by_elapsed.extend(ranked[piece].iter().map(|(_, row)| *row));
                if is_last { Phase::Index } else { Phase::Ranked(ranked) }
            }
            Phase::Index => {
                let (piece, is_last) = self.piece();
                let schedule = &mut self.schedule;
                schedule.index.extend(&schedule.order[..piece.end], &schedule.elapsed);
                if is_last {
                    Phase::Clock(Box::new(Fitting::new(schedule, &self.timer)))
                } else {
                    Phase::Index
                }
            }
            Phase::Clock(mut fitting) => {
                let schedule = &mut self.schedule;
                if fitting.step(schedule, &self.timer) {
                    return Phase::Clock(fitting);
                }
                schedule.shared = fitting.finish(schedule);
                let fitted = schedule.shared.as_ref().and_then(|shared| shared.clock);
                schedule.launch.clock = fitted.or(schedule.launch.clock);
                Phase::Sum(Box::new(Summing::new(schedule)))
            }
            Phase::Sum(mut summing) => {
                if summing.step(&mut self.schedule) {
                    Phase::Sum(summing)
                } else {
                    Phase::Resident
                }
            }
            Phase::Resident if !self.schedule.prepare_resident(self.align) => Phase::Resident,
            _ => Phase::Done,
        }
    }

    /// The schedule, after the last step.
    pub fn finish(self) -> Schedule {
        self.schedule
    }
}
