//! What the systrace parser of AOSP computes from marks, to the last digit, with its mistakes and refusals.
//!
//! ```text
//! Marks ─▶ Reading of each text ─▶ Tracker of each thread ─▶ Tree ─▶ cleaned up ─▶ buckets ─▶ times of the run
//!                                        (until the next [NN_LA_PO], which ends the run)
//! ```
//!
//! All arithmetic is that of Python's floats, in the same order; what is missing is NaN. How the numbers are printed
//! stands in `nnapi::export`.

pub mod reading;
mod run;
mod table;
pub mod times;
pub mod tree;

pub use reading::is_summed;
pub use run::{Bucket, Labels, Run, Statistics, ThreadRun, bucket_name, indent};
pub use table::{Table, TableOptions};
pub use times::{Line, OF_LOOPS, PHASES, TOTAL, Times};
pub use tree::{Node, Origin, ROOT, Tree};

use crate::base::job::{self, Turn, pieces};
use crate::base::map::{Map, Set};
use crate::base::order::sort_by_key;
use crate::model::id::StrId;
use crate::model::strings::Strings;
use crate::systems::android::nnapi::arena::Arena;
use crate::systems::android::nnapi::mark::{App, ByApp, Layer, Mark, Marks, Phase, Refusal};
use reading::{BAD_FUNCTION, FUNCTIONS, Reading, bad_end, refusal};
use std::ops::Range;

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

const BY_SCOPES: run::Setting = run::Setting { has_runtime_by_calls: false };

/// Reads marks as the parser does. Linear in rows.
pub fn parse(marks: &Marks, strings: &Strings) -> Outcome {
    whole(marks, strings, &BY_CALLS)
}

/// The same without the special way of the runtime's executions: they are sums of scopes as all others.
pub fn parse_by_scopes(marks: &Marks, strings: &Strings) -> Outcome {
    whole(marks, strings, &BY_SCOPES)
}

fn whole(marks: &Marks, strings: &Strings, setting: &'static run::Setting) -> Outcome {
    job::run(async |turn| Parser::new(marks, setting).outcome(marks, strings, &turn).await)
}

/// As [`parse`], some rows at a time.
pub async fn parse_in_turns(marks: &Marks, strings: &Strings, turn: &Turn) -> Outcome {
    Parser::new(marks, &BY_CALLS).outcome(marks, strings, turn).await
}

/// Rows that are looked at between two pauses.
const PIECE: usize = 1 << 14;

/// The parser at work.
struct Parser {
    setting: &'static run::Setting,
    outcome: Outcome,
    readings: Arena<Reading>,
    /// Row of `readings` by text.
    by_text: Map<StrId, u32>,
    /// Row of `Outcome::threads` for each row of `Marks::threads`; `None` where the thread is not tracked.
    tracked: Vec<Option<u32>>,
    /// Trackers of this run with their threads, in the order of their first rows.
    trackers: Arena<(u32, Tracker)>,
    /// For each row of `Outcome::threads`.
    tracked_threads: Arena<Tracked>,
    app_phase: App,
    starting_mark: Option<u32>,
}

/// What taking in a row needs of its thread.
#[derive(Clone, Copy, Default)]
struct Tracked {
    is_driver: bool,
    /// Row of `trackers`; `None` before its first row in a run.
    tracker: Option<u32>,
}

/// First pass: which threads are followed, and which processes are drivers.
#[derive(Default)]
struct Survey {
    by_id: Map<StrId, u32>,
    processes: Vec<StrId>,
    drivers: Set<StrId>,
}

impl Parser {
    fn new(marks: &Marks, setting: &'static run::Setting) -> Self {
        let outcome = Outcome {
            threads: Vec::new(),
            runs: Vec::new(),
            has_runtime: false,
            stop: None,
            codes: Codes::default(),
        };
        Self {
            setting,
            outcome,
            readings: Arena::default(),
            by_text: Map::default(),
            tracked: vec![None; marks.threads.len()],
            trackers: Arena::default(),
            tracked_threads: Arena::default(),
            app_phase: App::default(),
            starting_mark: None,
        }
    }

    async fn outcome(mut self, marks: &Marks, strings: &Strings, turn: &Turn) -> Outcome {
        self.outcome.stop = self.parse(marks, strings, turn).await.err();
        self.outcome
    }

    async fn parse(&mut self, marks: &Marks, strings: &Strings, turn: &Turn) -> Result<(), Stop> {
        if let Some(refusal) = &marks.refusal {
            return Err(Stop { refusal: refusal.clone(), at: StopAt::Collecting });
        }
        let mut survey = Survey::default();
        for rows in pieces(marks.len(), PIECE) {
            self.look(marks, strings, &mut survey, rows);
            turn.pause().await;
        }
        self.choose(marks, survey);
        for rows in pieces(marks.len(), PIECE) {
            self.follow(marks, strings, rows)?;
            turn.pause().await;
        }
        self.finish(marks, strings)
    }

    /// The reading of a text, made once.
    fn reading(&mut self, text: StrId, strings: &Strings) -> u32 {
        let (readings, codes) = (&mut self.readings, &mut self.outcome.codes);
        *self.by_text.entry(text).or_insert_with(|| readings.push(Reading::of(strings.get(text), codes)))
    }

