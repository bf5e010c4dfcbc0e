//! What is written around the accesses: addresses with the gaps between them, names of spaces, record numbers.

use super::Frame;
use crate::analysis::access::{Axis, Segment};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::number::thousands;
use crate::draw::axis::round_step;
use crate::draw::style::{DrawStyle, LABEL, LINE, LINE2, S0, T2, T3, hairline};
use crate::scene::palette::Ink;
use crate::scene::{Align, Font, Scene, Shape, Stroke, text};

/// Addresses are written in the fixed-width face.
const MONO: Font = Font::mono(11.0);
/// Between a label of an address, the edge of the picture and the plot.
const GAP: Px = 8.0;
/// Labels of addresses stand at least so far apart.
const APART: Px = 15.0;

fn label(address: u64) -> String {
    format!("0x{address:x}")
}

/// The width that the longest label of an address needs.
pub(crate) fn room_of_addresses(axis: &Axis) -> Px {
    let last = axis.segments.iter().map(|segment| segment.last).max();
    last.map_or(0.0, |last| text::width(&label(last), MONO).ceil() + 2.0 * GAP)
}

/// The axis of addresses as it is seen: from places to pixels.
pub(crate) struct Upward<'a> {
    pub(crate) axis: &'a Axis,
    /// Places that are seen.
    pub(crate) places: (f64, f64),
    pub(crate) area: Rect,
}

impl Upward<'_> {
    pub(crate) fn per_place(&self) -> f64 {
        f64::from(self.area.h) / (self.places.1 - self.places.0)
    }

    pub(crate) fn y(&self, place: f64) -> Px {
        (f64::from(self.area.bottom()) - (place - self.places.0) * self.per_place()) as Px
    }
}

/// Labels and lines of addresses, and bands where the axis leaves out a gap.
pub(crate) fn addresses(frame: &Upward, scene: &mut Scene) {
    let area = frame.area;
    let segments = &frame.axis.segments;
    for pair in segments.windows(2) {
        let (bottom, top) = (frame.y(pair[0].to), frame.y(pair[1].from));
        let (top, bottom) = (top.max(area.y), bottom.min(area.bottom()));
        if top < bottom {
            scene.fill(Rect::new(area.x, top, area.w, bottom - top), Ink::Token("s1"));
            for y in [top, bottom] {
                let line = Stroke { ink: LINE2, width: 1.0, dash: 3.0 };
                scene.line(
                    Point { x: area.x, y: y.round() + 0.5 },
                    Point { x: area.right(), y: y.round() + 0.5 },
                    line,
                );
            }
        }
    }
    let mut lowest = area.bottom() + APART;
    for (segment, seen) in segments.iter().zip(frame.axis.seen(frame.places)) {
        let Some((low, high)) = seen else { continue };
        for address in ticks(frame, segment, low, high) {
            let y = frame.y(segment.place(address));
            if lowest - APART < y || y < area.y - 0.5 || area.bottom() + 0.5 < y {
                continue;
            }
            lowest = y;
            let line = y.round().min(area.bottom() - 1.0) + 0.5;
            scene.line(Point { x: area.x, y: line }, Point { x: area.right(), y: line }, hairline(LINE));
            let at = Point { x: area.x - GAP, y: (y + 4.0).max(area.y + 8.0) };
            scene.text(at, label(address), MONO, T3, Align::Right);
        }
    }
    scene.line(
        Point { x: area.x - 0.5, y: area.y },
        Point { x: area.x - 0.5, y: area.bottom() },
        hairline(LINE2),
    );
}

/// Round addresses of a segment, and its first one when that is seen.
fn ticks(frame: &Upward, segment: &Segment, low: u64, high: u64) -> Vec<u64> {
    let px = (segment.to - segment.from) * frame.per_place() / segment.bytes();
    let step = 1_u64 << (f64::from(APART) * 2.6 / px).log2().ceil().clamp(0.0, 63.0) as u32;
    let first = if low == segment.start { Some(low) } else { None };
    let near = (f64::from(APART) / px) as u64;
    let mut ticks: Vec<u64> = first.into_iter().collect();
    let mut at = low.div_ceil(step).checked_mul(step);
    while let Some(address) = at.filter(|a| *a <= high) {
        if first.is_none_or(|first| near < address - first) {
            ticks.push(address);
        }
        at = address.checked_add(step);
    }
    ticks
}

/// The name of its address space in the upper left corner of each segment.
pub(super) fn space_names(frame: &Frame, scene: &mut Scene, look: &DrawStyle) {
    let area = frame.area;
    for segment in &frame.plot.axis.segments {
        let name = match segment.space {
            Some(space) => frame.plot.accesses.space_name(space),
            None => look.tr("All spaces"),
        };
        let (top, bottom) = (frame.y(segment.to).max(area.y), frame.y(segment.from).min(area.bottom()));
        if name.is_empty() || bottom - top < 14.0 {
            continue;
        }
        let w = text::width(name, LABEL) + 8.0;
        let rect = Rect::new(area.x + 4.0, top + 2.0, w, 13.0);
        let ground = look.faded(S0, 0.82);
        scene.shapes.push(Shape::Fill { rect, radius: 2.0, ink: ground });
        scene.text(Point { x: rect.x + 4.0, y: rect.y + 10.0 }, name, LABEL, T2, Align::Left);
    }
}

/// Labels of records or times.
pub(super) fn records(frame: &Frame, scene: &mut Scene, look: &DrawStyle) {
    let (area, across) = (frame.area, frame.plot.across);
    let y = area.bottom() + 0.5;
    scene.line(Point { x: area.x, y }, Point { x: area.right(), y }, hairline(LINE2));
    let unit = &frame.plot.accesses.position_unit;
    let title = if across.is_time() { unit.word() } else { look.tr("Record") };
    scene.text(Point { x: area.x - GAP, y: area.bottom() + 17.0 }, title, LABEL, T3, Align::Right);
    let step = round_step(96.0 / frame.per_row).max(1.0);
    let (from, to) = (frame.plot.rows.0.max(0.0), frame.plot.rows.1.min(across.len() as f64));
    let mut row = (from / step).ceil() * step;
    // Where a record is wide its label stands below its middle.
    let middle = if 8.0 < frame.per_row { frame.per_row / 2.0 } else { 0.0 };
    while row < to {
        let x = frame.x(row) + middle as Px;
        let words = thousands(across.position(row as u64));
        let half = text::width(&words, LABEL) / 2.0;
        if x + half <= area.right() + 10.0 {
            scene.line(Point { x, y }, Point { x, y: y + 4.0 }, hairline(LINE2));
            scene.text(Point { x: x.max(area.x + half), y: y + 16.5 }, words, LABEL, T3, Align::Middle);
        }
        row += step;
    }
}
