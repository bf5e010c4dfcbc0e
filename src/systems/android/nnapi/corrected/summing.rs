//! Adds up scopes: totals, self times, executions, functions, differences.

use super::difference::{Differing, Seen};
use super::executions::{Kind, Setup};
use super::functions::{Fallbacks, Functions};
use super::matrix::Matrix;
use super::scope::{App, ByApp, N_CELLS, NONE, PHASES, Scope, phase_of};
use super::walk::{COVER, Context, Item, RunHead, Walk};
use super::{Corrected, Run};
use crate::base::job::{Turn, pieces};
use crate::base::sort::Sorting;
use crate::base::time::{Span, Ticks};
use crate::systems::android::nnapi::arena::Arena;
use crate::systems::android::nnapi::mark::{Layer, Marks, Phase};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Scopes that are looked at between two pauses.
const PIECE: usize = 1 << 15;

pub(super) async fn sum(mut walk: Walk, marks: &Marks, turn: &Turn) -> Corrected {
    walk.finish(marks);
    let n = walk.scopes.rows().len();
    // Scopes have the times of those inside, then count with these times.
    for next in pieces(n, PIECE) {
        walk.add_nets(n - next.end..n - next.start);
        turn.pause().await;
    }
    for next in pieces(n, PIECE) {
        let scopes = walk.scopes.rows_mut().get_mut(next).unwrap_or_default();
        for scope in scopes {
            scope.counted = scope.net;
        }
        turn.pause().await;
    }
    walk.count_spans();
    walk.stand_in();
    let mut matrices: Arena<Matrix> = Arena::of_empty(walk.runs.rows().len());
    for next in pieces(n, PIECE) {
        for scope in walk.scopes.rows().get(next).unwrap_or_default() {
            matrices[scope.run].count(scope, is_cut(&walk, scope));
        }
        turn.pause().await;
    }
    let holes = self_times(&mut walk, &mut matrices, turn).await;
    set_up(&mut walk, marks, turn).await;
    for execution in walk.executions.rows() {
        let matrix = &mut matrices[execution.run];
        matrix.executions[execution.app] += u64::from(!execution.is_cut);
        matrix.n_cut += u64::from(execution.is_cut);
    }
    let mut runs: Vec<Run> = Vec::with_capacity(matrices.rows().len());
    let mut heads =
        std::mem::take(&mut walk.runs).into_rows().into_iter().zip(matrices.into_rows()).peekable();
    while let Some(head) = heads.next() {
        let next = heads.peek().and_then(|(next, _)| next.row);
        let run = run(&walk, head, (&runs, next), marks, turn).await;
        runs.push(run);
    }
    let Walk { scopes, executions, drivers, texts, .. } = walk;
    let (scopes, executions, drivers) = (scopes.into_rows(), executions.into_rows(), drivers.into_rows());
    Corrected { runs, scopes, executions, holes, drivers, names: texts.names }
}

/// Whether a scope is part of an execution whose end is not in the trace, or of none and has no end itself.
fn is_cut(walk: &Walk, scope: &Scope) -> bool {
    let context = walk.contexts.find(scope.context);
    context.is_some_and(|of| match walk.executions.find(of.execution) {
        Some(execution) => execution.is_cut,
        None => of.is_apart || walk.is_unfinished(scope),
    })
}

/// Every instant goes to one cell. Returns [`Corrected::holes`].
async fn self_times(walk: &mut Walk, matrices: &mut Arena<Matrix>, turn: &Turn) -> Vec<(u32, Span)> {
    let Walk { items, contexts, executions, .. } = walk;
    let mut holes = Vec::new();
    attribute(items, contexts, turn, |context, sums| {
        let matrix = &mut matrices[context.run];
        let mut execution = executions.find_mut(context.execution);
        if let Some(execution) = &mut execution {
            execution.time = 0;
        }
        let is_hollow = execution.as_ref().is_some_and(|e| e.kind == Kind::Application);
        holes.extend(sums.holes.drain(..).filter(|_| is_hollow).map(|hole| (context.execution, hole)));
        let is_cut = context.is_apart || execution.as_ref().is_some_and(|e| e.is_cut);
        let is_alone = execution.is_none();
        for ((is_unfinished, app, cell), time) in sums.drain() {
            matrix.add(app, cell, time, is_cut || is_alone && is_unfinished);
            if let Some(execution) = &mut execution {
                execution.add(cell, time);
            }
        }
    })
    .await;
    holes
}

