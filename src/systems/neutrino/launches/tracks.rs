//! The timeline of the process: launches with their parts, callbacks, memory.
//!
//! The log has one time for each launch, taken when its kernel is ready and before memory for its maps is allocated. The
//! first launch of a kernel waits for the probe engine before that, so its prologue ends there; others begin there.

use crate::base::number;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::format::sink::Sink;
use crate::model::id::TrackId;
use crate::model::slice::SliceRow;
use crate::model::strings::Strings;
use crate::model::track::TrackKind;
use crate::systems::neutrino::folder::{Folder, Launch};

/// When the parts of a launch begin, and when it ends.
pub(super) struct Times {
    /// The prologue.
    pub(super) start: Ticks,
    /// The kernel.
    pub(super) kernel: Ticks,
    /// The epilogue.
    pub(super) epilogue: Ticks,
    /// The end.
    pub(super) end: Ticks,
}

impl Times {
    /// The times of a launch that the log timed whole.
    pub(super) fn of(launch: &Launch) -> Option<Self> {
        let time = Ticks::try_from(launch.time?).ok()?;
        // Times of 2200 and of a minute are no garbage yet; larger sums would leave the axis.
        #[allow(clippy::cast_possible_truncation)] // it has bounds
        let nanos = |ms: Option<f64>| Some((ms? * 1e6).round().clamp(0.0, 1e15) as Ticks);
        let (before, kernel, after) =
            (nanos(launch.prologue)?, nanos(launch.kernel_ms)?, nanos(launch.epilogue)?);
        let start = if launch.is_first { time.saturating_sub(before) } else { time };
        let begin = start.saturating_add(before);
        let epilogue = begin.saturating_add(kernel);
        Some(Self { start, kernel: begin, epilogue, end: epilogue.saturating_add(after) })
    }
}

/// Adds title, headline and tracks.
pub(in crate::systems::neutrino) fn add(folder: &Folder, sink: &mut Sink) {
    head(folder, sink);
    let Some(log) = folder.log else { return };
    let process = match (&folder.process.command, folder.process.pid) {
        (command, Some(pid)) if !command.is_empty() => format!("{command} ({pid})"),
        (command, _) if !command.is_empty() => command.clone(),
        (_, Some(pid)) => pid.to_string(),
        _ => folder.name.clone(),
    };
    let name = sink.builder.intern(&process);
    let Some(group) = sink.builder.track(None, TrackKind::Group, name, log.0) else { return };
    if let Some(rank) = folder.process.rank {
        let label = sink.builder.intern(&format!("rank {rank}"));
        sink.builder.label_track(group, label);
    }
    let mut track = |kind, name: &'static str, order| {
        let name = sink.builder.intern(name);
        let id = sink.builder.track(Some(group), kind, name, log.0);
        id.inspect(|id| sink.builder.order_track(*id, order))
    };
    let launches = track(TrackKind::Slices, phrase("Launches"), 0);
    let callbacks = folder.launches.iter().any(|launch| launch.callback.is_some() && launch.time.is_some());
    let callbacks = callbacks.then(|| track(TrackKind::Slices, phrase("Callbacks"), 1)).flatten();
    let memory = track(TrackKind::Counter, phrase("Application memory"), 2);
    let probes = track(TrackKind::Counter, phrase("Probe memory"), 3);
    if let Some(track) = launches {
        slices(folder, track, sink);
    }
    if let Some(track) = callbacks {
        instants(folder, track, sink);
    }
    counters(folder, memory, probes, sink);
}

fn head(folder: &Folder, sink: &mut Sink) {
    let launch = folder.launch();
    let trace = sink.builder.head();
    trace.title = match launch.filter(|launch| !launch.name.is_empty()) {
        Some(launch) => launch.name.clone(),
        None => folder.name.clone(),
    };
    if let Some(result) = &folder.result {
        let size = |[x, y, z]: [u32; 3]| format!("{x} × {y} × {z}");
        trace.headline.push(result.name.clone());
        trace.headline.push(format!("({}) × ({})", size(result.grid), size(result.block)));
    }
    if let Some(time) = launch.and_then(|launch| launch.kernel_ms) {
        trace.headline.push(number::with_unit(time, &Unit::Millis));
    }
}

fn slices(folder: &Folder, track: TrackId, sink: &mut Sink) {
    let parts =
        [phrase("Prologue"), phrase("Kernel"), phrase("Epilogue")].map(|name| sink.builder.intern(name));
    for launch in &folder.launches {
        let name = sink.builder.intern(if launch.name.is_empty() { phrase("Launch") } else { &launch.name });
        let detail_len = u32::try_from(launch.bytes.1).unwrap_or(u32::MAX);
        let row = |start: Ticks, end: Ticks, name| SliceRow {
            detail_start: launch.bytes.0,
            detail_len,
            ..SliceRow::new(start, end.saturating_sub(start), name)
        };
        if let Some(times) = Times::of(launch) {
            sink.builder.slice(track, row(times.start, times.end, name));
            let [prologue, kernel, epilogue] = parts;
            sink.builder.slice(track, row(times.start, times.kernel, prologue));
            sink.builder.slice(track, row(times.kernel, times.epilogue, kernel));
            sink.builder.slice(track, row(times.epilogue, times.end, epilogue));
        } else if let Some(time) = launch.time.and_then(|time| Ticks::try_from(time).ok()) {
            let detail = (launch.bytes.0, detail_len);
            sink.builder.instant(track, time, name, Strings::EMPTY, detail);
        }
    }
}

/// Callbacks run after their launch; the log does not say how long.
fn instants(folder: &Folder, track: TrackId, sink: &mut Sink) {
    for launch in &folder.launches {
        let (Some((script, is_done)), Some(times)) = (&launch.callback, Times::of(launch)) else { continue };
        let name = sink.builder.intern(script.rsplit('/').next().unwrap_or(script));
        let category = match is_done {
            Some(true) => phrase("succeeded"),
            Some(false) => phrase("failed"),
            None => "",
        };
        let category = sink.builder.intern(category);
        let detail = (launch.bytes.0, u32::try_from(launch.bytes.1).unwrap_or(u32::MAX));
        sink.builder.instant(track, times.end, name, category, detail);
    }
}

/// Memory at each launch: lines about allocations have no times, so they count from the next launch on.
fn counters(folder: &Folder, memory: Option<TrackId>, probes: Option<TrackId>, sink: &mut Sink) {
    let (bytes, probe_bytes) =
        (sink.builder.intern(phrase("Allocated")), sink.builder.intern(phrase("Maps")));
    let changes = super::changes(folder);
    let (mut held, mut at) = (0_i128, 0);
    for (i, launch) in folder.launches.iter().enumerate() {
        while let Some((_, change)) = changes.get(at).filter(|(from, _)| *from <= i) {
            (held, at) = (held + change, at + 1);
        }
        let Some(times) = Times::of(launch) else { continue };
        if let Some(track) = memory {
            sink.builder.sample(track, bytes, &Unit::Bytes, times.start, held as f64);
        }
        if let (Some(track), Some(held)) = (probes, launch.probe_bytes) {
            sink.builder.sample(track, probe_bytes, &Unit::Bytes, times.kernel, held as f64);
            sink.builder.sample(track, probe_bytes, &Unit::Bytes, times.end, 0.0);
        }
    }
}
