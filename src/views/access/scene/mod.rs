//! Memory accesses: the record number or the time to the right, addresses upwards.
//!
//! Where there is less than a pixel for a record, cells show how dense accesses lie: the color tells loads from stores,
//! the strength grows with the logarithm of their number. Else every access is a bar from its first to its last byte.

mod cells;

use crate::analysis::access::{Across, Axis, Grid, Groups, Part, Segment, Side, Tiling, last_of};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number::thousands;
use crate::draw::axis::round_step;
use crate::draw::style::{DrawStyle, LABEL, LINE, LINE2, S0, S2, T2, T3, hairline};
use crate::model::access::Accesses;
use crate::scene::palette::Ink;
use crate::scene::{Align, Font, Scene, Shape, Stroke, text};
pub use cells::BOTH;
use cells::cells;
pub(crate) use cells::strength;

/// Room around the plot: labels of addresses (more when they are long), right edge, top, labels of records.
const ROOM: [Px; 4] = [112.0, 12.0, 8.0, 24.0];
/// A bar is never lower.
const BAR: Px = 2.0;
/// Most allocations in view that are drawn behind the accesses.
const REGIONS: usize = 400;

/// What is drawn.
pub struct Plot<'a> {
    pub accesses: &'a Accesses,
    pub across: Across<'a>,
    /// Which of them, and which have one color.
    pub groups: &'a Groups,
    /// The axis of addresses.
    pub axis: &'a Axis,
    /// What is seen of the axis to the right.
    pub rows: (f64, f64),
    /// Places on the axis that are seen.
    pub places: (f64, f64),
    /// How dense accesses lie; `None` draws every one.
    pub grid: Option<&'a Grid>,
    /// The chosen access.
    pub selected: Option<u32>,
}

/// The color of a side.
pub fn ink(side: Side) -> Ink {
    Ink::Slice(match side {
        Side::Load => 1,
        Side::Store => 8,
        Side::Other => 9,
    })
}

/// Colors of the values of an attribute, the most frequent first.
const VALUES: [u8; 7] = [1, 8, 2, 4, 6, 10, 12];

/// The color of a group of accesses.
pub fn group_ink(groups: &Groups, group: usize) -> Ink {
    match (groups.side(group), VALUES.get(group)) {
        (Some(side), _) => ink(side),
        (None, Some(color)) if groups.name(group).is_some() => Ink::Slice(*color),
        _ => ink(Side::Other),
    }
}

/// Where accesses are drawn in a picture of this size: left of it there is room for the longest address.
pub fn plot(size: Size, axis: &Axis) -> Rect {
    let [left, right, top, bottom] = ROOM;
    let left = left.max(room_of_addresses(axis));
    Rect::new(left, top, (size.w - left - right).max(1.0), (size.h - top - bottom).max(1.0))
}

/// The cells for a window; `None` when there is a pixel for each record.
pub fn tiling(
    axis: &Axis,
    across: Across,
    rows: (f64, f64),
    places: (f64, f64),
    plot: Rect,
) -> Option<Tiling> {
    let per_px = (rows.1 - rows.0) / f64::from(plot.w);
    let has_room = across.is_time() && across.rows_seen(rows).len() <= plot.w as usize;
    if has_room || per_px <= 1.0 {
        return None;
    }
    let level = per_px.log2().ceil() as u32;
    let columns = rows.0.max(0.0) as u64 >> level..((rows.1.max(0.0) as u64).min(across.len()) >> level) + 1;
    let px = f64::from(plot.h) / (places.1 - places.0);
    let seen = axis.seen(places);
    let parts = axis.segments.iter().enumerate().zip(seen).filter_map(|((segment, s), seen)| {
        let (low, high) = seen?;
        let px_per_byte = (s.to - s.from) * px / s.bytes();
        let shift = (-px_per_byte.log2()).ceil().clamp(0.0, 63.0) as u32;
        // A little more than is seen, so that small moves need no new count.
        let first = (low >> shift) / 64 * 64;
        let last = ((high >> shift) / 64 * 64 + 63).min(s.last >> shift);
        let first = first.max(s.start >> shift);
        Some(Part { segment, shift, first, n: (last - first + 1).min(1 << 16) as u32 })
    });
    Some(Tiling { level, columns, parts: parts.collect() })
}

