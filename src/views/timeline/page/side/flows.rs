//! Flows of the range: single ones, and what they add up to by category.

use super::area::{AreaTable, AreaWords, answer, shown};
use crate::base::words::{phrase, tr};
use crate::ui::field::SelectField;
use crate::views::timeline::area::{AreaQuery, Reply};
use crate::views::timeline::page::state::State;
use crate::wire::rows::Source;
use leptos::prelude::*;

/// Ids of the choice that are no categories.
const ALL: &str = "*";
const SUMS: &str = "+";

/// The panel.
#[component]
pub(super) fn FlowPanel(state: State) -> impl IntoView {
    let context = state.context;
    let area = shown(state, false);
    let chosen = RwSignal::new(ALL.to_owned());
    let reply = answer(state, Signal::derive(move || area.get().map(AreaQuery::Categories)));
    let options = Signal::derive(move || {
        let word = |english: &'static str| tr(context.language.get(), english).to_owned();
        let mut options = vec![(ALL.to_owned(), word("All")), (SUMS.to_owned(), word("Sums by category"))];
        if let Some(Reply::Categories(names)) = reply.get() {
            options.extend(names.into_iter().map(|name| (format!("={name}"), name)));
        }
        options
    });
    let is_sums = Memo::new(move |_| chosen.with(|c| c == SUMS));
    let source = Signal::derive(move || {
        let area = area.get()?;
        let category = chosen.with(|c| c.strip_prefix('=').map(str::to_owned));
        Some(if is_sums.get() { Source::Categories(area) } else { Source::Flows { area, category } })
    });
    let on_name = Callback::new(move |name: String| chosen.set(format!("={name}")));
    let table = move || {
        let (label, hint) = if is_sums.get() {
            (
                phrase("Sums by category"),
                phrase("Press Enter or double-click to list the flows of a category."),
            )
        } else {
            (
                phrase("Flows in range"),
                phrase("Click to go to the start of a flow; press Enter or double-click to go to its end."),
            )
        };
        view! {
            <AreaTable state label=context.word(label) source on_name />
            <p class="detail__hint">{context.word(hint)}</p>
        }
    };
    view! {
        <div class="detail__tools">
            <SelectField label=context.word("Category") options value=chosen on_choose=Callback::new(move |id| chosen.set(id)) />
            <AreaWords state area />
        </div>
        {table}
    }
}
