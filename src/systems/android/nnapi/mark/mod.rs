//! Marks that instrumented threads wrote: begins and ends of scopes, row by row as in the file.
//!
//! ```text
//! row  seconds      thread  process  text
//!   0  100.000100        0  550      B|550|[NN_LR_PE]ANeuralNetworksExecution_compute
//!   1  100.000150        0  550      B|550|[SW][NN_LC_PCO]optimized_ops::Conv
//!   2  100.000910        0  550      E|550
//! ```
//!
//! Kept are the rows of threads that have to do with NNAPI (a mark with `[NN`, an interface of a neural network driver);
//! rows of all other threads are at most slices on tracks. What the rows mean is computed in `nnapi::aosp` and
//! `nnapi::corrected`.

pub mod label;

pub use label::{Label, label};

use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};
use serde::{Deserialize, Serialize};
use std::ops::{Index, IndexMut, Range};

/// The rows, in the order of the file (a protobuf trace: in the order of time), as columns of equal length.
#[derive(Default)]
pub struct Marks {
    /// When, in seconds: the decimal text of the row as the nearest double.
    pub seconds: Vec<f64>,
    /// When, in nanoseconds.
    pub time: Vec<Ticks>,
    /// Row of `threads`.
    pub thread: Vec<u32>,
    /// The process as the AOSP parser resolves it for this row (its section 2.3); empty where it sees no row or fails.
    pub process: Vec<StrId>,
    /// The mark, from `B` or `E` to the end of the line.
    pub text: Vec<StrId>,
    /// Line of the file, from 1; 0 where there are no lines.
    pub line: Vec<u32>,
    /// Where the line begins in its entry.
    pub start: Vec<u64>,
    /// Bytes of the line, without its end.
    pub len: Vec<u32>,
    /// Whether the AOSP parser takes the row too.
    pub is_classic: Vec<bool>,
    /// The threads, in the order of their first row.
    pub threads: Vec<MarkThread>,
    /// What ends the AOSP parser while it still collects rows; `None` when it gets through.
    pub refusal: Option<Refusal>,
    /// Whether the runtime wrote marks.
    pub has_runtime: bool,
    /// Number of the entry of the bundle that the rows lie in.
    pub entry: u32,
    /// The last time of any row of the file, NNAPI or not: where scopes that never end are closed.
    pub end: Ticks,
}

/// One row, without what only the AOSP parser needs.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// Its row of [`Marks`].
    pub row: u32,
    /// Row of `threads`.
    pub thread: u32,
    /// When, in nanoseconds.
    pub time: Ticks,
    /// The mark.
    pub text: StrId,
}

/// A thread that has to do with NNAPI.
#[derive(Clone, Copy, Debug)]
pub struct MarkThread {
    /// Its number, as it is written in the rows.
    pub id: StrId,
    /// Its name, the last one seen.
    pub name: StrId,
    /// Number of its process, as far as it is known; empty when it is not.
    pub process: StrId,
    /// Name of its process; empty when the file does not say.
    pub process_name: StrId,
    /// Where its slices lie; `None` when there were too many tracks.
    pub track: Option<TrackId>,
}

/// How the AOSP parser ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The class of the exception, such as `AssertionError`.
    pub kind: String,
    /// Its text; may be empty.
    pub text: String,
    /// Line of the file, from 1; 0 when none is to blame.
    pub line: u32,
}

impl Refusal {
    /// As Python prints it: `KeyError: '591'`, or the class alone.
    pub fn words(&self) -> String {
        if self.text.is_empty() { self.kind.clone() } else { format!("{}: {}", self.kind, self.text) }
    }
}

/// The marks of traces that have none.
static NONE: Marks = Marks::new();

/// Nanoseconds that marks of one recording lie apart at most: a hundred days.
const FARTHEST: Ticks = 1 << 53;

impl Marks {
    /// The marks of a trace.
    pub fn of(trace: &Trace) -> &Self {
        trace.extensions.get().unwrap_or(&NONE)
    }

    /// The marks of a trace, to be added to.
    pub fn of_mut(trace: &mut Trace) -> &mut Self {
        trace.extensions.get_or_default()
    }

