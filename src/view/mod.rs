//! One question each, answered by a picture or a table: what a view is, the registry of views, and how to add one.
//!
//! To add a view: one file here with one `pub static VIEW: ViewSpec`, and one entry below, which is two lines: the `mod`
//! and the item of [`VIEWS`]; the program of the page says with which other views it is loaded. What it draws in the
//! worker stands in `draw`. Its tab appears when the document holds what it needs.

pub mod access;
pub mod code;
pub mod context;
pub mod density;
pub mod details;
pub mod difference;
pub mod executions;
pub mod figure;
pub mod headline;
pub mod lifetimes;
pub mod link;
pub mod mapping;
pub mod operators;
pub mod plan;
pub mod plane;
pub mod report;
pub mod rows;
pub mod schedule;
pub mod statistics;
pub mod surface;
pub mod tables;
pub mod timeline;

use crate::base::words::phrase;
use crate::wire::report::Head;
use context::ViewContext;
use leptos::prelude::*;
use leptos::reactive::computed::ScopedFuture;
use std::pin::Pin;
use std::sync::OnceLock;
use wasm_split_helpers::SplitLoaderError;

/// All views, in the order of their tabs.
#[rustfmt::skip] // one entry a line, so that adding one is one line
pub static VIEWS: &[&ViewSpec] = &[
    &timeline::VIEW,
    &statistics::VIEW,
    &code::VIEW,
    &access::VIEW,
    &schedule::VIEW,
    &executions::VIEW,
    &lifetimes::VIEW,
    &density::VIEW,
    &plan::VIEW,
    &details::VIEW,
    &operators::VIEW,
    &tables::VIEW,
    &report::VIEW,
];

/// One view.
pub struct ViewSpec {
    /// Stable id, the name of its file: `#view=timeline`.
    pub id: &'static str,
    /// English title of its tab, a phrase of `base::words`.
    pub title: &'static str,
    /// The question it answers, in one sentence, for README and help.
    pub question: &'static str,
    /// Whether the document holds what it shows.
    pub can_show: fn(&Head) -> bool,
    /// A small number behind the title, such as how many faults; `None` for none.
    pub badge: fn(&Head) -> Option<u64>,
    /// Whether it shows how the document differs from a baseline.
    pub compares: bool,
    /// The view itself.
    pub show: fn(ViewContext) -> AnyView,
}

/// A view whose part of the program was loaded, or that it could not be.
pub type Loaded = Result<AnyView, SplitLoaderError>;

/// How the parts of the program are loaded that are not needed at first. The program of the page marks them, because what
/// is marked becomes a part of every program that it is linked to.
pub struct Parts {
    /// The view of this id.
    pub show: fn(&'static str, ViewContext) -> LocalFuture<Loaded>,
    /// The dialog of mappings.
    pub mapping: fn(mapping::MappingInput) -> LocalFuture<Loaded>,
    /// All of them, so that views open at once, without a network too.
    pub load: fn() -> LocalFuture<()>,
}

/// A future of the one thread of the page.
pub type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;

/// How parts are loaded; set when the page starts.
pub static PARTS: OnceLock<Parts> = OnceLock::new();

/// What is said where a part of the program does not come.
const NOT_LOADED: &str =
    phrase("This part of Lanescope could not be loaded. Check your connection and try again.");

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

/// A name with the symbol that it was written out from below it, for tooltips.
pub fn with_symbol(name: &str, symbol: &str) -> String {
    if symbol.is_empty() { name.to_owned() } else { format!("{name}\n{symbol}") }
}

/// A view whose part of the program is loaded when it is shown first. Where that fails a sentence says so, and it is
/// tried again when the user asks for it or chooses the view again: the loader keeps nothing of a try that failed.
fn later(view: &'static ViewSpec, context: ViewContext) -> AnyView {
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
