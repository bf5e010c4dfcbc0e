//! A memory table over all blocks: counts are sums, and every rate is weighted by what it is a rate of.
//!
//! | column | over all blocks |
//! |---|---|
//! | hits, misses, requests, instructions, cycles, bytes | sum |
//! | hit rate | hits ÷ total |
//! | active rate | cycles ÷ all cycles of the blocks, which follow from the rates |
//! | throughput, share of peak | of a block on average over time: requests ÷ throughput is the time of a block |
//! | active bandwidth | weighted by the cycles in which the pipe was active |
//! | time | that of the longest block |

use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Body, Cell, Family, Figure, TableColumn, TableFigure};
use crate::systems::ascend::reader::details::brief::weighted;
use crate::systems::ascend::reader::details::load::AVERAGE_NAME;

/// What all blocks together are called in choices.
pub(in crate::systems::ascend::reader::details) const ALL_NAME: &str = phrase("All blocks");

/// Columns that are summed, by the names that they are shown under.
const SUMS: [&str; 4] = ["Hits", "Misses", "Total", "Requests"];

/// Adds a variant over all blocks behind those of single ones, where the blocks have the same columns.
pub(super) fn add(family: &mut Family) {
    let has_average = family.choices.iter().any(|choice| choice.options.iter().any(|o| o == AVERAGE_NAME));
    let tables: Vec<&TableFigure> = family
        .variants
        .iter()
        .filter_map(|figure| if let Body::Table(table) = &figure.body { Some(table) } else { None })
        .collect();
    let Some(first) = tables.first() else { return };
    let is_same = tables.iter().all(|table| heads(table).eq(heads(first)) && table.more_rows == 0);
    if has_average || tables.len() < 2 || tables.len() != family.variants.len() || !is_same {
        return;
    }
    let body = Body::Table(over_all(&tables, first));
    let mut figure = Figure::new(family.title.clone(), body);
    figure.scope = family.variants.first().map_or_else(String::new, |own| own.scope.clone());
    figure.notes.push(message(
        "All blocks: counts are sums, rates are weighted by their base, throughput is the mean per block.",
    ));
    if let Some(choice) = family.choices.first_mut() {
        choice.options.push(ALL_NAME.to_owned());
        family.variants.push(figure);
    }
}

fn heads(table: &TableFigure) -> impl Iterator<Item = (&str, &Unit)> {
    table.columns.iter().map(|column| (column.name.as_str(), &column.unit))
}

/// The rows of this name of each block that has one.
type Rows<'a> = Vec<(&'a TableFigure, &'a [Cell])>;

fn over_all(tables: &[&TableFigure], first: &TableFigure) -> TableFigure {
    let mut names: Vec<&Cell> = Vec::new();
    for name in tables.iter().flat_map(|table| &table.rows).filter_map(|row| row.first()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let row = |name: &&Cell| {
        let own = |table: &&TableFigure| table.rows.iter().position(|row| row.first() == Some(*name));
        let rows: Rows = tables
            .iter()
            .filter_map(|table| Some((*table, table.rows.get(own(table)?)?.as_slice())))
            .collect();
        let cells =
            first.columns.iter().enumerate().skip(1).map(|(at, column)| cell(&rows, at, column, first));
        std::iter::once((*name).clone()).chain(cells).collect()
    };
    let rows = names.iter().map(row).collect();
    TableFigure { columns: first.columns.clone(), rows, key_columns: 1, ..TableFigure::default() }
}

fn number(row: &[Cell], at: Option<usize>) -> Option<f64> {
    row.get(at?).and_then(Cell::as_number).filter(|value| value.is_finite())
}

fn cell(rows: &Rows, at: usize, column: &TableColumn, first: &TableFigure) -> Cell {
    let named = |name: &str| first.columns.iter().position(|column| column.name == name);
    let values = || rows.iter().filter_map(|(_, row)| number(row, Some(at)));
    let sum_of = |at: Option<usize>| rows.iter().filter_map(|(_, row)| number(row, at)).reduce(|a, b| a + b);
    let by = |weight: &dyn Fn(&TableFigure, &[Cell]) -> Option<f64>| {
        let both = rows.iter().map(|(table, row)| Some((number(row, Some(at))?, weight(table, row)?)));
        weighted(both.collect::<Option<Vec<_>>>()?.into_iter())
    };
    let value = match (column.name.as_str(), &column.unit) {
        (name, Unit::Count(_) | Unit::Cycles | Unit::Bytes) if !name.is_empty() => sum_of(Some(at)),
        (name, _) if SUMS.contains(&name) => sum_of(Some(at)),
        ("Hit rate", unit) => {
            let full = if *unit == Unit::Share { 1.0 } else { 100.0 };
            let rate = sum_of(named("Hits")).zip(sum_of(named("Total")).filter(|total| 0.0 < *total));
            rate.map(|(hits, total)| hits / total * full)
        }
        ("Active rate", _) => by(&|table, _| all_cycles(table)),
        ("Active bandwidth", _) => by(&|_, row| number(row, named("Cycles"))),
        ("Throughput" | "Share of peak", _) if values().all(|value| value == 0.0) => values().next(),
        ("Throughput" | "Share of peak", _) => by(&|_, row| {
            let rate = number(row, named("Throughput")).filter(|rate| 0.0 < *rate)?;
            Some(number(row, named("Requests"))? / rate)
        }),
        (_, Unit::Micros) => values().max_by(f64::total_cmp),
        _ => None,
    };
    Cell::number(value)
}

/// All cycles of a block, from the pipe whose cycles and rate tell them best.
fn all_cycles(table: &TableFigure) -> Option<f64> {
    let named = |name: &str| table.columns.iter().position(|column| column.name == name);
    let (cycles, rate) = (named("Cycles"), named("Active rate"));
    let both = table.rows.iter().filter_map(|row| Some((number(row, cycles)?, number(row, rate)?)));
    let best = both.filter(|(_, rate)| 0.0 < *rate).max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(best.0 / best.1)
}
