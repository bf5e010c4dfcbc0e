//! What an instrumented program is, in five figures, and where its instructions go: by opcode, block, kernel, launch.

use super::records::{Losses, missing};
use super::{Placed, count, is_own, measured, nameless, opcode, percent, place_of, placed, runner};
use crate::analysis::finding::{Color, Part, PartRow, Tile, share};
use crate::base::map::Map;
use crate::base::number::{fixed, thousands};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{RuleInput, Summary};
use crate::systems::instrumentation::metrics::{AccessMetrics, KernelSum, Measured, knows_divergence};
use crate::views::executions::compute::{Recorded, Space};
use crate::views::plan::compute::PlanInput;

/// Rows of a part.
const ROWS: usize = 7;

/// The figures.
pub(super) fn summary(input: &RuleInput) -> Option<Summary> {
    if !is_own(input.trace) {
        return None;
    }
    let Some((kernels, recorded)) = measured(input).filter(|(kernels, _)| 0 < instructions(kernels)) else {
        return super::kinds::summary(input);
    };
    Some(Summary { tiles: tiles(input, kernels, recorded), parts: parts(input, kernels, recorded) })
}

/// A figure that nobody recorded.
pub(super) fn unknown(label: &'static str, why: &'static str) -> Tile {
    Tile {
        label: message(label),
        value: message("not recorded"),
        comparison: message(why),
        ..Tile::default()
    }
}

/// Whether nothing but accesses was recorded.
pub(super) fn has_accesses_only(kernels: &[KernelSum], recorded: &Recorded) -> bool {
    let launches = kernels.iter().flat_map(|kernel| &kernel.launches);
    let mut launches = launches.filter_map(|row| recorded.launches.get(*row as usize));
    if launches.all(|launch| launch.order_from.is_some()) {
        return true;
    }
    let mut ran = kernels.iter().flat_map(|kernel| &kernel.rows).filter(|row| 0 < row.metrics.executions);
    ran.all(|row| row.metrics.access.is_some() || 0 < row.metrics.unseen)
}

/// Whether accesses say which warp or thread made them: all of a large launch in one row were not told apart.
pub(super) fn knows_runners(kernels: &[KernelSum], recorded: &Recorded) -> bool {
    let launches = kernels.iter().flat_map(|kernel| &kernel.launches);
    let mut launches = launches.filter_map(|row| Some((row, recorded.launches.get(*row as usize)?)));
    launches.any(|(_, launch)| {
        let sizes = launch.grid.iter().chain(&launch.group).map(|n| u64::from(*n));
        let lanes = recorded.programs.get(launch.program as usize).map_or(1, |program| program.lanes.max(1));
        let is_small = (1..=u64::from(lanes)).contains(&sizes.fold(1, u64::saturating_mul));
        launch.order_from.is_none() || 1 < launch.threads.len() || is_small
    })
}

/// Instructions of all threads.
pub(super) fn instructions(kernels: &[KernelSum]) -> u64 {
    kernels.iter().map(of_kernel).sum()
}

fn of_kernel(kernel: &KernelSum) -> u64 {
    kernel.rows.iter().map(|row| row.metrics.executions).sum()
}

/// Active lanes, and lanes there are, of the instructions of which lanes were recorded.
pub(super) fn lanes_of(kernel: &KernelSum) -> (u64, u64) {
    let add = |(lanes, room): (u64, u64), of: &super::RowSum| {
        let known = of.metrics.executions.saturating_sub(of.metrics.unknown);
        (lanes + of.metrics.lanes, room + known * u64::from(kernel.lanes.max(1)))
    };
    kernel.rows.iter().fold((0, 0), add)
}

/// The accesses to global memory of a kernel.
fn global(kernel: &KernelSum, recorded: &Recorded) -> AccessMetrics {
    let mut all = AccessMetrics::default();
    for one in placed(std::slice::from_ref(kernel), recorded) {
        let is_global = one.instruction.memory.is_some_and(|memory| memory.space == Space::Global);
        if let Some(access) = one.sum.metrics.access.as_deref().filter(|_| is_global) {
            all.add(access);
        }
    }
    all
}

