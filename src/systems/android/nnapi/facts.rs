//! What rules look at: executions added up by model, the first ones, what lies between them, what drivers do meanwhile.
//!
//! A model is a network of an application: executions of other networks, or of other applications, are other things.
//! Executions whose end is not in the trace are counted apart and are in no time. Where only drivers wrote marks, their
//! executions are what there is ([`Facts::is_of_drivers`]), and the process of a driver stands for the application.

use super::corrected::{App, Corrected, Execution, Kind, NONE, Run, Spread};
use super::driver_times::{DriverTimes, driver_times};
use super::mark::{ByApp, Layer, Marks, Phase};
use super::name_of;
use crate::analysis::device::Times;
use crate::base::job::Turn;
use crate::base::map::{Map, Set};
use crate::base::order;
use crate::base::time::{Span, Ticks, Total};
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::id::StrId;
use crate::model::track::Role;

/// All of it. Times in nanoseconds.
#[derive(Debug, Default)]
pub struct Facts {
    /// Those with most time in executions first.
    pub models: Vec<Model>,
    /// Time of the threads that call: each from its first to its last mark in each run; of drivers alone the time from their
    /// first to their last mark.
    pub whole: Ticks,
    /// Whether executions are those of drivers, since nobody else marked any.
    pub is_of_drivers: bool,
}

/// Executions added up.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    pub n: u64,
    pub time: Ticks,
    /// Own time of each layer, as [`Layer::REPORTED`] has them.
    pub layers: [Ticks; 5],
    pub io: Ticks,
    pub results: Ticks,
    /// The part of both that the application marks.
    pub copied_by_app: Ticks,
    /// How many were called so, as [`KINDS`] has them.
    pub kinds: [u64; 6],
    /// How many executed on a driver, and how many (also) on the CPU.
    pub with_driver: u64,
    pub with_cpu: u64,
    /// Calls of drivers, and parts that the CPU did.
    pub driver_calls: u64,
    pub cpu_steps: u64,
    /// Of those executions that have several of both: how many, and the most.
    pub parted: u64,
    pub most_parts: u32,
}

/// What the time of calls is called where drivers wrote no marks.
pub const IPC_AND_DRIVER: &str = phrase("IPC and driver");

/// What the time of the runtime is called where nothing below it is marked.
pub const RUNTIME_AND_BELOW: &str = phrase("Runtime and below");

/// How executions are called, in this order.
pub const KINDS: [Kind; 6] =
    [Kind::Synchronous, Kind::Burst, Kind::Asynchronous, Kind::Fenced, Kind::Application, Kind::Driver];

impl Sums {
    /// The own time of a layer.
    pub fn of(&self, layer: Layer) -> Ticks {
        layer.of_each(self.layers).unwrap_or(0)
    }

    /// How many were called so.
    pub fn of_kind(&self, kind: Kind) -> u64 {
        KINDS.iter().zip(self.kinds).find(|(of, _)| **of == kind).map_or(0, |(_, n)| n)
    }

    /// Whether drivers were called that wrote no marks: what they take cannot be told from what the calls take.
    pub fn has_unseen_driver(&self) -> bool {
        0 < self.of(Layer::Ipc) && self.of(Layer::Driver) == 0
    }

    /// Whether nothing below the runtime is seen: no calls, no driver, nothing on the CPU. Who computes meanwhile was not
    /// recorded.
    pub fn is_seen_from_above(&self) -> bool {
        self.of(Layer::Ipc) == 0 && self.of(Layer::Driver) == 0 && self.with_cpu == 0
    }

    /// The time of operations on the CPU, where it is seen who computes.
    pub fn on_cpu(&self) -> Option<Ticks> {
        (!self.is_seen_from_above()).then(|| self.of(Layer::Cpu))
    }

    /// The time of inputs, outputs and results, where somebody below the runtime or the runtime itself marked it.
    pub fn copying(&self) -> Option<Ticks> {
        let time = self.io + self.results;
        (!self.is_seen_from_above() || 0 < time).then_some(time)
    }

