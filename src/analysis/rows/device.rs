//! Rows of host and device: kernels by name, slices of streams with their launches, operators with what they launched.
//!
//! Each time is told in the unit that suits it: below 1 ms in µs.

use super::{Bar, Column, Goal, Kind, Paint, RowSource, Value};
use crate::analysis::device::class::TITLES;
use crate::analysis::device::{Class, Device, KernelSum, Operator, Work};
use crate::base::number::thousands;
use crate::base::time::Ticks;
use crate::base::words::{Language, fill, phrase, tr};
use crate::model::Trace;
use crate::model::id::StrId;

/// A sum as far as ticks reach.
pub(super) fn ticks(sum: i128) -> Ticks {
    Ticks::try_from(sum).unwrap_or(Ticks::MAX)
}

/// Kernels, copies and waiting by name.
pub struct KernelSumRows<'a> {
    trace: &'a Trace,
    rows: &'a [KernelSum],
    /// Sum of all that are work.
    whole: i128,
}

impl<'a> KernelSumRows<'a> {
    /// All names.
    pub fn new(trace: &'a Trace, of: &'a Device) -> Self {
        let works = of.kernels.iter().filter(|row| row.is_work());
        Self { trace, rows: &of.kernels, whole: works.map(|row| row.total).sum() }
    }

    fn row(&self, row: u32) -> &KernelSum {
        &self.rows[row as usize]
    }
}

impl RowSource for KernelSumRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let time = |name: &str| Column::new(name, Kind::Duration(self.trace.clock), 92.0);
        // Where not all have room, the total and its share say most.
        vec![
            Column { is_group: true, ..Column::new(phrase("Name"), Kind::Text, 0.0) },
            Column::new(phrase("Kind"), Kind::Text, 116.0).phrases().gives_way(5),
            Column::new(phrase("Count"), Kind::Count, 72.0),
            time(phrase("Total")),
            Column::new(phrase("Share"), Kind::Share, 96.0),
            time(phrase("Mean")).gives_way(4),
            time(phrase("Median")),
            time(phrase("p95")).gives_way(3),
            time(phrase("Shortest")).gives_way(2),
            time(phrase("Longest")).gives_way(1),
        ]
    }

    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let row = self.row(row);
        match column {
            0 => Value::text(self.trace.strings.get(row.name)),
            1 => Value::text(TITLES[row.class as usize]),
            2 => Value::Whole(row.n.cast_signed()),
            3 => Value::Whole(ticks(row.total)),
            4 if row.is_work() => Value::Number(row.total as f64 / self.whole.max(1) as f64),
            5 => Value::Number(row.mean()),
            6 => Value::Number(row.median),
            7 => Value::Number(row.p95),
            8 => Value::Whole(row.min),
            9 => Value::Whole(row.max),
            _ => Value::Missing,
        }
    }

    /// By share, which waiting has none of: it comes last.
    fn order(&self) -> Option<(usize, bool)> {
        Some((4, true))
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let row = self.row(row);
        let name = self.trace.strings.get(row.name).to_owned();
        [Some(Goal::Name(name)), Some(Goal::Slice(row.longest))]
    }

    fn paint(&self, row: u32) -> Option<(usize, Paint)> {
        let row = self.row(row);
        Some((0, Paint::Name(row.longest.track, row.name)))
    }

    fn words(&self, rows: &[u32], language: Language) -> Vec<String> {
        let works = rows.iter().map(|row| self.row(*row)).filter(|row| row.is_work());
        words(self.trace, rows.len(), phrase("{n} names"), works.map(|row| row.total).sum(), language)
    }
}

/// Slices of streams.
pub struct KernelRows<'a> {
    trace: &'a Trace,
    of: &'a Device,
    streams: Vec<String>,
    zero: i64,
    /// Only those of this name; one that the trace does not have is `Some(None)`.
    #[allow(clippy::option_option)] // all, one, or one that is not there
    only: Option<Option<StrId>>,
}

