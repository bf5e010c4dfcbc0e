//! Steps: what each takes, and of what: wall time = computing + exposed communication + exposed copies + idle.
//!
//! All streams of a rank count together, and nothing of another rank. Communication is exposed while nothing is computed,
//! copies while neither is; idle is the rest of the step. Host: during how much of it some thread is in an operator or in
//! a call of the runtime; this overlaps with all the others. What lies outside of all steps of a rank is a row of its own,
//! where its device works there.

use super::host::HostTimes;
use super::idle::Around;
use super::making::{PIECE, ROW};
use super::spans::{Merging, Times};
use super::{Class, Device};
use crate::base::job::Turn;
use crate::base::sort::sorted;
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

type Interval = (Ticks, Ticks);

/// What looking a step up in all sets costs.
const STEP: usize = 32;

/// Cuts the steps of each rank out of sets of time; what its gaps are held against is left.
pub(super) async fn cut(hosts: Vec<HostTimes>, of: &mut Device, turn: &Turn) -> Vec<Around> {
    let mut lists: Vec<[Vec<Interval>; 3]> = vec![Default::default(); hosts.len()];
    for works in of.works.chunks(PIECE) {
        for work in works.iter().filter(|work| work.class != Class::Wait && !work.is_part) {
            let lists = &mut lists[of.streams[work.stream as usize].rank as usize];
            lists[work.class as usize].push((work.span.start, work.span.end));
        }
        if turn.is_over(ROW * works.len()) {
            turn.pause().await;
        }
    }
    let mut around = Vec::new();
    for (rank, (host, [compute, communication, copies])) in hosts.into_iter().zip(lists).enumerate() {
        let compute = set(compute, turn).await;
        let communication = set(communication, turn).await;
        let copies = set(copies, turn).await;
        let (loads, syncs) = (set(host.loads, turn).await, set(host.syncs, turn).await);
        let busy = set(host.busy, turn).await;
        let exposed = merged(turn, |merging, left| merging.without(&communication, &compute, left)).await;
        of.ranks[rank].sums = [&compute, &communication, &exposed].map(|times| times.inside(of.span));
        let work = merged(turn, |merging, left| merging.and(&compute, &communication, left)).await;
        let bare = merged(turn, |merging, left| merging.without(&copies, &work, left)).await;
        steps_of(rank as u32, &chosen(host.steps), [&compute, &exposed, &bare, &busy], of, turn).await;
        around.push(Around { loads, syncs, compute, communication });
    }
    around
}

/// Stretches in any order become a set.
async fn set(list: Vec<Interval>, turn: &Turn) -> Times {
    let mut set = Times::default();
    for stretches in sorted(list, turn).await.chunks(PIECE) {
        for &(start, end) in stretches {
            set.push(Span { start, end });
        }
        if turn.is_over(ROW * stretches.len()) {
            turn.pause().await;
        }
    }
    set
}

async fn merged(turn: &Turn, mut merge: impl FnMut(&mut Merging, &mut usize) -> bool) -> Times {
    let mut merging = Merging::default();
    loop {
        let mut left = PIECE;
        let is_more = merge(&mut merging, &mut left);
        if turn.is_over(ROW * (PIECE - left)) {
            turn.pause().await;
        }
        if !is_more {
            return merging.done;
        }
    }
}

/// The steps of a rank by its sets: what is computed, exposed communication and copies, the host.
async fn steps_of(rank: u32, steps: &[(Span, SliceId)], sets: [&Times; 4], of: &mut Device, turn: &Turn) {
    let mut cut = Times::default();
    for &(span, slice) in steps.iter().filter(|(span, _)| of.span.touches(*span)) {
        let span = span.intersect(of.span);
        cut.push(span);
        let parts = sets.map(|times| times.inside(span));
        of.steps.push(Step::of(rank, Some(slice), (span, span.dur()), parts));
        if turn.is_over(STEP * ROW) {
            turn.pause().await;
        }
    }
    if cut.spans().is_empty() {
        return;
    }
    // What the device does outside of the steps while the rank was recorded: others may have been earlier or later.
    let span = of.ranks[rank as usize].span;
    let parts = sets.map(|times| cut.rest(span).map(|part| times.inside(part)).sum());
    if 0 < parts[0] + parts[1] + parts[2] {
        let wall = cut.rest(span).map(Span::dur).sum();
        of.steps.push(Step::of(rank, None, (span, wall), parts));
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
