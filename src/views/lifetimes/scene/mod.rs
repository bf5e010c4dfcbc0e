//! Lifetimes of data: how many of each length, one plot for each level on one axis of time, with the retention of devices
//! as lines through all of them; and what else the view shows.
//!
//! A bar has the color of the device with the shortest retention that still holds it. The axis is always the same seven
//! decades, so that two files can be compared at a glance; longer lifetimes add whole decades.

pub mod addresses;
mod bars;
mod baseline;
mod devices;
mod flags;
mod layout;
mod reuse;
pub mod values;
mod write_rates;

pub use devices::{Column, DevicePlot, draw as draw_devices};
pub use layout::{AXIS, Layout, flags_height};
pub use reuse::{Course, KernelShare, ReusePlot, draw as draw_reuse};
pub use values::{
    are_uneven, bytes, difference, length, multiple_of, parse_micros, percent, points, rate_words,
    round_step, time,
};
pub use write_rates::{KernelPoint, WriteRates, draw as draw_write_rates, under as under_write_rates};

use crate::base::geometry::{Point, Size};
use crate::base::number::thousands;
use crate::base::order;
use crate::base::words::{Language, fill, phrase, tr};
use crate::draw::style::{DrawStyle, LABEL, T3};
use crate::scene::palette::Ink;
use crate::scene::{Align, Scene};
use crate::views::lifetimes::compute::{Device, Devices, Distribution, Retention};

/// What is drawn.
pub struct Plot<'a> {
    /// Levels from above.
    pub levels: Vec<LevelPlot<'a>>,
    /// Retentions of devices, the shortest first.
    pub lines: Vec<Line>,
    /// Names of devices that are never refreshed.
    pub never: Vec<String>,
    /// Cycles in a microsecond; `None` when nobody says: then the axis counts cycles, and there are no lines.
    pub clock_mhz: Option<f64>,
}

/// One level.
pub struct LevelPlot<'a> {
    /// Its name.
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
    /// Its color.
    pub ink: Ink,
    /// How long it keeps data.
    pub micros: f64,
    /// Whether it depends on the rate of writes, and this is only one of several.
    pub is_rough: bool,
}

/// What outlives all lines.
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

/// Retentions of devices at a rate of stores, the shortest first, each with the row of its device.
pub fn retention_lines(devices: &Devices, write_mhz: f64) -> Vec<(usize, Line)> {
    let line = |(row, device): (usize, &Device)| {
        let micros = device.retention.micros(write_mhz)?;
        let is_rough = matches!(device.retention, Retention::ByFrequency(_));
        let name = device.name.clone();
        Some((row, Line { name, ink: ink_of(devices, row), micros, is_rough }))
    };
    let mut lines: Vec<(usize, Line)> = devices.devices.iter().enumerate().filter_map(line).collect();
    order::sort_by_number(&mut lines, |(_, line)| line.micros);
    lines
}

/// Names of devices that are never refreshed.
pub fn never_refreshed(devices: &Devices) -> Vec<String> {
    let own = devices.devices.iter().filter(|device| device.retention == Retention::Never);
    own.map(|device| device.name.clone()).collect()
}

impl Plot<'_> {
    /// Cycles in a nanosecond, or 1 where no clock is known.
    fn cycles_per_unit(&self) -> f64 {
        self.clock_mhz.map_or(1.0, |mhz| mhz / 1000.0)
    }

    /// The color of what lasts so many nanoseconds.
    fn ink_of(&self, nanos: f64) -> Ink {
        let holds = |line: &&Line| nanos <= line.micros * 1000.0;
        self.lines.iter().find(holds).map_or(OUTLIVES, |line| line.ink)
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
    flags::axis(plot, &layout, look, &mut scene);
    for (at, level) in plot.levels.iter().enumerate() {
        bars::level(plot, level, &layout, at, look, &mut scene);
    }
    flags::lines(plot, &layout, &mut scene);
    for (at, level) in plot.levels.iter().enumerate() {
        bars::caption(level, &layout, at, look, &mut scene);
        bars::shares(plot, level, &layout, at, look, &mut scene);
    }
    flags::flags(plot, &layout, look, &mut scene);
    scene
}

/// What lies under a point: level, from and to in nanoseconds, how many, how many at most as long.
#[derive(Clone, Debug, PartialEq)]
pub struct Under {
    /// Number of the level.
    pub level: usize,
    /// Above so many nanoseconds.
    pub from: f64,
    /// Up to so many.
    pub to: f64,
    /// How many there are.
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
        _ => phrase("of {n} reused; {share} of {m} opened were never reused and are left out"),
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
