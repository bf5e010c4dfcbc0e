//! What belongs together over threads and processes: executions, who waits for them, who computes for them.
//!
//! A call between processes is served by the scope of the same method that begins while the call is open, first come
//! first served. A driver that calls back later ends its execution where the callback begins: on the thread that works
//! for it, else for the client that the callback reaches, else in the order of the calls. What a runtime does on threads
//! of its own belongs to the execution of its process that is open.

use super::pairs::Candidate;
use super::{Context, Walk};
use crate::base::map::{Map, Set};
use crate::base::time::Ticks;
use crate::systems::android::nnapi::arena::Arena;
use crate::systems::android::nnapi::corrected::executions::{Execution, Kind};
use crate::systems::android::nnapi::corrected::scope::{App, Count, NONE, Scope, bits};
use crate::systems::android::nnapi::corrected::text::{Call, Meaning};
use crate::systems::android::nnapi::mark::{Layer, Phase};
use std::collections::VecDeque;

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
pub(super) struct Open {
    /// Loops of the application.
    pub(super) loops: Vec<(u32, App)>,
    /// Executions, closed ones in between.
    pub(super) executions: Vec<u32>,
    /// Executions that no thread of the runtime works for yet.
    pub(super) idle: VecDeque<u32>,
    /// Executions that nobody waits for yet.
    pub(super) unwaited: VecDeque<u32>,
    /// Driver executions that are to be called back.
    pub(super) drivers: VecDeque<u32>,
    /// Driver executions that no thread of the driver works for yet.
    pub(super) idle_drivers: VecDeque<u32>,
}

/// What is open.
pub(super) struct Links {
    pub(super) processes: Arena<Open>,
    /// Executions of all processes, closed ones in between.
    pub(super) executions: Vec<u32>,
    /// Calls that nobody serves yet, by path.
    pub(super) clients: Map<u32, VecDeque<u32>>,
    /// Callbacks that did not arrive yet, by path.
    pub(super) callbacks: Map<u32, VecDeque<u32>>,
    /// The execution that a scope waits for, or is.
    pub(super) execution: Map<u32, u32>,
    /// Callbacks that could end executions of several clients.
    pub(super) undecided: Set<u32>,
    /// Scopes of calls between processes that are open outside of executions: a driver may work for them.
    pub(super) calls: Vec<u32>,
    /// The path of a call that is open.
    pub(super) path: Map<u32, u32>,
    /// The call that the server's scope which opened last serves.
    pub(super) client: u32,
    /// Where a callback arrives.
    pub(super) arrivals: Map<u32, u32>,
}

impl Links {
    pub(super) fn new(n_processes: usize) -> Self {
        Self {
            processes: Arena::of_empty(n_processes),
            executions: Vec::new(),
            clients: Map::default(),
            callbacks: Map::default(),
            execution: Map::default(),
            undecided: Set::default(),
            calls: Vec::new(),
            path: Map::default(),
            client: NONE,
            arrivals: Map::default(),
        }
    }
}

impl Links {
    /// The open loops of a process.
    pub(super) fn loops(&mut self, process: u32) -> &mut Vec<(u32, App)> {
        &mut self.processes[process].loops
    }
}

