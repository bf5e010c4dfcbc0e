//! kernels-csv, operators-device-csv, steps-csv, idle-csv, modules-csv and others: host and device as numbers. Times in nanoseconds; of clocks
//! without a rate in their own unit, which the heads say.

use super::parts::after_job;
use super::sums::{TIME, stretch};
use super::{ExportInput, Parts};
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::{
    self, Device, LAUNCH_ARGS, MemoryUse, OUTSIDE, Operator, Options, StreamWork, Sums, Tree, Work, class,
    find_out, idle, launch_arg,
};
use crate::base::job::Job;
use crate::base::order;
use crate::base::sort::sorted;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::export::Export;
use crate::export::parts::{rows_by, rows_in_parts};
use crate::format::{SliceBytes, SliceDetail};
use crate::model::Trace;
use crate::model::id::TrackId;
use crate::model::parameter::{Parameter, ParameterKind};
use std::io::Result;
use std::rc::Rc;

/// The other definition of idle time.
const CLASSES: &str = "classes";

static DEFINITION: Parameter = Parameter {
    id: "idle",
    title: phrase("Idle time"),
    help: phrase("each gap by its reasons, or in three classes as in other tools"),
    kind: ParameterKind::Choice(&[("reasons", phrase("By reason")), (CLASSES, phrase("Three classes"))]),
    rereads: false,
};

static SHORT: Parameter = Parameter {
    id: "idle-short",
    title: phrase("Short gap"),
    help: phrase("gaps up to this long are between back-to-back kernels"),
    kind: nanos(device::SHORT),
    rereads: false,
};

static LOADING: Parameter = Parameter {
    id: "idle-loading",
    title: phrase("Minimum gap for data loading"),
    help: phrase("shorter gaps are not attributed to data loading"),
    kind: nanos(device::LOADING),
    rereads: false,
};

static DELAY: Parameter = Parameter {
    id: "idle-delay",
    title: phrase("Limit of kernel wait"),
    help: phrase("shorter gaps count as kernel wait in the three classes"),
    kind: nanos(device::DELAY),
    rereads: false,
};

static STEP: Parameter = Parameter {
    id: "step-name",
    title: phrase("Step name"),
    help: phrase("slices with this name are the steps; a trailing * matches any ending"),
    kind: ParameterKind::Text,
    rereads: false,
};

static COMMUNICATION: Parameter = Parameter {
    id: "communication-names",
    title: phrase("Additional communication names"),
    help: phrase("text in the names of additional communication kernels, separated by commas"),
    kind: ParameterKind::Text,
    rereads: false,
};

const fn nanos(default: f64) -> ParameterKind {
    ParameterKind::Number { unit: Unit::Nanos, min: 0.0, max: 1e12, default, none: "" }
}

fn options(input: &ExportInput) -> Result<Options> {
    let values = input.values;
    let number = |parameter: &Parameter, default| values.number(parameter.id).unwrap_or(default);
    Ok(Options {
        span: stretch(input)?,
        step: values.text(STEP.id).unwrap_or_default().to_owned(),
        communication: values.text(COMMUNICATION.id).unwrap_or_default().to_owned(),
        short: number(&SHORT, device::SHORT),
        loading: number(&LOADING, device::LOADING),
        delay: number(&DELAY, device::DELAY),
    })
}

/// Whether there are streams: costs the tracks.
fn can(input: &ExportInput) -> bool {
    class::has_streams(input.trace)
}

/// Finds out all of it, then writes what `then` makes of it.
fn found(input: &ExportInput, then: impl FnOnce(Device, &ExportInput) -> Parts + 'static) -> Result<Parts> {
    let (trace, timeline) = (Rc::clone(input.trace), input.derived.timeline.snapshot());
    let options = options(input)?;
    let device = Job::new(async move |turn| find_out(&trace, &timeline, &options, &turn).await);
    Ok(after_job(device, then))
}

