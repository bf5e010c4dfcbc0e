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
mod faults;
mod frames;
pub mod ftrace;
mod gpu;
mod packet;
mod reading;
mod samples;
mod second;
mod sequence;
mod stats;
mod track;

use super::System;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::words::{message, phrase};
use crate::format::{Degree, Format, Probe, ProbeResult, Sink, SliceReader};
use crate::input::{Entry, EntryId, read_range};
use crate::model::id::TrackId;
use crate::model::slice::SliceRow;
use crate::model::track::TrackKind;
use crate::systems::android::systrace::collect::{Collector, ThreadNames, shortened};
use crate::systems::android::systrace::{SIGNS, Survey};
use clock::Clocks;
use ftrace::{Described, Event, mark_of};
use memchr::memmem::Finder;
use packet::fields::{Fields, Value};
use packet::messages::{
    Bundle, Compact, GenericRename, GenericTask, GenericTree, ProcessTree, TrackDescriptor,
};
use packet::{Packet, fields, number};
use track::Descriptors;

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
    guide: &frames::GUIDE,
};

/// The format.
pub static FORMAT: Format = Format {
    id: "perfetto",
    title: "Perfetto trace",
    written_by: "Perfetto, Android, Chrome, rocprofv3, JAX",
    patterns: &["*.pftrace", "*.perfetto-trace", "*.perfetto", "*.pftrace.gz"],
    shows: "Timeline, NNAPI",
    source: "protos/perfetto/trace of the Perfetto project",
    probe: Probe { look: probe_look, join: None },
    parameters: &[],
    read: |claim, _| {
        let entry = claim.entries.first().map_or(EntryId(u32::MAX), |(entry, _)| *entry);
        Box::new(reading::File::new(entry))
    },
    slices: Some(&SliceReader {
        detail: detail::detail,
        origin_key: |_, key| key.clear(),
        origin: |_| (None, Vec::new()),
        args: None,
    }),
    mode_note: None,
    operators: None,
};

// Recognizes traces of Perfetto by their first packets.

/// How much of a file is looked at.
const HEAD: u64 = 1 << 16;

/// Role of a trace.
const PACKETS: &str = "packets";

/// Names of its files.
const ENDINGS: [&str; 3] = [".pftrace", ".perfetto-trace", ".perfetto"];

/// Looks at an entry.
fn probe_look(entry: &Entry) -> ProbeResult {
    let read = |n: u64| read_range(&*entry.source, 0..n).unwrap_or_default();
    let n = match read(1).first() {
        Some(&packet::PACKET) => fields::packets_in(&read(HEAD), entry.source.len()),
        Some(_) => 0,
        None => return Err((0, message("expected packets, found nothing"))),
    };
    match n {
        0 if ENDINGS.iter().any(|ending| entry.name().ends_with(ending)) => {
            Ok((Degree::Possible, PACKETS, message("it has a Perfetto file name")))
        }
        0 => Err((0, message("it does not start with a Perfetto packet"))),
        1 => Ok((Degree::Likely, PACKETS, message("it starts with a Perfetto packet"))),
        _ => Ok((Degree::Certain, PACKETS, message("it starts with Perfetto packets"))),
    }
}

// The first pass over a trace: names, clocks, descriptions of tracks, and who has to do with NNAPI.

