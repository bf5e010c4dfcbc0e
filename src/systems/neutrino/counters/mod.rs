//! Maps whose fields mean something together: counters, samples of progress, and what plugins of the tool measure. What a
//! pass over single records cannot add up is collected here.

mod arrivals;
mod progress;

use super::Record;
use super::maps::sums::MapSums;
use super::result::{Field, ResultFile, Role, Section};
use crate::analysis::contract::{AnalysisInput, ComputedFigure};
use crate::base::map::Map;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Body, Cell, Fact, Facts, Figure, TableFigure, TableOf};
use crate::systems::neutrino::folder::Folder;
use crate::systems::neutrino::kernel::{Kernels, Shape};
use crate::systems::neutrino::maps::figures::{column, figure};
use crate::systems::neutrino::maps::sums::Stat;
use crate::systems::neutrino::maps::{file, head, of_id};
use arrivals::Arrivals;
use progress::Progress;

/// What the fields of a map mean.
pub(super) enum Meaning {
    /// Nothing beyond themselves.
    Unknown,
    /// Amounts that are added up.
    Counters,
    /// Points in time of a thread.
    Progress(Box<Progress>),
    Arrivals(Box<Arrivals>),
    Latencies(Box<Latencies>),
}

impl Meaning {
    /// What the names, widths and roles of the fields tell.
    pub(super) fn of(file: &ResultFile, section: &Section) -> Self {
        let map = &section.map;
        let is_point = |field: &Field| matches!(field.role, Role::Clock | Role::Timer | Role::Address);
        let per_unit = section.records_per_unit();
        match &map.fields[..] {
            [field] if map.name == "throughput" && field.width == 4 && 8 <= per_unit => {
                Self::Arrivals(Box::new(Arrivals::new(per_unit)))
            }
            fields if Latencies::can(fields) => Self::Latencies(Box::new(Latencies::new(fields))),
            [field] if is_point(field) && field.role != Role::Address && 1 < per_unit => {
                Self::Progress(Box::new(Progress::new(file, section, field)))
            }
            fields if total_amounts(fields).next().is_some() && !fields.iter().any(is_point) => {
                Self::Counters
            }
            _ => Self::Unknown,
        }
    }

    /// Takes a record of a unit, which is told by its block and its number there.
    #[inline]
    pub(super) fn add(&mut self, section: &Section, place: (u64, u64), record: &Record) {
        match self {
            Self::Unknown | Self::Counters => {}
            Self::Progress(progress) => progress.add(section, place, record),
            Self::Arrivals(arrivals) => arrivals.add(section, place, record),
            Self::Latencies(latencies) => latencies.add(place, record),
        }
    }

    /// All records were handed over.
    pub(super) fn finish(&mut self) {
        if let Self::Arrivals(arrivals) = self {
            arrivals.finish();
        }
    }
}

/// The figures of a map whose fields mean something together.
pub(super) fn figures(sums: &MapSums) -> Vec<ComputedFigure> {
    match &sums.meaning {
        Meaning::Unknown => Vec::new(),
        Meaning::Counters => total_list(sums),
        Meaning::Progress(_) => progress::list(sums),
        Meaning::Arrivals(_) => arrivals::list(sums),
        Meaning::Latencies(latencies) => latency_list(sums, latencies),
    }
}

// Totals of counters: bytes that were accessed, instructions that were executed; how evenly over the blocks, and how fast.
//
// Bandwidth = bytes ÷ time of the probed kernel. A warp executes a matrix instruction once, but each of its 32 threads
// counts it: operations = Σ ÷ 32, and FLOP = operations × 2·m·n·k of the shape in the instruction's name.

const TOTALS: &str = "neutrino-totals-";
const RATES: &str = "neutrino-rates-";

/// The fields that are amounts, with their numbers.
fn total_amounts(fields: &[Field]) -> impl Iterator<Item = (usize, &Field)> {
    fields.iter().enumerate().filter(|(_, field)| matches!(field.role, Role::Bytes | Role::Count))
}

