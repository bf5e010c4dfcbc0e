//! Parts of this program: systems that are loaded when their files are recognized.
//!
//! The script that loads them asks [`fetch_part`] for the module of each; the page fetches and compiles it once for all
//! workers.

use super::{link, with};
use crate::document::engine::Engine;
use crate::systems::{self, PARTS, System};
use crate::views;
use crate::wire::FromWorker;
use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use wasm_bindgen::prelude::*;
use wasm_split_helpers::SplitLoaderError;

/// The systems of a part, or why it could not be loaded.
pub type Loaded = Result<&'static [&'static System], SplitLoaderError>;
/// What views of a part do, or why it could not be loaded.
pub type LoadedViews = Result<&'static [&'static [Engine]], SplitLoaderError>;
/// Loads a part.
pub type Load<T> = fn() -> Pin<Box<dyn Future<Output = T>>>;

/// How each part is loaded.
pub struct Parts {
    /// Systems, by their rows in [`PARTS`].
    pub systems: [Load<Loaded>; PARTS.len()],
    /// [`views::LATER`].
    pub views: Load<LoadedViews>,
}

thread_local! {
    /// Who waits for modules, by the names of their files.
    static WAITING: RefCell<Vec<(String, js_sys::Function)>> = const { RefCell::new(Vec::new()) };
}

/// The module of a part, compiled.
#[wasm_bindgen]
pub fn fetch_part(name: String) -> js_sys::Promise {
    js_sys::Promise::new(&mut |resolve, _| {
        WAITING.with(|waiting| waiting.borrow_mut().push((name.clone(), resolve)));
        link::send(&FromWorker::PartWanted { name: name.clone() });
    })
}

/// Hands a module to who waits for it. One that is missing is `undefined`, from which nothing can be made.
pub(super) fn receive(name: &str, module: &JsValue) {
    let waiting = WAITING.take();
    let (those, others) = waiting.into_iter().partition::<Vec<_>, _>(|(wanted, _)| wanted == name);
    WAITING.with(|waiting| waiting.borrow_mut().extend(others));
    for (_, resolve) in those {
        let _ = resolve.call1(&JsValue::NULL, module);
    }
}

/// Loads the part of this row and says what can be opened and saved with it; the document goes on without one that
/// cannot be had.
pub(super) async fn load(row: usize) {
    let load = with(|state| state.parts.and_then(|parts| parts.systems.get(row).copied()));
    let loaded = match load {
        Some(load) => load().await.ok(),
        None => None,
    };
    match loaded {
        Some(systems) => {
            systems::add(row, systems);
            link::send(&FromWorker::PartLoaded(crate::engine::catalog()));
        }
        None => with(|state| {
            if let Some(document) = &mut state.document {
                document.go_without(row);
            }
        }),
    }
}

/// Loads the views that are not there from the beginning; what asks them is told when they cannot be had.
pub(super) async fn load_views() {
    if let Some(parts) = with(|state| state.parts)
        && let Ok(engines) = (parts.views)().await
    {
        views::add(engines);
    }
}
