//! Puts drawings beside each other.

use super::shape::{Scene, Shape};
use crate::base::geometry::{Point, Rect};

/// Paints a drawing with its top left corner at a point of another; nothing of it reaches beyond its own size.
pub fn put(scene: &mut Scene, inner: Scene, at: Point) {
    let size = inner.size;
    scene.shapes.push(Shape::Clip(Rect::new(at.x, at.y, size.w, size.h)));
    lay(scene, inner, at);
    scene.shapes.push(Shape::Unclip);
}

/// As [`put`], but what reaches beyond its size stays: for parts whose width is only estimated.
pub fn lay(scene: &mut Scene, inner: Scene, at: Point) {
    scene.shapes.extend(inner.shapes.into_iter().map(|shape| moved(shape, at)));
}

fn moved(mut shape: Shape, by: Point) -> Shape {
    let point = |p: &mut Point| {
        p.x += by.x;
        p.y += by.y;
    };
    let area = |r: &mut Rect| {
        r.x += by.x;
        r.y += by.y;
    };
    match &mut shape {
        Shape::Fill { rect, .. }
        | Shape::Outline { rect, .. }
        | Shape::Cells { rect, .. }
        | Shape::Hit { rect, .. }
        | Shape::Clip(rect) => area(rect),
        Shape::Path { points, .. } | Shape::Polygon { points, .. } => points.iter_mut().for_each(point),
        Shape::Curve { points, .. } => points.iter_mut().for_each(point),
        Shape::Text { at, .. } => point(at),
        Shape::Spans(spans) => {
            area(&mut spans.field);
            for span in &mut spans.spans {
                span.x0 += by.x;
                span.x1 += by.x;
                span.y += by.y;
            }
        }
        Shape::Unclip => {}
    }
    shape
}
