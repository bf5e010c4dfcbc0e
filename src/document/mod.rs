//! The front door: opens a bundle step by step, answers questions, draws pictures.
//!
//! A [`Document`] is what one worker owns. The command line and the tests use it just like the page.

mod code;
pub mod compare;
mod device;
mod executions;
mod figures;
mod files;
pub mod headline;
mod lifetimes;
mod listings;
mod mapping;
mod memory;
mod opening;
mod origins;
mod parameters;
pub mod picture;
mod plan;
mod report;
mod rows;
mod schedule;
mod stalls;
mod targets;
mod timeline;

pub use files::FileWriter;
pub use opening::{Finish, Need, Stage};

use crate::analysis::Derived;
use crate::analysis::contract::Analysis;
use crate::base::geometry::Size;
use crate::base::time::Ticks;
use crate::base::words::{Language, for_reader};
use crate::export;
use crate::export::request::{self, Response};
use crate::format::Format;
use crate::format::detail::SliceReader;
use crate::format::probe::Ranking;
use crate::format::sink::{Faults, Sink};
use crate::input::bundle::{Bundle, EntryId};
use crate::input::source::read_range;
use crate::model::Trace;
use crate::model::id::TrackId;
use crate::model::parameter::Values;
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::systems;
use crate::wire;
use crate::wire::code::CodeQuery;
use crate::wire::figures::FigureQuery;
use crate::wire::{Answer, Catalog, ExportHead, FormatHead, Frame, Note, Query};
use std::ops::Range;

/// What can be opened, saved and chosen: the registries.
pub fn catalog() -> Catalog {
    let formats = systems::formats().map(|f| FormatHead {
        id: f.id.to_owned(),
        title: f.title.to_owned(),
        written_by: f.written_by.to_owned(),
        patterns: f.patterns.iter().map(|&p| p.to_owned()).collect(),
        shows: f.shows.to_owned(),
    });
    let (trace, values) = (Trace::default(), Values::default());
    let exports = export::all(systems::exports()).map(|e| ExportHead {
        id: e.id.to_owned(),
        title: e.title.to_owned(),
        parameters: e.parameters.iter().map(|parameter| parameter.head(&trace, &values)).collect(),
    });
    let schemes = systems::color_schemes().into_iter();
    let schemes = schemes.filter_map(|scheme| Some((scheme.id.to_owned(), scheme.page_title?.to_owned())));
    Catalog { formats: formats.collect(), exports: exports.collect(), color_schemes: schemes.collect() }
}

