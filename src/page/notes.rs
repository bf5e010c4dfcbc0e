//! Notes of the user on what is shown: texts with their places, kept in the browser by the content of the files.
//!
//! The same files have their notes under any name. What they are known by is computed in their worker, see
//! `input::fingerprint`. An export takes the notes of a document from [`DocumentRow::notes`].

use super::database::{self, Shelf};
use super::documents::{DocState, DocumentRow};
use super::opening::mapping::list_folder;
use super::route;
use super::save::save;
use super::state::{PageState, Panel};
use crate::base::number::{instant, thousands};
use crate::base::pairs;
use crate::base::time::Span;
use crate::base::window::Window;
use crate::base::words::{fill, phrase, tr};
use crate::browser::text_of;
use crate::model::notes::{ALL_BYTES, FILE_BYTES, MOST, Note, Notes, TEXT_BYTES};
use crate::navigation::route::Route;
use crate::ui::icon::{Glyph, Icon};
use crate::ui::overlay::Dialog;
use crate::ui::words;
use crate::views::VIEWS;
use crate::wire::{Answer, Query};
use gloo::events::EventListener;
use leptos::html;
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// How long after a document is open its notes are looked for: its file is read for them, and the first view comes first.
const LATER: Duration = Duration::from_millis(500);

/// Reads the notes of documents, soon after these are open.
pub fn follow(state: PageState) {
    follow_other_tabs(state);
    let open = Memo::new(move |_| {
        let rows = state.documents.list.get().into_iter();
        let is_new =
            |row: &DocumentRow| row.notes.with(Option::is_none) && row.state.with(|s| *s == DocState::Open);
        rows.filter(is_new).map(|row| row.id).collect::<Vec<_>>()
    });
    Effect::new(move |_| {
        for row in open.get().into_iter().filter_map(|id| state.documents.row(id)) {
            leptos::task::spawn_local(async move {
                let Some(context) = row.context.get_untracked() else { return };
                gloo::timers::future::sleep(LATER).await;
                if let (Answer::Text { text: content, .. }, _) = context.ask_whole(Query::Fingerprint).await {
                    let list = of_text(database::read(Shelf::Notes, &content).await.as_ref());
                    let name = row.name.try_get_untracked().unwrap_or_default();
                    if row.notes.try_with_untracked(Option::is_none) == Some(true) {
                        row.notes.set(Some(Notes { content, name, list }));
                    }
                }
            });
        }
    });
}

/// One line is one note, written as names and values in an address are.
fn of_text(text: Option<&JsValue>) -> Vec<Note> {
    let of_line = |line: &str| {
        let pairs = pairs::split(line);
        let value = |name: &str| Some(pairs.iter().find(|(own, _)| own == name)?.1.clone());
        Some(Note { text: value("text")?, address: value("address")?, time: value("time")?.parse().ok()? })
    };
    let text = text.and_then(JsValue::as_string).unwrap_or_default();
    text.lines().filter_map(of_line).collect()
}

