//! Questions, answers and frames of lifetimes of data.
//!
//! The page holds the lengths of what it shows, so that retentions, shares and energies follow the pointer: they cross
//! once for each scope, packed beside the answer.

use crate::base::geometry::{Point, Rect, Size};
use crate::views::lifetimes::compute::{Counts, Demand, Devices, Distribution, KernelRow, LevelRow, Peak};
use crate::wire::Picture;
use crate::wire::Question;
use serde::{Deserialize, Serialize};

/// A question about lifetimes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LifetimesQuery {
    /// What there is: levels, kernels, devices.
    Head {
        /// Row of the run.
        run: u32,
        /// Values of parameters: what is changed counts at once.
        values: Vec<(String, String)>,
    },
    /// Lengths of all kernels, or of one. The answer is `Packed`, with [`Lengths`] beside it.
    Lengths {
        /// Row of the run.
        run: u32,
        /// Row of the kernel; all without one.
        kernel: Option<u32>,
        /// Values of parameters.
        values: Vec<(String, String)>,
    },
    /// Reads accesses again for what a picture of addresses shows, for a while: to be asked again until all is there.
    Count { frame: Box<AddressFrame>, size: Size },
    /// What lies under a point of a picture of addresses, as [`Reply::Under`] or [`Reply::Life`].
    UnderAddress { frame: Box<AddressFrame>, size: Size, at: Point },
    /// What lies under a point of the heat map.
    Under { frame: Frame, size: Size, at: Point },
}

/// An answer about lifetimes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// What there is; nothing where there is none.
    Head(Option<Box<Head>>),
    /// Lines of a label, a tab and a value.
    Under(Option<String>),
    /// The lifetime under a point.
    Life(Box<Life>),
    /// How much of what a picture of addresses shows is there.
    Counted {
        /// The share, 1 when it is all.
        share: f32,
        /// Why the file cannot be read any more.
        problem: Option<String>,
    },
}

/// Most kernels that are told of.
pub const KERNELS: usize = 10_000;

/// What there is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Head {
    pub runs: Vec<String>,
    /// Row of the one that is told of.
    pub run: u32,
    /// Cycles in a microsecond that count now; `None` when nobody says: then kernels count cycles where they say
    /// microseconds, unless they are stated.
    pub clock_mhz: Option<f64>,
    /// The same as the file has it.
    pub recorded_mhz: Option<f64>,
    /// Where that comes from, a phrase; empty when nobody says.
    pub clock_source: String,
    /// Cycles that pass in each kernel before its first access, as the file says.
    pub launch_latency: Option<u64>,
    /// Whether kernels are layers of a network.
    pub has_layers: bool,
    /// Whether lifetimes end when data are replaced; else with the last use.
    pub is_resident: bool,
    /// Whether a miss lets a lifetime go on.
    pub is_kept: bool,
    /// Cycles that data are on their way.
    pub fill_cycles: u64,
    /// Whether lifetimes without reuse count.
    pub are_orphans_counted: bool,
    /// The units that are told of, as the parameter has it: `total`, `busiest`, `mean`, `sm:3`.
    pub scope: String,
    /// Levels, the nearest first.
    pub levels: Vec<LevelHead>,
    /// Kernels in the order in which they ended, at most [`KERNELS`].
    pub kernels: Vec<Kernel>,
    /// How many there are beyond.
    pub more: u64,
    pub devices: Devices,
    /// What is wrong with the file of devices, a sentence.
    pub devices_problem: Option<String>,
    /// Whether there are accesses: lifetimes, or counts of any.
    pub has_accesses: bool,
    /// Whether there are summaries of kernels without the lifetimes behind them.
    pub is_stated: bool,
}

impl Head {
    /// Whether lengths of kernels are times, not cycles.
    pub fn has_times(&self) -> bool {
        self.clock_mhz.is_some() || self.is_stated
    }
}

