//! Data that are never used again, how often others are, and how much of a level is in use over time.

use super::{length, nothing, percent};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number::thousands;
use crate::base::words::{fill, phrase};
use crate::draw::style::{DrawStyle, LABEL, LINE, LINE2, NAME, S2, T1, T2, T3, TEXT, compact};
use crate::scene::palette::Ink;
use crate::scene::{Align, Scene, Shape, Stroke, text};
use crate::views::lifetimes::compute::{Distribution, Peak};

/// Colors: never used again, in use.
const ORPHAN: Ink = Ink::Slice(8);
const USED: Ink = Ink::Slice(1);
const COURSE: Ink = Ink::Token("accent");
/// Margin at the sides, and between columns.
const EDGE: Px = 16.0;
const GAP: Px = 40.0;
/// Height of a row of a kernel.
const ROW: Px = 18.0;
/// A name that has less room than this says nothing.
const LEAST_NAME: Px = 40.0;
/// Bins of reuses: 0, 1, 2, 3, 4–7, 8–15 and so on.
const BINS: usize = 14;

/// One level.
pub struct ReusePlot<'a> {
    pub name: String,
    /// The units that number of reuses and course are of, where these are others than those of the shares; else empty.
    pub others: String,
    /// How often data are used again, over all lifetimes.
    pub reuses: &'a Distribution,
    /// Lifetimes without reuse, and all.
    pub orphans: (u64, u64),
    /// Kernels with the most of them first.
    pub kernels: Vec<KernelShare>,
    /// Sectors in use over time.
    pub course: Course<'a>,
}

/// What a kernel never used again.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelShare {
    pub name: String,
    /// Lifetimes without reuse, and all.
    pub orphans: (u64, u64),
}

/// Sectors in use over the time of the kernels, from the begin of the first to the end of the last.
#[derive(Clone, Copy)]
pub struct Course<'a> {
    /// The most in each step; nothing is in use in those that are missing at the end.
    pub sectors: &'a [u64],
    /// Cycles of a step.
    pub step: f64,
    /// Cycles of all the time.
    pub span: f64,
    /// Cycles in a microsecond; `None` when nobody says.
    pub clock_mhz: Option<f64>,
    /// How many there is room for; 0 when nobody says.
    pub room: u64,
    pub peak: Peak,
    /// The kernel that keeps so many; empty where that is not one alone.
    pub kernel: &'a str,
}

impl Course<'_> {
    /// The most that is in use, when, and in which kernel: of its name as much as there is room for.
    fn peak_words(&self, room: Px, look: &DrawStyle) -> String {
        let about = if self.peak.is_exact { "" } else { "≈ " };
        let n = format!("{about}{}", thousands(self.peak.sectors));
        let time = self.say(self.peak.cycle as f64);
        let said = |kernel: &str| {
            let words = match kernel {
                "" => phrase("peak: {n} sectors at {time}"),
                _ => phrase("peak: {n} sectors at {time}, during {kernel}"),
            };
            fill(look.tr(words), &[("n", &n), ("time", &time), ("kernel", kernel)])
        };
        let left = room + text::width("…", LABEL) - text::width(&said("…"), LABEL);
        let name = text::cut_middle(self.kernel, LABEL, left.max(0.0));
        if self.kernel.is_empty() || left < LEAST_NAME { said("") } else { said(&name) }
    }

    /// A time in cycles, in words.
    fn say(&self, cycles: f64) -> String {
        match self.clock_mhz {
            Some(mhz) => length(cycles / mhz * 1000.0, true),
            None => length(cycles, false),
        }
    }
}

