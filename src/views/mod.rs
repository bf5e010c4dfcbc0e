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
//! A view joins by its `mod` here and its items of `VIEWS` and, where it asks anything of its own, `CORE` or a part of the
//! worker. Its tab appears when the document holds what it needs. `src/pane/context.rs` says how it takes part in a
//! comparison.

pub mod access;
pub mod code;
pub mod density;
pub mod details;
pub mod executions;
pub mod lifetimes;
pub mod mapping;
pub mod operators;
pub mod overview;
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
    &overview::page::VIEW,
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

/// What views answer, draw and save.
#[cfg(feature = "engine")]
pub type Engines = &'static [&'static [Engine]];

/// Those that the worker always holds: what the first picture of most documents needs.
#[cfg(feature = "engine")]
#[rustfmt::skip] // one entry a line
pub static CORE: Engines = &[
    timeline::ask::ENGINES,
    mapping::ask::ENGINES,
];

/// Those that it loads when one of them is wanted first, by parts: listings.
#[cfg(feature = "engine")]
pub static CODE: Engines = &[code::ask::ENGINES];

/// Figures, and what goes through all slices.
#[cfg(feature = "engine")]
#[rustfmt::skip] // one entry a line
pub static FIGURES: Engines = &[
    overview::ask::ENGINES,
    timeline::ask::LATER,
    statistics::ask::ENGINES,
    details::ask::ENGINES,
];

/// Pictures of two dimensions.
#[cfg(feature = "engine")]
#[rustfmt::skip] // one entry a line
pub static PLANES: Engines = &[
    access::ask::ENGINES,
    schedule::ask::ENGINES,
    executions::ask::ENGINES,
    lifetimes::ask::ENGINES,
    density::ask::ENGINES,
    plan::ask::ENGINES,
];

/// The rows of those parts.
#[cfg(feature = "engine")]
pub const PARTS: usize = 3;
/// The row of [`FIGURES`].
#[cfg(feature = "engine")]
pub const OF_FIGURES: usize = 1;

/// The names of what each part answers and draws, so that who wants it needs not hold it. Only the part itself may name
/// its engines.
#[cfg(feature = "engine")]
static NAMES: [[&str; MOST]; PARTS] = [names(CODE), names(FIGURES), names(PLANES)];
/// Most engines of a part.
#[cfg(feature = "engine")]
const MOST: usize = 24;

#[cfg(feature = "engine")]
const fn names(engines: Engines) -> [&'static str; MOST] {
    let (mut names, mut n, mut view) = ([""; MOST], 0, 0);
    while view < engines.len() {
        let mut at = 0;
        while at < engines[view].len() {
            names[n] = engines[view][at].of;
            (n, at) = (n + 1, at + 1);
        }
        view += 1;
    }
    names
}

/// What was loaded of them.
#[cfg(all(target_arch = "wasm32", feature = "engine"))]
static LOADED: [std::sync::OnceLock<Engines>; PARTS] = [const { std::sync::OnceLock::new() }; PARTS];

/// Takes in the part of this row.
#[cfg(all(target_arch = "wasm32", feature = "engine"))]
pub fn add(row: usize, engines: Engines) {
    let _ = LOADED.get(row).map(|part| part.set(engines)); // they are the same each time
}

#[cfg(feature = "engine")]
fn part(row: usize) -> Engines {
    #[cfg(not(target_arch = "wasm32"))]
    let part = [CODE, FIGURES, PLANES].get(row).copied();
    #[cfg(target_arch = "wasm32")]
    let part = LOADED.get(row).and_then(|part| part.get()).copied();
    part.unwrap_or_default()
}

/// Whether the part of this row is not loaded.
#[cfg(feature = "engine")]
pub fn is_missing(row: usize) -> bool {
    part(row).is_empty()
}

/// The row of the part that questions or pictures of this name need, when it is not loaded.
#[cfg(feature = "engine")]
pub fn missing(of: &str) -> Option<usize> {
    NAMES.iter().position(|names| names.contains(&of)).filter(|row| is_missing(*row))
}

/// What views of this program answer, draw and save now.
#[cfg(feature = "engine")]
pub fn engines() -> impl Iterator<Item = &'static Engine> {
    [CORE].into_iter().chain((0..PARTS).map(part)).flatten().copied().flatten()
}
