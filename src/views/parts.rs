//! Parts of the program of the page: views that are loaded when they are shown first.

use super::mapping::page::MappingInput;
use crate::base::words::phrase;
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
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
    /// All of them, so that views open at once, without a network too.
    pub load: fn() -> LocalFuture<()>,
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

/// A view whose part of the program is loaded when it is shown first. Where that fails a sentence says so, and it is
/// tried again when the user asks for it or chooses the view again: the loader keeps nothing of a try that failed.
pub fn later(view: &'static ViewSpec, context: ViewContext) -> AnyView {
    let has_failed = RwSignal::new(false);
    Effect::new(move |_| {
        if context.chosen.with(|chosen| chosen == view.id) && has_failed.get_untracked() {
            has_failed.set(false);
        }
    });
    let failed = move |_: &'static str| -> Option<AnyView> {
        has_failed.try_set(true);
        None
    };
    // What a view reads while it is made does not make it anew.
    let load = move || untrack(|| part(move |parts| (parts.show)(view.id, context), failed));
    (move || if has_failed.get() { not_loaded(context, has_failed) } else { load() }).into_any()
}

fn not_loaded(context: ViewContext, has_failed: RwSignal<bool>) -> AnyView {
    view! {
        <div class="detail__empty" role="alert">
            {context.word(NOT_LOADED)}
            " "
            <button
                class="button"
                type="button"
                data-action="load-again"
                on:click=move |_| has_failed.set(false)
            >
                {context.word(phrase("Try again"))}
            </button>
        </div>
    }
    .into_any()
}