/// Executions have what makes them ready.
async fn set_up(walk: &mut Walk, marks: &Marks, turn: &Turn) {
    let mut setup = Setup::new(walk.executions.rows(), walk.scopes.rows().len(), marks.threads.len());
    for next in pieces(walk.scopes.rows().len(), PIECE) {
        for (at, scope) in (next.start as u32..).zip(walk.scopes.rows().get(next).unwrap_or_default()) {
            setup.take(at, scope, walk.texts.functions[scope.name].setup, &mut walk.executions);
        }
        turn.pause().await;
    }
}

/// The next run; its scopes, executions and drivers follow those of the one before. `next` is the row that the one behind
/// it begins with.
async fn run(
    walk: &Walk,
    (head, mut matrix): (RunHead, Matrix),
    (before, next): (&[Run], Option<u32>),
    marks: &Marks,
    turn: &Turn,
) -> Run {
    matrix.finish();
    let [from_scope, from_execution, from_driver] =
        before.last().map_or([0; 3], |run| [run.scopes.end, run.executions.end, run.drivers.end]);
    let number = before.len() as u32;
    let (scopes, of_scopes) = up_to(walk.scopes.rows(), from_scope, |scope| scope.run <= number);
    let (executions, of_executions) =
        up_to(walk.executions.rows(), from_execution, |execution| execution.run <= number);
    let (drivers, of_drivers) = up_to(walk.drivers.rows(), from_driver, |driver| driver.run <= number);
    let seen = Seen {
        scopes: of_scopes,
        first: scopes.start,
        executions: of_executions,
        drivers: of_drivers,
        matrix: &matrix,
        warnings: &head.warnings,
        all_scopes: &walk.scopes,
        n_refused: head.n_refused,
        n_other_devices: head.n_other_devices,
        n_other_calls: head.n_other_calls,
    };
    let mut differing = Differing::new(&seen, &walk.texts, &walk.roles);
    let (mut functions, mut fallbacks) = (Functions::new(), Fallbacks::new());
    let mut cpu_steps = Vec::new();
    for scopes in seen.scopes.chunks(PIECE) {
        for scope in scopes {
            let is_cut = scope.is_unfinished || is_cut(walk, scope);
            functions.take(scope);
            fallbacks.take(scope, (walk.texts.functions[scope.name].hands_over, is_cut), &walk.contexts);
            differing.take(scope, &seen, &walk.texts, &walk.roles);
            cpu_steps.extend(cpu_step(walk, scope));
        }
        turn.pause().await;
    }
    let begin = head.row.filter(|_| !before.is_empty()).unwrap_or(0) as usize;
    let rows = marks.is_classic.get(begin..next.map_or(marks.len(), |row| row as usize));
    let n_other_rows = rows.unwrap_or_default().iter().filter(|is| !**is).count() as u64;
    let differences = differing.finish(&seen, n_other_rows);
    let first = head.start.unwrap_or_default();
    Run {
        row: head.row,
        span: Span::new(first, head.end.max(first)),
        is_incomplete: head.is_incomplete,
        n_orphans: head.n_orphans,
        functions: functions.finish(),
        fallback: fallbacks.finish(),
        cpu_steps,
        warnings: head.warnings,
        matrix,
        differences,
        scopes,
        executions,
        drivers,
    }
}

/// The execution in which a scope is a whole part that the CPU does.
fn cpu_step(walk: &Walk, scope: &Scope) -> Option<u32> {
    if (scope.layer, scope.phase) != (Layer::Cpu, Phase::Execution) {
        return None;
    }
    let is_inside = walk.scopes.find(scope.parent).is_some_and(|around| around.layer == Layer::Cpu);
    let execution = walk.contexts.find(scope.context)?.execution;
    (!is_inside && execution != NONE).then_some(execution)
}