impl Walk {
    /// Where a scope that is about to open is attributed.
    pub(super) fn link(
        &mut self,
        thread: u32,
        row: u32,
        time: Ticks,
        kind: (Layer, Phase, Count),
        meaning: Meaning,
        (parent, replaced): (u32, u32),
    ) -> Link {
        let run = self.run();
        let is_open = |s: &&Scope| {
            let execution = self.contexts.find(s.context).map_or(NONE, |c| c.execution);
            self.executions.find(execution).is_none_or(|e| e.is_open)
        };
        let sibling = self.scopes.find(replaced).filter(|s| s.run == run).filter(is_open);
        let mut link = match (self.scopes.find(parent), sibling) {
            // What a switch begins belongs where that was which it ends.
            (None, Some(s)) => Link {
                context: s.context,
                level: s.level,
                app: s.app,
                // A driver that is to call back counts on, whatever it switches to.
                mask: match self.to_call_back(s.driver) {
                    Some(driver) if driver.scope == replaced => s.mask,
                    _ => s.mask & !s.gained,
                },
                extra: 0,
                driver: s.driver,
            },
            (Some(p), _) => Link {
                context: p.context,
                level: p.level,
                app: p.app,
                mask: 0,
                extra: 0,
                // A callback is no part of the execution that it ends.
                driver: if matches!(meaning.call, Call::NotifyClient(_)) { NONE } else { p.driver },
            },
            (None, None) => self.attach(thread, kind, meaning),
        };
        if let Some(app) = App::of_loop(kind.0, kind.1) {
            link.app = app;
        }
        let is_free = self.contexts.find(link.context).is_none_or(|c| c.execution == NONE);
        let is_guess = !self.roles.of_thread(thread).has_executions
            && (kind.0, kind.1) == (Layer::Application, Phase::Execution);
        let begins = match meaning.call {
            Call::Compute(kind) | Call::Start(kind) => Some(kind),
            _ if is_guess && kind.2 == Count::Own => Some(Kind::Application),
            _ => None,
        };
        match (begins, meaning.call) {
            (Some(begins), _) if is_free => self.begin_execution(thread, row, time, begins, &mut link),
            (None, Call::Wait) => self.wait(thread, is_free, &mut link),
            _ => {}
        }
        link
    }

    fn begin_execution(&mut self, thread: u32, row: u32, time: Ticks, kind: Kind, link: &mut Link) {
        let (scope, number, run) = (self.scopes.next(), self.executions.next(), self.run());
        let outer = link.context;
        link.context = self.context(run, number);
        (link.level, link.driver) = (1, NONE);
        let mut execution = Execution::new(run, thread, row, kind, link.app, time);
        (execution.scope, execution.context, execution.outer) = (scope, link.context, outer);
        execution.around = self.floor(thread).frame.application();
        self.executions.push(execution);
        self.links.execution.insert(scope, number);
        self.links.executions.push(number);
        let open = &mut self.links.processes[self.roles.threads[thread].process];
        open.executions.push(number);
        if kind.is_later() {
            open.idle.push_back(number);
            open.unwaited.push_back(number);
            self.threads[thread].unwaited.push_back(number);
        }
    }

    /// The execution that a wait is for: the oldest of its thread, else of its process.
    fn wait(&mut self, thread: u32, is_free: bool, link: &mut Link) {
        let is_waited = |executions: &Arena<Execution>, at: &u32| executions[*at].is_awaited;
        let process = self.roles.threads[thread].process;
        let lists = [&mut self.threads[thread].unwaited, &mut self.links.processes[process].unwaited];
        for list in lists {
            while list.front().is_some_and(|at| is_waited(&self.executions, at)) {
                list.pop_front();
            }
            if let Some(at) = list.pop_front() {
                let execution = &mut self.executions[at];
                execution.is_awaited = true;
                link.extra = bits(Layer::Runtime, Phase::Execution);
                // Inside another execution the time stays that one's.
                if is_free {
                    (link.context, link.level) = (execution.context, 1);
                }
                self.links.execution.insert(self.scopes.next(), at);
                return;
            }
        }
    }

    fn context(&mut self, run: u32, execution: u32) -> u32 {
        self.contexts.push(Context { run, execution, is_apart: false })
    }

