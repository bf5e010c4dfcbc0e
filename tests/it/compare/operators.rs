//! Operators of two projects meet by name, folder, shape and order.

use crate::support::front_door::open;
use crate::support::make_ascend::Container;
use lanescope::analysis::compare::operators::partner;
use lanescope::document::Document;
use lanescope::draw::facts::{column_digits, text_in_row};
use lanescope::engine::compare::{figures, headline};
use lanescope::model::figure::{Body, Cell, TableFigure};
use lanescope::model::files::OperatorHead;
use serde_json::json;

/// A project of operators of these names and durations, each in a folder of its own.
fn project(run: &str, operators: &[(&str, f64)]) -> Document {
    let folder = |(at, (name, duration)): (usize, &(&str, f64))| {
        (format!("OPPROF_{run}/device0/{name}/{at}"), (*name).to_owned(), 2, *duration)
    };
    of(operators.iter().enumerate().map(folder).collect())
}

/// A project of operators: folder, name, block dim and duration of each.
fn of(operators: Vec<(String, String, u32, f64)>) -> Document {
    let file = |(folder, name, dim, duration): (String, String, u32, f64)| {
        let base = json!({"name": name, "soc": "Ascend910B4", "op_type": "vector", "block_dim": dim.to_string(), "duration": duration});
        (format!("{folder}/visualize_data.bin"), Container::default().json(5, &base).0)
    };
    let (doc, is_ready) = open(operators.into_iter().map(file).collect(), 1 << 16);
    assert!(is_ready);
    doc
}

fn table(a: &Document, b: &Document) -> Option<TableFigure> {
    let family = figures(a, b).families.into_iter().find(|family| family.id == "operators")?;
    match family.variants.into_iter().next()?.body {
        Body::Table(table) => Some(table),
        _ => None,
    }
}

#[test]
fn operators_of_a_project_meet_by_name_and_order_and_the_others_say_so() {
    let old = project("1", &[("Cast", 10.0), ("MatMul", 100.0), ("MatMul", 40.0), ("Softmax", 5.0)]);
    let new = project("2", &[("MatMul", 65.0), ("Add", 7.0), ("MatMul", 40.0), ("Cast", 12.5)]);
    let all = table(&old, &new).unwrap();
    let heads: Vec<&str> = all.columns.iter().map(|column| column.name.as_str()).collect();
    let at = |name: &str| heads.iter().position(|head| *head == name).unwrap_or_else(|| panic!("{heads:?}"));
    let row = |row: &Vec<Cell>| {
        let [old, new, by] = ["baseline", "comparison", "difference"]
            .map(|side| row[at(&format!("Duration ({side})"))].as_number());
        (row[at("Operator")].plain(), row[at("Remark")].plain(), old, new, by)
    };
    let rows: Vec<_> = all.rows.iter().map(row).collect();
    let expected = [
        ("Add", "Only in the comparison.", None, Some(7.0), None),
        ("Cast", "", Some(10.0), Some(12.5), Some(2.5)),
        ("MatMul", "", Some(100.0), Some(65.0), Some(-35.0)),
        ("MatMul", "", Some(40.0), Some(40.0), Some(0.0)),
        ("Softmax", "Only in the baseline.", Some(5.0), None, None),
    ];
    let expected = expected.map(|(name, remark, a, b, by)| (name.to_owned(), remark.to_owned(), a, b, by));
    assert_eq!(rows, expected);
    let column = at("Duration (difference)");
    let text = text_in_row(&all, 2, column, column_digits(&all, column)).unwrap();
    assert!(text.ends_with("(−35 %, 0.65×)"), "{text}");
    // Two operators of one project have nothing else to be compared with.
    assert_eq!(
        table(&old, &project("1", &[("Cast", 10.0), ("MatMul", 100.0), ("MatMul", 40.0), ("Softmax", 5.0)])),
        None
    );
}

#[test]
fn operators_of_one_name_meet_by_folder_then_by_block_dim() {
    let add = |folder: &str, dim, duration| (folder.to_owned(), "Add".to_owned(), dim, duration);
    let old = of(vec![
        add("old/shape_1/OPPROF_1", 4, 692.0),
        add("old/shape_2/OPPROF_2", 32, 9142.0),
        add("old/shape_4/OPPROF_3", 8, 50.0),
        add("old/shape_5/OPPROF_4", 16, 60.0),
    ]);
    let new = of(vec![
        // The same folder with another block dim is the same operator.
        add("new/shape_2/OPPROF_5", 16, 9000.0),
        add("new/shape_3/OPPROF_6", 8, 40.0),
    ]);
    let all = table(&old, &new).unwrap();
    let at = |name: &str| all.columns.iter().position(|column| column.name == name).unwrap();
    let (a, b) = (at("Duration (baseline)"), at("Duration (comparison)"));
    let rows: Vec<_> = all.rows.iter().map(|row| (row[a].as_number(), row[b].as_number())).collect();
    let expected =
        [(Some(9142.0), Some(9000.0)), (Some(50.0), Some(40.0)), (Some(692.0), None), (Some(60.0), None)];
    assert_eq!(rows, expected);
    // One name for all: the folder tells them apart, and stands beside it.
    let heads: Vec<&str> = all.columns.iter().take(4).map(|column| column.name.as_str()).collect();
    assert_eq!(heads, ["Operator", "Folder", "Remark", "Duration (baseline)"]);
    assert!(all.rows[0][1].plain().contains("shape_2"), "{:?}", all.rows[0]);
}

