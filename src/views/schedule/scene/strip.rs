//! Above the lanes: how many blocks are resident on all units over time, and the ruler.

use super::{HEADS, Layout, Plot, RULER, STRIP, put, rule};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number::{MISSING, fixed, thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{fill, phrase};
use crate::draw::axis::round_step;
use crate::draw::style::{DrawStyle, HEAD, LABEL, LINE, LINE2, T1, T2, T3, compact, hairline};
use crate::scene::palette::Ink;
use crate::scene::{Align, Scene, Shape, SpanRect, SpanStyle, Stroke};

/// Least distance of labels on the ruler.
const APART: f64 = 120.0;
/// Where the strip's line stands when all that ever are resident are.
const TOP: Px = 12.0;

/// Times of the ticks with labels.
pub(super) fn ticks(layout: &Layout) -> Vec<f64> {
    let step = round_step(APART * layout.per_px).max(1.0);
    let first = (layout.window.0 / step).ceil();
    let n = ((layout.window.1 / step).floor() - first).clamp(0.0, 200.0) as u32;
    (0..=n).map(|i| (first + f64::from(i)) * step).collect()
}

/// Lines of the ticks through the lanes.
pub(super) fn grid(layout: &Layout, ticks: &[f64], spans: &mut Vec<SpanRect>) {
    let area = layout.area;
    for tick in ticks {
        let x0 = layout.x(*tick).floor();
        let span = SpanRect {
            x0,
            x1: x0 + 1.0,
            y: area.y,
            h: area.h,
            ink: LINE,
            alpha: 178,
            look: SpanStyle::Plain,
        };
        put(spans, area, span);
    }
}

/// A time as it stands on the ruler.
fn label(time: f64, unit: &Unit) -> String {
    match unit {
        Unit::Nanos => with_unit(time, unit),
        _ if time == 0.0 => "0".to_owned(),
        _ => format!("{} {}", compact(time), unit.word()),
    }
}

pub(super) fn ruler(
    plot: &Plot,
    layout: &Layout,
    size: Size,
    ticks: &[f64],
    look: &DrawStyle,
    scene: &mut Scene,
) {
    let top = STRIP;
    scene.fill(Rect::new(0.0, top, size.w, RULER), Ink::Token("s1"));
    let bottom = top + RULER - 1.0;
    rule(scene, Point { x: 0.0, y: bottom + 0.5 }, Point { x: size.w, y: bottom + 0.5 }, "line");
    rule(scene, Point { x: 0.0, y: top + 0.5 }, Point { x: size.w, y: top + 0.5 }, "line");
    for tick in ticks {
        let x = layout.x(*tick).floor();
        scene.fill(Rect::new(x, bottom - 8.0, 1.0, 8.0), LINE2);
        let text = label(*tick, &plot.schedule.launch.time);
        if x + 5.0 + crate::scene::text::width(&text, LABEL) <= layout.area.right() {
            scene.text(Point { x: x + 5.0, y: top + 15.0 }, text, LABEL, T3, Align::Left);
        }
    }
    let order = plot.order;
    let arrow = if order.is_descending { " ↓" } else { " ↑" };
    let mark = |is_sorted: bool| if is_sorted { arrow } else { "" };
    let y = top + 17.0;
    let ink = |is_sorted: bool| if is_sorted { T1 } else { T3 };
    let unit = format!("{}{}", plot.schedule.launch.terms.unit, mark(!order.is_by_running));
    scene.text(Point { x: 12.0, y }, unit, HEAD, ink(!order.is_by_running), Align::Left);
    let running = format!("{}{}", look.tr(phrase("running")), mark(order.is_by_running));
    scene.text(Point { x: HEADS - 12.0, y }, running, HEAD, ink(order.is_by_running), Align::Right);
}

/// The strip with its numbers.
pub(super) fn strip(plot: &Plot, layout: &Layout, size: Size, look: &DrawStyle, scene: &mut Scene) {
    scene.fill(Rect::new(0.0, 0.0, HEADS, STRIP), Ink::Token("s1"));
    let (resident, about) = (plot.resident, if plot.origins.is_guessed { "≈ " } else { "" });
    let mut write = |at: (Px, Px), text: String, ink: Ink| {
        scene.text(Point { x: at.0, y: at.1 }, text, LABEL, ink, Align::Left);
    };
    // The head of the view says how many a single unit has.
    let launch = &plot.schedule.launch;
    let title = if launch.has_units {
        fill(look.tr(phrase("Resident, all {unit}s")), &[("unit", launch.terms.unit)])
    } else {
        look.tr(phrase("Resident blocks")).to_owned()
    };
    write((12.0, 14.0), title, T2);
    if !plot.origins.is_comparable {
        write((12.0, 28.0), MISSING.to_owned(), T3);
        return edges(layout, size, scene);
    }
    let with = |words: &str, n: &str| fill(look.tr(words), &[("n", &format!("{about}{n}"))]);
    write((12.0, 28.0), with(phrase("peak {n}"), &thousands(resident.peak)), T3);
    // The page writes the number at the pointer over it.
    if let Some((start, end)) = plot.selected.map(|row| plot.span(row)) {
        let n = resident.at(f64::midpoint(start, end) as u64);
        write((12.0, 42.0), with(phrase("{n} at selection"), &thousands(n)), T3);
    }
    if layout.area.right() + 8.0 < size.w {
        let x = layout.area.right() + 8.0;
        write((x, 14.0), with(phrase("mean {n}"), &fixed(resident.mean, 1)), T2);
        let share = fixed(resident.mean / f64::from(resident.peak.max(1)) * 100.0, 1);
        write((x, 28.0), fill(look.tr(phrase("{n} % of peak")), &[("n", &share)]), T3);
    }
    counter(plot, layout, look, scene);
    edges(layout, size, scene);
}

fn edges(layout: &Layout, size: Size, scene: &mut Scene) {
    for x in [HEADS, layout.area.right()].into_iter().filter(|x| *x < size.w) {
        rule(scene, Point { x: x - 0.5, y: 0.0 }, Point { x: x - 0.5, y: size.h }, "line");
    }
}

/// The counter: one value a pixel.
fn counter(plot: &Plot, layout: &Layout, look: &DrawStyle, scene: &mut Scene) {
    let (area, resident) = (layout.area, plot.resident);
    let bottom = STRIP - 1.0;
    let per_block = (bottom - TOP) / (resident.peak.max(1) as Px);
    let y = |n: u32| bottom - n as Px * per_block;
    let accent = Ink::Token("accent");
    let mut line: Vec<Point> = Vec::new();
    let mut last = None;
    for column in 0..area.w as u32 {
        let x = area.x + column as Px;
        let n = resident.at(layout.time(x + 0.5).max(0.0) as u64);
        if last != Some(n) {
            line.extend(last.map(|last| Point { x, y: y(last) }));
            line.push(Point { x, y: y(n) });
            last = Some(n);
        }
    }
    line.extend(last.map(|last| Point { x: area.right(), y: y(last) }));
    if line.len() < 2 {
        return;
    }
    let mut filled = line.clone();
    filled.extend([Point { x: area.right(), y: bottom }, Point { x: area.x, y: bottom }]);
    scene.shapes.push(Shape::Polygon { points: filled, ink: look.faded(accent, 0.16) });
    let peak = Stroke { ink: T3, width: 1.0, dash: 2.0 };
    scene.line(Point { x: area.x, y: TOP - 0.5 }, Point { x: area.right(), y: TOP - 0.5 }, peak);
    scene.shapes.push(Shape::Path { points: line, stroke: hairline(accent) });
}
