//! Puts blocks on lanes, piece by piece.

use super::search::Index;
use super::{Gathered, Schedule, UnitRow, align};
use crate::base::map::Map;
use crate::base::sort::Sorting;
use std::collections::BTreeSet;

/// Blocks that are put on lanes in one step.
const PIECE: usize = 1 << 16;

/// A schedule on its way.
pub struct Arranging {
    schedule: Schedule,
    timer: Vec<u64>,
    phase: Phase,
}

enum Phase {
    /// By unit and start.
    Sort(Sorting<(u32, u64, u32)>),
    Lanes(Box<LaneMaking>),
    /// By length.
    Rank(Sorting<(u64, u32)>),
    Sum,
    Done,
}

/// Lanes on their way.
struct LaneMaking {
    sorted: Vec<(u32, u64, u32)>,
    at: usize,
    /// Ends of the last blocks of the lanes of a unit that is not finished, with their numbers among all lanes.
    ends: BTreeSet<(u64, u32)>,
    /// The lane of each of `sorted`.
    lane: Vec<u32>,
    /// How many blocks are on each lane.
    counts: Vec<u32>,
}

impl Arranging {
    /// Begins with what records say.
    pub fn new(gathered: Gathered) -> Self {
        let Gathered { launch, number, unit, start, elapsed, timer, parts } = gathered;
        let mut ids: Vec<u32> = unit.clone();
        ids.sort_unstable();
        ids.dedup();
        let rows: Map<u32, u32> = ids.iter().copied().zip(0..).collect();
        let unit: Vec<u32> = unit.iter().map(|id| rows.get(id).copied().unwrap_or(0)).collect();
        let keys = unit.iter().zip(&start).zip(0..).map(|((unit, start), row)| (*unit, *start, row));
        let sorting = Sorting::new(keys.collect());
        let units = ids.into_iter().map(|id| UnitRow { id, ..UnitRow::default() }).collect();
        let schedule = Schedule { launch, number, unit, start, elapsed, units, parts, ..Schedule::default() };
        Self { schedule, timer, phase: Phase::Sort(sorting) }
    }

    /// Works for a few milliseconds; false when all is done.
    pub fn step(&mut self) -> bool {
        self.phase = match std::mem::replace(&mut self.phase, Phase::Done) {
            Phase::Sort(mut sorting) => {
                if sorting.step() {
                    Phase::Sort(sorting)
                } else {
                    Phase::lanes(sorting.finish())
                }
            }
            Phase::Lanes(mut making) => {
                if making.step(&mut self.schedule) {
                    Phase::Lanes(making)
                } else {
                    making.finish(&mut self.schedule);
                    let keys = self.schedule.elapsed.iter().copied().zip(0..);
                    Phase::Rank(Sorting::new(keys.collect()))
                }
            }
            Phase::Rank(mut sorting) => {
                if sorting.step() {
                    Phase::Rank(sorting)
                } else {
                    self.schedule.by_elapsed = sorting.finish().into_iter().map(|(_, row)| row).collect();
                    Phase::Sum
                }
            }
            Phase::Sum => {
                let schedule = &mut self.schedule;
                schedule.index = Index::new(&schedule.order, &schedule.elapsed);
                schedule.shared = if schedule.launch.is_synchronized {
                    Some(align::SharedClock::same(schedule))
                } else {
                    align::SharedClock::fit(schedule, &self.timer)
                };
                let fitted = schedule.shared.as_ref().and_then(|shared| shared.clock);
                schedule.launch.clock = fitted.or(schedule.launch.clock);
                schedule.sum();
                Phase::Done
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

impl Phase {
    fn lanes(sorted: Vec<(u32, u64, u32)>) -> Self {
        let lane = Vec::with_capacity(sorted.len());
        Self::Lanes(Box::new(LaneMaking { sorted, at: 0, ends: BTreeSet::new(), lane, counts: Vec::new() }))
    }
}

impl LaneMaking {
    /// Puts the next blocks on lanes; false when there are no more.
    fn step(&mut self, schedule: &mut Schedule) -> bool {
        let end = self.sorted.len().min(self.at + PIECE);
        for at in self.at..end {
            let (unit, start, row) = self.sorted[at];
            let is_new = at == 0 || self.sorted[at - 1].0 != unit;
            let own = &mut schedule.units[unit as usize];
            if is_new {
                self.ends.clear();
                let first = self.counts.len() as u32;
                (own.lanes, own.first) = (first..first, start);
            }
            let elapsed = schedule.elapsed[row as usize];
            let free = self.ends.range(..=(start, u32::MAX)).next_back().copied();
            let lane = if let Some((since, lane)) = free {
                self.ends.remove(&(since, lane));
                own.gap = own.gap.saturating_add(start - since);
                lane
            } else {
                self.counts.push(0);
                own.lanes.end += 1;
                own.lanes.end - 1
            };
            let until = start.saturating_add(elapsed);
            self.ends.insert((until, lane));
            self.lane.push(lane);
            self.counts[lane as usize] += 1;
            own.blocks += 1;
            own.running = own.running.saturating_add(elapsed);
            own.last = own.last.max(until);
        }
        self.at = end;
        self.at < self.sorted.len()
    }

    /// Orders blocks by lane: they are in the order of starts already.
    fn finish(self, schedule: &mut Schedule) {
        let mut end = 0;
        schedule.lanes = self
            .counts
            .iter()
            .map(|n| {
                let start = end;
                end += n;
                start..end
            })
            .collect();
        let mut next: Vec<u32> = schedule.lanes.iter().map(|lane| lane.start).collect();
        (schedule.order, schedule.place) = (vec![0; self.sorted.len()], vec![0; self.sorted.len()]);
        for ((_, _, row), lane) in self.sorted.iter().zip(&self.lane) {
            let place = &mut next[*lane as usize];
            schedule.order[*place as usize] = *row;
            schedule.place[*row as usize] = *place;
            *place += 1;
        }
    }
}
