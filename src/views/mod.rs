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

/// Those that the worker always holds.
#[cfg(feature = "engine")]
pub static CORE: Engines = &[mapping::ask::ENGINES];

/// Those that it loads when one of them is wanted first, by parts: the timeline.
#[cfg(feature = "engine")]
pub static TIMELINE: Engines = &[timeline::ask::ENGINES];

/// The overview, with the rules of traces.
#[cfg(feature = "engine")]
pub static OVERVIEW: Engines = &[overview::ask::ENGINES];

/// Listings.
#[cfg(feature = "engine")]
pub static CODE: Engines = &[code::ask::ENGINES];

/// Figures, and what goes through all slices.
#[cfg(feature = "engine")]
#[rustfmt::skip] // one entry a line
pub static FIGURES: Engines = &[
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

/// The parts of the worker's program that views answer and draw with.
#[cfg(feature = "engine")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// [`TIMELINE`].
    Timeline,
    /// [`OVERVIEW`].
    Overview,
    /// [`CODE`].
    Code,
    /// [`FIGURES`].
    Figures,
    /// [`PLANES`].
    Planes,
}

#[cfg(feature = "engine")]
impl Part {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Timeline, Self::Overview, Self::Code, Self::Figures, Self::Planes];

    /// The names of what it answers and draws, so that who wants it needs not hold it. Only the part itself may name its
    /// engines.
    fn names(self) -> &'static [&'static str; MOST] {
        static OF_CODE: [&str; MOST] = names(CODE);
        static OF_FIGURES: [&str; MOST] = names(FIGURES);
        static OF_PLANES: [&str; MOST] = names(PLANES);
        static OF_TIMELINE: [&str; MOST] = names(TIMELINE);
        static OF_OVERVIEW: [&str; MOST] = names(OVERVIEW);
        match self {
            Self::Code => &OF_CODE,
            Self::Figures => &OF_FIGURES,
            Self::Planes => &OF_PLANES,
            Self::Timeline => &OF_TIMELINE,
            Self::Overview => &OF_OVERVIEW,
        }
    }

    /// Takes it in.
    #[cfg(target_arch = "wasm32")]
    pub fn add(self, engines: Engines) {
        let _ = LOADED[self as usize].set(engines); // they are the same each time
    }

    /// What it holds; nothing before it is loaded.
    fn engines(self) -> Engines {
        #[cfg(not(target_arch = "wasm32"))]
        let engines = match self {
            Self::Code => CODE,
            Self::Figures => FIGURES,
            Self::Planes => PLANES,
            Self::Timeline => TIMELINE,
            Self::Overview => OVERVIEW,
        };
        #[cfg(target_arch = "wasm32")]
        let engines = LOADED[self as usize].get().copied().unwrap_or_default();
        engines
    }

    /// Whether it is not loaded.
    pub fn is_missing(self) -> bool {
        self.engines().is_empty()
    }

    /// The part that questions or pictures of this name need, when it is not loaded.
    pub fn missing_for(of: &str) -> Option<Self> {
        let is_there = |part: &Self| part.names().iter().any(|name| !name.is_empty() && *name == of);
        Self::ALL.into_iter().find(is_there).filter(|part| part.is_missing())
    }
}

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
static LOADED: [std::sync::OnceLock<Engines>; Part::ALL.len()] =
    [const { std::sync::OnceLock::new() }; Part::ALL.len()];

/// What views of this program answer, draw and save now.
#[cfg(feature = "engine")]
pub fn engines() -> impl Iterator<Item = &'static Engine> {
    [CORE].into_iter().chain(Part::ALL.map(Part::engines)).flatten().copied().flatten()
}
