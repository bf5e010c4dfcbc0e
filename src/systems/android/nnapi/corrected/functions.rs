//! Functions of a run, and which operations the CPU had to do.

use super::scope::{Count, NONE, Scope};
use super::walk::Context;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Ticks;
use crate::systems::android::nnapi::arena::Arena;
use crate::systems::android::nnapi::mark::{Layer, Phase};
use std::cmp::Reverse;

/// A function in one layer and phase. Times in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Number of its name in [`super::Corrected::names`].
    pub name: u32,
    pub layer: Layer,
    pub phase: Phase,
    /// How often it was called.
    pub n: u64,
    /// Time with everything that it called on its thread; calls of itself inside count once.
    pub total: Ticks,
    /// Time in which it was the innermost scope of its thread: waiting is its own.
    pub own: Ticks,
    pub max: Ticks,
    pub min: Ticks,
    /// Row of `Marks` of the longest call.
    pub longest: u32,
    /// How many more calls have no end in the trace: they are in no other number.
    pub n_unfinished: u64,
}

impl Function {
    /// The mean length of a call.
    pub fn mean(&self) -> f64 {
        self.total as f64 / self.n.max(1) as f64
    }
}

/// Work that the CPU did instead of a driver.
#[derive(Clone, Debug, PartialEq)]
pub struct Fallback {
    /// Number of its name in [`super::Corrected::names`].
    pub name: u32,
    /// Its phase: `PCO` and `PTR` are operations, `PE` is a whole execution or a part of one.
    pub phase: Phase,
    /// The layer that says so: the CPU, or the runtime that hands over to it.
    pub layer: Layer,
    /// How often.
    pub n: u64,
    /// Time, in nanoseconds, with what it called.
    pub total: Ticks,
    /// Time in which it was the innermost scope of its thread.
    pub own: Ticks,
    /// Rows of [`super::Corrected::executions`] in which it was, ascending.
    pub executions: Vec<u32>,
    /// The same as `n` and `own` in each of these executions, in their order.
    pub parts: Vec<(u64, Ticks)>,
}

/// Calls of the runtime that hand an execution, or a part of it, to the CPU.
const HANDS_OVER: [&str; 4] =
    ["computeOnCpu", "cpuFallbackFull", "cpuFallbackPartial", "computeOnCpuFallback"];

/// Groups scopes of one run by a key; tells whether a scope lies inside one of the same group.
struct Groups<K> {
    by_key: Map<K, u32>,
    /// Where the outermost scope of a group ends, on each thread.
    ends: Map<(u32, u32), Ticks>,
}

impl<K: Eq + std::hash::Hash> Groups<K> {
    fn new() -> Self {
        Self { by_key: Map::default(), ends: Map::default() }
    }

    /// The number of the group.
    fn group(&mut self, key: K) -> u32 {
        let next = self.by_key.len() as u32;
        *self.by_key.entry(key).or_insert(next)
    }

    /// The number of the group, and whether the scope is an outermost one.
    fn of(&mut self, key: K, scope: &Scope) -> (usize, bool) {
        let group = self.group(key);
        let end = self.ends.entry((group, scope.thread)).or_insert(Ticks::MIN);
        let is_outermost = *end <= scope.start;
        *end = (*end).max(scope.end);
        (group as usize, is_outermost)
    }
}

/// The functions of a run's scopes on their way.
pub(super) struct Functions {
    groups: Groups<(u32, Layer, Phase)>,
    list: Vec<Function>,
}

impl Functions {
    pub(super) fn new() -> Self {
        Self { groups: Groups::new(), list: Vec::new() }
    }

