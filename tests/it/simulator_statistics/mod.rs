//! Statistics at the ends of kernels, through the front door: by hand, streams, old versions, damage, real logs.

pub(crate) mod make;

use crate::nvbit::fixtures::keep;
use crate::scalesim::{figure, rows, with};
use crate::support::corpus::corpus;
use lanescope::document::Document;
use lanescope::model::parameter::Value as Set;
use serde_json::{Value, json};
use std::fs;

fn opened(text: String, kernel: Option<u32>) -> Document {
    let values: Vec<(&str, Set)> =
        kernel.map(|row| ("statistics-kernel", Set::Number(row.into()))).into_iter().collect();
    with(vec![("run.log".to_owned(), text.into_bytes())], &values)
}

fn said(doc: &Document) -> Vec<String> {
    doc.faults().rows().iter().map(|fault| format!("{} {fault}", fault.code)).collect()
}

/// Names and values of the bars of a variant.
fn bars(doc: &mut Document, id: &str, variant: usize) -> Value {
    let figure = figure(doc, id);
    let bars = figure["variants"][variant]["body"]["bars"]["bars"].as_array().unwrap().clone();
    bars.iter().map(|bar| json!([bar["name"], bar["values"]])).collect()
}

fn plain() -> String {
    make::log(["", "", ""])
}

#[test]
fn the_fixture_is_what_it_is_made_of() {
    let by = "tests/it/simulator_statistics/make.rs";
    keep(
        "gpgpusim",
        "statistics",
        &[("run.log", plain().into_bytes())],
        by,
        "ends of kernels with statistics",
    );
    let streams = make::log(["[Stream_0]", "[Stream_7]", "[Stream_0]"]);
    keep("gpgpusim", "streams", &[("run.log", streams.into_bytes())], by, "statistics by stream");
}

#[test]
fn each_end_is_a_row() {
    let mut doc = opened(plain(), None);
    assert_eq!(said(&doc), [""; 0]);
    let rows = rows(&mut doc, "kernel-statistics-0");
    assert_eq!(json!(rows[0][..8]), json!([1, "saxpy", "1 3", 500.0, 32000.0, 64.0, 12.5, 67.2]));
    assert_eq!(json!(rows[1][..4]), json!([2, null, null, 8.0]));
    assert_eq!(json!(rows[2][..4]), json!([3, "scale", "2", 300.0]));
}

#[test]
fn counts_of_one_kernel_are_differences() {
    let mut whole = opened(plain(), None);
    assert_eq!(bars(&mut whole, "cache-breakdown-0", 0), json!([["GLOBAL_ACC_R", [25.0, 6.0]]]));
    assert_eq!(
        bars(&mut whole, "cache-units-0", 0),
        json!([["0", [25.0, 0.0, 6.0]], ["1", [50.0, 0.0, 12.0]]])
    );
    assert_eq!(bars(&mut whole, "cache-units-0", 1), json!([["0", [0.0]], ["1", [3.0]]]));
    assert_eq!(bars(&mut whole, "cache-units-0", 2), json!([["0", [24.0, 1.0, 0.0]]]));
    let mut third = opened(plain(), Some(3));
    assert_eq!(bars(&mut third, "cache-breakdown-0", 0), json!([["GLOBAL_ACC_R", [15.0, 6.0]]]));
    assert_eq!(bars(&mut third, "warp-occupancy-0", 0), json!([["Stall", [6.0]], ["W32", [15.0]]]));
    assert_eq!(bars(&mut third, "interconnect-traffic-0", 0), json!([["GLOBAL_ACC_R → memory", [120.0]]]));
    let table = rows(&mut third, "all-statistics-0");
    let of = |name: &str| json!(table.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("{name}")));
    assert_eq!(of("gpgpu_n_load_insn"), json!(["gpgpu_n_load_insn", 25.0, 15.0]));
    assert_eq!(of("maxmflatency"), json!(["maxmflatency", 40.0, null]));
    assert_eq!(of("L1D_cache_core[1].Miss_rate"), json!(["L1D_cache_core[1].Miss_rate", 0.5, null]));
    let second = bars(&mut opened(plain(), Some(2)), "cache-breakdown-0", 0);
    assert_eq!(second, json!([]));
    // A row that is not there is the whole run.
    assert_eq!(
        bars(&mut opened(plain(), Some(9)), "warp-occupancy-0", 0),
        bars(&mut whole, "warp-occupancy-0", 0)
    );
}

#[test]
fn memory_latencies_and_interconnect_are_shown() {
    let mut doc = opened(plain(), None);
    let map = figure(&mut doc, "memory-banks-0");
    assert_eq!(
        map["choices"][0]["options"],
        json!(["average row accesses per activate", "number of total read accesses"])
    );
    assert_eq!(map["variants"][0]["body"]["heat-map"]["values"], json!([null, 2.0, 16.0, null]));
    assert_eq!(map["variants"][1]["body"]["heat-map"]["values"], json!([25.0, 0.0, 0.0, 6.0]));
    let latencies = figure(&mut doc, "latencies-0")["variants"][0]["body"]["histogram"].clone();
    assert_eq!(
        (&latencies["edges"], &latencies["series"][0]["counts"]),
        (&json!([1.0, 2.0, 4.0, 8.0, 16.0]), &json!([0.0, 0.0, 25.0, 6.0]))
    );
    assert_eq!(
        json!(rows(&mut doc, "memory-channels-0")),
        json!([[0, 300.0, 465.0, 2.0, 0.1205, 0.96875, 16.0, 1.5]])
    );
    let facts = figure(&mut doc, "interconnect-0")["variants"][0]["body"]["facts"]["facts"].clone();
    assert_eq!(facts[0], json!({"name": "Req_Network_injected_packets_num", "value": 25.0, "unit": "None"}));
}

