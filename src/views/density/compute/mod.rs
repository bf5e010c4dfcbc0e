//! How densely memory is accessed over time: counts by page and clock, of records that pass once and are not kept.
//!
//! ```text
//! records ──▶ Counter (pages × 512 columns; columns double, pages coarsen when there are too many) ──▶ Density
//! Density ──▶ Axis (pages above each other, or addresses) ──▶ Raster (what is drawn of a window)
//! ```
//! Counts are exact for the columns and pages that a density has. What is zoomed into is counted anew, in columns and
//! pages as fine as asked for. Memory: at most [`MAX_PAGES`] rows of [`COLUMNS`] cells of 12 bytes (50 MB), 32 MB for
//! sectors, and a piece of the file.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod axis;
mod counter;
mod facts;
mod raster;
pub mod reuse;

pub use axis::{Axis, View};
pub use counter::{Counter, MAX_PAGES, ROWS};
pub use facts::{OF_PAGES, all_facts, histogram, over_time, per_warp, window_facts};
pub use raster::{Grid, Raster, Sums};
pub use reuse::{BandReuse, LINE, Lines, Reuse};

use crate::analysis::contract::AnalysisInput;
use crate::base::job::Job;
use crate::base::unit::Unit;
use crate::base::words::{Message, phrase};
use crate::model::Trace;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::rc::Rc;

/// Begins to count a window of the same records; the job ends with a [`Density`].
pub type StartWindow = fn(&AnalysisInput, Rc<Trace>, &Window) -> Job<Box<dyn Any>>;

/// Sizes of pages that can be chosen: bytes and name; the first follows the data.
pub const PAGE_SIZES: &[(&str, &str)] = &[
    ("auto", phrase("Automatic")),
    ("32", "32 B"),
    ("128", "128 B"),
    ("4096", "4 KiB"),
    ("65536", "64 KiB"),
    ("2097152", "2 MiB"),
];

/// A chosen page has 2 to the power of this many bytes; `None` where it follows the data.
pub fn page_shift(chosen: Option<&str>) -> Option<u32> {
    chosen?.parse::<u64>().ok()?.checked_ilog2()
}

/// What is counted of all records. Both ends are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First and last clock.
    pub clocks: (u64, u64),
    /// First and last address.
    pub addresses: (u64, u64),
}

/// A stretch of addresses with a name: a tensor, an allocation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// First address.
    pub start: u64,
    /// Bytes from there.
    pub bytes: u64,
    pub name: Message,
    /// What else is known of it, such as a shape.
    pub detail: String,
}

/// Pages of one region, or those of none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    pub region: Region,
    pub accesses: u64,
    /// How many of its pages were accessed.
    pub pages: u64,
}

/// Accesses of one page in one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    pub n: u32,
    /// The first block that made some.
    pub first: u32,
    /// The last block that made some.
    pub last: u32,
}

/// One page that was accessed, or a piece of one that is split between regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Its number: its first address divided by the size of a page.
    pub number: u64,
    /// Its first address, or that of the piece.
    pub start: u64,
    /// Its last address, or that of the piece.
    pub last: u64,
    pub accesses: u64,
    /// How many of its sectors of 32 bytes were accessed, those of lower pieces of the page left out; 0 where nothing says.
    pub sectors: u32,
    pub band: u32,
    slot: u32,
}

/// How many sectors of 32 bytes accesses of warps touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerWarp {
    /// Accesses that touch 1, 2, … sectors.
    pub counts: [u64; 64],
    pub looked_at: u64,
    pub warps: u64,
}

impl Default for PerWarp {
    fn default() -> Self {
        Self { counts: [0; 64], looked_at: 0, warps: 0 }
    }
}

impl PerWarp {
    /// The mean; `None` without accesses.
    pub fn mean(&self) -> Option<f64> {
        let sum: u64 = self.counts.iter().sum();
        let sectors: u64 = self.counts.iter().zip(1..).map(|(n, sectors)| n * sectors).sum();
        (0 < sum).then(|| sectors as f64 / sum as f64)
    }
}

/// What was counted.
#[derive(Default)]
pub struct Density {
    /// What the accesses are called.
    pub title: Message,
    /// Unit of the clock.
    pub unit: Unit,
    /// What the clock is.
    pub order: Order,
    /// Pages have 2 to the power of this many bytes.
    pub shift: u32,
    /// What was asked for; less than `shift` where that were too many pages.
    pub asked: u32,
    /// First and last clock that was counted.
    pub clocks: (u64, u64),
    pub accesses: u64,
    /// Records that were never written.
    pub empty: u64,
    /// Pages by their addresses; a page is there once for each of its pieces.
    pub pages: Vec<Page>,
    /// Bands in the order of their addresses; pages that belong to nothing last.
    pub bands: Vec<Band>,
    /// Whether cells know blocks.
    pub has_blocks: bool,
    /// Whether pages know sectors.
    pub has_sectors: bool,
    /// What was counted of all records; `None` is all.
    pub window: Option<Window>,
    /// What is to be said of it.
    pub notes: Vec<Message>,
    /// A parameter, an option of it that these records do not allow, and why, an English phrase.
    pub denied: Option<[&'static str; 3]>,
    /// How many sectors accesses of warps touch, where somebody looked.
    pub per_warp: Option<PerWarp>,
    /// How many threads touch the same lines, where somebody looked.
    pub reuse: Option<Reuse>,
    /// Counts a window of the same records.
    pub start_window: Option<StartWindow>,
    /// Where its columns lie.
    pub columns: Columns,
    cells: Vec<Cell>,
}

impl Density {
    /// Bytes of a page.
    pub fn page_bytes(&self) -> u64 {
        1 << self.shift
    }

