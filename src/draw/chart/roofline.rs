//! Rooflines: performance over arithmetic intensity, log by log; each slope with its ceiling and its measured point.
//!
//! y = min(ceiling, bandwidth · x). Roofs with a value that is not positive are left out, as log axes cannot hold them.

use super::{Axes, BARE, Board, Failure, on};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::number;
use crate::base::words::fill;
use crate::draw::axis::Axis;
use crate::draw::style::{LABEL, S0, T1, T2, T3, series_ink};
use crate::model::figure::{Roof, RoofPoint, Roofline, ScaleKind};
use crate::scene::palette::Ink;
use crate::scene::{Align, Shape, Stroke, text};
use plotters::prelude::*;

/// Names and labels are written for at most this many roofs; the others have hit regions only.
const NAMED: usize = 8;

pub(super) fn paint<DB: DrawingBackend>(board: &Board<DB>, figure: &Roofline) -> Result<Vec<Shape>, Failure> {
    let roofs: Vec<(usize, &Roof)> = figure
        .roofs
        .iter()
        .enumerate()
        .filter(|(i, r)| 0.0 < r.bandwidth && 0.0 < r.ceiling && !board.is_hidden(*i))
        .collect();
    let (x, y) = axes(&roofs);
    let axes = Axes { x: &x, y: &y, x_label: &figure.x, y_label: &figure.y, top: BARE };
    let (mut chart, plot) = board.frame(&axes)?;
    let mut over = Over { plot, taken: Vec::new(), lines: Vec::new(), shapes: Vec::new() };
    let mut ceilings: Vec<&Roof> = Vec::new();
    for (i, roof) in &roofs {
        let ink = ink_of(figure, *i);
        let is_twice = is_repeated(figure, *i);
        let ridge = roof.ceiling / roof.bandwidth;
        let start = x.from.max(y.from / roof.bandwidth).min(ridge);
        let slope = [start, ridge.min(x.to)].map(|v| place(&x, &y, v, v * roof.bandwidth));
        chart.draw_series(LineSeries::new(slope, board.line_style(ink, 1.5))).map_err(|e| e.to_string())?;
        let flat = [ridge.clamp(x.from, x.to), x.to].map(|v| place(&x, &y, v, roof.ceiling));
        let known = ceilings.iter().any(|c| c.ceiling == roof.ceiling && roof.bandwidth <= c.bandwidth);
        if !known {
            chart.draw_series(LineSeries::new(flat, board.line_style(T2, 1.5))).map_err(|e| e.to_string())?;
        }
        if ceilings.iter().all(|c| c.ceiling != roof.ceiling) && ceilings.len() < NAMED {
            over.ceiling(roof, flat[1].1);
        }
        ceilings.push(roof);
        over.keep_clear(slope, flat);
        if *i < NAMED && !is_twice {
            over.slope_name(shared_name(figure, *i), roof, slope);
        }
    }
    for (i, roof) in &roofs {
        if let Some(point) = roof.point.as_ref().filter(|p| 0.0 < p.x && 0.0 < p.y) {
            let at = place(&x, &y, point.x, point.y);
            let top = place(&x, &y, point.x, (point.x * roof.bandwidth).min(roof.ceiling));
            over.drop(at, top, ink_of(figure, *i));
            // The baseline is a ring, as everywhere where both stand in one picture.
            let inner = if *i < figure.n_baseline { Some((2.5, S0)) } else { None };
            for (radius, ink) in [(5.75, S0), (4.25, ink_of(figure, *i))].into_iter().chain(inner) {
                let dot = Circle::new(at, board.px(radius), board.fill_style(ink));
                chart.draw_series([dot]).map_err(|e| e.to_string())?;
            }
            let letter = match figure.n_baseline {
                0 => "",
                n if *i < n => "A ",
                _ => "B ",
            };
            over.point(board, letter, roof, point, at);
        }
    }
    Ok(over.shapes)
}

/// Roofs of two documents share a color by their place.
fn ink_of(figure: &Roofline, i: usize) -> Ink {
    series_ink(i.checked_sub(figure.n_baseline).unwrap_or(i))
}

/// Whether a roof of the comparison lies on one of the baseline.
fn is_repeated(figure: &Roofline, i: usize) -> bool {
    let is_same = |a: &Roof, b: &Roof| a.bandwidth == b.bandwidth && a.ceiling == b.ceiling;
    let (Some(roof), true) = (figure.roofs.get(i), figure.n_baseline <= i) else { return false };
    figure.roofs.iter().take(figure.n_baseline).any(|old| is_same(old, roof))
}

