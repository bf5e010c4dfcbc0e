//! The figures of a trace with devices: how good its steps are, and where their time goes.

use super::{Scope, devices, steps_of};
use crate::analysis::device::class::is_fill;
use crate::analysis::device::idle::Reason;
use crate::analysis::device::{Class, Device, KernelSum, Step};
use crate::analysis::finding::{Color, Part, PartRow, Tile, share};
use crate::base::map::Map;
use crate::base::names::joined;
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::order::{self, percentile};
use crate::base::time::{Ticks, Total};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{at_slice, percent};
use crate::findings::{RuleInput, Summary};
use crate::model::Trace;
use crate::model::id::SliceId;

/// Rows of a part.
const ROWS: usize = 7;
/// The part of what a device does that is told where it lies outside of its steps.
const AROUND: f64 = 0.01;
/// Steps from which 5 % on each side are at least two steps.
const SPREAD: usize = 40;

/// A part of a step.
type OfStep = fn(&Step) -> Ticks;

/// What a trace with devices is.
#[allow(clippy::too_many_lines)] // one tile or part after the other
pub fn summary(input: &RuleInput) -> Option<Summary> {
    let device = devices(input)?;
    let scope = Scope::first(device)?;
    let several = several(device, &scope);
    // Where some devices have no steps, shares of all are from the first to the last work.
    let have_steps = have_steps(device);
    let base = if have_steps { Scope::of(device, scope.rank) } else { Scope::recorded(device, scope.rank) }?;
    let most = |of: OfStep| {
        let step = scope.most_in(device, of).map(|step| super::step_name(input, step));
        step.map_or(Message::default(), |step| message(", most in {step}").with_message("step", step))
    };
    let both = |said: Message, part: Ticks, n: Ticks| {
        said.with("part", input.brief(part / n)).with("whole", input.brief(base.whole / n))
    };
    let n_devices = device.ranks.len();
    let tile = |label: &'static str, (sum, of): (fn(&Scope) -> Ticks, OfStep), color: Color| {
        let ticks = sum(&base);
        let (part, said) = match base.n {
            _ if 1 < n_devices => of_all(input, device, sum),
            0 => (base.share(ticks), both(message("{part} of {whole}"), ticks, 1)),
            n if base.is_uneven => {
                let said = both(message("{part} of {whole} in {n} steps{most}"), ticks, 1);
                (base.share(ticks), said.with("n", n).with_message("most", most(of)))
            }
            n => (base.share(ticks), both(message("{part} of {whole} per step"), ticks, n as Ticks)),
        };
        Tile {
            label: label.into(),
            value: percent(part).into(),
            amount: Some((part, Unit::Share)),
            comparison: said,
            of: match n_devices {
                0 | 1 => Message::default(),
                n => message("mean of {n} devices").with("n", n),
            },
            bar: vec![(part, color)],
            address: Place::view("timeline").address(),
            ..Tile::default()
        }
    };
    let mut tiles = vec![
        first(input, device, &scope, several),
        tile(phrase("Device computes"), (|scope| scope.compute, |step| step.compute), Color::Compute),
        tile(
            phrase("Communication not hidden"),
            (|scope| scope.communication, |step| step.communication),
            Color::Communication,
        ),
        tile(phrase("Device idle"), (|scope| scope.idle(), |step| step.idle), Color::Idle),
    ];
    tiles.push(memory(device).unwrap_or_else(|| {
        tile(phrase("Copies not hidden"), (|scope| scope.copies, |step| step.copies), Color::Copy)
    }));
    // Of several devices one has to see first how they differ: where there is little room the last one is left out.
    let mut parts = [
        by_device(device),
        goes(input, device, &scope),
        hottest(input, device),
        by_step(input, device, &scope),
    ];
    // One device stands for several, means and sums are of all: beside another number of devices neither is a change.
    let n = n_devices;
    let of_one = match n {
        0 | 1 => message("the only device"),
        n => message("{name}, one of {n} devices").with("name", &scope.of.name).with("n", n),
    };
    for tile in &mut tiles {
        tile.says_of = 1 < n;
        if tile.of.is_empty() {
            tile.of = of_one.clone();
        }
    }
    let [_, goes, hottest, by_step] = &mut parts;
    (goes.of, by_step.of) = (of_one.clone(), of_one);
    hottest.of = message("{n} devices").with("n", n);
    Some(Summary { tiles, parts: parts.into_iter().filter(|part| !part.rows.is_empty()).collect() })
}

