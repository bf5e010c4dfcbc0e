//! Two threads below each other: what both ran at first, and where they part.

use super::lanes::Painter;
use super::layout::Layout;
use super::{Inks, Plot, field, full_name, line};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::number::thousands;
use crate::base::words::{fill, phrase};
use crate::draw::style::{DrawStyle, LABEL, LINE2, S0, T1, T2, TEXT, hairline};
use crate::scene::palette::Ink;
use crate::scene::{Align, Scene, Shape, Stroke, text};
use crate::views::executions::compute::{Axis, Parting};

/// Heights from the top of the strip: where each lane begins, and how high it is.
const LANES: [Px; 2] = [22.0, 46.0];
const LANE: Px = 18.0;
/// Baseline of the words above the lanes, and of those below.
const ABOVE: Px = 14.0;
const BELOW: Px = 82.0;

/// The strip.
pub(super) fn pair(
    plot: &Plot,
    layout: &Layout,
    inks: &Inks,
    (threads, parting): ([u32; 2], Parting),
    look: &DrawStyle,
    scene: &mut Scene,
) {
    let area = layout.pair;
    let (mut spans, mut marks) = (Vec::new(), Vec::new());
    super::strip_grid(layout, area, &super::strip_ticks(layout), &mut spans);
    let painter = Painter { plot, layout, inks, field: area };
    for (thread, y) in threads.into_iter().zip(LANES) {
        let lane = Rect::new(area.x, area.y + y, area.w, LANE);
        painter.boxes(thread, lane, look, &mut spans, &mut marks);
    }
    field(scene, area, spans, marks);
    scene.shapes.push(Shape::Clip(area));
    let [a, b] = threads.map(|thread| place(plot, thread, parting.common));
    let at = layout.x(a.max(b));
    veil(plot, layout, (threads, parting), scene);
    bracket(layout, at, parting, look, scene);
    if parting.is_parted() {
        flag(plot, layout, at, (threads, parting), look, scene);
    }
    if let Some(from) = parting.lanes_from {
        let x = layout.x(place(plot, threads[0], from)).floor() + 0.5;
        let stroke = Stroke { ink: T1, width: 1.0, dash: 2.0 };
        scene.line(Point { x, y: area.y + LANES[0] }, Point { x, y: area.bottom() - 4.0 }, stroke);
        let words = fill(look.tr(phrase("lanes differ from {n}")), &[("n", &thousands(from))]);
        scene.text(Point { x: x + 4.0, y: area.y + BELOW }, words, LABEL, T2, Align::Left);
    }
    scene.shapes.push(Shape::Unclip);
    heads(plot, layout, threads, look, scene);
    let y = area.bottom() - 0.5;
    scene.line(Point { x: 0.0, y }, Point { x: area.right(), y }, hairline(LINE2));
}

/// Where an execution of a thread begins, by its ordinal.
fn place(plot: &Plot, thread: u32, ordinal: u32) -> f64 {
    let all = plot.run.range(thread);
    let at = all.start + ordinal as usize;
    match all.clone().next_back() {
        Some(last) if last < at => plot.run.span(plot.axis, &all, last).1,
        Some(_) => plot.run.span(plot.axis, &all, at).0,
        None => 0.0,
    }
}

/// What lies behind the first block that both did not run is less important.
fn veil(plot: &Plot, layout: &Layout, (threads, parting): ([u32; 2], Parting), scene: &mut Scene) {
    for (thread, y) in threads.into_iter().zip(LANES) {
        let all = plot.run.range(thread);
        let at = all.start + parting.common as usize;
        if all.end <= at {
            continue;
        }
        let (start, end) = plot.run.span(plot.axis, &all, at);
        let x = layout.x(end).max(layout.pair.x);
        let lane = Rect::new(x, layout.pair.y + y, (layout.pair.right() - x).max(0.0), LANE);
        scene.fill(lane, Ink::Token("veil"));
        let x0 = layout.x(start);
        let rect =
            Rect::new(x0 - 1.0, layout.pair.y + y - 1.0, (layout.x(end) - x0 + 1.0).max(3.0), LANE + 2.0);
        scene.shapes.push(Shape::Outline {
            rect,
            radius: 1.0,
            stroke: Stroke::new(Ink::Token("accent"), 2.0),
        });
    }
}

