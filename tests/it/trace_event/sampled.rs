//! CPU samples and states of threads, with numbers counted by hand.

use super::shapes::lines;
use super::{accounts, case, codes, rows, told};
use crate::support::front_door::open_one;
use crate::support::rows::{calls, values};
use lanescope::analysis::device::has_streams;
use lanescope::analysis::statistics::{Of, Options};
use lanescope::base::time::Span;
use lanescope::model::id::SliceId;
use lanescope::views::timeline::messages::{Area, Reply, TimelineQuery};
use lanescope::wire::rows::Source;

#[test]
fn cpu_samples_are_instants_with_stacks() {
    let doc = case("sampled");
    // Of the profile by time: run at 55, its unnamed function at 65 and 75, nobody at 85 and 95, run at 105, late at 110.
    let expected = "
        Process 1 / Thread 2 (CPU samples): run @55000
        Process 1 / Thread 2 (CPU samples): (anonymous) @65000
        Process 1 / Thread 2 (CPU samples): (anonymous) @75000
        Process 1 / Thread 2 (CPU samples): run @105000
        Process 1 / Thread 2 (CPU samples): late @110000
        Process 1 / worker: a 1000+1000
        Process 1 / worker (CPU samples): f @10000
        Process 1 / worker (CPU samples): g @12000
        Process 1 / worker (CPU samples): f @14000
        Process 1 / worker (CPU samples): main @100000";
    assert_eq!(rows(doc.trace()), lines(expected));
    let said: Vec<String> = doc.faults().rows().iter().map(|f| f.kind.to_string()).collect();
    assert_eq!(said, ["2 CPU samples have a stack that is not in stackFrames"]);
    assert_eq!((told(doc.trace(), "Parts of CPU profiles"), told(doc.trace(), "CPU samples")), (5, 9));
    accounts(&doc, "sampled");
}

#[test]
fn cpu_samples_are_counted_and_are_neither_time_nor_a_device() {
    let text = r#"{"traceEvents":[{"ph":"X","name":"work","pid":1,"tid":1,"ts":0,"dur":100},
        {"ph":"P","name":"cycles","cat":"perf","pid":1,"tid":1,"ts":5,"sf":3,"args":{"weight":7}},
        {"ph":"P","name":"cycles","cat":"perf","pid":1,"tid":1,"ts":50,"sf":9}],
        "stackFrames":{"1":{"name":"main","category":"app"},"3":{"name":"read","category":"kernel","parent":1}},
        "samples":[{"tid":1,"ts":10,"sf":3},{"tid":1,"ts":18000010,"sf":3},{"tid":1,"ts":30,"sf":1}]}"#;
    let (mut doc, _) = open_one("trace.json", text.as_bytes().to_vec());
    let expected = "
        Process 1 / Thread 1: work 0+100000
        Process 1 / Thread 1: cycles @50000
        Process 1 / Thread 1 (CPU samples): read @5000
        Process 1 / Thread 1 (CPU samples): read @10000
        Process 1 / Thread 1 (CPU samples): main @30000
        Process 1 / Thread 1 (CPU samples): read @18000010000";
    assert_eq!(rows(doc.trace()), lines(expected));
    accounts(&doc, "samples of events");
    let (track, _) = doc.trace().tracks.iter().find(|(_, of)| of.instants.len() == 4).unwrap();
    // Functions of the kernel are no kernels of a device.
    assert!(!has_streams(doc.trace()));
    assert_eq!(doc.derived().timeline.track(track).covered(), 0);
    let area = Area { span: Span::new(0, 20_000_000_000), tracks: vec![track] };
    assert_eq!(calls(&mut doc, &area), ["main: 4, 1", "· read: 3, 3"]);
    // The whole time has the last sample too.
    let whole = Area { span: doc.trace().span.unwrap(), ..area };
    assert_eq!(calls(&mut doc, &whole), ["main: 4, 1", "· read: 3, 3"]);
    // Beside scopes the tracks with samples can be chosen, by the groups that they stand in too.
    let group = doc.trace().tracks.get(track).parent.unwrap();
    let head = doc.head();
    assert_eq!(head.sampled_among(&[]), [track]);
    assert_eq!(head.sampled_among(&[track]), [track]);
    assert_eq!(head.sampled_among(&[group]), [track]);
    let (thread, _) = doc.trace().tracks.iter().find(|(_, of)| !of.slices.is_empty()).unwrap();
    assert!(head.sampled_among(&[thread]).is_empty());
    let samples = Area { tracks: head.sampled_among(&[]), ..whole };
    assert_eq!(calls(&mut doc, &samples), ["main: 4, 1", "· read: 3, 3"]);
    let (answer, _) = doc.query(&TimelineQuery::Slice(SliceId::of_instant(track, 0)));
    let Some(Reply::Slice(Some(sample))) = answer else { panic!("{answer:?}") };
    let stack: Vec<_> = sample.stack.into_iter().map(|call| call.text).collect();
    assert_eq!(stack, ["read · kernel", "main · app"]);
    assert_eq!(sample.args, [("weight".to_owned(), "7".to_owned())]);
}

