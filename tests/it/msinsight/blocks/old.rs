//! What old writers mean: values of 0x06 whose unit is not what they are, tables of blocks with one duration, rows with one
//! value more than heads; and numbers that are between others.

use super::{codes, family, hovered, of_json, table, text};
use crate::support::front_door::{open, open_one};
use crate::support::make_ascend::Container;
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell, FigureState, Histogram};
use lanescope::wire::figures::{FigureQuery, Reply};
use lanescope::wire::{Answer, Query};

use serde_json::{Value, json};

/// A vector operator of blocks that took so long, with one value of compute workload each.
fn workload(clock: Value, values: &[(Value, f64, f64, f64)]) -> Vec<u8> {
    let durations: Vec<Value> = (0..)
        .zip(values)
        .map(|(block, (_, _, _, time))| json!({"block_id": block, "duration": [time]}))
        .collect();
    let info = json!({"name": "old", "op_type": "vector", "duration": 99.5, "cur_freq": clock, "block_detail": durations});
    let row = |(block, (unit, value, cycles, _)): (u32, &(Value, f64, f64, f64))| {
        let mut detail = json!({"name": "ALL_ACTIVE", "unit": unit, "value": value});
        if 0.0 < *cycles {
            detail["origin_value"] = json!(cycles);
        }
        json!({"block_id": block, "block_type": "vector0", "data_detail": detail})
    };
    let rows: Vec<Value> = (0..).zip(values).map(row).collect();
    Container::default().json(5, &info).json(6, &json!({"advice": [], "subblock_detail": rows})).0
}

/// Value and unit of the first bar as the page, the export and a request have them, and the remarks on it.
fn said(doc: &mut Document) -> (Vec<(String, String)>, Vec<String>) {
    let figure = &family(doc, "compute-workload").variants[0];
    let Body::Bars(bars) = &figure.body else { panic!("bars") };
    let notes = figure.notes.iter().map(|note| note.key.to_string()).collect();
    let page = (bars.bars[0].values[0].unwrap().to_string(), bars.unit.symbol().to_owned());
    let (_, bytes) = doc.query(&Query::Export { id: "figures-csv:compute-workload".to_owned() });
    let export = String::from_utf8(bytes.expect("an export")).unwrap();
    let row: Vec<&str> = export.lines().nth(1).unwrap().split(',').collect();
    assert!(row.contains(&page.0.as_str()), "{export}");
    let ask = json!({"id": 1, "command": "source/details/computeworkload", "params": {}});
    let answer: Value = serde_json::from_str(&doc.request(&ask.to_string()).text).unwrap();
    let first = &answer["body"]["chartData"]["detailDataList"][0];
    let of = |name: &str| first[name].as_str().unwrap().to_owned();
    (vec![page, (of("value"), of("unit"))], notes)
}

#[test]
fn the_unit_of_the_workload_is_what_cycles_durations_and_clock_say() {
    fn percent(value: &str) -> [(&str, &str); 2] {
        [(value, "%"), (value, "PRE")]
    }
    let no_clock = || json!("N/A");
    for (case, clock, values, expected, remark) in [
        // 6,656 cycles of 608 µs at 1,650 MHz are 0.66 %, beside blocks of 52 %.
        (
            "percent",
            no_clock(),
            vec![(json!(3), 0.66, 6_656.0, 608.1), (json!(3), 52.3, 3_348.0, 3.88)],
            percent("0.66"),
            "",
        ),
        // The same block in 6.1 µs is busy for two thirds of it.
        (
            "shares called percent",
            no_clock(),
            vec![(json!(3), 0.66, 6_656.0, 6.11)],
            percent("66"),
            "show fractions from 0 to 1",
        ),
        (
            "shares at a known clock",
            json!("800"),
            vec![(json!(3), 0.5, 4_000.0, 10.0)],
            percent("50"),
            "show fractions from 0 to 1",
        ),
        ("percent at a known clock", json!(2_500), vec![(json!(3), 0.5, 125.0, 10.0)], percent("0.5"), ""),
        (
            "shares called instructions",
            no_clock(),
            vec![(json!(1), 0.563, 0.0, 7.16), (json!(1), 1.0, 0.0, 7.2)],
            percent("56.3"),
            "but the values are shares of cycles",
        ),
        (
            "percent called instructions",
            no_clock(),
            vec![(json!(1), 56.3, 6_656.0, 7.16)],
            percent("56.3"),
            "but the values are shares of cycles",
        ),
        (
            "instructions",
            no_clock(),
            vec![(json!(1), 60.0, 6_656.0, 7.16)],
            [("60", "instructions"), ("60.0", "Instructions")],
            "",
        ),
        (
            "neither",
            no_clock(),
            vec![(json!(1), 60.5, 0.0, 7.16)],
            [("60.5", "instructions"), ("60.5", "Instructions")],
            "not whole numbers",
        ),
        (
            "nothing decides",
            no_clock(),
            vec![(json!(3), 0.25, 0.0, 7.16)],
            percent("0.25"),
            "they may be fractions from 0 to 1",
        ),
        ("operations", no_clock(), vec![(json!(4), 12.0, 0.0, 7.16)], [("12", "ops"), ("12.0", "Ops")], ""),
        (
            "no unit",
            no_clock(),
            vec![(Value::Null, 0.5, 5_000.0, 6.1)],
            percent("50"),
            "The file has no unit",
        ),
    ] {
        let (mut doc, ready) = open_one("old.bin", workload(clock, &values));
        assert!(ready);
        let (found, notes) = said(&mut doc);
        let expected = expected.map(|(value, unit)| (value.to_owned(), unit.to_owned()));
        assert_eq!(found, expected, "{case}");
        let is_remarked = notes.iter().any(|note| note.contains(remark));
        assert_eq!(
            (notes.is_empty(), is_remarked),
            (remark.is_empty(), !remark.is_empty()),
            "{case}: {notes:?}"
        );
    }
}

