//! Metric columns that grow row by row: any name, any type, one value or one for each core.
//!
//! | type in the file | means | becomes |
//! |---|---|---|
//! | 0 | not to be shown | nothing |
//! | 1, 2 | whole number, fraction | numbers |
//! | 3 | text | texts |
//! | 4 | percentage, 0 to 100 | numbers with a bar |
//! | 5 | use of registers | registers |
//! | 100 | `{"Percent": 0..1, "Details": {reason: count}}` | shares with parts |
//!
//! The table of types may stand behind the rows, or be missing: until it is known a column takes the type of its values.
//! Negative numbers and "NA" are missing.

use super::{Member, Value, numbers, parts, registers};
use crate::base::map::Map;
use crate::input::json::{Json, parse};
use crate::model::code::{Parts, RegisterUse};
use crate::systems::ascend::reader::field::{is_missing, number};

/// Most columns of one list.
const COLUMNS: usize = 1_000;

/// Types of columns by name, as the file gives them.
pub(super) type Dtypes = Map<String, i64>;

/// How many cells may still be made. Cells stand in the file, or follow from few bytes (a value for all cores, a value
/// that is missing): the second kind is honest only in proportion to the first.
pub(super) struct Budget {
    left: u64,
    /// Cells that were made.
    pub(super) spent: u64,
    /// Cells that were not made because there were too many.
    pub(super) refused: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { left: 4_000_000, spent: 0, refused: 0 }
    }
}

impl Budget {
    /// This many bytes of rows were read.
    pub(super) fn earn(&mut self, bytes: usize) {
        self.left += 8 * bytes as u64;
    }

    /// Takes cells; false when there are not enough left.
    fn spend(&mut self, cells: usize) -> bool {
        let cells = cells as u64;
        let is_possible = cells <= self.left;
        if is_possible {
            self.left -= cells;
            self.spent += cells;
        } else {
            self.refused = self.refused.saturating_add(cells);
        }
        is_possible
    }
}

/// Columns of one list of rows.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) growing: Vec<Growing>,
    by_name: Map<String, usize>,
    /// What became of each member of the last row, in their order: the next row mostly has the same.
    last: Vec<(String, Option<usize>)>,
    /// How many types were known then.
    n_dtypes: usize,
    pub(super) n_rows: usize,
    /// Names of columns with values that are not of their type, each once.
    pub(super) mistyped: Vec<String>,
    /// Whether cells were left out because there would be too many.
    pub(super) is_full: bool,
}

/// One column that grows.
pub(super) struct Growing {
    pub(super) name: String,
    pub(super) data: Data,
    /// Whether the type was known before the values.
    is_typed: bool,
    pub(super) stride: usize,
    n_rows: usize,
    pub(super) is_percent: bool,
}

/// Cells of a column, row by row, `stride` of them in each.
pub(super) enum Data {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
    Parts(Vec<Parts>),
    Registers(Vec<Vec<RegisterUse>>),
}

impl Columns {
    /// Adds a row from the members of an object, passing over those that `is_other` names.
    pub(super) fn push(
        &mut self,
        row: &Json,
        dtypes: &Dtypes,
        budget: &mut Budget,
        is_other: fn(&str) -> bool,
    ) {
        self.take_types(dtypes);
        for (i, (name, value)) in row.members().iter().enumerate() {
            let Some(at) = self.column_of(i, name, || value.clone(), dtypes, is_other) else { continue };
            self.cell(at, budget, |column, budget| column.push(value, budget));
        }
        self.n_rows += 1;
    }

    /// Adds a row from its members, as [`Self::push`].
    pub(super) fn push_flat(
        &mut self,
        row: &[Member],
        dtypes: &Dtypes,
        budget: &mut Budget,
        is_other: fn(&str) -> bool,
    ) {
        self.take_types(dtypes);
        for (i, Member { name, value }) in row.iter().enumerate() {
            let sample = || match value {
                Value::Plain(json) | Value::Tree(json) => json.clone(),
                Value::Numbers(_) => Json::Number("0"),
            };
            let Some(at) = self.column_of(i, name, sample, dtypes, is_other) else { continue };
            self.cell(at, budget, |column, budget| match value {
                Value::Plain(json) | Value::Tree(json) => column.push(json, budget),
                Value::Numbers(raw) => column.push_numbers(raw, budget),
            });
        }
        self.n_rows += 1;
    }

