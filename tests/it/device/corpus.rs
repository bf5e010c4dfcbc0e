//! Real profiles: equal to the slow version, and to the table of idle time that Holistic Trace Analysis prints.

use super::{rows, slow};
use crate::support::corpus::{corpus, unpacked};
use crate::support::front_door::open_one;
use crate::support::rows::values;
use lanescope::analysis::device::Options;
use lanescope::document::Document;
use lanescope::wire::rows::Source;
use std::collections::BTreeMap;
use std::io::Read;

pub(super) fn opened(files: &BTreeMap<String, Vec<u8>>, name: &str) -> (Document, Vec<u8>) {
    let bytes = files.get(name).unwrap_or_else(|| panic!("{name} is in the archive"));
    let mut plain = Vec::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
    } else {
        plain.clone_from(bytes);
    }
    let (doc, is_ready) = open_one("trace.json", plain.clone());
    assert!(is_ready, "{name} opens");
    (doc, plain)
}

fn number(text: &str) -> i64 {
    text.parse().unwrap()
}

fn numbers<const N: usize>(row: &[String]) -> [i64; N] {
    std::array::from_fn(|at| number(&row[at]))
}

/// Kernels by name against the slow version: count, sum, share, median and p95 as numpy has them.
fn are_sums_equal(name: &str, doc: &mut Document, slow: &slow::Slow) {
    let mut theirs: BTreeMap<(&str, &str), Vec<i64>> = BTreeMap::new();
    for work in slow.works.iter().filter(|work| !work.is_part) {
        let key = (work.event.name.as_str(), work.class);
        theirs.entry(key).or_default().push(work.event.end - work.event.start);
    }
    let whole: i64 = theirs.values().flatten().sum();
    let rows = values(doc, Source::KernelSums(Options::default()), None, "");
    let mut n = 0;
    for row in rows.iter().filter(|row| row[1] != "Waiting for an event") {
        let class = match row[1].as_str() {
            "Computation" => "compute",
            "Communication" => "communication",
            _ => "copy",
        };
        let lengths = theirs.get_mut(&(row[0].as_str(), class)).unwrap_or_else(|| panic!("{name}: {row:?}"));
        lengths.sort_unstable();
        n += 1;
        let sum: i64 = lengths.iter().sum();
        let percentile = |percent: f64| {
            let place = (lengths.len() - 1) as f64 * percent / 100.0;
            let [low, high] = [place.floor(), place.ceil()].map(|at| lengths[at as usize] as f64);
            low + (high - low) * place.fract()
        };
        assert_eq!((number(&row[2]), number(&row[3])), (lengths.len() as i64, sum), "{name}: {row:?}");
        let expected = [sum as f64 / whole as f64, sum as f64 / lengths.len() as f64];
        let expected = expected.into_iter().chain([50.0, 95.0].map(percentile));
        for (at, expected) in (4..8).zip(expected) {
            let told: f64 = row[at].parse().unwrap();
            assert!((told - expected).abs() <= expected.abs() * 1e-9, "{name}: {row:?}, {expected}");
        }
        assert_eq!((number(&row[8]), number(&row[9])), (lengths[0], lengths[lengths.len() - 1]));
    }
    assert_eq!(n, theirs.len(), "{name}: names");
}

/// All four exports against the slow version.
pub(super) fn is_equal(name: &str, (mut doc, bytes): (Document, Vec<u8>)) {
    let events = slow::json(&bytes);
    let mut slow = slow::Slow::new(&events);
    let span = doc.trace().span.unwrap();
    slow.span = slow::recorded(&events).unwrap_or((span.start, span.end));

    let told = rows(&mut doc, "kernels-csv");
    let mut ours: Vec<_> = told
        .iter()
        .filter(|row| row[1] != "wait")
        .map(|row| {
            (
                number(&row[5]),
                number(&row[6]),
                row[0].clone(),
                row[1].clone(),
                row[15].clone(),
                row[18].clone(),
            )
        })
        .collect();
    let mut theirs: Vec<_> = slow
        .works
        .iter()
        .map(|work| {
            let (start, end) = (work.event.start, work.event.end);
            let latency = work.launch.map_or(String::new(), |launch| (start - launch).to_string());
            let operator = work.around.last().cloned().unwrap_or_default();
            (start, end - start, work.event.name.clone(), work.class.to_owned(), operator, latency)
        })
        .collect();
    ours.sort();
    theirs.sort();
    assert_eq!(ours.len(), theirs.len(), "{name}: kernels");
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs, "{name}");
    }

    let told = rows(&mut doc, "operators-device-csv");
    let ours: BTreeMap<String, [i64; 8]> =
        told.iter().map(|row| (row[0].clone(), numbers(&row[1..]))).collect();
    let theirs = slow.operators();
    assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>(), "{name}");
    for (operator, sums) in &ours {
        assert_eq!(sums, &theirs[operator], "{name}: {operator}");
    }
    are_sums_equal(name, &mut doc, &slow);

    let told = rows(&mut doc, "steps-csv");
    let ours: Vec<(String, [i64; 6])> = told.iter().map(|row| (row[0].clone(), numbers(&row[2..]))).collect();
    assert_eq!(ours, slow.steps(), "{name}: steps");

    let told = rows(&mut doc, "idle-csv");
    let told =
        told.chunks(14).map(|rows| numbers::<14>(&rows.iter().map(|row| row[4].clone()).collect::<Vec<_>>()));
    // The slow version does not know when calls return: what is launched late and all from the launch on is one.
    let launched =
        |sums: &[i64], n: usize| [&sums[..5], &[sums[5..5 + n].iter().sum::<i64>()], &sums[5 + n..]].concat();
    let mut ours: Vec<Vec<i64>> = told.map(|sums| launched(&sums, 7)).collect();
    let mut theirs: Vec<Vec<i64>> = slow.idle().values().map(|sums| launched(sums, 4)).collect();
    ours.sort_unstable();
    theirs.sort_unstable();
    // Streams on which nothing but waiting goes on are told too.
    ours.retain(|sums| sums[0] != 0 || theirs.contains(sums));
    assert_eq!(ours, theirs, "{name}: idle");
    let n = |what: &str, n: usize| format!("{n} {what}");
    let launched = slow.works.iter().filter(|work| work.launch.is_some()).count();
    let parts = [
        n("kernels", slow.works.len()),
        n("launched", launched),
        n("waits", slow.waits),
        n("operators", slow.operators().len()),
        n("steps", slow.steps().len()),
        n("streams", theirs.len()),
    ];
    println!("{name}: {}", parts.join(", "));
}

