//! What can be asked of an area, a stretch of time on some tracks.

mod calls;

use crate::analysis::area::{Scope, gaps};
use crate::analysis::timeline::chosen_tracks;
use crate::base::geometry::Size;
use crate::document::Document;
use crate::model::id::TrackId;
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::views::timeline::area::{AreaQuery, Frame, Reply};
use crate::views::timeline::messages::Area;
use crate::wire::{Answer, Note};

pub(crate) fn answer(doc: &mut Document, ask: &AreaQuery) -> Answer {
    let reply = match ask {
        AreaQuery::Frame { frame, size, at } => Reply::Frame(calls::under(doc, frame, *size, *at)),
        AreaQuery::Devices(area) => Reply::Devices(devices(doc, area)),
        AreaQuery::Categories(area) => Reply::Categories(doc.take_categories(area)),
    };
    Answer::Area(reply)
}

pub(crate) fn draw(doc: &mut Document, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
    let (scene, note) = calls::draw(doc, frame, size, palette);
    (scene, Note::Area(note))
}

/// How busy devices are: the name, the number of streams, the share of the time that was recorded.
fn devices(doc: &Document, area: &Area) -> Vec<(String, u64, f64)> {
    let device = |scope: Scope, group: TrackId| {
        // The label of the group where the name is that of the program.
        let label = scope.trace.tracks.find(group).map_or("", |t| scope.trace.strings.get(t.label));
        if label.starts_with("GPU") { label.to_owned() } else { scope.trace.track_path(group) }
    };
    with_scope(doc, area, |scope| {
        let devices = gaps::devices(scope).into_iter().map(|(group, n, busy)| {
            let recorded = scope.timeline.recorded(scope.trace, group, area.span).dur();
            (device(scope, group), n as u64, busy as f64 / recorded.max(1) as f64)
        });
        devices.collect()
    })
}

/// Does something with the area of a question.
fn with_scope<T>(doc: &Document, area: &Area, work: impl FnOnce(Scope) -> T) -> T {
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let tracks = chosen_tracks(trace, &area.tracks);
    work(Scope { trace, timeline, tracks: &tracks, span: area.span })
}
