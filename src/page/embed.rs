//! The page inside of another: what an embedding page may say to it by `postMessage`, and what it is told.
//!
//! ```text
//! to the page                                             from the page
//! ─────────────────────────────────────────────           ──────────────────────────────────────────────────
//!                                                         {lanescope: {ready: {version: 1}}}   once, at the start
//! {lanescope: {open: [{name, data}, …], id}}              {lanescope: {opened: {document, name, result, requestId}}}
//! {lanescope: request or [request, …], document}          {lanescope: answer or [answer, …]}
//! {lanescope: {go: "#view=…", document, id}}              {lanescope: {went: {document, result, requestId}}}
//! {lanescope: {set: {view, window}, document, id}}        {lanescope: {went: {document, result, requestId}}}
//! {lanescope: {subscribe: true}}                          {lanescope: {changed: {document, name, what, address, view, window, selection}}}
//! ```
//! `data` is a `File`, a `Blob`, an `ArrayBuffer` or a view of one; files of one message are one document, which is shown.
//! Requests are those of `export::request`, as objects; they are about `document`, or the one that is shown.
//!
//! `go` leads to a place of a document, by the part of an address behind `#`; what it does not say stays, but for what is
//! chosen, and the browser's back button comes back. `set` changes the view, the window, or both, and nothing else.
//!
//! Whoever subscribed hears at once what is shown, and again 100 ms after the last of changes: `what` lists which of `document`,
//! `view`, `window` and `selection` are others; `{subscribe: false}` ends it. `window` is `{start, duration}` in ticks of the
//! document's clock, `null` for the whole; `selection` is `{slice: {name, track, start}, range: {start, end}, line: {path, line},
//! figure}`, each `null` where nothing is chosen. Numbers beyond 2⁵³ are rounded: `address` has all to the last digit, and
//! `start` may be a text of digits.
//!
//! Whatever else is said is answered as a request that failed: `error` names what was expected. Only what such a page says
//! itself, one in another, is not.
//!
//! Nothing is fetched and nothing leaves the browser but to who asked: answers and what is subscribed to go to the window that sent the message, and
//! only as long as it is of the same origin. A page of another origin gets answers about the documents that it handed over
//! itself, not about those that the user opened here. Senders without an origin (`null`) are not heard.

use super::documents::DocState;
use super::opening::mapping::Found;
use super::route;
use super::state::PageState;
use crate::base::window::Window;
use crate::navigation::route::{Route, SliceAddress};
use crate::wire::{Answer, Query};
use gloo::timers::callback::Timeout;
use js_sys::{Array, JSON, Object, Reflect};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

/// Version of these messages.
const VERSION: u32 = 1;

/// Those who subscribed hear of a change this long after the last one.
const PAUSE_MS: u32 = 100;

/// A document that another page handed over.
struct EmbeddedDocument {
    document: u32,
    from: Sender,
    /// What it is told when the document is open, or cannot be; `None` when it was told.
    request_id: Option<JsValue>,
}

/// Who hears of changes, and of what it has heard: the document's number, and what is shown of it.
struct Subscriber {
    sender: Sender,
    heard: Option<(u32, Route)>,
}

/// Who sent a message.
#[derive(Clone)]
struct Sender {
    window: web_sys::Window,
    origin: String,
}

type EmbeddedDocuments = StoredValue<Vec<EmbeddedDocument>, LocalStorage>;
type Subscribers = StoredValue<Vec<Subscriber>, LocalStorage>;

/// Listens for as long as the page lives, and says that it does.
pub fn listen(state: PageState) {
    let guests: EmbeddedDocuments = StoredValue::new_local(Vec::new());
    let subscribers: Subscribers = StoredValue::new_local(Vec::new());
    let listener =
        window_event_listener(leptos::ev::message, move |event| hear(state, (guests, subscribers), &event));
    on_cleanup(move || listener.remove());
    Effect::new(move |_| report_opened(state, guests));
    let timer = StoredValue::new_local(None::<Timeout>);
    Effect::new(move |_| {
        let shown = shown(state);
        // The one before is cancelled when it is dropped.
        timer.set_value(Some(Timeout::new(PAUSE_MS, move || {
            if let Some((document, place)) = &shown {
                tell(state, (guests, subscribers), *document, place);
            }
        })));
    });
    let ready = object(&[("ready", object(&[("version", VERSION.into())]))]);
    let me = JsValue::from(window());
    let around = window().parent().ok().flatten().map(JsValue::from);
    for other in [around, window().opener().ok()].into_iter().flatten() {
        if other.is_object() && !Object::is(&other, &me) {
            // It says nothing about documents, so that anyone may hear it.
            let other: web_sys::Window = other.unchecked_into();
            let _ = other.post_message(&object(&[("lanescope", ready.clone())]), "*");
        }
    }
}

