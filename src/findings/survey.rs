//! What all slices come to, for rules about any trace: when nothing goes on anywhere, what takes how long, what grows.
//!
//! Names, their outliers and intervals are those of tracks of scopes (programs and devices). When something goes on is told
//! by all tracks that files have: a scope lasts, a processor runs a thread or an interrupt, a thread runs. A thread whose
//! states are recorded is busy while it runs: its scopes last while it sleeps too. Computed tracks are not looked at. A slice
//! without an end in the file is neither time of its name nor work, and no gap while it lasts: nobody knows, unless a
//! scheduler tells. Costs the rows three times and eight bytes for each while it is made.

use super::periods::{Period, periods};
use crate::analysis::device::Times;
use crate::analysis::timeline::Timeline;
use crate::analysis::timeline::names::Names;
use crate::base::job::{Turn, pieces};
use crate::base::order::percentile;
use crate::base::sort::sorted;
use crate::base::time::{Span, Ticks};
use crate::base::words::{Message, message};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::track::{Role, Track};
use std::ops::Range;

/// Rows between two looks at the turn.
const PIECE: usize = 2_048;
/// What a gap costs, in rows.
const GAP: usize = 8;
/// Gaps and names that are kept.
const KEPT: usize = 256;
/// Outliers of a name that are kept.
pub const SLOW: usize = 256;
/// A slice is an outlier from so many medians of its name.
pub const OUTLIER: f64 = 10.0;
/// A name is frequent from so many slices.
pub const FREQUENT: u64 = 20;
/// What stands behind the name of a thread on the track of its states.
const STATES: &str = " (state)";

/// What all slices come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// From the first to the last slice.
    pub span: Span,
    /// The part of it in which everything was recorded: schedulers may begin later than the rest, and what ran before that
    /// nobody knows.
    pub known: Span,
    /// The time between two recordings that are far from each other: nobody knows what went on, and it is no gap.
    pub apart: Option<Span>,
    pub n_slices: u64,
    /// How many of them have no end in the file.
    pub n_unfinished: u64,
    pub n_tracks: u64,
    /// Whether the file tells which threads ran.
    pub is_scheduled: bool,
    /// Tracks with slices, the busiest first: how long something of it lasts. Of a thread with states only those.
    pub tracks: Vec<(TrackId, Ticks)>,
    /// Ticks in which something goes on anywhere, of what is known.
    pub busy: Ticks,
    /// When nothing goes on on any track, as far as that is known: the longest first, at most [`KEPT`]. None while a slice
    /// without an end lasts; where schedulers are recorded, one of theirs.
    pub gaps: Vec<Span>,
    /// How many there are, and their sum.
    pub n_gaps: u64,
    pub idle: Ticks,
    /// How long nothing is known to go on while a slice without an end lasts, of what is known: no gap.
    pub hidden: Ticks,
    /// Names by the sum of their lengths, at most [`KEPT`]; slices in others of their name count too.
    pub names: Vec<NameSum>,
    pub n_names: u64,
    /// Names with outliers, those that cost most first, at most [`KEPT`].
    pub outliers: Vec<NameSum>,
    /// The outliers of each of these, in the same order: the first of each track, at most [`SLOW`] of a name.
    pub slow: Vec<Vec<SliceId>>,
    /// The same names track by track, without tracks that have no slice of the name.
    pub on_tracks: Vec<Vec<OnTrack>>,
    /// Names that come again and again, each track by itself.
    pub periods: Vec<Period>,
    /// The counters of a trace without slices, those with most samples first.
    pub counters: Vec<CounterSum>,
    /// From the first to the last of these samples.
    pub sampled: Span,
    /// The instants of a trace without slices and counters by name, the most frequent first.
    pub instants: Vec<(StrId, u64)>,
    /// Their tracks, those with most first.
    pub stamped_tracks: Vec<(TrackId, u64)>,
    /// From the first to the last of them.
    pub stamped: Span,
    /// When tracks have nothing before the first or behind the last stretch of theirs.
    pub quiet: Vec<Quiet>,
}

impl Survey {
    /// Ticks of a stretch, without the time between two recordings.
    pub fn recorded(&self, span: Span) -> Ticks {
        span.dur() - self.apart.map_or(0, |apart| span.intersect(apart).dur())
    }

