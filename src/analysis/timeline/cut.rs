//! Cuts a window out of a lane: what is drawn of it, never more than its width in pixels can show.
//!
//! A slice at least one column wide is drawn by itself; narrower ones are folded into the columns they lie in. The covered
//! share of a column is exact, and a column is there if and only if something lies in it. A cut costs a few looks at each
//! column, however many slices there are. Where there are only a few slices for each column they are gone through one by
//! one. Where there are many, only those at the edges between columns are looked at: a wide slice lies across an edge,
//! and what is covered between two edges is the difference of two sums.

use super::track::LaneRows;
use super::tree::{Edge, Tree};
use crate::base::time::Window;
use crate::base::time::{Span, Ticks};
use crate::model::chunked::Chunked;
use crate::model::id::StrId;

/// Up to so many slices for each column are gone through one by one.
pub const WALKED: usize = 4;

/// What is drawn of a lane, in order of time. Positions are columns from the left edge of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece {
    /// One slice, at least a column wide.
    Slice {
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
        /// The name with most time among them; of many that are close to each other one of these.
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

/// Which rows of a track the leaves of a tree are, and what they are called.
#[derive(Clone, Copy)]
pub struct Labels<'a> {
    /// Row of each leaf; none when they are not rows.
    pub rows: &'a LaneRows,
    /// Name of each row of the track.
    pub names: &'a Chunked<StrId>,
}

impl Labels<'_> {
    /// The row of a leaf.
    pub fn row(self, i: usize) -> u32 {
        self.rows.get(i).unwrap_or_default()
    }

    /// The name of a leaf; empty when leaves are not rows.
    pub fn name(self, i: usize) -> StrId {
        self.rows.get(i).and_then(|row| self.names.get(row as usize)).copied().unwrap_or_default()
    }
}

/// Cuts the window into `columns` columns and appends what is drawn; returns how many nodes and slices were looked at.
pub fn cut(tree: &Tree, labels: Labels, window: &Window, columns: usize, out: &mut Vec<Piece>) -> u64 {
    if tree.is_empty() {
        return 0;
    }
    let scale = Scale { window: *window, columns: columns as f64, per_tick: columns as f64 / window.dur };
    let mut cutter = Cutter { tree, labels, scale, out, looks: 2 };
    let (from, to) = (tree.edge(scale.tick(0)), tree.edge(scale.tick(columns)));
    if to.first - from.first <= WALKED * columns {
        cutter.walk(&from);
    } else {
        cutter.leap(columns);
    }
    cutter.looks
}

/// Times as columns.
#[derive(Clone, Copy)]
struct Scale {
    window: Window,
    columns: f64,
    per_tick: f64,
}

impl Scale {
    fn x(&self, t: Ticks) -> f64 {
        (t.saturating_sub(self.window.start) as f64 - self.window.part) * self.per_tick
    }

    fn is_wide(&self, span: Span) -> bool {
        1.0 <= span.dur() as f64 * self.per_tick
    }

    /// The first tick at the left edge of a column or right of it.
    fn tick(&self, column: usize) -> Ticks {
        let x = column as f64;
        let offset = (x * (self.window.dur / self.columns) + self.window.part).ceil();
        let mut t = self.window.start.saturating_add(offset as Ticks);
        // Rounding may be off by a tick.
        if self.x(t) < x {
            t = t.saturating_add(1);
        } else if x <= self.x(t.saturating_sub(1)) {
            t = t.saturating_sub(1);
        }
        t
    }
}

struct Cutter<'a> {
    tree: &'a Tree,
    labels: Labels<'a>,
    scale: Scale,
    out: &'a mut Vec<Piece>,
    looks: u64,
}

/// A column in the making.
struct Column {
    x: f64,
    share: f64,
    /// The leading name and by how much time it leads.
    common: StrId,
    weight: Ticks,
    /// Whether all that lies in it so far began before it.
    is_reached: bool,
}

