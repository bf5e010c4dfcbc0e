//! Numbers and text as Python writes them.

use std::fmt::Write;

/// `repr` of a float: the shortest digits that read back, `1e-05` and `1e+16` with an exponent.
pub(super) fn repr(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value < 0.0 { "-inf" } else { "inf" }.to_owned();
    }
    let short = format!("{value:e}");
    let (digits, exponent) = short.split_once('e').unwrap_or((&short, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        format!("{value:?}")
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}e{sign}{:02}", exponent.abs())
    }
}

/// `format(value, '>width.2f')`.
pub(super) fn fixed(value: f64, width: usize) -> String {
    if value.is_finite() { format!("{value:>width$.2}") } else { format!("{:>width$}", repr(value)) }
}

/// A text as `json.dumps` writes it: in quotes, everything but ASCII escaped.
pub(super) fn quoted(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_as_short_as_they_can_be() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (27.177_999_999_992_153, "27.177999999992153"),
            (0.000_1, "0.0001"),
            (0.000_01, "1e-05"),
            (-1.25e-7, "-1.25e-07"),
            (1e15, "1000000000000000.0"),
            (9_007_199_254_740_993.0, "9007199254740992.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(repr(value), text);
        }
    }

    #[test]
    fn ties_go_to_the_even_digit() {
        for (value, text) in [
            (0.125, "     0.12"),
            (0.375, "     0.38"),
            (0.005, "     0.01"),
            (1.005, "     1.00"),
            (-0.001, "    -0.00"),
            (f64::NAN, "      nan"),
            (1_234_567_890.0, "1234567890.00"),
        ] {
            assert_eq!(fixed(value, 9), text);
        }
    }

    #[test]
    fn text_is_escaped_down_to_ascii() {
        assert_eq!(quoted("a\"\\\tü\u{7f}😀"), r#""a\"\\\t\u00fc\u007f\ud83d\ude00""#);
    }
}
