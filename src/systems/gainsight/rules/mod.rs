//! What limits a choice of memory: rules about data lifetimes, and the first figures of each kind of file of this system.
//!
//! ```text
//! log with accesses, mapped log, traces of buffers, tables of lifetimes ──▶ Measured ──▶ rules, summary
//! log with statistics only, reports of an array, counters, tables of kernels, report of devices ──▶ their own summary
//! ```
//! A lifetime is one sector of a cache, or one word of a buffer, that was written once: at one level all have the same size,
//! so that shares of lifetimes are also shares of bits. Where time counts instead, a sentence says so.

mod choice;
mod counters;
mod measure;
mod refresh;
mod retention;
mod stated;
mod summary;
mod traffic;

pub(super) use measure::measure_runs;

use super::figures::ANALYSIS;
use crate::analysis::finding::{Finding, Number};
use crate::base::number::{percent, thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::export::ExportInput;
use crate::findings::place::Place;
use crate::findings::{Guide, Looked, RuleInput, cut_off};
use crate::model::figure::{
    AxisLabel, Bar, BarRole, Bars, Body, Figure, Histogram, HistogramSeries, Mark, ScaleKind,
};
use crate::views::lifetimes::compute::{Closing, Kernel, Recorded, Run};
use measure::{LevelMeasure, Measured, RunMeasure};
use std::collections::BTreeSet;

/// What is said of lifetimes.
pub(super) static GUIDE: Guide = Guide {
    rules: &[
        &retention::FITS,
        &refresh::REFRESHES,
        &choice::KERNELS,
        &choice::CLOCK,
        &choice::SCOPE,
        &traffic::UNREAD,
        &traffic::ONCE,
        &traffic::RETRIES,
        &super::scalesim::rules::STALLS,
        &super::scalesim::rules::IDLE,
    ],
    summary: summary::summary,
    advises: false,
};

/// Most findings of a rule.
const MOST: usize = 3;

/// The share of lifetimes of a level that a memory holds.
pub(super) struct Fits {
    pub(super) level: String,
    /// The memory; `None` for the densest refreshed one.
    pub(super) device: Option<String>,
    pub(super) share: f64,
}

/// What refreshed memories hold of each level of a document with one run: the densest of all levels first, then the others;
/// nothing without a clock.
pub(super) fn fits(input: &ExportInput) -> Vec<Fits> {
    let Some(measured) = input.result::<Measured>(&ANALYSIS) else { return Vec::new() };
    let levels: Vec<(&LevelMeasure, usize)> =
        measured.timed().filter_map(|(_, level)| Some((level, summary::densest(measured, level)?))).collect();
    let fits = |level: &LevelMeasure, row: usize, device: Option<String>| Fits {
        level: level.name.clone(),
        device,
        share: level.fits(row),
    };
    let first = levels.iter().map(|(level, row)| fits(level, *row, None));
    let others = levels.iter().flat_map(|&(level, densest)| {
        let rows = (0..measured.devices.devices.len()).filter(move |row| *row != densest);
        let refreshed = rows.filter(move |row| retention(measured, level, *row).is_some());
        refreshed.map(move |row| fits(level, row, Some(name_of(measured, row).to_owned())))
    });
    first.chain(others).collect()
}

/// The share of lifetimes without reuse of all that were opened, of each level of a document with one run.
pub(super) fn orphans(input: &ExportInput) -> Vec<(String, f64)> {
    let Some(measured) = input.result::<Measured>(&ANALYSIS) else { return Vec::new() };
    let own = measured.levels().filter(|(_, level)| 0 < level.counts.lifetimes);
    let share = |level: &LevelMeasure| level.counts.orphans as f64 / level.counts.lifetimes as f64;
    own.map(|(_, level)| (level.name.clone(), share(level))).collect()
}

/// The runs of a document.
fn runs<'a>(input: &RuleInput<'a>) -> &'a [Run] {
    input.trace.extensions.get::<Recorded>().map_or(&[], |recorded| &recorded.runs)
}

/// What was measured, or why nothing can be said.
fn measured<'a>(input: &RuleInput<'a>) -> Result<&'a Measured, Looked> {
    let measured = input.result::<Measured>(&ANALYSIS).filter(|measured| !measured.runs.is_empty());
    let measured = measured.ok_or_else(|| absent(input))?;
    let is_cut = |run: &Run| run.kernels.iter().all(|kernel| kernel.is_cut);
    if measured.runs.iter().all(|own| runs(input).get(own.row).is_some_and(is_cut)) {
        return Err(Looked::Missing(message(
            "the file ends within its only kernel: what its data would have done is not known",
        )));
    }
    Ok(measured)
}

