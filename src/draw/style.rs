//! What all drawings share: fonts, inks of series, ramps, and how numbers are written in little room.

use crate::analysis::compare::change;
use crate::analysis::timeline::names::COLORED;
use crate::base::geometry::Px;
use crate::base::number;
use crate::base::order;
use crate::base::unit::{Preference, Unit};
use crate::base::words::{Language, fill, phrase, tr};
use crate::scene::palette::{Ink, Palette, RampName, mix};
use crate::scene::{Font, Stroke};

/// Axis labels, values in cells, legends.
pub const LABEL: Font = Font::ui(11.0);
/// Rows of bars and tables.
pub const TEXT: Font = Font::ui(12.0);
/// Names of boxes.
pub const NAME: Font = Font::ui(12.0).weight(600);
/// Heads of columns.
pub const HEAD: Font = Font::ui(11.0).weight(500);

/// Values and names.
pub const T1: Ink = Ink::Token("t1");
/// Secondary text.
pub const T2: Ink = Ink::Token("t2");
/// Labels and ticks.
pub const T3: Ink = Ink::Token("t3");
/// Grid lines.
pub const LINE: Ink = Ink::Token("line");
/// Edges.
pub const LINE2: Ink = Ink::Token("line2");
/// The ground of data.
pub const S0: Ink = Ink::Token("s0");
/// Empty parts, boxes, missing values.
pub const S2: Ink = Ink::Token("s2");

/// What a drawing is made for: colors and language.
#[derive(Clone, Copy)]
pub struct DrawStyle<'a> {
    /// The colors; only computed ones (ramps between stops) are taken from it, the others stay names.
    pub palette: &'a Palette,
    /// Language of the words that are not data.
    pub language: Language,
}

