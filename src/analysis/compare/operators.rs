//! Operators of two projects side by side.
//!
//! Definition: those of one name meet: first those of one folder, then those of one block dim and type, and of the rest the
//! n-th with the n-th. What a folder has in its path that is nowhere in the other project, such as the time of a run, does
//! not count. Of launches the name is that of the kernel, and folders do not count, since numbers and files of launches are
//! others in each run. What has no partner stays a row and says so. Operators that meet with another block dim, core type or
//! chip are counted in the sentence above: their durations are of other work.

use super::family::{ONLY_BASELINE, ONLY_COMPARISON};
use super::headline::{DURATION, Quantity, followed, headline};
use super::{join, row};
use crate::analysis::rows::operator_table;
use crate::base::map::{Map, Set};
use crate::base::order;
use crate::base::unit::{Preference, Unit};
use crate::base::words::{Message, message, phrase};
use crate::model::figure::{Cell, TableColumn, TableFigure};
use crate::model::files::OperatorHead;

/// The operators of a project, and what makes their paths short.
pub type Of<'a> = (&'a [OperatorHead], &'a dyn Fn(&str) -> String);

/// One row for each operator of the comparison in its order, then what only the baseline has.
pub fn compared(baseline: Of, comparison: Of) -> TableFigure {
    let apart = telling([baseline.0, comparison.0]);
    let [a, b] = [baseline, comparison].map(|of| by_name(of, apart));
    let pairs = pairs(baseline.0, comparison.0);
    let mut joined = differences_first(row::joined(&a, &b, &pairs));
    let remark = TableColumn { name: phrase("Remark").to_owned(), is_phrase: true, ..TableColumn::default() };
    let keys = joined.key_columns;
    joined.columns.insert(keys, remark);
    for (row, pair) in joined.rows.iter_mut().zip(pairs) {
        let remark = match pair {
            (Some(_), Some(_)) => Cell::Missing,
            (None, _) => Cell::Text(ONLY_COMPARISON.to_owned()),
            (_, None) => Cell::Text(ONLY_BASELINE.to_owned()),
        };
        row.insert(keys, remark);
    }
    joined
}

/// Puts the differences of all measures behind the duration: times and cycles, then shares, of each those that changed most
/// first, as parts of what they were of all operators: these tell why. What did not change comes last, and behind it what
/// differences were made of.
fn differences_first(table: TableFigure) -> TableFigure {
    let is_difference = |at: &usize| table.columns.get(*at).is_some_and(|column| column.is_difference);
    let first = (0..table.columns.len()).find(is_difference).map_or(0, |at| at + 1);
    let (mut differences, sides): (Vec<usize>, Vec<usize>) =
        (first..table.columns.len()).partition(is_difference);
    let sum = |at: usize| -> f64 {
        let all = table.rows.iter().filter_map(|row| row.get(at).and_then(Cell::as_number));
        all.map(f64::abs).filter(|amount| amount.is_finite()).sum()
    };
    // The baseline stands two columns before the difference.
    let part = |at: usize| match at.checked_sub(2).map_or(0.0, sum) {
        0.0 => sum(at).min(1.0),
        before => sum(at) / before,
    };
    let part: Vec<f64> = (0..table.columns.len()).map(part).collect();
    let part = |at: usize| part.get(at).copied().unwrap_or(0.0);
    let is_share = |at: usize| {
        table.columns.get(at).is_some_and(|column| column.unit.sense() != Preference::LessIsBetter)
    };
    let key = |at: usize| (part(at) == 0.0, is_share(at));
    order::sort_by(&mut differences, |a, b| key(*a).cmp(&key(*b)).then(part(*b).total_cmp(&part(*a))));
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

/// The operator of the one project that an operator of the other meets, given the path of that.
pub fn partner<'a>(of: &'a [OperatorHead], others: &[OperatorHead], path: &str) -> Option<&'a OperatorHead> {
    let is_meant = |at: Option<usize>| at.and_then(|at| others.get(at)).is_some_and(|head| head.path == path);
    let met = pairs(of, others).into_iter().find(|pair| is_meant(pair.1))?;
    of.get(met.0?)
}

