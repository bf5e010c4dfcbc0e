//! Boxes and arrows at fixed places: memory charts. Arrows take color and width from their share of the peak.

use super::style::{LABEL, LINE, LINE2, Look, NAME, S2, T1, T2, T3, full, middle, signed, way};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number;
use crate::model::figure::{BoxArrow, GraphArrow, GraphBox, GraphRole};
use crate::scene::palette::Ink;
use crate::scene::{Align, Scene, Shape, Stroke, text};

/// Height that keeps the proportions of the plane, within reason for texts of fixed size.
pub fn height(figure: &BoxArrow, width: Px) -> Px {
    if figure.width <= 0.0 {
        return 0.0;
    }
    (figure.height * (width / figure.width).clamp(0.8, 1.25)).ceil()
}

/// Draws the graph, stretched to `size`.
pub fn draw(figure: &BoxArrow, size: Size, look: &Look) -> Scene {
    let mut scene = Scene::new(size);
    let plane = Plane { sx: size.w / figure.width.max(1.0), sy: size.h / figure.height.max(1.0) };
    for item in &figure.boxes {
        draw_box(&mut scene, item, plane);
    }
    for arrow in &figure.arrows {
        draw_arrow(&mut scene, arrow, plane);
    }
    // Texts last: an arrow never crosses a number.
    for arrow in &figure.arrows {
        draw_value(&mut scene, figure, arrow, plane, look);
    }
    scene
}

/// From the plane of the figure to pixels.
#[derive(Clone, Copy)]
struct Plane {
    sx: Px,
    sy: Px,
}

impl Plane {
    fn at(self, p: [f32; 2]) -> Point {
        Point { x: p[0] * self.sx, y: p[1] * self.sy }
    }
}

fn draw_box(scene: &mut Scene, item: &GraphBox, plane: Plane) {
    let [x, y, w, h] = item.rect;
    // On half pixels, so that the edge of one pixel is sharp.
    let rect = Rect::new(
        (x * plane.sx).round(),
        (y * plane.sy).round(),
        (w * plane.sx).round(),
        (h * plane.sy).round(),
    );
    if item.role == GraphRole::Container {
        scene.shapes.push(Shape::Outline { rect, radius: 6.0, stroke: Stroke::new(LINE, 1.0) });
        let name = text::cut_end(&item.name, LABEL, rect.w - 20.0).into_owned();
        scene.text(Point { x: rect.x + 10.0, y: rect.y + 15.0 }, name, LABEL, T3, Align::Left);
        return;
    }
    scene.shapes.push(Shape::Fill { rect, radius: 4.0, ink: S2 });
    scene.shapes.push(Shape::Outline { rect, radius: 4.0, stroke: Stroke::new(LINE2, 1.0) });
    let center = Point { x: rect.x + rect.w / 2.0, y: middle(rect.y, rect.h, NAME) };
    let has_fact = !item.fact.is_empty() && 30.0 <= rect.h;
    let up = if has_fact { 7.5 } else { 0.0 };
    let name = text::cut_end(&item.name, NAME, rect.w - 6.0).into_owned();
    scene.text(Point { y: center.y - up, ..center }, name, NAME, T1, Align::Middle);
    if has_fact {
        let fact = text::cut_end(&item.fact, LABEL, rect.w - 6.0).into_owned();
        scene.text(Point { y: center.y + up, ..center }, fact, LABEL, T2, Align::Middle);
    }
    let lines: Vec<&str> =
        [&*item.name, &*item.fact, &*item.detail].into_iter().filter(|l| !l.is_empty()).collect();
    scene.shapes.push(Shape::Hit { rect, name: lines.join("\n") });
}

/// Color of a share of the peak: five steps of 20 %.
pub fn peak_ink(share: Option<f64>) -> Ink {
    const STEPS: [Ink; 5] =
        [Ink::Token("pk0"), Ink::Token("pk1"), Ink::Token("pk2"), Ink::Token("pk3"), Ink::Token("pk4")];
    let step = share.filter(|s| s.is_finite()).map_or(0, |s| (s * 5.0).floor().clamp(0.0, 4.0) as usize);
    STEPS[step]
}

/// Width of a share of the peak.
pub fn peak_width(share: Option<f64>) -> Px {
    1.25 + 3.2 * share.filter(|s| s.is_finite()).unwrap_or(0.0).clamp(0.0, 1.0) as Px
}