/// The device with the most memory in use.
fn memory(device: &Device) -> Option<Tile> {
    let peak = device.peaks.iter().max_by_key(|peak| peak.bytes)?;
    let of = match device.ranks.len() {
        0 | 1 => Message::default(),
        n => message("the most of {n} devices").with("n", n),
    };
    Some(Tile {
        of,
        label: message("Peak memory"),
        value: with_unit(peak.bytes as f64, &Unit::Bytes).into(),
        amount: Some((peak.bytes as f64, Unit::Bytes)),
        comparison: peak.name.clone().into(),
        ..Tile::default()
    })
}

/// What all devices spend on something of their time together, and how far they lie apart.
fn of_all(input: &RuleInput, device: &Device, of: fn(&Scope) -> Ticks) -> (f64, Message) {
    let scopes: Vec<Scope> = on_one_base(device).collect();
    let part: Ticks = scopes.iter().map(of).total();
    let whole: Ticks = scopes.iter().map(|scope| scope.whole).total();
    let shares = || scopes.iter().map(|scope| scope.share(of(scope)));
    let ends = [f64::min, f64::max].map(|pick| percent(shares().reduce(pick).unwrap_or(0.0)));
    let range = if ends[0] == ends[1] {
        Message::default()
    } else {
        message("; {low} to {high} by device").with("low", &ends[0]).with("high", &ends[1])
    };
    let said = if have_steps(device) {
        message("{part} of {whole} in the steps of {n} devices{range}")
    } else {
        message("{part} of {whole} on {n} devices{range}")
    };
    let said = said.with("part", input.brief(part)).with("whole", input.brief(whole));
    (share(part as f64, whole as f64), said.with("n", scopes.len()).with_message("range", range))
}

/// The device that stands for all, behind what is said of it; nothing where there is only one.
fn several(device: &Device, scope: &Scope) -> Message {
    match device.ranks.len() {
        0 | 1 => Message::default(),
        _ => message(", {name}").with("name", &scope.of.name),
    }
}

/// The figure that says how long it takes.
fn first(input: &RuleInput, device: &Device, scope: &Scope, several: Message) -> Tile {
    let classes = vec![
        (scope.share(scope.compute), Color::Compute),
        (scope.share(scope.communication), Color::Communication),
        (scope.share(scope.copies), Color::Copy),
        (scope.share(scope.late()), Color::Wait),
    ];
    let mut walls = steps_of(device, scope.rank);
    walls.sort_unstable();
    if scope.n == 0 || walls.is_empty() {
        return Tile {
            label: message("First to last kernel"),
            value: input.brief(scope.whole).into(),
            comparison: works_said(input.trace, device, scope.rank).with_message("of", several),
            bar: classes,
            address: Place::view("timeline").address(),
            amount: Some(input.time(scope.whole)),
            ..Tile::default()
        };
    }
    let median = percentile(&walls, 50);
    // Of few steps percentiles lie between two of them: the shortest and the longest were there.
    let (said, [low, high]) = if walls.len() < SPREAD {
        let ends = [walls.first(), walls.last()].map(|wall| wall.copied().unwrap_or(0));
        (message("median of {n}, {low} to {high}{of}"), ends)
    } else {
        let ends = [5, 95].map(|at| percentile(&walls, at).round() as Ticks);
        (message("median of {n}, 90 % in {low} to {high}{of}"), ends)
    };
    let said = if walls.len() == 1 { message("the only step{of}") } else { said };
    let comparison = said
        .with("n", walls.len())
        .with("low", input.brief(low))
        .with("high", input.brief(high))
        .with_message("of", several);
    let comparison = match outside(device, scope.rank).map(busy) {
        Some(time) if AROUND * (scope.idle.busy + time) as f64 <= time as f64 => {
            message("{said}; {time} busy outside steps")
                .with_message("said", comparison)
                .with("time", input.brief(time))
        }
        _ => comparison,
    };
    // First, since a narrow tile cuts the end.
    let comparison = match scope.of.taken.lag {
        Some(lag) if 0 < lag => message("on the device, {time} behind the host; {said}")
            .with_message("said", comparison)
            .with("time", input.brief(lag)),
        Some(_) => message("on the device; {said}").with_message("said", comparison),
        None => comparison,
    };
    Tile {
        label: message("Step time"),
        value: input.brief(median.round() as Ticks).into(),
        comparison,
        bar: classes,
        address: Place::view("statistics").address(),
        amount: Some(input.time(median.round() as Ticks)),
        ..Tile::default()
    }
}

