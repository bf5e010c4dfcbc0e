//! Figures of a schedule, for the page of details, for comparison and for exports. All of them are in the unit of the records
//! and do not depend on how the user aligns units: starts count on the clock that all units share, where there is one.

use super::Schedule;
use crate::analysis::contract::{AnalysisInput, ComputedFigure, FigureHead};
use crate::base::number::thousands;
use crate::base::order::whole_percentile;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::figure::{
    AxisLabel, Body, Cell, Fact, Facts, Figure, Histogram, HistogramSeries, Mark, PlotPoint, Scatter,
    ScatterSeries, TableOf,
};

/// Id of the table of units.
pub const UNITS: &str = "schedule-units";
/// Id of the table of waves.
pub const WAVES: &str = "schedule-waves";
/// How the middle and the slow ones of all blocks are found.
pub const PERCENTILES: &str = phrase(
    "Median, p90 and p99 are interpolated between blocks, as numpy.percentile does, and rounded to a whole number.",
);
/// Points of a scatter; of more blocks some are left out evenly.
const POINTS: usize = 20_000;
/// Values that a histogram keeps, so that a comparison can count them anew.
const VALUES: usize = 100_000;

/// The figures of an analysis whose result is a [`Schedule`].
pub fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let Some(schedule) = input.result::<Schedule>().filter(|schedule| !schedule.is_empty()) else {
        return Vec::new();
    };
    let head = |id: &str, title: &str, kind, columns| FigureHead {
        id: id.to_owned(),
        section: phrase("Block schedule"),
        title: title.to_owned(),
        kind,
        columns,
        choices: Vec::new(),
    };
    let mut figures = vec![
        ComputedFigure {
            head: head("schedule-numbers", phrase("Block schedule"), "facts", 1),
            compute: |input, _, _| {
                let mut figure = of(input, numbers);
                let all = input.result::<Schedule>();
                let lost =
                    all.and_then(|all| lost_words(all.launched(), all.numbers.blocks, all.launch.partial));
                figure.notes.extend([message(PERCENTILES)].into_iter().chain(lost));
                figure
            },
        },
        ComputedFigure {
            head: head("schedule-elapsed", phrase("Elapsed per block"), "histogram", 1),
            compute: |input, _, _| of(input, histogram),
        },
        ComputedFigure {
            head: head("schedule-launch-order", phrase("Start by block number"), "scatter", 1),
            compute: |input, _, _| {
                let mut figure = of(input, launch_order);
                let every = input.result::<Schedule>().map_or(1, |schedule| schedule.len().div_ceil(POINTS));
                if 1 < every {
                    let words = message("One in {n} blocks is shown.").with("n", every.to_string());
                    figure.notes.push(words);
                }
                figure
            },
        },
        ComputedFigure {
            head: head(WAVES, phrase("Waves"), "table", 2),
            compute: |input, _, _| of(input, waves),
        },
    ];
    if schedule.launch.has_units {
        figures.push(ComputedFigure {
            head: head(UNITS, phrase("Blocks by unit"), "table", 2),
            compute: |input, _, _| of(input, units),
        });
    }
    figures
}

/// What is to be known where blocks of a launch have no record.
pub fn lost_words(launched: u64, recorded: u64, partial: u64) -> Option<Message> {
    let words = message(
        "{n} of {all} blocks have no record: their time counts as gaps or idle time, and lanes used only by them are missing.",
    );
    let lost = launched.saturating_sub(recorded);
    let lost = (lost != 0).then(|| words.with("n", thousands(lost)).with("all", thousands(launched)));
    let partial = (partial != 0).then(|| {
        let words = message("{n} of {all} blocks lack the record of a part: they may have run longer.");
        words.with("n", thousands(partial)).with("all", thousands(launched))
    });
    let both = |a: Message, b| message("{a} {b}").with_message("a", a).with_message("b", b);
    lost.into_iter().chain(partial).reduce(both)
}

fn of(input: &AnalysisInput, make: impl Fn(&Schedule) -> Body) -> Figure {
    let nothing = || Body::Facts(Facts::default());
    Figure::new("", input.result::<Schedule>().map_or_else(nothing, make))
}

fn numbers(schedule: &Schedule) -> Body {
    let (numbers, time) = (&schedule.numbers, &schedule.launch.time);
    let mut facts = Vec::new();
    let mut add = |name: &str, value: f64, unit: Unit| {
        facts.push(Fact { name: name.to_owned(), value: Cell::Number(value), unit });
    };
    add(phrase("Blocks"), numbers.blocks as f64, Unit::None);
    if schedule.launch.has_units {
        add(schedule.launch.terms.units, f64::from(numbers.units), Unit::None);
        add(phrase("Block lanes"), f64::from(numbers.lanes), Unit::None);
        add(phrase("Waves"), numbers.waves, Unit::None);
        add(phrase("Running per unit"), numbers.running, time.clone());
        add(phrase("Gaps per unit"), numbers.gap, time.clone());
        if let Some(tool) = &schedule.launch.tool {
            add(phrase("Reported running time per unit"), tool.running as f64, time.clone());
            add(phrase("Reported scheduling time per unit"), tool.scheduling as f64, time.clone());
        }
    }
    add(phrase("Shortest block"), numbers.shortest as f64, time.clone());
    for (name, value) in [phrase("Median"), "p90", "p99"].into_iter().zip(numbers.percentiles) {
        add(name, value as f64, time.clone());
    }
    add(phrase("Longest block"), numbers.longest as f64, time.clone());
    add(phrase("Tail"), numbers.tail(), Unit::Share);
    if let Some(skew) = numbers.skew {
        add(phrase("Median start skew"), skew.start as f64, time.clone());
        add(phrase("Median end skew"), skew.end as f64, time.clone());
    }
    Body::Facts(Facts { facts })
}

