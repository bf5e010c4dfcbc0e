//! How the user arranged the tracks: laid later or earlier, and put into one row.

use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::chunked::Chunked;
use crate::model::id::{SliceId, StrId, TrackId};

// Files whose times lie far apart: on one axis of their times nothing of any of them could be seen.

/// Files are apart when between them lies more than so many times the longer one.
const FAR: Ticks = 100;

/// Where a file stands among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    pub file: usize,
    /// How much later than the first of all it begins.
    pub later: Ticks,
    /// The offset that lays it, with what is near it, beside the first; 0 for what is near that one.
    pub by: Ticks,
}

impl Timeline {
    /// Where files stand, the first one first. Files that are near each other have one offset: it changes nothing between
    /// them. Tells of each entry's file by its number. Costs the lanes of all tracks.
    pub fn placed(&self, trace: &Trace, files: &Map<u32, usize>) -> Vec<Placed> {
        let mut spans: Map<usize, Span> = Map::default();
        for (id, track) in trace.tracks.iter() {
            if let Some((file, extent)) = files.get(&track.entry).zip(self.extent(trace, id)) {
                spans.entry(*file).and_modify(|span| *span = span.union(extent)).or_insert(extent);
            }
        }
        let mut spans: Vec<(usize, Span)> = spans.into_iter().collect();
        order::sort_by_key(&mut spans, |(file, span)| (span.start, *file));
        let Some((_, first)) = spans.first().copied() else { return Vec::new() };
        // What lies near each other so far.
        let (mut near, mut by) = (first, 0);
        let place = |(file, span): (usize, Span)| {
            if near.dur().max(span.dur()) < span.start.saturating_sub(near.end) / FAR {
                (near, by) = (span, first.start.saturating_sub(span.start));
            }
            near = near.union(span);
            Placed { file, later: span.start.saturating_sub(first.start), by }
        };
        spans.into_iter().map(place).collect()
    }
}

// Where tracks stand that the user merged into one row: on the same lanes while nothing overlaps, else below each
// other, so that no slice is ever drawn over another.

/// So many places are tried for a track before it is put below all others.
const MAX_TRIED: usize = 64;

/// The merged rows in force.
#[derive(Default)]
pub(in crate::analysis::timeline) struct Stacks {
    /// What they were made for: revision of the timeline, names that are left out, merged tracks.
    made_for: (u64, Vec<StrId>, Vec<Vec<TrackId>>),
    first_lane: Map<TrackId, usize>,
}

impl Timeline {
    /// Finds where tracks stand that share a row: each on the highest lanes where it overlaps nothing of those before it.
    /// Costs nothing when that is known already; else the slices of these tracks for each place that is tried, up to the
    /// first that overlap.
    pub fn stack(&mut self, trace: &Trace, merged: &[Vec<TrackId>]) {
        let (revision, left_out, known) = &self.stacks.made_for;
        if known == merged
            && (merged.is_empty() || (*revision == self.revision && *left_out == self.rest.made_for.1))
        {
            return;
        }
        let mut first_lane = Map::default();
        for tracks in merged {
            let mut placed: Vec<(TrackId, usize)> = Vec::new();
            for &track in tracks.iter().filter(|&&track| trace.tracks.find(track).is_some()) {
                let below = placed.iter().map(|&(id, at)| at + self.shown(id).len()).max().unwrap_or(0);
                let fits = |&at: &usize| self.fits(trace, &placed, track, at);
                let at = (0..below.min(MAX_TRIED)).find(fits).unwrap_or(below);
                placed.push((track, at));
            }
            for (track, at) in placed {
                first_lane.entry(track).or_insert(at);
            }
        }
        let made_for = (self.revision, self.rest.made_for.1.clone(), merged.to_vec());
        self.stacks = Stacks { made_for, first_lane };
    }

    /// On which lane of its row the first lane of a track stands: 0 unless it was merged into one with others.
    pub fn first_lane(&self, track: TrackId) -> usize {
        self.stacks.first_lane.get(&track).copied().unwrap_or(0)
    }

    /// Whether a track from lane `at` on overlaps none of those that are placed.
    fn fits(&self, trace: &Trace, placed: &[(TrackId, usize)], track: TrackId, at: usize) -> bool {
        (0..self.shown(track).len()).all(|lane| {
            placed.iter().all(|&(other, other_at)| {
                let beside = (at + lane).checked_sub(other_at);
                let beside = beside.filter(|&beside| beside < self.shown(other).len());
                beside.is_none_or(|beside| {
                    !overlap(self.lane_spans(trace, track, lane), self.lane_spans(trace, other, beside))
                })
            })
        })
    }

    /// When the slices of a lane are shown, in order. One without length takes one tick.
    fn lane_spans(&self, trace: &Trace, track: TrackId, lane: usize) -> impl Iterator<Item = (Ticks, Ticks)> {
        let shift = self.shift_of(track);
        let slices = &trace.tracks.get(track).slices;
        let rows = self.shown(track).lane(lane).into_iter().flat_map(|lane| lane.rows.iter());
        rows.map(move |row| {
            let Span { start, end } = slices.span(row as usize).shifted(shift);
            (start, end.max(start.saturating_add(1)))
        })
    }
}

