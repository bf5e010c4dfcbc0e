//! The table of kernels and what each device would take, as figures: for exports of all figures, for comparing runs, and
//! for the parameters that only figures depend on.

use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure, FigureHead};
use crate::analysis::lifetimes::{
    Device, DeviceFigures, KernelRow, LevelReport, LevelRow, Recorded, Run, Scope, Settings, devices,
    parameters, report, rows,
};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Body, Cell, Figure, TableColumn, TableFigure};

/// The analysis.
pub(super) static ANALYSIS: Analysis = Analysis {
    id: "lifetimes",
    title: phrase("Data lifetimes"),
    parameters: parameters::FIGURES,
    applies: |trace| {
        trace
            .extensions
            .get::<Recorded>()
            .is_some_and(|recorded| recorded.runs.iter().any(|run| run.kernels.iter().any(has_figures)))
    },
    tap: None,
    start: None,
    add_tracks: None,
    faults: Some(faults),
    figures,
    is_comparable: true,
};

/// Whether there is more to say of a kernel than that it ran.
fn has_figures(kernel: &crate::analysis::lifetimes::Kernel) -> bool {
    kernel.levels.iter().any(|level| {
        level.stated.is_some()
            || 0 < level.counts.accesses() + level.counts.retries
            || !level.reused.is_empty()
    })
}

fn runs<'a>(input: &AnalysisInput<'a>) -> &'a [Run] {
    input.trace.extensions.get::<Recorded>().map_or(&[], |recorded| &recorded.runs)
}

/// Values that nobody can use.
fn faults(input: &AnalysisInput) -> Vec<(u32, Fault)> {
    let entry = runs(input).first().map_or(0, |run| run.entry);
    let problem = devices(input.values).1.map(|why| {
        let kind = Kind::Problem(
            message("the devices cannot be used: {why}").with("why", why.trim_end_matches('.')),
        );
        let fault = Fault::new("LIF-DEVICES", Severity::Warning, Place::default(), kind);
        fault.note(phrase("The usual devices are shown."))
    });
    let scope = input.values.text(parameters::SCOPE.id).filter(|text| Scope::parse(text).is_none());
    let scope = scope.map(|text| {
        let expected = phrase("total, busiest, mean, or one such as sm:0");
        let kind = Kind::Unexpected { expected: expected.into(), found: format!("\"{text}\"").into() };
        Fault::new("LIF-SCOPE", Severity::Warning, Place::default(), kind).note(phrase("All units are told."))
    });
    problem.into_iter().chain(scope).map(|fault| (entry, fault)).collect()
}

fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let runs = runs(input).iter().enumerate().filter(|(_, run)| run.kernels.iter().any(has_figures));
    let suffix = |at: usize| if at == 0 { String::new() } else { format!("-{}", at + 1) };
    let head = |id: &str, at: usize, title: &str| FigureHead {
        id: format!("{id}{}", suffix(at)),
        section: phrase("Data lifetimes"),
        title: title.to_owned(),
        kind: "table",
        columns: 3,
        choices: Vec::new(),
    };
    let both = runs.flat_map(|(at, _)| {
        [
            ComputedFigure {
                head: head("lifetime-kernels", at, phrase("Lifetimes by kernel")),
                compute: |input, id, _| kernels(input, id),
            },
            ComputedFigure {
                head: head("lifetime-devices", at, phrase("Memory devices")),
                compute: |input, id, _| of_devices(input, id),
            },
        ]
    });
    both.collect()
}

/// The run of a figure.
fn of<'a>(input: &AnalysisInput<'a>, id: &str) -> Option<&'a Run> {
    let number = id.rsplit('-').next().and_then(|n| n.parse::<usize>().ok()).unwrap_or(1);
    runs(input).get(number.saturating_sub(1))
}

fn column(name: impl Into<String>, unit: Unit, has_bar: bool) -> TableColumn {
    TableColumn { name: name.into(), unit, has_bar, ..TableColumn::default() }
}

/// What a column of a level holds.
type OfLevel = fn(&LevelRow) -> Cell;

