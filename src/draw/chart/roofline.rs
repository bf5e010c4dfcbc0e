//! Rooflines: performance over arithmetic intensity, log by log; each slope with its ceiling and its measured point.
//!
//! y = min(ceiling, bandwidth · x). Roofs with a value that is not positive are left out, as log axes cannot hold them.

use super::legend::Series;
use super::{Axes, ChartArea, Failure, Legend, on};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::number;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::fill;
use crate::draw::axis::Axis;
use crate::draw::style::{DrawStyle, LABEL, S0, T1, T2, T3, full};
use crate::model::figure::{Roof, RoofPoint, Roofline, ScaleKind};
use crate::scene::palette::Ink;
use crate::scene::{Align, Shape, Stroke, text};
use plotters::prelude::*;

/// Names and labels are written for at most this many roofs; the others have hit regions only.
const NAMED: usize = 8;
/// So many points, those nearest to their roofs, are named even where lines run through their names.
const CROSSING: usize = 4;
/// How far to the side of a point its name may stand, and how much further each time.
const ASIDE: [Px; 4] = [10.0, 40.0, 80.0, 140.0];
/// Height of a name along a slope: slopes that are nearer to each other share one.
const NAME: Px = 13.0;
/// A label further away than this has a line to its point.
const FAR: Px = 16.0;
/// Values beyond this many decades from 1 are no measurement; the axes end there.
const DECADES: f64 = 30.0;

pub(super) fn paint<DB: DrawingBackend>(
    board: &ChartArea<DB>,
    figure: &Roofline,
) -> Result<Vec<Shape>, Failure> {
    let series = Series::of(figure);
    let is_shown = |roof: &&Roof| {
        let [bandwidth, ceiling] = series.numbers(roof);
        0.0 < roof.bandwidth && 0.0 < roof.ceiling && !board.is_hidden(bandwidth) && !board.is_hidden(ceiling)
    };
    let roofs: Vec<Seen> = figure
        .roofs
        .iter()
        .enumerate()
        .filter(|(_, roof)| is_shown(roof))
        .map(|(at, roof)| {
            // A roof has the color of its bandwidth.
            Seen { number: series.numbers(roof)[0], at, roof, ink: series.ink(series.numbers(roof)[0]) }
        })
        .collect();
    let (x, y) = axes(&figure.roofs);
    let legend = Legend::of_roofline(figure, board.look.language);
    let axes = Axes { x: &x, y: &y, x_label: &figure.x, y_label: &figure.y, legend, bands: 1 };
    let (mut chart, plot, shapes) = board.frame(&axes)?;
    let mut over = Over { plot, taken: Vec::new(), dots: Vec::new(), lines: Vec::new(), shapes };
    for seen in &roofs {
        over.keep_point_clear(&x, &y, seen.roof);
    }
    let (mut ceilings, mut slopes): (Vec<&Roof>, Vec<(&Seen, Slope)>) = (Vec::new(), Vec::new());
    for seen in &roofs {
        let roof = seen.roof;
        let ridge = roof.ceiling / roof.bandwidth;
        let start = x.from.max(y.from / roof.bandwidth).min(ridge);
        let slope = [start, ridge.min(x.to)].map(|v| place(&x, &y, v, v * roof.bandwidth));
        let style = board.line_style(seen.ink, 1.5);
        chart.draw_series(LineSeries::new(slope, style)).map_err(|e| e.to_string())?;
        let flat = [ridge.clamp(x.from, x.to), x.to].map(|v| place(&x, &y, v, roof.ceiling));
        let known = ceilings.iter().any(|c| c.ceiling == roof.ceiling && roof.bandwidth <= c.bandwidth);
        if !known {
            chart.draw_series(LineSeries::new(flat, board.line_style(T2, 1.5))).map_err(|e| e.to_string())?;
        }
        if ceilings.iter().all(|c| c.ceiling != roof.ceiling) && ceilings.len() < NAMED {
            over.ceiling(board.look, roof, flat[1]);
        }
        ceilings.push(roof);
        over.keep_clear(slope, flat);
        if !is_repeated(figure, seen.at) {
            slopes.push((seen, slope));
        }
    }
    name_slopes(board.look, figure, &slopes, &mut over);
    for Seen { at, roof, ink, .. } in &roofs {
        if let Some(point) = roof.point.as_ref().filter(|p| 0.0 < p.x && 0.0 < p.y) {
            let spot = place(&x, &y, point.x, point.y);
            let top = place(&x, &y, point.x, (point.x * roof.bandwidth).min(roof.ceiling));
            over.drop(spot, top, *ink);
            for (radius, ink) in dots(*ink, *at < figure.n_baseline) {
                let dot = Circle::new(spot, board.px(radius), board.fill_style(ink));
                chart.draw_series([dot]).map_err(|e| e.to_string())?;
            }
        }
    }
    name_points(board, figure, &roofs, (&x, &y), &mut over);
    Ok(over.shapes)
}

