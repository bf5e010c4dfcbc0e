//! Which addresses were read and written, in what order: every memory access as a bar over its addresses.
//!
//! Needs memory accesses. The wheel zooms records at the pointer, Shift+wheel or the wheel over the labels at the left
//! zooms addresses, dragging moves, dragging with Alt chooses an area, a double click shows everything, a click selects
//! an access. The picture is drawn in the worker; facts, call stack and table are real text.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod detail;
mod gestures;
mod list;
mod state;
mod tools;

use crate::base::words::phrase;
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::pane::plane::ZoomArea;
use crate::pane::surface::Surface;
use crate::ui::split::{Extent, Orientation, Split};
use crate::ui::tabs;
use crate::views::access::messages::Frame;
use crate::wire::Draw;

use gestures::Gestures;
use leptos::prelude::*;
use state::State;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "accesses",
    title: phrase("Accesses"),
    question: "Which addresses were accessed, in what order?",
    can_show: |head| 0 < head.contents.accesses,
    badge: |_| None,
    compares: false,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <AccessView context /> }.into_any()
}

#[component]
fn AccessView(context: ViewContext) -> impl IntoView {
    let state = State::new(context);
    let gestures = Gestures::new(state);
    context.offer_picture(VIEW.id, move || vec![(state.frame().frame(), state.extent.get().size)]);
    let pane = RwSignal::new(248.0);
    let first = ViewFn::from(move || view! { <Picture state gestures /> });
    let second = ViewFn::from(move || view! { <detail::Detail state /> });
    let extent = Extent { usual: 248.0, least: 120.0, share: 0.6 };
    let label = context.word("Details height");
    view! {
        <div class="accesses">
            <tabs::Tools view=VIEW.id><tools::Tools state /></tabs::Tools>
            <Split label lie=Orientation::Vertical extent size=pane sizes_second=true strong=true folded=state.folded first second />
        </div>
    }
}

#[component]
fn Picture(state: State, gestures: Gestures) -> impl IntoView {
    let context = state.context;
    let root = NodeRef::<leptos::html::Div>::new();
    Effect::new(move || {
        if let Some(root) = root.get() {
            let _ = root.focus();
        }
    });
    let frame = Signal::derive(move || Some(state.frame().frame()));
    let words = Signal::derive(move || state.note.with(|note| note.alt.clone()));
    let on_note = Callback::new(move |note| {
        if let Some(note) = Frame::noted(note) {
            state.note.set(note);
        }
    });
    view! {
        <div class="accesses__half" node_ref=root tabindex="0" data-keys on:keydown=move |event| gestures.key(&event)>
            <div
                class="accesses__picture"
                class:accesses__picture--moving=move || state.plane.is_moving()
                on:wheel=move |e| gestures.wheel(&e)
                on:pointerdown=move |e| gestures.down(&e)
                on:pointermove=move |e| gestures.moved(&e)
                on:pointerup=move |e| gestures.up(&e)
                on:pointercancel=move |_| gestures.cancel()
                on:pointerleave=move |_| gestures.leave()
                on:dblclick=move |_| state.plane.show_all()
            >
                <Surface context class="accesses__surface" frame on_note alt=words extent=state.extent />
                <ZoomArea plane=state.plane />
            </div>
            <tools::Legend state />
        </div>
    }
}
