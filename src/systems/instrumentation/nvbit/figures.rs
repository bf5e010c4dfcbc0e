//! What is told of an entry beside its executions: facts, launches, instructions, counts, and a listing of each program.

use super::Count;
use super::collect::Told;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::Sink;
use crate::model::code::{CodeScope, Lines, Listing};
use crate::model::figure::{Body, Cell, Fact, Facts, Family, Figure};
use crate::model::id::ListingId;
use crate::model::{Table, TableCells, TableColumn, Trace};
use crate::views::executions::compute::{Program, Recorded};

/// The panel of the figures.
const SECTION: &str = phrase("Recorded programs");

/// A record names a group that the grid of its launch does not have.
pub(super) fn outside(told: &Told, path: &str) -> Option<Fault> {
    let (cta, grid, (byte, line)) = told.outside?;
    let text = |[x, y, z]: [u32; 3]| format!("{x},{y},{z}");
    let a = message("the launch grid is {grid}").with("grid", text(grid));
    let b = message("a record belongs to group {group}").with("group", text(cta));
    let place = Place::byte(path, byte).line(line, 1);
    let fault = Fault::new("NVB-GRID", Severity::Warning, place, Kind::Contradiction { a, b });
    Some(fault.note(phrase("The groups in the record are shown.")))
}

/// Adds what is told of the launches `told`, which are the last that were kept, and of counts.
pub(super) fn add(sink: &mut Sink, entry: u32, told: &[Told], counts: &[Count]) {
    let trace = sink.builder.head();
    let Some(recorded) = trace.extensions.get::<Recorded>() else { return };
    let (facts, name) = facts(recorded, told, counts);
    let mut tables = Vec::new();
    if !told.is_empty() {
        tables.extend([launches(recorded, told), instructions(recorded, told)]);
    }
    if !counts.is_empty() {
        tables.push(kernels(counts));
    }
    tables.extend(opcodes(counts));
    if trace.title.is_empty() {
        trace.title = name;
    }
    trace.figures.push(Family::single("nvbit-summary", SECTION, facts));
    trace.tables.extend(tables);
    list(sink, entry);
}

fn facts(recorded: &Recorded, told: &[Told], counts: &[Count]) -> (Figure, String) {
    let launches = || told.iter().filter_map(|told| recorded.launches.get(told.launch));
    let sum = |of: fn(&crate::views::executions::compute::Launch) -> usize| {
        launches().map(|l| of(l) as u64).sum::<u64>()
    };
    let fact = |name: &str, n: u64| Fact { name: name.to_owned(), value: Cell::Integer(n), unit: Unit::None };
    let mut facts = Vec::new();
    if !told.is_empty() {
        facts.push(fact(phrase("Launches"), told.len() as u64));
        facts.push(fact(phrase("Records"), sum(|launch| launch.executions.block.len())));
        // Accesses of single lanes name neither.
        if launches().any(|launch| !launch.is_of_lanes) {
            let is_named =
                |told: &&Told| recorded.launches.get(told.launch).is_some_and(|of| !of.is_of_lanes);
            facts.push(fact(
                phrase("Groups"),
                told.iter().filter(is_named).map(|told| told.ctas as u64).sum(),
            ));
            facts.push(fact(
                phrase("Warps"),
                sum(|launch| if launch.is_of_lanes { 0 } else { launch.threads.len() }),
            ));
        }
        let sms = told.iter().map(|told| told.sms as u64).max().unwrap_or(0);
        facts.extend((0 < sms).then(|| fact(phrase("Processors"), sms)));
    }
    if !counts.is_empty() {
        facts.push(fact(phrase("Counted kernels"), counts.len() as u64));
        facts.push(fact(phrase("Counted instructions"), counts.iter().map(|count| count.instructions).sum()));
    }
    let mut figure = Figure::new(phrase("Recorded programs"), Body::Facts(Facts { facts }));
    if launches().any(|launch| launch.order_from.as_deref() == Some("memory")) {
        figure
            .notes
            .push(message("Order from memory accesses; instructions without accesses are invisible."));
    }
    let nameless = |launch: &&crate::views::executions::compute::Launch| {
        launch.executions.moved.is_empty()
            && launch.order_from.as_deref() == Some("memory")
            && launch.rows.is_some()
    };
    if launches().any(|launch| nameless(&launch)) {
        let text = message(
            "Some records have only addresses: thread, lane and opcode were not recorded, and the width is guessed.",
        );
        figure.notes.push(text);
    }
    let first = launches().next().and_then(|launch| recorded.programs.get(launch.program as usize));
    let name =
        first.map(|program| program.name.clone()).or_else(|| counts.first().map(|count| count.name.clone()));
    (figure, name.unwrap_or_default())
}

