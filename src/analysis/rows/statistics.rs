//! Rows of statistics: one for each name, category or track.

use super::{Bar, Column, Goal, Key, Kind, Paint, RowSource, Value, key_of};
use crate::analysis::statistics::{By, Statistics, StatisticsRow};
use crate::base::number::{duration, thousands};
use crate::base::unit::Unit;
use crate::base::words::{Language, fill, phrase, tr};
use crate::model::Trace;
use crate::model::id::StrId;

/// Most categories of a row that are named.
const NAMED: usize = 12;

/// Statistics as a table.
pub struct StatisticsRows<'a> {
    trace: &'a Trace,
    of: &'a Statistics,
    own: i128,
    /// The greatest total.
    most: i128,
    /// Units of sums and of single slices, and ticks in each.
    units: [(Unit, f64); 2],
}

const LABEL: usize = 0;
const CATEGORY: usize = 1;
const COUNT: usize = 2;
const TOTAL: usize = 3;
const OWN: usize = 4;
const SHARE: usize = 5;
const MEAN: usize = 6;
const MEDIAN: usize = 7;
const P95: usize = 8;
const MIN: usize = 9;
const MAX: usize = 10;
const OUTERMOST: usize = 11;

impl<'a> StatisticsRows<'a> {
    /// The rows of statistics.
    pub fn new(trace: &'a Trace, of: &'a Statistics) -> Self {
        let most = of.rows.iter().map(|row| row.total).max().unwrap_or(0);
        let longest = of.rows.iter().map(|row| row.max).max().unwrap_or(0);
        let unit = |most: f64, millis_from: f64| match trace.clock.nanos() {
            None => (Unit::Other(trace.clock.symbol().to_owned()), 1.0),
            Some(tick) if most * tick < 1e3 => (Unit::Nanos, 1.0 / tick),
            Some(tick) if most * tick < millis_from => (Unit::Micros, 1e3 / tick),
            Some(tick) => (Unit::Millis, 1e6 / tick),
        };
        // Single slices are told in µs until they take seconds.
        let units = [unit(most as f64, 1e6), unit(longest as f64, 1e10)];
        Self { trace, of, own: of.own(), most, units }
    }

    fn row(&self, row: u32) -> &StatisticsRow {
        &self.of.rows[row as usize]
    }

    fn time(&self, which: usize, ticks: f64) -> Value<'static> {
        Value::Number(ticks / self.units[which].1)
    }
}

