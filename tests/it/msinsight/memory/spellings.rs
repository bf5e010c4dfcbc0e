//! Both spellings of blocks 05 to 09, numbers as text, NA, wrong types, and JSON that breaks off.

use super::{at_path, block, codes, core, facts_of, family, graph_of, of_block, row, table_of};
use crate::support::front_door::open_one;
use crate::support::make_ascend::{Container, NO_VERSION};
use lanescope::base::fault::Severity;
use lanescope::model::figure::{Body, Cell};
use serde_json::json;

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

#[test]
fn base_info_lists_blocks_in_either_spelling() {
    let doc = block(
        5,
        &json!({"name": "Matmul", "soc": "Ascend910B4", "op_type": "aic",
            "block_detail": [{"block_id": "0", "core_type": "aic", "duration": "7.5"}, {"block_id": 1, "core_type": "aiv", "duration": 8}],
            "mix_block_detail": [{"block_id": 0, "duration": [3.5, "NA", "2.25"]}, {"block_id": "1", "duration": ["4", 1, 2]}]}),
    );
    assert_eq!(doc.trace().headline, ["Ascend910B4", "cube"]);
    let blocks = table_of(&family(&doc, "block-detail").variants[0]);
    assert_eq!(blocks.rows[0], [Cell::Number(0.0), text("cube"), Cell::Number(7.5)]);
    assert_eq!(blocks.rows[1], [Cell::Number(1.0), text("vector"), Cell::Number(8.0)]);
    let mix = table_of(&family(&doc, "mix-block-detail").variants[0]);
    assert_eq!(mix.rows[0], [Cell::Number(0.0), Cell::Number(3.5), Cell::Missing, Cell::Number(2.25)]);
    assert_eq!(mix.rows[1][1], Cell::Number(4.0));
    assert!(codes(&doc).is_empty(), "{:?}", doc.faults().rows());
}

#[test]
fn workload_of_both_blocks_is_read_in_the_spelling_of_the_document() {
    let row = |unit: u8, value: f64| {
        json!({"block_id": "2", "block_type": "cube0", "advice": ["use the cube"],
            "data_detail": {"name": "Cube FP", "unit": unit, "value": value.to_string(), "origin_value": "4700"}})
    };
    let doc = block(6, &json!({"subblock_detail": [row(3, 11.5)]}));
    let figure = of_block(family(&doc, "compute-workload"), "2", 0);
    let Body::Bars(bars) = &figure.body else { panic!("bars") };
    assert_eq!((bars.bars[0].name.as_str(), bars.bars[0].values[0]), ("Cube FP", Some(11.5)));
    assert_eq!(bars.bars[0].detail, "4,700 cycles");
    assert_eq!(figure.advice[0].text, "use the cube");
    let doc = block(7, &json!({"subblock_detail": [row(1, 64.0)]}));
    let table = table_of(of_block(family(&doc, "compute-workload-cube0"), "2", 0));
    assert_eq!(table.rows, [[text("Cube FP"), Cell::Number(64.0)]]);
}

#[test]
fn the_memory_graph_is_read_in_the_spelling_of_the_document() {
    let unit = json!({"memory_path": "14", "requests": 0, "request": 5, "bandwidth": "2.5 ", "peak_ratio": "NA", "display": "0",
        "requests_suffix": "(theoretical value)"});
    let doc = block(
        8,
        &json!({"core_memory_map": [
            {"core_no": "NA", "core_type": "aiv", "soc": "910B", "memory_unit": [unit], "memory_detail": "1",
                "L2cache": [["hit", "3"], {"miss": 1}, ["total_request", 4], {"hit_ratio": "75"}]},
            {"core_no": 3, "core_type": "aiv", "soc": "910B", "memory_unit": []},
            {"core_no": "1", "core_type": "aiv", "soc": "910B"}]}),
    );
    let charts = family(&doc, "memory-graph");
    assert_eq!(charts.choices[0].options, ["Average over all cores", "1", "3"]);
    let figure = of_block(charts, "Average over all cores", 1);
    // A flag of 0 does not hide the path.
    assert_eq!(at_path(figure, 14), (Some(5.0), "(theoretical value)", None));
    assert_eq!(at_path(of_block(charts, "Average over all cores", 0), 14), (Some(2.5), "", None));
    assert!(figure.notes.contains(&"Values are averages over all cores.".into()));
    let cache = graph_of(figure).boxes.iter().find(|b| b.name == "L2 Cache").unwrap();
    assert_eq!(cache.fact, "Hit rate: 75.00 %");
    let facts = facts_of(of_block(family(&doc, "memory-units"), "Average over all cores", 0));
    let facts: Vec<(&str, &Cell)> = facts.facts.iter().map(|f| (f.name.as_str(), &f.value)).collect();
    assert!(facts.contains(&("L2 misses", &Cell::Number(1.0))));
    assert!(facts.contains(&("Memory detail", &Cell::Number(1.0))));
    // Paths that a file does not have are drawn without a value.
    assert_eq!(at_path(of_block(charts, "1", 0), 12), (None, "", None));
    let table = table_of(of_block(family(&doc, "memory-paths"), "Average over all cores", 0));
    let expected = [
        text("UB → Vector"),
        Cell::Number(14.0),
        Cell::Number(5.0),
        Cell::Number(2.5),
        Cell::Missing,
        Cell::Number(0.0),
        text("(theoretical value)"),
        Cell::Missing,
    ];
    assert_eq!(table.rows, [expected]);
    assert!(codes(&doc).is_empty(), "{:?}", doc.faults().rows());
}

