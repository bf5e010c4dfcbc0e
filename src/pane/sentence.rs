//! Sentences of findings and advice.

use crate::analysis::finding::pieces;
use crate::ui::text::unbroken;
use leptos::prelude::*;

/// A sentence with what counts in it bold, and numbers beside their units.
pub fn sentence(text: &str) -> impl IntoView + use<> {
    let piece = |(text, is_strong): (&str, bool)| {
        let text = text.to_owned();
        if is_strong { view! { <b>{text}</b> }.into_any() } else { view! { {text} }.into_any() }
    };
    pieces(&unbroken(text)).into_iter().map(piece).collect_view()
}
