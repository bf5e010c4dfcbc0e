//! How densely memory is accessed over time: counts by page and clock, of records that pass once and are not kept.
//!
//! ```text
//! records ──▶ Counter (pages × 512 columns; columns double, pages coarsen when there are too many) ──▶ Density
//! Density ──▶ Axis (pages above each other, or addresses) ──▶ Raster (what is drawn of a window)
//! ```
//! Counts are exact for the columns and pages that a density has. What is zoomed into is counted anew, in columns and
//! pages as fine as asked for. Memory: at most [`MAX_PAGES`] rows of [`COLUMNS`] cells of 12 bytes (50 MB), 32 MB for
//! sectors, and a piece of the file.

mod axis;
mod columns;
mod counter;
mod facts;
mod order;
mod pages;
mod raster;
pub mod reuse;
mod zoom;

pub use axis::{Axis, View};
pub use columns::COLUMNS;
pub use counter::{Counter, ROWS};
pub use facts::{OF_PAGES, all_facts, histogram, over_time, per_warp, window_facts};
pub use order::{Order, OrderWords};
pub use pages::MAX_PAGES;
pub use raster::{Grid, Raster, Sums};
pub use reuse::{BandReuse, LINE, Lines, Reuse};
pub use zoom::Zoom;

use crate::analysis::contract::AnalysisInput;
use crate::base::job::Job;
use crate::base::unit::Unit;
use crate::base::words::{Message, phrase};
use crate::model::Trace;
use columns::Columns;
use std::any::Any;
use std::rc::Rc;

/// Begins to count a window of the same records; the job ends with a [`Density`].
pub type StartWindow = fn(&AnalysisInput, Rc<Trace>, &Window) -> Job<Box<dyn Any>>;

/// Sizes of pages that can be chosen: bytes and name; the first follows the data.
pub const PAGE_SIZES: &[(&str, &str)] = &[
    ("auto", phrase("By the data")),
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
    /// What it is called.
    pub name: Message,
    /// What else is known of it, such as a shape.
    pub detail: String,
}

/// Pages of one region, or those of none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    /// The region.
    pub region: Region,
    /// Accesses to its pages.
    pub accesses: u64,
    /// How many of its pages were accessed.
    pub pages: u64,
}

/// Accesses of one page in one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// How many.
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
    /// Accesses.
    pub accesses: u64,
    /// How many of its sectors of 32 bytes were accessed, those of lower pieces of the page left out; 0 where nothing says.
    pub sectors: u32,
    /// Its band.
    pub band: u32,
    slot: u32,
}

/// How many sectors of 32 bytes accesses of warps touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerWarp {
    /// Accesses that touch 1, 2, … sectors.
    pub counts: [u64; 64],
    /// Warps that were looked at.
    pub looked_at: u64,
    /// All warps.
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
    /// Accesses that were counted.
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
