//! One execution in detail: its rows read from the file again, what each access did, the lanes of one.

use super::{known, thread_name};
use crate::base::number::thousands;
use crate::base::words::{Language, fill, phrase, tr};
use crate::views::executions::compute::pattern::{BANKS, access, conflicts};
use crate::views::executions::compute::{INCOMPLETE, MemoryOperand, Row, Run, Space, float_of_bits};
use crate::views::executions::messages::{Detail, DetailRow, LaneGrid, RegisterRange, RowAccess};

/// Rows that are told of.
const ROWS: usize = 1024;
/// Registers of a row that are told of.
const REGISTERS: usize = 16;
/// Bytes of a bank.
const WORD: u64 = 4;
/// Executions behind one that are read to find where its lanes went.
const AHEAD: u32 = 64;

pub(super) fn detail(run: &Run, execution: u32, row: Option<u32>, language: Language) -> Option<Detail> {
    let thread = run.thread(execution)?;
    let known = known(run, execution)?;
    let read = match &run.launch.rows {
        Some(source) => source.rows(run.launch, run.program, execution).map_err(Some),
        None => Err(None),
    };
    let (rows, problem) = match read {
        Ok(rows) => (rows, None),
        Err(problem) => (bare_rows(run, execution), problem),
    };
    let lanes = run.program.lanes.clamp(1, 32);
    let told = rows.iter().take(ROWS).map(|row| detail_row(run, row)).collect::<Vec<_>>();
    let first = || told.iter().position(|row| row.access.is_some()).or((!told.is_empty()).then_some(0));
    let chosen = row.map(|row| row as usize).filter(|row| *row < told.len()).or_else(first);
    let grid = chosen.and_then(|at| Some(grid(run, at, rows.get(at)?, lanes)));
    Some(Detail {
        execution,
        thread: (thread, thread_name(&run.launch.threads, thread)),
        known,
        listing: run.program.listing,
        lanes,
        turn: run.turn(execution).unwrap_or_default(),
        left_out: rows.len().saturating_sub(told.len()) as u64,
        branch: branch(run, execution, &rows, language).unwrap_or_default(),
        rows: told,
        problem,
        chosen: grid.filter(|_| run.launch.rows.is_some()),
    })
}

/// Lanes that were in an execution, and whether these are all: the mask of a branch or an end that stands alone may be that
/// of its predicate, and rows may be missing. `None` where masks of its instructions were not recorded.
fn lanes_in(run: &Run, execution: u32, rows: &[Row]) -> Option<(u32, bool)> {
    let mask = rows.iter().try_fold(0, |all, row| Some(all | row.mask?))?;
    let block = run.program.blocks.get(run.block(execution as usize) as usize)?;
    let flags = run.launch.executions.flags.get(execution as usize).copied().unwrap_or(0);
    // Where lanes wait for each other they do not part: what comes next may be another path that the warp turns to.
    let waits = |row: &Row| {
        let own = run.program.instructions.get(row.instruction as usize);
        own.is_some_and(|own| own.text.starts_with("BSYNC"))
    };
    let may_part = 2 <= block.successors.len() || block.is_exit;
    let is_plain = 1 < rows.len() || !may_part || rows.first().is_some_and(waits);
    Some((mask, run.launch.has_block_masks || is_plain && flags & INCOMPLETE == 0))
}

/// Where lanes that part behind an execution go: each to the first block behind it that has it among its lanes. Nothing
/// where they stay together, or where the file does not say where they go.
fn branch(run: &Run, execution: u32, rows: &[Row], language: Language) -> Option<String> {
    // Without the flow some blocks are not seen.
    let source = run.launch.rows.as_ref().filter(|_| run.launch.order_from.is_none())?;
    let (mut left, true) = lanes_in(run, execution, rows)? else { return None };
    let all = run.range(run.thread(execution)?);
    let mut parts: Vec<(u32, u32)> = Vec::new(); // block, lanes
    let mut at = execution;
    while left != 0 && (at as usize) + 1 < all.end && at - execution < AHEAD {
        at += 1;
        let (lanes, is_all) = lanes_in(run, at, &source.rows(run.launch, run.program, at).ok()?)?;
        if !is_all && left & !lanes != 0 {
            return None;
        }
        let block = run.block(at as usize);
        let n = (left & lanes).count_ones();
        match parts.iter_mut().find(|part| part.0 == block) {
            Some(part) => part.1 += n,
            None if n != 0 => parts.push((block, n)),
            None => {}
        }
        left &= !lanes;
    }
    if parts.len() + usize::from(left != 0) < 2 {
        return None;
    }
    let own = run.block(execution as usize);
    let part = |(block, n): (u32, u32)| {
        let words = match (block == own, n) {
            (true, 1) => phrase("1 lane stays in {block}"),
            (true, _) => phrase("{n} lanes stay in {block}"),
            (false, 1) => phrase("1 lane goes to {block}"),
            (false, _) => phrase("{n} lanes go to {block}"),
        };
        fill(tr(language, words), &[("n", &n.to_string()), ("block", run.label(block))])
    };
    let rest = (left != 0).then(|| {
        let words = if (at as usize) + 1 < all.end {
            phrase("{n} not seen in the next {k} blocks")
        } else {
            phrase("{n} not seen again")
        };
        let (n, k) = (left.count_ones().to_string(), thousands(u64::from(AHEAD)));
        fill(tr(language, words), &[("n", &n), ("k", &k)])
    });
    let comma = if language == Language::Zh { "，" } else { ", " };
    Some(parts.into_iter().map(part).chain(rest).collect::<Vec<_>>().join(comma))
}

