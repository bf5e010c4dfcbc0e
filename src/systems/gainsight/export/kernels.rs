//! One row for each kernel.

use super::{has_kernels, runs, say_clock};
use crate::base::words::phrase;
use crate::export::rows::write_rows;
use crate::export::{Export, ExportInput, whole};
use crate::model::Symbols;
use crate::views::lifetimes::compute::{Kernel, KernelRow, LevelRow, Settings, parameters, rows};
use std::io::{Result, Write};

/// Kernels.
pub(crate) static SIM_CSV: Export = Export {
    id: "gainsight-sim-csv",
    title: phrase("Kernels and lifetimes as CSV"),
    suffix: "sim.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: parameters::ALL,
    can: has_kernels,
    write: |_, argument| whole(write, argument),
};

/// What a column holds of a level.
type OfLevel = fn(&LevelRow) -> String;

/// Columns about lifetimes of a level.
const LIFETIMES: [(&str, OfLevel); 4] = [
    ("Lifetime", |level| number(level.mean)),
    ("Lifetime Median", |level| number(level.median)),
    ("Lifetime 90%-tile", |level| number(level.p90)),
    ("Lifetime Max", |level| number(level.max)),
];

/// Columns about frequencies of a level.
const FREQUENCIES: [(&str, OfLevel); 2] = [
    ("Read Frequency", |level| number(level.read_mhz)),
    ("Write Frequency", |level| number(level.write_mhz)),
];

/// Columns about the use of a level.
const USE: [(&str, OfLevel); 3] = [
    // What nobody says stays empty.
    ("Utilization", |level| level.utilization.map_or_else(String::new, number)),
    ("Size", |level| if level.bytes == 0 { String::new() } else { level.bytes.to_string() }),
    ("Unique Addresses", |level| level.unique.to_string()),
];

/// With a point in any case, and all digits.
fn number(value: f64) -> String {
    format!("{value:?}")
}

/// Whether lengths and rates of a kernel at a level are known: a table states times, all others need a clock.
fn is_timed(kernel: &Kernel, level: usize, settings: &Settings) -> bool {
    0.0 < settings.clock_mhz || kernel.levels.get(level).is_some_and(|level| level.stated.is_some())
}

fn write(input: &ExportInput, _: &str, out: &mut dyn Write) -> Result<()> {
    let groups: [&[(&str, OfLevel)]; 3] = [&LIFETIMES, &FREQUENCIES, &USE];
    let first = runs(input.trace).iter().find(|run| !run.kernels.is_empty());
    let names: Vec<&str> =
        first.map_or_else(Vec::new, |run| run.levels.iter().map(|level| level.name.as_str()).collect());
    let columns = groups.iter().flat_map(|group| {
        names.iter().flat_map(|name| group.iter().map(move |(column, _)| format!("{name} {column}")))
    });
    let head = ["Kernel ID", "Mangled Names"].map(str::to_owned).into_iter().chain(columns);
    let end = ["Total Read Frequency", "Total Write Frequency", "Total Cycles"].map(str::to_owned);
    let symbols = input.trace.extensions.get::<Symbols>();
    let line = |kernel: &Kernel, row: &KernelRow, settings: &Settings| {
        let timed: Vec<bool> = (0..names.len()).map(|at| is_timed(kernel, at, settings)).collect();
        let of = |(number, group): (usize, &&[(&str, OfLevel)])| -> Vec<String> {
            let levels = timed.iter().zip((0..).map(|at| row.levels.get(at).copied().unwrap_or_default()));
            // What needs a time stays empty without one: a 0 would be read as one.
            let is_known = |is_timed: bool| is_timed || number == groups.len() - 1;
            let cell = |is_timed, level: &LevelRow, cell: &OfLevel| {
                if is_known(is_timed) { cell(level) } else { String::new() }
            };
            let cells = levels.flat_map(|(is_timed, level)| {
                group.iter().map(|(_, own)| cell(*is_timed, &level, own)).collect::<Vec<_>>()
            });
            cells.collect()
        };
        let name = symbols.map_or(row.name.as_str(), |symbols| symbols.of(&row.name));
        let mut cells = vec![row.id.to_string(), name.to_owned()];
        cells.extend(groups.iter().enumerate().flat_map(of));
        let sum = |ghz: f64| if timed.contains(&true) { number(ghz) } else { String::new() };
        cells.extend([sum(row.read_ghz), sum(row.write_ghz), row.cycles.to_string()]);
        cells
    };
    let lines = runs(input.trace).iter().flat_map(|run| {
        let settings = Settings::of(input.values, run);
        let own = run.kernels.iter().zip(rows(run, &settings));
        own.map(|(kernel, row)| line(kernel, &row, &settings)).collect::<Vec<_>>()
    });
    let lines: Vec<Vec<String>> = lines.collect();
    write_rows(out, &mut std::iter::once(head.chain(end).collect()).chain(lines))?;
    say_clock(input)
}
