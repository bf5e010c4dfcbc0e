//! How files are read: what a format is, how files are recognized, and where what is read goes.
//!
//! To add a format: a file or folder in that of its system with one `pub static FORMAT: Format`, and its item in the
//! system's list of formats. Then a fixture folder `tests/fixtures/<id>/`, a fault table
//! `tests/faults/<id>.toml`, and `UPDATE=1 cargo test` for the row in README.
//!
//! Readers treat their bytes as hostile: they walk around damage and say where it is, never panic, and never allocate by
//! a number from the file that exceeds the bytes left.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![deny(clippy::cast_possible_truncation)]

pub mod detail;
pub mod probe;
pub mod sink;

use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::{Message, message, phrase};
use crate::input::bundle::{Bundle, Entry, EntryId};
use crate::model::files::operator::OperatorHead;
use crate::model::parameter::{Parameter, Values};
use sink::Sink;
use std::ops::Range;

/// One kind of file or folder that can be read.
pub struct Format {
    /// Stable id, the name of its file or folder here: `trace_event`.
    pub id: &'static str,
    /// What a person calls it.
    pub title: &'static str,
    /// The tools and versions that write it.
    pub written_by: &'static str,
    /// Patterns of file names, for the welcome page and the file picker; never trusted.
    pub patterns: &'static [&'static str],
    /// What can be seen of it, for the welcome page.
    pub shows: &'static str,
    /// Where the facts about it come from.
    pub source: &'static str,
    /// How it is recognized.
    pub probe: Probe,
    /// What the user may set of reading; such parameters reread the files. A file among them is opened with the others,
    /// under the parameter's id.
    pub parameters: &'static [&'static Parameter],
    /// Begins to read what was claimed, with what the user set.
    pub read: fn(&Claim, &Values) -> Box<dyn Reading>,
    /// How slices are read back from their bytes; `None` when bytes say no more than the trace holds.
    pub slices: Option<&'static detail::SliceReader>,
    /// What the vendor's own tools object to in the permissions of a file (Unix mode bits), as the end of a sentence that
    /// begins with its path.
    pub mode_note: Option<fn(u32) -> Option<&'static str>>,
    /// How folders of this format fall apart into operators, each a document of its own; `None` when they never do.
    pub operators: Option<Operators>,
}

impl Format {
    /// The same where its reader may not be loaded yet: it is recognized, and its folders fall apart into operators.
    #[must_use]
    pub const fn recognized(&self) -> Self {
        Self {
            id: self.id,
            title: self.title,
            written_by: self.written_by,
            patterns: self.patterns,
            shows: self.shows,
            source: self.source,
            probe: Probe { look: self.probe.look, join: self.probe.join },
            parameters: self.parameters,
            read: |claim, _| Box::new(Missing::new(claim)),
            slices: None,
            mode_note: None,
            operators: self.operators,
        }
    }
}

/// Reads nothing: the part of the program that reads the files could not be loaded.
struct Missing(Option<EntryId>);

impl Missing {
    fn new(claim: &Claim) -> Self {
        Self(claim.entries.first().map(|(entry, _)| *entry))
    }
}

impl Reading for Missing {
    fn next(&mut self, bundle: &Bundle, _: &mut Sink) -> Result<Want, Fault> {
        let path = self.0.and_then(|entry| bundle.get(entry)).map_or("", |entry| entry.path.as_str());
        let kind = Kind::Problem(message("the reader for this format could not be loaded"));
        let fault = Fault::new("INP-PART", Severity::Loss, Place::entry(path), kind);
        Err(fault.note(phrase("Check your connection and open the file again.")))
    }

    fn feed(&mut self, _: &[u8], _: &Bundle, _: &mut Sink) -> Result<(), Fault> {
        Ok(())
    }
}

/// How a format is recognized.
pub struct Probe {
    /// Looks at one entry. Costs a few small reads: between two entries the program gives way.
    pub look: fn(&Entry) -> ProbeResult,
    /// After all entries were looked at, claims those that belong to claimed ones; `None` when entries stand alone.
    pub join: Option<fn(&Bundle, &mut Probed)>,
}

