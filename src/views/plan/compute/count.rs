//! How often each block ran, counted from recorded executions in steps.

use super::PlanInput;
use crate::analysis::contract::{AnalysisInput, Step, Task};
use crate::base::map::Map;
use crate::base::order;
use crate::views::executions::compute::Recorded;

/// Executions that are counted in one step.
const STEP: usize = 1 << 20;
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
        self.starts.windows(2).map(|pair| self.pairs.get(pair[0]..pair[1]).unwrap_or(&[]))
    }
}

/// Counting in progress.
#[derive(Default)]
pub struct Counting {
    done: Counted,
    now: BlockCounts,
    /// The thread that is counted next.
    thread: usize,
    pairs: usize,
    of_thread: Map<u32, u32>,
}

impl Task for Counting {
    fn step(&mut self, input: &AnalysisInput) -> Step {
        let launches =
            input.trace.extensions.get::<Recorded>().map_or(&[][..], |recorded| &recorded.launches);
        let mut left = STEP;
        while let Some(launch) = launches.get(self.done.launches.len()) {
            let executions = &launch.executions;
            while let (Some(first), Some(end)) =
                (executions.starts.get(self.thread), executions.starts.get(self.thread + 1))
            {
                let own = executions.block.get(*first as usize..*end as usize).unwrap_or(&[]);
                self.thread(own);
                left = left.saturating_sub(own.len() + 1);
                if left == 0 {
                    return Step::Again(self.done.launches.len() as f32 / launches.len() as f32);
                }
            }
            self.thread = 0;
            self.done.launches.push(std::mem::take(&mut self.now));
        }
        Step::Done(Box::new(std::mem::take(&mut self.done)))
    }
}

impl Counting {
    /// Counts the executions of the next thread.
    fn thread(&mut self, blocks: &[u32]) {
        for block in blocks {
            *self.of_thread.entry(*block).or_default() += 1;
        }
        let mut own: Vec<(u32, u32)> = self.of_thread.drain().collect();
        own.retain(|(block, _)| *block != crate::views::executions::compute::NO_BLOCK);
        order::sort_pairs(&mut own);
        for (block, n) in &own {
            let at = *block as usize;
            // Blocks are rows of a program in memory: this grows no further than it has.
            if self.now.blocks.len() <= at {
                self.now.blocks.resize(at + 1, 0);
            }
            self.now.blocks[at] += u64::from(*n);
        }
        self.thread += 1;
        self.pairs += own.len();
        if PAIRS < self.pairs {
            (self.now.pairs, self.now.starts) = (Vec::new(), Vec::new());
        } else if self.thread == 1 || !self.now.starts.is_empty() {
            if self.now.starts.is_empty() {
                self.now.starts.push(0);
            }
            self.now.pairs.extend(own);
            self.now.starts.push(self.now.pairs.len());
        }
    }
}

/// Whether anything can be planned.
pub(super) fn is_plannable(input: Option<&PlanInput>, recorded: Option<&Recorded>) -> bool {
    input.is_some_and(|input| !input.kernels.is_empty() || !input.sizes.is_empty())
        || recorded.is_some_and(|recorded| recorded.programs.iter().any(|program| !program.blocks.is_empty()))
}
