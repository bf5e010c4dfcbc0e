//! The table of instructions that access memory: what each cost and how the addresses of its lanes lie.

use super::figures::{Measure, measures, sectors};
use super::verdict::pattern;
use super::{AccessMetrics, measured};
use crate::analysis::contract::{AnalysisInput, ComputedFigure};
use crate::base::number;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Body, Cell, Figure, TableColumn, TableFigure, Target};
use crate::model::id::ListingId;
use crate::views::executions::compute::{Instruction, Launch, MemoryOperand, Program, Space};

/// Most rows.
const ROWS: usize = 10_000;
/// Columns that say what an instruction is, before those of its accesses.
const KNOWN: usize = 7;
/// Steps from lane to lane that are told of one instruction.
const STEPS: usize = 3;

/// The figure, where an instruction accesses memory.
pub(super) fn figure(input: &AnalysisInput) -> Option<ComputedFigure> {
    let has_any =
        measured(input.trace).iter().flat_map(|launch| &launch.instructions).any(|of| of.access.is_some());
    let of = ("instrumentation-instructions", phrase("Memory accesses"), phrase("Accesses by instruction"));
    has_any.then(|| ComputedFigure::new(of, ("table", 3), |input, _, _| table(input)))
}

fn columns() -> Vec<TableColumn> {
    let column = |name: &str, unit| TableColumn { name: name.to_owned(), unit, ..TableColumn::default() };
    let phrases = |name: &str| TableColumn { is_phrase: true, ..column(name, Unit::None) };
    vec![
        column(phrase("Kernel"), Unit::None),
        TableColumn { is_place: true, ..column(phrase("Address"), Unit::None) },
        column(phrase("Launch"), Unit::None),
        column(phrase("Opcode"), Unit::None),
        phrases(phrase("Memory")),
        phrases(phrase("Access")),
        column(phrase("Bytes per lane"), Unit::None),
        column(phrase("Executions"), Unit::None),
        column(phrase("Lanes"), Unit::None),
        TableColumn { has_bar: true, ..column(phrase("Sectors"), Unit::None) },
        column(phrase("Fewest sectors"), Unit::None),
        column(phrase("Efficiency"), Unit::Share),
        phrases(phrase("Pattern")),
        column(phrase("Strides between lanes"), Unit::None),
        column(phrase("Wavefronts"), Unit::None),
        column(phrase("Fewest wavefronts"), Unit::None),
        TableColumn { is_place: true, ..column(phrase("Example in Trace"), Unit::None) },
    ]
}

/// The execution of each block of a launch with the most excess sectors, the first of equals.
fn examples(launch: &Launch, program: &Program) -> Vec<Option<u32>> {
    let executions = &launch.executions;
    let excess = |execution: u32| executions.excess.get(execution as usize).copied().unwrap_or(0);
    let mut examples: Vec<Option<u32>> = vec![None; program.blocks.len()];
    for (execution, block) in (0..).zip(&executions.block) {
        if let Some(example) = examples.get_mut(*block as usize)
            && example.is_none_or(|known| excess(known) < excess(execution))
        {
            *example = Some(execution);
        }
    }
    examples
}

/// Where a row of a program is to be seen in Trace.
fn example(of: (u32, &Launch, &Program), examples: &[Option<u32>], instruction: u32) -> Option<String> {
    let (number, launch, program) = of;
    let block = program.blocks.partition_point(|block| block.first <= instruction).checked_sub(1)?;
    let execution = (*examples.get(block)?)?;
    let starts = &launch.executions.starts;
    let thread = starts.partition_point(|start| *start <= execution).checked_sub(1)?;
    let name = [launch.threads.group_name(thread), launch.threads.name(thread)].join(" ");
    let row = instruction - program.blocks.get(block)?.first;
    Some(Target::place_of_execution((number, execution, row), name.trim_start()))
}

