//! One frame of the timeline: what happened when, on which row.
//!
//! Needs slices, instants or counters. The lanes are one dense field ([`crate::scene::Spans`]); labels, marks, the
//! selection, flows and the ruler are shapes over it. A frame costs the rows on screen times their width in pixels.

mod flows;
mod lanes;
pub mod layout;
pub mod note;
pub mod overview;
mod ruler;

pub use crate::draw::ColorBy;
pub use flows::{MAX_SHOWN as MAX_FLOWS, in_window as flows_in_window};

use crate::analysis::statistics::is_joined;
use crate::analysis::timeline::Timeline;
use crate::analysis::timeline::search::SearchQuery;
use crate::analysis::timeline::window::{self, Hit, near};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::order;
use crate::base::time::{Span, Ticks, Window};
use crate::base::words::Language;
use crate::draw::colors::Colors;
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Font, Scene, Shape, SpanRect, Spans, Stroke};
use layout::{Arrangement, Layout, RULER, RowKind, Seen, TrackRow};
use serde::{Deserialize, Serialize};

/// What is drawn at full strength while the rest steps back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emphasis {
    #[default]
    All,
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
    pub selected: Option<SliceId>,
    pub hovered: Option<SliceId>,
    /// Whether slices of other names than the one under the pointer step back.
    pub is_hover_emphasized: bool,
    pub range: Option<Span>,
    /// The tracks it is about, groups standing for all below them; none means all.
    pub tracks: Vec<TrackId>,
    /// The track whose clock the ruler shows; `None` is the first clock of the trace.
    pub ruler: Option<TrackId>,
    /// What is searched for: matches stand out.
    pub search: SearchQuery,
    pub flows: FlowsShown,
    pub marks: Vec<Mark>,
    /// What else the user did to the rows.
    pub rows: Box<Arrangement>,
    /// What stands out, and what is left out.
    pub display: Box<DisplayOptions>,
}

/// A frame together with what a trace fills in where the frame leaves it open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setting {
    pub frame: Frame,
    /// The visible time.
    pub window: Window,
    /// What decides the color of a slice.
    pub color: ColorBy,
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
    pub trace: &'a Trace,
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

// What lies over the lanes: the selected range, the slice under the pointer, the selected slice.

impl Canvas<'_> {
    fn marks(&self, scene: &mut Scene) {
        if let Some(range) = self.setting.frame.range {
            let (x0, x1) = (self.x(range.start), self.x(range.end).max(self.x(range.start) + 1.0));
            let h = (self.size.h - RULER).max(0.0);
            if 0.0 < x1 && x0 < self.size.w {
                let (left, right) = (x0.max(0.0), x1.min(self.size.w));
                self.wash(scene, left, right);
                for x in [x0, x1 - 1.0] {
                    scene.fill(Rect::new(x.round(), RULER, 1.0, h), Ink::Token("sel-line"));
                }
            }
        }
        for mark in &self.setting.frame.marks {
            let (x0, x1) = (self.x(mark.span.start), self.x(mark.span.end));
            let ink = Ink::Slice(mark.color);
            for x in if mark.span.is_empty() { vec![x0] } else { vec![x0, x1] } {
                if (0.0..=self.size.w).contains(&x) {
                    scene.fill(Rect::new(x.round(), RULER, 1.0, (self.size.h - RULER).max(0.0)), ink);
                }
            }
        }
        if let Some(id) = self.setting.frame.hovered.filter(|&id| self.setting.frame.selected != Some(id)) {
            self.outline(scene, id, self.faded(Ink::Token("t1"), 0.6), (0.0, 1.0));
        }
        if let Some(id) = self.setting.frame.display.base {
            self.base(scene, id);
        }
        if let Some(id) = self.setting.frame.selected {
            self.outline(scene, id, Ink::Token("s0"), (2.0, 2.0));
            self.outline(scene, id, Ink::Token("t1"), (0.0, 2.0));
        }
    }

    /// The slice that others are aligned with: framed, with a line through all rows at its start and its end.
    fn base(&self, scene: &mut Scene, id: SliceId) {
        let accent = Ink::Token("accent");
        self.outline(scene, id, accent, (1.0, 2.0));
        let Some(span) = self.on.timeline.span_of(self.on.trace, id) else { return };
        for x in [self.x(span.start), self.x(span.end)] {
            if (0.0..=self.size.w).contains(&x) {
                let points = vec![Point { x, y: RULER }, Point { x, y: self.size.h }];
                let stroke = Stroke { ink: self.faded(accent, 0.6), width: 1.0, dash: 4.0 };
                scene.shapes.push(Shape::Path { points, stroke });
            }
        }
    }

    /// The ground of the selected range, over the rows that it is about.
    fn wash(&self, scene: &mut Scene, left: Px, right: Px) {
        let bottom = self.size.h;
        if self.setting.frame.tracks.is_empty() {
            scene.fill(Rect::new(left, RULER, right - left, (bottom - RULER).max(0.0)), Ink::Token("wash"));
            return;
        }
        for &Seen { row, y, clip, .. } in &self.seen {
            let top = y.max(clip);
            let h = (y + row.h).min(bottom) - top;
            if 0.0 < h && row.tracks().any(|track| self.is_meant(track)) {
                scene.fill(Rect::new(left, top, right - left, h), Ink::Token("wash"));
            }
        }
    }

    /// Whether the selected range is about a track: it, or a group above it, was chosen.
    fn is_meant(&self, track: TrackId) -> bool {
        let parent = |id: TrackId| self.on.trace.tracks.find(id).and_then(|t| t.parent);
        std::iter::successors(Some(track), |&id| parent(id)).any(|id| self.setting.frame.tracks.contains(&id))
    }

    /// A line around a slice: `(beyond, width)`.
    fn outline(&self, scene: &mut Scene, id: SliceId, ink: Ink, (beyond, width): (Px, Px)) {
        let Some((x0, x1, y, h)) = self.place(id) else { return };
        // Edges outside of the picture stay outside, but not so far that a canvas cannot draw them.
        let (x0, x1) = (x0.max(-10.0) - beyond, x1.min(self.size.w + 10.0) + beyond);
        let rect = Rect::new(x0, y - beyond, (x1 - x0).max(3.0), h + 2.0 * beyond);
        if 0.0 < x1 && x0 < self.size.w {
            scene.shapes.push(Shape::Outline { rect, radius: 2.0, stroke: Stroke::new(ink, width) });
        }
    }
}

