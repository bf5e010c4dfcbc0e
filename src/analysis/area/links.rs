//! Flows of an area: which there are, how long each takes, and what those of a category add up to.
//!
//! The latency of a flow is the time from where it begins to where it points; it is negative when it points back.

use super::Scope;
use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::model::id::{FlowId, StrId, TrackId};
use crate::model::{FlowEnd, Trace};

/// Flows that are looked at in one step: some milliseconds.
const STEP: usize = 1 << 16;

/// What the flows of a category add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Category {
    pub name: StrId,
    /// How many flows.
    pub n: u64,
    /// Sum of the latencies.
    pub total: Ticks,
    pub min: Ticks,
    pub max: Ticks,
}

impl Category {
    /// Mean latency.
    pub fn mean(&self) -> f64 {
        if self.n == 0 { 0.0 } else { self.total as f64 / self.n as f64 }
    }
}

/// Which flows are meant: those that are seen in a time and begin or end on one of some tracks.
pub struct Links {
    is_chosen: Vec<bool>,
    span: Span,
    /// Only those of this category; one that the trace does not have is `Some(None)`.
    #[allow(clippy::option_option)] // all, one, or one that is not there
    category: Option<Option<StrId>>,
}

impl Links {
    /// The flows of an area, of one category or of all.
    pub fn new(scope: Scope, category: Option<&str>) -> Self {
        let mut is_chosen = vec![false; scope.trace.tracks.len()];
        scope.tracks.iter().for_each(|(id, _)| is_chosen[id.index()] = true);
        Self { is_chosen, span: scope.span, category: category.map(|name| scope.trace.strings.find(name)) }
    }

    /// Whether a flow is meant.
    pub fn has(&self, trace: &Trace, timeline: &Timeline, flow: FlowId) -> bool {
        let (flows, at) = (&trace.flows, flow.index());
        let is_meant = |id: TrackId| self.is_chosen.get(id.index()).copied().unwrap_or(false);
        let (from, to) = (flows.from[at], flows.to[at]);
        let ends = Span::new(time(timeline, from), time(timeline, to));
        ends.start < self.span.end
            && self.span.start <= ends.end
            && (is_meant(from.track) || is_meant(to.track))
            && self.category.is_none_or(|category| category == Some(flows.category[at]))
    }
}

/// From the start of a flow to its end.
pub fn latency(trace: &Trace, timeline: &Timeline, flow: FlowId) -> Ticks {
    let (flows, at) = (&trace.flows, flow.index());
    time(timeline, flows.to[at]).saturating_sub(time(timeline, flows.from[at]))
}

/// When an end of a flow is shown.
pub fn time(timeline: &Timeline, end: FlowEnd) -> Ticks {
    end.time.saturating_add(timeline.shift_of(end.track))
}

/// What the flows of an area add up to by category: some thousand flows at a time.
pub struct Categorizing {
    links: Links,
    /// How many flows were looked at.
    at: usize,
    sums: Vec<Category>,
    /// Number of a category in the sums.
    by_name: Map<StrId, usize>,
}

impl Categorizing {
    /// Begins.
    pub fn new(scope: Scope) -> Self {
        Self { links: Links::new(scope, None), at: 0, sums: Vec::new(), by_name: Map::default() }
    }

    /// Goes on for some milliseconds; says whether there is more. A machine, as it runs while the trace still grows,
    /// too.
    pub fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        let end = trace.flows.len().min(self.at + STEP);
        for flow in (self.at..end).map(|at| FlowId(at as u32)) {
            if self.links.has(trace, timeline, flow) {
                self.add(trace.flows.category[flow.index()], latency(trace, timeline, flow));
            }
        }
        self.at = end;
        end < trace.flows.len()
    }

    fn add(&mut self, name: StrId, latency: Ticks) {
        let at = *self.by_name.entry(name).or_insert(self.sums.len());
        if at == self.sums.len() {
            self.sums.push(Category { name, n: 0, total: 0, min: Ticks::MAX, max: Ticks::MIN });
        }
        let sum = &mut self.sums[at];
        sum.n += 1;
        sum.total = sum.total.saturating_add(latency);
        sum.min = sum.min.min(latency);
        sum.max = sum.max.max(latency);
    }

    /// The sums, most flows first, after the last step.
    pub fn finish(mut self) -> Vec<Category> {
        order::sort_by_key(&mut self.sums, |s| std::cmp::Reverse(s.n));
        self.sums
    }
}
