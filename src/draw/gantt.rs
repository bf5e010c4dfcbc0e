//! Gantt: bars on lanes over a common axis; nested lanes are a flame graph.
//!
//! Never more bars than pixels: on each lane, bars that fall on one pixel are one, in the color of the longest. Lanes
//! that do not fit are reached by the vertical window.

use super::axis::Axis;
use super::style::{DrawStyle, LABEL, LINE, S0, T1, T2, T3, full, name_ink};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number;
use crate::base::order;
use crate::model::figure::{FigureState, Gantt, GanttBar, ScaleKind};
use crate::scene::palette::{Ink, RampName};
use crate::scene::shape::{SpanRect, SpanStyle};
use crate::scene::{Align, Scene, Shape, Spans, Stroke, text};

/// Height of a lane with its gap.
const LANE: Px = 5.0;
/// Height of a lane when few are shown.
const TALL: Px = 12.0;
/// Height of a lane when there are so few that each has its name.
const NAMED: Px = 14.0;
/// Height of a lane whose bars carry labels.
const NESTED: Px = 18.0;
const BOTTOM: Px = 18.0;
const IDLE: Px = 60.0;
const RIGHT: Px = 12.0;

/// Height of all lanes.
pub fn height(figure: &Gantt) -> Px {
    lane_height(figure) * figure.lanes.len().max(1) as Px + BOTTOM
}

fn lane_height(figure: &Gantt) -> Px {
    match figure.lanes.len() {
        _ if figure.is_nested => NESTED,
        n if n <= 5 => NAMED,
        n if n <= 24 => TALL,
        _ => LANE,
    }
}

/// Where everything of one drawing lies.
pub struct Layout {
    /// Where the bars lie.
    pub plot: Rect,
    /// The horizontal axis of the window.
    pub x: Axis,
    lane: Px,
    first: usize,
    n: usize,
}

impl Layout {
    /// Lays a gantt out.
    pub fn new(figure: &Gantt, size: Size, state: &FigureState) -> Self {
        let label = |l: &crate::model::figure::GanttLane| text::width(label_of(&l.group, &l.name), LABEL);
        let left = if figure.is_nested {
            0.0
        } else {
            // Letters are drawn somewhat wider than they are measured.
            figure.lanes.iter().map(label).fold(0.0, Px::max).min(140.0) + 16.0
        };
        let right = if figure.has_idle { IDLE } else { RIGHT };
        let plot =
            Rect::new(left.ceil(), 0.0, (size.w - left.ceil() - right).max(1.0), (size.h - BOTTOM).max(1.0));
        let lane = lane_height(figure);
        let n = ((plot.h / lane) as usize).clamp(1, figure.lanes.len().max(1));
        let first = state.y_window.map_or(0, |(a, _)| (a * figure.lanes.len() as f64).round() as usize);
        let first = first.min(figure.lanes.len().saturating_sub(n));
        let (from, to) = extent(figure);
        let x = Axis::new(ScaleKind::Linear, from, to).part(state.x_window);
        Self { plot, x, lane, first, n }
    }

    fn top(&self, lane: usize) -> Option<Px> {
        let row = lane.checked_sub(self.first).filter(|r| *r < self.n)?;
        Some(self.plot.y + row as Px * self.lane)
    }

    fn at(&self, value: f64) -> Px {
        self.plot.x + self.x.at(value).unwrap_or(0.0) as Px * self.plot.w
    }
}

fn label_of<'a>(group: &'a str, name: &'a str) -> &'a str {
    if group.is_empty() { name } else { group }
}

