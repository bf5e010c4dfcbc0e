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
    use proptest::prelude::*;

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
    fn of_two_shortest_texts_python_takes_the_even_one() {
        for (value, text) in [
            ("28.5839996337890625", "28.583999633789062"),
            ("-28.5839996337890625", "-28.583999633789062"),
            ("8.1158905029296875", "8.115890502929688"),
            ("0.00051212310791015625", "0.0005121231079101562"),
            ("0.00066661834716796875", "0.0006666183471679688"),
            ("30772164287607.6875", "30772164287607.688"),
            ("3963978.71337890625", "3963978.7133789062"),
            // 2^-44, also halfway, and the numbers at the ends of what a float can be.
            ("5.6843418860808015e-14", "5.684341886080802e-14"),
            ("5e-324", "5e-324"),
            ("9.387247271130546e-323", "9.4e-323"),
            ("2.2250738585072014e-308", "2.2250738585072014e-308"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ] {
            assert_eq!(repr(value.parse().unwrap()), text);
        }
    }

    /// Digits of an exact decimal number, without its point.
    fn times(digits: &mut Vec<u8>, factor: u8) {
        let mut carry = 0;
        for digit in digits.iter_mut().rev() {
            let product = *digit * factor + carry;
            *digit = product % 10;
            carry = product / 10;
        }
        if 0 < carry {
            digits.insert(0, carry);
        }
    }

    /// The shortest digits and their exponent, by trying: with more and more digits, the two neighbors of that length, the
    /// nearer one first, whether they lie between the midpoints to the next floats. All numbers are exact.
    fn shortest_by_trying(value: f64) -> (String, i32) {
        let bits = value.to_bits();
        let (stored, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let mantissa = if stored == 0 { fraction } else { fraction | 1 << 52 };
        let exponent = stored.max(1) - 1075 - 2; // of a quarter of the last bit
        let below = if fraction == 0 && 1 < stored { 1 } else { 2 };
        let exact = |quarters: u64| {
            let mut digits: Vec<u8> = quarters.to_string().bytes().map(|b| b - b'0').collect();
            (0..exponent.abs()).for_each(|_| times(&mut digits, if exponent < 0 { 5 } else { 2 }));
            digits
        };
        let [low, middle, high] = [4 * mantissa - below, 4 * mantissa, 4 * mantissa + 2].map(exact);
        // All as long as the longest, with one place for a carry.
        let long = |digits: Vec<u8>| [vec![0; high.len() + 1 - digits.len()], digits].concat();
        let (low, middle, high) = (long(low), long(middle), long(high.clone()));
        let is_inside = |digits: &Vec<u8>| {
            let is_end_inside = mantissa % 2 == 0;
            (low < *digits && *digits < high) || (is_end_inside && (*digits == low || *digits == high))
        };
        let first = middle.iter().position(|d| *d != 0).unwrap();
        for end in first + 1..=middle.len() {
            let mut down = middle.clone();
            down[end..].fill(0);
            let mut up = down.clone();
            let nines = up[..end].iter().rev().take_while(|d| **d == 9).count();
            up[end - nines..end].fill(0);
            up[end - nines - 1] += 1;
            let mut half = vec![0; middle.len() - end];
            half.iter_mut().take(1).for_each(|d| *d = 5);
            let is_up_nearer = match middle[end..].cmp(&half) {
                std::cmp::Ordering::Less => false,
                std::cmp::Ordering::Equal => down[end - 1] % 2 == 1,
                std::cmp::Ordering::Greater => true,
            };
            let tried = if is_up_nearer { [up, down] } else { [down, up] };
            if let Some(found) = tried.into_iter().find(is_inside) {
                let start = found.iter().position(|d| *d != 0).unwrap();
                let n_after = found.len() - 1 - start;
                let text: String = found[start..].iter().map(|d| char::from(b'0' + d)).collect();
                return (text.trim_end_matches('0').to_owned(), n_after as i32 + exponent.min(0));
            }
        }
        unreachable!("the number itself lies inside")
    }

    /// Numbers of 18 digits, half of which end in a 5 that must be rounded away; and any other.
    fn floats() -> impl Strategy<Value = f64> {
        let ties = (4..22_u32, any::<u64>()).prop_map(|(k, n)| {
            let most = (10_f64.powi(18 - k as i32) * 2_f64.powi(k as i32)).clamp(2.0, 2_f64.powi(53));
            (n % most as u64).max(1) as f64 / 2_f64.powi(k as i32)
        });
        let powers = (-1_074..1_024).prop_map(|k| 2_f64.powi(k));
        let all = any::<u64>().prop_map(f64::from_bits).prop_filter("not a number", |v| v.is_finite());
        prop_oneof![4 => ties, 1 => powers, 2 => all.prop_map(f64::abs)].prop_filter("zero", |v| *v != 0.0)
    }

    proptest! {
        #[test]
        fn floats_are_as_exact_numbers_say(value in floats()) {
            let (digits, exponent) = shortest_by_trying(value);
            let text = repr(value);
            let (number, power) = text.split_once('e').unwrap_or((&text, "0"));
            let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
            let all = format!("{whole}{decimals}");
            let significant = all.trim_start_matches('0');
            let first = whole.len() as i32 - 1 - (all.len() - significant.len()) as i32;
            prop_assert_eq!(significant.trim_end_matches('0'), &digits);
            prop_assert_eq!(first + power.parse::<i32>().unwrap(), exponent);
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
