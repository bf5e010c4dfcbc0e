//! Ranks whose records differ: of other steps, on other clocks, of other shares.

use super::outcome;
use super::ranks::hccl::Hccl;
use super::ranks::{Made, assert_near, of, only, rounds, said};
use crate::support::front_door::open;
use lanescope::analysis::finding::{Change, Outcome, Overview, SavingKind, compared};
use lanescope::analysis::told::{change_told, part_beside, tile_beside};
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
    let beside = tile_beside(tile, Some(old), Language::En);
    assert_eq!(beside, "mean of 2 devices; in A 50.0 %, the only device");
    let hottest =
        |of: &Overview| of.parts.iter().find(|part| part.title == "Hottest kernels").unwrap().clone();
    assert_ne!(hottest(&overview).of, hottest(&alone).of);
    assert_eq!(hottest(&alone).of, hottest(&of(&[of_share(7_900)])).of);
    // 5 and 8 of 10 ms each.
    assert_eq!(tile.value.to_string(), "65.0 %");
    let said = tile.comparison.to_string();
    assert_eq!(said, "13.00 ms of 20.00 ms on 2 devices; 50.0 % to 80.0 % by device");
    // As many devices of which the other one is late: nothing changed.
    let swapped = of(&[of_share(7_900), of_share(4_900)]);
    let new = swapped.tiles.iter().find(|tile| tile.label == "Device computes").unwrap();
    assert_eq!(tile_beside(new, Some(tile), Language::En), "the same in A; mean of 2 devices");
}

/// Of as many devices it is said of which a figure is, and findings are compared; of others nothing is a change.
#[test]
fn figures_and_findings_are_compared_with_those_of_as_many_devices() {
    let rank = |idle: u32| Made::default().kernel("k", (0, 5_000)).kernel("k", (5_000 + idle, 5_000));
    let [one, two, later] = [&[2_000][..], &[2_000, 1_000], &[5_000, 1_000]]
        .map(|all| of(&all.iter().map(|idle| rank(*idle)).collect::<Vec<_>>()));
    let tile = |of: &Overview| of.tiles.iter().find(|tile| tile.label == "Device idle").unwrap().clone();
    let beside = tile_beside(&tile(&later), Some(&tile(&later)), Language::En);
    assert_eq!(beside, "the same in A; mean of 2 devices");
    // 5 of 15 and 1 of 11 ms, 2 of 12 and 1 of 11 ms.
    let beside = tile_beside(&tile(&later), Some(&tile(&two)), Language::En);
    assert_eq!(beside, "13.0 % in A, +10.0 points; mean of 2 devices");
    let alone = tile_beside(&tile(&one), Some(&tile(&one)), Language::En);
    assert_eq!(alone, "the same in A");
    let rule = "device-idle-unexplained";
    let change = |old: &Overview, new: &Overview| {
        let all = compared(&old.findings, &new.findings);
        let of = all.iter().find(|of| of.comparison.is_some_and(|of| of.rule == rule)).unwrap();
        (of.change, change_told(of.change, of.baseline, of.comparison.unwrap(), Language::En))
    };
    assert_eq!(change(&two, &later).0, Change::Grew);
    let (apart, said) = change(&one, &two);
    assert_eq!(apart, Change::Apart);
    assert!(said.starts_with("not comparable with the only device of the baseline ("), "{said}");
    let (apart, said) = change(&later, &one);
    assert_eq!(apart, Change::Apart);
    assert!(said.starts_with("not comparable with the 2 devices of the baseline ("), "{said}");
}

/// Where only one of two devices has steps the shares of both are of all that they did.
#[test]
fn figures_of_several_devices_have_one_base() {
    let work = |made: Made, dur: u32| made.kernel("k", (1_000, dur)).kernel("k", (9_000, 1_000));
    let both = [work(Made::default().step(0, (0, 20_000)), 5_000), work(Made::default(), 2_000)];
    let overview = of(&both);
    let tile = |label: &str| overview.tiles.iter().find(|tile| tile.label == label).unwrap();
    // 6 of 9 and 3 of 9 ms.
    assert_eq!(tile("Device computes").value.to_string(), "50.0 %");
    let said = tile("Device computes").comparison.to_string();
    assert!(said.ends_with("; 33.3 % to 66.7 % by device"), "{said}");
    assert_eq!(tile("Device idle").value.to_string(), "50.0 %");
    // The step is still told.
    assert_eq!(tile("Step time").value.to_string(), "20.00 ms");
}

/// Collectives are numbered anew in each run: by their names without numbers they are one row.
#[test]
fn numbered_collectives_are_one_row_among_the_hottest() {
    let overview = |group: u32, dur: u32| {
        let mut made = Hccl::of(0);
        for n in 0..3 {
            made.reduce(&format!("hcom_allReduce__{group}_{n}_1"), (5_000 + n * 20_000, dur));
        }
        let (mut doc, _) = open(vec![("rank0.json".to_owned(), made.file())], 1 << 16);
        doc.whole_overview()
    };
    let hottest =
        |of: &Overview| of.parts.iter().find(|part| part.title == "Hottest kernels").unwrap().clone();
    let (old, new) = (hottest(&overview(586, 9_000)), hottest(&overview(868, 6_000)));
    let first = &new.rows[0];
    assert_eq!((first.name.to_string().as_str(), first.cells[0].as_str()), ("hcom_allReduce__*", "3"));
    let beside = part_beside(&new, &old, Language::En).unwrap();
    assert_eq!(beside.rows[0].cells[..2], ["27.000 ms", "18.000 ms"]);
}

/// Memory that is filled is not copied, and few kernels are no cause to launch fewer.
#[test]
fn fills_of_memory_are_no_copies() {
    let said = |copies: u32, fills: u32| {
        let made = (0..4).fold(Made::default(), |made, n| made.kernel("k", (n * 1_000, 100)));
        let event = |made: Made, what, n: u32, at| made.event((0, 7), what, (n * 1_000 + at, 50), "");
        let made = (0..copies).fold(made, |made, n| event(made, ("gpu_memcpy", "Memcpy HtoD"), n, 200));
        let made = (0..fills).fold(made, |made, n| event(made, ("gpu_memset", "Memset (Device)"), n, 400));
        let overview = of(&[made]);
        overview.tiles[0].comparison.to_string()
    };
    assert_eq!(said(0, 0), "4 kernels");
    assert_eq!(said(3, 0), "4 kernels, 3 copies");
    assert_eq!(said(0, 2), "4 kernels, 2 memsets");
    assert_eq!(said(1, 3), "4 kernels, 1 copy, 3 memsets");
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