/// Heads of columns: those that end with `_` are times.
fn head(trace: &Trace, names: &[&str]) -> Vec<String> {
    let unit = if trace.clock.nanos().is_some() { "ns" } else { trace.clock.symbol() };
    let name = |name: &&str| if name.ends_with('_') { format!("{name}{unit}") } else { (*name).to_owned() };
    names.iter().map(name).collect()
}

/// A time as the heads say.
fn time(trace: &Trace, ticks: impl Into<i128>) -> String {
    let (ticks, tick) = (ticks.into(), trace.clock.nanos().unwrap_or(1.0));
    // Whole nanoseconds stay exact, however many.
    if (tick - 1.0).abs() < f64::EPSILON { ticks.to_string() } else { (ticks as f64 * tick).to_string() }
}

/// A time of a track without the offset that it is shown with.
pub(super) fn recorded(input: &ExportInput, track: TrackId, time: Ticks) -> Ticks {
    time.saturating_sub(input.derived.timeline.shift_of(track))
}

fn time_or_none(trace: &Trace, ticks: Option<Ticks>) -> String {
    ticks.map_or(String::new(), |ticks| time(trace, ticks))
}

// modules-csv and stacks-csv: a row for each path from the top down, most host time first; operators-memory-csv: a row for
// each operator and device.

/// Modules inside of modules.
pub(in crate::export) static MODULES_CSV: Export = Export {
    id: "modules-csv",
    title: phrase("Module tree as CSV"),
    suffix: "modules.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&TIME],
    can: |input| class::has_functions(input.trace),
    write: |input, _| found(input, |device, input| tree(device.modules, input)),
};

/// Functions inside of functions.
pub(in crate::export) static STACKS_CSV: Export = Export {
    id: "stacks-csv",
    title: phrase("Function tree as CSV"),
    suffix: "stacks.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&TIME],
    can: |input| class::has_functions(input.trace),
    write: |input, _| found(input, |device, input| tree(device.stacks, input)),
};

/// What operators allocate.
pub(in crate::export) static OPERATORS_MEMORY_CSV: Export = Export {
    id: "operators-memory-csv",
    title: phrase("Memory by operator as CSV"),
    suffix: "operators-memory.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&TIME],
    can: |input| !input.trace.allocations.is_empty(),
    write: |input, _| found(input, memory),
};

fn tree(of: Tree, input: &ExportInput) -> Parts {
    let listed = of.listed(|_| true, None);
    let times = ["host_total_", "host_self_", "device_total_", "device_self_"];
    let names: Vec<&str> = ["depth", "name", "calls"].into_iter().chain(times).chain(LAUNCHED).collect();
    rows_in_parts(head(input.trace, &names), listed.len(), move |input, n| {
        let found = listed.get(n).and_then(|at| of.rows.get(*at as usize));
        let Some(row) = found else { return Vec::new() };
        let name = input.trace.strings.get(row.name).to_owned();
        let mut cells = vec![row.depth.to_string(), name, row.calls.to_string()];
        let times = [row.host_total, row.host_own, row.device_total, row.device_own];
        cells.extend(times.map(|ticks| time(input.trace, ticks)));
        cells.extend(launched(row));
        cells
    })
}

