//! The block schedule, all units below each other.

use crate::base::geometry::{Point, Size};
use crate::base::number::thousands;
use crate::base::words::{phrase, tr};
use crate::document::Document;
use crate::document::picture::{MAX_HEIGHT, Picture, ramp};
use crate::draw::style::{NAME, T1, compact};
use crate::scene::compose::put;
use crate::scene::palette::Palette;
use crate::scene::{Align, Scene};
use crate::views::schedule::compute::{ColorBy, Look};
use crate::views::schedule::messages::Frame;
use crate::views::schedule::scene::{RULER, STRIP};

pub(crate) static SCHEDULE: Picture =
    Picture { id: "schedule", title: "Schedule", draw: schedule, seen: None };

/// Height of the head.
const HEAD: f32 = 34.0;

fn schedule(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    if doc.schedule().is_none() {
        return Err("No block schedule in these files.".to_owned());
    }
    let look = Look::of(doc.values());
    let ask = Frame { look, ..Frame::default() };
    let rows =
        doc.draw(&ask, Size { w: size.w, h: STRIP + RULER }, palette).1.unwrap_or_default().rows_h as f32;
    let body = Size { w: size.w, h: (STRIP + RULER + rows).min(MAX_HEIGHT - HEAD) };
    let (picture, note) = doc.draw(&ask, body, palette);
    let colors = note.unwrap_or_default().ramp;
    Ok(headed(doc, picture, &colors, look))
}

/// A picture of the schedule below its title and what its colors mean.
pub(crate) fn headed(doc: &Document, picture: Scene, colors: &[u32], look: Look) -> Scene {
    let language = doc.language();
    let mut scene = Scene::new(Size { w: picture.size.w, h: picture.size.h + HEAD });
    put(&mut scene, picture, Point { x: 0.0, y: HEAD });
    let title = tr(language, phrase("Block schedule"));
    scene.text(Point { x: 16.0, y: 22.0 }, title, NAME, T1, Align::Left);
    let Some(found) = doc.schedule() else { return scene };
    let numbers = &found.numbers;
    let (low, high) = match look.color {
        ColorBy::Elapsed => {
            let [low, high] = [numbers.shortest, numbers.longest].map(|v| compact(v as f64));
            (low, format!("{high} {}", found.launch.time.word()))
        }
        ColorBy::Wave => (format!("{} 1", tr(language, phrase("wave"))), thousands(numbers.n_waves())),
        ColorBy::Block => {
            let last = found.launched().saturating_sub(1);
            (format!("{} 0", tr(language, phrase("block"))), thousands(last))
        }
    };
    ramp(&mut scene, low, colors, high);
    scene
}