fn hear(
    state: PageState,
    (guests, subscribers): (EmbeddedDocuments, Subscribers),
    event: &web_sys::MessageEvent,
) {
    let data = event.data();
    let said = member(&data, "lanescope");
    let Some(window) = event.source() else { return };
    // A window of another origin is no instance of our Window; whatever it is, it takes messages.
    let from = Sender { window: window.unchecked_into(), origin: event.origin() };
    if said.is_undefined() || from.origin.is_empty() || from.origin == "null" || is_own(&said) {
        return;
    }
    let has = |name: &str| !member(&said, name).is_undefined();
    if has("open") {
        open(state, guests, from, &said);
    } else if has("subscribe") {
        match member(&said, "subscribe").as_bool() {
            Some(is_wanted) => subscribe(state, (guests, subscribers), from, is_wanted),
            None => from.say(&refused(&said, ("wrong-parameter", "Expected subscribe: true or false."))),
        }
    } else if has("go") || has("set") {
        let went = document_of(&said)
            .and_then(|document| lead(state, allowed(state, guests, &from, document), &said));
        let requested = ("requestId", member(&said, "id"));
        from.say(&match went {
            Ok(document) => object(&[(
                "went",
                object(&[("document", document.into()), ("result", true.into()), requested]),
            )]),
            Err((code, message)) => {
                let error = object(&[("code", code.into()), ("message", message.into())]);
                let went =
                    [("document", JsValue::NULL), ("result", false.into()), requested, ("error", error)];
                object(&[("went", object(&went))])
            }
        });
    } else {
        match document_of(&data).and_then(|document| is_request(&said).map(|()| document)) {
            Ok(document) => answer(state, guests, from, said, document),
            Err(wrong) => from.say(&refused(&said, wrong)),
        }
    }
}

/// A code and a sentence that says what was expected.
type Wrong = (&'static str, &'static str);

/// Why no document can be asked.
const NOT_OPEN: Wrong = ("not-open", "No accessible document is open.");

/// Whether pages like this one say such a thing: two of them would answer each other without end.
fn is_own(said: &JsValue) -> bool {
    let first = if Array::is_array(said) { Array::from(said).get(0) } else { said.clone() };
    let has = |name: &str| !member(&first, name).is_undefined();
    ["ready", "opened", "went", "changed"].into_iter().any(has) || member(&first, "type") == "response"
}

/// The number of the document that something is about, where it says one.
fn document_of(said: &JsValue) -> Result<Option<u32>, Wrong> {
    let document = member(said, "document");
    if document.is_undefined() || document.is_null() {
        return Ok(None);
    }
    let number = document.as_f64().filter(|n| n.fract() == 0.0 && (0.0..4_294_967_296.0).contains(n));
    number.map(|n| Some(n as u32)).ok_or(("wrong-parameter", "Expected document: the number of a document."))
}

/// Whether something may be a request, or a list of them.
fn is_request(said: &JsValue) -> Result<(), Wrong> {
    if !said.is_object() {
        let expected = "Expected an object with open, go, set, subscribe or command, or a list of requests.";
        return Err(("not-a-request", expected));
    }
    if Array::is_array(said) || member(said, "command").is_string() {
        return Ok(());
    }
    Err(("missing-parameter", "Expected open, go, set, subscribe, or command: the name of a request."))
}

