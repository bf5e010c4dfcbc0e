//! The NNAPI contract by examples: small programs, the rows they write, and the times that follow.
//!
//! ```text
//! program                                  rows                              times
//! void loadModel() {
//!     NNTRACE(LR, PP, "loadModel");        t0  B|500|[NN_LR_PP]loadModel     LR PP  t1 − t0
//!     readOperands();
//! }                                        t1  E|500
//! ```
//!
//! Events are named by their number: the first of a lesson is `t0`. All times are whole milliseconds, so that they can
//! be followed by hand. What is written for people is English and stands in `base::words`.

mod between;

use super::mark::{Label, Layer, Part, Phase, Tint, label};
use crate::base::words::phrase;
use crate::systems::android::nnapi::mark::Layer::Runtime;
use crate::systems::android::nnapi::mark::Phase::{Compilation, Initialization, Preparation};
use std::fmt::Write;

/// One example of the contract.
#[derive(Debug)]
pub struct Lesson {
    /// Its name in addresses and files.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What there is to know of it, a paragraph each.
    pub text: &'static [&'static str],
    /// Lines of the program, in pseudo code.
    pub program: &'static [&'static str],
    /// Begins and ends of scopes, in the order of time.
    pub events: &'static [Event],
    /// All times that follow, except sums over phases.
    pub sums: &'static [Sum],
}

/// A scope begins or ends.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// When, in milliseconds after the first possible moment.
    pub at: u32,
    /// Row of [`THREADS`].
    pub thread: usize,
    /// The line of the program that does it, from 0.
    pub line: usize,
    /// What a begin is marked with, such as `[NN_LR_PP]loadModel`; `None` for an end.
    pub mark: Option<&'static str>,
}

/// The time of a layer in a phase.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// Who.
    pub layer: Layer,
    /// What for.
    pub phase: Phase,
    /// With the layers that were called.
    pub total: Time,
    /// Without them.
    pub own: Time,
}

/// A time and how it is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// Such as `(t3 − t0) − (t2 − t1)`, of events by their numbers.
    pub formula: &'static str,
    /// What comes out, in milliseconds.
    pub ms: u32,
}

/// A thread of the examples.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    pub title: &'static str,
    pub name: &'static str,
    pub id: u32,
    pub process: u32,
}

/// The thread of the application.
const APP: usize = 0;
/// A thread of the runtime, in the process of the application.
const RUNTIME: usize = 1;
/// The thread of the driver that takes calls.
const DRIVER: usize = 2;
/// A thread of the driver that works.
const WORKER: usize = 3;

/// All threads of the examples, in the order in which they are drawn.
pub static THREADS: [Thread; 4] = [
    Thread { title: phrase("Application"), name: "demo", id: 500, process: 500 },
    Thread { title: phrase("Runtime"), name: "demo pool", id: 501, process: 500 },
    Thread { title: phrase("Driver"), name: "driver", id: 700, process: 700 },
    Thread { title: phrase("Driver worker"), name: "driver pool", id: 701, process: 700 },
];

/// All examples, in the order of reading.
pub static LESSONS: [&Lesson; 11] = [
    &BASELINE,
    &between::LOCAL_CALL,
    &SWITCH,
    &between::SUBPHASES,
    &DETAIL,
    &between::SYNCHRONOUS,
    &between::WAITED_FOR,
    &SUBTRACTION,
    &INITIALIZATION,
    &between::UTILITY,
    &between::EXECUTION,
];

impl Lesson {
    /// The lesson of an id.
    pub fn of_id(id: &str) -> Option<&'static Self> {
        LESSONS.into_iter().find(|lesson| lesson.id == id)
    }

    /// The name of the file with its rows.
    pub fn file_name(&self) -> String {
        format!("{}.ftrace.txt", self.id)
    }
}

/// A scope begins.
const fn begin(at: u32, thread: usize, line: usize, mark: &'static str) -> Event {
    Event { at, thread, line, mark: Some(mark) }
}

