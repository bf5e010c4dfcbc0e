//! What is seen of the timeline now: the ruler, the rows on screen with their names, and what the colors mean.

use crate::base::geometry::{Point, Px, Rect, Size};
use crate::document::{Document, MAX_HEIGHT};
use crate::scene::palette::{Ink, Palette};
use crate::scene::svg::svg;
use crate::scene::{Align, Font, Scene, Shape, put, text};
use crate::views::timeline::ask as timeline;
use crate::views::timeline::ask::EDGE;
use crate::views::timeline::messages::{Frame, LegendItem, Seen};
use crate::views::timeline::scene::layout::RULER;

/// Height of a line of the legend, side of a square of color, and room behind a name.
const LINE: Px = 20.0;
const SQUARE: Px = 9.0;
const GAP: Px = 16.0;
/// Widest name of the legend.
const NAME: Px = 220.0;
const SMALL: Font = Font::ui(11.0);

impl Document {
    /// What is seen of the timeline as the text of an SVG file. Saved pictures are made for paper, whatever the theme.
    pub(crate) fn seen_svg(&mut self, seen: &Seen) -> String {
        let palette = self.paper();
        let scene = self.seen_scene(seen, &palette);
        svg(&scene, &palette, "timeline")
    }

    /// The colors of saved pictures.
    pub(crate) fn paper(&self) -> Palette {
        Palette::with_scheme(include_str!("../../../style/tokens.css"), "light", &self.palette().scheme)
    }

    fn seen_scene(&mut self, seen: &Seen, palette: &Palette) -> Scene {
        let within = |px: Px, least: Px| if px.is_finite() { px.clamp(least, MAX_HEIGHT) } else { least };
        let (w, heads_w) = (within(seen.size.w, 1.0), within(seen.heads, 60.0).round());
        // The pointer is not in a picture.
        let frame = Frame { hovered: None, ..seen.frame.clone() };
        let mut drawn = |h| {
            let (scene, note) = self.draw(&frame, Size { w, h }, palette);
            (scene, note.unwrap_or_default())
        };
        let (lanes, note) = drawn(within(seen.size.h, RULER));
        // Nothing below the last row.
        let bottom = note.heads.iter().map(|head| head.y + head.h).fold(RULER, Px::max);
        let (lanes, note) = if bottom < lanes.size.h { drawn(bottom) } else { (lanes, note) };
        let h = lanes.size.h;
        let legend = legend(&note.legend, heads_w + w, palette);
        let mut scene = Scene::new(Size { w: heads_w + w, h: h + legend.size.h });
        put(&mut scene, lanes, Point { x: heads_w, y: 0.0 });
        scene.fill(Rect::new(0.0, 0.0, heads_w, h), Ink::Token("s1"));
        // From the last to the first: rows that stay lie over those that scroll.
        for head in note.heads.iter().rev() {
            timeline::picture_row(&mut scene, head, heads_w, 0.0);
        }
        timeline::picture_corner(&mut scene, heads_w, 0.0, self.language());
        scene.fill(Rect::new(heads_w - 1.0, 0.0, 1.0, h), Ink::Token("line"));
        // The last row may be cut.
        scene.fill(Rect::new(0.0, h, heads_w + w, legend.size.h), Ink::Token("s0"));
        put(&mut scene, legend, Point { x: 0.0, y: h });
        scene
    }
}

/// What the colors mean, as many lines as it needs.
fn legend(items: &[LegendItem], w: Px, palette: &Palette) -> Scene {
    let mut shapes = Scene::new(Size { w, h: 0.0 });
    let (mut x, mut y) = (EDGE, 0.0);
    for item in items {
        let name = text::cut_end(&item.name, SMALL, NAME).into_owned();
        let end = x + SQUARE + 5.0 + text::width(&name, SMALL);
        if EDGE < x && w - EDGE < end {
            (x, y) = (EDGE, y + LINE);
        }
        let rect = Rect::new(x, y + 6.0, SQUARE, SQUARE);
        let ink = Ink::Rgba(palette.colors.get(&item.ink).copied().unwrap_or_default());
        shapes.shapes.push(Shape::Fill { rect, radius: 2.0, ink });
        let at = Point { x: x + SQUARE + 5.0, y: y + 14.0 };
        x = at.x + text::width(&name, SMALL) + GAP;
        shapes.text(at, name, SMALL, Ink::Token("t2"), Align::Left);
    }
    shapes.size.h = if items.is_empty() { 0.0 } else { y + LINE };
    shapes
}
