//! How tracks spend the time of an area: busy and idle, the longest gaps, busy devices.

use super::{View, path, with_scope};
use crate::analysis::area::{Work, gaps as analysis, overlap};
use crate::document::Document;
use crate::model::id::TrackId;
use crate::wire::area::{Gap, Gaps, IdleRow, IdleTracks};
use crate::wire::timeline::{Area, MAX_ROWS};

pub(super) fn idle(doc: &Document, area: &Area, waits: bool) -> IdleTracks {
    let view = View::new(doc, None);
    with_scope(doc, area, |mut scope| {
        let devices = analysis::devices(scope).into_iter().map(|(group, n, busy)| {
            (device(&view, group), n as u64, busy as f64 / area.span.dur().max(1) as f64)
        });
        let devices = devices.collect();
        let n_tracks = scope.tracks.len() as u64;
        scope.tracks = &scope.tracks[..scope.tracks.len().min(MAX_ROWS as usize)];
        let list = analysis::idle(scope, &Work::new(scope.trace, scope.timeline, waits));
        let names = overlap::names(scope.trace, &list.iter().map(|row| row.track).collect::<Vec<_>>());
        let row = |(time, name): (analysis::Idle, String)| IdleRow {
            name,
            at: view.instant(time.longest.start),
            time,
        };
        IdleTracks { rows: list.into_iter().zip(names).map(row).collect(), n_tracks, devices }
    })
}

/// What a person calls a device: the label of its group where the name is that of the program.
fn device(view: &View, group: TrackId) -> String {
    let label = view.trace.tracks.find(group).map_or("", |t| view.trace.strings.get(t.label));
    if label.starts_with("GPU") { label.to_owned() } else { path(view, group) }
}

pub(super) fn gaps(
    doc: &mut Document,
    area: &Area,
    waits: bool,
    order: analysis::Order,
    (from, limit): (u32, u32),
) -> Gaps {
    let (trace, derived) = doc.parts();
    let longest = derived.areas.longest(trace, &derived.timeline, (area.span, &area.tracks), waits);
    longest.sort(order);
    let (n, listed) = (longest.n, longest.listed.len() as u64);
    let page: Vec<_> = longest.listed.iter().skip(from as usize).take(limit as usize).copied().collect();
    let view = View::new(doc, None);
    let row = |(track, span): (TrackId, crate::base::time::Span)| Gap {
        track: path(&view, track),
        span,
        start: view.instant(span.start),
        duration: view.duration(span.dur()),
    };
    Gaps { n, listed, rows: page.into_iter().map(row).collect() }
}
