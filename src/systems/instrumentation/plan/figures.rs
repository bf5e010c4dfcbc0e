//! The plan as figures: its table, what it adds up to, what leaving something out saves, layouts, buffers, sizes.

use super::plan_of;
use crate::analysis::contract::{AnalysisInput, ComputedFigure, FigureHead};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::figure::{Bar, BarRole, Bars, Body, Cell, Fact, Facts, Figure, TableColumn, TableFigure};
use crate::views::plan::compute::{Plan, STEPS, meaning_of};

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
        (has_blocks, "plan-facts", phrase("Allocation"), "facts", 1, |i, _, _| of(i, facts)),
        (!plan.savings.is_empty(), "plan-savings", phrase("What leaving out saves"), "bars", 2, |i, _, _| {
            of(i, savings)
        }),
        (has_blocks, "plan-layouts", phrase("Buffer layouts"), "table", 2, |i, _, _| of(i, layouts)),
        (!plan.buffers.is_empty(), "plan-buffers", phrase("Buffers"), "table", 3, |i, _, _| of(i, buffers)),
        (!plan.sizes.is_empty(), "plan-sizes", phrase("Trace sizes of kernels"), "table", 3, |i, _, _| {
            of(i, sizes)
        }),
    ];
    let figure = |(_, id, title, kind, columns, compute): (bool, &str, &str, _, _, _)| ComputedFigure {
        head: FigureHead {
            id: id.to_owned(),
            section: SECTION,
            title: title.to_owned(),
            kind,
            columns,
            choices: Vec::new(),
        },
        compute,
    };
    compute.into_iter().filter(|(is_there, ..)| *is_there).map(figure).collect()
}

fn of(input: &AnalysisInput, make: Make) -> Figure {
    plan_of(input).map_or_else(|| Figure::new("", Body::Facts(Facts::default())), |plan| make(&plan))
}

fn column(name: &str, unit: Unit) -> TableColumn {
    TableColumn { name: name.to_owned(), unit, ..TableColumn::default() }
}

fn whole(number: Option<u64>) -> Cell {
    number.map_or(Cell::Missing, Cell::Integer)
}

fn table(columns: Vec<TableColumn>, rows: Vec<Vec<Cell>>) -> Figure {
    Figure::new("", Body::Table(TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() }))
}

/// Blocks with records, executions and bytes.
fn blocks(plan: &Plan) -> Figure {
    let (sheet, sums) = (&plan.sheet, &plan.sums);
    let mut columns = vec![
        column(phrase("Block"), Unit::None),
        TableColumn { is_phrase: true, ..column(phrase("Role"), Unit::None) },
        column(phrase("First address"), Unit::Address),
        column(phrase("Last address"), Unit::Address),
        column(phrase("Instructions"), Unit::None),
        column(phrase("Executions"), Unit::None),
    ];
    columns.extend(sheet.types.iter().map(|one| column(&one.record_type.name, Unit::None)));
    columns.push(TableColumn { has_bar: true, ..column(phrase("Bytes"), Unit::Bytes) });
    columns.push(column(phrase("Share"), Unit::Share));
    let rows = sheet.blocks.iter().zip(&sums.of_block).take(BLOCKS).map(|(block, bytes)| {
        let own = &block.block;
        let mut row = vec![
            Cell::Text(own.label.clone()),
            if own.role.is_empty() { Cell::Missing } else { Cell::Text(own.role.clone()) },
            Cell::Integer(own.addresses.0),
            Cell::Integer(own.addresses.1),
            Cell::Integer(own.instructions.into()),
            whole(block.count),
        ];
        row.extend(block.records.iter().map(|n| Cell::Integer(*n)));
        row.push(whole(*bytes));
        row.push(Cell::number(sums.share(*bytes).filter(|_| !block.is_out)));
        row
    });
    let mut figure = table(columns, rows.collect());
    figure.scope.clone_from(&sheet.name);
    if let Body::Table(table) = &mut figure.body {
        table.more_rows = sheet.blocks.len().saturating_sub(BLOCKS);
    }
    figure.notes.extend(STEPS.map(Message::from));
    if sheet.counts_from.is_empty() {
        figure.notes.push(phrase("The files do not say how often blocks run.").into());
    }
    figure.notes.extend(sheet.notes.iter().cloned());
    if let Some((row, of)) = sums.hottest
        && let (Some(block), Some(one)) = (sheet.blocks.get(row), sheet.types.get(of))
    {
        let bytes = sums.cells.get(row).and_then(|cells| cells.get(of).copied().flatten());
        let share = sums.share(bytes).unwrap_or(0.0);
        let note =
            message("Most bytes: {block} × {type}, {share} of the plan.").with("block", &block.block.label);
        let share = crate::base::number::with_unit(share, &Unit::Share);
        figure.notes.push(note.with("type", &one.record_type.name).with("share", share));
    }
    figure
}

/// Types with the terms of the formula.
fn types(plan: &Plan) -> Figure {
    let (sheet, sums) = (&plan.sheet, &plan.sums);
    let columns = vec![
        column(phrase("Type"), Unit::None),
        column(phrase("Layout"), Unit::None),
        column(phrase("Records"), Unit::None),
        column(phrase("Bytes per record"), Unit::Bytes),
        TableColumn { has_bar: true, ..column(phrase("Bytes"), Unit::Bytes) },
        column(phrase("Share"), Unit::Share),
    ];
    let types = sheet.types.iter().zip(sums.records.iter().zip(&sums.bytes)).filter(|(one, _)| !one.is_out);
    let rows = types.map(|(one, (records, bytes))| {
        vec![
            Cell::Text(one.record_type.name.clone()),
            Cell::Text(one.record_type.layout.clone()),
            whole(*records),
            Cell::Integer(one.bytes),
            whole(*bytes),
            Cell::number(sums.share(*bytes)),
        ]
    });
    let mut figure = table(columns, rows.collect());
    figure
        .notes
        .push(phrase("Bytes of a type: Σ over blocks of records × executions, × bytes per record.").into());
    let mut meanings: Vec<&str> = Vec::new();
    for meaning in sheet.types_in().filter_map(|(_, one)| meaning_of(&one.record_type.kind)) {
        if !meanings.contains(&meaning) {
            meanings.push(meaning);
            figure.notes.push(meaning.into());
        }
    }
    if sums.is_too_large {
        figure.notes.push(phrase("Sizes beyond 2⁵³ are not shown.").into());
    }
    figure
}

