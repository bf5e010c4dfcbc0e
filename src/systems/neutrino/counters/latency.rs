//! Latencies and clock offsets that `FabricPerf`'s maps hold.
//!
//! | map | fields | who |
//! |---|---|---|
//! | `sr_latency` | latency ns, `vblock`, `step` | bits 16–30 of `vblock`: source rank + 1; low 16: channel; bit 31: not valid |
//! | `ptp_metrics` | offset ns, latency ns | record = (leader · 7 + destination) · 20 + sample |
//!
//! A latency of 2⁶³ − 1 is not valid either.

use super::Meaning;
use crate::analysis::contract::{AnalysisInput, ComputedFigure};
use crate::base::map::Map;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{Body, Cell, Figure, TableFigure};
use crate::systems::neutrino::maps::figures::{column, figure};
use crate::systems::neutrino::maps::sums::MapSums;
use crate::systems::neutrino::maps::{head, of_id};
use crate::systems::neutrino::records::Record;
use crate::systems::neutrino::result::Field;

/// Values of a pair that are kept, and pairs.
const KEPT: usize = 1 << 14;
const PAIRS: usize = 1 << 12;
/// Samples of a pair of leader and destination, and destinations of a leader.
const SAMPLES: u64 = 20;
const DESTINATIONS: u64 = 7;

const PREFIX: &str = "neutrino-latency-";

/// What is collected.
pub(in crate::systems::neutrino) struct Latencies {
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
    pub(super) fn can(fields: &[Field]) -> bool {
        let other = find(fields, "vblock", 4).or_else(|| find(fields, "offset", 8));
        find(fields, "latency", 8).is_some() && other.is_some()
    }

    pub(super) fn new(fields: &[Field]) -> Self {
        Self {
            latency: find(fields, "latency", 8).unwrap_or_default(),
            vblock: find(fields, "vblock", 4),
            offset: find(fields, "offset", 8),
            pairs: Map::default(),
            invalid: 0,
            left_out: 0,
        }
    }

    pub(super) fn add(&mut self, (block, _): (u64, u64), record: &Record) {
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

pub(super) fn list(sums: &MapSums, latencies: &Latencies) -> Vec<ComputedFigure> {
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
