//! Clocks: times of all of them on the one that the timeline counts in.
//!
//! ```text
//! snapshot   monotonic 100   boot 1,100
//! snapshot   monotonic 500   boot 1,700      (the machine slept)
//!
//! monotonic 350 → boot 1,350: by the last snapshot that is not later; times before the first one go by the first
//! ```
//! Clocks that no snapshot reads together with the timeline's are reached over others; those of other machines by what
//! theirs is behind. All snapshots are known before the first time is asked for.

use super::packet::messages::{ClockSnapshot, RemoteClocks};
use crate::base::map::{Map, Set};
use crate::base::order;
use crate::base::time::Ticks;
use std::collections::VecDeque;

/// The clock that counts while the machine sleeps: the timeline's, when the file does not say another.
pub(crate) const BOOT: u32 = 6;

/// The clock that stands while the machine sleeps.
pub(crate) const MONOTONIC: u32 = 3;

/// The clock on the wall.
pub(crate) const REALTIME: u32 = 1;

/// A clock: its sequence, when it is one of a sequence, and its number.
type Key = (u32, u32);

/// The times of two clocks at the same moments, in order of the first.
type Pairs = Vec<(Ticks, Ticks)>;

/// All clocks of a file.
#[derive(Default)]
pub(crate) struct Clocks {
    primary: Option<u32>,
    snapshots: Vec<Vec<(Key, Ticks)>>,
    /// Unit in nanoseconds, and whether its times are differences.
    kinds: Map<Key, (u64, bool)>,
    /// The last time of clocks whose times are differences.
    last: Map<Key, Ticks>,
    /// How each clock is reached.
    ways: Map<Key, Option<Vec<Pairs>>>,
    /// What the clock of another machine is behind that of the timeline, by pairs of times of both.
    behind: Vec<Ticks>,
}

impl Clocks {
    /// Learns a snapshot.
    pub(crate) fn learn(&mut self, snapshot: &ClockSnapshot, sequence: u32) {
        self.primary = self.primary.or(snapshot.primary.filter(|clock| *clock != 0));
        let mut row = Vec::new();
        for clock in &snapshot.clocks {
            let key = key(clock.id.unwrap_or(0), sequence);
            let unit = clock.unit.unwrap_or(0).max(1);
            self.kinds.insert(key, (unit, clock.is_incremental == Some(true)));
            row.extend(scaled(clock.timestamp.unwrap_or(0), unit).map(|time| (key, time)));
        }
        self.snapshots.push(row);
    }

    /// Learns how the clock of another machine relates to that of the one that wrote the file.
    pub(crate) fn learn_remote(&mut self, clocks: &RemoteClocks) {
        let boot = |snapshot: &Option<ClockSnapshot>| {
            let clock = snapshot.as_ref()?.clocks.iter().find(|clock| clock.id == Some(BOOT))?;
            Ticks::try_from(clock.timestamp?).ok()
        };
        let pairs = clocks.pairs.iter().filter_map(|pair| boot(&pair.host)?.checked_sub(boot(&pair.own)?));
        self.behind.extend(pairs);
    }

    /// Passes a snapshot again while times are asked for: differences count from it.
    pub(crate) fn pass(&mut self, snapshot: &ClockSnapshot, sequence: u32) {
        for clock in &snapshot.clocks {
            let key = key(clock.id.unwrap_or(0), sequence);
            if let Some((unit, true)) = self.kinds.get(&key)
                && let Some(time) = scaled(clock.timestamp.unwrap_or(0), *unit)
            {
                self.last.insert(key, time);
            }
        }
    }

    /// A time of a clock in nanoseconds of the timeline; the clock 0 is that of its machine. `Err` is the time as it
    /// stands, when nothing relates the clock to the timeline's; `None` when it lies beyond all time.
    pub(crate) fn time(&mut self, time: u64, clock: u32, sequence: u32) -> Option<Result<Ticks, Ticks>> {
        let time = match clock {
            0 => Ok(Ticks::try_from(time).ok()?),
            _ => self.own_time(time, clock, sequence)?,
        };
        if self.behind.is_empty() {
            return Some(time);
        }
        // The times of a pair were read one after the other, now the one first, now the other.
        let sum: i128 = self.behind.iter().map(|behind| i128::from(*behind)).sum();
        let behind = Ticks::try_from(sum / self.behind.len() as i128).ok()?;
        time.map_or_else(|time| Some(Err(time)), |time| Some(Ok(time.checked_add(behind)?)))
    }

    fn own_time(&mut self, time: u64, clock: u32, sequence: u32) -> Option<Result<Ticks, Ticks>> {
        let key = key(clock, sequence);
        let (unit, is_difference) = self.kinds.get(&key).copied().unwrap_or((1, false));
        let mut time = scaled(time, unit)?;
        if is_difference {
            let last = self.last.entry(key).or_insert(0);
            time = last.checked_add(time)?;
            *last = time;
        }
        let primary = self.primary.unwrap_or(BOOT);
        if key == (0, primary) {
            return Some(Ok(time));
        }
        if !self.ways.contains_key(&key) {
            let way = self.way(key, (0, primary));
            self.ways.insert(key, way);
        }
        let Some(Some(way)) = self.ways.get(&key) else { return Some(Err(time)) };
        let mut moved = time;
        for pairs in way {
            let at = pairs.partition_point(|(from, _)| *from <= moved).saturating_sub(1);
            let (from, to) = pairs.get(at)?;
            moved = moved.checked_sub(*from)?.checked_add(*to)?;
        }
        Some(Ok(moved))
    }

    /// The steps from a clock to another one, each with all moments at which both were read; the fewest.
    fn way(&self, from: Key, to: Key) -> Option<Vec<Pairs>> {
        let mut came: Map<Key, Key> = Map::default();
        let mut used: Set<usize> = Set::default();
        let mut next = VecDeque::from([from]);
        while let Some(clock) = next.pop_front().filter(|clock| *clock != to) {
            for (n, snapshot) in self.snapshots.iter().enumerate() {
                if used.contains(&n) || snapshot.iter().all(|(of, _)| *of != clock) {
                    continue;
                }
                used.insert(n);
                for (other, _) in snapshot {
                    if *other != from && !came.contains_key(other) {
                        came.insert(*other, clock);
                        next.push_back(*other);
                    }
                }
            }
        }
        let mut way = Vec::new();
        let mut clock = to;
        while clock != from {
            let before = *came.get(&clock)?;
            way.push(self.pairs(before, clock));
            clock = before;
        }
        way.reverse();
        Some(way)
    }

    fn pairs(&self, from: Key, to: Key) -> Pairs {
        let time =
            |snapshot: &[(Key, Ticks)], of: Key| snapshot.iter().find(|(k, _)| *k == of).map(|(_, t)| *t);
        let both = self.snapshots.iter().filter_map(|row| Some((time(row, from)?, time(row, to)?)));
        let mut pairs: Pairs = both.collect();
        order::sort_by_number(&mut pairs, |(from, _)| *from);
        pairs
    }
}

/// Clocks from 64 to 127 are those of the sequence.
fn key(clock: u32, sequence: u32) -> Key {
    if (64..128).contains(&clock) { (sequence, clock) } else { (0, clock) }
}

fn scaled(time: u64, unit: u64) -> Option<Ticks> {
    Ticks::try_from(time.checked_mul(unit)?).ok()
}
