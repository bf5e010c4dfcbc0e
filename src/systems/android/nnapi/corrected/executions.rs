//! Executions: one by one, with who took their time; and statistics of them.

use super::scope::{App, NONE, PHASES, Scope, phase_of};
use crate::base::order::percentile;
use crate::base::time::Ticks;
use crate::systems::android::nnapi::arena::Arena;
use crate::systems::android::nnapi::mark::{Layer, Phase};
use serde::Serialize;

/// Fewer executions have no outliers.
pub const MIN_FOR_OUTLIERS: usize = 8;

/// How an execution was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `ANeuralNetworksExecution_compute`: the scope is the execution.
    Synchronous,
    /// `ANeuralNetworksExecution_burstCompute`: the scope is the execution.
    Burst,
    /// From the begin of `ANeuralNetworksExecution_startCompute` to the end of its `ANeuralNetworksEvent_wait`.
    Asynchronous,
    /// From the begin of `ANeuralNetworksExecution_startComputeWithDependencies` to the end of its wait.
    Fenced,
    /// The process has no marks of the runtime's computing: a scope `LA PE` of the application.
    Application,
    /// Neither a runtime nor an application has marks of computing: an execution of a driver.
    Driver,
}

impl Kind {
    /// Whether it goes on after the call that begins it.
    pub fn is_later(self) -> bool {
        matches!(self, Self::Asynchronous | Self::Fenced)
    }

    /// A short word, also for exports.
    pub fn id(self) -> &'static str {
        match self {
            Self::Synchronous => "synchronous",
            Self::Burst => "burst",
            Self::Asynchronous => "asynchronous",
            Self::Fenced => "fenced",
            Self::Application => "application",
            Self::Driver => "driver",
        }
    }
}

/// One execution. Times in nanoseconds; `application + runtime + ipc + driver + cpu` is `time`, and so is
/// `io + compute + results`.
#[derive(Clone, Copy, Debug)]
pub struct Execution {
    pub run: u32,
    /// The thread that called, a row of `Marks::threads`.
    pub thread: u32,
    /// Row of `Marks` where it begins.
    pub row: u32,
    /// Row where it ends; [`NONE`] when nobody waited.
    pub end_row: u32,
    pub kind: Kind,
    pub app: App,
    pub start: Ticks,
    pub end: Ticks,
    /// How long it took: from start to end; for one of the application without what is of other phases inside.
    pub time: Ticks,
    /// The application's own part; 0 unless the execution is one of the application.
    pub application: Ticks,
    /// The runtime's own part.
    pub runtime: Ticks,
    /// The part of calls between processes.
    pub ipc: Ticks,
    /// The driver's part.
    pub driver: Ticks,
    /// The part of the runtime's CPU code.
    pub cpu: Ticks,
    /// Inputs and outputs (`PIO`), of any layer.
    pub io: Ticks,
    /// Results (`PR`), of any layer.
    pub results: Ticks,
    /// The part of both that the application marks.
    pub copied_by_app: Ticks,
    /// Calls of the runtime that make it ready or put it away, on the same thread: create, set, free. Not in `time`.
    pub setup: Ticks,
    /// Whether its end is not in the trace: it counts in no number, mean or maximum of executions.
    pub is_cut: bool,
    /// Its scope, a row of [`super::Corrected::scopes`]: the one that begins it.
    pub scope: u32,
    /// Where its time is attributed, and where the thread's own is.
    pub(super) context: u32,
    pub(super) outer: u32,
    /// The scope of the application that it lies in.
    pub(super) around: u32,
    pub(super) is_open: bool,
    pub(super) is_awaited: bool,
}

impl Default for Execution {
    fn default() -> Self {
        Self::new(NONE, NONE, NONE, Kind::Synchronous, App::Overall, 0)
    }
}

impl Execution {
    pub(super) fn new(run: u32, thread: u32, row: u32, kind: Kind, app: App, start: Ticks) -> Self {
        Self {
            run,
            thread,
            row,
            end_row: NONE,
            kind,
            app,
            start,
            end: start,
            time: 0,
            application: 0,
            runtime: 0,
            ipc: 0,
            driver: 0,
            cpu: 0,
            io: 0,
            results: 0,
            copied_by_app: 0,
            setup: 0,
            is_cut: false,
            scope: NONE,
            context: NONE,
            outer: NONE,
            around: NONE,
            is_open: true,
            is_awaited: false,
        }
    }

    /// How long it took.
    pub fn total(&self) -> Ticks {
        self.time
    }

    /// What is neither inputs and outputs nor results.
    pub fn compute(&self) -> Ticks {
        self.total() - self.io - self.results
    }

    /// The part of a layer.
    pub fn of(&self, layer: Layer) -> Ticks {
        match layer {
            Layer::Application => self.application,
            Layer::Runtime => self.runtime,
            Layer::Ipc => self.ipc,
            Layer::Driver => self.driver,
            Layer::Cpu => self.cpu,
            _ => 0,
        }
    }

    /// Takes a self time of its context.
    pub(super) fn add(&mut self, cell: u8, time: Ticks) {
        let phase = phase_of(cell);
        // Applications of old compile inside of their executions: that is no execution's time.
        let is_part = phase == Phase::Execution || phase.is_part_of_execution();
        if self.kind == Kind::Application && !is_part {
            return;
        }
        let part = [&mut self.application, &mut self.runtime, &mut self.ipc, &mut self.driver, &mut self.cpu];
        self.time += time;
        if let Some(part) = part.into_iter().nth(usize::from(cell) / PHASES.len()) {
            *part += time;
        }
        match phase {
            Phase::InputsOutputs => self.io += time,
            Phase::Results => self.results += time,
            _ => return,
        }
        if usize::from(cell) < PHASES.len() {
            self.copied_by_app += time;
        }
    }
}

