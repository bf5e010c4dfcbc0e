//! When tracks do nothing: their gaps, and how busy devices are.
//!
//! ```text
//! range  |--------------------------------|
//! slices      ####   ###########     ##
//! gaps   |---|    |-|           |---|  |--|     from the start of the range to its end
//! ```
//! What a scheduler tells of threads and processors has gaps from its first row to its last; of states of a thread only
//! running is work. While a slice without an end lasts, a track is neither busy nor idle, but for what else is known of it.

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

/// Most gaps that are listed: the longest; the number of all is always told.
pub const MAX_LISTED: usize = 100_000;

/// How a track spends the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idle {
    pub track: TrackId,
    /// Ticks in which it was recorded what it does.
    pub recorded: Ticks,
    /// Ticks with work.
    pub busy: Ticks,
    /// Ticks without.
    pub idle: Ticks,
    /// How many gaps.
    pub n: u64,
    /// The longest gap, the first of several; empty when there is none.
    pub longest: Span,
}

/// What is made of gaps.
pub trait Gaps {
    /// Rows that are looked at in one step: some milliseconds.
    const ROWS: usize = 1 << 16;

    /// Takes the next gap: track by track, in order of time. The track is told also by its number among all.
    fn take(&mut self, track: (usize, TrackId), gap: Span);

    /// Takes the next ticks of work of a track, each once.
    fn work(&mut self, _track: usize, _ticks: Ticks) {}
}

/// What is found out of the gaps of an area, some thousand slices at a time.
pub struct Finding<T> {
    tracks: Vec<Lanes>,
    span: Span,
    work: Work,
    /// How many tracks are done, and where in the next one it is.
    n: usize,
    open: Option<OnTrack>,
    found: T,
}

/// Where in a track rows are looked at: until when there is no gap, and until when its work is counted.
struct OnTrack {
    rows: AreaRows,
    until: Ticks,
    worked: Ticks,
}

impl<T: Gaps> Finding<T> {
    fn new(tracks: Vec<Lanes>, span: Span, work: Work, found: T) -> Self {
        Self { tracks, span, work, n: 0, open: None, found }
    }

    /// Goes on for some milliseconds; says whether there is more. A machine, as it runs while the trace still grows,
    /// too.
    pub fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        let Self { tracks, span, work, n, open, found } = self;
        let scope = Scope { trace, timeline, tracks, span: *span };
        let mut left = T::ROWS;
        while let Some(&(track, _)) = tracks.get(*n).filter(|_| 0 < left) {
            let scope = scope.recorded(track);
            let begin = scope.span.start;
            let OnTrack { rows, until, worked } =
                open.get_or_insert_with(|| OnTrack { rows: scope.rows(track), until: begin, worked: begin });
            while 0 < left {
                left -= 1;
                let Some(row) = rows.next() else {
                    if *until < scope.span.end {
                        found.take((*n, track), Span { start: *until, end: scope.span.end });
                    }
                    (*open, *n) = (None, *n + 1);
                    break;
                };
                let span = scope.slice(track, row).intersect(scope.span);
                let is_work = work.is(trace, timeline, track, row);
                if span.is_empty() || !is_work && !work.is_unknown(trace, timeline, track, row) {
                    continue;
                }
                if *until < span.start {
                    found.take((*n, track), Span { start: *until, end: span.start });
                }
                *until = (*until).max(span.end);
                if is_work && *worked < span.end {
                    found.work(*n, span.end.saturating_sub(span.start.max(*worked)));
                    *worked = span.end;
                }
            }
        }
        *n < tracks.len()
    }
}

/// Every gap of an area: track by track, in order of time.
impl Finding<Vec<(TrackId, Span)>> {
    /// Begins.
    pub fn every(tracks: Vec<Lanes>, span: Span, work: Work) -> Self {
        Self::new(tracks, span, work, Vec::new())
    }

    /// The gaps of the last step.
    pub fn take(&mut self) -> Vec<(TrackId, Span)> {
        std::mem::take(&mut self.found)
    }
}

impl Gaps for Vec<(TrackId, Span)> {
    // Each gap is written.
    const ROWS: usize = 1 << 13;

    fn take(&mut self, (_, track): (usize, TrackId), gap: Span) {
        self.push((track, gap));
    }
}

/// How each track of an area spends the time.
impl Finding<Vec<Idle>> {
    /// Begins.
    pub fn idle((trace, timeline): (&Trace, &Timeline), tracks: Vec<Lanes>, span: Span, work: Work) -> Self {
        let longest = Span { start: span.start, end: span.start };
        let dur = |track| timeline.recorded(trace, track, span).dur();
        let begin = |&(track, _): &Lanes| Idle { track, recorded: dur(track), longest, ..Idle::default() };
        let found = tracks.iter().map(begin).collect();
        Self::new(tracks, span, work, found)
    }

    /// The sums, after the last step.
    pub fn finish(self) -> Vec<Idle> {
        self.found
    }
}

impl Gaps for Vec<Idle> {
    fn take(&mut self, (at, _): (usize, TrackId), gap: Span) {
        let sum = &mut self[at];
        sum.n += 1;
        sum.idle = sum.idle.saturating_add(gap.dur());
        if sum.longest.dur() < gap.dur() {
            sum.longest = gap;
        }
    }

    fn work(&mut self, track: usize, ticks: Ticks) {
        let sum = &mut self[track];
        sum.busy = sum.busy.saturating_add(ticks);
    }
}

/// The longest gaps of an area.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Longest {
    pub n: u64,
    /// The longest of them, at most as many as asked for, by start and track.
    pub listed: Vec<(TrackId, Span)>,
}

/// The longest gaps so far, and how many are asked for.
pub struct Listing(Longest, usize);

impl Finding<Listing> {
    /// Begins to look for the longest gaps, at most `limit`, which is at least 1.
    pub fn longest(tracks: Vec<Lanes>, span: Span, work: Work, limit: usize) -> Self {
        Self::new(tracks, span, work, Listing(Longest::default(), limit))
    }

    /// The gaps, after the last step.
    pub fn finish(self) -> Longest {
        let Listing(mut found, limit) = self.found;
        keep(&mut found.listed, limit);
        order::sort_by_key(&mut found.listed, |&(track, gap)| (gap.start, track));
        found
    }
}

impl Gaps for Listing {
    fn take(&mut self, (_, track): (usize, TrackId), gap: Span) {
        let Self(found, limit) = self;
        found.n += 1;
        found.listed.push((track, gap));
        if 2 * *limit <= found.listed.len() {
            keep(&mut found.listed, *limit);
        }
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