    /// What is said behind shares that leave the time between two recordings out.
    pub fn said_of_apart(&self, time: impl Fn(Ticks) -> String) -> Message {
        self.apart.map_or_else(Message::default, |apart| {
            message(" {time} without any event are left out.").with("time", time(apart.dur()))
        })
    }
}

/// The samples of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CounterSum {
    pub track: TrackId,
    /// Its number among those of the track.
    pub series: usize,
    /// Samples that have a value, and the smallest and the largest.
    pub n: u64,
    pub min: f64,
    pub max: f64,
}

/// A track that is not there all the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quiet {
    pub track: TrackId,
    /// From the first event of all tracks to its first, and from its last to the last of all.
    pub before: Span,
    pub after: Span,
    /// Stretches of work, and the longest pause between two of them.
    pub stretches: u64,
    pub longest: Ticks,
}

impl Quiet {
    /// What it has before and behind its work reaches to the ends of this recording, where that is two to those of its own.
    pub(super) fn set_ends(&mut self, recorded: Span, apart: Option<Span>) {
        let begins = apart.filter(|apart| apart.end <= self.before.end).map_or(recorded.start, |of| of.end);
        let ends = apart.filter(|apart| self.after.start <= apart.start).map_or(recorded.end, |of| of.start);
        (self.before.start, self.after.end) = (begins.max(recorded.start), ends.min(recorded.end));
    }
}

/// The slices of one name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NameSum {
    pub name: StrId,
    pub n: u64,
    /// Sum of their lengths.
    pub total: i128,
    pub median: f64,
    pub longest: (SliceId, Ticks),
    /// How many are at least [`OUTLIER`] medians long.
    pub n_outliers: u64,
    /// What those take beyond the median.
    pub excess: f64,
}

impl NameSum {
    /// Whether it has outliers: a name whose slices differ that much as a rule has none.
    pub fn stands_out(&self) -> bool {
        FREQUENT <= self.n && 0 < self.n_outliers && self.n_outliers * 20 <= self.n
    }
}

/// The slices of a name with outliers on one track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnTrack {
    pub track: TrackId,
    pub n: u64,
    pub n_outliers: u64,
    /// What the outliers take beyond the median of the name.
    pub excess: f64,
    /// The longest, the first where several are.
    pub longest: (SliceId, Ticks),
}

/// Whether a file has slices of it.
pub(super) fn is_told(track: &Track) -> bool {
    !track.is_derived && !track.slices.is_empty()
}

/// Threads whose states are recorded: the group, the label and the name of each.
fn with_states(trace: &Trace) -> Vec<(Option<TrackId>, StrId, &str)> {
    let states = trace.tracks.iter().filter(|(_, track)| track.role == Role::States && is_told(track));
    let named = states.filter_map(|(_, track)| {
        let name = trace.strings.get(track.name).strip_suffix(STATES)?;
        Some((track.parent, track.label, name))
    });
    let mut all: Vec<_> = named.collect();
    all.sort_unstable();
    all
}

/// When all schedulers were recorded, of a stretch of time.
fn known(trace: &Trace, timeline: &Timeline, span: Span) -> Span {
    let scheduled = trace.tracks.iter().filter(|(_, track)| track.role.is_scheduled() && is_told(track));
    scheduled.fold(span, |span, (id, _)| span.intersect(timeline.recorded(trace, id, span)))
}

#[derive(Clone, Copy, Default)]
struct Count {
    n: u64,
    total: i128,
    longest: Option<(SliceId, Ticks)>,
}

