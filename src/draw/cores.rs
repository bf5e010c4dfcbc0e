//! Core grid: every core of the chip with a few cells, colored by their distance from the mean of their kind.
//!
//! The deviation decides the colors: (value − mean of its kind over the measured cores) ÷ that mean; the ends of the ramp
//! stand at the largest deviation of the grid, rounded up to a whole percent, but never nearer to the mean than [`LEAST_END`],
//! so that cores that hardly differ have one color. For differences the middle is 0 instead, and those of amounts count as
//! shares of the baseline. Levels decide where they were
//! asked for or the color scheme has colors for them. "vector 0" and "vector 1" are of one kind.

use super::facts::column_name;
use super::style::{
    DrawStyle, HEAD, LABEL, LINE2, T3, compact_bytes, compact_to, full, in_parentheses, middle, precise,
    signed, telling,
};
use crate::analysis::compare::{BASELINE, percent};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number;
use crate::base::unit::{Preference, Unit};
use crate::base::words::fill;
use crate::model::figure::{CoreCell, CoreGrid, CoreRow};
use crate::scene::palette::{Ink, RampName};
use crate::scene::{Align, Scene, Shape, Stroke, lay, text};

/// Smallest cell that holds a number.
const LEAST: Size = Size { w: 36.0, h: 16.0 };
/// Side of a cell without number.
const SMALL: Px = 12.0;
/// With more cores than this, cells have no numbers.
const NUMBERED: usize = 64;
const GAP: Size = Size { w: 5.0, h: 9.0 };
/// The ends of the ramp are at least so far from the mean, as a share of it: less is no difference to look at.
const LEAST_END: f64 = 0.05;
const HEAD_H: Px = 15.0;

/// Where everything lies.
struct Layout {
    columns: usize,
    cell: Size,
    kinds: Vec<String>,
    /// How many significant digits tell the values apart.
    digits: usize,
    /// Room on the left for the names of the kinds, in front of each row of cores; none where there is one kind.
    left: Px,
}

impl Layout {
    fn new(figure: &CoreGrid, width: Px) -> Self {
        let kinds: Vec<String> = kinds(figure);
        let names = kinds.iter().map(|k| text::width(k, LABEL)).fold(0.0, Px::max) + 8.0;
        let left = if 1 < kinds.len() { names.min(width / 2.0) } else { 0.0 };
        let width = width - left;
        let n = figure.cores.len().max(1);
        let values =
            || figure.cores.iter().flat_map(|c| &c.cells).filter_map(|c| c.value).filter(|v| v.is_finite());
        let digits = telling(values(), |v, digits| short(v, figure, digits));
        if NUMBERED < n {
            let columns = (((width + 3.0) / (SMALL + 3.0)) as usize).clamp(1, n);
            return Self { columns, cell: Size { w: SMALL, h: SMALL }, kinds, digits, left };
        }
        let cells = figure.cores.iter().flat_map(|c| &c.cells).filter(|c| c.value.is_some());
        let widths = cells.map(|c| text::width(&words(c, figure, digits), LABEL) + 8.0);
        let least = widths.fold(LEAST.w, Px::max).ceil();
        let most = (((width + GAP.w) / (least + GAP.w)) as usize).clamp(1, n);
        // Rows of equal length look calmer than a full one and a rest.
        let columns = n.div_ceil(n.div_ceil(most));
        let room = (width + GAP.w) / columns as Px - GAP.w;
        Self {
            columns,
            cell: Size { w: room.floor().clamp(least.min(width), least.max(72.0)), h: LEAST.h },
            kinds,
            digits,
            left,
        }
    }

    fn gap(&self) -> Px {
        if self.cell.w <= SMALL { 3.0 } else { GAP.w }
    }

    fn block(&self) -> Px {
        HEAD_H + self.kinds.len() as Px * (self.cell.h + 1.0) + GAP.h
    }

    fn core(&self, i: usize) -> Point {
        let (row, column) = (i / self.columns, i % self.columns);
        Point { x: self.left + column as Px * (self.cell.w + self.gap()), y: row as Px * self.block() }
    }
}

