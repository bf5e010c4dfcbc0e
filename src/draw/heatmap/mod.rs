//! Heat maps: many cells colored by value, with axes, sums at the margins, named bands, and a read-out.
//!
//! A frame costs one pass over the cells in the window and at most one color a pixel: cells that share a pixel are
//! folded as the figure says (sum, mean, largest).

mod cells;

use super::axis::Axis;
use super::style::{DrawStyle, LABEL, LINE, LINE2, S0, T1, T2, T3, compact, full, series_ink, signed};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::fill;
use crate::model::figure::{FigureState, Fold, HeatMap, Ramp, ScaleKind, Shading};
use crate::scene::palette::{Ink, RampName};
use crate::scene::shape::{SpanRect, SpanStyle};
use crate::scene::{Align, Scene, Shape, Spans, Stroke, text};
use cells::Cells;

const TOP_MARGIN: Px = 48.0;
const RIGHT_MARGIN: Px = 64.0;
const BOTTOM: Px = 32.0;

/// Height for this width.
pub fn height(figure: &HeatMap, width: Px) -> Px {
    let margin = if figure.has_margins { TOP_MARGIN } else { 0.0 };
    let rows = figure.height as Px;
    // Cells of at least 3 px when there are few rows, a picture of quiet proportions when there are many.
    let map = (rows * 14.0).min(width * 0.62).max(rows.min(80.0) * 3.0).max(60.0);
    map.ceil() + margin + BOTTOM
}

/// Where everything of one drawing lies.
pub struct Layout {
    /// Where the cells lie.
    pub map: Rect,
    /// Columns in the window.
    pub columns: (usize, usize),
    /// Rows in the window, by number (not from the top).
    pub rows: (usize, usize),
}

impl Layout {
    /// Lays a heat map out.
    pub fn new(figure: &HeatMap, size: Size, state: &FigureState) -> Self {
        let left = left_margin(figure);
        let (top, right) = if figure.has_margins { (TOP_MARGIN + 4.0, RIGHT_MARGIN) } else { (1.0, 16.0) };
        let map = Rect::new(
            left,
            top,
            (size.w - left - right).max(1.0).floor(),
            (size.h - top - BOTTOM).max(1.0).floor(),
        );
        let cut = |window: Option<(f64, f64)>, n: u32| {
            let n = n as usize;
            let (a, b) = window.unwrap_or((0.0, 1.0));
            let from = ((a.clamp(0.0, 1.0) * n as f64).floor() as usize).min(n.saturating_sub(1));
            (from, ((b.clamp(0.0, 1.0) * n as f64).ceil() as usize).clamp(from + 1, n.max(1)))
        };
        let (a, b) = cut(state.y_window, figure.height);
        let rows = if figure.is_upward {
            (
                figure.height as usize - b.min(figure.height as usize),
                figure.height as usize - a.min(figure.height as usize),
            )
        } else {
            (a, b)
        };
        Self { map, columns: cut(state.x_window, figure.width), rows }
    }

    /// The column and row under a point.
    pub fn cell(&self, figure: &HeatMap, at: Point) -> Option<(usize, usize)> {
        if !self.map.contains(at) || figure.width == 0 || figure.height == 0 {
            return None;
        }
        let part = |share: Px, (a, b): (usize, usize)| a + ((share * (b - a) as Px) as usize).min(b - a - 1);
        let x = part((at.x - self.map.x) / self.map.w, self.columns);
        let from_top = part((at.y - self.map.y) / self.map.h, (0, self.rows.1 - self.rows.0));
        let y = if figure.is_upward { self.rows.1 - 1 - from_top } else { self.rows.0 + from_top };
        Some((x, y))
    }

    /// The row at a height.
    fn row_at(&self, figure: &HeatMap, y: Px) -> usize {
        let share = ((y - self.map.y) / self.map.h).clamp(0.0, 1.0);
        let share = if figure.is_upward { 1.0 - share } else { share };
        let n = self.rows.1 - self.rows.0;
        self.rows.0 + ((share * n as Px) as usize).min(n.saturating_sub(1))
    }