impl<'a> DrawStyle<'a> {
    /// The phrase in the language of the drawing.
    pub fn tr(&self, english: &'a str) -> &'a str {
        tr(self.language, english)
    }

    /// A color with less strength: 1 is full.
    pub fn faded(&self, ink: Ink, strength: f64) -> Ink {
        let color = self.palette.rgba(ink);
        let alpha = (f64::from(color & 0xff) * strength).round() as u32;
        Ink::Rgba(color & 0xffff_ff00 | alpha)
    }

    /// The color at `at` (0 to 1) of a ramp; a stop keeps its name.
    pub fn ramp(&self, ramp: RampName, at: f64) -> Ink {
        let at = at.clamp(0.0, 1.0);
        let stop = at * 8.0;
        if stop.fract() == 0.0 { Ink::Stop(ramp, stop as u8) } else { Ink::Rgba(self.palette.ramp(ramp, at)) }
    }

    /// What is written on a color.
    pub fn ink_on(&self, ink: Ink) -> Ink {
        self.palette.ink_on(self.palette.rgba(ink))
    }

    /// The five shades of a hue, from the ground towards it and a little beyond.
    pub fn shades(&self, hue: Ink) -> [u32; 5] {
        let (ground, hue) = (self.palette.rgba(S0), self.palette.rgba(hue));
        let beyond = if self.palette.theme == "dark" {
            mix(hue, 0xffff_ffff, 0.28)
        } else {
            mix(hue, 0x0000_00ff, 0.22)
        };
        [
            mix(ground, hue, 0.22),
            mix(ground, hue, 0.42),
            mix(ground, hue, 0.62),
            mix(ground, hue, 0.82),
            beyond,
        ]
    }
}

/// Colors of series.
pub const SERIES: usize = 12;

/// The color of series, tensors or slopes by their number: neighbors are told apart best.
pub fn series_ink(number: usize) -> Ink {
    const ORDER: [u8; SERIES] = [1, 3, 2, 4, 6, 5, 8, 12, 11, 10, 7, 9];
    Ink::Slice(ORDER[number % ORDER.len()])
}

/// The color of work by its name: units of computation and data movement have one of their own, other names one by hash.
pub fn work_ink(name: &str) -> Ink {
    const UNITS: [(&str, u8); 11] = [
        ("cube", 2),
        ("vector", 3),
        ("vec", 3),
        ("scalar", 9),
        ("mte1", 5),
        ("mte2", 1),
        ("mte3", 4),
        ("fixp", 6),
        ("fixpipe", 6),
        ("flowctrl", 10),
        ("cachemiss", 8),
    ];
    let color = |word: &str| UNITS.iter().find(|(unit, _)| word.eq_ignore_ascii_case(unit)).map(|(_, n)| *n);
    let mut words = name.split([' ', '_', '(']);
    let first = words.next().and_then(color);
    // Behind the kind of its cores stands the pipe: `cube MTE2`.
    let second = words.next().and_then(color).filter(|_| first.is_some() && words.next().is_none());
    second.or(first).map_or_else(|| name_ink(name), Ink::Slice)
}

/// The color of a name, the same in every file: one of the whole palette by its hash, but never 9, a gray.
pub fn name_ink(name: &str) -> Ink {
    const N: u64 = COLORED as u64;
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    named((hash >> 32) % N)
}

/// A color of names by its place among all of them.
fn named(place: u64) -> Ink {
    let number = (place % COLORED as u64) as u8 + 1;
    Ink::Slice(if number < 9 { number } else { number + 1 })
}

/// The colors of names behind one of them, until it would come again.
pub fn other_inks(ink: Ink) -> impl Iterator<Item = Ink> {
    let all = || (0..COLORED as u64).map(named);
    let at = all().position(|own| own == ink).unwrap_or(0);
    all().cycle().skip(at + 1).take(COLORED - 1)
}

/// The color of a difference: better, worse, or neither.
pub fn difference_ink(difference: f64, unit: &Unit) -> Ink {
    sense_ink(difference, unit.sense())
}

/// The same where it is known what is good.
pub fn sense_ink(difference: f64, sense: Preference) -> Ink {
    let is_rise = 0.0 < difference;
    match sense {
        _ if difference == 0.0 || !difference.is_finite() => T3,
        Preference::Neutral => T2,
        Preference::LessIsBetter if is_rise => Ink::Token("worse"),
        Preference::MoreIsBetter if !is_rise => Ink::Token("worse"),
        _ => Ink::Token("better"),
    }
}

/// What stands before a value whose baseline stands behind it, and the color of both: which way it went.
pub fn way(baseline: Option<f64>, value: Option<f64>, unit: &Unit) -> (&'static str, Ink) {
    match (baseline, value) {
        (_, None) => ("", T3),
        (Some(a), Some(b)) if a < b => ("↑ ", difference_ink(b - a, unit)),
        (Some(a), Some(b)) if b < a => ("↓ ", difference_ink(b - a, unit)),
        _ => ("", T1),
    }
}

/// A difference with its sign: `+12.5`, `−3`, `0`.
pub fn signed(value: f64, text: String) -> String {
    if 0.0 < value { format!("+{text}") } else { text }
}

/// Whether differences of a unit are in points: in percent they could be taken for parts of the baseline.
pub fn is_in_points(unit: &Unit) -> bool {
    matches!(unit, Unit::Percent | Unit::Share)
}

/// A difference in a table cell, signed. Shares have no more digits than what they are differences of: what looks equal
/// there does not differ here.
pub fn difference_cell(value: f64, unit: &Unit, digits: Option<usize>) -> String {
    if !is_in_points(unit) {
        return signed(value, cell_of(value, unit, digits));
    }
    let points = if *unit == Unit::Share { value * 100.0 } else { value };
    let text = number::fixed(points, digits.unwrap_or(1));
    let is_lost = value != 0.0 && text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if is_lost { "≈ 0".to_owned() } else { signed(value, text) }
}

/// The same with its unit behind it, in rows with units of their own.
pub fn difference_with_unit(value: f64, unit: &Unit) -> String {
    if is_in_points(unit) {
        return number::of_kind(&difference_cell(value, unit, None), phrase("points"));
    }
    signed(value, number::with_unit(value, unit))
}

/// Which part of the baseline a difference is, to stand behind it: ` (−35 %, 0.65×)`; empty where that says nothing.
pub fn in_parentheses(baseline: f64, comparison: f64, unit: &Unit) -> String {
    let change = change(baseline, comparison, unit);
    if change.is_empty() { change } else { format!(" ({change})") }
}

/// A number in as little room as can be: `399k`, `1.2M`, `80.5`, `0.031`.
pub fn compact(value: f64) -> String {
    compact_to(value, 3)
}

/// The same with so many significant digits; of numbers below ten thousand all whole digits are kept.
pub fn compact_to(value: f64, digits: usize) -> String {
    let size = value.abs();
    let (per, name) = match size {
        s if 999_950_000.0 <= s => (1e9, "G"),
        s if 999_950.0 <= s => (1e6, "M"),
        s if 9_999.5 <= s => (1e3, "k"),
        s if s < 0.1 => return number::short(significant(value, digits)),
        _ => (1.0, ""),
    };
    trimmed(value / per, digits) + name
}

/// Bytes in as little room as can be, in steps of 1024, with so many significant digits: `512`, `1.2K`, `241K`, `3.4G`.
pub fn compact_bytes(value: f64, digits: usize) -> String {
    let (mut scaled, mut names) = (value, ["", "K", "M", "G", "T"].iter());
    let mut name = names.next();
    while 1023.5 <= scaled.abs()
        && let Some(next) = names.next()
    {
        (scaled, name) = (scaled / 1024.0, Some(next));
    }
    trimmed(scaled, digits) + name.unwrap_or(&"")
}

/// A number with so many significant digits, without zeros at its end.
fn trimmed(value: f64, digits: usize) -> String {
    let whole = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    let decimals = (digits as f64 - 1.0 - whole).clamp(0.0, 9.0) as usize;
    let text = number::fixed(value, decimals);
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// The value to so many significant digits.
fn significant(value: f64, digits: usize) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let per = 10_f64.powi(digits as i32 - 1 - value.abs().log10().floor() as i32);
    (value * per).round() / per
}

/// Most significant digits of a number in little room.
const MOST_DIGITS: usize = 7;

/// A value as precise as numbers in little room can be: equal ones have equal texts and equal colors.
pub fn precise(value: f64) -> f64 {
    significant(value, MOST_DIGITS)
}

/// How many significant digits tell [`precise`] values apart, at least 3.
pub fn telling(values: impl IntoIterator<Item = f64>, text: impl Fn(f64, usize) -> String) -> usize {
    let mut values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).map(precise).collect();
    order::sort_floats(&mut values);
    values.dedup();
    let tells = |n: &usize| values.windows(2).all(|pair| text(pair[0], *n) != text(pair[1], *n));
    (3..MOST_DIGITS).find(tells).unwrap_or(MOST_DIGITS)
}

