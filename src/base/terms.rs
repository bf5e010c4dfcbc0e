//! Each system's words for shared things, so that views speak the language of the trace without knowing who wrote it.

use serde::{Deserialize, Serialize};

/// The words of one system. Readers choose one set; views use the words as they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// A group of tracks at the top: "Core", "Process", "SM", "Layer".
    pub group: String,
    /// One row inside: "Pipe", "Thread", "Warp".
    pub row: String,
    /// One execution of a device function: "Kernel", "Operator", "Execution".
    pub kernel: String,
    /// The unit that is launched many times: "Block", "Thread block", "Work group".
    pub block: String,
    /// One stretch of work: "Slice", "Instruction", "Scope".
    pub slice: String,
    /// What instructions are listed as: "Instructions", "SASS", "PTX", "GEN assembly".
    pub assembly: String,
}

impl Terms {
    /// Words in the order of the fields.
    pub fn of(words: [&str; 6]) -> Self {
        let [group, row, kernel, block, slice, assembly] = words.map(str::to_owned);
        Self { group, row, kernel, block, slice, assembly }
    }

    /// Words of operating system traces: process, thread.
    pub fn process() -> Self {
        Self::of(["Process", "Thread", "Kernel", "Block", "Slice", "Instructions"])
    }
}

impl Default for Terms {
    fn default() -> Self {
        Self::process()
    }
}
