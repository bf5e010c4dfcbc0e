//! Rows of a window in an order, and what they add up to.

use super::axis::Axis;
use super::filter::Filter;
use crate::base::map::{Map, Set};
use crate::base::order;
use crate::model::access::Accesses;

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

/// What a list is ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortBy {
    /// As in the file.
    #[default]
    Row,
    /// First address.
    Address,
    /// Size.
    Bytes,
    /// What was done where by whom.
    Class,
    /// Address of the instruction.
    Pc,
}

/// Rows in an order.
pub struct List {
    /// The rows.
    pub rows: Vec<u32>,
}

impl List {
    pub(super) fn new(
        accesses: &Accesses,
        look: &Look,
        axis: &Axis,
        sort: SortBy,
        is_descending: bool,
    ) -> Self {
        let mut rows = Vec::new();
        each(accesses, look, axis, |row| rows.push(row));
        let unsigned = |v: u64| (v ^ 1 << 63).cast_signed();
        match sort {
            SortBy::Row => {}
            SortBy::Address => {
                order::sort_numbers(&mut rows, &|row| unsigned(accesses.addresses()[row as usize]));
            }
            SortBy::Bytes => order::sort_numbers(&mut rows, &|row| unsigned(accesses.bytes(row))),
            SortBy::Class => {
                let rank = class_ranks(accesses);
                order::sort_numbers(&mut rows, &|row| rank[accesses.class_rows()[row as usize] as usize]);
            }
            SortBy::Pc => {
                order::sort_numbers(&mut rows, &|row| unsigned(accesses.site(row).map_or(0, |site| site.pc)));
            }
        }
        if is_descending {
            rows.reverse();
        }
        Self { rows }
    }
}

/// Where each class stands by operation, space, kind of unit and unit.
fn class_ranks(accesses: &Accesses) -> Vec<i64> {
    let name = |class: &crate::model::access::Class| {
        let unit = accesses.units().get(class.unit as usize);
        let operation = accesses.operation(*class).map_or("", |o| o.name.as_str());
        let space = accesses.spaces().get(usize::from(class.space)).map_or("", String::as_str);
        (operation, space, unit.map_or("", |u| u.kind.as_str()), class.unit)
    };
    let names: Vec<_> = accesses.classes().iter().map(name).collect();
    let sequence = order::sequence(names.len(), &|a, b| names[a].cmp(&names[b]));
    let mut ranks = vec![0; names.len()];
    for (rank, &class) in sequence.iter().enumerate() {
        ranks[class as usize] = rank as i64;
    }
    ranks
}

/// Calls for every row that is looked at.
fn each(accesses: &Accesses, look: &Look, axis: &Axis, mut take: impl FnMut(u32)) {
    let sides = look.filter.sides(accesses);
    let seen = look.places.map(|places| axis.seen(places));
    let n = accesses.len() as u32;
    let (from, to) = look.rows.map_or((0, n), |(a, b)| (a.min(n), b.min(n)));
    let (classes, class, address) = (accesses.classes(), accesses.class_rows(), accesses.addresses());
    for row in from..to {
        let class = class[row as usize];
        if sides.get(class).is_none() {
            continue;
        }
        if let Some(seen) = &seen {
            let start = address[row as usize];
            let segment = axis.segment(classes[class as usize].space, start);
            let Some((low, high)) = segment.and_then(|s| seen[s]) else { continue };
            if high < start || last_of(start, accesses.bytes(row)) < low {
                continue;
            }
        }
        take(row);
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