/// Looks at all slices.
#[allow(clippy::too_many_lines)] // one pass after the other, with pauses
pub async fn survey(trace: &Trace, timeline: &Timeline, turn: &Turn) -> Survey {
    let mut of = Survey::default();
    let used = timeline.names();
    let mut counts = vec![Count::default(); used.used().len()];
    let mut stretches: Vec<(Ticks, Ticks)> = Vec::new();
    let mut unknown: Vec<(Ticks, Ticks)> = Vec::new();
    let all = || trace.tracks.iter().filter(|(_, track)| is_told(track));
    let tracks: Vec<TrackId> =
        all().filter(|(_, track)| track.role == Role::Scopes).map(|(id, _)| id).collect();
    let with_states = with_states(trace);
    // Schedulers tell all that runs, whatever has no end elsewhere.
    let has_scheduler = all().any(|(_, track)| track.role.is_scheduled());
    let mut span: Option<Span> = None;
    for (id, track) in all() {
        let (slices, shift) = (&track.slices, timeline.shift_of(id));
        let is_scope = track.role == Role::Scopes;
        let (from, mut n_open) = (stretches.len(), 0);
        for rows in pieces(slices.len(), PIECE) {
            let n = rows.len();
            for row in rows {
                let (start, dur) = (slices.start[row].saturating_add(shift), slices.dur_of(row));
                let end = start.saturating_add(dur);
                let slice = SliceId { track: id, row: row as u32 };
                let own = Span { start, end };
                span = Some(span.map_or(own, |span| span.union(own)));
                let is_unfinished = slices.is_unfinished(row);
                of.n_unfinished += u64::from(is_unfinished);
                let is_time = is_scope && !is_unfinished;
                let place = used.place(slices.name[row]).filter(|_| is_time);
                if let Some(count) = place.and_then(|at| counts.get_mut(at)) {
                    count.n += 1;
                    count.total += i128::from(dur);
                    if count.longest.is_none_or(|(_, longest)| longest < dur) {
                        count.longest = Some((slice, dur));
                    }
                }
                if !timeline.is_work(trace, id, row) {
                    if timeline.is_unknown(trace, id, row) {
                        n_open += 1;
                        unknown.extend((!has_scheduler || track.role.is_scheduled()).then_some((start, end)));
                    }
                    continue;
                }
                let is_first = stretches.len() == from;
                match stretches.last_mut() {
                    Some(last) if !is_first && start <= last.1 => last.1 = last.1.max(end),
                    _ => stretches.push((start, end)),
                }
            }
            if turn.is_over(12 * n) {
                turn.pause().await;
            }
        }
        let own = stretches.get(from..).unwrap_or_default();
        let thread = (track.parent, track.label, trace.strings.get(track.name));
        if !is_scope || with_states.binary_search(&thread).is_err() {
            of.tracks.push((id, own.iter().map(|(start, end)| end - start).sum()));
        }
        // One without an end may go on for as long as nothing else is seen.
        of.quiet.extend(quiet(id, own).filter(|_| is_scope && n_open == 0));
        of.n_slices += slices.len() as u64;
        of.n_tracks += 1;
        of.is_scheduled |= track.role.is_scheduled();
    }
    of.tracks.sort_by_key(|(id, busy)| (std::cmp::Reverse(*busy), *id));
    let stretches = sorted(stretches, turn).await;
    let unknown = sorted(unknown, turn).await;
    let busy = Times::of_sorted(stretches);
    of.span = span.unwrap_or_default();
    of.known = known(trace, timeline, of.span);
    of.busy = busy.inside(of.known);
    turn.pause().await;
    let unknown = Times::of_sorted(unknown);
    of.apart = timeline.apart(trace).map(|apart| apart.between());
    let apart = Times::of_sorted(of.apart.map(|apart| (apart.start, apart.end)));
    for gap in busy.rest(of.known) {
        for gap in apart.rest(gap) {
            of.hidden += unknown.inside(gap);
            for gap in unknown.rest(gap) {
                of.n_gaps += 1;
                of.idle += gap.dur();
                of.gaps.push(gap);
            }
        }
        if turn.is_over(GAP) {
            turn.pause().await;
        }
    }
    let longest = |gap: &Span| (std::cmp::Reverse(gap.dur()), gap.start);
    if KEPT < of.gaps.len() {
        of.gaps.select_nth_unstable_by_key(KEPT, longest);
        of.gaps.truncate(KEPT);
    }
    of.gaps.sort_by_key(longest);
    if of.n_slices == 0 {
        counters(trace, timeline, &mut of, turn).await;
        if of.counters.is_empty() {
            instants(trace, timeline, &mut of, turn).await;
        }
    }
    of.quiet.iter_mut().for_each(|track| track.set_ends(of.span, of.apart));
    names((trace, used), &tracks, &counts, &mut of, turn).await;
    of.periods = periods(trace, &tracks, &of.names, turn).await;
    of
}

