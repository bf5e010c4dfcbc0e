//! Rules about several ranks, each a file with a device and mostly a host of its own. Times are microseconds, as in the
//! files; values are nanoseconds. What is expected is added up here from the same numbers, without what is tested.

mod alone;
mod chance;
pub(super) mod hccl;
mod told;

use super::{check, found, outcome};
use crate::support::front_door::open;
use lanescope::analysis::finding::{Finding, Outcome, Overview};
use lanescope::base::words::Language;
use lanescope::views::overview::messages::OverviewQuery;

/// A rank: its events.
#[derive(Clone, Default)]
pub(super) struct Made(Vec<String>);

impl Made {
    pub(super) fn event(
        mut self,
        on: (u32, u32),
        what: (&str, &str),
        (ts, dur): (u32, u32),
        args: &str,
    ) -> Self {
        let ((pid, tid), (category, name)) = (on, what);
        self.0.push(format!(
            r#"{{"ph":"X","pid":{pid},"tid":{tid},"cat":"{category}","name":"{name}","ts":{ts},"dur":{dur},"args":{{{args}}}}}"#
        ));
        self
    }

    pub(super) fn kernel(self, name: &str, at: (u32, u32)) -> Self {
        self.event((0, 7), ("kernel", name), at, "")
    }

    fn operator(self, name: &str, at: (u32, u32)) -> Self {
        self.event((1, 1), ("cpu_op", name), at, "")
    }

    pub(super) fn step(self, n: u32, at: (u32, u32)) -> Self {
        self.event((1, 1), ("user_annotation", &format!("ProfilerStep#{n}")), at, "")
    }

    fn text(&self, rank: usize) -> Vec<u8> {
        let labels = r#"{"ph":"M","pid":1,"tid":0,"name":"process_labels","args":{"labels":"CPU"}},
            {"ph":"M","pid":0,"tid":0,"name":"process_labels","args":{"labels":"GPU 0"}}"#;
        let events = self.0.join(",\n");
        let text = format!(
            r#"{{"distributedInfo":{{"rank":{rank},"world_size":9}},"traceEvents":[{labels},{events}]}}"#
        );
        text.into_bytes()
    }
}

/// The overview of ranks that were recorded together.
pub(super) fn of(ranks: &[Made]) -> Overview {
    let files = ranks.iter().enumerate().map(|(at, made)| (format!("rank{at}.json"), made.text(at)));
    let (mut doc, is_ready) = open(files.collect(), 1 << 16);
    assert!(is_ready);
    let overview = doc.whole_overview();
    check(&overview);
    overview
}

pub(super) fn said(finding: &Finding) -> String {
    finding.said(Language::En)
}

#[track_caller]
pub(super) fn only<'a>(overview: &'a Overview, rule: &str) -> &'a Finding {
    let found = found(overview, rule);
    assert_eq!(found.len(), 1, "{:?}", outcome(overview, rule));
    found[0]
}

#[track_caller]
pub(super) fn assert_near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= expected.abs() / 100.0, "{value}, not {expected}");
}

/// A host with fifty short operators and one of 5 ms, and a device that is idle during the last part of it; 20 ms in all.
fn slow_host(idle: u32) -> Made {
    let short = (0..50).fold(Made::default(), |made, n| made.operator("aten::copy_", (n * 100, 10)));
    let slow = short.operator("aten::copy_", (5_000, 5_000));
    slow.kernel("k", (0, 10_000 - idle)).kernel("k", (10_000, 10_000))
}

/// A device without a host, idle while that operator of the other one runs.
fn idle_device() -> Made {
    Made::default().kernel("k", (0, 5_000)).kernel("k", (10_000, 10_000))
}

