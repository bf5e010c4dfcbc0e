//! The operators of a project as a table.

use super::rows::{number, write_rows};
use super::{Export, ExportInput, whole};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::files::measures_of;
use std::io::{Result, Write};

/// One line for each operator: where it lies, what it is, how long it took, and what else was measured of it.
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
    let measures = measures_of(input.operators);
    let rows = input.operators.iter().map(|o| {
        let mut row = [&o.path, &o.name, &o.chip, &o.kind].map(String::clone).to_vec();
        row.extend([o.block_dim, o.duration, o.clock, o.rated_clock].map(number));
        row.push(o.written());
        row.extend(measures.iter().map(|(name, _)| number(o.measure(name))));
        row
    });
    // A share is written as the files have it, from 0 to 1.
    let named = measures.iter().map(|(name, unit)| match unit.symbol() {
        "" => name.clone(),
        _ if *unit == Unit::Share => name.clone(),
        symbol => format!("{name} ({symbol})"),
    });
    let heads = HEADS.map(str::to_owned).into_iter().chain(named).collect();
    write_rows(out, &mut std::iter::once(heads).chain(rows))
}