/// Writes what points say: that of each document which is nearest to its roof says all, the others their names, those that
/// are nearer to their roofs first.
fn name_points<DB: DrawingBackend>(
    board: &ChartArea<DB>,
    figure: &Roofline,
    roofs: &[Seen],
    (x, y): (&Axis, &Axis),
    over: &mut Over,
) {
    let points = |seen: &'_ &Seen| seen.roof.point.as_ref().is_some_and(|p| 0.0 < p.x && 0.0 < p.y);
    let mut order: Vec<&Seen> = roofs.iter().filter(points).collect();
    order::sort_by(&mut order, |a, b| b.roof.reached().total_cmp(&a.roof.reached()));
    let mut told: Vec<&str> = Vec::new();
    for (n, seen) in order.into_iter().enumerate() {
        let Some(point) = &seen.roof.point else { continue };
        let letter = letter(figure, seen.at);
        let is_nearest = !told.contains(&letter);
        told.push(letter);
        let spot = place(x, y, point.x, point.y);
        let name = &seen.roof.bandwidth_name;
        // Of two documents the names of roofs begin with the letter themselves.
        let name = board.look.tr(name.strip_prefix(letter).unwrap_or(name));
        let words = if is_nearest {
            vec![format!("{letter}{name} {} TOps/s", number::short(point.y)), share_of(board.look, seen.roof)]
        } else {
            vec![format!("{letter}{name} {}", percent(seen.roof.reached()))]
        };
        if is_nearest || n < NAMED {
            over.point((spot, seen.ink), &words, is_nearest, is_nearest || n < CROSSING);
        }
        over.hover(board.look, seen.roof, point, spot);
    }
}

/// What share of which roof was reached: the one that limits at this intensity.
fn share_of(look: &DrawStyle, roof: &Roof) -> String {
    let of = look.tr("{n} of the {name} roof");
    let limit = look.tr(roof.limit_name());
    fill(of, &[("n", &percent(roof.reached())), ("name", &brief(limit))])
}

/// A share as percent with one decimal, or as many as it needs.
fn percent(share: f64) -> String {
    number::with_unit(share, &Unit::Share)
}

/// The discs of a point. The baseline is a ring, as everywhere where both stand in one picture.
fn dots(ink: Ink, is_baseline: bool) -> impl Iterator<Item = (f32, Ink)> {
    let inner = if is_baseline { Some((2.5, S0)) } else { None };
    [(5.75, S0), (4.25, ink)].into_iter().chain(inner)
}

/// Which document a roof is of, where two are compared.
fn letter(figure: &Roofline, at: usize) -> &'static str {
    match figure.n_baseline {
        0 => "",
        n if at < n => "A ",
        _ => "B ",
    }
}

