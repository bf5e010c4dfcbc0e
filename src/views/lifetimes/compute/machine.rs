//! From accesses to lifetimes.
//!
//! A lifetime opens with the first access to a sector, with a store, and with a load that missed what had been there. A load
//! that misses what is still on its way is a reuse. State is forgotten when a kernel ends.

use super::bins::GrowingHeat;
use super::{Counts, Distribution, GrowingUse, Level, LevelHead, SECTOR_BYTES, Unit};
use crate::analysis::access::Stretches;
use crate::base::job::{Job, Turn};
use crate::base::map::{Map, Set};
use crate::base::order;
use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::mem::take;

/// Numbers of units below this are found without a map.
const NEAR: usize = 1024;

/// When a lifetime ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Closing {
    /// With the last use of its data.
    #[default]
    LastUse,
    /// When its data are replaced, or the kernel ends.
    Resident,
}

/// What a miss does to a lifetime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refill {
    /// It ends, another begins.
    #[default]
    Reopen,
    /// It goes on: lifetimes end with stores only.
    Keep,
}

/// How lifetimes are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// When they end.
    pub closing: Closing,
    /// What a miss does.
    pub refill: Refill,
    /// A miss so many cycles after data were asked for is a new one.
    pub fill_cycles: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { closing: Closing::default(), refill: Refill::default(), fill_cycles: 400 }
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    #[default]
    Load,
    Store,
}

/// What became of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// The data were there.
    #[default]
    Hit,
    /// The data were known to be on their way.
    Pending,
    /// The data were not there, or on their way.
    Miss,
    /// The access could not be taken and comes again.
    Retry,
}

/// One access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// When, in cycles of the kernel.
    pub cycle: u64,
    /// The unit that it reached.
    pub unit: u32,
    /// The byte.
    pub address: u64,
    pub operation: Operation,
    pub outcome: Outcome,
}

/// A lifetime that ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Closed {
    /// How many were opened before it in this kernel and level.
    pub order: u32,
    /// The unit whose access opened it.
    pub unit: u32,
    /// The first byte of its sector.
    pub address: u64,
    /// When it was opened.
    pub start: u64,
    pub length: u64,
    /// How often its data were used again.
    pub reuses: u32,
    /// When its data were used last.
    pub last: u64,
    /// Whether a store opened it; all other uses of it are loads.
    pub is_stored: bool,
}

/// Makes lifetimes of the accesses of one level, kernel by kernel.
pub struct Machine {
    rules: Rules,
    is_private: bool,
    /// Rows of the units, by their number; `near` has those of low numbers again.
    rows: Map<u32, usize>,
    near: Vec<u32>,
    pub(super) units: Vec<Working>,
    /// Sectors of a level whose units are not private.
    pub(super) shared: Map<u64, Open>,
    pub(super) reuses: Growing,
    pub(super) reused: Growing,
    pub(super) orphaned: Growing,
    pub(super) resident: GrowingUse,
    pub(super) heat: GrowingHeat,
    pub(super) pages: Pages,
    opened: u32,
    pub(super) kept: Option<Vec<Closed>>,
    last_unit: (u32, usize),
}

/// A unit while its kernel runs.
#[derive(Default)]
pub(super) struct Working {
    pub(super) number: u32,
    counts: Counts,
    pub(super) open: Map<u64, Open>,
    reused: Growing,
    orphaned: Growing,
}

/// A lifetime that has not ended.
#[derive(Clone, Copy)]
pub(super) struct Open {
    start: u32,
    last: u32,
    reuses: u32,
    order: u32,
    /// Row of the unit that opened it; the two highest bits say whether the data have come, and whether a store opened it.
    unit: u32,
}

/// See [`Open::unit`].
const FILLED: u32 = 1 << 31;
/// See [`Open::unit`].
const STORED: u32 = 1 << 30;

/// Bytes of the pages that tell which addresses occur, as a power of two.
const PAGE: u32 = 12;

/// Which addresses occur in a kernel.
#[derive(Default)]
pub(super) struct Pages {
    seen: Set<u64>,
    pub(super) stretches: Stretches,
}

impl Pages {
    fn add(&mut self, address: u64) {
        let page = address >> PAGE;
        if self.seen.insert(page) {
            self.stretches.add(page << PAGE, page << PAGE | ((1 << PAGE) - 1));
        }
    }
}

