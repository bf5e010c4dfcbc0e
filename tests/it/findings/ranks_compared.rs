//! Ranks whose records differ: of other steps, on other clocks, of other shares.

use super::outcome;
use super::ranks::hccl::Hccl;
use super::ranks::{Made, assert_near, of, only, rounds, said};
use crate::support::front_door::open;
use lanescope::analysis::finding::{Outcome, Overview, SavingKind};
use lanescope::analysis::told::tile_beside;
use lanescope::base::words::Language;
use std::collections::BTreeSet;

/// The n-th round from one on: a step of 95 ms with an all-reduce that begins so much late, by its number in the group.
fn recorded(from: u32, late: u32, (has_steps, has_numbers): (bool, bool)) -> Made {
    (from..5).fold(Made::default(), |made, n| {
        let at = 100_000 + n * 100_000;
        let made = if has_steps { made.step(n, (at, 95_000)) } else { made };
        let args = if has_numbers { format!(r#""Seq":{n}"#) } else { String::new() };
        let all_reduce = ("kernel", "ncclDevKernel_AllReduce_Sum_f32");
        made.kernel("gemm", (at + 1_000, 39_000 + late))
            .event((0, 9), all_reduce, (at + 40_000 + late, 20_000 - late), &args)
            .kernel("gemm", (at + 60_000, 30_000))
    })
}

#[test]
fn collectives_that_all_ranks_recorded_are_compared() {
    let rule = "device-last-at-collectives";
    for has in [(true, false), (false, true), (true, true)] {
        // The second rank has the last three of five.
        let overview = of(&[recorded(0, 0, has), recorded(2, 6_000, has)]);
        let last = only(&overview, rule);
        assert!(last.subject.contains("rank 1"), "{has:?}: {}", said(last));
        assert!(
            said(last).contains("waits 18.000 ms in 3 of 5 collectives for it"),
            "{has:?}: {}",
            said(last)
        );
        let line = last.line.text(Language::En).into_owned();
        assert!(line.contains("3 of 5 collectives were recorded on each device"), "{line}");
        assert_eq!(last.saving.kind, SavingKind::Estimate);
    }
    // As many on both, but of other steps: the four of both tell.
    let shifted = (1..6).fold(Made::default(), |made, n| {
        let at = 100_000 + n * 100_000;
        made.step(n, (at, 95_000))
            .kernel("gemm", (at + 1_000, 45_000))
            .event((0, 9), ("kernel", "ncclDevKernel_AllReduce_Sum_f32"), (at + 46_000, 14_000), "")
            .kernel("gemm", (at + 60_000, 30_000))
    });
    let overview = of(&[recorded(0, 0, (true, false)), shifted]);
    assert!(said(only(&overview, rule)).contains("24.000 ms in 4 of 5 collectives"));
    // Nothing says which they are but that they go on at the same time: one is missing on the second rank.
    let some = |has: fn(u32) -> bool, late: u32| {
        (0..5).filter(|n| has(*n)).fold(Made::default(), |made, n| {
            let at = 100_000 + n * 100_000;
            let all_reduce = ("kernel", "ncclDevKernel_AllReduce_Sum_f32");
            made.step(n + late, (at, 95_000)).kernel("gemm", (at + 1_000, 39_000 + late)).event(
                (0, 9),
                all_reduce,
                (at + 40_000 + late, 20_000 - late),
                "",
            )
        })
    };
    let overview = of(&[some(|_| true, 0), some(|n| n != 2, 15_000)]);
    let last = only(&overview, rule);
    assert!(said(last).contains("waits 60.000 ms in 4 of 5 collectives for it"), "{}", said(last));
    let exposed = only(&overview, "device-communication-not-hidden").line.to_string();
    assert!(exposed.contains("only waits for rank 1") && !exposed.contains("Start it earlier"), "{exposed}");
    // One in common is too few; then it is said that nobody knows who waits.
    let overview = of(&[recorded(0, 0, (false, false)), recorded(4, 6_000, (false, false))]);
    let exposed = only(&overview, "device-communication-not-hidden").line.to_string();
    assert!(exposed.contains("How much of it is waiting for another device is unknown: "), "{exposed}");
    assert!(matches!(outcome(&overview, rule), Some(Outcome::Missing(_))));
}

/// A number below 1 that no other place has, always the same.
fn random(seed: u32) -> f64 {
    let mixed = seed.wrapping_add(1).wrapping_mul(2_654_435_761);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(2_246_822_519);
    f64::from((mixed ^ mixed >> 13) % 1_000_000) / 1e6
}

/// Rounds of a recording: each rank computes for a time of its own before an all-reduce, which ends on all 3 ms after the
/// last one has come. Four make a step.
struct Rounds {
    /// When each rank begins each of them, and when they end, in µs.
    begins: Vec<Vec<u32>>,
    ends: Vec<u32>,
}

impl Rounds {
    fn new(n: u32, ranks: u32, extra: impl Fn(u32, u32) -> u32) -> Self {
        let (mut begins, mut ends) = (Vec::new(), Vec::new());
        let mut at = 200_000;
        for round in 0..n {
            if round.is_multiple_of(4) {
                at += 5_000;
            }
            let own: Vec<u32> = (0..ranks).map(|rank| at + 8_000 + extra(rank, round)).collect();
            at = own.iter().max().unwrap() + 3_000;
            begins.push(own);
            ends.push(at);
        }
        Self { begins, ends }
    }

    /// What a rank recorded: without these rounds, on a clock that is ahead by so much.
    fn recorded(&self, rank: usize, without: &[u32], ahead: i32, how: How) -> Made {
        let n = self.ends.len();
        (0..n).fold(Made::default(), |made, round| {
            let shifted = |at: u32| at.saturating_add_signed(ahead);
            let before = if round == 0 { 200_000 } else { self.ends[round - 1] };
            let (begin, end) = (self.begins[round][rank], self.ends[round]);
            let is_first = round.is_multiple_of(4);
            let until = self.ends[(round + 3).min(n - 1)];
            let made = if how.has_steps && is_first {
                made.step(round as u32 / 4, (shifted(before + 100), until - before))
            } else {
                made
            };
            let made = made.kernel("gemm", (shifted(before + 200), begin - before - 300));
            if without.contains(&(round as u32)) {
                return made;
            }
            let args = match how.sizes {
                0 => String::new(),
                n => format!(r#""In msg nelems":{},"dtype":"Float""#, 1_000 + round as u32 % n),
            };
            let all_reduce = ("kernel", "ncclDevKernel_AllReduce_Sum_f32");
            made.event((0, 9), all_reduce, (shifted(begin), end - begin), &args)
        })
    }

    /// What one waits for another in the rounds that all recorded, and in how many of these that one comes last.
    fn waits(&self, who: usize, last: usize, without: &[u32]) -> (f64, usize) {
        let own = (0..).zip(&self.begins).filter(|(round, _)| !without.contains(round));
        let is_last = |begins: &&Vec<u32>| begins.iter().all(|other| *other <= begins[last]);
        let own: Vec<&Vec<u32>> = own.map(|(_, begins)| begins).filter(is_last).collect();
        (own.iter().map(|begins| f64::from(begins[last] - begins[who])).sum::<f64>() * 1e3, own.len())
    }
}

#[derive(Clone, Copy, Debug)]
struct How {
    has_steps: bool,
    /// How many sizes follow each other; 0 without.
    sizes: u32,
}

/// What one rank or each lacks is left out alone, with and without steps and sizes, however far the clocks are apart.
#[test]
fn a_collective_that_one_rank_lacks_drops_nothing_else() {
    let rule = "device-last-at-collectives";
    let extra = |rank: u32, round: u32| (random(rank * 1_000 + round) * 6e3) as u32 + rank * 1_500;
    let rounds = Rounds::new(20, 2, extra);
    let lacking: [[&[u32]; 2]; 5] = [[&[], &[6]], [&[6], &[]], [&[], &[0]], [&[12], &[6]], [&[1, 2], &[17]]];
    for (seed, without) in (0..).zip(lacking) {
        let all: Vec<u32> = without.iter().flat_map(|own| own.iter().copied()).collect();
        let (wait, n_last) = rounds.waits(0, 1, &all);
        let met = 20 - all.len();
        let most = 20 - without[0].len().min(without[1].len());
        for ahead in [0, 50, 500, 3_000, -4_500, 7_300, -100_000] {
            let how = How { has_steps: (seed + ahead) % 2 == 0, sizes: [0, 3, 5][(seed % 3) as usize] };
            for how in [how, How { has_steps: !how.has_steps, ..how }] {
                let case = format!("{without:?} {ahead} {how:?}");
                let made = [(0, 0), (1, ahead)]
                    .map(|(rank, ahead)| rounds.recorded(rank, without[rank], ahead, how));
                let overview = of(&made);
                let last = only(&overview, rule);
                assert!(last.subject.contains("rank 1"), "{case}: {}", said(last));
                let total = last.saving.value * if how.has_steps { 5.0 } else { 1.0 };
                assert_near(total, wait);
                let line = last.line.to_string();
                let told = format!("{met} of {most} collectives were recorded on each device");
                assert!(line.contains(&told), "{case}: {line}");
                assert_near(last.value, n_last as f64 / met as f64);
            }
        }
    }
}

/// Numbers in names say which are one, where that is all there is.
#[test]
fn numbers_in_names_say_which_collectives_are_one() {
    let made = |rank: u32, late: u32, without: u32| {
        let mut made = Hccl::of(rank);
        for n in (0..4).filter(|n| *n != without) {
            let at = 5_000 + n * 20_000 + rank * 2_500;
            made.reduce(&format!("hcom_allReduce__586_{n}_1"), (at + late, 9_000 - late - n * 1_000));
            made.compute((at + 10_000, 2_000));
        }
        made.file()
    };
    let files = [("rank0.json", made(0, 0, 9)), ("rank1.json", made(1, 4_000, 1))];
    let files = files.map(|(name, text)| (name.to_owned(), text)).to_vec();
    let (mut doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready);
    let overview = doc.whole_overview();
    let last = only(&overview, "device-last-at-collectives");
    assert!(last.subject.contains('1'), "{}", said(last));
    assert_near(last.saving.value, 3.0 * 4e6);
    assert!(last.line.to_string().contains("3 of 4 collectives were recorded"), "{}", last.line);
}

/// Of three ranks now one and now another is waited for: each bears its part.
#[test]
fn waiting_is_split_by_who_is_waited_for() {
    let late = |rank: u32, round: u32| match (rank, round % 4) {
        (2, 0 | 1) => 4_000,
        (1, 2) => 3_000,
        _ => 0,
    };
    let rounds = Rounds::new(8, 3, late);
    for without in [&[][..], &[5]] {
        let how = How { has_steps: false, sizes: 0 };
        let made = [0, 1, 2].map(|rank| {
            let lacks = if rank == 1 { without } else { &[] };
            rounds.recorded(rank, lacks, [0, 7_300, -900][rank], how)
        });
        let overview = of(&made);
        let [two, one] = [2, 1].map(|last| rounds.waits(0, last, without).0 / 1e6);
        let line = only(&overview, "device-communication-not-hidden").line.to_string();
        let told =
            format!("only waits for rank 2 / GPU 0 ({two:.3} ms), rank 1 / GPU 0 ({one:.3} ms) to arrive");
        assert!(line.contains(&told), "{line}, not {told}");
        assert!(line.contains("Check why those devices are late."), "{line}");
    }
}

#[test]
fn clocks_that_agree_are_left_as_they_are() {
    let rule = "device-last-at-collectives";
    // All-reduces end later on the second rank by so much, where it begins 2 ms late: no offset is known.
    let ends = [0_u32, 977, 454, 1_431, 908, 385];
    let made = |late: u32, ends: &[u32]| {
        (0..6).fold(Made::default(), |made, n| {
            let (at, more) = (100_000 + n * 100_000, ends.get(n as usize).copied().unwrap_or(0));
            made.kernel("gemm", (at, 40_000 + late))
                .event(
                    (0, 9),
                    ("kernel", "ncclDevKernel_AllReduce_Sum_f32"),
                    (at + 40_000 + late, 20_000 - late + more),
                    "",
                )
                .kernel("gemm", (at + 62_000, 28_000))
        })
    };
    let overview = of(&[made(0, &[]), made(2_000, &ends)]);
    let last = only(&overview, rule);
    assert_near(last.saving.value, 6.0 * 2e6);
    assert_eq!(last.saving.kind, SavingKind::Bound);
    assert!(!last.line.to_string().contains('±'), "{}", last.line);
    // Where clocks were aligned, the value is about that, and says how far.
    let overview = of(&[rounds(0, "", |_| 0), rounds(5_000, "", |n| 8_000 + 100 * (n as i32 % 2))]);
    let last = only(&overview, rule);
    assert_eq!(last.saving.kind, SavingKind::Estimate);
    assert!(last.line.to_string().contains("each wait is known to ± 50.000 µs"), "{}", last.line);
    assert_eq!(only(&overview, "device-communication-not-hidden").saving.kind, SavingKind::Estimate);
}

#[test]
fn figures_of_several_devices_say_how_far_they_lie_apart() {
    let of_share = |busy: u32| Made::default().kernel("k", (0, busy)).kernel("k", (9_900, 100));
    let overview = of(&[of_share(4_900), of_share(7_900)]);
    let tile = overview.tiles.iter().find(|tile| tile.label == "Device computes").unwrap();
    // Beside another number of devices neither the one that is told nor a sum of all is a change.
    let alone = of(&[of_share(4_900)]);
    let old = alone.tiles.iter().find(|tile| tile.label == "Device computes").unwrap();
    let beside = tile_beside(tile, old, Language::En);
    assert_eq!(beside, "rank 1 / GPU 0, one of 2 devices; in A 50.0 %, the only device");
    let hottest =
        |of: &Overview| of.parts.iter().find(|part| part.title == "Hottest kernels").unwrap().clone();
    assert_ne!(hottest(&overview).of, hottest(&alone).of);
    assert_eq!(hottest(&alone).of, hottest(&of(&[of_share(7_900)])).of);
    assert_eq!(tile.value.to_string(), "80.0 %");
    let said = tile.comparison.to_string();
    assert!(said.ends_with("; 50.0 % to 80.0 % on 2 devices"), "{said}");
}

#[test]
fn names_of_files_say_the_rank_where_nothing_else_does() {
    let text = |busy: u32| {
        format!(
            r#"[{{"ph":"M","pid":0,"tid":0,"name":"process_labels","args":{{"labels":"GPU 0"}}}},
            {{"ph":"X","pid":0,"tid":7,"cat":"kernel","name":"k","ts":0,"dur":{busy}}}]"#
        )
    };
    let names = |files: [&str; 2]| {
        let files = files.map(|name| (name.to_owned(), text(1_000).into_bytes()));
        let (mut doc, _) = open(files.to_vec(), 1 << 16);
        let overview = doc.whole_overview();
        let devices = overview.parts.iter().find(|part| part.title == "Devices").unwrap();
        devices.rows.iter().map(|row| row.name.to_string()).collect::<BTreeSet<_>>()
    };
    let said = names(["run_rank0_fb579d7.json", "run_rank12_fb579d8.json"]);
    assert_eq!(said, ["rank 0 / GPU 0", "rank 12 / GPU 0"].map(str::to_owned).into());
    // Both of one rank, or one that says none.
    for files in [["rank0_a.json", "rank0_b.json"], ["rank0.json", "other.json"]] {
        assert_eq!(names(files), files.map(|name| format!("{name} / GPU 0")).into());
    }
}

/// Devices with and without steps side by side are all told from their first to their last kernel.
#[test]
fn shares_of_devices_have_one_base() {
    let work = |made: Made| made.kernel("k", (1_000, 5_000)).kernel("k", (9_000, 1_000));
    let overview = of(&[work(Made::default().step(0, (0, 10_000))), work(Made::default())]);
    let devices = overview.parts.iter().find(|part| part.title == "Devices").unwrap();
    let busy: Vec<&str> = devices.rows.iter().map(|row| row.cells[0].as_str()).collect();
    assert_eq!(busy, ["66.7 %"; 2]);
    assert_eq!(devices.note.to_string(), "busy from the first to the last kernel");
    let stepped = || work(Made::default().step(0, (0, 10_000)));
    let overview = of(&[stepped(), stepped()]);
    let devices = overview.parts.iter().find(|part| part.title == "Devices").unwrap();
    assert_eq!(devices.rows[0].cells, ["60.0 %"]);
}

/// What is usual for a name is what it is on the rank that is told.
#[test]
fn medians_are_of_the_rank_whose_slices_are_counted() {
    let copies = |usual: u32, longest: u32| {
        (0..40).fold(Made::default(), |made, n| {
            let dur = if n == 20 { longest } else { usual };
            made.event((0, 7), ("gpu_memcpy", "Memcpy HtoD"), (n * 1_000, dur), "")
        })
    };
    let (slow, even) = (copies(30, 900), copies(10, 10));
    let alone = of(std::slice::from_ref(&slow));
    let alone = only(&alone, "trace-outliers");
    let both = of(&[slow, even]);
    let both = only(&both, "trace-outliers");
    assert!(said(alone).contains("1 of 40 slices") && said(alone).contains("30.000 µs"), "{}", said(alone));
    let expected = said(alone).replace("30.000 µs", "30.000 µs on rank 0 / GPU 0");
    assert_eq!(said(both), format!("{expected} This is true of 1 of 2 devices."));
    assert_eq!(both.value, alone.value);
}

/// Copies that carry a collective are parts of it: how long they take says nothing of copies of the program.
#[test]
fn parts_of_a_communication_are_no_copies_that_are_slow() {
    let trace = |longest: u32| {
        let pid = |part: u32| 1_000 * 1_024 + part * 32;
        let (hardware, hccl) = (pid(13), pid(15));
        let meta = |pid: u32, tid: u32, what: &str, name: &str| {
            let key = if what == "process_labels" { "labels" } else { "name" };
            format!(r#"{{"ph":"M","pid":{pid},"tid":{tid},"name":"{what}","args":{{"{key}":"{name}"}}}}"#)
        };
        let slice = |pid: u32, tid: u32, name: &str, at: u32, dur: u32| {
            format!(r#"{{"ph":"X","pid":{pid},"tid":{tid},"name":"{name}","ts":"{at}.000","dur":{dur}}}"#)
        };
        let mut events = vec![
            meta(hardware, 0, "process_name", "Ascend Hardware"),
            meta(hardware, 0, "process_labels", "NPU"),
            meta(hccl, 0, "process_name", "HCCL"),
            meta(hccl, 0, "process_labels", "NPU"),
            meta(hardware, 2, "thread_name", "Stream 2"),
            meta(hardware, 4, "thread_name", "Stream 4"),
            meta(hccl, 0, "thread_name", "Group 0 Communication"),
            slice(hccl, 0, "hcom_allReduce__1_0_1", 0, 9_000),
            slice(hardware, 4, "SDMA", 0, 10),
            slice(hardware, 4, "MEMCPY_ASYNC", 7_000, 2_000),
            slice(hardware, 2, "MatMul", 49_000, 1_000),
        ];
        for n in 0..40 {
            let dur = if n == 20 { longest } else { 6 };
            events.push(slice(hardware, 4, "MEMCPY_ASYNC", 100 + n * 100, 50));
            events.push(slice(hardware, 2, "MEMCPY_ASYNC", 9_000 + n * 1_000, dur));
        }
        let (mut doc, is_ready) = open(
            vec![("trace_view.json".to_owned(), format!("[{}]", events.join(",\n")).into_bytes())],
            1 << 16,
        );
        assert!(is_ready);
        doc.whole_overview()
    };
    let rule = "trace-outliers";
    let even = trace(6);
    assert!(matches!(outcome(&even, rule), Some(Outcome::Nothing(_))), "{:?}", outcome(&even, rule));
    let slow = trace(906);
    let found = only(&slow, rule);
    assert!(said(found).starts_with("1 of 40 slices MEMCPY_ASYNC"), "{}", said(found));
    assert!(said(found).contains("6.000 µs"), "{}", said(found));
    assert_near(found.value, 900e3);
}
