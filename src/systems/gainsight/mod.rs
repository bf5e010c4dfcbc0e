//! Logs of GPGPU-Sim and Accel-Sim with single accesses, and the tables and reports that `GainSight` makes of them: how long
//! data live in caches, and which memory would hold them. Results of SCALE-Sim.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![deny(clippy::cast_possible_truncation)]

pub mod export;
mod figures;
pub mod grid;
pub mod guide;
mod lines;
mod log;
mod mapping;
mod parts;
mod profiler;
pub mod scalesim;
mod statistics;
mod tables;

use super::System;
use crate::base::words::phrase;
use crate::format::Format;

/// Its formats where it is not loaded.
#[rustfmt::skip] // one entry a line
pub(super) static RECOGNIZED: &[Format] = &[
    log::FORMAT.recognized(),
    scalesim::FORMAT.recognized(),
    profiler::FORMAT.recognized(),
    tables::TABLES.recognized(),
    tables::REPORT.recognized(),
    mapping::FORMAT.recognized(),
];

/// The system.
#[rustfmt::skip] // one entry a line
pub static SYSTEM: System = System {
    id: "gainsight",
    title: phrase("Data lifetimes"),
    formats: &[
        &log::FORMAT,
        &scalesim::FORMAT,
        &profiler::FORMAT,
        &tables::TABLES,
        &tables::REPORT,
        &mapping::FORMAT,
    ],
    analyses: &[
        &figures::ANALYSIS,
        &scalesim::ANALYSIS,
        &statistics::ANALYSIS,
        &profiler::ANALYSIS,
    ],
    exports: &[
        &export::SIM_CSV,
        &export::L1_CSV,
        &export::L2_CSV,
        &export::REPORT_JSON,
        #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
        &export::ARROW,
        #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
        &export::PARQUET,
    ],
    requests: &[],
    color_schemes: &[],
    examples: &[
        "run.log --export gainsight-sim-csv --lifetime resident --refill keep",
        "run.log --export gainsight-report-json --devices devices.json",
    ],
    search_prefixes: &[],
    headline: figures::quantities,
};
