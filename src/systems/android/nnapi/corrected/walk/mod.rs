//! From rows to scopes: one stack for each thread, rows in the order of the file, every row looked at once.
//!
//! Between two rows of a thread the time is that of its innermost scope. It is handed out as an [`Item`]: a stretch of
//! time of a cell, in the context (an execution, or what a thread does outside of executions) where it is attributed.

mod links;
mod pairs;
mod place;

use super::executions::{DriverExecution, Execution};
use super::scope::{App, NONE, Scope, cell};
use super::text::{Meaning, Row, Texts};
use super::{Issue, Roles, Warning};
use crate::base::time::Ticks;
use crate::systems::android::nnapi::arena::Arena;
use crate::systems::android::nnapi::mark::{Layer, Mark, Marks, Phase};
use links::Links;
use place::Frame;
use std::collections::VecDeque;
use std::ops::Range;

/// A stretch of time with what was done in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Item {
    pub(super) start: Ticks,
    pub(super) end: Ticks,
    pub(super) context: u32,
    /// The cell; [`COVER`] for what only hides the application's own time.
    pub(super) cell: u8,
    /// Deeper ones go before shallower ones; 0 is the context's own time.
    pub(super) level: u8,
    pub(super) app: App,
    /// Whether it is of a scope or a driver's execution without an end: see [`Walk::mark_unfinished`].
    pub(super) is_unfinished: bool,
}

/// The cell of an item that hides the application's own time: it waits, or could.
pub(super) const COVER: u8 = u8::MAX;

/// Where time is attributed: every instant of it to one cell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context {
    pub(super) run: u32,
    /// The execution; [`NONE`] for what a thread does outside of them.
    pub(super) execution: u32,
    /// Whether what is done in it goes with an execution that has no end, though it is none of its time.
    pub(super) is_apart: bool,
}

/// A run, while rows come.
#[derive(Clone, Debug, Default)]
pub(super) struct RunHead {
    /// Row of the mark that begins it; `None` when the rows begin without one.
    pub(super) row: Option<u32>,
    pub(super) warnings: Vec<Warning>,
    pub(super) is_incomplete: bool,
    pub(super) start: Option<Ticks>,
    pub(super) end: Ticks,
    /// Ends that ended nothing.
    pub(super) n_orphans: u64,
    /// Those of them that end the AOSP parser.
    pub(super) n_refused: u64,
    /// Marks of interfaces that only have the name of a driver's.
    pub(super) n_other_devices: u64,
    /// Marks of calls of others on threads that the AOSP parser looks at: clients, servers.
    pub(super) n_other_calls: [u64; 2],
}

/// An open place on the stack of a thread.
#[derive(Clone, Copy)]
struct Entry {
    /// The scope that this place is; [`NONE`] for marks of others and for what a switch left behind.
    scope: u32,
    /// The innermost scope from here down.
    top: u32,
    frame: Frame,
    /// The place of the call that the thread serves here; `None` too where it calls somebody in between, who may call back.
    served: Option<usize>,
}

impl Entry {
    /// A place that is no scope: what opens above it lies in the scope below it.
    fn above(stack: &[Self]) -> Self {
        let nothing = Self { scope: NONE, top: NONE, frame: Frame::default(), served: None };
        stack.last().map_or(nothing, |below| Self { scope: NONE, ..*below })
    }
}

#[derive(Default)]
struct Thread {
    stack: Vec<Entry>,
    /// So many places at the bottom are of runs that are over.
    n_over: usize,
    clock: Ticks,
    has_rows: bool,
    /// Its context outside of executions, and the run that it is of.
    lane: Option<(u32, u32)>,
    /// Executions that it began and nobody waited for yet.
    unwaited: VecDeque<u32>,
}

/// What the rows become.
pub(super) struct Walk {
    pub(super) texts: Texts,
    pub(super) roles: Roles,
    pub(super) scopes: Arena<Scope>,
    pub(super) contexts: Arena<Context>,
    pub(super) items: Arena<Item>,
    /// The innermost scope of each of the first items: those that rows handed out.
    item_scopes: Vec<u32>,
    pub(super) executions: Arena<Execution>,
    pub(super) drivers: Arena<DriverExecution>,
    /// Never none; rows belong to the last one.
    pub(super) runs: Arena<RunHead>,
    threads: Arena<Thread>,
    links: Links,
    /// Open loops of all processes.
    loops: Vec<(u32, App)>,
}

