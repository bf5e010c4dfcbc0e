//! What is drawn, without a screen: shapes, colors, scales, ticks, text widths.
//!
//! A drawing is a list of shapes; it is replayed on a canvas, written as SVG, or dumped as text for tests.

pub mod palette;
pub mod raster;
pub mod shape;
pub mod text;

pub mod svg;
pub mod table;

pub use shape::{Align, Font, Scene, Shape, SpanRect, SpanStyle, Spans, Stroke};

use crate::base::geometry::{Point, Px, Rect};
use crate::base::time::{Clock, Ticks, Window};
use crate::base::{number, order};
use palette::Ink;
use std::fmt::Write;

// From data to pixels and back: linear and logarithmic scales.

/// How an axis maps values to pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    domain: [f64; 2],
    range: [f64; 2],
    is_log: bool,
}

impl Scale {
    /// Equal steps: `domain` onto `range` (pixels, in any direction). An empty domain is made one wide.
    pub fn linear(domain: [f64; 2], range: [f64; 2]) -> Self {
        let [low, high] = domain;
        let high = if low == high { low + 1.0 } else { high };
        Self { domain: [low, high], range, is_log: false }
    }

    /// Equal factors. Ends that are not positive are moved to where they can be drawn.
    pub fn log(domain: [f64; 2], range: [f64; 2]) -> Self {
        let high = if 0.0 < domain[1] { domain[1] } else { 1.0 };
        let low = if 0.0 < domain[0] { domain[0] } else { high / 1e6 };
        let high = if low == high { low * 10.0 } else { high };
        Self { domain: [low.log10(), high.log10()], range, is_log: true }
    }

    /// The pixel of a value; `None` when it has no place (not finite, or not positive on a log scale).
    pub fn px(&self, value: f64) -> Option<f64> {
        let value = if self.is_log { value.log10() } else { value };
        let share = (value - self.domain[0]) / (self.domain[1] - self.domain[0]);
        share.is_finite().then(|| self.range[0] + share * (self.range[1] - self.range[0]))
    }

    /// The value of a pixel.
    pub fn value(&self, px: f64) -> f64 {
        let share = (px - self.range[0]) / (self.range[1] - self.range[0]);
        let value = self.domain[0] + share * (self.domain[1] - self.domain[0]);
        if self.is_log { 10f64.powf(value) } else { value }
    }
}

// Puts drawings beside each other.

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

// A scene as text, one line a shape, with the names of colors: for snapshots a person can read.
//
// ```text
// size 384x206
// fill 40,8 16x2 r2 p3
// path 40,8 40,176 | line 1
// text 34,180 "0.1" ui11 t3 right
// ```

/// The scene as text. Dense fields are summed up: how many spans or cells of which color.
pub fn dump(scene: &Scene) -> String {
    let mut out = format!("size {}x{}\n", num(scene.size.w), num(scene.size.h));
    for shape in &scene.shapes {
        line(&mut out, shape);
        out.push('\n');
    }
    out
}

fn line(out: &mut String, shape: &Shape) {
    // Writing into a String never fails, so results are dropped.
    let _ = match shape {
        Shape::Fill { rect, radius, ink } => {
            write!(out, "fill {}{} {}", area(*rect), round(*radius), name(*ink))
        }
        Shape::Outline { rect, radius, stroke } => {
            write!(out, "outline {}{} {}", area(*rect), round(*radius), pen(*stroke))
        }
        Shape::Path { points, stroke } => write!(out, "path {} | {}", places(points), pen(*stroke)),
        Shape::Curve { points, stroke } => write!(out, "curve {} | {}", places(points), pen(*stroke)),
        Shape::Polygon { points, ink } => write!(out, "polygon {} | {}", places(points), name(*ink)),
        Shape::Text { at, text, font, ink, align, turn } => {
            let turn = if *turn == 0.0 { String::new() } else { format!(" turned {}", num(*turn)) };
            let align = match align {
                Align::Left => "",
                Align::Middle => " middle",
                Align::Right => " right",
            };
            write!(out, "text {} {text:?} {} {}{align}{turn}", place(*at), face(*font), name(*ink))
        }
        Shape::Spans(spans) => {
            let colors = spans.spans.iter().map(|s: &SpanRect| s.ink);
            write!(out, "spans {} on {}: {}", area(spans.field), name(spans.ground), tally(colors))
        }
        Shape::Cells { rect, width, height, colors } => {
            write!(
                out,
                "cells {} {width}x{height}: {}",
                area(*rect),
                tally(colors.iter().map(|&c| Ink::Rgba(c)))
            )
        }
        Shape::Clip(rect) => write!(out, "clip {}", area(*rect)),
        Shape::Unclip => write!(out, "unclip"),
        Shape::Hit { rect, name } => write!(out, "hit {} {name:?}", area(*rect)),
    };
}

