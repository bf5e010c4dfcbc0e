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
//! | `funcgraph_entry`, `funcgraph_exit` | a slice on the track of the thread, by `text/functions.rs` |
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

#![deny(clippy::cast_possible_truncation)]

pub mod aosp;
pub(crate) mod collect;
mod text;

use crate::base::map::{Map, Set};
use crate::base::words::{Message, message};
use crate::format::{
    Claim, Degree, Format, Probe, ProbeResult, Reading, SliceDetail, SliceReader, unreadable,
};
use crate::input::{Entry, EntryId, read_range};
use crate::model::parameter::Values;
use crate::systems::android::nnapi::mark::{Layer, label};
use memchr::memmem;
use text::{detail, fields, priority};

/// The format.
pub static FORMAT: Format = Format {
    id: "systrace",
    title: "Android systrace",
    written_by: "Android systrace, atrace and traceconv; Linux ftrace",
    patterns: &["*.html", "*.systrace", "*.ftrace", "*.ctrace", "*.txt"],
    shows: "Timeline, NNAPI",
    source: "ftrace.rst of the Linux kernel; AOSP, NeuralNetworks/tools/systrace_parser",
    probe: Probe { look: probe_look, join: None },
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
        args: None,
    }),
    mode_note: None,
    operators: None,
};

fn read(claim: &Claim, _: &Values) -> Box<dyn Reading> {
    let entry = claim.entries.first().map_or(EntryId(u32::MAX), |(entry, _)| *entry);
    Box::new(text::Text::new(entry))
}

// Recognizes traces of ftrace by their text: rows as the kernel writes them, or the header above them.

/// How much of a file is looked at first: enough to say no to nearly every other file.
const FIRST: u64 = 4096;

/// How much of a text is looked at.
const HEAD: u64 = 1 << 18;

/// A trace in HTML stands behind its viewer of some megabytes: this much of the page is looked at.
const PAGE: u64 = 16 << 20;

/// In steps of this size.
const WINDOW: u64 = 1 << 20;

/// Begins a trace inside a page.
const SCRIPT: &[u8] = b"<script class=\"trace-data\"";

/// Begins a `trace.dat`, which trace-cmd writes.
const TRACE_DAT: &[u8] = b"\x17\x08\x44tracing";

/// Role of a text.
const TEXT: &str = "trace";

/// How many rows make it certain.
const ROWS: usize = 2;

/// Looks at an entry.
fn probe_look(entry: &Entry) -> ProbeResult {
    probe_text(entry).map(|(degree, reason)| (degree, TEXT, reason))
}

/// How sure, and why; or how near, and what is missing.
fn probe_text(entry: &Entry) -> Result<(Degree, Message), (u8, Message)> {
    let read = |n: u64| read_range(&*entry.source, 0..n).map_err(|e| (0, unreadable(&e.0)));
    let first = read(FIRST)?;
    let text = first.trim_ascii_start();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
    match text.first() {
        None => return Err((0, message("expected text, found nothing"))),
        Some(b'<') => return page(entry, text),
        Some(b'{' | b'[') => return Err((0, message("expected ftrace rows, found JSON"))),
        Some(_) if first.starts_with(TRACE_DAT) => {
            return Err((60, message("it is binary: `trace-cmd report` converts it to text")));
        }
        Some(_) => {}
    }
    judge(&first).or_else(|miss| {
        // Words and comments may stand before the first row; other texts are not read further.
        let is_near = text.starts_with(b"#") || memmem::find(&first, b"TRACE:").is_some();
        if is_near { judge(&read(HEAD)?) } else { Err(miss) }
    })
}

/// A page: the trace stands in a script of a class of its own.
fn page(entry: &Entry, head: &[u8]) -> Result<(Degree, Message), (u8, Message)> {
    let is_row =
        head.starts_with(b"<...>-") || head.starts_with(b"<idle>-") || head.starts_with(b"<unknown>-");
    let len = entry.source.len();
    let read = |range| read_range(&*entry.source, range).map_err(|e| (0, unreadable(&e.0)));
    if is_row {
        return judge(&read(0..HEAD)?);
    }
    let mut at = 0;
    while at < len.min(PAGE) {
        let bytes = read(at..at + WINDOW)?;
        if memmem::find(&bytes, SCRIPT).is_some() {
            return Ok((Degree::Certain, message("it has a trace-data script")));
        }
        if memmem::find(&bytes, b"TASK-PID").is_some() && memmem::find(&bytes, b"  FUNCTION").is_some() {
            return Ok((Degree::Likely, message("it has the ftrace header")));
        }
        // What is searched for may lie across the end.
        at += WINDOW - 128;
    }
    Err((10, message("it has no trace-data script")))
}

