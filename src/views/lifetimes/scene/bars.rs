//! One level: its grid, bars, the cumulative line, and the share that each retention holds.

use super::layout::{BINS, Layout};
use super::{LevelPlot, Plot, empty_words, percent};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number::thousands;
use crate::base::words::{fill, phrase};
use crate::draw::style::{DrawStyle, LABEL, LINE, LINE2, NAME, S0, T1, T2, T3, compact, hairline};
use crate::scene::palette::Ink;
use crate::scene::{Align, Font, Scene, Shape, Stroke, text};

/// Steps of the scale of counts, at most.
const STEPS: f64 = 3.4;
/// Rows of summaries, at most.
const STATED: usize = 200;

/// A round step so that at most [`STEPS`] of them make `most`.
fn step(most: f64) -> f64 {
    let least = (most / STEPS).max(1.0);
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|n| n * power)
        .into_iter()
        .find(|step| least <= *step && step.fract() == 0.0)
        .unwrap_or(power * 10.0)
}

/// How many are in each bin. What is shorter than 1 ns is in the first, what is too long in the last.
pub(super) fn counts(layout: &Layout, all: u64, within: impl Fn(f64) -> u64) -> Vec<u64> {
    let (mut before, last) = (0, layout.bins() - 1);
    let bins = (0..=last).map(|bin| {
        let (_, to) = Layout::bin(bin);
        let within = if bin == last { all } else { within(to) };
        let n = within.saturating_sub(before);
        before = within;
        n
    });
    bins.collect()
}

/// Room of the caption in the upper left corner of a plot.
const CAPTION: Size = Size { w: 292.0, h: 64.0 };

/// Counts of a level, and of the one that it is compared with.
fn both_counts(plot: &Plot, level: &LevelPlot, layout: &Layout) -> (Vec<u64>, Option<Vec<u64>>) {
    let own = counts(layout, level.lengths.count(), |nanos| plot.within(level, nanos));
    let other = plot.baseline(level);
    (own, other.map(|other| counts(layout, other.lengths.count(), |nanos| other.within(nanos))))
}

/// Whether bars or lines of a plot of this height reach into the room of its caption, which then stands above.
pub(super) fn is_caption_above(plot: &Plot, level: &LevelPlot, layout: &Layout, h: Px) -> bool {
    let (own, others) = both_counts(plot, level, layout);
    let all = || own.iter().chain(others.iter().flatten());
    let most = all().copied().max().unwrap_or(0);
    let last = layout.ends().0 + CAPTION.w;
    let (n, nanos) = (layout.bin_at(last).map_or(own.len(), |bin| bin as usize + 1), layout.nanos(last));
    let own_share = plot.within(level, nanos) as f64 / level.lengths.count().max(1) as f64;
    let share = plot.baseline(level).map_or(0.0, |other| other.share_within(nanos)).max(own_share);
    let low = f64::from((h - CAPTION.h) / h);
    let is_high = |n: &u64| low < *n as f64 / top(most as f64);
    0 < most && (low < share || own.iter().take(n).chain(others.iter().flatten().take(n)).any(is_high))
}

/// Everything of a level but what stands over the lines.
pub(super) fn level(
    plot: &Plot,
    level: &LevelPlot,
    layout: &Layout,
    at: usize,
    look: &DrawStyle,
    scene: &mut Scene,
) {
    let rect = layout.plot(at);
    let (own, others) = both_counts(plot, level, layout);
    let other = plot.baseline(level);
    let most = own.iter().chain(others.iter().flatten()).copied().max().unwrap_or(0) as f64;
    grid(layout, rect, most, scene);
    bars(plot, layout, rect, (&own, most), scene);
    if let Some((other, counts)) = other.zip(others) {
        super::baseline_outline(layout, rect, (&counts, top(most)), scene);
        super::baseline_cumulative(&other, layout, rect, scene);
    }
    scene.fill(Rect::new(rect.x, rect.bottom(), rect.w, 1.0), LINE2);
    if !level.lengths.is_empty() {
        cumulative(plot, level, layout, rect, look, scene);
    }
    stated(plot, level, layout, rect, scene);
}

fn grid(layout: &Layout, rect: Rect, most: f64, scene: &mut Scene) {
    for decade in 0..=layout.decades() {
        let x = layout.x(10_f64.powi(decade.cast_signed())).round();
        scene.fill(Rect::new(x, rect.y, 1.0, rect.h), LINE);
    }
    let mut label = |x: Px, y: Px, words: String, align: Align| {
        scene.text(Point { x, y }, words, LABEL, T3, align);
    };
    label(rect.x - 8.0, rect.bottom(), "0".to_owned(), Align::Right);
    for (share, words) in [(1.0, "100 %"), (0.5, "50"), (0.0, "0")] {
        let y = rect.bottom() - rect.h * share;
        label(rect.right() + 8.0, if share == 0.0 { y } else { y + 4.0 }, words.to_owned(), Align::Left);
    }
    if most == 0.0 {
        return;
    }
    let step = step(most);
    let mut value = step;
    while value <= top(most) {
        let y = (rect.bottom() - (value / top(most)) as Px * rect.h).round();
        scene.fill(Rect::new(rect.x, y, rect.w, 1.0), LINE);
        scene.text(Point { x: rect.x - 8.0, y: y + 4.0 }, compact(value), LABEL, T3, Align::Right);
        value += step;
    }
}

