//! Where the ticks of an axis go and what they say.
//!
//! Steps are 1, 2 or 5 times a power of ten. On a time axis the left end of the window may be an epoch: positions are
//! computed from whole ticks, and labels tell the time since an origin that the caller chooses.

use crate::base::number;
use crate::base::time::Window;
use crate::base::time::{Clock, Ticks};

/// One tick of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where, in pixels from the left edge.
    pub x: f64,
    /// What it says; empty for the small ones between.
    pub label: String,
}

/// Ticks of a time axis of `width` pixels: those with labels at least `apart` pixels from each other, and four small ones
/// between each two. Labels tell the time since `origin`.
pub fn time(window: &Window, width: f64, apart: f64, origin: Ticks, clock: Clock) -> Vec<Tick> {
    if width <= 0.0 || window.dur <= 0.0 {
        return Vec::new();
    }
    let step = step(window.dur * apart / width);
    // Below five ticks there is no whole number of small steps: then only labelled ones stand.
    let small = if step % 5 == 0 { step / 5 } else { step };
    let from_origin = i128::from(window.start) - i128::from(origin);
    let first = from_origin.div_euclid(i128::from(small)) * i128::from(small);
    let mut ticks = Vec::new();
    for i in 0.. {
        let at = first + i * i128::from(small);
        let x = ((at - from_origin) as f64 - window.part) * width / window.dur;
        if width < x {
            break;
        }
        let is_major = at.rem_euclid(i128::from(step)) == 0;
        let time = Ticks::try_from(at).unwrap_or(Ticks::MAX);
        let label = if is_major { label(time, step, clock) } else { String::new() };
        // One major tick left of the edge stays: its label may reach into the picture.
        if -apart <= x {
            ticks.push(Tick { x, label });
        }
    }
    ticks
}

/// The smallest of 1, 2, 5, 10, 20, … that is not less than `least`.
fn step(least: f64) -> i64 {
    let mut step: i64 = 1;
    for factor in [2, 5, 10].into_iter().cycle() {
        let power = 10_i64.saturating_pow(step.ilog10());
        if least <= step as f64 || i64::MAX / 20 < step {
            break;
        }
        step = power.saturating_mul(factor);
    }
    step
}

/// A time as the label of a tick: in the unit that fits its steps, with as many decimals as they need.
fn label(time: Ticks, step: i64, clock: Clock) -> String {
    let units: &[(i64, &str)] = match clock {
        Clock::Nanos => &[(1, "ns"), (1_000, "µs"), (1_000_000, "ms"), (1_000_000_000, "s")],
        Clock::Cycles { .. } => &[(1, "cycles")],
        Clock::Steps => &[(1, "")],
    };
    let size = time.unsigned_abs();
    let fits = |&&(per, _): &&(i64, &str)| {
        // Three decimals at most: the unit is never more than a thousand steps.
        per <= step.saturating_mul(1_000) && per.unsigned_abs() <= size
    };
    let &(per, unit) = units.iter().rev().find(fits).unwrap_or(&units[0]);
    let is_whole = |digits: &usize| step.saturating_mul(10_i64.pow(*digits as u32)) % per == 0;
    let digits = (0..9).find(is_whole).unwrap_or(9);
    let text = if digits == 0 {
        number::thousands(time / per)
    } else {
        let whole = number::thousands((size / per.unsigned_abs()) as i64);
        let rest = size % per.unsigned_abs();
        let rest = format!("{rest:0width$}", width = per.ilog10() as usize);
        format!("{}{whole}.{}", if time < 0 { "−" } else { "" }, &rest[..digits.min(rest.len())])
    };
    if unit.is_empty() { text } else { format!("{text} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(start: i64, dur: f64) -> Vec<String> {
        let window = Window::new(start, 0.0, dur);
        let ticks = time(&window, 800.0, 80.0, 0, Clock::Nanos);
        ticks.into_iter().filter(|t| !t.label.is_empty() && 0.0 <= t.x).map(|t| t.label).take(3).collect()
    }

    #[test]
    fn ticks_are_round_and_say_their_unit() {
        assert_eq!(labels(0, 4.0), ["0 ns", "1 ns", "2 ns"]);
        assert_eq!(labels(120_400, 8_400.0), ["121 µs", "122 µs", "123 µs"]);
        assert_eq!(labels(120_400, 840.0), ["120.4 µs", "120.5 µs", "120.6 µs"]);
        assert_eq!(labels(120_400, 50.0), ["120.400 µs", "120.405 µs", "120.410 µs"]);
        assert_eq!(labels(-2_000_000, 4_000_000.0), ["−2.0 ms", "−1.5 ms", "−1.0 ms"]);
        assert_eq!(labels(1_766_000_000_000_000_001, 4.0)[0], "1,766,000,000,000,000.001 µs");
        assert_eq!(labels(3_000_000_000, 9e10), ["10 s", "20 s", "30 s"]);
    }

    #[test]
    fn ticks_stand_apart_and_where_their_time_is() {
        let window = Window::new(1_766_000_000_000_000_000, 0.25, 10.0);
        let ticks = time(&window, 1000.0, 80.0, 1_766_000_000_000_000_000, Clock::Nanos);
        let places: Vec<f64> = ticks.iter().filter(|t| !t.label.is_empty()).map(|t| t.x).collect();
        assert_eq!(places[..3], [-25.0, 75.0, 175.0]);
    }
}
