//! What tools of `NVBit` print and write: memory traces, values of registers, counts of instructions, and the JSON of its
//! Rust port.

mod collect;
mod figures;
pub mod head;
mod json;
pub mod line;
pub mod mend;
pub mod opcode;
mod probe;
mod rows;
mod text;

use crate::base::words::phrase;
use crate::format::{Format, Probe};
use crate::systems::instrumentation::names::Named;

/// Why lanes of a record are missing.
const CUT: &str = phrase("the record is cut");

/// The text that tools print.
pub(super) static TEXT: Format = Format {
    id: "nvbit",
    title: phrase("NVBit output"),
    written_by: "NVBit 1.1 to 1.7: mem_trace, record_reg_vals, instr_count, opcode_hist",
    patterns: &["*.txt", "*.log"],
    shows: "Trace, Source, memory accesses",
    source: "https://github.com/NVlabs/NVBit",
    probe: Probe { look: probe::text, join: None },
    parameters: &[],
    read: |claim, _| Box::new(Named(text::TextReading::new(claim))),
    slices: None,
    mode_note: None,
    operators: None,
};

/// The JSON of the Rust port.
pub(super) static JSON: Format = Format {
    id: "nvbit_json",
    title: phrase("nvbit-rs trace"),
    written_by: "nvbit-rs: mem_trace, accelsim",
    patterns: &["*.json", "kernelslist"],
    shows: "Trace, Source, memory accesses",
    source: "https://github.com/romnn/nvbit-rs",
    probe: Probe { look: probe::json, join: Some(probe::join) },
    parameters: &[],
    read: |claim, _| Box::new(Named(json::JsonReading::new(claim))),
    slices: None,
    mode_note: None,
    operators: None,
};
