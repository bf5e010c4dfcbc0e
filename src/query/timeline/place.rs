//! Where a slice is among the rows: what must be opened and how far scrolled for it to be seen.

use super::{View, setting};
use crate::base::geometry::Size;
use crate::draw::timeline::layout::{Layout, RULER, RowKind};
use crate::model::id::{SliceId, TrackId};
use crate::query::Document;
use crate::wire::timeline::{Frame, Place};

/// Room left between the slice and the edge of the picture.
const MARGIN: f64 = 22.0;

pub(super) fn place(doc: &Document, id: SliceId, frame: &Frame, size: Size) -> Option<Place> {
    let view = View::new(doc, frame.color);
    let head = view.head(id)?;
    let timeline = &doc.derived().timeline;
    let mut setting = setting(view.trace, frame, doc.language());
    let layout = Layout::new(view.trace, timeline, &setting);
    let mut to_open: Vec<TrackId> = Vec::new();
    let mut at = view.trace.tracks.get(id.track).parent;
    while let Some(group) = at {
        if layout.row_of(group).is_some_and(|row| !row.is_open) {
            to_open.push(group);
        }
        at = view.trace.tracks.get(group).parent;
    }
    setting.closed.retain(|track| !to_open.contains(track));
    setting.hidden.retain(|&track| track != id.track);
    setting.opened.extend(&to_open);
    let layout = Layout::new(view.trace, timeline, &setting);
    let row = layout.row_of(id.track)?;
    let lane = timeline.lane_of(id).unwrap_or(0);
    let top = match row.kind {
        RowKind::Lanes(_) => row.y + f64::from(row.lane) * lane as f64,
        _ => row.y,
    };
    let (bottom, seen) = (top + f64::from(row.lane), f64::from(size.h - RULER - layout.pinned_h));
    let is_seen = setting.scroll <= top && bottom <= setting.scroll + seen;
    let scroll = if is_seen {
        setting.scroll
    } else if top < setting.scroll {
        top - MARGIN
    } else {
        bottom + MARGIN - seen
    };
    Some(Place { head, to_open, scroll: scroll.clamp(0.0, layout.max_scroll(size.h)) })
}