/// Draws it: a row for each level.
pub fn draw(levels: &[ReusePlot], size: Size, look: &DrawStyle) -> Scene {
    let mut scene = Scene::new(size);
    if levels.iter().all(|level| level.orphans.1 == 0 && level.course.sectors.is_empty()) {
        nothing(&mut scene, look.tr(phrase("Reuse is known only for accesses.")));
        return scene;
    }
    let h = (size.h / levels.len().max(1) as Px).floor();
    let w = ((size.w - 2.0 * EDGE - 2.0 * GAP) / 3.0).max(40.0);
    for (at, level) in levels.iter().enumerate() {
        let y = at as Px * h;
        let rect =
            |column: usize| Rect::new(EDGE + column as Px * (w + GAP), y + 46.0, w, (h - 70.0).max(20.0));
        orphans(level, rect(0), look, &mut scene);
        let name = format!("{} {}", level.name, level.others);
        reuses(level, name.trim_end(), rect(1), look, &mut scene);
        course(level, name.trim_end(), rect(2), look, &mut scene);
        if 0 < at {
            scene.fill(Rect::new(EDGE, y, size.w - 2.0 * EDGE, 1.0), LINE);
        }
    }
    scene
}

/// A name with words beside it, or below where they have no room there.
fn title(rect: Rect, name: &str, words: &str, scene: &mut Scene) {
    let y = rect.y - 16.0;
    let beside = rect.x + text::width(name, NAME) + 8.0;
    let has_room = text::width(words, TEXT) <= rect.right() - beside;
    let (x, above) = if has_room { (beside, 0.0) } else { (rect.x, 14.0) };
    scene.text(Point { x: rect.x, y: y - above }, name, NAME, T1, Align::Left);
    let words = text::cut_end(words, TEXT, (rect.right() - x).max(8.0));
    scene.text(Point { x, y }, words, TEXT, T3, Align::Left);
}

fn share((n, all): (u64, u64)) -> f64 {
    if all == 0 { 0.0 } else { n as f64 / all as f64 }
}

fn orphans(level: &ReusePlot, rect: Rect, look: &DrawStyle, scene: &mut Scene) {
    let words = look.tr(phrase("{share} never reused: {n} of {m}"));
    let (n, m) = level.orphans;
    let words = fill(
        words,
        &[
            ("share", &percent(share(level.orphans))),
            ("n", &thousands(n.cast_signed())),
            ("m", &thousands(m.cast_signed())),
        ],
    );
    title(rect, &level.name, &words, scene);
    let rows = ((rect.h / ROW).floor().max(1.0) as usize).min(level.kernels.len());
    let names = (rect.w * 0.42).floor();
    for (row, kernel) in level.kernels.iter().take(rows).enumerate() {
        let y = rect.y + row as Px * ROW;
        let name = text::cut_middle(&kernel.name, LABEL, names - 8.0);
        scene.text(Point { x: rect.x, y: y + 12.0 }, name, LABEL, T2, Align::Left);
        let bar = Rect::new(rect.x + names, y + 4.0, (rect.w - names - 48.0).max(8.0), 8.0);
        scene.fill(bar, S2);
        let own = share(kernel.orphans);
        scene.fill(Rect::new(bar.x, bar.y, bar.w * own as Px, bar.h), ORPHAN);
        scene.text(Point { x: rect.right(), y: y + 12.0 }, percent(own), LABEL, T2, Align::Right);
    }
}

/// The bin of so many reuses.
fn bin(n: u64) -> usize {
    let bin = if n < 4 { n as usize } else { n.ilog2() as usize + 2 };
    bin.min(BINS - 1)
}

