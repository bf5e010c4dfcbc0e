//! What the parts of the timeline share: how it is looked at, and what was asked about it.

use super::rows::{self, Rows, Standing};
pub(super) use super::side::Panel;
use crate::analysis::compare::Mapping;
use crate::base::geometry::Point;
use crate::base::time::Span;
use crate::base::window::Window;
use crate::model::id::{SliceId, TrackId};
use crate::navigation::{GoTo, History, Step};
use crate::pane::context::ViewContext;
use crate::ui::{Extent, follow_into, spawn_while};
use crate::views::timeline::messages::{
    Area, Current, FlowsShown, Folding, Frame, Head, Hits, Mark, Note, Picture, Place, Reply, SearchQuery,
    Slice, TimelineQuery, Under,
};
use crate::views::timeline::scene::note::tracks_between;
use crate::wire;
use crate::wire::Draw;
use leptos::prelude::*;

/// Height of the ruler above the rows, in pixels.
pub(super) const RULER: f32 = 26.0;

/// What the parts share.
#[derive(Clone, Copy)]
pub(super) struct TimelineState {
    pub(super) context: ViewContext,
    /// Size of the lanes.
    pub(super) extent: RwSignal<Extent>,
    /// What was drawn last.
    pub(super) note: RwSignal<Note>,
    pub(super) scroll: RwSignal<f64>,
    pub(super) color: RwSignal<Option<String>>,
    pub(super) flows: RwSignal<FlowsShown>,
    pub(super) folding: RwSignal<Folding>,
    pub(super) opened: RwSignal<Vec<TrackId>>,
    pub(super) closed: RwSignal<Vec<TrackId>>,
    pub(super) pinned: RwSignal<Vec<TrackId>>,
    pub(super) hidden: RwSignal<Vec<TrackId>>,
    pub(super) hovered: RwSignal<Option<SliceId>>,
    /// The track under the pointer, if it has a clock of its own.
    pub(super) ruler: RwSignal<Option<TrackId>>,
    pub(super) search: RwSignal<SearchQuery>,
    pub(super) hits: RwSignal<Option<Hits>>,
    pub(super) detail: RwSignal<Option<Slice>>,
    pub(super) n_slices: RwSignal<Option<u64>>,
    pub(super) side: RwSignal<Panel>,
    /// The name whose slices are listed; all when none is chosen.
    pub(super) name: RwSignal<Option<String>>,
    /// Number of the hit that was gone to.
    pub(super) hit: RwSignal<Option<u32>>,
    /// Marks of the user, in order of time.
    pub(super) marks: RwSignal<Vec<Mark>>,
    /// The area that is being drawn to zoom into, as shares of the width.
    pub(super) band: RwSignal<Option<(f64, f64)>>,
    /// Whether the details below are folded away.
    pub(super) folded: RwSignal<bool>,
    /// Whether waiting counts as busy where tracks are told to be busy or idle.
    pub(super) waits: RwSignal<bool>,
    pub(super) rows: StoredValue<Rows>,
    /// The lanes of the baseline above these, while something is compared.
    pub(super) old: RwSignal<Option<TimelineState>>,
    /// How times of this document lie in the baseline.
    pub(super) mapping: RwSignal<Option<Mapping>>,
    /// The time of both documents, while something is compared.
    pub(super) reach: RwSignal<Option<Span>>,
    /// Whether these are the lanes of the baseline.
    pub(super) is_old: bool,
    pub(super) history: StoredValue<History<Standing>>,
    /// How undo has just set the rows.
    pub(super) undone: StoredValue<Option<Standing>>,
}

