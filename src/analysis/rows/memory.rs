//! Rows of memory by operator: how often and how much each allocates and gives back, by itself and with those inside of it.

use super::{Bar, Column, Goal, Key, Kind, Paint, RowSource, Value, key_of};
use crate::analysis::device::{Device, MemoryUse};
use crate::base::number::{thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Language, fill, phrase, tr};
use crate::model::Trace;

/// Operators with what they do to one memory, or to each.
pub struct MemoryRows<'a> {
    trace: &'a Trace,
    of: &'a Device,
    device: Option<u32>,
    /// What stands for the name of an operator outside of all.
    outside: &'a str,
    most: i64,
    unit: (&'static str, f64),
}

impl<'a> MemoryRows<'a> {
    /// Those of a device; of all without.
    pub fn new(trace: &'a Trace, of: &'a Device, device: Option<u32>, outside: &'a str) -> Self {
        let meant = of.memory.iter().filter(|row| device.is_none_or(|device| device == row.device));
        let most = meant.map(|row| row.total.allocated).max().unwrap_or(0);
        let unit = match most {
            0..0x2800 => ("B", 1.0),
            0x2800..0xA0_0000 => ("KiB", 1024.0),
            _ => ("MiB", 1_048_576.0),
        };
        Self { trace, of, device, outside, most, unit }
    }

    fn row(&self, row: u32) -> &MemoryUse {
        &self.of.memory[row as usize]
    }
}

impl RowSource for MemoryRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let unit = Unit::Other(self.unit.0.to_owned());
        let bytes = |name: &str, width| Column::new(name, Kind::Number, width).unit(unit.clone());
        let device = Column::new(phrase("Device"), Kind::Text, 80.0);
        vec![
            Column::new(phrase("Operator"), Kind::Text, 0.0),
            Column { is_hidden: self.device.is_some() || self.of.peaks.len() < 2, ..device },
            Column::new(phrase("Allocations"), Kind::Count, 96.0),
            bytes(phrase("Allocated"), 200.0),
            bytes(phrase("Freed"), 96.0),
            bytes(phrase("Net"), 96.0),
            Column::new(phrase("Self allocations"), Kind::Count, 120.0),
            bytes(phrase("Self allocated"), 120.0),
            bytes(phrase("Self freed"), 110.0),
            bytes(phrase("Self net"), 110.0),
        ]
    }

    fn n_rows(&self) -> usize {
        self.of.memory.len()
    }

    fn has(&self, row: u32) -> bool {
        self.device.is_none_or(|device| device == self.row(row).device)
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let row = self.row(row);
        let bytes = |bytes: i64| Value::Number(bytes as f64 / self.unit.1);
        match column {
            0 if row.longest.is_none() => Value::text(self.outside),
            0 => Value::text(self.trace.strings.get(row.name)),
            1 => Value::text(self.of.peaks.get(row.device as usize).map_or("", |peak| &peak.name)),
            2 => Value::Whole(row.total.n.cast_signed()),
            3 => bytes(row.total.allocated),
            4 => bytes(row.total.freed),
            5 => bytes(row.total.net()),
            6 => Value::Whole(row.own.n.cast_signed()),
            7 => bytes(row.own.allocated),
            8 => bytes(row.own.freed),
            9 => bytes(row.own.net()),
            _ => Value::Missing,
        }
    }

    fn key(&self, row: u32, column: usize) -> Key<'_> {
        key_of(self.cell(row, column))
    }

    fn order(&self) -> Option<(usize, bool)> {
        Some((7, true))
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let row = self.row(row);
        let name = || self.trace.strings.get(row.name).to_owned();
        [row.longest.map(|_| Goal::Name(name())), row.longest.map(Goal::Slice)]
    }

    fn paint(&self, row: u32) -> Option<(usize, Paint)> {
        let row = self.row(row);
        Some((0, Paint::Name(row.longest?.track, row.name)))
    }

    fn bar(&self, row: u32) -> Option<(usize, Bar)> {
        let row = self.row(row);
        let share = |bytes: i64| bytes as f64 / self.most.max(1) as f64;
        Some((3, Bar { inner: share(row.own.allocated), whole: share(row.total.allocated) }))
    }

    fn words(&self, rows: &[u32], language: Language) -> Vec<String> {
        let n = fill(tr(language, phrase("{n} operators")), &[("n", &thousands(rows.len() as i128))]);
        let peaks = self.of.peaks.iter().enumerate();
        let meant = peaks.filter(|(at, _)| self.device.is_none_or(|device| device as usize == *at));
        let meant: Vec<_> = meant.map(|(_, peak)| peak).collect();
        let size = |bytes: i64| with_unit(bytes as f64, &Unit::Bytes);
        let told = meant.iter().map(|peak| match meant.len() {
            1 => size(peak.bytes),
            _ => format!("{} {}", peak.name, size(peak.bytes)),
        });
        vec![n, told.collect::<Vec<_>>().join(", ")]
    }
}
