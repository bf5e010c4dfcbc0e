//! Rows in time: lanes, levels of detail, windows, hits, search, flows.
//!
//! A [`Timeline`] grows with the trace: between two chunks it takes in the rows that were added and can be drawn at once.

pub mod counters;
pub mod cut;
pub mod flows;
mod lanes;
pub mod names;
pub mod order;
pub mod search;
mod shifts;
pub mod track;
pub mod tree;
mod votes;
pub mod window;

pub use lanes::MAX_LANES;

use crate::analysis::code::origins::Origins;
use crate::model::Trace;
use crate::model::id::{SliceId, TrackId};
use track::TrackLanes;

/// What is computed of the slices, samples and flows of a trace.
#[derive(Default)]
pub struct Timeline {
    tracks: Vec<TrackLanes>,
    names: names::Names,
    counters: counters::Counters,
    flows: flows::FlowIndex,
    /// Counts up with everything that can change a picture.
    revision: u64,
    /// Offsets of groups and tracks.
    shifts: shifts::Shifts,
    /// The last search, and the revision it was made for.
    search: Option<(u64, search::Wanted, search::Found)>,
}

static NO_LANES: std::sync::LazyLock<TrackLanes> = std::sync::LazyLock::new(TrackLanes::default);

impl Timeline {
    /// Takes in what was added to the trace. Costs the rows that were added, as long as they come in order of start.
    pub fn extend(&mut self, trace: &Trace) {
        self.revision += 1;
        self.tracks.resize_with(trace.tracks.len(), TrackLanes::default);
        for ((_, track), lanes) in trace.tracks.iter().zip(&mut self.tracks) {
            lanes.extend(&track.slices);
        }
        self.names.extend(trace);
        self.counters.extend(trace);
    }

    /// Everything is loaded and sorted.
    pub fn finish(&mut self, trace: &Trace) {
        self.revision += 1;
        self.tracks.resize_with(trace.tracks.len(), TrackLanes::default);
        for ((_, track), lanes) in trace.tracks.iter().zip(&mut self.tracks) {
            lanes.finish(&track.slices);
        }
        self.names.finish(trace);
        self.counters.finish(trace);
        self.flows.finish(trace, &self.tracks);
    }

    /// The lanes of a track; none for a number that is not of this trace.
    pub fn track(&self, id: TrackId) -> &TrackLanes {
        self.tracks.get(id.index()).unwrap_or(&NO_LANES)
    }

    /// The lane a slice stands on.
    pub fn lane_of(&self, id: SliceId) -> Option<usize> {
        self.track(id.track).lane_of(id.row as usize)
    }

    /// Totals by name.
    pub fn names(&self) -> &names::Names {
        &self.names
    }

    /// Levels of detail of counters.
    pub fn counters(&self) -> &counters::Counters {
        &self.counters
    }

    /// Searches slices by their names or by where they come from; the same search again costs nothing. Nothing when the
    /// text is empty.
    pub fn find(&mut self, trace: &Trace, origins: &Origins, wanted: &search::Wanted) {
        // What is known of where slices come from grows too.
        let known = if wanted.origin.is_some() { u64::from(origins.n_read()) << 32 } else { 0 };
        let revision = self.revision | known;
        if wanted.text.is_empty() {
            self.search = None;
        } else if !self.search.as_ref().is_some_and(|(at, last, _)| *at == revision && last == wanted) {
            let found = match &wanted.origin {
                Some(origin) => search::Found::of_origin(trace, self, origins, origin),
                None => search::Found::search(trace, self, wanted),
            };
            self.search = Some((revision, wanted.clone(), found));
        }
    }

    /// What the last search found.
    pub fn found(&self) -> Option<&search::Found> {
        self.search.as_ref().map(|(_, _, found)| found)
    }

    /// Which slices flows are bound to; empty until everything is loaded.
    pub fn flows(&self) -> &flows::FlowIndex {
        &self.flows
    }

    /// Counts up with everything that can change a picture.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Bytes of memory held by lanes and their levels.
    pub fn bytes(&self) -> usize {
        self.tracks.iter().map(|t| t.bytes() + size_of::<TrackLanes>()).sum()
    }
}

/// The tracks with slices among the chosen ones, in the order shown: a group stands for all below it, none for all.
pub fn chosen_tracks(trace: &Trace, chosen: &[TrackId]) -> Vec<(TrackId, Option<usize>)> {
    let parent = |id: TrackId| trace.tracks.find(id).and_then(|t| t.parent);
    let is_meant = |id: TrackId| {
        chosen.is_empty() || std::iter::successors(Some(id), |&id| parent(id)).any(|id| chosen.contains(&id))
    };
    let shown = trace.tracks.shown().iter().copied();
    let holds = |id: &TrackId| !trace.tracks.get(*id).slices.is_empty();
    shown.filter(|id| holds(id) && is_meant(*id)).map(|id| (id, None)).collect()
}
