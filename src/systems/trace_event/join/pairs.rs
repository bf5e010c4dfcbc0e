//! Begins and ends become slices: `B`/`E` of a thread, `b`/`e` of an asynchronous id.
//!
//! The rule, in the order of the file:
//! 1. An end closes the innermost open begin of its name; an end without a name closes the innermost.
//! 2. An end that no open begin is named like waits until the time goes on. A begin of its name at the same time makes a
//!    slice without length with it; else it closes the innermost begin that was open when it came, and both names are
//!    said.
//! 3. An end that finds nothing open is tried again at the end of the file against the begins that are still open (files
//!    that are not in order of time), latest begin of its name first. What is left is shown as an instant.
//! 4. A begin that is never closed lasts to the end of the trace. That is normal where recording stopped inside it, but
//!    not where a slice around it has ended before.
//!
//! Everything that is not plain is said as a fault.

use crate::base::order;
use crate::base::time::Ticks;
use crate::model::id::{StrId, TrackId};
use crate::model::slice::SliceRow;
use crate::model::strings::Strings;
use std::collections::VecDeque;

/// A begin that waits for its end.
#[derive(Clone, Copy)]
pub(crate) struct Begin {
    pub(crate) track: TrackId,
    pub(crate) row: SliceRow,
    /// Number of the event in the file.
    pub(crate) event: u64,
    /// Whether a slice around it has ended.
    pub(crate) is_outside: bool,
}

impl Begin {
    /// A begin inside all that are open.
    pub(crate) fn new(track: TrackId, row: SliceRow, event: u64) -> Self {
        Self { track, row, event, is_outside: false }
    }
}

/// An end that waits for its begin.
#[derive(Clone, Copy)]
pub(crate) struct End {
    pub(crate) track: TrackId,
    pub(crate) time: Ticks,
    pub(crate) name: StrId,
    pub(crate) category: StrId,
    /// Its bytes in the entry.
    pub(crate) detail: (u64, u32),
    /// Number of the event in the file.
    pub(crate) event: u64,
}

/// What came of begins and ends.
pub(crate) enum Outcome {
    /// A slice; its length is set.
    Slice(Begin),
    /// A slice whose end has another name.
    Mismatch(Begin, End),
    /// A slice that ends while ones that began later go on.
    Crossed(Begin, End),
    /// A slice whose end stands before its begin in the file.
    Backwards(Begin, End),
    /// An end without a begin.
    Orphan(End),
    /// A begin without an end.
    Open(Begin),
}

/// How many open begins an end looks at: a stack of a hundred thousand must not cost a walk for each end.
const LOOK_BACK: usize = 4096;

/// Begins and ends of one thread or one id.
#[derive(Default)]
struct Stack {
    open: Vec<Begin>,
    /// Ends that no open begin is named like, of one time.
    waiting: VecDeque<End>,
    /// Ends that found nothing open.
    strays: Vec<End>,
}

/// All stacks.
#[derive(Default)]
pub(crate) struct Pairs {
    stacks: Vec<Stack>,
}

impl Pairs {
    /// A begin. What comes of it is appended to `out`.
    pub(crate) fn begin(&mut self, stack: usize, begin: Begin, out: &mut Vec<Outcome>) {
        let stack = self.stack(stack);
        stack.settle(begin.row.start, out);
        let is_same = |e: &End| e.name == begin.row.name && e.time == begin.row.start;
        match stack.waiting.iter().position(is_same) {
            Some(at) => {
                let ends = stack.waiting.remove(at).into_iter();
                out.extend(ends.map(|end| Outcome::Backwards(lasting(begin, end.time), end)));
            }
            None => stack.open.push(begin),
        }
    }