/// Leads to a place of a document, or changes its view and window. Returns the document's number, or a code and a sentence.
fn lead(state: PageState, id: Option<u32>, said: &JsValue) -> Result<u32, Wrong> {
    let row = id.and_then(|id| state.documents.row(id));
    let row = row.ok_or(NOT_OPEN)?;
    if let Some(address) = member(said, "go").as_string() {
        state.show(row.id);
        match row.context.get_untracked() {
            Some(context) => context.visit.run(address),
            None => row.place.set_value(Some(Route::parse(&address))),
        }
        return Ok(row.id);
    }
    let set = member(said, "set");
    let context = row.context.get_untracked().filter(|_| set.is_object());
    let context = context.ok_or((
        "no-place",
        "Expected go: an address behind #, or set: {view, window} of an open document.",
    ))?;
    let (view, window) = (member(&set, "view"), member(&set, "window"));
    let has_view = !view.is_undefined() && !view.is_null();
    if !has_view && window.is_undefined() {
        return Err(("no-place", "Expected set: {view, window}, or one of them."));
    }
    if has_view && !view.is_string() {
        return Err(("no-view", "Expected view: the name of a view."));
    }
    let window = read_window(&window)?;
    state.show(row.id);
    if let Some(view) = view.as_string() {
        if untrack(|| state.views()).iter().all(|known| known.id != view) {
            return Err(("no-view", "The document has no such view."));
        }
        state.view.set(view);
    }
    match window {
        Wanted::Same => {}
        Wanted::Whole => context.window.set(None),
        Wanted::Window(window) => context.window.set(Some(window)),
    }
    Ok(row.id)
}

/// The window that a message wants.
enum Wanted {
    Same,
    Whole,
    Window(Window),
}

fn read_window(said: &JsValue) -> Result<Wanted, Wrong> {
    if said.is_undefined() || said.is_null() {
        return Ok(if said.is_null() { Wanted::Whole } else { Wanted::Same });
    }
    let start = member(said, "start");
    let start = start.as_string().and_then(|digits| digits.parse().ok()).or(start.as_f64().map(|n| n as i64));
    let dur = member(said, "duration").as_f64().filter(|dur| dur.is_finite() && 0.0 < *dur);
    let window = start.zip(dur).map(|(start, dur)| Wanted::Window(Window::new(start, 0.0, dur)));
    window.ok_or(("no-window", "Expected window: {start, duration} in ticks, or null."))
}

/// What is shown, of the document of this number.
fn shown(state: PageState) -> Option<(u32, Route)> {
    let row = state.row()?;
    let view = state.shown_view().map(|view| view.id.to_owned());
    Some((row.id, Route { view, ..route::place_of(row)? }))
}

fn subscribe(
    state: PageState,
    (guests, subscribers): (EmbeddedDocuments, Subscribers),
    from: Sender,
    is_wanted: bool,
) {
    subscribers.update_value(|all| all.retain(|other| !Object::is(&other.sender.window, &from.window)));
    if is_wanted {
        subscribers.update_value(|all| all.push(Subscriber { sender: from, heard: None }));
        if let Some((document, place)) = untrack(|| shown(state)) {
            tell(state, (guests, subscribers), document, &place);
        }
    }
}

/// Tells those who subscribed what is shown, as far as it is another place than they have heard of and they may know of it.
fn tell(
    state: PageState,
    (guests, subscribers): (EmbeddedDocuments, Subscribers),
    document: u32,
    place: &Route,
) {
    let Some(row) = state.documents.row(document) else { return };
    let said = |what: Array| {
        let selection = &place.selection;
        let time = |t: i64| JsValue::from(t as f64);
        let of_slice = |slice: &SliceAddress| match slice {
            SliceAddress::Named(slice) => object(&[
                ("name", slice.name.as_str().into()),
                ("track", slice.track.as_str().into()),
                ("start", time(slice.start)),
            ]),
            SliceAddress::Row(_) => JsValue::NULL,
        };
        let window =
            |window: Window| object(&[("start", time(window.start)), ("duration", window.dur.into())]);
        let line = |(path, line): &(String, u32)| {
            object(&[("path", path.as_str().into()), ("line", (*line).into())])
        };
        let chosen = object(&[
            ("slice", place.slice.as_ref().map_or(JsValue::NULL, of_slice)),
            (
                "range",
                selection.range.map_or(JsValue::NULL, |range| {
                    object(&[("start", time(range.start)), ("end", time(range.end))])
                }),
            ),
            ("line", selection.line.as_ref().map_or(JsValue::NULL, line)),
            ("figure", selection.figure.as_ref().map_or(JsValue::NULL, |(id, _)| id.as_str().into())),
        ]);
        object(&[(
            "changed",
            object(&[
                ("document", document.into()),
                ("name", row.name.get_untracked().into()),
                ("what", what.into()),
                ("address", format!("#{}", place.text()).into()),
                ("view", place.view.as_deref().map_or(JsValue::NULL, JsValue::from)),
                ("window", place.window.map_or(JsValue::NULL, window)),
                ("selection", chosen),
            ]),
        )])
    };
    subscribers.update_value(|all| {
        for subscriber in all.iter_mut() {
            let may_know = allowed(state, guests, &subscriber.sender, Some(document)).is_some();
            let what = what_changed(subscriber.heard.as_ref(), (document, place));
            if may_know && 0 < what.length() {
                subscriber.sender.say(&said(what));
                subscriber.heard = Some((document, place.clone()));
            }
        }
    });
}

