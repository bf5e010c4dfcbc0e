//! The table of kernels at a level. Rows are named by their kernels, so that the kernels of two runs meet by name and order:
//! numbers of kernels differ from run to run.

use super::{column, nothing, of};
use crate::analysis::contract::AnalysisInput;
use crate::base::number::with_unit;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Body, Cell, Figure, TableColumn, TableFigure};
use crate::systems::gainsight::statistics::misses;
use crate::views::lifetimes::compute::{
    Device, Devices, Kernel, LevelRow, Run, Scope, Settings, devices, row as row_of,
};

/// What a kernel did at a level.
struct Did<'a> {
    row: LevelRow,
    /// Accesses and lifetimes opened; `None` where only a table states what is known.
    counts: Option<[f64; 2]>,
    /// Misses as the log counts them, of all units.
    misses: Option<f64>,
    kernel: &'a Kernel,
    /// Whether any access is known.
    is_recorded: bool,
    /// Whether rates are known.
    has_rates: bool,
}

/// What a column holds.
type OfLevel = fn(&Did) -> Cell;

const COLUMNS: [(&str, Unit, OfLevel); 15] = [
    (phrase("Accesses"), Unit::None, |did| Cell::number(did.counts.map(|counts| counts[0]))),
    (phrase("Lifetimes opened"), Unit::None, |did| Cell::number(did.counts.map(|counts| counts[1]))),
    (phrase("Misses in the log"), Unit::None, |did| Cell::number(did.misses)),
    (phrase("Lifetimes"), Unit::None, |did| match did.counts {
        Some(_) => Cell::Integer(did.row.lifetimes),
        None => Cell::Missing,
    }),
    (phrase("Mean lifetime"), Unit::Micros, |did| length(did, did.row.mean)),
    (phrase("Median lifetime"), Unit::Micros, |did| length(did, did.row.median)),
    (phrase("90% of lifetimes"), Unit::Micros, |did| length(did, did.row.p90)),
    (phrase("Longest lifetime"), Unit::Micros, |did| length(did, did.row.max)),
    (phrase("Loads"), Unit::Megahertz, |did| rate(did, did.row.read_mhz)),
    (phrase("Stores"), Unit::Megahertz, |did| rate(did, did.row.write_mhz)),
    (phrase("Stores and true load misses"), Unit::Megahertz, |did| rate(did, did.row.fill_mhz)),
    (phrase("Utilization"), Unit::Share, |did| Cell::number(did.row.utilization.filter(|_| did.is_recorded))),
    (phrase("Distinct sectors"), Unit::None, |did| Cell::number(did.is_recorded.then_some(did.row.unique))),
    (phrase("Size"), Unit::Bytes, |did| {
        if did.row.bytes == 0 { Cell::Missing } else { Cell::Integer(did.row.bytes) }
    }),
    (phrase("Cycles"), Unit::Cycles, |did| Cell::Integer(did.kernel.cycles)),
];

fn rate(did: &Did, mhz: f64) -> Cell {
    if did.has_rates { Cell::Number(mhz) } else { Cell::Missing }
}

/// A length, where there is any lifetime.
fn length(did: &Did, micros: f64) -> Cell {
    if 0 < did.row.lifetimes || 0.0 < did.row.max { Cell::Number(micros) } else { Cell::Missing }
}