impl<'a> KernelRows<'a> {
    /// All of them, or those of one name, with times since `zero`.
    pub fn new(trace: &'a Trace, of: &'a Device, zero: i64, only: Option<&str>) -> Self {
        let streams = (0..of.streams.len() as u32).map(|at| of.stream_name(trace, at)).collect();
        Self { trace, of, streams, zero, only: only.map(|name| trace.strings.find(name)) }
    }

    fn name(&self, row: u32) -> Option<StrId> {
        self.trace.event(self.row(row).slice).map(|event| event.name)
    }

    fn row(&self, row: u32) -> &Work {
        &self.of.works[row as usize]
    }
}

impl RowSource for KernelRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let time = |name: &str| Column::new(name, Kind::Duration(self.trace.clock), 96.0);
        vec![
            Column::new(phrase("Name"), Kind::Text, 0.0),
            // The color of the name tells the kind too.
            Column::new(phrase("Kind"), Kind::Text, 116.0).phrases().gives_way(1),
            Column::new(phrase("Stream"), Kind::Text, 110.0),
            Column::new(phrase("Start"), Kind::Instant(self.trace.clock, self.zero), 120.0),
            time(phrase("Duration")),
            time(phrase("Latency")),
            Column::new(phrase("Queue"), Kind::Count, 64.0).gives_way(2),
            Column::new(phrase("Operator"), Kind::Text, 220.0),
        ]
    }

    fn n_rows(&self) -> usize {
        self.of.works.len()
    }

    fn has(&self, row: u32) -> bool {
        let is_meant = self.only.is_none_or(|only| only.is_some() && self.name(row) == only);
        is_meant && self.of.span.touches(self.row(row).span)
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let work = self.row(row);
        match column {
            0 => Value::text(self.name(row).map_or("", |name| self.trace.strings.get(name))),
            1 => Value::text(TITLES[work.class as usize]),
            2 => Value::text(self.streams.get(work.stream as usize).map_or("", String::as_str)),
            3 => Value::Whole(work.span.start),
            4 => Value::Whole(work.span.dur()),
            5 => work.latency().map_or(Value::Missing, Value::Whole),
            6 if work.launch.is_some() => Value::Whole(work.queue.into()),
            7 => Value::text(self.trace.strings.get(work.operator)),
            _ => Value::Missing,
        }
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
        let works = rows.iter().map(|row| self.row(*row)).filter(|work| work.class != Class::Wait);
        let sum: i128 = works.map(|work| i128::from(work.span.dur())).sum();
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
        Self { trace, rows, named, most }
    }

    fn row(&self, row: u32) -> &Operator {
        &self.rows[row as usize]
    }
}

impl RowSource for OperatorRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let has_nested = self.rows.iter().any(|row| row.outermost < row.calls);
        let time = |name: &str, width| Column::new(name, Kind::Duration(self.trace.clock), width);
        vec![
            Column::new(self.named[0], Kind::Text, 0.0),
            Column::new(phrase("Calls"), Kind::Count, 80.0),
            time(phrase("Host total"), 110.0),
            time(phrase("Host self"), 110.0).gives_way(4),
            time(phrase("Device total"), 110.0),
            time(phrase("Device self"), 200.0),
            Column::new(phrase("Kernels total"), Kind::Count, 80.0).gives_way(3),
            Column::new(phrase("Kernels self"), Kind::Count, 80.0).gives_way(2),
            Column { is_hidden: !has_nested, ..Column::new(phrase("Outermost"), Kind::Count, 88.0) }
                .gives_way(1),
        ]
    }

    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let row = self.row(row);
        let time = |sum: i128| Value::Whole(ticks(sum));
        match column {
            0 => Value::text(self.trace.strings.get(row.name)),
            1 => Value::Whole(row.calls.cast_signed()),
            2 => time(row.host_total),
            3 => time(row.host_own),
            4 => time(row.device_total),
            5 => time(row.device_own),
            6 => Value::Whole(row.launched_total.cast_signed()),
            7 => Value::Whole(row.launched.cast_signed()),
            8 => Value::Whole(row.outermost.cast_signed()),
            _ => Value::Missing,
        }
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