/// What is missing where no lifetime is known.
fn absent(input: &RuleInput) -> Looked {
    let runs = runs(input);
    if runs.iter().any(measure::is_told) {
        return Looked::NotHere; // it is being measured for other values
    }
    let is_stated = runs.iter().flat_map(|run| &run.kernels).flat_map(|kernel| &kernel.levels);
    if is_stated.into_iter().any(|level| level.stated.is_some()) {
        return Looked::Missing(message(
            "the table has no single lifetimes: open the files .sim_l1.csv and .sim_l2.csv next to it, or the log",
        ));
    }
    if super::scalesim::has_reports(input.trace) {
        return Looked::Missing(message(
            "the reports have no single accesses: make SCALE-Sim keep its traces with save_disk_space=False",
        ));
    }
    if super::profiler::has_counters(input.trace) {
        return Looked::Missing(message("the counters have no addresses: open a log with accesses"));
    }
    if input.trace.figures.iter().any(|family| family.id.starts_with("device-report")) {
        return Looked::Missing(message(
            "the report has no single lifetimes: open the files .sim_l1.csv and .sim_l2.csv, or the log",
        ));
    }
    if runs.is_empty() {
        return Looked::NotHere;
    }
    Looked::Missing(message(
        "the log has no access lines: keep them with --verbose of accel_sim.py (GainSight)",
    ))
}

/// The same where times count.
fn timed<'a>(input: &RuleInput<'a>) -> Result<&'a Measured, Looked> {
    let measured = measured(input)?;
    if measured.levels().all(|(_, level)| level.demand.lifetimes.is_empty()) {
        return Err(Looked::Nothing(message("0 lifetimes count: no data are reused")));
    }
    if measured.timed().next().is_none() {
        return Err(Looked::Missing(message("clock unknown: set Clock in Lifetimes, or --clock-mhz")));
    }
    Ok(measured)
}

/// Whether what it ran are layers of a network, which other runs call kernels.
fn has_layers(input: &RuleInput, run: &RunMeasure) -> bool {
    runs(input).get(run.row).is_some_and(|run| run.has_layers)
}

/// A place in the view of lifetimes, with this panel.
fn place(run: &RunMeasure, level: Option<&LevelMeasure>, panel: &str) -> Place {
    let mut place = Place::view("lifetimes");
    if 0 < run.row {
        place = place.state("run", &run.row.to_string());
    }
    if panel != "lengths" {
        place = place.state("panel", panel);
    }
    match level.map_or(0, |level| level.row) {
        0 => place,
        row => place.state("level", &row.to_string()),
    }
}

/// The table of all kernels at a level.
fn list(run: &RunMeasure, level: &LevelMeasure) -> String {
    let suffix = if run.row == 0 { String::new() } else { format!("-{}", run.row + 1) };
    Place::view("details").figure(&format!("lifetime-kernels{suffix}"), &[level.row]).address()
}

/// Microseconds of cycles as a person reads them.
fn micros(level: &LevelMeasure, cycles: f64) -> String {
    with_unit(cycles / level.demand.clock_mhz, &Unit::Micros)
}

/// The retention of a device at a level in microseconds.
fn retention(measured: &Measured, level: &LevelMeasure, device: usize) -> Option<f64> {
    measured.devices.devices.get(device)?.retention.micros(level.demand.write_mhz)
}

/// How many names kernels have, and that what ran at once shares a row.
pub(super) fn kernel_names<'a>(kernels: impl Iterator<Item = &'a Kernel> + Clone) -> Message {
    let names: BTreeSet<&str> = kernels.clone().flat_map(Kernel::names).collect();
    let note = message("{n} names").with("n", thousands(names.len() as u64));
    if kernels.into_iter().all(|kernel| kernel.names().len() < 2) {
        return note;
    }
    message("{note}; kernels that ran at once share a row, a launch counts in each row it ran in")
        .with_message("note", note)
}

/// What a device is called.
fn name_of(measured: &Measured, device: usize) -> &str {
    measured.devices.devices.get(device).map_or("", |device| device.name.as_str())
}

/// The same in a sentence: names of the devices that nobody set are translated.
fn called(measured: &Measured, device: usize) -> Message {
    name_of(measured, device).to_owned().into()
}

/// Area of a bit of a device as a share of that of the reference; `None` where there is none.
fn cell_share(measured: &Measured, device: usize) -> Option<f64> {
    let reference = measured.devices.devices.get(measured.reference()?)?.cell_um2;
    let own = measured.devices.devices.get(device)?.cell_um2;
    (0.0 < reference && 0.0 < own).then_some(own / reference)
}

/// Devices that are refreshed and smaller than the reference, the smallest first; of equal ones that which holds longer.
fn denser(measured: &Measured, level: &LevelMeasure) -> Vec<usize> {
    let all = 0..measured.devices.devices.len();
    let own = all.filter_map(|row| Some((row, cell_share(measured, row)?, retention(measured, level, row)?)));
    let mut own: Vec<(usize, f64, f64)> = own.filter(|(_, share, _)| *share < 1.0).collect();
    crate::base::order::sort_by(&mut own, |a, b| a.1.total_cmp(&b.1).then(b.2.total_cmp(&a.2)));
    own.into_iter().map(|(row, ..)| row).collect()
}