impl Walk {
    /// Before the first row.
    pub(super) fn new(marks: &Marks, texts: Texts, roles: Roles) -> Self {
        Self {
            links: Links::new(roles.processes.rows().len()),
            threads: Arena::of_empty(marks.threads.len()),
            texts,
            roles,
            scopes: Arena::default(),
            contexts: Arena::default(),
            items: Arena::default(),
            item_scopes: Vec::new(),
            executions: Arena::default(),
            drivers: Arena::default(),
            runs: Arena::of_empty(1),
            loops: Vec::new(),
        }
    }

    /// Takes in the next row.
    pub(super) fn row(&mut self, Mark { row, thread, time, text }: Mark) {
        let Some(state) = self.threads.find(thread) else { return };
        let meaning = match self.texts.known(text) {
            Row::Neither => return,
            Row::Begin(meaning) => Some(meaning),
            Row::End => None,
        };
        let serves = meaning.and_then(|meaning| meaning.serves);
        let clock = state.clock;
        if serves == Some(true)
            && let Some(before) = state.stack.last().and_then(|top| top.served)
        {
            self.lose(thread, before, row, clock);
        }
        let time = if self.threads[thread].has_rows && time < clock {
            self.warn(Issue::TimeBackwards, row);
            clock
        } else {
            time
        };
        self.spend(thread, time);
        let Some(meaning) = meaning else { return self.end(thread, row, time) };
        self.begin(thread, row, time, meaning);
        let stack = &mut self.threads[thread].stack;
        let place = stack.len().saturating_sub(1);
        if let (Some(serves), Some(top)) = (serves, stack.last_mut()) {
            top.served = serves.then_some(place);
        }
    }

    /// Hands out the time since the last row of a thread.
    fn spend(&mut self, thread: u32, time: Ticks) {
        let state = &mut self.threads[thread];
        let start = if state.has_rows { state.clock } else { time };
        (state.clock, state.has_rows) = (time, true);
        let Some(top) = state.stack.last().map(|e| e.top).filter(|&top| top != NONE && start < time) else {
            return;
        };
        let scope = &mut self.scopes[top];
        scope.own += time - start;
        let (context, level, app, owner) = (scope.context, scope.level, scope.app, scope.owner);
        // What a driver does after it called back is no execution's.
        let driver = self.drivers.find(scope.driver).filter(|_| 0 < level);
        let end = driver.and_then(|d| d.notified).unwrap_or(time).min(time);
        if owner == NONE || end <= start {
            return;
        }
        let owner = &self.scopes[owner];
        if let Some(cell) = cell(owner.layer, owner.phase) {
            self.items.push(Item { start, end, context, cell, level, app, is_unfinished: false });
            self.item_scopes.push(top);
        }
    }

    fn begin(&mut self, thread: u32, row: u32, time: Ticks, meaning: Meaning) {
        let mut replaced = NONE;
        if meaning.is_switch {
            match self.threads[thread].stack.pop() {
                Some(entry) => {
                    replaced = entry.scope;
                    self.close(entry.scope, row, time);
                    let below = self.floor(thread);
                    self.threads[thread].stack.push(below);
                }
                None => self.warn(Issue::SwitchOfNothing, row),
            }
        }
        let Some((layer, phase)) = meaning.scope else {
            let is_tracked = self.roles.threads[thread].is_tracked;
            let run = self.last_run();
            run.n_other_devices += u64::from(meaning.aosp.is_other_device);
            let [of_clients, of_servers] = &mut run.n_other_calls;
            match meaning.aosp.other_call.filter(|_| is_tracked) {
                Some(Layer::Driver) => *of_servers += 1,
                Some(_) => *of_clients += 1,
                None => {}
            }
            let below = self.floor(thread);
            self.threads[thread].stack.push(below);
            return;
        };
        if (layer, phase) == (Layer::Application, Phase::Overall) {
            self.begin_run(thread, row, time);
        }
        let run = self.last_run();
        run.start = Some(run.start.map_or(time, |s| s.min(time)));
        run.end = run.end.max(time);
        self.open(thread, row, time, meaning, (layer, phase), replaced);
    }

    /// The number of the run that rows now belong to.
    fn run(&self) -> u32 {
        self.runs.next().saturating_sub(1)
    }

    fn last_run(&mut self) -> &mut RunHead {
        let run = self.run();
        &mut self.runs[run]
    }

    /// The next place on the stack, before it is a scope.
    fn floor(&self, thread: u32) -> Entry {
        Entry::above(&self.threads[thread].stack)
    }

    /// A mark of everything begins a run, except the first one: what stands before it belongs to it.
    fn begin_run(&mut self, thread: u32, row: u32, time: Ticks) {
        let run = self.last_run();
        if run.row.is_none() {
            run.row = Some(row);
            return;
        }
        // By the contract nothing of this thread can go on.
        let open = self.threads[thread].n_over.min(self.threads[thread].stack.len());
        self.lose(thread, open, row, time);
        self.threads[thread].n_over = self.threads[thread].stack.len();
        self.runs.push(RunHead { row: Some(row), ..RunHead::default() });
    }

