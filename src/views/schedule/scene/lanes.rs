//! The lanes: blocks, the gaps between them, and the time before the first and after the last.

use super::{EDGE, Layout, MOST_LANES, Plot, color, lane_rect, put};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::number::thousands;
use crate::draw::style::{DrawStyle, LABEL, S2, T3};
use crate::scene::palette::Ink;
use crate::scene::{Align, Shape, SpanRect, SpanStyle, text};

/// Colors that are told apart.
const COLORS: usize = 64;
/// Gaps are drawn from this width on.
const GAP: Px = 1.6;

/// A lane that becomes shapes.
struct Lane<'a> {
    plot: &'a Plot<'a>,
    layout: &'a Layout,
    unit: u32,
    rect: Rect,
}

/// What is drawn of a lane: a block, or the blocks of a pixel with the share of it that they fill.
enum Piece {
    Block { row: u32, x0: Px, x1: Px },
    Column { x: Px, share: f64, longest: u32 },
    Gap { x0: Px, x1: Px },
    Idle { x0: Px, x1: Px },
}

/// The lanes in view; returns the labels of blocks.
pub(super) fn lanes(plot: &Plot, layout: &Layout, look: &DrawStyle, spans: &mut Vec<SpanRect>) -> Vec<Shape> {
    let inks: Vec<Ink> = (0..COLORS).map(|at| color(look, at as f64 / (COLORS - 1) as f64)).collect();
    let is_only = plot.schedule.units.len() < 2;
    let mut labels = Vec::new();
    for at in layout.seen.clone() {
        let unit = layout.rows[at];
        let own = plot.schedule.units[unit as usize].lanes.clone();
        let row = layout.row(at);
        if MOST_LANES < own.len() {
            let rect = lane_rect(row, own.len(), 0, is_only);
            coverage(plot, layout, (unit, rect), look, spans);
            continue;
        }
        for n in 0..own.len() {
            let rect = lane_rect(row, own.len(), n, is_only);
            let lane = Lane { plot, layout, unit, rect };
            lane.walk(n as u32 + own.start, &mut |piece| lane.paint(&piece, &inks, spans));
            if is_only {
                lane.labels(n as u32 + own.start, look, &inks, &mut labels);
            }
        }
    }
    labels
}

