//! Maps whose fields mean something together. Expected values are added up by hand.

use super::{Map, figure, folder, launch, notes, opened, rows};
use crate::neutrino::make::{COUNTERS, PROGRESS};
use lanescope::model::figure::Body;

/// A kernel with matrix instructions.
const PTX: &str =
    ".entry copy()\n{\n\tmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1};\n\tret;\n}\n";

const OPS: &str = r#"
regs = 2
[probe.save]
level = "thread"
pos = "kernel"
before = "mov.u64 %NR0, 0;"
after = "SAVE [ ops ] { %NR0 }"
[probe.count]
level = "thread"
pos = "mma.sync.aligned"
after = "add.u64 %NR0, %NR0, 1;"
[map.ops]
level = "thread"
type = "array"
size = 8
cap = 1
[map.ops.regs]
count = ["u64", "None"]
"#;

#[test]
fn matrix_instructions_are_counted_once_for_a_warp() {
    let maps = [COUNTERS];
    let launch = launch([2, 1, 1], [64, 1, 1], &maps);
    let count = |_: &Map, unit: u64, _: u64| Some(vec![100 + unit / 64 * 50]);
    let mut doc = opened(folder(&launch, &[("probe.toml", OPS), ("pruned.ptx", PTX)], count));
    assert_eq!(rows(&mut doc, "neutrino-totals-ops", &[]), ["count | 16000 |  | 8000 | 9600 | 1.2"]);
    // 16,000 ÷ 32 instructions of 2 · 16 · 8 · 16 operations in half a millisecond.
    let expected = [
        "Probed kernel time | 500000",
        "Matrix instructions | 500",
        "FLOP per instruction | 4096",
        "FLOP | 2048000",
        "Compute | 0.004096",
    ];
    assert_eq!(rows(&mut doc, "neutrino-rates-ops", &[]), expected);
    let two =
        PTX.replace("\tret;", "\tmma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1}, {%r1};\n\tret;");
    let mut doc = opened(folder(&launch, &[("probe.toml", OPS), ("pruned.ptx", &two)], count));
    assert_eq!(rows(&mut doc, "neutrino-rates-ops", &[]), expected[..2]);
    let note = "The kernel has matrix instructions of several shapes (m16n8k16, m16n8k8): FLOP is unknown.";
    assert_eq!(notes(&mut doc, "neutrino-rates-ops")[0], note);
}

#[test]
fn bytes_are_shared_between_counters_and_blocks() {
    const BYTES: Map =
        Map { name: "gmem", is_warp: false, fields: &[("sync_bytes", 4), ("async_bytes", 4)], cap: 1 };
    let maps = [BYTES];
    let probes = "[probe.save]\nlevel = \"thread\"\npos = \"kernel\"\nafter = \"SAVE [ gmem ] { %NR0, %NR1 }\"\n\
        [map.gmem]\nlevel = \"thread\"\ntype = \"array\"\nsize = 8\ncap = 1\n[map.gmem.regs]\n\
        sync_bytes = [\"u32\", \"None\"]\nasync_bytes = [\"u32\", \"None\"]\n";
    let launch = launch([2, 1, 1], [32, 1, 1], &maps);
    let fill = |_: &Map, unit: u64, _: u64| Some(vec![if unit < 32 { 96 } else { 32 }, 32]);
    let mut doc = opened(folder(&launch, &[("probe.toml", probes)], fill));
    let expected = [
        "sync_bytes | 4096 | 0.6666666666666666 | 2048 | 3072 | 1.5",
        "async_bytes | 2048 | 0.3333333333333333 | 1024 | 1024 | 1",
        "All bytes | 6144 | 1 | 3072 | 4096 | 1.3333333333333333",
    ];
    assert_eq!(rows(&mut doc, "neutrino-totals-gmem", &[]), expected);
    assert_eq!(
        rows(&mut doc, "neutrino-rates-gmem", &[]),
        ["Probed kernel time | 500000", "Bandwidth | 12288000"]
    );
}

#[test]
fn samples_of_threads_become_lines_of_warps() {
    let maps = [PROGRESS];
    let launch = launch([2, 1, 1], [64, 1, 1], &maps);
    // 100, 200 and 300 cycles from one sample to the next; the last thread stops early.
    let clock = |unit: u64, n: u64| 4_000_000 + unit * 7 + 50 * n * (n + 1);
    let fill = |_: &Map, unit, n| (unit != 127 || n < 2).then(|| vec![clock(unit, n)]);
    let mut doc = opened(folder(&launch, &[], fill));
    let Body::Lines(fan) = figure(&mut doc, "neutrino-progress-progress", &[]).body else { panic!("lines") };
    let names: Vec<&str> = fan.lines.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(names, ["0:0", "0:1", "1:0", "1:1"], "one line for each warp");
    assert_eq!(fan.lines[3].x, [0.0, 100.0, 300.0, 600.0]);
    assert_eq!(fan.lines[3].y, [0.0, 1.0, 2.0, 3.0].map(Some));
    let Body::HeatMap(map) = figure(&mut doc, "neutrino-intervals-progress", &[]).body else {
        panic!("a map")
    };
    let sums: Vec<f32> = map.values.chunks(map.width as usize).map(|row| row.iter().sum()).collect();
    assert_eq!(sums, [0.0, 128.0, 127.0, 127.0]);
    let Body::Lines(rate) = figure(&mut doc, "neutrino-samples-progress", &[]).body else { panic!("lines") };
    let (x, y) = (&rate.lines[0].x, &rate.lines[0].y);
    let width = x[1] - x[0];
    let samples: f64 = y.iter().map(|y| y.unwrap() * width / 1e3).sum();
    assert!((samples - 510.0).abs() < 1e-6, "all samples are counted: {samples}");
    // A record that is earlier than the one before was stored by another thread.
    let mixed = |_: &Map, unit, n| Some(vec![clock(unit, if (unit, n) == (5, 2) { 0 } else { n })]);
    let mut doc = opened(folder(&launch, &[], mixed));
    assert!(notes(&mut doc, "neutrino-progress-progress")[0].starts_with("Left out: 1 sample earlier"));
}

