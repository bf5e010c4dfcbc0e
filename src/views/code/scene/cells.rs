//! Metric cells: numbers, bars, shares, stacked reasons, names with a swatch.

use super::columns::{BAR, REGISTER, REGISTERS, STACK, shortened};
use super::{ColumnPlace, Hues, Layout, SeenRow, View};
use crate::analysis::code::{ColumnSummary, Reason, RegisterCell, RegisterTracks, cell_text, fraction};
use crate::analysis::compare::code::{BaselineMatch, difference_text};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::map::Map;
use crate::base::order;
use crate::draw::style::difference_ink;
use crate::model::code::{Cells, Column, ColumnStyle, Field, ListingKind};
use crate::scene::palette::{Ink, RampName};
use crate::scene::{Align, Font, Scene, Shape, Stroke, text};

/// Share of the largest value above which a number is written heavier.
const HEAVY: f64 = 0.15;

/// Draws the columns that stay at the right edge, or those that scroll.
pub(super) fn columns(scene: &mut Scene, view: &View, layout: &Layout, rows: &[SeenRow], is_pinned: bool) {
    let code = layout.places.iter().position(|p| p.field == Field::Text).unwrap_or(0);
    for (at, place) in layout.places.iter().enumerate().filter(|(_, place)| place.is_pinned == is_pinned) {
        let i = match (place.field, view.joined) {
            (Field::Column(i), _) => usize::from(i),
            (Field::Difference, Some((i, ..))) => i,
            _ => continue,
        };
        let (Some(column), Some(summary)) = (view.listing.columns.get(i), view.summaries.get(i)) else {
            continue;
        };
        let cell = Cell {
            view,
            column,
            summary,
            x: place.x - if place.is_pinned { 0.0 } else { view.frame.left },
            place,
        };
        if scene.size.w < cell.x || cell.x + place.w < layout.frozen {
            continue;
        }
        if let (Field::Difference, Some((_, met, _))) = (place.field, view.joined) {
            cell.differences(scene, rows, met);
            continue;
        }
        match (&column.cells, column.style) {
            (Cells::Texts { .. }, _) => cell.texts(scene, rows, at < code),
            (Cells::Registers { .. }, _) => {
                if let Some(tracks) = view.registers.get(i).and_then(Option::as_ref) {
                    registers(scene, view, tracks, rows, cell.x + 8.0);
                }
            }
            (Cells::Parts { .. }, _) => cell.stacks(scene, rows),
            (Cells::Numbers { .. }, _) => cell.numbers(scene, rows),
        }
    }
}

struct Cell<'a> {
    view: &'a View<'a>,
    column: &'a Column,
    summary: &'a ColumnSummary,
    x: Px,
    place: &'a ColumnPlace,
}

