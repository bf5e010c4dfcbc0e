//! Rows in time: lanes, levels of detail, windows, hits, search, flows.
//!
//! A [`Timeline`] grows with the trace: between two chunks it takes in the rows that were added and can be drawn at once.

mod arranged;
pub mod counters;
pub mod cut;
pub mod flows;
mod lanes;
pub mod names;
pub mod order;
pub mod search;
pub mod track;
pub mod tree;
mod votes;
pub mod window;

pub use lanes::MAX_LANES;

use crate::analysis::code::origins::Origins;
use crate::base::map::Map;
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use search::{Found, SearchQuery, SearchTarget};
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
    /// The axis of times that the rest was made for.
    axis: u32,
    /// Offsets of groups and tracks.
    shifts: arranged::Shifts,
    /// Where tracks stand that share a row.
    stacks: arranged::Stacks,
    /// Lanes without what is left out.
    rest: Rest,
    /// The last search, and the revision it was made for.
    search: Option<(u64, SearchQuery, Found)>,
}

/// The lanes of the tracks that hold something that is left out of the picture: what is left closes up, as if the others
/// were not in the file. Numbers (sums, searches, depths in exports) are of all slices still.
#[derive(Default)]
struct Rest {
    /// The revision of the timeline and the names they were made for.
    made_for: (u64, Vec<StrId>),
    lanes: Map<TrackId, TrackLanes>,
}

static NO_LANES: std::sync::LazyLock<TrackLanes> = std::sync::LazyLock::new(TrackLanes::default);

impl Timeline {
    /// Takes in what was added to the trace. Costs the rows that were added, as long as they come in order of start.
    pub fn extend(&mut self, trace: &Trace) {
        self.prepare(trace);
        for ((_, track), lanes) in trace.tracks.iter().zip(&mut self.tracks) {
            lanes.extend(&track.slices);
        }
        self.names.extend(trace);
        self.counters.extend(trace);
    }

    fn prepare(&mut self, trace: &Trace) {
        let axis = trace.clocks.revision();
        if self.axis != axis {
            *self = Self { revision: self.revision, axis, ..Self::default() };
        }
        self.revision += 1;
        self.tracks.resize_with(trace.tracks.len(), TrackLanes::default);
    }

    /// Everything is loaded and sorted.
    pub fn finish(&mut self, trace: &Trace) {
        self.prepare(trace);
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

    /// Leaves slices of these names out of what is shown; the same names again cost nothing. Costs the slices, those of
    /// the tracks with such names times the logarithm of the lanes.
    pub fn leave_out(&mut self, trace: &Trace, names: &[StrId]) {
        if names.is_empty() {
            self.rest = Rest::default();
            return;
        }
        if self.rest.made_for.0 == self.revision && self.rest.made_for.1 == names {
            return;
        }
        let holds = |all: &[StrId]| all.iter().any(|name| names.contains(name));
        let tracks = trace.tracks.iter().filter(|(_, track)| holds(&track.slices.name));
        let lanes = tracks.map(|(id, track)| (id, TrackLanes::without(&track.slices, names)));
        self.rest = Rest { lanes: lanes.collect(), made_for: (self.revision, names.to_vec()) };
    }

    /// The lanes of a track as they are shown; none for a number that is not of this trace.
    pub fn shown(&self, id: TrackId) -> &TrackLanes {
        self.rest.lanes.get(&id).or_else(|| self.tracks.get(id.index())).unwrap_or(&NO_LANES)
    }

    /// The lane a slice is shown on; `None` when it is left out.
    pub fn shown_lane_of(&self, id: SliceId) -> Option<usize> {
        self.shown(id.track).lane_of(id.row as usize)
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
    pub fn find(&mut self, trace: &Trace, origins: &Origins, query: &SearchQuery, target: &SearchTarget) {
        // What is known of where slices come from grows too.
        let is_of_origin = matches!(target, SearchTarget::Origin(_));
        let known = if is_of_origin { u64::from(origins.n_read()) << 32 } else { 0 };
        let revision = self.revision | known;
        if query.text.is_empty() {
            self.search = None;
        } else if !self.search.as_ref().is_some_and(|(at, last, _)| *at == revision && last == query) {
            let found = match target {
                SearchTarget::Origin(origin) => Found::of_origin(trace, self, origins, origin),
                SearchTarget::ColorName(names) => Found::of_colors(trace, self, names),
                SearchTarget::Name => Found::search(trace, self, query),
            };
            self.search = Some((revision, query.clone(), found));
        }
    }

    /// What the last search found.
    pub fn found(&self) -> Option<&Found> {
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
