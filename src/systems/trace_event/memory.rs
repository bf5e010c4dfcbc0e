//! Memory over time, from the instants that `PyTorch` writes for every allocation: a counter for each device.
//!
//! ```text
//! {"ph":"i", "name":"[memory]", "pid":25738, "ts":…,
//!  "args":{"Device Type":1, "Device Id":0, "Bytes":-512, "Total Allocated":73728, "Total Reserved":2097152}}
//! ```
//! Where the file says the totals they are the values. Where it only says what was added and taken (older versions), the
//! sum of that is, from the least it can be: what was allocated before the trace began is counted as far as it is given
//! back in it. Device types are those of `PyTorch`: 0 is the CPU, 1 a GPU, 6 one of `ROCm`. The instants stay instants as
//! well; threads and bytes become [`crate::model`].
//!
//! Source: `chrome_trace` output of Kineto; totals verified by its source only, sums on a real file.

use super::events::{Events, One};
use super::fields::Key;
use super::meta::number;
use super::tracks::ProcessRow;
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::format::Sink;
use crate::input::json::scan::{Members, unquoted};
use crate::model::FlowEnd;
use crate::model::id::TrackId;
use crate::model::strings::Strings;
use crate::model::track::TrackKind;

/// What happened on one device of a process.
struct Device {
    process: ProcessRow,
    kind: i64,
    number: i64,
    rows: Vec<MemoryInstant>,
}

/// One instant.
struct MemoryInstant {
    time: Ticks,
    track: TrackId,
    bytes: f64,
    /// The totals as the file says them: allocated, reserved.
    totals: [Option<f64>; 2],
}

/// All devices, in the order they were met.
#[derive(Default)]
pub(super) struct Memory {
    devices: Vec<Device>,
}

/// Most devices; a file with more has something else in mind.
const MAX_DEVICES: usize = 256;

impl Memory {
    /// Takes in an instant, if it tells of memory.
    pub(super) fn take(
        &mut self,
        one: &One,
        process: impl FnOnce() -> ProcessRow,
        (track, time): (TrackId, Ticks),
    ) {
        if one.text(Key::Name) != b"[memory]" {
            return;
        }
        let (mut kind, mut number_of, mut bytes, mut totals) = (0.0, 0.0, None, [None, None]);
        for (key, raw) in Members::new(one.raw(Key::Args)) {
            let Some(value) = number(raw) else { continue };
            match unquoted(key) {
                b"Device Type" => kind = value,
                b"Device Id" => number_of = value,
                b"Bytes" => bytes = Some(value),
                b"Total Allocated" => totals[0] = Some(value),
                b"Total Reserved" => totals[1] = Some(value),
                _ => {}
            }
        }
        if bytes.is_none() && totals == [None, None] {
            return;
        }
        // A float outside of the range becomes the nearest number in it.
        #[allow(clippy::cast_possible_truncation)]
        let (kind, number) = (kind as i64, number_of as i64);
        let process = process();
        let is_same = |d: &&mut Device| (d.process, d.kind, d.number) == (process, kind, number);
        let row = MemoryInstant { time, track, bytes: bytes.unwrap_or(0.0), totals };
        if let Some(device) = self.devices.iter_mut().find(is_same) {
            device.rows.push(row);
        } else if self.devices.len() < MAX_DEVICES {
            self.devices.push(Device { process, kind, number, rows: vec![row] });
        }
    }
}

impl Events {
    /// Nothing follows: makes the counters.
    pub(super) fn finish_memory(&mut self, sink: &mut Sink) {
        for mut device in std::mem::take(&mut self.memory.devices) {
            order::sort_by_number(&mut device.rows, |row| row.time);
            let of = match device.kind {
                0 => "CPU".to_owned(),
                1 | 6 => format!("GPU {}", device.number),
                kind => format!("device {kind}.{}", device.number),
            };
            let told = |row: &MemoryInstant, i: usize| row.totals.get(i).copied().flatten();
            let has_total = |i: usize| device.rows.iter().all(|row| told(row, i).is_some());
            let total =
                |i: usize| device.rows.iter().map(|row| (row.time, told(row, i).unwrap_or(0.0))).collect();
            let (series, values) = if has_total(0) {
                ("allocated", total(0))
            } else {
                ("allocated at least", added_up(&device))
            };
            let name = format!("Memory of {of}");
            if let Some(track) = self.memory_counter(device.process, &name, series, values, sink) {
                let name = sink.builder.intern(&of);
                let number = sink.builder.memory_device(name, track);
                for row in &device.rows {
                    // A float outside of the range becomes the nearest number in it.
                    #[allow(clippy::cast_possible_truncation)]
                    let bytes = row.bytes as i64;
                    sink.builder.allocation(number, FlowEnd { track: row.track, time: row.time }, bytes);
                }
            }
            if has_total(1) {
                self.memory_counter(
                    device.process,
                    &format!("Reserved memory of {of}"),
                    "reserved",
                    total(1),
                    sink,
                );
            }
        }
    }

    fn memory_counter(
        &mut self,
        process: ProcessRow,
        name: &str,
        series: &str,
        values: Vec<(Ticks, f64)>,
        sink: &mut Sink,
    ) -> Option<TrackId> {
        let key = (sink.builder.intern(name), Strings::EMPTY);
        let track = self.tracks.other(process, TrackKind::Counter, key, sink)?;
        let series = sink.builder.intern(series);
        for (time, value) in values {
            sink.builder.sample(track, series, &Unit::Bytes, time, value);
        }
        Some(track)
    }
}

/// Sums of what was added and taken, the least of them 0 or more.
fn added_up(device: &Device) -> Vec<(Ticks, f64)> {
    let mut sum = 0.0;
    let mut values: Vec<(Ticks, f64)> = Vec::with_capacity(device.rows.len());
    for row in &device.rows {
        sum += row.bytes;
        values.push((row.time, sum));
    }
    let least = values.iter().map(|v| v.1).fold(0.0, f64::min);
    for (_, value) in &mut values {
        *value -= least;
    }
    values
}
