//! What the slices of a range add up to, by name: how often, how long, by themselves, overlaps once and each time.
//!
//! ```text
//! total   sum of the lengths of the slices that lie at least partly in the range, each whole
//! inside  the same, each cut to the range
//! union   time in the range during which at least one of them lasts: overlaps count once
//! own     total without the time of slices nested in them (self time)
//! ```
//! A slice is nested in the last one that started before it and does not end before it.

use super::ends::Ends;
use super::timeline::Timeline;
use super::timeline::window;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};
use crate::model::slice::Slices;

/// What slices add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// How many slices.
    pub n: u64,
    /// Sum of their lengths, overlaps counted each time.
    pub total: Ticks,
    /// Sum of their lengths cut to the range.
    pub inside: Ticks,
    /// Time in the range during which at least one lasts.
    pub union: Ticks,
    /// Total without nested slices.
    pub own: Ticks,
    /// Length of the shortest.
    pub min: Ticks,
    /// Length of the longest.
    pub max: Ticks,
    /// Until when the union is counted.
    until: Ticks,
}

impl Default for Sum {
    fn default() -> Self {
        Self { n: 0, total: 0, inside: 0, union: 0, own: 0, min: Ticks::MAX, max: 0, until: Ticks::MIN }
    }
}

impl Sum {
    /// Mean length.
    pub fn mean(&self) -> f64 {
        if self.n == 0 { 0.0 } else { self.total as f64 / self.n as f64 }
    }

    /// Takes in a slice; slices come in order of start.
    fn add(&mut self, slice: Span, range: Span, own: Ticks) {
        let inside = slice.intersect(range);
        self.n += 1;
        self.total = self.total.saturating_add(slice.dur());
        self.inside = self.inside.saturating_add(inside.dur());
        self.own = self.own.saturating_add(own);
        self.min = self.min.min(slice.dur());
        self.max = self.max.max(slice.dur());
        self.union =
            self.union.saturating_add(inside.end.saturating_sub(inside.start.max(self.until)).max(0));
        self.until = self.until.max(inside.end);
    }
}

/// What a range adds up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// By name and the track of the first slice of it, in order of first use in the range.
    pub names: Vec<(StrId, TrackId, Sum)>,
    /// All of them.
    pub all: Sum,
    /// How many tracks have a slice in the range.
    pub n_tracks: u64,
}

/// Adds up the slices of the tracks in a range. Costs the rows of the range, and for self times the rows of the tracks
/// from the first to the last of them. Self times of tracks whose rows are not in order yet are 0 (only while loading).
pub fn summarize(
    trace: &Trace,
    timeline: &Timeline,
    tracks: &[(TrackId, Option<usize>)],
    range: Span,
) -> Summary {
    let mut summary = Summary::default();
    // Where each name stands in the summary; most names are not in the range.
    let mut at: Vec<u32> = vec![u32::MAX; trace.strings.len()];
    let mut own: Vec<Option<OwnTimes>> = tracks.iter().map(|_| None).collect();
    window::rows(trace, timeline, tracks, range, |order, id| {
        let slices = &trace.tracks.get(id.track).slices;
        let own =
            own[order].get_or_insert_with(|| OwnTimes::new(trace, timeline, id.track, range)).of(id.row);
        let (name, span) = (slices.name[id.row as usize], slices.span(id.row as usize));
        let Some(at) = at.get_mut(name.index()) else { return };
        if *at == u32::MAX {
            *at = summary.names.len() as u32;
            summary.names.push((name, id.track, Sum::default()));
        }
        summary.names[*at as usize].2.add(span, range, own);
        summary.all.add(span, range, own);
    });
    summary.n_tracks = own.iter().flatten().count() as u64;
    summary
}

/// Self times of the rows of one track that lie in a range.
struct OwnTimes {
    first: u32,
    own: Vec<Ticks>,
}

impl OwnTimes {
    fn new(trace: &Trace, timeline: &Timeline, track: TrackId, range: Span) -> Self {
        let slices = &trace.tracks.get(track).slices;
        let (mut first, mut last, mut end) = (u32::MAX, 0, range.end);
        // Of the rows before the range only those that reach into it count: at most one on each lane.
        let mut take = |row: u32| {
            first = first.min(row);
            last = last.max(row);
            end = end.max(slices.span(row as usize).end);
        };
        let lanes = timeline.track(track);
        for lane in (0..lanes.len()).filter_map(|lane| lanes.lane(lane)) {
            let from = lane.rows.partition_point(|&r| slices.span(r as usize).end <= range.start);
            let to = lane.rows.partition_point(|&r| slices.start[r as usize] < range.end);
            if from < to {
                take(lane.rows[from]);
                take(lane.rows[to - 1]);
            }
        }
        if last < first || !lanes.is_in_order() {
            return Self { first: 0, own: Vec::new() };
        }
        let after = slices.start.partition_point(|&start| start < end).max(last as usize + 1);
        Self { first, own: own_times(slices, first as usize, after) }
    }

    fn of(&self, row: u32) -> Ticks {
        self.own.get(row.wrapping_sub(self.first) as usize).copied().unwrap_or(0)
    }
}

/// Self times of rows `first..after`, which are in order of start: the length of each without what is nested in it.
pub fn own_times(slices: &Slices, first: usize, after: usize) -> Vec<Ticks> {
    let mut own: Vec<Ticks> = slices.dur[first..after].to_vec();
    let mut open = Open::default();
    for row in first..after {
        let span = slices.span(row);
        open.close_until(span.start);
        // A slice without length lies in what lasts after its start.
        if let Some((parent, until)) = open.around(span.end.max(span.start.saturating_add(1))) {
            let nested = span.end.saturating_sub(span.start.max(*until)).max(0);
            own[parent - first] -= nested;
            *until = (*until).max(span.end);
        }
        open.push(row, span);
    }
    own
}

/// Slices that have begun, in order of start, under a tree of their latest ends: the last one that does not end before a
/// time is found in logarithmic time, however deep the nesting and however odd the overlaps.
#[derive(Default)]
struct Open {
    /// Row, and until when its nested slices are counted.
    rows: Vec<(usize, Ticks)>,
    ends: Ends<true>,
}

impl Open {
    fn push(&mut self, row: usize, span: Span) {
        if self.rows.len() == self.ends.len() {
            self.ends.grow();
        }
        self.ends.set(self.rows.len(), span.end);
        self.rows.push((row, span.start));
    }

    /// Forgets those at the end that are over.
    fn close_until(&mut self, time: Ticks) {
        while let Some(last) = self.rows.len().checked_sub(1) {
            if time < self.ends.at(last) {
                break;
            }
            self.rows.pop();
            self.ends.set(last, Ticks::MIN);
        }
    }

    /// The last one that does not end before `end`: its row, and until when its nested slices are counted.
    fn around(&mut self, end: Ticks) -> Option<(usize, &mut Ticks)> {
        if self.ends.all() < end {
            return None;
        }
        let at = self.ends.last(|latest| end <= latest);
        self.rows.get_mut(at).map(|(row, until)| (*row, until))
    }
}