fn texts(name: &str, texts: Vec<String>) -> TableColumn {
    TableColumn { name: name.to_owned(), unit: Unit::None, cells: TableCells::Texts(texts) }
}

fn numbers(name: &str, numbers: Vec<u64>) -> TableColumn {
    TableColumn { name: name.to_owned(), unit: Unit::None, cells: TableCells::Integers(numbers) }
}

/// Whole numbers of which some may not have been recorded.
fn known(name: &str, numbers: Vec<Option<u64>>) -> TableColumn {
    let cells = match numbers.iter().copied().collect() {
        Some(all) => TableCells::Integers(all),
        None => TableCells::Numbers(numbers.into_iter().map(|n| n.map_or(f64::NAN, |n| n as f64)).collect()),
    };
    TableColumn { name: name.to_owned(), unit: Unit::None, cells }
}

fn launches(recorded: &Recorded, told: &[Told]) -> Table {
    let rows = || told.iter().filter_map(|told| Some((told, recorded.launches.get(told.launch)?)));
    let size = |[x, y, z]: [u32; 3]| if [x, y, z] == [0; 3] { String::new() } else { format!("{x},{y},{z}") };
    let kernel =
        |program: u32| recorded.programs.get(program as usize).map_or("", |program| &program.name).to_owned();
    let columns = vec![
        texts(phrase("Launch"), rows().map(|(_, launch)| launch.name.clone()).collect()),
        texts(phrase("Kernel"), rows().map(|(_, launch)| kernel(launch.program)).collect()),
        texts(phrase("Grid"), rows().map(|(_, launch)| size(launch.grid)).collect()),
        texts(phrase("Block"), rows().map(|(_, launch)| size(launch.group)).collect()),
        // Accesses of single lanes name neither.
        known(
            phrase("Groups"),
            rows().map(|(told, of)| Some(told.ctas as u64).filter(|_| !of.is_of_lanes)).collect(),
        ),
        known(
            phrase("Warps"),
            rows().map(|(_, of)| Some(of.threads.len() as u64).filter(|_| !of.is_of_lanes)).collect(),
        ),
        numbers(phrase("Records"), rows().map(|(_, launch)| launch.executions.block.len() as u64).collect()),
        known(
            phrase("Processors"),
            rows().map(|(told, _)| Some(told.sms as u64).filter(|n| 0 < *n)).collect(),
        ),
    ];
    Table::new("nvbit-launches", phrase("Launches"), columns)
}