/// What the first pass finds out.
struct First {
    signs: [Finder<'static>; SIGNS.len()],
    pub(crate) survey: Survey,
    pub(crate) names: Names,
    pub(crate) clocks: Clocks,
    pub(crate) tracks: Descriptors,
    pub(crate) events: Described,
}

impl Default for First {
    fn default() -> Self {
        Self {
            signs: SIGNS.map(Finder::new),
            survey: Survey::default(),
            names: Names::default(),
            clocks: Clocks::default(),
            tracks: Descriptors::default(),
            events: Described::default(),
        }
    }
}

impl First {
    /// Looks at a packet. Tells what is wrong with names; all else is said in the second pass.
    pub(crate) fn packet(&mut self, packet: &Packet) -> Result<(), String> {
        match packet.data.as_ref().map_or(0, |(number, _)| *number) {
            number::FTRACE => self.bundle(&packet.message().0),
            number::TRACK => {
                let said: TrackDescriptor = packet.message().0;
                self.tracks.learn(&said, &mut self.names);
            }
            number::CLOCK_SNAPSHOT => self.clocks.learn(&packet.message().0, packet.sequence),
            number::REMOTE_CLOCKS => self.clocks.learn_remote(&packet.message().0),
            number::THREAD => _ = self.tracks.thread(&packet.message().0, &mut self.names),
            number::GENERIC_TASK => self.names.task(&packet.message().0),
            number::PROCESS_TREE => {
                let (tree, said) = packet.message();
                self.names.tree(&tree);
                return said;
            }
            number::PROCESS => {
                let (process, said) = packet.message();
                self.tracks.process(&process, None, &mut self.names);
                return said;
            }
            number::GENERIC_TREE => {
                let (tree, said) = packet.message();
                self.names.generic_tree(&tree);
                return said;
            }
            number::GENERIC_RENAME => {
                let (task, said) = packet.message();
                self.names.rename(&task);
                return said;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether anything has a name.
    pub(crate) fn has_names(&self) -> bool {
        let has_name = self.names.threads.values().any(|thread| !thread.name.is_empty());
        has_name || self.names.processes().next().is_some() || self.tracks.has_names()
    }

    fn bundle(&mut self, bundle: &Bundle) {
        bundle.descriptors.iter().for_each(|said| self.events.learn(said));
        for event in bundle.event.iter().filter_map(|event| Event::read(event).ok()) {
            self.names.event(&event);
            let Some(mark) = mark_of(&event, |_| String::new()).filter(|_| event.kind == Event::PRINT) else {
                continue;
            };
            let is_begin_or_end = matches!(mark.first(), Some(b'B' | b'E'));
            if is_begin_or_end && self.signs.iter().any(|sign| sign.find(&mark).is_some()) {
                // The tree may come later; the mark names the process as well.
                self.survey.row(&event.pid.to_string(), "", &String::from_utf8_lossy(&mark));
            }
        }
        if let Some(compact) = &bundle.compact {
            self.names.compact(compact);
        }
    }
}

// Names of threads and processes, from all that names them: switches and renames of the kernel, trees of processes, and
// descriptions of tracks, each counting more than the one before.

/// How much a name counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    #[default]
    Nobody,
    Kernel,
    Tree,
    Track,
}

/// What is known of a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Thread {
    pub(crate) name: String,
    source: Source,
    /// Number of its process; 0 when nobody says it.
    pub(crate) process: i64,
}

/// All names, by numbers of threads and processes.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) threads: Map<i64, Thread>,
    processes: Map<i64, (Source, String)>,
}

impl Names {
    /// Names a thread, unless somebody who counts more did.
    pub(crate) fn thread(&mut self, tid: i64, name: &str, source: Source) {
        let thread = self.threads.entry(tid).or_default();
        // The idle threads of all processors share the number 0.
        if !name.is_empty() && thread.source <= source && tid != 0 {
            thread.source = source;
            if thread.name != name {
                name.clone_into(&mut thread.name);
            }
        }
    }

    /// A thread belongs to a process.
    pub(crate) fn belongs(&mut self, tid: i64, process: i64) {
        self.threads.entry(tid).or_default().process = process;
    }

    /// The number of the process of a thread as text, empty when nobody says it; and its name.
    pub(crate) fn of(&self, tid: i64) -> (String, &str) {
        let known = self.threads.get(&tid);
        let process = known.filter(|of| of.process != 0).map_or(String::new(), |of| of.process.to_string());
        (process, known.map_or("", |of| &of.name))
    }

    /// Names a process, unless somebody who counts more did.
    pub(crate) fn process(&mut self, pid: i64, name: &str, source: Source) {
        let known = self.processes.entry(pid).or_default();
        if !name.is_empty() && known.0 <= source {
            *known = (source, name.to_owned());
        }
    }

