//! Lifetimes of data in caches: how long what an access brought in was in use, kernel by kernel and level by level.
//!
//! ```text
//! a reader (log of a simulator, tables of its tools) ──▶ Machine ──▶ Recorded ──▶ rows, views, exports
//!     one Distribution of exact cycles for each level of each kernel: any retention is answered at once
//! ```
//! Single accesses stay in the file and are read from there again through [`AccessSource`].

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod addresses;
pub mod bins;
mod devices;
mod distribution;
mod machine;
pub mod parameters;
mod report;
mod rows;

pub use bins::{Heat, HeatCell};
pub use devices::{Demand, Device, DeviceFigures, Devices, Retention, Share, defaults, mixed_area};
pub use distribution::Distribution;
pub use machine::{
    Access, Closed, Closing, Ending, Growing, Histogram, Machine, Operation, Outcome, Refill, Rules,
};
pub use report::{LevelReport, Report, WriteFrequency, report};
pub use rows::{KernelRow, LevelRow, Orphans, Scope, Settings, devices, name, percentile, row, rows};

use crate::base::brief::listed;
use crate::base::map::Map;
use crate::base::words::phrase;
use bins::BINS;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

/// Bytes of a sector, which is what one access moves.
pub const SECTOR_BYTES: u64 = 32;

/// The share of lifetimes that a device must hold to do without others, 0 to 1: findings are held against it.
pub const ENOUGH: f64 = 0.9;

/// All that was recorded of lifetimes. Kept in `Trace::extensions`.
#[derive(Default)]
pub struct Recorded {
    /// What each file told, in the order in which files are read. It grows while they are read: kernels appear as they end.
    pub runs: Vec<Run>,
}

/// What one file told.
#[derive(Default)]
pub struct Run {
    /// Number of the entry of the bundle that says it.
    pub entry: u32,
    /// What a person calls it: the stem of the file's name.
    pub name: String,
    /// The clock that cycles count, in MHz; `None` when the file does not say.
    pub clock_mhz: Option<f64>,
    /// Where the clock comes from, a phrase such as `of the mapping`; empty when nobody says.
    pub clock_source: &'static str,
    /// Cycles that pass in each kernel before its first access, as the file says.
    pub launch_latency: Option<u64>,
    /// Whether its kernels are layers of a network.
    pub has_layers: bool,
    /// The levels of caches, the nearest first. Kernels have their figures in the same order.
    pub levels: Vec<LevelHead>,
    /// The kernels in the order in which they ended.
    pub kernels: Vec<Kernel>,
    pub rules: Rules,
    /// Reads single accesses again; `None` where the file has none.
    pub accesses: Option<Box<dyn AccessSource>>,
    /// The units of its kernels, as far as they were counted.
    pub units: RunUnits,
}

/// Numbers of units, ascending, each with whether it has accesses.
type Numbers = Vec<(u32, bool)>;

/// The units of each level of a run, and of how many kernels.
#[derive(Default)]
pub struct RunUnits(RefCell<(usize, Vec<Numbers>)>);

/// A level of caches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelHead {
    /// What a person calls it, such as `L1`.
    pub name: String,
    /// What its units are called, such as `SM` or `slice`.
    pub unit: String,
    /// Whether each unit keeps data for itself; otherwise an address stands in one unit only.
    pub is_private: bool,
    /// Bytes as the configuration says: of one unit when private, else of all.
    pub bytes: Option<u64>,
    /// Bytes of a word, where accesses move single words; `None` where they move sectors.
    pub word_bytes: Option<u64>,
    /// How many units there are, as the configuration says.
    pub units: Option<u64>,
}

impl LevelHead {
    /// Bytes that one access moves.
    pub fn access_bytes(&self) -> u64 {
        self.word_bytes.unwrap_or(SECTOR_BYTES)
    }
}

/// A kernel that ran.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kernel {
    /// Its number as the file has it.
    pub id: u64,
    /// The number of its launch, when the file has one.
    pub uid: Option<u64>,
    /// The numbers of its launches as the file lists them: several that ran at once and are measured together, or none where
    /// it names no kernel. `None` where it has no list: then it is one launch.
    pub uids: Option<Vec<u64>>,
    /// Its name; names of several with commas between them, each once; empty where the file names none.
    pub name: String,
    pub stream: Option<u64>,
    /// When it began, in cycles since the first kernel began.
    pub start: u64,
    /// How many cycles it took.
    pub cycles: u64,
    /// Instructions in a cycle.
    pub ipc: Option<f64>,
    /// Share of the threads that the hardware could hold, 0 to 1.
    pub occupancy: Option<f64>,
    /// How many kernels it stands for; 1 unless samples say otherwise.
    pub weight: f64,
    /// Whether the file ends before it does.
    pub is_cut: bool,
    /// Its bytes in the file.
    pub bytes: Range<u64>,
    /// Number of its first line in the file, from 1.
    pub line: u64,
    /// What it did at each level of [`Run::levels`]; may have fewer.
    pub levels: Vec<Level>,
}

