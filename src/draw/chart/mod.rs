//! Charts with axes, drawn by plotters on any backend: the page's canvas, SVG, or a scene.
//!
//! What plotters cannot draw (text along a slope, dashes, marks that are dragged, hit regions) comes back as shapes to
//! be put over the chart. All coordinates below are shares of the plot, 0 to 1, y upwards; axes turn values into them.

mod bars;
mod legend;
mod lines;
pub mod roofline;

use super::axis::{Axis, Tick};
use super::record::{Inks, Recorder};
use super::style::{DrawStyle, LABEL, LINE, T2, T3};
use crate::analysis::bins::share_below;
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::unit::Unit;
use crate::base::words::Language;
use crate::base::{number, order};
use crate::model::figure::{AxisLabel, Body, Figure, FigureState, Histogram, ScaleKind};
use crate::scene::palette::{Ink, RampName};
use crate::scene::{Align, Font, Scene, Shape, Stroke, text};
use legend::Legend;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, DefaultFormatting, KeyPointHint};
use plotters::prelude::*;
use plotters_backend::text_anchor::{HPos, Pos, VPos};

pub use bars::height as bars_height;
pub use roofline::brief;

/// A chart could not be drawn: what the backend said.
pub type Failure = String;

/// The coordinate system of every chart: shares of the plot both ways, with grid lines where the axes want them.
type Unit2d = Cartesian2d<Shares, Shares>;

/// One direction of a plot as plotters sees it: 0 to 1, with key points given.
struct Shares(Vec<f64>);

/// What becomes [`Shares`] when a chart is built.
struct Keyed(Vec<f64>);

impl From<Keyed> for Shares {
    fn from(keyed: Keyed) -> Self {
        Self(keyed.0)
    }
}

impl AsRangedCoord for Keyed {
    type CoordDescType = Shares;
    type Value = f64;
}

impl Ranged for Shares {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (value * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.0.clone() }
    }

    fn range(&self) -> std::ops::Range<f64> {
        0.0..1.0
    }
}

/// How far the legend of a chart of this width reaches down: a press above it switches a series.
pub fn legend_height(body: &Body, width: Px, language: Language) -> Px {
    Legend::of(body, language).height(width)
}

/// The number of the series that a name of the legend switches; see [`FigureState::hidden`].
pub fn series(body: &Body, name: &str) -> Option<usize> {
    Legend::of(body, Language::En).number(name)
}

/// Whether a figure is a chart with axes.
pub fn is_chart(body: &Body) -> bool {
    matches!(body, Body::Bars(_) | Body::Roofline(_) | Body::Histogram(_) | Body::Scatter(_) | Body::Lines(_))
}

/// Draws a chart on a backend with `unit` device pixels in a CSS pixel.
///
/// # Errors
/// What the backend says when it refuses; a recorder never does.
pub fn paint<DB: DrawingBackend>(
    figure: &Figure,
    backend: DB,
    unit: f64,
    inks: &Inks,
    look: &DrawStyle,
    state: &FigureState,
) -> Result<Painted, Failure> {
    let root = backend.into_drawing_area();
    let (w, h) = root.dim_in_pixel();
    let size = Size { w: (f64::from(w) / unit) as Px, h: (f64::from(h) / unit) as Px };
    let board = ChartArea { root: &root, unit, inks, look, size, state };
    let plain = |over: Vec<Shape>| Painted { over, plot: None };
    let painted = match &figure.body {
        Body::Bars(bars) => plain(bars::paint(&board, bars)?),
        Body::Roofline(roofline) => plain(roofline::paint(&board, roofline)?),
        Body::Histogram(histogram) => paint_histogram(&board, histogram)?,
        Body::Scatter(scatter) => plain(lines::paint_scatter(&board, scatter)?),
        Body::Lines(chart) => plain(lines::paint_lines(&board, chart)?),
        _ => Painted::default(),
    };
    root.present().map_err(|e| e.to_string())?;
    Ok(painted)
}

/// What was painted, beyond what plotters did.
#[derive(Default)]
pub struct Painted {
    /// What is to be painted over the chart, hit regions among it.
    pub over: Vec<Shape>,
    /// Where its plot lies and what its horizontal axis says, for charts whose marks can be moved.
    pub plot: Option<(Rect, Axis)>,
}

/// The chart as a scene.
pub fn draw(figure: &Figure, size: Size, look: &DrawStyle, state: &FigureState) -> Scene {
    let mut scene = Scene::new(size);
    if size.w < 1.0 || size.h < 1.0 {
        return scene;
    }
    let inks = Inks::numbered();
    let over = paint(figure, Recorder::new(&mut scene, &inks), super::record::FINE, &inks, look, state);
    scene.shapes.extend(over.map(|p| p.over).unwrap_or_default());
    scene
}