    /// Top edge of a row (and bottom edge of the one before).
    fn y_of(&self, figure: &HeatMap, row: usize) -> Px {
        let n = (self.rows.1 - self.rows.0) as Px;
        let share = (row as Px - self.rows.0 as Px) / n;
        let share = if figure.is_upward { 1.0 - share } else { share };
        self.map.y + share.clamp(0.0, 1.0) * self.map.h
    }
}

fn left_margin(figure: &HeatMap) -> Px {
    let width = |name: &String| text::width(name, LABEL);
    let names = figure.y.names.iter().map(width);
    let names = if figure.bands.is_empty() {
        names.fold(58.0, Px::max)
    } else {
        figure.bands.iter().map(|b| width(&b.name)).chain(names).fold(24.0, Px::max) + 16.0
    };
    (names.min(130.0) + 8.0 + if figure.y.label.name.is_empty() { 0.0 } else { 22.0 }).ceil()
}

/// Draws the part of a heat map that its state shows.
pub fn draw(figure: &HeatMap, size: Size, look: &DrawStyle, state: &FigureState) -> Scene {
    let mut scene = Scene::new(size);
    let layout = Layout::new(figure, size, state);
    let cells = Cells::new(figure, &layout);
    scene.shapes.push(cells.shape(figure, &layout, look));
    for band in
        figure.bands.iter().filter(|b| layout.rows.0 < b.start as usize && (b.start as usize) < layout.rows.1)
    {
        let y = layout.y_of(figure, band.start as usize).round() - 0.5;
        scene.line(Point { x: layout.map.x, y }, Point { x: layout.map.right(), y }, Stroke::new(LINE, 1.0));
    }
    let frame = Rect::new(layout.map.x - 1.0, layout.map.y - 1.0, layout.map.w + 2.0, layout.map.h + 2.0);
    scene.shapes.push(Shape::Outline { rect: frame, radius: 0.0, stroke: Stroke::new(LINE2, 1.0) });
    draw_x(&mut scene, figure, &layout, look);
    if figure.bands.is_empty() {
        draw_y(&mut scene, figure, &layout);
    } else {
        draw_bands(&mut scene, figure, &layout);
    }
    draw_y_name(&mut scene, figure, &layout, look);
    if figure.has_margins {
        draw_margins(&mut scene, figure, &layout, &cells, look);
    }
    if let Some((x, y)) = state.pointer {
        draw_pointer(&mut scene, figure, &layout, &cells, Point { x, y }, look);
    }
    scene
}

/// The axis over the cells of the window.
fn window_axis(axis: &crate::model::figure::Axis, n: u32, (a, b): (usize, usize)) -> Axis {
    let whole = Axis::new(axis.label.scale, axis.from, axis.to);
    let n = f64::from(n.max(1));
    whole.part(Some((a as f64 / n, b as f64 / n)))
}

/// The unit of the ticks: cells that each stand for one thing, or for a whole number of things, have no halves.
fn tick_unit(axis: &crate::model::figure::Axis, n: u32) -> Unit {
    let each = (axis.to - axis.from) / f64::from(n.max(1));
    let is_whole = 1.0 <= each && each.fract() == 0.0 && axis.from.fract() == 0.0;
    if is_whole && axis.label.unit == Unit::None {
        Unit::Count(String::new())
    } else {
        axis.label.unit.clone()
    }
}

