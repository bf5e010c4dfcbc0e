//! A block schedule: units below each other with a lane for each resident block, how many blocks are resident over time above
//! them, and beside them what part of the time they run and wait.
//!
//! Blocks that are narrower than a pixel become columns: the strength is how much of the pixel they fill, the color that of
//! the longest. A frame costs the lanes in view times the width.

mod lanes;
mod strip;

use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number::fixed;
use crate::base::order;
use crate::base::words::phrase;
use crate::draw::style::{DrawStyle, LABEL, S0, T1, T3, TEXT, hairline};
use crate::scene::palette::{Ink, RampName};
use crate::scene::{Align, Scene, Shape, SpanRect, SpanStyle, Spans, Stroke};
use crate::views::schedule::compute::{ColorBy, Look, Origins, Resident, Schedule};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Width of the names at the left.
pub const HEADS: Px = 112.0;
/// Width of the bars at the right, whose head and `100 %` stand beside each other, and of the overview at their right edge.
const WAITS: Px = 116.0;
const OVERVIEW: Px = 13.0;
/// Height of the strip of resident blocks.
pub const STRIP: Px = 48.0;
/// Height of the ruler below it.
pub const RULER: Px = 26.0;
/// A unit with more lanes is drawn as one row of coverage.
const MOST_LANES: usize = 16;
/// Where on the ramp the least value stands: the ground is kept for nothing.
const LEAST_COLOR: f64 = 0.25;
/// Room above and below the lanes of a unit.
const EDGE: Px = 2.0;

/// The order of units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitOrder {
    /// By the share of the time that they run; else by their ids.
    pub is_by_running: bool,
    /// The greatest first.
    pub is_descending: bool,
}

/// What is drawn.
#[derive(Clone, Copy)]
pub struct Plot<'a> {
    pub schedule: &'a Schedule,
    pub look: Look,
    /// Time 0 of each unit.
    pub origins: &'a Origins,
    /// How many blocks are resident.
    pub resident: &'a Resident,
    /// The stretch of time that is seen; `None` is all.
    pub window: Option<(f64, f64)>,
    /// The stretch of time that is chosen.
    pub range: Option<(f64, f64)>,
    /// How far the rows are scrolled, in pixels.
    pub scroll: f64,
    /// The order of units.
    pub order: UnitOrder,
    /// The chosen block.
    pub selected: Option<u32>,
}

/// Where everything is.
pub struct Layout {
    /// Where lanes are drawn.
    pub area: Rect,
    /// Units from top to bottom.
    pub rows: Vec<u32>,
    /// Where each row begins below the first, and where the last ends.
    pub tops: Vec<f64>,
    /// How far the rows are scrolled.
    pub scroll: f64,
    /// The most that they can be.
    pub max_scroll: f64,
    /// The stretch of time that is seen.
    pub window: (f64, f64),
    /// Which of `rows` are seen.
    pub seen: Range<usize>,
    per_px: f64,
}

/// Height of the row of a unit with so many lanes.
fn row_height(lanes: usize, is_only: bool) -> Px {
    let (lane, apart) = lane_height(lanes, is_only);
    match lanes {
        n if MOST_LANES < n => 24.0,
        n => (n as Px * (lane + apart) + 2.0 * EDGE).max(24.0),
    }
}

/// Height of a lane, and the ground below it.
fn lane_height(lanes: usize, is_only: bool) -> (Px, Px) {
    match lanes {
        n if MOST_LANES < n => (20.0, 0.0),
        _ if is_only => (18.0, 1.0),
        n if 8 < n => (2.0, 1.0),
        1 => (19.0, 1.0),
        2 => (9.0, 1.0),
        _ => (4.0, 1.0),
    }
}

