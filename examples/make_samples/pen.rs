//! Small things for writing: JSON text and numbers that look measured.

use std::fmt::Write as _;

/// Pseudo random numbers; the same in every run, so that the samples are.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// From 0 to 1.
    pub(crate) fn share(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// `value`, some percent more or less.
    pub(crate) fn about(&mut self, value: f64, percent: f64) -> f64 {
        value * (1.0 + (self.share() * 2.0 - 1.0) * percent / 100.0)
    }
}

/// A text as JSON.
pub(crate) fn text(value: &str) -> String {
    let mut out = String::from("\"");
    for letter in value.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// A list of things that are JSON already.
pub(crate) fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}

/// An object of names and values that are JSON already.
pub(crate) fn object(pairs: &[(&str, String)]) -> String {
    let mut out = String::from("{");
    for (n, (name, value)) in pairs.iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        let _ = write!(out, "{comma}{}:{value}", text(name));
    }
    out.push('}');
    out
}

/// Nanoseconds as microseconds, to the nanosecond.
pub(crate) fn micros(nanos: f64) -> String {
    let whole = nanos.round() as i64;
    format!("{}.{:03}", whole / 1000, whole % 1000)
}
