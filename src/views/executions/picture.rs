//! What threads of the first launch ran, all of them below each other.

use crate::base::geometry::{Point, Size};
use crate::base::number::thousands;
use crate::base::words::{phrase, tr};
use crate::document::Document;
use crate::document::picture::{MAX_HEIGHT, Picture, ramp};
use crate::draw::style::{NAME, T1};
use crate::scene::compose::put;
use crate::scene::palette::Palette;
use crate::scene::{Align, Scene};
use crate::views::executions::messages::{ColorBy, ExecutionsQuery, Folding, Frame, Note, Reply};

pub(crate) static EXECUTIONS: Picture = Picture { id: "trace", title: "Trace", draw: executions, seen: None };

/// Height of the head.
const HEAD: f32 = 34.0;

fn executions(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    let Some(launch) = doc.first_launch() else {
        return Err("No executions of blocks in these files.".to_owned());
    };
    let frame = Frame { launch, folding: Some(Folding::default()), ..Frame::default() };
    let rows = doc.draw(&frame, Size { w: size.w, h: 1.0 }, palette).1.unwrap_or_default().height as f32;
    let body = Size { w: size.w, h: rows.min(MAX_HEIGHT - HEAD) };
    let (picture, note) = doc.draw(&frame, body, palette);
    let note = note.unwrap_or_default();
    Ok(headed(doc, picture, &note, launch))
}

/// A picture of a launch below its name and what its colors mean.
pub(crate) fn headed(doc: &mut Document, picture: Scene, note: &Note, launch: u32) -> Scene {
    let language = doc.language();
    let mut scene = Scene::new(Size { w: picture.size.w, h: picture.size.h + HEAD });
    put(&mut scene, picture, Point { x: 0.0, y: HEAD });
    let ask = ExecutionsQuery::Head { launch: Some(launch) };
    let head = if let Some(Reply::Head(head)) = doc.query(&ask).0 { head } else { None };
    let own = head.as_ref().and_then(|head| head.launches.iter().find(|(row, ..)| *row == launch));
    let name = own.map(|(_, name, program)| if program.is_empty() { name } else { program });
    let title = tr(language, phrase("Trace"));
    let title = name.map_or_else(|| title.to_owned(), |name| format!("{title} · {name}"));
    scene.text(Point { x: 16.0, y: 22.0 }, title, NAME, T1, Align::Left);
    let Some(head) = head else { return scene };
    let (what, low, high) = match note.color {
        ColorBy::Efficiency => (phrase("Efficiency"), "100 %", "0 %".to_owned()),
        ColorBy::Excess => (phrase("Excess sectors"), "0", thousands(head.most_excess)),
        ColorBy::Lanes => (phrase("Active lanes"), "0", thousands(head.lanes)),
        // Each has its own.
        ColorBy::Block => return scene,
    };
    ramp(&mut scene, format!("{} {low}", tr(language, what)), &note.ramp, high);
    scene
}
