//! What the blocks of what was recorded write: found by reading all of it once.

use super::records::{Lanes, TYPES};
use crate::base::job::Turn;
use crate::views::executions::compute::{Launch, NO_BLOCK, Program, Recorded, Row};
use std::io::{Error, Result};
use std::ops::Range;

/// What an execution costs, as [`Turn::is_over`] counts.
const EXECUTION: usize = 32;

/// What an instruction writes.
#[derive(Clone, Copy, Default)]
pub(super) struct Writes {
    /// Whether it has accesses.
    pub(super) accesses: bool,
    /// Most registers of one execution.
    pub(super) registers: usize,
}

/// A thread, or a slot of the hardware with all of its threads.
pub(super) struct Slot {
    pub(super) id: u32,
    pub(super) executions: Range<u32>,
    /// Records of each type.
    pub(super) records: [u64; TYPES],
}

/// What was found of all launches.
#[derive(Default)]
pub(super) struct Survey {
    /// By program, by instruction.
    pub(super) writes: Vec<Vec<Writes>>,
    /// By launch.
    pub(super) slots: Vec<Vec<Slot>>,
    pub(super) lanes: Lanes,
}

/// Threads of a launch; those of one slot of the hardware are one.
fn slots(launch: &Launch) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    for (id, range) in launch.threads.ids.iter().zip(launch.executions.starts.windows(2)) {
        let &[start, end] = range else { continue };
        match slots.last_mut().filter(|slot| slot.id == *id) {
            Some(slot) => slot.executions.end = end,
            None => slots.push(Slot { id: *id, executions: start..end, records: [0; TYPES] }),
        }
    }
    slots
}

/// The program of a launch.
pub(super) fn program<'a>(recorded: &'a Recorded, launch: &Launch) -> Option<&'a Program> {
    recorded.programs.get(launch.program as usize)
}

/// What an execution did; nothing where nobody knows.
pub(super) fn rows(launch: &Launch, program: &Program, execution: u32) -> Result<Vec<Row>> {
    match &launch.rows {
        Some(rows) => rows.rows(launch, program, execution).map_err(Error::other),
        None => Ok(Vec::new()),
    }
}

impl Survey {
    /// Reads all launches twice: what blocks write must be known before records are counted.
    pub(super) async fn of(recorded: &Recorded, turn: &Turn) -> Result<Self> {
        let writes = |program: &Program| {
            let accesses = program.instructions.iter().map(|instruction| instruction.memory.is_some());
            accesses.map(|accesses| Writes { accesses, ..Writes::default() }).collect()
        };
        let mut survey = Self {
            writes: recorded.programs.iter().map(writes).collect(),
            slots: recorded.launches.iter().map(slots).collect(),
            ..Self::default()
        };
        let lanes = recorded.programs.iter().map(|program| program.lanes).max();
        survey.lanes.of_access = lanes.unwrap_or(32).clamp(1, 32);
        for is_counting in [false, true] {
            for (at, launch) in recorded.launches.iter().enumerate() {
                let Some(program) = program(recorded, launch) else { continue };
                let slots = survey.slots.get(at).map_or(&[][..], Vec::as_slice);
                let all: Vec<Range<u32>> = slots.iter().map(|slot| slot.executions.clone()).collect();
                for (slot, executions) in all.into_iter().enumerate() {
                    for execution in executions {
                        let block = launch.executions.block.get(execution as usize).copied();
                        if program.blocks.get(block.unwrap_or(NO_BLOCK) as usize).is_some() {
                            let rows = rows(launch, program, execution)?;
                            if is_counting {
                                survey.count((at, slot), (launch, program), execution, &rows);
                            } else {
                                survey.look(launch, &rows);
                            }
                        }
                        if turn.is_over(EXECUTION) {
                            turn.pause().await;
                        }
                    }
                }
            }
        }
        Ok(survey)
    }

    /// What the rows of an execution write.
    fn look(&mut self, launch: &Launch, rows: &[Row]) {
        self.lanes.has_time |= !launch.executions.time.is_empty();
        for row in rows {
            self.lanes.take(row);
            let writes = self.writes.get_mut(launch.program as usize);
            if let Some(writes) = writes.and_then(|writes| writes.get_mut(row.instruction as usize)) {
                writes.accesses |= !row.addresses.is_empty();
                writes.registers = writes.registers.max(row.registers.len());
            }
        }
    }

    /// How many records that makes.
    fn count(
        &mut self,
        (at, slot): (usize, usize),
        (launch, program): (&Launch, &Program),
        execution: u32,
        rows: &[Row],
    ) {
        let made = self.records(launch, program, execution, rows);
        let slot = self.slots.get_mut(at).and_then(|slots| slots.get_mut(slot));
        for (sum, n) in slot.into_iter().flat_map(|slot| &mut slot.records).zip(made) {
            *sum += n;
        }
    }

    /// Records of each type of an execution.
    fn records(&self, launch: &Launch, program: &Program, execution: u32, rows: &[Row]) -> [u64; TYPES] {
        let mut n = [0; TYPES];
        super::records::make(self, (launch, program), 0, execution, rows, |of, _| {
            n.get_mut(of).into_iter().for_each(|n| *n += 1);
        });
        n
    }
}