/// Sums up samples.
async fn counters(trace: &Trace, timeline: &Timeline, of: &mut Survey, turn: &Turn) {
    let mut span: Option<Span> = None;
    for (track, own) in trace.tracks.iter().filter(|(_, own)| !own.is_derived) {
        for (series, samples) in own.series.iter().enumerate() {
            let (mut n, mut min, mut max) = (0, f64::INFINITY, f64::NEG_INFINITY);
            for rows in pieces(samples.time.len(), PIECE) {
                let piece = rows.len();
                for value in rows.map(|row| samples.value[row]).filter(|value| value.is_finite()) {
                    n += 1;
                    (min, max) = (min.min(value), max.max(value));
                }
                if turn.is_over(piece) {
                    turn.pause().await;
                }
            }
            if let Some((first, last)) =
                samples.time.len().checked_sub(1).map(|last| (samples.time[0], samples.time[last]))
            {
                let own = Span::new(first, last).shifted(timeline.shift_of(track));
                span = Some(span.map_or(own, |span| span.union(own)));
            }
            if 0 < n {
                of.counters.push(CounterSum { track, series, n, min, max });
            }
        }
    }
    of.sampled = span.unwrap_or_default();
    of.counters.sort_by_key(|own| (std::cmp::Reverse(own.n), own.track, own.series));
}

/// Counts instants.
async fn instants(trace: &Trace, timeline: &Timeline, of: &mut Survey, turn: &Turn) {
    let mut counts = vec![0_u64; trace.strings.len()];
    let mut span: Option<Span> = None;
    for (id, track) in trace.tracks.iter().filter(|(_, track)| !track.is_derived) {
        let own = &track.instants;
        for rows in pieces(own.len(), PIECE) {
            let n = rows.len();
            for row in rows {
                if let Some(count) = counts.get_mut(own.name[row].index()) {
                    *count += 1;
                }
                let time = own.time[row].saturating_add(timeline.shift_of(id));
                let own = Span { start: time, end: time };
                span = Some(span.map_or(own, |span| span.union(own)));
            }
            if turn.is_over(2 * n) {
                turn.pause().await;
            }
        }
        if !own.is_empty() {
            of.stamped_tracks.push((id, own.len() as u64));
        }
    }
    of.stamped = span.unwrap_or_default();
    let named = (0..).map(StrId).zip(counts).filter(|(_, n)| 0 < *n);
    of.instants = named.collect();
    of.instants.sort_by_key(|(name, n)| (std::cmp::Reverse(*n), *name));
    of.stamped_tracks.sort_by_key(|(id, n)| (std::cmp::Reverse(*n), *id));
}

/// The ends of a track by its stretches of work, in their order.
fn quiet(track: TrackId, stretches: &[(Ticks, Ticks)]) -> Option<Quiet> {
    let (first, last) = (stretches.first()?, stretches.last()?);
    let pauses = stretches.windows(2).map(|two| two[1].0 - two[0].1);
    Some(Quiet {
        track,
        before: Span { start: first.0, end: first.0 },
        after: Span { start: last.1, end: last.1 },
        stretches: stretches.len() as u64,
        longest: pauses.max().unwrap_or(0),
    })
}

/// Lengths that lie in memory at once, if no name has more.
const LENGTHS: usize = 1 << 21;

/// Medians and outliers of names.
async fn names(on: (&Trace, &Names), tracks: &[TrackId], counts: &[Count], of: &mut Survey, turn: &Turn) {
    let mut all = Vec::new();
    let mut lengths = Vec::new();
    let mut first = 0;
    while first < counts.len() {
        let mut n = 0;
        let fits = |count: &&Count| {
            n += count.n as usize;
            n <= LENGTHS
        };
        let end = first + counts.iter().skip(first).take_while(fits).count().max(1);
        sums(on, tracks, (counts, first..end), &mut lengths, &mut all, turn).await;
        first = end;
    }
    of.n_names = all.len() as u64;
    of.outliers = all.iter().filter(|sum| sum.stands_out()).copied().collect();
    of.outliers.sort_by(|a, b| b.excess.total_cmp(&a.excess).then(a.name.cmp(&b.name)));
    of.outliers.truncate(KEPT);
    slow(on, tracks, of, turn).await;
    all.sort_by_key(|sum| (std::cmp::Reverse(sum.total), sum.name));
    all.truncate(KEPT);
    of.names = all;
}