    /// What the time of a layer is called here.
    pub fn title(&self, layer: Layer) -> &'static str {
        match layer {
            Layer::Ipc if self.has_unseen_driver() => IPC_AND_DRIVER,
            Layer::Runtime if self.is_seen_from_above() => RUNTIME_AND_BELOW,
            layer => layer.title(),
        }
    }

    fn add(&mut self, execution: &Execution, (drivers, steps): (u32, u32)) {
        self.n += 1;
        self.time += execution.total();
        for (sum, layer) in self.layers.iter_mut().zip(Layer::REPORTED) {
            *sum += execution.of(layer);
        }
        self.io += execution.io;
        self.results += execution.results;
        self.copied_by_app += execution.copied_by_app;
        if let Some(n) = self.kinds.iter_mut().zip(KINDS).find(|(_, of)| *of == execution.kind) {
            *n.0 += 1;
        }
        self.with_driver += u64::from(0 < drivers);
        self.with_cpu += u64::from(0 < execution.cpu || 0 < steps);
        self.driver_calls += u64::from(drivers);
        self.cpu_steps += u64::from(steps);
        let parts = drivers + steps;
        // What an application calls an execution may be many.
        if 1 < parts && execution.kind != Kind::Application {
            self.parted += 1;
            self.most_parts = self.most_parts.max(parts);
        }
    }
}

/// A network of an application.
#[derive(Debug, Default)]
pub struct Model {
    /// Empty where no mark names it.
    pub network: String,
    /// The process that calls; its thread where only that has a name.
    pub app: String,
    pub all: Sums,
    /// The executions of each loop.
    pub loops: ByApp<Sums>,
    pub spreads: ByApp<Option<Spread>>,
    pub n_cut: u64,
    /// Its first execution in each run whose begin is in the trace, of a driver the first that is in the trace: rows of
    /// [`Corrected::executions`].
    pub firsts: Vec<u32>,
    pub between: Between,
    pub compiling: Compiling,
    /// What its drivers do while they execute; `None` without scheduling.
    pub driver: Option<DriverTimes>,
    /// The run with most of its time.
    pub run: u32,
    totals: ByApp<Vec<Ticks>>,
    run_times: Map<u32, Ticks>,
    /// Runs and threads that it executes in.
    pub(super) callers: Set<(u32, u32)>,
}

impl Model {
    /// How many runs it executes in.
    pub fn n_runs(&self) -> usize {
        self.run_times.len()
    }
}

/// What lies between an execution and the next one on its thread, in one loop.
#[derive(Clone, Debug, Default)]
pub struct Between {
    /// How many times one execution follows another, and how many of them with time between.
    pub n: u64,
    pub gaps: u64,
    /// Time between them in which their driver executes nothing, without compiling.
    pub time: Ticks,
    /// Time between them in which other threads execute: on their driver, or on one that is not known.
    pub covered: Ticks,
    /// Whether others execute on another driver in what is left.
    pub is_beside: bool,
    /// Of it calls that create, fill and free executions.
    pub setup: Ticks,
    /// From the first begin to the last end.
    pub whole: Ticks,
    pub longest: Span,
    /// The thread of the longest, a row of `Marks::threads`.
    pub thread: u32,
}

/// Compiling while executions go on.
#[derive(Clone, Debug, Default)]
pub struct Compiling {
    /// Compilations that were finished, all and between executions.
    pub all: u64,
    pub n: u64,
    /// Time between executions.
    pub time: Ticks,
    /// Whether one is in the loop that is measured.
    pub is_measured: bool,
    pub longest: Span,
    pub thread: u32,
}

impl Model {
    /// The loop that counts: the measured one, else what is outside of loops, else the one that warms up.
    pub fn steady(&self) -> App {
        App::steady(|app| 0 < self.loops[app].n)
    }
}

