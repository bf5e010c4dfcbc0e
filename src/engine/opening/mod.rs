//! Opening, step by step: unpack, probe, read, derive. Whoever drives it gives way between the steps.
//!
//! ```text
//! Unpack ──▶ Probe ──▶ Read claim 1 ──▶ Read claim 2 … ──▶ Finish ──▶ Ready
//!                 └──▶ Failed (nothing recognised)             └──▶ Failed (nothing could be used)
//! ```

mod head;
mod project;
mod ready;

use crate::document::{Compared, Document, Finish, Kept, Stage};
pub(crate) use project::{Project, answer as operators};
pub(crate) use ready::Analyzing;

use crate::analysis::Derived;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::{Language, phrase};
use crate::format::probe::Probing;
use crate::format::sink::Sink;
use crate::format::{Claim, Format, Reading, Want};
use crate::input::bundle::{Bundle, Entry};
use crate::input::limits;
use crate::input::source::{Memory, Source};
use crate::input::unpack::{MemoryStore, Store, Unpacker};
use crate::model::build::TraceBuilder;
use crate::model::parameter::{ParameterKind, Values};
use crate::scene::palette::Palette;
use crate::systems;
use crate::views::mapping::ask as mapping;
use crate::views::timeline::ask as timeline;
use crate::wire::Progress;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// What the driver of a document is to do next.
pub enum Need {
    /// Feed these bytes, in order, with [`Document::feed`], until it declines or they end; then step again.
    Stream {
        /// Where from.
        source: Source,
        /// Which bytes of it.
        range: Range<u64>,
    },
    /// Give way, then step again.
    Again,
    /// The document is ready.
    Ready,
    /// The document could not be opened; the report says why.
    Failed,
    /// A part of the program reads these files that is not loaded: load it and add it (its row in `systems::PARTS`), or
    /// say with [`Document::go_without`] that it cannot be had; then step again.
    Part(usize),
}

/// What views know of systems.
fn kept() -> Kept {
    let mut kept = Kept::default();
    kept.set(timeline::Systems {
        color_schemes: systems::color_schemes,
        search_prefixes: || systems::search_prefixes().collect(),
    });
    kept.set(mapping::Parameters(|| systems::parameters().collect()));
    kept
}

impl Document {
    /// Begins to open these files; packed ones are unpacked into the store.
    pub fn new(entries: Vec<Entry>, store: Box<dyn Store>) -> Self {
        Self {
            // The report names the files even when unpacking never ends.
            bundle: Bundle::new(entries.clone()),
            wanted: String::new(),
            ranking: None,
            stage: Stage::Unpack(Unpacker::new(entries, store)),
            without: Vec::new(),
            texts: Vec::new(),
            sink: Sink::default(),
            derived: Derived::default(),
            language: Language::default(),
            palette: Palette::default(),
            fed: 0,
            asked: 0,
            taken_in: 0,
            offsets: Vec::new(),
            answered: 0,
            clock: crate::engine::report::system_clock,
            kept: kept(),
            compared: Compared::default(),
            values: Values::default(),
            revision: 0,
            analyses: Vec::new(),
            longest_step: None,
        }
    }

    /// A document of rows that a program made itself, without any file.
    pub fn of(builder: TraceBuilder) -> Self {
        let mut doc = Self::new(Vec::new(), Box::new(MemoryStore::default()));
        doc.sink.builder = builder;
        doc.begin_finish();
        while matches!(doc.step(), Need::Again) {}
        doc
    }

    /// Opens everything at once: the way of programs that need not give way.
    ///
    /// Returns whether the document is ready; if not, the report says why.
    pub fn open(entries: Vec<Entry>, store: Box<dyn Store>) -> (Self, bool) {
        Self::open_operator(entries, "", store)
    }

    /// As [`Document::open`], but of a project the operator of this path; empty takes the first.
    pub fn open_operator(entries: Vec<Entry>, path: &str, store: Box<dyn Store>) -> (Self, bool) {
        Self::open_with(entries, path, &Values::default(), store)
    }

    /// As [`Document::open_operator`], with these values of parameters.
    pub fn open_with(
        entries: Vec<Entry>,
        path: &str,
        values: &Values,
        store: Box<dyn Store>,
    ) -> (Self, bool) {
        let mut doc = Self::new(entries, store);
        doc.set_values(values.clone());
        doc.pick(path);
        let mut buffer = vec![0; limits::CHUNK];
        loop {
            match doc.step() {
                Need::Again => {}
                Need::Ready => return (doc, true),
                Need::Failed | Need::Part(_) => return (doc, false),
                Need::Stream { source, range } => doc.drain(&source, range, &mut buffer),
            }
        }
    }

