//! Slices, instants and tracks by the names that addresses call them, the same in every reading of the same file.

use crate::analysis::timeline::search::Filter;
use crate::base::time::Ticks;
use crate::document::Document;
use crate::model::Trace;
use crate::model::chunked::Chunked;
use crate::model::id::{SliceId, SliceName, StrId, TrackId, TrackName};
use crate::views::timeline::messages::Like;

/// What an address calls a slice; `None` when there is no such slice. Costs a look at the name of every track.
pub(super) fn name_of(trace: &Trace, id: SliceId) -> Option<SliceName> {
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
pub(super) fn named(trace: &Trace, wanted: &SliceName) -> Option<SliceId> {
    let name = trace.strings.find(&wanted.name)?;
    let mut alike = tracks(trace, &wanted.track).flat_map(|track| rows(trace, track, wanted.start, name));
    alike.nth(wanted.occurrence as usize)
}

/// What an address calls a track; `None` when there is no such track. Costs a look at the name of every track.
pub(super) fn name_of_track(trace: &Trace, id: TrackId) -> Option<TrackName> {
    trace.tracks.find(id)?;
    let path = trace.track_path(id);
    let occurrence = tracks(trace, &path).position(|one| one == id)?.try_into().ok()?;
    Some(TrackName { path, occurrence })
}

/// The track that an address names.
pub(super) fn track_named(trace: &Trace, wanted: &TrackName) -> Option<TrackId> {
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

/// Most names, and most tracks, that a text finds.
const LIKE: usize = 8;
/// Most names that are looked at: a few milliseconds.
const NAMES: usize = 50_000;

/// Names of slices, tracks and groups with all words of a text: names in order of first use, tracks as they are shown.
pub(super) fn like(doc: &Document, text: &str) -> Like {
    let (trace, names) = (doc.trace(), doc.derived().timeline.names());
    let text = text.to_lowercase();
    let has_all = |name: &str| {
        let name = name.to_lowercase();
        text.split_whitespace().all(|word| name.contains(word))
    };
    let used = names.used().iter().take(NAMES).filter(|&&name| has_all(trace.strings.get(name)));
    let names = used.take(LIKE).map(|&name| (trace.strings.get(name).to_owned(), names.total(name).n));
    let paths = trace.tracks.shown().iter().map(|&id| (id, trace.track_path(id)));
    let tracks = paths.filter(|(_, path)| has_all(path)).take(LIKE).collect();
    let has_terms = Filter::parse(&text).is_some();
    Like { names: names.collect(), tracks, has_terms }
}
