//! Accesses: one memory access by one unit (a core, a warp, a thread) per row.
//!
//! ```text
//! row ──▶ class ──▶ unit, operation, space        (few: what filters choose)
//!     ──▶ site  ──▶ address of the instruction ──▶ call stack ──▶ frames
//!     ──▶ address, bytes
//! ```
//! A row costs 20 bytes; what many rows share stands once.

use super::code::CodeScope;
use super::id::StrId;
use crate::base::map::Map;
use crate::base::unit::Unit;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What an access did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AccessKind {
    /// Memory came to be.
    Alloc,
    /// Memory ceased to be.
    Free,
    /// Read.
    Load,
    /// Written.
    Store,
    /// Read and written at once.
    Atomic,
    /// Copied between memories.
    Copy,
    /// Anything else.
    Other,
}

/// Memory accesses in the order of the file.
#[derive(Default)]
pub struct Accesses {
    /// What the position is: cycles, nanoseconds or a record number.
    pub position_unit: Unit,
    /// What kinds of units are called, such as "Core type", an English phrase; empty when there are none. What units are
    /// called stands in the trace's terms, as `group`.
    pub unit_kind_title: String,
    units: Vec<AccessUnit>,
    unit_of: Map<AccessUnit, u32>,
    operations: Vec<Operation>,
    spaces: Vec<String>,
    /// Instructions that access memory.
    pub sites: Vec<Site>,
    /// Call stacks of instructions.
    pub stacks: Vec<Stack>,
    /// Frames of all call stacks, innermost first in each.
    pub frames: Vec<StackFrame>,
    /// Named or allocated ranges of addresses, in the order they came to be.
    pub regions: Vec<Region>,
    positions: Positions,
    class: Vec<u32>,
    classes: Vec<Class>,
    class_of: Map<Class, u32>,
    address: Vec<u64>,
    bytes: Vec<u32>,
    /// Sizes that 32 bits do not hold, by row.
    large: Map<u32, u64>,
    site: Vec<u32>,
}

/// One that accesses memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AccessUnit {
    /// Its name, such as `core0`.
    pub name: String,
    /// What kind of unit it is; empty when the format has no kinds.
    pub kind: String,
}

/// Something that is done to memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// As the file calls it.
    pub name: String,
    /// What it is.
    pub kind: AccessKind,
}

/// Who did what where: what rows have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    /// Row of [`Accesses::units`].
    pub unit: u32,
    /// Row of [`Accesses::operations`].
    pub operation: u8,
    /// Row of [`Accesses::spaces`].
    pub space: u8,
}

/// An instruction that accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its address.
    pub pc: u64,
    /// Whose code the address is about.
    pub scope: CodeScope,
    /// Row of [`Accesses::stacks`], when the file tells the calls that led there.
    pub stack: Option<u32>,
}

/// The calls that lead to an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The module that the instruction is in; may be empty.
    pub module: StrId,
    /// Rows of [`Accesses::frames`], innermost first.
    pub frames: Range<u32>,
}

/// One function of a call stack and where it stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackFrame {
    /// Name; may be empty.
    pub function: StrId,
    /// Path of the source; may be empty.
    pub file: StrId,
    /// Line from 1; 0 when unknown.
    pub line: u32,
    /// Column from 1; 0 when unknown.
    pub column: u32,
}

/// A range of addresses: a tensor, an allocation, a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Its name; empty for the allocation with the number of its row.
    pub name: String,
    /// First address.
    pub start: u64,
    /// First address after; the last address when the range ends with the address space.
    pub end: u64,
    /// Row of [`Accesses::spaces`].
    pub space: u8,
    /// Row of [`Accesses::units`] that made it; `None` when it belongs to all.
    pub unit: Option<u32>,
    /// Rows of accesses during which it is alive.
    pub rows: Range<u32>,
}

/// One access to be pushed.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// When, or which in order.
    pub position: u64,
    /// Who did what where.
    pub class: Class,
    /// First address.
    pub address: u64,
    /// Bytes from there.
    pub bytes: u64,
    /// Row of [`Accesses::sites`]; `u32::MAX` when unknown.
    pub site: u32,
}

/// Positions as runs that grow by one: record numbers cost nothing.
#[derive(Default)]
struct Positions {
    /// First row and position of each run.
    runs: Vec<(u32, u64)>,
}

impl Positions {
    fn push(&mut self, row: u32, position: u64) {
        let next = self.runs.last().map(|(first, at)| at.wrapping_add(u64::from(row - first)));
        if next != Some(position) {
            self.runs.push((row, position));
        }
    }

    fn get(&self, row: u32) -> u64 {
        let run = self.runs.partition_point(|(first, _)| *first <= row).checked_sub(1);
        let run = run.and_then(|run| self.runs.get(run));
        run.map_or(0, |(first, at)| at.wrapping_add(u64::from(row - first)))
    }
}

impl Accesses {
    /// How many accesses there are.
    pub fn len(&self) -> usize {
        self.address.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.address.is_empty()
    }

