//! Files that change on disk while they are open: looked for where the user wants it, said, and read again on request.
//!
//! Only sizes and times are looked at, every two seconds, while the tab is seen; nothing is read again by itself. Files
//! without a way back (dropped or chosen in a browser without handles) give only their own bytes: of these one is read,
//! which browsers refuse once the file on disk is another one.

use super::mapping::Found;
use super::source::{self, Lost, Source};
use super::{Gathering, Opening, begin, choose, end, fetch_all, head_of, recent};
use crate::base::number::file_size;
use crate::base::words::{fill, phrase, tr};
use crate::page::documents::{DocState, DocumentRow};
use crate::page::state::PageState;
use crate::ui::overlay::Toast;
use gloo::events::EventListener;
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen_futures::JsFuture;

/// How often is looked.
const PAUSE: Duration = Duration::from_secs(2);

/// Documents of more files are not watched: to look at each would take longer than the pause.
const MOST: usize = 500;

/// Files without a way back that are tried.
const TRIED: usize = 16;

/// What is known of a document's files on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OnDisk {
    /// As they were opened, as far as is known.
    #[default]
    Same,
    /// Others than those that were opened.
    Changed(Sizes),
    /// Others at each look.
    Writing(Sizes),
    /// They cannot be had any more.
    Lost(Lost),
}

/// Bytes of all files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// When they were opened.
    pub opened: u64,
    pub now: u64,
}

/// Path, bytes and time of the last change of a file.
pub type Stamp = (String, u64, f64);

fn stamps(files: &[Found]) -> Vec<Stamp> {
    files.iter().map(|(path, file)| (path.clone(), file.size() as u64, file.last_modified())).collect()
}

fn sum(stamps: &[Stamp]) -> u64 {
    stamps.iter().map(|(_, bytes, _)| bytes).sum()
}

/// Looks at what is watched for as long as the page lives, and says why a document that failed cannot be read.
pub fn listen(state: PageState) {
    let look_at_watched = move || {
        if document().hidden() {
            return;
        }
        for row in state.documents.list.get_untracked() {
            if row.is_watched.get_untracked() {
                leptos::task::spawn_local(look(row));
            }
        }
    };
    set_interval(look_at_watched, PAUSE);
    // Whoever comes back to the tab may have changed the files meanwhile. Addresses are asked only where that is wanted.
    let look_at_shown = move |_: &web_sys::Event| {
        let row = untrack(|| state.row()).filter(|_| !document().hidden());
        let is_here =
            |row: &DocumentRow| row.source.with_value(|source| !matches!(source, Source::Addresses(_)));
        if let Some(row) = row.filter(is_here).filter(|row| row.files.with_value(Vec::len) <= MOST) {
            leptos::task::spawn_local(look(row));
        }
    };
    // The page lives as long as its window, so nothing takes the listener away.
    EventListener::new(&document(), "visibilitychange", look_at_shown).forget();
    listen_for_unreadable(state);
    let failed = Memo::new(move |_| {
        let row = state.row()?;
        row.state.with(|state| matches!(state, DocState::Failed(_) | DocState::Dead { .. })).then_some(row.id)
    });
    Effect::new(move |_| {
        if let Some(row) = failed.get().and_then(|id| state.documents.row(id)) {
            leptos::task::spawn_local(async move {
                look(row).await;
                if row.on_disk.try_get_untracked().is_some_and(|on_disk| on_disk != OnDisk::Same) {
                    warn(state, row);
                }
            });
        }
    });
}

/// Says it when a worker could not read its files again: what is shown of them from then on may lack something.
fn listen_for_unreadable(state: PageState) {
    let unreadable = Memo::new(move |_| {
        // One that failed is said by what listens for that.
        let is_meant = |row: &DocumentRow| {
            row.unreadable.with(Option::is_some) && row.state.with(|state| *state == DocState::Open)
        };
        state.documents.list.get().into_iter().filter(is_meant).map(|row| row.id).collect::<Vec<_>>()
    });
    Effect::new(move |before: Option<Vec<u32>>| {
        let ids = unreadable.get();
        let is_new = |id: &&u32| before.as_ref().is_none_or(|before| !before.contains(id));
        for row in ids.iter().filter(is_new).filter_map(|id| state.documents.row(*id)) {
            leptos::task::spawn_local(async move {
                look(row).await;
                let Some(why) = row.unreadable.try_get_untracked().flatten() else { return };
                if row.on_disk.get_untracked() == OnDisk::Same {
                    row.on_disk.set(OnDisk::Lost(Lost::Unreadable(why)));
                }
                warn(state, row);
            });
        }
        ids
    });
}