impl TimelineState {
    pub(super) fn new(context: ViewContext, is_old: bool) -> Self {
        let state = Self {
            context,
            extent: RwSignal::default(),
            note: RwSignal::default(),
            scroll: RwSignal::new(0.0),
            color: RwSignal::new(None),
            flows: RwSignal::default(),
            folding: RwSignal::default(),
            opened: RwSignal::default(),
            closed: RwSignal::default(),
            pinned: RwSignal::default(),
            hidden: RwSignal::default(),
            hovered: RwSignal::new(None),
            ruler: RwSignal::new(None),
            search: RwSignal::default(),
            hits: RwSignal::new(None),
            detail: RwSignal::new(None),
            n_slices: RwSignal::new(None),
            side: RwSignal::new(super::side::of_address(context)),
            name: RwSignal::new(None),
            hit: RwSignal::new(None),
            marks: RwSignal::new(super::marks::of_address(context)),
            band: RwSignal::new(None),
            folded: RwSignal::new(false),
            waits: RwSignal::new(false),
            rows: StoredValue::new(Rows::new()),
            old: RwSignal::new(None),
            mapping: RwSignal::new(None),
            reach: RwSignal::new(None),
            is_old,
            history: StoredValue::default(),
            undone: StoredValue::default(),
        };
        rows::follow(state);
        rows::follow_undo(state);
        state.follow();
        state.follow_search();
        state.follow_track();
        super::marks::keep(state);
        super::side::keep(state);
        state
    }

    /// The frame of now; of the overview only the colors count.
    pub(super) fn frame(self, picture: Picture) -> Frame {
        let whole = picture == Picture::Overview;
        Frame {
            picture,
            window: if whole { None } else { self.context.window.get().or(self.reach.get().map(Window::of)) },
            scroll: if whole { 0.0 } else { self.scroll.get() },
            ratio: self.extent.get().ratio,
            color: self.color.get(),
            is_compact: self.rows().is_compact.get(),
            folding: self.folding.get(),
            opened: self.opened.get(),
            closed: self.closed.get(),
            pinned: self.pinned.get(),
            hidden: self.hidden.get(),
            selected: self.context.selection.with(|s| s.slice),
            hovered: if whole { None } else { self.hovered.get() },
            is_hover_emphasized: false,
            ruler: if whole { None } else { self.ruler.get() },
            range: self.context.selection.with(|s| s.range),
            tracks: if whole { Vec::new() } else { self.context.selection.with(|s| s.tracks.clone()) },
            search: self.search.get(),
            flows: self.flows.get(),
            marks: self.marks.get(),
            rows: Box::new(self.rows().arrangement()),
            display: Box::new(self.rows().display.get()),
        }
    }

    /// Asks anew when what is asked about changes.
    fn follow(self) {
        let context = self.context;
        // Answers name colors.
        let scheme = Memo::new(move |_| context.palette.with(|p| p.scheme.clone()));
        let slice = Memo::new(move |_| {
            let id = context.selection.with(|s| s.slice);
            (id, context.language.get(), self.rows().revision.get(), scheme.get())
        });
        let ask = move || Some(context.ask(TimelineQuery::Slice(slice.get().0?)));
        follow_into(self.detail, ask, |answer| {
            if let Some(Reply::Slice(slice)) = answer { Some(slice.map(|slice| *slice)) } else { None }
        });
        let area = Memo::new(move |_| {
            let complete = (context.head.with(|h| h.is_complete), self.rows().revision.get(), scheme.get());
            self.area().map(|area| (area, complete))
        });
        let ask = move || Some(context.ask(TimelineQuery::Count(area.get()?.0)));
        follow_into(self.n_slices, ask, |answer| {
            if let Some(Reply::Count(n)) = answer { Some(Some(n)) } else { None }
        });
        let ask = move || {
            let search = self.search.get();
            self.rows().revision.track();
            self.hit.set(None);
            if search.text.is_empty() {
                return None;
            }
            let current = Current::Time(untrack(|| self.note.with(|n| n.window.start)));
            Some(context.ask(TimelineQuery::Search { search, current }))
        };
        follow_into(self.hits, ask, |answer| {
            if let Some(Reply::Search(hits)) = answer { Some(Some(*hits)) } else { None }
        });
    }

