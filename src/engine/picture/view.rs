//! What the page shows of a view now: its pictures with the heads that stand beside them on the page, or its figures with
//! what is chosen of them.

use super::pictures;
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::words::for_reader;
use crate::document::Document;
use crate::document::picture::MAX_HEIGHT;
use crate::engine::front::drawing;
use crate::scene::Scene;
use crate::scene::compose::put;
use crate::scene::palette::{Ink, Palette};
use crate::scene::svg::svg;
use crate::wire::Frame;
use crate::wire::picture::ViewPicture;

/// Size of a view without pictures of its own, as on the command line.
const SIZE: Size = Size { w: 1280.0, h: 800.0 };

impl Document {
    /// What is seen of a view as the text of an SVG file, made for paper.
    pub(crate) fn view_svg(&mut self, seen: &ViewPicture) -> Result<String, String> {
        let palette = self.paper();
        let scene = for_reader(self.language(), || self.view_scene(seen, &palette))?;
        Ok(svg(&scene, &palette, &seen.view))
    }

    fn view_scene(&mut self, seen: &ViewPicture, palette: &Palette) -> Result<Scene, String> {
        if !seen.panes.is_empty() {
            return Ok(self.panes(&seen.panes, palette));
        }
        let picture = pictures().find(|picture| picture.id == seen.view);
        let picture = picture.ok_or_else(|| format!("Unknown view {}.", seen.view))?;
        match picture.seen {
            Some(draw) => draw(self, seen, SIZE, palette),
            None => (picture.draw)(self, SIZE, palette),
        }
    }

    /// Pictures beside each other, a line between them.
    fn panes(&mut self, panes: &[(Frame, Size)], palette: &Palette) -> Scene {
        let within = |px: Px| if px.is_finite() { px.clamp(1.0, MAX_HEIGHT) } else { 1.0 };
        let mut scene = Scene::new(Size { w: 0.0, h: 0.0 });
        let mut lines = Vec::new();
        for (frame, size) in panes {
            let inner = self.pane(frame, Size { w: within(size.w), h: within(size.h) }, palette);
            let mut x = scene.size.w;
            if 0.0 < x {
                lines.push(x);
                x += 1.0;
            }
            scene.size = Size { w: x + inner.size.w, h: scene.size.h.max(inner.size.h) };
            put(&mut scene, inner, Point { x, y: 0.0 });
        }
        for x in lines {
            scene.fill(Rect::new(x, 0.0, 1.0, scene.size.h), Ink::Token("line2"));
        }
        scene
    }

    /// One of them with its head.
    fn pane(&mut self, frame: &Frame, size: Size, palette: &Palette) -> Scene {
        match drawing(&frame.0.of) {
            Some(view) => (view.headed)(frame, self, size, palette),
            None => Scene::new(size),
        }
    }
}
