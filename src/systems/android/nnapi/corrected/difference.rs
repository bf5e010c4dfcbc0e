//! Where the corrected numbers are not those of the AOSP parser, and why.

use super::executions::{DriverExecution, Execution, Kind};
use super::matrix::{Cell, Matrix};
use super::scope::{App, ByApp, Count, NONE, PHASES, Scope};
use super::text::{Call, Texts};
use super::{Issue, Roles, Warning};
use crate::base::time::Ticks;
use crate::base::words::phrase;
use crate::systems::android::nnapi::aosp::is_summed;
use crate::systems::android::nnapi::arena::Arena;
use crate::systems::android::nnapi::mark::{Layer, Phase};

/// A way in which the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Application phases end.
    PhaseEnds,
    /// Only one of the two loops has executions.
    LoneLoop,
    /// Executions that are not `startCompute` … `wait`.
    OtherExecutions,
    /// Driver executions that are not `IPreparedModel::execute` of HIDL.
    OtherDriverExecutions,
    /// Driver processes without server rows of `HIDL::IDevice`.
    UnseenDriver,
    /// `IDevice` of others.
    OtherDevices,
    /// Calls of other interfaces.
    OtherCalls,
    /// Rows that it does not take.
    OtherRows,
    /// Scopes without begin or end.
    Broken,
    /// Nesting that it refuses.
    Nesting,
    /// Callbacks on threads that it does not look at.
    UnseenCallbacks,
    /// Scopes on threads that it does not look at.
    UnseenThreads,
    /// Callbacks in another order than calls.
    OtherOrder,
    /// Several processes that compute.
    SeveralClients,
    /// `[SUB]` counted twice.
    SubtractTwice,
    /// Initialization counted in the application too.
    InitializationTwice,
    /// The last row is the largest layer.
    LargestLayer,
    /// The CPU's time is taken from the driver's.
    PartialFallback,
    /// Callbacks of the driver.
    Callbacks,
    /// Phases without column.
    NoColumn,
    /// The deeper layer's time of the phase is subtracted, wherever it lies.
    Subtraction,
    /// Computing is missing where inputs, outputs or results are.
    NoCompute,
    /// Scopes of the runtime that it does not add to executions.
    OtherRuntime,
    /// Marks without a function.
    Nameless,
}

impl Cause {
    /// The point of the list of things that the AOSP parser does wrong or does not see.
    pub fn point(self) -> u8 {
        match self {
            Self::PhaseEnds => 1,
            Self::LoneLoop => 2,
            Self::OtherExecutions | Self::OtherRuntime => 3,
            Self::OtherDriverExecutions | Self::UnseenDriver => 4,
            Self::OtherDevices | Self::OtherCalls => 5,
            Self::OtherRows | Self::Nameless => 6,
            Self::Broken => 7,
            Self::Nesting => 8,
            Self::UnseenCallbacks | Self::UnseenThreads => 9,
            Self::OtherOrder | Self::SeveralClients => 10,
            Self::SubtractTwice
            | Self::InitializationTwice
            | Self::LargestLayer
            | Self::PartialFallback
            | Self::Subtraction => 11,
            Self::Callbacks => 12,
            Self::NoColumn | Self::NoCompute => 13,
        }
    }

