//! The records of an execution, as bytes.

use super::survey::{Survey, Writes};
use crate::views::executions::compute::{Block, Instruction, Launch, Program, Row, Space};

/// How many types there are: flow, memory, lanes, registers.
pub(super) const TYPES: usize = 4;
/// Their rows.
pub(super) const FLOW: usize = 0;
pub(super) const MEMORY: usize = 1;
pub(super) const SIMD: usize = 2;
pub(super) const REGISTER: usize = 3;

/// How many lanes records have, and what there is to record.
#[derive(Clone, Copy, Default)]
pub(super) struct Lanes {
    /// Lanes of an access.
    pub(super) of_access: u32,
    /// Whether accesses have the addresses of all lanes.
    pub(super) has_addresses: bool,
    /// Whether they have the first only.
    pub(super) has_base: bool,
    pub(super) has_masks: bool,
    /// Lanes of a register; 0 for no registers.
    pub(super) of_register: u32,
    pub(super) has_time: bool,
}

impl Lanes {
    /// Takes in what a row has.
    pub(super) fn take(&mut self, row: &Row) {
        let lanes = row.mask.map_or(0, u32::count_ones) as usize;
        self.has_masks |= row.mask.is_some();
        self.has_addresses |= 1 < row.addresses.len() || lanes == 1 && row.addresses.len() == 1;
        self.has_base |= 1 < lanes && row.addresses.len() == 1;
        for register in &row.registers {
            self.of_register = self.of_register.max(32 - register.mask.leading_zeros()).max(1);
        }
    }

    /// Whether accesses are written with their first address only.
    pub(super) fn is_base(&self) -> bool {
        self.has_base && !self.has_addresses
    }

    /// Bytes of a record of each type.
    pub(super) fn bytes(&self) -> [u64; TYPES] {
        let lanes = u64::from(self.of_access);
        let access = if self.is_base() { 24 } else { 16 + 8 * lanes };
        let register = (16 + 4 * u64::from(self.of_register)).next_multiple_of(8);
        [if self.has_time { 16 } else { 8 }, access, 16, register]
    }
}

/// What a block writes of a type: the instruction of each record.
pub(super) fn emits(block: &Block, writes: &[Writes], lanes: &Lanes, of: usize) -> Option<Vec<Option<u32>>> {
    let first = block.first as usize;
    let own = writes.get(first..first + block.len as usize).unwrap_or(&[]);
    let all = || (0_u32..).zip(own);
    match of {
        FLOW => Some(vec![None]),
        MEMORY => Some(all().filter(|(_, w)| w.accesses).map(|(at, _)| Some(at)).collect()),
        SIMD => lanes.has_masks.then(|| vec![None]),
        _ if lanes.of_register == 0 => None,
        _ => Some(all().flat_map(|(at, w)| std::iter::repeat_n(Some(at), w.registers)).collect()),
    }
}

/// Makes the records of an execution in the order in which a thread writes them.
pub(super) fn make(
    survey: &Survey,
    (launch, program): (&Launch, &Program),
    thread: u32,
    execution: u32,
    rows: &[Row],
    mut take: impl FnMut(usize, &[u8]),
) {
    let block = launch.executions.block.get(execution as usize);
    let Some(block) = block.and_then(|block| program.blocks.get(*block as usize)) else { return };
    let lanes = &survey.lanes;
    let head = [thread.to_le_bytes(), block.id.to_le_bytes()].concat();
    let mut record = head.clone();
    if lanes.has_time {
        let time = launch.executions.time.get(execution as usize).copied().unwrap_or(0);
        record.extend(time.to_le_bytes());
    }
    take(FLOW, &record);
    let masks = rows.iter().filter_map(|row| row.mask).reduce(|a, b| a | b);
    if let Some(mask) = masks.filter(|_| lanes.has_masks) {
        let all = u32::MAX >> 32_u32.saturating_sub(program.lanes.max(1)).min(31);
        take(SIMD, &[head.as_slice(), &mask.to_le_bytes(), &all.to_le_bytes()].concat());
    }
    let writes = survey.writes.get(launch.program as usize).map_or(&[][..], Vec::as_slice);
    for row in rows {
        let at = u16::try_from(row.instruction.saturating_sub(block.first)).unwrap_or(u16::MAX);
        let Some(writes) = writes.get(row.instruction as usize) else { continue };
        let instruction = program.instructions.get(row.instruction as usize);
        if writes.accesses && row.missing.is_none() {
            take(MEMORY, &access(&head, lanes, at, row, instruction));
        }
        let registers = if row.missing.is_none() { writes.registers } else { 0 };
        for n in 0..registers {
            record.clear();
            record.extend_from_slice(&head);
            record.extend(at.to_le_bytes());
            let register = row.registers.get(n);
            record.extend(register.map_or(0, |register| register.register).to_le_bytes());
            let mask = register.map_or(0, |register| register.mask);
            record.extend(mask.to_le_bytes());
            let mut values = register.map_or(&[][..], |register| &register.values).iter();
            for lane in 0..lanes.of_register {
                let value = if mask >> lane & 1 == 1 { values.next() } else { None };
                record.extend(
                    value.map_or(0, |value| value & u64::from(u32::MAX)).to_le_bytes().iter().take(4),
                );
            }
            record.resize(record.len().next_multiple_of(8), 0);
            take(REGISTER, &record);
        }
    }
}

fn access(head: &[u8], lanes: &Lanes, at: u16, row: &Row, instruction: Option<&Instruction>) -> Vec<u8> {
    let operand = instruction.and_then(|instruction| instruction.memory);
    let width = operand.map_or(0, |operand| u8::try_from(operand.bytes).unwrap_or(u8::MAX));
    let flags = operand.map_or(0, |operand| {
        let is_shared = operand.space == Space::Shared;
        u8::from(operand.writes) | u8::from(operand.is_atomic) << 1 | u8::from(is_shared) << 2
    });
    let known = u32::try_from(row.addresses.len()).unwrap_or(u32::MAX);
    let mask =
        row.mask.unwrap_or(if known == 0 { 0 } else { u32::MAX >> 32_u32.saturating_sub(known).min(31) });
    let mut record = head.to_vec();
    let mut addresses = row.addresses.iter().copied();
    if lanes.is_base() {
        record.extend(at.to_le_bytes());
        record.extend([width, flags]);
        record.extend(mask.to_le_bytes());
        record.extend(addresses.next().unwrap_or(0).to_le_bytes());
        return record;
    }
    record.extend(mask.to_le_bytes());
    record.extend(at.to_le_bytes());
    record.extend([width, flags]);
    for lane in 0..lanes.of_access {
        let address = if mask >> lane & 1 == 1 { addresses.next() } else { None };
        record.extend(address.unwrap_or(0).to_le_bytes());
    }
    record
}
