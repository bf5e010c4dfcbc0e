//! Clocks: times of all of them on the one that the timeline counts in.
//!
//! ```text
//! snapshot   monotonic 100   boot 1,100
//! snapshot   monotonic 500   boot 1,700      (the machine slept)
//!
//! monotonic 350 → boot 1,350: by the last snapshot that is not later; times before the first one go by the first
//! ```
//! Clocks that no snapshot reads together with the timeline's are reached over others; those of other machines by what
//! theirs is behind. All snapshots are known before the first time is asked for. Each clock has one first step towards the
//! timeline's, so that all steps together hold each reading once.

use super::packet::messages::{Clock, ClockSnapshot, RemoteClocks};
use crate::base::fault::Kind;
use crate::base::map::{Map, Set};
use crate::base::number::thousands;
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::words::message;
use std::collections::VecDeque;

/// The clock that counts while the machine sleeps: the timeline's, when the file does not say another.
pub(crate) const BOOT: u32 = 6;

/// The clock that stands while the machine sleeps.
pub(crate) const MONOTONIC: u32 = 3;

/// The clock on the wall.
pub(crate) const REALTIME: u32 = 1;

/// The clocks on the wall, exact and coarse: they may be set back.
const WALL: [Key; 2] = [(0, REALTIME), (0, 2)];

/// Most steps from a clock to the timeline's. Traces have two.
pub(crate) const STEPS: usize = 16;

/// How far readings of one snapshot may lie apart: coarse clocks tick every ten milliseconds.
const SLACK: i128 = 10_000_000;

/// A clock: its sequence, when it is one of a sequence, and its number.
type Key = (u32, u32);

/// The first step from a clock towards the timeline's.
struct Step {
    to: Key,
    /// How many steps there are in all.
    n: usize,
    /// The times of both clocks at the same moments, in order of the first.
    pairs: Vec<(Ticks, Ticks)>,
    /// Those that were passed last.
    passed: Option<(Ticks, Ticks)>,
}

/// Why a time is not one of the timeline.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Odd {
    /// Nothing relates its clock to the timeline's: the time as it stands.
    Unrelated(Ticks),
    /// The same, for more steps between them than there may be.
    Far(Ticks, usize),
    /// It is a difference, and nothing was said that it counts from.
    Unset,
    /// It lies beyond all time: nanoseconds.
    Beyond(i128),
}

impl Odd {
    /// The time as it is shown all the same.
    pub(crate) fn shown(self) -> Option<Ticks> {
        match self {
            Self::Unrelated(time) | Self::Far(time, _) => Some(time),
            Self::Unset | Self::Beyond(_) => None,
        }
    }
}

/// All clocks of a file.
#[derive(Default)]
pub(crate) struct Clocks {
    primary: Option<u32>,
    snapshots: Vec<Vec<(Key, Ticks)>>,
    /// Unit in nanoseconds, and whether its times are differences.
    kinds: Map<Key, (u64, bool)>,
    /// The last time of clocks whose times are differences, in nanoseconds.
    last: Map<Key, i128>,
    /// How each clock is left for the timeline's, once all snapshots are known.
    steps: Option<Map<Key, Step>>,
    /// What the clock of another machine is behind that of the timeline: the sum over pairs of times, and how many.
    behind: (i128, i128),
}

impl Clocks {
    /// Learns a snapshot.
    pub(crate) fn learn(&mut self, snapshot: &ClockSnapshot, sequence: u32) {
        self.primary = self.primary.or(snapshot.primary.filter(|clock| *clock != 0));
        for clock in &snapshot.clocks {
            let kind = (unit(clock), clock.is_incremental == Some(true));
            self.kinds.insert(key(clock.id.unwrap_or(0), sequence), kind);
        }
        let mut seen = Set::default();
        let times = readings(snapshot, sequence).filter_map(|(key, time)| Some((key, in_range(time).ok()?)));
        self.snapshots.push(times.filter(|(key, _)| seen.insert(*key)).collect());
    }

