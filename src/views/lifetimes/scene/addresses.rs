//! Accesses of a kernel: cycles to the right, addresses upwards, gaps between used addresses left out.
//!
//! Cells show how dense accesses lie: the color is that of their most frequent status, the strength grows with the logarithm
//! of their number. Where sectors are high enough and lifetimes few, each lifetime is a bar with its accesses as ticks.

use crate::analysis::access::{Axis, Part, Tiling};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number::thousands;
use crate::draw::axis::round_step;
use crate::draw::style::{DrawStyle, LABEL, LINE, LINE2, S0, T3, hairline};
use crate::scene::palette::Ink;
use crate::scene::{Align, Scene, Shape, Stroke, text};
use crate::views::access::scene::{Upward, addresses, room_of_addresses, strength};
use crate::views::lifetimes::compute::SECTOR_BYTES;
use crate::views::lifetimes::compute::addresses::{AddressGrid, Bar, Follow, STATUSES, Status, Wanted};

/// Room around the plot: right edge, top, labels of cycles.
const ROOM: [Px; 3] = [16.0, 8.0, 24.0];
/// A cell is at least so wide and high.
const CELL: f64 = 2.0;
/// The row of a sector whose lifetimes are drawn one by one is at least so high.
const ROW: f64 = 4.0;
/// The same of the lane of a unit in it.
const LANE: f64 = 2.0;
/// Lifetimes that are drawn one by one at most.
const MOST_BARS: usize = 2_000;

/// The color of a status.
pub fn status_ink(status: Status) -> Ink {
    Ink::Slice(match status {
        Status::Hit => 1,
        Status::Pending => 2,
        Status::Miss => 8,
        Status::Retry => 4,
    })
}

/// What is seen, and where.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The axis of addresses.
    pub axis: &'a Axis,
    /// Cycles that are seen.
    pub cycles: (f64, f64),
    /// Places of the axis of addresses that are seen.
    pub places: (f64, f64),
    /// Where accesses are drawn.
    pub area: Rect,
}

impl<'a> View<'a> {
    /// What is seen in a picture of this size: left of it there is room for the longest address.
    pub fn new(axis: &'a Axis, cycles: (f64, f64), places: (f64, f64), size: Size) -> Self {
        let [right, top, bottom] = ROOM;
        let left = room_of_addresses(axis).max(64.0);
        let area = Rect::new(left, top, (size.w - left - right).max(1.0), (size.h - top - bottom).max(1.0));
        Self { axis, cycles, places, area }
    }

    fn upward(&self) -> Upward<'a> {
        Upward { axis: self.axis, places: self.places, area: self.area }
    }

    fn per_cycle(&self) -> f64 {
        f64::from(self.area.w) / (self.cycles.1 - self.cycles.0)
    }

    fn x(&self, cycle: f64) -> Px {
        let x = f64::from(self.area.x) + (cycle - self.cycles.0) * self.per_cycle();
        // Far outside numbers of pixels are not exact any more.
        x.clamp(f64::from(self.area.x) - 16.0, f64::from(self.area.right()) + 16.0) as Px
    }

    /// First and last cycle that is seen.
    pub fn seen_cycles(&self) -> (u64, u64) {
        let from = self.cycles.0.max(0.0) as u64;
        (from, (self.cycles.1.ceil() as u64).saturating_sub(1).max(from))
    }

    /// The cycle and the place at a point; `None` outside.
    pub fn at(&self, at: Point) -> Option<(u64, f64)> {
        let area = self.area;
        let (right, down) = (f64::from(at.x - area.x), f64::from(at.y - area.y));
        let cycle = self.cycles.0 + right / self.per_cycle();
        let place = self.places.1 - down / self.upward().per_place();
        area.contains(at).then(|| (cycle.max(0.0) as u64, place))
    }

    /// Pixels of a byte of a segment.
    fn per_byte(&self, segment: usize) -> f64 {
        let segment = &self.axis.segments[segment];
        (segment.to - segment.from) * self.upward().per_place() / segment.bytes()
    }

    /// The cells for what is seen, and the stretches of addresses whose single lifetimes can be drawn.
    pub fn wanted(&self) -> Wanted {
        let log = |per_px: f64, least: u32| (per_px * CELL).log2().ceil().max(f64::from(least)) as u32;
        let cycles = self.seen_cycles();
        let level = log(1.0 / self.per_cycle(), 0).min(40);
        let mut wanted = Wanted { cycles, ..Wanted::default() };
        wanted.tiling =
            Tiling { level, columns: cycles.0 >> level..(cycles.1 >> level) + 1, parts: Vec::new() };
        let mut row = f64::INFINITY;
        for (segment, seen) in self.axis.seen(self.places).into_iter().enumerate() {
            let Some((low, high)) = seen else { continue };
            let per_byte = self.per_byte(segment);
            let shift = log(1.0 / per_byte, SECTOR_BYTES.ilog2()).min(63);
            let (first, n) = (low >> shift, ((high >> shift) - (low >> shift) + 1).min(1 << 14) as u32);
            wanted.tiling.parts.push(Part { segment, shift, first, n });
            wanted.ranges.push((low, high));
            row = row.min(per_byte * SECTOR_BYTES as f64);
        }
        if row < ROW {
            wanted.ranges.clear();
        }
        wanted.most = (MOST_BARS, (row / LANE) as u32);
        wanted
    }
}

