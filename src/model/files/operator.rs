//! Operators of a project: what a folder of many results holds, told without reading it all.

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
}
