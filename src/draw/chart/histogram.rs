//! Histograms: counts by value with marks that can be dragged, or the cumulative share of each series. Counts of several
//! series stand above each other on one axis, so that none is hidden.

use super::{Axes, BAND, ChartArea, Failure, Legend, Painted, marks, on};
use crate::analysis::bins::share_below;
use crate::base::geometry::{Px, Rect};
use crate::base::number;
use crate::base::unit::Unit;
use crate::draw::axis::Axis;
use crate::model::figure::{AxisLabel, FigureState, Histogram, ScaleKind};
use crate::scene::Shape;
use crate::scene::palette::{Ink, RampName};
use plotters::prelude::*;

pub(super) fn paint<DB: DrawingBackend>(
    board: &ChartArea<DB>,
    figure: &Histogram,
) -> Result<Painted, Failure> {
    let is_cumulative = board.state.is_cumulative.unwrap_or(figure.is_cumulative);
    let (x, y, y_label) = axes(board, figure, is_cumulative);
    let many = 1 < figure.series.len();
    let legend = Legend::of_series(figure.series.iter().map(|s| s.name.as_str()), board.look.language);
    let inks: Vec<Ink> = (0..figure.series.len()).map(|s| legend.ink(board.look, s)).collect();
    let shown: Vec<usize> = (0..figure.series.len()).filter(|s| !board.is_hidden(*s)).collect();
    let bands = if is_cumulative { 1 } else { shown.len().max(1) };
    let axes = Axes { x: &x, y: &y, x_label: &figure.x, y_label: &y_label, legend, bands };
    let (mut chart, plot, mut over) = board.frame(&axes)?;
    let bins = bins(&x, figure);
    for (s, series) in figure.series.iter().enumerate().filter(|(s, _)| !board.is_hidden(*s)) {
        if is_cumulative {
            let total: f64 = series.counts.iter().sum();
            let mut sum = 0.0;
            let steps = bins.iter().zip(&series.counts).map(|(bin, count)| {
                sum += count;
                (bin.1.clamp(0.0, 1.0), y.at(sum / total.max(f64::MIN_POSITIVE)).unwrap_or(0.0))
            });
            let from = bins.first().map(|b| (b.0.clamp(0.0, 1.0), 0.0));
            let line = LineSeries::new(from.into_iter().chain(steps), board.line_style(inks[s], 1.5));
            chart.draw_series(line).map_err(|e| e.to_string())?;
            continue;
        }
        let plot = band(plot, bands, shown.iter().position(|own| *own == s).unwrap_or(0));
        for (&(from, to), &count) in bins.iter().zip(&series.counts) {
            let height = y.at(count).unwrap_or(0.0).min(1.0);
            let height = if 1 < bands { height * BAND } else { height };
            if 0.0 < count && 0.0 <= to && from <= 1.0 {
                let rect = bar(plot, from.max(0.0), to.min(1.0), height);
                board.fill(rect, if many { inks[s] } else { ramp(board, (from + to) / 2.0) })?;
            }
        }
    }
    over.extend(hits(board, figure, &bins, plot));
    let named = figure.marks.iter().enumerate().filter_map(|(i, m)| {
        let value = mark_at(figure, board.state, i);
        Some((x.at(value)?, mark_text(figure, board.look.tr(&m.name), value)))
    });
    over.extend(marks(plot, named));
    Ok(Painted { over, plot: Some((plot, x)) })
}

fn axes<'a, DB: DrawingBackend>(
    board: &ChartArea<'a, DB>,
    figure: &'a Histogram,
    is_cumulative: bool,
) -> (Axis, Axis, AxisLabel) {
    let from = figure.edges.first().copied().unwrap_or(0.0);
    let to = figure.edges.last().copied().unwrap_or(1.0);
    let x = Axis::new(figure.x.scale, from, to).part(board.state.x_window);
    if is_cumulative {
        let label = AxisLabel { name: String::new(), unit: Unit::Share, scale: ScaleKind::Linear };
        return (x, Axis::new(ScaleKind::Linear, 0.0, 1.0), label);
    }
    let shown = figure.series.iter().enumerate().filter(|(s, _)| !board.is_hidden(*s));
    let largest = shown.flat_map(|(_, s)| s.counts.iter().copied()).fold(0.0, f64::max);
    let label = AxisLabel { name: String::new(), unit: figure.count_unit.clone(), scale: ScaleKind::Linear };
    (x, Axis::from_zero(largest), label)
}

