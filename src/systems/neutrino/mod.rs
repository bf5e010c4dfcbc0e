//! Neutrino: probes in GPU kernels write records into maps; a trace folder holds the maps of each launch, the log of the
//! process and the kernels before and after they were probed.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]
#![deny(clippy::cast_possible_truncation)]

mod checks;
mod density;
mod folder;
mod format;
mod launches;
mod log;
mod records;
mod result;
mod schema;
mod tensors;

use super::System;
use crate::base::words::phrase;

/// The system.
pub static SYSTEM: System = System {
    id: "neutrino",
    title: phrase("Neutrino"),
    formats: &[&format::FORMAT],
    analyses: &[&launches::ANALYSIS, &density::ANALYSIS, &checks::ANALYSIS],
    exports: &[&launches::export::LAUNCHES_CSV, &density::DMAT_CSV],
    requests: &[],
    color_schemes: &[],
    examples: &["Apr25_114624_1921397 --result 0.660526.bin --export launches-csv"],
    search_prefixes: &[],
};
