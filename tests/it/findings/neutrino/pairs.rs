//! Texts of rules on probed kernels, and logs and maps of two kernels that differ.

use super::super::{assert_tells, silent};
use super::{Launch, Map, Overview, Writer, even, of, of_warps, probes, scheduled};

#[test]
fn lanes_and_units_are_told_in_words() {
    let mut idle = even(12, 0);
    idle.retain(|(sm, start, _)| !(*sm == 1 && *start == 2_000));
    let slow: Vec<_> =
        (0..32).map(|at| (at % 4, at / 4 * 1_300, if at % 4 == 3 { 1_300 } else { 1_000 })).collect();
    assert_tells(&[
        // 9 blocks on 4 lanes.
        (&scheduled(&even(9, 0)), "neutrino-last-wave", &["The last of 3 waves has 1 block for 4 lanes."]),
        // 2 × 250 of 3,500 cycles.
        (
            &scheduled(&even(12, 250)),
            "neutrino-scheduling-gaps",
            &["Lanes are empty between blocks for 14.3 % of their time."],
        ),
        // Two lanes of four for a third of the time.
        (
            &scheduled(&idle),
            "neutrino-idle-lanes",
            &["Lanes stand idle for 16.7 % of their time while others still run."],
        ),
        (
            &scheduled(&slow),
            "neutrino-slow-units",
            &["1 of 4 SMs is slow; SM 3 takes 1.30 times the median per block."],
        ),
        // Of blocks of four warps the first on each SM.
        (
            &of_warps(40, 40, "%clock64", |block, _| {
                [block / 4 * 3_000, if block < 4 { 2_000 } else { 1_000 }, block % 4]
            }),
            "neutrino-slow-blocks",
            &["4 of 40 blocks take more than 1.15 times the median of 1,000 cycles."],
        ),
    ]);
}

/// The log of kernels that a benchmark ran: name and, launch by launch, milliseconds with and without probes.
fn benchmarked(kernels: &[(&str, &[(f64, f64)])]) -> Overview {
    let mut log = "[init] pid 1\n".to_owned();
    for (at, (name, launches)) in kernels.iter().enumerate() {
        log += &format!("[mod] cuModuleGetFunction func 0x{at}1 mod 0x1 name {name}\n");
        for (probed, alone) in *launches {
            log += &format!(
                "[exec] funcmap-find 0x{at}1 success\n[exec] 1000 param 1 \n[exec] grid 1 1 1 block 32 1 1 shared 0\n\
                 [benchmark] prologue 1 kernel {probed} epilogue 1 original {alone} impact {:.6} 0\n",
                probed / alone
            );
        }
    }
    of_log(&log)
}

fn of_log(log: &str) -> Overview {
    let (mut doc, is_ready) = super::open(vec![("event.log".to_owned(), log.as_bytes().to_vec())], 1 << 16);
    assert!(is_ready);
    doc.whole_overview()
}

#[test]
fn each_kernel_is_held_against_itself_without_probes() {
    // The first launch takes long for other reasons: the others count.
    let scale = [(90.0, 30.0), (3.0, 1.0), (3.3, 1.1), (2.7, 0.9), (3.0, 1.0)];
    let copy = [(1.5, 1.0), (1.2, 1.0)];
    assert_tells(&[(
        &benchmarked(&[("scale", &scale), ("copy", &copy)]),
        "neutrino-slow-down",
        &[
            "Probes make scale 3.00 times slower, median of 4 launches without the first.",
            "Probes make copy 1.20 times slower, of the launch after the first.",
        ],
    )]);
    silent(&benchmarked(&[("copy", &[(1.0, 1.0), (1.05, 1.0)])]), "neutrino-slow-down");
}

#[test]
fn pages_of_two_regions_are_told_together() {
    // 32 threads each have a page of 4 MiB of their own, 96 the same few bytes of another region.
    let map = Map { name: "dmat", is_warp: false, fields: &[("clock", 8), ("addr", 8)], cap: 1 };
    let maps = [map];
    let launch = Launch { writer: Writer::V2, grid: [4, 1, 1], block: [32, 1, 1], maps: &maps };
    let bytes = launch.result(|_, unit, _| {
        let address =
            if unit < 32 { 0x7f00_0000_0000 + unit * (1 << 22) } else { 0x7e00_0000_0000 + unit % 4 };
        Some(vec![1_000 + unit, address])
    });
    let with = of(vec![("0.1.bin".to_owned(), bytes), ("probe.toml".to_owned(), probes(&maps).into_bytes())]);
    assert_tells(&[(&with, "neutrino-touched-once", &["32 of 33 pages of 32 B are accessed once."])]);
}