/// Writes the bandwidths along their slopes; those of slopes without room between them stand above the highest of these,
/// from the highest down, with their values where there is room.
fn name_slopes(look: &DrawStyle, figure: &Roofline, slopes: &[(&Seen, Slope)], over: &mut Over) {
    let mut named: Vec<(&Seen, Slope)> =
        slopes.iter().filter(|(seen, _)| seen.number < NAMED).copied().collect();
    let key = |named: &(&Seen, Slope)| (named.0.roof.bandwidth, named.0.roof.bandwidth_name.clone());
    order::sort_by(&mut named, |a, b| {
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1))
    });
    named.dedup_by(|a, b| key(a) == key(b));
    let plot = over.plot;
    let bundles = named.chunk_by(|low, high| rise(plot, high.1) - rise(plot, low.1) < NAME);
    for bundle in bundles {
        let ([(lowest, _), ..], [.., (highest, slope)]) = (bundle, bundle) else { continue };
        let is_other =
            |roof: &Roof| roof.bandwidth < lowest.roof.bandwidth || highest.roof.bandwidth < roof.bandwidth;
        let others = slopes.iter().filter(|(other, _)| is_other(other.roof));
        let others: Vec<Slope> = others.map(|(_, slope)| *slope).collect();
        let names: Vec<String> =
            bundle.iter().rev().map(|(seen, _)| shared_name(look, figure, seen.at)).collect();
        let values = bundle.iter().rev().map(|(seen, _)| number::short(seen.roof.bandwidth));
        let both: Vec<String> =
            names.iter().zip(values).map(|(name, value)| format!("{name} {value} TB/s")).collect();
        let shown = |room: Px| match (both.as_slice(), names.as_slice()) {
            ([_], [name]) => named_in(name, &format!("{} TB/s", number::short(highest.roof.bandwidth)), room),
            _ => {
                let all = both.join(", ");
                if text::width(&all, LABEL) <= room { all } else { names.join(", ") }
            }
        };
        over.slope_name(&shown, *slope, &others);
    }
}

/// How high a slope runs where the plot begins, in pixels: slopes are parallel.
fn rise(plot: Rect, [from, to]: Slope) -> Px {
    (from.1 - from.0 * (to.1 - from.1) / (to.0 - from.0)) as Px * plot.h
}

/// A roof that is drawn: the number of its bandwidth, its place among all, its color.
struct Seen<'a> {
    number: usize,
    at: usize,
    roof: &'a Roof,
    ink: Ink,
}

/// Whether a roof of the comparison lies on one of the baseline.
fn is_repeated(figure: &Roofline, at: usize) -> bool {
    let is_same = |a: &Roof, b: &Roof| a.bandwidth == b.bandwidth && a.ceiling == b.ceiling;
    let (Some(roof), true) = (figure.roofs.get(at), figure.n_baseline <= at) else { return false };
    figure.roofs.iter().take(figure.n_baseline).any(|old| is_same(old, roof))
}

/// The name of a slope: without its letter when it stands for both documents.
fn shared_name(look: &DrawStyle, figure: &Roofline, at: usize) -> String {
    let Some(roof) = figure.roofs.get(at) else { return String::new() };
    let is_same = |b: &Roof| roof.bandwidth == b.bandwidth && roof.ceiling == b.ceiling;
    let is_shared = at < figure.n_baseline && figure.roofs.iter().skip(figure.n_baseline).any(is_same);
    let name = roof.bandwidth_name.as_str();
    match name.split_at_checked(2) {
        Some((letter @ ("A " | "B "), name)) if figure.n_baseline != 0 => {
            format!("{}{}", if is_shared { "" } else { letter }, look.tr(name))
        }
        _ => look.tr(name).to_owned(),
    }
}

