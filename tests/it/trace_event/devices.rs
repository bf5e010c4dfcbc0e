//! Traces of training frameworks with devices: processes and rows are named and ordered as the file says.

use super::rows;
use crate::support::front_door::open_one;
use lanescope::document::Document;
use serde_json::{Value, json};

/// What names a process: number, name, label, place.
fn process(pid: &Value, name: &str, label: &str, place: &Value) -> Vec<Value> {
    let meta = |what: &str, args: Value| json!({"ph": "M", "name": what, "pid": pid, "tid": 0, "args": args});
    vec![
        meta("process_name", json!({"name": name})),
        meta("process_labels", json!({"labels": label})),
        meta("process_sort_index", json!({"sort_index": place})),
    ]
}

/// A row with one slice, by numbers or by texts.
fn row(pid: &Value, tid: &Value, name: &str, place: &Value, is_text: bool) -> Vec<Value> {
    let (ts, dur) =
        if is_text { (json!("1727592872441207.945"), json!("12.5")) } else { (json!(1_000.5), json!(12.5)) };
    vec![
        json!({"ph": "X", "name": "work", "pid": pid, "tid": tid, "ts": ts, "dur": dur}),
        json!({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}}),
        json!({"ph": "M", "name": "thread_sort_index", "pid": pid, "tid": tid, "args": {"sort_index": place}}),
    ]
}

/// A trace of host, device, communication and overlap; ids of the device may be texts, and negative.
fn trace(device: &Value, communication: &str, is_text: bool) -> Document {
    let (host, group, overlap) = (json!(4711), json!(-3), json!("40509088"));
    let place = |n: i64| if is_text { json!(n.to_string()) } else { json!(n) };
    let mut events = vec![
        process(&overlap, "Overlap Analysis", "NPU", &place(21)),
        row(&overlap, &json!(3), "Free", &place(3), is_text),
        row(&overlap, &json!(0), "Computing", &place(0), is_text),
        row(&overlap, &json!(2), "Communication(Not Overlapped)", &place(2), is_text),
        row(&overlap, &json!(1), "Communication", &place(1), is_text),
        process(&group, communication, "NPU", &place(15)),
        row(&group, &json!(-1), "Plane 10", &place(11), is_text),
        row(&group, &json!("-2"), "Plane 2", &place(3), is_text),
        row(&group, &json!(0), "Group 0 Communication", &place(0), is_text),
        process(device, "Ascend Hardware", "NPU", &place(13)),
        row(device, &json!(12), "Stream 12", &place(12), is_text),
        row(device, &json!(2), "Stream 2", &place(2), is_text),
        process(&json!(5), "CANN", "CPU", &place(7)),
        row(&json!(5), &json!(9), "Thread 9", &place(9), is_text),
        process(&host, "Python", "CPU", &place(-1)),
        row(&host, &json!(4711), "Thread 4711", &place(4711), is_text),
    ];
    // A row that nothing names.
    events.push(vec![json!({"ph": "X", "name": "work", "pid": -7, "tid": -8, "ts": 1_000.5, "dur": 1})]);
    let events: Vec<Value> = events.into_iter().flatten().collect();
    let (doc, ready) = open_one("trace_view.json", serde_json::to_vec(&events).unwrap());
    assert!(ready);
    doc
}

#[test]
fn devices_and_communication_are_named_and_ordered_as_the_file_says() {
    for (device, communication, is_text) in [
        (json!(40_508_832), "HCCL", false),
        (json!("40508832"), "Communication", true),
        (json!(-9), "HCCL", true),
    ] {
        let doc = trace(&device, communication, is_text);
        let trace = doc.trace();
        let paths: Vec<String> =
            rows(trace).lines().map(|line| line.split(": work").next().unwrap().to_owned()).collect();
        let group = |lane: &str| format!("{communication} / {lane}");
        let expected = [
            "Ascend Hardware / Stream 2".to_owned(),
            "Ascend Hardware / Stream 12".to_owned(),
            group("Group 0 Communication"),
            group("Plane 2"),
            group("Plane 10"),
            // Devices stand above the host, whose stacks are deep.
            "Python / Thread 4711".to_owned(),
            "Process -7 / Thread -8".to_owned(),
            "CANN / Thread 9".to_owned(),
            "Overlap Analysis / Computing".to_owned(),
            "Overlap Analysis / Communication".to_owned(),
            "Overlap Analysis / Communication(Not Overlapped)".to_owned(),
            "Overlap Analysis / Free".to_owned(),
        ];
        assert_eq!(paths, expected, "{device}");
        let labels: Vec<&str> = trace
            .tracks
            .shown()
            .iter()
            .map(|id| trace.tracks.get(*id))
            .filter(|track| track.parent.is_none())
            .map(|track| trace.strings.get(track.label))
            .collect();
        assert_eq!(labels, ["NPU", "NPU", "CPU", "", "CPU", "NPU"]);
        let start = if is_text { "1727592872441207945+12500" } else { "1000500+12500" };
        assert_eq!(rows(trace).matches(start).count(), 11, "every digit of the time is kept");
        // The one event that keeps its own time lies years before the others where these have an epoch.
        let codes: Vec<&str> = doc.faults().rows().iter().map(|fault| fault.code.as_ref()).collect();
        assert_eq!(codes, if is_text { &["TIM-FAR"][..] } else { &[] });
    }
}