/// What is chosen at a place, without what leads there.
fn chosen(place: &Route) -> impl PartialEq + '_ {
    let of = &place.selection;
    (&place.slice, of.range, &of.tracks, &of.line, of.address, &of.figure)
}

/// What is another one than what was heard.
fn what_changed(heard: Option<&(u32, Route)>, (document, place): (u32, &Route)) -> Array {
    let before = heard.filter(|heard| heard.0 == document).map(|heard| &heard.1);
    let differs = [
        ("document", before.is_none()),
        ("view", before.is_none_or(|before| before.view != place.view)),
        ("window", before.is_none_or(|before| before.window != place.window)),
        ("selection", before.is_none_or(|before| chosen(before) != chosen(place))),
    ];
    differs.into_iter().filter(|(_, differs)| *differs).map(|(what, _)| JsValue::from(what)).collect()
}

/// Opens what was handed over; whether it worked is told later.
fn open(state: PageState, guests: EmbeddedDocuments, from: Sender, said: &JsValue) {
    let request_id = member(said, "id");
    let handed = member(said, "open");
    let list = if Array::is_array(&handed) { Array::from(&handed) } else { Array::of1(&handed) };
    let files: Vec<Found> = list.iter().filter_map(|item| file(&item)).collect();
    if files.is_empty() || files.len() < list.length() as usize {
        let why = "Expected open: [{name, data}] with a File, Blob, ArrayBuffer or typed array as data.";
        return from.report_opened(None, "", Err(why), &request_id);
    }
    let document = state.documents.open(files);
    state.show(document);
    state.panel.set(None);
    guests.update_value(|guests| {
        guests.push(EmbeddedDocument { document, from, request_id: Some(request_id) });
    });
}

/// One file of such a message.
fn file(item: &JsValue) -> Option<Found> {
    let data = member(item, "data");
    let is_bytes = data.is_instance_of::<web_sys::Blob>()
        || data.is_instance_of::<js_sys::ArrayBuffer>()
        || js_sys::ArrayBuffer::is_view(&data);
    let own_name = data.dyn_ref::<web_sys::File>().map(web_sys::File::name);
    let name = member(item, "name").as_string().or(own_name).filter(|name| !name.is_empty());
    if !is_bytes {
        return None;
    }
    let name = name.unwrap_or_else(|| "file".to_owned());
    let last = name.rsplit('/').next().unwrap_or(&name);
    let file = web_sys::File::new_with_blob_sequence(&Array::of1(&data), last).ok()?;
    Some((name, file))
}

/// Tells senders what became of their documents.
fn report_opened(state: PageState, guests: EmbeddedDocuments) {
    let rows = state.documents.list.get();
    let states: Vec<_> = rows.iter().map(|row| (row.id, row.name.get(), row.state.get())).collect();
    guests.update_value(|guests| {
        for guest in guests.iter_mut() {
            let row = states.iter().find(|(id, ..)| *id == guest.document);
            let outcome = match row.map(|(_, _, state)| state) {
                Some(DocState::Loading(_)) => continue,
                Some(DocState::Open) => Ok(()),
                Some(DocState::Failed(report)) => Err(report.text.as_str()),
                Some(DocState::Dead { message, .. }) => Err(message.as_str()),
                None => Err("The document was closed."),
            };
            let name = row.map_or("", |(_, name, _)| name.as_str());
            if let Some(request_id) = guest.request_id.take() {
                guest.from.report_opened(Some(guest.document), name, outcome, &request_id);
            }
        }
        guests.retain(|guest| states.iter().any(|(id, ..)| *id == guest.document));
    });
}

