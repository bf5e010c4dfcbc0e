//! Operators of two projects side by side.
//!
//! Definition: those of one name meet: first those of one folder, then those of one block dim and type, and of the rest the
//! n-th with the n-th. What a folder has in its path that is nowhere in the other project, such as the time of a run, does
//! not count. Of launches the name is that of the kernel, and folders do not count, since numbers and files of launches are
//! others in each run. What has no partner stays a row and says so.

use super::family::{ONLY_BASELINE, ONLY_COMPARISON};
use super::{join, row};
use crate::analysis::rows::operators::table;
use crate::base::map::{Map, Set};
use crate::base::words::phrase;
use crate::model::figure::{Cell, TableColumn, TableFigure};
use crate::model::files::operator::OperatorHead;

/// The operators of a project, and what makes their paths short.
pub type Of<'a> = (&'a [OperatorHead], &'a dyn Fn(&str) -> String);

/// One row for each operator of the comparison in its order, then what only the baseline has.
pub fn compared(baseline: Of, comparison: Of) -> TableFigure {
    let [a, b] = [baseline, comparison].map(by_name);
    let pairs = pairs(baseline.0, comparison.0);
    let mut joined = differences_first(row::joined(&a, &b, &pairs));
    let remark = TableColumn { name: phrase("Remark").to_owned(), is_phrase: true, ..TableColumn::default() };
    joined.columns.insert(1, remark);
    for (row, pair) in joined.rows.iter_mut().zip(pairs) {
        let remark = match pair {
            (Some(_), Some(_)) => Cell::Missing,
            (None, _) => Cell::Text(ONLY_COMPARISON.to_owned()),
            (_, None) => Cell::Text(ONLY_BASELINE.to_owned()),
        };
        row.insert(1, remark);
    }
    joined
}

/// Puts the differences of all measures behind the duration, and behind them what they were made of.
fn differences_first(table: TableFigure) -> TableFigure {
    let is_difference = |at: &usize| table.columns.get(*at).is_some_and(|column| column.is_difference);
    let first = (0..table.columns.len()).find(is_difference).map_or(0, |at| at + 1);
    let (differences, sides): (Vec<usize>, Vec<usize>) =
        (first..table.columns.len()).partition(is_difference);
    let order: Vec<usize> = (0..first).chain(differences).chain(sides).collect();
    let row = |row: &Vec<Cell>| order.iter().filter_map(|at| row.get(*at).cloned()).collect();
    TableFigure {
        columns: order.iter().filter_map(|at| table.columns.get(*at).cloned()).collect(),
        rows: table.rows.iter().map(row).collect(),
        ..table
    }
}

/// Which operators of the baseline stand behind those of the comparison, because they met none.
pub fn alone(baseline: &[OperatorHead], comparison: &[OperatorHead]) -> Vec<usize> {
    pairs(baseline, comparison)
        .into_iter()
        .filter(|pair| pair.1.is_none())
        .filter_map(|pair| pair.0)
        .collect()
}

/// All of the comparison in its order, then what only the baseline has.
fn pairs(baseline: &[OperatorHead], comparison: &[OperatorHead]) -> Vec<(Option<usize>, Option<usize>)> {
    let [old_parts, new_parts] = [baseline, comparison].map(parts);
    // By comparison, and those of the baseline that met one.
    let (mut met, mut taken) = (Map::<usize, usize>::default(), Set::<usize>::default());
    for by in [(true, true), (true, false), (false, true), (false, false)] {
        let (old, old_keys) = keys(baseline, &new_parts, by, |at| !taken.contains(&at));
        let (new, new_keys) = keys(comparison, &old_parts, by, |at| !met.contains_key(&at));
        for (i, j) in join(&old_keys, &new_keys) {
            if let (Some(&i), Some(&j)) = (i.and_then(|i| old.get(i)), j.and_then(|j| new.get(j))) {
                taken.insert(i);
                met.insert(j, i);
            }
        }
    }
    let rows = (0..comparison.len()).map(|j| (met.get(&j).copied(), Some(j)));
    rows.chain((0..baseline.len()).filter(|i| !taken.contains(i)).map(|i| (Some(i), None))).collect()
}

/// All that stands in the paths of a project.
fn parts(heads: &[OperatorHead]) -> Set<&str> {
    heads.iter().flat_map(|head| head.path.split('/')).collect()
}

/// Operators that are free and what they are to have in common: the name, and the folder and the shape where asked.
fn keys(
    heads: &[OperatorHead],
    others: &Set<&str>,
    (by_folder, by_shape): (bool, bool),
    is_free: impl Fn(usize) -> bool,
) -> (Vec<usize>, Vec<[String; 3]>) {
    let key = |head: &OperatorHead| {
        let folder = if by_folder { folder(head, others)? } else { String::new() };
        let shape = if by_shape { format!("{} {}", head.block_dim?, head.kind) } else { String::new() };
        Some([name(head).to_owned(), folder, shape])
    };
    let free = heads.iter().enumerate().filter(|(at, _)| is_free(*at));
    free.filter_map(|(at, head)| Some((at, key(head)?))).unzip()
}

/// The folder of an operator, without what the paths of the other project do not have; `None` where that is nothing.
fn folder(head: &OperatorHead, others: &Set<&str>) -> Option<String> {
    let shared: Vec<&str> = head.path.split('/').filter(|part| others.contains(part)).collect();
    (head.launch.is_empty() && !shared.is_empty()).then(|| shared.join("/"))
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
