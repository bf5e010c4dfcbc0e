//! Android systrace: ftrace as text, with marks that apps, services and drivers wrote.
//!
//! Written by `systrace.py` (HTML), `atrace` (`TRACE:`, text, also compressed), `traceconv` and by copying the kernel's
//! `trace` file.
//!
//! ```text
//! #           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION
//!  NeuralNetworksT-5143  ( 5143) [003] ...1   100.000100: tracing_mark_write: B|5143|[NN_LA_PO]mobilenet
//!  NeuralNetworksT-5143  ( 5143) [003] ...1   100.104100: tracing_mark_write: E|5143
//! ```
//!
//! | row | becomes |
//! |---|---|
//! | `B` `E` | a slice on the track of the thread; on threads that have to do with NNAPI also a row of the marks |
//! | `C` `S` `F` `G` `H` `I` `N` | counters, asynchronous slices, instants, by `collect/others.rs` |
//! | `sched_switch`, `cpu_frequency` | slices and counters of processors, by `collect/kernel.rs` |
//! | `PROCESS DUMP` | names of processes and threads |
//! | `LOST … EVENTS` | a fault |
//! | other rows | their time counts |
//!
//! The text is read twice: `survey.rs` finds the threads that have to do with NNAPI and the drivers, then all rows are
//! read. What grows with the file are rows of such threads; of others the first 250,000 slices are kept.
//!
//! Rows are read as liberally as they are written (`text/row.rs`); beside it `aosp` follows what the AOSP
//! parser takes, and where it stops.
//!
//! Source: the kernel's Documentation/trace/ftrace.rst, AOSP's atrace and its NNAPI systrace parser (Android 11 to 13),
//! Perfetto's documentation. Verified on two real systrace captures and on made ones.

mod aosp;
mod collect;
mod probe;
mod proto;
mod survey;
mod text;

pub use text::detail;

use super::{Claim, Format, Reading};
use crate::input::bundle::EntryId;

/// The format.
pub static FORMAT: Format = Format {
    id: "systrace",
    title: "Android systrace",
    written_by: "systrace, atrace and traceconv of Android; the kernel's ftrace",
    patterns: &["*.html", "*.systrace", "*.ftrace", "*.ctrace", "*.txt"],
    shows: "Timeline, NNAPI",
    source: "ftrace.rst of the Linux kernel; AOSP, NeuralNetworks/tools/systrace_parser",
    probe: probe::probe,
    read,
    operators: None,
};

fn read(claim: &Claim) -> Box<dyn Reading> {
    let entry = claim.entries.first().map_or(EntryId(u32::MAX), |(entry, _)| *entry);
    match claim.entries.first() {
        Some((_, probe::PROTO)) => Box::new(proto::Proto::new(entry)),
        _ => Box::new(text::Text::new(entry)),
    }
}
