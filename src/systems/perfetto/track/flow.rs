//! Flows of track events become arrows.
//!
//! Events of one number are a chain in the order of time: an arrow from each to the next, until one ends it. Old events say
//! by themselves whether they start, pass on or end.

use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Ticks;
use crate::format::sink::Sink;
use crate::model::flow::FlowEnd;
use crate::model::id::{StrId, TrackId};
use crate::model::strings::Strings;

/// What an event is in its flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// One of a chain.
    Link,
    /// The last one of a chain.
    Last,
    /// A new start: no arrow leads here.
    Start,
    /// An end that leaves the start as it is.
    End,
}

/// Kinds of numbers: those of different kinds never meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Family {
    Flow,
    Bind,
    /// Of category and name, as old flow events are joined.
    Phase(StrId, StrId),
}

/// All flows of a file.
#[derive(Default)]
pub(crate) struct Flows {
    points: Vec<(Family, u64, FlowEnd, Role, bool)>,
    /// Begins of slices by their tracks and ends.
    begins: Map<(TrackId, Ticks), Ticks>,
    /// Arrows that were made so far are made in steps.
    from: Map<(Family, u64), FlowEnd>,
    is_sorted: bool,
    done: usize,
}

/// Points that are joined at once.
const STEP: usize = 1 << 16;

impl Flows {
    /// Takes an event; `is_end` when it ends a slice: the arrow belongs to the slice, and so to its begin.
    pub(crate) fn add(
        &mut self,
        of: (Family, u64),
        (track, time): (TrackId, Ticks),
        (role, is_end): (Role, bool),
    ) {
        self.points.push((of.0, of.1, FlowEnd { track, time }, role, is_end));
    }

    /// How many ends of arrows there are.
    pub(crate) fn n(&self) -> usize {
        self.points.len()
    }

    /// Learns where slices begin that arrows lead to the ends of.
    pub(crate) fn learn(&mut self, (track, ends): (TrackId, Vec<(Ticks, Ticks)>)) {
        self.begins.extend(ends.into_iter().map(|(end, begin)| ((track, end), begin)));
    }

    /// Makes the next arrows; false when there are no more.
    pub(crate) fn join(&mut self, sink: &mut Sink) -> bool {
        if !std::mem::replace(&mut self.is_sorted, true) {
            for (_, _, end, ..) in self.points.iter_mut().filter(|(.., is_end)| *is_end) {
                end.time = self.begins.get(&(end.track, end.time)).copied().unwrap_or(end.time);
            }
            order::sort_by_key(&mut self.points, |(_, _, end, ..)| end.time);
        }
        let points = self.points.get(self.done..).unwrap_or_default();
        let points = points.get(..STEP).unwrap_or(points);
        self.done += points.len();
        for &(family, id, to, role, _) in points {
            let key = (family, id);
            if role != Role::Start
                && let Some(from) = self.from.get(&key)
            {
                let number = sink.builder.intern(&id.to_string());
                let (category, name) = match family {
                    Family::Phase(category, name) => (category, name),
                    Family::Flow | Family::Bind => (Strings::EMPTY, Strings::EMPTY),
                };
                sink.builder.flow(number, category, name, *from, to);
            }
            match role {
                Role::Link | Role::Start => _ = self.from.insert(key, to),
                Role::Last => _ = self.from.remove(&key),
                Role::End => {}
            }
        }
        !points.is_empty()
    }
}
