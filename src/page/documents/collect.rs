//! Gives the browser's memory back once the last document is closed.
//!
//! A worker takes its memory along when it ends. What the page itself leaves behind (events, layouts, pictures of a
//! session of zooming) is the browser's to collect, and with nothing open nothing gives it reason to: measured, 20 MB
//! stay until something else is opened.

use super::DocumentRow;
use js_sys::{Array, Reflect};
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::prelude::*;

/// The first screen is drawn by then, and the ended worker with its canvases is gone: before, it holds what is left.
const CALM: Duration = Duration::from_secs(1);

/// More than any browser gives, so that it is always refused and no memory is ever taken.
const TOO_MUCH: f64 = (30_u64 << 30) as f64;

/// Collects soon, unless something is opened before.
pub(super) fn collect_when_calm(list: RwSignal<Vec<DocumentRow>>) {
    let when_calm = move || {
        if list.try_with_untracked(Vec::is_empty).unwrap_or(false) {
            ask_too_much();
        }
    };
    set_timeout(when_calm, CALM);
}

/// A page cannot ask for a collection. But Chromium collects all there is before it refuses a buffer that it cannot
/// give: 30 to 60 ms on two slow cores. Other browsers refuse at once and nothing happens.
fn ask_too_much() {
    let buffer = Reflect::get(&js_sys::global(), &"ArrayBuffer".into()).and_then(|maker| {
        let maker: js_sys::Function = maker.dyn_into()?;
        Reflect::construct(&maker, &Array::of1(&TOO_MUCH.into()))
    });
    drop(buffer);
}
