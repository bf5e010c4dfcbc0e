//! Accesses one after the other, from the records of a result or from the counts of a `.dmat` file.

use super::{BLOCKS, Counts, Select, TIME, WARPS};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::input::{ReadError, Source};
use crate::model::parameter::{Parameter, Values};
use crate::systems::neutrino::Walk;
use crate::systems::neutrino::folder::Folder;
use crate::systems::neutrino::result::{Field, ResultFile, Role, Section};

/// What accesses are read from.
pub(super) enum Input<'a> {
    Records(&'a ResultFile, &'a Section),
    Counts(&'a Source),
}

impl<'a> Input<'a> {
    /// What there is in a folder: records before counts.
    pub(super) fn of(folder: &'a Folder) -> Option<Self> {
        let records = folder.result.as_ref().and_then(|file| {
            let section = file.sections.iter().find(|section| section.map.field(Role::Address).is_some());
            section.map(|section| Self::Records(file, section))
        });
        records.or_else(|| folder.dmat_source.as_ref().map(Self::Counts))
    }
}

/// Whether times were taken before or after the accesses, as far as the text of the probe says.
pub(super) fn recorded(folder: &Folder) -> Option<Message> {
    let Input::Records(_, section) = Input::of(folder)? else { return None };
    let saves = |text: &str| {
        text.contains("SAVE") && (folder.maps.len() == 1 || text.contains(section.map.name.as_str()))
    };
    let probe = folder.probes.iter().find(|probe| saves(&probe.before) || saves(&probe.after))?;
    Some(if saves(&probe.after) {
        message("Times were taken after each access.")
    } else {
        message("Times were taken before each access.")
    })
}

/// Accesses one after the other.
pub(super) enum Feed {
    Records(Walk, Box<Reader>),
    Counts(Counts),
}

impl Feed {
    /// Begins with the first access.
    pub(super) fn new(folder: &Folder, values: &Values) -> Option<Self> {
        match Input::of(folder)? {
            Input::Counts(source) => Counts::new(source).ok().map(Self::Counts),
            Input::Records(file, section) => {
                let reader = Reader::new(file, section, values)?;
                Some(Self::Records(Walk::new(file, section), Box::new(reader)))
            }
        }
    }

    /// Hands the accesses of the next piece over: clock, address, how many, block. False when there is nothing more.
    pub(super) fn read(&mut self, take: &mut impl FnMut(u64, u64, u32, u32)) -> Result<bool, ReadError> {
        match self {
            Self::Counts(counts) => counts.read(take),
            Self::Records(walk, reader) => {
                walk.read_units(&mut |unit, first, bytes| reader.unit(unit, first, bytes, take))
            }
        }
    }

    /// Records that were never written.
    pub(super) fn empty(&self) -> u64 {
        match self {
            Self::Records(_, reader) => reader.empty,
            Self::Counts(counts) => counts.empty,
        }
    }

    /// Unit of the clock.
    pub(super) fn unit(&self) -> Unit {
        match self {
            Self::Records(_, reader) => reader.unit.clone(),
            Self::Counts(_) => Unit::Cycles,
        }
    }

    /// Whether the records have times of a clock that all units share.
    pub(super) fn has_timer(&self) -> bool {
        matches!(self, Self::Records(_, reader) if reader.has_timer)
    }

    /// What could not be done as it was asked for.
    pub(super) fn problems(&self) -> &[Message] {
        match self {
            Self::Records(_, reader) => &reader.problems,
            Self::Counts(_) => &[],
        }
    }
}

/// How the records of a unit are read.
pub(super) struct Reader {
    /// The time of an access; `None` is its number in the unit.
    clock: Option<Field>,
    address: Field,
    /// Bytes of a record.
    size: usize,
    /// Where clock and address begin in records of 16 bytes that hold nothing else.
    is_plain: bool,
    units_per_block: u64,
    units_per_warp: u64,
    blocks: Select,
    warps: Select,
    /// Whether times count from the first access of a unit.
    is_relative: bool,
    /// The first time of the unit.
    zero: u64,
    empty: u64,
    unit: Unit,
    problems: Vec<Message>,
    has_timer: bool,
}

