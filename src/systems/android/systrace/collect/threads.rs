//! Threads and processes of a trace: their names, and their places in the tree of tracks.
//!
//! ```text
//! Application            processes with marks of NNAPI
//! └── com.example 5143
//!     └── NeuralNetworksT 5143
//! Driver                 processes that serve a driver's interfaces
//! Other
//! Kernel events          threads once more
//! ```

use super::super::Survey;
use super::{Collector, Options, Scopes};
use crate::base::map::Map;
use crate::format::Sink;
use crate::model::id::{StrId, TrackId};
use crate::model::strings::Strings;
use crate::model::track::{Role, TrackKind};
use crate::systems::android::nnapi::mark::{MarkThread, Marks};

/// Row of a thread.
pub(crate) type ThreadRow = usize;

/// Where a process stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// It uses NNAPI.
    Application,
    Driver,
    Other,
    /// No process: what the processors do.
    Processors,
    /// No process: what a GPU does by itself.
    Gpus,
    /// No process: events of the kernel, by thread.
    Events,
}

impl Group {
    fn name(self) -> &'static str {
        match self {
            Self::Application => "Application",
            Self::Driver => "Driver",
            Self::Other => "Other",
            Self::Processors => "CPU",
            Self::Gpus => "GPU",
            Self::Events => "Kernel events",
        }
    }
}

/// A track beside the slices of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// What it waited for; only of threads with NNAPI in a trace that is looked at for it.
    States,
    /// What it ran, by samples.
    Samples,
}

/// One thread.
#[derive(Default)]
pub(crate) struct Thread {
    pub(crate) id: StrId,
    /// Its name; empty when no row says it.
    name: StrId,
    /// Number of its process; empty when it is not known.
    pub(crate) process: StrId,
    /// Whether it has to do with NNAPI.
    pub(crate) is_marked: bool,
    pub(crate) mark_row: Option<u32>,
    pub(crate) scopes: Scopes,
    track: Option<TrackId>,
    events: Option<TrackId>,
    /// Tracks beside its slices, as [`Beside`] lists them.
    beside: [Option<TrackId>; 2],
}

/// All threads and processes of a file.
#[derive(Default)]
pub(crate) struct Threads {
    entry: u32,
    /// Processes stand at the top, threads by their numbers.
    is_general: bool,
    /// Name and track of the group above all; empty when there is none.
    file: (String, Option<TrackId>),
    rows: Vec<Thread>,
    by_pid: Map<String, ThreadRow>,
    processes: Map<StrId, TrackId>,
    process_names: Map<StrId, StrId>,
    groups: Map<u8, TrackId>,
    others: Map<(Option<TrackId>, u8, StrId), TrackId>,
    /// Whether tracks were made since they were put in order.
    is_changed: bool,
}

/// The state of a thread that a processor runs.
pub(crate) const RUNNING: &str = "Running";

/// What stands before all others, when taken away from its order; and what stands behind them.
const FIRST: i64 = 1 << 40;

/// Names that stand for one that is not known.
fn is_name(name: &str) -> bool {
    !matches!(name, "" | "<...>" | "<unknown>")
}

impl Threads {
    pub(crate) fn new(options: &Options) -> Self {
        let file = (options.group.clone(), None);
        Self { entry: options.entry, is_general: options.is_general, file, ..Self::default() }
    }

    /// The thread of this number, as a row says it: its name, and its process if that is known.
    pub(crate) fn seen(
        &mut self,
        (pid, name, process): (&str, &str, &str),
        survey: &Survey,
        sink: &mut Sink,
    ) -> ThreadRow {
        let row = self.row(pid, survey, sink);
        if let Some(thread) = self.rows.get_mut(row) {
            let texts = &sink.builder.trace().strings;
            if is_name(name) && texts.get(thread.name) != name {
                thread.name = sink.builder.intern(name);
            }
            let texts = &sink.builder.trace().strings;
            if !process.is_empty() && texts.get(thread.process) != process {
                thread.process = sink.builder.intern(process);
            }
        }
        row
    }

    fn row(&mut self, pid: &str, survey: &Survey, sink: &mut Sink) -> ThreadRow {
        if let Some(&row) = self.by_pid.get(pid) {
            return row;
        }
        let row = self.rows.len();
        let id = sink.builder.intern(pid);
        let process = sink.builder.intern(survey.process_of(pid));
        self.rows.push(Thread { id, process, is_marked: survey.is_marked(pid), ..Thread::default() });
        self.by_pid.insert(pid.to_owned(), row);
        row
    }

    pub(crate) fn get(&mut self, row: ThreadRow) -> Option<&mut Thread> {
        self.rows.get_mut(row)
    }

