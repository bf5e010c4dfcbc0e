//! Rows of a window: all of them in order of start, the one under the pointer, the next of the same name.

use super::Timeline;
use super::cut::Fold;
use super::order::{Chosen, in_order};
use super::track::{Lane, TrackLanes};
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::chunked::Chunked;
use crate::model::id::{SliceId, StrId, TrackId};
use std::ops::ControlFlow;

/// What lies at a point of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    Slice(SliceId),
    /// Several that are too narrow to be told apart.
    Fold(Fold),
}

/// Calls `each` for every slice that lies at least partly in the span, in order of start, then of `tracks`; `each` gets
/// the number of the track among those asked for and the slice. Of a track all lanes count or one. A slice without length
/// lies in the span that contains its start.
pub fn rows(
    trace: &Trace,
    timeline: &Timeline,
    tracks: Chosen,
    span: Span,
    mut each: impl FnMut(usize, SliceId),
) {
    in_order(
        trace,
        timeline,
        tracks,
        span,
        |order, id| Some((order, id)),
        |_, (order, id)| {
            each(order, id);
            ControlFlow::Continue(())
        },
    );
}

/// What is shown on a lane within `reach` ticks of `time`. A slice that contains the time wins, if it is at least `reach`
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
    let lanes = timeline.shown(track);
    let Lane { rows, tree } = lanes.lane(lane)?;
    let edge = tree.edge_after(time);
    if edge.before.contains(time)
        && reach <= edge.before.dur()
        && let Some(row) = edge.first.checked_sub(1).and_then(|i| rows.get(i))
    {
        return Some(Hit::Slice(SliceId { track, row }));
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

/// The slice (or instant) of the same name before or after this one, on its track first, then on the others in the order shown.
pub fn neighbor(trace: &Trace, id: SliceId, forward: bool) -> Option<SliceId> {
    let name = trace.event(id)?.name;
    let shown = trace.tracks.shown();
    let at = shown.iter().position(|&t| t == id.track)?;
    let row = id.instant().unwrap_or(id.row as usize);
    let here = |track: TrackId, from: usize, to: usize| {
        let (slices, instants) = (&trace.tracks.get(track).slices, &trace.tracks.get(track).instants);
        let names = if id.instant().is_some() { &instants.name } else { &slices.name };
        let row = same_name(names, name, from..to, forward)?;
        Some(match id.instant() {
            Some(_) => SliceId::of_instant(track, row),
            None => SliceId { track, row: row as u32 },
        })
    };
    if forward {
        here(id.track, row + 1, usize::MAX)
            .or_else(|| shown[at + 1..].iter().find_map(|&t| here(t, 0, usize::MAX)))
    } else {
        here(id.track, 0, row).or_else(|| shown[..at].iter().rev().find_map(|&t| here(t, 0, usize::MAX)))
    }
}

fn same_name(
    names: &Chunked<StrId>,
    name: StrId,
    range: std::ops::Range<usize>,
    forward: bool,
) -> Option<usize> {
    let mut range = range.start..range.end.min(names.len());
    let is_meant = |&row: &usize| names[row] == name;
    if forward { range.find(is_meant) } else { range.rfind(is_meant) }
}

/// The innermost slice around a time on a track: of all lanes the last one that has a slice there. An end counts too when
/// no slice begins there.
pub fn slice_around(lanes: &TrackLanes, time: Ticks) -> Option<u32> {
    let mut ended = None;
    for lane in (0..lanes.len()).rev() {
        let Lane { rows, tree } = lanes.lane(lane)?;
        let edge = tree.edge_after(time);
        let Some(row) = edge.first.checked_sub(1).and_then(|i| rows.get(i)) else { continue };
        let span = edge.before;
        if span.contains(time) || span.start == time {
            return Some(row);
        }
        if span.end == time && ended.is_none() {
            ended = Some(row);
        }
    }
    ended
}
