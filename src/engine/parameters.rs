//! Parameters of an open document: set by the page, the address, the command line and requests.

use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::phrase;
use crate::document::Document;
use crate::engine::opening::Analyzing;
use crate::model::parameter::{Value, Values};
use crate::systems;
use crate::wire::Answer;

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
pub(crate) fn set(doc: &mut Document, texts: &[(String, String)]) -> Answer {
    let (values, problems) = Document::parse_values(texts);
    let rereads = doc.set_values(values);
    Answer::ParametersSet { rereads, problems }
}
