//! Programs and their listings, and how threads are told.

use super::manifest::{Kernel, Manifest};
use crate::model::Trace;
use crate::model::code::{CodeScope, Lines, Listing, ListingKind};
use crate::model::id::ListingId;
use crate::systems::instrumentation::matrices::address_lanes;
use crate::views::executions::compute::{Block, Instruction, MemoryOperand, Naming, Program, Threads};

/// The program of a kernel.
pub(super) fn program(kernel: &Kernel, entry: u32, listing: Option<ListingId>) -> Program {
    let mut blocks = Vec::new();
    let mut instructions: Vec<Instruction> = Vec::new();
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    for block in &kernel.blocks {
        let rows = block.successors.iter().filter_map(|id| kernel.block_row(*id));
        blocks.push(Block {
            id: block.id,
            label: block.label.clone(),
            first: narrow(instructions.len()),
            len: narrow(block.instructions.len()),
            is_entry: block.is_entry,
            is_exit: block.is_exit,
            successors: rows.map(narrow).collect(),
        });
        instructions.extend(block.instructions.iter().map(|instruction| Instruction {
            address: instruction.address,
            text: instruction.text.clone(),
            memory: memory(instruction),
            source: instruction.source.clone(),
        }));
    }
    let name = kernel.name.clone();
    Program { name, entry, lanes: kernel.simd, blocks, instructions, listing, is_numbered: false }
}

/// What an instruction does to memory: as the manifest says, but for instructions of SASS that say it better themselves.
fn memory(instruction: &super::manifest::Instruction) -> Option<MemoryOperand> {
    let mut memory = instruction.memory?;
    let is = |opcode: &str| instruction.text.split([' ', '.']).any(|word| word == opcode);
    // Each address is that of a row of 16 bytes, whatever its elements.
    if is("LDSM") || is("STSM") {
        (memory.bytes, memory.lanes) = (16, address_lanes(&instruction.text));
    }
    // It writes another memory than it reads, of which there are no addresses.
    if is("LDGSTS") && memory.reads {
        (memory.writes, memory.is_atomic) = (false, false);
    }
    Some(memory)
}

/// Lists the instructions of a kernel; `None` where their addresses are in no order.
pub(super) fn list(kernel: &Kernel, entry: u32, scope: CodeScope, trace: &mut Trace) -> Option<ListingId> {
    let all = || kernel.blocks.iter().flat_map(|block| &block.instructions);
    if all().next().is_none() || !all().is_sorted_by_key(|instruction| instruction.address) {
        return None;
    }
    let mut lines = Lines::default();
    all().for_each(|instruction| lines.push(&instruction.text));
    let scope = CodeScope { entry: Some(entry), ..scope };
    trace.code.listings.push(Listing {
        title: kernel.name.clone(),
        kind: ListingKind::Assembly,
        scope,
        language: "asm".to_owned(),
        lines,
        address: all().map(|instruction| instruction.address).collect(),
        columns: Vec::new(),
        has_text: true,
    });
    for (path, text) in kernel.files.iter().filter_map(|(path, text)| Some((path, text.as_ref()?))) {
        if trace
            .code
            .listings
            .iter()
            .any(|listing| listing.kind == ListingKind::Source && listing.title == *path)
        {
            continue;
        }
        trace.code.listings.push(Listing {
            title: path.clone(),
            kind: ListingKind::Source,
            scope,
            language: "cpp".to_owned(),
            lines: Lines::split(text),
            address: Vec::new(),
            columns: Vec::new(),
            has_text: true,
        });
    }
    let row = trace.code.listings.iter().rposition(|listing| listing.kind == ListingKind::Assembly)?;
    u32::try_from(row).ok().map(ListingId)
}

/// How the threads of a launch are told.
pub(super) fn naming(manifest: &Manifest, dispatch: usize) -> Naming {
    let threads = &manifest.threads;
    let grid = manifest.dispatches.get(dispatch).map_or([0; 3], |dispatch| dispatch.grid);
    match threads.warps_per_group {
        Some(warps) if !threads.is_hardware => Naming::Warps { grid, warps },
        _ if !threads.fields.is_empty() => Naming::Fields(threads.fields.clone()),
        _ => Naming::Plain,
    }
}

/// What threads are ordered by: their group.
pub(super) fn order_of_threads(naming: Naming) -> impl Fn(u32) -> u32 {
    move |id| match &naming {
        Naming::Fields(_) => {
            let one = Threads { ids: vec![id], instances: Vec::new(), naming: naming.clone() };
            one.group(0)
        }
        _ => 0,
    }
}
