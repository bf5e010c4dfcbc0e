//! Which unit ran which block, and when: lanes of resident blocks, what part of the time they run and wait, the slowest.
//!
//! Needs a block schedule. The wheel scrolls units, Ctrl+wheel zooms at the pointer, Shift+wheel and dragging move, a double
//! click shows everything, a click selects a block, a click on the heads above the names sorts; dragging over the ruler, or
//! with Alt, chooses a stretch of time. The picture is drawn in the worker; numbers, facts and tables are real text.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod detail;
mod gestures;
mod histogram;
mod side;
mod state;
mod tools;

use crate::base::number::thousands;
use crate::base::words::{fill, phrase};
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::pane::surface::Surface;
use crate::ui::split::{Extent, Orientation, Split};
use crate::ui::tabs;
use crate::views::schedule::messages::Frame;
use crate::wire::Draw;

use gestures::Gestures;
use leptos::prelude::*;
use state::State;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "schedule",
    title: phrase("Schedule"),
    question: "Which unit ran which block, and when?",
    can_show: |head| 0 < head.contents.scheduled,
    badge: |_| None,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <ScheduleView context /> }.into_any()
}

#[component]
fn ScheduleView(context: ViewContext) -> impl IntoView {
    let state = State::new(context);
    let gestures = Gestures::new(state);
    context.offer_picture(VIEW.id, move || vec![(state.frame().frame(), state.extent.get().size)]);
    let pane = RwSignal::new(224.0);
    let first = ViewFn::from(move || view! { <Upper state gestures /> });
    let second = ViewFn::from(move || view! { <detail::Detail state /> });
    let extent = Extent { usual: 224.0, least: 120.0, share: 0.6 };
    let label = context.word("Details height");
    view! {
        <div class="schedule">
            <tabs::Tools view=VIEW.id><tools::Tools state /></tabs::Tools>
            <Split label lie=Orientation::Vertical extent size=pane sizes_second=true strong=true folded=state.folded first second />
        </div>
    }
}

/// The picture, and the numbers beside it.
#[component]
fn Upper(state: State, gestures: Gestures) -> impl IntoView {
    view! {
        <div class="schedule__upper">
            <Picture state gestures />
            <side::Side state />
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
        <div class="schedule__half" node_ref=root tabindex="0" data-keys on:keydown=move |event| gestures.key(&event)>
            <tools::Legend state />
            <div
                class="schedule__picture"
                class:schedule__picture--moving=move || gestures.is_moving()
                on:wheel=move |e| gestures.wheel(&e)
                on:pointerdown=move |e| gestures.down(&e)
                on:pointermove=move |e| gestures.moved(&e)
                on:pointerup=move |e| gestures.up(&e)
                on:pointercancel=move |_| gestures.cancel()
                on:pointerleave=move |_| gestures.leave()
                on:dblclick=move |_| state.show_all()
            >
                <Surface context class="schedule__surface" frame on_note alt=words extent=state.extent />
                {move || state.pointer.get().map(|(x, n)| view! { <Pointer state x n /> })}
            </div>
        </div>
    }
}

/// A line through all lanes at the pointer, and how many blocks are resident there.
#[component]
fn Pointer(state: State, x: f64, n: Option<u32>) -> impl IntoView {
    let count = n.map(|n| {
        let is_guessed = state.head.with(|head| head.as_ref().is_some_and(|head| head.compares.1));
        let n = format!("{}{}", if is_guessed { "≈ " } else { "" }, thousands(n));
        let words = fill(state.context.tr(phrase("{n} at pointer")), &[("n", &n)]);
        view! { <span class="schedule__count">{words}</span> }
    });
    view! {
        <div class="schedule__pointer" style:left=format!("{x}px")></div>
        {count}
    }
}
