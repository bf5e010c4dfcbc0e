//! When tracks do nothing: their gaps, and how busy devices are.
//!
//! ```text
//! range  |--------------------------------|
//! slices      ####   ###########     ##
//! gaps   |---|    |-|           |---|  |--|     from the start of the range to its end
//! ```
//! What a scheduler tells of threads and processors has gaps from its first row to its last; of states of a thread only
//! running is work.

use super::{AreaRows, Scope, Work};
use crate::analysis::device::class::Stream;
use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::TrackId;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// A track with all its lanes.
type Lanes = (TrackId, Option<usize>);

/// Rows that are looked at in one step: some milliseconds.
const STEP: usize = 1 << 16;

/// The same where each gap is written.
const WRITTEN: usize = 1 << 13;

/// Most gaps that are listed: the longest; the number of all is always told.
pub const MAX_LISTED: usize = 100_000;

/// How a track spends the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idle {
    pub track: TrackId,
    /// Ticks with work.
    pub busy: Ticks,
    /// Ticks without.
    pub idle: Ticks,
    /// How many gaps.
    pub n: u64,
    /// The longest gap, the first of several; empty when there is none.
    pub longest: Span,
}

/// A track on the way through its gaps.
struct Walk {
    rows: AreaRows,
    /// Until when it is known what the track does.
    until: Ticks,
}

impl Walk {
    fn new(scope: Scope, track: TrackId) -> Self {
        Self { rows: scope.rows(track), until: scope.span.start }
    }

    /// Passes at most `left` rows, which is counted down. Says whether the track is at its end. A machine, as an inner
    /// loop of machines that run while the trace still grows, too.
    fn step(
        &mut self,
        scope: Scope,
        work: &Work,
        track: TrackId,
        left: &mut usize,
        mut each: impl FnMut(Span),
    ) -> bool {
        while 0 < *left {
            *left -= 1;
            let Some(row) = self.rows.next() else {
                if self.until < scope.span.end {
                    each(Span { start: self.until, end: scope.span.end });
                }
                return true;
            };
            let span = scope.slice(track, row).intersect(scope.span);
            if span.is_empty() || !work.is(scope.trace, scope.timeline, track, row) {
                continue;
            }
            if self.until < span.start {
                each(Span { start: self.until, end: span.start });
            }
            self.until = self.until.max(span.end);
        }
        false
    }
}

/// What is found out of the gaps of an area, some thousand slices at a time.
pub struct Finding<T> {
    tracks: Vec<Lanes>,
    span: Span,
    work: Work,
    /// How many tracks are done, and where in the next one it is.
    n: usize,
    walk: Option<Walk>,
    found: T,
}

impl<T> Finding<T> {
    /// Goes on over so many rows; says whether there is more. `each` is told the gap and the track, also by its number among all.
    fn go(
        &mut self,
        trace: &Trace,
        timeline: &Timeline,
        mut left: usize,
        mut each: impl FnMut(&mut T, (usize, TrackId), Span),
    ) -> bool {
        let Self { tracks, span, work, n, walk, found } = self;
        let scope = Scope { trace, timeline, tracks, span: *span };
        while let Some(&(track, _)) = tracks.get(*n).filter(|_| 0 < left) {
            let scope = scope.recorded(track);
            let on = walk.get_or_insert_with(|| Walk::new(scope, track));
            if on.step(scope, work, track, &mut left, |gap| each(found, (*n, track), gap)) {
                (*walk, *n) = (None, *n + 1);
            }
        }
        *n < tracks.len()
    }
}

/// Every gap of an area: track by track, in order of time.
impl Finding<()> {
    /// Begins.
    pub fn every(tracks: Vec<Lanes>, span: Span, work: Work) -> Self {
        Self { tracks, span, work, n: 0, walk: None, found: () }
    }

    /// Tells `each` gap of the next rows with its track; says whether there is more. A machine, as it runs while the
    /// trace still grows, too.
    pub fn step(&mut self, trace: &Trace, timeline: &Timeline, mut each: impl FnMut(TrackId, Span)) -> bool {
        self.go(trace, timeline, WRITTEN, |(), (_, track), gap| each(track, gap))
    }
}

