//! Rules about probed kernels: schedules made block by block, with clocks of SMs that do not agree.

mod pairs;

use super::{check, missing, not_here, outcome, overview, planted, silent};
use crate::neutrino::make::{BLOCKS, COUNTERS, Launch, Map, Writer, probes};
use crate::support::corpus::corpus;
use crate::support::front_door::{files_of, open, open_case};
use lanescope::analysis::finding::{Outcome, Overview, SavingKind};
use lanescope::analysis::told::part_beside;
use lanescope::base::number::thousands;
use lanescope::base::words::Language;

/// Blocks by number: SM, start and length in cycles. One warp each.
fn scheduled(blocks: &[(u64, u64, u64)]) -> Overview {
    let maps = [BLOCKS];
    let launch =
        Launch { writer: Writer::V2, grid: [blocks.len() as u32, 1, 1], block: [32, 1, 1], maps: &maps };
    let bytes = launch.result(|_, unit, _| {
        let (sm, start, length) = blocks[unit as usize];
        // Clocks of SMs are far apart.
        Some(vec![1_000_000_000 * (sm + 1) + start, length, sm])
    });
    of(vec![("0.1.bin".to_owned(), bytes), ("probe.toml".to_owned(), probes(&maps).into_bytes())])
}

fn of(files: Vec<(String, Vec<u8>)>) -> Overview {
    let (mut doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready);
    let overview = doc.whole_overview();
    check(&overview);
    assert_eq!(overview.tiles.len(), 5);
    overview
}

/// Only counters: no block says when it ran.
fn counted() -> Overview {
    let maps = [Map { cap: 1, ..COUNTERS }];
    let launch = Launch { writer: Writer::V2, grid: [4, 1, 1], block: [32, 1, 1], maps: &maps };
    let bytes = launch.result(|_, unit, _| Some(vec![unit + 1]));
    of(vec![("0.1.bin".to_owned(), bytes), ("probe.toml".to_owned(), probes(&maps).into_bytes())])
}

/// Blocks of 1,000 cycles on two lanes of each of two SMs, so long after each other.
fn even(n: u64, gap: u64) -> Vec<(u64, u64, u64)> {
    (0..n).map(|at| (at % 2, at / 4 * (1_000 + gap), 1_000)).collect()
}

/// Blocks of four warps each; `fill` says start and length of a warp by block and warp, and the SM. Nothing is written for
/// blocks from `written` on.
fn of_warps(n: u64, written: u64, clock: &str, fill: impl Fn(u64, u64) -> [u64; 3]) -> Overview {
    let launch = Launch { writer: Writer::V2, grid: [n as u32, 1, 1], block: [128, 1, 1], maps: &[BLOCKS] };
    let bytes = launch.result(|_, unit, _| (unit / 4 < written).then(|| fill(unit / 4, unit % 4).to_vec()));
    let after = format!(
        "mov.u64 %NR3, {clock};\\nsub.u64 %NR1, %NR3, %NR0;\\nSAVE [ block_sched ] {{{{ %NR0, %NR1, %NR2 }}}}"
    );
    let own = probes(&[BLOCKS]).replace("%clock64", clock);
    let own = own
        .replace("SAVE [ block_sched ] { %NR0, %NR1, %NR2 }", &after.replace("{{", "{").replace("}}", "}"));
    of(vec![("0.1.bin".to_owned(), bytes), ("probe.toml".to_owned(), own.into_bytes())])
}

/// By hand: eight blocks follow each other on an SM, each as long as its last warp, 10,000 cycles; the first takes 1,000.
#[test]
fn a_block_lasts_from_its_first_start_to_its_last_end() {
    let with = of_warps(8, 8, "%clock64", |block, warp| [1_000 + 10_000 * block, 1_000 + 3_000 * warp, 0]);
    let shares = [0, 1, 2].map(|at| with.parts[0].rows[at].share);
    assert_eq!(shares, [1.0, 0.0, 0.0]);
    assert_eq!(with.tiles[1].value, "100.0 %");
    silent(&with, "neutrino-scheduling-gaps");
    let slowest = with.parts.iter().find(|part| part.title == "Slowest blocks").unwrap();
    assert_eq!(
        (slowest.columns[1].as_str(), slowest.rows[0].cells[1].as_str()),
        ("Elapsed", "10,000 cycles")
    );
}