fn text(notes: &[Note]) -> String {
    let line = |note: &Note| {
        let time = note.time.to_string();
        pairs::join([("text", note.text.as_str()), ("address", &note.address), ("time", &time)])
    };
    notes.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What became of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Changed {
    Kept,
    /// It was not made.
    Refused,
    /// The browser did not keep it, which was said.
    Lost,
}

/// Changes the notes on a document's files, wherever they are shown; `false` from `edit` leaves them as they are. What
/// another tab has written meanwhile stays.
async fn change(state: PageState, row: DocumentRow, mut edit: Box<dyn FnMut(&mut Notes) -> bool>) -> Changed {
    let Some(mut notes) = row.notes.try_get_untracked().flatten() else { return Changed::Lost };
    let content = notes.content.clone();
    let changed = Rc::new(RefCell::new(None));
    let result = changed.clone();
    let kept = database::change(
        Shelf::Notes,
        &content,
        Box::new(move |before: JsValue| {
            notes.list = of_text(Some(&before));
            if !edit(&mut notes) {
                return Some(before).filter(|before| !before.is_undefined());
            }
            let list = std::mem::take(&mut notes.list);
            let all = (!list.is_empty()).then(|| text(&list).into());
            result.replace(Some(list));
            all
        }),
    );
    if let Err(error) = kept.await {
        state.report_problem(state.tr("The browser could not keep the note"), text_of(&error));
        return Changed::Lost;
    }
    let changed = changed.take();
    let Some(list) = changed else { return Changed::Refused };
    show_everywhere(state, &content, &list);
    Changed::Kept
}

/// Shows the notes on files in every document of the same ones.
fn show_everywhere(state: PageState, content: &str, list: &[Note]) {
    for row in state.documents.list.get_untracked() {
        let is_other =
            |notes: &Option<Notes>| notes.as_ref().is_some_and(|n| n.content == content && n.list != list);
        if row.notes.with_untracked(is_other) {
            row.notes.update(|notes| {
                if let Some(notes) = notes {
                    list.clone_into(&mut notes.list);
                }
            });
        }
    }
}

/// Another tab may have written notes on the same files: they are read again when the user comes to this one.
fn follow_other_tabs(state: PageState) {
    let read_again = move || {
        if document().hidden() {
            return;
        }
        let rows = state.documents.list.get_untracked().into_iter();
        let contents: BTreeSet<String> =
            rows.filter_map(|row| row.notes.with_untracked(|n| Some(n.as_ref()?.content.clone()))).collect();
        leptos::task::spawn_local(async move {
            for content in contents {
                // What cannot be read now takes nothing away that is shown.
                if let Some(text) = database::read(Shelf::Notes, &content).await {
                    show_everywhere(state, &content, &of_text(Some(&text)));
                }
            }
        });
    };
    // The page lives as long as its window, so nothing takes the listeners away.
    EventListener::new(&document(), "visibilitychange", move |_| read_again()).forget();
    EventListener::new(&window(), "focus", move |_| read_again()).forget();
}

fn refuse(state: PageState) {
    let words =
        state.tr("At most {n} notes of {bytes} bytes each fit on the same files, together {all} bytes.");
    let [n, bytes, all] = [MOST, TEXT_BYTES, ALL_BYTES].map(|n| thousands(n as i64));
    let words = fill(words, &[("n", &n), ("bytes", &bytes), ("all", &all)]);
    state.report_problem(state.tr("This note is too long, or there are too many"), words);
}

/// The place that is shown of a document, whatever its window is.
fn place(state: PageState, row: DocumentRow) -> Option<Route> {
    let mut place = route::place_of(row)?;
    place.view = state.shown_view().map(|view| view.id.to_owned());
    let context = row.context.get()?;
    let all = context.moved.get().or_else(|| context.head.with(|head| head.span));
    place.window = place.window.or_else(|| all.map(Window::of));
    Some(place)
}

/// View and time of a place, in words.
fn place_text(state: PageState, row: DocumentRow, place: &Route) -> String {
    let language = state.language.get();
    let view = VIEWS.iter().find(|view| Some(view.id) == place.view.as_deref());
    let view = view.map(|view| tr(language, view.title).to_owned());
    let time = place.window.zip(row.head.get()).map(|(window, head)| {
        let (span, zero) = (window.span(), head.span.map_or(0, Span::origin));
        let at = |t: i64| instant(t.saturating_sub(zero), head.clock);
        format!("{} – {}", at(span.start), at(span.end))
    });
    // Of another operator of the project.
    let file = place.file.clone().filter(|file| *file != row.name.get());
    file.into_iter().chain(view).chain(time).collect::<Vec<_>>().join(" · ")
}

/// Goes to the place of a note.
fn go(state: PageState, row: DocumentRow, note: &Note) {
    let mut place = Route::parse(&note.address);
    let own = row.name.get_untracked();
    let project = row.head.with_untracked(|head| head.as_ref()?.project.clone());
    // The files may have another name than when it was written.
    place.file = match (place.file, project) {
        (Some(file), Some(project)) if project.dropped.is_empty() => {
            let operator = file.rsplit_once(" · ").map_or(file.as_str(), |(operator, _)| operator);
            Some(format!("{operator} · {}", project.title.trim_end_matches('!')))
        }
        (Some(file), Some(_)) => Some(file),
        _ => Some(own),
    };
    state.show(row.id);
    state.panel.set(None);
    // The page hears of it as of any other change of the address, and the browser's back button comes back.
    let _ = window().location().set_hash(&place.text());
}

// The panel.

/// Notes on what is shown, and on what it is compared with.
pub fn show() -> AnyView {
    let state = PageState::of_context();
    let words = words();
    let title = Signal::derive(move || words.tr("Notes")().to_owned());
    let sides = Memo::new(move |_| {
        let current = state.current.get();
        let pair =
            state.documents.pair.get().both().filter(|(a, b)| current == Some(*a) || current == Some(*b));
        match (pair, current) {
            (Some((a, b)), _) => vec![(a, "A"), (b, "B")],
            (None, Some(id)) => vec![(id, "")],
            (None, None) => Vec::new(),
        }
    });
    let sides = move || {
        let sides = sides.get().into_iter();
        let side = |(id, letter)| state.documents.row(id).map(|row| view! { <Side row letter /> });
        sides.filter_map(side).collect::<Vec<_>>()
    };
    view! {
        <Dialog title class="dialog--notes" on_close=Callback::new(move |()| state.put_away(&Panel::Notes))>
            {sides}
        </Dialog>
    }
    .into_any()
}

/// The notes on one document.
#[component]
fn Side(row: DocumentRow, letter: &'static str) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let list = Memo::new(move |_| row.notes.get().map(|notes| notes.list));
    let is_known = Memo::new(move |_| list.with(Option::is_some));
    let has_some = Memo::new(move |_| list.with(|list| list.as_ref().is_some_and(|list| !list.is_empty())));
    let head = (!letter.is_empty()).then(|| {
        view! { <h3 class="notes__head"><abbr class="mark" class:mark--filled=letter == "B">{letter}</abbr>{row.name}</h3> }
    });
    view! {
        <section class="notes" data-side=letter>
            {head}
            <ul>
                <For each=move || list.get().unwrap_or_default() key=|note| (note.time.to_bits(), note.text.clone()) let:note>
                    <li><OneNote row note /></li>
                </For>
            </ul>
            <Show when=move || is_known.get() fallback=move || view! { <p class="notes__none">{words.tr("Notes can be written once the file is open.")}</p> }>
                <NewNote row />
                <p class="dialog__row">
                    <button class="button" type="button" data-action="import-notes" on:click=move |_| import(state, row)>
                        {words.tr("Import…")}
                    </button>
                    <Show when=move || has_some.get()>
                        <button class="button" type="button" data-action="export-notes" on:click=move |_| export(state, row)>
                            {words.tr("Export")}
                        </button>
                    </Show>
                </p>
            </Show>
        </section>
    }
}

/// A field for the text of a note; Ctrl and Enter are as good as the button.
#[component]
fn NoteField(
    node: NodeRef<html::Textarea>,
    text: String,
    label: Signal<String>,
    done: Callback<()>,
) -> impl IntoView {
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            done.run(());
        }
    };
    view! {
        <textarea
            class="mapping__input notes__field"
            node_ref=node
            rows="3"
            aria-label=move || label.get()
            placeholder=move || label.get()
            prop:value=text
            on:keydown=on_key
        ></textarea>
    }
}