/// From rows and places to pixels.
struct Frame<'a> {
    plot: &'a Plot<'a>,
    area: Rect,
    per_row: f64,
    per_place: f64,
}

impl Frame<'_> {
    fn upward(&self) -> Upward<'_> {
        Upward { axis: self.plot.axis, places: self.plot.places, area: self.area }
    }

    fn x(&self, row: f64) -> Px {
        (f64::from(self.area.x) + (row - self.plot.rows.0) * self.per_row) as Px
    }

    fn y(&self, place: f64) -> Px {
        (f64::from(self.area.bottom()) - (place - self.plot.places.0) * self.per_place) as Px
    }

    /// The rectangle of addresses of a segment over some rows, cut where it leaves the picture.
    fn rect(&self, segment: &Segment, rows: (f64, f64), first: u64, last: u64) -> Rect {
        let near = |y: Px| y.clamp(self.area.y - 8.0, self.area.bottom() + 8.0);
        let across = |x: Px| x.clamp(self.area.x - 8.0, self.area.right() + 8.0);
        let (x0, x1) = (across(self.x(rows.0)), across(self.x(rows.1)));
        let bottom = near(self.y(segment.place(first)));
        let above = segment.place(last) + (segment.to - segment.from) / segment.bytes();
        let top = near(self.y(above));
        Rect::new(x0, top, x1 - x0, bottom - top)
    }
}

/// The picture.
pub fn draw(plot: &Plot, size: Size, look: &DrawStyle) -> Scene {
    let area = self::plot(size, plot.axis);
    let frame = Frame {
        plot,
        area,
        per_row: f64::from(area.w) / (plot.rows.1 - plot.rows.0),
        per_place: f64::from(area.h) / (plot.places.1 - plot.places.0),
    };
    let mut scene = Scene::new(size);
    scene.fill(Rect::new(0.0, 0.0, size.w, size.h), S0);
    addresses(&frame.upward(), &mut scene);
    scene.shapes.push(Shape::Clip(area));
    regions(&frame, &mut scene, look);
    match plot.grid {
        Some(grid) => cells(&frame, grid, look, &mut scene),
        None => bars(&frame, look, &mut scene),
    }
    chosen(&frame, &mut scene);
    scene.shapes.push(Shape::Unclip);
    space_names(&frame, &mut scene, look);
    records(&frame, &mut scene, look);
    scene
}

/// Allocations as frames behind the accesses, over the records during which they are alive.
fn regions(frame: &Frame, scene: &mut Scene, look: &DrawStyle) {
    let (plot, n) = (frame.plot, frame.plot.accesses.len() as u32);
    let ground = look.faded(S2, 0.6);
    let place = |row: u32| if row < n { plot.across.x(row) } else { plot.across.len() } as f64;
    let seen = plot.accesses.regions.iter().filter_map(|region| {
        let (from, to) = (place(region.rows.start), place(region.rows.end));
        (from < plot.rows.1 && plot.rows.0 < to).then_some((region, (from, to)))
    });
    let seen: Vec<_> = seen.take(REGIONS + 1).collect();
    if REGIONS < seen.len() {
        return; // some of them would say more than is true
    }
    for (region, rows) in seen {
        let Some(at) = plot.axis.segment(region.space, region.start) else { continue };
        let last = region.end.saturating_sub(1).max(region.start);
        let rect = frame.rect(&plot.axis.segments[at], rows, region.start, last);
        if 3.0 <= rect.h && 3.0 <= rect.w {
            scene.fill(rect, ground);
            scene.shapes.push(Shape::Outline { rect, radius: 0.0, stroke: hairline(LINE2) });
        }
    }
}

