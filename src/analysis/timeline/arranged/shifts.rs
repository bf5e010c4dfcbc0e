//! Offsets that the user gave groups and tracks, so that what ran on several clocks can be laid side by side.
//!
//! The trace stays as it is. A time that is *shown* is the time of the file plus the offset of the track; the offset of a
//! track is its own plus those of the groups above it. Everything that tells or asks of shown times adds them.

use crate::analysis::timeline::Timeline;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::chunked::Chunked;
use crate::model::id::{SliceId, TrackId};

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
            let (first, last) = (*rows.first()?, *rows.last()?);
            Some(track.slices.span(first as usize).union(track.slices.span(last as usize)))
        });
        let points = |times: &Chunked<Ticks>| Some(Span::new(*times.first()?, *times.last()?));
        let others =
            track.series.iter().filter_map(|series| points(&series.time)).chain(points(&track.instants.time));
        ends.chain(others).reduce(Span::union)
    }
}
