//! Where a slice is among the rows: what must be opened and how far scrolled for it to be seen.

use super::{View, setting};
use crate::base::geometry::Size;
use crate::draw::timeline::Ground;
use crate::draw::timeline::layout::{GROUP, Layout, RULER, RowKind};
use crate::model::id::{SliceId, TrackId};
use crate::query::Document;
use crate::wire::timeline::{Frame, Place};

/// Room left between the slice and the edge of the picture.
const MARGIN: f64 = 22.0;

pub(super) fn place(doc: &Document, id: SliceId, frame: &Frame, size: Size) -> Option<Place> {
    let view = View::new(doc, frame.color);
    let head = view.head(id)?;
    let timeline = &doc.derived().timeline;
    let on = Ground { trace: view.trace, timeline, palette: doc.palette() };
    let mut setting = setting(on, frame, doc.language());
    let groups = || {
        let parent = |id: &TrackId| view.trace.tracks.find(*id).and_then(|t| t.parent);
        std::iter::successors(Some(id.track), parent)
    };
    // What is gone to is shown, whatever was hidden, closed or filtered away.
    let to_show: Vec<TrackId> = groups().filter(|track| setting.hidden.contains(track)).collect();
    setting.hidden.retain(|track| !to_show.contains(track));
    let mut layout = Layout::new(view.trace, timeline, &setting);
    let is_closed = |layout: &Layout, group| layout.row_of(group).is_none_or(|row| !row.is_open);
    let to_open: Vec<TrackId> = groups().skip(1).filter(|&group| is_closed(&layout, group)).collect();
    setting.closed.retain(|track| !to_open.contains(track));
    setting.opened.extend(&to_open);
    layout = Layout::new(view.trace, timeline, &setting);
    let is_filtered = layout.row_of(id.track).is_none();
    if is_filtered {
        setting.rows.filter.clear();
        layout = Layout::new(view.trace, timeline, &setting);
    }
    let row = layout.row_of(id.track)?;
    let lane = timeline.shown_lane_of(id).unwrap_or(0);
    let top = match row.kind {
        RowKind::Lanes(_) => row.y + f64::from(row.lane) * lane as f64,
        _ => row.y,
    };
    // Heads of the groups above it may stay over it.
    let above = f64::from(GROUP) * row.level as f64;
    let (bottom, seen) = (top + f64::from(row.lane), f64::from(size.h - RULER - layout.pinned_h));
    let is_seen = setting.scroll + above <= top && bottom <= setting.scroll + seen;
    let scroll = if is_seen {
        setting.scroll
    } else if top < setting.scroll + above {
        top - above - MARGIN
    } else {
        bottom + MARGIN - seen
    };
    let scroll = scroll.clamp(0.0, layout.max_scroll(size.h));
    Some(Place { head, to_open, to_show, is_filtered, scroll })
}
