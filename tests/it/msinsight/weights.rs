//! Ratios over blocks in the table of a project: sums by sums, by a naive twin on generated operators of unequal blocks with
//! missing parts, and recomputed on the corpus.

use super::corpus::ascend;
use crate::support::front_door::{files_of, open};
use crate::support::make_ascend::Container;
use lanescope::document::Document;
use lanescope::model::files::OperatorHead;
use lanescope::wire::{Answer, Query};
use serde_json::{Value, json};
use std::fs;

fn heads(files: Vec<(String, Vec<u8>)>) -> Vec<OperatorHead> {
    let (mut doc, ready): (Document, bool) = open(files, 1 << 16);
    assert!(ready);
    match doc.query(&Query::Operators { from: 0 }).0 {
        Answer::Operators(heads) => heads,
        other => panic!("{other:?}"),
    }
}

fn is_near(head: &OperatorHead, name: &str, expected: f64) {
    let found = head.measure(name).unwrap_or_else(|| panic!("{name} is not among {:?}", head.measures));
    assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1e-6), "{name}: {found}, not {expected}");
}

/// Blocks of very different lengths: time, cycles, share of the scalar pipe, hits and misses, share of the peak. The last
/// one was not measured.
const BLOCKS: [Option<(f64, f64, f64, f64, f64, f64)>; 4] = [
    Some((9_000.0, 16_200_000.0, 0.97, 6_000.0, 4_000.0, 0.025)),
    Some((2_000.0, 3_600_000.0, 0.80, 1_600.0, 2_400.0, 0.030)),
    Some((500.0, 900_000.0, 0.10, 90.0, 10.0, 0.5)),
    None,
];

/// Cycles at 1,800 MHz in which the vector pipe of a block of so many microseconds worked.
fn vector_cycles(micros: f64) -> f64 {
    match micros {
        micros if 5_000.0 < micros => 28.0,
        micros if 1_000.0 < micros => 56.0,
        _ => 0.0,
    }
}

fn sheets(folder: &str) -> Vec<(String, Vec<u8>)> {
    let sheet = |name: &str, heads: &str, row: &dyn Fn(&(f64, f64, f64, f64, f64, f64)) -> String| {
        let n_cells = heads.split(',').count();
        let rows = BLOCKS.iter().enumerate().map(|(n, block)| {
            let cells = block.as_ref().map_or_else(|| vec!["NA"; n_cells].join(","), row);
            format!("{n},vector0,{cells},\n")
        });
        let text = format!("block_id,sub_block_id,{heads},\n{}", rows.collect::<String>());
        (format!("{folder}/{name}.csv"), text.into_bytes())
    };
    vec![
        sheet(
            "PipeUtilization",
            "aiv_time(us),aiv_total_cycles,aiv_vec_time(us),aiv_vec_ratio,aiv_scalar_ratio",
            &|b| {
                let vector = vector_cycles(b.0);
                format!("{},{},{:.6},{:.6},{}", b.0, b.1, vector / 1_800.0, vector / b.1, b.2)
            },
        ),
        sheet(
            "L2Cache",
            "aiv_write_cache_hit,aiv_write_cache_miss_allocate,aiv_r0_read_cache_hit,aiv_r0_read_cache_miss_allocate,aiv_r1_read_cache_hit,aiv_r1_read_cache_miss_allocate,aiv_total_hit_rate(%)",
            &|b| format!("{},{},0,0,0,0,{}", b.3, b.4, b.3 / (b.3 + b.4) * 100.0),
        ),
        sheet("Memory", "aiv_time(us),GM_to_UB_bw_usage_rate(%)", &|b| format!("{},{}", b.0, b.5)),
    ]
}

fn container() -> Vec<u8> {
    let (mut load, mut graph) = (Vec::new(), Vec::new());
    for (n, b) in BLOCKS.iter().enumerate().filter_map(|(n, block)| Some((n.to_string(), block.as_ref()?))) {
        let cycles = b.1 * b.2;
        load.push(json!({"block_id": n, "block_type": "vector", "name": "Vector All Active", "unit": 3,
            "value": b.2 * 100.0, "origin_value": cycles}));
        graph.push(json!({"core_no": n, "op_type": "vector", "soc": "910B", "advice": [],
            "L2cache": {"hit": b.3, "miss": b.4, "total_request": b.3 + b.4, "hit_ratio": b.3 / (b.3 + b.4) * 100.0},
            "Vector": {"cycle": cycles, "ratio": b.2 * 100.0, "total_cycles": b.1},
            "memory_unit": [{"memory_path": 12, "bandwidth": "1", "request": "8", "peak_ratio": b.5, "display": 1},
                {"memory_path": 0, "bandwidth": "2", "request": "8", "peak_ratio": "NA", "display": 1}]}));
    }
    let list: Value = json!({"subblock_detail": load, "advice": []});
    Container::default().json(6, &list).json(8, &json!({"core_memory_map": graph})).0
}