    /// What differs, as an English phrase.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::PhaseEnds => phrase(
                "Executions after the end of a loop: the AOSP parser never ends warmup and benchmark and counts them there.",
            ),
            Self::LoneLoop => {
                phrase("Executions in only one of the two loops: the AOSP parser stops here (KeyError).")
            }
            Self::OtherExecutions => phrase(
                "Synchronous, burst or fenced executions: the AOSP parser counts only startCompute .. wait.",
            ),
            Self::OtherDriverExecutions => phrase(
                "Driver executions: the AOSP parser counts only HIDL IPreparedModel::execute with its callback.",
            ),
            Self::UnseenDriver => phrase(
                "Driver scopes in processes without HIDL::IDevice: the AOSP parser shows them as CPU or not at all.",
            ),
            Self::OtherDevices => phrase(
                "Rows of other IDevice interfaces, such as audio: the AOSP parser counts them as driver.",
            ),
            Self::OtherCalls => phrase(
                "Calls of other interfaces on marked threads: the AOSP parser counts them, mostly as initialization.",
            ),
            Self::OtherRows => phrase("Rows in formats the AOSP parser does not accept."),
            Self::Broken => phrase(
                "Scopes without start or end: the AOSP parser stops here or prints nothing for the run.",
            ),
            Self::Nesting => phrase("Scopes that violate the contract: the AOSP parser stops here."),
            Self::UnseenCallbacks => phrase("Callbacks on threads the AOSP parser ignores: it stops here."),
            Self::UnseenThreads => {
                phrase("Scopes on threads without NNAPI marks: the AOSP parser ignores them.")
            }
            Self::OtherOrder => phrase(
                "Driver executions overlap: the AOSP parser pairs calls and callbacks in order, not by thread.",
            ),
            Self::SeveralClients => phrase("Several processes compute: the AOSP parser adds them up as one."),
            Self::SubtractTwice => {
                phrase("[SUB] scopes inside a scope of the same layer: the AOSP parser counts them twice.")
            }
            Self::InitializationTwice => phrase(
                "Initializations below the application: the AOSP parser also counts them in the application's phase.",
            ),
            Self::LargestLayer
            | Self::PartialFallback
            | Self::Callbacks
            | Self::NoColumn
            | Self::Subtraction
            | Self::NoCompute
            | Self::OtherRuntime
            | Self::Nameless => self.sentence_of_table(),
        }
    }

    /// The same, of what the numbers of the table are made of; nothing for the others.
    fn sentence_of_table(self) -> &'static str {
        match self {
            Self::LargestLayer => {
                phrase("The last row is the sum of the self times; the AOSP parser takes the largest layer.")
            }
            Self::PartialFallback => phrase(
                "CPU scopes alongside a driver: the AOSP parser subtracts their time from the driver's self time.",
            ),
            Self::Callbacks => phrase("Driver callbacks are IPC; the AOSP parser counts them as driver."),
            Self::NoColumn => phrase(
                "PTR and PCO scopes: the AOSP parser computes these phases but has no column for them.",
            ),
            Self::Subtraction => phrase(
                "Self time: the AOSP parser subtracts the deeper layer's entire time in the same phase, even where it lies elsewhere.",
            ),
            Self::NoCompute => {
                phrase("Compute: the AOSP parser prints n/a for layers without inputs, outputs or results.")
            }
            Self::OtherRuntime => phrase(
                "Runtime scopes: the AOSP parser adds only startCompute .. wait and create, set and free calls to executions.",
            ),
            Self::Nameless => phrase("Marks without a function name: the AOSP parser ignores them."),
            Self::PhaseEnds
            | Self::LoneLoop
            | Self::OtherExecutions
            | Self::OtherDriverExecutions
            | Self::UnseenDriver
            | Self::OtherDevices
            | Self::OtherCalls
            | Self::OtherRows
            | Self::Broken
            | Self::Nesting
            | Self::UnseenCallbacks
            | Self::UnseenThreads
            | Self::OtherOrder
            | Self::SeveralClients
            | Self::SubtractTwice
            | Self::InitializationTwice => "",
        }
    }
}

/// One difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Why.
    pub cause: Cause,
    /// The application phase that it is about; `None` for all.
    pub app: Option<App>,
    /// The cell that it is about; `None` for all.
    pub cell: Option<(Layer, Phase)>,
    /// How many scopes, rows or executions.
    pub n: u64,
    /// How much time, in nanoseconds, as far as the marks tell.
    pub time: Option<Ticks>,
}

/// All that differences are found by.
pub(super) struct Seen<'a> {
    pub(super) scopes: &'a [Scope],
    /// The number of the first of `scopes`.
    pub(super) first: usize,
    pub(super) executions: &'a [Execution],
    pub(super) drivers: &'a [DriverExecution],
    pub(super) matrix: &'a Matrix,
    pub(super) warnings: &'a [Warning],
    pub(super) all_scopes: &'a Arena<Scope>,
    pub(super) n_refused: u64,
    pub(super) n_other_devices: u64,
    pub(super) n_other_calls: [u64; 2],
}

/// What differs in a run, on its way.
pub(super) struct Differing {
    list: List,
    /// The nearest scope of the application with a phase of its own, for each scope so far.
    around: Vec<u32>,
}

impl Differing {
    /// Begins with what is about executions: about their number, and that of the run's scopes.
    pub(super) fn new(seen: &Seen, texts: &Texts, roles: &Roles) -> Self {
        let mut list = List::default();
        of_executions(seen, roles, &mut list);
        of_drivers(seen, texts, &mut list);
        Self { list, around: Vec::with_capacity(seen.scopes.len()) }
    }

    /// All scopes are taken.
    pub(super) fn finish(mut self, seen: &Seen, n_other_rows: u64) -> Vec<Difference> {
        of_damage(seen, n_other_rows, &mut self.list);
        of_table(seen, &mut self.list);
        self.list.0
    }
}

/// Collects differences; those of the same cause and cell are one.
#[derive(Default)]
struct List(Vec<Difference>);

