//! Logs of GPGPU-Sim 3.2 to 4 and Accel-Sim: lines of text, read once, none kept.
//!
//! ```text
//! line ──▶ Line ──▶ Scanner: kernels, caches, totals ──▶ Machine of each level ──▶ Run
//!            └────▶ Statistics: what the blocks at the ends of kernels say
//! ```
//! Cycles of access lines begin anew with each kernel; a kernel ends with its line `gpu_sim_cycle = `.

mod accesses;
mod config;
mod faults;
mod line;
mod mapped;
mod names;
mod probe;
mod reading;
mod scan;
mod totals;
mod tracks;

pub(super) use accesses::{Replay, replay};
pub(super) use reading::LogReading;

use crate::base::words::phrase;
use crate::format::{Format, Operators, Probe};
use crate::input::bundle::Entry;
use crate::systems::gainsight::parts;
use crate::views::lifetimes::compute::parameters;

/// Whether an entry is a log.
pub(super) fn is_log(entry: &Entry) -> bool {
    probe::look(entry).is_ok()
}

/// The format.
pub(super) static FORMAT: Format = Format {
    id: "gpgpusim",
    title: phrase("GPGPU-Sim log"),
    written_by: "GPGPU-Sim 3.2 to 4.2, Accel-Sim, GainSight",
    patterns: &["*.log", "*.txt", "*.out"],
    shows: "Data lifetimes, caches, kernels, statistics",
    source: "the sources of GPGPU-Sim and Accel-Sim, the documentation of GainSight, logs of four projects",
    probe: Probe { look: probe::look, join: None },
    parameters: parameters::READING,
    read: |claim, values| Box::new(reading::LogReading::new(claim, values)),
    slices: None,
    mode_note: None,
    operators: Some(Operators { switch: "", title: phrase("Logs"), find: parts::logs, head: parts::head }),
};
