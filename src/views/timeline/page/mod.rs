//! When did what run, and what waited: rows of slices, counters and instants over time.
//!
//! Needs tracks. Ctrl+wheel zooms at the pointer, Shift+wheel moves, the wheel scrolls rows, dragging selects a range,
//! a click selects a slice. The lanes are drawn in the worker; heads of rows and the detail pane are real text. Where a
//! baseline is chosen, its lanes stand above with the same window, and a table tells the difference by name.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod baseline;
mod detail;
mod find;
mod gestures;
mod marks;
mod rows;
mod save;
mod side;
mod state;
mod step;
mod tip;
mod tools;
mod touch;

use crate::base::window::Window;
use crate::base::words::phrase;
use crate::navigation::brush::Grip;
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::pane::surface::Surface;
use crate::ui::split::{Extent, Orientation, Split};
use crate::ui::stages::Staged;
use crate::ui::tabs;
use crate::views::timeline::messages::Picture;
use crate::wire::Draw;

use gestures::Gestures;
use leptos::prelude::*;
use state::State;

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
    show: |context| view! { <TimelineView context /> }.into_any(),
};

#[component]
fn TimelineView(context: ViewContext) -> impl IntoView {
    let state = State::new(context, false);
    let pane = RwSignal::new(224.0);
    let lanes = ViewFn::from(move || view! { <baseline::Both state /> });
    let detail = ViewFn::from(move || view! { <Staged><detail::Detail state /></Staged> });
    let extent = Extent { usual: 224.0, least: 120.0, share: 0.6 };
    let label = context.word("Details height");
    view! {
        <div class="timeline">
            <tabs::Tools view=VIEW.id><tools::Tools state /></tabs::Tools>
            <div class="timeline__main">
                <Split label lie=Orientation::Vertical extent size=pane sizes_second=true strong=true folded=state.folded first=lanes second=detail />
            </div>
        </div>
    }
}

#[component]
fn Lanes(state: State) -> impl IntoView {
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
        save::offer(state, width);
    }
    view! {
        <div class="timeline__grid" node_ref=root tabindex="0" data-keys on:keydown=move |e| gestures.key(&e)>
            <Split label=context.word("Track list width") lie=Orientation::Horizontal extent size=width first=heads second=lanes />
            <rows::offset::OffsetDialog state />
        </div>
    }
}

/// The area that is being drawn to zoom into.
#[component]
fn Band(state: State) -> impl IntoView {
    let left = move || state.band.get().map(|(from, _)| format!("{}%", from * 100.0));
    let width = move || state.band.get().map(|(from, to)| format!("{}%", (to - from) * 100.0));
    view! {
        <Show when=move || state.band.get().is_some()>
            <div class="timeline__band" style:left=left style:width=width></div>
        </Show>
    }
}

/// From the first to the last tick, for the corner above the heads.
fn span_words(state: State) -> String {
    let clock = state.context.head.with(|h| h.clock);
    state.context.language.track();
    state.own_span().map_or(String::new(), |span| crate::base::number::duration(span.dur(), clock))
}

/// The window in the overview strip: a drag selects another one, moves it or one of its edges; a click centers it, a double
/// click shows everything.
#[component]
fn StripFrame(state: State) -> impl IntoView {
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
        use wasm_bindgen::JsCast;
        if event.button() != 0 {
            return;
        }
        if let Some(target) = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) {
            let _ = target.set_pointer_capture(event.pointer_id());
        }
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
