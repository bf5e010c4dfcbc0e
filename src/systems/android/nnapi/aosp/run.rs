//! One run: its threads with trees and sums, and the times of all of them together.

use super::code::{AppPhase, Code, Codes};
use super::count::{Bucket, count};
use super::nesting::{Labels, check};
use super::reading::{CREATE, FUNCTIONS, N_SYNCHRONOUS, NOTIFY, SERVER, START, WAIT, refusal};
use super::times::{OF_LOOPS, PHASES, Times, or_missing, or_zero, self_times, set_total};
use super::tracker::{Timed, Tracker};
use super::tree::Tree;
use super::{Layer, Phase};
use crate::base::order::sort_floats;
use crate::systems::android::nnapi::mark::Refusal;

/// One run: from one mark of the whole application to the next.
pub struct Run {
    /// Row of `Marks` with the mark that began it; `None` when there is no such mark. Rows before the first belong to it.
    pub starting_mark: Option<u32>,
    /// Its threads, those with rows in it, in the order of the sums.
    pub threads: Vec<ThreadRun>,
    /// Its numbers; `None` when a scope was still open at its end: then nothing is printed of it.
    pub statistics: Option<Statistics>,
}

/// A thread in a run.
pub struct ThreadRun {
    /// Row of `Outcome::threads`.
    pub thread: u32,
    /// Its scopes, cleaned up; as they were read in an incomplete run.
    pub tree: Tree,
    /// What its scopes count for, in the order in which they appear; empty in an incomplete run.
    pub buckets: Vec<Bucket>,
    timed: [[Vec<Timed>; FUNCTIONS.len()]; 3],
    n_own: [u32; 3],
}

/// The numbers of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// Executions by application phase: overall, warmup, benchmark.
    pub n_executions: [u32; 3],
    /// Totals in milliseconds.
    pub times: Times,
    /// The same, each layer without those below it.
    pub self_times: Times,
}

impl Statistics {
    /// Whether both loops have executions; otherwise what is inside of loops is lost.
    pub fn has_loops(&self) -> bool {
        self.times.loops.is_some()
    }
}

impl ThreadRun {
    pub(super) fn new(thread: u32, tracker: Tracker) -> Self {
        let Tracker { tree, timed, n_own, .. } = tracker;
        Self { thread, tree, buckets: Vec::new(), timed, n_own }
    }

    fn timed(&self, app_phase: AppPhase, function: usize) -> &[Timed] {
        &self.timed[app_phase.index()][function]
    }

    /// Milliseconds of a bucket; 0 when there is none.
    fn sum(&self, app_phase: AppPhase, layer: Layer, phase: Phase) -> f64 {
        let found = self.bucket(app_phase, Code::layer(layer), Code::phase(phase));
        found.map_or(0.0, |bucket| bucket.sum)
    }

    fn bucket(&self, app_phase: AppPhase, layer: Code, phase: Code) -> Option<&Bucket> {
        self.buckets.iter().find(|b| b.app_phase == app_phase && b.layer == layer && b.phase == phase)
    }

    /// Milliseconds that the runtime executed: from each start to the wait for it, and the calls around.
    fn runtime(&self, app_phase: AppPhase) -> Result<f64, Refusal> {
        let (starts, waits) = (self.timed(app_phase, START), self.timed(app_phase, WAIT));
        if waits.len() < starts.len() {
            return Err(refusal("IndexError", "list index out of range"));
        }
        let mut sum = 0.0;
        for (start, wait) in starts.iter().zip(waits) {
            sum += wait.end - start.start;
        }
        for call in (0..N_SYNCHRONOUS).flat_map(|function| self.timed(app_phase, function)) {
            sum += call.end - call.start;
        }
        Ok(sum)
    }

    fn n_executions(&self, app_phase: AppPhase) -> u32 {
        match self.timed(app_phase, CREATE).len() {
            0 => self.n_own[app_phase.index()],
            n => n as u32,
        }
    }
}

/// How the times of a run are put together.
pub(super) struct Setting {
    /// Whether executions of the runtime are taken from start and wait; otherwise from the buckets as everything else.
    pub(super) has_runtime_by_calls: bool,
}

impl Run {
    /// Cleans the trees up and computes the numbers. Linear in scopes.
    ///
    /// # Errors
    /// Why the parser ends instead.
    pub(super) fn compute(&mut self, words: &Labels, setting: &Setting) -> Result<(), Refusal> {
        for thread in &mut self.threads {
            super::cleanup::clean_up(&mut thread.tree);
            check(&thread.tree, words)?;
            thread.buckets = count(&thread.tree)?;
        }
        let largest = |app_phase| self.threads.iter().map(|t| t.n_executions(app_phase)).max().unwrap_or(0);
        let n_executions = AppPhase::ALL.map(largest);
        let loops = [n_executions[1], n_executions[2]].map(|n| 0 < n);
        let times = self.times(loops == [true; 2], setting)?;
        if loops[0] != loops[1] {
            return Err(refusal("KeyError", "'PWU'"));
        }
        let self_times = self_times(&times);
        self.statistics = Some(Statistics { n_executions, times, self_times });
        Ok(())
    }

