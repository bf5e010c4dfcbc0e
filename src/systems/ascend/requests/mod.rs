//! The requests of the vendor's design document.
//!
//! Names, shapes and kinds of scalars are those of the design document (Ascend/msinsight, Compute design document); digits
//! are those of the file. Times are whole nanoseconds (ticks, where the trace has other ones) from the start of the trace,
//! the smallest time of any row: what the vendor's viewer shows as 0. What is asked of the payload of a block is read back
//! from the file; nothing is kept for it.

mod blocks;
mod cores;
mod details;
mod memory;
mod open;
mod slices;
mod source;
mod traces;
mod units;
mod value;

use crate::export::request::RequestHandler;

/// The commands, in the order of the design.
#[rustfmt::skip] // one command a line
pub static REQUESTS: &[&RequestHandler] = &[
    &RequestHandler { command: "import/action", answer: open::action },
    &RequestHandler { command: "unit/threadTracesSummary", answer: traces::summary },
    &RequestHandler { command: "unit/threadTraces", answer: traces::thread },
    &RequestHandler { command: "unit/flows", answer: slices::flows },
    &RequestHandler { command: "unit/threadDetail", answer: slices::detail },
    &RequestHandler { command: "source/code/file", answer: source::file },
    &RequestHandler { command: "source/api/line", answer: source::lines },
    &RequestHandler { command: "source/api/line/dynamic", answer: source::dynamic_lines },
    &RequestHandler { command: "source/api/instructions", answer: source::instructions },
    &RequestHandler { command: "source/api/instructions/dynamic", answer: source::dynamic_instructions },
    &RequestHandler { command: "source/details/baseInfo", answer: details::base_info },
    &RequestHandler { command: "source/details/computeworkload", answer: details::workload },
    &RequestHandler { command: "source/details/memoryGraph", answer: memory::graph },
    &RequestHandler { command: "source/details/memoryTable", answer: memory::table },
    &RequestHandler { command: "source/details/interCoreLoadAnalysis", answer: cores::occupancy },
    &RequestHandler { command: "source/details/roofline", answer: cores::roofline },
    &RequestHandler { command: "source/cache/cachelineRecords", answer: cores::cache_lines },
    &RequestHandler { command: "source/queryTopWarpStallReason", answer: cores::stalls },
];
