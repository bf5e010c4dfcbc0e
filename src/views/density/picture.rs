//! Accesses by page and clock as a heat map, with the tensors named at its left.

use crate::base::geometry::{Point, Size};
use crate::document::Document;
use crate::document::picture::Picture;
use crate::draw::style::{NAME, T1};
use crate::scene::compose::put;
use crate::scene::palette::Palette;
use crate::scene::{Align, Scene};
use crate::views::density::messages::{Frame, Shading};

pub(crate) static HEAT_MAP: Picture =
    Picture { id: "heatmap", title: "Heat map", draw: heat_map, seen: None };

/// Height of the head.
const HEAD: f32 = 34.0;

fn heat_map(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    if doc.density().is_none() {
        return Err("No memory accesses with times in these files.".to_owned());
    }
    let body = Size { w: size.w, h: (size.h - HEAD).max(160.0) };
    let frame = Frame { shading: Shading::Quintiles, ..Frame::default() };
    let (picture, _) = doc.draw(&frame, body, palette);
    Ok(headed(doc, picture))
}

/// A heat map below its title.
pub(crate) fn headed(doc: &Document, picture: Scene) -> Scene {
    let mut scene = Scene::new(Size { w: picture.size.w, h: picture.size.h + HEAD });
    put(&mut scene, picture, Point { x: 0.0, y: HEAD });
    let title = doc.density().map(|(_, density)| density.title.text(doc.language()).into_owned());
    scene.text(Point { x: 16.0, y: 19.0 }, title.unwrap_or_default(), NAME, T1, Align::Left);
    scene
}
