//! Times of layers and phases: a table that knows what is missing, totals, and self times.

use crate::systems::android::nnapi::mark::{App, ByApp, Layer, Phase};

/// The phases with times, in the order in which they are computed.
pub const PHASES: [Phase; 10] = [
    Phase::Overall,
    Phase::Initialization,
    Phase::Preparation,
    Phase::Compilation,
    Phase::Execution,
    Phase::InputsOutputs,
    Phase::Transformation,
    Phase::Computation,
    Phase::Results,
    Phase::Termination,
];

/// Those that are kept for each loop too.
pub const OF_LOOPS: [Phase; 5] =
    [Phase::Execution, Phase::InputsOutputs, Phase::Transformation, Phase::Computation, Phase::Results];

/// The column of all layers together (`LT`), behind those of the layers in [`Layer::REPORTED`].
pub const TOTAL: usize = 5;

/// One phase: milliseconds by layer, then [`TOTAL`]. NaN is missing.
pub type Line = [f64; 6];

/// Milliseconds by phase and layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// By the place in [`PHASES`].
    pub flat: [Line; 10],
    /// Of warmup and benchmark, by the place in [`OF_LOOPS`]; `None` when not both have executions.
    pub loops: Option<[[Line; 5]; 2]>,
}

impl Times {
    /// Nothing yet.
    pub(super) fn new(has_loops: bool) -> Self {
        Self { flat: [[0.0; 6]; 10], loops: has_loops.then_some([[[0.0; 6]; 5]; 2]) }
    }

    /// A phase over the whole run; `None` for a phase that is not in [`PHASES`].
    pub fn line(&self, phase: Phase) -> Option<&Line> {
        self.flat.get(PHASES.iter().position(|p| *p == phase)?)
    }

    /// A phase of a loop; `None` for a phase that is not in [`OF_LOOPS`] or where there are no two loops.
    pub fn line_of(&self, app_phase: App, phase: Phase) -> Option<&Line> {
        let [warmup, benchmark] = self.loops.as_ref()?;
        let lines = ByApp([None, Some(warmup), Some(benchmark)])[app_phase]?;
        lines.get(OF_LOOPS.iter().position(|p| *p == phase)?)
    }

    /// The same as [`Self::line`], to be changed.
    pub(super) fn line_mut(&mut self, phase: Phase) -> Option<&mut Line> {
        self.flat.get_mut(PHASES.iter().position(|p| *p == phase)?)
    }

    /// The same as [`Self::line_of`], to be changed.
    pub(super) fn line_of_mut(&mut self, app_phase: App, phase: Phase) -> Option<&mut Line> {
        let [warmup, benchmark] = self.loops.as_mut()?;
        let lines = match app_phase {
            App::Overall => return None,
            App::Warmup => warmup,
            App::Benchmark => benchmark,
        };
        lines.get_mut(OF_LOOPS.iter().position(|p| *p == phase)?)
    }

    /// Milliseconds of a phase and a layer; `None` where they are missing.
    pub fn at(&self, phase: Phase, layer: Layer) -> Option<f64> {
        let value = of(self.line(phase)?, layer)?;
        (!value.is_nan()).then_some(value)
    }
}

/// The time of a layer in a line.
pub fn of(line: &Line, layer: Layer) -> Option<f64> {
    let [application, runtime, ipc, driver, cpu, _] = *line;
    layer.of_each([application, runtime, ipc, driver, cpu])
}

/// The same, to be changed.
pub(super) fn of_mut(line: &mut Line, layer: Layer) -> Option<&mut f64> {
    let [application, runtime, ipc, driver, cpu, _] = line;
    layer.of_each([application, runtime, ipc, driver, cpu])
}

/// Exactly zero means missing where applications or drivers need not say anything.
pub(super) fn or_missing(value: f64, layer: Layer, phase: Phase) -> f64 {
    let may_miss = layer == Layer::Application || (layer == Layer::Driver && phase.is_part_of_execution());
    if value == 0.0 && may_miss { f64::NAN } else { value }
}

/// Missing counts as nothing.
pub(super) fn or_zero(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value }
}

/// Sets the total of a phase: the largest of the layers.
pub fn set_total(line: &mut Line) {
    let mut largest = or_zero(line[0]);
    for &value in &line[1..TOTAL] {
        if largest < or_zero(value) {
            largest = or_zero(value);
        }
    }
    line[TOTAL] = largest;
}

/// The times without those of the layers below.
pub(super) fn self_times(times: &Times) -> Times {
    let mut own = times.clone();
    let is_driver_idle = times.at(Phase::Execution, Layer::Driver) == Some(0.0);
    for (phase, line) in PHASES.into_iter().zip(&mut own.flat) {
        let is_idle = phase == Phase::Overall && is_driver_idle;
        *line = if is_idle { self_line_of_idle_driver(line) } else { self_line(line) };
    }
    for loops in own.loops.iter_mut().flatten() {
        for line in loops {
            *line = self_line(line);
        }
    }
    own
}

/// From the bottom up: each layer without what is below it.
pub fn self_line(line: &Line) -> Line {
    let mut own = *line;
    let mut below = 0.0;
    for time in own.iter_mut().take(TOTAL).rev() {
        *time = alone(*time, &mut below);
    }
    own
}

/// A total without what is below it.
fn alone(total: f64, below: &mut f64) -> f64 {
    if total.is_nan() {
        f64::NAN
    } else if total == 0.0 {
        0.0
    } else {
        let own = total - *below;
        *below = total;
        own
    }
}

/// The same where the driver executed nothing: its time and that of the calls to it stay out of the layers above.
pub fn self_line_of_idle_driver(line: &Line) -> Line {
    let mut own = *line;
    let [_, _, _, driver, ..] = *line;
    let mut below = 0.0;
    for (layer, time) in Layer::REPORTED.into_iter().zip(&mut own).rev() {
        *time = match layer {
            _ if time.is_nan() || *time == 0.0 => alone(*time, &mut below),
            Layer::Driver => *time,
            Layer::Ipc => *time - driver,
            _ => alone(*time, &mut below),
        };
    }
    own
}
