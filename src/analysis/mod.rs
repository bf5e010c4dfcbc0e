//! What can be computed from a trace: once for the whole, and for each window.

pub mod access;
pub mod area;
pub mod bins;
pub mod code;
pub mod compare;
pub mod contract;
pub mod depths;
pub mod device;
mod ends;
pub mod finding;
pub mod groups;
mod held;
pub mod named;
pub mod report;
pub mod rows;
pub mod statistics;
pub mod summary;
pub mod timeline;
pub mod told;

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
    /// Takes in what was added to the trace since the last call, as long as it takes a few milliseconds; says whether
    /// nothing is left to do. Called between chunks while loading.
    pub fn extend(&mut self, trace: &Trace) -> bool {
        self.accesses.extend(trace);
        self.code.extend(trace);
        self.timeline.extend(trace)
    }

    /// Everything is loaded and sorted: makes the rest, as long as it takes a few milliseconds; says whether all is done.
    /// Rows may have changed places since the last `extend`.
    pub fn finish(&mut self, trace: &Trace) -> bool {
        self.accesses.extend(trace);
        self.code.extend(trace);
        self.timeline.finish(trace)
    }

    /// As [`Derived::extend`], until nothing is left to do.
    pub fn extend_all(&mut self, trace: &Trace) {
        while !self.extend(trace) {}
    }

    /// As [`Derived::finish`], until all is done.
    pub fn finish_all(&mut self, trace: &Trace) {
        while !self.finish(trace) {}
    }
}