impl Plot<'_> {
    /// Where everything is in a picture of this size.
    pub fn layout(&self, size: Size) -> Layout {
        let schedule = self.schedule;
        let is_only = schedule.units.len() < 2;
        let waits = if is_only { 0.0 } else { WAITS };
        let above = STRIP + RULER;
        let area = Rect::new(HEADS, above, (size.w - HEADS - waits).max(1.0), (size.h - above).max(0.0));
        let mut rows: Vec<u32> = (0..schedule.units.len() as u32).collect();
        if self.order.is_by_running {
            let share = |row: &u32| schedule.shares(&schedule.units[*row as usize], self.origins).0;
            order::sort_by_number(&mut rows, share);
        }
        if self.order.is_descending {
            rows.reverse();
        }
        let mut top = 0.0;
        let mut tops = vec![0.0];
        tops.extend(rows.iter().map(|row| {
            top += f64::from(row_height(schedule.units[*row as usize].lanes.len(), is_only));
            top
        }));
        let max_scroll = (top - f64::from(area.h)).max(0.0);
        let scroll = if self.scroll.is_finite() { self.scroll.clamp(0.0, max_scroll) } else { 0.0 };
        let first = tops.partition_point(|top| *top <= scroll).saturating_sub(1);
        let end = tops.partition_point(|top| *top < scroll + f64::from(area.h)).min(rows.len());
        let window = self.seen_window();
        let per_px = (window.1 - window.0) / f64::from(area.w);
        Layout { area, rows, tops, scroll, max_scroll, window, seen: first..end.max(first), per_px }
    }

    /// The stretch of time that is seen.
    fn seen_window(&self) -> (f64, f64) {
        let all = (0.0, (self.origins.length as f64).max(1.0));
        let asked = self.window.filter(|(from, to)| from.is_finite() && to.is_finite() && from < to);
        asked.map_or(all, |(from, to)| {
            let length = (to - from).clamp(8.0_f64.min(all.1), all.1);
            let from = from.clamp(0.0, all.1 - length);
            (from, from + length)
        })
    }

    /// The color of a block.
    fn ink(&self, row: u32, inks: &[Ink]) -> Ink {
        let at = color_at(self.schedule, self.look.color, row);
        inks[(at * (inks.len() - 1) as f64).round() as usize]
    }

    /// Start and end of a block from time 0.
    pub fn span(&self, row: u32) -> (f64, f64) {
        let unit = self.schedule.unit[row as usize];
        let start = self.origins.time(unit, self.schedule.start[row as usize]) as f64;
        (start, start + self.schedule.elapsed[row as usize] as f64)
    }
}

/// Where a block stands on the ramp, 0 to 1.
pub fn color_at(schedule: &Schedule, by: ColorBy, row: u32) -> f64 {
    let numbers = &schedule.numbers;
    let share = |value: u64, least: u64, most: u64| {
        if most <= least { 0.5 } else { (value.saturating_sub(least)) as f64 / (most - least) as f64 }
    };
    match by {
        ColorBy::Elapsed => share(schedule.elapsed[row as usize], numbers.shortest, numbers.longest),
        ColorBy::Wave => share(u64::from(schedule.wave(row)), 0, u64::from(numbers.n_waves().max(1) - 1)),
        ColorBy::Block => share(u64::from(row), 0, schedule.len() as u64 - 1),
    }
}

/// The color at a place (0 to 1) of the legend.
pub fn color(look: &DrawStyle, at: f64) -> Ink {
    Ink::Rgba(look.palette.ramp(RampName::Seq, LEAST_COLOR + (1.0 - LEAST_COLOR) * at))
}

impl Layout {
    /// Where a time is.
    pub fn x(&self, time: f64) -> Px {
        (f64::from(self.area.x) + (time - self.window.0) / self.per_px) as Px
    }

    /// The time at a place.
    pub fn time(&self, x: Px) -> f64 {
        self.window.0 + f64::from(x - self.area.x) * self.per_px
    }

    /// Where a row of `rows` lies.
    fn row(&self, at: usize) -> Rect {
        let y = f64::from(self.area.y) + self.tops[at] - self.scroll;
        Rect::new(0.0, y as Px, self.area.right(), (self.tops[at + 1] - self.tops[at]) as Px)
    }

    /// The row of a unit.
    pub fn row_of(&self, unit: u32) -> Option<usize> {
        self.rows.iter().position(|row| *row == unit)
    }
}

