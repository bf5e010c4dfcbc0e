//! Accesses: one memory access by one unit (a core, a warp, a thread) per row.
//!
//! ```text
//! row ──▶ class ──▶ a value of each attribute     (unit, operation, space, cache status, …: what filters choose)
//!     ──▶ site  ──▶ address of the instruction ──▶ call stack ──▶ frames
//!     ──▶ address, bytes
//! ```
//! A row costs 20 bytes; what many rows share stands once.

use super::code::CodeScope;
use super::id::StrId;
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What an access did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AccessKind {
    /// Memory came to be.
    Alloc,
    /// Memory ceased to be.
    Free,
    Load,
    Store,
    /// Read and written at once.
    Atomic,
    /// Copied between memories.
    Copy,
    Other,
}

/// Memory accesses in the order of the file.
#[derive(Default)]
pub struct Accesses {
    /// What the position is: cycles, nanoseconds or a record number.
    pub position_unit: Unit,
    /// What accesses have in common, each a column of values from a dictionary: [`OPERATION`], [`UNIT`], [`SPACE`], then
    /// whatever else a reader names.
    attributes: Attributes,
    /// What each operation is.
    kinds: Vec<AccessKind>,
    /// Instructions that access memory.
    pub sites: Vec<Site>,
    /// Call stacks of instructions.
    pub stacks: Vec<Stack>,
    /// Frames of all call stacks, innermost first in each.
    pub frames: Vec<StackFrame>,
    /// Named or allocated ranges of addresses, in the order they came to be.
    pub regions: Vec<Region>,
    /// When each was, or which in order.
    pub positions: Positions,
    /// The last position, and whether any is before the one of the row before.
    last: u64,
    is_disordered: bool,
    class: Vec<u32>,
    classes: Vec<Class>,
    class_counts: Vec<u64>,
    class_of: Map<Class, u32>,
    address: Vec<u64>,
    bytes: Vec<u32>,
    /// Sizes that 32 bits do not hold, by row.
    large: Map<u32, u64>,
    site: Vec<u32>,
}

/// An instruction that accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
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
    /// Row of the value of [`SPACE`].
    pub space: u32,
    /// Row of [`Accesses::classes`] of the access that made it; `None` when it belongs to all units.
    pub maker: Option<u32>,
    /// Rows of accesses during which it is alive.
    pub rows: Range<u32>,
}

/// One access to be pushed.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// When, or which in order.
    pub position: u64,
    /// Row of [`Accesses::classes`]: who did what where.
    pub class: u32,
    /// First address.
    pub address: u64,
    /// Bytes from there.
    pub bytes: u64,
    /// Row of [`Accesses::sites`]; `u32::MAX` when unknown.
    pub site: u32,
}

/// Positions as runs that grow by one: record numbers cost nothing.
#[derive(Default)]
pub struct Positions {
    /// First row and position of each run.
    pub runs: Vec<(u32, u64)>,
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