/// Whether any of these stretches of time, each list in order and without overlaps in itself, overlap.
fn overlap(mut a: impl Iterator<Item = (Ticks, Ticks)>, mut b: impl Iterator<Item = (Ticks, Ticks)>) -> bool {
    let mut now = (a.next(), b.next());
    while let (Some(one), Some(other)) = now {
        if one.1 <= other.0 {
            now.0 = a.next();
        } else if other.1 <= one.0 {
            now.1 = b.next();
        } else {
            return true;
        }
    }
    false
}

// Offsets that the user gave groups and tracks, so that what ran on several clocks can be laid side by side.
//
// The trace stays as it is. A time that is *shown* is the time of the file plus the offset of the track; the offset of a
// track is its own plus those of the groups above it. Everything that tells or asks of shown times adds them.

/// The offsets in force.
#[derive(Clone, Default)]
pub(in crate::analysis::timeline) struct Shifts {
    given: Vec<(TrackId, Ticks)>,
    /// Those that files were laid beside each other with.
    laid: Vec<(TrackId, Ticks)>,
    /// By number of the track, with those of the groups above; empty when nothing is shifted.
    by_track: Vec<Ticks>,
    /// The shown time with anything in it; `None` when nothing is shifted.
    span: Option<Span>,
    /// What was computed for: the revision of the timeline.
    revision: u64,
}

impl Timeline {
    /// Sets the offsets of groups and tracks, in ticks. Costs nothing when they are in force already, else the tracks.
    pub fn shift(&mut self, trace: &Trace, given: &[(TrackId, Ticks)]) {
        let is_same = self.shifts.given == given;
        if is_same && (given.is_empty() || self.shifts.revision == self.revision) {
            return;
        }
        self.revision += u64::from(!is_same); // hits stand in another order
        let mut by_track = vec![0; if given.is_empty() { 0 } else { trace.tracks.len() }];
        let mut span: Option<Span> = None;
        for (id, track) in trace.tracks.iter().take(by_track.len()) {
            let own = given.iter().filter(|(of, _)| *of == id).map(|(_, by)| *by);
            let above = track.parent.map_or(0, |parent| by_track[parent.index()]);
            let by = own.fold(above, Ticks::saturating_add);
            by_track[id.index()] = by;
            if let Some(extent) = self.extent(trace, id) {
                let extent = extent.shifted(by);
                span = Some(span.map_or(extent, |span| span.union(extent)));
            }
        }
        let laid = std::mem::take(&mut self.shifts.laid);
        self.shifts = Shifts { given: given.to_vec(), laid, by_track, span, revision: self.revision };
    }

    /// Lays files beside each other with these offsets, which say nothing of when things happened.
    pub fn lay(&mut self, trace: &Trace, offsets: &[(TrackId, Ticks)]) {
        self.shifts.laid = offsets.to_vec();
        self.shift(trace, offsets);
    }

    /// The offset that the file of a track was laid beside others with, unless the user gave it another one. Times of tracks
    /// where it differs have nothing to do with each other.
    pub fn laid_by(&self, trace: &Trace, track: TrackId) -> Ticks {
        let root = std::iter::successors(Some(track), |id| trace.tracks.find(*id)?.parent).last();
        let is_it = |laid: &&(TrackId, Ticks)| Some(laid.0) == root && self.shifts.given.contains(laid);
        self.shifts.laid.iter().find(is_it).map_or(0, |(_, by)| *by)
    }

    /// The offsets in force.
    pub fn offsets(&self) -> &[(TrackId, Ticks)] {
        &self.shifts.given
    }

    /// How much later than in the file the times of a track are shown, in ticks.
    pub fn shift_of(&self, track: TrackId) -> Ticks {
        self.shifts.by_track.get(track.index()).copied().unwrap_or(0)
    }

    /// The shown time with anything in it.
    pub fn span(&self, trace: &Trace) -> Option<Span> {
        self.shifts.span.or(trace.span)
    }

    /// When a slice or an instant is shown; `None` for a number that is not of this trace.
    pub fn span_of(&self, trace: &Trace, id: SliceId) -> Option<Span> {
        Some(trace.event(id)?.span.shifted(self.shift_of(id.track)))
    }

    /// From the first to the last time of a track, by the file. Costs its lanes.
    pub fn extent(&self, trace: &Trace, id: TrackId) -> Option<Span> {
        let track = trace.tracks.get(id);
        let lanes = self.track(id);
        let ends = (0..lanes.len()).filter_map(|lane| {
            let rows = &lanes.lane(lane)?.rows;
            let (first, last) = (rows.first()?, rows.last()?);
            Some(track.slices.span(first as usize).union(track.slices.span(last as usize)))
        });
        let points = |times: &Chunked<Ticks>| Some(Span::new(*times.first()?, *times.last()?));
        let others =
            track.series.iter().filter_map(|series| points(&series.time)).chain(points(&track.instants.time));
        ends.chain(others).reduce(Span::union)
    }
}
