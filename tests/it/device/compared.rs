//! Two profiles beside each other: kernels, operators, functions, steps, idle time and latencies, each apart; numbered names
//! meet.

use super::open;
use crate::support::front_door;
use lanescope::document::Document;
use lanescope::views::timeline::messages::{TotalsBy, WorkQuery, WorkReply};
use lanescope::wire::{pack, unpack};

use std::fmt::Write;

/// Steps from a number on; each launches a kernel of a length, some µs after its call.
fn profile(first: usize, gemm: usize, waits: usize) -> String {
    let mut text = String::from(
        "{\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_labels\",\"args\":{\"labels\":\"GPU 0\"}},\n{\"ph\":\"M\",\"pid\":0,\"tid\":7,\"name\":\"thread_name\",\"args\":{\"name\":\"stream 7\"}}",
    );
    for at in 0..3 {
        let (number, start) = (first + at, 1_000 * at);
        let call = start + 20;
        let begin = call + waits;
        let event = |pid, tid, name: &str, category: &str, start, dur, args: &str| {
            format!(
                ",\n{{\"ph\":\"X\",\"pid\":{pid},\"tid\":{tid},\"name\":\"{name}\",\"cat\":\"{category}\",\"ts\":{start},\"dur\":{dur},\"args\":{{{args}}}}}"
            )
        };
        let link = format!("\"correlation\":{}", at + 1);
        text += &event(1, 1, &format!("ProfilerStep#{number}"), "user_annotation", start, 900, "");
        text += &event(1, 1, "train.py(1): step", "python_function", start + 5, 800, "");
        text += &event(1, 1, "aten::mm", "cpu_op", start + 10, 50, "");
        text += &event(1, 1, "cudaLaunchKernel", "cuda_runtime", call, 2, &link);
        text += &event(0, 7, &format!("gemm {at}"), "kernel", begin, gemm, &link);
    }
    write!(text, "\n]}}").unwrap();
    text
}