/// What a thread does in a run.
#[derive(Clone, Copy, Debug)]
struct Lane {
    model: usize,
    app: App,
    /// From its first begin to its last end.
    span: Span,
    /// Where those of this loop begin, and end as yet.
    of_loop: Span,
    /// The compilations from here on are not over.
    next: usize,
}

/// Where models are by names, as they are found.
struct Models<'a> {
    trace: &'a Trace,
    corrected: &'a Corrected,
    list: Vec<Model>,
    places: Map<(&'a str, &'a str), usize>,
    /// Runs in which a model executed already.
    begun: Set<(usize, usize)>,
}

impl<'a> Models<'a> {
    fn of(&mut self, network: &'a str, thread: u32) -> usize {
        let app = app_of(self.trace, thread);
        let next = self.list.len();
        let at = *self.places.entry((network, app)).or_insert(next);
        if at == next {
            let (network, app) = (network.to_owned(), app.to_owned());
            self.list.push(Model { network, app, ..Model::default() });
        }
        at
    }
}

/// The run that a thread's executions are of: where applications take turns, a run that another one began is not theirs.
fn owner(trace: &Trace, corrected: &Corrected, run: usize, thread: u32) -> Option<usize> {
    let marks = Marks::of(trace);
    let process = |thread: u32| {
        let process = marks.threads.get(thread as usize).map(|of| trace.strings.get(of.process));
        process.filter(|process| !process.is_empty())
    };
    let own = process(thread);
    let is_own = |at: &usize| {
        let row = corrected.runs.get(*at).and_then(|run| run.row);
        let began = row.and_then(|row| marks.thread.get(row as usize)).copied();
        let other = began.and_then(process);
        own.is_none() || other.is_none() || own == other
    };
    (0..=run).rev().find(is_own)
}

/// What the process of a thread is called, else its main thread or the first one that is known; else the thread.
fn app_of(trace: &Trace, thread: u32) -> &str {
    let threads = &Marks::of(trace).threads;
    let Some(of) = threads.get(thread as usize) else { return "" };
    let text = |id| Some(trace.strings.get(id)).filter(|name| !name.is_empty() && *name != "<...>");
    let mut siblings =
        threads.iter().filter(|other| text(of.process).is_some() && other.process == of.process);
    let main = siblings.clone().find(|other| other.id == of.process).and_then(|main| text(main.name));
    let first = || siblings.find_map(|other| text(other.name));
    text(of.process_name)
        .or(main)
        .or_else(first)
        .or_else(|| text(of.name))
        .or_else(|| text(of.id))
        .unwrap_or("")
}

/// Rows that are looked at between two pauses.
const PIECE: usize = 1 << 15;

impl Facts {
    /// Whether an execution is of a model.
    pub fn is_of(&self, model: &Model, execution: &Execution) -> bool {
        model.callers.contains(&(execution.run, execution.thread))
    }

    /// Adds up what was computed. Linear in the scopes, and in the states of drivers' threads.
    pub async fn of(trace: &Trace, corrected: &Corrected, turn: &Turn) -> Self {
        let mut models =
            Models { trace, corrected, list: Vec::new(), places: Map::default(), begun: Set::default() };
        let mut calls: Map<u32, Vec<Span>> = Map::default();
        let is_of_drivers = corrected.executions.first().is_some_and(|first| first.kind == Kind::Driver);
        let busy = Busy::of(trace, corrected);
        for (number, run) in (0..).zip(&corrected.runs) {
            let (callers, compiles) = scopes_of(corrected, run, is_of_drivers, turn).await;
            for (thread, span) in callers {
                calls.entry(thread).or_default().push(span);
            }
            let lanes = Box::pin(models.add(number, run, (&compiles, &busy), turn)).await;
            for lane in lanes.values() {
                if let Some(model) = models.list.get_mut(lane.model) {
                    model.between.whole += lane.of_loop.dur();
                }
            }
            compiling(&mut models.list, &lanes, &compiles);
        }
        let mut models = models.list;
        for model in &mut models {
            for app in App::ALL {
                model.spreads[app] = Spread::of(std::mem::take(&mut model.totals[app]));
            }
            let most = model.run_times.iter().max_by_key(|(run, time)| (**time, std::cmp::Reverse(**run)));
            model.run = most.map_or(0, |(run, _)| *run);
        }
        if trace.tracks.iter().any(|(_, track)| track.role == Role::States) {
            Box::pin(driver_times(trace, corrected, &mut models, turn)).await;
        }
        order::sort_by_key(&mut models, |model| std::cmp::Reverse(model.all.time));
        let whole = calls.into_values().flat_map(joined).map(Span::dur).sum();
        Self { models, whole, is_of_drivers }
    }
}

