//! Logs of simulators that no format knows: opened with a mapping, which says how their lines are worded.
//!
//! A mapping is the value of a parameter, so it stands in the address. Saved ones are kept in the browser; a log that no
//! format knows is tried with each of them.

use super::source;
use crate::base::words::{fill, phrase, tr};
use crate::base::{order, pairs};
use crate::page::documents::{DocState, DocumentRow};
use crate::page::panel_part;
use crate::page::save::{save, store};
use crate::page::state::{PageState, Panel};
use crate::views::mapping::messages::{MAPPING, MappingQuery, Reply};
use crate::views::mapping::page::MappingInput;
use crate::wire::{Answer, Ask};
use futures_channel::oneshot;
use js_sys::{Array, Function, Promise};
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

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
    super::choose(state, false, move |opening| {
        let id = super::add(state, opening);
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
    Some(panel_part(state, Panel::Mapping(id), move |parts| (parts.mapping)(input)))
}

// Files out of what was dropped: folders are walked to their ends, with progress.

/// A file with its path below what was dropped.
pub type Found = (String, web_sys::File);

/// What a drop carries. Taken at once: after the event the browser forgets it.
pub struct Carried {
    entries: Vec<web_sys::FileSystemEntry>,
    files: Vec<web_sys::File>,
    /// What promises handles of all of it, where the browser has them.
    pub handles: Vec<Promise>,
}

/// Takes everything out of a drop.
pub fn carried(data: &web_sys::DataTransfer) -> Carried {
    let items = data.items();
    let mut entries = Vec::new();
    let mut files = Vec::new();
    for at in 0..items.length() {
        let Some(item) = items.get(at).filter(|item| item.kind() == "file") else { continue };
        match item.webkit_get_as_entry() {
            Ok(Some(entry)) => entries.push(entry),
            _ => files.extend(item.get_as_file().ok().flatten()),
        }
    }
    if entries.is_empty() && files.is_empty() {
        files = list_folder(data.files().as_ref());
    }
    Carried { entries, files, handles: source::dropped(&items) }
}

/// What was dropped before the program ran, which a script of the page kept; `None` when it was nothing.
pub fn dropped_early() -> Option<Carried> {
    let kept: Function = js_sys::Reflect::get(&window(), &"lanescopeDropped".into()).ok()?.dyn_into().ok()?;
    let kept: Array = kept.call0(&JsValue::NULL).ok()?.dyn_into().ok()?;
    let [entries, files, handles] = [0, 1, 2].map(|at| Array::from(&kept.get(at)));
    let carried = Carried {
        entries: entries.iter().map(JsCast::unchecked_into).collect(),
        files: files.iter().map(JsCast::unchecked_into).collect(),
        handles: handles.iter().map(JsCast::unchecked_into).collect(),
    };
    (!carried.entries.is_empty() || !carried.files.is_empty()).then_some(carried)
}

/// The files of a list.
pub fn list_folder(files: Option<&web_sys::FileList>) -> Vec<web_sys::File> {
    files.map_or(Vec::new(), |files| (0..files.length()).filter_map(|at| files.get(at)).collect())
}

/// The path a file has below what was picked: of a folder picker, or its name.
pub fn path_of(file: &web_sys::File) -> String {
    let below = js_sys::Reflect::get(file, &JsValue::from_str("webkitRelativePath"));
    below.ok().and_then(|p| p.as_string()).filter(|p| !p.is_empty()).unwrap_or_else(|| file.name())
}

/// Walks everything that was carried. `tell` hears how many files were found, and how many there are once all folders were
/// looked into, before that 0; when it says `false`, the walk ends.
pub async fn walk_folder(carried: Carried, tell: impl Fn(u64, u64) -> bool) -> Vec<Found> {
    let n_folders =
        |list: &[web_sys::FileSystemEntry]| list.iter().filter(|entry| entry.is_directory()).count();
    let mut found: Vec<Found> = carried.files.into_iter().map(|file| (path_of(&file), file)).collect();
    let mut waiting = carried.entries;
    waiting.reverse();
    let mut folders = n_folders(&waiting);
    while let Some(entry) = waiting.pop() {
        if entry.is_directory() {
            let folder: web_sys::FileSystemDirectoryEntry = entry.unchecked_into();
            let mut inside = inside(&folder).await;
            folders = folders + n_folders(&inside) - 1;
            order::sort_by_key(&mut inside, |entry| std::cmp::Reverse(entry.name()));
            waiting.extend(inside);
        } else if let Some(file) = file_of(entry.unchecked_ref()).await {
            found.push((entry.full_path().trim_start_matches('/').to_owned(), file));
        }
        let all = if folders == 0 { found.len() + waiting.len() } else { 0 };
        if !tell(found.len() as u64, all as u64) {
            return Vec::new();
        }
    }
    found
}

/// The entries of a folder. The reader gives them in pieces, until an empty one.
async fn inside(folder: &web_sys::FileSystemDirectoryEntry) -> Vec<web_sys::FileSystemEntry> {
    let reader = folder.create_reader();
    let mut all = Vec::new();
    loop {
        let promise = Promise::new(&mut |resolve: Function, reject: Function| {
            if reader.read_entries_with_callback_and_callback(&resolve, &reject).is_err() {
                let _ = reject.call0(&JsValue::NULL);
            }
        });
        // A folder that may not be read is like an empty one; the report says which files were opened.
        let Ok(piece) = JsFuture::from(promise).await else { return all };
        let piece: Array = piece.unchecked_into();
        if piece.length() == 0 {
            return all;
        }
        all.extend(piece.iter().map(JsCast::unchecked_into));
    }
}

async fn file_of(entry: &web_sys::FileSystemFileEntry) -> Option<web_sys::File> {
    let promise = Promise::new(&mut |resolve: Function, reject: Function| {
        entry.file_with_callback_and_callback(&resolve, &reject);
    });
    JsFuture::from(promise).await.ok().map(JsCast::unchecked_into)
}
