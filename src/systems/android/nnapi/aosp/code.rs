//! Layers, phases and application phases as the AOSP parser has them: any text may stand in a mark, only some of it is known.

use crate::base::map::Map;
use crate::systems::android::nnapi::mark::{Layer, Phase};

/// A layer or a phase: a row of [`Codes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(u32);

/// The known layers, at the numbers of their codes.
pub const LAYERS: [Layer; 8] = [
    Layer::Application,
    Layer::Runtime,
    Layer::Ipc,
    Layer::Driver,
    Layer::Cpu,
    Layer::Other,
    Layer::Utility,
    Layer::Ignored,
];

impl Code {
    /// Neither: the layer and the phase of a root, or a phase that nobody says.
    pub const NONE: Self = Self(u32::MAX);

    /// The code of a known layer.
    pub const fn layer(layer: Layer) -> Self {
        Self(layer as u32)
    }

    /// The code of a known phase.
    pub const fn phase(phase: Phase) -> Self {
        Self(LAYERS.len() as u32 + phase as u32)
    }

    /// The layer it stands for; `None` when it is no known layer.
    pub fn as_layer(self) -> Option<Layer> {
        LAYERS.get(self.0 as usize).copied()
    }

    /// The phase it stands for; `None` when it is no known phase.
    pub fn as_phase(self) -> Option<Phase> {
        Phase::ALL.get((self.0 as usize).wrapping_sub(LAYERS.len())).copied()
    }
}

/// The texts of all codes.
pub struct Codes {
    names: Vec<String>,
    by_name: Map<String, Code>,
}

impl Default for Codes {
    fn default() -> Self {
        let mut codes = Self { names: Vec::new(), by_name: Map::default() };
        for name in LAYERS.iter().map(|l| l.code()).chain(Phase::ALL.iter().map(|p| p.code())) {
            codes.code(name);
        }
        codes
    }
}

impl Codes {
    /// The code of a text, new or old.
    pub fn code(&mut self, name: &str) -> Code {
        if let Some(code) = self.by_name.get(name) {
            return *code;
        }
        let code = Code(self.names.len() as u32);
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), code);
        code
    }

    /// The text, such as `LR` or `PE`; `None`, as Python writes it, for no code.
    pub fn name(&self, code: Code) -> &str {
        self.names.get(code.0 as usize).map_or("None", String::as_str)
    }
}

/// What an application does at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AppPhase {
    /// `PO`: neither of the loops began yet.
    #[default]
    Overall,
    /// `PWU`: the loop that warms up, and everything until the next loop begins.
    Warmup,
    /// `PBM`: the loop that is measured, and everything behind it.
    Benchmark,
}

impl AppPhase {
    /// All, in the order of the sums.
    pub const ALL: [Self; 3] = [Self::Overall, Self::Warmup, Self::Benchmark];

    /// Its letters.
    pub fn code(self) -> &'static str {
        match self {
            Self::Overall => "PO",
            Self::Warmup => "PWU",
            Self::Benchmark => "PBM",
        }
    }

    /// Its place in [`AppPhase::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}
