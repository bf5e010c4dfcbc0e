//! Adds up scopes: totals, self times, executions, functions, differences; a piece at a time.

mod sweep;

use super::difference::{Differing, Seen};
use super::executions::{Kind, Setup, SetupCall};
use super::functions::{Fallbacks, Functions, hands_over};
use super::matrix::Matrix;
use super::walk::{RunHead, Walk};
use super::{Corrected, Run};
use crate::base::time::Span;
use crate::systems::android::nnapi::mark::Marks;
use std::ops::Range;
use sweep::{Attributing, Sums};

pub(super) use sweep::N_CELLS;

/// Scopes that are looked at in one step.
const STEP: usize = 1 << 15;

/// Sums on their way.
pub(super) struct Summing {
    walk: Walk,
    /// What functions are, by the number of their name.
    calls: Vec<SetupCall>,
    is_handing_over: Vec<bool>,
    matrices: Vec<Matrix>,
    runs: Vec<Run>,
    /// See [`Corrected::holes`].
    holes: Vec<(u32, Span)>,
    stage: Stage,
    /// How many scopes are done in this stage.
    at: usize,
}

enum Stage {
    /// Scopes have the times of those inside.
    Nets,
    /// They count with these times.
    Counts,
    /// Tables have their totals.
    Totals,
    /// Every instant goes to one cell.
    Attribute(Box<(Attributing, Sums)>),
    /// Executions have what makes them ready.
    Setup(Setup),
    /// Runs, one after the other.
    Run(Box<RunMaking>),
    Done,
}

/// A run on its way.
struct RunMaking {
    head: RunHead,
    matrix: Matrix,
    scopes: Range<usize>,
    executions: Range<usize>,
    drivers: Range<usize>,
    functions: Functions,
    fallbacks: Fallbacks,
    differing: Differing,
}

impl Summing {
    pub(super) fn new(mut walk: Walk, marks: &Marks) -> Self {
        walk.finish(marks);
        let names = &walk.texts.names;
        Self {
            calls: names.iter().map(|name| SetupCall::of(name)).collect(),
            is_handing_over: names.iter().map(|name| hands_over(name)).collect(),
            matrices: vec![Matrix::default(); walk.runs.len()],
            runs: Vec::with_capacity(walk.runs.len()),
            holes: Vec::new(),
            stage: Stage::Nets,
            at: 0,
            walk,
        }
    }

    /// Does the next piece; false when nothing is left to do.
    pub(super) fn step(&mut self, marks: &Marks) -> bool {
        self.stage = match std::mem::replace(&mut self.stage, Stage::Done) {
            Stage::Nets => {
                let all = self.walk.scopes.len();
                let last = self.next();
                self.walk.add_nets(all - last.end..all - last.start);
                self.then(Stage::Nets, |_| Stage::Counts)
            }
            Stage::Counts => {
                let next = self.next();
                self.walk.scopes[next].iter_mut().for_each(|scope| scope.counted = scope.net);
                self.then(Stage::Counts, |summing| {
                    summing.walk.count_spans();
                    Stage::Totals
                })
            }
            Stage::Totals => {
                let next = self.next();
                let walk = &self.walk;
                for scope in &walk.scopes[next] {
                    let is_cut = walk.contexts.get(scope.context as usize).is_some_and(|c| {
                        c.is_apart || walk.executions.get(c.execution as usize).is_some_and(|e| e.is_cut)
                    });
                    self.matrices[scope.run as usize].count(scope, is_cut);
                }
                self.then(Stage::Totals, |summing| {
                    let attributing = Attributing::new(&summing.walk.contexts);
                    Stage::Attribute(Box::new((attributing, Sums::default())))
                })
            }
            Stage::Attribute(mut both) => {
                let has_more = self.attribute(&mut both.0, &mut both.1);
                if has_more { Stage::Attribute(both) } else { self.setup(marks) }
            }
            Stage::Setup(mut setup) => {
                let next = self.next();
                let walk = &mut self.walk;
                for (at, scope) in next.clone().zip(&walk.scopes[next]) {
                    setup.take(at, scope, self.calls[scope.name as usize], &mut walk.executions);
                }
                self.then(Stage::Setup(setup), |summing| {
                    for execution in &summing.walk.executions {
                        let matrix = &mut summing.matrices[execution.run as usize];
                        matrix.executions[execution.app as usize] += u64::from(!execution.is_cut);
                        matrix.n_cut += u64::from(execution.is_cut);
                    }
                    summing.begin_run()
                })
            }
            Stage::Run(run) => self.run(run, marks),
            Stage::Done => return false,
        };
        true
    }

    /// The next scopes.
    fn next(&mut self) -> Range<usize> {
        let from = self.at;
        self.at = self.walk.scopes.len().min(from + STEP);
        from..self.at
    }

    /// The same stage while there are scopes, then another from the first scope on.
    fn then(&mut self, same: Stage, other: impl FnOnce(&mut Self) -> Stage) -> Stage {
        if self.at < self.walk.scopes.len() {
            return same;
        }
        self.at = 0;
        other(self)
    }

