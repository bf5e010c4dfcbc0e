//! Figures of the accesses: sums, their course, how many threads share lines.

use crate::analysis::contract::{AnalysisInput, ComputedFigure, FigureHead};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{
    AxisLabel, Body, Cell, Facts, Figure, Histogram, HistogramSeries, ScaleKind, TableColumn, TableFigure,
};
use crate::views::density::compute::{BandReuse, Density, Reuse, all_facts, histogram, over_time};

/// Id, title, kind, columns of the page.
const FIGURES: [(&str, &str, &str, u8); 6] = [
    ("trace-memory-facts", phrase("Memory accesses"), "facts", 1),
    ("trace-memory-course", phrase("Course of accesses"), "lines", 1),
    ("trace-memory-working-set", phrase("Course of the working set"), "lines", 1),
    ("trace-memory-pages", phrase("Accesses per page"), "histogram", 1),
    ("trace-memory-reuse", phrase("Threads per line of 128 B"), "histogram", 1),
    ("trace-memory-regions", phrase("Reuse by region"), "table", 2),
];
/// Regions with a series of their own; lines of the others are one more.
const SERIES: usize = 5;

pub(super) fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let Some(density) = input.result::<Density>() else { return Vec::new() };
    let has = |id: &str| density.accesses != 0 || id == "trace-memory-facts";
    let figure = |(id, title, kind, columns): (&str, &str, &'static str, u8)| ComputedFigure {
        head: FigureHead {
            id: id.to_owned(),
            section: phrase("Memory accesses"),
            title: title.to_owned(),
            kind,
            columns,
            choices: Vec::new(),
        },
        compute,
    };
    FIGURES.into_iter().filter(|(id, ..)| has(id)).map(figure).collect()
}

fn compute(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let (nothing, unknown) = (Density::default(), Reuse::default());
    let density = input.result::<Density>().unwrap_or(&nothing);
    let reuse = density.reuse.as_ref().unwrap_or(&unknown);
    let mut notes = Vec::new();
    let body = match id {
        "trace-memory-facts" => {
            notes.clone_from(&density.notes);
            Body::Facts(Facts { facts: all_facts(density) })
        }
        "trace-memory-course" => Body::Lines(over_time(density, false)),
        "trace-memory-working-set" => Body::Lines(over_time(density, true)),
        "trace-memory-pages" => {
            let name = phrase("Accesses per page");
            Body::Histogram(histogram(
                name,
                Unit::None,
                phrase("pages"),
                &density.per_page(|page| page.accesses),
            ))
        }
        "trace-memory-reuse" => Body::Histogram(sharing(density, reuse)),
        _ => Body::Table(regions(density, reuse)),
    };
    if ["trace-memory-reuse", "trace-memory-regions"].contains(&id) {
        notes.push(message("Each thread that touches a line of 128 bytes counts once for it."));
        if 0 < reuse.every {
            let note = message("There are very many lines: one of {n} was looked at.");
            notes.push(note.with("n", 1_u64 << reuse.every.min(31)));
        }
    }
    let mut figure = Figure::new("", body);
    figure.notes = notes;
    figure
}

/// Lines by how many threads touch them, a series for each of the largest regions.
fn sharing(density: &Density, reuse: &Reuse) -> Histogram {
    let mut bands: Vec<(String, BandReuse)> = density
        .bands
        .iter()
        .map(|band| band.region.name.to_string())
        .zip(reuse.bands.iter().copied())
        .collect();
    order::sort_by_key(&mut bands, |(_, band)| std::cmp::Reverse(band.lines));
    if SERIES < bands.len() {
        let mut others = BandReuse::default();
        for (_, band) in bands.drain(SERIES..) {
            others.lines += band.lines;
            others.powers.iter_mut().zip(band.powers).for_each(|(a, b)| *a += b);
        }
        bands.push((phrase("Others").to_owned(), others));
    }
    let last = |band: &BandReuse| band.powers.iter().rposition(|n| 0 < *n).unwrap_or(0);
    let n = bands.iter().map(|(_, band)| last(band) + 1).max().unwrap_or(1);
    let scale = (1_u64 << reuse.every.min(31)) as f64;
    let series = bands.into_iter().map(|(name, band)| HistogramSeries {
        name,
        counts: band.powers.iter().take(n).map(|n| *n as f64 * scale).collect(),
        values: Vec::new(),
    });
    Histogram {
        x: AxisLabel { name: phrase("Threads per line").to_owned(), unit: Unit::None, scale: ScaleKind::Log },
        count_unit: Unit::Count(phrase("lines").to_owned()),
        edges: std::iter::successors(Some(1.0_f64), |edge| Some(edge * 2.0)).take(n + 1).collect(),
        series: series.collect(),
        ..Histogram::default()
    }
}

fn regions(density: &Density, reuse: &Reuse) -> TableFigure {
    let column = |name: &str, unit| TableColumn { name: name.to_owned(), unit, ..TableColumn::default() };
    let columns = vec![
        TableColumn { is_phrase: true, ..column(phrase("Region"), Unit::None) },
        column(phrase("Start"), Unit::Address),
        column(phrase("Size"), Unit::Bytes),
        TableColumn { has_bar: true, ..column(phrase("Accesses"), Unit::None) },
        column(phrase("Pages touched"), Unit::None),
        column(phrase("Lines of 128 B"), Unit::None),
        column(phrase("Accesses per line"), Unit::None),
        column(phrase("Threads per line, mean"), Unit::None),
        column(phrase("Threads per line, maximum"), Unit::None),
        column(phrase("Lines of one thread"), Unit::Share),
    ];
    let rows = density.bands.iter().zip(&reuse.bands).map(|(band, of)| {
        let lines = reuse.lines(of);
        vec![
            Cell::Text(band.region.name.to_string()),
            Cell::Integer(band.region.start),
            Cell::Integer(band.region.bytes),
            Cell::Integer(band.accesses),
            Cell::Integer(band.pages),
            Cell::Integer(lines),
            Cell::number((0 < lines).then(|| band.accesses as f64 / lines as f64)),
            Cell::number(of.mean()),
            Cell::Integer(u64::from(of.most)),
            Cell::number(of.private()),
        ]
    });
    TableFigure { rows: rows.collect(), columns, key_columns: 1, ..TableFigure::default() }
}
