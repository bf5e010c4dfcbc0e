//! Rows of a window, and what they add up to.

use super::axis::Axis;
use super::filter::{Filter, Sides};
use crate::base::map::{Map, Set};
use crate::base::order;
use crate::model::access::Accesses;
use std::ops::Range;

/// Most rows whose addresses are told apart: more would take too long.
const DISTINCT: usize = 1 << 20;
/// Bytes of a cache line as they are counted.
const LINE: u64 = 128;

/// The last byte of an access; one without size is one byte.
#[inline]
pub fn last_of(address: u64, bytes: u64) -> u64 {
    address.saturating_add(bytes.max(1) - 1)
}

/// What is looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// Which accesses.
    pub filter: Filter,
    /// Rows from the first to before the second; `None` for all.
    pub rows: Option<(u32, u32)>,
    /// Places on the axis of addresses; `None` for all.
    pub places: Option<(f64, f64)>,
    /// Whether the axis is one plain scale.
    pub is_linear: bool,
}

/// Which accesses a look lets through.
pub struct Looked<'a> {
    accesses: &'a Accesses,
    axis: &'a Axis,
    sides: Sides,
    /// First and last address that are seen of each segment; `None` for all.
    seen: Option<Vec<Option<(u64, u64)>>>,
    rows: Range<u32>,
}

impl<'a> Looked<'a> {
    /// What a look lets through on its axis of addresses.
    pub fn new(accesses: &'a Accesses, look: &Look, axis: &'a Axis) -> Self {
        let n = accesses.len() as u32;
        let (from, to) = look.rows.map_or((0, n), |(a, b)| (a.min(n), b.min(n)));
        Self {
            accesses,
            axis,
            sides: look.filter.sides(accesses),
            seen: look.places.map(|places| axis.seen(places)),
            rows: from..to.max(from),
        }
    }

    /// The rows that may be let through.
    pub fn rows(&self) -> Range<u32> {
        self.rows.clone()
    }

    /// Whether one of them is.
    pub fn has(&self, row: u32) -> bool {
        let class = self.accesses.class_rows()[row as usize];
        if self.sides.get(class).is_none() {
            return false;
        }
        let Some(seen) = &self.seen else { return true };
        let start = self.accesses.addresses()[row as usize];
        let segment = self.axis.segment(self.accesses.classes()[class as usize].space, start);
        let Some((low, high)) = segment.and_then(|s| seen[s]) else { return false };
        start <= high && low <= last_of(start, self.accesses.bytes(row))
    }
}

/// Rows in the order of the file.
pub struct List {
    /// The rows.
    pub rows: Vec<u32>,
}

impl List {
    pub(super) fn new(accesses: &Accesses, look: &Look, axis: &Axis) -> Self {
        let looked = Looked::new(accesses, look, axis);
        Self { rows: looked.rows().filter(|row| looked.has(*row)).collect() }
    }
}

/// What one operation adds up to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationSum {
    /// Row of the operations.
    pub operation: u8,
    /// How many accesses.
    pub n: u64,
    /// Their bytes.
    pub bytes: u128,
}

/// What rows add up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// How many rows.
    pub n: u64,
    /// By operation, in the order of the operations.
    pub operations: Vec<OperationSum>,
    /// How many first addresses and cache lines of 128 bytes differ; `None` when there are too many rows to tell.
    pub distinct: Option<(u64, u64)>,
}

/// Adds up the rows of a list.
pub fn sums(accesses: &Accesses, list: &List) -> Sums {
    Sums { distinct: distinct(accesses, list), ..operation_sums(accesses, list) }
}

/// Adds up the rows of a list, without telling addresses apart.
pub fn operation_sums(accesses: &Accesses, list: &List) -> Sums {
    let mut by: Map<u8, (u64, u128)> = Map::default();
    for &row in &list.rows {
        if let Some(class) = accesses.class(row) {
            let (n, bytes) = by.entry(class.operation).or_default();
            *n += 1;
            *bytes += u128::from(accesses.bytes(row));
        }
    }
    let sum = |(operation, (n, bytes))| OperationSum { operation, n, bytes };
    let mut operations: Vec<OperationSum> = by.into_iter().map(sum).collect();
    order::sort_by_key(&mut operations, |sum| sum.operation);
    Sums { n: list.rows.len() as u64, operations, distinct: None }
}

fn distinct(accesses: &Accesses, list: &List) -> Option<(u64, u64)> {
    if DISTINCT < list.rows.len() {
        return None;
    }
    let (mut addresses, mut lines) = (Set::default(), Set::default());
    let mut left = DISTINCT as u64 * 4;
    for access in list.rows.iter().filter_map(|&row| accesses.get(row)) {
        let space = access.class.space;
        addresses.insert((space, access.address));
        let (first, last) = (access.address / LINE, last_of(access.address, access.bytes) / LINE);
        left = left.checked_sub(last - first + 1)?;
        lines.extend((first..=last).map(|line| (space, line)));
    }
    Some((addresses.len() as u64, lines.len() as u64))
}
