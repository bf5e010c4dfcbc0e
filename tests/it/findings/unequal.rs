//! Two ranks that differ: one has more steps, works and streams than the other; a third one has no host. What is expected of
//! the one that loses most is added up here from what was planted, in microseconds.

use super::device::{Made, assert_near, made, said};
use super::{check, found, outcome};
use crate::support::front_door::open;
use lanescope::analysis::finding::{Finding, Outcome, Overview};
use lanescope::base::words::Language;

/// What is expected where the one that loses most is called this, of so many ranks.
struct Told {
    /// Its value, and the share that is saved.
    value: f64,
    share: f64,
    sentence: String,
    /// What the line begins with.
    line: &'static str,
}

/// A rule, with the rank that loses less, the one that loses more, and one without a host.
struct Case {
    rule: &'static str,
    ranks: [Made; 3],
    told: fn(&str, usize) -> Told,
}

/// Of two ranks, the one that loses less first; the third one has no host.
fn case(rule: &'static str, [less, more]: [Made; 2], told: fn(&str, usize) -> Told) -> Case {
    Case { rule, ranks: [less, more, bare()], told }
}

fn told(value: f64, share: f64, sentence: String, line: &'static str) -> Told {
    Told { value, share, sentence, line }
}

/// Behind a sentence that is true of both ranks with a host.
fn of_both(n: usize) -> String {
    format!(" This is true of 2 of {n} devices.")
}

pub(super) fn of_ranks(ranks: &[&Made]) -> Overview {
    let files = ranks.iter().enumerate().map(|(rank, made)| made.file(rank)).collect();
    let (mut doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready);
    let overview = doc.whole_overview();
    check(&overview);
    overview
}

/// A device that works all the time; who launches that is not recorded.
fn bare() -> Made {
    made().kernel(7, "k", (0, 20_000)).kernel(7, "k", (20_000, 20_000))
}

/// So many rounds of 10 ms, steps or not: a kernel from 4.01 ms on, launched just before, and what the host does before it.
fn rounds(n: u32, is_step: bool, stream: u32, before: impl Fn(Made, u32) -> Made) -> Made {
    (0..n).fold(made(), |made, n| {
        let at = n * 10_000;
        let made = if is_step { made.step(n, (at, 10_000)) } else { made };
        before(made, at).launched(stream, "k", (at + 4_010, 5_990), (at + 4_000, 10))
    })
}

/// So many kernels, one every 100 µs, each launched as it begins.
fn late(n: u32, stream: u32, dur: u32) -> Made {
    (0..n).fold(made(), |made, n| {
        let at = 1_000 + n * 100;
        made.launched(stream, "k", (at, dur), (at - 5, 5))
    })
}

/// Kernels around the middle of a stretch of 10 ms, which is left free up to its end.
fn around(middle: impl Fn(Made) -> Made, end: u32) -> Made {
    middle(made().kernel(7, "a", (0, 4_000))).kernel(7, "b", (end, 10_000 - end))
}

const PAGEABLE: &str = "Memcpy HtoD (Pageable -> Device)";
const PINNED: &str = "Memcpy HtoD (Pinned -> Device)";

/// Copies on two streams: from 4 to 6 and from 5 to 6.5 ms; of the other rank one from 4 to 5 ms.
fn copies(name: &str) -> [Made; 2] {
    let two = |made: Made| made.copy(7, name, (4_000, 2_000)).copy(8, name, (5_000, 1_500));
    [around(|made| made.copy(8, name, (4_000, 1_000)), 5_000), around(two, 6_500)]
}

/// So many pairs of kernels on two streams, one after the other.
fn turns(n: u32, [a, b]: [u32; 2]) -> Made {
    (0..n).fold(made(), |made, n| {
        made.kernel(a, "a", (n * 2_000, 1_000)).kernel(b, "b", (n * 2_000 + 1_000, 900))
    })
}

