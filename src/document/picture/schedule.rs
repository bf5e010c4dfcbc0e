//! The block schedule, all units below each other.

use super::{MAX_HEIGHT, Picture};
use crate::analysis::schedule::Look;
use crate::base::geometry::{Point, Rect, Size};
use crate::base::words::{phrase, tr};
use crate::document::Document;
use crate::draw::schedule::{RULER, STRIP};
use crate::draw::style::{LABEL, NAME, T1, T3, compact};
use crate::scene::compose::put;
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Align, Scene, text};
use crate::wire::schedule::Frame;
use crate::wire::{self, Note};

pub(super) static SCHEDULE: Picture = Picture { id: "schedule", title: "Schedule", draw: schedule };

/// Height of the head.
const HEAD: f32 = 34.0;

fn schedule(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    let Some(found) = doc.schedule() else { return Err("No block schedule in these files.".to_owned()) };
    let (unit, elapsed) = (found.launch.time.word().to_owned(), found.numbers.clone());
    let frame = Frame { look: Look::of(doc.values()), ..Frame::default() };
    let ask = wire::Frame::Schedule(frame);
    let rows = match doc.draw(&ask, Size { w: size.w, h: STRIP + RULER }, palette).1 {
        Note::Schedule(note) => note.rows_h as f32,
        _ => 0.0,
    };
    let body = Size { w: size.w, h: (STRIP + RULER + rows).min(MAX_HEIGHT - HEAD) };
    let (picture, note) = doc.draw(&ask, body, palette);
    let mut scene = Scene::new(Size { w: size.w, h: body.h + HEAD });
    put(&mut scene, picture, Point { x: 0.0, y: HEAD });
    let title = tr(doc.language(), phrase("Block schedule"));
    scene.text(Point { x: 16.0, y: 22.0 }, title, NAME, T1, Align::Left);
    let ramp = if let Note::Schedule(note) = note { note.ramp } else { Vec::new() };
    let [low, high] = [elapsed.shortest, elapsed.longest].map(|v| compact(v as f64));
    let high = format!("{high} {unit}");
    let mut x = size.w - 16.0 - text::width(&high, LABEL);
    scene.text(Point { x, y: 21.0 }, high, LABEL, T3, Align::Left);
    for color in ramp.iter().rev() {
        x -= if color == ramp.last().unwrap_or(color) { 15.0 } else { 9.0 };
        scene.fill(Rect::new(x, 13.0, 9.0, 9.0), Ink::Rgba(*color));
    }
    scene.text(Point { x: x - 6.0, y: 21.0 }, low, LABEL, T3, Align::Right);
    Ok(scene)
}
