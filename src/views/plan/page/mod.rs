//! How large trace buffers must be, what makes them large, and whether they fit what was recorded.
//!
//! Needs a plan of blocks and record types, or sizes of kernels. Numbers with a dashed line can be edited in place; Tab goes
//! on, Esc takes back. A cleared box leaves out a type or a block. Everything is computed anew by the worker at each change;
//! changes are parameters of the document and so stand in the address.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod buffers;
mod edit;
mod formula;
mod lower;
mod side;
mod sizes;
mod state;
mod table;
mod tools;

use crate::base::words::phrase;
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::ui::tabs;
use leptos::prelude::*;
use state::State;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "plan",
    title: phrase("Plan"),
    question: "How large must trace buffers be, what makes them large, and did they fit?",
    can_show: |head| 0 < head.contents.planned,
    badge: |_| None,
    compares: false,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <PlanView context /> }.into_any()
}

#[component]
fn PlanView(context: ViewContext) -> impl IntoView {
    let state = State::new(context);
    context.offer_picture(VIEW.id, Vec::new);
    let has_blocks = Memo::new(move |_| {
        state.shown.with(|shown| shown.as_ref().is_none_or(|shown| !shown.plan.sheet.blocks.is_empty()))
    });
    let body = move || {
        if has_blocks.get() {
            view! {
                <table::Table state />
                <formula::Formula state />
                <buffers::Buffers state />
                <lower::Lower state />
            }
            .into_any()
        } else {
            view! { <sizes::Sizes state /> }.into_any()
        }
    };
    view! {
        <div class="plan">
            <tabs::Tools view=VIEW.id><tools::Tools state /></tabs::Tools>
            <div class="plan__main" data-keys>
                <tools::Head state />
                {body}
            </div>
            <side::Side state />
        </div>
    }
}