impl Models<'_> {
    /// Adds the executions of a run; what its threads did.
    async fn add(
        &mut self,
        number: u32,
        run: &Run,
        (compiles, busy): (&[Compile], &Busy),
        turn: &Turn,
    ) -> Map<u32, Lane> {
        let (trace, corrected) = (self.trace, self.corrected);
        let mut owners: Map<u32, Option<usize>> = Map::default();
        let mut lanes: Map<u32, Lane> = Map::default();
        let first_compile = compiles.iter().map(|compile| compile.span.end).min();
        let executions =
            run.executions.clone().zip(corrected.executions_of(run)).zip(parts_of(corrected, run));
        for ((row, execution), parts) in executions {
            let is_of_driver = execution.kind == Kind::Driver;
            let owner = *owners.entry(execution.thread).or_insert_with(|| {
                if is_of_driver {
                    Some(number as usize)
                } else {
                    owner(trace, corrected, number as usize, execution.thread)
                }
            });
            let of = owner.and_then(|of| corrected.runs.get(of));
            let at = self.of(of.map_or("", |of| name_of(trace, of)), execution.thread);
            let Some(model) = self.list.get_mut(at) else { continue };
            if self.begun.insert((owner.unwrap_or(number as usize), at)) {
                let is_marked = of.is_some_and(|of| of.row.is_some());
                let is_here =
                    is_marked || is_of_driver || first_compile.is_some_and(|end| end <= execution.start);
                model.firsts.extend((is_here && !execution.is_cut).then_some(row as u32));
            }
            if execution.is_cut {
                model.n_cut += 1;
                continue;
            }
            model.callers.insert((number, execution.thread));
            model.all.add(execution, parts);
            model.loops[execution.app].add(execution, parts);
            model.totals[execution.app].push(execution.total());
            *model.run_times.entry(number).or_insert(0) += execution.total();
            // The threads of a driver take turns.
            let lane = if is_of_driver { DRIVERS - at as u32 } else { execution.thread };
            let free = |gap: Span| busy.free(row, gap);
            between((&mut lanes, lane), compiles, (at, model), execution, free);
            if turn.is_over(1) {
                turn.pause().await;
            }
        }
        lanes
    }
}

/// Compiling on a thread.
struct Compile {
    thread: u32,
    app: App,
    span: Span,
    time: Ticks,
    /// Whether a compilation is finished by it.
    is_finish: bool,
}

/// The first driver's number among threads; others count down from it.
const DRIVERS: u32 = NONE - 1;

