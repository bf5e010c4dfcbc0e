//! What can be asked and drawn: one way in for the page, the command line and the tests.

use super::{desk, opening, report, rows};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::geometry::Size;
use crate::base::words::{Language, for_reader, phrase};
use crate::document::Document;
use crate::document::engine::{Act, Answering, Drawing};
use crate::engine::opening::Analyzing;
use crate::export::Response;
use crate::format::Probing;
use crate::input::{Bundle, Entry, packed};
use crate::model::Trace;
use crate::model::parameter::{Value, Values};
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::wire::{Answer, Ask, Catalog, Draw, ExportHead, FormatHead, Frame, NOT_LOADED, Note, Query};
use crate::{export, systems, views, wire};

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
    let exports = export::offers(systems::exports()).map(|e| ExportHead {
        id: e.id.to_owned(),
        title: e.title.to_owned(),
        parameters: e.parameters.iter().map(|parameter| parameter.head(&trace, &values)).collect(),
    });
    let schemes = systems::color_schemes().into_iter();
    let schemes = schemes.filter_map(|scheme| Some((scheme.id.to_owned(), scheme.page_title?.to_owned())));
    Catalog { formats: formats.collect(), exports: exports.collect(), color_schemes: schemes.collect() }
}

/// Whether a format, or something packed, can be told from what a stream begins with.
pub fn is_known(head: Entry) -> bool {
    if is_packed(&head) {
        return true;
    }
    let mut probing = Probing::new(systems::formats(), Bundle::new(vec![head]));
    loop {
        if let Some(ranking) = probing.poll() {
            return !ranking.chosen.is_empty();
        }
    }
}

/// Whether something is to be unpacked.
pub(crate) fn is_packed(entry: &Entry) -> bool {
    let mut head = [0; 512];
    let n = entry.source.read_at(0, &mut head).unwrap_or(0);
    let head = head.get(..n).unwrap_or(&[]);
    let is_archive = head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06");
    is_archive
        || head.get(257..262) == Some(b"ustar")
        || !matches!(packed::open(&entry.source, head), Ok(None))
}

/// How questions of this name are answered.
pub(crate) fn answering(of: &str) -> Option<&'static Answering> {
    views::engines().filter(|engine| engine.of == of).find_map(|engine| match &engine.act {
        Act::Answer(answering) => Some(answering),
        _ => None,
    })
}

/// How pictures of this name are drawn.
pub(crate) fn drawing(of: &str) -> Option<&'static Drawing> {
    views::engines().filter(|engine| engine.of == of).find_map(|engine| match &engine.act {
        Act::Draw(drawing) => Some(drawing),
        _ => None,
    })
}

impl Document {
    /// Answers a question, also while loading. For an export the bytes come beside the answer.
    pub fn query<A: Ask>(&mut self, ask: &A) -> (A::Answer, Option<Vec<u8>>) {
        self.query_with(ask, &[])
    }

    /// The same with the bytes that travel beside a question; none for most.
    pub fn query_with<A: Ask>(&mut self, ask: &A, beside: &[u8]) -> (A::Answer, Option<Vec<u8>>) {
        let query = ask.query();
        while !self.prepare_query(&query) {}
        let (answer, bytes) = self.query_prepared(&query, beside);
        (A::answered(answer), bytes)
    }

    /// The same where [`Document::prepare_query`] has just said that all is there.
    pub fn query_prepared(&mut self, query: &Query, beside: &[u8]) -> (Answer, Option<Vec<u8>>) {
        for_reader(self.language, || self.answer(query, beside))
    }

    fn answer(&mut self, query: &Query, beside: &[u8]) -> (Answer, Option<Vec<u8>>) {
        let answer = match query {
            Query::View(packed) => {
                return match answering(&packed.of) {
                    Some(view) => (view.answer)(packed, self, beside),
                    None => (Answer::Failed(NOT_LOADED.to_owned()), None),
                };
            }
            Query::Operators { from } => opening::operators(self, *from),
            Query::SetParameters(texts) => set_parameters(self, texts),
            Query::Report => Answer::Report(Box::new(report::report(self))),
            Query::Block { block } => report::block(self, *block),
            Query::Fingerprint => match self.fingerprint() {
                Ok(text) => Answer::Text { text, left_out: 0 },
                Err(error) => Answer::Failed(error.0),
            },
            _ => {
                return match desk() {
                    Some(desk) => (desk.answer)(self, query),
                    None => (Answer::Failed(NOT_LOADED.to_owned()), None),
                };
            }
        };
        (answer, None)
    }

