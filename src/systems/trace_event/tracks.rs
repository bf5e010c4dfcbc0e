//! Processes and threads of the events, and their places in the tree of tracks.
//!
//! Numbers and texts that look the same are the same: `PyTorch` writes `"tid": "7"` in slices and `"tid": 7` in names.
//! A track is made when something is put on it: a process that is only named stays out of the tree.
//! Order in operator traces: pipes as their writers number them; in others as the Trace Event document asks: by sort
//! index (0 when there is none), then by name. Files of one core have a process for each pipe: their threads are rows of
//! the core, named by the pipe.

use super::events::Options;
use super::hash_of;
use crate::analysis::device::ranks::{KnownRanks, Owner};
use crate::base::map::Map;
use crate::format::Sink;
use crate::input::json::scan::{same, unquoted};
use crate::input::json::unescape;
use crate::model::id::{StrId, TrackId};
use crate::model::strings::Strings;
use crate::model::track::{Role, TrackKind};

/// Row of a thread.
pub(super) type ThreadRow = u32;
/// Row of a process.
pub(super) type ProcessRow = u32;

/// Asynchronous tracks stand before the threads of their process, counters behind them.
const ASYNC_ORDER: i64 = -(1 << 40);
const COUNTER_ORDER: i64 = 1 << 40;
/// First of all, and last of all but counters.
const FIRST: i64 = -(1 << 50);
const LAST: i64 = 1 << 39;

#[derive(Default)]
struct Process {
    pid: String,
    name: Option<StrId>,
    labels: Option<StrId>,
    sort: Option<i64>,
    track: Option<TrackId>,
}

struct Thread {
    process: ProcessRow,
    tid: String,
    name: Option<StrId>,
    sort: Option<i64>,
    track: Option<TrackId>,
    states: Option<TrackId>,
}

/// The word behind the name of a thread whose states a track has.
const STATES: &str = " (state)";
/// The state of a thread that runs, as the kernel's tools call it.
const RUNNING: &str = "Running";

/// What a further track of a process is found by: its kind, its name, and what else tells it apart.
type OtherKey = (ProcessRow, bool, StrId, StrId);

/// All processes and threads of a text.
pub(super) struct Tracks {
    entry: u32,
    is_operator: bool,
    /// Name and track of the group above all processes; empty when there is none.
    file: (String, Option<TrackId>),
    /// Whether that group is a core and the processes are its pipes.
    is_core: bool,
    processes: Vec<Process>,
    threads: Vec<Thread>,
    by_pid: Map<String, ProcessRow>,
    by_tid: Map<(ProcessRow, String), ThreadRow>,
    others: Map<OtherKey, TrackId>,
    /// Bytes of pid and tid that were seen lately, placed by their hash.
    recent: Vec<(Vec<u8>, Vec<u8>, ThreadRow)>,
    /// Whether a thread has a sort index of its own.
    has_thread_order: bool,
    /// Whether something changed since the tracks were put in order.
    is_changed: bool,
}

/// See [`Tracks::owners`].
const PROCESS_BITS: u32 = 10;
const DEVICE_MASK: u64 = (1 << 5) - 1;

/// Pairs of pid and tid that are remembered; a power of two.
const RECENT: usize = 256;

/// The label of a process that runs on the host.
const HOST_LABEL: &str = "CPU";

/// Names of processes and threads that the file does not name.
const NO_PROCESS: &str = "No process";
const NO_THREAD: &str = "No thread";

impl Tracks {
    pub(super) fn new(options: &Options, is_operator: bool) -> Self {
        Self {
            entry: options.entry,
            is_operator,
            file: (options.group.clone(), None),
            is_core: options.is_core && is_operator,
            processes: Vec::new(),
            threads: Vec::new(),
            by_pid: Map::default(),
            by_tid: Map::default(),
            others: Map::default(),
            recent: vec![(Vec::new(), Vec::new(), ThreadRow::MAX); RECENT],
            has_thread_order: false,
            is_changed: false,
        }
    }

