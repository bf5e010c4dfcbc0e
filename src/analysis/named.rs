//! Slices, instants and tracks by the names that addresses call them, the same in every reading of the same file.

use crate::base::time::Ticks;
use crate::model::Trace;
use crate::model::chunked::Chunked;
use crate::model::id::{SliceId, SliceName, StrId, TrackId, TrackName};

/// What an address calls a slice; `None` when there is no such slice. Costs a look at the name of every track.
pub fn name_of(trace: &Trace, id: SliceId) -> Option<SliceName> {
    let event = trace.event(id)?;
    let (start, name) = (event.span.start, event.name);
    let track = trace.track_path(id.track);
    let occurrence = {
        let mut alike = tracks(trace, &track).flat_map(|track| rows(trace, track, start, name));
        alike.position(|one| one == id)?.try_into().ok()?
    };
    Some(SliceName { name: trace.strings.get(name).to_owned(), track, start, occurrence })
}

/// The slice that an address names.
pub fn named(trace: &Trace, wanted: &SliceName) -> Option<SliceId> {
    let name = trace.strings.find(&wanted.name)?;
    let mut alike = tracks(trace, &wanted.track).flat_map(|track| rows(trace, track, wanted.start, name));
    alike.nth(wanted.occurrence as usize)
}

/// What an address calls a track; `None` when there is no such track. Costs a look at the name of every track.
pub fn name_of_track(trace: &Trace, id: TrackId) -> Option<TrackName> {
    trace.tracks.find(id)?;
    let path = trace.track_path(id);
    let occurrence = tracks(trace, &path).position(|one| one == id)?.try_into().ok()?;
    Some(TrackName { path, occurrence })
}

/// The track that an address names.
pub fn track_named(trace: &Trace, wanted: &TrackName) -> Option<TrackId> {
    tracks(trace, &wanted.path).nth(wanted.occurrence as usize)
}

/// The tracks of a path: names may repeat.
fn tracks<'a>(trace: &'a Trace, path: &'a str) -> impl Iterator<Item = TrackId> + 'a {
    let may_be = |name: StrId| path.ends_with(trace.strings.get(name));
    let all = trace.tracks.iter().filter(move |(_, track)| may_be(track.name));
    all.map(|(id, _)| id).filter(move |&id| trace.track_path(id) == path)
}

/// The slices, then the instants of a track that have this start and name.
fn rows(trace: &Trace, track: TrackId, start: Ticks, name: StrId) -> impl Iterator<Item = SliceId> {
    let (slices, instants) = (&trace.tracks.get(track).slices, &trace.tracks.get(track).instants);
    let alike = |times: &Chunked<Ticks>, names: &Chunked<StrId>| {
        let from = times.partition_point(|&t| t < start);
        let at_start = (from..times.len()).take_while(|&row| times[row] == start);
        at_start.filter(|&row| names[row] == name).collect::<Vec<_>>()
    };
    let instants = alike(&instants.time, &instants.name).into_iter();
    let slices = alike(&slices.start, &slices.name).into_iter();
    let slices = slices.map(move |row| SliceId { track, row: row as u32 });
    slices.chain(instants.map(move |row| SliceId::of_instant(track, row)))
}
