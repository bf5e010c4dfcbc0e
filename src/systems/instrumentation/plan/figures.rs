//! The plan as figures: its table, what it adds up to, what leaving something out saves, layouts, buffers, sizes.

use super::plan_of;
use crate::analysis::contract::{AnalysisInput, ComputedFigure};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::figure::{Bar, BarRole, Bars, Body, Cell, Fact, Figure, TableOf};
use crate::views::plan::compute::{Allocation, BufferRow, Plan, STEPS, meaning_of};

/// The panel of the figures.
const SECTION: &str = phrase("Buffer plan");
/// Blocks that a figure shows; plan-json has all.
const BLOCKS: usize = 2_000;

/// Makes a figure of a plan.
type Make = fn(&Plan) -> Figure;

/// Whether it is there, its id, title and kind, how many columns it takes, and how it is computed.
type Row = (bool, &'static str, &'static str, &'static str, u8, fn(&AnalysisInput, &str, &[usize]) -> Figure);

pub(super) fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let Some(plan) = plan_of(input) else { return Vec::new() };
    let has_blocks = !plan.sheet.blocks.is_empty();
    let compute: [Row; 7] = [
        (has_blocks, "plan-blocks", phrase("Records by block"), "table", 3, |i, _, _| of(i, blocks)),
        (has_blocks, "plan-types", phrase("Bytes by record type"), "table", 2, |i, _, _| of(i, types)),
        (has_blocks, "plan-facts", phrase("Buffer allocation"), "facts", 1, |i, _, _| of(i, facts)),
        (!plan.savings.is_empty(), "plan-savings", phrase("Savings when left out"), "bars", 2, |i, _, _| {
            of(i, savings)
        }),
        (has_blocks, "plan-layouts", phrase("Buffer layouts"), "table", 2, |i, _, _| of(i, layouts)),
        (!plan.buffers.is_empty(), "plan-buffers", phrase("Buffers"), "table", 3, |i, _, _| of(i, buffers)),
        (!plan.sizes.is_empty(), "plan-sizes", phrase("Trace size per kernel"), "table", 3, |i, _, _| {
            of(i, sizes)
        }),
    ];
    let figure = |(_, id, title, kind, columns, compute): (bool, &str, &str, _, _, _)| {
        ComputedFigure::new((id, SECTION, title), (kind, columns), compute)
    };
    compute.into_iter().filter(|(is_there, ..)| *is_there).map(figure).collect()
}

fn of(input: &AnalysisInput, make: Make) -> Figure {
    plan_of(input).map_or_else(Figure::nothing, |plan| make(&plan))
}

/// Blocks with records, executions and bytes.
fn blocks(plan: &Plan) -> Figure {
    let (sheet, sums) = (&plan.sheet, &plan.sums);
    let blocks: Vec<_> = sheet.blocks.iter().zip(&sums.of_block).take(BLOCKS).collect();
    let mut table = TableOf::new(&blocks)
        .column(phrase("Block"), Unit::None, |(block, _)| &block.block.label)
        .words(phrase("Role"), |(block, _)| Cell::text(&block.block.role))
        .column(phrase("First address"), Unit::Address, |(block, _)| {
            block.block.addresses.map(|(first, _)| first)
        })
        .column(phrase("Last address"), Unit::Address, |(block, _)| {
            block.block.addresses.map(|(_, last)| last)
        })
        .column(phrase("Instructions"), Unit::None, |(block, _)| u64::from(block.block.instructions))
        .column(phrase("Executions"), Unit::None, |(block, _)| block.count);
    for (at, one) in sheet.types.iter().enumerate() {
        table = table.column(&one.record_type.name, Unit::None, |(block, _)| block.records.get(at).copied());
    }
    let table = table.bars(phrase("Bytes"), Unit::Bytes, |(_, bytes)| **bytes);
    let table = table
        .column(phrase("Share"), Unit::Share, |(block, bytes)| sums.share(**bytes).filter(|_| !block.is_out));
    let mut figure = table.more(sheet.blocks.len().saturating_sub(BLOCKS)).figure();
    figure.scope.clone_from(&sheet.name);
    figure.notes.extend(STEPS.map(Message::from));
    if sheet.counts_from.is_empty() {
        figure.notes.push(phrase("The files do not contain block execution counts.").into());
    }
    figure.notes.extend(sheet.notes.iter().cloned());
    if let Some((row, of)) = sums.hottest
        && let (Some(block), Some(one)) = (sheet.blocks.get(row), sheet.types.get(of))
    {
        let bytes = sums.cells.get(row).and_then(|cells| cells.get(of).copied().flatten());
        let share = sums.share(bytes).unwrap_or(0.0);
        let note = message("Largest share: {block} × {type}, {share} of the plan.")
            .with("block", &block.block.label);
        let share = crate::base::number::with_unit(share, &Unit::Share);
        figure.notes.push(note.with("type", &one.record_type.name).with("share", share));
    }
    figure
}

/// Types with the terms of the formula.
fn types(plan: &Plan) -> Figure {
    let (sheet, sums) = (&plan.sheet, &plan.sums);
    let types = sheet.types.iter().zip(sums.records.iter().zip(&sums.bytes)).filter(|(one, _)| !one.is_out);
    let types: Vec<_> = types.collect();
    let mut figure = TableOf::new(&types)
        .column(phrase("Type"), Unit::None, |(one, _)| &one.record_type.name)
        .column(phrase("Record layout"), Unit::None, |(one, _)| &one.record_type.layout)
        .column(phrase("Records"), Unit::None, |(_, (records, _))| **records)
        .column(phrase("Bytes per record"), Unit::Bytes, |(one, _)| one.bytes)
        .bars(phrase("Bytes"), Unit::Bytes, |(_, (_, bytes))| **bytes)
        .column(phrase("Share"), Unit::Share, |(_, (_, bytes))| sums.share(**bytes))
        .figure();
    figure
        .notes
        .push(phrase("Bytes per type: Σ over blocks of records × executions, × bytes per record.").into());
    let mut meanings: Vec<&str> = Vec::new();
    for meaning in sheet.types_in().filter_map(|(_, one)| meaning_of(&one.record_type.kind)) {
        if !meanings.contains(&meaning) {
            meanings.push(meaning);
            figure.notes.push(meaning.into());
        }
    }
    if sums.is_too_large {
        figure.notes.push(phrase("Sizes above 2⁵³ are not shown.").into());
    }
    figure
}

