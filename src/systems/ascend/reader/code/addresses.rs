//! The address ranges of source lines as a table: which instructions a line became, also where none of them was kept.

use super::Source;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::code::CodeScope;
use crate::model::table::{Table, TableCells, TableColumn};
use std::mem::take;
use std::ops::RangeInclusive;

/// The table as it grows.
#[derive(Default)]
pub(super) struct Addresses {
    file: Vec<String>,
    line: Vec<f64>,
    first: Vec<u64>,
    last: Vec<u64>,
}

impl Addresses {
    /// Adds some ranges of a source.
    pub(super) fn add(&mut self, source: &Source, ranges: &[(u32, RangeInclusive<u64>)]) {
        for (record, range) in ranges {
            let line = source.line.get(*record as usize);
            self.file.push(source.listing.title.clone());
            self.line.push(line.map_or(f64::NAN, |line| f64::from(*line)));
            self.first.push(*range.start());
            self.last.push(*range.end());
        }
    }

    /// The table; nothing when no line has an address.
    pub(super) fn finish(mut self) -> Option<Table> {
        let column =
            |name: &str, unit: Unit, cells: TableCells| TableColumn { name: name.to_owned(), unit, cells };
        let columns = vec![
            column(phrase("Source file"), Unit::None, TableCells::Texts(take(&mut self.file))),
            column(phrase("Line"), Unit::None, TableCells::Numbers(take(&mut self.line))),
            column(phrase("First address"), Unit::Address, TableCells::Integers(take(&mut self.first))),
            column(phrase("Last address"), Unit::Address, TableCells::Integers(take(&mut self.last))),
        ];
        let title = phrase("Source line addresses").to_owned();
        let is_empty = columns.iter().all(|c| c.cells.is_empty());
        (!is_empty).then(|| Table {
            id: "line-addresses".to_owned(),
            title,
            columns,
            notes: Vec::new(),
            scope: CodeScope::default(),
        })
    }
}