/// Name, count, total in µs, in the order of the answer.
fn totals(doc: &mut Document, by: TotalsBy) -> Vec<(String, u64, f64)> {
    let ask: WorkQuery = unpack(&pack(&WorkQuery::Totals { span: None, by })).unwrap();
    match doc.query(&ask).0 {
        Some(WorkReply::Totals(totals)) => {
            totals.rows.into_iter().map(|(name, total)| (name, total.count, total.total / 1e3)).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn row(name: &str, count: u64, total: f64) -> (String, u64, f64) {
    (name.to_owned(), count, total)
}

#[test]
fn what_is_compared_stands_apart_and_numbered_names_meet() {
    let (mut before, mut after) = (open(&profile(3, 100, 10)), open(&profile(40, 60, 30)));
    assert_eq!(totals(&mut before, TotalsBy::Kernels), [row("gemm *", 3, 300.0)]);
    assert_eq!(totals(&mut after, TotalsBy::Kernels), [row("gemm *", 3, 180.0)]);
    // Collectives bear the number of their group, which is another one in each run, and count on.
    let collectives =
        profile(3, 100, 10).replace("gemm ", "hcom_allReduce__271_").replace("__271_2", "__868_2");
    let collectives = ["271_0", "271_1", "868_2"]
        .iter()
        .fold(collectives, |text, own| text.replace(&format!("__{own}\""), &format!("__{own}_1\"")));
    assert_eq!(totals(&mut open(&collectives), TotalsBy::Kernels), [row("hcom_allReduce__*", 3, 300.0)]);
    for doc in [&mut before, &mut after] {
        assert_eq!(totals(doc, TotalsBy::Operators), [row("aten::mm", 3, 150.0)]);
        assert_eq!(totals(doc, TotalsBy::Functions), [row("train.py(1): step", 3, 2_400.0)]);
        // Steps of other numbers are the same steps.
        assert!(totals(doc, TotalsBy::Name).contains(&row("ProfilerStep#*", 3, 2_700.0)));
    }
    let steps = totals(&mut after, TotalsBy::Steps);
    assert!(
        steps.contains(&row("Wall", 3, 2_700.0)) && steps.contains(&row("Compute", 3, 180.0)),
        "{steps:?}"
    );
    assert!(steps.contains(&row("Idle", 3, 2_520.0)), "{steps:?}");
    let idle = totals(&mut after, TotalsBy::Idle);
    let whole = after.trace().span.unwrap().dur() as f64 / 1e3;
    let sum: f64 = idle.iter().map(|row| row.2).sum();
    assert!(idle.contains(&row("Busy", 1, 180.0)) && (sum - whole).abs() < 1e-6, "{idle:?} of {whole}");
    assert_eq!(totals(&mut before, TotalsBy::Latency)[0], row("Mean latency", 3, 30.0));
    let latency = totals(&mut after, TotalsBy::Latency);
    assert_eq!(latency[0], row("Mean latency", 3, 90.0));
    assert!(
        latency.contains(&row("Median", 0, 30.0)) && latency.contains(&row("p95", 0, 30.0)),
        "{latency:?}"
    );
}

#[test]
fn traces_without_devices_have_nothing_of_them_to_compare() {
    let mut doc = open(r#"{"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"f","ts":0,"dur":8}]}"#);
    for by in [TotalsBy::Kernels, TotalsBy::Steps, TotalsBy::Idle, TotalsBy::Latency] {
        assert!(totals(&mut doc, by).is_empty(), "{by:?}");
    }
}

/// Two ranks, of which one has longer kernels that begin later, against one: sums are of both, means of all launches.
#[test]
fn two_ranks_are_compared_with_one() {
    let file = |(rank, text): (usize, String)| {
        let text =
            text.replacen('{', &format!("{{\"distributedInfo\":{{\"rank\":{rank},\"world_size\":2}},"), 1);
        (format!("rank{rank}.json"), text.into_bytes())
    };
    let files = [profile(3, 100, 10), profile(3, 60, 30)].into_iter().enumerate().map(file).collect();
    let (mut both, is_ready) = front_door::open(files, 1 << 16);
    assert!(is_ready);
    let mut one = open(&profile(40, 60, 30));
    assert_eq!(totals(&mut both, TotalsBy::Kernels), [row("gemm *", 6, 3.0 * 100.0 + 3.0 * 60.0)]);
    assert_eq!(totals(&mut one, TotalsBy::Kernels), [row("gemm *", 3, 3.0 * 60.0)]);
    assert_eq!(totals(&mut both, TotalsBy::Operators), [row("aten::mm", 6, 6.0 * 50.0)]);
    // Beside each other they stand for one device each: 240 of two against 180 µs, not 480.
    for by in [TotalsBy::Kernels, TotalsBy::Operators, TotalsBy::Name] {
        let all = |doc: &mut Document| match doc.query(&WorkQuery::Totals { span: None, by }).0 {
            Some(WorkReply::Totals(totals)) => *totals,
            other => panic!("{other:?}"),
        };
        let (before, after) = (all(&mut both), all(&mut one));
        assert_eq!((before.devices, after.devices), (2, 1), "{by:?}");
        let (rows, said) = by.join(&before, &after);
        let said = said.unwrap();
        let expected =
            "A has 2 and B has 1 device: totals and differences are per device, counts are of all.";
        assert_eq!(said.to_string(), expected);
        let of = |name: &str| rows.iter().find(|pair| pair.name == name).map(|pair| pair.compared(false));
        if by != TotalsBy::Operators {
            assert_eq!(of("gemm *"), Some([Some(240e3), Some(180e3)]));
        }
        if by != TotalsBy::Kernels {
            let pair = rows.iter().find(|pair| pair.name == "aten::mm").unwrap();
            assert_eq!((pair.change(false), pair.has_equal_counts()), (Some(0.0), true));
        }
        // As many on both sides are left as they are.
        let (rows, said) = by.join(&before, &before);
        assert!(said.is_none() && rows[0].devices == [1; 2]);
    }
    // How streams spend the time too: a second one of the device on one side is part of its sum.
    let two_streams = profile(40, 60, 30).replacen(
        "\n]}",
        ",\n{\"ph\":\"M\",\"pid\":0,\"tid\":8,\"name\":\"thread_name\",\"args\":{\"name\":\"stream 8\"}},\n{\"ph\":\"X\",\"pid\":0,\"tid\":8,\"name\":\"other\",\"cat\":\"kernel\",\"ts\":400,\"dur\":90}\n]}",
        1,
    );
    let idle = |doc: &mut Document| match doc.query(&WorkQuery::Totals { span: None, by: TotalsBy::Idle }).0 {
        Some(WorkReply::Totals(totals)) => *totals,
        other => panic!("{other:?}"),
    };
    let (before, after) = (idle(&mut both), idle(&mut open(&two_streams)));
    let (rows, said) = TotalsBy::Idle.join(&before, &after);
    assert!(said.is_some());
    let busy = rows.iter().find(|pair| pair.name == "Busy").unwrap();
    let is_of_means = TotalsBy::Idle.is_of_means(said.is_some());
    assert_eq!(busy.compared(is_of_means), [Some(240e3), Some(180e3 + 90e3)]);
    assert_eq!((busy.baseline.unwrap().count, busy.comparison.unwrap().count), (2, 2));
    assert_eq!(TotalsBy::Idle.heads(said.is_some()), ["Total", "Difference", "Mean"]);
    // Steps and launches are told by their means.
    assert!(TotalsBy::Steps.join(&before, &after).1.is_none() && TotalsBy::Steps.is_of_means(true));
    // Of equal numbers of devices the mean of a stream is compared.
    assert!(TotalsBy::Idle.join(&before, &before).1.is_none() && TotalsBy::Idle.is_of_means(false));
    let steps = totals(&mut both, TotalsBy::Steps);
    assert!(
        steps.contains(&row("Wall", 6, 6.0 * 900.0)) && steps.contains(&row("Compute", 6, 480.0)),
        "{steps:?}"
    );
    let latency = totals(&mut both, TotalsBy::Latency);
    assert_eq!(latency[0].1, 6);
    assert!(
        latency.iter().any(|(name, _, value)| name == "Median" && (*value - 20.0).abs() < 1e-6),
        "{latency:?}"
    );
}

#[test]
fn idle_time_that_nothing_was_recorded_of_is_not_said_to_be_added() {
    let waits = |ts: u32, dur: u32| {
        let call = format!(
            "{{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"cudaDeviceSynchronize\",\"cat\":\"cuda_runtime\",\"ts\":{ts},\"dur\":{dur}}}"
        );
        profile(40, 100, 10).replacen("\n]}", &format!(",\n{call}\n]}}"), 1)
    };
    let idle = |text: &str| match open(text).query(&WorkQuery::Totals { span: None, by: TotalsBy::Idle }).0 {
        Some(WorkReply::Totals(totals)) => *totals,
        other => panic!("{other:?}"),
    };
    let after = idle(&waits(200, 500));
    let rows = |before: &str| TotalsBy::Idle.join(&idle(before), &after).0;
    let total = |before: &str| {
        let rows = rows(before);
        let pair = rows.iter().find(|pair| pair.name == "Host synchronizes").unwrap();
        assert_eq!(pair.comparison.map(|sum| sum.total), Some(500e3));
        pair.baseline.map(|sum| sum.total)
    };
    // No such call is recorded; one is, while the device works.
    assert_eq!((total(&profile(40, 100, 10)), total(&waits(40, 50))), (None, Some(0.0)));
    assert_eq!(TotalsBy::Idle.alone(true), "none recorded in A");
    assert_eq!(TotalsBy::Kernels.alone(true), "added");
    // What is 0 on both sides is no row.
    assert!(rows(&waits(40, 50)).iter().all(|pair| pair.name != "Inside a copy call"));
}
