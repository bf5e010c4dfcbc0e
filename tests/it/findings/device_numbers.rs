//! Numbers that rules tell of host and device, against made files whose numbers are added up by hand.

use super::device::{Made, assert_near, made, said, steps};
use lanescope::analysis::finding::Finding;
use lanescope::base::words::Language;

fn line(finding: &Finding) -> String {
    finding.line.text(Language::En).into_owned()
}

#[track_caller]
fn number(finding: &Finding, name: &str) -> f64 {
    let own = finding.evidence.numbers.iter().find(|number| number.name == name);
    own.unwrap_or_else(|| panic!("{name}: {:?}", finding.evidence.numbers)).value
}

/// Of sums that take 150 µs in 10 calls and views that take 40 µs in 20 the views are more frequent.
#[test]
fn the_most_frequent_operator_is_the_one_with_most_calls() {
    let of = (0..10).fold(made(), |made, n| {
        let at = n * 1_000;
        made.operator("aten::mm", (at, 100))
            .launched(7, "k", (at + 50, 500), (at + 10, 5))
            .operator("aten::sum", (at + 200, 15))
            .operator("aten::view", (at + 300, 2))
            .operator("aten::view", (at + 310, 2))
    });
    let found = of.found("device-operators-without-work");
    assert_near(found.value, 30.0);
    assert!(line(&found).starts_with("Most frequent is aten::view with 20 calls."), "{}", line(&found));
}

/// 2,000,000 bytes in 2 ms that nothing hides, and in 3 ms that a kernel hides: the latter is the longest.
#[test]
fn the_longest_copy_is_the_one_that_takes_longest() {
    let name = "Memcpy HtoD (Pinned -> Device)";
    let of = made()
        .kernel(7, "a", (0, 4_000))
        .copy(8, name, (500, 3_000))
        .copy(7, name, (4_000, 2_000))
        .kernel(7, "b", (6_000, 4_000));
    let found = of.found("device-copies-not-hidden");
    assert_near(found.value, 2e6);
    assert!(line(&found).contains(" at 0.7 GB/s."), "{}", line(&found));
}

/// 40 kernels of 10 µs and one of 1 ms in a step, one of 1.5 ms behind it.
#[test]
fn outliers_outside_of_steps_are_told_apart() {
    let short = (0..40).fold(made().step(1, (0, 3_000)), |made, n| made.kernel(7, "k", (n * 20, 10)));
    let of =
        short.kernel(7, "k", (1_000, 1_000)).kernel(7, "k", (5_000, 1_500)).kernel(7, "end", (7_000, 10));
    let found = of.found("trace-outliers");
    assert_near(found.value, 990e3);
    assert!(said(&found).starts_with("1 of 42 slices k "), "{}", said(&found));
    assert_near(number(&found, "Above the median"), 990e3);
    assert!(line(&found).starts_with("The longest takes 1.000 ms, 100.0 times"), "{}", line(&found));
    assert!(line(&found).ends_with(" Outside of steps lie 1 more."), "{}", line(&found));
}

/// Two gaps of 1 ms before work that was launched long ago, and one of 2.5 before work of which that is not known.
#[test]
fn gaps_of_all_unexplained_reasons_are_counted() {
    let of = made()
        .kernel(7, "k", (0, 1_000))
        .launched(7, "k", (2_000, 1_000), (0, 5))
        .launched(7, "k", (4_000, 500), (10, 5))
        .kernel(7, "k", (7_000, 3_000));
    let found = of.found("device-idle-unexplained");
    assert_near(found.value, 4.5e6);
    assert_eq!(number(&found, "Gaps").to_bits(), 3.0_f64.to_bits());
    assert_near(number(&found, "Longest gap"), 2.5e6);
    assert!(line(&found).starts_with("Mostly the file does not say when"), "{}", line(&found));
    assert!(line(&found).ends_with(" Launched, not started: 44.4 % of it."), "{}", line(&found));
}

const SERIAL: &str = "device-streams-one-after-the-other";

/// So many pairs of kernels on streams 7 and 8, one after the other.
fn turns(n: u32) -> Made {
    (0..n).fold(made(), |made, n| {
        made.kernel(7, "a", (n * 2_000, 1_000)).kernel(8, "b", (n * 2_000 + 1_000, 900))
    })
}

#[test]
fn what_records_an_event_does_not_wait_for_one() {
    let event = |made: Made, name: &str, at: u32| {
        made.event((0, 8), ("mtia_ccp_events", name), (at * 2_000 + 1_950, 10), "")
    };
    let records = (0..3).fold(turns(3), |made, at| event(made, "event_record", at));
    let text = line(&records.found(SERIAL));
    assert!(text.ends_with("waits for events are not recorded."), "{text}");
    records.missing("device-idle-for-events");
    let both = (0..2).fold(records, |made, at| event(made, "event_wait", at));
    let found = both.found(SERIAL);
    let text = line(&found);
    assert!(text.starts_with("They alternate 5 times; 2 waits for events are recorded"), "{text}");
    assert_eq!(number(&found, "Waits for events").to_bits(), 2.0_f64.to_bits());
}

