//! A result file: the maps that one launch filled.
//!
//! ```text
//! 0    u32 × 3  blocks x, y, z           12  u32 × 3  threads of a block x, y, z
//! 24   u32      shared bytes             28  u32      n, how many maps
//! 32   16 bytes a map: size and offset   then the sections, one after the other
//! ```
//! Offsets of sections are not to be trusted, and there is no count of records: records that are all zero were never
//! written.

use crate::base::unit::Unit;
use crate::input::{EntryId, Source};

/// What a map is, as the schema says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapDef {
    /// Its name.
    pub name: String,
    /// Whether a unit is a warp; else it is a thread.
    pub is_warp: bool,
    /// Fields in the order in which they lie in memory: those of 8 bytes first.
    pub fields: Vec<Field>,
    /// Most records of a unit; `None` where they are counted for each launch, or nothing says.
    pub cap: Option<u64>,
}

/// One field of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its bytes: 4 or 8.
    pub width: u8,
    /// Where it begins in a record.
    pub at: u32,
    /// What it holds.
    pub role: Role,
}

/// What a field holds, as the text of its probe tells, or else its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// A point in time in cycles of its SM.
    Clock,
    /// A length of time in cycles, also since the thread began.
    Cycles,
    /// A point in time in nanoseconds, on one clock for the whole GPU.
    Timer,
    /// A length of time in nanoseconds, also since the thread began.
    Nanos,
    /// The number of an SM.
    Sm,
    /// An address of global memory.
    Address,
    /// A number of bytes.
    Bytes,
    /// A number of something.
    Count,
    /// Anything else.
    #[default]
    Other,
}

impl MapDef {
    /// Bytes of a record.
    pub(super) fn record_bytes(&self) -> u64 {
        self.fields.iter().map(|field| u64::from(field.width)).sum()
    }

    /// The first field with a role.
    pub(super) fn field(&self, role: Role) -> Option<&Field> {
        self.fields.iter().find(|field| field.role == role)
    }
}

impl Field {
    /// Whether its values have a sign: latencies and offsets between clocks may be negative.
    pub(super) fn is_signed(&self) -> bool {
        self.width == 8 && ["latency", "offset"].contains(&self.name.as_str())
    }

    /// The unit of its values.
    pub(super) fn unit(&self) -> Unit {
        match self.role {
            Role::Clock | Role::Cycles => Unit::Cycles,
            Role::Timer | Role::Nanos => Unit::Nanos,
            Role::Address => Unit::Address,
            Role::Bytes => Unit::Bytes,
            Role::Sm | Role::Count | Role::Other => Unit::None,
        }
    }

    /// Whether its values add up: points in time, addresses and numbers of SMs have no sum that means anything.
    pub(super) fn has_sum(&self) -> bool {
        !matches!(self.role, Role::Clock | Role::Timer | Role::Address | Role::Sm)
    }

    /// The value in the bytes of a record; 0 beyond its end.
    #[inline]
    pub fn value(&self, record: &[u8]) -> u64 {
        let at = self.at as usize;
        if self.width == 4 {
            let bytes = record.get(at..at + 4).and_then(|bytes| bytes.first_chunk());
            bytes.map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)))
        } else {
            let bytes = record.get(at..at + 8).and_then(|bytes| bytes.first_chunk());
            bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
        }
    }
}

/// A result file whose maps are found.
#[derive(Clone)]
pub struct ResultFile {
    pub entry: EntryId,
    pub source: Source,
    pub name: String,
    /// Row of the launch that saved it in [`super::folder::Folder::launches`].
    pub launch: Option<usize>,
    /// Blocks: x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block: x, y, z.
    pub block: [u32; 3],
    /// Threads of a warp: 32, or 64 on AMD.
    pub warp: u32,
    pub sections: Vec<Section>,
}

/// One map of a result file.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// What it is.
    pub map: MapDef,
    /// Where its units really begin in the file.
    pub start: u64,
    /// Where the header says they begin.
    pub declared: u64,
    /// Bytes of a unit.
    pub unit_bytes: u64,
    /// How many units have room in the file.
    pub units: u64,
    /// How many units threads write to: fewer than have room where the last warp of a block is not full.
    pub addressed: u64,
    /// Units of one block: the stride from the units of one block to those of the next.
    pub units_per_block: u64,
}

impl Section {
    /// Most records of a unit.
    pub fn records_per_unit(&self) -> u64 {
        self.unit_bytes.checked_div(self.map.record_bytes()).unwrap_or(0)
    }

    /// How many units can have records: one more than are addressed where the last warp of the last block is not full,
    /// for no other block writes over its place.
    pub(super) fn written(&self) -> u64 {
        self.units.min(self.addressed.saturating_add(1))
    }

    /// The block of a unit, and its number in the block.
    #[inline]
    pub(super) fn place(&self, unit: u64) -> (u64, u64) {
        let of_block = self.units_per_block.max(1);
        if unit == self.addressed && 0 < unit {
            ((unit - 1) / of_block, of_block)
        } else {
            (unit / of_block, unit % of_block)
        }
    }
}

impl ResultFile {
    /// How many blocks ran.
    pub(super) fn blocks(&self) -> u64 {
        self.grid.iter().map(|n| u64::from(*n)).fold(1, u64::saturating_mul)
    }

    /// The coordinates of a block: x turns fastest.
    pub(super) fn block_at(&self, block: u64) -> [u64; 3] {
        let [x, y, _] = self.grid.map(|n| u64::from(n.max(1)));
        [block % x, block / x % y, block / x / y]
    }

    /// The block that wrote a unit of a section, and the number of the unit in the block. Units behind those of all blocks
    /// belong to the last block, whose last warp is not full.
    pub(super) fn place(&self, section: &Section, unit: u64) -> (u64, u64) {
        let block = (unit / section.units_per_block.max(1)).min(self.blocks().saturating_sub(1));
        (block, unit - block * section.units_per_block.max(1))
    }
}