/// Blocks that differ in what they have: a path that one lacks, one that one did not use, no second vector unit, no cache.
#[test]
fn all_blocks_together_miss_nothing_that_some_have() {
    let unit = |id: u8, request: u32, bandwidth: f64, peak: &str| json!({"memory_path": id, "request": request, "bandwidth": bandwidth, "peak_ratio": peak, "display": 1});
    let core = |no: u8, units: &[serde_json::Value]| json!({"core_no": no, "op_type": "vector", "soc": "910B", "memory_unit": units});
    let mut cores = [
        core(0, &[unit(12, 100, 1.0, "10"), unit(13, 50, 0.5, "NA"), unit(14, 0, 0.0, "0")]),
        core(1, &[unit(12, 300, 6.0, "60"), unit(13, 0, 0.0, "0")]),
        core(2, &[unit(12, 50, 1.0, "10")]),
    ];
    cores[0]["L2cache"] = json!({"hit": 30, "miss": 10, "total_request": 40, "hit_ratio": 75});
    cores[1]["L2cache"] = json!({"hit": 0, "miss": 60, "total_request": 60, "hit_ratio": 0});
    cores[0]["Vector"] = json!({"cycle": 2, "ratio": 1.25, "total_cycles": 160});
    cores[1]["Vector"] = json!({"cycle": 6, "ratio": 15, "total_cycles": 40});
    cores[0]["Vector1"] = json!({"cycle": 3, "ratio": 2.5, "total_cycles": 120});
    cores[2]["Cube"] = json!({"cycle": 0, "ratio": 0, "total_cycles": 0});
    let doc = block(8, &json!({"core_memory_map": cores}));
    let charts = family(&doc, "memory-graph");
    assert_eq!(charts.choices[0].options, ["0", "1", "2", "All blocks"]);
    // The blocks took 100, 50 and 50 units of time: 450 requests in 200; the peaks 10, 60 and 10 % of them.
    let figure = of_block(charts, "All blocks", 0);
    assert_eq!(at_path(figure, 12), (Some(2.25), "", Some(22.5)));
    assert_eq!(at_path(of_block(charts, "All blocks", 1), 12).0, Some(450.0));
    // 0.5 in 100 of 150 and nothing in the others; a peak that one does not know is not known of all.
    let (rate, _, peak) = at_path(figure, 13);
    assert!((rate.unwrap() - 1.0 / 3.0).abs() < 1e-12 && peak.is_none(), "{rate:?} {peak:?}");
    assert_eq!(at_path(figure, 14), (Some(0.0), "", Some(0.0)));
    let facts = facts_of(of_block(family(&doc, "memory-units"), "All blocks", 0));
    let facts: Vec<(&str, Option<f64>)> =
        facts.facts.iter().map(|f| (f.name.as_str(), f.value.as_number())).collect();
    let expected = [
        ("L2 hits", Some(30.0)),
        ("L2 misses", Some(70.0)),
        ("L2 requests", Some(100.0)),
        ("L2 hit rate", Some(30.0)),
        ("Cube active", Some(0.0)),
        ("Cube total", Some(0.0)),
        ("Cube ratio", None),
        ("Vector 0 active", Some(8.0)),
        ("Vector 0 total", Some(200.0)),
        ("Vector 0 ratio", Some(4.0)),
        ("Vector 1 active", Some(3.0)),
        ("Vector 1 total", Some(120.0)),
        ("Vector 1 ratio", Some(2.5)),
    ];
    assert_eq!(facts, expected);
}