/// A, B, A are two turns, A, B only one.
#[test]
fn what_is_left_of_a_stream_is_a_turn() {
    let found = turns(1).kernel(7, "a", (2_000, 1_000)).found(SERIAL);
    assert!(line(&found).starts_with("They alternate 2 times."), "{}", line(&found));
    turns(1).nothing(SERIAL);
}

/// 4.5 ms of the second stream, beside 0.4 of which a third one works.
#[test]
fn what_other_streams_hide_already_is_not_saved() {
    let found = turns(5).kernel(20, "c", (1_000, 400)).found(SERIAL);
    assert_near(found.value, 4.5e6);
    assert_near(found.saving.value, 4.1e6);
    assert_near(found.saving.share, 4.1 / 9.9);
}

const MEMORY: &str = "device-memory-calls";

/// 10 ms in which `inside` lies between two kernels, from 0.2 to 5.2 ms in an operator.
fn asks(inside: impl Fn(Made) -> Made) -> Made {
    inside(made().launched(7, "k", (0, 100), (0, 5)).operator("aten::addmm", (200, 5_000))).launched(
        7,
        "k",
        (5_400, 4_600),
        (5_300, 5),
    )
}

#[test]
fn a_free_in_the_first_call_of_an_operator_gives_no_memory_back() {
    let text = line(&asks(|made| made.call("cudaFree", (300, 4_000))).found(MEMORY));
    let expected = "Mostly cudaFree. The longest, cudaFree in aten::addmm, takes 4.000 ms. In the first aten::addmm, 4.000 ms go by in 1 call of cudaFree: a library that is used for the first time may be loading then. Warm up before recording.";
    assert_eq!(text, expected);
    // Calls that allocate are told apart where they take long.
    let both =
        asks(|made| made.call("cudaFree", (300, 3_000)).call("cudaMalloc", (3_400, 1_000))).found(MEMORY);
    let sentence = both.said(Language::En);
    assert!(sentence.contains("calls the driver 2 times to allocate or free memory"), "{sentence}");
    let text = line(&both);
    let expected = "Warm up before recording. 1 of 2 allocate, in 1.000 ms. Sizes that change from step to step grow the cache: fixed shapes, or one large allocation at the start, avoid this.";
    assert!(text.ends_with(expected), "{text}");
    // In another call of the operator, or outside of any, it is only known which it is.
    let second = |made: Made| made.operator("aten::addmm", (110, 50)).call("cudaFree", (300, 4_000));
    let expected = "Mostly cudaFree. The longest, cudaFree in aten::addmm, takes 4.000 ms.";
    assert_eq!(line(&asks(second).found(MEMORY)), expected);
    let alone = steps(|made, at| made.call("cudaFree", (at + 100, 1_000)));
    assert_eq!(line(&alone.found(MEMORY)), "Mostly cudaFree. The longest, cudaFree, takes 1.000 ms.");
}

#[test]
fn memory_is_given_back_where_the_counter_falls_or_the_operator_asks_again() {
    let reserved = |made: Made, at: u32, bytes: u32| {
        made.raw(format!(
            r#"{{"ph":"i","s":"t","pid":1,"tid":1,"name":"[memory]","cat":"cpu_instant_event","ts":{at},"args":{{"Device Type":1,"Device Id":0,"Bytes":100,"Total Allocated":1000,"Total Reserved":{bytes}}}}}"#
        ))
    };
    let of = |after: u32| {
        let freed = asks(|made| made.call("cudaFree", (300, 4_000)));
        line(&reserved(reserved(freed, 250, 9_000_000), 4_400, after).found(MEMORY))
    };
    assert!(of(5_000_000).contains(" 1 of 1 give"), "{}", of(5_000_000));
    assert!(!of(9_000_000).contains("memory back"), "{}", of(9_000_000));
    // It could not get more, emptied the cache, and asks again.
    let retried = |made: Made| {
        made.operator("aten::addmm", (110, 50))
            .call("cudaMalloc", (300, 500))
            .call("cudaFree", (900, 1_000))
            .call("cudaMalloc", (2_000, 500))
    };
    let text = line(&asks(retried).found(MEMORY));
    assert!(text.contains(" 1 of 3 give"), "{text}");
}

