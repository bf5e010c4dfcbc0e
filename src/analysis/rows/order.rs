//! Which rows of a source are wanted, in which order: made piece by piece, because a million rows take a while.

use super::{Column, Key, Kind, RowSource, Value};
use crate::base::map::Map;
use crate::base::sort::Sorting;
use crate::model::build::natural;
use std::cmp::Ordering;

/// Rows that are looked at in one piece, and texts that are compared in one.
const PIECE: usize = 2048;
/// Missing cells come last in both directions, after numbers that are none.
const MISSING: u64 = u64::MAX;

/// The rows of a source that a filter lets through, in an order.
pub struct RowOrder {
    columns: Vec<Column>,
    sort: Option<(usize, bool)>,
    /// In lower case; empty lets all through.
    filter: String,
    /// Whether the text of a name contains the filter, by column and name.
    known: Map<(usize, u32), bool>,
    state: SortState,
    /// How many rows the source has without the filter.
    all: usize,
    rows: Vec<u32>,
}

enum SortState {
    /// Looks at the rows from this one on.
    Filter(usize),
    /// Collects what the rows from this one on are sorted by.
    Keys(usize, Keys),
    /// Puts the texts in order.
    Texts(Keys, Sorting<u32>),
    /// Puts the rows in order.
    Sort(Sorting<(u64, u32)>),
    Done,
}

#[derive(Default)]
struct Keys {
    /// Key and row; the key of a text is its number.
    pairs: Vec<(u64, u32)>,
    texts: Vec<Box<str>>,
    by_text: Map<Box<str>, u32>,
    by_name: Map<u32, u32>,
}

impl RowOrder {
    /// Begins: all rows that contain `filter` in one of their cells, by a column and whether largest first.
    pub fn new(source: &dyn RowSource, sort: Option<(usize, bool)>, filter: &str) -> Self {
        let columns = source.columns();
        let sort = sort.filter(|(column, _)| *column < columns.len()).or_else(|| source.order());
        Self {
            columns,
            sort,
            filter: searched(filter),
            known: Map::default(),
            state: SortState::Filter(0),
            all: 0,
            rows: Vec::new(),
        }
    }

    /// Rows that their source has put in order.
    pub fn of_listed(source: &dyn RowSource, rows: Vec<u32>) -> Self {
        let begun = Self::new(source, None, "");
        Self { state: SortState::Done, all: rows.len(), rows, sort: None, ..begun }
    }

    /// Does the next piece; false when nothing is left to do. A machine, as it runs while the trace still grows, too.
    pub fn step(&mut self, source: &dyn RowSource) -> bool {
        self.state = match std::mem::replace(&mut self.state, SortState::Done) {
            SortState::Filter(at) => self.look(source, at),
            SortState::Keys(at, keys) => self.collect(source, at, keys),
            SortState::Texts(keys, mut sorting) => {
                if sorting.step_by(|a, b| natural(&keys.texts[*a as usize], &keys.texts[*b as usize])) {
                    SortState::Texts(keys, sorting)
                } else {
                    self.rank(keys, &sorting.finish())
                }
            }
            SortState::Sort(mut sorting) => {
                if sorting.step() {
                    SortState::Sort(sorting)
                } else {
                    self.rows.clear();
                    self.rows.extend(sorting.finish().into_iter().map(|(_, row)| row));
                    SortState::Done
                }
            }
            SortState::Done => SortState::Done,
        };
        !matches!(self.state, SortState::Done)
    }

    /// Does all that is left.
    #[must_use]
    pub fn finish(mut self, source: &dyn RowSource) -> Self {
        while self.step(source) {}
        self
    }

    /// The numbers of the rows, after the last step.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The column they are sorted by, and whether largest first.
    pub fn sort(&self) -> Option<(usize, bool)> {
        self.sort
    }

    /// How many rows there are without the filter.
    pub fn all(&self) -> usize {
        self.all
    }

