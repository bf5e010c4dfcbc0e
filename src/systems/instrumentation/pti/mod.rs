//! Intel PTI: counts of instructions and what memory accesses moved, as text and as JSON.
//!
//! ```text
//! === GEMM(runs 4 times) ===                                 === GEMM (runs 2 times)
//! --- Tile #0 of 2 collected                                 0x000260 :  send.ugm (32|M0) …
//! ///  Basic block #0                                          * Instruction executed: 131072
//! [   2048|   16384] 0x000000 : (W) mov (8|M0) …               * Cache line transferred: 262144 ( 16777216 bytes)
//!    count  lanes    address    assembly                           100% (4063232) -> stride: 4 bytes (1 units)
//! ```
//! | file | becomes |
//! |---|---|
//! | counts, text or JSON | a program of blocks, a listing with its counts, a plan of trace buffers |
//! | accesses, text or JSON | a listing with its sends, tables of sends, strides and sampled addresses |

mod json;
mod kernel;
pub mod repair;
mod text;

use crate::base::words::{message, phrase};
use crate::format::{Degree, Format, Probe, ProbeResult, unreadable};
use crate::input::bundle::Entry;
use crate::input::source::read_range;
use crate::systems::instrumentation::names::Named;

/// The format.
pub(super) static FORMAT: Format = Format {
    id: "pti",
    title: phrase("PTI counts and accesses"),
    written_by: "Intel PTI instcount, memaccess",
    patterns: &["*.txt", "*.json"],
    shows: "Source, Plan, Details",
    source: "github.com/intel/pti-gpu, tools/instcount and tools/memaccess",
    probe: Probe { look, join: None },
    parameters: &[],
    read: |claim, _| {
        let (entry, role) =
            claim.entries.first().copied().unwrap_or((crate::input::bundle::EntryId(u32::MAX), ""));
        if role == JSON {
            Box::new(Named(json::Reading::new(entry)))
        } else {
            Box::new(Named(text::Text::new(entry)))
        }
    },
    slices: None,
    mode_note: None,
    operators: None,
};

/// Roles of entries.
const JSON: &str = "JSON";
const TEXT: &str = "text";

/// Bytes of the head that is looked at.
const HEAD: u64 = 64 << 10;

fn look(entry: &Entry) -> ProbeResult {
    let head = match read_range(&*entry.source, 0..HEAD) {
        Ok(head) => head,
        Err(error) => return Err((0, unreadable(&error.0))),
    };
    let head = String::from_utf8_lossy(&head);
    let start = head.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with('{') {
        let has = |key: &str| start.contains(key);
        return if has("\"kernels\"") && has("\"kernel_name\"") && has("\"asm\"") {
            Ok((Degree::Certain, JSON, message("kernels with their assembly")))
        } else if has("\"app_name\"") && has("\"kernels\"") {
            Ok((Degree::Likely, JSON, message("an application with its kernels")))
        } else {
            Err((0, message("no kernels")))
        };
    }
    let mut has_kernel = false;
    for line in head.lines() {
        has_kernel |= text::kernel_head(line).is_some();
        if has_kernel && (text::row(line).is_some() || text::send_head(line).is_some()) {
            return Ok((Degree::Certain, TEXT, message("a kernel with its instructions")));
        }
    }
    Err(if has_kernel {
        (60, message("a kernel without instructions"))
    } else {
        (0, message("no line with a kernel and its runs"))
    })
}