/// By hand: 24 of 40 blocks have records, on two lanes of each of two SMs, with gaps and a slow SM.
#[test]
fn of_blocks_without_a_record_nothing_is_concluded() {
    let length = |block: u64| if block % 2 == 1 { 2_000 } else { 1_000 };
    let fill =
        |block: u64, _: u64| [1_000_000 * (block % 2 + 1) + block / 4 * 3_000, length(block), block % 2];
    let with = of_warps(40, 24, "%clock64", fill);
    for rule in ["last-wave", "scheduling-gaps", "idle-lanes"] {
        let Some(Outcome::Missing(why)) = outcome(&with, &format!("neutrino-{rule}")) else {
            panic!("{rule}")
        };
        assert_eq!(*why, "16 of 40 blocks have no record", "{rule}");
    }
    let [_, running, waves, tail, _] = &with.tiles[..] else { panic!() };
    assert_eq!(
        (&running.value.to_string()[..], running.comparison.to_string()),
        ("–", "unknown: 16 of 40 blocks have no record".to_owned())
    );
    // 24 recorded blocks on the 4 lanes that these were seen on.
    assert_eq!(
        (&waves.value.to_string()[..], waves.comparison.to_string()),
        ("6.00", "of 24 recorded blocks".to_owned())
    );
    assert!(tail.comparison.to_string().ends_with("of 24 recorded blocks"), "{}", tail.comparison);
    // What records prove is still said, of what it is proven.
    let slow = planted(&with, "neutrino-slow-blocks", 12.0);
    assert!(slow.sentence.to_string().starts_with("⟦12 of 24 recorded blocks⟧ take"), "{}", slow.sentence);
    assert!(slow.line.to_string().contains("SM 1"), "{}", slow.line);
    // Of a whole launch all is said.
    planted(
        &of_warps(40, 40, "%clock64", fill),
        "neutrino-scheduling-gaps",
        (9 * 2 * (2_000 + 1_000)) as f64 / (4 * 29_000) as f64,
    );
}

/// By hand: SM 1 begins 1,000 ns after SM 0 and ends 1,000 ns after it: 2,000 of 22,000 ns of both lanes are idle.
#[test]
fn a_timer_that_all_sms_share_aligns_them() {
    let fill = |block: u64, _: u64| [5_000_000 + block / 2 * 1_000 + block % 2 * 1_000, 1_000, block % 2];
    let with = of_warps(20, 20, "%globaltimer", fill);
    let shares = [0, 1, 2].map(|at| (with.parts[0].rows[at].share * 22_000.0).round());
    assert_eq!(shares, [20_000.0, 0.0, 2_000.0]);
    let idle = planted(&with, "neutrino-idle-lanes", 2_000.0 / 22_000.0);
    assert!(!idle.evidence.how.to_string().contains("Clocks of SMs do not agree"), "{}", idle.evidence.how);
    // Clocks of their own are taken to begin together.
    let with = of_warps(20, 20, "%clock64", fill);
    assert_eq!([0, 1, 2].map(|at| with.parts[0].rows[at].share), [1.0, 0.0, 0.0]);
}

/// The median block of SM 3 takes longer; of six SMs two ran fewer than four blocks.
#[test]
fn numbers_of_sms_are_of_those_that_are_compared() {
    let mut blocks: Vec<(u64, u64, u64)> =
        (0..32).map(|at| (at % 4, at / 4 * 2_000, if at % 4 == 3 { 1_300 } else { 1_000 })).collect();
    blocks.extend([(4, 0, 1_000), (5, 0, 1_000)]);
    let slow = scheduled(&blocks);
    let slow = planted(&slow, "neutrino-slow-units", 1.0);
    let words = "⟦1 of the 4 SMs with four or more blocks⟧ is slow; SM 3 takes 1.30 times";
    assert!(slow.sentence.to_string().starts_with(words), "{}", slow.sentence);
}

