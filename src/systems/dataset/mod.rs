//! Data sets of many profiles, as `lanescope tables` writes them and engines hand them on: what changed from run to run.
//!
//! | table | becomes |
//! |---|---|
//! | `kernels` | medians of each kernel by run, their changes and distribution |
//! | `metrics` | the same of each number of a figure |
//! | `findings` | how many traces of each run have one |
//! | `traces` | names of traces |
//!
//! Other tables of a data set are passed over. A file may hold a table of one trace, as they are written, or one of all, as
//! an engine saves it: then the run stands in a column, as text, whole number or day. Other profiles among the files are documents of their own, which
//! rows lead to.

mod arrow;
mod changes;
mod columns;
mod figures;
mod flat;
mod found;
mod pages;
mod parquet;
mod ranks;
mod read;
mod rules;
pub mod sets;
pub mod significance;
mod slow_ranks;
mod steps;
mod summary;
mod thrift;
pub mod turning;

use super::System;
use crate::analysis::contract::Analysis;
use crate::base::job::Job;
use crate::base::words::phrase;
use crate::findings::Guide;
use crate::format::Format;
use read::Samples;
pub use read::words_of;

/// The system.
pub static SYSTEM: System = System {
    id: "dataset",
    title: phrase("Data sets"),
    formats: &[&read::FORMAT],
    analyses: &[&ANALYSIS],
    exports: &[],
    requests: &[],
    color_schemes: &[],
    examples: &[],
    search_prefixes: &[],
    headline: |_| Vec::new(),
    guide: &GUIDE,
};

/// What is recognized before it is loaded.
pub static RECOGNIZED: &[Format] = &[read::FORMAT.recognized()];

/// Changes from run to run.
static ANALYSIS: Analysis = Analysis {
    id: "dataset-changes",
    title: phrase("Changes between runs"),
    parameters: &[],
    applies: |trace| trace.extensions.get::<Samples>().is_some(),
    tap: None,
    start: Some(|_, trace| Job::any(async move |turn| changes::medians(&trace, &turn).await)),
    add_tracks: None,
    faults: None,
    figures: figures::figures,
    advice: None,
    is_comparable: false,
};

static GUIDE: Guide = Guide {
    rules: &[&rules::SLOWER, &steps::STEPS, &steps::MORE, &slow_ranks::RANKS],
    summary: summary::summary,
    advises: false,
};
