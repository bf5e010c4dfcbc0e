//! Beside the lanes: names of units with the share of the time that they run; gap and idle as bars; all units at a glance.

use super::{HEADS, Layout, OVERVIEW, Plot, STRIP, WAITS};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number::fixed;
use crate::base::words::phrase;
use crate::draw::style::{DrawStyle, LABEL, S0, T1, T3, TEXT};
use crate::scene::palette::Ink;
use crate::scene::{Align, Scene, Shape, SpanRect, SpanStyle, Spans, Stroke};

/// Steps of the share where bars of waiting end.
const STEPS: [f64; 6] = [0.05, 0.1, 0.2, 0.3, 0.5, 1.0];
/// Height of the bars.
const BAR: Px = 10.0;

pub(super) fn sides(plot: &Plot, layout: &Layout, size: Size, look: &DrawStyle, scene: &mut Scene) {
    let area = layout.area;
    let chosen = plot.selected.and_then(|row| plot.schedule.unit.get(row as usize).copied());
    scene.shapes.push(Shape::Clip(Rect::new(0.0, area.y, size.w, area.h)));
    scene.fill(Rect::new(0.0, area.y, HEADS - 1.0, area.h), Ink::Token("s1"));
    for at in layout.seen.clone() {
        let (row, unit) = (layout.row(at), layout.rows[at]);
        let own = &plot.schedule.units[unit as usize];
        let ground = Rect::new(0.0, row.y, HEADS - 1.0, row.h);
        if chosen == Some(unit) {
            scene.fill(ground, Ink::Token("sel"));
            let rest = Rect::new(HEADS, row.y, size.w - HEADS, row.h);
            scene.fill(rest, Ink::Token("wash"));
        }
        let y = row.y + (row.h / 2.0).min(12.0) + 4.0;
        let unit_word = plot.schedule.launch.terms.unit;
        let name = if plot.schedule.launch.has_units {
            format!("{unit_word} {}", own.id)
        } else {
            look.tr(phrase("Unit unknown")).to_owned()
        };
        scene.text(Point { x: 12.0, y }, name, TEXT, T1, Align::Left);
        if plot.schedule.launch.has_units {
            let (running, _) = plot.schedule.shares(own, plot.origins);
            let share = format!("{} %", fixed(running * 100.0, 1));
            scene.text(Point { x: HEADS - 12.0, y }, share, LABEL, T3, Align::Right);
        }
    }
    scene.shapes.push(Shape::Unclip);
    if area.right() < size.w {
        waits(plot, layout, size, look, scene);
    }
}

/// Gap and idle of the units in view, to one scale.
fn waits(plot: &Plot, layout: &Layout, size: Size, look: &DrawStyle, scene: &mut Scene) {
    let area = layout.area;
    let shares = |unit: u32| {
        let own = &plot.schedule.units[unit as usize];
        let (running, gap) = plot.schedule.shares(own, plot.origins);
        (gap, (1.0 - running - gap).max(0.0))
    };
    let most = layout.rows.iter().map(|unit| shares(*unit)).map(|(gap, idle)| gap + idle).fold(0.0, f64::max);
    let full = STEPS.into_iter().find(|step| most <= *step).unwrap_or(1.0);
    let left = area.right() + 8.0;
    let room = WAITS - OVERVIEW - 16.0;
    let field = Rect::new(area.right(), area.y, WAITS, area.h);
    let mut spans = Vec::new();
    let plain = SpanRect { x0: 0.0, x1: 0.0, y: 0.0, h: 0.0, ink: T3, alpha: 255, look: SpanStyle::Plain };
    for at in layout.seen.clone() {
        let row = layout.row(at);
        let (gap, idle) = shares(layout.rows[at]);
        let (gap, all) = ((gap / full) as Px * room, ((gap + idle) / full) as Px * room);
        let y = row.y + (row.h / 2.0).min(12.0) - BAR / 2.0;
        let bar = SpanRect { y, h: BAR, ..plain };
        super::put(&mut spans, field, SpanRect { x0: left, x1: left + gap, ..bar });
        let idle = SpanRect { x0: left + gap, x1: left + all, ink: Ink::Token("wait"), ..bar };
        super::put(&mut spans, field, SpanRect { look: SpanStyle::Hatched, ..idle });
    }
    overview(plot, layout, full, &mut spans);
    scene.shapes.push(Shape::Spans(Spans { field, ground: S0, spans }));
    let h = f64::from(area.h);
    let total = layout.tops.last().copied().unwrap_or(1.0).max(h);
    let frame = Rect::new(
        size.w - OVERVIEW,
        area.y + (layout.scroll / total * h) as Px,
        OVERVIEW,
        ((h / total).min(1.0) * h) as Px,
    );
    if 0.0 < layout.max_scroll {
        let stroke = Stroke::new(Ink::Token("accent"), 1.0);
        scene.shapes.push(Shape::Outline { rect: frame, radius: 0.0, stroke });
    }
    let y = STRIP + 16.0;
    let words = look.tr(phrase("gap + idle"));
    scene.text(Point { x: left - 4.0, y }, words, LABEL, T3, Align::Left);
    let percent = format!("{} %", fixed(full * 100.0, 0));
    scene.text(Point { x: size.w - 4.0, y }, percent, LABEL, T3, Align::Right);
}

/// What all units wait, one line each or a mean of several.
fn overview(plot: &Plot, layout: &Layout, full: f64, spans: &mut Vec<SpanRect>) {
    let area = layout.area;
    let x0 = area.right() + WAITS - OVERVIEW + 2.0;
    let n = layout.rows.len();
    let lines = n.min((area.h / 2.0) as usize).max(1);
    let h = area.h / lines as Px;
    for line in 0..lines {
        let rows = &layout.rows[line * n / lines..(line + 1) * n / lines];
        let running = |unit: &u32| plot.schedule.shares(&plot.schedule.units[*unit as usize], plot.origins).0;
        let mean = rows.iter().map(running).sum::<f64>() / (rows.len().max(1)) as f64;
        let w = ((1.0 - mean) / full).clamp(0.0, 1.0) as Px * (OVERVIEW - 4.0);
        let y = area.y + line as Px * h;
        let rest = SpanRect {
            x0,
            x1: x0 + w.max(1.0),
            y,
            h: (h - 1.0).clamp(1.0, 6.0),
            ink: T3,
            alpha: 255,
            look: SpanStyle::Plain,
        };
        super::put(spans, area_of(area), rest);
    }
}

/// The column of waits beside the lanes.
fn area_of(area: Rect) -> Rect {
    Rect::new(area.right(), area.y, WAITS, area.h)
}
