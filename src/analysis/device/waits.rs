//! What is not hidden, and what calls of the host the device does nothing in: sums that rules look at.
//!
//! ```text
//! scope     the steps of a rank, of calls as the host marks them; where it has none, from its first to its last work
//! exposed   of a communication: the part in which nothing is computed; of a copy: nothing exchanged either
//! idle      of a call of the host: the part in which no stream of the device works
//! ```
//! Everything is cut to the scope. Works of several streams, and calls of several threads, count each.

use super::idle::{Gaps, Idle, REASONS, Waited, Walk};
use super::making::{PIECE, ROW};
use super::{Class, Device, Step, Times};
use crate::base::job::Turn;
use crate::base::map::Map;
use crate::base::time::{Span, Ticks, Total};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};

/// What a device does in its steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InSteps {
    /// How many there are.
    pub n: usize,
    /// Their length.
    pub wall: Ticks,
    pub compute: Ticks,
    /// While nothing is computed.
    pub communication: Ticks,
    /// While nothing is computed or exchanged.
    pub copies: Ticks,
    /// How the device as a whole spends them.
    pub idle: Idle,
    pub gaps: [Gaps; REASONS],
    pub waited: Vec<Waited>,
}

impl InSteps {
    /// Adds up the steps of a rank; `None` where there are none, or they overlap.
    pub(super) fn of(steps: &[Step], rank: u32, walk: Walk) -> Option<Self> {
        let Walk { idle, gaps, waited, .. } = walk;
        let mut sum = Self { idle, gaps, waited, ..Self::default() };
        for step in steps.iter().filter(|step| step.rank == rank && step.slice.is_some()) {
            sum.n += 1;
            sum.wall = sum.wall.saturating_add(step.wall);
            sum.compute = sum.compute.saturating_add(step.compute);
            sum.communication = sum.communication.saturating_add(step.communication);
            sum.copies = sum.copies.saturating_add(step.copies);
        }
        (0 < sum.wall && sum.wall == sum.idle.time()).then_some(sum)
    }
}

/// Communication or copies of one name on one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exposed {
    pub rank: u32,
    pub stream: u32,
    pub name: StrId,
    pub class: Class,
    pub n: u64,
    /// Sum of their lengths.
    pub total: Ticks,
    /// What of that is not hidden.
    pub exposed: Ticks,
    /// The one with most that is not hidden, and how much.
    pub longest: (SliceId, Ticks),
    pub first: SliceId,
    pub last: SliceId,
}

impl Exposed {
    /// Adds those of another row: the longest of both stays, the first and the last are its own.
    pub fn add(&mut self, other: &Self) {
        self.n += other.n;
        self.total = self.total.saturating_add(other.total);
        self.exposed = self.exposed.saturating_add(other.exposed);
        if self.longest.1 < other.longest.1 {
            self.longest = other.longest;
        }
    }
}

/// What a call of the host is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// It loads data.
    Loads,
    /// It waits for the device.
    Waits,
    /// It asks the driver for memory, or gives it back.
    Allocates,
}

/// One call of these.
#[derive(Clone, Copy)]
pub(super) struct Called {
    pub(super) kind: Kind,
    pub(super) name: StrId,
    /// Name of the operator or the module that it is made in; empty for none.
    pub(super) inside: StrId,
    pub(super) slice: SliceId,
    pub(super) span: Span,
}

/// Calls of one name; of those that load data only those of one thread, as others may do that ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCalls {
    pub rank: u32,
    pub kind: Kind,
    pub name: StrId,
    pub n: u64,
    /// Sum of their lengths.
    pub total: Ticks,
    /// In which the device does nothing.
    pub idle: Ticks,
    /// The one with most of that, and how much; the longest where none has any.
    pub longest: (SliceId, Ticks),
}

/// One call that asks the driver for memory, or gives it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    pub rank: u32,
    pub name: StrId,
    /// Name of the operator or the module that it is made in; empty for none.
    pub inside: StrId,
    pub slice: SliceId,
    /// How long it takes in the scope.
    pub ticks: Ticks,
}

/// When a rank does what.
pub(super) struct Sets<'a> {
    pub(super) steps: &'a Times,
    /// The steps as the host marks them.
    pub(super) marked: &'a Times,
    pub(super) compute: &'a Times,
    /// Computing and communication.
    pub(super) work: &'a Times,
    /// And copies.
    pub(super) device: &'a Times,
}