/// What a kernel did at one level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// Bytes during this kernel, where they differ from [`LevelHead::bytes`].
    pub bytes: Option<u64>,
    /// What all units did.
    pub counts: Counts,
    /// What each unit did, ascending by its number; empty where accesses were not recorded.
    pub units: Vec<Unit>,
    /// Lengths of lifetimes with at least one reuse.
    pub reused: Distribution,
    /// Lengths of lifetimes without reuse.
    pub orphaned: Distribution,
    /// How often data were used again, over all lifetimes.
    pub reuses: Distribution,
    /// Sectors in use over time.
    pub resident: Resident,
    /// Accesses over time and units.
    pub heat: Heat,
    /// Stretches of addresses that were accessed, ascending, in whole pages of 4 KiB; only wide gaps part them.
    pub addresses: Vec<(u64, u64)>,
    /// Accesses that waited for data which were on their way, exactly: missed here, but not seen at the next level. `None`
    /// where that was not recorded.
    pub waited: Option<u64>,
    /// What a table states without the lifetimes behind it.
    pub stated: Option<LevelRow>,
}

/// What one unit did in a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unit {
    pub number: u32,
    pub counts: Counts,
    /// Lengths of its lifetimes with at least one reuse; empty where units are not private.
    pub reused: Histogram,
    /// Lengths of its lifetimes without reuse; empty where units are not private.
    pub orphaned: Histogram,
}

/// How often what happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Loads, without retries.
    pub reads: u64,
    /// Stores, without retries.
    pub writes: u64,
    /// Loads that brought data in: true misses.
    pub fills: u64,
    /// Lines of accesses that could not be taken and came again.
    pub retries: u64,
    /// Loads and stores that found their data.
    pub hits: u64,
    /// Accesses that found their data neither there nor known to be on their way: true misses, and waiting ones that the
    /// fill time tells from them.
    pub missed: u64,
    /// Loads that waited for data which were on their way, as far as the fill time tells.
    pub pending: u64,
    /// Distinct sectors.
    pub sectors: u64,
    /// Lifetimes, those without reuse included.
    pub lifetimes: u64,
    /// Lifetimes without reuse.
    pub orphans: u64,
    /// Sectors whose first access found them there.
    pub existing: u64,
    /// Lifetimes that a store ended.
    pub overwritten: u64,
    /// Lifetimes that a store began and no load used.
    pub unread: u64,
    /// Those of them that the next store ended.
    pub replaced: u64,
}

impl Counts {
    /// Accesses without retries.
    pub fn accesses(&self) -> u64 {
        self.reads + self.writes
    }

    /// Accesses that did not find their data; those that waited are not among them.
    pub fn misses(&self) -> u64 {
        self.accesses().saturating_sub(self.hits + self.pending)
    }

    /// All of them so many times.
    #[must_use]
    pub fn times(&self, n: u64) -> Self {
        let of = |count: u64| count.saturating_mul(n);
        Self {
            reads: of(self.reads),
            writes: of(self.writes),
            fills: of(self.fills),
            retries: of(self.retries),
            hits: of(self.hits),
            missed: of(self.missed),
            pending: of(self.pending),
            sectors: of(self.sectors),
            lifetimes: of(self.lifetimes),
            orphans: of(self.orphans),
            existing: of(self.existing),
            overwritten: of(self.overwritten),
            unread: of(self.unread),
            replaced: of(self.replaced),
        }
    }

    /// Adds those of another.
    pub fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.fills += other.fills;
        self.retries += other.retries;
        self.hits += other.hits;
        self.missed += other.missed;
        self.pending += other.pending;
        self.sectors += other.sectors;
        self.lifetimes += other.lifetimes;
        self.orphans += other.orphans;
        self.existing += other.existing;
        self.overwritten += other.overwritten;
        self.unread += other.unread;
        self.replaced += other.replaced;
    }
}

