//! Lanes of units: each block takes the free lane that became free last.

use super::super::Schedule;
use super::PIECE;
use std::collections::BTreeSet;
use std::ops::Range;

/// Rows on their way from the order of their starts to that of units, then starts.
pub(super) struct ByUnit {
    by_start: Vec<(u64, u32)>,
    rows: Vec<u32>,
    /// Where the next row of each unit goes.
    next: Vec<u32>,
    is_counted: bool,
    at: usize,
}

impl ByUnit {
    pub(super) fn new(by_start: Vec<(u64, u32)>, units: usize) -> Self {
        Self { rows: vec![0; by_start.len()], next: vec![0; units], by_start, is_counted: false, at: 0 }
    }

    /// Does the next piece; false when nothing is left to do.
    pub(super) fn step(&mut self, unit: &[u32]) -> bool {
        let piece = self.at..self.by_start.len().min(self.at + PIECE);
        self.at = piece.end;
        for (_, row) in &self.by_start[piece] {
            let next = &mut self.next[unit[*row as usize] as usize];
            if self.is_counted {
                self.rows[*next as usize] = *row;
            }
            *next += 1;
        }
        if self.at < self.by_start.len() {
            return true;
        }
        if self.is_counted {
            return false;
        }
        let mut sum = 0;
        for next in &mut self.next {
            sum += std::mem::replace(next, sum);
        }
        (self.is_counted, self.at) = (true, 0);
        true
    }

    pub(super) fn finish(self) -> Vec<u32> {
        self.rows
    }
}

/// Lanes on their way.
pub(super) struct LaneMaking {
    /// Blocks by unit, then by start.
    sorted: Vec<u32>,
    /// Ends of the last blocks of the lanes of a unit that is not finished, with their numbers among all lanes.
    ends: Ends,
    /// The lane of each of `sorted`.
    lane: Vec<u32>,
    /// How many blocks are on each lane; then where the next one goes.
    next: Vec<u32>,
}

impl LaneMaking {
    pub(super) fn new(sorted: Vec<u32>) -> Self {
        let lane = Vec::with_capacity(sorted.len());
        Self { sorted, ends: Ends::default(), lane, next: Vec::new() }
    }

    /// Puts these blocks on lanes.
    pub(super) fn place(&mut self, piece: Range<usize>, schedule: &mut Schedule) {
        for at in piece {
            let row = self.sorted[at] as usize;
            let (unit, start, elapsed) = (schedule.unit[row], schedule.start[row], schedule.elapsed[row]);
            let own = &mut schedule.units[unit as usize];
            if own.blocks == 0 {
                self.ends.clear();
                let first = self.next.len() as u32;
                (own.lanes, own.first) = (first..first, start);
            }
            let lane = if let Some((since, lane)) = self.ends.take_last_until(start) {
                own.gap = own.gap.saturating_add(start - since);
                lane
            } else {
                self.next.push(0);
                own.lanes.end += 1;
                own.lanes.end - 1
            };
            let until = start.saturating_add(elapsed);
            self.ends.insert((until, lane));
            self.lane.push(lane);
            self.next[lane as usize] += 1;
            own.blocks += 1;
            own.running = own.running.saturating_add(elapsed);
            own.last = own.last.max(until);
        }
    }

    /// All lanes are known, and how many blocks they have.
    pub(super) fn begin_order(&mut self, schedule: &mut Schedule) {
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
    pub(super) fn order(&mut self, piece: Range<usize>, schedule: &mut Schedule) {
        for (row, lane) in self.sorted[piece.clone()].iter().zip(&self.lane[piece]) {
            let place = &mut self.next[*lane as usize];
            schedule.order[*place as usize] = *row;
            schedule.place[*row as usize] = *place;
            *place += 1;
        }
    }
}

/// So many ends are kept in a list, which is faster than a tree as long as it is short.
const FEW: usize = 256;

/// Ends with their lanes, in order.
#[derive(Default)]
struct Ends {
    few: Vec<(u64, u32)>,
    /// All of them, once there were too many for a list.
    many: BTreeSet<(u64, u32)>,
}

impl Ends {
    fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
    }

    /// Takes the last one that is not after this time out.
    fn take_last_until(&mut self, time: u64) -> Option<(u64, u32)> {
        if self.many.is_empty() {
            let at = self.few.partition_point(|(end, _)| *end <= time).checked_sub(1)?;
            return Some(self.few.remove(at));
        }
        let last = self.many.range(..=(time, u32::MAX)).next_back().copied()?;
        self.many.remove(&last);
        Some(last)
    }

    fn insert(&mut self, end: (u64, u32)) {
        if self.many.is_empty() && self.few.len() < FEW {
            let at = self.few.partition_point(|other| *other < end);
            self.few.insert(at, end);
            return;
        }
        self.many.extend(self.few.drain(..));
        self.many.insert(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_the_same_in_a_list_and_in_a_tree() {
        let (mut ends, mut all) = (Ends::default(), BTreeSet::new());
        let mut random = 7_u64;
        for step in 0..6_000_u32 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let time = random >> 54;
            if step < 2_000 && step % 3 != 0 || step % 3 == 1 {
                ends.insert((time, step));
                all.insert((time, step));
            } else {
                let last = all.range(..=(time, u32::MAX)).next_back().copied();
                last.map(|last| all.remove(&last));
                assert_eq!(ends.take_last_until(time), last);
            }
        }
    }
}
