//! How a block schedule is shown, which decides the rows of its blocks too.

use serde::{Deserialize, Serialize};

/// How units are aligned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Align {
    /// Each unit from its first block.
    #[default]
    First,
    /// Clocks as they are.
    Raw,
    /// By a timer that all units share.
    Timer,
}

/// What decides the colors of blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColorBy {
    /// How long they ran.
    #[default]
    Elapsed,
    /// Their wave.
    Wave,
    /// Their number.
    Block,
}

/// How a schedule is shown: the values of its parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// How units are aligned.
    pub align: Align,
    /// The clock rate in MHz that the user set.
    pub mhz: Option<f64>,
    /// What decides colors.
    pub color: ColorBy,
}
