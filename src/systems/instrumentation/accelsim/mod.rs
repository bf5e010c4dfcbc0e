//! Traces of Accel-Sim: every instruction of every warp of a kernel, as text.
//!
//! ```text
//! kernelslist[.g]  stats.csv
//! kernel-1.trace   lines of all warps as they came, each names its warp
//! kernel-1.traceg  the same, put in order by warp
//! ```
//! Newer versions put `-ctx_0x…` behind the numbers. All files of a folder are one document. Most traces are packed.
//!
//! | what stands there | what becomes of it |
//! | --- | --- |
//! | mask 0 with an address of 0 | no access: no lane ran the instruction |
//! | a step for each active lane but the first, then a number | as it says; other readers take the number for a step |
//! | one line or two of an `LDGSTS` | one row, with the addresses of the global side |
//! | garbage in the head | shown as it is, used for nothing that costs memory |
//! | a kernel in the list without a file | a fault; a row in the table of counts without one is none |

mod fold;
mod folder;
mod header;
mod kernel;
mod layout;
mod line;
mod opcode;
mod reading;
mod result;
mod rows;
mod threads;

use crate::base::map::Map;
use crate::base::words::{message, phrase};
use crate::format::{Claim, Degree, Format, Probe, ProbeResult, Probed, unreadable};
use crate::input::bundle::{Bundle, Entry};
use crate::input::source::read_range;
use crate::systems::instrumentation::names::Named;

/// The format.
pub(super) static FORMAT: Format = Format {
    id: "accelsim",
    title: phrase("Accel-Sim trace"),
    written_by: "the tracer of Accel-Sim, versions 1.2 to 5",
    patterns: &["kernel-*.traceg", "kernel-*.trace", "kernel-*.traceg.xz", "kernelslist.g", "stats.csv"],
    shows: "Instructions by warp and block, memory accesses, coalescing",
    source: "the tracer and the trace parser of Accel-Sim, traces of three projects",
    probe: Probe { look, join: Some(join) },
    parameters: &[],
    read: |claim, _| Box::new(Named(reading::Files::new(claim))),
    slices: None,
    mode_note: None,
    operators: None,
};

/// Roles of files.
mod role {
    /// The instructions of a kernel.
    pub(super) const TRACE: &str = "trace";
    /// The list of kernels.
    pub(super) const LIST: &str = "list";
    /// The table of counts.
    pub(super) const COUNTS: &str = "counts";
}

/// Why a row has no addresses.
const WRONG_LANES: &str = phrase("The trace has another number of addresses than active lanes.");

/// How much of a file is looked at.
const LOOK: u64 = 4_096;

fn look(entry: &Entry) -> ProbeResult {
    let head = read_range(&*entry.source, 0..LOOK).map_err(|e| (0, unreadable(&e.0)))?;
    let text = String::from_utf8_lossy(&head);
    let begin = text.trim_start();
    let name = entry.name();
    if begin.starts_with("-kernel name =") {
        return Ok((Degree::Certain, role::TRACE, message("the head of a trace of a kernel")));
    }
    if begin.starts_with(folder::COUNTS) {
        return Ok((Degree::Certain, role::COUNTS, message("the head of a table of instruction counts")));
    }
    // The last line may be cut by what is looked at.
    let whole =
        if (head.len() as u64) < LOOK { begin } else { begin.rsplit_once('\n').map_or("", |(all, _)| all) };
    let mut listed = whole.lines().map(folder::listed);
    if name.starts_with("kernelslist") && listed.clone().any(|line| line.is_some()) {
        return Ok((Degree::Likely, role::LIST, message("a list of kernels")));
    }
    let begins = ["kernel-", "Memcpy", "cudaMalloc,"].iter().any(|word| begin.starts_with(word));
    if begins && listed.all(|line| line.is_some()) {
        return Ok((Degree::Likely, role::LIST, message("a list of kernels")));
    }
    let is_trace = ["trace", "traceg"].iter().any(|end| name.rsplit('.').next() == Some(end));
    if is_trace && name.starts_with("kernel-") {
        let begins = |line: &str| {
            line.starts_with("#BEGIN_TB") || line.starts_with('-') || line::columns(line.as_bytes()).is_some()
        };
        if begin.lines().next().is_some_and(begins) {
            return Ok((Degree::Likely, role::TRACE, message("instructions of a kernel without their head")));
        }
        return Err((30, message("line 1: expected -kernel name = …")));
    }
    Err((0, message("line 1: expected -kernel name = …")))
}

/// One claim for each folder that has a trace or a list, with all of its files.
fn join(bundle: &Bundle, probed: &mut Probed) {
    let mut folders: Vec<Claim> = Vec::new();
    let mut known: Map<&str, usize> = Map::default();
    for claim in std::mem::take(&mut probed.claims) {
        let Some(entry) = claim.entries.first().and_then(|(id, _)| bundle.get(*id)) else { continue };
        let at = *known.entry(folder::folder(&entry.path)).or_insert(folders.len());
        match folders.get_mut(at) {
            Some(known) => {
                if known.degree < claim.degree {
                    (known.degree, known.reason) = (claim.degree, claim.reason);
                }
                known.entries.extend(claim.entries);
            }
            None => folders.push(claim),
        }
    }
    probed.claims = folders;
}
