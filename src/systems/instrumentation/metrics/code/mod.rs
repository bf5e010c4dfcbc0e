//! The assembly of a program with what was measured beside it, so that it is shown as any other code: its blocks, the ways
//! between them, and the lines of source that it was made of.

mod flow;
mod source;

use super::verdict::pattern;
use super::{AccessMetrics, InstructionMetrics};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::code::{Cells, CodeScope, Column, ColumnStyle, Lines, Listing, ListingKind, Rows};
use crate::model::id::ListingId;
use crate::views::executions::compute::{Program, Space};

pub(super) use flow::Edges;

/// Adds the listing of a program.
pub(in crate::systems::instrumentation) fn add_listing(
    trace: &mut Trace,
    program: &Program,
    metrics: &[InstructionMetrics],
) -> ListingId {
    let scope = CodeScope { entry: Some(program.entry), kernel: trace.strings.intern(&program.name) };
    let mut lines = Lines::default();
    for instruction in &program.instructions {
        lines.push(&instruction.text);
    }
    let id = ListingId(u32::try_from(trace.code.listings.len()).unwrap_or(u32::MAX));
    trace.code.listings.push(Listing {
        title: program.name.clone(),
        kind: ListingKind::Assembly,
        scope,
        language: "asm".to_owned(),
        lines,
        address: program.instructions.iter().map(|of| of.address).collect(),
        columns: columns(program, metrics, excess_sectors(program, metrics)),
        has_text: true,
    });
    id
}

/// Puts blocks, the ways between them and lines of source beside the listing of a program.
pub(super) fn describe(
    trace: &mut Trace,
    program: &Program,
    metrics: Option<&[InstructionMetrics]>,
    edges: &Edges,
) {
    let Some(id) = program.listing else { return };
    flow::add(trace, program, id, edges);
    source::add(trace, program, id, metrics);
}

/// Sectors beyond the fewest of each instruction that accesses global memory, as advice counts them; NaN for all others.
pub(super) fn excess_sectors(program: &Program, metrics: &[InstructionMetrics]) -> Vec<f64> {
    let is_global = |row: usize| {
        let memory = program.instructions.get(row).and_then(|instruction| instruction.memory);
        memory.is_some_and(|memory| memory.space == Space::Global)
    };
    let known = |(row, of): (usize, &InstructionMetrics)| {
        let access = of.access.as_deref().filter(|access| is_global(row) && 0 < access.sectored());
        access.map_or(f64::NAN, |access| access.excess() as f64)
    };
    metrics.iter().enumerate().map(known).collect()
}

/// What was measured of each row, beside its line: `metrics` and `excess_sectors` have a value for each.
pub(super) fn columns(
    program: &Program,
    metrics: &[InstructionMetrics],
    excess_sectors: Vec<f64>,
) -> Vec<Column> {
    let of = |value: fn(&InstructionMetrics) -> Option<f64>| -> Vec<f64> {
        metrics.iter().map(|of| value(of).unwrap_or(f64::NAN)).collect()
    };
    let lanes = f64::from(program.lanes.max(1));
    let active = |of: &InstructionMetrics| {
        let known = of.executions.saturating_sub(of.unknown);
        (0 < known).then(|| of.lanes as f64 / (known as f64 * lanes))
    };
    let active: Vec<f64> = metrics.iter().map(|of| active(of).unwrap_or(f64::NAN)).collect();
    let mean = active.iter().map(|share| share * lanes).collect();
    // Where lanes were recorded for whole blocks, instructions with a predicate may have run with fewer.
    let names = if metrics.iter().any(|of| 0 < of.of_block) {
        [
            phrase("Thread instructions (at most)"),
            phrase("Active lanes (at most)"),
            phrase("Lanes (mean at most)"),
        ]
    } else {
        [phrase("Thread instructions"), phrase("Active lanes"), phrase("Lanes, mean")]
    };
    let mut all = vec![
        numbers(phrase("Executions"), Unit::None, ColumnStyle::Bar, of(|of| Some(of.executions as f64))),
        numbers(
            names[0],
            Unit::None,
            ColumnStyle::Bar,
            of(|of| (of.unknown < of.executions).then_some(of.lanes as f64)),
        ),
        numbers(names[1], Unit::Share, ColumnStyle::Share, active),
        numbers(names[2], Unit::None, ColumnStyle::Plain, mean),
    ];
    if metrics.iter().any(|of| of.access.is_some()) {
        all.extend(access_columns(metrics, excess_sectors));
    }
    all
}

/// What was measured of accesses.
fn access_columns(metrics: &[InstructionMetrics], excess_sectors: Vec<f64>) -> Vec<Column> {
    let access = |value: fn(&AccessMetrics) -> Option<f64>| -> Vec<f64> {
        let of = metrics.iter().map(InstructionMetrics::seen);
        of.map(|of| of.and_then(value).unwrap_or(f64::NAN)).collect()
    };
    // Shared memory has no sectors.
    let is_shared = |of: &AccessMetrics| 0 < of.shared.active;
    let per_access = access(|of| (0 < of.sectored()).then(|| of.sectors as f64 / of.sectored() as f64));
    let moved = access(|of| (of.shared.active == 0 || 0 < of.sectored()).then_some(of.moved as f64));
    let waves =
        access(|of| (0 < of.shared.active).then(|| of.shared.wavefronts as f64 / of.shared.active as f64));
    let excess = access(|of| (0 < of.shared.active).then(|| of.shared.excess() as f64));
    let texts = metrics.iter().map(|of| of.seen().map(pattern));
    let texts = texts.map(|text| text.map_or_else(String::new, |text| text.to_string())).collect();
    let mut all = vec![
        numbers(phrase("Sectors per access"), Unit::None, ColumnStyle::Bar, per_access),
        numbers(phrase("Efficiency"), Unit::Share, ColumnStyle::Share, access(AccessMetrics::efficiency)),
        numbers(phrase("Bytes moved"), Unit::Bytes, ColumnStyle::Bar, moved),
    ];
    if excess_sectors.iter().any(|n| !n.is_nan()) {
        all.push(numbers(phrase("Excess sectors"), Unit::None, ColumnStyle::Bar, excess_sectors));
    }
    if metrics.iter().filter_map(|of| of.access.as_deref()).any(is_shared) {
        all.extend([
            numbers(phrase("Wavefronts per access"), Unit::None, ColumnStyle::Plain, waves),
            numbers(phrase("Excess wavefronts"), Unit::None, ColumnStyle::Bar, excess),
        ]);
    }
    all.push(Column {
        name: phrase("Pattern").to_owned(),
        unit: Unit::None,
        style: ColumnStyle::Plain,
        cells: Cells::Texts { values: texts, stride: 1, rows: Rows::All },
    });
    all
}

fn numbers(name: &str, unit: Unit, style: ColumnStyle, values: Vec<f64>) -> Column {
    Column {
        name: name.to_owned(),
        unit,
        style,
        cells: Cells::Numbers { values, stride: 1, rows: Rows::All },
    }
}
