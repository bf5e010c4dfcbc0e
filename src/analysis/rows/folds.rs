//! What a table or a matrix shows without saying anything: columns and rows of zeros, and columns of one value. They are
//! left out, and a line says what they hold.
//!
//! Beside a baseline only what is 0 on both sides is left out: that nothing else differs may be what one looks for.

use crate::analysis::compare::{BASELINE, pair_of};
use crate::base::words::{Language, fill, phrase, tr};
use crate::model::figure::{Body, Cell, Figure, Matrix, MatrixCell, TableFigure};

/// Rows from which a column of one value is left out too; fewer are seen at a glance.
const MANY: usize = 15;
/// Rows from which columns are left out, and rows of zeros from which these are.
const FEW: usize = 2;
/// Rows of a table that are looked at.
const MOST: usize = 1_000;

/// What is left out of a table or a matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Folds {
    /// Numbers of the columns that are left out, ascending.
    pub columns: Vec<usize>,
    /// Numbers of the rows that are left out, ascending.
    pub rows: Vec<usize>,
    /// Names of columns of zeros, and whether values are missing among them.
    zeros: (Vec<String>, bool),
    /// Names of rows of zeros.
    zero_rows: Vec<String>,
    /// Columns of one value: their numbers, names, and the value.
    same: Vec<(usize, String, String)>,
}

/// What all cells of a column or a row are.
enum Same {
    /// 0, or missing where this says so.
    Zero(bool),
    One(Cell),
}

/// Looks no further than to the first cell that differs.
fn same(mut cells: impl Iterator<Item = Cell>) -> Option<Same> {
    let is_zero = |cell: &Cell| cell.as_number() == Some(0.0);
    let first = cells.next()?;
    let (mut has_zero, mut is_missing) = (is_zero(&first), first == Cell::Missing);
    if !has_zero && !is_missing {
        return cells.all(|cell| cell == first).then_some(Same::One(first));
    }
    for cell in cells {
        match cell {
            Cell::Missing => is_missing = true,
            cell if is_zero(&cell) => has_zero = true,
            _ => return None,
        }
    }
    has_zero.then_some(Same::Zero(is_missing))
}

impl Folds {
    /// What is left out of a figure; nothing but of tables and matrices.
    pub fn of(figure: &Figure) -> Self {
        match &figure.body {
            Body::Table(table) => Self::of_table(table),
            Body::Matrix(matrix) => Self::of_matrix(matrix),
            _ => Self::default(),
        }
    }

    /// What is left out of a table.
    pub fn of_table(table: &TableFigure) -> Self {
        let n_rows = table.rows.len();
        if !(FEW..=MOST).contains(&n_rows) || 0 < table.more_rows {
            return Self::default();
        }
        let mut folds = Self::default();
        if table.columns.iter().any(|column| column.is_difference) {
            folds.compared(table);
            return folds.checked(table.columns.len().saturating_sub(table.key_columns.max(1)));
        }
        let cell = |row: &Vec<Cell>, column: usize| row.get(column).cloned().unwrap_or_default();
        for (at, column) in table.columns.iter().enumerate().skip(table.key_columns.max(1)) {
            let unit = if table.row_units.is_empty() { Some(&column.unit) } else { None };
            let write = |value: Cell| Some(value.with_unit(unit?)).filter(|_| !column.is_place);
            folds.column(n_rows, (at, &column.name), same(table.rows.iter().map(|row| cell(row, at))), write);
        }
        folds.rows_of(table, &|_| true);
        folds.checked(table.columns.len().saturating_sub(table.key_columns.max(1)))
    }

    /// What is left out of a table beside a baseline. Facts, whose rows have units of their own, and differences of
    /// something else stay whole.
    fn compared(&mut self, table: &TableFigure) {
        let name = |at: usize| table.columns.get(at).map(|column| column.name.clone());
        let differences = (0..).zip(&table.columns).filter(|(_, column)| column.is_difference);
        let sides = differences.map(|(at, _)| pair_of(at, name).map(|(old, new)| [old, new, at]));
        let sides = sides.collect::<Option<Vec<_>>>().filter(|_| table.row_units.is_empty());
        let Some(sides) = sides else { return };
        // What one side lacks is a difference.
        let is_same = |row: &[Cell], [old, new, _]: [usize; 3]| {
            let number = |at: usize| row.get(at).and_then(Cell::as_number);
            number(old) == number(new)
        };
        for &[old, new, by] in &sides {
            let cells = |row: &Vec<Cell>| [old, new].map(|at| row.get(at).cloned().unwrap_or_default());
            if let Some(Same::Zero(is_missing)) = same(table.rows.iter().flat_map(cells))
                && table.rows.iter().all(|row| is_same(row, [old, new, by]))
            {
                let name = name(old).unwrap_or_default();
                self.zeros.0.push(name.trim_end_matches(" (baseline)").to_owned());
                self.zeros.1 |= is_missing;
                self.columns.extend([old, new, by]);
            }
        }
        self.columns.sort_unstable();
        self.rows_of(table, &|row| sides.iter().all(|sides| is_same(row, *sides)));
    }

