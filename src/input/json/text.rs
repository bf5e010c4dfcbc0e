//! Text of JSON: what a string says, and JSON without blanks. For every reader and export of JSON.

use std::borrow::Cow;

/// What the bytes between two quotes say. Never fails: bad bytes and lone surrogates become U+FFFD, an escape that does
/// not exist stays as it is written. Borrows when there is nothing to change.
pub fn unescape(raw: &[u8]) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', raw) else { return String::from_utf8_lossy(raw) };
    let mut out = Vec::with_capacity(raw.len());
    let (mut head, mut rest) = raw.split_at(first);
    loop {
        out.extend_from_slice(head);
        rest = escape(rest, &mut out);
        if rest.is_empty() {
            break;
        }
        (head, rest) = rest.split_at(memchr::memchr(b'\\', rest).unwrap_or(rest.len()));
        if rest.is_empty() {
            out.extend_from_slice(head);
            break;
        }
    }
    Cow::Owned(match String::from_utf8(out) {
        Ok(text) => text,
        Err(bad) => String::from_utf8_lossy(bad.as_bytes()).into_owned(),
    })
}

/// Writes what the escape at the head of `rest` means and returns what follows it.
fn escape<'a>(rest: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let after = rest.get(2..).unwrap_or(&[]);
    let plain = match rest.get(1) {
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(&c @ (b'"' | b'\\' | b'/')) => c,
        Some(b'u') => return unicode(after, out),
        _ => {
            // Not an escape of JSON (a path with single backslashes, mostly): both characters are meant.
            out.push(b'\\');
            return rest.get(1..).unwrap_or(&[]);
        }
    };
    out.push(plain);
    after
}

/// The character of the four digits after `\u`, with the second half of a pair when there is one.
fn unicode<'a>(digits: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let Some(first) = hex4(digits) else {
        out.extend_from_slice(b"\\u");
        return digits;
    };
    let mut rest = digits.get(4..).unwrap_or(&[]);
    let mut code = first;
    if (0xD800..0xDC00).contains(&first)
        && rest.starts_with(b"\\u")
        && let Some(second) = rest.get(2..).and_then(hex4)
        && (0xDC00..0xE000).contains(&second)
    {
        code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        rest = rest.get(6..).unwrap_or(&[]);
    }
    let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    rest
}

fn hex4(digits: &[u8]) -> Option<u32> {
    let four = digits.get(..4)?;
    four.iter().try_fold(0, |code, &b| Some(code * 16 + char::from(b).to_digit(16)?))
}

/// JSON without the blanks between its tokens; strings and digits stay byte for byte. Works on damaged text too.
pub fn minify(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    let (mut is_text, mut is_escaped) = (false, false);
    for &b in json {
        if is_text {
            out.push(b);
            is_text = is_escaped || b != b'"';
            is_escaped = !is_escaped && b == b'\\';
        } else if !matches!(b, b' ' | b'\t' | b'\n' | b'\r') {
            out.push(b);
            is_text = b == b'"';
        }
    }
    out
}
