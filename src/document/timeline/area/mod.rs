//! What can be asked of an area, a stretch of time on some tracks.

mod calls;
mod flows;
mod idle;

use super::{View, color};
use crate::analysis::area::Scope;
use crate::analysis::timeline::chosen_tracks;
use crate::base::geometry::Size;
use crate::document::Document;
use crate::model::id::TrackId;
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::wire::area::{Ask, Frame, Reply};
use crate::wire::timeline::MAX_ROWS;
use crate::wire::{Answer, Note};

pub(in crate::document) fn answer(doc: &mut Document, ask: &Ask) -> Answer {
    let reply = match ask {
        Ask::Calls(area) => Reply::Calls(Box::new(calls::calls(doc, area))),
        Ask::Frame { frame, size, at } => Reply::Frame(calls::under(doc, frame, *size, *at)),
        Ask::Idle { area, waits } => Reply::Idle(Box::new(idle::idle(doc, area, *waits))),
        Ask::Gaps { area, waits, by_start, is_descending, from, limit } => {
            let page = (*from, (*limit).min(MAX_ROWS));
            Reply::Gaps(idle::gaps(doc, area, *waits, (*by_start, *is_descending), page))
        }
        Ask::Categories(area) => Reply::Categories(flows::categories(doc, area)),
        Ask::Flows { area, text, category, by_latency, is_descending, from, limit } => {
            let page = (*from, (*limit).min(MAX_ROWS));
            let order = (*by_latency, *is_descending);
            Reply::Flows(flows::flows(doc, area, (text, category.as_deref()), order, page))
        }
    };
    Answer::Area(reply)
}

pub(in crate::document) fn draw(
    doc: &mut Document,
    frame: &Frame,
    size: Size,
    palette: &Palette,
) -> (Scene, Note) {
    let (scene, note) = calls::draw(doc, frame, size, palette);
    (scene, Note::Area(note))
}

/// A track with its groups.
fn path(view: &View, id: TrackId) -> String {
    view.trace.track_path(id)
}

/// Does something with the area of a question.
fn with_scope<T>(doc: &Document, area: &crate::wire::timeline::Area, work: impl FnOnce(Scope) -> T) -> T {
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let tracks = chosen_tracks(trace, &area.tracks);
    work(Scope { trace, timeline, tracks: &tracks, span: area.span })
}
