//! Rows of the blocks of a schedule.

use crate::analysis::rows::{Column, Goal, Kind, RowSource, Value};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::TableColumn;
use crate::views::schedule::compute::{Look, Origins, Schedule};

/// The blocks, the slowest first.
pub struct BlockRows<'a> {
    schedule: &'a Schedule,
    origins: Origins,
    nanos: Option<f64>,
    range: Option<(f64, f64)>,
}

const ELAPSED: usize = 8;

impl<'a> BlockRows<'a> {
    /// The blocks that run in a stretch of time, or all of them; with starts as a look has them.
    pub fn new(schedule: &'a Schedule, look: &Look, range: Option<(f64, f64)>) -> Self {
        let is_cycles = schedule.launch.time == Unit::Cycles;
        let nanos = schedule.nanos(look).filter(|_| is_cycles);
        Self { schedule, origins: schedule.origins(look.align), nanos, range }
    }
}

impl RowSource for BlockRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let launch = &self.schedule.launch;
        // Wide enough for their heads, and together hardly wider than half of a small page.
        let column = |name: &str, width, kind, unit: &Unit, is_hidden| Column {
            is_hidden,
            ..Column::new(name, kind, width).unit(unit.clone())
        };
        let count = |name: &str, width, is_hidden| column(name, width, Kind::Count, &Unit::None, is_hidden);
        let over = column(phrase("Over p50"), 80.0, Kind::Number, &Unit::Percent, false);
        let head = TableColumn { has_bar: true, ..over.head.clone() };
        let [_, y, z] = launch.grid;
        vec![
            count(phrase("Block"), 56.0, false),
            count("x", 48.0, y.max(z) < 2),
            count("y", 48.0, y < 2),
            count("z", 48.0, z < 2),
            count(launch.terms.unit, 44.0, !launch.has_units),
            count(phrase("Lane"), 48.0, !launch.has_units),
            count(phrase("Wave"), 52.0, !launch.has_units),
            column(phrase("Start"), 92.0, Kind::Count, &launch.time, false),
            column(
                launch.elapsed(),
                if launch.is_of_first { 150.0 } else { 104.0 },
                Kind::Count,
                &launch.time,
                false,
            ),
            column(phrase("Time"), 60.0, Kind::Number, &Unit::Micros, self.nanos.is_none()),
            Column { head, ..over },
            column(phrase("Gap"), 76.0, Kind::Count, &launch.time, !launch.has_units),
        ]
    }

    fn n_rows(&self) -> usize {
        self.schedule.len()
    }

    fn has(&self, row: u32) -> bool {
        self.range.is_none_or(|(from, to)| {
            let (unit, at) = (self.schedule.unit[row as usize], self.schedule.start[row as usize]);
            let start = self.origins.time(unit, at) as f64;
            start < to && from < start + self.schedule.elapsed[row as usize] as f64
        })
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let schedule = self.schedule;
        let (Some(elapsed), Some(unit)) =
            (schedule.elapsed.get(row as usize).copied(), schedule.unit.get(row as usize).copied())
        else {
            return Value::Missing;
        };
        let whole = |value: u64| Value::Whole(value.cast_signed());
        match column {
            0 => whole(schedule.number[row as usize].into()),
            1..=3 => whole(schedule.at(row)[column - 1].into()),
            4 => schedule.units.get(unit as usize).map_or(Value::Missing, |unit| whole(unit.id.into())),
            5 => whole(schedule.lane_of_unit(row).into()),
            6 => whole(u64::from(schedule.wave(row)) + 1),
            7 => whole(self.origins.time(unit, schedule.start[row as usize])),
            ELAPSED => whole(elapsed),
            9 => self.nanos.map_or(Value::Missing, |nanos| Value::Number(elapsed as f64 * nanos / 1e3)),
            10 => {
                let median = schedule.numbers.percentiles[0] as f64;
                Value::Number((elapsed as f64 - median) / median.max(1.0) * 100.0)
            }
            _ => schedule.gap(row).map_or(Value::Missing, whole),
        }
    }

    fn order(&self) -> Option<(usize, bool)> {
        Some((ELAPSED, true))
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        [Some(Goal::Block(row)), Some(Goal::Block(row))]
    }
}