    fn look(&mut self, source: &dyn RowSource, at: usize) -> SortState {
        let end = source.n_rows().min(at + PIECE);
        for row in at as u32..end as u32 {
            if source.has(row) {
                self.all += 1;
                if self.filter.is_empty() || self.contains(source, row) {
                    self.rows.push(row);
                }
            }
        }
        if end < source.n_rows() {
            SortState::Filter(end)
        } else if self.sort.is_some() {
            SortState::Keys(0, Keys::default())
        } else {
            SortState::Done
        }
    }

    fn contains(&mut self, source: &dyn RowSource, row: u32) -> bool {
        (0..self.columns.len()).any(|column| {
            let contains = || {
                let value = source.cell(row, column);
                value != Value::Missing
                    && self.columns[column].text(&value).to_lowercase().contains(&self.filter)
            };
            match source.key(row, column) {
                Key::Name(name) => match self.known.get(&(column, name)) {
                    Some(known) => *known,
                    None => {
                        let contains = contains();
                        self.known.insert((column, name), contains);
                        contains
                    }
                },
                _ => contains(),
            }
        })
    }

    fn collect(&mut self, source: &dyn RowSource, at: usize, mut keys: Keys) -> SortState {
        let Some((column, falls)) = self.sort else { return SortState::Done };
        let is_text = self.columns[column].kind == Kind::Text;
        let end = self.rows.len().min(at + PIECE);
        for &row in &self.rows[at..end] {
            let key = match source.key(row, column) {
                Key::Missing => MISSING,
                Key::Number(number) if !is_text => turned(number, falls),
                Key::Name(name) => match keys.by_name.get(&name) {
                    Some(text) => u64::from(*text),
                    None => {
                        let text = keys.text(&self.columns[column].text(&source.cell(row, column)));
                        keys.by_name.insert(name, text);
                        u64::from(text)
                    }
                },
                // Words among numbers come after them.
                Key::Text(_) if !is_text => MISSING - 1,
                Key::Text(text) => u64::from(keys.text(&text)),
                Key::Number(_) => u64::from(keys.text(&self.columns[column].text(&source.cell(row, column)))),
            };
            keys.pairs.push((key, row));
        }
        if end < self.rows.len() {
            SortState::Keys(end, keys)
        } else if keys.texts.is_empty() {
            SortState::Sort(Sorting::new(keys.pairs))
        } else {
            let texts = (0..keys.texts.len() as u32).collect();
            SortState::Texts(keys, Sorting::in_pieces(texts, PIECE))
        }
    }

    /// Texts by their place among all of them; equal ones have the same.
    fn rank(&self, mut keys: Keys, sequence: &[u32]) -> SortState {
        let falls = self.sort.is_some_and(|(_, falls)| falls);
        let mut ranks = vec![0_u64; keys.texts.len()];
        let mut rank = 2; // the two least are no keys when they are turned
        for (at, &text) in sequence.iter().enumerate() {
            let own = &keys.texts[text as usize];
            if 0 < at && natural(&keys.texts[sequence[at - 1] as usize], own) != Ordering::Equal {
                rank += 1;
            }
            ranks[text as usize] = turned(rank, falls);
        }
        for (key, _) in &mut keys.pairs {
            if *key != MISSING {
                *key = ranks[*key as usize];
            }
        }
        SortState::Sort(Sorting::new(keys.pairs))
    }
}

/// A filter as cells are searched for it: numbers have no separators there.
fn searched(filter: &str) -> String {
    let filter = filter.trim().to_lowercase();
    let is_number = filter.chars().all(|c| c.is_ascii_digit() || c == ',');
    if is_number { filter.replace(',', "") } else { filter }
}

/// A key in the direction of the order; never as great as that of a missing cell.
fn turned(key: u64, falls: bool) -> u64 {
    let key = key.min(MISSING - 2);
    if falls { MISSING - 2 - key } else { key }
}

impl Keys {
    fn text(&mut self, text: &str) -> u32 {
        if let Some(known) = self.by_text.get(text) {
            return *known;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.into());
        self.by_text.insert(text.into(), number);
        number
    }
}
