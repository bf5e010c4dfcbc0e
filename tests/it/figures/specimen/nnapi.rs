//! Android NNAPI: time by layer and phase, self time with total time beside it.

use lanescope::base::unit::Unit;
use lanescope::model::figure::{Body, Figure, Matrix, MatrixCell, Number};

const LAYERS: [&str; 5] = ["Application", "Runtime", "IPC", "Driver", "CPU"];
const PHASES: [&str; 8] =
    ["Initialization", "Preparation", "Compilation", "I/O", "Compute", "Results", "Execution", "Termination"];

/// Self times in ms, row by row; a negative number stands for missing.
const SELF: [[f64; 8]; 5] = [
    [-1.0, 0.52, 0.11, 1.04, 4.2, 0.31, 5.55, 0.02],
    [0.8, 0.21, 2.95, 0.4, 6.1, 0.12, 6.62, 0.05],
    [0.02, -1.0, 0.31, 0.08, 0.9, 0.04, 1.02, 0.0],
    [0.4, 0.0, 18.2, -1.0, 22.75, -1.0, 22.75, 0.3],
    [-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0],
];

pub(crate) fn matrix() -> Figure {
    let cell = |v: f64| {
        let value = (0.0 <= v).then_some(v);
        // The total time of a layer holds what the layers below it took.
        let count = u64::from(value.is_some()) * 12;
        MatrixCell { value, second: value.map(|v| v + 1.0), count, ..MatrixCell::default() }
    };
    let sum = |values: &mut dyn Iterator<Item = f64>| -> Number {
        values.filter(|v| 0.0 <= *v).fold(None, |sum, v| Some(sum.unwrap_or(0.0) + v))
    };
    let matrix = Matrix {
        row_name: "Layer".into(),
        column_name: "Phase".into(),
        unit: Unit::Other("ms".into()),
        rows: LAYERS.map(String::from).to_vec(),
        columns: PHASES.map(String::from).to_vec(),
        cells: SELF.iter().flatten().copied().map(cell).collect(),
        row_totals: SELF.iter().map(|row| sum(&mut row.iter().copied())).collect(),
        column_totals: (0..8).map(|c| sum(&mut SELF.iter().map(|row| row[c]))).collect(),
        second_name: "Total time".into(),
        ..Matrix::default()
    };
    let notes = vec!["Self time; total time in parentheses.".into()];
    Figure { scope: "ms, run 1 of 3".into(), notes, ..Figure::new("Layers and phases", Body::Matrix(matrix)) }
}
