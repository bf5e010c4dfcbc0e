//! Damaged and hostile files: what is good is shown, what is not is said with its place.

use super::{accounts, case, codes, left_out, rows};
use crate::support::front_door::{cases, files_of, open_one};
use lanescope::base::fault::Severity;
use lanescope::document::Document;
use std::fmt::Write;

fn names(doc: &Document) -> Vec<String> {
    let trace = doc.trace();
    let slices = trace.tracks.iter().flat_map(|(_, t)| &t.slices.name);
    slices.map(|&name| trace.strings.get(name).to_owned()).collect()
}

#[test]
fn damage_costs_the_events_it_hits() {
    let doc = case("damaged");
    let bad = "\u{FFFD}\u{FFFD}";
    assert_eq!(names(&doc), ["g0", "g1", "g2", "g3", "g4", bad, "g6", "g7", "deep", "g9"]);
    let said = [["TEV-BAD-EVENT"; 4].as_slice(), &["TEV-DAMAGE"; 3], &["TEV-NOT-TEXT"]].concat();
    assert_eq!(codes(&doc), said);
    assert_eq!(left_out(doc.trace(), "damaged events"), 4);
    let first = doc.faults().rows()[0].to_string();
    let place = "trace.json, traceEvents ▸ event 2, byte 82 (0x52)";
    let note = "The event is skipped; reading continues at the next one.";
    assert_eq!(first, format!("{place}: expected , or }}, found \"\"name\":\"bad\"}},\". {note}"));
}

/// Whatever stands between two events that does not belong there, whatever blanks their writer puts, and whatever a bad one
/// taught the reader of them: the good ones before and after are shown.
#[test]
fn events_around_damage_are_shown() {
    let event = |i: usize, colon: &str| {
        format!(
            r#"{{"ph"{colon}"X","name"{colon}"n{i}","pid"{colon}1,"tid"{colon}1,"ts"{colon}{i},"dur"{colon}1}}"#
        )
    };
    let between =
        ["\0\0\0,", ",\0,", ",garbage,", ",]", " 5,", ",{\"ph\":\"X\",\"name\":,},", ",{\"ph\" : },", ",,"];
    for colon in [":", ": ", " : ", ":\n\t"] {
        for damage in between {
            for other in [":", ": "] {
                let parts =
                    [event(0, colon), event(1, colon), event(2, other), event(3, colon), event(4, colon)];
                let [a, b, c, d, e] = &parts;
                let text = format!("[{a},{b}{damage}{c},{d},{e}]");
                let (doc, _) = open_one("t.json", text.clone().into_bytes());
                let shown = names(&doc);
                assert_eq!(shown, ["n0", "n1", "n2", "n3", "n4"], "{text:?}");
            }
        }
    }
}

#[test]
fn a_cut_file_shows_everything_before_the_cut() {
    let doc = case("cut");
    let expected = "Process 1 / Thread 1: a 1000+1000\nProcess 1 / Thread 1: b 3000+7000\nProcess 1 / Thread 1: c 4000+6000\n";
    assert_eq!(rows(doc.trace()), expected);
    assert_eq!(codes(&doc), ["TEV-CUT", "TEV-OPEN-BEGIN"]);
    assert_eq!(doc.faults().rows()[0].severity, Severity::Loss);
}

#[test]
fn a_missing_bracket_is_no_loss() {
    let doc = case("unfinished");
    assert_eq!(names(&doc), ["a", "b"]);
    let fault = &doc.faults().rows()[0];
    assert_eq!((fault.code.as_ref(), fault.severity), ("TEV-CUT", Severity::Note));
}

#[test]
fn every_cut_of_every_case_is_read_and_accounted_for() {
    for (name, folder) in cases("trace_event") {
        let whole = files_of(&folder)[0].1.clone();
        for n in (0..whole.len()).step_by(13) {
            let (doc, is_ready) = open_one("trace.json", whole[..n].to_vec());
            if is_ready {
                accounts(&doc, &format!("{name} cut at {n}"));
            }
        }
    }
}

#[test]
fn ten_thousand_open_begins_and_deep_values_cost_no_time() {
    let mut text = String::from("[");
    for i in 0..100_000 {
        let _ = write!(text, r#"{{"ph":"B","name":"n{i}","pid":1,"tid":1,"ts":{i}}},"#);
    }
    for i in 0..100_000 {
        let _ = write!(text, r#"{{"ph":"E","name":"other","pid":1,"tid":1,"ts":{}}},"#, 100_000 + i / 50_000);
    }
    let _ = write!(text, r#"{{"ph":"X","ts":1,"args":{}}}]"#, "[".repeat(100_000));
    let (doc, is_ready) = open_one("deep.json", text.into_bytes());
    assert!(is_ready);
    assert_eq!(doc.trace().n_slices(), 100_000);
    accounts(&doc, "deep");
}

#[test]
fn other_files_are_not_claimed() {
    let others =
        ["{}", "[]", "[1,2,3]", r#"{"a":[{"ph":"X"}]}"#, "hello", "", r#"[{"x":1},{"y":2}]"#, "\0\0\0\0"];
    for text in others {
        let (doc, is_ready) = open_one("trace.json", text.as_bytes().to_vec());
        assert!(!is_ready && doc.trace().n_slices() == 0, "{text:?} is no trace");
    }
    let (doc, _) = open_one(
        "late.json",
        format!(
            "{{\"schemaVersion\":1,\"x\":\"{}\",\"traceEvents\":[{{\"ph\":\"X\",\"ts\":1,\"dur\":1}}]}}",
            "x".repeat(2 << 20)
        )
        .into_bytes(),
    );
    assert_eq!(doc.trace().n_slices(), 1, "events may begin far behind the first megabyte");
}

#[test]
fn slices_that_the_recording_cuts_are_no_mistake() {
    let event = |phase: &str, name: &str, ts: u32| {
        format!(r#"{{"ph":"{phase}","name":"{name}","pid":1,"tid":1,"ts":{ts}}}"#)
    };
    let severities = |events: &[String]| {
        let (doc, _) = open_one("trace.json", format!("[{}]", events.join(",")).into_bytes());
        let said = doc.faults().rows().iter().map(|f| format!("{} {}", f.severity.name(), f.code));
        said.collect::<Vec<_>>()
    };
    let cut = [event("E", "before", 1), event("B", "a", 2), event("B", "b", 3), event("i", "end", 4)];
    assert_eq!(severities(&cut), ["note TEV-ORPHAN-END", "note TEV-OPEN-BEGIN", "note TEV-OPEN-BEGIN"]);
    let crossed = [event("B", "a", 1), event("B", "b", 2), event("E", "a", 3), event("i", "end", 4)];
    assert_eq!(severities(&crossed), ["note TEV-CROSSED", "warning TEV-OPEN-BEGIN"]);
}
