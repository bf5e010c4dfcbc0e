//! Puts blocks on lanes and adds them up.

use super::align::fit;
use super::numbers::sum;
use super::{Align, Gathered, Schedule, UnitRow};
use crate::base::job::{Turn, pieces};
use crate::base::map::Map;
use crate::base::order;
use crate::base::sort::Ranking;
use std::collections::BTreeSet;
use std::ops::Range;

/// Blocks that are looked at between two pauses.
pub(super) const PIECE: usize = 1 << 16;

/// The schedule of what records say; `align` is how the first picture will be aligned.
pub async fn arrange(gathered: Gathered, align: Align, turn: &Turn) -> Schedule {
    let Gathered { launch, number, unit, start, elapsed, timer, parts, firsts } = gathered;
    let mut units: Vec<(u32, u64)> = firsts.into_iter().collect();
    order::sort(&mut units);
    let rows = units.iter().map(|(id, _)| *id).zip(0..).collect();
    let units = units.into_iter().map(|(id, first)| UnitRow { id, first, ..UnitRow::default() }).collect();
    let mut schedule = Schedule { launch, number, unit, start, elapsed, units, parts, ..Schedule::default() };
    find_units(&mut schedule.unit, &rows, turn).await;
    put_on_lanes(&mut schedule, turn).await;
    rank(&mut schedule, turn).await;
    for piece in pieces(schedule.len(), PIECE) {
        let known = schedule.order.get(..piece.end).unwrap_or_default();
        schedule.index.extend(known, &schedule.elapsed);
        turn.pause().await;
    }
    schedule.shared = fit(&schedule, &timer, turn).await;
    let fitted = schedule.shared.as_ref().and_then(|shared| shared.clock);
    schedule.launch.clock = fitted.or(schedule.launch.clock);
    sum(&mut schedule, turn).await;
    while !schedule.prepare_resident(align) {
        turn.pause().await;
    }
    schedule
}

/// Blocks get the rows of their units.
async fn find_units(unit: &mut [u32], rows: &Map<u32, u32>, turn: &Turn) {
    let row = |id: u32| (id, rows.get(&id).copied().unwrap_or(0));
    let mut last = row(0);
    for units in unit.chunks_mut(PIECE) {
        for unit in units {
            if last.0 != *unit {
                last = row(*unit);
            }
            *unit = last.1;
        }
        turn.pause().await;
    }
}

async fn put_on_lanes(schedule: &mut Schedule, turn: &Turn) {
    let Schedule { unit, units, start, .. } = &*schedule;
    // By start, from the first of the unit; then by unit.
    let since_first = |row: u32| {
        let unit = unit.get(row as usize).and_then(|unit| units.get(*unit as usize));
        start.get(row as usize).zip(unit).map_or(0, |(start, unit)| start - unit.first)
    };
    let mut ranking = Ranking::new(unit.len() as u32);
    while ranking.step(since_first) {
        turn.pause().await;
    }
    let (sorted, bounds) = by_unit(&ranking.finish(), unit, units.len(), turn).await;
    let mut lanes = LaneMaking::new(sorted, bounds);
    for piece in pieces(schedule.len(), PIECE) {
        lanes.place(piece, schedule);
        turn.pause().await;
    }
    lanes.begin_order(schedule);
    for piece in pieces(schedule.len(), PIECE) {
        lanes.order(piece, schedule);
        turn.pause().await;
    }
}

/// By length.
async fn rank(schedule: &mut Schedule, turn: &Turn) {
    let mut ranking = Ranking::new(schedule.len() as u32);
    while ranking.step(|row| schedule.elapsed_of(row)) {
        turn.pause().await;
    }
    for ranked in ranking.finish().chunks(PIECE) {
        schedule.by_elapsed.extend(ranked.iter().map(|(_, row)| *row));
        turn.pause().await;
    }
}

// Lanes of units: each block takes the free lane that became free last.

/// Rows in the order of their starts come into that of units, then starts. Returns them with where those of each unit end.
async fn by_unit(
    by_start: &[(u64, u32)],
    unit: &[u32],
    n_units: usize,
    turn: &Turn,
) -> (Vec<(u64, u32)>, Vec<u32>) {
    let mut next: Vec<u32> = vec![0; n_units];
    for units in unit.chunks(PIECE) {
        for unit in units {
            if let Some(n) = next.get_mut(*unit as usize) {
                *n += 1;
            }
        }
        turn.pause().await;
    }
    let mut sum = 0;
    for next in &mut next {
        sum += std::mem::replace(next, sum);
    }
    let mut sorted = vec![(0, 0); by_start.len()];
    for blocks in by_start.chunks(PIECE) {
        for block in blocks {
            let unit = unit.get(block.1 as usize);
            let Some(next) = unit.and_then(|unit| next.get_mut(*unit as usize)) else { continue };
            if let Some(place) = sorted.get_mut(*next as usize) {
                *place = *block;
            }
            *next += 1;
        }
        turn.pause().await;
    }
    (sorted, next)
}