impl Machine {
    /// For a level. `keeps` says whether single lifetimes are wanted.
    pub fn new(rules: Rules, level: &LevelHead, keeps: bool) -> Self {
        Self::fresh(rules, level.is_private, keeps)
    }

    fn fresh(rules: Rules, is_private: bool, keeps: bool) -> Self {
        Self {
            rules,
            is_private,
            rows: Map::default(),
            near: vec![u32::MAX; NEAR],
            units: Vec::new(),
            shared: Map::default(),
            reuses: Growing::default(),
            reused: Growing::default(),
            orphaned: Growing::default(),
            resident: GrowingUse::default(),
            heat: GrowingHeat::default(),
            pages: Pages::default(),
            opened: 0,
            kept: keeps.then(Vec::new),
            last_unit: (u32::MAX, usize::MAX),
        }
    }

    fn row(&mut self, number: u32) -> usize {
        if self.last_unit.0 == number && self.last_unit.1 < self.units.len() {
            return self.last_unit.1;
        }
        let next = self.units.len();
        let row = match self.near.get(number as usize) {
            Some(row) if *row != u32::MAX => *row as usize,
            _ => *self.rows.entry(number).or_insert(next),
        };
        if row == next {
            self.units.push(Working { number, ..Working::default() });
            if let Some(near) = self.near.get_mut(number as usize) {
                *near = row as u32;
            }
        }
        self.last_unit = (number, row);
        row
    }

    /// Takes an access.
    pub fn access(&mut self, access: &Access) {
        let row = self.row(access.unit);
        let is_miss = access.outcome == Outcome::Miss;
        if let Some(cell) = self.heat.cell(row, access.cycle) {
            cell.add(access.outcome);
        }
        let Some(unit) = self.units.get_mut(row) else { return };
        if access.outcome == Outcome::Retry {
            unit.counts.retries += 1;
            self.pages.add(access.address);
            return;
        }
        let is_store = access.operation == Operation::Store;
        unit.counts.reads += u64::from(!is_store);
        unit.counts.writes += u64::from(is_store);
        unit.counts.hits += u64::from(access.outcome == Outcome::Hit);
        unit.counts.missed += u64::from(is_miss);
        let cycle = u32::try_from(access.cycle).unwrap_or(u32::MAX);
        let fresh = Open {
            start: cycle,
            last: cycle,
            reuses: 0,
            order: self.opened,
            unit: row as u32 & !(FILLED | STORED)
                | if is_store || access.outcome == Outcome::Hit { FILLED } else { 0 }
                | if is_store { STORED } else { 0 },
        };
        let sector = access.address / SECTOR_BYTES;
        let open = if self.is_private { &mut unit.open } else { &mut self.shared };
        let open = match open.entry(sector) {
            Entry::Vacant(place) => {
                place.insert(fresh);
                self.pages.add(access.address);
                unit.counts.sectors += 1;
                unit.counts.existing += u64::from(!is_store && access.outcome == Outcome::Hit);
                unit.counts.fills += u64::from(!is_store && is_miss);
                self.opened = self.opened.saturating_add(1);
                return;
            }
            Entry::Occupied(place) => place.into_mut(),
        };
        let age = u64::from(cycle.saturating_sub(open.start));
        let is_true_miss = !is_store && is_miss && (open.unit & FILLED != 0 || self.rules.fill_cycles < age);
        unit.counts.fills += u64::from(is_true_miss);
        unit.counts.overwritten += u64::from(is_store);
        unit.counts.replaced += u64::from(is_store && open.unit & STORED != 0 && open.reuses == 0);
        if !is_store && !is_true_miss && access.outcome != Outcome::Hit {
            unit.counts.pending += 1;
        }
        if is_store || (is_true_miss && self.rules.refill == Refill::Reopen) {
            let old = std::mem::replace(open, fresh);
            self.opened = self.opened.saturating_add(1);
            self.close(old, sector, cycle);
        } else {
            open.last = cycle;
            open.reuses = open.reuses.saturating_add(1);
            if access.outcome == Outcome::Hit {
                open.unit |= FILLED;
            }
        }
    }