fn total_list(sums: &MapSums) -> Vec<ComputedFigure> {
    let totals = (TOTALS, phrase("Totals"), "table");
    let rates = (RATES, phrase("Rates"), "facts");
    vec![
        ComputedFigure { head: head(totals, sums, 2, Vec::new()), compute: totals_of },
        ComputedFigure { head: head(rates, sums, 1, Vec::new()), compute: rates_of },
    ]
}

/// Sums of some fields together: of all, and the greatest of a block.
fn together(sums: &MapSums, fields: &[usize]) -> (f64, f64) {
    let sum = |stats: &[Stat]| -> f64 {
        fields.iter().filter_map(|at| stats.get(*at)).map(|stat| stat.sum as f64).sum()
    };
    let of_blocks = sums.blocks.chunks(sums.fields.len().max(1)).map(sum);
    (sum(&sums.fields), of_blocks.fold(0.0, f64::max) / sums.group as f64)
}

fn totals_of(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some((sums, file)) = of_id(input, id, TOTALS).zip(file(input)) else {
        return Figure::new("", Body::Table(TableFigure::default()));
    };
    let fields = &sums.section.map.fields;
    let bytes: Vec<usize> =
        total_amounts(fields).filter(|(_, field)| field.role == Role::Bytes).map(|(at, _)| at).collect();
    let all_bytes = together(sums, &bytes).0;
    let row = |name: &str, of: &[usize]| {
        let (total, largest) = together(sums, of);
        (name.to_owned(), total, largest, of.iter().all(|at| bytes.contains(at)))
    };
    let mut rows: Vec<_> = total_amounts(fields).map(|(at, field)| row(&field.name, &[at])).collect();
    if 1 < bytes.len() {
        rows.push(row(phrase("All bytes"), &bytes));
    }
    let is_bytes = total_amounts(fields).all(|(_, field)| field.role == Role::Bytes);
    let unit = if is_bytes { Unit::Bytes } else { Unit::None };
    let mean = |total: f64| total / file.blocks().max(1) as f64;
    let table = TableOf::new(&rows)
        .column(phrase("Counter"), Unit::None, |(name, ..)| name)
        .bars(phrase("Total"), unit.clone(), |(_, total, ..)| *total)
        .column(phrase("Share"), Unit::Share, |(_, total, _, is_bytes)| {
            (*is_bytes && 0.0 < all_bytes).then(|| total / all_bytes)
        })
        .column(phrase("Mean per block"), unit.clone(), |(_, total, ..)| mean(*total))
        .column(phrase("Largest block"), unit, |(_, _, largest, _)| *largest)
        .column(phrase("Largest ÷ mean"), Unit::Other("×".to_owned()), |(_, total, largest, _)| {
            Some(mean(*total)).filter(|mean| 0.0 < *mean).map(|mean| largest / mean)
        });
    let mut figure = figure(sums, Body::Table(table.table()));
    if 1 < sums.group {
        figure.notes.push(message("Each value covers {n} adjacent blocks.").with("n", sums.group));
    }
    figure
}