/// What a chart is drawn on.
struct ChartArea<'a, DB: DrawingBackend> {
    root: &'a DrawingArea<DB, Shift>,
    unit: f64,
    inks: &'a Inks<'a>,
    look: &'a DrawStyle<'a>,
    size: Size,
    state: &'a FigureState,
}

/// The two axes of a chart, and what stands above its plot.
struct Axes<'a> {
    x: &'a Axis,
    y: &'a Axis,
    x_label: &'a AxisLabel,
    y_label: &'a AxisLabel,
    legend: Legend<'a>,
    /// How many plots stand above each other and share the horizontal axis; each has the vertical axis for itself.
    bands: usize,
}

/// How much of the height of one of several plots its values take: a gap tells it from the one above.
const BAND: f64 = 0.86;

impl Axes<'_> {
    /// The ticks of the vertical axis for a plot of this height; of several plots each has its largest.
    fn y_ticks(&self, height: Px) -> Vec<Tick> {
        if self.bands < 2 {
            return self.y.ticks(((height / 40.0) as usize).clamp(2, 8), &self.y_label.unit);
        }
        let Some(largest) = self.y.ticks(2, &self.y_label.unit).pop() else { return Vec::new() };
        let of_band = |band: usize| {
            let at = |share: f64| (band as f64 + share * BAND) / self.bands as f64;
            [
                Tick { at: at(0.0), text: String::new() },
                Tick { at: at(largest.at), text: largest.text.clone() },
            ]
        };
        (0..self.bands).flat_map(of_band).collect()
    }
}

impl<DB: DrawingBackend> ChartArea<'_, DB> {
    fn px(&self, css: Px) -> i32 {
        (f64::from(css) * self.unit).round() as i32
    }

    fn at(&self, x: Px, y: Px) -> (i32, i32) {
        (self.px(x), self.px(y))
    }

    fn fill_style(&self, ink: Ink) -> ShapeStyle {
        self.inks.color(ink).filled()
    }

    fn line_style(&self, ink: Ink, width: Px) -> ShapeStyle {
        self.inks.color(ink).stroke_width(self.px(width).max(1) as u32)
    }

    /// Text of the interface face; `h` says which point of it is given.
    fn text_style(&self, font: Font, ink: Ink, h: HPos, v: VPos) -> TextStyle<'_> {
        let family = FontFamily::Name(&self.look.palette.fonts[0]);
        let desc = FontDesc::new(family, f64::from(font.size) * self.unit, FontStyle::Normal);
        TextStyle { font: desc, color: self.inks.color(ink).to_backend_color(), pos: Pos::new(h, v) }
    }

    fn fill(&self, rect: Rect, ink: Ink) -> Result<(), Failure> {
        let corners = [self.at(rect.x, rect.y), self.at(rect.right(), rect.bottom())];
        self.root.draw(&Rectangle::new(corners, self.fill_style(ink))).map_err(|e| e.to_string())
    }

    fn write(&self, words: &str, at: Point, font: Font, ink: Ink, h: HPos) -> Result<(), Failure> {
        let style = self.text_style(font, ink, h, VPos::Center);
        self.root.draw_text(words, &style, self.at(at.x, at.y)).map_err(|e| e.to_string())
    }

    /// Draws grid, labels and legend; gives back the chart to draw series on, where its plot lies, and the hit regions of
    /// the legend.
    #[allow(clippy::type_complexity)] // what plotters calls its chart
    fn frame(&self, axes: &Axes) -> Result<(ChartContext<'_, DB, Unit2d>, Rect, Vec<Shape>), Failure> {
        let x_title = axes.x.title(axes.x_label, self.look.tr(&axes.x_label.name));
        let y_title = axes.y.title(axes.y_label, self.look.tr(&axes.y_label.name));
        let top = axes.legend.room(&y_title, self.size.w);
        let y_ticks = axes.y_ticks(self.size.h);
        let widest = y_ticks.iter().map(|t| text::width(&t.text, LABEL)).fold(0.0, Px::max);
        let (left, bottom) = ((widest + 8.0).ceil(), 32.0);
        let mut x_ticks = axes.x.ticks((self.size.w / 64.0) as usize, &axes.x_label.unit);
        let last = x_ticks.last().map_or(0.0, |t| text::width(&t.text, LABEL));
        let right = (last / 2.0 + 2.0).max(12.0).ceil();
        let plot = Rect::new(left, top, self.size.w - left - right, self.size.h - top - bottom);
        if plot.w < 8.0 || plot.h < 8.0 {
            return Err("too small".to_owned());
        }
        thin_out(&mut x_ticks, plot.w);
        let mut chart = ChartBuilder::on(self.root)
            .margin_top(self.px(plot.y))
            .margin_right(self.px(right))
            .set_label_area_size(LabelAreaPosition::Left, self.px(left))
            .set_label_area_size(LabelAreaPosition::Bottom, self.px(bottom))
            .build_cartesian_2d(keyed(&x_ticks), keyed(&y_ticks))
            .map_err(|e| e.to_string())?;
        chart
            .configure_mesh()
            // Without axes plotters writes no labels; their lines are transparent.
            .axis_style(self.inks.color(Ink::None))
            .max_light_lines(0)
            .set_all_tick_mark_size(self.px(3.0))
            .bold_line_style(self.line_style(LINE, 1.0))
            .label_style(self.text_style(LABEL, T3, HPos::Center, VPos::Center))
            .x_label_formatter(&|at| tick_label(&x_ticks, *at))
            .y_label_formatter(&|at| tick_label(&y_ticks, *at))
            .draw()
            .map_err(|e| e.to_string())?;
        self.write(&x_title, Point { x: plot.right(), y: plot.bottom() + 24.0 }, LABEL, T3, HPos::Right)?;
        // Above the plot, where no bar can stand over it.
        self.write(&y_title, Point { x: 0.0, y: (plot.y - 12.0).max(6.0) }, LABEL, T3, HPos::Left)?;
        Ok((chart, plot, axes.legend.paint(self)?))
    }

    fn is_hidden(&self, series: usize) -> bool {
        self.state.hidden.contains(&series)
    }
}