/// The kinds of cells, in order of first use.
fn kinds(figure: &CoreGrid) -> Vec<String> {
    let mut kinds: Vec<String> = Vec::new();
    for cell in figure.cores.iter().flat_map(|c| &c.cells) {
        if !kinds.contains(&cell.name) {
            kinds.push(cell.name.clone());
        }
    }
    kinds
}

/// Height of the grid in this width.
pub fn height(figure: &CoreGrid, width: Px) -> Px {
    let layout = Layout::new(figure, width);
    let n = figure.cores.len();
    n.div_ceil(layout.columns).max(1) as Px * layout.block() - GAP.h
}

/// Draws the grid.
pub fn draw(figure: &CoreGrid, size: Size, look: &DrawStyle) -> Scene {
    let mut scene = Scene::new(size);
    let layout = Layout::new(figure, size.w);
    let measure = Measure::new(figure);
    for (i, core) in figure.cores.iter().enumerate() {
        let at = layout.core(i);
        if LEAST.w <= layout.cell.w {
            let ink = if core.is_measured { T3 } else { Ink::Token("line2") };
            scene.text(Point { x: at.x, y: at.y + 11.0 }, core.name.clone(), LABEL, ink, Align::Left);
        }
        for (k, kind) in layout.kinds.iter().enumerate() {
            let y = at.y + HEAD_H + k as Px * (layout.cell.h + 1.0);
            let rect = Rect::new(at.x, y, layout.cell.w, layout.cell.h);
            draw_cell(&mut scene, look, figure, core, (kind, layout.digits), rect, &measure);
        }
    }
    for first in (0..figure.cores.len()).step_by(layout.columns).filter(|_| 0.0 < layout.left) {
        name_rows(&mut scene, &layout, layout.core(first).y);
    }
    scene
}

/// The core and the cell under a point, by their numbers; `None` beside them and where a core has no such cell.
pub fn cell_at(figure: &CoreGrid, size: Size, at: Point) -> Option<(usize, usize)> {
    let layout = Layout::new(figure, size.w);
    let hit = |core: usize| {
        let corner = layout.core(core);
        let place = |k: usize| {
            let y = corner.y + HEAD_H + k as Px * (layout.cell.h + 1.0);
            Rect::new(corner.x, y, layout.cell.w, layout.cell.h)
        };
        let kind = (0..layout.kinds.len()).find(|&k| place(k).contains(at))?;
        let cell = figure.cores[core].cells.iter().position(|c| c.name == layout.kinds[kind])?;
        Some((core, cell))
    };
    (0..figure.cores.len()).find_map(hit)
}

/// The names of the kinds beside a row of cores that begins there.
fn name_rows(scene: &mut Scene, layout: &Layout, top: Px) {
    for (k, kind) in layout.kinds.iter().enumerate() {
        let y = top + HEAD_H + k as Px * (layout.cell.h + 1.0);
        let at = Point { x: 0.0, y: middle(y, layout.cell.h, LABEL) };
        scene.text(at, kind.clone(), LABEL, T3, Align::Left);
    }
}

fn draw_cell(
    scene: &mut Scene,
    look: &DrawStyle,
    figure: &CoreGrid,
    core: &CoreRow,
    (kind, digits): (&str, usize),
    rect: Rect,
    measure: &Measure,
) {
    let cell = core.cells.iter().find(|c| c.name == kind);
    let value = cell.and_then(|c| c.value).filter(|v| v.is_finite());
    let level = cell.and_then(|c| c.level);
    let fill = cell.filter(|_| value.is_some()).map(|cell| match level {
        _ if has_level_inks(figure, look) => Ink::Level(level.unwrap_or(0).min(10)),
        level if is_by_level(figure) => measure.level_ink(level.unwrap_or(5), look),
        _ => look.ramp(ramp(figure), measure.place(cell)),
    });
    match fill {
        Some(fill) => scene.fill(rect, fill),
        None => empty_cell(scene, rect),
    }
    if LEAST.w <= rect.w && core.is_measured && cell.is_some() {
        let ink = fill.map_or(T3, |fill| look.ink_on(fill));
        let words = cell.map_or_else(String::new, |cell| words(cell, figure, digits));
        let at = Point { x: rect.x + rect.w / 2.0, y: middle(rect.y, rect.h, LABEL) };
        scene.text(at, words, LABEL, ink, Align::Middle);
    }
    scene.shapes.push(Shape::Hit { rect, name: tooltip(look, figure, core, kind, cell, measure) });
}