#[test]
fn a_share_in_place_of_percent_is_known_by_the_counts() {
    let cache = json!({"hit": 13, "miss": 64, "total_request": 77, "hit_ratio": 0.168_831_169});
    let mut one = core("910B", "vector", &[12]);
    one["L2cache"] = cache;
    let doc = block(8, &json!({"core_memory_map": [one]}));
    let boxes = &graph_of(&family(&doc, "memory-graph").variants[0]).boxes;
    assert_eq!(boxes.iter().find(|b| b.name == "L2 Cache").unwrap().fact, "Hit rate: 16.88 %");
}

#[test]
fn paths_without_a_place_and_unknown_charts_are_listed() {
    let doc = block(8, &json!({"core_memory_map": [core("910B", "vector", &[12, 2, 30, 12])]}));
    let figure = &family(&doc, "memory-graph").variants[0];
    assert_eq!(figure.notes, ["3 paths are not part of this chart; see the memory path table."]);
    let table = table_of(&family(&doc, "memory-paths").variants[0]);
    let ids: Vec<Option<f64>> = table.rows.iter().map(|row| row[1].as_number()).collect();
    assert_eq!(ids, [Some(12.0), Some(2.0), Some(30.0), Some(12.0)]);
    assert_eq!(table.rows[1][0], text("L2 → L1"));
    assert_eq!(table.rows[2][0], Cell::Missing);
    let said: Vec<String> = doc.faults().rows().iter().map(|f| format!("{:?} {f}", f.severity)).collect();
    assert_eq!(said.len(), 2, "{said:#?}");
    assert!(said[0].contains("Note") && said[0].contains("memory_unit ▸ 3"), "{said:#?}");
    assert!(said[1].contains("each memory path only once"), "{said:#?}");
    // Paths that all chips have tell nothing.
    for (soc, op_type) in [("910B", "AiCore"), ("9999", "simt"), ("", "")] {
        let doc = block(8, &json!({"core_memory_map": [core(soc, op_type, &[0, 1, 30])]}));
        let figure = &family(&doc, "memory-graph").variants[1];
        assert_eq!(table_of(figure).rows.len(), 3, "{soc} {op_type}");
        assert!(figure.notes[0].key.starts_with("No memory chart for this chip"));
    }
}

#[test]
fn wrong_types_and_negative_numbers_are_missing() {
    let units = json!([{"memory_path": 12, "request": [1], "bandwidth": "fast", "peak_ratio": -1, "display": {}},
        7, {"memory_path": 13, "request": -3, "bandwidth": null, "peak_ratio": "NA"}]);
    let doc = block(
        8,
        &json!({"core_memory_map": ["x", {"core_no": 0, "op_type": "vector", "soc": "910B", "memory_unit": units, "L2cache": 7,
            "Vector": {"cycle": "NA", "ratio": -1}}]}),
    );
    let figure = &family(&doc, "memory-graph").variants[0];
    assert_eq!(at_path(figure, 12), (None, "", None));
    assert_eq!(at_path(figure, 13), (None, "", None));
    assert_eq!(table_of(&family(&doc, "memory-paths").variants[0]).rows.len(), 2);
    assert_eq!(doc.faults().count(Severity::Loss), 2, "{:#?}", doc.faults().rows());
    // The list, the word and the object; null, NA and negative numbers are just missing.
    assert_eq!(doc.faults().count(Severity::Warning), 3, "{:#?}", doc.faults().rows());
}

#[test]
fn what_stands_before_a_cut_is_shown() {
    let whole = json!({"core_memory_map": [core("910B", "vector", &[0, 12, 13])]}).to_string();
    let cut = &whole[..whole.find("\"memory_path\":13").unwrap() + 8];
    let (doc, _) =
        open_one("visualize_data.bin", Container::default().block(8, NO_VERSION, cut.as_bytes()).0);
    // Members are in the order of the alphabet: chip and operator stand behind the paths and are cut away.
    let table = table_of(&family(&doc, "memory-paths").variants[0]);
    assert_eq!(row(table, "L2 → UB")[3], Cell::Number(12_012.5));
    assert!(codes(&doc).contains(&"ASC-JSON"), "{:?}", codes(&doc));
    let whole = json!({"table_per_block": [{"block_id": "0", "table_detail": [{"header_name": ["", "requests"],
        "row": [{"name": "Read", "value": ["12"]}, {"name": "Write", "value": ["13"]}], "table_name": "L1"}]}]})
    .to_string();
    let cut = &whole[..whole.find("\"13\"").unwrap()];
    let (doc, _) =
        open_one("visualize_data.bin", Container::default().block(9, NO_VERSION, cut.as_bytes()).0);
    let tables: Vec<_> = doc.trace().figures.iter().map(|f| table_of(&f.variants[0])).collect();
    assert_eq!(row(tables[0], "Read")[1], Cell::Number(12.0));
    assert!(codes(&doc).contains(&"ASC-JSON"));
}
