//! Puts blocks on lanes and adds them up.

pub mod lanes;

use super::align::fit;
use super::numbers::sum;
use super::{Align, Gathered, Schedule, UnitRow};
use crate::base::job::{Turn, pieces};
use crate::base::map::Map;
use crate::base::order;
use crate::base::sort::Ranking;
use lanes::{LaneMaking, by_unit};

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
        schedule.index.extend(&schedule.order[..piece.end], &schedule.elapsed);
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
    let since_first = |row: u32| start[row as usize] - units[unit[row as usize] as usize].first;
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
    while ranking.step(|row| schedule.elapsed[row as usize]) {
        turn.pause().await;
    }
    for ranked in ranking.finish().chunks(PIECE) {
        schedule.by_elapsed.extend(ranked.iter().map(|(_, row)| *row));
        turn.pause().await;
    }
}
