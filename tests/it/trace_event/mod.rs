//! Trace Event JSON through the front door: fixtures with numbers counted by hand, damage, an oracle, real files.

mod corpus;
mod damage;
mod devices;
mod memory;
mod oracle;
mod real;
mod sampled;
mod shapes;

use crate::support::front_door::{fixtures, open_case};
use crate::support::make_trace;
use lanescope::document::Document;
use lanescope::model::Trace;
use std::fmt::Write;
use std::fs;

/// Opens a fixture.
fn case(name: &str) -> Document {
    let (doc, is_ready) = open_case("trace_event", name);
    assert!(is_ready, "{name} opens");
    doc
}

/// All rows in the order they are shown, one a line: `path: name start+dur`, `path: name @time`, `path: series time=value`.
fn rows(trace: &Trace) -> String {
    let mut out = String::new();
    for &id in trace.tracks.shown() {
        let track = trace.tracks.get(id);
        let path = trace.track_path(id);
        for row in 0..track.slices.len() {
            let name = trace.strings.get(track.slices.name[row]);
            let _ = writeln!(out, "{path}: {name} {}+{}", track.slices.start[row], track.slices.dur_of(row));
        }
        for row in 0..track.instants.len() {
            let name = trace.strings.get(track.instants.name[row]);
            let _ = writeln!(out, "{path}: {name} @{}", track.instants.time[row]);
        }
        for series in &track.series {
            for (time, value) in series.time.iter().zip(&series.value) {
                let _ = writeln!(out, "{path}: {} {time}={value}", trace.strings.get(series.name));
            }
        }
    }
    out
}

/// All flows, one a line.
fn flows(trace: &Trace) -> String {
    let end = |e: lanescope::model::FlowEnd| format!("{} @{}", trace.track_path(e.track), e.time);
    let line = |i: usize| {
        let name = trace.strings.get(trace.flows.name[i]);
        format!("{name}: {} → {}\n", end(trace.flows.from[i]), end(trace.flows.to[i]))
    };
    (0..trace.flows.len()).map(line).collect()
}

/// Codes of the faults, sorted.
fn codes(doc: &Document) -> Vec<&str> {
    let mut codes: Vec<&str> = doc.faults().rows().iter().map(|f| f.code.as_ref()).collect();
    codes.sort_unstable();
    codes
}

/// How many rows were left out for a reason that begins so.
fn left_out(trace: &Trace, reason: &str) -> u64 {
    trace.dropped.iter().filter(|(r, _)| r.starts_with(reason)).map(|(_, n)| n).sum()
}

/// A number of the figure that counts the events.
fn told(trace: &Trace, what: &str) -> u64 {
    let family = trace.figures.iter().find(|f| f.id == "trace-events").expect("the events are counted");
    let lanescope::model::figure::Body::Facts(facts) = &family.variants[0].body else { panic!("facts") };
    let fact = facts.facts.iter().find(|f| f.name == what);
    fact.and_then(|f| f.value.as_number()).map_or(0, |n| n as u64)
}

/// Nothing vanishes: every event is a row, a half of one, metadata, or left out with a reason.
fn accounts(doc: &Document, name: &str) {
    let trace = doc.trace();
    let [complete, begins, ends] = ["Slices", "Slice begins", "Slice ends"].map(|what| told(trace, what));
    let [instants, counters, flows] =
        ["Instants", "Counter samples", "Flow starts and ends"].map(|what| told(trace, what));
    let [metadata, dropped] = ["Names and sort order", "Skipped"].map(|what| told(trace, what));
    let [profiles, sampled] = ["Parts of CPU profiles", "CPU samples"].map(|what| told(trace, what));
    let sum = complete + begins + ends + instants + counters + flows + metadata + dropped + profiles;
    assert_eq!(sum, told(trace, "Events"), "{name}: events");
    assert_eq!(trace.dropped.iter().map(|(_, n)| n).sum::<u64>(), dropped, "{name}: left out");
    assert_eq!(trace.n_slices(), complete + begins, "{name}: slices");
    let orphans = codes_with_folded(doc, "TEV-ORPHAN-END");
    assert_eq!(trace.n_instants(), instants + orphans + sampled, "{name}: instants");
    assert!(counters <= trace.n_samples(), "{name}: samples");
}

/// How often a fault was said, folded ones included.
fn codes_with_folded(doc: &Document, code: &str) -> u64 {
    doc.faults().rows().iter().filter(|f| f.code == code).map(|f| 1 + f.repeats).sum()
}

#[test]
fn fixtures_are_what_the_generator_makes() {
    for made in make_trace::all() {
        let folder = fixtures().join("trace_event").join(made.case);
        let note = format!(
            "origin = \"made by tests/it/support/make_trace.rs\"\nlicence = \"Apache-2.0\"\nreal = false\nshows = \"{}\"\n",
            made.shows
        );
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(made.file), &made.bytes).unwrap();
            fs::write(folder.join("source.toml"), &note).unwrap();
        }
        let is_same = fs::read(folder.join(made.file)).is_ok_and(|old| old == made.bytes);
        assert!(is_same, "{} is not what the generator makes: UPDATE=1 cargo test writes it", made.case);
        assert_eq!(fs::read_to_string(folder.join("source.toml")).ok(), Some(note), "{}", made.case);
    }
}
