//! First figures of texts that record no launches: counts of instructions and accesses, times and latencies of kernels,
//! mixes of opcodes, plans and sizes of buffers. What such a text does not record is said, with what records it.

mod tables;

use super::records::planned;
use super::summary::{order_of, unknown};
use super::{called, opcode, percent};
use crate::analysis::finding::{Color, Part, PartRow, Tile, share};
use crate::base::map::Map;
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::number_of;
use crate::findings::{RuleInput, Summary};
use crate::model::Trace;
use crate::systems::instrumentation::intel::access::{KeptSend, Sends};
use crate::systems::instrumentation::pti::JsonCounts;
use crate::views::executions::compute::{Block, Program, Recorded};
use crate::views::plan::compute::{PlanInput, SizeRow};

/// Rows of a part.
const ROWS: usize = 7;
/// What records lanes of control flow.
const NO_BRANCHES: &str = phrase("needs lanes and control flow: the Accel-Sim tracer records both");
/// What records addresses.
const NO_SECTORS: &str = phrase("needs addresses: mem_trace, memorytrace or memaccess");

/// The figures of the first kind that a trace is of.
pub(super) fn summary(input: &RuleInput) -> Option<Summary> {
    let kinds: [fn(&RuleInput) -> Option<Summary>; 8] =
        [counts, sends, tables::nvbit, tables::times, tables::latencies, tables::opcodes, plans, launches];
    kinds.into_iter().find_map(|kind| kind(input))
}

/// A figure.
fn tile(label: &'static str, value: impl Into<Message>, comparison: Message) -> Tile {
    Tile { label: message(label), value: value.into(), comparison, ..Tile::default() }
}

/// Rows with one number each, the largest first, as shares of all.
fn ranked(mut all: Vec<(Message, f64, String)>, unit: &Unit) -> (Vec<PartRow>, u64) {
    let whole: f64 = all.iter().map(|(_, n, _)| n).sum();
    order::sort_by(&mut all, |a, b| b.1.total_cmp(&a.1));
    let row = |(at, (name, n, address)): (u8, &(Message, f64, String))| PartRow {
        name: name.clone(),
        color: Some(Color::Series(at)),
        share: share(*n, whole),
        cells: vec![with_unit(*n, unit), percent(share(*n, whole))],
        amount: Some((*n, unit.clone())),
        address: address.clone(),
        ..PartRow::default()
    };
    let rows = (0_u8..).zip(all.iter().take(ROWS)).map(row).collect();
    (rows, all.len().saturating_sub(ROWS) as u64)
}

fn part(title: Message, note: Message, all: Vec<(Message, f64, String)>, unit: &Unit) -> Part {
    let (rows, more) = ranked(all, unit);
    Part { title, note, rows, more, ..Part::default() }
}

// Counts of the instructions of programs: PTI's instcount.

/// A counted instruction.
#[derive(Clone, Copy)]
struct Counted<'a> {
    program: &'a Program,
    row: usize,
    runs: f64,
    lanes: f64,
}

/// Counted instructions, and how many programs are left out as another form of one that is there.
fn counted<'a>(trace: &'a Trace, recorded: &'a Recorded) -> (Vec<Counted<'a>>, u64) {
    // Each with whether its other form was there already: a second one is of another run.
    let mut all: Vec<(Vec<Counted>, bool)> = Vec::new();
    for program in &recorded.programs {
        let listing = program.listing.and_then(|id| trace.code.listings.get(id.index()));
        let column = |name: &str| listing?.columns.iter().find(|column| column.name == name);
        let Some(runs) = column(phrase("Instruction count")) else { continue };
        let lanes = column(phrase("SIMD lanes"));
        let own: Vec<Counted> = (0..program.instructions.len())
            .filter_map(|row| {
                let lanes = lanes.and_then(|lanes| lanes.cells.number(row, 0)).unwrap_or(f64::NAN);
                let runs = runs.cells.number(row, 0).filter(|n| !n.is_nan())?;
                Some(Counted { program, row, runs, lanes })
            })
            .collect();
        let is_other = |(other, is_paired): &&mut (Vec<Counted>, bool)| {
            !*is_paired && is_of_one_run(trace, recorded, (other.as_slice(), own.as_slice()))
        };
        match all.iter_mut().find(is_other) {
            Some((_, is_paired)) => *is_paired = true,
            None => all.push((own, false)),
        }
    }
    let again = all.iter().filter(|(_, is_paired)| *is_paired).count() as u64;
    (all.into_iter().flat_map(|(own, _)| own).collect(), again)
}