/// 16 registers of 256 threads are 4,096 a block: 16 blocks, 4,096 threads, more than any multiprocessor holds.
#[test]
fn a_multiprocessor_holds_so_many_threads_and_no_more() {
    let args = r#""device":0,"registers per thread":16,"block":[256,1,1],"blocks per SM":9.5,"est. achieved occupancy %":100"#;
    let of = |beside: &'static str| {
        let made = made().event((0, 7), ("kernel", "gemm"), (0, 6_000), args).beside(beside);
        line(&made.found("device-hottest-kernel"))
    };
    for (beside, threads) in [
        ("", "2,048"),
        (r#""deviceProperties":[{"id":0,"computeMajor":8,"computeMinor":6}],"#, "1,536"),
        (r#""deviceProperties":[{"id":0,"computeMajor":12,"computeMinor":1}],"#, "1,536"),
        (r#""deviceProperties":[{"id":0,"computeMajor":7,"computeMinor":5}],"#, "1,024"),
        (r#""deviceProperties":[{"id":0,"computeMajor":8,"computeMinor":0}],"#, "2,048"),
        (r#""deviceProperties":[{"id":0,"computeMajor":8,"maxThreadsPerMultiProcessor":512}],"#, "512"),
    ] {
        let expected =
            format!("16 registers per thread allow all {threads} threads that a multiprocessor holds.");
        assert!(of(beside).contains(&expected), "{beside}: {}", of(beside));
    }
}

/// What limits the occupancy of one kernel: registers, bytes and threads of its blocks, and how many these are.
#[test]
fn what_limits_the_occupancy_is_named_where_it_gives_the_estimate() {
    const VOLTA: &str = r#""deviceProperties":[{"id":0,"computeMajor":7,"computeMinor":0,"regsPerMultiprocessor":65536,"sharedMemPerMultiprocessor":98304}],"#;
    const AMPERE: &str = r#""deviceProperties":[{"id":0,"computeMajor":8,"computeMinor":0,"regsPerMultiprocessor":65536,"sharedMemPerMultiprocessor":167936}],"#;
    const HALF: &str = r#""deviceProperties":[{"id":0,"computeMajor":7,"regsPerMultiprocessor":32768}],"#;
    const ESTIMATE: &str = " as estimated by the profiler";
    let of = |beside: &'static str, [registers, shared, threads, blocks, occupancy]: [u32; 5]| {
        let args = format!(
            r#""device":0,"registers per thread":{registers},"shared memory":{shared},"block":[{threads},1,1],"blocks per SM":{blocks},"est. achieved occupancy %":{occupancy}"#
        );
        let made = made().event((0, 7), ("kernel", "gemm"), (0, 6_000), &args).beside(beside);
        let line = line(&made.found("device-hottest-kernel"));
        line.split_once(ESTIMATE).expect("an occupancy").1.to_owned()
    };
    // 88 × 32 are 2,816 registers a warp: 23 warps, 20 of them in four equal parts, ten blocks of two.
    let registers = "; 88 registers per thread allow 640 threads on a multiprocessor with 65,536.";
    assert_eq!(of(VOLTA, [88, 3_328, 64, 180, 31]), registers);
    assert_eq!(of("", [88, 3_328, 64, 180, 31]), registers);
    // The file says that there are half as many: eight warps.
    let half = "; 88 registers per thread allow 256 threads on a multiprocessor with 32,768.";
    assert_eq!(of(HALF, [88, 0, 64, 180, 13]), half);
    // 33 KiB a block with what the system takes: four blocks of 164 KiB, where registers would do for five.
    let shared =
        "; 32.00 KiB of shared memory per block allow 512 threads on a multiprocessor with 164.00 KiB.";
    assert_eq!(of(AMPERE, [86, 32_768, 128, 28, 25]), shared);
    let both = "; 128 registers per thread and 32.00 KiB of shared memory per block each allow 512 threads on a multiprocessor.";
    assert_eq!(of(AMPERE, [128, 32_768, 128, 28, 25]), both);
    let grid = "; its grid has 4.00 blocks of 256 threads per multiprocessor, 1,024 threads.";
    assert_eq!(of(AMPERE, [16, 1_024, 256, 4, 50]), grid);
    // Neither gives 40 %, and whole blocks of 768 threads leave a quarter whatever they need.
    assert_eq!(of(AMPERE, [86, 32_768, 128, 28, 40]), ".");
    assert_eq!(of(AMPERE, [16, 1_024, 768, 28, 75]), ".");
}

/// From 1 to 5 ms nothing runs; then two begin at once, and only of the one on the later stream it is known who launched it.
#[test]
fn of_works_that_begin_at_once_the_one_with_a_launch_tells_why_there_was_a_gap() {
    let made = made().launched(7, "a", (10, 990), (0, 5)).kernel(7, "part", (5_000, 100)).launched(
        8,
        "whole",
        (5_000, 1_000),
        (1_100, 5),
    );
    let text = line(&made.found("device-idle-unexplained"));
    assert!(text.starts_with("Mostly the next work was already launched but did not start"), "{text}");
}
