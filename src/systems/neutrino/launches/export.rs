//! launches-csv: a line for each launch of the log, all digits.

use crate::base::names::sheet_cell;
use crate::base::words::phrase;
use crate::export::{Export, ExportInput, whole};
use crate::model::Symbols;
use crate::systems::neutrino::folder::{Folder, Status};
use std::io::{Result, Write};

/// Launches as CSV.
pub(crate) static LAUNCHES_CSV: Export = Export {
    id: "launches-csv",
    title: phrase("Launches as CSV"),
    suffix: "launches.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[],
    can: |input| input.trace.extensions.get::<Folder>().is_some_and(|folder| !folder.launches.is_empty()),
    write: |_, argument| whole(write, argument),
};

const HEAD: [&str; 24] = [
    "launch",
    "time_ns",
    "kernel",
    "folder",
    "function",
    "grid_x",
    "grid_y",
    "grid_z",
    "block_x",
    "block_y",
    "block_z",
    "shared_bytes",
    "status",
    "code",
    "result",
    "probe_bytes",
    "prologue_ms",
    "kernel_ms",
    "epilogue_ms",
    "ratio",
    "original_ms",
    "impact",
    "line",
    "parameters",
];

fn write(input: &ExportInput, _: &str, out: &mut dyn Write) -> Result<()> {
    let Some(folder) = input.trace.extensions.get::<Folder>() else { return Ok(()) };
    let symbols = input.trace.extensions.get::<Symbols>();
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(HEAD)?;
    for (i, launch) in folder.launches.iter().enumerate() {
        let kernel = launch.kernel.and_then(|at| folder.kernels.get(at));
        let number = |n: Option<f64>| n.map_or_else(String::new, |n| n.to_string());
        let whole = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
        let code = match launch.status {
            Status::Failed(code) => code.to_string(),
            _ => String::new(),
        };
        let parameters: Vec<String> = launch.parameters.iter().map(|value| format!("{value:x}")).collect();
        let mut row = vec![
            (i + 1).to_string(),
            whole(launch.time),
            symbols.map_or(launch.name.as_str(), |all| all.of(&launch.name)).to_owned(),
            kernel.map_or_else(String::new, |kernel| kernel.folder.clone()),
            format!("0x{:x}", launch.function),
        ];
        row.extend(launch.grid.iter().chain(&launch.block).map(u32::to_string));
        row.extend([
            launch.shared.to_string(),
            launch.status.name().to_owned(),
            code,
            launch.result.clone().unwrap_or_default(),
            whole(launch.probe_bytes),
            number(launch.prologue),
            number(launch.kernel_ms),
            number(launch.epilogue),
            number(launch.ratio()),
            number(launch.original),
            number(launch.impact),
            launch.line.to_string(),
            parameters.join(" "),
        ]);
        csv.write_record(row.iter().map(|text| sheet_cell(text).into_owned()))?;
    }
    csv.flush()
}
