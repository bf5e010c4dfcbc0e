//! How wide a text is, without a screen: an estimate by classes of characters, on the wide side, so that what is said
//! to fit does fit. For labels in slices, cells, margins and axes.
//!
//! The interface face differs from system to system; digits are tabular everywhere. Measured against common system
//! faces the estimate is between 0 and 12 % too wide.

use super::shape::Font;
use crate::base::brief::edge_before;
use crate::base::geometry::Px;
use std::borrow::Cow;

/// Fewest characters (before the `…`) that a cut label must keep to be drawn at all.
pub const LEAST_CHARS: usize = 4;
/// Labels are drawn from this width on.
pub const LEAST_WIDTH: Px = 22.0;

/// Width of a text in CSS pixels.
pub fn width(text: &str, font: Font) -> Px {
    text.chars().map(|c| advance(c, font)).sum()
}

/// Width of one character in CSS pixels.
pub fn advance(c: char, font: Font) -> Px {
    let em = if is_wide(c) {
        1.0
    } else if is_zero(c) {
        0.0
    } else if font.is_mono {
        0.605
    } else {
        let weight = if 600 <= font.weight { 1.06 } else { 1.0 };
        weight * proportional(c)
    };
    em * font.size
}

/// The text if it fits into `room`, else its beginning with `…` behind it.
pub fn cut_end(text: &str, font: Font, room: Px) -> Cow<'_, str> {
    let Some(kept) = head_that_fits(text, font, room) else { return Cow::Borrowed(text) };
    Cow::Owned(format!("{}…", text[..kept].trim_end()))
}

/// The text if it fits into `room`, else its beginning and end with `…` between them: for paths and names.
pub fn cut_middle(text: &str, font: Font, room: Px) -> Cow<'_, str> {
    if width(text, font) <= room {
        return Cow::Borrowed(text);
    }
    let room = room - advance('…', font);
    let (mut head, mut tail) = (0, text.len());
    let mut used = 0.0;
    // From both ends by turns, the end first: it tells paths apart.
    for turn in 0.. {
        let next = if turn % 2 == 0 {
            text[head..tail].chars().next_back()
        } else {
            text[head..tail].chars().next()
        };
        let Some(c) = next else { break };
        used += advance(c, font);
        if room < used {
            break;
        }
        if turn % 2 == 0 {
            tail -= c.len_utf8();
        } else {
            head += c.len_utf8();
        }
    }
    Cow::Owned(format!("{}…{}", &text[..head], &text[tail..]))
}

/// The text if it fits into `room`, else the parts of it that are kept, behind as much of its beginning as has room.
pub fn cut_around<'a>(text: &'a str, kept: &[(u32, u32)], font: Font, room: Px) -> Cow<'a, str> {
    if width(text, font) <= room {
        return Cow::Borrowed(text);
    }
    let mut rest = String::new();
    let first = kept.first().map_or(0, |part| part.0 as usize);
    let mut at = 0;
    for &(from, to) in kept {
        if at < from as usize {
            rest.push('…');
        }
        at = to as usize;
        rest.push_str(text.get(from as usize..at).unwrap_or_default());
    }
    if at < text.len() {
        rest.push('…');
    }
    let mut left = room - width(&rest, font);
    let begins = |c: &char| {
        left -= advance(*c, font);
        0.0 <= left
    };
    let mut head: String = text.get(..first).unwrap_or_default().chars().take_while(begins).collect();
    // Words and numbers are not cut, where that leaves enough of the beginning.
    if head.len() < first
        && let Some(edge) = edge_before(text, head.len()).filter(|edge| head.len() <= *edge * 2)
    {
        head.truncate(edge);
    }
    // All of the beginning is there: nothing is left out behind it.
    let rest = if head.len() == first { rest.trim_start_matches('…') } else { &rest };
    let all = head + rest;
    Cow::Owned(cut_end(&all, font, room).into_owned())
}

/// A label inside a shape of this width: whole, cut, or `None` when fewer than [`LEAST_CHARS`] characters would remain
/// or the shape is narrower than [`LEAST_WIDTH`].
pub fn label(text: &str, font: Font, room: Px) -> Option<Cow<'_, str>> {
    if room < LEAST_WIDTH {
        return None;
    }
    let cut = cut_end(text, font, room);
    match &cut {
        Cow::Owned(short) if short.chars().count() <= LEAST_CHARS => None,
        _ => Some(cut),
    }
}

/// Bytes of the beginning that fits together with `…`; `None` when the whole text fits.
fn head_that_fits(text: &str, font: Font, room: Px) -> Option<usize> {
    let dots = advance('…', font);
    let (mut used, mut kept) = (0.0, 0);
    for (at, c) in text.char_indices() {
        used += advance(c, font);
        if room < used {
            return Some(kept);
        }
        if used + dots <= room {
            kept = at + c.len_utf8();
        }
    }
    None
}

/// Characters that take a whole em: CJK, full-width forms, kana, hangul, emoji.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c),
        0x1100..=0x115f | 0x2e80..=0x303e | 0x3041..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff
        | 0xfe30..=0xfe4f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd)
}

/// Characters without width: joiners and marks above others.
fn is_zero(c: char) -> bool {
    c.is_control() || matches!(u32::from(c), 0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f | 0xfeff)
}

/// Share of the em in the interface face.
fn proportional(c: char) -> Px {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' => 0.26,
        '.' | ',' | ':' | ';' | '!' | ' ' | '·' => 0.30,
        'I' | 'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '{' | '}' | '/' | '\\' | '"' | '`' => 0.38,
        '-' | '°' | '*' => 0.44,
        's' | 'c' | 'k' | 'v' | 'x' | 'y' | 'z' | 'J' => 0.55,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' | '—' => 0.90,
        '+' | '<' | '=' | '>' | '~' | '^' | '−' | '×' | '≥' | '≤' | '→' | '←' => 0.66,
        'A'..='Z' => 0.70,
        '0'..='9' | 'a'..='z' | '_' | '#' | '$' | '&' | '?' | '–' => 0.61,
        _ => 0.66,
    }
}