impl Cell<'_> {
    fn text_of(&self, row: &SeenRow) -> String {
        cell_text(self.view.listing, self.column, self.summary, row.at, self.view.core())
    }

    /// Source leaves the width to the code: its heat stands in the gutter, its shares in the strip of details.
    fn has_details(&self) -> bool {
        self.view.listing.kind == ListingKind::Assembly
    }

    fn value_of(&self, row: &SeenRow) -> Option<f64> {
        self.column.number(row.at, self.view.core()).filter(|v| 0.0 <= *v)
    }

    /// Writes a number that ends at `right`.
    fn number(&self, scene: &mut Scene, row: &SeenRow, right: Px) {
        let text = self.text_of(row);
        let Some(value) = self.value_of(row) else {
            let at = Point { x: right, y: row.baseline(self.view.frame.row_px, 12.0) };
            scene.text(at, text, Font::ui(12.0), Ink::Token("t3"), Align::Right);
            return;
        };
        let is_heavy = HEAVY * self.summary.max < value && matches!(self.column.style, ColumnStyle::Bar);
        let font = Font::ui(12.0).weight(if is_heavy { 500 } else { 400 });
        let ink = Ink::Token(if is_heavy { "t1" } else { "t2" });
        scene.text(
            Point { x: right, y: row.baseline(self.view.frame.row_px, 12.0) },
            text,
            font,
            ink,
            Align::Right,
        );
    }

    fn numbers(&self, scene: &mut Scene, rows: &[SeenRow]) {
        let right = self.x + self.place.w - 8.0;
        for row in rows {
            self.number(scene, row, right);
            let Some(value) = self.value_of(row) else { continue };
            let part = match self.column.style {
                ColumnStyle::Share => fraction(self.column, value).unwrap_or(0.0),
                _ if 0.0 < self.summary.max => value / self.summary.max,
                _ => 0.0,
            }
            .clamp(0.0, 1.0) as Px;
            match self.column.style {
                ColumnStyle::Bar if 0.0 < part && self.has_details() => {
                    let w = ((BAR - 8.0) * part).max(1.0);
                    let bar = Rect::new(self.x + 6.0, row.y + 6.0, w, self.view.frame.row_px - 12.0);
                    scene.fill(bar, Ink::Stop(RampName::Heat, 4));
                }
                ColumnStyle::Share => {
                    let (w, y) = (self.place.w - 20.0, row.y + self.view.frame.row_px - 3.0);
                    scene.fill(Rect::new(right - w, y, w, 2.0), Ink::Token("line"));
                    scene.fill(Rect::new(right - w, y, w * part, 2.0), Ink::Stop(RampName::Heat, 4));
                }
                _ => {}
            }
        }
    }

    /// Differences with their signs, in percent and as a factor; rows that only this document has are marked. What has no
    /// room beside the code goes without the factor, then without the percentage: nothing is written over the code.
    fn differences(&self, scene: &mut Scene, rows: &[SeenRow], met: &[BaselineMatch]) {
        let right = self.x + self.place.w - 8.0;
        for row in rows {
            let (value, met) = (self.value_of(row), met.get(row.at).copied().unwrap_or_default());
            let font = Font::ui(12.0);
            let words = difference_text(value, met, self.summary.decimals, &self.column.unit);
            let fits = |text: &String| text::width(text, font) <= self.place.w - 10.0;
            let shorter = [", ", " ("].into_iter().map(|mark| shortened(&words, mark));
            let text = std::iter::once(words.clone()).chain(shorter).find(fits);
            let text = text.unwrap_or_else(|| shortened(&words, " ("));
            let ink = match (value, met) {
                (Some(new), BaselineMatch::Value(old)) => difference_ink(new - old, &self.column.unit),
                (Some(_), BaselineMatch::Nothing) => Ink::Token("t1"),
                _ => Ink::Token("t3"),
            };
            let at = Point { x: right, y: row.baseline(self.view.frame.row_px, 12.0) };
            scene.text(at, text, font, ink, Align::Right);
        }
    }

    fn stacks(&self, scene: &mut Scene, rows: &[SeenRow]) {
        let hues = stall_hues(&self.summary.reasons);
        let ranks: Map<&str, usize> =
            self.summary.reasons.iter().enumerate().map(|(i, r)| (r.name.as_str(), i)).collect();
        let bar_x = self.x + self.place.w - 8.0 - STACK;
        for row in rows {
            if self.has_details() || self.value_of(row).is_none() {
                self.number(scene, row, bar_x - 6.0);
            }
            let Some(parts) = self.column.parts(row.at, self.view.core()) else { continue };
            let Some(share) = parts.share.filter(|s| 0.0 <= *s) else { continue };
            let y = row.y + (self.view.frame.row_px - 8.0) / 2.0;
            scene.fill(Rect::new(bar_x, y, STACK, 8.0), Ink::Token("s2"));
            let total: f64 = parts.parts.iter().map(|(_, n)| n.max(0.0)).sum();
            // The same order in all rows, so that bars can be compared: what is most frequent in the listing first.
            let mut sorted: Vec<_> = parts.parts.iter().filter(|(_, n)| 0.0 < *n).collect();
            order::sort_by_key(&mut sorted, |(name, _)| ranks.get(name.as_str()).copied());
            let mut x = bar_x;
            for (name, count) in sorted {
                let w = STACK * share.min(1.0) as Px * (count / total) as Px;
                let ink = Ink::Slice(hues.get(name.as_str()).copied().unwrap_or(9));
                scene.fill(Rect::new(x, y, w, 8.0), ink);
                x += w;
            }
        }
    }

    /// Names; those before the code have a swatch in their color.
    fn texts(&self, scene: &mut Scene, rows: &[SeenRow], has_swatch: bool) {
        let clip = Rect::new(self.x, 0.0, self.place.w - 6.0, scene.size.h);
        scene.shapes.push(Shape::Clip(clip));
        for row in rows {
            let text = self.text_of(row);
            if text.is_empty() {
                continue;
            }
            let mut x = self.x + 6.0;
            if has_swatch {
                let y = row.y + (self.view.frame.row_px - 8.0) / 2.0;
                let rect = Rect::new(x, y, 8.0, 8.0);
                scene.shapes.push(Shape::Fill { rect, radius: 2.0, ink: super::hue_ink(&text) });
                x += 14.0;
            }
            let at = Point { x, y: row.baseline(self.view.frame.row_px, 12.0) };
            scene.text(at, text, Font::ui(12.0), Ink::Token("t1"), Align::Left);
        }
        scene.shapes.push(Shape::Unclip);
    }
}

