//! Steps: what each takes, and of what: wall time = computing + exposed communication + exposed copies + idle.
//!
//! All streams count together. Communication is exposed while nothing is computed, copies while neither is; idle is the
//! rest of the step. Host: during how much of it some thread is in an operator or in a call of the runtime; this overlaps
//! with all the others.

use super::host::HostPass;
use super::idle::Around;
use super::spans::{Merging, Times};
use super::{Class, Device};
use crate::base::sort::Sorting;
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

/// Sets of time on their way, and then the steps that are cut out of them.
pub(super) struct Cutting {
    /// Stretches of computing, communication, copies, loading, synchronizing and the host, in any order.
    lists: [Vec<Interval>; LISTS],
    /// The same as sets, as far as they are made.
    sets: Vec<Times>,
    /// Communication while nothing is computed; copies while neither goes on.
    exposed: Times,
    bare: Times,
    steps: Vec<(Span, SliceId)>,
    at: At,
}

type Interval = (Ticks, Ticks);

const LISTS: usize = 6;
/// What looking a step up in all sets costs.
const STEP: usize = 32;

enum At {
    /// Works are put into their lists, from one on.
    Collect(usize),
    Sort(Sorting<Interval>),
    /// Sorted stretches become a set, from one on.
    Join(Vec<Interval>, usize, Times),
    Exposed(Merging),
    Work(Merging),
    Bare(Times, Merging),
    Steps(usize),
}

impl Cutting {
    /// Begins with what is known of the host.
    pub(super) fn new(host: HostPass) -> Self {
        let lists = [Vec::new(), Vec::new(), Vec::new(), host.loads, host.syncs, host.busy];
        let (sets, steps) = (Vec::with_capacity(LISTS), chosen(host.steps));
        Self { lists, sets, exposed: Times::default(), bare: Times::default(), steps, at: At::Collect(0) }
    }

    /// Does the next piece; false when nothing is left to do.
    pub(super) fn step(&mut self, of: &mut Device, left: &mut usize) -> bool {
        self.at = match std::mem::replace(&mut self.at, At::Steps(0)) {
            At::Collect(from) => {
                let end = of.works.len().min(from.saturating_add(*left));
                let works = of.works.get(from..end).unwrap_or_default();
                for work in works.iter().filter(|work| work.class != Class::Wait) {
                    self.lists[work.class as usize].push((work.span.start, work.span.end));
                }
                *left -= end - from;
                if end < of.works.len() { At::Collect(end) } else { self.next_list() }
            }
            At::Sort(mut sorting) => {
                *left = 0;
                let is_more = sorting.step();
                if is_more { At::Sort(sorting) } else { At::Join(sorting.finish(), 0, Times::default()) }
            }
            At::Join(sorted, from, mut set) => {
                let end = sorted.len().min(from.saturating_add(*left));
                sorted[from..end].iter().for_each(|&(start, end)| set.push(Span { start, end }));
                *left -= end - from;
                if end < sorted.len() {
                    At::Join(sorted, end, set)
                } else {
                    self.sets.push(set);
                    self.next_list()
                }
            }
            at => return self.merge(at, of, left),
        };
        true
    }

    /// The later pieces.
    fn merge(&mut self, at: At, of: &mut Device, left: &mut usize) -> bool {
        let [compute, communication, copies, _, _, host] = &self.sets[..] else { return false };
        self.at = match at {
            At::Exposed(mut merging) => {
                if merging.without(communication, compute, left) {
                    At::Exposed(merging)
                } else {
                    self.exposed = merging.done;
                    of.communication = communication.inside(of.span);
                    of.exposed = self.exposed.inside(of.span);
                    At::Work(Merging::default())
                }
            }
            At::Work(mut merging) => {
                let is_more = merging.and(compute, communication, left);
                if is_more { At::Work(merging) } else { At::Bare(merging.done, Merging::default()) }
            }
            At::Bare(work, mut merging) => {
                if merging.without(copies, &work, left) {
                    At::Bare(work, merging)
                } else {
                    self.bare = merging.done;
                    At::Steps(0)
                }
            }
            At::Steps(from) => {
                let end = self.steps.len().min(from + left.div_ceil(STEP));
                let steps = self.steps[from..end].iter().filter(|(span, _)| of.span.touches(*span));
                of.steps.extend(steps.map(|&(span, slice)| {
                    let span = span.intersect(of.span);
                    let parts = [compute, &self.exposed, &self.bare].map(|times| times.inside(span));
                    let [compute, communication, copies] = parts;
                    let idle = span.dur() - compute - communication - copies;
                    Step { slice, span, compute, communication, copies, idle, host: host.inside(span) }
                }));
                *left = left.saturating_sub(STEP * (end - from));
                if end == self.steps.len() {
                    return false;
                }
                At::Steps(end)
            }
            at => at,
        };
        true
    }

    fn next_list(&mut self) -> At {
        match self.lists.get_mut(self.sets.len()) {
            Some(list) => At::Sort(Sorting::new(std::mem::take(list))),
            None => At::Exposed(Merging::default()),
        }
    }

    /// What gaps are held against, after the last step.
    pub(super) fn finish(self) -> Around {
        let mut sets = self.sets.into_iter();
        let mut next = || sets.next().unwrap_or_default();
        let [compute, communication, _, loads, syncs] = std::array::from_fn(|_| next());
        Around { loads, syncs, compute, communication }
    }
}

/// The steps of the track that has most of them, of several the first: a name may stand on other tracks too. They come
/// track by track.
fn chosen(steps: Vec<(Span, SliceId)>) -> Vec<(Span, SliceId)> {
    let runs = steps.chunk_by(|a, b| a.1.track == b.1.track);
    let best = runs.rev().max_by_key(|run| run.len());
    best.map_or_else(Vec::new, <[_]>::to_vec)
}
