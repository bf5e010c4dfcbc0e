//! Two small buttons: to the one before and to the one after.

use super::icon::{Glyph, Icon};
use leptos::prelude::*;

/// The buttons; `on_step` hears whether it goes forward.
#[component]
pub fn Steps(
    /// What the first button does, with its key.
    before: Signal<String>,
    /// What the second button does, with its key.
    after: Signal<String>,
    /// Goes one further.
    #[prop(into)]
    on_step: Callback<bool>,
) -> impl IntoView {
    let button = move |glyph: Glyph, title: Signal<String>, is_forward: bool| {
        view! {
            <button
                class="button button--small"
                type="button"
                aria-label=title
                data-tip=title
                on:click=move |_| on_step.run(is_forward)
            >
                <Icon glyph small=true />
            </button>
        }
    };
    view! {
        <span class="detail__steps">
            {button(Glyph::Left, before, false)}
            {button(Glyph::Right, after, true)}
        </span>
    }
}