/// Whole decades around everything, as original viewers have them: both axes begin at 10^(⌊log10 least⌋ − 1), where
/// the least is that of all points and 1; the horizontal one ends at 10^(⌊log10 most⌋ + 2). They do not change when
/// roofs are switched off.
pub fn axes(roofs: &[Roof]) -> (Axis, Axis) {
    let roofs = || roofs.iter().filter(|r| 0.0 < r.bandwidth && 0.0 < r.ceiling);
    let points = || roofs().filter_map(|r| r.point.as_ref()).filter(|p| 0.0 < p.x && 0.0 < p.y);
    let decade = |value: f64| value.log10().floor().clamp(-DECADES, DECADES);
    let most = |values: &mut dyn Iterator<Item = f64>| decade(values.fold(1.0_f64, f64::max));
    let from = decade(points().map(|p| p.x.min(p.y)).fold(1.0, f64::min)) - 1.0;
    let x = most(&mut points().map(|p| p.x).chain(roofs().map(|r| r.ceiling / r.bandwidth))) + 2.0;
    let y = most(&mut points().map(|p| p.y).chain(roofs().map(|r| r.ceiling))) + 1.0;
    let axis = |to: f64| Axis::new(ScaleKind::Log, 10_f64.powf(from), 10_f64.powf(to));
    (axis(x), axis(y))
}

/// A place of the plot, kept inside it.
fn place(x: &Axis, y: &Axis, px: f64, py: f64) -> (f64, f64) {
    (x.at(px).unwrap_or(0.0).clamp(0.0, 1.0), y.at(py).unwrap_or(0.0).clamp(0.0, 1.0))
}

/// Both ends of a slope, as shares of the plot.
type Slope = [(f64, f64); 2];

/// What is painted over the chart; texts keep clear of each other.
struct Over {
    plot: Rect,
    /// Where texts stand.
    taken: Vec<Rect>,
    /// Where points are.
    dots: Vec<Point>,
    /// Where lines run, as small boxes.
    lines: Vec<Rect>,
    shapes: Vec<Shape>,
}

impl Over {
    fn is_free(&self, rect: Rect) -> bool {
        !self.taken.iter().any(|t| rect.meets(*t))
    }

    fn write(&mut self, at: Point, words: &str, ink: Ink, align: Align) {
        self.shapes.push(Shape::Text { at, text: words.to_owned(), font: LABEL, ink, align, turn: 0.0 });
    }

    /// Labels of points do not lie on lines.
    fn keep_clear(&mut self, slope: Slope, flat: Slope) {
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
        !self.lines.iter().any(|l| rect.meets(*l))
    }

    /// The name of a ceiling above its right end; below it where the plot ends or something else stands.
    fn ceiling(&mut self, look: &DrawStyle, roof: &Roof, end: (f64, f64)) {
        let end = on(self.plot, end.0, end.1);
        let value = format!("{} TOps/s", number::short(roof.ceiling));
        let shown = named_in(&brief(look.tr(&roof.ceiling_name)), &value, self.plot.w - 4.0);
        let w = text::width(&shown, LABEL);
        let places = [end.y - 16.0, end.y + 3.0].map(|y| Rect::new(end.x - 2.0 - w, y, w, 13.0));
        if let Some(rect) = places.into_iter().find(|r| self.is_inside(*r) && self.is_free(*r)) {
            self.taken.push(rect);
            self.write(Point { x: rect.right(), y: rect.y + 10.0 }, &shown, T2, Align::Right);
        }
    }

