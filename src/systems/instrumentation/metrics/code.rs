//! The assembly of a program with what was measured beside it, so that it is shown as any other code: its blocks, the ways
//! between them, and the lines of source that it was made of.

use super::verdict::pattern;
use super::{AccessMetrics, InstructionMetrics};
use crate::base::job::Turn;
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::base::{number, order};
use crate::model::Trace;
use crate::model::code::{
    Cells, CodeScope, Column, ColumnStyle, ControlFlow, Counts, Edge, Lines, Links, Listing, ListingKind,
    Rows,
};
use crate::model::id::ListingId;
use crate::views::executions::compute::{Executions, NO_BLOCK, Program, Space, range};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Adds the listing of a program.
pub(crate) fn add_listing(trace: &mut Trace, program: &Program, metrics: &[InstructionMetrics]) -> ListingId {
    let scope = CodeScope { entry: Some(program.entry), kernel: trace.strings.intern(&program.name) };
    let mut lines = Lines::default();
    for instruction in &program.instructions {
        lines.push(&instruction.text);
    }
    let id = ListingId(u32::try_from(trace.code.listings.len()).unwrap_or(u32::MAX));
    trace.code.listings.push(Listing {
        columns: columns(program, metrics, excess_sectors(program, metrics)),
        ..Listing::assembly(
            program.name.clone(),
            scope,
            lines,
            program.instructions.iter().map(|of| of.address).collect(),
        )
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
    flow_add(trace, program, id, edges);
    source_add(trace, program, id, metrics);
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
        Column {
            counts: Some(Counts::Executions),
            ..numbers(phrase("Executions"), Unit::None, ColumnStyle::Bar, of(|of| Some(of.executions as f64)))
        },
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
    let sectors = access(|of| (0 < of.sectored()).then_some(of.sectors as f64));
    let per_access = access(|of| (0 < of.sectored()).then(|| of.sectors as f64 / of.sectored() as f64));
    let moved = access(|of| (of.shared.active == 0 || 0 < of.sectored()).then_some(of.moved as f64));
    let waves =
        access(|of| (0 < of.shared.active).then(|| of.shared.wavefronts as f64 / of.shared.active as f64));
    let excess = access(|of| (0 < of.shared.active).then(|| of.shared.excess() as f64));
    let texts = metrics.iter().map(|of| of.seen().map(pattern));
    let texts = texts.map(|text| text.map_or_else(String::new, |text| text.to_string())).collect();
    let mut all = vec![
        Column {
            counts: Some(Counts::Sectors),
            ..numbers(phrase("Sectors"), Unit::None, ColumnStyle::Bar, sectors)
        },
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
        style: ColumnStyle::Phrase,
        counts: None,
        cells: Cells::Texts { values: texts, stride: 1, rows: Rows::All },
    });
    all
}

fn numbers(name: &str, unit: Unit, style: ColumnStyle, values: Vec<f64>) -> Column {
    Column {
        name: name.to_owned(),
        unit,
        style,
        counts: None,
        cells: Cells::Numbers { values, stride: 1, rows: Rows::All },
    }
}

// Lines of source, as far as instructions name any: what was measured of the instructions of a line adds up there. Text
// is shown where a file has it.

/// Lines that are shown; files of source have fewer.
const MOST: u32 = 1 << 17;

/// Rows of instructions by the row of their line.
type ByLine = BTreeMap<u32, Vec<u32>>;

/// Adds a listing for each file that instructions name, or what was measured to the one that is there, and links them.
fn source_add(trace: &mut Trace, program: &Program, to: ListingId, metrics: Option<&[InstructionMetrics]>) {
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
    trace.code.listings.push(Listing { has_text: false, ..Listing::source(path, scope, "cpp", lines) });
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
        counts: column.counts,
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

// Blocks and the ways between them: counted where what threads ran is known, else as far as counts of blocks say.

/// How often which block followed which.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    counts: Map<(u32, u32), u64>,
    /// Whether any launch was counted.
    is_known: bool,
}

/// Executions that are counted between two pauses.
const PIECE: usize = 1 << 18;

impl Edges {
    /// Adds ways of another program, whose ends are these blocks here.
    pub(super) fn join(&mut self, other: &Self, place: impl Fn(u32, u32) -> Option<(u32, u32)>) {
        self.is_known |= other.is_known;
        for ((from, to), n) in &other.counts {
            self.add(place(*from, *to), *n);
        }
    }

    /// Counts what goes on from a block to the next one where others know how often it ran: what came to it from no other.
    pub(super) fn add_rest(&mut self, from: u32, executions: u64) {
        let to = from + 1;
        let others: u64 = self.counts.iter().filter(|(way, _)| way.1 == to).map(|(_, n)| n).sum();
        self.add(Some((from, to)).filter(|_| self.is_known), executions.saturating_sub(others));
    }

    /// Counts a launch.
    pub(crate) async fn count(&mut self, executions: &Executions, turn: &Turn) {
        self.is_known |= !executions.block.is_empty();
        let mut left = PIECE;
        for thread in 0..executions.starts.len().saturating_sub(1) {
            let all = range(executions, thread);
            let mut blocks = executions.block.get(all).unwrap_or(&[]);
            loop {
                // The last block of a piece is the first of the next one.
                let piece = blocks.get(..left.saturating_add(1)).unwrap_or(blocks);
                self.count_ways(piece);
                left = left.saturating_sub(piece.len() + 1);
                let is_last = piece.len() == blocks.len();
                blocks = blocks.get(piece.len().saturating_sub(1)..).unwrap_or(&[]);
                if left == 0 {
                    left = PIECE;
                    turn.pause().await;
                }
                if is_last {
                    break;
                }
            }
        }
    }

    fn count_ways(&mut self, blocks: &[u32]) {
        let mut last = None;
        let mut same = 0;
        for way in blocks.iter().copied().zip(blocks.iter().copied().skip(1)) {
            if last == Some(way) {
                same += 1;
                continue;
            }
            self.add(last, same);
            (last, same) = (Some(way), 1);
        }
        self.add(last, same);
    }

    fn add(&mut self, way: Option<(u32, u32)>, n: u64) {
        if let Some(way) = way.filter(|(from, to)| *from != NO_BLOCK && *to != NO_BLOCK) {
            *self.counts.entry(way).or_default() += n;
        }
    }
}

/// Adds the blocks of a program and the ways between them to its listing.
fn flow_add(trace: &mut Trace, program: &Program, id: ListingId, edges: &Edges) {
    // Where each instruction is a block of its own, only single accesses were recorded.
    let is_split = 1 < program.blocks.len() && program.blocks.iter().any(|block| 1 < block.len);
    let Some(listing) = trace.code.listings.get_mut(id.index()).filter(|_| is_split) else { return };
    let first = |row: &u32| program.blocks.get(*row as usize).map(|block| block.first);
    let last = |row: &u32| {
        program.blocks.get(*row as usize).map(|block| block.first.saturating_add(block.len.max(1) - 1))
    };
    let ways = ways(listing, program, edges);
    let edge = |(from, to, count): &(u32, u32, Option<u64>)| {
        Some(Edge { from: last(from)?, to: first(to)?, count: *count, lane: None })
    };
    let all = ways.iter().filter_map(edge).collect();
    add_columns(listing, program, &ways);
    if trace.code.flows.iter().all(|flow| flow.listing != id) {
        let blocks = program.blocks.iter().map(|block| block.first).collect();
        trace.code.flows.push(ControlFlow::new(id, blocks, all));
    }
}

/// From block to block with how often, ascending.
fn ways(listing: &Listing, program: &Program, edges: &Edges) -> Vec<(u32, u32, Option<u64>)> {
    let rows = (0_u32..).zip(&program.blocks);
    let known = rows.flat_map(|(row, block)| block.successors.iter().map(move |next| (row, *next)));
    let mut all: Vec<(u32, u32)> = known.chain(edges.counts.keys().copied()).collect();
    order::sort_pairs(&mut all);
    all.dedup();
    let count = |way: &(u32, u32)| edges.is_known.then(|| edges.counts.get(way).copied().unwrap_or(0));
    let mut ways: Vec<(u32, u32, Option<u64>)> = all.iter().map(|way| (way.0, way.1, count(way))).collect();
    if !edges.is_known {
        conclude(listing, program, &mut ways);
    }
    ways
}

/// What counts of blocks say of the ways between them: all that come in, and all that go out, add up to the count.
fn conclude(listing: &Listing, program: &Program, ways: &mut [(u32, u32, Option<u64>)]) {
    let counted = listing.columns.iter().find(|column| column.style == ColumnStyle::Bar);
    let Some(counted) = counted else { return };
    #[allow(clippy::cast_possible_truncation)] // a count, which was a whole number
    let count = |block: u32| {
        let first = program.blocks.get(block as usize)?.first;
        counted.cells.number(first as usize, 0).filter(|n| 0.0 <= *n).map(|n| n as u64)
    };
    let is_entry = |block: u32| program.blocks.get(block as usize).is_none_or(|block| block.is_entry);
    let is_exit = |block: u32| program.blocks.get(block as usize).is_none_or(|block| block.is_exit);
    // Each round knows one more at least.
    for _ in 0..ways.len() {
        let mut sums: Map<(bool, u32), (u64, usize, u32)> = Map::default();
        for (at, (from, to, count)) in (0_usize..).zip(ways.iter()) {
            for key in [(false, *from), (true, *to)] {
                let sum = sums.entry(key).or_default();
                match count {
                    Some(n) => sum.0 = sum.0.saturating_add(*n),
                    None => (sum.1, sum.2) = (at, sum.2 + 1),
                }
            }
        }
        let mut is_on = false;
        for ((is_in, block), (sum, at, unknown)) in sums {
            let is_whole = if is_in { !is_entry(block) } else { !is_exit(block) };
            let Some(n) = count(block).filter(|_| is_whole && unknown == 1) else { continue };
            if let Some(way) = ways.get_mut(at).filter(|way| way.2.is_none()) {
                way.2 = Some(n.saturating_sub(sum));
                is_on = true;
            }
        }
        if !is_on {
            break;
        }
    }
}

/// Columns of the block of each instruction, and of what follows behind its last one.
fn add_columns(listing: &mut Listing, program: &Program, ways: &[(u32, u32, Option<u64>)]) {
    let has = |name: &str| listing.columns.iter().any(|column| column.name == name);
    let label = |row: u32| program.blocks.get(row as usize).map_or("", |block| &block.label);
    let n = listing.lines.len();
    let (mut names, mut next) = (vec![String::new(); n], vec![String::new(); n]);
    for (row, block) in (0_u32..).zip(&program.blocks) {
        let first = block.first as usize;
        let own = names.iter_mut().skip(first).take(block.len as usize);
        own.for_each(|name| name.clone_from(&block.label));
        let begin = ways.partition_point(|way| way.0 < row);
        let behind =
            ways.iter().skip(begin).take_while(|way| way.0 == row).map(|(_, to, count)| match count {
                Some(count) => format!("{} {}", label(*to), number::thousands(*count)),
                None => label(*to).to_owned(),
            });
        let last = next.get_mut(first.saturating_add((block.len as usize).saturating_sub(1)));
        if let Some(last) = last {
            *last = behind.collect::<Vec<_>>().join(", ");
        }
    }
    let column = |name: &str, values| Column {
        name: name.to_owned(),
        unit: Unit::None,
        style: ColumnStyle::Plain,
        counts: None,
        cells: Cells::Texts { values, stride: 1, rows: Rows::All },
    };
    let (has_block, has_next) = (has(phrase("Block")), has(phrase("Next blocks")));
    // The first text stands before the instruction.
    let texts = listing.columns.iter().position(|column| matches!(column.cells, Cells::Texts { .. }));
    if !has_block {
        listing.columns.insert(texts.unwrap_or(listing.columns.len()), column(phrase("Block"), names));
    }
    if !has_next {
        listing.columns.push(column(phrase("Next blocks"), next));
    }
}
