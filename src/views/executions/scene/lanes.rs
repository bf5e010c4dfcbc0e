//! The lanes: boxes of executions, columns where these are too narrow, lanes of groups.

use super::layout::{Layout, lane_rect};
use super::{Inks, Plot, Tint, put};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::number::thousands;
use crate::base::words::phrase;
use crate::draw::style::{DrawStyle, LABEL, S2, T1, T3};
use crate::scene::palette::Ink;
use crate::scene::{Align, Shape, SpanRect, SpanStyle, text};
use crate::views::executions::compute::{Axis, Summary};

/// Boxes are drawn from this width on.
const BOX: Px = 3.0;
/// Corner marks stand on boxes of this width; below them is a line.
const CORNER_BOX: Px = 8.0;
/// Sides of a corner mark.
const CORNER: Px = 6.0;
/// The fill is never lower.
const LEAST: Px = 2.0;
/// Threads of a group that are looked at for a column where no sums were prepared.
const SAMPLES: usize = 8;

/// What lanes are painted with.
pub(super) struct Painter<'a> {
    pub(super) plot: &'a Plot<'a>,
    pub(super) layout: &'a Layout,
    pub(super) inks: &'a Inks,
    /// What is not left.
    pub(super) field: Rect,
}

/// What is drawn of a lane: an execution, or those of a pixel.
enum Piece {
    Box { at: usize, x0: Px, x1: Px },
    Column { x: Px, sum: Summary },
}