impl List {
    fn add(
        &mut self,
        cause: Cause,
        app: Option<App>,
        cell: Option<(Layer, Phase)>,
        n: u64,
        time: Option<Ticks>,
    ) {
        if n == 0 {
            return;
        }
        let found = self.0.iter_mut().find(|d| d.cause == cause && d.app == app && d.cell == cell);
        match found {
            Some(found) => {
                found.n += n;
                found.time = found.time.zip(time).map(|(a, b)| a + b);
            }
            None => self.0.push(Difference { cause, app, cell, n, time }),
        }
    }
}

fn of_executions(seen: &Seen, roles: &Roles, list: &mut List) {
    let cell = Some((Layer::Runtime, Phase::Execution));
    // The loop that the AOSP parser believes to be in, execution by execution.
    let mut loops = seen.scopes.iter().filter(|s| App::of_loop(s.layer, s.phase).is_some()).peekable();
    let mut sticky = App::Overall;
    // It knows nothing of executions that only a driver marked.
    let executions = || seen.executions.iter().filter(|execution| execution.kind != Kind::Driver);
    for execution in executions() {
        while let Some(begun) = loops.next_if(|l| l.row < execution.row) {
            sticky = App::of_loop(begun.layer, begun.phase).unwrap_or(sticky);
        }
        if sticky != execution.app {
            list.add(Cause::PhaseEnds, Some(sticky), cell, 1, Some(execution.total()));
        }
    }
    for execution in executions() {
        if !matches!(execution.kind, Kind::Asynchronous | Kind::Application) {
            list.add(Cause::OtherExecutions, Some(execution.app), cell, 1, Some(execution.total()));
        }
    }
    let ByApp([_, warmup, benchmark]) =
        if executions().next().is_some() { seen.matrix.executions } else { ByApp([0; 3]) };
    if (warmup == 0) != (benchmark == 0) {
        list.add(Cause::LoneLoop, None, None, warmup + benchmark, None);
    }
    let mut clients: Vec<u32> = executions().map(|e| roles.threads[e.thread].process).collect();
    clients.sort_unstable();
    clients.dedup();
    if 1 < clients.len() {
        list.add(Cause::SeveralClients, None, cell, clients.len() as u64, None);
    }
}

fn of_drivers(seen: &Seen, texts: &Texts, list: &mut List) {
    let cell = Some((Layer::Driver, Phase::Execution));
    let scope = |d: &DriverExecution| &seen.all_scopes[d.scope];
    let is_classic =
        |d: &DriverExecution| texts.name(scope(d).name) == "HIDL::IPreparedModel::execute::server";
    for driver in seen.drivers.iter().filter(|d| !is_classic(d)) {
        let app = scope(driver).app;
        list.add(Cause::OtherDriverExecutions, Some(app), cell, 1, Some(driver.end - driver.start));
    }
    let classic: Vec<&DriverExecution> = seen.drivers.iter().filter(|d| is_classic(d)).collect();
    let mut ends: Vec<f64> = classic.iter().map(|d| d.end as f64).collect();
    crate::base::order::sort_floats(&mut ends);
    let crossed = classic.iter().zip(ends).filter(|(d, end)| d.end as f64 != *end).count();
    list.add(Cause::OtherOrder, None, cell, crossed as u64, None);
}

impl Differing {
    /// The next scope of the run.
    pub(super) fn take(&mut self, scope: &Scope, seen: &Seen, texts: &Texts, roles: &Roles) {
        let place = (scope.parent as usize).checked_sub(seen.first);
        let parent = place.and_then(|at| seen.scopes.get(at));
        let is_phase = |p: &Scope| p.layer == Layer::Application && p.phase != Phase::Overall;
        let nearest = match (parent, place) {
            (Some(p), _) if is_phase(p) => scope.parent,
            (Some(_), Some(at)) => self.around.get(at).copied().unwrap_or(NONE),
            _ => NONE,
        };
        self.around.push(nearest);
        let (time, own) = (Some(scope.net), Some((scope.layer, scope.phase)));
        let home = seen.all_scopes.find(scope.home);
        if scope.is_subtract && scope.is_moved && home.is_some_and(|h| h.layer == scope.layer) {
            self.list.add(Cause::SubtractTwice, None, own, 1, time);
        }
        let is_left =
            nearest != NONE && nearest != scope.parent && (scope.home == NONE || scope.home < nearest);
        if scope.phase == Phase::Initialization && scope.is_moved && !scope.is_subtract && is_left {
            let phase = seen.all_scopes[nearest].phase;
            self.list.add(Cause::InitializationTwice, None, Some((Layer::Application, phase)), 1, time);
        }
        let call = texts.functions[scope.name].call;
        if matches!(call, Call::NotifyClient(_)) {
            if parent.is_some_and(|p| p.layer == Layer::Driver) {
                self.list.add(Cause::Callbacks, None, Some((Layer::Driver, scope.phase)), 1, time);
            }
            if !roles.threads[scope.thread].is_tracked {
                self.list.add(Cause::UnseenCallbacks, None, Some((Layer::Driver, Phase::Execution)), 1, None);
            }
        } else if !roles.threads[scope.thread].is_tracked && scope.count == Count::Own {
            self.list.add(Cause::UnseenThreads, None, own, 1, Some(scope.counted));
        }
        let name = texts.name(scope.name);
        if name.is_empty() && scope.count == Count::Own {
            self.list.add(Cause::Nameless, None, own, 1, time);
        }
        let is_added = matches!(call, Call::Start(_) | Call::Compute(_)) || is_summed(name);
        if scope.counts_in(Layer::Runtime, Phase::Execution) && !is_added {
            self.list.add(Cause::OtherRuntime, None, Some((Layer::Runtime, Phase::Execution)), 1, time);
        }
        let role = roles.of_thread(scope.thread);
        if scope.counts_in(Layer::Driver, Phase::Overall) && !role.is_driver_for_aosp {
            self.list.add(
                Cause::UnseenDriver,
                None,
                Some((Layer::Driver, scope.phase)),
                1,
                Some(scope.counted),
            );
        }
    }
}

