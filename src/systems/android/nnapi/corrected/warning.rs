//! What is odd about the marks of a run, and shown all the same.

use crate::base::words::phrase;

/// How many rows of one kind are kept; all are counted.
const MAX_ROWS: usize = 100;

/// One kind of oddity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Issue {
    /// A driver that runs in the process of the application.
    InProcessDriver,
    /// A call between processes below a driver that is no callback.
    IpcBelowDriver,
    /// A layer calls one that the contract does not let it call.
    Layers,
    /// A phase inside one that the contract does not let hold it.
    Phases,
    /// A scope without end.
    NeverEnded,
    /// `[SW]` without a scope that it could end.
    SwitchOfNothing,
    /// An execution that was begun and never waited for.
    NeverAwaited,
    /// A driver that was to call back and did not.
    NoCallback,
    /// A driver's callback without an execution that it ends.
    UnpairedCallback,
    /// A row that is earlier than the one before it on its thread.
    TimeBackwards,
}

impl Issue {
    /// A short stable name.
    pub fn id(self) -> &'static str {
        match self {
            Self::InProcessDriver => "in-process-driver",
            Self::IpcBelowDriver => "ipc-below-driver",
            Self::Layers => "layers",
            Self::Phases => "phases",
            Self::NeverEnded => "never-ended",
            Self::SwitchOfNothing => "switch-of-nothing",
            Self::NeverAwaited => "never-awaited",
            Self::NoCallback => "no-callback",
            Self::UnpairedCallback => "unpaired-callback",
            Self::TimeBackwards => "time-backwards",
        }
    }

    /// What it means, as an English phrase.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::InProcessDriver => {
                phrase("The driver runs in the application's process; its time counts as driver time.")
            }
            Self::IpcBelowDriver => phrase("The driver calls another process; the time counts as IPC."),
            Self::Layers => phrase("Layer called from a layer that must not call it."),
            Self::Phases => phrase("Phase nested inside an incompatible phase."),
            Self::NeverEnded => phrase(
                "Scope without an end; it is closed before the next call on its thread, or at the end of the run or trace.",
            ),
            Self::SwitchOfNothing => phrase("Switch without a scope to end; it is read as its own scope."),
            Self::NeverAwaited => {
                phrase("Nothing waits for this execution; it ends with the last work it caused.")
            }
            Self::NoCallback => phrase("The driver does not call back; its execution ends with its call."),
            Self::UnpairedCallback => phrase("Driver callback without an open execution."),
            Self::TimeBackwards => {
                phrase("The row is earlier than the previous row on its thread; the previous time is used.")
            }
        }
    }
}

/// All oddities of one kind in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What is odd.
    pub trouble: Issue,
    /// Rows of `Marks` where it is so, in the order of the file; the first hundred.
    pub rows: Vec<u32>,
    /// How many there are.
    pub n: u64,
}

impl Warning {
    /// Counts one more.
    pub(super) fn add(list: &mut Vec<Self>, trouble: Issue, row: u32) {
        let at = list.iter().position(|w| w.trouble == trouble).unwrap_or_else(|| {
            list.push(Self { trouble, rows: Vec::new(), n: 0 });
            list.len() - 1
        });
        list[at].n += 1;
        if list[at].rows.len() < MAX_ROWS {
            list[at].rows.push(row);
        }
    }
}
