//! Above the lanes: the overview of all threads and the ruler.

use super::layout::Layout;
use super::{Inks, Plot, put};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number::thousands;
use crate::base::words::{fill, phrase};
use crate::draw::axis::round_step;
use crate::draw::style::{DrawStyle, LABEL, LINE, LINE2, S0, T2, T3, hairline};
use crate::scene::palette::Ink;
use crate::scene::{Align, Scene, Shape, SpanRect, Spans, Stroke, text};
use crate::views::executions::compute::Axis;

/// Least distance of labels on the ruler.
const APART: f64 = 90.0;
/// Room above and below the bars of the overview.
const EDGE: Px = 2.0;

/// What an axis is called.
pub(super) fn axis_name(axis: Axis) -> &'static str {
    match axis {
        Axis::Block => phrase("block ordinal"),
        Axis::Instruction => phrase("instruction ordinal"),
        Axis::Time => phrase("recorded time"),
    }
}

/// Places of the ticks with labels.
pub(super) fn ticks(layout: &Layout) -> Vec<f64> {
    let step = round_step(APART * layout.per_px).max(1.0);
    let first = (layout.window.0 / step).ceil();
    let n = ((layout.window.1 / step).floor() - first).clamp(0.0, 200.0) as u32;
    (0..=n).map(|at| (first + f64::from(at)) * step).collect()
}

/// Lines of the ticks through the lanes.
pub(super) fn grid(layout: &Layout, area: Rect, ticks: &[f64], spans: &mut Vec<SpanRect>) {
    for tick in ticks {
        put(spans, area, Rect::new(layout.x(*tick).floor(), area.y, 1.0, area.h), (LINE, 178));
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
    let ruler = layout.ruler;
    scene.fill(Rect::new(ruler.x, ruler.y, ruler.w, ruler.h), Ink::Token("s1"));
    for y in [ruler.y, ruler.bottom() - 1.0] {
        scene.line(Point { x: 0.0, y: y + 0.5 }, Point { x: size.w, y: y + 0.5 }, hairline(LINE));
    }
    for (number, tick) in ticks.iter().enumerate() {
        let x = layout.x(*tick).floor();
        scene.fill(Rect::new(x, ruler.bottom() - 8.0, 1.0, 7.0), LINE2);
        let mut label = thousands(*tick as i64);
        if number == 0 {
            label = format!("{label} {}", look.tr(axis_name(plot.axis)));
        }
        if x + 5.0 + text::width(&label, LABEL) <= ruler.right() {
            scene.text(Point { x: x + 5.0, y: ruler.y + 15.0 }, label, LABEL, T3, Align::Left);
        }
    }
}

/// All threads along the whole axis: the height is the mean of active lanes, and what is seen has a frame.
pub(super) fn overview(plot: &Plot, layout: &Layout, inks: &Inks, look: &DrawStyle, scene: &mut Scene) {
    let area = layout.overview;
    if area.h < 1.0 {
        return;
    }
    let columns = &plot.run.arranged.course(plot.axis).columns;
    let threads = plot.run.threads().max(1) as f64 * f64::from(plot.run.program.lanes.max(1));
    let w = f64::from(area.w) / columns.len().max(1) as f64;
    let mut spans = Vec::new();
    for (number, column) in columns.iter().enumerate() {
        let [x0, x1] = [number, number + 1].map(|at| area.x + (at as f64 * w) as Px);
        let apart = if 4.0 < x1 - x0 { 1.0 } else { 0.0 };
        let share = (column.active / threads).min(1.0) as Px;
        let h = if column.sum.executions == 0 { 0.0 } else { (share * (area.h - 2.0 * EDGE)).max(1.0) };
        put(
            &mut spans,
            area,
            Rect::new(x0, area.bottom() - EDGE - h, x1 - x0 - apart, h),
            inks.of(&column.sum),
        );
    }
    scene.shapes.push(Shape::Spans(Spans { field: area, ground: S0, spans }));
    let x_of = |place: f64| area.x + (f64::from(area.w) * place / layout.length) as Px;
    let (left, right) = (x_of(layout.window.0), x_of(layout.window.1));
    for (from, to) in [(area.x, left), (right, area.right())] {
        scene.fill(Rect::new(from, area.y, (to - from).max(0.0), area.h), Ink::Token("veil"));
    }
    if plot.window.is_some() {
        let rect = Rect::new(left, area.y, (right - left).max(2.0), area.h);
        let stroke = Stroke::new(Ink::Token("accent"), 1.0);
        scene.shapes.push(Shape::Outline { rect, radius: 0.0, stroke });
    }
    if 0.0 < area.x {
        let last = thousands((layout.length as i64 - 1).max(0));
        let words = look.tr(phrase("0 – {last}, {axis}"));
        let words = fill(words, &[("last", &last), ("axis", look.tr(axis_name(plot.axis)))]);
        let words = text::cut_end(&words, LABEL, area.x - 24.0).into_owned();
        scene.text(Point { x: 12.0, y: area.h / 2.0 + 4.0 }, words, LABEL, T2, Align::Left);
    }
}