/// A level of caches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelHead {
    pub name: String,
    /// What its units are called.
    pub unit: String,
    /// Whether each unit keeps data for itself.
    pub is_private: bool,
    /// Numbers of its units.
    pub units: Vec<u32>,
    /// How many there are, as the configuration says, and at least those with accesses.
    pub n_units: u64,
    /// Bytes of a word, where accesses move single words; `None` where they move sectors.
    pub word_bytes: Option<u64>,
}

/// A kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// The number of its launch.
    pub uid: Option<u64>,
    /// The symbol that its name was written out from; else empty.
    pub symbol: String,
    /// How many kernels it stands for.
    pub weight: f64,
    /// Whether the file ends before it does.
    pub is_cut: bool,
    /// Whether anything of its accesses is known.
    pub is_recorded: bool,
    pub table: KernelRow,
    pub levels: Vec<KernelLevel>,
}

/// A kernel at a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelLevel {
    /// One of ten lifetimes is at most so long, in µs.
    pub p10: f64,
    /// Lifetimes without reuse, of all units that are told of, also where the mean is told.
    pub orphans: u64,
    /// The same of all lifetimes, those without reuse included.
    pub opened: u64,
    /// Whether any of its accesses is known.
    pub is_recorded: bool,
}

/// Lengths of what is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lengths {
    /// Cycles in a microsecond; 0 when nobody says.
    pub clock_mhz: f64,
    /// The levels, as in [`Head::levels`].
    pub levels: Vec<LevelLengths>,
}

/// Lengths at a level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelLengths {
    /// Distinct lengths in cycles, each as the difference from the one before, and how often it occurs.
    pub lengths: Vec<(u64, u64)>,
    /// The same of how often data are used again.
    pub reuses: Vec<(u64, u64)>,
    /// What happened in all units that are told of, also where the mean is told.
    pub counts: Counts,
    /// Loads, and stores and fills, of the units that are told of; of one where the mean is told.
    pub sectors: (f64, f64),
    /// Bytes: of one unit when private, else of all.
    pub bytes: u64,
    /// Bytes of a word, where accesses move single words; `None` where they move sectors.
    pub word_bytes: Option<u64>,
    /// The highest rate of stores of a kernel, in MHz.
    pub write_mhz: f64,
    /// How many units' memories hold what is told.
    pub copies: u64,
    /// Of how many units the mean is told; 1 where it is not.
    pub mean_of: u64,
    /// How many units were used, by the kernel or by any kernel of the run; 1 where one unit is told of, or all share one
    /// memory.
    pub used: u64,
    /// Cycles that the kernels with known accesses took, each as often as it counts.
    pub cycles: u64,
    /// Lifetimes of kernels that the file cuts off: they count nowhere.
    pub left_out: u64,
    /// Sectors in use over time, of all units: the most in each step.
    pub course: Vec<u64>,
    /// The most of all, its cycle on the axis of the course; of kernels that run at once the sum of what each step has.
    pub peak: Peak,
    /// The kernel that keeps so many; empty where kernels run at once.
    pub peak_kernel: String,
    /// Cycles of a step of the course.
    pub step: f64,
    /// Cycles from the begin of the first kernel to the end of the last, which is the axis of the course.
    pub span: u64,
    /// Sectors that there is room for in all units; 0 when nobody says.
    pub room: u64,
    /// What a table states of the level without the lifetimes behind it; `None` where these are known.
    pub stated: Option<Stated>,
}

/// What a table states of lifetimes, in µs. Of several kernels only the longest is known: nobody says how many each has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stated {
    pub mean: Option<f64>,
    pub median: Option<f64>,
    pub p90: Option<f64>,
    pub longest: f64,
}

impl Stated {
    /// With what is stated of another kernel.
    pub fn and(all: Option<Self>, row: &LevelRow) -> Self {
        match all {
            None => {
                Self { mean: Some(row.mean), median: Some(row.median), p90: Some(row.p90), longest: row.max }
            }
            Some(all) => Self { longest: all.longest.max(row.max), ..Self::default() },
        }
    }
}

