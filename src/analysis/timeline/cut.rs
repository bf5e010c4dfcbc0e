//! Cuts a window out of a lane: what is drawn of it, never more than its width in pixels can show.
//!
//! A slice at least one column wide is drawn by itself; narrower ones are folded into the columns they lie in. The covered
//! share of a column is exact, and a column is there if and only if something lies in it. A cut costs a few looks at each
//! column that is not empty, however many slices there are: a wide slice lies across an edge between columns, so only the
//! slices at the edges are looked at one by one, and what is covered between two edges is the difference of two sums.

use super::tree::{FAN, Leaves, Tree};
use crate::base::time::Window;
use crate::base::time::{Span, Ticks};
use crate::model::id::StrId;

/// What is drawn of a lane, in order of time. Positions are columns from the left edge of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece {
    /// One slice, at least a column wide.
    Slice {
        /// Its row.
        row: u32,
        /// Its left edge; cut to a little outside of the window.
        x0: f64,
        /// Its right edge, likewise.
        x1: f64,
    },
    /// Slices narrower than a column.
    Column {
        /// Which column.
        x: u32,
        /// Which share of it they cover, 0 to 1; 0 when they have no length.
        share: f32,
        /// Row of the longest, or of one of the longest when there are many.
        longest: u32,
        /// The name with most time among them.
        common: StrId,
    },
}

/// What lies in a stretch of time of one lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fold {
    /// How many slices.
    pub n: u64,
    /// How many ticks they cover inside.
    pub covered: Ticks,
    /// Row and length of the longest, whole; `None` when there is none.
    pub longest: Option<(u32, Ticks)>,
}

/// Cuts the window into `columns` columns and appends what is drawn; returns how many nodes and slices were looked at.
pub fn cut(tree: &Tree, leaves: &impl Leaves, window: &Window, columns: usize, out: &mut Vec<Piece>) -> u64 {
    let per_tick = columns as f64 / window.dur;
    let mut cutter =
        Cutter { tree, leaves, window, columns: columns as f64, per_tick, out, stride: 1, looks: 0 };
    cutter.run();
    cutter.looks
}

struct Cutter<'a, L> {
    tree: &'a Tree,
    leaves: &'a L,
    window: &'a Window,
    columns: f64,
    per_tick: f64,
    out: &'a mut Vec<Piece>,
    /// How many blocks the last edge was away from the one before it.
    stride: usize,
    looks: u64,
}

/// One edge between columns.
#[derive(Clone, Copy)]
struct Edge {
    /// First leaf that starts at the edge or right of it.
    first: usize,
    /// How many ticks the leaves before that one cover.
    before: Ticks,
}