#[test]
fn ratios_over_blocks_are_sums_by_sums() {
    let blocks = || BLOCKS.iter().flatten();
    let sum = |of: &dyn Fn(&(f64, f64, f64, f64, f64, f64)) -> f64| blocks().map(of).sum::<f64>();
    let scalar = sum(&|b| b.1 * b.2) / sum(&|b| b.1);
    let hits = sum(&|b| b.3) / sum(&|b| b.3 + b.4) * 100.0;
    let peak = sum(&|b| b.5 * b.0) / sum(&|b| b.0);
    // The plain mean is another number.
    assert!(0.1 < (scalar - 0.623).abs());
    let mut files = sheets("OPPROF_1/device0/A/0");
    files.push(("OPPROF_1/device0/B/0/visualize_data.bin".to_owned(), container()));
    let heads = heads(files);
    assert_eq!(heads.len(), 2);
    is_near(&heads[0], "aiv_scalar_ratio (by cycles)", scalar);
    is_near(&heads[0], "aiv_scalar_cycles", sum(&|b| b.1 * b.2));
    // Times tell more than ratios of six decimals: 28 and 56 cycles.
    is_near(&heads[0], "aiv_vec_cycles", 84.0);
    is_near(&heads[0], "aiv_vec_ratio (by cycles)", 84.0 / sum(&|b| b.1));
    is_near(&heads[0], "aiv_total_hit_rate (by requests)", hits);
    is_near(&heads[0], "GM → UB, share of peak (by time)", peak);
    is_near(&heads[1], "Vector All Active (by cycles)", scalar * 100.0);
    is_near(&heads[1], "L2 hit rate (by requests)", hits);
    is_near(&heads[1], "L2 → UB, share of peak (by time)", peak);
    // Two gigabytes a second of each block in its own time, over the time of the longest.
    is_near(&heads[1], "GM ↔ L2", sum(&|b| 2.0 * b.0) / 9_000.0);
    // No name is left that does not say how its blocks were joined.
    for measure in heads.iter().flat_map(|head| &head.measures) {
        let is_ratio = measure.name.ends_with("ratio")
            || measure.name.ends_with("rate")
            || measure.name.ends_with("peak");
        assert!(!is_ratio, "{}", measure.name);
    }
}

#[test]
fn ratios_of_the_rounds_are_those_of_their_files() {
    let Some(root) = ascend() else { return };
    let file = |name: &str| (name.to_owned(), fs::read(root.join(name)).unwrap());
    let mut files = vec![file("cummin_910b2_vector_round2.bin")];
    let folder = files_of(&root.join("OPPROF_cummin_round3")).into_iter();
    files.extend(folder.map(|(name, bytes)| (format!("OPPROF_3/{name}"), bytes)));
    let heads = heads(files);
    // Recomputed from the raw files: 127,182 hits of 229,568 requests and 298,392,696 scalar cycles of 318,570,598 in
    // round 2; in round 3 `aiv_…_time` ÷ `aiv_time` of `aiv_total_cycles`, in whole cycles, and 127,401 hits of 229,819.
    let of = |name: &str| heads.iter().find(|head| head.path.contains(name)).expect("the operator");
    is_near(of("round2"), "L2 hit rate (by requests)", 55.400_578_478);
    is_near(of("OPPROF_3"), "aiv_scalar_ratio (by cycles)", 0.939_075_990);
    is_near(of("OPPROF_3"), "aiv_mte3_ratio (by cycles)", 0.040_252_254);
    is_near(of("OPPROF_3"), "aiv_scalar_cycles", 299_561_556.0);
    // 896 of 318,996,076 cycles; ratios of six decimals would give 974.
    is_near(of("OPPROF_3"), "aiv_vec_ratio (by cycles)", 0.000_002_808_812);
    is_near(of("OPPROF_3"), "aiv_vec_cycles", 896.0);
    is_near(of("OPPROF_3"), "aiv_total_hit_rate (by requests)", 55.435_364_352);
}
