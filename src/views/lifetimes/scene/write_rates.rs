//! Kernels by how often they write and how long their data live, with what each device holds.

use super::layout::decade;
use super::{Line, OUTLIVES, nothing};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number::thousands;
use crate::base::order;
use crate::base::words::{fill, phrase};
use crate::draw::style::{DrawStyle, LABEL, LINE, LINE2, S0, T1, T2, T3, compact, hairline};
use crate::scene::palette::Ink;
use crate::scene::{Align, Scale, Scene, Shape, Stroke, text};

/// Room of labels: left, right, top, bottom.
const ROOM: [Px; 4] = [64.0, 120.0, 12.0, 36.0];
/// How near a point must be.
const NEAR: Px = 8.0;
/// Points whose names are looked at, and how wide a name may be.
const NAMED: usize = 400;
const NAME_ROOM: Px = 150.0;
/// What the axis counts.
const STORES: &str = phrase("stores, MHz");

/// What is drawn.
#[derive(Default)]
pub struct WriteRates {
    /// Kernels at each level.
    pub points: Vec<KernelPoint>,
    /// What devices hold, the shortest first: MHz up to which a retention in µs holds, ascending.
    pub regions: Vec<(Line, Vec<(f64, f64)>)>,
    /// Names of the levels.
    pub levels: Vec<String>,
    /// Names of the kernels, by their rows.
    pub names: Vec<String>,
    /// Of each level, how many kernels have no point, and why: they store nothing, or no lifetime of theirs counts.
    pub left_out: Vec<[u64; 2]>,
    /// The chosen kernel.
    pub selected: Option<usize>,
}

/// A kernel at a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelPoint {
    /// Its row.
    pub kernel: usize,
    pub level: usize,
    /// Stores in a microsecond.
    pub mhz: f64,
    /// Nine of ten lifetimes are at most so long, in µs.
    pub micros: f64,
}

struct Plane {
    rect: Rect,
    x: Scale,
    y: Scale,
    decades: (i32, i32),
    /// Decades of nanoseconds.
    nanos: u32,
}

impl Plane {
    fn new(plot: &WriteRates, size: Size) -> Self {
        let [left, right, top, bottom] = ROOM;
        let rect = Rect::new(left, top, (size.w - left - right).max(1.0), (size.h - top - bottom).max(1.0));
        let rates = plot.points.iter().map(|point| point.mhz).filter(|mhz| 0.0 < *mhz);
        let (least, most) =
            rates.fold((f64::INFINITY, 0.0_f64), |(least, most), mhz| (least.min(mhz), most.max(mhz)));
        let (least, most) = if most == 0.0 { (1.0, 1000.0) } else { (least, most) };
        let from = least.log10().floor() as i32;
        let to = (most.log10().ceil() as i32).max(from + 1);
        let longest = plot.points.iter().map(|point| point.micros * 1000.0).fold(1e7, f64::max);
        let nanos = (longest.log10().ceil() as u32).min(15);
        let x = Scale::log([10_f64.powi(from), 10_f64.powi(to)], [rect.x.into(), rect.right().into()]);
        let y = Scale::log([1.0, 10_f64.powi(nanos.cast_signed())], [rect.bottom().into(), rect.y.into()]);
        Self { rect, x, y, decades: (from, to), nanos }
    }

    fn x(&self, mhz: f64) -> Px {
        self.x.px(mhz).map_or(self.rect.x, |x| (x as Px).clamp(self.rect.x, self.rect.right()))
    }

    fn y(&self, micros: f64) -> Px {
        let y = self.y.px((micros * 1000.0).max(1.0));
        y.map_or(self.rect.bottom(), |y| (y as Px).clamp(self.rect.y, self.rect.bottom()))
    }

    fn at(&self, point: &KernelPoint) -> Point {
        Point { x: self.x(point.mhz), y: self.y(point.micros) }
    }
}

/// What a device holds at a rate of writes.
fn retention(points: &[(f64, f64)], mhz: f64) -> f64 {
    points.iter().find(|(to, _)| mhz <= *to).or(points.last()).map_or(0.0, |(_, micros)| *micros)
}