impl<L: Leaves> Cutter<'_, L> {
    fn x(&self, t: Ticks) -> f64 {
        (t.saturating_sub(self.window.start) as f64 - self.window.part) * self.per_tick
    }

    fn edges(&self, i: usize) -> (f64, f64) {
        let span = self.leaves.span(i);
        (self.x(span.start), self.x(span.end))
    }

    fn is_wide(&self, i: usize) -> bool {
        1.0 <= self.leaves.dur(i) as f64 * self.per_tick
    }

    fn run(&mut self) {
        let n = self.leaves.len();
        let mut edge = self.edge(0.0, 0);
        // A wide slice that reaches into the window.
        if let Some(last) = edge.first.checked_sub(1)
            && self.is_wide(last)
            && 0.0 < self.edges(last).1
        {
            self.slice(last);
        }
        let mut x = 0.0;
        while x < self.columns {
            let before = edge.first.checked_sub(1).map(|i| (i, self.edges(i).1)).filter(|&(_, x1)| x < x1);
            let over = before.filter(|&(i, _)| self.is_wide(i)).map(|(_, x1)| x1);
            if let Some(x1) = over.filter(|&x1| x + 1.0 <= x1) {
                // The column is covered by one slice: on to where it ends.
                x = x1.floor();
                continue;
            }
            let is_open = before.is_some() && over.is_none();
            if !is_open {
                // On to the column where the next slice starts.
                let next = if edge.first < n { self.x(self.leaves.start(edge.first)) } else { self.columns };
                if x + 1.0 <= next {
                    x = next.floor();
                    continue;
                }
            }
            let next = self.edge(x + 1.0, edge.first);
            self.column(x, edge, next, if is_open { before } else { None });
            (x, edge) = (x + 1.0, next);
        }
    }

    /// Draws the column at `x`: the narrow slices that start in it, and `before` it the one that reaches into it.
    fn column(&mut self, x: f64, edge: Edge, next: Edge, before: Option<(usize, f64)>) {
        let (mut to, mut covered) = (next.first, next.before.saturating_sub(edge.before));
        let wide = to.checked_sub(1).filter(|&last| edge.first < to && self.is_wide(last));
        if let Some(last) = wide {
            to = last;
            covered = covered.saturating_sub(self.leaves.dur(last));
        }
        let mut share = covered as f64 * self.per_tick;
        if edge.first < to {
            share -= (self.edges(to - 1).1 - (x + 1.0)).max(0.0);
        }
        if let Some((_, x1)) = before {
            share += x1 - x;
        }
        // The slice that reaches in counts for the color only when nothing starts here.
        let from = before.map_or(edge.first, |(i, _)| if edge.first < to { edge.first } else { i });
        if let Some((info, looks)) = self.tree.glance(self.leaves, from, to) {
            self.looks += looks;
            let share = share.clamp(0.0, 1.0) as f32;
            self.out.push(Piece::Column { x: x as u32, share, longest: info.longest, common: info.common });
        }
        if let Some(last) = wide {
            self.slice(last);
        }
    }

    fn slice(&mut self, i: usize) {
        let (x0, x1) = self.edges(i);
        let (x0, x1) = (x0.max(-4.0), x1.min(self.columns + 4.0));
        self.out.push(Piece::Slice { row: self.leaves.row(i), x0, x1 });
    }

    /// The edge at `x`; leaf `from` is known not to start right of it, or to be the first that does.
    fn edge(&mut self, x: f64, from: usize) -> Edge {
        let first = self.seek(x, from);
        let (before, looks) = self.tree.covered_before(self.leaves, first);
        self.looks += looks;
        Edge { first, before }
    }

    /// The first leaf from `from` on that starts at `x` or right of it.
    fn seek(&mut self, x: f64, from: usize) -> usize {
        let n = self.leaves.len();
        self.looks += 1;
        if n <= from || x <= self.x(self.leaves.start(from)) {
            return from;
        }
        let block = self.seek_block(x, from / FAN);
        self.stride = (block - from / FAN).max(1);
        let (first, last) = (from.max(block * FAN), ((block + 1) * FAN).min(n));
        for i in first..last {
            self.looks += 1;
            if x <= self.x(self.leaves.start(i)) {
                return i;
            }
        }
        last
    }

    /// The last block that starts left of `x`, or `low` itself. Leaps as far as the last time, then closes in.
    fn seek_block(&mut self, x: f64, mut low: usize) -> usize {
        let starts = self.tree.starts();
        let mut step = self.stride;
        let mut high = low + step + 1;
        while high < starts.len() && self.x(starts[high]) < x {
            low = high;
            step *= 2;
            high = low + step;
            self.looks += 1;
        }
        high = high.min(starts.len());
        // Slices are spread evenly more often than not: guess where the edge is a few times before halving.
        for guess in 0.. {
            if high <= low + 1 {
                break;
            }
            self.looks += 1;
            let mid = if guess < 3 && high < starts.len() {
                let (x0, x1) = (self.x(starts[low]), self.x(starts[high]));
                let share = ((x - x0) / (x1 - x0)).clamp(0.0, 1.0);
                (low + (share * (high - low) as f64) as usize).clamp(low + 1, high - 1)
            } else {
                usize::midpoint(low, high)
            };
            if self.x(starts[mid]) < x {
                low = mid;
            } else {
                high = mid;
            }
        }
        low
    }
}

/// What lies in a span, exactly. Costs the logarithm of the slices. A slice without length lies in the span that
/// contains its start.
pub fn fold(tree: &Tree, leaves: &impl Leaves, span: Span) -> Fold {
    let (first, after) = (tree.first_from(leaves, span.start), tree.first_from(leaves, span.end));
    let covered_before = |i: usize| tree.covered_before(leaves, i).0;
    let mut covered = covered_before(after).saturating_sub(covered_before(first));
    if first < after {
        covered = covered.saturating_sub(leaves.span(after - 1).end.saturating_sub(span.end).max(0));
    }
    // The one before the first may reach into the span.
    let before = first.checked_sub(1).map(|i| (i, leaves.span(i).end)).filter(|&(_, end)| span.start < end);
    let from = before.map_or(first, |(i, _)| i);
    if let Some((_, end)) = before {
        covered = covered.saturating_add(end.min(span.end).saturating_sub(span.start));
    }
    let longest = tree.look(leaves, from, after.max(first)).map(|info| (info.longest, info.longest_dur));
    Fold { n: (after.max(first) - from) as u64, covered, longest }
}