    /// Learns how the clock of another machine relates to that of the one that wrote the file.
    pub(crate) fn learn_remote(&mut self, clocks: &RemoteClocks) {
        let boot = |snapshot: &Option<ClockSnapshot>| {
            let clock = snapshot.as_ref()?.clocks.iter().find(|clock| clock.id == Some(BOOT))?;
            Ticks::try_from(clock.timestamp?).ok()
        };
        for behind in clocks.pairs.iter().filter_map(|pair| boot(&pair.host)?.checked_sub(boot(&pair.own)?)) {
            self.behind = (self.behind.0 + i128::from(behind), self.behind.1 + 1);
        }
    }

    /// Passes a snapshot again while times are asked for: differences count from it. Tells what is wrong with it.
    pub(crate) fn pass(&mut self, snapshot: &ClockSnapshot, sequence: u32) -> Vec<Kind> {
        let mut wrong = Vec::new();
        let mut times: Map<Key, Ticks> = Map::default();
        for (key, time) in readings(snapshot, sequence) {
            if let Some((_, true)) = self.kinds.get(&key) {
                self.last.insert(key, time);
            }
            match in_range(time) {
                Ok(time) => _ = times.entry(key).or_insert(time),
                Err(_) => wrong.push(beyond("clock reading in nanoseconds", time)),
            }
        }
        let steps = steps(&mut self.steps, &mut self.snapshots, self.primary);
        let mut contradiction = None;
        for (key, time) in readings(snapshot, sequence) {
            let Some(step) = steps.get_mut(&key) else { continue };
            let (Ok(time), Some(other)) = (in_range(time), times.get(&step.to)) else { continue };
            let now = (time, *other);
            let before = step.passed.replace(now).filter(|before| contradict(*before, now));
            let before = before.filter(|_| !WALL.contains(&key) && !WALL.contains(&step.to));
            contradiction = contradiction.or(before.map(|before| (key.1, step.to.1, before, now)));
        }
        // One wrong reading contradicts those of all other clocks.
        wrong.extend(contradiction.map(|(clock, other, before, now)| {
            let both = message("clock {clock} is at {time} ns when clock {other} is at {at} ns");
            let both = both.with("clock", clock).with("time", thousands(now.0));
            let earlier = message("in an earlier snapshot at {time} ns and {at} ns");
            Kind::Contradiction {
                a: both.with("other", other).with("at", thousands(now.1)),
                b: earlier.with("time", thousands(before.0)).with("at", thousands(before.1)),
            }
        }));
        wrong
    }

    /// A time of a clock in nanoseconds of the timeline; the clock 0 is that of its machine.
    pub(crate) fn time(&mut self, time: i128, clock: u32, sequence: u32) -> Result<Ticks, Odd> {
        let time = match clock {
            _ if time < 0 => return Err(Odd::Beyond(time)),
            0 => time,
            _ => self.own_time(time, clock, sequence)?,
        };
        // The times of a pair were read one after the other, now the one first, now the other.
        let (sum, n) = self.behind;
        in_range(time.saturating_add(sum.checked_div(n).unwrap_or(0)))
    }

    fn own_time(&mut self, time: i128, clock: u32, sequence: u32) -> Result<i128, Odd> {
        let mut key = key(clock, sequence);
        let (unit, is_difference) = self.kinds.get(&key).copied().unwrap_or((1, false));
        let mut time = time.saturating_mul(unit.into());
        if is_difference {
            let last = self.last.get_mut(&key).ok_or(Odd::Unset)?;
            *last = last.saturating_add(time);
            time = *last;
        }
        let primary = (0, self.primary.unwrap_or(BOOT));
        let steps = steps(&mut self.steps, &mut self.snapshots, self.primary);
        let mut moved = time;
        while key != primary {
            let Some(step) = steps.get(&key) else { return Err(Odd::Unrelated(in_range(time)?)) };
            if STEPS < step.n {
                return Err(Odd::Far(in_range(time)?, step.n));
            }
            let at = step.pairs.partition_point(|(from, _)| i128::from(*from) <= moved).saturating_sub(1);
            let (from, to) = step.pairs.get(at).copied().unwrap_or_default();
            moved = moved.saturating_add(i128::from(to) - i128::from(from));
            key = step.to;
        }
        Ok(moved)
    }
}

