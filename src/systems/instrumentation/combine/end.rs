//! When no more records come: what is missing and what is left over is said.

use super::attach::Attached;
use super::cursor::Walk;
use super::{Combined, Event, STEP, Tell};
use crate::base::order;
use crate::views::executions::compute::{Executions, INCOMPLETE};

impl Attached {
    /// Does some milliseconds of work; false when all is done.
    pub(super) fn end(&mut self, tell: Tell) -> bool {
        let mut left = STEP;
        while 0 < left {
            let (of, slot, at) = self.ending;
            if self.streams.len() <= of {
                self.tell_extra(tell);
                return false;
            }
            let n_slots = self.found.slots.len().saturating_sub(1);
            if n_slots <= slot || self.streams.get(of).is_none_or(Option::is_none) {
                self.ending = (of + 1, 0, 0);
                continue;
            }
            left = left.saturating_sub(1 + self.end_slot(of, slot, (at, left), tell));
        }
        true
    }

    /// Ends a slot, or walks on to its end; returns how far it went.
    fn end_slot(&mut self, of: usize, slot: usize, (at, left): (u32, usize), tell: Tell) -> usize {
        let row = u32::try_from(slot).unwrap_or(u32::MAX);
        let thread = self.thread(row);
        if at == 0 {
            self.resolve(of, (row, thread), true, &mut *tell);
        }
        let next = (of, slot + 1, 0);
        let Some(end) = self.found.slots.get(slot + 1).copied() else { return 0 };
        let Some((Some(stream), rule)) = self.streams.get_mut(of).zip(self.rules.types.get(of)) else {
            return 0;
        };
        let walk = Walk { rule, blocks: &self.found.blocks, has_lanes: stream.has_lanes };
        self.ending = next;
        let Some(cursor) = stream.cursors.get_mut(slot).filter(|cursor| 0 < cursor.left) else { return 0 };
        cursor.close(&walk, &mut self.columns);
        let from = cursor.next.max(at);
        let to = end.min(from.saturating_add(u32::try_from(left).unwrap_or(u32::MAX)));
        let blocks = walk.blocks.get(from as usize..to as usize).unwrap_or(&[]);
        for (execution, block) in (from..).zip(blocks) {
            if 0 < walk.count(*block) {
                self.columns.flag(execution, INCOMPLETE);
                stream.lost += 1;
            }
        }
        for mark in (from / super::MARK + 1)..=(to / super::MARK) {
            let filled = cursor.filled;
            stream.marks.get_mut(mark as usize).into_iter().for_each(|mark| *mark = filled);
        }
        if to < end {
            self.ending = (of, slot, to);
        } else {
            tell(Event::Lost { of, thread, executions: std::mem::take(&mut stream.lost) });
        }
        (to - from) as usize
    }

    fn tell_extra(&mut self, tell: Tell) {
        let mut extra: Vec<_> = std::mem::take(&mut self.extra).into_iter().collect();
        order::sort_by_key(&mut extra, |((of, _), (_, place))| (*of, *place));
        for ((of, thread), (records, place)) in extra {
            tell(Event::Extra { of, place, thread, records });
        }
    }

    /// What came of it.
    pub(super) fn finish(self) -> Combined {
        let found = self.found;
        let columns = self.columns;
        Combined {
            threads: found.threads,
            executions: Executions {
                starts: found.starts,
                block: found.blocks,
                lanes: columns.lanes,
                moved: columns.moved,
                used: columns.used,
                excess: columns.excess,
                flags: columns.flags,
                time: found.times,
            },
            rules: self.rules,
            slots: found.slots,
            streams: self.streams,
        }
    }
}