fn tiles(input: &RuleInput, kernels: &[KernelSum], recorded: &Recorded) -> Vec<Tile> {
    let n: u64 = instructions(kernels);
    let threads: u64 = kernels.iter().map(|kernel| kernel.threads).sum();
    let launches: usize = kernels.iter().map(|kernel| kernel.launches.len()).sum();
    let is_part = has_accesses_only(kernels, recorded);
    let of_what = if knows_runners(kernels, recorded) {
        message("{launches} of {kernels}, {threads}")
    } else {
        message("{launches} of {kernels}")
    };
    let ran = Tile {
        label: if is_part { message("Recorded accesses") } else { message("Executed instructions") },
        value: thousands(n).into(),
        amount: Some((n as f64, Unit::None)),
        comparison: of_what
            .with("launches", order_of(launches as u64, phrase("launches")))
            .with("kernels", order_of(kernels.len() as u64, phrase("kernels")))
            .with_message("threads", threads_of(threads, kernels, recorded)),
        address: Place::view("details").figure("instrumentation-kernels", &[]).address(),
        ..Tile::default()
    };
    vec![
        ran,
        lanes(kernels, recorded),
        sectors(kernels, recorded),
        divergent(kernels, recorded),
        lost(input, (kernels, recorded)),
    ]
}

/// How many threads ran, of how many, where others have no record.
fn threads_of(n: u64, kernels: &[KernelSum], recorded: &Recorded) -> Message {
    let (absent, many) = (super::records::absent(recorded), runner(kernels, recorded).many);
    match absent.threads {
        0 => order_of(n, many).into(),
        _ => message("{n} of {m}").with("n", thousands(n)).with("m", order_of(absent.of, many)),
    }
}

/// A number with its noun.
pub(super) fn order_of(n: u64, noun: &'static str) -> String {
    crate::base::number::whole_with_unit(n, &count(noun))
}

fn lanes(kernels: &[KernelSum], recorded: &Recorded) -> Tile {
    let (lanes, room) = kernels.iter().map(lanes_of).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    if room == 0 {
        return unknown(phrase("Lanes active"), phrase("no records with active lanes"));
    }
    let part = share(lanes as f64, room as f64);
    let is_at_most = kernels.iter().flat_map(|kernel| &kernel.rows).any(|row| 0 < row.metrics.of_block);
    let width = kernels.iter().map(|kernel| kernel.lanes).max().unwrap_or(32);
    let is_same = kernels.iter().all(|kernel| kernel.lanes == width);
    let mean = fixed(part * f64::from(width), 1);
    let rows = || kernels.iter().flat_map(|kernel| &kernel.rows);
    let unknown: u64 = rows().map(|row| row.metrics.unknown).sum();
    let off: u64 = rows().map(|row| row.metrics.off).sum();
    let comparison = match (is_at_most, is_same) {
        _ if 0 < unknown => message("in {share} of instructions; others have none recorded")
            .with("share", percent(1.0 - share(unknown as f64, instructions(kernels) as f64))),
        (true, _) => message("upper bound: lanes are of whole blocks"),
        (false, true) if 0 < off => {
            message("{mean} of {lanes} on average; {share} of instructions have none")
                .with("mean", mean)
                .with("lanes", width)
                .with("share", percent(share(off as f64, instructions(kernels) as f64)))
        }
        (false, true) => message("{mean} of {lanes} on average").with("mean", mean).with("lanes", width),
        (false, false) => message("of {threads} with up to {lanes} lanes")
            .with_message("threads", runner(kernels, recorded).many)
            .with("lanes", width),
    };
    Tile {
        label: message("Lanes active"),
        value: percent(part).into(),
        amount: Some((part, Unit::Share)),
        comparison,
        bar: vec![(part, Color::Compute)],
        address: Place::view("details").figure("instrumentation-kernels", &[]).address(),
        ..Tile::default()
    }
}

