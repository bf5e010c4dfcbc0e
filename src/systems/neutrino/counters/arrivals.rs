//! Arrivals that `FabricPerf`'s map `throughput` holds: four slices of a unit, each with its length in ns, the number of
//! arrivals, and the ns from one arrival to the next, as many as have room.
//!
//! Average = arrivals · 10⁹ ÷ length; peak = the fullest 8 µs; lost = arrivals beyond the room of the slice.

use super::Meaning;
use crate::analysis::contract::{AnalysisInput, ComputedFigure};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{AxisLabel, Body, Figure, Line, LineChart, TableFigure, TableOf};
use crate::systems::neutrino::Record;
use crate::systems::neutrino::maps::figures::figure;
use crate::systems::neutrino::maps::sums::MapSums;
use crate::systems::neutrino::maps::{head, of_id};
use crate::systems::neutrino::result::Section;

/// Slices of a unit.
const SLICES: u64 = 4;
/// Nanoseconds of a bin.
const BIN: u64 = 8_000;
/// Bins and slices that are kept.
const BINS: usize = 1 << 16;
const KEPT: usize = 1 << 14;

const TABLE: &str = "neutrino-arrivals-";
const CURVE: &str = "neutrino-arrival-rate-";

/// What is collected.
pub(crate) struct Arrivals {
    /// Cells of a slice.
    cells: u64,
    open: Option<Slice>,
    slices: Vec<Slice>,
    /// How many slices there are, those that are not kept too.
    n: u64,
    /// Arrivals of all slices by bin of the time since the first of their slice.
    bins: Vec<u64>,
}

/// One slice.
#[derive(Clone, Copy)]
struct Slice {
    unit: u64,
    place: (u64, u64),
    number: u64,
    length: u64,
    arrivals: u64,
    /// Arrivals whose time is known, and the time of the last.
    known: u64,
    time: u64,
    /// The bin of the last, how many arrivals it has, and the most of any.
    bin: (u64, u64),
    fullest: u64,
}

impl Arrivals {
    pub(super) fn new(per_unit: u64) -> Self {
        Self { cells: per_unit / SLICES, open: None, slices: Vec::new(), n: 0, bins: Vec::new() }
    }

    pub(super) fn add(&mut self, section: &Section, place: (u64, u64), record: &Record) {
        let Some(value) = section.map.fields.first().map(|field| field.value(record.bytes)) else { return };
        let (number, cell) = (record.index / self.cells, record.index % self.cells);
        let same = |slice: &Slice| (slice.unit, slice.number) == (record.unit, number);
        if SLICES <= number {
            return; // what is left of a room that is no multiple of 4
        }
        if !self.open.as_ref().is_some_and(same) {
            self.finish();
            let unit = record.unit;
            let (length, arrivals, known, time) = (0, 0, 0, 0);
            let slice = Slice { unit, place, number, length, arrivals, known, time, bin: (0, 0), fullest: 0 };
            self.open = Some(slice);
        }
        let Some(slice) = &mut self.open else { return };
        match cell {
            0 => slice.length = value,
            1 => slice.arrivals = value,
            _ => {
                // Cells of 0 ns were passed over: those packets came with the one before.
                let at_once = (cell - 2).saturating_sub(slice.known);
                slice.arrive(at_once, 0, &mut self.bins);
                slice.arrive(1, value, &mut self.bins);
            }
        }
    }

    /// Ends the slice that is open.
    pub(super) fn finish(&mut self) {
        let Some(mut slice) = self.open.take() else { return };
        let stored = slice.arrivals.min(self.cells.saturating_sub(2));
        slice.arrive(stored.saturating_sub(slice.known), 0, &mut self.bins);
        self.n += 1;
        if self.slices.len() < KEPT {
            self.slices.push(slice);
        }
    }

    fn lost(&self, slice: &Slice) -> u64 {
        slice.arrivals.saturating_sub(self.cells.saturating_sub(2))
    }
}