fn reuses(level: &ReusePlot, name: &str, rect: Rect, look: &DrawStyle, scene: &mut Scene) {
    let mut counts = [0_u64; BINS];
    for (n, times) in level.reuses.pairs() {
        if let Some(count) = counts.get_mut(bin(n)) {
            *count += times;
        }
    }
    let n_bins = counts.iter().rposition(|n| 0 < *n).map_or(0, |last| last + 1);
    title(rect, name, look.tr(phrase("lifetimes by number of reuses")), scene);
    let most = counts.iter().copied().max().unwrap_or(0);
    scene.fill(Rect::new(rect.x, rect.bottom(), rect.w, 1.0), LINE2);
    if most == 0 {
        return;
    }
    scene.text(Point { x: rect.right(), y: rect.y }, compact(most as f64), LABEL, T3, Align::Right);
    let step = (rect.w / n_bins.max(6) as Px).floor().max(2.0);
    for (at, n) in counts.iter().enumerate().take(n_bins) {
        let h = (*n as f64 / most as f64) as Px * (rect.h - 8.0);
        let h = if *n == 0 { 0.0 } else { h.max(1.0) };
        let x = rect.x + at as Px * step;
        let ink = if at == 0 { ORPHAN } else { USED };
        scene.fill(Rect::new(x, rect.bottom() - h, step - 1.0, h), ink);
        let from = 2_f64.powi(at as i32 - 2);
        let words = match at {
            0..4 => at.to_string(),
            _ if at == BINS - 1 => format!("≥ {}", compact(from)),
            _ => format!("{}–{}", compact(from), compact(2.0 * from - 1.0)),
        };
        // Bins double: each says where it begins and ends, as far as there is room.
        let words = if text::width(&words, LABEL) + 4.0 < step || at < 4 { words } else { compact(from) };
        if text::width(&words, LABEL) + 4.0 < step || at % 2 == 0 {
            let at = Point { x: x + step / 2.0, y: rect.bottom() + 14.0 };
            scene.text(at, words, LABEL, T3, Align::Middle);
        }
    }
}

fn course(level: &ReusePlot, name: &str, rect: Rect, look: &DrawStyle, scene: &mut Scene) {
    let course = &level.course;
    let most = course.peak.sectors;
    let words = if course.room == 0 {
        let n = thousands(most.cast_signed());
        fill(look.tr(phrase("sectors in use at the same time, at most {n}")), &[("n", &n)])
    } else {
        let share = percent(most as f64 / course.room as f64);
        fill(look.tr(phrase("in use at once, up to {share} of its size")), &[("share", &share)])
    };
    title(rect, name, &words, scene);
    if 0 < most {
        let words = course.peak_words(rect.w, look);
        let words = text::cut_end(&words, LABEL, rect.w);
        scene.text(Point { x: rect.x, y: rect.y - 2.0 }, words, LABEL, T2, Align::Left);
    }
    scene.fill(Rect::new(rect.x, rect.bottom(), rect.w, 1.0), LINE2);
    let span = course.span.max(1.0);
    let x = |cycles: f64| rect.x + (cycles / span).min(1.0) as Px * rect.w;
    let y = rect.bottom() + 14.0;
    let end = course.say(course.span);
    scene.text(Point { x: rect.x, y }, "0", LABEL, T3, Align::Left);
    scene.text(Point { x: rect.right(), y }, end.as_str(), LABEL, T3, Align::Right);
    if most == 0 {
        return;
    }
    let mut points = Vec::with_capacity(2 * course.sectors.len());
    for (at, sectors) in course.sectors.iter().enumerate() {
        let y = rect.bottom() - (*sectors as f64 / most as f64) as Px * (rect.h - 4.0);
        points.extend([at, at + 1].map(|at| Point { x: x(at as f64 * course.step), y }));
    }
    let last = points.last().map_or(rect.x, |last| last.x);
    points.push(Point { x: last, y: rect.bottom() });
    let mut area = points.clone();
    area.push(Point { x: rect.x, y: rect.bottom() });
    scene.shapes.push(Shape::Polygon { points: area, ink: look.faded(COURSE, 0.16) });
    scene.shapes.push(Shape::Path { points, stroke: Stroke::new(COURSE, 1.0) });
    // When the most is in use, between the ends of the axis.
    let peak = course.peak.cycle as f64;
    let words = course.say(peak);
    let half = text::width(&words, LABEL) / 2.0;
    let ends = (rect.x + 12.0 + half, rect.right() - text::width(&end, LABEL) - 8.0 - half);
    let at = x(peak);
    scene.fill(Rect::new(at, rect.bottom(), 1.0, 5.0), T2);
    if ends.0 < ends.1 {
        let x = at.clamp(ends.0, ends.1);
        scene.text(Point { x, y }, words, LABEL, T2, Align::Middle);
    }
}