fn draw_x(scene: &mut Scene, figure: &HeatMap, layout: &Layout, look: &DrawStyle) {
    let map = layout.map;
    let y = map.bottom() + 15.0;
    if !figure.x.names.is_empty() {
        names_along_x(scene, figure, layout, y);
    }
    let axis = window_axis(&figure.x, figure.width, layout.columns);
    let name = axis.title(&figure.x.label, look.tr(&figure.x.label.name));
    scene.text(Point { x: map.right(), y: y + 13.0 }, name, LABEL, T3, Align::Right);
    if !figure.x.names.is_empty() {
        return;
    }
    for tick in axis.ticks((map.w / 80.0) as usize, &tick_unit(&figure.x, figure.width)) {
        let x = (map.x + tick.at as Px * map.w).round();
        let w = text::width(&tick.text, LABEL) / 2.0;
        scene.fill(Rect::new(x, map.bottom() + 1.0, 1.0, 4.0), LINE2);
        let align = if x - w < map.x { Align::Left } else { Align::Middle };
        scene.text(Point { x, y }, tick.text, LABEL, T3, align);
    }
}

fn names_along_x(scene: &mut Scene, figure: &HeatMap, layout: &Layout, y: Px) {
    let (from, to) = layout.columns;
    let one = layout.map.w / (to - from) as Px;
    let mut free = layout.map.x - 20.0;
    for c in from..to {
        let Some(name) = figure.x.names.get(c) else { continue };
        let x = layout.map.x + ((c - from) as Px + 0.5) * one;
        let name = text::cut_end(name, LABEL, 120.0);
        let w = text::width(&name, LABEL);
        if free <= x - w / 2.0 {
            scene.text(Point { x, y }, name.into_owned(), LABEL, T3, Align::Middle);
            free = x + w / 2.0 + 8.0;
        }
    }
}

fn draw_y(scene: &mut Scene, figure: &HeatMap, layout: &Layout) {
    let right = layout.map.x - 8.0;
    if figure.y.names.is_empty() {
        let axis = window_axis(&figure.y, figure.height, layout.rows);
        for tick in axis.ticks((layout.map.h / 28.0) as usize, &tick_unit(&figure.y, figure.height)) {
            let share = if figure.is_upward { 1.0 - tick.at } else { tick.at };
            let y = layout.map.y + share as Px * layout.map.h;
            scene.fill(Rect::new(layout.map.x - 5.0, y.round(), 4.0, 1.0), LINE2);
            let y = (y + 4.0).min(layout.map.bottom()).max(layout.map.y + 8.0);
            scene.text(Point { x: right, y }, tick.text, LABEL, T3, Align::Right);
        }
        return;
    }
    let one = layout.map.h / (layout.rows.1 - layout.rows.0) as Px;
    let every = (13.0 / one).ceil().max(1.0) as usize;
    let mut last = None;
    for row in (layout.rows.0..layout.rows.1).step_by(every) {
        // Rows that are parts of one page share its name.
        let Some(name) = figure.y.names.get(row).filter(|name| last != Some(*name)) else { continue };
        last = Some(name);
        let y = (layout.y_of(figure, row) + layout.y_of(figure, row + 1)) / 2.0 + 4.0;
        let words = text::cut_end(name, LABEL, 130.0).into_owned();
        scene.text(Point { x: right, y }, words, LABEL, T3, Align::Right);
    }
}

/// Names and colors of the bands at the left.
fn draw_bands(scene: &mut Scene, figure: &HeatMap, layout: &Layout) {
    let x = layout.map.x;
    // Rows that are higher than names are apart are named once.
    let mut named: Vec<&str> = Vec::new();
    // The first that holds a row is its band: it is painted over others.
    for (i, band) in figure.bands.iter().enumerate().rev() {
        let [a, b] = [band.start, band.end]
            .map(|r| layout.y_of(figure, (r as usize).clamp(layout.rows.0, layout.rows.1)));
        let (top, bottom) = (a.min(b), a.max(b));
        if bottom - top < 1.0 {
            continue;
        }
        scene.fill(Rect::new(x - 16.0, top + 1.0, 6.0, (bottom - top - 2.0).max(1.0)), series_ink(i));
        if bottom - top < 11.0 {
            continue;
        }
        let middle = (top + bottom) / 2.0;
        let mut write = |name: &str, y: Px, ink: Ink| {
            let words = text::cut_end(name, LABEL, 110.0).into_owned();
            scene.text(Point { x: x - 22.0, y }, words, LABEL, ink, Align::Right);
        };
        write(&band.name, middle + 4.0, T2);
        // Names of rows, such as addresses: that of the lowest, and others as far as there is room.
        let mut y = bottom - 3.0;
        while top + 10.0 <= y {
            let row = layout.row_at(figure, y + 2.0);
            let name = figure.y.names.get(row).filter(|name| !named.contains(&name.as_str()));
            if let Some(name) = name.filter(|_| 20.0 <= (y - middle - 4.0).abs()) {
                named.push(name);
                write(name, y, T3);
            }
            y -= APART;
        }
    }
}

