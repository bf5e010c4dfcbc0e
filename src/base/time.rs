//! Time: integer ticks, half-open spans, and what one tick means.

use super::words::{reader, tr};
use serde::{Deserialize, Serialize};

/// A point in time or a length of time, in ticks of a [`Clock`]. Signed, because traces may start before their zero.
pub type Ticks = i64;

/// A half-open stretch of time: `start` belongs to it, `end` does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// First tick inside.
    pub start: Ticks,
    /// First tick after; never before `start` when made by [`Span::new`].
    pub end: Ticks,
}

impl Span {
    /// The span from `start` to `end`; the two are swapped when they come the wrong way round.
    pub fn new(start: Ticks, end: Ticks) -> Self {
        if start <= end { Self { start, end } } else { Self { start: end, end: start } }
    }

    /// Length in ticks; saturates instead of overflowing.
    pub fn dur(self) -> Ticks {
        self.end.saturating_sub(self.start)
    }

    /// The time that labels count from: zero of the file when the span begins near it, else (an epoch) its start.
    pub fn origin(self) -> Ticks {
        if self.start < 0 || self.dur() < self.start { self.start } else { 0 }
    }

    /// Whether nothing lies inside.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Whether `t` lies inside.
    pub fn contains(self, t: Ticks) -> bool {
        self.start <= t && t < self.end
    }

    /// Whether the two share at least one tick, or `other` is a point inside.
    pub fn touches(self, other: Span) -> bool {
        other.start < self.end && self.start < other.end.max(other.start.saturating_add(1))
    }

    /// What both have in common; empty when they do not meet.
    #[must_use]
    pub fn intersect(self, other: Span) -> Span {
        let start = self.start.max(other.start);
        Span { start, end: self.end.min(other.end).max(start) }
    }

    /// The same stretch, later by so many ticks; saturates.
    #[must_use]
    pub fn shifted(self, by: Ticks) -> Span {
        Span { start: self.start.saturating_add(by), end: self.end.saturating_add(by) }
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn union(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

pub use super::window::Window;

/// What one tick of a trace means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Clock {
    /// One tick is one nanosecond.
    #[default]
    Nanos,
    /// One tick is one cycle; with a rate the viewer can also say nanoseconds.
    Cycles {
        /// Cycles in a second, when the file says so.
        hz: Option<f64>,
    },
    /// Ticks only order things: record numbers, instruction ordinals.
    Steps,
}

impl Clock {
    /// What ticks are called in heads of columns.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Nanos => "ns",
            Self::Cycles { .. } => "cycles",
            Self::Steps => "steps",
        }
    }

    /// The same as people read it: a word is in the language of the [`reader`].
    pub fn word(self) -> &'static str {
        tr(reader(), self.symbol())
    }

    /// Nanoseconds in a tick, when they are known.
    pub fn nanos(self) -> Option<f64> {
        match self {
            Self::Nanos => Some(1.0),
            Self::Cycles { hz } => hz.filter(|hz| 0.0 < *hz).map(|hz| 1e9 / hz),
            Self::Steps => None,
        }
    }
}

/// Reads a decimal number of microseconds (`"1766000000000000.001"`, `"-3"`, `"2.5e3"`) as whole nanoseconds, rounding half away from zero.
///
/// The number never passes through floating point, so epoch times keep their last nanosecond.
/// `None` when the text is not a number or is beyond [`FARTHEST`].
pub fn nanos_from_micros_text(text: &[u8]) -> Option<Ticks> {
    let nanos = match Plain::read(text) {
        Some(number) => number.nanos(),
        None => scaled_from_decimal(text, 3),
    };
    nanos.filter(|nanos| is_near(*nanos))
}

/// The farthest time that is read, in nanoseconds: 146 years around 1970. What lies between two times fits in 64 bits then.
pub const FARTHEST: Ticks = Ticks::MAX / 2;

fn is_near(time: Ticks) -> bool {
    (-FARTHEST..=FARTHEST).contains(&time)
}

/// Reads a start and a length in decimal microseconds as whole nanoseconds: the start and the *end* are rounded, so that
/// what touches in the file touches here. The length may be negative. `None` as for [`nanos_from_micros_text`].
pub fn stretch_from_micros_text(start: &[u8], dur: &[u8]) -> Option<(Ticks, Ticks)> {
    let (a, b) = (Plain::read(start), Plain::read(dur));
    let (from, dur) = if let (Some(a), Some(b)) = (a, b)
        && a.places <= 3
        && b.places <= 3
    {
        (a.nanos()?, b.nanos()?)
    } else {
        let (a, b) = (Decimal::read(start)?, Decimal::read(dur)?);
        let from = a.scaled(3)?;
        (from, a.plus(b)?.scaled(3)?.checked_sub(from)?)
    };
    (is_near(from) && from.checked_add(dur).is_some_and(is_near)).then_some((from, dur))
}

/// Reads a decimal number and shifts its point right by `shift` digits, rounding half away from zero; exact. `None` as for [`nanos_from_micros_text`].
pub fn scaled_from_decimal(text: &[u8], shift: i32) -> Option<i64> {
    Decimal::read(text)?.scaled(shift)
}

