//! Control flow at the left of the instructions: a line from each branch to where it leads, with how often it was taken,
//! and a rule where a block begins. Only where the rows stand in the order of the listing.

use super::{Row, View, warm};
use crate::analysis::code::{Order, heat};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::number::{fixed, thousands};
use crate::model::code::{ControlFlow, Edge};
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Align, Font, Scene, Shape, Stroke};

/// Width of the counts, and of one line.
const COUNT: Px = 34.0;
const LANE: Px = 7.0;
/// Length of the head of a line.
const HEAD: Px = 8.0;

/// How wide the strip is.
pub(super) fn width(view: &View) -> Px {
    let lanes = view.flow.map_or(0, ControlFlow::lanes);
    if lanes == 0 { 0.0 } else { COUNT + Px::from(lanes) * LANE + HEAD }
}

fn shown<'a>(view: &View<'a>) -> Option<&'a ControlFlow> {
    view.flow.filter(|_| matches!(view.order, Order::Natural(_)))
}

/// Rules above the first rows of blocks.
pub(super) fn blocks(scene: &mut Scene, view: &View, rows: &[Row], body: Rect) {
    let Some(flow) = shown(view) else { return };
    for row in rows.iter().filter(|row| 0 < row.at) {
        if u32::try_from(row.at).is_ok_and(|at| flow.blocks.binary_search(&at).is_ok()) {
            scene.fill(Rect::new(body.x, row.y.round(), body.w, 1.0), Ink::Token("line2"));
        }
    }
}

/// The lines that are in view. Costs the edges of the listing.
pub(super) fn draw(scene: &mut Scene, view: &View, (left, height): (Px, Px), palette: &Palette) {
    let Some(flow) = shown(view) else { return };
    let (right, most) = (left + width(view), flow.most());
    let row_px = view.frame.row_px;
    let y = |row: u32| ((f64::from(row) - view.frame.first) * f64::from(row_px)) as Px + row_px / 2.0;
    let own = view.frame.selected.map(|row| flow.block_of(row));
    for edge in &flow.edges {
        let (top, bottom) = edge.ends();
        let Some(lane) = edge.lane.filter(|_| -row_px <= y(bottom) && y(top) <= height + row_px) else {
            continue;
        };
        // Beyond the edges of the picture no line is needed.
        let [from, to] = [y(edge.from) + 3.0, y(edge.to) - 3.0].map(|y| y.clamp(-row_px, height + row_px));
        let x = left + COUNT + Px::from(lane) * LANE;
        let is_chosen = own.is_some_and(|own| touches(*edge, own));
        let ink = ink(edge, most, is_chosen, palette);
        let points = [(right - HEAD / 2.0, from), (x, from), (x, to), (right, to)];
        let points = points.map(|(x, y)| Point { x, y }).to_vec();
        scene
            .shapes
            .push(Shape::Path { points, stroke: Stroke::new(ink, if is_chosen { 2.0 } else { 1.0 }) });
        for rise in [-3.0, 3.0] {
            let points = vec![Point { x: right - 4.0, y: to + rise }, Point { x: right, y: to }];
            scene.shapes.push(Shape::Path { points, stroke: Stroke::new(ink, 1.0) });
        }
    }
    counts(scene, view, flow, (left + COUNT - 4.0, height));
}

/// How often branches were taken, and how often control fell into a block. A row has room for one of them.
fn counts(scene: &mut Scene, view: &View, flow: &ControlFlow, (right, height): (Px, Px)) {
    let row_px = view.frame.row_px;
    let top = |row: u32| ((f64::from(row) - view.frame.first) * f64::from(row_px)) as Px;
    let mut taken = Vec::new();
    let (jumps, falls): (Vec<&Edge>, Vec<&Edge>) = flow.edges.iter().partition(|edge| edge.lane.is_some());
    for (edge, row) in jumps.iter().map(|e| (e, e.from)).chain(falls.iter().map(|e| (e, e.to))) {
        let y = top(row);
        let Some(count) = edge.count.filter(|_| -row_px <= y && y <= height) else { continue };
        if taken.contains(&row) {
            continue;
        }
        taken.push(row);
        let text = format!("{}{}", if edge.lane.is_some() { "" } else { "↓" }, compact(count));
        let at = Point { x: right, y: (y + row_px / 2.0 + 3.5).round() };
        scene.text(at, text, Font::ui(10.0), Ink::Token("t3"), Align::Right);
    }
}

/// At most six characters.
fn compact(n: u64) -> String {
    let scaled =
        |by: f64, name| format!("{}{name}", fixed(n as f64 / by, usize::from((n as f64) < by * 100.0)));
    match n {
        0..10_000 => thousands(n.cast_signed()),
        10_000..1_000_000 => scaled(1e3, "k"),
        1_000_000..1_000_000_000 => scaled(1e6, "M"),
        _ => scaled(1e9, "G"),
    }
}

/// Whether an edge leaves or enters a block.
fn touches(edge: Edge, (first, end): (u32, u32)) -> bool {
    let is_inside = |row: u32| first <= row && row < end;
    is_inside(edge.from) || is_inside(edge.to)
}

fn ink(edge: &Edge, most: u64, is_chosen: bool, palette: &Palette) -> Ink {
    let warmth = edge.count.and_then(|count| warm(heat(count as f64, most as f64), palette));
    match (is_chosen, edge.count) {
        (true, _) => Ink::Token("accent"),
        (false, Some(0)) => Ink::Token("line2"),
        (false, _) => warmth.unwrap_or(Ink::Token("t3")),
    }
}
