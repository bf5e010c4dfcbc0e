//! The dialog of an export that takes parameters: what is written is chosen before it is saved.

use crate::base::words::tr;
use crate::page::save;
use crate::page::state::{PageState, Panel};
use crate::ui::overlay::dialog::Dialog;
use crate::ui::words;
use crate::views::details::page::parameters::ControlField;
use leptos::prelude::*;
use std::collections::BTreeMap;

/// The dialog.
#[component]
pub fn ExportDialog(
    /// Number of the export in the catalog.
    at: usize,
) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let close = Callback::new(move |()| state.put_away(&Panel::Export(at)));
    let export = state.documents.catalog.with_untracked(|catalog| catalog.exports.get(at).cloned())?;
    let context = untrack(|| state.row().and_then(|row| row.context.get()))?;
    let (id, title) = (export.id, export.title);
    // What was set for the document counts first.
    let set_before = context.values.get_untracked();
    let changed = RwSignal::new(BTreeMap::<String, String>::new());
    let fields = export.parameters.into_iter().map(|parameter| {
        let id = StoredValue::new(parameter.id.clone());
        let usual = set_before.get(&parameter.id).unwrap_or(&parameter.default).clone();
        let value = Memo::new(move |_| {
            let chosen = changed.with(|changed| id.with_value(|id| changed.get(id).cloned()));
            chosen.unwrap_or_else(|| usual.clone())
        });
        let set = Callback::new(move |text| changed.update(|c| drop(c.insert(id.get_value(), text))));
        view! { <ControlField context parameter value set /> }
    });
    let fields = fields.collect_view();
    let apply = move |_| {
        let chosen =
            changed.with_untracked(|c| c.iter().map(|(id, text)| format!("{id}={text}")).collect::<Vec<_>>());
        let colon = if chosen.is_empty() { "" } else { ":" };
        save::export(state, format!("{id}{colon}{}", chosen.join(",")));
        close.run(());
    };
    let title = Signal::derive(move || tr(words.language(), &title).to_owned());
    Some(view! {
        <Dialog title on_close=close>
            <p class="dialog__row">{fields}</p>
            <p class="dialog__row">
                <button class="button button--main" type="button" data-action="save-export" on:click=apply>
                    {words.tr("Save")}
                </button>
            </p>
        </Dialog>
    })
}
