//! Which lines cost most, and what each kind of instruction did: sums over all cores of what listings say.

use super::column;
use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::code::{Cells, Column, Listing, ListingKind};
use crate::model::figure::{Body, Cell, Figure, TableColumn, TableFigure};

/// Lines that are told.
const LINES: usize = 100;

/// The column of cycles, of instructions executed, and of bytes, by their units.
struct Costs<'a> {
    cycles: Option<&'a Column>,
    executed: Option<&'a Column>,
    bytes: Option<&'a Column>,
}

impl<'a> Costs<'a> {
    fn of(listing: &'a Listing) -> Self {
        let numbers = || listing.columns.iter().filter(|c| matches!(c.cells, Cells::Numbers { .. }));
        let is_executed = |c: &&Column| matches!(&c.unit, Unit::Count(what) if what == "instructions");
        // Of several columns of cycles the one that is drawn with a bar is the time itself, others are parts of it.
        let bar = |c: &&Column| c.style == crate::model::code::ColumnStyle::Bar;
        let cycles = || numbers().filter(|c| c.unit == Unit::Cycles);
        Self {
            cycles: cycles().find(bar).or_else(|| cycles().next()),
            executed: numbers().find(is_executed),
            bytes: numbers().find(|c| c.unit == Unit::Bytes),
        }
    }
}

/// The sum of a row over all cores.
fn sum(column: Option<&Column>, row: usize) -> f64 {
    let Some(column) = column else { return 0.0 };
    let stride = if let Cells::Numbers { stride, .. } = &column.cells { *stride } else { 1 };
    (0..stride.max(1)).filter_map(|core| column.cells.number(row, core)).sum()
}

fn with_cycles(trace: &Trace, kind: ListingKind) -> impl Iterator<Item = (&Listing, Costs<'_>)> {
    let of_kind = trace.code.listings.iter().filter(move |l| l.kind == kind);
    of_kind.map(|l| (l, Costs::of(l))).filter(|(_, costs)| costs.cycles.is_some())
}

pub(super) fn has_lines(trace: &Trace) -> bool {
    with_cycles(trace, ListingKind::Source).next().is_some()
}

pub(super) fn has_instructions(trace: &Trace) -> bool {
    with_cycles(trace, ListingKind::Assembly).next().is_some()
}

/// The lines with most cycles of all cores together.
pub(super) fn lines(trace: &Trace, _: &Timeline) -> Figure {
    let mut lines = Vec::new();
    let mut total = 0.0;
    for (listing, costs) in with_cycles(trace, ListingKind::Source) {
        for row in 0..listing.lines.len() {
            let cycles = sum(costs.cycles, row);
            if 0.0 < cycles {
                total += cycles;
                lines.push((cycles, sum(costs.executed, row), listing, row));
            }
        }
    }
    order::sort_by(&mut lines, |a, b| b.0.total_cmp(&a.0).then_with(|| a.3.cmp(&b.3)));
    let n_lines = lines.len();
    let rows = lines.into_iter().take(LINES).map(|(cycles, executed, listing, row)| {
        vec![
            Cell::Text(format!("{}:{}", listing.title, row + 1)),
            Cell::Text(listing.lines.get(row).trim().chars().take(200).collect()),
            Cell::Number(cycles),
            Cell::Number(cycles / total * 100.0),
            Cell::Number(executed),
        ]
    });
    let columns = vec![
        TableColumn { is_place: true, ..column(phrase("Line"), Unit::None, false) },
        column(phrase("Text"), Unit::None, false),
        column(phrase("Cycles"), Unit::Cycles, false),
        column(phrase("Share"), Unit::Percent, true),
        column(phrase("Executed instructions"), Unit::None, false),
    ];
    let table = TableFigure {
        columns,
        rows: rows.collect(),
        key_columns: 1,
        more_rows: n_lines.saturating_sub(LINES),
        row_units: Vec::new(),
    };
    let mut figure = Figure::new("", Body::Table(table));
    phrase("cycles of all cores").clone_into(&mut figure.scope);
    figure
}

/// Sums of one kind of instruction on one pipe.
#[derive(Clone, Copy, Default)]
struct Sums {
    places: u64,
    executed: f64,
    cycles: f64,
    bytes: f64,
}

/// Instructions by pipe and by their first word. Bytes are those that one execution moves, times how often it ran.
pub(super) fn kinds(trace: &Trace, _: &Timeline) -> Figure {
    let mut kinds: Map<(String, String), Sums> = Map::default();
    let mut has_bytes = false;
    for (listing, costs) in with_cycles(trace, ListingKind::Assembly) {
        let pipe = listing.columns.iter().find(|c| c.name == "Pipe");
        has_bytes |= costs.bytes.is_some();
        for row in 0..listing.lines.len() {
            let pipe = pipe.map_or("", |c| c.cells.text(row, 0)).to_owned();
            let word = listing.lines.get(row).split_whitespace().next().unwrap_or("").to_owned();
            let sums = kinds.entry((pipe, word)).or_default();
            let executed = sum(costs.executed, row);
            sums.places += 1;
            sums.executed += executed;
            sums.cycles += sum(costs.cycles, row);
            let each = costs.bytes.and_then(|c| c.cells.number(row, 0)).unwrap_or(0.0);
            sums.bytes += each * executed;
        }
    }
    let total: f64 = kinds.values().map(|s| s.cycles).sum();
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    order::sort_by(&mut kinds, |a, b| b.1.cycles.total_cmp(&a.1.cycles).then_with(|| a.0.cmp(&b.0)));
    let rows = kinds.into_iter().map(|((pipe, word), sums)| {
        let mut row = vec![
            Cell::Text(pipe),
            Cell::Text(word),
            Cell::Number(sums.places as f64),
            Cell::Number(sums.executed),
            Cell::Number(sums.cycles),
            Cell::number((0.0 < total).then(|| sums.cycles / total * 100.0)),
        ];
        if has_bytes {
            row.push(Cell::Number(sums.bytes));
        }
        row
    });
    let mut columns = vec![
        column(phrase("Pipe"), Unit::None, false),
        column(phrase("Kind"), Unit::None, false),
        column(phrase("Occurrences"), Unit::None, false),
        column(phrase("Executed instructions"), Unit::None, false),
        column(phrase("Cycles"), Unit::Cycles, false),
        column(phrase("Share"), Unit::Percent, true),
    ];
    if has_bytes {
        columns.push(column(phrase("Bytes moved"), Unit::Bytes, false));
    }
    let table = TableFigure { rows: rows.collect(), columns, key_columns: 2, ..TableFigure::default() };
    let mut figure = Figure::new("", Body::Table(table));
    phrase("sums over all cores").clone_into(&mut figure.scope);
    figure
}
