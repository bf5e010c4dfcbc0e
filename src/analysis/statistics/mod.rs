//! Statistics of slices by name, category or track: how often, how long in all, by themselves and each.
//!
//! ```text
//! total   sum of the lengths of the slices that lie at least partly in the time, each cut to it; where they are nested
//!         in each other, as calls of functions that call themselves are, time counts once
//! self    their time without that of slices nested in them on the same track: never more than total
//! mean    of the lengths of all of them, also of those that lie in each other
//! median  of n lengths in order (the first is 0) the one at (n − 1) / 2, between two of them in proportion
//! p95     the same at (n − 1) · 95 / 100
//! share   self / self of all
//! ```
//! Slices without an end in the file are in none of these: nobody knows how long they last. What lies in them counts.
//!
//! What programs did, states of threads and what processors ran are apart: one second of a trace is one second of each
//! thread's states and of each processor, and their sum is of nothing.
//!
//! A slice is nested in the last one of its track that started before it and does not end before it, as everywhere
//! ([`super::summary`]). Slices that a category leaves out still take their time from those around them. Median and p95
//! are those of `numpy.percentile`. Costs the rows of the time three times, and four bytes for each while it is made.

mod making;

pub use making::Making;

use super::timeline::{Timeline, chosen_tracks};
use crate::analysis::area::{AreaRows, Scope};
use crate::base::map::Map;
use crate::base::order;
use crate::base::order::percentile_of;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::track::Role;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What slices are added up by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    #[default]
    Name,
    Category,
    Track,
    /// The outermost group of their track.
    Group,
}

/// What the slices of tracks tell: only those of one kind add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Of {
    /// What programs and devices did.
    Scopes,
    States,
    Processors,
}

impl Of {
    /// All, in the order in which they are asked for.
    pub const ALL: [Self; 3] = [Self::Scopes, Self::States, Self::Processors];

    fn of_role(role: Role) -> Self {
        match role {
            Role::Scopes => Self::Scopes,
            Role::States => Self::States,
            Role::Processor | Role::Interrupts => Self::Processors,
        }
    }

    /// Whether a trace has slices of this kind. Costs the tracks.
    pub fn is_in(self, trace: &Trace) -> bool {
        trace.tracks.iter().any(|(_, track)| Self::of_role(track.role) == self && !track.slices.is_empty())
    }
}

/// Those of some tracks whose slices tell the same, and what: what is wanted, or the first of [`Of`] that they have.
pub fn of_one_kind(
    trace: &Trace,
    mut tracks: Vec<(TrackId, Option<usize>)>,
    wanted: Option<Of>,
) -> (Vec<(TrackId, Option<usize>)>, Option<Of>) {
    let kind = |id: TrackId| Of::of_role(trace.tracks.get(id).role);
    let wanted = wanted.or_else(|| tracks.iter().map(|(id, _)| kind(*id)).min());
    tracks.retain(|(id, _)| Some(kind(*id)) == wanted);
    (tracks, wanted)
}

/// Which slices, and what they are added up by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Options {
    /// What they are added up by.
    pub by: By,
    /// The time; `None` is all of it.
    pub span: Option<Span>,
    /// The tracks; groups stand for all below them; none stands for all.
    pub tracks: Vec<TrackId>,
    /// Only slices of this category; an empty one is of those that have none.
    pub category: Option<String>,
    /// Whether names that differ only in a number at their end are one.
    pub is_joined: bool,
    /// What the slices tell; `None` is the first of [`Of`] that the tracks have.
    pub of: Option<Of>,
}

impl Options {
    /// The tracks with slices that are meant: of one kind.
    fn tracks(&self, trace: &Trace) -> Vec<(TrackId, Option<usize>)> {
        of_one_kind(trace, chosen_tracks(trace, &self.tracks), self.of).0
    }

