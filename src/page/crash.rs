//! When the page's own program breaks: it says so where it can be seen, instead of standing still.

use crate::base::words::{Language, phrase, tr};
use leptos::prelude::document;
use std::panic::PanicHookInfo;

/// From now on a panic is shown and written to the console.
pub fn watch(language: Language) {
    std::panic::set_hook(Box::new(move |info| show(language, info)));
}

fn show(language: Language, info: &PanicHookInfo<'_>) {
    web_sys::console::error_1(&info.to_string().into());
    let is_shown = document().query_selector(".crash").is_ok_and(|bar| bar.is_some());
    let (Some(body), Ok(bar)) = (document().body(), document().create_element("p")) else { return };
    if is_shown {
        return; // what breaks once breaks again at every gesture
    }
    let text = tr(language, phrase("Lanescope stopped working. Reload the page to go on."));
    bar.set_class_name("crash");
    let _ = bar.set_attribute("role", "alert");
    bar.set_text_content(Some(&format!("{text} ({info})")));
    let _ = body.append_child(&bar);
}