fn extent(figure: &Gantt) -> (f64, f64) {
    let ends = |(low, high): (f64, f64), b: &GanttBar| (low.min(b.start), high.max(b.end));
    let (low, high) = figure.bars.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// Draws the part of a gantt that its state shows.
pub fn draw(figure: &Gantt, size: Size, look: &DrawStyle, state: &FigureState) -> Scene {
    let mut scene = Scene::new(size);
    let layout = Layout::new(figure, size, state);
    let colors = Colors::new(figure, look);
    let placed = place(figure, &layout);
    let spans = placed.iter().map(|p| p.span(&layout, &colors, &figure.bars)).collect();
    scene.shapes.push(Shape::Spans(Spans { field: layout.plot, ground: S0, spans }));
    draw_axis(&mut scene, figure, &layout, look);
    if figure.is_nested {
        for p in &placed {
            draw_label(&mut scene, look, &layout, &colors, p, &figure.bars[p.bar]);
        }
    } else {
        draw_heads(&mut scene, figure, &layout);
    }
    if figure.has_idle {
        draw_idle(&mut scene, figure, &layout, look);
    }
    outline(&mut scene, figure, &layout, &placed);
    if let Some((px, py)) = state.pointer {
        draw_pointer(&mut scene, &layout, Point { x: px, y: py });
    }
    scene
}

/// A bar, or several on one pixel.
struct Placed {
    /// The longest of them.
    bar: usize,
    x0: Px,
    x1: Px,
    top: Px,
}

impl Placed {
    fn span(&self, layout: &Layout, colors: &Colors, bars: &[GanttBar]) -> SpanRect {
        // A gap of one pixel between neighbors that are wide enough to spare it.
        let gap = if 3.0 < self.x1 - self.x0 { 1.0 } else { 0.0 };
        let ink = colors.ink(&bars[self.bar]);
        SpanRect {
            x0: self.x0,
            x1: self.x1 - gap,
            y: self.top,
            h: layout.lane - 1.0,
            ink,
            alpha: 255,
            look: SpanStyle::Plain,
        }
    }
}

/// The bars in the window, at most one a pixel of each lane. `O(bars · log bars)`.
fn place(figure: &Gantt, layout: &Layout) -> Vec<Placed> {
    let shown = |b: &GanttBar| {
        b.start <= layout.x.to && layout.x.from <= b.end && layout.top(b.lane as usize).is_some()
    };
    let mut order: Vec<usize> = (0..figure.bars.len()).filter(|&i| shown(&figure.bars[i])).collect();
    order::sort_by(&mut order, |&a, &b| {
        let (a, b) = (&figure.bars[a], &figure.bars[b]);
        a.lane.cmp(&b.lane).then(a.start.total_cmp(&b.start))
    });
    let mut out: Vec<Placed> = Vec::new();
    let mut lane = u32::MAX;
    for i in order {
        let bar = &figure.bars[i];
        let Some(top) = layout.top(bar.lane as usize) else { continue };
        let x0 = layout.at(bar.start).max(layout.plot.x);
        let x1 = layout.at(bar.end).clamp(x0, layout.plot.right());
        let (x0, x1) = (x0.floor(), x1.floor().max(x0.floor() + 1.0));
        let longer = |a: usize| figure.bars[a].end - figure.bars[a].start < bar.end - bar.start;
        let before = out.last_mut().filter(|p| bar.lane == lane && x0 < p.x1);
        let (mut from, mut to) = (x0, x1);
        if let Some(p) = before {
            if x1 - x0 <= 1.0 || p.x1 - p.x0 <= 1.0 {
                // The same pixel: one bar, in the color of the longest.
                p.bar = if longer(p.bar) { i } else { p.bar };
                p.x1 = p.x1.max(x1);
                continue;
            }
            from = p.x1;
            to = x1.max(p.x1 + 1.0).min(layout.plot.right());
        }
        out.push(Placed { bar: i, x0: from, x1: to, top });
        lane = bar.lane;
    }
    out.retain(|p| p.x0 < p.x1);
    out
}

/// Values become colors of the ramp, away from both of its ends; without values the name decides.
struct Colors<'a> {
    look: &'a DrawStyle<'a>,
    low: f64,
    high: f64,
}

impl<'a> Colors<'a> {
    fn new(figure: &Gantt, look: &'a DrawStyle) -> Self {
        let (low, high) = value_range(figure).unwrap_or((0.0, 0.0));
        Self { look, low, high }
    }

    fn ink(&self, bar: &GanttBar) -> Ink {
        let Some(value) = bar.value else { return name_ink(&bar.name) };
        let share = if self.low < self.high { (value - self.low) / (self.high - self.low) } else { 0.5 };
        // In 24 steps: more cannot be told apart, and equal colors make long runs.
        self.look.ramp(RampName::Seq, shade((share.clamp(0.0, 1.0) * 24.0).round() / 24.0))
    }
}

/// The part of the ramp that stands out from the ground.
fn shade(share: f64) -> f64 {
    0.18 + 0.74 * share
}

/// Lowest and highest value of the bars; `None` when names decide the colors.
pub fn value_range(figure: &Gantt) -> Option<(f64, f64)> {
    let mut values = figure.bars.iter().filter_map(|b| b.value).filter(|v| v.is_finite());
    let first = values.next()?;
    Some(values.fold((first, first), |(low, high), v| (low.min(v), high.max(v))))
}

