//! Memory accesses: the record number or the time to the right, addresses upwards.
//!
//! Where there is less than a pixel for a record, cells show how dense accesses lie: the color tells loads from stores,
//! the strength grows with the logarithm of their number. Else every access is a bar from its first to its last byte.

mod cells;
mod labels;

use crate::analysis::access::{Across, Axis, Grid, Groups, Part, Segment, Side, Tiling, last_of};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::draw::style::{DrawStyle, LINE2, S0, S2, hairline};
use crate::model::access::Accesses;
use crate::scene::palette::Ink;
use crate::scene::{Scene, Shape, Stroke};
pub use cells::BOTH;
use cells::cells;
pub(crate) use cells::strength;
pub(crate) use labels::{Upward, addresses, room_of_addresses};
use labels::{records, space_names};

/// Room around the plot: labels of addresses (more when they are long), right edge, top, labels of records.
const ROOM: [Px; 4] = [112.0, 12.0, 8.0, 24.0];
/// A bar is never lower.
const BAR: Px = 2.0;
/// Most allocations in view that are drawn behind the accesses.
const REGIONS: usize = 400;

/// What is drawn.
pub struct Plot<'a> {
    /// The accesses.
    pub accesses: &'a Accesses,
    /// What lies to the right.
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