#[test]
fn a_last_wave_with_few_blocks_is_found() {
    // 9 blocks on 4 lanes: three lanes of the third wave stay free, 3 of 12.
    let with = scheduled(&even(9, 0));
    let wave = planted(&with, "neutrino-last-wave", 0.25);
    assert_eq!((wave.saving.kind, wave.saving.value), (SavingKind::Estimate, 3_000.0));
    silent(&scheduled(&even(8, 0)), "neutrino-last-wave");
    missing(&counted(), "neutrino-last-wave");
}

#[test]
fn gaps_between_blocks_are_found() {
    // Each lane runs 3 × 1,000 cycles and waits 2 × 250.
    let with = scheduled(&even(12, 250));
    let gaps = planted(&with, "neutrino-scheduling-gaps", 500.0 / 3_500.0);
    assert_eq!((gaps.saving.kind, gaps.saving.value), (SavingKind::Bound, 2_000.0));
    silent(&scheduled(&even(12, 10)), "neutrino-scheduling-gaps");
    missing(&counted(), "neutrino-scheduling-gaps");
}

#[test]
fn lanes_that_stand_idle_are_found() {
    // The second lane of SM 0 has one block of three: 2,000 of 12,000 cycles.
    let mut blocks = even(12, 0);
    blocks.retain(|(sm, start, _)| !(*sm == 0 && 0 < *start));
    blocks.extend([(0, 1_000, 1_000), (0, 2_000, 1_000)]);
    let with = scheduled(&blocks);
    let idle = planted(&with, "neutrino-idle-lanes", 2_000.0 / 12_000.0);
    assert_eq!(idle.saving.value, 2_000.0);
    assert!(idle.line.to_string().starts_with("Most of it is on SM 0: 33.3 %"), "{}", idle.line);
    silent(&scheduled(&even(12, 0)), "neutrino-idle-lanes");
    missing(&counted(), "neutrino-idle-lanes");
}

/// Blocks of one wave all begin at once: none can be started first.
#[test]
fn one_block_on_each_lane_is_not_told_to_start_earlier() {
    let with = scheduled(&[(0, 0, 1_000), (0, 0, 1_000), (1, 0, 3_000), (1, 0, 1_000)]);
    let idle = planted(&with, "neutrino-idle-lanes", 6_000.0 / 12_000.0);
    assert!(!idle.line.to_string().contains("start them first"), "{}", idle.line);
    assert!(idle.line.to_string().contains("split them"), "{}", idle.line);
}

/// Rows that the other result shows are there for a comparison, also where they are not among the first here.
#[test]
fn rows_that_are_not_shown_can_be_compared() {
    let with = |slow: u64| {
        let length = |at: u64| 1_000 + if at == slow { 900 } else { at * 7 % 40 };
        let blocks: Vec<_> = (0..40).map(|at| (at % 20, at / 20 * 3_000, length(at))).collect();
        scheduled(&blocks)
    };
    let [old, new] = [with(3), with(22)];
    for title in ["Slowest blocks", "SMs"] {
        let [old, new] = [&old, &new].map(|of| of.parts.iter().find(|part| part.title == title).unwrap());
        let beside = part_beside(new, old, Language::En).unwrap();
        assert_eq!(beside.rows.len(), 7);
        assert!(beside.rows.iter().all(|row| row.cells[0].chars().any(|c| c.is_ascii_digit())), "{title}");
    }
}