/// Whether the color scheme has colors for levels.
fn has_level_inks(figure: &CoreGrid, look: &DrawStyle) -> bool {
    look.palette.has(Ink::Level(0)) && !figure.is_difference
}

/// Whether levels decide the colors.
fn is_by_level(figure: &CoreGrid) -> bool {
    figure.is_by_level && !figure.is_difference
}

/// The ramp of the cells: of differences that of their unit.
fn ramp(figure: &CoreGrid) -> RampName {
    if figure.is_difference { RampName::of_differences(&figure.unit) } else { RampName::Div }
}

/// A cell without a value: an empty box that is struck through, so that it never looks like an average one.
fn empty_cell(scene: &mut Scene, rect: Rect) {
    let stroke = Stroke::new(LINE2, 1.0);
    scene.shapes.push(Shape::Outline { rect, radius: 0.0, stroke });
    let inner = rect.inset(0.5);
    let (left, right) = (inner.x, inner.x + inner.w);
    // Where a sign or nothing stands, strokes at both ends leave it readable.
    let reach = inner.h.min(inner.w / 3.0);
    for x in [left, right - reach] {
        scene.line(Point { x, y: inner.y + inner.h }, Point { x: x + reach, y: inner.y }, stroke);
    }
}

/// What stands in a cell: its value, or the difference with its part of the baseline.
fn words(cell: &CoreCell, figure: &CoreGrid, digits: usize) -> String {
    let Some(value) = cell.value.filter(|v| v.is_finite()) else { return number::MISSING.to_owned() };
    let change = cell.pair.and_then(|(a, b)| Some(percent(a?, b?, &figure.unit))).unwrap_or_default();
    let text = short(precise(value), figure, digits);
    if change.is_empty() { text } else { format!("{text} ({change})") }
}

fn short(value: f64, figure: &CoreGrid, digits: usize) -> String {
    let value = if figure.unit == Unit::Share { value * 100.0 } else { value };
    let sign = if figure.is_difference && 0.0 < value { "+" } else { "" };
    let text =
        if figure.unit == Unit::Bytes { compact_bytes(value, digits) } else { compact_to(value, digits) };
    format!("{sign}{}", filled(text, digits))
}

/// A number in thousands or more with all its significant digits, `24.700k`: cells below each other are compared by sight.
fn filled(text: String, digits: usize) -> String {
    let Some((number, unit)) = text.split_at_checked(text.len().saturating_sub(1)) else { return text };
    if !matches!(unit, "k" | "K" | "M" | "G" | "T") {
        return text;
    }
    let n = number.bytes().filter(u8::is_ascii_digit).count();
    let zeros = "0".repeat(digits.saturating_sub(n));
    let point = if zeros.is_empty() || number.contains('.') { "" } else { "." };
    format!("{number}{point}{zeros}{unit}")
}

/// The kind of a cell without its number: all vector units of a chip are compared.
fn class(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end()
}

/// Where a value stands among those of its kind, the highest first, and how many there are.
fn rank(figure: &CoreGrid, kind: &str, value: f64) -> (usize, usize) {
    let measured = figure.cores.iter().filter(|c| c.is_measured).flat_map(|c| &c.cells);
    let values =
        measured.filter(|c| class(&c.name) == class(kind)).filter_map(|c| c.value).filter(|v| v.is_finite());
    values.fold((1, 0), |(rank, n), v| (rank + usize::from(value < v), n + 1))
}

