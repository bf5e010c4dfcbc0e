//! Questions and answers about mappings, which say how the lines of a log are worded: tried on the first lines of a file.

use crate::model::parameter::{LineMatch, PreviewProblem};
use crate::wire::Question;
use serde::{Deserialize, Serialize};

/// Id of the parameter whose value a mapping is.
pub const MAPPING: &str = "mapping";

/// Lines that are tried at most.
pub const LINES: usize = 4_096;
/// Rows that are answered at most.
pub const ROWS: usize = 100;

/// What a mapping makes of the first lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappingQuery {
    /// The mapping, as its file has it.
    pub text: String,
    /// Number of the file among [`Reply::files`]; the first that is text without one.
    pub file: Option<u32>,
    /// Whether only lines that it fits are shown.
    pub only_matches: bool,
}

/// What it makes of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Why the mapping cannot be used; lines are shown all the same.
    pub problem: Option<PreviewProblem>,
    /// Paths of files that can be looked at.
    pub files: Vec<String>,
    /// Number of the one that was looked at.
    pub file: u32,
    /// Whether it is no text.
    pub is_binary: bool,
    /// Lines that were tried.
    pub lines: u64,
    /// How many lines each expression fits, by its name.
    pub counts: Vec<(String, u64)>,
    /// Lines among them with a group that means nothing.
    pub wrong: u64,
    /// Lines, at most [`ROWS`].
    pub rows: Vec<TriedLine>,
}

impl Reply {
    /// How many lines an expression fits.
    pub fn count(&self, field: &str) -> u64 {
        self.counts.iter().find(|(own, _)| own == field).map_or(0, |(_, n)| *n)
    }

    /// How many lines any of them fits.
    pub fn matches(&self) -> u64 {
        self.counts.iter().map(|(_, n)| n).sum()
    }
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedLine {
    /// Its number, from 1.
    pub number: u64,
    /// Its text; the end of a long one is missing.
    pub text: String,
    pub found: Option<LineMatch>,
}

impl Question for MappingQuery {
    const OF: &'static str = "mapping";
    type Reply = Reply;
}
