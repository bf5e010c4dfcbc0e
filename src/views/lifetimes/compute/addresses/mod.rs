//! Accesses of one kernel by address and time: they stay in the file, and what is seen of them is read from there again.
//!
//! ```text
//! AccessSource ──▶ AddressReader ──▶ AddressGrid (how many of each status, cell by cell of what is seen)
//!                      │         └─▶ Follow      (single lifetimes, where few enough sectors are seen)
//!                      └ marks: cycles of stretches of the file, so that a window reads no more than it needs
//! ```

mod reader;

pub use reader::{AddressGrid, AddressReader, GridCell, Subject, Wanted};

use crate::base::map::Map;
use crate::base::order;
use crate::views::lifetimes::compute::{
    Access, Closed, LevelHead, Machine, Operation, Outcome, Rules, SECTOR_BYTES,
};

// What became of an access, as it is shown: loads that wait are told from those that miss.

/// What became of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The data were there.
    Hit,
    /// The data were on their way.
    Pending,
    /// The data were not there.
    Miss,
    /// The access could not be taken and comes again.
    Retry,
}

/// All of them, by their numbers.
pub const STATUSES: [Status; 4] = [Status::Hit, Status::Pending, Status::Miss, Status::Retry];

/// Keys that are kept before those are dropped that do not matter any more.
const KEPT: usize = 1 << 14;

/// Tells loads that wait from those that miss. A load that misses waits where the same data were missed within the fill
/// time, and have not come since.
#[derive(Clone, Default)]
struct Waiting {
    is_private: bool,
    fill_cycles: u64,
    /// When data were asked for, by unit and sector.
    asked: Map<(u32, u64), u64>,
    latest: u64,
    room: usize,
}

impl Waiting {
    fn new(is_private: bool, fill_cycles: u64) -> Self {
        Self { is_private, fill_cycles, room: KEPT, ..Self::default() }
    }

    /// The status of the next access.
    #[inline]
    fn status(&mut self, access: &Access) -> Status {
        if access.outcome == Outcome::Retry {
            return Status::Retry;
        }
        let unit = if self.is_private { access.unit } else { 0 };
        let key = (unit, access.address / SECTOR_BYTES);
        self.latest = self.latest.max(access.cycle);
        if access.operation == Operation::Store || access.outcome == Outcome::Hit {
            self.asked.remove(&key);
        }
        match access.outcome {
            Outcome::Hit => Status::Hit,
            Outcome::Pending => Status::Pending,
            Outcome::Miss if access.operation == Operation::Load => self.missed(key, access.cycle),
            _ => Status::Miss,
        }
    }

    fn missed(&mut self, key: (u32, u64), cycle: u64) -> Status {
        if let Some(asked) = self.asked.get(&key)
            && cycle.saturating_sub(*asked) <= self.fill_cycles
        {
            return Status::Pending;
        }
        self.asked.insert(key, cycle);
        if self.room < self.asked.len() {
            self.drop_old();
            self.room = KEPT.max(self.asked.len() * 2);
        }
        Status::Miss
    }

    fn drop_old(&mut self) {
        let (latest, fill) = (self.latest, self.fill_cycles);
        self.asked.retain(|_, asked| latest.saturating_sub(*asked) <= fill);
    }

    /// The same at this place, with no more than matters.
    fn snapshot(&mut self) -> Self {
        self.drop_old();
        self.clone()
    }
}

// Single lifetimes of some sectors, with the accesses to them.

/// Lifetimes that are kept at most.
const LIVES: usize = 100_000;
/// Accesses that are kept at most.
const TOUCHES: usize = 400_000;

/// An access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// When, in cycles of the kernel.
    pub cycle: u64,
    /// The first byte of its sector.
    pub address: u64,
    /// The unit that it reached.
    pub unit: u32,
    pub status: Status,
    pub is_store: bool,
}

/// A lifetime, and where it stands in the row of its sector: lifetimes of several units may meet there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    pub life: Closed,
    /// Its lane, from 0.
    pub lane: u32,
    /// How many lanes the row has.
    pub lanes: u32,
}

impl Bar {
    /// When it ends.
    pub fn end(&self) -> u64 {
        self.life.start.saturating_add(self.life.length)
    }
}

/// Lifetimes of the sectors of some stretches of addresses.
pub struct Follow {
    /// The stretches: first and last byte.
    ranges: Vec<(u64, u64)>,
    is_private: bool,
    machine: Machine,
    /// The cycles of which lifetimes are kept, when all are too many.
    span: Option<(u64, u64)>,
    /// The cycles that are looked at.
    seen: (u64, u64),
    lives: Vec<Closed>,
    bars: Vec<Bar>,
    touches: Vec<Touch>,
    /// Whether there are too many even of the cycles that are looked at.
    is_too_many: bool,
}

impl Follow {
    fn new(rules: Rules, head: &LevelHead, ranges: Vec<(u64, u64)>, seen: (u64, u64)) -> Self {
        Self {
            ranges,
            is_private: head.is_private,
            machine: Machine::new(rules, head, true),
            span: None,
            seen,
            lives: Vec::new(),
            bars: Vec::new(),
            touches: Vec::new(),
            is_too_many: false,
        }
    }