    /// The thread of these bytes, quotes or not.
    pub(super) fn thread(&mut self, pid: &[u8], tid: &[u8]) -> ThreadRow {
        let hash = hash_of(pid).rotate_left(17) ^ hash_of(tid);
        let at = usize::try_from(hash >> 56).unwrap_or(0) % RECENT;
        if let Some((p, t, row)) = self.recent.get(at)
            && *row != ThreadRow::MAX
            && same(p, pid)
            && same(t, tid)
        {
            return *row;
        }
        let process = self.process(pid);
        let key = (process, text(tid));
        let row = self.by_tid.get(&key).copied().unwrap_or_else(|| {
            let row = ThreadRow::try_from(self.threads.len()).unwrap_or(ThreadRow::MAX - 1);
            let tid = key.1.clone();
            self.threads.push(Thread { process, tid, name: None, sort: None, track: None, states: None });
            self.by_tid.insert(key, row);
            row
        });
        if let Some(recent) = self.recent.get_mut(at) {
            *recent = (pid.to_vec(), tid.to_vec(), row);
        }
        row
    }

    /// The process of these bytes, quotes or not.
    pub(super) fn process(&mut self, pid: &[u8]) -> ProcessRow {
        let pid = text(pid);
        if let Some(&row) = self.by_pid.get(&pid) {
            return row;
        }
        let row = ProcessRow::try_from(self.processes.len()).unwrap_or(ProcessRow::MAX);
        self.processes.push(Process { pid: pid.clone(), ..Process::default() });
        self.by_pid.insert(pid, row);
        row
    }

    /// The track of a thread, made when it is new. `None` when there are too many tracks.
    pub(super) fn track(&mut self, row: ThreadRow, sink: &mut Sink) -> Option<TrackId> {
        let thread = self.threads.get(row as usize)?;
        if thread.track.is_some() {
            return thread.track;
        }
        let group = self.group(thread.process, sink)?;
        let track = sink.builder.track(Some(group), TrackKind::Slices, Strings::EMPTY, self.entry)?;
        if let Some(thread) = self.threads.get_mut(row as usize) {
            thread.track = Some(track);
        }
        self.show_thread(row, sink);
        Some(track)
    }

    /// The track of a thread's states, made when it is new. `None` when there are too many tracks.
    pub(super) fn states(&mut self, row: ThreadRow, sink: &mut Sink) -> Option<TrackId> {
        let thread = self.threads.get(row as usize)?;
        if thread.states.is_some() {
            return thread.states;
        }
        let group = self.group(thread.process, sink)?;
        let track = sink.builder.track(Some(group), TrackKind::Slices, Strings::EMPTY, self.entry)?;
        let running = sink.builder.intern(RUNNING);
        sink.builder.role_track(track, Role::States, running);
        if let Some(thread) = self.threads.get_mut(row as usize) {
            thread.states = Some(track);
        }
        self.show_thread(row, sink);
        Some(track)
    }

    /// The thread of this number in whatever process has it, for what does not name its process.
    pub(super) fn thread_of(&mut self, tid: &[u8]) -> ThreadRow {
        let own = text(tid);
        let known = self.threads.iter().position(|thread| thread.tid == own);
        known.and_then(|row| row.try_into().ok()).unwrap_or_else(|| self.thread(b"", tid))
    }

    /// A new track for the samples of a thread, beside the thread.
    pub(super) fn sampled(&mut self, row: ThreadRow, sink: &mut Sink) -> Option<TrackId> {
        let thread = self.threads.get(row as usize)?;
        let (process, order) = (thread.process, thread.sort.unwrap_or(0));
        let own = self.own_name(&thread.tid, "Thread", NO_THREAD);
        let name = thread.name.filter(|n| *n != Strings::EMPTY);
        let name = name.map_or(own, |name| sink.builder.trace().strings.get(name).to_owned());
        let group = self.group(process, sink)?;
        let name = sink.builder.intern(&format!("{name} (CPU samples)"));
        let track = sink.builder.track(Some(group), TrackKind::Slices, name, self.entry)?;
        sink.builder.order_track(track, order);
        self.is_changed = true;
        Some(track)
    }