#[test]
fn a_launch_whose_units_end_apart_has_idle_lanes() {
    // SM 1 has no third round: both of its lanes stand idle for 1,000 of 3,000 cycles.
    let mut blocks = even(12, 0);
    blocks.retain(|(sm, start, _)| !(*sm == 1 && *start == 2_000));
    let with = scheduled(&blocks);
    let idle = planted(&with, "neutrino-idle-lanes", 2_000.0 / 12_000.0);
    assert!(idle.line.to_string().starts_with("Most of it is on SM 1: 33.3 %"), "{}", idle.line);
    let [running, gaps, left] = [0, 1, 2].map(|at| with.parts[0].rows[at].share);
    assert!((running - 10.0 / 12.0).abs() < 1e-9 && gaps == 0.0 && (left - 2.0 / 12.0).abs() < 1e-9);
    assert_eq!(with.tiles[1].value.to_string(), "83.3 %");
    // Those that run least stand first.
    let units = with.parts.iter().find(|part| part.title == "SMs").unwrap();
    assert_eq!(units.rows[0].name, "SM 1");
    assert_eq!(units.note, "running time, the lowest first");
}

#[test]
fn no_finding_saves_more_than_is_lost() {
    // The ninth block is short: its lanes are not free for a median.
    let mut blocks = even(9, 0);
    blocks[8].2 = 600;
    let with = scheduled(&blocks);
    let wave = planted(&with, "neutrino-last-wave", 0.25);
    assert_eq!((wave.saving.kind, wave.saving.value), (SavingKind::Estimate, 3.0 * 600.0));
    assert!(wave.saving.model.to_string().contains("a part of the idle time"), "{}", wave.saving.model);
    let idle = planted(&with, "neutrino-idle-lanes", 1_800.0 / (4.0 * 2_600.0));
    assert!(idle.line.to_string().contains("last wave are a part of this time"), "{}", idle.line);
    // A lane with a gap ends last: without it the other lane is free earlier too.
    let with = scheduled(&[(0, 0, 1_000), (0, 0, 1_000), (0, 2_000, 1_000)]);
    let gaps = planted(&with, "neutrino-scheduling-gaps", 1_000.0 / 6_000.0);
    assert_eq!((gaps.saving.kind, gaps.saving.value), (SavingKind::Bound, 2_000.0));
    // Whatever blocks do: nothing saves more than does not run.
    for seed in 1..40_u64 {
        let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut next = |n: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % n
        };
        let mut at = [[0_u64; 2]; 3];
        let blocks: Vec<_> = (0..12 + next(20))
            .map(|_| {
                let (sm, lane) = (next(3), next(2));
                let from = &mut at[sm as usize][lane as usize];
                let block = (sm, *from + next(400), 200 + next(1_500));
                *from = block.1 + block.2;
                block
            })
            .collect();
        let with = scheduled(&blocks);
        let share = |at: usize| with.parts[0].rows[at].share;
        assert!((share(0) + share(1) + share(2) - 1.0).abs() < 1e-9);
        for one in &with.findings {
            let is_of_lanes = ["neutrino-last-wave", "neutrino-scheduling-gaps", "neutrino-idle-lanes"];
            if is_of_lanes.contains(&one.rule.as_str()) {
                assert!(one.saving.share <= share(1) + share(2) + 1e-9, "{seed}: {}", one.sentence);
            }
        }
    }
}

/// What the view of the schedule says of real folders, computed from their bytes by a script.
#[test]
fn real_launches_say_the_same_as_their_schedule() {
    let Some(folder) = corpus("neutrino") else { return };
    let of = |name: &str, skip: &str| {
        let files = files_of(&folder.join(name));
        of(files.into_iter().filter(|(path, _)| skip.is_empty() || !path.contains(skip)).collect())
    };
    let with = of("mock_v2_block_sched", "0.556829");
    let shares = [0, 1, 2].map(|at| (with.parts[0].rows[at].share * 1e4).round());
    assert_eq!(shares, [8_942.0, 493.0, 565.0]);
    planted(&with, "neutrino-idle-lanes", 421_275.0 / 7_461_960.0);
    silent(&with, "neutrino-scheduling-gaps");
    let units = with.parts.iter().find(|part| part.title == "SMs").unwrap();
    assert_eq!([0, 1, 2].map(|at| units.rows[at].name.to_string()), ["SM 15", "SM 19", "SM 3"]);
    let with = of("mock_v1_block_sched", "");
    let shares = [0, 1, 2].map(|at| (with.parts[0].rows[at].share * 1e4).round());
    assert_eq!(shares, [7_284.0, 258.0, 2_458.0]);
    assert!(planted(&with, "neutrino-last-wave", 1.0 / 6.0).saving.value <= 349_937.0);
    // One slow block each: no slow SM.
    silent(&with, "neutrino-slow-units");
}

