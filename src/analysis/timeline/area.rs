//! Which tracks a selected area is about.

use crate::model::Trace;
use crate::model::id::TrackId;

/// The tracks with slices among the chosen ones, in the order shown: a group stands for all below it, none for all.
pub fn tracks(trace: &Trace, chosen: &[TrackId]) -> Vec<(TrackId, Option<usize>)> {
    let parent = |id: TrackId| trace.tracks.find(id).and_then(|t| t.parent);
    let is_meant = |id: TrackId| {
        chosen.is_empty() || std::iter::successors(Some(id), |&id| parent(id)).any(|id| chosen.contains(&id))
    };
    let shown = trace.tracks.shown().iter().copied();
    let holds = |id: &TrackId| !trace.tracks.get(*id).slices.is_empty();
    shown.filter(|id| holds(id) && is_meant(*id)).map(|id| (id, None)).collect()
}
