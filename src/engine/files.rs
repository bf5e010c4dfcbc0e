//! Files that are written from what a document holds: in parts of some milliseconds.

use super::report;
use crate::analysis::report::{REPORT, ReportAsk};
use crate::base::words::{Language, for_reader};
use crate::document::Document;
use crate::engine::rows::RowsFile;
use crate::export::{ExportInput, Saving, operators, stem};
use crate::model::files::OperatorHead;
use crate::systems;
use crate::views::timeline::messages::Seen;
use crate::wire::{Answer, OPERATORS, Query, Question};
use std::io::Write;

/// A file that is being written; see [`Document::write_file`].
pub struct FileWriter(Kind);

enum Kind {
    /// The heads of the operators are read, some at a time, for an export of this id.
    Gather(String, Vec<OperatorHead>),
    Export(Box<Saving>),
    Rows(RowsFile),
    /// A picture, by its name and its text.
    Picture(String, String),
}

impl FileWriter {
    /// Suggested name of the file; empty before its first part is written.
    pub fn name(&self) -> String {
        match &self.0 {
            Kind::Gather(..) => String::new(),
            Kind::Export(saving) => saving.name.clone(),
            Kind::Rows(rows) => rows.name(),
            Kind::Picture(name, _) => name.clone(),
        }
    }

    /// Whether it is an archive, which may be written as a folder.
    pub fn is_archive(&self) -> bool {
        matches!(&self.0, Kind::Export(saving) if saving.mime == "application/zip")
    }

    /// A picture under a title; `None` of other files.
    fn picture(self, title: &str) -> Option<(String, String)> {
        if let Kind::Picture(_, text) = self.0 { Some((title.to_owned(), text)) } else { None }
    }

    /// What is to be said of the file once it is written.
    pub fn answer(self) -> Answer {
        let name = self.name();
        let (mime, mut said, is_whole) = match self.0 {
            Kind::Export(saving) => (saving.mime, saving.said, saving.is_whole),
            Kind::Picture(..) => ("image/svg+xml", String::new(), true),
            _ => ("text/csv", String::new(), true),
        };
        said.truncate(said.floor_char_boundary(report::TEXT_BYTES as usize));
        Answer::File { name, mime: mime.to_owned(), said, is_whole }
    }
}

impl Document {
    /// Begins to write the file that is asked for.
    ///
    /// # Errors
    /// The answer, where there is no file to be written.
    pub fn begin_file(&mut self, query: &Query) -> Result<FileWriter, Answer> {
        while !self.prepare_query(query) {}
        let kind = match query {
            Query::RowsFile(ask) => Kind::Rows(RowsFile::new(self, ask)?),
            Query::Picture(seen) => {
                let name = format!("{}.timeline.svg", stem(&self.bundle.title()));
                Kind::Picture(name, Seen::of(seen).map_or_else(String::new, |seen| self.seen_svg(&seen)))
            }
            Query::ViewPicture(seen) => {
                let name = format!("{}.{}.svg", stem(&self.bundle.title()), seen.view);
                Kind::Picture(name, self.view_svg(seen).map_err(Answer::Failed)?)
            }
            Query::Export { id } if id == operators::OPERATORS_CSV.id => Kind::Gather(id.clone(), Vec::new()),
            Query::Export { id } => Kind::Export(self.begin_export(id, &[]).map_err(Answer::Failed)?),
            Query::ReportFile { ask, seen } => {
                let mut ask = ask.clone();
                if let Some((title, seen)) = seen {
                    ask.pictures.extend(self.begin_file(seen)?.picture(title));
                }
                Kind::Export(self.begin_report(&ask).map_err(Answer::Failed)?)
            }
            other => return Err(self.query(other).0),
        };
        Ok(FileWriter(kind))
    }

    fn begin_export(&self, id: &str, operators: &[OperatorHead]) -> Result<Box<Saving>, String> {
        let begun = report::with_input(self, operators, |input| Saving::new(input, id, systems::exports()));
        begun.map(Box::new)
    }

    fn begin_report(&self, ask: &ReportAsk) -> Result<Box<Saving>, String> {
        let begin = |input: &ExportInput| {
            Saving::new(&ExportInput { asked: Some(ask), ..*input }, REPORT, systems::exports())
        };
        report::with_input(self, &[], begin).map(Box::new)
    }

    /// Writes the next part of a file; says whether there is more.
    ///
    /// # Errors
    /// One sentence: why the file cannot be written, or not to its end.
    pub fn write_file(&self, file: &mut FileWriter, out: &mut dyn Write) -> Result<bool, String> {
        match &mut file.0 {
            Kind::Gather(id, heads) => {
                let more = self.operator_heads(heads.len(), OPERATORS);
                if more.is_empty() {
                    file.0 = Kind::Export(self.begin_export(id, heads)?);
                } else {
                    heads.extend(more);
                }
                Ok(true)
            }
            Kind::Export(saving) => report::with_input(self, &[], |input| saving.step(input, out)),
            Kind::Rows(rows) => rows.step(self, out),
            Kind::Picture(_, text) => {
                out.write_all(text.as_bytes()).map(|()| false).map_err(|why| why.to_string())
            }
        }
    }

    /// Writes a whole file.
    pub(crate) fn file(&mut self, query: &Query) -> (Answer, Option<Vec<u8>>) {
        let mut bytes = Vec::new();
        let write = || {
            let mut file = self.begin_file(query)?;
            while self.write_file(&mut file, &mut bytes).map_err(Answer::Failed)? {}
            Ok(file.answer())
        };
        // Programs read files too.
        match for_reader(Language::En, write) {
            Ok(answer) => (answer, Some(bytes)),
            Err(answer) => (answer, None),
        }
    }
}
