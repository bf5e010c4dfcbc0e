//! Sums of a map by block, over the grid and as a table, and by SM.

use super::figures::{chosen_field, column, field_names, figure, nothing, order};
use super::sums::{MapSums, Stat};
use super::{file, head, of_id};
use crate::analysis::contract::{AnalysisInput, ComputedFigure};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{
    Axis, AxisLabel, Body, Cell, Choice, Figure, Fold, HeatMap, TableColumn, TableFigure,
};
use crate::systems::neutrino::result::{Field, ResultFile};

const GRID: &str = "neutrino-grid-";
const BLOCKS: &str = "neutrino-blocks-";
const SMS: &str = "neutrino-sms-";

/// What is shown of the values of a block.
const VALUES: [&str; 4] = [phrase("Sum"), phrase("Mean"), phrase("Minimum"), phrase("Maximum")];
/// Blocks in a row of the picture, where a grid has one row of them.
const WRAP: u64 = 128;

pub(super) fn list(file: &ResultFile, sums: &MapSums) -> Vec<ComputedFigure> {
    let field = || Choice { name: phrase("Field").to_owned(), options: field_names(sums, &order(sums)) };
    let values = || Choice {
        name: phrase("Value").to_owned(),
        options: VALUES.iter().map(|name| (*name).to_owned()).collect(),
    };
    let mut all = Vec::new();
    if 1 < file.blocks() {
        let grid = (GRID, phrase("Values by block"), "heat-map");
        let blocks = (BLOCKS, phrase("Blocks"), "table");
        let choices = vec![field(), values()];
        all.push(ComputedFigure { head: head(grid, sums, 2, choices), compute: grid_of });
        all.push(ComputedFigure { head: head(blocks, sums, 1, vec![field()]), compute: blocks_of });
    }
    if !sums.sms.is_empty() {
        let sms = (SMS, phrase("Values by SM"), "table");
        all.push(ComputedFigure { head: head(sms, sums, 1, vec![field()]), compute: sms_of });
    }
    all
}

fn grid_of(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let Some((sums, file)) = of_id(input, id, GRID).zip(file(input)) else { return nothing() };
    let Some((at, field)) = chosen_field(sums, chosen) else { return nothing() };
    let which = chosen.get(1).copied().unwrap_or(0);
    let [grid_x, grid_y, grid_z] = file.grid.map(u64::from);
    // Blocks with common sums, and grids of one row, stand in rows in the order of their numbers.
    let is_wrapped = 1 < sums.group || (grid_y == 1 && grid_z == 1 && WRAP < grid_x);
    let groups = file.blocks().div_ceil(sums.group);
    let width = if is_wrapped { WRAP.min(groups) } else { grid_x };
    let height = if is_wrapped { groups.div_ceil(width.max(1)) } else { grid_y.saturating_mul(grid_z) };
    let has_value = which != 0 || field.has_sum();
    let value = |cell: u64| {
        let stat = sums.of_group(usize::try_from(cell).ok()?).get(at)?;
        stat.number(&field, which).filter(|_| has_value)
    };
    let cells = (0..width.saturating_mul(height)).map(|cell| HeatMap::cell(value(cell)));
    let axis = |name: &str, n: u64, each: u64| Axis {
        label: AxisLabel { name: name.to_owned(), ..AxisLabel::default() },
        from: 0.0,
        to: n as f64 * each as f64,
        names: Vec::new(),
    };
    let (x_name, y_name) = match () {
        () if is_wrapped => (phrase("Block in row"), phrase("First block of row")),
        () if 1 < grid_z => ("blockIdx.x", "blockIdx.y + gridDim.y · blockIdx.z"),
        () => ("blockIdx.x", "blockIdx.y"),
    };
    let (each_x, each_y) = if is_wrapped { (sums.group, sums.group * width) } else { (1, 1) };
    let map = HeatMap {
        x: axis(x_name, width, each_x),
        y: axis(y_name, height, each_y),
        unit: field.unit(),
        width: u32::try_from(width).unwrap_or(u32::MAX),
        height: u32::try_from(height).unwrap_or(u32::MAX),
        values: cells.collect(),
        fold: [Fold::Sum, Fold::Mean, Fold::Mean, Fold::Max].get(which).copied().unwrap_or_default(),
        ..HeatMap::default()
    };
    let mut figure = figure(sums, Body::HeatMap(map));
    figure.scope = format!("{}, {}", figure.scope, field.name);
    if !has_value {
        let note = message("{field} has no sum: choose the mean, the minimum or the maximum.");
        figure.notes.push(note.with("field", &field.name));
    }
    note_groups(sums, &mut figure);
    figure
}

/// Says when blocks share sums.
fn note_groups(sums: &MapSums, figure: &mut Figure) {
    if 1 < sums.group {
        figure.notes.push(message("Each value is of {n} adjacent blocks.").with("n", sums.group));
    }
}

/// A table of sums, one row for each; the first columns name it.
fn table(names: Vec<TableColumn>, field: &Field, rows: Vec<(Vec<Cell>, &Stat)>) -> TableFigure {
    let key_columns = names.len();
    let records = column(phrase("Records"), Unit::Count(phrase("records").to_owned()), false);
    let from = usize::from(!field.has_sum());
    let values = VALUES.iter().enumerate().skip(from);
    let values = values.map(|(at, name)| column(name, field.unit(), at == 0));
    let row = |(mut cells, stat): (Vec<Cell>, &Stat)| {
        cells.push(Cell::Integer(stat.n));
        cells.extend(stat.cells(field).into_iter().skip(from));
        cells
    };
    TableFigure {
        columns: names.into_iter().chain([records]).chain(values).collect(),
        rows: rows.into_iter().map(row).collect(),
        key_columns,
        ..TableFigure::default()
    }
}

fn blocks_of(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let Some((sums, file)) = of_id(input, id, BLOCKS).zip(file(input)) else { return nothing() };
    let Some((at, field)) = chosen_field(sums, chosen) else { return nothing() };
    let groups = sums.blocks.len() / sums.fields.len().max(1);
    let rows = (0..groups).filter_map(|group| {
        let stat = sums.of_group(group).get(at).filter(|stat| 0 < stat.n)?;
        let [x, y, z] = file.block_at(group as u64 * sums.group);
        Some((vec![Cell::Text(format!("{x}, {y}, {z}"))], stat))
    });
    let name = column(phrase("Block"), Unit::None, false);
    let mut figure = figure(sums, Body::Table(table(vec![name], &field, rows.collect())));
    figure.scope = format!("{}, {}", figure.scope, field.name);
    note_groups(sums, &mut figure);
    figure
}

fn sms_of(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let Some(sums) = of_id(input, id, SMS) else { return nothing() };
    let Some((at, field)) = chosen_field(sums, chosen) else { return nothing() };
    let mut sms: Vec<(u64, &Stat)> =
        sums.sms.iter().filter_map(|(sm, stats)| Some((*sm, stats.get(at)?))).collect();
    order::sort_by_key(&mut sms, |(sm, _)| *sm);
    let rows = sms.into_iter().map(|(sm, stat)| (vec![Cell::Integer(sm)], stat)).collect();
    let name = column(phrase("SM"), Unit::None, false);
    let mut figure = figure(sums, Body::Table(table(vec![name], &field, rows)));
    figure.scope = format!("{}, {}", figure.scope, field.name);
    figure
}
