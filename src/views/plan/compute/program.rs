//! From a program to a plan: which records its blocks write when nobody says.

use super::{KernelPlan, PlanBlock, RecordType};
use crate::base::words::phrase;
use crate::views::executions::compute::{Block, Program};

/// One record of each execution for control flow and active lanes, one of each memory instruction, none of registers.
/// Records of memory and registers have room for `lanes` lanes.
pub fn default_types(lanes: u32, has_wide_addresses: bool) -> Vec<RecordType> {
    let lanes = u64::from(lanes.clamp(1, 32));
    let (memory, address) = if has_wide_addresses { ("mem-lanes64", 8) } else { ("mem-lanes32", 4) };
    let all = [
        ("flow", "flow", "flow8", 8),
        ("mem", "memory", memory, 16 + address * lanes),
        ("simd", "simd", "simd16", 16),
        ("reg", "register", "reg-lanes32", (16 + 4 * lanes).next_multiple_of(8)),
    ];
    let types = (1..).zip(all).map(|(id, (name, kind, layout, bytes))| RecordType {
        id,
        name: name.to_owned(),
        kind: kind.to_owned(),
        layout: layout.to_owned(),
        bytes,
    });
    types.collect()
}

/// What one execution of a block writes of each type.
pub fn records_of(program: &Program, block: usize, types: &[RecordType]) -> Vec<(u64, u64)> {
    let accesses = program.blocks.get(block).map_or(0, |block| {
        let own = program.instructions.iter().skip(block.first as usize).take(block.len as usize);
        own.filter(|one| one.memory.is_some()).count() as u64
    });
    let of = |one: &RecordType| match one.kind.as_str() {
        "flow" | "simd" => (1, 0),
        "memory" => (accesses, 0),
        _ => (0, 0),
    };
    types.iter().map(of).collect()
}

impl PlanBlock {
    /// A block of a program without records and executions.
    pub fn of(program: &Program, row: usize) -> Self {
        let Some(block) = program.blocks.get(row) else { return Self::default() };
        let own = program.instructions.iter().skip(block.first as usize).take(block.len as usize);
        let mut addresses = own.map(|one| one.address);
        let first = addresses.next().unwrap_or(0);
        Self {
            id: block.id,
            label: block.label.clone(),
            addresses: (first, addresses.next_back().unwrap_or(first)),
            instructions: block.len,
            role: role(program, row, block).to_owned(),
            records: Vec::new(),
            at: Vec::new(),
            count: None,
        }
    }
}

/// entry, exit, loop; a block that is several of them is the first.
fn role(program: &Program, row: usize, block: &Block) -> &'static str {
    let is_back = |from: usize, to: u32| to as usize <= from;
    let is_target = || {
        let from = program.blocks.iter().enumerate().skip(row);
        from.into_iter()
            .any(|(from, block)| block.successors.iter().any(|to| *to as usize == row && is_back(from, *to)))
    };
    if block.is_entry {
        phrase("entry")
    } else if block.is_exit {
        phrase("exit")
    } else if block.successors.iter().any(|to| is_back(row, *to)) || is_target() {
        phrase("loop")
    } else {
        ""
    }
}

/// The plan of a program that no file speaks of.
pub fn plan_of(program: &Program, row: u32) -> KernelPlan {
    let types = default_types(program.lanes, true);
    let block = |at| PlanBlock { records: records_of(program, at, &types), ..PlanBlock::of(program, at) };
    let blocks = (0..program.blocks.len()).map(block).collect();
    let (name, entry) = (program.name.clone(), program.entry);
    KernelPlan { name, entry, program: Some(row), blocks, types, ..KernelPlan::default() }
}
