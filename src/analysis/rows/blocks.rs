//! Rows of the blocks of a schedule.

use super::{Column, Goal, Kind, RowSource, Value};
use crate::analysis::schedule::{Look, Origins, Schedule};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::TableColumn;

/// The blocks, the slowest first.
pub struct BlockRows<'a> {
    schedule: &'a Schedule,
    origins: Origins,
    nanos: Option<f64>,
}

const ELAPSED: usize = 8;

impl<'a> BlockRows<'a> {
    /// All blocks, with starts as a look has them.
    pub fn new(schedule: &'a Schedule, look: &Look) -> Self {
        let is_cycles = schedule.launch.time == Unit::Cycles;
        let nanos = schedule.nanos(look).filter(|_| is_cycles);
        Self { schedule, origins: schedule.origins(look.align), nanos }
    }
}

impl RowSource for BlockRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let launch = &self.schedule.launch;
        let coordinate =
            |name: &str, n: u32| Column { is_hidden: n < 2, ..Column::new(name, Kind::Count, 52.0) };
        let of_unit = |column: Column| Column { is_hidden: !launch.has_units, ..column };
        let over = Column::new(phrase("Over p50"), Kind::Number, 76.0).unit(Unit::Percent);
        let head = TableColumn { has_bar: true, ..over.head.clone() };
        vec![
            Column::new(phrase("Block"), Kind::Count, 72.0),
            coordinate("x", launch.grid[1].max(launch.grid[2])),
            coordinate("y", launch.grid[1]),
            coordinate("z", launch.grid[2]),
            of_unit(Column::new(launch.terms.unit, Kind::Count, 48.0)),
            of_unit(Column::new(phrase("Lane"), Kind::Count, 48.0)),
            of_unit(Column::new(phrase("Wave"), Kind::Count, 52.0)),
            Column::new(phrase("Start"), Kind::Count, 96.0).unit(launch.time.clone()),
            Column::new(phrase("Elapsed"), Kind::Count, 96.0).unit(launch.time.clone()),
            Column {
                is_hidden: self.nanos.is_none(),
                ..Column::new(phrase("Time"), Kind::Number, 72.0).unit(Unit::Micros)
            },
            Column { head, ..over },
            of_unit(Column::new(phrase("Gap"), Kind::Count, 72.0).unit(launch.time.clone())),
        ]
    }

    fn n_rows(&self) -> usize {
        self.schedule.len()
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