#[test]
fn a_host_costs_what_its_own_device_is_idle() {
    let rule = "trace-outliers";
    // The other device is idle for 5 ms meanwhile, which is not the fault of this host.
    for idle in [1_000, 3_000] {
        let overview = of(&[slow_host(idle), idle_device()]);
        let found = only(&overview, rule);
        assert_near(found.value, f64::from(idle) * 1e3);
        assert_near(found.saving.share, f64::from(idle) / 20_000.0);
        assert!(said(found).contains(" on rank 0 "), "{}", said(found));
        assert!(said(found).ends_with("This is true of 1 of 2 devices."), "{}", said(found));
        assert!(said(found).starts_with("1 of 51 slices"), "{}", said(found));
    }
    assert!(matches!(outcome(&of(&[slow_host(0), idle_device()]), rule), Some(Outcome::Nothing(_))));
    // Of two hosts the one whose device loses more, with the slices of it alone.
    let both = of(&[slow_host(1_000), slow_host(3_000)]);
    let found = only(&both, rule);
    assert_near(found.value, 3e6);
    assert!(said(found).contains(" on rank 1 ") && said(found).starts_with("1 of 51 "), "{}", said(found));
}

/// A device with forty kernels of 100 µs and one of so many.
fn slow_kernel(long: u32) -> Made {
    let short = (0..40).fold(Made::default(), |made, n| made.kernel("k", (n * 100, 100)));
    short.kernel("k", (4_000, long)).kernel("rest", (4_000 + long, 10_000 - long))
}

#[test]
fn a_share_does_not_grow_with_ranks() {
    let (rule, excess) = ("trace-outliers", |long: u32| f64::from(long - 100));
    let alone = of(&[slow_kernel(3_000)]);
    let alone = only(&alone, rule);
    assert_near(alone.saving.share, excess(3_000) / 14_000.0);
    for n in [2, 3, 5] {
        let overview = of(&vec![slow_kernel(3_000); n]);
        let found = only(&overview, rule);
        assert_near(found.saving.share, alone.saving.share);
        assert_near(found.value, alone.value);
        assert!(said(found).contains(&format!("of {n} of {n} devices")), "{}", said(found));
    }
    // Of unequal ones that which loses most.
    let overview = of(&[slow_kernel(2_000), slow_kernel(4_000), Made::default().kernel("rest", (0, 14_000))]);
    let found = only(&overview, rule);
    assert_near(found.value, excess(4_000) * 1e3);
    assert_near(found.saving.share, excess(4_000) / 14_000.0);
    assert!(said(found).contains(" on rank 1 ") && said(found).contains("of 2 of 3"), "{}", said(found));
}

/// Collectives whose names do not say which they are: all end together, this rank begins so much late. Those of the first
/// step have no arguments.
fn generic(late: u32, kinds: &[&str]) -> Made {
    let mut made = Made::default().kernel("gemm", (0, 1_000));
    for (n, kind) in (0..).zip(kinds) {
        let args = match *kind {
            "" => String::new(),
            kind => format!(
                r#""Collective name":"{kind}","Process Group Name":"0","Process Group Description":"default_pg""#
            ),
        };
        let (at, name) = (1_000 + n * 3_000, "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)");
        made = made
            .event((0, 9), ("kernel", name), (at + late, 2_000 - late), &args)
            .kernel("gemm", (at + 2_000, 1_000));
    }
    made
}

