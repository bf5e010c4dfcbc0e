//! A dialog over the page: the browser's own, so that the keyboard stays inside and Escape closes it.

use crate::ui::icon::{Glyph, Icon};
use crate::ui::words;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// A dialog with a head and a close button. It is shown as long as it stands in the view.
#[component]
pub fn Dialog(
    /// What it is about.
    #[prop(into)]
    title: Signal<String>,
    /// It was closed, by whatever means.
    on_close: Callback<()>,
    /// More classes, such as `dialog--text`.
    #[prop(into, optional)]
    class: String,
    /// Controls in the head, before the close button.
    #[prop(into, optional)]
    tools: ViewFnOnce,
    /// The body.
    children: Children,
) -> impl IntoView {
    let words = words();
    let node = NodeRef::<html::Dialog>::new();
    show_modal(node);
    view! {
        <dialog
            node_ref=node
            class=format!("dialog {class}")
            aria-label=move || title.get()
            autofocus
            on:close=move |_| on_close.run(())
            on:click=move |event| close_outside(&event, node)
        >
            <div class="dialog__head">
                <h2 class="dialog__title">{move || title.get()}</h2>
                {tools.run()}
                <button
                    class="button button--plain"
                    type="button"
                    aria-label=words.tr("Close")
                    on:click=move |_| close(node)
                >
                    <Icon glyph=Glyph::Close />
                </button>
            </div>
            <div class="dialog__body" tabindex="0" role="region" aria-label=move || title.get()>{children()}</div>
        </dialog>
    }
}

/// Opens a dialog element as soon as it is in the page.
pub fn show_modal(node: NodeRef<html::Dialog>) {
    Effect::new(move |_| {
        if let Some(dialog) = node.get() {
            request_animation_frame(move || {
                if dialog.is_connected() && !dialog.open() {
                    let _ = dialog.show_modal();
                }
            });
        }
    });
}

/// Closes a dialog element; its `close` event follows.
pub fn close(node: NodeRef<html::Dialog>) {
    if let Some(dialog) = node.get_untracked() {
        dialog.close();
    }
}

/// A press on the ground outside closes: such presses have the dialog itself as target and lie outside its box.
pub fn close_outside(event: &leptos::ev::MouseEvent, node: NodeRef<html::Dialog>) {
    let Some(dialog) = node.get_untracked() else { return };
    let is_self = event.target().is_some_and(|t| t.dyn_ref::<web_sys::HtmlDialogElement>() == Some(&dialog));
    let rect = dialog.get_bounding_client_rect();
    let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
    let inside = rect.left() <= x && x < rect.right() && rect.top() <= y && y < rect.bottom();
    if is_self && !inside {
        dialog.close();
    }
}
