//! What says nothing in Details folds to a line: columns of zeros or of one value, rows of zeros, what is empty, and long
//! tables where there are many.

use super::advice;
use super::seen::{list, of_blocks, tops};
use crate::support::corpus::corpus;
use crate::support::front_door::open;
use crate::support::rows::{page, wanted};
use lanescope::analysis::rows::Folds;
use lanescope::base::geometry::Size;
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::draw::page::{Need, flat};
use lanescope::engine::compare::figures;
use lanescope::model::figure::{Body, Cell, Figure, TableColumn, TableFigure};
use lanescope::scene::palette::Palette;
use lanescope::wire::figures::{FigureQuery, Reply, TableHead};
use lanescope::wire::rows::Source;

use serde_json::{Value, json};
use std::fs;

/// 0x07 of so many blocks: two kinds of instructions never run, one runs as often in each block; nobody waits.
fn workload(n_blocks: u32) -> Value {
    let of = |block: u32, name: &str, unit: u8, value: u32| json!({"block_id": block, "block_type": "vector", "name": name, "unit": unit, "value": value.to_string()});
    let rows = (0..n_blocks).flat_map(|block| {
        [
            of(block, "Vector All Active", 1, 100 + block),
            of(block, "Vector S32", 1, 0),
            of(block, "Vector FP16", 1, 0),
            of(block, "Vector Misc", 1, 7),
            of(block, "Vector Wait", 0, 0),
        ]
    });
    json!({"advice": [], "subblock_detail": rows.collect::<Vec<_>>()})
}

fn figure(doc: &mut Document, id: &str) -> Figure {
    let ask = FigureQuery::Figure { id: id.to_owned(), chosen: Vec::new() };
    let Some(Reply::Figure(shown)) = doc.query(&ask).0 else { panic!("{id}") };
    shown.figure
}

fn lines(figure: &Figure) -> Vec<String> {
    Folds::of(figure).lines(Language::En)
}

#[test]
fn names_with_commas_are_told_apart() {
    let column = |name: &str| TableColumn { name: name.to_owned(), ..TableColumn::default() };
    let row = |n: u32| vec![f64::from(n), 0.0, 0.0, f64::from(n + 1)].into_iter().map(Cell::Number).collect();
    let columns = ["Block", "Wait", "Wait, min", "Time"].map(column).to_vec();
    let table =
        TableFigure { columns, rows: (1..4).map(row).collect(), key_columns: 1, ..TableFigure::default() };
    assert_eq!(lines(&Figure::new("", Body::Table(table))), ["0 in all rows: Wait · Wait, min"]);
}

#[test]
fn columns_of_zeros_and_of_one_value_are_a_line() {
    let mut doc = of_blocks(&[(7, workload(16))]);
    let all = figure(&mut doc, "compute-workload-table-blocks");
    let zeros = "0 in all rows: Vector S32, Vector FP16";
    assert_eq!(lines(&all), [zeros, "Same in all rows: Vector Misc 7 instructions"]);
    let Some(Figure { body: Body::Matrix(seen), .. }) = Folds::of(&all).seen(&all) else {
        panic!("a matrix")
    };
    assert_eq!((seen.columns, seen.cells.len()), (vec!["Vector All Active".to_owned()], 16));
    assert!(seen.cells.iter().zip(100_u32..).all(|(cell, n)| cell.value == Some(f64::from(n))));
    // The picture has the same.
    let svg = doc.svg("details", Size { w: 1_000.0, h: 700.0 }, &Palette::default()).unwrap();
    assert!(svg.contains(zeros) && svg.contains("Same in all rows"), "{svg}");
    // Of few blocks one value is seen at a glance, zeros are none.
    let mut few = of_blocks(&[(7, workload(3))]);
    assert_eq!(lines(&figure(&mut few, "compute-workload-table-blocks")), [zeros]);
    // Where every column has one value, those are shown that are not 0.
    let mut same = workload(16);
    for row in same["subblock_detail"].as_array_mut().unwrap().iter_mut().step_by(5) {
        row["value"] = "4".into();
    }
    let all = figure(&mut of_blocks(&[(7, same)]), "compute-workload-table-blocks");
    let Some(Figure { body: Body::Matrix(seen), .. }) = Folds::of(&all).seen(&all) else {
        panic!("a matrix")
    };
    assert_eq!(
        (lines(&all), seen.columns),
        (vec![zeros.to_owned()], vec!["Vector All Active".to_owned(), "Vector Misc".to_owned()])
    );
    // What one block does not say is not 0 in all; its column comes where the first has a value.
    let mut json = workload(3);
    json["subblock_detail"][1]["value"] = "NA".into();
    let mut few = of_blocks(&[(7, json)]);
    let said = lines(&figure(&mut few, "compute-workload-table-blocks"));
    assert_eq!(said, ["0 or missing in all rows: Vector FP16, Vector S32"]);
}