fn rates_of(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some(sums) = of_id(input, id, RATES) else {
        return Figure::nothing();
    };
    let folder = input.trace.extensions.get::<Folder>();
    let launch = folder.and_then(Folder::launch);
    let seconds = launch.and_then(|launch| launch.kernel_ms).filter(|ms| 0.0 < *ms).map(|ms| ms / 1e3);
    let mut facts = Vec::new();
    let mut fact = |name: &str, value: Option<f64>, unit: Unit| facts.push(Fact::new(name, value, unit));
    fact(phrase("Probed kernel time"), seconds.map(|s| s * 1e9), Unit::Nanos);
    let of_role =
        |role: Role| total_amounts(&sums.section.map.fields).filter(move |(_, field)| field.role == role);
    let bytes: Vec<usize> = of_role(Role::Bytes).map(|(at, _)| at).collect();
    if !bytes.is_empty() {
        let total = together(sums, &bytes).0;
        fact(phrase("Bandwidth"), seconds.map(|seconds| total / seconds), Unit::BytesPerSec);
    }
    let mut notes = Vec::new();
    let kernel = launch.and_then(|launch| launch.kernel);
    let kernels = input.trace.extensions.get::<Kernels>();
    let shapes: &[Shape] = kernels.zip(kernel).map_or(&[], |(kernels, kernel)| kernels.shapes(kernel));
    let counts: Vec<usize> = of_role(Role::Count).map(|(at, _)| at).collect();
    if let ([at], false) = (&counts[..], shapes.is_empty()) {
        let per_warp = if sums.section.map.is_warp { 1.0 } else { 32.0 };
        let operations = together(sums, &[*at]).0 / per_warp;
        fact(phrase("Matrix instructions"), Some(operations), Unit::None);
        if let [shape] = shapes {
            let flop = operations * shape.flop() as f64;
            fact(phrase("FLOP per instruction"), Some(shape.flop() as f64), Unit::None);
            fact(phrase("FLOP"), Some(flop), Unit::None);
            fact(phrase("Compute"), seconds.map(|s| flop / s / 1e12), Unit::Other("TFLOP/s".to_owned()));
        } else {
            let names: Vec<String> = shapes.iter().map(Shape::to_string).collect();
            let note =
                message("The kernel has matrix instructions of several shapes ({shapes}): FLOP is unknown.");
            notes.push(note.with("shapes", names.join(", ")));
        }
    }
    let mut figure = figure(sums, Body::Facts(Facts { facts }));
    figure.notes.extend(notes);
    if seconds.is_none() {
        figure.notes.push(message("event.log has no time for this kernel."));
    } else {
        figure.notes.push(message("Probes slow the kernel down, so rates without them are higher."));
    }
    figure
}

// Latencies and clock offsets that `FabricPerf`'s maps hold.
//
// | map | fields | who |
// |---|---|---|
// | `sr_latency` | latency ns, `vblock`, `step` | bits 16–30 of `vblock`: source rank + 1; low 16: channel; bit 31: not valid |
// | `ptp_metrics` | offset ns, latency ns | record = (leader · 7 + destination) · 20 + sample |
//
// A latency of 2⁶³ − 1 is not valid either.

/// Values of a pair that are kept, and pairs.
const KEPT: usize = 1 << 14;
const PAIRS: usize = 1 << 12;
/// Samples of a pair of leader and destination, and destinations of a leader.
const SAMPLES: u64 = 20;
const DESTINATIONS: u64 = 7;

const PREFIX: &str = "neutrino-latency-";

/// What is collected.
pub(crate) struct Latencies {
    latency: Field,
    /// Says who sent a message.
    vblock: Option<Field>,
    /// How far two clocks are apart.
    offset: Option<Field>,
    pairs: Map<(u64, u64), Pair>,
    invalid: u64,
    /// Records of pairs beyond those that are kept.
    left_out: u64,
}

/// Values of one pair.
#[derive(Default)]
struct Pair {
    n: u64,
    sum: i128,
    latencies: Vec<i64>,
    min: i64,
    max: i64,
    offsets: i128,
}

fn find(fields: &[Field], name: &str, width: u8) -> Option<Field> {
    fields.iter().find(|field| field.name == name && field.width == width).cloned()
}

impl Latencies {
    /// Whether a map with these fields has latencies.
    fn can(fields: &[Field]) -> bool {
        let other = find(fields, "vblock", 4).or_else(|| find(fields, "offset", 8));
        find(fields, "latency", 8).is_some() && other.is_some()
    }

    fn new(fields: &[Field]) -> Self {
        Self {
            latency: find(fields, "latency", 8).unwrap_or_default(),
            vblock: find(fields, "vblock", 4),
            offset: find(fields, "offset", 8),
            pairs: Map::default(),
            invalid: 0,
            left_out: 0,
        }
    }

