//! The course of many threads along an axis: what the overview shows, and the lanes of groups.

use super::arrange::{Arranged, Group};
use super::run::{Axis, Run, Walk};
use super::summary::{Summary, lanes};
use super::{Executions, Launch, Program};
use crate::base::job::{Turn, pieces};
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
pub(super) struct Courses([Course; 3]);

impl Courses {
    pub(super) fn of(&self, axis: Axis) -> &Course {
        &self.0[axis as usize]
    }
}

/// The courses of all axes that a launch has.
pub(super) async fn courses(launch: &Launch, program: &Program, arranged: &Arranged, turn: &Turn) -> Courses {
    let mut courses = Courses::default();
    let run = Run { launch, program, arranged };
    let executions = &launch.executions;
    for axis in Axis::ALL.into_iter().filter(|axis| run.has(*axis)) {
        let length = run.end_of(axis);
        let n = if length < COLUMNS as f64 { length as usize } else { COLUMNS };
        let columns = &mut courses.0[axis as usize].columns;
        columns.resize(n.max(1), Column::default());
        let per = n.max(1) as f64 / length;
        let mut walk = Walk::default();
        while walk.piece_of(PIECE, executions, |_, part, all| {
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
        }) {
            turn.pause().await;
        }
    }
    courses
}

/// Active lanes of groups by block ordinal, as sums of all before.
#[derive(Debug, Default)]
pub(super) struct GroupLanes {
    first: Vec<usize>,
    sums: Vec<u64>,
}

/// Sums that are made between two pauses.
const SUMS: usize = 1 << 20;

impl GroupLanes {
    /// Adds them up; lanes that were not recorded are `full`.
    pub(super) async fn of(executions: &Executions, groups: &[Group], full: u32, turn: &Turn) -> Self {
        let (mut first, mut n) = (Vec::with_capacity(groups.len()), 0);
        for group in groups {
            first.push(n);
            n += group.longest as usize + 1;
        }
        let mut sums = vec![0; n];
        let (mut walk, mut group) = (Walk::default(), 0);
        while walk.piece(executions, |thread, part, all| {
            while groups.get(group).is_some_and(|group| group.threads.end as usize <= thread) {
                group += 1;
            }
            let Some(begin) = first.get(group) else { return };
            for at in part {
                let active = lanes(executions, at).map_or(u64::from(full), u64::from);
                // The sum before ordinal n + 1 has all up to n.
                if let Some(sum) = sums.get_mut(begin + (at - all.start) + 1) {
                    *sum += active;
                }
            }
        }) {
            turn.pause().await;
        }
        for piece in pieces(n, SUMS) {
            for at in piece.start.max(1)..piece.end {
                sums[at] += sums[at - 1];
            }
            turn.pause().await;
        }
        Self { first, sums }
    }

    pub(super) fn sum(&self, group: usize, ordinals: Range<u32>) -> u64 {
        let Some(begin) = self.first.get(group) else { return 0 };
        let end = self.first.get(group + 1).map_or(self.sums.len(), |end| *end).saturating_sub(1);
        let at = |ordinal: u32| self.sums.get((begin + ordinal as usize).min(end)).copied().unwrap_or(0);
        at(ordinals.end).saturating_sub(at(ordinals.start))
    }
}
