//! Perfetto: traces in protobuf, a sequence of packets.
//!
//! Written by `perfetto` and traced of Android 9 and later, Chrome, the Perfetto SDK, and tools that write its format, such as
//! `rocprofv3` and JAX.
//!
//! ```text
//! Trace ▸ packet 1 ▸ timestamp 8, clock 58, sequence 10, flags 13, interned 12, defaults 59
//!                  ▸ ftrace_events 1 ▸ cpu 1, event 2 ▸ timestamp 1, pid 2, print 3 ▸ buf 2 "B|550|[NN_LR_PE]…"
//!                                     lost_events 3, compact_sched 4, ftrace_clock 5
//!                  ▸ process_tree 2, clock_snapshot 6, track_event 11, track_descriptor 60, …
//!                  ▸ compressed_packets 50, zstd_compressed_packets 133 ▸ packets again
//! ```
//!
//! | packet | becomes |
//! |---|---|
//! | `track_event` | slices, instants, samples and arrows, by `track` |
//! | `ftrace_events` | slices, states of threads, counters, by `ftrace`; marks of NNAPI by the system of Android |
//! | `gpu_render_stage_event`, `gpu_counter_event` | slices of queues, counters, by `gpu.rs` |
//! | `sys_stats`, `process_stats`, `power_rails`, `battery`, `gpu_mem_total_event` | counters, by `stats.rs` |
//! | `perf_sample`, `streaming_profile_packet` | instants of threads with call stacks, by `samples.rs` |
//! | `frame_timeline_event`, `android_log`, `journald_event` | slices and instants, by `services.rs` |
//! | `process_tree`, `track_descriptor`, `generic_kernel_process_tree` and others | names |
//! | `clock_snapshot` | times of all clocks on the timeline's, by `clock.rs` |
//! | others | counted by their names |
//!
//! Each machine of a trace has its own processes, processors and tracks, in a group of its own.
//!
//! Packets are cut out and unpacked while they are read, twice: names, clocks and tracks are known before the first event.
//! Memory grows with the rows; begins and ends of a track wait among some ten thousand neighbors for their order. Arguments
//! of slices are read back from their packets. What the AOSP parser says of such a file is what it would say of the same
//! events as text, with times in full precision: it takes every row, with the process that the tree names.
//!
//! Source: `protos/perfetto/trace` of the Perfetto project. Verified on the expected results of its own tests, on traces of
//! Chrome and Android, and on made ones.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![deny(clippy::cast_possible_truncation)]

mod clock;
mod detail;
mod first;
pub mod ftrace;
mod gpu;
mod names;
mod packet;
mod probe;
mod reading;
mod samples;
mod second;
mod sequence;
mod services;
mod stats;
mod track;

use super::System;
use crate::base::words::phrase;
use crate::format::detail::SliceReader;
use crate::format::{Format, Probe};
use crate::input::bundle::EntryId;

/// Its formats where it is not loaded.
pub(super) static RECOGNIZED: &[Format] = &[FORMAT.recognized()];

/// The system.
pub static SYSTEM: System = System {
    id: "perfetto",
    title: phrase("Perfetto"),
    formats: &[&FORMAT],
    analyses: &[],
    exports: &[],
    requests: &[],
    color_schemes: &[],
    examples: &[],
    search_prefixes: &[],
    headline: |_| Vec::new(),
};

/// The format.
pub static FORMAT: Format = Format {
    id: "perfetto",
    title: "Perfetto trace",
    written_by: "Perfetto, Android, Chrome, rocprofv3, JAX",
    patterns: &["*.pftrace", "*.perfetto-trace", "*.perfetto", "*.pftrace.gz"],
    shows: "Timeline, NNAPI",
    source: "protos/perfetto/trace of the Perfetto project",
    probe: Probe { look: probe::look, join: None },
    parameters: &[],
    read: |claim, _| {
        let entry = claim.entries.first().map_or(EntryId(u32::MAX), |(entry, _)| *entry);
        Box::new(reading::File::new(entry))
    },
    slices: Some(&SliceReader {
        detail: detail::detail,
        origin_key: |_, key| key.clear(),
        origin: |_| (None, Vec::new()),
    }),
    mode_note: None,
    operators: None,
};
