//! Operators of a project: what a folder of many results holds, told without reading it all.

use crate::base::unit::Unit;
use crate::model::figure::Number;
use serde::{Deserialize, Serialize};

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
    /// Its type, such as `vector`; empty when the files do not say.
    pub kind: String,
    /// How many blocks it was split into.
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

/// One number of an operator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// What it is, an English phrase or a name of the files.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
    /// The number.
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
    /// A measure by its name.
    pub fn measure(&self, name: &str) -> Number {
        self.measures.iter().find(|measure| measure.name == name).map(|measure| measure.value)
    }
}