fn histogram(schedule: &Schedule) -> Body {
    let numbers = &schedule.numbers;
    let bins = &numbers.bins;
    let [median, _, p99] = numbers.percentiles;
    let marks = [("p50", median), ("p99", p99), (phrase("max"), numbers.longest)];
    let values = if schedule.len() <= VALUES {
        schedule.elapsed.iter().map(|elapsed| *elapsed as f64).collect()
    } else {
        Vec::new()
    };
    Body::Histogram(Histogram {
        x: axis(schedule.launch.elapsed(), schedule.launch.time.clone()),
        count_unit: Unit::Count(phrase("blocks").to_owned()),
        edges: (0..=bins.counts.len()).map(|at| bins.from + bins.step * at as f64).collect(),
        series: vec![HistogramSeries {
            name: phrase("Blocks").to_owned(),
            counts: bins.counts.iter().map(|n| f64::from(*n)).collect(),
            values,
        }],
        marks: marks.map(|(name, value)| Mark { name: name.to_owned(), value: value as f64 }).into(),
        can_move_marks: false,
        is_cumulative: false,
    })
}

fn axis(name: &str, unit: Unit) -> AxisLabel {
    AxisLabel { name: name.to_owned(), unit, ..AxisLabel::default() }
}

fn launch_order(schedule: &Schedule) -> Body {
    let origins = schedule.origins(super::Align::Auto);
    let every = schedule.len().div_ceil(POINTS).max(1);
    let point = |(row, number): (u32, &u32)| PlotPoint {
        x: f64::from(*number),
        y: schedule.begin(row, &origins) as f64,
        name: String::new(),
    };
    Body::Scatter(Scatter {
        x: axis(phrase("Block"), Unit::None),
        y: axis(phrase("Start"), schedule.launch.time.clone()),
        series: vec![ScatterSeries {
            name: phrase("Blocks").to_owned(),
            points: (0..).zip(&schedule.number).step_by(every).map(point).collect(),
        }],
        ..Scatter::default()
    })
}

fn units(schedule: &Schedule) -> Body {
    let time = || schedule.launch.time.clone();
    let table = TableOf::new(&schedule.units)
        .column(schedule.launch.terms.unit, Unit::None, |unit| u64::from(unit.id))
        .column(phrase("Blocks"), Unit::None, |unit| u64::from(unit.blocks))
        .column(phrase("Block lanes"), Unit::None, |unit| unit.lanes.len() as u64)
        .bars(phrase("Running"), time(), |unit| unit.running)
        .bars(phrase("Gap"), time(), |unit| unit.gap)
        .bars(phrase("Idle"), time(), |unit| {
            let own = (unit.last - unit.first).saturating_mul(unit.lanes.len() as u64);
            own.saturating_sub(unit.running).saturating_sub(unit.gap)
        })
        .column(phrase("First to last block"), time(), |unit| unit.last - unit.first);
    Body::Table(table.table())
}

fn waves(schedule: &Schedule) -> Body {
    let origins = schedule.origins(super::Align::Auto);
    let rows: Vec<u32> = (0..schedule.len() as u32).collect();
    // Persistent blocks make as many waves as there are blocks at most; a table of more says nothing.
    let by_wave = rows.chunk_by(|a, b| schedule.wave(*a) == schedule.wave(*b));
    let rows = by_wave.take(POINTS).map(|blocks| {
        let mut elapsed: Vec<u64> = blocks.iter().map(|row| schedule.elapsed_of(*row)).collect();
        elapsed.sort_unstable();
        let starts = blocks.iter().map(|row| schedule.begin(*row, &origins));
        let ends = blocks.iter().map(|row| schedule.finish(*row, &origins));
        let median = |rank: usize| elapsed.get(rank).copied().unwrap_or(0);
        let (median, longest) = (whole_percentile(elapsed.len(), 50, median), elapsed.last().copied());
        let times = [starts.min().unwrap_or(0), ends.max().unwrap_or(0), median, longest.unwrap_or(0)];
        let wave = blocks.first().map_or(0, |block| u64::from(schedule.wave(*block)) + 1);
        (wave, blocks.len() as u64, times)
    });
    let rows: Vec<_> = rows.collect();
    let time = || schedule.launch.time.clone();
    let table = TableOf::new(&rows)
        .column(phrase("Wave"), Unit::None, |(wave, ..)| *wave)
        .column(phrase("Blocks"), Unit::None, |(_, blocks, _)| *blocks)
        .column(phrase("First start"), time(), |(.., times)| times[0])
        .column(phrase("Last end"), time(), |(.., times)| times[1])
        .column(phrase("Median"), time(), |(.., times)| times[2])
        .bars(phrase("Longest"), time(), |(.., times)| times[3]);
    Body::Table(table.table())
}