/// What the next run allocates.
fn facts(plan: &Plan) -> Figure {
    let own = plan.allocations.iter().find(|one| one.layout == plan.room.layout);
    let fact = |name: &str, value: Cell, unit| Fact { name: name.to_owned(), value, unit };
    let mut facts = vec![
        fact(phrase("Planned"), whole(plan.sums.total), Unit::Bytes),
        fact(phrase("Records"), whole(plan.sums.total_records), Unit::None),
    ];
    if let Some(own) = own.filter(|own| own.bytes.is_some()) {
        facts.push(fact(phrase("Buffers"), Cell::Integer(own.buffers), Unit::None));
        facts.push(fact(phrase("Headers and tags"), Cell::Integer(own.extra), Unit::Bytes));
        facts.push(fact(phrase("Slack"), Cell::Integer(own.slack), Unit::Bytes));
        facts.push(fact(phrase("Page rounding"), Cell::Integer(own.padding), Unit::Bytes));
        facts.push(fact(phrase("Allocated"), whole(own.bytes), Unit::Bytes));
        facts.push(fact(phrase("Largest buffer"), Cell::Integer(own.largest), Unit::Bytes));
        facts.push(fact(phrase("Passes"), Cell::Integer(own.passes), Unit::None));
    }
    facts.extend(plan.packed.iter().map(|(title, bytes)| fact(title, whole(*bytes), Unit::Bytes)));
    Figure::new("", Body::Facts(Facts { facts }))
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
    let columns = vec![
        TableColumn { is_phrase: true, ..column(phrase("Layout"), Unit::None) },
        column(phrase("Buffers"), Unit::None),
        column(phrase("Headers and tags"), Unit::Bytes),
        column(phrase("Slack"), Unit::Bytes),
        column(phrase("Page rounding"), Unit::Bytes),
        column(phrase("Allocated"), Unit::Bytes),
        column(phrase("Largest buffer"), Unit::Bytes),
        column(phrase("Passes"), Unit::None),
        TableColumn { is_phrase: true, ..column(phrase("Why not"), Unit::None) },
    ];
    let rows = plan.allocations.iter().map(|one| {
        let number = |n| if one.why_not.is_empty() { Cell::Integer(n) } else { Cell::Missing };
        vec![
            Cell::Text(one.layout.title().to_owned()),
            number(one.buffers),
            number(one.extra),
            number(one.slack),
            number(one.padding),
            whole(one.bytes),
            number(one.largest),
            number(one.passes),
            if one.why_not.is_empty() { Cell::Missing } else { Cell::Text(one.why_not.clone()) },
        ]
    });
    table(columns, rows.collect())
}

/// Buffers that were written.
fn buffers(plan: &Plan) -> Figure {
    let columns = vec![
        column(phrase("Type"), Unit::None),
        column(phrase("Buffers"), Unit::None),
        column(phrase("Planned"), Unit::Bytes),
        column(phrase("Capacity"), Unit::Bytes),
        column(phrase("Used"), Unit::Bytes),
        column(phrase("Lost records"), Unit::None),
        column(phrase("Unwritten records"), Unit::None),
        TableColumn { has_bar: true, ..column(phrase("Demand"), Unit::Share) },
    ];
    let rows = plan.buffers.iter().map(|row| {
        let own = row.record_type.and_then(|of| plan.sheet.types.get(of as usize));
        vec![
            Cell::Text(own.map_or_else(|| phrase("Tagged").to_owned(), |one| one.record_type.name.clone())),
            Cell::Integer(row.buffers),
            whole(row.planned),
            Cell::Integer(row.capacity),
            Cell::Integer(row.used),
            Cell::Integer(row.lost),
            Cell::Integer(row.holes),
            Cell::number(row.demand()),
        ]
    });
    table(columns, rows.collect())
}

/// Sizes of whole kernels.
fn sizes(plan: &Plan) -> Figure {
    let columns = vec![
        column(phrase("Kernel"), Unit::None),
        column(phrase("Launch"), Unit::None),
        TableColumn { has_bar: true, ..column(phrase("Bytes"), Unit::Bytes) },
        column(phrase("Threads"), Unit::None),
        column(phrase("Bytes per thread"), Unit::Bytes),
        column(phrase("Allocated"), Unit::Bytes),
        column(phrase("Passes"), Unit::None),
    ];
    let rows = plan.sizes.iter().take(BLOCKS).map(|row| {
        vec![
            Cell::Text(row.size.name.clone()),
            whole(row.size.launch),
            Cell::Integer(row.size.bytes),
            whole(row.size.threads),
            Cell::number(row.per_thread),
            Cell::Integer(row.allocated),
            Cell::Integer(row.passes),
        ]
    });
    let mut figure = table(columns, rows.collect());
    if let Body::Table(table) = &mut figure.body {
        (table.key_columns, table.more_rows) = (2, plan.sizes.len().saturating_sub(BLOCKS));
    }
    figure.notes.push(phrase("A row without a launch is the greatest of all launches.").into());
    figure
}