/// Where the probes record a schedule and its file is not here, that is said, not how to record it.
#[test]
fn a_missing_result_is_named() {
    let Some(folder) = corpus("neutrino") else { return };
    let with = of(files_of(&folder.join("docs_2025-04_Apr25_114624_1921397")));
    for rule in ["last-wave", "scheduling-gaps", "idle-lanes", "slow-blocks", "slow-units"] {
        let Some(Outcome::Missing(why)) = outcome(&with, &format!("neutrino-{rule}")) else {
            panic!("{rule}")
        };
        assert!(why.to_string().starts_with("0.660526.bin is missing"), "{why}");
    }
    assert!(with.tiles.iter().all(|tile| tile.comparison != "no schedule recorded"));
}

#[test]
fn slow_blocks_and_what_they_have_in_common_are_found() {
    // The last four of 40 blocks take twice as long.
    let mut blocks = even(40, 0);
    blocks[36..].iter_mut().for_each(|block| block.2 = 2_000);
    let with = scheduled(&blocks);
    let slow = planted(&with, "neutrino-slow-blocks", 4.0);
    assert_eq!(slow.saving.value, 4_000.0);
    assert!((slow.saving.share - 4_000.0 / 44_000.0).abs() < 1e-9);
    assert!(slow.line.to_string().starts_with("4 of 4 have x ≥ 36"), "{}", slow.line);
    silent(&scheduled(&even(40, 0)), "neutrino-slow-blocks");
    missing(&counted(), "neutrino-slow-blocks");
}

/// By hand: 40 blocks, those with an odd x take twice as long; SM 0 runs none of them, SM 3 no others.
#[test]
fn two_groups_of_blocks_are_told_instead_of_a_median_between_them() {
    let length = |at: u64| if at % 2 == 1 { 2_000 } else { 1_000 };
    let mut at = [0; 5];
    let mut blocks = Vec::new();
    for block in 0..40 {
        let sm = [0, 3, 1, 1, 2, 2, 0, 3, 4, 4][block as usize % 10];
        let from = &mut at[sm as usize];
        blocks.push((sm, *from, length(block)));
        *from += length(block);
    }
    let with = scheduled(&blocks);
    let slow = planted(&with, "neutrino-slow-blocks", 20.0);
    let words =
        "⟦20 of 40 blocks⟧ take 2,000 cycles on average, the others 1,000 cycles: 2.00 times as long.";
    assert_eq!(slow.sentence.to_string(), words);
    assert!(slow.line.to_string().starts_with("Those blocks, and no others, have odd x:"), "{}", slow.line);
    assert!(slow.line.to_string().contains("each block would take 1,500 cycles"), "{}", slow.line);
    assert_eq!(slow.saving.value, 20_000.0);
    silent(&with, "neutrino-slow-units");
}

