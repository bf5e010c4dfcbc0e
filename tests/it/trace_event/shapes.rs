//! What becomes of each kind of event, with numbers counted by hand from the fixtures.

use super::{accounts, case, codes, flows, left_out, rows, told};
use crate::support::front_door::{open, open_one, unfinished};
use crate::support::make_trace;
use lanescope::model::build::TraceBuilder;
use lanescope::model::build::digest::digest;
use lanescope::model::chunked::Chunked;
use lanescope::model::slice::{SliceRow, Slices};
use lanescope::model::track::TrackKind;
use lanescope::systems::trace_event::detail;

/// The lines of an expected text.
pub(super) fn lines(text: &str) -> String {
    text.trim().lines().map(|l| format!("{}\n", l.trim())).collect()
}

#[test]
fn every_phase_becomes_what_it_is() {
    let doc = case("phases");
    let trace = doc.trace();
    let expected = "
        app / load: load 100000+60000
        app / load: half @130000
        app / worker: work 100000+50000
        app / worker: now @120000
        app / worker: old now @121000
        app / worker: mark @122000
        app / worker: sample @123000
        app / Thread 11: part 110000+15500
        app / heap: used 100000=10
        app / heap: used 200000=11
        app / heap: free 100000=5.5
        app / heap: free 200000=4.5";
    assert_eq!(rows(trace), lines(expected));
    assert_eq!(flows(trace), "go: app / worker @110000 → app / Thread 11 @115000\n");
    assert_eq!(codes(&doc), ["TEV-BAD-PHASE", "TEV-NO-PHASE", "TEV-NO-PHASE"]);
    let reasons = [("object events", 3), ("memory dumps", 2), ("clock", 1), ("contexts", 3)];
    for (reason, n) in reasons.into_iter().chain([("metadata other than", 1), ("events without a phase", 2)])
    {
        assert_eq!(left_out(trace, reason), n, "{reason}");
    }
    assert_eq!([told(trace, "Events"), told(trace, "Names and sort order")], [32, 5]);
    let app = trace.tracks.get(trace.tracks.shown()[0]);
    assert_eq!((trace.strings.get(app.label), app.order), ("main", 2));
    assert!(trace.coloring.has_color_names && !trace.coloring.by_row());
    let text = digest(trace, &[]);
    for said in ["otherData.id: 12345678901234567890", "devices", "1 | d1 | 64", "displayTimeUnit: ms"] {
        assert!(text.contains(said), "{said} is not in\n{text}");
    }
}

#[test]
fn begins_and_ends_pair_by_the_stated_rules() {
    let doc = case("pairs");
    let expected = "
        Process 0 / Thread 1: A 0+7000
        Process 0 / Thread 1: A 1000+4000
        Process 0 / Thread 2: A 0+10000
        Process 0 / Thread 2: C 20000+10000
        Process 0 / Thread 3: A 0+9000
        Process 0 / Thread 3: B 1000+9000
        Process 0 / Thread 4: lone @3000
        Process 0 / Thread 5: open 4000+36000
        Process 0 / Thread 6: A 0+10000
        Process 0 / Thread 6: C 2000+0
        Process 0 / Thread 7: A 0+9000
        Process 0 / Thread 7: B 1000+7000
        Process 0 / Thread 8: last 0+40000";
    assert_eq!(rows(doc.trace()), lines(expected));
    let said = ["TEV-CROSSED", "TEV-MISMATCH", "TEV-OPEN-BEGIN", "TEV-ORDER", "TEV-ORDER", "TEV-ORDER"];
    assert_eq!(codes(&doc), [&said[..], &["TEV-ORPHAN-END"]].concat());
}