fn kernels(input: &AnalysisInput, id: &str) -> Figure {
    let Some(run) = of(input, id) else { return Figure::new("", Body::Table(TableFigure::default())) };
    let columns: [(&str, Unit, OfLevel); 10] = [
        (phrase("Lifetimes"), Unit::None, |level| Cell::Integer(level.lifetimes)),
        (phrase("Mean lifetime"), Unit::Micros, |level| Cell::Number(level.mean)),
        (phrase("Median lifetime"), Unit::Micros, |level| Cell::Number(level.median)),
        (phrase("90% of lifetimes"), Unit::Micros, |level| Cell::Number(level.p90)),
        (phrase("Longest lifetime"), Unit::Micros, |level| Cell::Number(level.max)),
        (phrase("Loads"), Unit::Megahertz, |level| Cell::Number(level.read_mhz)),
        (phrase("Stores"), Unit::Megahertz, |level| Cell::Number(level.write_mhz)),
        (phrase("Stores and fills"), Unit::Megahertz, |level| Cell::Number(level.fill_mhz)),
        (phrase("Utilization"), Unit::Share, |level| Cell::Number(level.utilization)),
        (phrase("Distinct sectors"), Unit::None, |level| Cell::Number(level.unique)),
    ];
    let mut heads = vec![
        column(phrase("Kernel"), Unit::None, false),
        column(phrase("Name"), Unit::None, false),
        column(phrase("Cycles"), Unit::Cycles, true),
    ];
    for level in &run.levels {
        let of = |(name, unit, _): &(&str, Unit, OfLevel)| {
            column(format!("{} {name}", level.name), unit.clone(), true)
        };
        heads.extend(columns.iter().map(of));
    }
    let row = |row: &KernelRow| {
        let mut cells = vec![Cell::Integer(row.id), Cell::Text(row.name.clone()), Cell::Integer(row.cycles)];
        let levels = (0..run.levels.len()).map(|at| row.levels.get(at).copied().unwrap_or_default());
        cells.extend(levels.flat_map(|level| columns.iter().map(move |(.., cell)| cell(&level))));
        cells
    };
    let settings = Settings::of(input.values, run);
    let table = TableFigure {
        columns: heads,
        rows: rows(run, &settings).iter().map(row).collect(),
        key_columns: 2,
        ..TableFigure::default()
    };
    Figure::new("", Body::Table(table))
}

fn of_devices(input: &AnalysisInput, id: &str) -> Figure {
    let Some(run) = of(input, id) else { return Figure::new("", Body::Table(TableFigure::default())) };
    let (devices, _) = devices(input.values);
    let report = report(run, &Settings::of(input.values, run), &devices);
    let row = |level: &LevelReport, (at, (device, found)): (usize, (&Device, &DeviceFigures))| {
        let retention = device.retention.micros(level.demand.write_mhz);
        let mix = level.mix.iter().find(|share| share.device == at).map_or(0, |share| share.lifetimes);
        let energy = found.energy_fj().map(|fj| fj / 1e6);
        vec![
            Cell::Text(level.name.clone()),
            Cell::Text(device.name.clone()),
            Cell::number(retention),
            Cell::Number(found.area_um2),
            Cell::Number(found.refreshes as f64),
            Cell::Number(found.refresh_free),
            Cell::number(energy),
            Cell::Integer(mix),
        ]
    };
    let of_level = |level: &LevelReport| -> Vec<Vec<Cell>> {
        let own = devices.devices.iter().zip(&level.devices).enumerate();
        own.map(|found| row(level, found)).collect()
    };
    let table = TableFigure {
        columns: vec![
            column(phrase("Level"), Unit::None, false),
            column(phrase("Device"), Unit::None, false),
            column(phrase("Retention"), Unit::Micros, false),
            column(phrase("Area"), Unit::Other("µm²".to_owned()), true),
            column(phrase("Refreshes"), Unit::None, true),
            column(phrase("Without refresh"), Unit::Share, false),
            column(phrase("Energy"), Unit::Other("nJ".to_owned()), true),
            column(phrase("Lifetimes in a mix"), Unit::None, true),
        ],
        rows: report.levels.iter().flat_map(of_level).collect(),
        key_columns: 2,
        ..TableFigure::default()
    };
    let mut figure = Figure::new("", Body::Table(table));
    figure
        .notes
        .push(message("In a mix each lifetime goes to the densest device that holds it without refresh."));
    figure
}