    pub(super) fn close(&mut self, open: Open, sector: u64, cycle: u32) {
        let end = match self.rules.closing {
            Closing::LastUse => open.last,
            Closing::Resident => cycle,
        };
        let length = u64::from(end.saturating_sub(open.start));
        let mut number = 0;
        if let Some(unit) = self.units.get_mut((open.unit & !(FILLED | STORED)) as usize) {
            number = unit.number;
            unit.counts.lifetimes += 1;
            unit.counts.orphans += u64::from(open.reuses == 0);
            unit.counts.unread += u64::from(open.reuses == 0 && open.unit & STORED != 0);
            let lengths = match (self.is_private, open.reuses) {
                (true, 0) => &mut unit.orphaned,
                (true, _) => &mut unit.reused,
                (false, 0) => &mut self.orphaned,
                (false, _) => &mut self.reused,
            };
            lengths.push(length);
        }
        self.reuses.push(u64::from(open.reuses));
        if 0 < length {
            self.resident.add(open.start, end);
        }
        if let Some(kept) = &mut self.kept {
            kept.push(Closed {
                order: open.order,
                unit: number,
                address: sector.wrapping_mul(SECTOR_BYTES),
                start: u64::from(open.start),
                length,
                reuses: open.reuses,
                last: u64::from(open.last),
                is_stored: open.unit & STORED != 0,
            });
        }
    }