/// What both have in common.
fn bracket(layout: &Layout, at: Px, parting: Parting, look: &DrawStyle, scene: &mut Scene) {
    let area = layout.pair;
    let (left, right) = (layout.x(0.0).max(area.x), at.min(area.right()));
    if right - left < 8.0 {
        return;
    }
    let (top, bottom) = (area.y + ABOVE - 4.0, area.y + LANES[0] - 3.0);
    let n = thousands(parting.common);
    let words = fill(look.tr(phrase("{n} blocks in common")), &[("n", &n)]);
    let w = text::width(&words, LABEL) + 12.0;
    let middle = f32::midpoint(left, right);
    let (gap_left, gap_right) =
        if w < right - left { (middle - w / 2.0, middle + w / 2.0) } else { (middle, middle) };
    for (end, inner) in [(left + 0.5, gap_left), (right - 2.5, gap_right)] {
        let points = vec![Point { x: end, y: bottom }, Point { x: end, y: top }, Point { x: inner, y: top }];
        scene.shapes.push(Shape::Path { points, stroke: hairline(LINE2) });
    }
    if gap_left < gap_right {
        scene.text(Point { x: middle, y: area.y + ABOVE }, words, LABEL, T1, Align::Middle);
    }
}

/// Where they part, in words.
fn flag(
    plot: &Plot,
    layout: &Layout,
    at: Px,
    (_, parting): ([u32; 2], Parting),
    look: &DrawStyle,
    scene: &mut Scene,
) {
    let area = layout.pair;
    if at < area.x - 1.0 || area.right() < at {
        return;
    }
    let label = |next: Option<u32>| {
        next.map_or_else(|| look.tr(phrase("its end")).to_owned(), |b| plot.run.label(b).to_owned())
    };
    let words = look.tr(phrase("diverge at {n}: A to {a}, B to {b}"));
    let n = thousands(parting.common);
    let words = fill(words, &[("n", &n), ("a", &label(parting.next[0])), ("b", &label(parting.next[1]))]);
    let w = text::width(&words, LABEL) + 10.0;
    let left = if area.right() < at + w { at - w } else { at };
    let accent = Ink::Token("accent");
    scene.fill(Rect::new(left, area.y + 1.0, w, 17.0), S0);
    scene.fill(Rect::new(left, area.y + 1.0, w, 17.0), accent);
    scene.fill(Rect::new(at - 0.5, area.y + 1.0, 1.0, area.h - 6.0), accent);
    let ink = Ink::Token("on-accent");
    scene.text(Point { x: left + 5.0, y: area.y + 13.5 }, words, LABEL, ink, Align::Left);
}

/// Names of both at the left.
fn heads(plot: &Plot, layout: &Layout, threads: [u32; 2], look: &DrawStyle, scene: &mut Scene) {
    let (area, w) = (layout.pair, layout.area.x);
    let y = area.y + ABOVE;
    scene.text(Point { x: 12.0, y }, look.tr(phrase("Compared")), LABEL, T2, Align::Left);
    for ((thread, y), letter) in threads.into_iter().zip(LANES).zip(["A", "B"]) {
        let rect = Rect::new(0.0, area.y + y, w, LANE);
        let totals = plot.run.arranged.threads.get(thread as usize).copied().unwrap_or_default();
        let name = format!("{letter}  {}", full_name(plot, thread));
        line(plot, (w, rect), (&name, 12.0, TEXT, T1), &totals, scene);
    }
    if plot.axis != Axis::Block {
        let words = look.tr(phrase("compared by blocks"));
        scene.text(Point { x: 12.0, y: area.y + BELOW }, words, LABEL, T2, Align::Left);
    }
}
