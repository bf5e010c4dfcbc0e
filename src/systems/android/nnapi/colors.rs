//! The color scheme of layers: one color each, shaded by phase; hatched where time is taken from what is around, thin where
//! a scope only details it. And the search for scopes by layer and phase.

use super::mark::{Layer, Part, Phase, Tint};
use crate::analysis::timeline::search::SearchPrefix;
use crate::base::words::phrase;
use crate::draw::colors::{Paint, filled};
use crate::draw::scheme::{ColorScheme, Legend};
use crate::scene::SpanStyle;
use crate::scene::palette::Ink;

/// The scheme.
pub static LAYERS: ColorScheme = ColorScheme {
    id: "layer",
    title: phrase("Layer"),
    page_title: None,
    applies: |trace| trace.coloring.best == LAYERS.id,
    paint: |_, color| paint(color),
    legend: Some(legend),
    of_key: None,
};

/// By the layer and phase of a color name; slices of nothing that has layers are gray.
fn paint(color: &str) -> Paint {
    let Some(tint) = Tint::of(color) else { return filled(Ink::Shade("nn-other", 60)) };
    let look = if tint.part == Part::Subtracted { SpanStyle::Hatched } else { SpanStyle::Plain };
    let is_thin = tint.part == Part::Detail;
    Paint { look, is_thin, ..filled(Ink::Shade(tint.layer.token(), tint.phase.shade())) }
}

/// The layers among color names, from the top down.
fn legend(colors: &mut dyn Iterator<Item = &str>) -> Legend {
    let used: Vec<Layer> = colors.filter_map(|color| Some(Tint::of(color)?.layer)).collect();
    let all = Layer::REPORTED.into_iter().filter(|layer| used.contains(layer));
    all.map(|layer| (Ink::Token(layer.token()), layer.title())).collect()
}

/// In front of a layer and a phase: `scope:LR PE`; with a star behind an execution its parts are found too.
pub static SCOPES: SearchPrefix = SearchPrefix { prefix: "scope:", color_names };

/// The color names of the scopes that a text names.
fn color_names(text: &str) -> Vec<String> {
    let (name, has_parts) = text.strip_suffix('*').map_or((text, false), |name| (name, true));
    let Some(tint) = Tint::of(name.trim()) else { return vec![name.trim().to_owned()] };
    let parts = Phase::ALL.into_iter().filter(|phase| has_parts && phase.is_part_of_execution());
    std::iter::once(tint.phase).chain(parts).map(|phase| Tint { phase, ..tint }.name()).collect()
}
