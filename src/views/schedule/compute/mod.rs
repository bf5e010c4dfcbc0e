//! Block schedules: which unit of the device ran which block, from when to when.
//!
//! ```text
//! Gathered (records of blocks) ──▶ arrange: lanes, ranks, sums ──▶ Schedule ──▶ view, tables, figures, export
//! ```
//! Blocks that are resident on a unit at the same time lie on lanes of it. In the order of their starts each block takes the
//! free lane that became free last, and the gap before it is the time since then; a block that finds no free lane opens one.
//! Clocks of different units need not agree: what crosses units depends on how they are aligned ([`Align`]).

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod align;
pub mod arrange;
mod figures;
mod gather;
mod groups;
mod numbers;
mod property;
mod slow;

pub use crate::wire::{Align, ColorBy, Look};
pub use align::{Origins, Resident};
pub use arrange::arrange;
pub use figures::{PERCENTILES, UNITS, WAVES, figures, lost_words};
pub use gather::{Gathered, Launch, Part};
pub use groups::{Groups, nearest};
pub use numbers::{ElapsedBins, LaneTime, Numbers, Skew, ToolFigures};
pub use property::{Key, Property};
pub use slow::Common;

use crate::analysis::rows::{Column, Goal, Kind, RowSource, Value};
use crate::base::number::thousands;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::TableColumn;
use crate::model::parameter::{Parameter, ParameterKind, Values};
use serde::{Deserialize, Serialize};
use std::cell::{OnceCell, RefCell};
use std::ops::Range;

/// Words of a system about its blocks; the sentences are English phrases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// What runs blocks, such as "SM".
    pub unit: &'static str,
    /// Several of these, such as "SMs".
    pub units: &'static str,
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
    index: Index,
    /// What the records say of a clock that all units share: see `align`.
    shared: Option<align::SharedClock>,
    resident: align::ByAlign<OnceCell<Resident>>,
    counting: align::ByAlign<RefCell<Option<Box<align::Counting>>>>,
}

/// One unit that ran blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnitRow {
    /// Its number on the device.
    pub id: u32,
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
    /// How long the block in the middle of its blocks ran, by length; the mean of both where there are two.
    pub median: f64,
    /// The same of its blocks relative to the mean of their group, as of a block of mean length; 0 without groups.
    pub median_within: f64,
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

    /// How long a block ran; 0 where there is none of this row, as for all that follows.
    #[inline]
    pub fn elapsed_of(&self, row: u32) -> u64 {
        self.elapsed.get(row as usize).copied().unwrap_or(0)
    }

    /// When a block began, on the clock of its unit.
    #[inline]
    pub fn start_of(&self, row: u32) -> u64 {
        self.start.get(row as usize).copied().unwrap_or(0)
    }

    /// The end of a block, on the clock of its unit.
    #[inline]
    pub fn end(&self, row: u32) -> u64 {
        self.start_of(row).saturating_add(self.elapsed_of(row))
    }

    /// When a block began, from the common time 0.
    #[inline]
    pub fn begin(&self, row: u32, origins: &Origins) -> u64 {
        self.common(row, origins, self.start_of(row))
    }

    /// When a block ended, from the common time 0.
    #[inline]
    pub fn finish(&self, row: u32, origins: &Origins) -> u64 {
        self.common(row, origins, self.end(row))
    }

    /// A time of the clock of a block's unit, from the common time 0.
    #[inline]
    fn common(&self, row: u32, origins: &Origins, at: u64) -> u64 {
        origins.time(self.unit.get(row as usize).copied().unwrap_or(0), at)
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

    /// The gaps between the blocks of a lane added up.
    pub fn gaps_of_lane(&self, lane: usize) -> u64 {
        let Some(lane) = self.lanes.get(lane) else { return 0 };
        let places = lane.start as usize..lane.end as usize;
        let blocks = self.order.get(places.clone()).unwrap_or_default();
        let ends = blocks.first().zip(blocks.last());
        let length = ends.map_or(0, |(first, last)| self.end(*last).saturating_sub(self.start_of(*first)));
        length.saturating_sub(self.running(places))
    }

    /// The wave of a block, from 0: as many recorded blocks as there are lanes are one, in the order of their numbers.
    pub fn wave(&self, row: u32) -> u32 {
        row / (self.lanes.len().max(1) as u32)
    }

    /// How many blocks are shorter.
    pub fn shorter(&self, row: u32) -> usize {
        let elapsed = self.elapsed_of(row);
        self.by_elapsed.partition_point(|other| self.elapsed_of(*other) < elapsed)
    }

    /// The next slower or faster block; the slowest without one.
    pub fn step(&self, from: Option<u32>, is_slower: bool) -> Option<u32> {
        let Some(from) = from else { return self.by_elapsed.last().copied() };
        let key = |row: u32| (self.elapsed_of(row), row);
        let at = self.by_elapsed.partition_point(|row| key(*row) < key(from));
        let next = if is_slower { at.checked_add(1) } else { at.checked_sub(1) };
        self.by_elapsed.get(next?).copied()
    }

    /// The records of the parts of a block: number, time from the start of the block, how long.
    pub fn parts_of(&self, row: u32) -> impl Iterator<Item = Part> {
        self.parts.of(row as usize)
    }
}

