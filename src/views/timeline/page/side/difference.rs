//! What became of names since the baseline, in the selected range, else in the shown time.

use crate::base::window::Window;
use crate::base::words::{phrase, tr};
use crate::pane::context::ViewContext;
use crate::views::statistics::page::difference::Difference;
use crate::views::timeline::page::state::State;
use leptos::prelude::*;

/// The table.
#[component]
pub(super) fn DifferencePanel(state: State) -> impl IntoView {
    let context = state.context;
    let compared = Memo::new(move |_| {
        let range = context.selection.with(|s| s.range).or_else(|| context.window.get().map(Window::span));
        let theirs = range.map(|r| state.mapping.get().map_or(r, |m| m.span(r)));
        Some((state.old.get()?.context.document, theirs, range))
    });
    let compared = Signal::derive(move || {
        let (_, theirs, range) = compared.get()?;
        Some((untrack(|| state.old.get())?.context, theirs, range))
    });
    let revision = Signal::derive(move || {
        let old = state.old.get().map_or(0, |old| old.rows().revision.get());
        u64::from(state.rows().revision.get()).wrapping_add(u64::from(old) << 32)
    });
    let scope = Signal::derive(move || scope(context));
    view! { <Difference context compared revision scope /> }
}

/// Of which time the table is.
fn scope(context: ViewContext) -> String {
    let is_ranged = context.selection.with(|s| s.range.is_some());
    let words = match (is_ranged, context.window.get().is_some()) {
        (true, _) => phrase("selected range"),
        (false, true) => phrase("visible range"),
        (false, false) => phrase("entire trace"),
    };
    tr(context.language.get(), words).to_owned()
}
