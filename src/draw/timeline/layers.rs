//! The colors of layers: one each, shaded by phase; hatched where time is taken from what is around, thin where a scope
//! only details it.

use super::colors::{Paint, on_ground};
use crate::model::mark::{Layer, Part, Phase, Tint};
use crate::scene::SpanLook;
use crate::scene::palette::Ink;

/// By the layer and phase of a color name; slices of nothing that has layers are grey.
pub(super) fn paint(color: &str) -> Paint {
    let Some(tint) = Tint::of(color) else { return on_ground(Ink::Shade("nn-other", 60)) };
    let look = if tint.part == Part::Subtracted { SpanLook::Hatched } else { SpanLook::Plain };
    let is_thin = tint.part == Part::Detail;
    Paint { look, is_thin, ..on_ground(Ink::Shade(token(tint.layer), shade(tint.phase))) }
}

/// The layers among color names, from the top down, with their titles in English.
pub(super) fn legend<'a>(colors: impl Iterator<Item = &'a str>) -> Vec<(Ink, String)> {
    let used: Vec<Layer> = colors.filter_map(|color| Some(Tint::of(color)?.layer)).collect();
    let all = Layer::REPORTED.into_iter().filter(|layer| used.contains(layer));
    all.map(|layer| (Ink::Token(token(layer)), layer.title().to_owned())).collect()
}

/// The token of a layer.
fn token(layer: Layer) -> &'static str {
    match layer {
        Layer::Application => "nn-la",
        Layer::Runtime => "nn-lr",
        Layer::Ipc => "nn-li",
        Layer::Driver => "nn-ld",
        Layer::Cpu => "nn-lc",
        Layer::Other | Layer::Utility | Layer::Ignored => "nn-other",
    }
}

/// How much of the ground is in the color of a phase, in percent: what lasts long and holds others is pale, computing is full.
fn shade(phase: Phase) -> u8 {
    match phase {
        Phase::Overall => 72,
        Phase::Warmup => 64,
        Phase::Benchmark => 56,
        Phase::Initialization | Phase::Termination | Phase::Unspecified => 45,
        Phase::Preparation => 38,
        Phase::Compilation => 28,
        Phase::InputsOutputs | Phase::Results => 36,
        Phase::Transformation => 24,
        Phase::Execution => 14,
        Phase::Computation => 0,
    }
}