    fn add(&mut self, (block, _): (u64, u64), record: &Record) {
        let latency = self.latency.value(record.bytes).cast_signed();
        let (key, is_valid) = match &self.vblock {
            Some(vblock) => {
                let value = vblock.value(record.bytes);
                (((value >> 16) & 0x7fff, value & 0xffff), value >> 31 == 0)
            }
            None => {
                let of_leader = record.index / SAMPLES;
                (((block << 16) | (of_leader / DESTINATIONS), of_leader % DESTINATIONS), true)
            }
        };
        if !is_valid || latency == i64::MAX {
            self.invalid += 1;
            return;
        }
        if PAIRS <= self.pairs.len() && !self.pairs.contains_key(&key) {
            self.left_out += 1;
            return;
        }
        let pair = self.pairs.entry(key).or_default();
        (pair.min, pair.max) =
            if pair.n == 0 { (latency, latency) } else { (pair.min.min(latency), pair.max.max(latency)) };
        pair.n += 1;
        pair.sum += i128::from(latency);
        if pair.latencies.len() < KEPT {
            pair.latencies.push(latency);
        }
        let offset = self.offset.as_ref().map_or(0, |field| field.value(record.bytes).cast_signed());
        pair.offsets += i128::from(offset);
    }
}

fn latency_list(sums: &MapSums, latencies: &Latencies) -> Vec<ComputedFigure> {
    let title = if latencies.vblock.is_some() {
        phrase("Latency by source")
    } else {
        phrase("Latency and clock offset by destination")
    };
    vec![ComputedFigure { head: head((PREFIX, title, "table"), sums, 3, Vec::new()), compute: table_of }]
}

fn table_of(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let found = of_id(input, id, PREFIX).and_then(|sums| match &sums.meaning {
        Meaning::Latencies(latencies) => Some((sums, latencies)),
        _ => None,
    });
    let Some((sums, latencies)) = found else {
        return Figure::new("", Body::Table(TableFigure::default()));
    };
    let mut pairs: Vec<_> = latencies.pairs.iter().collect();
    order::sort_by_key(&mut pairs, |(key, _)| **key);
    let has_source = latencies.vblock.is_some();
    let row = |((first, second), pair): (&(u64, u64), &Pair)| {
        let mut sorted = pair.latencies.clone();
        sorted.sort_unstable();
        let p95 = order::percentile(&sorted, 95);
        let mean = |sum: i128| Cell::number((0 < pair.n).then(|| sum as f64 / pair.n as f64));
        let mut cells = if has_source {
            // Ranks are stored from 1, so that 0 means none.
            vec![first.checked_sub(1).map_or(Cell::Missing, Cell::Integer)]
        } else {
            vec![Cell::Integer(first >> 16), Cell::Integer(first & 0xffff)]
        };
        cells.extend([Cell::Integer(*second), Cell::Integer(pair.n), mean(pair.sum)]);
        cells.extend([Cell::Number(pair.min as f64), Cell::Number(p95), Cell::Number(pair.max as f64)]);
        if !has_source {
            cells.push(mean(pair.offsets));
        }
        cells
    };
    let plain = |name| column(name, Unit::None, false);
    let time = |name, has_bar| column(name, Unit::Nanos, has_bar);
    let mut columns = if has_source {
        vec![plain(phrase("Source rank")), plain(phrase("Channel"))]
    } else {
        vec![plain(phrase("Block")), plain(phrase("Leader")), plain(phrase("Destination"))]
    };
    let key_columns = columns.len();
    columns.extend([
        column(phrase("Records"), Unit::Count(phrase("records").to_owned()), false),
        time(phrase("Mean"), true),
        time(phrase("Minimum"), false),
        time(phrase("p95"), false),
        time(phrase("Maximum"), false),
    ]);
    if !has_source {
        columns.push(time(phrase("Clock offset"), false));
    }
    let rows = pairs.into_iter().map(row).collect();
    let table = TableFigure { columns, rows, key_columns, ..TableFigure::default() };
    let mut figure = figure(sums, Body::Table(table));
    figure.notes.push(message("p95 is interpolated between two latencies, as numpy.percentile does."));
    if 0 < latencies.invalid {
        figure.notes.push(message("{n} records are marked invalid.").with("n", latencies.invalid));
    }
    if 0 < latencies.left_out {
        figure.notes.push(message("{n} records of other pairs are not shown.").with("n", latencies.left_out));
    }
    figure
}