    /// What accesses have in common.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes.0
    }

    /// An attribute by its number, to add values to; `None` when there is no such one.
    pub fn attribute(&mut self, number: usize) -> Option<&mut Attribute> {
        self.attributes.0.get_mut(number)
    }

    /// The number of the attribute with this id, new or old.
    pub fn attribute_number(&mut self, id: &str, title: &str, is_of_unit: bool) -> usize {
        let old = self.attributes.0.iter().position(|attribute| attribute.id == id);
        old.unwrap_or_else(|| {
            self.attributes.0.push(Attribute::new(id, title, is_of_unit));
            self.attributes.0.len() - 1
        })
    }

    /// The row of a class by the values of its attributes, new or old, and what its operation is.
    pub fn class_row<'a>(
        &mut self,
        values: impl IntoIterator<Item = (usize, &'a str)>,
        kind: AccessKind,
    ) -> u32 {
        let mut class = Class { values: vec![u32::MAX; self.attributes.0.len()] };
        for (number, value) in values {
            if let Some((attribute, out)) =
                self.attributes.0.get_mut(number).zip(class.values.get_mut(number))
            {
                *out = attribute.row(value);
            }
        }
        if class.values[SPACE] == u32::MAX {
            class.values[SPACE] = self.attributes.0[SPACE].row("");
        }
        self.kinds.resize(self.attributes.0[OPERATION].values().len(), kind);
        let next = self.classes.len() as u32;
        *self.class_of.entry(class).or_insert_with_key(|class| {
            self.classes.push(class.clone());
            self.class_counts.push(0);
            next
        })
    }

    /// The value of an attribute in a class; empty when it has none.
    pub fn value(&self, class: &Class, attribute: usize) -> &str {
        self.attributes.0.get(attribute).map_or("", |own| own.value(class.get(attribute)))
    }

    /// The values of a class that name its unit, with blanks between them.
    pub fn unit_name(&self, class: &Class) -> String {
        let of_unit = self.attributes.0.iter().enumerate().filter(|(_, attribute)| attribute.is_of_unit);
        let values = of_unit.map(|(at, _)| self.value(class, at)).filter(|value| !value.is_empty());
        values.collect::<Vec<_>>().join(" ")
    }

    /// Whether one unit made accesses of both classes.
    pub fn is_same_unit(&self, a: u32, b: u32) -> bool {
        let pair = self.classes.get(a as usize).zip(self.classes.get(b as usize));
        let is_of_unit = |at: &usize| self.attributes.0[*at].is_of_unit;
        pair.is_some_and(|(a, b)| {
            a == b || (0..self.attributes.0.len()).filter(is_of_unit).all(|at| a.get(at) == b.get(at))
        })
    }

    /// Name of an address space; empty when there is one only.
    pub fn space_name(&self, space: u32) -> &str {
        self.attributes.0[SPACE].value(space)
    }

    /// What the operation of a class is.
    pub fn kind(&self, class: &Class) -> AccessKind {
        self.kinds.get(class.get(OPERATION) as usize).copied().unwrap_or(AccessKind::Other)
    }

    /// When an access was, or which in order. Costs a search among the jumps of the positions.
    pub fn position(&self, row: u32) -> u64 {
        self.positions.get(row)
    }

    /// The classes that occur.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// How many accesses each class has.
    pub fn class_counts(&self) -> &[u64] {
        &self.class_counts
    }

    /// Whether positions are times that never go back.
    pub fn is_in_time(&self) -> bool {
        !matches!(self.position_unit, Unit::None | Unit::Count(_)) && !self.is_disordered && !self.is_empty()
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
    pub fn class(&self, row: u32) -> Option<&Class> {
        self.class.get(row as usize).and_then(|&class| self.classes.get(class as usize))
    }

    /// One whole access.
    pub fn get(&self, row: u32) -> Option<Access> {
        let at = row as usize;
        Some(Access {
            position: self.position(row),
            class: *self.class.get(at)?,
            address: *self.address.get(at)?,
            bytes: self.bytes(row),
            site: *self.site.get(at)?,
        })
    }

    /// Adds one behind the others; `false` when there are as many as can be numbered.
    pub fn push(&mut self, access: Access) -> bool {
        let Ok(row) = u32::try_from(self.len()) else { return false };
        if row == u32::MAX {
            return false;
        }
        self.is_disordered |= access.position < self.last;
        self.last = access.position;
        self.positions.push(row, access.position);
        if let Some(n) = self.class_counts.get_mut(access.class as usize) {
            *n += 1;
        }
        self.class.push(access.class);
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

// What accesses have in common with each other: named attributes with dictionaries of their values.

/// Number of the attribute that says what was done.
pub const OPERATION: usize = 0;
/// Number of the attribute that says who did it.
pub const UNIT: usize = 1;
/// Number of the attribute that says in which address space.
pub const SPACE: usize = 2;

/// Something that accesses have in common with others, as a dictionary of its values.
#[derive(Default)]
pub struct Attribute {
    /// Stable id for addresses and filters.
    pub id: String,
    /// What a person reads, an English phrase or a word of the file. Units are called what the trace's terms say, as
    /// `group`.
    pub title: String,
    /// Whether it tells units of one name apart.
    pub is_of_unit: bool,
    values: Vec<String>,
    row_of: Map<String, u32>,
}

impl Attribute {
    fn new(id: &str, title: &str, is_of_unit: bool) -> Self {
        Self { id: id.to_owned(), title: title.to_owned(), is_of_unit, ..Self::default() }
    }

    /// The values that occur, in the order they came.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// A value by its row; empty for none.
    pub fn value(&self, row: u32) -> &str {
        self.values.get(row as usize).map_or("", String::as_str)
    }

    /// The row of a value, new or old.
    pub fn row(&mut self, value: &str) -> u32 {
        if let Some(row) = self.row_of.get(value) {
            return *row;
        }
        let row = self.values.len() as u32;
        self.values.push(value.to_owned());
        self.row_of.insert(value.to_owned(), row);
        row
    }
}

/// The values that rows have in common: a row of the dictionary of each attribute. Attributes that were named after the
/// class are missing at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Class {
    /// By number of the attribute.
    pub values: Vec<u32>,
}

impl Class {
    /// The row of the value of an attribute.
    pub fn get(&self, attribute: usize) -> u32 {
        self.values.get(attribute).copied().unwrap_or(u32::MAX)
    }

    /// The address space.
    pub fn space(&self) -> u32 {
        self.get(SPACE)
    }
}

/// The attributes of accesses: those that every trace has, then the others.
struct Attributes(Vec<Attribute>);

impl Default for Attributes {
    fn default() -> Self {
        Self(vec![
            Attribute::new("operation", phrase("Operation"), false),
            Attribute::new("unit", "", true),
            Attribute::new("space", phrase("Space"), false),
        ])
    }
}