#[test]
fn times_keep_their_last_nanosecond() {
    let doc = case("times");
    let expected = "
        Process 1 / Thread 1: first 1766000000000000001+1
        Process 1 / Thread 1: second 1766000000000000002+1
        Process 1 / Thread 2: touches 379+1
        Process 1 / Thread 2: touched 380+1
        Process 1 / Thread 3: as text 11550183666000+2500
        Process 1 / Thread 4: before zero -2500+1250
        Process 1 / Thread 4: zero 5000+0
        Process 1 / Thread 4: negative 6000+0
        Process 1 / Thread 4: thread time 7000+4000
        Process 1 / Thread 4: no length 8000+0
        Process 1 / Thread 4: absurd length 9000+0";
    assert_eq!(rows(doc.trace()), lines(expected));
    let bad = ["TEV-BAD-TIME"; 4];
    let others = ["TEV-NEG-DUR", "TEV-NO-DUR", "TEV-NO-DUR", "TIM-FAR"];
    assert_eq!(codes(&doc), [&bad[..], &others].concat());
    assert_eq!(left_out(doc.trace(), "events without a valid time"), 3);
    let at = doc.faults().rows().iter().find(|f| f.code == "TEV-NEG-DUR").map(|f| f.place.to_string());
    assert_eq!(at.as_deref(), Some("trace.json, traceEvents ▸ event 7, byte 434 (0x1B2)"));
}

