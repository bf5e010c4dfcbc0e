//! Figures and tables that say nothing, because all of their values are the same or there are none: they fold to a line.

use crate::analysis::compare::BASELINE;
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{Message, message};
use crate::model::figure::{Bars, Body, Cell, Figure, HeatMap, Matrix, MatrixCell, TableFigure};
use crate::model::{Table, TableCells};

/// Rows of a map from which those that are all the same are a line; fewer are seen at a glance.
const MANY: usize = 15;
/// Percent below which all shares of a map are nothing to be seen.
const SEEN: f64 = 0.1;

/// The line that stands for a figure in which there is nothing to see; `None` where there is.
pub fn of_figure(figure: &Figure) -> Option<Message> {
    match &figure.body {
        body if is_empty(body) => Some(message("No values.")),
        Body::HeatMap(map) => of_map(map),
        Body::Matrix(matrix) => of_matrix(matrix),
        Body::Table(table) => of_table(table),
        Body::Bars(bars) => of_bars(bars),
        _ => None,
    }
}

/// Whether there is nothing to be shown. That a table has no rows is said where they would stand.
fn is_empty(body: &Body) -> bool {
    match body {
        Body::Facts(facts) => facts.facts.is_empty(),
        Body::Bars(bars) => bars.bars.iter().flat_map(|bar| &bar.values).all(Option::is_none),
        Body::Cores(grid) => grid.cores.is_empty(),
        Body::Matrix(matrix) => matrix.cells.is_empty(),
        Body::HeatMap(map) => map.values.iter().all(|value| value.is_nan()),
        Body::Graph(graph) => graph.boxes.is_empty(),
        Body::Roofline(roofline) => roofline.roofs.is_empty(),
        _ => false,
    }
}

fn of_map(map: &HeatMap) -> Option<Message> {
    let mut values = map.values.iter().filter(|v| v.is_finite());
    let first = *values.next()?;
    let n = values.try_fold(1_i64, |n, v| (*v == first).then_some(n + 1));
    let Some(n) = n else { return of_named_columns(map) };
    let value = number::with_unit(f64::from(first), &map.unit);
    (1 < n).then(|| all_are(n, value))
}

/// Rows of a map with names of columns, where all are the same.
fn of_named_columns(map: &HeatMap) -> Option<Message> {
    let names = &map.x.names;
    let (first, rest) = map.values.split_at_checked(names.len()).filter(|_| !names.is_empty())?;
    let is_first = |row: &[f32]| row.iter().map(|v| v.to_bits()).eq(first.iter().map(|v| v.to_bits()));
    let n_rows = map.height as usize;
    if n_rows < MANY || !rest.chunks(names.len()).all(is_first) {
        return None;
    }
    let told = names.iter().zip(first).filter(|(_, v)| v.is_finite() && **v != 0.0);
    let told = told.map(|(name, v)| (name, number::with_unit(f64::from(*v), &map.unit)));
    rows_are((n_rows, names.len()), &told.collect::<Vec<_>>())
}

/// One value everywhere is nothing, and so are shares of hardly anything. Rows that are equal say what the columns hold.
fn of_matrix(matrix: &Matrix) -> Option<Message> {
    let values: Vec<f64> = matrix.cells.iter().filter_map(|cell| cell.value).collect();
    let first = *values.first()?;
    let n = i64::try_from(values.len()).unwrap_or(i64::MAX);
    // What is equal here may still differ from what stands beside it.
    let mut seconds = matrix.cells.iter().filter_map(|cell| cell.second);
    let is_one = 1 < n && values.iter().all(|v| *v == first) && seconds.all(|v| v == first);
    if is_one {
        return Some(all_are(n, number::short(first)));
    }
    let mut all = matrix.cells.iter().flat_map(|cell| [cell.value, cell.second]).flatten();
    let is_share = matrix.unit == Unit::Percent && matrix.column_units.is_empty();
    if 1 < n && is_share && all.all(|v| v.abs() < SEEN) {
        return Some(message("All {n} values are below 0.1 %.").with("n", number::thousands(n)));
    }
    of_equal_rows(matrix)
}

