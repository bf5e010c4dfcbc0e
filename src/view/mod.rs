//! One question each, answered by a picture or a table: what a view is, the registry of views, and how to add one.
//!
//! To add a view: one file here with one `pub static VIEW: ViewSpec`, and one entry below, which is two lines: the `mod`
//! and the item of [`VIEWS`]. What it draws in the worker stands in `draw`. Its tab appears when the document holds what
//! it needs.

pub mod access;
pub mod code;
pub mod context;
pub mod density;
pub mod details;
pub mod figure;
pub mod link;
pub mod plane;
pub mod report;
pub mod rows;
pub mod schedule;
pub mod surface;
pub mod tables;
pub mod timeline;

use crate::wire::report::Head;
use context::ViewContext;
use leptos::prelude::AnyView;

/// All views, in the order of their tabs.
#[rustfmt::skip] // one entry a line, so that adding one is one line
pub static VIEWS: &[&ViewSpec] = &[
    &timeline::VIEW,
    &code::VIEW,
    &access::VIEW,
    &schedule::VIEW,
    &density::VIEW,
    &details::VIEW,
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
    /// The view itself.
    pub show: fn(ViewContext) -> AnyView,
}