/// How many kernels and copies a device has, and how often it fills memory; waits are none of these, and parts of a
/// communication count with it.
fn works_said(trace: &Trace, device: &Device, rank: usize) -> Message {
    let own = device.streams.iter().filter(|stream| stream.rank as usize == rank);
    let works = own.flat_map(|stream| device.works.get(stream.works.clone()).unwrap_or_default());
    let (mut kernels, mut copies, mut fills) = (0, 0, 0);
    for work in works.filter(|work| !work.is_part) {
        match work.class {
            Class::Compute | Class::Communication => kernels += 1,
            Class::Copy if is_fill(trace, work.slice) => fills += 1,
            Class::Copy => copies += 1,
            Class::Wait => {}
        }
    }
    let said = match (copies, fills) {
        (0, 0) => message("{n} kernels{of}"),
        (_, 0) => message("{n} kernels, {m} copies{of}"),
        (0, _) => message("{n} kernels, {k} memsets{of}"),
        _ => message("{n} kernels, {m} copies, {k} memsets{of}"),
    };
    said.with("n", thousands(kernels)).with("m", thousands(copies)).with("k", thousands(fills))
}

fn goes(input: &RuleInput, device: &Device, scope: &Scope) -> Part {
    let row = |name: &'static str, ticks: Ticks, color: Color| PartRow {
        name: name.into(),
        color: Some(color),
        share: scope.share(ticks),
        cells: vec![input.duration(ticks / scope.per() as Ticks), percent(scope.share(ticks))],
        amount: Some({
            let (time, unit) = input.time(ticks);
            (time / scope.per() as f64, unit)
        }),
        ..PartRow::default()
    };
    let idle = [
        (phrase("Launched late"), Reason::Late, Color::Wait),
        (phrase("Inside the launch call"), Reason::InCall, Color::Series(2)),
        (phrase("Inside a copy call"), Reason::InCopy, Color::Series(9)),
        (phrase("Inside a memory-set call"), Reason::InFill, Color::Series(10)),
        (phrase("Idle during data loading"), Reason::Loading, Color::Series(1)),
        (phrase("Idle during host synchronization"), Reason::Synchronizing, Color::Series(7)),
        (phrase("Idle during memory calls"), Reason::Allocating, Color::Series(8)),
    ];
    let idle = idle.map(|(name, reason, color)| (name, scope.reason(reason), color));
    let known: Ticks = idle.iter().map(|of| of.1).total();
    let mut rows = vec![
        row(phrase("Computation"), scope.compute, Color::Compute),
        row(phrase("Communication"), scope.communication, Color::Communication),
        row(phrase("Copies"), scope.copies, Color::Copy),
    ];
    rows.extend(idle.into_iter().filter(|of| 0 < of.1).map(|(name, ticks, color)| row(name, ticks, color)));
    let other = (scope.idle() - known).max(0);
    rows.push(row(phrase("Other idle time"), other, Color::Idle));
    let (title, note) = match scope.n {
        0 => (
            message("Where the time goes"),
            message("of {whole} from the first to the last kernel{of}")
                .with("whole", input.duration(scope.whole)),
        ),
        n if scope.is_uneven => (
            message("Breakdown of all steps"),
            message("of {whole} in {n} steps{of}").with("whole", input.duration(scope.whole)).with("n", n),
        ),
        n => (
            message("Breakdown of a step"),
            message("of {whole}, mean of {n}{of}")
                .with("whole", input.duration(scope.whole / n as Ticks))
                .with("n", n),
        ),
    };
    let note = note.with_message("of", several(device, scope));
    Part { title, note, rows, ..Part::default() }
}