/// Up to one decimal, without a trailing zero.
fn num(value: Px) -> String {
    let value = (value * 10.0).round() / 10.0;
    if value == 0.0 { "0".to_owned() } else { format!("{value}") }
}

fn place(p: Point) -> String {
    format!("{},{}", num(p.x), num(p.y))
}

fn places(points: &[Point]) -> String {
    let text: Vec<String> = points.iter().map(|p| place(*p)).collect();
    if text.len() <= 12 {
        return text.join(" ");
    }
    format!("{} … {} ({} points)", text[..4].join(" "), text[text.len() - 2..].join(" "), text.len())
}

fn area(rect: Rect) -> String {
    format!("{},{} {}x{}", num(rect.x), num(rect.y), num(rect.w), num(rect.h))
}

fn round(radius: Px) -> String {
    if radius == 0.0 { String::new() } else { format!(" r{}", num(radius)) }
}

fn pen(stroke: Stroke) -> String {
    let dash = if stroke.dash == 0.0 { String::new() } else { format!(" dash {}", num(stroke.dash)) };
    format!("{} {}{dash}", name(stroke.ink), num(stroke.width))
}

fn face(font: Font) -> String {
    let weight = if font.weight == 400 { String::new() } else { format!("/{}", font.weight) };
    format!("{}{}{weight}", if font.is_mono { "mono" } else { "ui" }, num(font.size))
}

fn name(ink: Ink) -> String {
    match ink {
        Ink::None => "none".to_owned(),
        _ => ink.name().into_owned(),
    }
}

/// `12 p3, 4 line, 1 none, and 7 more colors`, most frequent first.
fn tally(inks: impl Iterator<Item = Ink>) -> String {
    let mut counts: Vec<(Ink, usize)> = Vec::new();
    let mut at = crate::base::map::Map::default();
    let mut total = 0;
    for ink in inks {
        total += 1;
        let row = *at.entry(ink).or_insert(counts.len());
        match counts.get_mut(row) {
            Some((_, n)) => *n += 1,
            None => counts.push((ink, 1)),
        }
    }
    order::sort_by(&mut counts, |a, b| b.1.cmp(&a.1).then_with(|| a.0.name().cmp(&b.0.name())));
    let shown: Vec<String> = counts.iter().take(8).map(|(ink, n)| format!("{n} {}", name(*ink))).collect();
    let more =
        if counts.len() <= 8 { String::new() } else { format!(", and {} more colors", counts.len() - 8) };
    format!("{total} ({}{more})", shown.join(", "))
}

// Where the ticks of an axis go and what they say.
//
// Steps are 1, 2 or 5 times a power of ten. On a time axis the left end of the window may be an epoch: positions are
// computed from whole ticks, and labels tell the time since an origin that the caller chooses.

/// One tick of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where, in pixels from the left edge.
    pub x: f64,
    /// What it says; empty for the small ones between.
    pub label: String,
}

/// Parts of a whole tick that steps are counted in.
const FINE: i128 = 1_000;

/// Ticks of a time axis of `width` pixels: those with labels at least `apart` pixels from each other, and four small ones
/// between each two. Labels tell the time since `origin`.
pub fn time(window: &Window, width: f64, apart: f64, origin: Ticks, clock: Clock) -> Vec<Tick> {
    if width <= 0.0 || window.dur <= 0.0 {
        return Vec::new();
    }
    let step = step(window.dur * apart / width);
    at_steps(window, width, apart, origin, clock, i128::from(step) * FINE)
}

