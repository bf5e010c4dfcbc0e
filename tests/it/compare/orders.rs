//! What stands first in compared tables, and what their sentences name.

use lanescope::analysis::compare::compare;
use lanescope::base::unit::Unit;
use lanescope::model::figure::{Body, Cell, Figure, TableColumn, TableFigure};

fn rows(both: &Figure) -> &[Vec<Cell>] {
    match &both.body {
        Body::Table(table) => &table.rows,
        _ => panic!("another kind"),
    }
}

/// A table with an amount for each name; its rows are names.
fn amounts(names: &[&str], values: &[f64]) -> Figure {
    let column = |name: &str, unit| TableColumn { name: name.into(), unit, ..TableColumn::default() };
    let row = |(name, value): (&&str, &f64)| vec![Cell::Text((*name).into()), Cell::Number(*value)];
    let rows = names.iter().zip(values).map(row).collect();
    let columns = vec![column("Name", Unit::None), column("Time", Unit::Micros)];
    Figure::new("", Body::Table(TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() }))
}

/// An order of amounts gives way to that of changes; pipes, levels and steps keep theirs.
#[test]
fn the_largest_change_comes_first_where_rows_are_in_the_order_of_amounts() {
    let order = |old: &Figure, new: &Figure| {
        let both = compare(old, new).unwrap();
        rows(&both).iter().map(|row| row[0].plain()).collect::<Vec<_>>().join(" ")
    };
    let old = amounts(&["gemm", "add", "copy", "sum"], &[90.0, 50.0, 20.0, 10.0]);
    let new = amounts(&["gemm", "copy", "add", "new"], &[90.0, 60.0, 49.0, 5.0]);
    // +40, then −10 (gone), +5 (new), −1, and what is equal.
    assert_eq!(order(&old, &new), "copy sum new add gemm");
    // Neither side is in the order of its amounts.
    let pipes = ["Scalar", "Vector", "MTE2"];
    assert_eq!(
        order(&amounts(&pipes, &[5.0, 9.0, 7.0]), &amounts(&pipes, &[5.0, 9.0, 1.0])),
        pipes.join(" ")
    );
    // Steps may fall too.
    let steps = ["Step#1", "Step#2", "Step#3"];
    assert_eq!(
        order(&amounts(&steps, &[9.0, 8.0, 7.0]), &amounts(&steps, &[9.0, 8.0, 1.0])),
        steps.join(" ")
    );
}

#[test]
fn a_sentence_names_kernels_in_short() {
    let long = |of: &str| {
        format!(
            "void at::native::vectorized_elementwise_kernel<4, at::native::{of}<float> >(int, at::native::{of}<float>)"
        )
    };
    let [add, mul] = ["AddFunctor", "MulFunctor"].map(long);
    let deep = format!("void ns::run<{}{}>(int)", "ns::Deep<".repeat(40), ">".repeat(40));
    let both = compare(&amounts(&["k"], &[1.0]), &amounts(&["k", &add, &mul, &deep], &[1.0, 2.0, 3.0, 4.0]))
        .unwrap();
    let said = both.notes[0].to_string();
    let short = |of: &str| format!("vectorized_elementwise_kernel<4, {of}<float>>");
    assert!(
        said.starts_with(&format!(
            "Only in the comparison: {}, {}, run<Deep<",
            short("AddFunctor"),
            short("MulFunctor")
        )),
        "{said}"
    );
    assert!(said.chars().count() < 200, "{said}");
    // The table has the whole names.
    assert_eq!(rows(&both)[1][0], Cell::Text(add));
}
