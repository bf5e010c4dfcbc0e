//! The questions of the overview, and the picture of an evidence.

use crate::analysis::finding::Overview;
use crate::wire::{Picture, Question};
use serde::{Deserialize, Serialize};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OverviewQuery {
    /// Figures and where it goes, before rules have looked.
    Summary,
    /// The findings of some rules more than so many; of all when there is nothing else to do.
    Findings { known: u32 },
    /// All of it, with the rows of parts that have these whole names, also where they are not among those shown.
    Beside { names: Vec<String> },
}

impl Question for OverviewQuery {
    const OF: &'static str = "overview";
    type Reply = Overview;
}

/// The picture of the evidence of a finding, by its rule and subject.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EvidencePicture {
    pub rule: String,
    pub subject: String,
}

impl Picture for EvidencePicture {
    const OF: &'static str = "evidence";
    type Note = ();
}
