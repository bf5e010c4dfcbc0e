//! Rows of host and device: slices of streams with their launches, operators with what they launched.

use super::{Bar, Column, Goal, Key, Kind, Paint, RowSource, Value, key_of};
use crate::analysis::device::class::TITLES;
use crate::analysis::device::{Device, Operator, Work};
use crate::base::number::thousands;
use crate::base::unit::Unit;
use crate::base::words::{Language, fill, phrase, tr};
use crate::model::Trace;

/// Units of times by their greatest: ticks in each.
pub(super) fn unit(trace: &Trace, most: f64) -> (Unit, f64) {
    match trace.clock.nanos() {
        None => (Unit::Other(trace.clock.symbol().to_owned()), 1.0),
        Some(tick) if most * tick < 1e6 => (Unit::Micros, 1e3 / tick),
        Some(tick) => (Unit::Millis, 1e6 / tick),
    }
}

/// Slices of streams.
pub struct KernelRows<'a> {
    trace: &'a Trace,
    of: &'a Device,
    streams: Vec<String>,
    zero: i64,
    unit: (Unit, f64),
}

impl<'a> KernelRows<'a> {
    /// All of them, with times since `zero`.
    pub fn new(trace: &'a Trace, of: &'a Device, zero: i64) -> Self {
        let streams = (0..of.streams.len() as u32).map(|at| of.stream_name(trace, at)).collect();
        // Single slices are told in µs.
        let unit = unit(trace, 0.0);
        Self { trace, of, streams, zero, unit }
    }

    fn row(&self, row: u32) -> &Work {
        &self.of.works[row as usize]
    }
}

impl RowSource for KernelRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let time = |name: &str| Column::new(name, Kind::Number, 96.0).unit(self.unit.0.clone()).brief();
        vec![
            Column::new(phrase("Name"), Kind::Text, 0.0),
            Column::new(phrase("Kind"), Kind::Text, 110.0).phrases(),
            Column::new(phrase("Stream"), Kind::Text, 110.0),
            Column::new(phrase("Start"), Kind::Instant(self.trace.clock, self.zero), 120.0),
            time(phrase("Duration")),
            time(phrase("Latency")),
            Column::new(phrase("Queue"), Kind::Count, 64.0),
            Column::new(phrase("Operator"), Kind::Text, 220.0),
        ]
    }

    fn n_rows(&self) -> usize {
        self.of.works.len()
    }

    fn has(&self, row: u32) -> bool {
        self.of.span.touches(self.row(row).span)
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let work = self.row(row);
        let time = |ticks: i64| Value::Number(ticks as f64 / self.unit.1);
        match column {
            0 => Value::text(self.trace.event(work.slice).map_or("", |e| self.trace.strings.get(e.name))),
            1 => Value::text(TITLES[work.class as usize]),
            2 => Value::text(self.streams.get(work.stream as usize).map_or("", String::as_str)),
            3 => Value::Whole(work.span.start),
            4 => time(work.span.dur()),
            5 => work.latency().map_or(Value::Missing, time),
            6 if work.launch.is_some() => Value::Whole(work.queue.into()),
            7 => Value::text(self.trace.strings.get(work.operator)),
            _ => Value::Missing,
        }
    }

    fn key(&self, row: u32, column: usize) -> Key<'_> {
        key_of(self.cell(row, column))
    }

    fn order(&self) -> Option<(usize, bool)> {
        Some((4, true))
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let goal = Goal::Slice(self.row(row).slice);
        [Some(goal.clone()), Some(goal)]
    }

    fn paint(&self, row: u32) -> Option<(usize, Paint)> {
        Some((0, Paint::Slice(self.row(row).slice)))
    }

    fn words(&self, rows: &[u32], language: Language) -> Vec<String> {
        let sum: i128 = rows.iter().map(|row| i128::from(self.row(*row).span.dur())).sum();
        words(self.trace, rows.len(), phrase("{n} slices of streams"), sum, language)
    }
}