fn sectors(kernels: &[KernelSum], recorded: &Recorded) -> Tile {
    let mut all = AccessMetrics::default();
    for kernel in kernels {
        all.add(&global(kernel, recorded));
    }
    if all.sectors == 0 {
        let is_global = |one: &Placed| one.instruction.memory.is_some_and(|of| of.space == Space::Global);
        let has_unseen = placed(kernels, recorded).filter(is_global).any(|one| 0 < one.unseen());
        let why = match nameless(kernels, recorded) {
            Some(_) => phrase("the records do not give the memory space"),
            None if has_unseen => phrase("the records lack the width of accesses, or an address per lane"),
            None => {
                let tile = unknown(phrase("Sectors per request"), phrase("no global memory accesses"));
                return Tile { value: "–".to_owned().into(), ..tile };
            }
        };
        return unknown(phrase("Sectors per request"), why);
    }
    let requests = all.sectored().max(1) as f64;
    let (own, ideal) = (all.sectors as f64 / requests, all.ideal as f64 / requests);
    let part = share(all.ideal as f64, all.sectors as f64);
    Tile {
        label: message("Sectors per request"),
        value: fixed(own, 2).into(),
        amount: Some((own, Unit::None)),
        comparison: message("{ideal} would suffice; {used} of the bytes moved are used")
            .with("ideal", fixed(ideal, 2))
            .with("used", percent(all.efficiency().unwrap_or(0.0))),
        bar: vec![(part, Color::Compute), (1.0 - part, Color::Wait)],
        address: Place::view("details").figure("instrumentation-instructions", &[]).address(),
        ..Tile::default()
    }
}

fn divergent(kernels: &[KernelSum], recorded: &Recorded) -> Tile {
    let launches = kernels.iter().flat_map(|kernel| &kernel.launches);
    let known = launches.filter_map(|row| recorded.launches.get(*row as usize)).any(knows_divergence);
    if !known {
        return unknown(
            phrase("Divergent branches"),
            phrase("needs lanes and control flow: the Accel-Sim tracer records both"),
        );
    }
    let rows = || kernels.iter().flat_map(|kernel| &kernel.rows);
    let unknown_lanes: u64 = rows().map(|row| row.metrics.unknown).sum();
    if instructions(kernels) < 2 * unknown_lanes {
        return unknown(
            phrase("Divergent branches"),
            phrase("lanes were recorded for a small part of the instructions"),
        );
    }
    let blocks = || kernels.iter().flat_map(|kernel| &kernel.blocks);
    let parts: u64 = blocks().map(|block| block.counts.parts).sum();
    let all: u64 = blocks().map(|block| block.counts.executions).sum();
    let places = blocks().filter(|block| 0 < block.counts.parts).count();
    Tile {
        label: message("Divergent branches"),
        value: places.to_string().into(),
        amount: Some((places as f64, Unit::None)),
        comparison: message("lanes diverge in {n} of {all} block executions")
            .with("n", thousands(parts))
            .with("all", thousands(all)),
        bar: vec![(share(parts as f64, all as f64), Color::Wait)],
        address: Place::view("trace").state("color", "lanes").address(),
        ..Tile::default()
    }
}

/// By the buffers that the records were written to; `None` without buffers.
fn lost_of_buffers(input: &RuleInput) -> Option<Tile> {
    let plans = input.trace.extensions.get::<PlanInput>()?;
    let losses = Losses::of(&plans.kernels);
    if losses.types.is_empty() {
        return None;
    }
    let sum = losses.sum();
    let n = missing(sum);
    let records = n.saturating_add(sum[0]);
    Some(Tile {
        label: message("Records lost"),
        value: thousands(n).into(),
        amount: Some((n as f64, Unit::None)),
        comparison: message("{share} of {all}")
            .with("share", percent(share(n as f64, records as f64)))
            .with("all", thousands(records)),
        bar: vec![(share(n as f64, records as f64), Color::Wait)],
        address: Place::view("plan").address(),
        ..Tile::default()
    })
}

