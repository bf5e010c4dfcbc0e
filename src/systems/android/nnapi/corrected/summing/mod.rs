//! Adds up scopes: totals, self times, executions, functions, differences.

mod sweep;

use super::difference::{Differing, Seen};
use super::executions::{Kind, Setup, SetupCall};
use super::functions::{Fallbacks, Functions, hands_over};
use super::matrix::Matrix;
use super::walk::{RunHead, Walk};
use super::{Corrected, Run};
use crate::base::job::{Turn, pieces};
use crate::base::time::Span;
use crate::systems::android::nnapi::mark::Marks;
use sweep::attribute;

pub(super) use sweep::N_CELLS;

/// Scopes that are looked at between two pauses.
const PIECE: usize = 1 << 15;

pub(super) async fn sum(mut walk: Walk, marks: &Marks, turn: &Turn) -> Corrected {
    walk.finish(marks);
    let n = walk.scopes.len();
    // Scopes have the times of those inside, then count with these times.
    for next in pieces(n, PIECE) {
        walk.add_nets(n - next.end..n - next.start);
        turn.pause().await;
    }
    for next in pieces(n, PIECE) {
        walk.scopes[next].iter_mut().for_each(|scope| scope.counted = scope.net);
        turn.pause().await;
    }
    walk.count_spans();
    let mut matrices = vec![Matrix::default(); walk.runs.len()];
    for next in pieces(n, PIECE) {
        for scope in &walk.scopes[next] {
            let is_cut = walk.contexts.get(scope.context as usize).is_some_and(|c| {
                c.is_apart || walk.executions.get(c.execution as usize).is_some_and(|e| e.is_cut)
            });
            matrices[scope.run as usize].count(scope, is_cut);
        }
        turn.pause().await;
    }
    let holes = self_times(&mut walk, &mut matrices, turn).await;
    set_up(&mut walk, marks, turn).await;
    for execution in &walk.executions {
        let matrix = &mut matrices[execution.run as usize];
        matrix.executions[execution.app as usize] += u64::from(!execution.is_cut);
        matrix.n_cut += u64::from(execution.is_cut);
    }
    let is_handing_over: Vec<bool> = walk.texts.names.iter().map(|name| hands_over(name)).collect();
    let mut runs: Vec<Run> = Vec::with_capacity(matrices.len());
    let mut heads = std::mem::take(&mut walk.runs).into_iter().zip(matrices).peekable();
    while let Some(head) = heads.next() {
        let next = heads.peek().and_then(|(next, _)| next.row);
        let run = run(&walk, head, (&runs, next), (marks, &is_handing_over), turn).await;
        runs.push(run);
    }
    let Walk { scopes, executions, drivers, texts, .. } = walk;
    Corrected { runs, scopes, executions, holes, drivers, names: texts.names }
}

/// Every instant goes to one cell. Returns [`Corrected::holes`].
async fn self_times(walk: &mut Walk, matrices: &mut [Matrix], turn: &Turn) -> Vec<(u32, Span)> {
    let Walk { items, contexts, executions, .. } = walk;
    let mut holes = Vec::new();
    attribute(items, contexts, turn, |context, sums| {
        let matrix = &mut matrices[context.run as usize];
        let mut execution = executions.get_mut(context.execution as usize);
        if let Some(execution) = &mut execution {
            execution.time = 0;
        }
        let is_hollow = execution.as_ref().is_some_and(|e| e.kind == Kind::Application);
        holes.extend(sums.holes.drain(..).filter(|_| is_hollow).map(|hole| (context.execution, hole)));
        let is_cut = context.is_apart || execution.as_ref().is_some_and(|e| e.is_cut);
        for (app, cell, time) in sums.drain() {
            matrix.add(app, cell, time, is_cut);
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
    // What functions are, by the number of their name.
    let calls: Vec<SetupCall> = walk.texts.names.iter().map(|name| SetupCall::of(name)).collect();
    let mut setup = Setup::new(&walk.executions, walk.scopes.len(), marks.threads.len());
    for next in pieces(walk.scopes.len(), PIECE) {
        for (at, scope) in next.clone().zip(&walk.scopes[next]) {
            setup.take(at, scope, calls[scope.name as usize], &mut walk.executions);
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
    (marks, is_handing_over): (&Marks, &[bool]),
    turn: &Turn,
) -> Run {
    matrix.finish();
    let start = before.last().map_or([0; 3], |run| [run.scopes.end, run.executions.end, run.drivers.end]);
    let number = before.len() as u32;
    let scopes = walk.scopes[start[0]..].partition_point(|scope| scope.run <= number);
    let executions = walk.executions[start[1]..].partition_point(|execution| execution.run <= number);
    let drivers = walk.drivers[start[2]..].partition_point(|driver| driver.run <= number);
    let [scopes, executions, drivers] =
        [(start[0], scopes), (start[1], executions), (start[2], drivers)].map(|(from, n)| from..from + n);
    let seen = Seen {
        scopes: &walk.scopes[scopes.clone()],
        first: scopes.start,
        executions: &walk.executions[executions.clone()],
        drivers: &walk.drivers[drivers.clone()],
        matrix: &matrix,
        warnings: &head.warnings,
        all_scopes: &walk.scopes,
        n_refused: head.n_refused,
        n_other_devices: head.n_other_devices,
        n_other_calls: head.n_other_calls,
    };
    let mut differing = Differing::new(&seen, &walk.texts, &walk.roles);
    let (mut functions, mut fallbacks) = (Functions::new(), Fallbacks::new());
    for scopes in seen.scopes.chunks(PIECE) {
        for scope in scopes {
            functions.take(scope);
            fallbacks.take(scope, is_handing_over[scope.name as usize], &walk.contexts);
            differing.take(scope, &seen, &walk.texts, &walk.roles);
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
        warnings: head.warnings,
        matrix,
        differences,
        scopes,
        executions,
        drivers,
    }
}
