//! Flow events become arrows: a start and what follows it, joined by category, id and scope.
//!
//! The events of one id are a chain in the order of their times: an arrow goes from each start or step to what follows
//! it. Files are often not in that order, and where devices have clocks of their own an end may lie before its start: an
//! id with a single start has all its steps and ends, wherever they stand. A start that comes again begins a new
//! chain, and an end may follow another end. In operator traces `s` is a start, `t` an end, and the order is that of the
//! file.
//!
//! Slices may bear arrows themselves, joined by their `bind_id` alone: `flow_out` starts, `flow_in` ends (a start may
//! have several ends), both together pass the arrow on.

use crate::base::map::Parts;
use crate::base::order;
use crate::model::chunked::Chunked;
use crate::model::flow::FlowEnd;
use crate::model::id::StrId;

/// What a flow event is to the others of its id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::systems::trace_event) enum Role {
    /// An arrow begins.
    Start,
    /// One ends and the next begins.
    Step,
    /// One ends.
    End,
}

/// One flow event.
#[derive(Clone, Copy)]
pub(in crate::systems::trace_event) struct Point {
    pub(in crate::systems::trace_event) end: FlowEnd,
    pub(in crate::systems::trace_event) role: Role,
    /// Whether a slice bears it: then the event stands for itself and is never left out.
    pub(in crate::systems::trace_event) is_bound: bool,
    pub(in crate::systems::trace_event) name: StrId,
    /// Number of the event in the file.
    pub(in crate::systems::trace_event) event: u64,
    /// Its byte in the entry.
    pub(in crate::systems::trace_event) at: u64,
}

/// Category (none for `bind_id`), id and scope.
pub(in crate::systems::trace_event) type Key = (StrId, StrId, StrId);

/// An arrow between two flow events.
pub(in crate::systems::trace_event) struct Arrow {
    pub(in crate::systems::trace_event) key: Key,
    pub(in crate::systems::trace_event) from: Point,
    pub(in crate::systems::trace_event) to: Point,
}

/// All flow events, those of one id linked backwards from the last.
#[derive(Default)]
pub(in crate::systems::trace_event) struct Flows {
    points: Chunked<(Point, u32)>,
    /// The place of an id in `last`.
    ids: Parts<Key, u32>,
    /// The last point of each id.
    last: Vec<(Key, u32)>,
    /// The next id to be joined.
    next: usize,
    /// The points of that id.
    chain: Vec<Point>,
}

/// No point comes before.
const NONE: u32 = u32::MAX;

impl Flows {
    /// Keeps an event; `false` when there are too many.
    pub(in crate::systems::trace_event) fn push(&mut self, key: Key, point: Point) -> bool {
        let Ok(n) = u32::try_from(self.points.len()) else { return false };
        let next = u32::try_from(self.last.len()).unwrap_or(NONE);
        let id = *self.ids.entry(key).or_insert(next);
        let before = match self.last.get_mut(id as usize) {
            Some((_, last)) => std::mem::replace(last, n),
            None => {
                self.last.push((key, n));
                NONE
            }
        };
        self.points.push((point, before));
        true
    }

    /// Joins the events of some ids, until about `left` events are done: arrows, and events that have no other end.
    /// False when nothing is left to do.
    pub(in crate::systems::trace_event) fn join(
        &mut self,
        is_by_time: bool,
        mut left: usize,
        arrows: &mut Vec<Arrow>,
        lonely: &mut Vec<Point>,
    ) -> bool {
        while 0 < left {
            let Some(&(key, mut at)) = self.last.get(self.next) else {
                *self = Self::default();
                return false;
            };
            self.next += 1;
            let mut chain = std::mem::take(&mut self.chain);
            chain.clear();
            while let Some(&(point, before)) = self.points.get(at as usize) {
                chain.push(point);
                at = before;
            }
            chain.reverse();
            left = left.saturating_sub(chain.len() + 1);
            if is_by_time {
                arrange(&mut chain);
            }
            link(key, &chain, arrows, lonely);
            self.chain = chain;
        }
        true
    }
}

/// Puts the events of one id in the order of their times; a single start comes first.
fn arrange(chain: &mut [Point]) {
    if !chain.is_sorted_by_key(|point| point.end.time) {
        order::sort_by_key(chain, |point: &Point| point.end.time);
    }
    let mut starts = (0..).zip(chain.iter()).filter(|(_, point)| point.role == Role::Start);
    if let (Some((start, _)), None) = (starts.next(), starts.next()) {
        chain.get_mut(..=start).unwrap_or_default().rotate_right(1);
    }
}

/// Arrows from each start or step of an id to what follows.
fn link(key: Key, chain: &[Point], arrows: &mut Vec<Arrow>, lonely: &mut Vec<Point>) {
    // Where the next arrow begins, and whether one began there already.
    let mut from: Option<(Point, bool)> = None;
    for &to in chain {
        match &mut from {
            Some((start, is_used)) if to.role != Role::Start => {
                arrows.push(Arrow { key, from: *start, to });
                *is_used = true;
                if to.role == Role::Step {
                    *start = to;
                }
            }
            _ if to.role == Role::Start => {
                lonely.extend(from.replace((to, false)).filter(|(_, is_used)| !is_used).map(|(old, _)| old));
            }
            _ => lonely.push(to),
        }
    }
    lonely.extend(from.filter(|(_, is_used)| !is_used).map(|(start, _)| start));
}