/// The same of some names, whose lengths lie name by name in one list. Costs all slices.
async fn sums(
    (trace, used): (&Trace, &Names),
    tracks: &[TrackId],
    (counts, of): (&[Count], Range<usize>),
    lengths: &mut Vec<Ticks>,
    all: &mut Vec<NameSum>,
    turn: &Turn,
) {
    let counts = counts.get(of.clone()).unwrap_or_default();
    let mut ends = Vec::with_capacity(counts.len());
    let mut sum = 0;
    for count in counts {
        ends.push(sum);
        sum += count.n as usize;
    }
    lengths.clear();
    lengths.resize(sum, 0);
    for id in tracks {
        let slices = &trace.tracks.get(*id).slices;
        for rows in pieces(slices.len(), PIECE) {
            let n = rows.len();
            for row in rows.filter(|row| !slices.is_unfinished(*row)) {
                let at = used.place(slices.name[row]).and_then(|at| at.checked_sub(of.start));
                let Some(end) = at.and_then(|at| ends.get_mut(at)) else { continue };
                if let Some(place) = lengths.get_mut(*end) {
                    *place = slices.dur_of(row);
                }
                *end += 1;
            }
            if turn.is_over(3 * n) {
                turn.pause().await;
            }
        }
    }
    let names = used.used().get(of).unwrap_or_default();
    for ((name, count), end) in names.iter().zip(counts).zip(&ends) {
        let Some(longest) = count.longest else { continue };
        let Some(own) = lengths.get_mut(end.saturating_sub(count.n as usize)..*end) else { continue };
        own.sort_unstable();
        let median = percentile(own, 50);
        let from = own.partition_point(|dur| (*dur as f64) < OUTLIER * median.max(1.0));
        let outliers = own.get(from..).unwrap_or_default();
        let excess = outliers.iter().map(|dur| *dur as f64 - median).sum();
        let (n_outliers, name) = (outliers.len() as u64, *name);
        all.push(NameSum { name, n: count.n, total: count.total, median, longest, n_outliers, excess });
        if turn.is_over(8 * own.len() + 4) {
            turn.pause().await;
        }
    }
}

/// The outliers themselves.
async fn slow((trace, used): (&Trace, &Names), tracks: &[TrackId], of: &mut Survey, turn: &Turn) {
    if of.outliers.is_empty() {
        return;
    }
    // From what length on a slice of each name is one, where it is kept, and what is usual.
    let mut limits = vec![None; used.used().len()];
    for (at, sum) in of.outliers.iter().enumerate() {
        if let Some(limit) = used.place(sum.name).and_then(|place| limits.get_mut(place)) {
            *limit = Some(((OUTLIER * sum.median.max(1.0)).ceil() as Ticks, at, sum.median));
        }
    }
    of.slow = vec![Vec::new(); of.outliers.len()];
    of.on_tracks = vec![Vec::new(); of.outliers.len()];
    for id in tracks {
        let slices = &trace.tracks.get(*id).slices;
        for rows in pieces(slices.len(), PIECE) {
            let n = rows.len();
            for row in rows.filter(|row| !slices.is_unfinished(*row)) {
                let place = used.place(slices.name[row]);
                let Some(Some((limit, at, median))) = place.and_then(|at| limits.get(at)) else { continue };
                let (slice, dur) = (SliceId { track: *id, row: row as u32 }, slices.dur_of(row));
                let Some(own) = of.on_tracks.get_mut(*at).and_then(|list| own_of(list, slice)) else {
                    continue;
                };
                own.n += 1;
                if own.longest.1 < dur {
                    own.longest = (slice, dur);
                }
                if *limit <= dur {
                    own.n_outliers += 1;
                    own.excess += dur as f64 - median;
                    if let Some(list) = of.slow.get_mut(*at).filter(|list| list.len() < SLOW) {
                        list.push(slice);
                    }
                }
            }
            if turn.is_over(2 * n) {
                turn.pause().await;
            }
        }
    }
}

/// What a name has on the track of a slice: tracks come one after the other.
fn own_of(list: &mut Vec<OnTrack>, slice: SliceId) -> Option<&mut OnTrack> {
    let (track, longest) = (slice.track, (slice, Ticks::MIN));
    if list.last().is_none_or(|last| last.track != track) {
        list.push(OnTrack { track, n: 0, n_outliers: 0, excess: 0.0, longest });
    }
    list.last_mut()
}
