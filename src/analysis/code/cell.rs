//! One metric cell as a person reads it.

use super::ColumnSummary;
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{phrase, reader, tr};
use crate::model::code::{Cells, Column, Listing};

/// The text of a cell without its unit, which stands in the head of the column. Empty for a row without any value; a dash
/// for one that has others.
///
/// Shares are percent with one decimal, or two digits when that would be 0.0; whole columns are written whole.
pub fn cell_text(
    listing: &Listing,
    column: &Column,
    summary: &ColumnSummary,
    row: usize,
    core: usize,
) -> String {
    match &column.cells {
        Cells::Texts { .. } => column.cells.text(row, core).to_owned(),
        Cells::Registers { values } => {
            let uses = values.get(row).map_or(&[][..], Vec::as_slice);
            let word = |state| match state {
                1 => phrase(" read"),
                2 => phrase(" write"),
                3 => phrase(" read and write"),
                _ => "",
            };
            uses.iter()
                .map(|u| format!("{}{}", u.name, tr(reader(), word(u.state))))
                .collect::<Vec<_>>()
                .join(", ")
        }
        Cells::Numbers { .. } | Cells::Parts { .. } => match column.cells.number(row, core) {
            Some(value) if 0.0 <= value => number_text(column, summary, value),
            _ if row_is_empty(listing, row, core) => String::new(),
            _ => number::MISSING.to_owned(),
        },
    }
}

fn number_text(column: &Column, summary: &ColumnSummary, value: f64) -> String {
    match fraction(column, value) {
        Some(share) => {
            let text = number::fixed(share * 100.0, 1);
            if text == "0.0" && 0.0 < share { number::short(share * 100.0) } else { text }
        }
        None => number::fixed(value, summary.decimals),
    }
}

/// What part of a whole a value is, 0 to 1, for columns of shares and percent.
pub fn fraction(column: &Column, value: f64) -> Option<f64> {
    match (&column.cells, &column.unit) {
        (Cells::Parts { .. }, _) | (_, Unit::Share) => Some(value),
        (_, Unit::Percent) => Some(value / 100.0),
        _ => None,
    }
}

/// Whether a row has no value in any column: then its cells are empty, not a dash and not zero.
pub fn row_is_empty(listing: &Listing, row: usize, core: usize) -> bool {
    listing.columns.iter().all(|column| match &column.cells {
        Cells::Texts { .. } => column.cells.text(row, core).is_empty(),
        Cells::Registers { values } => values.get(row).is_none_or(Vec::is_empty),
        Cells::Numbers { .. } | Cells::Parts { .. } => column.cells.number(row, core).is_none_or(|v| v < 0.0),
    })
}