/// Distance of names of rows beside a band.
const APART: Px = 72.0;

fn draw_y_name(scene: &mut Scene, figure: &HeatMap, layout: &Layout, look: &DrawStyle) {
    let name = look.tr(&figure.y.label.name);
    if !name.is_empty() {
        let at = Point { x: 11.0, y: layout.map.y + layout.map.h / 2.0 };
        let text = text::cut_end(name, LABEL, layout.map.h).into_owned();
        scene.shapes.push(Shape::Text { at, text, font: LABEL, ink: T3, align: Align::Middle, turn: -90.0 });
    }
}

fn draw_pointer(
    scene: &mut Scene,
    figure: &HeatMap,
    layout: &Layout,
    cells: &Cells,
    at: Point,
    look: &DrawStyle,
) {
    let Some(cell) = cells.rect_at(figure, layout, at) else { return };
    let (x, y) = (cell.x + cell.w / 2.0, cell.y + cell.h / 2.0);
    let dots = Stroke { ink: look.faded(T1, 0.75), width: 1.0, dash: 2.0 };
    let map = layout.map;
    scene.line(Point { x, y: map.y }, Point { x, y: map.bottom() }, dots);
    scene.line(Point { x: map.x, y }, Point { x: map.right(), y }, dots);
    for (by, width, ink) in [(4.0, 2.0, S0), (3.0, 1.5, T1)] {
        let rect = Rect::new(cell.x - by, cell.y - by, cell.w + 2.0 * by, cell.h + 2.0 * by);
        scene.shapes.push(Shape::Outline { rect, radius: 0.0, stroke: Stroke::new(ink, width) });
    }
}

/// The number of the cell under a point, row by row; `None` outside and where several cells share a pixel.
pub fn cell_at(figure: &HeatMap, size: Size, state: &FigureState, at: Point) -> Option<usize> {
    let layout = Layout::new(figure, size, state);
    let (x, y) = layout.cell(figure, at)?;
    (Cells::steps(&layout) == (1, 1)).then_some(y * figure.width as usize + x)
}

/// The first whole number whose next a single cannot say.
const EXACT: f32 = 16_777_216.0;

