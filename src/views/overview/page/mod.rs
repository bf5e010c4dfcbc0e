//! What is this, where does the time go, what limits it, what to change.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

use crate::base::words::phrase;
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use leptos::prelude::*;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "overview",
    title: phrase("Overview"),
    question: "What is this, where does the time go, what limits it, and what should be changed?",
    can_show: |head| head.is_complete,
    badge: |_| None,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(_: ViewContext) -> AnyView {
    view! { <div class="overview"></div> }.into_any()
}
