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

/// Parts of a whole tick that steps are counted in.
const FINE: i128 = 1_000;

/// Ticks of a time axis of `width` pixels: those with labels at least `apart` pixels from each other, and four small ones
/// between each two. Labels tell the time since `origin`.
pub fn time(window: &Window, width: f64, apart: f64, origin: Ticks, clock: Clock) -> Vec<Tick> {
    if width <= 0.0 || window.dur <= 0.0 {
        return Vec::new();
    }
    let step = step(window.dur * apart / width);
    at_steps(window, width, apart, origin, clock, i128::from(step) * FINE)
}

/// The same where labels have so much room, and at least two of them are whole: where the window holds only a few ticks,
/// they stand between ticks too. Labels do not run into each other.
pub fn labelled(
    window: &Window,
    width: f64,
    apart: f64,
    (origin, clock): (Ticks, Clock),
    room: impl Fn(&str) -> f64,
) -> Vec<Tick> {
    let first = time(window, width, apart, origin, clock);
    if first.is_empty() {
        return first;
    }
    let is_whole = |t: &&Tick| !t.label.is_empty() && 0.0 <= t.x && t.x + room(&t.label) <= width;
    let has_two = |ticks: &[Tick]| 2 <= ticks.iter().filter(is_whole).count();
    let is_loose = |ticks: &[Tick], step: i128| {
        let distance = step as f64 / FINE as f64 * width / window.dur;
        ticks.iter().all(|tick| tick.label.is_empty() || room(&tick.label) <= distance)
    };
    let step = i128::from(step(window.dur * apart / width)) * FINE;
    let fits = |&step: &i128| {
        let ticks = at_steps(window, width, apart, origin, clock, step);
        (is_loose(&ticks, step) && has_two(&ticks)).then_some(ticks)
    };
    let wide = [step, wider(step), wider(wider(step))];
    let fine = std::iter::successors(Some(finer(step)), |step| Some(finer(*step))).take(4);
    // Round steps first; long labels may leave room only for others.
    let round: Vec<i128> = wide.into_iter().chain(fine).collect();
    let others = round.iter().flat_map(|step| [step * 2, step / 2, step * 3 / 2]).filter(|step| 0 < *step);
    round.iter().copied().chain(others).find_map(|step| fits(&step)).unwrap_or(first)
}

/// Ticks at steps of so many fine parts.
fn at_steps(window: &Window, width: f64, apart: f64, origin: Ticks, clock: Clock, step: i128) -> Vec<Tick> {
    // Below five ticks there is no whole number of small steps: then only labelled ones stand.
    let small = if 5 * FINE <= step { step / 5 } else { step };
    let from_origin = (i128::from(window.start) - i128::from(origin)) * FINE;
    let first = from_origin.div_euclid(small) * small;
    let mut ticks = Vec::new();
    for i in 0.. {
        let at = first + i * small;
        let x = ((at - from_origin) as f64 / FINE as f64 - window.part) * width / window.dur;
        if width < x {
            break;
        }
        let is_major = at.rem_euclid(step) == 0;
        let label = if is_major { label(at, step, clock) } else { String::new() };
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

/// Of 1, 2, 5, 10, 20, … the one before.
fn finer(step: i128) -> i128 {
    let power = 10_i128.pow(step.max(1).ilog10());
    if step / power == 5 { step * 2 / 5 } else { (step / 2).max(1) }
}

/// The one after.
fn wider(step: i128) -> i128 {
    let power = 10_i128.pow(step.max(1).ilog10());
    if step / power == 2 { step * 5 / 2 } else { step * 2 }
}

/// A time in fine parts as the label of a tick: in the unit that fits its steps, with as many decimals as they need.
fn label(time: i128, step: i128, clock: Clock) -> String {
    let units: &[(i128, &str)] = match clock {
        Clock::Nanos => &[(1, "ns"), (1_000, "µs"), (1_000_000, "ms"), (1_000_000_000, "s")],
        Clock::Cycles { .. } => &[(1, "cycles")],
        Clock::Steps => &[(1, "")],
    };
    let size = time.unsigned_abs();
    let fits = |&&(per, _): &&(i128, &str)| {
        // Three decimals at most: the unit is never more than a thousand steps.
        per * FINE <= step.saturating_mul(1_000) && (per * FINE).unsigned_abs() <= size
    };
    let &(per, unit) = units.iter().rev().find(fits).unwrap_or(&units[0]);
    let per = per * FINE;
    let is_whole = |digits: &usize| step.saturating_mul(10_i128.pow(*digits as u32)) % per == 0;
    let digits = (0..9).find(is_whole).unwrap_or(9);
    let text = if digits == 0 {
        number::thousands(time / per)
    } else {
        let whole = number::thousands((size / per.unsigned_abs()) as i128);
        let rest = size % per.unsigned_abs();
        let rest = format!("{rest:0width$}", width = per.ilog10() as usize);
        format!("{}{whole}.{}", if time < 0 { "−" } else { "" }, &rest[..digits.min(rest.len())])
    };
    if unit.is_empty() { text } else { format!("{text} {unit}") }
}