/// Answers requests about a document that the sender may ask about.
fn answer(
    state: PageState,
    guests: EmbeddedDocuments,
    from: Sender,
    requests: JsValue,
    document: Option<u32>,
) {
    let context = allowed(state, guests, &from, document)
        .and_then(|id| state.documents.row(id))
        .and_then(|row| row.context.get_untracked());
    let Some(context) = context else { return from.say(&refused(&requests, NOT_OPEN)) };
    let Some(text) = JSON::stringify(&requests).ok().and_then(|text| text.as_string()) else {
        let expected = "Expected a request of what JSON has: no circles and no large integers.";
        return from.say(&refused(&requests, ("not-json", expected)));
    };
    leptos::task::spawn_local(async move {
        let text = match context.ask_whole(Query::Request { text }).await {
            (Answer::Text { text, .. }, _) => text,
            (Answer::File { .. }, Some(bytes)) => {
                String::from_utf8(js_sys::Uint8Array::new(&bytes).to_vec()).unwrap_or_default()
            }
            _ => String::new(),
        };
        match JSON::parse(&text) {
            Ok(answer) => from.say(&answer),
            Err(_) => from.say(&refused(&requests, NOT_OPEN)), // the document was closed meanwhile
        }
    });
}

/// The document that a sender asks about, if it may: one of its own origin may ask about all, others about those that they
/// handed over.
fn allowed(state: PageState, guests: EmbeddedDocuments, from: &Sender, asked: Option<u32>) -> Option<u32> {
    let is_ours = window().location().origin().is_ok_and(|ours| ours == from.origin);
    let own: Vec<u32> = guests.with_value(|guests| {
        guests.iter().filter(|g| g.from.origin == from.origin).map(|g| g.document).collect()
    });
    let is_allowed = |id: &u32| is_ours || own.contains(id);
    match asked {
        Some(asked) => Some(asked).filter(is_allowed),
        None => state.current.get_untracked().filter(is_allowed).or(own.last().copied()),
    }
}

/// The answers where no document is asked.
fn refused(requests: &JsValue, (code, message): Wrong) -> JsValue {
    let one = |request: &JsValue| {
        let echo = |name: &str| {
            let value = member(request, name);
            if value.is_undefined() { JsValue::NULL } else { value }
        };
        object(&[
            ("type", "response".into()),
            ("id", 0.into()),
            ("requestId", echo("id")),
            ("result", false.into()),
            ("command", echo("command")),
            ("moduleName", echo("moduleName")),
            ("body", object(&[])),
            ("error", object(&[("code", code.into()), ("message", message.into())])),
        ])
    };
    if Array::is_array(requests) {
        Array::from(requests).iter().map(|request| one(&request)).collect::<Array>().into()
    } else {
        one(requests)
    }
}

impl Sender {
    /// Says something to the window, as long as it is of the origin that it was.
    fn say(&self, what: &JsValue) {
        // Fails when the window is gone, and then there is nobody to tell.
        let _ = self.window.post_message(&object(&[("lanescope", what.clone())]), &self.origin);
    }

    fn report_opened(
        &self,
        document: Option<u32>,
        name: &str,
        outcome: Result<(), &str>,
        request_id: &JsValue,
    ) {
        let mut said = vec![
            ("document", document.map_or(JsValue::NULL, JsValue::from)),
            ("name", name.into()),
            ("result", outcome.is_ok().into()),
            ("requestId", request_id.clone()),
        ];
        if let Err(why) = outcome {
            said.push(("error", object(&[("code", "not-open".into()), ("message", why.into())])));
        }
        self.say(&object(&[("opened", object(&said))]));
    }
}

/// A member of an object; undefined when there is none, or this is no object.
fn member(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

/// An object of these members.
fn object(members: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in members {
        let _ = Reflect::set(&object, &(*name).into(), value); // never fails for an object of ours
    }
    object.into()
}