    /// Closes what is open on a thread from a place on; ends that are still to come will end nothing.
    fn lose(&mut self, thread: u32, from: usize, row: u32, time: Ticks) {
        let Some((kept, lost)) = self.threads[thread].stack.split_at_mut_checked(from) else { return };
        let below = Entry::above(kept);
        let scopes: Vec<u32> = lost.iter_mut().map(|open| std::mem::replace(open, below).scope).collect();
        for scope in scopes {
            self.break_off(scope, row, time);
        }
    }

    /// Closes a scope that has no end.
    fn break_off(&mut self, scope: u32, row: u32, time: Ticks) {
        if let Some(s) = self.scopes.find(scope) {
            let (run, begin) = (&mut self.runs[s.run], s.row);
            run.is_incomplete = true;
            Warning::add(&mut run.warnings, Issue::NeverEnded, begin);
            self.scopes[scope].is_unfinished = true;
            // The scope of an execution, or the wait for one.
            if let Some(execution) = self.links.execution.get(&scope) {
                self.executions[*execution].is_cut = true;
            }
            self.close(scope, row, time);
        }
    }

    fn end(&mut self, thread: u32, row: u32, time: Ticks) {
        let state = &mut self.threads[thread];
        let entry = state.stack.pop();
        state.n_over = state.n_over.min(state.stack.len());
        match entry {
            Some(entry) => self.close(entry.scope, row, time),
            None => {
                let is_tracked = self.roles.threads[thread].is_tracked;
                let run = self.last_run();
                run.n_orphans += 1;
                run.n_refused += u64::from(is_tracked);
            }
        }
    }

    fn close(&mut self, at: u32, row: u32, time: Ticks) {
        let Some(scope) = self.scopes.find_mut(at) else { return };
        scope.end = time.max(scope.start);
        let (thread, end) = (scope.thread, scope.end);
        let is_loop = App::of_loop(scope.layer, scope.phase).is_some();
        let run = &mut self.runs[scope.run];
        run.end = run.end.max(end);
        if is_loop {
            let process = self.roles.threads[thread].process;
            for list in [&mut self.loops, self.links.loops(process)] {
                if let Some(place) = list.iter().rposition(|l| l.0 == at) {
                    list.remove(place);
                }
            }
        }
        if let Some(place) = self.links.calls.iter().rposition(|call| *call == at) {
            self.links.calls.remove(place);
        }
        self.unlink(at, row, end);
    }

    fn warn(&mut self, trouble: Issue, row: u32) {
        Warning::add(&mut self.last_run().warnings, trouble, row);
    }

    /// The rows are over: closes what is open.
    pub(super) fn finish(&mut self, marks: &Marks) {
        let end = marks.end;
        for thread in 0..self.threads.next() {
            let time = end.max(self.threads[thread].clock);
            self.spend(thread, time);
            while let Some(entry) = self.threads[thread].stack.pop() {
                self.break_off(entry.scope, marks.len() as u32, time);
            }
        }
        self.settle();
        self.mark_unfinished();
    }

    /// Whether a scope has no end, or is part of a driver's execution that has none.
    pub(super) fn is_unfinished(&self, scope: &Scope) -> bool {
        scope.is_unfinished || self.drivers.find(scope.driver).is_some_and(|driver| driver.is_cut)
    }

    /// Time of scopes without an end, and of drivers' executions without one, counts only where an execution around it tells
    /// how long it lasted.
    fn mark_unfinished(&mut self) {
        let scopes = std::mem::take(&mut self.item_scopes);
        let is_any = self.scopes.rows().iter().any(|scope| scope.is_unfinished)
            || self.drivers.rows().iter().any(|driver| driver.is_cut);
        if !is_any {
            return;
        }
        for (at, scope) in (0_u32..).zip(scopes) {
            let is_unfinished = self.is_unfinished(&self.scopes[scope]);
            self.items[at].is_unfinished |= is_unfinished;
        }
    }

    /// Adds what these scopes have to those around them: the last ones first.
    pub(super) fn add_nets(&mut self, scopes: Range<usize>) {
        for at in (scopes.start as u32..scopes.end as u32).rev() {
            let scope = &mut self.scopes[at];
            scope.net += scope.own;
            let (net, home) = (scope.net, scope.home);
            if let Some(home) = self.scopes.find_mut(home) {
                home.net += net;
            }
        }
    }
}
