//! What the user does to rows: aligning slices by offsets, opening all below, the offers of menus.

use crate::base::order;
use crate::base::time::Ticks;
use crate::document::Document;
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::track::TrackKind;
use crate::views::timeline::messages::{Choices, DisplayOptions, MAX_ROWS};

/// Most hidden rows that are told by name.
const MAX_HIDDEN: usize = 40;
/// Names of slices that set flags or wait for them.
const SYNC: [&str; 4] = ["SET_FLAG", "WAIT_FLAG", "set_event", "wait_event"];

/// Names of slices, and categories of flows, that are left out.
pub(super) fn left_out(trace: &Trace, display: &DisplayOptions) -> (Vec<StrId>, Vec<StrId>) {
    let names = if display.is_sync_hidden { sync(trace) } else { Vec::new() };
    (names, display.flows_off.iter().filter_map(|category| trace.strings.find(category)).collect())
}

fn sync(trace: &Trace) -> Vec<StrId> {
    SYNC.iter().filter_map(|name| trace.strings.find(name)).collect()
}

/// The group of the slice to be shifted, and by how much more: the outermost that the other slice is not in too, so that
/// a whole file, card or process moves. `None` when both are of one group.
pub(super) fn align(doc: &Document, id: SliceId, base: SliceId, is_end: bool) -> Option<(TrackId, Ticks)> {
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let (own, other) = (timeline.span_of(trace, id)?, timeline.span_of(trace, base)?);
    let groups = |track: TrackId| {
        let parent = |id: &TrackId| trace.tracks.find(*id).and_then(|t| t.parent);
        let mut path: Vec<TrackId> = std::iter::successors(parent(&track), parent).collect();
        path.reverse();
        path
    };
    let (path, beside) = (groups(id.track), groups(base.track));
    let group = path.into_iter().find(|group| !beside.contains(group))?;
    let by = if is_end { other.end.checked_sub(own.end) } else { other.start.checked_sub(own.start) };
    Some((group, by?))
}

/// A group with all that can be opened below it; a track alone.
pub(super) fn below(doc: &Document, track: TrackId) -> Vec<TrackId> {
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let parent = |id: &TrackId| trace.tracks.find(*id).and_then(|t| t.parent);
    let can_open =
        |id: TrackId| trace.tracks.get(id).kind == TrackKind::Group || 1 < timeline.shown(id).len();
    let is_below = |id: TrackId| std::iter::successors(Some(id), parent).any(|above| above == track);
    trace.tracks.shown().iter().copied().filter(|&id| can_open(id) && is_below(id)).collect()
}

pub(super) fn choices(doc: &Document) -> Choices {
    let (trace, names) = (doc.trace(), doc.derived().timeline.names());
    let flows = doc.derived().timeline.flows().categories();
    let mut flows: Vec<(String, u64)> = flows.map(|(id, n)| (trace.strings.get(id).to_owned(), n)).collect();
    order::sort_by(&mut flows, |a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    flows.truncate(MAX_ROWS as usize);
    Choices {
        flows,
        has_sync: sync(trace).into_iter().any(|name| 0 < names.total(name).n),
        has_categories: names
            .used()
            .iter()
            .any(|&name| !trace.strings.get(names.total(name).category).is_empty()),
    }
}

/// The hidden rows with the names of the groups above them.
pub(super) fn hidden(trace: &Trace, hidden: &[TrackId]) -> Vec<(TrackId, String)> {
    let known = hidden.iter().filter(|&&id| trace.tracks.find(id).is_some());
    known.take(MAX_HIDDEN).map(|&id| (id, trace.track_path(id))).collect()
}
