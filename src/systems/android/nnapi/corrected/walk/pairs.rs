//! Executions end: drivers call back, threads are done waiting, and what never ended ends with the rows.

use super::{COVER, Context, Item, Walk};
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::systems::android::nnapi::corrected::executions::{DriverExecution, Execution, Kind};
use crate::systems::android::nnapi::corrected::scope::{NONE, Scope, bits, cell};
use crate::systems::android::nnapi::corrected::text::{Call, Meaning, Served};
use crate::systems::android::nnapi::corrected::{Issue, Warning};
use crate::systems::android::nnapi::mark::{Layer, Phase};

/// How many open executions of a driver are looked at for the one that a callback ends.
const MAX_LOOK: usize = 64;

/// Which driver execution a callback may end.
pub(super) enum Candidate {
    None,
    /// The oldest one: all open ones are of one client.
    One(u32),
    /// Open ones are of several clients.
    Several,
}

impl Walk {
    /// The scope is open: what others will look for.
    pub(super) fn opened(&mut self, at: u32, meaning: Meaning, replaced: u32) {
        let scope = self.scopes[at];
        let process = self.roles.threads[scope.thread].process;
        let is_driver_execution = scope.counts_in(Layer::Driver, Phase::Execution);
        match meaning.call {
            Call::Client(path) => {
                self.links.clients.entry(path).or_default().push_back(at);
                self.links.path.insert(at, path);
            }
            Call::Server(_, Served::Later) if scope.layer == Layer::Driver => {
                let number = self.begin_driver(at, true);
                let scope = &mut self.scopes[at];
                scope.driver = number;
                if scope.parent == NONE {
                    self.drivers[number].client = self.links.client;
                }
                // On a thread of its own the execution lies around the scope; inside another scope it must not stretch
                // the time that is handed out there.
                self.drivers[number].level = scope.level;
                if scope.parent == NONE {
                    scope.level = scope.level.saturating_add(1);
                } else {
                    self.drivers[number].level = scope.level.max(1);
                }
                self.links.processes[process].drivers.push_back(number);
                self.links.processes[process].idle_drivers.push_back(number);
            }
            Call::Server(_, Served::Now) if is_driver_execution => {
                self.scopes[at].driver = self.begin_driver(at, false);
            }
            Call::NotifyClient(path) => {
                self.links.callbacks.entry(path).or_default().push_back(at);
                if scope.phase == Phase::Execution {
                    self.called_back(at, process);
                }
            }
            // What a driver that is to call back switched to is part of its execution.
            Call::Plain
                if meaning.is_switch
                    && self.to_call_back(scope.driver).is_some_and(|d| d.last == replaced) =>
            {
                self.drivers[scope.driver].last = at;
            }
            Call::Plain if is_driver_execution && meaning.is_computing => {
                let before =
                    self.drivers.rows_mut().last_mut().filter(|d| meaning.is_switch && d.last == replaced);
                match before {
                    Some(before) => before.last = at,
                    None => self.scopes[at].driver = self.begin_driver(at, false),
                }
            }
            _ => {}
        }
    }

    /// A driver execution whose callback is still to come.
    pub(super) fn to_call_back(&self, driver: u32) -> Option<&DriverExecution> {
        self.drivers.find(driver).filter(|d| d.is_later && d.notified.is_none())
    }

