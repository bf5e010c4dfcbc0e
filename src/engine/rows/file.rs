//! A file with rows.

use super::{Kept, gone, name, revision, take, with_source};
use crate::base::words::phrase;
use crate::document::Document;
use crate::export::rows::source_csv;
use crate::wire::Answer;
use crate::wire::rows::{RowsQuery, Source};
use std::io::Write;

/// Rows that are written in one part.
const PART: usize = 1 << 12;

/// All rows that fit, in their order, as CSV: written in parts.
pub(crate) struct RowsFile {
    source: Source,
    kept: Box<Kept>,
    at: usize,
}

impl RowsFile {
    /// Begins with the rows of a question.
    pub(crate) fn new(doc: &mut Document, ask: &RowsQuery) -> Result<Self, Answer> {
        let kept = take(doc, ask).ok_or_else(|| gone(&ask.source))?;
        Ok(Self { source: ask.source.clone(), kept: Box::new(kept), at: 0 })
    }

    /// Name of the file.
    pub(crate) fn name(&self) -> String {
        format!("{}.csv", name(&self.source))
    }

    /// Writes the next part; says whether there is more. A machine, as the document lends the rows of views for each
    /// part.
    pub(crate) fn step(&mut self, doc: &Document, out: &mut dyn Write) -> Result<bool, String> {
        let Kept { base, order, is_done, question, .. } = &mut *self.kept;
        if question.3 != revision(doc) {
            return Err(phrase("The document changed while the file was written.").to_owned());
        }
        let at = &mut self.at;
        let written = with_source(doc, &self.source, base, |source| {
            if !*is_done {
                *is_done = !order.step(source);
                return Ok(true);
            }
            let end = order.rows().len().min(*at + PART);
            source_csv(source, order.rows()[*at..end].iter().copied(), *at == 0, out)?;
            *at = end;
            Ok(end < order.rows().len())
        });
        let gone = || Err(std::io::Error::other(format!("There is no {}.", name(&self.source))));
        written.unwrap_or_else(gone).map_err(|why| why.to_string())
    }
}
