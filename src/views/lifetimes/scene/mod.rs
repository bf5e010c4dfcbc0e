//! Lifetimes of data: how many of each length, one plot for each level on one axis of time, with the retention of devices
//! as lines through all of them; and what else the view shows.
//!
//! A bar has the color of the device with the shortest retention that still holds it. The axis is always the same seven
//! decades, so that two files can be compared at a glance; longer lifetimes add whole decades.

pub mod addresses;
mod bars;
mod devices;
mod figures;
mod layout;
mod reuse;
mod write_rates;

pub use devices::{Column, DevicePlot, draw as draw_devices};
pub use figures::{ROWS, definition, numbers};
pub use layout::{AXIS, Layout, flags_height};
pub use reuse::{Course, KernelShare, ReusePlot, draw as draw_reuse};
pub use write_rates::{KernelPoint, WriteRates, draw as draw_write_rates, under as under_write_rates};

use crate::base::geometry::{Point, Px, Rect, Size};
pub use crate::base::number::percent;
use crate::base::number::{fixed, short, thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Language, fill, phrase, tr};
use crate::draw::style::{DrawStyle, LABEL, LINE2, S0, T1, T2, T3, TEXT, hairline};
use crate::scene::palette::Ink;
use crate::scene::{Align, Font, Scene, Shape, Stroke, text};
use crate::views::lifetimes::compute::{Device, Devices, Distribution, Retention};
use layout::decade;

/// What is drawn.
pub struct Plot<'a> {
    /// Levels from above.
    pub levels: Vec<LevelPlot<'a>>,
    /// Retentions of devices, the shortest first.
    pub lines: Vec<Line>,
    /// Names of devices that are never refreshed.
    pub never: Vec<String>,
    /// The color of what outlives all lines, see [`rest_ink`].
    pub rest: Ink,
    /// Cycles in a microsecond; `None` when nobody says: then the axis counts cycles, and there are no lines.
    pub clock_mhz: Option<f64>,
}

/// One level.
pub struct LevelPlot<'a> {
    pub name: String,
    /// What is shown of it where that is not what is shown of the others, such as `all`.
    pub scope: String,
    /// Lengths in cycles.
    pub lengths: &'a Distribution,
    /// Lifetimes without reuse, whether they are among them or not.
    pub orphans: u64,
    /// Lifetimes, those without reuse included.
    pub opened: u64,
    /// Where only summaries are known: median, 90 % and longest of each kernel, in cycles.
    pub stated: Vec<[f64; 3]>,
    /// The same level of a run that this one is compared with.
    pub baseline: Option<Baseline<'a>>,
}

/// A level of another run, drawn as outlines.
#[derive(Clone, Copy)]
pub struct Baseline<'a> {
    /// Lengths in its cycles.
    pub lengths: &'a Distribution,
    /// Its cycles in a microsecond; `None` when nobody says.
    pub clock_mhz: Option<f64>,
}

/// The retention of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The device.
    pub name: String,
    pub ink: Ink,
    /// How long it keeps data.
    pub micros: f64,
    /// Whether it depends on the rate of writes, and this is only one of several.
    pub is_rough: bool,
}

/// What outlives all lines where no device is known that holds it.
pub const OUTLIVES: Ink = Ink::Slice(9);

/// The color of a device: of the one that others are compared with, else by its place among the others.
fn device_ink(reference: bool, place: usize) -> Ink {
    const ORDER: [u8; 11] = [3, 2, 11, 1, 6, 4, 5, 7, 8, 10, 12];
    if reference { OUTLIVES } else { Ink::Slice(ORDER.get(place % ORDER.len()).copied().unwrap_or(3)) }
}

/// The color of a device by its row.
pub fn ink_of(devices: &Devices, row: usize) -> Ink {
    let is_reference = devices.devices.get(row).is_some_and(|device| device.is_reference);
    let before = devices.devices.iter().take(row).filter(|device| !device.is_reference).count();
    device_ink(is_reference, before)
}