/// Lengths with the difference from the one before instead of each.
pub fn differences(all: &Distribution) -> Vec<(u64, u64)> {
    let mut before = 0;
    let pairs = all.pairs().map(|(length, n)| {
        let step = length - before;
        before = length;
        (step, n)
    });
    pairs.collect()
}

/// What [`differences`] was made of.
pub fn distribution(differences: &[(u64, u64)]) -> Distribution {
    Distribution::new(differences.iter().scan(0_u64, |length, (step, n)| {
        *length = length.saturating_add(*step);
        Some((*length, *n))
    }))
}

impl LevelLengths {
    /// What the level asks of a memory.
    pub fn demand(&self, clock_mhz: f64) -> Demand {
        Demand {
            lifetimes: distribution(&self.lengths),
            clock_mhz,
            bytes: self.bytes,
            word_bytes: self.word_bytes,
            reads: self.sectors.0,
            writes: self.sectors.1,
            write_mhz: self.write_mhz,
            copies: self.copies,
            mean_of: self.mean_of,
        }
    }
}

/// What cells of the heat map count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Heat {
    #[default]
    Accesses,
    /// The share of accesses that did not find their data.
    Misses,
    /// Accesses that could not be taken and came again.
    Retries,
}

impl Heat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Accesses, Self::Misses, Self::Retries];
}

/// The heat map of a kernel at a level: time to the right, one row for each unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Row of the run.
    pub run: u32,
    /// Row of the kernel; the one with most cycles without one.
    pub kernel: Option<u32>,
    pub level: u32,
    pub heat: Heat,
    /// Cycles in a microsecond; without, the axis counts cycles.
    pub clock_mhz: Option<f64>,
}

/// What the page must know of a heat map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Where cells are.
    pub area: Rect,
    pub kernel: String,
    /// How wide cells are, in words.
    pub about: String,
    /// The largest value, as it is said.
    pub most: String,
    /// Colors of the legend from its low to its high end, `0xRRGGBBAA`.
    pub ramp: Vec<u32>,
    /// The picture in words.
    pub alt: String,
}

/// Accesses of a kernel at a level: cycles to the right, addresses upwards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AddressFrame {
    /// Row of the run.
    pub run: u32,
    /// Row of the kernel; the one with most cycles without one.
    pub kernel: Option<u32>,
    pub level: u32,
    /// The units, as the parameter of the scope has them.
    pub scope: String,
    /// Cycles that are seen; all without.
    pub cycles: Option<(f64, f64)>,
    /// The part of the axis of addresses that is seen, shares from below; all without.
    pub places: Option<(f64, f64)>,
    /// The chosen lifetime: unit, address, begin.
    pub selected: Option<(u32, u64, u64)>,
    /// Counts up when more was read.
    pub revision: u64,
}

/// A lifetime.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Life {
    /// The unit whose access opened it, the first byte of its sector, and when it began.
    pub key: (u32, u64, u64),
    /// Its address, then lines of a label, a tab and a value.
    pub words: String,
}

/// What the page must know of a picture of addresses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AddressNote {
    /// Where accesses are.
    pub plot: Rect,
    /// How many cycles there are.
    pub cycles: u64,
    pub kernel: String,
    /// What cells or bars are.
    pub about: String,
    /// Colors `0xRRGGBBAA` and what they mean.
    pub legend: Vec<(u32, String)>,
    /// Whether lifetimes are drawn one by one.
    pub is_single: bool,
    /// The picture in words; empty when there is nothing.
    pub alt: String,
}

impl Question for LifetimesQuery {
    const OF: &'static str = "lifetimes";
    type Reply = Reply;
}

impl Picture for Frame {
    const OF: &'static str = "lifetimes";
    type Note = Note;
}

impl Picture for AddressFrame {
    const OF: &'static str = "addresses";
    type Note = AddressNote;
}