/// Looks once, unless somebody is at it.
async fn look(row: DocumentRow) {
    if row.is_looked_at.try_update_value(|is_looked_at| std::mem::replace(is_looked_at, true)) != Some(false)
    {
        return;
    }
    let opened = stamps(&row.files.get_value());
    let found = match row.source.get_value() {
        Source::Handles(handles) => stamps_of(&handles).await,
        Source::Addresses(list) => {
            let mut found = Vec::new();
            for ((path, address), (_, bytes, modified)) in list.iter().zip(&opened) {
                match head_of(address).await {
                    // What a server does not say has not changed.
                    Ok((size, time)) => {
                        found.push((path.clone(), size.unwrap_or(*bytes), time.unwrap_or(*modified)));
                    }
                    Err(lost) => return put(row, OnDisk::Lost(lost)),
                }
            }
            Ok(found)
        }
        Source::Files => tried(&row.files.get_value()).await.map(|()| opened.clone()),
    };
    let Some((before, files)) = row.seen.try_get_value().zip(row.files.try_get_value()) else { return };
    if stamps(&files) != opened {
        return put(row, OnDisk::Same); // they were read again meanwhile
    }
    let on_disk = found.map(|found| {
        let sizes = Sizes { opened: sum(&opened), now: sum(&found) };
        let on_disk = match () {
            () if !differ(&opened, &found) => OnDisk::Same,
            () if before == found => OnDisk::Changed(sizes),
            () => OnDisk::Writing(sizes),
        };
        row.seen.set_value(found);
        on_disk
    });
    put(row, on_disk.unwrap_or_else(OnDisk::Lost));
}

/// Keeps what was found, unless the document was closed meanwhile.
fn put(row: DocumentRow, on_disk: OnDisk) {
    row.is_looked_at.try_set_value(false);
    if row.on_disk.try_get_untracked().is_some_and(|before| before != on_disk) {
        row.on_disk.set(on_disk);
    }
}

async fn stamps_of(handles: &[js_sys::Object]) -> Result<Vec<Stamp>, Lost> {
    if !source::may_read(handles, false).await {
        return Err(Lost::Denied);
    }
    let found = source::walk(handles, &|_| true).await?;
    if found.is_empty() { Err(Lost::Gone) } else { Ok(stamps(&found)) }
}

/// Whether a file that was opened is another one now or is gone, or a later one is there.
fn differ(opened: &[Stamp], found: &[Stamp]) -> bool {
    let newest = opened.iter().map(|(.., modified)| *modified).fold(0.0, f64::max);
    let is_other = |old: &Stamp| !found.contains(old);
    let is_new = |new: &Stamp| newest < new.2 && opened.iter().all(|old| old.0 != new.0);
    opened.iter().any(is_other) || found.iter().any(is_new)
}

/// Reads a byte of each file.
async fn tried(files: &[Found]) -> Result<(), Lost> {
    for (_, file) in files.iter().filter(|(_, file)| 0.0 < file.size()).take(TRIED) {
        let Ok(first) = file.slice_with_i32_and_i32(0, 1) else { continue };
        if let Err(error) = JsFuture::from(first.array_buffer()).await {
            return Err(Lost::of(&error));
        }
    }
    Ok(())
}

/// Begins or ends to watch the shown document.
pub fn toggle(state: PageState) {
    let Some(row) = untrack(|| state.row()) else { return };
    if MOST < row.files.with_value(Vec::len) {
        let words = state.tr("At most {n} files can be watched.");
        return state.report_problem(fill(words, &[("n", &MOST.to_string())]), "");
    }
    row.is_watched.update(|is_watched| *is_watched = !*is_watched);
    if row.is_watched.get_untracked() {
        leptos::task::spawn_local(look(row));
    }
}

