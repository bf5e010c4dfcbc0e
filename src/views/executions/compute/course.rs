//! The course of many threads along an axis: what the overview shows, and the lanes of groups.

use super::arrange::{Arranged, Group};
use super::run::{Axis, Run, Walk};
use super::summary::{Summary, lanes};
use super::{Executions, Launch, Program};
use std::ops::Range;

/// Most columns of a course.
const COLUMNS: usize = 256;
/// Executions that are taken in one piece, less where they reach over many columns.
const PIECE: usize = 1 << 15;

/// What all threads did along an axis.
#[derive(Debug, Default)]
pub struct Course {
    /// Columns of equal width over the whole axis.
    pub columns: Vec<Column>,
}

/// One column of a course.
#[derive(Clone, Copy, Debug, Default)]
pub struct Column {
    /// Executions that reach into it.
    pub sum: Summary,
    /// Active lanes times the part of the column, added up over all threads.
    pub active: f64,
}

/// The courses of all axes.
#[derive(Debug, Default)]
pub(super) struct Courses {
    of: [Course; 3],
    walk: Walk,
    at: usize,
}

impl Courses {
    pub(super) fn of(&self, axis: Axis) -> &Course {
        &self.of[axis as usize]
    }

    /// Makes a piece; false when all is there.
    pub(super) fn step(&mut self, launch: &Launch, program: &Program, arranged: &Arranged) -> bool {
        let Some(axis) = Axis::ALL.get(self.at).copied() else { return false };
        let run = Run { launch, program, arranged };
        if !run.has(axis) {
            self.at += 1;
            return true;
        }
        let length = run.end_of(axis);
        let n = if length < COLUMNS as f64 { length as usize } else { COLUMNS };
        let columns = &mut self.of[self.at].columns;
        columns.resize(n.max(1), Column::default());
        let per = n.max(1) as f64 / length;
        let executions = &launch.executions;
        let is_on = self.walk.piece_of(PIECE, executions, |_, part, all| {
            let mut cost = 0;
            for at in part {
                let (start, end) = run.span(axis, &all, at);
                let (from, to) = (start * per, end * per);
                let active = lanes(executions, at).map_or(f64::from(program.lanes), f64::from);
                let mut one = Summary::default();
                one.push(executions, at);
                let last = (to.ceil() as usize).max(from as usize + 1).min(columns.len());
                cost += last.saturating_sub(from as usize);
                for (column, to_column) in columns.iter_mut().enumerate().take(last).skip(from as usize) {
                    let part = to.min(column as f64 + 1.0) - from.max(column as f64);
                    to_column.active += active * part.max(0.0);
                    to_column.sum.merge(&one);
                }
            }
            cost
        });
        if !is_on {
            self.walk = Walk::default();
            self.at += 1;
        }
        self.at < self.of.len()
    }
}

/// Active lanes of groups by block ordinal, as sums of all before.
#[derive(Debug, Default)]
pub(super) struct GroupLanes {
    first: Vec<usize>,
    sums: Vec<u64>,
    walk: Walk,
    group: usize,
    /// How far sums are made; `None` while lanes are added up.
    summed: Option<usize>,
}

/// Sums that are made in one piece.
const SUMS: usize = 1 << 20;

impl GroupLanes {
    pub(super) fn step(&mut self, executions: &Executions, groups: &[Group], full: u32) -> bool {
        if let Some(from) = self.summed {
            let to = self.sums.len().min(from + SUMS);
            for at in from.max(1)..to {
                self.sums[at] += self.sums[at - 1];
            }
            self.summed = Some(to);
            return to < self.sums.len();
        }
        if self.first.is_empty() {
            let mut n = 0;
            for group in groups {
                self.first.push(n);
                n += group.longest as usize + 1;
            }
            self.sums = vec![0; n];
        }
        let Self { first, sums, walk, group, summed } = self;
        let is_on = walk.piece(executions, |thread, part, all| {
            while groups.get(*group).is_some_and(|group| group.threads.end as usize <= thread) {
                *group += 1;
            }
            let Some(begin) = first.get(*group) else { return };
            for at in part {
                let active = lanes(executions, at).map_or(u64::from(full), u64::from);
                // The sum before ordinal n + 1 has all up to n.
                if let Some(sum) = sums.get_mut(begin + (at - all.start) + 1) {
                    *sum += active;
                }
            }
        });
        if !is_on {
            *summed = Some(0);
        }
        true
    }

    pub(super) fn sum(&self, group: usize, ordinals: Range<u32>) -> u64 {
        let Some(begin) = self.first.get(group) else { return 0 };
        let end = self.first.get(group + 1).map_or(self.sums.len(), |end| *end).saturating_sub(1);
        let at = |ordinal: u32| self.sums.get((begin + ordinal as usize).min(end)).copied().unwrap_or(0);
        at(ordinals.end).saturating_sub(at(ordinals.start))
    }
}
