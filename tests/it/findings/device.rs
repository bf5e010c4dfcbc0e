//! Rules about host and device. Times are microseconds, as in the files; values are nanoseconds.

mod ahead;
mod causes;
mod copies;
mod outliers;
mod warm_up;

use crate::support::front_door::open_one;
use lanescope::analysis::finding::{Finding, Outcome, Overview, SavingKind};
use lanescope::base::words::Language;

/// The names of processes and streams: a host, and one device with three streams.
const HEAD: &str = r#"
{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"python"}},
{"ph":"M","pid":1,"tid":0,"name":"process_labels","args":{"labels":"CPU"}},
{"ph":"M","pid":0,"tid":0,"name":"process_name","args":{"name":"python"}},
{"ph":"M","pid":0,"tid":0,"name":"process_labels","args":{"labels":"GPU 0"}},
{"ph":"M","pid":0,"tid":7,"name":"thread_name","args":{"name":"stream 7 "}},
{"ph":"M","pid":0,"tid":8,"name":"thread_name","args":{"name":"stream 8 "}},
{"ph":"M","pid":0,"tid":20,"name":"thread_name","args":{"name":"stream 20 "}}"#;

/// Events of a trace, as they are being put together.
#[derive(Clone, Default)]
pub(super) struct Made(Vec<String>, &'static str);

impl Made {
    pub(super) fn event(
        mut self,
        (pid, tid): (u32, u32),
        (category, name): (&str, &str),
        (ts, dur): (u32, u32),
        args: &str,
    ) -> Self {
        self.0.push(format!(
            r#"{{"ph":"X","pid":{pid},"tid":{tid},"cat":"{category}","name":"{name}","ts":{ts},"dur":{dur},"args":{{{args}}}}}"#
        ));
        self
    }

    /// A kernel of the device.
    pub(super) fn kernel(self, stream: u32, name: &str, at: (u32, u32)) -> Self {
        self.event((0, stream), ("kernel", name), at, "")
    }

    /// A kernel with the call that launches it: its begin and length.
    pub(super) fn launched(self, stream: u32, name: &str, at: (u32, u32), call: (u32, u32)) -> Self {
        let number = format!(r#""correlation":{}"#, self.0.len() + 1);
        self.event((0, stream), ("kernel", name), at, &number).event(
            (1, 1),
            ("cuda_runtime", "cudaLaunchKernel"),
            call,
            &number,
        )
    }

    /// So many kernels of this length, one after the other from a time on, all of one call.
    pub(super) fn graph(self, (n, first, dur): (u32, u32, u32), call: (u32, u32)) -> Self {
        let number = format!(r#""correlation":{}"#, self.0.len() + 1);
        let called = self.event((1, 1), ("cuda_runtime", "cudaGraphLaunch"), call, &number);
        (0..n).fold(called, |made, at| made.event((0, 7), ("kernel", "k"), (first + at * dur, dur), &number))
    }

    pub(super) fn copy(self, stream: u32, name: &str, at: (u32, u32)) -> Self {
        self.event((0, stream), ("gpu_memcpy", name), at, r#""bytes":2000000"#)
    }

    pub(super) fn call(self, name: &str, at: (u32, u32)) -> Self {
        self.event((1, 1), ("cuda_runtime", name), at, "")
    }

    pub(super) fn operator(self, name: &str, at: (u32, u32)) -> Self {
        self.event((1, 1), ("cpu_op", name), at, "")
    }

    pub(super) fn step(self, n: u32, at: (u32, u32)) -> Self {
        self.event((1, 1), ("user_annotation", &format!("ProfilerStep#{n}")), at, "")
    }

    /// An event as the file has it.
    pub(super) fn raw(mut self, event: String) -> Self {
        self.0.push(event);
        self
    }

    /// Members beside the events.
    pub(super) fn beside(self, text: &'static str) -> Self {
        Self(self.0, text)
    }

    /// The file of a rank.
    pub(super) fn file(&self, rank: usize) -> (String, Vec<u8>) {
        let (events, beside) = (self.0.join(",\n"), self.1);
        let own = format!(r#""distributedInfo":{{"rank":{rank},"world_size":9}}"#);
        let events = if events.is_empty() { String::new() } else { format!(",\n{events}") };
        let text = format!(r#"{{{own},{beside}"traceEvents":[{HEAD}{events}]}}"#);
        (format!("rank{rank}.json"), text.into_bytes())
    }

    pub(super) fn overview(&self) -> Overview {
        let text = format!("{{{}\"traceEvents\":[{HEAD},\n{}]}}", self.1, self.0.join(",\n"));
        let (mut doc, is_ready) = open_one("trace.json", text.into_bytes());
        assert!(is_ready);
        doc.whole_overview()
    }

    /// The first finding of a rule.
    #[track_caller]
    pub(super) fn found(&self, rule: &str) -> Finding {
        let overview = self.overview();
        let found = overview.findings.iter().find(|finding| finding.rule == rule);
        found.cloned().unwrap_or_else(|| panic!("{rule}: {:?}", outcome(&overview, rule)))
    }

    /// That it looked and found nothing.
    #[track_caller]
    pub(super) fn nothing(&self, rule: &str) {
        let outcome = outcome(&self.overview(), rule);
        assert!(matches!(outcome, Some(Outcome::Nothing(_))), "{rule}: {outcome:?}");
    }

    /// That it could not look.
    #[track_caller]
    pub(super) fn missing(&self, rule: &str) {
        let outcome = outcome(&self.overview(), rule);
        assert!(matches!(outcome, Some(Outcome::Missing(_))), "{rule}: {outcome:?}");
    }

    /// That it is not asked.
    #[track_caller]
    fn not_here(&self, rule: &str) {
        assert_eq!(outcome(&self.overview(), rule), None);
    }
}

pub(super) fn outcome(overview: &Overview, rule: &str) -> Option<Outcome> {
    overview.rules.iter().find(|state| state.id == rule).map(|state| state.outcome.clone())
}

pub(super) fn made() -> Made {
    Made::default()
}

/// Within one part in a hundred.
#[track_caller]
pub(super) fn assert_near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= expected.abs() / 100.0, "{value}, not {expected}");
}

pub(super) fn said(finding: &Finding) -> String {
    finding.said(Language::En)
}

/// Two steps of 10 ms; in each a kernel runs from 4.01 ms on, and this lies before it.
pub(super) fn steps(before: impl Fn(Made, u32) -> Made) -> Made {
    (0..2).fold(made(), |made, n| {
        let at = n * 10_000;
        before(made.step(n, (at, 10_000)), at).launched(7, "k", (at + 4_010, 5_990), (at + 4_000, 10))
    })
}

#[test]
fn launches_come_late() {
    // Nine gaps of 90 µs, each until its launch call returns.
    let late = (0..10).fold(made(), |made, n| {
        let at = 1_000 + n * 100;
        made.launched(7, "k", (at, 10), (at - 5, 5))
    });
    let found = late.found("device-launched-late");
    assert_near(found.value, 810e3);
    assert_near(found.saving.share, 810.0 / 910.0);
    assert_eq!(found.saving.kind, SavingKind::Bound);
    assert_eq!(said(&found), "The device waits 810.000 µs for the host to launch the next work.");
    // With steps it is told of a step: half of both.
    let found = late.clone().step(1, (1_000, 500)).step(2, (1_500, 410)).found("device-launched-late");
    assert_near(found.value, 405e3);
    assert!(said(&found).starts_with("The device waits 405.000 µs per step for"), "{}", said(&found));
    // What lies outside of the steps does not count.
    let found = late.clone().step(1, (1_000, 200)).found("device-launched-late");
    assert_near(found.value, 180e3);
    // Launched ahead.
    let early = (0..10).fold(made(), |made, n| made.launched(7, "k", (1_000 + n * 100, 99), (10 * n, 5)));
    early.nothing("device-launched-late");
    made().kernel(7, "k", (0, 10)).missing("device-launched-late");
}

#[test]
fn kernels_are_shorter_than_launches() {
    let of = |dur: u32| {
        (0..10).fold(made(), |made, n| made.launched(7, "k", (1_000 + n * 100, dur), (n * 100, 5)))
    };
    assert_near(of(2).found("device-short-kernels").value, 10.0);
    of(50).nothing("device-short-kernels");
    made().kernel(7, "k", (0, 10)).missing("device-short-kernels");
}

#[test]
fn the_device_is_idle_for_input() {
    let loads = |made: Made, at| made.operator("enumerate(DataLoader)#_Iter.__next__", (at, 4_000));
    let found = steps(loads).found("device-idle-for-input");
    assert_near(found.value, 4e6);
    assert_near(found.saving.share, 0.4);
    steps(|made, at| made.operator("enumerate(DataLoader)#_Iter.__next__", (at + 4_500, 4_000)))
        .nothing("device-idle-for-input");
    steps(|made, _| made).missing("device-idle-for-input");
}

#[test]
fn the_whole_gap_and_the_part_that_counts_are_told_apart() {
    // Gaps of 4.01 ms, of which the host loads data for 3 ms.
    let loads = |made: Made, at| made.operator("enumerate(DataLoader)#_Iter.__next__", (at + 500, 3_000));
    let found = steps(loads).found("device-idle-for-input");
    let most = &found.evidence.numbers[2];
    assert_eq!(most.name.to_string(), "Longest in one gap");
    assert_near(most.value, 3e6);
    let shown = found.evidence.shown.to_string();
    assert!(shown.starts_with("the gap with most of it, "), "{shown}");
    assert!(
        shown.ends_with(most.note.to_string().trim_start_matches("of a gap of ")),
        "{shown}: {}",
        most.note
    );
}

#[test]
fn the_device_is_idle_for_synchronization() {
    let found = steps(|made, at| made.call("cudaDeviceSynchronize", (at, 4_000)))
        .found("device-idle-for-synchronization");
    assert_near(found.value, 4e6);
    assert!(said(&found).contains("mostly in cudaDeviceSynchronize"), "{}", said(&found));
    steps(|made, at| made.call("cudaDeviceSynchronize", (at + 4_500, 4_000)))
        .nothing("device-idle-for-synchronization");
    made().kernel(7, "k", (0, 10)).missing("device-idle-for-synchronization");
}

#[test]
fn the_device_is_idle_for_nothing_known() {
    let found =
        made().kernel(7, "k", (0, 2_000)).kernel(7, "k", (6_000, 4_000)).found("device-idle-unexplained");
    assert_near(found.value, 4e6);
    assert_near(found.saving.share, 0.4);
    made().kernel(7, "k", (0, 2_000)).kernel(8, "k", (2_000, 4_000)).nothing("device-idle-unexplained");
    made().operator("aten::a", (0, 10)).not_here("device-idle-unexplained");
}

#[test]
fn communication_is_not_hidden() {
    let of = |second: (u32, u32), args: &str| {
        made()
            .kernel(7, "a", (0, 4_000))
            .event((0, 20), ("kernel", "ncclDevKernel_AllReduce_Sum_f32"), (2_000, 6_000), args)
            .kernel(7, "b", second)
    };
    let found = of((8_000, 2_000), "").found("device-communication-not-hidden");
    assert_near(found.value, 4e6);
    assert_near(found.saving.share, 0.4);
    assert_eq!(found.subject, "all-reduce");
    // Of two calls the longer is hidden, the other is 3 ms long and not hidden.
    let name = ("kernel", "ncclDevKernel_AllReduce_Sum_f32");
    let two = of((4_000, 5_000), "").event((0, 20), name, (9_000, 3_000), "").kernel(7, "c", (12_000, 10));
    let found = two.found("device-communication-not-hidden");
    assert!(found.line.to_string().contains("longest exposed part takes 3.000 ms"), "{}", found.line);
    let found = of((8_000, 2_000), r#""Process Group Name":"3","Process Group Description":"dp""#)
        .found("device-communication-not-hidden");
    assert_eq!(found.subject, "group 3 (dp)");
    of((4_000, 6_000), "").nothing("device-communication-not-hidden");
    made().kernel(7, "a", (0, 4_000)).not_here("device-communication-not-hidden");
}

/// All-reduces of two devices: when each begins on both, and when both end.
fn meetings(of: impl Fn(u32) -> [(u32, u32); 2]) -> Made {
    let second = r#"{"ph":"M","pid":5,"tid":0,"name":"process_labels","args":{"labels":"GPU 1"}}"#;
    let mut made = made();
    made.0.push(second.to_owned());
    (0..10).fold(made, |made, n| {
        let [a, b] = of(n);
        let name = ("kernel", "ncclDevKernel_AllReduce_Sum_f32");
        made.event((0, 20), name, a, "").event((5, 20), name, b, "")
    })
}

#[test]
fn a_rank_is_last_at_collectives() {
    let found =
        meetings(|n| [(n * 3_000, 1_500), (n * 3_000 + 1_000, 500)]).found("device-last-at-collectives");
    assert_near(found.value, 1.0);
    assert!(found.subject.contains("GPU 1"), "{}", found.subject);
    // Ten times 1 ms, of 28.5 ms.
    assert_near(found.saving.value, 10e6);
    assert_near(found.saving.share, 10.0 / 28.5);
    meetings(|n| {
        let (a, b) = if n % 2 == 0 { (0, 1_000) } else { (1_000, 0) };
        [(n * 3_000 + a, 1_500 - a), (n * 3_000 + b, 1_500 - b)]
    })
    .nothing("device-last-at-collectives");
    // One device is done before the other begins: its clock is 700 µs behind, and without that the other one is 500 µs late.
    let found =
        meetings(|n| [(n * 3_000, 1_000), (n * 3_000 + 1_200, 500)]).found("device-last-at-collectives");
    assert!(found.subject.contains("GPU 1"), "{}", found.subject);
    assert_near(found.saving.value, 10.0 * 500e3);
    // Clocks that jump cannot be compared.
    let jump =
        |n: u32| [(n * 3_000 + 900, 1_000), (n * 3_000 + if n.is_multiple_of(2) { 1_900 } else { 400 }, 500)];
    meetings(jump).missing("device-last-at-collectives");
    // Of two collectives nobody knows how far their ends lie apart.
    let few = meetings(|n| [(n * 3_000, 1_500), (n * 3_000 + 1_000, 500)]);
    let few = Made(
        few.0
            .iter()
            .filter(|event| {
                !event.contains("AllReduce") || event.contains("\"ts\":0,") || event.contains("\"ts\":1000,")
            })
            .cloned()
            .collect(),
        few.1,
    );
    few.missing("device-last-at-collectives");
    made().kernel(7, "a", (0, 4_000)).not_here("device-last-at-collectives");
}

#[test]
fn copies_are_of_pageable_memory() {
    let of = |name: &str| {
        made().kernel(7, "a", (0, 4_000)).copy(7, name, (4_000, 2_000)).kernel(7, "b", (6_000, 4_000))
    };
    let found = of("Memcpy HtoD (Pageable -> Device)").found("device-copies-pageable");
    assert_near(found.value, 2e6);
    assert_near(found.saving.share, 0.2);
    // It is told once.
    of("Memcpy HtoD (Pageable -> Device)").nothing("device-copies-not-hidden");
    of("Memcpy HtoD (Pinned -> Device)").nothing("device-copies-pageable");
    of("Memcpy HtoD (Host -> Device)").missing("device-copies-pageable");
    made().kernel(7, "a", (0, 4_000)).not_here("device-copies-pageable");
}

#[test]
fn copies_are_not_hidden() {
    let of = |stream| {
        made()
            .kernel(7, "a", (0, 4_000))
            .copy(stream, "Memcpy HtoD (Pinned -> Device)", (if stream == 7 { 4_000 } else { 1_000 }, 2_000))
            .kernel(7, "b", (6_000, 4_000))
    };
    let found = of(7).found("device-copies-not-hidden");
    assert_near(found.value, 2e6);
    assert_near(found.saving.share, 0.2);
    of(8).nothing("device-copies-not-hidden");
    // Copies at the same time, on one stream or two, take the time once: from 4 to 6 and from 5 to 6.5 ms.
    for stream in [7, 8] {
        let name = "Memcpy HtoD (Pinned -> Device)";
        let found = of(7).copy(stream, name, (5_000, 1_500)).found("device-copies-not-hidden");
        assert_near(found.value, 2e6);
        assert_near(found.evidence.numbers[1].value, 3.5e6);
        let both = made().kernel(7, "a", (0, 4_000)).copy(7, name, (4_000, 2_000)).copy(
            stream,
            name,
            (5_000, 3_000),
        );
        assert_near(both.kernel(7, "b", (9_000, 1_000)).found("device-copies-not-hidden").value, 4e6);
    }
    // Where there are steps, the time and the number are both of a step.
    let steps =
        steps(|made, at| (0..3).fold(made, |made, n| made.copy(8, "Memcpy DtoD", (at + n * 500, 400))));
    let found = steps.found("device-copies-not-hidden");
    assert_eq!(said(&found), "1.200 ms a step go by in 3 copies Memcpy DtoD while nothing else runs.");
    made().kernel(7, "a", (0, 4_000)).not_here("device-copies-not-hidden");
}

#[test]
fn streams_work_one_after_the_other() {
    let of = |dur: u32| {
        (0..5).fold(made(), |made, n| {
            made.kernel(7, "a", (n * 2_000, 1_000 + dur)).kernel(8, "b", (n * 2_000 + 1_000, 900))
        })
    };
    let found = of(0).found("device-streams-one-after-the-other");
    assert_near(found.value, 4.5e6);
    assert_near(found.saving.share, 4.5 / 9.9);
    // Waits are counted; whether one of them is the cause nobody knows.
    let line = found.line.text(Language::En);
    assert!(line.contains("may keep them"), "{line}");
    of(200).nothing("device-streams-one-after-the-other");
    made().kernel(7, "a", (0, 4_000)).nothing("device-streams-one-after-the-other");
}

#[test]
fn streams_wait_for_events() {
    let of = |second: (u32, u32)| {
        made()
            .kernel(7, "a", (0, 2_000))
            .event((0, 8), ("cuda_sync", "Stream Wait Event"), (2_000, 3_000), "")
            .kernel(7, "b", second)
    };
    assert_near(of((5_000, 5_000)).found("device-idle-for-events").value, 3e6);
    of((2_000, 5_000)).nothing("device-idle-for-events");
    made().kernel(7, "a", (0, 4_000)).missing("device-idle-for-events");
}

#[test]
fn the_host_asks_for_memory() {
    let found = steps(|made, at| made.call("cudaMalloc", (at + 100, 1_000))).found("device-memory-calls");
    assert_near(found.value, 1e6);
    assert_near(found.saving.share, 0.1);
    steps(|made, at| made.call("cudaMallocAsync", (at + 100, 1_000))).nothing("device-memory-calls");
    made().kernel(7, "a", (0, 4_000)).missing("device-memory-calls");
}

#[test]
fn reserved_memory_is_given_back() {
    let of = |values: &[u64]| {
        let mut made = made().kernel(7, "a", (0, 40_000));
        for (at, reserved) in values.iter().enumerate() {
            made.0.push(format!(
                r#"{{"ph":"i","s":"t","pid":1,"tid":1,"name":"[memory]","cat":"cpu_instant_event","ts":{},"args":{{"Device Type":1,"Device Id":0,"Bytes":100,"Total Allocated":1000,"Total Reserved":{reserved}}}}}"#,
                100 + at * 100
            ));
        }
        made
    };
    let found =
        of(&[8_000_000, 9_000_000, 5_000_000, 6_000_000, 4_000_000]).found("device-memory-cache-freed");
    assert_near(found.value, 6e6);
    assert!(said(&found).ends_with("on GPU 0, 2 times."), "{}", said(&found));
    of(&[8_000_000, 9_000_000]).nothing("device-memory-cache-freed");
    made().kernel(7, "a", (0, 4_000)).missing("device-memory-cache-freed");
}

#[test]
fn what_is_left_out_is_named() {
    let names = ["AllReduce", "AllGather", "ReduceScatter", "Broadcast", "SendRecv"];
    let made = (0_u32..).zip(names).fold(made().kernel(7, "a", (0, 1_000)), |made, (at, name)| {
        made.kernel(20, &format!("ncclDevKernel_{name}"), (1_000 * (at + 1), 900 - at * 100))
    });
    let overview = made.overview();
    let own = overview.findings.iter().filter(|one| one.rule == "device-communication-not-hidden");
    let lines: Vec<String> = own.map(|one| one.line.text(Language::En).into_owned()).collect();
    assert_eq!(lines.len(), 3);
    // Once, behind the last.
    assert!(lines[2].ends_with(" 2 more: broadcast, send and receive."), "{}", lines[2]);
    assert!(lines[..2].iter().all(|line| !line.contains("2 more")), "{lines:?}");
}

#[test]
fn memory_is_near_its_limit() {
    let of = |reserved: u64| {
        let mut made = made().kernel(7, "a", (0, 4_000));
        made.0.push(format!(
            r#"{{"ph":"i","s":"t","pid":1,"tid":1,"name":"[memory]","cat":"cpu_instant_event","ts":100,"args":{{"Device Type":1,"Device Id":0,"Bytes":100,"Total Allocated":1000,"Total Reserved":{reserved}}}}}"#
        ));
        made
    };
    const SIZE: &str = r#""deviceProperties":[{"id":0,"name":"A","totalGlobalMem":16000000000}],"#;
    assert_near(of(15_000_000_000).beside(SIZE).found("device-memory-near-limit").value, 0.9375);
    of(8_000_000_000).beside(SIZE).nothing("device-memory-near-limit");
    of(15_000_000_000).missing("device-memory-near-limit");
    made().kernel(7, "a", (0, 4_000)).missing("device-memory-near-limit");
}

#[test]
fn a_step_differs() {
    let of = |longer: u32| {
        (0..4).fold(made(), |made, n| {
            let (at, more) = (n * 20_000, if n == 2 { longer } else { 0 });
            made.step(n, (at, 10_000 + more)).kernel(7, "k", (at, 9_000))
        })
    };
    let found = of(5_000).found("device-steps-differ");
    assert_near(found.value, 5e6);
    assert_near(found.saving.share, 5.0 / 45.0);
    assert_eq!(
        said(&found),
        "ProfilerStep#2 takes 5.000 ms longer than the median step, 100.0 % of it idle time."
    );
    of(500).nothing("device-steps-differ");
    made().kernel(7, "a", (0, 4_000)).missing("device-steps-differ");
    made().step(1, (0, 5_000)).kernel(7, "a", (0, 4_000)).missing("device-steps-differ");
}

#[test]
fn one_kernel_is_the_hottest() {
    let args =
        r#""registers per thread":168,"block":[128,1,1],"blocks per SM":4.5,"est. achieved occupancy %":19"#;
    let found = made()
        .event((0, 7), ("kernel", "gemm"), (0, 6_000), args)
        .kernel(7, "other", (6_000, 4_000))
        .found("device-hottest-kernel");
    assert_near(found.value, 0.6);
    assert_eq!(said(&found), "gemm is the hottest kernel: 60.0 % of compute time.");
    // 168 registers × 32 threads are 5,376 a warp: twelve warps, three blocks.
    let line = found.line.text(Language::En);
    assert!(line.contains("168 registers per thread allow 384 threads"), "{line}");
    // 0 says that the profiler does not know it.
    let args = args.replace(":19", ":0").replace(":4.5", ":0");
    let found = made().event((0, 7), ("kernel", "gemm"), (0, 6_000), &args).found("device-hottest-kernel");
    let line = found.line.text(Language::En);
    assert!(!line.contains("ccupancy"), "{line}");
    let names: Vec<String> = found.evidence.numbers.iter().map(|number| number.name.to_string()).collect();
    assert!(!names.iter().any(|name| name.contains("occupancy") || name.contains("per SM")), "{names:?}");
    let beside = made().kernel(7, "gemm", (0, 6_000)).kernel(20, "ncclKernel_AllReduce", (0, 9_000));
    let found = beside.found("device-hottest-kernel");
    assert_eq!(said(&found), "gemm is the hottest kernel apart from communication: 100.0 % of compute time.");
    let many = (0..20).fold(made(), |made, n| made.kernel(7, &format!("k{n}"), (n * 100, 100)));
    many.nothing("device-hottest-kernel");
    made().copy(7, "Memcpy HtoD (Pinned -> Device)", (0, 10)).not_here("device-hottest-kernel");
}

#[test]
fn kernels_are_of_single_precision() {
    let of = |name: &str| made().kernel(7, name, (0, 3_000)).kernel(7, "other", (3_000, 7_000));
    assert_near(of("ampere_sgemm_128x64_tn").found("device-single-precision").value, 0.3);
    assert_near(of("cutlass_80_simt_sgemm_128x64_8x5_nn").found("device-single-precision").value, 0.3);
    of("cutlass_80_tensorop_s1688gemm_64x64_16x6_nn_align4").nothing("device-single-precision");
    // The word stands inside of another one here, and a product with a vector has no use for tensor cores.
    of("gemmk1_kernel<int, __half, 256, cublasGemmk1Params<__half>>").nothing("device-single-precision");
    of("gemv2T_kernel_val<int, int, float, float, float, float, 128>").nothing("device-single-precision");
    of("sm80_xmma_gemm_f32f32_tf32f32_f32_nn").nothing("device-single-precision");
    made().copy(7, "Memcpy HtoD (Pinned -> Device)", (0, 10)).not_here("device-single-precision");
}

#[test]
fn operators_launch_nothing() {
    let work = || {
        (0..10).fold(made(), |made, n| {
            let at = n * 1_000;
            made.operator("aten::mm", (at, 100)).launched(7, "k", (at + 50, 500), (at + 10, 5))
        })
    };
    // Nine between two of those that launch.
    let between = (0..100).filter(|n| n % 10 != 9);
    let small = between.fold(work(), |made, n| made.operator("aten::view", (n * 100 + 105, 10)));
    let found = small.found("device-operators-without-work");
    assert_near(found.value, 90.0);
    work().nothing("device-operators-without-work");
    made().kernel(7, "a", (0, 4_000)).missing("device-operators-without-work");
}

#[test]
fn outliers_of_the_host_cost_what_the_device_is_idle() {
    // Fifty short ones, then one of 5 ms around another: the device works during 2 ms of it.
    let of = |work: u32| {
        let short = (0..50).fold(made(), |made, n| {
            made.operator("aten::to", (n * 100, 12)).operator("aten::copy_", (n * 100 + 1, 10))
        });
        short
            .operator("aten::to", (5_000, 5_000))
            .operator("aten::copy_", (5_001, 4_998))
            .kernel(7, "k", (0, 5_000 + work))
            .kernel(7, "k", (10_000, 5_000))
    };
    let overview = of(2_000).overview();
    let found: Vec<&Finding> =
        overview.findings.iter().filter(|finding| finding.rule == "trace-outliers").collect();
    // The innermost only.
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].subject, "aten::copy_");
    assert_near(found[0].value, 3e6);
    assert_eq!(found[0].saving.kind, SavingKind::Bound);
    assert_near(found[0].saving.share, 0.2);
    // It is told a second time by its cause.
    let line = found[0].line.text(Language::En).into_owned();
    let same = " This idle time also counts under its cause, such as data loading or late launches: do not add them up.";
    assert!(line.ends_with(same), "{line}");
    of(5_000).nothing("trace-outliers");
    // With a step of 20 ms the share is of it, as those of other findings are.
    let step = of(2_000).step(1, (0, 20_000)).found("trace-outliers");
    assert_near(step.value, 3e6);
    assert_near(step.saving.share, 0.15);
    assert_eq!(step.saving.part().text(Language::En), "15.0 % of a step");
}

#[test]
fn figures_are_of_steps_where_there_are_steps() {
    // Much lies before the steps.
    let with = steps(|made, _| made).kernel(7, "warm up", (50_000, 10));
    let overview = with.overview();
    let tile = |label: &str| {
        let found = overview.tiles.iter().find(|tile| tile.label.text(Language::En) == label);
        let text = |message: &lanescope::base::words::Message| message.text(Language::En).into_owned();
        found.map(|tile| (text(&tile.value), text(&tile.comparison)))
    };
    assert_eq!(
        tile("Device computes"),
        Some(("59.9 %".to_owned(), "5.990 ms of 10.00 ms per step".to_owned()))
    );
    assert_eq!(tile("Device idle"), Some(("40.1 %".to_owned(), "4.010 ms of 10.00 ms per step".to_owned())));
    assert_eq!(tile("Step time").unwrap().1, "median of 2, 10.00 ms to 10.00 ms");
    // Without steps: from the first to the last kernel.
    let overview = made().operator("aten::a", (0, 10)).kernel(7, "k", (50_000, 10_000)).overview();
    let idle = overview.tiles.iter().find(|tile| tile.label.text(Language::En) == "Device idle").unwrap();
    assert_eq!(idle.value.text(Language::En), "0.0 %");
}