    /// Feeds a range of a source through a buffer to who wants it, and ends with what it leaves to do.
    pub fn drain(&mut self, source: &Source, range: Range<u64>, buffer: &mut [u8]) {
        let mut at = range.start;
        while at < range.end {
            let want = usize::try_from(range.end - at).unwrap_or(usize::MAX).min(buffer.len());
            let n = source.read_at(at, &mut buffer[..want]).unwrap_or(0);
            if n == 0 || !self.feed(&buffer[..n]) {
                break;
            }
            while self.is_busy() && self.feed(&[]) {}
            at += n as u64;
        }
    }

    /// Reads on although this part of the program (see [`Need::Part`]) cannot be had.
    pub fn go_without(&mut self, part: usize) {
        self.without.push(part);
    }

    /// Does the next piece of work. A machine, as the document is drawn, asked and given parts of the program in
    /// between.
    pub fn step(&mut self) -> Need {
        match std::mem::replace(&mut self.stage, Stage::Failed) {
            Stage::Unpack(unpacker) => self.unpack(unpacker),
            Stage::Probe(asking) => self.probe(asking),
            Stage::Load => self.load(),
            Stage::Read { reading, rest } => self.read(reading, rest),
            Stage::Analyze { is_sorted } => {
                self.stage = Stage::Analyze { is_sorted };
                if self.analyze() {
                    return Need::Again;
                }
                if is_sorted {
                    return self.end_finish();
                }
                self.stage = Stage::Finish(Finish::TakeIn);
                Need::Again
            }
            Stage::Finish(finish) => self.finish(finish),
            Stage::Ready => {
                self.stage = Stage::Ready;
                if self.analyze() { Need::Again } else { Need::Ready }
            }
            Stage::Failed => Need::Failed,
        }
    }

    fn unpack(&mut self, mut unpacker: Unpacker) -> Need {
        self.sink.step = "Unpacking";
        if unpacker.step() {
            self.stage = Stage::Unpack(unpacker);
        } else {
            let (mut entries, faults) = unpacker.finish();
            entries.extend(self.files_of_formats());
            self.bundle = Bundle::new(entries);
            for fault in faults {
                self.sink.fault(fault);
            }
            self.stage =
                if self.split() { Stage::Probe(Probing::new(systems::formats())) } else { Stage::Failed };
        }
        Need::Again
    }

    /// Files that are handed over as parameters of formats: they are looked at like the others.
    pub(crate) fn files_of_formats(&self) -> Vec<Entry> {
        let mut files: Vec<Entry> = Vec::new();
        for parameter in systems::formats().flat_map(|format| format.parameters) {
            let text = self.values.text(parameter.id).filter(|text| !text.is_empty());
            let path = format!("{}.json", parameter.id);
            if let (ParameterKind::File { .. }, Some(text)) = (&parameter.kind, text)
                && files.iter().all(|file| file.path != path)
            {
                files.push(Entry { path, source: Rc::new(Memory(text.as_bytes().to_vec())) });
            }
        }
        files
    }

    fn probe(&mut self, mut asking: Probing) -> Need {
        self.sink.step = "Recognizing";
        if asking.step(&self.bundle) {
            self.stage = Stage::Probe(asking);
            return Need::Again;
        }
        self.ranking = Some(asking.finish(&self.bundle));
        self.stage = Stage::Load;
        self.load()
    }

    /// Begins to read, as soon as the parts of the program are there that do; what cannot be had says so when it is read.
    fn load(&mut self) -> Need {
        let chosen = self.ranking.iter_mut().flat_map(|ranking| &mut ranking.chosen);
        for (format, _) in chosen {
            if let Some(part) = systems::missing(format).into_iter().find(|part| !self.without.contains(part))
            {
                self.sink.step = phrase("Loading part of Lanescope");
                self.stage = Stage::Load;
                return Need::Part(part);
            }
            *format = systems::formats().find(|loaded| loaded.id == format.id).unwrap_or(format);
        }
        self.sink.step = "Reading";
        self.report_parts();
        self.set_kept_texts();
        let rest: VecDeque<_> = self.ranking.iter().flat_map(|ranking| &ranking.chosen).cloned().collect();
        self.sink.is_shared = 1 < rest.len();
        if rest.is_empty() {
            return Need::Failed;
        }
        self.stage = Stage::Read { reading: None, rest };
        let taps =
            systems::analyses().filter_map(|analysis| Some((analysis.id, analysis.tap?(&self.values))));
        self.sink.set_taps(taps.collect());
        Need::Again
    }