    /// No rows.
    pub const fn new() -> Self {
        Self {
            seconds: Vec::new(),
            time: Vec::new(),
            thread: Vec::new(),
            process: Vec::new(),
            text: Vec::new(),
            line: Vec::new(),
            start: Vec::new(),
            len: Vec::new(),
            is_classic: Vec::new(),
            threads: Vec::new(),
            refusal: None,
            has_runtime: false,
            entry: 0,
            end: 0,
        }
    }

    /// Times of damaged rows, months away from the others, are moved to [`FARTHEST`] from the one in the middle: sums of
    /// lengths stay numbers. Call once all rows are there.
    pub fn bound(&mut self) {
        let ends = self.time.iter().chain([&self.end]);
        let span = ends.map(|&time| Span { start: time, end: time }).reduce(Span::union).unwrap_or_default();
        if span.dur() <= FARTHEST {
            return;
        }
        let mut times = self.time.clone();
        order::sort(&mut times);
        let Some(middle) = times.get(times.len() / 2) else { return };
        let (first, last) = (middle.saturating_sub(FARTHEST), middle.saturating_add(FARTHEST));
        self.time.iter_mut().chain([&mut self.end]).for_each(|time| *time = (*time).clamp(first, last));
    }

    /// Some of the rows.
    pub fn rows(&self, rows: Range<usize>) -> impl Iterator<Item = Mark> + '_ {
        let times = self.time.get(rows.clone()).unwrap_or_default().iter();
        let threads = self.thread.get(rows.clone()).unwrap_or_default();
        let texts = self.text.get(rows.clone()).unwrap_or_default();
        let rows = (rows.start as u32..).zip(threads).zip(times).zip(texts);
        rows.map(|(((row, &thread), &time), &text)| Mark { row, thread, time, text })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

// How a scope of the NNAPI contract is drawn, as the color name of its slice: `LR PE`, `LR PE sub`, `LC PCO detail`.

/// What decides how a scope is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tint {
    /// Decides the color.
    pub layer: Layer,
    /// Decides how bright it is.
    pub phase: Phase,
    /// How it counts.
    pub part: Part,
}

/// How a scope counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// By itself.
    #[default]
    Counted,
    /// Its time is taken from the scopes around it: hatched.
    Subtracted,
    /// It only details the scope around it, of the same layer: thin.
    Detail,
}

impl Tint {
    /// The color name.
    pub fn name(self) -> String {
        let part = match self.part {
            Part::Counted => "",
            Part::Subtracted => " sub",
            Part::Detail => " detail",
        };
        format!("{} {}{part}", self.layer.code(), self.phase.code())
    }

    /// What a color name says; `None` for color names of others.
    pub fn of(name: &str) -> Option<Self> {
        let mut words = name.split(' ');
        let layer = Layer::of(words.next()?)?;
        let phase = Phase::of(words.next()?)?;
        let part = match words.next() {
            None => Part::Counted,
            Some("sub") => Part::Subtracted,
            Some("detail") => Part::Detail,
            Some(_) => return None,
        };
        Some(Self { layer, phase, part })
    }
}

impl Layer {
    /// The token of its color.
    pub fn token(self) -> &'static str {
        match self {
            Self::Application => "nn-la",
            Self::Runtime => "nn-lr",
            Self::Ipc => "nn-li",
            Self::Driver => "nn-ld",
            Self::Cpu => "nn-lc",
            Self::Other | Self::Utility | Self::Ignored => "nn-other",
        }
    }

    /// The same color in the palette of slices.
    pub fn color(self) -> u8 {
        match self {
            Self::Application => 4,
            Self::Runtime => 1,
            Self::Ipc => 2,
            Self::Driver => 3,
            Self::Cpu => 8,
            Self::Other | Self::Utility | Self::Ignored => 9,
        }
    }
}

impl Phase {
    /// How much of the ground is in the color of a layer here, in percent: what lasts long and holds others is pale,
    /// computing is full.
    pub fn shade(self) -> u8 {
        match self {
            Self::Overall => 72,
            Self::Warmup => 64,
            Self::Benchmark => 56,
            Self::Initialization | Self::Termination | Self::Unspecified => 45,
            Self::Preparation => 38,
            Self::InputsOutputs | Self::Results => 36,
            Self::Compilation => 28,
            Self::Transformation => 24,
            Self::Execution => 14,
            Self::Computation => 0,
        }
    }
}

