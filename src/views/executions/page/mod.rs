//! What each thread ran: a lane for each thread with a box for each execution of a block, where lanes drop out, which
//! accesses waste bandwidth, and where two threads part.
//!
//! Needs a launch with executions. The wheel scrolls threads, Ctrl+wheel zooms at the pointer, Shift+wheel and dragging
//! move, a double click shows everything, a click selects an execution, a click in the overview goes there; with Shift a
//! click on another thread compares both. The picture is drawn in the worker; the details are real text.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod detail;
mod gestures;
mod rows;
mod state;
mod tools;

use crate::base::words::{fill, phrase};
use crate::pane::context::ViewContext;
use crate::pane::gestures::Gestures;
use crate::pane::{Surface, ViewSpec};
use crate::ui::split::{Extent, Orientation, Split};
use crate::ui::tabs;
use crate::views::executions::messages::Frame;
use crate::wire::Draw;
use leptos::prelude::*;
use state::ExecutionsState;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "trace",
    title: phrase("Trace"),
    question: "What did each thread run, where do lanes drop out, which accesses waste bandwidth?",
    can_show: |head| 0 < head.contents.executions,
    badge: |_| None,
    compares: false,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <ExecutionsView context /> }.into_any()
}

#[component]
fn ExecutionsView(context: ViewContext) -> impl IntoView {
    let state = ExecutionsState::new(context);
    let gestures = Gestures::new(state);
    context.offer_picture(VIEW.id, move || {
        let frame = state.frame().map(|frame| frame.frame());
        frame.map(|frame| (frame, state.extent.get().size)).into_iter().collect()
    });
    let pane = RwSignal::new(382.0);
    let first = ViewFn::from(move || view! { <Picture state gestures /> });
    let second = ViewFn::from(move || view! { <detail::Detail state /> });
    let extent = Extent { usual: 382.0, least: 200.0, share: 0.7 };
    let label = context.word("Details height");
    // Without a selection the picture takes the height.
    let folded = Signal::derive(move || state.folded.get() || state.detail.with(Option::is_none));
    view! {
        <div class="executions">
            <tabs::Tools view=VIEW.id><tools::Tools state /></tabs::Tools>
            <Split label orientation=Orientation::Vertical extent size=pane sizes_second=true strong=true folded first second />
        </div>
    }
}

#[component]
fn Picture(state: ExecutionsState, gestures: Gestures<ExecutionsState>) -> impl IntoView {
    let context = state.context;
    let root = NodeRef::<leptos::html::Div>::new();
    Effect::new(move || {
        if let Some(root) = root.get() {
            let _ = root.focus();
        }
    });
    let frame = Signal::derive(move || state.frame().map(|frame| frame.frame()));
    let words = Signal::derive(move || state.note.with(|note| note.alt.clone()));
    let on_note = Callback::new(move |note| {
        if let Some(note) = Frame::noted(note) {
            state.note.set(note);
        }
    });
    view! {
        <div
            class="executions__half"
            node_ref=root
            tabindex="0"
            role="group"
            aria-label=state.context.word(VIEW.title)
            data-keys
            on:keydown=move |event| gestures.key(&event)
        >
            <tools::Banner state />
            <div
                class="executions__picture"
                class:executions__picture--moving=move || state.lanes.is_moving()
                on:wheel=move |e| gestures.wheel(&e)
                on:pointerdown=move |e| gestures.down(&e)
                on:pointermove=move |e| gestures.moved(&e)
                on:pointerup=move |e| gestures.up(&e)
                on:pointercancel=move |_| gestures.cancel()
                on:pointerleave=move |_| gestures.leave()
                on:dblclick=move |_| state.lanes.window.set(None)
            >
                <Surface context class="executions__surface" frame on_note alt=words extent=state.extent />
                <Pair state />
            </div>
        </div>
    }
}

/// The buttons of the compared pair, over its names.
#[component]
fn Pair(state: ExecutionsState) -> impl IntoView {
    let context = state.context;
    let top = Memo::new(move |_| state.note.with(|note| (0.0 < note.pair.h).then_some(note.pair.y)));
    let stop = |event: leptos::ev::PointerEvent| event.stop_propagation();
    let count = move || {
        let (n, is_warps) =
            state.head.with(|head| head.as_ref().map_or((0, false), |head| (head.threads, head.is_warps)));
        let n = crate::base::number::thousands(n.cast_signed());
        let words = if is_warps { phrase("of {n} warps") } else { phrase("of {n} threads") };
        fill(context.tr(words), &[("n", &n)])
    };
    let choose = move || {
        let words = if state.is_choosing.get() { phrase("Click a thread") } else { phrase("Choose…") };
        context.tr(words).to_owned()
    };
    view! {
        <Show when=move || top.get().is_some()>
            <div class="executions__pair" style:top=move || top.get().map(|top| format!("{top}px")) on:pointerdown=stop>
                <span class="executions__pair-top">
                    <button class="button button--text" type="button" on:click=move |_| state.swap()>
                        {context.word(phrase("Swap"))}
                    </button>
                    <button class="button button--text" type="button" on:click=move |_| state.other.set(None)>
                        {context.word(phrase("Close"))}
                    </button>
                </span>
                <span class="executions__pair-foot">
                    <span>{count}</span>
                    <button class="button button--text" type="button" on:click=move |_| state.is_choosing.update(|is| *is = !*is)>
                        {choose}
                    </button>
                </span>
            </div>
        </Show>
    }
}
