//! One frame of the timeline: what happened when, on which row.
//!
//! Needs slices, instants or counters. The lanes are one dense field ([`crate::scene::Spans`]); labels, marks, the
//! selection, flows and the ruler are shapes over it. A frame costs the rows on screen times their width in pixels.
pub mod counter;
mod flows;
mod group;
pub mod hit;
mod lanes;
pub mod layout;
mod marks;
pub mod note;
pub mod overview;
mod ruler;

pub use crate::draw::scheme::ColorBy;
pub use flows::{MAX_SHOWN as MAX_FLOWS, in_window as flows_in_window};

use crate::analysis::statistics::is_joined;
use crate::analysis::timeline::Timeline;
use crate::analysis::timeline::search::SearchQuery;
use crate::base::geometry::{Px, Rect, Size};
use crate::base::order;
use crate::base::time::Window;
use crate::base::time::{Span, Ticks};
use crate::base::words::Language;
use crate::draw::colors::Colors;
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Font, Scene, Shape, SpanRect, Spans};
use layout::{Arrangement, Layout, RowKind, Seen};
use serde::{Deserialize, Serialize};

/// What is drawn at full strength while the rest steps back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emphasis {
    /// Everything.
    #[default]
    All,
    /// Slices of this name.
    Name(StrId),
    /// Slices whose names differ from the wanted one only in the number at their end.
    Joined,
    /// What the last search found.
    Found,
}

/// Which picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Picture {
    /// Ruler and rows.
    #[default]
    Rows,
    /// The whole trace in a strip; of the frame only its colors count.
    Overview,
}

/// Which groups stand open when the user says nothing of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Folding {
    /// The first ones, as many as fill a screen.
    #[default]
    Auto,
    /// All.
    Open,
    /// None.
    Closed,
}

/// Which flows are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FlowsShown {
    /// None.
    None,
    /// Those of the selected slice.
    #[default]
    Selected,
    /// All in the window.
    All,
}

/// A time or a stretch of time that the user named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// When; a point when it is empty.
    pub span: Span,
    /// Number of its color in the palette of slices.
    pub color: u8,
    /// Its name.
    pub name: String,
}

/// What stands out, and what is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisplayOptions {
    /// The name whose slices stand out; all others step back.
    pub only: Option<String>,
    /// The slice that others are aligned with.
    pub base: Option<SliceId>,
    /// Whether slices that set flags or wait for them are left out, with their flows.
    pub is_sync_hidden: bool,
    /// Categories of flows that are left out.
    pub flows_off: Vec<String>,
}

/// One frame of the timeline as the user set it; its size comes beside it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Which picture.
    pub picture: Picture,
    /// The visible time; `None` shows everything.
    pub window: Option<Window>,
    /// How far the rows are scrolled, in pixels.
    pub scroll: f64,
    /// Device pixels in a CSS pixel.
    pub ratio: f32,
    /// Id of what decides the color of a slice; `None` is the color scheme that the palette has chosen, else what suits
    /// the trace.
    pub color: Option<String>,
    /// Whether lanes are compact; `None` lets their number decide.
    pub is_compact: Option<bool>,
    /// Which groups stand open by themselves.
    pub folding: Folding,
    /// Groups and tracks that the user opened.
    pub opened: Vec<TrackId>,
    /// Groups and tracks that the user closed.
    pub closed: Vec<TrackId>,
    /// Tracks that are shown above the others, in this order.
    pub pinned: Vec<TrackId>,
    /// Tracks that are not shown.
    pub hidden: Vec<TrackId>,
    /// The selected slice.
    pub selected: Option<SliceId>,
    /// The slice under the pointer.
    pub hovered: Option<SliceId>,
    /// Whether slices of other names than the one under the pointer step back.
    pub is_hover_emphasized: bool,
    /// The selected range of time.
    pub range: Option<Span>,
    /// The tracks it is about, groups standing for all below them; none means all.
    pub tracks: Vec<TrackId>,
    /// The track whose clock the ruler shows; `None` is the first clock of the trace.
    pub ruler: Option<TrackId>,
    /// What is searched for: matches stand out.
    pub search: SearchQuery,
    /// Which flows are drawn.
    pub flows: FlowsShown,
    /// Marks of the user.
    pub marks: Vec<Mark>,
    /// What else the user did to the rows.
    pub rows: Box<Arrangement>,
    /// What stands out, and what is left out.
    pub display: Box<DisplayOptions>,
}

/// A frame together with what a trace fills in where the frame leaves it open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setting {
    /// The frame.
    pub frame: Frame,
    /// The visible time.
    pub window: Window,
    /// What decides the color of a slice.
    pub color: ColorBy,
    /// What stands out.
    pub emphasis: Emphasis,
    /// Flows that begin or end at slices of these names are left out, as the timeline leaves out the slices.
    pub without: Vec<StrId>,
    /// Flows of these categories are left out.
    pub flows_off: Vec<StrId>,
    /// Language of the words that are not data.
    pub language: Language,
}