/// Retentions of devices at a rate of stores, the shortest first, each with the row of its device. Names of devices that
/// nobody set are words.
pub fn retention_lines(devices: &Devices, write_mhz: f64, language: Language) -> Vec<(usize, Line)> {
    let line = |(row, device): (usize, &Device)| {
        let micros = device.retention.micros(write_mhz)?;
        let is_rough = matches!(device.retention, Retention::ByFrequency(_));
        let name = tr(language, &device.name).to_owned();
        Some((row, Line { name, ink: ink_of(devices, row), micros, is_rough }))
    };
    let mut lines: Vec<(usize, Line)> = devices.devices.iter().enumerate().filter_map(line).collect();
    order::sort_by_number(&mut lines, |(_, line)| line.micros);
    lines
}

/// The color of what outlives all lines: that of the densest device that is never refreshed, which holds it in a mix.
pub fn rest_ink(devices: &Devices) -> Ink {
    let own = devices.devices.iter().enumerate().filter(|(_, device)| device.retention == Retention::Never);
    let densest = own.min_by(|a, b| a.1.cell_um2.total_cmp(&b.1.cell_um2));
    densest.map_or(OUTLIVES, |(row, _)| ink_of(devices, row))
}

/// Names of devices that are never refreshed.
pub fn never_refreshed(devices: &Devices, language: Language) -> Vec<String> {
    let own = devices.devices.iter().filter(|device| device.retention == Retention::Never);
    own.map(|device| tr(language, &device.name).to_owned()).collect()
}

impl Plot<'_> {
    /// Cycles in a nanosecond, or 1 where no clock is known.
    fn cycles_per_unit(&self) -> f64 {
        self.clock_mhz.map_or(1.0, |mhz| mhz / 1000.0)
    }

    /// The color of what lasts so many nanoseconds.
    fn ink_of(&self, nanos: f64) -> Ink {
        let holds = |line: &&Line| nanos <= line.micros * 1000.0;
        self.lines.iter().find(holds).map_or(self.rest, |line| line.ink)
    }

    /// How many of a level last so many nanoseconds at most.
    fn within(&self, level: &LevelPlot, nanos: f64) -> u64 {
        level.lengths.count_within(nanos * self.cycles_per_unit())
    }

    /// The level of the other run, where it has lengths on the same axis.
    fn baseline<'b>(&self, level: &LevelPlot<'b>) -> Option<Baseline<'b>> {
        level.baseline.filter(|other| {
            !other.lengths.is_empty() && other.clock_mhz.is_some() == self.clock_mhz.is_some()
        })
    }
}

impl Baseline<'_> {
    /// How many last so many nanoseconds at most.
    fn within(&self, nanos: f64) -> u64 {
        self.lengths.count_within(nanos * self.clock_mhz.map_or(1.0, |mhz| mhz / 1000.0))
    }

    /// Their share.
    fn share_within(&self, nanos: f64) -> f64 {
        self.within(nanos) as f64 / self.lengths.count().max(1) as f64
    }
}

/// Draws it.
pub fn draw(plot: &Plot, size: Size, look: &DrawStyle) -> Scene {
    let layout = Layout::new(plot, size);
    let mut scene = Scene::new(size);
    flag_axis(plot, &layout, look, &mut scene);
    for (at, level) in plot.levels.iter().enumerate() {
        bars::level(plot, level, &layout, at, look, &mut scene);
    }
    flag_lines(plot, &layout, &mut scene);
    for (at, level) in plot.levels.iter().enumerate() {
        bars::caption(level, &layout, at, look, &mut scene);
        bars::shares(plot, level, &layout, at, look, &mut scene);
    }
    flags(plot, &layout, look, &mut scene);
    scene
}

/// What lies under a point: level, from and to in nanoseconds, how many, how many at most as long.
#[derive(Clone, Debug, PartialEq)]
pub struct Under {
    pub level: usize,
    /// Above so many nanoseconds.
    pub from: f64,
    /// Up to so many.
    pub to: f64,
    pub count: u64,
    /// How many are at most as long.
    pub within: u64,
}