// Sums and the longest block of a run of blocks on a lane, without a look at each: pictures of very many blocks need them.

/// Blocks of a chunk.
const CHUNK: usize = 64;

/// What is known of chunks of `Schedule::order`.
#[derive(Default)]
struct Index {
    /// Times of all blocks before each place.
    sums: Vec<u64>,
    /// The longest block of each chunk.
    longest: Vec<u32>,
}

impl Index {
    /// Takes in what is new since the last time.
    fn extend(&mut self, order: &[u32], elapsed: &[u64]) {
        let mut sum = self.sums.last().copied().unwrap_or(0);
        let known = self.sums.len().saturating_sub(1);
        if self.sums.is_empty() {
            self.sums.push(0);
        }
        let elapsed = |row: u32| elapsed.get(row as usize).copied().unwrap_or(0);
        self.sums.extend(order.iter().skip(known).map(|row| {
            sum = sum.saturating_add(elapsed(*row));
            sum
        }));
        // The last chunk may have grown.
        self.longest.truncate(known / CHUNK);
        let longest = |chunk: &[u32]| chunk.iter().copied().max_by_key(|row| elapsed(*row));
        self.longest.extend(order.chunks(CHUNK).skip(self.longest.len()).filter_map(longest));
    }
}

impl Schedule {
    /// The places of the blocks of a lane that end after `from` and begin before `to`, on the clock of their unit.
    pub fn seen(&self, lane: &Range<u32>, from: u64, to: u64) -> Range<usize> {
        let blocks = self.order.get(lane.start as usize..lane.end as usize).unwrap_or_default();
        // Blocks of a lane do not overlap: their ends are in order too.
        let first = blocks.partition_point(|row| self.end(*row) <= from);
        let end = blocks.partition_point(|row| self.start_of(*row) < to).max(first);
        lane.start as usize + first..lane.start as usize + end
    }

    /// Times of the blocks at these places.
    pub fn running(&self, places: Range<usize>) -> u64 {
        let before = |place: usize| self.index.sums.get(place).copied().unwrap_or(0);
        before(places.end).saturating_sub(before(places.start))
    }

    /// The longest of the blocks at these places.
    pub fn longest(&self, places: Range<usize>) -> Option<u32> {
        let (first, last) = (places.start.div_ceil(CHUNK), places.end / CHUNK);
        let longest = |rows: &[u32], places: Range<usize>| {
            let rows = rows.get(places).unwrap_or_default().iter().copied();
            rows.max_by_key(|row| self.elapsed_of(*row))
        };
        if last <= first {
            return longest(&self.order, places);
        }
        let edges = [
            longest(&self.order, places.start..first * CHUNK),
            longest(&self.index.longest, first..last),
            longest(&self.order, last * CHUNK..places.end),
        ];
        edges.into_iter().flatten().max_by_key(|row| self.elapsed_of(*row))
    }
}

// What the user may set of a schedule. Nothing is computed anew for it: it decides how the schedule is shown and saved.

/// How units are aligned.
pub static ALIGN: Parameter = Parameter {
    id: "schedule-align",
    title: phrase("Align"),
    help: phrase("time 0 of each unit"),
    kind: ParameterKind::Choice(&[
        ("auto", phrase("Automatic")),
        ("first", phrase("First block")),
        ("raw", phrase("Raw clock")),
        ("timer", phrase("Global timer")),
    ]),
    rereads: false,
};

/// The clock rate that turns cycles into time.
pub static CLOCK: Parameter = Parameter {
    id: "schedule-clock",
    title: phrase("Clock"),
    help: phrase("clock rate for showing times next to cycles; 0 uses the rate in the file"),
    kind: ParameterKind::Number {
        unit: Unit::Megahertz,
        min: 0.0,
        max: 100_000.0,
        default: 0.0,
        none: phrase("not set"),
    },
    rereads: false,
};

/// What decides the colors of blocks.
pub static COLOR: Parameter = Parameter {
    id: "schedule-color",
    title: phrase("Color"),
    help: phrase("what block colors mean"),
    kind: ParameterKind::Choice(&[
        ("elapsed", phrase("Elapsed")),
        ("wave", phrase("Wave")),
        ("block", phrase("Block")),
    ]),
    rereads: false,
};

impl Look {
    /// What the user set.
    pub fn of(values: &Values) -> Self {
        let text = |parameter: &Parameter| values.text(parameter.id).unwrap_or_default().to_owned();
        Self::of_texts(&text(&ALIGN), values.number(CLOCK.id), &text(&COLOR))
    }

    /// The same of the values as texts.
    pub fn of_texts(align: &str, mhz: Option<f64>, color: &str) -> Self {
        Self {
            align: match align {
                "first" => Align::First,
                "raw" => Align::Raw,
                "timer" => Align::Timer,
                _ => Align::Auto,
            },
            mhz: mhz.filter(|mhz| 0.0 < *mhz && mhz.is_finite()),
            color: match color {
                "wave" => ColorBy::Wave,
                "block" => ColorBy::Block,
                _ => ColorBy::Elapsed,
            },
        }
    }
}

