//! Opens files by their addresses: `?open=URL`, pasted addresses, samples. `?open=URL&baseline=URL` opens two documents
//! and compares them.
//!
//! Works for files of the same site and for servers that allow other pages to read (CORS). Nothing else is fetched.

use super::folder::Found;
use super::{begin, end, open as open_files, tell};
use crate::base::words::fill;
use crate::base::{names, pairs};
use crate::page::state::{Gathering, PageState};
use crate::ui::latest::Turn;
use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// The addresses after `?open=` or another name, repeated for several files.
pub fn asked(of: &str) -> Vec<String> {
    let query = window().location().search().unwrap_or_default();
    pairs::split(&query).into_iter().filter(|(name, _)| name == of).map(|(_, url)| url).collect()
}

/// Fetches the files and opens them as one document.
pub fn open(state: PageState, addresses: Vec<String>) {
    open_beside(state, addresses, Vec::new());
}

/// The same, compared with another document of the files at `baseline`, when there are any.
pub fn open_beside(state: PageState, addresses: Vec<String>, baseline: Vec<String>) {
    let paths: Vec<String> = addresses.iter().chain(&baseline).map(|url| path_of(url)).collect();
    // Files of one name keep the folders that tell them apart.
    let mut names = names::ends(&paths);
    let of_baseline = names.split_off(addresses.len());
    gather(
        state,
        names.into_iter().zip(addresses).collect(),
        of_baseline.into_iter().zip(baseline).collect(),
    );
}

/// Fetches files that have names (path and address) and opens them as one document.
pub fn open_named(state: PageState, list: Vec<(String, String)>) {
    gather(state, list, Vec::new());
}

fn gather(state: PageState, list: Vec<(String, String)>, baseline: Vec<(String, String)>) {
    let Some((first, _)) = list.first() else { return };
    let turn = begin(state, Gathering { name: first.clone(), bytes: Some((0, 0)), ..Gathering::default() });
    leptos::task::spawn_local(async move {
        let Some(before) = fetch_all(state, turn, baseline).await else { return };
        let Some(found) = fetch_all(state, turn, list).await else { return };
        if end(state, turn) {
            let baseline = (!before.is_empty()).then(|| state.documents.open(before));
            open_files(state, found);
            if let (Some(baseline), Some(shown)) = (baseline, state.current.get_untracked()) {
                state.compare(baseline, shown);
            }
        }
    });
}

/// The files at all of these addresses; `None` when it was cancelled or one cannot be fetched, which is said.
async fn fetch_all(state: PageState, turn: Turn, list: Vec<(String, String)>) -> Option<Vec<Found>> {
    let mut found = Vec::new();
    for (name, url) in list {
        match fetch(state, turn, &name, &url).await {
            Ok(Some(file)) => found.push(file),
            Ok(None) => return None, // cancelled
            Err(error) => {
                if end(state, turn) {
                    refuse(state, &name, &error);
                }
                return None;
            }
        }
    }
    Some(found)
}

fn refuse(state: PageState, name: &str, error: &JsValue) {
    let why = error.dyn_ref::<js_sys::Error>().map(|e| String::from(e.message()));
    let why = why.or_else(|| error.as_string()).unwrap_or_default();
    let title = fill(state.tr("Could not fetch {name}"), &[("name", name)]);
    let hint =
        state.tr("The server must allow cross-origin requests (CORS). Alternatively, download the file and drop it here.");
    state.report_problem(title, format!("{why} {hint}"));
}

/// An address without what is no path, as the path of its file.
fn path_of(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or(url).trim_end_matches('/');
    let decoded = js_sys::decode_uri_component(path).ok().map(String::from);
    decoded.filter(|n| !n.is_empty()).unwrap_or_else(|| url.to_owned())
}

/// One file, read in pieces so that the page can say how far it is. `None` when it was cancelled.
async fn fetch(state: PageState, turn: Turn, name: &str, url: &str) -> Result<Option<Found>, JsValue> {
    let base = document().base_uri()?.unwrap_or_default();
    let url = web_sys::Url::new_with_base(url, &base)?.href();
    let response: web_sys::Response = JsFuture::from(window().fetch_with_str(&url)).await?.unchecked_into();
    if !response.ok() {
        return Err(JsValue::from_str(&format!("{} {}.", response.status(), response.status_text())));
    }
    let total = response.headers().get("content-length")?.and_then(|n| n.parse().ok()).unwrap_or(0);
    let Some(body) = response.body() else { return Err(JsValue::from_str("The response is empty.")) };
    let reader: web_sys::ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let pieces = Array::new();
    let mut done = 0_u64;
    loop {
        let piece = JsFuture::from(reader.read()).await?;
        let value = js_sys::Reflect::get(&piece, &JsValue::from_str("value"))?;
        let Ok(bytes) = value.dyn_into::<Uint8Array>() else { break };
        done += u64::from(bytes.length());
        pieces.push(&bytes);
        let goes_on = tell(state, turn, |gathering| {
            name.clone_into(&mut gathering.name);
            gathering.bytes = Some((done, total));
        });
        if !goes_on {
            let _ = reader.cancel();
            return Ok(None);
        }
    }
    let file = web_sys::File::new_with_u8_array_sequence(&pieces, name)?;
    Ok(Some((name.to_owned(), file)))
}
