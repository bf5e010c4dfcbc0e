//! Operators of two projects meet by name and order.

use crate::support::front_door::open;
use crate::support::make_ascend::Container;
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::document::compare::figures;
use lanescope::draw::facts::{column_digits, head_in, text_in_row};
use lanescope::model::figure::{Body, TableFigure};
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
    let digits: Vec<_> = (0..all.columns.len()).map(|column| column_digits(&all, column)).collect();
    let heads: Vec<String> = all.columns.iter().map(|column| head_in(column, Language::En)).collect();
    let at = |name: &str| {
        heads.iter().position(|head| head.starts_with(name)).unwrap_or_else(|| panic!("{heads:?}"))
    };
    let columns =
        ["Operator", "Remark", "Duration (baseline)", "Duration (comparison)", "Duration (difference)"];
    let row = |row: usize| {
        let text = |name: &&str| text_in_row(&all, row, at(name), digits[at(name)]).unwrap_or_default();
        columns.iter().map(text).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = (0..all.rows.len()).map(row).collect();
    let rows: Vec<String> = rows.iter().map(|row| row.join("|")).collect();
    assert_eq!(
        rows,
        [
            "MatMul||100|65|−35 (−35 %, 0.65×)",
            "Add|Only in the comparison.|–|7|–",
            "MatMul||40|40|0",
            "Cast||10|12.5|+2.5 (+25 %, 1.25×)",
            "Softmax|Only in the baseline.|5|–|–",
        ]
    );
    // Two operators of one project have nothing else to be compared with.
    assert_eq!(
        table(&old, &project("1", &[("Cast", 10.0), ("MatMul", 100.0), ("MatMul", 40.0), ("Softmax", 5.0)])),
        None
    );
}