    /// What pages have, those of one number together.
    pub fn per_page(&self, value: fn(&Page) -> u64) -> Vec<u64> {
        let pages = self.pages.chunk_by(|a, b| a.number == b.number);
        pages.map(|pieces| pieces.iter().map(value).sum()).collect()
    }

    /// The cells of a page, column after column.
    pub fn cells(&self, page: &Page) -> &[Cell] {
        let from = page.slot as usize * COLUMNS;
        self.cells.get(from..from + COLUMNS).unwrap_or(&[])
    }

    /// First and last clock that columns stand for: those of the window, or those that occur.
    fn domain(&self) -> (u64, u64) {
        self.window.map_or(self.clocks, |window| window.clocks)
    }

    /// The columns that are used: numbers of the first and of the one behind the last.
    pub fn used(&self) -> (usize, usize) {
        let column = |clock| self.columns.of(clock).unwrap_or(0);
        (column(self.domain().0), column(self.domain().1) + 1)
    }

    /// First and last clock of a column.
    pub fn clocks_of(&self, column: usize) -> (u64, u64) {
        self.columns.clocks(column)
    }

    /// The column of a clock, kept inside.
    pub fn column_at(&self, clock: u64) -> usize {
        let (from, to) = self.domain();
        self.columns.of(clock.clamp(from, to.max(from))).unwrap_or(0)
    }

    /// Clocks in a column.
    pub fn column_clocks(&self) -> u64 {
        self.columns.width()
    }
}

// Columns of clocks: always 512, each 2ˡ clocks wide, anywhere on the clock.

/// Columns of a density.
pub const COLUMNS: usize = 512;

/// Where columns lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// A column is 2 to the power of this many clocks wide.
    level: u32,
    /// Number of the first; number 0 begins with clock 0.
    base: u64,
}

impl Columns {
    /// The narrowest columns that hold these clocks.
    fn over((from, to): (u64, u64)) -> Self {
        let mut level = 0;
        while COLUMNS as u64 <= (to >> level) - (from >> level) {
            level += 1;
        }
        Self { level, base: from >> level }
    }

    /// The column of a clock; `None` when it lies in none of them.
    #[inline]
    pub fn of(self, clock: u64) -> Option<usize> {
        let column = (clock >> self.level).wrapping_sub(self.base);
        (column < COLUMNS as u64).then_some(column as usize)
    }

    /// First and last clock of a column.
    fn clocks(self, column: usize) -> (u64, u64) {
        let first = self.base.wrapping_add(column as u64) << self.level;
        (first, first.saturating_add(self.width() - 1))
    }

    /// Clocks in a column.
    fn width(self) -> u64 {
        1 << self.level
    }

    /// Columns that hold a further clock beside these: as wide as needed, with all spare room on its side.
    fn with(self, (from, to): (u64, u64), clock: u64) -> Self {
        let all = Self::over((from.min(clock), to.max(clock)));
        let level = all.level.max(self.level);
        let (low, high) = (from.min(clock) >> level, to.max(clock) >> level);
        let base = if clock < from { high.saturating_sub(COLUMNS as u64 - 1) } else { low };
        Self { level, base }
    }

    /// Moves the cells of a page from these columns to wider or shifted ones.
    fn move_cells(self, to: Self, cells: &mut [Cell]) {
        let mut moved = [Cell::default(); COLUMNS];
        for (column, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.n != 0) {
            if let Some(place) = to.of(self.clocks(column).0).and_then(|at| moved.get_mut(at)) {
                place.merge(cell);
            }
        }
        cells.copy_from_slice(&moved);
    }
}

impl Cell {
    /// Takes in another.
    pub fn merge(&mut self, other: &Self) {
        if other.n == 0 {
            return;
        }
        self.first = if self.n == 0 { other.first } else { self.first.min(other.first) };
        self.last = self.last.max(other.last);
        self.n = self.n.saturating_add(other.n);
    }
}

// What stands for time: clocks of records, or an order where nobody took times.

/// What the clock of an access is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    #[default]
    Clock,
    /// The number of the instruction in its thread.
    Instruction,
    Thread,
}

/// How it is called, as phrases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderWords {
    pub one: &'static str,
    pub axis: &'static str,
    pub first: &'static str,
    pub last: &'static str,
    /// What the strip below the picture shows.
    pub rate: &'static str,
    /// The picture in words, with `n`, `m`, `from` and `to`.
    pub picture: &'static str,
    /// How the picture is read.
    pub help: &'static str,
}

