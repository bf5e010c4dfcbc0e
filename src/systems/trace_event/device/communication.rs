//! Names of kernels and tasks that exchange data, by library: the rows of `communication.tsv`.

use crate::analysis::device::dialect::Exchange;
use std::sync::LazyLock;

static TABLE: &str = include_str!("communication.tsv");

static ROWS: LazyLock<Vec<Exchange>> = LazyLock::new(|| TABLE.lines().filter_map(row).collect());

/// The names.
pub(super) fn exchanges() -> &'static [Exchange] {
    &ROWS
}

/// A row: how the text stands in a name, the text, the library, where it was seen. Lines that begin with `#` are notes.
fn row(line: &'static str) -> Option<Exchange> {
    let mut cells = line.split('\t');
    let begins = match cells.next()? {
        "begins" => true,
        "holds" => false,
        _ => return None,
    };
    Some(Exchange { begins, text: cells.next()?, library: cells.next()? })
}