/// The rows from one on that are of a run, or of one before it; rows are in the order of their runs.
fn up_to<T>(rows: &[T], from: usize, is_before: impl Fn(&T) -> bool) -> (Range<usize>, &[T]) {
    let rest = rows.get(from..).unwrap_or_default();
    let n = rest.partition_point(is_before);
    (from..from + n, rest.get(..n).unwrap_or_default())
}

// Self times: every instant of a context goes to one cell.
//
// The instants of a context are those of level 0: all of an execution, or those in which a thread is in a scope outside
// of executions. At each instant the deepest item wins: first what was called most indirectly (a
// driver's thread before the driver's call, before a thread of the runtime, before the thread that waits), then the
// lower layer, then the later one. So the self times of an execution add up to its time exactly, also when several
// threads work for it, and those of a run to the time of its contexts.

/// Items that are looked at between two pauses.
const SWEEP_PIECE: usize = 1 << 16;

/// Which time: whether it is of what has no end, the application phase, the cell.
type Key = (bool, App, u8);

/// Times of one context.
struct Sums {
    /// Of what ends, and of what has no end.
    times: [ByApp<[Ticks; N_CELLS]>; 2],
    /// Those that are not zero, and perhaps others.
    touched: Vec<Key>,
    /// The stretches of a context in which something other than executing was done.
    holes: Vec<Span>,
}

impl Sums {
    fn add(&mut self, item: &Item, time: Ticks) {
        let key = (item.is_unfinished, item.app, item.cell);
        let Some(sum) = at(&mut self.times, key) else { return };
        if *sum == 0 {
            self.touched.push(key);
        }
        *sum += time;
    }

    /// A stretch with what was done in it; stretches come in the order of time.
    fn add_stretch(&mut self, item: &Item, stretch: Span) {
        self.add(item, stretch.dur());
        let phase = phase_of(item.cell);
        if phase == Phase::Execution || phase.is_part_of_execution() {
            return;
        }
        match self.holes.last_mut() {
            Some(last) if last.end == stretch.start => last.end = stretch.end,
            _ => self.holes.push(stretch),
        }
    }

    /// All times, each once; then all are zero again.
    fn drain(&mut self) -> impl Iterator<Item = (Key, Ticks)> {
        let Self { times, touched, .. } = self;
        touched.drain(..).filter_map(|key| Some((key, std::mem::take(at(times, key)?))))
    }
}

fn at(times: &mut [ByApp<[Ticks; N_CELLS]>; 2], (is_unfinished, app, cell): Key) -> Option<&mut Ticks> {
    let [ended, unfinished] = times;
    let of = if is_unfinished { unfinished } else { ended };
    of[app].get_mut(usize::from(cell))
}

/// Self times: `take` is told each context with items, and its self times by application phase and cell. About the number
/// of items, times the logarithm of how many there are in a context where threads work for each other.
async fn attribute(
    items: &Arena<Item>,
    contexts: &Arena<Context>,
    turn: &Turn,
    mut take: impl FnMut(&Context, &mut Sums),
) {
    let (starts, places) = by_context(items.rows(), contexts.rows().len(), turn).await;
    let times = [ByApp([[0; N_CELLS]; 3]), ByApp([[0; N_CELLS]; 3])];
    let mut sums = Sums { times, touched: Vec::new(), holes: Vec::new() };
    let bounds = starts.iter().zip(starts.iter().skip(1));
    for (context, (from, to)) in contexts.rows().iter().zip(bounds) {
        let mine = places.get(*from as usize..*to as usize).unwrap_or_default();
        if mine.iter().any(|i| items[*i].level != 0) {
            let keys = mine.iter().map(|i| (items[*i].start, *i)).collect();
            let mut sorting = Sorting::in_pieces(keys, SWEEP_PIECE);
            while sorting.step() {
                turn.pause().await;
            }
            let mut sweep = Sweep::new(items, sorting.finish());
            while (0..PIECE / 4).all(|_| sweep.next(items, &mut sums)) {
                turn.pause().await;
            }
        } else {
            for item in mine.iter().map(|i| &items[*i]) {
                sums.add(item, item.end - item.start);
            }
        }
        if !mine.is_empty() {
            take(context, &mut sums);
        }
        if turn.is_over(mine.len() + 1) {
            turn.pause().await;
        }
    }
}