/// How each track of an area spends the time.
impl Finding<Vec<Idle>> {
    /// Begins.
    pub fn idle((trace, timeline): (&Trace, &Timeline), tracks: Vec<Lanes>, span: Span, work: Work) -> Self {
        let longest = Span { start: span.start, end: span.start };
        let dur = |track| timeline.recorded(trace, track, span).dur();
        let begin = |&(track, _): &Lanes| Idle { track, busy: dur(track), idle: 0, n: 0, longest };
        let found = tracks.iter().map(begin).collect();
        Self { tracks, span, work, n: 0, walk: None, found }
    }

    /// Goes on for some milliseconds; says whether there is more. A machine, as it runs while the trace still grows,
    /// too.
    pub fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        self.go(trace, timeline, STEP, |found, (at, _), gap| {
            let sum = &mut found[at];
            sum.n += 1;
            sum.idle = sum.idle.saturating_add(gap.dur());
            sum.busy -= gap.dur();
            if sum.longest.dur() < gap.dur() {
                sum.longest = gap;
            }
        })
    }

    /// The sums, after the last step.
    pub fn finish(self) -> Vec<Idle> {
        self.found
    }
}

/// The longest gaps of an area.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Longest {
    pub n: u64,
    /// The longest of them, at most as many as asked for, by start and track.
    pub listed: Vec<(TrackId, Span)>,
}

impl Finding<Longest> {
    /// Begins.
    pub fn longest(tracks: Vec<Lanes>, span: Span, work: Work) -> Self {
        Self { tracks, span, work, n: 0, walk: None, found: Longest::default() }
    }

    /// Looks for the longest gaps, at most `limit`, which is at least 1 and the same in all steps, for some
    /// milliseconds; says whether there is more. A machine, as it runs while the trace still grows, too.
    pub fn step(&mut self, trace: &Trace, timeline: &Timeline, limit: usize) -> bool {
        self.go(trace, timeline, STEP, |found, (_, track), gap| {
            found.n += 1;
            found.listed.push((track, gap));
            if 2 * limit <= found.listed.len() {
                keep(&mut found.listed, limit);
            }
        })
    }

    /// The gaps, after the last step.
    pub fn finish(self, limit: usize) -> Longest {
        let mut found = self.found;
        keep(&mut found.listed, limit);
        order::sort_by_key(&mut found.listed, |&(track, gap)| (gap.start, track));
        found
    }
}

fn keep(listed: &mut Vec<(TrackId, Span)>, limit: usize) {
    if limit < listed.len() {
        listed.select_nth_unstable_by_key(limit, |&(track, gap)| (Reverse(gap.dur()), gap.start, track));
        listed.truncate(limit);
    }
}

/// How long each device runs something: the group of its streams, how many streams there are, and ticks in which at
/// least one of them works. Nothing for traces without streams.
pub fn devices(scope: Scope) -> Vec<(TrackId, usize, Ticks)> {
    let mut streams: Vec<(TrackId, Vec<Lanes>)> = Vec::new();
    let mut at: Map<TrackId, usize> = Map::default();
    for &(id, _) in scope.tracks {
        if scope.timeline.streams().kind(id) == Some(Stream::Mixed) {
            let device = scope.trace.tracks.get(id).parent.unwrap_or(id);
            let at = *at.entry(device).or_insert(streams.len());
            if at == streams.len() {
                streams.push((device, Vec::new()));
            }
            streams[at].1.push((id, None));
        }
    }
    streams.into_iter().map(|(device, list)| (device, list.len(), union(scope, &list))).collect()
}

/// Ticks in which at least one stream works.
fn union(scope: Scope, tracks: &[Lanes]) -> Ticks {
    let (mut sum, mut until): (Ticks, Ticks) = (0, Ticks::MIN);
    scope.each(tracks, &mut |_, id, row| {
        let span = scope.slice(id, row).intersect(scope.span);
        if until < span.end && scope.timeline.is_work(scope.trace, id, row) {
            sum = span.end.saturating_sub(span.start.max(until)).saturating_add(sum);
            until = span.end;
        }
    });
    sum
}