impl Order {
    /// The unit of one of them where lengths have this one: the ninetieth instruction is not 90 instructions.
    pub fn position_unit(self, of_lengths: &Unit) -> Unit {
        if self == Self::Clock { of_lengths.clone() } else { Unit::Count(String::new()) }
    }

    /// How it is called.
    pub fn words(self) -> OrderWords {
        match self {
            Self::Clock => OrderWords {
                one: phrase("Clock"),
                axis: phrase("clock"),
                first: phrase("First clock"),
                last: phrase("Last clock"),
                rate: phrase("Accesses per clock"),
                picture: phrase("{n} accesses to {m} pages, clocks {from} to {to}."),
                help: phrase(
                    "Stronger colors: more threads access a page at the same time. Gaps: computing or waiting. A pale, ragged right edge: blocks that diverge or finish late.",
                ),
            },
            Self::Instruction => OrderWords {
                one: phrase("Thread instruction"),
                axis: phrase("thread instruction"),
                first: phrase("First instruction"),
                last: phrase("Last instruction"),
                rate: phrase("Accesses per instruction"),
                picture: phrase("{n} accesses to {m} pages, instructions {from} to {to}."),
                help: phrase(
                    "Instructions are counted per thread from its start; there are no times. Stronger colors: more lanes access a page with the same instruction. Gaps: instructions without accesses.",
                ),
            },
            Self::Thread => OrderWords {
                one: phrase("Thread number"),
                axis: phrase("thread number"),
                first: phrase("First thread"),
                last: phrase("Last thread"),
                rate: phrase("Accesses per thread"),
                picture: phrase("{n} accesses to {m} pages, threads {from} to {to}."),
                help: phrase(
                    "Threads are arranged in the order of their numbers. A slope: each thread has its own pages. A row: all threads share a page.",
                ),
            },
        }
    }
}

// What is zoomed into, counted anew.

/// A window of what has this number, in progress.
type Counting = (u64, Window, Job<Box<dyn Any>>);

/// The window that was counted last, and the one that is being counted.
#[derive(Default)]
pub struct Zoom {
    done: Option<(u64, Window, Box<Density>)>,
    running: Option<Counting>,
}

impl Zoom {
    /// Works for a few milliseconds on a window of what has this number; says whether it is counted. Another window than
    /// that of the last call replaces it.
    pub fn prepare(
        &mut self,
        number: u64,
        window: &Window,
        all: &Density,
        (input, trace): (&AnalysisInput, &Rc<Trace>),
    ) -> bool {
        let is_meant = |other: u64, of: &Window| other == number && of == window;
        if self.done.as_ref().is_some_and(|(other, of, _)| is_meant(*other, of)) {
            self.running = None;
            return true;
        }
        let running = self.running.take().filter(|(other, of, _)| is_meant(*other, of));
        let job = match running {
            Some((.., job)) => Some(job),
            None => all.start_window.map(|start| start(input, Rc::clone(trace), window)),
        };
        let Some(mut job) = job else { return true };
        let Some(result) = job.poll() else {
            self.running = Some((number, *window, job));
            return false;
        };
        self.done = result.downcast().ok().map(|density| (number, *window, density));
        true
    }

    /// What was counted of what has this number, where it holds all of a window.
    pub fn get(&self, number: u64, seen: &Window) -> Option<&Density> {
        let (_, _, density) = self.done.as_ref().filter(|(other, window, _)| {
            let holds = |a: (u64, u64), b: (u64, u64)| a.0 <= b.0 && b.1 <= a.1;
            *other == number && holds(window.clocks, seen.clocks) && holds(window.addresses, seen.addresses)
        })?;
        Some(density)
    }
}

impl Density {
    /// The window to count anew for what is seen, with some room beside it; `None` where this has it all exactly.
    pub fn zoomed(&self, seen: &Window) -> Option<Window> {
        let (from, to) = seen.clocks;
        let is_coarse = self.asked < self.shift;
        let (n, used) = (self.column_at(to) - self.column_at(from) + 1, self.used());
        let is_narrow = 1 < self.column_clocks() && n * 2 < used.1 - used.0;
        let is_low = is_coarse && seen.addresses != self.addresses();
        if !is_narrow && !is_low {
            return None;
        }
        let wider = |(from, to): (u64, u64), ends: (u64, u64)| {
            let room = (to - from) / 4;
            (from.saturating_sub(room).max(ends.0), to.saturating_add(room).min(ends.1))
        };
        let addresses = wider(seen.addresses, self.addresses());
        let page = self.page_bytes() - 1;
        Some(Window {
            clocks: wider(seen.clocks, self.clocks),
            addresses: (addresses.0 & !page, addresses.1 | page),
        })
    }

    /// First and last address of its pages.
    fn addresses(&self) -> (u64, u64) {
        let first = self.pages.first().map_or(0, |page| page.number << self.shift);
        let last = self.pages.last().map_or(0, |page| page.number << self.shift);
        (first, last | (self.page_bytes() - 1))
    }
}