/// One opened bundle.
pub struct Document {
    bundle: Bundle,
    /// The project that the bundle is one operator of.
    project: Option<opening::Project>,
    /// Path of the operator that is wanted; empty for the first.
    wanted: String,
    ranking: Option<Ranking>,
    stage: Stage,
    /// Parts of the program, by their rows in `systems::PARTS`, that cannot be had.
    without: Vec<usize>,
    /// What was set of parameters as text: what the parts that are loaded later know is set when they are there.
    texts: Vec<(String, String)>,
    sink: Sink,
    derived: Derived,
    language: Language,
    /// Colors of the last drawing, for pictures that are saved.
    palette: Palette,
    /// Bytes that were handed to readers, for the progress.
    fed: u64,
    /// Bytes that readers asked for so far.
    asked: u64,
    /// How many rows what was computed knows of.
    taken_in: u64,
    /// Offsets of files whose times lie far from those of others.
    offsets: Vec<(TrackId, Ticks)>,
    /// How far it is known where slices come from.
    origins: origins::Walk,
    /// A search of arguments on its way.
    args: Option<Box<timeline::ArgSearch>>,
    /// Requests that were answered.
    answered: u64,
    /// The time of day: seconds since the begin of 1970.
    clock: fn() -> Option<u64>,
    /// What was joined with a baseline.
    compared: compare::Compared,
    /// What was gathered of lifetimes.
    gathered: lifetimes::Gathered,
    /// Accesses of a kernel that were read again.
    addresses: lifetimes::Addresses,
    /// What was found out of host and device last.
    device: device::Found,
    /// A mapping that is being tried.
    trial: Option<Box<mapping::Trial>>,
    /// What was asked of tables last.
    tables: rows::Tables,
    /// What the user set of parameters.
    values: Values,
    /// Counts up each time an analysis has a new result.
    revision: u64,
    /// The analyses that can be made of what was read.
    analyses: Vec<&'static Analysis>,
    /// Analyses that are running.
    analyzing: opening::Analyzing,
    /// What took longest without a pause, and how many milliseconds.
    longest_step: Option<(String, f64)>,
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
    pub(in crate::document) fn slice_reader(&self, entry: u32) -> Option<&'static SliceReader> {
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
    fn now(&self) -> Option<u64> {
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

    /// Answers a question, also while loading. For an export the bytes come beside the answer.
    pub fn query(&mut self, query: &Query) -> (Answer, Option<Vec<u8>>) {
        self.query_with(query, &[])
    }

    /// The same with the bytes that travel beside a question; none for most.
    pub fn query_with(&mut self, query: &Query, beside: &[u8]) -> (Answer, Option<Vec<u8>>) {
        while !self.prepare_query(query) {}
        self.query_prepared(query, beside)
    }

    /// The same where [`Document::prepare_query`] has just said that all is there.
    pub fn query_prepared(&mut self, query: &Query, beside: &[u8]) -> (Answer, Option<Vec<u8>>) {
        for_reader(self.language, || self.answer(query, beside))
    }

    fn answer(&mut self, query: &Query, beside: &[u8]) -> (Answer, Option<Vec<u8>>) {
        let answer = match query {
            Query::Figures(FigureQuery::Packed { id, chosen }) => {
                return compare::pack_figure(self, id, chosen);
            }
            Query::Figures(FigureQuery::Compare { id, chosen }) => {
                compare::join_figure(self, id, chosen, beside)
            }
            Query::Code(CodeQuery::Packed(column)) => return compare::pack_code(self, column),
            Query::Code(CodeQuery::Compare { listing, column, core }) => {
                compare::join_code(self, (*listing, *column, *core), beside)
            }
            Query::Timeline(ask) => timeline::answer(self, ask),
            Query::Area(ask) => timeline::area::answer(self, ask),
            Query::Code(ask) => code::answer(self, ask),
            Query::Schedule(ask) => schedule::answer(self, ask),
            Query::Executions(ask) => executions::answer(self, ask),
            Query::Lifetimes(ask) => return lifetimes::answer(self, ask),
            Query::Mapping(_) => mapping::answer(self),
            Query::Plan(ask) => plan::answer(self, ask),
            Query::Access(ask) => memory::access::answer(self, ask),
            Query::Density(ask) => memory::density::answer(self, ask),
            Query::Device(options) => device::answer(self, options),
            Query::Figures(ask) => figures::answer(self, ask),
            Query::Rows(ask) => self.rows(ask, &mut || true).unwrap_or(Answer::Rows(None)),
            Query::Operators { from } => opening::operators(self, *from),
            Query::SetParameters(texts) => parameters::set(self, texts),
            Query::Headline => Answer::Headline(headline::quantities(self)),
            Query::Report => Answer::Report(Box::new(report::report(self))),
            Query::Block { block } => report::block(self, *block),
            Query::RowsFile(_) | Query::Picture(_) | Query::ViewPicture(_) | Query::Export { .. } => {
                return self.file(query);
            }
            Query::Request { text } => {
                return report::text_answer(for_reader(Language::En, || self.request(text)).text);
            }
        };
        (answer, None)
    }

    /// A page of rows of a table. Where their order takes longer than `is_in_time` allows, `None`: the same question asked
    /// again goes on.
    pub fn rows(
        &mut self,
        ask: &wire::rows::RowsQuery,
        is_in_time: &mut dyn FnMut() -> bool,
    ) -> Option<Answer> {
        while !self.prepare_source(&ask.source) {
            if !is_in_time() {
                return None;
            }
        }
        for_reader(self.language, || rows::answer(self, ask, is_in_time))
    }

    /// Answers a request of a script, or a list of them; see [`request`]. Never fails: what cannot be answered is reported
    /// in the answer.
    pub fn request(&mut self, text: &str) -> Response {
        let mut answered = self.answered;
        let handlers: Vec<_> = systems::requests().collect();
        let response = report::with_input(self, &[], |input| {
            request::answer(&handlers, self.is_ready().then_some(input), text, &mut answered)
        });
        self.answered = answered;
        response
    }

    /// Draws a picture.
    pub fn draw(&mut self, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
        while !self.prepare_frame(frame) {}
        self.draw_prepared(frame, size, palette)
    }

    /// The same where [`Document::prepare_frame`] has just said that all is there.
    pub fn draw_prepared(&mut self, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
        for_reader(self.language, || self.drawn(frame, size, palette))
    }

    fn drawn(&mut self, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
        match frame {
            Frame::Timeline(frame) => timeline::draw(self, frame, size, palette),
            Frame::Area(frame) => timeline::area::draw(self, frame, size, palette),
            Frame::Code(frame) => code::draw(self, frame, size, palette),
            Frame::Schedule(frame) => schedule::draw(self, frame, size, palette),
            Frame::Executions(frame) => executions::draw(self, frame, size, palette),
            Frame::Lifetimes(frame) => lifetimes::draw(self, frame, size, palette),
            Frame::Addresses(frame) => lifetimes::draw_addresses(self, frame, size, palette),
            Frame::Access(frame) => memory::access::draw(self, frame, size, palette),
            Frame::Density(frame) => memory::density::draw(self, frame, size, palette),
            Frame::Figure(frame) => figures::draw(self, frame, size, palette),
        }
    }
}
