//! Slices of one row: wide ones by themselves with their names, narrow ones folded into columns; and instants.

use super::layout::{Seen, TrackRow};
use super::{Canvas, FLOOR, LABEL};
use crate::analysis::timeline::cut::Piece;
use crate::base::geometry::{Point, Px};
use crate::draw::colors::Paint;
use crate::draw::style::T2;
use crate::model::id::{SliceId, TrackId};
use crate::scene::palette::Ink;
use crate::scene::{Align, Shape, SpanRect, SpanStyle, text};

/// Room between the edge of a slice and its name.
const INSET: Px = 3.5;
/// From this width on a slice ends with a pixel of ground.
const GAP_FROM: Px = 3.0;
/// From this width on the corners of a slice are round.
const ROUND_FROM: Px = 6.0;
/// Lanes lower than this have no thin slices.
const THIN_FROM: Px = 6.0;
/// Lanes lower than this have no names.
const LABEL_FROM: Px = 14.0;
/// Half the width of the mark of an instant.
pub(super) const MARK: Px = 3.5;
/// Most instants behind one mark whose names are looked at.
const MOST_LOOKED_AT: usize = 64;

/// Where the slices of a lane stand.
#[derive(Clone, Copy)]
struct Band {
    track: TrackId,
    y: Px,
    h: Px,
    has_labels: bool,
}

