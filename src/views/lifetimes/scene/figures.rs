//! Lifetimes of a level in numbers: counts and lengths, each known or not.

use super::{length, percent};
use crate::base::number::{fixed, thousands};
use crate::base::words::phrase;
use crate::views::lifetimes::compute::Distribution;
use crate::views::lifetimes::messages::{Head, LevelLengths};

/// What a lifetime is, a phrase: it follows the settings, where the file does not only state lengths.
pub fn definition(head: &Head) -> &'static str {
    match (head.is_stated, head.is_resident, head.are_orphans_counted) {
        (true, ..) => phrase("lifetimes taken from the file"),
        (_, false, false) => phrase("from opening to last use, without orphans"),
        (_, false, true) => phrase("from opening to last use, including orphans"),
        (_, true, false) => phrase("from opening to replacement, without orphans"),
        (_, true, true) => phrase("from opening to replacement, including orphans"),
    }
}

/// What is said of lifetimes, in this order.
pub const ROWS: [&str; 8] = [
    phrase("Counted"),
    phrase("Mean"),
    phrase("Median"),
    phrase("90 %"),
    phrase("Longest"),
    phrase("Orphans"),
    phrase("of all opened"),
    phrase("Retries"),
];

/// The [`ROWS`] of a level, told with its lengths in cycles and a clock in MHz; 0 where nobody says. `None` is not known:
/// counts of what only a table states, and retries of words, which are never refused.
pub fn numbers(
    told: &LevelLengths,
    lengths: &Distribution,
    clock_mhz: f64,
    is_stated: bool,
) -> [Option<String>; 8] {
    let count = |n: u64| match told.mean_of {
        0 | 1 => thousands(n.cast_signed()),
        units => fixed(n as f64 / units as f64, 1),
    };
    let say = |cycles: f64| {
        if 0.0 < clock_mhz { length(cycles / clock_mhz * 1000.0, true) } else { length(cycles, false) }
    };
    let micros = |micros: f64| length(micros * 1000.0, true);
    let some = |cycles: f64| (!lengths.is_empty()).then(|| say(cycles));
    let of = |stated: Option<f64>, cycles: f64| some(cycles).or_else(|| stated.map(micros));
    let stated = told.stated.unwrap_or_default();
    let counts = &told.counts;
    let is_counted = !is_stated || !lengths.is_empty();
    let orphans = (0 < counts.lifetimes && !is_stated)
        .then(|| percent(counts.orphans as f64 / counts.lifetimes as f64));
    [
        is_counted.then(|| count(lengths.count())),
        of(stated.mean, lengths.mean()),
        of(stated.median, lengths.quantile(0.5)),
        of(stated.p90, lengths.quantile(0.9)),
        of(told.stated.map(|own| own.longest), lengths.max() as f64),
        (!is_stated).then(|| count(counts.orphans)),
        orphans,
        (!is_stated && told.word_bytes.is_none()).then(|| count(counts.retries)),
    ]
}