/// The innermost scope of the thread ends.
const fn end(at: u32, thread: usize, line: usize) -> Event {
    Event { at, thread, line, mark: None }
}

/// A time that is the same with and without what was called.
const fn whole(layer: Layer, phase: Phase, formula: &'static str, ms: u32) -> Sum {
    parted(layer, phase, (formula, ms), (formula, ms))
}

/// A time, and what is left of it without what was called.
const fn parted(layer: Layer, phase: Phase, total: (&'static str, u32), own: (&'static str, u32)) -> Sum {
    let (total, own) = (Time { formula: total.0, ms: total.1 }, Time { formula: own.0, ms: own.1 });
    Sum { layer, phase, total, own }
}

// The rows of a lesson as an ftrace text, as a device would write it.

/// The second of the clock that the first moment of all lessons is in.
const SECOND: u32 = 100;

/// What stands above the rows of every ftrace text.
const HEAD: &str = "\
# tracer: nop
#
#                                      _-----=> irqs-off
#                                     / _----=> need-resched
#                                    | / _---=> hardirq/softirq
#                                    || / _--=> preempt-depth
#                                    ||| /     delay
#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION
#              | |        |      |   ||||       |         |
";

impl Event {
    /// Whose row it is.
    pub fn thread(&self) -> &'static Thread {
        let [app, runtime, driver, worker] = &THREADS;
        match self.thread {
            APP => app,
            RUNTIME => runtime,
            DRIVER => driver,
            _ => worker,
        }
    }

    /// When, as rows say it: seconds with six decimals.
    pub fn stamp(&self) -> String {
        format!("{}.{:03}000", SECOND + self.at / 1000, self.at % 1000)
    }

    /// The mark with its process: `B|500|[NN_LR_PP]loadModel` or `E|500`.
    pub fn marked(&self) -> String {
        let process = self.thread().process;
        self.mark.map_or_else(|| format!("E|{process}"), |mark| format!("B|{process}|{mark}"))
    }
}

impl Lesson {
    /// A whole file, with the head of rows with processes.
    pub fn trace(&self) -> String {
        let mut text = String::from(HEAD);
        for event in self.events {
            let thread = event.thread();
            // Writing into a text cannot fail.
            let _ = writeln!(
                text,
                "{:>16}-{:<5} ({:>5}) [{:03}] ...1 {:>12}: tracing_mark_write: {}",
                thread.name,
                thread.id,
                thread.process,
                event.thread,
                event.stamp(),
                event.marked(),
            );
        }
        text
    }
}

// The scopes of a lesson, as they are drawn: lanes of threads, depth, color, and what counts nowhere.

/// One scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Row of [`THREADS`].
    pub thread: usize,
    /// How deep it lies, from 0.
    pub depth: usize,
    /// Number of the event that begins it.
    pub begin: usize,
    /// Number of the event that ends it, or switches from it.
    pub end: usize,
    /// Function or call.
    pub name: &'static str,
    /// How it is drawn; `None` for what has no layer.
    pub tint: Option<Tint>,
    /// The events between which it is still open and counts nowhere, after a switch.
    pub rest: Option<Slot>,
}

/// A stretch between two events, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Where it begins.
    pub begin: usize,
    /// Where it ends.
    pub end: usize,
}

/// What is drawn of a lesson.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// All scopes, in the order of their begins.
    pub scopes: Vec<Scope>,
    /// The scope of each event.
    pub of_event: Vec<usize>,
}

/// A scope that is open while events are gone through.
struct Open {
    scope: usize,
    /// Where the scope ended that it was switched to.
    left: Option<usize>,
    is_switch: bool,
}

impl Lesson {
    /// Its scopes. Costs its events.
    pub fn drawn(&self) -> Drawn {
        let mut drawn = Drawn::default();
        let mut threads: [Vec<Open>; 4] = Default::default();
        for (at, event) in self.events.iter().enumerate() {
            let Some(open) = threads.get_mut(event.thread) else { continue };
            let scope = match event.mark {
                Some(mark) => scope_begin(&mut drawn, open, at, event, mark),
                None => finish(&mut drawn, open, at),
            };
            drawn.of_event.push(scope);
        }
        drawn
    }
}