fn memory(of: Device, input: &ExportInput) -> Parts {
    let name = |row: &MemoryUse| input.trace.strings.get(row.name);
    let order = order::sequence(of.memory.len(), &|a, b| {
        let [a, b] = [a, b].map(|at| &of.memory[at]);
        let by = |row: &MemoryUse| (row.own.allocated, row.own.freed);
        let named = || name(a).cmp(name(b));
        a.device.cmp(&b.device).then_with(|| by(b).cmp(&by(a))).then_with(named)
    });
    let sums = ["allocations", "allocated_bytes", "freed_bytes", "net_bytes"];
    let own = sums.map(|name| format!("self_{name}"));
    let names = ["operator", "device"].map(str::to_owned).into_iter();
    let head = names.chain(sums.map(str::to_owned)).chain(own).chain(["device_peak_bytes".to_owned()]);
    rows_in_parts(head.collect(), order.len(), move |input, n| {
        let found = order.get(n).and_then(|at| of.memory.get(*at as usize));
        let Some(row) = found else { return Vec::new() };
        let peak = of.peaks.get(row.device as usize);
        let mut cells = vec![
            input.trace.strings.get(row.name).to_owned(),
            peak.map_or(String::new(), |peak| peak.name.clone()),
        ];
        let sums = |sums: &Sums| {
            [sums.n.to_string(), sums.allocated.to_string(), sums.freed.to_string(), sums.net().to_string()]
        };
        cells.extend(sums(&row.total));
        cells.extend(sums(&row.own));
        cells.push(peak.map_or(String::new(), |peak| peak.bytes.to_string()));
        cells
    })
}

// kernels-csv: each slice of each stream with what its bytes say, in the order of the file, so that these are read once
// from begin to end.

/// Kernels, copies and waiting of all streams.
pub(in crate::export) static KERNELS_CSV: Export = Export {
    id: "kernels-csv",
    title: phrase("Kernels as CSV"),
    suffix: "kernels.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&COMMUNICATION, &TIME],
    can,
    write: |input, _| found(input, by_place),
};

/// Rows of a part: each reads and parses some hundred bytes.
const ROWS: usize = 256;
/// Most bytes that are read of one.
const MAX_BYTES: u64 = 1 << 16;

const HEAD: [&str; 20] = [
    "name",
    "class",
    "category",
    "device",
    "stream",
    "start_",
    "duration_",
    "grid",
    "block",
    "registers_per_thread",
    "shared_memory",
    "occupancy_percent",
    "blocks_per_sm",
    "warps_per_sm",
    "bytes",
    "operator",
    "launch",
    "launch_start_",
    "launch_latency_",
    "queue_length",
];

/// Rows by the place of their bytes.
fn by_place(device: Device, input: &ExportInput) -> Parts {
    let place = |(at, work): (u32, &Work)| {
        let track = input.trace.tracks.find(work.slice.track)?;
        let begin = track.slices.detail(work.slice.row as usize).start;
        device.span.touches(work.span).then_some((track.entry, begin, at))
    };
    let places = (0..).zip(&device.works).filter_map(place).collect();
    let sorting = Job::new(async move |turn| sorted(places, &turn).await);
    after_job(sorting, move |places: Vec<(u32, u64, u32)>, input| {
        rows_by(ROWS, head(input.trace, &HEAD), places.len(), move |input, n| {
            let work = places.get(n).and_then(|(.., at)| device.works.get(*at as usize));
            work.map_or_else(Vec::new, |work| cells(input, &device, work))
        })
    })
}

fn cells(input: &ExportInput, device: &Device, work: &Work) -> Vec<String> {
    let trace = input.trace;
    let Some(track) = trace.tracks.find(work.slice.track) else { return Vec::new() };
    let text = |id| trace.strings.get(id).to_owned();
    let row = work.slice.row as usize;
    let slices = &track.slices;
    let args = detail(input, work).args;
    // The columns from `grid` to `bytes`.
    let arg = |at: usize| launch_arg(&args, at).unwrap_or_default().to_owned();
    let launch = work.launch.and_then(|launch| {
        let slices = &trace.tracks.find(launch.track)?.slices;
        slices.name.get(launch.row? as usize).map(|name| text(*name))
    });
    let mut cells = vec![
        slices.name.get(row).map_or(String::new(), |name| text(*name)),
        class_id(work.class).to_owned(),
        text(slices.category_of(row)),
        rank_name(device, work.stream),
        stream_name(trace, device, work.stream),
        time(trace, recorded(input, work.slice.track, work.span.start)),
        time(trace, work.span.dur()),
    ];
    cells.extend((0..LAUNCH_ARGS.len()).map(arg));
    cells.push(text(work.operator));
    cells.push(launch.unwrap_or_default());
    cells.push(time_or_none(trace, work.launch.map(|launch| recorded(input, launch.track, launch.time))));
    cells.push(time_or_none(trace, work.latency()));
    cells.push(if work.launch.is_some() { work.queue.to_string() } else { String::new() });
    cells
}

