//! kernels-csv: each slice of each stream with what its bytes say, in the order of the file, so that these are read once
//! from begin to end.

use super::tables::{class_id, rank_name, stream_name};
use super::{COMMUNICATION, TIME, can, found, head, recorded, time, time_or_none};
use crate::analysis::device::{Device, LAUNCH_ARGS, Work};
use crate::base::sort::Sorting;
use crate::base::words::phrase;
use crate::export::parts::{after, rows_by};
use crate::export::{Export, ExportInput, Parts};
use crate::format::detail::{SliceBytes, SliceDetail};
use crate::model::slice::Slices;

/// Kernels, copies and waiting of all streams.
pub(in crate::export) static KERNELS_CSV: Export = Export {
    id: "kernels-csv",
    title: phrase("Kernels as CSV"),
    suffix: "kernels.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&COMMUNICATION, &TIME],
    can,
    write: |input, _| found(input, sorted),
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
fn sorted(device: Device, input: &ExportInput) -> Parts {
    let place = |(at, work): (u32, &Work)| {
        let track = input.trace.tracks.find(work.slice.track)?;
        let begin = track.slices.detail(work.slice.row as usize).start;
        device.span.touches(work.span).then_some((track.entry, begin, at))
    };
    let places = Sorting::new((0..).zip(&device.works).filter_map(place).collect());
    let step = |(places, _): &mut (Sorting<(u32, u64, u32)>, Device), _: &ExportInput| places.step();
    after((places, device), step, |(places, device), input| {
        let places = places.finish();
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
    let arg = |(_, names): &(&str, &[&str])| {
        let found = args.iter().find(|(name, _)| names.contains(&name.as_str()));
        found.map_or(String::new(), |(_, value)| value.clone())
    };
    let launch = work.launch.and_then(|launch| {
        let slices = &trace.tracks.find(launch.track)?.slices;
        slices.name.get(launch.row? as usize).map(|name| text(*name))
    });
    let mut cells = vec![
        slices.name.get(row).map_or(String::new(), |name| text(*name)),
        class_id(work.class).to_owned(),
        text(Slices::sparse(&slices.category, row)),
        rank_name(device, work.stream),
        stream_name(trace, device, work.stream),
        time(trace, recorded(input, work.slice.track, work.span.start)),
        time(trace, work.span.dur()),
    ];
    cells.extend(LAUNCH_ARGS.iter().map(arg));
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
