//! Text of files on a terminal: what would move the cursor, ring, or turn the writing around is told, not done.

use std::borrow::Cow;

/// Whether a character turns the direction of what follows.
pub fn is_turning(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character ends a line or paragraph for some programs only: what follows would look like a line of ours.
fn is_end(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

/// Bytes of a file as a terminal may show them: control characters as [`visible`] tells them, what is no text as `\u{fffd}`.
pub fn for_terminal(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(&visible(&chunk.valid().replace("\r\n", "\n")));
        if !chunk.invalid().is_empty() {
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }
    out
}

/// A text on one line of the command line: an end of a line in it, of a name, as `\n` or `\r`. What stood behind it would
/// look like a line of ours.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r']) {
        text.replace('\n', "\\n").replace('\r', "\\r").into()
    } else {
        text.into()
    }
}

/// A name as it stands in a sentence on the page: a sign of direction as `‹U+202E›`, or the rest of the sentence would turn
/// around.
pub fn turned_told(text: &str) -> Cow<'_, str> {
    told(text, is_turning, |c| format!("‹U+{:04X}›", u32::from(c)))
}

/// The text with control characters, but for tabs and ends of lines, other ends of lines, and signs of direction as `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_told = |c: char| is_turning(c) || is_end(c) || c.is_control() && !matches!(c, '\n' | '\t');
    told(text, is_told, |c| format!("\\u{{{:x}}}", u32::from(c)))
}

/// The text with what stands for some of its characters.
fn told(text: &str, is_told: impl Fn(char) -> bool, instead: impl Fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(&is_told) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_told(c) {
            out.push_str(&instead(c));
        } else {
            out.push(c);
        }
    }
    out.into()
}
