//! Accesses over time: of all buffers of a layer, and of the words of one.

use super::figures::{buffer_of, layer_of};
use super::run::{ArrayRun, BUFFERS, Buffer};
use crate::base::number::thousands;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Axis, AxisLabel, Body, Figure, HeatMap, Ramp, Shading};
use crate::systems::gainsight::grid::{Bins, Grid};

/// What of the accesses is shown, in the order of the choice.
pub(super) const SHOWN: [&str; 3] = [phrase("All accesses"), phrase("Writes"), phrase("Reads")];

/// The range of several axes in bins of the coarsest of them: level, first and last bin.
fn common<'a>(all: impl Iterator<Item = &'a Bins> + Clone) -> Option<(u32, i64, i64)> {
    let level = all.clone().map(|bins| bins.level).max()?;
    let used = all.filter_map(|bins| {
        let (first, last) = bins.used()?;
        Some((first >> (level - bins.level), last >> (level - bins.level)))
    });
    let (first, last) = used.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    Some((level, first, last))
}

fn axis(name: &str, unit: Unit, (level, first, last): (u32, i64, i64)) -> Axis {
    let edge = |bin: i64| bin as f64 * 2_f64.powi(i32::try_from(level).unwrap_or(0));
    let label = AxisLabel { name: name.to_owned(), unit, ..AxisLabel::default() };
    Axis { label, from: edge(first), to: edge(last.saturating_add(1)), names: Vec::new() }
}

/// How many bins there are.
fn n((_, first, last): (u32, i64, i64)) -> usize {
    usize::try_from(last.saturating_sub(first).saturating_add(1)).unwrap_or(0)
}

/// Adds the cells of a grid to those of a map.
fn add(to: &mut [f32], grid: &Grid, columns: (u32, i64, i64), row: impl Fn(i64) -> Option<usize>) {
    for (column, y, count) in grid.cells() {
        let column = usize::try_from((column >> (columns.0 - grid.x.level)).saturating_sub(columns.1));
        let cell = column.ok().zip(row(y)).and_then(|(column, row)| to.get_mut(row * n(columns) + column));
        if let Some(cell) = cell {
            *cell += count as f32;
        }
    }
}

fn map(x: Axis, y: Axis, width: usize, values: Vec<f32>) -> HeatMap {
    HeatMap {
        x,
        y,
        unit: Unit::Count(phrase("accesses").to_owned()),
        width: u32::try_from(width).unwrap_or(0),
        height: u32::try_from(values.len().checked_div(width).unwrap_or(0)).unwrap_or(0),
        values,
        ramp: Ramp::Seq,
        shading: Shading::Log,
        ..HeatMap::default()
    }
}

/// Buffers over time.
pub(super) fn buffers(run: &ArrayRun, chosen: &[usize]) -> Figure {
    let buffers = layer_of(run, chosen).map(|(_, buffers)| buffers);
    let grids = |way: usize| {
        let all = buffers.into_iter().flatten().flatten();
        all.filter_map(move |buffer: &Buffer| buffer.maps.get(way))
    };
    let used = [0, 1].into_iter().flat_map(grids).filter(|grid| !grid.is_empty());
    let Some(columns) = common(used.map(|grid| &grid.x).collect::<Vec<_>>().into_iter()) else {
        return Figure::new("", Body::HeatMap(HeatMap::default()));
    };
    let mut values = vec![0.0; n(columns) * 2 * BUFFERS.len()];
    let mut names = Vec::new();
    for (at, name) in BUFFERS.iter().enumerate() {
        names.extend([format!("{name} ← write"), format!("{name} → read")]);
        let own = buffers.and_then(|buffers| buffers.get(at)?.as_ref());
        for (way, grid) in own.iter().flat_map(|own| own.maps.iter().enumerate()) {
            if !grid.is_empty() {
                add(&mut values, grid, columns, |_| Some(2 * at + way));
            }
        }
    }
    let y = Axis { from: 0.0, to: names.len() as f64, names, ..Axis::default() };
    let x = axis(phrase("Cycle"), Unit::Cycles, columns);
    let map = HeatMap { has_margins: true, ..map(x, y, n(columns), values) };
    let mut figure = Figure::new("", Body::HeatMap(map));
    figure
        .notes
        .push(message("A column is {n} cycles wide.").with("n", thousands(1_u64 << columns.0.min(63))));
    figure
}

/// Words of a buffer over time.
pub(super) fn words(run: &ArrayRun, chosen: &[usize]) -> Figure {
    let buffer = buffer_of(run, chosen);
    let ways = match chosen.get(2) {
        Some(1) => 0..1,
        Some(2) => 1..2,
        _ => 0..2,
    };
    let grids = buffer.and_then(|buffer| buffer.maps.get(ways)).unwrap_or(&[]);
    let used: Vec<&Grid> = grids.iter().filter(|grid| !grid.is_empty()).collect();
    let axes = common(used.iter().map(|grid| &grid.x)).zip(common(used.iter().map(|grid| &grid.y)));
    let Some((columns, rows)) = axes else { return Figure::new("", Body::HeatMap(HeatMap::default())) };
    let mut values = vec![0.0; n(columns) * n(rows)];
    for grid in used {
        let row = |y: i64| usize::try_from((y >> (rows.0 - grid.y.level)).saturating_sub(rows.1)).ok();
        add(&mut values, grid, columns, row);
    }
    let (x, y) = (axis(phrase("Cycle"), Unit::Cycles, columns), axis(phrase("Word"), Unit::None, rows));
    let map = HeatMap { is_upward: true, ..map(x, y, n(columns), values) };
    let mut figure = Figure::new("", Body::HeatMap(map));
    let [cycles, words] = [columns.0, rows.0].map(|level| thousands(1_u64 << level.min(63)));
    let note = message("A cell is {n} cycles wide and {m} words high.");
    figure.notes.push(note.with("n", cycles).with("m", words));
    figure
}
