//! How long the worker works without a pause: the longest such step is told to the page and stands in the report.

use super::{link, with};
use crate::wire::FromWorker;
use std::cell::Cell;
use wasm_bindgen::JsCast;

/// Steps that are longer by less are not told anew.
const NEWS_MS: f64 = 1.0;

thread_local! {
    /// The longest step that was told.
    static LONGEST: Cell<f64> = const { Cell::new(0.0) };
}

/// Milliseconds since the worker began.
pub(super) fn now() -> f64 {
    let scope: web_sys::WorkerGlobalScope = js_sys::global().unchecked_into();
    scope.performance().map_or(0.0, |p| p.now())
}

/// Seconds since the begin of 1970.
pub(super) fn today() -> Option<u64> {
    let millis = js_sys::Date::now();
    (0.0 <= millis).then_some((millis / 1000.0) as u64)
}

/// Does a piece of work and measures it; `what` is an English phrase of `base::words`, nothing for a step of loading,
/// whose name the document knows.
pub(super) fn timed<T>(what: Option<&'static str>, work: impl FnOnce() -> T) -> T {
    let began = now();
    let done = work();
    let millis = now() - began;
    if LONGEST.get() + NEWS_MS <= millis {
        let is_known = with(|state| {
            let Some(document) = &mut state.document else { return false };
            document.note_longest_step(what, millis);
            true
        });
        if is_known {
            LONGEST.set(millis);
            link::send(&FromWorker::LongestStep(millis));
        }
    }
    done
}
