//! Android systrace through the front door: fixtures with numbers counted by hand, what the AOSP parser takes against a
//! slow twin, damage, real files.

mod classic;
mod corpus;
mod launches;
mod main_thread;
mod shapes;
mod states;

use crate::support::front_door::{fixtures, open_case};
use crate::support::make_systrace;
use lanescope::document::Document;
use lanescope::model::Trace;
use lanescope::model::slice::Slices;
use lanescope::systems::android::nnapi::mark::Marks;
use std::fmt::Write;
use std::fs;

/// Opens a fixture.
fn case(name: &str) -> Document {
    let (doc, is_ready) = open_case("systrace", name);
    assert!(is_ready, "{name} opens");
    doc
}

/// All rows of the file in the order they are shown, one a line; times in microseconds from `zero` seconds on. (Bands
/// that are computed of the marks are looked at with the figures.)
fn rows(trace: &Trace, zero: i64) -> String {
    let micros = |time: i64| (time - zero * 1_000_000_000) as f64 / 1000.0;
    let mut out = String::new();
    for &id in trace.tracks.shown() {
        let (track, path) = (trace.tracks.get(id), trace.track_path(id));
        if path.starts_with("NNAPI / ") {
            continue;
        }
        let slices = &track.slices;
        for row in 0..slices.len() {
            let text = |id| trace.strings.get(id);
            let (name, said) = (text(slices.name[row]), text(slices.category_of(row)));
            let color = text(Slices::sparse(&slices.color, row));
            let (start, dur) = (micros(slices.start[row]), slices.dur_of(row) as f64 / 1000.0);
            let _ = writeln!(out, "{path}: {name} {start}+{dur} [{said}] [{color}]");
        }
        for row in 0..track.instants.len() {
            let name = trace.strings.get(track.instants.name[row]);
            let _ = writeln!(out, "{path}: {name} @{}", micros(track.instants.time[row]));
        }
        for series in &track.series {
            for (time, value) in series.time.iter().zip(&series.value) {
                let _ = writeln!(out, "{path}: {}={value}", micros(*time));
            }
        }
    }
    out
}

/// The marks, one a line: line, thread, process as the AOSP parser has it (or a dash), text.
fn marks(trace: &Trace) -> String {
    let marks = Marks::of(trace);
    let text = |id| trace.strings.get(id);
    let line = |row: usize| {
        let thread = text(marks.threads[marks.thread[row] as usize].id);
        let process = if marks.is_classic[row] { text(marks.process[row]) } else { "–" };
        format!("{} {thread} {process} {}\n", marks.line[row], text(marks.text[row]))
    };
    (0..marks.len()).map(line).collect()
}

/// The faults, one a line: code, line, what is wrong.
fn faults(doc: &Document) -> String {
    let line = |f: &lanescope::base::fault::Fault| {
        let at = f.place.line.map_or("–".to_owned(), |(line, _)| line.to_string());
        format!("{} {at} {} {}\n", f.code, f.severity.name(), f.kind)
    };
    doc.faults().rows().iter().map(line).collect()
}

#[test]
fn fixtures_are_what_the_generator_makes() {
    for made in make_systrace::all() {
        let folder = fixtures().join("systrace").join(made.case);
        let note = format!(
            "origin = \"made by tests/it/support/make_systrace.rs\"\nlicence = \"Apache-2.0\"\nreal = false\nshows = \"{}\"\n",
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
