//! How many lifetimes of each length, in the bins of the view, with the retention of devices as marks.

use super::{nothing, of};
use crate::analysis::contract::AnalysisInput;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::{AxisLabel, Body, Figure, Histogram, HistogramSeries, Mark, ScaleKind};
use crate::views::lifetimes::compute::{Demand, Distribution, Settings, devices, rows};

/// Bins of a decade; the first begins with 1 ns, or with 1 cycle where no clock is known.
const BINS: u32 = 16;
/// Decades, at least and at most: the same for all runs, so that bins of two are the same.
const DECADES: [u32; 2] = [7, 15];

pub(super) fn figure(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let Some(run) = of(input, id) else { return nothing() };
    let at = chosen.first().copied().unwrap_or(0);
    let settings = Settings::of(input.values, run);
    let lengths = run.lifetimes(at, &settings);
    let has_clock = 0.0 < settings.clock_mhz;
    let (unit, cycles, first) =
        if has_clock { (Unit::Micros, settings.clock_mhz, 1e-3) } else { (Unit::Cycles, 1.0, 1.0) };
    let longest = (lengths.max() as f64 / cycles / first).max(1.0).log10().ceil();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
    let decades = (longest as u32).clamp(DECADES[0], DECADES[1]);
    let edges: Vec<f64> =
        (0..=decades * BINS).map(|bin| first * 10_f64.powf(f64::from(bin) / f64::from(BINS))).collect();
    let marks = if has_clock { retentions(input, &settings, run, at) } else { Vec::new() };
    let histogram = Histogram {
        x: AxisLabel { name: phrase("Lifetime").to_owned(), unit, scale: ScaleKind::Log },
        count_unit: Unit::Count(phrase("lifetimes").to_owned()),
        series: vec![HistogramSeries {
            name: String::new(),
            counts: counts(&lengths, &edges, cycles),
            values: Vec::new(),
        }],
        edges,
        marks,
        can_move_marks: true,
        is_cumulative: false,
    };
    let level = run.levels.get(at).map_or(String::new(), |level| level.name.clone());
    let base = super::device_base(&level, lengths.count(), run.opened(at, &settings));
    Figure { scope: level, notes: vec![base], ..Figure::new("", Body::Histogram(histogram)) }
}

/// How many are in each bin: longer than its begin, at most as long as its end. The first has all that are shorter too.
fn counts(lengths: &Distribution, edges: &[f64], cycles: f64) -> Vec<f64> {
    let mut before = 0;
    let bin = |edge: &f64| {
        let within = lengths.count_within(edge * cycles);
        let n = within - before;
        before = within;
        n as f64
    };
    edges.iter().skip(1).map(bin).collect()
}

/// The retention of devices at the highest rate of stores.
fn retentions(
    input: &AnalysisInput,
    settings: &Settings,
    run: &crate::views::lifetimes::compute::Run,
    at: usize,
) -> Vec<Mark> {
    let write_mhz = Demand::highest(rows(run, settings).iter().filter_map(|row| row.levels.get(at)));
    let (devices, _) = devices(input.values);
    let mark = |device: &crate::views::lifetimes::compute::Device| {
        Some(Mark { name: device.name.clone(), value: device.retention.micros(write_mhz)? })
    };
    devices.devices.iter().filter_map(mark).collect()
}