/// Whether two programs are one run of one kernel in the text and the JSON of the tool: they have one name, are as
/// many-th of that name in their files, and the same addresses ran as often, on as many lanes where both say so. Files
/// of one form are of runs of their own, such as those of two devices, also where they count alike.
fn is_of_one_run(trace: &Trace, recorded: &Recorded, (a, b): (&[Counted], &[Counted])) -> bool {
    let Some((one, other)) = a.first().zip(b.first()).map(|(a, b)| (a.program, b.program)) else {
        return false;
    };
    let json = trace.extensions.get::<JsonCounts>().map_or(&[][..], |all| &all.0);
    if one.name != other.name || json.contains(&one.entry) == json.contains(&other.entry) {
        return false;
    }
    let number = |of: &Program| {
        let before = recorded.programs.iter().take_while(|program| !std::ptr::eq(*program, of));
        before.filter(|program| program.entry == of.entry && program.name == of.name).count()
    };
    let is_equal = |(a, b): (&Counted, &Counted)| {
        let is_as_wide = a.lanes.is_nan() || b.lanes.is_nan() || a.lanes == b.lanes;
        a.program.address(a.row) == b.program.address(b.row) && a.runs == b.runs && is_as_wide
    };
    number(one) == number(other) && a.len() == b.len() && a.iter().zip(b).all(is_equal)
}

/// Lanes of an instruction: `(32|M0)`.
fn width(text: &str) -> Option<f64> {
    let (before, _) = text.split_once('|')?;
    before.rsplit('(').next()?.trim().parse().ok()
}

fn text<'a>(one: &Counted<'a>) -> &'a str {
    one.program.instructions.get(one.row).map_or("", |one| one.text.as_str())
}

/// A counted block: its program, its row there, its executions, and instructions that these ran.
pub(super) struct CountedBlock<'a> {
    pub(super) program: &'a Program,
    pub(super) block: &'a Block,
    pub(super) executions: f64,
    pub(super) instructions: f64,
    /// Executions of the block where threads begin.
    pub(super) threads: f64,
    /// Instructions that its file counts: another file may be of another run.
    pub(super) whole: f64,
}

/// The blocks of counted programs, and whether some of these are described in a second form.
pub(super) fn counted_blocks(trace: &Trace) -> (Vec<CountedBlock<'_>>, bool) {
    let Some(recorded) = trace.extensions.get::<Recorded>() else { return (Vec::new(), false) };
    let (all, again) = counted(trace, recorded);
    let mut found: Vec<CountedBlock> = Vec::new();
    let mut files: Map<u32, f64> = Map::default();
    for one in &all {
        *files.entry(one.program.entry).or_default() += one.runs;
    }
    for program in &recorded.programs {
        let own = || all.iter().filter(|one| std::ptr::eq(one.program, program));
        let threads = own().next().map_or(0.0, |one| one.runs);
        let whole = files.get(&program.entry).copied().unwrap_or(0.0);
        for block in &program.blocks {
            let rows = block.first as usize..block.first.saturating_add(block.len) as usize;
            let inside = || own().filter(|one| rows.contains(&one.row));
            let executions = inside().next().map_or(0.0, |one| one.runs);
            let instructions = inside().map(|one| one.runs).sum();
            if 0.0 < executions {
                found.push(CountedBlock { program, block, executions, instructions, threads, whole });
            }
        }
    }
    (found, 0 < again)
}