    fn read(
        &mut self,
        reading: Option<Box<dyn Reading>>,
        mut rest: VecDeque<(&'static Format, Claim)>,
    ) -> Need {
        let Some(mut reading) = reading else {
            self.stage = match rest.pop_front() {
                Some((format, claim)) => {
                    Stage::Read { reading: Some((format.read)(&claim, &self.values)), rest }
                }
                None => return self.begin_finish(),
            };
            return Need::Again;
        };
        match reading.next(&self.bundle, &mut self.sink) {
            Ok(Want::Done) => {
                self.stage = Stage::Read { reading: None, rest };
                self.take_in_if_worth();
                Need::Again
            }
            Ok(Want::Again) => {
                self.stage = Stage::Read { reading: Some(reading), rest };
                Need::Again
            }
            Ok(Want::Stream { entry, range }) => {
                let source = self.bundle.get(entry).map(|e| e.source.clone());
                self.stage = Stage::Read { reading: Some(reading), rest };
                let Some(source) = source else { return Need::Again };
                self.asked += range.end.saturating_sub(range.start);
                Need::Stream { source, range }
            }
            Err(fault) => {
                self.sink.fault(fault);
                self.stage = Stage::Read { reading: None, rest };
                Need::Again
            }
        }
    }

    /// Takes the next bytes of the stream that was asked for; false when no more of it is wanted.
    pub fn feed(&mut self, chunk: &[u8]) -> bool {
        self.fed += chunk.len() as u64;
        let Stage::Read { reading, .. } = &mut self.stage else { return false };
        let Some(current) = reading else { return false };
        let fed = current.feed(chunk, &self.bundle, &mut self.sink);
        if let Err(fault) = fed {
            *reading = None;
            self.sink.fault(fault);
            return false;
        }
        self.take_in_if_worth();
        true
    }

    /// Whether what was fed is not worked up: nothing is to be fed, after giving way, until it is.
    pub fn is_busy(&self) -> bool {
        matches!(&self.stage, Stage::Read { reading: Some(reading), .. } if reading.is_busy())
    }

    /// Taking in rows costs the tracks too: with thousands of them not after each chunk, and not after each small file.
    fn take_in_if_worth(&mut self) {
        let n_tracks = self.sink.builder.trace().tracks.len() as u64;
        if n_tracks <= self.sink.builder.n_rows() - self.taken_in {
            self.take_in();
        }
    }

    /// Computes what follows from the rows that were read since the last time; says whether nothing is left to do.
    pub(crate) fn take_in(&mut self) -> bool {
        self.taken_in = self.sink.builder.n_rows();
        self.derived.extend(self.sink.builder.trace())
    }

    /// Whether everything is loaded.
    pub fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready)
    }

    /// The stream that was asked for could not be read, in the system's words.
    pub fn report_unreadable(&mut self, message: &str) {
        let place = self.progress().place;
        let kind = Kind::Io { message: message.to_owned() };
        let fault = Fault::new("INP-READ", Severity::Loss, place, kind);
        self.sink.fault(fault.note("Data read so far is shown."));
    }

    /// Where loading is.
    pub fn progress(&self) -> Progress {
        let mut progress = Progress {
            step: self.sink.step.to_owned(),
            done: self.fed,
            total: self.bundle.iter().map(|(_, e)| e.source.len()).sum::<u64>().max(self.asked),
            rows: self.sink.builder.n_rows(),
            ..Progress::default()
        };
        match &self.stage {
            Stage::Unpack(unpacker) => {
                progress.files = unpacker.files();
                if let Some((path, byte)) = unpacker.position() {
                    progress.place = Place::entry(path);
                    progress.done = byte;
                    progress.total = 0; // nobody knows before the end
                }
            }
            Stage::Probe(asking) => progress.files = (asking.n_asked(), self.bundle.len() as u64),
            Stage::Read { reading: Some(reading), .. } => {
                if let Some((entry, byte)) = reading.position() {
                    let path = self.bundle.get(entry).map_or("", |e| e.path.as_str());
                    progress.place = Place::byte(path, byte);
                }
            }
            _ => {}
        }
        progress
    }
}