impl Cutter<'_> {
    /// Goes through the slices one by one.
    fn walk(&mut self, from: &Edge) {
        let scale = self.scale;
        let mut open: Option<Column> = None;
        for (i, span) in self.tree.across(from) {
            let (x0, x1) = (scale.x(span.start), scale.x(span.end));
            if scale.columns <= x0 {
                break;
            }
            self.looks += 1;
            if x1 <= 0.0 && x0 < 0.0 {
                continue;
            }
            if scale.is_wide(span) {
                self.close(open.take());
                self.slice(i, span);
                continue;
            }
            let (left, name) = (x0.floor(), self.labels.name(i));
            if 0.0 <= left {
                match &mut open {
                    Some(column) if column.x == left => column.add(name, span.dur()),
                    _ => self.close(open.replace(Column::new(left, name, span.dur(), false))),
                }
                if let Some(column) = &mut open {
                    column.share += x1.min(left + 1.0) - x0;
                }
            }
            if left + 1.0 < x1 {
                let mut next = Column::new(left + 1.0, name, span.dur(), true);
                next.share = x1 - next.x;
                self.close(open.replace(next));
            }
        }
        self.close(open.take());
    }

    fn close(&mut self, column: Option<Column>) {
        if let Some(Column { x, share, common, .. }) = column.filter(|column| column.x < self.scale.columns) {
            self.column(x, share, common);
        }
    }

    /// Looks at the edges between columns only.
    fn leap(&mut self, columns: usize) {
        let scale = self.scale;
        let times: Vec<Ticks> = (0..=columns).map(|column| scale.tick(column)).collect();
        let mut edges = Vec::with_capacity(times.len());
        self.looks += self.tree.edges(&times, &mut edges);
        if let Some(edge) = edges.first().filter(|edge| 0 < edge.first)
            && scale.is_wide(edge.before)
            && 0.0 < scale.x(edge.before.end)
        {
            self.slice(edge.first - 1, edge.before);
        }
        for (column, pair) in edges.windows(2).enumerate() {
            if let [edge, next] = pair {
                self.between(column as f64, edge, next);
            }
        }
    }

    /// Draws the column at `x` between two edges: the narrow slices that start in it, and the one that reaches into it.
    fn between(&mut self, x: f64, edge: &Edge, next: &Edge) {
        let scale = self.scale;
        let reach = scale.x(edge.before.end) - x;
        let is_reached = 0 < edge.first && 0.0 < reach && !scale.is_wide(edge.before);
        let mut to = next.first;
        if edge.first == to && !is_reached {
            return;
        }
        let mut covered = next.covered.wrapping_sub(edge.covered) as f64 * scale.per_tick;
        let is_wide = edge.first < to && scale.is_wide(next.before);
        if is_wide {
            to -= 1;
            let dur = next.before.dur() as u64;
            covered = next.covered.wrapping_sub(edge.covered).wrapping_sub(dur) as f64 * scale.per_tick;
        } else if edge.first < to {
            covered -= (scale.x(next.before.end) - (x + 1.0)).max(0.0);
        }
        if is_reached {
            covered += reach;
        }
        // The slice that reaches in counts for the color only when nothing starts here.
        let from = if edge.first < to || !is_reached { edge.first } else { edge.first - 1 };
        let common = if self.labels.rows.is_empty() {
            (from < to).then(Default::default)
        } else {
            self.tree.glance(edge, (from, to), |i| self.labels.name(i))
        };
        if let Some((common, looks)) = common {
            self.looks += looks;
            self.column(x, covered, common);
        }
        if is_wide {
            self.slice(to, next.before);
        }
    }

    fn column(&mut self, x: f64, share: f64, common: StrId) {
        self.out.push(Piece::Column { x: x as u32, share: share.clamp(0.0, 1.0) as f32, common });
    }

    fn slice(&mut self, i: usize, span: Span) {
        let (x0, x1) = (self.scale.x(span.start), self.scale.x(span.end));
        let (x0, x1) = (x0.max(-4.0), x1.min(self.scale.columns + 4.0));
        self.out.push(Piece::Slice { row: self.labels.row(i), x0, x1 });
    }
}

impl Column {
    fn new(x: f64, name: StrId, dur: Ticks, is_reached: bool) -> Self {
        Self { x, share: 0.0, common: name, weight: dur, is_reached }
    }

    /// Takes in a slice that starts in it.
    fn add(&mut self, name: StrId, dur: Ticks) {
        if self.is_reached {
            (self.common, self.weight, self.is_reached) = (name, dur, false);
        } else if self.common == name {
            self.weight = self.weight.saturating_add(dur);
        } else if self.weight < dur {
            (self.common, self.weight) = (name, dur - self.weight);
        } else {
            self.weight -= dur;
        }
    }
}

/// What lies in a span, exactly. Costs the slices in it. A slice without length lies in the span that contains its start.
pub fn fold(tree: &Tree, labels: Labels, span: Span) -> Fold {
    let (first, after) = (tree.edge(span.start), tree.edge(span.end));
    let is_reached = 0 < first.first && span.start < first.before.end;
    let from = if is_reached { first.first - 1 } else { first.first };
    let n = after.first.saturating_sub(from);
    let mut longest: Option<(u32, Ticks)> = None;
    for (i, leaf) in tree.across(&first).skip_while(|&(i, _)| i < from).take(n) {
        if longest.is_none_or(|(_, dur)| dur < leaf.dur()) {
            longest = Some((labels.row(i), leaf.dur()));
        }
    }
    Fold { n: n as u64, covered: between(&first, &after, span), longest }
}

/// How many ticks of a span are covered. Costs the logarithm of the slices.
pub fn covered(tree: &Tree, span: Span) -> Ticks {
    between(&tree.edge(span.start), &tree.edge(span.end), span)
}

/// How many ticks of a span are covered, when its ends are at these edges.
fn between(first: &Edge, after: &Edge, span: Span) -> Ticks {
    if span.is_empty() {
        return 0;
    }
    let reach =
        if 0 < first.first { first.before.end.min(span.end).saturating_sub(span.start).max(0) } else { 0 };
    let over = if first.first < after.first { after.before.end.saturating_sub(span.end).max(0) } else { 0 };
    let covered = Ticks::try_from(after.covered.wrapping_sub(first.covered)).unwrap_or(Ticks::MAX);
    covered.saturating_sub(over).saturating_add(reach)
}
