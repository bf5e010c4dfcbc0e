//! Ascend containers through the front door: fixtures of our own, and the corpus where it is at hand.

mod blocks;
mod code;
mod conclusions;
mod container;
mod cores;
mod corpus;
mod details;
mod exact;
mod export;
mod folders;
mod folds;
mod leads;
mod memory;
mod seen;
mod steps;
mod texts;
mod waiting;
mod weights;

use lanescope::analysis::finding::plain;
use lanescope::document::Document;
use lanescope::model::figure::Family;
use lanescope::wire::figures::{AdviceLine, FigureQuery, Reply};

/// The figures of this id.
fn family<'a>(doc: &'a Document, id: &str) -> &'a Family {
    let ids: Vec<&str> = doc.trace().figures.iter().map(|f| f.id.as_str()).collect();
    doc.trace().figures.iter().find(|f| f.id == id).unwrap_or_else(|| panic!("{id} is not among {ids:?}"))
}

/// The codes of all faults.
fn codes(doc: &Document) -> Vec<&str> {
    doc.faults().rows().iter().map(|f| f.code.as_ref()).collect()
}

/// The lines of the panel of advice.
fn advice(doc: &mut Document) -> Vec<AdviceLine> {
    match doc.query(&FigureQuery::Advice).0 {
        Some(Reply::Advice(lines)) => lines,
        other => panic!("{other:?}"),
    }
}

/// Their sentences.
fn sentences(doc: &mut Document) -> Vec<String> {
    advice(doc).iter().map(|line| plain(&line.sentence.to_string())).collect()
}