fn written(node: NodeRef<html::Textarea>) -> Option<String> {
    let text = node.get_untracked()?.value().trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[component]
fn NewNote(row: DocumentRow) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let node = NodeRef::<html::Textarea>::new();
    let here = Memo::new(move |_| place(state, row).map(|place| place_text(state, row, &place)));
    let add = Callback::new(move |()| {
        let (Some(text), Some(place)) = (written(node), untrack(|| place(state, row))) else { return };
        leptos::task::spawn_local(async move {
            let add = move |notes: &mut Notes| {
                let mut time = js_sys::Date::now().floor();
                while notes.list.iter().any(|note| note.time == time) {
                    time += 1.0;
                }
                notes.put(Note { text: text.clone(), address: place.text(), time })
            };
            match change(state, row, Box::new(add)).await {
                Changed::Kept => {
                    if let Some(field) = node.get_untracked() {
                        field.set_value("");
                    }
                }
                Changed::Refused => refuse(state),
                Changed::Lost => {} // the text stays in its field
            }
        });
    });
    let label = Signal::derive(move || words.tr("New note")().to_owned());
    view! {
        <div class="notes__new">
            <NoteField node text=String::new() label done=add />
            <div class="notes__foot">
                <span class="notes__place">{move || here.get()}</span>
                <button class="button button--main" type="button" data-action="add-note" on:click=move |_| add.run(())>
                    {words.tr("Add note")}
                </button>
            </div>
        </div>
    }
}