/// Kernels of one name: those that differ in a number at its end are one, as wherever two profiles are compared.
struct Kernels {
    name: String,
    class: Class,
    n: u64,
    total: i128,
    longest: (Ticks, SliceId),
}

/// The kernels by name, those that take longest first.
fn kernels(trace: &Trace, device: &Device) -> Vec<Kernels> {
    let mut kernels: Vec<Kernels> = Vec::new();
    let mut places: Map<(String, Class), usize> = Map::default();
    for KernelSum { name, class, n, total, max, longest, .. } in
        device.kernels.iter().filter(|sum| sum.is_work())
    {
        let name = joined(trace.strings.get(*name)).into_owned();
        let at = *places.entry((name.clone(), *class)).or_insert(kernels.len());
        if at == kernels.len() {
            kernels.push(Kernels { name, class: *class, n: 0, total: 0, longest: (*max, *longest) });
        }
        if let Some(sum) = kernels.get_mut(at) {
            (sum.n, sum.total) = (sum.n + n, sum.total + total);
            if sum.longest.0 < *max {
                sum.longest = (*max, *longest);
            }
        }
    }
    order::sort_by(&mut kernels, |a, b| b.total.cmp(&a.total).then_with(|| a.name.cmp(&b.name)));
    kernels
}

/// Rows that comparisons find besides: more names than these are seldom, and would be a long step.
const BEYOND: usize = 2_000;

