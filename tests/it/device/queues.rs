//! Queues over the time: as counted one by one, and how much is done in one step.

use super::{open, rows};
use lanescope::analysis::device::{Device, MOMENTS, Options, find_out};
use lanescope::analysis::timeline::Timeline;
use lanescope::base::job::{Job, Turn};
use lanescope::base::time::Span;
use lanescope::document::Document;
use lanescope::model::build::TraceBuilder;
use lanescope::model::slice::SliceRow;
use lanescope::model::track::TrackKind;
use lanescope::model::{FlowEnd, Trace};
use lanescope::views::statistics::messages::Figures;
use std::fmt::Write;

fn figures(doc: &mut Document, options: Options) -> Figures {
    match doc.query(&options).0 {
        Some(figures) => figures,
        other => panic!("{other:?}"),
    }
}

/// Launch and begin of each kernel of two streams.
fn trace(kernels: &[(i64, i64)]) -> String {
    let mut text = r#"{"traceEvents":[
{"ph":"M","pid":0,"tid":7,"name":"thread_name","args":{"name":"stream 7"}},
{"ph":"M","pid":0,"tid":8,"name":"thread_name","args":{"name":"stream 8"}},
{"ph":"X","pid":1,"tid":1,"name":"all","cat":"cpu_op","ts":0,"dur":960}"#
        .to_owned();
    for (at, (launch, begin)) in kernels.iter().enumerate() {
        let (id, stream) = (at + 1, 7 + at % 2);
        let _ = write!(
            text,
            r#",
{{"ph":"X","pid":1,"tid":1,"name":"call","cat":"cuda_runtime","ts":{launch},"dur":0.5,"args":{{"correlation":{id}}}}},
{{"ph":"X","pid":0,"tid":{stream},"name":"k","cat":"kernel","ts":{begin},"dur":0.5,"args":{{"correlation":{id}}}}}"#
        );
    }
    text + "]}"
}

/// The longest queue in each part, counted at each moment at which something happens.
fn slow(works: &[(i64, i64)], span: Span) -> Vec<u32> {
    let parts = MOMENTS as i64;
    let (dur, zero) = (span.end - span.start, span.start);
    // Times in parts of a part.
    let at = |time: i64| (time - zero) * parts;
    let waiting =
        |now: i64| works.iter().filter(|(launch, begin)| at(*launch) <= now && now < at(*begin)).count();
    let part = |part: i64| {
        let (from, end) = (part * dur, (part + 1) * dur);
        let moments = works.iter().flat_map(|(launch, begin)| [at(*launch), at(*begin)]);
        let moments = moments.filter(|now| from <= *now && *now < end).chain([from]);
        moments.map(waiting).max().unwrap_or(0) as u32
    };
    (0..parts).map(part).collect()
}

/// What the export says of a stream.
fn works(doc: &mut Document, stream: &str) -> Vec<(i64, i64)> {
    let rows = rows(doc, "kernels-csv");
    let launched = rows.iter().filter(|row| row[4] == stream && !row[17].is_empty());
    launched.map(|row| (row[17].parse().unwrap(), row[5].parse().unwrap())).collect()
}

#[test]
fn the_longest_queue_of_each_part_of_the_time_is_told() {
    // 10 µs are a part: 96 of them.
    let mut doc = open(&trace(&[(5, 40), (100, 105), (12, 45), (300, 290), (25, 60)]));
    let all = figures(&mut doc, Options::default());
    let names: Vec<&str> = all.queues.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["stream 7", "stream 8"]);
    let queue = &all.queues[0].1;
    assert_eq!((queue.len(), &queue[..8]), (MOMENTS, &[1, 2, 3, 3, 2, 1, 0, 0][..]));
    assert_eq!((all.queues[1].1[10], all.queues[1].1[29], all.queues[1].1.iter().sum::<u32>()), (1, 0, 1));
    // Without launches there is nothing to draw.
    let text = trace(&[(5, 40)]).replace("correlation", "other");
    assert!(figures(&mut open(&text), Options::default()).queues.is_empty());
}

