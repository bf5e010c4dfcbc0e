//! The address of an instruction, a link to each listing that may have it.

use crate::model::code::CodeAddress;
use crate::pane::context::ViewContext;
use crate::views::code::messages::FoundRow;
use leptos::prelude::*;

/// The address; a button that goes there, or one with the name of each listing where several have the address.
#[component]
pub fn InstructionLinks(context: ViewContext, address: u64, found: Vec<FoundRow>) -> impl IntoView {
    let is_one = found.len() == 1;
    let words = format!("{address:#x}");
    let buttons = found.into_iter().map(|row| {
        let at = CodeAddress { listing: Some(row.listing), address };
        let words = if is_one { words.clone() } else { format!("{words} · {}", row.name) };
        let go = move |_| {
            context.selection.update(|s| (s.line, s.address) = (None, Some(at)));
            context.go.run("source".to_owned());
        };
        view! { <button class="button button--text detail__call" type="button" on:click=go>{words}</button> }
    });
    let buttons: Vec<_> = buttons.collect();
    if buttons.is_empty() { view! { <span>{words}</span> }.into_any() } else { buttons.into_any() }
}