#[test]
fn values_of_several_units_are_not_drawn_on_one_scale() {
    let (doc, _) = open_one(
        "old.bin",
        workload(json!(1_000), &[(json!(3), 12.0, 0.0, 5.0), (json!(4), 12.0, 0.0, 5.0)]),
    );
    let Body::Bars(percent) = &family(&doc, "compute-workload").variants[0].body else { panic!("bars") };
    let Body::Bars(ops) = &family(&doc, "compute-workload-in-operations").variants[0].body else {
        panic!("bars")
    };
    assert_eq!((percent.full, ops.full, percent.bars.len(), ops.bars.len()), (Some(100.0), None, 1, 1));
    let figure = &family(&doc, "compute-workload-in-operations").variants[0];
    assert!(hovered(figure, &FigureState::default())[0].contains("12 ops"));
}

#[test]
fn one_duration_of_a_block_is_a_table_without_empty_columns() {
    let info = |op_type: &str, durations: Value| {
        of_json(
            5,
            &json!({"name": "x", "op_type": op_type, "mix_block_dim": -1, "pid": "-1",
            "block_detail": [{"block_id": 0, "duration": durations}, {"block_id": 1, "duration": durations}]}),
        )
    };
    for (op_type, durations, heads) in [
        ("aiv", json!([7.25]), vec!["Block ID", "Duration"]),
        ("cube", json!([7.25]), vec!["Block ID", "Duration"]),
        ("vector", json!([7.25, -1]), vec!["Block ID", "Vector0 Duration", "Vector1 Duration"]),
        (
            "mix",
            json!([7.25, 1, 2]),
            vec!["Block ID", "Cube0 Duration", "Vector0 Duration", "Vector1 Duration"],
        ),
    ] {
        let mut doc = info(op_type, durations.clone());
        let blocks = table(&doc, "block-detail");
        let names: Vec<&str> = blocks.columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!((names, blocks.rows[1][1].clone()), (heads, Cell::Number(7.25)));
        assert_eq!(blocks.rows[0].contains(&Cell::Missing), durations[1] == json!(-1));
        assert!(codes(&doc).is_empty(), "{:?}", doc.faults().rows());
        let Body::Facts(facts) = &family(&doc, "base-info").variants[0].body else { panic!("facts") };
        let names: Vec<&str> = facts.facts.iter().map(|fact| fact.name.as_str()).collect();
        assert_eq!(names, ["Operator", "Type"]);
        let ask = json!({"id": 1, "command": "source/details/baseInfo", "params": {}}).to_string();
        let answer: Value = serde_json::from_str(&doc.request(&ask).text).unwrap();
        let request = &answer["body"];
        assert_eq!((&request["mixBlockDim"], &request["pid"]), (&json!(""), &json!("")));
        assert_eq!(request["blockDetail"]["headerName"].as_array().unwrap().len(), blocks.columns.len());
    }
}

#[test]
fn rows_with_a_value_before_their_rate_stand_below_their_heads() {
    let heads = ["", "instructions", "cycle", "throughput", "active rate(%)"];
    let tables = |rows: Value| {
        let pipe = json!({"table_name": "Pipe", "size": [2, 5], "header_name": heads, "row": rows});
        of_json(
            9,
            &json!({"table_per_block": [{"block_id": 0, "table_op_type": "vector", "table_detail": [pipe]}]}),
        )
    };
    let old = json!([{"name": "MTE1", "value": [0, 0, 0.0, 0, 0.0]}, {"name": "MTE2", "value": [4, 500, 0.0, 2_000, 0.25]}]);
    let pipe = table(&tables(old), "memory-table-pipe");
    assert_eq!((pipe.columns[4].name.as_str(), pipe.columns[5].name.as_str()), ("All cycles", "Active rate"));
    assert_eq!(
        (pipe.rows[1][4].clone(), pipe.rows[1][5].clone()),
        (Cell::Number(2_000.0), Cell::Number(0.25))
    );
    assert_eq!((pipe.columns[5].unit.symbol(), pipe.columns[5].has_bar), ("%", true));
    let figure =
        family(&tables(json!([{"name": "MTE2", "value": [4, 500, 0.0, 2_000, 0.25]}])), "memory-table-pipe")
            .variants[0]
            .clone();
    assert!(!hovered(&figure, &FigureState::default()).iter().any(|said| said.contains("2,000 %")));
    // What does not prove itself stays where it is.
    let other =
        table(&tables(json!([{"name": "MTE2", "value": [4, 500, 0.0, 25.0, 7]}])), "memory-table-pipe");
    assert_eq!(other.columns[4].name, "Active rate");
    assert_eq!(other.rows[0][4], Cell::Number(25.0));
}