    /// The group of a process, made when it is new.
    fn group(&mut self, row: ProcessRow, sink: &mut Sink) -> Option<TrackId> {
        if self.is_core {
            return self.file_group(sink);
        }
        let process = self.processes.get(row as usize)?;
        if process.track.is_some() {
            return process.track;
        }
        let parent = if self.file.0.is_empty() { None } else { Some(self.file_group(sink)?) };
        let track = sink.builder.track(parent, TrackKind::Group, Strings::EMPTY, self.entry)?;
        if let Some(process) = self.processes.get_mut(row as usize) {
            process.track = Some(track);
        }
        self.show_process(row, sink);
        Some(track)
    }

    /// The group of the file, made when it is new.
    fn file_group(&mut self, sink: &mut Sink) -> Option<TrackId> {
        if self.file.1.is_none() {
            let name = sink.builder.intern(&self.file.0);
            self.file.1 = sink.builder.track(None, TrackKind::Group, name, self.entry);
        }
        self.file.1
    }

    /// A track of a process beside its threads: counters, or slices that belong to no thread. `apart` tells tracks of
    /// one name apart.
    pub(super) fn other(
        &mut self,
        process: ProcessRow,
        kind: TrackKind,
        (name, apart): (StrId, StrId),
        sink: &mut Sink,
    ) -> Option<TrackId> {
        let is_counter = kind == TrackKind::Counter;
        let key = (process, is_counter, name, apart);
        if let Some(&track) = self.others.get(&key) {
            return Some(track);
        }
        let group = self.group(process, sink)?;
        let track = sink.builder.track(Some(group), kind, name, self.entry)?;
        if !is_counter {
            sink.builder.async_track(track);
        }
        let order = if is_counter { COUNTER_ORDER } else { ASYNC_ORDER };
        sink.builder.order_track(track, order);
        sink.builder.label_track(track, apart);
        self.others.insert(key, track);
        self.is_changed = true;
        Some(track)
    }

    pub(super) fn name_process(&mut self, row: ProcessRow, name: StrId, sink: &mut Sink) {
        self.change_process(row, sink, |p| p.name = Some(name));
    }

    pub(super) fn label_process(&mut self, row: ProcessRow, labels: StrId, sink: &mut Sink) {
        // Profilers label the device of a number as they label the process of it, which in a container may be the host:
        // both labels stay.
        let before = self.processes.get(row as usize).and_then(|process| process.labels);
        let text = |id| sink.builder.trace().strings.get(id);
        let labels = match before.filter(|before| text(*before).split(", ").next() == Some(HOST_LABEL)) {
            Some(before) if text(before).split(", ").any(|label| label == text(labels)) => before,
            Some(before) => {
                let both = format!("{}, {}", text(before), text(labels));
                sink.builder.intern(&both)
            }
            None => labels,
        };
        self.change_process(row, sink, |p| p.labels = Some(labels));
    }

    pub(super) fn order_process(&mut self, row: ProcessRow, order: i64, sink: &mut Sink) {
        self.change_process(row, sink, |p| p.sort = Some(order));
    }

    fn change_process(&mut self, row: ProcessRow, sink: &mut Sink, change: impl FnOnce(&mut Process)) {
        if let Some(process) = self.processes.get_mut(row as usize) {
            change(process);
        }
        self.show_process(row, sink);
        for thread in (0..)
            .zip(&self.threads)
            .filter(|(_, t)| self.is_core && t.process == row)
            .map(|(at, _)| at)
            .collect::<Vec<_>>()
        {
            self.show_thread(thread, sink);
        }
    }

    pub(super) fn name_thread(&mut self, row: ThreadRow, name: StrId, sink: &mut Sink) {
        if let Some(thread) = self.threads.get_mut(row as usize) {
            thread.name = Some(name);
        }
        self.show_thread(row, sink);
    }

