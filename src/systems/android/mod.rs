//! Android: systraces of all kinds, what the marks of NNAPI in them mean, and launches of applications.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod guide;
pub mod nnapi;
pub mod startup;
pub mod systrace;

use super::System;
use crate::base::words::phrase;
use crate::format::Format;

/// Its formats where it is not loaded.
pub(super) static RECOGNIZED: &[Format] = &[systrace::FORMAT.recognized()];

/// The system.
pub static SYSTEM: System = System {
    id: "android",
    title: phrase("Android"),
    formats: &[&systrace::FORMAT],
    analyses: &[&nnapi::ANALYSIS, &startup::ANALYSIS],
    exports: nnapi::export::EXPORTS,
    requests: &[],
    color_schemes: &[&nnapi::LAYERS],
    examples: &["trace.html --export nnapi-text --per-execution"],
    search_prefixes: &[&nnapi::SCOPES],
    headline: |input| nnapi::figures::medians(&input.of(&nnapi::ANALYSIS)),
    guide: &nnapi::rules::GUIDE,
};