/// What was seen of an entry: how sure, its role and why in one sentence; or how near it came (0 to 100) and what it missed.
pub type ProbeResult = Result<(Degree, &'static str, Message), (u8, Message)>;

/// What a probe says of an entry that cannot be read.
pub fn unreadable(error: &str) -> Message {
    message("not readable: {error}").with("error", error)
}

/// How a folder falls apart into operators.
#[derive(Clone, Copy)]
pub struct Operators {
    /// The switch of the command line that chooses one beside `--operator`; empty for none.
    pub switch: &'static str,
    /// What they are called, a phrase.
    pub title: &'static str,
    /// The operators of a bundle, in the order of their paths. Looks at paths, and at heads of files where these do not
    /// tell.
    pub find: fn(&Bundle) -> Vec<Part>,
    /// What an operator is. Costs a few small reads.
    pub head: fn(&Bundle, &Part) -> OperatorHead,
}

/// A part of a bundle that is a document of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The folder that holds it.
    pub path: String,
    /// Its entries.
    pub entries: Vec<EntryId>,
}

/// What looking at a bundle found.
#[derive(Default)]
pub struct Probed {
    /// What is claimed; several when the bundle holds several traces of this format.
    pub claims: Vec<Claim>,
    /// When nothing is claimed: the entry that came nearest and what it missed.
    pub near_miss: Option<NearMiss>,
}

impl Probed {
    /// Takes in what was seen of an entry; a later near miss wins only when it is nearer.
    pub fn take(&mut self, entry: EntryId, look: ProbeResult) {
        match look {
            Ok((degree, role, reason)) => {
                self.claims.push(Claim { degree, entries: vec![(entry, role)], reason });
            }
            Err((score, missed)) => {
                if self.near_miss.as_ref().is_none_or(|near| near.score < score) {
                    self.near_miss = Some(NearMiss { entry, missed, score });
                }
            }
        }
    }
}

/// What came nearest to a format, and what it missed.
#[derive(Clone, Debug)]
pub struct NearMiss {
    /// The entry.
    pub entry: EntryId,
    /// What it missed, such as "byte 11: expected 5A, found 00".
    pub missed: Message,
    /// How much of the check it passed, 0 to 100: orders the near misses of several formats.
    pub score: u8,
}

/// How sure a format is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Degree {
    /// The name fits.
    Possible,
    /// The head fits.
    Likely,
    /// The structure was verified.
    Certain,
}

/// "These entries are mine."
#[derive(Clone, Debug)]
pub struct Claim {
    /// How sure.
    pub degree: Degree,
    /// The claimed entries, each with its role in the format.
    pub entries: Vec<(EntryId, &'static str)>,
    /// Why, in one sentence.
    pub reason: Message,
}

/// One reading in progress: asked what it wants, fed with it, until it is done. It never blocks for long: a feed or a
/// step takes some 10 ms, and between them the program may draw, answer and cancel.
pub trait Reading {
    /// What is wanted next. Small reads of the bundle's sources may be done here directly.
    ///
    /// # Errors
    /// A fatal fault: nothing more of this claim can be used. What was pushed before stays.
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault>;

    /// Takes the next bytes of the wanted range, in order, without gaps; the pieces may have any size.
    ///
    /// # Errors
    /// As [`Reading::next`].
    fn feed(&mut self, chunk: &[u8], bundle: &Bundle, sink: &mut Sink) -> Result<(), Fault>;

    /// Whether what was fed is not worked up: `feed` is called with nothing, after the program has given way, until it is.
    fn is_busy(&self) -> bool {
        false
    }

    /// Where the reading stands, for progress and for the report of a crash: an entry and a byte.
    fn position(&self) -> Option<(EntryId, u64)> {
        None
    }
}

/// What a reading wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// These bytes, in order, through `feed`; then `next` is called again. A source that ends early ends the range.
    Stream {
        /// The entry.
        entry: EntryId,
        /// The bytes of it.
        range: Range<u64>,
    },
    /// To be called again after the program has given way.
    Again,
    /// Nothing: everything is in the sink.
    Done,
}