    /// What was learned of the last row holds only for the types that were known then.
    fn take_types(&mut self, dtypes: &Dtypes) {
        if std::mem::replace(&mut self.n_dtypes, dtypes.len()) != dtypes.len() {
            self.last.clear();
        }
    }

    /// The column of the member `i` of a row; `None` when it is none.
    fn column_of<'a>(
        &mut self,
        i: usize,
        name: &str,
        value: impl Fn() -> Json<'a>,
        dtypes: &Dtypes,
        is_other: fn(&str) -> bool,
    ) -> Option<usize> {
        match self.last.get(i) {
            Some((last, at)) if last == name => *at,
            _ => {
                let is_passed = is_other(name) || dtypes.get(name) == Some(&0);
                let at = if is_passed { None } else { self.column(name, &value(), dtypes) };
                if i < COLUMNS {
                    self.last.truncate(i);
                    self.last.push((name.to_owned(), at));
                }
                at
            }
        }
    }

    /// Adds a cell to a column; the first of a row counts.
    fn cell(&mut self, at: usize, budget: &mut Budget, push: impl FnOnce(&mut Growing, &mut Budget) -> Push) {
        let Some(column) = self.growing.get_mut(at).filter(|c| c.n_rows <= self.n_rows) else { return };
        match if column.fill(self.n_rows, budget) { push(column, budget) } else { Push::Full } {
            Push::Done => {}
            Push::Full => self.is_full = true,
            Push::Mistyped if self.mistyped.contains(&column.name) => {}
            Push::Mistyped => self.mistyped.push(column.name.clone()),
        }
    }

    /// The column of this name, new or old; `None` when there are too many.
    fn column(&mut self, name: &str, value: &Json, dtypes: &Dtypes) -> Option<usize> {
        if let Some(&at) = self.by_name.get(name) {
            return Some(at);
        }
        if COLUMNS <= self.growing.len() {
            self.is_full = true;
            return None;
        }
        let dtype = dtypes.get(name).copied();
        self.by_name.insert(name.to_owned(), self.growing.len());
        self.growing.push(Growing {
            name: name.to_owned(),
            data: Data::of(value, dtype),
            is_typed: dtype.is_some(),
            stride: 1,
            n_rows: 0,
            is_percent: false,
        });
        Some(self.growing.len() - 1)
    }
}

/// What became of a value.
enum Push {
    Done,
    Mistyped,
    Full,
}

impl Data {
    /// What a column of this type holds; without a type, what its first value is.
    fn of(value: &Json, dtype: Option<i64>) -> Self {
        let first = match value {
            Json::Array(items) => items.first().unwrap_or(&Json::Null),
            other => other,
        };
        match dtype {
            Some(1 | 2 | 4) => Self::Numbers(Vec::new()),
            Some(3) => Self::Texts(Vec::new()),
            Some(5) => Self::Registers(Vec::new()),
            Some(100) => Self::Parts(Vec::new()),
            _ if first.get("Percent").is_some() => Self::Parts(Vec::new()),
            _ if first.get("regIndex").is_some() => Self::Registers(Vec::new()),
            _ if first.as_str().is_some_and(|text| !is_missing(text) && number(text).is_none()) => {
                Self::Texts(Vec::new())
            }
            _ => Self::Numbers(Vec::new()),
        }
    }

    /// How many cells there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Numbers(v) => v.len(),
            Self::Texts(v) => v.len(),
            Self::Parts(v) => v.len(),
            Self::Registers(v) => v.len(),
        }
    }

    /// Makes the number of cells `n`; new ones are missing.
    fn resize(&mut self, n: usize) {
        match self {
            Self::Numbers(v) => v.resize(n, f64::NAN),
            Self::Texts(v) => v.resize(n, String::new()),
            Self::Parts(v) => v.resize(n, Parts::default()),
            Self::Registers(v) => v.resize(n, Vec::new()),
        }
    }
}

impl Growing {
    /// Fills up rows that had no value; false when that would be too many cells.
    pub(super) fn fill(&mut self, n_rows: usize, budget: &mut Budget) -> bool {
        let wanted = n_rows.saturating_mul(self.stride);
        let missing = wanted.saturating_sub(self.data.len());
        if !budget.spend(missing) {
            return false;
        }
        if 0 < missing {
            self.data.resize(wanted);
        }
        self.n_rows = n_rows.max(self.n_rows);
        true
    }

