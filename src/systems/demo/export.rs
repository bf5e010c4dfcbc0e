//! demo-csv: the work of each unit, all digits.

use super::analysis::{ANALYSIS, Work};
use crate::base::words::phrase;
use crate::export::{Export, ExportInput, whole};
use crate::model::parameter::{Parameter, ParameterKind};
use std::io::{Result, Write};

/// The work as CSV.
pub(super) static DEMO_CSV: Export = Export {
    id: "demo-csv",
    title: phrase("Work by unit as CSV"),
    suffix: "work.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&SEPARATOR],
    can: |input| input.result::<Work>(&ANALYSIS).is_some(),
    write: |_, argument| whole(write, argument),
};

fn write(input: &ExportInput, _: &str, out: &mut dyn Write) -> Result<()> {
    let separator = input.values.text(SEPARATOR.id).unwrap_or("comma");
    let sign = if separator == "tab" { '\t' } else { ',' };
    writeln!(out, "unit{sign}work{sign}bytes")?;
    for unit in input.result::<Work>(&ANALYSIS).into_iter().flatten() {
        writeln!(out, "{}{sign}{}{sign}{}", unit.name, unit.work, unit.bytes)?;
    }
    Ok(())
}

/// A choice: what stands between cells.
static SEPARATOR: Parameter = Parameter {
    id: "demo-separator",
    title: phrase("Separator"),
    help: phrase("cell separator"),
    kind: ParameterKind::Choice(&[("comma", phrase("Comma")), ("tab", phrase("Tab"))]),
    rereads: false,
};