fn draw_axis(scene: &mut Scene, figure: &Gantt, layout: &Layout, look: &DrawStyle) {
    let plot = layout.plot;
    let name = layout.x.title(&figure.x, look.tr(&figure.x.name));
    let room = text::width(&name, LABEL) + 12.0;
    let y = plot.bottom() + 13.0;
    for tick in layout.x.ticks((plot.w / 80.0) as usize, &figure.x.unit) {
        let x = (plot.x + tick.at as Px * plot.w).round();
        if 0.5 <= x - plot.x {
            scene.line(
                Point { x, y: plot.bottom() },
                Point { x, y: plot.bottom() + 4.0 },
                Stroke::new(LINE, 1.0),
            );
        }
        let w = text::width(&tick.text, LABEL) / 2.0;
        if x + w <= plot.right() - room || figure.has_idle && x + w <= plot.right() {
            scene.text(
                Point { x, y },
                tick.text,
                LABEL,
                T3,
                if x < plot.x + w { Align::Left } else { Align::Middle },
            );
        }
    }
    if !figure.has_idle {
        scene.text(Point { x: plot.right(), y }, name, LABEL, T3, Align::Right);
    }
    scene.line(
        Point { x: plot.x, y: plot.bottom() },
        Point { x: plot.right(), y: plot.bottom() },
        Stroke::new(LINE, 1.0),
    );
}

/// Names at the first lane of each group: all, or every second, fourth, fifth, tenth … when they would touch.
fn draw_heads(scene: &mut Scene, figure: &Gantt, layout: &Layout) {
    let names = || figure.lanes.iter().map(|l| label_of(&l.group, &l.name));
    let mut firsts: Vec<(usize, &str)> = Vec::new();
    for (i, name) in names().enumerate() {
        if firsts.last().is_none_or(|(_, last)| *last != name) {
            firsts.push((i, name));
        }
    }
    let least = firsts.windows(2).map(|w| w[1].0 - w[0].0).min().unwrap_or(1) as Px * layout.lane;
    let every = [1, 2, 4, 5, 10, 20, 50, 100].into_iter().find(|n| 14.0 <= least * *n as Px).unwrap_or(200);
    for (i, name) in firsts.into_iter().step_by(every) {
        let Some(top) = layout.top(i) else { continue };
        let y = top + layout.lane.max(9.0) / 2.0 + 4.0;
        let words = text::cut_middle(name, LABEL, 140.0).into_owned();
        scene.text(Point { x: layout.plot.x - 8.0, y }, words, LABEL, T3, Align::Right);
    }
}

fn draw_label(
    scene: &mut Scene,
    look: &DrawStyle,
    layout: &Layout,
    colors: &Colors,
    p: &Placed,
    bar: &GanttBar,
) {
    let room = p.x1 - p.x0 - 7.0;
    if let Some(words) = text::label(&bar.name, LABEL, room) {
        let at = Point { x: p.x0 + 3.5, y: p.top + (layout.lane - 1.0) / 2.0 + 4.0 };
        scene.text(at, words.into_owned(), LABEL, look.ink_on(colors.ink(bar)), Align::Left);
    }
}

/// From the last bar of a group to the end of the axis, as bars at the right margin.
fn draw_idle(scene: &mut Scene, figure: &Gantt, layout: &Layout, look: &DrawStyle) {
    let (from, to) = extent(figure);
    let ends = idle_ends(figure, from);
    let most = ends.iter().map(|(_, end)| to - end).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let ink = look.faded(T3, 0.45);
    for (lanes, end) in &ends {
        let shown: Vec<Px> = lanes.clone().filter_map(|l| layout.top(l)).collect();
        let (Some(first), Some(last)) = (shown.first(), shown.last()) else { continue };
        let w = (((to - end) / most) as Px * (IDLE - 12.0)).max(1.0);
        scene.fill(Rect::new(layout.plot.right() + 4.0, *first, w, last + layout.lane - 1.0 - first), ink);
    }
    let at = Point { x: layout.plot.right() + 4.0, y: layout.plot.bottom() + 13.0 };
    scene.text(at, look.tr("idle at end"), LABEL, T3, Align::Left);
}