/// Reads single accesses from the file again.
pub trait AccessSource {
    /// Shows accesses of a kernel from a byte of the file on, for about 10 ms; the byte where the next ones begin, `None`
    /// at the end of the kernel. Begin with `kernel.bytes.start`.
    ///
    /// # Errors
    /// Why the file cannot be read any more, as a sentence.
    fn read(
        &self,
        kernel: &Kernel,
        from: u64,
        to: &mut dyn FnMut(usize, &Access),
    ) -> Result<Option<u64>, String>;
}

impl Kernel {
    /// How many kernels it stands for, as a whole number.
    pub fn times(&self) -> u64 {
        if self.weight.is_finite() { self.weight.round().max(1.0) as u64 } else { 1 }
    }

    /// The names of the kernels that it is of.
    pub fn names(&self) -> Vec<&str> {
        match &self.uids {
            Some(_) if self.name.is_empty() => Vec::new(),
            Some(uids) if 1 < uids.len() => listed(&self.name),
            _ => vec![&self.name],
        }
    }

    /// Whether anything of its accesses is known at any level: a log may have statistics of a kernel only.
    pub fn is_recorded(&self) -> bool {
        self.levels.iter().any(Level::is_recorded)
    }
}

/// What a kernel is called: also one that the file does not name.
pub fn called(name: &str) -> &str {
    if name.is_empty() { phrase("unnamed") } else { name }
}

impl Run {
    /// How many launches each kernel adds to those of its name, and to all: one that goes on from another kernel adds none.
    pub fn launches(&self) -> Vec<[u64; 2]> {
        // Of each launch when its latest kernel ended and the row of its first; the names that it was counted under.
        let mut going: Map<u64, (u64, usize)> = Map::default();
        let mut counted: BTreeSet<(u64, usize, &str)> = BTreeSet::new();
        let mut all = Vec::with_capacity(self.kernels.len());
        for (row, kernel) in self.kernels.iter().enumerate() {
            let mut new = [u64::from(kernel.uids.is_none()); 2];
            for uid in kernel.uids.iter().flatten() {
                let before = going.get(uid).filter(|(end, _)| *end == kernel.start);
                let first = before.map_or(row, |(_, first)| *first);
                going.insert(*uid, (kernel.start.saturating_add(kernel.cycles), first));
                new[0] += u64::from(counted.insert((*uid, first, &kernel.name)));
                new[1] += u64::from(first == row);
            }
            all.push(new.map(|n| n.saturating_mul(kernel.times())));
        }
        all
    }

    /// The kernel's bytes of a level: of one unit when private, else of all; `None` when nobody says.
    pub fn bytes(&self, kernel: &Kernel, level: usize) -> Option<u64> {
        let own = kernel.levels.get(level).and_then(|level| level.bytes);
        own.or_else(|| self.levels.get(level)?.bytes)
    }

    /// Numbers of the units of a level in any kernel, ascending, each with whether it has accesses. Each kernel is looked at
    /// once, however often this is asked.
    pub fn units(&self, level: usize) -> Numbers {
        let (seen, levels) = &mut *self.units.0.borrow_mut();
        levels.resize_with(levels.len().max(level + 1), Vec::new);
        for kernel in self.kernels.iter().skip(*seen) {
            levels.resize_with(levels.len().max(kernel.levels.len()), Vec::new);
            for (all, level) in levels.iter_mut().zip(&kernel.levels) {
                for unit in &level.units {
                    let at = all.binary_search_by_key(&unit.number, |(number, _)| *number);
                    let at = at.unwrap_or_else(|at| {
                        all.insert(at, (unit.number, false));
                        at
                    });
                    if let Some((_, is_used)) = all.get_mut(at) {
                        *is_used |= 0 < unit.counts.accesses();
                    }
                }
            }
        }
        *seen = self.kernels.len();
        levels.get(level).cloned().unwrap_or_default()
    }

    /// Units of a level with accesses in any kernel.
    pub fn used_units(&self, level: usize) -> u64 {
        self.units(level).iter().filter(|(_, is_used)| *is_used).count() as u64
    }

    /// Units of a level: as the configuration says, and at least those with accesses.
    pub fn n_units(&self, level: usize) -> u64 {
        let said = self.levels.get(level).and_then(|head| head.units).unwrap_or(0);
        said.max(self.used_units(level))
    }

    /// When the first kernel began and when the last one ended.
    pub fn span(&self) -> (u64, u64) {
        let start = self.kernels.iter().map(|kernel| kernel.start).min().unwrap_or(0);
        let ends = self.kernels.iter().map(|kernel| kernel.start.saturating_add(kernel.cycles));
        (start, ends.max().unwrap_or(start))
    }