#[test]
fn maps_of_equal_rows_and_of_hardly_anything_are_a_line() {
    let line = |blocks: (u8, Value), id: &str| {
        let ask = FigureQuery::Figure { id: id.to_owned(), chosen: Vec::new() };
        let answer = of_blocks(&[blocks]).query(&ask).0;
        let Some(Reply::Figure(shown)) = answer else { panic!("{id}") };
        shown.flat.map(|line| line.to_string())
    };
    let equal = |n_blocks: u32| {
        let mut json = workload(n_blocks);
        let rows = json["subblock_detail"].as_array_mut().unwrap();
        rows.iter_mut().step_by(5).for_each(|row| row["value"] = "4".into());
        line((7, json), "compute-workload-table-blocks")
    };
    let said = "All 32 rows are the same: Vector All Active: 4 instructions, Vector Misc: 7 instructions; all else is 0 or missing.";
    assert_eq!(equal(32).as_deref(), Some(said));
    // Of many blocks there are only colors.
    assert_eq!(equal(90).as_deref(), Some(said.replace("32", "90").as_str()));
    // Few rows are seen at a glance, and rows that differ are something.
    assert_eq!(equal(3), None);
    assert_eq!(line((7, workload(32)), "compute-workload-table-blocks"), None);
    let shares = |values: [f64; 2]| {
        let row = |(block, value): (usize, f64)| json!({"block_id": block.to_string(), "block_type": "vector", "name": "Vector All Active", "unit": 3, "value": value, "origin_value": 28});
        let rows: Vec<Value> = values.into_iter().enumerate().map(row).collect();
        line((6, json!({"subblock_detail": rows})), "compute-workload-blocks")
    };
    assert_eq!(shares([0.0002, 0.0008]).as_deref(), Some("All 2 values are below 0.1 %."));
    assert_eq!(shares([0.0002, 0.2]), None);
}

/// Rows that are the same on both sides say nothing either; what one side has otherwise is a difference.
#[test]
fn equal_rows_of_a_comparison_are_a_line() {
    let equal = |active: &str| {
        let mut json = workload(32);
        let rows = json["subblock_detail"].as_array_mut().unwrap();
        rows.iter_mut().step_by(5).for_each(|row| row["value"] = active.into());
        of_blocks(&[(7, json)])
    };
    let line = |old: &str, new: &str| {
        let [old, new] = [old, new].map(equal);
        let mut families = figures(&old, &new).families.into_iter();
        let family = families.find(|family| family.id == "compute-workload-table-blocks");
        flat::of_figure(family.unwrap().variant(&[]).unwrap()).map(|line| line.to_string())
    };
    let said = "All 32 rows are the same: Vector All Active: 4 instructions, Vector Misc: 7 instructions; all else is 0 or missing.";
    assert_eq!(line("4", "4"), Some(format!("{said} Both sides are the same.")));
    assert_eq!(line("3", "4"), None);
}

#[test]
fn rows_of_zeros_are_a_line_and_can_be_listed() {
    let mut doc = of_blocks(&[(7, workload(2))]);
    let id = "compute-workload-vector";
    let said = lines(&figure(&mut doc, id));
    let rows = "All-zero rows: Vector S32, Vector FP16, Vector Wait";
    assert_eq!(said, ["0 or missing in all rows: Duration", rows]);
    let listed = |doc: &mut Document, is_folded: bool| {
        let source = Source::Figure { id: id.to_owned(), chosen: Vec::new(), is_compared: false, is_folded };
        let reply = page(doc, source, wanted(None, ""));
        let names: Vec<String> = reply.page.rows.iter().map(|row| row[0].text.clone()).collect();
        (names, reply.page.columns.len(), reply.numbers)
    };
    let (names, n_columns, numbers) = listed(&mut doc, true);
    assert_eq!((names, n_columns), (vec!["Vector All Active".to_owned(), "Vector Misc".to_owned()], 2));
    assert_eq!(numbers, [0, 3], "rows keep their numbers");
    let (names, n_columns, _) = listed(&mut doc, false);
    assert_eq!((names.len(), n_columns), (5, 3));
}

