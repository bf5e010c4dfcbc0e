//! Rows with marks become rows of [`crate::systems::android::nnapi::mark::Marks`], slices on tracks, and faults.
//!
//! Whoever reads a file (text here, protobuf elsewhere) looks at all rows once and tells [`Survey::row`] of those that may
//! have to do with NNAPI; then it makes a [`Collector`] with that survey and hands it every mark in order by
//! [`Collector::row`], and the time of every other row by [`Collector::time`]; then [`Collector::finish`].

mod battery;
mod binder;
mod functions;
mod kernel;
mod others;
mod states;
mod threads;

use super::Survey;
pub(crate) use super::text::process_of;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Map;
use crate::base::terms::Terms;
use crate::base::time::Ticks;
use crate::base::words::message;
use crate::format::Sink;
use crate::input::limits;
use crate::model::build::MAX_TRACKS;
use crate::model::id::{StrId, TrackId};
use crate::model::slice::SliceRow;
use crate::model::strings::Strings;
use crate::model::track::TrackKind;
use crate::systems::android::nnapi::LAYERS;
use crate::systems::android::nnapi::mark::{
    Label, Layer, MarkThread, Marks, Part, Phase, Refusal, Tint, label,
};
use battery::Battery;
use binder::Binder;
pub(crate) use binder::BinderStep;
use kernel::Kernel;
use others::Others;
pub(crate) use states::{Change, States, ThreadNames, ThreadState};
pub(crate) use threads::{Beside, RUNNING};
use threads::{ThreadRow, Threads};

const ORPHANS: &str = "scope ends without a start";

/// What the collector must know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// Number of the entry of the bundle.
    pub(crate) entry: u32,
    /// Path of the entry, for faults.
    pub(crate) path: String,
    /// Name of the group that everything stands in: several files make one trace. Empty for one file.
    pub(crate) group: String,
    /// Processes stand at the top, threads by their numbers: the trace is not only looked at for NNAPI.
    pub(crate) is_general: bool,
}

/// One row with a mark.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_field_names)] // its text is called so by the kernel
pub(crate) struct Mark<'a> {
    /// Number of the thread.
    pub(crate) pid: &'a str,
    /// Name of the thread; empty when the row does not say it.
    pub(crate) comm: &'a str,
    /// Number of the process; empty when the row does not say it (then the mark may).
    pub(crate) tgid: &'a str,
    /// When, in nanoseconds.
    pub(crate) time: Ticks,
    /// When, in seconds: the nearest double of the decimal text.
    pub(crate) seconds: f64,
    /// From `B` or `E` to the end of the line.
    pub(crate) mark: &'a str,
    /// The process as the AOSP parser resolves it; `None` when it does not take the row.
    pub(crate) classic: Option<&'a str>,
    pub(crate) place: RowPlace,
}

/// Where a row stands in its entry.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowPlace {
    /// Line, from 1; 0 where there are no lines.
    pub(crate) line: u32,
    /// First byte.
    pub(crate) start: u64,
    pub(crate) len: u32,
}

/// Collects rows. See the top of this file.
pub(crate) struct Collector {
    options: Options,
    survey: Survey,
    threads: Threads,
    others: Others,
    kernel: Kernel,
    binder: Binder,
    battery: Battery,
    /// Color names that were made.
    colors: Map<(Layer, Phase, u8), StrId>,
    /// Texts of layer and phase that were made.
    tags: Map<(Layer, Phase), StrId>,
    /// The first and the last time of any row.
    begin: Option<Ticks>,
    end: Option<Ticks>,
    /// The last time of any row of the scheduler.
    scheduled: Option<Ticks>,
    /// Whether the marks of the trace are those of this file.
    has_marks: bool,
    has_said_tracks: bool,
}

