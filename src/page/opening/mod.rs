//! Every way into the page: drop, picker, paste, address, sample. All end in `open`.

pub mod address;
pub mod drop_zone;
pub mod folder;
pub mod mapping;
pub mod recent;
pub mod sample;

use super::state::{Gathering, PageState};
use crate::base::number::{file_size, thousands};
use crate::base::words::{fill, tr};
use crate::ui::latest::Turn;
use crate::wire::Progress;
use folder::{Carried, Found};
use leptos::prelude::*;

/// Opens files as one document and shows it. A second time adds a document to the list.
pub fn open(state: PageState, files: Vec<Found>) {
    if files.is_empty() {
        state.report_problem(state.tr("Nothing to open"), state.tr("No files found."));
        return;
    }
    recent::remember(&files);
    show(state, files);
}

fn show(state: PageState, files: Vec<Found>) {
    let id = state.documents.open(files);
    state.show(id);
    state.panel.set(None);
}

/// Opens a text that the page made itself, as a file of this name; it is not listed among the recent files, for nobody
/// has it.
pub fn open_made(state: PageState, name: &str, text: &str) {
    if let Ok(file) = web_sys::File::new_with_str_sequence(&js_sys::Array::of1(&text.into()), name) {
        show(state, vec![(name.to_owned(), file)]);
    }
}

/// Walks what was dropped, then opens it.
pub fn open_carried(state: PageState, carried: Carried) {
    let turn = begin(state, Gathering::default());
    leptos::task::spawn_local(async move {
        let found = folder::walk(carried, move |found, all| {
            tell(state, turn, |gathering| gathering.files = (found, all))
        });
        let found = found.await;
        if end(state, turn) {
            open(state, found);
        }
    });
}

/// Lets the user pick files, or a folder.
pub fn pick(state: PageState, folder: bool) {
    folder::pick(folder, move |found| {
        if !found.is_empty() {
            open(state, found);
        }
    });
}

/// What was pasted: files, an address, or the text of a trace.
pub fn paste(state: PageState, data: &web_sys::DataTransfer) -> bool {
    let files = folder::list(data.files().as_ref());
    if !files.is_empty() {
        open(state, files.into_iter().map(|file| (folder::path_of(&file), file)).collect());
        return true;
    }
    let text = data.get_data("text/plain").unwrap_or_default();
    let line = text.trim();
    if line.starts_with("https://") || line.starts_with("http://") {
        let list: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        address::open(state, list);
        return true;
    }
    if line.is_empty() {
        return false;
    }
    let name = if line.starts_with(['{', '[']) { "pasted.json" } else { "pasted.txt" };
    let Ok(file) = web_sys::File::new_with_str_sequence(&js_sys::Array::of1(&text.into()), name) else {
        return false;
    };
    open(state, vec![(name.to_owned(), file)]);
    true
}

/// Begins to collect files; what was being collected before is forgotten.
fn begin(state: PageState, gathering: Gathering) -> Turn {
    state.gathering.set(Some(gathering));
    state.gathered.begin()
}

/// Notes how far the collecting is; `false` when it was cancelled.
fn tell(state: PageState, turn: Turn, change: impl FnOnce(&mut Gathering)) -> bool {
    if !turn.is_latest() {
        return false;
    }
    state.gathering.update(|gathering| {
        if let Some(gathering) = gathering {
            change(gathering);
        }
    });
    true
}

/// Ends the collecting; `false` when it was cancelled.
fn end(state: PageState, turn: Turn) -> bool {
    if turn.is_latest() {
        state.gathering.set(None);
    }
    turn.is_latest()
}

/// Stops collecting.
pub fn cancel(state: PageState) {
    state.gathered.begin();
    state.gathering.set(None);
}

/// `123 of 2,000 files`, and how many were found while nobody knows of how many.
pub fn count(state: PageState, (done, all): (u64, u64)) -> String {
    let language = state.language.get();
    let [done, all] = [done, all].map(thousands);
    match all.as_str() {
        "0" => fill(tr(language, "{n} files found"), &[("n", &done)]),
        _ => fill(tr(language, "{done} of {n} files"), &[("done", &done), ("n", &all)]),
    }
}

/// How far the opening of a document is: in files while several are looked at, in bytes as far as these are known.
pub fn how_far(state: PageState, progress: &Progress) -> String {
    let has_files = 1 < progress.files.1;
    let files = has_files.then(|| count(state, progress.files));
    let has_bytes = !has_files || 0 < progress.done;
    let bytes = has_bytes.then(|| measure(state, progress.done, progress.total));
    files.into_iter().chain(bytes).collect::<Vec<_>>().join(" · ")
}

/// `312 of 503 MB`-like words of how far something is.
pub fn measure(state: PageState, done: u64, total: u64) -> String {
    if total == 0 {
        return file_size(done);
    }
    let words = tr(state.language.get(), "{done} of {total}");
    fill(words, &[("done", &file_size(done)), ("total", &file_size(total))])
}
