//! Every way into the page: drop, picker, paste, address, sample. All end in `open`.

mod address;
pub mod mapping;
pub mod recent;
pub mod source;
pub mod watch;

pub use address::{ASKED, asked, forget_logins, open_beside};

use super::state::{Gathering, PageState};
use crate::base::number::{file_size, thousands};
use crate::base::words::{fill, phrase, tr};
use crate::navigation::route::Route;
use crate::ui::{Turn, is_typing};
use crate::wire::Progress;
use address::{fetch_all, gather_addresses, head_of, open_address};
use js_sys::Object;
use leptos::ev;
use leptos::prelude::*;
use mapping::{Carried, Found};
use source::{Chosen, Lost, Source};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Files that become a document, and what is known of them.
#[derive(Clone, Default)]
pub struct Opening {
    pub files: Vec<Found>,
    pub source: Source,
    /// Id among the recent ones; empty where it is not listed there.
    pub recent: String,
    /// What is shown of it first.
    pub place: Option<Route>,
}

impl From<Vec<Found>> for Opening {
    fn from(files: Vec<Found>) -> Self {
        Self { files, ..Self::default() }
    }
}

/// Opens files as one document and shows it. A second time adds a document to the list.
pub fn open(state: PageState, opening: impl Into<Opening>) {
    let opening = opening.into();
    if opening.files.is_empty() {
        state.report_problem(state.tr("Nothing to open"), state.tr("No files found."));
        return;
    }
    if let Some(view) = opening.place.as_ref().and_then(|place| place.view.clone()) {
        state.asked_view.set(view.clone());
        state.view.set(view);
    }
    let id = add(state, opening);
    state.show(id);
    state.panel.set(None);
}

/// Opens files as one document among the others, and lists it among the recent ones; returns its number.
pub fn add(state: PageState, opening: Opening) -> u32 {
    let recent = recent::remember(&opening);
    state.documents.open(Opening { recent, ..opening })
}

/// Opens a text that the page made itself, as a file of this name; it is not listed among the recent files, for nobody
/// has it.
pub fn open_made(state: PageState, name: &str, text: &str) {
    if let Ok(file) = web_sys::File::new_with_str_sequence(&js_sys::Array::of1(&text.into()), name) {
        let id = state.documents.open(vec![(name.to_owned(), file)]);
        state.show(id);
        state.panel.set(None);
    }
}

/// Walks what was dropped, then opens it.
pub fn open_carried(state: PageState, mut carried: Carried) {
    let turn = begin(state, Gathering::default());
    let handles = std::mem::take(&mut carried.handles);
    leptos::task::spawn_local(async move {
        let source = source::of_dropped(handles).await;
        let found = mapping::walk_folder(carried, move |found, all| {
            tell(state, turn, |gathering| gathering.files = (found, all))
        });
        let files = found.await;
        if end(state, turn) {
            open(state, Opening { files, source, ..Opening::default() });
        }
    });
}

/// Lets the user choose files, or a folder, and opens them.
pub fn pick(state: PageState, folder: bool) {
    choose(state, folder, move |opening| open(state, opening));
}

/// Lets the user choose files, or a folder; `take` gets them, unless it were none.
pub fn choose(state: PageState, folder: bool, take: impl FnOnce(Opening) + 'static) {
    let take: Box<dyn FnOnce(Opening)> = Box::new(take);
    let opened = move |gathered: Result<Opening, Lost>| match gathered {
        Ok(opening) => take(opening),
        Err(lost) => state.report_problem(state.tr("Nothing to open"), recent::why(state, &lost)),
    };
    let chosen = move |chosen| match chosen {
        Chosen::Files(files) if files.is_empty() => {}
        Chosen::Files(files) => opened(Ok(files.into())),
        Chosen::Handles(handles) => gather_handles(state, handles, Box::new(opened)),
    };
    source::choose(folder, Box::new(chosen));
}

/// Looks for the files of handles; `take` gets them, or why they cannot be had.
fn gather_handles(state: PageState, handles: Vec<Object>, take: Box<dyn FnOnce(Result<Opening, Lost>)>) {
    let turn = begin(state, Gathering::default());
    leptos::task::spawn_local(async move {
        let tell = move |found| tell(state, turn, |gathering| gathering.files = (found, 0));
        let found = source::walk(&handles, &tell).await;
        if end(state, turn) {
            let source = Source::Handles(handles);
            take(found.map(|files| Opening { files, source, ..Opening::default() }));
        }
    });
}