/// Lanes that worked and lanes that there were in counted instructions; `None` where counts have no lanes.
pub(super) fn counted_lanes(trace: &Trace) -> Option<(f64, f64)> {
    let recorded = trace.extensions.get::<Recorded>()?;
    let (all, _) = counted(trace, recorded);
    let lanes = all.iter().filter_map(|one| Some((one.lanes, one.runs * width(text(one))?)));
    let sum = lanes.filter(|(lanes, _)| 0.0 < *lanes).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    (0.0 < sum.1).then_some(sum)
}

#[allow(clippy::too_many_lines)] // most of it is texts and tables
fn counts(input: &RuleInput) -> Option<Summary> {
    let trace = input.trace;
    let recorded = trace.extensions.get::<Recorded>()?;
    let (all, again) = counted(trace, recorded);
    if all.is_empty() {
        return None;
    }
    let n: f64 = all.iter().map(|one| one.runs).sum();
    let lanes = counted_lanes(trace).unwrap_or_default();
    let programs = recorded.programs.len() as u64 - again;
    let mut files: Vec<u32> = all.iter().map(|one| one.program.entry).collect();
    files.dedup();
    let counted_in = match files.len() {
        _ if 0 < again => message(
            "{n} kernels, {k} instructions each counted; {again} of them described in text and JSON, counted once",
        )
        .with("again", thousands(again)),
        0 | 1 => message("{n} kernels, {k} instructions each counted"),
        files => message("{n} kernels in {m} files, {k} instructions each counted").with("m", files),
    };
    let tiles = vec![
        tile(
            phrase("Executed instructions"),
            number_of(n),
            counted_in.with("n", thousands(programs)).with("k", thousands(all.len() as u64)),
        )
        .amount(n, Unit::None),
        if lanes.1 == 0.0 {
            unknown(phrase("Lanes active"), phrase("the counts have no lanes"))
        } else {
            let part = share(lanes.0, lanes.1);
            Tile {
                bar: vec![(part, Color::Compute)],
                amount: Some((part, Unit::Share)),
                ..tile(phrase("Lanes active"), percent(part), message("of the lanes of all instructions"))
            }
        },
        sectors_of_sends(trace),
        unknown(phrase("Divergent branches"), NO_BRANCHES),
        plan_tile(input),
    ];
    let mut opcodes: Map<&str, f64> = Map::default();
    for one in &all {
        *opcodes.entry(opcode(text(one))).or_default() += one.runs;
    }
    let opcodes = opcodes.into_iter().map(|(name, n)| (name.to_owned().into(), n, source()));
    let named = |program: &Program| called(input, program, all.iter().map(|one| one.program));
    let mut kernels: Vec<(&Program, f64)> = Vec::new();
    for one in &all {
        match kernels.iter_mut().find(|(program, _)| std::ptr::eq(*program, one.program)) {
            Some((_, n)) => *n += one.runs,
            None => kernels.push((one.program, one.runs)),
        }
    }
    let kernels = kernels.into_iter().map(|(program, n)| (named(program).into(), n, source()));
    let mut blocks: Map<(usize, usize), f64> = Map::default();
    for one in &all {
        let row = u32::try_from(one.row).unwrap_or(u32::MAX);
        let at = one.program.blocks.partition_point(|block| block.first <= row);
        let program = recorded.programs.iter().position(|program| std::ptr::eq(program, one.program));
        *blocks.entry((program.unwrap_or(0), at.saturating_sub(1))).or_default() += one.runs;
    }
    let blocks = blocks.into_iter().filter_map(|((program, block), n)| {
        let program = recorded.programs.get(program)?;
        let block = program.blocks.get(block)?;
        let name = message("{block} of {kernel}").with("block", &block.label).with("kernel", named(program));
        Some((name, n, super::place_of(trace, None, program, block.first).1))
    });
    let note = || message("of {n} executed instructions").with("n", number_of(n));
    let parts = vec![
        part(message("By opcode"), note(), sorted(opcodes.collect()), &Unit::None),
        part(message("Hottest blocks"), note(), sorted(blocks.collect()), &Unit::None),
        part(message("Kernels"), note(), kernels.collect(), &Unit::None),
    ];
    Some(Summary { tiles, parts })
}