    /// A list of processes gives a thread its name; rows that say another one count more.
    pub(crate) fn named(
        &mut self,
        (process, thread, name): (&str, &str, &str),
        is_process: bool,
        survey: &Survey,
        sink: &mut Sink,
    ) {
        let id = sink.builder.intern(process);
        let name = sink.builder.intern(name);
        if is_process {
            self.process_names.insert(id, name);
            return;
        }
        let row = self.row(thread, survey, sink);
        if let Some(of) = self.rows.get_mut(row) {
            of.process = if of.process == Strings::EMPTY { id } else { of.process };
            of.name = if of.name == Strings::EMPTY { name } else { of.name };
        }
    }

    /// The track of a thread, made when it is new. `None` when there are too many tracks.
    pub(crate) fn track(&mut self, row: ThreadRow, survey: &Survey, sink: &mut Sink) -> Option<TrackId> {
        let (track, process) = self.rows.get(row).map(|thread| (thread.track, thread.process))?;
        if track.is_some() {
            return track;
        }
        let parent = self.process(process, survey, sink)?;
        let track = sink.builder.track(Some(parent), TrackKind::Slices, Strings::EMPTY, self.entry)?;
        if let Some(thread) = self.rows.get_mut(row) {
            thread.track = Some(track);
            Self::show(thread, sink);
        }
        self.is_changed = true;
        Some(track)
    }

    /// The track of the events of a thread, made when it is new. `None` when there are too many tracks.
    pub(crate) fn events(&mut self, row: ThreadRow, sink: &mut Sink) -> Option<TrackId> {
        if let Some(track) = self.rows.get(row)?.events {
            return Some(track);
        }
        let parent = self.group(Group::Events, sink)?;
        let track = sink.builder.track(Some(parent), TrackKind::Slices, Strings::EMPTY, self.entry)?;
        let thread = self.rows.get_mut(row)?;
        thread.events = Some(track);
        Self::show(thread, sink);
        self.is_changed = true;
        Some(track)
    }

    /// A track beside the slices of a thread, made when it is new. `None` when it is not shown.
    pub(crate) fn beside(
        &mut self,
        row: ThreadRow,
        what: Beside,
        survey: &Survey,
        sink: &mut Sink,
    ) -> Option<TrackId> {
        let thread = self.rows.get(row)?;
        let [states, samples] = thread.beside;
        let known = if what == Beside::States { states } else { samples };
        let is_apart = !self.is_general && 0 < survey.n_threads();
        if known.is_some() || what == Beside::States && is_apart && !thread.is_marked {
            return known;
        }
        let parent = self.process(thread.process, survey, sink)?;
        let track = sink.builder.track(Some(parent), TrackKind::Slices, Strings::EMPTY, self.entry)?;
        if what == Beside::States {
            let running = sink.builder.intern(RUNNING);
            sink.builder.role_track(track, Role::States, running);
        }
        let thread = self.rows.get_mut(row)?;
        thread.beside = if what == Beside::States { [Some(track), samples] } else { [states, Some(track)] };
        Self::show(thread, sink);
        self.is_changed = true;
        Some(track)
    }

    /// The group of a process, made when it is new.
    pub(crate) fn process(&mut self, id: StrId, survey: &Survey, sink: &mut Sink) -> Option<TrackId> {
        if let Some(&track) = self.processes.get(&id) {
            return Some(track);
        }
        let number = sink.builder.trace().strings.get(id).to_owned();
        let text = if number.is_empty() { "No process".to_owned() } else { format!("Process {number}") };
        let name = sink.builder.intern(&text);
        if self.is_general {
            let track = self.other(None, TrackKind::Group, name, sink)?;
            self.processes.insert(id, track);
            return Some(track);
        }
        let group = match (survey.is_driver(&number), survey.is_known(&number)) {
            (true, _) => Group::Driver,
            (false, true) => Group::Application,
            (false, false) => Group::Other,
        };
        let parent = self.group(group, sink)?;
        let track = sink.builder.track(Some(parent), TrackKind::Group, name, self.entry)?;
        self.processes.insert(id, track);
        Some(track)
    }

    /// The group of the file, made when it is new; `None` when the trace is of one file.
    fn file_group(&mut self, sink: &mut Sink) -> Option<TrackId> {
        if !self.file.0.is_empty() && self.file.1.is_none() {
            let name = sink.builder.intern(&self.file.0);
            self.file.1 = sink.builder.track(None, TrackKind::Group, name, self.entry);
        }
        self.file.1
    }

    /// One of the groups, made when it is new.
    pub(crate) fn group(&mut self, group: Group, sink: &mut Sink) -> Option<TrackId> {
        if let Some(&track) = self.groups.get(&(group as u8)) {
            return Some(track);
        }
        let parent = self.file_group(sink);
        let name = sink.builder.intern(group.name());
        let track = sink.builder.track(parent, TrackKind::Group, name, self.entry)?;
        let order = i64::from(group as u8);
        sink.builder.order_track(track, if self.is_general { order - FIRST } else { order });
        self.groups.insert(group as u8, track);
        Some(track)
    }

