//! Sums of host and device: a row for each operator, step, and reason of each stream.

use super::{
    CLASSES, COMMUNICATION, DEFINITION, DELAY, LOADING, SHORT, STEP, TIME, can, found, head, recorded, time,
};
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::steps::OUTSIDE;
use crate::analysis::device::{Device, Operator, StreamWork, class, idle};
use crate::base::order;
use crate::base::words::phrase;
use crate::export::parts::rows_in_parts;
use crate::export::{Export, ExportInput, Parts};
use crate::model::Trace;

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
pub(super) const LAUNCHED: [&str; 2] = ["kernels_self", "kernels_total"];

/// The cells below these heads.
pub(super) fn launched(row: &Operator) -> [String; 2] {
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
pub(super) fn stream_name(trace: &Trace, device: &Device, stream: u32) -> String {
    let track = device.streams.get(stream as usize).and_then(|stream| trace.tracks.find(stream.track));
    track.map_or(String::new(), |track| trace.strings.get(track.name).trim().to_owned())
}

/// The name of the device of a stream, with its rank where there are several.
pub(super) fn rank_name(device: &Device, stream: u32) -> String {
    let rank = device.streams.get(stream as usize).and_then(|stream| device.ranks.get(stream.rank as usize));
    rank.map_or(String::new(), |rank| rank.name.clone())
}

/// The id of what a device does.
pub(super) fn class_id(class: class::Class) -> &'static str {
    class::CLASSES.get(class as usize).copied().unwrap_or_default()
}