/// What is said of two projects, given their operators, the paths of those that are shown, and what is said of these: the
/// durations of all operators that met, together. What is shown comes second, where it is the same in both.
pub fn said(
    (old, old_shown): (&[OperatorHead], &str),
    (new, new_shown): (&[OperatorHead], &str),
    own: Option<Message>,
) -> Option<Message> {
    let timed = pairs(old, new).into_iter().filter_map(|(i, j)| {
        let (old, new) = (old.get(i?)?, new.get(j?)?);
        Some(([old, new], (old.duration?, new.duration?)))
    });
    let (met, times): (Vec<[&OperatorHead; 2]>, Vec<(f64, f64)>) = timed.unzip();
    let (before, after): (Vec<f64>, Vec<f64>) = times.into_iter().unzip();
    let n = met.len();
    if old == new || n < 2 {
        return own;
    }
    let sum = |all: &[f64]| {
        let of = message("{n} operators combined").with("n", n);
        [Quantity::new(DURATION, (all.iter().sum(), Unit::Micros), &n, of)]
    };
    let all = headline(&sum(&before), &sum(&after)).map(|said| match set_up_apart(&met) {
        Some(apart) => followed(said, apart),
        None => said,
    });
    let is_met = partner(old, new, new_shown).is_some_and(|head| head.path == old_shown);
    match (all, own.filter(|_| is_met)) {
        (Some(all), Some(own)) => {
            Some(followed(all, message("This operator: {own}").with_message("own", own)))
        }
        (all, own) => all.or(own),
    }
}

/// How many of the operators that met are set up in another way, and what differs; `None` where none is. What one side does
/// not say is no difference.
fn set_up_apart(met: &[[&OperatorHead; 2]]) -> Option<Message> {
    let differs = |[old, new]: &[&OperatorHead; 2]| {
        let both = |of: fn(&OperatorHead) -> &str| {
            let [old, new] = [of(old), of(new)];
            !old.is_empty() && !new.is_empty() && old != new
        };
        let blocks = old.blocks().zip(new.blocks()).is_some_and(|(old, new)| old != new);
        [blocks, both(|head| &head.kind), both(|head| &head.chip)]
    };
    let all: Vec<[bool; 3]> = met.iter().map(differs).collect();
    let names = [phrase("block dim"), phrase("core type"), phrase("chip")].into_iter().enumerate();
    let differing = names.filter(|(at, _)| all.iter().any(|own| own.get(*at) == Some(&true)));
    let differing = differing.map(|(_, name)| Message::from(name));
    let what = differing.reduce(|a, b| message("{a}, {b}").with_message("a", a).with_message("b", b))?;
    let n = all.iter().filter(|own| own.contains(&true)).count();
    let said = message("Different inputs are compared: {n} of {m} operators differ in {what}.");
    Some(said.with("n", n).with("m", met.len()).with_message("what", what))
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
        let shape = if by_shape { format!("{} {}", head.blocks()?, head.kind) } else { String::new() };
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

/// The column that tells operators apart where a name is that of several: the folder, of launches which one.
fn telling(projects: [&[OperatorHead]; 2]) -> Option<usize> {
    let repeats = |heads: &[OperatorHead]| {
        let names: Set<&str> = heads.iter().map(name).collect();
        names.len() < heads.len()
    };
    let has_launches = projects.iter().copied().flatten().any(|head| !head.launch.is_empty());
    projects.into_iter().any(repeats).then_some(if has_launches { 2 } else { 0 })
}

/// The table of a project with names in front, beside them what tells them apart, then what was measured, then what else is
/// known.
fn by_name((heads, short): Of, apart: Option<usize>) -> TableFigure {
    let TableFigure { columns, rows, .. } = operator_table(heads, short);
    let first = std::iter::once(1).chain(apart).chain([6]);
    let order: Vec<usize> = first.chain(8..columns.len()).chain([5, 7, 0, 2, 3, 4]).collect();
    let named = |(head, row): (&OperatorHead, Vec<Cell>)| {
        let rest = order.iter().skip(1).filter_map(|at| row.get(*at).cloned());
        std::iter::once(Cell::Text(name(head).to_owned())).chain(rest).collect()
    };
    TableFigure {
        rows: heads.iter().zip(rows).map(named).collect(),
        columns: order.iter().filter_map(|at| columns.get(*at).cloned()).collect(),
        key_columns: 1 + usize::from(apart.is_some()),
        ..TableFigure::default()
    }
}
