//! Statistics of the fields of a map, how the values of one are spread, two of them against each other.

use super::sums::{MapSums, cell, number};
use super::{head, of_id, quantile};
use crate::analysis::contract::{AnalysisInput, ComputedFigure};
use crate::base::number::thousands;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{
    AxisLabel, Body, Cell, Choice, Figure, Histogram, HistogramSeries, Mark, PlotPoint, Scatter,
    ScatterSeries, TableColumn, TableFigure,
};
use crate::systems::neutrino::result::{Field, Role};

/// Bins of a histogram.
const BINS: usize = 96;
/// Points of a scatter.
const POINTS: usize = 4_000;

const STATISTICS: &str = "neutrino-statistics-";
const HISTOGRAM: &str = "neutrino-histogram-";
const SCATTER: &str = "neutrino-scatter-";

pub(super) fn list(sums: &MapSums) -> Vec<ComputedFigure> {
    let fields = |order: Vec<usize>| field_names(sums, &order);
    let choice = |name: &str, options| Choice { name: name.to_owned(), options };
    let statistics = (STATISTICS, phrase("Field statistics"), "table");
    let histogram = (HISTOGRAM, phrase("Field distribution"), "histogram");
    let scatter = (SCATTER, phrase("Two fields"), "scatter");
    let mut all = vec![
        ComputedFigure { head: head(statistics, sums, 3, Vec::new()), compute: statistics_of },
        ComputedFigure {
            head: head(histogram, sums, 2, vec![choice(phrase("Field"), fields(order(sums)))]),
            compute: histogram_of,
        },
    ];
    if 1 < sums.fields.len() {
        let [x, y] = orders(sums).map(fields);
        let choices = vec![choice(phrase("Horizontal"), x), choice(phrase("Vertical"), y)];
        all.push(ComputedFigure { head: head(scatter, sums, 1, choices), compute: scatter_of });
    }
    all
}

/// The fields of a map as they are offered: amounts first, then points in time, addresses and numbers of SMs.
pub(super) fn order(sums: &MapSums) -> Vec<usize> {
    let fields = &sums.section.map.fields;
    let rank = |at: &usize| match fields.get(*at).map(|field| field.role) {
        Some(Role::Cycles | Role::Nanos | Role::Bytes | Role::Count) => 0,
        Some(Role::Clock | Role::Timer) => 2,
        Some(Role::Address) => 3,
        Some(Role::Sm) => 4,
        _ => 1,
    };
    let mut order: Vec<usize> = (0..fields.len()).collect();
    order::sort_by_key(&mut order, rank);
    order
}

/// The fields as they are offered for the two axes of a scatter: the first choices are not the same.
fn orders(sums: &MapSums) -> [Vec<usize>; 2] {
    let x: Vec<usize> = (0..sums.fields.len()).collect();
    let mut y = order(sums);
    order::sort_by_key(&mut y, |at| *at == 0);
    [x, y]
}

/// Names of fields of a map.
pub(super) fn field_names(sums: &MapSums, order: &[usize]) -> Vec<String> {
    let fields = &sums.section.map.fields;
    order.iter().filter_map(|at| Some(fields.get(*at)?.name.clone())).collect()
}

/// The field that was chosen first of those of [`order()`].
pub(super) fn chosen_field(sums: &MapSums, chosen: &[usize]) -> Option<(usize, Field)> {
    let at = *order(sums).get(chosen.first().copied().unwrap_or(0))?;
    Some((at, sums.section.map.fields.get(at)?.clone()))
}

/// A figure of a map, with what holds for all of them.
pub(crate) fn figure(sums: &MapSums, body: Body) -> Figure {
    let mut figure = Figure::new("", body);
    figure.scope.clone_from(&sums.section.map.name);
    let all = sums.section.units.saturating_mul(sums.section.records_per_unit());
    if sums.seen < all {
        let note = message("{n} of {m} records were read, in evenly spaced parts.");
        figure.notes.push(note.with("n", thousands(sums.seen)).with("m", thousands(all)));
    }
    if all <= sums.seen && sums.units < sums.section.addressed {
        let note = message("{n} of the {m} units addressed have records.");
        figure.notes.push(note.with("n", thousands(sums.units)).with("m", thousands(sums.section.addressed)));
    }
    figure
}

/// A column of a table.
pub(crate) fn column(name: &str, unit: Unit, has_bar: bool) -> TableColumn {
    TableColumn { name: name.to_owned(), unit, has_bar, ..TableColumn::default() }
}

