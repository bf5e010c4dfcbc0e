//! What was measured, added up by kernel: all launches and programs of one name together, as people think of them.

use super::{InstructionMetrics, LaunchMetrics};
use crate::base::job::Turn;
use crate::base::map::Map;
use crate::model::id::ListingId;
use crate::systems::instrumentation::gtpin::memory::is_access;
use crate::views::executions::compute::{
    Block, DIVERGENT, INCOMPLETE, Instruction, Launch, NO_BLOCK, NO_LANES, Program, Recorded, range,
};

/// A kernel over all of its launches.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct KernelSum {
    pub(crate) name: String,
    /// Lanes of a thread.
    pub(crate) lanes: u32,
    /// Bytes of a sector.
    pub(crate) sector: u64,
    /// Rows of its launches in `Recorded`.
    pub(crate) launches: Vec<u32>,
    /// Its instructions that ran, in the order of the first program that has them; where only accesses were recorded,
    /// those that are some.
    pub(crate) rows: Vec<RowSum>,
    /// Its blocks that ran.
    pub(crate) blocks: Vec<BlockSum>,
    /// Threads that ran it.
    pub(crate) threads: u64,
    /// The launch with the most uneven threads.
    pub(crate) longest: Option<Longest>,
    /// The listing of all of its launches, where each has one of its own.
    pub(crate) listing: Option<ListingId>,
}

/// The longest thread of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Longest {
    /// Row of the launch in `Recorded`.
    pub(crate) launch: u32,
    /// Row of the thread there, and its first execution.
    pub(crate) thread: u32,
    pub(crate) execution: u32,
    /// Instructions that it ran, and those of all threads.
    pub(crate) len: u64,
    pub(crate) sum: u64,
    /// How many threads ran some.
    pub(crate) threads: u64,
}

impl Longest {
    /// How many times the mean it is.
    pub(crate) fn factor(&self) -> f64 {
        self.len as f64 * self.threads as f64 / self.sum.max(1) as f64
    }
}

/// An instruction over all launches of its kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RowSum {
    /// Where it stands: a program, and the row of the instruction there.
    pub(crate) program: u32,
    pub(crate) row: u32,
    pub(crate) metrics: InstructionMetrics,
}

/// A block over all launches of its kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockSum {
    /// Where it stands: a program, and the row of the block there.
    pub(crate) program: u32,
    pub(crate) block: u32,
    pub(crate) counts: BlockCounts,
}

/// How often a block ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockCounts {
    pub(crate) executions: u64,
    /// Those at the end of which lanes part.
    pub(crate) parts: u64,
    /// Those of which records are missing.
    pub(crate) incomplete: u64,
}

/// What was counted of a launch beside its instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct LaunchCounts {
    launch: u32,
    blocks: Vec<BlockCounts>,
    longest: Option<Longest>,
}

/// Executions that are counted between two pauses.
const PIECE: usize = 1 << 18;

/// Counts the blocks of a launch.
pub(super) async fn count(
    (row, launch): (u32, &Launch),
    program: &Program,
    turn: &Turn,
) -> Option<LaunchCounts> {
    let executions = &launch.executions;
    if executions.block.is_empty() {
        return None;
    }
    let mut blocks = vec![BlockCounts::default(); program.blocks.len()];
    let own = |block: &Block| {
        let rows = program.instructions.iter().skip(block.first as usize).take(block.len as usize);
        rows.filter(|row| counts_of(launch, row)).count() as u64
    };
    let lens: Vec<u64> = program.blocks.iter().map(own).collect();
    let mut left = PIECE;
    let (mut longest, mut sum, mut threads): (Option<Longest>, u64, u64) = (None, 0, 0);
    for thread in 0..executions.starts.len().saturating_sub(1) {
        let mut before = NO_BLOCK;
        let mut len = 0_u64;
        for at in range(executions, thread) {
            let block = executions.block.get(at).copied().unwrap_or(NO_BLOCK);
            let flags = executions.flags.get(at).copied().unwrap_or(0);
            if let Some(of) = blocks.get_mut(block as usize) {
                of.executions += 1;
                of.incomplete += u64::from(flags & INCOMPLETE != 0);
            }
            if flags & DIVERGENT != 0
                && let Some(of) = parting(launch, program, (before, block))
                && let Some(of) = blocks.get_mut(of as usize)
            {
                of.parts += 1;
            }
            len += lens.get(block as usize).copied().unwrap_or(1);
            before = block;
            left -= 1;
            if left == 0 {
                left = PIECE;
                turn.pause().await;
            }
        }
        sum += len;
        threads += u64::from(0 < len);
        if longest.is_none_or(|longest| longest.len < len) {
            let execution = executions.starts.get(thread).copied().unwrap_or(0);
            let thread = u32::try_from(thread).unwrap_or(u32::MAX);
            longest = Some(Longest { launch: row, thread, execution, len, sum: 0, threads: 0 });
        }
    }
    let longest = longest.map(|longest| Longest { sum, threads, ..longest });
    Some(LaunchCounts { launch: row, blocks, longest })
}

