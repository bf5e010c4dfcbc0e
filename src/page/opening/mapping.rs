//! Logs of simulators that no format knows: opened with a mapping, which says how their lines are worded.
//!
//! A mapping is the value of a parameter, so it stands in the address. Saved ones are kept in the browser; a log that no
//! format knows is tried with each of them.

use super::folder;
use crate::base::pairs;
use crate::base::words::{fill, phrase, tr};
use crate::page::documents::{DocState, DocumentRow};
use crate::page::save::{save, store};
use crate::page::state::{PageState, Panel};
use crate::views::mapping::messages::{MAPPING, MappingQuery, Reply};
use crate::views::mapping::page::MappingInput;
use crate::views::parts::part;
use crate::wire::Answer;
use crate::wire::Ask;
use futures_channel::oneshot;
use leptos::prelude::*;
use std::time::Duration;

/// How often it is looked whether a worker can be asked by now, and how many times.
const PAUSE: Duration = Duration::from_millis(100);
const PAUSES: usize = 100;

/// Mappings of the page.
#[derive(Clone, Copy)]
pub struct Mappings {
    /// Those that are saved: name and text.
    saved: RwSignal<Vec<(String, String)>>,
    /// The one that is being made.
    draft: RwSignal<String>,
    /// Documents that were tried with the saved ones.
    tried: StoredValue<Vec<u32>>,
}

impl Default for Mappings {
    fn default() -> Self {
        let of_line = |line: &str| {
            let pairs = pairs::split(line);
            let value = |name: &str| Some(pairs.iter().find(|(own, _)| own == name)?.1.clone());
            Some((value("name")?, value("text")?))
        };
        let saved = store::read("mappings").unwrap_or_default().lines().filter_map(of_line).collect();
        Self { saved: RwSignal::new(saved), draft: RwSignal::default(), tried: StoredValue::default() }
    }
}

/// Keeps what is saved, and tries it on what no format knows.
pub fn follow(state: PageState) {
    let saved = state.mappings.saved;
    Effect::new(move |was: Option<()>| {
        let line = |(name, text): &(String, String)| pairs::join([("name", name.as_str()), ("text", text)]);
        let lines: Vec<String> = saved.with(|saved| saved.iter().map(line).collect());
        if was.is_some() {
            store::write("mappings", &lines.join("\n"));
        }
    });
    let failed = Memo::new(move |_| {
        let row = state.row()?;
        row.state.with(|state| matches!(state, DocState::Failed(_))).then_some(row.id)
    });
    Effect::new(move |_| {
        if let Some(row) = failed.get().and_then(|id| state.documents.row(id)) {
            leptos::task::spawn_local(try_saved(state, row));
        }
    });
}

/// Opens a log with the mapping that fits most of its lines, a saved one or that of the address, unless it was opened with
/// one already.
async fn try_saved(state: PageState, row: DocumentRow) {
    let saved = state.mappings.saved.get_untracked();
    let of_address = state.documents.mapping_left();
    let of_address = of_address.map(|text| (state.tr(phrase("from the address")).to_owned(), text));
    let was_tried = state.mappings.tried.with_value(|tried| tried.contains(&row.id));
    if was_tried || row.values.with_untracked(|values| values.contains_key(MAPPING)) {
        return;
    }
    state.mappings.tried.update_value(|tried| tried.push(row.id));
    let mut best: Option<(u64, (String, String))> = None;
    for (name, text) in of_address.into_iter().chain(saved) {
        let query = MappingQuery { text: text.clone(), file: None, only_matches: true };
        let Some(reply) = query_row(row, query).await else { continue };
        let accesses = reply.count("access");
        // Enough of the lines, and none that is not understood: a loose expression fits anything.
        let fits = reply.problem.is_none() && reply.wrong == 0 && 0 < accesses && reply.lines <= 4 * accesses;
        if fits && best.as_ref().is_none_or(|(most, _)| *most < accesses) {
            best = Some((accesses, (name, text)));
        }
    }
    let is_waiting = state.panel.try_get_untracked().is_some_and(|panel| panel.is_none());
    if let Some((_, (name, text))) = best.filter(|_| is_waiting) {
        let said = tr(state.language.get_untracked(), "Opened with the mapping {name}");
        state.say(
            fill(said, &[("name", &name)]),
            state.tr("Open the log with another mapping from the file menu."),
        );
        open_with(state, row, text);
    }
}

/// Opens the dialog for the document that is shown, where it may be meant; else for files that are picked.
pub fn ask(state: PageState) {
    let is_meant = |row: &DocumentRow| {
        row.state.with_untracked(|state| matches!(state, DocState::Failed(_)))
            || row.values.with_untracked(|values| values.contains_key(MAPPING))
    };
    if let Some(row) = untrack(|| state.row()).filter(is_meant) {
        return open(state, row);
    }
    folder::pick(false, move |found| {
        if found.is_empty() {
            return;
        }
        super::recent::remember(&found);
        let id = state.documents.open(found);
        state.show(id);
        if let Some(row) = state.documents.row(id) {
            open(state, row);
        }
    });
}

/// Opens the dialog for a document.
pub fn open(state: PageState, row: DocumentRow) {
    if let Some(text) = row.values.with_untracked(|values| values.get(MAPPING).cloned()) {
        state.mappings.draft.set(text);
    }
    state.panel.set(Some(Panel::Mapping(row.id)));
}

fn open_with(state: PageState, row: DocumentRow, text: String) {
    row.values.update(|values| drop(values.insert(MAPPING.to_owned(), text)));
    state.documents.reload(row.id);
}

/// Asks the worker of a document, as soon as it has one; a worker that hands its files to another is asked there again.
async fn query_row(row: DocumentRow, query: MappingQuery) -> Option<Reply> {
    for _ in 0..PAUSES {
        if let Some(link) = row.link() {
            match link.ask(query.query()).await.0 {
                Answer::Cancelled => return None,
                answer => {
                    if let Some(reply) = MappingQuery::answered(answer) {
                        return Some(reply);
                    }
                }
            }
        }
        let (sender, passed) = oneshot::channel();
        let pass = move || {
            let _ = sender.send(()); // whoever waits may be gone
        };
        set_timeout(pass, PAUSE);
        let _ = passed.await;
        row.state.try_get_untracked()?; // the document was closed
    }
    None
}

/// The dialog, as soon as its part of the program is loaded.
#[component]
pub fn MappingPanel(
    /// The document.
    id: u32,
) -> impl IntoView {
    let state = PageState::of_context();
    let row = state.documents.row(id)?;
    let input = MappingInput {
        name: row.name.into(),
        saved: state.mappings.saved,
        draft: state.mappings.draft,
        ask: Callback::new(move |query| -> crate::views::parts::LocalFuture<Option<Reply>> {
            Box::pin(query_row(row, query))
        }),
        open: Callback::new(move |text| open_with(state, row, text)),
        close: Callback::new(move |()| state.put_away(&Panel::Mapping(id))),
        save: Callback::new(move |(name, file): (String, web_sys::Blob)| {
            if save(&name, &file).is_err() {
                state.report_problem(name, "");
            }
        }),
    };
    let failed = move |sentence| {
        state.put_away(&Panel::Mapping(id));
        state.report_problem(state.tr(sentence), "");
        None
    };
    Some(part(move |parts| (parts.mapping)(input), failed))
}
