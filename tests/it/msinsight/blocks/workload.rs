//! What blocks of an operator took and did: clocks, durations, heat tables of all blocks, imbalance of the cores.

use super::{family, hovered, of_block, of_json, payload, table, text};
use crate::support::front_door::open_case;
use lanescope::model::figure::{Body, Cell, FigureState, TableFigure};
use serde_json::{Value, json};

#[test]
fn the_clock_is_held_against_its_rate() {
    let (doc, _) = open_case("msinsight", "device");
    let figure = &family(&doc, "base-info").variants[0];
    let Body::Facts(facts) = &figure.body else { panic!("facts") };
    let share = facts.facts.iter().find(|f| f.name == "% of rated clock").unwrap();
    assert_eq!(share.value, Cell::Number(1200.0 / 1650.0));
    let expected = "The chip ran at 1,200 of 1,650 MHz, 72.7 % of its rated clock: computing takes longer than at full clock.";
    assert_eq!(figure.advice[0].text, expected);
    let full = json!({"name": "x", "cur_freq": 1650, "rated_freq": "1650"});
    assert!(family(&of_json(5, &full), "base-info").variants[0].advice.is_empty());
}

#[test]
fn overhead_is_only_where_all_blocks_ran_at_once() {
    let is_overhead = |soc: &str, op_type: &str, n_blocks: u32| {
        let rows = (0..n_blocks).map(|n| json!({"value": [n.to_string(), op_type, "1000"]}));
        let rows: Vec<Value> = rows.collect();
        let heads = ["Block ID", "Core Type", "Duration (μs)"];
        let detail = json!({"head_name": heads, "row": rows, "size": [n_blocks + 1, 3]});
        let info = json!({"name": "x", "soc": soc, "op_type": op_type, "block_dim": n_blocks, "duration": 2100, "block_detail": detail});
        let doc = of_json(5, &info);
        let Body::Facts(facts) = &family(&doc, "base-info").variants[0].body else { panic!("facts") };
        let fact = facts.facts.iter().find(|fact| fact.value == Cell::Number(1_100.0)).unwrap();
        let said = family(&doc, "block-detail").variants[0].advice[0].text.to_string();
        let all = "52.4 % of the time, were spent outside the longest block: before and after all blocks";
        assert!(said.contains(all), "{said}");
        // One figure has one name, whatever is known of the chip.
        assert_eq!(fact.name, "Outside the longest block");
        said.ends_with("all blocks.")
    };
    // 24 cores with two vector units each.
    assert!(is_overhead("Ascend910B2", "vector", 48));
    assert!(!is_overhead("Ascend910B2", "vector", 50));
    assert!(!is_overhead("Ascend910B2", "mix", 25));
    assert!(!is_overhead("", "vector", 2), "who knows how many cores it has");
}

#[test]
fn durations_of_blocks_are_told_apart_by_type_of_core_and_all_rows_are_there() {
    let row = |i: u32| json!({"value": [i.to_string(), if i.is_multiple_of(3) { "cube" } else { "vector" }, "4.5"]});
    let rows: Vec<Value> = (0..12_000).map(row).collect();
    let heads = ["Block ID", "Core Type", "Duration (μs)"];
    let doc = of_json(
        5,
        &json!({"name": "x", "block_detail": {"head_name": heads, "row": rows, "size": [12_001, 3]}}),
    );
    assert_eq!((table(&doc, "block-detail").rows.len(), table(&doc, "block-detail").more_rows), (12_000, 0));
    let Body::Histogram(histogram) = &family(&doc, "block-detail-durations").variants[0].body else {
        panic!("histogram")
    };
    let series: Vec<(&str, f64)> =
        histogram.series.iter().map(|s| (s.name.as_str(), s.counts.iter().sum())).collect();
    assert_eq!(series, [("cube", 4_000.0), ("vector", 8_000.0)]);
    let marks: Vec<(&str, f64)> = histogram.marks.iter().map(|m| (m.name.as_str(), m.value)).collect();
    assert_eq!(marks, [("Median of cube units", 4.5), ("Median of vector units", 4.5)]);
}

