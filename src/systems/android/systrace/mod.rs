//! Android systrace: ftrace as text, with marks that apps, services and drivers wrote.
//!
//! Written by `systrace.py` (HTML), `atrace` (`TRACE:`, text, also compressed), `traceconv` and by copying the kernel's
//! `trace` file. The same events as packets are read by the system of Perfetto, with `collect` and `survey` of this one.
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
//! | other rows | instants on tracks of their threads, by `collect/kernel.rs` |
//!
//! The text is read twice: `survey.rs` finds the threads that have to do with NNAPI and the drivers, then all rows are
//! read. Memory grows with the rows: a slice each, and on such threads a mark each.
//!
//! Rows are read as liberally as they are written (`text/row.rs`); beside it `aosp` follows what the AOSP
//! parser takes, and where it stops.
//!
//! Source: the kernel's Documentation/trace/ftrace.rst, AOSP's atrace and its NNAPI systrace parser (Android 11 to 13),
//! Perfetto's documentation. Verified on two real systrace captures and on made ones.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![deny(clippy::cast_possible_truncation)]

pub mod aosp;
pub(crate) mod collect;
mod probe;
pub(crate) mod survey;
mod text;

use text::{detail, priority};

use crate::format::detail::{SliceDetail, SliceReader};
use crate::format::{Claim, Format, Probe, Reading};
use crate::input::bundle::EntryId;
use crate::model::parameter::Values;

/// The format.
pub static FORMAT: Format = Format {
    id: "systrace",
    title: "Android systrace",
    written_by: "Android systrace, atrace and traceconv; Linux ftrace",
    patterns: &["*.html", "*.systrace", "*.ftrace", "*.ctrace", "*.txt"],
    shows: "Timeline, NNAPI",
    source: "ftrace.rst of the Linux kernel; AOSP, NeuralNetworks/tools/systrace_parser",
    probe: Probe { look: probe::look, join: None },
    parameters: &[],
    read,
    slices: Some(&SliceReader {
        detail: |of| SliceDetail {
            args: detail(of.bytes),
            members: priority(of.bytes),
            ..SliceDetail::default()
        },
        origin_key: |_, key| key.clear(),
        origin: |_| (None, Vec::new()),
    }),
    mode_note: None,
    operators: None,
};

fn read(claim: &Claim, _: &Values) -> Box<dyn Reading> {
    let entry = claim.entries.first().map_or(EntryId(u32::MAX), |(entry, _)| *entry);
    Box::new(text::Text::new(entry))
}
