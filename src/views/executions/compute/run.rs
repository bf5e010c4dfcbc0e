//! One launch as it is looked at: where executions stand on an axis.

use super::arrange::Arranged;
use super::{Executions, Launch, Program};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Executions that are looked at in one piece: a few milliseconds.
const PIECE: usize = 1 << 17;

/// What the axis to the right counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Axis {
    /// Executions of blocks of the thread.
    #[default]
    Block,
    /// Instructions that the thread ran.
    Instruction,
    /// Time, where it was recorded.
    Time,
}

impl Axis {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Block, Self::Instruction, Self::Time];

    /// This one of what is kept for each of them.
    pub(super) fn of_each<T>(self, each: &[T; 3]) -> &T {
        let [block, instruction, time] = each;
        match self {
            Self::Block => block,
            Self::Instruction => instruction,
            Self::Time => time,
        }
    }
}

/// The executions of a thread.
pub fn range(executions: &Executions, thread: usize) -> Range<usize> {
    let n = executions.block.len();
    let at = |thread: usize| executions.starts.get(thread).map_or(n, |start| (*start as usize).min(n));
    let start = at(thread);
    start..at(thread + 1).max(start)
}

/// How far all executions were walked through, thread by thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    thread: usize,
    at: usize,
}

impl Walk {
    /// Hands over the next executions: thread, a part of its executions, and all of them. False when no more follow.
    pub(super) fn piece(
        &mut self,
        executions: &Executions,
        mut take: impl FnMut(usize, Range<usize>, Range<usize>),
    ) -> bool {
        self.piece_of(PIECE, executions, |thread, part, all| {
            take(thread, part, all);
            0
        })
    }

    /// The same with room for so many executions; what is handed over says what it cost beyond one each.
    pub(super) fn piece_of(
        &mut self,
        mut room: usize,
        executions: &Executions,
        mut take: impl FnMut(usize, Range<usize>, Range<usize>) -> usize,
    ) -> bool {
        let threads = executions.starts.len().saturating_sub(1);
        while self.thread < threads && 0 < room {
            let all = range(executions, self.thread);
            let from = self.at.clamp(all.start, all.end);
            let part = from..all.end.min(from + room);
            // A thread costs something too.
            room = room.saturating_sub(part.len() + 1);
            self.at = part.end;
            let (thread, is_whole) = (self.thread, part.end == all.end);
            self.thread += usize::from(is_whole);
            room = room.saturating_sub(take(thread, part, all));
        }
        self.thread < threads
    }
}

/// A launch as it is looked at.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    pub launch: &'a Launch,
    pub program: &'a Program,
    pub arranged: &'a Arranged,
}

impl<'a> Run<'a> {
    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.launch.executions.starts.len().saturating_sub(1)
    }

    /// The executions of a thread.
    pub fn range(&self, thread: u32) -> Range<usize> {
        range(&self.launch.executions, thread as usize)
    }

    /// The thread of an execution.
    pub fn thread(&self, execution: u32) -> Option<u32> {
        let starts = &self.launch.executions.starts;
        let after = starts.partition_point(|start| *start <= execution);
        let thread = after.checked_sub(1).filter(|thread| thread + 1 < starts.len())?;
        self.range(thread as u32).contains(&(execution as usize)).then_some(thread as u32)
    }

    /// Row of the block of an execution.
    pub fn block(&self, execution: usize) -> u32 {
        self.launch.executions.block.get(execution).copied().unwrap_or(super::NO_BLOCK)
    }

    /// What a block is called.
    pub fn label(&self, block: u32) -> &'a str {
        self.program.blocks.get(block as usize).map_or("?", |block| &block.label)
    }

    /// Instructions of an execution; one where its block is not known, so that it is seen.
    fn length(&self, execution: usize) -> u32 {
        length(self.program, self.block(execution))
    }

    /// Whether the axis can be chosen.
    pub fn has(&self, axis: Axis) -> bool {
        axis != Axis::Time || self.arranged.has_time
    }

    /// Where the axis ends, at least 1.
    pub fn end_of(&self, axis: Axis) -> f64 {
        (*axis.of_each(&self.arranged.lengths)).max(1) as f64
    }

    fn time(&self, execution: usize) -> u64 {
        let times =
            if self.arranged.times.is_empty() { &self.launch.executions.time } else { &self.arranged.times };
        times.get(execution).map_or(0, |time| time.saturating_sub(self.arranged.origin))
    }

    /// Where an execution of a thread begins and ends.
    pub fn span(&self, axis: Axis, all: &Range<usize>, execution: usize) -> (f64, f64) {
        match axis {
            Axis::Block => {
                let at = execution.saturating_sub(all.start) as f64;
                (at, at + 1.0)
            }
            Axis::Instruction => {
                let at = self.arranged.ordinal(execution);
                (f64::from(at), f64::from(at) + f64::from(self.length(execution)))
            }
            Axis::Time => {
                let start = self.time(execution);
                let next = execution + 1;
                let end = if next < all.end { self.time(next) } else { start.saturating_add(1) };
                (start as f64, end as f64)
            }
        }
    }

    /// The first execution of a part that ends behind a place.
    pub fn behind(&self, axis: Axis, all: &Range<usize>, part: Range<usize>, place: f64) -> usize {
        first(part, |at| place < self.span(axis, all, at).1)
    }

    /// The first execution of a part that begins at a place or behind it.
    pub fn from(&self, axis: Axis, all: &Range<usize>, part: Range<usize>, place: f64) -> usize {
        first(part, |at| place <= self.span(axis, all, at).0)
    }
}

/// Instructions of a block; one where it is not known.
pub(super) fn length(program: &Program, block: u32) -> u32 {
    program.blocks.get(block as usize).map_or(1, |block| block.len.max(1))
}

/// The first of a range for which something holds, that holds for all behind it too.
fn first(part: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (part.start, part.end.max(part.start));
    while from < to {
        let middle = from + (to - from) / 2;
        if holds(middle) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    from
}
