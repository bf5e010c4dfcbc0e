//! The page inside of another: what an embedding page may say to it by `postMessage`, and what it is told.
//!
//! ```text
//! to the page                                             from the page
//! ─────────────────────────────────────────────           ──────────────────────────────────────────────────
//!                                                         {lanescope: {ready: {version: 1}}}   once, at the start
//! {lanescope: {open: [{name, data}, …], id}}              {lanescope: {opened: {document, name, result, requestId}}}
//! {lanescope: request or [request, …], document}          {lanescope: answer or [answer, …]}
//! ```
//! `data` is a `File`, a `Blob`, an `ArrayBuffer` or a view of one; files of one message are one document, which is shown.
//! Requests are those of `export::request`, as objects; they are about `document`, or the one that is shown.
//!
//! Nothing is fetched and nothing leaves the browser but to who asked: answers go to the window that sent the message, and
//! only as long as it is of the same origin. A page of another origin gets answers about the documents that it handed over
//! itself, not about those that the user opened here. Senders without an origin (`null`) are not heard.

use super::documents::DocState;
use super::opening::mapping::Found;
use super::state::PageState;
use crate::wire::{Answer, Query};
use js_sys::{Array, JSON, Object, Reflect};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

/// Version of these messages.
const VERSION: u32 = 1;

/// A document that another page handed over.
struct EmbeddedDocument {
    document: u32,
    from: Sender,
    /// What it is told when the document is open, or cannot be; `None` when it was told.
    request_id: Option<JsValue>,
}

/// Who sent a message.
#[derive(Clone)]
struct Sender {
    window: web_sys::Window,
    origin: String,
}

type EmbeddedDocuments = StoredValue<Vec<EmbeddedDocument>, LocalStorage>;

/// Listens for as long as the page lives, and says that it does.
pub fn listen(state: PageState) {
    let guests: EmbeddedDocuments = StoredValue::new_local(Vec::new());
    let listener = window_event_listener(leptos::ev::message, move |event| hear(state, guests, &event));
    on_cleanup(move || listener.remove());
    Effect::new(move |_| report_opened(state, guests));
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

fn hear(state: PageState, guests: EmbeddedDocuments, event: &web_sys::MessageEvent) {
    let data = event.data();
    let said = member(&data, "lanescope");
    let Some(window) = event.source() else { return };
    // A window of another origin is no instance of our Window; whatever it is, it takes messages.
    let from = Sender { window: window.unchecked_into(), origin: event.origin() };
    if !said.is_object() || from.origin.is_empty() || from.origin == "null" {
        return;
    }
    if member(&said, "open").is_undefined() {
        let document = member(&data, "document").as_f64().map(|n| n as u32);
        answer(state, guests, from, said, document);
    } else {
        open(state, guests, from, &said);
    }
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
    let Some(context) = context else { return from.say(&refused(&requests)) };
    let Some(text) = JSON::stringify(&requests).ok().and_then(|text| text.as_string()) else { return };
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
            Err(_) => from.say(&refused(&requests)), // the document was closed meanwhile
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

/// The answers when no document can be asked.
fn refused(requests: &JsValue) -> JsValue {
    let one = |request: &JsValue| {
        let message = "No accessible document is open.";
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
            ("error", object(&[("code", "not-open".into()), ("message", message.into())])),
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
