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
//! A view joins by its `mod` here and its items of `VIEWS` and, where it asks anything of its own, `ENGINES`. Its tab appears when the document holds what it
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

/// What views answer and draw in the worker.
#[cfg(feature = "engine")]
#[rustfmt::skip] // one entry a line
pub static ENGINES: &[&[crate::document::engine::Engine]] = &[
    timeline::ask::ENGINES,
    statistics::ask::ENGINES,
    code::ask::ENGINES,
    access::ask::ENGINES,
    schedule::ask::ENGINES,
    executions::ask::ENGINES,
    lifetimes::ask::ENGINES,
    density::ask::ENGINES,
    plan::ask::ENGINES,
    details::ask::ENGINES,
    mapping::ask::ENGINES,
];
