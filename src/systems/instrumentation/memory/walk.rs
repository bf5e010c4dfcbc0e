//! Accesses one after the other: launches in their order, in each the threads, in each the executions.

use super::{KIND, LAUNCH, ORDER};
use crate::model::parameter::Values;
use crate::views::density::compute::{LINE, Order};
use crate::views::executions::compute::{Launch, MemoryOperand, Naming, Program, Recorded, Space};

/// Rows that are read at once, some 10 ms.
const ROWS: usize = 4_096;
/// Reads of the file at once.
const READS: u64 = 8;
/// Executions that are passed over for the price of a row.
const PASSED: usize = 32;

/// Most bytes of a lane: none has more than a line.
const WIDEST: u64 = 1 << LINE;

/// One access of a thread.
pub(super) struct Access<'a> {
    /// Where it stands on the axis.
    pub(super) clock: u64,
    /// Of the active lanes.
    pub(super) addresses: &'a [u64],
    /// Bytes of a lane.
    pub(super) bytes: u64,
    /// Number of the thread over all launches.
    pub(super) thread: u32,
    pub(super) group: u32,
}

/// Where reading is.
pub(super) struct Walk {
    /// What stands for time.
    pub(super) order: Order,
    /// Launches that were not recorded in detail.
    pub(super) unread: u64,
    /// Accesses without addresses.
    pub(super) missing: u64,
    /// Accesses of several lanes with one address.
    pub(super) bases: u64,
    /// Accesses of single lanes, of threads that nothing names.
    pub(super) of_lanes: u64,
    /// Why reading ended early.
    pub(super) problem: Option<String>,
    /// Rows of the launches that count.
    launches: Vec<usize>,
    reads: bool,
    writes: bool,
    at: usize,
    thread: usize,
    execution: u32,
    /// Instructions of the thread so far.
    ordinal: u64,
    /// The most instructions of a thread of this launch.
    longest: u64,
    /// Where this launch begins on the axis of instructions, and on that of threads.
    base: (u64, u64),
    /// What counts in this launch.
    picked: Option<Picked>,
}

/// What counts in a program.
struct Picked {
    /// Bytes of a lane by instruction; `None` for those that do not count.
    instructions: Vec<Option<u64>>,
    /// Whether blocks have some.
    blocks: Vec<bool>,
}

impl Walk {
    pub(super) fn new(recorded: Option<&Recorded>, values: &Values) -> Self {
        let all = recorded.map_or(&[][..], |recorded| &recorded.launches);
        let number = values.number(LAUNCH.id).filter(|number| 1.0 <= *number);
        let is_meant = |row: usize| number.is_none_or(|number| ((row + 1) as f64 - number).abs() < 0.5);
        let meant = || all.iter().enumerate().filter(|(row, _)| is_meant(*row));
        let readable = || meant().filter(|(_, launch)| launch.rows.is_some());
        let kind = values.text(KIND.id).unwrap_or("all");
        let is_threads = values.text(ORDER.id) == Some("thread");
        Self {
            order: if is_threads { Order::Thread } else { Order::Instruction },
            unread: (meant().count() - readable().count()) as u64,
            missing: 0,
            bases: 0,
            of_lanes: 0,
            problem: None,
            launches: readable().map(|(row, _)| row).collect(),
            reads: kind != "writes",
            writes: kind != "reads",
            at: 0,
            thread: 0,
            execution: 0,
            ordinal: 0,
            longest: 0,
            base: (0, 0),
            picked: None,
        }
    }

    /// Whether groups of threads have numbers that people know.
    pub(super) fn has_groups(&self, recorded: &Recorded) -> bool {
        let [only] = self.launches.as_slice() else { return false };
        let launch = recorded.launches.get(*only);
        launch.is_some_and(|launch| matches!(launch.threads.naming, Naming::Warps { .. }))
    }

    /// Hands over accesses for some milliseconds; false when there is nothing more.
    pub(super) fn read(&mut self, recorded: &Recorded, take: &mut impl FnMut(&Access)) -> bool {
        let mut room = ROWS * PASSED;
        while 0 < room {
            let Some(row) = self.launches.get(self.at) else { return false };
            let launch = recorded.launches.get(*row);
            let program = launch.and_then(|launch| recorded.programs.get(launch.program as usize));
            let Some((launch, program)) = launch.zip(program) else {
                self.at += 1;
                continue;
            };
            let picked = self.picked.take().unwrap_or_else(|| self.pick(program));
            if self.of_launch((launch, program), &picked, &mut room, take) {
                self.picked = Some(picked);
            } else {
                self.end_launch(launch);
            }
        }
        true
    }

