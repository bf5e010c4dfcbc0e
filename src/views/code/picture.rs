//! Source beside instructions, the hottest rows in view.

use crate::base::geometry::{Point, Rect, Size};
use crate::base::words::{Language, tr};
use crate::document::Document;
use crate::document::picture::Picture;
use crate::model::id::ListingId;
use crate::scene::compose::put;
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Align, Font, Scene, Shape, text};
use crate::views::code::messages::{CodeQuery, Frame, Note, Reply};

pub(crate) static SOURCE: Picture = Picture { id: "source", title: "Source", draw: source, seen: None };

/// Height of the head of a listing.
const HEAD: f32 = 24.0;

/// The first source beside the first instructions, the hottest rows in view.
fn source(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    let Some(Reply::Listings(all)) = doc.query(&CodeQuery::Listings).0 else {
        return Err("Source and instructions are not available.".to_owned());
    };
    let shown = all.first_pair();
    let head = |id: Option<ListingId>| all.listings.iter().find(|l| Some(l.id) == id);
    let panes: Vec<_> = shown.into_iter().filter_map(head).collect();
    if panes.is_empty() {
        let why = if all.missing.is_empty() { "" } else { " " };
        return Err(format!("No source or instructions in these files.{why}{}", all.missing));
    }
    let mut scene = Scene::new(size);
    let width = (size.w - (panes.len() - 1) as f32) / panes.len() as f32;
    let mut x = 0.0;
    for pane in &panes {
        let beside = panes.iter().map(|other| other.id).find(|id| *id != pane.id);
        let inner = listing(doc, (pane.id, beside), pane.heat, Size { w: width, h: size.h }, palette);
        put(&mut scene, inner, Point { x, y: 0.0 });
        x += width;
        scene.fill(Rect::new(x, 0.0, 1.0, size.h), Ink::Token("line2"));
        x += 1.0;
    }
    Ok(scene)
}

/// A listing with its head, its hottest row at one third of the height.
fn listing(
    doc: &mut Document,
    (id, beside): (ListingId, Option<ListingId>),
    heat: Option<u16>,
    size: Size,
    palette: &Palette,
) -> Scene {
    let body = Size { w: size.w, h: (size.h - HEAD).max(0.0) };
    let rows_in_view = f64::from(body.h / 20.0);
    let hottest = heat.and_then(|column| {
        let ask = CodeQuery::Hot { listing: id, column, core: 0, from: None, step: 0 };
        match doc.query(&ask).0 {
            Some(Reply::Hot(row)) => row.map(|r| f64::from(r.row)),
            _ => None,
        }
    });
    let total = doc.trace().code.listings.get(id.index()).map_or(0, |l| l.lines.len()) as f64;
    let last = (total - rows_in_view).max(0.0);
    let first = (hottest.unwrap_or(0.0) - rows_in_view / 3.0).floor().clamp(0.0, last);
    let frame = Frame {
        listing: id,
        heat,
        first,
        row_px: 20.0,
        char_px: text::advance('0', Font::mono(12.0)),
        beside,
        ..Frame::default()
    };
    let (picture, note) = doc.draw(&frame, body, palette);
    let note = note.unwrap_or_default();
    headed(picture, &note, 0.0, doc.language())
}

/// A picture of rows, scrolled sideways by so much, below the head of its columns.
pub(crate) fn headed(picture: Scene, note: &Note, left: f32, language: Language) -> Scene {
    let w = picture.size.w;
    let mut scene = Scene::new(Size { w, h: picture.size.h + HEAD });
    put(&mut scene, picture, Point { x: 0.0, y: HEAD });
    scene.fill(Rect::new(0.0, 0.0, w, HEAD - 1.0), Ink::Token("s1"));
    scene.fill(Rect::new(0.0, HEAD - 1.0, w, 1.0), Ink::Token("line"));
    let font = Font::ui(11.0).weight(500);
    for (at, column) in note.columns.iter().enumerate() {
        // The number stands still at the left, pinned columns at the right; the others scroll between them.
        let is_moved = 0.0 < left && 0 < at && !column.is_pinned;
        let from = if is_moved { column.x - left } else { column.x };
        let title = text::cut_end(tr(language, &column.title), font, column.w - 10.0).into_owned();
        let (x, align) = if column.is_right {
            (from + column.w - 8.0, Align::Right)
        } else {
            (from + column.inset, Align::Left)
        };
        if is_moved {
            let room = (note.pinned - note.frozen).max(0.0);
            scene.shapes.push(Shape::Clip(Rect::new(note.frozen, 0.0, room, HEAD)));
        }
        scene.text(Point { x, y: 16.0 }, title, font, Ink::Token("t3"), align);
        if is_moved {
            scene.shapes.push(Shape::Unclip);
        }
    }
    scene
}