    /// An end. What comes of it is appended to `out`.
    pub(crate) fn end(&mut self, stack: usize, end: End, out: &mut Vec<Outcome>) {
        let stack = self.stack(stack);
        stack.settle(end.time, out);
        if let Some(at) = stack.find(&end) {
            let is_innermost = at + 1 == stack.open.len();
            let begin = lasting(stack.open.remove(at), end.time);
            stack.open.iter_mut().skip(at).for_each(|inner| inner.is_outside = true);
            out.push(if is_innermost { Outcome::Slice(begin) } else { Outcome::Crossed(begin, end) });
            return;
        }
        if LOOK_BACK <= stack.waiting.len() {
            stack.settle_first(out);
        }
        stack.waiting.push_back(end);
    }

    /// The outermost open begin of a stack.
    pub(crate) fn outermost(&self, stack: usize) -> Option<&Begin> {
        self.stacks.get(stack).and_then(|s| s.open.first())
    }

    /// Whether nothing of a stack waits any more.
    pub(crate) fn is_idle(&self, stack: usize) -> bool {
        self.stacks
            .get(stack)
            .is_none_or(|s| s.open.is_empty() && s.waiting.is_empty() && s.strays.is_empty())
    }

    /// The latest time of what waits.
    pub(crate) fn latest(&self) -> Option<Ticks> {
        let begins = self.stacks.iter().flat_map(|stack| &stack.open).map(|begin| begin.row.start);
        let ends = self.stacks.iter().flat_map(|stack| stack.waiting.iter().chain(&stack.strays));
        begins.chain(ends.map(|end| end.time)).max()
    }

    /// Nothing follows: everything that waits comes to something. `last` is the end of the trace.
    pub(crate) fn finish(&mut self, last: Ticks, out: &mut Vec<Outcome>) {
        for mut stack in std::mem::take(&mut self.stacks) {
            stack.settle(Ticks::MAX, out);
            order::sort_by_key(&mut stack.strays, |e| e.time);
            if !stack.strays.is_empty() {
                order::sort_by_key(&mut stack.open, |b| b.row.start);
            }
            for end in std::mem::take(&mut stack.strays) {
                match stack.find(&end) {
                    Some(at) => {
                        out.push(Outcome::Backwards(lasting(stack.open.remove(at), end.time), end));
                    }
                    None => out.push(Outcome::Orphan(end)),
                }
            }
            out.extend(stack.open.drain(..).map(|begin| Outcome::Open(lasting(begin, last))));
        }
    }

    fn stack(&mut self, at: usize) -> &mut Stack {
        if self.stacks.len() <= at {
            self.stacks.resize_with(at + 1, Stack::default);
        }
        // The stack was just made if it was missing.
        #[allow(clippy::indexing_slicing)]
        &mut self.stacks[at]
    }
}

impl Stack {
    /// The begin that an end closes by rule 1.
    fn find(&self, end: &End) -> Option<usize> {
        let fits =
            |b: &Begin| (end.name == Strings::EMPTY || b.row.name == end.name) && b.row.start <= end.time;
        let first = self.open.len().saturating_sub(LOOK_BACK);
        self.open.iter().skip(first).rposition(fits).map(|at| first + at)
    }

    /// The time went on to `now`: ends that waited close the innermost begin, or become strays.
    fn settle(&mut self, now: Ticks, out: &mut Vec<Outcome>) {
        while self.waiting.front().is_some_and(|e| e.time < now || now == Ticks::MAX) {
            self.settle_first(out);
        }
    }

    fn settle_first(&mut self, out: &mut Vec<Outcome>) {
        let Some(end) = self.waiting.pop_front() else { return };
        // Begins that stand behind the end in the file are left to their own ends, and to rule 3.
        let fits = |b: &Begin| b.event < end.event && b.row.start <= end.time;
        let first = self.open.len().saturating_sub(LOOK_BACK);
        match self.open.iter().skip(first).rposition(fits) {
            Some(at) => {
                let begin = self.open.remove(first + at);
                out.push(Outcome::Mismatch(lasting(begin, end.time), end));
            }
            None => self.strays.push(end),
        }
    }
}

/// The begin with its length.
fn lasting(mut begin: Begin, end: Ticks) -> Begin {
    begin.row.dur = end.saturating_sub(begin.row.start).max(0);
    begin
}