/// Why times cannot be those of a clock that all units share.
pub(super) const NO_TIMER: &str = phrase("The records contain no global timer values.");

impl Reader {
    fn new(file: &ResultFile, section: &Section, values: &Values) -> Option<Self> {
        let mut problems = Vec::new();
        let mut select = |parameter: &Parameter| {
            let text = values.text(parameter.id).unwrap_or("");
            Select::parse(text).unwrap_or_else(|| {
                let problem = message("{text} is not a list of numbers and ranges; everything is counted.");
                problems.push(problem.with("text", text));
                Select::default()
            })
        };
        let (blocks, warps) = (select(&BLOCKS), select(&WARPS));
        let map = &section.map;
        // Times since the start of the thread are lengths of time.
        let cycles = map.field(Role::Clock).or_else(|| map.field(Role::Cycles));
        let timer = map.field(Role::Timer).or_else(|| map.field(Role::Nanos));
        let time = values.text(TIME.id).unwrap_or("recorded");
        let clock = if time == "timer" { timer.or(cycles) } else { cycles.or(timer) };
        if time == "timer" && timer.is_none() {
            problems.push(message(NO_TIMER));
        }
        let address = map.field(Role::Address)?.clone();
        let widths = clock.map(|clock| (clock.width, address.width, clock.at + address.at));
        Some(Self {
            size: usize::try_from(map.record_bytes()).ok()?,
            is_plain: map.record_bytes() == 16 && widths == Some((8, 8, 8)),
            unit: match clock.map(|clock| clock.role) {
                Some(Role::Timer | Role::Nanos) => Unit::Nanos,
                Some(_) => Unit::Cycles,
                None => Unit::Count("records".to_owned()),
            },
            has_timer: timer.is_some(),
            clock: clock.cloned(),
            address,
            units_per_block: section.units_per_block.max(1),
            units_per_warp: if map.is_warp { 1 } else { u64::from(file.warp.max(1)) },
            blocks,
            warps,
            is_relative: time == "thread",
            zero: 0,
            empty: 0,
            problems,
        })
    }

    /// Hands the accesses of records of one unit over, from its record `first` on.
    #[inline]
    fn unit(&mut self, unit: u64, first: u64, bytes: &[u8], take: &mut impl FnMut(u64, u64, u32, u32)) {
        let (block, inside) = (unit / self.units_per_block, unit % self.units_per_block);
        if !self.blocks.has(block) || !self.warps.has(inside / self.units_per_warp) {
            return;
        }
        if first == 0 {
            let own = bytes.get(..self.size).zip(self.clock.as_ref());
            self.zero = own.filter(|_| self.is_relative).map_or(0, |(record, clock)| clock.value(record));
        }
        let block = u32::try_from(block).unwrap_or(u32::MAX);
        if self.is_plain {
            let is_swapped = self.address.at == 0;
            for record in bytes.as_chunks::<16>().0 {
                let (low, high) = halves(record);
                let (clock, address) = if is_swapped { (high, low) } else { (low, high) };
                if clock | address == 0 {
                    self.empty += 1;
                } else {
                    take(clock.saturating_sub(self.zero), address, 1, block);
                }
            }
            return;
        }
        for (record, index) in bytes.chunks_exact(self.size).zip(first..) {
            let clock = self.clock.as_ref().map(|clock| clock.value(record));
            let address = self.address.value(record);
            if address == 0 && record.iter().all(|byte| *byte == 0) {
                self.empty += 1;
            } else {
                take(clock.map_or(index, |clock| clock.saturating_sub(self.zero)), address, 1, block);
            }
        }
    }
}

/// The two numbers of a record of 16 bytes.
#[inline]
pub(super) fn halves(record: &[u8; 16]) -> (u64, u64) {
    let half = |half: Option<&[u8; 8]>| half.map_or(0, |half| u64::from_le_bytes(*half));
    (half(record.first_chunk()), half(record.last_chunk()))
}
