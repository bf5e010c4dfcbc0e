//! What lies over the lanes: the selected range, the slice under the pointer, the selected slice.

use super::Canvas;
use super::layout::RULER;
use crate::base::geometry::{Px, Rect};
use crate::model::id::SliceId;
use crate::scene::palette::Ink;
use crate::scene::{Scene, Shape, Stroke};

impl Canvas<'_> {
    pub(super) fn marks(&self, scene: &mut Scene) {
        if let Some(range) = self.setting.range {
            let (x0, x1) = (self.x(range.start), self.x(range.end).max(self.x(range.start) + 1.0));
            let h = (self.size.h - RULER).max(0.0);
            if 0.0 < x1 && x0 < self.size.w {
                let (left, right) = (x0.max(0.0), x1.min(self.size.w));
                scene.fill(Rect::new(left, RULER, right - left, h), Ink::Token("wash"));
                for x in [x0, x1 - 1.0] {
                    scene.fill(Rect::new(x.round(), RULER, 1.0, h), Ink::Token("sel-line"));
                }
            }
        }
        if let Some(id) = self.setting.hovered.filter(|&id| self.setting.selected != Some(id)) {
            self.outline(scene, id, self.faded(Ink::Token("t1"), 0.6), (0.0, 1.0));
        }
        if let Some(id) = self.setting.selected {
            self.outline(scene, id, Ink::Token("s0"), (2.0, 2.0));
            self.outline(scene, id, Ink::Token("t1"), (0.0, 2.0));
        }
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
