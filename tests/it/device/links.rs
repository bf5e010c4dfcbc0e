//! Launches by the numbers that calls and kernels share, where no flow leads to a kernel.

use super::corpus::is_equal;
use super::{open, rows};
use crate::support::front_door::{open as open_files, open_case};
use std::fmt::Write;

/// A trace of calls on the host and kernels on a stream: time, and the args of each; flows from time to time.
fn trace(calls: &[(i64, &str)], kernels: &[(i64, &str)], flows: &[(i64, i64)]) -> String {
    let mut text = r#"{"traceEvents":[
{"ph":"M","pid":0,"tid":0,"name":"process_labels","args":{"labels":"GPU 0"}},
{"ph":"M","pid":0,"tid":7,"name":"thread_name","args":{"name":"stream 7"}},
{"ph":"X","pid":1,"tid":1,"name":"aten::op","cat":"cpu_op","ts":0,"dur":1000,"args":{"External id":3}}"#
        .to_owned();
    for (time, args) in calls {
        let _ = write!(
            text,
            ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"call\",\"cat\":\"cuda_runtime\",\"ts\":{time},\"dur\":1,\"args\":{args}}}"
        );
    }
    for (time, args) in kernels {
        let _ = write!(
            text,
            ",\n{{\"ph\":\"X\",\"pid\":0,\"tid\":7,\"name\":\"k\",\"cat\":\"kernel\",\"ts\":{time},\"dur\":5,\"args\":{args}}}"
        );
    }
    for (id, (from, to)) in flows.iter().enumerate() {
        let _ = write!(
            text,
            ",\n{{\"ph\":\"s\",\"id\":{id},\"pid\":1,\"tid\":1,\"ts\":{from},\"cat\":\"f\",\"name\":\"f\"}},\n{{\"ph\":\"f\",\"id\":{id},\"pid\":0,\"tid\":7,\"ts\":{to},\"cat\":\"f\",\"name\":\"f\",\"bp\":\"e\"}}"
        );
    }
    text + "]}"
}

/// When each kernel was launched in µs, and by which operator; and all is as the slow version has it.
fn launches(calls: &[(i64, &str)], kernels: &[(i64, &str)], flows: &[(i64, i64)]) -> Vec<String> {
    let text = trace(calls, kernels, flows);
    let told = rows(&mut open(&text), "kernels-csv");
    is_equal("made", (open(&text), text.into_bytes()));
    told.iter()
        .map(|row| format!("{} {}", row[17].trim_end_matches("000"), row[15]).trim().to_owned())
        .collect()
}

