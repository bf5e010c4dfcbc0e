//! Files out of what was dropped: folders are walked to their ends, with progress.

use crate::base::order;
use gloo::events::EventListener;
use js_sys::{Array, Function, Promise};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// A file with its path below what was dropped.
pub type Found = (String, web_sys::File);

/// What a drop carries. Taken at once: after the event the browser forgets it.
pub struct Carried {
    entries: Vec<web_sys::FileSystemEntry>,
    files: Vec<web_sys::File>,
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
        files = list(data.files().as_ref());
    }
    Carried { entries, files }
}

/// What was dropped before the program ran, which a script of the page kept; `None` when it was nothing.
pub fn dropped_early() -> Option<Carried> {
    let kept: Function = js_sys::Reflect::get(&window(), &"lanescopeDropped".into()).ok()?.dyn_into().ok()?;
    let kept: Array = kept.call0(&JsValue::NULL).ok()?.dyn_into().ok()?;
    let [entries, files] = [0, 1].map(|at| Array::from(&kept.get(at)));
    let carried = Carried {
        entries: entries.iter().map(JsCast::unchecked_into).collect(),
        files: files.iter().map(JsCast::unchecked_into).collect(),
    };
    (!carried.entries.is_empty() || !carried.files.is_empty()).then_some(carried)
}

/// The files of a list.
pub fn list(files: Option<&web_sys::FileList>) -> Vec<web_sys::File> {
    files.map_or(Vec::new(), |files| (0..files.length()).filter_map(|at| files.get(at)).collect())
}

/// The path a file has below what was picked: of a folder picker, or its name.
pub fn path_of(file: &web_sys::File) -> String {
    let below = js_sys::Reflect::get(file, &JsValue::from_str("webkitRelativePath"));
    below.ok().and_then(|p| p.as_string()).filter(|p| !p.is_empty()).unwrap_or_else(|| file.name())
}

/// Walks everything that was carried. `tell` hears how many files were found, and how many there are once all folders were
/// looked into, before that 0; when it says `false`, the walk ends.
pub async fn walk(carried: Carried, tell: impl Fn(u64, u64) -> bool) -> Vec<Found> {
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

/// The window's picker, for files or for a whole folder; `take` gets what was chosen.
pub fn pick(folder: bool, take: impl FnOnce(Vec<Found>) + 'static) {
    let Ok(element) = document().create_element("input") else { return };
    let input: web_sys::HtmlInputElement = element.unchecked_into();
    input.set_type("file");
    input.set_multiple(true);
    if folder {
        let _ = input.set_attribute("webkitdirectory", "");
    }
    let chosen = input.clone();
    let on_change = move |_: &web_sys::Event| {
        let files = list(chosen.files().as_ref());
        take(files.into_iter().map(|file| (path_of(&file), file)).collect());
    };
    EventListener::once(&input, "change", on_change).forget();
    input.click();
}