#[component]
fn OneNote(row: DocumentRow, note: Note) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let is_edited = RwSignal::new(false);
    let node = NodeRef::<html::Textarea>::new();
    let note = StoredValue::new(note);
    let where_it_is = move || note.with_value(|note| place_text(state, row, &Route::parse(&note.address)));
    let when = move || note.with_value(|note| day(state, note.time));
    let remove = move |()| {
        let time = note.with_value(|note| note.time);
        leptos::task::spawn_local(async move {
            let remove = move |notes: &mut Notes| {
                notes.list.retain(|own| own.time != time);
                true
            };
            change(state, row, Box::new(remove)).await;
        });
    };
    let keep = Callback::new(move |()| {
        let Some(text) = written(node) else { return };
        leptos::task::spawn_local(async move {
            let changed = Note { text, ..note.get_value() };
            match change(state, row, Box::new(move |notes: &mut Notes| notes.put(changed.clone()))).await {
                Changed::Kept => drop(is_edited.try_set(false)),
                Changed::Refused => refuse(state),
                Changed::Lost => {} // the text stays in its field
            }
        });
    });
    let label = Signal::derive(move || words.tr("Edit note")().to_owned());
    let text = move || {
        if is_edited.get() {
            let text = note.with_value(|note| note.text.clone());
            view! { <NoteField node text label done=keep /> }.into_any()
        } else {
            view! { <p class="notes__text">{note.with_value(|note| note.text.clone())}</p> }.into_any()
        }
    };
    let tool = move |action, glyph, title: &'static str, act: Callback<()>| {
        view! {
            <button
                class="button button--small"
                type="button"
                data-action=action
                aria-label=words.tr(title)
                data-tip=words.tr(title)
                on:click=move |_| act.run(())
            >
                <Icon glyph small=true />
            </button>
        }
    };
    let edit =
        Callback::new(move |()| if is_edited.get_untracked() { keep.run(()) } else { is_edited.set(true) });
    let delete = Callback::new(remove);
    view! {
        <article class="notes__one">
            {text}
            <div class="notes__foot">
                <button
                    class="button button--text notes__place"
                    type="button"
                    data-action="go-to-note"
                    data-tip=words.tr("Go to this place")
                    on:click=move |_| note.with_value(|note| go(state, row, note))
                >
                    {where_it_is}
                </button>
                <span class="notes__when">{when}</span>
                {move || if is_edited.get() {
                    tool("keep-note", Glyph::Check, phrase("Save"), edit).into_any()
                } else {
                    tool("edit-note", Glyph::Edit, phrase("Edit note"), edit).into_any()
                }}
                {tool("delete-note", Glyph::Close, phrase("Delete note"), delete)}
            </div>
        </article>
    }
}

/// Date and time as people of the language write them.
fn day(state: PageState, time: f64) -> String {
    let date = js_sys::Date::new(&time.into());
    date.to_locale_string(state.language.get().tag(), &JsValue::UNDEFINED).into()
}

// Files of notes.

fn export(state: PageState, row: DocumentRow) {
    let Some((notes, context)) = row.notes.get_untracked().zip(row.context.get_untracked()) else { return };
    leptos::task::spawn_local(async move {
        let name = format!("{}.notes.json", notes.name);
        let Answer::Text { text, .. } = context.ask(Query::NotesFile(notes)).await else { return };
        let saved = crate::ui::blob(text.as_bytes(), "application/json").and_then(|file| save(&name, &file));
        if saved.is_err() {
            state.report_problem(state.tr("Export failed"), "");
        }
    });
}

fn import(state: PageState, row: DocumentRow) {
    let Ok(element) = document().create_element("input") else { return };
    let input: web_sys::HtmlInputElement = element.unchecked_into();
    input.set_type("file");
    input.set_accept(".json");
    let chosen = input.clone();
    let on_change = move |_: &web_sys::Event| {
        if let Some(file) = list_folder(chosen.files().as_ref()).into_iter().next() {
            leptos::task::spawn_local(take(state, row, file));
        }
    };
    EventListener::once(&input, "change", on_change).forget();
    input.click();
}

/// Adds the notes of a file to those of a document.
async fn take(state: PageState, row: DocumentRow, file: web_sys::File) {
    let refused = |why: &str| {
        let title = fill(state.tr("Could not import {name}"), &[("name", &file.name())]);
        state.report_problem(title, why);
    };
    if (FILE_BYTES as f64) < file.size() {
        return refused(&fill(
            state.tr("the file is larger than {n} bytes"),
            &[("n", &thousands(FILE_BYTES.cast_signed()))],
        ));
    }
    // The document may have been closed while the file was chosen.
    let Some(context) = row.context.try_get_untracked().flatten() else { return };
    let text = match JsFuture::from(file.text()).await {
        Ok(text) => text.as_string().unwrap_or_default(),
        Err(error) => return refused(&text_of(&error)),
    };
    let imported = match context.ask(Query::ReadNotes { text }).await {
        Answer::Notes(imported) => imported,
        Answer::Failed(why) => return refused(&why),
        _ => return,
    };
    let Some(own) = row.notes.try_get_untracked().flatten() else { return };
    let of_others = fill(state.tr("They were written on other files: {name}."), &[("name", &imported.name)]);
    let note = if imported.content == own.content { String::new() } else { of_others };
    let n_read = imported.list.len();
    let n = Rc::new(Cell::new(0));
    let joined = n.clone();
    let join = move |notes: &mut Notes| {
        joined.set(notes.join(imported.list.clone()));
        0 < joined.get()
    };
    if change(state, row, Box::new(join)).await == Changed::Lost {
        return;
    }
    let counts = [("n", thousands(n.get() as i64)), ("all", thousands(n_read as i64))];
    let counts = counts.each_ref().map(|(name, value)| (*name, value.as_str()));
    let said = fill(state.tr("{n} of {all} notes added"), &counts);
    // Places of other files mean other times here: that stays until it is read.
    if note.is_empty() { state.say(said, note) } else { state.report_problem(said, note) }
}