/// Where the items of each context begin, with one more for the end, and the items by context; those whose context is
/// unknown are of none.
async fn by_context(items: &[Item], n: usize, turn: &Turn) -> (Vec<u32>, Vec<u32>) {
    let mut counts = vec![0; n];
    for piece in items.chunks(SWEEP_PIECE) {
        for item in piece {
            if let Some(count) = counts.get_mut(item.context as usize) {
                *count += 1;
            }
        }
        turn.pause().await;
    }
    let mut end = 0;
    let ends = counts.into_iter().map(|count: u32| {
        end += count;
        end
    });
    let starts: Vec<u32> = std::iter::once(0).chain(ends).collect();
    let mut places = vec![0; starts.last().map_or(0, |n| *n as usize)];
    let mut next = starts.clone();
    next.truncate(n);
    for (first, piece) in (0..).step_by(SWEEP_PIECE).zip(items.chunks(SWEEP_PIECE)) {
        for (number, item) in (first..).zip(piece) {
            let Some(next) = next.get_mut(item.context as usize) else { continue };
            if let Some(place) = places.get_mut(*next as usize) {
                *place = number;
            }
            *next += 1;
        }
        turn.pause().await;
    }
    (starts, places)
}

/// A walk through the items of a context in the order of their starts.
struct Sweep {
    waiting: Vec<u32>,
    at: usize,
    ends: BinaryHeap<Reverse<(Ticks, u32)>>,
    deepest: BinaryHeap<(u8, u8, u32)>,
    n_own: u32,
    n_covers: u32,
    now: Ticks,
}

impl Sweep {
    /// Begins with items in the order of their starts.
    fn new(items: &Arena<Item>, sorted: Vec<(Ticks, u32)>) -> Self {
        let is_long = |i: &u32| items[*i].start < items[*i].end;
        let waiting = sorted.into_iter().map(|(_, i)| i).filter(is_long).collect();
        let (ends, deepest) = (BinaryHeap::new(), BinaryHeap::new());
        Self { waiting, at: 0, ends, deepest, n_own: 0, n_covers: 0, now: Ticks::MIN }
    }

    /// Goes to the next end or start; false behind the last.
    fn next(&mut self, items: &Arena<Item>, sums: &mut Sums) -> bool {
        let start = self.waiting.get(self.at).map(|&i| items[i].start);
        let end = self.ends.peek().map(|Reverse((end, _))| *end);
        let Some(next) = start.into_iter().chain(end).min() else { return false };
        if 0 < self.n_own && self.now < next {
            while self.deepest.peek().is_some_and(|(_, _, i)| items[*i].end <= self.now) {
                self.deepest.pop();
            }
            if let Some(item) = self.deepest.peek().map(|(_, _, i)| &items[*i])
                && !(0 < self.n_covers && is_application(item.cell))
            {
                sums.add_stretch(item, Span::new(self.now, next));
            }
        }
        let now = next;
        self.now = now;
        while let Some(Reverse((_, i))) = self.ends.peek().copied().filter(|Reverse((end, _))| *end <= now) {
            self.ends.pop();
            self.n_own -= u32::from(items[i].level == 0);
            self.n_covers -= u32::from(items[i].cell == COVER);
        }
        while let Some(&i) = self.waiting.get(self.at).filter(|&&i| items[i].start <= now) {
            self.at += 1;
            let item = &items[i];
            self.ends.push(Reverse((item.end, i)));
            self.n_own += u32::from(item.level == 0);
            if item.cell == COVER {
                self.n_covers += 1;
            } else {
                self.deepest.push((item.level, item.cell / PHASES.len() as u8, i));
            }
        }
        true
    }
}

/// Whether a cell is of the first layer.
fn is_application(cell: u8) -> bool {
    usize::from(cell) < PHASES.len()
}