    /// Whether a kernel counts where kernels are added up: one that the file cuts off does not, because its longest lifetimes
    /// are the last to end. All count where there is no other.
    pub fn counts(&self, kernel: &Kernel) -> bool {
        !kernel.is_cut || self.kernels.iter().all(|kernel| kernel.is_cut)
    }

    /// Cycles of all kernels.
    pub fn cycles(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.cycles).sum()
    }
}

impl Level {
    /// Whether anything of its accesses is known.
    pub fn is_recorded(&self) -> bool {
        let counts = &self.counts;
        self.stated.is_some() || 0 < counts.accesses() + counts.retries + counts.lifetimes
    }

    /// The unit with the most accesses; the first of several.
    pub fn busiest(&self) -> Option<&Unit> {
        self.units.iter().reduce(
            |best, unit| {
                if best.counts.accesses() < unit.counts.accesses() { unit } else { best }
            },
        )
    }

    /// Units with accesses, retries not counted.
    pub fn used_units(&self) -> u64 {
        self.units.iter().filter(|unit| 0 < unit.counts.accesses()).count() as u64
    }
}

// Sectors in use over time: begins and ends of lifetimes while their kernel runs, then the most in each bin and of all.

/// Distinct cycles of begins, and of ends, at most: beyond, two neighbors become one.
const MOST: usize = 1 << 21;

/// Begins and ends of lifetimes. Takes eight bytes for each distinct cycle of either.
pub struct GrowingUse {
    /// See [`MOST`].
    most: usize,
    /// A step is this power of two of cycles.
    shift: u32,
    starts: Growing,
    ends: Growing,
}

impl Default for GrowingUse {
    fn default() -> Self {
        Self::up_to(MOST)
    }
}

impl GrowingUse {
    /// Nothing yet; keeps so many distinct cycles of begins, and of ends, exactly.
    pub fn up_to(most: usize) -> Self {
        Self { most, shift: 0, starts: Growing::default(), ends: Growing::default() }
    }

    /// Adds a lifetime.
    pub fn add(&mut self, start: u32, end: u32) {
        if self.most < self.starts.settled().max(self.ends.settled()) {
            self.shift += 1;
            self.starts.halve();
            self.ends.halve();
        }
        self.starts.push(u64::from(start >> self.shift));
        self.ends.push(u64::from(end >> self.shift));
    }

    /// The kernel has ended.
    pub fn finish(self) -> Resident {
        let (starts, ends) = (self.starts.finish(), self.ends.finish());
        let last = ends.pairs().last().map_or(0, |(at, _)| at);
        let mut shift = 0;
        while BINS <= last >> shift {
            shift += 1;
        }
        let n = if ends.is_empty() { 0 } else { (last >> shift) + 1 };
        let mut sectors = vec![0_u64; n as usize];
        let (mut starts, mut ends) = (starts.pairs().peekable(), ends.pairs().peekable());
        let (mut now, mut since) = (0_u64, 0);
        let mut peak = Peak { is_exact: self.shift == 0, ..Peak::default() };
        while let Some(at) = [starts.peek(), ends.peek()].into_iter().flatten().map(|(at, _)| *at).min() {
            // As many from the change before to the step in front of this one.
            for bin in since >> shift..=at.saturating_sub(1) >> shift {
                if let Some(most) = sectors.get_mut(bin as usize).filter(|most| **most < now) {
                    *most = now;
                }
            }
            now += starts.next_if(|(own, _)| *own == at).map_or(0, |(_, n)| n);
            now = now.saturating_sub(ends.next_if(|(own, _)| *own == at).map_or(0, |(_, n)| n));
            since = at;
            if peak.sectors < now {
                (peak.sectors, peak.cycle) = (now, at << self.shift);
            }
        }
        Resident { shift: shift + self.shift, sectors, peak }
    }
}

/// Sectors in use over time, from opening to the end of each lifetime. Data whose only use is the access that brought them
/// in do not count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resident {
    shift: u32,
    /// The most in each bin.
    pub sectors: Vec<u64>,
    /// The most of all, with the cycle of the kernel.
    pub peak: Peak,
}

impl Resident {
    /// Cycles of a bin.
    pub fn bin_cycles(&self) -> u64 {
        1 << self.shift
    }
}

/// The most sectors in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peak {
    pub sectors: u64,
    /// The first cycle with so many.
    pub cycle: u64,
    /// Whether each cycle was looked at; otherwise it is about so many.
    pub is_exact: bool,
}
