//! The right numbers of NNAPI marks, beside those of the AOSP parser; tolerant of everything.
//!
//! # From rows to scopes
//! Each thread has a stack. An end without begin is dropped, a scope without end is closed where the trace ends (or where
//! the next run begins on its thread) and the run is incomplete. A thread serves one call at a time: where it takes the
//! next one without having called anybody, the end of the one before is lost; that and what lies in it last until the
//! last row of the thread. A row that is earlier than the one before it on its thread is read at that one's time. `[SW]`
//! ends the scope around it; that scope's own later end ends nothing. A run begins with each `[NN_LA_PO]`; a scope belongs
//! to the run in which it begins.
//!
//! * **Layer.** In a driver process (it serves `IDevice`, `IPreparedModel`, `IExecution` or `IBurst` of neural networks,
//!   HIDL or AIDL, or has marks `LD`; and it has no marks `LA` or `LR`) `LC` is `LD`. Elsewhere `LD` stays the driver,
//!   with a warning, and so does `LC` directly below it. `LU`, `LO` count for the layer around them. Marks of others
//!   (also `IDevice` of the audio HAL) are no scopes: their time is that of the scope around them.
//! * **Phase.** `PU` is that of the caller. Application phases hold what lies inside their scope, on its thread or
//!   elsewhere in its process; a driver's work has that of the call it serves.
//! * **Details.** A scope in one of the same layer that is no allowed part of it is a detail: its time is that of the
//!   scope around it.
//! * **Whose time.** `[SUB]` is taken from the scopes around it up to the nearest of its layer that its phase may stand
//!   in, and counts there once (at the root when there is none). One-time initialization (`PI`) is taken from everything up to `LA PO`. `LR` or `LI`
//!   in a phase of the application other than its own is taken from it. A driver's callback is taken from the driver and
//!   is a call between processes.
//!
//! # Executions
//! `ANeuralNetworksExecution_compute` and `…_burstCompute` are executions by themselves. `…_startCompute` and
//! `…_startComputeWithDependencies` last until the end of the `ANeuralNetworksEvent_wait` that follows: the oldest one of
//! the thread that nobody waited for, else the oldest of the process. Where a process computes nothing through the
//! runtime, scopes `LA PE` are its executions, without what is of other phases inside. A driver's execution is the scope of the server for calls that return
//! when it is done (`executeSynchronously`, `executeFenced`, AIDL, and marks `LD PE` without a server's scope), and the
//! time from the begin of the server's scope to the begin of the callback for `IPreparedModel::execute*` of HIDL.
//!
//! **`LR PE`** is the sum of the executions' times, and of what the outermost scopes `LR PE`, `LR PIO`, `LR PTR`,
//! `LR PCO`, `LR PR` outside of executions count with (create, set, free, getDuration and the like). **`LD PE`** is the sum of the
//! driver executions' times (and of `LD PE` that only makes ready).
//!
//! Where neither a runtime nor an application marked one, the drivers' executions are all that there is: they stand for
//! executions ([`Kind::Driver`]), whose time is all the driver's.
//!
//! An execution whose end is not in the trace (its scope or the wait for it never ends, or nobody waits and nothing that it
//! caused is seen) is *cut*: it is listed, and is in no number, mean or maximum of executions. So are functions whose scope
//! never ends, and drivers' executions.
//!
//! # Total and self
//! The *total* of a cell is the sum over its outermost scopes, also seen over threads: a thread of the runtime that works
//! for an execution is inside of it. Scopes in parallel count each. A callback that begins when its call is over counts
//! beside the call, until it has arrived. *Self* is the time in which nothing deeper was done:
//! every instant of an execution, and of what a thread does outside of executions, goes to one cell (see `sweep`). The
//! sum over layers is the sum of the self times; so self times add up by definition, none is negative, and for one
//! execution they are its time to the nanosecond. What a driver or a thread of the runtime does after the execution is
//! over is in nobody's self time.

mod bands;
mod difference;
mod executions;
mod functions;
mod matrix;
mod scope;
mod summing;
mod text;
mod walk;

pub use bands::{Band, add_tracks};
pub use difference::{Cause, Difference};
pub use executions::{DriverExecution, Execution, Kind, MIN_FOR_OUTLIERS, MIN_FOR_P95, Spread};
pub use functions::{Fallback, Function};
pub use matrix::{Cell, Matrix};
pub use scope::{App, ByApp, Count, NONE, PHASES, Scope};

