//! What files are made of: blocks of containers, operators of projects.

use crate::base::unit::Unit;
use crate::base::words::{Message, phrase};
use crate::model::figure::Number;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Something that files of a format can hold and these do not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Missing {
    /// Id of the view or the figure that would show it.
    pub id: String,
    /// What a person calls it, an English phrase of `base::words`.
    pub title: String,
    /// Why it is not there and how to get it, in one sentence.
    pub why: Message,
}

// Blocks: what a container file is made of, known and unknown, for the report and for raw exports.

/// What became of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockState {
    /// Its contents are in the trace.
    Read,
    /// It is known; its view follows in a later version.
    ViewFollows,
    /// Its type is not known.
    Unknown,
    /// Another copy of the same thing counts instead.
    Superseded,
    /// It was damaged; what could be read is in the trace.
    Damaged,
}

/// One block of a container.
#[derive(Clone, Debug)]
pub struct Block {
    /// Number of the entry of the bundle.
    pub entry: u32,
    /// Where its header begins.
    pub offset: u64,
    /// Type number.
    pub kind: u32,
    /// Name of the type.
    pub name: String,
    /// Size of the content as the header says, with padding.
    pub content_size: u64,
    /// Zero bytes at its tail.
    pub padding: u8,
    pub version: u8,
    /// Path, for sources.
    pub path: Option<String>,
    /// Bytes of the payload in the entry, cut to what is there.
    pub payload: Range<u64>,
    /// Whether the payload is binary (never JSON or text).
    pub is_binary: bool,
    pub state: BlockState,
}

// Operators of a project: what a folder of many results holds, told without reading it all.

/// One operator of a project, as far as its head tells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OperatorHead {
    /// The folder it lies in: names it in its project.
    pub path: String,
    /// Its name; empty when the files do not say.
    pub name: String,
    /// The chip it ran on; empty when the files do not say.
    pub chip: String,
    /// What it is a result of, such as the launch of a kernel: `2 softmax`; empty when the files do not say.
    pub launch: String,
    /// The symbol of that kernel, where its name is written out; else empty.
    pub symbol: String,
    /// Its type, such as `vector`; empty when the files do not say.
    pub kind: String,
    /// How many blocks it was split into, where its tool calls that so; else it is the measure [`BLOCKS`].
    pub block_dim: Number,
    /// How long it took, in microseconds.
    pub duration: Number,
    /// The clock it ran at, in megahertz.
    pub clock: Number,
    /// The clock the chip is rated at, in megahertz.
    pub rated_clock: Number,
    /// What one compares of operators, as far as files tell it without being read whole.
    pub measures: Vec<Measure>,
}

/// Name of the measure that says how many blocks an operator was split into.
pub const BLOCKS: &str = phrase("Blocks");

/// One number of an operator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// What it is, an English phrase or a name of the files.
    pub name: String,
    pub unit: Unit,
    pub value: f64,
}

/// Names and units of the measures that any of these operators has, in order of first use.
pub fn measures_of<'a>(heads: impl IntoIterator<Item = &'a OperatorHead>) -> Vec<(String, Unit)> {
    let mut all: Vec<(String, Unit)> = Vec::new();
    for measure in heads.into_iter().flat_map(|head| &head.measures) {
        if all.iter().all(|(name, _)| *name != measure.name) {
            all.push((measure.name.clone(), measure.unit.clone()));
        }
    }
    all
}

impl OperatorHead {
    /// How many blocks it was split into, whatever its tool calls that.
    pub fn blocks(&self) -> Number {
        self.block_dim.or_else(|| self.measure(BLOCKS))
    }

    /// What it is a result of as files have it: with the symbol of its kernel.
    pub fn written(&self) -> String {
        match self.launch.split_once(' ').filter(|_| !self.symbol.is_empty()) {
            Some((number, _)) => format!("{number} {}", self.symbol),
            None => self.launch.clone(),
        }
    }

    /// A measure by its name.
    pub fn measure(&self, name: &str) -> Number {
        self.measures.iter().find(|measure| measure.name == name).map(|measure| measure.value)
    }
}
