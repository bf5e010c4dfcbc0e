//! One folder for each view: one question, answered by a picture or a table.
//!
//! | file of a view | what it holds | where |
//! | --- | --- | --- |
//! | `compute` | what is computed for it | both programs |
//! | `messages` | its questions, answers, frames and what the page must know of a frame | both |
//! | `scene` | its picture | both |
//! | `ask` | what answers and draws, looking into a document, with one `pub static ENGINES` | worker |
//! | `picture` | the same as a picture of its own, for files | worker |
//! | `page` | its component, with one `pub static VIEW: ViewSpec` | page |
//!
//! A view joins by its `mod` here and its items of `VIEWS` and, where it asks anything of its own, `CORE` or `LATER`. Its tab appears when the document holds what it
//! needs. `src/pane/context.rs` says how it takes part in a comparison.

pub mod access;
pub mod code;
pub mod density;
pub mod details;
pub mod executions;
pub mod lifetimes;
pub mod mapping;
pub mod operators;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod parts;
pub mod plan;
pub mod report;
pub mod schedule;
pub mod statistics;
pub mod tables;
pub mod timeline;

#[cfg(feature = "engine")]
use crate::document::engine::Engine;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
use crate::pane::ViewSpec;

/// All views, in the order of their tabs.
#[rustfmt::skip] // one entry a line, so that adding one is one line
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub static VIEWS: &[&ViewSpec] = &[
    &timeline::page::VIEW,
    &statistics::page::VIEW,
    &code::page::VIEW,
    &access::page::VIEW,
    &schedule::page::VIEW,
    &executions::page::VIEW,
    &lifetimes::page::VIEW,
    &density::page::VIEW,
    &plan::page::VIEW,
    &details::page::VIEW,
    &operators::page::VIEW,
    &tables::page::VIEW,
    &report::page::VIEW,
];

/// What views answer, draw and save: those that the worker always holds.
#[cfg(feature = "engine")]
#[rustfmt::skip] // one entry a line
pub static CORE: &[&[Engine]] = &[
    timeline::ask::ENGINES,
    statistics::ask::ENGINES,
    code::ask::ENGINES,
    details::ask::ENGINES,
    mapping::ask::ENGINES,
];

/// The same of views that the worker loads when one of them is wanted first.
#[cfg(feature = "engine")]
#[rustfmt::skip] // one entry a line
pub static LATER: &[&[Engine]] = &[
    access::ask::ENGINES,
    schedule::ask::ENGINES,
    executions::ask::ENGINES,
    lifetimes::ask::ENGINES,
    density::ask::ENGINES,
    plan::ask::ENGINES,
];

/// What was loaded of them.
#[cfg(all(target_arch = "wasm32", feature = "engine"))]
static LOADED: std::sync::OnceLock<&[&[Engine]]> = std::sync::OnceLock::new();

/// Takes in what was loaded: [`LATER`], which only its part may name.
#[cfg(all(target_arch = "wasm32", feature = "engine"))]
pub fn add(engines: &'static [&'static [Engine]]) {
    let _ = LOADED.set(engines); // they are the same each time
}

/// What views of this program answer, draw and save now.
#[cfg(feature = "engine")]
pub fn engines() -> impl Iterator<Item = &'static Engine> {
    #[cfg(not(target_arch = "wasm32"))]
    let later = LATER;
    #[cfg(target_arch = "wasm32")]
    let later = LOADED.get().copied().unwrap_or_default();
    CORE.iter().chain(later).copied().flatten()
}