/// The same where labels have so much room, and at least two of them are whole: where the window holds only a few ticks,
/// they stand between ticks too. Labels do not run into each other.
pub fn labelled(
    window: &Window,
    width: f64,
    apart: f64,
    (origin, clock): (Ticks, Clock),
    room: impl Fn(&str) -> f64,
) -> Vec<Tick> {
    let first = time(window, width, apart, origin, clock);
    if first.is_empty() {
        return first;
    }
    let is_whole = |t: &&Tick| !t.label.is_empty() && 0.0 <= t.x && t.x + room(&t.label) <= width;
    let has_two = |ticks: &[Tick]| 2 <= ticks.iter().filter(is_whole).count();
    let is_loose = |ticks: &[Tick], step: i128| {
        let distance = step as f64 / FINE as f64 * width / window.dur;
        ticks.iter().all(|tick| tick.label.is_empty() || room(&tick.label) <= distance)
    };
    let step = i128::from(step(window.dur * apart / width)) * FINE;
    let fits = |&step: &i128| {
        let ticks = at_steps(window, width, apart, origin, clock, step);
        (is_loose(&ticks, step) && has_two(&ticks)).then_some(ticks)
    };
    let wide = [step, wider(step), wider(wider(step))];
    let fine = std::iter::successors(Some(finer(step)), |step| Some(finer(*step))).take(4);
    // Round steps first; long labels may leave room only for others.
    let round: Vec<i128> = wide.into_iter().chain(fine).collect();
    let others = round.iter().flat_map(|step| [step * 2, step / 2, step * 3 / 2]).filter(|step| 0 < *step);
    round.iter().copied().chain(others).find_map(|step| fits(&step)).unwrap_or(first)
}

/// Ticks at steps of so many fine parts.
fn at_steps(window: &Window, width: f64, apart: f64, origin: Ticks, clock: Clock, step: i128) -> Vec<Tick> {
    // Below five ticks there is no whole number of small steps: then only labelled ones stand.
    let small = if 5 * FINE <= step { step / 5 } else { step };
    let from_origin = (i128::from(window.start) - i128::from(origin)) * FINE;
    let first = from_origin.div_euclid(small) * small;
    let mut ticks = Vec::new();
    for i in 0.. {
        let at = first + i * small;
        let x = ((at - from_origin) as f64 / FINE as f64 - window.part) * width / window.dur;
        if width < x {
            break;
        }
        let is_major = at.rem_euclid(step) == 0;
        let label = if is_major { label(at, step, clock) } else { String::new() };
        // One major tick left of the edge stays: its label may reach into the picture.
        if -apart <= x {
            ticks.push(Tick { x, label });
        }
    }
    ticks
}

/// The smallest of 1, 2, 5, 10, 20, … that is not less than `least`.
fn step(least: f64) -> i64 {
    let mut step: i64 = 1;
    for factor in [2, 5, 10].into_iter().cycle() {
        let power = 10_i64.saturating_pow(step.ilog10());
        if least <= step as f64 || i64::MAX / 20 < step {
            break;
        }
        step = power.saturating_mul(factor);
    }
    step
}

/// Of 1, 2, 5, 10, 20, … the one before.
fn finer(step: i128) -> i128 {
    let power = 10_i128.pow(step.max(1).ilog10());
    if step / power == 5 { step * 2 / 5 } else { (step / 2).max(1) }
}

/// The one after.
fn wider(step: i128) -> i128 {
    let power = 10_i128.pow(step.max(1).ilog10());
    if step / power == 2 { step * 5 / 2 } else { step * 2 }
}

/// A time in fine parts as the label of a tick: in the unit that fits its steps, with as many decimals as they need.
fn label(time: i128, step: i128, clock: Clock) -> String {
    let units: &[(i128, &str)] = match clock {
        Clock::Nanos => &[(1, "ns"), (1_000, "µs"), (1_000_000, "ms"), (1_000_000_000, "s")],
        Clock::Cycles { .. } => &[(1, "cycles")],
        Clock::Steps => &[(1, "")],
    };
    let size = time.unsigned_abs();
    let fits = |&&(per, _): &&(i128, &str)| {
        // Three decimals at most: the unit is never more than a thousand steps.
        per * FINE <= step.saturating_mul(1_000) && (per * FINE).unsigned_abs() <= size
    };
    let &(per, unit) = units.iter().rev().find(fits).unwrap_or(&units[0]);
    let per = per * FINE;
    let is_whole = |digits: &usize| step.saturating_mul(10_i128.pow(*digits as u32)) % per == 0;
    let digits = (0..9).find(is_whole).unwrap_or(9);
    let text = if digits == 0 {
        number::thousands(time / per)
    } else {
        let whole = number::thousands((size / per.unsigned_abs()) as i128);
        let rest = size % per.unsigned_abs();
        let rest = format!("{rest:0width$}", width = per.ilog10() as usize);
        format!("{}{whole}.{}", if time < 0 { "−" } else { "" }, &rest[..digits.min(rest.len())])
    };
    if unit.is_empty() { text } else { format!("{text} {unit}") }
}
