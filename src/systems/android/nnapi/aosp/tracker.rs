//! One thread in one run, while its rows come in.

use super::code::{AppPhase, Code};
use super::reading::{BAD_FUNCTION, FUNCTIONS, Reading, bad_end};
use super::tree::{Node, Origin, ROOT, Tree};
use crate::systems::android::nnapi::mark::{Layer, Phase, Refusal};

/// A scope of a function whose times are taken from begin and end, not from the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed {
    /// Row of `Marks` that began it.
    pub(super) row: u32,
    /// When it began, in milliseconds.
    pub(super) start: f64,
    /// When it ended, in milliseconds.
    pub(super) end: f64,
}

/// What a thread did so far.
#[derive(Default)]
pub(super) struct Tracker {
    pub(super) tree: Tree,
    /// The innermost open node.
    current: u32,
    /// By application phase and function, in the order of the ends.
    pub(super) timed: [[Vec<Timed>; FUNCTIONS.len()]; 3],
    /// Executions that the application itself marked, by application phase.
    pub(super) n_own: [u32; 3],
}

/// One row as a tracker takes it.
pub(super) struct Row<'a> {
    pub(super) number: u32,
    /// In seconds.
    pub(super) time: f64,
    pub(super) reading: &'a Reading,
    pub(super) is_driver: bool,
}

impl Tracker {
    /// Whether no scope is open.
    pub(super) fn is_complete(&self) -> bool {
        self.current == ROOT
    }

    /// Takes in a row; `app_phase` is that of all threads.
    ///
    /// # Errors
    /// An end without a begin, or a mark that cannot be read.
    pub(super) fn take(&mut self, row: &Row, app_phase: &mut AppPhase) -> Result<(), Refusal> {
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
                Some(Phase::Warmup) => *app_phase = AppPhase::Warmup,
                Some(Phase::Benchmark) => *app_phase = AppPhase::Benchmark,
                Some(Phase::Execution) => self.n_own[app_phase.index()] += 1,
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
        if let Some(timed) = self.timed[node.app_phase.index()].get_mut(usize::from(node.function)) {
            timed.push(Timed { row: node.row, start: node.start * 1000.0, end: node.end * 1000.0 });
        }
        Ok(())
    }
}
