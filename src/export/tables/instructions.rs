//! Instructions of listings with their metrics. What a column counts says the reader that made it.

use super::{Rows, Source, Value};
use crate::model::code::{Cells, Column, Counts, Listing, ListingKind};
use crate::model::id::ListingId;
use serde_json::{Map, Value as Json};
use std::io::Result;

/// All listings of instructions.
pub(super) fn instructions(of: &Source, rows: &mut Rows) -> Result<()> {
    let code = &of.input.trace.code;
    let is_source = |id: ListingId| {
        code.listings.get(id.index()).is_some_and(|listing| listing.kind == ListingKind::Source)
    };
    for (id, listing) in (0_u32..).map(ListingId).zip(&code.listings) {
        // Those of single launches have the same rows.
        if listing.kind != ListingKind::Assembly || !listing.parts.is_empty() {
            continue;
        }
        let links: Vec<_> =
            code.links.iter().filter(|links| links.to == id && is_source(links.from)).collect();
        for row in (0_u32..).take(listing.lines.len()) {
            let source = links.iter().find_map(|links| {
                let line = links.rows(id, row).next()?;
                Some((code.listings.get(links.from.index())?.title.as_str(), i64::from(line) + 1))
            });
            instruction(of, (id, listing), row, source, rows)?;
        }
    }
    Ok(())
}

fn instruction(
    of: &Source,
    (id, listing): (ListingId, &Listing),
    row: u32,
    source: Option<(&str, i64)>,
    rows: &mut Rows,
) -> Result<()> {
    let at = row as usize;
    let (mut executions, mut cycles, mut sectors) = (None, None, None);
    let (mut stalls, mut metrics) = (Map::new(), Map::new());
    for column in &listing.columns {
        let known = match column.counts {
            Some(Counts::Executions) => Some(&mut executions),
            Some(Counts::Cycles) => Some(&mut cycles),
            Some(Counts::Sectors) => Some(&mut sectors),
            Some(Counts::Stalls) => {
                let reasons = reasons(&column.cells, at);
                if !reasons.is_empty() {
                    stalls.insert(column.name.clone(), Json::Object(reasons));
                }
                None
            }
            None => None,
        };
        match known {
            Some(sum @ None) => *sum = total(&column.cells, at),
            _ => drop(metric(column, at).map(|value| metrics.insert(column.name.clone(), value))),
        }
    }
    let [stalls, metrics] = [stalls, metrics]
        .map(|map| if map.is_empty() { String::new() } else { Json::Object(map).to_string() });
    rows.push(
        of.all(),
        &[
            i64::from(id.0).into(),
            listing.title.as_str().into(),
            of.input.trace.strings.get(listing.scope.kernel).into(),
            i64::from(row).into(),
            listing.address.get(at).map_or(Value::Null, |address| Value::Address(*address)),
            listing.lines.get(at).into(),
            source.map(|(file, _)| file).into(),
            source.map(|(_, line)| line).into(),
            executions.into(),
            cycles.into(),
            stalls.as_str().into(),
            sectors.into(),
            metrics.as_str().into(),
        ],
    )
}

/// What the cores counted together; `None` where none did.
fn total(cells: &Cells, row: usize) -> Option<f64> {
    (0..cells.per_row()).filter_map(|core| cells.number(row, core)).reduce(|a, b| a + b)
}

/// Samples of all cores by reason.
fn reasons(cells: &Cells, row: usize) -> Map<String, Json> {
    let mut sums = Map::new();
    let of_cores = (0..cells.per_row()).filter_map(|core| cells.parts(row, core));
    for (name, n) in of_cores.flat_map(|parts| &parts.parts) {
        let sum = sums.get(name).and_then(Json::as_f64).unwrap_or(0.0) + n;
        sums.insert(name.clone(), sum.into());
    }
    sums
}

/// One value where all cores agree, else one for each; `None` where there is none.
fn metric(column: &Column, row: usize) -> Option<Json> {
    let cells = &column.cells;
    let value = |core: usize| match cells.number(row, core) {
        Some(number) => number.into(),
        None => match cells.text(row, core) {
            "" => Json::Null,
            text => text.into(),
        },
    };
    let values: Vec<Json> = (0..cells.per_row()).map(value).collect();
    let first = values.iter().find(|value| !value.is_null())?;
    Some(if values.iter().all(|value| value == first) { first.clone() } else { values.into() })
}
