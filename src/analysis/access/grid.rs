//! How many accesses touch each cell of records × addresses.
//!
//! Cells lie on a lattice that does not move with the window: 2ˡ records wide, 2ᵐ bytes high. So a column that was
//! counted is taken again when the window moves, and two columns make one when it widens: only new columns cost a pass
//! over their records. Counts are exact; the groups are counted apart.

use super::filter::{Filter, Groups};
use super::list::{AccessScope, last_of};
use super::{Across, Axis};
use crate::model::access::{Accesses, SPACE};
use std::ops::Range;
use std::rc::Rc;

/// Which cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tiling {
    /// A column is 2 to the power of this many records wide.
    pub level: u32,
    /// Numbers of the columns; number 0 begins with row 0.
    pub columns: Range<u64>,
    /// Rows of cells of the segments that are seen.
    pub parts: Vec<Part>,
}

/// Rows of cells of one segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which segment of the axis.
    pub segment: usize,
    /// A row is 2 to the power of this many bytes high.
    pub shift: u32,
    /// Number of the first row; number 0 begins with address 0.
    pub first: u64,
    pub n: u32,
}

/// Counts of a tiling.
pub struct Grid {
    pub tiling: Tiling,
    /// How many cells a column has in all parts.
    height: usize,
    /// How many groups accesses are in.
    n_groups: usize,
    /// Counts by group, cell after cell, column after column.
    counts: Vec<u32>,
    most: u32,
}

impl Grid {
    /// The most accesses in one cell.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// How many accesses of each group touch a cell: column and row counted from the first of the tiling, rows through
    /// all parts.
    pub fn cell(&self, column: usize, row: usize) -> &[u32] {
        self.column(column).get(row * self.n_groups..(row + 1) * self.n_groups).unwrap_or(&[])
    }

    /// The cells of a column from the lowest of the first part on, one group after the other in each.
    pub fn column(&self, column: usize) -> &[u32] {
        let len = self.height * self.n_groups;
        self.counts.get(column * len..(column + 1) * len).unwrap_or(&[])
    }

    /// The cells of a column by its number.
    fn own(&self, number: u64) -> Option<&[u32]> {
        let columns = &self.tiling.columns;
        columns.contains(&number).then(|| self.column((number - columns.start) as usize))
    }
}

/// What counts are valid for.
#[derive(Clone, PartialEq)]
struct Key {
    n: usize,
    filter: Filter,
    is_time: bool,
    color: Option<String>,
    axis: Axis,
    parts: Vec<Part>,
}

/// The last grids.
#[derive(Default)]
pub(super) struct Grids {
    key: Option<Key>,
    /// The newest first.
    kept: Vec<Rc<Grid>>,
}

/// Grids that are kept: that of now, and those of the levels beside it.
const KEPT: usize = 3;

impl Grids {
    pub(super) fn get(
        &mut self,
        accesses: &Accesses,
        look: &AccessScope,
        axis: &Axis,
        tiling: &Tiling,
    ) -> Rc<Grid> {
        let key = Key {
            n: accesses.len(),
            filter: look.filter.clone(),
            is_time: look.is_time,
            color: look.color.clone(),
            axis: axis.clone(),
            parts: tiling.parts.clone(),
        };
        if self.key.as_ref() != Some(&key) {
            self.kept.clear();
            self.key = Some(key);
        }
        if let Some(kept) = self.kept.iter().find(|grid| grid.tiling == *tiling) {
            return kept.clone();
        }
        let grid = Rc::new(self.count(accesses, look, axis, tiling));
        self.kept.retain(|kept| kept.tiling.level != tiling.level);
        self.kept.insert(0, grid.clone());
        self.kept.truncate(KEPT);
        grid
    }

    fn count(&self, accesses: &Accesses, look: &AccessScope, axis: &Axis, tiling: &Tiling) -> Grid {
        let height: usize = tiling.parts.iter().map(|p| p.n as usize).sum();
        let groups = Groups::new(accesses, &look.filter, look.color.as_deref());
        let n_groups = groups.len();
        let len = height * n_groups;
        let n_columns = tiling.columns.end.saturating_sub(tiling.columns.start) as usize;
        let mut counts = vec![0; len * n_columns];
        let level = |level: Option<u32>| self.kept.iter().find(move |g| Some(g.tiling.level) == level);
        let (same, finer) = (level(Some(tiling.level)), level(tiling.level.checked_sub(1)));
        let across = Across::new(accesses, look.is_time);
        let mut counter = Counter::new(accesses, across, groups, axis, tiling, height);
        for (at, number) in tiling.columns.clone().enumerate() {
            let out = &mut counts[at * len..(at + 1) * len];
            if let Some(column) = same.and_then(|g| g.own(number)) {
                out.copy_from_slice(column);
                continue;
            }
            let halves = finer.and_then(|g| Some((g.own(number * 2)?, g.own(number * 2 + 1)?)));
            match halves {
                Some((a, b)) => {
                    for ((n, a), b) in out.iter_mut().zip(a).zip(b) {
                        *n = a + b;
                    }
                }
                None => counter.column(number, out),
            }
        }
        let most = counts.chunks_exact(n_groups).map(|cell| cell.iter().sum()).max().unwrap_or(0);
        Grid { tiling: tiling.clone(), height, n_groups, counts, most }
    }
}