use crate::base::job::{self, Turn, pieces};
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::strings::Strings;
use crate::systems::android::nnapi::arena::Arena;
use crate::systems::android::nnapi::mark::{Layer, Marks, Phase};
use std::ops::Range;
use summing::sum;
use text::{Call, Row, Texts};
use walk::Walk;

/// Everything that the marks of a trace say, corrected.
#[derive(Default)]
pub struct Corrected {
    /// The runs, in the order of the file; one even when no mark begins it, none without rows.
    pub runs: Vec<Run>,
    /// All scopes, in the order of their begins in the file; those of a run are [`Run::scopes`].
    pub scopes: Vec<Scope>,
    /// All executions, in the order of their begins; those of a run are [`Run::executions`].
    pub executions: Vec<Execution>,
    /// Stretches inside executions of the application that are no part of them, such as compiling: row of the execution and
    /// when, ascending.
    pub holes: Vec<(u32, Span)>,
    /// All driver executions, in the order of their begins; those of a run are [`Run::drivers`].
    pub drivers: Vec<DriverExecution>,
    /// Names of functions.
    pub names: Vec<String>,
}

/// One run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Row of `Marks` of its `[NN_LA_PO]`; `None` when the rows begin without one.
    pub row: Option<u32>,
    /// From its first to its last mark of NNAPI.
    pub span: Span,
    /// Whether a scope of it has no end.
    pub is_incomplete: bool,
    /// Ends that ended nothing.
    pub n_orphans: u64,
    /// The table.
    pub matrix: Matrix,
    /// Rows of [`Corrected::scopes`].
    pub scopes: Range<usize>,
    /// Rows of [`Corrected::executions`].
    pub executions: Range<usize>,
    /// Rows of [`Corrected::drivers`].
    pub drivers: Range<usize>,
    /// Its functions, most time first.
    pub functions: Vec<Function>,
    /// What the CPU did instead of a driver, most time first.
    pub fallback: Vec<Fallback>,
    /// Rows of [`Corrected::executions`], one for each part of an execution that the CPU did as a whole (its outermost
    /// scopes `LC PE`).
    pub cpu_steps: Vec<u32>,
    /// What is odd.
    pub warnings: Vec<Warning>,
    /// Where the numbers are not those of the AOSP parser.
    pub differences: Vec<Difference>,
}

/// A scope that makes up a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its thread, a row of `Marks::threads`.
    pub thread: u32,
    /// Row of `Marks` where it begins.
    pub row: u32,
    /// Where it begins.
    pub start: Ticks,
    /// What it counts with, in nanoseconds.
    pub time: Ticks,
}

/// Milliseconds of nanoseconds.
pub fn millis(nanos: Ticks) -> f64 {
    nanos as f64 / 1e6
}

impl Corrected {
    /// The name of a function.
    pub fn name(&self, name: u32) -> &str {
        self.names.get(name as usize).map_or("", String::as_str)
    }

    /// The scopes that make up the total of a cell, in the order of the file: their times add up to it. Costs the scopes
    /// of the run.
    pub fn parts(&self, run: &Run, app: Option<App>, layer: Layer, phase: Phase) -> Vec<Part> {
        let scopes = self.scopes.get(run.scopes.clone()).unwrap_or_default();
        let counted =
            scopes.iter().filter(|s| app.is_none_or(|app| app == s.app) && s.counts_in(layer, phase));
        counted.map(|s| Part { thread: s.thread, row: s.row, start: s.start, time: s.counted }).collect()
    }

    /// The executions of a run.
    pub fn executions_of(&self, run: &Run) -> &[Execution] {
        self.executions.get(run.executions.clone()).unwrap_or_default()
    }

    /// The driver executions of a run.
    pub fn drivers_of(&self, run: &Run) -> &[DriverExecution] {
        self.drivers.get(run.drivers.clone()).unwrap_or_default()
    }

    /// How the times of a run's executions are spread, in an application phase or in all; `None` without executions. Those
    /// whose end is not in the trace do not count.
    pub fn spread(&self, run: &Run, app: Option<App>) -> Option<Spread> {
        let executions = self.executions_of(run).iter().filter(|e| app.is_none_or(|app| app == e.app));
        Spread::of(executions.filter(|e| !e.is_cut).map(Execution::total))
    }