/// When each thread that calls does so, drivers as one where nobody calls, and what is compiled.
async fn scopes_of(
    corrected: &Corrected,
    run: &Run,
    is_of_drivers: bool,
    turn: &Turn,
) -> (Map<u32, Span>, Vec<Compile>) {
    let has_runtime = 0 < run.matrix.cell(None, Layer::Runtime, Phase::Compilation).n;
    let layer = if has_runtime { Layer::Runtime } else { Layer::Application };
    let (mut callers, mut compiles): (Map<u32, Span>, Vec<Compile>) = (Map::default(), Vec::new());
    for scopes in corrected.scopes.get(run.scopes.clone()).unwrap_or_default().chunks(PIECE) {
        for scope in scopes {
            let name = corrected.name(scope.name);
            let is_call = if is_of_drivers {
                scope.layer == Layer::Driver
            } else {
                scope.layer == Layer::Application || name.starts_with("ANeuralNetworks")
            };
            if scope.parent == NONE && is_call {
                let thread = if is_of_drivers { DRIVERS } else { scope.thread };
                // The last mark of what never ends is its begin.
                let end = if scope.is_unfinished { scope.start } else { scope.end };
                let of = callers.entry(thread).or_insert(Span { start: scope.start, end });
                of.end = of.end.max(end);
            }
            let is_compiling = scope.phase == Phase::Compilation && !scope.is_unfinished;
            if is_compiling && scope.counts_in(layer, Phase::Compilation) {
                let span = Span::new(scope.start, scope.end);
                let is_finish = layer == Layer::Application || name.ends_with("Compilation_finish");
                let (thread, app, time) = (scope.thread, scope.app, scope.counted);
                compiles.push(Compile { thread, app, span, time, is_finish });
            }
        }
        turn.pause().await;
    }
    (callers, compiles)
}

/// Calls of drivers and parts of the CPU in each execution of a run.
fn parts_of(corrected: &Corrected, run: &Run) -> Vec<(u32, u32)> {
    let mut parts = vec![(0, 0); run.executions.len()];
    let place = |row: u32| (row as usize).checked_sub(run.executions.start);
    for driver in corrected.drivers_of(run).iter().filter(|driver| !driver.is_cut) {
        if let Some(part) = place(driver.execution).and_then(|at| parts.get_mut(at)) {
            part.0 += 1;
        }
    }
    for row in &run.cpu_steps {
        if let Some(part) = place(*row).and_then(|at| parts.get_mut(at)) {
            part.1 += 1;
        }
    }
    parts
}

/// When anything executes, but for what never ends.
struct Busy {
    /// The process of the driver of each execution, where it is known.
    drivers: Vec<Option<StrId>>,
    all: Times,
    of_driver: Map<StrId, Times>,
    of_unknown: Times,
}

impl Busy {
    fn of(trace: &Trace, corrected: &Corrected) -> Self {
        let threads = &Marks::of(trace).threads;
        let process = |thread: u32| {
            let process = threads.get(thread as usize)?.process;
            (!trace.strings.get(process).is_empty()).then_some(process)
        };
        let own = corrected.executions.iter().map(|one| (one.kind == Kind::Driver).then_some(one.thread));
        let mut drivers: Vec<Option<StrId>> = own.map(|thread| process(thread?)).collect();
        for driver in &corrected.drivers {
            if let Some(of) = drivers.get_mut(driver.execution as usize) {
                *of = of.or_else(|| process(driver.thread));
            }
        }
        let (mut all, mut of_unknown) = (Vec::new(), Vec::new());
        let mut of_driver: Map<StrId, Vec<Span>> = Map::default();
        for (one, driver) in corrected.executions.iter().zip(&drivers).filter(|(one, _)| !one.is_cut) {
            let span = Span { start: one.start, end: one.end.max(one.start) };
            all.push(span);
            let own = match driver {
                Some(driver) => of_driver.entry(*driver).or_default(),
                None => &mut of_unknown,
            };
            own.push(span);
        }
        let times =
            |spans: Vec<Span>| Times::of_sorted(joined(spans).into_iter().map(|span| (span.start, span.end)));
        let of_driver = of_driver.into_iter().map(|(of, spans)| (of, times(spans))).collect();
        Self { drivers, all: times(all), of_driver, of_unknown: times(of_unknown) }
    }