/// The block at whose end the lanes of an execution part. Where masks are of whole blocks, lanes that drop out at the begin
/// of one left behind the one before, unless only one can follow that: then the thread goes on with lanes that waited.
fn parting(launch: &Launch, program: &Program, (before, block): (u32, u32)) -> Option<u32> {
    if !launch.has_block_masks {
        return Some(block);
    }
    let from = program.blocks.get(before as usize)?;
    (from.successors.len() != 1).then_some(before)
}

/// Whether lanes were recorded where a launch's control flow was: only then its divergence is known.
pub(crate) fn knows_divergence(launch: &Launch) -> bool {
    launch.order_from.is_none()
        && !launch.executions.flags.is_empty()
        && launch.executions.lanes.iter().any(|lanes| *lanes != NO_LANES)
}

/// Whether an instruction counts: where only accesses were recorded, what is recorded beside them does not.
pub(crate) fn counts_of(launch: &Launch, instruction: &Instruction) -> bool {
    launch.order_from.is_none() || is_access(instruction)
}

/// Adds up launches by the names of their kernels.
pub(super) fn add_up(recorded: &Recorded, all: &[LaunchMetrics], counts: &[LaunchCounts]) -> Vec<KernelSum> {
    let mut kernels: Vec<KernelSum> = Vec::new();
    let mut names: Map<(&str, u32, u64), usize> = Map::default();
    let mut rows: Map<(usize, u64, &str), usize> = Map::default();
    let mut blocks: Map<(usize, u64), usize> = Map::default();
    // By program: where each of its rows stands in its kernel.
    let mut places: Vec<Vec<Option<u32>>> = vec![Vec::new(); recorded.programs.len()];
    for of in all {
        let Some(launch) = recorded.launches.get(of.launch as usize) else { continue };
        let Some(program) = recorded.programs.get(launch.program as usize) else { continue };
        let at = *names.entry((&program.name, program.lanes, of.sector)).or_insert_with(|| {
            let name = program.name.clone();
            kernels.push(KernelSum { name, lanes: program.lanes, sector: of.sector, ..KernelSum::default() });
            kernels.len() - 1
        });
        let Some(kernel) = kernels.get_mut(at) else { continue };
        kernel.launches.push(of.launch);
        kernel.threads += launch.threads.len() as u64;
        let Some(places) = places.get_mut(launch.program as usize) else { continue };
        places.resize(program.instructions.len(), None);
        let pairs = program.instructions.iter().zip(&of.instructions).zip(places).zip(0_u32..);
        for (((instruction, metrics), place), row) in pairs {
            if metrics.executions == 0 && metrics.unseen == 0 || !counts_of(launch, instruction) {
                continue;
            }
            let place = *place.get_or_insert_with(|| {
                let key = (at, instruction.address, instruction.text.as_str());
                let new = *rows.entry(key).or_insert_with(|| {
                    let metrics = InstructionMetrics::default();
                    kernel.rows.push(RowSum { program: launch.program, row, metrics });
                    kernel.rows.len() - 1
                });
                u32::try_from(new).unwrap_or(u32::MAX)
            });
            kernel.rows.get_mut(place as usize).into_iter().for_each(|sum| sum.metrics.add(metrics));
        }
        let own = counts.binary_search_by_key(&of.launch, |counts| counts.launch);
        let own = own.ok().and_then(|at| counts.get(at));
        if let Some(longest) = own.and_then(|own| own.longest)
            && kernel.longest.is_none_or(|known| known.factor() < longest.factor())
        {
            kernel.longest = Some(longest);
        }
        let own = own.map_or(&[][..], |counts| &counts.blocks);
        for ((block, counts), row) in program.blocks.iter().zip(own).zip(0_u32..) {
            if counts.executions == 0 {
                continue;
            }
            let first = program.instructions.get(block.first as usize).map_or(0, |first| first.address);
            let place = *blocks.entry((at, first)).or_insert_with(|| {
                let counts = BlockCounts::default();
                kernel.blocks.push(BlockSum { program: launch.program, block: row, counts });
                kernel.blocks.len() - 1
            });
            if let Some(sum) = kernel.blocks.get_mut(place) {
                sum.counts.executions += counts.executions;
                sum.counts.parts += counts.parts;
                sum.counts.incomplete += counts.incomplete;
            }
        }
    }
    kernels
}
