//! Boxes and arrows at fixed places: memory charts. Arrows take color and width from their share of the peak. In the
//! scheme's colors boxes are filled by what they are, and the colors of arrows have no steps.

use super::cores::ramp_legend;
use super::facts::column_name;
use super::style::{DrawStyle, LABEL, LINE, LINE2, NAME, S2, T1, T2, T3, full, middle, signed, way};
use crate::analysis::compare::BASELINE;
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number;
use crate::base::unit::Unit;
use crate::model::figure::{BoxArrow, GraphArrow, GraphBox, GraphRole};
use crate::scene::palette::Ink;
use crate::scene::{Align, Scene, Shape, Stroke, lay, text};

/// Height that keeps the proportions of the plane, within reason for texts of fixed size.
pub fn height(figure: &BoxArrow, width: Px) -> Px {
    if figure.width <= 0.0 {
        return 0.0;
    }
    (figure.height * (width / figure.width).clamp(0.8, 1.25)).ceil()
}

/// Draws the graph, stretched to `size`.
pub fn draw(figure: &BoxArrow, size: Size, look: &DrawStyle) -> Scene {
    let mut scene = Scene::new(size);
    let plane = Plane { sx: size.w / figure.width.max(1.0), sy: size.h / figure.height.max(1.0) };
    for item in &figure.boxes {
        draw_box(&mut scene, item, plane, look);
    }
    for arrow in &figure.arrows {
        draw_arrow(&mut scene, arrow, &arrow.points, plane, look);
        draw_arrow(&mut scene, arrow, &arrow.branch, plane, look);
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

fn draw_box(scene: &mut Scene, item: &GraphBox, plane: Plane, look: &DrawStyle) {
    let [x, y, w, h] = item.rect;
    // On half pixels, so that the edge of one pixel is sharp.
    let rect = Rect::new(
        (x * plane.sx).round(),
        (y * plane.sy).round(),
        (w * plane.sx).round(),
        (h * plane.sy).round(),
    );
    let has_fills = look.palette.has(CORE);
    if item.role == GraphRole::Container {
        if has_fills {
            scene.shapes.push(Shape::Fill { rect, radius: 6.0, ink: CORE });
        }
        scene.shapes.push(Shape::Outline { rect, radius: 6.0, stroke: Stroke::new(LINE, 1.0) });
        let name = text::cut_end(&item.name, LABEL, rect.w - 20.0).into_owned();
        scene.text(Point { x: rect.x + 10.0, y: rect.y + 15.0 }, name, LABEL, T3, Align::Left);
        return;
    }
    let ground = if has_fills { box_fill(&item.name) } else { S2 };
    let (strong, soft) = if has_fills { (look.ink_on(ground), look.ink_on(ground)) } else { (T1, T2) };
    scene.shapes.push(Shape::Fill { rect, radius: 4.0, ink: ground });
    if !has_fills {
        scene.shapes.push(Shape::Outline { rect, radius: 4.0, stroke: Stroke::new(LINE2, 1.0) });
    }
    let fact = item.fact.text(look.language).into_owned();
    let room = (rect.h / FACT_LINE).floor() as usize;
    let facts =
        if fact.is_empty() { Vec::new() } else { lines(&fact, rect.w - 12.0, room.saturating_sub(1)) };
    let x = rect.x + rect.w / 2.0;
    let up = facts.len() as Px * FACT_LINE / 2.0;
    let mut y = middle(rect.y, rect.h, NAME) - up;
    let name = text::cut_end(&item.name, NAME, rect.w - 6.0).into_owned();
    scene.text(Point { x, y }, name, NAME, strong, Align::Middle);
    for line in facts {
        y += FACT_LINE;
        scene.text(Point { x, y }, line, LABEL, soft, Align::Middle);
    }
    let lines: Vec<String> = [item.name.clone(), fact, detail_lines(&item.detail, look)]
        .into_iter()
        .filter(|line| !line.is_empty())
        .collect();
    scene.shapes.push(Shape::Hit { rect, name: lines.join("\n") });
}

/// Height of a line of a box.
const FACT_LINE: Px = 15.0;

/// A text in at most so many lines that fit; the last one is cut when there is more.
fn lines(words: &str, room: Px, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // A number keeps its per cent sign. Behind a wide colon there is no blank.
    let words = words.replace(" %", "\u{a0}%");
    for word in words.split(' ').flat_map(|words| words.split_inclusive('：')) {
        let blank = |line: &str| if line.ends_with('：') { "" } else { " " };
        let longer = lines.last().map(|line| format!("{line}{}{word}", blank(line)));
        match (longer, lines.len()) {
            (Some(longer), n) if n == most || text::width(&longer, LABEL) <= room => lines[n - 1] = longer,
            (_, n) if n < most => lines.push(word.to_owned()),
            _ => {}
        }
    }
    if let Some(last) = lines.last_mut() {
        *last = text::cut_end(last, LABEL, room).into_owned();
    }
    lines.iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

/// Lines of label, tab, value, with the labels in the language of the drawing.
fn detail_lines(detail: &str, look: &DrawStyle) -> String {
    let line = |line: &str| match line.split_once('\t') {
        Some((label, value)) => format!("{}\t{value}", look.tr(label)),
        None => look.tr(line).to_owned(),
    };
    detail.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// What holds boxes, and shares of a peak that is not known, where the palette's scheme brings colors for them.
const CORE: Ink = Ink::Token("chart-core");
const NO_PEAK: Ink = Ink::Token("chart-line");

/// The fill of a box in such a scheme: memories of the chip, vector units with theirs, all others.
fn box_fill(name: &str) -> Ink {
    let is_one = |names: &[&str]| names.iter().any(|one| name.starts_with(one));
    Ink::Token(match name {
        _ if is_one(&["GM", "L2"]) => "box-0",
        _ if is_one(&["UB", "Vector", "Dcache"]) => "box-1",
        _ => "box-2",
    })
}

/// Color of a share of the peak: five steps of 20 %; plain where no peak is known. Those of a scheme run from stop to stop.
pub fn peak_ink(share: Option<f64>, look: &DrawStyle) -> Ink {
    const STEPS: [Ink; 5] =
        [Ink::Token("pk0"), Ink::Token("pk1"), Ink::Token("pk2"), Ink::Token("pk3"), Ink::Token("pk4")];
    let share = share.filter(|s| s.is_finite());
    if look.palette.has(NO_PEAK) {
        return share.map_or(NO_PEAK, |s| Ink::Rgba(look.palette.peak(s)));
    }
    share.map_or(T3, |s| STEPS[(s * 5.0).floor().clamp(0.0, 4.0) as usize])
}

/// Width of a share of the peak.
pub fn peak_width(share: Option<f64>) -> Px {
    1.25 + 3.2 * share.filter(|s| s.is_finite()).unwrap_or(0.0).clamp(0.0, 1.0) as Px
}

fn draw_arrow(scene: &mut Scene, arrow: &GraphArrow, corners: &[[f32; 2]], plane: Plane, look: &DrawStyle) {
    let mut points: Vec<Point> = corners.iter().map(|p| plane.at(*p)).collect();
    points.dedup();
    let [.., before, tip] = points[..] else { return };
    let (ink, width) = (peak_ink(arrow.peak_share, look), peak_width(arrow.peak_share));
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

/// Where a value stands: at its place, or beside the upright line next to it.
struct Spot {
    at: Point,
    align: Align,
    /// How wide a text may be that stands over a level line.
    room: Px,
}

fn spot(arrow: &GraphArrow, plane: Plane) -> Spot {
    let at = plane.at(arrow.label_at);
    let stretches = arrow.points.windows(2).map(|pair| (plane.at(pair[0]), plane.at(pair[1])));
    let away = |(a, b): &(Point, Point)| {
        let x = at.x.clamp(a.x.min(b.x), a.x.max(b.x));
        let y = at.y.clamp(a.y.min(b.y), a.y.max(b.y));
        (at.x - x).hypot(at.y - y)
    };
    let nearest = stretches.min_by(|a, b| away(a).total_cmp(&away(b)));
    let Some((a, b)) = nearest else { return Spot { at, align: Align::Middle, room: 0.0 } };
    if (a.x - b.x).abs() < 0.5 && BESIDE * plane.sx < (at.x - a.x).abs() {
        // Beside an upright line, however the plane is scaled.
        let (x, align) = if at.x < a.x { (a.x - 6.0, Align::Right) } else { (a.x + 6.0, Align::Left) };
        return Spot { at: Point { x, ..at }, align, room: 0.0 };
    }
    let room = 2.0 * (at.x - a.x.min(b.x)).min(a.x.max(b.x) - at.x) - 8.0;
    Spot { at, align: Align::Middle, room }
}

/// Values nearer to an upright line than this, in units of the plane, stand on it.
const BESIDE: f32 = 4.0;

fn draw_value(scene: &mut Scene, figure: &BoxArrow, arrow: &GraphArrow, plane: Plane, look: &DrawStyle) {
    let Spot { at, align, room } = spot(arrow, plane);
    let (way, ink) = way(arrow.second, arrow.value, &figure.unit);
    let value = arrow
        .value
        .map_or_else(|| number::MISSING.to_owned(), |v| format!("{way}{}", short(v, &figure.unit)));
    let behind = arrow.second.map(|baseline| format!("({})", short(baseline, &figure.unit)));
    let suffix = look.tr(arrow.suffix.trim());
    let mut words: Vec<(&str, Ink)> = vec![(value.as_str(), ink)];
    words.extend(behind.as_deref().map(|behind| (behind, T3)));
    let width = |words: &[(&str, Ink)]| {
        words.iter().map(|(word, _)| text::width(word, LABEL) + GAP).sum::<Px>() - GAP
    };
    if !suffix.is_empty() {
        words.push((suffix, T3));
        if room < width(&words) {
            words.pop();
            words.push((MARK, T3));
        }
    }
    let w = width(&words);
    let left = match align {
        Align::Left => at.x,
        Align::Middle => at.x - w / 2.0,
        Align::Right => at.x - w,
    };
    if words.len() == 1 {
        scene.text(at, value, LABEL, ink, align);
    } else {
        let mut x = left;
        for (word, ink) in words {
            scene.text(Point { x, ..at }, word.to_owned(), LABEL, ink, Align::Left);
            x += text::width(word, LABEL) + GAP;
        }
    }
    let name = tooltip(figure, arrow, look);
    let rect = Rect::new(left - 3.0, at.y - 11.0, w + 6.0, 14.0);
    scene.shapes.push(Shape::Hit { rect, name: name.clone() });
    // Every straight stretch can be pointed at.
    for pair in arrow.points.windows(2).chain(arrow.branch.windows(2)) {
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

/// Stands for words behind a value that have no room; hovering says them.
const MARK: &str = "*";

/// Between a value and the words behind it.
const GAP: Px = 3.0;
/// Whole values whole; others with one decimal below 1,000, and two digits that count below 1; 0.0 stays visible.
fn short(value: f64, unit: &Unit) -> String {
    match (unit, value.abs()) {
        (Unit::Count(_), _) => number::fixed(value, usize::from(value.fract() != 0.0)),
        (_, size) if 999.95 <= size || (value.fract() == 0.0 && value != 0.0) => number::fixed(value, 0),
        (_, size) if 0.95 <= size || size == 0.0 => number::fixed(value, 1),
        (_, size) => number::fixed(value, (1.0 - size.log10().floor()).clamp(1.0, 6.0) as usize),
    }
}

/// The number of the arrow under a point of the drawing; `None` over boxes and beside.
pub fn arrow_at(figure: &BoxArrow, scene: &Scene, at: Point, look: &DrawStyle) -> Option<usize> {
    let words = super::hit(scene, at)?;
    figure.arrows.iter().position(|arrow| tooltip(figure, arrow, look) == words)
}

fn tooltip(figure: &BoxArrow, arrow: &GraphArrow, look: &DrawStyle) -> String {
    let mut lines = vec![arrow.name.clone(), format!("\t{}", full(arrow.value, &figure.unit))];
    if arrow.second.is_some() {
        lines.push(format!("{}\t{}", column_name(BASELINE, look.language), full(arrow.second, &figure.unit)));
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
        lines.push(detail_lines(&arrow.detail, look));
    }
    lines.join("\n")
}

/// The steps of the peak's share (of a scheme's the colors from 0 to 100 %) and what has none, 16 px high.
pub fn legend(look: &DrawStyle) -> Scene {
    let mut scene = Scene::new(Size { w: 0.0, h: 16.0 });
    let title = look.tr("% of peak");
    scene.text(Point { x: 0.0, y: 12.0 }, title, LABEL, T2, Align::Left);
    let mut x = text::width(title, LABEL) + 12.0;
    if look.palette.has(NO_PEAK) {
        let inks = (0..=10).map(|tenth| peak_ink(Some(f64::from(tenth) / 10.0), look));
        let ramp = ramp_legend("0", "100", inks);
        let w = ramp.size.w;
        lay(&mut scene, ramp, Point { x, y: 0.0 });
        x += w + 12.0;
    } else {
        for step in 0..5 {
            let ink = peak_ink(Some(f64::from(step) * 0.2 + 0.05), look);
            let width = 1.5 + 0.8 * step as Px;
            scene.line(Point { x, y: 8.0 }, Point { x: x + 18.0, y: 8.0 }, Stroke::new(ink, width));
            let words = format!("{}–{}", step * 20, step * 20 + 20);
            scene.text(Point { x: x + 23.0, y: 12.0 }, words.clone(), LABEL, T2, Align::Left);
            x += 23.0 + text::width(&words, LABEL) + 12.0;
        }
    }
    let plain = Stroke::new(peak_ink(None, look), peak_width(None));
    scene.line(Point { x, y: 8.0 }, Point { x: x + 18.0, y: 8.0 }, plain);
    let words = look.tr("no peak");
    scene.text(Point { x: x + 23.0, y: 12.0 }, words, LABEL, T2, Align::Left);
    scene.size.w = (x + 23.0 + text::width(words, LABEL)).ceil();
    scene
}