/// Colors of the reasons of a column: the most frequent eleven have one each, the rest share one.
pub fn stall_hues(reasons: &[Reason]) -> Map<&str, u8> {
    let mut hues = Hues::default();
    reasons.iter().map(|r| (r.name.as_str(), hues.next(&r.name))).collect()
}

// Live registers as vertical tracks: filled left triangle = write, open right chevron = read, line = in use.

const INK: Ink = Ink::Slice(11);

fn registers(scene: &mut Scene, view: &View, tracks: &RegisterTracks, rows: &[SeenRow], x: Px) {
    for row in rows {
        let cells = tracks.row(row.at);
        for cell in cells.iter().filter(|c| usize::from(c.slot) < REGISTERS) {
            let middle = x + Px::from(cell.slot) * REGISTER + REGISTER / 2.0;
            one(scene, cell, middle, row.y, view.frame.row_px);
        }
        let more = cells.iter().filter(|c| REGISTERS <= usize::from(c.slot)).count();
        if 0 < more {
            let at = Point { x: x + REGISTERS as Px * REGISTER, y: row.baseline(view.frame.row_px, 11.0) };
            scene.text(at, format!("+{more}"), Font::ui(11.0), Ink::Token("t3"), Align::Left);
        }
    }
}

/// One register in one row. The line begins in the middle where it is born by a write, and ends there with its last read.
fn one(scene: &mut Scene, cell: &RegisterCell, x: Px, y: Px, h: Px) {
    let middle = y + h / 2.0;
    let top = if cell.begins { middle } else { y };
    let bottom = if cell.ends { middle } else { y + h };
    if top < bottom {
        scene.line(Point { x, y: top }, Point { x, y: bottom }, Stroke::new(INK, 1.5));
    }
    let p = |dx: Px, dy: Px| Point { x: x + dx, y: middle + dy };
    if cell.is_written {
        scene.shapes.push(Shape::Polygon { points: vec![p(0.0, -4.0), p(-5.0, 0.0), p(0.0, 4.0)], ink: INK });
    }
    if cell.is_read {
        let points = vec![p(1.0, -4.0), p(5.0, 0.0), p(1.0, 4.0)];
        scene.shapes.push(Shape::Path { points, stroke: Stroke::new(INK, 1.5) });
    }
}