/// What lies under a point.
pub fn under(plot: &Plot, size: Size, at: Point) -> Option<Under> {
    let layout = Layout::new(plot, size);
    let level = (0..plot.levels.len()).find(|level| layout.plot(*level).contains(at))?;
    let bin = layout.bin_at(at.x)?;
    let (from, to) = Layout::bin(bin);
    let own = plot.levels.get(level)?;
    let below = if bin == 0 { 0 } else { plot.within(own, from) };
    let within = plot.within(own, to);
    Some(Under { level, from, to, count: within.saturating_sub(below), within })
}

/// What shares of lifetimes are shares of, in words: how many count, and what is left out as never used again.
pub fn base_words(counted: u64, orphans: u64, opened: u64, language: Language) -> String {
    let share = percent(orphans as f64 / opened.max(1) as f64);
    let [n, m] = [counted, opened].map(|n| thousands(n.cast_signed()));
    let words = match (orphans, opened.saturating_sub(counted)) {
        (0, _) => phrase("of {n} lifetimes"),
        (_, 0) => phrase("of {n} lifetimes, {share} of them never reused"),
        _ => phrase("of {n} reused lifetimes; {share} of all {m} were never reused and are left out"),
    };
    fill(tr(language, words), &[("n", &n), ("m", &m), ("share", &share)])
}

/// Why a level has no bars, in words; nothing where it has some.
pub fn empty_words(level: &LevelPlot, language: Language) -> Option<String> {
    if !level.lengths.is_empty() || !level.stated.is_empty() {
        return None;
    }
    let n = thousands(level.orphans.cast_signed());
    let words = if level.orphans == 0 {
        tr(language, phrase("No {level} lifetimes"))
    } else {
        tr(language, phrase("No {level} lifetimes: {n} orphans, all opened once"))
    };
    let words = fill(words, &[("level", &level.name)]);
    Some(if level.orphans == 0 { words } else { fill(&words, &[("n", &n)]) })
}

/// Words in the middle of a picture that has nothing to show.
fn nothing(scene: &mut Scene, words: &str) {
    let at = Point { x: scene.size.w / 2.0, y: scene.size.h / 2.0 };
    scene.text(at, words, LABEL, T3, Align::Middle);
}

// A level of the run that another one is compared with: outlines over the bars, a dashed line beside the cumulative one,
// and its share at each retention.

/// The counts of bins as one line of steps, `top` being at the upper edge.
fn baseline_outline(layout: &Layout, rect: Rect, (counts, top): (&[u64], f64), scene: &mut Scene) {
    let mut points: Vec<Point> = Vec::new();
    for (bin, n) in (0..).zip(counts) {
        let (from, to) = Layout::bin(bin);
        let h = if *n == 0 { 0.0 } else { ((*n as f64 / top) as Px * rect.h).max(1.0) };
        let y = rect.bottom() - h;
        // Stretches at one height are one line.
        if let [.., last] = points.as_mut_slice()
            && last.y == y
        {
            last.x = layout.x(to).round();
            continue;
        }
        points.extend([from, to].map(|nanos| Point { x: layout.x(nanos).round(), y }));
    }
    scene.shapes.push(Shape::Path { points: points.clone(), stroke: Stroke::new(S0, 3.0) });
    scene.shapes.push(Shape::Path { points, stroke: Stroke::new(T2, 1.25) });
}

/// The share that is at most as long.
fn baseline_cumulative(other: &Baseline, layout: &Layout, rect: Rect, scene: &mut Scene) {
    let points = bars::curve(layout, rect, |nanos| other.share_within(nanos));
    let stroke = Stroke { dash: 4.0, ..Stroke::new(T1, 1.25) };
    scene.shapes.push(Shape::Path { points, stroke });
}

