//! The rows of a lesson as an ftrace text, as a device would write it.

use super::{Event, Lesson, THREADS, Thread};
use std::fmt::Write;

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
        &THREADS[self.thread]
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
