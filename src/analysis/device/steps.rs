//! Steps: what each takes, and of what: wall time = computing + exposed communication + exposed copies + idle.
//!
//! All streams of a rank count together, and nothing of another rank. Communication is exposed while nothing is computed,
//! copies while neither is; idle is the rest of the step. Host: during how much of it some thread is in an operator or in
//! a call of the runtime; this overlaps with all the others. What lies outside of all steps of a rank is a row of its own,
//! where its device works there.

use super::host::{HostPass, HostTimes};
use super::idle::Around;
use super::spans::{Merging, Times};
use super::{Class, Device};
use crate::base::sort::Sorting;
use crate::base::time::{Span, Ticks};
use crate::base::words::phrase;
use crate::model::id::SliceId;
use serde::{Deserialize, Serialize};

/// What the row of what lies outside of all steps is called.
pub const OUTSIDE: &str = phrase("Outside of steps");

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its slice; `None` for what lies outside of all steps.
    pub slice: Option<SliceId>,
    /// Number of its rank.
    pub rank: u32,
    /// When; of what lies outside everything, also what lies between.
    pub span: Span,
    /// Ticks of it.
    pub wall: Ticks,
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

/// Sets of time on their way, rank by rank, and then the steps that are cut out of them.
pub(super) struct Cutting {
    /// Stretches of computing, communication and copies of each rank, in any order.
    works: Vec<[Vec<Interval>; 3]>,
    hosts: std::vec::IntoIter<HostTimes>,
    /// The rank that it is at.
    rank: usize,
    /// Stretches of computing, communication, copies, loading, synchronizing and the host, in any order.
    lists: [Vec<Interval>; LISTS],
    /// The same as sets, as far as they are made.
    sets: Vec<Times>,
    /// Communication while nothing is computed; copies while neither goes on.
    exposed: Times,
    bare: Times,
    steps: Vec<(Span, SliceId)>,
    /// The time of steps that were cut out.
    cut: Times,
    /// What gaps of each rank are held against.
    around: Vec<Around>,
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
        Self {
            works: vec![Default::default(); host.times.len()],
            hosts: host.times.into_iter(),
            rank: 0,
            lists: Default::default(),
            sets: Vec::with_capacity(LISTS),
            exposed: Times::default(),
            bare: Times::default(),
            steps: Vec::new(),
            cut: Times::default(),
            around: Vec::new(),
            at: At::Collect(0),
        }
    }

    /// Does the next piece; false when nothing is left to do.
    pub(super) fn step(&mut self, of: &mut Device, left: &mut usize) -> bool {
        self.at = match std::mem::replace(&mut self.at, At::Steps(0)) {
            At::Collect(from) => {
                let end = of.works.len().min(from.saturating_add(*left));
                let works = of.works.get(from..end).unwrap_or_default();
                for work in works.iter().filter(|work| work.class != Class::Wait && !work.is_part) {
                    let lists = &mut self.works[of.streams[work.stream as usize].rank as usize];
                    lists[work.class as usize].push((work.span.start, work.span.end));
                }
                *left -= end - from;
                if end < of.works.len() {
                    At::Collect(end)
                } else {
                    match self.next_rank() {
                        Some(at) => at,
                        None => return false,
                    }
                }
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
                    of.ranks[self.rank].sums =
                        [compute, communication, &self.exposed].map(|times| times.inside(of.span));
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
                let rank = self.rank as u32;
                for &(span, slice) in steps {
                    let span = span.intersect(of.span);
                    self.cut.push(span);
                    let parts = [compute, &self.exposed, &self.bare, host].map(|times| times.inside(span));
                    of.steps.push(Step::of(rank, Some(slice), (span, span.dur()), parts));
                }
                *left = left.saturating_sub(STEP * (end - from));
                if end == self.steps.len() {
                    self.outside(of);
                    match self.next_rank() {
                        Some(at) => at,
                        None => return false,
                    }
                } else {
                    At::Steps(end)
                }
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

    /// What the device does outside of the steps of a rank that has some.
    fn outside(&self, of: &mut Device) {
        let [compute, _, _, _, _, host] = &self.sets[..] else { return };
        if self.cut.spans().is_empty() {
            return;
        }
        // While the rank was recorded: others may have been earlier or later.
        let span = of.ranks[self.rank].span;
        let left = |times: &Times| -> Ticks { self.cut.rest(span).map(|part| times.inside(part)).sum() };
        let parts = [compute, &self.exposed, &self.bare, host].map(left);
        if 0 < parts[0] + parts[1] + parts[2] {
            let wall = self.cut.rest(span).map(Span::dur).sum();
            of.steps.push(Step::of(self.rank as u32, None, (span, wall), parts));
        }
    }

    /// Goes on with the next rank; `None` behind the last.
    fn next_rank(&mut self) -> Option<At> {
        if !self.sets.is_empty() {
            let mut sets = std::mem::take(&mut self.sets).into_iter();
            let mut next = || sets.next().unwrap_or_default();
            let [compute, communication, _, loads, syncs] = std::array::from_fn(|_| next());
            self.around.push(Around { loads, syncs, compute, communication });
            self.rank += 1;
        }
        let host = self.hosts.next()?;
        let [compute, communication, copies] = std::mem::take(&mut self.works[self.rank]);
        self.lists = [compute, communication, copies, host.loads, host.syncs, host.busy];
        (self.steps, self.cut) = (chosen(host.steps), Times::default());
        Some(self.next_list())
    }

    /// What gaps are held against, after the last step: by rank.
    pub(super) fn finish(self) -> Vec<Around> {
        self.around
    }
}

impl Step {
    fn of(rank: u32, slice: Option<SliceId>, (span, wall): (Span, Ticks), parts: [Ticks; 4]) -> Self {
        let [compute, communication, copies, host] = parts;
        let idle = wall - compute - communication - copies;
        Self { slice, rank, span, wall, compute, communication, copies, idle, host }
    }
}

/// The steps of the track that has most of them, of several the first: a name may stand on other tracks too. They come
/// track by track.
fn chosen(steps: Vec<(Span, SliceId)>) -> Vec<(Span, SliceId)> {
    let runs = steps.chunk_by(|a, b| a.1.track == b.1.track);
    let best = runs.rev().max_by_key(|run| run.len());
    best.map_or_else(Vec::new, <[_]>::to_vec)
}
