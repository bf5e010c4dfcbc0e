//! The warps of a kernel while it is read: one after the other where lines are grouped, all at once where each line names its
//! warp.

use super::kernel::Trouble;
use crate::base::map::Map;
use crate::base::order;
use crate::model::chunked::Chunked;

/// The rows of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Run {
    /// Its group: z, y, x, by which warps are in order.
    pub(super) group: [u32; 3],
    /// Its number in the group.
    pub(super) warp: u32,
    /// Its first row.
    pub(super) start: u32,
    /// Behind its last row.
    pub(super) end: u32,
}

/// What only lines that name their warp need, by row.
#[derive(Default)]
pub(super) struct Interleaved {
    /// The number of the warp.
    pub(super) of: Chunked<u32>,
    /// Where the line stands, in units of eight bytes: no two begin in one.
    pub(super) at: Chunked<u32>,
    keys: Map<[u32; 4], u32>,
    /// The last row of each warp.
    last: Vec<u32>,
    /// The warp of the line before: often the same.
    before: ([u32; 4], u32),
}

/// The warps.
#[derive(Default)]
pub(super) struct Warps {
    /// Whether lines are grouped by warp.
    pub(super) is_grouped: bool,
    /// The group that is being read: x, y, z.
    pub(super) group: [u32; 3],
    /// The warps. Where they are interleaved, `end` is their number of rows until they are put in order.
    pub(super) runs: Vec<Run>,
    /// What interleaved lines need.
    pub(super) interleaved: Interleaved,
    is_open: bool,
    declared: Option<u32>,
    lines: u64,
}

impl Warps {
    /// A warp begins.
    pub(super) fn begin_run(&mut self, warp: u32, row: u32) {
        let [x, y, z] = self.group;
        self.runs.push(Run { group: [z, y, x], warp, start: row, end: row });
        (self.is_open, self.declared, self.lines) = (true, None, 0);
    }

    /// Its head says how many lines follow.
    pub(super) fn declare(&mut self, n: u32) {
        self.declared = Some(n);
    }

    /// A line of it passes.
    #[inline]
    pub(super) fn count_line(&mut self) {
        self.lines += 1;
    }

    /// The warp ends, if one began.
    pub(super) fn end_run(&mut self, row: u32) -> Result<(), Trouble> {
        let Some(run) = self.runs.last_mut().filter(|_| self.is_open && self.is_grouped) else {
            return Ok(());
        };
        self.is_open = false;
        run.end = row;
        match self.declared.map(u64::from).filter(|n| *n != self.lines) {
            Some(n) => Err(Trouble::Count(run.warp, n, self.lines)),
            None => Ok(()),
        }
    }

    /// The number of the warp that is being read.
    #[inline]
    pub(super) fn current(&self) -> Option<u32> {
        self.runs.len().checked_sub(1).filter(|_| self.is_open).and_then(|n| u32::try_from(n).ok())
    }

    /// The number of a warp that a line names: group and number.
    #[inline]
    pub(super) fn of_key(&mut self, key: [u32; 4]) -> u32 {
        let of = &mut self.interleaved;
        if of.before.0 == key && !self.runs.is_empty() {
            return of.before.1;
        }
        let runs = &mut self.runs;
        let number = *of.keys.entry(key).or_insert_with(|| {
            let [x, y, z, warp] = key;
            runs.push(Run { group: [z, y, x], warp, start: 0, end: 0 });
            of.last.push(u32::MAX);
            u32::try_from(runs.len() - 1).unwrap_or(u32::MAX)
        });
        of.before = (key, number);
        number
    }

    /// A row of a warp.
    #[inline]
    pub(super) fn push(&mut self, thread: u32, row: u32, at: u64) {
        if self.is_grouped {
            return;
        }
        let of = &mut self.interleaved;
        of.of.push(thread);
        of.at.push(u32::try_from(at / 8).unwrap_or(u32::MAX));
        if let Some(last) = of.last.get_mut(thread as usize) {
            *last = row;
        }
        if let Some(run) = self.runs.get_mut(thread as usize) {
            run.end += 1;
        }
    }

    /// The last row of a warp when there are so many rows in all.
    pub(super) fn last_row(&self, thread: u32, rows: u32) -> Option<u32> {
        if self.is_grouped {
            let start = self.runs.last().map_or(0, |run| run.start);
            return rows.checked_sub(1).filter(|row| start <= *row);
        }
        self.interleaved.last.get(thread as usize).copied()
    }

    /// The line of a row that says more stands elsewhere.
    #[allow(clippy::indexing_slicing)] // the row is there
    pub(super) fn move_row(&mut self, row: u32, at: u64) {
        if !self.is_grouped && (row as usize) < self.interleaved.at.len() {
            self.interleaved.at[row as usize] = u32::try_from(at / 8).unwrap_or(u32::MAX);
        }
    }

    /// How many rows warps have in all before each, and their numbers in the order of group and warp: where interleaved rows
    /// go.
    pub(super) fn arrange(&mut self) -> Vec<u32> {
        let mut sorted: Vec<(Run, u32)> = self.runs.iter().copied().zip(0..).collect();
        order::sort_by_key(&mut sorted, |(run, _)| (run.group, run.warp));
        let (mut starts, mut next) = (vec![0; sorted.len()], 0);
        for (run, number) in &mut sorted {
            let n = run.end - run.start;
            if let Some(start) = starts.get_mut(*number as usize) {
                *start = next;
            }
            if !self.is_grouped {
                (run.start, run.end) = (next, next + n);
            }
            next += n;
        }
        self.runs = sorted.into_iter().map(|(run, _)| run).collect();
        starts
    }
}