/// The name of a slope: without its letter when it stands for both documents.
fn shared_name(figure: &Roofline, i: usize) -> &str {
    let Some(roof) = figure.roofs.get(i) else { return "" };
    let is_same = |b: &Roof| roof.bandwidth == b.bandwidth && roof.ceiling == b.ceiling;
    let is_shared = i < figure.n_baseline && figure.roofs.iter().skip(figure.n_baseline).any(is_same);
    let name = roof.bandwidth_name.as_str();
    if is_shared { name.strip_prefix("A ").unwrap_or(name) } else { name }
}

/// Whole decades around everything, at least from 1 down one decade; at most eight decades each way.
fn axes(roofs: &[(usize, &Roof)]) -> (Axis, Axis) {
    let points = || roofs.iter().filter_map(|(_, r)| r.point.as_ref()).filter(|p| 0.0 < p.x && 0.0 < p.y);
    let ridges = roofs.iter().map(|(_, r)| r.ceiling / r.bandwidth);
    let ceilings = roofs.iter().map(|(_, r)| r.ceiling);
    let low = |values: &mut dyn Iterator<Item = f64>| values.fold(1.0_f64, f64::min).log10().floor() - 1.0;
    let high = |values: &mut dyn Iterator<Item = f64>| values.fold(1.0_f64, f64::max).log10().floor() + 1.0;
    let (x0, x1) = (low(&mut points().map(|p| p.x)), high(&mut points().map(|p| p.x).chain(ridges)) + 1.0);
    let (y0, y1) = (low(&mut points().map(|p| p.y)), high(&mut points().map(|p| p.y).chain(ceilings)));
    let axis = |from: f64, to: f64| {
        let to = to.max(from + 1.0);
        Axis::new(ScaleKind::Log, 10_f64.powf(from.max(to - 8.0)), 10_f64.powf(to))
    };
    (axis(x0, x1), axis(y0, y1))
}

/// A place of the plot, kept inside it.
fn place(x: &Axis, y: &Axis, px: f64, py: f64) -> (f64, f64) {
    (x.at(px).unwrap_or(0.0).clamp(0.0, 1.0), y.at(py).unwrap_or(0.0).clamp(0.0, 1.0))
}

/// What is painted over the chart; texts keep clear of each other.
struct Over {
    plot: Rect,
    /// Where texts stand.
    taken: Vec<Rect>,
    /// Where lines run, as small boxes.
    lines: Vec<Rect>,
    shapes: Vec<Shape>,
}

fn is_apart(a: Rect, b: Rect) -> bool {
    a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y
}

impl Over {
    fn is_free(&self, rect: Rect) -> bool {
        self.taken.iter().all(|t| is_apart(rect, *t))
    }

    fn write(&mut self, at: Point, words: &str, ink: Ink, align: Align) {
        self.shapes.push(Shape::Text { at, text: words.to_owned(), font: LABEL, ink, align, turn: 0.0 });
    }

    /// Labels of points do not lie on lines.
    fn keep_clear(&mut self, slope: [(f64, f64); 2], flat: [(f64, f64); 2]) {
        for [from, to] in [slope, flat] {
            let (a, b) = (on(self.plot, from.0, from.1), on(self.plot, to.0, to.1));
            let n = ((b.x - a.x).hypot(b.y - a.y) / 6.0).ceil().max(1.0);
            self.lines.extend((0..=n as usize).map(|i| {
                let t = i as Px / n;
                Rect::new(a.x + (b.x - a.x) * t - 1.0, a.y + (b.y - a.y) * t - 1.0, 2.0, 2.0)
            }));
        }
    }

    fn is_off_lines(&self, rect: Rect) -> bool {
        self.lines.iter().all(|l| is_apart(rect, *l))
    }

    /// The name of a ceiling above its right end.
    fn ceiling(&mut self, roof: &Roof, y: f64) {
        let end = on(self.plot, 1.0, y);
        let name = format!("{} {} TOps/s", roof.ceiling_name, number::short(roof.ceiling));
        let shown = text::cut_end(&name, LABEL, self.plot.w * 0.6);
        let w = text::width(&shown, LABEL);
        let rect = Rect::new(end.x - 2.0 - w, end.y - 16.0, w, 13.0);
        if self.is_free(rect) && self.plot.y <= rect.y {
            self.taken.push(rect);
            let name = shown.into_owned();
            self.write(Point { x: end.x - 2.0, y: end.y - 6.0 }, &name, T2, Align::Right);
        }
    }

