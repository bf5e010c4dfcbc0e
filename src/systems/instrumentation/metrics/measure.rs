//! Measures the launches that their reader did not: from their rows, which are read from the file again.
//!
//! What is measured goes where readers leave theirs. Then all of it stands beside the listings of the programs, summed up
//! over their launches, where readers did not put it there.

use super::code::{Edges, add_listing, columns, describe, excess_sectors};
use super::kernels::{self, LaunchCounts};
use super::{InstructionMetrics, LaunchMetrics, Measured, Meter, Partings, keep_partings, measured, whole};
use crate::analysis::contract::Analysis;
use crate::base::job::{Job, Turn};
use crate::base::order;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::views::executions::compute::{Executed, Launch, Program, Recorded};
use std::any::Any;

/// The analysis. It has no figures of its own: those of all launches are made of what it leaves in the trace.
pub(crate) static MEASURING: Analysis = Analysis {
    id: "instrumentation-measure",
    title: phrase("Memory accesses of recorded programs"),
    parameters: &[],
    applies: |trace| trace.extensions.get::<Recorded>().is_some_and(|all| !all.programs.is_empty()),
    tap: None,
    start: Some(|_, trace| Job::any(async move |turn| find(&trace, &turn).await)),
    add_tracks: Some(|result, builder| keep(result, builder.head())),
    faults: None,
    figures: |_| Vec::new(),
    advice: None,
    is_comparable: false,
};

/// Reads of the file between two pauses.
const FILE_READS: u64 = 8;
/// Rows between two pauses, and executions of which rows are read: each costs a look into the file.
const ROWS: usize = 4_096;
const READS: usize = 512;
/// Executions between two pauses where only blocks are counted.
const BLOCKS: usize = 1 << 18;
/// Executions of a launch of which rows are read; of longer ones blocks are counted, so that opening does not take minutes.
const MOST: usize = 1 << 20;

/// The result: the metrics, how often which block of a program followed which, and blocks of launches.
struct Found(Vec<LaunchMetrics>, Vec<Edges>, Vec<LaunchCounts>);

/// Launches one after the other.
async fn find(trace: &Trace, turn: &Turn) -> Found {
    let (mut found, known) = (Vec::new(), measured(trace));
    let Some(recorded) = trace.extensions.get::<Recorded>() else {
        return Found(found, Vec::new(), Vec::new());
    };
    for (row, launch) in (0..).zip(&recorded.launches) {
        if !launch.executions.block.is_empty() && known.iter().all(|of| of.launch != row) {
            found.extend(measure_launch(recorded, (row, launch), turn).await);
        }
    }
    let mut edges = vec![Edges::default(); recorded.programs.len()];
    for launch in &recorded.launches {
        // Where something else gives the order, blocks between those that are seen are missing.
        let edges = edges.get_mut(launch.program as usize).filter(|_| launch.order_from.is_none());
        if let Some(edges) = edges {
            edges.count(&launch.executions, turn).await;
        }
    }
    let mut counts = Vec::new();
    for (row, launch) in (0..).zip(&recorded.launches) {
        if let Some(program) = recorded.programs.get(launch.program as usize) {
            counts.extend(kernels::count((row, launch), program, turn).await);
        }
    }
    Found(found, edges, counts)
}

/// The metrics of a launch; nothing where its file cannot be read any more.
async fn measure_launch(
    recorded: &Recorded,
    (row, launch): (u32, &Launch),
    turn: &Turn,
) -> Option<LaunchMetrics> {
    let program = recorded.programs.get(launch.program as usize)?;
    let mut meter = Meter::of(program.instructions.len(), launch.sector());
    let (mut at, mut partings) = (0, Partings::default());
    while at < launch.executions.block.len() {
        at = match &launch.rows {
            Some(_) if launch.executions.block.len() <= MOST => {
                rows((launch, program), at, &mut meter, &mut partings).ok()?
            }
            _ => blocks(launch, program, at, &mut meter),
        };
        turn.pause().await;
    }
    let sector = meter.sector;
    keep_partings(&mut meter.instructions, partings);
    Some(LaunchMetrics { launch: row, instructions: meter.instructions, sector, tool: None })
}

/// Measures rows of executions from `at` on; the execution that comes next.
fn rows(
    (launch, program): (&Launch, &Program),
    at: usize,
    meter: &mut Meter,
    partings: &mut Partings,
) -> Result<usize, String> {
    let Some(source) = &launch.rows else { return Ok(usize::MAX) };
    let (end, mut n, mut next) = (launch.executions.block.len().min(at + READS), 0, at);
    let most = source.reads() + FILE_READS;
    while next < end && n < ROWS && source.reads() < most {
        let all = source.rows(launch, program, u32::try_from(next).map_err(|why| why.to_string())?)?;
        if launch.order_from.is_none() {
            part((launch, program), (next, &all), partings);
        }
        for row in &all {
            measure((launch, program), row, meter);
        }
        n += all.len();
        next += 1;
    }
    Ok(next)
}

/// The lanes of the rows of an execution. They may part behind its last instruction where more than one block can follow.
fn part(
    (launch, program): (&Launch, &Program),
    (execution, rows): (usize, &[Executed]),
    partings: &mut Partings,
) {
    if u32::try_from(execution).is_ok_and(|at| launch.executions.starts.binary_search(&at).is_ok()) {
        partings.begin();
    }
    let block = launch.executions.block.get(execution).and_then(|block| program.blocks.get(*block as usize));
    let jump = block.filter(|block| block.successors.len() != 1);
    let jump = jump.map(|block| block.first.saturating_add(block.len).saturating_sub(1));
    for row in rows {
        match row.mask {
            Some(mask) => partings.row(row.instruction as usize, mask, Some(row.instruction) == jump),
            None => partings.begin(),
        }
    }
}

