//! Names and values in the text of an address: `view=timeline&line=a%2Fb.h:12`. Used for the hash and the query of a URL.

/// Splits `name=value&name=value`; values are decoded, damaged escapes stay as they are. Names may repeat.
pub fn split(text: &str) -> Vec<(String, String)> {
    let text = text.trim_start_matches(['#', '?']);
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        })
        .collect()
}

/// Joins names and values; everything that could be misread in an address is escaped.
pub fn join<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let pairs = pairs.into_iter().map(|(name, value)| format!("{}={}", encode(name), encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}

fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'-'
            | b'_'
            | b'.'
            | b'~'
            | b':'
            | b','
            | b'/'
            | b';'
            | b'@' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let escaped = (byte == b'%').then(|| tail.get(..2)).flatten().and_then(|hex| {
            let hex = std::str::from_utf8(hex).ok()?;
            u8::from_str_radix(hex, 16).ok()
        });
        if let Some(escaped) = escaped {
            bytes.push(escaped);
            rest = tail.get(2..).unwrap_or_default();
        } else {
            bytes.push(if byte == b'+' { b' ' } else { byte });
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_is_split_again() {
        let pairs = [("view", "timeline"), ("line", "op kernel/fä&=#%.h:12"), ("empty", "")];
        let split = split(&join(pairs));
        assert_eq!(split, pairs.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn damaged_escapes_stay() {
        assert_eq!(split("#a=%zz%4&b"), [("a".into(), "%zz%4".into()), ("b".into(), String::new())]);
    }
}