/// What comes from a map has no order of its own.
fn sorted(mut all: Vec<(Message, f64, String)>) -> Vec<(Message, f64, String)> {
    order::sort_by_key(&mut all, |(name, ..)| name.to_string());
    all
}

fn source() -> String {
    Place::view("source").address()
}

fn plan_tile(input: &RuleInput) -> Tile {
    let plan = planned(input).and_then(|plan| Some((plan.sums.total?, plan)));
    match plan {
        Some((bytes, plan)) => {
            let bytes = with_unit(bytes as f64, &Unit::Bytes);
            // A plan is of one kernel.
            let said = if plan.subjects.len() < 2 {
                message("a trace of it would take {bytes}")
            } else {
                message("a trace of {kernel} alone would take {bytes}")
                    .with("kernel", plan.sheet.name.as_str())
            };
            Tile {
                address: Place::view("plan").address(),
                ..tile(phrase("Records lost"), phrase("none recorded"), said.with("bytes", bytes))
            }
        }
        None => tile(phrase("Records lost"), phrase("none recorded"), message("this output has only counts")),
    }
}

// Accesses of sends: PTI's memaccess, strides of GTPin.

fn sectors_of_sends(trace: &Trace) -> Tile {
    let all = trace.extensions.get::<Sends>().map_or(&[][..], |all| &all.0);
    let lines: u64 = all.iter().map(|one| one.access.lines).fold(0, u64::saturating_add);
    let executed: u64 = all.iter().map(|one| one.access.executed).fold(0, u64::saturating_add);
    if lines == 0 {
        return unknown(phrase("Sectors per request"), NO_SECTORS);
    }
    let (used, moved) = used(all);
    Tile {
        bar: vec![(share(used, moved), Color::Compute), (1.0 - share(used, moved), Color::Wait)],
        amount: Some((lines as f64 / executed.max(1) as f64, Unit::None)),
        ..tile(
            phrase("Cache lines per request"),
            fixed(lines as f64 / executed.max(1) as f64, 2),
            message("{share} of the bytes moved are used").with("share", percent(share(used, moved))),
        )
    }
}

/// Bytes used and moved by the sends that have both.
fn used(all: &[KeptSend]) -> (f64, f64) {
    let both = all.iter().filter_map(|one| {
        let asked = one.access.bytes?.saturating_mul(one.access.lanes).min(one.access.moved);
        Some((asked as f64, one.access.moved as f64))
    });
    both.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1))
}

fn sends(input: &RuleInput) -> Option<Summary> {
    let all = &input.trace.extensions.get::<Sends>()?.0;
    let executed: u64 = all.iter().map(|one| one.access.executed).fold(0, u64::saturating_add);
    let lanes: u64 = all.iter().map(|one| one.access.lanes).fold(0, u64::saturating_add);
    let unaligned: u64 = all.iter().map(|one| one.access.unaligned).fold(0, u64::saturating_add);
    let moved: u64 = all.iter().map(|one| one.access.moved).fold(0, u64::saturating_add);
    let place = || Place::view("details").address();
    let tiles = vec![
        tile(
            phrase("Recorded accesses"),
            thousands(executed),
            message("by {n} sends; nothing else counted").with("n", thousands(all.len() as u64)),
        )
        .amount(executed as f64, Unit::None),
        tile(
            phrase("Lanes active"),
            fixed(lanes as f64 / executed.max(1) as f64, 1),
            message("per send on average"),
        )
        .amount(lanes as f64 / executed.max(1) as f64, Unit::None),
        sectors_of_sends(input.trace),
        unknown(phrase("Divergent branches"), NO_BRANCHES),
        tile(
            phrase("Unaligned"),
            percent(share(unaligned as f64, executed as f64)),
            message("of executions start inside a cache line"),
        )
        .amount(share(unaligned as f64, executed as f64), Unit::Share),
    ];
    let bytes = |name: &dyn Fn(&KeptSend) -> Message| -> Vec<(Message, f64, String)> {
        let mut rows: Vec<(Message, f64, String)> = Vec::new();
        for one in all {
            let name = name(one);
            match rows.iter_mut().find(|(other, ..)| *other == name) {
                Some(row) => row.1 += one.access.moved as f64,
                None => rows.push((name, one.access.moved as f64, place())),
            }
        }
        rows
    };
    let note = || message("of {n} of cache lines").with("n", with_unit(moved as f64, &Unit::Bytes));
    let parts = vec![
        part(
            message("By send"),
            note(),
            bytes(&|one| {
                message("{address} of {kernel}")
                    .with("address", format!("{:#x}", one.address))
                    .with("kernel", &one.kernel)
            }),
            &Unit::Bytes,
        ),
        part(message("By pattern"), note(), bytes(&|one| message(one.access.pattern())), &Unit::Bytes),
        part(message("Kernels"), note(), bytes(&|one| one.kernel.clone().into()), &Unit::Bytes),
    ];
    Some(Summary { tiles, parts })
}