    /// When the driver of an execution executes nothing in a gap, and whether another one does meanwhile.
    fn free(&self, row: usize, gap: Span) -> (Vec<Span>, bool) {
        let nowhere: Vec<Span> = self.all.rest(gap).collect();
        let driver = self.drivers.get(row).copied().flatten();
        let Some(own) = driver.and_then(|driver| self.of_driver.get(&driver)) else {
            return (nowhere, false);
        };
        let free: Vec<Span> = own.rest(gap).flat_map(|span| self.of_unknown.rest(span)).collect();
        let is_beside = nowhere != free;
        (free, is_beside)
    }
}

/// What lies between an execution and the one before it on its thread, or of its driver; `free` says when nothing executes.
fn between(
    (lanes, number): (&mut Map<u32, Lane>, u32),
    compiles: &[Compile],
    (at, model): (usize, &mut Model),
    execution: &Execution,
    free: impl Fn(Span) -> (Vec<Span>, bool),
) {
    let (own, app) = (Span::new(execution.start, execution.end), execution.app);
    let Some(lane) = lanes.get_mut(&number) else {
        lanes.insert(number, Lane { model: at, app, span: own, of_loop: own, next: 0 });
        return;
    };
    lane.span.end = lane.span.end.max(own.end);
    if lane.app != app {
        model.between.whole += lane.of_loop.dur();
        (lane.app, lane.of_loop) = (app, own);
        return;
    }
    let gap = Span { start: lane.of_loop.end, end: own.start.max(lane.of_loop.end) };
    lane.of_loop.end = lane.of_loop.end.max(own.end);
    let (free, is_beside) = free(gap);
    let mut compiled = 0;
    while let Some(compile) = compiles.get(lane.next).filter(|compile| compile.span.end <= own.start) {
        let is_inside = compile.thread == execution.thread && gap.start <= compile.span.start;
        let inside: Ticks = free.iter().map(|free| free.intersect(compile.span).dur()).total();
        compiled += if is_inside { compile.time.min(inside) } else { 0 };
        lane.next += 1;
    }
    let of = &mut model.between;
    let idle: Ticks = free.iter().map(|free| free.dur()).total();
    let time = (idle - compiled).max(0);
    of.covered += gap.dur() - idle;
    of.is_beside |= is_beside;
    of.n += 1;
    of.gaps += u64::from(0 < time);
    of.time += time;
    of.setup += execution.setup.min(time);
    for free in free {
        if of.longest.dur() < free.dur() {
            (of.longest, of.thread) = (free, execution.thread);
        }
    }
}

/// Compilations between executions: those of the measured loop, else of a thread that executed before and does so again,
/// more than once.
fn compiling(models: &mut [Model], lanes: &Map<u32, Lane>, compiles: &[Compile]) {
    let only = lanes.values().map(|lane| lane.model).min();
    for compile in compiles {
        let lane = lanes.get(&compile.thread);
        let Some(at) = lane.map(|lane| lane.model).or(only) else { continue };
        let Some(model) = models.get_mut(at) else { continue };
        model.compiling.all += u64::from(compile.is_finish);
        let is_amid =
            lane.is_some_and(|lane| lane.span.start < compile.span.start && compile.span.end < lane.span.end);
        let is_measured = compile.app == App::Benchmark;
        if !is_amid && !is_measured {
            continue;
        }
        let of = &mut model.compiling;
        of.n += u64::from(compile.is_finish);
        of.time += compile.time;
        of.is_measured |= is_measured;
        if of.longest.dur() < compile.span.dur() {
            (of.longest, of.thread) = (compile.span, compile.thread);
        }
    }
}

/// Spans in their order, those that meet joined.
pub(super) fn joined(mut spans: Vec<Span>) -> Vec<Span> {
    order::sort_by_key(&mut spans, |span| span.start);
    let mut all: Vec<Span> = Vec::new();
    for span in spans {
        match all.last_mut().filter(|last| span.start <= last.end) {
            Some(last) => last.end = last.end.max(span.end),
            None => all.push(span),
        }
    }
    all
}
