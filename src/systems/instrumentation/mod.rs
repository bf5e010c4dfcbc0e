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
mod memory;
pub mod metrics;
pub mod nvbit;
mod plan;
pub mod pti;
mod rules;
#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
pub(super) mod tables;
mod writer;

use super::System;
use crate::base::fault::Fault;
use crate::base::map::Map;
use crate::base::words::phrase;
use crate::format::{Format, Reading, Sink, Want};
use crate::input::{Bundle, EntryId};
use crate::model::figure::{Body, Cell};
use crate::model::{Symbols, TableCells, Trace};
use crate::views::executions::compute::Recorded;
use crate::views::plan::compute::PlanInput;

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
    guide: &rules::GUIDE,
};

// Loads and stores of SASS: which lanes of those of matrices give addresses, and which side of a copy addresses are of.

/// Addresses of shared memory are offsets below this.
const SHARED_END: u64 = 1 << 24;

/// Lanes that give addresses where others need not: a load or store of 8 × 8 matrices has the rows of each from 8 lanes, of
/// one matrix unless its opcode says 2 or 4.
pub fn address_lanes(text: &str) -> u32 {
    let is_matrix = |word: &&str| word.starts_with("LDSM.") || word.starts_with("STSM.");
    let opcode = text.split([' ', ';']).find(is_matrix).unwrap_or_default();
    let mut parts = opcode.split('.').skip_while(|part| !matches!(*part, "M88" | "MT88"));
    match (parts.next(), parts.next()) {
        (None, _) | (_, Some("4")) => u32::MAX,
        (_, Some("2")) => 0xffff,
        _ => 0xff,
    }
}

// Names of kernels: symbols are written out when a file has been read, wherever its programs are named.

/// A reading whose kernels have their names at its end.
struct Named<R>(R);

impl<R: Reading> Reading for Named<R> {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        let want = self.0.next(bundle, sink);
        // What was read before a fault stays.
        if !matches!(want, Ok(Want::Stream { .. } | Want::Again)) {
            write_out(sink.builder.head());
        }
        want
    }

    fn feed(&mut self, chunk: &[u8], bundle: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        self.0.feed(chunk, bundle, sink)
    }

    fn is_busy(&self) -> bool {
        self.0.is_busy()
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        self.0.position()
    }
}

/// Writes symbols of kernels out: of programs, plans, tables, listings, the title.
fn write_out(trace: &mut Trace) {
    let mut symbols = std::mem::take(trace.extensions.get_or_default::<Symbols>());
    let mut known: Map<String, String> = Map::default();
    let mut name = |of: &mut String| {
        let Some(new) = symbols.written(of) else { return };
        known.insert(std::mem::replace(of, new.clone()), new);
    };
    if trace.extensions.get::<Recorded>().is_some() {
        let recorded: &mut Recorded = trace.extensions.get_or_default();
        recorded.programs.iter_mut().for_each(|program| name(&mut program.name));
    }
    if trace.extensions.get::<PlanInput>().is_some() {
        let input: &mut PlanInput = trace.extensions.get_or_default();
        input.kernels.iter_mut().for_each(|kernel| name(&mut kernel.name));
    }
    let texts = trace.figures.iter_mut().flat_map(|family| &mut family.variants);
    let texts = texts.filter_map(|figure| match &mut figure.body {
        Body::Table(table) => Some(table.rows.iter_mut().flatten()),
        _ => None,
    });
    for cell in texts.flatten() {
        if let Cell::Text(text) = cell {
            name(text);
        }
    }
    for column in trace.tables.iter_mut().flat_map(|table| &mut table.columns) {
        if let TableCells::Texts(texts) = &mut column.cells {
            texts.iter_mut().for_each(&mut name);
        }
    }
    if let Some(name) = known.get(&trace.title) {
        trace.title.clone_from(name);
    }
    for listing in &mut trace.code.listings {
        if let Some(name) = known.get(&listing.title) {
            listing.title.clone_from(name);
        }
        let kernel = known.get(trace.strings.get(listing.scope.kernel));
        if let Some(name) = kernel {
            listing.scope.kernel = trace.strings.intern(name);
        }
    }
    *trace.extensions.get_or_default::<Symbols>() = symbols;
}
