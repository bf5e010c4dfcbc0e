//! `GTPin`: what its sample tools print as text.
//!
//! | text | becomes |
//! |---|---|
//! | times of kernels, latencies of instructions | tables, and a table by kernel |
//! | mix of opcodes | a table |
//! | sizes of the traces that a first run found | rows of the buffer plan |
//! | strides of sends | tables of sends and strides |
//! | listings of instructions | programs of blocks with their listings |

mod listing;
mod opcodes;
mod profile;
mod reading;
mod sizes;
mod strides;

use crate::base::words::{message, phrase};
use crate::format::{Degree, Format, Probe, ProbeResult, unreadable};
use crate::input::bundle::{Entry, EntryId};
use crate::input::source::read_range;
use crate::systems::instrumentation::names::Named;

/// The format.
pub(in crate::systems::instrumentation) static FORMAT: Format = Format {
    id: "gtpin_text",
    title: phrase("GTPin text"),
    written_by: "GTPin funtime, latency, opcodeprof, memorytrace (first phase), stride; listings of instructions",
    patterns: &["*.txt", "*.out", "*.asm"],
    shows: "Tables, Details, Plan, Source",
    source: "the sample tools of GTPin 4.7 and real files",
    probe: Probe { look, join: None },
    parameters: &[],
    read: |claim, _| {
        let (entry, role) = claim.entries.first().copied().unwrap_or((EntryId(u32::MAX), ""));
        Box::new(Named(reading::Reading::new(entry, role)))
    },
    slices: None,
    mode_note: None,
    operators: None,
};

/// Roles of entries.
const TIMES: &str = "times of kernels";
const LATENCIES: &str = "latencies of instructions";
const OPCODES: &str = "mix of opcodes";
const SIZES: &str = "trace sizes";
const STRIDES: &str = "strides of sends";
const LISTING: &str = "listing of instructions";

/// Bytes of the head that is looked at.
const HEAD: u64 = 16 << 10;

fn look(entry: &Entry) -> ProbeResult {
    let head = match read_range(&*entry.source, 0..HEAD) {
        Ok(head) => head,
        Err(error) => return Err((0, unreadable(&error.0))),
    };
    let is_whole = (head.len() as u64) < HEAD;
    let head = String::from_utf8_lossy(&head);
    // The last line of a head may be cut.
    let n = head.lines().count();
    let lines: Vec<&str> = head.lines().take(if is_whole { n } else { n.saturating_sub(1) }).collect();
    let found = |role, reason: &'static str| Ok((Degree::Certain, role, message(reason)));
    let has_words = |words: &[&str]| {
        lines.iter().any(|line| words.iter().all(|word| line.split_whitespace().any(|w| w == *word)))
    };
    if has_words(&["Name", "HashID", "SIMD", "Total-Cycle"]) {
        return found(TIMES, phrase("a head with HashID and Total-Cycle"));
    }
    if has_words(&["Name", "HashID", "Ins.ID", "Total-latency"]) {
        return found(LATENCIES, phrase("a head with HashID and Ins.ID"));
    }
    if has_words(&["Opcode", "SIMD", "Static(%)", "Dynamic(%)"]) {
        return found(OPCODES, phrase("a head with Opcode and Static(%)"));
    }
    let mut rows = lines.iter().filter(|line| !line.trim().is_empty());
    if let Some(first) = rows.next() {
        if sizes::row(first).is_some() {
            return found(SIZES, phrase("a kernel with the bytes of its trace"));
        }
        if strides::head(first).is_some() {
            return found(STRIDES, phrase("a send with its strides"));
        }
    }
    let n_rows = lines.iter().filter(|line| listing::row(line).is_some()).count();
    let has_block = lines.iter().any(|line| listing::block(line).is_some());
    if has_block && n_rows != 0 {
        return found(LISTING, phrase("blocks of instructions"));
    }
    if 1 < n_rows && entry.name().to_ascii_lowercase().ends_with(".asm") {
        return Ok((Degree::Likely, LISTING, message("instructions with their addresses")));
    }
    Err((0, message("no head of a table of a kernel")))
}
