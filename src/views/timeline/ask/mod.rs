//! What can be asked of the timeline, and its pictures.

pub(crate) mod area;
mod arrange;
mod launched;
mod like;
mod place;
mod prepare;
mod ran;
pub(crate) mod search;
pub(crate) mod slice;
mod step;
mod totals;

use crate::analysis::device::{Options, has_streams};
use crate::analysis::named;
use crate::analysis::rows::SliceRuns;
use crate::analysis::timeline::chosen_tracks;
use crate::analysis::timeline::search::SearchPrefix;
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number::{self, thousands};
use crate::base::time::{Span, Ticks, Window};
use crate::base::words::{Language, fill, phrase, tr};
use crate::document::engine::{Answers, Draws, Engine};
use crate::document::{Document, MAX_HEIGHT, Picture};
use crate::draw::ColorScheme;
use crate::draw::colors::Colors;
use crate::model::id::{SliceId, TrackId};
use crate::model::{Series, Trace};
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Align, Font, Scene, Shape, Stroke, put, text};
use crate::views::timeline::area::{AreaQuery, Frame as AreaFrame};
use crate::views::timeline::messages::{
    Arrangement, Frame, Head, Picture as Part, Reply, RowKind, TimelineQuery, WorkQuery, WorkReply,
};
use crate::views::timeline::scene::layout::{Layout, RULER};
use crate::views::timeline::scene::{
    self as drawing, ColorBy, Emphasis, FlowsShown, Setting, TimelineInput, note, under,
};
use crate::views::timeline::{messages as wire, scene};
use crate::wire::{Answer, Question};

fn answer(doc: &mut Document, ask: &TimelineQuery) -> Reply {
    match ask {
        TimelineQuery::Hit { frame, size, at } => Reply::Hit(hit_at(doc, frame, *size, *at).map(Box::new)),
        TimelineQuery::Slice(id) => Reply::Slice(slice::slice(doc, *id).map(Box::new)),
        TimelineQuery::Find { id, frame, size } => {
            Reply::Found(place::place(doc, *id, frame, *size).map(Box::new))
        }
        TimelineQuery::FindTrack { track, frame, size } => {
            Reply::Found(place::place_of_track(doc, *track, frame, *size).map(Box::new))
        }
        TimelineQuery::Neighbor { id, forward } => {
            let next = crate::analysis::timeline::window::neighbor(doc.trace(), *id, *forward);
            Reply::Neighbor(next.and_then(|id| View::new(doc, None).head(id)))
        }
        TimelineQuery::Beside { id, frame, towards } => {
            let next = step::beside(doc, *id, frame, *towards);
            Reply::Neighbor(next.and_then(|id| View::new(doc, None).head(id)))
        }
        TimelineQuery::Group { frame, size, from, forward } => {
            let found = step::group(doc, frame, *size, *from, *forward);
            Reply::Group(found.map(Box::new))
        }
        TimelineQuery::Like(text) => Reply::Like(Box::new(like::like(doc, text))),
        TimelineQuery::NameOf(id) => Reply::NameOf(named::name_of(doc.trace(), *id)),
        TimelineQuery::Named(name) => Reply::Named(named::named(doc.trace(), name)),
        TimelineQuery::NamesOfTracks(ids) => {
            Reply::TrackNames(ids.iter().filter_map(|id| named::name_of_track(doc.trace(), *id)).collect())
        }
        TimelineQuery::TracksNamed(names) => {
            Reply::Tracks(names.iter().filter_map(|name| named::track_named(doc.trace(), name)).collect())
        }
        TimelineQuery::Count(area) => {
            let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
            let tracks = chosen_tracks(trace, &area.tracks);
            Reply::Count(SliceRuns::new(trace, timeline, &tracks, area.span).len() as u64)
        }
        TimelineQuery::Search { current, .. } => Reply::Search(Box::new(search::search(doc, *current))),
        TimelineQuery::Align { id, base, is_end } => Reply::Aligned(arrange::align(doc, *id, *base, *is_end)),
        TimelineQuery::Shift(offsets) => {
            let (trace, derived) = doc.parts();
            derived.timeline.shift(trace, offsets);
            Reply::Shifted(derived.timeline.span(trace))
        }
        TimelineQuery::Below(track) => Reply::Tracks(arrange::below(doc, *track)),
        TimelineQuery::Choices => Reply::Choices(Box::new(arrange::choices(doc))),
    }
}

