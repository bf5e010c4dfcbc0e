//! A color scheme and a search prefix: slices by their unit. The reader gives each slice the unit as its color name; both
//! see nothing else of it.

use crate::analysis::timeline::search::SearchPrefix;
use crate::base::words::phrase;
use crate::draw::colors::filled;
use crate::draw::scheme::{ColorScheme, Legend};
use crate::scene::palette::Ink;

/// The scheme. The reader sets it as what suits the trace best, and so it is offered for traces of this system only.
pub(super) static UNITS: ColorScheme = ColorScheme {
    id: "demo-unit",
    title: phrase("Unit"),
    page_title: None,
    applies: |trace| trace.coloring.best == UNITS.id,
    paint: |_, unit| filled(Ink::Slice(KINDS[kind(unit)].1)),
    legend: Some(legend),
    of_key: None,
};

/// Units with colors of their own, then all others: names, slice colors, what the legend says.
const KINDS: [(&str, u8, &str); 3] = [
    ("vector", 1, phrase("Vector units")),
    ("cube", 4, phrase("Cube units")),
    ("", 9, phrase("Other units")),
];

/// Where the unit stands in [`KINDS`].
fn kind(unit: &str) -> usize {
    KINDS.iter().position(|(name, ..)| *name == unit).unwrap_or(KINDS.len() - 1)
}

/// The kinds that occur.
fn legend(units: &mut dyn Iterator<Item = &str>) -> Legend {
    let used: Vec<usize> = units.map(kind).collect();
    let occurs = KINDS.iter().enumerate().filter(|(at, _)| used.contains(at));
    occurs.map(|(_, &(_, color, title))| (Ink::Slice(color), title)).collect()
}

/// `unit:vector` finds the slices of a unit.
pub(super) static BY_UNIT: SearchPrefix =
    SearchPrefix { prefix: "unit:", color_names: |text| vec![text.trim().to_owned()] };
