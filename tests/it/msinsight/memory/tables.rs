//! Memory tables: heads with units, blocks, sizes that lie, advice.

use super::{block, codes, core, family, of_block, row, table_of};
use crate::support::front_door::open_one;
use crate::support::make_ascend::Container;
use lanescope::base::fault::Severity;
use lanescope::base::unit::Unit;
use lanescope::model::figure::Cell;
use serde_json::{Value, json};

fn table(name: &str, heads: &Value, rows: &Value) -> Value {
    json!({"table_name": name, "header_name": heads, "row": rows})
}

#[test]
fn heads_give_units_and_the_first_is_the_table() {
    let cache = table(
        "Cache",
        &json!(["", "hit", "miss", "total", "hit rate(%)"]),
        &json!([{"name": "L2 Cache Read", "value": ["25", 14, "39", "64.10257"]}]),
    );
    let pipe = table(
        "Pipe Cube",
        &json!(["", "Instructions", "Cycle", "Wait Cycles", "Active Rate(%)", "Active Bw(GB/s)", "Time(us)"]),
        &json!([{"name": "MTE2", "value": ["3", "921", "NA", "11.5%", "-1", "0.5"]}]),
    );
    let old = table(
        "iCache",
        &json!(["Name", "hit rate", "speed(furlongs)"]),
        &json!([{"name": "Read", "value": [0.25, "n of m"]}]),
    );
    let doc = block(
        9,
        &json!({"table_per_block": [{"block_id": 0, "table_op_type": "mix", "table_detail": [cache, pipe, old]}]}),
    );
    let titles: Vec<(&str, &str)> =
        doc.trace().figures.iter().map(|f| (f.id.as_str(), f.title.as_str())).collect();
    let expected = [
        ("memory-table-cache", "Cache"),
        ("memory-table-pipe-cube", "Pipe Cube"),
        ("memory-table-icache", "iCache"),
    ];
    assert_eq!(titles, expected);
    assert!(
        doc.trace().figures.iter().all(|f| f.section == "Memory workload" && f.choices[0].options == ["0"])
    );
    let heads = |id: &str| -> Vec<(String, Unit, bool)> {
        let table = table_of(&family(&doc, id).variants[0]);
        table.columns.iter().map(|c| (c.name.clone(), c.unit.clone(), c.has_bar)).collect()
    };
    let head = |name: &str, unit: Unit, has_bar: bool| (name.to_owned(), unit, has_bar);
    let expected = [
        head("Cache", Unit::None, false),
        head("Hits", Unit::None, false),
        head("Misses", Unit::None, false),
        head("Total", Unit::None, false),
        head("Hit rate", Unit::Percent, true),
    ];
    assert_eq!(heads("memory-table-cache"), expected);
    let expected = [
        head("Pipe Cube", Unit::None, false),
        head("Instructions", Unit::Count("instructions".to_owned()), false),
        head("Cycles", Unit::Cycles, false),
        head("Wait cycles", Unit::Cycles, false),
        head("Active rate", Unit::Percent, true),
        head("Active bandwidth", Unit::GigabytesPerSec, false),
        head("Time", Unit::Micros, false),
    ];
    assert_eq!(heads("memory-table-pipe-cube"), expected);
    let expected = [
        head("Name", Unit::None, false),
        head("Hit rate", Unit::Share, true),
        head("speed", Unit::Other("furlongs".to_owned()), false),
    ];
    assert_eq!(heads("memory-table-icache"), expected);
    let mte2 = row(table_of(&family(&doc, "memory-table-pipe-cube").variants[0]), "MTE2");
    let expected = [
        Cell::Number(3.0),
        Cell::Number(921.0),
        Cell::Missing,
        Cell::Number(11.5),
        Cell::Missing,
        Cell::Number(0.5),
    ];
    assert_eq!(mte2[1..], expected);
    let read = row(table_of(&family(&doc, "memory-table-icache").variants[0]), "Read");
    assert_eq!(read[1..], [Cell::Number(0.25), Cell::Text("n of m".to_owned())]);
    assert!(codes(&doc).is_empty(), "{:?}", doc.faults().rows());
}