/// The first steps of all clocks, found when they are asked for: all snapshots are known by then.
fn steps<'a>(
    known: &'a mut Option<Map<Key, Step>>,
    snapshots: &mut Vec<Vec<(Key, Ticks)>>,
    primary: Option<u32>,
) -> &'a mut Map<Key, Step> {
    known.get_or_insert_with(|| first_steps(&std::mem::take(snapshots), (0, primary.unwrap_or(BOOT))))
}

/// Finds the first step of each clock on the shortest way to the timeline's; of several the one over the clock that its
/// snapshots name first. Takes time by the number of readings.
fn first_steps(snapshots: &[Vec<(Key, Ticks)>], primary: Key) -> Map<Key, Step> {
    let distances = distances(snapshots, primary);
    let mut steps: Map<Key, Step> = Map::default();
    for snapshot in snapshots {
        let of = |key: &Key| distances.get(key).copied();
        let nearest = snapshot.iter().filter_map(|(key, _)| Some((of(key)?, *key)));
        let Some((n, to)) = nearest.min_by_key(|(n, _)| *n) else { continue };
        for (key, _) in snapshot.iter().filter(|(key, _)| of(key) == Some(n + 1)) {
            steps.entry(*key).or_insert_with(|| Step { to, n: n + 1, pairs: Vec::new(), passed: None });
        }
    }
    for snapshot in snapshots {
        let times: Map<Key, Ticks> = snapshot.iter().copied().collect();
        for (key, time) in snapshot {
            if let Some(step) = steps.get_mut(key)
                && let Some(other) = times.get(&step.to)
            {
                step.pairs.push((*time, *other));
            }
        }
    }
    for step in steps.values_mut() {
        order::sort_by_number(&mut step.pairs, |(from, _)| *from);
    }
    steps
}

/// How many steps each clock is away from this one.
fn distances(snapshots: &[Vec<(Key, Ticks)>], from: Key) -> Map<Key, usize> {
    let mut with: Map<Key, Vec<usize>> = Map::default();
    for (n, snapshot) in snapshots.iter().enumerate() {
        for (key, _) in snapshot {
            with.entry(*key).or_default().push(n);
        }
    }
    let mut distances: Map<Key, usize> = Map::default();
    distances.insert(from, 0);
    let mut used: Set<usize> = Set::default();
    let mut next = VecDeque::from([(from, 0)]);
    while let Some((clock, n)) = next.pop_front() {
        let fresh = with.remove(&clock).into_iter().flatten().filter(|row| used.insert(*row));
        for (other, _) in fresh.filter_map(|row| snapshots.get(row)).flatten() {
            if !distances.contains_key(other) {
                distances.insert(*other, n + 1);
                next.push_back((*other, n + 1));
            }
        }
    }
    distances
}

/// Clocks from 64 to 127 are those of the sequence.
fn key(clock: u32, sequence: u32) -> Key {
    if (64..128).contains(&clock) { (sequence, clock) } else { (0, clock) }
}

/// The readings of a snapshot in nanoseconds.
fn readings(snapshot: &ClockSnapshot, sequence: u32) -> impl Iterator<Item = (Key, i128)> {
    snapshot.clocks.iter().map(move |clock| {
        let time = i128::from(clock.timestamp.unwrap_or(0));
        (key(clock.id.unwrap_or(0), sequence), time.saturating_mul(unit(clock).into()))
    })
}

fn unit(clock: &Clock) -> u64 {
    clock.unit.unwrap_or(0).max(1)
}

fn in_range(nanos: i128) -> Result<Ticks, Odd> {
    Ticks::try_from(nanos).map_err(|_| Odd::Beyond(nanos))
}

/// What is wrong with a number of nanoseconds that no timeline holds.
pub(crate) fn beyond(field: &'static str, nanos: i128) -> Kind {
    let (min, max) = ("0".to_owned(), Ticks::MAX.to_string());
    Kind::OutOfRange { field: field.into(), value: nanos.to_string(), min, max }
}

/// Whether readings of two clocks exclude each other: the one goes on while the other stands or goes back.
fn contradict(before: (Ticks, Ticks), now: (Ticks, Ticks)) -> bool {
    let passed = |from: Ticks, to: Ticks| i128::from(to) - i128::from(from);
    let (one, other) = (passed(before.0, now.0), passed(before.1, now.1));
    one.signum() * other.signum() <= 0 && SLACK < (one - other).abs()
}