impl Collector {
    /// Begins with what the survey found out.
    pub(crate) fn new(options: Options, survey: Survey, sink: &mut Sink) -> Self {
        let threads = Threads::new(&options);
        // A trace has the marks of one file: those of the first that has some.
        let has_marks = Marks::of(sink.builder.trace()).is_empty();
        if has_marks {
            Marks::of_mut(sink.builder.head()).entry = options.entry;
        }
        Self {
            options,
            survey,
            threads,
            others: Others::default(),
            kernel: Kernel::default(),
            binder: Binder::default(),
            battery: Battery::default(),
            colors: Map::default(),
            tags: Map::default(),
            begin: None,
            end: None,
            scheduled: None,
            has_marks,
            has_said_tracks: false,
        }
    }

    /// What the first pass found out.
    pub(crate) fn survey(&self) -> &Survey {
        &self.survey
    }

    /// Some row of the file is of this time.
    #[inline]
    pub(crate) fn time(&mut self, time: Ticks) {
        self.begin = Some(self.begin.map_or(time, |begin| begin.min(time)));
        self.end = self.end.max(Some(time));
    }

    /// Number of the entry that is read.
    pub(crate) fn entry(&self) -> u32 {
        self.options.entry
    }

    /// The last time of any row.
    pub(crate) fn last(&self) -> Ticks {
        self.end.unwrap_or(0)
    }

    /// The scheduler says something at this time.
    #[inline]
    pub(crate) fn schedules(&mut self, time: Ticks) {
        self.time(time);
        self.scheduled = self.scheduled.max(Some(time));
    }

    /// The last time of any row of the scheduler: what threads did afterwards nobody says. Other rows may go on.
    pub(crate) fn last_scheduled(&self) -> Ticks {
        self.scheduled.unwrap_or_else(|| self.last())
    }

    /// Takes a begin (`B…`) or an end (`E…`). Constant time; the memory of a slice, on threads of NNAPI of a mark too.
    pub(crate) fn row(&mut self, row: &Mark, sink: &mut Sink) {
        self.time(row.time);
        let at = self.seen(row, sink);
        let Some(thread) = self.threads.get(at) else { return };
        if thread.is_marked {
            self.mark(at, row, sink);
        }
        if row.mark.starts_with('B') { self.begin(at, row, sink) } else { self.end(at, row, sink) }
    }

    /// The thread of a row.
    fn seen(&mut self, row: &Mark, sink: &mut Sink) -> ThreadRow {
        let tgid = if row.tgid.is_empty() { process_of(row.mark) } else { row.tgid };
        self.threads.seen((row.pid, row.comm, tgid), &self.survey, sink)
    }

    /// A list of processes gives a thread its name: numbers of process and thread, the name, and whether it is that of
    /// the whole process.
    pub(crate) fn named(&mut self, names: (&str, &str, &str), is_process: bool, sink: &mut Sink) {
        self.threads.named(names, is_process, &self.survey, sink);
    }

    /// The group of a process.
    pub(crate) fn process_track(&mut self, process: &str, sink: &mut Sink) -> Option<TrackId> {
        let id = sink.builder.intern(process);
        self.threads.process(id, &self.survey, sink)
    }

    /// A track of a group, or of none: one for each kind and name.
    pub(crate) fn track_in(
        &mut self,
        group: Option<TrackId>,
        kind: TrackKind,
        name: &str,
        sink: &mut Sink,
    ) -> Option<TrackId> {
        let name = sink.builder.intern(shortened(name));
        self.threads.other(group, kind, name, sink)
    }

    /// Adds a row to the marks.
    fn mark(&mut self, at: ThreadRow, row: &Mark, sink: &mut Sink) {
        if !self.has_marks || limits::ROWS <= Marks::of(sink.builder.trace()).len() {
            return;
        }
        let text = sink.builder.intern(shortened(row.mark));
        let process = sink.builder.intern(row.classic.unwrap_or(""));
        let Some(thread) = self.threads.get(at) else { return };
        let none = Strings::EMPTY;
        let marks = Marks::of_mut(sink.builder.head());
        let thread_row = *thread.mark_row.get_or_insert_with(|| {
            let new =
                MarkThread { id: thread.id, name: none, process: none, process_name: none, track: None };
            marks.threads.push(new);
            u32::try_from(marks.threads.len() - 1).unwrap_or(u32::MAX)
        });
        marks.seconds.push(row.seconds);
        marks.time.push(row.time);
        marks.thread.push(thread_row);
        marks.process.push(process);
        marks.text.push(text);
        marks.line.push(row.place.line);
        marks.start.push(row.place.start);
        marks.len.push(row.place.len);
        marks.is_classic.push(row.classic.is_some());
    }