/// Every access as a bar.
fn bars(frame: &Frame, look: &DrawStyle, scene: &mut Scene) {
    let plot = frame.plot;
    for row in plot.across.rows_seen(plot.rows) {
        if let Some((rect, group)) = bar(frame, row) {
            // Allocations cover much: they are quieter than what is read and written.
            let color = group_ink(plot.groups, group);
            let is_quiet = plot.groups.side(group) == Some(Side::Other);
            scene.fill(rect, if is_quiet { look.faded(color, 0.55) } else { color });
        }
    }
}

/// Where an access is drawn; `None` when it is filtered out.
fn bar(frame: &Frame, row: u32) -> Option<(Rect, usize)> {
    let plot = frame.plot;
    let group = plot.groups.get(*plot.accesses.class_rows().get(row as usize)?)?;
    let address = *plot.accesses.addresses().get(row as usize)?;
    let segment = plot.axis.segment(plot.accesses.class(row)?.space(), address)?;
    let last = last_of(address, plot.accesses.bytes(row));
    let x = plot.across.x(row) as f64;
    let rows = (x, x + 1.0);
    let mut rect = frame.rect(&plot.axis.segments[segment], rows, address, last);
    rect.w = if 4.0 <= rect.w { rect.w - 1.0 } else { rect.w.max(1.0) };
    if rect.h < BAR {
        rect = Rect { y: rect.y - (BAR - rect.h) / 2.0, h: BAR, ..rect };
    }
    Some((rect, group))
}

/// The chosen access: a line down to its record, and a frame around its bar.
fn chosen(frame: &Frame, scene: &mut Scene) {
    let Some((rect, _)) = frame.plot.selected.and_then(|row| bar(frame, row)) else { return };
    let accent = Ink::Token("accent");
    let x = (rect.x + rect.w / 2.0).round() + 0.5;
    let area = frame.area;
    let stroke = Stroke { ink: accent, width: 1.0, dash: 3.0 };
    scene.line(Point { x, y: area.y }, Point { x, y: rect.y - 3.0 }, stroke);
    scene.line(Point { x, y: rect.bottom() + 3.0 }, Point { x, y: area.bottom() }, stroke);
    let around = Rect::new(rect.x - 3.0, rect.y - 3.0, rect.w + 6.0, rect.h + 6.0);
    scene.shapes.push(Shape::Outline { rect: around, radius: 2.0, stroke: Stroke::new(accent, 2.0) });
}

/// The access whose bar is drawn at a point, or near it.
pub fn hit(plot: &Plot, size: Size, at: Point) -> Option<u32> {
    let area = self::plot(size, plot.axis);
    let frame = Frame {
        plot,
        area,
        per_row: f64::from(area.w) / (plot.rows.1 - plot.rows.0),
        per_place: f64::from(area.h) / (plot.places.1 - plot.places.0),
    };
    let row = plot.rows.0 + f64::from(at.x - area.x) / frame.per_row;
    let near = (3.0 / frame.per_row).ceil();
    let rows = plot.across.rows_seen((row - near, row + near));
    let distance = |rect: Rect| {
        let dx = (rect.x - at.x).max(at.x - rect.right()).max(0.0);
        let dy = (rect.y - at.y).max(at.y - rect.bottom()).max(0.0);
        dx.hypot(dy)
    };
    let near = rows.filter_map(|row| Some((row, distance(bar(&frame, row)?.0))));
    near.filter(|(_, d)| *d <= 4.0).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, _)| row)
}

// What is written around the accesses: addresses with the gaps between them, names of spaces, record numbers.

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
    if px.is_nan() || px <= 0.0 {
        return Vec::new(); // no room
    }
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
fn space_names(frame: &Frame, scene: &mut Scene, look: &DrawStyle) {
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
fn records(frame: &Frame, scene: &mut Scene, look: &DrawStyle) {
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
