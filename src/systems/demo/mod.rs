//! A system to copy from: small, complete, and compiled for tests only (the feature `demo`).
//!
//! It has one of everything that a system may bring: a reader, an analysis with parameters and a tap, figures that depend
//! on the document, an export, a request, a color scheme, a search prefix. README walks through it.

mod analysis;
mod colors;
mod export;
mod reader;
mod request;

use super::System;
use crate::base::words::phrase;

/// The system.
pub static SYSTEM: System = System {
    id: "demo",
    title: phrase("Demo"),
    formats: &[&reader::FORMAT],
    analyses: &[&analysis::ANALYSIS],
    exports: &[&export::DEMO_CSV],
    requests: &[&request::UNITS],
    color_schemes: &[&colors::UNITS],
    examples: &["trace.demo --export demo-csv --demo-weights 'vector,2;cube,1'"],
    search_prefixes: &[&colors::BY_UNIT],
    headline: |_| Vec::new(),
};
