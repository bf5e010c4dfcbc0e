//! Traces of Perfetto: track events, the kernel's events and counters, as the schema means them.

mod binder;
mod corpus;
mod events;
mod frames;
mod large;
mod make;
mod odd;
mod scheduling;
mod services;
mod system;

use crate::support::front_door::open_one;
use lanescope::document::Document;
use lanescope::model::id::{SliceId, TrackId};
use lanescope::views::timeline::messages::{Reply, TimelineQuery};

/// Opens a trace.
fn opened(packets: &[make::Message]) -> Document {
    let (doc, is_ready) = open_one("trace.pftrace", make::file(packets));
    assert!(is_ready, "{:?}", faults(&doc));
    doc
}

/// Slices and instants: path of the track, begin, length, name; instants have no length. In the order of tracks shown.
fn slices(doc: &Document) -> Vec<String> {
    let trace = doc.trace();
    let mut out = Vec::new();
    for &id in trace.tracks.shown() {
        let (track, path) = (trace.tracks.get(id), path(doc, id));
        for row in 0..track.slices.len() {
            let (start, dur) = (track.slices.start[row], track.slices.dur_of(row));
            let name = trace.strings.get(track.slices.name[row]);
            let category = trace.strings.get(track.slices.category_of(row));
            let line = format!("{path}: {start} +{dur} {name} {category}");
            out.push(line.trim_end().to_owned());
        }
        for row in 0..track.instants.time.len() {
            let name = trace.strings.get(track.instants.name[row]);
            out.push(format!("{path}: {} {name}", track.instants.time[row]));
        }
    }
    out
}

/// Counters: path of the track, unit, times and values.
fn counters(doc: &Document) -> Vec<String> {
    let trace = doc.trace();
    let mut out = Vec::new();
    for &id in trace.tracks.shown() {
        for series in &trace.tracks.get(id).series {
            let rows: Vec<String> = series
                .time
                .iter()
                .zip(&series.value)
                .map(|(time, value)| format!("{time}={value}"))
                .collect();
            out.push(format!("{} {}: {}", path(doc, id), series.unit.symbol(), rows.join(" ")));
        }
    }
    out
}

/// Arrows: id and both ends.
fn flows(doc: &Document) -> Vec<String> {
    let flows = &doc.trace().flows;
    let rows = (0..flows.len()).map(|row| {
        let (from, to) = (flows.from[row], flows.to[row]);
        let id = doc.trace().strings.get(flows.id[row]);
        format!("{id}: {} {} → {} {}", path(doc, from.track), from.time, path(doc, to.track), to.time)
    });
    rows.collect()
}

fn path(doc: &Document, id: TrackId) -> String {
    doc.trace().track_path(id)
}

/// Arguments of a slice or an instant, read back from the file.
fn arguments_of(doc: &mut Document, id: SliceId) -> Vec<(String, String)> {
    let (answer, _) = doc.query(&TimelineQuery::Slice(id));
    let Some(Reply::Slice(Some(slice))) = answer else { panic!("{answer:?}") };
    slice.args
}

/// What was said of the file.
fn faults(doc: &Document) -> Vec<String> {
    doc.faults().rows().iter().map(|fault| format!("{} {fault}", fault.code)).collect()
}

/// What was left out, and how often.
fn left_out(doc: &Document) -> Vec<String> {
    doc.trace().dropped.iter().map(|(reason, n)| format!("{n} {reason}")).collect()
}
