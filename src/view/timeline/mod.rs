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
mod side;
mod state;
mod tip;
mod tools;
mod touch;

use super::ViewSpec;
use super::context::ViewContext;
use super::surface::Surface;
use crate::base::words::phrase;
use crate::ui::split::{Extent, Orientation, Split};
use crate::ui::stages::Staged;
use crate::ui::tabs;
use crate::wire::Frame;
use crate::wire::timeline::Picture;
use gestures::Gestures;
use leptos::prelude::*;
use state::State;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "timeline",
    title: phrase("Timeline"),
    question: "What ran when, and what waited?",
    can_show: |head| 0 < head.contents.slices + head.contents.instants + head.contents.samples,
    badge: |_| None,
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
    let rows = Signal::derive(move || Some(Frame::Timeline(state.frame(Picture::Rows))));
    let strip = Signal::derive(move || Some(Frame::Timeline(state.frame(Picture::Overview))));
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
    state.own_span().map_or(String::new(), |span| crate::base::number::duration(span.dur(), clock))
}

/// The window in the overview strip: drag moves it, double click shows everything.
#[component]
fn StripFrame(state: State) -> impl IntoView {
    let node = NodeRef::<leptos::html::Div>::new();
    let held = RwSignal::new(None::<f64>);
    Effect::new(move || {
        let window = state.context.window.get();
        let span = state.own_span();
        let (Some(node), Some(span)) = (node.get(), span) else { return };
        let whole = span.dur().max(1) as f64;
        let (from, share) = window.map_or((0.0, 1.0), |w| {
            ((w.start.saturating_sub(span.start) as f64 + w.part) / whole, w.dur / whole)
        });
        let style = web_sys::HtmlElement::style(&node);
        let _ = style.set_property("left", &format!("{}%", from * 100.0));
        let _ = style.set_property("width", &format!("max(3px, {}%)", share * 100.0));
    });
    let share_of = |event: &leptos::ev::PointerEvent| {
        use wasm_bindgen::JsCast;
        let target = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        target.map_or(0.0, |t| {
            let rect = t.get_bounding_client_rect();
            ((f64::from(event.client_x()) - rect.left()) / rect.width().max(1.0)).clamp(0.0, 1.0)
        })
    };
    let center = move |share: f64| {
        let Some((window, span)) = state.window().zip(untrack(|| state.own_span())) else {
            return;
        };
        let at = span.dur() as f64 * share - window.dur / 2.0;
        state.show(crate::base::window::Window::new(span.start, at, window.dur));
    };
    let down = move |event: leptos::ev::PointerEvent| {
        use wasm_bindgen::JsCast;
        if let Some(target) = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) {
            let _ = target.set_pointer_capture(event.pointer_id());
        }
        held.set(Some(share_of(&event)));
        center(share_of(&event));
    };
    let moved = move |event: leptos::ev::PointerEvent| {
        if held.with_untracked(Option::is_some) {
            center(share_of(&event));
        }
    };
    view! {
        <div
            class="timeline__grip"
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=move |_| held.set(None)
            on:pointercancel=move |_| held.set(None)
            on:dblclick=move |_| state.reset()
        >
            <div class="timeline__window" node_ref=node></div>
        </div>
    }
}
