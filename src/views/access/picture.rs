//! All memory accesses over their addresses, with the legend of colors below the title.

use crate::base::geometry::{Point, Rect, Size};
use crate::base::number::thousands;
use crate::base::words::{phrase, tr};
use crate::document::Document;
use crate::document::picture::Picture;
use crate::draw::style::{LABEL, NAME, T1, T2};
use crate::scene::compose::put;
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Align, Scene, Shape, text};
use crate::views::access::messages::{Frame, Note};

pub(crate) static ACCESSES: Picture =
    Picture { id: "accesses", title: "Accesses", draw: accesses, seen: None };

/// Height of the head.
const HEAD: f32 = 28.0;

fn accesses(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    if doc.trace().accesses.is_empty() {
        return Err("No memory accesses in these files.".to_owned());
    }
    let body = Size { w: size.w, h: (size.h - HEAD).max(120.0) };
    let (picture, note) = doc.draw(&Frame::default(), body, palette);
    let note = note.unwrap_or_default();
    Ok(headed(doc, picture, &note))
}

/// A picture of accesses below its title and what its colors mean.
pub(crate) fn headed(doc: &Document, picture: Scene, note: &Note) -> Scene {
    let n = doc.trace().accesses.len();
    let mut scene = Scene::new(Size { w: picture.size.w, h: picture.size.h + HEAD });
    put(&mut scene, picture, Point { x: 0.0, y: HEAD });
    let title = format!("{} · {}", tr(doc.language(), phrase("Memory accesses")), thousands(n as i64));
    let mut x = 16.0 + text::width(&title, NAME) + 24.0;
    scene.text(Point { x: 16.0, y: 19.0 }, title, NAME, T1, Align::Left);
    for item in &note.legend {
        let ink = item.ink.strip_prefix('p').and_then(|n| n.parse().ok()).map_or(Ink::None, Ink::Slice);
        let name = if item.is_name { item.name.as_str() } else { tr(doc.language(), &item.name) };
        scene.shapes.push(Shape::Fill { rect: Rect::new(x, 9.0, 10.0, 10.0), radius: 2.0, ink });
        scene.text(Point { x: x + 15.0, y: 18.0 }, name, LABEL, T2, Align::Left);
        x += 15.0 + text::width(name, LABEL) + 16.0;
    }
    scene
}