/// A text: rows are worth more than a header, a header more than nothing.
fn judge(head: &[u8]) -> Result<(Degree, Message), (u8, Message)> {
    let lines = head.split(|b| matches!(b, b'\n' | b'\r'));
    let n = lines.filter(|line| fields(line).is_some()).take(ROWS).count();
    let has_header = memmem::find(head, b"TASK-PID").is_some();
    match (n, has_header) {
        (ROWS, _) => Ok((Degree::Certain, message("its lines are ftrace rows"))),
        (1, _) => Ok((Degree::Likely, message("it has an ftrace row"))),
        (_, true) => Ok((Degree::Likely, message("it has the ftrace header"))),
        (_, false) if head.starts_with(b"# tracer:") || head.starts_with(b"TRACE:") => {
            Ok((Degree::Likely, message("it starts like an ftrace file")))
        }
        _ => Err((5, message("no ftrace rows"))),
    }
}

// What a first pass over the rows finds out: which threads have to do with NNAPI, and which processes are drivers.
//
// A thread has to do with NNAPI when one of its marks does, or when the AOSP parser would look for its rows. A process is
// a driver when it serves calls of a driver's interfaces (HIDL of any version, or AIDL), or has marks of the driver layer
// and none of the application or the runtime.

/// What is in every mark that makes a thread one of NNAPI.
pub(crate) const SIGNS: [&[u8]; 6] =
    [b"[NN", b"IDevice", b"IPreparedModel", b"IExecution", b"IFencedExecution", b"IBurst"];

/// What is known after all rows were seen once.
#[derive(Default)]
pub(crate) struct Survey {
    threads: Set<String>,
    processes: Map<String, Roles>,
    /// The process of each thread, as its rows say it last.
    process_of: Map<String, String>,
    has_runtime: bool,
}

/// What a process was seen doing.
#[derive(Clone, Copy, Default)]
struct Roles {
    /// It serves calls of a driver's interfaces.
    is_server: bool,
    has_driver_marks: bool,
    has_client_marks: bool,
}

impl Survey {
    /// Looks at a mark with one of the signs. `pid` is the number of the thread; `process` that of its process, empty
    /// when it is not known; `mark` the text from `B` or `E` on.
    pub(crate) fn row(&mut self, pid: &str, process: &str, mark: &str) {
        let label = label(mark);
        let scope = label.scope.filter(|_| mark.starts_with('B'));
        // The second half is how the AOSP parser chooses its threads, and what it stumbles over.
        if scope.is_none() && !mark.contains("[NN") && !mark.contains("HIDL::IDevice") {
            return;
        }
        if !self.threads.contains(pid) {
            self.threads.insert(pid.to_owned());
        }
        let process = if process.is_empty() { text::process_of(mark) } else { process };
        if !process.is_empty() && self.process_of.get(pid).is_none_or(|known| known != process) {
            self.process_of.insert(pid.to_owned(), process.to_owned());
        }
        let Some((layer, _)) = scope else { return };
        self.has_runtime |= layer == Layer::Runtime;
        let is_call = label.name.starts_with("HIDL::") || label.name.starts_with("AIDL::");
        let seen = Roles {
            is_server: is_call && layer == Layer::Driver,
            has_driver_marks: !is_call && layer == Layer::Driver,
            has_client_marks: matches!(layer, Layer::Application | Layer::Runtime),
        };
        match self.processes.get_mut(process) {
            Some(roles) => {
                roles.is_server |= seen.is_server;
                roles.has_driver_marks |= seen.has_driver_marks;
                roles.has_client_marks |= seen.has_client_marks;
            }
            None => _ = self.processes.insert(process.to_owned(), seen),
        }
    }

    /// Whether a thread has to do with NNAPI.
    pub(crate) fn is_marked(&self, pid: &str) -> bool {
        self.threads.contains(pid)
    }

    /// How many threads have to do with NNAPI.
    pub(crate) fn n_threads(&self) -> usize {
        self.threads.len()
    }

    /// The process of a thread that has to do with NNAPI; empty when no row says it.
    pub(crate) fn process_of(&self, pid: &str) -> &str {
        self.process_of.get(pid).map_or("", String::as_str)
    }

    /// Whether a process is a driver.
    pub(crate) fn is_driver(&self, process: &str) -> bool {
        let roles = self.processes.get(process).copied().unwrap_or_default();
        if process.is_empty() {
            return false;
        }
        roles.is_server || (roles.has_driver_marks && !roles.has_client_marks)
    }

    /// Whether a process has threads that have to do with NNAPI.
    pub(crate) fn is_known(&self, process: &str) -> bool {
        self.processes.contains_key(process)
    }

    /// Whether the runtime wrote marks.
    pub(crate) fn has_runtime(&self) -> bool {
        self.has_runtime
    }
}