#[test]
fn three_kinds_of_profiles_equal_the_slow_version() {
    let Some(folder) = corpus("real") else { return };
    let files = unpacked(&folder.join("real.tar.zst"), "pytorch/");
    for name in [
        "kineto/resnet50_num_workers_0__worker0.1623143566756.pt.trace.json.gz",
        "hta/trace_filter__sampled_rank-1.json.gz",
        "hta/trace_compare__base__base.json.gz",
        "hta/nccl_parser_config__nccl_data.json.gz",
        "tracelens/mi300__resnet_act_checkpoint.json.gz",
        "ascend_msinsight/level0_rank0_0820fd4_trace_view.json",
        "ascend_msinsight/level1_rank1_eb8fbce_trace_view.json",
        "ascend_msprof-analyze/trace_view.json",
    ] {
        is_equal(name, opened(&files, name));
    }
}

/// What `TraceAnalysis(include_last_profiler_step=True).get_idle_time_breakdown()` of version 0.5.0 prints: stream, class,
/// microseconds. (Unless it is told to, that tool leaves the last step out.)
const IDLE: [(&str, &[(&str, &str, i64)]); 6] = [
    (
        "hta/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz",
        &[
            ("stream 7", "host_wait", 12_855_007),
            ("stream 7", "kernel_wait", 104),
            ("stream 7", "other", 0),
            ("stream 20", "host_wait", 12_011_718),
            ("stream 20", "kernel_wait", 3),
            ("stream 20", "other", 0),
        ],
    ),
    (
        "hta/critical_path__cuda_event_sync__event_sync_trace.json.gz",
        &[("stream 7", "host_wait", 212), ("stream 7", "other", 0)],
    ),
    (
        "hta/critical_path__cuda_event_sync_multi_stream__event_sync_trace.json.gz",
        &[
            ("stream 20", "host_wait", 32),
            ("stream 20", "other", 0),
            ("stream 24", "kernel_wait", 15),
            ("stream 24", "other", 0),
            ("stream 28", "kernel_wait", 15),
            ("stream 28", "other", 0),
        ],
    ),
    (
        "hta/nccl_parser_config__nccl_data.json.gz",
        &[
            ("stream 7", "host_wait", 542_749),
            ("stream 7", "kernel_wait", 3_224),
            ("stream 7", "other", 0),
            ("stream 40", "host_wait", 583_942),
            ("stream 40", "other", 0),
        ],
    ),
    (
        "hta/trace_diff__control__control.json.gz",
        &[
            ("stream 7", "host_wait", 133_311),
            ("stream 7", "kernel_wait", 17_152),
            ("stream 7", "other", 32_751),
            ("stream 20", "host_wait", 424_456),
            ("stream 20", "kernel_wait", 739),
            ("stream 20", "other", 9_684),
            ("stream 21", "host_wait", 285_806),
            ("stream 21", "kernel_wait", 78),
            ("stream 21", "other", 0),
            ("stream 22", "host_wait", 340_772),
            ("stream 22", "kernel_wait", 1_515),
            ("stream 22", "other", 0),
        ],
    ),
    (
        "kineto/resnet50_num_workers_0__worker0.1623143566756.pt.trace.json.gz",
        &[("stream 7", "host_wait", 263_800), ("stream 7", "kernel_wait", 10_121), ("stream 7", "other", 0)],
    ),
];

#[test]
fn idle_time_is_that_of_holistic_trace_analysis() {
    let Some(folder) = corpus("real") else { return };
    let files = unpacked(&folder.join("real.tar.zst"), "pytorch/");
    for (name, expected) in IDLE {
        let (mut doc, _) = opened(&files, name);
        let told = rows(&mut doc, "idle-csv:idle=classes");
        let ours: Vec<_> =
            told.iter().map(|row| (row[1].as_str(), row[3].as_str(), number(&row[4]) / 1000)).collect();
        assert_eq!(ours, expected, "{name}");
    }
}
