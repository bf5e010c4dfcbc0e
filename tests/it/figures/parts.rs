//! A long colored matrix stands in parts side by side where there is room, and each cell is found where it is drawn.

use lanescope::base::geometry::{Point, Size};
use lanescope::base::words::Language;
use lanescope::draw::matrix::{best_width, cell_at, height, least_width};
use lanescope::draw::style::DrawStyle;
use lanescope::draw::{draw, hit};
use lanescope::model::figure::{Body, Figure, FigureState, Matrix, MatrixCell};
use lanescope::scene::palette::Palette;

fn matrix(rows: usize, columns: usize) -> Matrix {
    let cell = |at: usize| MatrixCell { value: Some(at as f64 + 1.0), ..MatrixCell::default() };
    Matrix {
        row_name: "Block ID".to_owned(),
        rows: (0..rows).map(|row| format!("block {row}")).collect(),
        columns: (0..columns).map(|column| format!("column {column}")).collect(),
        cells: (0..rows * columns).map(cell).collect(),
        is_shaded: true,
        ..Matrix::default()
    }
}

/// The names of the rows and columns of the cells that are hit along the picture, in the order of the matrix.
fn found(matrix: &Matrix, size: Size) -> Vec<usize> {
    let palette = Palette::default();
    let look = DrawStyle { palette: &palette, language: Language::En };
    let figure = Figure::new("Blocks", Body::Matrix(matrix.clone()));
    let scene = draw(&figure, size, &look, &FigureState::default());
    let mut cells = Vec::new();
    for y in (0..size.h as usize).step_by(4) {
        for x in (0..size.w as usize).step_by(12) {
            let at = Point { x: x as f32 + 0.5, y: y as f32 + 0.5 };
            let Some(cell) = cell_at(matrix, size, at) else { continue };
            let (row, column) = (cell / matrix.columns.len(), cell % matrix.columns.len());
            let names = format!("{} · {}", matrix.rows[row], matrix.columns[column]);
            assert!(hit(&scene, at).is_some_and(|tip| tip.starts_with(&names)), "{at:?}: {names}");
            cells.push(cell);
        }
    }
    cells.sort_unstable();
    cells.dedup();
    cells
}

#[test]
fn long_matrices_stand_in_parts_and_cells_are_where_they_are_drawn() {
    for (rows, columns) in [(1, 1), (16, 1), (17, 1), (32, 1), (33, 2), (40, 3), (100, 1), (32, 13)] {
        let matrix = matrix(rows, columns);
        let least = least_width(&matrix);
        for width in [least, best_width(&matrix), 2.0 * least + 1.0, 1_100.0_f32.max(least)] {
            let size = Size { w: width, h: height(&matrix, width) };
            assert_eq!(
                found(&matrix, size),
                (0..rows * columns).collect::<Vec<_>>(),
                "{rows} × {columns}, {width}"
            );
        }
    }
    let one = matrix(32, 1);
    let (narrow, wide) = (least_width(&one), best_width(&one));
    assert!(narrow < wide);
    assert!(height(&one, narrow) > 1.6 * height(&one, wide), "two parts are half as high");
}
