//! Samples of progress: each thread stores the clock whenever it passes a probe. Lines of warps, time between samples, and
//! how many samples all threads pass in a time.

use crate::analysis::contract::{AnalysisInput, ComputedFigure};
use crate::base::number::thousands;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Axis, AxisLabel, Body, Figure, Fold, HeatMap, Line, LineChart, Shading};
use crate::systems::neutrino::Record;
use crate::systems::neutrino::counters::Meaning;
use crate::systems::neutrino::maps::figures::figure;
use crate::systems::neutrino::maps::sums::MapSums;
use crate::systems::neutrino::maps::{Spread, head, index, of_id};
use crate::systems::neutrino::result::{Field, ResultFile, Section};

/// Lines that are drawn at most.
const LINES: u64 = 48;
/// Points of a line at most.
const POINTS: usize = 4096;
/// Rows of the picture of times between samples, and columns.
const ROWS: usize = 128;
const COLUMNS: usize = 96;
/// Threads of a warp.
const WARP: u64 = 32;

const FAN: &str = "neutrino-progress-";
const DELTAS: &str = "neutrino-intervals-";
const RATE: &str = "neutrino-samples-";

/// What is collected.
pub(crate) struct Progress {
    field: Field,
    unit: u64,
    first: u64,
    last: u64,
    /// Samples that are earlier than the one before: a thread before wrote more than has room.
    n_back: u64,
    /// Threads of which one, the leader, has a line; leaders of a block; every how many leaders one has a line.
    per_leader: u64,
    leaders: u64,
    step: u64,
    /// Lines: block, number of the warp, times of samples after the first.
    lines: Vec<(u64, u64, Vec<u64>)>,
    /// How many samples share a row, and times since the sample before by row.
    fold: u64,
    deltas: Vec<Spread>,
    all_deltas: Spread,
    since_first: Spread,
}

impl Progress {
    pub(super) fn new(file: &ResultFile, section: &Section, field: &Field) -> Self {
        let per_leader = if section.map.is_warp { 1 } else { WARP };
        let leaders = section.units_per_block.div_ceil(per_leader).max(1);
        Self {
            field: field.clone(),
            unit: u64::MAX,
            first: 0,
            last: 0,
            n_back: 0,
            per_leader,
            leaders,
            step: file.blocks().saturating_mul(leaders).div_ceil(LINES).max(1),
            lines: Vec::new(),
            fold: section.records_per_unit().div_ceil(ROWS as u64).max(1),
            deltas: Vec::new(),
            all_deltas: Spread::default(),
            since_first: Spread::default(),
        }
    }

    pub(super) fn add(&mut self, _: &Section, (block, in_block): (u64, u64), record: &Record) {
        let now = self.field.value(record.bytes);
        let is_first = self.unit != record.unit;
        let warp = in_block / self.per_leader;
        let is_line = in_block.is_multiple_of(self.per_leader)
            && (block * self.leaders + warp).is_multiple_of(self.step);
        if is_first {
            (self.unit, self.first, self.last) = (record.unit, now, now);
            if is_line {
                self.lines.push((block, warp, Vec::new()));
            }
        }
        if now < self.last {
            self.n_back += 1;
            return;
        }
        if !is_first {
            let row = index(record.index / self.fold).min(ROWS);
            if self.deltas.len() <= row {
                self.deltas.resize_with(row + 1, Spread::default);
            }
            if let Some(spread) = self.deltas.get_mut(row) {
                spread.add(now - self.last);
            }
            self.all_deltas.add(now - self.last);
        }
        self.last = now;
        self.since_first.add(now - self.first);
        if let Some((_, _, line)) = self.lines.last_mut().filter(|line| is_line && line.2.len() < POINTS) {
            line.push(now - self.first);
        }
    }
}

pub(super) fn list(sums: &MapSums) -> Vec<ComputedFigure> {
    let fan = (FAN, phrase("Warp progress"), "lines");
    let deltas = (DELTAS, phrase("Time between samples"), "heat-map");
    let rate = (RATE, phrase("Samples over time"), "lines");
    vec![
        ComputedFigure { head: head(fan, sums, 2, Vec::new()), compute: fan_of },
        ComputedFigure { head: head(rate, sums, 1, Vec::new()), compute: rate_of },
        ComputedFigure { head: head(deltas, sums, 3, Vec::new()), compute: deltas_of },
    ]
}

fn of<'a>(input: &AnalysisInput<'a>, id: &str, prefix: &str) -> Option<(&'a MapSums, &'a Progress)> {
    let sums = of_id(input, id, prefix)?;
    match &sums.meaning {
        Meaning::Progress(progress) => Some((sums, progress)),
        _ => None,
    }
}