    /// First pass over some rows.
    fn look(&mut self, marks: &Marks, strings: &Strings, survey: &mut Survey, rows: Range<usize>) {
        let Survey { by_id, processes, drivers } = survey;
        for mark in taken(marks, rows) {
            let at = self.reading(mark.text, strings);
            let reading = &self.readings[at];
            self.outcome.has_runtime |= reading.is_runtime;
            if !reading.has_tag && !reading.is_served {
                continue;
            }
            let process = marks.process.get(mark.row as usize).copied().unwrap_or_default();
            if reading.is_served {
                drivers.insert(process);
            }
            let Some(id) = marks.threads.get(mark.thread as usize).map(|thread| thread.id) else { continue };
            let threads = &mut self.outcome.threads;
            let at = *by_id.entry(id).or_insert_with(|| {
                threads.push(TrackedThread { id, row: mark.thread, is_driver: false });
                processes.push(process);
                threads.len() as u32 - 1
            });
            if let Some(last) = processes.get_mut(at as usize) {
                *last = process;
            }
        }
    }

    /// The end of the first pass.
    fn choose(&mut self, marks: &Marks, survey: Survey) {
        let Survey { by_id, processes, drivers } = survey;
        for (thread, process) in self.outcome.threads.iter_mut().zip(processes) {
            thread.is_driver = drivers.contains(&process);
        }
        for (thread, at) in marks.threads.iter().zip(&mut self.tracked) {
            *at = by_id.get(&thread.id).copied();
        }
        let threads = self.outcome.threads.iter();
        self.tracked_threads =
            threads.map(|thread| Tracked { is_driver: thread.is_driver, tracker: None }).collect();
    }

    /// Second pass: the rows of these threads.
    fn follow(&mut self, marks: &Marks, strings: &Strings, rows: Range<usize>) -> Result<(), Stop> {
        for Mark { row, thread, text, .. } in taken(marks, rows) {
            let at = self.reading(text, strings);
            let reading = &self.readings[at];
            let Some(tracked) = self.tracked.get(thread as usize).copied().flatten() else {
                if reading.is_wanted {
                    let id = marks.threads.get(thread as usize).map_or("", |thread| strings.get(thread.id));
                    let text = format!("Cannot find PID {id} in tracker_map");
                    return Err(stop(marks, refusal("AssertionError", &text), StopAt::Thread(row)));
                }
                continue;
            };
            if reading.is_overall {
                if self.starting_mark.is_some() {
                    self.finish(marks, strings)?;
                }
                self.starting_mark = Some(row);
            }
            let thread = &mut self.tracked_threads[tracked];
            let tracker =
                *thread.tracker.get_or_insert_with(|| self.trackers.push((tracked, Tracker::default())));
            let taken = TrackerRow {
                number: row,
                time: marks.seconds.get(row as usize).copied().unwrap_or_default(),
                reading: &self.readings[at],
                is_driver: thread.is_driver,
            };
            self.trackers[tracker]
                .1
                .take(&taken, &mut self.app_phase)
                .map_err(|refusal| stop(marks, refusal, StopAt::Row(row)))?;
        }
        Ok(())
    }

    /// The end of a run.
    fn finish(&mut self, marks: &Marks, strings: &Strings) -> Result<(), Stop> {
        let mut trackers = std::mem::take(&mut self.trackers).into_rows();
        for (thread, _) in &trackers {
            self.tracked_threads[*thread].tracker = None;
        }
        self.app_phase = App::default();
        sort_by_key(&mut trackers, |(thread, _)| *thread);
        let is_complete = trackers.iter().all(|(_, tracker)| tracker.is_complete());
        let threads = trackers.into_iter().map(|(thread, tracker)| ThreadRun::new(thread, tracker)).collect();
        let mut run = Run { starting_mark: self.starting_mark, threads, statistics: None };
        if is_complete {
            let words = Labels { marks, strings, codes: &self.outcome.codes };
            run.compute(&words, self.setting).map_err(|refusal| stop(marks, refusal, StopAt::Run))?;
        }
        self.outcome.runs.push(run);
        Ok(())
    }
}

/// The rows that the parser takes of some rows.
fn taken(marks: &Marks, rows: Range<usize>) -> impl Iterator<Item = Mark> + '_ {
    let is_classic = marks.is_classic.get(rows.clone()).unwrap_or_default();
    marks.rows(rows).zip(is_classic).filter(|(_, is_classic)| **is_classic).map(|(mark, _)| mark)
}

/// With the line of the row that is to blame.
fn stop(marks: &Marks, refusal: Refusal, at: StopAt) -> Stop {
    let line = match at {
        StopAt::Row(row) | StopAt::Thread(row) => marks.line.get(row as usize).copied().unwrap_or(0),
        _ => refusal.line,
    };
    Stop { refusal: Refusal { line, ..refusal }, at }
}

// One thread in one run, while its rows come in.

