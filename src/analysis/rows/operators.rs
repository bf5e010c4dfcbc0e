//! Operators of a project as one table: what each is, and what files tell of it.

use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::{Cell, Number, TableColumn, TableFigure};
use crate::model::files::operator::{OperatorHead, measures_of};

/// One row for each operator, in their order; `short` makes a path short.
pub fn table(heads: &[OperatorHead], short: impl Fn(&str) -> String) -> TableFigure {
    let measures = measures_of(heads);
    let text = |name: &str| TableColumn { name: name.to_owned(), ..TableColumn::default() };
    let number = |name: &str, unit: &Unit, has_bar| TableColumn { unit: unit.clone(), has_bar, ..text(name) };
    let mut columns = vec![
        text(phrase("Folder")),
        text(phrase("Operator")),
        text(phrase("Launch")),
        text(phrase("Chip")),
        text(phrase("Type")),
        number(phrase("Block dim"), &Unit::None, false),
        number(phrase("Duration"), &Unit::Micros, true),
        number(phrase("Clock"), &Unit::Megahertz, false),
    ];
    columns.extend(measures.iter().map(|(name, unit)| {
        let is_share = matches!(unit, Unit::Share | Unit::Percent);
        number(name, unit, is_share)
    }));
    let row = |head: &OperatorHead| {
        let texts =
            [&short(&head.path), &head.name, &head.launch, &head.chip, &head.kind].map(|text| said(text));
        let numbers = [head.block_dim, head.duration, head.clock].map(Cell::number);
        let measured = measures.iter().map(|(name, _)| head.measure(name)).map(|v: Number| Cell::number(v));
        texts.into_iter().chain(numbers).chain(measured).collect()
    };
    let rows = heads.iter().map(row).collect();
    TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() }
}

fn said(text: &str) -> Cell {
    if text.is_empty() { Cell::Missing } else { Cell::Text(text.to_owned()) }
}