// What lies under a point of the picture.

/// How near the pointer must be to something narrow, in pixels.
const REACH: Px = 2.0;
/// How near to the middle of the mark of an instant.
const MARK_REACH: Px = 4.5;

/// What lies under the pointer.
#[derive(Clone, Debug, PartialEq)]
pub enum Under {
    /// A slice, or several too narrow to be told apart.
    Lane {
        track: TrackId,
        lane: usize,
        hit: Hit,
        /// The stretch of time that was looked at.
        near: Span,
    },
    Instant(SliceId),
    /// A counter: values hold at this time of the file.
    Counter(TrackId, Ticks),
    /// A row with nothing there.
    Row(TrackId),
    Ruler,
}

/// The row at a height of the picture, and its top edge.
fn row_at<'a>(layout: &'a Layout, setting: &Setting, size: Size, y: Px) -> Option<(&'a TrackRow, Px)> {
    let is_there = |seen: &Seen| seen.y.max(seen.clip) <= y && y < seen.y + seen.row.h;
    layout.on_screen(setting.frame.scroll, size.h).find(is_there).map(|seen| (seen.row, seen.y))
}

/// Looks under a point.
pub fn under(on: TimelineInput, setting: &Setting, layout: &Layout, size: Size, at: Point) -> Option<Under> {
    if at.y < RULER {
        return Some(Under::Ruler);
    }
    let (row, top) = row_at(layout, setting, size, at.y)?;
    let per_px = setting.window.dur / f64::from(size.w.max(1.0));
    let time = setting.window.tick_at(f64::from(at.x / size.w.max(1.0)));
    let found = match row.kind {
        RowKind::Group => None,
        RowKind::Counter => {
            let time = time.saturating_sub(on.timeline.shift_of(row.track));
            Some(Under::Counter(row.track, time))
        }
        RowKind::Lanes(_) => {
            let y = at.y - top - row.strip;
            let lane = (y / row.lane).floor().max(0.0) as usize;
            let reach = (f64::from(REACH) * per_px).ceil() as Ticks;
            // What is drawn last is met first.
            let of = |track| lane.checked_sub(on.timeline.first_lane(track));
            let instants = || row.tracks().rev().find_map(|track| instant(on, track, time, per_px));
            let slices = |reach| {
                row.tracks().rev().find_map(|track| {
                    let time = time.saturating_sub(on.timeline.shift_of(track));
                    let lane = of(track)?;
                    let hit = window::hit(on.trace, on.timeline, track, lane, time, reach)?;
                    Some(Under::Lane { track, lane, hit, near: near(time, reach) })
                })
            };
            // Of merged tracks one that has a slice just there comes before one that has a slice near.
            let just_there = || if row.with.is_empty() { None } else { slices(0) };
            // Instants lie above the lanes, or alone in the row.
            let above = if y < 0.0 || row.strip == 0.0 { instants() } else { None };
            let below = || if y < 0.0 { None } else { just_there().or_else(|| slices(reach)) };
            above.or_else(below)
        }
    };
    Some(found.unwrap_or(Under::Row(row.track)))
}

fn instant(on: TimelineInput, track: TrackId, time: Ticks, per_px: f64) -> Option<Under> {
    let time = time.saturating_sub(on.timeline.shift_of(track));
    let instants = &on.trace.tracks.get(track).instants;
    if !instants.is_sorted() {
        return None;
    }
    let times = &instants.time;
    let reach = (f64::from(MARK_REACH) * per_px).ceil() as Ticks;
    let from = times.partition_point(|&t| t < time.saturating_sub(reach));
    let near = (from..times.len()).take_while(|&at| times[at] <= time.saturating_add(reach));
    let nearest = near.min_by_key(|&at| times[at].abs_diff(time))?;
    Some(Under::Instant(SliceId::of_instant(track, nearest)))
}
