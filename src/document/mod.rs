//! An opened document: what was read, what was computed of it, and what was set; what its views keep.
//!
//! A [`Document`] is what one worker owns. The command line and the tests use it just like the page. It is opened and asked
//! by `engine`; views look into it.

pub mod engine;

use crate::analysis::Derived;
use crate::analysis::compare::code::{BaselineMatch, JoinedCode};
use crate::analysis::compare::family::JoinedFigure;
use crate::analysis::contract::Analysis;
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::time::Ticks;
use crate::base::words::Language;
use crate::draw::style::{LABEL, T3};
use crate::findings::Guide;
use crate::format::{Claim, Faults, Format, Probing, Ranking, Reading, Sink, SliceReader};
use crate::input::unpack::Unpacker;
use crate::input::{Bundle, EntryId, Source, read_range};
use crate::model::Trace;
use crate::model::figure::Figure;
use crate::model::id::{ListingId, TrackId};
use crate::model::parameter::Values;
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Align, Scene, text};
use crate::wire::ViewPicture;
use std::any::Any;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// One opened bundle.
pub struct Document {
    pub(crate) bundle: Bundle,
    /// The files as they were given, before anything was unpacked.
    pub(crate) given: Vec<Source>,
    /// Path of the operator that is wanted; empty for the first.
    pub(crate) wanted: String,
    pub(crate) ranking: Option<Ranking>,
    pub(crate) stage: OpeningStage,
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
    /// What systems say of what limits programs, in their order.
    pub(crate) guides: Vec<&'static Guide>,
    /// What took longest without a pause, and how many milliseconds.
    pub(crate) longest_step: Option<(String, f64)>,
}

impl Document {
    /// How far opening is.
    pub fn stage(&self) -> &OpeningStage {
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

// What views keep of a document between questions.

/// One value of each type, made when it is asked for first. Looking one up costs a comparison for each.
#[derive(Default)]
pub struct Kept(Vec<Box<dyn Any>>);

impl Kept {
    /// What is kept of a type; `None` before anything is.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.iter().find_map(|kept| kept.downcast_ref())
    }

    /// Keeps this instead of what was kept of its type.
    pub fn set<T: Any>(&mut self, new: T) {
        self.0.retain(|kept| !kept.is::<T>());
        self.0.push(Box::new(new));
    }

    /// The same to be changed; the default before anything is.
    pub fn of<T: Any + Default>(&mut self) -> &mut T {
        let at = self.0.iter().position(|kept| kept.is::<T>()).unwrap_or(self.0.len());
        if at == self.0.len() {
            self.0.push(Box::new(T::default()));
        }
        let kept = self.0.get_mut(at).and_then(|kept| kept.downcast_mut());
        kept.unwrap_or_else(|| unreachable!("what stands there was found by this type, or is its default"))
    }
}

// Views as pictures without a screen: what such a picture is.
//
// The width of a picture is the asked one. A listing fills the asked height; rows and figures take what they need.

/// A picture is never higher, whatever it holds: programs that open it have such limits.
pub const MAX_HEIGHT: Px = 16_384.0;

/// A view as a picture.
pub struct Picture {
    /// Id of the view.
    pub id: &'static str,
    pub title: &'static str,
    /// Draws it; `Err` says in one sentence why there is nothing to draw.
    pub draw: fn(&mut Document, Size, &Palette) -> Result<Scene, String>,
    /// Draws what the page shows of it, where that is more than its pictures beside each other.
    pub seen: Option<Seen>,
}

/// Draws what the page shows of a view.
pub type Seen = fn(&mut Document, &ViewPicture, Size, &Palette) -> Result<Scene, String>;

/// What colors mean, at the right of the head of a picture: their low end, the colors, their high end.
pub(crate) fn ramp(scene: &mut Scene, low: String, colors: &[u32], high: String) {
    let mut x = scene.size.w - 16.0 - text::width(&high, LABEL);
    scene.text(Point { x, y: 21.0 }, high, LABEL, T3, Align::Left);
    for (at, color) in colors.iter().rev().enumerate() {
        x -= if at == 0 { 15.0 } else { 9.0 };
        scene.fill(Rect::new(x, 13.0, 9.0, 9.0), Ink::Rgba(*color));
    }
    scene.text(Point { x: x - 6.0, y: 21.0 }, low, LABEL, T3, Align::Right);
}

// What of a document was joined with a baseline.

/// What was joined with a baseline and is kept for frames and exports.
#[derive(Default)]
pub struct Compared {
    pub(crate) figures: Vec<JoinedFigure>,
    pub(crate) columns: Vec<JoinedColumn>,
    /// Counts up with each figure that is joined.
    pub(crate) joined: u64,
}

/// A column of a listing with what it meets.
pub(crate) struct JoinedColumn {
    pub(crate) listing: ListingId,
    pub(crate) column: u16,
    pub(crate) core: u16,
    pub(crate) joined: JoinedCode,
    /// The row whose difference takes the most letters.
    pub(crate) widest: usize,
}

impl Compared {
    /// The joined figures, at most one of each family.
    pub fn figures(&self) -> &[JoinedFigure] {
        &self.figures
    }

    /// The figure of a family, when it was joined for these options.
    pub fn figure(&self, id: &str, chosen: &[usize]) -> Option<&Figure> {
        self.figures.iter().find(|f| f.id == id && f.chosen == chosen).map(|f| &f.figure)
    }

    /// The column of a listing that was joined last for this core: its number, what each row meets, and the row whose
    /// difference takes the most letters.
    pub fn column(&self, listing: ListingId, core: u16) -> Option<(usize, &[BaselineMatch], usize)> {
        let found = self.columns.iter().find(|c| c.listing == listing && c.core == core)?;
        Some((usize::from(found.column), &found.joined.rows, found.widest))
    }
}

// How far the opening of a document is.

/// How far a document is.
pub enum OpeningStage {
    /// Archives become entries.
    Unpack(Unpacker),
    /// Formats are asked.
    Probe(Probing),
    /// It is known who reads what; the parts of the program that read it are loaded.
    Load,
    /// Claims are read, one after the other.
    Read {
        reading: Option<Box<dyn Reading>>,
        /// What is still to be read.
        rest: VecDeque<(&'static Format, Claim)>,
    },
    /// Analyses run: those that add tracks before the rows are sorted, all others after it.
    Analyze { is_sorted: bool },
    /// Rows are sorted and the rest is computed.
    Finish(Finish),
    /// Everything can be asked.
    Ready,
    /// Nothing can be asked but the report.
    Failed,
}

/// What is done once everything is read, piece by piece.
#[derive(Clone, Copy, Debug)]
pub enum Finish {
    /// Names are counted in the order of the file.
    TakeIn,
    /// Rows and tracks are put in order.
    Sort,
    /// What follows from all rows is computed.
    Derive,
}
