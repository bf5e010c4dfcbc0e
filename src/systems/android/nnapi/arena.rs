//! Rows that are only added, named by the numbers that adding them returned.

use std::cell::Cell;
use std::ops::{Index, IndexMut};

thread_local! {
    /// How often a number was asked for that no row has.
    static MISSED: Cell<u64> = const { Cell::new(0) };
}

/// How often, since this was asked last, a number was asked for that no row has: what was computed since may be wrong, and
/// the report says so.
pub fn missed() -> u64 {
    MISSED.take()
}

/// No caller means it, so that tests end with it.
fn miss(at: u32) {
    MISSED.set(MISSED.get() + 1);
    debug_assert!(false, "there is no row {at}");
}

/// Rows by number. No number is out of range: one that no row has finds an empty row, what is written there is forgotten,
/// and it is counted ([`missed`]).
#[derive(Clone, Debug, Default)]
pub struct Arena<T> {
    rows: Vec<T>,
    empty: T,
}

impl<T: Default> Arena<T> {
    /// So many empty rows.
    pub fn of_empty(n: usize) -> Self {
        (0..n).map(|_| T::default()).collect()
    }

    /// Adds a row; its number.
    pub fn push(&mut self, row: T) -> u32 {
        self.rows.push(row);
        self.rows.len() as u32 - 1
    }

    /// The number that the next row gets.
    pub fn next(&self) -> u32 {
        self.rows.len() as u32
    }

    /// The row of a number that perhaps none has.
    pub fn find(&self, at: u32) -> Option<&T> {
        self.rows.get(at as usize)
    }

    /// The same, to be changed.
    pub fn find_mut(&mut self, at: u32) -> Option<&mut T> {
        self.rows.get_mut(at as usize)
    }

    /// All rows.
    pub fn rows(&self) -> &[T] {
        &self.rows
    }

    /// All rows, to be changed.
    pub fn rows_mut(&mut self) -> &mut [T] {
        &mut self.rows
    }

    /// All rows, to be kept.
    pub fn into_rows(self) -> Vec<T> {
        self.rows
    }
}

impl<T: Default> FromIterator<T> for Arena<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        Self { rows: rows.into_iter().collect(), empty: T::default() }
    }
}

impl<T> Index<u32> for Arena<T> {
    type Output = T;

    fn index(&self, at: u32) -> &T {
        self.rows.get(at as usize).unwrap_or_else(|| {
            miss(at);
            &self.empty
        })
    }
}

impl<T: Default> IndexMut<u32> for Arena<T> {
    fn index_mut(&mut self, at: u32) -> &mut T {
        if let Some(row) = self.rows.get_mut(at as usize) {
            return row;
        }
        miss(at);
        self.empty = T::default();
        &mut self.empty
    }
}
