//! A level of the run that another one is compared with: outlines over the bars, a dashed line beside the cumulative one,
//! and its share at each retention.

use super::layout::Layout;
use super::{Baseline, bars, percent};
use crate::base::geometry::{Point, Px, Rect};
use crate::draw::style::{S0, T1, T2};
use crate::scene::{Scene, Shape, Stroke};

/// The counts of bins as one line of steps, `top` being at the upper edge.
pub(super) fn outline(layout: &Layout, rect: Rect, (counts, top): (&[u64], f64), scene: &mut Scene) {
    let mut points: Vec<Point> = Vec::new();
    for (bin, n) in (0..).zip(counts) {
        let (from, to) = Layout::bin(bin);
        let h = if *n == 0 { 0.0 } else { ((*n as f64 / top) as Px * rect.h).max(1.0) };
        let y = rect.bottom() - h;
        // Stretches at one height are one line.
        if let [.., last] = points.as_mut_slice()
            && last.y == y
        {
            last.x = layout.x(to).round();
            continue;
        }
        points.extend([from, to].map(|nanos| Point { x: layout.x(nanos).round(), y }));
    }
    scene.shapes.push(Shape::Path { points: points.clone(), stroke: Stroke::new(S0, 3.0) });
    scene.shapes.push(Shape::Path { points, stroke: Stroke::new(T2, 1.25) });
}

/// The share that is at most as long.
pub(super) fn cumulative(other: &Baseline, layout: &Layout, rect: Rect, scene: &mut Scene) {
    let points = bars::curve(layout, rect, |nanos| other.share_within(nanos));
    let stroke = Stroke { dash: 4.0, ..Stroke::new(T1, 1.25) };
    scene.shapes.push(Shape::Path { points, stroke });
}

/// A ring where a retention meets the cumulative line; its share in words, with the letter of the baseline.
pub(super) fn dot(other: &Baseline, nanos: f64, x: Px, rect: Rect, scene: &mut Scene) -> String {
    let share = other.share_within(nanos);
    let at = Point { x, y: rect.bottom() - share as Px * rect.h };
    bars::dot(at, 4.5, T1, scene);
    bars::dot(at, 3.0, S0, scene);
    format!("A {}", percent(share))
}
