//! When did what run, and what waited: rows of slices, counters and instants over time.
//!
//! Needs tracks. Ctrl+wheel zooms at the pointer, Shift+wheel moves, the wheel scrolls rows, dragging selects a range,
//! a click selects a slice. The lanes are drawn in the worker; heads of rows and the detail pane are real text. Where a
//! baseline is chosen, its lanes stand above with the same window, and a table tells the difference by name.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod baseline;
mod detail;
mod gestures;
mod marks;
mod rows;
mod side;
mod state;
mod tools;

use crate::base::geometry::Point;
use crate::base::window::Window;
use crate::base::words::phrase;
use crate::model::id::SliceId;
use crate::navigation::Grip;
use crate::pane::context::{Offer, ViewContext};
use crate::pane::{Surface, ViewSpec};
use crate::ui::split::{Extent, Orientation, Split};
use crate::ui::tabs::focus_by_id;
use crate::ui::{Staged, capture_pointer, spawn_while, tabs};
use crate::views::timeline::messages::{Current, Picture, Reply, SearchQuery, Seen, TimelineQuery, Towards};
use crate::wire::{Draw, Query, Question};
use gestures::{Gestures, Press, STILL};
use leptos::ev::PointerEvent;
use leptos::prelude::*;
use side::area::argument;
use state::{Panel, TimelineState};
use std::time::Duration;

/// How near a pointer must be to have an edge of the window in the overview, and the least window it draws, in pixels.
const EDGE: f64 = 5.0;
const LEAST: f64 = 3.0;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "timeline",
    title: phrase("Timeline"),
    question: "What ran when, and what waited?",
    can_show: |head| 0 < head.contents.slices + head.contents.instants + head.contents.samples,
    badge: |_| None,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <TimelineView context /> }.into_any()
}

#[component]
fn TimelineView(context: ViewContext) -> impl IntoView {
    let state = TimelineState::new(context, false);
    let pane = RwSignal::new(224.0);
    let lanes = ViewFn::from(move || view! { <baseline::Both state /> });
    let detail = ViewFn::from(move || view! { <Staged><detail::Detail state /></Staged> });
    let extent = Extent { usual: 224.0, least: 120.0, share: 0.6 };
    let label = context.word("Details height");
    view! {
        <div class="timeline">
            <tabs::Tools view=VIEW.id><tools::Tools state /></tabs::Tools>
            <div class="timeline__main">
                <Split label orientation=Orientation::Vertical extent size=pane sizes_second=true strong=true folded=state.folded first=lanes second=detail />
            </div>
        </div>
    }
}

#[component]
fn Lanes(state: TimelineState) -> impl IntoView {
    let context = state.context;
    let gestures = Gestures::new(state);
    let root = NodeRef::<leptos::html::Div>::new();
    // Wheel and keys must be ours alone, so the listeners are not passive.
    Effect::new(move || {
        if let Some(root) = root.get() {
            let _ = root.focus();
        }
    });
    let rows = Signal::derive(move || Some(state.frame(Picture::Rows).frame()));
    let strip = Signal::derive(move || Some(state.frame(Picture::Overview).frame()));
    let words = Signal::derive(move || state.note.with(|n| n.words.clone()));
    let strip_words = context.word("Entire trace; the frame marks the visible range.");
    let heads = ViewFn::from(move || {
        view! {
            <div class="timeline__half">
                <div class="timeline__corner">
                    <baseline::Letter state />
                    <rows::heads::Filter state />
                    <span>{move || span_words(state)}</span>
                </div>
                <Staged><rows::heads::Heads state /></Staged>
            </div>
        }
    });
    let lanes = ViewFn::from(move || {
        view! {
            <div class="timeline__half">
                <div class="timeline__strip">
                    <Surface context class="timeline__surface" frame=strip on_note=Callback::new(|_| ()) alt=strip_words />
                    <StripFrame state />
                </div>
                <div
                    class="timeline__lanes"
                    on:wheel=move |e| gestures.wheel(e)
                    on:pointerdown=move |e| gestures.down(e)
                    on:pointermove=move |e| gestures.moved(e)
                    on:pointerup=move |e| gestures.up(e)
                    on:pointercancel=move |e| gestures.cancel(e)
                    on:pointerleave=move |_| gestures.leave()
                    on:dblclick=move |_| gestures.double_click()
                    on:contextmenu=move |e| gestures.menu(e)
                >
                    <Surface
                        context
                        class="timeline__surface"
                        frame=rows
                        on_note=Callback::new(move |note| state.drawn(note))
                        alt=words
                        extent=state.extent
                    />
                    <Band state />
                </div>
                <Staged><tools::Legend state /></Staged>
            </div>
        }
    });
    let (width, extent) = tools::heads_width();
    if !state.is_old {
        offer_save(state, width);
    }
    view! {
        <div
            class="timeline__grid"
            node_ref=root
            tabindex="0"
            role="group"
            aria-label=state.context.word(VIEW.title)
            data-keys
            on:keydown=move |e| gestures.key(&e)
        >
            <Split label=context.word("Track list width") orientation=Orientation::Horizontal extent size=width first=heads second=lanes />
            <rows::OffsetDialog state />
        </div>
    }
}

