//! What the slices of an operator's timeline come to, counted once when all are read: pipes of cores, waits by pair of
//! pipes, and how much of moving and computing passes at once. Figures and findings are made of it.

use super::code::CodeSums;
use crate::analysis::timeline::Timeline;
use crate::base::job::{Turn, pieces};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use std::cmp::Reverse;

/// Most pipes and cores that are told.
const PIPES: usize = 20_000;
const CORES: usize = 4_096;
/// Rows between two looks at the turn.
const PIECE: usize = 2_048;

/// Names of slices that set a flag, and of those that wait for one.
pub(super) const SET: [&str; 2] = ["SET_FLAG", "set_event"];
pub(super) const WAIT: [&str; 2] = ["WAIT_FLAG", "wait_event"];

/// All of it.
#[derive(Default)]
pub struct Sums {
    /// In the order of the timeline.
    pub pipes: Vec<PipeSum>,
    /// Most waiting first.
    pub pairs: Vec<PairSum>,
    /// Cores that move and compute, in the order of the timeline.
    pub cores: Vec<CoreSum>,
    pub code: CodeSums,
}

/// One pipe of one core.
pub struct PipeSum {
    pub core: TrackId,
    pub track: TrackId,
    /// Ticks in which at least one slice of work lasts.
    pub busy: Ticks,
    /// Ticks of slices that wait, summed.
    pub waiting: Ticks,
    /// From the first slice of the core to the end of its last.
    pub span: Span,
    pub slices: usize,
}

/// One pair of pipes: which set flags that which waited for. A side that nothing tells is empty.
#[derive(Clone, Copy)]
pub struct PairSum {
    pub from: Option<StrId>,
    pub to: Option<StrId>,
    pub sets: u64,
    pub waits: u64,
    pub total: Ticks,
    pub longest: Ticks,
    /// The longest wait itself.
    pub at: Option<SliceId>,
}

/// How long a core moved data, computed, and did both at once.
pub struct CoreSum {
    pub core: TrackId,
    pub moving: Ticks,
    pub computing: Ticks,
    pub both: Ticks,
}

/// Counts all of it.
pub(super) async fn sums(trace: &Trace, timeline: &Timeline, turn: &Turn) -> Sums {
    Sums {
        pipes: pipes(trace, timeline, turn).await,
        pairs: pairs(trace, timeline, turn).await,
        cores: cores(trace, timeline, turn).await,
        code: super::code::sums(trace, turn).await,
    }
}

async fn pipes(trace: &Trace, timeline: &Timeline, turn: &Turn) -> Vec<PipeSum> {
    if !super::pipes::is_there(trace) {
        return Vec::new();
    }
    let has_core = |id: &TrackId| {
        let track = trace.tracks.get(*id);
        track.parent.is_some() && !track.slices.is_empty()
    };
    let mut spans: Map<TrackId, Span> = Map::default();
    let mut sums = Vec::new();
    for id in trace.tracks.shown().iter().copied().filter(has_core).take(PIPES) {
        let track = trace.tracks.get(id);
        let slices = &track.slices;
        let Some(core) = track.parent else { continue };
        let (mut waiting, mut span) = (0, slices.span(0));
        for rows in pieces(slices.len(), PIECE) {
            let n = rows.len();
            for row in rows {
                span = span.union(slices.span(row));
                if timeline.names().total(slices.name_of(row)).is_waiting {
                    waiting += slices.dur_of(row);
                }
            }
            if turn.is_over(2 * n) {
                turn.pause().await;
            }
        }
        let whole = spans.entry(core).or_insert(span);
        *whole = whole.union(span);
        let busy = timeline.track(id).busy(Span { start: Ticks::MIN, end: Ticks::MAX });
        sums.push(PipeSum { core, track: id, busy, waiting, span, slices: slices.len() });
    }
    for sum in &mut sums {
        sum.span = spans.get(&sum.core).copied().unwrap_or(sum.span);
    }
    sums
}

