//! Events that lie so far from all others of their file that nothing of these is seen beside them, and files that are two
//! recordings with far more time between them than both take.

use super::Timeline;
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::chunked::Chunked;
use crate::model::id::{ClockId, StrId, TrackId};
use crate::model::track::Track;
use std::ops::Range;

/// From so many lengths of all others on an event is far from them: our own choice, they are a hundredth of the timeline.
const FAR: i128 = 100;
/// Seconds that events are far from others at least: no clock is wrong by less, and programs sleep.
const SECONDS: f64 = 1.0;
/// Most events at an end that are looked at: more are a recording of their own.
const MOST: usize = 8;
/// There are at least so many others for each.
const OTHERS: usize = 2;

/// The events at one end of a file that are far from all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Far {
    /// How many there are.
    pub n: usize,
    /// Whether they come after the others.
    pub is_later: bool,
    /// The one nearest to the others: its track, its name and its bytes in the entry of the track; empty where samples have none.
    pub track: TrackId,
    pub name: StrId,
    pub detail: Range<u64>,
    /// Ticks between it and the others, and how long all of these last.
    pub distance: Ticks,
    pub others: Ticks,
}

/// What lies on one side of a stretch without any events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recording {
    /// From the begin of its first event to the last end of any.
    pub span: Span,
    /// How many events, and how many tracks have some.
    pub n: usize,
    pub n_tracks: usize,
}

/// Two recordings that are far from each other, by what both take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apart {
    /// The earlier one first.
    pub recordings: [Recording; 2],
    /// The first event of the later one.
    pub track: TrackId,
}

impl Apart {
    /// The time between them.
    pub fn between(&self) -> Span {
        let [before, after] = self.recordings;
        Span { start: before.span.end, end: after.span.start }
    }
}

/// Where an event stands: on which track, in which of its columns (slices, instants, then each series), in which row.
type Place = (TrackId, usize, usize);
/// When an event begins.
type Point = (Ticks, Place);

/// When the events of a column of a track begin, in order of time.
fn times(track: &Track, column: usize) -> Option<&Chunked<Ticks>> {
    match column {
        0 => Some(&track.slices.start),
        1 => Some(&track.instants.time),
        n => track.series.get(n - 2).map(|series| &series.time),
    }
}

/// What a file recorded with one clock.
#[derive(Default)]
struct Recorded {
    tracks: Vec<TrackId>,
    n: usize,
    /// The first and the last events of each track.
    first: Vec<Point>,
    last: Vec<Point>,
}

impl Timeline {
    /// The events of each file that are far from all others of it. Costs the tracks; where some are far, the slices of the
    /// file.
    pub fn far(&self, trace: &Trace) -> Vec<Far> {
        let mut files: Map<(u32, ClockId), Recorded> = Map::default();
        for (id, track) in trace.tracks.iter().filter(|(_, track)| !track.is_derived) {
            let file = files.entry((track.entry, track.clock)).or_default();
            file.tracks.push(id);
            for column in 0..2 + track.series.len() {
                let Some(times) = times(track, column) else { continue };
                file.n += times.len();
                let point = |row: usize| {
                    let time = times.get(row)?.saturating_add(self.shift_of(id));
                    Some((time, (id, column, row)))
                };
                file.first.extend((0..times.len().min(MOST + 1)).filter_map(point));
                file.last.extend((times.len().saturating_sub(MOST + 1)..times.len()).filter_map(point));
            }
        }
        let mut files: Vec<((u32, ClockId), Recorded)> = files.into_iter().collect();
        files.sort_by_key(|(key, _)| *key);
        files.into_iter().flat_map(|(_, file)| self.far_of(trace, file)).collect()
    }

    /// The files that are two recordings, both of more events than [`Timeline::far`] looks at. Costs a search in each track;
    /// where there are two, the slices of the file.
    pub fn recordings_apart(&self, trace: &Trace) -> Vec<Apart> {
        let mut files: Map<(u32, ClockId), Vec<TrackId>> = Map::default();
        for (id, track) in trace.tracks.iter().filter(|(_, track)| !track.is_derived) {
            files.entry((track.entry, track.clock)).or_default().push(id);
        }
        let mut files: Vec<((u32, ClockId), Vec<TrackId>)> = files.into_iter().collect();
        files.sort_by_key(|(key, _)| *key);
        let apart = files.iter().filter_map(|(_, tracks)| self.apart_of(trace, tracks));
        apart.filter(|apart| apart.recordings.iter().all(|one| MOST < one.n)).collect()
    }

    /// The two recordings that all events are, if there is one stretch without any that is far longer than the rest. Where
    /// both are of a few events, nobody knows: they may be what happened.
    pub fn apart(&self, trace: &Trace) -> Option<Apart> {
        let tracks = trace.tracks.iter().filter(|(_, track)| !track.is_derived);
        let apart = self.apart_of(trace, &tracks.map(|(id, _)| id).collect::<Vec<_>>());
        apart.filter(|apart| apart.recordings.iter().any(|one| MOST < one.n))
    }

