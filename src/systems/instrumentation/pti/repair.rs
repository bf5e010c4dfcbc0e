//! JSON whose strings were written without escapes: quotes and backslashes inside them are escaped here, as far as one can
//! tell them from those that end a string.

/// Escapes what was not. Hands out the text, and where in the old text each added backslash stands.
pub fn repair(text: &[u8]) -> (Vec<u8>, Vec<u64>) {
    let mut out = Vec::with_capacity(text.len() + 64);
    let mut added = Vec::new();
    let mut is_inside = false;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = text.get(at + 1..).unwrap_or(&[]);
        match (is_inside, byte) {
            (false, b'"') => is_inside = true,
            (true, b'"') if ends(rest) => is_inside = false,
            (true, b'"') => {
                added.push(at as u64);
                out.push(b'\\');
            }
            // What follows is escaped already: both bytes stay. A quote behind a backslash may still end the string.
            (true, b'\\') => match rest.first() {
                Some(b'\\' | b'/') => {
                    out.push(byte);
                    at += 1;
                    out.extend(text.get(at));
                    at += 1;
                    continue;
                }
                Some(b'"') if !ends(rest.get(1..).unwrap_or(&[])) => {
                    out.extend(b"\\\"");
                    at += 2;
                    continue;
                }
                _ => {
                    added.push(at as u64);
                    out.push(b'\\');
                }
            },
            _ => {}
        }
        out.push(byte);
        at += 1;
    }
    (out, added)
}

/// Whether a quote before these bytes ends its string: the end of a value, or the begin of the next, follows.
fn ends(rest: &[u8]) -> bool {
    let mut words = rest.iter().filter(|byte| !byte.is_ascii_whitespace());
    match words.next() {
        None | Some(b':' | b'}' | b']') => true,
        Some(b',') => {
            matches!(words.next(), Some(b'"' | b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') | None)
        }
        _ => false,
    }
}

/// The byte in the old text of one in the new.
pub fn before(added: &[u64], at: u64) -> u64 {
    // The n-th backslash stands n bytes further on in the new text.
    let n = added.iter().zip(0_u64..).take_while(|(old, n)| *old + n < at).count() as u64;
    at.saturating_sub(n)
}
