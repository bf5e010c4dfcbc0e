//! The call tree of an area as a picture, and what lies under a point of it.

use crate::analysis::area::flame::Flame;
use crate::base::geometry::{Point, Size};
use crate::base::words::tr;
use crate::document::Document;
use crate::draw::colors::Colors;
use crate::draw::flame::{self as drawing, FlameInput, Layout, MAX_DRAWN, MAX_ROWS, ROW, Setting, What};
use crate::draw::style::DrawStyle;
use crate::model::id::StrId;
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::views::timeline::area::{Frame, Note};
use crate::views::timeline::ask::{Systems, color};

pub(super) fn draw(doc: &mut Document, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
    let look = DrawStyle { palette, language: doc.language() };
    let systems = Systems::of(doc);
    let (trace, derived) = doc.parts();
    let timeline = &derived.timeline;
    let none = Flame::default();
    let flame = derived.areas.flame().unwrap_or(&none);
    let colors =
        Colors::new(trace, timeline.names(), color(systems, trace, frame.color.as_deref(), &palette.scheme));
    let on = FlameInput { trace, flame, colors: &colors, look: &look };
    let focus = flame.find(&frame.path);
    let setting = Setting { order: frame.order, focus, pointer: frame.pointer };
    let layout = Layout::new(flame, &setting, size.w);
    let scene = drawing::draw(on, &setting, &layout, size);
    let under = frame.pointer.and_then(|at| layout.at(at)).map(|what| drawing::tooltip(on, what));
    let left_out = if layout.is_cut {
        let n = MAX_DRAWN.to_string();
        let values = [("n", n.as_str()), ("m", &MAX_ROWS.to_string())];
        crate::base::words::fill(
            tr(look.language, "Showing at most {n} frames in {m} rows; zoom into a frame to see more."),
            &values,
        )
    } else {
        String::new()
    };
    let note = Note {
        height: layout.n_rows as f32 * ROW,
        under: under.unwrap_or_default(),
        alt: drawing::words(on, &setting),
        left_out,
    };
    (scene, note)
}

/// The path to the frame under a point.
pub(super) fn under(doc: &Document, frame: &Frame, size: Size, at: Point) -> Option<Vec<StrId>> {
    let flame = doc.derived().areas.flame()?;
    let setting = Setting { order: frame.order, focus: flame.find(&frame.path), pointer: None };
    match Layout::new(flame, &setting, size.w).at(at)? {
        What::Frame(at) => {
            Some(flame.path(at).into_iter().skip(1).map(|f| flame.frames[f as usize].name).collect())
        }
        What::Rest { .. } => None,
    }
}