    fn apart_of(&self, trace: &Trace, tracks: &[TrackId]) -> Option<Apart> {
        // Without a rate nothing is known of seconds.
        let least = (SECONDS * 1e9 / trace.clock.nanos()?) as i128;
        let columns = || {
            tracks.iter().flat_map(|id| {
                let track = trace.tracks.get(*id);
                (0..2 + track.series.len()).map(move |column| (*id, track, column))
            })
        };
        let begins = || columns().filter_map(|(id, track, column)| Some((id, times(track, column)?)));
        let at = |id: TrackId, times: &Chunked<Ticks>, row: usize| {
            Some(times.get(row)?.saturating_add(self.shift_of(id)))
        };
        let first = begins().filter_map(|(id, times)| at(id, times, 0)).min()?;
        let last = begins().filter_map(|(id, times)| at(id, times, times.len().checked_sub(1)?)).max()?;
        // More than half of all time has its middle in it: by their begins alone both sides must be far from each other.
        let middle = ((i128::from(first) + i128::from(last)) / 2) as Ticks;
        let row = |id: TrackId, times: &Chunked<Ticks>| {
            times.partition_point(|time| time.saturating_add(self.shift_of(id)) <= middle)
        };
        let before = begins().filter_map(|(id, own)| at(id, own, row(id, own).checked_sub(1)?)).max()?;
        let (after, track) = begins().filter_map(|(id, own)| Some((at(id, own, row(id, own))?, id))).min()?;
        let is_empty = |end: Ticks, rest: i128| {
            least <= apart(after, end) && is_far(apart(after, end), rest) && end < after
        };
        if !is_empty(before, apart(before, first) + apart(last, after)) {
            return None;
        }
        let mut recordings = [None::<Recording>; 2];
        let mut counted: [Option<TrackId>; 2] = [None; 2];
        for (id, own, column) in columns() {
            let Some(times) = times(own, column) else { continue };
            let from = row(id, times);
            for (side, rows) in [0..from, from..times.len()].into_iter().enumerate() {
                for span in rows.filter_map(|row| self.span_in(own, id, (column, row))) {
                    let one = recordings[side].get_or_insert(Recording { span, n: 0, n_tracks: 0 });
                    (one.span, one.n) = (one.span.union(span), one.n + 1);
                    one.n_tracks += usize::from(counted[side].replace(id) != Some(id));
                }
            }
        }
        let recordings = [recordings[0]?, recordings[1]?];
        let taken: i128 = recordings.iter().map(|one| i128::from(one.span.dur())).sum();
        is_empty(recordings[0].span.end, taken).then_some(Apart { recordings, track })
    }

    fn far_of(&self, trace: &Trace, mut file: Recorded) -> Vec<Far> {
        file.first.sort_unstable();
        file.last.sort_unstable_by(|a, b| b.cmp(a));
        let most = MOST.min(file.n / (OTHERS + 1));
        [false, true].into_iter().filter_map(|is_later| self.far_at(trace, &file, is_later, most)).collect()
    }

    /// The far events at one end of a file, at most so many.
    fn far_at(&self, trace: &Trace, file: &Recorded, is_later: bool, most: usize) -> Option<Far> {
        let (near, across) = if is_later { (&file.last, &file.first) } else { (&file.first, &file.last) };
        let across = across.first()?.0;
        let n = (1..=most).find(|n| {
            // By their begins alone they must be far.
            let pair = near.get(n - 1).zip(near.get(*n));
            pair.is_some_and(|(far, other)| is_far(apart(far.0, other.0), apart(other.0, across)))
        })?;
        let far = near.get(..n)?;
        let is_among = |place: &Place| far.iter().any(|point| point.1 == *place);
        let (mut own, mut others) = (None, None);
        for id in &file.tracks {
            let track = trace.tracks.get(*id);
            for column in 0..2 + track.series.len() {
                let Some(times) = times(track, column) else { continue };
                for row in 0..times.len() {
                    let Some(span) = self.span_in(track, *id, (column, row)) else { continue };
                    let of = if is_among(&(*id, column, row)) { &mut own } else { &mut others };
                    *of = Some(of.map_or(span, |all: Span| all.union(span)));
                }
            }
        }
        let (own, others): (Span, Span) = (own?, others?);
        let distance = if is_later { apart(own.start, others.end) } else { apart(others.start, own.end) };
        let meet = own.start < others.end && others.start < own.end;
        // Without a rate nothing is known of seconds.
        let least = (SECONDS * 1e9 / trace.clock.nanos()?) as i128;
        let is_apart = least <= distance && is_far(distance, i128::from(others.dur()));
        if meet || others.is_empty() || !is_apart {
            return None;
        }
        let (_, (track, column, row)) = *far.last()?;
        let (name, detail) = named(trace.tracks.get(track), (column, row));
        let others = others.dur();
        Some(Far { n, is_later, track, name, detail, distance: distance as Ticks, others })
    }

    /// When an event is, where all that are shown are; a slice without an end is where it begins.
    fn span_in(&self, track: &Track, id: TrackId, (column, row): (usize, usize)) -> Option<Span> {
        let start = *times(track, column)?.get(row)?;
        let has_end = column == 0 && !track.slices.is_unfinished(row);
        let dur = if has_end { track.slices.dur_of(row) } else { 0 };
        let start = start.saturating_add(self.shift_of(id));
        Some(Span { start, end: start.saturating_add(dur) })
    }
}

/// Ticks between two times.
fn apart(a: Ticks, b: Ticks) -> i128 {
    (i128::from(a) - i128::from(b)).abs()
}

/// Whether so many ticks are far from what lasts this long.
fn is_far(distance: i128, others: i128) -> bool {
    0 < distance && FAR * others < distance
}

/// The name and the bytes of an event; a sample has no bytes and the name of its series.
fn named(track: &Track, (column, row): (usize, usize)) -> (StrId, Range<u64>) {
    let of = |names: &Chunked<StrId>| names.get(row).copied().unwrap_or(StrId(0));
    match column {
        0 => (of(&track.slices.name), track.slices.detail(row)),
        1 => (of(&track.instants.name), track.instants.detail(row)),
        n => (track.series.get(n - 2).map_or(StrId(0), |series| series.name), 0..0),
    }
}
