//! Neutrino: probes in GPU kernels write records into maps; a trace folder holds the maps of each launch, the log of the
//! process and the kernels before and after they were probed.

mod folder;
mod records;
mod result;

use super::System;
use crate::base::words::phrase;

/// The system.
pub static SYSTEM: System = System {
    id: "neutrino",
    title: phrase("Neutrino"),
    formats: &[],
    analyses: &[],
    exports: &[],
    requests: &[],
    color_schemes: &[],
    examples: &[],
    search_prefixes: &[],
};
