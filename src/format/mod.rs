//! How files are read: what a format is, how files are recognized, and where what is read goes.
//!
//! To add a format: a file or folder in that of its system with one `pub static FORMAT: Format`, and its item in the
//! system's list of formats. Then a fixture folder `tests/fixtures/<id>/`, a fault table
//! `tests/fixtures/<id>/faults.toml`, and `UPDATE=1 cargo test` for the row in README.
//!
//! Readers treat their bytes as hostile: they walk around damage and say where it is, never panic, and never allocate by
//! a number from the file that exceeds the bytes left.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![deny(clippy::cast_possible_truncation)]

use crate::base::fault::{Fault, Kind, Place, Severity, is_damage, loses_rows};
use crate::base::job::{Job, Turn};
use crate::base::map::{Map, Set};
use crate::base::words::{Message, message, phrase};
use crate::base::{number, order};
use crate::input::{Bundle, Entry, EntryId, limits};
use crate::model::Trace;
use crate::model::access::Access;
use crate::model::build::{Tap, TraceBuilder};
use crate::model::files::OperatorHead;
use crate::model::parameter::{Parameter, Values};
use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

/// One kind of file or folder that can be read.
pub struct Format {
    /// Stable id, the name of its file or folder here: `trace_event`.
    pub id: &'static str,
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
    pub slices: Option<&'static SliceReader>,
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
        entry: EntryId,
        /// The bytes of it.
        range: Range<u64>,
    },
    /// To be called again after the program has given way.
    Again,
    /// Nothing: everything is in the sink.
    Done,
}

// What is read back from the bytes of one slice when somebody asks for it.

/// The address of an instruction, and the call stack that led there, as the file orders it.
pub type Origin = (Option<u64>, Vec<Frame>);

/// Finds args in the bytes of a slice.
pub type ReadArgs = for<'a> fn(&'a [u8]) -> Cow<'a, [u8]>;

/// How slices of a format are read back.
pub struct SliceReader {
    /// Everything that the bytes of a slice say. Never fails: of damaged bytes comes what can be read.
    pub detail: fn(&SliceBytes) -> SliceDetail,
    /// The text of the place that a slice comes from, filled into the buffer: the same text is the same place; empty when
    /// the slice names none. For going through all slices of a file.
    pub origin_key: fn(&[u8], &mut Vec<u8>),
    /// The place of such a text: the address of the instruction, and the call stack.
    pub origin: fn(&[u8]) -> Origin,
    /// The args as the file writes them, as one line of JSON; `None` where they are no JSON there, and are told by `detail`.
    pub args: Option<ReadArgs>,
}

/// The bytes of a slice, and what else its reader may need.
pub struct SliceBytes<'a> {
    /// The bytes; empty when the trace knows only where they begin.
    pub bytes: &'a [u8],
    /// Number of their entry, and where they begin in it.
    pub place: (u32, u64),
    /// The trace, for what stands in it once for many slices.
    pub trace: &'a Trace,
    /// Reads other bytes of the entry.
    pub read: &'a dyn Fn(Range<u64>) -> Vec<u8>,
}

/// Everything that one slice says beyond name, category, row and time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SliceDetail {
    /// Its other members with their digits as in the file: `ts`, `dur`, `id`, `cname` and the like.
    pub members: Vec<(String, String)>,
    /// Its args; members of objects inside have dotted names, arrays are JSON. Line breaks are kept.
    pub args: Vec<(String, String)>,
    /// Its call stack, as the file orders it; empty when it has none.
    pub code: Vec<Frame>,
    /// Address of its instruction.
    pub address: Option<u64>,
}

/// One line of a call stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Path of the source file.
    pub path: String,
    /// Line in it, from 1.
    pub line: Option<u32>,
    /// The function, when the file says it.
    pub function: String,
}

// What a reader writes into: the trace, the faults, the progress.

/// Collects what readers find.
#[derive(Default)]
pub struct Sink {
    /// The trace as far as it was read.
    pub builder: TraceBuilder,
    pub faults: Faults,
    /// What is being done, for the progress line; an English phrase of `base::words`.
    pub step: &'static str,
    /// Whether several claims go into this trace: tracks then stand in a group for each file.
    pub is_shared: bool,
    taps: Vec<(&'static str, Box<dyn Tap>)>,
}

impl Sink {
    /// Lets these listen to rows from now on, each with the id of its analysis.
    pub fn set_taps(&mut self, taps: Vec<(&'static str, Box<dyn Tap>)>) {
        self.taps = taps;
    }

    /// Hands out the listeners with what they collected.
    pub fn take_taps(&mut self) -> Vec<(&'static str, Box<dyn Tap>)> {
        std::mem::take(&mut self.taps)
    }

    /// Says a fault.
    pub fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// Says several faults.
    pub fn faults_of(&mut self, faults: Vec<Fault>) {
        for fault in faults {
            self.faults.push(fault);
        }
    }

    /// Adds a memory access: to the listeners, and to the trace unless `is_kept` is false. Says whether the trace had
    /// room for it.
    pub fn access(&mut self, row: Access, is_kept: bool) -> bool {
        for (_, tap) in &mut self.taps {
            tap.access(&row);
        }
        !is_kept || self.builder.access(row)
    }
}

/// Faults in the order they were found; many of one kind are folded.
#[derive(Default)]
pub struct Faults {
    rows: Vec<Fault>,
    of_a_kind: Map<(String, String), (usize, usize)>,
    counts: [u64; 4],
}

impl Faults {
    /// Adds a fault, or folds it into the last of its code and entry.
    pub fn push(&mut self, fault: Fault) {
        if let Some(count) = self.counts.get_mut(fault.severity as usize) {
            *count += 1;
        }
        let key = (fault.code.to_string(), fault.place.entry.clone());
        let (n, last) = self.of_a_kind.entry(key).or_insert((0, usize::MAX));
        *n += 1;
        if *n <= limits::FAULTS_OF_A_KIND && self.rows.len() < limits::FAULTS {
            *last = self.rows.len();
            self.rows.push(fault);
        } else if let Some(row) = self.rows.get_mut(*last) {
            row.repeats += 1;
            row.last = fault.place.byte.or(row.last);
        }
    }

