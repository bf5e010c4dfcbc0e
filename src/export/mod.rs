//! What can be saved: one registry, the same bytes for the page's menu and for `lanescope --export ID`.
//!
//! To add an export: a function that writes it, and one entry in [`EXPORTS`]. An id may carry an argument behind a
//! colon, such as `figure-svg:core-occupancy`, where the export says so.

mod accesses;
mod area;
mod blocks;
mod figures;
mod minify;
mod nnapi;
pub mod operators;
mod range;
mod rows;
mod trace;

use crate::analysis::Derived;
use crate::analysis::compare::family::JoinedFigure;
use crate::base::words::Language;
use crate::format::Format;
use crate::format::sink::Faults;
use crate::input::bundle::Bundle;
use crate::model::Trace;
use crate::model::operator::OperatorHead;
use crate::scene::palette::Scheme;
use std::fmt;
use std::io::{self, Write};

pub use blocks::blocks_json;
pub use figures::{families_csv, families_json, families_svg};
pub use rows::figure_csv;

/// All that an export may look at.
pub struct Whole<'a> {
    /// The files.
    pub bundle: &'a Bundle,
    /// What they said.
    pub trace: &'a Trace,
    /// What was computed from it.
    pub derived: &'a Derived,
    /// Figures that were joined with a baseline.
    pub compared: &'a [JoinedFigure],
    /// What is wrong with them.
    pub faults: &'a Faults,
    /// The formats that read them.
    pub formats: &'a [&'static Format],
    /// Language of the words that are not data.
    pub language: Language,
    /// Whose colors pictures have.
    pub scheme: Scheme,
    /// The operators of the project, when they are asked for.
    pub operators: Vec<OperatorHead>,
}

/// One export.
pub struct Export {
    /// Stable id.
    pub id: &'static str,
    /// What a person calls it; an English phrase of `base::words`.
    pub title: &'static str,
    /// What the name of the saved file ends with, behind the title of the document.
    pub suffix: &'static str,
    /// Media type.
    pub mime: &'static str,
    /// Whether an argument may follow the id: the id of one figure with its choices (`:compute-workload:1,0`), or a
    /// range (`:0,5000`).
    pub takes_argument: bool,
    /// Whether there is anything to write.
    pub can: fn(&Whole) -> bool,
    /// Writes it. The argument is empty when none was given. An error that holds [`Said`] comes behind a file that is
    /// written, all others instead of one.
    pub write: fn(&Whole, &str, &mut dyn Write) -> io::Result<()>,
}

/// All exports, in the order of the menu.
#[rustfmt::skip] // one entry a line
pub static EXPORTS: &[&Export] = &[
    &trace::SUMMARY_JSON,
    &trace::SLICES_CSV,
    &range::RANGE_CSV,
    &area::AGGREGATE_CSV,
    &area::FLAME_SVG,
    &area::GAPS_CSV,
    &area::OVERLAP_CSV,
    &area::OVERLAP_JSON,
    &area::FLOWS_CSV,
    &operators::OPERATORS_CSV,
    &accesses::ACCESSES_CSV,
    &blocks::BLOCKS_JSON,
    &figures::FIGURES_JSON,
    &figures::FIGURES_CSV,
    &figures::FIGURE_SVG,
    &nnapi::NNAPI_TEXT,
    &nnapi::NNAPI_JSON,
    &nnapi::NNAPI_CORRECTED_JSON,
];

/// A finished file.
pub struct Saved {
    /// Suggested name.
    pub name: String,
    /// Media type.
    pub mime: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What is to be said beside it, in lines.
    pub said: String,
    /// Whether it holds all; otherwise what was said tells why not.
    pub is_whole: bool,
}

/// What an export has to say beside the bytes that it wrote.
#[derive(Debug)]
pub struct Said {
    /// The lines.
    pub text: String,
    /// Whether everything was written.
    pub is_whole: bool,
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.text.trim())
    }
}

impl std::error::Error for Said {}

impl From<Said> for io::Error {
    fn from(said: Said) -> Self {
        Self::other(said)
    }
}

/// Makes an export by its id.
///
/// # Errors
/// One sentence: no such export, nothing to write, or what went wrong.
pub fn save(whole: &Whole, id: &str) -> Result<Saved, String> {
    let (name, argument) = id.split_once(':').unwrap_or((id, ""));
    let names = || EXPORTS.iter().map(|e| e.id).collect::<Vec<_>>().join(", ");
    let found = EXPORTS.iter().find(|e| e.id == name && (argument.is_empty() || e.takes_argument));
    let export = found.ok_or_else(|| format!("There is no export {id}; there are {}.", names()))?;
    if !(export.can)(whole) {
        return Err(format!("The files hold nothing for {name}."));
    }
    let mut bytes = Vec::new();
    let (mut said, mut is_whole) = (String::new(), true);
    if let Err(error) = (export.write)(whole, argument, &mut bytes) {
        let beside = error.downcast::<Said>().map_err(|e| e.to_string())?;
        (said, is_whole) = (beside.text, beside.is_whole);
    }
    let stem = stem(&whole.bundle.title());
    let part = argument.replace([':', ',', '/', '\\'], "-");
    let dash = if part.is_empty() { "" } else { "." };
    let name = format!("{stem}{dash}{part}.{}", export.suffix);
    Ok(Saved { name, mime: export.mime, bytes, said, is_whole })
}

/// The name of the document without the endings of its file.
fn stem(title: &str) -> String {
    let name = title.rsplit('/').next().unwrap_or(title);
    let cut = [".gz", ".xz", ".zst", ".json", ".bin", ".zip", ".tar"];
    let mut stem = name;
    while let Some(shorter) = cut.iter().find_map(|end| stem.strip_suffix(end)).filter(|s| !s.is_empty()) {
        stem = shorter;
    }
    stem.to_owned()
}
