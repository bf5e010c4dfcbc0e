//! Text of files on a terminal: what would move the cursor, ring, or turn the writing around is told, not done.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character turns the direction of what follows.
pub fn is_turning(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with control characters, but for tabs and ends of lines, and signs of direction as `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_told = |c: char| is_turning(c) || c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(is_told) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_told(c) {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c)); // writing into a String never fails
        } else {
            out.push(c);
        }
    }
    out.into()
}
