//! Where a thread is in the records of one type, and what its executions get of them.

use super::{Access, Emit, Event, Kind, MARK, NO_INSTRUCTION, Record, Stream, TypeRule};
use crate::views::executions::compute::{DIVERGENT, INCOMPLETE, NO_LANES, UNCOALESCED};

/// Where a thread is in the records of one type.
#[derive(Clone, Copy, Default)]
pub(super) struct Cursor {
    /// The execution that gets the next record.
    pub(super) next: u32,
    pub(super) block: u32,
    /// Records that it still gets; 0 when no execution gets any more.
    pub(super) left: u32,
    /// Where the next place is kept.
    pub(super) filled: u32,
    /// Lanes of the record before.
    mask: u32,
    /// Lanes of its records, and how many these are.
    lanes: (u32, u32),
    /// Whether records of this thread wait.
    pub(super) is_waiting: bool,
    /// Whether a record came before.
    has_mask: bool,
}

/// What executions get of records; columns that nobody fills are empty.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) lanes: Vec<u8>,
    pub(super) moved: Vec<u32>,
    pub(super) used: Vec<u32>,
    pub(super) excess: Vec<u32>,
    pub(super) flags: Vec<u8>,
}

impl Columns {
    pub(super) fn flag(&mut self, execution: u32, flag: u8) {
        self.flags.get_mut(execution as usize).into_iter().for_each(|flags| *flags |= flag);
    }
}

/// What a cursor walks over.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a> {
    pub(super) rule: &'a TypeRule,
    /// Blocks of all executions.
    pub(super) blocks: &'a [u32],
    /// Whether its records say how many lanes ran.
    pub(super) has_lanes: bool,
}

impl Walk<'_> {
    /// What a block writes.
    #[inline]
    pub(super) fn emit(&self, block: u32) -> Option<&Emit> {
        self.rule.emits.get(block as usize)
    }

    /// Records of a block.
    #[inline]
    pub(super) fn count(&self, block: u32) -> u32 {
        self.emit(block).map_or(0, |emit| emit.count)
    }
}

impl Cursor {
    /// At the first execution from `from` on that gets records.
    pub(super) fn begin(from: u32, end: u32, filled: u32, walk: &Walk, marks: &mut [u32]) -> Self {
        let mut cursor = Self { next: from, filled, ..Self::default() };
        cursor.seek(from, end, walk, marks);
        cursor
    }

    #[inline]
    fn seek(&mut self, from: u32, end: u32, walk: &Walk, marks: &mut [u32]) {
        let rest = walk.blocks.get(from as usize..end as usize).unwrap_or(&[]);
        let counted =
            |(next, block): (u32, &u32)| Some((next, *block, walk.count(*block))).filter(|of| 0 < of.2);
        let next;
        (next, self.block, self.left) = (from..).zip(rest).find_map(counted).unwrap_or((end, 0, 0));
        if self.next / MARK < next / MARK {
            for mark in (self.next / MARK + 1)..=(next / MARK) {
                marks.get_mut(mark as usize).into_iter().for_each(|mark| *mark = self.filled);
            }
        }
        self.next = next;
    }

    /// Goes to the next execution.
    #[inline]
    pub(super) fn advance(&mut self, end: u32, walk: &Walk, marks: &mut [u32], columns: &mut Columns) {
        self.close(walk, columns);
        let next = self.next.saturating_add(1);
        // Most often the next execution gets records too.
        if next < end
            && let Some(block) = walk.blocks.get(next as usize)
            && let count @ 1.. = walk.count(*block)
        {
            (self.next, self.block, self.left) = (next, *block, count);
            if next.is_multiple_of(MARK) {
                marks.get_mut((next / MARK) as usize).into_iter().for_each(|mark| *mark = self.filled);
            }
            return;
        }
        self.seek(next, end, walk, marks);
    }

    /// Says the lanes of the execution.
    #[inline]
    pub(super) fn close(&mut self, walk: &Walk, columns: &mut Columns) {
        let (sum, n) = std::mem::take(&mut self.lanes);
        if walk.has_lanes && 0 < n {
            let mean = if n == 1 { sum } else { (sum + n / 2) / n };
            let mean = u8::try_from(mean).unwrap_or(NO_LANES);
            columns.lanes.get_mut(self.next as usize).into_iter().for_each(|lanes| *lanes = mean);
        }
    }

    /// Leaves the execution without the rest of its records.
    pub(super) fn give_up(&mut self, end: u32, walk: &Walk, stream: &mut Stream, columns: &mut Columns) {
        stream.gaps.insert(self.next, walk.count(self.block) - self.left);
        columns.flag(self.next, INCOMPLETE);
        self.advance(end, walk, &mut stream.marks, columns);
    }

    /// Gives the record to the execution.
    #[inline]
    pub(super) fn attach(
        &mut self,
        record: &impl Record,
        end: u32,
        walk: &Walk,
        (stream, columns): (&mut Stream, &mut Columns),
        tell: super::Tell,
    ) {
        let item = record.item();
        stream.places.get_mut(self.filled as usize).into_iter().for_each(|place| *place = item.place);
        self.filled += 1;
        let emit = walk.emit(self.block);
        let planned = emit.and_then(|emit| emit.at.get((emit.count - self.left) as usize));
        let planned = planned.copied().unwrap_or(NO_INSTRUCTION);
        let found = item.facts.instruction();
        if planned != found && planned != NO_INSTRUCTION && found != NO_INSTRUCTION {
            let expected = planned;
            tell(Event::Instruction { place: item.place, block: self.block, expected, found });
        }
        if matches!(walk.rule.kind, Kind::Memory | Kind::Simd) {
            self.count(record, walk, columns);
        }
        self.left -= 1;
        if self.left == 0 {
            self.advance(end, walk, &mut stream.marks, columns);
        }
    }

    #[inline]
    fn count(&mut self, record: &impl Record, walk: &Walk, columns: &mut Columns) {
        let facts = record.item().facts;
        let is_first = self.lanes.1 == 0;
        self.lanes = (self.lanes.0.saturating_add(facts.mask.count_ones()), self.lanes.1.saturating_add(1));
        if walk.has_lanes {
            let differs = match walk.rule.kind {
                Kind::Simd if self.has_mask => self.mask & !facts.mask != 0,
                Kind::Simd => facts.is_partial(),
                _ => !is_first && self.mask != facts.mask,
            };
            if differs {
                columns.flag(self.next, DIVERGENT);
            }
            (self.mask, self.has_mask) = (facts.mask, true);
        }
        let Access { moved, bytes } = record.access();
        if 0 < bytes {
            let at = self.next as usize;
            let add = |to: &mut [u32], more: u32| {
                to.get_mut(at).into_iter().for_each(|sum| *sum = sum.saturating_add(more));
            };
            add(&mut columns.moved, bytes);
            add(&mut columns.used, moved.unique);
            add(&mut columns.excess, moved.excess);
            if 0 < moved.excess {
                columns.flag(self.next, UNCOALESCED);
            }
        }
    }
}
