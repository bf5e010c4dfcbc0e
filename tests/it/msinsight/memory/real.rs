//! Files of real devices: numbers read from their payloads by hand, and a walk that compares everything.

use super::{at_path, codes, facts_of, family, graph_of, of_block, row, table_of};
use crate::msinsight::corpus::ascend;
use crate::support::front_door::open_one;
use lanescope::document::Document;
use lanescope::model::figure::{Cell, Figure};
use serde_json::Value;
use std::fs;

/// A file of the corpus and the JSON of its blocks 08 and 09.
fn opened(name: &str) -> Option<(Document, Value, Value)> {
    let bytes = fs::read(ascend()?.join(name)).unwrap();
    let (doc, ready) = open_one("visualize_data.bin", bytes.clone());
    assert!(ready);
    let payload = |kind: u32| {
        let block = doc.trace().blocks.iter().find(|b| b.kind == kind).expect("the block is there");
        let range = block.payload.start as usize..block.payload.end as usize;
        serde_json::from_slice(&bytes[range]).unwrap()
    };
    let (graph, tables) = (payload(8), payload(9));
    Some((doc, graph, tables))
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

#[test]
fn the_mix_operator_has_its_chart() {
    let Some((doc, ..)) = opened("matmul_leakyrelu_910b4_mix.bin") else { return };
    let charts = family(&doc, "memory-graph");
    assert_eq!(charts.choices[0].options, ["0", "1", "All blocks"]);
    let first = of_block(charts, "0", 0);
    assert_eq!(graph_of(first).arrows.len(), 20);
    assert_eq!(at_path(first, 3), (Some(24.867_945), "", Some(18.839_386)));
    assert_eq!(at_path(first, 7), (Some(65.089_966), "", None));
    assert_eq!(at_path(of_block(charts, "0", 1), 3).0, Some(62_596.0));
    assert_eq!(at_path(of_block(charts, "1", 1), 0).0, Some(47_846.0));
    let fact = |figure: &Figure, name: &str| -> Vec<String> {
        let found = graph_of(figure).boxes.iter().filter(|b| b.name == name);
        found.map(|b| b.fact.to_string()).collect()
    };
    assert_eq!(fact(first, "L2 Cache"), ["Hit rate: 90.55 %"]);
    assert_eq!(fact(first, "Cube"), ["Ratio: 11.15 %"]);
    assert_eq!(fact(first, "Vector"), ["Ratio: 3.00 %", "Ratio: 1.61 %"]);
    let cache = graph_of(first).boxes.iter().find(|b| b.name == "L2 Cache").unwrap();
    assert_eq!(
        cache.detail,
        "L2 hits\t66,845\nL2 misses\t6,976\nL2 requests\t73,821\nHit rate = hits / (hits + misses)"
    );
    // What the writer says is marked as its own.
    let said: Vec<String> = first.advice.iter().map(|advice| advice.said().to_string()).collect();
    assert_eq!(said.len(), 7, "{said:?}");
    assert_eq!(said[0], "msprof op: aicore compute usage lower than 20%");
    assert_eq!(said[6], "msprof op: aivector MTE3 bandwidth utilization lower than 80% when active");
    let facts = facts_of(of_block(family(&doc, "memory-units"), "1", 0));
    let value = |name: &str| facts.facts.iter().find(|f| f.name == name).map(|f| f.value.clone());
    assert_eq!(value("L2 hits"), Some(Cell::Number(71_104.0)));
    assert_eq!(value("Vector 1 total"), Some(Cell::Number(409_526.0)));
    let pipe = table_of(of_block(family(&doc, "memory-table-pipe-cube"), "0", 0));
    let mte2 = row(pipe, "MTE2");
    assert_eq!(mte2[1..], [2_857.0, 104_927.0, 40.0, 25.398_489].map(Cell::Number));
    let l1 = table_of(of_block(family(&doc, "memory-table-l1"), "0", 0));
    assert_eq!(row(l1, "L1 Write L0A/L0B")[1..], [Cell::Missing, Cell::Missing, Cell::Missing]);
    assert!(codes(&doc).is_empty(), "{:?}", doc.faults().rows());
}

#[test]
fn small_bandwidths_and_remarks_stay_visible() {
    let Some((doc, ..)) = opened("cummin_910b2_vector_small.bin") else { return };
    let charts = family(&doc, "memory-graph");
    let figure = of_block(charts, "0", 0);
    assert_eq!(at_path(figure, 12), (Some(0.051_88), "", Some(0.024_823)));
    assert_eq!(at_path(figure, 1), (Some(0.0), "(theoretical value)", None));
    let notes: Vec<String> = figure.notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["* (theoretical value)"]);
    let said: Vec<String> = figure.advice.iter().map(|advice| advice.said().to_string()).collect();
    assert_eq!(
        said,
        [
            "msprof op: aivector compute usage lower than 20%",
            "msprof op: MTE2 bandwidth utilization lower than 80% when active",
            "msprof op: MTE3 bandwidth utilization lower than 80% when active",
        ]
    );
    let unit = graph_of(figure).boxes.iter().find(|b| b.name == "Vector").unwrap();
    assert_eq!(unit.fact, "Ratio: 0.48 %");
    let Some((doc, ..)) = opened("cummin_910b2_vector_round2.bin") else { return };
    let figure = of_block(family(&doc, "memory-graph"), "31", 1);
    assert_eq!(at_path(figure, 13).0, Some(3_072.0));
    let pipe = table_of(of_block(family(&doc, "memory-table-pipe"), "31", 0));
    let expected = [513.0, 225_903.0, 9_519.0, 6.476_486, 0.972_659].map(Cell::Number);
    assert_eq!(row(pipe, "MTE2")[1..], expected);
}