    pub(super) fn order_thread(&mut self, row: ThreadRow, order: i64, sink: &mut Sink) {
        if let Some(thread) = self.threads.get_mut(row as usize) {
            thread.sort = Some(order);
        }
        self.has_thread_order = true;
        self.show_thread(row, sink);
    }

    /// Writes what is known of a process to its track.
    fn show_process(&mut self, row: ProcessRow, sink: &mut Sink) {
        let Some(process) = self.processes.get(row as usize) else { return };
        let Some(track) = process.track else { return };
        let own = self.own_name(&process.pid, "Process", NO_PROCESS);
        let own = sink.builder.intern(&own);
        let pid = sink.builder.intern(&process.pid);
        let mut name = process.name.filter(|n| *n != Strings::EMPTY);
        // A simulator's processes with bare numbers are pipes of cores: the number tells those of one name apart.
        if self.is_operator && process.pid.bytes().all(|b| b.is_ascii_digit()) {
            let both = name.map(|name| format!("{} {}", sink.builder.trace().strings.get(name), process.pid));
            name = both.map(|both| sink.builder.intern(both.trim_end()));
        }
        sink.builder.name_track(track, name.unwrap_or(own));
        let second = if name.is_some_and(|n| n != pid) { pid } else { Strings::EMPTY };
        sink.builder.label_track(track, process.labels.unwrap_or(second));
        let default = if self.is_operator { FIRST } else { 0 };
        sink.builder.order_track(track, process.sort.unwrap_or(default));
        self.is_changed = true;
    }

    /// Writes what is known of a thread to its tracks.
    fn show_thread(&mut self, row: ThreadRow, sink: &mut Sink) {
        let Some(thread) = self.threads.get(row as usize) else { return };
        let of_core = self.processes.get(thread.process as usize).filter(|_| self.is_core);
        if let Some((pipe, track)) = of_core.zip(thread.track) {
            return self.show_lane(row, thread, pipe, track, sink);
        }
        let tracks = [(thread.track, ""), (thread.states, STATES)];
        for (track, word) in tracks.into_iter().filter_map(|(track, word)| Some((track?, word))) {
            let own = self.own_name(&thread.tid, "Thread", NO_THREAD);
            let own = sink.builder.intern(&own);
            let tid = sink.builder.intern(&thread.tid);
            let name = thread.name.filter(|n| *n != Strings::EMPTY);
            let shown = format!("{}{word}", sink.builder.trace().strings.get(name.unwrap_or(own)));
            let shown = sink.builder.intern(&shown);
            sink.builder.name_track(track, shown);
            let second = if name.is_some_and(|n| n != tid) { tid } else { Strings::EMPTY };
            sink.builder.label_track(track, second);
            let known = sink.builder.trace().strings.get(name.unwrap_or(tid)).to_owned();
            sink.builder.order_track(track, thread.sort.unwrap_or_else(|| self.default_order(&known)));
            self.is_changed = true;
        }
    }

    /// Writes what is known of a lane of a pipe to its track: the first lane has the name of the pipe.
    fn show_lane(&self, row: ThreadRow, lane: &Thread, pipe: &Process, track: TrackId, sink: &mut Sink) {
        let text = |id: Option<StrId>, own: &str| {
            id.map_or_else(|| own.to_owned(), |id| sink.builder.trace().strings.get(id).to_owned())
        };
        let (name, own) = (text(pipe.name, &pipe.pid), text(lane.name, &lane.tid));
        let is_first = self.threads.iter().position(|t| t.process == lane.process) == Some(row as usize);
        let shown = if own == name || is_first { name.clone() } else { format!("{name} {own}") };
        // Lanes of a pipe stay together.
        let place = pipe.sort.unwrap_or_else(|| self.default_order(&name)).clamp(FIRST, -FIRST);
        let order =
            place.saturating_mul(1_000).saturating_add(lane.sort.unwrap_or(i64::from(row)).clamp(0, 999));
        let (shown, label) = (sink.builder.intern(&shown), sink.builder.intern(&lane.tid));
        sink.builder.name_track(track, shown);
        sink.builder.label_track(track, label);
        sink.builder.order_track(track, order);
    }