fn scope_begin(
    drawn: &mut Drawn,
    open: &mut Vec<Open>,
    at: usize,
    event: &Event,
    mark: &'static str,
) -> usize {
    let said = label(mark);
    let scope = drawn.scopes.len();
    if said.is_switch
        && let Some(around) = open.last().and_then(|open| drawn.scopes.get_mut(open.scope))
    {
        around.end = at;
    }
    // What is switched to lies beside what was left, in the scope around both.
    let around = open.iter().rev().nth(usize::from(said.is_switch));
    let around = around.and_then(|open| drawn.scopes.get(open.scope));
    let tint = tint(&said, around.and_then(|scope| scope.tint));
    let depth = around.map_or(0, |scope| scope.depth + 1);
    let new = Scope { thread: event.thread, depth, begin: at, end: at, name: said.name, tint, rest: None };
    drawn.scopes.push(new);
    open.push(Open { scope, left: None, is_switch: said.is_switch });
    scope
}

fn finish(drawn: &mut Drawn, open: &mut Vec<Open>, at: usize) -> usize {
    let Some(ended) = open.pop() else { return 0 }; // tests hold that every end has its begin
    let Some(scope) = drawn.scopes.get_mut(ended.scope) else { return 0 };
    match ended.left {
        Some(begin) => scope.rest = Some(Slot { begin, end: at }),
        None => scope.end = at,
    }
    if ended.is_switch
        && let Some(around) = open.last_mut()
    {
        around.left = Some(at);
    }
    ended.scope
}

/// How a scope counts inside the one around it.
fn tint(said: &Label<'_>, around: Option<Tint>) -> Option<Tint> {
    let (layer, phase) = said.scope?;
    let phase = around.filter(|_| phase == Phase::Unspecified).map_or(phase, |around| around.phase);
    let part = match around {
        _ if said.is_subtract => Part::Subtracted,
        Some(around) if phase == Phase::Initialization && around.phase != phase => Part::Subtracted,
        Some(around)
            if around.layer == layer && layer != Layer::Utility && !around.phase.may_contain(phase) =>
        {
            Part::Detail
        }
        _ => Part::Counted,
    };
    Some(Tint { layer, phase, part })
}

// Lessons that stay within one layer.

static BASELINE: Lesson = Lesson {
    id: "baseline",
    title: phrase("The basic case"),
    text: &[
        phrase("A scope starts at the macro and ends with the enclosing block."),
        phrase(
            "Its mark names the layer, here LR (runtime), the phase, here PP (preparation), and a function.",
        ),
        phrase("The time from start to end counts for this layer and phase."),
    ],
    program: &[
        "void loadModel() {",
        "    NNTRACE(LR, PP, \"loadModel\");",
        "    readOperands();",
        "    readOperations();",
        "}",
    ],
    events: &[begin(0, APP, 1, "[NN_LR_PP]loadModel"), end(8, APP, 4)],
    sums: &[whole(Runtime, Preparation, "t1 − t0", 8)],
};

static SWITCH: Lesson = Lesson {
    id: "switch",
    title: phrase("Phase switch"),
    text: &[
        phrase(
            "A function that moves on to another phase marks its second part with [SW]: the current scope ends there and a new one starts.",
        ),
        phrase("After the new scope ends, the rest of the function is not counted."),
        phrase("CPU operators do this: they first transform data (PTR), then switch to computing (PCO)."),
    ],
    program: &[
        "void finishModel() {",
        "    NNTRACE(LR, PP, \"finishModel\");",
        "    checkOperands();",
        "    {",
        "        NNTRACE_SWITCH(LR, PC, \"finishModel\");",
        "        planSteps();",
        "    }",
        "    logFinished();",
        "}",
    ],
    events: &[
        begin(0, APP, 1, "[NN_LR_PP]finishModel"),
        begin(4, APP, 4, "[SW][NN_LR_PC]finishModel"),
        end(10, APP, 6),
        end(12, APP, 8),
    ],
    sums: &[whole(Runtime, Preparation, "t1 − t0", 4), whole(Runtime, Compilation, "t2 − t1", 6)],
};

