//! Flows of track events become arrows.
//!
//! Events of one number are a chain in the order of time: an arrow from each to the next, until one ends it. Old events say
//! by themselves whether they start, pass on or end.

use crate::base::map::Parts;
use crate::base::order;
use crate::base::time::Ticks;
use crate::format::Sink;
use crate::model::FlowEnd;
use crate::model::chunked::Chunked;
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

/// An event of a flow.
#[derive(Clone, Copy)]
struct Point {
    at: FlowEnd,
    role: Role,
    /// It ends a slice: the arrow belongs to the slice, and so to its begin.
    is_end: bool,
    /// Row of the event of its number before it; [`NONE`] for the first one.
    before: u32,
}

/// No event comes before.
const NONE: u32 = u32::MAX;

/// Events that are joined at once.
const STEP: usize = 1 << 14;

/// All flows of a file, events of one number linked backwards from the last.
#[derive(Default)]
pub(crate) struct Flows {
    points: Chunked<Point>,
    /// The place of a number in `last`.
    numbers: Parts<(Family, u64), usize>,
    /// Each number with its last event.
    last: Vec<((Family, u64), u32)>,
    /// Begins of slices by their tracks and ends.
    begins: Parts<(TrackId, Ticks), Ticks>,
    /// The next number to be joined.
    next: usize,
}

impl Flows {
    /// Takes an event; `is_end` when it ends a slice.
    pub(crate) fn add(
        &mut self,
        of: (Family, u64),
        (track, time): (TrackId, Ticks),
        (role, is_end): (Role, bool),
    ) {
        let Some(row) = u32::try_from(self.points.len()).ok().filter(|row| *row != NONE) else { return };
        let next = self.last.len();
        let number = *self.numbers.entry(of).or_insert(next);
        let before = match self.last.get_mut(number) {
            Some((_, last)) => std::mem::replace(last, row),
            None => {
                self.last.push((of, row));
                NONE
            }
        };
        self.points.push(Point { at: FlowEnd { track, time }, role, is_end, before });
    }

    /// How many ends of arrows there are.
    pub(crate) fn n(&self) -> usize {
        self.points.len()
    }

    /// Learns where slices begin that arrows lead to the ends of.
    pub(crate) fn learn(&mut self, (track, ends): (TrackId, Vec<(Ticks, Ticks)>)) {
        for (end, begin) in ends {
            self.begins.insert((track, end), begin);
        }
    }

    /// Makes the arrows of some numbers; false when there are no more.
    pub(crate) fn join(&mut self, sink: &mut Sink) -> bool {
        let mut left = STEP;
        let mut chain = Vec::new();
        while 0 < left {
            let Some(&(of, mut row)) = self.last.get(self.next) else {
                *self = Self::default();
                return false;
            };
            self.next += 1;
            chain.clear();
            while let Some(&Point { mut at, role, is_end, before }) = self.points.get(row as usize) {
                if is_end {
                    at.time = self.begins.get(&(at.track, at.time)).copied().unwrap_or(at.time);
                }
                chain.push((at, role));
                row = before;
            }
            chain.reverse();
            left = left.saturating_sub(chain.len());
            if !chain.is_sorted_by_key(|(at, _)| at.time) {
                order::sort_by_key(&mut chain, |(at, _): &(FlowEnd, Role)| at.time);
            }
            link(of, &chain, sink);
        }
        true
    }
}

/// Makes the arrows of a number.
fn link((family, id): (Family, u64), chain: &[(FlowEnd, Role)], sink: &mut Sink) {
    let mut from: Option<FlowEnd> = None;
    let (category, name) = match family {
        Family::Phase(category, name) => (category, name),
        Family::Flow | Family::Bind => (Strings::EMPTY, Strings::EMPTY),
    };
    for &(to, role) in chain {
        if let Some(from) = from.filter(|_| role != Role::Start) {
            let number = sink.builder.intern(&id.to_string());
            sink.builder.flow(number, category, name, from, to);
        }
        match role {
            Role::Link | Role::Start => from = Some(to),
            Role::Last => from = None,
            Role::End => {}
        }
    }
}
