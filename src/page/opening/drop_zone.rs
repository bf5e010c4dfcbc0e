//! The whole page is the target: files and folders dropped anywhere, pasted anywhere.

use super::folder;
use crate::base::words::{fill, phrase, tr};
use crate::page::state::PageState;
use crate::ui::is_typing;
use leptos::ev;
use leptos::prelude::*;

/// A paste so many milliseconds after the middle button was let go is its own.
const MIDDLE_MS: f64 = 300.0;

/// Listens for drops and pastes, and shows the target while files are held over the page.
#[component]
pub fn DropZone() -> impl IntoView {
    let state = PageState::of_context();
    listen(state);
    let title = move || {
        let n = state.held.get().unwrap_or(0);
        let words = match n {
            0 => phrase("Drop to open"),
            1 => phrase("Drop to open 1 file"),
            _ => phrase("Drop to open {n} files"),
        };
        fill(tr(state.language.get(), words), &[("n", &n.to_string())])
    };
    let note = move || {
        let name = state.row().map(|row| row.name.get());
        name.map(|name| fill(tr(state.language.get(), "It will open alongside {name}"), &[("name", &name)]))
    };
    view! {
        <Show when=move || state.held.with(Option::is_some)>
            <div class="drop" role="status">
                <div class="drop__frame">
                    <span class="drop__title">{title}</span>
                    <span class="drop__note">{note}</span>
                </div>
            </div>
        </Show>
    }
}

fn listen(state: PageState) {
    let over = window_event_listener(ev::dragover, move |event| {
        let Some(data) = event.data_transfer().filter(has_files) else { return };
        event.prevent_default();
        data.set_drop_effect("copy");
        let n = count(&data);
        if state.held.get_untracked() != Some(n) {
            state.held.set(Some(n));
        }
    });
    let leave = window_event_listener(ev::dragleave, move |event| {
        if event.related_target().is_none() {
            state.held.set(None); // out of the window, not into a child
        }
    });
    let drop = window_event_listener(ev::drop, move |event| {
        state.held.set(None);
        let Some(data) = event.data_transfer() else { return };
        event.prevent_default();
        if has_files(&data) {
            super::open_carried(state, folder::carried(&data));
        } else {
            super::paste(state, &data);
        }
    });
    // Some systems paste when the middle button is let go, which drags here.
    let middle = StoredValue::new(f64::NEG_INFINITY);
    let release = window_event_listener(ev::pointerup, move |event| {
        if event.button() == 1 {
            middle.set_value(event.time_stamp());
        }
    });
    let paste = window_event_listener(ev::paste, move |event| {
        if is_typing(event.target()) || event.time_stamp() - middle.get_value() < MIDDLE_MS {
            return;
        }
        let Some(data) = event.clipboard_data() else { return };
        if super::paste(state, &data) {
            event.prevent_default();
        }
    });
    on_cleanup(move || {
        over.remove();
        leave.remove();
        drop.remove();
        paste.remove();
        release.remove();
    });
    if let Some(carried) = folder::dropped_early() {
        super::open_carried(state, carried);
    }
}

fn has_files(data: &web_sys::DataTransfer) -> bool {
    data.types().iter().any(|kind| kind.as_string().as_deref() == Some("Files"))
}

fn count(data: &web_sys::DataTransfer) -> u32 {
    let items = data.items();
    (0..items.length()).filter_map(|at| items.get(at)).filter(|item| item.kind() == "file").count() as u32
}