/// Room above the plot without a legend.
const BARE: Px = 20.0;

fn keyed(ticks: &[Tick]) -> Keyed {
    Keyed(ticks.iter().map(|t| t.at).collect())
}

/// What the tick at this place says.
fn tick_label(ticks: &[Tick], at: f64) -> String {
    ticks.iter().find(|t| t.at == at).map(|t| t.text.clone()).unwrap_or_default()
}

/// Leaves ticks out until their texts do not touch.
fn thin_out(ticks: &mut Vec<Tick>, width: Px) {
    let touch = |ticks: &[Tick]| {
        ticks.windows(2).any(|w| {
            let room = (w[1].at - w[0].at) as Px * width;
            room < (text::width(&w[0].text, LABEL) + text::width(&w[1].text, LABEL)) / 2.0 + 6.0
        })
    };
    while 2 < ticks.len() && touch(ticks) {
        let mut is_kept = false;
        ticks.retain(|_| {
            is_kept = !is_kept;
            is_kept
        });
    }
}

/// A place of the plot in CSS pixels.
fn on(plot: Rect, x: f64, y: f64) -> Point {
    Point { x: plot.x + x as Px * plot.w, y: plot.y + (1.0 - y as Px) * plot.h }
}

/// Dashed lines across the plot at shares of x, each with a name beside its top that no line crosses.
fn marks(plot: Rect, named: impl Iterator<Item = (f64, String)>) -> Vec<Shape> {
    let inside = named.enumerate().filter(|(_, (x, _))| (0.0..=1.0).contains(x));
    let mut shapes: Vec<Shape> =
        inside.flat_map(|(i, (x, name))| mark(plot, x, &name, (i % 3) as Px * 13.0)).collect();
    order::sort_by_key(&mut shapes, |shape| !matches!(shape, Shape::Path { .. }));
    shapes
}

/// A dashed line across the plot at a share of x, with a name beside its top.
fn mark(plot: Rect, x: f64, name: &str, line: Px) -> Vec<Shape> {
    let top = on(plot, x, 1.0);
    let stroke = Stroke { ink: super::style::T1, width: 1.0, dash: 2.0 };
    let is_right = plot.right() < top.x + text::width(name, LABEL) + 8.0;
    let (shift, align) = if is_right { (-4.0, Align::Right) } else { (4.0, Align::Left) };
    // Near the top, where the bars of a low chart are fewest.
    let at = Point { x: top.x + shift, y: top.y + 10.0 + line };
    let w = text::width(name, LABEL) + 4.0;
    let left = if is_right { at.x - w + 2.0 } else { at.x - 2.0 };
    vec![
        Shape::Path { points: vec![top, on(plot, x, 0.0)], stroke },
        // Read on the ground, whatever color the bars behind it have.
        Shape::Fill { rect: Rect::new(left, at.y - 10.0, w, 13.0), radius: 2.0, ink: super::style::S0 },
        Shape::Text { at, text: name.to_owned(), font: LABEL, ink: T2, align, turn: 0.0 },
    ]
}

// Histograms: counts by value with marks that can be dragged, or the cumulative share of each series. Counts of several
// series stand above each other on one axis, so that none is hidden.

fn paint_histogram<DB: DrawingBackend>(
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