impl RowSource for StatisticsRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let by = self.of.options.by;
        let label = match by {
            By::Name => phrase("Name"),
            By::Category => phrase("Category"),
            By::Track => phrase("Track"),
            By::Group => phrase("Group"),
        };
        // Of slices of some nanoseconds a tenth of a microsecond says nothing.
        let fine =
            [|row: &StatisticsRow| row.own as f64, |row: &StatisticsRow| row.min as f64].map(|least| {
                let of_rows = self.of.rows.iter().map(least).filter(|ticks| 0.0 < *ticks);
                of_rows.fold(f64::INFINITY, f64::min) * self.trace.clock.nanos().unwrap_or(f64::INFINITY)
                    < 1e3
            });
        let time = |name: &str, which: usize, width: f32| {
            let column = Column::new(name, Kind::Number, width).unit(self.units[which].0.clone()).brief();
            Column {
                decimals: column.decimals.map(|decimals| if fine[which] { 3 } else { decimals }),
                ..column
            }
        };
        // As wide as the longest of all, with its decimals and the marks of thousands, in a wide face.
        let most = self.of.rows.iter().map(|row| row.max).max().unwrap_or(0) as f64 / self.units[1].1;
        let digits = most.max(1.0).log10().floor() as f32 + 1.0;
        let decimals = if self.units[1].0 == Unit::Micros && !fine[1] { 2.0 } else { 4.0 };
        let one = (8.5 * (digits + (digits - 1.0).div_euclid(3.0) + decimals) + 17.0).clamp(80.0, 144.0);
        let category = Column::new(phrase("Category"), Kind::Text, 120.0);
        let has_nested = self.of.rows.iter().any(|row| row.n_outermost < row.n);
        let has_none = || self.of.rows.iter().all(|row| self.trace.strings.get(row.category).is_empty());
        let named = Column { is_group: by != By::Name, ..Column::new(label, Kind::Text, 0.0) };
        vec![
            if matches!(by, By::Track | By::Group) { named.phrases() } else { named },
            // Where not all have room, the median and the percentile say more than what gives way.
            Column { is_hidden: by == By::Category || has_none(), ..category }.gives_way(5),
            Column::new(phrase("Count"), Kind::Count, 80.0),
            time(phrase("Total"), 0, 96.0),
            time(phrase("Self"), 0, 188.0),
            Column::new(phrase("Share"), Kind::Share, 72.0),
            time(phrase("Mean"), 1, one).gives_way(2),
            time(phrase("Median"), 1, one),
            time(phrase("p95"), 1, one),
            time(phrase("Shortest"), 1, one).gives_way(3),
            time(phrase("Longest"), 1, one).gives_way(1),
            Column { is_hidden: !has_nested, ..Column::new(phrase("Outermost"), Kind::Count, 88.0) }
                .gives_way(4),
        ]
    }

    fn n_rows(&self) -> usize {
        self.of.rows.len()
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let row = self.row(row);
        match column {
            LABEL => Value::Text(row.label(self.trace, self.of.options.by).into()),
            CATEGORY => {
                let name = |id: &StrId| self.trace.strings.get(*id);
                if row.others.is_empty() {
                    return Value::text(name(&row.category));
                }
                let all = std::iter::once(&row.category).chain(&row.others).map(name);
                let mut all: Vec<&str> = all.filter(|name| !name.is_empty()).take(NAMED + 1).collect();
                if NAMED < all.len() {
                    all[NAMED] = "…";
                }
                Value::Text(all.join(", ").into())
            }
            COUNT => Value::Whole(row.n.cast_signed()),
            TOTAL => self.time(0, row.total as f64),
            OWN => self.time(0, row.own as f64),
            SHARE => Value::Number(row.own as f64 / self.own.max(1) as f64),
            MEAN => self.time(1, row.mean()),
            MEDIAN => self.time(1, row.median),
            P95 => self.time(1, row.p95),
            MIN => self.time(1, row.min as f64),
            MAX => self.time(1, row.max as f64),
            OUTERMOST => Value::Whole(row.n_outermost.cast_signed()),
            _ => Value::Missing,
        }
    }

    fn key(&self, row: u32, column: usize) -> Key<'_> {
        // Labels are made of each row.
        key_of(self.cell(row, column))
    }

    fn order(&self) -> Option<(usize, bool)> {
        Some((OWN, true))
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let row = self.row(row);
        let by = self.of.options.by;
        let chosen = match by {
            By::Name | By::Category => Goal::Name(row.label(self.trace, by)),
            By::Track | By::Group => Goal::Track(row.track),
        };
        [Some(chosen), Some(Goal::Slice(row.longest))]
    }

    fn paint(&self, row: u32) -> Option<(usize, Paint)> {
        let row = self.row(row);
        (self.of.options.by == By::Name).then_some((LABEL, Paint::Name(row.track, row.name)))
    }

    fn bar(&self, row: u32) -> Option<(usize, Bar)> {
        let row = self.row(row);
        let share = |ticks: i128| ticks as f64 / self.most.max(1) as f64;
        Some((OWN, Bar { inner: share(row.own), whole: share(row.total) }))
    }

    fn words(&self, rows: &[u32], language: Language) -> Vec<String> {
        let n = |english: &str, n: i128| fill(tr(language, english), &[("n", &thousands(n))]);
        let all = self.of.rows.len();
        let mut of = match (self.of.options.by, rows.len() < all) {
            (_, true) => {
                let counts = [rows.len(), all].map(|n| thousands(n as i128));
                fill(tr(language, phrase("{n} of {m} rows")), &[("n", &counts[0]), ("m", &counts[1])])
            }
            (By::Name, _) => n(phrase("{n} names"), all as i128),
            (By::Category, _) => n(phrase("{n} categories"), all as i128),
            _ => String::new(),
        };
        let picked = || rows.iter().map(|row| self.row(*row));
        let slices = picked().map(|row| i128::from(row.n)).sum();
        let mut parts =
            vec![n(phrase("{n} slices"), slices), n(phrase("{n} tracks"), self.of.n_tracks.into())];
        if !of.is_empty() {
            parts.insert(0, std::mem::take(&mut of));
        }
        let whole = self.of.options.span.unwrap_or(self.trace.span.unwrap_or_default());
        parts.push(duration(whole.dur(), self.trace.clock));
        if 0 < self.of.n_cut {
            parts.push(n(phrase("{n} clipped at the edges"), self.of.n_cut.into()));
        }
        if 0 < self.of.n_unfinished {
            parts.push(n(phrase("{n} unfinished left out"), self.of.n_unfinished.into()));
        }
        let own: i128 = picked().map(|row| row.own).sum();
        let own = duration(i64::try_from(own).unwrap_or(i64::MAX), self.trace.clock);
        vec![parts.join(", "), own]
    }
}