impl Canvas<'_> {
    /// Draws a row of lanes with its top edge at `y`; nothing is drawn above `clip`.
    pub(super) fn lanes(&mut self, row: &TrackRow, n: usize, y: Px, clip: Px) {
        if row.is_pinned {
            self.cover(y, row.h);
        }
        for track in row.tracks() {
            self.lanes_of(row, track, n, y + row.strip, clip);
            self.instants(row, track, y, clip);
        }
    }

    /// Draws the lanes of one track of a row.
    fn lanes_of(&mut self, row: &TrackRow, track: TrackId, n: usize, y: Px, clip: Px) {
        let lanes = self.on.timeline.shown(track);
        let window = self.window_of(track);
        let y = self.top_of(row, track, y);
        // Lanes lower than a pixel: as many as there are pixels.
        let step = if row.lane < 1.0 { (1.0 / row.lane).ceil() as usize } else { 1 };
        let first = (((clip - y) / row.lane).floor().max(0.0) as usize).min(n);
        let last = (((self.size.h - y) / row.lane).ceil().max(0.0) as usize).min(lanes.len());
        let mut pieces = Vec::new();
        for lane in (first..last).step_by(step) {
            let inset = if row.lane < 6.0 { 0.0 } else { 1.0 };
            let top = (y + lane as Px * row.lane + inset).max(clip);
            let bottom = y + (lane + step) as Px * row.lane - inset;
            let h = (bottom - top).max(1.0);
            let band = Band { track, y: top, h, has_labels: LABEL_FROM <= row.lane - 2.0 * inset };
            pieces.clear();
            let slices = &self.on.trace.tracks.get(track).slices;
            lanes.cut(slices, lane, &window, self.columns(), &mut pieces);
            for piece in &pieces {
                self.piece(band, piece);
            }
        }
    }

    fn piece(&mut self, band: Band, piece: &Piece) {
        let ratio = self.ratio();
        let Band { track, y, h, .. } = band;
        match *piece {
            Piece::Column { x, share, common, .. } => {
                let strength = self.strength(common);
                let paint = self.colors.paint(track, common);
                let (y, h) = inside(y, h, &paint);
                let alpha = ((share * 255.0).round() as u8).max(FLOOR);
                let alpha = (f32::from(alpha) * strength).round() as u8;
                let (x0, x1) = (x as Px / ratio, (x + 1) as Px / ratio);
                self.spans.push(SpanRect { x0, x1, y, h, ink: paint.ink, alpha, look: SpanStyle::Plain });
            }
            Piece::Slice { row, x0, x1 } => {
                let name = self.on.trace.tracks.get(track).slices.name[row as usize];
                let strength = self.strength_of(SliceId { track, row }, name);
                let paint = self.colors.paint_slice(track, row as usize);
                let alpha = (strength * 255.0).round() as u8;
                let (y, h) = inside(y, h, &paint);
                let (x0, mut x1) = (x0 as Px / ratio, x1 as Px / ratio);
                if GAP_FROM < x1 - x0 {
                    x1 -= 1.0;
                }
                let look = match paint.look {
                    SpanStyle::Plain if ROUND_FROM <= x1 - x0 && 12.0 <= h => SpanStyle::Round,
                    look => look,
                };
                self.spans.push(SpanRect { x0, x1, y, h, ink: paint.ink, alpha, look });
                if band.has_labels && LABEL.size <= h {
                    let ink = match paint.text {
                        _ if strength < 1.0 => Ink::Token("t3"),
                        // A stop of a ramp: what reads best on it differs by theme.
                        Ink::None => self.on.palette.ink_on(self.on.palette.rgba(paint.ink)),
                        text => text,
                    };
                    self.label(band, (x0, x1), name, Paint { text: ink, ..paint });
                }
            }
        }
    }

    /// The name inside a slice; at the left edge of the picture when the slice begins before it.
    fn label(&mut self, band: Band, (x0, x1): (Px, Px), name: crate::model::id::StrId, paint: Paint) {
        let (left, right) = (x0.max(0.0) + INSET, x1.min(self.size.w) - INSET + 1.0);
        if right - left < text::LEAST_WIDTH - 2.0 * INSET {
            return;
        }
        let Some(label) = text::label(self.on.trace.strings.get(name), LABEL, right - left) else { return };
        let at = Point { x: left, y: band.y + band.h / 2.0 + LABEL.size * 0.35 };
        self.over.push(Shape::Text {
            at,
            text: label.into_owned(),
            font: LABEL,
            ink: paint.text,
            align: Align::Left,
            turn: 0.0,
        });
    }

    /// Instants as diamonds above the lanes, or in the middle of a row without slices.
    fn instants(&mut self, row: &TrackRow, track: TrackId, y: Px, clip: Px) {
        let middle = middle_of_instants(row, y);
        if middle - MARK < clip {
            return;
        }
        for (x, strength) in self.marks_of(track) {
            self.mark(x, middle, strength);
        }
    }

    /// Where instants of a track are marked, at most one in the width of a mark, and how much each stands out.
    pub(super) fn marks_of(&self, track: TrackId) -> Vec<(Px, f32)> {
        let mut marks = Vec::new();
        let instants = &self.on.trace.tracks.get(track).instants;
        // While loading they may not be in order yet.
        if !instants.is_sorted() {
            return marks;
        }
        let window = self.window_of(track);
        let span = window.span();
        let mut at = instants.time.partition_point(|&t| t < span.start);
        while let Some(&time) = instants.time.get(at).filter(|&&t| t <= span.end) {
            let x = self.x_on(track, time);
            let next = window.tick_at(f64::from((x + 2.0 * MARK) / self.size.w));
            let after = instants
                .time
                .partition_point_in(at..instants.len(), |&t| t < next.max(time.saturating_add(1)));
            // Of those that stand for one another one that stands out decides.
            let strengths = (at..after).take(MOST_LOOKED_AT).map(|row| self.strength(instants.name[row]));
            marks.push((x, strengths.fold(0.0, f32::max)));
            at = after;
        }
        marks
    }

    /// A diamond.
    pub(super) fn mark(&mut self, x: Px, middle: Px, strength: f32) {
        let points = [(x, middle - MARK), (x + MARK, middle), (x, middle + MARK), (x - MARK, middle)];
        let points = points.map(|(x, y)| Point { x, y }).to_vec();
        let ink = if strength < 1.0 { self.faded(T2, strength) } else { T2 };
        self.over.push(Shape::Polygon { points, ink });
    }

    /// Where the first lane of a track begins in a row with its top edge at `y`.
    fn top_of(&self, row: &TrackRow, track: TrackId, y: Px) -> Px {
        y + self.on.timeline.first_lane(track) as Px * row.lane
    }

    /// Covers what scrolled under a pinned row.
    pub(super) fn cover(&mut self, y: Px, h: Px) {
        self.rect(0.0, self.size.w, y, h, Ink::Token("s0"));
    }

    /// A plain rectangle of the field.
    pub(super) fn rect(&mut self, x0: Px, x1: Px, y: Px, h: Px, ink: Ink) {
        self.spans.push(SpanRect { x0, x1, y, h, ink, alpha: 255, look: SpanStyle::Plain });
    }

    /// Where a slice or an instant is drawn: its left and right edge, top and height. `None` when its row is not on screen.
    pub(super) fn place(&self, id: SliceId) -> Option<(Px, Px, Px, Px)> {
        let Seen { row, y, .. } = *self.seen.iter().find(|seen| seen.row.shows(id.track))?;
        let span = self.on.timeline.span_of(self.on.trace, id)?;
        if id.instant().is_some() {
            let (x, y) = (self.x(span.start), middle_of_instants(row, y));
            let is_seen = -MARK < y && y < self.size.h + MARK;
            return is_seen.then_some((x - MARK - 1.0, x + MARK + 1.0, y - MARK - 1.0, 2.0 * MARK + 2.0));
        }
        let lane = self.on.timeline.shown_lane_of(id)?;
        let top = self.top_of(row, id.track, y + row.strip) + lane as Px * row.lane;
        let inset = if row.lane < 6.0 { 0.0 } else { 1.0 };
        let (x0, x1) = (self.x(span.start), self.x(span.end));
        let is_seen = -row.lane < top && top < self.size.h;
        is_seen.then_some((x0, x1.max(x0 + 1.0), top + inset, (row.lane - 2.0 * inset).max(1.0)))
    }
}

/// The middle of the instants of a row with its top edge at `y`.
fn middle_of_instants(row: &TrackRow, y: Px) -> Px {
    y + if 0.0 < row.strip { row.strip } else { row.lane } / 2.0
}

/// Where in a lane something is painted: thin things take its middle.
fn inside(y: Px, h: Px, paint: &Paint) -> (Px, Px) {
    if paint.is_thin && THIN_FROM <= h { ((y + h * 0.25).round(), (h * 0.5).round()) } else { (y, h) }
}