/// What is drawn.
pub struct AddressPlot<'a> {
    pub view: View<'a>,
    /// How dense accesses lie; may be of another window.
    pub grid: Option<&'a AddressGrid>,
    /// Single lifetimes, instead.
    pub shown: Option<&'a Shown<'a>>,
    /// The chosen lifetime: unit, address, begin.
    pub selected: Option<(u32, u64, u64)>,
}

/// The picture.
pub fn draw(plot: &AddressPlot, size: Size, look: &DrawStyle) -> Scene {
    let mut scene = Scene::new(size);
    scene.fill(Rect::new(0.0, 0.0, size.w, size.h), S0);
    addresses(&plot.view.upward(), &mut scene);
    scene.shapes.push(Shape::Clip(plot.view.area));
    match (plot.shown, plot.grid) {
        (Some(shown), _) => draw_bars(&plot.view, shown, plot.selected, look, &mut scene),
        (None, Some(grid)) => draw_cells(&plot.view, grid, look, &mut scene),
        (None, None) => {}
    }
    scene.shapes.push(Shape::Unclip);
    cycles(&plot.view, look, &mut scene);
    scene
}

/// Labels of cycles.
fn cycles(view: &View, look: &DrawStyle, scene: &mut Scene) {
    let area = view.area;
    let y = area.bottom() + 0.5;
    scene.line(Point { x: area.x, y }, Point { x: area.right(), y }, hairline(LINE2));
    let title = look.tr("Cycle");
    scene.text(Point { x: area.x - 8.0, y: area.bottom() + 17.0 }, title, LABEL, T3, Align::Right);
    let step = round_step(96.0 / view.per_cycle()).max(1.0);
    let mut cycle = (view.cycles.0.max(0.0) / step).ceil() * step;
    while cycle < view.cycles.1 {
        let words = thousands(cycle as u64);
        let half = text::width(&words, LABEL) / 2.0;
        let x = view.x(cycle);
        if x + half <= area.right() + ROOM[0] - 2.0 {
            scene.line(Point { x, y }, Point { x, y: y + 4.0 }, hairline(LINE2));
            scene.text(Point { x: x.max(area.x + half), y: y + 16.5 }, words, LABEL, T3, Align::Middle);
        }
        cycle += step;
    }
}

// How dense accesses lie, a picture for each part of the axis of addresses.

fn draw_cells(view: &View, grid: &AddressGrid, look: &DrawStyle, scene: &mut Scene) {
    let inks = STATUSES.map(|status| look.palette.rgba(status_ink(status)) & 0xffff_ff00);
    let most = f64::from(grid.most()).max(1.0);
    let strengths: Vec<u8> = (0..1024).map(|n| strength(f64::from(n), most)).collect();
    let color = |cell: &[u32]| {
        let (_, ink) = cell.iter().zip(inks).rev().max_by_key(|(n, _)| **n)?;
        let n: u32 = cell.iter().sum();
        let alpha = strengths.get(n as usize).copied().unwrap_or_else(|| strength(f64::from(n), most));
        (0 < n).then_some(ink | u32::from(alpha))
    };
    let (width, columns) = (grid.width(), &grid.tiling.columns);
    let per_column = 2_f64.powi(grid.tiling.level as i32);
    let x = |column: u64| {
        let cycle = column as f64 * per_column;
        (f64::from(view.area.x) + (cycle - view.cycles.0) * view.per_cycle()) as Px
    };
    let (x0, x1) = (x(columns.start), x(columns.start + width as u64));
    let upward = view.upward();
    for (at, part) in grid.tiling.parts.iter().enumerate() {
        let Some(segment) = view.axis.segments.get(part.segment) else { continue };
        let height = part.n as usize;
        let mut colors = vec![0; width * height];
        for column in 0..width {
            for (row, cell) in grid.cells(column, at).enumerate() {
                if let Some(color) = color(cell) {
                    colors[(height - 1 - row) * width + column] = color;
                }
            }
        }
        let share = (segment.to - segment.from) / segment.bytes();
        let bytes = 2_f64.powi(part.shift as i32);
        let low = part.first as f64 * bytes - segment.start as f64;
        let bottom = upward.y(segment.from + low * share);
        let rise = (f64::from(part.n) * bytes * share * upward.per_place()) as Px;
        let rect = Rect::new(x0, bottom - rise, x1 - x0, rise);
        scene.shapes.push(Shape::Cells { rect, width: width as u32, height: height as u32, colors });
    }
}

