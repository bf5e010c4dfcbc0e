//! Where keys lead: from a slice along its lane, up and down its stack and to the tracks above and below; from group to
//! group.

use super::{View, setting};
use crate::analysis::timeline::Timeline;
use crate::analysis::timeline::track::Lane;
use crate::base::geometry::Size;
use crate::base::time::{Span, Ticks};
use crate::document::Document;
use crate::model::Trace;
use crate::model::id::{SliceId, TrackId};
use crate::views::timeline::messages::{Frame, Place, Towards};
use crate::views::timeline::scene::TimelineInput;
use crate::views::timeline::scene::layout::{GROUP, Layout, RowKind, TrackRow};

/// Rows nearer than this are at the top.
const AT: f64 = 1.0;

/// The slice beside another as they are shown; `None` at the ends.
pub(super) fn beside(doc: &Document, id: SliceId, frame: &Frame, towards: Towards) -> Option<SliceId> {
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let steps = |from: usize, is_forward: bool, n: usize| {
        if is_forward { Some(from + 1).filter(|at| *at < n) } else { from.checked_sub(1) }
    };
    let is_forward = matches!(towards, Towards::After | Towards::Below);
    let is_along = matches!(towards, Towards::Before | Towards::After);
    if let Some(row) = id.instant() {
        let instants = &trace.tracks.find(id.track)?.instants;
        if is_along {
            return Some(SliceId::of_instant(id.track, steps(row, is_forward, instants.len())?));
        }
        return other_track(doc, id, frame, is_forward);
    }
    let lane = timeline.shown_lane_of(id)?;
    let span = trace.tracks.find(id.track)?.slices.span(id.row as usize);
    let lanes = timeline.shown(id.track);
    if is_along {
        let rows = &lanes.lane(lane)?.rows;
        let at = place(lanes.lane(lane)?, id.row, span.start)?;
        let row = rows.get(steps(at, is_forward, rows.len())?)?;
        return Some(SliceId { row, ..id });
    }
    let in_stack = steps(lane, is_forward, lanes.len()).and_then(|to| {
        let near = near(trace, lanes.lane(to)?, id.track, span.start, is_forward.then_some(span))?;
        // Up is what it stands under; a lane may also hold what has nothing to do with it.
        let other = trace.tracks.find(near.track)?.slices.span(near.row as usize);
        let is_around = if is_forward {
            span.start <= other.start && other.end <= span.end
        } else {
            other.start <= span.start && span.end <= other.end
        };
        is_around.then_some(near)
    });
    in_stack.or_else(|| other_track(doc, id, frame, is_forward))
}

/// Number of a slice on its lane.
fn place(lane: &Lane, row: u32, start: Ticks) -> Option<usize> {
    // Slices without length may begin together.
    let end = lane.tree.edge_after(start).first;
    (0..end).rev().find(|&at| lane.rows.get(at) == Some(row))
}

/// The slice of a lane that lies at a time, else the nearest; within a stretch the first that begins in it.
fn near(trace: &Trace, lane: &Lane, track: TrackId, time: Ticks, within: Option<Span>) -> Option<SliceId> {
    let slices = &trace.tracks.find(track)?.slices;
    let after = lane.tree.edge_after(time).first;
    let slice = |at: usize| Some((lane.rows.get(at)?, slices.span(lane.rows.get(at)? as usize)));
    let before = after.checked_sub(1).and_then(slice);
    let next = slice(after);
    let is_inside =
        |span: Span| within.is_none_or(|within| within.start <= span.start && span.end <= within.end);
    let away = |span: Span| {
        if span.contains(time) { 0 } else { span.start.abs_diff(time).min(span.end.abs_diff(time)) }
    };
    let all = before.into_iter().chain(next).filter(|(_, span)| is_inside(*span));
    all.min_by_key(|(_, span)| away(*span)).map(|(row, _)| SliceId { track, row })
}

/// The nearest outermost slice on the next track with slices among the rows that are shown.
fn other_track(doc: &Document, id: SliceId, frame: &Frame, is_forward: bool) -> Option<SliceId> {
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let time = timeline.span_of(trace, id)?.start;
    let layout = layout(doc, frame);
    let lanes = layout.rows.iter().filter(|row| matches!(row.kind, RowKind::Lanes(_)));
    let tracks: Vec<TrackId> = lanes.flat_map(TrackRow::tracks).collect();
    let at = tracks.iter().position(|track| *track == id.track)?;
    let first = |track: &TrackId| {
        let own = time.saturating_sub(timeline.shift_of(*track));
        near(trace, timeline.shown(*track).lane(0)?, *track, own, None)
    };
    if is_forward {
        tracks[at + 1..].iter().find_map(first)
    } else {
        tracks[..at].iter().rev().find_map(first)
    }
}

fn layout(doc: &Document, frame: &Frame) -> Layout {
    let view = View::new(doc, frame.color.as_deref());
    let timeline: &Timeline = &doc.derived().timeline;
    let on = TimelineInput { trace: view.trace, timeline, palette: doc.palette() };
    Layout::new(view.trace, timeline, &setting(on, frame, (doc.language(), super::Systems::of(doc))))
}

/// The group after or before the one at the top of the rows: of processes and devices, so that deep stacks are passed by
/// one key. Where all rows stand in one group, those in it.
pub(super) fn group(
    doc: &Document,
    frame: &Frame,
    size: Size,
    from: Option<TrackId>,
    is_forward: bool,
) -> Option<(TrackId, Place)> {
    let layout = layout(doc, frame);
    let outermost = |level: usize| layout.rows.iter().filter(move |row| row.level == level);
    let deepest = layout.rows.iter().map(|row| row.level).max()?;
    let level = (0..=deepest).find(|&level| 1 < outermost(level).count()).unwrap_or(0);
    let rows: Vec<&TrackRow> = outermost(level).collect();
    let top =
        |row: &TrackRow| (row.y - f64::from(GROUP) * level as f64).clamp(0.0, layout.max_scroll(size.h));
    let scroll = frame.scroll.clamp(0.0, layout.max_scroll(size.h));
    // The last ones may not reach the top: then the one that was gone to last counts.
    let last = rows.iter().position(|row| Some(row.track) == from && (top(row) - scroll).abs() < AT);
    let to = match (last, is_forward) {
        (Some(at), true) => at + 1,
        (Some(at), false) => at.checked_sub(1)?,
        (None, true) => rows.iter().position(|row| scroll + AT < top(row))?,
        (None, false) => rows.iter().rposition(|row| top(row) < scroll - AT)?,
    };
    let track = rows.get(to)?.track;
    Some((track, super::place::place_of_track(doc, track, frame, size)?))
}