/// Many rows that are all the same and lead nowhere, and are so beside a baseline too: what their columns hold.
fn of_equal_rows(matrix: &Matrix) -> Option<Message> {
    let n_columns = matrix.columns.len().max(1);
    let (first, rest) = matrix.cells.split_at_checked(n_columns)?;
    let is_first = |row: &[MatrixCell]| row.iter().map(|c| c.value).eq(first.iter().map(|c| c.value));
    let is_compared = matrix.second_name == BASELINE;
    let equal = |cell: &MatrixCell| if is_compared { cell.value } else { None };
    let leads = |cell: &MatrixCell| cell.second != equal(cell) || !cell.place.is_empty();
    let has_totals = !matrix.row_totals.is_empty() || !matrix.column_totals.is_empty();
    let has_more = has_totals || matrix.cells.iter().any(leads);
    if matrix.rows.len() < MANY || has_more || !rest.chunks(n_columns).all(is_first) {
        return None;
    }
    let told = (0..).zip(&matrix.columns).zip(first).filter_map(|((at, name), cell)| {
        Some((name, number::with_unit(cell.value.filter(|v| *v != 0.0)?, matrix.unit_of(at))))
    });
    let said = rows_are((matrix.rows.len(), n_columns), &told.collect::<Vec<_>>())?;
    Some(if is_compared {
        message("{said} Both sides are the same.").with_message("said", said)
    } else {
        said
    })
}

/// So many rows are the same, and these are their columns that are not 0.
fn rows_are((n_rows, n_columns): (usize, usize), told: &[(&String, String)]) -> Option<Message> {
    let text = if told.len() < n_columns {
        message("All {n} rows are the same: {list}; all else is 0 or missing.")
    } else {
        message("All {n} rows are the same: {list}.")
    };
    let join = |a: Message, b: Message| message("{a}, {b}").with_message("a", a).with_message("b", b);
    let one = |(name, value): &(&String, String)| {
        message("{name}: {of}").with_message("name", (*name).clone()).with("of", value)
    };
    let list = told.iter().map(one).reduce(join)?;
    Some(text.with("n", n_rows).with_message("list", list))
}

fn all_are(n: i64, value: String) -> Message {
    message("All {n} values are {value}.").with("n", number::thousands(n)).with("value", value)
}

fn same_rows(n: usize) -> Message {
    let n = number::thousands(i64::try_from(n).unwrap_or(i64::MAX));
    message("All {n} rows have the same values.").with("n", n)
}

fn nothing() -> Message {
    message("All values are 0.")
}

/// Of a table only zeros are nothing: what is equal but there may be what one looks for.
fn of_table(table: &TableFigure) -> Option<Message> {
    let cells = || table.rows.iter().flat_map(|row| row.iter().skip(table.key_columns));
    let is_zero = |cell: &Cell| match cell {
        Cell::Number(v) => *v == 0.0,
        Cell::Integer(v) => *v == 0,
        Cell::Missing => true,
        Cell::Text(_) => false,
    };
    let has_number = cells().any(|cell| *cell != Cell::Missing);
    (0 < table.key_columns && has_number && table.more_rows == 0 && cells().all(is_zero)).then(nothing)
}

fn of_bars(bars: &Bars) -> Option<Message> {
    let values: Vec<f64> = bars.bars.iter().flat_map(|bar| &bar.values).filter_map(|v| *v).collect();
    (!values.is_empty() && !bars.is_comparison && values.iter().all(|v| *v == 0.0)).then(nothing)
}

/// The same of a long table whose rows differ in their first column alone.
pub fn of_long_table(table: &Table) -> Option<Message> {
    let n = table.columns.first()?.cells.len();
    let is_same = table.columns.iter().skip(1).all(|column| is_constant(&column.cells));
    (1 < n && 1 < table.columns.len() && is_same).then(|| same_rows(n))
}

/// Whether all rows have one value. Looks no further than to the first that differs.
fn is_constant(cells: &TableCells) -> bool {
    fn all<T>(values: &[T], is_same: impl Fn(&T, &T) -> bool) -> bool {
        values.first().is_none_or(|first| values.iter().all(|v| is_same(v, first)))
    }
    match cells {
        TableCells::Numbers(v) => all(v, |a, b| a == b || a.is_nan() && b.is_nan()),
        TableCells::Integers(v) => all(v, PartialEq::eq),
        TableCells::Texts(v) => all(v, PartialEq::eq),
    }
}
