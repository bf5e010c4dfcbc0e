//! Functions as a tree: calls under the same names from the top down are one row.
//!
//! A call lies in the last one before it on its thread that is not at its end when it begins. Sums are those of
//! [`Operator`]; of a path they count what begins under exactly these names. Other tools show modules in this way.

use super::Operator;
use super::host::NONE;
use crate::base::job::Turn;
use crate::base::map::Map;
use crate::base::order::{sequence, sort_numbers};
use crate::base::sort::sorted;
use crate::model::Trace;
use crate::model::build::natural;
use crate::model::id::StrId;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// Rows inside of one that are put into another order; more stay by their time.
const SORTED: usize = 1 << 16;

/// The tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// The rows, each after the one around it.
    pub rows: Vec<Operator>,
    /// The most device time of a row.
    pub most: i128,
    /// Host time of all.
    pub own: i128,
    /// Rows inside of each: those of row `i` are `inside[from[i + 1]..from[i + 2]]`, those at the top `inside[..from[1]]`.
    from: Vec<u32>,
    /// Most host time first.
    inside: Vec<u32>,
}

/// Which rows are open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Opened {
    /// From the top on the one with most host time in each.
    #[default]
    Heaviest,
    All,
    /// None.
    None,
}

/// How a tree is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// What is open to begin with.
    pub opened: Opened,
    /// Rows for which it is the other way, in order.
    pub turned: Vec<u32>,
}

/// Puts rows inside of one in an order.
pub type SortRows<'a> = &'a dyn Fn(&mut Vec<u32>);

fn ticks(sum: i128) -> i64 {
    i64::try_from(sum).unwrap_or(i64::MAX)
}

impl Tree {
    /// Arranges rows by their parents.
    pub(super) async fn of(rows: Vec<Operator>, turn: &Turn) -> Self {
        let key =
            |(at, row): (u32, &Operator)| (row.parent.wrapping_add(1), Reverse(ticks(row.host_total)), at);
        let placed = sorted((0..).zip(&rows).map(key).collect(), turn).await;
        let mut from = vec![0; rows.len() + 2];
        for (parent, ..) in &placed {
            from[*parent as usize + 1] += 1;
        }
        for at in 1..from.len() {
            from[at] += from[at - 1];
        }
        Self {
            most: rows.iter().map(|row| row.device_total).max().unwrap_or(0),
            own: rows.iter().map(|row| row.host_own).sum(),
            from,
            inside: placed.into_iter().map(|(.., row)| row).collect(),
            rows,
        }
    }

    /// The rows inside of one, most host time first; `None` is the top.
    pub fn inside(&self, row: Option<u32>) -> &[u32] {
        let at = row.map_or(0, |row| row as usize + 1);
        let range =
            self.from.get(at).zip(self.from.get(at + 1)).map(|(from, to)| *from as usize..*to as usize);
        range.and_then(|range| self.inside.get(range)).unwrap_or_default()
    }

    /// Rows that are open, before the user turned any.
    fn heaviest(&self) -> Vec<u32> {
        let first = |row: Option<u32>| self.inside(row).first().copied();
        std::iter::successors(first(None), |row| first(Some(*row))).collect()
    }

    /// Whether rows are open, by their numbers.
    pub fn is_open<'a>(&self, shown: &'a Shown) -> impl Fn(u32) -> bool + 'a {
        let mut path = if shown.opened == Opened::Heaviest { self.heaviest() } else { Vec::new() };
        path.sort_unstable();
        move |row| {
            let is_first = match shown.opened {
                Opened::Heaviest => path.binary_search(&row).is_ok(),
                Opened::All => true,
                Opened::None => false,
            };
            is_first != shown.turned.contains(&row)
        }
    }

    /// The rows that are seen from the top down: those inside of open rows, by a key where one is given.
    pub fn listed(&self, is_open: impl Fn(u32) -> bool, sort: Option<SortRows>) -> Vec<u32> {
        let mut listed = Vec::new();
        let sorted = |row: Option<u32>| {
            let mut rows = self.inside(row).to_vec();
            if let Some(sort) = sort.filter(|_| rows.len() <= SORTED) {
                sort(&mut rows);
            }
            rows
        };
        let mut open = vec![sorted(None).into_iter()];
        while let Some(level) = open.last_mut() {
            match level.next() {
                None => drop(open.pop()),
                Some(row) => {
                    listed.push(row);
                    if is_open(row) && !self.inside(Some(row)).is_empty() {
                        open.push(sorted(Some(row)).into_iter());
                    }
                }
            }
        }
        listed
    }

    /// Sorts rows by a number of each.
    pub fn sort_by(&self, rows: &mut [u32], is_descending: bool, number: &dyn Fn(&Operator) -> i128) {
        let key = |row: u32| {
            let key = ticks(number(&self.rows[row as usize]));
            if is_descending { -key } else { key }
        };
        sort_numbers(rows, &key);
    }

    /// Sorts rows by their names.
    pub fn sort_by_name(&self, rows: &mut Vec<u32>, is_descending: bool, trace: &Trace) {
        let name = |at: usize| trace.strings.get(self.rows[rows[at] as usize].name);
        let order = sequence(rows.len(), &|a, b| {
            let order = natural(name(a), name(b));
            if is_descending { order.reverse() } else { order }
        });
        *rows = order.iter().map(|at| rows[*at as usize]).collect();
    }

    /// Rows whose names a test holds for, and those around them.
    pub fn matching(&self, is_meant: impl Fn(StrId) -> bool) -> Vec<bool> {
        let mut known: Map<StrId, bool> = Map::default();
        let mut is_kept = vec![false; self.rows.len()];
        // A row comes after the one around it.
        for (at, row) in self.rows.iter().enumerate().rev() {
            is_kept[at] |= *known.entry(row.name).or_insert_with(|| is_meant(row.name));
            if is_kept[at] && row.parent != NONE {
                is_kept[row.parent as usize] = true;
            }
        }
        is_kept
    }
}
