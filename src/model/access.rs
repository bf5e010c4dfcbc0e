//! Accesses: one memory access by one unit (a core, a warp, a thread) per row.

use crate::base::unit::Unit;
use serde::{Deserialize, Serialize};

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

/// Memory accesses in the order of the file, as columns of equal length.
#[derive(Default)]
pub struct Accesses {
    /// What the position is: cycles, nanoseconds or a record number.
    pub position_unit: Unit,
    /// When, or which in order.
    pub position: Vec<u64>,
    /// Row of [`Accesses::units`] that made it.
    pub unit: Vec<u32>,
    /// First address.
    pub address: Vec<u64>,
    /// Bytes from there.
    pub bytes: Vec<u32>,
    /// What it did.
    pub kind: Vec<AccessKind>,
    /// Row of [`Accesses::spaces`].
    pub space: Vec<u8>,
    /// Address of the instruction; 0 when unknown.
    pub pc: Vec<u64>,
    /// Lanes that took part; empty when the format has no lanes.
    pub lanes: Vec<u64>,
    /// Names of the units: cores, warps, threads.
    pub units: Vec<String>,
    /// Names of the address spaces.
    pub spaces: Vec<String>,
    /// Named ranges of addresses: tensors, allocations, parameters.
    pub regions: Vec<Region>,
}

/// A named range of addresses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// First address.
    pub start: u64,
    /// First address after.
    pub end: u64,
}

/// One access to be pushed.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// When, or which in order.
    pub position: u64,
    /// Row of [`Accesses::units`].
    pub unit: u32,
    /// First address.
    pub address: u64,
    /// Bytes from there.
    pub bytes: u32,
    /// What it did.
    pub kind: AccessKind,
    /// Row of [`Accesses::spaces`].
    pub space: u8,
    /// Address of the instruction; 0 when unknown.
    pub pc: u64,
}

impl Accesses {
    /// How many accesses there are.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    pub(super) fn push(&mut self, row: Access) {
        self.position.push(row.position);
        self.unit.push(row.unit);
        self.address.push(row.address);
        self.bytes.push(row.bytes);
        self.kind.push(row.kind);
        self.space.push(row.space);
        self.pc.push(row.pc);
    }
}