    /// All processes with names.
    pub(crate) fn processes(&self) -> impl Iterator<Item = (i64, &str)> {
        let named = self.processes.iter().filter(|(_, (_, name))| !name.is_empty());
        named.map(|(pid, (_, name))| (*pid, name.as_str()))
    }

    pub(crate) fn tree(&mut self, tree: &ProcessTree) {
        for thread in &tree.threads {
            let tid = i64::from(thread.tid.unwrap_or(0));
            self.thread(tid, &lossy(thread.name.as_deref()), Source::Tree);
            self.belongs(tid, i64::from(thread.tgid.unwrap_or(0)));
        }
        for process in &tree.processes {
            let pid = i64::from(process.pid.unwrap_or(0));
            self.belongs(pid, pid);
            self.process(pid, &lossy(process.cmdline.first().map(Vec::as_slice)), Source::Tree);
        }
    }

    pub(crate) fn generic_tree(&mut self, tree: &GenericTree) {
        for thread in &tree.threads {
            let tid = thread.tid.unwrap_or(0);
            self.thread(tid, &lossy(thread.name.as_deref()), Source::Tree);
            self.belongs(tid, thread.pid.unwrap_or(0));
        }
        for process in &tree.processes {
            let line = lossy(process.cmdline.as_deref());
            let name = line.split(' ').next().unwrap_or_default();
            self.process(process.pid.unwrap_or(0), name, Source::Tree);
        }
    }

    pub(crate) fn rename(&mut self, task: &GenericRename) {
        self.thread(task.tid.unwrap_or(0), &lossy(task.name.as_deref()), Source::Kernel);
    }

    pub(crate) fn task(&mut self, task: &GenericTask) {
        self.thread(task.tid.unwrap_or(0), &lossy(task.name.as_deref()), Source::Kernel);
    }

    /// Takes the names of an event of the kernel.
    pub(crate) fn event(&mut self, event: &Event) {
        /// Of a new task: it is a thread of the process of the one that made it.
        const THREAD: i64 = 0x10000;
        let (pid, name) = match event.kind {
            Event::SCHED_SWITCH => {
                self.thread(event.number(2), &event.text(1), Source::Kernel);
                (6, 5)
            }
            Event::SCHED_WAKING | Event::SCHED_WAKEUP | Event::SCHED_WAKEUP_NEW => (2, 1),
            Event::TASK_RENAME => (1, 3),
            Event::TASK_NEWTASK => {
                let (maker, tid) = (i64::from(event.pid), event.number(1));
                let of_maker = self.threads.get(&maker).map_or(0, |thread| thread.process);
                let process = if event.number(3) & THREAD == 0 { tid } else { of_maker };
                if self.threads.get(&tid).is_none_or(|thread| thread.process == 0) {
                    self.belongs(tid, process);
                }
                (1, 2)
            }
            _ => return,
        };
        self.thread(event.number(pid), &event.text(name), Source::Kernel);
    }

    pub(crate) fn compact(&mut self, compact: &Compact) {
        let texts: Vec<_> = compact.names.iter().map(|name| String::from_utf8_lossy(name)).collect();
        for (pids, names) in
            [(&compact.next_pid, &compact.next_name), (&compact.woken_pid, &compact.woken_name)]
        {
            for (pid, row) in pids.iter().zip(names) {
                let name = texts.get(*row as usize).map_or("", |name| name);
                self.thread(i64::from(*pid), name, Source::Kernel);
            }
        }
    }
}

impl ThreadNames for Names {
    fn of(&self, tid: i64) -> (String, &str) {
        Self::of(self, tid)
    }
}

/// A text that may be broken, or missing.
fn lossy(bytes: Option<&[u8]>) -> String {
    String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
}

// What services of the system tell: frames of the display, and messages of logs.
//
// | packet | becomes |
// |---|---|
// | `frame_timeline_event` | slices of the tracks `Expected frames` and `Actual frames` of each process, by layer |
// | `android_log`, `journald_event` | instants on a track of each process |

/// Names of the fields of a begin, by its kind: frames of the display and of an application, each as expected and as they
/// were.
const FRAME_FIELDS: [&str; 4] = [
    "cookie token pid",
    "cookie token pid present_type on_time_finish gpu_composition jank_type prediction_type",
    "cookie token display_frame_token pid layer_name",
    "cookie token display_frame_token pid layer_name present_type on_time_finish gpu_composition jank_type \
     prediction_type is_buffer",
];

/// The same by the number of the kind.
fn frame_fields(kind: u64) -> Option<&'static str> {
    FRAME_FIELDS.get(usize::try_from(kind).ok()?.checked_sub(1)?).copied()
}