/// The value at the upper edge.
fn top(most: f64) -> f64 {
    most * 1.04
}

/// Bars in the colors of what holds them; one that a line cuts has two.
fn bars(plot: &Plot, layout: &Layout, rect: Rect, (counts, most): (&[u64], f64), scene: &mut Scene) {
    for (bin, n) in (0..).zip(counts).filter(|(_, n)| 0 < **n) {
        let (from, to) = Layout::bin(bin);
        let h = ((*n as f64 / top(most)) as Px * rect.h).max(1.0);
        let (left, right) = (layout.x(from).round(), layout.x(to).round());
        let right = (right - 1.0).max(left + 1.0);
        let inside = plot.lines.iter().map(|line| line.micros * 1000.0).filter(|at| from < *at && *at < to);
        let mut at = left;
        for end in inside.map(Some).chain([None]) {
            let x = end.map_or(right, |end| layout.x(end).round().clamp(left, right));
            // The longest of this part decides: all of it is held as far as the line goes.
            let ink = plot.ink_of(end.unwrap_or(to));
            if at < x {
                scene.fill(Rect::new(at, rect.bottom() - h, x - at, h), ink);
            }
            at = x;
        }
    }
}

/// The share that is at most as long.
fn cumulative(
    plot: &Plot,
    level: &LevelPlot,
    layout: &Layout,
    rect: Rect,
    look: &DrawStyle,
    scene: &mut Scene,
) {
    let count = level.lengths.count() as f64;
    let points = curve(layout, rect, |nanos| plot.within(level, nanos) as f64 / count);
    let halo = Stroke::new(look.faded(S0, 0.7), 4.0);
    scene.shapes.push(Shape::Path { points: points.clone(), stroke: halo });
    scene.shapes.push(Shape::Path { points, stroke: Stroke::new(T1, 1.5) });
}

/// A share over the axis, one point for each pixel.
pub(super) fn curve(layout: &Layout, rect: Rect, share: impl Fn(f64) -> f64) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::with_capacity(rect.w as usize + 2);
    let n = rect.w.floor() as u16;
    for x in (0..=n).map(|x| rect.x + Px::from(x)) {
        let y = rect.bottom() - share(layout.nanos(x)) as Px * rect.h;
        // Only where it turns: flat parts are long.
        if let [.., a, b] = points.as_mut_slice()
            && a.y == b.y
            && b.y == y
        {
            b.x = x;
            continue;
        }
        points.push(Point { x, y });
    }
    points
}

/// Median, 90 % and longest of each kernel where nothing more is known.
fn stated(plot: &Plot, level: &LevelPlot, layout: &Layout, rect: Rect, scene: &mut Scene) {
    let n = level.stated.len().min(STATED);
    if n == 0 || !level.lengths.is_empty() {
        return;
    }
    // Below the caption.
    let (top, room) = (rect.y + 56.0, (rect.h - 62.0).max(8.0));
    let step = (room / n as Px).min(20.0);
    let unit = plot.cycles_per_unit();
    for (row, values) in level.stated.iter().take(n).enumerate() {
        let [median, most, longest] = values.map(|cycles| layout.x(cycles / unit));
        let y = (top + (row as Px + 0.5) * step).round() + 0.5;
        let h = (step * 0.6).clamp(1.0, 9.0);
        scene.line(Point { x: median, y }, Point { x: longest, y }, hairline(T3));
        let ink = plot.ink_of(values[1] / unit);
        scene.fill(Rect::new(median, y - h / 2.0, (most - median).max(1.0), h), ink);
        scene.fill(Rect::new(median - 1.0, y - h / 2.0 - 1.0, 2.0, h + 2.0), T1);
    }
}