/// So many steps of 10 ms, of which one takes longer; the device works for 9 ms of each.
fn one_longer(n: u32, which: u32, longer: u32) -> Made {
    (0..n).fold(made(), |made, n| {
        let (at, more) = (n * 20_000, if n == which { longer } else { 0 });
        made.step(n, (at, 10_000 + more)).kernel(7, "k", (at, 9_000))
    })
}

/// So many operators of 100 µs that launch a kernel, nine small ones behind each, of so many µs.
fn views(n: u32, dur: u32) -> Made {
    let work = (0..n).fold(made(), |made, n| {
        let at = n * 1_000;
        made.operator("aten::mm", (at, 100)).launched(7, "k", (at + 50, 500), (at + 10, 5))
    });
    let between = (0..n * 10).filter(|n| n % 10 != 9);
    between.fold(work, |made, n| made.operator("aten::view", (n * 100 + 105, dur)))
}

const LOAD: &str = "enumerate(DataLoader)#_Iter.__next__";

#[allow(clippy::too_many_lines)] // a table
fn cases() -> Vec<Case> {
    let [fewer_pageable, more_pageable] = copies(PAGEABLE);
    let [fewer_pinned, more_pinned] = copies(PINNED);
    let short = |n: u32, stream| {
        (0..n).fold(made(), |made, n| {
            let dur = if stream == 7 && 6 <= n { 50 } else { 2 };
            made.launched(stream, "k", (1_000 + n * 100, dur), (n * 100, 5))
        })
    };
    let wait = |made: Made, stream, at| made.event((0, stream), ("cuda_sync", "Stream Wait Event"), at, "");
    let nccl = |made: Made, at| made.kernel(20, "ncclDevKernel_AllReduce_Sum_f32", at);
    let memory = |made: Made, at| made.call("cudaMalloc", (at + 100, 1_000));
    let both = |made: Made, at| memory(made, at).call("cudaFree", (at + 1_200, 500));
    let sgemm = "ampere_sgemm_128x64_tn";
    vec![
        // 9 gaps of 40 µs; 19 of 90 in 1,910 µs.
        case("device-launched-late", [late(10, 7, 60), late(20, 8, 10)], |rank, n| {
            let ticks = 19.0 * 90.0;
            let sentence = format!("{rank} waits 1.710 ms for the host to launch the next work.");
            told(ticks * 1e3, ticks / 1_910.0, sentence + &of_both(n), "The host does other work")
        }),
        // 6 of 10; all of 20, to which no call belongs that is longer.
        case("device-short-kernels", [short(10, 7), short(20, 8)], |rank, n| {
            let sentence = format!(
                "20 of 20 kernels took less time than launching one: a call takes 5.000 µs (median) on {rank}."
            );
            told(20.0, 0.0, sentence + &of_both(n), "They take 40.000 µs, launching them 100.000 µs.")
        }),
        case(
            "device-idle-for-input",
            [
                rounds(2, true, 7, |made, at| made.operator(LOAD, (at, 2_000))),
                rounds(4, true, 8, |made, at| made.operator(LOAD, (at, 4_000))),
            ],
            |rank, n| {
                let sentence = format!("{rank} is idle for 4.000 ms per step while the host loads data.");
                told(
                    4_000e3,
                    0.4,
                    sentence + &of_both(n),
                    "4.000 ms a step go by in 1 call of enumerate(DataLoader)",
                )
            },
        ),
        case(
            "device-idle-for-synchronization",
            [
                rounds(2, true, 7, |made, at| made.call("cudaDeviceSynchronize", (at, 2_000))),
                rounds(4, true, 8, |made, at| made.call("cudaDeviceSynchronize", (at, 4_000))),
            ],
            |rank, n| {
                let sentence = format!(
                    "{rank} is idle for 4.000 ms per step while the host synchronizes, mostly in cudaDeviceSynchronize."
                );
                told(4_000e3, 0.4, sentence + &of_both(n), "1 call of cudaDeviceSynchronize a step")
            },
        ),
        // One was launched long ago and starts 1 of 10 ms late; of the other, from 2 to 6 and from 8 to 9 ms, nobody knows.
        case(
            "device-idle-unexplained",
            [
                made().launched(7, "k", (100, 1_900), (0, 5)).launched(7, "k", (3_000, 7_100), (10, 5)),
                made().kernel(7, "k", (0, 2_000)).kernel(8, "k", (6_000, 2_000)).kernel(
                    7,
                    "k",
                    (9_000, 1_000),
                ),
            ],
            |rank, n| {
                let sentence = format!("{rank} is idle for 5.000 ms for reasons the file does not show.");
                told(5_000e3, 0.5, sentence + &of_both(n), "Mostly the file does not say when")
            },
        ),
        // From 4 to 6, and from 4 to 8 ms, of the latter apart from what another stream computes until 5 ms.
        case(
            "device-communication-not-hidden",
            [
                around(|made| nccl(made, (2_000, 4_000)), 6_000),
                around(|made| nccl(made.kernel(8, "c", (3_500, 1_500)), (2_000, 6_000)), 8_000),
            ],
            |rank, n| {
                let sentence = format!(
                    "Communication of all-reduce runs for 3.000 ms with no compute to hide it on {rank}."
                );
                told(3_000e3, 0.3, sentence + &of_both(n), "1 call; computing hides 50.0 % of it.")
            },
        ),
        // Of two copies at once the sum of their lengths counts, and what nothing hides once.
        Case {
            rule: "device-copies-pageable",
            ranks: [
                fewer_pageable,
                more_pageable,
                around(|made| made.copy(7, "Memcpy HtoD (Host -> Device)", (4_000, 500)), 4_500),
            ],
            told: |rank, _| {
                let sentence = format!("3.500 ms go by in 2 copies of pageable memory on {rank}.");
                told(3_500e3, 0.25, sentence, "Mostly Memcpy HtoD (Pageable -> Device).")
            },
        },
        case("device-copies-not-hidden", [fewer_pinned, more_pinned], |rank, _| {
            let sentence = format!(
                "2.500 ms go by in 2 copies Memcpy HtoD (Pinned -> Device) while nothing else runs on {rank}."
            );
            told(2_500e3, 0.25, sentence, "Put them on a separate stream")
        }),
        case("device-streams-one-after-the-other", [turns(3, [7, 8]), turns(5, [8, 20])], |rank, _| {
            let sentence = format!(
                "{rank} / stream 8 and {rank} / stream 20 are busy at the same time for 0 ns of 4.500 ms."
            );
            told(5.0 * 900e3, 4_500.0 / 9_900.0, sentence, "They alternate 9 times.")
        }),
        // From 2 to 3; from 2 to 6 ms by two waits that overlap.
        case(
            "device-idle-for-events",
            [
                wait(made().kernel(7, "a", (0, 2_000)), 8, (2_000, 1_000)).kernel(7, "b", (3_000, 7_000)),
                wait(wait(made().kernel(7, "a", (0, 2_000)), 8, (2_000, 3_000)), 20, (3_000, 3_000)).kernel(
                    7,
                    "b",
                    (6_000, 4_000),
                ),
            ],
            |rank, _| {
                let sentence = format!(
                    "No stream is busy for 4.000 ms while at least one waits for an event on {rank}."
                );
                told(4_000e3, 0.0, sentence, "The longest is Stream Wait Event with 3.000 ms, on ")
            },
        ),
        case("device-memory-calls", [rounds(2, true, 7, memory), rounds(4, true, 8, both)], |rank, _| {
            let sentence = format!(
                "In a step the host calls the driver 2 times to allocate or free memory, which takes 1.500 ms on {rank}."
            );
            told(1_500e3, 0.15, sentence, "Mostly cudaMalloc. The longest, cudaMalloc, takes 1.000 ms.")
        }),
        // Without steps all from the first to the last kernel: the first call lies before that.
        case("device-memory-calls", [rounds(2, false, 7, memory), rounds(4, false, 8, memory)], |rank, _| {
            let sentence = format!(
                "The host calls the driver 3 times to allocate or free memory, which takes 3.000 ms on {rank}."
            );
            let share = 3.0 * 1_000.0 / (4.0 * 10_000.0 - 4_010.0);
            told(
                3_000e3,
                share,
                sentence,
                "Mostly cudaMalloc. The longest, cudaMalloc, takes 1.000 ms. Sizes that change",
            )
        }),
        // 4 steps of 10 ms, one 5 longer; 6 of which one takes 8 longer.
        case("device-steps-differ", [one_longer(4, 2, 5_000), one_longer(6, 4, 8_000)], |rank, _| {
            let sentence = format!(
                "ProfilerStep#4 takes 8.000 ms longer than the median step, 100.0 % of it idle time on {rank}."
            );
            told(8_000e3, 8.0 / 68.0, sentence, "1 of 6 steps takes at least 10.0 % longer")
        }),
        // Of all devices together: 6 and 8 ms of gemm, 4 and 6 of others, 2 of a third; then 10 more of others.
        Case {
            rule: "device-hottest-kernel",
            ranks: [
                made().kernel(7, "gemm", (0, 6_000)).kernel(7, "other", (6_000, 4_000)),
                made()
                    .kernel(7, "gemm", (0, 4_000))
                    .kernel(8, "gemm", (0, 4_000))
                    .kernel(7, "other", (4_000, 6_000))
                    .kernel(8, "third", (4_000, 2_000)),
                made().kernel(7, "other", (0, 10_000)),
            ],
            told: |_, n| {
                let (name, part, line) = match n {
                    2 => ("gemm", 14.0 / 26.0, "3 calls of 4.000 ms (median)."),
                    _ => ("other", 20.0 / 36.0, "3 calls of 6.000 ms (median)."),
                };
                let sentence =
                    format!("{name} is the hottest kernel: {:.1} % of compute time.", part * 100.0);
                told(part, 0.0, sentence, line)
            },
        },
        Case {
            rule: "device-single-precision",
            ranks: [
                made().kernel(7, sgemm, (0, 3_000)).kernel(7, "other", (3_000, 7_000)),
                made()
                    .kernel(7, sgemm, (0, 1_000))
                    .kernel(8, "volta_sgemm_32x32_sliced1x4_nn", (0, 1_000))
                    .kernel(7, "other", (1_000, 10_000)),
                made().kernel(7, "other", (0, 10_000)),
            ],
            told: |_, n| {
                let part = 5.0 / if n == 2 { 22.0 } else { 32.0 };
                let sentence = format!(
                    "Kernels with single-precision names take {:.1} % of compute time.",
                    part * 100.0
                );
                told(part, 0.0, sentence, "2 names, the top one ampere_sgemm_128x64_tn.")
            },
        },
        // 90 of 10 and 180 of 8 µs, beside 30 of 100 µs.
        case("device-operators-without-work", [views(10, 10), views(20, 8)], |_, _| {
            let (small, all) = (900.0 + 1_440.0, 900.0 + 1_440.0 + 3_000.0);
            let sentence = format!(
                "Small operators that launch nothing take 2.340 ms of the host in 270 calls, {:.1} % of its time in operators.",
                small / all * 100.0
            );
            told(270.0, 0.0, sentence, "Most frequent is aten::view with 270 calls.")
        }),
    ]
}

