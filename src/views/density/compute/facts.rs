//! Figures of a density: its course over time and how often pages are accessed.

use super::axis::View;
use super::raster::{Raster, Sums};
use super::{Axis, COLUMNS, Density, PerWarp};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::{AxisLabel, Cell, Fact, Histogram, HistogramSeries, Line, LineChart, ScaleKind};

/// All of a density.
fn whole(density: &Density) -> View<'_> {
    View { axis: Axis::new(density, false), density, clocks: (0.0, f64::INFINITY), places: (0.0, 1.0) }
}

fn fact(name: &str, value: u64, unit: Unit) -> Fact {
    Fact { name: name.to_owned(), value: Cell::Integer(value), unit }
}

/// Facts that mean nothing beside those of pages of another size.
pub const OF_PAGES: [&str; 4] = [
    phrase("Pages touched"),
    phrase("Accesses per page, median"),
    phrase("Accesses per page, maximum"),
    phrase("Peak working set of an interval"),
];

/// What a window adds up to, as facts.
pub fn window_facts(view: &View, sums: &Sums) -> Vec<Fact> {
    let density = view.density;
    let ((from, to), words) = (view.seen_clocks(), density.order.words());
    let position = density.order.position_unit(&density.unit);
    vec![
        fact(phrase("Accesses"), sums.accesses, Unit::None),
        fact(OF_PAGES[0], sums.pages, Unit::None),
        fact(phrase("Page size"), density.page_bytes(), Unit::Bytes),
        fact(OF_PAGES[1], sums.per_page.0, Unit::None),
        fact(OF_PAGES[2], sums.per_page.1, Unit::None),
        fact(OF_PAGES[3], sums.working_set.saturating_mul(density.page_bytes()), Unit::Bytes),
        fact(phrase("Working set interval"), density.column_clocks(), density.unit.clone()),
        fact(words.first, from, position.clone()),
        fact(words.last, to, position),
    ]
}

/// Facts of all accesses.
pub fn all_facts(density: &Density) -> Vec<Fact> {
    let view = whole(density);
    let mut facts = window_facts(&view, &Raster::new(&view, COLUMNS, 1).sums);
    if density.has_sectors {
        let sectors: u64 = density.pages.iter().map(|page| u64::from(page.sectors)).sum();
        facts.push(fact(phrase("Bytes touched"), sectors * 32, Unit::Bytes));
    }
    let mean = density.per_warp.as_ref().and_then(PerWarp::mean);
    facts.extend(mean.map(|mean| Fact {
        name: phrase("Sectors per warp access, mean").to_owned(),
        value: Cell::Number(mean),
        unit: Unit::None,
    }));
    facts.push(fact(phrase("Empty records"), density.empty, Unit::None));
    facts
}

/// Accesses over time, or the bytes of pages that are accessed.
pub fn over_time(density: &Density, is_working_set: bool) -> LineChart {
    let view = whole(density);
    // As many columns as the facts: the peak of both is the same.
    let raster = Raster::new(&view, COLUMNS, COLUMNS);
    let width = raster.grid.width;
    let value =
        |column: usize| if is_working_set { raster.bytes(density, column) } else { raster.accesses(column) };
    let (name, unit) = if is_working_set {
        (phrase("Touched memory"), Unit::Bytes)
    } else {
        (phrase("Accesses"), Unit::None)
    };
    let x = (0..width).map(|column| raster.grid.clocks_of(density, column).0 as f64).collect();
    let y = (0..width).map(|column| Some(value(column))).collect();
    LineChart {
        x: AxisLabel {
            name: density.order.words().one.to_owned(),
            unit: density.order.position_unit(&density.unit),
            ..AxisLabel::default()
        },
        y: AxisLabel { name: name.to_owned(), unit, ..AxisLabel::default() },
        lines: vec![Line { name: name.to_owned(), x, y, is_stepped: true }],
        marks: Vec::new(),
    }
}

/// How many there are of each size, in steps of powers of two.
pub fn histogram(name: &str, unit: Unit, counted: &str, values: &[u64]) -> Histogram {
    let most = values.iter().max().map_or(1, |most| most.max(&1).ilog2() + 1);
    let mut counts = vec![0.0; most as usize];
    for value in values.iter().filter(|value| 0 < **value) {
        if let Some(count) = counts.get_mut(value.ilog2() as usize) {
            *count += 1.0;
        }
    }
    Histogram {
        x: AxisLabel { name: name.to_owned(), unit, scale: ScaleKind::Log },
        count_unit: Unit::Count(counted.to_owned()),
        edges: (0..=most).map(|power| 2_f64.powi(power as i32)).collect(),
        series: vec![HistogramSeries { name: String::new(), counts, values: Vec::new() }],
        ..Histogram::default()
    }
}

/// Accesses of warps by the sectors that they touch.
pub fn per_warp(per_warp: Option<&PerWarp>) -> Histogram {
    let counts = per_warp.map_or(&[][..], |per_warp| &per_warp.counts);
    let n = counts.iter().rposition(|count| 0 < *count).map_or(1, |last| last + 1);
    Histogram {
        x: AxisLabel { name: phrase("Sectors per warp access").to_owned(), ..AxisLabel::default() },
        count_unit: Unit::Count(phrase("accesses").to_owned()),
        edges: (0..=n).map(|at| at as f64 + 0.5).collect(),
        series: vec![HistogramSeries {
            name: String::new(),
            counts: counts.iter().take(n).map(|count| *count as f64).collect(),
            values: Vec::new(),
        }],
        ..Histogram::default()
    }
}
