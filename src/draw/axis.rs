//! Value axes: from values to places, and where ticks go and what they say. For charts, heat maps and gantts.

use super::style::compact;
use crate::base::number;
use crate::base::unit::Unit;
use crate::model::figure::{AxisLabel, ScaleKind};

/// A stretch of values, laid out evenly or by factors.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub scale: ScaleKind,
    /// Value at its beginning.
    pub from: f64,
    /// Value at its end; above `from`.
    pub to: f64,
}

/// One tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where, 0 to 1.
    pub at: f64,
    pub text: String,
}

impl Axis {
    /// An axis; one that would be empty or could not hold a log scale is widened until it can.
    pub fn new(scale: ScaleKind, from: f64, to: f64) -> Self {
        let (from, to) = if from.is_finite() && to.is_finite() { (from, to) } else { (0.0, 1.0) };
        let is_log = scale == ScaleKind::Log && 0.0 < to;
        if is_log {
            let from = if 0.0 < from { from } else { to / 1e6 };
            let to = if from < to { to } else { from * 10.0 };
            return Self { scale: ScaleKind::Log, from, to };
        }
        let to = if from < to { to } else { from + from.abs().max(1.0) };
        Self { scale: ScaleKind::Linear, from, to }
    }

    /// An axis from 0 to a round number at or above `largest`.
    pub fn from_zero(largest: f64) -> Self {
        let largest = if largest.is_finite() && 0.0 < largest { largest } else { 1.0 };
        let step = round_step(largest / 4.0);
        Self::new(ScaleKind::Linear, 0.0, (largest / step).ceil() * step)
    }

    /// Where a value lies, 0 to 1 (beyond for values outside); `None` for what a log axis cannot hold.
    pub fn at(&self, value: f64) -> Option<f64> {
        let at = match self.scale {
            ScaleKind::Linear => (value - self.from) / (self.to - self.from),
            ScaleKind::Log if value <= 0.0 => return None,
            ScaleKind::Log => (value.ln() - self.from.ln()) / (self.to.ln() - self.from.ln()),
        };
        at.is_finite().then_some(at)
    }

    /// The value at a place, 0 to 1.
    pub fn value(&self, at: f64) -> f64 {
        match self.scale {
            ScaleKind::Linear => self.from + (self.to - self.from) * at,
            ScaleKind::Log => (self.from.ln() + (self.to.ln() - self.from.ln()) * at).exp(),
        }
    }

    /// The part between two places of this axis.
    #[must_use]
    pub fn part(&self, window: Option<(f64, f64)>) -> Self {
        match window {
            Some((a, b)) if a < b => Self { scale: self.scale, from: self.value(a), to: self.value(b) },
            _ => self.clone(),
        }
    }

    /// At most about `most` ticks at round values: decades on a log axis (with 2 and 5 when there are few), 1-2-5 steps else.
    /// No two say the same, and those of addresses and counts are whole numbers.
    pub fn ticks(&self, most: usize, unit: &Unit) -> Vec<Tick> {
        let most = most.max(2);
        let values = match self.scale {
            ScaleKind::Log => self.decades(most),
            ScaleKind::Linear => self.steps(most, unit),
        };
        let scale = Scaled::of(unit, self.from.abs().max(self.to.abs()));
        let steps = values.windows(2).map(|w| w[1] - w[0]).filter(|step| 0.0 < *step);
        let step = steps.fold(f64::INFINITY, f64::min);
        let texts = scale.texts(&values, step, self.scale);
        let tick = |(value, text): (f64, String)| Some(Tick { at: self.at(value)?, text });
        let mut ticks: Vec<Tick> = values.into_iter().zip(texts).filter_map(tick).collect();
        // Values beyond what a number keeps apart.
        ticks.dedup_by(|own, before| own.text == before.text);
        ticks
    }

    fn decades(&self, most: usize) -> Vec<f64> {
        let (low, high) = (self.from.log10(), self.to.log10());
        let (first, last) = ((low - 1e-9).ceil() as i32, (high + 1e-9).floor() as i32);
        let n = (last - first + 1).max(0) as usize;
        if n < 3 {
            let all = (first - 1..=last).flat_map(|d| [1.0, 2.0, 5.0].map(|m| m * 10_f64.powi(d)));
            let round: Vec<f64> = all.filter(|v| self.from * 0.999 <= *v && *v <= self.to * 1.001).collect();
            // Between two of them lies no scale.
            return if round.len() < 2 { self.steps(most.min(4), &Unit::None) } else { round };
        }
        let every = n.div_ceil(most).max(1);
        (first..=last).step_by(every).map(|d| 10_f64.powi(d)).collect()
    }

    fn steps(&self, most: usize, unit: &Unit) -> Vec<f64> {
        // A stretch that has one multiple of a step in it, or none, is told by smaller steps.
        let tries = (0..3).map(|halved: i32| self.multiples(most as f64 * f64::from(1 << halved), unit));
        let mut tries = tries.skip_while(|values| values.len() < 2);
        tries.next().unwrap_or_else(|| self.multiples(most as f64, unit))
    }