fn of_damage(seen: &Seen, n_other_rows: u64, list: &mut List) {
    let count = |trouble| seen.warnings.iter().filter(|w| w.trouble == trouble).map(|w| w.n).sum::<u64>();
    list.add(
        Cause::OtherDevices,
        None,
        Some((Layer::Driver, Phase::Initialization)),
        seen.n_other_devices,
        None,
    );
    for (layer, n) in [Layer::Ipc, Layer::Driver].into_iter().zip(seen.n_other_calls) {
        list.add(Cause::OtherCalls, None, Some((layer, Phase::Initialization)), n, None);
    }
    list.add(Cause::OtherRows, None, None, n_other_rows, None);
    let broken = seen.n_refused + count(Issue::NeverEnded) + count(Issue::SwitchOfNothing);
    list.add(Cause::Broken, None, None, broken, None);
    let kinds = [Issue::InProcessDriver, Issue::IpcBelowDriver, Issue::Layers, Issue::Phases];
    list.add(Cause::Nesting, None, None, kinds.map(count).into_iter().sum(), None);
}

fn of_table(seen: &Seen, list: &mut List) {
    let cell = |layer, phase| seen.matrix.cell(None, layer, phase);
    let n_layers = Layer::REPORTED.iter().filter(|layer| seen.matrix.has(**layer)).count() as u64;
    let largest = Layer::REPORTED.iter().map(|l| cell(*l, Phase::Execution).total).max().unwrap_or(0);
    let sum = seen.matrix.sum(None, Phase::Execution);
    if 1 < n_layers && largest != sum {
        list.add(Cause::LargestLayer, None, None, n_layers, Some((sum - largest).abs()));
    }
    let (driver, cpu) = (cell(Layer::Driver, Phase::Execution), cell(Layer::Cpu, Phase::Execution));
    if driver.total != 0 && cpu.total != 0 {
        let at = Some((Layer::Driver, Phase::Execution));
        list.add(Cause::PartialFallback, None, at, cpu.n, Some(cpu.total));
    }
    let is_idle = cell(Layer::Driver, Phase::Execution).total == 0;
    for phase in PHASES {
        let mut below = 0;
        for layer in Layer::REPORTED.into_iter().rev() {
            let Cell { total, own, .. } = cell(layer, phase);
            // Of the whole run the parser leaves the driver and the calls to it out, where no driver executed.
            let is_left = phase == Phase::Overall && is_idle && matches!(layer, Layer::Ipc | Layer::Driver);
            let other = match layer {
                Layer::Ipc if is_left => total - cell(Layer::Driver, phase).total,
                _ if is_left => total,
                _ => total - below,
            };
            below = if total == 0 || is_left { below } else { total };
            let is_other = total != 0 && other != own;
            let time = Some((own - other).abs());
            list.add(Cause::Subtraction, None, Some((layer, phase)), u64::from(is_other), time);
        }
    }
    for layer in [Layer::Application, Layer::Driver] {
        let all = cell(layer, Phase::Execution);
        let is_missing =
            [Phase::InputsOutputs, Phase::Results].iter().any(|phase| cell(layer, *phase).total == 0);
        let n = if is_missing { all.n } else { 0 };
        list.add(Cause::NoCompute, None, Some((layer, Phase::Execution)), n, Some(all.total));
    }
    for phase in PHASES.into_iter().filter(|p| matches!(p, Phase::Transformation | Phase::Computation)) {
        for layer in Layer::REPORTED {
            let cell = cell(layer, phase);
            list.add(Cause::NoColumn, None, Some((layer, phase)), cell.n, Some(cell.total));
        }
    }
}
