//! One listing for all launches of a kernel, where the file of each launch has a program of its own: what is said of a kernel
//! is seen there with the same numbers.

use super::code::{Edges, add_listing, describe};
use super::{InstructionMetrics, KernelSum};
use crate::base::map::Map;
use crate::base::order;
use crate::model::Trace;
use crate::model::id::ListingId;
use crate::views::executions::compute::{Block, Instruction, Program, Recorded};

/// Adds a listing for each kernel whose launches have several, and tells the kernel. A kernel whose programs differ at an
/// address gets none. `edges` has a row for each program.
pub(super) fn add(trace: &mut Trace, recorded: &Recorded, kernels: &mut [KernelSum], edges: &[Edges]) {
    for kernel in kernels {
        let launches = kernel.launches.iter().filter_map(|row| recorded.launches.get(*row as usize));
        let mut rows: Vec<u32> = launches.map(|launch| launch.program).collect();
        order::sort(&mut rows);
        rows.dedup();
        let none = Edges::default();
        let own = rows.iter().filter_map(|row| {
            Some((recorded.programs.get(*row as usize)?, edges.get(*row as usize).unwrap_or(&none)))
        });
        let own: Vec<(&Program, &Edges)> = own.filter(|(program, _)| !program.is_numbered).collect();
        let mut parts: Vec<ListingId> = own.iter().filter_map(|(program, _)| program.listing).collect();
        order::sort(&mut parts);
        parts.dedup();
        if parts.len() < 2 || parts.len() != own.len() {
            continue;
        }
        let Some((mut program, metrics, edges)) = join(recorded, kernel, &own) else { continue };
        let id = add_listing(trace, &program, &metrics);
        if let Some(listing) = trace.code.listings.get_mut(id.index()) {
            (listing.parts, listing.scope.entry) = (parts, None);
        }
        program.listing = Some(id);
        describe(trace, &program, Some(&metrics), &edges);
        kernel.listing = Some(id);
    }
}

/// The program that has all instructions of these, what was measured of them, and how often which block followed which.
fn join(
    recorded: &Recorded,
    kernel: &KernelSum,
    own: &[(&Program, &Edges)],
) -> Option<(Program, Vec<InstructionMetrics>, Edges)> {
    let mut known: Map<u64, &Instruction> = Map::default();
    for instruction in own.iter().flat_map(|(program, _)| &program.instructions) {
        let first = *known.entry(instruction.address).or_insert(instruction);
        if first.text != instruction.text {
            return None;
        }
    }
    let mut instructions: Vec<Instruction> = known.into_values().cloned().collect();
    order::sort_by_key(&mut instructions, |instruction| instruction.address);
    let places: Map<u64, u32> = instructions.iter().map(|one| one.address).zip(0..).collect();
    let mut metrics = vec![InstructionMetrics::default(); instructions.len()];
    for row in &kernel.rows {
        let program = recorded.programs.get(row.program as usize)?;
        let address = program.instructions.get(row.row as usize)?.address;
        metrics.get_mut(*places.get(&address)? as usize)?.add(&row.metrics);
    }
    let first = own.first()?.0;
    let mut program = Program {
        name: first.name.clone(),
        entry: first.entry,
        lanes: first.lanes,
        instructions,
        ..Program::default()
    };
    let edges = join_blocks(&mut program, &places, &metrics, own);
    Some((program, metrics, edges))
}

/// Blocks of a program of `n` instructions that begin at these.
fn blocks_from(firsts: &[u32], n: usize) -> Vec<Block> {
    let ends = firsts.iter().skip(1).copied().chain(u32::try_from(n).ok());
    let block = |(id, (first, end)): (u32, (u32, u32))| Block {
        id,
        label: format!("BB{id}"),
        first,
        len: end.saturating_sub(first),
        ..Block::default()
    };
    (0..).zip(firsts.iter().copied().zip(ends)).map(block).collect()
}

/// Gives a program the blocks of others: a block that another one cuts becomes several.
fn join_blocks(
    program: &mut Program,
    places: &Map<u64, u32>,
    metrics: &[InstructionMetrics],
    own: &[(&Program, &Edges)],
) -> Edges {
    let n = program.instructions.len();
    let ends = |of: &Program, block: &Block| -> Option<(u32, u32)> {
        let at = |row: u32| places.get(&of.instructions.get(row as usize)?.address).copied();
        Some((at(block.first)?, at(block.first.saturating_add(block.len.max(1) - 1))?))
    };
    let mut starts = vec![false; n + 1];
    for (of, block) in own.iter().flat_map(|(of, _)| of.blocks.iter().map(move |block| (of, block))) {
        let Some((first, last)) = ends(of, block) else { continue };
        for at in [first as usize, last as usize + 1] {
            starts.get_mut(at).into_iter().for_each(|start| *start = true);
        }
    }
    let firsts: Vec<u32> = (0_u32..)
        .zip(starts.iter().take(n))
        .filter(|(at, start)| *at == 0 || **start)
        .map(|(at, _)| at)
        .collect();
    let of_row = |row: u32| {
        let at = firsts.partition_point(|first| *first <= row).saturating_sub(1);
        u32::try_from(at).unwrap_or(u32::MAX)
    };
    let mut blocks = blocks_from(&firsts, n);
    // Pieces of cut blocks behind which the next piece follows.
    let mut cut: Vec<u32> = Vec::new();
    let mut edges = Edges::default();
    for (of, known) in own {
        let places: Vec<Option<(u32, u32)>> = of
            .blocks
            .iter()
            .map(|block| ends(of, block).map(|(first, last)| (of_row(first), of_row(last))))
            .collect();
        let place = |row: u32| places.get(row as usize).copied().flatten();
        for (block, place_of) in of.blocks.iter().zip(&places) {
            let Some((first, last)) = *place_of else { continue };
            cut.extend(first..last);
            if let Some(own) = blocks.get_mut(first as usize) {
                own.is_entry |= block.is_entry;
            }
            if let Some(own) = blocks.get_mut(last as usize) {
                own.is_exit |= block.is_exit;
                own.successors.extend(block.successors.iter().filter_map(|next| Some(place(*next)?.0)));
            }
        }
        edges.join(known, |from, to| Some((place(from)?.1, place(to)?.0)));
    }
    order::sort(&mut cut);
    cut.dedup();
    for from in cut {
        let next = firsts.get(from as usize + 1).and_then(|first| metrics.get(*first as usize));
        edges.add_rest(from, next.map_or(0, |of| of.executions));
        if let Some(block) = blocks.get_mut(from as usize) {
            block.successors.push(from + 1);
        }
    }
    for block in &mut blocks {
        order::sort(&mut block.successors);
        block.successors.dedup();
    }
    program.blocks = blocks;
    edges
}