    /// Answers what is asked of the desk.
    pub(crate) fn at_desk(&mut self, query: &Query) -> (Answer, Option<Vec<u8>>) {
        match query {
            Query::Rows(ask) => (self.rows(ask, &mut || true).unwrap_or(Answer::Rows(None)), None),
            Query::Headline => (Answer::Headline(super::quantities(self)), None),
            Query::NotesFile(notes) => {
                (Answer::Text { text: export::notes::write(notes), left_out: 0 }, None)
            }
            Query::ReadNotes { text } => match export::notes::read(text) {
                Ok(notes) => (Answer::Notes(notes), None),
                Err(why) => (Answer::Failed(why.text(self.language).into_owned()), None),
            },
            Query::Request { text } => {
                report::text_answer(for_reader(Language::En, || self.request(text)).text)
            }
            _ => self.file(query),
        }
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

    /// Answers a request of a script, or a list of them. Never fails: what cannot be answered is reported
    /// in the answer.
    pub fn request(&mut self, text: &str) -> Response {
        let mut answered = self.answered;
        let handlers: Vec<_> = systems::requests().collect();
        let response = report::with_input(self, &[], |input| {
            export::answer(&handlers, self.is_ready().then_some(input), text, &mut answered)
        });
        self.answered = answered;
        response
    }

    /// Draws a picture.
    pub fn draw<D: Draw>(&mut self, picture: &D, size: Size, palette: &Palette) -> (Scene, D::Note) {
        let frame = picture.frame();
        while !self.prepare_frame(&frame) {}
        let (scene, note) = self.draw_prepared(&frame, size, palette);
        (scene, D::noted(note))
    }

    /// The same where [`Document::prepare_frame`] has just said that all is there.
    pub fn draw_prepared(&mut self, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
        for_reader(self.language, || self.drawn(frame, size, palette))
    }

    fn drawn(&mut self, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
        match drawing(&frame.0.of) {
            Some(view) => (view.draw)(frame, self, size, palette),
            None => (Scene::new(size), Note::default()),
        }
    }
}

// Parameters of an open document: set by the page, the address, the command line and requests.

impl Document {
    /// What the user set of parameters.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Sets what the user set of parameters. Before loading begins all of them hold; afterwards analyses whose values
    /// changed run again with the next steps, and those that were running for other values are cancelled. Returns whether
    /// files have to be read again, which the caller does by opening them anew.
    pub fn set_values(&mut self, values: Values) -> bool {
        let changed = |id: &str| self.values.get(id) != values.get(id);
        let rereads = systems::parameters().any(|p| p.rereads && changed(p.id));
        self.values = values;
        if self.is_ready() {
            self.revision += 1;
            *self.kept.of() = self.outdated(|analysis| analysis.add_tracks.is_none());
        }
        rereads
    }

    /// The values that texts stand for, as [`Document::set_values`] takes them, and what is wrong with the others. Names that
    /// are no parameters are passed over: an address may hold what is not ours.
    pub fn parse_values(texts: &[(String, String)]) -> (Values, Vec<String>) {
        let (mut values, mut problems) = (Values::default(), Vec::new());
        let is_known = |id: &str| systems::parameters().any(|parameter| parameter.id == id);
        for (id, text) in texts.iter().filter(|(id, _)| is_known(id)) {
            match Self::parse_value(id, text) {
                Ok(value) => values.set(id, value),
                Err(problem) => problems.push(problem),
            }
        }
        (values, problems)
    }

    /// Reads the value of one parameter; see [`crate::model::parameter::Parameter::parse`].
    ///
    /// # Errors
    /// One sentence: there is no such parameter, or what was expected.
    pub fn parse_value(id: &str, text: &str) -> Result<Value, String> {
        let parameter = systems::parameters().find(|parameter| parameter.id == id);
        let parameter = parameter.ok_or_else(|| format!("Unknown parameter {id}."))?;
        parameter.parse(text).map_err(|expected| format!("{id}: {expected}, found {text}."))
    }

    /// Sets parameters from their texts before loading begins; those that are wrong keep their default and are reported.
    pub fn set_texts(&mut self, texts: &[(String, String)]) {
        self.set_values(Self::parse_values(texts).0);
        self.texts = texts.to_vec();
    }

    /// Sets those once more, now that all who know parameters are there.
    pub(crate) fn set_kept_texts(&mut self) {
        if self.texts.is_empty() {
            return;
        }
        let (values, problems) = Self::parse_values(&std::mem::take(&mut self.texts));
        self.set_values(values);
        for found in problems {
            let kind = Kind::Unexpected { expected: phrase("a parameter value").into(), found: found.into() };
            let fault = Fault::new("PAR-VALUE", Severity::Warning, Place::default(), kind);
            self.sink.fault(fault.note(phrase("The default is used.")));
        }
    }

    /// Whether there is something to compute: then [`Document::step`] is to be called.
    pub fn has_work(&self) -> bool {
        self.kept.get::<Analyzing>().is_some_and(|analyzing| !analyzing.is_done())
    }
}

/// Sets parameters of an open document.
pub(crate) fn set_parameters(doc: &mut Document, texts: &[(String, String)]) -> Answer {
    let (values, problems) = Document::parse_values(texts);
    let rereads = doc.set_values(values);
    Answer::ParametersSet { rereads, problems }
}