    /// Lifetimes that ended since the last call, in no order; empty unless they are wanted.
    pub fn take_closed(&mut self) -> Vec<Closed> {
        self.kept.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The kernel ends after so many cycles: what sums it up. The machine is ready for the next.
    pub fn end(&mut self, cycles: u64) -> Ending {
        let next = Self::fresh(self.rules, self.is_private, self.kept.is_some());
        let ended = std::mem::replace(self, next);
        Ending::new(async move |turn| sum_up(ended, cycles, &turn).await)
    }
}

impl Working {
    pub(super) fn finish(self) -> Unit {
        Unit {
            number: self.number,
            counts: self.counts,
            reused: self.reused.finish(),
            orphaned: self.orphaned.finish(),
        }
    }
}

// The end of a kernel, which may hold millions of sectors: what is open closes, lengths are counted.

/// A kernel that ended, while what it did is summed up; and its lifetimes in the order in which they were opened, empty
/// unless they are wanted.
pub type Ending = Job<(Level, Vec<Closed>)>;

/// Distributions as they come; empty ones are left out.
#[derive(Default)]
struct Waiting(VecDeque<Distribution>);

impl Waiting {
    /// Adds lengths; how many distinct ones there are.
    fn push(&mut self, lengths: Distribution) -> usize {
        let n = lengths.lengths().len();
        if !lengths.is_empty() {
            self.0.push_back(lengths);
        }
        n
    }
}

/// Sums up what a kernel of so many cycles did.
async fn sum_up(mut machine: Machine, cycles: u64, turn: &Turn) -> (Level, Vec<Closed>) {
    let end = u32::try_from(cycles).unwrap_or(u32::MAX);
    for row in 0..=machine.units.len() {
        let open = machine.units.get_mut(row).map_or(&mut machine.shared, |unit| &mut unit.open);
        for (sector, open) in take(open) {
            machine.close(open, sector, end);
            if turn.is_over(1) {
                turn.pause().await;
            }
        }
    }
    let mut working = take(&mut machine.units);
    let mut order: Vec<usize> = (0..working.len()).collect();
    order::sort_by_key(&mut order, |row| working.get(*row).map(|unit| unit.number));
    let heat = take(&mut machine.heat).finish(&order);
    let resident = take(&mut machine.resident).finish();
    order::sort_by_key(&mut working, |unit| unit.number);
    turn.pause().await;
    let (mut reused, mut orphaned) = (Waiting::default(), Waiting::default());
    let mut units = Vec::with_capacity(working.len());
    for unit in working {
        let unit = unit.finish();
        let n = reused.push(Distribution::from(&unit.reused));
        let work = 1 + n + orphaned.push(Distribution::from(&unit.orphaned));
        units.push(unit);
        if turn.is_over(work) {
            turn.pause().await;
        }
    }
    let n = reused.push(Distribution::from(&take(&mut machine.reused).finish()));
    if turn.is_over(n + orphaned.push(Distribution::from(&take(&mut machine.orphaned).finish()))) {
        turn.pause().await;
    }
    let mut level = Level {
        reused: Distribution::joined(reused.0, turn).await,
        orphaned: Distribution::joined(orphaned.0, turn).await,
        reuses: Distribution::from(&take(&mut machine.reuses).finish()),
        resident,
        heat,
        units,
        addresses: take(&mut machine.pages).stretches.clusters(),
        ..Level::default()
    };
    for unit in &level.units {
        level.counts.add(&unit.counts);
    }
    let mut closed = machine.kept.take().unwrap_or_default();
    order::sort_by_number(&mut closed, |one| one.order);
    (level, closed)
}

// How many of each length, small: for the units of a level, which are many.

/// Lengths with how often each occurs, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram(Vec<(u32, u32)>);

impl Histogram {
    /// Distinct lengths, ascending, each with how often it occurs.
    pub fn pairs(&self) -> impl Iterator<Item = (u64, u64)> {
        // What occurs more often than a number can say stands there several times.
        self.0.chunk_by(|a, b| a.0 == b.0).filter_map(|same| {
            let n = same.iter().map(|(_, n)| u64::from(*n)).sum();
            Some((u64::from(same.first()?.0), n))
        })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A histogram that still grows. Lengths beyond 2³² count as the longest.
#[derive(Clone, Debug, Default)]
pub struct Growing {
    /// How often each short length occurs.
    short: Vec<u64>,
    rows: Vec<(u32, u32)>,
    waiting: Vec<u32>,
}

/// Lengths below this are counted at once.
const SHORT: usize = 512;
/// Lengths that wait at least before they are sorted in.
const WAITING: usize = 512;
/// Lengths that wait at most while there are less than eight times as many rows: sorted within 20 ms.
const SORTED: usize = 1 << 18;

impl Growing {
    /// Adds one. Takes constant time but for sorting, whose cost is spread.
    pub fn push(&mut self, length: u64) {
        if let Some(at) = usize::try_from(length).ok().filter(|length| *length < SHORT) {
            if self.short.len() <= at {
                self.short.resize(at + 1, 0);
            }
            if let Some(n) = self.short.get_mut(at) {
                *n += 1;
            }
            return;
        }
        self.waiting.push(u32::try_from(length).unwrap_or(u32::MAX));
        let enough = self.rows.len().min((self.rows.len() / 8).max(SORTED)).max(WAITING);
        if enough <= self.waiting.len() {
            self.settle();
        }
    }

    /// Sorts in what waits.
    fn settle(&mut self) {
        self.waiting.sort_unstable();
        let old = std::mem::take(&mut self.rows);
        let mut rows: Vec<(u32, u32)> = Vec::with_capacity(old.len() + self.waiting.len() / 4);
        let mut add = |length: u32, n: u32| match rows.last_mut().filter(|last| last.0 == length) {
            Some(last) if last.1.checked_add(n).is_some() => last.1 += n,
            _ => rows.push((length, n)),
        };
        let mut old = old.into_iter().peekable();
        for length in self.waiting.drain(..) {
            while let Some((own, n)) = old.next_if(|(own, _)| *own <= length) {
                add(own, n);
            }
            add(length, 1);
        }
        old.for_each(|(own, n)| add(own, n));
        self.rows = rows;
    }

    /// Distinct lengths that are sorted in.
    pub(super) fn settled(&self) -> usize {
        self.rows.len()
    }

    /// All are half as long.
    pub(super) fn halve(&mut self) {
        for (length, n) in std::mem::take(self).finish().0 {
            let length = length / 2;
            if let Some(at) = usize::try_from(length).ok().filter(|at| *at < SHORT) {
                self.short.resize(SHORT, 0);
                if let Some(short) = self.short.get_mut(at) {
                    *short += u64::from(n);
                }
            } else {
                match self.rows.last_mut().filter(|last| last.0 == length && last.1.checked_add(n).is_some())
                {
                    Some(last) => last.1 += n,
                    None => self.rows.push((length, n)),
                }
            }
        }
    }

    /// What was collected.
    pub fn finish(mut self) -> Histogram {
        self.settle();
        let mut rows = Vec::with_capacity(self.short.len() + self.rows.len());
        for (length, n) in self.short.iter().enumerate() {
            let mut left = *n;
            while 0 < left {
                let n = u32::try_from(left).unwrap_or(u32::MAX);
                rows.push((length as u32, n));
                left -= u64::from(n);
            }
        }
        rows.append(&mut self.rows);
        rows.shrink_to_fit();
        Histogram(rows)
    }
}