/// A figure for when there is nothing to show.
pub(super) fn nothing() -> Figure {
    Figure::new("", Body::Table(TableFigure::default()))
}

fn statistics_of(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let Some(sums) = of_id(input, id, STATISTICS) else { return nothing() };
    let row = |(at, field): (usize, &Field)| {
        let sorted = sums.sample.sorted(at);
        let share = |share| quantile(&sorted, share).map_or(Cell::Missing, |key| cell(field, key));
        let [sum, mean, min, max] = sums.fields.get(at).copied().unwrap_or_default().cells(field);
        let sum = if field.has_sum() { sum } else { Cell::Missing };
        let name = Cell::Text(field.name.clone());
        vec![name, sum, min, mean, share(0.5), share(0.95), max]
    };
    let plain = |name| column(name, Unit::None, false);
    let fields = &sums.section.map.fields;
    let table = TableFigure {
        columns: vec![
            plain(phrase("Field")),
            plain(phrase("Sum")),
            plain(phrase("Minimum")),
            plain(phrase("Mean")),
            plain(phrase("Median")),
            plain(phrase("p95")),
            plain(phrase("Maximum")),
        ],
        rows: fields.iter().enumerate().map(row).collect(),
        key_columns: 1,
        more_rows: 0,
        row_units: fields.iter().map(Field::unit).collect(),
    };
    let mut figure = figure(sums, Body::Table(table));
    let note = message("{n} of {m} records were written; all-zero records do not count.");
    figure.notes.push(note.with("n", thousands(sums.records)).with("m", thousands(sums.seen)));
    if !sums.sample.is_all() {
        let note = message("Median and p95 are estimated from a random sample of {n} records.");
        figure.notes.push(note.with("n", thousands(sums.sample.rows().count() as u64)));
    }
    figure
}

/// The axis of a field.
pub(super) fn axis(field: &Field) -> AxisLabel {
    AxisLabel { name: field.name.clone(), unit: field.unit(), ..AxisLabel::default() }
}

fn histogram_of(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let Some(sums) = of_id(input, id, HISTOGRAM) else { return nothing() };
    let Some((at, field)) = chosen_field(sums, chosen) else { return nothing() };
    let Some(spread) = sums.spreads.get(at) else { return nothing() };
    let field = &field;
    let (edges, counts) = spread.bins(BINS);
    let sorted = sums.sample.sorted(at);
    let mark = |(name, share): (&str, f64)| {
        Some(Mark { name: name.to_owned(), value: number(field, quantile(&sorted, share)?) })
    };
    let counts = counts.iter().map(|n| *n as f64).collect();
    figure(
        sums,
        Body::Histogram(Histogram {
            x: axis(field),
            count_unit: Unit::Count(phrase("records").to_owned()),
            edges: edges.iter().map(|key| number(field, *key)).collect(),
            series: vec![HistogramSeries { name: field.name.clone(), counts, values: Vec::new() }],
            marks: [("p50", 0.5), ("p95", 0.95)].into_iter().filter_map(mark).collect(),
            can_move_marks: true,
            is_cumulative: false,
        }),
    )
}

fn scatter_of(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let Some(sums) = of_id(input, id, SCATTER) else { return nothing() };
    let [in_x, in_y] = orders(sums);
    let field = |order: &[usize], at: usize| {
        let at = *order.get(chosen.get(at).copied().unwrap_or(0))?;
        Some((at, sums.section.map.fields.get(at)?))
    };
    let Some(((x, of_x), (y, of_y))) = field(&in_x, 0).zip(field(&in_y, 1)) else { return nothing() };
    let rows = sums.sample.rows().count();
    let step = rows.div_ceil(POINTS).max(1);
    let point = |row: &[u64]| {
        let (x, y) = (number(of_x, *row.get(x)?), number(of_y, *row.get(y)?));
        Some(PlotPoint { x, y, name: String::new() })
    };
    let points: Vec<PlotPoint> = sums.sample.rows().step_by(step).filter_map(point).collect();
    let shown = points.len() as u64;
    let scatter = Scatter {
        x: axis(of_x),
        y: axis(of_y),
        series: vec![ScatterSeries { name: sums.section.map.name.clone(), points }],
        ..Scatter::default()
    };
    let mut figure = figure(sums, Body::Scatter(scatter));
    if shown < sums.records {
        let note = message("{n} of {m} records are shown, evenly sampled.");
        figure.notes.push(note.with("n", thousands(shown)).with("m", thousands(sums.records)));
    }
    figure
}
