//! What a report is asked to hold: a file that is read without Lanescope, of one profile or of two.

use super::finding::Overview;
use crate::base::fault::Fault;
use crate::base::words::phrase;
use crate::model::notes::Notes;
use serde::{Deserialize, Serialize};

/// Id of the export that writes it.
pub const REPORT: &str = "report-html";

/// Its parts in their order: id, and what a person calls it.
pub const PARTS: [(&str, &str); 5] = [
    (FINDINGS, phrase("Overview and findings")),
    (FIGURES, phrase("Figures")),
    (TABLES, phrase("Tables")),
    (FAULTS, phrase("Problems in the files")),
    (NOTES, phrase("Notes")),
];

/// First figures, what limits it, where it goes.
pub const FINDINGS: &str = "findings";
/// The figures of Details.
pub const FIGURES: &str = "figures";
/// Long tables of the files.
pub const TABLES: &str = "tables";
/// What is wrong with the files.
pub const FAULTS: &str = "faults";
/// What users wrote.
pub const NOTES: &str = "notes";

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportAsk {
    /// What the files are called; empty for the name that the document gives itself.
    pub name: String,
    /// Ids of [`PARTS`]; `None` for all.
    pub parts: Option<Vec<String>>,
    /// Ids of the figures; `None` for all.
    pub figures: Option<Vec<String>>,
    /// What is chosen of figures: names of choices, and their options.
    pub chosen: Vec<(String, String)>,
    /// Pictures of views: title, and the text of a file of SVG.
    pub pictures: Vec<(String, String)>,
    pub notes: Option<Notes>,
    /// What it is compared with.
    pub baseline: Option<ReportBaseline>,
}

/// What a report says of a baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportBaseline {
    /// What its files are called.
    pub name: String,
    pub overview: Overview,
    /// The sentence above the comparison, in the language of the report; empty where there is none.
    #[serde(default)]
    pub headline: String,
    pub notes: Option<Notes>,
    /// Titles of the figures that only it has.
    pub alone: Vec<String>,
    /// What is wrong with its files.
    #[serde(default)]
    pub faults: Vec<Fault>,
}

impl ReportAsk {
    /// Whether a part is wanted.
    pub fn has(&self, part: &str) -> bool {
        self.parts.as_ref().is_none_or(|parts| parts.iter().any(|own| own == part))
    }

    /// Whether a figure is wanted.
    pub fn has_figure(&self, id: &str) -> bool {
        self.has(FIGURES) && self.figures.as_ref().is_none_or(|ids| ids.iter().any(|own| own == id))
    }
}