/// Of 160 blocks those with x a multiple of 8 are slow, and some others are; then only some others.
#[test]
fn a_set_that_is_wholly_slow_is_named_and_else_what_was_looked_at() {
    let others = [9, 32, 57, 78, 101, 130, 147];
    let with = |is_slow: &dyn Fn(u64) -> bool| {
        let sms = |at: u64| at * 7 % 10;
        scheduled(
            &(0..160)
                .map(|at| {
                    (
                        sms(at),
                        at / 10 * 3_000,
                        if is_slow(at) || others.contains(&at) { 2_000 } else { 1_000 },
                    )
                })
                .collect::<Vec<_>>(),
        )
    };
    let line = |overview: &Overview| {
        overview.findings.iter().find(|one| one.rule == "neutrino-slow-blocks").unwrap().line.to_string()
    };
    let every = line(&with(&|at| at % 8 == 0));
    assert!(every.starts_with("All 20 blocks with x a multiple of 8 are slow: 20 of 26."), "{every}");
    assert_eq!(line(&with(&|_| false)), "Not explained by x, y, z, SM or wave.");
    // Some are slow, from a little to much: two groups of times explain more than an even distribution, and too little.
    let (mut blocks, mut times) = (Vec::new(), Vec::new());
    for at in 0..160 {
        let is_slow = (at * at * 7 + at * 13) % 101 < 33;
        let time = if is_slow { 1_500 + at * 53 % 160 * 6 } else { 1_000 + at * 37 % 160 };
        blocks.push((at * 7 % 10, at / 10 * 3_000, time));
        times.push(time as f64);
    }
    times.sort_by(f64::total_cmp);
    let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len() as f64;
    let apart = |some: &[f64]| some.len() as f64 * (mean(some) - mean(&times)).powi(2);
    let squares: f64 = times.iter().map(|time| (time - mean(&times)).powi(2)).sum();
    let split = |at: usize| times.split_at(at);
    let of = |at: usize| (apart(split(at).0) + apart(split(at).1)) / squares;
    let best = (40..=120).max_by(|a, b| of(*a).total_cmp(&of(*b))).unwrap();
    assert!((0.75..0.9).contains(&of(best)), "{}", of(best));
    let expected = format!(
        "Not explained by x, y, z, SM or wave. Nearest: {} blocks from {} cycles on and the others, two groups that explain {:.1} % of the variance, less than 90.0 %.",
        160 - best,
        thousands(times[best] as u64),
        of(best) * 100.0
    );
    assert_eq!(line(&scheduled(&blocks)), expected);
}

/// Each second of ten SMs takes twice as long: they are listed, and no SM is judged by a time between both.
#[test]
fn groups_of_sms_are_listed_and_not_judged_by_a_median_between_them() {
    let block = |at: u64| {
        let sm = (at * 7 + at / 10 * 3) % 10;
        (sm, at / 10 * 3_000, if sm % 2 == 1 { 2_000 } else { 1_000 })
    };
    let with = scheduled(&(0..100).map(block).collect::<Vec<_>>());
    let line = planted(&with, "neutrino-slow-blocks", 50.0).line.to_string();
    assert!(line.starts_with("Those blocks, and no others, have SM 1, 3, 5, 7, 9: check"), "{line}");
    silent(&with, "neutrino-slow-units");
}

#[test]
fn slow_units_are_found() {
    let blocks = |slow: u64| {
        let length = |sm: u64| if sm == 3 { slow } else { 1_000 };
        (0..32).map(|at| (at % 4, at / 4 * length(at % 4), length(at % 4))).collect::<Vec<_>>()
    };
    let with = scheduled(&blocks(1_300));
    let slow = planted(&with, "neutrino-slow-units", 1.0);
    assert!(slow.sentence.to_string().contains("SM 3 takes 1.30 times"), "{}", slow.sentence);
    silent(&scheduled(&blocks(1_000)), "neutrino-slow-units");
    // One block of eight is slow, however much.
    let mut one = blocks(1_000);
    one[31].2 = 20_000;
    silent(&scheduled(&one), "neutrino-slow-units");
    missing(&counted(), "neutrino-slow-units");
}