/// Where each bin lies on the axis; an edge that a log axis cannot hold lies at its beginning.
fn bins(x: &Axis, figure: &Histogram) -> Vec<(f64, f64)> {
    figure.edges.windows(2).map(|e| (x.at(e[0]).unwrap_or(0.0), x.at(e[1]).unwrap_or(0.0))).collect()
}

/// The part of the plot in which a series stands: the first one at the top, as in the legend.
fn band(plot: Rect, bands: usize, at: usize) -> Rect {
    let h = plot.h / bands as Px;
    Rect { y: plot.y + h * at as Px, h, ..plot }
}

/// Bars touch with a gap of one pixel, and one that counts anything is at least a pixel high.
fn bar(plot: Rect, from: f64, to: f64, height: f64) -> Rect {
    let (low, high) = (on(plot, from, 0.0), on(plot, to, height));
    let (x0, x1) = (low.x.round(), high.x.round());
    let h = (low.y - high.y).max(1.0);
    Rect::new(x0, low.y - h, (x1 - x0 - 1.0).max(1.0), h)
}

/// As values are colored in the figures that a histogram explains: low near the ground, high far from it.
fn ramp<DB: DrawingBackend>(board: &ChartArea<DB>, at: f64) -> Ink {
    board.look.ramp(RampName::Seq, 0.2 + 0.7 * at)
}

fn hits<DB: DrawingBackend>(
    board: &ChartArea<DB>,
    figure: &Histogram,
    bins: &[(f64, f64)],
    plot: Rect,
) -> Vec<Shape> {
    let unit = &figure.x.unit;
    let hit = |(i, &(from, to)): (usize, &(f64, f64))| {
        let edges = figure.edges.get(i..i + 2)?;
        let range = format!("{} – {}", number::with_unit(edges[0], unit), number::with_unit(edges[1], unit));
        let counts = figure.series.iter().map(|s| {
            let name = if s.name.is_empty() { board.look.tr("Count") } else { &s.name };
            format!("{name}\t{}", number::exact(s.counts.get(i).copied().unwrap_or(0.0)))
        });
        let (a, b) = (on(plot, from, 1.0), on(plot, to, 0.0));
        let name: Vec<String> = std::iter::once(range).chain(counts).collect();
        let rect = Rect::new(a.x, a.y, b.x - a.x, b.y - a.y);
        (0.0 <= to && from <= 1.0).then(|| Shape::Hit { rect, name: name.join("\n") })
    };
    bins.iter().enumerate().filter_map(hit).collect()
}

/// Where a mark stands: where it was dragged to, or where the figure has it.
pub fn mark_at(figure: &Histogram, state: &FigureState, mark: usize) -> f64 {
    let own = figure.marks.get(mark).map_or(f64::NAN, |m| m.value);
    if figure.can_move_marks { state.marks.get(mark).copied().unwrap_or(own) } else { own }
}

/// The share of a series' counts that lies below a value, 0 to 1.
pub fn share_of_mark(figure: &Histogram, series: usize, value: f64) -> f64 {
    let counts = figure.series.get(series).map_or(&[][..], |s| &s.counts);
    share_below(counts, &figure.edges, value, figure.x.scale)
}

/// The mark's name; one that can be moved also says its value and how much of each series lies below.
fn mark_text(figure: &Histogram, name: &str, value: f64) -> String {
    if !figure.can_move_marks {
        return name.to_owned();
    }
    let below: Vec<String> = (0..figure.series.len())
        .map(|s| format!("{} %", number::fixed(share_of_mark(figure, s, value) * 100.0, 1)))
        .collect();
    format!("{name} {}: {}", number::with_unit(value, &figure.x.unit), below.join(", "))
}
