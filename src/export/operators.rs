//! The operators of a project as a table.

use super::rows::{number, write_rows};
use super::{Export, ExportInput, whole};
use crate::base::words::phrase;
use std::io::{Result, Write};

/// One line for each operator: where it lies, what it is, how long it took.
pub static OPERATORS_CSV: Export = Export {
    id: "operators-csv",
    title: phrase("Operators as CSV"),
    suffix: "operators.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[],
    can: |input| !input.operators.is_empty(),
    write: |_, argument| whole(write, argument),
};

const HEADS: [&str; 9] = [
    "path",
    "name",
    "chip",
    "op type",
    "block dim",
    "duration (µs)",
    "current frequency (MHz)",
    "rated frequency (MHz)",
    "launch",
];

fn write(input: &ExportInput, _: &str, out: &mut dyn Write) -> Result<()> {
    let rows = input.operators.iter().map(|o| {
        let mut row = [&o.path, &o.name, &o.chip, &o.kind].map(String::clone).to_vec();
        row.extend([o.block_dim, o.duration, o.clock, o.rated_clock].map(number));
        row.push(o.launch.clone());
        row
    });
    write_rows(out, std::iter::once(HEADS.map(str::to_owned).to_vec()).chain(rows))
}
