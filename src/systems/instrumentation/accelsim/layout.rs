//! The instructions of a program by address, and where its blocks begin.

use super::kernel::Static;
use crate::base::order;
use crate::views::executions::compute::Block;

/// The instructions by address, and the blocks.
#[derive(Default)]
pub(super) struct Layout {
    /// Numbers of the instructions as they were seen, ascending by address.
    pub(super) by_rank: Vec<u32>,
    /// The blocks.
    pub(super) blocks: Vec<Block>,
    /// By number: its place by address.
    pub(super) rank: Vec<u32>,
    /// By rank: whether the next instruction stands right behind it.
    pub(super) follows: Vec<bool>,
    /// By rank: whether a block begins there.
    pub(super) leads: Vec<bool>,
    /// By rank: row of its block.
    pub(super) block: Vec<u32>,
}

impl Layout {
    /// Puts instructions in order.
    pub(super) fn new(statics: &[Static]) -> Self {
        let pc = |n: usize| statics.get(n).map_or(0, |of| of.pc);
        let by_rank = order::sequence(statics.len(), &|a, b| pc(a).cmp(&pc(b)));
        let mut rank = vec![0; by_rank.len()];
        for (at, n) in (0..).zip(&by_rank) {
            if let Some(rank) = rank.get_mut(*n as usize) {
                *rank = at;
            }
        }
        // Where instructions stand in steps of 8, a word of scheduling stands at each multiple of 32.
        let is_dense = statics.iter().any(|of| of.pc % 16 == 8);
        let step = if is_dense { 8 } else { 16 };
        let pairs =
            by_rank.iter().zip(by_rank.iter().skip(1)).map(|(a, b)| (pc(*a as usize), pc(*b as usize)));
        let adjoins = |(a, b): (u64, u64)| {
            b - a == step || is_dense && b - a == 16 && a.wrapping_add(8).is_multiple_of(32)
        };
        let follows = pairs.map(adjoins).chain([false]).collect();
        let leads = vec![false; by_rank.len()];
        Self { by_rank, blocks: Vec::new(), rank, follows, leads, block: Vec::new() }
    }

    /// Makes the blocks of where they begin.
    pub(super) fn cut(&mut self, statics: &[Static]) {
        let of = |rank: usize| statics.get(*self.by_rank.get(rank)? as usize);
        let find = |pc: u64| {
            let at = self.by_rank.partition_point(|n| statics.get(*n as usize).is_some_and(|of| of.pc < pc));
            of(at).filter(|of| of.pc == pc).map(|_| count(at))
        };
        let targets: Vec<(u32, u32)> = (0..self.by_rank.len())
            .filter_map(|rank| Some((count(rank), find(of(rank)?.target?)?)))
            .collect();
        let behind: Vec<u32> = (0..self.by_rank.len())
            .filter(|rank| of(*rank).is_some_and(|of| of.ends_block))
            .map(|rank| count(rank + 1))
            .collect();
        for rank in behind.into_iter().chain([0]) {
            set(&mut self.leads, rank);
        }
        for (rank, leads) in (0..).zip(&self.leads) {
            if *leads {
                let id = count(self.blocks.len());
                self.blocks.push(Block { id, label: format!("BB{id}"), first: rank, ..Block::default() });
            }
            self.block.push(count(self.blocks.len()).saturating_sub(1));
            if let Some(block) = self.blocks.last_mut() {
                block.len += 1;
            }
        }
        // A jump that was never taken leads to a block that began for another reason, or to none that is known.
        for (from, to) in targets {
            let block = |rank: u32| self.block.get(rank as usize).copied();
            if let Some((from, to)) = block(from).zip(block(to).filter(|_| is_set(&self.leads, to))) {
                self.link(from, to);
            }
        }
    }

    /// One block may follow another.
    pub(super) fn link(&mut self, from: u32, to: u32) {
        if let Some(block) = self.blocks.get_mut(from as usize)
            && let Err(at) = block.successors.binary_search(&to)
        {
            block.successors.insert(at, to);
        }
    }
}

/// Sets a flag, if there is one.
pub(super) fn set(flags: &mut [bool], at: u32) {
    if let Some(flag) = flags.get_mut(at as usize) {
        *flag = true;
    }
}

/// Whether a flag is there and set.
pub(super) fn is_set(flags: &[bool], at: u32) -> bool {
    flags.get(at as usize).copied().unwrap_or(false)
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