/// The area that is being drawn to zoom into.
#[component]
fn Band(state: TimelineState) -> impl IntoView {
    let left = move || state.band.get().map(|(from, _)| format!("{}%", from * 100.0));
    let width = move || state.band.get().map(|(from, to)| format!("{}%", (to - from) * 100.0));
    view! {
        <Show when=move || state.band.get().is_some()>
            <div class="timeline__band" style:left=left style:width=width></div>
        </Show>
    }
}

/// From the first to the last tick, for the corner above the heads.
fn span_words(state: TimelineState) -> String {
    let clock = state.context.head.with(|h| h.clock);
    state.context.language.track();
    state.own_span().map_or(String::new(), |span| crate::base::number::duration(span.dur(), clock))
}

/// The window in the overview strip: a drag selects another one, moves it or one of its edges; a click centers it, a double
/// click shows everything.
#[component]
fn StripFrame(state: TimelineState) -> impl IntoView {
    let node = NodeRef::<leptos::html::Div>::new();
    // What is held, and whether anything came of it.
    let held = StoredValue::new(None::<(Grip, bool)>);
    let frame = move || {
        let (window, span) = (state.context.window.get()?, state.own_span()?);
        let whole = span.dur().max(1) as f64;
        let from = (window.start.saturating_sub(span.start) as f64 + window.part) / whole;
        Some((from, from + window.dur / whole))
    };
    Effect::new(move || {
        let (from, to) = frame().unwrap_or((0.0, 1.0));
        let Some(node) = node.get() else { return };
        let style = web_sys::HtmlElement::style(&node);
        let _ = style.set_property("left", &format!("{}%", from * 100.0));
        let _ = style.set_property("width", &format!("max(3px, {}%)", (to - from) * 100.0));
    });
    // Where a pointer is, and how much of the width a pixel is.
    let share_of = |event: &leptos::ev::PointerEvent| {
        use wasm_bindgen::JsCast;
        let target = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        target.map_or((0.0, 1.0), |t| {
            let rect = t.get_bounding_client_rect();
            let pixel = 1.0 / rect.width().max(1.0);
            (((f64::from(event.client_x()) - rect.left()) * pixel).clamp(0.0, 1.0), pixel)
        })
    };
    let show = move |(from, to): (f64, f64), is_first: bool| {
        let Some(span) = untrack(|| state.own_span()) else { return };
        let whole = span.dur().max(1) as f64;
        let window = Window::new(span.start, from * whole, (to - from) * whole);
        if is_first { state.jump(window) } else { state.show(window) }
    };
    let down = move |event: leptos::ev::PointerEvent| {
        if event.button() != 0 {
            return;
        }
        capture_pointer(&event);
        let (at, pixel) = share_of(&event);
        held.set_value(Some((Grip::of(at, untrack(frame), EDGE * pixel), false)));
    };
    let moved = move |event: leptos::ev::PointerEvent| {
        let Some((grip, has_moved)) = held.get_value() else { return };
        let (at, pixel) = share_of(&event);
        if let Some(frame) = grip.frame(at, untrack(frame), LEAST * pixel) {
            show(frame, !has_moved);
            held.set_value(Some((grip, true)));
        }
    };
    let up = move |event: leptos::ev::PointerEvent| {
        let clicked = held.get_value().is_some_and(|(_, has_moved)| !has_moved);
        held.set_value(None);
        let now = untrack(frame);
        if let Some(centered) = Grip::Move(0.0).frame(share_of(&event).0, now, 0.0).filter(|_| clicked) {
            show(centered, true);
        }
    };
    view! {
        <div
            class="timeline__grip"
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=up
            on:pointercancel=move |_| held.set_value(None)
            on:dblclick=move |_| state.reset()
        >
            <div class="timeline__window" class:timeline__window--part=move || state.context.window.with(Option::is_some) node_ref=node></div>
        </div>
    }
}

// What the timeline offers to save of what it shows: the picture, and what the selected range adds up to.

/// Offers it as long as the lanes are shown, with heads of this width.
fn offer_save(state: TimelineState, heads: RwSignal<f64>) {
    state.context.offer(VIEW.id, move || list(state, heads.get() as f32));
}