#[test]
fn probes_that_slow_a_kernel_down_are_found() {
    let (mut doc, _) = open_case("neutrino", "killed");
    let with = doc.whole_overview();
    check(&with);
    planted(&with, "neutrino-slow-down", 2.0);
    let (mut doc, _) = open_case("neutrino", "whole");
    missing(&doc.whole_overview(), "neutrino-slow-down");
    not_here(
        &overview("trace.json", r#"{"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"a","ts":0,"dur":1}]}"#),
        "neutrino-slow-down",
    );
}

#[test]
fn pages_that_are_touched_once_are_found() {
    // Each thread accesses one address: of its own page, or all of the same few pages.
    let map = Map { name: "dmat", is_warp: false, fields: &[("clock", 8), ("addr", 8)], cap: 1 };
    let accessed = |distance: u64| {
        let maps = [map];
        let launch = Launch { writer: Writer::V2, grid: [4, 1, 1], block: [32, 1, 1], maps: &maps };
        let bytes = launch.result(|_, unit, _| Some(vec![1_000 + unit, 0x7f00_0000_0000 + unit * distance]));
        of(vec![("0.1.bin".to_owned(), bytes), ("probe.toml".to_owned(), probes(&maps).into_bytes())])
    };
    let with = accessed(1 << 22);
    planted(&with, "neutrino-touched-once", 1.0);
    silent(&accessed(8), "neutrino-touched-once");
    missing(&counted(), "neutrino-touched-once");
}

/// By hand: of 40 blocks of four warps each, four lack the record of their last warp, which ends last.
#[test]
fn blocks_that_lack_the_record_of_a_warp_are_not_whole() {
    let of = |lacking: u64| {
        let launch = Launch { writer: Writer::V2, grid: [40, 1, 1], block: [128, 1, 1], maps: &[BLOCKS] };
        let bytes = launch.result(|_, unit, _| {
            let (block, warp) = (unit / 4, unit % 4);
            let is_lost = block < lacking && warp == 3;
            (!is_lost).then(|| vec![1_000_000 + block / 2 * 4_000, 1_000 + 1_000 * warp, block % 2])
        });
        of(vec![("0.1.bin".to_owned(), bytes), ("probe.toml".to_owned(), probes(&[BLOCKS]).into_bytes())])
    };
    for rule in ["last-wave", "scheduling-gaps", "idle-lanes"] {
        let with = of(4);
        let Some(Outcome::Missing(why)) = outcome(&with, &format!("neutrino-{rule}")) else {
            panic!("{rule}")
        };
        assert_eq!(*why, "4 of 40 blocks lack a warp's record", "{rule}");
    }
    assert_eq!(of(4).tiles[1].value.to_string(), "–");
    silent(&of(0), "neutrino-scheduling-gaps");
    assert_eq!(of(0).tiles[1].value.to_string(), "100.0 %");
}

/// A benchmark of two kernels: the first launch of each is compiled and loaded before, and is left out.
#[test]
fn slowdowns_are_of_launches_without_the_first() {
    let log = |impacts: &[f64]| {
        let mut log = "[init] pid 4712\n[init] cmd 5 ./app\n[init] success\n[benchmark] ENABLED L2 Flush Size 256000000\n".to_owned();
        for (n, impact) in impacts.iter().enumerate() {
            let time = 1_795_220_241_000_000_000_u64 + 1_000_000_000 * n as u64;
            log += &format!(
                "[exec] funcmap-find 0x10 success\n[exec] {time} param 3e8 \n[exec] grid 4 1 1 block 64 1 1 shared 0\n\
                 [benchmark] prologue 0.1 kernel {} epilogue 0.2 original 0.25 impact {impact} 0\n",
                0.25 * impact
            );
        }
        let (mut doc, _) = open(vec![("event.log".to_owned(), log.into_bytes())], 1 << 16);
        doc.whole_overview()
    };
    for (impacts, factor, words) in [
        (&[3.0, 2.0, 2.2][..], 2.1, "⟦2.10 times slower⟧, median of 2 launches without the first."),
        (&[1.25, 1.1], 1.1, "⟦1.10 times slower⟧, of the launch after the first."),
        (&[2.0], 2.0, "⟦2.00 times slower⟧, of one launch."),
    ] {
        let overview = log(impacts);
        let slow = planted(&overview, "neutrino-slow-down", factor);
        assert!(slow.sentence.to_string().ends_with(words), "{}", slow.sentence);
    }
}