    fn pick(&self, program: &Program) -> Picked {
        let counts = |memory: MemoryOperand| {
            let is_kind = (self.reads && memory.reads) || (self.writes && memory.writes) || memory.is_atomic;
            (memory.space == Space::Global && is_kind)
                .then(|| u64::from(memory.bytes.unwrap_or(1)).clamp(1, WIDEST))
        };
        let instructions: Vec<Option<u64>> =
            program.instructions.iter().map(|of| of.memory.and_then(counts)).collect();
        let blocks = program.blocks.iter().map(|block| {
            let first = block.first as usize;
            let own = instructions.get(first..first.saturating_add(block.len as usize));
            own.is_none_or(|own| own.iter().any(Option::is_some))
        });
        Picked { blocks: blocks.collect(), instructions }
    }

    fn end_launch(&mut self, launch: &Launch) {
        self.base.0 = self.base.0.saturating_add(self.longest);
        self.base.1 = self.base.1.saturating_add(launch.threads.len() as u64);
        (self.at, self.thread, self.execution, self.ordinal, self.longest) = (self.at + 1, 0, 0, 0, 0);
        self.picked = None;
    }

    /// Goes on with a launch; false when it is at its end.
    fn of_launch(
        &mut self,
        (launch, program): (&Launch, &Program),
        picked: &Picked,
        room: &mut usize,
        take: &mut impl FnMut(&Access),
    ) -> bool {
        let starts = &launch.executions.starts;
        let reads = || launch.rows.as_ref().map_or(0, |rows| rows.reads());
        let most = reads() + READS;
        while 0 < *room {
            let span = starts.get(self.thread).zip(starts.get(self.thread.saturating_add(1)));
            let Some((&first, &end)) = span else { return false };
            let execution = first.saturating_add(self.execution);
            *room = room.saturating_sub(1);
            if end <= execution {
                self.longest = self.longest.max(self.ordinal);
                (self.thread, self.execution, self.ordinal) = (self.thread + 1, 0, 0);
                continue;
            }
            let block = launch.executions.block.get(execution as usize).copied();
            let block = block.and_then(|block| usize::try_from(block).ok());
            let has_some = block.and_then(|block| picked.blocks.get(block)).copied().unwrap_or(true);
            if has_some {
                match self.of_execution((launch, program), picked, execution, take) {
                    Ok(rows) if reads() < most => *room = room.saturating_sub((rows + 1) * PASSED),
                    Ok(_) => *room = 0,
                    Err(problem) => {
                        self.problem.get_or_insert(problem);
                        return false;
                    }
                }
            }
            // As long as it is in the view of threads.
            let len = block.and_then(|block| program.blocks.get(block)).map_or(1, |block| block.len.max(1));
            self.ordinal += u64::from(len);
            self.execution += 1;
        }
        true
    }

    /// The accesses of an execution; how many rows it has.
    fn of_execution(
        &mut self,
        (launch, program): (&Launch, &Program),
        picked: &Picked,
        execution: u32,
        take: &mut impl FnMut(&Access),
    ) -> Result<usize, String> {
        let Some(source) = &launch.rows else { return Ok(0) };
        let rows = source.rows(launch, program, execution)?;
        let number = self.base.1.saturating_add(self.thread as u64);
        let (thread, group) = (u32::try_from(number).unwrap_or(u32::MAX), launch.threads.group(self.thread));
        for (row, inside) in rows.iter().zip(0_u64..) {
            let bytes = picked.instructions.get(row.instruction as usize).copied().flatten();
            let Some(bytes) = bytes else { continue };
            if row.addresses.is_empty() {
                self.missing += u64::from(row.mask.is_some_and(|mask| mask != 0));
                continue;
            }
            if launch.is_of_lanes {
                self.of_lanes += 1;
            } else {
                self.bases += u64::from(row.is_base_only(program.lanes));
            }
            let clock = match self.order {
                Order::Thread => number,
                _ => self.base.0.saturating_add(self.ordinal).saturating_add(inside),
            };
            take(&Access { clock, addresses: &row.addresses, bytes, thread, group });
        }
        Ok(rows.len())
    }
}