fn lost(input: &RuleInput, (kernels, recorded): (&[KernelSum], &Recorded)) -> Tile {
    if let Some(tile) = lost_of_buffers(input) {
        return tile;
    }
    let absent = super::records::absent(recorded);
    if 0 < absent.threads + absent.instructions {
        let runner = runner(kernels, recorded);
        let (value, comparison) = match absent.threads {
            0 => (
                thousands(absent.instructions).into(),
                message("instructions that the file announces have no record"),
            ),
            n => (
                message("{n} of {m}").with("n", thousands(n)).with("m", thousands(absent.of)),
                message("{threads} of the grid have no record").with_message("threads", runner.many),
            ),
        };
        return Tile {
            label: message("Records lost"),
            value,
            comparison,
            bar: vec![(share(absent.threads as f64, absent.of as f64), Color::Wait)],
            address: Place::view("report").address(),
            ..Tile::default()
        };
    }
    let blocks = || kernels.iter().flat_map(|kernel| &kernel.blocks);
    let (whole, part): (u64, u64) = blocks()
        .map(|block| (block.counts.executions, block.counts.incomplete))
        .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    if part == 0 && has_accesses_only(kernels, recorded) {
        return unknown(phrase("Records lost"), phrase("access records do not count lost ones"));
    }
    Tile {
        label: message("Records lost"),
        value: thousands(part).into(),
        amount: Some((part as f64, Unit::None)),
        comparison: match part {
            0 => message("all {all} executions have complete records").with("all", thousands(whole)),
            _ => message("executions lacking some, of {all}").with("all", thousands(whole)),
        },
        bar: vec![(share(part as f64, whole as f64), Color::Wait)],
        address: Place::view("trace").address(),
        ..Tile::default()
    }
}

fn parts(input: &RuleInput, kernels: &[KernelSum], recorded: &Recorded) -> Vec<Part> {
    let all = [
        by_opcode(kernels, recorded),
        by_block(input, kernels, recorded),
        by_kernel(kernels, recorded),
        by_launch(input, recorded),
    ];
    all.into_iter().filter(|part| !part.rows.is_empty()).collect()
}

/// What the shares are of.
fn of_all(kernels: &[KernelSum], recorded: &Recorded) -> Message {
    let words = if has_accesses_only(kernels, recorded) {
        message("of {n} recorded accesses")
    } else {
        message("of {n} executed instructions")
    };
    words.with("n", thousands(instructions(kernels)))
}

fn by_opcode(kernels: &[KernelSum], recorded: &Recorded) -> Part {
    let mut sums: Map<&str, u64> = Map::default();
    for one in placed(kernels, recorded) {
        *sums.entry(opcode(&one.instruction.text)).or_default() += one.sum.metrics.executions;
    }
    let mut sums: Vec<(&str, u64)> = sums.into_iter().filter(|(_, n)| 0 < *n).collect();
    order::sort_by_key(&mut sums, |(name, n)| (std::cmp::Reverse(*n), name.to_owned()));
    let whole = instructions(kernels) as f64;
    let row = |name: Message, n: u64, color: Color| PartRow {
        name,
        color: Some(color),
        share: share(n as f64, whole),
        cells: vec![thousands(n), percent(share(n as f64, whole))],
        amount: Some((n as f64, Unit::None)),
        address: Place::view("source").address(),
        ..PartRow::default()
    };
    let mut rows: Vec<PartRow> = (0_u8..)
        .zip(sums.iter().take(ROWS))
        .map(|(at, (name, n))| row((*name).to_owned().into(), *n, Color::Series(at)))
        .collect();
    let rest: u64 = sums.iter().skip(ROWS).map(|(_, n)| n).sum();
    if 0 < rest {
        rows.push(row(message("Other opcodes"), rest, Color::Plain));
    }
    Part { title: message("By opcode"), note: of_all(kernels, recorded), rows, ..Part::default() }
}

/// The hottest blocks; where each instruction is a block of its own, the hottest instructions.
fn by_block(input: &RuleInput, kernels: &[KernelSum], recorded: &Recorded) -> Part {
    let whole = instructions(kernels) as f64;
    let mut all = super::blocks(kernels, recorded);
    all.retain(|one| 0 < one.instructions);
    order::sort_by_key(&mut all, |one| std::cmp::Reverse(one.instructions));
    let is_single = all.iter().all(|one| one.block.len <= 1);
    let rows = all.iter().map(|one| PartRow {
        name: one.name(kernels),
        cells: vec![
            thousands(one.sum.counts.executions),
            thousands(one.instructions),
            fixed(share(one.instructions as f64, whole) * 100.0, 1),
        ],
        amount: Some((one.instructions as f64, Unit::None)),
        address: place_of(input.trace, Some(one.kernel), one.program, one.block.first).1,
        ..PartRow::default()
    });
    let own = Part {
        title: if is_single { message("Hottest instructions") } else { message("Hottest blocks") },
        note: of_all(kernels, recorded),
        columns: [phrase("Executions"), phrase("Instructions"), "%"].map(str::to_owned).to_vec(),
        measure: 1,
        list: Place::view("source").address(),
        ..Part::default()
    };
    own.with_rows(rows, (ROWS, all.len()))
}