#[test]
fn the_headline_of_projects_is_of_all_operators_that_met() {
    let said = |mut old: Document, mut new: Document| headline(&mut old, &mut new).unwrap().to_string();
    // 10 + 100 + 40 and 12.5 + 65 + 40; what is shown first is in one of them only.
    let old = project("1", &[("Cast", 10.0), ("MatMul", 100.0), ("MatMul", 40.0), ("Softmax", 5.0)]);
    let new = project("2", &[("MatMul", 65.0), ("Add", 7.0), ("MatMul", 40.0), ("Cast", 12.5)]);
    assert_eq!(said(old, new), "Duration −21.7 %, 0.783×, 150 → 117.5 µs (3 operators combined)");
    let text = said(measured("1", 9.0, 1_000, 0.6), measured("2", 4.5, 500, 0.84));
    let expected = "Duration −45 %, 0.55×, 20 → 11 µs (2 operators combined). This operator: Duration −45 %, 0.55×, 10 → 5.5 µs (Add)";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn operators_that_met_set_up_in_another_way_are_counted() {
    let add =
        |run: &str, name: &str, dim, duration| (format!("{run}/{name}"), name.to_owned(), dim, duration);
    let mut old = of(vec![add("a", "Add", 4, 10.0), add("a", "Mul", 4, 10.0), add("a", "Cast", 4, 20.0)]);
    let mut new = of(vec![add("b", "Add", 8, 5.0), add("b", "Mul", 4, 5.0), add("b", "Cast", 16, 10.0)]);
    let said = headline(&mut old, &mut new).unwrap().to_string();
    let expected = "Duration −50 %, 0.5×, 40 → 20 µs (3 operators combined). Different inputs are compared: 2 of 3 operators differ in block dim. This operator: Duration −50 %, 0.5×, 10 → 5 µs (Add). Different inputs are compared: A: block dim 4; B: block dim 8.";
    assert_eq!(said, expected);
}

#[test]
fn an_operator_finds_the_one_that_it_meets_in_both_directions() {
    let old = project("1", &[("Cast", 10.0), ("MatMul", 100.0), ("MatMul", 40.0)]);
    let new = project("2", &[("MatMul", 65.0), ("Add", 7.0), ("MatMul", 40.0)]);
    let [old, new] = [old, new].map(|doc| doc.operator_heads(0, usize::MAX));
    let at = |heads: &[OperatorHead], duration: f64| {
        heads.iter().find(|head| head.duration == Some(duration)).map(|head| head.path.clone()).unwrap()
    };
    let met = |of: &[OperatorHead], others: &[OperatorHead], duration| {
        partner(of, others, &at(others, duration)).and_then(|head| head.duration)
    };
    assert_eq!([met(&old, &new, 65.0), met(&old, &new, 7.0)], [Some(100.0), None]);
    assert_eq!([met(&new, &old, 100.0), met(&new, &old, 10.0)], [Some(65.0), None]);
}

/// A project of two operators of one block: µs, cycles of its unit, and the share of a pipe.
fn measured(run: &str, micros: f64, cycles: u32, scalar: f64) -> Document {
    let file = |name: &str, sheet: &str, text: String| {
        (format!("OPPROF_{run}/device0/{name}/0/{sheet}.csv"), text.into_bytes())
    };
    let of = |name: &str| {
        let info =
            format!("Op Name,Op Type,Task Duration(us),Block Dim,\n{name},vector,{},1,\n", micros + 1.0);
        let pipes = format!(
            "block_id,sub_block_id,aiv_time(us),aiv_total_cycles,aiv_scalar_ratio,\n0,vector0,{micros},{cycles},{scalar},\n"
        );
        [file(name, "OpBasicInfo", info), file(name, "PipeUtilization", pipes)]
    };
    let (doc, is_ready) = open(["Add", "Mul"].into_iter().flat_map(of).collect(), 1 << 16);
    assert!(is_ready);
    doc
}

#[test]
fn differences_come_first_and_times_before_shares() {
    let all = table(&measured("1", 9.0, 1_000, 0.6), &measured("2", 4.5, 500, 0.84)).unwrap();
    let heads: Vec<&str> = all.columns.iter().map(|column| column.name.as_str()).collect();
    let expected = [
        "Operator",
        "Remark",
        "Duration (baseline)",
        "Duration (comparison)",
        "Duration (difference)",
        "Longest core (difference)",
        "aiv_scalar_cycles (difference)",
        "aiv_scalar_ratio (by cycles) (difference)",
        // What did not change comes last.
        "Outside the longest block (difference)",
        "Block dim (difference)",
        "Longest core (baseline)",
    ];
    assert_eq!(heads[..expected.len()], expected);
    // What a difference was made of is found where it stands: 600 and 420 cycles, 9 and 4.5 µs.
    let text = |column| text_in_row(&all, 0, column, column_digits(&all, column)).unwrap();
    assert_eq!([text(5), text(6)], ["−4.500 (−50 %, 0.5×)", "−180 (−30 %, 0.7×)"]);
}

#[test]
fn what_changed_most_stands_behind_the_duration() {
    // Half of the time, a tenth of the cycles of a pipe: that is why.
    let all = table(&measured("1", 9.0, 1_000, 0.6), &measured("2", 4.5, 500, 0.12)).unwrap();
    let heads: Vec<&str> = all.columns.iter().skip(4).map(|column| column.name.as_str()).collect();
    let expected = ["Duration (difference)", "aiv_scalar_cycles (difference)", "Longest core (difference)"];
    assert_eq!(heads[..3], expected);
}