    fn times(&self, has_loops: bool, setting: &Setting) -> Result<Times, Refusal> {
        let mut times = Times::new(has_loops);
        let app_phases = if has_loops { &AppPhase::ALL[..] } else { &AppPhase::ALL[..1] };
        for (column, layer) in Layer::REPORTED.into_iter().enumerate() {
            for (place, phase) in PHASES.into_iter().enumerate() {
                let mut sum = 0.0;
                for &app_phase in app_phases {
                    let part = self.part(app_phase, layer, phase, setting)?;
                    let of_loops = OF_LOOPS.iter().position(|p| *p == phase);
                    if let (Some(loops), Some(at), Some(of_loop)) =
                        (&mut times.loops, of_loops, app_phase.index().checked_sub(1))
                    {
                        loops[of_loop][at][column] = or_missing(part, layer, phase);
                    }
                    sum += part;
                }
                times.flat[place][column] = or_missing(sum, layer, phase);
            }
            if times.flat[0][column] == 0.0 {
                let parts = [1, 2, 3, 4, 9].map(|place| or_zero(times.flat[place][column]));
                times.flat[0][column] = parts.into_iter().fold(0.0, |sum, part| sum + part);
            }
        }
        times.flat.iter_mut().chain(times.loops.iter_mut().flatten().flatten()).for_each(set_total);
        Ok(times)
    }

    /// Milliseconds of a layer and a phase while the application was in one of its phases, over all threads.
    fn part(
        &self,
        app_phase: AppPhase,
        layer: Layer,
        phase: Phase,
        setting: &Setting,
    ) -> Result<f64, Refusal> {
        if (layer, phase) == (Layer::Driver, Phase::Execution) {
            return self.driver(app_phase);
        }
        let is_by_calls =
            setting.has_runtime_by_calls && (layer, phase) == (Layer::Runtime, Phase::Execution);
        let mut sum = 0.0;
        for thread in &self.threads {
            sum += if is_by_calls { thread.runtime(app_phase)? } else { thread.sum(app_phase, layer, phase) };
        }
        Ok(sum)
    }

    /// Milliseconds from each call that the driver was given to execute to the call that says it is done; the two may lie
    /// on different threads.
    fn driver(&self, app_phase: AppPhase) -> Result<f64, Refusal> {
        let starts = |function: usize| {
            let of_threads = self.threads.iter().flat_map(|t| t.timed(app_phase, function));
            let mut starts: Vec<f64> = of_threads.map(|timed| timed.start).collect();
            sort_floats(&mut starts);
            starts
        };
        let (begins, ends) = (starts(SERVER), starts(NOTIFY));
        if begins.len() != ends.len() {
            return Err(refusal("AssertionError", ""));
        }
        let mut sum = 0.0;
        for (begin, end) in begins.iter().zip(&ends) {
            sum += end - begin;
        }
        Ok(sum)
    }

    /// The rows of `Marks` whose scopes make a number up, in the order of the sum: those of one layer and phase, while the
    /// application was in one of its phases. The runtime's executions are made of calls, the driver's of what it serves
    /// and says. Application phases that no number takes in (see [`Statistics::has_loops`]) may be asked for too.
    pub fn rows(&self, app_phase: AppPhase, layer: Layer, phase: Phase) -> Vec<u32> {
        let of_calls = |functions: &[usize]| -> Vec<u32> {
            let calls = self.threads.iter().flat_map(|thread| {
                functions.iter().flat_map(move |function| thread.timed(app_phase, *function))
            });
            calls.map(|timed| timed.row).collect()
        };
        match (layer, phase) {
            (Layer::Runtime, Phase::Execution) => of_calls(&[START, WAIT, 0, 1, 2, 3, 4, 5, 6, 7]),
            (Layer::Driver, Phase::Execution) => of_calls(&[SERVER, NOTIFY]),
            _ => {
                let (layer, phase) = (Code::layer(layer), Code::phase(phase));
                let found = self.threads.iter().filter_map(|t| Some((t, t.bucket(app_phase, layer, phase)?)));
                found.flat_map(|(t, bucket)| bucket.nodes.iter().map(|n| t.tree.node(*n).row)).collect()
            }
        }
    }
}

/// The name of a bucket, such as `PO_LR_PE`.
pub fn bucket_name(bucket: &Bucket, codes: &Codes) -> String {
    format!("{}_{}_{}", bucket.app_phase.code(), codes.name(bucket.layer), codes.name(bucket.phase))
}
