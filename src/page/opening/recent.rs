//! What was opened before, for the welcome page: names, sizes, times, what was shown; and the way back where there is one.
//!
//! The list is a short text in the browser's store; handles stand in its database under the id of the opening.

use super::source::{self, Lost, Source};
use super::{Opening, choose, gather_addresses, gather_handles, open};
use crate::base::pairs;
use crate::base::words::fill;
use crate::navigation::fetched::without_login;
use crate::navigation::route::Route;
use crate::page::database::{self, Shelf};
use crate::page::save::store;
use crate::page::state::PageState;
use crate::ui::overlay::Toast;
use js_sys::{Array, Object};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};

/// How many are kept.
const MOST: usize = 8;

/// One remembered opening.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recent {
    pub id: String,
    /// Name of the file, or of the folder.
    pub name: String,
    pub files: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// When the last of its files was written, in milliseconds since 1970.
    pub modified: f64,
    /// When it was opened, in milliseconds since 1970.
    pub at: f64,
    /// What wrote it, a phrase of `base::words`; empty where that was not known yet.
    pub system: String,
    /// What was shown, as the part of an address behind `#`.
    pub place: String,
    /// Names and addresses of its files, where it came from there.
    pub addresses: Vec<(String, String)>,
    /// Whether the database has its handles.
    pub has_handles: bool,
}

/// The last opened, newest first.
pub fn list_recent() -> Vec<Recent> {
    store::read("recent").unwrap_or_default().lines().filter_map(of_line).collect()
}

/// One line is one opening, written as names and values in an address are.
fn of_line(line: &str) -> Option<Recent> {
    let pairs = pairs::split(line);
    let value = |name: &str| pairs.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone());
    let all =
        |name: &'static str| pairs.iter().filter(move |(n, _)| n == name).map(|(_, value)| value.clone());
    Some(Recent {
        // Older lines have none.
        id: value("id").or_else(|| value("at"))?,
        name: value("name")?,
        files: value("files")?.parse().ok()?,
        bytes: value("bytes")?.parse().ok()?,
        modified: value("modified").and_then(|at| at.parse().ok()).unwrap_or_default(),
        at: value("at")?.parse().ok()?,
        system: value("system").unwrap_or_default(),
        place: value("place").unwrap_or_default(),
        // Earlier versions kept them as they were given.
        addresses: all("path").zip(all("address").map(|url| without_login(&url))).collect(),
        has_handles: value("handles").is_some(),
    })
}

fn line(recent: &Recent) -> String {
    let numbers = [recent.files.to_string(), recent.bytes.to_string()];
    let times = [recent.modified.to_string(), recent.at.to_string()];
    let mut list = vec![
        ("id", recent.id.as_str()),
        ("name", &recent.name),
        ("files", &numbers[0]),
        ("bytes", &numbers[1]),
        ("modified", &times[0]),
        ("at", &times[1]),
        ("system", &recent.system),
        ("place", &recent.place),
    ];
    list.extend(
        recent.addresses.iter().flat_map(|(path, address)| [("path", path.as_str()), ("address", address)]),
    );
    list.extend(recent.has_handles.then_some(("handles", "1")));
    pairs::join(list)
}

/// Writes the list; handles of what is not in it any more go.
fn write(mut list: Vec<Recent>) {
    let over = list.split_off(list.len().min(MOST));
    store::write("recent", &list.iter().map(line).collect::<Vec<_>>().join("\n"));
    for gone in over.into_iter().filter(|recent| recent.has_handles) {
        drop_handles(gone.id);
    }
}

fn drop_handles(id: String) {
    leptos::task::spawn_local(async move {
        let _ = database::change(Shelf::Handles, &id, Box::new(|_| None)).await; // what is not there need not go
    });
}

/// What the files of an opening are called, how many they are, how large, and when the last was written.
fn measured(opening: &Opening) -> Option<Recent> {
    let (path, _) = opening.files.first()?;
    let name = if 1 < opening.files.len() { path.split('/').next() } else { path.rsplit('/').next() };
    Some(Recent {
        name: name.unwrap_or(path).to_owned(),
        files: opening.files.len() as u64,
        bytes: opening.files.iter().map(|(_, file)| file.size() as u64).sum(),
        modified: opening.files.iter().map(|(_, file)| file.last_modified()).fold(0.0, f64::max),
        ..Recent::default()
    })
}

/// Remembers what is opened; returns its id.
pub fn remember(opening: &Opening) -> String {
    let Some(now) = measured(opening) else { return String::new() };
    let mut list = list_recent();
    let addresses = match &opening.source {
        // The file of an address is made as it is fetched: its time says nothing.
        Source::Addresses(list) => list.clone(),
        _ => Vec::new(),
    };
    // What is opened once more; two files of one name stay apart where there is a way back to each.
    let is_again = |old: &Recent| {
        let is_unchanged = (old.files, old.bytes, old.modified) == (now.files, now.bytes, now.modified);
        old.id == opening.recent
            || old.name == now.name
                && match &opening.source {
                    Source::Addresses(list) => old.addresses == *list,
                    Source::Handles(_) => !old.has_handles && old.addresses.is_empty(),
                    Source::Files => old.addresses.is_empty() && (!old.has_handles || is_unchanged),
                }
    };
    let before = list.iter().position(is_again).map(|at| list.remove(at)).unwrap_or_default();
    let id = if before.id.is_empty() { format!("{:.0}", js_sys::Math::random() * 1e15) } else { before.id };
    let recent = Recent {
        id: id.clone(),
        at: js_sys::Date::now(),
        system: before.system,
        place: before.place,
        addresses,
        has_handles: before.has_handles,
        ..now
    };
    list.insert(0, recent);
    write(list);
    if let Source::Handles(handles) = &opening.source {
        leptos::task::spawn_local(keep_handles(id.clone(), handles.clone()));
    }
    id
}

