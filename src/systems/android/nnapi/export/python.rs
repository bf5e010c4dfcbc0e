//! Numbers and text as Python writes them.

use std::fmt::Write;

/// `repr` of a float: the shortest digits that read back, `1e-05` and `1e+16` with an exponent.
pub fn repr(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value < 0.0 { "-inf" } else { "inf" }.to_owned();
    }
    let short = shortest(value);
    let (digits, exponent) = short.split_once('e').unwrap_or((&short, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        // As many decimals as digits follow the point, at least one.
        let n_digits = digits.bytes().filter(u8::is_ascii_digit).count() as i32;
        let n_decimals = (n_digits - 1 - exponent).max(1) as usize;
        format!("{value:.n_decimals$}")
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}e{sign}{:02}", exponent.abs())
    }
}

/// The fewest digits that read back as the same number, like `2.8583999633789062e1`. Of those that lie equally near the
/// even one is taken, where Rust takes the upper.
fn shortest(value: f64) -> String {
    let short = format!("{value:e}");
    let n_decimals = short.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count() - 1;
    // Correctly rounded, halves to even. Beside a power of two that may be the next number's; then the other one is it.
    let even = format!("{value:.n_decimals$e}");
    if even.parse() == Ok(value) { even } else { short }
}

/// `format(value, '>width.2f')`.
pub fn fixed(value: f64, width: usize) -> String {
    if value.is_finite() { format!("{value:>width$.2}") } else { format!("{:>width$}", repr(value)) }
}

/// A text as `json.dumps` writes it: in quotes, everything but ASCII escaped.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            '\u{c}' => out += "\\f",
            '\u{8}' => out += "\\b",
            ' '..='~' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}"); // writing into a String never fails
                }
            }
        }
    }
    out.push('"');
    out
}

/// A float as `json.dumps` writes it.
pub(super) fn json_number(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value < 0.0 { "-Infinity" } else { "Infinity" }.to_owned()
    } else {
        repr(value)
    }
}
