//! A number that is edited in place.

use super::state::{Edit, State, number};
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// The number: a field that looks like text until it is pointed at. Enter and leaving it count, Esc takes back.
#[component]
pub(super) fn Number(
    state: State,
    /// What it is.
    edit: Edit,
    /// Its value.
    value: Option<u64>,
    /// Whether the user changed it.
    is_edited: bool,
    /// What it is, for screen readers.
    label: String,
) -> impl IntoView {
    let text = number(value);
    let (shown, edit) = (StoredValue::new(text.clone()), StoredValue::new(edit));
    let field = |event: &web_sys::Event| {
        event.target().and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok())
    };
    let change = move |event: leptos::ev::Event| {
        let typed: String =
            event_target_value(&event).chars().filter(|c| !matches!(c, ',' | ' ' | '_')).collect();
        match typed.parse::<u64>().ok().filter(|n| *n <= crate::views::plan::compute::LARGEST) {
            Some(n) => edit.with_value(|edit| state.edit(edit, n)),
            None => {
                if let Some(field) = field(&event) {
                    field.set_value(&shown.get_value());
                }
            }
        }
    };
    let key = move |event: KeyboardEvent| {
        let Some(field) = field(&event) else { return };
        match event.key().as_str() {
            "Escape" => {
                event.stop_propagation();
                field.set_value(&shown.get_value());
                let _ = field.blur();
            }
            "Enter" => {
                let _ = field.blur();
            }
            _ => {}
        }
    };
    let focus = move |event: leptos::ev::FocusEvent| {
        match edit.get_value() {
            Edit::Records(row, of) => {
                state.block.set(Some(row));
                state.record_type.set(Some(of));
            }
            Edit::Count(row) => state.block.set(Some(row)),
            Edit::Size(of) => state.record_type.set(Some(of)),
        }
        if let Some(field) = field(&event) {
            field.select();
        }
    };
    view! {
        <input
            class="plan__edit"
            class:plan__edit--changed=is_edited
            type="text"
            inputmode="numeric"
            autocomplete="off"
            spellcheck="false"
            size=text.len().max(3).to_string()
            aria-label=label
            prop:value=text
            on:change=change
            on:keydown=key
            on:focus=focus
        />
    }
}

/// A box that is cleared to leave something out.
#[component]
pub(super) fn Included(
    state: State,
    /// Name of the type, or label of the block.
    name: String,
    /// Whether it is left out.
    is_out: bool,
) -> impl IntoView {
    let label = format!("{} {name}", state.context.tr("Include"));
    let change = move |event: leptos::ev::Event| state.leave_out(&name, !event_target_checked(&event));
    view! { <input class="plan__box" type="checkbox" aria-label=label prop:checked=!is_out on:change=change /> }
}
