//! Widgets that know nothing of traces: they take texts, numbers and callbacks.
//!
//! Every widget can be used by keyboard alone and names itself to screen readers. Looks come from `style/controls.css`,
//! `table.css` and `overlay.css`: the block of a class is the widget's name.

pub mod canvas;
pub mod field;
pub mod icon;
pub mod latest;
pub mod overlay;
pub mod progress;
pub mod split;
pub mod stages;
pub mod steps;
pub mod table;
pub mod tabs;
pub mod text;
pub mod tree;

use crate::base::words::{self, Language};
use leptos::prelude::*;

/// The language of the page, for words in views.
#[derive(Clone, Copy)]
pub struct Words(pub Signal<Language>);

/// The language the page provides as context; English where nobody does.
pub fn words() -> Words {
    use_context::<Words>().unwrap_or_else(|| Words(Signal::stored(Language::En)))
}

impl Words {
    /// The phrase in the page's language, for a place in a view: follows the language.
    pub fn tr(self, english: &'static str) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
        move || words::tr(self.0.get(), english)
    }

    /// The phrase in the language of now.
    pub fn now(self, english: &'static str) -> &'static str {
        words::tr(self.0.get_untracked(), english)
    }

    /// The language, followed.
    pub fn language(self) -> Language {
        self.0.get()
    }
}

/// Writes text to the clipboard; `done` is told whether it worked.
pub fn copy_text(text: &str, done: impl FnOnce(bool) + 'static) {
    let clipboard = window().navigator().clipboard();
    if clipboard.is_undefined() {
        done(false); // only secure addresses have one
        return;
    }
    let promise = clipboard.write_text(text);
    leptos::task::spawn_local(async move {
        done(wasm_bindgen_futures::JsFuture::from(promise).await.is_ok());
    });
}

/// Whether the keyboard is in a field of text.
pub fn is_typing(target: Option<web_sys::EventTarget>) -> bool {
    let element = target.and_then(|t| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(t).ok());
    let Some(element) = element else { return false };
    let name = element.tag_name();
    element.is_content_editable() || matches!(name.as_str(), "TEXTAREA" | "SELECT") || {
        let kind = element.get_attribute("type").unwrap_or_default();
        name == "INPUT" && !matches!(kind.as_str(), "checkbox" | "radio" | "range" | "button")
    }
}

/// Bytes as a file of a media type.
///
/// # Errors
/// When the browser has no room for it.
pub fn blob(bytes: &[u8], mime: &str) -> Result<web_sys::Blob, wasm_bindgen::JsValue> {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(mime);
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    web_sys::Blob::new_with_u8_array_sequence_and_options(&parts, &options)
}