#[test]
fn what_one_call_launches_waits_once() {
    let text = r#"{"traceEvents":[
{"ph":"M","pid":0,"tid":7,"name":"thread_name","args":{"name":"stream 7"}},
{"ph":"X","pid":1,"tid":1,"name":"cudaGraphLaunch","cat":"cuda_runtime","ts":0,"dur":5,"args":{"correlation":1}},
{"ph":"X","pid":0,"tid":7,"name":"copy","cat":"gpu_memcpy","ts":5,"dur":5,"args":{"correlation":1}},
{"ph":"X","pid":0,"tid":7,"name":"a","cat":"kernel","ts":10,"dur":20,"args":{"correlation":1}},
{"ph":"X","pid":0,"tid":7,"name":"b","cat":"kernel","ts":30,"dur":20,"args":{"correlation":1}},
{"ph":"X","pid":0,"tid":7,"name":"c","cat":"kernel","ts":50,"dur":46,"args":{"correlation":1}}]}"#;
    let all = figures(&mut open(text), Options::default());
    // The first kernel of the graph waits for its launch, the others for that.
    assert_eq!((all.latency.kernels, all.latency.median, all.latency.queue), (1, 10_000, 1));
    let queue = &all.queues[0].1;
    assert_eq!((queue[0], queue[4], queue[5], queue[95]), (1, 1, 0, 0));
}

#[test]
fn queues_of_any_mixture_are_as_counted() {
    let mut seed = 4_u64;
    let mut dice = |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 33) % n) as i64
    };
    for turn in 0..60 {
        let kernels: Vec<(i64, i64)> = (0..1 + dice(40)).map(|_| (dice(96) * 10, dice(96) * 10)).collect();
        let mut doc = open(&trace(&kernels));
        let span = (turn % 3 == 1).then(|| Span::new(dice(400_000), 500_000 + dice(400_000)));
        let all = figures(&mut doc, Options { span, ..Options::default() });
        for (name, queue) in &all.queues {
            assert_eq!(queue, &slow(&works(&mut doc, name), all.span), "{name} of {kernels:?} in {span:?}");
        }
    }
}

/// Most rows that a step may look at.
const ROWS: usize = 1 << 14;
/// Kernels of a large trace.
const KERNELS: i64 = 200_000;

/// One stream of kernels that are launched one by one, all in one slice of the host: by flows, or by their numbers.
fn large(has_flows: bool) -> Trace {
    let mut builder = TraceBuilder::default();
    let [kernel, runtime, name] = ["kernel", "runtime", "k"].map(|text| builder.intern(text));
    let [host, stream] = ["host", "stream 7"].map(|text| {
        let text = builder.intern(text);
        let group = builder.track(None, TrackKind::Group, text, 0).unwrap();
        builder.track(Some(group), TrackKind::Slices, text, 0).unwrap()
    });
    builder.slice(host, SliceRow::new(0, 10 * KERNELS, name));
    for at in 0..KERNELS {
        let link = if has_flows { 0 } else { at as u32 + 1 };
        let row = |start, category| SliceRow { category, link, ..SliceRow::new(start, 4, name) };
        builder.slice(stream, row(10 * at + 1_000, kernel));
        if has_flows {
            let [from, to] = [(host, 10 * at), (stream, 10 * at + 1_000)];
            let [from, to] = [from, to].map(|(track, time)| FlowEnd { track, time });
            builder.flow(name, name, name, from, to);
        } else {
            builder.slice(host, row(10 * at, runtime));
        }
    }
    builder.finish();
    builder.into_trace()
}

/// What is found out, and in how many steps.
fn counted(trace: Trace) -> (Device, usize) {
    let mut timeline = Timeline::default();
    while !timeline.extend(&trace) {}
    while !timeline.finish(&trace) {}
    let mut turn = Turn::default();
    let mut job = Job::new(|own: Turn| {
        turn = own.clone();
        async move { find_out(&trace, &timeline, &Options::default(), &own).await }
    });
    for steps in 0.. {
        let done = job.poll();
        assert!(turn.work() <= 5 * ROWS, "step {steps} looks at {} rows", turn.work() / 5);
        if let Some(device) = done {
            return (device, steps);
        }
    }
    unreachable!("it ends")
}

#[test]
fn no_step_looks_at_all_kernels() {
    for has_flows in [true, false] {
        let (device, steps) = counted(large(has_flows));
        assert_eq!(device.works.len() as i64, KERNELS);
        assert!(device.works.iter().all(|work| work.latency() == Some(1_000) && work.operator.0 != 0));
        assert_eq!(device.streams[0].queue[50], 100);
        // Slices, flows or numbers, calls, lists, sets, what is exposed, queues, gaps, latencies: each in its own steps.
        let passes = 16;
        let least = passes * KERNELS as usize / ROWS;
        assert!(least <= steps, "{steps} steps, at least {least} of {ROWS} rows");
    }
}
