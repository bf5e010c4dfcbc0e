//! Accesses of a kernel: cycles to the right, addresses upwards, gaps between used addresses left out.
//!
//! Cells show how dense accesses lie: the color is that of their most frequent status, the strength grows with the logarithm
//! of their number. Where sectors are high enough and lifetimes few, each lifetime is a bar with its accesses as ticks.

mod bars;
mod cells;

pub use bars::{Shown, bar_at};

use crate::analysis::access::{Axis, Part, Tiling};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number::thousands;
use crate::draw::axis::round_step;
use crate::draw::style::{DrawStyle, LABEL, LINE2, S0, T3, hairline};
use crate::scene::palette::Ink;
use crate::scene::{Align, Scene, Shape, text};
use crate::views::access::scene::{Upward, addresses, room_of_addresses};
use crate::views::lifetimes::compute::SECTOR_BYTES;
use crate::views::lifetimes::compute::addresses::{AddressGrid, Status, Wanted};

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
    /// What is seen, and where.
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
        (Some(shown), _) => bars::draw(&plot.view, shown, plot.selected, look, &mut scene),
        (None, Some(grid)) => cells::draw(&plot.view, grid, look, &mut scene),
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