    /// The context of a thread outside of executions.
    fn lane(&mut self, thread: u32) -> u32 {
        let run = self.run();
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
    fn attach(&mut self, thread: u32, (layer, phase, _): (Layer, Phase, Count), meaning: Meaning) -> Link {
        let process = self.roles.threads[thread].process;
        let role = self.roles.processes[process];
        let is_execution = phase == Phase::Execution || phase.is_part_of_execution();
        let target = match meaning.call {
            Call::Server(path, _) => {
                let client = take(&mut self.links.clients, path);
                self.links.client = client.unwrap_or(NONE);
                client
            }
            Call::NotifyServer(path) => {
                let callback = take(&mut self.links.callbacks, path);
                if let Some(at) = callback.filter(|at| self.links.undecided.remove(at)) {
                    self.decide(at, Some(process));
                }
                if let Some(at) = callback {
                    self.links.arrivals.insert(at, self.scopes.next());
                }
                callback
            }
            Call::NotifyClient(_) => match self.candidate(process) {
                Candidate::One(driver) => Some(self.drivers[driver].scope),
                _ => None,
            },
            Call::Plain if layer == Layer::Driver && role.is_driver() && is_execution => {
                return match self.idle_driver(process) {
                    Some(at) => {
                        let scope = self.drivers[at].scope;
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
            let link = self.below(target);
            // Where a driver goes on while its callback arrives, the time is the driver's.
            let is_arrival = matches!(meaning.call, Call::NotifyServer(_));
            return Link { level: link.level - u8::from(is_arrival), ..link };
        }
        if role.is_driver() && !is_execution && layer == Layer::Driver {
            // A driver's own thread, while a call waits for what it does.
            let waits = |&&at: &&u32| self.scopes[at].phase == phase;
            if let Some(&call) = self.links.calls.iter().rev().find(waits) {
                return self.below(call);
            }
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
    pub(super) fn below(&self, target: u32) -> Link {
        let t = &self.scopes[target];
        let level = t.level.saturating_add(1);
        Link { context: t.context, level, app: t.app, mask: t.mask, extra: 0, driver: NONE }
    }

    /// In an execution, or by itself.
    fn at_execution(&mut self, thread: u32, execution: Option<u32>) -> Link {
        if let Some(at) = execution {
            let execution = &self.executions[at];
            return Link { level: 2, context: execution.context, ..self.below(execution.scope) };
        }
        let is_driver = self.roles.of_thread(thread).is_driver();
        let of_process = &self.links.processes[self.roles.threads[thread].process].loops;
        let loops = if is_driver { &self.loops } else { of_process };
        let app = loops.last().map_or(App::Overall, |l| l.1);
        Link { context: self.lane(thread), level: 0, app, mask: 0, extra: 0, driver: NONE }
    }

    /// The execution that began last and is open, of a process or of all.
    fn latest(&mut self, process: Option<u32>) -> Option<u32> {
        let list = match process {
            Some(process) => &mut self.links.processes[process].executions,
            None => &mut self.links.executions,
        };
        while list.last().is_some_and(|&at| !self.executions[at].is_open) {
            list.pop();
        }
        list.last().copied()
    }

    /// The oldest open execution of a process that no thread of the runtime works for yet; one does from now on.
    fn idle_execution(&mut self, process: u32) -> Option<u32> {
        let list = &mut self.links.processes[process].idle;
        while list.front().is_some_and(|&at| !self.executions[at].is_open) {
            list.pop_front();
        }
        list.pop_front()
    }

    fn idle_driver(&mut self, process: u32) -> Option<u32> {
        let list = &mut self.links.processes[process].idle_drivers;
        while list.front().is_some_and(|&at| self.drivers[at].notified.is_some()) {
            list.pop_front();
        }
        list.pop_front()
    }

    /// The oldest execution of a driver that was not called back.
    pub(super) fn first_driver(&mut self, process: u32) -> Option<u32> {
        let list = &mut self.links.processes[process].drivers;
        while list.front().is_some_and(|&at| self.drivers[at].notified.is_some()) {
            list.pop_front();
        }
        list.front().copied()
    }
}

/// The oldest of a path.
fn take(list: &mut Map<u32, VecDeque<u32>>, path: u32) -> Option<u32> {
    list.get_mut(&path)?.pop_front()
}