fn draw_arrow(scene: &mut Scene, arrow: &GraphArrow, plane: Plane) {
    let mut points: Vec<Point> = arrow.points.iter().map(|p| plane.at(*p)).collect();
    points.dedup();
    let [.., before, tip] = points[..] else { return };
    let (ink, width) = (peak_ink(arrow.peak_share), peak_width(arrow.peak_share));
    let (dx, dy) = (tip.x - before.x, tip.y - before.y);
    let length = dx.hypot(dy).max(0.001);
    let (ux, uy) = (dx / length, dy / length);
    // The head is longer than the last stretch only when that is very short.
    let (long, half) = ((7.1 + 0.56 * width).min(length), 3.5 + 0.48 * width);
    let back = |by: Px, side: Px| Point { x: tip.x - ux * by - uy * side, y: tip.y - uy * by + ux * side };
    if let Some(last) = points.last_mut() {
        *last = back(long - 1.0, 0.0);
    }
    scene.shapes.push(Shape::Path { points, stroke: Stroke::new(ink, width) });
    scene.shapes.push(Shape::Polygon { points: vec![tip, back(long, half), back(long, -half)], ink });
}

fn draw_value(scene: &mut Scene, figure: &BoxArrow, arrow: &GraphArrow, plane: Plane, look: &Look) {
    let at = plane.at(arrow.label_at);
    let (way, ink) = way(arrow.second, arrow.value, &figure.unit);
    let value = arrow.value.map_or_else(|| number::MISSING.to_owned(), |v| format!("{way}{}", short(v)));
    let words = [value.as_str(), arrow.suffix.trim()].join(" ");
    let words = words.trim_end();
    let w = text::width(words, LABEL);
    if let Some(baseline) = arrow.second {
        let behind = format!("({})", short(baseline));
        let whole = w + 3.0 + text::width(&behind, LABEL);
        scene.text(Point { x: at.x - whole / 2.0, ..at }, words, LABEL, ink, Align::Left);
        scene.text(Point { x: at.x + whole / 2.0, ..at }, behind, LABEL, T3, Align::Right);
    } else {
        scene.text(at, words, LABEL, ink, Align::Middle);
    }
    let name = said(figure, arrow, look);
    scene.shapes.push(Shape::Hit {
        rect: Rect::new(at.x - w / 2.0 - 3.0, at.y - 11.0, w + 6.0, 14.0),
        name: name.clone(),
    });
    // Every straight stretch can be pointed at.
    for pair in arrow.points.windows(2) {
        let (a, b) = (plane.at(pair[0]), plane.at(pair[1]));
        let rect = Rect::new(
            a.x.min(b.x) - 4.0,
            a.y.min(b.y) - 4.0,
            (a.x - b.x).abs() + 8.0,
            (a.y - b.y).abs() + 8.0,
        );
        scene.shapes.push(Shape::Hit { rect, name: name.clone() });
    }
}

/// One decimal below 1,000, none above; 0.0 stays visible.
fn short(value: f64) -> String {
    number::fixed(value, usize::from(value.abs() < 999.95))
}

fn said(figure: &BoxArrow, arrow: &GraphArrow, look: &Look) -> String {
    let mut lines = vec![arrow.name.clone(), format!("\t{}", full(arrow.value, &figure.unit))];
    if arrow.second.is_some() {
        lines.push(format!("{}\t{}", look.tr("Baseline"), full(arrow.second, &figure.unit)));
        if let (Some(a), Some(b)) = (arrow.second, arrow.value) {
            let difference = signed(b - a, full(Some(b - a), &figure.unit));
            lines.push(format!("{}\t{difference}", look.tr("Difference")));
        }
    }
    let peak = arrow
        .peak_share
        .map_or_else(|| number::MISSING.to_owned(), |s| format!("{} %", number::fixed(s * 100.0, 1)));
    lines.push(format!("{}\t{peak}", look.tr("Share of peak")));
    if !arrow.detail.is_empty() {
        lines.push(arrow.detail.clone());
    }
    lines.join("\n")
}

/// The five steps of the peak's share, 16 px high.
pub fn legend(look: &Look) -> Scene {
    let mut scene = Scene::new(Size { w: 0.0, h: 16.0 });
    let title = look.tr("% of peak");
    scene.text(Point { x: 0.0, y: 12.0 }, title, LABEL, T2, Align::Left);
    let mut x = text::width(title, LABEL) + 12.0;
    for step in 0..5 {
        let share = Some(f64::from(step) * 0.2 + 0.05);
        let width = 1.5 + 0.8 * step as Px;
        scene.line(Point { x, y: 8.0 }, Point { x: x + 18.0, y: 8.0 }, Stroke::new(peak_ink(share), width));
        let words = format!("{}–{}", step * 20, step * 20 + 20);
        scene.text(Point { x: x + 23.0, y: 12.0 }, words.clone(), LABEL, T2, Align::Left);
        x += 23.0 + text::width(&words, LABEL) + 12.0;
    }
    scene.size.w = (x - 12.0).ceil();
    scene
}
