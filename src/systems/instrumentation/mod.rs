//! Binary instrumentation of GPU programs: buffers are planned before a run, and what they recorded is combined into one
//! trace. Formats of Accel-Sim, `NVBit`, `GTPin`, PTI, and a container for buffers.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![deny(clippy::cast_possible_truncation)]

mod accelsim;
mod columns;
pub mod combine;
mod container;
mod gtpin;
pub mod guide;
pub mod intel;
pub mod matrices;
mod memory;
pub mod metrics;
mod names;
pub mod nvbit;
mod plan;
pub mod pti;
mod writer;

use super::System;
use crate::base::words::phrase;
use crate::format::Format;

/// Its formats where it is not loaded.
#[rustfmt::skip] // one entry a line
pub(super) static RECOGNIZED: &[Format] = &[
    accelsim::FORMAT.recognized(),
    container::FORMAT.recognized(),
    nvbit::TEXT.recognized(),
    nvbit::JSON.recognized(),
    gtpin::memory::FORMAT.recognized(),
    pti::FORMAT.recognized(),
    gtpin::text::FORMAT.recognized(),
];

/// The system.
#[rustfmt::skip] // one entry a line
pub static SYSTEM: System = System {
    id: "instrumentation",
    title: phrase("Binary instrumentation"),
    formats: &[
        &accelsim::FORMAT,
        &container::FORMAT,
        &nvbit::TEXT,
        &nvbit::JSON,
        &gtpin::memory::FORMAT,
        &pti::FORMAT,
        &gtpin::text::FORMAT,
    ],
    analyses: &[
        &metrics::MEASURING,
        &metrics::ANALYSIS,
        &plan::ANALYSIS,
        &memory::ANALYSIS,
    ],
    exports: &[
        &metrics::METRICS_JSON,
        &metrics::COMBINED_TEXT,
        &plan::PLAN_JSON,
        &writer::GPU_MULTITRACE,
        &columns::CSV,
        #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
        &columns::ARROW,
        #[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
        &columns::PARQUET,
        &gtpin::memory::ACCESSES_CSV,
    ],
    requests: &[],
    color_schemes: &[],
    examples: &[
        "kernelslist.g kernel-1.traceg.xz --export memory-metrics-json",
        "instcount.txt --export plan-json --plan-slack 0x2000 --plan-cap 3072MiB",
    ],
    search_prefixes: &[],
    headline: metrics::quantities,
};
