//! Rows of a window, and what they add up to.

use super::filter::{Filter, Groups, Side, side_of};
use super::{Across, Axis};
use crate::base::map::{Map, Set};
use crate::base::order;
use crate::model::access::{Accesses, OPERATION};
use serde::{Deserialize, Serialize};
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AccessScope {
    pub filter: Filter,
    /// Records, or ticks since the first, from the first to before the second; `None` for all.
    pub rows: Option<(f64, f64)>,
    /// Shares of the axis of addresses, 0 the lowest and 1 the highest; `None` for all.
    pub places: Option<(f64, f64)>,
    /// Whether the axis of addresses is one plain scale; else empty gaps are left out.
    pub is_linear: bool,
    /// Whether the time lies to the right, where accesses say it; else their order.
    pub is_time: bool,
    /// Id of the attribute whose values have colors of their own; `None` is whether memory is read or written.
    pub color: Option<String>,
}

/// Which accesses a look lets through.
pub struct FilteredAccesses<'a> {
    accesses: &'a Accesses,
    axis: &'a Axis,
    groups: Groups,
    /// First and last address that are seen of each segment; `None` for all.
    seen: Option<Vec<Option<(u64, u64)>>>,
    rows: Range<u32>,
}

impl<'a> FilteredAccesses<'a> {
    /// What a look lets through on its axis of addresses.
    pub fn new(accesses: &'a Accesses, look: &AccessScope, axis: &'a Axis) -> Self {
        let across = Across::new(accesses, look.is_time);
        Self {
            accesses,
            axis,
            groups: Groups::new(accesses, &look.filter, None),
            seen: look.places.map(|places| axis.seen(places)),
            rows: look.rows.map_or(0..accesses.len() as u32, |seen| across.rows_seen(seen)),
        }
    }

    /// The rows that may be let through.
    pub fn rows(&self) -> Range<u32> {
        self.rows.clone()
    }

    /// Whether one of them is.
    pub fn has(&self, row: u32) -> bool {
        let class = self.accesses.class_rows()[row as usize];
        if self.groups.get(class).is_none() {
            return false;
        }
        let Some(seen) = &self.seen else { return true };
        let start = self.accesses.addresses()[row as usize];
        let segment = self.axis.segment(self.accesses.classes()[class as usize].space(), start);
        let Some((low, high)) = segment.and_then(|s| seen[s]) else { return false };
        start <= high && low <= last_of(start, self.accesses.bytes(row))
    }
}

/// Rows in the order of the file.
pub struct List {
    pub rows: Vec<u32>,
}

impl List {
    pub(super) fn new(accesses: &Accesses, look: &AccessScope, axis: &Axis) -> Self {
        let looked = FilteredAccesses::new(accesses, look, axis);
        Self { rows: looked.rows().filter(|row| looked.has(*row)).collect() }
    }
}

/// What one operation adds up to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationSum {
    /// As the file calls it.
    pub name: String,
    pub side: Side,
    /// How many accesses.
    pub n: u64,
    pub bytes: u128,
}

/// What the accesses in a window add up to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    pub n: u64,
    /// By operation, in the order of the operations.
    pub operations: Vec<OperationSum>,
    /// How many first addresses and cache lines of 128 bytes differ; `None` when there are too many accesses to tell.
    pub distinct: Option<(u64, u64)>,
}

/// Adds up the rows of a list.
pub fn sums(accesses: &Accesses, list: &List) -> Sums {
    Sums { distinct: distinct(accesses, list), ..operation_sums(accesses, list) }
}

/// Adds up the rows of a list, without telling addresses apart.
pub fn operation_sums(accesses: &Accesses, list: &List) -> Sums {
    let mut by: Map<u32, OperationSum> = Map::default();
    for &row in &list.rows {
        if let Some(class) = accesses.class(row) {
            let sum = by.entry(class.get(OPERATION)).or_insert_with(|| OperationSum {
                name: accesses.value(class, OPERATION).to_owned(),
                side: side_of(accesses.kind(class)),
                ..OperationSum::default()
            });
            sum.n += 1;
            sum.bytes += u128::from(accesses.bytes(row));
        }
    }
    let mut operations: Vec<(u32, OperationSum)> = by.into_iter().collect();
    order::sort_by_key(&mut operations, |(operation, _)| *operation);
    let operations = operations.into_iter().map(|(_, sum)| sum).collect();
    Sums { n: list.rows.len() as u64, operations, distinct: None }
}

fn distinct(accesses: &Accesses, list: &List) -> Option<(u64, u64)> {
    if DISTINCT < list.rows.len() {
        return None;
    }
    let (mut addresses, mut lines) = (Set::default(), Set::default());
    let mut left = DISTINCT as u64 * 4;
    for (access, class) in list.rows.iter().filter_map(|&row| accesses.get(row).zip(accesses.class(row))) {
        let space = class.space();
        addresses.insert((space, access.address));
        let (first, last) = (access.address / LINE, last_of(access.address, access.bytes) / LINE);
        left = left.checked_sub(last - first + 1)?;
        lines.extend((first..=last).map(|line| (space, line)));
    }
    Some((addresses.len() as u64, lines.len() as u64))
}