    /// The time with the slices without length at its very end, where it is all of it.
    pub fn time(&self, trace: &Trace, timeline: &Timeline) -> Span {
        self.span.unwrap_or_else(|| {
            let whole = timeline.span(trace).unwrap_or_default();
            Span { end: whole.end.saturating_add(1), ..whole }
        })
    }
}

/// What the slices of one name, category or track add up to.
#[derive(Clone, Debug, PartialEq)]
pub struct StatisticsRow {
    /// The name or category; of joined names the first.
    pub name: StrId,
    /// The track, or the group; of names and categories the track of the first slice.
    pub track: TrackId,
    /// Whether it stands for several names that differ in a number.
    pub is_joined: bool,
    /// The category of most of them.
    pub category: StrId,
    /// The other categories that they have, those of most slices first.
    pub others: Vec<StrId>,
    pub n_tracks: u32,
    /// How many slices.
    pub n: u64,
    /// How many of them do not lie in another one on their track.
    pub n_outermost: u64,
    /// Sum of the lengths of these: time of slices that lie in each other counts once.
    pub total: i128,
    /// Sum of the lengths of all.
    pub sum: i128,
    /// Their time without nested slices.
    pub own: i128,
    /// Length of the shortest.
    pub min: Ticks,
    /// Length of the longest.
    pub max: Ticks,
    /// The longest of them, the first where several are.
    pub longest: SliceId,
    /// Their median length.
    pub median: f64,
    /// The length that 95 of 100 do not pass.
    pub p95: f64,
}

impl StatisticsRow {
    /// Mean length.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.n.max(1) as f64
    }

    /// What it is called.
    pub fn label(&self, trace: &Trace, by: By) -> String {
        match by {
            By::Name if self.is_joined => format!("{}*", stem(trace.strings.get(self.name)).unwrap_or("")),
            By::Name | By::Category => trace.strings.get(self.name).to_owned(),
            By::Track | By::Group => trace.track_path(self.track),
        }
    }
}

/// Statistics of a stretch of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    pub options: Options,
    pub span: Span,
    /// What is added up, in order of first use.
    pub rows: Vec<StatisticsRow>,
    /// How many tracks have a slice.
    pub n_tracks: u32,
    /// How many slices are cut at an edge of the time.
    pub n_cut: u64,
    /// How many have no end in the file: they are left out.
    pub n_unfinished: u64,
}

impl Statistics {
    /// Self time of all.
    pub fn own(&self) -> i128 {
        self.rows.iter().map(|row| row.own).sum()
    }

    /// How many slices.
    pub fn n(&self) -> u64 {
        self.rows.iter().map(|row| row.n).sum()
    }
}

pub use crate::base::names::stem;

/// Whether a joined name such as `step#*` stands for a name.
pub fn is_joined(joined: &str, name: &str) -> bool {
    joined.strip_suffix('*').is_some_and(|wanted| stem(name) == Some(wanted))
}

/// Statistics at once.
pub fn statistics(trace: &Trace, timeline: &Timeline, options: &Options) -> Statistics {
    let mut making = Making::new(trace, timeline, options.clone());
    while making.step(trace, timeline) {}
    making.finish()
}

// Lengths by rank: of each row the slices' lengths, in sorted pieces, in which any rank is found by halving.
//
// Lengths that fit into four bytes take four; only rows with a longer slice take eight. Pieces are sorted, not rows, so
// that no step takes long, however many slices a row has.

/// Lengths that are sorted at once.
const PIECE: usize = 1 << 14;
/// Lengths that are sorted in one step.
const STEP: usize = 1 << 16;

/// The lengths of all rows, each row in a place of its own.
pub(in crate::analysis) struct Ranks {
    short: Vec<u32>,
    long: Vec<Ticks>,
    rows: Vec<Lengths>,
    /// The row whose percentiles come next.
    at: usize,
    /// How much of its lengths is sorted.
    sorted: usize,
}

/// Where the lengths of a row lie.
struct Lengths {
    is_long: bool,
    ends: (Ticks, Ticks),
    room: Range<usize>,
    /// Behind the last length that came.
    next: usize,
}

