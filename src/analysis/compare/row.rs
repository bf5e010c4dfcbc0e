//! Comparison of what stands in rows: facts, tables, bars.

use super::{
    BASELINE, NAMED, differ::HEADS, differ::NAMELESS, differ::UNIT, difference, join, report_only, same,
};
use crate::base::brief::in_sentence;
use crate::base::order;
use crate::base::unit::Preference;
use crate::base::words::{Message, message};
use crate::model::figure::{Bar, Bars, Cell, Fact, Facts, TableColumn, TableFigure, Target};

/// Facts side by side: name, baseline, comparison, difference.
pub(super) fn facts(a: &Facts, b: &Facts) -> TableFigure {
    let names = |facts: &Facts| facts.facts.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
    let mut rows = Vec::new();
    let mut row_units = Vec::new();
    for (i, j) in join(&names(a), &names(b)) {
        let (left, right) = (i.and_then(|i| a.facts.get(i)), j.and_then(|j| b.facts.get(j)));
        let Some(any) = right.or(left) else { continue };
        let value = |fact: Option<&Fact>| fact.map_or(Cell::Missing, |f| f.value.clone());
        let (old, new) = (value(left), value(right));
        let is_same_unit = left.zip(right).is_none_or(|(a, b)| a.unit == b.unit);
        let change = if is_same_unit { change(&old, &new) } else { Cell::Missing };
        rows.push(vec![Cell::Text(any.name.clone()), old, new, change]);
        row_units.push(any.unit.clone());
    }
    let column = |name: &str| TableColumn { name: name.to_owned(), ..TableColumn::default() };
    let columns = vec![
        column(""),
        column(BASELINE),
        column("Comparison"),
        TableColumn { is_difference: true, ..column("Difference") },
    ];
    TableFigure { columns, rows, key_columns: 1, more_rows: 0, row_units }
}

/// Tables joined by their key columns; every other column becomes three (numbers) or two (texts).
pub(super) fn tables(
    a: &TableFigure,
    b: &TableFigure,
    notes: &mut Vec<Message>,
) -> Result<TableFigure, String> {
    if b.key_columns == 0 || a.key_columns == 0 {
        return Err(NAMELESS.to_owned());
    }
    let heads =
        |t: &TableFigure| t.columns.iter().take(t.key_columns).map(|c| c.name.clone()).collect::<Vec<_>>();
    same(HEADS, &heads(a), &heads(b))?;
    let (old_keys, new_keys) = (keys(a), keys(b));
    let pairs = join(&old_keys, &new_keys);
    let gone = pairs.iter().filter(|p| p.1.is_none()).filter_map(|p| old_keys.get(p.0?));
    report_only(notes, message("Only in the baseline: {names}"), &said(&gone.collect::<Vec<_>>()));
    let added = pairs.iter().filter(|p| p.0.is_none()).filter_map(|p| new_keys.get(p.1?));
    report_only(notes, message("Only in the comparison: {names}"), &said(&added.collect::<Vec<_>>()));
    let met: Vec<bool> = pairs.iter().map(|(old, new)| old.is_some() && new.is_some()).collect();
    let is_by_amount = [a, b].into_iter().all(is_by_amount);
    Ok(changed_first(differing_first(joined(a, b, &pairs), &met), &met, is_by_amount))
}

/// Names of rows as a sentence says them, which has no room for signatures; those that it does not name stay as they are.
fn said(keys: &[&Vec<String>]) -> Vec<String> {
    let n = keys.first().map_or(0, |key| key.len());
    let named = keys.get(..NAMED.min(keys.len())).unwrap_or_default();
    let part = |at: usize| {
        let parts: Vec<&str> = named.iter().map(|key| key.get(at).map_or("", String::as_str)).collect();
        in_sentence(&parts)
    };
    let parts: Vec<Vec<String>> = (0..n).map(part).collect();
    let said = |(row, key): (usize, &&Vec<String>)| {
        let own: Vec<&str> = parts.iter().filter_map(|part| part.get(row)).map(String::as_str).collect();
        if row < named.len() { own.join(" ") } else { key.join(" ") }
    };
    keys.iter().enumerate().map(said).collect()
}