/// What the bytes of a slice say.
fn detail(input: &ExportInput, work: &Work) -> SliceDetail {
    let Some(track) = input.trace.tracks.find(work.slice.track) else { return SliceDetail::default() };
    let range = track.slices.detail(work.slice.row as usize);
    let Some(reader) = input.formats.iter().find_map(|format| format.slices) else {
        return SliceDetail::default();
    };
    let end = range.end.min(range.start.saturating_add(MAX_BYTES));
    let bytes = input.bytes(track.entry, range.start..end);
    let read = |range| input.bytes(track.entry, range);
    let place = (track.entry, range.start);
    (reader.detail)(&SliceBytes { bytes: &bytes, place, trace: input.trace, read: &read })
}

// Sums of host and device: a row for each operator, step, and reason of each stream.

/// Operators with the time of what they launched, most time of their own kernels first.
pub(in crate::export) static OPERATORS_DEVICE_CSV: Export = Export {
    id: "operators-device-csv",
    title: phrase("Operators with device time as CSV"),
    suffix: "operators-device.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&TIME],
    can,
    write: |input, _| found(input, |device, input| operators(device.operators, input)),
};

/// What steps are made of.
pub(in crate::export) static STEPS_CSV: Export = Export {
    id: "steps-csv",
    title: phrase("Steps as CSV"),
    suffix: "steps.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&STEP, &COMMUNICATION, &TIME],
    can,
    write: |input, _| found(input, steps),
};

/// Idle time of streams by reason, or in three classes.
pub(in crate::export) static IDLE_CSV: Export = Export {
    id: "idle-csv",
    title: phrase("Idle time of streams as CSV"),
    suffix: "idle.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&DEFINITION, &SHORT, &LOADING, &DELAY, &COMMUNICATION, &TIME],
    can,
    write: |input, _| {
        let is_classes = input.values.text(DEFINITION.id) == Some(CLASSES);
        found(input, move |device, input| idle_rows(device, input, is_classes))
    },
};

/// The same by function and module.
pub(in crate::export) static FUNCTIONS_DEVICE_CSV: Export = Export {
    id: "functions-device-csv",
    title: phrase("Functions with device time as CSV"),
    suffix: "functions-device.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&TIME],
    can,
    write: |input, _| found(input, |device, input| operators(device.functions, input)),
};

fn operators(of: Vec<Operator>, input: &ExportInput) -> Parts {
    let name = |operator: &Operator| input.trace.strings.get(operator.name);
    let at = order::sequence(of.len(), &|a, b| {
        let [a, b] = [a, b].map(|at| &of[at]);
        let by = |operator: &Operator| (operator.device_own, operator.device_total, operator.host_own);
        by(b).cmp(&by(a)).then_with(|| name(a).cmp(name(b)))
    });
    let names = ["name", "calls", "host_total_", "host_self_", "device_total_", "device_self_"];
    let names: Vec<&str> = names.into_iter().chain(LAUNCHED).chain(["outermost"]).collect();
    rows_in_parts(head(input.trace, &names), at.len(), move |input, n| {
        let found = at.get(n).and_then(|at| of.get(*at as usize));
        let Some(row) = found else { return Vec::new() };
        let times = [row.host_total, row.host_own, row.device_total, row.device_own];
        let mut cells = vec![input.trace.strings.get(row.name).to_owned(), row.calls.to_string()];
        cells.extend(times.map(|ticks| time(input.trace, ticks)));
        cells.extend(launched(row));
        cells.push(row.outermost.to_string());
        cells
    })
}