/// A row. Accesses count where the address of each lane is known, lanes wherever a record has them: that another record of
/// the row is lost changes nothing.
fn measure((launch, program): (&Launch, &Program), row: &Executed, meter: &mut Meter) {
    let at = row.instruction as usize;
    // What is said of lanes of blocks is an upper bound, also where the lanes of a block are lost.
    let all = u32::MAX >> (32 - program.lanes.clamp(1, 32));
    let mask = row.mask.or(launch.has_block_masks.then_some(all));
    match mask {
        None => {
            meter.run_unknown(at, 1);
            meter.lose(at, [row.lost[0], false]);
        }
        // A record of an access has the lanes of its own instruction.
        Some(mask @ 1..) if launch.has_block_masks && row.addresses.is_empty() => {
            meter.run_of_block(at, mask);
        }
        Some(mask) => meter.run(at, mask),
    }
    let memory = program.instructions.get(at).and_then(|instruction| instruction.memory);
    let is_part = row.addresses.is_empty() || row.is_base_only(program.lanes);
    match memory.zip(row.mask) {
        Some((memory, mask)) if mask == 0 || !is_part => {
            meter.access(at, (mask, &row.addresses), memory);
        }
        _ if memory.is_some() => {
            meter.unseen(at);
            meter.lose(at, [false, row.lost[1]]);
        }
        _ => {}
    }
}

/// Counts blocks of executions from `at` on where nothing but these was recorded; the execution that comes next.
fn blocks(launch: &Launch, program: &Program, at: usize, meter: &mut Meter) -> usize {
    let all = &launch.executions.block;
    let end = all.len().min(at + BLOCKS);
    let mut counts = vec![0_u64; program.blocks.len()];
    for block in all.get(at..end).unwrap_or(&[]) {
        counts.get_mut(*block as usize).into_iter().for_each(|n| *n += 1);
    }
    for (block, n) in program.blocks.iter().zip(counts).filter(|(_, n)| 0 < *n) {
        let last = block.first.saturating_add(block.len);
        (block.first..last).for_each(|row| meter.run_unknown(row as usize, n));
    }
    end
}

/// Keeps the result with what readers measured, and beside the code.
fn keep(result: &dyn Any, trace: &mut Trace) {
    let Some(Found(found, edges, counts)) = result.downcast_ref::<Found>() else { return };
    let mut all = std::mem::take(trace.extensions.get_or_default::<Measured>());
    all.launches.extend(found.iter().cloned());
    order::sort_by_key(&mut all.launches, |of| of.launch);
    // Both are put back below: listings are added to the trace meanwhile.
    let mut recorded = std::mem::take(trace.extensions.get_or_default::<Recorded>());
    let Recorded { programs, launches, .. } = &mut recorded;
    let listings = &trace.code.listings;
    let is_open = |program: &Program| {
        let listing = program.listing.and_then(|id| listings.get(id.index()));
        listing.is_none_or(|listing| listing.columns.is_empty())
    };
    let open: Vec<bool> = programs.iter().map(is_open).collect();
    let mut sums: Vec<Option<Vec<InstructionMetrics>>> = vec![None; programs.len()];
    for of in &all.launches {
        let Some(launch) = launches.get_mut(of.launch as usize) else { continue };
        let own = programs.get(launch.program as usize).map_or(&[][..], |program| &program.instructions);
        let counted = own.iter().zip(&of.instructions).filter(|(one, _)| kernels::counts_of(launch, one));
        let lanes = counted.fold((0, 0), |(lanes, n), (_, of)| {
            (lanes + of.lanes, n + of.executions.saturating_sub(of.unknown))
        });
        launch.active_lanes = Some(lanes).filter(|(_, n)| 0 < *n);
        let Some(sum) = sums.get_mut(launch.program as usize) else { continue };
        match sum {
            None => *sum = Some(of.instructions.clone()),
            Some(sum) => sum.iter_mut().zip(&of.instructions).for_each(|(to, from)| to.add(from)),
        }
    }
    for (((program, sum), is_open), edges) in programs.iter_mut().zip(&sums).zip(open).zip(edges) {
        if let Some(sum) = sum.as_deref().filter(|_| is_open) {
            list(trace, program, sum);
        }
        describe(trace, program, sum.as_deref(), edges);
    }
    all.kernels = kernels::add_up(&recorded, &all.launches, counts);
    whole::add(trace, &recorded, &mut all.kernels, edges);
    *trace.extensions.get_or_default::<Recorded>() = recorded;
    *trace.extensions.get_or_default::<Measured>() = all;
}

/// Puts what was measured beside the listing of a program, which is added when its reader made none.
fn list(trace: &mut Trace, program: &mut Program, sum: &[InstructionMetrics]) {
    let listing = program.listing.and_then(|id| trace.code.listings.get_mut(id.index()));
    match listing {
        Some(listing) if listing.columns.is_empty() => {
            listing.columns = columns(program, sum, excess_sectors(program, sum));
        }
        Some(_) => {}
        None => {
            let is_sorted = program.instructions.is_sorted_by_key(|instruction| instruction.address);
            if is_sorted && !program.instructions.is_empty() {
                program.listing = Some(add_listing(trace, program, sum));
            }
        }
    }
}
