//! From a listing to a program of blocks, and from that to what its trace buffers would take.

use super::{Flow, Send, flow, send};
use crate::base::map::Map;
use crate::base::words::phrase;
use crate::views::executions::compute::{Block, Instruction, Program};
use crate::views::plan::compute::{KernelPlan, PackedRecords, PlanBlock, records_of};
use std::collections::BTreeMap;

/// An instruction of a listing.
#[derive(Clone, Debug, Default)]
pub(in crate::systems::instrumentation) struct Code {
    /// Its assembly.
    pub(in crate::systems::instrumentation) text: String,
    /// File and line that it was made of.
    pub(in crate::systems::instrumentation) source: Option<(String, u32)>,
}

/// What makes a program.
pub(in crate::systems::instrumentation) struct Listed<'a> {
    /// Name of the kernel.
    pub(in crate::systems::instrumentation) name: String,
    /// Number of the entry.
    pub(in crate::systems::instrumentation) entry: u32,
    /// Instructions by their addresses.
    pub(in crate::systems::instrumentation) code: &'a BTreeMap<u64, Code>,
    /// First addresses of blocks with their numbers, where the file says them; else blocks are split by control flow.
    pub(in crate::systems::instrumentation) marks: &'a BTreeMap<u64, u32>,
    /// Addresses of labels.
    pub(in crate::systems::instrumentation) labels: &'a Map<String, u64>,
}

impl Listed<'_> {
    /// The program, its blocks split.
    pub(in crate::systems::instrumentation) fn program(&self) -> Program {
        // In the order of addresses.
        let flows: Vec<(u64, Flow)> = self
            .code
            .iter()
            .filter_map(|(at, code)| Some((*at, flow(*at, &code.text, self.labels)?)))
            .collect();
        let leaders = self.leaders(&flows);
        let mut blocks: Vec<Block> = Vec::new();
        let mut ends: Vec<(u64, Option<u64>)> = Vec::new();
        let mut addresses = self.code.keys().copied().peekable();
        let mut row = 0_u32;
        while let Some(at) = addresses.next() {
            if leaders.binary_search(&at).is_ok() || blocks.is_empty() {
                let id = u32::try_from(blocks.len()).unwrap_or(u32::MAX);
                let id = self.marks.get(&at).copied().unwrap_or(id);
                let label = format!("BB{id}");
                blocks.push(Block { id, label, first: row, is_entry: row == 0, ..Block::default() });
                ends.push((at, None));
            }
            if let (Some(block), Some(end)) = (blocks.last_mut(), ends.last_mut()) {
                block.len += 1;
                *end = (at, addresses.peek().copied());
            }
            row = row.saturating_add(1);
        }
        let starts: Vec<u64> = {
            let all: Vec<u64> = self.code.keys().copied().collect();
            blocks.iter().filter_map(|block| all.get(block.first as usize).copied()).collect()
        };
        let row_of = |at: &u64| starts.binary_search(at).ok().and_then(|row| u32::try_from(row).ok());
        for (block, (last, next)) in blocks.iter_mut().zip(&ends) {
            let flow = flow_at(&flows, *last);
            block.is_exit = flow.is_some_and(|flow| flow.is_exit);
            let falls = flow.is_none_or(|flow| flow.falls).then_some(()).and(next.as_ref());
            let targets = flow.map_or(&[][..], |flow| &flow.targets);
            block.successors = falls.into_iter().chain(targets).filter_map(row_of).collect();
            block.successors.sort_unstable();
            block.successors.dedup();
        }
        let lanes = self.code.values().map(|code| super::Parts::of(&code.text).lanes).max();
        Program {
            name: self.name.clone(),
            entry: self.entry,
            lanes: lanes.unwrap_or(1).clamp(1, 32),
            blocks,
            instructions: self.code.iter().map(|(at, code)| instruction(*at, code)).collect(),
            listing: None,
            is_numbered: false,
        }
    }

    /// Addresses where blocks begin, ascending.
    fn leaders(&self, flows: &[(u64, Flow)]) -> Vec<u64> {
        if !self.marks.is_empty() {
            return self.marks.keys().copied().collect();
        }
        let behind = self.code.keys().zip(self.code.keys().skip(1));
        let behind = behind.filter(|(at, _)| flow_at(flows, **at).is_some()).map(|(_, next)| *next);
        let mut all: Vec<u64> =
            flows.iter().flat_map(|(_, flow)| &flow.leaders).copied().chain(behind).collect();
        all.sort_unstable();
        all
    }
}

fn flow_at(flows: &[(u64, Flow)], at: u64) -> Option<&Flow> {
    let found = flows.binary_search_by_key(&at, |(at, _)| *at).ok()?;
    Some(&flows.get(found)?.1)
}

fn instruction(address: u64, code: &Code) -> Instruction {
    let words: Vec<&str> = code.text.split_whitespace().collect();
    let memory = send(&code.text).map(|send| send.operand);
    Instruction { address, text: words.join(" "), memory, source: code.source.clone() }
}

/// Header of a record that holds a whole execution of a block, and bytes of a register.
const HEADER: u64 = 32;
const REGISTER: u64 = 32;

/// What its buffers would take: records counted from instructions, and the tool's own way of one record a block.
pub(in crate::systems::instrumentation) fn plan(
    program: &Program,
    row: u32,
    count: impl Fn(u64) -> Option<u64>,
) -> (KernelPlan, Option<PackedRecords>) {
    let sends: Vec<Option<Send>> = program.instructions.iter().map(|one| send(&one.text)).collect();
    let lanes = sends.iter().flatten().map(|send| send.lanes).max().unwrap_or(program.lanes);
    let is_wide = sends.iter().flatten().any(|send| send.is_wide);
    let types = crate::views::plan::compute::default_types(lanes, is_wide);
    let mut plan = KernelPlan {
        name: program.name.clone(),
        entry: program.entry,
        program: Some(row),
        types,
        ..KernelPlan::default()
    };
    let mut packed = Vec::new();
    for (at, block) in program.blocks.iter().enumerate() {
        let first = program.instructions.get(block.first as usize).map_or(0, |one| one.address);
        let own = sends.iter().skip(block.first as usize).take(block.len as usize).flatten();
        let registers = own.map(|send| send.registers).collect::<Option<Vec<u64>>>();
        packed.push(registers.map(|all| {
            let sum = all.iter().fold(0_u64, |sum, n| sum.saturating_add(*n));
            if all.is_empty() { 0 } else { sum.saturating_mul(REGISTER).saturating_add(HEADER) }
        }));
        let records = records_of(program, at, &plan.types);
        plan.blocks.push(PlanBlock { records, count: count(first), ..PlanBlock::of(program, at) });
    }
    let packed = packed.into_iter().collect::<Option<Vec<u64>>>().filter(|all| all.iter().any(|n| *n != 0));
    let record_type = plan.types.iter().position(|one| one.kind == "memory").unwrap_or(0);
    let packed = packed.map(|bytes| PackedRecords {
        title: phrase("GTPin record per block"),
        record_type: u32::try_from(record_type).unwrap_or(0),
        bytes,
        head: HEADER,
        slack: 0x2000,
        ..PackedRecords::default()
    });
    (plan, packed)
}