/// Counts one column after the other.
struct Counter<'a> {
    accesses: &'a Accesses,
    across: Across<'a>,
    groups: Groups,
    axis: &'a Axis,
    level: u32,
    /// By segment: its part, and where that begins in a column.
    places: Vec<Option<(Part, usize)>>,
    /// By space: its segments.
    of_space: Vec<Range<usize>>,
    /// How many more bars there are in a cell than in the one below it, by group; one cell more than the column.
    steps: Vec<Vec<i32>>,
    is_used: Vec<bool>,
}

impl<'a> Counter<'a> {
    fn new(
        accesses: &'a Accesses,
        across: Across<'a>,
        groups: Groups,
        axis: &'a Axis,
        tiling: &Tiling,
        height: usize,
    ) -> Self {
        let mut places = vec![None; axis.segments.len()];
        let mut first = 0;
        for part in &tiling.parts {
            places[part.segment] = Some((part.clone(), first));
            // A step behind the last cell of a part must not reach the next one.
            first += part.n as usize + 1;
        }
        let n_spaces = accesses.attributes()[SPACE].values().len() as u32;
        let of_space = (0..n_spaces)
            .map(|space| {
                let is_own = |s: &super::Segment| s.space.is_none_or(|own| own == space);
                let from = axis.segments.iter().position(is_own).unwrap_or(0);
                let n = axis.segments[from..].iter().take_while(|s| is_own(s)).count();
                from..from + n
            })
            .collect();
        let steps = vec![vec![0; height + tiling.parts.len() + 1]; groups.len()];
        let is_used = vec![false; groups.len()];
        Self { accesses, across, groups, axis, level: tiling.level, places, of_space, steps, is_used }
    }

    fn column(&mut self, number: u64, out: &mut [u32]) {
        let rows = self.across.rows(number << self.level..(number + 1) << self.level);
        let (classes, class, address) =
            (self.accesses.classes(), self.accesses.class_rows(), self.accesses.addresses());
        let mut recent = 0;
        for row in rows.start as usize..rows.end as usize {
            let Some(group) = self.groups.get(class[row]) else { continue };
            let start = address[row];
            let range = &self.of_space[classes[class[row] as usize].space() as usize];
            let holds =
                |at: usize| self.axis.segments.get(at).is_some_and(|s| s.start <= start && start <= s.last);
            if !(range.contains(&recent) && holds(recent)) {
                let Some(found) = range.clone().find(|&at| holds(at)) else { continue };
                recent = found;
            }
            let Some((part, first)) = &self.places[recent] else { continue };
            let last = last_of(start, self.accesses.bytes(row as u32));
            let (low, high) = (start >> part.shift, last >> part.shift);
            if high < part.first || part.first + u64::from(part.n) <= low {
                continue;
            }
            let low = low.saturating_sub(part.first) as usize;
            let high = (high - part.first).min(u64::from(part.n) - 1) as usize;
            let steps = &mut self.steps[group];
            steps[first + low] += 1;
            steps[first + high + 1] -= 1;
            self.is_used[group] = true;
        }
        self.add_up(out);
    }

    /// From steps to counts; the steps are empty afterwards.
    fn add_up(&mut self, out: &mut [u32]) {
        let n_groups = self.groups.len();
        for group in 0..n_groups {
            if !std::mem::take(&mut self.is_used[group]) {
                continue;
            }
            let mut at = 0;
            for (part, first) in self.places.iter().flatten() {
                let n = part.n as usize;
                let mut sum = 0;
                let cells = out[at * n_groups..(at + n) * n_groups].chunks_exact_mut(n_groups);
                for (cell, step) in cells.zip(&mut self.steps[group][*first..first + n]) {
                    sum += std::mem::take(step);
                    cell[group] = sum.cast_unsigned();
                }
                self.steps[group][first + n] = 0;
                at += n;
            }
        }
    }
}
