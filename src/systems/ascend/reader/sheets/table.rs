//! What a CSV file becomes: a long table, and, when its rows are blocks, a heat table of blocks × columns.

use super::parse::{Row, Sheet};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::message;
use crate::model::code::CodeScope;
use crate::model::figure::{Body, Choice, Family, Figure, Matrix, MatrixCell};
use crate::model::table::{Table, TableCells, TableColumn};
use crate::systems::ascend::reader::field;

/// The panel of what the CSV files say.
pub(super) const SECTION: &str = "CSV files";
/// Most cells of one heat table; longer files are tables only.
const CELLS: usize = 10_000;

/// The columns that say which block a row is about.
pub(super) const BLOCK: &str = "block_id";
/// … and which unit of its core.
pub(super) const SUB_BLOCK: &str = "sub_block_id";
/// What stands in front of columns of cubes and of vectors; nothing where a chip has one kind of core.
pub(super) const PREFIXES: [&str; 3] = ["aic_", "aiv_", ""];

/// Columns of numbers that are names.
const NAMES: [&str; 2] = ["Pid", "Device Id"];

/// The number of a cell.
pub(super) fn number(row: &Row, column: usize) -> Option<f64> {
    row.text(column).and_then(field::number)
}

/// The whole file as a table.
pub(super) fn table(sheet: &Sheet, id: String) -> Table {
    let column = |(at, head): (usize, &super::parse::Head)| TableColumn {
        name: head.name.clone(),
        unit: head.unit.clone(),
        cells: cells(sheet, at),
    };
    Table {
        id,
        title: sheet.name.clone(),
        columns: sheet.heads.iter().enumerate().map(column).collect(),
        notes: Vec::new(),
        scope: CodeScope::default(),
    }
}

/// Numbers where all cells that are not missing are numbers, else texts. Whole numbers that a float does not hold
/// exactly stay whole.
fn cells(sheet: &Sheet, column: usize) -> TableCells {
    let texts = || sheet.rows.iter().map(|row| row.text(column));
    // Numbers that name something are no quantities.
    let is_name = sheet.heads.get(column).is_some_and(|head| NAMES.contains(&head.name.as_str()));
    let is_exact = |text: &str| text.parse::<u64>().map_or(true, |n| n <= 1 << 53);
    if is_name || !texts().flatten().all(|text| text.parse().is_ok_and(f64::is_finite)) {
        return TableCells::Texts(texts().map(|text| text.unwrap_or_default().to_owned()).collect());
    }
    if !texts().flatten().all(is_exact)
        && let Some(whole) = texts().map(|text| text?.parse().ok()).collect()
    {
        return TableCells::Integers(whole);
    }
    TableCells::Numbers(texts().map(|text| text.and_then(field::number).unwrap_or(f64::NAN)).collect())
}

/// Heat tables of all files whose rows are blocks, in one family; `None` when there is none.
pub(super) fn heat_tables(sheets: &[Sheet]) -> Option<Family> {
    let mut sheets: Vec<&Sheet> = sheets.iter().collect();
    // What pipes did comes first: it says what bounds the operator.
    order::sort_by_key(&mut sheets, |sheet| sheet.name != "PipeUtilization");
    let (options, variants): (Vec<String>, Vec<Figure>) =
        sheets.into_iter().filter_map(|sheet| Some((sheet.name.clone(), heat_table(sheet)?))).unzip();
    (!variants.is_empty()).then(|| Family {
        id: "csv-blocks".to_owned(),
        section: SECTION.to_owned(),
        title: "Block heatmap".to_owned(),
        choices: vec![Choice { name: "File".to_owned(), options }],
        variants,
    })
}

/// Rows × columns of numbers; columns without a number are left out.
fn heat_table(sheet: &Sheet) -> Option<Figure> {
    let block = sheet.column(BLOCK)?;
    let sub_block = sheet.column(SUB_BLOCK);
    let is_name = |at: usize| at == block || Some(at) == sub_block;
    let has_number = |at: &usize| !is_name(*at) && sheet.rows.iter().any(|row| number(row, *at).is_some());
    let columns: Vec<usize> = (0..sheet.heads.len()).filter(has_number).collect();
    let n_cells = columns.len().checked_mul(sheet.rows.len())?;
    if n_cells == 0 || CELLS < n_cells {
        return None;
    }
    let heads: Vec<_> = columns.iter().filter_map(|at| sheet.heads.get(*at)).collect();
    let name = |row: &Row| {
        let sub_block = sub_block.and_then(|at| row.text(at)).unwrap_or("");
        format!("{} {sub_block}", row.text(block).unwrap_or("NA")).trim_end().to_owned()
    };
    let cells = sheet.rows.iter().flat_map(|row| {
        let cell = |at: &usize| MatrixCell { value: number(row, *at), ..MatrixCell::default() };
        columns.iter().map(cell)
    });
    let matrix = Matrix {
        row_name: "Block ID".to_owned(),
        column_name: "Column".to_owned(),
        unit: Unit::None,
        rows: sheet.rows.iter().map(name).collect(),
        columns: heads.iter().map(|head| head.name.clone()).collect(),
        column_units: heads.iter().map(|head| head.unit.clone()).collect(),
        cells: cells.collect(),
        ..Matrix::default()
    };
    let mut figure = Figure::new("Block heatmap", Body::Matrix(matrix));
    figure.scope.clone_from(&sheet.name);
    figure.notes.push(message("Each column has its own color scale, from its minimum to its maximum."));
    let n_left = sheet.heads.len() - columns.len() - 1 - usize::from(sub_block.is_some());
    if 0 < n_left {
        let left = message("{n} columns without numbers are hidden; see the table.");
        figure.notes.push(left.with("n", n_left));
    }
    Some(figure)
}
