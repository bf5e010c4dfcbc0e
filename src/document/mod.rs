//! An opened document: what was read, what was computed of it, and what was set; what its views keep.
//!
//! A [`Document`] is what one worker owns. The command line and the tests use it just like the page. It is opened and asked
//! by `engine`; views look into it.

mod compared;
pub mod engine;
mod kept;
pub mod picture;
mod stage;

pub use compared::Compared;
pub(crate) use compared::JoinedColumn;
pub use kept::Kept;
pub use stage::{Finish, Stage};

use crate::analysis::Derived;
use crate::analysis::contract::Analysis;
use crate::base::time::Ticks;
use crate::base::words::Language;
use crate::format::Format;
use crate::format::detail::SliceReader;
use crate::format::probe::Ranking;
use crate::format::sink::{Faults, Sink};
use crate::input::bundle::{Bundle, EntryId};
use crate::input::source::read_range;
use crate::model::Trace;
use crate::model::id::TrackId;
use crate::model::parameter::Values;
use crate::scene::palette::Palette;
use std::ops::Range;
use std::rc::Rc;

/// One opened bundle.
pub struct Document {
    pub(crate) bundle: Bundle,
    /// Path of the operator that is wanted; empty for the first.
    pub(crate) wanted: String,
    pub(crate) ranking: Option<Ranking>,
    pub(crate) stage: Stage,
    /// Parts of the program, by their rows in `systems::PARTS`, that cannot be had.
    pub(crate) without: Vec<usize>,
    /// What was set of parameters as text: what the parts that are loaded later know is set when they are there.
    pub(crate) texts: Vec<(String, String)>,
    pub(crate) sink: Sink,
    pub(crate) derived: Derived,
    pub(crate) language: Language,
    /// Colors of the last drawing, for pictures that are saved.
    pub(crate) palette: Palette,
    /// Bytes that were handed to readers, for the progress.
    pub(crate) fed: u64,
    /// Bytes that readers asked for so far.
    pub(crate) asked: u64,
    /// How many rows what was computed knows of.
    pub(crate) taken_in: u64,
    /// Offsets of files whose times lie far from those of others.
    pub(crate) offsets: Vec<(TrackId, Ticks)>,
    /// Requests that were answered.
    pub(crate) answered: u64,
    /// The time of day: seconds since the begin of 1970.
    pub(crate) clock: fn() -> Option<u64>,
    /// What views keep between questions.
    pub(crate) kept: Kept,
    /// What was joined with a baseline.
    pub(crate) compared: Compared,
    /// What the user set of parameters.
    pub(crate) values: Values,
    /// Counts up each time an analysis has a new result.
    pub(crate) revision: u64,
    /// The analyses that can be made of what was read.
    pub(crate) analyses: Vec<&'static Analysis>,
    /// What took longest without a pause, and how many milliseconds.
    pub(crate) longest_step: Option<(String, f64)>,
}

impl Document {
    /// How far opening is.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// What the files said, as far as they were read.
    pub fn trace(&self) -> &Trace {
        self.sink.builder.trace()
    }

    /// The same for jobs to hold; `None` while it still changes.
    pub(crate) fn shared_trace(&self) -> Option<Rc<Trace>> {
        self.sink.builder.shared().filter(|_| self.is_arranged()).cloned()
    }

    /// What was computed from it.
    pub fn derived(&self) -> &Derived {
        &self.derived
    }

    /// The trace together with what is kept about it, for questions that fill caches.
    pub fn parts(&mut self) -> (&Trace, &mut Derived) {
        (self.sink.builder.trace(), &mut self.derived)
    }

    /// The files.
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// What is wrong with them.
    pub fn faults(&self) -> &Faults {
        &self.sink.faults
    }

    /// The formats that were chosen to read.
    pub fn formats(&self) -> Vec<&'static Format> {
        let mut formats: Vec<&'static Format> = Vec::new();
        for (format, _) in self.ranking.iter().flat_map(|r| &r.chosen) {
            if !formats.iter().any(|f| f.id == format.id) {
                formats.push(format);
            }
        }
        formats
    }

    /// How slices of an entry are read back from their bytes.
    pub(crate) fn slice_reader(&self, entry: u32) -> Option<&'static SliceReader> {
        let chosen = self.ranking.iter().flat_map(|ranking| &ranking.chosen);
        let mut formats = chosen.filter(|(_, claim)| claim.entries.iter().any(|(id, _)| id.0 == entry));
        formats.find_map(|(format, _)| format.slices)
    }

    /// Language of answers and drawings.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Changes the language of answers and drawings.
    pub fn set_language(&mut self, language: Language) {
        self.language = language;
    }

    /// Takes the time of day from here: seconds since the begin of 1970.
    pub fn set_clock(&mut self, clock: fn() -> Option<u64>) {
        self.clock = clock;
    }

    /// Seconds since the begin of 1970, where the program has a clock.
    pub(crate) fn now(&self) -> Option<u64> {
        (self.clock)()
    }

    /// Colors of the last drawing.
    pub fn palette(&self) -> &Palette {
        &self.palette
    }

    /// Takes the colors for pictures that are saved.
    pub fn set_palette(&mut self, palette: &Palette) {
        if self.palette != *palette {
            self.palette = palette.clone();
        }
    }

    /// Keeps what took longest without a pause, for the report; without words for it, what loading does now.
    pub fn note_longest_step(&mut self, what: Option<&str>, millis: f64) {
        self.longest_step = Some((what.unwrap_or(self.sink.step).to_owned(), millis));
    }

    /// Bytes of an entry, read anew from the file; empty when they cannot be read (the file may have changed).
    pub fn bytes(&self, entry: u32, range: Range<u64>) -> Vec<u8> {
        let source = self.bundle.get(EntryId(entry)).map(|e| e.source.clone());
        source.and_then(|s| read_range(&*s, range).ok()).unwrap_or_default()
    }
}
