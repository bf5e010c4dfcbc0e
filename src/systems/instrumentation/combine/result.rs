//! What came of combining: executions, and where the records of each stand.

use super::cursor::Cursor;
use super::{Emit, Rules};
use crate::base::map::Map;
use crate::views::executions::compute::{Executions, INCOMPLETE, Threads};
use std::sync::Arc;

/// Executions between two marks.
pub(super) const MARK: u32 = 256;

/// The records of one type that were attached.
#[derive(Default)]
pub(in crate::systems::instrumentation) struct Stream {
    /// First place of each slot; one more than there are slots.
    pub(super) starts: Vec<u64>,
    /// Where the records stand, by slot, in the order of executions.
    pub(super) places: Vec<u32>,
    /// Row in `places` of the first record of each 256th execution.
    pub(super) marks: Vec<u32>,
    /// Executions that got fewer records than they should, and how many; not those behind the end of a stream.
    pub(super) gaps: Map<u32, u32>,
    /// Where each slot is; at the end, where its stream ended.
    pub(super) cursors: Vec<Cursor>,
    /// Records of each slot, where they are counted.
    pub(super) counts: Vec<u32>,
    /// Whether its records say how many lanes ran.
    pub(super) has_lanes: bool,
    /// Executions of the slot that is being ended without all of their records.
    pub(super) lost: u64,
}

/// What came of combining.
pub(in crate::systems::instrumentation) struct Combined {
    /// The threads.
    pub(in crate::systems::instrumentation) threads: Threads,
    /// What they ran.
    pub(in crate::systems::instrumentation) executions: Executions,
    pub(super) rules: Arc<Rules>,
    pub(super) slots: Vec<u32>,
    pub(super) streams: Vec<Option<Stream>>,
}

/// Where records stand, without what executions are.
pub(in crate::systems::instrumentation) struct Places {
    pub(in crate::systems::instrumentation) rules: Arc<Rules>,
    slots: Vec<u32>,
    streams: Vec<Option<Stream>>,
}

impl Combined {
    /// What is kept by whom.
    pub(in crate::systems::instrumentation) fn split(self) -> (Threads, Executions, Places) {
        let Self { threads, executions, rules, slots, streams } = self;
        (threads, executions, Places { rules, slots, streams })
    }
}

impl Places {
    /// The records of one execution that there are of a type: what its block writes, and where those stand that came.
    /// `None` for a type without buffers, or that the block does not write.
    pub(in crate::systems::instrumentation) fn of(
        &self,
        executions: &Executions,
        execution: u32,
        of: usize,
    ) -> Option<(&Emit, &[u32])> {
        let rule = self.rules.types.get(of)?;
        let stream = self.streams.get(of)?.as_ref()?;
        let emit_of = |execution: u32| rule.emits.get(*executions.block.get(execution as usize)? as usize);
        let emit = emit_of(execution).filter(|emit| 0 < emit.count)?;
        let slot = self.slots.partition_point(|start| *start <= execution).checked_sub(1)?;
        let first = *self.slots.get(slot)?;
        let cursor = stream.cursors.get(slot)?;
        let taken = |execution: u32| {
            let count = emit_of(execution).map_or(0, |emit| emit.count);
            let flags = executions.flags.get(execution as usize).copied().unwrap_or(0);
            match flags & INCOMPLETE {
                0 => count,
                _ if 0 < cursor.left && cursor.next < execution => 0,
                _ if 0 < cursor.left && cursor.next == execution => count - cursor.left.min(count),
                _ => stream.gaps.get(&execution).copied().unwrap_or(count),
            }
        };
        let marked = execution / MARK * MARK;
        let (from, at) = if first < marked {
            (marked, u64::from(*stream.marks.get((marked / MARK) as usize)?))
        } else {
            (first, *stream.starts.get(slot)?)
        };
        let at = usize::try_from((from..execution).fold(at, |at, e| at + u64::from(taken(e)))).ok()?;
        let end = at + taken(execution) as usize;
        Some((emit, stream.places.get(at..end).unwrap_or(&[])))
    }
}