/// Where the lane of a unit lies in its row; the whole row where lanes are not told apart.
fn lane_rect(row: Rect, lanes: usize, lane: usize, is_only: bool) -> Rect {
    let (height, apart) = lane_height(lanes, is_only);
    let lane = if MOST_LANES < lanes { 0 } else { lane };
    let used = if MOST_LANES < lanes { height } else { lanes as Px * (height + apart) };
    let top = row.y + ((row.h - used) / 2.0).floor();
    Rect::new(row.x, top + lane as Px * (height + apart), row.w, height)
}

/// The picture.
pub fn draw(plot: &Plot, size: Size, look: &DrawStyle) -> Scene {
    let layout = plot.layout(size);
    let mut scene = Scene::new(size);
    scene.fill(Rect::new(0.0, 0.0, size.w, size.h), S0);
    let ticks = strip::ticks(&layout);
    let mut spans = Vec::new();
    strip::grid(&layout, &ticks, &mut spans);
    let labels = lanes::lanes(plot, &layout, look, &mut spans);
    scene.shapes.push(Shape::Spans(Spans { field: layout.area, ground: S0, spans }));
    scene.shapes.extend(labels);
    strip::strip(plot, &layout, size, look, &mut scene);
    strip::ruler(plot, &layout, size, &ticks, look, &mut scene);
    sides(plot, &layout, size, look, &mut scene);
    range(plot, &layout, look, &mut scene);
    chosen(plot, &layout, &mut scene);
    scene
}

/// The chosen stretch of time, from the strip down through all lanes.
fn range(plot: &Plot, layout: &Layout, look: &DrawStyle, scene: &mut Scene) {
    let area = layout.area;
    let Some((from, to)) = plot.range else { return };
    let [left, right] = [from, to].map(|time| layout.x(time).clamp(area.x, area.right()));
    if left < right {
        let accent = Ink::Token("accent");
        let field = Rect::new(left, 0.0, (right - left).max(1.0), area.bottom());
        scene.fill(field, look.faded(accent, 0.12));
        for x in [left, right - 1.0] {
            scene.fill(Rect::new(x, 0.0, 1.0, area.bottom()), accent);
        }
    }
}

/// The chosen block: its outline, and a line up to the strip.
fn chosen(plot: &Plot, layout: &Layout, scene: &mut Scene) {
    let Some(rect) = plot.selected.and_then(|row| block_rect(plot, layout, row)) else { return };
    let area = layout.area;
    let left = rect.x.max(area.x - 4.0);
    let right = rect.right().min(area.right() + 4.0).max(left + 1.0);
    let rect = Rect::new(left, rect.y, right - left, rect.h);
    let middle = f32::midpoint(rect.x, rect.right()).round() + 0.5;
    scene.shapes.push(Shape::Clip(Rect::new(area.x, 0.0, area.w, area.bottom())));
    let line = Stroke { ink: T1, width: 1.0, dash: 2.0 };
    scene.line(Point { x: middle, y: 0.0 }, Point { x: middle, y: rect.y.max(area.y) }, line);
    scene.shapes.push(Shape::Clip(area));
    for (by, stroke) in [(3.0, Stroke::new(S0, 1.0)), (2.0, Stroke::new(T1, 2.0))] {
        let around = Rect::new(rect.x - by, rect.y - by, rect.w + 2.0 * by, rect.h + 2.0 * by);
        scene.shapes.push(Shape::Outline { rect: around, radius: 2.0, stroke });
    }
    scene.shapes.extend([Shape::Unclip, Shape::Unclip]);
}

/// Where a block is drawn, also when that is not in view; `None` where its unit is not.
fn block_rect(plot: &Plot, layout: &Layout, row: u32) -> Option<Rect> {
    let unit = *plot.schedule.unit.get(row as usize)?;
    let at = layout.row_of(unit)?;
    let lanes = &plot.schedule.units.get(unit as usize)?.lanes;
    let is_only = plot.schedule.units.len() < 2;
    let lane = lane_rect(layout.row(at), lanes.len(), plot.schedule.lane_of_unit(row) as usize, is_only);
    let (start, end) = plot.span(row);
    let (x0, x1) = (layout.x(start), layout.x(end));
    Some(Rect::new(x0, lane.y, (x1 - x0).max(1.0), lane.h))
}