static DETAIL: Lesson = Lesson {
    id: "detail",
    title: phrase("Additional detail in the same layer"),
    text: &[
        phrase("Outside an execution, a scope nested in the same layer counts only as a detail."),
        phrase("It is drawn thin and not counted, so no time counts twice."),
        phrase(
            "This also holds for another phase: to attribute its time there, it must be switched or subtracted.",
        ),
    ],
    program: &[
        "void compile() {",
        "    NNTRACE(LR, PC, \"compile\");",
        "    readPreferences();",
        "    planSteps();",
        "}",
        "void planSteps() {",
        "    NNTRACE(LR, PC, \"planSteps\");",
        "    compareDrivers();",
        "}",
    ],
    events: &[
        begin(0, APP, 1, "[NN_LR_PC]compile"),
        begin(3, APP, 6, "[NN_LR_PC]planSteps"),
        end(10, APP, 8),
        end(12, APP, 4),
    ],
    sums: &[whole(Runtime, Compilation, "t3 − t0", 12)],
};

static SUBTRACTION: Lesson = Lesson {
    id: "subtraction",
    title: phrase("Subtraction"),
    text: &[
        phrase(
            "A part that belongs to another phase, or to a higher layer, is marked with [SUB]; it is drawn hatched.",
        ),
        phrase("Its time is subtracted from the enclosing scope and counts for its own layer and phase."),
        phrase("Without [SUB] it would be a detail of the preparation and not counted."),
        phrase(
            "The runtime marks its own work inside IPC like this. If a runtime scope encloses that IPC, the AOSP parser counts the part twice, the corrected numbers once.",
        ),
    ],
    program: &[
        "void loadModel() {",
        "    NNTRACE(LR, PP, \"loadModel\");",
        "    readOperands();",
        "    {",
        "        NNTRACE_SUBTRACT(LR, PC, \"compileAhead\");",
        "        planSteps();",
        "    }",
        "    readOperations();",
        "}",
    ],
    events: &[
        begin(0, APP, 1, "[NN_LR_PP]loadModel"),
        begin(5, APP, 4, "[SUB][NN_LR_PC]compileAhead"),
        end(11, APP, 6),
        end(20, APP, 8),
    ],
    sums: &[
        whole(Runtime, Preparation, "(t3 − t0) − (t2 − t1)", 14),
        whole(Runtime, Compilation, "t2 − t1", 6),
    ],
};

static INITIALIZATION: Lesson = Lesson {
    id: "initialization",
    title: phrase("One-time initialization"),
    text: &[
        phrase("One-time work, such as finding drivers, happens in whichever call comes first."),
        phrase(
            "So a PI scope needs no [SUB]: its time is always subtracted from the enclosing scope of another phase.",
        ),
        phrase("Times per execution or per model stay comparable, whether it comes first or not."),
    ],
    program: &[
        "void loadModel() {",
        "    NNTRACE(LR, PP, \"loadModel\");",
        "    Drivers& drivers = allDrivers();",
        "    readOperands(drivers);",
        "}",
        "Drivers& allDrivers() {",
        "    static Drivers found = findDrivers();",
        "    return found;",
        "}",
        "Drivers findDrivers() {",
        "    NNTRACE(LR, PI, \"findDrivers\");",
        "    return askServices();",
        "}",
    ],
    events: &[
        begin(0, APP, 1, "[NN_LR_PP]loadModel"),
        begin(2, APP, 10, "[NN_LR_PI]findDrivers"),
        end(7, APP, 12),
        end(12, APP, 4),
    ],
    sums: &[
        whole(Runtime, Initialization, "t2 − t1", 5),
        whole(Runtime, Preparation, "(t3 − t0) − (t2 − t1)", 7),
    ],
};
