//! When did what run, and what waited: rows of slices, counters and instants over time.
//!
//! Needs tracks. Ctrl+wheel zooms at the pointer, Shift+wheel moves, the wheel scrolls rows, dragging selects a range,
//! a click selects a slice. The lanes are drawn in the worker; heads of rows and the detail pane are real text.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod detail;
mod find;
mod gestures;
mod heads;
mod history;
mod list;
mod marks;
mod side;
mod state;
mod tip;

use super::ViewSpec;
use super::context::ViewContext;
use super::surface::Surface;
use crate::base::words::{phrase, tr};
use crate::ui::field::SelectField;
use crate::ui::slot;
use crate::ui::split::{Extent, Lie, Split};
use crate::wire::Frame;
use crate::wire::timeline::{ColorBy, FlowsShown, Folding, Picture};
use gestures::Gestures;
use leptos::prelude::*;
use state::State;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "timeline",
    title: phrase("Timeline"),
    question: "When did what run, and what waited?",
    can_show: |head| 0 < head.holdings.slices + head.holdings.instants + head.holdings.samples,
    badge: |_| None,
    show: |context| view! { <TimelineView context /> }.into_any(),
};

#[component]
fn TimelineView(context: ViewContext) -> impl IntoView {
    let state = State::new(context);
    let gestures = Gestures::new(state);
    let pane = RwSignal::new(224.0);
    let lanes = ViewFn::from(move || view! { <Lanes state gestures /> });
    let detail = ViewFn::from(move || view! { <detail::Detail state /> });
    let extent = Extent { usual: 224.0, least: 120.0, share: 0.6 };
    let label = context.word("Height of the details");
    view! {
        <div class="timeline">
            <slot::Tools view=VIEW.id><Tools state /></slot::Tools>
            <div class="timeline__main">
                <Split label lie=Lie::Stacked extent size=pane sizes_second=true strong=true folded=state.folded first=lanes second=detail />
            </div>
        </div>
    }
}

#[component]
fn Lanes(state: State, gestures: Gestures) -> impl IntoView {
    let context = state.context;
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
    let strip_words = context.word("The whole trace; the frame is what is seen.");
    view! {
        <div class="timeline__grid" node_ref=root tabindex="0" on:keydown=move |e| gestures.key(&e)>
            <div class="timeline__corner">{move || span_words(context)}</div>
            <div class="timeline__strip">
                <Surface context class="timeline__surface" frame=strip on_note=Callback::new(|_| ()) alt=strip_words />
                <StripFrame state />
            </div>
            <heads::Heads state />
            <div
                class="timeline__lanes"
                on:wheel=move |e| gestures.wheel(e)
                on:pointerdown=move |e| gestures.down(e)
                on:pointermove=move |e| gestures.moved(e)
                on:pointerup=move |e| gestures.up(e)
                on:pointercancel=move |e| gestures.up(e)
                on:pointerleave=move |_| gestures.leave()
                on:dblclick=move |_| gestures.double_click()
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
fn span_words(context: ViewContext) -> String {
    context.head.with(|h| h.span.map_or(String::new(), |s| crate::base::number::duration(s.dur(), h.clock)))
}

/// The window in the overview strip: drag moves it, double click shows everything.
#[component]
fn StripFrame(state: State) -> impl IntoView {
    let node = NodeRef::<leptos::html::Div>::new();
    let held = RwSignal::new(None::<f64>);
    Effect::new(move || {
        let window = state.context.window.get();
        let span = state.context.head.with(|h| h.span);
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
        let Some((window, span)) = state.window().zip(state.context.head.with_untracked(|h| h.span)) else {
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

#[component]
fn Tools(state: State) -> impl IntoView {
    let context = state.context;
    let options = move |list: Vec<(&'static str, &'static str)>| {
        Signal::derive(move || {
            let language = context.language.get();
            list.iter()
                .map(|(id, title)| ((*id).to_owned(), tr(language, title).to_owned()))
                .collect::<Vec<_>>()
        })
    };
    let vendor = context.head.with_untracked(|h| h.has_color_names);
    let mut colors = vec![("name", phrase("Name")), ("row", phrase("Row"))];
    if vendor {
        colors.push(("vendor", phrase("As MindStudio")));
    }
    let color = Signal::derive(move || {
        let by_row = context.head.with(|h| h.by_row);
        match state.color.get().unwrap_or(if by_row { ColorBy::Row } else { ColorBy::Name }) {
            ColorBy::Name => "name",
            ColorBy::Row => "row",
            ColorBy::Vendor => "vendor",
        }
        .to_owned()
    });
    let on_color = Callback::new(move |id: String| {
        state.color.set(Some(match id.as_str() {
            "row" => ColorBy::Row,
            "vendor" => ColorBy::Vendor,
            _ => ColorBy::Name,
        }));
    });
    let flows = vec![("none", phrase("None")), ("selected", phrase("Selected")), ("all", phrase("All"))];
    let shown = Signal::derive(move || match state.flows.get() {
        FlowsShown::None => "none".to_owned(),
        FlowsShown::Selected => "selected".to_owned(),
        FlowsShown::All => "all".to_owned(),
    });
    let on_flows = Callback::new(move |id: String| {
        state.flows.set(match id.as_str() {
            "none" => FlowsShown::None,
            "all" => FlowsShown::All,
            _ => FlowsShown::Selected,
        });
    });
    let has_flows = move || 0 < context.head.with(|h| h.holdings.flows);
    let fold = move |folding: Folding| {
        state.opened.set(Vec::new());
        state.closed.set(Vec::new());
        state.folding.set(folding);
    };
    let button = "button button--plain";
    view! {
        <div class="timeline__tools">
            <SelectField label=context.word("Color") options=options(colors) value=color on_choose=on_color />
            <Show when=has_flows>
                <SelectField label=context.word("Flows") options=options(flows.clone()) value=shown on_choose=on_flows />
            </Show>
            <button class=button type="button" on:click=move |_| fold(Folding::Open)>{context.word("Open all")}</button>
            <button class=button type="button" on:click=move |_| fold(Folding::Closed)>{context.word("Close all")}</button>
            <Show when=move || !state.hidden.with(Vec::is_empty)>
                <button class=button type="button" on:click=move |_| state.hidden.set(Vec::new())>
                    {context.word("Show hidden")}
                </button>
            </Show>
            <button class=button type="button" on:click=move |_| state.fit_selection()>{context.word("Fit selection")}</button>
            <button class=button type="button" on:click=move |_| state.reset()>{context.word("Show everything")}</button>
        </div>
    }
}