pub(super) fn figure(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let Some(run) = of(input, id) else { return nothing() };
    let at = chosen.first().copied().unwrap_or(0);
    let mut settings = Settings::of(input.values, run);
    let has_clock = 0.0 < settings.clock_mhz;
    // Without a clock lengths are cycles; what a table states is time.
    let has_times = has_clock || !super::has_lengths(run);
    if !has_times {
        settings.clock_mhz = 1.0;
    }
    let (devices, _) = devices(input.values);
    let refreshed: Vec<&Device> =
        devices.devices.iter().filter(|device| device.retention.micros(0.0).is_some()).collect();
    let part = if run.has_layers { phrase("Layer") } else { phrase("Kernel") };
    let mut columns = vec![column(phrase("Name"), Unit::None, false), column(part, Unit::None, false)];
    let unit_of = |unit: &Unit| match unit {
        Unit::Micros if !has_times => Unit::Cycles,
        unit => unit.clone(),
    };
    columns.extend(COLUMNS.iter().map(|(name, unit, _)| column(*name, unit_of(unit), true)));
    let named = |what: &str, unit: &Unit, device: &Device| TableColumn {
        is_phrase: false,
        ..column(format!("{what}: {}", device.name), unit.clone(), true)
    };
    columns.extend(refreshed.iter().map(|device| named(phrase("Refreshes"), &Unit::None, device)));
    let area = Unit::Other("µm²".to_owned());
    // Refreshes are those of all units that are told of, the size and so the area is that of one.
    let has_private = run.levels.iter().any(|head| head.is_private);
    let what = if has_private { phrase("Area per unit") } else { phrase("Area") };
    columns.extend(devices.devices.iter().map(|device| named(what, &area, device)));
    let head = run.levels.get(at);
    let is_whole = head.is_some_and(|head| !head.is_private || settings.scope == Scope::Total);
    let misses = head.filter(|_| is_whole).map(|head| misses(input.trace, run.entry, &head.name));
    let mut misses = misses.unwrap_or_default();
    let has_misses = !misses.is_empty();
    let rows = run.kernels.iter().map(|kernel| {
        let alone = kernel.uids.as_deref().and_then(|uids| <[u64; 1]>::try_from(uids).ok());
        let misses = alone.and_then(|[uid]| misses.get_mut(&uid)?.pop());
        row((run, has_clock), (kernel, misses), at, &settings, (&devices, &refreshed))
    });
    let table = TableFigure { rows: rows.collect(), columns, key_columns: 1, ..TableFigure::default() };
    let mut figure = Figure::new("", Body::Table(table));
    figure.scope = run.levels.get(at).map_or(String::new(), |level| level.name.clone());
    if has_clock && super::has_lengths(run) {
        // Two runs may have two clocks.
        figure.scope = format!("{}, {}", figure.scope, with_unit(settings.clock_mhz, &Unit::Megahertz));
    }
    if has_misses {
        figure.notes.push(message("Misses in the log are those that the simulator counted. First accesses, stores, and loads that miss after the fill time open a lifetime; other misses wait for data on their way."));
    }
    let mean = head.filter(|head| head.is_private && settings.scope == Scope::Mean);
    figure.notes.extend(mean.map(|head| {
        message("Mean over {unit}s: of each kernel over those that it uses.").with("unit", &head.unit)
    }));
    let cut = run.kernels.iter().filter(|kernel| kernel.is_cut);
    figure.notes.extend(cut.map(|kernel| {
        message("{kernel} is cut off: the file ends before it does.").with("kernel", &kernel.name)
    }));
    figure.notes.push(if run.has_layers {
        message("Layers of two runs are matched by name and order.")
    } else {
        message("Kernels of two runs are matched by name and order.")
    });
    figure
}

fn row(
    (run, has_clock): (&Run, bool),
    (kernel, misses): (&Kernel, Option<f64>),
    at: usize,
    settings: &Settings,
    (devices, refreshed): (&Devices, &[&Device]),
) -> Vec<Cell> {
    let row = row_of(run, kernel, settings).levels.get(at).copied().unwrap_or_default();
    let is_private = run.levels.get(at).is_some_and(|head| head.is_private);
    let recorded = kernel.levels.get(at).filter(|level| level.is_recorded());
    let level = recorded.filter(|level| level.stated.is_none());
    let counts = level.map(|level| {
        let (counts, share) = level.counts_in(is_private, settings.scope);
        [counts.accesses(), counts.lifetimes].map(|n| n as f64 * share)
    });
    let is_recorded = recorded.is_some();
    let has_rates = is_recorded && (has_clock || level.is_none());
    let did = Did { row, counts, misses, kernel, is_recorded, has_rates };
    // The number is a name here: a difference of two says nothing.
    let mut cells = match kernel.id {
        0 if kernel.names().is_empty() => vec![Cell::Missing, Cell::Missing],
        id => vec![Cell::Text(kernel.name.clone()), Cell::Text(id.to_string())],
    };
    cells.extend(COLUMNS.iter().map(|(.., cell)| cell(&did)));
    let lengths = level.map(|level| level.lifetimes(is_private, settings));
    cells.extend(refreshed.iter().map(|device| {
        let cycles = device.retention.micros(row.write_mhz).map(|micros| micros * settings.clock_mhz);
        let known = lengths.as_ref().zip(cycles).filter(|_| has_clock);
        Cell::number(known.map(|(lengths, cycles)| lengths.refreshes(cycles) as f64))
    }));
    let area = |device: &Device| (0 < row.bytes).then(|| devices.area_um2(device, row.bytes));
    cells.extend(devices.devices.iter().map(|device| Cell::number(area(device))));
    cells
}
