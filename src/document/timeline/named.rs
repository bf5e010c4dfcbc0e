//! Slices by the names that addresses call them, the same in every reading of the same file.

use crate::base::time::Ticks;
use crate::model::Trace;
use crate::model::id::{SliceId, SliceName, StrId, TrackId};

/// What an address calls a slice; `None` when there is no such slice. Costs a look at the name of every track.
pub(super) fn name_of(trace: &Trace, id: SliceId) -> Option<SliceName> {
    let slices = &trace.tracks.find(id.track)?.slices;
    let (start, name) = (*slices.start.get(id.row as usize)?, *slices.name.get(id.row as usize)?);
    let track = trace.track_path(id.track);
    let occurrence = {
        let mut alike = tracks(trace, &track).flat_map(|track| rows(trace, track, start, name));
        alike.position(|one| one == id)?.try_into().ok()?
    };
    Some(SliceName { name: trace.strings.get(name).to_owned(), track, start, occurrence })
}

/// The slice that an address names.
pub(super) fn named(trace: &Trace, wanted: &SliceName) -> Option<SliceId> {
    let name = trace.strings.find(&wanted.name)?;
    let mut alike = tracks(trace, &wanted.track).flat_map(|track| rows(trace, track, wanted.start, name));
    alike.nth(wanted.occurrence as usize)
}

/// The tracks of a path: names may repeat.
fn tracks<'a>(trace: &'a Trace, path: &'a str) -> impl Iterator<Item = TrackId> + 'a {
    let may_be = |name: StrId| path.ends_with(trace.strings.get(name));
    let all = trace.tracks.iter().filter(move |(_, track)| may_be(track.name));
    all.map(|(id, _)| id).filter(move |&id| trace.track_path(id) == path)
}

/// The slices of a track that have this start and name.
fn rows(trace: &Trace, track: TrackId, start: Ticks, name: StrId) -> impl Iterator<Item = SliceId> {
    let slices = &trace.tracks.get(track).slices;
    let from = slices.start.partition_point(|&t| t < start);
    let at_start = (from..slices.len()).take_while(move |&row| slices.start[row] == start);
    let alike = at_start.filter(move |&row| slices.name[row] == name);
    alike.map(move |row| SliceId { track, row: row as u32 })
}