    /// Adds the next row.
    fn push(&mut self, value: &Json, budget: &mut Budget) -> Push {
        if let Data::Registers(rows) = &mut self.data {
            rows.push(registers(value));
            self.n_rows += 1;
            return Push::Done;
        }
        let one = std::slice::from_ref(value);
        let values = if let Json::Array(items) = value { items.as_slice() } else { one };
        if self.stride < values.len() && !self.widen(values.len(), budget) {
            return Push::Full;
        }
        let is_text = |v: &Json| v.as_str().is_some_and(|text| !is_missing(text) && number(text).is_none());
        if matches!(self.data, Data::Numbers(_)) && !self.is_typed && values.iter().any(is_text) {
            self.become_texts();
        }
        let letters = values.iter().map(|v| v.as_str().map_or(0, str::len)).max().unwrap_or(0);
        if !budget.spend(self.stride.saturating_mul(1 + letters / 8)) {
            return Push::Full;
        }
        self.n_rows += 1;
        let mut is_typed = true;
        for core in 0..self.stride {
            is_typed &= self.push_cell(values.get(core).or(values.first()).unwrap_or(&Json::Null));
        }
        if is_typed { Push::Done } else { Push::Mistyped }
    }

    /// Adds the next row from a list of plain numbers, as [`Self::push`].
    fn push_numbers(&mut self, raw: &[u8], budget: &mut Budget) -> Push {
        if !matches!(self.data, Data::Numbers(_)) {
            return self.push(&parse(raw, 0).0, budget);
        }
        let mut n = 0;
        // Whoever made the list has seen that it is one.
        _ = numbers(raw, |_| n += 1);
        if self.stride < n && !self.widen(n, budget) {
            return Push::Full;
        }
        if !budget.spend(self.stride) {
            return Push::Full;
        }
        self.n_rows += 1;
        let Data::Numbers(cells) = &mut self.data else { return Push::Done };
        let begin = cells.len();
        _ = numbers(raw, |v| cells.push(v));
        let first = cells.get(begin).copied().unwrap_or(f64::NAN);
        cells.resize(begin + self.stride, first);
        Push::Done
    }

    /// Adds one cell; whether the value is of the column's type.
    fn push_cell(&mut self, value: &Json) -> bool {
        let text = value.as_text().unwrap_or("");
        let is_negative = matches!(value, Json::Number(digits) if digits.starts_with('-'));
        match &mut self.data {
            Data::Numbers(cells) => {
                self.is_percent |= text.ends_with('%');
                let number = number(text);
                cells.push(number.filter(|v| 0.0 <= *v).unwrap_or(f64::NAN));
                number.is_some()
                    || (is_missing(text) && value.items().is_empty() && value.members().is_empty())
            }
            Data::Texts(cells) => {
                cells.push(if is_missing(text) || is_negative { String::new() } else { text.to_owned() });
                value.as_text().is_some() || value.is_null()
            }
            Data::Parts(cells) => {
                cells.push(parts(value));
                true
            }
            Data::Registers(_) => true,
        }
    }

    /// Makes room for more values in a row; the new ones are the first of their row, as for cores without a value.
    fn widen(&mut self, wanted: usize, budget: &mut Budget) -> bool {
        let stride = if self.stride == 1 { wanted } else { wanted.next_power_of_two() };
        let (old, n_rows) = (self.stride, self.data.len() / self.stride.max(1));
        if !budget.spend((stride - old).saturating_mul(n_rows)) {
            return false;
        }
        match &mut self.data {
            Data::Numbers(v) => *v = widened(v, n_rows, old, stride),
            Data::Texts(v) => *v = widened(v, n_rows, old, stride),
            Data::Parts(v) => *v = widened(v, n_rows, old, stride),
            Data::Registers(_) => {}
        }
        self.stride = stride;
        true
    }

    /// Numbers become their texts.
    fn become_texts(&mut self) {
        if let Data::Numbers(values) = &self.data {
            let text = |v: &f64| if v.is_finite() { v.to_string() } else { String::new() };
            self.data = Data::Texts(values.iter().map(text).collect());
        }
    }
}

fn widened<T: Clone>(values: &[T], n_rows: usize, old: usize, new: usize) -> Vec<T> {
    let mut out = Vec::with_capacity(n_rows.saturating_mul(new));
    for row in values.chunks(old.max(1)) {
        out.extend_from_slice(row);
        if let Some(first) = row.first() {
            out.extend(std::iter::repeat_n(first.clone(), new.saturating_sub(row.len())));
        }
    }
    out
}
