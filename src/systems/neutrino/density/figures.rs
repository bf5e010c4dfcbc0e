//! Figures of the accesses: sums, their course over time, how often pages are accessed.

use crate::analysis::contract::{AnalysisInput, ComputedFigure, FigureHead};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::{Body, Facts, Figure};
use crate::views::density::compute::{Density, all_facts, histogram, over_time, per_warp};

/// Id, title, kind.
const FIGURES: [(&str, &str, &str); 6] = [
    ("density-facts", phrase("Memory accesses"), "facts"),
    ("density-time", phrase("Accesses over time"), "lines"),
    ("density-working-set", phrase("Working set over time"), "lines"),
    ("density-reuse", phrase("Accesses per page"), "histogram"),
    ("density-bytes", phrase("Bytes touched per page"), "histogram"),
    ("density-sectors", phrase("Sectors per warp access"), "histogram"),
];

pub(super) fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let Some(density) = input.result::<Density>() else { return Vec::new() };
    let has = |id: &str| match id {
        "density-bytes" => density.has_sectors,
        "density-sectors" => density.per_warp.is_some(),
        _ => true,
    };
    let figure = |(id, title, kind): (&str, &str, &'static str)| ComputedFigure {
        head: FigureHead {
            id: id.to_owned(),
            section: phrase("Memory accesses over time"),
            title: title.to_owned(),
            kind,
            columns: 1,
            choices: Vec::new(),
        },
        compute,
    };
    FIGURES.into_iter().filter(|(id, ..)| has(id)).map(figure).collect()
}

fn compute(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let nothing = Density::default();
    let density = input.result::<Density>().unwrap_or(&nothing);
    let body = match id {
        "density-facts" => Body::Facts(Facts { facts: all_facts(density) }),
        "density-time" => Body::Lines(over_time(density, false)),
        "density-working-set" => Body::Lines(over_time(density, true)),
        "density-reuse" => {
            let name = phrase("Accesses per page");
            Body::Histogram(histogram(
                name,
                Unit::None,
                phrase("pages"),
                &density.per_page(|page| page.accesses),
            ))
        }
        "density-bytes" => {
            let bytes = density.per_page(|page| u64::from(page.sectors) * 32);
            Body::Histogram(histogram(phrase("Bytes touched per page"), Unit::Bytes, phrase("pages"), &bytes))
        }
        _ => Body::Histogram(per_warp(density.per_warp.as_ref())),
    };
    let mut figure = Figure::new("", body);
    if id == "density-facts" {
        figure.notes.clone_from(&density.notes);
    }
    figure
}