impl Slice {
    /// Counts packets that come this time after the one before.
    fn arrive(&mut self, n: u64, after: u64, bins: &mut Vec<u64>) {
        if n == 0 {
            return;
        }
        self.known += n;
        self.time += after;
        let bin = self.time / BIN;
        self.bin = if bin == self.bin.0 { (bin, self.bin.1 + n) } else { (bin, n) };
        self.fullest = self.fullest.max(self.bin.1);
        let at = usize::try_from(bin).unwrap_or(usize::MAX);
        if at < BINS {
            if bins.len() <= at {
                bins.resize(at + 1, 0);
            }
            if let Some(count) = bins.get_mut(at) {
                *count += n;
            }
        }
    }
}

pub(super) fn list(sums: &MapSums) -> Vec<ComputedFigure> {
    let table = (TABLE, phrase("Arrivals per slice"), "table");
    let curve = (CURVE, phrase("Arrivals over time"), "lines");
    vec![
        ComputedFigure { head: head(curve, sums, 1, Vec::new()), compute: curve_of },
        ComputedFigure { head: head(table, sums, 2, Vec::new()), compute: table_of },
    ]
}

fn of<'a>(input: &AnalysisInput<'a>, id: &str, prefix: &str) -> Option<(&'a MapSums, &'a Arrivals)> {
    let sums = of_id(input, id, prefix)?;
    match &sums.meaning {
        Meaning::Arrivals(arrivals) => Some((sums, arrivals)),
        _ => None,
    }
}

fn per_second() -> Unit {
    Unit::Other(phrase("per second").to_owned())
}

fn table_of(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some((sums, arrivals)) = of(input, id, TABLE) else {
        return Figure::new("", Body::Table(TableFigure::default()));
    };
    let rate =
        |slice: &Slice| (0 < slice.length).then(|| slice.arrivals as f64 / (slice.length as f64 / 1e9));
    let table = TableOf::new(&arrivals.slices)
        .keys(3)
        .more(usize::try_from(arrivals.n).unwrap_or(usize::MAX) - arrivals.slices.len())
        .column(phrase("Block"), Unit::None, |slice| slice.place.0)
        .column(phrase("Warp"), Unit::None, |slice| slice.place.1)
        .column(phrase("Slice"), Unit::None, |slice| slice.number)
        .column(phrase("Duration"), Unit::Nanos, |slice| slice.length)
        .bars(phrase("Arrivals"), Unit::None, |slice| slice.arrivals)
        .column(phrase("Not stored"), Unit::None, |slice| arrivals.lost(slice))
        .column(phrase("Average"), per_second(), rate)
        .column(phrase("Peak over 8 µs"), per_second(), |slice| slice.fullest as f64 * 1e9 / BIN as f64)
        .table();
    figure(sums, Body::Table(table))
}

fn curve_of(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some((sums, arrivals)) = of(input, id, CURVE) else {
        return Figure::new("", Body::Lines(LineChart::default()));
    };
    let label = |name: &str, unit| AxisLabel { name: name.to_owned(), unit, ..AxisLabel::default() };
    let line = Line {
        name: sums.section.map.name.clone(),
        x: (0..arrivals.bins.len() as u64).map(|bin| (bin * BIN) as f64).collect(),
        y: arrivals.bins.iter().map(|n| Some(*n as f64 * 1e9 / BIN as f64)).collect(),
        is_stepped: true,
    };
    let chart = LineChart {
        x: label(phrase("Time since slice start"), Unit::Nanos),
        y: label(phrase("Arrivals"), per_second()),
        lines: vec![line],
        marks: Vec::new(),
    };
    let mut figure = figure(sums, Body::Lines(chart));
    let lost: u64 = arrivals.slices.iter().map(|slice| arrivals.lost(slice)).sum();
    if 0 < lost {
        let note = message("{n} arrivals have no time: their slices were full.");
        figure.notes.push(note.with("n", lost));
    }
    figure
}
