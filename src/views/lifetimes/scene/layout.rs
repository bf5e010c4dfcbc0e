//! Where what stands: flags, one plot below the other, the axis.

use super::{Plot, bars};
use crate::base::geometry::{Px, Rect, Size};
use crate::base::number::fixed;
use crate::scene::Scale;

/// Room of labels at the left and at the right.
const LEFT: Px = 64.0;
const RIGHT: Px = 44.0;
/// Between plots.
const GAP: Px = 10.0;
/// A plot is never lower; of three or more than the second, so that what stands below keeps its room.
const LEAST: [Px; 2] = [90.0, 72.0];
/// Above the bars of a plot.
pub(super) const TOP: Px = 12.0;
/// More room for a caption above them.
const ABOVE: Px = 12.0;
/// Height of the axis.
pub const AXIS: Px = 24.0;
/// Height of a row of flags.
const FLAGS: Px = 32.0;
/// A second row of flags adds this.
const SECOND_ROW: Px = 24.0;
/// Bins of a decade.
pub(super) const BINS: u32 = 16;
/// Decades that are always there, from 1 ns on.
const DECADES: u32 = 7;
/// Decades that there can be: beyond, everything counts to the last bin.
const MOST_DECADES: u32 = 15;

/// Where what stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The plots with what is written beside them.
    pub plots: Vec<Rect>,
    /// Where the axis begins.
    pub axis: Px,
    /// Height of the flags.
    pub flags: Px,
    /// Whether captions stand above the bars, as these reach up to their place.
    above: Vec<bool>,
    decades: u32,
    x: Scale,
    from: Px,
    to: Px,
}

/// How high the flags of so many lines are.
pub fn flags_height(lines: usize) -> Px {
    if lines < 3 { FLAGS } else { FLAGS + SECOND_ROW }
}

impl Layout {
    /// Where everything stands in a picture of this size.
    pub fn new(plot: &Plot, size: Size) -> Self {
        let unit = plot.cycles_per_unit();
        let cycles = plot.levels.iter().map(|level| {
            let stated = level.stated.iter().map(|stated| stated[2]).fold(0.0, f64::max);
            stated.max(level.lengths.max() as f64)
        });
        let longest = cycles.fold(0.0, f64::max) / unit;
        let needed = if 1.0 < longest { longest.log10().ceil() as u32 } else { 0 };
        let decades = needed.clamp(DECADES, MOST_DECADES);
        let n = plot.levels.len().max(1) as Px;
        let flags = flags_height(plot.lines.len());
        let room = size.h - flags - AXIS - GAP * (n - 1.0);
        let h = (room / n).max(Self::least(plot.levels.len())).floor();
        let plots: Vec<Rect> = (0..plot.levels.len())
            .map(|at| Rect::new(0.0, flags + at as Px * (h + GAP), size.w, h))
            .collect();
        let axis = plots.last().map_or(flags, |last| last.bottom());
        let (from, to) = (LEFT, (size.w - RIGHT).max(LEFT + 1.0));
        let x = Scale::log([1.0, 10_f64.powi(decades.cast_signed())], [from.into(), to.into()]);
        let mut layout = Self { plots, axis, flags, above: Vec::new(), decades, x, from, to };
        let is_above = |(at, level)| bars::is_caption_above(plot, level, &layout, layout.plot(at).h);
        layout.above = plot.levels.iter().enumerate().map(is_above).collect();
        layout
    }

    /// Whether the caption of a plot stands above its bars.
    pub(super) fn is_caption_above(&self, level: usize) -> bool {
        self.above.get(level) == Some(&true)
    }

    /// How high each of so many plots is at least.
    fn least(levels: usize) -> Px {
        if levels < 3 { LEAST[0] } else { LEAST[1] }
    }

    /// How high the picture must be for so many levels and lines at least.
    pub fn least_height(levels: usize, lines: usize) -> Px {
        Self::height(levels, lines, Self::least(levels))
    }

    /// How high a picture is whose plots are so high.
    pub fn height(levels: usize, lines: usize, plot: Px) -> Px {
        let n = levels.max(1) as Px;
        flags_height(lines) + n * plot + (n - 1.0) * GAP + AXIS
    }

    /// A plot without what is written beside it.
    pub fn plot(&self, level: usize) -> Rect {
        let all = self.plots.get(level).copied().unwrap_or_default();
        let top = if self.is_caption_above(level) { TOP + ABOVE } else { TOP };
        Rect::new(self.from, all.y + top, self.to - self.from, (all.h - top - 1.0).max(1.0))
    }

    /// The left and the right end of the axis.
    pub fn ends(&self) -> (Px, Px) {
        (self.from, self.to)
    }

    /// Where so many nanoseconds are; what is shorter than 1 stands at the left end.
    pub fn x(&self, nanos: f64) -> Px {
        self.x.px(nanos.max(1.0)).map_or(self.from, |x| (x as Px).min(self.to))
    }

    /// How many nanoseconds are at a place.
    pub fn nanos(&self, x: Px) -> f64 {
        self.x.value(x.clamp(self.from, self.to).into())
    }

    /// How many bins there are.
    pub(super) fn bins(&self) -> u32 {
        self.decades * BINS
    }

    /// How many decades there are.
    pub(super) fn decades(&self) -> u32 {
        self.decades
    }

    /// From and to of a bin, in nanoseconds.
    pub(super) fn bin(bin: u32) -> (f64, f64) {
        let edge = |at: u32| 10_f64.powf(f64::from(at) / f64::from(BINS));
        (edge(bin), edge(bin + 1))
    }

    /// The bin at a place.
    pub(super) fn bin_at(&self, x: Px) -> Option<u32> {
        let bin = (self.nanos(x).log10() * f64::from(BINS)).floor().max(0.0) as u32;
        (bin < self.bins()).then_some(bin)
    }
}

/// What stands at the end of a decade: `1 ns`, `100 µs`; without a clock `1`, `1,000`.
pub(super) fn decade(at: u32, has_clock: bool) -> String {
    if !has_clock {
        return fixed(10_f64.powi(at.cast_signed()), 0);
    }
    let units = ["ns", "µs", "ms", "s"];
    let unit = (at / 3).min(3);
    let n = fixed(10_f64.powi((at - unit * 3).cast_signed()), 0);
    format!("{n} {}", units.get(unit as usize).unwrap_or(&"s"))
}
