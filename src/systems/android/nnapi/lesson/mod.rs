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
mod scope;
mod trace;
mod within;

pub use scope::{Drawn, Scope, Slot};

use super::mark::{Layer, Phase};
use crate::base::words::phrase;

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
    /// What it is for.
    pub title: &'static str,
    /// Its name in the rows.
    pub name: &'static str,
    /// Its number.
    pub id: u32,
    /// Number of its process.
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
    Thread { title: phrase("Driver's worker"), name: "driver pool", id: 701, process: 700 },
];

/// All examples, in the order of reading.
pub static LESSONS: [&Lesson; 11] = [
    &within::BASELINE,
    &between::LOCAL_CALL,
    &within::SWITCH,
    &between::SUBPHASES,
    &within::DETAIL,
    &between::SYNCHRONOUS,
    &between::WAITED_FOR,
    &within::SUBTRACTION,
    &within::INITIALIZATION,
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