/// The instructions of a block of which nothing more was recorded.
fn bare_rows(run: &Run, execution: u32) -> Vec<Row> {
    let Some(block) = run.program.blocks.get(run.block(execution as usize) as usize) else {
        return Vec::new();
    };
    let end = block.first.saturating_add(block.len).min(run.program.instructions.len() as u32);
    (block.first..end).map(|instruction| Row { instruction, ..Row::default() }).collect()
}

fn operand(run: &Run, row: &Row) -> Option<MemoryOperand> {
    run.program.instructions.get(row.instruction as usize)?.memory
}

fn detail_row(run: &Run, row: &Row) -> DetailRow {
    let instruction = run.program.instructions.get(row.instruction as usize);
    let registers = row.registers.iter().take(REGISTERS).filter_map(|own| {
        let whole = (*own.values.iter().min()?, *own.values.iter().max()?);
        let floats = own.values.iter().map(|value| float_of_bits(*value));
        // What is no number loses against any that is one.
        let (least, most) = floats.fold((f64::NAN, f64::NAN), |(a, b), own| (a.min(own), b.max(own)));
        Some(RegisterRange { register: own.register, mask: own.mask, whole, float: (least, most) })
    });
    DetailRow {
        address: run.program.address(row.instruction as usize),
        text: instruction.map_or(String::new(), |instruction| instruction.text.clone()),
        mask: row.mask,
        access: row_access(run, row),
        registers: registers.collect(),
        missing: row.missing.map(str::to_owned),
    }
}

/// What a row did to memory; nothing where that was not recorded.
fn row_access(run: &Run, row: &Row) -> Option<RowAccess> {
    let operand = operand(run, row)?;
    let is_off = row.mask == Some(0);
    if row.addresses.is_empty() && !is_off {
        return None;
    }
    let (has_banks, sector) = (operand.space == Space::Shared, run.launch.sector());
    let is_global = matches!(operand.space, Space::Global | Space::Local);
    if row.is_base_only(run.program.lanes) {
        return Some(RowAccess {
            bytes: operand.bytes,
            sector,
            is_global,
            is_base: true,
            ..RowAccess::default()
        });
    }
    let mask = row.mask.unwrap_or(u32::MAX) & operand.lanes;
    let addresses = row.addresses.get(..mask.count_ones() as usize).unwrap_or(&row.addresses);
    Some(RowAccess {
        access: access(addresses, operand.bytes, sector),
        bytes: operand.bytes,
        sector,
        conflicts: has_banks.then(|| conflicts(mask, addresses, operand.bytes)),
        is_global,
        is_base: false,
    })
}

/// The lanes of a row.
fn grid(run: &Run, at: usize, row: &Row, lanes: u32) -> LaneGrid {
    let mask = row.mask.unwrap_or(if row.addresses.is_empty() { 0 } else { u32::MAX });
    let operand = operand(run, row);
    let has_banks = operand.is_some_and(|operand| operand.space == Space::Shared);
    let spread = |mask: u32, values: &[u64]| -> Vec<Option<u64>> {
        let mut values = values.iter().copied();
        (0..lanes).map(|lane| if mask >> lane & 1 == 1 { values.next() } else { None }).collect()
    };
    let (addresses, sector) =
        (spread(mask & operand.map_or(u32::MAX, |own| own.lanes), &row.addresses), run.launch.sector());
    let base = addresses.iter().flatten().min().copied();
    let place = |address: u64| if has_banks { address / WORD % BANKS } else { address / sector };
    let shared = |address: &Option<u64>| {
        let Some(own) = *address else { return 0 };
        let others = addresses
            .iter()
            .flatten()
            .filter(|other| place(**other) == place(own) && (!has_banks || *other / WORD != own / WORD));
        others.count().saturating_sub(usize::from(!has_banks)) as u32
    };
    LaneGrid {
        row: at as u32,
        base,
        mask: if lanes < 32 { mask & ((1 << lanes) - 1) } else { mask },
        shared: addresses.iter().map(shared).collect(),
        places: addresses.iter().map(|a| a.map(|a| (a - base.unwrap_or(a), place(a)))).collect(),
        registers: row
            .registers
            .iter()
            .take(REGISTERS)
            .map(|own| (own.register, spread(own.mask, &own.values)))
            .collect(),
    }
}