/// What frames of the display itself are called; others have the name of their layer.
const DISPLAY: &str = "Display frame";

/// Frames of a file.
#[derive(Default)]
struct Frames {
    /// Those that have begun, by their cookies.
    open: Map<u64, (TrackId, SliceRow, frames::Key, Option<frames::Shown>)>,
    /// When those that were expected should have ended.
    due: Map<frames::Key, Ticks>,
    /// Those that were shown, with their ends.
    shown: Vec<(frames::Key, frames::Shown)>,
}

impl Frames {
    /// Takes `FrameTimelineEvent`; how long the frame was that ends with it.
    pub(crate) fn take(
        &mut self,
        bytes: &[u8],
        (time, place): (Ticks, (u64, u32)),
        (collector, sink): (&mut Collector, &mut Sink),
    ) -> Option<Ticks> {
        let (kind, body) = Fields::of(bytes).next()?;
        let names = frame_fields(kind);
        let value = |name| {
            let field = (1..).zip(names?.split(' ')).find(|(_, of)| *of == name)?.0;
            Fields::of(body.bytes()).find(|(number, _)| *number == field).map(|(_, value)| value.number())
        };
        let Some(names) = names else {
            let cookie = Fields::of(body.bytes()).next().map_or(0, |(_, cookie)| cookie.number());
            let open = self.open.remove(&cookie);
            if open.is_none() {
                sink.builder.drop_row("frame ends without a start");
            }
            return open.map(|open| self.end(open, time, sink));
        };
        let group = collector.process_track(&value("pid").unwrap_or(0).to_string(), sink);
        let is_actual = names.contains("jank_type");
        let name = if is_actual { "Actual frames" } else { "Expected frames" };
        let track = collector.track_in(group, TrackKind::Slices, name, sink)?;
        sink.builder.parallel_track(track);
        let layer = layer_of(names, body.bytes());
        let of = if layer.is_empty() { DISPLAY } else { &layer };
        let named = sink.builder.intern(of);
        // What was expected and what was do not add up.
        let name = if is_actual { named } else { sink.builder.intern(&format!("{of} (expected)")) };
        let jank = value("jank_type").unwrap_or(0);
        let words = frames::JANK.iter().enumerate().filter(|(bit, _)| jank >> bit & 1 != 0);
        let category = sink.builder.intern(&words.map(|(_, word)| *word).collect::<Vec<_>>().join(", "));
        let (detail_start, detail_len) = place;
        let row = SliceRow { category, detail_start, detail_len, ..SliceRow::new(time, 0, name) };
        let key = (value("pid").unwrap_or(0), value("token").unwrap_or(0), named);
        let shown = value("present_type").map(|present| frames::Shown {
            track,
            layer: (!layer.is_empty()).then_some(named),
            jank,
            present,
            ..frames::Shown::default()
        });
        let open = self.open.insert(value("cookie").unwrap_or(0), (track, row, key, shown));
        open.map(|open| self.end(open, time, sink))
    }

    fn end(
        &mut self,
        (track, row, key, shown): (TrackId, SliceRow, frames::Key, Option<frames::Shown>),
        time: Ticks,
        sink: &mut Sink,
    ) -> Ticks {
        match shown {
            Some(shown) => {
                let span = Span { start: row.start, end: time.max(row.start) };
                self.shown.push((key, frames::Shown { span: Some(span), ..shown }));
            }
            None => _ = self.due.insert(key, time),
        }
        end((track, row), time, sink);
        time.saturating_sub(row.start)
    }