    /// The multiples of a round step on the axis, of which about so many fit.
    fn multiples(&self, most: f64, unit: &Unit) -> Vec<f64> {
        let least = (self.to - self.from) / most;
        let step = match unit {
            Unit::Address => least.log2().ceil().exp2().max(1.0),
            Unit::Bytes if 16.0 <= least => least.log2().ceil().exp2(),
            Unit::Count(_) => round_step(least).max(1.0),
            // Half a byte or half a cycle is only a mean, which an axis of less than one may show.
            Unit::Bytes | Unit::Cycles if 1.0 <= self.to - self.from => round_step(least).max(1.0),
            _ => round_step(least),
        };
        let first = (self.from / step - 1e-9).ceil();
        let n = ((self.to / step + 1e-9).floor() - first) as i64;
        (0..=n.min(200)).map(|i| (first + i as f64) * step).collect()
    }

    /// The quantity with the unit its ticks are written in, such as "clock, cycles"; a unit alone stays alone.
    pub fn title(&self, label: &AxisLabel, name: &str) -> String {
        let scaled = Scaled::of(&label.unit, self.from.abs().max(self.to.abs()));
        match (name.is_empty(), scaled.name.is_empty()) {
            (_, true) => name.to_owned(),
            (true, _) => scaled.name,
            _ => format!("{name}, {}", scaled.name),
        }
    }
}

/// How the ticks of one axis write their values: all in one unit.
struct Scaled {
    per: f64,
    name: String,
    is_address: bool,
}

impl Scaled {
    fn of(unit: &Unit, largest: f64) -> Self {
        let pick = |names: &[(&str, f64)]| {
            let fit = names.iter().rev().find(|(_, per)| *per <= largest).or(names.first());
            fit.map_or((1.0, String::new()), |(name, per)| (*per, (*name).to_owned()))
        };
        let (per, name) = match unit {
            Unit::Nanos => pick(&[("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)]),
            Unit::Micros => pick(&[("ns", 1e-3), ("µs", 1.0)]),
            Unit::Millis => pick(&[("ns", 1e-6), ("µs", 1e-3), ("ms", 1.0)]),
            Unit::Bytes => pick(&[
                ("B", 1.0),
                ("KiB", 1024.0),
                ("MiB", 1024.0 * 1024.0),
                ("GiB", 1024.0 * 1024.0 * 1024.0),
            ]),
            Unit::BytesPerSec => {
                pick(&[("B/s", 1.0), ("kB/s", 1e3), ("MB/s", 1e6), ("GB/s", 1e9), ("TB/s", 1e12)])
            }
            Unit::Share => (0.01, "%".to_owned()),
            _ => (1.0, unit.word().to_owned()),
        };
        Self { per, name, is_address: *unit == Unit::Address }
    }

    /// What the ticks say: as short as can be, with more digits where that would say the same twice.
    fn texts(&self, values: &[f64], step: f64, scale: ScaleKind) -> Vec<String> {
        let short: Vec<String> = values.iter().map(|value| self.text(*value, step, scale)).collect();
        if self.is_address || are_apart(&short) {
            return short;
        }
        let (step, largest) =
            (step / self.per, values.iter().fold(0.0, |most: f64, v| most.max(v.abs())) / self.per);
        let names = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
        let (per, name) = names.into_iter().find(|(per, _)| 10.0 * per <= largest).unwrap_or((1.0, ""));
        let digits = (-(step / per).log10().floor()).clamp(0.0, 9.0) as usize;
        let of = |(per, name): (f64, &str), digits: usize| -> Vec<String> {
            let text = |value: &f64| number::fixed(value / self.per / per, digits) + name;
            values.iter().map(text).collect()
        };
        let mut tries =
            [(per, name), (1.0, "")].into_iter().flat_map(|unit| [digits, 9, 18].map(|n| (unit, n)));
        tries.find_map(|(unit, n)| Some(of(unit, n)).filter(|texts| are_apart(texts))).unwrap_or(short)
    }

    fn text(&self, value: f64, step: f64, scale: ScaleKind) -> String {
        if self.is_address {
            return format!("0x{:x}", value as u64);
        }
        let (value, step) = (value / self.per, step / self.per);
        if scale == ScaleKind::Log {
            return number::short(value);
        }
        if 10_000.0 <= value.abs() && 999.5 <= step && (step / 1000.0).fract().abs() < 1e-9 {
            return compact_whole(value);
        }
        let digits = if step.is_finite() { (-step.log10().floor()).clamp(0.0, 9.0) as usize } else { 0 };
        number::fixed(value, digits)
    }
}

/// Whether no two texts are equal. Equal ones need not follow each other: between two that are rounded to billions there
/// may be one that is not round.
fn are_apart(texts: &[String]) -> bool {
    texts.iter().enumerate().all(|(at, text)| !texts[..at].contains(text))
}

/// Round thousands as `10k`, round millions as `2M`; anything else as it is.
fn compact_whole(value: f64) -> String {
    match value {
        v if 1e6 <= v.abs() && (v / 1e6).fract() == 0.0 => compact(v),
        v if v.abs() < 1e6 => format!("{}k", number::fixed(v / 1e3, 0)),
        v => number::fixed(v, 0),
    }
}

/// The next of 1, 2, 5 × 10ⁿ at or above.
pub fn round_step(least: f64) -> f64 {
    if !least.is_finite() || least <= 0.0 {
        return 1.0;
    }
    let decade = 10_f64.powf(least.log10().floor());
    let factor = least / decade;
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| factor <= f * (1.0 + 1e-9));
    round.unwrap_or(10.0) * decade
}
