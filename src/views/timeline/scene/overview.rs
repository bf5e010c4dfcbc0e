//! The whole trace in a strip above the timeline: its three busiest kinds of rows.

use super::group::add_shares;
use super::{Setting, TimelineInput};
use crate::base::geometry::{Px, Rect, Size};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::time::Window;
use crate::draw::colors::Colors;
use crate::model::id::{StrId, TrackId};
use crate::scene::palette::Ink;
use crate::scene::{Scene, Shape, SpanRect, SpanStyle, Spans};

/// Height of a strip, and its distance from the next.
const STRIP: Px = 9.0;
const STEP: Px = 11.0;
/// Height of the tick of a hit.
const TICK: Px = 5.0;
/// Most rows of one kind that are looked at; of more the busiest.
const MAX_TRACKS: usize = 64;

/// Draws the strip. Costs three kinds of rows times the width; it changes only with the trace and the size.
pub fn draw(on: TimelineInput, setting: &Setting, size: Size) -> Scene {
    let mut scene = Scene::new(size);
    let field = Rect::new(0.0, 0.0, size.w, size.h);
    let mut spans = Vec::new();
    if let Some(span) = on.timeline.span(on.trace) {
        let window = Window::of(span);
        let colors = Colors::new(on.trace, on.timeline.names(), setting.color);
        let top = ((size.h - 2.0 * STEP - STRIP) / 2.0).max(0.0);
        for (i, tracks) in (0u8..).zip(kinds(on)) {
            let bottom = top + f32::from(i) * STEP + STRIP;
            strip(on, &colors, &window, &tracks, (size.w, bottom), &mut spans);
        }
        hits(on, &window, size, &mut spans);
    }
    scene.shapes.push(Shape::Spans(Spans { field, ground: Ink::Token("s0"), spans }));
    scene
}

/// Ticks where a hit of the search starts, at the foot of the strip: at most one in a column. Costs the columns and the
/// logarithm of the hits.
fn hits(on: TimelineInput, window: &Window, size: Size, spans: &mut Vec<SpanRect>) {
    let Some(found) = on.timeline.found() else { return };
    let n = size.w.round().max(1.0);
    let mut time = window.start;
    while let Some(&id) = found.listed.get(found.first_after(on.trace, on.timeline, time)) {
        let Some(start) = on.timeline.span_of(on.trace, id).map(|span| span.start) else { break };
        let column = (window.share(start) * f64::from(n)).floor().max(0.0);
        let x = column as Px * size.w / n;
        let (y, h) = (size.h - TICK, TICK);
        let ink = Ink::Token("warn");
        spans.push(SpanRect { x0: x, x1: x + 1.0, y, h, ink, alpha: 255, look: SpanStyle::Plain });
        time = window.tick_at((column + 1.0) / f64::from(n)).max(start.saturating_add(1));
        if f64::from(n) <= column + 1.0 {
            break;
        }
    }
}

/// The tracks of the three names of rows with most time, in the order shown.
fn kinds(on: TimelineInput) -> Vec<Vec<TrackId>> {
    let mut at: Map<StrId, usize> = Map::default();
    let mut kinds: Vec<(Ticks, usize, Vec<TrackId>)> = Vec::new();
    for &id in on.trace.tracks.shown() {
        let covered = on.timeline.shown(id).covered();
        if covered == 0 {
            continue;
        }
        let i = *at.entry(on.trace.tracks.get(id).name).or_insert(kinds.len());
        if i == kinds.len() {
            kinds.push((0, i, Vec::new()));
        }
        kinds[i].0 = kinds[i].0.saturating_add(covered);
        kinds[i].2.push(id);
    }
    order::sort_by_key(&mut kinds, |&(covered, i, _)| (std::cmp::Reverse(covered), i));
    kinds.truncate(3);
    order::sort_by_key(&mut kinds, |&(_, i, _)| i);
    kinds.into_iter().map(|(_, _, tracks)| busiest(on, tracks)).collect()
}

fn busiest(on: TimelineInput, mut tracks: Vec<TrackId>) -> Vec<TrackId> {
    if MAX_TRACKS < tracks.len() {
        order::sort_by_key(&mut tracks, |&id| (std::cmp::Reverse(on.timeline.shown(id).covered()), id));
        tracks.truncate(MAX_TRACKS);
    }
    tracks
}

/// Columns as high as the mean share of the tracks, in the color of the row.
fn strip(
    on: TimelineInput,
    colors: &Colors,
    window: &Window,
    tracks: &[TrackId],
    (w, bottom): (Px, Px),
    spans: &mut Vec<SpanRect>,
) {
    let n = w.round().max(1.0) as usize;
    let (mut shares, mut is_hit) = (vec![0.0f32; n], vec![false; n]);
    let mut pieces = Vec::new();
    for &track in tracks {
        pieces.clear();
        let window = window.shifted(on.timeline.shift_of(track).saturating_neg());
        on.timeline.shown(track).cut_busy(&window, n, &mut pieces);
        add_shares(&pieces, &mut shares, &mut is_hit);
    }
    let ink = tracks.first().map_or(Ink::None, |&track| colors.row(track).ink);
    let (per_track, column) = (STRIP / tracks.len().max(1) as Px, w / n as Px);
    for x in (0..n).filter(|&x| is_hit[x]) {
        let h = (shares[x] * per_track).clamp(1.0, STRIP);
        spans.push(SpanRect {
            x0: x as Px * column,
            x1: (x + 1) as Px * column,
            y: bottom - h,
            h,
            ink,
            alpha: 200,
            look: SpanStyle::Plain,
        });
    }
}
