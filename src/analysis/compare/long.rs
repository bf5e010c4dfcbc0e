//! Long tables as figures, so that they are joined as those are.

use crate::model::figure::{Body, Cell, Figure, TableColumn, TableFigure};
use crate::model::{Table, TableCells};

/// How many cells a long table has.
pub fn n_cells(table: &Table) -> usize {
    n_rows(table).saturating_mul(table.columns.len())
}

fn n_rows(table: &Table) -> usize {
    table.columns.iter().map(|column| column.cells.len()).max().unwrap_or(0)
}

/// A long table as a figure. Its rows are named by the first column and the columns of texts that follow it at once: a
/// block and its unit, a name. Costs all cells.
pub fn figure(table: &Table) -> Figure {
    let is_text = |cells: &TableCells| matches!(cells, TableCells::Texts(_));
    let texts = table.columns.iter().skip(1).take_while(|column| is_text(&column.cells)).count();
    let columns = table.columns.iter().enumerate().map(|(at, column)| TableColumn {
        name: column.name.clone(),
        unit: column.unit.clone(),
        is_phrase: table.phrases.contains(&at),
        ..TableColumn::default()
    });
    let row = |at: usize| table.columns.iter().map(|column| cell(&column.cells, at)).collect();
    let body = TableFigure {
        columns: columns.collect(),
        rows: (0..n_rows(table)).map(row).collect(),
        key_columns: (1 + texts).min(table.columns.len()),
        ..TableFigure::default()
    };
    Figure::new(table.title.as_str(), Body::Table(body))
}

fn cell(cells: &TableCells, row: usize) -> Cell {
    match cells {
        TableCells::Numbers(values) => Cell::number(values.get(row).copied()),
        TableCells::Integers(values) => values.get(row).map_or(Cell::Missing, |value| Cell::Integer(*value)),
        TableCells::Texts(values) => values
            .get(row)
            .filter(|text| !text.is_empty())
            .map_or(Cell::Missing, |text| Cell::Text(text.clone())),
    }
}
