//! A scope of the call trees, and the cells that it counts in.

use crate::base::time::Ticks;
pub use crate::systems::android::nnapi::mark::{App, ByApp};
use crate::systems::android::nnapi::mark::{Layer, Phase};

/// No row.
pub const NONE: u32 = u32::MAX;

/// The phases of the matrix, in the order of its columns. The first stands for the whole row.
pub const PHASES: [Phase; 10] = [
    Phase::Overall,
    Phase::Initialization,
    Phase::Preparation,
    Phase::Compilation,
    Phase::InputsOutputs,
    Phase::Transformation,
    Phase::Computation,
    Phase::Results,
    Phase::Execution,
    Phase::Termination,
];

/// How a scope counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Count {
    /// By itself.
    Own,
    /// Its time is that of the scope around it.
    Detail,
    /// Not at all: a layer without row, or a phase that nothing tells.
    #[default]
    Excluded,
}

/// One scope.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope {
    /// Row of [`crate::systems::android::nnapi::mark::Marks`] where it begins.
    pub row: u32,
    /// Its thread, a row of `Marks::threads`.
    pub thread: u32,
    pub run: u32,
    /// The scope around it on its thread; [`NONE`] at the root. Marks of others are not among the scopes.
    pub parent: u32,
    /// The scope whose time it is part of: the parent, unless its time is taken out of it (`[SUB]`, one-time
    /// initialization, other phases below the application).
    pub home: u32,
    pub start: Ticks,
    pub end: Ticks,
    /// Time in which it was the innermost scope of its thread.
    pub own: Ticks,
    /// Time of it and of all scopes whose home lies in it.
    pub net: Ticks,
    /// What it counts with in totals: `net`; for `startCompute` the time until the end of its wait, for a driver that
    /// calls back the time until it does.
    pub counted: Ticks,
    /// Number of its function in [`super::Corrected::names`].
    pub name: u32,
    /// Its layer, after processes were looked at.
    pub layer: Layer,
    /// Its phase; that of the caller where the mark says none.
    pub phase: Phase,
    /// What the application was doing.
    pub app: App,
    pub count: Count,
    /// Whether its time is taken from its parent.
    pub is_moved: bool,
    /// Whether its mark said `[SUB]`.
    pub is_subtract: bool,
    /// Whether it has no end: how long it lasts is not known.
    pub is_unfinished: bool,
    /// The scope that its own time counts for: itself, or for a detail the one it details; [`NONE`] when apart.
    pub(super) owner: u32,
    /// Where its time is attributed.
    pub(super) context: u32,
    /// How deep it lies there.
    pub(super) level: u8,
    /// Cells that are counted by it or around it.
    pub(super) mask: u64,
    /// Cells that are counted by it and by nothing around it.
    pub(super) gained: u64,
    /// The driver execution that it is part of; [`NONE`] for most.
    pub(super) driver: u32,
}

/// Place of a phase among [`PHASES`]; loops count as the whole.
fn column(phase: Phase) -> Option<usize> {
    match phase {
        Phase::Warmup | Phase::Benchmark => Some(0),
        _ => PHASES.iter().position(|p| *p == phase),
    }
}

/// The phase of a cell.
pub(super) fn phase_of(cell: u8) -> Phase {
    PHASES.get(usize::from(cell) % PHASES.len()).copied().unwrap_or_default()
}

/// Number of cells: layers × phases.
pub(super) const N_CELLS: usize = Layer::REPORTED.len() * PHASES.len();

/// Number of a cell.
pub(super) fn cell(layer: Layer, phase: Phase) -> Option<u8> {
    Some((layer.place()? * PHASES.len() + column(phase)?) as u8)
}

/// The cells that a scope counts in, as bits: its own, for a part of an execution that of the execution, and the whole
/// row.
pub(super) fn bits(layer: Layer, phase: Phase) -> u64 {
    let bit = |phase| cell(layer, phase).map_or(0, |at| 1_u64 << at);
    let around = if phase.is_part_of_execution() { bit(Phase::Execution) } else { 0 };
    bit(phase) | around | bit(Phase::Overall)
}

impl Scope {
    /// Whether the total of this cell has its time.
    pub fn counts_in(&self, layer: Layer, phase: Phase) -> bool {
        cell(layer, phase).is_some_and(|at| self.gained & (1 << at) != 0)
    }
}
