//! Control flow of a listing of instructions: where blocks begin, and how often which block followed which.

use crate::base::order;
use crate::model::id::ListingId;

/// Most lines that stand beside each other; further ones share the last.
const LANES: u8 = 6;

/// How control went through a listing.
#[derive(Debug)]
pub struct ControlFlow {
    /// The listing.
    pub listing: ListingId,
    /// First row of each block, ascending.
    pub blocks: Vec<u32>,
    /// From block to block, ascending by rows.
    pub edges: Vec<Edge>,
}

/// One way from a block to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// Last row of the block.
    pub from: u32,
    /// First row of the next.
    pub to: u32,
    /// How often it was taken; `None` where nobody knows.
    pub count: Option<u64>,
    /// Which of the lines beside each other it is, from the outside; those that only go on to the next row have none.
    pub lane: Option<u8>,
}

impl ControlFlow {
    /// Of blocks by their first rows, and edges in any order; lines are laid out so that they cross as little as
    /// possible: what lies inside of another stands inside of it.
    pub fn new(listing: ListingId, mut blocks: Vec<u32>, mut edges: Vec<Edge>) -> Self {
        blocks.sort_unstable();
        order::sort_by_key(&mut edges, |edge| (edge.ends(), edge.from));
        // By their upper ends, longer ones first.
        let key = |at: usize| edges.get(at).map(|edge| (edge.ends().0, std::cmp::Reverse(edge.ends().1)));
        let order = order::sequence(edges.len(), &|a, b| key(a).cmp(&key(b)));
        let mut reached: Vec<u32> = Vec::new();
        for at in order {
            let Some(edge) = edges.get_mut(at as usize).filter(|edge| !edge.falls()) else { continue };
            let (top, bottom) = edge.ends();
            let free = reached.iter().position(|end| *end < top).unwrap_or(reached.len());
            let lane = free.min(usize::from(LANES) - 1);
            match reached.get_mut(lane) {
                Some(end) => *end = bottom.max(*end),
                None => reached.push(bottom),
            }
            edge.lane = u8::try_from(lane).ok();
        }
        order::sort_by_key(&mut edges, |edge| (edge.from, edge.to));
        Self { listing, blocks, edges }
    }

    /// Lines that stand beside each other at most.
    pub fn lanes(&self) -> u8 {
        self.edges.iter().filter_map(|edge| edge.lane).max().map_or(0, |lane| lane + 1)
    }

    /// The most that one edge was taken.
    pub fn most(&self) -> u64 {
        self.edges.iter().filter_map(|edge| edge.count).max().unwrap_or(0)
    }

    /// The rows of the block that a row is in, as the first and the one behind the last.
    pub fn block_of(&self, row: u32) -> (u32, u32) {
        let after = self.blocks.partition_point(|first| *first <= row);
        let first = after.checked_sub(1).and_then(|at| self.blocks.get(at));
        (first.copied().unwrap_or(0), self.blocks.get(after).copied().unwrap_or(u32::MAX))
    }
}

impl Edge {
    /// Its upper and its lower row.
    pub fn ends(&self) -> (u32, u32) {
        (self.from.min(self.to), self.from.max(self.to))
    }

    /// Whether it only goes on to the next row.
    pub fn falls(&self) -> bool {
        self.from.checked_add(1) == Some(self.to)
    }
}