    /// The stretches of time in which an execution was executing, a row of [`Self::executions`]: their lengths add up to its
    /// time. One, unless the application did other things meanwhile, such as compiling.
    pub fn stretches(&self, execution: usize) -> Vec<Span> {
        let Some(of) = self.executions.get(execution) else { return Vec::new() };
        let first = self.holes.partition_point(|hole| (hole.0 as usize) < execution);
        let holes = self.holes.get(first..).unwrap_or_default().iter();
        let mut stretches = Vec::new();
        let mut from = of.start;
        for (_, hole) in holes.take_while(|hole| hole.0 as usize == execution) {
            if from < hole.start {
                stretches.push(Span::new(from, hole.start));
            }
            from = hole.end;
        }
        if from < of.end || stretches.is_empty() {
            stretches.push(Span::new(from.min(of.end), of.end));
        }
        stretches
    }

    /// The longest stretch of an execution: what it is opened by.
    pub fn longest_stretch(&self, execution: usize) -> Option<Span> {
        self.stretches(execution).into_iter().rev().max_by_key(|stretch| stretch.dur())
    }
}

impl Run {
    /// The application phases in which there is any time, in their order.
    pub fn phases(&self) -> Vec<App> {
        let has = |app: &App| {
            let cell = |layer: &Layer| self.matrix.cell(Some(*app), *layer, Phase::Overall);
            self.matrix.executions[*app] != 0 || Layer::REPORTED.iter().any(|l| cell(l).n != 0)
        };
        App::ALL.into_iter().filter(has).collect()
    }
}

// From marks to everything that they say.

/// Rows that are looked at between two pauses.
const PIECE: usize = 1 << 14;

impl Corrected {
    /// Computes everything that is not asked for cell by cell. About linear in the rows; never fails.
    pub fn of(trace: &Trace) -> Self {
        job::run(async |turn| Self::in_turns(trace, &turn).await)
    }

    /// The same, some rows at a time.
    pub async fn in_turns(trace: &Trace, turn: &Turn) -> Self {
        let marks = Marks::of(trace);
        if marks.is_empty() {
            return Self::default();
        }
        let (mut texts, mut roles) = (Texts::default(), Roles::of(marks, &trace.strings));
        for rows in pieces(marks.len(), PIECE) {
            roles.look(marks, &trace.strings, &mut texts, rows);
            turn.pause().await;
        }
        let mut walk = Walk::new(marks, texts, roles);
        for rows in pieces(marks.len(), PIECE) {
            marks.rows(rows).for_each(|mark| walk.row(mark));
            turn.pause().await;
        }
        Box::pin(sum(walk, marks, turn)).await
    }
}

// Which process does what: clients have marks of the application or of the runtime, drivers serve.

/// What is known of one process.
#[derive(Clone, Copy, Default)]
struct Process {
    /// It has marks of the application or of the runtime.
    is_client: bool,
    /// It serves an interface of a driver of neural networks.
    is_server: bool,
    /// It has marks of a driver.
    has_driver_marks: bool,
    /// It computes through the runtime's interface, so that executions need no guess.
    has_executions: bool,
    /// The AOSP parser takes it for a driver.
    is_driver_for_aosp: bool,
}

impl Process {
    /// Whether all that it does is a driver's work (the CPU code of a sample driver too).
    fn is_driver(self) -> bool {
        !self.is_client && (self.is_server || self.has_driver_marks)
    }
}

/// What is known of one thread.
#[derive(Clone, Copy, Default)]
struct Role {
    /// Its process.
    process: u32,
    /// Whether the AOSP parser looks at it.
    is_tracked: bool,
}

/// The processes and their threads.
#[derive(Default)]
struct Roles {
    threads: Arena<Role>,
    processes: Arena<Process>,
}

impl Roles {
    /// Which thread is of which process. Costs a glance at every row.
    fn of(marks: &Marks, strings: &Strings) -> Self {
        let mut roles = Self::default();
        let mut numbers: Map<&str, u32> = Map::default();
        let mut hints = vec![""; marks.threads.len()];
        for (&thread, &text) in marks.thread.iter().zip(&marks.text) {
            if let Some(hint) = hints.get_mut(thread as usize).filter(|hint| hint.is_empty()) {
                *hint = strings.get(text).split('|').nth(1).map_or("", str::trim);
            }
        }
        for (thread, hint) in marks.threads.iter().zip(hints) {
            let known = [strings.get(thread.process), hint, strings.get(thread.id)];
            let name =
                known.into_iter().find(|name| name.contains(|c: char| c.is_ascii_digit())).unwrap_or("");
            let next = numbers.len() as u32;
            let process = *numbers.entry(name).or_insert(next);
            roles.threads.push(Role { process, is_tracked: false });
            if process == next {
                roles.processes.push(Process::default());
            }
        }
        roles
    }