// Layers and phases of the NNAPI contract: who may call whom, and which phase may stand inside which.

/// Who did the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Layer {
    /// `LA`: the application.
    Application,
    /// `LR`: the NNAPI runtime.
    Runtime,
    /// `LI`: calls between processes.
    Ipc,
    /// `LD`: the driver.
    Driver,
    /// `LC`: the CPU fallback of the runtime.
    Cpu,
    /// `LO`: something else.
    Other,
    /// `LU`: code that several layers use.
    Utility,
    /// `LX`: nothing of NNAPI; no mark says it, readers do.
    #[default]
    Ignored,
}

/// What the work was for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Phase {
    /// `PO`: all of a benchmark or application.
    Overall,
    /// `PWU`: the loop of executions that warms up.
    Warmup,
    /// `PBM`: the loop of executions that is measured.
    Benchmark,
    /// `PI`: one-time initialization.
    Initialization,
    /// `PP`: the model is built.
    Preparation,
    /// `PC`: the model is compiled.
    Compilation,
    /// `PE`: an execution.
    Execution,
    /// `PT`: everything is given back.
    Termination,
    /// `PU`: that of whoever called.
    #[default]
    Unspecified,
    /// `PIO`: inputs and outputs of an execution are set.
    InputsOutputs,
    /// `PTR`: data changes its form.
    Transformation,
    /// `PCO`: computing.
    Computation,
    /// `PR`: results are handed back.
    Results,
}

impl Layer {
    /// The layers with times of their own, from the top down.
    pub const REPORTED: [Self; 5] = [Self::Application, Self::Runtime, Self::Ipc, Self::Driver, Self::Cpu];

    /// This layer's of what is kept for each of [`Self::REPORTED`]; `None` for the others.
    pub fn of_each<T>(self, each: [T; 5]) -> Option<T> {
        let [application, runtime, ipc, driver, cpu] = each;
        match self {
            Self::Application => Some(application),
            Self::Runtime => Some(runtime),
            Self::Ipc => Some(ipc),
            Self::Driver => Some(driver),
            Self::Cpu => Some(cpu),
            Self::Other | Self::Utility | Self::Ignored => None,
        }
    }

    /// Its place among [`Self::REPORTED`].
    pub fn place(self) -> Option<usize> {
        self.of_each([0, 1, 2, 3, 4])
    }

    /// Its letters in a mark, such as `LR`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Application => "LA",
            Self::Runtime => "LR",
            Self::Ipc => "LI",
            Self::Driver => "LD",
            Self::Cpu => "LC",
            Self::Other => "LO",
            Self::Utility => "LU",
            Self::Ignored => "LX",
        }
    }

    /// What a person calls it, in English.
    pub fn title(self) -> &'static str {
        match self {
            Self::Application => phrase("Application"),
            Self::Runtime => phrase("Runtime"),
            Self::Ipc => phrase("IPC"),
            Self::Driver => phrase("Driver"),
            Self::Cpu => phrase("CPU"),
            Self::Other => phrase("Other"),
            Self::Utility => phrase("Utility"),
            Self::Ignored => phrase("Foreign"),
        }
    }

    /// The layer of these letters.
    pub fn of(code: &str) -> Option<Self> {
        let all = [Self::Other, Self::Utility, Self::Ignored];
        Self::REPORTED.into_iter().chain(all).find(|layer| layer.code() == code)
    }

    /// Whether it may call the other directly.
    pub fn may_call(self, other: Self) -> bool {
        match self {
            Self::Application => other == Self::Runtime,
            Self::Runtime => matches!(other, Self::Ipc | Self::Cpu),
            Self::Ipc => other == Self::Driver,
            _ => false,
        }
    }
}

impl Phase {
    /// All phases.
    pub const ALL: [Self; 13] = [
        Self::Overall,
        Self::Warmup,
        Self::Benchmark,
        Self::Initialization,
        Self::Preparation,
        Self::Compilation,
        Self::Execution,
        Self::Termination,
        Self::Unspecified,
        Self::InputsOutputs,
        Self::Transformation,
        Self::Computation,
        Self::Results,
    ];

