//! Lines and points over two axes, one or more series.

use super::bars::part_ink;
use super::{Axes, ChartArea, Failure, Legend, marks, on};
use crate::base::geometry::{Px, Rect};
use crate::base::map::Set;
use crate::draw::axis::Axis;
use crate::draw::style::full;
use crate::model::figure::{AxisLabel, Line, LineChart, PlotPoint, ScaleKind, Scatter};
use crate::scene::Shape;
use plotters::prelude::*;

/// Points with hit regions of their own, at most; more are told apart by zooming.
const HITS: usize = 2_000;

pub(super) fn paint_scatter<DB: DrawingBackend>(
    board: &ChartArea<DB>,
    figure: &Scatter,
) -> Result<Vec<Shape>, Failure> {
    let shown = || figure.series.iter().enumerate().filter(|(i, _)| !board.is_hidden(*i));
    let points = || shown().flat_map(|(_, s)| &s.points);
    let x = spanning(&figure.x, points().map(|p| p.x)).part(board.state.x_window);
    let y = spanning(&figure.y, points().map(|p| p.y)).part(upwards(board.state.y_window));
    let legend = Legend::of_points(figure, board.look.language);
    let ink =
        |i| if figure.colors.is_empty() { legend.ink(board.look, i) } else { part_ink(&figure.colors, i) };
    let inks: Vec<_> = (0..figure.series.len()).map(ink).collect();
    let axes = Axes { x: &x, y: &y, x_label: &figure.x, y_label: &figure.y, legend, bands: 1 };
    let (_, plot, mut over) = board.frame(&axes)?;
    let n = points().count();
    let radius: Px = if n <= 500 { 3.0 } else { 1.5 };
    for (i, series) in shown() {
        // Points that would fall on the same half pixel are one: a million points cost what the plot can show.
        let mut seen: Set<(i32, i32)> = Set::default();
        for point in &series.points {
            let Some((px, py)) = place(&x, &y, point) else { continue };
            let at = on(plot, px, py);
            if !seen.insert(((at.x * 2.0) as i32, (at.y * 2.0) as i32)) {
                continue;
            }
            let dot = Circle::new(board.at(at.x, at.y), board.px(radius), board.fill_style(inks[i]));
            board.root.draw(&dot).map_err(|e| e.to_string())?;
            if n <= HITS {
                let rect = Rect::new(at.x - 4.0, at.y - 4.0, 8.0, 8.0);
                over.push(Shape::Hit { rect, name: tooltip(figure, &series.name, point) });
            }
        }
    }
    Ok(over)
}

pub(super) fn paint_lines<DB: DrawingBackend>(
    board: &ChartArea<DB>,
    figure: &LineChart,
) -> Result<Vec<Shape>, Failure> {
    let shown = || figure.lines.iter().enumerate().filter(|(i, _)| !board.is_hidden(*i));
    let x = spanning(&figure.x, shown().flat_map(|(_, l)| l.x.iter().copied())).part(board.state.x_window);
    let y = spanning(&figure.y, shown().flat_map(|(_, l)| l.y.iter().filter_map(|v| *v)));
    let y = if y.scale == ScaleKind::Linear && 0.0 <= y.from { Axis::from_zero(y.to) } else { y };
    let legend = Legend::of_series(figure.lines.iter().map(|l| l.name.as_str()), board.look.language);
    let inks: Vec<_> = (0..figure.lines.len()).map(|i| legend.ink(board.look, i)).collect();
    let axes = Axes { x: &x, y: &y, x_label: &figure.x, y_label: &figure.y, legend, bands: 1 };
    let (mut chart, plot, mut over) = board.frame(&axes)?;
    for (i, line) in shown() {
        for run in runs(line, &x, &y) {
            let run = thin(run, f64::from(plot.w) * 2.0);
            let series = LineSeries::new(run, board.line_style(inks[i], 1.5));
            chart.draw_series(series).map_err(|e| e.to_string())?;
        }
    }
    let named = figure.marks.iter().filter_map(|m| Some((x.at(m.value)?, board.look.tr(&m.name).to_owned())));
    over.extend(marks(plot, named));
    Ok(over)
}

