//! summary-json and slices-csv: the trace in numbers, and its slices one a line.

use super::parts::ROWS;
use super::{Export, ExportInput, Parts, whole};
use crate::base::fault::Severity;
use crate::base::time::{Clock, Ticks};
use crate::base::words::phrase;
use crate::model::id::{SliceId, TrackId};
use crate::model::slice::Slices;
use crate::model::track::{Track, TrackKind};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{Result, Write};
use std::ops::Range;

/// One object of counts, for scripts and tests.
pub(super) static SUMMARY_JSON: Export = Export {
    id: "summary-json",
    title: phrase("Summary as JSON"),
    suffix: "summary.json",
    mime: "application/json",
    takes_argument: false,
    parameters: &[],
    can: |_| true,
    write: |_, argument| whole(summary, argument),
};

/// Every slice: track path, name, start, duration, depth, category.
pub(super) static SLICES_CSV: Export = Export {
    id: "slices-csv",
    title: phrase("Slices as CSV"),
    suffix: "slices.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[],
    can: |input| 0 < input.trace.n_slices(),
    write: |_, _| Ok(slices()),
};

/// Members of summary-json, in this order.
#[derive(Serialize)]
struct Summary {
    format: Value,
    processes: usize,
    tracks: usize,
    tracks_with_slices: usize,
    slices: u64,
    instants: u64,
    counter_samples: u64,
    flows: usize,
    sum_dur_ns: Value,
    first_ns: Value,
    last_ns: Value,
    faults: Map<String, Value>,
    dropped: Map<String, Value>,
}

fn summary(input: &ExportInput, _: &str, out: &mut dyn Write) -> Result<()> {
    let trace = input.trace;
    let durations = trace.tracks.iter().flat_map(|(_, t)| &t.slices.dur);
    let sum: i128 = durations.map(|d| i128::from(*d)).sum();
    let ids: Vec<&str> = input.formats.iter().map(|f| f.id).collect();
    let summary = Summary {
        format: if ids.is_empty() { Value::Null } else { ids.join(", ").into() },
        processes: trace.tracks.iter().filter(|(_, t)| t.parent.is_none()).count(),
        tracks: trace.tracks.iter().filter(|(_, t)| t.kind != TrackKind::Group).count(),
        tracks_with_slices: trace.tracks.iter().filter(|(_, t)| !t.slices.is_empty()).count(),
        slices: trace.n_slices(),
        instants: trace.n_instants(),
        counter_samples: trace.n_samples(),
        flows: trace.flows.len(),
        sum_dur_ns: nanos(sum, trace.clock),
        first_ns: trace.span.map_or(Value::Null, |s| nanos(s.start.into(), trace.clock)),
        last_ns: trace.span.map_or(Value::Null, |s| nanos(s.end.into(), trace.clock)),
        faults: Severity::ALL.iter().map(|s| (s.name().to_owned(), input.faults.count(*s).into())).collect(),
        dropped: trace.dropped.iter().map(|(reason, n)| (reason.clone(), (*n).into())).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &summary)?;
    out.write_all(b"\n")
}

/// Ticks as nanoseconds: whole and exact for nanosecond clocks, computed from the rate for cycles, null when the clock
/// says nothing of time.
fn nanos(ticks: i128, clock: Clock) -> Value {
    match clock {
        Clock::Nanos => i64::try_from(ticks).map_or_else(|_| Value::from(ticks as f64), Value::from),
        Clock::Cycles { hz: Some(hz) } if 0.0 < hz => Value::from(ticks as f64 * 1e9 / hz),
        _ => Value::Null,
    }
}

fn slices() -> Parts {
    let (mut at, mut from) = (0, 0);
    Box::new(move |input, out| {
        let trace = input.trace;
        // Of several clocks each time stands in its own, beside what that is.
        let has_clocks = !trace.clocks.is_empty();
        let mut csv = csv::Writer::from_writer(out);
        if (at, from) == (0, 0) {
            let unit = if has_clocks { "ticks" } else { trace.clock.symbol() };
            let (start, dur) = (format!("start_{unit}"), format!("duration_{unit}"));
            let head = ["track_path", "name", &start, &dur, "depth", "category"];
            csv.write_record(head.into_iter().chain(has_clocks.then_some("clock")))?;
        }
        let mut left = ROWS;
        while 0 < left && at < trace.tracks.shown().len() {
            let track = trace.tracks.shown().get(at).and_then(|&id| Some((id, trace.tracks.find(id)?)));
            let n = track.map_or(0, |(_, track)| track.slices.len());
            let end = n.min(from + left);
            if let Some(track) = track.filter(|_| from < end) {
                write_slices(input, track, from..end, &mut csv)?;
            }
            left = left.saturating_sub(end - from + 1);
            (at, from) = if end == n { (at + 1, 0) } else { (at, end) };
        }
        csv.flush()?;
        Ok(at < trace.tracks.shown().len())
    })
}

fn write_slices(
    input: &ExportInput,
    (id, track): (TrackId, &Track),
    rows: Range<usize>,
    csv: &mut csv::Writer<&mut dyn Write>,
) -> Result<()> {
    let trace = input.trace;
    let path = trace.track_path(id);
    let clock = trace.clock_of(id);
    let own = match trace.strings.get(clock.name) {
        "" => clock.unit.symbol(),
        name => name,
    };
    for row in rows {
        let depth = input.derived.timeline.lane_of(SliceId { track: id, row: row as u32 });
        let category = Slices::sparse(&track.slices.category, row);
        let number = |ticks: Ticks| ticks.to_string();
        let span = clock.ticks(track.slices.span(row));
        let cells = [
            &path,
            trace.strings.get(track.slices.name[row]),
            &number(span.start),
            &number(span.dur()),
            &depth.map(|d| d.to_string()).unwrap_or_default(),
            trace.strings.get(category),
        ];
        csv.write_record(cells.into_iter().chain((!trace.clocks.is_empty()).then_some(own)))?;
    }
    Ok(())
}
