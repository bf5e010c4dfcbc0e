//! What the user did to the rows: their order among siblings, a filter by name, other names, merged rows.

use crate::base::map::Map;
use crate::base::time::Ticks;
use crate::model::Trace;
use crate::model::id::TrackId;
use serde::{Deserialize, Serialize};

/// What the user did to the rows beside opening, pinning and hiding them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrangement {
    /// Only rows with this in their name, or in one above or below them, are shown; empty shows all.
    pub filter: String,
    /// Rows that were moved among their siblings, one after the other.
    pub moved: Vec<Move>,
    /// Tracks that share a row, that of the first of them.
    pub merged: Vec<Vec<TrackId>>,
    /// Names of the user in place of those of the file.
    pub aliases: Vec<(TrackId, String)>,
    /// How much later than in the file the times of groups and tracks are shown; those of groups above add up.
    pub offsets: Vec<(TrackId, Ticks)>,
}

/// A row that was moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    pub track: TrackId,
    /// The sibling it stands before since; `None` is the end.
    pub before: Option<TrackId>,
}

impl Arrangement {
    /// The name that is shown of a track.
    pub fn name<'a>(&'a self, trace: &'a Trace, track: TrackId) -> &'a str {
        let own = self.aliases.iter().find(|(of, _)| *of == track).map(|(_, name)| name.as_str());
        own.unwrap_or_else(|| trace.tracks.find(track).map_or("", |t| trace.strings.get(t.name)))
    }

    /// The other tracks that the user merged into a row.
    pub fn merged_with(&self, row: TrackId) -> &[TrackId] {
        let merged = self.merged.iter().find(|list| list.first() == Some(&row));
        merged.and_then(|list| list.get(1..)).unwrap_or_default()
    }

    /// The tracks of some rows, those that were merged into them among them.
    pub fn tracks_of(&self, rows: &[TrackId]) -> Vec<TrackId> {
        rows.iter().flat_map(|row| [&[*row], self.merged_with(*row)].concat()).collect()
    }
}

/// Places in `Tracks::shown`, in the order of the user: depth first. Moves of rows that are gone, or to another group, do
/// nothing. Costs the tracks, and the siblings of each row that was moved.
pub(super) fn places(trace: &Trace, moved: &[Move]) -> Vec<usize> {
    let shown = trace.tracks.shown();
    if moved.is_empty() {
        return (0..shown.len()).collect();
    }
    let parent = |at: usize| trace.tracks.get(shown[at]).parent;
    let mut below: Map<Option<TrackId>, Vec<usize>> = Map::default();
    for at in 0..shown.len() {
        below.entry(parent(at)).or_default().push(at);
    }
    for step in moved {
        let Some(track) = trace.tracks.find(step.track) else { continue };
        let Some(list) = below.get_mut(&track.parent) else { continue };
        let place = |list: &[usize], id| list.iter().position(|&at| shown[at] == id);
        let to_end = step.before.is_none();
        let is_known = step.before.is_some_and(|before| place(list, before).is_some());
        if !(to_end || is_known) || step.before == Some(step.track) {
            continue;
        }
        let Some(from) = place(list, step.track) else { continue };
        let own = list.remove(from);
        let to = step.before.and_then(|before| place(list, before)).unwrap_or(list.len());
        list.insert(to, own);
    }
    let mut order = Vec::with_capacity(shown.len());
    let mut open: Vec<usize> = below.remove(&None).unwrap_or_default();
    open.reverse();
    while let Some(at) = open.pop() {
        order.push(at);
        open.extend(below.remove(&Some(shown[at])).unwrap_or_default().into_iter().rev());
    }
    order
}

/// What a filter leaves, by number of the track.
pub(super) struct FilteredTracks {
    /// How many tracks have a name that is wanted.
    pub(super) n: usize,
    /// Bits: its own name is wanted, that of one above it, that of one below it.
    marks: Vec<u8>,
}

const OWN: u8 = 1;
const ABOVE: u8 = 2;
const BELOW: u8 = 4;

impl FilteredTracks {
    /// Whether a row is shown.
    pub(super) fn is_kept(&self, track: TrackId) -> bool {
        self.marks[track.index()] != 0
    }

    /// Whether something wanted stands below.
    pub(super) fn is_above(&self, track: TrackId) -> bool {
        self.marks[track.index()] & BELOW != 0
    }
}

/// Looks for the filter in the names and second words of all tracks, capitals aside; `None` without a filter. Costs the
/// tracks and their names.
pub(super) fn sift(trace: &Trace, rows: &Arrangement) -> Option<FilteredTracks> {
    let filter = rows.filter.trim().to_lowercase();
    if filter.is_empty() {
        return None;
    }
    let is_in = |text: &str| text.to_lowercase().contains(&filter);
    let mut marks = vec![0; trace.tracks.len()];
    let mut n = 0;
    let shown = trace.tracks.shown();
    for &id in shown {
        let track = trace.tracks.get(id);
        if is_in(rows.name(trace, id)) || is_in(trace.strings.get(track.label)) {
            marks[id.index()] |= OWN;
            n += 1;
        }
        if track.parent.is_some_and(|parent| marks[parent.index()] & (OWN | ABOVE) != 0) {
            marks[id.index()] |= ABOVE;
        }
    }
    for &id in shown.iter().rev() {
        if marks[id.index()] & (OWN | BELOW) != 0
            && let Some(parent) = trace.tracks.get(id).parent
        {
            marks[parent.index()] |= BELOW;
        }
    }
    Some(FilteredTracks { n, marks })
}
