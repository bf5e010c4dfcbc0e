//! What threads of the first launch ran, all of them below each other.

use super::{MAX_HEIGHT, Picture};
use crate::base::geometry::{Point, Size};
use crate::base::words::{phrase, tr};
use crate::document::Document;
use crate::draw::style::{NAME, T1};
use crate::scene::compose::put;
use crate::scene::palette::Palette;
use crate::scene::{Align, Scene};
use crate::wire::executions::{Folding, Frame};
use crate::wire::{self, Note};

pub(super) static EXECUTIONS: Picture = Picture { id: "trace", title: "Trace", draw: executions };

/// Height of the head.
const HEAD: f32 = 34.0;

fn executions(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    let Some(launch) = doc.first_launch() else {
        return Err("No executions of blocks in these files.".to_owned());
    };
    let frame = Frame { launch, folding: Some(Folding::default()), ..Frame::default() };
    let ask = wire::Frame::Executions(frame);
    let rows = match doc.draw(&ask, Size { w: size.w, h: 1.0 }, palette).1 {
        Note::Executions(note) => note.height as f32,
        _ => 0.0,
    };
    let body = Size { w: size.w, h: rows.min(MAX_HEIGHT - HEAD) };
    let (picture, _) = doc.draw(&ask, body, palette);
    let mut scene = Scene::new(Size { w: size.w, h: body.h + HEAD });
    put(&mut scene, picture, Point { x: 0.0, y: HEAD });
    let title = tr(doc.language(), phrase("Trace"));
    scene.text(Point { x: 16.0, y: 22.0 }, title, NAME, T1, Align::Left);
    Ok(scene)
}
