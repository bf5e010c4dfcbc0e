//! Where a slice is among the rows: what must be opened and how far scrolled for it to be seen.

use super::{View, setting};
use crate::base::geometry::Size;
use crate::document::Document;
use crate::model::id::{SliceId, TrackId};
use crate::model::track::TrackKind;
use crate::views::timeline::messages::{Frame, Place};
use crate::views::timeline::scene::TimelineInput;
use crate::views::timeline::scene::layout::{GROUP, Layout, RULER, RowKind};

/// Room left between the slice and the edge of the picture.
const MARGIN: f64 = 22.0;

pub(super) fn place(doc: &Document, id: SliceId, frame: &Frame, size: Size) -> Option<Place> {
    let head = View::new(doc, frame.color.as_deref()).head(id)?;
    let place = find(doc, id.track, Some(id), frame, size)?;
    Some(Place { head: Some(head), ..place })
}

/// The same of a track or a group, which is opened and goes to the top, so that what stands in it is seen.
pub(super) fn place_of_track(doc: &Document, track: TrackId, frame: &Frame, size: Size) -> Option<Place> {
    doc.trace().tracks.find(track)?;
    find(doc, track, None, frame, size)
}

fn find(doc: &Document, track: TrackId, slice: Option<SliceId>, frame: &Frame, size: Size) -> Option<Place> {
    let view = View::new(doc, frame.color.as_deref());
    let timeline = &doc.derived().timeline;
    let on = TimelineInput { trace: view.trace, timeline, palette: doc.palette() };
    let mut setting = setting(on, frame, (doc.language(), super::Systems::of(doc)));
    let is_group = view.trace.tracks.get(track).kind == TrackKind::Group;
    let groups = || {
        let parent = |id: &TrackId| view.trace.tracks.find(*id).and_then(|t| t.parent);
        std::iter::successors(Some(track), parent)
    };
    // What is gone to is shown, whatever was hidden, closed or filtered away.
    let to_show: Vec<TrackId> = groups().filter(|track| setting.frame.hidden.contains(track)).collect();
    setting.frame.hidden.retain(|track| !to_show.contains(track));
    let mut layout = Layout::new(view.trace, timeline, &setting);
    let is_closed = |layout: &Layout, group| layout.row_of(group).is_none_or(|row| !row.is_open);
    let to_open: Vec<TrackId> =
        groups().skip(usize::from(!is_group)).filter(|&group| is_closed(&layout, group)).collect();
    setting.frame.closed.retain(|track| !to_open.contains(track));
    setting.frame.opened.extend(&to_open);
    layout = Layout::new(view.trace, timeline, &setting);
    let is_filtered = layout.row_of(track).is_none();
    if is_filtered {
        setting.frame.rows.filter.clear();
        layout = Layout::new(view.trace, timeline, &setting);
    }
    let row = layout.row_of(track)?;
    let lane = timeline.first_lane(track) + slice.and_then(|id| timeline.shown_lane_of(id)).unwrap_or(0);
    let top = match row.kind {
        RowKind::Lanes(_) if slice.is_some_and(|id| id.instant().is_none()) => {
            row.y + f64::from(row.strip) + f64::from(row.lane) * lane as f64
        }
        _ => row.y,
    };
    // Heads of the groups above it may stay over it.
    let above = f64::from(GROUP) * row.level as f64;
    let (bottom, seen) = (top + f64::from(row.lane), f64::from(size.h - RULER - layout.pinned_h));
    let is_seen =
        slice.is_some() && setting.frame.scroll + above <= top && bottom <= setting.frame.scroll + seen;
    let scroll = if is_seen {
        setting.frame.scroll
    } else if slice.is_none() {
        top - above
    } else if top < setting.frame.scroll + above {
        top - above - MARGIN
    } else {
        bottom + MARGIN - seen
    };
    let scroll = scroll.clamp(0.0, layout.max_scroll(size.h));
    Some(Place { head: None, to_open, to_show, is_filtered, scroll })
}