fn tooltip(
    look: &DrawStyle,
    figure: &CoreGrid,
    core: &CoreRow,
    kind: &str,
    cell: Option<&CoreCell>,
    measure: &Measure,
) -> String {
    let head = format!("{} {} {kind}", look.tr("Core"), core.name);
    let Some(cell) = cell.filter(|_| core.is_measured) else {
        return format!("{head}\n{}", look.tr("not measured"));
    };
    let mut lines = vec![head];
    if let Some((baseline, comparison)) = cell.pair {
        lines.push(format!("{}\t{}", column_name(BASELINE, look.language), full(baseline, &figure.unit)));
        lines.push(format!(
            "{}\t{}",
            column_name("Comparison", look.language),
            full(comparison, &figure.unit)
        ));
        let text = full(cell.value, &figure.unit);
        let difference = cell.value.map_or(text.clone(), |v| signed(v, text));
        let change = baseline.zip(comparison).map(|(a, b)| in_parentheses(a, b, &figure.unit));
        let difference = difference + &change.unwrap_or_default();
        lines.push(format!("{}\t{difference}", look.tr("Difference")));
    } else {
        lines.push(format!("\t{}", full(cell.value, &figure.unit)));
        if let Some(bytes) = cell.value.filter(|v| figure.unit == Unit::Bytes && 1024.0 <= *v) {
            lines.push(format!("\t{}", number::with_unit(bytes, &figure.unit)));
        }
        if let Some(deviation) = measure.deviation(cell) {
            let sign = if 0.0 < deviation { "+" } else { "" };
            let text = number::with_unit(deviation, &Unit::Share);
            lines.push(format!("{}\t{sign}{text}", look.tr("From mean")));
        }
    }
    if let Some(level) = cell.level {
        lines.push(format!("{}\t{level}", look.tr("Level")));
    }
    if let Some(value) = cell.value.filter(|_| cell.pair.is_none()) {
        let (rank, of) = rank(figure, kind, value);
        let words = look.tr("{n} of {m}, highest first");
        let said = fill(words, &[("n", &rank.to_string()), ("m", &of.to_string())]);
        lines.push(format!("{}\t{said}", look.tr("Rank")));
    }
    lines.join("\n")
}

/// Means by kind and the ends of the ramp.
pub struct Measure {
    means: Vec<(String, f64)>,
    is_difference: bool,
    /// Differences are shares of the baseline: of units that take long and of short ones the same change is one color.
    is_relative: bool,
    is_turned: bool,
    /// The deviation (or difference) at the ends of the ramp.
    pub end: f64,
}

impl Measure {
    /// Measures a grid.
    pub fn new(figure: &CoreGrid) -> Self {
        let measured = || figure.cores.iter().filter(|c| c.is_measured).flat_map(|c| &c.cells);
        let values = |kind: &str| {
            let of_kind = measured()
                .filter(|c| class(&c.name) == class(kind))
                .filter_map(|c| c.value)
                .filter(|v| v.is_finite());
            of_kind.collect::<Vec<f64>>()
        };
        let means = kinds(figure).into_iter().filter_map(|kind| {
            let values = values(&kind);
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            mean.is_finite().then_some((kind, mean))
        });
        let mut out = Self {
            means: means.collect(),
            is_difference: figure.is_difference,
            is_relative: figure.is_difference && !matches!(figure.unit, Unit::Percent | Unit::Share),
            is_turned: figure.unit.sense() == Preference::MoreIsBetter,
            end: 1.0,
        };
        let off = |c: &CoreCell| out.deviation(c).map_or(0.0, f64::abs);
        let largest = measured().map(off).filter(|v| v.is_finite()).fold(0.0, f64::max);
        out.end = if out.is_difference && !out.is_relative {
            // Of values that hardly changed neither.
            let before = measured().filter_map(|c| c.pair?.0).filter(|v| v.is_finite()).map(f64::abs);
            let (sum, n) = before.fold((0.0, 0_u32), |(sum, n), v| (sum + v, n + 1));
            let least = LEAST_END * sum / f64::from(n.max(1));
            largest.max(precise(least)).max(f64::MIN_POSITIVE)
        } else {
            ((largest * 100.0 - 1e-9).ceil() / 100.0).max(LEAST_END)
        };
        out
    }