fn draw(doc: &mut Document, frame: &Frame, size: Size, palette: &Palette) -> (Scene, wire::Note) {
    let said = (doc.language(), Systems::of(doc));
    let (trace, derived) = doc.parts();
    derived.timeline.stack(trace, &frame.rows.merged);
    let on = TimelineInput { trace, timeline: &derived.timeline, palette };
    let mut setting = setting(on, frame, said);
    if frame.picture == drawing::Picture::Overview {
        let note =
            wire::Note { span: on.timeline.span(trace), window: setting.window, ..wire::Note::default() };
        return (drawing::overview::draw(on, &setting, size), note);
    }
    let layout = Layout::new(trace, on.timeline, &setting);
    setting.frame.scroll = setting.frame.scroll.clamp(0.0, layout.max_scroll(size.h));
    let tracks = layout.tracks_on_screen(trace, setting.frame.scroll, size.h);
    derived.timeline.see(trace, &tracks);
    let on = TimelineInput { trace, timeline: &derived.timeline, palette };
    let scene = drawing::draw(on, &setting, &layout, size);
    let mut note = tell(on, &setting, &layout, size, &tracks);
    note.hidden_rows = arrange::hidden(trace, &frame.hidden);
    (scene, note)
}

/// What the page must know of a frame.
fn tell(on: TimelineInput, setting: &Setting, layout: &Layout, size: Size, tracks: &[TrackId]) -> wire::Note {
    let heads = note::heads(on, setting, layout, size);
    let words = note::words(on, setting, &heads);
    let colors = Colors::new(on.trace, on.timeline.names(), setting.color);
    // Names are data, what a scheme says of its colors are words.
    let is_of_names = match setting.color {
        ColorBy::Name => true,
        ColorBy::Scheme(scheme) => scheme.legend.is_none(),
        _ => false,
    };
    let is_of_scheme = matches!(setting.color, ColorBy::Scheme(_)) && !is_of_names;
    let translated = |name: String| if is_of_scheme { tr(setting.language, &name).to_owned() } else { name };
    let names = on.timeline.top_of(on.trace, tracks);
    let mut legend: Vec<_> = colors
        .legend(&names, &on.timeline.colors_of(tracks))
        .into_iter()
        .map(|(ink, name)| wire::LegendItem {
            ink: ink.name().into_owned(),
            name: translated(name),
            is_name: is_of_names,
        })
        .collect();
    let is_counted = is_of_names || matches!(setting.color, ColorBy::Category);
    if let Some((n, m)) = on.timeline.counted(on.trace, tracks).filter(|_| is_counted) {
        let words = tr(setting.language, phrase("names of {n} of {m} slices"));
        let name = fill(words, &[("n", &thousands(n)), ("m", &thousands(m))]);
        legend.insert(0, wire::LegendItem { ink: String::new(), name, is_name: false });
    }
    let too_many_flows = (setting.frame.flows == FlowsShown::All)
        .then(|| drawing::flows_in_window(on, setting, 0).1)
        .filter(|&n| drawing::MAX_FLOWS < n as usize);
    wire::Note {
        window: setting.window,
        span: on.timeline.span(on.trace),
        scroll: setting.frame.scroll,
        max_scroll: layout.max_scroll(size.h),
        pinned_h: layout.pinned_h,
        heads,
        hidden: layout.n_hidden as u32,
        hidden_rows: Vec::new(),
        n_matches: layout.n_matches.map(|n| n as u32),
        legend,
        too_many_flows,
        words,
    }
}

/// A frame with what it leaves open filled in.
fn setting(on: TimelineInput, frame: &Frame, (language, systems): (Language, Systems)) -> Setting {
    let trace = on.trace;
    let whole = on.timeline.span(trace).map_or_else(Window::default, Window::of);
    let hovered_name = frame
        .hovered
        .filter(|_| frame.is_hover_emphasized)
        .and_then(|id| trace.tracks.find(id.track)?.slices.name.get(id.row as usize).copied());
    let emphasis = match hovered_name {
        // A text that is no pattern lets nothing stand out.
        _ if on.timeline.found().is_some_and(|found| found.problem.is_none()) => Emphasis::Found,
        _ if frame.display.only.is_some() => {
            let only = frame.display.only.as_deref().unwrap_or_default();
            match trace.strings.find(only) {
                Some(name) => Emphasis::Name(name),
                None if only.ends_with('*') => Emphasis::Joined,
                None => Emphasis::All,
            }
        }
        Some(name) => Emphasis::Name(name),
        None => Emphasis::All,
    };
    let (without, flows_off) = arrange::left_out(trace, &frame.display);
    Setting {
        window: frame.window.unwrap_or(whole),
        color: color(systems, trace, frame.color.as_deref(), &on.palette.scheme),
        emphasis,
        without,
        flows_off,
        language,
        frame: frame.clone(),
    }
}