impl Lane<'_> {
    fn x(&self, at: u64) -> Px {
        self.layout.x(self.plot.origins.time(self.unit, at) as f64)
    }

    /// Hands over what is drawn of a lane, from left to right.
    fn walk(&self, lane: u32, take: &mut dyn FnMut(Piece)) {
        let schedule = self.plot.schedule;
        let lane = schedule.lanes[lane as usize].clone();
        let (from, to) = self.layout.window;
        let clock = |time: f64| self.plot.origins.clock(self.unit, time);
        let seen = schedule.seen(&lane, clock(from), clock(to).saturating_add(1));
        let row = |place: usize| schedule.order[place];
        let start_of = |place: usize| self.x(schedule.start[row(place) as usize]);
        let end_of = |place: usize| self.x(schedule.end(row(place)));
        let (first, last) = (lane.start as usize, lane.end as usize);
        if seen.start == first && seen.start < seen.end && self.plot.origins.is_comparable {
            take(Piece::Idle { x0: self.layout.x(0.0), x1: start_of(first) });
        }
        let mut at = seen.start;
        while at < seen.end {
            let (x0, x1) = (start_of(at), end_of(at));
            if first < at && GAP <= x0 - end_of(at - 1) {
                take(Piece::Gap { x0: end_of(at - 1), x1: x0 });
            }
            if 1.0 <= x1 - x0 {
                take(Piece::Block { row: row(at), x0, x1 });
                at += 1;
                continue;
            }
            let x = x0.floor();
            let until = clock(self.layout.time(x + 1.0));
            let rest = &schedule.order[at..seen.end];
            let mut n = rest.partition_point(|row| schedule.start[*row as usize] < until).max(1);
            // Only the last block that begins in a pixel can be a pixel wide.
            if 1 < n && 1.0 <= end_of(at + n - 1) - start_of(at + n - 1) {
                n -= 1;
            }
            let share = schedule.running(at..at + n) as f64 / self.layout.per_px;
            if let Some(longest) = schedule.longest(at..at + n) {
                take(Piece::Column { x, share, longest });
            }
            at += n;
        }
        if self.plot.origins.is_comparable && at == last && first < last {
            take(Piece::Idle { x0: end_of(last - 1), x1: self.layout.x(self.plot.origins.length as f64) });
        }
        if seen.is_empty() && self.plot.origins.is_comparable {
            self.walk_empty(first..last, seen.start, take);
        }
    }

    /// Where no block of the lane is in view: it waits, for the first, the next, or for nothing.
    fn walk_empty(&self, lane: std::ops::Range<usize>, at: usize, take: &mut dyn FnMut(Piece)) {
        let (x0, x1) = (self.layout.area.x, self.layout.area.right());
        if at == lane.start {
            take(Piece::Idle { x0, x1 });
        } else if at < lane.end {
            take(Piece::Gap { x0, x1 });
        }
    }

    fn paint(&self, piece: &Piece, inks: &[Ink], spans: &mut Vec<SpanRect>) {
        let (field, rect) = (self.layout.area, self.rect);
        let plain =
            SpanRect { x0: 0.0, x1: 0.0, y: rect.y, h: rect.h, ink: T3, alpha: 255, look: SpanStyle::Plain };
        let span = match *piece {
            Piece::Block { row, x0, x1 } => {
                let x1 = if 3.0 <= x1 - x0 { x1 - 1.0 } else { x1 };
                SpanRect { x0, x1, ink: self.plot.ink(row, inks), ..plain }
            }
            Piece::Column { x, share, longest } => SpanRect {
                x0: x,
                x1: x + 1.0,
                ink: self.plot.ink(longest, inks),
                alpha: (share.clamp(0.15, 1.0) * 255.0) as u8,
                ..plain
            },
            Piece::Gap { x0, x1 } => {
                let h = rect.h.min(2.0);
                SpanRect { x0, x1, y: rect.y + ((rect.h - h) / 2.0).floor(), h, ..plain }
            }
            Piece::Idle { x0, x1 } => {
                SpanRect { x0, x1, ink: Ink::Token("wait"), look: SpanStyle::Hatched, ..plain }
            }
        };
        put(spans, field, span);
    }

    /// Numbers on the blocks that have room for them.
    fn labels(&self, lane: u32, look: &DrawStyle, inks: &[Ink], labels: &mut Vec<Shape>) {
        let area = self.layout.area;
        self.walk(lane, &mut |piece| {
            let Piece::Block { row, x0, x1 } = piece else { return };
            let (x0, x1) = (x0.max(area.x), x1.min(area.right()));
            let number = thousands(self.plot.schedule.number[row as usize]);
            let is_inside = area.y <= self.rect.y && self.rect.bottom() <= area.bottom();
            if !is_inside || x1 - x0 < text::width(&number, LABEL) + 2.0 * EDGE + 4.0 {
                return;
            }
            labels.push(Shape::Text {
                at: Point { x: x0 + 4.0, y: self.rect.y + self.rect.h / 2.0 + 4.0 },
                text: number,
                font: LABEL,
                ink: look.ink_on(self.plot.ink(row, inks)),
                align: Align::Left,
                turn: 0.0,
            });
        });
    }
}

/// Very many lanes as one row: how many of them run a block.
fn coverage(
    plot: &Plot,
    layout: &Layout,
    (unit, rect): (u32, Rect),
    look: &DrawStyle,
    spans: &mut Vec<SpanRect>,
) {
    let area = layout.area;
    let own = plot.schedule.units[unit as usize].lanes.clone();
    let mut columns = vec![0.0_f32; area.w.ceil() as usize];
    let mut add = |x: Px, share: f32| {
        if let Some(column) = columns.get_mut((x - area.x).max(0.0) as usize) {
            *column += share;
        }
    };
    let lane = Lane { plot, layout, unit, rect };
    for n in own.clone() {
        lane.walk(n, &mut |piece| match piece {
            Piece::Block { x0, x1, .. } => {
                let (x0, x1) = (x0.max(area.x), x1.min(area.right()));
                let mut x = x0;
                while x < x1 {
                    let next = (x.floor() + 1.0).min(x1);
                    add(x, next - x);
                    x = next;
                }
            }
            Piece::Column { x, share, .. } if area.x <= x => add(x, share as f32),
            _ => {}
        });
    }
    let (ground, ink) = (S2, color(look, 0.5));
    let field = SpanRect {
        x0: area.x,
        x1: area.right(),
        y: rect.y,
        h: rect.h,
        ink: ground,
        alpha: 255,
        look: SpanStyle::Plain,
    };
    put(spans, area, field);
    for (column, n) in columns.iter().enumerate().filter(|(_, n)| 0.0 < **n) {
        let h = (rect.h * (n / own.len() as f32).min(1.0)).max(1.0);
        let x0 = area.x + column as Px;
        put(spans, area, SpanRect { x0, x1: x0 + 1.0, y: rect.bottom() - h, h, ink, ..field });
    }
}