fn list(state: TimelineState, heads: f32) -> Vec<Offer> {
    let seen = Seen { frame: state.frame(Picture::Rows), size: state.extent.get().size, heads };
    let picture = Query::Picture(seen.packed());
    let mut list = vec![
        Offer { title: phrase("Visible timeline as PNG"), file: picture.clone(), is_png: true },
        Offer { title: phrase("Visible timeline as SVG"), file: picture, is_png: false },
    ];
    if let Some(area) = state.area() {
        let export = |title, id: &str| Offer {
            title,
            file: Query::Export { id: format!("{id}:{}", argument(&area)) },
            is_png: false,
        };
        list.push(export(phrase("Range totals as CSV"), "range-csv"));
        list.push(export(phrase("Flame graph of the selected range as SVG"), "flame-svg"));
    }
    list
}

// Fingers on the lanes: one moves, two zoom and move, a long press opens the menu; a tap selects.

/// A finger that rests so long opens the menu.
const LONG: Duration = Duration::from_millis(500);

/// Distance of two fingers, and the middle between them from the left edge.
fn fingers(down: &[(i32, (f64, f64))]) -> Option<(f64, f64)> {
    let [(_, a), (_, b)] = down else { return None };
    Some(((a.0 - b.0).hypot(a.1 - b.1).max(8.0), f64::midpoint(a.0, b.0)))
}

impl Gestures {
    /// What two fingers begin; `None` when there are not two.
    fn pinch_from(self, window: Window) -> Option<Press> {
        let (distance, middle) = self.down.with_value(|down| fingers(down))?;
        Some(Press::Pinch { distance, middle, window })
    }

    /// Zooms by the distance of the fingers; what was between them stays between them.
    fn pinch(self, distance: f64, middle: f64, window: Window) {
        let Some((now, at)) = self.down.with_value(|down| fingers(down)) else { return };
        let width = self.width();
        let zoomed = window.zoomed(now / distance, (middle / width).clamp(0.0, 1.0));
        self.state.drift(zoomed.moved((middle - at) / width * zoomed.dur));
    }

    /// A finger that stays after another was lifted goes on moving the picture.
    fn goes_on(self) -> Option<Press> {
        let down = self.down.get_value();
        let [(_, from)] = down[..] else { return None };
        let scroll = untrack(|| self.state.scroll.get());
        // It does not begin where it came down: that it moved is already said.
        Some(Press::Pan { from, window: self.state.window()?, scroll, has_moved: true })
    }

    /// Opens the menu when the finger still rests where it is after a while.
    fn await_long_press(self, event: &PointerEvent, at: (f64, f64)) {
        let screen = Point { x: event.client_x() as f32, y: event.client_y() as f32 };
        let id = event.pointer_id();
        self.presses.after(LONG, move || {
            let rests = self.down.try_with_value(|down| {
                matches!(down[..], [(own, now)] if own == id && (now.0 - at.0).hypot(now.1 - at.1) < STILL)
            });
            if rests == Some(true) {
                self.open_menu(at, screen);
            }
        });
    }

    /// Opens the menu of what lies there; the press that opened it does nothing else.
    fn open_menu(self, at: (f64, f64), screen: Point) {
        self.presses.begin();
        self.press.set(None);
        self.tooltips.hide();
        self.state.lanes_menu(Point { x: at.0 as f32, y: at.1 as f32 }, screen);
    }
}

// Keys that go from slice to slice and from group to group.

impl TimelineState {
    /// What an arrow does: it leads from the selected slice to another; without one it moves the picture.
    fn arrow(self, key: &str) {
        let towards = match key {
            "arrowleft" => Towards::Before,
            "arrowright" => Towards::After,
            "arrowup" => Towards::Above,
            _ => Towards::Below,
        };
        let Some(id) = untrack(|| self.context.selection.with(|s| s.slice)) else {
            return match towards {
                Towards::Before => self.pan(-0.15),
                Towards::After => self.pan(0.15),
                Towards::Above => self.scroll_by(-44.0),
                Towards::Below => self.scroll_by(44.0),
            };
        };
        let frame = Box::new(untrack(|| self.frame(Picture::Rows)));
        spawn_while(self.hit, async move {
            let ask = TimelineQuery::Beside { id, frame, towards };
            if let Some(Reply::Neighbor(Some(head))) = self.context.ask(ask).await {
                self.walk_to(head.id);
            }
        });
    }

    /// Selects a slice and brings it into view without zooming: whoever walks keeps the picture.
    fn walk_to(self, id: SliceId) {
        self.context.selection.update(|s| s.slice = Some(id));
        let frame = Box::new(untrack(|| self.frame(Picture::Rows)));
        let size = untrack(|| self.extent.get().size);
        spawn_while(self.hit, async move {
            let ask = TimelineQuery::Find { id, frame, size };
            let Some(Reply::Found(Some(place))) = self.context.ask(ask).await else { return };
            self.uncover(&place);
            let Some((head, window)) = place.head.zip(self.window()) else { return };
            let (from, to) = (window.share(head.span.start), window.share(head.span.end));
            if to < 0.02 || 0.98 < from {
                self.drift(Window::new(head.span.start, -0.3 * window.dur, window.dur));
            }
        });
    }