/// Operators or functions.
pub struct OperatorRows<'a> {
    trace: &'a Trace,
    rows: &'a [Operator],
    /// What they are, and how many in words.
    named: [&'static str; 2],
    most: i128,
    unit: (Unit, f64),
}

impl<'a> OperatorRows<'a> {
    /// Operators.
    pub fn new(trace: &'a Trace, of: &'a Device) -> Self {
        Self::of(trace, &of.operators, [phrase("Operator"), phrase("{n} operators")])
    }

    /// Functions of an interpreter, and modules.
    pub fn functions(trace: &'a Trace, of: &'a Device) -> Self {
        Self::of(trace, &of.functions, [phrase("Function"), phrase("{n} functions")])
    }

    fn of(trace: &'a Trace, rows: &'a [Operator], named: [&'static str; 2]) -> Self {
        let most = rows.iter().map(|row| row.device_total).max().unwrap_or(0);
        let host = rows.iter().map(|row| row.host_total).max().unwrap_or(0);
        Self { trace, rows, named, most, unit: unit(trace, most.max(host) as f64) }
    }

    fn row(&self, row: u32) -> &Operator {
        &self.rows[row as usize]
    }
}

impl RowSource for OperatorRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let time =
            |name: &str, width| Column::new(name, Kind::Number, width).unit(self.unit.0.clone()).brief();
        let has_nested = self.rows.iter().any(|row| row.outermost < row.calls);
        vec![
            Column::new(self.named[0], Kind::Text, 0.0),
            Column::new(phrase("Calls"), Kind::Count, 80.0),
            time(phrase("Host total"), 110.0),
            time(phrase("Host self"), 110.0),
            time(phrase("Device total"), 110.0),
            time(phrase("Device self"), 200.0),
            Column::new(phrase("Kernels"), Kind::Count, 80.0),
            Column { is_hidden: !has_nested, ..Column::new(phrase("Outermost calls"), Kind::Count, 120.0) },
        ]
    }

    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let row = self.row(row);
        let time = |ticks: i128| Value::Number(ticks as f64 / self.unit.1);
        match column {
            0 => Value::text(self.trace.strings.get(row.name)),
            1 => Value::Whole(row.calls.cast_signed()),
            2 => time(row.host_total),
            3 => time(row.host_own),
            4 => time(row.device_total),
            5 => time(row.device_own),
            6 => Value::Whole(row.launched.cast_signed()),
            7 => Value::Whole(row.outermost.cast_signed()),
            _ => Value::Missing,
        }
    }

    fn key(&self, row: u32, column: usize) -> Key<'_> {
        key_of(self.cell(row, column))
    }

    fn order(&self) -> Option<(usize, bool)> {
        Some((5, true))
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let row = self.row(row);
        let name = self.trace.strings.get(row.name).to_owned();
        [Some(Goal::Name(name)), Some(Goal::Slice(row.longest.0))]
    }

    fn paint(&self, row: u32) -> Option<(usize, Paint)> {
        let row = self.row(row);
        Some((0, Paint::Name(row.longest.0.track, row.name)))
    }

    fn bar(&self, row: u32) -> Option<(usize, Bar)> {
        let row = self.row(row);
        let share = |ticks: i128| ticks as f64 / self.most.max(1) as f64;
        Some((5, Bar { inner: share(row.device_own), whole: share(row.device_total) }))
    }

    fn words(&self, rows: &[u32], language: Language) -> Vec<String> {
        let sum = rows.iter().map(|row| self.row(*row).device_own).sum();
        words(self.trace, rows.len(), self.named[1], sum, language)
    }
}

/// How many rows there are, and what they add up to.
pub(super) fn words(trace: &Trace, n: usize, english: &str, sum: i128, language: Language) -> Vec<String> {
    let n = fill(tr(language, english), &[("n", &thousands(n as i128))]);
    let sum = crate::base::number::duration(i64::try_from(sum).unwrap_or(i64::MAX), trace.clock);
    vec![n, sum]
}