/// Rows that are seen at once, whatever their order.
const SEEN: usize = 8;

/// Puts rows that changed, and those that one side has, before those whose amounts are all equal: in a long table of things
/// that their names tell apart these would be all that is seen. Where both tables begin with the largest amount, that order
/// is of amounts and gives way in short tables too: the largest change comes first. Any other order stays, as that of pipes,
/// levels, steps and cores, and that of tables with several columns of names, which are places.
fn changed_first(table: TableFigure, met: &[bool], is_by_amount: bool) -> TableFigure {
    if table.key_columns != 1 || !(is_by_amount || SEEN < table.rows.len()) {
        return table;
    }
    let differences: Vec<usize> =
        (0..).zip(&table.columns).filter(|(_, column)| column.is_difference).map(|(at, _)| at).collect();
    let amount = |row: &Vec<Cell>, at: usize| row.get(at).and_then(Cell::as_number);
    let is_equal = |row: &Vec<Cell>, is_met: bool| {
        is_met && differences.iter().all(|at| amount(row, *at).is_none_or(|difference| difference == 0.0))
    };
    // Of the first amount that differs; what one side has changed by all of it.
    let change = |row: &Vec<Cell>| {
        let of = |at: &usize| {
            let side = |back: usize| at.checked_sub(back).and_then(|at| amount(row, at));
            amount(row, *at).or_else(|| side(1)).or_else(|| side(2))
        };
        differences.first().and_then(of).map_or(0.0, f64::abs)
    };
    let mut rows: Vec<(bool, f64, Vec<Cell>)> =
        table.rows.into_iter().zip(met).map(|(row, met)| (is_equal(&row, *met), change(&row), row)).collect();
    order::sort_by(&mut rows, |a, b| {
        let by_change = if is_by_amount { b.1.total_cmp(&a.1) } else { std::cmp::Ordering::Equal };
        a.0.cmp(&b.0).then(by_change)
    });
    TableFigure { rows: rows.into_iter().map(|(_, _, row)| row).collect(), ..table }
}

/// Fewest rows whose falling amounts are no chance.
const FALLING: usize = 4;

/// Whether the rows of a table stand in the order of an amount, the largest first: of its first one, or of its first time.
/// Things that only a number tells apart, such as steps, have an order of their own.
fn is_by_amount(table: &TableFigure) -> bool {
    let amounts = |at: usize| table.rows.iter().map(move |row| row.get(at).and_then(Cell::as_number));
    let falls = |at: usize| {
        let mut pairs = amounts(at).zip(amounts(at).skip(1));
        let is_some = pairs.clone().any(|pair| matches!(pair, (Some(a), Some(b)) if b < a));
        is_some && pairs.all(|pair| matches!(pair, (Some(a), Some(b)) if b <= a))
    };
    let bare = |row: &Vec<Cell>| {
        let name = row.first().map_or(String::new(), Cell::plain);
        name.chars().filter(|letter| !letter.is_ascii_digit()).collect::<String>()
    };
    let first = table.rows.first().map(bare);
    let is_numbered = table.rows.iter().all(|row| Some(bare(row)) == first);
    let is_amount = |at: &usize| amounts(*at).any(|amount| amount.is_some());
    let is_time = |at: &usize| {
        table.columns.get(*at).is_some_and(|column| column.unit.sense() == Preference::LessIsBetter)
    };
    let mut columns = (table.key_columns..table.columns.len()).filter(is_amount);
    let mut times = columns.clone().filter(is_time);
    let is_told = FALLING <= table.rows.len() && !is_numbered && table.row_units.is_empty();
    is_told && columns.next().into_iter().chain(times.next()).any(falls)
}

/// A column of two joined tables: where it begins, how many columns it became, and whether one says it all.
struct Part {
    at: usize,
    n: usize,
    is_equal: bool,
    is_once: bool,
}