    /// Looks at some rows; each is to be looked at once.
    fn look(&mut self, marks: &Marks, strings: &Strings, texts: &mut Texts, rows: Range<usize>) {
        for mark in marks.rows(rows) {
            let Row::Begin(meaning) = texts.row(mark.text, strings) else { continue };
            let Some(thread) = self.threads.find_mut(mark.thread) else { continue };
            let process = &mut self.processes[thread.process];
            thread.is_tracked |= meaning.aosp.is_nnapi || meaning.aosp.is_driver_row;
            process.is_driver_for_aosp |= meaning.aosp.is_driver_row;
            let Some((layer, _)) = meaning.scope else { continue };
            process.is_client |= matches!(layer, Layer::Application | Layer::Runtime);
            process.is_server |= meaning.is_driver_row;
            process.has_driver_marks |= layer == Layer::Driver && meaning.call == Call::Plain;
            process.has_executions |= matches!(meaning.call, Call::Compute(_) | Call::Start(_));
        }
    }

    /// The process of a thread.
    fn of_thread(&self, thread: u32) -> Process {
        self.processes[self.threads[thread].process]
    }
}

// What is odd about the marks of a run, and shown all the same.

/// How many rows of one kind are kept; all are counted.
const MAX_ROWS: usize = 100;

/// One kind of oddity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Issue {
    /// A driver that runs in the process of the application.
    InProcessDriver,
    /// A call between processes below a driver that is no callback.
    IpcBelowDriver,
    /// A layer calls one that the contract does not let it call.
    Layers,
    /// A phase inside one that the contract does not let hold it.
    Phases,
    /// A scope without end.
    NeverEnded,
    /// `[SW]` without a scope that it could end.
    SwitchOfNothing,
    /// An execution that was begun and never waited for.
    NeverAwaited,
    /// A driver that was to call back and did not.
    NoCallback,
    /// A driver's callback without an execution that it ends.
    UnpairedCallback,
    /// A row that is earlier than the one before it on its thread.
    TimeBackwards,
}

impl Issue {
    /// A short stable name.
    pub fn id(self) -> &'static str {
        match self {
            Self::InProcessDriver => "in-process-driver",
            Self::IpcBelowDriver => "ipc-below-driver",
            Self::Layers => "layers",
            Self::Phases => "phases",
            Self::NeverEnded => "never-ended",
            Self::SwitchOfNothing => "switch-of-nothing",
            Self::NeverAwaited => "never-awaited",
            Self::NoCallback => "no-callback",
            Self::UnpairedCallback => "unpaired-callback",
            Self::TimeBackwards => "time-backwards",
        }
    }

    /// What it means, as an English phrase.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::InProcessDriver => {
                phrase("The driver runs in the application's process; its time counts as driver time.")
            }
            Self::IpcBelowDriver => phrase("The driver calls another process; the time counts as IPC."),
            Self::Layers => phrase("Layer called from a layer that must not call it."),
            Self::Phases => phrase("Phase nested inside an incompatible phase."),
            Self::NeverEnded => phrase(
                "Scope without an end; it is closed before the next call on its thread, or at the end of the run or trace.",
            ),
            Self::SwitchOfNothing => phrase("Switch without a scope to end; it is read as its own scope."),
            Self::NeverAwaited => {
                phrase("Nothing waits for this execution; it ends with the last work it triggered.")
            }
            Self::NoCallback => phrase("The driver does not call back; its execution ends with the call."),
            Self::UnpairedCallback => phrase("Driver callback without an open execution."),
            Self::TimeBackwards => {
                phrase("The row is earlier than the previous row on its thread; the previous time is used.")
            }
        }
    }
}

/// All oddities of one kind in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What is odd.
    pub trouble: Issue,
    /// Rows of `Marks` where it is so, in the order of the file; the first hundred.
    pub rows: Vec<u32>,
    /// How many there are.
    pub n: u64,
}

impl Warning {
    /// Counts one more.
    fn add(list: &mut Vec<Self>, trouble: Issue, row: u32) {
        if list.iter().all(|w| w.trouble != trouble) {
            list.push(Self { trouble, rows: Vec::new(), n: 0 });
        }
        let Some(found) = list.iter_mut().find(|w| w.trouble == trouble) else { return };
        found.n += 1;
        if found.rows.len() < MAX_ROWS {
            found.rows.push(row);
        }
    }
}
