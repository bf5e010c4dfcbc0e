//! What the systrace parser of AOSP computes from marks, to the last digit, with its mistakes and refusals.
//!
//! ```text
//! Marks ─▶ Reading of each text ─▶ Tracker of each thread ─▶ Tree ─▶ cleaned up ─▶ buckets ─▶ times of the run
//!                                        (until the next [NN_LA_PO], which ends the run)
//! ```
//!
//! All arithmetic is that of Python's floats, in the same order; what is missing is NaN. How the numbers are printed
//! stands in `export::nnapi`.

mod cleanup;
mod code;
mod count;
mod nesting;
mod reading;
mod run;
mod table;
mod times;
mod tracker;
mod tree;

pub use code::{AppPhase, Code, Codes};
pub use count::Bucket;
pub use nesting::{Wording, indent};
pub use run::{Run, Statistics, ThreadRun, bucket_name};
pub use table::{Table, Wanted};
pub use times::{Line, OF_LOOPS, PHASES, TOTAL, Times, column};
pub use tree::{Node, Origin, ROOT, Tree};

use crate::base::map::{Map, Set};
use crate::base::order::sort_by_key;
use crate::model::id::StrId;
use crate::model::strings::Strings;
use crate::systems::android::nnapi::mark::{Layer, Marks, Phase, Refusal};
use reading::{Reading, refusal};
use tracker::{Row, Tracker};

/// What the parser makes of a trace.
pub struct Outcome {
    /// The threads with marks of NNAPI or a driver's interface, in the order of their first such row: the order of sums.
    pub threads: Vec<TrackedThread>,
    /// All runs that it got through, incomplete ones too.
    pub runs: Vec<Run>,
    /// Whether the runtime wrote any mark; if not, the parser says so.
    pub has_runtime: bool,
    /// Why it ends before the end; `None` when it gets through.
    pub stop: Option<Stop>,
    /// Texts of layers and phases.
    pub codes: Codes,
}

impl Outcome {
    /// What the parser writes to standard error: its sentences, then the exception that ends it, without the way it took.
    pub fn said(&self) -> String {
        let mut said = String::new();
        let is_read = self.stop.as_ref().is_none_or(|stop| stop.at != StopAt::Collecting);
        if is_read && !self.has_runtime {
            said += "\n*** No NNAPI Runtime trace present - check your systrace setup ***\n\n";
        }
        for _ in self.runs.iter().filter(|run| run.statistics.is_none()) {
            said += "Incomplete trace, not able to print all statistics\n";
        }
        if let Some(stop) = &self.stop {
            said += &format!("{}\n", stop.refusal.words());
        }
        said
    }
}

/// A thread that is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackedThread {
    /// Its number as written.
    pub id: StrId,
    /// Row of `Marks::threads` of its first row.
    pub row: u32,
    /// Whether its process serves `IDevice`, anywhere in the trace.
    pub is_driver: bool,
}

/// Where and why the parser ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The exception.
    pub refusal: Refusal,
    /// What it was doing.
    pub at: StopAt,
}

/// What the parser was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopAt {
    /// Collecting rows: nothing was printed.
    Collecting,
    /// Taking in this row of `Marks`, of a thread that it follows: it prints the row.
    Row(u32),
    /// Looking for the thread of this row of `Marks`.
    Thread(u32),
    /// Computing a run behind those in `Outcome::runs`.
    Run,
}

/// The runtime's executions are taken from calls.
const BY_CALLS: run::Setting = run::Setting { has_runtime_by_calls: true };

/// Reads marks as the parser does. Linear in rows.
pub fn parse(marks: &Marks, strings: &Strings) -> Outcome {
    Parser::new(marks, strings, &BY_CALLS).parse()
}

/// The same without the special way of the runtime's executions: they are sums of scopes as all others.
pub fn parse_by_scopes(marks: &Marks, strings: &Strings) -> Outcome {
    Parser::new(marks, strings, &run::Setting { has_runtime_by_calls: false }).parse()
}

/// No tracked thread, or no tracker of it.
const NONE: u32 = u32::MAX;

struct Parser<'a> {
    marks: &'a Marks,
    strings: &'a Strings,
    setting: &'a run::Setting,
    outcome: Outcome,
    readings: Vec<Reading>,
    /// Row of `readings` by text.
    by_text: Map<StrId, u32>,
    /// Row of `Outcome::threads`, or `NONE`, for each row of `Marks::threads`.
    tracked: Vec<u32>,
    /// Trackers of this run with their threads, in the order of their first rows.
    trackers: Vec<(u32, Tracker)>,
    /// Row of `trackers`, or `NONE`, for each row of `Outcome::threads`.
    tracker_of: Vec<u32>,
    app_phase: AppPhase,
    starting_mark: Option<u32>,
}

impl<'a> Parser<'a> {
    fn new(marks: &'a Marks, strings: &'a Strings, setting: &'a run::Setting) -> Self {
        let outcome = Outcome {
            threads: Vec::new(),
            runs: Vec::new(),
            has_runtime: false,
            stop: None,
            codes: Codes::default(),
        };
        Self {
            marks,
            strings,
            setting,
            outcome,
            readings: Vec::new(),
            by_text: Map::default(),
            tracked: vec![NONE; marks.threads.len()],
            trackers: Vec::new(),
            tracker_of: Vec::new(),
            app_phase: AppPhase::default(),
            starting_mark: None,
        }
    }

