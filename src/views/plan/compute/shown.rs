//! All that is shown of a plan, as data that crosses to the page.

use super::subject::{Known, chosen, known, subjects};
use super::{
    Allocation, BufferUse, Check, Counted, KernelPlan, KernelSize, Layout, PlanInput, Room, Sheet,
    SheetBlock, Sums, allocation::ThreadCounts,
};
use crate::base::order;
use crate::base::words::message;
use crate::model::Trace;
use crate::model::parameter::Values;
use crate::views::executions::compute::Recorded;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Blocks whose savings are listed.
const SAVINGS: usize = 20;
/// Threads whose buffers are listed.
const THREADS: usize = 8;

/// A plan with all that follows from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What can be planned in the document.
    pub subjects: Vec<String>,
    /// Row of the one that is shown.
    pub subject: usize,
    pub sheet: Sheet,
    /// What the table adds up to.
    pub sums: Sums,
    /// What the user set of buffers.
    pub room: Room,
    /// What each layout takes.
    pub allocations: Vec<Allocation>,
    /// What one record for a whole execution of a block would take: its name, bytes with slack.
    pub packed: Vec<(String, Option<u64>)>,
    /// What leaving out one type, then one block would save, the most first.
    pub savings: Vec<Saving>,
    pub buffers: Vec<BufferRow>,
    pub checks: Vec<Check>,
    /// Sizes of whole kernels.
    pub sizes: Vec<SizeRow>,
    /// Whether the file has counts, and whether executions were recorded.
    pub has_counts: (bool, bool),
}

/// What leaving something out saves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saving {
    /// Row of the type, or of the block.
    pub what: Result<usize, usize>,
    pub bytes: u64,
    /// Bytes that are left.
    pub left: u64,
}

/// Buffers of one type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BufferRow {
    /// Row of the type; `None` for a buffer of all types.
    pub record_type: Option<u32>,
    pub buffers: u64,
    /// Bytes that the plan asks for.
    pub planned: Option<u64>,
    /// Bytes that were allocated.
    pub capacity: u64,
    /// Bytes that were reserved.
    pub next: u64,
    /// Bytes that were written.
    pub used: u64,
    /// Records that were lost.
    pub lost: u64,
    /// Records that were reserved and never written.
    pub holes: u64,
    /// Records that the files end before.
    pub cut: u64,
    /// The buffers with the greatest demand, where each thread has its own: thread, capacity, reserved bytes, lost records.
    pub worst: Vec<(u32, u64, u64, u64)>,
}

impl BufferRow {
    /// Bytes that were reserved in relation to those that were allocated.
    pub fn demand(&self) -> Option<f64> {
        (self.capacity != 0).then(|| self.next as f64 / self.capacity as f64)
    }
}

/// The size that the trace of a kernel takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SizeRow {
    /// As the file says it.
    pub size: KernelSize,
    /// Bytes of one thread.
    pub per_thread: Option<f64>,
    /// Bytes with slack, at most the cap.
    pub allocated: u64,
    /// Runs that are needed.
    pub passes: u64,
}

/// What the files of a document let one plan with these values; `None` when they hold nothing of the kind.
pub fn plan(trace: &Trace, values: &Values, counted: Option<&Counted>) -> Option<Plan> {
    let (input, recorded): (Option<&PlanInput>, Option<&Recorded>) =
        (trace.extensions.get(), trace.extensions.get());
    if !super::count::is_plannable(input, recorded) {
        return None;
    }
    let room = Room::of(values);
    let mut plan = Plan { room, sizes: sizes(trace, &room), ..Plan::default() };
    let all = subjects(trace);
    let name = values.text(super::KERNEL.id).unwrap_or("");
    let Some(own) = chosen(&all, name) else { return Some(plan) };
    let Some(known) = known(trace, own, counted) else { return Some(plan) };
    plan.subject = all.iter().position(|other| other == own).unwrap_or(0);
    plan.subjects = all.iter().map(|subject| subject.name.clone()).collect();
    plan.has_counts = (known.plan.blocks.iter().any(|block| block.count.is_some()), known.traced.is_some());
    plan.sheet = Sheet::of(trace, &known, &own.name, values);
    plan.sums = Sums::of(&plan.sheet);
    let is_traced = !plan.has_counts.0 || values.text(super::COUNTS_FROM.id) == Some("trace");
    let threads = thread_counts(trace, &known, &plan.sheet, counted, is_traced);
    let allocation = |layout| Allocation::of(&plan.sheet, &plan.sums, layout, &room, threads.as_ref());
    plan.allocations = Layout::ALL.map(allocation).to_vec();
    plan.packed = packed(input, &known, &plan.sheet);
    plan.savings = savings(&plan.sheet, &plan.sums);
    plan.buffers = buffers(&known.plan, &plan.sheet, &plan.sums);
    plan.checks = checks(&known.plan, &plan.sheet, &plan.sums);
    Some(plan)
}

