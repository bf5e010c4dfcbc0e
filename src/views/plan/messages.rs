//! Questions and answers of buffer plans.

use crate::base::fault::Severity;
use crate::views::plan::compute::{Emitter, Plan};
use crate::wire::Question;
use serde::{Deserialize, Serialize};

/// A question about the plan, with the values of its parameters as texts: what is edited counts at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PlanQuery {
    /// The plan with all that follows from it.
    Plan(Vec<(String, String)>),
    /// What writes the records of a block, by its row.
    Block {
        row: usize,
        /// Values of parameters.
        values: Vec<(String, String)>,
    },
}

/// An answer about the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The plan; nothing where there is none.
    Plan(Option<Box<Shown>>),
    /// What writes the records of a block.
    Block(Vec<Emitter>),
}

/// A plan as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The plan, with at most [`BLOCKS`] blocks.
    pub plan: Plan,
    /// Blocks and edits in all.
    pub counts: (usize, usize),
    /// How bad each of its checks is, where the files were found to break it.
    pub severities: Vec<Option<Severity>>,
    /// What was wrong with the values.
    pub problems: Vec<String>,
    /// The symbol of the kernel, where its name was written out from one; else empty.
    pub symbol: String,
}

/// Most blocks that are answered.
pub const BLOCKS: usize = 2_000;

impl Question for PlanQuery {
    const OF: &'static str = "plan";
    type Reply = Reply;
}