    fn begin(&mut self, at: ThreadRow, row: &Mark, sink: &mut Sink) {
        let label = label(row.mark);
        if label.is_switch {
            self.switch(at, row, sink);
        }
        let Some(thread) = self.threads.get(at) else { return };
        let (outer, process) = (thread.scopes.around(), thread.process);
        let (category, color, around) = self.look(&label, process, outer, sink);
        let scope = Scope {
            time: row.time,
            name: sink.builder.intern(shortened(label.name)),
            category,
            color,
            start: row.place.start,
            len: row.place.len,
            line: row.place.line,
            around,
        };
        if let Some(thread) = self.threads.get(at) {
            thread.scopes.begin(scope);
        }
    }

    /// Category and color of a scope, and what it is for the scopes inside.
    fn look(
        &mut self,
        label: &Label,
        process: StrId,
        outer: Option<(Layer, Phase)>,
        sink: &mut Sink,
    ) -> (StrId, StrId, Option<(Layer, Phase)>) {
        let is_driver = self.survey.is_driver(sink.builder.trace().strings.get(process));
        let (Some(said), Some(tint)) = (label.scope, tint(label, is_driver, outer)) else {
            return (Strings::EMPTY, Strings::EMPTY, outer);
        };
        let tag = self
            .tags
            .entry(said)
            .or_insert_with(|| sink.builder.intern(&format!("{} {}", said.0.code(), said.1.code())));
        let part = match tint.part {
            Part::Counted => 0,
            Part::Subtracted => 1,
            Part::Detail => 2,
        };
        let key = (tint.layer, tint.phase, part);
        let color = self.colors.entry(key).or_insert_with(|| sink.builder.intern(&tint.name()));
        (*tag, *color, Some((tint.layer, tint.phase)))
    }

    /// `[SW]`: the scope around ends here.
    fn switch(&mut self, at: ThreadRow, row: &Mark, sink: &mut Sink) {
        let Some(thread) = self.threads.get(at) else { return };
        match thread.scopes.switch() {
            Ended::Scope(scope) => self.slice(at, &scope, (row.time, false), sink),
            Ended::Unseen => {}
            Ended::Nothing => {
                let kind = Kind::Problem(
                    message("switch {mark} without an open scope").with("mark", quoted(row.mark)),
                );
                let fault = Fault::new("SYS-SWITCH", Severity::Warning, self.place(row.place), kind);
                sink.fault(fault.note("Treated as a scope start: no scope is open."));
            }
        }
    }

    fn end(&mut self, at: ThreadRow, row: &Mark, sink: &mut Sink) {
        let Some(thread) = self.threads.get(at) else { return };
        let ended = thread.scopes.end();
        self.ended(at, ended, row, sink);
    }

    fn ended(&mut self, at: ThreadRow, ended: Ended, row: &Mark, sink: &mut Sink) {
        let is_marked = self.threads.get(at).is_some_and(|thread| thread.is_marked);
        match ended {
            Ended::Scope(scope) => self.slice(at, &scope, (row.time, false), sink),
            Ended::Unseen => {}
            Ended::Nothing => {
                let kind =
                    Kind::Problem(message("end {mark} without a start").with("mark", quoted(row.mark)));
                let severity = if is_marked { Severity::Warning } else { Severity::Note };
                let fault = Fault::new("SYS-ORPHAN-END", severity, self.place(row.place), kind);
                sink.fault(fault.note("Skipped."));
                sink.builder.drop_row(ORPHANS);
            }
        }
    }

