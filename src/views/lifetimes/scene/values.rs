//! Times, shares and sizes as they are said and typed.

use crate::base::number::{fixed, thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Language, fill, phrase, tr};

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

/// A share in percent.
pub fn percent(share: f64) -> String {
    format!("{} %", fixed(share * 100.0, 1))
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

/// A difference of two shares in percentage points, such as `+3.2 pp`, and whether it is less; neither where it is too small to
/// be written.
pub fn points(by: f64, language: Language) -> (String, Option<bool>) {
    let is_none = by.abs() < 5e-4;
    let sign = if 0.0 < by && !is_none { "+" } else { "" };
    let n = format!("{sign}{}", fixed(if is_none { 0.0 } else { by * 100.0 }, 1));
    (fill(tr(language, phrase("{n} pp")), &[("n", &n)]), (!is_none).then_some(by < 0.0))
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