async fn pairs(trace: &Trace, timeline: &Timeline, turn: &Turn) -> Vec<PairSum> {
    let ids = |names: [&str; 2]| names.map(|name| trace.strings.find(name));
    let (set, wait) = (ids(SET), ids(WAIT));
    if !super::is_there(trace) {
        return Vec::new();
    }
    let pipe = |track: TrackId| trace.tracks.get(track).name;
    let mut pairs: Map<(Option<StrId>, Option<StrId>), PairSum> = Map::default();
    for (track, own) in trace.tracks.iter() {
        for rows in pieces(own.slices.len(), PIECE) {
            let n = rows.len();
            for row in rows {
                let name = Some(own.slices.name_of(row));
                let (sets, waits) = (set.contains(&name), wait.contains(&name));
                if !sets && !waits {
                    continue;
                }
                let id = SliceId { track, row: row as u32 };
                // The other end of its flow says which pipe it belongs together with.
                let other = timeline.flows().of_slice(id).find_map(|flow| {
                    let [from, to] = timeline.flows().ends(trace, flow);
                    if from == Some(id) { to } else { from }
                });
                let (this, other) = (Some(pipe(track)), other.map(|other| pipe(other.track)));
                let (from, to) = if sets { (this, other) } else { (other, this) };
                let empty = PairSum { from, to, sets: 0, waits: 0, total: 0, longest: 0, at: None };
                let sums = pairs.entry((from, to)).or_insert(empty);
                sums.sets += u64::from(sets);
                if waits {
                    let dur = own.slices.dur_of(row);
                    sums.waits += 1;
                    sums.total += dur;
                    if sums.at.is_none() || sums.longest < dur {
                        (sums.longest, sums.at) = (dur, Some(id));
                    }
                }
            }
            if turn.is_over(2 * n) {
                turn.pause().await;
            }
        }
    }
    let text = |name: Option<StrId>| name.map_or("", |name| trace.strings.get(name));
    let mut pairs: Vec<PairSum> = pairs.into_values().collect();
    order::sort_by_key(&mut pairs, |sum| (Reverse(sum.total), text(sum.from), text(sum.to)));
    pairs
}

/// Spans of time of both kinds of work of a core.
#[derive(Default)]
struct Work {
    moving: Vec<Span>,
    computing: Vec<Span>,
}

async fn cores(trace: &Trace, timeline: &Timeline, turn: &Turn) -> Vec<CoreSum> {
    let mut works: Vec<(TrackId, Work)> = Vec::new();
    let mut places: Map<TrackId, usize> = Map::default();
    if !super::overlap_is_there(trace) {
        return Vec::new();
    }
    for &id in trace.tracks.shown() {
        let track = trace.tracks.get(id);
        let (Some(core), Some(is_moving)) = (track.parent, super::kind(trace.strings.get(track.name))) else {
            continue;
        };
        let at = *places.entry(core).or_insert(works.len());
        if at == works.len() {
            if CORES <= at {
                continue;
            }
            works.push((core, Work::default()));
        }
        let Some((_, work)) = works.get_mut(at) else { continue };
        let spans = if is_moving { &mut work.moving } else { &mut work.computing };
        for rows in pieces(track.slices.len(), PIECE) {
            let n = rows.len();
            let own = rows.filter(|&row| timeline.is_work(trace, id, row));
            spans.extend(own.map(|row| track.slices.span(row)));
            if turn.is_over(4 * n) {
                turn.pause().await;
            }
        }
    }
    let mut sums = Vec::with_capacity(works.len());
    for (core, mut work) in works {
        super::union(&mut work.moving);
        super::union(&mut work.computing);
        sums.push(CoreSum {
            core,
            moving: super::sum(&work.moving),
            computing: super::sum(&work.computing),
            both: super::both(&work.moving, &work.computing),
        });
        if turn.is_over(8 * (work.moving.len() + work.computing.len())) {
            turn.pause().await;
        }
    }
    sums
}
