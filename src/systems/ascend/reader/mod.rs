//! Ascend operator profiles: `visualize_data.bin`, written by msprof op, msopprof and the simulator of CANN.
//!
//! A concatenation of blocks without header, directory or check sum; the layout of a block is in [`header`]. The first
//! block of a file may be of any type; new types are kept, so that files of later tools still open.
//!
//! | type | holds | read |
//! |---|---|---|
//! | 01 | text of a source | yes; of copies the last |
//! | 02 | Trace Event JSON | yes; all of them |
//! | 03, 04 | metrics of source lines; instructions | yes |
//! | 05, 06, 07, 0C | base info, compute workload, core occupancy | yes |
//! | 0A | memory accesses with call stacks, binary | yes; all of them |
//! | 0B, 0E | cache lines, binary and as JSON | yes |
//! | 0D, 0F | rooflines, stall reasons | yes |
//! | 08, 09 | memory chart, memory tables | yes |
//!
//! Beside a container lie CSV files with values of each block ([`sheets`]): they join it as tables, and what both say is
//! compared. A folder with CSV files alone opens too.
//!
//! Facts: the public sources of the vendor's viewer and writer (Ascend/msinsight at 4e16fca1, Ascend/msopprof at d6c29dfa)
//! and their design document; checked against nine files of real devices.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![deny(clippy::cast_possible_truncation)]

mod block_order;
pub mod code;
mod compatibility;
pub mod details;
mod field;
mod header;
mod missing;
pub mod project;
mod reading;
mod records;
mod separate;
pub mod sheets;
mod walk;

pub(super) use details::{AT_MOST, PIPES, SHOWN_OF_CORES, heads_of, shown_units};

use crate::base::words::{Message, message, phrase};
use crate::format::{Claim, Degree, Format, Operators, Probe, ProbeResult, Probed, Reading};
use crate::input::bundle::{Bundle, Entry};
use crate::input::source::read_range;
use crate::model::parameter::Values;
use crate::systems::trace_event;
use header::{HEADER_BYTES, Header};

/// The format.
pub static FORMAT: Format = Format {
    id: "msinsight",
    title: "Ascend operator profile",
    written_by: "msprof op and msopprof (CANN), on device and simulator",
    patterns: &["visualize_data.bin", "*.bin", "OPPROF_*/"],
    shows: "Pipe timeline, source and instructions, compute workload, core occupancy, memory chart, rooflines, cache maps, memory accesses, accompanying CSV files",
    source: "https://gitcode.com/Ascend/msinsight",
    probe: Probe { look, join: Some(join) },
    parameters: &[],
    read,
    slices: Some(&trace_event::SLICES),
    mode_note: Some(|mode| {
        (mode & 0o022 != 0).then_some("is writable by others: MindStudio Insight refuses it on Linux.")
    }),
    operators: Some(Operators {
        switch: "",
        title: phrase("Operators"),
        find: project::find,
        head: project::head,
    }),
};

/// Role of a `visualize_data.bin`.
const CONTAINER: &str = "container";
/// Role of a CSV file.
const SHEET: &str = "table";

/// Blocks that a probe walks over before it is sure: so many headers in their places are no chance, and every one costs a
/// read of its own.
const PROBED_BLOCKS: usize = 32;

fn read(claim: &Claim, _: &Values) -> Box<dyn Reading> {
    Box::new(sheets::Operator::new(claim))
}

/// Adds what lies beside containers to their claims.
fn join(bundle: &Bundle, probed: &mut Probed) {
    sheets::claim(bundle, probed);
    project::claim_copies(bundle, probed);
}

/// Looks at an entry: only containers stand alone.
fn look(entry: &Entry) -> ProbeResult {
    container(entry).map(|(degree, reason)| (degree, CONTAINER, reason))
}

/// How sure, and why; or how near, and what is missing.
fn container(entry: &Entry) -> Result<(Degree, Message), (u8, Message)> {
    let source = &*entry.source;
    let len = source.len();
    let header_at = |at: u64| {
        let bytes = read_range(source, at..at.saturating_add(HEADER_BYTES)).unwrap_or_default();
        Header::parse(&bytes)
    };
    let score = |passed: u8| passed * 15 + if entry.name() == "visualize_data.bin" { 20 } else { 0 };
    let Some(first) = header_at(0) else {
        let missed = message("byte 0: expected {n} bytes, found {m}").with("n", HEADER_BYTES).with("m", len);
        return Err((score(0), missed));
    };
    if !first.is_sound() || first.size == 0 && first.kind == 0 {
        let missed = first.missed_text(len);
        let missed = missed.unwrap_or_else(|| message("byte 8: expected a block type, found 00"));
        return Err((score(first.passes(len)), missed));
    }
    let mut at = 0;
    for n in 0..PROBED_BLOCKS {
        if at == len {
            return Ok((Degree::Certain, message("{n} blocks fill the file exactly").with("n", n)));
        }
        let Some(header) = header_at(at) else {
            let reason = message("{n} blocks, then {m} bytes").with("n", n).with("m", len - at);
            return Ok((Degree::Certain, reason));
        };
        let end = header.block_bytes().and_then(|bytes| at.checked_add(bytes));
        match (header.is_sound(), end.filter(|&end| end <= len)) {
            (true, Some(end)) => at = end,
            (true, None) if 0 < n => {
                return Ok((Degree::Certain, message("{n} blocks, then a truncated one").with("n", n)));
            }
            (true, None) => return one_cut_block(&first, len, score(4)),
            (false, _) => {
                let reason =
                    message("{n} blocks, then no header at byte {byte}").with("n", n).with("byte", at);
                return Ok((Degree::Likely, reason));
            }
        }
    }
    Ok((Degree::Certain, message("more than {n} blocks").with("n", PROBED_BLOCKS)))
}

/// The only block is longer than the file: a cut download, or chance.
fn one_cut_block(first: &Header, len: u64, score: u8) -> Result<(Degree, Message), (u8, Message)> {
    if header::Type::name(first.kind).is_some() && first.size < 1 << 40 {
        return Ok((Degree::Likely, message("a truncated block")));
    }
    Err((score, first.missed_text(len).unwrap_or_default()))
}