/// The table alone.
pub fn sheet_of(trace: &Trace, values: &Values, counted: Option<&Counted>) -> Option<Sheet> {
    let all = subjects(trace);
    let own = chosen(&all, values.text(super::KERNEL.id).unwrap_or(""))?;
    Some(Sheet::of(trace, &known(trace, own, counted)?, &own.name, values))
}

fn thread_counts<'a>(
    trace: &'a Trace,
    known: &Known,
    sheet: &Sheet,
    counted: Option<&'a Counted>,
    is_traced: bool,
) -> Option<ThreadCounts<'a>> {
    let of_file = || {
        let plan = trace.extensions.get::<PlanInput>()?.kernels.get(known.kernel?)?;
        (!plan.by_thread.is_empty() && !is_traced).then(|| ThreadCounts::File(&plan.by_thread))
    };
    let of_trace = || {
        let counts = counted?.launches.get(known.launch?).filter(|counts| !counts.starts.is_empty())?;
        let program = trace.extensions.get::<Recorded>()?.programs.get(sheet.program? as usize)?;
        let row = |(at, own): (usize, &crate::views::executions::compute::Block)| {
            let same = sheet.blocks.get(at).filter(|block| block.block.id == own.id).map(|_| at);
            same.or_else(|| sheet.blocks.iter().position(|block| block.block.id == own.id))
        };
        Some(ThreadCounts::Trace(counts, program.blocks.iter().enumerate().map(row).collect()))
    };
    of_file().or_else(|| of_trace().filter(|_| is_traced))
}

fn packed(input: Option<&PlanInput>, known: &Known, sheet: &Sheet) -> Vec<(String, Option<u64>)> {
    let all = input.map_or(&[][..], |input| &input.packed);
    let own = all.iter().filter(|one| known.kernel == Some(one.kernel as usize));
    own.map(|one| {
        let of = one.record_type as usize;
        let is_out = sheet.types.get(of).is_some_and(|of| of.is_out);
        let blocks = sheet.blocks.iter().zip(&one.bytes).filter(|(block, _)| !block.is_out && !is_out);
        let bytes = blocks.map(|(block, bytes)| {
            let bytes = packed_bytes(block, of, *bytes, one.head)?;
            bytes.checked_mul(block.count.or((bytes == 0).then_some(0))?)
        });
        let sum = bytes.sum::<Option<u64>>().and_then(|sum| sum.checked_add(one.slack));
        (one.title.to_owned(), sum.filter(|sum| *sum <= super::LARGEST))
    })
    .collect()
}

/// Bytes of one record for an execution of a block, with as many records of a type in it as there are now. What another
/// one would take is as much as each of those that the file has; unknown where it has none.
fn packed_bytes(block: &SheetBlock, of: usize, bytes: u64, head: u64) -> Option<u64> {
    let (before, now) = (block.block.records.get(of)?.0, *block.records.get(of)?);
    match now {
        0 => Some(0),
        now if now == before => Some(bytes),
        now => bytes.checked_sub(head)?.checked_mul(now)?.checked_div(before)?.checked_add(head),
    }
}