/// What the systems that are loaded add to the timeline; parts of them come later.
#[derive(Clone, Copy)]
pub(crate) struct Systems {
    pub(crate) color_schemes: fn() -> Vec<&'static ColorScheme>,
    pub(crate) search_prefixes: fn() -> Vec<&'static SearchPrefix>,
}

impl Systems {
    fn of(doc: &Document) -> Self {
        let none = Self { color_schemes: Vec::new, search_prefixes: Vec::new };
        doc.kept.get().copied().unwrap_or(none)
    }
}

/// What decides colors: what is asked for, else the scheme that is chosen for everything, else what suits the trace.
pub(crate) fn color(systems: Systems, trace: &Trace, asked: Option<&str>, scheme: &str) -> ColorBy {
    ColorBy::choose(asked, scheme, trace, &(systems.color_schemes)())
}

/// A document with what is needed to tell of its slices.
pub(crate) struct View<'a> {
    pub(crate) doc: &'a Document,
    trace: &'a Trace,
    pub(crate) colors: Colors<'a>,
}

impl<'a> View<'a> {
    pub(crate) fn new(doc: &'a Document, asked: Option<&str>) -> Self {
        let trace = doc.trace();
        let by = color(Systems::of(doc), trace, asked, &doc.palette().scheme);
        let colors = Colors::new(trace, doc.derived().timeline.names(), by);
        Self { doc, trace, colors }
    }

    fn track(&self, id: TrackId) -> &'a str {
        self.trace.tracks.find(id).map_or("", |t| self.trace.strings.get(t.name))
    }

    fn group(&self, id: TrackId) -> String {
        let parent = self.trace.tracks.find(id).and_then(|t| t.parent);
        parent.map_or(String::new(), |parent| self.trace.track_path(parent))
    }

    /// When a slice is shown: with the offset of its track.
    fn span(&self, id: SliceId) -> Option<Span> {
        self.doc.derived().timeline.span_of(self.trace, id)
    }

    /// A time of a track with its offset, by the clock of the track.
    fn instant_on(&self, track: TrackId, t: Ticks) -> String {
        let shift = self.doc.derived().timeline.shift_of(track);
        self.trace.clock_of(track).instant(t.saturating_add(shift))
    }

    /// A slice or instant in short; `None` for a number that is not of this trace.
    fn head(&self, id: SliceId) -> Option<wire::SliceHead> {
        let span = self.span(id)?;
        let name = self.trace.event(id)?.name;
        let clock = self.trace.clock_of(id.track);
        let is_instant = id.instant().is_some();
        Some(wire::SliceHead {
            id,
            name: self.trace.strings.get(name).to_owned(),
            track: self.track(id.track).to_owned(),
            group: self.group(id.track),
            span,
            start: clock.instant(span.start),
            duration: if is_instant { String::new() } else { clock.duration(span) },
            ink: self.colors.paint_event(id).ink.name().into_owned(),
        })
    }
}

fn hit_at(doc: &Document, frame: &Frame, size: Size, at: Point) -> Option<wire::Under> {
    use crate::analysis::timeline::window::Hit;
    let view = View::new(doc, frame.color.as_deref());
    let on = TimelineInput { trace: view.trace, timeline: &doc.derived().timeline, palette: doc.palette() };
    let setting = setting(on, frame, (doc.language(), Systems::of(doc)));
    let layout = Layout::new(on.trace, on.timeline, &setting);
    let time = setting.window.tick_at(f64::from(at.x / size.w.max(1.0)));
    match under(on, &setting, &layout, size, at)? {
        scene::Under::Lane { hit: Hit::Slice(id), .. } => view.head(id).map(wire::Under::Slice),
        scene::Under::Lane { track, hit: Hit::Fold(fold), near, .. } => {
            let row = fold.longest?.0;
            let share = fold.covered as f64 / near.dur().max(1) as f64;
            Some(wire::Under::Fold {
                n: fold.n,
                longest: view.head(SliceId { track, row })?,
                covered: format!("{} %", number::fixed(share * 100.0, 1)),
            })
        }
        scene::Under::Instant(id) => view.head(id).map(wire::Under::Slice),
        scene::Under::Counter(track, time) => Some(counter(&view, track, time)),
        scene::Under::Row(track) => {
            Some(wire::Under::Row { track, time: on.trace.clock_of(track).instant(time) })
        }
        scene::Under::Ruler => None,
    }
}