/// What the drawing rests on.
#[derive(Clone, Copy)]
pub struct TimelineInput<'a> {
    /// What the files said.
    pub trace: &'a Trace,
    /// What was computed from it.
    pub timeline: &'a Timeline,
    /// The colors; only computed ones are taken from it, the others stay names.
    pub palette: &'a Palette,
}

/// Least strength of a column that is not empty.
pub const FLOOR: u8 = 64;
/// Strength of slices that step back.
const DIMMED: f32 = 0.32;
/// Slice labels, ticks.
const LABEL: Font = Font::ui(11.0);

/// A frame in the making.
struct Canvas<'a> {
    on: TimelineInput<'a>,
    setting: &'a Setting,
    colors: Colors<'a>,
    layout: &'a Layout,
    /// The rows on screen.
    seen: Vec<Seen<'a>>,
    size: Size,
    spans: Vec<SpanRect>,
    /// Labels and marks over the field.
    over: Vec<Shape>,
}

/// The time that labels count from: zero of the file when the trace begins near it, else (an epoch) its start.
pub fn origin(trace: &Trace) -> Ticks {
    trace.span.map_or(0, Span::origin)
}

/// Draws a frame.
pub fn draw(on: TimelineInput, setting: &Setting, layout: &Layout, size: Size) -> Scene {
    let colors = Colors::new(on.trace, on.timeline.names(), setting.color);
    let mut rows: Vec<_> = layout.on_screen(setting.frame.scroll, size.h).collect();
    let (spans, over) = (Vec::new(), Vec::new());
    let mut canvas = Canvas { on, setting, colors, layout, seen: rows.clone(), size, spans, over };
    let field = Rect::new(0.0, layout::RULER, size.w, (size.h - layout::RULER).max(0.0));
    let mut scene = Scene::new(size);
    let ticks = canvas.ticks();
    // Rows that scroll are painted first, so that pinned ones and heads that stay stand over them.
    order::sort_by(&mut rows, |a, b| b.clip.total_cmp(&a.clip));
    canvas.grid(&ticks, field);
    for Seen { row, y, clip, .. } in rows {
        match row.kind {
            RowKind::Group => canvas.group(row, y, clip),
            RowKind::Lanes(n) => canvas.lanes(row, n, y, clip),
            RowKind::Counter => canvas.counter(row, y, clip),
        }
    }
    let ground = Ink::Token("s0");
    let Canvas { spans, over, .. } = &mut canvas;
    scene.shapes.push(Shape::Spans(Spans { field, ground, spans: std::mem::take(spans) }));
    scene.shapes.push(Shape::Clip(field));
    scene.shapes.append(over);
    canvas.marks(&mut scene);
    canvas.flows(&mut scene);
    scene.shapes.push(Shape::Unclip);
    canvas.ruler(&mut scene, &ticks);
    scene
}

impl Canvas<'_> {
    /// Columns of device pixels across the picture.
    fn columns(&self) -> usize {
        (self.size.w * self.ratio()).round().max(1.0) as usize
    }

    fn ratio(&self) -> f32 {
        if 0.1 < self.setting.frame.ratio { self.setting.frame.ratio } else { 1.0 }
    }

    /// The window by the clock of a track: earlier by its offset.
    fn window_of(&self, track: TrackId) -> Window {
        self.setting.window.shifted(self.on.timeline.shift_of(track).saturating_neg())
    }

    /// Where a time of a track is.
    fn x_on(&self, track: TrackId, t: Ticks) -> Px {
        self.x(t.saturating_add(self.on.timeline.shift_of(track)))
    }

    /// Where a shown time is.
    fn x(&self, t: Ticks) -> Px {
        (self.setting.window.share(t) * f64::from(self.size.w)).clamp(-1e6, 1e6) as Px
    }

    /// A color with less strength.
    fn faded(&self, ink: Ink, strength: f32) -> Ink {
        let color = self.on.palette.rgba(ink);
        let alpha = ((color & 0xff) as f32 * strength).round() as u32;
        Ink::Rgba(color & 0xffff_ff00 | alpha)
    }

    /// The strength of one slice, as [`Self::strength`]: a search may want it and not others of its name.
    fn strength_of(&self, id: SliceId, name: StrId) -> f32 {
        match (self.setting.emphasis, self.on.timeline.found()) {
            (Emphasis::Found, Some(found)) if found.has(name) && !found.is_hit(id, name) => {
                self.strength(name).min(DIMMED)
            }
            _ => self.strength(name),
        }
    }

    /// The strength of a slice of this name: less when something else stands out.
    fn strength(&self, name: StrId) -> f32 {
        let stands_out = match self.setting.emphasis {
            Emphasis::All => true,
            Emphasis::Name(wanted) => wanted == name,
            Emphasis::Joined => {
                let wanted = self.setting.frame.display.only.as_deref().unwrap_or_default();
                is_joined(wanted, self.on.trace.strings.get(name))
            }
            Emphasis::Found => self.on.timeline.found().is_none_or(|f| f.problem.is_some() || f.has(name)),
        };
        if stands_out { 1.0 } else { DIMMED }
    }
}