/// The common case: a decimal number without exponent and sign of plus, of at most 19 digits; `value / 10^places`.
#[derive(Clone, Copy)]
struct Plain {
    value: i64,
    places: usize,
}

impl Plain {
    /// Reads it in one pass; `None` for everything that is not common.
    fn read(text: &[u8]) -> Option<Self> {
        let (is_negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let mut value = 0_u64;
        let mut n_digits = 0_usize;
        let mut point = None;
        for &b in digits {
            let digit = b.wrapping_sub(b'0');
            if digit < 10 {
                value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
                n_digits += 1;
            } else if b == b'.' && point.is_none() {
                point = Some(n_digits);
            } else {
                return None;
            }
        }
        // 19 digits cannot wrap around 64 bits.
        if n_digits == 0 || 19 < n_digits {
            return None;
        }
        let value = i64::try_from(value).ok()?;
        let places = point.map_or(0, |point| n_digits - point);
        Some(Self { value: if is_negative { -value } else { value }, places })
    }

    fn nanos(self) -> Option<Ticks> {
        match self.places {
            0 => self.value.checked_mul(1_000),
            1 => self.value.checked_mul(100),
            2 => self.value.checked_mul(10),
            3 => Some(self.value),
            places => {
                let unit = 10_u64.checked_pow(u32::try_from(places - 3).ok()?)?;
                let size = self.value.unsigned_abs();
                let nanos = i64::try_from(size / unit + u64::from(unit / 2 <= size % unit)).ok()?;
                Some(if self.value < 0 { -nanos } else { nanos })
            }
        }
    }
}

/// Any decimal number: `value / 10^places`. Digits after the 36th are left out; rounding needs only the first of them.
#[derive(Clone, Copy)]
struct Decimal {
    value: i128,
    places: i32,
}

/// Nothing of 64 bits has more digits than this with its fractions; larger numbers do not fit anyway.
const DIGITS: i128 = 10_i128.pow(36);

/// A billionth of a nanosecond, of numbers in microseconds: no digit behind it counts beside a number that has a time's size.
const PLACES: i32 = 18;

impl Decimal {
    fn read(text: &[u8]) -> Option<Self> {
        let (is_negative, digits) = match text.first()? {
            b'-' => (true, text.get(1..)?),
            b'+' => (false, text.get(1..)?),
            _ => (false, text),
        };
        let mut value = 0_i128;
        let mut places = 0_i32;
        let (mut is_fraction, mut is_number) = (false, false);
        for (i, &b) in digits.iter().enumerate() {
            match b {
                b'0'..=b'9' => {
                    is_number = true;
                    if value < DIGITS {
                        value = value * 10 + i128::from(b - b'0');
                        places += i32::from(is_fraction);
                    } else if !is_fraction {
                        return None;
                    }
                }
                b'.' if !is_fraction => is_fraction = true,
                b'e' | b'E' if is_number => {
                    places = places.checked_sub(parse_exponent(digits.get(i + 1..)?)?)?;
                    break;
                }
                _ => return None,
            }
        }
        is_number.then_some(Self { value: if is_negative { -value } else { value }, places })
    }

    /// The sum; `None` when it is too large. Where the two are too far apart for exact arithmetic, digits behind the 18th
    /// place are left out.
    fn plus(self, other: Self) -> Option<Self> {
        self.plus_exactly(other).or_else(|| self.cut().plus_exactly(other.cut()))
    }

    fn cut(mut self) -> Self {
        while PLACES < self.places && self.value != 0 {
            (self.value, self.places) = (self.value / 10, self.places - 1);
        }
        if self.value == 0 { Self { value: 0, places: 0 } } else { self }
    }

    fn plus_exactly(self, other: Self) -> Option<Self> {
        let places = self.places.max(other.places);
        let at = |n: Self| {
            let power = u32::try_from(places.checked_sub(n.places)?).ok()?;
            if n.value == 0 { Some(0) } else { n.value.checked_mul(10_i128.checked_pow(power)?) }
        };
        Some(Self { value: at(self)?.checked_add(at(other)?)?, places })
    }

    /// `value · 10^shift`, half away from zero.
    fn scaled(self, shift: i32) -> Option<i64> {
        let power = shift.checked_sub(self.places)?;
        if self.value == 0 {
            return Some(0);
        }
        let unit = 10_i128.checked_pow(power.unsigned_abs());
        if 0 <= power {
            return i64::try_from(self.value.checked_mul(unit?)?).ok();
        }
        let Some(unit) = unit else { return Some(0) };
        let size = self.value.abs();
        let size = size / unit + i128::from(unit / 2 <= size % unit);
        i64::try_from(if self.value < 0 { -size } else { size }).ok()
    }
}

fn parse_exponent(text: &[u8]) -> Option<i32> {
    let text = std::str::from_utf8(text).ok()?;
    let value: i32 = text.strip_prefix('+').unwrap_or(text).parse().ok()?;
    (value.abs() <= 400).then_some(value)
}

/// Sums of lengths of time, which files may make as long as they like.
pub trait Total {
    /// The sum; at the ends of its range it stays there.
    fn total(self) -> Ticks;
}

impl<I: Iterator<Item = Ticks>> Total for I {
    fn total(self) -> Ticks {
        self.fold(0, Ticks::saturating_add)
    }
}