/// Heads of how many kernels and copies were launched: by the calls themselves, and with those of what is nested in them.
const LAUNCHED: [&str; 2] = ["kernels_self", "kernels_total"];

/// The cells below these heads.
fn launched(row: &Operator) -> [String; 2] {
    [row.launched, row.launched_total].map(|n| n.to_string())
}

fn steps(device: Device, input: &ExportInput) -> Parts {
    let times = ["start_", "wall_", "compute_", "communication_", "copies_", "idle_", "host_"];
    let names: Vec<&str> = ["step"].into_iter().chain(times).chain(["device"]).collect();
    rows_in_parts(head(input.trace, &names), device.steps.len(), move |input, n| {
        let Some(step) = device.steps.get(n) else { return Vec::new() };
        let event = step.slice.and_then(|slice| input.trace.event(slice));
        let name = event.map_or(OUTSIDE, |event| input.trace.strings.get(event.name));
        let stream = device.streams.iter().find(|stream| stream.rank == step.rank);
        let start = stream.map_or(step.span.start, |stream| recorded(input, stream.track, step.span.start));
        let times = [start, step.wall, step.compute, step.communication, step.copies, step.idle, step.host];
        let times = times.into_iter().map(|ticks| time(input.trace, ticks));
        let rank = device.ranks.get(step.rank as usize).map_or(String::new(), |rank| rank.name.clone());
        std::iter::once(name.to_owned()).chain(times).chain([rank]).collect()
    })
}

fn idle_rows(device: Device, input: &ExportInput, is_classes: bool) -> Parts {
    let trace = input.trace;
    let of_stream = |(at, stream): (u32, &StreamWork)| {
        let idle = &stream.idle;
        let (sum, rows): (_, Vec<_>) = if is_classes {
            let classes = idle::CLASSES.iter().zip(idle.classes).zip(idle.of_class);
            let rows = classes.filter(|(_, n)| 0 < *n).map(|(((id, _), ticks), _)| (*id, ticks));
            (idle.classes.iter().sum(), rows.collect())
        } else {
            let reasons = idle::TITLES.iter().zip(idle.reasons).map(|((id, _), ticks)| (*id, ticks));
            (idle.time(), std::iter::once(("busy", idle.busy)).chain(reasons).collect())
        };
        let places = [rank_name(&device, at), stream_name(trace, &device, at)];
        let definition = if is_classes { Dialect::of(trace).classes.id } else { "reasons" };
        let cells = rows.into_iter().map(move |(id, ticks)| {
            let share = if sum == 0 { 0.0 } else { ticks as f64 / sum as f64 };
            let own = [definition.to_owned(), id.to_owned(), time(trace, ticks), share.to_string()];
            places.iter().cloned().chain(own).collect::<Vec<_>>()
        });
        cells.collect::<Vec<_>>()
    };
    let rows: Vec<_> = (0..).zip(&device.streams).flat_map(of_stream).collect();
    let names = ["device", "stream", "definition", "reason", "time_", "share"];
    rows_in_parts(head(trace, &names), rows.len(), move |_, n| rows.get(n).cloned().unwrap_or_default())
}

/// The name of a stream without its device.
fn stream_name(trace: &Trace, device: &Device, stream: u32) -> String {
    let track = device.streams.get(stream as usize).and_then(|stream| trace.tracks.find(stream.track));
    track.map_or(String::new(), |track| trace.strings.get(track.name).trim().to_owned())
}

/// The name of the device of a stream, with its rank where there are several.
fn rank_name(device: &Device, stream: u32) -> String {
    let rank = device.streams.get(stream as usize).and_then(|stream| device.ranks.get(stream.rank as usize));
    rank.map_or(String::new(), |rank| rank.name.clone())
}

/// The id of what a device does.
fn class_id(class: class::Class) -> &'static str {
    class::CLASSES.get(class as usize).copied().unwrap_or_default()
}
