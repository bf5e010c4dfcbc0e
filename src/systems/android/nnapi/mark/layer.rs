//! Layers and phases of the NNAPI contract: who may call whom, and which phase may stand inside which.

use crate::base::words::phrase;
use serde::{Deserialize, Serialize};

/// Who did the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Layer {
    /// `LA`: the application.
    Application,
    /// `LR`: the NNAPI runtime.
    Runtime,
    /// `LI`: calls between processes.
    Ipc,
    /// `LD`: the driver.
    Driver,
    /// `LC`: the CPU fallback of the runtime.
    Cpu,
    /// `LO`: something else.
    Other,
    /// `LU`: code that several layers use.
    Utility,
    /// `LX`: nothing of NNAPI; no mark says it, readers do.
    Ignored,
}

/// What the work was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Phase {
    /// `PO`: all of a benchmark or application.
    Overall,
    /// `PWU`: the loop of executions that warms up.
    Warmup,
    /// `PBM`: the loop of executions that is measured.
    Benchmark,
    /// `PI`: one-time initialization.
    Initialization,
    /// `PP`: the model is built.
    Preparation,
    /// `PC`: the model is compiled.
    Compilation,
    /// `PE`: an execution.
    Execution,
    /// `PT`: everything is given back.
    Termination,
    /// `PU`: that of whoever called.
    Unspecified,
    /// `PIO`: inputs and outputs of an execution are set.
    InputsOutputs,
    /// `PTR`: data changes its form.
    Transformation,
    /// `PCO`: computing.
    Computation,
    /// `PR`: results are handed back.
    Results,
}

impl Layer {
    /// The layers with times of their own, from the top down.
    pub const REPORTED: [Self; 5] = [Self::Application, Self::Runtime, Self::Ipc, Self::Driver, Self::Cpu];

    /// Its letters in a mark, such as `LR`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Application => "LA",
            Self::Runtime => "LR",
            Self::Ipc => "LI",
            Self::Driver => "LD",
            Self::Cpu => "LC",
            Self::Other => "LO",
            Self::Utility => "LU",
            Self::Ignored => "LX",
        }
    }

    /// What a person calls it, in English.
    pub fn title(self) -> &'static str {
        match self {
            Self::Application => phrase("Application"),
            Self::Runtime => phrase("Runtime"),
            Self::Ipc => phrase("IPC"),
            Self::Driver => phrase("Driver"),
            Self::Cpu => phrase("CPU"),
            Self::Other => phrase("Other"),
            Self::Utility => phrase("Utility"),
            Self::Ignored => phrase("Foreign"),
        }
    }

    /// The layer of these letters.
    pub fn of(code: &str) -> Option<Self> {
        let all = [Self::Other, Self::Utility, Self::Ignored];
        Self::REPORTED.into_iter().chain(all).find(|layer| layer.code() == code)
    }

    /// Whether it may call the other directly.
    pub fn may_call(self, other: Self) -> bool {
        match self {
            Self::Application => other == Self::Runtime,
            Self::Runtime => matches!(other, Self::Ipc | Self::Cpu),
            Self::Ipc => other == Self::Driver,
            _ => false,
        }
    }
}

impl Phase {
    /// All phases.
    pub const ALL: [Self; 13] = [
        Self::Overall,
        Self::Warmup,
        Self::Benchmark,
        Self::Initialization,
        Self::Preparation,
        Self::Compilation,
        Self::Execution,
        Self::Termination,
        Self::Unspecified,
        Self::InputsOutputs,
        Self::Transformation,
        Self::Computation,
        Self::Results,
    ];

    /// Its letters in a mark, such as `PCO`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Overall => "PO",
            Self::Warmup => "PWU",
            Self::Benchmark => "PBM",
            Self::Initialization => "PI",
            Self::Preparation => "PP",
            Self::Compilation => "PC",
            Self::Execution => "PE",
            Self::Termination => "PT",
            Self::Unspecified => "PU",
            Self::InputsOutputs => "PIO",
            Self::Transformation => "PTR",
            Self::Computation => "PCO",
            Self::Results => "PR",
        }
    }

    /// What a person calls it, in English.
    pub fn title(self) -> &'static str {
        match self {
            Self::Overall => phrase("Overall"),
            Self::Warmup => phrase("Warmup"),
            Self::Benchmark => phrase("Benchmark"),
            Self::Initialization => phrase("Initialization"),
            Self::Preparation => phrase("Preparation"),
            Self::Compilation => phrase("Compilation"),
            Self::Execution => phrase("Execution"),
            Self::Termination => phrase("Termination"),
            Self::Unspecified => phrase("Unspecified"),
            Self::InputsOutputs => phrase("Inputs and outputs"),
            Self::Transformation => phrase("Transformation"),
            Self::Computation => phrase("Computation"),
            Self::Results => phrase("Results"),
        }
    }

    /// The phase of these letters.
    pub fn of(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.code() == code)
    }

    /// Whether it is a part of an execution.
    pub fn is_part_of_execution(self) -> bool {
        matches!(self, Self::InputsOutputs | Self::Transformation | Self::Computation | Self::Results)
    }

    /// Whether the other may stand directly inside.
    pub fn may_contain(self, other: Self) -> bool {
        match self {
            Self::Execution => other.is_part_of_execution(),
            Self::Overall => matches!(
                other,
                Self::Warmup
                    | Self::Benchmark
                    | Self::Initialization
                    | Self::Preparation
                    | Self::Compilation
                    | Self::Execution
                    | Self::Termination
            ),
            Self::Warmup | Self::Benchmark => other == Self::Execution,
            _ => false,
        }
    }
}