    /// Who can access memory.
    pub fn units(&self) -> &[AccessUnit] {
        &self.units
    }

    /// What can be done, as the file calls it; at most 256.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// Names of the address spaces, at most 256; one that is empty is the only one.
    pub fn spaces(&self) -> &[String] {
        &self.spaces
    }

    /// The row of a unit, new or old.
    pub fn unit_row(&mut self, unit: AccessUnit) -> u32 {
        let next = self.units.len() as u32;
        *self.unit_of.entry(unit).or_insert_with_key(|unit| {
            self.units.push(unit.clone());
            next
        })
    }

    /// The row of an operation, new or old; beyond 256 the last one stands for all.
    pub fn operation_row(&mut self, name: &str, kind: AccessKind) -> u8 {
        let at = self.operations.iter().position(|o| o.name == name && o.kind == kind);
        row_of_256(at, &mut self.operations, || Operation { name: name.to_owned(), kind })
    }

    /// The row of an address space, new or old; beyond 256 the last one stands for all.
    pub fn space_row(&mut self, name: &str) -> u8 {
        let at = self.spaces.iter().position(|s| s == name);
        row_of_256(at, &mut self.spaces, || name.to_owned())
    }

    /// When an access was, or which in order. Costs a search among the jumps of the positions.
    pub fn position(&self, row: u32) -> u64 {
        self.positions.get(row)
    }

    /// The classes that occur.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Row of [`Accesses::classes`] of each access.
    pub fn class_rows(&self) -> &[u32] {
        &self.class
    }

    /// First address of each access.
    pub fn addresses(&self) -> &[u64] {
        &self.address
    }

    /// Bytes of an access.
    pub fn bytes(&self, row: u32) -> u64 {
        match self.bytes.get(row as usize) {
            Some(&u32::MAX) => self.large.get(&row).copied().unwrap_or(u64::from(u32::MAX)),
            Some(&bytes) => u64::from(bytes),
            None => 0,
        }
    }

    /// The instruction that made an access.
    pub fn site(&self, row: u32) -> Option<Site> {
        self.site.get(row as usize).and_then(|&site| self.sites.get(site as usize)).copied()
    }

    /// Who did what where.
    pub fn class(&self, row: u32) -> Option<Class> {
        self.class.get(row as usize).and_then(|&class| self.classes.get(class as usize)).copied()
    }

    /// What an access did, as the file calls it and as we do.
    pub fn operation(&self, class: Class) -> Option<&Operation> {
        self.operations.get(usize::from(class.operation))
    }

    /// One whole access.
    pub fn get(&self, row: u32) -> Option<Access> {
        let at = row as usize;
        Some(Access {
            position: self.position(row),
            class: self.class(row)?,
            address: *self.address.get(at)?,
            bytes: self.bytes(row),
            site: *self.site.get(at)?,
        })
    }

    pub(super) fn push(&mut self, access: Access) -> bool {
        let Ok(row) = u32::try_from(self.len()) else { return false };
        if row == u32::MAX {
            return false;
        }
        self.positions.push(row, access.position);
        let class = match (self.class.last(), access.class) {
            // Most rows are like the one before.
            (Some(&last), class) if self.classes.get(last as usize) == Some(&class) => last,
            (_, class) => *self.class_of.entry(class).or_insert_with(|| {
                self.classes.push(class);
                self.classes.len() as u32 - 1
            }),
        };
        self.class.push(class);
        self.address.push(access.address);
        let narrow = u32::try_from(access.bytes).unwrap_or(u32::MAX);
        if narrow == u32::MAX {
            self.large.insert(row, access.bytes);
        }
        self.bytes.push(narrow);
        self.site.push(access.site);
        true
    }
}

fn row_of_256<T>(at: Option<usize>, rows: &mut Vec<T>, new: impl FnOnce() -> T) -> u8 {
    let at = at.unwrap_or(rows.len()).min(255);
    if at == rows.len() {
        rows.push(new());
    }
    at as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pushed_comes_back() {
        let mut all = Accesses::default();
        let rows = [
            (7, 0, 0x1000, 64),
            (8, 1, u64::MAX, 0),
            (9, 0, 0, u64::MAX),
            (3, 2, 1, u64::from(u32::MAX)),
            (4, 2, 1, u64::from(u32::MAX) - 1),
            (u64::MAX, 2, 2, 1 << 40),
            (0, 2, 2, 8),
        ];
        for (position, unit, address, bytes) in rows {
            let class = Class { unit, operation: 3, space: 1 };
            assert!(all.push(Access { position, class, address, bytes, site: u32::MAX }));
        }
        for (row, (position, unit, address, bytes)) in rows.into_iter().enumerate() {
            let got = all.get(row as u32).unwrap();
            let class = Class { unit, operation: 3, space: 1 };
            assert_eq!((got.position, got.class, got.address, got.bytes), (position, class, address, bytes));
        }
        assert_eq!((all.len(), all.classes().len(), all.get(7).is_none()), (7, 3, true));
        assert_eq!(all.positions.runs.len(), 3, "runs that grow by one are kept as one");
    }
}
