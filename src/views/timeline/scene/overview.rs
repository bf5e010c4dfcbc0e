//! The whole trace in a strip above the timeline: its three busiest kinds of rows.

use super::lanes::MARK;
use super::layout::{RULER, TrackRow};
use super::note::telling;
use super::{Canvas, FLOOR, Setting, TimelineInput};
use crate::analysis::timeline::cut::Piece;
use crate::base::geometry::{Px, Rect, Size};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Ticks, Window};
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

// Rows of groups. Closed: strips of its busiest tracks, and instants. Open: how many of its tracks are busy, in grey, so that a gap of
// the whole group is seen at once.

/// Height of a strip, and its distance from the next.
const GROUP_STRIP: Px = 4.0;
const STRIP_STEP: Px = 6.0;
/// Most tracks whose coverage is drawn; of larger groups the busiest.
const GROUP_MAX_TRACKS: usize = 64;

impl Canvas<'_> {
    /// Draws the row of a group with its top edge at `y`; nothing is drawn above `clip`.
    pub(super) fn group(&mut self, row: &TrackRow, y: Px, clip: Px) {
        let (w, bottom) = (self.size.w, y + row.h);
        let top = y.max(clip);
        if bottom <= top {
            return;
        }
        self.rect(0.0, w, top, bottom - top, Ink::Token("s1"));
        self.rect(0.0, w, bottom - 1.0, 1.0, Ink::Token("line"));
        if RULER + 1.0 < y {
            self.rect(0.0, w, (y - 1.0).max(clip), 1.0, Ink::Token("line"));
        }
        let shown = &self.on.trace.tracks.shown()[row.below.clone()];
        if row.is_open {
            let tracks = self.busiest(&telling(self.on, shown), GROUP_MAX_TRACKS);
            self.coverage(&tracks, bottom - 2.0, row.h - 5.0, clip);
        } else {
            for (i, track) in (0u8..).zip(self.busiest(shown, 3)) {
                self.strip(track, y + 3.0 + f32::from(i) * STRIP_STEP, clip);
            }
            self.group_instants(shown, y + row.h / 2.0, clip);
        }
    }

    /// The tracks with most time, in the order shown.
    fn busiest(&self, tracks: &[TrackId], n: usize) -> Vec<TrackId> {
        let busy = |id: TrackId| self.on.timeline.shown(id).covered();
        let mut busiest: Vec<(usize, TrackId)> = tracks
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, id)| !self.on.timeline.shown(*id).is_empty())
            .collect();
        if n < busiest.len() {
            order::sort_by_key(&mut busiest, |&(at, id)| (std::cmp::Reverse(busy(id)), at));
            busiest.truncate(n);
            order::sort_by_key(&mut busiest, |&(at, _)| at);
        }
        busiest.into_iter().map(|(_, id)| id).collect()
    }

    /// The instants of the tracks, those of all in one line; the first tracks that have some.
    fn group_instants(&mut self, tracks: &[TrackId], middle: Px, clip: Px) {
        if middle - MARK < clip {
            return;
        }
        let has_some = |track: &&TrackId| !self.on.trace.tracks.get(**track).instants.is_empty();
        let marked = tracks.iter().filter(has_some).take(GROUP_MAX_TRACKS);
        let mut marks: Vec<(Px, f32)> = marked.flat_map(|track| self.marks_of(*track)).collect();
        order::sort_by_key(&mut marks, |(x, _)| (x * 16.0) as i32);
        let mut last = Px::MIN;
        for (x, strength) in marks {
            if last + MARK <= x {
                self.mark(x, middle, strength);
                last = x;
            }
        }
    }

    fn strip(&mut self, track: TrackId, y: Px, clip: Px) {
        if y < clip {
            return;
        }
        let ratio = self.ratio();
        let mut pieces = Vec::new();
        let slices = &self.on.trace.tracks.get(track).slices;
        let lanes = self.on.timeline.shown(track);
        lanes.cut(slices, 0, &self.window_of(track), self.columns(), &mut pieces);
        for piece in pieces {
            let (x0, x1, name, share) = match piece {
                Piece::Slice { row, x0, x1 } => (x0 as Px, x1 as Px, slices.name[row as usize], 1.0),
                Piece::Column { x, share, common, .. } => (x as Px, x as Px + 1.0, common, share),
            };
            let strength = self.strength(name);
            let paint = match piece {
                Piece::Slice { row, .. } => self.colors.paint_slice(track, row as usize),
                Piece::Column { .. } => self.colors.paint(track, name),
            };
            let alpha = f32::from(((share * 255.0).round() as u8).max(FLOOR)) * strength;
            self.spans.push(SpanRect {
                x0: x0 / ratio,
                x1: x1 / ratio,
                y,
                h: GROUP_STRIP,
                ink: paint.ink,
                alpha: alpha.round() as u8,
                look: SpanStyle::Plain,
            });
        }
    }

    /// The mean of the tracks' shares as the height of grey columns that stand on `bottom`.
    fn coverage(&mut self, tracks: &[TrackId], bottom: Px, height: Px, clip: Px) {
        let n = self.size.w.round().max(1.0) as usize;
        let mut heights = vec![0.0f32; n];
        let mut is_hit = vec![false; n];
        let mut pieces = Vec::new();
        for &track in tracks {
            pieces.clear();
            self.on.timeline.shown(track).cut_busy(&self.window_of(track), n, &mut pieces);
            add_shares(&pieces, &mut heights, &mut is_hit);
        }
        let per_track = height / (tracks.len().max(1) as Px);
        let column = self.size.w / n as Px;
        let mut from = 0;
        while from < n {
            let level = |i: usize| ((heights[i] * per_track).round()).max(if is_hit[i] { 1.0 } else { 0.0 });
            let h = level(from);
            let to = (from + 1..n).find(|&i| level(i) != h).unwrap_or(n);
            let top = (bottom - h).max(clip);
            if 0.0 < h && top < bottom {
                self.spans.push(SpanRect {
                    x0: from as Px * column,
                    x1: to as Px * column,
                    y: top,
                    h: bottom - top,
                    ink: Ink::Token("t3"),
                    alpha: 128,
                    look: SpanStyle::Plain,
                });
            }
            from = to;
        }
    }
}

/// Adds the covered share of each column.
fn add_shares(pieces: &[Piece], shares: &mut [f32], is_hit: &mut [bool]) {
    for piece in pieces {
        match *piece {
            Piece::Column { x, share, .. } => {
                shares[x as usize] += share;
                is_hit[x as usize] = true;
            }
            Piece::Slice { x0, x1, .. } => {
                let (x0, x1) = (x0.max(0.0), x1.min(shares.len() as f64));
                let (first, last) = (x0.floor() as usize, (x1.ceil() as usize).min(shares.len()));
                for x in first..last {
                    shares[x] += (x1.min(x as f64 + 1.0) - x0.max(x as f64)) as f32;
                    is_hit[x] = true;
                }
            }
        }
    }
}
