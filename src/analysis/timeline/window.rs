//! Rows of a window: all of them in order of start, the one under the pointer, the next of the same name.

use super::Timeline;
use super::cut::Fold;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::slice::Slices;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// What lies at a point of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// One slice.
    Slice(SliceId),
    /// Several that are too narrow to be told apart.
    Fold(Fold),
}

/// The next row of a lane in a merge: start, number of the track among those asked for, row, number of the lane's cursor.
type Head = Reverse<(Ticks, usize, u32, usize)>;

/// Calls `each` for every slice that lies at least partly in the span, in order of start, then of `tracks`; `each` gets
/// the number of the track among those asked for and the slice. Of a track all lanes count or one. A slice without length
/// lies in the span that contains its start.
pub fn rows(
    trace: &Trace,
    timeline: &Timeline,
    tracks: &[(TrackId, Option<usize>)],
    span: Span,
    mut each: impl FnMut(usize, SliceId),
) {
    // A merge that holds one row for each lane.
    let mut cursors: Vec<(&[u32], &Slices)> = Vec::new();
    let mut heads: BinaryHeap<Head> = BinaryHeap::new();
    for (order, &(id, only)) in tracks.iter().enumerate() {
        let Some(track) = trace.tracks.find(id) else { continue };
        let (lanes, slices) = (timeline.track(id), &track.slices);
        let chosen = only.map_or(0..lanes.len(), |lane| lane..lane + 1);
        for rows in chosen.filter_map(|lane| lanes.lane(lane)).map(|lane| lane.rows.as_slice()) {
            let is_before = |&row: &u32| {
                let s = slices.span(row as usize);
                s.end <= span.start && s.start < span.start
            };
            let rest = &rows[rows.partition_point(is_before)..];
            if let Some((&row, rest)) = rest.split_first() {
                heads.push(Reverse((slices.start[row as usize], order, row, cursors.len())));
                cursors.push((rest, slices));
            }
        }
    }
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((start, order, row, at)) = *head;
        if span.end <= start {
            break;
        }
        each(order, SliceId { track: tracks[order].0, row });
        let (rest, slices) = &mut cursors[at];
        if let Some((&next, after)) = rest.split_first() {
            *rest = after;
            *head = Reverse((slices.start[next as usize], order, next, at));
        } else {
            PeekMut::pop(head);
        }
    }
}

/// What lies on a lane within `reach` ticks of `time`. A slice that contains the time wins, if it is at least `reach`
/// long; then, if only one slice is near, that one; else all that are near, folded.
pub fn hit(
    trace: &Trace,
    timeline: &Timeline,
    track: TrackId,
    lane: usize,
    time: Ticks,
    reach: Ticks,
) -> Option<Hit> {
    let slices = &trace.tracks.find(track)?.slices;
    let lanes = timeline.track(track);
    let rows = &lanes.lane(lane)?.rows;
    let after = rows.partition_point(|&row| slices.start[row as usize] <= time);
    if let Some(&row) = after.checked_sub(1).and_then(|i| rows.get(i)) {
        let span = slices.span(row as usize);
        if span.contains(time) && reach <= span.dur() {
            return Some(Hit::Slice(SliceId { track, row }));
        }
    }
    let fold = lanes.fold(slices, lane, near(time, reach));
    match (fold.n, fold.longest) {
        (1, Some((row, _))) => Some(Hit::Slice(SliceId { track, row })),
        (0, _) | (_, None) => None,
        _ => Some(Hit::Fold(fold)),
    }
}

/// The stretch of time that counts as near.
pub fn near(time: Ticks, reach: Ticks) -> Span {
    Span { start: time.saturating_sub(reach), end: time.saturating_add(reach.max(1)) }
}

/// The slice of the same name before or after this one, on its track first, then on the others in the order shown.
pub fn neighbor(trace: &Trace, id: SliceId, forward: bool) -> Option<SliceId> {
    let name = *trace.tracks.find(id.track)?.slices.name.get(id.row as usize)?;
    let shown = trace.tracks.shown();
    let at = shown.iter().position(|&t| t == id.track)?;
    let row = id.row as usize;
    let here = |track: TrackId, from: usize, to: usize| same_name(trace, track, name, from..to, forward);
    if forward {
        here(id.track, row + 1, usize::MAX)
            .or_else(|| shown[at + 1..].iter().find_map(|&t| here(t, 0, usize::MAX)))
    } else {
        here(id.track, 0, row).or_else(|| shown[..at].iter().rev().find_map(|&t| here(t, 0, usize::MAX)))
    }
}

fn same_name(
    trace: &Trace,
    track: TrackId,
    name: StrId,
    range: std::ops::Range<usize>,
    forward: bool,
) -> Option<SliceId> {
    let names = &trace.tracks.get(track).slices.name;
    let range = range.start..range.end.min(names.len());
    let rows = names.get(range.clone())?;
    let at =
        if forward { rows.iter().position(|&n| n == name) } else { rows.iter().rposition(|&n| n == name) }?;
    Some(SliceId { track, row: (range.start + at) as u32 })
}

/// The innermost slice around a time on a track: of all lanes the last one that has a slice there. An end counts too when
/// no slice begins there.
pub fn slice_around(
    trace: &Trace,
    lanes: &super::track::TrackLanes,
    track: TrackId,
    time: Ticks,
) -> Option<u32> {
    let slices = &trace.tracks.find(track)?.slices;
    let mut ended = None;
    for lane in (0..lanes.len()).rev() {
        let rows = &lanes.lane(lane)?.rows;
        let after = rows.partition_point(|&row| slices.start[row as usize] <= time);
        let Some(&row) = after.checked_sub(1).and_then(|i| rows.get(i)) else { continue };
        let span = slices.span(row as usize);
        if span.contains(time) || span.start == time {
            return Some(row);
        }
        if span.end == time && ended.is_none() {
            ended = Some(row);
        }
    }
    ended
}