    /// The next scope, in the order of their begins. One without an end is only counted; what lies in it counts.
    pub(super) fn take(&mut self, scope: &Scope) {
        let (name, layer, phase) = (scope.name, scope.layer, scope.phase);
        let (group, is_outermost) = if scope.is_unfinished {
            (self.groups.group((name, layer, phase)) as usize, false)
        } else {
            self.groups.of((name, layer, phase), scope)
        };
        if group == self.list.len() {
            self.list.push(Function {
                name,
                layer,
                phase,
                n: 0,
                total: 0,
                own: 0,
                max: -1,
                min: Ticks::MAX,
                longest: scope.row,
                n_unfinished: 0,
            });
        }
        let (Some(function), time) = (self.list.get_mut(group), scope.end - scope.start) else { return };
        if scope.is_unfinished {
            function.n_unfinished += 1;
            return;
        }
        function.n += 1;
        function.own += scope.own;
        function.min = function.min.min(time);
        if is_outermost {
            function.total += time;
        }
        if function.max < time {
            (function.max, function.longest) = (time, scope.row);
        }
    }

    /// Most time first; those without a call that ends last.
    pub(super) fn finish(mut self) -> Vec<Function> {
        for function in self.list.iter_mut().filter(|function| function.n == 0) {
            (function.min, function.max) = (0, 0);
        }
        order::sort_by_key(&mut self.list, |f| (f.n == 0, Reverse(f.total), f.name));
        self.list
    }
}

/// What of a run's scopes the CPU did, on its way.
pub(super) struct Fallbacks {
    groups: Groups<(u32, Layer, Phase)>,
    list: Vec<Fallback>,
}

/// Whether a function hands over to the CPU.
pub(super) fn hands_over(name: &str) -> bool {
    HANDS_OVER.contains(&name.rsplit("::").next().unwrap_or(name))
}

impl Fallbacks {
    pub(super) fn new() -> Self {
        Self { groups: Groups::new(), list: Vec::new() }
    }

    /// The next scope, in the order of their begins; whether its function [`hands_over`], and whether it is cut: without an
    /// end, or part of an execution without one.
    pub(super) fn take(
        &mut self,
        scope: &Scope,
        (hands_over, is_cut): (bool, bool),
        contexts: &Arena<Context>,
    ) {
        let is_of_cpu = scope.layer == Layer::Cpu || scope.layer == Layer::Runtime && hands_over;
        if scope.count == Count::Excluded || !is_of_cpu || is_cut {
            return;
        }
        let (name, phase, layer) = (scope.name, scope.phase, scope.layer);
        let (group, is_outermost) = self.groups.of((name, layer, phase), scope);
        if group == self.list.len() {
            self.list.push(Fallback {
                name,
                phase,
                layer,
                n: 0,
                total: 0,
                own: 0,
                executions: Vec::new(),
                parts: Vec::new(),
            });
        }
        let Some(entry) = self.list.get_mut(group) else { return };
        entry.n += 1;
        entry.own += scope.own;
        if is_outermost {
            entry.total += scope.end - scope.start;
        }
        let execution = contexts.find(scope.context).map_or(NONE, |c| c.execution);
        if execution == NONE {
            return;
        }
        match entry.parts.last_mut().filter(|_| entry.executions.last() == Some(&execution)) {
            Some(part) => *part = (part.0 + 1, part.1 + scope.own),
            None => {
                entry.executions.push(execution);
                entry.parts.push((1, scope.own));
            }
        }
    }

    /// Most time first.
    pub(super) fn finish(mut self) -> Vec<Fallback> {
        for entry in &mut self.list {
            let mut all: Vec<_> = entry.executions.drain(..).zip(entry.parts.drain(..)).collect();
            order::sort_by_key(&mut all, |(execution, _)| *execution);
            for same in all.chunk_by(|a, b| a.0 == b.0) {
                let sum = same.iter().fold((0, 0), |sum, (_, part)| (sum.0 + part.0, sum.1 + part.1));
                entry.executions.extend(same.first().map(|(execution, _)| *execution));
                entry.parts.push(sum);
            }
        }
        order::sort_by_key(&mut self.list, |f| (Reverse(f.total), f.name));
        self.list
    }
}
