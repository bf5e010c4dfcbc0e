//! Parts of the program of the page: views that are loaded when they are shown first.

use super::mapping::page::MappingInput;
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::pane::loading::{Place, loaded};
use crate::wire::NOT_LOADED;
use leptos::prelude::*;
use leptos::reactive::computed::ScopedFuture;
use std::pin::Pin;
use std::sync::OnceLock;
use wasm_split_helpers::SplitLoaderError;

/// A view whose part of the program was loaded, or that it could not be.
pub type Loaded = Result<AnyView, SplitLoaderError>;

/// How the parts of the program are loaded that are not needed at first. The program of the page marks them, because what
/// is marked becomes a part of every program that it is linked to.
pub struct Parts {
    pub show: fn(&'static str, ViewContext) -> LocalFuture<Loaded>,
    /// The dialog of mappings.
    pub mapping: fn(MappingInput) -> LocalFuture<Loaded>,
    /// The dialog of notes, whose state stands in the context.
    pub notes: fn() -> LocalFuture<Loaded>,
    /// The dialog of a report, the same way.
    pub report: fn() -> LocalFuture<Loaded>,
    /// The help, the same way.
    pub help: fn() -> LocalFuture<Loaded>,
    /// The part of a view, so that it opens at once, without a network too. What fails is tried again when the view is
    /// shown.
    pub load: fn(&'static str) -> LocalFuture<()>,
}

/// A future of the one thread of the page.
pub type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;

/// How parts are loaded; set when the page starts.
pub static PARTS: OnceLock<Parts> = OnceLock::new();

/// What a part of the program shows, as soon as it is loaded; where that fails, what `instead` makes of a sentence.
pub fn part<Instead>(
    load: impl FnOnce(&'static Parts) -> LocalFuture<Loaded> + 'static,
    instead: Instead,
) -> AnyView
where
    Instead: FnOnce(&'static str) -> Option<AnyView> + 'static,
{
    let (shown, has_come) = (StoredValue::new_local(None), RwSignal::new(false));
    leptos::task::spawn_local(ScopedFuture::new(async move {
        let loaded = match PARTS.get() {
            Some(parts) => load(parts).await.ok(),
            None => None,
        };
        // Whoever wanted it may be gone.
        shown.try_set_value(loaded.or_else(|| instead(NOT_LOADED)));
        has_come.try_set(true);
    }));
    (move || if has_come.get() { shown.try_update_value(Option::take).flatten() } else { None }).into_any()
}

/// A view whose part of the program is loaded when it is shown first. Where that fails, or where the document's worker has
/// not got the part that answers, it is said and can be tried again: loaders keep nothing of a try that failed.
pub fn later(view: &'static ViewSpec, context: ViewContext) -> AnyView {
    loaded(Place::View, context, context.word(view.title), move |context| {
        let failed = move |_: &'static str| -> Option<AnyView> {
            context.refuse();
            None
        };
        // What a view reads while it is made does not make it anew.
        untrack(|| part(move |parts| (parts.show)(view.id, context), failed))
    })
}
