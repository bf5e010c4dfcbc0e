//! The column of code: tokens in quiet colors, search marks, and a fade where a line is cut.

use super::{ColumnPlace, Layout, SeenRow, View};
use crate::analysis::code::find_in;
use crate::analysis::code::syntax::{Class, Token};
use crate::base::geometry::{Point, Px, Rect};
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Align, Font, Scene, Shape};

/// Columns to the next stop of a tab.
const TAB: usize = 4;
/// Width of the fade at the end of a line that is cut.
const FADE: u32 = 12;

pub(super) fn code_column(
    scene: &mut Scene,
    view: &View,
    layout: &Layout,
    rows: &[SeenRow],
    palette: &Palette,
) {
    let Some(place) = layout.code() else { return };
    let x = place.x - view.frame.left;
    let left_edge = x.max(layout.frozen);
    let right_edge = x + place.w;
    scene.shapes.push(Shape::Clip(Rect::new(
        left_edge,
        0.0,
        (right_edge - left_edge).max(0.0),
        scene.size.h,
    )));
    let mut fades = Vec::with_capacity(rows.len() * FADE as usize);
    for (row, tokens) in rows.iter().zip(view.tokens) {
        let line = view.listing.lines.get(row.at);
        if let Some(query) = &view.frame.search {
            for hit in find_in(line, query) {
                let from = x + advance(&line[..hit.start], 0, view.frame.char_px).0;
                let to = x + advance(&line[..hit.end], 0, view.frame.char_px).0;
                let mark = Rect::new(from - 1.0, row.y + 2.0, to - from + 2.0, view.frame.row_px - 4.0);
                scene.shapes.push(Shape::Fill { rect: mark, radius: 2.0, ink: Ink::Token("wash") });
                let stroke = crate::scene::Stroke::new(Ink::Token("sel-line"), 1.0);
                scene.shapes.push(Shape::Outline { rect: mark, radius: 2.0, stroke });
            }
        }
        let end = line_of_tokens(scene, view, row, line, tokens, x, (left_edge, right_edge));
        let ground = if right_edge < end { palette.rgba(row.ground) & 0xffff_ff00 } else { 0 };
        fades.extend((1..=FADE).map(|i| if ground == 0 { 0 } else { ground | (i * 255 / FADE) }));
    }
    if let Some(first) = rows.first() {
        // One picture for all rows: the ground of each, growing from nothing, over the end of a line that is cut.
        let height = rows.len() as Px * view.frame.row_px;
        let rect = Rect::new(right_edge - FADE as Px, first.y, FADE as Px, height);
        scene.shapes.push(Shape::Cells { rect, width: FADE, height: rows.len() as u32, colors: fades });
    }
    scene.shapes.push(Shape::Unclip);
}

/// Writes a line; returns where it ends. What lies outside the column is passed over: lines may be very long.
fn line_of_tokens(
    scene: &mut Scene,
    view: &View,
    row: &SeenRow,
    line: &str,
    tokens: &[Token],
    x: Px,
    (left_edge, right_edge): (Px, Px),
) -> Px {
    let y = row.baseline(view.frame.row_px, 12.0);
    let (mut px, mut column, mut at) = (0.0, 0, 0);
    for token in tokens {
        let (start, end) = (token.start as usize, token.end as usize);
        let Some(between) = line.get(at..start) else { continue };
        let (w, n) = advance(between, column, view.frame.char_px);
        (px, column) = (px + w, column + n);
        let Some(text) = line.get(start..end) else { continue };
        if right_edge < x + px {
            return x + px;
        }
        let (w, n) = advance(text, column, view.frame.char_px);
        if left_edge <= x + px + w {
            let most = ((right_edge - x - px) / view.frame.char_px.max(1.0)).max(0.0) as usize + 2;
            let shown: String = expanded(text, column).chars().take(most).collect();
            scene.text(Point { x: x + px, y }, shown, Font::mono(12.0), ink(token.class), Align::Left);
        }
        (px, column, at) = (px + w, column + n, end);
    }
    x + px
}

fn ink(class: Class) -> Ink {
    Ink::Token(match class {
        Class::Plain => "t1",
        Class::Key => "c-key",
        Class::Type => "c-type",
        Class::Function => "c-fn",
        Class::Number => "c-num",
        Class::Text => "c-str",
        Class::Comment => "c-com",
        Class::Directive => "c-pre",
        Class::Operand => "t2",
    })
}

/// Width in pixels and in columns of a text that begins at a column; tabs go to the next stop.
fn advance(text: &str, column: usize, char_px: Px) -> (Px, usize) {
    if text.is_ascii() && !text.contains('\t') {
        return (text.len() as Px * char_px, text.len());
    }
    let mut at = column;
    let mut px = 0.0;
    for c in text.chars() {
        let (n, w) = match c {
            '\t' => (TAB - at % TAB, (TAB - at % TAB) as Px * char_px),
            c if is_wide(c) => (2, 12.0), // a full square of the face that stands in for Chinese
            _ => (1, char_px),
        };
        at += n;
        px += w;
    }
    (px, at - column)
}

/// Width in pixels of a line of code.
pub fn text_width(text: &str, char_px: Px) -> Px {
    advance(text, 0, char_px).0
}

/// Whether an end of a line that is not blank lies out of sight: behind what stands still at the left, at the right edge of
/// the column of code, or behind the columns that stay at the right edge, where `edges` are. `left` is how far it is
/// scrolled sideways.
pub fn is_line_cut(edges: (Px, Px), code: &ColumnPlace, left: Px, line: &str, char_px: Px) -> bool {
    let (line, x) = (line.trim_end(), code.x - left);
    let first = line.len() - line.trim_start().len();
    let [from, to] = [line.get(..first).unwrap_or(""), line].map(|text| x + text_width(text, char_px));
    !line.is_empty() && (from < edges.0 || (x + code.w).min(edges.1) < to)
}

/// The text with blanks for tabs.
fn expanded(text: &str, column: usize) -> String {
    if !text.contains('\t') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut at = column;
    for c in text.chars() {
        if c == '\t' {
            let n = TAB - at % TAB;
            out.extend(std::iter::repeat_n(' ', n));
            at += n;
        } else {
            out.push(c);
            at += 1;
        }
    }
    out
}

/// Whether a character takes a full square: Chinese, Japanese, Korean and full-width signs.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c),
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe4f | 0xff00..=0xff60
        | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd)
}
