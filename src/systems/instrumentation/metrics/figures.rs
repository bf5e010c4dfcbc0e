//! The table of kernels: how much each ran, how well its lanes and its accesses were used, and the tool's own count beside.

use super::verdict::{banks, global, unseen};
use super::{LaunchMetrics, Runner, instructions, measured, verdict};
use crate::analysis::compare::headline::Quantity;
use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure};
use crate::base::number;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::export::ExportInput;
use crate::model::figure::{Advice, Body, Cell, Figure, TableColumn, TableFigure};
use crate::views::executions::compute::{Launch, Program, Recorded, Space};

/// The analysis: its figure needs nothing but what was measured while reading.
pub(crate) static ANALYSIS: Analysis = Analysis {
    id: "instrumentation-kernels",
    title: phrase("Kernels"),
    parameters: &[],
    applies: |trace| !measured(trace).is_empty(),
    tap: None,
    start: None,
    add_tracks: None,
    faults: None,
    figures: |input| {
        let has_any = (ANALYSIS.applies)(input.trace);
        let of = ("instrumentation-kernels", phrase("Kernels"), phrase("Kernels"));
        let own = has_any.then(|| ComputedFigure::new(of, ("table", 3), |input, _, _| table(input)));
        own.into_iter().chain(instructions::figure(input)).collect()
    },
    advice: None,
    is_comparable: true,
};

/// Kernels with a sentence of their own.
const SENTENCES: usize = 32;

/// A launch with its program and its metrics.
pub(super) type Measure<'a> = (&'a Launch, &'a Program, &'a LaunchMetrics);

pub(super) fn measures<'a>(input: &AnalysisInput<'a>) -> Vec<Measure<'a>> {
    let Some(recorded) = input.trace.extensions.get::<Recorded>() else { return Vec::new() };
    let of = |metrics: &'a LaunchMetrics| {
        let launch = recorded.launches.get(metrics.launch as usize)?;
        Some((launch, recorded.programs.get(launch.program as usize)?, metrics))
    };
    measured(input.trace).iter().filter_map(of).collect()
}

/// Instructions of all launches that were recorded, where nothing but accesses was, those; the sectors that they moved, and passes over
/// the banks of shared memory.
pub(crate) fn quantities(input: &ExportInput) -> Vec<Quantity> {
    let all = measures(&input.of(&ANALYSIS));
    let mut ran = all.iter().flat_map(|of| &of.2.instructions).filter(|of| 0 < of.executions);
    let name = if ran.all(|of| of.access.is_some()) { phrase("Accesses") } else { phrase("Instructions") };
    let sum: u64 = all.iter().map(|of| of.2.totals().0).sum();
    // Launches of two runs meet by the names of their kernels, in whichever order kernels ran.
    let mut names: Vec<&str> = all.iter().map(|of| of.1.name.as_str()).collect();
    order::sort(&mut names);
    // What is compared is the same where as many of the same size ran.
    let threads: u64 = all.iter().map(|of| of.0.threads.len() as u64).sum();
    let mut sizes: Vec<_> = all.iter().map(|of| (&of.1.name, of.0.grid, of.0.group)).collect();
    sizes.sort_unstable();
    let runner = Runner::of(all.iter().map(|of| of.0));
    let ran = number::whole_with_unit(threads, &Unit::Count(runner.many.to_owned()));
    let of = match &names[..] {
        [] => return Vec::new(),
        [name] => message("{name}, {ran}").with("name", *name),
        _ => message("{n} launches, {ran}").with("n", number::thousands(names.len() as u64)),
    };
    let of = of.with("ran", ran);
    let moved: u64 = all.iter().map(|of| global(of.1, of.2).sectors).sum();
    let key = (&sizes, threads);
    let sectors = Quantity::new(
        phrase("Sectors in global accesses"),
        (moved as f64, Unit::None),
        &(&key, sectors(&all)),
        of.clone(),
    );
    let waves: u64 = all
        .iter()
        .flat_map(|of| &of.2.instructions)
        .filter_map(|of| of.access.as_ref())
        .map(|of| of.shared.wavefronts)
        .sum();
    let waves =
        Quantity::new(phrase("Wavefronts in shared accesses"), (waves as f64, Unit::None), &key, of.clone());
    let ran = Quantity::new(name, (sum as f64, Unit::None), &key, of);
    [ran, sectors, waves].map(|one| one.sum_of(threads)).to_vec()
}

/// The columns of the table: with the tool's own count, and with how lanes were recorded.
fn columns(runner: &Runner, has_tool: bool, is_at_most: bool) -> Vec<TableColumn> {
    let column = |name: &str, unit, has_bar| TableColumn { has_bar, ..TableColumn::new(name, unit) };
    let mut columns = vec![
        column(phrase("Kernel"), Unit::None, false),
        column(phrase("Launch"), Unit::None, false),
        column(phrase("Grid"), Unit::None, false),
        column(phrase("Block"), Unit::None, false),
        column(runner.title, Unit::None, false),
        column(phrase("Instructions"), Unit::None, true),
        // Lanes of a whole block are more than those that ran where instructions have predicates.
        column(
            if is_at_most { phrase("SIMD efficiency, at most") } else { phrase("SIMD efficiency") },
            Unit::Share,
            false,
        ),
        column(phrase("Predicated off"), Unit::None, false),
        column(phrase("Global accesses"), Unit::None, false),
        column(phrase("Sectors per access"), Unit::None, false),
        column(phrase("Global efficiency"), Unit::Share, false),
        TableColumn { is_phrase: true, ..column(phrase("Coalesced"), Unit::None, false) },
    ];
    if has_tool {
        columns.push(column(phrase("Instructions in stats.csv"), Unit::None, false));
    }
    if is_at_most {
        columns.push(TableColumn { is_phrase: true, ..column(phrase("Lanes recorded"), Unit::None, false) });
    }
    columns
}

