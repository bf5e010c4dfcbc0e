//! Rules about probed kernels: schedules made block by block, with clocks of SMs that do not agree.

use super::{check, missing, not_here, overview, planted, silent};
use crate::neutrino::make::{BLOCKS, COUNTERS, Launch, Map, Writer, probes};
use crate::support::front_door::{open, open_case};
use lanescope::analysis::finding::{Overview, SavingKind};

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
    assert!(idle.line.to_string().starts_with("Most on SM 0: 33.3 %"), "{}", idle.line);
    silent(&scheduled(&even(12, 0)), "neutrino-idle-lanes");
    missing(&counted(), "neutrino-idle-lanes");
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