fn savings(sheet: &Sheet, sums: &Sums) -> Vec<Saving> {
    let Some(total) = sums.total else { return Vec::new() };
    let of = |what, bytes: Option<u64>| {
        let bytes = bytes.filter(|bytes| *bytes != 0)?;
        Some(Saving { what, bytes, left: total.saturating_sub(bytes) })
    };
    let sorted = |mut rows: Vec<Saving>| {
        order::sort_by_key(&mut rows, |row| Reverse(row.bytes));
        rows
    };
    let types = sheet.types_in().filter_map(|(row, _)| of(Ok(row), *sums.bytes.get(row)?));
    let blocks = sheet.blocks_in().filter_map(|(row, _)| of(Err(row), *sums.of_block.get(row)?));
    let (types, mut blocks) = (sorted(types.collect()), sorted(blocks.collect()));
    blocks.truncate(SAVINGS);
    types.into_iter().chain(blocks).collect()
}

fn buffers(plan: &KernelPlan, sheet: &Sheet, sums: &Sums) -> Vec<BufferRow> {
    let mut rows: Vec<(BufferRow, Vec<&BufferUse>)> = Vec::new();
    for own in &plan.buffers {
        if rows.iter().all(|(row, _)| row.record_type != own.record_type) {
            let planned = match own.record_type {
                Some(of) => sums.bytes.get(of as usize).copied().flatten(),
                None => sums
                    .total
                    .zip(sums.total_records)
                    .and_then(|(bytes, n)| n.checked_mul(4)?.checked_add(bytes)),
            };
            rows.push((
                BufferRow { record_type: own.record_type, planned, ..BufferRow::default() },
                Vec::new(),
            ));
        }
        let found = rows.iter_mut().find(|(row, _)| row.record_type == own.record_type);
        let Some((row, all)) = found else { continue };
        let size = own
            .record_type
            .and_then(|of| sheet.types.get(of as usize))
            .map_or(0, |one| one.record_type.bytes);
        let used = own.next.min(own.capacity);
        row.buffers += 1;
        row.capacity = row.capacity.saturating_add(own.capacity);
        row.next = row.next.saturating_add(own.next);
        row.used = row.used.saturating_add(if size == 0 { used } else { used - used % size });
        row.lost = row.lost.saturating_add(own.lost);
        row.holes = row.holes.saturating_add(own.holes);
        row.cut = row.cut.saturating_add(own.cut);
        all.push(own);
    }
    let finish = |(mut row, mut all): (BufferRow, Vec<&BufferUse>)| {
        let demand = |own: &&BufferUse| own.next as f64 / own.capacity.max(1) as f64;
        order::sort_by_number(&mut all, |own| Reverse(demand(own)));
        let worst = all.iter().filter_map(|own| Some((own.thread?, own.capacity, own.next, own.lost)));
        row.worst = worst.take(THREADS).collect();
        row
    };
    rows.into_iter().map(finish).collect()
}

fn checks(plan: &KernelPlan, sheet: &Sheet, sums: &Sums) -> Vec<Check> {
    let mut checks = plan.checks.clone();
    // Buffers were compared with the plan that the file has.
    let is_changed = sheet.is_changed();
    let is_of_plan = |check: &&mut Check| {
        is_changed && check.holds.is_some() && ["GMT-PLAN", "GMT-SUM"].contains(&check.code.as_str())
    };
    for check in checks.iter_mut().filter(is_of_plan) {
        let text = std::mem::take(&mut check.text);
        check.text = message("before the edits: {text}").with_message("text", text);
    }
    if sums.is_too_large && checks.iter().all(|check| check.code != "GMT-SIZE" || check.holds != Some(false))
    {
        checks.retain(|check| check.code != "GMT-SIZE");
        let text = message("records × bytes exceed 2⁵³: sizes are not shown");
        checks.push(Check { code: "GMT-SIZE".to_owned(), record_type: None, holds: Some(false), text });
    }
    checks
}