/// The unit of times between samples of a field.
fn unit(field: &Field) -> Unit {
    field.unit()
}

/// A figure, with what damages the samples.
fn with_notes(sums: &MapSums, progress: &Progress, body: Body) -> Figure {
    let mut figure = figure(sums, body);
    if 0 < progress.n_back {
        let note = message(
            "Left out: {n} samples earlier than the previous one. A thread stored more than the map holds.",
        );
        figure.notes.push(note.with("n", thousands(progress.n_back)));
    }
    figure
}

fn label(name: &str, unit: Unit) -> AxisLabel {
    AxisLabel { name: name.to_owned(), unit, ..AxisLabel::default() }
}

fn fan_of(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some((sums, progress)) = of(input, id, FAN) else {
        return Figure::new("", Body::Lines(LineChart::default()));
    };
    let line = |(block, warp, times): &(u64, u64, Vec<u64>)| Line {
        name: format!("{block}:{warp}"),
        x: times.iter().map(|time| *time as f64).collect(),
        y: (0..times.len()).map(|at| Some(at as f64)).collect(),
        is_stepped: false,
    };
    let chart = LineChart {
        x: label(phrase("Time since first sample"), unit(&progress.field)),
        y: label(phrase("Sample"), Unit::None),
        lines: progress.lines.iter().map(line).collect(),
        marks: Vec::new(),
    };
    let mut figure = with_notes(sums, progress, Body::Lines(chart));
    let all = sums.units.div_ceil(progress.per_leader);
    if (progress.lines.len() as u64) < all {
        let note = message("{n} of {m} warps are shown, evenly sampled; names are block:warp.");
        figure.notes.push(note.with("n", progress.lines.len()).with("m", thousands(all)));
    }
    figure
}

fn deltas_of(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some((sums, progress)) = of(input, id, DELTAS) else {
        return Figure::new("", Body::HeatMap(HeatMap::default()));
    };
    let (edges, _) = progress.all_deltas.bins(COLUMNS);
    let width = edges.len().saturating_sub(1);
    let height = progress.deltas.len();
    let mut values = vec![0.0; width * height];
    for (row, spread) in progress.deltas.iter().enumerate() {
        let (from, counts) = spread.bins(usize::MAX);
        for (start, count) in from.iter().zip(counts) {
            let column = edges.partition_point(|edge| edge <= start).saturating_sub(1);
            if let Some(cell) = values.get_mut(row * width + column.min(width.saturating_sub(1))) {
                *cell += count as f32;
            }
        }
    }
    let end = |at: Option<&u64>| at.map_or(0.0, |edge| *edge as f64);
    let map = HeatMap {
        x: Axis {
            label: label(phrase("Time since previous sample"), unit(&progress.field)),
            from: end(edges.first()),
            to: end(edges.last()),
            names: Vec::new(),
        },
        y: Axis {
            label: label(phrase("Sample"), Unit::None),
            from: 0.0,
            to: (height as u64 * progress.fold) as f64,
            names: Vec::new(),
        },
        is_upward: true,
        unit: Unit::Count(phrase("threads").to_owned()),
        width: u32::try_from(width).unwrap_or(0),
        height: u32::try_from(height).unwrap_or(0),
        values,
        shading: Shading::Log,
        fold: Fold::Sum,
        ..HeatMap::default()
    };
    with_notes(sums, progress, Body::HeatMap(map))
}

fn rate_of(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some((sums, progress)) = of(input, id, RATE) else {
        return Figure::new("", Body::Lines(LineChart::default()));
    };
    let (edges, counts) = progress.since_first.bins(COLUMNS);
    let rate = edges.windows(2).zip(&counts).map(|(ends, count)| match ends {
        [from, to] => Some(*count as f64 * 1e3 / (to - from).max(1) as f64),
        _ => None,
    });
    let name = if unit(&progress.field) == Unit::Nanos {
        phrase("Samples per µs")
    } else {
        phrase("Samples per 1,000 cycles")
    };
    let line = Line {
        name: sums.section.map.name.clone(),
        x: edges.iter().take(counts.len()).map(|edge| *edge as f64).collect(),
        y: rate.collect(),
        is_stepped: true,
    };
    let chart = LineChart {
        x: label(phrase("Time since first sample"), unit(&progress.field)),
        y: label(name, Unit::None),
        lines: vec![line],
        marks: Vec::new(),
    };
    with_notes(sums, progress, Body::Lines(chart))
}