// Lifetimes as bars in the rows of their sectors, with their accesses as ticks.

/// Most ticks that are drawn.
const TICKS: usize = 20_000;

/// Lifetimes that are seen.
pub struct Shown<'a> {
    /// What they and their accesses are kept in.
    pub follow: &'a Follow,
    /// The lifetimes, by address and begin.
    pub bars: Vec<&'a Bar>,
}

impl View<'_> {
    /// The row of a sector: top and height.
    fn row(&self, address: u64) -> Option<(Px, Px)> {
        let at = self.axis.segment(0, address)?;
        let segment = &self.axis.segments[at];
        let upward = self.upward();
        let (bottom, top) =
            (upward.y(segment.place(address)), upward.y(segment.place(address.saturating_add(SECTOR_BYTES))));
        Some((top, bottom - top))
    }

    /// Where a lifetime is drawn.
    fn bar(&self, bar: &Bar) -> Option<Rect> {
        let (top, height) = self.row(bar.life.address)?;
        let lane = height / bar.lanes.max(1) as Px;
        let gap = if 4.0 <= lane { 1.0 } else { 0.0 };
        let (x0, x1) = (self.x(bar.life.start as f64), self.x(bar.end() as f64 + 1.0));
        let y = top + lane * bar.lane as Px;
        Some(Rect::new(x0, y + gap / 2.0, (x1 - x0).max(2.0), (lane - gap).max(1.0)))
    }
}

fn draw_bars(
    view: &View,
    shown: &Shown,
    selected: Option<(u32, u64, u64)>,
    look: &DrawStyle,
    scene: &mut Scene,
) {
    let (used, kept) = (look.faded(T3, 0.42), look.faded(T3, 0.18));
    let mut chosen = None;
    let mut row = None;
    for bar in &shown.bars {
        let Some(rect) = view.bar(bar) else { continue };
        if row != Some(bar.life.address) {
            row = Some(bar.life.address);
            let y = view.row(bar.life.address).map_or(0.0, |(top, height)| (top + height).round() + 0.5);
            scene.line(Point { x: view.area.x, y }, Point { x: view.area.right(), y }, hairline(LINE));
        }
        // Data that stay after their last use are paler.
        let last = view.x(bar.life.last.min(bar.end()) as f64 + 1.0).max(rect.x + 2.0).min(rect.right());
        scene.fill(Rect { w: last - rect.x, ..rect }, used);
        if last < rect.right() {
            scene.fill(Rect { x: last, w: rect.right() - last, ..rect }, kept);
        }
        if selected == Some((bar.life.unit, bar.life.address, bar.life.start)) {
            chosen = Some(rect);
        }
    }
    let mut left = TICKS;
    for bar in &shown.bars {
        let Some(rect) = view.bar(bar) else { continue };
        let (from, to) = view.seen_cycles();
        let mut before = None;
        for touch in shown.follow.touches(bar).filter(|touch| from <= touch.cycle && touch.cycle <= to) {
            let x = view.x(touch.cycle as f64);
            // Those of one pixel and color are one tick.
            if left == 0 || before == Some((x.round() as i32, touch.status)) {
                continue;
            }
            before = Some((x.round() as i32, touch.status));
            left -= 1;
            let w = (view.per_cycle() as Px).clamp(1.5, 4.0);
            // Stores are high, loads leave the upper third.
            let low = if touch.is_store {
                rect
            } else {
                Rect { y: rect.y + rect.h / 3.0, h: rect.h / 1.5, ..rect }
            };
            scene.fill(Rect { x, w, ..low }, status_ink(touch.status));
        }
    }
    if let Some(rect) = chosen {
        let around = Rect::new(rect.x - 2.0, rect.y - 2.0, rect.w + 4.0, rect.h + 4.0);
        let stroke = Stroke::new(Ink::Token("accent"), 2.0);
        scene.shapes.push(Shape::Outline { rect: around, radius: 2.0, stroke });
    }
}

/// The lifetime whose bar is drawn at a point, or near it.
pub fn bar_at<'a>(view: &View, shown: &Shown<'a>, at: Point) -> Option<&'a Bar> {
    let distance = |rect: Rect| {
        let dx = (rect.x - at.x).max(at.x - rect.right()).max(0.0);
        let dy = (rect.y - at.y).max(at.y - rect.bottom()).max(0.0);
        dx.hypot(dy)
    };
    let near = shown.bars.iter().filter_map(|bar| Some((*bar, distance(view.bar(bar)?))));
    let near = near.filter(|(_, distance)| *distance <= 4.0);
    near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(bar, _)| bar)
}