    /// The faults that are kept whole.
    pub fn rows(&self) -> &[Fault] {
        &self.rows
    }

    /// That rows of the files are missing, from where on, and what that means for figures; empty where none are.
    pub fn lost_rows(&self) -> Message {
        let lost = || self.rows.iter().filter(|fault| loses_rows(fault));
        let others = self.rows.iter().filter(|fault| is_damage(fault) && !loses_rows(fault));
        let others: u64 = others.map(|fault| 1 + fault.repeats).sum();
        let all = self.count(Severity::Loss) + self.count(Severity::Fatal);
        // A place inside tells more than the whole file.
        let first = lost().find(|fault| fault.place.byte.is_some()).or_else(|| lost().next());
        let Some(first) = first else { return Message::default() };
        let n = number::thousands(all.saturating_sub(others).cast_signed());
        message("Data is missing: {problems}, the first at {place}. Figures and findings cover only what was read.")
            .with_message("place", first.place.with_byte())
            .with_message("problems", message("{n} problems").with("n", n))
    }

    /// How many of this severity were said, folded ones included.
    pub fn count(&self, severity: Severity) -> u64 {
        self.counts.get(severity as usize).copied().unwrap_or(0)
    }
}

// Asks every format about every entry, ranks the claims, and explains the choice and the leftovers.

/// What all formats said of a bundle.
pub struct Ranking {
    /// Claims that are read, strongest first; no entry is in two.
    pub chosen: Vec<(&'static Format, Claim)>,
    /// Claims that gave way to stronger ones.
    pub withdrawn: Vec<(&'static Format, Claim)>,
    /// What formats without a claim missed, nearest first.
    pub near: Vec<(&'static Format, NearMiss)>,
    /// Entries that nobody claims.
    pub left: Vec<EntryId>,
}

/// From this score on a near miss is more than chance: then it is named as the closest match.
const NEAR: u8 = 20;

impl Ranking {
    /// What came so near to a format that it may be meant.
    pub fn closest(&self) -> Option<&(&'static Format, NearMiss)> {
        self.near.first().filter(|(_, miss)| NEAR <= miss.score)
    }
}

/// Formats that are being asked.
pub struct Probing {
    job: Job<Ranking>,
    /// About how many entries all formats were asked.
    n_asked: Rc<Cell<u64>>,
}

impl Probing {
    /// Begins to ask these formats about a bundle.
    pub fn new(formats: impl Iterator<Item = &'static Format>, bundle: Bundle) -> Self {
        let formats = formats.map(|format| (format, Probed::default())).collect();
        let n_asked = Rc::<Cell<u64>>::default();
        let count = Rc::clone(&n_asked);
        Self { job: Job::new(async move |turn| rank(formats, &bundle, &count, &turn).await), n_asked }
    }

    /// Asks one format about one entry; in the end what all of them said. Costs a few small reads.
    pub fn poll(&mut self) -> Option<Ranking> {
        self.job.poll()
    }

    /// About how many entries all formats were asked.
    pub fn n_asked(&self) -> u64 {
        self.n_asked.get()
    }
}

/// Asks about each entry all formats, so that its beginning is read once, then ranks what they said; of claims of the same
/// degree the format that was asked first wins.
async fn rank(
    mut formats: Vec<(&'static Format, Probed)>,
    bundle: &Bundle,
    n_asked: &Cell<u64>,
    turn: &Turn,
) -> Ranking {
    for (id, entry) in bundle.iter() {
        for (format, probed) in &mut formats {
            probed.take(id, (format.probe.look)(entry));
            turn.pause().await;
        }
        n_asked.set(u64::from(id.0) + 1);
    }
    let (mut claims, mut near) = (Vec::new(), Vec::new());
    for (format, mut probed) in formats {
        if let Some(join) = format.probe.join {
            join(bundle, &mut probed);
        }
        near.extend(probed.near_miss.map(|miss| (format, miss)));
        claims.extend(probed.claims.into_iter().map(|claim| (format, claim)));
        turn.pause().await;
    }
    order::sort_by_key(&mut claims, |(_, claim)| std::cmp::Reverse(claim.degree));
    order::sort_by_key(&mut near, |(_, miss)| std::cmp::Reverse(miss.score));
    let (mut chosen, mut withdrawn) = (Vec::new(), Vec::new());
    let mut taken: Set<EntryId> = Set::default();
    for (format, claim) in claims {
        if claim.entries.iter().any(|(entry, _)| taken.contains(entry)) {
            withdrawn.push((format, claim));
        } else {
            taken.extend(claim.entries.iter().map(|(entry, _)| *entry));
            chosen.push((format, claim));
        }
    }
    let left = bundle.iter().map(|(id, _)| id).filter(|id| !taken.contains(id)).collect();
    Ranking { chosen, withdrawn, near, left }
}
