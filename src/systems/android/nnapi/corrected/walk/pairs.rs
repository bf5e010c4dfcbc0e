//! Executions end: drivers call back, threads are done waiting, and what never ended ends with the rows.

use super::{COVER, Item, Walk};
use crate::base::order;
use crate::base::time::Ticks;
use crate::systems::android::nnapi::corrected::executions::{DriverExecution, Kind};
use crate::systems::android::nnapi::corrected::scope::{NONE, cell};
use crate::systems::android::nnapi::corrected::text::{Call, Meaning, Served};
use crate::systems::android::nnapi::corrected::warning::{Issue, Warning};
use crate::systems::android::nnapi::mark::{Layer, Phase};

/// How many open executions of a driver are looked at for the one that a callback ends.
const MAX_LOOK: usize = 64;

/// Which driver execution a callback may end.
pub(super) enum Candidate {
    /// None is open.
    None,
    /// The oldest one: all open ones are of one client.
    One(u32),
    /// Open ones are of several clients.
    Several,
}

impl Walk {
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
                scope.driver = number;
                // On a thread of its own the execution lies around the scope; inside another scope it must not stretch
                // the time that is handed out there.
                self.drivers[number as usize].level = scope.level;
                if scope.parent == NONE {
                    scope.level = scope.level.saturating_add(1);
                } else {
                    self.drivers[number as usize].level = scope.level.max(1);
                }
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
            Call::Plain if is_driver_execution && is_computing(&self.texts.names[meaning.name as usize]) => {
                let before = self.drivers.last_mut().filter(|d| meaning.is_switch && d.last == replaced);
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
            is_cut: false,
            notified: None,
            scope: at,
            last: at,
            level: 0,
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
        match self.candidate(process) {
            Candidate::One(first) => self.drivers[first as usize].notified = Some(time),
            Candidate::Several => {
                self.links.undecided.insert(at);
            }
            Candidate::None => {
                let (run, row) = (self.scopes[at as usize].run as usize, self.scopes[at as usize].row);
                Warning::add(&mut self.runs[run].warnings, Issue::UnpairedCallback, row);
            }
        }
    }

    /// The driver execution that a callback of this process may end.
    pub(super) fn candidate(&mut self, process: usize) -> Candidate {
        let Some(first) = self.first_driver(process) else { return Candidate::None };
        let list = self.links.processes[process].drivers.iter().take(MAX_LOOK);
        let mut open = list.filter(|&&d| self.drivers[d as usize].notified.is_none());
        let client = self.client_of(first);
        if open.all(|&d| self.client_of(d) == client) { Candidate::One(first) } else { Candidate::Several }
    }

    /// The process whose execution a driver computes.
    fn client_of(&self, driver: u32) -> Option<u32> {
        let execution = self.executions.get(self.drivers[driver as usize].execution as usize)?;
        self.roles.process.get(execution.thread as usize).copied()
    }

    /// A callback is known to reach a client, or not to reach any.
    pub(super) fn decide(&mut self, at: u32, client: Option<u32>) {
        let callback = self.scopes[at as usize];
        let process = self.roles.process[callback.thread as usize] as usize;
        let Some(first) = self.first_driver(process) else { return };
        let list = self.links.processes[process].drivers.iter().take(MAX_LOOK);
        let mut open = list.filter(|&&d| self.drivers[d as usize].notified.is_none());
        let found =
            open.find(|&&d| client.is_some() && self.client_of(d) == client).copied().unwrap_or(first);
        let driver = &mut self.drivers[found as usize];
        driver.notified = Some(callback.start.max(driver.start));
        if callback.parent != NONE {
            return;
        }
        let link = self.below(self.drivers[found as usize].scope);
        let scope = &mut self.scopes[at as usize];
        (scope.context, scope.level, scope.app) = (link.context, link.level, link.app);
        scope.mask |= link.mask;
        scope.gained &= !link.mask;
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
            let end = driver.notified.unwrap_or(self.scopes[driver.last as usize].end);
            let is_broken = [driver.scope, driver.last].iter().any(|scope| self.broken.contains(scope));
            driver.is_cut = driver.notified.is_none() && (driver.is_later || is_broken);
            // Clocks of threads may contradict each other in damaged traces.
            driver.end = end.max(driver.start);
            if !driver.is_later {
                continue;
            }
            if driver.notified.is_none() {
                let warnings = &mut self.runs[driver.run as usize].warnings;
                Warning::add(warnings, Issue::NoCallback, driver.row);
            }
            if let Some(cell) = cell(Layer::Driver, Phase::Execution) {
                let (start, end, context, app) = (driver.start, driver.end, scope.context, scope.app);
                let level = driver.level;
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
                Warning::add(warnings, Issue::NeverAwaited, execution.row);
                // Nothing of what the call caused is in the trace, so neither is the end.
                execution.is_cut |= execution.end <= self.scopes[execution.scope as usize].end;
            }
            let run = &mut self.runs[execution.run as usize];
            run.end = run.end.max(execution.end);
            let (start, end, context, app) =
                (execution.start, execution.end, execution.context, execution.app);
            let is_application = execution.kind == Kind::Application;
            let layer = if is_application { Layer::Application } else { Layer::Runtime };
            if let Some(cell) = cell(layer, Phase::Execution) {
                self.items.push(Item { start, end, context, cell, level: 0, app });
            }
            if execution.kind.is_later() {
                let context = execution.outer;
                self.items.push(Item { start, end, context, cell: COVER, level: u8::MAX, app });
            }
        }
    }

    /// What a scope counts with where the work goes on after its end.
    pub(in super::super) fn count_spans(&mut self) {
        for execution in self.executions.iter().filter(|e| e.kind.is_later()) {
            self.scopes[execution.scope as usize].counted = execution.end - execution.start;
        }
        for driver in self.drivers.iter().filter(|d| d.is_later) {
            self.scopes[driver.scope as usize].counted = driver.end - driver.start;
        }
    }
}

/// Whether a driver's function computes; some only make ready.
fn is_computing(name: &str) -> bool {
    !name.contains("configureExecutionBurst") && !name.contains("createReusableExecution")
}
