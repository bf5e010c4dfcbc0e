//! What belongs together over threads and processes: executions, who waits for them, who computes for them.
//!
//! A call between processes is served by the scope of the same method that begins while the call is open, first come
//! first served. A driver that calls back later ends its execution where the callback begins: on the thread that works
//! for it, else for the client that the callback reaches, else in the order of the calls. What a runtime does on threads
//! of its own belongs to the execution of its process that is open.

use super::{COVER, Context, Item, Walk};
use crate::analysis::nnapi::corrected::executions::{DriverExecution, Execution, Kind};
use crate::analysis::nnapi::corrected::scope::{App, Count, NONE, bits, cell};
use crate::analysis::nnapi::corrected::text::{Call, Meaning, Served};
use crate::analysis::nnapi::corrected::warning::{Trouble, Warning};
use crate::base::map::{Map, Set};
use crate::base::order;
use crate::base::time::Ticks;
use crate::model::mark::{Layer, Phase};
use std::collections::VecDeque;

/// How many open executions of a driver are looked at for the one that a callback ends.
const MAX_LOOK: usize = 64;

/// Where a new scope is attributed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) context: u32,
    pub(super) level: u8,
    pub(super) app: App,
    /// Cells that are counted where a thread's outermost scope is attached.
    pub(super) mask: u64,
    /// Cells that are counted around it besides.
    pub(super) extra: u64,
    pub(super) driver: u32,
}

/// What is open in one process.
#[derive(Default)]
struct Open {
    /// Loops of the application.
    loops: Vec<(u32, App)>,
    /// Executions, closed ones in between.
    executions: Vec<u32>,
    /// Executions that no thread of the runtime works for yet.
    idle: VecDeque<u32>,
    /// Executions that nobody waits for yet.
    unwaited: VecDeque<u32>,
    /// Driver executions that are to be called back.
    drivers: VecDeque<u32>,
    /// Driver executions that no thread of the driver works for yet.
    idle_drivers: VecDeque<u32>,
}

/// What is open.
pub(super) struct Links {
    processes: Vec<Open>,
    /// Executions of all processes, closed ones in between.
    executions: Vec<u32>,
    /// Calls that nobody serves yet, by path.
    clients: Map<u32, VecDeque<u32>>,
    /// Callbacks that did not arrive yet, by path.
    callbacks: Map<u32, VecDeque<u32>>,
    /// The execution that a scope waits for, or is.
    execution: Map<u32, u32>,
    /// The callback that arrives at the scope that is about to open.
    arrival: u32,
    /// Callbacks that could end executions of several clients.
    undecided: Set<u32>,
    /// The path of a call that is open.
    path: Map<u32, u32>,
}

impl Links {
    pub(super) fn new(n_processes: usize) -> Self {
        Self {
            processes: (0..n_processes).map(|_| Open::default()).collect(),
            executions: Vec::new(),
            clients: Map::default(),
            callbacks: Map::default(),
            execution: Map::default(),
            arrival: NONE,
            undecided: Set::default(),
            path: Map::default(),
        }
    }
}

impl Links {
    /// The open loops of a process.
    pub(super) fn loops(&mut self, process: u32) -> &mut Vec<(u32, App)> {
        &mut self.processes[process as usize].loops
    }
}

