//! Comparison of what stands at fixed places: cores, matrices, heat maps, boxes and arrows.

use super::{
    differ::CELLS, differ::HORIZONTAL, differ::UNIT, differ::VERTICAL, difference, join, report_only, same,
};
use crate::base::words::{Message, message};
use crate::model::figure::{
    Axis, BoxArrow, CoreCell, CoreGrid, CoreRow, Fold, GraphArrow, HeatMap, Matrix, MatrixCell, Number, Ramp,
    Shading,
};

/// A grid of differences; every cell keeps both of its values.
pub(super) fn cores(a: &CoreGrid, b: &CoreGrid) -> Result<CoreGrid, String> {
    same(UNIT, &a.unit, &b.unit)?;
    let names = |grid: &CoreGrid| grid.cores.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
    let cores = join(&names(a), &names(b)).into_iter().filter_map(|(i, j)| {
        let (left, right) = (i.and_then(|i| a.cores.get(i)), j.and_then(|j| b.cores.get(j)));
        let any = right.or(left)?;
        let is_measured = [left, right].iter().flatten().any(|c| c.is_measured);
        Some(CoreRow { name: any.name.clone(), is_measured, cells: core_cells(left, right) })
    });
    Ok(CoreGrid { unit: b.unit.clone(), cores: cores.collect(), is_difference: true, is_by_level: false })
}

fn core_cells(left: Option<&CoreRow>, right: Option<&CoreRow>) -> Vec<CoreCell> {
    let names = |row: Option<&CoreRow>| {
        row.map_or_else(Vec::new, |r| r.cells.iter().map(|c| c.name.clone()).collect::<Vec<_>>())
    };
    let (a, b) = (names(left), names(right));
    let cell = |(i, j): (Option<usize>, Option<usize>)| {
        let of = |row: Option<&CoreRow>, at: Option<usize>| {
            row.and_then(|r| r.cells.get(at?)).and_then(|c| c.value)
        };
        // Places lead into the comparison, which is the document at hand.
        let tracks = right.and_then(|r| r.cells.get(j?)).map_or_else(Vec::new, |c| c.tracks.clone());
        let (old, new) = (of(left, i), of(right, j));
        let name = j.and_then(|j| b.get(j)).or(i.and_then(|i| a.get(i))).cloned().unwrap_or_default();
        CoreCell { name, value: difference(old, new), level: None, pair: Some((old, new)), tracks }
    };
    join(&a, &b).into_iter().map(cell).collect()
}

/// The comparison's numbers with the baseline's as second values.
pub(super) fn matrix(a: &Matrix, b: &Matrix) -> Result<Matrix, String> {
    same(UNIT, &a.unit, &b.unit)?;
    let (rows, columns) = (join(&a.rows, &b.rows), join(&a.columns, &b.columns));
    let value =
        |m: &Matrix, r: Option<usize>, c: Option<usize>| m.cells.get(r? * m.columns.len() + c?).cloned();
    let mut cells = Vec::with_capacity(rows.len() * columns.len());
    for (i, j) in &rows {
        for (x, y) in &columns {
            let (old, new) = (value(a, *i, *x), value(b, *j, *y));
            cells.push(MatrixCell { second: old.and_then(|c| c.value), ..new.unwrap_or_default() });
        }
    }
    let named = |pairs: &[(Option<usize>, Option<usize>)], old: &[String], new: &[String]| {
        let name = |(i, j): &(Option<usize>, Option<usize>)| {
            j.and_then(|j| new.get(j)).or(i.and_then(|i| old.get(i)))
        };
        pairs.iter().filter_map(name).cloned().collect::<Vec<String>>()
    };
    let totals = |pairs: &[(Option<usize>, Option<usize>)], totals: &[Number]| -> Vec<Number> {
        if totals.is_empty() {
            Vec::new()
        } else {
            pairs.iter().map(|p| totals.get(p.1?).copied().flatten()).collect()
        }
    };
    let old_totals = |pairs: &[(Option<usize>, Option<usize>)], totals: &[Number]| -> Vec<Number> {
        pairs.iter().map(|p| totals.get(p.0?).copied().flatten()).collect()
    };
    Ok(Matrix {
        seconds_of_totals: [old_totals(&rows, &a.row_totals), old_totals(&columns, &a.column_totals)],
        is_shaded: false,
        row_name: b.row_name.clone(),
        column_name: b.column_name.clone(),
        unit: b.unit.clone(),
        rows: named(&rows, &a.rows, &b.rows),
        columns: named(&columns, &a.columns, &b.columns),
        row_totals: totals(&rows, &b.row_totals),
        column_totals: totals(&columns, &b.column_totals),
        cells,
        second_name: "Baseline".to_owned(),
        missing: b.missing.clone(),
        column_units: if b.column_units.is_empty() {
            Vec::new()
        } else {
            let unit = |(x, y): &(Option<usize>, Option<usize>)| {
                y.map(|y| b.unit_of(y)).or(x.map(|x| a.unit_of(x))).cloned().unwrap_or_default()
            };
            columns.iter().map(unit).collect()
        },
    })
}