    /// What a person reads when the file gives only an id: texts as they are, bare numbers with a word before them.
    fn own_name(&self, id: &str, word: &str, missing: &str) -> String {
        if id.is_empty() {
            missing.to_owned()
        } else if !self.is_operator && id.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
            format!("{word} {id}")
        } else {
            id.to_owned()
        }
    }

    /// Place of a thread without sort index. Pipes of operators have their own order; what is no known pipe comes
    /// first when no pipe has an index, and last when some have (coming first then is a known trap of such files).
    fn default_order(&self, name: &str) -> i64 {
        if !self.is_operator {
            return 0;
        }
        let unknown = if self.has_thread_order { LAST } else { FIRST };
        pipe_order(name).unwrap_or(unknown)
    }

    /// Puts the tree in order when it changed; while loading not each time when it is large.
    pub(super) fn arrange(&mut self, sink: &mut Sink) {
        self.is_changed &= !(self.is_changed && sink.builder.arrange_if_worth());
    }

    /// Processes whose number holds that of another process and that of a device, as one profiler numbers the parts of a
    /// device: process × 1024 + part × 32 + device.
    fn owners(&self) -> Vec<(TrackId, Owner)> {
        let number = |process: &Process| process.pid.parse::<u64>().ok().filter(|pid| 0 < *pid);
        let part = |process: &Process| {
            let (pid, track) = (number(process)?, process.track?);
            let owner = pid >> PROCESS_BITS;
            let known = self.by_pid.contains_key(&owner.to_string());
            (0 < owner && known).then_some((track, Owner { process: owner, device: Some(pid & DEVICE_MASK) }))
        };
        let mut owners: Vec<_> = self.processes.iter().filter_map(part).collect();
        let programs: Vec<_> = self
            .processes
            .iter()
            .filter_map(|process| {
                let pid = number(process)?;
                let is_one = owners.iter().any(|(_, owner)| owner.process == pid);
                is_one.then_some((process.track?, Owner { process: pid, device: None }))
            })
            .collect();
        owners.extend(programs);
        owners
    }

    /// Everything is known: gives threads without index their final places.
    pub(super) fn finish(&mut self, sink: &mut Sink) {
        let owners = self.owners();
        if !owners.is_empty() {
            sink.builder.head().extensions.get_or_default::<KnownRanks>().owners.extend(owners);
        }
        if self.is_operator && self.has_thread_order {
            for row in 0..ThreadRow::try_from(self.threads.len()).unwrap_or(ThreadRow::MAX) {
                self.show_thread(row, sink);
            }
        }
    }
}

/// Place of a pipe of an operator among the pipes of its core, as the tools that write such traces order them.
fn pipe_order(name: &str) -> Option<i64> {
    const PIPES: [&str; 23] = [
        "SCALAR",
        "FLOWCTRL",
        "MTE1",
        "CUBE",
        "FIXP",
        "MTE2",
        "VECTOR",
        "MTE3",
        "CACHEMISS",
        "SCALARLDST",
        "ALL",
        "USERMARK",
        "EVENT",
        "SET_FLAG",
        "WAIT_FLAG",
        "set_event",
        "wait_event",
        "RVECEX",
        "RVECLP",
        "RVECST",
        "RVECLD",
        "PUSHQ",
        "RVECSU",
    ];
    if let Some(at) = PIPES.iter().position(|p| *p == name) {
        return i64::try_from(at + 1).ok();
    }
    let warp = name.strip_prefix("WARP_").or_else(|| name.strip_prefix("Warp "))?;
    Some(100_i64.saturating_add(warp.parse().ok()?))
}

/// The text of an id, the same for a number and a text that look alike.
fn text(raw: &[u8]) -> String {
    match raw {
        b"null" => String::new(),
        raw => unescape(unquoted(raw)).into_owned(),
    }
}