    /// Puts a scope that ended on the track of its thread.
    fn slice(&mut self, at: ThreadRow, scope: &Scope, (end, is_unfinished): (Ticks, bool), sink: &mut Sink) {
        let Some(track) = self.threads.track(at, &self.survey, sink) else {
            self.report_tracks(sink);
            return;
        };
        let dur = end.saturating_sub(scope.time);
        if dur < 0 {
            let name = quoted(sink.builder.trace().strings.get(scope.name));
            let kind = Kind::Contradiction {
                a: message("{name} starts here").with("name", name),
                b: message("it ends {n} ns earlier").with("n", dur.unsigned_abs()),
            };
            let place = RowPlace { line: scope.line, start: scope.start, len: scope.len };
            let fault = Fault::new("SYS-BACKWARDS", Severity::Warning, self.place(place), kind);
            sink.fault(fault.note("The slice is shown with zero duration."));
        }
        let row = SliceRow {
            category: scope.category,
            color: scope.color,
            is_unfinished,
            detail_start: scope.start,
            detail_len: scope.len,
            ..SliceRow::new(scope.time, dur, scope.name)
        };
        sink.builder.slice(track, row);
    }

    /// Tells that there are too many tracks, once.
    #[cold]
    pub(crate) fn report_tracks(&mut self, sink: &mut Sink) {
        sink.builder.drop_row("rows beyond the track limit");
        if !std::mem::replace(&mut self.has_said_tracks, true) {
            let allowed = MAX_TRACKS as u64;
            let kind = Kind::Limit { what: "tracks".into(), asked: allowed + 1, allowed };
            let place = Place::entry(self.options.path.clone());
            let fault = Fault::new("SYS-TRACKS", Severity::Loss, place, kind);
            sink.fault(fault.note("Events on further tracks are skipped; the report counts them."));
        }
    }

    /// A piece was read: what grew is put in order.
    pub(crate) fn arrange(&mut self, sink: &mut Sink) {
        self.threads.arrange(sink);
    }

    /// Nothing follows: scopes that are still open end with the trace, and everything gets its name. `refusal` is where
    /// the AOSP parser stopped, if it did.
    pub(crate) fn finish(&mut self, refusal: Option<Refusal>, sink: &mut Sink) {
        let end = self.last();
        for (at, open) in self.threads.open() {
            let is_marked = self.threads.get(at).is_some_and(|thread| thread.is_marked);
            for scope in open {
                self.slice(at, &scope, (end.max(scope.time), true), sink);
                let name = quoted(sink.builder.trace().strings.get(scope.name));
                let kind = Kind::Problem(message("{name} never ends").with("name", name));
                let severity = if is_marked { Severity::Warning } else { Severity::Note };
                let place = RowPlace { line: scope.line, start: scope.start, len: scope.len };
                let fault = Fault::new("SYS-OPEN", severity, self.place(place), kind);
                sink.fault(fault.note("The slice extends to the end of the trace."));
            }
        }
        self.finish_others(end, sink);
        self.finish_battery(end, sink);
        self.finish_kernel(self.last_scheduled(), sink);
        self.threads.finish(sink);
        if self.has_marks {
            let head = sink.builder.head();
            let marks = Marks::of_mut(head);
            marks.end = end;
            marks.bound();
            marks.refusal = refusal;
            marks.has_runtime = self.survey.has_runtime();
            if !marks.is_empty() {
                head.coloring.best = LAYERS.id;
                head.terms = Terms::of(["Process", "Thread", "Execution", "Run", "Scope", "Operations"]);
            }
        }
    }

    /// Where a row is, for faults.
    pub(crate) fn place(&self, at: RowPlace) -> Place {
        let place = Place::byte(self.options.path.clone(), at.start);
        if at.line == 0 { place } else { place.line(at.line, 1) }
    }
}

