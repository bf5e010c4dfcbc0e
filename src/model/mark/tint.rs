//! How a scope of the NNAPI contract is drawn, as the color name of its slice: `LR PE`, `LR PE sub`, `LC PCO detail`.

use super::{Layer, Phase};

/// What decides how a scope is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tint {
    /// Decides the color.
    pub layer: Layer,
    /// Decides how bright it is.
    pub phase: Phase,
    /// How it counts.
    pub part: Part,
}

/// How a scope counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// By itself.
    #[default]
    Counted,
    /// Its time is taken from the scopes around it: hatched.
    Subtracted,
    /// It only details the scope around it, of the same layer: thin.
    Detail,
}

impl Tint {
    /// The color name.
    pub fn name(self) -> String {
        let part = match self.part {
            Part::Counted => "",
            Part::Subtracted => " sub",
            Part::Detail => " detail",
        };
        format!("{} {}{part}", self.layer.code(), self.phase.code())
    }

    /// The token of its color: one for each layer.
    pub fn token(self) -> &'static str {
        match self.layer {
            Layer::Application => "nn-la",
            Layer::Runtime => "nn-lr",
            Layer::Ipc => "nn-li",
            Layer::Driver => "nn-ld",
            Layer::Cpu => "nn-lc",
            Layer::Other | Layer::Utility | Layer::Ignored => "nn-other",
        }
    }

    /// How much of the ground is mixed into that color, in percent: what lasts long and holds others is pale.
    pub fn shade(self) -> u8 {
        match self.phase {
            Phase::Overall => 72,
            Phase::Warmup => 64,
            Phase::Benchmark => 56,
            Phase::Initialization | Phase::Termination | Phase::Unspecified => 45,
            Phase::Preparation => 38,
            Phase::InputsOutputs | Phase::Results => 36,
            Phase::Compilation => 28,
            Phase::Transformation => 24,
            Phase::Execution => 14,
            Phase::Computation => 0,
        }
    }

    /// What a color name says; `None` for color names of others.
    pub fn of(name: &str) -> Option<Self> {
        let mut words = name.split(' ');
        let layer = Layer::of(words.next()?)?;
        let phase = Phase::of(words.next()?)?;
        let part = match words.next() {
            None => Part::Counted,
            Some("sub") => Part::Subtracted,
            Some("detail") => Part::Detail,
            Some(_) => return None,
        };
        Some(Self { layer, phase, part })
    }
}
