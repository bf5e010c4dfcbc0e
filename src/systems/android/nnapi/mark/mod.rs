//! Marks that instrumented threads wrote: begins and ends of scopes, row by row as in the file.
//!
//! ```text
//! row  seconds      thread  process  text
//!   0  100.000100        0  550      B|550|[NN_LR_PE]ANeuralNetworksExecution_compute
//!   1  100.000150        0  550      B|550|[SW][NN_LC_PCO]optimized_ops::Conv
//!   2  100.000910        0  550      E|550
//! ```
//!
//! Kept are the rows of threads that have to do with NNAPI (a mark with `[NN`, an interface of a neural network driver);
//! rows of all other threads are at most slices on tracks. What the rows mean is computed in `nnapi::aosp` and
//! `nnapi::corrected`.

pub mod label;
mod layer;
mod tint;

pub use label::{Label, label};
pub use layer::{Layer, Phase};
pub use tint::{Part, Tint};

use crate::base::time::Ticks;
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};

/// The rows, in the order of the file (a protobuf trace: in the order of time), as columns of equal length.
#[derive(Default)]
pub struct Marks {
    /// When, in seconds: the decimal text of the row as the nearest double.
    pub seconds: Vec<f64>,
    /// When, in nanoseconds.
    pub time: Vec<Ticks>,
    /// Row of `threads`.
    pub thread: Vec<u32>,
    /// The process as the AOSP parser resolves it for this row (its section 2.3); empty where it sees no row or fails.
    pub process: Vec<StrId>,
    /// The mark, from `B` or `E` to the end of the line.
    pub text: Vec<StrId>,
    /// Line of the file, from 1; 0 where there are no lines.
    pub line: Vec<u32>,
    /// Where the line begins in its entry.
    pub start: Vec<u64>,
    /// Bytes of the line, without its end.
    pub len: Vec<u32>,
    /// Whether the AOSP parser takes the row too.
    pub is_classic: Vec<bool>,
    /// The threads, in the order of their first row.
    pub threads: Vec<MarkThread>,
    /// What ends the AOSP parser while it still collects rows; `None` when it gets through.
    pub refusal: Option<Refusal>,
    /// Whether the runtime wrote marks.
    pub has_runtime: bool,
    /// Number of the entry of the bundle that the rows lie in.
    pub entry: u32,
    /// The last time of any row of the file, NNAPI or not: where scopes that never end are closed.
    pub end: Ticks,
}

/// A thread that has to do with NNAPI.
#[derive(Clone, Copy, Debug)]
pub struct MarkThread {
    /// Its number, as it is written in the rows.
    pub id: StrId,
    /// Its name, the last one seen.
    pub name: StrId,
    /// Number of its process, as far as it is known; empty when it is not.
    pub process: StrId,
    /// Name of its process; empty when the file does not say.
    pub process_name: StrId,
    /// Where its slices lie; `None` when there were too many tracks.
    pub track: Option<TrackId>,
}

/// How the AOSP parser ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The class of the exception, such as `AssertionError`.
    pub kind: String,
    /// Its text; may be empty.
    pub text: String,
    /// Line of the file, from 1; 0 when none is to blame.
    pub line: u32,
}

impl Refusal {
    /// As Python prints it: `KeyError: '591'`, or the class alone.
    pub fn words(&self) -> String {
        if self.text.is_empty() { self.kind.clone() } else { format!("{}: {}", self.kind, self.text) }
    }
}

/// The marks of traces that have none.
static NONE: Marks = Marks::new();

impl Marks {
    /// The marks of a trace.
    pub fn of(trace: &Trace) -> &Self {
        trace.extensions.get().unwrap_or(&NONE)
    }

    /// The marks of a trace, to be added to.
    pub fn of_mut(trace: &mut Trace) -> &mut Self {
        trace.extensions.get_or_default()
    }

    /// No rows.
    pub const fn new() -> Self {
        Self {
            seconds: Vec::new(),
            time: Vec::new(),
            thread: Vec::new(),
            process: Vec::new(),
            text: Vec::new(),
            line: Vec::new(),
            start: Vec::new(),
            len: Vec::new(),
            is_classic: Vec::new(),
            threads: Vec::new(),
            refusal: None,
            has_runtime: false,
            entry: 0,
            end: 0,
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}
