//! What the blocks of what was recorded write: found by reading all of it once.

use super::records::{Lanes, TYPES};
use crate::views::executions::compute::{Launch, NO_BLOCK, Program, Recorded, Row};
use std::io::{Error, Result};
use std::ops::Range;

/// Executions that are read in a step.
const STEP: u32 = 2_048;

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
    /// The launch, slot and execution that come next.
    next: (usize, usize, u32),
    /// Whether records are counted: in a second turn, when it is known what blocks write.
    is_counting: bool,
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
    /// Reads on; false when all is known.
    pub(super) fn step(&mut self, recorded: &Recorded) -> Result<bool> {
        if self.writes.is_empty() {
            let empty = |program: &Program| vec![Writes::default(); program.instructions.len()];
            self.writes = recorded.programs.iter().map(empty).collect();
            self.slots = recorded.launches.iter().map(slots).collect();
            for (writes, program) in self.writes.iter_mut().zip(&recorded.programs) {
                for (writes, instruction) in writes.iter_mut().zip(&program.instructions) {
                    writes.accesses = instruction.memory.is_some();
                }
            }
            let lanes = recorded.programs.iter().map(|program| program.lanes).max();
            self.lanes.of_access = lanes.unwrap_or(32).clamp(1, 32);
        }
        let (at, slot, from) = self.next;
        let Some(launch) = recorded.launches.get(at) else {
            let again = !std::mem::replace(&mut self.is_counting, true);
            self.next = (0, 0, 0);
            return Ok(again && !recorded.launches.is_empty());
        };
        let Some(range) = self.slots.get(at).and_then(|slots| Some(slots.get(slot)?.executions.clone()))
        else {
            self.next = (at + 1, 0, 0);
            return Ok(true);
        };
        let from = from.max(range.start);
        let end = range.end.min(from.saturating_add(STEP));
        if let Some(program) = program(recorded, launch) {
            for execution in from..end {
                self.read(launch, program, (at, slot), execution)?;
            }
        }
        self.next = if end < range.end { (at, slot, end) } else { (at, slot + 1, 0) };
        Ok(true)
    }

    fn read(
        &mut self,
        launch: &Launch,
        program: &Program,
        (at, slot): (usize, usize),
        execution: u32,
    ) -> Result<()> {
        let block = launch.executions.block.get(execution as usize).copied().unwrap_or(NO_BLOCK);
        if program.blocks.get(block as usize).is_none() {
            return Ok(());
        }
        let rows = rows(launch, program, execution)?;
        if self.is_counting {
            let made = self.records(launch, program, execution, &rows);
            let slot = self.slots.get_mut(at).and_then(|slots| slots.get_mut(slot));
            for (sum, n) in slot.into_iter().flat_map(|slot| &mut slot.records).zip(made) {
                *sum += n;
            }
            return Ok(());
        }
        self.lanes.has_time |= !launch.executions.time.is_empty();
        for row in &rows {
            self.lanes.take(row);
            let writes = self.writes.get_mut(launch.program as usize);
            if let Some(writes) = writes.and_then(|writes| writes.get_mut(row.instruction as usize)) {
                writes.accesses |= !row.addresses.is_empty();
                writes.registers = writes.registers.max(row.registers.len());
            }
        }
        Ok(())
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
