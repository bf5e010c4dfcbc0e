//! Texts that say how lines of other files are worded: tried on lines before files are read with them.

use crate::base::words::Message;
use serde::{Deserialize, Serialize};

/// Makes of a text what reads lines by it.
pub type Preview = fn(&str) -> Result<Box<dyn LineReader>, PreviewProblem>;

/// Reads single lines.
pub trait LineReader {
    /// What a line says; `None` when nothing fits it.
    fn match_line(&self, line: &str) -> Option<LineMatch>;
}

/// What a line says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineMatch {
    /// The member of the text whose expression fits.
    pub field: String,
    /// The named groups: name, first byte, and the byte behind the last.
    pub groups: Vec<(String, u32, u32)>,
    /// What they mean, by name: texts, or English phrases.
    pub values: Vec<(String, String)>,
    /// The group whose text means nothing; the line is left out.
    pub wrong: Option<String>,
}

/// Why a text cannot be used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PreviewProblem {
    /// The member that is wrong; empty for the whole.
    pub field: String,
    /// The byte of the member, or of the whole, where that is known.
    pub at: Option<u64>,
    /// What is wrong, without its full stop.
    pub why: Message,
}
