//! How often each block ran, counted from recorded executions.

use super::PlanInput;
use crate::base::job::Turn;
use crate::base::map::Map;
use crate::base::order;
use crate::model::Trace;
use crate::views::executions::compute::Recorded;

/// Executions that are counted between two pauses.
const PIECE: usize = 1 << 20;
/// Counts by thread that are kept in all.
const PAIRS: usize = 1 << 24;

/// Executions of blocks by launch.
#[derive(Debug, Default)]
pub struct Counted {
    /// One for each launch of `Recorded`, in its order.
    pub launches: Vec<BlockCounts>,
}

/// How often the blocks of one launch ran.
#[derive(Debug, Default)]
pub struct BlockCounts {
    /// Executions by block of the program.
    pub blocks: Vec<u64>,
    /// By thread: row of the block, executions. Those of thread `t` are `starts[t]..starts[t + 1]`.
    pub pairs: Vec<(u32, u32)>,
    /// See `pairs`; empty when there were too many of them.
    pub starts: Vec<usize>,
}

impl BlockCounts {
    /// Counts of each thread.
    pub fn threads(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        let bounds = self.starts.iter().zip(self.starts.iter().skip(1));
        bounds.map(|(from, to)| self.pairs.get(*from..*to).unwrap_or(&[]))
    }
}

/// Counts the executions of all launches.
pub async fn count(trace: &Trace, turn: &Turn) -> Counted {
    let launches = trace.extensions.get::<Recorded>().map_or(&[][..], |recorded| &recorded.launches);
    let (mut counted, mut pairs, mut left) = (Counted::default(), 0, PIECE);
    for launch in launches {
        let (executions, mut counts, mut of_thread) =
            (&launch.executions, BlockCounts::default(), Map::default());
        let bounds = executions.starts.iter().zip(executions.starts.iter().skip(1));
        for (thread, (from, to)) in bounds.enumerate() {
            let own = executions.block.get(*from as usize..*to as usize).unwrap_or(&[]);
            counts.add(thread, own, &mut of_thread, &mut pairs);
            left = left.saturating_sub(own.len() + 1);
            if left == 0 {
                left = PIECE;
                turn.pause().await;
            }
        }
        counted.launches.push(counts);
    }
    counted
}

impl BlockCounts {
    /// Counts the executions of the next thread; `pairs` is how many counts by thread there were in all launches.
    fn add(&mut self, thread: usize, blocks: &[u32], of_thread: &mut Map<u32, u32>, pairs: &mut usize) {
        for block in blocks {
            *of_thread.entry(*block).or_default() += 1;
        }
        let mut own: Vec<(u32, u32)> = of_thread.drain().collect();
        own.retain(|(block, _)| *block != crate::views::executions::compute::NO_BLOCK);
        order::sort_pairs(&mut own);
        for (block, n) in &own {
            let at = *block as usize;
            // Blocks are rows of a program in memory: this grows no further than it has.
            if self.blocks.len() <= at {
                self.blocks.resize(at + 1, 0);
            }
            if let Some(all) = self.blocks.get_mut(at) {
                *all += u64::from(*n);
            }
        }
        *pairs += own.len();
        if PAIRS < *pairs {
            (self.pairs, self.starts) = (Vec::new(), Vec::new());
        } else if thread == 0 || !self.starts.is_empty() {
            if self.starts.is_empty() {
                self.starts.push(0);
            }
            self.pairs.extend(own);
            self.starts.push(self.pairs.len());
        }
    }
}

/// Whether anything can be planned.
pub(super) fn is_plannable(input: Option<&PlanInput>, recorded: Option<&Recorded>) -> bool {
    input.is_some_and(|input| !input.kernels.is_empty() || !input.sizes.is_empty())
        || recorded.is_some_and(|recorded| recorded.programs.iter().any(|program| !program.blocks.is_empty()))
}