    /// Nothing follows: frames that are still open last to the end of the trace.
    pub(crate) fn finish(&mut self, last: Ticks, sink: &mut Sink) {
        let mut open: Vec<_> = std::mem::take(&mut self.open).into_iter().collect();
        order::sort_by_key(&mut open, |(cookie, ..)| *cookie);
        for (_, (track, row, key, shown)) in open {
            self.shown.extend(shown.map(|shown| (key, shown)));
            end((track, SliceRow { is_unfinished: true, ..row }), last, sink);
        }
        let known = sink.builder.head().extensions.get_or_default::<frames::Timeline>();
        for (key, mut shown) in std::mem::take(&mut self.shown) {
            let ends = shown.span.zip(self.due.get(&key));
            shown.late = ends.map(|(span, due)| span.end.saturating_sub(*due));
            known.0.push(shown);
        }
    }
}

/// The name of the layer of a frame; empty for frames of the display.
fn layer_of(names: &str, body: &[u8]) -> String {
    let Some(field) = (1..).zip(names.split(' ')).find(|(_, of)| *of == "layer_name") else {
        return String::new();
    };
    lossy(Fields::of(body).find(|(number, _)| *number == field.0).map(|(_, value)| value.bytes()))
}

fn end((track, row): (TrackId, SliceRow), time: Ticks, sink: &mut Sink) {
    sink.builder.slice(track, SliceRow { dur: time.saturating_sub(row.start).max(0), ..row });
}

/// A message of a log.
#[derive(Default)]
struct LogLine {
    pid: u64,
    /// In nanoseconds of the wall clock, when it says its own.
    pub(crate) time: Option<u64>,
    priority: &'static str,
    text: String,
}

impl LogLine {
    /// A message of `AndroidLogPacket`.
    pub(crate) fn android(bytes: &[u8]) -> Self {
        const PRIORITIES: [&str; 8] = ["", "", "verbose", "debug", "info", "warning", "error", "fatal"];
        Self::read(bytes, &[2, 5, 6, 7, 8], &PRIORITIES)
    }

    /// `JournaldEvent`.
    pub(crate) fn journal(bytes: &[u8]) -> Self {
        const PRIORITIES: [&str; 8] =
            ["emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"];
        Self::read(bytes, &[1, u64::MAX, 6, 5, 7], &PRIORITIES)
    }

    /// With the numbers of the fields for process, time, tag, priority and text.
    fn read(bytes: &[u8], [pid, time, tag, priority, text]: &[u64; 5], priorities: &[&'static str]) -> Self {
        let mut line = Self::default();
        let mut tag_of = String::new();
        for (number, value) in Fields::of(bytes) {
            match number {
                _ if number == *pid => line.pid = value.number(),
                _ if number == *time => line.time = Some(value.number()),
                _ if number == *tag => tag_of = lossy(Some(value.bytes())),
                _ if number == *text => line.text = lossy(Some(value.bytes())),
                _ if number == *priority => {
                    let row = usize::try_from(value.number()).ok();
                    line.priority = row.and_then(|row| priorities.get(row)).copied().unwrap_or_default();
                }
                _ => {}
            }
        }
        if !tag_of.is_empty() {
            line.text = format!("{tag_of}: {}", line.text);
        }
        line
    }

    /// All messages of `AndroidLogPacket`.
    pub(crate) fn all(bytes: &[u8]) -> impl Iterator<Item = Self> {
        Fields::of(bytes).filter_map(|(number, value)| match (number, value) {
            (1, Value::Bytes(line)) => Some(Self::android(line)),
            _ => None,
        })
    }

    /// Shows it.
    pub(crate) fn show(&self, time: Ticks, (collector, sink): (&mut Collector, &mut Sink)) {
        if self.text.is_empty() {
            return sink.builder.drop_row("log packets without a message");
        }
        collector.time(time);
        let group = collector.process_track(&self.pid.to_string(), sink);
        let Some(track) = collector.track_in(group, TrackKind::Slices, "Log", sink) else { return };
        let name = sink.builder.intern(shortened(&self.text));
        let category = sink.builder.intern(self.priority);
        sink.builder.instant(track, time, name, category, (0, 0));
    }
}