#[test]
fn streams_and_old_versions_are_read() {
    let mut doc = opened(make::log(["[Stream_0]", "[Stream_7]", "[Stream_0]"]), None);
    let figure_of = figure(&mut doc, "cache-breakdown-0");
    assert_eq!(figure_of["choices"][1]["options"], json!(["All streams", "Stream_0", "Stream_7"]));
    let of: Vec<Value> = (0..3).map(|variant| bars(&mut doc, "cache-breakdown-0", variant)).collect();
    assert_eq!(of[0], json!([["GLOBAL_ACC_R", [35.0, 6.0]]]));
    assert_eq!(of[1], json!([["GLOBAL_ACC_R", [25.0, 6.0]]]));
    assert_eq!(of[2], json!([["GLOBAL_ACC_R", [10.0, 0.0]]]));
    let text = plain().replace("Req_Network_injected_packets_num = 25\n", make::OLD_NETWORK);
    let facts =
        figure(&mut opened(text, None), "interconnect-0")["variants"][0]["body"]["facts"]["facts"].clone();
    let names: Vec<(&str, f64)> = facts
        .as_array()
        .unwrap()
        .iter()
        .map(|fact| (fact["name"].as_str().unwrap(), fact["value"].as_f64().unwrap()))
        .collect();
    assert!(
        names.contains(&("Packet latency average", 14.5103))
            && names.contains(&("Packet latency maximum", 75.0)),
        "{names:?}"
    );
}

#[test]
fn a_block_that_is_cut_is_said_and_shown() {
    let text = plain();
    let (whole, _) = text.split_at(text.rfind("mf_lat_table").unwrap());
    let mut doc = opened(whole.to_owned(), Some(3));
    let codes: Vec<&str> = doc.faults().rows().iter().map(|fault| &*fault.code).collect();
    assert!(codes.contains(&"GPS-STATISTICS"), "{codes:?}");
    assert_eq!(bars(&mut doc, "cache-breakdown-0", 0), json!([["GLOBAL_ACC_R", [15.0, 6.0]]]));
}

#[test]
fn every_real_log_has_its_statistics() {
    let Some(corpus) = corpus("gainsight") else { return };
    let open = |path: &str| opened(fs::read_to_string(corpus.join(path)).unwrap(), None);
    for (path, kernels, l1) in [
        ("accelsim_logs/halu_benchmark_1_stream_tip.log", None, None),
        ("accelsim_logs/halu_benchmark_3_stream_tip.log", None, None),
        ("accelsim_logs/halu_inference_half_35_1500_2560_0_0_tip_serialized.log", Some(10), None),
        ("gpgpusim_logs/adeeshag_v322_shm_tm6.txt", Some(1), Some(11392.0)),
        ("gpgpusim_logs/alimpfard_phase2_with_output.log", Some(2), None),
        ("gpgpusim_logs/topcuburak_mvt.txt", Some(2), None),
        ("generated_accelsim/sm86_rtx3070_2kernels_small.log", Some(2), None),
    ] {
        let mut doc = open(path);
        assert!(
            said(&doc).iter().all(|fault| !fault.starts_with("GPS-STATISTICS")),
            "{path}: {:?}",
            said(&doc)
        );
        let text = fs::read_to_string(corpus.join(path)).unwrap();
        let printed: Vec<f64> = text
            .lines()
            .filter_map(|line| line.strip_prefix("gpu_sim_cycle = ")?.trim().parse().ok())
            .collect();
        let table = rows(&mut doc, "kernel-statistics-0");
        let heads =
            figure(&mut doc, "kernel-statistics-0")["variants"][0]["body"]["table"]["columns"].clone();
        let at = heads.as_array().unwrap().iter().position(|head| head["name"] == "Cycles").unwrap();
        let cycles: Vec<f64> = table.iter().map(|row| row[at].as_f64().unwrap()).collect();
        assert_eq!(cycles, printed, "{path}");
        assert_eq!(kernels.unwrap_or(table.len()), table.len(), "{path}");
        // Cores add up to the total that the log prints.
        let cores = figure(&mut doc, "cache-units-0")["variants"][0]["body"]["bars"]["bars"]
            .as_array()
            .unwrap()
            .clone();
        let sum: f64 = cores
            .iter()
            .flat_map(|bar| bar["values"].as_array().unwrap().clone())
            .filter_map(|v| v.as_f64())
            .sum();
        let total = rows(&mut doc, "all-statistics-0")
            .iter()
            .find(|row| row[0] == "L1D_total_cache_accesses")
            .unwrap()[1]
            .as_f64()
            .unwrap();
        assert_eq!(sum, total, "{path}");
        assert_eq!(l1.unwrap_or(total), total, "{path}");
        for id in [
            "cache-breakdown-0",
            "memory-banks-0",
            "latencies-0",
            "warp-occupancy-0",
            "memory-channels-0",
            "interconnect-0",
            "interconnect-traffic-0",
        ] {
            figure(&mut doc, id);
        }
    }
}