#[test]
fn blocks_that_have_a_table_can_be_chosen() {
    let detail = |name: &str, value: u32| {
        table(name, &json!(["", "requests"]), &json!([{"name": "Read", "value": [value]}]))
    };
    let doc = block(
        9,
        // The spelling of the design document, too.
        &json!({"table_per_block": [
            {"block_id": "10", "tables_detail": [detail("L1", 10)]},
            {"block_id": "2", "table_detail": [detail("L1", 2), detail("UB", 3), detail("L1", 4)]},
            {"block_id": "NA", "table_detail": [detail("UB", 5)]}], "advice": ["tile more"]}),
    );
    let l1 = family(&doc, "memory-table-l1");
    assert_eq!(l1.choices[0].options, ["2", "2 (2)", "10", "All blocks"]);
    let read = |id: &str, name: &str| row(table_of(of_block(family(&doc, id), name, 0)), "Read")[1].clone();
    assert_eq!(read("memory-table-l1", "10"), Cell::Number(10.0));
    assert_eq!(read("memory-table-l1", "2 (2)"), Cell::Number(4.0));
    assert_eq!(family(&doc, "memory-table-ub").choices[0].options, ["Average over all cores", "2"]);
    assert_eq!(read("memory-table-ub", "Average over all cores"), Cell::Number(5.0));
    // Without a chart the advice stands at the first table of each block; the average comes first and has UB.
    let said = |id: &str, name: &str| of_block(family(&doc, id), name, 0).advice.len();
    assert_eq!((said("memory-table-ub", "Average over all cores"), said("memory-table-ub", "2")), (1, 1));
    assert_eq!((said("memory-table-l1", "10"), said("memory-table-l1", "2")), (1, 0));
}

#[test]
fn sizes_that_lie_are_said_and_all_values_stay() {
    let mut one = table(
        "Pipe",
        &json!(["", "cycle"]),
        &json!([{"name": "MTE1", "value": [1, 2]}, {"name": "MTE2", "value": []}, {"name": "MTE3", "value": 7}]),
    );
    one["size"] = json!([9, 2]);
    let doc = block(9, &json!({"table_per_block": [{"block_id": 0, "table_detail": [one, 5]}]}));
    let table = table_of(&family(&doc, "memory-table-pipe").variants[0]);
    let heads: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(heads, ["Pipe", "Cycles", "Value 2"]);
    assert_eq!(row(table, "MTE1")[1..], [Cell::Number(1.0), Cell::Number(2.0)]);
    assert_eq!(row(table, "MTE2")[1..], [Cell::Missing, Cell::Missing]);
    assert_eq!(row(table, "MTE3")[1..], [Cell::Number(7.0), Cell::Missing]);
    assert_eq!(doc.faults().count(Severity::Note), 2, "{:#?}", doc.faults().rows());
    assert_eq!(doc.faults().count(Severity::Loss), 1, "{:#?}", doc.faults().rows());
}

#[test]
fn advice_stands_where_it_belongs() {
    let mut one = core("910B", "vector", &[12]);
    one["advice"] = json!(["vector usage is low", "vector usage is low"]);
    let bars = json!({"subblock_detail": [{"block_id": "0", "block_type": "vector0", "name": "Vector Wait", "unit": 3, "value": 5}]});
    let detail = table("UB", &json!(["", "requests"]), &json!([{"name": "Read", "value": ["1"]}]));
    let tables = json!({"table_per_block": [{"block_id": "0", "advice": ["MTE2 is slow"], "table_detail": [detail]},
        {"block_id": "7", "advice": "MTE3 is slow", "table_detail": []}]});
    // The order of the blocks in the file does not matter.
    let bytes =
        Container::default().json(9, &tables).json(8, &json!({"core_memory_map": [one]})).json(6, &bars).0;
    let (doc, _) = open_one("visualize_data.bin", bytes);
    let said = |id: &str| -> Vec<String> {
        family(&doc, id).variants[0].advice.iter().map(|a| a.text.to_string()).collect()
    };
    assert_eq!(said("compute-workload"), ["vector usage is low"]);
    assert_eq!(said("memory-graph"), ["vector usage is low", "MTE2 is slow"]);
    assert!(said("memory-table-ub").is_empty());
    let order: Vec<&str> = doc.trace().figures.iter().map(|f| f.id.as_str()).collect();
    assert_eq!(
        order,
        ["compute-workload", "memory-graph", "memory-paths", "memory-units", "memory-table-ub"]
    );
}