// Plans, sizes of buffers, listings: what a recording would take.

#[allow(clippy::too_many_lines)] // most of it is texts and tables
fn plans(input: &RuleInput) -> Option<Summary> {
    input.trace.extensions.get::<PlanInput>()?;
    let plan = planned(input)?;
    let place = || Place::view("plan").address();
    let sums = &plan.sums;
    let has_blocks = !plan.sheet.blocks.is_empty();
    let own = plan.allocations.iter().find(|one| one.layout == plan.room.layout);
    let kernels = largest_of_kernels(&plan.sizes);
    let sizes: u64 = kernels.iter().map(|(_, bytes)| *bytes).fold(0, u64::saturating_add);
    let launches: Vec<_> = plan.sizes.iter().filter_map(|row| Some((&row.size, row.size.launch?))).collect();
    if !has_blocks && plan.sizes.is_empty() {
        return None;
    }
    let bytes = |n: Option<u64>| {
        n.map_or_else(|| message("not counted"), |n| with_unit(n as f64, &Unit::Bytes).into())
    };
    let of_bytes = |n: Option<u64>, tile: Tile| Tile { amount: n.map(|n| (n as f64, Unit::Bytes)), ..tile };
    let planned = if has_blocks { sums.total } else { Some(sizes) };
    let allocated = own.and_then(|one| one.bytes);
    let executions =
        plan.sheet.blocks.iter().map(|block| Some(block.count? as f64 * f64::from(block.block.instructions)));
    let executed: Option<f64> = executions.sum();
    let largest = plan.sizes.iter().map(|row| row.size.bytes).max();
    let tiles = vec![
        match executed.filter(|_| has_blocks) {
            Some(n) => tile(
                phrase("Executed instructions"),
                number_of(n),
                message("block counts from {from}").with_message("from", message_of(&plan.sheet.counts_from)),
            )
            .amount(n, Unit::None),
            None => tile(
                phrase("Executed instructions"),
                message("not recorded"),
                message("a first run counts block executions"),
            ),
        },
        Tile {
            address: place(),
            amount: planned.map(|n| (n as f64, Unit::Bytes)),
            ..tile(
                phrase("Planned"),
                bytes(planned),
                if has_blocks {
                    message("{n} blocks, {k} record types")
                        .with("n", plan.sheet.blocks.len())
                        .with("k", plan.sheet.types.len())
                } else {
                    message("buffers for the largest launch of each kernel, {n}")
                        .with("n", order_of(kernels.len() as u64, phrase("kernels")))
                },
            )
        },
        if has_blocks {
            let said = message("with headers, slack and rounding");
            of_bytes(allocated, tile(phrase("Allocated"), bytes(allocated), said))
        } else {
            let said = message("per kernel or launch");
            of_bytes(largest, tile(phrase("Largest"), bytes(largest), said))
        },
        unknown(phrase("Sectors per request"), NO_SECTORS),
        tile(phrase("Records lost"), phrase("none recorded"), message("this is a plan for a recording")),
    ];
    let mut parts = Vec::new();
    if has_blocks {
        let types = plan.sheet.types.iter().zip(&sums.bytes);
        let types =
            types.map(|(one, n)| (one.record_type.name.clone().into(), n.unwrap_or(0) as f64, place()));
        let blocks = plan.sheet.blocks.iter().zip(&sums.of_block).enumerate();
        let blocks = blocks.map(|(at, (one, n))| {
            let place = Place::view("plan").state("block", &at.to_string()).address();
            (one.block.label.clone().into(), n.unwrap_or(0) as f64, place)
        });
        let note = || {
            message("of {n} planned for {kernel}")
                .with_message("n", bytes(sums.total))
                .with("kernel", &plan.sheet.name)
        };
        parts.push(part(message("By record type"), note(), types.collect(), &Unit::Bytes));
        parts.push(part(message("By block"), note(), blocks.collect(), &Unit::Bytes));
    }
    let place = || Place::view("details").figure("plan-sizes", &[]).address();
    let rows = kernels.iter().map(|(name, bytes)| ((*name).to_owned().into(), *bytes as f64, place()));
    let note = message("bytes of the records of the largest launch");
    parts.push(part(message("Kernels"), note, rows.collect(), &Unit::Bytes));
    let rows = launches.iter().map(|(size, launch)| {
        let name = message("{kernel}, launch {n}").with("kernel", &size.name).with("n", launch);
        (name, size.bytes as f64, place())
    });
    let note = message("record bytes of each");
    parts.push(part(message("Launches"), note, rows.collect(), &Unit::Bytes));
    parts.retain(|part| part.rows.iter().any(|row| 0.0 < row.share));
    Some(Summary { tiles, parts })
}

