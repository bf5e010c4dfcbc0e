//! Memory over time, from the instants of every allocation.

use crate::support::front_door::open_one;
use lanescope::base::unit::Unit;
use lanescope::document::Document;

/// Times in µs, and args.
fn open(rows: &[(i64, &str)]) -> Document {
    let events: Vec<String> = rows
        .iter()
        .map(|(ts, args)| {
            format!(r#"{{"ph":"i","s":"t","name":"[memory]","pid":7,"tid":7,"ts":{ts},"args":{{{args}}}}}"#)
        })
        .collect();
    let text = format!(r#"[{{"ph":"X","name":"op","pid":7,"tid":7,"ts":0,"dur":100}},{}]"#, events.join(","));
    let (doc, is_ready) = open_one("trace.json", text.into_bytes());
    assert!(is_ready);
    assert_eq!(doc.trace().n_instants(), rows.len() as u64, "the instants stay");
    doc
}

/// Name of each counter, name of its series, and its samples.
fn counters(doc: &Document) -> Vec<(String, String, Vec<(i64, f64)>)> {
    let trace = doc.trace();
    let counters = trace.tracks.iter().filter(|(_, t)| !t.series.is_empty());
    counters
        .map(|(_, track)| {
            let series = &track.series[0];
            assert_eq!((track.series.len(), &series.unit), (1, &Unit::Bytes));
            let samples = series.time.iter().copied().zip(series.value.iter().copied()).collect();
            let name = |id| trace.strings.get(id).to_owned();
            (name(track.name), name(series.name), samples)
        })
        .collect()
}

#[test]
fn totals_of_the_file_are_the_values() {
    let row = |bytes: i64, allocated: u64, reserved: u64| {
        format!(
            r#""Total Reserved":{reserved},"Total Allocated":{allocated},"Bytes":{bytes},"Addr":140,"Device Id":1,"Device Type":1"#
        )
    };
    let (a, b) = (row(512, 9_007_199_254_740_993, 2_097_152), row(-512, 4_096, 2_097_152));
    let doc = open(&[(1, &a), (3, &b)]);
    let expected = [
        ("Memory of GPU 1", "allocated", vec![(1_000, 9_007_199_254_740_992.0), (3_000, 4_096.0)]),
        ("Reserved memory of GPU 1", "reserved", vec![(1_000, 2_097_152.0), (3_000, 2_097_152.0)]),
    ];
    let expected = expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c));
    assert_eq!(counters(&doc), expected);
}

#[test]
fn what_was_added_and_taken_is_summed_by_device_from_the_least_it_can_be() {
    let cpu = |bytes: i64| format!(r#""Device Type":0,"Device Id":-1,"Bytes":{bytes}"#);
    let npu = r#""Device Type":20,"Device Id":3,"Bytes":7"#;
    let rows = [cpu(100), cpu(-400), cpu(50)];
    // They do not stand in order of time in the file.
    let doc = open(&[(5, &rows[1]), (9, &rows[2]), (2, &rows[0]), (4, npu)]);
    let cpu = vec![(2_000, 400.0), (5_000, 0.0), (9_000, 50.0)];
    let expected = [("Memory of CPU", cpu), ("Memory of device 20.3", vec![(4_000, 7.0)])];
    let expected = expected.map(|(a, b)| (a.to_owned(), "allocated at least".to_owned(), b));
    assert_eq!(counters(&doc), expected);
}

#[test]
fn instants_of_that_name_without_numbers_are_no_counters() {
    let doc = open(&[(1, ""), (2, r#""Device Type":0,"Bytes":"many""#), (3, r#""Bytes":null"#)]);
    assert_eq!(counters(&doc), []);
}