/// One execution in a driver: a call that computes, or from the call to where the driver calls back.
#[derive(Clone, Copy, Debug, Default)]
pub struct DriverExecution {
    pub run: u32,
    /// The driver's thread, a row of `Marks::threads`.
    pub thread: u32,
    /// Row of `Marks` where it begins.
    pub row: u32,
    pub start: Ticks,
    pub end: Ticks,
    /// The execution that it computes for, a row of [`super::Corrected::executions`]; [`NONE`] when it is not known.
    pub execution: u32,
    /// Whether the driver calls back.
    pub is_later: bool,
    /// Whether its end is not in the trace.
    pub is_cut: bool,
    /// Where the callback begins.
    pub(super) notified: Option<Ticks>,
    /// The call that it serves, and the callback that ends it.
    pub(super) client: u32,
    pub(super) callback: u32,
    /// Its scope, and the last one by a switch.
    pub(super) scope: u32,
    pub(super) last: u32,
    /// How deep its own time lies.
    pub(super) level: u8,
}

/// Gives the calls that make executions ready, or put them away, to the executions of their thread: `free` and `get…` to
/// the one before, all else to the next one.
pub(super) struct Setup {
    /// The execution that a scope begins.
    is_of: Arena<u32>,
    threads: Arena<Ready>,
}

/// What makes executions ready on a thread.
#[derive(Clone, Copy, Default)]
struct Ready {
    /// Time for the next execution.
    waiting: Ticks,
    /// The last execution.
    last: Option<u32>,
}

/// What a function has to do with an execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SetupCall {
    /// Nothing.
    #[default]
    None,
    /// It makes it ready.
    Before,
    /// It puts it away.
    After,
}

impl SetupCall {
    pub(super) fn of(name: &str) -> Self {
        let is_call =
            name.starts_with("ANeuralNetworksExecution_") || name.starts_with("ANeuralNetworksEvent_free");
        match is_call {
            false => Self::None,
            true if name.contains("_free") || name.contains("_get") => Self::After,
            true => Self::Before,
        }
    }
}

impl Setup {
    pub(super) fn new(executions: &[Execution], n_scopes: usize, n_threads: usize) -> Self {
        let mut is_of: Arena<u32> = (0..n_scopes).map(|_| NONE).collect();
        for (number, execution) in (0..).zip(executions) {
            if let Some(of) = is_of.find_mut(execution.scope) {
                *of = number;
            }
        }
        Self { is_of, threads: Arena::of_empty(n_threads) }
    }

    /// The next scope, and what its function has to do with executions.
    pub(super) fn take(
        &mut self,
        at: u32,
        scope: &Scope,
        call: SetupCall,
        executions: &mut Arena<Execution>,
    ) {
        let thread = &mut self.threads[scope.thread];
        let is_of = self.is_of[at];
        if let Some(execution) = executions.find_mut(is_of) {
            thread.last = Some(is_of);
            execution.setup += std::mem::take(&mut thread.waiting);
            return;
        }
        if call == SetupCall::None || !scope.counts_in(Layer::Runtime, Phase::Execution) {
            return;
        }
        let is_after = call == SetupCall::After;
        let last = thread.last.and_then(|last| executions.find_mut(last));
        match last.filter(|e| is_after && e.run == scope.run) {
            Some(execution) => execution.setup += scope.net,
            None if is_after => {}
            None => thread.waiting += scope.net,
        }
    }
}

/// From so many times on one of them lies above the 95th percentile; of fewer it is a guess between the two longest.
pub const MIN_FOR_P95: usize = 20;

/// How times are spread. In nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spread {
    pub n: usize,
    pub min: Ticks,
    /// Half of them are not longer; between two times the middle of them.
    pub median: f64,
    /// 95 of 100 are not longer, by linear interpolation between the two nearest.
    pub p95: f64,
    pub max: Ticks,
    pub mean: f64,
    /// From here on a time is an outlier: above the third quartile by more than 1.5 times the distance of the first and
    /// the third. `None` for fewer than [`MIN_FOR_OUTLIERS`] times.
    pub limit: Option<f64>,
}

impl Spread {
    /// Of these times; `None` when there are none.
    pub fn of(times: impl IntoIterator<Item = Ticks>) -> Option<Self> {
        let mut times: Vec<Ticks> = times.into_iter().collect();
        times.sort_unstable();
        let n = times.len();
        let at = |percent: usize| percentile(&times, percent);
        let (min, max) = (*times.first()?, *times.last()?);
        let limit = at(75) + 1.5 * (at(75) - at(25));
        Some(Self {
            n,
            min,
            median: at(50),
            p95: at(95),
            max,
            mean: times.iter().map(|time| *time as f64).sum::<f64>() / n as f64,
            limit: (MIN_FOR_OUTLIERS <= n).then_some(limit),
        })
    }

    /// The 95th percentile of at least [`MIN_FOR_P95`] times.
    pub fn known_p95(&self) -> Option<f64> {
        (MIN_FOR_P95 <= self.n).then_some(self.p95)
    }

    /// Whether a time is an outlier.
    pub fn is_outlier(&self, time: Ticks) -> bool {
        self.limit.is_some_and(|limit| limit < time as f64)
    }
}
