//! Lines of source, as far as instructions name any: what was measured of the instructions of a line adds up there. Text
//! is shown where a file has it.

use super::{columns, excess_sectors};
use crate::model::Trace;
use crate::model::code::{Cells, Column, ColumnStyle, Lines, Links, Listing, ListingKind, Rows};
use crate::model::id::ListingId;
use crate::systems::instrumentation::metrics::InstructionMetrics;
use crate::views::executions::compute::Program;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Lines that are shown; files of source have fewer.
const MOST: u32 = 1 << 17;

/// Rows of instructions by the row of their line.
type ByLine = BTreeMap<u32, Vec<u32>>;

/// Adds a listing for each file that instructions name, or what was measured to the one that is there, and links them.
pub(super) fn add(
    trace: &mut Trace,
    program: &Program,
    to: ListingId,
    metrics: Option<&[InstructionMetrics]>,
) {
    let mut files: BTreeMap<&str, ByLine> = BTreeMap::new();
    for (row, instruction) in (0_u32..).zip(&program.instructions) {
        let Some((path, line)) = &instruction.source else { continue };
        let Some(line) = line.checked_sub(1).filter(|line| *line < MOST) else { continue };
        files.entry(path).or_default().entry(line).or_default().push(row);
    }
    for (path, by_line) in files {
        let from = listing(trace, program, path, by_line.keys().next_back().copied().unwrap_or(0));
        let Some(from) = from else { continue };
        let n = trace.code.listings.get(from.index()).map_or(0, |listing| listing.lines.len());
        let cells = match metrics {
            Some(metrics) => measured(program, metrics, &by_line, n),
            None => counted(trace.code.listings.get(to.index()), &by_line, n),
        };
        if let Some(listing) =
            trace.code.listings.get_mut(from.index()).filter(|listing| listing.columns.is_empty())
        {
            listing.columns = cells;
        }
        let pairs = by_line.iter().flat_map(|(line, rows)| rows.iter().map(|row| (*line, *row))).collect();
        trace.code.links.push(Links::new(from, to, pairs));
    }
}

/// The listing of a file that has no columns yet: that with its text, or a new one.
fn listing(trace: &mut Trace, program: &Program, path: &str, last: u32) -> Option<ListingId> {
    let is_it = |listing: &Listing| {
        listing.kind == ListingKind::Source
            && listing.title == path
            && listing.scope.entry == Some(program.entry)
            && (listing.has_text || listing.columns.is_empty())
    };
    let known = trace.code.listings.iter().position(is_it);
    if let Some(known) = known {
        return u32::try_from(known).ok().map(ListingId);
    }
    let scope = trace.code.listings.get(program.listing?.index())?.scope;
    let mut lines = Lines::default();
    (0..=last).for_each(|_| lines.push(""));
    let id = u32::try_from(trace.code.listings.len()).ok().map(ListingId)?;
    trace.code.listings.push(Listing {
        title: path.to_owned(),
        kind: ListingKind::Source,
        scope,
        language: "cpp".to_owned(),
        lines,
        address: Vec::new(),
        columns: Vec::new(),
        has_text: false,
    });
    Some(id)
}

/// Which of `n` lines have a record.
fn rows(by_line: &ByLine, n: usize) -> Rows {
    let mut records = vec![Rows::NONE; n];
    for (record, line) in (0_u32..).zip(by_line.keys()) {
        records.get_mut(*line as usize).into_iter().for_each(|of| *of = record);
    }
    Rows::Few(Rc::from(records))
}

/// Columns of what was measured of the instructions of each line.
fn measured(program: &Program, metrics: &[InstructionMetrics], by_line: &ByLine, n: usize) -> Vec<Column> {
    let sums: Vec<InstructionMetrics> = by_line
        .values()
        .map(|rows| {
            let mut sum = InstructionMetrics::default();
            rows.iter().filter_map(|row| metrics.get(*row as usize)).for_each(|of| sum.add(of));
            sum
        })
        .collect();
    let own = excess_sectors(program, metrics);
    let of_line = |rows: &Vec<u32>| {
        let known = rows.iter().filter_map(|row| own.get(*row as usize)).filter(|n| !n.is_nan());
        known.fold(f64::NAN, |sum, n| if sum.is_nan() { *n } else { sum + n })
    };
    let excess = by_line.values().map(of_line).collect();
    let mut columns = columns(program, &sums, excess);
    let shared = rows(by_line, n);
    for column in &mut columns {
        match &mut column.cells {
            Cells::Numbers { rows, .. } | Cells::Texts { rows, .. } => *rows = shared.clone(),
            _ => {}
        }
    }
    columns
}

/// Columns that add up those of the instructions that can be added up.
fn counted(listing: Option<&Listing>, by_line: &ByLine, n: usize) -> Vec<Column> {
    let shared = rows(by_line, n);
    let all = listing.map_or(&[][..], |listing| &listing.columns);
    let counts = all.iter().filter(|column| column.style == ColumnStyle::Bar);
    let sum = |column: &Column| Column {
        name: column.name.clone(),
        unit: column.unit.clone(),
        style: column.style,
        cells: Cells::Numbers {
            values: by_line
                .values()
                .map(|rows| {
                    let known = rows.iter().filter_map(|row| column.cells.number(*row as usize, 0));
                    known.fold(f64::NAN, |sum, n| if sum.is_nan() { n } else { sum + n })
                })
                .collect(),
            stride: 1,
            rows: shared.clone(),
        },
    };
    counts.map(sum).collect()
}
