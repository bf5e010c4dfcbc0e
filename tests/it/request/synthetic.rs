//! Depths, bins and bars on traces that are made at random: slices without length, groups, deep overlaps.

use super::events::{bars, depths, read, thinned};
use super::*;
use proptest::prelude::*;

/// Events of one lane: start, length, group (0 is none).
fn trace(slices: &[(i64, i64, u8)]) -> Value {
    let event = |(i, (start, dur, group)): (usize, &(i64, i64, u8))| {
        let mut event = json!({"ph": "X", "name": format!("s{i}"), "pid": "core0", "tid": "SCALAR", "cname": "good",
            "ts": *start as f64 / 1000.0, "dur": *dur as f64 / 1000.0});
        if *group != 0 {
            event["group_id"] = json!(format!("g{group}"));
        }
        event
    };
    let events: Vec<Value> = slices.iter().enumerate().map(event).collect();
    json!({"profilingType": "op", "displayTimeUnit": "ns", "schemaVersion": 2, "traceEvents": events})
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn answers_are_those_of_the_slow_rules(
        slices in proptest::collection::vec((1_000_i64..90_000, prop_oneof![Just(0_i64), 1_i64..40, 1_i64..9_000], 0_u8..12), 1..400),
        from in 0_i64..60_000,
        width in prop_oneof![0_i64..1_200, 0_i64..120_000],
    ) {
        let json = trace(&slices);
        let events = read(&json);
        let mut doc = opened("trace.json", json.to_string().as_bytes());
        let lane = &events.lanes.values().next().unwrap()[..];
        let range = (from, from + width);
        let params = json!({"processId": "core0", "threadId": "1", "startTime": range.0, "endTime": range.1});
        let answer = body(&mut doc, "unit/threadTraces", params.clone());
        let told: Vec<Vec<usize>> = items(&answer["data"])
            .iter()
            .map(|rows| items(rows).iter().map(|s| s["id"].as_str().unwrap().parse::<usize>().unwrap() - 1).collect())
            .collect();
        prop_assert_eq!(told, thinned(lane, range));
        prop_assert_eq!(&answer["maxDepth"], &json!(depths(lane).iter().max().unwrap() + 1));
        let answer = body(&mut doc, "unit/threadTracesSummary", params);
        let told: Vec<(i64, i64)> = items(&answer["data"])
            .iter()
            .map(|bar| (bar["startTime"].as_i64().unwrap(), bar["duration"].as_i64().unwrap()))
            .collect();
        let expected: Vec<(i64, i64)> = bars(&[lane], range).iter().map(|(a, b)| (*a, b - a)).collect();
        prop_assert_eq!(told, expected);
    }
}

#[test]
fn bins_and_bars_by_hand() {
    // From 0: a 10 long, inside of the first bin (of 3) also b, 2 long; c touches a; d far away.
    let slices = [(0, 10, 0), (20, 1, 0), (21, 1, 0), (2_990, 5, 0), (3_000, 0, 0)];
    let mut doc = opened("trace.json", trace(&slices).to_string().as_bytes());
    let params =
        |from: i64, to: i64| json!({"processId": "1", "threadId": "1", "startTime": from, "endTime": to});
    let names = |answer: &Value| -> Vec<String> {
        items(&answer["data"][0]).iter().map(|s| s["name"].as_str().unwrap().to_owned()).collect()
    };
    // 3000 ns in 1000 bins of 3: s1 at 20 is in bin 6, s2 at 21 in bin 7; s3 at 2990 in 996, s4 at 3000 in the last.
    let answer = body(&mut doc, "unit/threadTraces", params(0, 3_000));
    assert_eq!(names(&answer), ["s0", "s1", "s2", "s3", "s4"]);
    // 6000 ns in bins of 6: s1 and s2 are both in bin 3, equally long: the last counts. s3 is in 498, s4 in 500.
    assert_eq!(names(&body(&mut doc, "unit/threadTraces", params(0, 6_000))), ["s0", "s2", "s3", "s4"]);
    // s0 ends where the range begins: it touches it.
    assert_eq!(names(&body(&mut doc, "unit/threadTraces", params(10, 20))), ["s0", "s1"]);
    // Gap unit max(1, 3000 / 30000) = 1: s1 and s2 touch; s3 and s4 are 5 apart.
    let summary = body(&mut doc, "unit/threadTracesSummary", params(0, 3_000));
    let bar = |start: i64, duration: i64| json!({"startTime": start, "duration": duration});
    assert_eq!(summary["data"], json!([bar(0, 10), bar(20, 2), bar(2_990, 5), bar(3_000, 0)]));
    // Gap unit 300000 / 30000 = 10: 10 to 20 is closed.
    let summary = body(&mut doc, "unit/threadTracesSummary", params(0, 300_000));
    assert_eq!(summary["data"], json!([bar(0, 22), bar(2_990, 10)]));
}
