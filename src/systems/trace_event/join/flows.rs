//! Flow events become arrows: a start and what follows it, joined by category and id.
//!
//! In operator traces `s` is a start and `t` an end: a start may have several, and a new start of the same id replaces
//! it. Elsewhere `s`, `t` and `f` are a chain in the order of the file: an arrow from each to the next. An end that
//! stands before its start in the file waits for it; it belongs to it when it is not earlier.
//!
//! Slices may bear arrows themselves, joined by their `bind_id` alone: `flow_out` starts, `flow_in` ends (a start may
//! have several ends), both together pass the arrow on.

use crate::base::map::Map;
use crate::base::order;
use crate::model::flow::FlowEnd;
use crate::model::id::StrId;

/// One flow event.
#[derive(Clone, Copy)]
pub(in crate::systems::trace_event) struct Point {
    pub(in crate::systems::trace_event) end: FlowEnd,
    pub(in crate::systems::trace_event) name: StrId,
    /// Number of the event in the file.
    pub(in crate::systems::trace_event) event: u64,
    /// Its byte in the entry.
    pub(in crate::systems::trace_event) at: u64,
    /// Whether a slice bears it: then the event stands for itself and is never left out.
    pub(in crate::systems::trace_event) is_bound: bool,
}

/// Category and id.
pub(in crate::systems::trace_event) type Key = (StrId, StrId);

/// What one flow came to so far.
#[derive(Default)]
struct Chain {
    /// Where the next arrow begins, and whether one began there already.
    from: Option<(Point, bool)>,
    /// Ends that have no start yet.
    waiting: Vec<Point>,
}

/// All flows that may go on.
#[derive(Default)]
pub(in crate::systems::trace_event) struct Flows {
    chains: Map<Key, Chain>,
}

/// An arrow between two flow events.
pub(in crate::systems::trace_event) struct Arrow {
    pub(in crate::systems::trace_event) key: Key,
    pub(in crate::systems::trace_event) from: Point,
    pub(in crate::systems::trace_event) to: Point,
}

impl Flows {
    /// A start. Returns the start that it replaces, if there was one, and whether that one had an end.
    pub(in crate::systems::trace_event) fn start(
        &mut self,
        key: Key,
        point: Point,
        arrows: &mut Vec<Arrow>,
    ) -> Option<(Point, bool)> {
        let chain = self.chains.entry(key).or_default();
        let waiting = std::mem::take(&mut chain.waiting);
        let (late, early): (Vec<Point>, Vec<Point>) =
            waiting.into_iter().partition(|to| point.end.time <= to.end.time);
        chain.waiting = early;
        let is_used = !late.is_empty();
        arrows.extend(late.into_iter().map(|to| Arrow { key, from: point, to }));
        chain.from.replace((point, is_used))
    }

    /// A step or an end. After a step the chain goes on from there.
    pub(in crate::systems::trace_event) fn next(
        &mut self,
        key: Key,
        point: Point,
        goes_on: bool,
        arrows: &mut Vec<Arrow>,
    ) {
        let chain = self.chains.entry(key).or_default();
        let Some((from, is_used)) = &mut chain.from else {
            chain.waiting.push(point);
            return;
        };
        arrows.push(Arrow { key, from: *from, to: point });
        *is_used = true;
        if goes_on {
            *from = point;
        }
    }

    /// Starts without an end and ends without a start, in the order of the file.
    pub(in crate::systems::trace_event) fn finish(&mut self) -> (Vec<Point>, Vec<Point>) {
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        for chain in std::mem::take(&mut self.chains).into_values() {
            starts.extend(chain.from.filter(|(_, is_used)| !is_used).map(|(point, _)| point));
            ends.extend(chain.waiting);
        }
        order::sort_by_key(&mut starts, |p: &Point| p.event);
        order::sort_by_key(&mut ends, |p: &Point| p.event);
        (starts, ends)
    }
}
