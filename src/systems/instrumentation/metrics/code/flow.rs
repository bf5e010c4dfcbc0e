//! Blocks and the ways between them: counted where what threads ran is known, else as far as counts of blocks say.

use crate::base::job::Turn;
use crate::base::map::Map;
use crate::base::number;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::code::{Cells, Column, ColumnStyle, ControlFlow, Edge, Listing, Rows};
use crate::model::id::ListingId;
use crate::views::executions::compute::{Executions, NO_BLOCK, Program, range};

/// How often which block followed which.
#[derive(Clone, Debug, Default)]
pub(in crate::systems::instrumentation::metrics) struct Edges {
    counts: Map<(u32, u32), u64>,
    /// Whether any launch was counted.
    is_known: bool,
}

/// Executions that are counted between two pauses.
const PIECE: usize = 1 << 18;

impl Edges {
    /// Counts a launch.
    pub(in crate::systems::instrumentation::metrics) async fn count(
        &mut self,
        executions: &Executions,
        turn: &Turn,
    ) {
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
pub(super) fn add(trace: &mut Trace, program: &Program, id: ListingId, edges: &Edges) {
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