#[test]
fn odd_escapes_and_values_are_said_once_with_their_number() {
    let event = |name: &str| format!(r#"{{"ph":"X","name":"{name}","pid":1,"tid":1,"ts":1,"dur":1}}"#);
    let sample = |value: &str| format!(r#"{{"ph":"C","name":"c","pid":1,"ts":1,"args":{{"v":{value}}}}}"#);
    let names = [r"C:\dir", r"\u12", r"\ud800x", r"\udc00", r"\ud83d\ude00", r"\u00e9\n\/\ufffd"];
    let events: Vec<String> = names.into_iter().map(event).collect();
    let samples = ["1", "NaN", "NaN", "2"].map(sample);
    let (doc, _) = open_one("a.json", format!("[{},{}]", events.join(","), samples.join(",")).into_bytes());
    let said: Vec<String> =
        doc.faults().rows().iter().map(|fault| format!("{} {}", fault.code, fault.kind)).collect();
    let expected = ["TEV-ESCAPE 4 names with escapes unknown to JSON", "TEV-NAN 2 counter values are NaN"];
    assert_eq!(said, expected);
}

/// What is said of events far from others: the place, and the sentence.
fn far(events: &[String]) -> Vec<(String, String)> {
    let (doc, _) = open_one("a.json", format!("[{}]", events.join(",")).into_bytes());
    let far = doc.faults().rows().iter().filter(|fault| fault.code == "TIM-FAR");
    far.map(|fault| (fault.place.to_string(), fault.kind.to_string())).collect()
}

#[test]
fn an_event_far_from_all_others_is_said_with_its_place() {
    let slice = |name: &str, ts: u64, dur: u64| {
        format!(r#"{{"ph":"X","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#)
    };
    // Three of 25 µs in all, and one 127 years later.
    let near = [slice("a", 1, 5), slice("c", 20, 5), slice("d", 12, 2)];
    let late = slice("b", 4_007_199_254_741_000, 5);
    let byte = 1 + near.iter().map(|event| event.len() + 1).sum::<usize>();
    let all: Vec<String> = near.iter().cloned().chain([late]).collect();
    let said = far(&all);
    let [(place, what)] = &said[..] else { panic!("{said:?}") };
    assert!(
        place.starts_with("a.json, Process 1 / Thread 1, byte ") && place.contains(&format!("byte {byte} ")),
        "{place}"
    );
    assert!(what.starts_with("1 event starts 4,007,199,254.74"), "{what}");
    assert!(what.ends_with(" s after all others of the file, which take 24.000 µs: b"), "{what}");
    // The same in front of the others, as a time of zero does; an instant counts as much as a slice.
    let epoch = |ts: u64| 1_700_000_000_000_000 + ts;
    let mut early: Vec<String> = (0..4).map(|n| slice("a", epoch(n * 10), 5)).collect();
    early.push(r#"{"ph":"i","name":"zero","pid":1,"tid":2,"ts":0,"s":"t"}"#.to_owned());
    let said = far(&early);
    let [(_, what)] = &said[..] else { panic!("{said:?}") };
    assert!(what.starts_with("1 event ends ") && what.ends_with("which take 35.000 µs: zero"), "{what}");
    // Not farther than a hundred times what the others take, not of too few others, not of as many.
    let seconds = [slice("a", 0, 5_000_000), slice("c", 19_000_000, 5_000_000), slice("d", 11_000_000, 2)];
    let with = |ts: u64| far(&[&seconds[..], &[slice("b", ts, 5)]].concat()).len();
    assert_eq!((with(24_000_000 + 2_400_000_000), with(24_000_000 + 2_400_000_001)), (0, 1));
    // Less than a second is no wrong clock.
    let of_near = |ts: u64| far(&[&near[..], &[slice("b", ts, 5)]].concat()).len();
    assert_eq!((of_near(25 + 999_999), of_near(25 + 1_000_000)), (0, 1));
    assert!(far(&[slice("a", 1, 5), slice("b", 9_000_000, 5)]).is_empty());
    let later = (0..3).map(|n| slice("b", 9_000_000 + n, 1));
    assert!(far(&near.iter().cloned().chain(later).collect::<Vec<_>>()).is_empty());
    // One that others last through is not alone.
    let long = [slice("long", 3, 9_000_000), slice("b", 8_000_000, 5)];
    assert!(far(&[&near[..], &long].concat()).is_empty());
}

#[test]
fn two_recordings_far_from_each_other_are_said_with_both() {
    let slice = |tid: u64, ts: u64, dur: u64| {
        format!(r#"{{"ph":"X","name":"a","pid":1,"tid":{tid},"ts":{ts},"dur":{dur}}}"#)
    };
    let first = || (0..12).map(|n| slice(1, n * 10, 5));
    let second = |ts: u64| (0..20).map(move |n| slice(2 + n % 2, ts + n * 10, 5));
    let said = far(&first().chain(second(1_000_000_000)).collect::<Vec<_>>());
    let expected = "two groups of events 1,000.000 s apart: 12 events on 1 track in 115.000 µs, then 20 events on 2 tracks in 195.000 µs";
    assert_eq!(said, [("a.json".to_owned(), expected.to_owned())]);
    // Not nearer than a second, nor than a hundred times what both take; one that lasts through is in no gap.
    let of = |ts: u64| far(&first().chain(second(ts)).collect::<Vec<_>>()).len();
    assert_eq!((of(115 + 999_999), of(115 + 1_000_000)), (0, 1));
    let long = |ts: u64| {
        let seconds = (0..12).map(|n| slice(1, n * 1_000_000, 1_000_000));
        far(&seconds.chain(second(ts)).collect::<Vec<_>>()).len()
    };
    assert_eq!((long(12_000_000 + 1_200_000_000), long(12_000_000 + 1_200_020_000)), (0, 1));
    let through = first().chain(second(1_000_000_000)).chain([slice(9, 50, 900_000_000)]);
    assert!(far(&through.collect::<Vec<_>>()).is_empty());
}

/// Files of one slice each: a thousand of them are put in order a few times, not a thousand.
#[test]
fn tracks_of_many_small_files_are_put_in_order_a_few_times() {
    let mut builder = TraceBuilder::default();
    let mut n_arranged = 0;
    for at in 0..2_000 {
        let name = builder.intern(&format!("t{at}"));
        let track = builder.track(None, TrackKind::Slices, name, at).unwrap();
        builder.slice(track, SliceRow::new(0, 1, name));
        n_arranged += usize::from(builder.arrange_if_worth());
    }
    assert!((5..20).contains(&n_arranged), "{n_arranged}");
}

#[test]
fn partly_overlapping_slices_are_all_there() {
    let doc = case("overlaps");
    let expected = "
        Process 1 / Thread 1: a 0+10000
        Process 1 / Thread 1: b 5000+10000
        Process 1 / Thread 1: c 12000+10000
        Process 1 / Thread 2: outer 1000+8000
        Process 1 / Thread 2: inner 1000+2000
        Process 1 / Thread 2: touching 9000+1000
        Process 1 / Thread 2: point 9000+0";
    assert_eq!(rows(doc.trace()), lines(expected));
    assert_eq!(codes(&doc), [""; 0]);
}

#[test]
fn ids_that_look_alike_are_one() {
    let doc = case("ids");
    let expected = "
        No process / No thread: d 4000+1000
        No process / No thread: e 5000+1000
        No process / No thread: f 6000+1000
        Process 7 / python: a 0+1000
        Process 7 / python: b 2000+1000
        Traces / stream 7: c 3000+1000
        café / Thread -1: g 7000+1000";
    assert_eq!(rows(doc.trace()), lines(expected));
    assert_eq!(doc.trace().tracks.len(), 8, "a process that is only named has no track");
}

#[test]
fn arrows_join_starts_with_ends() {
    let doc = case("flows");
    let thread = |n| format!("Process 1 / Thread {n}");
    let arrow = |name, (a, at), (b, to)| format!("{name}: {} @{at} → {} @{to}\n", thread(a), thread(b));
    let expected = [
        arrow("chain", (1, 1000), (2, 2000)),
        arrow("chain", (2, 2000), (3, 3000)),
        arrow("fan", (1, 10000), (2, 11000)),
        arrow("fan", (1, 10000), (3, 12000)),
        arrow("late start", (1, 20000), (2, 21000)),
        arrow("twice", (1, 41000), (2, 42000)),
        // A device with a clock of its own: the end lies before the start.
        arrow("device clock", (1, 55000), (2, 50000)),
        arrow("device clock", (1, 55000), (3, 60000)),
        // All starts first in the file: what counts is the time.
        arrow("again", (1, 70000), (2, 75000)),
        arrow("again", (1, 80000), (3, 85000)),
        arrow("scopes", (1, 90000), (3, 92000)),
        arrow("scopes", (2, 91000), (4, 93000)),
    ];
    assert_eq!(flows(doc.trace()), expected.concat());
    assert_eq!(codes(&doc), ["TEV-OPEN-FLOW", "TEV-ORPHAN-FLOW"]);
    assert_eq!(left_out(doc.trace(), "flow starts"), 2);
    assert_eq!(left_out(doc.trace(), "flow ends"), 2);
}

#[test]
fn asynchronous_ids_have_tracks_of_their_own() {
    let doc = case("asyncs");
    let expected = "
        Process 1 / legacy: legacy 30000+3000
        Process 1 / legacy: legacy @31000
        Process 1 / lone: lone @34000
        Process 1 / open: open 35000+15000
        Process 1 / other: other 30500+3500
        Process 1 / read: read 0+10000
        Process 1 / read: wait 2000+2000
        Process 1 / read: read 5000+10000
        Process 1 / read: packet @3000
        Process 1 / send: send 20000+2000
        Process 1 / Thread 1: end @50000
        Process 2 / send: send 21000+3000";
    assert_eq!(rows(doc.trace()), lines(expected));
    assert_eq!(unfinished(&doc), ["Process 1 / open: open"]);
    assert_eq!(codes(&doc), ["TEV-OPEN-BEGIN", "TEV-ORPHAN-END"]);
}

#[test]
fn slices_that_never_end_reach_to_the_last_of_them() {
    let begin = |name: &str, ts: u32| format!(r#"{{"ph":"B","pid":1,"tid":1,"name":"{name}","ts":{ts}}}"#);
    let text = format!("[{},{},{}]", begin("a", 10), begin("b", 11), begin("c", 12));
    let (doc, _) = open_one("begins.json", text.into_bytes());
    let expected = "
        Process 1 / Thread 1: a 10000+2000
        Process 1 / Thread 1: b 11000+1000
        Process 1 / Thread 1: c 12000+0";
    assert_eq!(rows(doc.trace()), lines(expected));
    assert_eq!(unfinished(&doc), ["a", "b", "c"].map(|name| format!("Process 1 / Thread 1: {name}")));
}

#[test]
fn counters_have_a_series_for_each_number() {
    let doc = case("counters");
    let expected = "
        Process 1 / memory: used(bytes) 1000=100
        Process 1 / memory: used(bytes) 1500=110
        Process 1 / memory: used(bytes) 2000=120
        Process 1 / memory: free(bytes) 1000=50
        Process 1 / memory: free(bytes) 2000=NaN
        Process 1 / memory [gpu0]: used(bytes) 3000=7
        Process 1 / rate: rate(MB/s) 0=-1500";
    assert_eq!(rows(doc.trace()), lines(expected));
    assert_eq!(left_out(doc.trace(), "counter samples without a number"), 1);
}

#[test]
fn operator_traces_have_rules_of_their_own() {
    let doc = case("operator");
    let trace = doc.trace();
    let expected = "
        MTE Throughput / GM_TO_L1: throughput(MB/s) 300=9483.43
        MTE Throughput / GM_TO_L1: throughput(MB/s) 600=0
        core0.cubecore0 / MTE1: MOV 500+10
        core0.cubecore0 / MTE1: SET_FLAG 500+10
        core0.cubecore0 / MTE1: set_event 600+0
        core0.cubecore0 / SCALAR: LD 100+2
        core0.cubecore0 / SCALAR: cache_time 102+4
        core0.cubecore0 / CUBE: WAIT_FLAG 300+250
        core0.cubecore0 / CUBE: MMAD 550+200
        core0.cubecore0 / CUBE: wait_event @600
        core0.cubecore0 / ODD: odd lane 100+1
        core1.cubecore0 / CUBE: BAR 700+1";
    assert_eq!(rows(trace), lines(expected));
    let arrows = "
        flow: core0.cubecore0 / MTE1 @510 → core0.cubecore0 / CUBE @550
        flow: core0.cubecore0 / MTE1 @510 → core1.cubecore0 / CUBE @700";
    assert_eq!(flows(trace), lines(arrows));
    assert!(trace.flows.by_flag && trace.coloring.by_row() && trace.coloring.has_color_names);
    assert_eq!((trace.terms.group.as_str(), trace.terms.row.as_str()), ("Core", "Pipe"));
    assert_eq!(codes(&doc), ["TEV-OPEN-BEGIN", "TEV-ORPHAN-END"]);
    // A flag that nobody waits for is set in no time: nothing of it is unknown.
    assert_eq!(unfinished(&doc), [""; 0]);
    for (reason, n) in [("operator begin and end", 1), ("event types", 2), ("operator events", 1)] {
        assert_eq!(left_out(trace, reason), n, "{reason}");
    }
    assert_eq!(left_out(trace, "operator counter samples at time 0"), 1);
    let mte1 =
        trace.tracks.iter().find(|(id, _)| trace.track_path(*id) == "core0.cubecore0 / MTE1").unwrap().1;
    let text = |column: &Chunked<_>, row| trace.strings.get(Slices::sparse(column, row)).to_owned();
    assert_eq!(text(&mte1.slices.flag, 1), "core0_1");
    assert_eq!(text(&mte1.slices.color, 1), "black");
    let scalar = trace.tracks.iter().find(|(_, t)| trace.strings.get(t.name) == "SCALAR").unwrap().1;
    assert_eq!([text(&scalar.slices.group, 0), text(&scalar.slices.group, 1)], ["5", "5"]);
}

#[test]
fn pipes_without_order_stand_as_their_tools_show_them() {
    let doc = case("operator_plain");
    let expected = "
        core2.veccore0 / unheard of: d 1000+1000
        core2.veccore0 / SCALAR: c 1000+1000
        core2.veccore0 / VECTOR: b 1000+1000
        core2.veccore0 / WARP_2: e 1000+1000
        core10.veccore0 / MTE3: a 1000+1000";
    assert_eq!(rows(doc.trace()), lines(expected));
}

#[test]
fn profiles_of_pytorch_open_as_they_are() {
    let doc = case("pytorch_like");
    let trace = doc.trace();
    let expected = "
        Process 0 / stream 7: void kernel<float, 4>(int) 1623142623460200000+100000
        Traces / Profiler: Profiler (0) 1623142623460016000+1065723000
        python / thread 25738 (python): aten::empty 1623142623460111000+25000
        python / thread 25738 (python): cudaLaunchKernel 1623142623460140000+7000
        python / thread 25738 (python): [memory] @1623142623460120000
        python / Memory of CPU: allocated 1623142623460120000=100
        No process / No thread: Record Window End @1623142624633484000";
    assert_eq!(rows(trace), lines(expected));
    let arrow = "launch: python / thread 25738 (python) @1623142623460140000 → Process 0 / stream 7 @1623142623460200000\n";
    assert_eq!(flows(trace), arrow);
    assert_eq!(codes(&doc), [""; 0]);
    let gpu = trace.tracks.iter().find(|(_, t)| trace.strings.get(t.name) == "Process 0").unwrap().1;
    assert_eq!(trace.strings.get(gpu.label), "GPU 0");
    let devices = trace.figures.iter().find(|f| f.id == "trace-deviceProperties");
    assert!(devices.is_some(), "the devices are a table");
}

#[test]
fn the_details_of_a_slice_are_read_back_from_its_place() {
    let doc = case("operator");
    let trace = doc.trace();
    let (_, mte1) = trace.tracks.iter().find(|(_, t)| trace.strings.get(t.name) == "MTE1").unwrap();
    let bytes = doc.bytes(mte1.entry, mte1.slices.detail(0));
    let detail = detail(&bytes);
    assert_eq!(detail.args, [("code".to_owned(), "/k.cpp:13\n/impl.h:38".to_owned())]);
    let frames: Vec<_> = detail.code.iter().map(|f| (f.path.as_str(), f.line)).collect();
    assert_eq!(frames, [("/k.cpp", Some(13)), ("/impl.h", Some(38))]);
    let members: Vec<&str> = detail.members.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(members, ["cname", "ts", "dur"]);
}

#[test]
fn nothing_vanishes_in_any_case() {
    for made in make_trace::all() {
        accounts(&case(made.case), made.case);
    }
}

#[test]
fn slices_bear_arrows() {
    let doc = case("bound");
    let expected = "
        out: Process 1 / Thread 1 @0 → Process 1 / Thread 2 @3000
        out: Process 1 / Thread 1 @0 → Process 1 / Thread 3 @4000
        first: Process 1 / Thread 1 @10000 → Process 1 / Thread 2 @12000
        step: Process 1 / Thread 2 @12000 → Process 1 / last @14000
        begins: Process 1 / Thread 1 @20000 → Process 1 / Thread 2 @21000";
    assert_eq!(flows(doc.trace()), lines(expected));
    assert_eq!(codes(&doc), ["TEV-FLOW-WAY", "TEV-OPEN-FLOW", "TEV-ORPHAN-FLOW"]);
    assert_eq!(told(doc.trace(), "Slices with flows"), 10);
    assert!(digest(doc.trace(), &[]).contains("5 flows"));
    accounts(&doc, "bound");
}

#[test]
fn an_operator_may_say_so_behind_its_events() {
    let doc = case("operator_late");
    assert!(doc.trace().coloring.by_row() && doc.trace().flows.by_flag);
    assert!(rows(doc.trace()).contains("core0.cubecore0 / MTE1: SET_FLAG 500+50\n"), "{}", rows(doc.trace()));
    assert_eq!(codes(&doc), [""; 0]);
    // A word inside an event says nothing of the file.
    let inside = br#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1,"args":{"profilingType":"op"}}]"#;
    let (doc, _) = open_one("inside.json", inside.to_vec());
    assert!(!doc.trace().coloring.by_row());
}

#[test]
fn an_operator_that_says_so_too_far_from_the_end_is_read_as_any_trace_and_told() {
    let event = r#"{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1}"#;
    let rest = "x".repeat(70_000);
    let text = format!(r#"{{"traceEvents":[{event}],"profilingType":"op","rest":"{rest}"}}"#);
    let (doc, _) = open_one("late.json", text.into_bytes());
    assert_eq!(codes(&doc), ["TEV-LATE-TYPE", "TEV-NOT-SHOWN"]);
    let place = &doc.faults().rows()[0].place;
    assert_eq!(place.byte, Some(86), "{place}");
    assert!(!doc.trace().coloring.by_row() && doc.trace().n_slices() == 1);
}

#[test]
fn several_files_stand_in_groups_of_their_own() {
    let event = |name: &str| {
        let text = format!(
            r#"{{"schemaVersion":1,"traceEvents":[{{"ph":"X","name":"{name}","pid":1,"tid":2,"ts":0,"dur":1}}]}}"#
        );
        (format!("run/{name}.json"), text.into_bytes())
    };
    let (doc, _) = open(vec![event("a"), event("b")], 1 << 16);
    let expected = "
        a.json / Process 1 / Thread 2: a 0+1000
        b.json / Process 1 / Thread 2: b 0+1000";
    assert_eq!(rows(doc.trace()), lines(expected));
    let ids: Vec<(&str, &str)> =
        doc.trace().figures.iter().map(|f| (f.id.as_str(), f.variants[0].scope.as_str())).collect();
    let (a, b) = ("run/a.json", "run/b.json");
    let expected = [("trace-events-0", a), ("trace-facts-0", a), ("trace-events-1", b), ("trace-facts-1", b)];
    assert_eq!(ids, expected);
}

#[test]
fn names_of_several_files_leave_out_the_folders_that_all_share() {
    use lanescope::input::Memory;
    use lanescope::input::{Bundle, Entry, EntryId};
    let short = |paths: &[&str]| {
        let source = || std::rc::Rc::new(Memory(Vec::new()));
        let entries = paths.iter().map(|path| Entry { path: (*path).to_owned(), source: source() });
        let bundle = Bundle::new(entries.collect());
        (0..paths.len() as u32).map(|i| bundle.short(EntryId(i)).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(short(&["run/one/t.json", "run/other/t.json"]), ["one/t.json", "other/t.json"]);
    assert_eq!(short(&["a.json", "run/b.json"]), ["a.json", "run/b.json"]);
    assert_eq!(short(&["跑/è1/t", "跑/é1/t"]), ["è1/t", "é1/t"]);
    assert_eq!(short(&["run/a.json"]), ["a.json"]);
}

#[test]
fn tracks_beyond_the_limit_are_told_and_counted() {
    use lanescope::format::Sink;
    use lanescope::model::build::MAX_TRACKS;
    use lanescope::model::id::StrId;
    use lanescope::model::track::TrackKind;
    use lanescope::systems::trace_event::{Events, Options};
    let mut sink = Sink::default();
    while sink.builder.trace().tracks.len() < MAX_TRACKS - 2 {
        sink.builder.track(None, TrackKind::Slices, StrId(0), 0).unwrap();
    }
    let event = |tid: u32| format!(r#"{{"ph":"X","name":"a","pid":1,"tid":{tid},"ts":0,"dur":1}}"#);
    let text = format!("[{},{},{},{}]", event(1), event(2), event(3), event(1));
    let mut events = Events::new(Options::default());
    events.feed(text.as_bytes(), 0, &mut sink);
    events.end_text(&mut sink);
    assert_eq!((sink.builder.trace().tracks.len(), sink.builder.n_rows()), (MAX_TRACKS, 2));
    assert_eq!(left_out(sink.builder.trace(), "events beyond"), 2);
    let said: Vec<String> = sink.faults.rows().iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("event 2") && said[0].contains("limit of 1,000,000"), "{said:?}");
}
