//! Trace Event JSON: one array of events, as Chrome's tracing defined it and many tools write it.
//!
//! Written by Chrome and Android, the profilers of `PyTorch`, `TensorFlow` and React Native, `MindStudio`'s operator tools (simulator
//! and on-board timelines, also inside `visualize_data.bin`) and others.
//!
//! ```text
//! {"displayTimeUnit":"ns", "profilingType":"op", "traceEvents":[
//!   {"ph":"X", "name":"MMAD", "pid":"core0.cubecore0", "tid":"CUBE", "ts":0.5, "dur":0.02, "args":{…}}, …]}
//! ```
//!
//! | ph | becomes |
//! |---|---|
//! | X | a slice |
//! | B E | a slice by the rules of `join/pairs.rs`; in operator traces only SET and WAIT, by `join/flags.rs` |
//! | b n e (S T p F) | slices and instants on a track of the id's first name |
//! | T with a `dur` | a state of a thread, as Perfetto reads it: a slice on a track beside the thread |
//! | i I R P | an instant; those of `[memory]` make counters too, by `memory.rs`; `Profile` and `ProfileChunk`, and `P` with a stack (`sf`), are CPU samples, by `sampled.rs` |
//! | s t f | arrows by `join/flows.rs`; so are `bind_id` with `flow_in`, `flow_out` of slices that begin |
//! | C | a counter, each number among the args a series |
//! | M | names, labels and orders of processes and threads |
//! | others | counted, with the reason |
//!
//! `ts` and `dur` are microseconds whatever `displayTimeUnit` says; they are read as decimal text, to the nanosecond.
//! `profilingType` with "op" makes an operator trace: before the events, or behind them in the last 64 KiB of the file.
//! Files without closing bracket, trailing commas and bare arrays are plain; damage costs the events it hits.
//! `samples` with `stackFrames` around the events are CPU samples, by `sampled.rs`.
//! Not read: the meaning of `args` but the number that ties a call to what it launched, by `device/links.rs` (their bytes
//! are read back when asked for); thread clocks.
//!
//! Sources: the document "Trace Event Format" of the Chromium project; for operator traces the specification of their
//! viewer, section 4. Verified on real `PyTorch` profiles, on React Native profiles, and on made operator traces.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![deny(clippy::cast_possible_truncation)]

pub mod detail;
pub(super) mod device;
mod events;
pub mod fields;
pub mod guide;
mod join;
mod memory;
mod meta;
mod names;
mod outcome;
mod phases;
mod probe;
mod sampled;
mod top;
mod tracks;

pub use detail::detail;
pub use events::{Events, OPERATOR_TERMS, Options, Tally};

use super::System;
use crate::analysis::compare::headline::Quantity;
use crate::analysis::device::has_streams;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::unit::Unit;
use crate::base::words::{Message, phrase};
use crate::export::ExportInput;
use crate::format::detail::SliceReader;
use crate::format::sink::Sink;
use crate::format::{Claim, Format, Probe, Reading, Want};
use crate::input::bundle::{Bundle, EntryId};
use crate::input::source::read_range;
use crate::model::parameter::Values;

/// The system.
pub static SYSTEM: System = System {
    id: "trace_event",
    title: phrase("Trace Event JSON"),
    formats: &[&FORMAT],
    analyses: &[],
    exports: &[],
    requests: &[],
    color_schemes: &[],
    examples: &[],
    search_prefixes: &[],
    headline: |input| recorded(input).into_iter().collect(),
};

/// The format.
pub static FORMAT: Format = Format {
    id: "trace_event",
    title: "Trace Event JSON",
    written_by: "Chrome, PyTorch profiler, MindStudio operator tools, React Native and many others",
    patterns: &["*.json", "*.json.gz", "*.trace"],
    shows: "Timeline",
    source: "Trace Event Format document of the Chromium project",
    probe: Probe { look: probe::look, join: None },
    parameters: &[],
    read,
    slices: Some(&SLICES),
    mode_note: None,
    operators: None,
};

/// How its slices are read back; containers that hold such events share it.
pub static SLICES: SliceReader = SliceReader {
    detail: |of| detail::detail(of.bytes),
    origin_key: detail::origin_key,
    origin: detail::origin,
};

/// How long a trace without a device is; what devices did is told of any trace.
fn recorded(input: &ExportInput) -> Option<Quantity> {
    let nanos = input.trace.clock.nanos().filter(|_| !has_streams(input.trace))?;
    let is_own = input.formats.iter().all(|format| format.id == FORMAT.id);
    let span = input.trace.span.filter(|_| is_own && !input.formats.is_empty())?;
    let time = (span.dur() as f64 * nanos, Unit::Nanos);
    Some(Quantity::new(phrase("Recorded time"), time, &"", Message::default()))
}

fn read(claim: &Claim, _: &Values) -> Box<dyn Reading> {
    let entry = claim.entries.first().map_or(EntryId(u32::MAX), |(entry, _)| *entry);
    Box::new(File { entry, events: None, is_ended: false })
}

/// How much of the end is looked at for what stands behind the events.
const TAIL: u64 = 1 << 16;

/// The folder of a file when it is that of one core, such as `core0.veccore0`: simulators write a trace of each.
fn core_folder(path: &str) -> Option<&str> {
    let folder = path.rsplit('/').nth(1)?;
    folder.strip_prefix("core")?.starts_with(|c: char| c.is_ascii_digit()).then_some(folder)
}

/// One file being read.
struct File {
    entry: EntryId,
    /// The reader, from the first question on.
    events: Option<Events>,
    /// Whether all bytes were read.
    is_ended: bool,
}

impl Reading for File {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        if let Some(mut events) = self.events.take() {
            if !std::mem::replace(&mut self.is_ended, true) {
                events.end_text(sink);
            }
            if events.settle(sink) {
                self.events = Some(events);
                return Ok(Want::Again);
            }
            events.finish(sink);
            return Ok(Want::Done);
        }
        let Some(entry) = bundle.get(self.entry) else {
            let kind = Kind::Io { message: "the file is gone".to_owned() };
            return Err(Fault::new("TEV-GONE", Severity::Fatal, Place::default(), kind));
        };
        sink.step = "Reading events";
        let len = entry.source.len();
        let tail = read_range(&*entry.source, len.saturating_sub(TAIL)..len).unwrap_or_default();
        let path = entry.path.clone();
        let core = core_folder(&path);
        let group = match (sink.is_shared, core) {
            // Cores of several devices are told apart by the folders above them.
            (true, Some(core)) => {
                bundle.short(self.entry).rsplit_once('/').map_or(core, |(folder, _)| folder)
            }
            (true, None) => bundle.short(self.entry),
            (false, core) => core.unwrap_or(""),
        };
        let (group, is_core) = (group.to_owned(), core.is_some());
        let is_operator = top::ends_as_operator(&tail).then_some(true);
        let options =
            Options { entry: self.entry.0, path, block: Message::default(), is_operator, group, is_core };
        self.events = Some(Events::new(options));
        Ok(Want::Stream { entry: self.entry, range: 0..entry.source.len() })
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        if let Some(events) = &mut self.events {
            let at = events.fed();
            events.feed(chunk, at, sink);
        }
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        self.events.as_ref().map(|events| (self.entry, events.position()))
    }
}