/// Puts what differs in rows that both sides have before what is equal there. What is equal stands once; amounts of 0, which
/// are left out where there are many, and amounts that some row has on one side only stay as they are.
fn differing_first(table: TableFigure, met: &[bool]) -> TableFigure {
    let n = table.key_columns;
    let mut parts = Vec::new();
    let mut at = n;
    while at < table.columns.len() {
        let part = part(&table, at, met);
        at += part.n;
        parts.push(part);
    }
    if parts.iter().all(|part| part.is_equal) {
        return table;
    }
    order::sort_by_key(&mut parts, |part| part.is_equal);
    let mut columns: Vec<TableColumn> = table.columns.iter().take(n).cloned().collect();
    let mut rows: Vec<Vec<Cell>> =
        table.rows.iter().map(|row| row.iter().take(n).cloned().collect()).collect();
    for Part { at, n, is_once, .. } in parts {
        let (first, n) = if is_once { (at + 1, 1) } else { (at, n) };
        columns.extend(table.columns.iter().skip(first).take(n).cloned());
        if let Some(column) = columns.last_mut().filter(|_| is_once) {
            column.name = column.name.trim_end_matches(" (comparison)").to_owned();
        }
        for (row, own) in rows.iter_mut().zip(&table.rows) {
            let is_old = is_once && own.get(first) == Some(&Cell::Missing);
            row.extend(own.iter().skip(first - usize::from(is_old)).take(n).cloned());
        }
    }
    TableFigure { columns, rows, ..table }
}

/// The column of two joined tables that begins here.
fn part(table: &TableFigure, at: usize, met: &[bool]) -> Part {
    let column = |at: usize| table.columns.get(at);
    let is_amount = column(at + 2).is_some_and(|column| column.is_difference);
    let shown = |cell: Option<&Cell>| match cell {
        Some(Cell::Text(text)) if column(at + 1).is_some_and(|column| column.is_place) => {
            Target::shown(text).into_owned()
        }
        cell => cell.map_or(String::new(), Cell::plain),
    };
    let mut both = table.rows.iter().zip(met).filter(|(_, is_met)| **is_met).map(|(row, _)| row).peekable();
    let is_same = |old: Option<&Cell>, new: Option<&Cell>| old == new || shown(old) == shown(new);
    let is_equal = both.peek().is_some() && both.all(|row| is_same(row.get(at), row.get(at + 1)));
    let is_zero = |row: &Vec<Cell>| row.get(at).and_then(Cell::as_number).is_none_or(|value| value == 0.0);
    let is_whole = || met.iter().all(|is_met| *is_met) && !table.rows.iter().all(is_zero);
    Part { at, n: if is_amount { 3 } else { 2 }, is_equal, is_once: is_equal && (!is_amount || is_whole()) }
}

/// Tables whose rows meet in these pairs. Times and cycles come first: they say what became faster, while a share of them
/// may rise where they fall. What only says more of another column comes last.
pub(super) fn joined(
    a: &TableFigure,
    b: &TableFigure,
    pairs: &[(Option<usize>, Option<usize>)],
) -> TableFigure {
    let n = b.key_columns;
    let names = |t: &TableFigure| {
        t.columns.iter().skip(n).map(|c| (c.name.clone(), c.unit.clone())).collect::<Vec<_>>()
    };
    let mut joined = join(&names(a), &names(b));
    order::sort_by_key(&mut joined, |&(i, j)| {
        let column = j.and_then(|j| b.columns.get(n + j)).or(i.and_then(|i| a.columns.get(n + i)));
        column.map_or((true, false), |column| {
            (column.unit.sense() != Preference::LessIsBetter, column.is_detail)
        })
    });
    let mut columns: Vec<TableColumn> = b.columns.iter().take(n).cloned().collect();
    for &(i, j) in &joined {
        let Some(column) = j.and_then(|j| b.columns.get(n + j)).or(i.and_then(|i| a.columns.get(n + i)))
        else {
            continue;
        };
        let part = |word: &str| TableColumn {
            name: format!("{} ({word})", column.name),
            has_bar: false,
            ..column.clone()
        };
        columns.extend([TableColumn { is_place: false, ..part("baseline") }, part("comparison")]);
        if is_numeric(a, i.map(|i| n + i)) || is_numeric(b, j.map(|j| n + j)) {
            columns.push(TableColumn { is_difference: true, ..part("difference") });
        }
    }
    let rows = pairs.iter().map(|&(x, y)| {
        let (left, right) = (x.and_then(|x| a.rows.get(x)), y.and_then(|y| b.rows.get(y)));
        let mut row: Vec<Cell> = match right {
            Some(right) => right.iter().take(n).cloned().collect(),
            None => (0..n).map(|at| own(a, left, at)).collect(),
        };
        for &(i, j) in &joined {
            let cell = |row: Option<&Vec<Cell>>, at: Option<usize>| {
                row.and_then(|r| r.get(n + at?)).cloned().unwrap_or_default()
            };
            let (old, new) = (i.map_or(Cell::Missing, |i| own(a, left, n + i)), cell(right, j));
            let change = change(&old, &new);
            row.extend([old, new]);
            if is_numeric(a, i.map(|i| n + i)) || is_numeric(b, j.map(|j| n + j)) {
                row.push(change);
            }
        }
        row
    });
    TableFigure {
        rows: rows.collect(),
        columns,
        key_columns: n,
        more_rows: a.more_rows.max(b.more_rows),
        row_units: Vec::new(),
    }
}