    /// Its letters in a mark, such as `PCO`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Overall => "PO",
            Self::Warmup => "PWU",
            Self::Benchmark => "PBM",
            Self::Initialization => "PI",
            Self::Preparation => "PP",
            Self::Compilation => "PC",
            Self::Execution => "PE",
            Self::Termination => "PT",
            Self::Unspecified => "PU",
            Self::InputsOutputs => "PIO",
            Self::Transformation => "PTR",
            Self::Computation => "PCO",
            Self::Results => "PR",
        }
    }

    /// What a person calls it, in English.
    pub fn title(self) -> &'static str {
        match self {
            Self::Overall => phrase("Overall"),
            Self::Warmup => phrase("Warmup"),
            Self::Benchmark => phrase("Benchmark"),
            Self::Initialization => phrase("Initialization"),
            Self::Preparation => phrase("Preparation"),
            Self::Compilation => phrase("Compilation"),
            Self::Execution => phrase("Execution"),
            Self::Termination => phrase("Termination"),
            Self::Unspecified => phrase("Unspecified"),
            Self::InputsOutputs => phrase("Inputs and outputs"),
            Self::Transformation => phrase("Transformation"),
            Self::Computation => phrase("Computation"),
            Self::Results => phrase("Results"),
        }
    }

    /// The phase of these letters.
    pub fn of(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.code() == code)
    }

    /// Whether it is a part of an execution.
    pub fn is_part_of_execution(self) -> bool {
        matches!(self, Self::InputsOutputs | Self::Transformation | Self::Computation | Self::Results)
    }

    /// Whether the other may stand directly inside.
    pub fn may_contain(self, other: Self) -> bool {
        match self {
            Self::Execution => other.is_part_of_execution(),
            Self::Overall => matches!(
                other,
                Self::Warmup
                    | Self::Benchmark
                    | Self::Initialization
                    | Self::Preparation
                    | Self::Compilation
                    | Self::Execution
                    | Self::Termination
            ),
            Self::Warmup | Self::Benchmark => other == Self::Execution,
            _ => false,
        }
    }
}

/// What the application was doing: an application phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum App {
    /// Neither of the two loops: `PO`.
    #[default]
    #[serde(rename = "PO")]
    Overall,
    /// The loop that warms up: `PWU`.
    #[serde(rename = "PWU")]
    Warmup,
    /// The loop that is measured: `PBM`.
    #[serde(rename = "PBM")]
    Benchmark,
}

impl App {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Overall, Self::Warmup, Self::Benchmark];

    /// The loop that counts: the measured one, else what is outside of loops, else the one that warms up.
    pub fn steady(has: impl Fn(Self) -> bool) -> Self {
        [Self::Benchmark, Self::Overall].into_iter().find(|app| has(*app)).unwrap_or(Self::Warmup)
    }

    /// Its letters.
    pub fn code(self) -> &'static str {
        self.phase().code()
    }

    /// The phase that its scope has.
    pub fn phase(self) -> Phase {
        match self {
            Self::Overall => Phase::Overall,
            Self::Warmup => Phase::Warmup,
            Self::Benchmark => Phase::Benchmark,
        }
    }

    /// The loop of a scope of this layer and phase; `None` when it is no loop.
    pub fn of_loop(layer: Layer, phase: Phase) -> Option<Self> {
        match (layer, phase) {
            (Layer::Application, Phase::Warmup) => Some(Self::Warmup),
            (Layer::Application, Phase::Benchmark) => Some(Self::Benchmark),
            _ => None,
        }
    }
}

/// One of each application phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByApp<T>(pub [T; 3]);

impl<T> Index<App> for ByApp<T> {
    type Output = T;

    fn index(&self, app: App) -> &T {
        let [overall, warmup, benchmark] = &self.0;
        match app {
            App::Overall => overall,
            App::Warmup => warmup,
            App::Benchmark => benchmark,
        }
    }
}

impl<T> IndexMut<App> for ByApp<T> {
    fn index_mut(&mut self, app: App) -> &mut T {
        let [overall, warmup, benchmark] = &mut self.0;
        match app {
            App::Overall => overall,
            App::Warmup => warmup,
            App::Benchmark => benchmark,
        }
    }
}
