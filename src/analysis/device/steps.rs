//! Steps: what each takes, and of what: wall time = computing + exposed communication + exposed copies + idle.
//!
//! All streams count together. Communication is exposed while nothing is computed, copies while neither is; idle is the
//! rest of the step. Host: during how much of it some thread is in an operator or in a call of the runtime; this overlaps
//! with all the others.

use super::spans::Times;
use crate::base::time::{Span, Ticks};
use crate::model::id::SliceId;
use serde::{Deserialize, Serialize};

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its slice.
    pub slice: SliceId,
    /// When.
    pub span: Span,
    /// Ticks in which something is computed.
    pub compute: Ticks,
    /// Ticks in which data is exchanged, nothing computed.
    pub communication: Ticks,
    /// Ticks in which data is copied, nothing computed or exchanged.
    pub copies: Ticks,
    /// The rest.
    pub idle: Ticks,
    /// Ticks in which the host is busy.
    pub host: Ticks,
}

/// What steps are cut out of.
pub(super) struct Parts {
    pub(super) compute: Times,
    /// Without computing.
    pub(super) communication: Times,
    /// Without both.
    pub(super) copies: Times,
    pub(super) host: Times,
}

impl Parts {
    pub(super) fn step(&self, span: Span, slice: SliceId) -> Step {
        let [compute, communication, copies] =
            [&self.compute, &self.communication, &self.copies].map(|times| times.inside(span));
        let idle = span.dur() - compute - communication - copies;
        Step { slice, span, compute, communication, copies, idle, host: self.host.inside(span) }
    }
}

/// The steps of the track that has most of them, of several the first: a name may stand on other tracks too.
pub(super) fn chosen(mut steps: Vec<(Span, SliceId)>) -> Vec<(Span, SliceId)> {
    steps.sort_by_key(|(_, id)| *id);
    let runs = steps.chunk_by(|a, b| a.1.track == b.1.track);
    let best = runs.rev().max_by_key(|run| run.len());
    best.map_or_else(Vec::new, <[_]>::to_vec)
}