fn by_kernel(kernels: &[KernelSum], recorded: &Recorded) -> Part {
    let whole = instructions(kernels) as f64;
    let mut all: Vec<&KernelSum> = kernels.iter().collect();
    order::sort_by_key(&mut all, |kernel| std::cmp::Reverse(of_kernel(kernel)));
    let longest = all.first().map_or(0, |kernel| of_kernel(kernel)) as f64;
    let rows = all.iter().map(|kernel| {
        let n = of_kernel(kernel);
        let (lanes, room) = lanes_of(kernel);
        let access = global(kernel, recorded);
        PartRow {
            name: kernel.name.clone().into(),
            bar: vec![(share(n as f64, longest), Color::Compute)],
            cells: vec![
                thousands(n),
                fixed(share(n as f64, whole) * 100.0, 1),
                lanes_cell(lanes, room, kernel.rows.iter().any(|row| 0 < row.metrics.of_block)),
                per_request(&access),
            ],
            amount: Some((n as f64, Unit::None)),
            address: kernel.launches.first().map_or_else(String::new, |row| launch_place(*row)),
            ..PartRow::default()
        }
    });
    let own = Part {
        title: message("Kernels"),
        note: of_all(kernels, recorded),
        columns: columns(),
        list: Place::view("trace").address(),
        ..Part::default()
    };
    own.with_rows(rows, (ROWS, all.len()))
}

fn columns() -> Vec<String> {
    [phrase("Instructions"), "%", phrase("Lanes"), phrase("Sectors per request")].map(str::to_owned).to_vec()
}

/// Active lanes of those that there are: an upper bound where they are of whole blocks.
fn lanes_cell(lanes: u64, room: u64, is_at_most: bool) -> String {
    match (room, percent(share(lanes as f64, room as f64))) {
        (0, _) => "–".to_owned(),
        (_, part) if is_at_most => format!("≤ {part}"),
        (_, part) => part,
    }
}

fn per_request(access: &AccessMetrics) -> String {
    match access.sectored() {
        n if 0 < n && 0 < access.sectors => fixed(access.sectors as f64 / n as f64, 2),
        _ => "–".to_owned(),
    }
}

fn launch_place(row: u32) -> String {
    Place::view("trace").state("launch", &row.to_string()).address()
}

fn by_launch(input: &RuleInput, recorded: &Recorded) -> Part {
    let Some(measured) = input.trace.extensions.get::<Measured>() else { return Part::default() };
    let mut all: Vec<_> = measured.launches.iter().map(|of| (of, of.totals())).collect();
    if all.len() < 2 {
        return Part::default();
    }
    let whole: u64 = all.iter().map(|(_, (n, ..))| n).sum();
    order::sort_by_key(&mut all, |(_, (n, ..))| std::cmp::Reverse(*n));
    let longest = all.first().map_or(0, |(_, (n, ..))| *n) as f64;
    let rows = all.iter().filter_map(|(of, (n, lanes, _))| {
        let launch = recorded.launches.get(of.launch as usize)?;
        let program = recorded.programs.get(launch.program as usize)?;
        let room = of.known() * u64::from(program.lanes.max(1));
        let access = super::super::metrics::global(program, of);
        let name = if program.name == launch.name {
            launch.name.clone().into()
        } else {
            message("{launch}: {kernel}").with("launch", &launch.name).with("kernel", &program.name)
        };
        Some(PartRow {
            name,
            bar: vec![(share(*n as f64, longest), Color::Compute)],
            cells: vec![
                thousands(*n),
                fixed(share(*n as f64, whole as f64) * 100.0, 1),
                lanes_cell(*lanes, room, of.instructions.iter().any(|of| 0 < of.of_block)),
                per_request(&access),
            ],
            amount: Some((*n as f64, Unit::None)),
            address: launch_place(of.launch),
            ..PartRow::default()
        })
    });
    let own = Part {
        title: message("Launches"),
        note: message("the ones with the most instructions"),
        columns: columns(),
        list: Place::view("trace").address(),
        ..Part::default()
    };
    own.with_rows(rows, (ROWS, all.len()))
}
