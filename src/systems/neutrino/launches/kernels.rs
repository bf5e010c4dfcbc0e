//! Kernels: what probes cost, and which were probed at all.

use super::{column, text, whole};
use crate::base::map::Map;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::{Body, Cell, Figure, TableColumn, TableFigure};
use crate::systems::neutrino::folder::{Assembled, Folder, Kernel, Launch, Outcome, Status};

/// Launches by the name of their kernel, in the order of the first.
fn by_name(folder: &Folder) -> Vec<(&str, Vec<&Launch>)> {
    let mut rows: Vec<(&str, Vec<&Launch>)> = Vec::new();
    let mut known: Map<&str, usize> = Map::default();
    for launch in &folder.launches {
        let at = *known.entry(&launch.name).or_insert(rows.len());
        match rows.get_mut(at) {
            Some((_, launches)) => launches.push(launch),
            None => rows.push((&launch.name, vec![launch])),
        }
    }
    rows
}

/// The middle value, or the mean of the two in the middle; `None` for none.
fn median(mut values: Vec<f64>) -> Option<f64> {
    order::sort_floats(&mut values);
    (!values.is_empty()).then(|| order::median(&values))
}

/// Σ of one over Σ of the other, over launches that have both.
fn of_sums(launches: &[&Launch], part: fn(&Launch) -> Option<(f64, f64)>) -> Option<f64> {
    let sums =
        launches.iter().filter_map(|launch| part(launch)).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    (0.0 < sums.1).then(|| sums.0 / sums.1)
}

/// What probes cost for each kernel. The first launch of a function stands apart: its kernel is compiled before it.
pub(super) fn cost(folder: &Folder) -> Figure {
    let has_impact = folder.launches.iter().any(|launch| launch.impact.is_some());
    let mut columns = vec![
        column(phrase("Kernel"), Unit::None),
        column(phrase("Launches"), Unit::None),
        column(phrase("Host overhead, first launch"), Unit::Millis),
        column(phrase("Host overhead, later launches, median"), Unit::Millis),
        column(phrase("Kernel time per launch, median"), Unit::Millis),
        column(phrase("Largest maps"), Unit::Bytes),
        column(phrase("Extra registers"), Unit::None),
    ];
    if has_impact {
        columns.push(column(phrase("Kernel slowdown, median"), Unit::None));
        columns.push(column(phrase("Kernel slowdown, overall"), Unit::None));
    }
    let row = |(name, launches): (&str, Vec<&Launch>)| {
        let overhead = |is_first: bool| {
            let own = launches.iter().filter(|launch| launch.is_first == is_first);
            median(own.filter_map(|launch| launch.host_overhead()).collect())
        };
        let impacts: Vec<f64> = launches.iter().filter_map(|launch| launch.impact).collect();
        let kernel = launches.iter().find_map(|launch| folder.kernels.get(launch.kernel?));
        let times: Vec<f64> = launches.iter().filter_map(|launch| launch.kernel_ms).collect();
        let mut row = vec![
            text(name),
            Cell::Integer(launches.len() as u64),
            Cell::number(overhead(true)),
            Cell::number(overhead(false)),
            Cell::number(median(times)),
            whole(launches.iter().filter_map(|launch| launch.probe_bytes).max()),
            Cell::number(kernel.and_then(extra_registers)),
        ];
        if has_impact {
            row.push(Cell::number(median(impacts)));
            row.push(Cell::number(of_sums(&launches, |launch| Some((launch.kernel_ms?, launch.original?)))));
        }
        row
    };
    let rows = by_name(folder).into_iter().map(row).collect();
    let table = TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() };
    let mut figure = Figure::new("", Body::Table(table));
    figure.notes.extend(super::table::notes(folder));
    if has_impact {
        figure.notes.push(phrase("Overall: sums over all launches, divided.").into());
    }
    figure
}

fn registers(kernel: &Kernel, form: &str) -> Option<u32> {
    let is_meant = |assembled: &&Assembled| assembled.form == form;
    kernel.assembled.iter().find(is_meant)?.registers
}

/// Registers of a thread that the probes add.
fn extra_registers(kernel: &Kernel) -> Option<f64> {
    Some(f64::from(registers(kernel, "probed")?) - f64::from(registers(kernel, "pruned")?))
}

/// What became of each kernel, with the reason.
pub(super) fn coverage(folder: &Folder) -> Figure {
    let columns = vec![
        column(phrase("Kernel"), Unit::None),
        column("#", Unit::None),
        TableColumn { is_phrase: true, ..column(phrase("Outcome"), Unit::None) },
        column(phrase("Launches"), Unit::None),
        column(phrase("Probed launches"), Unit::None),
        column(phrase("Registers"), Unit::None),
        column(phrase("Registers with probes"), Unit::None),
        column(phrase("Reason"), Unit::None),
        column(phrase("Traceback"), Unit::None),
    ];
    let row = |(at, kernel): (usize, &Kernel)| {
        let launches = || folder.launches.iter().filter(|launch| launch.kernel == Some(at));
        let probed = launches().filter(|launch| launch.status == Status::Probed);
        let number = |form| registers(kernel, form).map(u64::from);
        vec![
            text(&kernel.name),
            text(kernel.folder.split('_').next().unwrap_or("")),
            text(kernel.outcome.name()),
            Cell::Integer(launches().count() as u64),
            Cell::Integer(probed.count() as u64),
            whole(number("pruned")),
            whole(number("probed")),
            text(kernel.traceback.lines().last().unwrap_or("")),
            text(&kernel.traceback),
        ]
    };
    let rows = folder.kernels.iter().enumerate().map(row).collect();
    let table = TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() };
    let mut figure = Figure::new("", Body::Table(table));
    let n = folder.kernels.iter().filter(|kernel| kernel.outcome == Outcome::Probed).count();
    let note = crate::base::words::message("{n} of {m} kernels were probed.").with("n", n);
    figure.notes.push(note.with("m", folder.kernels.len()));
    figure
}