/// A cell of the baseline. Its places lead nowhere in another document: what is shown of them is told.
fn own(table: &TableFigure, row: Option<&Vec<Cell>>, at: usize) -> Cell {
    match row.and_then(|row| row.get(at)).cloned().unwrap_or_default() {
        Cell::Text(text) if table.columns.get(at).is_some_and(|column| column.is_place) => {
            Cell::Text(Target::shown(&text).into_owned())
        }
        cell => cell,
    }
}

/// The texts that name the rows.
fn keys(table: &TableFigure) -> Vec<Vec<String>> {
    // A place holds numbers of its own document; what is shown of it means the same in both.
    let text = |(cell, column): (&Cell, &TableColumn)| {
        let text = cell.plain();
        if column.is_place { Target::shown(&text).into_owned() } else { text }
    };
    let key = |row: &Vec<Cell>| row.iter().zip(&table.columns).take(table.key_columns).map(text).collect();
    table.rows.iter().map(key).collect()
}

/// What is more in the second; exact for whole numbers.
fn change(old: &Cell, new: &Cell) -> Cell {
    match (old, new) {
        (Cell::Integer(a), Cell::Integer(b)) => Cell::Number((i128::from(*b) - i128::from(*a)) as f64),
        _ => Cell::number(difference(old.as_number(), new.as_number())),
    }
}

fn is_numeric(table: &TableFigure, column: Option<usize>) -> bool {
    column.is_some_and(|c| table.rows.iter().any(|r| r.get(c).is_some_and(|c| c.as_number().is_some())))
}

/// Bars with two parts: baseline and comparison. Stacked bars are compared by their totals.
pub(super) fn bars(a: &Bars, b: &Bars) -> Result<Bars, String> {
    same(UNIT, &a.unit, &b.unit)?;
    let names = |bars: &Bars| bars.bars.iter().map(|x| x.name.clone()).collect::<Vec<_>>();
    let total =
        |bar: &Bar| bar.values.iter().any(Option::is_some).then(|| bar.values.iter().flatten().sum::<f64>());
    let bars = join(&names(a), &names(b)).into_iter().filter_map(|(i, j)| {
        let (left, right) = (i.and_then(|i| a.bars.get(i)), j.and_then(|j| b.bars.get(j)));
        let any = right.or(left)?;
        let values = vec![left.and_then(total), right.and_then(total)];
        // The amount behind a share: it may fall where its share rises.
        let before = left.filter(|old| old.detail != any.detail && !old.detail.is_empty());
        let detail = match before.filter(|_| !any.detail.is_empty()) {
            Some(old) => format!("{} → {}", old.detail, any.detail),
            None => any.detail.clone(),
        };
        Some(Bar { name: any.name.clone(), values, role: any.role, detail })
    });
    let full = match (a.full, b.full) {
        (Some(x), Some(y)) => Some(x.max(y)),
        _ => None,
    };
    Ok(Bars {
        unit: b.unit.clone(),
        full,
        parts: vec!["Baseline".to_owned(), "Comparison".to_owned()],
        is_comparison: true,
        bars: bars.collect(),
        ..Bars::default()
    })
}
