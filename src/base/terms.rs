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
    fn of(words: [&str; 6]) -> Self {
        let [group, row, kernel, block, slice, assembly] = words.map(str::to_owned);
        Self { group, row, kernel, block, slice, assembly }
    }

    /// Words of operating system traces: process, thread.
    pub fn process() -> Self {
        Self::of(["Process", "Thread", "Kernel", "Block", "Slice", "Instructions"])
    }

    /// Words of Ascend operators: core, pipe, operator.
    pub fn ascend() -> Self {
        Self::of(["Core", "Pipe", "Operator", "Block", "Instruction", "Instructions"])
    }

    /// Words of CUDA-like devices: SM, warp, thread block.
    pub fn cuda() -> Self {
        Self::of(["SM", "Warp", "Kernel", "Thread block", "Block", "SASS"])
    }

    /// Words of Intel GPUs: slice and EU, hardware thread.
    pub fn intel_gpu() -> Self {
        Self::of(["EU", "Hardware thread", "Kernel", "Work group", "Basic block", "GEN assembly"])
    }

    /// Words of Android's neural networks: application, layer, execution.
    pub fn nnapi() -> Self {
        Self::of(["Process", "Thread", "Execution", "Run", "Scope", "Operations"])
    }
}

impl Default for Terms {
    fn default() -> Self {
        Self::process()
    }
}
