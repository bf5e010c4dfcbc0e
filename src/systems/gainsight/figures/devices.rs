//! What each device would take, and the report as the figures that a report in a file has.

use super::{column, nothing, of, runs};
use crate::analysis::contract::{AnalysisInput, ComputedFigure, FigureHead};
use crate::analysis::lifetimes::{
    Device, DeviceFigures, LevelReport, Settings, devices, report as report_of,
};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Body, Cell, Fact, Facts, Figure, TableFigure};

pub(super) fn figure(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some(run) = of(input, id) else { return nothing() };
    let (devices, _) = devices(input.values);
    let report = report_of(run, &Settings::of(input.values, run), &devices);
    let row = |level: &LevelReport, (at, (device, found)): (usize, (&Device, &DeviceFigures))| {
        let retention = device.retention.micros(level.demand.write_mhz);
        let mix = level.mix.iter().find(|share| share.device == at).map_or(0, |share| share.lifetimes);
        let energy = found.energy_fj().map(|fj| fj / 1e6);
        let has_lengths = !level.demand.lifetimes.is_empty() && 0.0 < level.demand.clock_mhz;
        vec![
            Cell::Text(level.name.clone()),
            Cell::Text(device.name.clone()),
            Cell::number(retention),
            Cell::number(Some(found.area_um2).filter(|area| 0.0 < *area)),
            Cell::number(has_lengths.then_some(found.refreshes as f64)),
            Cell::number(has_lengths.then_some(found.refresh_free)),
            Cell::number(energy),
            if has_lengths { Cell::Integer(mix) } else { Cell::Missing },
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
            column(phrase("Fits without refresh"), Unit::Share, false),
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

/// Ids and titles of the report's figures, as a report in a file has them.
const REPORTS: [(&str, &str, &str); 4] = [
    ("device-report", phrase("Run"), "facts"),
    ("device-report-write-frequency", "Write Frequency", "table"),
    ("device-report-refreshes", "Refreshes", "table"),
    ("device-report-area", "Area", "table"),
];

/// The report of the first run with lifetimes, as figures.
pub(super) fn reports(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let has_any = runs(input).first().is_some_and(super::has_lengths);
    let figure = |(id, title, kind): (&str, &str, &'static str)| ComputedFigure {
        head: FigureHead {
            id: id.to_owned(),
            section: phrase("Report of memory devices"),
            title: title.to_owned(),
            kind,
            columns: 1,
            choices: Vec::new(),
        },
        compute: report,
    };
    if has_any { REPORTS.map(figure).into() } else { Vec::new() }
}

fn report(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some(run) = runs(input).first() else { return nothing() };
    let (devices, _) = devices(input.values);
    let levels = report_of(run, &Settings::of(input.values, run), &devices).levels;
    let texts = |name: &str, of: &dyn Fn(&LevelReport) -> Cell| -> Vec<Cell> {
        std::iter::once(Cell::Text(name.to_owned())).chain(levels.iter().map(of)).collect()
    };
    let of_devices = |of: &dyn Fn(&DeviceFigures) -> Cell, name: fn(&Device) -> &str, is_all: bool| {
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        for (at, device) in devices.devices.iter().enumerate() {
            let first = Cell::Text(name(device).to_owned());
            if (is_all || !device.is_reference) && rows.iter().all(|row| row.first() != Some(&first)) {
                rows.push(texts(name(device), &|level| level.devices.get(at).map_or(Cell::Missing, of)));
            }
        }
        rows
    };
    let (first, unit, rows) = match id {
        "device-report-refreshes" => {
            let own = of_devices(&|own| Cell::Number(own.refreshes as f64), |device| &device.name, false);
            (phrase("Device"), Unit::None, own)
        }
        "device-report-area" => {
            let area = |own: &DeviceFigures| Cell::number(Some(own.area_um2).filter(|area| 0.0 < *area));
            (
                phrase("Device"),
                Unit::Other("µm²".to_owned()),
                of_devices(&area, |device| &device.family, true),
            )
        }
        "device-report-write-frequency" => {
            let row = u64::try_from;
            let rows = vec![
                texts("max", &|level| Cell::Number(level.writes.max)),
                texts("maxidx", &|level| Cell::Integer(row(level.writes.max_row).unwrap_or(0))),
                texts("90%-tile", &|level| Cell::Number(level.writes.p90)),
                texts("weighted", &|level| Cell::Number(level.writes.weighted)),
            ];
            (phrase("Over kernels"), Unit::None, rows)
        }
        _ => {
            let name = crate::analysis::lifetimes::name(input.values, run);
            let fact = |name: String, value| Fact { name, value, unit: Unit::None };
            let counts = levels.iter().map(|level| {
                fact(format!("{} Lifetime Count", level.name), Cell::Integer(level.demand.lifetimes.count()))
            });
            let facts = std::iter::once(fact("Name".to_owned(), Cell::Text(name))).chain(counts).collect();
            return Figure::new("", Body::Facts(Facts { facts }));
        }
    };
    let columns = levels.iter().map(|level| column(level.name.as_str(), unit.clone(), true));
    let columns = std::iter::once(column(first, Unit::None, false)).chain(columns).collect();
    Figure::new("", Body::Table(TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() }))
}
