//! What an analysis is: something computed of a trace, with parameters that the user may set.
//!
//! ```text
//! Analysis ── applies? ──▶ start ──▶ Job: piece, piece … ──▶ result ──▶ figures, tracks, faults
//!     └ parameters: the same for page, address, command line, exports and requests
//! ```
//! The result is kept under the id of the analysis and the values of its parameters; a figure is computed when somebody asks
//! for it. Setting a parameter drops what depends on it.

mod figure;
mod results;

pub use figure::{ComputedFigure, FigureHead};
pub use results::Results;

use super::timeline::Timeline;
use crate::base::fault::Fault;
use crate::base::job::Job;
use crate::model::Trace;
use crate::model::build::TraceBuilder;
use crate::model::build::tap::Tap;
use crate::model::figure::Advice;
use crate::model::parameter::{AnalysisHead, Parameter, Values};
use std::any::Any;
use std::rc::Rc;

/// Makes a listener for these values of parameters.
pub type MakeTap = fn(&Values) -> Box<dyn Tap>;
/// Begins to compute a result, about 10 ms between two pauses. The trace is that of the input, for the job to hold.
pub type StartJob = fn(&AnalysisInput, Rc<Trace>) -> Job<Box<dyn Any>>;
/// Faults, each with the number of the entry it is about.
pub type FindFaults = fn(&AnalysisInput) -> Vec<(u32, Fault)>;
/// Ids of figures, each with a sentence on it.
pub type FindAdvice = fn(&AnalysisInput) -> Vec<(&'static str, Advice)>;

/// One thing that is computed of a trace.
pub struct Analysis {
    /// Stable id.
    pub id: &'static str,
    /// What a person calls it.
    pub title: &'static str,
    /// What the user may set.
    pub parameters: &'static [&'static Parameter],
    /// Whether the trace holds what it is computed of. Costs little: it is asked often.
    pub applies: fn(&Trace) -> bool,
    /// Listens to rows while files are read, for inputs too big to keep; its result is handed to `start`.
    pub tap: Option<MakeTap>,
    /// Begins to compute the result; `None` for analyses whose figures need nothing but the trace.
    pub start: Option<StartJob>,
    /// Adds tracks of the result to the trace. Such an analysis runs before the rows are sorted, and its parameters reread
    /// the file.
    pub add_tracks: Option<fn(&dyn Any, &mut TraceBuilder)>,
    /// What is wrong with the files as far as the result tells, each with the number of the entry it is about.
    pub faults: Option<FindFaults>,
    /// The figures of this document, in the order they are shown; none before everything is loaded. Costs little.
    pub figures: fn(&AnalysisInput) -> Vec<ComputedFigure>,
    /// What can be concluded before any figure is asked for: ids of figures with a sentence on each, most costly first.
    /// Costs little; none before everything is loaded.
    pub advice: Option<FindAdvice>,
    /// Whether its figures are joined when two documents are compared as a whole.
    pub is_comparable: bool,
}

impl Analysis {
    /// What the page knows of it.
    pub fn head(&self, trace: &Trace, values: &Values, is_running: bool) -> AnalysisHead {
        AnalysisHead {
            id: self.id.to_owned(),
            title: self.title.to_owned(),
            is_running,
            parameters: self.parameters.iter().map(|parameter| parameter.head(trace, values)).collect(),
        }
    }
}

/// What an analysis may look at.
#[derive(Clone, Copy)]
pub struct AnalysisInput<'a> {
    /// What the files said.
    pub trace: &'a Trace,
    /// Its lanes and names.
    pub timeline: &'a Timeline,
    /// What the user set.
    pub values: &'a Values,
    /// What the tap of the analysis collected while reading.
    pub collected: Option<&'a dyn Tap>,
    /// The result of the analysis itself; `None` before it is computed.
    pub result: Option<&'a dyn Any>,
}

impl<'a> AnalysisInput<'a> {
    /// The result as what it is.
    pub fn result<T: Any>(&self) -> Option<&'a T> {
        self.result?.downcast_ref()
    }

    /// What the tap collected, as what it is.
    pub fn collected<T: Tap>(&self) -> Option<&'a T> {
        (self.collected? as &dyn Any).downcast_ref()
    }
}