/// Finds both for a rank.
pub(super) async fn find(
    rank: usize,
    sets: &Sets<'_>,
    calls: &[Called],
    (trace, of): (&Trace, &mut Device),
    turn: &Turn,
) {
    let ends = (sets.device.spans().first(), sets.device.spans().last());
    let (Some(first), Some(last)) = ends else { return };
    let working = Span { start: first.start, end: last.end };
    of.ranks[rank].working = working;
    let all = Times::of_sorted([(working.start, working.end)]);
    let scope = if sets.steps.spans().is_empty() { &all } else { sets.steps };
    let on_host = if sets.steps.spans().is_empty() { &all } else { sets.marked };
    expose(rank as u32, sets, scope, (trace, &mut *of), turn).await;
    let mut found: Map<(Kind, StrId, Option<TrackId>), u32> = Map::default();
    let from = of.calls.len();
    for pieces in calls.chunks(PIECE / 2) {
        for call in pieces {
            let [mut total, mut idle]: [Ticks; 2] = [0; 2];
            for part in on_host.parts(call.span) {
                total = total.saturating_add(part.dur());
                idle = idle.saturating_add(
                    scope.parts(part).map(|part| part.dur() - sets.device.inside(part)).total(),
                );
            }
            if total == 0 {
                continue;
            }
            if call.kind == Kind::Allocates {
                let Called { name, inside, slice, .. } = *call;
                of.asked.push(Asked { rank: rank as u32, name, inside, slice, ticks: total });
            }
            let next = (of.calls.len() - from) as u32;
            let thread = (call.kind == Kind::Loads).then_some(call.slice.track);
            let at = *found.entry((call.kind, call.name, thread)).or_insert(next);
            if at == next {
                let (rank, longest) = (rank as u32, (call.slice, Ticks::MIN));
                let Called { kind, name, .. } = *call;
                of.calls.push(HostCalls { rank, kind, name, n: 0, total: 0, idle: 0, longest });
            }
            if let Some(row) = of.calls.get_mut(from + at as usize) {
                row.n += 1;
                row.total = row.total.saturating_add(total);
                row.idle = row.idle.saturating_add(idle);
                if row.longest.1 < idle {
                    row.longest = (call.slice, idle);
                }
            }
        }
        if turn.is_over(2 * ROW * pieces.len()) {
            turn.pause().await;
        }
    }
}

/// What of communication and copies is not hidden.
async fn expose(rank: u32, sets: &Sets<'_>, scope: &Times, (trace, of): (&Trace, &mut Device), turn: &Turn) {
    let Device { works, streams, exposed, .. } = of;
    let mut found: Map<(u32, StrId, u8), usize> = Map::default();
    for (at, stream) in (0..).zip(streams.iter()).filter(|(_, stream)| stream.rank == rank) {
        for works in works[stream.works.clone()].chunks(PIECE / 2) {
            for work in works.iter().filter(|work| !work.is_part) {
                let others = match work.class {
                    Class::Communication => sets.compute,
                    Class::Copy => sets.work,
                    Class::Compute | Class::Wait => continue,
                };
                let [mut total, mut bare]: [Ticks; 2] = [0; 2];
                for part in scope.parts(work.span) {
                    total = total.saturating_add(part.dur());
                    bare = bare.saturating_add(part.dur() - others.inside(part));
                }
                let Some(name) = name_of(trace, work.slice).filter(|_| 0 < total) else { continue };
                let next = exposed.len();
                let row = *found.entry((at, name, work.class as u8)).or_insert(next);
                if row == next {
                    let slice = work.slice;
                    exposed.push(Exposed {
                        rank,
                        stream: at,
                        name,
                        class: work.class,
                        n: 0,
                        total: 0,
                        exposed: 0,
                        longest: (slice, Ticks::MIN),
                        first: slice,
                        last: slice,
                    });
                }
                if let Some(row) = exposed.get_mut(row) {
                    row.n += 1;
                    row.total = row.total.saturating_add(total);
                    row.exposed = row.exposed.saturating_add(bare);
                    row.last = work.slice;
                    if row.longest.1 < bare {
                        row.longest = (work.slice, bare);
                    }
                }
            }
            if turn.is_over(2 * ROW * works.len()) {
                turn.pause().await;
            }
        }
    }
}

fn name_of(trace: &Trace, slice: SliceId) -> Option<StrId> {
    trace.tracks.find(slice.track)?.slices.name.get(slice.row as usize).copied()
}
