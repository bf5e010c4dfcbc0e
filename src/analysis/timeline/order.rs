//! The slices of several tracks in one order of time.
//!
//! Each track is in order already, but tracks interleave finely, so that a heap of their heads costs some ten unforeseen
//! turns a slice. Here the time is divided at samples of the starts, and some thousand slices at once are put together
//! and sorted: everything stays in the cache.

use super::Timeline;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::chunked::Chunked;
use crate::model::id::{SliceId, TrackId};
use crate::model::slice::Slices;
use std::ops::{ControlFlow, Range};

/// A start of every so many rows of a track is a sample.
const SAMPLED: usize = 256;
/// So many samples make a part of the time.
const PART: usize = 16;

/// Tracks, of each all lanes or one.
pub type Chosen<'a> = &'a [(TrackId, Option<usize>)];

/// Rows of one track in order of start.
pub(in crate::analysis) enum Rows {
    /// Rows that follow one another.
    Range(Range<u32>),
    /// Rows of a track that is not in order yet.
    Listed(std::vec::IntoIter<u32>),
}

impl Rows {
    /// The first of them.
    fn peek(&self) -> Option<u32> {
        match self {
            Self::Range(rows) => (!rows.is_empty()).then_some(rows.start),
            Self::Listed(rows) => rows.as_slice().first().copied(),
        }
    }

    /// How many of them start before a time.
    fn n_before(&self, starts: &Chunked<Ticks>, time: Ticks) -> usize {
        match self {
            Self::Range(rows) => rows.clone().take_while(|&row| starts[row as usize] < time).count(),
            Self::Listed(rows) => {
                rows.as_slice().iter().take_while(|&&row| starts[row as usize] < time).count()
            }
        }
    }

    /// Every so many of them.
    fn samples(&self) -> impl Iterator<Item = u32> {
        let (range, listed) = match self {
            Self::Range(rows) => (rows.clone(), &[][..]),
            Self::Listed(rows) => (0..0, rows.as_slice()),
        };
        range.skip(SAMPLED).step_by(SAMPLED).chain(listed.iter().copied().skip(SAMPLED).step_by(SAMPLED))
    }
}

impl Iterator for Rows {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            Self::Range(rows) => rows.next(),
            Self::Listed(rows) => rows.next(),
        }
    }
}

/// What is wanted of a slice, and when that starts.
#[derive(Clone, Copy)]
struct Started<T> {
    start: Ticks,
    what: T,
}

/// Times are shown times ([`Timeline::shift`]): the span is, and the starts that are told.
///
/// Calls `each` with the start of and what `take` takes of every slice that lies at least partly in the span, in order of start, then of
/// the chosen tracks, until it breaks; `take` gets the number of the track among the chosen ones and the slice. A slice
/// without length lies in the span that contains its start.
pub fn in_order<T: Copy>(
    trace: &Trace,
    timeline: &Timeline,
    chosen: Chosen,
    span: Span,
    take: impl Fn(usize, SliceId) -> Option<T>,
    each: impl FnMut(Ticks, T) -> ControlFlow<()>,
) {
    InOrder::new(trace, timeline, chosen, span).step(usize::MAX, (trace, timeline, chosen), take, each);
}

/// The same in steps, of a trace whose rows keep their places.
pub struct InOrder {
    shifts: Vec<Ticks>,
    /// Rows that reach into the span, with the numbers of their tracks.
    reaching: Vec<(usize, u32)>,
    tracks: Vec<(usize, Rows)>,
    /// Ends of the parts of the time that are left.
    parts: std::vec::IntoIter<Ticks>,
}

impl InOrder {
    /// Begins. Costs the tracks, and a look at some of their rows.
    pub fn new(trace: &Trace, timeline: &Timeline, chosen: Chosen, span: Span) -> Self {
        let shifts: Vec<Ticks> = chosen.iter().map(|&(id, _)| timeline.shift_of(id)).collect();
        let (mut all, mut tracks) = (Vec::new(), Vec::new());
        for (order, &(id, _)) in chosen.iter().enumerate() {
            let Some(track) = trace.tracks.find(id) else { continue };
            let (mut reaching, rows) = rows_in(trace, timeline, id, span);
            order::sort_numbers(&mut reaching, &|row| track.slices.start[row as usize]);
            all.extend(reaching.into_iter().map(|row| (order, row)));
            if rows.peek().is_some() {
                tracks.push((order, rows));
            }
        }
        let starts = |order: usize| &trace.tracks.get(chosen[order].0).slices.start;
        let parts = parts(&tracks, starts, &shifts, span).into_iter();
        Self { shifts, reaching: all, tracks, parts }
    }