fn hottest(input: &RuleInput, device: &Device) -> Part {
    let kernels = kernels(input.trace, device);
    let all: i128 = kernels.iter().map(|sum| sum.total).sum();
    let row = |sum: &Kernels| PartRow {
        name: sum.name.clone().into(),
        cells: vec![
            thousands(sum.n),
            input.duration(i64::try_from(sum.total).unwrap_or(i64::MAX)),
            fixed(sum.total as f64 * 100.0 / all.max(1) as f64, 1),
        ],
        amount: Some(input.time(sum.total)),
        calls: sum.n,
        ..PartRow::default()
    };
    let rows = kernels.iter().take(ROWS);
    let rows = rows.map(|sum| PartRow { address: at_slice(input, sum.longest.1), ..row(sum) });
    let is_several = 1 < device.ranks.len();
    let note = match (kernels.iter().all(|sum| sum.class == Class::Compute), is_several) {
        (true, false) => message("{n} names, all streams"),
        (true, true) => message("{n} names, all devices"),
        (false, false) => message("{n} names, all streams, including communication and copies"),
        (false, true) => message("{n} names, all devices, with communication and copies"),
    };
    Part {
        title: message("Hottest kernels"),
        note: note.with("n", thousands(kernels.len() as u64)),
        steps: device.steps.iter().filter(|step| step.slice.is_some()).count() as u64,
        columns: [phrase("Count"), phrase("Total"), "%"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
        measure: 1,
        more: kernels.len().saturating_sub(ROWS) as u64,
        beyond: kernels.iter().skip(ROWS).take(BEYOND).map(row).collect(),
        is_all: kernels.len() <= ROWS + BEYOND,
        list: Place::view("statistics").state("by", "kernels").address(),
        ..Part::default()
    }
}

/// What a device does outside of its steps.
fn outside(device: &Device, rank: usize) -> Option<&Step> {
    device.steps.iter().find(|step| step.rank as usize == rank && step.slice.is_none())
}

/// How long something of a step lasts on the device.
fn busy(step: &Step) -> Ticks {
    step.compute + step.communication + step.copies
}

fn by_step(input: &RuleInput, device: &Device, scope: &Scope) -> Part {
    let trace = input.trace;
    let own = device.steps.iter().filter(|step| step.rank as usize == scope.rank && step.slice.is_some());
    let steps: Vec<_> = own.collect();
    let outside = outside(device, scope.rank);
    let most = steps.iter().map(|step| step.wall).max().unwrap_or(0);
    let name = |step: &Step| -> Message {
        let name = step.slice.map(|slice| super::name_id(input, slice));
        name.map_or("", |name| trace.strings.get(name)).to_owned().into()
    };
    let bar = |step: &Step, idle: Ticks, longest: Ticks| {
        let bar = [
            (step.compute, Color::Compute),
            (step.communication, Color::Communication),
            (step.copies, Color::Copy),
            (idle, Color::Idle),
        ];
        bar.map(|(ticks, color)| (share(ticks as f64, longest as f64), color)).to_vec()
    };
    // The first ones, and the longest.
    let room = ROWS - usize::from(outside.is_some());
    let at = steps.iter().position(|step| step.wall == most).unwrap_or(0);
    let (shown, beyond): (Vec<_>, Vec<_>) = steps
        .iter()
        .enumerate()
        .partition(|(place, _)| if at < room { *place < room } else { *place + 1 < room || *place == at });
    let rows = shown.iter().filter_map(|(_, step)| {
        let slice = step.slice?;
        Some(PartRow {
            name: name(step),
            bar: bar(step, step.idle, most),
            cells: vec![input.duration(step.wall)],
            amount: Some(input.time(step.wall)),
            address: Place::view("timeline").around(step.span).slice(trace, slice).address(),
            ..PartRow::default()
        })
    });
    let last = outside.map(|step| PartRow {
        name: message("Busy outside steps"),
        bar: bar(step, 0, most.max(busy(step))),
        cells: vec![input.duration(busy(step))],
        address: Place::view("timeline").around(step.span).address(),
        ..PartRow::default()
    });
    let rows: Vec<PartRow> = rows.chain(last).collect();
    let more = beyond.len() as u64;
    let beyond = beyond.into_iter().map(|(_, step)| PartRow {
        name: name(step),
        cells: vec![input.duration(step.wall)],
        amount: Some(input.time(step.wall)),
        ..PartRow::default()
    });
    Part {
        title: message("Steps"),
        note: message("{n} steps{of}").with("n", steps.len()).with_message("of", several(device, scope)),
        rows,
        more,
        beyond: beyond.collect(),
        is_all: true,
        list: Place::view("statistics").address(),
        ..Part::default()
    }
}

/// Whether all devices have steps.
fn have_steps(device: &Device) -> bool {
    Scope::all(device).all(|scope| 0 < scope.n)
}

/// The devices, all by their steps; where some have none, each from its first to its last work.
fn on_one_base(device: &Device) -> impl Iterator<Item = Scope<'_>> {
    let have_steps = have_steps(device);
    (0..device.ranks.len()).filter_map(move |rank| {
        if have_steps { Scope::of(device, rank) } else { Scope::recorded(device, rank) }
    })
}

/// The devices beside each other.
fn by_device(device: &Device) -> Part {
    let (have_steps, scopes) = (have_steps(device), on_one_base(device));
    let row = |scope: Scope| {
        let part = |ticks: Ticks| scope.share(ticks);
        let late = scope.late();
        let busy = part(scope.compute + scope.communication + scope.copies);
        PartRow {
            name: scope.of.name.clone().into(),
            bar: vec![
                (part(scope.compute), Color::Compute),
                (part(scope.communication), Color::Communication),
                (part(scope.copies), Color::Copy),
                (part(late), Color::Wait),
                (part((scope.idle() - late).max(0)), Color::Idle),
            ],
            cells: vec![percent(busy)],
            amount: Some((busy, Unit::Share)),
            ..PartRow::default()
        }
    };
    let (rows, beyond): (Vec<_>, Vec<_>) =
        scopes.enumerate().map(|(at, scope)| (at, row(scope))).partition(|(at, _)| *at < ROWS);
    let rows_of = |all: Vec<(usize, PartRow)>| all.into_iter().map(|(_, row)| row).collect();
    Part {
        title: message("Devices"),
        note: if have_steps {
            message("busy time")
        } else {
            message("busy from the first to the last kernel")
        },
        rows: if device.ranks.len() < 2 { Vec::new() } else { rows_of(rows) },
        beyond: rows_of(beyond),
        is_all: true,
        more: device.ranks.len().saturating_sub(ROWS) as u64,
        list: Place::view("statistics").address(),
        ..Part::default()
    }
}
