//! Operators of two projects side by side.
//!
//! Definition: those of one name meet, the n-th of a project with the n-th of the other; of launches the name is that of the
//! kernel, since numbers and files of launches are others in each run. What has no partner stays a row and says so.

use super::family::{ONLY_BASELINE, ONLY_COMPARISON};
use super::{join, row};
use crate::analysis::rows::operators::table;
use crate::base::words::phrase;
use crate::model::figure::{Cell, TableColumn, TableFigure};
use crate::model::files::operator::OperatorHead;

/// The operators of a project, and what makes their paths short.
pub type Of<'a> = (&'a [OperatorHead], &'a dyn Fn(&str) -> String);

/// One row for each operator of the comparison in its order, then what only the baseline has.
pub fn compared(baseline: Of, comparison: Of) -> TableFigure {
    let [a, b] = [baseline, comparison].map(by_name);
    let Ok(mut joined) = row::tables(&a, &b, &mut Vec::new()) else { return b };
    let remark = TableColumn { name: phrase("Remark").to_owned(), is_phrase: true, ..TableColumn::default() };
    joined.columns.insert(1, remark);
    for (row, pair) in joined.rows.iter_mut().zip(pairs(baseline.0, comparison.0)) {
        let remark = match pair {
            (Some(_), Some(_)) => Cell::Missing,
            (None, _) => Cell::Text(ONLY_COMPARISON.to_owned()),
            (_, None) => Cell::Text(ONLY_BASELINE.to_owned()),
        };
        row.insert(1, remark);
    }
    joined
}

/// Which operators of the baseline stand behind those of the comparison, because they met none.
pub fn alone(baseline: &[OperatorHead], comparison: &[OperatorHead]) -> Vec<usize> {
    pairs(baseline, comparison)
        .into_iter()
        .filter(|pair| pair.1.is_none())
        .filter_map(|pair| pair.0)
        .collect()
}

fn pairs(baseline: &[OperatorHead], comparison: &[OperatorHead]) -> Vec<(Option<usize>, Option<usize>)> {
    let names =
        |heads: &'_ [OperatorHead]| heads.iter().map(|head| name(head).to_owned()).collect::<Vec<_>>();
    join(&names(baseline), &names(comparison))
}

/// What an operator is known by in another run.
fn name(head: &OperatorHead) -> &str {
    let kernel = head.launch.split_once(' ').map_or("", |(_, kernel)| kernel);
    if kernel.is_empty() { &head.name } else { kernel }
}

/// The table of a project with names in front, then what was measured, then what else is known.
fn by_name((heads, short): Of) -> TableFigure {
    let TableFigure { columns, rows, .. } = table(heads, short);
    let order: Vec<usize> = [1, 6].into_iter().chain(8..columns.len()).chain([5, 7, 0, 2, 3, 4]).collect();
    let named = |(head, row): (&OperatorHead, Vec<Cell>)| {
        let rest = order.iter().skip(1).filter_map(|at| row.get(*at).cloned());
        std::iter::once(Cell::Text(name(head).to_owned())).chain(rest).collect()
    };
    TableFigure {
        rows: heads.iter().zip(rows).map(named).collect(),
        columns: order.iter().filter_map(|at| columns.get(*at).cloned()).collect(),
        key_columns: 1,
        ..TableFigure::default()
    }
}
