//! summary-json, slices-csv and instants-csv: the trace in numbers, its slices and its instants one a line.

use super::parts::ROWS;
use super::{Export, ExportInput, Parts, whole};
use crate::base::fault::Severity;
use crate::base::map::ordered;
use crate::base::names::sheet_cell;
use crate::base::time::{Clock, Ticks};
use crate::base::words::phrase;
use crate::model::id::{SliceId, TrackId};
use crate::model::track::{Track, TrackKind};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{Result, Write};

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

/// Every slice: track path, name, start, duration, depth, category, and whether its end is missing.
pub(super) static SLICES_CSV: Export = Export {
    id: "slices-csv",
    title: phrase("Slices as CSV"),
    suffix: "slices.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[],
    can: |input| 0 < input.trace.n_slices(),
    write: |_, _| Ok(rows(false)),
};

/// Every instant: track path, name, time, category.
pub(super) static INSTANTS_CSV: Export = Export {
    id: "instants-csv",
    title: phrase("Instants as CSV"),
    suffix: "instants.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[],
    can: |input| 0 < input.trace.n_instants(),
    write: |_, _| Ok(rows(true)),
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
    /// Rows that are shown later than that by so much: their times and those of others are not of one clock.
    #[serde(skip_serializing_if = "Map::is_empty")]
    offsets_ns: Map<String, Value>,
    faults: Map<String, Value>,
    dropped: Map<String, Value>,
}

fn summary(input: &ExportInput, _: &str, out: &mut dyn Write) -> Result<()> {
    let trace = input.trace;
    let tracks = || trace.tracks.iter().map(|(_, track)| track).filter(|track| !track.is_derived);
    let sum: i128 = tracks().flat_map(|track| track.slices.durs()).map(i128::from).sum();
    let offset = |&(id, by): &(TrackId, Ticks)| (trace.track_path(id), nanos(by.into(), trace.clock));
    let ids: Vec<&str> = input.formats.iter().map(|f| f.id).collect();
    let summary = Summary {
        format: if ids.is_empty() { Value::Null } else { ids.join(", ").into() },
        processes: tracks().filter(|t| t.parent.is_none()).count(),
        tracks: tracks().filter(|t| t.kind != TrackKind::Group).count(),
        tracks_with_slices: tracks().filter(|t| !t.slices.is_empty()).count(),
        slices: trace.n_slices(),
        instants: trace.n_instants(),
        counter_samples: trace.n_samples(),
        flows: trace.flows.len(),
        sum_dur_ns: nanos(sum, trace.clock),
        first_ns: trace.span.map_or(Value::Null, |s| nanos(s.start.into(), trace.clock)),
        last_ns: trace.span.map_or(Value::Null, |s| nanos(s.end.into(), trace.clock)),
        offsets_ns: ordered(input.derived.timeline.offsets().iter().map(offset)),
        faults: ordered(Severity::ALL.iter().map(|s| (s.name().to_owned(), input.faults.count(*s).into()))),
        dropped: ordered(trace.dropped.iter().map(|(reason, n)| (reason.clone(), (*n).into()))),
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

/// Slices or instants, a line each.
fn rows(is_of_instants: bool) -> Parts {
    let (mut at, mut from) = (0, 0);
    Box::new(move |input, out| {
        let trace = input.trace;
        // Of several clocks each time stands in its own, beside what that is.
        let has_clocks = !trace.clocks.is_empty();
        let mut csv = csv::Writer::from_writer(out);
        if (at, from) == (0, 0) {
            let unit = if has_clocks { "ticks" } else { trace.clock.symbol() };
            let (time, start, dur) =
                (format!("time_{unit}"), format!("start_{unit}"), format!("duration_{unit}"));
            let times: &[&str] = if is_of_instants { &[&time] } else { &[&start, &dur, "depth"] };
            let head = [&["track_path", "name"], times, &["category"]].concat();
            let head = head.into_iter().chain(has_clocks.then_some("clock"));
            csv.write_record(head.chain((!is_of_instants).then_some("unfinished")))?;
        }
        let mut left = ROWS;
        while 0 < left && at < trace.tracks.shown().len() {
            let track = trace.tracks.shown().get(at).and_then(|&id| Some((id, trace.tracks.find(id)?)));
            let n_rows = |t: &Track| if is_of_instants { t.instants.len() } else { t.slices.len() };
            let track = track.filter(|(_, track)| !track.is_derived);
            let n = track.map_or(0, |(_, track)| n_rows(track));
            let end = n.min(from + left);
            if let Some((id, _)) = track.filter(|_| from < end) {
                let slice = |row: usize| SliceId { track: id, row: row as u32 };
                let event = |row| if is_of_instants { SliceId::of_instant(id, row) } else { slice(row) };
                write_rows(input, id, (from..end).map(event), &mut csv)?;
            }
            left = left.saturating_sub(end - from + 1);
            (at, from) = if end == n { (at + 1, 0) } else { (at, end) };
        }
        csv.flush()?;
        Ok(at < trace.tracks.shown().len())
    })
}

fn write_rows(
    input: &ExportInput,
    track: TrackId,
    rows: impl Iterator<Item = SliceId>,
    csv: &mut csv::Writer<&mut dyn Write>,
) -> Result<()> {
    let trace = input.trace;
    let path = trace.track_path(track);
    let clock = trace.clock_of(track);
    let own = match trace.strings.get(clock.name) {
        "" => clock.unit.symbol(),
        name => name,
    };
    for id in rows {
        let Some(event) = trace.event(id) else { continue };
        let span = clock.ticks(event.span);
        let mut cells = vec![path.clone(), trace.strings.get(event.name).to_owned(), span.start.to_string()];
        if id.instant().is_none() {
            let depth = input.derived.timeline.lane_of(id).map(|depth| depth.to_string());
            cells.extend([span.dur().to_string(), depth.unwrap_or_default()]);
        }
        cells.push(trace.strings.get(event.category).to_owned());
        cells.extend((!trace.clocks.is_empty()).then(|| own.to_owned()));
        let unfinished = || trace.tracks.get(track).slices.is_unfinished(id.row as usize).to_string();
        cells.extend(id.instant().is_none().then(unfinished));
        csv.write_record(cells.iter().map(|text| sheet_cell(text).into_owned()))?;
    }
    Ok(())
}
