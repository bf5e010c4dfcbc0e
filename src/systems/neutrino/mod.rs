//! Neutrino: probes in GPU kernels write records into maps; a trace folder holds the maps of each launch, the log of the
//! process and the kernels before and after they were probed.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![deny(clippy::cast_possible_truncation)]

mod checks;
mod counters;
pub mod density;
mod folder;
mod format;
pub mod guide;
mod kernel;
mod launches;
mod log;
pub mod maps;
pub mod records;
pub mod result;
pub mod schedule;
mod schema;
mod tensors;

use super::System;
use crate::base::words::phrase;
use crate::format::Format;

/// Its formats where it is not loaded.
pub(super) static RECOGNIZED: &[Format] = &[format::FORMAT.recognized()];

/// The system.
pub static SYSTEM: System = System {
    id: "neutrino",
    title: phrase("Neutrino"),
    formats: &[&format::FORMAT],
    analyses: &[
        &launches::ANALYSIS,
        &schedule::ANALYSIS,
        &schedule::LOOK,
        &density::ANALYSIS,
        &kernel::ANALYSIS,
        &maps::ANALYSIS,
        // Reads all records once more: pictures come first.
        &checks::ANALYSIS,
    ],
    exports: &[
        &launches::export::LAUNCHES_CSV,
        &schedule::SCHEDULE_JSON,
        &density::DMAT_CSV,
        &maps::export::MAP_CSV,
        #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
        &maps::export::ARROW,
        #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
        &maps::export::PARQUET,
    ],
    requests: &[],
    color_schemes: &[],
    examples: &[
        "Apr25_114624_1921397 --result 0.660526.bin --export launches-csv",
        "Apr25_114624_1921397 --export parquet:block_sched --out sched.parquet",
    ],
    search_prefixes: &[],
    headline: schedule::quantities,
};
