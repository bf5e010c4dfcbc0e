//! What each device would take, and the report as the figures that a report in a file has.

use super::{column, nothing, of, runs};
use crate::analysis::contract::{AnalysisInput, ComputedFigure, FigureHead};
use crate::base::number::thousands;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::figure::{Body, Cell, Fact, Facts, Figure, TableFigure};
use crate::views::lifetimes::compute::{
    Device, DeviceFigures, LevelHead, LevelReport, Run, Settings, devices, report as report_of,
};

pub(super) fn figure(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some(run) = of(input, id) else { return nothing() };
    let (devices, _) = devices(input.values);
    let settings = Settings::of(input.values, run);
    let report = report_of(run, &settings, &devices);
    let row = |level: &LevelReport, (at, (device, found)): (usize, (&Device, &DeviceFigures))| {
        let retention = device.retention.micros(level.demand.write_mhz);
        let mix = level.mix.iter().find(|share| share.device == at).map_or(0, |share| share.lifetimes);
        let energy = found.energy_fj().map(|fj| fj / 1e6);
        let has_lengths = !level.demand.lifetimes.is_empty() && 0.0 < level.demand.clock_mhz;
        vec![
            Cell::Text(level.name.clone()),
            Cell::Text(device.name.clone()),
            Cell::number(retention),
            Cell::number(Some(level.demand.area_um2(found)).filter(|area| 0.0 < *area)),
            Cell::number(has_lengths.then_some(found.refreshes)),
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
    let mix = message("In a mix each lifetime goes to the densest device that holds it without refresh.");
    let bases = report.levels.iter().enumerate();
    figure.notes.extend(
        bases.map(|(at, level)| base(&level.name, level.demand.lifetimes.count(), run.opened(at, &settings))),
    );
    figure
        .notes
        .extend(run.levels.iter().enumerate().filter_map(|(at, head)| scope(run, head, at, &settings)));
    figure.notes.push(mix);
    figure
}

/// What the shares of a level are shares of.
pub(super) fn base(level: &str, counted: u64, (orphans, opened): (u64, u64)) -> Message {
    let words = if counted < opened {
        message(
            "{level}: shares are of {n} reused lifetimes; {k} of {m} opened were never reused and are left out.",
        )
    } else {
        message("{level}: shares are of {n} lifetimes; {k} of {m} opened were never reused.")
    };
    let [n, k, m] = [counted, orphans, opened].map(thousands);
    words.with("level", level).with("n", n).with("k", k).with("m", m)
}

/// Of how many units area, refreshes and energy of a level are; nothing where units keep no data for themselves.
fn scope(run: &Run, head: &LevelHead, at: usize, settings: &Settings) -> Option<Message> {
    let (copies, mean_of) = settings.units(run, at);
    let words = match (head.is_private, copies, mean_of) {
        (false, ..) => return None,
        (_, 1, 1) => message("{level}: area, refreshes and energy are of one {unit}."),
        (_, 1, _) => message("{level}: area is of one {unit}; refreshes and energy are the mean of {n}.")
            .with("n", mean_of),
        _ => message("{level}: area, refreshes and energy are of all {n} {unit}s.").with("n", copies),
    };
    Some(words.with("level", &head.name).with("unit", &head.unit))
}

/// Ids and titles of the report's figures, as a report in a file has them.
const REPORTS: [(&str, &str, &str); 4] = [
    ("device-report", phrase("Run"), "facts"),
    ("device-report-write-frequency", "Write Frequency", "table"),
    ("device-report-refreshes", "Refreshes", "table"),
    ("device-report-area", "Area", "table"),
];

/// The reports of the runs with lifetimes, as figures.
pub(super) fn reports(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let all = runs(input).iter().enumerate().filter(|(_, run)| super::has_lengths(run));
    let of_run = |(at, run): (usize, &Run)| {
        REPORTS.map(|(id, title, kind)| ComputedFigure {
            head: FigureHead {
                id: format!("{id}{}", super::suffix(at)),
                section: phrase("Report of memory devices"),
                title: super::title(input, run, title),
                kind,
                columns: 1,
                choices: Vec::new(),
            },
            compute: report,
        })
    };
    all.flat_map(of_run).collect()
}

fn report(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some(run) = of(input, id) else { return nothing() };
    let settings = Settings::of(input.values, run);
    let id = id.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let (devices, _) = devices(input.values);
    let levels = report_of(run, &settings, &devices).levels;
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
            let own = of_devices(&|own| Cell::Number(own.refreshes), |device| &device.name, false);
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
            let name = crate::views::lifetimes::compute::name(input.values, run);
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
    let table = TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() };
    let mut figure = Figure::new("", Body::Table(table));
    if id != "device-report-write-frequency" {
        figure.notes.extend((0..run.levels.len()).filter_map(|at| one_beside_all(run, at, &settings)));
    }
    figure
}

/// The report has the area of one unit even where refreshes are those of all.
fn one_beside_all(run: &Run, at: usize, settings: &Settings) -> Option<Message> {
    let head = run.levels.get(at)?;
    let (copies, _) = settings.units(run, at);
    (1 < copies).then(|| {
        message("{level}: as in the report's file, the area is of one {unit}, refreshes are of all {n}.")
            .with("level", &head.name)
            .with("unit", &head.unit)
            .with("n", copies)
    })
}