/// How far the rows must be scrolled so that a block is in view; `None` where it is.
pub fn scroll_to(plot: &Plot, size: Size, row: u32) -> Option<f64> {
    let layout = plot.layout(size);
    let unit = *plot.schedule.unit.get(row as usize)?;
    let at = layout.row_of(unit)?;
    let is_seen =
        layout.scroll <= layout.tops[at] && layout.tops[at + 1] <= layout.scroll + f64::from(layout.area.h);
    (!is_seen).then(|| (layout.tops[at] - f64::from(layout.area.h) / 2.0).clamp(0.0, layout.max_scroll))
}

/// The block that is drawn at a point, or near it.
pub fn hit(plot: &Plot, size: Size, at: Point) -> Option<u32> {
    const NEAR: Px = 3.0;
    let layout = plot.layout(size);
    if !layout.area.contains(at) {
        return None;
    }
    let y = f64::from(at.y - layout.area.y) + layout.scroll;
    let row = layout.tops.partition_point(|top| *top <= y).checked_sub(1)?;
    let unit = *layout.rows.get(row)?;
    let own = plot.schedule.units.get(unit as usize)?.lanes.clone();
    let is_only = plot.schedule.units.len() < 2;
    let lanes = own.len();
    let near = |lane: &u32| {
        let rect = lane_rect(layout.row(row), lanes, (*lane - own.start) as usize, is_only);
        MOST_LANES < lanes || rect.y - 1.0 <= at.y && at.y < rect.bottom() + 1.0
    };
    let time = [-NEAR, NEAR].map(|by| layout.time(at.x + by));
    let [from, to] = time.map(|time| plot.origins.clock(unit, time));
    let found = own.clone().filter(near).flat_map(|lane| {
        let lane = plot.schedule.lanes[lane as usize].clone();
        let seen = plot.schedule.seen(&lane, from, to);
        // Of very many under the pointer the longest one is told of.
        let longest = plot.schedule.longest(seen.clone());
        if 64 < seen.len() { longest.into_iter().collect() } else { plot.schedule.order[seen].to_vec() }
    });
    let exact = layout.time(at.x);
    let distance = |row: &u32| {
        let (start, end) = plot.span(*row);
        (start - exact).max(exact - end).max(0.0)
    };
    found.min_by(|a, b| {
        let longer = || plot.schedule.elapsed[*b as usize].cmp(&plot.schedule.elapsed[*a as usize]);
        distance(a).total_cmp(&distance(b)).then_with(longer)
    })
}

/// The part of a rectangle inside the field, which spans do not leave.
fn put(spans: &mut Vec<SpanRect>, field: Rect, span: SpanRect) {
    let (x0, x1) = (span.x0.max(field.x), span.x1.min(field.right()));
    let (y, bottom) = (span.y.max(field.y), (span.y + span.h).min(field.bottom()));
    if x0 < x1 && y < bottom {
        spans.push(SpanRect { x0, x1, y, h: bottom - y, ..span });
    }
}

/// A thin line of the grid.
fn rule(scene: &mut Scene, from: Point, to: Point, token: &'static str) {
    scene.line(from, to, hairline(Ink::Token(token)));
}

// Beside the lanes: names of units with the share of the time that they run; gap and idle as bars; all units at a glance.

/// Steps of the share where bars of waiting end.
const STEPS: [f64; 6] = [0.05, 0.1, 0.2, 0.3, 0.5, 1.0];
/// Height of the bars.
const BAR: Px = 10.0;

fn sides(plot: &Plot, layout: &Layout, size: Size, look: &DrawStyle, scene: &mut Scene) {
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
        put(&mut spans, field, SpanRect { x0: left, x1: left + gap, ..bar });
        let idle = SpanRect { x0: left + gap, x1: left + all, ink: Ink::Token("wait"), ..bar };
        put(&mut spans, field, SpanRect { look: SpanStyle::Hatched, ..idle });
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
        put(spans, area_of(area), rest);
    }
}

/// The column of waits beside the lanes.
fn area_of(area: Rect) -> Rect {
    Rect::new(area.right(), area.y, WAITS, area.h)
}
