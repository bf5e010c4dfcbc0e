//! The dialog of a mapping: expressions at the left, what they make of the first lines of the log at the right.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod draft;
mod fields;
mod making;
mod preview;

use crate::base::order;
use crate::ui::blob;
use crate::ui::field::{InputField, SelectField};
use crate::ui::latest::Latest;
use crate::ui::overlay::dialog::Dialog;
use crate::ui::words;
use crate::views::mapping::messages::{MappingQuery, Reply};
use crate::views::parts::LocalFuture;
use draft::NAME;
use leptos::html;
use leptos::prelude::*;
use making::Making;
use std::time::Duration;
use wasm_bindgen_futures::JsFuture;

/// What is typed is tried after such a pause.
const PAUSE: Duration = Duration::from_millis(120);

/// What the dialog gets.
#[derive(Clone, Copy)]
pub struct MappingInput {
    /// What the log is called.
    pub name: Signal<String>,
    /// The mappings that are saved: name and text.
    pub saved: RwSignal<Vec<(String, String)>>,
    /// The text that is made; kept when the dialog is closed.
    pub draft: RwSignal<String>,
    /// Tries a mapping on the log.
    pub ask: Callback<MappingQuery, LocalFuture<Option<Reply>>>,
    /// Opens the log with a mapping.
    pub open: Callback<String>,
    /// Closes the dialog.
    pub close: Callback<()>,
    /// Saves a file under a name.
    pub save: Callback<(String, web_sys::Blob)>,
}

/// The dialog.
pub fn show(input: MappingInput) -> AnyView {
    let words = words();
    let making = Making {
        draft: RwSignal::new(draft::of_text(&input.draft.get_untracked()).unwrap_or_default()),
        reply: RwSignal::new(None),
        file: RwSignal::new(None),
        only_matches: RwSignal::new(false),
    };
    let text = Memo::new(move |_| making.draft.with(draft::text_of));
    follow(input, making, text);
    let open = move |_| {
        if making.is_good() {
            input.open.run(text.get_untracked());
            input.close.run(());
        }
    };
    let title =
        Signal::derive(move || format!("{} · {}", words.tr("Open log with a mapping")(), input.name.get()));
    view! {
        <Dialog title on_close=input.close class="dialog--mapping">
            <div class="mapping__bar">
                <Saved input making text />
                <span class="mapping__gap"></span>
                <Files input making text />
            </div>
            <div class="mapping__sides">
                <fields::Fields making />
                <preview::Lines making />
            </div>
            <div class="dialog__foot">
                <span class="mapping__said" role="status"><preview::Summary making /></span>
                <button
                    class="button button--main"
                    type="button"
                    data-action="open-with-mapping"
                    aria-disabled=move || (!making.is_good()).then_some("true")
                    on:click=open
                >
                    {words.tr("Open")}
                </button>
            </div>
        </Dialog>
    }
    .into_any()
}

/// Asks anew a moment after anything changed.
fn follow(input: MappingInput, making: Making, text: Memo<String>) {
    let (pause, asked) = (Latest::default(), Latest::default());
    Effect::new(move |was: Option<()>| {
        let query = MappingQuery {
            text: text.get(),
            file: making.file.get(),
            only_matches: making.only_matches.get(),
        };
        input.draft.set(query.text.clone());
        let ask = move || {
            asked.ask(input.ask.run(query), move |reply| {
                if let Some(reply) = reply {
                    making.reply.try_set(Some(reply));
                }
            });
        };
        if was.is_some() { pause.after(PAUSE, ask) } else { ask() }
    });
}

/// The mappings that are saved, and what can be done with the one that is made.
#[component]
fn Saved(input: MappingInput, making: Making, text: Memo<String>) -> impl IntoView {
    let words = words();
    let chosen = Memo::new(move |_| {
        let name = making.member(NAME);
        let is_saved = input.saved.with(|saved| saved.iter().any(|(own, _)| *own == name));
        if is_saved { name } else { String::new() }
    });
    let options = Signal::derive(move || {
        let none = (String::new(), words.tr("New mapping")().to_owned());
        let saved = input.saved.get().into_iter().map(|(name, _)| (name.clone(), name));
        [none].into_iter().chain(saved).collect::<Vec<_>>()
    });
    let choose = Callback::new(move |name: String| {
        let found = input.saved.with_untracked(|saved| saved.iter().find(|(own, _)| *own == name).cloned());
        let read = found.and_then(|(name, text)| {
            let mut draft = draft::of_text(&text)?;
            draft.insert(NAME.to_owned(), name);
            Some(draft)
        });
        making.draft.set(read.unwrap_or_default());
    });
    let is_named = move || !making.member(NAME).trim().is_empty();
    let save = move |_| {
        let name = making.member(NAME).trim().to_owned();
        if !name.is_empty() {
            input.saved.update(|saved| {
                saved.retain(|(own, _)| *own != name);
                saved.push((name, text.get_untracked()));
                order::sort(saved);
            });
        }
    };
    let delete = move |_| {
        let name = chosen.get_untracked();
        input.saved.update(|saved| saved.retain(|(own, _)| *own != name));
    };
    let name = Signal::derive(move || making.member(NAME));
    view! {
        <SelectField label=Signal::derive(move || words.tr("Mapping")().to_owned()) options value=chosen on_choose=choose />
        <InputField
            label=Signal::derive(move || words.tr("Name")().to_owned())
            value=name
            on_change=Callback::new(move |text| making.set(NAME, text))
        />
        <button class="button" type="button" data-action="save-mapping" aria-disabled=move || (!is_named()).then_some("true") on:click=save>
            {words.tr("Save")}
        </button>
        <button
            class="button"
            type="button"
            data-action="delete-mapping"
            aria-disabled=move || chosen.with(String::is_empty).then_some("true")
            on:click=delete
        >
            {words.tr("Delete")}
        </button>
    }
}

/// The mapping that is made, from and to a file.
#[component]
fn Files(input: MappingInput, making: Making, text: Memo<String>) -> impl IntoView {
    let words = words();
    let export = move |_| {
        let name = Some(making.member(NAME)).filter(|name| !name.is_empty());
        let name = format!("{}.json", name.as_deref().unwrap_or("mapping"));
        if let Ok(file) = blob(text.get_untracked().as_bytes(), "application/json") {
            input.save.run((name, file));
        }
    };
    let picker = NodeRef::<html::Input>::new();
    let import = move |_| {
        let Some(file) = picker.get_untracked().and_then(|input| input.files()?.get(0)) else { return };
        leptos::task::spawn_local(async move {
            let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
            if let Some(draft) = text.and_then(|text| draft::of_text(&text)) {
                making.draft.try_set(draft);
            }
        });
    };
    view! {
        <input node_ref=picker type="file" accept=".json" hidden on:change=import />
        <button
            class="button"
            type="button"
            data-action="import-mapping"
            on:click=move |_| {
                if let Some(input) = picker.get_untracked() {
                    input.set_value(""); // the same file again is a change too
                    input.click();
                }
            }
        >
            {words.tr("Import…")}
        </button>
        <button class="button" type="button" data-action="export-mapping" on:click=export>{words.tr("Export")}</button>
    }
}