/// What an area of a level is of: all of its units, one of them, or the whole level.
fn scope_of(input: &RuleInput, run: &RunMeasure, level: &LevelMeasure) -> Message {
    let head = runs(input).get(run.row).and_then(|run| run.levels.get(level.row));
    let unit = head.map_or("", |head| head.unit.as_str());
    match level.demand.copies {
        _ if !level.is_private => message("of the whole level"),
        0 | 1 => message("of one {unit}").with("unit", unit),
        n => message("of all {n} {unit}s").with("n", thousands(n)).with("unit", unit),
    }
}

/// How much of an area cells fill, a share; nothing where the table of devices says none.
fn filled(efficiency: f64) -> Message {
    if efficiency <= 0.0 {
        return Message::default();
    }
    message(" Cells take {share} of the array area.").with("share", percent(efficiency))
}

/// Square millimeters.
fn area_unit() -> Unit {
    Unit::Other("mm²".to_owned())
}

/// How lifetimes are taken, and what a share of them is a share of: for the evidence.
fn counting(input: &RuleInput, run: &RunMeasure, level: &LevelMeasure) -> Message {
    let resident = runs(input).get(run.row).is_some_and(|run| run.rules.closing == Closing::Resident);
    let ends = if resident {
        message("A lifetime ends when its data are overwritten.")
    } else {
        message("A lifetime ends with the last use of its data.")
    };
    let orphans = if level.orphans == 0 {
        message("Lifetimes without reuse count.")
    } else {
        message("Lifetimes without reuse do not count.")
    };
    message("Each lifetime is {bytes} written once and counts once, whatever its length: shares of lifetimes are shares of written bits. {ends} {orphans}")
        .with("bytes", with_unit(level.access_bytes as f64, &Unit::Bytes))
        .with_message("ends", ends)
        .with_message("orphans", orphans)
}

/// Bars of one part.
pub(super) fn bars(unit: Unit, full: Option<f64>, rows: impl IntoIterator<Item = (String, f64)>) -> Figure {
    let bar = |(name, value): (String, f64)| Bar {
        name,
        values: vec![Some(value)],
        role: BarRole::Work,
        detail: String::new(),
    };
    Figure::new(
        "",
        Body::Bars(Bars { unit, full, bars: rows.into_iter().map(bar).collect(), ..Bars::default() }),
    )
}

/// Bins of a decade of a histogram.
const BINS: i32 = 8;

/// Lengths at a level, with the retention of devices as marks.
fn histogram(measured: &Measured, level: &LevelMeasure) -> Figure {
    let lengths = &level.demand.lifetimes;
    let clock = level.demand.clock_mhz;
    let marks: Vec<Mark> = (0..measured.devices.devices.len())
        .filter_map(|row| {
            let value = retention(measured, level, row)?;
            Some(Mark { name: name_of(measured, row).to_owned(), value })
        })
        .collect();
    let ends = marks.iter().map(|mark| mark.value);
    let bin = |micros: f64| (micros.max(1e-3).log10() * f64::from(BINS)).clamp(-100.0, 100.0);
    #[allow(clippy::cast_possible_truncation)] // it has bounds
    let [first, last] = [
        ends.clone().fold(lengths.min() as f64 / clock, f64::min).min(lengths.max() as f64 / clock),
        ends.fold(lengths.max() as f64 / clock, f64::max),
    ]
    .map(bin)
    .map(|bin| bin.floor() as i32);
    let edges: Vec<f64> =
        (first..=last + 1).map(|bin| 10_f64.powf(f64::from(bin) / f64::from(BINS))).collect();
    let mut before = 0;
    let counts = edges.iter().skip(1).map(|edge| {
        let within = lengths.count_within(edge * clock);
        let n = within - before;
        before = within;
        n as f64
    });
    let series = vec![HistogramSeries { name: String::new(), counts: counts.collect(), values: Vec::new() }];
    let x = AxisLabel { name: phrase("Lifetime").to_owned(), unit: Unit::Micros, scale: ScaleKind::Log };
    let count_unit = Unit::Count(phrase("lifetimes").to_owned());
    let histogram = Histogram { x, count_unit, edges, series, marks, ..Histogram::default() };
    Figure { scope: level.name.clone(), ..Figure::new("", Body::Histogram(histogram)) }
}

/// The first of several, the last of which names the others.
pub(super) fn cut(found: Vec<Finding>) -> Vec<Finding> {
    cut_off(found, MOST)
}

/// A number that is a time of a level.
fn time_number(name: &'static str, level: &LevelMeasure, cycles: f64) -> Number {
    Number::new(name, cycles / level.demand.clock_mhz, Unit::Micros)
}