impl Painter<'_> {
    /// Hands over what is drawn of a thread, from left to right.
    fn walk(&self, thread: u32, mut take: impl FnMut(Piece)) {
        let (run, axis, layout) = (self.plot.run, self.plot.axis, self.layout);
        let all = run.range(thread);
        let (from, to) = layout.window;
        let mut at = run.behind(axis, &all, all.clone(), from);
        let end = run.from(axis, &all, at..all.end, to);
        let x_of = |at: usize| {
            let (start, end) = run.span(axis, &all, at);
            (layout.x(start), layout.x(end))
        };
        while at < end {
            let (x0, x1) = x_of(at);
            if BOX <= x1 - x0 {
                take(Piece::Box { at, x0, x1 });
                at += 1;
                continue;
            }
            let x = x0.floor().max(self.field.x);
            let until = layout.place(x + 1.0);
            let mut next = run.from(axis, &all, at..end, until).max(at + 1);
            // Only the last one that begins in a pixel can be wide.
            if at + 1 < next {
                let (x0, x1) = x_of(next - 1);
                next -= usize::from(BOX <= x1 - x0);
            }
            let sum = run.arranged.levels.sum(&run.launch.executions, thread as usize, at..next);
            take(Piece::Column { x, sum });
            at = next;
        }
    }

    /// How high the fill of a lane is.
    fn height(&self, sum: &Summary, h: Px) -> Px {
        let full = f64::from(self.plot.run.program.lanes.max(1));
        let share = sum.mean_lanes().map_or(1.0, |lanes| (lanes / full).min(1.0));
        (h * share as Px).round().max(LEAST.min(h))
    }

    /// The lane of a thread.
    pub(super) fn thread(
        &self,
        thread: u32,
        row: Rect,
        look: &DrawStyle,
        spans: &mut Vec<SpanRect>,
        marks: &mut Vec<Shape>,
    ) {
        if self.plot.thread == Some(thread) {
            put(spans, self.field, row, (Ink::Token("sel"), 110));
        }
        let lane = lane_rect(row);
        self.boxes(thread, lane, look, spans, marks);
        self.end(thread, lane, look, marks);
    }

    /// What a thread ran.
    pub(super) fn boxes(
        &self,
        thread: u32,
        lane: Rect,
        look: &DrawStyle,
        spans: &mut Vec<SpanRect>,
        marks: &mut Vec<Shape>,
    ) {
        let executions = &self.plot.run.launch.executions;
        let mut fill = |x0: Px, x1: Px, sum: &Summary, tint: Tint| {
            let h = self.height(sum, lane.h);
            put(spans, self.field, Rect::new(x0, lane.y, x1 - x0, lane.h), (S2, 255));
            let before = spans.len();
            put(spans, self.field, Rect::new(x0, lane.bottom() - h, x1 - x0, h), tint);
            if 0 < sum.incomplete {
                spans.iter_mut().skip(before).for_each(|span| span.look = SpanStyle::Hatched);
            }
            if 0 < sum.divergent && x1 - x0 < CORNER_BOX {
                put(spans, self.field, Rect::new(x0, lane.bottom(), (x1 - x0).max(1.0), 2.0), (T1, 255));
            }
        };
        self.walk(thread, |piece| match piece {
            Piece::Column { x, sum } => fill(x, x + 1.0, &sum, self.inks.of(&sum)),
            Piece::Box { at, x0, x1 } => {
                let mut sum = Summary::default();
                sum.push(executions, at);
                let tint = self.inks.of(&sum);
                fill(x0, x1 - 1.0, &sum, tint);
                if 0 < sum.divergent && CORNER_BOX <= x1 - 1.0 - x0 {
                    let corner = [(0.0, 0.0), (CORNER, 0.0), (0.0, CORNER)];
                    let points = corner.map(|(x, y)| Point { x: x0 + x, y: lane.y + y });
                    marks.push(Shape::Polygon { points: points.into(), ink: T1 });
                }
                marks.extend(self.label((at, thread), (x0, x1), lane, tint, look));
            }
        });
    }

    /// The name of a box of the only lane: its block, or its number where there is one block.
    fn label(
        &self,
        (at, thread): (usize, u32),
        (x0, x1): (Px, Px),
        lane: Rect,
        tint: Tint,
        look: &DrawStyle,
    ) -> Option<Shape> {
        if lane.h < 20.0 {
            return None;
        }
        let (run, x0, x1) = (self.plot.run, x0.max(self.field.x), x1.min(self.field.right()));
        let words = if run.program.blocks.len() < 2 {
            thousands((at - run.range(thread).start) as u64)
        } else {
            run.label(run.block(at)).to_owned()
        };
        if x1 - x0 < text::width(&words, LABEL) + 10.0 {
            return None;
        }
        Some(Shape::Text {
            at: Point { x: x0 + 5.0, y: lane.bottom() - 6.0 },
            text: words,
            font: LABEL,
            ink: if tint.1 == 255 { look.ink_on(tint.0) } else { T1 },
            align: Align::Left,
            turn: 0.0,
        })
    }

    /// A word where the thread ends.
    fn end(&self, thread: u32, lane: Rect, look: &DrawStyle, marks: &mut Vec<Shape>) {
        let (run, axis) = (self.plot.run, self.plot.axis);
        let all = run.range(thread);
        let Some(last) = all.clone().next_back() else { return };
        let x = self.layout.x(run.span(axis, &all, last).1);
        let words = look.tr(phrase("ends"));
        if axis == Axis::Time || x < self.field.x || self.field.right() < x + 12.0 + text::width(words, LABEL)
        {
            return;
        }
        marks.push(Shape::Text {
            at: Point { x: x + 5.0, y: lane.y + lane.h / 2.0 + 4.0 },
            text: words.to_owned(),
            font: LABEL,
            ink: T3,
            align: Align::Left,
            turn: 0.0,
        });
    }

    /// Active lanes of all threads of a group, one value a pixel.
    pub(super) fn group(&self, group: u32, row: Rect, spans: &mut Vec<SpanRect>) {
        let Some(own) = self.plot.run.arranged.groups.get(group as usize) else { return };
        let full = own.threads.len() as f64 * f64::from(self.plot.run.program.lanes.max(1));
        let area = self.layout.area;
        let (bottom, most) = (row.bottom() - 3.0, row.h - 6.0);
        let tint = (Ink::Token("pk0"), 158);
        put(spans, self.field, Rect::new(area.x, row.y, area.w, row.h), (Ink::Token("s1"), 255));
        let mut run: Option<(Px, Px)> = None; // where equal columns begin, and how high they are
        let columns = area.w.ceil() as u32;
        for column in 0..=columns {
            let x = area.x + column as Px;
            let active = if column < columns { self.active(group, x) } else { -1.0 };
            let h = (most * (active / full).min(1.0) as Px).ceil();
            if run.is_some_and(|(_, before)| before == h) {
                continue;
            }
            if let Some((from, h)) = run.filter(|(_, h)| 0.0 < *h) {
                put(spans, self.field, Rect::new(from, bottom - h, x - from, h), tint);
            }
            run = Some((x, h));
        }
    }

    /// Active lanes of a group in the middle of a pixel, of all its threads.
    fn active(&self, group: u32, x: Px) -> f64 {
        let (run, axis) = (self.plot.run, self.plot.axis);
        let Some(own) = run.arranged.groups.get(group as usize) else { return 0.0 };
        let (from, to) = (self.layout.place(x), self.layout.place(x + 1.0));
        if axis == Axis::Block {
            let first = from.max(0.0) as u32;
            let end = (to as u32).max(first + 1);
            return run.arranged.group_lanes(group as usize, first..end) as f64 / f64::from(end - first);
        }
        let n = own.threads.len();
        let seen = n.min(SAMPLES);
        let mut sum = 0.0;
        for sample in 0..seen {
            let all = run.range(own.threads.start + (sample * n / seen) as u32);
            let at = run.behind(axis, &all, all.clone(), from);
            if at < all.end && run.span(axis, &all, at).0 < to {
                let mut one = Summary::default();
                one.push(&run.launch.executions, at);
                sum += one.mean_lanes().unwrap_or(f64::from(run.program.lanes));
            }
        }
        sum * n as f64 / seen.max(1) as f64
    }
}