#[test]
fn all_blocks_stand_in_one_heat_table() {
    let (doc, _) = open_case("msinsight", "device");
    let all = family(&doc, "compute-workload-blocks");
    assert_eq!(all.choices[0].options, ["Share", "Cycles"]);
    let Body::Matrix(shares) = &all.variants[0].body else { panic!("matrix") };
    assert_eq!(shares.rows, ["Average over all cores", "0", "1", "2", "10"]);
    assert_eq!(shares.columns, ["Cube All Active", "Cube Wait"]);
    assert_eq!(shares.cells[2].value, Some(21.5));
    let Body::Matrix(cycles) = &all.variants[1].body else { panic!("matrix") };
    assert_eq!(cycles.cells[3].value, Some(54_000.0));
    let tables = family(&doc, "compute-workload-table-blocks");
    assert_eq!(tables.choices[0].options, ["Share", "Duration", "Instructions", "Data volume", "Operations"]);
    let Body::Matrix(ops) = &tables.variants[4].body else { panic!("matrix") };
    assert_eq!((ops.columns.as_slice(), ops.unit.symbol()), (&["Vector OPS".to_owned()][..], "ops"));
    let many = |block: u32| json!({"block_id": block, "block_type": if block.is_multiple_of(2) { "cube0" } else { "vector0" }, "name": "Busy", "unit": 3, "value": block, "origin_value": 7});
    let rows: Vec<Value> = (0..90).map(many).collect();
    let doc = of_json(6, &json!({"subblock_detail": rows}));
    let Body::HeatMap(busy) = &family(&doc, "compute-workload-blocks").variants[0].body else {
        panic!("map")
    };
    assert_eq!(
        (busy.width, busy.height, &busy.x.names),
        (2, 90, &vec!["cube0 Busy".to_owned(), "vector0 Busy".to_owned()])
    );
    assert_eq!(busy.values[2 * 40], 40.0);
}

#[test]
fn occupancy_of_three_payloads_has_imbalance_and_all_values() {
    let numbers = |table: &TableFigure, row: usize| {
        table.rows[row].iter().filter_map(Cell::as_number).collect::<Vec<f64>>()
    };
    let Some(mix) = payload("L64__INTER_CORE") else { return };
    let doc = of_block(0x0c, &mix);
    // Vectors take 76,949 and 130,426 cycles: mean 103,687.5, difference 53,477.
    let vector = numbers(&table(&doc, "core-imbalance"), 1);
    assert_eq!(vector, [2.0, 103_687.5, 130_426.0, 76_949.0, 130_426.0 / 103_687.5, 53_477.0]);
    assert_eq!(table(&doc, "core-imbalance").rows[1][4], text("0 vector1"));
    assert_eq!(table(&doc, "core-values").rows[1][1], text("vector0"));
    assert_eq!(numbers(&table(&doc, "core-values"), 1), [0.0, 76_949.0, 512.0, 87.804_878]);
    let simt = of_block(0x0c, &payload("L107__INTER_CORE").unwrap());
    // Three sub cores; instructions 25,600, 19,200 and 22,000, in a cycle 2.5, 1.25 and 2.
    assert_eq!(numbers(&table(&simt, "core-values"), 0), [0.0, 10_000.0, 512.0, 85.5, 25_600.0, 2.5]);
    let folded = of_block(0x0c, &payload("L25__INTER_CORE").unwrap());
    // The third vector core of the file is vector0 of core 1.
    let last = table(&folded, "core-values").rows[2].clone();
    let expected = [1.0, 7_940.0, 15_104.0, 77.272_728, 2.0, 0.0].map(Cell::Number);
    assert_eq!((&last[0], &last[2..]), (&expected[0], &expected[1..]));
    assert_eq!(last[1], text("vector0"));
    let figure = &family(&folded, "core-occupancy").variants[0];
    let said = hovered(figure, &FigureState::default());
    let slowest = said.iter().find(|s| s.contains("7,940")).unwrap();
    // Of three vector units, whatever their numbers.
    assert!(slowest.ends_with("Rank\t1 of 3, highest first"), "{slowest}");
}

#[test]
fn names_that_no_two_blocks_share_make_no_table() {
    let row = |n: u32| json!({"block_id": n, "block_type": "cube0", "name": format!("n{n}"), "unit": 3, "value": 1, "origin_value": 7});
    let rows: Vec<Value> = (0..3_000).map(row).collect();
    let doc = of_json(6, &json!({"subblock_detail": rows}));
    assert!(doc.trace().figures.iter().all(|f| f.id != "compute-workload-blocks"));
    assert_eq!(doc.trace().tables[0].columns[0].cells.len(), 3_000);
}