    /// The name of a bandwidth along its slope, as `shown` in so much room; further up when another name is near.
    fn slope_name(&mut self, shown: &dyn Fn(Px) -> String, slope: Slope, others: &[Slope]) {
        let [a, b] = slope.map(|(x, y)| on(self.plot, x, y));
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let length = dx.hypot(dy);
        let shown = shown(length * 0.9);
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
            let is_clear = others.iter().all(|other| self.is_off_slope(*other, from, to));
            if fits && is_clear && boxes.iter().all(|b| self.is_free(*b)) {
                self.taken.extend(boxes);
                let (text, turn) = (shown, dy.atan2(dx).to_degrees());
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

    /// Whether a text from one place to another, 12 px high, does not touch a slope.
    fn is_off_slope(&self, slope: Slope, from: Point, to: Point) -> bool {
        let [a, b] = slope.map(|(x, y)| on(self.plot, x, y));
        let line_at = |x: Px| a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x).max(f32::EPSILON);
        // Slopes are parallel on log axes, so both ends of the text are on one side, or it is crossed.
        let below = |at: Point| at.y - 12.0 - line_at(at.x);
        let is_beside = to.x < a.x || b.x < from.x;
        is_beside || 0.0 < below(from).min(below(to)) || below(from).max(below(to)) < -13.0
    }

    /// Labels do not lie on points.
    fn keep_point_clear(&mut self, x: &Axis, y: &Axis, roof: &Roof) {
        if let Some(point) = roof.point.as_ref().filter(|p| 0.0 < p.x && 0.0 < p.y) {
            let (px, py) = place(x, y, point.x, point.y);
            let dot = on(self.plot, px, py);
            self.taken.push(Rect::new(dot.x - 6.0, dot.y - 6.0, 12.0, 12.0));
            self.dots.push(dot);
        }
    }

    /// The dashed line from a point to its roof.
    fn drop(&mut self, at: (f64, f64), top: (f64, f64), ink: Ink) {
        let points = vec![on(self.plot, at.0, at.1), on(self.plot, top.0, top.1)];
        self.shapes.push(Shape::Path { points, stroke: Stroke { ink, width: 1.0, dash: 2.0 } });
    }

    /// Whether what stands here is nearer to its own point than to all others.
    fn is_own(&self, rect: Rect, dot: Point) -> bool {
        let others = self.dots.iter().filter(|other| **other != dot);
        others.map(|other| distance(rect, *other)).all(|other| distance(rect, dot) < other)
    }

    /// Writes beside a point where no line runs, further away where there is no such place near it; what can be crossed stands
    /// where the fewest lines run through it where there is none at all. What stands further away, or nearer to another
    /// point, has a line to its own.
    fn point(&mut self, (at, ink): ((f64, f64), Ink), words: &[String], is_nearest: bool, can_cross: bool) {
        let dot = on(self.plot, at.0, at.1);
        let w = words.iter().map(|line| text::width(line, LABEL)).fold(0.0, Px::max);
        let h = 13.0 * words.len() as Px;
        let level = [-h / 2.0, 4.0 - h, -4.0, -h - 8.0, 8.0, -h - 24.0, 24.0, -h - 40.0, 40.0];
        let level = move |aside: Px| level.into_iter().map(move |by| (aside, by));
        let beside = ASIDE.into_iter().flat_map(level).flat_map(|(aside, by)| {
            [(dot.x + aside, Align::Left), (dot.x - aside - w, Align::Right)]
                .map(|(x, align)| (Rect::new(x, dot.y + by, w, h), align))
        });
        // Where it is wider than what is left on either side: above and below, as far from the edges as need be.
        let middle = (dot.x - w / 2.0).min(self.plot.right() - w).max(self.plot.x);
        let over = (0..8_u8).map(|n| 8.0 + 12.0 * Px::from(n)).flat_map(|by| [by, -h - by]);
        let over = over.map(|by| (Rect::new(middle, dot.y + by, w, h), Align::Left));
        let places: Vec<(Rect, Align)> = beside.chain(over).filter(|(r, _)| self.is_inside(*r)).collect();
        let find = |must_own: bool, must_clear: bool| {
            let is_good = |r: Rect| {
                self.is_free(r) && (!must_own || self.is_own(r, dot)) && (!must_clear || self.is_off_lines(r))
            };
            let mut good = places.iter().filter(|(r, _)| is_good(*r)).copied();
            // Where a line runs through it, as little of it as can be.
            let crossed = |(r, _): &(Rect, Align)| self.lines.iter().filter(|line| r.meets(**line)).count();
            if must_clear { good.next() } else { good.min_by_key(crossed).filter(|_| can_cross) }
        };
        let ways = [(true, true), (false, true), (true, false), (false, false)];
        let found = ways.into_iter().find_map(|(own, clear)| Some((find(own, clear)?, own)));
        let Some(((rect, align), is_own)) = found else { return };
        if !is_own || !rect.inset(-FAR).contains(dot) {
            let end = Point { x: dot.x.clamp(rect.x, rect.right()), y: dot.y.clamp(rect.y, rect.bottom()) };
            self.shapes.push(Shape::Path { points: vec![dot, end], stroke: Stroke::new(ink, 1.0) });
        }
        self.taken.push(rect);
        let x = if align == Align::Left { rect.x } else { rect.right() };
        for (n, line) in words.iter().enumerate() {
            let y = rect.y + 10.0 + 13.0 * n as Px;
            self.write(Point { x, y }, line, if is_nearest && n == 0 { T1 } else { T3 }, align);
        }
    }

    fn is_inside(&self, rect: Rect) -> bool {
        let plot = self.plot;
        plot.x <= rect.x
            && rect.right() <= plot.right() + 4.0
            && plot.y <= rect.y
            && rect.bottom() <= plot.bottom()
    }

    /// What hovering a point says.
    fn hover(&mut self, look: &DrawStyle, roof: &Roof, point: &RoofPoint, at: (f64, f64)) {
        let dot = on(self.plot, at.0, at.1);
        let rect = Rect::new(dot.x - 7.0, dot.y - 7.0, 14.0, 14.0);
        self.shapes.push(Shape::Hit { rect, name: tooltip(look, roof, point) });
    }
}

/// How far a place is from a box.
fn distance(rect: Rect, at: Point) -> Px {
    let beyond = |at: Px, from: Px, to: Px| (from - at).max(at - to).max(0.0);
    beyond(at.x, rect.x, rect.right()).hypot(beyond(at.y, rect.y, rect.bottom()))
}

/// A name with its value in so much room: the name gives way.
fn named_in(name: &str, value: &str, room: Px) -> String {
    let room = room - text::width(value, LABEL) - text::width(" ", LABEL);
    match text::label(name, LABEL, room) {
        Some(name) => format!("{name} {value}"),
        None => value.to_owned(),
    }
}

/// A name whose shares have at most one decimal: `Cube_FP(99.9%)` for `Cube_FP(99.908312%)`.
pub fn brief(name: &str) -> String {
    let part = |part: &str| {
        let (share, rest) = part.split_once('%')?;
        let share: f64 = share.parse().ok()?;
        Some(format!("{}%{rest}", number::short((share * 10.0).round() / 10.0)))
    };
    name.split('(').map(|text| part(text).unwrap_or_else(|| text.to_owned())).collect::<Vec<_>>().join("(")
}

/// What hovering a point says: its numbers, how far the roof is, and what it is made of there.
fn tooltip(look: &DrawStyle, roof: &Roof, point: &RoofPoint) -> String {
    let limit = roof.limit(point.x);
    let how = if point.is_share_computed { format!(" ({})", look.tr("computed")) } else { String::new() };
    let below = (1.0 - point.y / limit) * 100.0;
    let bound = if roof.is_memory_bound(point.x) {
        look.tr("memory (left of ridge)")
    } else {
        look.tr("compute (right of ridge)")
    };
    let lines = [
        format!("{} · {}", look.tr(&roof.bandwidth_name), look.tr(&roof.ceiling_name)),
        format!("{}\t{} TB/s", look.tr("Bandwidth"), number::exact(roof.bandwidth)),
        format!("{}\t{} Ops/Byte", look.tr("Arithmetic intensity"), number::exact(point.x)),
        format!("{}\t{} TOps/s", look.tr("Performance"), number::exact(point.y)),
        format!("{}\t{}{how}", look.tr("Share of roof"), full(point.share, &Unit::Share)),
        format!("{}\t{} TOps/s", look.tr("Roof at this point"), number::exact(limit)),
        format!(
            "{}\t{}×, {} %",
            look.tr("Distance to roof"),
            number::short(limit / point.y),
            number::short((below * 100.0).round() / 100.0)
        ),
        format!("{}\t{bound}", look.tr("Bound by")),
    ];
    lines.join("\n")
}