/// Keeps handles, and forgets older openings of the same files.
async fn keep_handles(id: String, handles: Vec<Object>) {
    let all: Array = handles.iter().collect();
    let all: JsValue = all.into();
    if database::change(Shelf::Handles, &id, Box::new(move |_| Some(all.clone()))).await.is_err() {
        return; // without its handles it is listed by its name
    }
    let Some(own) = list_recent().into_iter().find(|recent| recent.id == id) else { return drop_handles(id) };
    change(&id, |recent| recent.has_handles = true);
    for old in list_recent().into_iter().filter(|old| old.has_handles && old.name == own.name && old.id != id)
    {
        if source::are_same(&handles_of(&old.id).await, &handles).await {
            forget(&old.id);
        }
    }
}

async fn handles_of(id: &str) -> Vec<Object> {
    let kept = database::read(Shelf::Handles, id).await;
    kept.map_or(Vec::new(), |list| Array::from(&list).iter().map(JsCast::unchecked_into).collect())
}

/// Changes what is known of an opening, if it is still listed.
fn change(id: &str, change: impl FnOnce(&mut Recent)) {
    let mut list = list_recent();
    if let Some(recent) = list.iter_mut().find(|recent| recent.id == id) {
        let before = recent.clone();
        change(recent);
        if *recent != before {
            write(list);
        }
    }
}

/// Keeps what is shown of an opening, and what wrote it.
pub fn keep(id: &str, system: String, place: String) {
    change(id, |recent| (recent.system, recent.place) = (system, place));
}

/// Forgets one opening.
pub fn forget(id: &str) {
    let mut list = list_recent();
    list.retain(|recent| recent.id != id);
    write(list);
    drop_handles(id.to_owned());
}

/// Forgets all of them.
pub fn forget_all() {
    write(Vec::new());
    leptos::task::spawn_local(async {
        let _ = database::clear(Shelf::Handles).await; // a browser that keeps nothing has nothing to forget
    });
}

/// Opens it again as it was seen: by its handles or addresses, else by letting the user choose it.
pub fn reopen(state: PageState, recent: Recent) {
    let place = (!recent.place.is_empty()).then(|| Route::parse(&recent.place));
    if !recent.addresses.is_empty() {
        return gather_addresses(state, recent.addresses, (recent.id, place));
    }
    if !recent.has_handles {
        return choose_again(state, recent, place);
    }
    leptos::task::spawn_local(async move {
        let handles = handles_of(&recent.id).await;
        if handles.is_empty() {
            return choose_again(state, recent, place);
        }
        if !source::may_read(&handles, true).await {
            return say_lost(state, &recent, &Lost::Denied);
        }
        let opened = move |gathered: Result<Opening, Lost>| match gathered {
            Ok(opening) => open_again(state, recent, place, opening),
            Err(lost) => say_lost(state, &recent, &lost),
        };
        gather_handles(state, handles, Box::new(opened));
    });
}

fn choose_again(state: PageState, recent: Recent, place: Option<Route>) {
    choose(state, 1 < recent.files, move |opening| {
        let is_it = measured(&opening).is_some_and(|now| now.name == recent.name);
        if is_it { open_again(state, recent, place, opening) } else { open(state, opening) }
    });
}

fn open_again(state: PageState, recent: Recent, place: Option<Route>, opening: Opening) {
    let now = measured(&opening).unwrap_or_default();
    open(state, Opening { recent: recent.id, place, ..opening });
    if (now.files, now.bytes, now.modified) != (recent.files, recent.bytes, recent.modified) {
        let words = state.tr("{name} has changed since it was last opened.");
        state.note(fill(words, &[("name", &recent.name)]));
    }
}

/// Says why files cannot be had again.
pub fn why(state: PageState, lost: &Lost) -> String {
    match lost {
        Lost::Gone => state.tr("It was moved, renamed or deleted.").to_owned(),
        Lost::Denied => {
            state.tr("The browser was not allowed to read it. Try again and allow it.").to_owned()
        }
        Lost::Unreadable(why) => why.clone(),
    }
}

fn say_lost(state: PageState, recent: &Recent, lost: &Lost) {
    let id = recent.id.clone();
    let remove = Callback::new(move |()| {
        forget(&id);
        state.forgotten.update(|n| *n += 1);
    });
    state.toasts.say(Toast {
        severity: "warning",
        title: fill(state.tr("Could not open {name}"), &[("name", &recent.name)]),
        note: why(state, lost),
        action: (*lost == Lost::Gone).then(|| (state.tr("Remove from list").to_owned(), remove)),
    });
}

/// How many days ago, by the calendar.
pub fn days_ago(at: f64) -> i64 {
    let midnight = |at: f64| {
        let date = js_sys::Date::new(&at.into());
        date.set_hours(0);
        date.set_minutes(0);
        date.set_seconds(0);
        date.set_milliseconds(0);
        date.get_time()
    };
    ((midnight(js_sys::Date::now()) - midnight(at)) / 86_400_000.0).round() as i64
}