    /// Goes to the next or previous of the outermost groups: past all that stands in one.
    fn group(self, forward: bool) {
        let frame = Box::new(untrack(|| self.frame(Picture::Rows)));
        let size = untrack(|| self.extent.get().size);
        let from = self.rows().at.get_untracked();
        spawn_while(self.hit, async move {
            let ask = TimelineQuery::Group { frame, size, from, forward };
            if let Some(Reply::Group(Some(found))) = self.context.ask(ask).await {
                self.uncover(&found.1);
                self.rows().at.set(Some(found.0));
            }
        });
    }
}

// Searching slices by name, hit by hit; saving what a range adds up to.

impl TimelineState {
    /// Brings the field for searching slices up and gives it the keyboard.
    fn look_for(self) {
        self.folded.set(false);
        self.side.set(Panel::Search);
        request_animation_frame(|| focus_by_id(side::FIELD));
    }

    /// Searches for what another view asked for, and goes to the first hit. A search of the selected stretch follows it.
    fn follow_search(self) {
        Effect::new(move || {
            let range = self.context.selection.with(|s| s.range);
            if untrack(|| self.search.with(|s| s.within.is_some() && s.within != range)) {
                self.search.update(|s| s.within = range);
            }
        });
        Effect::new(move || {
            let Some((text, within)) = self.context.selection.with(|s| s.search.clone()) else { return };
            self.context.selection.update(|s| s.search = None);
            self.folded.set(false);
            self.side.set(Panel::Search);
            self.search.set(SearchQuery { text, within, ..SearchQuery::default() });
            self.step(true);
        });
    }

    /// Goes to the track that another view asked for and selects all of it.
    fn follow_track(self) {
        Effect::new(move || {
            let only = self.context.selection.with(|s| s.only.clone()).filter(|_| !self.is_old);
            if let Some(name) = only {
                self.context.selection.update(|s| s.only = None);
                self.rows().display.update(|display| display.only = Some(name));
            }
        });
        Effect::new(move || {
            let Some(to) = self.context.selection.with(|s| s.go_to) else { return };
            let is_measured = 1.0 <= self.extent.get().size.h;
            if is_measured && self.span().is_some() && !self.is_old {
                self.context.selection.update(|s| s.go_to = None);
                self.uncover_slice(to);
            }
        });
        Effect::new(move || {
            let Some(track) = self.context.selection.with(|s| s.track) else { return };
            // Rows have a place only after they were measured.
            let size = self.extent.get().size;
            let Some(span) = self.span().filter(|_| 1.0 <= size.h && !self.is_old) else { return };
            self.context.selection.update(|s| {
                (s.track, s.slice) = (None, None);
                (s.range, s.tracks) = (Some(span), vec![track]);
            });
            self.folded.set(false);
            self.side.set(Panel::Range);
            let frame = Box::new(untrack(|| self.frame(Picture::Rows)));
            spawn_while(self.hit, async move {
                let ask = TimelineQuery::FindTrack { track, frame, size };
                if let Some(Reply::Found(Some(place))) = self.context.ask(ask).await {
                    self.uncover(&place);
                }
            });
        });
    }

    /// Goes to the next or previous hit of the search.
    fn step(self, forward: bool) {
        let search = untrack(|| self.search.get());
        if search.text.is_empty() {
            return self.look_for();
        }
        let n = untrack(|| self.hits.with(|h| h.as_ref().map_or(0, |h| h.listed))) as u32;
        let ask = move |current| TimelineQuery::Search { search: search.clone(), current };
        let query = match untrack(|| self.hit.get()) {
            Some(at) if 0 < n => ask(Current::Number(if forward { (at + 1) % n } else { (at + n - 1) % n })),
            _ => {
                let slice = untrack(|| self.context.selection.with(|s| s.slice));
                let start = untrack(|| self.note.with(|note| note.window.start));
                ask(slice.map_or(Current::Time(start), Current::Slice))
            }
        };
        let again = move |id| ask(Current::Slice(id));
        spawn_while(self.hit, async move {
            let Some(Reply::Search(hits)) = self.context.ask(query).await else { return };
            let beside = if forward { hits.after } else { hits.before };
            let (head, number) = match (hits.at.filter(|_| self.hit.get_untracked().is_some()), beside) {
                (Some(at), _) => (at, hits.current),
                (None, Some(head)) => {
                    // Only the number of the hit is new.
                    let number = match self.context.ask(again(head.id)).await {
                        Some(Reply::Search(hits)) => hits.current,
                        _ => None,
                    };
                    (head, number)
                }
                _ => return,
            };
            self.hit.try_set(number);
            self.go_to(head.id);
        });
    }
}
