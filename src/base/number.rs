//! Numbers for people: one rule for the whole product.
//!
//! Thousands have commas, the unit stands behind a space, minus is `−` (U+2212), missing is `–`.
//! What the file says is never rounded away: tooltips use [`exact`].

use super::time::{Clock, Ticks};
use super::unit::Unit;
use super::words::{Language, fill, plural, reader, tr};

/// How a missing value is written.
pub const MISSING: &str = "–";

/// `1234567` as `1,234,567`.
pub fn thousands(value: impl Into<i128>) -> String {
    grouped(value.into())
}

fn grouped(value: i128) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 3);
    if value < 0 {
        out.push('−');
    }
    for (i, digit) in digits.chars().enumerate() {
        if 0 < i && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with `digits` decimals and commas; integers of any size keep all digits.
pub fn fixed(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    let text = format!("{:.digits$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let is_zero = text.bytes().all(|b| b == b'0' || b == b'.');
    let whole = whole.parse::<i64>().map_or_else(|_| whole.to_owned(), thousands);
    format!("{}{whole}{rest}", if value < 0.0 && !is_zero { "−" } else { "" })
}

/// A number that was single when it was written, by the digits that it had then: 0.8 for 0.800000011920929. All others
/// as they are, and short ones, which were meant so.
pub fn denoised(value: f64) -> f64 {
    let single = value as f32;
    if f64::from(single) != value || value.fract() == 0.0 {
        return value;
    }
    let is_noisy = 10 < value.to_string().bytes().filter(u8::is_ascii_digit).count();
    if is_noisy { single.to_string().parse().unwrap_or(value) } else { value }
}

/// The shortest text that names the value exactly, with commas: `251.345`, `1,207`, `0.001`. See [`denoised`].
pub fn exact(value: f64) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    let text = format!("{}", denoised(value).abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let whole = whole.parse::<i64>().map_or_else(|_| whole.to_owned(), thousands);
    format!("{}{whole}{rest}", if value < 0.0 { "−" } else { "" })
}

/// The number without the noise that arithmetic leaves in its last digits: `239.66910000000001` is 239.6691. Whole numbers
/// and those of at most 15 digits stay as they are.
pub fn without_noise(value: f64) -> f64 {
    let single = denoised(value);
    if single != value || value.fract() == 0.0 {
        return single;
    }
    format!("{value:.14e}").parse().unwrap_or(value)
}

/// A number for people who look for all its digits: one that fills a double, as quotients and differences do, with ten of
/// them, which is more than anything was measured with. What files say has fewer digits and stays as it is.
pub fn computed(value: f64) -> f64 {
    let own = without_noise(value);
    let digits = |value: f64| {
        format!("{value:e}").bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count()
    };
    // A number that fills a double may lose its last digits with the noise; one that ends before ten was short all along.
    if own.fract() == 0.0 || digits(value) < 15 || digits(own) <= 10 {
        return own;
    }
    // Large times keep their thousandths.
    let whole = own.abs().log10().floor().clamp(0.0, 15.0) as usize + 1;
    format!("{own:.*e}", 9.max(whole + 2)).parse().unwrap_or(own)
}

/// The same in a sentence: a thousand microseconds and more in the unit that they are short in.
pub fn in_sentence(value: f64, unit: &Unit) -> String {
    match unit {
        Unit::Micros if 1e3 <= value.abs() => with_unit(value * 1e3, &Unit::Nanos),
        _ => with_unit(value, unit),
    }
}

/// A value with its unit, as a person wants to read it: `1.240 ms`, `3.50 GiB`, `72.4 %`, `0x1a40`.
pub fn with_unit(value: f64, unit: &Unit) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    match unit {
        Unit::Nanos => nanos(value),
        Unit::Bytes => scaled(value, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB"]),
        Unit::BytesPerSec => scaled(value, 1000.0, &["B/s", "kB/s", "MB/s", "GB/s", "TB/s"]),
        // Nearly all is not all, and little is not nothing.
        Unit::Share if (0.9995..1.0 - 1e-9).contains(&value) => "> 99.9 %".to_owned(),
        Unit::Share if value != 0.0 && value.abs() < 0.0005 => format!("{} %", short(value * 100.0)),
        Unit::Share => format!("{} %", fixed(value * 100.0, 1)),
        Unit::Micros if is_part(value) => format!("{} ns", short(value * 1e3)),
        Unit::Millis if is_part(value) => with_unit(value * 1e3, &Unit::Micros),
        Unit::Micros => format!("{} µs", fixed(value, 3)),
        Unit::Millis => format!("{} ms", fixed(value, 3)),
        Unit::Address => hex(value),
        _ => of_kind(&short(value), unit.symbol()),
    }
}

/// A share in percent: `72.4 %`, `0.026 %`, `> 99.9 %`.
pub fn percent(share: f64) -> String {
    with_unit(share, &Unit::Share)
}

/// A share beside a limit that it is held against, with as many digits as tell on which side it lies: `89.99 %` beside
/// 90 %, not `90.0 %`.
pub fn percent_beside(share: f64, limit: f64) -> String {
    let of = |share: f64, digits: usize| format!("{} %", fixed(share * 100.0, digits));
    if percent(share) != percent(limit) {
        return percent(share);
    }
    let digits = (2..9).find(|digits| of(share, *digits) != of(limit, *digits));
    digits.map_or_else(|| percent(share), |digits| of(share, digits))
}

/// Whether a value is less than one of its unit: times then take the next smaller one.
pub fn is_part(value: f64) -> bool {
    value != 0.0 && value.abs() < 1.0
}

/// The same for a whole number: its digits are all kept, unless its unit is one that is scaled.
pub fn whole_with_unit(value: impl Into<i128>, unit: &Unit) -> String {
    let value = value.into();
    match unit {
        Unit::Address => format!("0x{value:x}"),
        Unit::None => thousands(value),
        Unit::Cycles | Unit::Count(_) | Unit::Other(_) => of_kind(&thousands(value), unit.symbol()),
        _ => with_unit(value as f64, unit),
    }
}

/// A number with what it counts, if that is said: `3 cycles`, `1 cycle`, `5 MHz`. What it counts is an English word or a
/// symbol; words are written in the language of the [`reader`].
pub fn of_kind(number: &str, plural: &str) -> String {
    if plural.is_empty() {
        return number.to_owned();
    }
    fill(&format!("{{n}} {}", tr(reader(), plural)), &[("n", number)])
}

/// A count at hand as a text, `3 kernels`, with its word in the language of the [`reader`]; other texts as they are.
pub fn counted(text: &str) -> String {
    let is_number = |n: &str| {
        n.starts_with(|c: char| c.is_ascii_digit())
            && n.bytes().all(|b| b.is_ascii_digit() || b",.".contains(&b))
    };
    match text.split_once(' ').filter(|(n, _)| is_number(n)) {
        Some((n, what)) => {
            let told = tr(reader(), what);
            let many = plural(what).filter(|_| told == what).map(|many| tr(reader(), many));
            format!("{n} {}", many.filter(|many| reader() != Language::En && *many != what).unwrap_or(told))
        }
        None => text.to_owned(),
    }
}

/// An address, or the difference of two, that is at hand as a number only.
pub fn hex(value: f64) -> String {
    format!("{}0x{:x}", if value < 0.0 { "−" } else { "" }, value.abs() as u64)
}

/// A value alone, with as many decimals as help: integers whole, small numbers with up to four significant digits.
pub fn short(value: f64) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    if value.fract() == 0.0 {
        return fixed(value, 0);
    }
    let size = value.abs();
    let digits = if 1000.0 <= size {
        1
    } else if 10.0 <= size {
        2
    } else if 0.1 <= size {
        3
    } else {
        return significant(value, 3);
    };
    let text = fixed(value, digits);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn significant(value: f64, digits: usize) -> String {
    let size = value.abs();
    if size < 1e-9 {
        return format!("{value:.2e}");
    }
    let places = (-size.log10().floor()) as usize + digits - 1;
    fixed(value, places).trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn scaled(value: f64, base: f64, names: &[&str]) -> String {
    let mut size = value;
    let mut at = 0;
    while base <= size.abs() && at + 1 < names.len() {
        size /= base;
        at += 1;
    }
    let digits = if at == 0 { 0 } else { 2 };
    format!("{} {}", fixed(size, digits), names[at])
}

fn nanos(value: f64) -> String {
    let size = value.abs();
    let (scale, digits, name) = if size < 1e3 {
        (1.0, 0, "ns")
    } else if size < 1e6 {
        (1e3, 3, "µs")
    } else if size < 1e9 {
        (1e6, 3, "ms")
    } else {
        (1e9, 3, "s")
    };
    format!("{} {name}", fixed(value / scale, digits))
}

/// A length of time in the unit of its clock: `443 ns`, `4.500 µs`, `1,207 cycles`.
pub fn duration(ticks: Ticks, clock: Clock) -> String {
    match clock {
        Clock::Nanos => nanos(ticks as f64),
        Clock::Cycles { .. } => of_kind(&thousands(ticks), "cycles"),
        Clock::Steps => thousands(ticks),
    }
}

/// A length of time in a column that is headed by milliseconds, or by the ticks of a clock without a rate: no other unit
/// stands in it, whatever the length.
pub fn millis(ticks: Ticks, clock: Clock) -> String {
    match (ticks, clock.nanos()) {
        (0, _) => "–".to_owned(),
        (_, None) => thousands(ticks),
        (_, Some(tick)) => fixed(ticks as f64 * tick / 1e6, 3),
    }
}

/// An offset in time with its sign; empty for none.
pub fn time_offset(by: Ticks, clock: Clock) -> String {
    match by {
        0 => String::new(),
        by if by < 0 => format!("−{}", duration(by.saturating_neg(), clock)),
        by => format!("+{}", duration(by, clock)),
    }
}

/// A point in time, to the last tick: `124.887 µs`, `1,623,142,623.460111000 s`.
pub fn instant(ticks: Ticks, clock: Clock) -> String {
    match clock {
        Clock::Nanos => {
            let size = ticks.unsigned_abs();
            let sign = if ticks < 0 { "−" } else { "" };
            let (unit, per, digits) = if size < 1_000 {
                ("ns", 1, 0)
            } else if size < 10_000_000 {
                ("µs", 1_000, 3)
            } else if size < 10_000_000_000 {
                ("ms", 1_000_000, 6)
            } else {
                ("s", 1_000_000_000, 9)
            };
            let whole = thousands(size / per);
            if digits == 0 {
                format!("{sign}{whole} {unit}")
            } else {
                format!("{sign}{whole}.{:0digits$} {unit}", size % per)
            }
        }
        Clock::Cycles { .. } => of_kind(&thousands(ticks), "cycles"),
        Clock::Steps => thousands(ticks),
    }
}

/// A point in time of the wall clock, from nanoseconds since 1970: `2026-11-21 03:24:01 UTC`.
pub fn date(nanos: Ticks) -> String {
    let secs = nanos.div_euclid(1_000_000_000);
    let (days, of_day) = (secs.div_euclid(86_400), secs.rem_euclid(86_400));
    // Years begin in March here, so that a leap day is the last of its year; day 0 is 1 March of the year 0.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = era * 400 + year + i64::from(10 <= month);
    let month = if month < 10 { month + 3 } else { month - 9 };
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// A size in bytes of a file: `48.2 MB` (decimal, as file managers show it).
pub fn file_size(bytes: u64) -> String {
    let names = ["B", "kB", "MB", "GB", "TB"];
    let mut size = bytes as f64;
    let mut at = 0;
    while 999.95 <= size && at + 1 < names.len() {
        size /= 1000.0;
        at += 1;
    }
    format!("{} {}", fixed(size, usize::from(at != 0)), names[at])
}

/// A byte offset, decimal and hexadecimal: `6,720 (0x1A40)`.
pub fn offset(at: u64) -> String {
    format!("{} (0x{at:X})", thousands(at))
}

/// An address, hexadecimal behind `0x` or decimal.
pub fn address(text: &str) -> Option<u64> {
    let text = text.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
