//! The colors of layers: one each, shaded by phase; hatched where time is taken from what is around, thin where a scope
//! only details it.

use super::colors::{Paint, on_ground};
use crate::scene::SpanLook;
use crate::scene::palette::Ink;
use crate::systems::android::nnapi::mark::{Layer, Part, Tint};

/// By the layer and phase of a color name; slices of nothing that has layers are grey.
pub(super) fn paint(color: &str) -> Paint {
    let Some(tint) = Tint::of(color) else { return on_ground(Ink::Shade("nn-other", 60)) };
    let look = if tint.part == Part::Subtracted { SpanLook::Hatched } else { SpanLook::Plain };
    let is_thin = tint.part == Part::Detail;
    Paint { look, is_thin, ..on_ground(Ink::Shade(tint.layer.token(), tint.phase.shade())) }
}

/// The layers among color names, from the top down, with their titles in English.
pub(super) fn legend<'a>(colors: impl Iterator<Item = &'a str>) -> Vec<(Ink, String)> {
    let used: Vec<Layer> = colors.filter_map(|color| Some(Tint::of(color)?.layer)).collect();
    let all = Layer::REPORTED.into_iter().filter(|layer| used.contains(layer));
    all.map(|layer| (Ink::Token(layer.token()), layer.title().to_owned())).collect()
}