/// A ring where a retention meets the cumulative line; its share in words, with the letter of the baseline.
fn baseline_dot(other: &Baseline, nanos: f64, x: Px, rect: Rect, scene: &mut Scene) -> String {
    let share = other.share_within(nanos);
    let at = Point { x, y: rect.bottom() - share as Px * rect.h };
    bars::dot(at, 4.5, T1, scene);
    bars::dot(at, 3.0, S0, scene);
    format!("A {}", percent(share))
}

// Times, shares and sizes as they are said and typed.

/// A length of time, given in nanoseconds: `34 ns`, `3.79 µs`, `134.6 µs`, `1.2 ms`.
pub fn time(nanos: f64) -> String {
    let (per, unit) = match nanos.abs() {
        size if size < 999.5 => {
            return format!("{} ns", trimmed(fixed(nanos, usize::from(size < 99.95))));
        }
        size if size < 999_500.0 => (1e3, "µs"),
        size if size < 999_500_000.0 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    let value = nanos / per;
    format!("{} {unit}", trimmed(fixed(value, if value.abs() < 9.995 { 2 } else { 1 })))
}

fn trimmed(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The same where a clock may be missing: then cycles.
pub fn length(nanos: f64, has_clock: bool) -> String {
    if has_clock { time(nanos) } else { with_unit(nanos.round(), &Unit::Cycles) }
}

/// Whether both clocks are known and are not the same.
pub fn are_uneven(a: Option<f64>, b: Option<f64>) -> bool {
    a.zip(b).is_some_and(|(a, b)| 1e-6 < (a - b).abs())
}

/// A length of a run, in cycles, as a multiple of one of another run, and that one in words: as times; as cycles where a clock
/// is missing or the clocks differ, since then times differ also where nothing else does. Each comes with its clock in MHz.
pub fn multiple_of((old, old_mhz): (f64, Option<f64>), (own, own_mhz): (f64, Option<f64>)) -> (f64, String) {
    let mhz = old_mhz.filter(|_| own_mhz.is_some() && !are_uneven(old_mhz, own_mhz));
    (own / old, mhz.map_or_else(|| length(old, false), |mhz| time(old / mhz * 1000.0)))
}

/// Why the lengths of a run cannot be laid beside those of the baseline, which may lack them: how many were counted on each
/// side, and whether it has a clock.
pub fn apart(old: Option<(u64, bool)>, own: (u64, bool)) -> Option<&'static str> {
    match (old, own) {
        (None, _) => Some(phrase("not in the baseline")),
        (Some((0, _)), (0, _)) => Some(phrase("no counted lifetimes on either side")),
        (Some((0, _)), _) => Some(phrase("no counted lifetimes in the baseline")),
        (_, (0, _)) => Some(phrase("no counted lifetimes in this run")),
        (Some((_, had)), (_, has)) if had != has => {
            Some(phrase("only one side has a clock, so lengths cannot be compared"))
        }
        _ => None,
    }
}

/// Femtojoules in microjoules, with three digits or more that count.
pub fn microjoules(fj: f64) -> String {
    short(fj / 1e9)
}

/// A multiple of another value as a difference, such as `−48.0 %`, and whether it is less; neither less nor more where the
/// difference is too small to be written.
pub fn difference(multiple: f64) -> (String, Option<bool>) {
    let by = multiple - 1.0;
    if by.abs() < 5e-4 {
        return (percent(0.0), None);
    }
    let sign = if by < 0.0 { "" } else { "+" };
    let digits = usize::from(by.abs() < 1.0);
    (format!("{sign}{} %", fixed(by * 100.0, digits)), Some(by < 0.0))
}

/// A difference of two shares in percentage points, such as `+3.2 points`, and whether it is less; neither where it is too small to
/// be written.
pub fn points(by: f64, language: Language) -> (String, Option<bool>) {
    let is_none = by.abs() < 5e-4;
    let sign = if 0.0 < by && !is_none { "+" } else { "" };
    let n = format!("{sign}{}", fixed(if is_none { 0.0 } else { by * 100.0 }, 1));
    (fill(&format!("{{n}} {}", tr(language, phrase("points"))), &[("n", &n)]), (!is_none).then_some(by < 0.0))
}

/// What a row of rates of a level is called: `L2 per µs`; of one unit where units are private, and of how many where some
/// were not used: `L1 per SM and µs, of 2 used`. Units have what they are called, how many were used and how many there are.
pub fn rate_words(level: &str, units: Option<(&str, u64, u64)>, language: Language) -> String {
    let words = match units {
        _ if level.is_empty() => phrase("per µs"),
        None => phrase("{level} per µs"),
        Some((_, used, n)) if 1 < used && used < n => phrase("{level} per {unit} and µs, of {n} used"),
        Some(_) => phrase("{level} per {unit} and µs"),
    };
    let (unit, used, _) = units.unwrap_or_default();
    fill(tr(language, words), &[("level", level), ("unit", unit), ("n", &thousands(used))])
}

/// Bytes as sizes of caches are said: `120 KiB`, `50 MiB`.
pub fn bytes(n: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    match n {
        n if MIB <= n && n.is_multiple_of(MIB) => format!("{} MiB", thousands(n / MIB)),
        n if KIB <= n && n.is_multiple_of(KIB) => format!("{} KiB", thousands(n / KIB)),
        n => with_unit(n as f64, &Unit::Bytes),
    }
}

/// The next of 1, 2 and 5 times a power of ten.
pub fn round_step(value: f64, is_up: bool) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    // What is a step itself counts as reached in spite of rounding.
    let slack = 1e-9 * value;
    let steps = [0.5, 1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    if is_up {
        steps.into_iter().find(|step| value + slack < *step).unwrap_or(20.0 * power)
    } else {
        steps.into_iter().rev().find(|step| *step < value - slack).unwrap_or(0.2 * power)
    }
}

/// Microseconds as somebody types them: `1.5`, `500 ns`, `2 us`, `0.1ms`.
pub fn parse_micros(text: &str) -> Option<f64> {
    let text = text.trim().replace(',', "");
    let end = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let per = match unit.trim() {
        "ns" => 1e-3,
        "" | "us" | "µs" | "μs" => 1.0,
        "ms" => 1e3,
        "s" => 1e6,
        _ => return None,
    };
    let micros = number.trim().parse::<f64>().ok()? * per;
    (micros.is_finite() && 0.0 < micros).then_some(micros)
}

// The retention lines with their flags, and the axis.

const FLAG: Font = TEXT.weight(500);
/// Height of a flag, and where it begins in its row.
const HEIGHT: Px = 20.0;
const TOP: Px = 6.0;
/// How far the second row stands below the first.
const ROW: Px = 24.0;
/// Between two flags.
const APART: Px = 8.0;

impl Layout {
    /// Where the flags of the lines stand, in their order. A flag turns to the left where the next would cover it, and
    /// at the right edge.
    pub fn flags(&self, lines: &[Line]) -> Vec<Rect> {
        let has_two_rows = flags_height(2) < self.flags;
        let row = |at: usize| if has_two_rows { at % 2 } else { 0 };
        let place = |line: &Line| self.x(line.micros * 1000.0).round();
        let mut rects: Vec<Rect> = Vec::with_capacity(lines.len());
        for (at, line) in lines.iter().enumerate() {
            let (x, w) = (place(line), width(line));
            let next = lines.get(at + if has_two_rows { 2 } else { 1 }).map(place);
            let right = self.ends().1 + 40.0;
            let is_covered = next.is_some_and(|next| next - x < w + APART) || right < x + w;
            // Not over the one before, unless there is no other place.
            let before =
                rects.iter().enumerate().filter(|(other, _)| row(*other) == row(at)).map(|(_, r)| r.right());
            let is_free = before.fold(0.0, Px::max) <= x - w;
            let left = if is_covered && (is_free || right < x + w) { x - w } else { x };
            rects.push(Rect::new(left, TOP + ROW * row(at) as Px, w, HEIGHT));
        }
        rects
    }
}

fn value(line: &Line) -> String {
    let words = time(line.micros * 1000.0);
    if line.is_rough { format!("≈ {words}") } else { words }
}

fn width(line: &Line) -> Px {
    (text::width(&line.name, FLAG) + text::width(&value(line), LABEL) + 40.0).ceil()
}

/// The lines through all plots.
fn flag_lines(plot: &Plot, layout: &Layout, scene: &mut Scene) {
    for (line, flag) in plot.lines.iter().zip(layout.flags(&plot.lines)) {
        let x = layout.x(line.micros * 1000.0).round();
        scene.fill(Rect::new(x, flag.y + 2.0, 1.0, (layout.axis - flag.y - 2.0).max(0.0)), T1);
    }
}

/// Flags with swatch, name and value, and the handles.
fn flags(plot: &Plot, layout: &Layout, look: &DrawStyle, scene: &mut Scene) {
    let flags = layout.flags(&plot.lines);
    let y = TOP + HEIGHT / 2.0 + 4.0;
    let (from, to) = layout.ends();
    if !plot.never.is_empty() {
        let first = flags.iter().map(|flag| flag.x).fold(to, Px::min);
        let words = format!("{} {}", look.tr(phrase("No line:")), plot.never.join(", "));
        let room = first - from - 12.0;
        if 60.0 < room {
            scene.text(Point { x: from, y }, text::cut_end(&words, LABEL, room), LABEL, T3, Align::Left);
        }
    }
    let (words, right) = (look.tr(phrase("share of lifetimes")), to + 36.0);
    let last = flags.iter().map(|flag| flag.right()).fold(from, Px::max);
    if last < right - text::width(words, LABEL) - 12.0 {
        scene.text(Point { x: right, y }, words, LABEL, T3, Align::Right);
    }
    for (line, flag) in plot.lines.iter().zip(flags) {
        let x = layout.x(line.micros * 1000.0).round();
        scene.shapes.push(Shape::Fill { rect: flag, radius: 4.0, ink: S0 });
        scene.shapes.push(Shape::Outline { rect: flag, radius: 4.0, stroke: hairline(LINE2) });
        let swatch = Rect::new(flag.x + 9.0, flag.y + 6.0, 8.0, 8.0);
        scene.shapes.push(Shape::Fill { rect: swatch, radius: 2.0, ink: line.ink });
        let y = flag.y + 14.0;
        scene.text(Point { x: flag.x + 23.0, y }, line.name.as_str(), FLAG, T1, Align::Left);
        let right = Point { x: flag.right() - 9.0, y };
        scene.text(right, value(line), LABEL, T2, Align::Right);
        scene.fill(Rect::new(x - 2.0, flag.y + 2.0, 5.0, 12.0), T1);
    }
}

/// Decades with their units, and eight small ticks between.
fn flag_axis(plot: &Plot, layout: &Layout, look: &DrawStyle, scene: &mut Scene) {
    let y = layout.axis;
    let has_clock = plot.clock_mhz.is_some();
    let last = layout.decades();
    let words = |at: u32| match decade(at, has_clock) {
        words if has_clock || at < last => words,
        words => format!("{words} {}", look.tr(phrase("cycles"))),
    };
    let begin = layout.ends().1 + 36.0 - text::width(&words(last), LABEL);
    for at in 0..=last {
        let own = 10_f64.powi(at.cast_signed());
        let x = layout.x(own).round();
        scene.fill(Rect::new(x, y, 1.0, 5.0), T3);
        let words = words(at);
        let (x, align) = if at == last { (layout.ends().1 + 36.0, Align::Right) } else { (x, Align::Middle) };
        // The last one, with the unit, is always whole.
        if at == last || x + text::width(&words, LABEL) / 2.0 + 6.0 < begin {
            scene.text(Point { x, y: y + 17.0 }, words, LABEL, T3, align);
        }
        if at < last {
            for n in 2..10 {
                let x = layout.x(own * f64::from(n)).round();
                scene.fill(Rect::new(x, y, 1.0, 3.0), LINE2);
            }
        }
    }
}