/// An axis over all values, widened a little when it is linear.
fn spanning(label: &AxisLabel, values: impl Iterator<Item = f64>) -> Axis {
    let is_log = label.scale == ScaleKind::Log;
    let (low, high) = values
        .filter(|v| v.is_finite() && (!is_log || 0.0 < *v))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if high < low {
        return Axis::new(ScaleKind::Linear, 0.0, 1.0);
    }
    if is_log {
        return Axis::new(ScaleKind::Log, 10_f64.powf(low.log10().floor()), 10_f64.powf(high.log10().ceil()));
    }
    // A single value stands in the middle.
    let (low, high) =
        if low == high { (low - low.abs() / 2.0, high + high.abs() / 2.0) } else { (low, high) };
    // From 0 when that costs less than half of the plot.
    let low = if 0.0 <= low && low < high / 2.0 { 0.0 } else { low };
    Axis::new(ScaleKind::Linear, low, high)
}

/// A window given from the top as one from the bottom.
fn upwards(window: Option<(f64, f64)>) -> Option<(f64, f64)> {
    window.map(|(a, b)| (1.0 - b, 1.0 - a))
}

/// The place of a point; `None` outside of the plot.
fn place(x: &Axis, y: &Axis, point: &PlotPoint) -> Option<(f64, f64)> {
    let (px, py) = (x.at(point.x)?, y.at(point.y)?);
    ((0.0..=1.0).contains(&px) && (0.0..=1.0).contains(&py)).then_some((px, py))
}

fn tooltip(figure: &Scatter, series: &str, point: &PlotPoint) -> String {
    let head = if point.name.is_empty() { series } else { &point.name };
    let row = |label: &AxisLabel, value: f64, bare: &str| {
        let name = if label.name.is_empty() { bare } else { &label.name };
        format!("{name}\t{}", full(Some(value), &label.unit))
    };
    format!("{head}\n{}\n{}", row(&figure.x, point.x, "x"), row(&figure.y, point.y, "y"))
}

/// The unbroken parts of a line as places of the plot; steps get their corners. Parts outside of the plot are kept out.
fn runs(line: &Line, x: &Axis, y: &Axis) -> Vec<Vec<(f64, f64)>> {
    let mut runs = vec![Vec::new()];
    let mut last: Option<f64> = None;
    for (&vx, vy) in line.x.iter().zip(&line.y) {
        let place =
            vy.and_then(|v| Some((x.at(vx)?, y.at(v)?))).filter(|p| (-1e-9..=1.0 + 1e-9).contains(&p.0));
        let Some((px, py)) = place else {
            runs.push(Vec::new());
            last = None;
            continue;
        };
        if let Some(run) = runs.last_mut() {
            if let Some(before) = last.filter(|b| line.is_stepped && *b != py) {
                run.push((px, before));
            }
            run.push((px, py));
        }
        last = Some(py);
    }
    runs.retain(|run| 1 < run.len());
    runs
}

/// At most the lowest and highest value of each of `columns` places along the plot, in order.
fn thin(run: Vec<(f64, f64)>, columns: f64) -> Vec<(f64, f64)> {
    if run.len() as f64 <= columns * 2.0 {
        return run;
    }
    let mut out: Vec<(f64, f64)> = Vec::new();
    let column = |p: &(f64, f64)| (p.0 * columns) as i64;
    for group in run.chunk_by(|a, b| column(a) == column(b)) {
        let low = (0..group.len()).min_by(|a, b| group[*a].1.total_cmp(&group[*b].1)).unwrap_or(0);
        let high = (0..group.len()).max_by(|a, b| group[*a].1.total_cmp(&group[*b].1)).unwrap_or(0);
        out.push(group[low.min(high)]);
        if low != high {
            out.push(group[low.max(high)]);
        }
    }
    out
}