fn durations(values: &[f64]) -> Document {
    let row = |(block, time): (usize, &f64)| json!({"value": [block.to_string(), "vector", time]});
    let rows: Vec<Value> = values.iter().enumerate().map(row).collect();
    let heads = ["Block ID", "Core Type", "Duration (μs)"];
    of_json(5, &json!({"name": "x", "op_type": "vector", "block_detail": {"head_name": heads, "row": rows}}))
}

fn histogram(body: &Body) -> &Histogram {
    let Body::Histogram(histogram) = body else { panic!("a histogram") };
    histogram
}

#[test]
fn compared_durations_are_counted_in_whole_blocks() {
    const ID: &str = "block-detail-durations";
    let (mut a, mut b) =
        (durations(&[1.0, 2.0, 4.0, 9.0]), durations(&[3.0, 3.5, 7.25, 11.0, 12.0, 30.0, 31.0]));
    // Five of the second are in one group and two in another: no block is near their median.
    let median = |doc: &Document| histogram(&family(doc, ID).variants[0].body).marks.first().map(|m| m.value);
    assert_eq!((median(&a), median(&b)), (Some(3.0), None));
    let packed = a.query(&FigureQuery::Packed { id: ID.to_owned(), chosen: Vec::new() }).1.unwrap();
    let ask = FigureQuery::Compare { id: ID.to_owned(), chosen: Vec::new() };
    let Some(Reply::Figure(shown)) = b.query_with(&ask, &packed).0 else { panic!("a figure") };
    let joined = histogram(&shown.figure.body);
    let counted: Vec<f64> = joined.series.iter().map(|s| s.counts.iter().sum()).collect();
    assert_eq!(counted, [4.0, 7.0]);
    assert!(joined.series.iter().flat_map(|s| &s.counts).all(|n| n.fract() == 0.0), "{joined:?}");
    assert_eq!((joined.edges.first(), joined.edges.last()), (Some(&1.0), Some(&31.0)));
}

#[test]
fn containers_dropped_together_are_operators_of_their_own() {
    let bin = |name: &str| Container::default().json(5, &json!({"name": name, "duration": 5.5})).0;
    let named = |path: &str, name: &str| (path.to_owned(), bin(name));
    let (mut doc, ready) = open(
        vec![named("a.bin", "First"), named("b.BIN", "Second"), named("visualize_data.bin", "Third")],
        1 << 16,
    );
    assert!(ready);
    assert_eq!((doc.trace().title.as_str(), doc.bundle().len()), ("First", 1));
    assert_eq!(doc.trace().figures.iter().filter(|family| family.id.starts_with("base-info")).count(), 1);
    let project = doc.head().project.expect("a project");
    assert_eq!(project.dropped, ["a.bin", "b.BIN", "visualize_data.bin"]);
    assert_eq!(project.name(), "a.bin");
    let Answer::Operators(heads) = doc.query(&Query::Operators { from: 0 }).0 else { panic!("operators") };
    let said: Vec<(&str, &str)> = heads.iter().map(|h| (h.path.as_str(), h.name.as_str())).collect();
    assert_eq!(said, [("a.bin", "First"), ("b.BIN", "Second"), ("visualize_data.bin", "Third")]);
    // Files of one folder are one thing that was dropped; whole results are, too.
    let (doc, _) = open(vec![named("run/a.bin", "First"), named("run/b.bin", "Second")], 1 << 16);
    let project = doc.head().project.expect("a project");
    assert_eq!((project.operators, project.dropped.len()), (2, 0));
    assert_eq!(project.name(), "a.bin · run");
    let (doc, _) = open(
        vec![named("OPPROF_1/visualize_data.bin", "First"), named("OPPROF_2/visualize_data.bin", "Second")],
        1 << 16,
    );
    assert_eq!(doc.head().project.expect("a project").dropped, ["OPPROF_1", "OPPROF_2"]);
    // One container is no project, whatever it is called and whatever lies beside it.
    let beside = ("Memory.csv".to_owned(), b"block_id,sub_block_id,aiv_time(us),\n0,vector0,1.5,\n".to_vec());
    let (doc, _) = open(vec![named("a.bin", "First"), beside], 1 << 16);
    assert!(doc.head().project.is_none_or(|project| project.dropped.is_empty()));
    assert_eq!(text(&doc.trace().title), text("First"));
}