/// Whether something is said of the lanes and accesses of a launch: where none were recorded only that they are lost.
fn is_told((launch, program, metrics): &Measure) -> bool {
    let mut unseen = [Space::Global, Space::Shared].into_iter().map(|space| unseen(program, metrics, space));
    0 < metrics.known() || launch.is_incomplete() && unseen.any(|n| 0 < n)
}

fn table(input: &AnalysisInput) -> Figure {
    let all = measures(input);
    let has_tool = all.iter().any(|(_, _, metrics)| metrics.tool.is_some());
    let is_at_most = all.iter().any(|(_, _, metrics)| metrics.is_at_most());
    let rows = all.iter().map(|measure| row(measure, has_tool, is_at_most)).collect();
    // Two files number their launches each in its own way: what meets in a comparison are launches of one kernel, in
    // their order.
    let columns = columns(Runner::of(all.iter().map(|of| of.0)), has_tool, is_at_most);
    let table = TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() };
    let mut figure = Figure::new("", Body::Table(table));
    for (launch, program, metrics) in all.iter().filter(|of| is_told(of)).take(SENTENCES) {
        let text = verdict(program, metrics);
        let is_costly = 0 < global(program, metrics).uncoalesced;
        let text = message("{kernel}: {text}").with("kernel", &launch.name).with_message("text", text);
        figure.advice.push(Advice::new(text, is_costly));
        if let Some((text, is_costly)) = banks(program, metrics) {
            let text = message("{kernel}: {text}").with("kernel", &launch.name).with_message("text", text);
            figure.advice.push(Advice::new(text, is_costly));
        }
    }
    for (launch, _, metrics) in &all {
        let Some(tool) = metrics.tool.as_ref().filter(|tool| !tool.reason.is_empty()) else { continue };
        let note = message("{kernel}: {file} counts {n} instructions, the trace has {own}: {reason}.");
        let note = note.with("kernel", &launch.name).with("file", &tool.from);
        let note = note.with("n", number::thousands(tool.instructions));
        let note = note.with("own", number::thousands(metrics.totals().0));
        figure.notes.push(note.with_message("reason", tool.reason.clone()));
    }
    for (launch, _, metrics) in all.iter().filter(|of| of.2.known() < of.2.totals().0 && is_told(of)) {
        let note = message(
            "{kernel}: lanes were recorded for {n} of {all} instructions. SIMD efficiency and Predicated off cover only those.",
        );
        let note = note.with("kernel", &launch.name).with("n", number::thousands(metrics.known()));
        figure.notes.push(note.with("all", number::thousands(metrics.totals().0)));
    }
    if is_at_most {
        figure.notes.push(message("Where lanes were recorded per block, predicated instructions may have run with fewer: the SIMD efficiency shown is an upper bound, and the number of instructions without an active lane is unknown."));
    }
    figure.notes.extend([
        message("SIMD efficiency: active lanes of the instructions with recorded lanes, out of 32 each. Predicated off: instructions without an active lane, also branches, exits and barriers; these count as no lane of all in the SIMD efficiency."),
        message("Efficiency: distinct bytes requested by lanes over bytes moved, which are distinct sectors of {n} bytes.")
            .with("n", sectors(&all)),
    ]);
    figure
}

/// Sizes of sectors.
pub(super) fn sectors(all: &[Measure]) -> String {
    let mut sectors: Vec<u64> = all.iter().map(|(_, _, metrics)| metrics.sector).collect();
    sectors.sort_unstable();
    sectors.dedup();
    sectors.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

fn row((launch, program, metrics): &Measure, has_tool: bool, is_at_most: bool) -> Vec<Cell> {
    let (instructions, lanes, off) = metrics.totals();
    let all = global(program, metrics);
    let share = |part: u64, of: u64| Cell::number((0 < of).then(|| part as f64 / of as f64));
    let size = |size: [u32; 3]| match size {
        [0, 0, 0] => Cell::Missing,
        [x, y, z] => Cell::Text(format!("{x} × {y} × {z}")),
    };
    let is_known = 0 < metrics.known();
    let known = |cell: Cell| if is_known { cell } else { Cell::Missing };
    // That there are no accesses is not known where there are some without addresses.
    let is_seen = 0 < all.active || unseen(program, metrics, Space::Global) == 0;
    let seen = |cell: Cell| if is_seen { known(cell) } else { Cell::Missing };
    let coalesced = match () {
        () if all.active == 0 => phrase("no global accesses"),
        () if all.uncoalesced == 0 => phrase("yes"),
        () if 2 * all.excess() < all.sectors => phrase("mostly"),
        () => phrase("no"),
    };
    let tool = metrics.tool.as_ref().map(|tool| Cell::Integer(tool.instructions));
    let mut cells = vec![
        Cell::Text(program.name.clone()),
        Cell::Text(launch.name.clone()),
        size(launch.grid),
        size(launch.group),
        Cell::Integer(launch.threads.len() as u64),
        Cell::Integer(instructions),
        share(lanes, metrics.known().saturating_mul(u64::from(program.lanes.max(1)))),
        if metrics.is_at_most() { Cell::Missing } else { known(Cell::Integer(off)) },
        seen(Cell::Integer(all.active)),
        share(all.sectors, all.sectored()),
        Cell::number(all.efficiency()),
        seen(Cell::Text(coalesced.to_owned())),
    ];
    if has_tool {
        cells.push(tool.unwrap_or(Cell::Missing));
    }
    if is_at_most {
        let of = if metrics.is_at_most() { phrase("per block") } else { phrase("per instruction") };
        cells.push(known(Cell::Text(of.to_owned())));
    }
    cells
}
