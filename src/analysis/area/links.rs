//! Flows of an area: which there are, how long each takes, and what those of a category add up to.
//!
//! The latency of a flow is the time from where it begins to where it points; it is negative when it points back.

use super::Scope;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::model::flow::FlowEnd;
use crate::model::id::{FlowId, SliceId, StrId, TrackId};

/// Which flows are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowFilter {
    /// A text that category, name or the name of a slice at an end contains, whatever its case; empty for all.
    pub text: String,
    /// The category.
    pub category: Option<StrId>,
}

/// What the flows of a category add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Category {
    /// Its name.
    pub name: StrId,
    /// How many flows.
    pub n: u64,
    /// Sum of the latencies.
    pub total: Ticks,
    /// The least.
    pub min: Ticks,
    /// The greatest.
    pub max: Ticks,
}

impl Category {
    /// Mean latency.
    pub fn mean(&self) -> f64 {
        if self.n == 0 { 0.0 } else { self.total as f64 / self.n as f64 }
    }
}

/// By what flows are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Where they begin.
    #[default]
    Start,
    /// How long they take.
    Latency,
}

/// From the start of a flow to its end.
pub fn latency(scope: Scope, flow: FlowId) -> Ticks {
    let flows = &scope.trace.flows;
    let at = flow.index();
    time(scope, flows.to[at]).saturating_sub(time(scope, flows.from[at]))
}

/// When an end of a flow is shown.
fn time(scope: Scope, end: FlowEnd) -> Ticks {
    end.time.saturating_add(scope.timeline.shift_of(end.track))
}

/// The flows that are seen in the time and begin or end on one of the tracks, in the order of the file.
pub fn flows(scope: Scope) -> impl Iterator<Item = FlowId> {
    let flows = &scope.trace.flows;
    let mut is_chosen = vec![false; scope.trace.tracks.len()];
    scope.tracks.iter().for_each(|(id, _)| is_chosen[id.index()] = true);
    let is_meant = move |id: TrackId| is_chosen.get(id.index()).copied().unwrap_or(false);
    flows.ids().filter(move |id| {
        let (from, to) = (flows.from[id.index()], flows.to[id.index()]);
        let ends = Span::new(time(scope, from), time(scope, to));
        ends.start < scope.span.end
            && scope.span.start <= ends.end
            && (is_meant(from.track) || is_meant(to.track))
    })
}

/// What the flows of an area add up to by category, most flows first.
pub fn categories(scope: Scope) -> Vec<Category> {
    let mut sums: Vec<Category> = Vec::new();
    let mut at = vec![u32::MAX; scope.trace.strings.len()];
    for flow in flows(scope) {
        let (name, latency) = (scope.trace.flows.category[flow.index()], latency(scope, flow));
        if at[name.index()] == u32::MAX {
            at[name.index()] = sums.len() as u32;
            sums.push(Category { name, n: 0, total: 0, min: Ticks::MAX, max: Ticks::MIN });
        }
        let sum = &mut sums[at[name.index()] as usize];
        sum.n += 1;
        sum.total = sum.total.saturating_add(latency);
        sum.min = sum.min.min(latency);
        sum.max = sum.max.max(latency);
    }
    order::sort_by_key(&mut sums, |s| std::cmp::Reverse(s.n));
    sums
}

/// The flows of an area that a filter lets through, in an order; equal ones in the order of the file.
pub fn list(scope: Scope, filter: &FlowFilter, by: Order, is_descending: bool) -> Vec<FlowId> {
    let mut texts = Texts { text: filter.text.to_lowercase(), known: vec![0; scope.trace.strings.len()] };
    let all = &scope.trace.flows;
    let mut list: Vec<u32> = flows(scope)
        .filter(|flow| filter.category.is_none_or(|category| all.category[flow.index()] == category))
        .filter(|flow| filter.text.is_empty() || texts.match_flow(scope, *flow))
        .map(|flow| flow.0)
        .collect();
    let key = |flow: u32| {
        let key = match by {
            Order::Start => time(scope, all.from[flow as usize]),
            Order::Latency => latency(scope, FlowId(flow)),
        };
        if is_descending { key.saturating_neg() } else { key }
    };
    order::sort_numbers(&mut list, &key);
    list.into_iter().map(FlowId).collect()
}

/// Which names contain a text; each is looked at once.
struct Texts {
    text: String,
    /// By number of the name: 0 not looked at, 1 no, 2 yes.
    known: Vec<u8>,
}

impl Texts {
    fn matches(&mut self, scope: Scope, name: StrId) -> bool {
        let known = &mut self.known[name.index()];
        if *known == 0 {
            let is_in = scope.trace.strings.get(name).to_lowercase().contains(&self.text);
            *known = 1 + u8::from(is_in);
        }
        *known == 2
    }

    fn match_flow(&mut self, scope: Scope, flow: FlowId) -> bool {
        let flows = &scope.trace.flows;
        if self.matches(scope, flows.category[flow.index()]) || self.matches(scope, flows.name[flow.index()])
        {
            return true;
        }
        let ends = scope.timeline.flows().ends(scope.trace, flow);
        ends.into_iter().flatten().any(|SliceId { track, row }| {
            let name = scope.trace.tracks.get(track).slices.name[row as usize];
            self.matches(scope, name)
        })
    }
}
