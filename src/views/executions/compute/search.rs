//! From an execution to the next one of its kind.

use super::arrange::SKIP;
use super::run::Run;
use super::{DIVERGENT, UNCOALESCED};
use serde::{Deserialize, Serialize};

/// What is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// The same block in the same thread.
    Block,
    /// An execution where lanes drop out, in any thread.
    Divergent,
    /// One with more sectors than needed, in any thread.
    Uncoalesced,
}

impl Run<'_> {
    /// The next execution of a kind, in the order of threads; from the ends of all without one.
    pub fn step(&self, from: Option<u32>, kind: Kind, is_forward: bool) -> Option<u32> {
        let flag = match kind {
            Kind::Block => return self.step_block(from?, is_forward),
            Kind::Divergent => DIVERGENT,
            Kind::Uncoalesced => UNCOALESCED,
        };
        let flags = &self.launch.executions.flags;
        let n = flags.len();
        let holds = |at: usize| flags.get(at).is_some_and(|own| own & flag != 0);
        let is_empty = |at: usize| self.arranged.skips.get(at / SKIP).is_none_or(|own| own & flag == 0);
        let mut at = match (from, is_forward) {
            (Some(from), true) => from as usize + 1,
            (Some(from), false) => (from as usize).min(n).checked_sub(1)?,
            (None, true) => 0,
            (None, false) => n.checked_sub(1)?,
        };
        while at < n {
            if holds(at) {
                return Some(at as u32);
            }
            at = match (is_empty(at), is_forward) {
                (true, true) => (at / SKIP + 1) * SKIP,
                (true, false) => (at / SKIP * SKIP).checked_sub(1)?,
                (false, true) => at + 1,
                (false, false) => at.checked_sub(1)?,
            };
        }
        None
    }

    fn step_block(&self, from: u32, is_forward: bool) -> Option<u32> {
        let all = self.range(self.thread(from)?);
        let (at, blocks) = (from as usize, &self.launch.executions.block);
        let own = *blocks.get(at)?;
        let found = if is_forward {
            blocks.get(at + 1..all.end)?.iter().position(|block| *block == own).map(|by| at + 1 + by)
        } else {
            blocks.get(all.start..at)?.iter().rposition(|block| *block == own).map(|by| all.start + by)
        };
        found.map(|found| found as u32)
    }

    /// Which execution of its block in its thread one is, from 1, and how many there are.
    pub fn turn(&self, execution: u32) -> Option<(u64, u64)> {
        let all = self.range(self.thread(execution)?);
        let blocks = self.launch.executions.block.get(all.clone())?;
        let at = execution as usize - all.start;
        let own = *blocks.get(at)?;
        let count = |blocks: &[u32]| blocks.iter().filter(|block| **block == own).count() as u64;
        let before = count(&blocks[..at]);
        Some((before + 1, before + count(&blocks[at..])))
    }
}