    /// Takes an access.
    #[inline]
    fn access(&mut self, access: &Access, status: Status) {
        let address = access.address;
        if self.is_too_many || !self.ranges.iter().any(|(a, b)| *a <= address && address <= *b) {
            return;
        }
        self.machine.access(access);
        if self.span.is_none_or(|(from, to)| from <= access.cycle && access.cycle <= to) {
            self.touches.push(Touch {
                cycle: access.cycle,
                address: address / SECTOR_BYTES * SECTOR_BYTES,
                unit: access.unit,
                status,
                is_store: access.operation == Operation::Store,
            });
        }
    }

    /// Keeps what ended; to be called now and then.
    fn keep(&mut self) {
        let closed = self.machine.take_closed();
        self.add(closed);
    }

    fn add(&mut self, closed: Vec<Closed>) {
        let span = self.span;
        let is_kept = |one: &Closed, span: Option<(u64, u64)>| {
            span.is_none_or(|(from, to)| one.start <= to && from <= one.start.saturating_add(one.length))
        };
        self.lives.extend(closed.into_iter().filter(|one| is_kept(one, span)));
        if self.lives.len() <= LIVES && self.touches.len() <= TOUCHES {
            return;
        }
        if self.span.is_some() {
            (self.lives, self.touches) = (Vec::new(), Vec::new());
            self.is_too_many = true;
            return;
        }
        let (from, to) = self.seen;
        self.span = Some(self.seen);
        self.lives.retain(|one| is_kept(one, Some((from, to))));
        self.touches.retain(|touch| from <= touch.cycle && touch.cycle <= to);
    }

    /// The kernel ends after so many cycles.
    fn finish(&mut self, cycles: u64) {
        self.keep();
        let mut ending = self.machine.end(cycles);
        // There are no more than are kept.
        let (_, closed) = loop {
            if let Some(ended) = ending.poll() {
                break ended;
            }
        };
        self.add(closed);
        let is_private = self.is_private;
        let unit = |unit: u32| if is_private { unit } else { 0 };
        // By address, then by unit, then by time.
        order::sort_by_number(&mut self.touches, |touch| touch.cycle);
        order::sort_by_number(&mut self.touches, |touch| unit(touch.unit));
        order::sort_by_number(&mut self.touches, |touch| touch.address);
        let mut lives = std::mem::take(&mut self.lives);
        order::sort_by_number(&mut lives, |one| one.order);
        order::sort_by_number(&mut lives, |one| one.start);
        order::sort_by_number(&mut lives, |one| one.address);
        for row in lives.chunk_by(|a, b| a.address == b.address) {
            // Each lifetime takes the first lane whose last one has ended.
            let mut ends: Vec<u64> = Vec::new();
            let first = self.bars.len();
            for life in row {
                let end = life.start.saturating_add(life.length);
                let lane = ends.iter().position(|end| *end <= life.start).unwrap_or(ends.len());
                match ends.get_mut(lane) {
                    Some(own) => *own = end.max(life.start + 1),
                    None => ends.push(end.max(life.start + 1)),
                }
                self.bars.push(Bar { life: *life, lane: lane as u32, lanes: 0 });
            }
            for bar in self.bars.iter_mut().skip(first) {
                bar.lanes = ends.len() as u32;
            }
        }
    }

    /// Whether it has all lifetimes of these stretches in these cycles.
    fn covers(&self, ranges: &[(u64, u64)], cycles: (u64, u64)) -> bool {
        let holds = |own: (u64, u64), other: (u64, u64)| own.0 <= other.0 && other.1 <= own.1;
        self.span.is_none_or(|own| holds(own, cycles))
            && ranges.iter().all(|range| self.ranges.iter().any(|own| holds(*own, *range)))
    }

    /// The lifetimes of some stretches in some cycles, by address and begin; `None` where they are more than so many, or
    /// have more lanes.
    pub fn bars(
        &self,
        ranges: &[(u64, u64)],
        cycles: (u64, u64),
        (most, lanes): (usize, u32),
    ) -> Option<Vec<&Bar>> {
        if self.is_too_many {
            return None;
        }
        let mut seen: Vec<&Bar> = Vec::new();
        for (low, high) in ranges {
            let from = self.bars.partition_point(|bar| bar.life.address.saturating_add(SECTOR_BYTES) <= *low);
            let own = self.bars.iter().skip(from).take_while(|bar| bar.life.address <= *high);
            seen.extend(
                own.filter(|bar| bar.life.start <= cycles.1 && cycles.0 <= bar.end())
                    .take(most.saturating_add(1)),
            );
            if most < seen.len() {
                return None;
            }
        }
        seen.iter().all(|bar| bar.lanes <= lanes).then_some(seen)
    }

    /// The accesses to what a lifetime holds, from its begin to its end.
    pub fn touches(&self, bar: &Bar) -> impl Iterator<Item = &Touch> {
        let unit = |unit: u32| if self.is_private { unit } else { 0 };
        let life = bar.life;
        let key = move |touch: &Touch| (touch.address, unit(touch.unit), touch.cycle);
        let from = (life.address, unit(life.unit), life.start);
        let to = (life.address, unit(life.unit), bar.end());
        let first = self.touches.partition_point(|touch| key(touch) < from);
        self.touches.iter().skip(first).take_while(move |touch| key(touch) <= to)
    }
}