/// The findings of a rule; sentences have spaces that do not break.
#[track_caller]
fn first<'a>(overview: &'a Overview, rule: &str) -> &'a Finding {
    let found = found(overview, rule);
    assert!(!found.is_empty(), "{rule}: {:?}", outcome(overview, rule));
    found[0]
}

#[test]
fn rules_tell_the_rank_that_loses_most_with_its_own_numbers() {
    let mut wrong = Vec::new();
    for case in cases() {
        for order in [&[0, 1][..], &[1, 0], &[0, 1, 2], &[2, 1, 0]] {
            let ranks: Vec<&Made> = order.iter().map(|at| &case.ranks[*at]).collect();
            let overview = of_ranks(&ranks);
            let name = format!("rank {} / GPU 0", order.iter().position(|at| *at == 1).unwrap());
            let told = (case.told)(&name, order.len());
            let first = first(&overview, case.rule);
            let line = first.line.text(Language::En).into_owned();
            let is_near = |value: f64, expected: f64| (value - expected).abs() <= expected.abs() / 100.0;
            let is_right = said(first) == told.sentence
                && line.starts_with(told.line)
                && is_near(first.value, told.value)
                && is_near(first.saving.share, told.share);
            if !is_right {
                wrong.push(format!(
                    "{order:?} {}: {} {}, not {} {}: {}\n{}\n{line}",
                    case.rule,
                    first.value,
                    first.saving.share,
                    told.value,
                    told.share,
                    told.sentence,
                    said(first)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_rank_alone_says_the_same_of_itself() {
    // Nothing of the other rank is in a number of the first one, but where rules count all devices together.
    let together = ["device-hottest-kernel", "device-single-precision", "device-operators-without-work"];
    for case in cases().iter().filter(|case| !together.contains(&case.rule)) {
        let (alone, both) = (of_ranks(&[&case.ranks[1]]), of_ranks(&[&case.ranks[0], &case.ranks[1]]));
        let (alone, both) = (first(&alone, case.rule), first(&both, case.rule));
        assert_eq!((alone.value, alone.saving.share), (both.value, both.saving.share), "{}", case.rule);
        assert!(!said(alone).contains("rank "), "{}", said(alone));
    }
}

#[test]
fn a_rank_without_a_host_tells_what_is_missing() {
    let text = |overview: &Overview, rule: &str| match outcome(overview, rule) {
        Some(Outcome::Missing(why)) => why.text(Language::En).into_owned(),
        other => panic!("{rule}: {other:?}"),
    };
    let overview = of_ranks(&[&bare(), &made().kernel(7, "k", (0, 10)).kernel(8, "k", (5, 20))]);
    let no_links =
        "no link from launch calls to kernels: record CPU activities too, with the flows between them";
    let no_calls = "no runtime calls recorded: record CPU activities too (runtime API calls)";
    let expected = [
        ("device-launched-late", no_links),
        ("device-short-kernels", "no launch calls recorded: enable CPU activities (runtime API calls)"),
        (
            "device-idle-for-input",
            "no data-loading calls recorded: record CPU activities too, unless the program has no data loader",
        ),
        ("device-idle-for-synchronization", no_calls),
        ("device-memory-calls", no_calls),
        (
            "device-steps-differ",
            "no steps recorded: mark each step for the profiler, or select the slices that mark steps in Statistics",
        ),
        (
            "device-operators-without-work",
            "no operators with their launches recorded: record CPU activities too, with the flows between them",
        ),
    ];
    for (rule, why) in expected {
        assert_eq!(text(&overview, rule), why, "{rule}");
    }
    let begins = [
        ("device-idle-for-events", "no event waits of streams recorded: "),
        ("device-memory-near-limit", "no device memory recorded: "),
        ("device-memory-cache-freed", "no reserved device memory recorded: "),
    ];
    for (rule, why) in begins {
        assert!(text(&overview, rule).starts_with(why), "{rule}: {}", text(&overview, rule));
    }
    // Too few steps on both.
    let few = of_ranks(&[&one_longer(2, 1, 0), &one_longer(1, 5, 0)]);
    assert!(text(&few, "device-steps-differ").starts_with("2 steps recorded, at least 3 are needed"));
}

/// Values of what an allocator holds of a device, 100 µs apart.
fn reserved(made: Made, device: u32, values: &[u64]) -> Made {
    (1..).zip(values).fold(made, |made, (at, bytes)| {
        made.raw(format!(
            r#"{{"ph":"i","s":"t","pid":1,"tid":1,"name":"[memory]","cat":"cpu_instant_event","ts":{},"args":{{"Device Type":1,"Device Id":{device},"Bytes":100,"Total Allocated":1000,"Total Reserved":{bytes}}}}}"#,
            at * 100
        ))
    })
}

#[test]
fn memory_of_two_devices_is_told_of_the_right_one() {
    let work = || made().kernel(7, "a", (0, 40_000));
    // The first gives back 1 MiB once, the second 4 and 2.
    let one = reserved(work(), 0, &[8 << 20, 7 << 20, 15 << 19]);
    let both = reserved(one, 1, &[8, 9, 5, 6, 4].map(|n| n << 20));
    let found = both.found("device-memory-cache-freed");
    assert_near(found.value, 6.0 * 1_048_576.0);
    assert_eq!(said(&found), "The allocator releases 6.00 MiB of its reserved memory on GPU 1, 2 times.");
    // Nearest to its limit is that which has less, though the other holds more; one has no size.
    let held = |a, b| reserved(reserved(work(), 0, &[a]), 1, &[b]);
    let size = |of: &'static str| held(24 << 30, 15 << 30).beside(of);
    let two = r#""deviceProperties":[{"id":0,"totalGlobalMem":85899345920},{"id":1,"totalGlobalMem":17179869184}],"#;
    let one = r#""deviceProperties":[{"id":1,"totalGlobalMem":17179869184}],"#;
    for of in [two, one] {
        let found = size(of).found("device-memory-near-limit");
        assert_near(found.value, 0.9375);
        assert_eq!(said(&found), "GPU 1 has 93.8 % of its memory reserved at peak.");
        assert!(found.line.text(Language::En).starts_with("15.00 GiB of 16.00 GiB."), "{}", found.line);
    }
    size(r#""deviceProperties":[{"id":0,"totalGlobalMem":85899345920}],"#)
        .nothing("device-memory-near-limit");
    // In files of two ranks the device of each is the first: the sentence says whose it is.
    let size = r#""deviceProperties":[{"id":0,"totalGlobalMem":17179869184}],"#;
    let rank = |values: &[u64]| reserved(work(), 0, values).beside(size);
    let held = rank(&[8 << 30, 7 << 30]);
    let overview = of_ranks(&[&held, &rank(&[15 << 30, 9 << 30]), &bare()]);
    let sentences = [
        ("device-memory-near-limit", "rank 1 / GPU 0 has 93.8 % of its memory reserved at peak."),
        (
            "device-memory-cache-freed",
            "The allocator releases 6.00 GiB of its reserved memory on rank 1 / GPU 0, 1 time.",
        ),
    ];
    for (rule, sentence) in sentences {
        assert_eq!(said(first(&overview, rule)), sentence);
    }
}

/// A file of a host: thread, name, start and length in µs; its process has the number of the rank.
fn host(rank: usize, slices: &[(u32, &str, u64, u64)]) -> (String, Vec<u8>) {
    let slices: Vec<String> = slices
        .iter()
        .map(|(tid, name, ts, dur)| {
            format!(r#"{{"ph":"X","pid":{},"tid":{tid},"name":"{name}","ts":{ts},"dur":{dur}}}"#, rank + 1)
        })
        .collect();
    let pid = rank + 1;
    let head = format!(r#"{{"ph":"M","pid":{pid},"name":"process_name","args":{{"name":"p{rank}"}}}}"#);
    let own = format!(r#""distributedInfo":{{"rank":{rank},"world_size":2}}"#);
    (
        format!("rank{rank}.json"),
        format!(r#"{{{own},"traceEvents":[{head},{}]}}"#, slices.join(",")).into_bytes(),
    )
}

fn of_hosts(hosts: &[&[(u32, &str, u64, u64)]]) -> Overview {
    let files = hosts.iter().enumerate().map(|(rank, slices)| host(rank, slices)).collect();
    let (mut doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready);
    let overview = doc.whole_overview();
    check(&overview);
    overview
}

#[test]
fn gaps_of_two_ranks_are_those_that_both_have() {
    let rule = "trace-common-gaps";
    // One is idle from 400 to 700, the other, with two threads, from 500 to 650 and from 900 on.
    let one = [(1, "a", 0, 400), (1, "a", 700, 300)];
    let other = [(1, "a", 0, 300), (2, "b", 300, 200), (1, "c", 650, 250)];
    for hosts in [[&one[..], &other], [&other, &one]] {
        let overview = of_hosts(&hosts);
        let gap = first(&overview, rule);
        assert_near(gap.value, 150e3);
        assert_near(gap.saving.share, 0.15);
        assert_eq!(said(gap), "No track is active for 150.000 µs, 15.0 % of the time.");
        let line = gap.line.text(Language::En).into_owned();
        assert!(line.starts_with("1 gap; the longest takes 150.000 µs and ends with c on "), "{line}");
    }
    // Where the other one works meanwhile nothing is a gap.
    assert!(matches!(outcome(&of_hosts(&[&one, &[(1, "a", 350, 400)]]), rule), Some(Outcome::Nothing(_))));
}

#[test]
fn what_the_recording_cut_of_two_ranks_is_told_with_its_track() {
    let rule = "trace-cut-by-recording";
    let busy = |from: u64, to: u64, tid| (from..to).map(move |at| (tid, "a", at * 100, 60));
    let whole: Vec<_> = busy(0, 90, 1).collect();
    // A thread of the other rank ends after a third of it, one begins behind half of it, one of few slices tells nothing.
    let partly: Vec<_> = busy(0, 30, 1).chain(busy(45, 90, 2)).chain(busy(0, 3, 3)).collect();
    let overview = of_hosts(&[&whole, &partly]);
    let cut = first(&overview, rule);
    assert_eq!((cut.subject.as_str(), cut.value), ("partly", 2.0));
    assert_eq!(said(cut), "2 of 3 tracks that can be checked cover only part of the recording.");
    let line = cut.line.text(Language::En).into_owned();
    // From 2,960 to 8,960 µs.
    assert!(line.contains("p1 / ") && line.contains(" ends 6.000 ms before the last event"), "{line}");
    assert!(line.contains("longer than 40.000 µs") && line.contains("1 more: "), "{line}");
    // Only the one that begins late.
    let late: Vec<_> = busy(45, 90, 1).collect();
    let overview = of_hosts(&[&whole, &late]);
    let line = first(&overview, rule).line.text(Language::En).into_owned();
    assert!(line.contains("p1 / ") && line.contains(" starts 4.500 ms after the first event"), "{line}");
    let all = of_hosts(&[&whole, &whole[..88]]);
    match outcome(&all, rule) {
        Some(Outcome::Nothing(said)) => assert!(said.to_string().contains("0 of 2 tracks"), "{said}"),
        other => panic!("{other:?}"),
    }
}

/// What comes again and again, its interval longer each time by so much.
fn slower(name: &'static str, n: usize, growth: f64) -> Vec<(u32, &'static str, u64, u64)> {
    let (mut time, mut gap) = (0.0, 1_000.0);
    let slice = |_| {
        let at = time as u64;
        time += gap;
        gap *= growth;
        (1, name, at, 10)
    };
    (0..n).map(slice).collect()
}

#[test]
fn what_comes_slower_on_one_of_two_ranks_is_told_of_it() {
    let rule = "trace-growing-interval";
    let (steady, grown) = (slower("steady", 60, 1.0), slower("tick", 101, 1.005));
    for (rank, hosts) in [[&steady[..], &grown], [&grown, &steady]].iter().enumerate() {
        let overview = of_hosts(hosts);
        let growing = first(&overview, rule);
        assert_near(growing.value, 1.005_f64.powi(80));
        let text = said(growing);
        let of = "tick recurs 1.49 times slower at the end than at the start on ";
        let of = format!("{of}rank{0}.json / p{0} / ", 1 - rank);
        assert!(text.starts_with(&of), "{text}");
        assert!(growing.line.text(Language::En).contains("over 101 slices"), "{}", growing.line);
    }
    let overview = of_hosts(&[&steady, &slower("other", 25, 1.0)]);
    match outcome(&overview, rule) {
        Some(Outcome::Nothing(said)) => assert_eq!(said.to_string(), "none of 2 periodic events slows down"),
        other => panic!("{other:?}"),
    }
}