/// What the next run allocates.
fn facts(plan: &Plan) -> Figure {
    let own = plan.allocations.iter().find(|one| one.layout == plan.room.layout);
    let mut facts = vec![
        Fact::new(phrase("Planned"), plan.sums.total, Unit::Bytes),
        Fact::new(phrase("Records"), plan.sums.total_records, Unit::None),
    ];
    if let Some(own) = own.filter(|own| own.bytes.is_some()) {
        facts.push(Fact::new(phrase("Buffers"), own.buffers, Unit::None));
        facts.push(Fact::new(phrase("Headers and tags"), own.extra, Unit::Bytes));
        facts.push(Fact::new(phrase("Slack"), own.slack, Unit::Bytes));
        facts.push(Fact::new(phrase("Page rounding"), own.padding, Unit::Bytes));
        facts.push(Fact::new(phrase("Allocated"), own.bytes, Unit::Bytes));
        facts.push(Fact::new(phrase("Largest buffer"), own.largest, Unit::Bytes));
        facts.push(Fact::new(phrase("Passes"), own.passes, Unit::None));
    }
    facts.extend(plan.packed.iter().map(|(title, bytes)| Fact::new(title, *bytes, Unit::Bytes)));
    Figure::of_facts(facts)
}

/// Savings by type, then block.
fn savings(plan: &Plan) -> Figure {
    let bar = |saving: &crate::views::plan::compute::Saving| {
        let name = match saving.what {
            Ok(of) => plan.sheet.types.get(of).map(|one| one.record_type.name.clone()),
            Err(row) => plan.sheet.blocks.get(row).map(|block| block.block.label.clone()),
        };
        Bar {
            name: name.unwrap_or_default(),
            values: vec![Some(saving.bytes as f64)],
            role: BarRole::Work,
            detail: String::new(),
        }
    };
    let full = plan.sums.total.map(|total| total as f64);
    let bars = plan.savings.iter().map(bar).collect();
    Figure::new("", Body::Bars(Bars { unit: Unit::Bytes, full, bars, ..Bars::default() }))
}

/// What each layout takes.
fn layouts(plan: &Plan) -> Figure {
    let number = |one: &Allocation, n| one.why_not.is_empty().then_some(n);
    TableOf::new(&plan.allocations)
        .words(phrase("Buffer layout"), |one| one.layout.title())
        .column(phrase("Buffers"), Unit::None, |one| number(one, one.buffers))
        .column(phrase("Headers and tags"), Unit::Bytes, |one| number(one, one.extra))
        .column(phrase("Slack"), Unit::Bytes, |one| number(one, one.slack))
        .column(phrase("Page rounding"), Unit::Bytes, |one| number(one, one.padding))
        .column(phrase("Allocated"), Unit::Bytes, |one| one.bytes)
        .column(phrase("Largest buffer"), Unit::Bytes, |one| number(one, one.largest))
        .column(phrase("Passes"), Unit::None, |one| number(one, one.passes))
        .words(phrase("Why not"), |one| Cell::text(&one.why_not))
        .figure()
}

/// Buffers that were written.
fn buffers(plan: &Plan) -> Figure {
    let name = |of: Option<u32>| {
        let own = of.and_then(|of| plan.sheet.types.get(of as usize));
        own.map_or_else(|| phrase("Tagged"), |one| &one.record_type.name)
    };
    TableOf::new(&plan.buffers)
        .column(phrase("Type"), Unit::None, |row| name(row.record_type))
        .column(phrase("Buffers"), Unit::None, |row| row.buffers)
        .column(phrase("Planned"), Unit::Bytes, |row| row.planned)
        .column(phrase("Capacity"), Unit::Bytes, |row| row.capacity)
        .column(phrase("Used"), Unit::Bytes, |row| row.used)
        .column(phrase("Lost records"), Unit::None, |row| row.lost)
        .column(phrase("Unwritten records"), Unit::None, |row| row.holes)
        .column(phrase("Cut off records"), Unit::None, |row| row.cut)
        .bars(phrase("Demand"), Unit::Share, BufferRow::demand)
        .figure()
}

/// Sizes of whole kernels.
fn sizes(plan: &Plan) -> Figure {
    let mut figure = TableOf::new(plan.sizes.get(..BLOCKS).unwrap_or(&plan.sizes))
        .keys(2)
        .more(plan.sizes.len().saturating_sub(BLOCKS))
        .column(phrase("Kernel"), Unit::None, |row| &row.size.name)
        .column(phrase("Launch"), Unit::None, |row| row.size.launch)
        .bars(phrase("Bytes"), Unit::Bytes, |row| row.size.bytes)
        .column(phrase("Threads"), Unit::None, |row| row.size.threads)
        .column(phrase("Bytes per thread"), Unit::Bytes, |row| row.per_thread)
        .column(phrase("Allocated"), Unit::Bytes, |row| row.allocated)
        .column(phrase("Passes"), Unit::None, |row| row.passes)
        .figure();
    figure.notes.push(phrase("A row without a launch is the maximum over all launches.").into());
    figure
}
