//! Saves what an export answered, as a download.

use super::state::PageState;
use crate::pane::context::ViewContext;
use crate::ui::overlay::Dialog;
use crate::ui::words;
use crate::wire::{Answer, Query};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

/// Saves a file under a name.
pub fn save(name: &str, file: &web_sys::Blob) -> Result<(), JsValue> {
    let url = web_sys::Url::create_object_url_with_blob(file)?;
    let link: web_sys::HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The browser holds the blob as soon as the click is handled; a moment later the address may go.
    set_timeout(move || drop(web_sys::Url::revoke_object_url(&url)), std::time::Duration::from_secs(10));
    Ok(())
}

/// Asks the shown document for an export and saves it.
pub fn export(state: PageState, id: String) {
    let Some(context) = untrack(|| state.row()).and_then(|row| row.context.get_untracked()) else { return };
    leptos::task::spawn_local(file(state, context, Query::Export { id }));
}

/// Asks a document for a file and saves it.
pub async fn file(state: PageState, context: ViewContext, query: Query) {
    let failed = |why: &str| state.report_problem(state.tr("Export failed"), why);
    match context.ask_whole(query).await {
        (Answer::File { name, said, is_whole, .. }, Some(file)) => {
            if save(&name, file.unchecked_ref()).is_err() {
                failed("");
            } else if !is_whole {
                state.report_problem(state.tr("Export is incomplete"), said);
            } else if !said.is_empty() {
                state.say(state.tr("Saved, with a note"), said);
            }
        }
        (Answer::Cancelled, _) => {}
        (Answer::Failed(why), _) => failed(&why),
        _ => failed(""),
    }
}

/// The frame of a dialog that says what is to be saved: its controls, and below them the button that saves and closes it.
#[component]
pub fn SaveDialog(
    title: Signal<String>,
    /// What the button is called in the document.
    action: &'static str,
    close: Callback<()>,
    save: Callback<()>,
    children: Children,
) -> impl IntoView {
    let words = words();
    let on_save = move |_| {
        save.run(());
        close.run(());
    };
    view! {
        <Dialog title on_close=close>
            {children()}
            <p class="dialog__row">
                <button class="button button--main" type="button" data-action=action on:click=on_save>
                    {words.tr("Save")}
                </button>
            </p>
        </Dialog>
    }
}

/// What is kept in the browser between visits: choices and names of files, never their contents.
pub mod store {
    use leptos::prelude::window;

    /// Reads a value; nothing when the browser keeps nothing.
    pub fn read(name: &str) -> Option<String> {
        let storage = window().local_storage().ok().flatten()?;
        storage.get_item(&format!("lanescope.{name}")).ok().flatten()
    }

    /// Keeps a value; a browser that keeps nothing is no trouble.
    pub fn write(name: &str, value: &str) {
        if let Ok(Some(storage)) = window().local_storage() {
            let _ = storage.set_item(&format!("lanescope.{name}"), value);
        }
    }
}
