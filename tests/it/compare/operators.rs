//! Operators of two projects meet by name and order.

use crate::support::front_door::open;
use crate::support::make_ascend::Container;
use lanescope::document::Document;
use lanescope::document::compare::figures;
use lanescope::draw::facts::{column_digits, text_in_row};
use lanescope::model::figure::{Body, Cell, TableFigure};
use serde_json::json;

/// A project of operators of these names and durations, each in a folder of its own.
fn project(run: &str, operators: &[(&str, f64)]) -> Document {
    let file = |(at, (name, duration)): (usize, &(&str, f64))| {
        let base = json!({"name": name, "soc": "Ascend910B4", "op_type": "vector", "block_dim": "2", "duration": duration});
        (
            format!("OPPROF_{run}/device0/{name}/{at}/visualize_data.bin"),
            Container::default().json(5, &base).0,
        )
    };
    let (doc, is_ready) = open(operators.iter().enumerate().map(file).collect(), 1 << 16);
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
