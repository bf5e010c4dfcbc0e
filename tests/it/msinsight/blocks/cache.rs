//! Cache lines and cache records: maps, tables of their cells, and what is said when nothing was recorded.

use super::{ascend, codes, family, of_block, of_json};
use crate::support::front_door::open_one;
use lanescope::base::geometry::{Point, Size};
use lanescope::document::Document;
use lanescope::draw;
use lanescope::model::TableCells;
use lanescope::model::figure::{Body, FigureState, HeatMap};
use lanescope::wire::figures::{FigureQuery, Frame, Reply};
use serde_json::{Value, json};
use std::fs;

fn map<'a>(doc: &'a Document, id: &str, variant: usize) -> &'a HeatMap {
    match &family(doc, id).variants[variant].body {
        Body::HeatMap(map) => map,
        other => panic!("{other:?}"),
    }
}

fn side(value: Value, ranges: Value) -> Value {
    json!({"Value": value, "Address Range": ranges})
}

#[test]
fn cache_lines_become_two_maps_and_a_table() {
    let record = |id: u32| {
        let ranges = if id == 130 { json!([["0x1000", "0x1010"], ["0x2000", "0x2000"]]) } else { json!([]) };
        json!({"Cacheline Id": id, "Hit": side(json!([id, 0.5]), ranges), "Miss": side(json!([1, 0.25]), json!([]))})
    };
    let mut records: Vec<Value> = (0..131).map(record).collect();
    records[3]["Hit"]["Value"] = json!([7]);
    let mut doc = of_json(0x0e, &json!({"Cacheline Records": records}));
    assert_eq!(codes(&doc), ["ASC-FIELD"]);
    let shares = map(&doc, "cache-hit", 0);
    assert_eq!((shares.width, shares.height, shares.values.len()), (128, 2, 256));
    assert_eq!(shares.values[..3], [0.5, 0.5, 0.5]);
    assert!(shares.values[3].is_nan() && shares.values[131].is_nan());
    assert_eq!(map(&doc, "cache-hit", 1).values[130], 130.0);
    assert_eq!(map(&doc, "cache-miss", 0).values[130], 0.25);
    let lines = doc.trace().tables.iter().find(|t| t.id == shares.table).expect("the table of the cells");
    let names: Vec<&str> = lines.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["Cache line", "Hits", "Share of hits", "Misses", "Share of misses", "Hit addresses"]);
    let TableCells::Texts(addresses) = &lines.columns[5].cells else { panic!("texts") };
    assert_eq!(addresses[130], "0x1000–0x1010, 0x2000–0x2000");
    // The sum of 0 to 130 without 3, and 131 misses.
    let Body::Facts(facts) = &family(&doc, "cache-summary").variants[0].body else { panic!("facts") };
    let values: Vec<Option<f64>> = facts.facts.iter().map(|f| f.value.as_number()).collect();
    assert_eq!(values[..4], [Some(131.0), Some(131.0), Some(8512.0), Some(131.0)]);
    assert_eq!(values[4], Some(8512.0 / 8643.0));
    // Hovering a cell says the whole line: row 1, column 2.
    let frame = Frame {
        id: "cache-hit".to_owned(),
        chosen: vec![0],
        state: FigureState::default(),
        is_compared: false,
    };
    let size = Size { w: 800.0, h: 200.0 };
    let layout = draw::heatmap::Layout::new(map(&doc, "cache-hit", 0), size, &frame.state);
    let at = Point { x: layout.map.x + layout.map.w * 2.5 / 128.0, y: layout.map.y + layout.map.h * 0.75 };
    let answer = doc.query(&FigureQuery::ReadOut { frame, size, at }).0;
    let Some(Reply::ReadOut(Some(said))) = answer else { panic!("{answer:?}") };
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..3], ["Cache line 130", "Hits\t130", "Share of hits\t50 %"]);
    assert_eq!(lines[5], "Hit addresses\t0x1000–0x1010, 0x2000–0x2000");
}

#[test]
fn cache_lines_without_events_say_why_instead_of_grey_maps() {
    let record = |id: u32| json!({"Cacheline Id": id, "Hit": side(json!([0, 0.0]), json!([])), "Miss": side(json!([0, 0.0]), json!([]))});
    let records: Vec<Value> = (0..1_300).map(record).collect();
    let doc = of_json(0x0e, &json!({"Cacheline Records": records}));
    let ids: Vec<&str> = doc.trace().figures.iter().map(|f| f.id.as_str()).collect();
    assert_eq!(ids, ["cache-summary"]);
    let notes = &family(&doc, "cache-summary").variants[0].notes;
    assert_eq!(notes[0], "No cache line events were recorded: all 1,300 lines have 0 hits and 0 misses.");
    assert!(notes[1].key.contains("-g") && notes[1].key.contains("--aic-metrics"), "{}", notes[1]);
    assert_eq!(doc.trace().tables[0].columns[0].cells.len(), 1_300);
}

#[test]
fn cache_records_become_seven_maps() {
    let records: Vec<u8> = (0..200_u32)
        .flat_map(|i| [i, 3 * i, 1_000 + i, i / 2, i % 3, 7, u32::MAX, 0])
        .flat_map(u32::to_le_bytes)
        .collect();
    let mut bytes = records.clone();
    bytes.extend([1, 2, 3, 4, 5]);
    let doc = of_block(0x0b, &bytes);
    let fault = &doc.faults().rows()[0];
    assert_eq!((fault.code.as_ref(), fault.place.byte), ("ASC-CUT", Some(12 + 200 * 32)));
    let ids: Vec<&str> = doc.trace().figures.iter().map(|f| f.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "cache-loads",
            "cache-stores",
            "cache-record-hits",
            "cache-record-misses",
            "cache-allocations",
            "cache-evictions-write",
            "cache-evictions"
        ]
    );
    let hits = map(&doc, "cache-record-hits", 0);
    assert_eq!((hits.width, hits.height), (128, 2));
    // Line 0 has neither loads nor stores; line 150 has 150 + 450 of them and 75 hits.
    assert!(hits.values[0].is_nan());
    assert_eq!(hits.values[150], 0.125);
    assert_eq!(map(&doc, "cache-record-hits", 1).values[150], 75.0);
    let table = &doc.trace().tables[0];
    let row: Vec<f64> = table
        .columns
        .iter()
        .map(|c| if let TableCells::Numbers(v) = &c.cells { v[199] } else { f64::NAN })
        .collect();
    assert_eq!(row, [1_199.0, 199.0, 597.0, 99.0, 1.0, 7.0, 4_294_967_295.0, 0.0]);
    if let Some(root) = ascend() {
        let poc = fs::read(root.join("assembled/poc_0A_0B_from_design_document.bin")).unwrap();
        let (doc, _) = open_one("visualize_data.bin", poc);
        // 16,384 bytes are 512 records; the first has 10 loads, 3 stores, 5 hits, 8 misses.
        assert_eq!(
            doc.trace().tables.iter().find(|t| t.id == "cache-records").unwrap().columns[0].cells.len(),
            512
        );
        assert_eq!(map(&doc, "cache-record-hits", 1).values[0], 5.0);
        assert_eq!(map(&doc, "cache-record-misses", 0).values[0], (8.0_f64 / 13.0) as f32);
    }
}