    /// The time that is seen.
    pub(super) fn window(self) -> Option<Window> {
        let shown = untrack(|| self.context.window.get());
        shown.or_else(|| untrack(|| self.span()).map(Window::of))
    }

    /// Shows this time; kept inside of the trace, and at least one tick wide.
    pub(super) fn show(self, window: Window) {
        let Some(span) = untrack(|| self.span()) else { return };
        let whole = Window::of(span);
        let dur = window.dur.clamp(1.0_f64.min(whole.dur), whole.dur);
        let from = window.start.saturating_sub(span.start) as f64 + window.part;
        let window = Window::new(span.start, from.clamp(0.0, (whole.dur - dur).max(0.0)), dur);
        self.context.window.set((dur < whole.dur).then_some(window));
    }

    /// The same by one act, remembered so that one can go back.
    pub(super) fn jump(self, window: Window) {
        self.history.update_value(|history| history.leave(Step::Window(self.now())));
        self.show(window);
    }

    /// The same by a gesture that may go on; the whole of it is one step back.
    pub(super) fn drift(self, window: Window) {
        let time = leptos::prelude::window().performance().map_or(0.0, |p| p.now());
        self.history.update_value(|history| history.drift(self.now(), time));
        self.show(window);
    }

    /// The window as it stands; none for everything.
    pub(super) fn now(self) -> Option<Window> {
        untrack(|| self.context.window.get())
    }

    /// Shows everything.
    pub(super) fn reset(self) {
        self.history.update_value(|history| history.leave(Step::Window(self.now())));
        self.context.window.set(None);
    }

    /// Zooms by a factor (more than 1 shows less time) around a place, 0 at the left edge and 1 at the right.
    pub(super) fn zoom(self, factor: f64, around: f64) {
        if let Some(window) = self.window() {
            self.drift(window.zoomed(factor, around));
        }
    }

    /// Moves by a share of the window.
    pub(super) fn pan(self, share: f64) {
        if let Some(window) = self.window() {
            self.drift(window.moved(share * window.dur));
        }
    }

    /// Shows the time between two places of the width.
    pub(super) fn zoom_into(self, (from, to): (f64, f64)) {
        if let Some(window) = self.window() {
            self.jump(Window::new(window.start, window.part + from * window.dur, (to - from) * window.dur));
        }
    }

    /// The tracks of the rows between two heights of the picture, from the top; none when it begins in the ruler.
    pub(super) fn tracks_between(self, from: f64, to: f64) -> Vec<TrackId> {
        let (top, bottom) = (from.min(to) as f32, from.max(to) as f32);
        if from < f64::from(RULER) {
            return Vec::new();
        }
        self.note.with_untracked(|note| tracks_between(&note.heads, top, bottom))
    }

    /// Lets the ruler show the clock of the track at a height of the picture, or the first clock.
    pub(super) fn show_clock_at(self, y: Option<f64>) {
        let is_there = |h: &&Head, y: f64| h.has_own_clock && (h.y..h.y + h.h).contains(&(y as f32));
        let track = y
            .and_then(|y| self.note.with_untracked(|n| Some(n.heads.iter().find(|h| is_there(h, y))?.track)));
        if untrack(|| self.ruler.try_get()) != Some(track) {
            self.ruler.try_set(track);
        }
    }

    /// Scrolls the rows.
    pub(super) fn scroll_by(self, px: f64) {
        let most = untrack(|| self.note.with(|n| n.max_scroll));
        self.scroll.update(|s| *s = (*s + px).clamp(0.0, most));
    }

    /// Time with some room around it.
    pub(super) fn fit(self, span: Span) {
        self.jump(Window::around(span, 0.1));
    }

    /// Shows the selected slice, or the selected range.
    pub(super) fn fit_selection(self) {
        let range = untrack(|| self.context.selection.with(|s| s.range));
        if let Some(span) = untrack(|| self.detail.with(|d| d.as_ref().map(|d| d.head.span))).or(range) {
            self.see(span);
        }
    }