impl Align {
    /// Its id, as [`ALIGN`] has it.
    pub fn id(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::First => "first",
            Self::Raw => "raw",
            Self::Timer => "timer",
        }
    }
}

impl Schedule {
    /// Nanoseconds of a unit of its times; `None` where nothing tells a clock rate.
    pub fn nanos(&self, look: &Look) -> Option<f64> {
        if self.launch.time == Unit::Nanos {
            return Some(1.0);
        }
        let mhz = look.mhz.or_else(|| self.launch.clock.map(|clock| clock.mhz))?;
        Some(1e3 / mhz)
    }
}

// Rows of the blocks of a schedule.

/// The blocks, the slowest first.
pub struct BlockRows<'a> {
    schedule: &'a Schedule,
    origins: Origins,
    nanos: Option<f64>,
    range: Option<(f64, f64)>,
}

const ELAPSED: usize = 8;
/// Width of a digit.
const DIGIT: f32 = 6.9;

impl<'a> BlockRows<'a> {
    /// The blocks that run in a stretch of time, or all of them; with starts as a look has them.
    pub fn new(schedule: &'a Schedule, look: &Look, range: Option<(f64, f64)>) -> Self {
        let is_cycles = schedule.launch.time == Unit::Cycles;
        let nanos = schedule.nanos(look).filter(|_| is_cycles);
        Self { schedule, origins: schedule.origins(look.align), nanos, range }
    }
}

impl RowSource for BlockRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let launch = &self.schedule.launch;
        // Wide enough for their heads, and together hardly wider than half of a small page.
        let column = |name: &str, width, kind, unit: &Unit, is_hidden| Column {
            is_hidden,
            ..Column::new(name, kind, width).unit(unit.clone())
        };
        let count = |name: &str, width, is_hidden| column(name, width, Kind::Count, &Unit::None, is_hidden);
        let over = column(phrase("Over p50"), 80.0, Kind::Number, &Unit::Percent, false);
        let head = TableColumn { has_bar: true, ..over.head.clone() };
        let [_, y, z] = launch.grid;
        // Starts as clocks have them are long.
        let start = thousands(self.origins.length).len() as f32 * DIGIT + 14.0;
        vec![
            count(phrase("Block"), 56.0, false),
            count("x", 48.0, y.max(z) < 2),
            count("y", 48.0, y < 2),
            count("z", 48.0, z < 2),
            count(launch.terms.unit, 44.0, !launch.has_units),
            // Beside cycles a time says the same again; of a lane and a wave the picture tells.
            count(phrase("Lane"), 48.0, !launch.has_units).gives_way(2),
            count(phrase("Wave"), 52.0, !launch.has_units).gives_way(4),
            column(phrase("Start"), start.max(92.0), Kind::Count, &launch.time, false),
            column(
                launch.elapsed(),
                if launch.is_of_first { 150.0 } else { 104.0 },
                Kind::Count,
                &launch.time,
                false,
            ),
            column(phrase("Time"), 60.0, Kind::Number, &Unit::Micros, self.nanos.is_none()).gives_way(1),
            Column { head, ..over }.gives_way(3),
            column(phrase("Gap"), 76.0, Kind::Count, &launch.time, !launch.has_units),
        ]
    }

    fn n_rows(&self) -> usize {
        self.schedule.len()
    }

    fn has(&self, row: u32) -> bool {
        self.range.is_none_or(|(from, to)| {
            let start = self.schedule.begin(row, &self.origins) as f64;
            start < to && from < start + self.schedule.elapsed_of(row) as f64
        })
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let schedule = self.schedule;
        let (Some(elapsed), Some(number)) =
            (schedule.elapsed.get(row as usize).copied(), schedule.number.get(row as usize).copied())
        else {
            return Value::Missing;
        };
        let [x, y, z] = schedule.at(row);
        let whole = |value: u64| Value::Whole(value.cast_signed());
        match column {
            0 => whole(number.into()),
            1 => whole(x.into()),
            2 => whole(y.into()),
            3 => whole(z.into()),
            4 => schedule.unit_of(row).map_or(Value::Missing, |unit| whole(unit.id.into())),
            5 => whole(schedule.lane_of_unit(row).into()),
            6 => whole(u64::from(schedule.wave(row)) + 1),
            7 => whole(schedule.begin(row, &self.origins)),
            ELAPSED => whole(elapsed),
            9 => self.nanos.map_or(Value::Missing, |nanos| Value::Number(elapsed as f64 * nanos / 1e3)),
            10 => {
                let median = schedule.numbers.percentiles[0] as f64;
                Value::Number((elapsed as f64 - median) / median.max(1.0) * 100.0)
            }
            _ => schedule.gap(row).map_or(Value::Missing, whole),
        }
    }

    fn order(&self) -> Option<(usize, bool)> {
        Some((ELAPSED, true))
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        [Some(Goal::Block(row)), Some(Goal::Block(row))]
    }
}