/// Cell by cell, when both have the same cells.
pub(super) fn heat_map(a: &HeatMap, b: &HeatMap) -> Result<HeatMap, String> {
    let shape = |m: &HeatMap| (m.width, m.height, m.is_upward);
    same(CELLS, &shape(a), &shape(b))?;
    let place = |axis: &Axis| (axis.label.clone(), axis.from, axis.to, axis.names.clone());
    same(HORIZONTAL, &place(&a.x), &place(&b.x))?;
    same(VERTICAL, &place(&a.y), &place(&b.y))?;
    same(UNIT, &a.unit, &b.unit)?;
    same(CELLS, &a.values.len(), &b.values.len())?;
    let values = a.values.iter().zip(&b.values).map(|(old, new)| new - old).collect();
    Ok(HeatMap {
        values,
        ramp: Ramp::Div,
        shading: Shading::Linear,
        // The largest of differences would hide every fall.
        fold: if b.fold == Fold::Max { Fold::Mean } else { b.fold },
        full: None,
        has_margins: false,
        // Its rows are of one side only.
        table: String::new(),
        addresses: String::new(),
        ..b.clone()
    })
}

/// The comparison's chart with the baseline's values in parentheses.
pub(super) fn graph(a: &BoxArrow, b: &BoxArrow, notes: &mut Vec<Message>) -> Result<BoxArrow, String> {
    same(UNIT, &a.unit, &b.unit)?;
    let keys = |graph: &BoxArrow| graph.arrows.iter().map(|x| x.key.clone()).collect::<Vec<_>>();
    let is_same_plane = (a.width, a.height) == (b.width, b.height);
    let mut lost = Vec::new();
    let mut arrows = Vec::new();
    for (i, j) in join(&keys(a), &keys(b)) {
        let (left, right) = (i.and_then(|i| a.arrows.get(i)), j.and_then(|j| b.arrows.get(j)));
        let baseline = left.and_then(|l| l.value);
        match (left, right) {
            (_, Some(new)) => arrows.push(GraphArrow { second: baseline, ..new.clone() }),
            (Some(old), None) if is_same_plane => {
                arrows.push(GraphArrow { value: None, second: baseline, peak_share: None, ..old.clone() });
            }
            (Some(old), None) => lost.push(old.name.clone()),
            (None, None) => {}
        }
    }
    report_only(notes, message("Only in the baseline: {names}"), &lost);
    let mut boxes = b.boxes.clone();
    for item in &mut boxes {
        let old = a.boxes.iter().find(|o| o.name == item.name && (o.rect == item.rect || !is_same_plane));
        if let Some(old) = old.filter(|o| o.fact != item.fact && !o.fact.is_empty()) {
            let both = message("{comparison} ({baseline})").with_message("comparison", item.fact.clone());
            item.fact = both.with_message("baseline", old.fact.clone());
        }
    }
    Ok(BoxArrow { boxes, arrows, ..b.clone() })
}