/// Kernels in their order, each with what its largest launch takes: a row of the kernel itself is the greatest of its
/// launches already.
fn largest_of_kernels(sizes: &[SizeRow]) -> Vec<(&str, u64)> {
    let mut kernels: Vec<(&str, u64)> = Vec::new();
    for size in sizes.iter().map(|row| &row.size) {
        match kernels.iter_mut().find(|(name, _)| *name == size.name) {
            Some((_, bytes)) => *bytes = size.bytes.max(*bytes),
            None => kernels.push((&size.name, size.bytes)),
        }
    }
    kernels
}

/// A phrase that stands in data.
fn message_of(text: &str) -> Message {
    Message::from(text.to_owned())
}

// Heads of launches without records.

fn launches(input: &RuleInput) -> Option<Summary> {
    let recorded = input.trace.extensions.get::<Recorded>().filter(|all| !all.launches.is_empty())?;
    let of = |launch: &crate::views::executions::compute::Launch| {
        let sum = |size: [u32; 3]| size.iter().map(|n| f64::from(*n)).product::<f64>();
        sum(launch.grid) * sum(launch.group)
    };
    let threads: f64 = recorded.launches.iter().map(of).sum();
    let name = |program: u32| recorded.programs.get(program as usize).map_or("", |of| of.name.as_str());
    let tiles = vec![
        tile(
            phrase("Launches"),
            thousands(recorded.launches.len() as u64),
            message("of {kernels} kernels").with("kernels", thousands(recorded.programs.len() as u64)),
        )
        .amount(recorded.launches.len() as f64, Unit::None),
        tile(phrase("Threads"), number_of(threads), message("from grid and block sizes"))
            .amount(threads, Unit::None),
        unknown(
            phrase("Executed instructions"),
            phrase("these files have only launch headers: open the traces too"),
        ),
        unknown(phrase("Sectors per request"), NO_SECTORS),
        unknown(phrase("Divergent branches"), NO_BRANCHES),
    ];
    let rows = recorded.launches.iter().map(|launch| {
        let name =
            message("{launch}: {kernel}").with("launch", &launch.name).with("kernel", name(launch.program));
        (name, of(launch), Place::view("trace").address())
    });
    let parts = vec![part(message("Launches"), message("threads"), rows.collect(), &Unit::None)];
    Some(Summary { tiles, parts })
}