    /// Distance of a cell from the mean of its kind as a share of it, or its difference, of amounts as a share of the
    /// baseline; `None` without a value or a mean, or where the baseline is 0.
    pub fn deviation(&self, cell: &CoreCell) -> Option<f64> {
        let value = precise(cell.value?);
        if self.is_relative
            && let Some((Some(before), Some(_))) = cell.pair
        {
            return (before != 0.0).then(|| value / before.abs());
        }
        if self.is_difference {
            return Some(value);
        }
        let mean = self.means.iter().find(|(kind, _)| *kind == cell.name)?.1;
        (mean != 0.0).then(|| (value - mean) / mean.abs())
    }

    /// Where on the ramp of better and worse, 0 to 1.
    pub fn place(&self, cell: &CoreCell) -> f64 {
        let off = self.deviation(cell).unwrap_or(0.0) / self.end;
        // In nine steps, so that equal colors are equal at sight and each has a name.
        self.turned(((off.clamp(-1.0, 1.0) * 4.0).round() / 4.0 + 1.0) / 2.0)
    }

    /// The color of a level of 0 to 10 where the color scheme has none.
    fn level_ink(&self, level: u8, look: &DrawStyle) -> Ink {
        look.ramp(RampName::Div, self.turned(f64::from(level.min(10)) / 10.0))
    }

    /// A place on the ramp, from its other end where more is better.
    fn turned(&self, place: f64) -> f64 {
        if self.is_turned { 1.0 - place } else { place }
    }
}

/// The ramp with what its ends mean, or the levels, and what an empty box means when there is one; 16 px high.
pub fn legend(figure: &CoreGrid, look: &DrawStyle) -> Scene {
    let measure = Measure::new(figure);
    let is_turned = figure.unit.sense() == Preference::MoreIsBetter;
    let stops = (0..9).map(|i| Ink::Stop(ramp(figure), if is_turned { 8 - i } else { i }));
    let ramp = if has_level_inks(figure, look) {
        ramp_legend(&format!("{} 0", look.tr("Level")), "10", (0..=10).map(Ink::Level))
    } else if is_by_level(figure) {
        let inks = (0..=10).map(|level| measure.level_ink(level, look));
        ramp_legend(&format!("{} 0", look.tr("Level")), "10", inks)
    } else if measure.is_relative {
        let end = number::fixed(measure.end * 100.0, 0);
        ramp_legend(&format!("−{end} %"), &format!("+{end} %"), stops)
    } else if figure.is_difference {
        let low = full(Some(-measure.end), &figure.unit);
        ramp_legend(&low, &format!("+{}", full(Some(measure.end), &figure.unit)), stops)
    } else {
        let end = number::fixed(measure.end * 100.0, 0);
        let high = fill(look.tr("+{n} % from the mean"), &[("n", &end)]);
        ramp_legend(&format!("−{end}"), &high, stops)
    };
    let is_empty = |core: &CoreRow| !core.is_measured || core.cells.iter().any(|c| c.value.is_none());
    if !figure.cores.iter().any(is_empty) {
        return ramp;
    }
    let words = look.tr("not measured");
    let mut scene = Scene::new(Size { w: 0.0, h: 16.0 });
    empty_cell(&mut scene, Rect::new(0.0, 4.0, 14.0, 8.0));
    scene.text(Point { x: 20.0, y: 12.0 }, words, LABEL, T3, Align::Left);
    let x = 20.0 + text::width(words, HEAD) + 12.0;
    scene.size.w = x + ramp.size.w;
    lay(&mut scene, ramp, Point { x, y: 0.0 });
    scene
}

/// Steps of a ramp between two texts, 16 px high.
pub(super) fn ramp_legend(low: &str, high: &str, stops: impl Iterator<Item = Ink>) -> Scene {
    let x = text::width(low, HEAD) + 6.0;
    let mut scene = Scene::new(Size { w: 0.0, h: 16.0 });
    scene.text(Point { x: 0.0, y: 12.0 }, low, LABEL, T3, Align::Left);
    let mut at = x;
    for ink in stops {
        scene.fill(Rect::new(at, 4.0, 9.0, 8.0), ink);
        at += 9.0;
    }
    scene.text(Point { x: at + 6.0, y: 12.0 }, high, LABEL, T3, Align::Left);
    // A fallback font may be wider than what is measured: room for a sixth more.
    scene.size.w = (at + 6.0 + text::width(high, HEAD) * 7.0 / 6.0).ceil();
    scene
}
