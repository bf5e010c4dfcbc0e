//! What can be saved, and what scripts may ask: the same bytes for the page's menu and for `lanescope --export ID`.
//!
//! To add a general export: a function that writes it, and one entry in [`EXPORTS`]; systems bring their own. An id may
//! carry an argument behind a colon: `figure-svg:core-occupancy` where the export says so, and its parameters,
//! `some-export:per-run`, `some-export:limit=12,strict`.

mod accesses;
mod area;
mod blocks;
pub mod columns;
mod device;
mod figures;
pub mod minify;
pub mod operators;
mod parts;
pub mod request;
pub mod rows;
mod sums;
mod trace;

use crate::analysis::Derived;
use crate::analysis::compare::family::JoinedFigure;
use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure};
use crate::base::words::Language;
use crate::draw::scheme::ColorBy;
use crate::format::Format;
use crate::format::sink::Faults;
use crate::input::bundle::{Bundle, EntryId};
use crate::input::source::read_range;
use crate::model::Trace;
use crate::model::files::operator::OperatorHead;
use crate::model::parameter::{Parameter, Values};
use std::any::Any;
use std::fmt;
use std::io;
use std::ops::Range;
use std::rc::Rc;

pub use figures::{families_csv, families_json, families_svg};
pub use parts::{Out, Parts, Saving, stem, whole, written};
pub use rows::figure_csv;

/// All that an export may look at.
pub struct ExportInput<'a> {
    /// The files.
    pub bundle: &'a Bundle,
    /// What they said.
    pub trace: &'a Rc<Trace>,
    /// What was computed from it.
    pub derived: &'a Derived,
    /// Figures that were joined with a baseline.
    pub compared: &'a [JoinedFigure],
    /// What the user set of parameters.
    pub values: &'a Values,
    /// The analyses that can be made of the trace.
    pub analyses: &'a [&'static Analysis],
    /// Entries that some format reads.
    pub claimed: &'a [EntryId],
    /// What is wrong with them.
    pub faults: &'a Faults,
    /// The formats that read them.
    pub formats: &'a [&'static Format],
    /// Language of the words that are not data.
    pub language: Language,
    /// Id of the color scheme of pictures.
    pub scheme: &'a str,
    /// What decides the colors of slices.
    pub color: ColorBy,
    /// The operators of the project, when they are asked for.
    pub operators: &'a [OperatorHead],
    /// Seconds since the begin of 1970, where the program has a clock.
    pub now: Option<u64>,
}

impl<'a> ExportInput<'a> {
    /// Bytes of an entry, read anew from the file; empty when they cannot be read (the file may have changed).
    pub fn bytes(&self, entry: u32, range: Range<u64>) -> Vec<u8> {
        let source = self.bundle.get(EntryId(entry)).map(|e| e.source.clone());
        source.and_then(|s| read_range(&*s, range).ok()).unwrap_or_default()
    }

    /// What an analysis may look at.
    pub fn of(&self, analysis: &Analysis) -> AnalysisInput<'a> {
        self.derived.results.input(analysis, self.trace, &self.derived.timeline, self.values)
    }

    /// The result of an analysis as what it is; `None` when it was not made.
    pub fn result<T: Any>(&self, analysis: &Analysis) -> Option<&'a T> {
        self.of(analysis).result()
    }

    /// The figures that can be computed, each with what its analysis may look at.
    pub fn computed(&self) -> impl Iterator<Item = (AnalysisInput<'a>, ComputedFigure)> {
        let (derived, trace, values) = (self.derived, self.trace, self.values);
        self.analyses.iter().flat_map(move |analysis| {
            let input = derived.results.input(analysis, trace, &derived.timeline, values);
            (analysis.figures)(&input).into_iter().map(move |figure| (input, figure))
        })
    }
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
    /// What the user may set.
    pub parameters: &'static [&'static Parameter],
    /// Whether there is anything to write.
    pub can: fn(&ExportInput) -> bool,
    /// Begins to write it. The argument is empty when none was given. An error of a part that holds [`ExportMessage`]
    /// comes behind a file that is written, all others instead of the rest of one.
    pub write: fn(&ExportInput, &str) -> io::Result<Parts>,
}

/// The general exports, in the order of the menu.
#[rustfmt::skip] // one entry a line
pub static EXPORTS: &[&Export] = &[
    &trace::SUMMARY_JSON,
    &trace::SLICES_CSV,
    &trace::INSTANTS_CSV,
    &sums::RANGE_CSV,
    &sums::STATISTICS_CSV,
    &sums::THREADS_CSV,
    &device::KERNELS_CSV,
    &device::OPERATORS_DEVICE_CSV,
    &device::FUNCTIONS_DEVICE_CSV,
    &device::MODULES_CSV,
    &device::STACKS_CSV,
    &device::OPERATORS_MEMORY_CSV,
    &device::STEPS_CSV,
    &device::IDLE_CSV,
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
];

impl Export {
    /// The values of its parameters: those that were set, and before them those that its argument names.
    fn values(&self, input: &ExportInput, argument: &str) -> Result<Values, String> {
        let mut values = input.values.clone();
        if self.parameters.is_empty() {
            return Ok(values);
        }
        for word in argument.split(',').filter(|word| !word.is_empty()) {
            let (id, text) = word.split_once('=').unwrap_or((word, ""));
            let Some(parameter) = self.parameters.iter().find(|parameter| parameter.id == id) else {
                let known: Vec<&str> = self.parameters.iter().map(|parameter| parameter.id).collect();
                return Err(format!("{} has no parameter {id}; available: {}.", self.id, known.join(", ")));
            };
            let value = parameter.parse(text).map_err(|why| format!("{id}: {why}, found {text}."))?;
            values.set(id, value);
        }
        Ok(values)
    }
}

/// What an export has to say beside the bytes that it wrote.
#[derive(Debug)]
pub struct ExportMessage {
    /// The lines.
    pub text: String,
    /// Whether everything was written.
    pub is_whole: bool,
}

impl fmt::Display for ExportMessage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.text.trim())
    }
}

impl std::error::Error for ExportMessage {}

impl From<ExportMessage> for io::Error {
    fn from(said: ExportMessage) -> Self {
        Self::other(said)
    }
}

/// The general exports, then these of systems.
pub fn all(of_systems: impl Iterator<Item = &'static Export>) -> impl Iterator<Item = &'static Export> {
    EXPORTS.iter().copied().chain(of_systems)
}
