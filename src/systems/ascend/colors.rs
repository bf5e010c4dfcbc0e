//! The colors of MindStudio Insight, for who knows its pictures: slices, counters and flows by the sum of the characters of
//! their color names or names; cores by level and memory charts by the tokens of `[data-colors="mindstudio"]`.

use crate::base::words::phrase;
use crate::draw::colors::filled;
use crate::draw::scheme::ColorScheme;
use crate::scene::palette::Ink;

/// The scheme.
pub static MINDSTUDIO: ColorScheme = ColorScheme {
    id: "mindstudio",
    title: phrase("MindStudio"),
    page_title: Some(phrase("MindStudio colors")),
    applies: |trace| trace.coloring.has_color_names,
    paint: |name, color| filled(ink(if color.is_empty() { name } else { color })),
    legend: None,
    of_key: Some(ink),
};

/// Its palette, in its order.
pub const INKS: [Ink; 12] = [
    Ink::Token("ms-0"),
    Ink::Token("ms-1"),
    Ink::Token("ms-2"),
    Ink::Token("ms-3"),
    Ink::Token("ms-4"),
    Ink::Token("ms-5"),
    Ink::Token("ms-6"),
    Ink::Token("ms-7"),
    Ink::Token("ms-8"),
    Ink::Token("ms-9"),
    Ink::Token("ms-10"),
    Ink::Token("ms-11"),
];

/// The color of a color name: 31 × the sum of its characters, modulo 12.
pub fn ink(key: &str) -> Ink {
    INKS[key.encode_utf16().map(|unit| 31 * usize::from(unit)).sum::<usize>() % 12]
}