    /// The name of a bandwidth along its slope, further up when another name is near.
    fn slope_name(&mut self, name: &str, roof: &Roof, slope: [(f64, f64); 2]) {
        let [a, b] = slope.map(|(x, y)| on(self.plot, x, y));
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let length = dx.hypot(dy);
        let name = format!("{name} {} TB/s", number::short(roof.bandwidth));
        let shown = text::cut_end(&name, LABEL, length * 0.9);
        let w = text::width(&shown, LABEL);
        if length < 40.0 {
            return;
        }
        for start in [0.3, 0.12, 0.5, 0.02, 0.62] {
            // Beside the line, on its upper left.
            let from =
                Point { x: a.x + dx * start + dy / length * 4.0, y: a.y + dy * start - dx / length * 4.0 };
            let to = Point { x: from.x + dx / length * w, y: from.y + dy / length * w };
            let fits = start * length + w <= length && from.x >= self.plot.x && to.y >= self.plot.y;
            // The text as a row of small boxes, because a slanted box would forbid far too much.
            let boxes: Vec<Rect> = (0..=(w / 10.0) as usize)
                .map(|i| {
                    let t = i as Px * 10.0 / w.max(1.0);
                    Rect::new(
                        from.x + (to.x - from.x) * t - 5.0,
                        from.y + (to.y - from.y) * t - 11.0,
                        10.0,
                        12.0,
                    )
                })
                .collect();
            if fits && boxes.iter().all(|b| self.is_free(*b)) {
                self.taken.extend(boxes);
                let (text, turn) = (shown.into_owned(), dy.atan2(dx).to_degrees());
                self.shapes.push(Shape::Text {
                    at: from,
                    text,
                    font: LABEL,
                    ink: T2,
                    align: Align::Left,
                    turn,
                });
                return;
            }
        }
    }

    /// The dashed line from a point to its roof.
    fn drop(&mut self, at: (f64, f64), top: (f64, f64), ink: Ink) {
        let points = vec![on(self.plot, at.0, at.1), on(self.plot, top.0, top.1)];
        self.shapes.push(Shape::Path { points, stroke: Stroke { ink, width: 1.0, dash: 2.0 } });
    }

    fn point<DB: DrawingBackend>(
        &mut self,
        board: &Board<DB>,
        letter: &str,
        roof: &Roof,
        point: &RoofPoint,
        at: (f64, f64),
    ) {
        let dot = on(self.plot, at.0, at.1);
        let value = format!("{letter}{} TOps/s", number::short(point.y));
        let share =
            point.share.map(|s| format!("{} % {}", number::fixed(s * 100.0, 0), roof_of(board, roof)));
        let w = text::width(&value, LABEL).max(share.as_deref().map_or(0.0, |s| text::width(s, LABEL)));
        let right = Rect::new(dot.x + 10.0, dot.y - 9.0, w, 26.0);
        let left = Rect { x: dot.x - 10.0 - w, ..right };
        let free = [(right, Align::Left), (left, Align::Right)].into_iter().find(|(r, _)| {
            self.is_free(*r)
                && self.is_off_lines(*r)
                && self.plot.x <= r.x
                && r.right() <= self.plot.right() + 12.0
        });
        if let Some((rect, align)) = free {
            self.taken.push(rect);
            let x = if align == Align::Left { rect.x } else { rect.right() };
            self.write(Point { x, y: rect.y + 12.0 }, &value, T1, align);
            if let Some(share) = &share {
                self.write(Point { x, y: rect.y + 25.0 }, share, T3, align);
            }
        }
        self.taken.push(Rect::new(dot.x - 6.0, dot.y - 6.0, 12.0, 12.0));
        let name = [
            format!("{} · {}", roof.bandwidth_name, roof.ceiling_name),
            format!("{}\t{} Ops/Byte", board.look.tr("Arithmetic intensity"), number::exact(point.x)),
            format!("{}\t{} TOps/s", board.look.tr("Performance"), number::exact(point.y)),
            format!("{}\t{} TB/s", board.look.tr("Bandwidth"), number::exact(roof.bandwidth)),
            format!(
                "{}\t{} %",
                board.look.tr("Share of the roof"),
                point.share.map_or_else(|| number::MISSING.to_owned(), |s| number::exact(s * 100.0))
            ),
        ];
        let rect = Rect::new(dot.x - 7.0, dot.y - 7.0, 14.0, 14.0);
        self.shapes.push(Shape::Hit { rect, name: name.join("\n") });
    }
}

fn roof_of<DB: DrawingBackend>(board: &Board<DB>, roof: &Roof) -> String {
    fill(board.look.tr("of the {name} roof"), &[("name", &roof.bandwidth_name)])
}