#[test]
fn many_warps_are_chosen_evenly() {
    let maps = [PROGRESS];
    let launch = launch([100, 1, 1], [64, 1, 1], &maps);
    let mut doc = opened(folder(&launch, &[], |_, unit, n| Some(vec![1 + unit + n * 10])));
    let Body::Lines(fan) = figure(&mut doc, "neutrino-progress-progress", &[]).body else { panic!("lines") };
    assert_eq!((fan.lines.len(), fan.lines[1].name.as_str()), (40, "2:1"));
    let note = "40 of 200 warps are shown, evenly sampled; names are block:warp.";
    assert_eq!(notes(&mut doc, "neutrino-progress-progress"), [note]);
}

#[test]
fn arrivals_are_timed_and_lost_ones_counted() {
    const CELLS: Map = Map { name: "throughput", is_warp: true, fields: &[("value", 4)], cap: 32 };
    let maps = [CELLS];
    let launch = launch([1, 1, 1], [32, 1, 1], &maps);
    // Four slices of eight cells: length, arrivals, and the time since the arrival before. Nine packets came in the first,
    // of which six have a time; several came at once.
    let cells =
        [[100_000, 9, 1_000, 0, 2_000, 6_000, 0, 0], [0; 8], [8_000, 2, 500, 500, 0, 0, 0, 0], [0; 8]];
    let mut doc = opened(folder(&launch, &[], |_, _, n| Some(vec![cells[n as usize / 8][n as usize % 8]])));
    let expected =
        ["0 | 0 | 0 | 100000 | 9 | 3 | 90000 | 375000", "0 | 0 | 2 | 8000 | 2 | 0 | 250000 | 250000"];
    assert_eq!(rows(&mut doc, "neutrino-arrivals-throughput", &[]), expected);
    let Body::Lines(curve) = figure(&mut doc, "neutrino-arrival-rate-throughput", &[]).body else {
        panic!("lines")
    };
    // Until 8 µs: the first three of the first slice and both of the other.
    assert_eq!(
        (&curve.lines[0].x[..], &curve.lines[0].y[..]),
        (&[0.0, 8_000.0][..], &[Some(625_000.0), Some(375_000.0)][..])
    );
    assert_eq!(
        notes(&mut doc, "neutrino-arrival-rate-throughput"),
        ["3 arrivals have no time: their slices were full."]
    );
}

#[test]
fn latencies_have_a_sign_and_a_source() {
    const LATENCY: Map = Map {
        name: "sr_latency",
        is_warp: true,
        fields: &[("latency", 8), ("vblock", 4), ("step", 4)],
        cap: 4,
    };
    let maps = [LATENCY];
    let launch = launch([1, 1, 1], [32, 1, 1], &maps);
    let from = 4 << 16 | 2; // rank 3, channel 2
    let records = [[-5, from, 1], [15, from, 2], [i64::MAX, from, 3], [7, from | 1 << 31, 4]];
    let fill = |_: &Map, _, n: u64| Some(records[n as usize].map(|v| v as u64).to_vec());
    let mut doc = opened(folder(&launch, &[], fill));
    assert_eq!(rows(&mut doc, "neutrino-latency-sr_latency", &[]), ["3 | 2 | 2 | 5 | -5 | 14 | 15"]);
    let named = "p95 is interpolated between two latencies, as numpy.percentile does.";
    assert_eq!(notes(&mut doc, "neutrino-latency-sr_latency"), [named, "2 records are marked invalid."]);
    let statistics = rows(&mut doc, "neutrino-statistics-sr_latency", &[]);
    assert!(statistics[0].contains(" | -5 | "), "{statistics:?}");

    const OFFSETS: Map =
        Map { name: "ptp_metrics", is_warp: true, fields: &[("offset", 8), ("latency", 8)], cap: 200 };
    let maps = [OFFSETS];
    let launch = self::launch([1, 1, 1], [32, 1, 1], &maps);
    // The second leader to its first destination: records 140 to 159.
    let fill = |_: &Map, _, n: u64| (140..160).contains(&n).then(|| vec![-10_i64 as u64, n]);
    let mut doc = opened(folder(&launch, &[], fill));
    assert_eq!(
        rows(&mut doc, "neutrino-latency-ptp_metrics", &[]),
        ["0 | 1 | 0 | 20 | 149.5 | 140 | 158.05 | 159 | -10"]
    );
}