    /// A track beside the threads of a group, or beside all groups, made when it is new.
    pub(crate) fn other(
        &mut self,
        parent: Option<TrackId>,
        kind: TrackKind,
        name: StrId,
        sink: &mut Sink,
    ) -> Option<TrackId> {
        let key = (parent, kind as u8, name);
        if let Some(&track) = self.others.get(&key) {
            return Some(track);
        }
        let group = parent.or_else(|| self.file_group(sink));
        let track = sink.builder.track(group, kind, name, self.entry)?;
        let order = match (kind, self.is_general) {
            (TrackKind::Counter, false) => 2,
            (_, false) => 1,
            (TrackKind::Counter, true) => FIRST,
            (_, true) => 0,
        };
        sink.builder.order_track(track, order);
        self.others.insert(key, track);
        self.is_changed = true;
        Some(track)
    }

    /// Puts the tree in order when it changed; while loading not each time when it is large.
    pub(crate) fn arrange(&mut self, sink: &mut Sink) {
        self.is_changed &= !(self.is_changed && sink.builder.arrange_if_worth());
    }

    fn show(thread: &Thread, sink: &mut Sink) {
        let [states, samples] = thread.beside;
        let tracks =
            [(thread.track, ""), (thread.events, ""), (states, " (state)"), (samples, " (CPU samples)")];
        for (track, word) in tracks.into_iter().filter_map(|(track, word)| Some((track?, word))) {
            let is_named = thread.name != Strings::EMPTY;
            let text = match sink.builder.trace().strings.get(thread.name) {
                "" => format!("Thread {}{word}", sink.builder.trace().strings.get(thread.id)),
                name => format!("{name}{word}"),
            };
            let name = sink.builder.intern(&text);
            sink.builder.name_track(track, name);
            sink.builder.label_track(track, if is_named { thread.id } else { Strings::EMPTY });
        }
    }

    /// Everything is known: final names go to the tracks and to the threads of the marks.
    pub(crate) fn finish(&mut self, sink: &mut Sink) {
        for thread in &self.rows {
            Self::show(thread, sink);
            let [states, samples] = thread.beside;
            for track in [thread.track, states, samples].into_iter().flatten().filter(|_| self.is_general) {
                let number = sink.builder.trace().strings.get(thread.id).parse().unwrap_or(FIRST - 1);
                let is_main = thread.id == thread.process;
                sink.builder.order_track(track, if is_main { 1 } else { i64::max(2, number) });
            }
            // The first thread of a process bears its name, cut to 15 characters: better than none.
            if thread.id == thread.process && thread.name != Strings::EMPTY {
                self.process_names.entry(thread.id).or_insert(thread.name);
            }
        }
        for (id, &track) in &self.processes {
            if let Some(&name) = self.process_names.get(id) {
                sink.builder.name_track(track, name);
                sink.builder.label_track(track, *id);
            } else if self.is_general {
                sink.builder.order_track(track, 1);
            }
        }
        for thread in self.rows.iter().filter(|thread| thread.mark_row.is_some()) {
            let row = thread.mark_row.and_then(|row| usize::try_from(row).ok());
            let name = self.process_names.get(&thread.process).copied().unwrap_or(Strings::EMPTY);
            let marks = Marks::of_mut(sink.builder.head());
            if let Some(of) = row.and_then(|row| marks.threads.get_mut(row)) {
                *of = MarkThread {
                    id: thread.id,
                    name: thread.name,
                    process: thread.process,
                    process_name: name,
                    track: thread.track,
                };
            }
        }
    }

    /// The threads with open scopes, in order of their first row.
    pub(crate) fn open(&mut self) -> Vec<(ThreadRow, Vec<super::Scope>)> {
        let rows = self.rows.iter_mut().enumerate().map(|(row, thread)| (row, thread.scopes.finish()));
        rows.filter(|(_, open)| !open.is_empty()).collect()
    }
}

impl Collector {
    /// The track of a thread by the numbers of process and thread, with a name for one that has none.
    pub(crate) fn thread_track(&mut self, names: (&str, &str, &str), sink: &mut Sink) -> Option<TrackId> {
        self.threads.named(names, false, &self.survey, sink);
        let at = self.threads.seen((names.1, "", names.0), &self.survey, sink);
        self.threads.track(at, &self.survey, sink)
    }

    /// The same for a track beside its slices; `None` as well when it is not shown.
    pub(crate) fn track_beside(
        &mut self,
        names: (&str, &str, &str),
        what: Beside,
        sink: &mut Sink,
    ) -> Option<TrackId> {
        self.threads.named(names, false, &self.survey, sink);
        let at = self.threads.seen((names.1, "", names.0), &self.survey, sink);
        self.threads.beside(at, what, &self.survey, sink)
    }

    /// The track of what the kernel tells of a thread.
    pub(crate) fn event_track(&mut self, names: (&str, &str, &str), sink: &mut Sink) -> Option<TrackId> {
        let at = self.threads.seen((names.1, names.2, names.0), &self.survey, sink);
        self.threads.events(at, sink)
    }
}