impl Walk<'_> {
    /// Where a scope that is about to open is attributed.
    pub(super) fn link(
        &mut self,
        thread: usize,
        row: u32,
        time: Ticks,
        kind: (Layer, Phase, Count),
        meaning: Meaning,
        parent: u32,
    ) -> Link {
        let mut link = match self.scopes.get(parent as usize) {
            Some(p) => Link {
                context: p.context,
                level: p.level,
                app: p.app,
                mask: 0,
                extra: 0,
                // A callback is no part of the execution that it ends.
                driver: if matches!(meaning.call, Call::NotifyClient(_)) { NONE } else { p.driver },
            },
            None => self.attach(thread, kind, meaning),
        };
        if let Some(app) = App::of_loop(kind.0, kind.1) {
            link.app = app;
        }
        let is_free = self.contexts.get(link.context as usize).is_none_or(|c| c.execution == NONE);
        let is_guess = !self.roles.of_thread(thread).has_executions
            && (kind.0, kind.1) == (Layer::Application, Phase::Execution);
        let begins = match meaning.call {
            Call::Compute(kind) | Call::Start(kind) => Some(kind),
            _ if is_guess && kind.2 == Count::Own => Some(Kind::Application),
            _ => None,
        };
        match (begins, meaning.call) {
            (Some(begins), _) if is_free => self.begin_execution(thread, row, time, begins, &mut link),
            (None, Call::Wait) => self.wait(thread, &mut link),
            _ => {}
        }
        link
    }

    fn begin_execution(&mut self, thread: usize, row: u32, time: Ticks, kind: Kind, link: &mut Link) {
        let (scope, number) = (self.scopes.len() as u32, self.executions.len() as u32);
        let run = self.runs.len() as u32 - 1;
        let outer = link.context;
        link.context = self.context(run, number);
        link.level = u8::from(kind.is_later());
        let mut execution = Execution::new(run, thread as u32, row, kind, link.app, time);
        (execution.scope, execution.context, execution.outer) = (scope, link.context, outer);
        self.executions.push(execution);
        self.links.execution.insert(scope, number);
        self.links.executions.push(number);
        let open = &mut self.links.processes[self.roles.process[thread] as usize];
        open.executions.push(number);
        if kind.is_later() {
            open.idle.push_back(number);
            open.unwaited.push_back(number);
            self.threads[thread].unwaited.push_back(number);
        }
    }

    /// The execution that a wait is for: the oldest of its thread, else of its process.
    fn wait(&mut self, thread: usize, link: &mut Link) {
        let is_waited = |executions: &[Execution], at: &u32| executions[*at as usize].is_awaited;
        let process = self.roles.process[thread] as usize;
        let lists = [&mut self.threads[thread].unwaited, &mut self.links.processes[process].unwaited];
        for list in lists {
            while list.front().is_some_and(|at| is_waited(&self.executions, at)) {
                list.pop_front();
            }
            if let Some(at) = list.pop_front() {
                let execution = &mut self.executions[at as usize];
                execution.is_awaited = true;
                (link.context, link.level) = (execution.context, 1);
                link.extra = bits(Layer::Runtime, Phase::Execution);
                self.links.execution.insert(self.scopes.len() as u32, at);
                return;
            }
        }
    }

    fn context(&mut self, run: u32, execution: u32) -> u32 {
        self.contexts.push(Context { run, execution });
        self.contexts.len() as u32 - 1
    }

    /// The context of a thread outside of executions.
    fn lane(&mut self, thread: usize) -> u32 {
        let run = self.runs.len() as u32 - 1;
        match self.threads[thread].lane {
            Some((of, context)) if of == run => context,
            _ => {
                let context = self.context(run, NONE);
                self.threads[thread].lane = Some((run, context));
                context
            }
        }
    }

    /// Where the outermost scope of a thread belongs.
    fn attach(&mut self, thread: usize, (layer, phase, _): (Layer, Phase, Count), meaning: Meaning) -> Link {
        let process = self.roles.process[thread] as usize;
        let role = self.roles.processes[process];
        let is_execution = phase == Phase::Execution || phase.is_part_of_execution();
        let target = match meaning.call {
            Call::Server(path, _) => take(&mut self.links.clients, path),
            Call::NotifyServer(path) => {
                let callback = take(&mut self.links.callbacks, path);
                self.links.arrival = callback.unwrap_or(NONE);
                callback
            }
            Call::NotifyClient(_) => self.first_driver(process).map(|at| self.drivers[at as usize].scope),
            Call::Plain if layer == Layer::Driver && role.is_driver() && is_execution => {
                return match self.idle_driver(process) {
                    Some(at) => {
                        let scope = self.drivers[at as usize].scope;
                        Link { driver: at, ..self.below(scope) }
                    }
                    None => {
                        let open = self.latest(None);
                        self.at_execution(thread, open)
                    }
                };
            }
            _ => None,
        };
        if let Some(target) = target {
            return Link { driver: NONE, ..self.below(target) };
        }
        if role.is_driver() {
            let open = if is_execution { self.latest(None) } else { None };
            return self.at_execution(thread, open);
        }
        let is_inner =
            matches!(layer, Layer::Runtime | Layer::Ipc | Layer::Cpu | Layer::Driver) && !meaning.is_api;
        let open =
            if is_inner { self.idle_execution(process).or_else(|| self.latest(Some(process))) } else { None };
        self.at_execution(thread, open)
    }

    /// Below a scope of another thread.
    fn below(&self, target: u32) -> Link {
        let t = &self.scopes[target as usize];
        let level = t.level.saturating_add(1);
        Link { context: t.context, level, app: t.app, mask: t.mask, extra: 0, driver: NONE }
    }

    /// In an execution, or by itself.
    fn at_execution(&mut self, thread: usize, execution: Option<u32>) -> Link {
        if let Some(at) = execution {
            let execution = &self.executions[at as usize];
            return Link { level: 2, context: execution.context, ..self.below(execution.scope) };
        }
        let is_driver = self.roles.of_thread(thread).is_driver();
        let of_process = &self.links.processes[self.roles.process[thread] as usize].loops;
        let loops = if is_driver { &self.loops } else { of_process };
        let app = loops.last().map_or(App::Overall, |l| l.1);
        Link { context: self.lane(thread), level: 0, app, mask: 0, extra: 0, driver: NONE }
    }

    /// The execution that began last and is open, of a process or of all.
    fn latest(&mut self, process: Option<usize>) -> Option<u32> {
        let list = match process {
            Some(process) => &mut self.links.processes[process].executions,
            None => &mut self.links.executions,
        };
        while list.last().is_some_and(|&at| !self.executions[at as usize].is_open) {
            list.pop();
        }
        list.last().copied()
    }

    /// The oldest open execution of a process that no thread of the runtime works for yet; one does from now on.
    fn idle_execution(&mut self, process: usize) -> Option<u32> {
        let list = &mut self.links.processes[process].idle;
        while list.front().is_some_and(|&at| !self.executions[at as usize].is_open) {
            list.pop_front();
        }
        list.pop_front()
    }

    fn idle_driver(&mut self, process: usize) -> Option<u32> {
        let list = &mut self.links.processes[process].idle_drivers;
        while list.front().is_some_and(|&at| self.drivers[at as usize].notified.is_some()) {
            list.pop_front();
        }
        list.pop_front()
    }

    /// The oldest execution of a driver that was not called back.
    fn first_driver(&mut self, process: usize) -> Option<u32> {
        let list = &mut self.links.processes[process].drivers;
        while list.front().is_some_and(|&at| self.drivers[at as usize].notified.is_some()) {
            list.pop_front();
        }
        list.front().copied()
    }

    /// The scope is open: what others will look for.
    pub(super) fn opened(&mut self, at: u32, meaning: Meaning, replaced: u32) {
        let scope = self.scopes[at as usize];
        let process = self.roles.process[scope.thread as usize] as usize;
        let is_driver_execution = scope.counts_in(Layer::Driver, Phase::Execution);
        match meaning.call {
            Call::Client(path) => {
                self.links.clients.entry(path).or_default().push_back(at);
                self.links.path.insert(at, path);
            }
            Call::Server(_, Served::Later) if scope.layer == Layer::Driver => {
                let number = self.begin_driver(at, true);
                let scope = &mut self.scopes[at as usize];
                (scope.driver, scope.level) = (number, scope.level.saturating_add(1));
                self.links.processes[process].drivers.push_back(number);
                self.links.processes[process].idle_drivers.push_back(number);
            }
            Call::Server(_, Served::Now) if is_driver_execution => {
                self.begin_driver(at, false);
            }
            Call::NotifyClient(path) => {
                self.links.callbacks.entry(path).or_default().push_back(at);
                if scope.phase == Phase::Execution {
                    self.called_back(at, process);
                }
            }
            Call::NotifyServer(_) => self.arrived(process),
            Call::Plain if is_driver_execution && is_computing(meaning.label.name) => {
                let before =
                    self.drivers.last_mut().filter(|d| meaning.label.is_switch && d.last == replaced);
                match before {
                    Some(before) => before.last = at,
                    None => {
                        self.begin_driver(at, false);
                    }
                }
            }
            _ => {}
        }
    }

    fn begin_driver(&mut self, at: u32, is_later: bool) -> u32 {
        let scope = &self.scopes[at as usize];
        let execution = self.contexts.get(scope.context as usize).map_or(NONE, |c| c.execution);
        self.drivers.push(DriverExecution {
            run: scope.run,
            thread: scope.thread,
            row: scope.row,
            start: scope.start,
            end: scope.start,
            execution,
            is_later,
            notified: None,
            scope: at,
            last: at,
        });
        self.drivers.len() as u32 - 1
    }

    /// A driver calls back: ends the execution of the scope around it, else the only candidate, else waits until the
    /// callback arrives somewhere.
    fn called_back(&mut self, at: u32, process: usize) {
        let time = self.scopes[at as usize].start;
        let around = self.scopes.get(self.scopes[at as usize].parent as usize).map_or(NONE, |p| p.driver);
        if self.drivers.get(around as usize).is_some_and(|d| d.notified.is_none()) {
            self.drivers[around as usize].notified = Some(time);
            return;
        }
        let Some(first) = self.first_driver(process) else {
            let (run, row) = (self.scopes[at as usize].run as usize, self.scopes[at as usize].row);
            Warning::add(&mut self.runs[run].warnings, Trouble::UnpairedCallback, row);
            return;
        };
        let client = |at: u32| self.client_of(at);
        let list = self.links.processes[process].drivers.iter().take(MAX_LOOK);
        let open = list.filter(|&&d| self.drivers[d as usize].notified.is_none());
        if open.clone().all(|&d| client(d) == client(first)) {
            self.drivers[first as usize].notified = Some(time);
        } else {
            self.links.undecided.insert(at);
        }
    }

    /// The process whose execution a driver computes.
    fn client_of(&self, driver: u32) -> Option<u32> {
        let execution = self.executions.get(self.drivers[driver as usize].execution as usize)?;
        self.roles.process.get(execution.thread as usize).copied()
    }

    /// A callback reaches its client: now it is known whose execution it ends.
    fn arrived(&mut self, client: usize) {
        let arrival = std::mem::replace(&mut self.links.arrival, NONE);
        if self.links.undecided.remove(&arrival) {
            self.decide(arrival, Some(client as u32));
        }
    }

    fn decide(&mut self, callback: u32, client: Option<u32>) {
        let callback = self.scopes[callback as usize];
        let process = self.roles.process[callback.thread as usize] as usize;
        let Some(first) = self.first_driver(process) else { return };
        let list = self.links.processes[process].drivers.iter().take(MAX_LOOK);
        let mut open = list.filter(|&&d| self.drivers[d as usize].notified.is_none());
        let found =
            open.find(|&&d| client.is_some() && self.client_of(d) == client).copied().unwrap_or(first);
        let driver = &mut self.drivers[found as usize];
        driver.notified = Some(callback.start.max(driver.start));
    }

    /// The scope is closed.
    pub(super) fn unlink(&mut self, at: u32, row: u32, time: Ticks) {
        if let Some(number) = self.links.execution.remove(&at) {
            let execution = &mut self.executions[number as usize];
            execution.end = execution.end.max(time);
            let is_over = !execution.kind.is_later() || execution.scope != at;
            if is_over {
                execution.is_open = false;
                execution.end_row = row;
            }
        }
        if let Some(path) = self.links.path.remove(&at)
            && let Some(list) = self.links.clients.get_mut(&path)
            && let Some(place) = list.iter().rposition(|&c| c == at)
        {
            list.remove(place);
        }
    }

    /// All rows are read: ends what waits to be ended, and hands out the time of executions themselves.
    pub(super) fn settle(&mut self) {
        let mut undecided: Vec<u32> = self.links.undecided.drain().collect();
        order::sort_numbers(&mut undecided, &|at| i64::from(at));
        for callback in undecided {
            self.decide(callback, None);
        }
        self.end_drivers();
        self.end_executions();
    }

    fn end_drivers(&mut self) {
        for driver in &mut self.drivers {
            let scope = &self.scopes[driver.scope as usize];
            driver.end = driver.notified.unwrap_or(self.scopes[driver.last as usize].end);
            if !driver.is_later {
                continue;
            }
            if driver.notified.is_none() {
                let warnings = &mut self.runs[driver.run as usize].warnings;
                Warning::add(warnings, Trouble::NoCallback, driver.row);
            }
            if let Some(cell) = cell(Layer::Driver, Phase::Execution) {
                let level = scope.level.saturating_sub(1);
                let (start, end, context, app) = (driver.start, driver.end, scope.context, scope.app);
                self.items.push(Item { start, end, context, cell, level, app });
            }
        }
    }

    fn end_executions(&mut self) {
        // Nobody waited: it ends where the last thing that it caused ends.
        let caused = self.scopes.iter().map(|s| (s.context, s.end));
        let called = self.drivers.iter().map(|d| (self.scopes[d.scope as usize].context, d.end));
        for (context, end) in caused.chain(called) {
            let execution = self.contexts.get(context as usize).map_or(NONE, |c| c.execution);
            if let Some(execution) = self.executions.get_mut(execution as usize)
                && execution.is_open
            {
                execution.end = execution.end.max(end);
            }
        }
        for execution in &mut self.executions {
            if execution.is_open {
                let warnings = &mut self.runs[execution.run as usize].warnings;
                Warning::add(warnings, Trouble::NeverAwaited, execution.row);
            }
            let run = &mut self.runs[execution.run as usize];
            run.end = run.end.max(execution.end);
            if !execution.kind.is_later() {
                continue;
            }
            let (start, end, context, app) =
                (execution.start, execution.end, execution.context, execution.app);
            if let Some(cell) = cell(Layer::Runtime, Phase::Execution) {
                self.items.push(Item { start, end, context, cell, level: 0, app });
            }
            let context = execution.outer;
            self.items.push(Item { start, end, context, cell: COVER, level: u8::MAX, app });
        }
    }

    /// What a scope counts with where the work goes on after its end.
    pub(super) fn count_spans(&mut self) {
        for execution in self.executions.iter().filter(|e| e.kind.is_later()) {
            self.scopes[execution.scope as usize].counted = execution.end - execution.start;
        }
        for driver in self.drivers.iter().filter(|d| d.is_later) {
            self.scopes[driver.scope as usize].counted = driver.end - driver.start;
        }
    }
}

/// The oldest of a path.
fn take(list: &mut Map<u32, VecDeque<u32>>, path: u32) -> Option<u32> {
    list.get_mut(&path)?.pop_front()
}

/// Whether a driver's function computes; some only make ready.
fn is_computing(name: &str) -> bool {
    !name.contains("configureExecutionBurst") && !name.contains("createReusableExecution")
}
