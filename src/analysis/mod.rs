//! What can be computed from a trace: once for the whole, and for each window.

pub mod access;
pub mod area;
pub mod bins;
pub mod code;
pub mod compare;
pub mod contract;
mod ends;
pub mod rows;
pub mod summary;
pub mod thin;
pub mod timeline;

use crate::model::Trace;

/// What can be recomputed from the trace; kept because it is asked for often.
#[derive(Default)]
pub struct Derived {
    /// About memory accesses.
    pub accesses: access::AccessCache,
    /// About source and instructions.
    pub code: code::CodeCache,
    /// Lanes, levels of detail, names, flows.
    pub timeline: timeline::Timeline,
    /// Where slices come from; nothing until somebody asks.
    pub origins: code::origins::Origins,
    /// What analyses have computed.
    pub results: contract::Results,
    /// What was asked of areas last.
    pub areas: area::Areas,
}

impl Derived {
    /// Takes in what was added to the trace since the last call; called between chunks while loading, so it costs
    /// no more than the rows that were added (amortized).
    pub fn extend(&mut self, trace: &Trace) {
        self.accesses.extend(trace);
        self.code.extend(trace);
        self.timeline.extend(trace);
    }

    /// Everything is loaded and sorted: makes the rest. Rows may have changed places since the last `extend`.
    pub fn finish(&mut self, trace: &Trace) {
        self.accesses.extend(trace);
        self.code.extend(trace);
        self.timeline.finish(trace);
    }
}