/// Reads the files of a document as they are now; window, selection and filters stay.
pub fn reopen(state: PageState, id: u32) {
    let Some(row) = state.documents.row(id) else { return };
    let files = row.files.get_value();
    leptos::task::spawn_local(async move {
        let source = row.source.get_value();
        let found = match &source {
            Source::Handles(handles) if source::may_read(handles, true).await => {
                source::walk(handles, &|_| true).await
            }
            Source::Handles(_) => Err(Lost::Denied),
            Source::Addresses(list) => {
                let name = row.name.get_untracked();
                let turn = begin(state, Gathering { name, bytes: Some((0, 0)), ..Gathering::default() });
                let Some(found) = fetch_all(state, turn, list.clone(), true).await else { return };
                if !end(state, turn) {
                    return;
                }
                Ok(found)
            }
            Source::Files => tried(&files).await.map(|()| files),
        };
        match found {
            Ok(files) if !files.is_empty() => {
                state.documents.replace(id, &Opening { files, source, ..Opening::default() });
            }
            Ok(_) => lose(state, row, Lost::Gone),
            Err(lost) => lose(state, row, lost),
        }
    });
}

/// What is open stays as it is; why it cannot be read again is said.
fn lose(state: PageState, row: DocumentRow, lost: Lost) {
    put(row, OnDisk::Lost(lost));
    warn(state, row);
}

/// Lets the user choose the files of a document once more.
pub fn choose_again(state: PageState, id: u32) {
    let Some(row) = state.documents.row(id) else { return };
    let folder = untrack(|| row.n_loose()) == 0 && 1 < row.files.with_value(Vec::len);
    choose(state, folder, move |opening| state.documents.replace(id, &opening));
}

fn warn(state: PageState, row: DocumentRow) {
    let Some(on_disk) = row.on_disk.try_get_untracked() else { return };
    let has_way = has_way(row, &on_disk);
    let (title, act) =
        if has_way { (REOPEN, reopen as fn(PageState, u32)) } else { (CHOOSE, choose_again as _) };
    state.toasts.say(Toast {
        severity: "loss",
        title: row.name.get_untracked(),
        note: said(state, row, &on_disk),
        action: Some((state.tr(title).to_owned(), Callback::new(move |()| act(state, row.id)))),
    });
}

/// On the button that reads files again.
pub const REOPEN: &str = phrase("Reopen");
/// On the button that lets the user choose them.
pub const CHOOSE: &str = phrase("Choose again…");

/// Whether the files can be read again without being chosen again.
pub fn has_way(row: DocumentRow, on_disk: &OnDisk) -> bool {
    match on_disk {
        OnDisk::Lost(Lost::Denied) => row.source.with_value(|source| *source != Source::Files),
        OnDisk::Lost(_) => row.source.with_value(|source| matches!(source, Source::Addresses(_))),
        _ => true,
    }
}

/// What the status bar says of files on disk; empty while they are the same.
pub fn said(state: PageState, row: DocumentRow, on_disk: &OnDisk) -> String {
    let language = state.language.get();
    let sizes = |words, sizes: &Sizes| {
        let [opened, now] = [sizes.opened, sizes.now].map(file_size);
        fill(tr(language, words), &[("opened", &opened), ("now", &now)])
    };
    match on_disk {
        OnDisk::Same => String::new(),
        OnDisk::Changed(of) | OnDisk::Writing(of) if of.now < of.opened => {
            sizes(phrase("Shorter on disk: {now}, opened with {opened}; it may be being written anew"), of)
        }
        OnDisk::Changed(of) if of.now == of.opened => tr(language, phrase("Changed on disk")).to_owned(),
        OnDisk::Changed(of) => sizes(phrase("Changed on disk: {now}, opened with {opened}"), of),
        OnDisk::Writing(of) => sizes(phrase("Being written: {now} so far, opened with {opened}"), of),
        OnDisk::Lost(Lost::Unreadable(_)) if row.source.with_value(|source| *source == Source::Files) => {
            tr(language, phrase("Changed on disk: the browser cannot read it any more")).to_owned()
        }
        OnDisk::Lost(lost) => recent::why(state, lost),
    }
}

impl crate::page::documents::Documents {
    /// Reads other files in place of those of a document, and of the others of its project; each is seen as it was.
    pub fn replace(self, id: u32, opening: &Opening) {
        let Some(of) = self.row(id) else { return };
        for row in self.list.get_untracked().into_iter().filter(|row| row.project == of.project) {
            row.files.set_value(opening.files.clone());
            row.source.set_value(opening.source.clone());
            row.bytes.set(opening.files.iter().map(|(_, file)| file.size() as u64).sum());
            row.on_disk.set(OnDisk::Same);
            row.seen.set_value(Vec::new());
            row.notes.set(None); // other bytes may have others
            self.reload(row.id);
        }
    }
}