/// What lies under a point, in lines of name and value.
pub fn read_out(
    figure: &HeatMap,
    size: Size,
    look: &DrawStyle,
    state: &FigureState,
    at: Point,
) -> Option<String> {
    let layout = Layout::new(figure, size, state);
    let (x, y) = layout.cell(figure, at)?;
    let cells = Cells::steps(&layout);
    let snap = |v: usize, step: usize, (a, b): (usize, usize)| {
        let from = a + (v - a) / step * step;
        (from, (from + step).min(b))
    };
    let (columns, rows) = (snap(x, cells.0, layout.columns), snap(y, cells.1, layout.rows));
    let value = Cells::value_of(figure, columns, rows);
    let band = figure.bands.iter().find(|b| (b.start..b.end).contains(&(y as u32)));
    let mut lines = vec![band.map_or_else(String::new, |b| b.name.clone())];
    let axis_line = |axis: &crate::model::figure::Axis, n: u32, (a, b): (usize, usize), bare: &str| {
        let name = if axis.label.name.is_empty() {
            look.tr(bare).to_owned()
        } else {
            look.tr(&axis.label.name).to_owned()
        };
        format!("{name}\t{}", range_text(axis, n, (a, b)))
    };
    lines.push(axis_line(&figure.y, figure.height, rows, "Row"));
    lines.push(axis_line(&figure.x, figure.width, columns, "Column"));
    let said = if value.is_nan() {
        look.tr("missing").to_owned()
    } else {
        // Cells are singles, which tell whole numbers apart up to this one.
        let about = if EXACT <= value.abs() { "≈ " } else { "" };
        let text = format!("{about}{}", full(Some(shortest(value)), &figure.unit));
        // Around 0 the sign tells which way.
        if figure.ramp == Ramp::Div { signed(f64::from(value), text) } else { text }
    };
    let n = (columns.1 - columns.0) * (rows.1 - rows.0);
    let how = match figure.fold {
        _ if n == 1 => look.tr("Value").to_owned(),
        Fold::Sum => fill(look.tr("Sum of {n} cells"), &[("n", &number::thousands(n as i64))]),
        Fold::Mean => fill(look.tr("Mean of {n} cells"), &[("n", &number::thousands(n as i64))]),
        Fold::Max => fill(look.tr("Largest of {n} cells"), &[("n", &number::thousands(n as i64))]),
    };
    lines.push(format!("{how}\t{said}"));
    Some(lines.join("\n").trim_start().to_owned())
}

/// The value with the digits that tell it apart from its neighbors, not those that widening adds.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| f64::from(value))
}

/// Cells by name, or the values from the first edge to the last.
fn range_text(axis: &crate::model::figure::Axis, n: u32, (a, b): (usize, usize)) -> String {
    if let (Some(first), Some(last)) = (axis.names.get(a), axis.names.get(b - 1)) {
        return if a + 1 == b { first.clone() } else { format!("{first} – {last}") };
    }
    let part = window_axis(axis, n, (a, b));
    let unit = &axis.label.unit;
    let one = (axis.to - axis.from) / f64::from(n.max(1));
    let is_whole = axis.label.scale == ScaleKind::Linear && one.fract() == 0.0 && axis.from.fract() == 0.0;
    let is_count = is_whole && (one == 1.0 || *unit == Unit::Address);
    if is_count && part.to - part.from == 1.0 {
        return full(Some(part.from), unit);
    }
    // Whole values name the cells themselves, so the last one inside is said, not the edge behind it.
    let to = if is_count { part.to - 1.0 } else { part.to };
    let short = |v: f64| {
        full(Some(if part.to - part.from < 100.0 { (v * 1e6).round() / 1e6 } else { v.round() }), unit)
    };
    format!("{} – {}", short(part.from), short(to))
}

/// The ramp with what its ends mean, 16 px high; for bands their shades are said by the side panel.
pub fn legend(figure: &HeatMap, look: &DrawStyle, largest: f64) -> Option<Scene> {
    if !figure.bands.is_empty() || figure.shading == Shading::Quintiles {
        return None;
    }
    let full_at = figure.full.unwrap_or(largest);
    let (low, name) = match figure.ramp {
        Ramp::Seq => ("0".to_owned(), RampName::Seq),
        Ramp::Heat => ("0".to_owned(), RampName::Heat),
        Ramp::Div => (compact(-full_at), RampName::of_differences(&figure.unit)),
    };
    let unit = figure.unit.word();
    let high = match figure.unit {
        Unit::Share => full(Some(full_at), &figure.unit),
        _ => format!("{} {unit}", compact(full_at)).trim_end().to_owned(),
    };
    let low = if figure.shading == Shading::Log { format!("{} {low}", look.tr("log")) } else { low };
    Some(super::cores::ramp_legend(&low, &high, (0..9).map(|i| Ink::Stop(name, i))))
}

// Sums at the margins of a heat map: each column above, stacked by band, and each row at the right.