/// A number with so many decimals, or as many as it needs not to be written as 0.
fn not_zero(value: f64, digits: usize) -> String {
    let is_lost = value != 0.0 && value.abs() < 0.5 * 10_f64.powi(-(digits as i32));
    if is_lost { number::short(value) } else { number::fixed(value, digits) }
}

/// A value in a table cell whose head says the unit: times with three decimals, percent and rates with one, counts whole.
pub fn cell(value: f64, unit: &Unit) -> String {
    match unit {
        Unit::Micros | Unit::Millis => not_zero(value, 3),
        Unit::Share => not_zero(value * 100.0, 1),
        Unit::Percent | Unit::GigabytesPerSec | Unit::MegabytesPerSec => not_zero(value, 1),
        Unit::TerabytesPerSec | Unit::OpsPerByte | Unit::TeraOpsPerSec => number::short(value),
        Unit::Address => number::hex(value),
        _ => number::short(value),
    }
}

/// How many decimals a column of numbers takes so that its digits stand under each other: what its unit asks for, else
/// as many as its most exact value needs, at most three, and none where all are whole. Percent and rates take as many of one to three as tell them apart;
/// more where all are below 1.
pub fn digits(values: impl IntoIterator<Item = f64>, unit: &Unit) -> Option<usize> {
    let mut all: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
    match unit {
        Unit::Share | Unit::Address => None,
        _ if !all.is_empty() && all.iter().all(|v| v.fract() == 0.0) => Some(0),
        Unit::Percent | Unit::GigabytesPerSec | Unit::MegabytesPerSec => {
            order::sort_floats(&mut all);
            all.dedup();
            let (least, most) = all.iter().map(|v| v.abs()).filter(|v| 0.0 < *v).fold((1.0, 0.0), ends);
            if 0.0 < most && most < 1.0 {
                // Two digits of the smallest.
                return Some((1.0 - least.log10().floor()).clamp(3.0, 6.0) as usize);
            }
            let rounded = |v: f64, digits: i32| (v * 10_f64.powi(digits)).round();
            let tells = |d: &i32| all.windows(2).all(|pair| rounded(pair[0], *d) != rounded(pair[1], *d));
            Some((1..3).find(tells).unwrap_or(3) as usize)
        }
        // Of long times whole microseconds say nothing: two decimals, as tools that print milliseconds do. Of times that
        // are all less than one, three digits of the smallest.
        Unit::Micros | Unit::Millis => {
            let (least, most) = all.iter().map(|v| v.abs()).filter(|v| 0.0 < *v).fold((1.0, 0.0), ends);
            match most {
                most if 0.0 < most && most < 1.0 => {
                    Some((2.0 - least.log10().floor()).clamp(3.0, 6.0) as usize)
                }
                _ if *unit == Unit::Micros => None,
                most => Some(if most < 100.0 { 3 } else { 2 }),
            }
        }
        _ => {
            let need =
                |v: f64| (0..3).find(|d| (v * 10_f64.powi(*d)).fract().abs() < 1e-9).unwrap_or(3) as usize;
            all.into_iter().map(need).max()
        }
    }
}