impl Ranks {
    /// Room for the lengths of rows: of each how many, the least and the greatest.
    pub(in crate::analysis) fn new(rows: impl Iterator<Item = (u64, Ticks, Ticks)>) -> Self {
        let mut sums = [0, 0];
        let place = |(n, min, max): (u64, Ticks, Ticks)| {
            let is_long = u32::try_from(max).is_err();
            let sum = &mut sums[usize::from(is_long)];
            let room = *sum..*sum + n as usize;
            *sum = room.end;
            Lengths { is_long, ends: (min, max), next: room.start, room }
        };
        let rows = rows.map(place).collect();
        Self { short: vec![0; sums[0]], long: vec![0; sums[1]], rows, at: 0, sorted: 0 }
    }

    /// Takes in the length of a slice of a row.
    pub(in crate::analysis) fn push(&mut self, row: u32, dur: Ticks) {
        let Some(lengths) = self.rows.get_mut(row as usize) else { return };
        let at = lengths.next;
        if lengths.room.contains(&at) {
            lengths.next += 1;
            if lengths.is_long {
                self.long[at] = dur;
            } else {
                self.short[at] = u32::try_from(dur).unwrap_or(u32::MAX);
            }
        }
    }

    /// Sorts the next pieces, and hands `take` the median and p95 of rows that are ready; false when all are. A
    /// machine, as an inner loop of machines that run while the trace still grows, too.
    pub(in crate::analysis) fn step(&mut self, mut take: impl FnMut(usize, f64, f64)) -> bool {
        let mut left = STEP;
        while let Some(lengths) = self.rows.get(self.at) {
            let room = lengths.room.start..lengths.next;
            while self.sorted < room.len() {
                if left == 0 {
                    return true;
                }
                let from = room.start + self.sorted;
                let piece = from..room.end.min(from + PIECE);
                left = left.saturating_sub(piece.len());
                self.sorted += piece.len();
                if lengths.is_long {
                    self.long[piece].sort_unstable();
                } else {
                    self.short[piece].sort_unstable();
                }
            }
            let n = lengths.next - lengths.room.start;
            let of = |percent| percentile_of(n, percent, |rank| self.ranked(lengths, rank) as f64);
            if 0 < n {
                take(self.at, of(50), of(95));
            }
            (self.at, self.sorted) = (self.at + 1, 0);
            left = left.saturating_sub(16);
        }
        false
    }

    /// The length of a rank from 0: the least that more lengths than that do not pass.
    fn ranked(&self, lengths: &Lengths, rank: usize) -> Ticks {
        let room = lengths.room.start..lengths.next;
        if room.len() <= PIECE {
            let at = room.start + rank;
            return if lengths.is_long { self.long[at] } else { Ticks::from(self.short[at]) };
        }
        let n_within = |most: Ticks| -> usize {
            if lengths.is_long {
                let pieces = self.long[room.clone()].chunks(PIECE);
                pieces.map(|piece| piece.partition_point(|&dur| dur <= most)).sum()
            } else {
                let pieces = self.short[room.clone()].chunks(PIECE);
                pieces.map(|piece| piece.partition_point(|&dur| Ticks::from(dur) <= most)).sum()
            }
        };
        let (mut least, mut most) = lengths.ends;
        while least < most {
            let middle = least.midpoint(most);
            if rank < n_within(middle) {
                most = middle;
            } else {
                least = middle + 1;
            }
        }
        least
    }
}

// Threads by their states: how long each was in which, of the time that was recorded.
//
// ```text
// thread   Running   Runnable   Sleeping   …   running of recorded
// ```
// A state counts as long as it lies in the time; what a thread was in before its scheduler's first row is not known.
// Costs the rows of the time once.

/// Slices that are taken in in one step.
const THREADS_STEP: usize = 1 << 16;