fn table(input: &AnalysisInput) -> Figure {
    let all = measures(input);
    let found = all.iter().flat_map(|&(launch, program, metrics)| {
        let pairs = (0..).zip(program.instructions.iter().zip(&metrics.instructions));
        let examples = examples(launch, program);
        let of = move |(at, (instruction, of)): (u32, (&'_ Instruction, &'_ super::InstructionMetrics))| {
            let (memory, access) = instruction.memory.zip(of.access.as_deref())?;
            let mut row = row((launch, program, metrics), instruction, memory, access);
            if of.seen().is_none() {
                row.iter_mut().skip(KNOWN).for_each(|cell| *cell = Cell::Missing);
            }
            let example = example((metrics.launch, launch, program), &examples, at);
            row.push(example.map_or(Cell::Missing, Cell::Text));
            Some(row)
        };
        pairs.filter_map(of)
    });
    let mut rows: Vec<Vec<Cell>> = found.take(ROWS + 1).collect();
    let is_cut = ROWS < rows.len();
    rows.truncate(ROWS);
    let table = TableFigure { columns: columns(), rows, key_columns: 2, ..TableFigure::default() };
    let mut figure = Figure::new("", Body::Table(table));
    if is_cut {
        figure.notes.push(message("The first {n} instructions.").with("n", number::thousands(ROWS as u64)));
    }
    figure.notes.extend([
        message("Executions: those with an active lane. Fewest sectors: sectors of {n} bytes needed if lanes were contiguous. Steps: from the address of one active lane to that of the next, with their share.")
            .with("n", sectors(&all)),
        message("Example in Trace: the first execution with the most excess sectors."),
        message("Wavefronts: passes over the shared memory banks, as Nsight Compute counts them. 8-byte lanes are served per half-warp, 16-byte lanes per quarter-warp; the fewest are those without bank conflicts."),
    ]);
    figure
}

fn row(
    (launch, program, _): Measure,
    instruction: &Instruction,
    memory: MemoryOperand,
    access: &AccessMetrics,
) -> Vec<Cell> {
    let is_shared = memory.space == Space::Shared;
    let moved = |cell: Cell| if is_shared { Cell::Missing } else { cell };
    let waves = |n: u64| if is_shared { Cell::Integer(n) } else { Cell::Missing };
    let listing = program.listing.unwrap_or(ListingId(u32::MAX));
    vec![
        Cell::Text(program.name.clone()),
        if program.is_numbered {
            Cell::Missing
        } else {
            Cell::Text(Target::place_of_instruction(listing, instruction.address))
        },
        Cell::Text(launch.name.clone()),
        Cell::Text(instruction.text.split(' ').next().unwrap_or("").to_owned()),
        Cell::Text(space(memory.space).to_owned()),
        Cell::Text(kind(memory).to_owned()),
        memory.bytes.map_or(Cell::Missing, |bytes| Cell::Integer(u64::from(bytes))),
        Cell::Integer(access.active),
        Cell::Integer(access.lanes),
        moved(Cell::Integer(access.sectors)),
        moved(Cell::Integer(access.ideal)),
        moved(Cell::number(access.efficiency())),
        Cell::Text(words(access)),
        Cell::Text(steps(access)),
        waves(access.shared.wavefronts),
        waves(access.shared.ideal),
    ]
}

fn space(space: Space) -> &'static str {
    match space {
        Space::Global => phrase("global"),
        Space::Shared => phrase("shared"),
        Space::Local => phrase("local"),
        Space::Constant => phrase("constants"),
    }
}

fn kind(memory: MemoryOperand) -> &'static str {
    match memory {
        MemoryOperand { is_atomic: true, .. } => phrase("atomic"),
        MemoryOperand { reads: true, writes: true, .. } => phrase("read and write"),
        MemoryOperand { writes: true, .. } => phrase("write"),
        _ => phrase("read"),
    }
}

/// The pattern, of which part of the executions it is where others lose less, and what all waste.
fn words(access: &AccessMetrics) -> String {
    let percent = |share: f64| number::with_unit(share, &Unit::Share).trim_end_matches(" %").to_owned();
    // Phrases one after the other, so that tables can tell each.
    let mut text = pattern(access).to_string();
    if let Some(worst) = access.worst().filter(|worst| worst.accesses < access.active) {
        let share = percent(worst.accesses as f64 / access.active as f64);
        text += &format!(", {}", message("{n} % of executions").with("n", share));
    }
    if let Some(share) = access.efficiency().filter(|share| *share < 1.0) {
        text += &format!(", {}", message("{n} % of the bytes moved are used").with("n", percent(share)));
    }
    text
}

/// The most frequent steps from lane to lane with their shares.
fn steps(access: &AccessMetrics) -> String {
    let all: u64 = access.strides.iter().map(|(_, n)| n).sum::<u64>() + access.other_strides;
    let mut sorted: Vec<&(i64, u64)> = access.strides.iter().collect();
    order::sort_by_key(&mut sorted, |(_, n)| std::cmp::Reverse(*n));
    let step = |(step, n): &&(i64, u64)| {
        format!("{step} ({})", number::with_unit(*n as f64 / all.max(1) as f64, &Unit::Share))
    };
    let mut texts: Vec<String> = sorted.iter().take(STEPS).map(step).collect();
    if STEPS < sorted.len() || 0 < access.other_strides {
        texts.push("…".to_owned());
    }
    texts.join(", ")
}
