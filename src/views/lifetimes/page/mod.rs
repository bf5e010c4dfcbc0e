//! How long data live in each cache, and which memory cells would hold them: histograms with the retention of devices as
//! lines, what each device would take, and the kernels behind.
//!
//! The page holds the lengths of what is shown, so lines can be dragged and everything follows in the same frame. A line
//! is dragged, or moved by the arrow keys once it has the focus; a double click types its value, Escape restores it. A
//! chosen kernel is what everything above the table is of; Escape gives all back.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod addresses;
mod baseline;
mod devices;
mod held;
mod kernels;
mod lines;
mod panels;
mod picture;
mod side;
mod state;
mod time;
mod tools;

use crate::base::words::phrase;
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::ui::tabs;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use state::{Panel, State};
use wasm_bindgen::JsCast;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "lifetimes",
    title: phrase("Lifetimes"),
    question: "How long do data live in caches, and which memory cells would hold them?",
    can_show: |head| 0 < head.contents.lifetimes,
    badge: |_| None,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <LifetimesView context /> }.into_any()
}

/// Whether a key was pressed inside of what a selector names.
fn is_inside(event: &KeyboardEvent, selector: &str) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|target| matches!(target.closest(selector), Ok(Some(_))))
}

#[component]
fn LifetimesView(context: ViewContext) -> impl IntoView {
    let state = State::new(context);
    let root = NodeRef::<leptos::html::Div>::new();
    Effect::new(move || {
        if let Some(root) = root.get() {
            let _ = root.focus();
        }
    });
    let key = move |event: KeyboardEvent| {
        let is_elsewhere = || is_inside(&event, "dialog, input, select");
        if event.ctrl_key() || event.meta_key() || event.alt_key() || is_elsewhere() {
            return;
        }
        let is_in_row = is_inside(&event, ".lifetimes__row");
        match event.key().as_str() {
            "Escape" if state.kernel.get_untracked().is_some() => state.kernel.set(None),
            "Home" | "End" if !is_in_row => return,
            key @ ("ArrowDown" | "ArrowUp" | "Home" | "End") => {
                let at = state.step_kernel(key).filter(|_| is_in_row);
                if let (Some(at), Some(root)) = (at, root.get_untracked()) {
                    kernels::focus_row(&root, at);
                }
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let upper = move || match (state.panel.get(), state.has_plots()) {
        (Panel::Lengths, false) => view! { <panels::NoAccesses state /> }.into_any(),
        (Panel::Addresses, _) => view! { <addresses::Addresses state /> }.into_any(),
        (Panel::Time, _) => view! { <time::Time state /> }.into_any(),
        _ => view! { <picture::Picture state /> }.into_any(),
    };
    view! {
        <div class="lifetimes" node_ref=root tabindex="0" data-keys on:keydown=key>
            <tabs::Tools view=VIEW.id><tools::Tools state /></tabs::Tools>
            <div class="lifetimes__upper" class:lifetimes__upper--rows=move || 2 < state.lines.with(Vec::len)>
                <div class="lifetimes__main">
                    <panels::Head state />
                    {upper}
                </div>
                <side::Side state />
            </div>
            <devices::DeviceTable state />
            <kernels::KernelTable state />
        </div>
    }
}