    fn attribute(&mut self, attributing: &mut Attributing, sums: &mut Sums) -> bool {
        let Walk { items, contexts, executions, .. } = &mut self.walk;
        let (matrices, holes) = (&mut self.matrices, &mut self.holes);
        attributing.step(items, contexts, sums, |context, sums| {
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
    }

    fn setup(&mut self, marks: &Marks) -> Stage {
        let walk = &self.walk;
        Stage::Setup(Setup::new(&walk.executions, walk.scopes.len(), marks.threads.len()))
    }

    /// Begins with the next run; its scopes, executions and drivers follow those of the one before.
    fn begin_run(&mut self) -> Stage {
        let number = self.runs.len();
        let walk = &mut self.walk;
        let Some(head) = walk.runs.get_mut(number).map(std::mem::take) else { return Stage::Done };
        let mut matrix = std::mem::take(&mut self.matrices[number]);
        matrix.finish();
        let start =
            self.runs.last().map_or([0; 3], |run| [run.scopes.end, run.executions.end, run.drivers.end]);
        let number = number as u32;
        let scopes = walk.scopes[start[0]..].partition_point(|scope| scope.run <= number);
        let executions = walk.executions[start[1]..].partition_point(|execution| execution.run <= number);
        let drivers = walk.drivers[start[2]..].partition_point(|driver| driver.run <= number);
        let [scopes, executions, drivers] =
            [(start[0], scopes), (start[1], executions), (start[2], drivers)].map(|(from, n)| from..from + n);
        let seen = seen(&self.walk, &head, &matrix, (&scopes, &executions, &drivers));
        let differing = Differing::new(&seen, &self.walk.texts, &self.walk.roles);
        let (functions, fallbacks) = (Functions::new(), Fallbacks::new());
        Stage::Run(Box::new(RunMaking {
            head,
            matrix,
            scopes,
            executions,
            drivers,
            functions,
            fallbacks,
            differing,
        }))
    }

    fn run(&mut self, mut run: Box<RunMaking>, marks: &Marks) -> Stage {
        let walk = &self.walk;
        let next = run.scopes.start + self.at..run.scopes.end.min(run.scopes.start + self.at + STEP);
        self.at += next.len();
        let RunMaking { head, matrix, scopes, executions, drivers, functions, fallbacks, differing } =
            &mut *run;
        let seen = seen(walk, head, matrix, (scopes, executions, drivers));
        for scope in &walk.scopes[next.clone()] {
            functions.take(scope);
            fallbacks.take(scope, self.is_handing_over[scope.name as usize], &walk.contexts);
            differing.take(scope, &seen, &walk.texts, &walk.roles);
        }
        if next.end < run.scopes.end {
            return Stage::Run(run);
        }
        self.at = 0;
        self.end_run(*run, marks);
        self.begin_run()
    }

    fn end_run(&mut self, run: RunMaking, marks: &Marks) {
        let RunMaking { head, matrix, scopes, executions, drivers, functions, fallbacks, differing } = run;
        let begin = head.row.filter(|_| !self.runs.is_empty()).unwrap_or(0) as usize;
        let end = self.walk.runs.get(self.runs.len() + 1).and_then(|next| next.row);
        let rows = marks.is_classic.get(begin..end.map_or(marks.len(), |row| row as usize));
        let n_other_rows = rows.unwrap_or_default().iter().filter(|is| !**is).count() as u64;
        let seen = seen(&self.walk, &head, &matrix, (&scopes, &executions, &drivers));
        let differences = differing.finish(&seen, n_other_rows);
        let first = head.start.unwrap_or_default();
        self.runs.push(Run {
            row: head.row,
            span: Span::new(first, head.end.max(first)),
            is_incomplete: head.is_incomplete,
            n_orphans: head.n_orphans,
            matrix,
            functions: functions.finish(),
            fallback: fallbacks.finish(),
            warnings: head.warnings,
            differences,
            scopes,
            executions,
            drivers,
        });
    }

    /// All of it, after the last step.
    pub(super) fn finish(self) -> Corrected {
        let Walk { scopes, executions, drivers, texts, .. } = self.walk;
        Corrected { runs: self.runs, scopes, executions, holes: self.holes, drivers, names: texts.names }
    }
}

/// What differences of a run are found by.
fn seen<'a>(
    walk: &'a Walk,
    head: &'a RunHead,
    matrix: &'a Matrix,
    (scopes, executions, drivers): (&Range<usize>, &Range<usize>, &Range<usize>),
) -> Seen<'a> {
    Seen {
        scopes: &walk.scopes[scopes.clone()],
        first: scopes.start,
        executions: &walk.executions[executions.clone()],
        drivers: &walk.drivers[drivers.clone()],
        matrix,
        warnings: &head.warnings,
        all_scopes: &walk.scopes,
        n_refused: head.n_refused,
        n_other_devices: head.n_other_devices,
        n_other_calls: head.n_other_calls,
    }
}
