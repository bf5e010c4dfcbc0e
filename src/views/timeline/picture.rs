//! The whole time on all rows: overview, ruler and lanes, with the names of groups and tracks at the left.

use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number;
use crate::base::words::{Language, tr};
use crate::document::Document;
use crate::document::picture::{MAX_HEIGHT, Picture};
use crate::scene::compose::put;
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Align, Font, Scene, Shape, Stroke, text};
use crate::views::timeline::messages::{Arrangement, Frame, Head, Picture as Part, RowKind};
use crate::views::timeline::scene::layout::RULER;

pub(crate) static TIMELINE: Picture =
    Picture { id: "timeline", title: "Timeline", draw: timeline, seen: None };

/// Height of the overview.
const OVERVIEW: Px = 36.0;
/// Room at the edges of the heads, and what a level stands further in.
pub(crate) const EDGE: Px = 12.0;
const STEP: Px = 14.0;
/// Room for the mark of an open or closed row.
const CARET: Px = 16.0;
/// Height of a line of text below the rows.
const FOOT: Px = 22.0;

const SMALL: Font = Font::ui(11.0);
const GROUP: Font = Font::ui(12.0).weight(500);

/// The rows need what they need, up to the greatest height; rows that did not fit are said below.
fn timeline(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    let trace = doc.trace();
    let (clock, language) = (trace.clock, doc.language());
    let span = doc.derived().timeline.span(trace);
    let Some(span) = span.filter(|_| 0 < trace.n_slices() + trace.n_instants() + trace.n_samples()) else {
        return Err("No timeline events in these files.".to_owned());
    };
    // As on the page: the offsets of the user hold.
    let offsets = doc.derived().timeline.offsets().to_vec();
    let heads_w = (size.w * 0.3).clamp(60.0, 240.0).round();
    let width = (size.w - heads_w).max(1.0);
    let mut part = |picture, h| {
        let rows = Box::new(Arrangement { offsets: offsets.clone(), ..Arrangement::default() });
        let frame = Frame { picture, ratio: 1.0, rows, ..Frame::default() };
        {
            let (scene, note) = doc.draw(&frame, Size { w: width, h }, palette);
            (scene, note.unwrap_or_default())
        }
    };
    // A picture of the ruler alone tells how far all rows reach below it.
    let needed = part(Part::Rows, RULER).1.max_scroll;
    let room = f64::from(MAX_HEIGHT - OVERVIEW - RULER - FOOT);
    let h = RULER + needed.min(room) as Px;
    let (overview, _) = part(Part::Overview, OVERVIEW - 1.0);
    let (lanes, note) = part(Part::Rows, h);
    let is_cut = room < needed;
    let mut scene = Scene::new(Size { w: size.w, h: OVERVIEW + h + if is_cut { FOOT } else { 0.0 } });
    put(&mut scene, overview, Point { x: heads_w, y: 0.0 });
    put(&mut scene, lanes, Point { x: heads_w, y: OVERVIEW });
    let faint = Ink::Token("t3");
    scene.fill(Rect::new(0.0, 0.0, heads_w, OVERVIEW), Ink::Token("s1"));
    let duration = number::duration(span.dur(), clock);
    scene.text(Point { x: EDGE, y: 22.0 }, duration, SMALL, faint, Align::Left);
    corner(&mut scene, heads_w, OVERVIEW, language);
    for head in &note.heads {
        row(&mut scene, head, heads_w, OVERVIEW);
    }
    let rule = Ink::Token("line");
    scene.fill(Rect::new(heads_w - 1.0, 0.0, 1.0, OVERVIEW + h), rule);
    scene.fill(Rect::new(0.0, OVERVIEW - 1.0, size.w, 1.0), rule);
    if is_cut {
        let at = Point { x: EDGE, y: OVERVIEW + h + 15.0 };
        scene.text(at, tr(language, "More rows are not shown."), SMALL, Ink::Token("t3"), Align::Left);
    }
    Ok(scene)
}

/// Above the heads, beside a ruler that begins at this height: what they tell.
pub(crate) fn corner(scene: &mut Scene, w: Px, top: Px, language: Language) {
    let faint = Ink::Token("t3");
    scene.fill(Rect::new(0.0, top, w, RULER), Ink::Token("s1"));
    scene.fill(Rect::new(0.0, top + RULER - 1.0, w, 1.0), Ink::Token("line"));
    let y = top + 17.0;
    let (tracks, busy) = (tr(language, "Tracks"), tr(language, "busy %"));
    scene.text(Point { x: EDGE, y }, tracks, SMALL, faint, Align::Left);
    if text::width(tracks, SMALL) + text::width(busy, SMALL) + 3.0 * EDGE < w {
        scene.text(Point { x: w - EDGE, y }, busy, SMALL, faint, Align::Right);
    }
}

/// The head of one row of lanes that begin at this height: mark, name, second word, and its value at the right.
pub(crate) fn row(scene: &mut Scene, head: &Head, w: Px, top: Px) {
    let y = top + head.y;
    let is_group = head.kind == RowKind::Group;
    let (font, ink) = if is_group { (GROUP, Ink::Token("t1")) } else { (SMALL, Ink::Token("t2")) };
    scene.shapes.push(Shape::Clip(Rect::new(0.0, y, w, head.h)));
    scene.fill(Rect::new(0.0, y, w, head.h), Ink::Token(if is_group { "s2" } else { "s1" }));
    let mut x = EDGE + head.level as Px * STEP;
    let (middle, base) = (y + head.h / 2.0, y + head.h / 2.0 + 4.0);
    if head.can_open {
        caret(scene, Point { x: x + 4.0, y: middle }, head.is_open);
        x += CARET;
    }
    let value_w = if head.value.is_empty() { 0.0 } else { text::width(&head.value, SMALL) + 8.0 };
    let mut room = w - EDGE - value_w - x;
    let name = text::cut_end(&head.name, font, room).into_owned();
    let name_w = text::width(&name, font) + 4.0;
    scene.text(Point { x, y: base }, name, font, ink, Align::Left);
    room -= name_w;
    if let Some(label) = text::label(&head.label, SMALL, room) {
        scene.text(Point { x: x + name_w, y: base }, label, SMALL, Ink::Token("t3"), Align::Left);
    }
    let at = Point { x: w - EDGE, y: base };
    scene.text(at, head.value.as_str(), SMALL, Ink::Token("t3"), Align::Right);
    scene.shapes.push(Shape::Unclip);
}

/// Points down when what is below is shown, else to the right.
fn caret(scene: &mut Scene, at: Point, is_open: bool) {
    let (long, short) = (2.4, 1.2);
    let point = |dx: Px, dy: Px| {
        let (dx, dy) = if is_open { (dy, dx) } else { (dx, dy) };
        Point { x: at.x + dx, y: at.y + dy }
    };
    let points = vec![point(-short, -long), point(short, 0.0), point(-short, long)];
    scene.shapes.push(Shape::Path { points, stroke: Stroke::new(Ink::Token("t3"), 1.2) });
}