/// All blocks by a naive twin: a rate of a block is over its own time, which its requests and its rate tell.
#[test]
fn all_blocks_are_sums_and_means_over_their_time() {
    for name in ["cummin_910b2_vector_round2.bin", "matmul_leakyrelu_910b4_mix.bin"] {
        let Some((doc, graph, _)) = opened(name) else { return };
        let cores = graph["core_memory_map"].as_array().unwrap();
        let table = table_of(of_block(family(&doc, "memory-paths"), "All blocks", 0));
        let mut n_moving = 0;
        for row in &table.rows {
            let is_own = |unit: &&Value| number(&unit["memory_path"]) == row[1].as_number();
            let units = || cores.iter().flat_map(|c| c["memory_unit"].as_array().unwrap()).filter(is_own);
            let all = |key: &str| units().map(|unit| number(&unit[key])).collect::<Option<Vec<f64>>>();
            let (requests, rates) = (all("request").unwrap(), all("bandwidth").unwrap());
            assert_eq!(row[2].as_number(), Some(requests.iter().sum::<f64>()), "{name} {row:?}");
            if requests.contains(&0.0) {
                assert_eq!(row[3].as_number(), Some(0.0), "{name} {row:?}");
                continue;
            }
            n_moving += 1;
            let times = || requests.iter().zip(&rates).map(|(request, rate)| request / rate);
            let mean = |values: &[f64]| {
                values.iter().zip(times()).map(|(v, time)| v * time).sum::<f64>() / times().sum::<f64>()
            };
            let is_near = |found: Option<f64>, expected: f64| {
                assert!((found.unwrap() - expected).abs() < 1e-9 * expected, "{name} {row:?} {expected}");
            };
            is_near(row[3].as_number(), mean(&rates));
            match all("peak_ratio") {
                Some(peaks) => is_near(row[4].as_number(), mean(&peaks)),
                None => assert_eq!(row[4], Cell::Missing, "{name} {row:?}"),
            }
        }
        assert!(2 < n_moving);
    }
    // 127,182 hits of 229,568 requests; the mean of the rates of the blocks is 51.7 %.
    let Some((doc, ..)) = opened("cummin_910b2_vector_round2.bin") else { return };
    let chart = of_block(family(&doc, "memory-graph"), "All blocks", 0);
    let fact =
        |name: &str| graph_of(chart).boxes.iter().find(|own| own.name == name).unwrap().fact.to_string();
    assert_eq!(fact("L2 Cache"), "Hit rate: 55.40 %");
    assert!(chart.notes.iter().any(|note| note.key.starts_with("All blocks: ")), "{:?}", chart.notes);
    let Some((doc, ..)) = opened("cummin_910b2_vector_small.bin") else { return };
    assert_eq!(family(&doc, "memory-graph").choices[0].options, ["0"]);
}

#[test]
fn every_number_of_both_blocks_stands_in_a_figure() {
    for name in
        ["matmul_leakyrelu_910b4_mix.bin", "cummin_910b2_vector_small.bin", "cummin_910b2_vector_round2.bin"]
    {
        let Some((doc, graph, tables)) = opened(name) else { return };
        let mut seen = 0;
        for core in graph["core_memory_map"].as_array().unwrap() {
            let block = core["core_no"].as_str().unwrap();
            let table = table_of(of_block(family(&doc, "memory-paths"), block, 0));
            assert_eq!(table.rows.len(), core["memory_unit"].as_array().unwrap().len());
            for unit in core["memory_unit"].as_array().unwrap() {
                let id = number(&unit["memory_path"]);
                let row = table.rows.iter().find(|row| row[1].as_number() == id).unwrap();
                let keys = ["request", "bandwidth", "peak_ratio", "display"];
                for (key, cell) in keys.iter().zip(&row[2..]) {
                    assert_eq!(cell.as_number(), number(&unit[key]), "{name} {block} {id:?} {key}");
                    seen += 1;
                }
            }
            let facts = facts_of(of_block(family(&doc, "memory-units"), block, 0));
            for key in ["L2cache", "Cube", "Vector", "Vector1"] {
                for value in core[key].as_object().into_iter().flat_map(|o| o.values()) {
                    let value = number(value);
                    assert!(
                        facts.facts.iter().any(|f| f.value.as_number() == value),
                        "{name} {key} {value:?}"
                    );
                    seen += 1;
                }
            }
        }
        for block in tables["table_per_block"].as_array().unwrap() {
            let id = block["block_id"].as_str().unwrap();
            for detail in block["table_detail"].as_array().unwrap() {
                let title = detail["table_name"].as_str().unwrap();
                let family = doc
                    .trace()
                    .figures
                    .iter()
                    .find(|f| f.section == "Memory workload" && f.title == title)
                    .unwrap();
                let table = table_of(of_block(family, id, 0));
                for item in detail["row"].as_array().unwrap() {
                    let row = row(table, item["name"].as_str().unwrap());
                    let values = item["value"].as_array().unwrap();
                    assert_eq!(row.len(), values.len() + 1);
                    for (value, cell) in values.iter().zip(&row[1..]) {
                        assert_eq!(cell.as_number(), number(value), "{name} {id} {title}");
                        seen += 1;
                    }
                }
            }
        }
        assert!(80 < seen, "{name}: {seen}");
    }
}
