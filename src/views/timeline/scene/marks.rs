//! What lies over the lanes: the selected range, the slice under the pointer, the selected slice.

use super::Canvas;
use super::layout::{RULER, Seen};
use crate::base::geometry::{Point, Px, Rect};
use crate::model::id::{SliceId, TrackId};
use crate::scene::palette::Ink;
use crate::scene::{Scene, Shape, Stroke};

impl Canvas<'_> {
    pub(super) fn marks(&self, scene: &mut Scene) {
        if let Some(range) = self.setting.frame.range {
            let (x0, x1) = (self.x(range.start), self.x(range.end).max(self.x(range.start) + 1.0));
            let h = (self.size.h - RULER).max(0.0);
            if 0.0 < x1 && x0 < self.size.w {
                let (left, right) = (x0.max(0.0), x1.min(self.size.w));
                self.wash(scene, left, right);
                for x in [x0, x1 - 1.0] {
                    scene.fill(Rect::new(x.round(), RULER, 1.0, h), Ink::Token("sel-line"));
                }
            }
        }
        for mark in &self.setting.frame.marks {
            let (x0, x1) = (self.x(mark.span.start), self.x(mark.span.end));
            let ink = Ink::Slice(mark.color);
            for x in if mark.span.is_empty() { vec![x0] } else { vec![x0, x1] } {
                if (0.0..=self.size.w).contains(&x) {
                    scene.fill(Rect::new(x.round(), RULER, 1.0, (self.size.h - RULER).max(0.0)), ink);
                }
            }
        }
        if let Some(id) = self.setting.frame.hovered.filter(|&id| self.setting.frame.selected != Some(id)) {
            self.outline(scene, id, self.faded(Ink::Token("t1"), 0.6), (0.0, 1.0));
        }
        if let Some(id) = self.setting.frame.display.base {
            self.base(scene, id);
        }
        if let Some(id) = self.setting.frame.selected {
            self.outline(scene, id, Ink::Token("s0"), (2.0, 2.0));
            self.outline(scene, id, Ink::Token("t1"), (0.0, 2.0));
        }
    }

    /// The slice that others are aligned with: framed, with a line through all rows at its start and its end.
    fn base(&self, scene: &mut Scene, id: SliceId) {
        let accent = Ink::Token("accent");
        self.outline(scene, id, accent, (1.0, 2.0));
        let Some(span) = self.on.timeline.span_of(self.on.trace, id) else { return };
        for x in [self.x(span.start), self.x(span.end)] {
            if (0.0..=self.size.w).contains(&x) {
                let points = vec![Point { x, y: RULER }, Point { x, y: self.size.h }];
                let stroke = Stroke { ink: self.faded(accent, 0.6), width: 1.0, dash: 4.0 };
                scene.shapes.push(Shape::Path { points, stroke });
            }
        }
    }

    /// The ground of the selected range, over the rows that it is about.
    fn wash(&self, scene: &mut Scene, left: Px, right: Px) {
        let bottom = self.size.h;
        if self.setting.frame.tracks.is_empty() {
            scene.fill(Rect::new(left, RULER, right - left, (bottom - RULER).max(0.0)), Ink::Token("wash"));
            return;
        }
        for &Seen { row, y, clip, .. } in &self.seen {
            let top = y.max(clip);
            let h = (y + row.h).min(bottom) - top;
            if 0.0 < h && row.tracks().any(|track| self.is_meant(track)) {
                scene.fill(Rect::new(left, top, right - left, h), Ink::Token("wash"));
            }
        }
    }

    /// Whether the selected range is about a track: it, or a group above it, was chosen.
    fn is_meant(&self, track: TrackId) -> bool {
        let parent = |id: TrackId| self.on.trace.tracks.find(id).and_then(|t| t.parent);
        std::iter::successors(Some(track), |&id| parent(id)).any(|id| self.setting.frame.tracks.contains(&id))
    }

    /// A line around a slice: `(beyond, width)`.
    fn outline(&self, scene: &mut Scene, id: SliceId, ink: Ink, (beyond, width): (Px, Px)) {
        let Some((x0, x1, y, h)) = self.place(id) else { return };
        // Edges outside of the picture stay outside, but not so far that a canvas cannot draw them.
        let (x0, x1) = (x0.max(-10.0) - beyond, x1.min(self.size.w + 10.0) + beyond);
        let rect = Rect::new(x0, y - beyond, (x1 - x0).max(3.0), h + 2.0 * beyond);
        if 0.0 < x1 && x0 < self.size.w {
            scene.shapes.push(Shape::Outline { rect, radius: 2.0, stroke: Stroke::new(ink, width) });
        }
    }
}