#[test]
fn arguments_say_the_kind_where_the_name_does_not() {
    let rule = "device-last-at-collectives";
    let kinds = ["", "broadcast", "allreduce", "", "allreduce", "broadcast", "allreduce"];
    let overview = of(&[generic(0, &kinds), generic(1_200, &kinds)]);
    let last = only(&overview, rule);
    assert!(last.subject.contains("rank 1"), "{}", last.subject);
    // Three all-reduces tell, each 1.2 ms; a broadcast need not wait for those that receive.
    assert_near(last.saving.value, 3.0 * 1_200e3);
    assert_near(last.saving.share, 3.0 * 1_200.0 / 22_000.0);
    // What is not hidden is told by kind, each call once.
    let exposed = found(&overview, "device-communication-not-hidden");
    let mut of_kind: Vec<(&str, f64)> =
        exposed.iter().map(|found| (found.subject.as_str(), found.value / 1e6)).collect();
    of_kind.sort_by(|a, b| a.0.cmp(b.0));
    assert_eq!(of_kind.len(), 3, "{of_kind:?}");
    assert_eq!((of_kind[0], of_kind[1]), (("all-reduce", 6.0), ("broadcast", 4.0)));
    assert!(of_kind[2].0.starts_with("ncclDevKernel_Generic") && of_kind[2].1 == 4.0, "{of_kind:?}");
    let how: Vec<String> = exposed.iter().map(|found| found.evidence.how.to_string()).collect();
    // Of seven calls five name a group.
    assert!(
        how.iter().all(|how| how.contains("7 calls were read, 5 of them name a process group")),
        "{how:?}"
    );
    // Unequal sets, and none that says what it is.
    let missing = |ranks: &[Made]| match outcome(&of(ranks), rule) {
        Some(Outcome::Missing(why)) => why.to_string(),
        other => panic!("{other:?}"),
    };
    let why = missing(&[generic(0, &kinds), generic(1_200, &kinds[..4])]);
    // The one that both have does not tell.
    assert!(why.contains("of a group is too few"), "{why}");
    for kinds in [["", "", ""], ["broadcast", "", "send"]] {
        let why = missing(&[generic(0, &kinds), generic(1_200, &kinds)]);
        assert!(why.starts_with("neither names nor arguments"), "{why}");
    }
    // All of one group are that group.
    let kinds = ["allreduce"; 3];
    let overview = of(&[generic(0, &kinds), generic(1_200, &kinds)]);
    assert_eq!(only(&overview, "device-communication-not-hidden").subject, "group 0 (default_pg)");
}

/// How a library writes that a device communicates.
#[derive(Clone, Copy, Debug)]
enum Library {
    /// Names say the collective.
    Nccl,
    /// What the host is in when it launches says it.
    RcclLaunched,
    /// A note over the kernel says it.
    RcclNoted,
    /// Tasks on a track of their own.
    Hccl,
}

