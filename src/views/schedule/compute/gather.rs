//! What records say of blocks, before anything is computed.

use super::{FoundClock, Terms, ToolFigures};
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::phrase;

/// The record of one part of a block, such as a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its number in the block.
    pub number: u32,
    /// When it began.
    pub start: u64,
    /// How long it ran.
    pub elapsed: u64,
}

/// What a system says of a launch beside its blocks.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// Words of the system.
    pub terms: Terms,
    /// Unit of all times: cycles or nanoseconds.
    pub time: Unit,
    /// Blocks of the launch: x, y, z.
    pub grid: [u32; 3],
    /// Whether the records say which unit ran a block; else all stand on one.
    pub has_units: bool,
    /// Whether starts are on one clock for all units.
    pub is_synchronized: bool,
    /// Whether blocks of several parts have the times of their first one: the user wants it so, or no other was recorded.
    pub is_of_first: bool,
    /// Blocks with a record that lack the record of a part: they may have run longer than they seem to.
    pub partial: u64,
    /// Clock rate, where the file tells one.
    pub clock: Option<FoundClock>,
    /// A rate that the duration of the kernel comes to and no clock has, in MHz.
    pub implausible_mhz: Option<f64>,
    /// What the tool itself computes of the same records.
    pub tool: Option<ToolFigures>,
}

impl Launch {
    /// What the time of a block is called, an English phrase.
    pub fn elapsed(&self) -> &'static str {
        match (self.is_of_first, self.terms.part) {
            (false, _) => phrase("Elapsed"),
            (true, "Thread") => phrase("Elapsed (first thread)"),
            (true, _) => phrase("Elapsed (first warp)"),
        }
    }
}

/// The blocks of a launch as their records have them, in the order of their numbers.
#[derive(Default)]
pub struct Gathered {
    pub launch: Launch,
    pub(super) number: Vec<u32>,
    pub(super) unit: Vec<u32>,
    pub(super) start: Vec<u64>,
    pub(super) elapsed: Vec<u64>,
    /// Nanoseconds on a common clock, one for each block, or none.
    pub(super) timer: Vec<u64>,
    pub(super) parts: Parts,
    /// The earliest start of each unit.
    pub(super) firsts: Map<u32, u64>,
}

/// Records of parts, block after block.
#[derive(Default)]
pub(super) struct Parts {
    /// Where those of each block end.
    ends: Vec<u32>,
    number: Vec<u16>,
    /// The earliest start of each block's parts.
    earliest: Vec<u64>,
    /// Times since then.
    from: Vec<u32>,
    elapsed: Vec<u32>,
}

impl Gathered {
    /// No blocks yet.
    pub fn new(launch: Launch) -> Self {
        Self { launch, ..Self::default() }
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// Adds a block with its parts, the first of them first. It is as long as its first part, or as all of them. The
    /// timer, where there is one, was read when the first of these began.
    pub fn push(&mut self, number: u32, unit: u32, timer: Option<u64>, parts: &[Part], is_of_all: bool) {
        let Some(first) = parts.first() else { return };
        let earliest = parts.iter().map(|part| part.start).min().unwrap_or(first.start);
        let (start, elapsed) = if is_of_all {
            let end = parts.iter().map(|part| part.start.saturating_add(part.elapsed)).max();
            (earliest, end.unwrap_or(0).saturating_sub(earliest))
        } else {
            self.launch.is_of_first |= 1 < parts.len();
            (first.start, first.elapsed)
        };
        let earliest_of_unit = self.firsts.entry(unit).or_insert(start);
        *earliest_of_unit = start.min(*earliest_of_unit);
        self.number.push(number);
        self.unit.push(unit);
        self.start.push(start);
        self.elapsed.push(elapsed);
        self.timer.extend(timer);
        if 1 < parts.len() || !self.parts.ends.is_empty() {
            self.parts.push(self.start.len(), earliest, parts);
        }
    }
}

impl Parts {
    /// Adds those of the `n`th block, counted from 1. Blocks before the first with several parts have none here.
    fn push(&mut self, n: usize, earliest: u64, parts: &[Part]) {
        self.ends.resize(n - 1, self.number.len() as u32);
        self.earliest.resize(n - 1, 0);
        self.earliest.push(earliest);
        let short = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        for part in parts {
            self.number.push(u16::try_from(part.number).unwrap_or(u16::MAX));
            self.from.push(short(part.start - earliest));
            self.elapsed.push(short(part.elapsed));
        }
        self.ends.push(self.number.len() as u32);
    }

    /// Those of a block.
    pub(super) fn of(&self, row: usize) -> impl Iterator<Item = Part> {
        let start =
            row.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize);
        let end = self.ends.get(row).map_or(start, |end| *end as usize);
        let earliest = self.earliest.get(row).copied().unwrap_or(0);
        let numbers = self.number.get(start..end).unwrap_or_default().iter();
        let from = self.from.get(start..end).unwrap_or_default();
        let elapsed = self.elapsed.get(start..end).unwrap_or_default();
        numbers.zip(from).zip(elapsed).map(move |((number, from), elapsed)| Part {
            number: u32::from(*number),
            start: earliest.saturating_add(u64::from(*from)),
            elapsed: u64::from(*elapsed),
        })
    }

    /// Whether there are any.
    pub(super) fn is_empty(&self) -> bool {
        self.number.is_empty()
    }
}
