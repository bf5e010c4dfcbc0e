//! Opening, step by step: unpack, probe, read, derive. Whoever drives it gives way between the steps.
//!
//! ```text
//! Unpack ──▶ Probe ──▶ Read claim 1 ──▶ Read claim 2 … ──▶ Finish ──▶ Ready
//!                 └──▶ Failed (nothing recognised)             └──▶ Failed (nothing could be used)
//! ```

mod head;
mod ready;

pub(crate) use self::answer as operators;
use crate::analysis::Derived;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::{Language, phrase};
use crate::document::{Compared, Document, Finish, Kept, OpeningStage};
use crate::format::{Claim, Format, Operators, Part, Probing, Reading, Sink, Want};
use crate::input::unpack::{MemoryStore, Store, Unpacker};
use crate::input::{Bundle, Entry, Memory, Source, limits};
use crate::model::build::TraceBuilder;
use crate::model::files::OperatorHead;
use crate::model::parameter::{ParameterKind, Values};
use crate::scene::palette::Palette;
use crate::systems;
use crate::views::mapping::ask as mapping;
use crate::views::timeline::ask as timeline;
use crate::wire::{Answer, OPERATORS, Progress, report};
pub(crate) use ready::Analyzing;
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
            given: entries.iter().map(|entry| entry.source.clone()).collect(),
            wanted: String::new(),
            ranking: None,
            stage: OpeningStage::Unpack(Unpacker::new(entries, store)),
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
            guides: Vec::new(),
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
        match std::mem::replace(&mut self.stage, OpeningStage::Failed) {
            OpeningStage::Unpack(unpacker) => self.unpack(unpacker),
            OpeningStage::Probe(asking) => self.probe(asking),
            OpeningStage::Load => self.load(),
            OpeningStage::Read { reading, rest } => self.read(reading, rest),
            OpeningStage::Analyze { is_sorted } => {
                self.stage = OpeningStage::Analyze { is_sorted };
                if self.analyze() {
                    return Need::Again;
                }
                if is_sorted {
                    return self.end_finish();
                }
                self.stage = OpeningStage::Finish(Finish::TakeIn);
                Need::Again
            }
            OpeningStage::Finish(finish) => self.finish(finish),
            OpeningStage::Ready => {
                self.stage = OpeningStage::Ready;
                if self.analyze() { Need::Again } else { Need::Ready }
            }
            OpeningStage::Failed => Need::Failed,
        }
    }

    fn unpack(&mut self, mut unpacker: Unpacker) -> Need {
        self.sink.step = "Unpacking";
        let Some((mut entries, faults)) = unpacker.poll() else {
            self.stage = OpeningStage::Unpack(unpacker);
            return Need::Again;
        };
        entries.extend(self.files_of_formats());
        self.bundle = Bundle::new(entries);
        self.sink.faults_of(faults);
        if self.split() {
            self.stage = OpeningStage::Probe(Probing::new(systems::formats(), self.bundle.clone()));
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
        self.sink.step = "Detecting format";
        let Some(ranking) = asking.poll() else {
            self.stage = OpeningStage::Probe(asking);
            return Need::Again;
        };
        self.ranking = Some(ranking);
        self.stage = OpeningStage::Load;
        self.load()
    }

    /// Begins to read, as soon as the parts of the program are there that do; what cannot be had says so when it is read.
    fn load(&mut self) -> Need {
        let chosen = self.ranking.iter_mut().flat_map(|ranking| &mut ranking.chosen);
        for (format, _) in chosen {
            if let Some(part) = systems::missing(format).into_iter().find(|part| !self.without.contains(part))
            {
                self.sink.step = phrase("Loading part of Lanescope");
                self.stage = OpeningStage::Load;
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
        self.stage = OpeningStage::Read { reading: None, rest };
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
                    OpeningStage::Read { reading: Some((format.read)(&claim, &self.values)), rest }
                }
                None => return self.begin_finish(),
            };
            return Need::Again;
        };
        match reading.next(&self.bundle, &mut self.sink) {
            Ok(Want::Done) => {
                self.stage = OpeningStage::Read { reading: None, rest };
                self.take_in_if_worth();
                Need::Again
            }
            Ok(Want::Again) => {
                self.stage = OpeningStage::Read { reading: Some(reading), rest };
                Need::Again
            }
            Ok(Want::Stream { entry, range }) => {
                let source = self.bundle.get(entry).map(|e| e.source.clone());
                self.stage = OpeningStage::Read { reading: Some(reading), rest };
                let Some(source) = source else { return Need::Again };
                self.asked += range.end.saturating_sub(range.start);
                Need::Stream { source, range }
            }
            Err(fault) => {
                self.sink.fault(fault);
                self.stage = OpeningStage::Read { reading: None, rest };
                Need::Again
            }
        }
    }

    /// Takes the next bytes of the stream that was asked for; false when no more of it is wanted.
    pub fn feed(&mut self, chunk: &[u8]) -> bool {
        self.fed += chunk.len() as u64;
        let OpeningStage::Read { reading, .. } = &mut self.stage else { return false };
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
        matches!(&self.stage, OpeningStage::Read { reading: Some(reading), .. } if reading.is_busy())
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
        matches!(self.stage, OpeningStage::Ready)
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
            OpeningStage::Unpack(unpacker) => {
                let seen = unpacker.seen();
                progress.files = seen.files;
                if let Some((path, byte)) = seen.at {
                    progress.place = Place::entry(path);
                    progress.done = byte;
                    progress.total = 0; // nobody knows before the end
                }
            }
            OpeningStage::Probe(asking) => progress.files = (asking.n_asked(), self.bundle.len() as u64),
            OpeningStage::Read { reading: Some(reading), .. } => {
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

// Projects: folders of many operators, of which a document reads one.

/// The operators that the files hold, and which one is shown.
pub(crate) struct Project {
    /// All files.
    whole: Bundle,
    parts: Vec<Part>,
    how: &'static Operators,
    shown: usize,
    is_found: bool,
}

impl Project {
    /// What the page must know; `None` for a single operator, which is no project.
    pub(crate) fn head(&self) -> Option<report::Project> {
        let shown = self.parts.get(self.shown).map_or(String::new(), |part| part.path.clone());
        let (title, operators) = (self.whole.title(), self.parts.len());
        let called = self.how.title.to_owned();
        (1 < operators).then_some(report::Project {
            title,
            called,
            operators,
            shown,
            dropped: self.dropped(),
        })
    }

    /// The first operator of each file or folder that was dropped; empty when it was one.
    fn dropped(&self) -> Vec<String> {
        let mut firsts: Vec<&str> = Vec::new();
        let top = |path: &'_ str| path.split_once('/').map_or(path.len(), |(top, _)| top.len());
        for path in self.parts.iter().map(|part| part.path.as_str()) {
            if firsts.last().is_none_or(|last| last.get(..top(last)) != path.get(..top(path))) {
                firsts.push(path);
            }
        }
        if firsts.len() < 2 {
            return Vec::new();
        }
        firsts.into_iter().map(str::to_owned).collect()
    }
}

impl Document {
    /// Chooses the operator to be read, before loading begins: by its path, or by the end of it. Empty takes the first.
    pub fn pick(&mut self, path: &str) {
        path.trim_end_matches('/').clone_into(&mut self.wanted);
    }

    /// Takes one operator out of a project. False when the one that is wanted is not there.
    pub(crate) fn split(&mut self) -> bool {
        let found = systems::formats().filter_map(|format| format.operators.as_ref());
        let found = found.map(|how| (how, (how.find)(&self.bundle))).find(|(_, parts)| !parts.is_empty());
        let Some((how, parts)) = found else { return self.wanted.is_empty() };
        let is_named = |part: &Part| {
            let before = part.path.strip_suffix(self.wanted.as_str());
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let shown = if self.wanted.is_empty() { Some(0) } else { parts.iter().position(is_named) };
        let is_found = shown.is_some();
        let shown = shown.unwrap_or(0);
        let whole = self.bundle.clone();
        if 1 < parts.len()
            && let Some(part) = parts.get(shown)
        {
            self.bundle = whole.part(&part.entries);
        }
        self.kept.set(Project { whole, parts, how, shown, is_found });
        is_found
    }

    /// Whether the operator that was wanted is there, once the files were looked at.
    pub fn has_picked(&self) -> bool {
        self.kept.get::<Project>().map_or(self.wanted.is_empty(), |project| project.is_found)
    }

    /// Paths of all operators that the files hold; empty when they are not of a kind that has operators.
    pub fn operators(&self) -> Vec<&str> {
        let parts = self.kept.get::<Project>().into_iter().flat_map(|project| &project.parts);
        parts.map(|part| part.path.as_str()).collect()
    }

    /// The switch of the command line that chooses an operator beside `--operator`; empty when there is none. Where there
    /// is one, the operators are results of one run, and the first stands for all unless another is named.
    pub fn operator_switch(&self) -> &'static str {
        self.kept.get::<Project>().map_or("", |project| project.how.switch)
    }

    /// What the operators are, from the number `from` on, at most `n`. Costs a few small reads each.
    pub fn operator_heads(&self, from: usize, n: usize) -> Vec<OperatorHead> {
        let Some(project) = self.kept.get::<Project>() else { return Vec::new() };
        let parts = project.parts.iter().skip(from).take(n);
        parts.map(|part| (project.how.head)(&project.whole, part)).collect()
    }
}

pub(crate) fn answer(doc: &Document, from: usize) -> Answer {
    Answer::Operators(doc.operator_heads(from, OPERATORS))
}