/// Executions of each instruction over all launches of its program.
fn instructions(recorded: &Recorded, told: &[Told]) -> Table {
    let mut counts: Map<(u32, u32), (u64, Option<u64>)> = Map::default();
    for launch in told.iter().filter_map(|told| recorded.launches.get(told.launch)) {
        for (block, lanes) in launch.executions.block.iter().zip(&launch.executions.lanes) {
            let count = counts.entry((launch.program, *block)).or_insert((0, Some(0)));
            count.0 += 1;
            count.1 = count.1.filter(|_| *lanes <= 32).map(|n| n + u64::from(*lanes));
        }
    }
    let mut rows: Vec<_> = counts.into_iter().collect();
    crate::base::order::sort_by_key(&mut rows, |(key, _)| *key);
    let of = |(program, row): (u32, u32)| {
        let program = recorded.programs.get(program as usize);
        Some((program?, program?.instructions.get(row as usize)?))
    };
    let text = |key, of_row: fn(&(&Program, &crate::views::executions::compute::Instruction)) -> String| {
        of(key).as_ref().map_or_else(String::new, of_row)
    };
    let columns = vec![
        texts(
            phrase("Kernel"),
            rows.iter().map(|(key, _)| text(*key, |(program, _)| program.name.clone())).collect(),
        ),
        known(phrase("Address"), rows.iter().map(|(key, _)| of(*key)?.0.address(key.1 as usize)).collect()),
        texts(phrase("Opcode"), rows.iter().map(|(key, _)| text(*key, |(_, i)| i.text.clone())).collect()),
        numbers(phrase("Records"), rows.iter().map(|(_, (n, _))| *n).collect()),
        known(phrase("Lanes"), rows.iter().map(|(_, (_, lanes))| *lanes).collect()),
    ];
    Table::new("nvbit-instructions", phrase("Recorded instructions"), columns)
}

fn kernels(counts: &[Count]) -> Table {
    let column = |of: fn(&Count) -> u64| counts.iter().map(of).collect::<Vec<u64>>();
    let columns = vec![
        numbers(phrase("Number"), column(|count| count.kernel)),
        texts(phrase("Kernel"), counts.iter().map(|count| count.name.clone()).collect()),
        numbers(phrase("Groups"), column(|count| count.groups)),
        numbers(phrase("Instructions"), column(|count| count.instructions)),
        numbers(phrase("Instructions so far"), column(|count| count.total)),
    ];
    Table::new("nvbit-kernels", phrase("Counted kernels"), columns)
}

fn opcodes(counts: &[Count]) -> Option<Table> {
    let rows: Vec<(u64, &str, u64)> = counts
        .iter()
        .flat_map(|count| count.opcodes.iter().map(|(name, n)| (count.kernel, name.as_str(), *n)))
        .collect();
    let columns = vec![
        numbers(phrase("Number"), rows.iter().map(|row| row.0).collect()),
        texts(phrase("Opcode"), rows.iter().map(|row| row.1.to_owned()).collect()),
        numbers(phrase("Instructions"), rows.iter().map(|row| row.2).collect()),
    ];
    (!rows.is_empty()).then(|| Table::new("nvbit-opcodes", phrase("Counted opcodes"), columns))
}

/// Shows the instructions of each program of this entry.
fn list(sink: &mut Sink, entry: u32) {
    let unlisted = |trace: &Trace| {
        let recorded = trace.extensions.get::<Recorded>()?;
        recorded.programs.iter().position(|program| {
            program.entry == entry && program.listing.is_none() && !program.instructions.is_empty()
        })
    };
    while let Some(at) = unlisted(sink.builder.head()) {
        let trace = sink.builder.head();
        let id = ListingId(u32::try_from(trace.code.listings.len()).unwrap_or(u32::MAX));
        let recorded: &mut Recorded = trace.extensions.get_or_default();
        let Some(program) = recorded.programs.get_mut(at) else { return };
        program.listing = Some(id);
        let mut lines = Lines::default();
        program.instructions.iter().for_each(|instruction| lines.push(&instruction.text));
        // Without addresses its rows are told by their numbers.
        let n = if program.is_numbered { 0 } else { program.instructions.len() };
        let address = program.instructions.iter().take(n).map(|instruction| instruction.address).collect();
        let name = program.name.clone();
        let kernel = sink.builder.intern(&name);
        sink.builder.head().code.listings.push(Listing::assembly(
            name,
            CodeScope { entry: Some(entry), kernel },
            lines,
            address,
        ));
    }
}