/// A scope of a function whose times are taken from begin and end, not from the tree.
#[derive(Clone, Copy, Debug)]
struct Timed {
    /// Row of `Marks` that began it.
    row: u32,
    /// When it began, in milliseconds.
    start: f64,
    /// When it ended, in milliseconds.
    end: f64,
}

/// What a thread did so far.
#[derive(Default)]
struct Tracker {
    tree: Tree,
    /// The innermost open node.
    current: u32,
    /// By application phase and function, in the order of the ends.
    timed: ByApp<[Vec<Timed>; FUNCTIONS.len()]>,
    /// Executions that the application itself marked, by application phase.
    n_own: ByApp<u32>,
}

/// One row as a tracker takes it.
struct TrackerRow<'a> {
    number: u32,
    /// In seconds.
    time: f64,
    reading: &'a Reading,
    is_driver: bool,
}

impl Tracker {
    /// Whether no scope is open.
    fn is_complete(&self) -> bool {
        self.current == ROOT
    }

    /// Takes in a row; `app_phase` is that of all threads.
    ///
    /// # Errors
    /// An end without a begin, or a mark that cannot be read.
    fn take(&mut self, row: &TrackerRow, app_phase: &mut App) -> Result<(), Refusal> {
        let reading = row.reading;
        if !reading.is_begin {
            return self.end(row.time);
        }
        if reading.is_switch {
            self.end(row.time)?;
            let none = (Code::NONE, Code::NONE);
            let node = Node::begun(row.number, row.time, none, *app_phase);
            self.current = self.tree.add(self.current, Node { origin: Origin::Placeholder, ..node });
        }
        let (of_application, of_driver, phase) = reading.scope.clone()?;
        let layer = if row.is_driver { of_driver } else { of_application };
        if layer == Code::layer(Layer::Application) {
            match phase.as_phase() {
                // Nothing ever ends a loop but the next loop and the next run.
                Some(Phase::Warmup) => *app_phase = App::Warmup,
                Some(Phase::Benchmark) => *app_phase = App::Benchmark,
                Some(Phase::Execution) => self.n_own[*app_phase] += 1,
                _ => {}
            }
        }
        let node = Node::begun(row.number, row.time, (layer, phase), *app_phase);
        let node = Node { is_subtract: reading.is_subtract, function: reading.function, ..node };
        self.current = self.tree.add(self.current, node);
        Ok(())
    }

    /// Ends the innermost open scope.
    fn end(&mut self, time: f64) -> Result<(), Refusal> {
        if self.current == ROOT {
            return Err(bad_end());
        }
        let node = self.tree.node_mut(self.current);
        node.end = time;
        self.current = node.parent;
        if node.origin == Origin::Placeholder {
            return Ok(());
        }
        if node.function == BAD_FUNCTION {
            return Err(bad_end());
        }
        if let Some(timed) = self.timed[node.app_phase].get_mut(usize::from(node.function)) {
            timed.push(Timed { row: node.row, start: node.start * 1000.0, end: node.end * 1000.0 });
        }
        Ok(())
    }
}

// Layers, phases and application phases as the AOSP parser has them: any text may stand in a mark, only some of it is known.

/// A layer or a phase: a row of [`Codes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(u32);

/// The known layers, at the numbers of their codes.
pub const LAYERS: [Layer; 8] = [
    Layer::Application,
    Layer::Runtime,
    Layer::Ipc,
    Layer::Driver,
    Layer::Cpu,
    Layer::Other,
    Layer::Utility,
    Layer::Ignored,
];

impl Code {
    /// Neither: the layer and the phase of a root, or a phase that nobody says.
    pub const NONE: Self = Self(u32::MAX);

    /// The code of a known layer.
    pub const fn layer(layer: Layer) -> Self {
        Self(layer as u32)
    }

    /// The code of a known phase.
    pub const fn phase(phase: Phase) -> Self {
        Self(LAYERS.len() as u32 + phase as u32)
    }

    /// The layer it stands for; `None` when it is no known layer.
    pub fn as_layer(self) -> Option<Layer> {
        LAYERS.get(self.0 as usize).copied()
    }

    /// The phase it stands for; `None` when it is no known phase.
    pub fn as_phase(self) -> Option<Phase> {
        Phase::ALL.get((self.0 as usize).wrapping_sub(LAYERS.len())).copied()
    }
}

/// The texts of all codes.
pub struct Codes {
    names: Vec<String>,
    by_name: Map<String, Code>,
}

impl Default for Codes {
    fn default() -> Self {
        let mut codes = Self { names: Vec::new(), by_name: Map::default() };
        for name in LAYERS.iter().map(|l| l.code()).chain(Phase::ALL.iter().map(|p| p.code())) {
            codes.code(name);
        }
        codes
    }
}

impl Codes {
    /// The code of a text, new or old.
    pub fn code(&mut self, name: &str) -> Code {
        if let Some(code) = self.by_name.get(name) {
            return *code;
        }
        let code = Code(self.names.len() as u32);
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), code);
        code
    }

    /// The text, such as `LR` or `PE`; `None`, as Python writes it, for no code.
    pub fn name(&self, code: Code) -> &str {
        self.names.get(code.0 as usize).map_or("None", String::as_str)
    }
}