    /// Selects a slice and brings it into view, its groups opened.
    pub(super) fn go_to(self, slice: SliceId) {
        self.uncover_slice(GoTo { slice, keeps_window: false });
    }

    /// The same; the window may have to stay.
    pub(super) fn uncover_slice(self, to: GoTo) {
        let id = to.slice;
        self.context.selection.update(|s| s.slice = Some(id));
        let frame = untrack(|| self.frame(Picture::Rows));
        let size = untrack(|| self.extent.get().size);
        spawn_while(self.hit, async move {
            let ask = TimelineQuery::Find { id, frame: Box::new(frame), size };
            if let Some(Reply::Found(Some(place))) = self.context.ask(ask).await {
                self.uncover(&place);
                let Some(span) = place.head.map(|head| head.span).filter(|_| !to.keeps_window) else {
                    return;
                };
                let is_seen = self.window().is_some_and(|w| {
                    let (from, to) = (w.share(span.start), w.share(span.end));
                    0.0 <= from && to <= 1.0 && (span.is_empty() || 0.002 < to - from)
                });
                if !is_seen && span.is_empty() {
                    self.see(span);
                } else if !is_seen {
                    let dur = span.dur() as f64;
                    self.jump(Window::new(span.start, -5.5 * dur, 12.0 * dur));
                }
            }
        });
    }

    /// Opens, shows and scrolls to what was found.
    pub(super) fn uncover(self, place: &Place) {
        self.closed.update(|c| c.retain(|t| !place.to_open.contains(t)));
        self.opened.update(|o| o.extend(place.to_open.iter().copied()));
        self.hidden.update(|h| h.retain(|t| !place.to_show.contains(t)));
        if place.is_filtered {
            self.rows().filter.set(String::new());
        }
        self.scroll.set(place.scroll);
    }

    /// Goes to the next or previous slice of the same name.
    pub(super) fn neighbor(self, forward: bool) {
        let Some(id) = untrack(|| self.context.selection.with(|s| s.slice)) else { return };
        spawn_while(self.hit, async move {
            let ask = TimelineQuery::Neighbor { id, forward };
            if let Some(Reply::Neighbor(Some(head))) = self.context.ask(ask).await {
                self.go_to(head.id);
            }
        });
    }

    /// What the selected range is about.
    pub(super) fn area(self) -> Option<Area> {
        let (span, tracks) = self.context.selection.with(|s| Some((s.range?, s.tracks.clone())))?;
        Some(Area { span, tracks: self.rows().arranged.with(|rows| rows.tracks_of(&tracks)) })
    }

    /// Shows a stretch of time, with room around it when it is a point.
    pub(super) fn see(self, span: Span) {
        if span.is_empty() {
            let Some(window) = self.window() else { return };
            self.jump(Window::new(span.start, -window.dur / 2.0, window.dur));
        } else {
            self.fit(span);
        }
    }

    /// What lies under a point of the lanes.
    pub(super) async fn hit(self, at: Point) -> Option<Under> {
        let frame = untrack(|| self.frame(Picture::Rows));
        let size = untrack(|| self.extent.get().size);
        let ask = TimelineQuery::Hit { frame: Box::new(frame), size, at };
        match self.context.ask(ask).await {
            Some(Reply::Hit(under)) => under.map(|u| *u),
            _ => None,
        }
    }

    /// Opens or closes a group or track.
    pub(super) fn toggle(self, track: TrackId, is_open: bool) {
        let (to, from) = if is_open { (self.closed, self.opened) } else { (self.opened, self.closed) };
        from.update(|list| list.retain(|t| *t != track));
        to.update(|list| list.push(track));
    }

    /// Takes what was drawn.
    pub(super) fn drawn(self, note: wire::Note) {
        if let Some(note) = Frame::noted(note) {
            let scroll = note.scroll;
            if (untrack(|| self.scroll.get()) - scroll).abs() > 0.5 && note.max_scroll <= scroll {
                self.scroll.set(scroll); // rows went away below
            }
            self.note.set(note);
        }
    }
}