#[test]
fn calls_are_scopes_or_samples_before_states() {
    let state = r#"{"ph":"T","name":"Sleeping","cat":"thread_state","pid":1,"tid":1,"ts":0,"dur":1000}"#;
    let scope = r#"{"ph":"X","name":"work","pid":1,"tid":1,"ts":10,"dur":100}"#;
    let open = |events: &[&str], rest: &str| {
        let text = format!("{{\"traceEvents\":[{}]{rest}}}", events.join(","));
        let (doc, _) = open_one("trace.json", text.into_bytes());
        doc
    };
    let area = Area { span: Span::new(0, 1_000_000), tracks: Vec::new() };
    // Name and total: states are left out where there are scopes, and tell of themselves alone.
    let totals = |events: &[&str]| {
        let rows = values(&mut open(events, ""), Source::Calls(area.clone()), None, "");
        rows.iter().map(|row| format!("{} {}", row[0], row[3])).collect::<Vec<_>>()
    };
    assert_eq!(totals(&[state, scope]), ["work 100000"]);
    assert_eq!(totals(&[state]), ["Sleeping 1000000"]);
    let samples = r#","stackFrames":{"1":{"name":"main"}},"samples":[{"tid":1,"ts":10,"sf":1},{"tid":1,"ts":30,"sf":1}]"#;
    assert_eq!(calls(&mut open(&[state], samples), &area), ["main: 2, 2"]);
}

#[test]
fn stacks_that_go_round_in_circles_end() {
    let text = r#"{"traceEvents":[{"ph":"X","name":"work","pid":1,"tid":1,"ts":0,"dur":100}],
        "stackFrames":{"1":{"name":"f","parent":2},"2":{"name":"g","parent":1}},
        "samples":[{"tid":1,"ts":10,"sf":1},{"tid":1,"ts":20,"sf":2}]}"#;
    let (doc, _) = open_one("trace.json", text.as_bytes().to_vec());
    let trace = doc.trace();
    let (_, track) = trace.tracks.iter().find(|(_, of)| of.instants.len() == 2).unwrap();
    let deep = [0, 1].map(|row| trace.stacks.frames(track.instants.stack_of(row)).count());
    assert_eq!(deep, [1024, 1023]);
}

#[test]
fn states_of_threads_are_slices_beside_them() {
    let text = r#"[{"ph":"T","name":"Running","cat":"thread_state","pid":1,"tid":7,"ts":1,"dur":3,"args":{"cpu":0}},
        {"ph":"M","name":"thread_name","pid":1,"tid":7,"args":{"name":"main"}},
        {"ph":"X","name":"work","pid":1,"tid":7,"ts":1,"dur":8},
        {"ph":"T","name":"S","cat":"thread_state","pid":1,"tid":7,"ts":4,"dur":2.5},
        {"ph":"T","name":"Running","pid":1,"tid":8,"ts":2,"dur":1},
        {"ph":"T","name":"step","cat":"old","id":1,"pid":1,"ts":5}]"#;
    let (mut doc, _) = open_one("trace.json", text.as_bytes().to_vec());
    let expected = "
        Process 1 / step: step @5000
        Process 1 / Thread 8 (state): Running 2000+1000
        Process 1 / main: work 1000+8000
        Process 1 / main (state): Running 1000+3000
        Process 1 / main (state): S 4000+2500";
    assert_eq!(rows(doc.trace()), lines(expected));
    assert_eq!(codes(&doc), [""; 0]);
    // They are no scopes, and what is recorded is their time: from 1,000 to 6,500.
    let mut of = |of: Of| {
        let options = Options { of: Some(of), ..Options::default() };
        let rows = values(&mut doc, Source::Statistics(options), None, "");
        rows.into_iter().map(|row| row[0].clone()).collect::<Vec<_>>()
    };
    assert_eq!(Of::ALL.map(&mut of), [vec!["work"], vec!["Running", "S"], Vec::<&str>::new()]);
    let rows = values(&mut doc, Source::Threads(Options::default()), None, "");
    for (row, (thread, ran)) in rows.iter().zip([("main 7", 3_000.0), ("Thread 8", 1_000.0)]) {
        let share: f64 = row[2].parse().unwrap();
        assert!(row[0] == thread && (share - ran / 5_500.0).abs() < 1e-9, "{row:?}");
    }
    assert_eq!(rows.len(), 2);
}
