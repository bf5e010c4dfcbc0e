//! The worker's end of the border: messages as packed bytes, handles beside them.
//!
//! A message is an array: the bytes first, then the handles it speaks of.

use crate::base::fault::Place;
use crate::wire::{self, FromWorker, ToWorker};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

thread_local! {
    /// Where reading was when it was last said; told when the worker dies.
    static PLACE: RefCell<Place> = RefCell::new(Place::default());
}

fn scope() -> web_sys::DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Hands every message to `receive`, with the handles beside it.
pub(super) fn listen(receive: impl Fn(ToWorker, js_sys::Array) + 'static) {
    let on_message = Closure::<dyn Fn(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
        let parts: js_sys::Array = event.data().unchecked_into();
        let packed: js_sys::Uint8Array = parts.shift().unchecked_into();
        if let Ok(message) = wire::unpack(&packed.to_vec()) {
            receive(message, parts);
        }
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget(); // listens for as long as the worker lives
}

/// Sends a message.
pub(super) fn send(message: &FromWorker) {
    send_with_bytes(message, None);
}

/// Sends a message with bytes beside it; they are handed over.
pub(super) fn send_with_bytes(message: &FromWorker, bytes: Option<Vec<u8>>) {
    let bytes = bytes.map(|bytes| js_sys::Uint8Array::from(&bytes[..]).buffer());
    let bytes = bytes.as_deref();
    post(message, bytes, bytes);
}

/// Sends a message with a file, or a list of them, beside it.
pub(super) fn send_with_file(message: &FromWorker, file: &js_sys::Object) {
    post(message, Some(file), None);
}

fn post(message: &FromWorker, beside: Option<&js_sys::Object>, owned: Option<&js_sys::Object>) {
    if let FromWorker::Progress(progress) = message {
        PLACE.with(|place| place.replace(progress.place.clone()));
    }
    let packed = js_sys::Uint8Array::from(&wire::pack(message)[..]);
    let parts = js_sys::Array::of1(&packed);
    let handed_over = js_sys::Array::of1(&packed.buffer());
    if let Some(thing) = beside {
        parts.push(thing);
    }
    if let Some(thing) = owned {
        handed_over.push(thing);
    }
    // Cannot fail: the buffers were made for this message.
    let _ = scope().post_message_with_transfer(&parts, &handed_over);
}

/// A panic ends the worker; before that it tells what happened, and where it was reading.
pub(super) fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = PLACE.with(|place| place.try_borrow().map(|p| p.clone()).unwrap_or_default());
        send(&FromWorker::Panic { message: info.to_string(), place });
    }));
}