    fn begin_driver(&mut self, at: u32, is_later: bool) -> u32 {
        let scope = self.scopes[at];
        let execution = self.contexts.find(scope.context).map_or(NONE, |c| c.execution);
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
            client: NONE,
            callback: NONE,
            scope: at,
            last: at,
            level: 0,
        })
    }

    /// A driver calls back: ends the execution of the scope around it, else the only candidate, else waits until the
    /// callback arrives somewhere.
    fn called_back(&mut self, at: u32, process: u32) {
        let time = self.scopes[at].start;
        let around = self.scopes.find(self.scopes[at].parent).map_or(NONE, |p| p.driver);
        if let Some(driver) = self.drivers.find_mut(around).filter(|d| d.is_later && d.notified.is_none()) {
            (driver.notified, driver.callback) = (Some(time), at);
            return;
        }
        match self.candidate(process) {
            Candidate::One(first) => {
                let driver = &mut self.drivers[first];
                (driver.notified, driver.callback) = (Some(time), at);
            }
            Candidate::Several => {
                self.links.undecided.insert(at);
            }
            Candidate::None => {
                let Scope { run, row, .. } = self.scopes[at];
                Warning::add(&mut self.runs[run].warnings, Issue::UnpairedCallback, row);
            }
        }
    }

    /// The driver execution that a callback of this process may end.
    pub(super) fn candidate(&mut self, process: u32) -> Candidate {
        let Some(first) = self.first_driver(process) else { return Candidate::None };
        let list = self.links.processes[process].drivers.iter().take(MAX_LOOK);
        let mut open = list.filter(|&&d| self.drivers[d].notified.is_none());
        let client = self.client_of(first);
        if open.all(|&d| self.client_of(d) == client) { Candidate::One(first) } else { Candidate::Several }
    }

    /// The process whose execution a driver computes.
    fn client_of(&self, driver: u32) -> Option<u32> {
        let execution = self.executions.find(self.drivers[driver].execution)?;
        self.roles.threads.find(execution.thread).map(|role| role.process)
    }

    /// A callback is known to reach a client, or not to reach any.
    pub(super) fn decide(&mut self, at: u32, client: Option<u32>) {
        let callback = self.scopes[at];
        let process = self.roles.threads[callback.thread].process;
        let Some(first) = self.first_driver(process) else { return };
        let list = self.links.processes[process].drivers.iter().take(MAX_LOOK);
        let mut open = list.filter(|&&d| self.drivers[d].notified.is_none());
        let found =
            open.find(|&&d| client.is_some() && self.client_of(d) == client).copied().unwrap_or(first);
        let driver = &mut self.drivers[found];
        (driver.notified, driver.callback) = (Some(callback.start.max(driver.start)), at);
        if callback.parent != NONE {
            return;
        }
        let link = self.below(self.drivers[found].scope);
        let scope = &mut self.scopes[at];
        (scope.context, scope.level, scope.app) = (link.context, link.level, link.app);
        scope.mask |= link.mask;
        scope.gained &= !link.mask;
    }

    /// The scope is closed.
    pub(super) fn unlink(&mut self, at: u32, row: u32, time: Ticks) {
        if let Some(number) = self.links.execution.remove(&at) {
            let execution = &mut self.executions[number];
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
        undecided.sort_unstable();
        for callback in undecided {
            self.decide(callback, None);
        }
        self.end_drivers();
        self.end_executions();
        self.set_apart();
    }

    /// The application's scope around an execution without an end has no end of an execution either: what is done in it
    /// gets a context that is apart.
    fn set_apart(&mut self) {
        let mut apart: Map<u32, (u32, Vec<(u32, Span)>)> = Map::default();
        for execution in self.executions.rows().iter().filter(|e| e.is_cut) {
            let Some(around) = self.scopes.find(execution.around) else { continue };
            let is_execution = (around.layer, around.phase) == (Layer::Application, Phase::Execution);
            if !is_execution || around.context != execution.outer {
                continue;
            }
            let (_, spans) = apart.entry(around.context).or_insert_with(|| {
                let apart = Context { run: around.run, execution: NONE, is_apart: true };
                (self.contexts.push(apart), Vec::new())
            });
            if spans.last().is_none_or(|(at, _)| *at != execution.around) {
                spans.push((execution.around, Span::new(around.start, around.end)));
            }
        }
        if apart.is_empty() {
            return;
        }
        let find = |context: u32, start: Ticks, is_before: &dyn Fn(&(u32, Span)) -> bool| {
            let (of, spans) = apart.get(&context)?;
            let (_, span) = spans.get(spans.partition_point(is_before).checked_sub(1)?)?;
            (start < span.end).then_some(*of)
        };
        for (at, scope) in (0_u32..).zip(self.scopes.rows_mut()) {
            if let Some(of) = find(scope.context, scope.start, &|(around, _)| *around <= at) {
                scope.context = of;
            }
        }
        let mut covers = Vec::new();
        for item in self.items.rows_mut() {
            let start = item.start;
            match find(item.context, start, &|(_, span)| span.start <= start) {
                // It may last longer than the scope.
                Some(context) if item.cell == COVER => covers.push(Item { context, ..*item }),
                Some(context) => item.context = context,
                None => {}
            }
        }
        for cover in covers {
            self.items.push(cover);
        }
    }

    fn end_drivers(&mut self) {
        for driver in self.drivers.rows_mut() {
            let scope = &self.scopes[driver.scope];
            let end = driver.notified.unwrap_or(self.scopes[driver.last].end);
            let is_unfinished =
                [driver.scope, driver.last].into_iter().any(|scope| self.scopes[scope].is_unfinished);
            driver.is_cut = driver.notified.is_none() && (driver.is_later || is_unfinished);
            // Clocks of threads may contradict each other in damaged traces.
            driver.end = end.max(driver.start);
            if !driver.is_later {
                continue;
            }
            if driver.notified.is_none() {
                let warnings = &mut self.runs[driver.run].warnings;
                Warning::add(warnings, Issue::NoCallback, driver.row);
            }
            if let Some(cell) = cell(Layer::Driver, Phase::Execution) {
                let (start, end, context, app) = (driver.start, driver.end, scope.context, scope.app);
                let (level, is_unfinished) = (driver.level, driver.is_cut);
                self.items.push(Item { start, end, context, cell, level, app, is_unfinished });
            }
        }
    }

    fn end_executions(&mut self) {
        // Nobody waited: it ends where the last thing that it caused ends.
        let caused = self.scopes.rows().iter().map(|s| (s.context, s.end));
        let called = self.drivers.rows().iter().map(|d| (self.scopes[d.scope].context, d.end));
        for (context, end) in caused.chain(called) {
            let execution = self.contexts.find(context).map_or(NONE, |c| c.execution);
            if let Some(execution) = self.executions.find_mut(execution)
                && execution.is_open
            {
                execution.end = execution.end.max(end);
            }
        }
        for execution in self.executions.rows_mut() {
            if execution.is_open {
                let warnings = &mut self.runs[execution.run].warnings;
                Warning::add(warnings, Issue::NeverAwaited, execution.row);
                // Nothing of what the call caused is in the trace, so neither is the end.
                execution.is_cut |= execution.end <= self.scopes[execution.scope].end;
            }
            let run = &mut self.runs[execution.run];
            run.end = run.end.max(execution.end);
            let (start, end, context, app) =
                (execution.start, execution.end, execution.context, execution.app);
            let is_application = execution.kind == Kind::Application;
            let layer = if is_application { Layer::Application } else { Layer::Runtime };
            if let Some(cell) = cell(layer, Phase::Execution) {
                let item = Item { start, end, context, cell, app, ..Item::default() };
                self.items.push(item);
            }
            if execution.kind.is_later() {
                let context = execution.outer;
                let item = Item { start, end, context, cell: COVER, level: u8::MAX, app, ..Item::default() };
                self.items.push(item);
            }
        }
    }

    /// Where no execution of a runtime or an application was marked, those of the drivers are all there is: from the call to
    /// the callback, or as long as the driver computes.
    pub(crate) fn stand_in(&mut self) {
        if !self.executions.rows().is_empty() {
            return;
        }
        for driver in self.drivers.rows_mut() {
            let app = self.scopes[driver.scope].app;
            let time = driver.end - driver.start;
            driver.execution = self.executions.push(Execution {
                end: driver.end,
                time,
                driver: time,
                is_cut: driver.is_cut,
                is_open: false,
                scope: driver.scope,
                ..Execution::new(driver.run, driver.thread, driver.row, Kind::Driver, app, driver.start)
            });
        }
        // Inputs, outputs and results, as far as the driver marks them.
        for scope in self.scopes.rows() {
            let number = self.drivers.find(scope.driver).map_or(NONE, |driver| driver.execution);
            let Some(execution) = self.executions.find_mut(number) else { continue };
            let left = execution.compute().max(0);
            match scope.phase {
                Phase::InputsOutputs if scope.counts_in(Layer::Driver, scope.phase) => {
                    execution.io += scope.counted.min(left);
                }
                Phase::Results if scope.counts_in(Layer::Driver, scope.phase) => {
                    execution.results += scope.counted.min(left);
                }
                _ => {}
            }
        }
    }

    /// What a scope counts with where the work goes on after its end.
    pub(crate) fn count_spans(&mut self) {
        for execution in self.executions.rows().iter().filter(|e| e.kind.is_later()) {
            self.scopes[execution.scope].counted = execution.end - execution.start;
        }
        let call = bits(Layer::Ipc, Phase::Execution);
        for driver in self.drivers.rows().iter().filter(|d| d.is_later) {
            self.scopes[driver.scope].counted = driver.end - driver.start;
            let client = self.scopes.find(driver.client).copied();
            let arrival = self.links.arrivals.get(&driver.callback);
            let arrived = arrival.and_then(|at| self.scopes.find(*at)).map(|scope| scope.end);
            let Some(callback) = self.scopes.find_mut(driver.callback) else { continue };
            // The call is over: the callback lies in no other one of its layer.
            if let Some(client) = client.filter(|c| callback.home == NONE && c.end <= callback.start) {
                callback.gained |= client.gained & call;
            }
            if callback.gained & call != 0 {
                let end = arrived.unwrap_or(callback.start);
                callback.counted = callback.counted.max(end - callback.start);
            }
        }
    }
}
