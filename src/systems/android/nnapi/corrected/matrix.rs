//! Layer × phase: the table of a run.

use super::scope::{App, ByApp, N_CELLS, PHASES, Scope, cell};
use crate::base::time::{Ticks, Total};
use crate::systems::android::nnapi::mark::{Layer, Phase};

/// One cell, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Time with everything below: the sum of what its outermost scopes count with.
    pub total: Ticks,
    /// Time in which nothing deeper was done.
    pub own: Ticks,
    /// How many scopes make up the total.
    pub n: u64,
}

impl Cell {
    fn plus(self, other: &Self) -> Self {
        Self { total: self.total + other.total, own: self.own + other.own, n: self.n + other.n }
    }
}

/// Layer × phase × application phase.
///
/// The column of [`Phase::Overall`] is the whole row: its total is the time of the outermost scopes of the layer, its
/// self time the sum of all self times of the layer. The column of [`Phase::Execution`] holds its parts (`PIO`, `PTR`,
/// `PCO`, `PR`). The last row of the table, the sum over layers, is the sum of the self times: see [`Matrix::sum`].
///
/// Executions whose end is not in the trace are in no number of executions; their time so far is in the cells, and neither
/// it nor that of the application's scope around them in [`Matrix::complete`]. Nor is that of scopes and of drivers'
/// executions without an end, but for what an execution around them tells.
#[derive(Clone, Debug)]
pub struct Matrix {
    cells: Cells,
    /// Of them the time of what has no end in the trace.
    cut: Option<Box<Cells>>,
    /// How many executions there are, by application phase.
    pub executions: ByApp<u64>,
    /// How many more have no end in the trace.
    pub n_cut: u64,
}

/// Cells by application phase.
type Cells = ByApp<[Cell; N_CELLS]>;

const EMPTY: Cells = ByApp([[Cell { total: 0, own: 0, n: 0 }; N_CELLS]; 3]);

impl Default for Matrix {
    fn default() -> Self {
        Self { cells: EMPTY, cut: None, executions: ByApp([0; 3]), n_cut: 0 }
    }
}

impl Matrix {
    /// A cell of one application phase, or of all of them. Zero for phases and layers without column or row.
    pub fn cell(&self, app: Option<App>, layer: Layer, phase: Phase) -> Cell {
        let Some(at) = cell(layer, phase).map(usize::from) else { return Cell::default() };
        match app {
            Some(app) => self.cells[app].get(at).copied().unwrap_or_default(),
            None => self.cells.0.iter().filter_map(|cells| cells.get(at)).fold(Cell::default(), Cell::plus),
        }
    }

    /// Computing: an execution without inputs, outputs and results.
    pub fn compute(&self, app: Option<App>, layer: Layer) -> Cell {
        let cell = |phase| self.cell(app, layer, phase);
        let (all, io, results) = (cell(Phase::Execution), cell(Phase::InputsOutputs), cell(Phase::Results));
        Cell { total: all.total - io.total - results.total, own: all.own - io.own - results.own, n: all.n }
    }

    /// The time of all layers in a phase: the sum of their self times. What threads do for each other counts once.
    pub fn sum(&self, app: Option<App>, phase: Phase) -> Ticks {
        Layer::REPORTED.iter().map(|layer| self.cell(app, *layer, phase).own).sum()
    }

    /// How many executions there are in an application phase, or in all.
    pub fn n_executions(&self, app: Option<App>) -> u64 {
        match app {
            Some(app) => self.executions[app],
            None => self.executions.0.iter().sum(),
        }
    }

    /// Whether a layer has any time.
    pub fn has(&self, layer: Layer) -> bool {
        let cell = self.cell(None, layer, Phase::Overall);
        cell.total != 0 || cell.own != 0
    }

    /// Whether it has time of something without an end.
    pub fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// The same without what has no end in the trace: what can be divided by the number of executions.
    #[must_use]
    pub fn complete(&self) -> Self {
        let mut complete = Self { cut: None, n_cut: 0, ..self.clone() };
        let cut = self.cut.iter().flat_map(|cut| cut.0.as_flattened());
        for (cell, cut) in complete.cells.0.as_flattened_mut().iter_mut().zip(cut) {
            *cell = Cell { total: cell.total - cut.total, own: cell.own - cut.own, n: cell.n - cut.n };
        }
        complete
    }

    /// The cells, and where `is_cut` those of what has no end too.
    fn both(&mut self, is_cut: bool) -> impl Iterator<Item = &mut Cells> {
        if is_cut && self.cut.is_none() {
            self.cut = Some(Box::new(EMPTY));
        }
        std::iter::once(&mut self.cells).chain(self.cut.as_deref_mut().filter(|_| is_cut))
    }

    /// Adds the totals of a scope; `is_cut` where it is part of what has no end.
    pub(super) fn count(&mut self, scope: &Scope, is_cut: bool) {
        for cells in self.both(is_cut) {
            let mut bits = scope.gained;
            while bits != 0 {
                if let Some(cell) = cells[scope.app].get_mut(bits.trailing_zeros() as usize) {
                    cell.total += scope.counted;
                    cell.n += 1;
                }
                bits &= bits - 1;
            }
        }
    }

    /// Adds a self time of a single phase.
    pub(super) fn add(&mut self, app: App, cell: u8, own: Ticks, is_cut: bool) {
        for cells in self.both(is_cut) {
            if let Some(cell) = cells[app].get_mut(usize::from(cell)) {
                cell.own += own;
            }
        }
    }

    /// Sums up the columns that hold others. Call once, after everything was added.
    pub(super) fn finish(&mut self) {
        for row in self
            .both(self.cut.is_some())
            .flat_map(|cells| cells.0.as_flattened_mut().chunks_mut(PHASES.len()))
        {
            let all = row.iter().map(|cell| cell.own).sum();
            let parts = PHASES.iter().zip(&*row).filter(|(phase, _)| phase.is_part_of_execution());
            let parts: Ticks = parts.map(|(_, cell)| cell.own).total();
            for (phase, cell) in PHASES.iter().zip(row) {
                match phase {
                    Phase::Overall => cell.own = all,
                    Phase::Execution => cell.own += parts,
                    _ => {}
                }
            }
        }
    }
}
