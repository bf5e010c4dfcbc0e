//! What the panes of all views share: what a view is, its context, its line to the worker, planes and rows.
//!
//! The views themselves stand in `views`.

pub mod context;
pub mod figure;
pub mod headline;
pub mod link;
pub mod plane;
pub mod rows;
pub mod surface;

use crate::pane::context::ViewContext;
use crate::wire::report::Head;
use leptos::prelude::*;

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

/// A name with the symbol that it was written out from below it, for tooltips.
pub fn with_symbol(name: &str, symbol: &str) -> String {
    if symbol.is_empty() { name.to_owned() } else { format!("{name}\n{symbol}") }
}