/// What is left out of a figure of both, by its id.
fn lines_of_both(old: Value, new: Value, id: &str) -> Vec<String> {
    let [old, new] = [old, new].map(|json| of_blocks(&[(7, json)]));
    let family = figures(&old, &new).families.into_iter().find(|family| family.id == id);
    lines(family.unwrap().variant(&[]).unwrap())
}

#[test]
fn a_comparison_leaves_out_what_is_0_on_both_sides() {
    let (table, map) = ("compute-workload-vector", "compute-workload-table-blocks");
    let zeros = "0 or missing in all rows: Duration";
    let said = lines_of_both(workload(16), workload(16), table);
    assert_eq!(said, [zeros, "All-zero rows: Vector S32, Vector FP16, Vector Wait"]);
    // One value on both sides says that nothing changed.
    let said = lines_of_both(workload(16), workload(16), map);
    assert_eq!(said, ["0 in all rows: Vector S32, Vector FP16"]);
    // What is 0 on one side only is a difference, and so is what one side lacks.
    let mut more = workload(16);
    let rows = more["subblock_detail"].as_array_mut().unwrap();
    rows.iter_mut().skip(1).step_by(5).for_each(|row| row["value"] = "3".into());
    let said = lines_of_both(workload(16), more.clone(), table);
    assert_eq!(said, [zeros, "All-zero rows: Vector FP16, Vector Wait"]);
    assert_eq!(lines_of_both(more, workload(16), map), ["0 in all rows: Vector FP16"]);
    let mut less = workload(16);
    less["subblock_detail"].as_array_mut().unwrap().retain(|row| row["name"] != "Vector Wait");
    let said = lines_of_both(workload(16), less, table);
    assert_eq!(said, ["All-zero rows: Vector S32, Vector FP16"]);
}

#[test]
fn differences_of_one_side_stay_and_what_is_empty_is_a_line() {
    let mut doc = of_blocks(&[(7, workload(16))]);
    let mut table = figure(&mut doc, "compute-workload-vector");
    let Body::Table(own) = &mut table.body else { panic!("a table") };
    own.columns[1].is_difference = true;
    assert!(Folds::of(&table).is_empty());
    let (families, _) = list(&mut of_blocks(&[(
        6,
        json!({"subblock_detail": [{"block_id": "0", "block_type": "vector", "name": "Vector All Active", "unit": 3, "value": "NA"}]}),
    )]));
    let bars = families.iter().find(|family| family.id == "compute-workload").expect("the bars");
    assert!(bars.need.is_whole() && bars.need.height < 100.0, "{:?}", bars.need);
}

/// What the panels of long tables need: many of them begin with their heads.
fn of_table(table: &TableHead, n_tables: usize) -> Need {
    match &table.flat {
        Some(_) => Need::of_fold(table.notes.len()),
        None if 3 < n_tables => Need::of_closed_table(table.notes.len()),
        None => Need::of_table(table.columns.len() - table.empty.len(), table.rows),
    }
}

#[test]
fn details_of_a_real_operator_are_a_few_screens_high() {
    let Some(root) = corpus("ascend") else { return };
    let folder = root.join("OPPROF_cummin_round3");
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: std::path::PathBuf| {
        let name = format!("OPPROF_cummin_round3/{}", path.file_name().unwrap().to_string_lossy());
        (name, fs::read(&path).unwrap())
    };
    let mut doc = open(files.map(named).collect(), 1 << 16).0;
    let (families, tables) = list(&mut doc);
    let said = lines(&figure(&mut doc, "compute-workload-table-blocks"));
    assert!(said[0].starts_with("0 in all rows: Vector S32, Vector FP32, Vector FP16"), "{said:?}");
    let said = advice(&mut doc);
    let n_advice: usize =
        said.iter().map(|line| 1 + usize::from(!line.line.is_empty()) + line.quotes.len()).sum();
    let mut needs = vec![Need::of_lines(n_advice)];
    needs.extend(families.iter().map(|family| family.need));
    needs.extend(tables.iter().map(|table| of_table(table, tables.len())));
    for (width, screens) in [(1_712.0, 5.0), (1_232.0, 7.0)] {
        let (tops, height) = tops(&needs, width);
        let tall = families.iter().zip(&needs[1..]).filter(|(_, need)| 300.0 < need.height);
        let tall: Vec<String> = tall.map(|(family, need)| format!("{} {}", family.id, need.height)).collect();
        eprintln!("{width}: {height} px, the last at {:?}; {tall:?}", tops.last());
        assert!(height < screens * 900.0, "{width}: {height}");
    }
}
