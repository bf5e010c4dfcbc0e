//! What terms of a system mean.

use crate::systems::guides::Terms;
use crate::ui::words;
use leptos::prelude::*;

/// Terms with their meanings.
pub(super) fn term_table(terms: Terms) -> impl IntoView {
    let words = words();
    let row = |(term, meaning): &(&'static str, &'static str)| {
        view! { <div class="terms__row"><dt>{words.tr(term)}</dt><dd>{words.tr(meaning)}</dd></div> }
    };
    let rows: Vec<_> = terms.rows.iter().map(row).collect();
    view! {
        <h3 class="lesson__title">{words.tr(terms.title)}</h3>
        <dl class="terms">{rows}</dl>
    }
}