/// How long a thread was in each state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadTime {
    /// The track of its states.
    pub track: TrackId,
    /// Ticks in each of [`Threads::states`].
    pub ticks: Vec<Ticks>,
    /// Ticks in which it ran.
    pub running: Ticks,
    /// Ticks that were recorded of it: each file has its own scheduler.
    pub recorded: Ticks,
}

/// Threads by their states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    /// The states: running first, then by what they take in all.
    pub states: Vec<StrId>,
    /// The threads, in the order shown.
    pub rows: Vec<ThreadTime>,
}

/// Threads in progress.
pub struct ThreadsMaking {
    options: Options,
    tracks: Vec<(TrackId, Option<usize>)>,
    at: usize,
    open: Option<AreaRows>,
    of: Map<StrId, usize>,
    done: Threads,
    is_work: Vec<bool>,
}

impl ThreadsMaking {
    /// Begins.
    pub fn new(trace: &Trace, options: Options) -> Self {
        let mut tracks = chosen_tracks(trace, &options.tracks);
        tracks.retain(|(id, _)| trace.tracks.get(*id).role == Role::States);
        let (of, done) = (Map::default(), Threads::default());
        Self { options, tracks, at: 0, open: None, of, done, is_work: Vec::new() }
    }

    /// Does the next piece; says whether there is more. A machine, as it runs while the trace still grows, too.
    pub fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        let mut left = THREADS_STEP;
        let span = self.options.time(trace, timeline);
        // One tick more than all of it is for slices without length.
        let whole = self.options.span.or_else(|| timeline.span(trace)).unwrap_or(span);
        while let Some(&(id, _)) = self.tracks.get(self.at).filter(|_| 0 < left) {
            let scope = Scope { trace, timeline, tracks: &self.tracks, span };
            let slices = &trace.tracks.get(id).slices;
            let mut rows = self.open.take().unwrap_or_else(|| {
                let recorded = timeline.recorded(trace, id, whole).dur();
                self.done.rows.push(ThreadTime { track: id, ticks: Vec::new(), running: 0, recorded });
                scope.rows(id)
            });
            let Some(sum) = self.done.rows.last_mut() else { return false };
            for row in rows.by_ref().take(left) {
                left -= 1;
                let name = slices.name[row];
                let next = self.of.len();
                let state = *self.of.entry(name).or_insert(next);
                if state == next {
                    self.done.states.push(name);
                    self.is_work.push(slices.is_work(row));
                }
                if sum.ticks.len() <= state {
                    sum.ticks.resize(state + 1, 0);
                }
                let dur = scope.slice(id, row).intersect(span).dur();
                sum.ticks[state] = sum.ticks[state].saturating_add(dur);
                sum.running = sum.running.saturating_add(if self.is_work[state] { dur } else { 0 });
            }
            if left == 0 {
                self.open = Some(rows);
                return true;
            }
            left = left.saturating_sub(8);
            self.at += 1;
        }
        self.at < self.tracks.len()
    }

    /// The threads, after the last step.
    pub fn finish(self) -> Threads {
        let Self { mut done, is_work, .. } = self;
        let n = done.states.len();
        done.rows.iter_mut().for_each(|row| row.ticks.resize(n, 0));
        let total = |state: usize| done.rows.iter().map(|row| i128::from(row.ticks[state])).sum::<i128>();
        let mut order: Vec<(bool, i128, usize)> =
            (0..n).map(|state| (!is_work[state], -total(state), state)).collect();
        order::sort(&mut order);
        let order: Vec<usize> = order.into_iter().map(|(_, _, state)| state).collect();
        done.states = order.iter().map(|state| done.states[*state]).collect();
        for row in &mut done.rows {
            row.ticks = order.iter().map(|state| row.ticks[*state]).collect();
        }
        done.rows.retain(|row| row.ticks.iter().any(|ticks| 0 < *ticks));
        order::sort_by_key(&mut done.rows, |row| std::cmp::Reverse(row.running));
        done
    }
}
