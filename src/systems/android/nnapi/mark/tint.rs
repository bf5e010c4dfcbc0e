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

impl Layer {
    /// The token of its color.
    pub fn token(self) -> &'static str {
        match self {
            Self::Application => "nn-la",
            Self::Runtime => "nn-lr",
            Self::Ipc => "nn-li",
            Self::Driver => "nn-ld",
            Self::Cpu => "nn-lc",
            Self::Other | Self::Utility | Self::Ignored => "nn-other",
        }
    }

    /// The same color in the palette of slices.
    pub fn color(self) -> u8 {
        match self {
            Self::Application => 4,
            Self::Runtime => 1,
            Self::Ipc => 2,
            Self::Driver => 3,
            Self::Cpu => 8,
            Self::Other | Self::Utility | Self::Ignored => 9,
        }
    }
}

impl Phase {
    /// How much of the ground is in the color of a layer here, in percent: what lasts long and holds others is pale,
    /// computing is full.
    pub fn shade(self) -> u8 {
        match self {
            Self::Overall => 72,
            Self::Warmup => 64,
            Self::Benchmark => 56,
            Self::Initialization | Self::Termination | Self::Unspecified => 45,
            Self::Preparation => 38,
            Self::InputsOutputs | Self::Results => 36,
            Self::Compilation => 28,
            Self::Transformation => 24,
            Self::Execution => 14,
            Self::Computation => 0,
        }
    }
}
