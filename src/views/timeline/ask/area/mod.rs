//! What can be asked of an area, a stretch of time on some tracks.

mod calls;

use crate::analysis::area::{Scope, gaps};
use crate::analysis::timeline::chosen_tracks;
use crate::base::geometry::Size;
use crate::document::Document;
use crate::document::engine::{Answers, Draws};
use crate::model::id::TrackId;
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::views::timeline::area::{AreaQuery, Frame, Note, Reply};
use crate::views::timeline::messages::Area;
use crate::wire::rows::Source;
use crate::wire::{Answer, Question};

fn answer(doc: &mut Document, ask: &AreaQuery) -> Reply {
    match ask {
        AreaQuery::Frame { frame, size, at } => Reply::Frame(calls::under(doc, frame, *size, *at)),
        AreaQuery::Devices(area) => Reply::Devices(devices(doc, area)),
        AreaQuery::Categories(area) => Reply::Categories(doc.take_categories(area)),
    }
}

impl Answers for AreaQuery {
    fn prepare(&self, doc: &mut Document) -> bool {
        match self {
            Self::Frame { frame, .. } => doc.prepare_calls(&frame.area),
            Self::Categories(area) => doc.prepare_base(&Source::Categories(area.clone())),
            Self::Devices(_) => true,
        }
    }

    fn answer(&self, doc: &mut Document, _: &[u8]) -> (Answer, Option<Vec<u8>>) {
        (Self::reply(&answer(doc, self)), None)
    }
}

impl Draws for Frame {
    fn prepare(&self, doc: &mut Document) -> bool {
        doc.prepare_calls(&self.area)
    }

    fn draw(&self, doc: &mut Document, size: Size, palette: &Palette) -> (Scene, Note) {
        calls::draw(doc, self, size, palette)
    }
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
