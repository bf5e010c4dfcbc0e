//! What can be asked of an area, a stretch of time on some tracks.

use crate::analysis::area::flame::Flame;
use crate::analysis::area::{Scope, gaps};
use crate::analysis::timeline::chosen_tracks;
use crate::base::geometry::{Point, Size};
use crate::base::words::tr;
use crate::document::Document;
use crate::document::engine::{Answers, Draws};
use crate::draw::colors::Colors;
use crate::draw::flame::{self as drawing, FlameInput, Layout, MAX_DRAWN, MAX_ROWS, ROW, Setting, What};
use crate::draw::style::DrawStyle;
use crate::model::id::{StrId, TrackId};
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::views::timeline::area::{AreaQuery, Frame, Note, Reply};
use crate::views::timeline::ask::{Systems, color};
use crate::views::timeline::messages::Area;
use crate::wire::rows::Source;
use crate::wire::{Answer, Question};

fn answer(doc: &mut Document, ask: &AreaQuery) -> Reply {
    match ask {
        AreaQuery::Frame { frame, size, at } => Reply::Frame(call_under(doc, frame, *size, *at)),
        AreaQuery::Devices(area) => Reply::Devices(devices(doc, area)),
        AreaQuery::Categories(area) => Reply::Categories(doc.take_categories(area)),
    }
}

impl Answers for AreaQuery {
    fn prepare(&self, doc: &mut Document) -> bool {
        match self {
            Self::Frame { frame, .. } => doc.prepare_calls(&frame.area),
            Self::Categories(area) => doc.prepare_base(&Source::Categories(area.clone())),
            Self::Devices(_) => true,
        }
    }

    fn answer(&self, doc: &mut Document, _: &[u8]) -> (Answer, Option<Vec<u8>>) {
        (Self::reply(&answer(doc, self)), None)
    }
}

impl Draws for Frame {
    fn prepare(&self, doc: &mut Document) -> bool {
        doc.prepare_calls(&self.area)
    }

    fn draw(&self, doc: &mut Document, size: Size, palette: &Palette) -> (Scene, Note) {
        draw_calls(doc, self, size, palette)
    }
}

/// How busy devices are: the name, the number of streams, the share of the time that was recorded.
fn devices(doc: &Document, area: &Area) -> Vec<(String, u64, f64)> {
    let device = |scope: Scope, group: TrackId| {
        // The label of the group where the name is that of the program.
        let label = scope.trace.tracks.find(group).map_or("", |t| scope.trace.strings.get(t.label));
        if label.starts_with("GPU") { label.to_owned() } else { scope.trace.track_path(group) }
    };
    with_scope(doc, area, |scope| {
        let devices = gaps::devices(scope).into_iter().map(|(group, n, busy)| {
            let recorded = scope.timeline.recorded(scope.trace, group, area.span).dur();
            (device(scope, group), n as u64, busy as f64 / recorded.max(1) as f64)
        });
        devices.collect()
    })
}

/// Does something with the area of a question.
fn with_scope<T>(doc: &Document, area: &Area, work: impl FnOnce(Scope) -> T) -> T {
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let tracks = chosen_tracks(trace, &area.tracks);
    work(Scope { trace, timeline, tracks: &tracks, span: area.span })
}

// The call tree of an area as a picture, and what lies under a point of it.

fn draw_calls(doc: &mut Document, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
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
fn call_under(doc: &Document, frame: &Frame, size: Size, at: Point) -> Option<Vec<StrId>> {
    let flame = doc.derived().areas.flame()?;
    let setting = Setting { order: frame.order, focus: flame.find(&frame.path), pointer: None };
    match Layout::new(flame, &setting, size.w).at(at)? {
        What::Frame(at) => {
            Some(flame.path(at).into_iter().skip(1).map(|f| flame.frames[f as usize].name).collect())
        }
        What::Rest { .. } => None,
    }
}
