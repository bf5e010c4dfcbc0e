//! Opens files by their addresses: `?open=URL`, pasted addresses, samples. `?open=URL&baseline=URL` opens two documents
//! and compares them.
//!
//! Works for files of the same site and for servers that allow other pages to read (CORS). Nothing else is fetched.

use super::mapping::Found;
use super::source::{Lost, Source};
use super::{Opening, begin, end, tell};
use crate::base::number::thousands;
use crate::base::words::{fill, phrase};
use crate::base::{names, pairs};
use crate::browser::text_of;
use crate::navigation::fetched::{self, Came, Why, without_login};
use crate::navigation::route::Route;
use crate::page::state::{Gathering, PageState};
use crate::ui::Turn;
use crate::ui::overlay::Toast;
use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::RequestCache;

/// Names of the addresses that the page's own has of files.
pub const ASKED: [&str; 2] = ["open", "baseline"];

/// The addresses after `?open=` or another name, repeated for several files.
pub fn asked(of: &str) -> Vec<String> {
    let query = window().location().search().unwrap_or_default();
    pairs::split(&query)
        .into_iter()
        .filter(|(name, _)| name == of)
        .map(|(_, url)| without_login(&url))
        .collect()
}

/// Takes user names and passwords out of the page's own address: it is shown, kept and copied.
pub fn forget_logins() {
    let location = window().location();
    let [path, query, place] =
        [location.pathname(), location.search(), location.hash()].map(Result::unwrap_or_default);
    let before = pairs::split(&query);
    let bare = |(name, value): &(String, String)| {
        let is_address = ASKED.contains(&name.as_str());
        (name.clone(), if is_address { without_login(value) } else { value.clone() })
    };
    let after: Vec<_> = before.iter().map(bare).collect();
    if after != before
        && let Ok(history) = window().history()
    {
        let query = pairs::join(after.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        // A browser that refuses keeps what the user wrote.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("{path}?{query}{place}")));
    }
}

/// Fetches the files and opens them as one document.
pub(super) fn open_address(state: PageState, addresses: Vec<String>) {
    open_beside(state, addresses.iter().map(|url| without_login(url)).collect(), Vec::new());
}

/// The same, compared with another document of the files at `baseline`, when there are any.
pub fn open_beside(state: PageState, addresses: Vec<String>, baseline: Vec<String>) {
    let named = |list: Vec<String>| -> Vec<(String, String)> {
        let paths: Vec<String> = list.iter().map(|url| names::of_address(url)).collect();
        names::ends(&paths).into_iter().zip(list).collect()
    };
    gather(state, named(addresses), named(baseline), Default::default());
}

/// Fetches files that have names (path and address) and opens them as one document: one of the recent ones again, when it
/// has an id, as it was seen.
pub(super) fn gather_addresses(
    state: PageState,
    list: Vec<(String, String)>,
    again: (String, Option<Route>),
) {
    gather(state, list, Vec::new(), again);
}

fn gather(
    state: PageState,
    list: Vec<(String, String)>,
    baseline: Vec<(String, String)>,
    (recent, place): (String, Option<Route>),
) {
    let Some((first, _)) = list.first() else { return };
    let turn = begin(state, Gathering { name: first.clone(), bytes: Some((0, 0)), ..Gathering::default() });
    let names: Vec<String> = list.iter().map(|(name, _)| name.clone()).collect();
    leptos::task::spawn_local(async move {
        let Some(before) = fetch_all(state, turn, baseline.clone(), false).await else { return };
        let Some(files) = fetch_all(state, turn, list.clone(), false).await else { return };
        if end(state, turn) {
            let before = Opening { files: before, source: Source::Addresses(baseline), ..Opening::default() };
            let baseline = (!before.files.is_empty()).then(|| state.documents.open(before));
            super::open(state, Opening { files, source: Source::Addresses(list), recent, place });
            // What an address opens nobody has chosen by hand, and one name stands for all.
            if 1 < names.len() && names.iter().all(|name| !name.contains('/')) {
                let n = thousands(names.len() as i64);
                let text = fill(state.tr("{n} files opened together"), &[("n", &n)]);
                state.note(format!("{text}: {}", names.join(", ")));
            }
            if let (Some(baseline), Some(shown)) = (baseline, state.current.get_untracked()) {
                state.compare(baseline, shown);
            }
        }
    });
}

/// The files at all of these addresses, `is_fresh`: as they are now, whatever the browser has kept. `None` when it was
/// cancelled or one cannot be fetched, which is said.
pub(super) async fn fetch_all(
    state: PageState,
    turn: Turn,
    list: Vec<(String, String)>,
    is_fresh: bool,
) -> Option<Vec<Found>> {
    let cache = if is_fresh { RequestCache::NoCache } else { RequestCache::Default };
    let mut found = Vec::new();
    for (name, url) in list {
        match fetch(state, turn, &name, (&url, cache)).await {
            Ok(Some(file)) => found.push(file),
            Ok(None) => return None, // cancelled
            Err(why) => {
                if end(state, turn) {
                    // It stays: a large file may fail long after it was asked for.
                    let title = fill(state.tr("Could not fetch {name}"), &[("name", &name)]);
                    state.toasts.say(Toast { severity: "loss", ..Toast::note(title, why) });
                }
                return None;
            }
        }
    }
    Some(found)
}

/// An address as the browser reads it.
fn resolved(url: &str) -> Result<web_sys::Url, JsValue> {
    web_sys::Url::new_with_base(url, &document().base_uri()?.unwrap_or_default())
}

/// Why there is no answer from an address, and what to do instead.
fn without_answer(state: PageState, url: &str) -> String {
    let Ok(url) = resolved(url) else { return state.tr("This is not a valid address.").to_owned() };
    let page = window().location().origin().unwrap_or_default();
    let is_online = window().navigator().on_line();
    said(state, fetched::without_answer(&page, (&url.href(), &url.origin()), is_online))
}

/// Why an address cannot be fetched, and what to do instead.
fn said(state: PageState, (why, may_come): Why) -> String {
    let why = state.tr(why);
    if !may_come {
        return why.to_owned();
    }
    let gap = if why.ends_with('。') { "" } else { " " };
    format!("{why}{gap}{}", state.tr(phrase("Alternatively, download the file and drop it here.")))
}

/// Asks for an address.
async fn request(url: &str, cache: RequestCache, method: &str) -> Result<web_sys::Response, JsValue> {
    let options = web_sys::RequestInit::new();
    options.set_cache(cache);
    options.set_method(method);
    let response = JsFuture::from(window().fetch_with_str_and_init(&resolved(url)?.href(), &options)).await?;
    Ok(response.unchecked_into())
}

/// When the file of a response was changed, in milliseconds since 1970.
fn modified_of(response: &web_sys::Response) -> Option<f64> {
    let text = response.headers().get("last-modified").ok()??;
    Some(js_sys::Date::parse(&text)).filter(|time| time.is_finite())
}

/// What a server says of a file: its bytes, and when it was changed.
pub(super) async fn head_of(url: &str) -> Result<(Option<u64>, Option<f64>), Lost> {
    let response = request(url, RequestCache::NoStore, "HEAD").await.map_err(|error| Lost::of(&error))?;
    match response.status() {
        404 | 410 => return Err(Lost::Gone),
        _ if response.ok() => {}
        status => return Err(Lost::Unreadable(format!("{status} {}", response.status_text()))),
    }
    let modified = modified_of(&response);
    let (bytes, may_be_packed) = length_of(&response);
    Ok((bytes.filter(|_| !may_be_packed && modified.is_none()), modified))
}

fn header(response: &web_sys::Response, name: &str) -> Option<String> {
    response.headers().get(name).ok().flatten()
}

/// How long a server says that a file is, and whether that may be the length of packed bytes, which another origin does not
/// say.
fn length_of(response: &web_sys::Response) -> (Option<u64>, bool) {
    let is_packed = header(response, "content-encoding").is_some();
    let length = header(response, "content-length").filter(|_| !is_packed);
    (length.and_then(|n| n.parse().ok()), response.type_() != web_sys::ResponseType::Basic)
}

/// How many fetched bytes are handed to the browser at a time.
const FOLD: u64 = 4 << 20;

/// One file, read in pieces so that the page can say how far it is. `None` when it was cancelled.
async fn fetch(
    state: PageState,
    turn: Turn,
    name: &str,
    (url, cache): (&str, RequestCache),
) -> Result<Option<Found>, String> {
    let response = request(url, cache, "GET").await.map_err(|_| without_answer(state, url))?;
    if !response.ok() {
        let status = format!("{} {}", response.status(), response.status_text());
        return Err(format!("{}. {}", status.trim_end(), said(state, fetched::of_status(response.status()))));
    }
    let Some(body) = response.body() else { return Err(state.tr("The answer is empty.").to_owned()) };
    let (length, may_be_packed) = length_of(&response);
    let tell = |bytes| {
        tell(state, turn, |gathering| {
            name.clone_into(&mut gathering.name);
            gathering.bytes = Some((bytes, length.unwrap_or(0)));
        })
    };
    let read = read_body(&body, &tell).await.map_err(|error| text_of(&error))?;
    let Some((blobs, bytes, is_whole)) = read else { return Ok(None) };
    if !is_whole && bytes == 0 {
        return Err(without_answer(state, url));
    }
    let range = header(&response, "content-range");
    let came = Came { status: response.status(), bytes, is_whole, length, may_be_packed, range };
    if let Some(part) = came.part() {
        let title = fill(state.tr("Only a part of {name} came"), &[("name", name)]);
        let note = part.text(state.language.get_untracked()).into_owned();
        state.toasts.say(Toast { severity: "loss", ..Toast::note(title, note) });
    }
    let options = web_sys::FilePropertyBag::new();
    options.set_last_modified(modified_of(&response).unwrap_or_default());
    let file = web_sys::File::new_with_blob_sequence_and_options(&blobs, name, &options);
    Ok(Some((name.to_owned(), file.map_err(|error| text_of(&error))?)))
}

/// The pieces of an answer, how many bytes they have, and whether they end as they should. `None` when it was cancelled.
async fn read_body(
    body: &web_sys::ReadableStream,
    tell: &dyn Fn(u64) -> bool,
) -> Result<Option<(Array, u64, bool)>, JsValue> {
    let reader: web_sys::ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    // A file made of all bytes at the end would be copied in one long task.
    let (pieces, blobs) = (Array::new(), Array::new());
    let fold = || web_sys::Blob::new_with_u8_array_sequence(&pieces).map(|blob| blobs.push(&blob));
    let (mut done, mut folded) = (0_u64, 0_u64);
    let is_whole = loop {
        // Fails where the connection breaks.
        let Ok(piece) = JsFuture::from(reader.read()).await else { break false };
        let value = js_sys::Reflect::get(&piece, &JsValue::from_str("value"))?;
        let Ok(bytes) = value.dyn_into::<Uint8Array>() else { break true };
        done += u64::from(bytes.length());
        pieces.push(&bytes);
        if FOLD <= done - folded {
            fold()?;
            pieces.set_length(0);
            folded = done;
        }
        if !tell(done) {
            let _ = reader.cancel();
            return Ok(None);
        }
    };
    fold()?;
    Ok(Some((blobs, done, is_whole)))
}
