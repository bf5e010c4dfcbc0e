//! What is chosen once for all figures: the block, the core, the run. It stands in the row of tabs.

use super::{Picks, VIEW};
use crate::base::words::tr;
use crate::draw::page::SUBJECTS;
use crate::model::figure::Choice;
use crate::pane::context::ViewContext;
use crate::ui::field::SelectField;
use crate::ui::tabs::Tools;
use crate::wire::figures::FamilyHead;
use leptos::prelude::*;

/// The choices that several figures have, each with the options of all of them in order of first use.
pub(super) fn shared_choices(families: &[FamilyHead]) -> Vec<Choice> {
    let mut shared: Vec<(Choice, usize)> = Vec::new();
    let all = families.iter().flat_map(|family| &family.choices);
    for choice in all.filter(|choice| SUBJECTS.contains(&choice.name.as_str())) {
        let Some((own, n)) = shared.iter_mut().find(|(own, _)| own.name == choice.name) else {
            shared.push((choice.clone(), 1));
            continue;
        };
        *n += 1;
        for option in &choice.options {
            if !own.options.contains(option) {
                own.options.push(option.clone());
            }
        }
    }
    shared.retain(|(choice, n)| 1 < *n && 1 < choice.options.len());
    shared.into_iter().map(|(choice, _)| choice).collect()
}

/// Goes to the next or the previous option of the first of them, such as the block; whether there is one.
pub(super) fn step(picks: Picks, shared: Memo<Vec<Choice>>, is_next: bool) -> bool {
    let choice = shared.with_untracked(|shared| shared.first().cloned());
    let Some(choice) = choice else { return false };
    let at = picks.option_untracked(&choice);
    let to = if is_next { at + 1 } else { at.wrapping_sub(1) };
    picks.pick(&choice, to); // beyond the ends there is nothing to pick
    true
}

/// One list for each of them, in the row of tabs.
#[component]
pub(super) fn SharedChoices(context: ViewContext, picks: Picks, shared: Memo<Vec<Choice>>) -> impl IntoView {
    let one = move |choice: Choice| {
        let choice = StoredValue::new(choice);
        let label =
            Signal::derive(move || choice.with_value(|c| tr(context.language.get(), &c.name).to_owned()));
        let options = Signal::derive(move || {
            let language = context.language.get();
            let named = |(i, option): (usize, &String)| (i.to_string(), tr(language, option).to_owned());
            choice.with_value(|c| c.options.iter().enumerate().map(named).collect::<Vec<_>>())
        });
        let value = Signal::derive(move || choice.with_value(|c| picks.option(c).to_string()));
        let on_choose = Callback::new(move |option: String| {
            choice.with_value(|c| picks.pick(c, option.parse().unwrap_or(0)));
        });
        view! { <SelectField label options value on_choose /> }
    };
    view! {
        <Tools view=VIEW.id>
            <For each=move || shared.get() key=|c| (c.name.clone(), c.options.len()) children=one />
        </Tools>
    }
}