    /// Goes through the next `n` parts of some thousand slices; says whether there are more. A machine, as an inner
    /// loop of machines that run while the trace still grows, too.
    pub fn step<T: Copy>(
        &mut self,
        n: usize,
        (trace, timeline, chosen): (&Trace, &Timeline, Chosen),
        take: impl Fn(usize, SliceId) -> Option<T>,
        mut each: impl FnMut(Ticks, T) -> ControlFlow<()>,
    ) -> bool {
        let Self { shifts, reaching, tracks, parts } = self;
        let starts = |order: usize| &trace.tracks.get(chosen[order].0).slices.start;
        let taken = |order: usize, row: u32, start: Ticks| {
            let (track, lane) = chosen[order];
            if lane.is_some_and(|lane| timeline.track(track).lane_of(row as usize) != Some(lane)) {
                return None;
            }
            let what = take(order, SliceId { track, row })?;
            Some(Started { start: start.saturating_add(shifts[order]), what })
        };
        let mut sorter = Sorter { rows: Vec::new(), spare: Vec::new(), counts: Vec::new() };
        // Those that reach into the span begin before all others.
        let reaching = std::mem::take(reaching).into_iter();
        sorter.rows.extend(reaching.filter_map(|(at, row)| taken(at, row, starts(at)[row as usize])));
        sorter.sort();
        for row in sorter.rows.drain(..) {
            if each(row.start, row.what).is_break() {
                return false;
            }
        }
        for until in parts.by_ref().take(n) {
            for (order, rows) in tracks.iter_mut() {
                let starts = starts(*order);
                let n = rows.n_before(starts, until.saturating_sub(shifts[*order]));
                match rows {
                    Rows::Range(rows) => {
                        let from = rows.start;
                        rows.start += n as u32;
                        for row in from..rows.start {
                            sorter.rows.extend(taken(*order, row, starts[row as usize]));
                        }
                    }
                    Rows::Listed(rows) => {
                        let rows = rows.take(n);
                        sorter.rows.extend(rows.filter_map(|row| taken(*order, row, starts[row as usize])));
                    }
                }
            }
            if 1 < tracks.len() {
                sorter.sort();
            }
            for row in sorter.rows.drain(..) {
                if each(row.start, row.what).is_break() {
                    return false;
                }
            }
        }
        0 < parts.len()
    }
}

/// Sorts some thousand rows by start; equal ones stay as they are. They are dealt to as many drawers of time, after which
/// hardly any row stands wrong; only when many fall into one drawer they are compared as usual.
struct Sorter<T> {
    rows: Vec<Started<T>>,
    spare: Vec<Started<T>>,
    counts: Vec<u32>,
}

/// How many drawers, as a power of two; most rows of one.
const DRAWERS: u32 = 12;
const CROWDED: u32 = 24;

impl<T: Copy> Sorter<T> {
    fn sort(&mut self) {
        let Self { rows, spare, counts } = self;
        let starts = || rows.iter().map(|row| row.start);
        let Some((least, most)) = starts().min().zip(starts().max()) else { return };
        let shift = (u64::BITS - most.abs_diff(least).leading_zeros()).saturating_sub(DRAWERS);
        let drawer = |row: &Started<T>| (row.start.abs_diff(least) >> shift) as usize;
        counts.clear();
        counts.resize(1 << DRAWERS, 0);
        for row in rows.iter() {
            counts[drawer(row)] += 1;
        }
        if counts.iter().any(|&n| CROWDED < n) {
            order::sort_by_number(rows, |row| row.start);
            return;
        }
        let mut at = 0;
        for count in counts.iter_mut() {
            at += std::mem::replace(count, at);
        }
        spare.clear();
        spare.extend_from_slice(rows);
        for row in rows.iter() {
            let at = &mut counts[drawer(row)];
            spare[*at as usize] = *row;
            *at += 1;
        }
        for i in 1..spare.len() {
            let mut i = i;
            while 0 < i && spare[i].start < spare[i - 1].start {
                spare.swap(i - 1, i);
                i -= 1;
            }
        }
        std::mem::swap(rows, spare);
    }
}

/// Ends of the parts of the time.
fn parts<'a>(
    tracks: &[(usize, Rows)],
    starts: impl Fn(usize) -> &'a Chunked<Ticks>,
    shifts: &[Ticks],
    span: Span,
) -> Vec<Ticks> {
    let samples = |(order, rows): &(usize, Rows)| {
        let (by, starts) = (shifts[*order], starts(*order));
        rows.samples().map(|row| starts[row as usize].saturating_add(by)).collect::<Vec<_>>()
    };
    let mut samples: Vec<Ticks> = tracks.iter().flat_map(samples).collect();
    samples.sort_unstable();
    samples.into_iter().skip(PART).step_by(PART).chain([span.end]).collect()
}

/// Puts rows in the order of start, those that begin together longest first.
#[inline(never)]
pub(super) fn longest_first(slices: &Slices, rows: &mut [u32]) {
    rows.sort_by_key(|&row| (slices.start[row as usize], std::cmp::Reverse(slices.dur_of(row as usize))));
}

/// The rows of a track that are shown to begin before a span and reach into it, and those that begin in it, in order of
/// start.
pub(in crate::analysis) fn rows_in(
    trace: &Trace,
    timeline: &Timeline,
    id: TrackId,
    span: Span,
) -> (Vec<u32>, Rows) {
    let slices = &trace.tracks.get(id).slices;
    let lanes = timeline.track(id);
    let span = span.shifted(timeline.shift_of(id).saturating_neg());
    if lanes.is_in_order() && lanes.n_unplaced() == 0 {
        let n = lanes.n_placed().min(slices.len());
        let at = |time: Ticks| slices.start.partition_point_in(0..n, |&start| start < time) as u32;
        return (lanes.reaching(span.start), Rows::Range(at(span.start)..at(span.end)));
    }
    let is_in = |&row: &u32| {
        let slice = slices.span(row as usize);
        slice.start < span.end && (span.start <= slice.start || span.start < slice.end)
    };
    let mut rows: Vec<u32> = (0..slices.len() as u32).filter(is_in).collect();
    longest_first(slices, &mut rows);
    let rest = rows.split_off(rows.partition_point(|&row| slices.start[row as usize] < span.start));
    (rows, Rows::Listed(rest.into_iter()))
}