/// The lanes of each group with the end of its last bar.
fn idle_ends(figure: &Gantt, from: f64) -> Vec<(std::ops::Range<usize>, f64)> {
    let mut of_lane = vec![from; figure.lanes.len()];
    for bar in &figure.bars {
        if let Some(end) = of_lane.get_mut(bar.lane as usize) {
            *end = end.max(bar.end);
        }
    }
    let mut out: Vec<(std::ops::Range<usize>, f64)> = Vec::new();
    for (i, lane) in figure.lanes.iter().enumerate() {
        match out
            .last_mut()
            .filter(|(r, _)| figure.lanes[r.start].group == lane.group && !lane.group.is_empty())
        {
            Some((range, end)) => {
                range.end = i + 1;
                *end = end.max(of_lane[i]);
            }
            None => out.push((i..i + 1, of_lane[i])),
        }
    }
    out
}

/// Outlines the bar that the figure is about, else the longest one.
fn outline(scene: &mut Scene, figure: &Gantt, layout: &Layout, placed: &[Placed]) {
    let length = |i: usize| figure.bars[i].end - figure.bars[i].start;
    let longest = || (0..figure.bars.len()).max_by(|a, b| length(*a).total_cmp(&length(*b)));
    let outlined = figure.outlined.map(|bar| bar as usize).or_else(longest);
    let Some(p) = placed.iter().find(|p| Some(p.bar) == outlined && !figure.is_nested) else { return };
    let rect = Rect::new(p.x0, p.top, (p.x1 - p.x0 - 1.0).max(2.0), layout.lane - 1.0);
    for (by, width, ink) in [(2.5, 2.0, S0), (1.0, 1.5, T1)] {
        let around = Rect::new(rect.x - by, rect.y - by, rect.w + 2.0 * by, rect.h + 2.0 * by);
        scene.shapes.push(Shape::Outline { rect: around, radius: 0.0, stroke: Stroke::new(ink, width) });
    }
}

fn draw_pointer(scene: &mut Scene, layout: &Layout, at: Point) {
    if layout.plot.contains(at) {
        let stroke = Stroke { ink: T2, width: 1.0, dash: 2.0 };
        scene.line(Point { x: at.x, y: layout.plot.y }, Point { x: at.x, y: layout.plot.bottom() }, stroke);
    }
}

/// What lies under a point: the longest bar there, in lines of name and value.
pub fn read_out(
    figure: &Gantt,
    size: Size,
    look: &DrawStyle,
    state: &FigureState,
    at: Point,
) -> Option<String> {
    let layout = Layout::new(figure, size, state);
    if !layout.plot.contains(at) {
        return None;
    }
    let lane = layout.first + ((at.y - layout.plot.y) / layout.lane) as usize;
    let [from, to] = [at.x.floor(), at.x.floor() + 1.0]
        .map(|x| layout.x.value(f64::from((x - layout.plot.x) / layout.plot.w)));
    let under = figure
        .bars
        .iter()
        .filter(|b| b.lane as usize == lane && b.start < to && from < b.end.max(b.start + f64::MIN_POSITIVE));
    let bar = under.max_by(|a, b| (a.end - a.start).total_cmp(&(b.end - b.start)))?;
    let row = figure.lanes.get(lane).map_or_else(String::new, |l| format!("{} {}", l.group, l.name));
    let unit = &figure.x.unit;
    let mut lines = vec![
        if bar.name.is_empty() { row.trim().to_owned() } else { bar.name.clone() },
        format!("{}\t{}", look.tr("Lane"), row.trim()),
        format!("{}\t{} – {}", look.tr("From – to"), number::exact(bar.start), full(Some(bar.end), unit)),
        format!("{}\t{}", look.tr("Length"), full(Some(bar.end - bar.start), unit)),
    ];
    if let Some(value) = bar.value {
        lines.push(format!("{}\t{}", look.tr(&figure.value.name), full(Some(value), &figure.value.unit)));
    }
    Some(lines.join("\n"))
}

/// The ramp with both of its ends, 16 px high.
pub fn legend(figure: &Gantt, look: &DrawStyle, (low, high): (f64, f64)) -> Scene {
    let name = look.tr(&figure.value.name);
    let low = format!("{name} {}", super::style::compact(low));
    let high = full(Some(high), &figure.value.unit);
    let stops = (0..9).map(|i| look.ramp(RampName::Seq, shade(f64::from(i) / 8.0)));
    super::cores::ramp_legend(low.trim(), &high, stops)
}
