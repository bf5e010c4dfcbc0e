//! A scene as text, one line a shape, with the names of colors: for snapshots a person can read.
//!
//! ```text
//! size 384x206
//! fill 40,8 16x2 r2 p3
//! path 40,8 40,176 | line 1
//! text 34,180 "0.1" ui11 t3 right
//! ```

use super::palette::Ink;
use super::shape::{Align, Font, Scene, Shape, SpanRect, Stroke};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::order;
use std::fmt::Write;

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