/// Draws it.
pub fn draw(plot: &WriteRates, size: Size, look: &DrawStyle) -> Scene {
    let mut scene = Scene::new(size);
    if plot.points.is_empty() {
        nothing(&mut scene, look.tr(phrase("No lifetimes with a write rate.")));
        return scene;
    }
    let plane = Plane::new(plot, size);
    regions(plot, &plane, look, &mut scene);
    axes(&plane, look, &mut scene);
    for point in &plot.points {
        let at = plane.at(point);
        let holds = |(_, points): &&(Line, Vec<(f64, f64)>)| point.micros <= retention(points, point.mhz);
        let ink = plot.regions.iter().find(holds).map_or(OUTLIVES, |(line, _)| line.ink);
        mark(at, point, ink, plot.selected == Some(point.kernel), &mut scene);
    }
    names(plot, &plane, &mut scene);
    left_out(plot, &plane, look, &mut scene);
    // Filled is the first level, a ring the next.
    let mut x = plane.rect.x + 8.0;
    for (level, name) in plot.levels.iter().enumerate() {
        let y = plane.rect.y + 10.0;
        let point = KernelPoint { kernel: 0, level, mhz: 0.0, micros: 0.0 };
        mark(Point { x: x + 5.0, y }, &point, T2, false, &mut scene);
        scene.text(Point { x: x + 14.0, y: y + 4.0 }, name.as_str(), LABEL, T2, Align::Left);
        x += 30.0 + text::width(name, LABEL);
    }
    scene
}

/// Names beside their points, as far as they do not cover each other or another point; the chosen kernel's first. Where
/// points lie on each other the name says how many more there are.
fn names(plot: &WriteRates, plane: &Plane, scene: &mut Scene) {
    let around = |at: Point| Rect::new(at.x - NEAR, at.y - NEAR, 2.0 * NEAR, 2.0 * NEAR);
    let mut taken: Vec<Rect> = Vec::new();
    // Once for each point, not for each pair.
    let places: Vec<Point> = plot.points.iter().map(|point| plane.at(point)).collect();
    let all = || plot.points.iter().zip(places.iter().copied());
    let mut named: Vec<(&KernelPoint, Point)> = all().take(NAMED).collect();
    order::sort_by_key(&mut named, |(point, _)| plot.selected != Some(point.kernel));
    for (point, at) in named {
        let Some(name) = plot.names.get(point.kernel).filter(|name| !name.is_empty()) else { continue };
        let is_here = |(other, own): &(&KernelPoint, Point)| {
            other.kernel != point.kernel && (own.x - at.x).hypot(own.y - at.y) <= NEAR
        };
        let n_more = all().filter(is_here).count();
        let mut name = text::cut_middle(name, LABEL, NAME_ROOM);
        if 0 < n_more {
            name = format!("{name} +{n_more}").into();
        }
        let w = text::width(&name, LABEL);
        let is_right = at.x + 10.0 + w < plane.rect.right();
        let x = if is_right { at.x + 10.0 } else { at.x - 10.0 - w };
        let rect = Rect::new(x, at.y - 8.0, w, 14.0);
        let others = all().filter(|other| !is_here(other) && other.0 != point);
        let others = others.map(|(_, own)| around(own));
        if others.chain(taken.iter().copied()).any(|other| other.meets(rect)) {
            continue;
        }
        taken.push(rect);
        scene.text(Point { x, y: at.y + 4.0 }, name, LABEL, T2, Align::Left);
    }
}

/// Which kernels have no point.
fn left_out(plot: &WriteRates, plane: &Plane, look: &DrawStyle, scene: &mut Scene) {
    let of_level = |(name, [idle, uncounted]): (&String, &[u64; 2])| {
        let parts =
            [(*idle, phrase("without stores: {n}")), (*uncounted, phrase("without counted lifetimes: {n}"))];
        let parts = parts.into_iter().filter(|(n, _)| 0 < *n);
        let parts: Vec<String> =
            parts.map(|(n, words)| fill(look.tr(words), &[("n", &thousands(n.cast_signed()))])).collect();
        (!parts.is_empty()).then(|| format!("{name}: {}", parts.join(", ")))
    };
    let parts: Vec<String> = plot.levels.iter().zip(&plot.left_out).filter_map(of_level).collect();
    if parts.is_empty() {
        return;
    }
    let words = format!("{} {}", look.tr(phrase("Left out:")), parts.join("; "));
    let room = plane.rect.w - text::width(look.tr(STORES), LABEL) - 16.0;
    let at = Point { x: plane.rect.x, y: plane.rect.bottom() + 30.0 };
    scene.text(at, text::cut_end(&words, LABEL, room), LABEL, T3, Align::Left);
}