/// Sums of the folded cells.
struct Sums {
    /// For each folded column: one sum for each band, or one when there are none.
    columns: Vec<Vec<f64>>,
    /// For each folded row its sum and the band that has the most of it.
    rows: Vec<(f64, usize)>,
}

impl Sums {
    /// Adds the folded cells up; missing cells add nothing.
    fn new(figure: &HeatMap, cells: &Cells) -> Self {
        let folded = &cells.folded;
        let n = figure.bands.len().max(1);
        let mut columns = vec![vec![0.0; n]; folded.width];
        let mut rows = Vec::with_capacity(folded.height);
        for (y, row) in folded.values.chunks(folded.width.max(1)).enumerate() {
            let mut bands = vec![0.0_f64; n];
            for (x, value) in row.iter().enumerate().filter(|(_, v)| v.is_finite()) {
                let band = cells.band(y * folded.width + x).unwrap_or(0).min(n - 1);
                columns[x][band] += f64::from(*value);
                bands[band] += f64::from(*value);
            }
            let most = bands.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            rows.push((bands.iter().sum::<f64>(), most.map_or(0, |(band, _)| band)));
        }
        Self { columns, rows }
    }
}

fn draw_margins(scene: &mut Scene, figure: &HeatMap, layout: &Layout, cells: &Cells, _look: &DrawStyle) {
    let sums = Sums::new(figure, cells);
    let ink = |band: usize| if figure.bands.is_empty() { Ink::Token("accent") } else { series_ink(band) };
    above(scene, layout, &sums, ink);
    beside(scene, figure, layout, &sums, ink);
}

fn above(scene: &mut Scene, layout: &Layout, sums: &Sums, ink: impl Fn(usize) -> Ink) {
    let field = Rect::new(layout.map.x, 0.0, layout.map.w, TOP_MARGIN);
    let most = sums.columns.iter().map(|c| c.iter().sum::<f64>()).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let one = field.w / sums.columns.len().max(1) as Px;
    let mut spans = Vec::new();
    for (i, column) in sums.columns.iter().enumerate() {
        let mut y = field.bottom();
        for (band, sum) in column.iter().enumerate().filter(|(_, s)| 0.0 < **s) {
            let h = (sum / most) as Px * field.h;
            spans.push(bar(field.x + i as Px * one, one, y - h, h, ink(band)));
            y -= h;
        }
    }
    scene.shapes.push(Shape::Spans(Spans { field, ground: S0, spans }));
}

fn bar(x: Px, w: Px, y: Px, h: Px, ink: Ink) -> SpanRect {
    let gap = if 2.5 <= w { 1.0 } else { 0.0 };
    SpanRect { x0: x, x1: x + w - gap, y, h, ink, alpha: 255, look: SpanStyle::Plain }
}

fn beside(scene: &mut Scene, figure: &HeatMap, layout: &Layout, sums: &Sums, ink: impl Fn(usize) -> Ink) {
    let map = layout.map;
    let field = Rect::new(map.right() + 4.0, map.y, RIGHT_MARGIN - 12.0, map.h);
    let most = sums.rows.iter().map(|r| r.0).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let n = sums.rows.len().max(1);
    let one = field.h / n as Px;
    let gap = if 2.5 <= one { 1.0 } else { 0.0 };
    let spans = sums.rows.iter().enumerate().filter(|(_, (sum, _))| 0.0 < *sum).map(|(i, (sum, band))| {
        let from_top = if figure.is_upward { n - 1 - i } else { i };
        let w = ((sum / most) as Px * field.w).max(1.0);
        let y = field.y + from_top as Px * one;
        SpanRect {
            x0: field.x,
            x1: field.x + w,
            y,
            h: one - gap,
            ink: ink(*band),
            alpha: 255,
            look: SpanStyle::Plain,
        }
    });
    scene.shapes.push(Shape::Spans(Spans { field, ground: S0, spans: spans.collect() }));
}