/// Sizes of whole kernels with slack and cap.
pub fn sizes(trace: &Trace, room: &Room) -> Vec<SizeRow> {
    let all = trace.extensions.get::<PlanInput>().map_or(&[][..], |input| &input.sizes);
    let row = |size: &KernelSize| {
        let needed = size.bytes.saturating_add(room.slack.of(size.bytes));
        let threads = size.threads.filter(|n| *n != 0);
        SizeRow {
            size: size.clone(),
            per_thread: threads.map(|n| size.bytes as f64 / n as f64),
            allocated: room.cap.map_or(needed, |cap| needed.min(cap)),
            passes: room
                .cap
                .map_or(1, |cap| needed.div_ceil(cap.max(1)).max(1).checked_next_power_of_two().unwrap_or(1)),
        }
    };
    all.iter().map(row).collect()
}

/// An instruction of a block, or the block itself, that writes records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Emitter {
    pub address: u64,
    /// Its assembly; empty for the entry of the block.
    pub text: String,
    /// Row of the type.
    pub record_type: usize,
    /// Records of one execution.
    pub records: u64,
    pub bytes: Option<u64>,
    /// Whether its type or its block is left out.
    pub is_out: bool,
}

/// What writes the records of a block: the instructions that the file names, else memory records by the memory
/// instructions where there is one of each, all others at the entry. Records that were edited away are the last ones;
/// those that were added stand at the entry.
pub fn emitters(trace: &Trace, sheet: &Sheet, block: usize) -> Vec<Emitter> {
    let Some(own) = sheet.blocks.get(block) else { return Vec::new() };
    let recorded = trace.extensions.get::<Recorded>();
    let program = sheet.program.and_then(|row| recorded?.programs.get(row as usize));
    let found = program.and_then(|program| {
        let same = program.blocks.get(block).filter(|other| other.id == own.block.id);
        let other = same.or_else(|| program.blocks.iter().find(|other| other.id == own.block.id))?;
        program
            .instructions
            .get(other.first as usize..(other.first as usize).checked_add(other.len as usize)?)
    });
    let found = found.unwrap_or(&[]);
    let accesses = (0_u32..).zip(found).filter(|(_, one)| one.memory.is_some()).map(|(at, _)| Some(at));
    let accesses: Vec<Option<u32>> = accesses.collect();
    let mut all: Vec<Emitter> = Vec::new();
    for (of, one) in sheet.types.iter().enumerate() {
        let records = own.records.get(of).copied().unwrap_or(0);
        let each = own.bytes(of, one.bytes).and_then(|bytes| bytes.checked_div(records.max(1)));
        let before = own.block.records.get(of).map_or(0, |(n, _)| *n);
        let known = own.block.at.get(of).filter(|at| !at.is_empty());
        let is_access = one.record_type.kind == "memory" && accesses.len() as u64 == before;
        let places = known.or(is_access.then_some(&accesses)).map_or(&[][..], Vec::as_slice);
        // How many records belong to each instruction; the rest is written at the entry.
        let mut counts: BTreeMap<Option<u32>, u64> = BTreeMap::new();
        for place in places.iter().take(usize::try_from(records).unwrap_or(usize::MAX)) {
            let place = place.filter(|at| (*at as usize) < found.len());
            *counts.entry(place).or_default() += 1;
        }
        let rest = records.saturating_sub(counts.values().sum());
        if rest != 0 {
            *counts.entry(None).or_default() += rest;
        }
        all.extend(counts.into_iter().map(|(place, records)| {
            let instruction = place.and_then(|at| found.get(at as usize));
            Emitter {
                address: instruction
                    .map_or(own.block.addresses.map_or(0, |(first, _)| first), |one| one.address),
                text: instruction.map_or_else(String::new, |one| one.text.clone()),
                record_type: of,
                records,
                bytes: each.and_then(|bytes| bytes.checked_mul(records)),
                is_out: one.is_out || own.is_out,
            }
        }));
    }
    order::sort_by_key(&mut all, |one| one.address);
    all
}
