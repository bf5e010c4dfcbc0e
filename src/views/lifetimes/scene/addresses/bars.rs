//! Lifetimes as bars in the rows of their sectors, with their accesses as ticks.

use super::{View, status_ink};
use crate::base::geometry::{Point, Px, Rect};
use crate::draw::style::{DrawStyle, LINE, T3, hairline};
use crate::scene::palette::Ink;
use crate::scene::{Scene, Shape, Stroke};
use crate::views::lifetimes::compute::SECTOR_BYTES;
use crate::views::lifetimes::compute::addresses::{Bar, Follow};

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

pub(super) fn draw(
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