    fn parse(mut self) -> Outcome {
        if let Some(refusal) = &self.marks.refusal {
            self.outcome.stop = Some(Stop { refusal: refusal.clone(), at: StopAt::Collecting });
            return self.outcome;
        }
        self.survey();
        if let Err(stop) = self.follow() {
            self.outcome.stop = Some(stop);
        }
        self.outcome
    }

    /// The rows that the parser takes, with their threads.
    fn rows(&self) -> impl Iterator<Item = (u32, usize)> + use<'a> {
        let marks = self.marks;
        let rows = marks.is_classic.iter().zip(&marks.thread).enumerate();
        rows.filter(|(_, (is_classic, _))| **is_classic)
            .map(|(row, (_, thread))| (row as u32, *thread as usize))
    }

    /// The reading of a text, made once.
    fn reading(&mut self, text: StrId) -> usize {
        let (readings, strings, codes) = (&mut self.readings, self.strings, &mut self.outcome.codes);
        let place = *self.by_text.entry(text).or_insert_with(|| {
            readings.push(Reading::of(strings.get(text), codes));
            readings.len() as u32 - 1
        });
        place as usize
    }

    /// First pass: which threads are followed, and which processes are drivers.
    fn survey(&mut self) {
        let marks = self.marks;
        let mut by_id: Map<StrId, u32> = Map::default();
        let mut processes: Vec<StrId> = Vec::new();
        let mut drivers: Set<StrId> = Set::default();
        for (row, thread) in self.rows() {
            let at = self.reading(marks.text[row as usize]);
            let reading = &self.readings[at];
            self.outcome.has_runtime |= reading.is_runtime;
            if !reading.has_tag && !reading.is_served {
                continue;
            }
            let process = marks.process[row as usize];
            if reading.is_served {
                drivers.insert(process);
            }
            let id = marks.threads[thread].id;
            let threads = &mut self.outcome.threads;
            let at = *by_id.entry(id).or_insert_with(|| {
                threads.push(TrackedThread { id, row: thread as u32, is_driver: false });
                processes.push(process);
                threads.len() as u32 - 1
            });
            processes[at as usize] = process;
        }
        for (thread, process) in self.outcome.threads.iter_mut().zip(processes) {
            thread.is_driver = drivers.contains(&process);
        }
        for (thread, at) in marks.threads.iter().zip(&mut self.tracked) {
            *at = by_id.get(&thread.id).copied().unwrap_or(NONE);
        }
        self.tracker_of = vec![NONE; self.outcome.threads.len()];
    }

    /// Second pass: the rows of these threads.
    fn follow(&mut self) -> Result<(), Stop> {
        let marks = self.marks;
        for (row, thread) in self.rows() {
            let at = self.reading(marks.text[row as usize]);
            let tracked = self.tracked[thread];
            let reading = &self.readings[at];
            if tracked == NONE {
                if reading.is_wanted {
                    let id = self.strings.get(marks.threads[thread].id);
                    let text = format!("Cannot find PID {id} in tracker_map");
                    return Err(self.stop(refusal("AssertionError", &text), StopAt::Thread(row)));
                }
                continue;
            }
            if reading.is_overall {
                if self.starting_mark.is_some() {
                    self.finish()?;
                }
                self.starting_mark = Some(row);
            }
            let tracker = &mut self.tracker_of[tracked as usize];
            if *tracker == NONE {
                *tracker = self.trackers.len() as u32;
                self.trackers.push((tracked, Tracker::default()));
            }
            let taken = Row {
                number: row,
                time: marks.seconds[row as usize],
                reading: &self.readings[at],
                is_driver: self.outcome.threads[tracked as usize].is_driver,
            };
            let tracker = &mut self.trackers[*tracker as usize].1;
            tracker
                .take(&taken, &mut self.app_phase)
                .map_err(|refusal| self.stop(refusal, StopAt::Row(row)))?;
        }
        self.finish()
    }

    /// The end of a run.
    fn finish(&mut self) -> Result<(), Stop> {
        let mut trackers = std::mem::take(&mut self.trackers);
        for (thread, _) in &trackers {
            self.tracker_of[*thread as usize] = NONE;
        }
        self.app_phase = AppPhase::default();
        sort_by_key(&mut trackers, |(thread, _)| *thread);
        let is_complete = trackers.iter().all(|(_, tracker)| tracker.is_complete());
        let threads = trackers.into_iter().map(|(thread, tracker)| ThreadRun::new(thread, tracker)).collect();
        let mut run = Run { starting_mark: self.starting_mark, threads, statistics: None };
        if is_complete {
            let words = Wording { marks: self.marks, strings: self.strings, codes: &self.outcome.codes };
            run.compute(&words, self.setting).map_err(|refusal| self.stop(refusal, StopAt::Run))?;
        }
        self.outcome.runs.push(run);
        Ok(())
    }

    /// With the line of the row that is to blame.
    fn stop(&self, refusal: Refusal, at: StopAt) -> Stop {
        let line = match at {
            StopAt::Row(row) | StopAt::Thread(row) => self.marks.line[row as usize],
            _ => refusal.line,
        };
        Stop { refusal: Refusal { line, ..refusal }, at }
    }
}
