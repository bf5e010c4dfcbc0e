//! Which process does what: clients have marks of the application or of the runtime, drivers serve.

use super::text::{Call, Row, Texts};
use crate::base::map::Map;
use crate::model::strings::Strings;
use crate::systems::android::nnapi::mark::{Layer, Marks};
use std::ops::Range;

/// What is known of one process.
#[derive(Clone, Copy, Default)]
pub(super) struct Process {
    /// It has marks of the application or of the runtime.
    pub(super) is_client: bool,
    /// It serves an interface of a driver of neural networks.
    pub(super) is_server: bool,
    /// It has marks of a driver.
    pub(super) has_driver_marks: bool,
    /// It computes through the runtime's interface, so that executions need no guess.
    pub(super) has_executions: bool,
    /// The AOSP parser takes it for a driver.
    pub(super) is_driver_for_aosp: bool,
}

impl Process {
    /// Whether all that it does is a driver's work (the CPU code of a sample driver too).
    pub(super) fn is_driver(self) -> bool {
        !self.is_client && (self.is_server || self.has_driver_marks)
    }
}

/// The processes.
#[derive(Default)]
pub(super) struct Roles {
    /// Row of `processes`, for each thread.
    pub(super) process: Vec<u32>,
    /// What each process does.
    pub(super) processes: Vec<Process>,
    /// Whether the AOSP parser looks at a thread.
    pub(super) is_tracked: Vec<bool>,
}

impl Roles {
    /// Which thread is of which process. Costs a glance at every row.
    pub(super) fn of(marks: &Marks, strings: &Strings) -> Self {
        let is_tracked = vec![false; marks.threads.len()];
        let mut roles = Self { process: Vec::new(), processes: Vec::new(), is_tracked };
        let mut numbers: Map<&str, u32> = Map::default();
        let mut hints = vec![""; marks.threads.len()];
        for (row, &thread) in marks.thread.iter().enumerate() {
            if let Some(hint) = hints.get_mut(thread as usize).filter(|hint| hint.is_empty()) {
                *hint = strings.get(marks.text[row]).split('|').nth(1).map_or("", str::trim);
            }
        }
        for (thread, hint) in marks.threads.iter().zip(hints) {
            let known = [strings.get(thread.process), hint, strings.get(thread.id)];
            let name =
                known.into_iter().find(|name| name.contains(|c: char| c.is_ascii_digit())).unwrap_or("");
            let next = numbers.len() as u32;
            let process = *numbers.entry(name).or_insert(next);
            roles.process.push(process);
            if process == next {
                roles.processes.push(Process::default());
            }
        }
        roles
    }

    /// Looks at some rows; each is to be looked at once.
    pub(super) fn look(&mut self, marks: &Marks, strings: &Strings, texts: &mut Texts, rows: Range<usize>) {
        let roles = self;
        for (row, &text) in marks.text.iter().enumerate().take(rows.end).skip(rows.start) {
            let Row::Begin(meaning) = texts.row(text, strings) else { continue };
            let thread = marks.thread.get(row).map_or(usize::MAX, |&t| t as usize);
            let Some(&process) = roles.process.get(thread) else { continue };
            let (process, meaning) =
                (&mut roles.processes[process as usize], &texts.meanings[meaning as usize]);
            roles.is_tracked[thread] |= meaning.aosp.is_nnapi || meaning.aosp.is_driver_row;
            process.is_driver_for_aosp |= meaning.aosp.is_driver_row;
            let Some((layer, _)) = meaning.scope else { continue };
            process.is_client |= matches!(layer, Layer::Application | Layer::Runtime);
            process.is_server |= meaning.is_driver_row;
            process.has_driver_marks |= layer == Layer::Driver && meaning.call == Call::Plain;
            process.has_executions |= matches!(meaning.call, Call::Compute(_) | Call::Start(_));
        }
    }

    /// The process of a thread.
    pub(super) fn of_thread(&self, thread: usize) -> Process {
        self.processes[self.process[thread] as usize]
    }
}
