//! What a reader writes into: the trace, the faults, the progress.

use crate::base::fault::{Fault, Severity};
use crate::base::map::Map;
use crate::input::limits;
use crate::model::access::Access;
use crate::model::build::TraceBuilder;
use crate::model::build::tap::Tap;

/// Collects what readers find.
#[derive(Default)]
pub struct Sink {
    /// The trace as far as it was read.
    pub builder: TraceBuilder,
    /// What is wrong.
    pub faults: Faults,
    /// What is being done, for the progress line; an English phrase of `base::words`.
    pub step: &'static str,
    /// Whether several claims go into this trace: tracks then stand in a group for each file.
    pub is_shared: bool,
    taps: Vec<(&'static str, Box<dyn Tap>)>,
}

impl Sink {
    /// Lets these listen to rows from now on, each with the id of its analysis.
    pub fn set_taps(&mut self, taps: Vec<(&'static str, Box<dyn Tap>)>) {
        self.taps = taps;
    }

    /// Hands out the listeners with what they collected.
    pub fn take_taps(&mut self) -> Vec<(&'static str, Box<dyn Tap>)> {
        std::mem::take(&mut self.taps)
    }

    /// Says a fault.
    pub fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// Says several faults.
    pub fn faults_of(&mut self, faults: Vec<Fault>) {
        for fault in faults {
            self.faults.push(fault);
        }
    }

    /// Adds a memory access: to the listeners, and to the trace unless `is_kept` is false. Says whether the trace had
    /// room for it.
    pub fn access(&mut self, row: Access, is_kept: bool) -> bool {
        for (_, tap) in &mut self.taps {
            tap.access(&row);
        }
        !is_kept || self.builder.access(row)
    }
}

/// Faults in the order they were found; many of one kind are folded.
#[derive(Default)]
pub struct Faults {
    rows: Vec<Fault>,
    of_a_kind: Map<(String, String), (usize, usize)>,
    counts: [u64; 4],
}

impl Faults {
    /// Adds a fault, or folds it into the last of its code and entry.
    pub fn push(&mut self, fault: Fault) {
        if let Some(count) = self.counts.get_mut(fault.severity as usize) {
            *count += 1;
        }
        let key = (fault.code.to_string(), fault.place.entry.clone());
        let (n, last) = self.of_a_kind.entry(key).or_insert((0, usize::MAX));
        *n += 1;
        if *n <= limits::FAULTS_OF_A_KIND && self.rows.len() < limits::FAULTS {
            *last = self.rows.len();
            self.rows.push(fault);
        } else if let Some(row) = self.rows.get_mut(*last) {
            row.repeats += 1;
            row.last = fault.place.byte.or(row.last);
        }
    }

    /// The faults that are kept whole.
    pub fn rows(&self) -> &[Fault] {
        &self.rows
    }

    /// How many of this severity were said, folded ones included.
    pub fn count(&self, severity: Severity) -> u64 {
        self.counts.get(severity as usize).copied().unwrap_or(0)
    }
}