#[test]
fn kernels_without_flows_are_launched_by_the_call_of_their_number() {
    let calls = [(10, r#"{"cbid":211,"correlation":11}"#), (20, r#"{"correlation":12}"#)];
    let kernels = [
        (50, r#"{"device":0,"stream":7,"correlation":12,"grid":[1,2,3]}"#),
        (60, r#"{"stream":7, "correlation" : 11}"#),
        (70, r#"{"correlation":13}"#),
        (80, "{}"),
    ];
    assert_eq!(launches(&calls, &kernels, &[]), ["20 aten::op", "10 aten::op", "", ""]);
    // Flows are believed before numbers.
    let found = launches(&calls, &kernels, &[(10, 50), (20, 70)]);
    assert_eq!(found, ["10 aten::op", "10 aten::op", "20 aten::op", ""]);
}

#[test]
fn numbers_that_repeat_mean_the_last_call_before() {
    let calls = [(10, r#"{"correlation":5}"#), (50, r#"{"correlation":5}"#), (90, r#"{"correlation":6}"#)];
    let kernels = [
        (5, r#"{"correlation":5}"#),
        (30, r#"{"correlation":5}"#),
        (40, r#"{"correlation":5}"#),
        (50, r#"{"correlation":5}"#),
        (70, r#"{"correlation":5}"#),
        (80, r#"{"correlation":6}"#),
    ];
    let expected = ["10", "10", "10", "50", "50", "90"].map(|time| format!("{time} aten::op"));
    assert_eq!(launches(&calls, &kernels, &[]), expected);
    let rows = rows(&mut open(&trace(&calls, &kernels, &[])), "kernels-csv");
    assert_eq!(rows[5][18..], ["-10000", "0"], "clocks that are not aligned");
}

#[test]
fn numbers_are_digits_or_texts_and_zero_is_none() {
    let calls = [
        (10, r#"{"correlation":0}"#),
        (11, r#"{"correlation":"21"}"#),
        (12, r#"{"correlation":22}"#),
        (13, r#"{"correlation":1099511627776}"#),
        (14, r#"{"correlation":"a-b"}"#),
        (15, r#"{"correlation":-1}"#),
        (16, r#"{"correlation":null}"#),
        (17, r#"{"correlation":1.5}"#),
        (18, r#"{"Correlation ID":23}"#),
        (19, r#"{"x":{"correlation":24},"y":"correlation","correlation":25}"#),
        (20, r#"{"correlation":4294967295}"#),
        (21, r#"{"correlation":2147483648}"#),
    ];
    let kernels = [
        (100, r#"{"correlation":0}"#, ""),
        (110, r#"{"correlation":21}"#, "11 aten::op"),
        (120, r#"{"correlation":"0022"}"#, "12 aten::op"),
        (130, r#"{"correlation":"1099511627776"}"#, "13 aten::op"),
        (140, r#"{"correlation":"a-b"}"#, "14 aten::op"),
        (150, r#"{"correlation":-1}"#, ""),
        (160, r#"{"correlation":null}"#, ""),
        (170, r#"{"correlation":1.5}"#, ""),
        (180, r#"{"correlation":23}"#, "18 aten::op"),
        (190, r#"{"correlation":24}"#, ""),
        (200, r#"{"correlation":25}"#, "19 aten::op"),
        (210, r#"{"correlation":""}"#, ""),
        (220, r#"{"correlation":"0"}"#, ""),
        (230, r#"{"correlation":4294967295}"#, "20 aten::op"),
        (240, r#"{"correlation":2147483648}"#, "21 aten::op"),
        (250, r#"{"note":"the \"correlation\": 21"}"#, ""),
        (260, r#"{"auto_correlation":21}"#, ""),
    ];
    let given: Vec<(i64, &str)> = kernels.iter().map(|(time, args, _)| (*time, *args)).collect();
    let expected: Vec<&str> = kernels.iter().map(|(.., launch)| *launch).collect();
    assert_eq!(launches(&calls, &given, &[]), expected);
}

#[test]
fn numbers_of_one_side_only_tie_nothing() {
    let numbered = [(10, r#"{"correlation":5}"#), (20, r#"{"correlation":6}"#)];
    assert_eq!(launches(&numbered, &[(50, "{}")], &[]), [""]);
    assert_eq!(launches(&[(10, "{}")], &numbered, &[]), ["", ""]);
}

#[test]
fn numbers_of_another_file_tie_nothing() {
    let file = |call, kernel| {
        let calls = [(call, r#"{"correlation":5}"#)];
        trace(&calls, &[(kernel, r#"{"correlation":5}"#)], &[]).into_bytes()
    };
    let files = [("a.json", file(10, 60)), ("b.json", file(20, 50))];
    let (mut doc, is_ready) = open_files(files.map(|(name, bytes)| (name.to_owned(), bytes)).into(), 1 << 16);
    assert!(is_ready);
    let rows = rows(&mut doc, "kernels-csv");
    let told: Vec<&str> = rows.iter().map(|row| row[18].as_str()).collect();
    assert_eq!(told, ["50000", "30000"], "{rows:?}");
}

/// Any mixture of numbers and flows.
#[test]
fn made_traces_equal_the_slow_version() {
    let mut seed = 20_u64;
    let mut dice = |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    for _ in 0..200 {
        let mut side = |from: i64, step: i64| -> Vec<(i64, String)> {
            let n = dice(12) as i64;
            let args = |kind, id: u64| match kind {
                0 => "{}".to_owned(),
                1 => format!(r#"{{"correlation":"{id}"}}"#),
                _ => format!(r#"{{"stream":7,"correlation":{id}}}"#),
            };
            (0..n).map(|at| (from + step * at, args(dice(5), dice(6)))).collect()
        };
        let (calls, kernels) = (side(3, 11), side(1, 13));
        let mut flows = Vec::new();
        for (time, _) in &kernels {
            if let Some((call, _)) = calls.get(dice(30) as usize) {
                flows.push((*call, *time));
            }
        }
        let calls: Vec<(i64, &str)> = calls.iter().map(|(time, args)| (*time, args.as_str())).collect();
        let kernels: Vec<(i64, &str)> = kernels.iter().map(|(time, args)| (*time, args.as_str())).collect();
        if !kernels.is_empty() {
            launches(&calls, &kernels, &flows);
        }
    }
}

#[test]
fn the_fixture_has_the_launches_that_were_meant() {
    let (mut doc, is_ready) = open_case("trace_event", "links");
    assert!(is_ready);
    let told: Vec<String> = rows(&mut doc, "kernels-csv")
        .iter()
        .map(|row| [&row[..1], &row[15..19]].concat().join(","))
        .collect();
    let expected = [
        "a,aten::op,cudaLaunchKernel,10000,90000",
        "b,aten::op,cudaLaunchKernel,20000,90000",
        "c,aten::op,cudaLaunchKernel,10000,110000",
        "d,aten::op,cudaGraphLaunch,40000,90000",
        "e,aten::op,cudaGraphLaunch,40000,100000",
        "f,,cudaMemsetAsync,170000,-20000",
        "g,,,,",
        "h,,,,",
    ];
    assert_eq!(told, expected);
}