/// Lanes in progress.
struct LaneMaking {
    /// Blocks by unit, then by start: time since the unit's first start, and row.
    sorted: Vec<(u64, u32)>,
    /// Where the blocks of each unit end.
    bounds: Vec<u32>,
    /// The unit of the last block.
    unit: usize,
    /// Ends of the last blocks of the lanes of that unit, with their numbers among all lanes.
    ends: Ends,
    /// The lane of each of `sorted`.
    lane: Vec<u32>,
    /// How many blocks are on each lane; then where the next one goes.
    next: Vec<u32>,
}

impl LaneMaking {
    /// Begins when all rows were put in order.
    fn new(sorted: Vec<(u64, u32)>, bounds: Vec<u32>) -> Self {
        let lane = Vec::with_capacity(sorted.len());
        Self { sorted, bounds, unit: 0, ends: Ends::default(), lane, next: Vec::new() }
    }

    /// Puts these blocks on lanes.
    fn place(&mut self, piece: Range<usize>, schedule: &mut Schedule) {
        let mut at = piece.start;
        while at < piece.end {
            while self.bounds.get(self.unit).is_some_and(|end| *end as usize <= at) {
                self.unit += 1;
            }
            let (Some(own), Some(end_of_unit)) =
                (schedule.units.get_mut(self.unit), self.bounds.get(self.unit))
            else {
                return;
            };
            if own.blocks == 0 {
                self.ends.clear();
                let first = self.next.len() as u32;
                own.lanes = first..first;
            }
            let end = piece.end.min(*end_of_unit as usize);
            for (since_first, row) in self.sorted.get(at..end).unwrap_or_default() {
                let elapsed = schedule.elapsed.get(*row as usize).copied().unwrap_or(0);
                let start = own.first + since_first;
                let until = start.saturating_add(elapsed);
                let lane = if let Some((since, lane)) = self.ends.replace_last_until(start, until) {
                    own.gap = own.gap.saturating_add(start - since);
                    lane
                } else {
                    let lane = own.lanes.end;
                    self.ends.insert((until, lane));
                    self.next.push(0);
                    own.lanes.end += 1;
                    lane
                };
                self.lane.push(lane);
                if let Some(n) = self.next.get_mut(lane as usize) {
                    *n += 1;
                }
                own.blocks += 1;
                own.running = own.running.saturating_add(elapsed);
                own.last = own.last.max(until);
            }
            at = end;
        }
    }

    /// All lanes are known, and how many blocks they have.
    fn begin_order(&mut self, schedule: &mut Schedule) {
        let mut end = 0;
        schedule.lanes = Vec::with_capacity(self.next.len());
        for next in &mut self.next {
            let start = end;
            end += std::mem::replace(next, start);
            schedule.lanes.push(start..end);
        }
        (schedule.order, schedule.place) = (vec![0; self.sorted.len()], vec![0; self.sorted.len()]);
    }

    /// Orders these blocks by lane: they are in the order of starts already.
    fn order(&mut self, piece: Range<usize>, schedule: &mut Schedule) {
        let sorted = self.sorted.get(piece.clone()).unwrap_or_default();
        for ((_, row), lane) in sorted.iter().zip(self.lane.get(piece).unwrap_or_default()) {
            let Some(next) = self.next.get_mut(*lane as usize) else { continue };
            if let Some(there) = schedule.order.get_mut(*next as usize) {
                *there = *row;
            }
            if let Some(place) = schedule.place.get_mut(*row as usize) {
                *place = *next;
            }
            *next += 1;
        }
    }
}

/// So many ends are kept in a list, which is faster than a tree as long as it is short.
const FEW: usize = 256;

/// Ends with their lanes, in order.
#[derive(Default)]
pub struct Ends {
    few: Vec<(u64, u32)>,
    /// All of them, once there were too many for a list.
    many: BTreeSet<(u64, u32)>,
}

impl Ends {
    fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
    }

    /// The last one that is not after a time ends later from now on; returns what it was, with its lane.
    pub fn replace_last_until(&mut self, time: u64, until: u64) -> Option<(u64, u32)> {
        if self.many.is_empty() {
            let at = self.few.partition_point(|(end, _)| *end <= time).checked_sub(1)?;
            let (found, later) = self.few.get(at..)?.split_first()?;
            let (found, new) = (*found, (until, found.1));
            let place = at + later.partition_point(|other| *other < new);
            self.few.copy_within(at + 1..=place, at);
            *self.few.get_mut(place)? = new;
            return Some(found);
        }
        let found = self.many.range(..=(time, u32::MAX)).next_back().copied()?;
        self.many.remove(&found);
        self.many.insert((until, found.1));
        Some(found)
    }

    /// Adds an end.
    pub fn insert(&mut self, end: (u64, u32)) {
        if self.many.is_empty() && self.few.len() < FEW {
            let at = self.few.partition_point(|other| *other < end);
            self.few.insert(at, end);
            return;
        }
        self.many.extend(self.few.drain(..));
        self.many.insert(end);
    }
}