/// What was pasted: files, an address, or the text of a trace.
pub fn paste(state: PageState, data: &web_sys::DataTransfer) -> bool {
    let files = mapping::list_folder(data.files().as_ref());
    if !files.is_empty() {
        open(state, files.into_iter().map(|file| (mapping::path_of(&file), file)).collect::<Vec<_>>());
        return true;
    }
    let text = data.get_data("text/plain").unwrap_or_default();
    let line = text.trim();
    if line.starts_with("https://") || line.starts_with("http://") {
        let list: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        open_address(state, list);
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

// The samples that stand beside the page: what they are, and how one is opened.

const FOLDER: &str = "samples";

/// One sample of `public/samples/index.json`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub id: String,
    /// English title, a phrase of `base::words`.
    pub title: String,
    /// What there is to see in it, a phrase of `base::words`.
    pub note: String,
    /// Its files, relative to the folder of samples; the part before the last `/` becomes part of the path.
    pub files: Vec<String>,
    /// Bytes of all files.
    pub bytes: u64,
    /// A miniature of 132 by 40: slice color 1 to 12 (0: waiting), x, y, width, height of each rectangle.
    pub picture: Vec<(u8, f32, f32, f32, f32)>,
}

/// The list of samples; empty when the page was built without them.
pub async fn list_samples() -> Vec<Sample> {
    read().await.unwrap_or_default()
}

async fn read() -> Option<Vec<Sample>> {
    let base = document().base_uri().ok()??;
    let url = web_sys::Url::new_with_base(&format!("{FOLDER}/index.json"), &base).ok()?.href();
    let response: web_sys::Response =
        JsFuture::from(window().fetch_with_str(&url)).await.ok()?.unchecked_into();
    if !response.ok() {
        return None;
    }
    let text = JsFuture::from(response.text().ok()?).await.ok()?.as_string()?;
    let list: js_sys::Array = js_sys::JSON::parse(&text).ok()?.dyn_into().ok()?;
    Some(list.iter().filter_map(|sample| of_value(&sample)).collect())
}

/// Read by the browser: the page itself needs no reader of JSON.
fn of_value(value: &JsValue) -> Option<Sample> {
    let member = |name: &str| js_sys::Reflect::get(value, &name.into()).ok();
    let text = |name: &str| member(name)?.as_string();
    let list = |name: &str| member(name)?.dyn_into::<js_sys::Array>().ok();
    let rect = |value: JsValue| {
        let numbers: js_sys::Array = value.dyn_into().ok()?;
        let number = |i: u32| numbers.get(i).as_f64();
        let px = |i: u32| number(i).map(|n| n as f32);
        Some((number(0)? as u8, px(1)?, px(2)?, px(3)?, px(4)?))
    };
    Some(Sample {
        id: text("id")?,
        title: text("title")?,
        note: text("note")?,
        files: list("files")?.iter().filter_map(|path| path.as_string()).collect(),
        bytes: member("bytes")?.as_f64()? as u64,
        picture: list("picture")?.iter().filter_map(rect).collect(),
    })
}

/// Opens a sample.
pub fn open_sample(state: PageState, sample: &Sample) {
    let files = sample.files.iter().map(|path| (path.clone(), format!("{FOLDER}/{path}")));
    gather_addresses(state, files.collect(), Default::default());
}

// The whole page is the target: files and folders dropped anywhere, pasted anywhere.

/// A paste so many milliseconds after the middle button was let go is its own.
const MIDDLE_MS: f64 = 300.0;

/// Listens for drops and pastes, and shows the target while files are held over the page.
#[component]
pub fn DropZone() -> impl IntoView {
    let state = PageState::of_context();
    listen(state);
    let title = move || {
        let n = state.held.get().unwrap_or(0);
        let words = match n {
            0 => phrase("Drop to open"),
            1 => phrase("Drop to open 1 file"),
            _ => phrase("Drop to open {n} files"),
        };
        fill(tr(state.language.get(), words), &[("n", &n.to_string())])
    };
    let note = move || {
        let name = state.row().map(|row| row.name.get());
        name.map(|name| fill(tr(state.language.get(), "It will open alongside {name}"), &[("name", &name)]))
    };
    view! {
        <Show when=move || state.held.with(Option::is_some)>
            <div class="drop" role="status">
                <div class="drop__frame">
                    <span class="drop__title">{title}</span>
                    <span class="drop__note">{note}</span>
                </div>
            </div>
        </Show>
    }
}

fn listen(state: PageState) {
    let over = window_event_listener(ev::dragover, move |event| {
        let Some(data) = event.data_transfer().filter(has_files) else { return };
        event.prevent_default();
        data.set_drop_effect("copy");
        let n = n_dropped(&data);
        if state.held.get_untracked() != Some(n) {
            state.held.set(Some(n));
        }
    });
    let leave = window_event_listener(ev::dragleave, move |event| {
        if event.related_target().is_none() {
            state.held.set(None); // out of the window, not into a child
        }
    });
    let drop = window_event_listener(ev::drop, move |event| {
        state.held.set(None);
        let Some(data) = event.data_transfer() else { return };
        event.prevent_default();
        if has_files(&data) {
            open_carried(state, mapping::carried(&data));
        } else {
            paste(state, &data);
        }
    });
    // Some systems paste when the middle button is let go, which drags here.
    let middle = StoredValue::new(f64::NEG_INFINITY);
    let release = window_event_listener(ev::pointerup, move |event| {
        if event.button() == 1 {
            middle.set_value(event.time_stamp());
        }
    });
    let paste = window_event_listener(ev::paste, move |event| {
        if is_typing(event.target()) || event.time_stamp() - middle.get_value() < MIDDLE_MS {
            return;
        }
        let Some(data) = event.clipboard_data() else { return };
        if paste(state, &data) {
            event.prevent_default();
        }
    });
    on_cleanup(move || {
        over.remove();
        leave.remove();
        drop.remove();
        paste.remove();
        release.remove();
    });
    if let Some(carried) = mapping::dropped_early() {
        open_carried(state, carried);
    }
}

fn has_files(data: &web_sys::DataTransfer) -> bool {
    data.types().iter().any(|kind| kind.as_string().as_deref() == Some("Files"))
}

fn n_dropped(data: &web_sys::DataTransfer) -> u32 {
    let items = data.items();
    (0..items.length()).filter_map(|at| items.get(at)).filter(|item| item.kind() == "file").count() as u32
}