/// Three all-reduces of 2 ms, to which this rank comes so much late; nothing is computed meanwhile.
fn meeting(library: Library, rank: u32, late: u32) -> Vec<u8> {
    let starts = [1_000, 4_000, 7_000];
    let generic = "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)";
    if matches!(library, Library::Hccl) {
        let mut made = hccl::Hccl::of(rank);
        for at in starts {
            made.reduce("hcom_allReduce__1_0_1", (at + late, 2_000 - late));
            made.compute((at + 2_000, 1_000));
        }
        return made.file();
    }
    let mut made = Made::default().kernel("gemm", (0, 1_000));
    for (n, at) in (1..).zip(starts) {
        let (when, correlation) = ((at + late, 2_000 - late), format!(r#""correlation":{n}"#));
        made = match library {
            Library::Nccl => {
                made.event((0, 9), ("kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"), when, "")
            }
            Library::RcclLaunched => made
                .event((1, 1), ("user_annotation", "nccl:all_reduce"), (n * 100, 50), "")
                .event((1, 1), ("cuda_runtime", "hipExtLaunchKernel"), (n * 100 + 10, 5), &correlation)
                .event((0, 9), ("kernel", generic), when, &correlation),
            _ => made.event((0, 9), ("gpu_user_annotation", "nccl:all_reduce"), when, "").event(
                (0, 9),
                ("kernel", generic),
                when,
                &correlation,
            ),
        };
        made = made.kernel("gemm", (at + 2_000, 1_000));
    }
    made.text(rank as usize)
}

#[test]
fn a_late_rank_stands_above_the_communication_in_which_others_wait_for_it() {
    let of = |library: Library, late: u32| {
        let files = (0..2).map(|rank| (format!("rank{rank}.json"), meeting(library, rank, rank * late)));
        let (mut doc, is_ready) = open(files.collect(), 1 << 16);
        assert!(is_ready);
        let overview = doc.whole_overview();
        check(&overview);
        overview
    };
    let (rule, exposed) = ("device-last-at-collectives", "device-communication-not-hidden");
    for library in [Library::Nccl, Library::RcclLaunched, Library::RcclNoted, Library::Hccl] {
        // Of the three times 2 ms the first rank waits 1.2 for the second: that time is saved by it alone.
        let overview = of(library, 1_200);
        // Nor would it help to do anything else meanwhile: only why that one is late may cost as much.
        let last = only(&overview, rule);
        let above = overview.findings.iter().take_while(|own| own.rule != rule).map(|own| own.rule.as_str());
        assert!(above.eq(["device-idle-unexplained"]), "{library:?}: {:?}", overview.findings);
        assert_near(last.saving.value, 3.0 * 1_200e3);
        assert_near(last.saving.share, 3.6 / 10.0);
        let first = if matches!(library, Library::Hccl) { "1" } else { "rank 1" };
        assert!(last.subject.contains(first), "{library:?}: {}", last.subject);
        let rest = only(&overview, exposed);
        assert_near(rest.saving.value, 3.0 * 800e3);
        // Of both ranks, which exchange as long, the first is told: it does nothing else for 6 ms.
        assert_near(rest.value, 6e6);
        assert!(
            rest.line.to_string().contains("For 3.600 ms of it, this device only waits"),
            "{}",
            rest.line
        );
        // Where all come at once, all of it counts, and nobody waits.
        let overview = of(library, 0);
        assert!(matches!(outcome(&overview, rule), Some(Outcome::Nothing(_))), "{library:?}");
        let rest = only(&overview, exposed);
        assert_near(rest.saving.value, 6e6);
        assert!(!rest.line.to_string().contains("waits"), "{}", rest.line);
    }
    // Nothing but waiting is no communication that could be hidden.
    let overview = of(Library::Nccl, 1_990);
    assert_near(only(&overview, rule).saving.value, 3.0 * 1_990e3);
    let Some(Outcome::Nothing(said)) = outcome(&overview, exposed) else { panic!() };
    assert!(said.to_string().ends_with("apart from waiting for other devices"), "{said}");
}

/// What arguments say of a process group.
fn group(name: &str, ranks: &str, size: usize) -> String {
    format!(
        r#""Collective name":"allreduce","Process Group Name":"{name}","Process Group Ranks":"{ranks}","Group size":{size}"#
    )
}

/// Six rounds of 100 ms: a kernel, an all-reduce that begins so much late and ends 60 ms after the begin, another kernel;
/// the clock is ahead by `ahead`, in round n.
pub(super) fn rounds(late: u32, args: &str, ahead: impl Fn(u32) -> i32) -> Made {
    (0..6).fold(Made::default(), |made, n| {
        let at = (100_000 + n * 100_000_u32).saturating_add_signed(ahead(n));
        made.kernel("gemm", (at, 40_000 + late))
            .event(
                (0, 9),
                ("kernel", "ncclDevKernel_AllReduce_Sum_f32"),
                (at + 40_000 + late, 20_000 - late),
                args,
            )
            .kernel("gemm", (at + 60_000, 30_000))
    })
}

#[test]
fn clocks_are_aligned_by_the_ends_of_collectives() {
    let rule = "device-last-at-collectives";
    // Rank 1 comes 5 ms late; its clock is behind, ahead, or the same.
    for skew in [-8_000, -1_000, 0, 3_000, 12_000] {
        let overview = of(&[rounds(0, "", |_| 0), rounds(5_000, "", |_| skew)]);
        let last = only(&overview, rule);
        assert!(last.subject.contains("rank 1"), "{skew}: {}", said(last));
        assert_eq!(last.value, 1.0, "{skew}");
        assert_near(last.saving.value, 6.0 * 5e6);
        let how = last.evidence.how.to_string();
        let offset = lanescope::base::number::duration(i64::from(skew.abs()) * 1_000, Default::default());
        assert!(how.contains(&format!("offset {offset}, spread 0 ns")), "{skew}: {how}");
        // What is exchanged and not waited for is the rest: 15 of 20 ms.
        let exposed = only(&overview, "device-communication-not-hidden");
        assert_near(exposed.saving.value, 6.0 * 15e6);
    }
    // Ends that lie farther apart than the rank is late tell nothing.
    let jumps = |n: u32| if n.is_multiple_of(2) { 6_000 } else { -6_000 };
    match outcome(&of(&[rounds(0, "", |_| 0), rounds(5_000, "", jumps)]), rule) {
        Some(Outcome::Missing(why)) => {
            let why = why.to_string();
            assert!(why.starts_with("the ends of collectives differ by 6.000 ms"), "{why}");
        }
        other => panic!("{other:?}"),
    }
    // Small jumps do not matter.
    let jumps = |n: u32| if n.is_multiple_of(2) { -8_000 } else { -8_100 };
    let overview = of(&[rounds(0, "", |_| 0), rounds(5_000, "", jumps)]);
    assert!(only(&overview, rule).subject.contains("rank 1"));
}

/// Where most of the communication is waiting, nothing is said of buckets; how late a rank is and what others wait for it are
/// two numbers where they compute meanwhile.
#[test]
fn a_cause_is_named_for_the_part_that_it_explains() {
    let exposed = |late: u32| {
        let overview = of(&[rounds(0, "", |_| 0), rounds(late, "", |_| 0)]);
        (only(&overview, "device-communication-not-hidden").line.to_string(), overview)
    };
    // Of 20 ms the first rank waits for 15.
    let (line, overview) = exposed(15_000);
    assert!(
        line.contains("For 90.000 ms of it, this device only waits for rank 1 / GPU 0 to arrive."),
        "{line}"
    );
    assert!(line.ends_with("Check why that device is late."), "{line}");
    // The first figure is of one device and says of which, shares are of all.
    for (at, tile) in overview.tiles.iter().enumerate() {
        let said = tile.comparison.to_string();
        assert!(said.contains(if at == 0 { ", rank 0 / GPU 0" } else { " on 2 devices" }), "{said}");
    }
    // For 5, and exchanges for 15.
    let (line, _) = exposed(5_000);
    assert!(
        line.ends_with(
            "For the remaining 90.000 ms, start communication earlier (smaller buckets) or send less data."
        ),
        "{line}"
    );
    // It computes for so much of each 15 ms.
    let late = |computes: u32| {
        let first = (0..6).fold(rounds(0, "", |_| 0), |made, n| {
            if computes == 0 { made } else { made.kernel("hides", (140_000 + n * 100_000, computes)) }
        });
        let overview = of(&[first, rounds(15_000, "", |_| 0)]);
        only(&overview, "device-last-at-collectives").line.to_string()
    };
    assert!(!late(0).contains("later in all"), "{}", late(0));
    let expected =
        " It arrives 90.000 ms later in all; rank 0 / GPU 0 still computes during 30.000 ms of that. Check";
    assert!(late(5_000).contains(expected), "{}", late(5_000));
}

#[test]
fn ranks_meet_in_their_process_groups_only() {
    let rule = "device-last-at-collectives";
    let pair = |a: &str, b: &str| {
        let ranks = [(0, a, "[0, 1]"), (4_000, a, "[0, 1]"), (6_000, b, "[2, 3]"), (0, b, "[2, 3]")];
        of(&ranks.map(|(late, name, ranks)| rounds(late, &group(name, ranks, 2), |_| 0)))
    };
    // Groups of two names, and two of one name with other ranks.
    for (a, b) in [("1", "2"), ("tp", "tp")] {
        let overview = pair(a, b);
        let mut found: Vec<(String, f64)> =
            found(&overview, rule).iter().map(|one| (said(one), one.saving.value / 1e6)).collect();
        found.sort_by(|x, y| x.0.cmp(&y.0));
        assert_eq!(found.len(), 2, "{found:?}");
        let [(first, one), (second, two)] = &found[..] else { panic!("{found:?}") };
        assert!(
            first.contains("rank 1 / GPU 0 arrives last at 100.0 %") && first.contains("rank 0 "),
            "{first}"
        );
        let expected = format!(
            "rank 1 / GPU 0 arrives last at 100.0 % of the collectives of process group {a}; rank 0 / GPU 0 waits 24.000 ms for it."
        );
        assert_eq!(*first, expected);
        assert!(second.contains("rank 2 / GPU 0 arrives last") && second.contains("rank 3 "), "{second}");
        assert_near(*one, 6.0 * 4.0);
        assert_near(*two, 6.0 * 6.0);
    }
    // Two groups of one name, and nothing says which devices they have.
    let overview = of(&[0, 4_000, 6_000, 0].map(|late| rounds(late, &group("tp", "", 2), |_| 0)));
    match outcome(&overview, rule) {
        Some(Outcome::Missing(why)) => {
            assert!(why.to_string().starts_with("process groups of one name"), "{why}")
        }
        other => panic!("{other:?}"),
    }
    // Of a larger group only two are there.
    let overview =
        of(&[0, 4_000].map(|late| rounds(late, &group("dp", "[0, 1, 2, 3, 4, 5, 6, 7]", 8), |_| 0)));
    let line = only(&overview, rule).line.text(Language::En).into_owned();
    let expected = "Only 2 of the 8 devices of the group have collectives in the files.";
    assert!(line.ends_with(expected), "{line}");
    // A third one is there, without collectives.
    let args = group("dp", "[0, 1, 2]", 3);
    let third = (0..6).fold(Made::default(), |made, n| made.kernel("gemm", (100_000 + n * 100_000, 90_000)));
    let overview = of(&[rounds(0, &args, |_| 0), rounds(4_000, &args, |_| 0), third]);
    let line = only(&overview, rule).line.text(Language::En).into_owned();
    assert!(line.ends_with("Only 2 of the 3 devices of the group have collectives in the files."), "{line}");
}

#[test]
fn lanes_of_pictures_are_called_as_in_sentences() {
    let files = [rounds(0, "", |_| 0), rounds(5_000, "", |_| -8_000)];
    let files = files.iter().enumerate().map(|(at, made)| (format!("rank{at}.json"), made.text(at)));
    let (mut doc, _) = open(files.collect(), 1 << 16);
    let overview = doc.whole_overview();
    let last = only(&overview, "device-last-at-collectives");
    let Some(figure) = &last.evidence.figure else { panic!("no picture") };
    let lanescope::model::figure::Body::Gantt(gantt) = &figure.body else { panic!("no lanes") };
    let names: Vec<&str> = gantt.lanes.iter().map(|lane| lane.name.as_str()).collect();
    assert!(names[0].starts_with("rank 0 / GPU 0") && names[1].starts_with("rank 1 / GPU 0"), "{names:?}");
    // Both end together there.
    let end =
        |lane: u32| gantt.bars.iter().filter(|bar| bar.lane == lane).map(|bar| bar.end).fold(0.0, f64::max);
    assert_eq!(end(0), end(1));
}

#[test]
fn steps_of_one_rank_are_not_held_against_all_of_another() {
    let with_steps = || {
        let steps = (0..3).fold(Made::default(), |made, n| {
            made.step(n, (n * 10_000, 10_000)).kernel("k", (n * 10_000 + 1_000, 4_000))
        });
        steps.operator("aten::a", (0, 10))
    };
    // The other one has no steps and is busier.
    let without = Made::default().kernel("k", (0, 29_000)).kernel("k", (29_000, 900));
    for ranks in [[with_steps(), without.clone()], [without, with_steps()]] {
        let overview = of(&ranks);
        let text = |message: &lanescope::base::words::Message| message.text(Language::En).into_owned();
        let first = &overview.tiles[0];
        let name = if ranks[0].0.len() == 2 { "rank 1" } else { "rank 0" };
        assert_eq!(text(&first.label), "Step time");
        assert!(text(&first.comparison).contains(name), "{}", text(&first.comparison));
        // How devices differ is seen first, and all that is of one says of which.
        let parts: Vec<(String, String)> =
            overview.parts.iter().map(|part| (text(&part.title), text(&part.note))).collect();
        let titles: Vec<&str> = parts.iter().map(|(title, _)| title.as_str()).collect();
        assert_eq!(titles, ["Devices", "Breakdown of a step", "Hottest kernels", "Steps"]);
        assert!(parts[1].1.contains(name) && parts[3].1.contains(name), "{parts:?}");
        assert!(parts[2].1.contains("all devices"), "{parts:?}");
    }
    // Without any steps the works of the one that is told are counted.
    let few = Made::default().kernel("k", (0, 9_000)).kernel("k", (9_000, 900));
    // Waiting of a stream is neither a kernel nor a copy.
    let few = few.event((0, 7), ("cuda_sync", "Stream Wait Event"), (9_900, 50), "");
    let few = few.event((0, 7), ("gpu_memcpy", "Memcpy HtoD"), (9_950, 10), "");
    let many = (0..5).fold(Made::default(), |made, n| made.kernel("k", (n * 1_000, 500)));
    let overview = of(&[few, many]);
    let comparison = overview.tiles[0].comparison.text(Language::En).into_owned();
    assert!(comparison.starts_with("2 kernels, 1 copy, rank 0"), "{comparison}");
}

#[test]
fn the_largest_share_is_told_not_the_longest_time() {
    // A long rank is idle for 3 ms of 100, a short one for 4 of 10.
    let long = Made::default().kernel("k", (0, 50_000)).kernel("k", (53_000, 47_000));
    let short = Made::default().kernel("k", (0, 3_000)).kernel("k", (7_000, 3_000));
    let overview = of(&[long, short]);
    let found = only(&overview, "device-idle-unexplained");
    assert_near(found.value, 4e6);
    assert_near(found.saving.share, 0.4);
    assert!(said(found).contains("rank 1") && said(found).contains("1 of 2 devices"), "{}", said(found));
}

#[test]
fn a_baseline_is_asked_for_rows_that_it_does_not_show() {
    let kernels = (0..12)
        .fold(Made::default(), |made, n| made.kernel(&format!("kernel{n}"), (n * 1_000, 900 - n * 50)));
    let (mut doc, _) = open(vec![("trace.json".to_owned(), kernels.text(0))], 1 << 16);
    doc.whole_overview();
    let asked = ["kernel11", "kernel0", "not there"].map(str::to_owned).to_vec();
    let Some(overview) = doc.query(&OverviewQuery::Beside { names: asked }).0 else { panic!("no answer") };
    let part = overview.parts.iter().find(|part| part.title.text(Language::En) == "Hottest kernels").unwrap();
    let rows = |rows: &[lanescope::analysis::finding::PartRow]| -> Vec<String> {
        rows.iter().map(|row| row.whole_name().into_owned()).collect()
    };
    assert_eq!((part.rows.len(), part.more, part.is_all), (7, 5, true));
    assert_eq!(rows(&part.beyond), ["kernel11"]);
    assert_eq!(part.measured(&part.beyond[0]), Some("350.000 µs"));
    // Nothing is sent that nobody asked for.
    let Some(overview) = doc.query(&OverviewQuery::Findings { known: 0 }).0 else { panic!("no answer") };
    assert!(overview.parts.iter().all(|part| part.beyond.is_empty()));
}
