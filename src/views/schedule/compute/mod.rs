//! Block schedules: which unit of the device ran which block, from when to when.
//!
//! ```text
//! Gathered (records of blocks) ──▶ arrange: lanes, ranks, sums ──▶ Schedule ──▶ view, tables, figures, export
//! ```
//! Blocks that are resident on a unit at the same time lie on lanes of it. In the order of their starts each block takes the
//! free lane that became free last, and the gap before it is the time since then; a block that finds no free lane opens one.
//! Clocks of different units need not agree: what crosses units depends on how they are aligned ([`Align`]).

mod align;
pub mod arrange;
mod figures;
mod gather;
mod numbers;
mod parameters;
mod rows;
mod search;
mod slow;

pub use crate::wire::look::{Align, ColorBy, Look};
pub use align::{Origins, Resident};
pub use arrange::arrange;
pub use figures::{PERCENTILES, UNITS, WAVES, figures, lost_words};
pub use gather::{Gathered, Launch, Part};
pub use numbers::{ElapsedBins, LaneTime, Numbers, Skew, ToolFigures};
pub use parameters::{ALIGN, CLOCK, COLOR};
pub use rows::BlockRows;
pub use slow::{Common, Shared};

use serde::{Deserialize, Serialize};
use std::cell::{OnceCell, RefCell};
use std::ops::Range;

/// Words of a system about its blocks; the sentences are English phrases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// What runs blocks, such as "SM".
    pub unit: &'static str,
    /// What a block consists of, such as "Warp".
    pub part: &'static str,
    /// The tool whose own figures stand beside ours; empty for none.
    pub tool: &'static str,
    /// Why its figures differ from ours, with `{factor}`.
    pub differs: &'static str,
    /// Said where they are the same.
    pub agrees: &'static str,
}

/// A clock rate that the file tells.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundClock {
    /// Cycles in a microsecond.
    pub mhz: f64,
    /// Whether it was fitted to records that have cycles and time; else it was calibrated with the duration of the kernel.
    pub is_fitted: bool,
}

/// All blocks of one launch on their lanes.
#[derive(Default)]
pub struct Schedule {
    /// What the system says of the launch.
    pub launch: Launch,
    /// Number of each block in the grid, ascending.
    pub number: Vec<u32>,
    /// Row of the unit that ran each block.
    pub unit: Vec<u32>,
    /// When each block began, on the clock of its unit.
    pub start: Vec<u64>,
    /// How long each block ran.
    pub elapsed: Vec<u64>,
    /// Units that ran blocks, in the order of their ids.
    pub units: Vec<UnitRow>,
    /// Blocks by lane, then by start. Lanes of a unit follow each other.
    pub order: Vec<u32>,
    /// Which of `order` is on each lane.
    pub lanes: Vec<Range<u32>>,
    /// Where each block stands in `order`.
    pub place: Vec<u32>,
    /// Blocks from the shortest to the longest.
    pub by_elapsed: Vec<u32>,
    /// What it adds up to.
    pub numbers: Numbers,
    /// Records of the parts of blocks, such as warps.
    parts: gather::Parts,
    /// For fast sums and searches of the longest: see `search`.
    index: search::Index,
    /// What the records say of a clock that all units share: see `align`.
    shared: Option<align::SharedClock>,
    resident: [OnceCell<Resident>; 3],
    counting: [RefCell<Option<Box<align::Counting>>>; 3],
}

/// One unit that ran blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnitRow {
    /// Its number on the device.
    pub id: u32,
    /// Which lanes are its own.
    pub lanes: Range<u32>,
    /// How many blocks it ran.
    pub blocks: u32,
    /// Start of its first block.
    pub first: u64,
    /// End of its last block.
    pub last: u64,
    /// Times of its blocks added up.
    pub running: u64,
    /// Gaps on its lanes added up.
    pub gap: u64,
}

impl Schedule {
    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// How many blocks the launch has.
    pub fn launched(&self) -> u64 {
        self.launch.grid.iter().map(|n| u64::from(*n)).fold(1, u64::saturating_mul)
    }

    /// How many of these have no record.
    pub fn lost(&self) -> u64 {
        self.launched().saturating_sub(self.len() as u64)
    }

    /// The end of a block, on the clock of its unit.
    pub fn end(&self, row: u32) -> u64 {
        let row = row as usize;
        self.start.get(row).map_or(0, |start| start.saturating_add(self.elapsed[row]))
    }

    /// The coordinates of a block in the grid: x turns fastest.
    pub fn at(&self, row: u32) -> [u32; 3] {
        let number = self.number.get(row as usize).copied().unwrap_or(0);
        let [x, y, _] = self.launch.grid.map(|n| n.max(1));
        [number % x, number / x % y, number / x / y]
    }

    /// The lane of a block, from 0, among all lanes.
    pub fn lane(&self, row: u32) -> u32 {
        let place = self.place.get(row as usize).copied().unwrap_or(0);
        (self.lanes.partition_point(|lane| lane.end <= place)) as u32
    }

    /// The unit of a block.
    pub fn unit_of(&self, row: u32) -> Option<&UnitRow> {
        self.units.get(*self.unit.get(row as usize)? as usize)
    }

    /// The lane of a block, from 0, on its unit.
    pub fn lane_of_unit(&self, row: u32) -> u32 {
        self.lane(row) - self.unit_of(row).map_or(0, |unit| unit.lanes.start)
    }

    /// The blocks before and after a block on its lane.
    pub fn neighbors(&self, row: u32) -> [Option<u32>; 2] {
        let Some(place) = self.place.get(row as usize).copied() else { return [None; 2] };
        let Some(lane) = self.lanes.get(self.lane(row) as usize) else { return [None; 2] };
        let at = |place: u32| self.order.get(place as usize).copied();
        let before = place.checked_sub(1).filter(|place| lane.start <= *place).and_then(at);
        [before, Some(place + 1).filter(|place| *place < lane.end).and_then(at)]
    }

    /// The time that its lane was free before a block; `None` for the first of a lane.
    pub fn gap(&self, row: u32) -> Option<u64> {
        let before = self.neighbors(row)[0]?;
        Some(self.start.get(row as usize)?.saturating_sub(self.end(before)))
    }

    /// The wave of a block, from 0: as many blocks as there are lanes are one, in the order of their numbers.
    pub fn wave(&self, row: u32) -> u32 {
        // Blocks without a record had their place too.
        let number = self.number.get(row as usize).filter(|_| self.lost() != 0);
        number.unwrap_or(&row) / (self.lanes.len().max(1) as u32)
    }

    /// How many blocks are shorter.
    pub fn shorter(&self, row: u32) -> usize {
        let elapsed = self.elapsed.get(row as usize).copied().unwrap_or(0);
        self.by_elapsed.partition_point(|other| self.elapsed[*other as usize] < elapsed)
    }

    /// The next slower or faster block; the slowest without one.
    pub fn step(&self, from: Option<u32>, is_slower: bool) -> Option<u32> {
        let Some(from) = from else { return self.by_elapsed.last().copied() };
        let key = |row: u32| (self.elapsed.get(row as usize).copied().unwrap_or(0), row);
        let at = self.by_elapsed.partition_point(|row| key(*row) < key(from));
        let next = if is_slower { at.checked_add(1) } else { at.checked_sub(1) };
        self.by_elapsed.get(next?).copied()
    }

    /// The records of the parts of a block: number, time from the start of the block, how long.
    pub fn parts_of(&self, row: u32) -> impl Iterator<Item = Part> {
        self.parts.of(row as usize)
    }
}