/// The exact values of a counter at a time.
fn counter(view: &View, track: TrackId, time: Ticks) -> wire::Under {
    let (trace, counters) = (view.trace, view.doc.derived().timeline.counters());
    let series = &trace.tracks.get(track).series;
    let value = |i: usize, one: &Series| counters.series(track, i)?.at(one, time);
    let text = |v: Option<f64>, unit: &str| {
        let said = |v| {
            format!(
                "{}{}{unit}",
                number::exact(number::without_noise(v)),
                if unit.is_empty() { "" } else { " " }
            )
        };
        v.map_or(number::MISSING.to_owned(), said)
    };
    let named = |(i, one): (usize, &Series)| {
        (trace.strings.get(one.name).to_owned(), text(value(i, one), one.unit.word()))
    };
    let mut values: Vec<(String, String)> = series.iter().enumerate().map(named).collect();
    let mut inks = Vec::new();
    if 1 < series.len() {
        let ink = |i| view.colors.series(track, i).name().into_owned();
        inks = (0..series.len()).map(ink).collect();
        let all = series.iter().enumerate().filter_map(|(i, one)| value(i, one));
        let sum = text(all.reduce(|a, b| a + b), series[0].unit.word());
        values.push((tr(view.doc.language(), "Sum").to_owned(), sum));
    }
    wire::Under::Counter {
        track: view.track(track).to_owned(),
        time: view.instant_on(track, time),
        values,
        inks,
    }
}

/// What this view answers and draws in the worker.
pub static ENGINES: &[Engine] =
    &[Engine::saves(&TIMELINE), Engine::answers::<TimelineQuery>(), Engine::draws::<Frame>()];

/// The same of what goes through all slices, or needs what is known of host and device.
pub static LATER: &[Engine] =
    &[Engine::answers::<WorkQuery>(), Engine::answers::<AreaQuery>(), Engine::draws::<AreaFrame>()];

impl Answers for TimelineQuery {
    fn prepare(&self, doc: &mut Document) -> bool {
        match self {
            Self::Search { search, .. } => doc.prepare_search(search),
            _ => true,
        }
    }

    fn answer(&self, doc: &mut Document, _: &[u8]) -> (Answer, Option<Vec<u8>>) {
        (Self::reply(&answer(doc, self)), None)
    }

    fn is_overtaken(&self, newer: &Self) -> bool {
        matches!((self, newer), (Self::Search { search: old, .. }, Self::Search { search: new, .. }) if old != new)
    }
}

impl Answers for WorkQuery {
    fn prepare(&self, doc: &mut Document) -> bool {
        match self {
            Self::Launched(id) => doc.prepare_launched(*id),
            // How many devices there are is told with all of them.
            Self::Totals { span, by } if by.is_of_device() || has_streams(doc.trace()) => {
                doc.prepare_device(&Options { span: *span, ..Options::default() })
            }
            Self::Totals { .. } => true,
        }
    }

    fn answer(&self, doc: &mut Document, _: &[u8]) -> (Answer, Option<Vec<u8>>) {
        let reply = match self {
            Self::Launched(id) => WorkReply::Launched(launched::launched(doc, *id).map(Box::new)),
            Self::Totals { span, by } => WorkReply::Totals(Box::new(totals::totals(doc, *span, *by))),
        };
        (Self::reply(&reply), None)
    }
}

impl Draws for Frame {
    fn prepare(&self, doc: &mut Document) -> bool {
        doc.prepare_lanes(self)
    }

    fn draw(&self, doc: &mut Document, size: Size, palette: &Palette) -> (Scene, wire::Note) {
        draw(doc, self, size, palette)
    }
}

// The whole time on all rows: overview, ruler and lanes, with the names of groups and tracks at the left.

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
    picture_corner(&mut scene, heads_w, OVERVIEW, language);
    for head in &note.heads {
        picture_row(&mut scene, head, heads_w, OVERVIEW);
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
pub(crate) fn picture_corner(scene: &mut Scene, w: Px, top: Px, language: Language) {
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
pub(crate) fn picture_row(scene: &mut Scene, head: &Head, w: Px, top: Px) {
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