    /// Rows of zeros of a table whose first column names them, of those that may be left out.
    fn rows_of(&mut self, table: &TableFigure, may_fold: &dyn Fn(&[Cell]) -> bool) {
        let is_zero = |row: &[Cell]| matches!(same(row.iter().skip(1).cloned()), Some(Same::Zero(_)));
        let found = || (0..).zip(&table.rows).filter(|(_, row)| is_zero(row) && may_fold(row));
        if table.key_columns == 1 && (FEW..table.rows.len()).contains(&found().count()) {
            let named = |(at, row): (usize, &Vec<Cell>)| Some((at, row.first()?.plain()));
            (self.rows, self.zero_rows) = found().filter_map(named).unzip();
        }
    }

    /// What is left out of a matrix: only of one whose cells lead nowhere and add up to nothing.
    fn of_matrix(matrix: &Matrix) -> Self {
        let (n_rows, n_columns) = (matrix.rows.len(), matrix.columns.len());
        let is_compared = matrix.second_name == BASELINE;
        let leads = |cell: &MatrixCell| cell.second.is_some() && !is_compared || !cell.place.is_empty();
        let has_more = matrix.cells.iter().any(leads);
        let has_totals = !matrix.column_totals.is_empty() || !matrix.row_totals.is_empty();
        if n_rows < FEW || has_more || has_totals {
            return Self::default();
        }
        let mut folds = Self::default();
        for (at, name) in matrix.columns.iter().enumerate() {
            let cells = || matrix.cells.iter().skip(at).step_by(n_columns);
            let write = |value: Cell| Some(value.with_unit(matrix.unit_of(at)));
            let found = same(cells().map(|cell| Cell::number(cell.value)));
            let is_both = || cells().all(|cell| cell.value == cell.second);
            let may_fold = |found: &Same| !is_compared || matches!(found, Same::Zero(_)) && is_both();
            folds.column(n_rows, (at, name), found.filter(may_fold), write);
        }
        folds.checked(n_columns)
    }

    fn column(
        &mut self,
        n_rows: usize,
        (at, name): (usize, &str),
        found: Option<Same>,
        write: impl Fn(Cell) -> Option<String>,
    ) {
        match found {
            Some(Same::Zero(is_missing)) => {
                self.zeros.0.push(name.to_owned());
                self.zeros.1 |= is_missing;
            }
            Some(Same::One(value)) if MANY <= n_rows => match write(value) {
                Some(value) => self.same.push((at, name.to_owned(), value)),
                None => return,
            },
            _ => return,
        }
        self.columns.push(at);
    }

    /// Of a table in which every column has one value those are shown that are not 0.
    fn checked(mut self, n_columns: usize) -> Self {
        if n_columns <= self.columns.len() {
            let same = std::mem::take(&mut self.same);
            self.columns.retain(|column| same.iter().all(|(at, ..)| at != column));
        }
        // What is 0 throughout folds as a whole.
        if self.columns.len() < n_columns { self } else { Self::default() }
    }

    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.rows.is_empty()
    }

    /// The lines that stand for what is left out.
    pub fn lines(&self, language: Language) -> Vec<String> {
        let strict = phrase("0 in all rows: {names}");
        let zeros = if self.zeros.1 { phrase("0 or missing in all rows: {names}") } else { strict };
        let name = |name: &String| tr(language, name).to_owned();
        let same =
            |(_, own, value): &(usize, String, String)| format!("{} {}", name(own), tr(language, value));
        let lists: [(&str, Vec<String>); 3] = [
            (zeros, self.zeros.0.iter().map(name).collect()),
            (phrase("All-zero rows: {names}"), self.zero_rows.iter().map(name).collect()),
            (phrase("Same in all rows: {names}"), self.same.iter().map(same).collect()),
        ];
        let told = lists.iter().filter(|(_, names)| !names.is_empty());
        // Where a name has a comma, another mark stands between names.
        let joined = |names: &Vec<String>| {
            names.join(if names.iter().any(|name| name.contains(", ")) { " · " } else { ", " })
        };
        told.map(|(line, names)| fill(tr(language, line), &[("names", &joined(names))])).collect()
    }

    /// A matrix without what is left out, `None` where that is nothing; of tables it is left out where rows are listed.
    pub fn seen(&self, figure: &Figure) -> Option<Figure> {
        let Body::Matrix(matrix) = &figure.body else { return None };
        if self.is_empty() {
            return None;
        }
        let n_columns = matrix.columns.len().max(1);
        let is_kept = |at: usize| self.columns.binary_search(&at).is_err();
        let kept = |at: &usize| is_kept(at % n_columns);
        let cells = (0..matrix.cells.len()).filter(kept).filter_map(|at| matrix.cells.get(at).cloned());
        let names = (0..).zip(&matrix.columns).filter(|(at, _)| is_kept(*at)).map(|(_, name)| name.clone());
        let units =
            (0..).zip(&matrix.column_units).filter(|(at, _)| is_kept(*at)).map(|(_, unit)| unit.clone());
        let (cells, columns, column_units) = (cells.collect(), names.collect(), units.collect());
        let body = Body::Matrix(Matrix { columns, cells, column_units, ..matrix.clone() });
        Some(Figure { body, ..figure.clone() })
    }
}
