//! Android: systraces of all kinds, and what the marks of NNAPI in them mean.

pub mod guide;
pub mod nnapi;
pub mod systrace;

use super::System;
use crate::base::words::phrase;

/// The system.
pub static SYSTEM: System = System {
    id: "android",
    title: phrase("Android"),
    formats: &[&systrace::FORMAT],
    analyses: &[&nnapi::ANALYSIS],
    exports: nnapi::export::EXPORTS,
    requests: &[],
    color_schemes: &[&nnapi::colors::LAYERS],
    examples: &["trace.html --export nnapi-text --per-execution"],
    search_prefixes: &[&nnapi::colors::SCOPES],
};