fn mark(at: Point, point: &KernelPoint, ink: Ink, is_selected: bool, scene: &mut Scene) {
    let radius = if is_selected { 7.0 } else { 5.0 };
    super::bars::dot(at, radius + 1.5, if is_selected { T1 } else { S0 }, scene);
    super::bars::dot(at, radius, ink, scene);
    if 0 < point.level {
        super::bars::dot(at, radius - 2.0, S0, scene);
    }
}

/// What each device holds, from below.
fn regions(plot: &WriteRates, plane: &Plane, look: &DrawStyle, scene: &mut Scene) {
    let rect = plane.rect;
    let mut label_y = Px::INFINITY;
    for (line, points) in plot.regions.iter().rev() {
        let mut corners = Vec::with_capacity(2 * points.len() + 2);
        let mut x = rect.x;
        for (at, (to, micros)) in points.iter().enumerate() {
            let y = plane.y(*micros);
            let right = if at + 1 == points.len() { rect.right() } else { plane.x(*to) };
            corners.extend([Point { x, y }, Point { x: right, y }]);
            x = right;
        }
        let Some(last) = corners.last().copied() else { continue };
        let edge = corners.clone();
        corners.extend([Point { x: rect.right(), y: rect.bottom() }, Point { x: rect.x, y: rect.bottom() }]);
        scene.shapes.push(Shape::Polygon { points: corners, ink: look.faded(line.ink, 0.10) });
        scene.shapes.push(Shape::Path { points: edge, stroke: Stroke::new(line.ink, 1.5) });
        // Names stand beside their lines, not over each other.
        let y = if (last.y - label_y).abs() < 14.0 { label_y + 14.0 } else { last.y };
        label_y = y;
        let name = text::cut_middle(&line.name, LABEL, ROOM[1] - 12.0);
        scene.text(Point { x: rect.right() + 8.0, y: y + 4.0 }, name, LABEL, T2, Align::Left);
    }
}

fn axes(plane: &Plane, look: &DrawStyle, scene: &mut Scene) {
    let rect = plane.rect;
    for at in 0..=plane.nanos {
        let y = plane.y(10_f64.powi(at.cast_signed()) / 1000.0).round() + 0.5;
        scene.line(Point { x: rect.x, y }, Point { x: rect.right(), y }, hairline(LINE));
        scene.text(Point { x: rect.x - 8.0, y: y + 4.0 }, decade(at, true), LABEL, T3, Align::Right);
    }
    for at in plane.decades.0..=plane.decades.1 {
        let value = 10_f64.powi(at);
        let x = plane.x(value).round() + 0.5;
        scene.line(Point { x, y: rect.y }, Point { x, y: rect.bottom() }, hairline(LINE));
        scene.text(Point { x, y: rect.bottom() + 15.0 }, compact(value), LABEL, T3, Align::Middle);
    }
    let y = rect.bottom() + 0.5;
    scene.line(Point { x: rect.x, y }, Point { x: rect.right(), y }, hairline(LINE2));
    let end = Point { x: rect.right(), y: rect.bottom() + 30.0 };
    scene.text(end, look.tr(STORES), LABEL, T3, Align::Right);
}

/// The kernel under a point, with its level.
pub fn under(plot: &WriteRates, size: Size, at: Point) -> Option<KernelPoint> {
    let plane = Plane::new(plot, size);
    let far = |point: &KernelPoint| {
        let own = plane.at(point);
        (own.x - at.x).hypot(own.y - at.y)
    };
    let near = plot.points.iter().map(|point| (far(point), *point)).filter(|(far, _)| *far <= NEAR);
    near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, point)| point)
}