fn ends((least, most): (f64, f64), value: f64) -> (f64, f64) {
    (least.min(value), most.max(value))
}

/// A value in a cell of a column with so many decimals.
pub fn cell_of(value: f64, unit: &Unit, digits: Option<usize>) -> String {
    digits.map_or_else(|| cell(value, unit), |digits| not_zero(value, digits))
}

/// A value with all its digits and its unit, for tooltips: what the file says is never rounded away.
pub fn full(value: Option<f64>, unit: &Unit) -> String {
    let Some(value) = value.filter(|v| v.is_finite()) else { return number::MISSING.to_owned() };
    match unit {
        Unit::Address => number::hex(value),
        Unit::Micros if number::is_part(value) => full(Some(number::computed(value) * 1e3), &Unit::Nanos),
        Unit::Millis if number::is_part(value) => full(Some(number::computed(value) * 1e3), &Unit::Micros),
        // Shares become percent without a trail of rounding.
        Unit::Share => full(Some(number::computed(value) * 100.0), &Unit::Percent),
        _ => number::of_kind(&number::exact(number::computed(value)), unit.symbol()),
    }
}

/// What a full bar is where the unit says so: a share is one of 100 %.
pub fn full_bar(unit: &Unit) -> Option<f64> {
    match unit {
        Unit::Percent => Some(100.0),
        Unit::Share => Some(1.0),
        _ => None,
    }
}

/// What a full bar is, in words.
pub fn bar_scale(most: f64, unit: &Unit, look: &DrawStyle) -> String {
    let most = if full_bar(unit).is_some() { full(Some(most), unit) } else { number::with_unit(most, unit) };
    fill(look.tr("Bar: 0 to {most}"), &[("most", &most)])
}

/// A thin full line.
pub const fn hairline(ink: Ink) -> Stroke {
    Stroke::new(ink, 1.0)
}

/// The baseline of a text of this size that stands in the middle of a row.
pub fn middle(top: Px, height: Px, font: Font) -> Px {
    top + height / 2.0 + font.size * 0.35
}