/// A text that is not longer than a name may be.
pub(crate) fn shortened(text: &str) -> &str {
    text.get(..text.floor_char_boundary(limits::NAME_BYTES)).unwrap_or(text)
}

/// The head of a text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let head: String = text.chars().take(80).collect();
    format!("\"{head}\"")
}

// Scopes that are open in one thread, and how one of them is drawn.

/// A scope that began.
#[derive(Clone, Copy, Debug)]
struct Scope {
    pub(crate) time: Ticks,
    pub(crate) name: StrId,
    /// What the mark says, such as `LR PE`.
    pub(crate) category: StrId,
    pub(crate) color: StrId,
    /// Where its row begins in the entry.
    pub(crate) start: u64,
    /// Bytes of its row.
    pub(crate) len: u32,
    /// Line of its row.
    pub(crate) line: u32,
    /// Layer and phase of the innermost scope of NNAPI from here on outwards.
    pub(crate) around: Option<(Layer, Phase)>,
}

/// What an end mark ends.
enum Ended {
    Scope(Scope),
    /// Nothing that is seen: the scope was switched.
    Unseen,
    Nothing,
}

enum Open {
    Scope(Scope),
    /// A scope that ended where another one took over; its own end is still to come.
    Switched(Option<(Layer, Phase)>),
}

/// The open scopes of a thread.
#[derive(Default)]
struct Scopes {
    open: Vec<Open>,
}

impl Scopes {
    /// Layer and phase of the innermost scope of NNAPI.
    pub(crate) fn around(&self) -> Option<(Layer, Phase)> {
        match self.open.last()? {
            Open::Scope(scope) => scope.around,
            Open::Switched(around) => *around,
        }
    }

    pub(crate) fn begin(&mut self, scope: Scope) {
        self.open.push(Open::Scope(scope));
    }

    /// Ends the innermost scope because another one takes over; its own end will end nothing that is seen.
    pub(crate) fn switch(&mut self) -> Ended {
        let ended = match self.open.pop() {
            Some(Open::Scope(scope)) => Ended::Scope(scope),
            Some(Open::Switched(_)) => Ended::Unseen,
            None => return Ended::Nothing,
        };
        let around = self.around();
        self.open.push(Open::Switched(around));
        ended
    }

    pub(crate) fn end(&mut self) -> Ended {
        match self.open.pop() {
            Some(Open::Scope(scope)) => Ended::Scope(scope),
            Some(Open::Switched(_)) => Ended::Unseen,
            None => Ended::Nothing,
        }
    }

    /// The scopes that are still open, from the outermost in.
    pub(crate) fn finish(&mut self) -> Vec<Scope> {
        let open = std::mem::take(&mut self.open);
        let scopes = open.into_iter().filter_map(|open| match open {
            Open::Scope(scope) => Some(scope),
            Open::Switched(_) => None,
        });
        scopes.collect()
    }
}

/// How a scope is drawn: driver and CPU by the process it runs in (the same code runs in both), an unspecified phase as
/// that of what is around, and thin when it only details a scope of its own layer. `None` for marks of others.
fn tint(label: &Label, is_driver: bool, around: Option<(Layer, Phase)>) -> Option<Tint> {
    let (layer, phase) = label.scope?;
    let layer = match layer {
        Layer::Driver if !is_driver => Layer::Cpu,
        Layer::Cpu if is_driver => Layer::Driver,
        layer => layer,
    };
    let phase = match (phase, around) {
        (Phase::Unspecified, Some((_, phase))) => phase,
        (phase, _) => phase,
    };
    let is_detail = around.is_some_and(|(outer, inside)| {
        let is_first = phase == Phase::Initialization && inside != Phase::Initialization;
        outer == layer && !inside.may_contain(phase) && !is_first
    });
    let part = match (label.is_subtract, is_detail) {
        (true, _) => Part::Subtracted,
        (false, true) => Part::Detail,
        (false, false) => Part::Counted,
    };
    Some(Tint { layer, phase, part })
}