/// The name of the level, how many there are, and what the scale counts: in the corner of its plot, or in a line above.
pub(super) fn caption(level: &LevelPlot, layout: &Layout, at: usize, look: &DrawStyle, scene: &mut Scene) {
    let (rect, is_above) = (layout.plot(at), layout.is_caption_above(at));
    let x = if is_above { rect.x } else { rect.x + 12.0 };
    let (name, y) = (NAME.size, if is_above { rect.y - 6.0 } else { rect.y + 14.0 });
    let font = Font::ui(name + 1.0).weight(600);
    scene.text(Point { x, y }, level.name.as_str(), font, T1, Align::Left);
    let mut behind = x + text::width(&level.name, font) + 6.0;
    if !level.scope.is_empty() {
        scene.text(Point { x: behind, y }, level.scope.as_str(), LABEL, T3, Align::Left);
        behind += text::width(&level.scope, LABEL) + 6.0;
    }
    let mut lines = Vec::new();
    if let Some(words) = empty_words(level, look.language) {
        lines.push(words);
    } else if level.lengths.is_empty() {
        let n = thousands(level.stated.len() as i64);
        lines.push(fill(look.tr(phrase("median, 90 % and longest of {n} kernels")), &[("n", &n)]));
    } else {
        let counted = level.lengths.count();
        let n = thousands(counted.cast_signed());
        let is_left_out = counted < level.opened && 0 < level.orphans;
        let words = if is_left_out { phrase("{n} lifetimes with reuse") } else { phrase("{n} lifetimes") };
        lines.push(fill(look.tr(words), &[("n", &n)]));
        if 0 < level.orphans {
            let share = percent(level.orphans as f64 / level.opened.max(1) as f64);
            let words = if is_left_out {
                phrase("{share} of {m} opened never reused, left out")
            } else {
                phrase("{share} of them never reused")
            };
            let m = thousands(level.opened.cast_signed());
            lines.push(fill(look.tr(words), &[("share", &share), ("m", &m)]));
        }
        let n = BINS.to_string();
        lines.push(fill(look.tr(phrase("lifetimes per bin of 1/{n} decade")), &[("n", &n)]));
    }
    if is_above {
        // What comes last gives way first.
        let mut words = lines.join("; ");
        while rect.right() - behind < text::width(&words, LABEL) && 1 < lines.len() {
            lines.pop();
            words = lines.join("; ");
        }
        let words = text::cut_end(&words, LABEL, (rect.right() - behind).max(8.0));
        let w = text::width(&words, LABEL);
        // The lines of the flags stop here: words are read whole.
        scene.fill(Rect::new(behind - 2.0, y - 10.0, w + 4.0, 14.0), S0);
        scene.text(Point { x: behind, y }, words, LABEL, T3, Align::Left);
        return;
    }
    for (row, words) in lines.into_iter().enumerate() {
        let at = Point { x, y: rect.y + 30.0 + 14.0 * row as Px };
        let w = text::width(&words, LABEL);
        scene.fill(Rect::new(x - 2.0, at.y - 10.0, w + 4.0, 14.0), look.faded(S0, 0.7));
        scene.text(at, words, LABEL, T3, Align::Left);
    }
}

/// Between a share and the word behind it; digits are drawn somewhat wider than they are measured.
const GAP: Px = 8.0;

/// What each line holds of a level: a dot on the cumulative line with the share beside it.
pub(super) fn shares(
    plot: &Plot,
    level: &LevelPlot,
    layout: &Layout,
    at: usize,
    look: &DrawStyle,
    scene: &mut Scene,
) {
    if level.lengths.is_empty() {
        return;
    }
    let rect = layout.plot(at);
    let n = thousands(level.lengths.count().cast_signed());
    let whole = fill(look.tr(phrase("of {n} fit")), &[("n", &n)]);
    for (row, line) in plot.lines.iter().enumerate() {
        let nanos = line.micros * 1000.0;
        let share = plot.within(level, nanos) as f64 / level.lengths.count() as f64;
        let (x, h) = (layout.x(nanos).round() + 0.5, share as Px * rect.h);
        let y = rect.bottom() - h;
        dot(Point { x, y }, 6.0, S0, scene);
        dot(Point { x, y }, 4.0, T1, scene);
        let number = percent(share);
        let font = NAME;
        let own = text::width(&number, font);
        // What would stand over the next line says less.
        let next = plot.lines.get(row + 1).map_or(rect.right(), |next| layout.x(next.micros * 1000.0));
        let has_room = |words: &str| own + GAP + text::width(words, LABEL) + 20.0 < next - x;
        let short = look.tr(phrase("fit"));
        let words = if has_room(&whole) { whole.as_str() } else { short };
        let w = own + GAP + text::width(words, LABEL);
        let other = plot.baseline(level).map(|other| super::baseline_dot(&other, nanos, x, rect, scene));
        let w = other.as_ref().map_or(w, |words| w.max(text::width(words, LABEL)));
        let below = if other.is_some() { 14.0 } else { 0.0 };
        let is_low = h < 26.0 + below;
        let is_left = is_low || rect.right() < x + 11.0 + w || !has_room(words);
        let x = if is_left { (x - 12.0 - w).max(rect.x + 4.0) } else { x + 11.0 };
        let y = if is_low { (y - 4.0).min(rect.bottom() - 16.0 - below) } else { y + 13.0 };
        scene.fill(Rect::new(x - 4.0, y - 9.0, w + 8.0, 18.0 + below), look.faded(S0, 0.86));
        if let Some(words) = other {
            scene.text(Point { x, y: y + 4.0 + below }, words, LABEL, T2, Align::Left);
        }
        scene.text(Point { x, y: y + 4.0 }, number, font, T1, Align::Left);
        scene.text(Point { x: x + own + GAP, y: y + 4.0 }, words, LABEL, T2, Align::Left);
    }
}

/// A filled circle.
pub(super) fn dot(at: Point, radius: Px, ink: Ink, scene: &mut Scene) {
    let rect = Rect::new(at.x - radius, at.y - radius, 2.0 * radius, 2.0 * radius);
    scene.shapes.push(Shape::Fill { rect, radius, ink });
}
