//! Files are written in parts of some milliseconds: whoever has them written gives way in between, and nobody holds a file.

use super::rows::write_rows;
use super::{Export, ExportInput, ExportMessage, all};
use crate::base::job::{Job, Turn};
use crate::model::files::OperatorHead;
use crate::model::parameter::Values;
use std::cell::RefCell;
use std::io::{Result, Write};
use std::rc::Rc;

/// Writes the next part of a file and says whether there is more.
pub type Parts = Box<dyn FnMut(&ExportInput, &mut dyn Write) -> Result<bool>>;

/// Writes a file for an argument at once.
type WriteWhole = fn(&ExportInput, &str, &mut dyn Write) -> Result<()>;

/// Rows of a part.
pub(super) const ROWS: usize = 1 << 12;

/// A short file: one part.
///
/// # Errors
/// None before it is written.
pub fn whole(write: WriteWhole, argument: &str) -> Result<Parts> {
    let argument = argument.to_owned();
    Ok(Box::new(move |input, out| write(input, &argument, out).map(|()| false)))
}

/// CSV: a head, then the rows from number 0 to `n`.
pub(super) fn rows_in_parts(
    head: Vec<String>,
    n: usize,
    row: impl FnMut(&ExportInput, usize) -> Vec<String> + 'static,
) -> Parts {
    rows_by(ROWS, head, n, row)
}

/// The same with so many rows in a part, where a row takes longer.
pub(super) fn rows_by(
    part: usize,
    head: Vec<String>,
    n: usize,
    mut row: impl FnMut(&ExportInput, usize) -> Vec<String> + 'static,
) -> Parts {
    let (mut head, mut at) = (Some(head), 0);
    Box::new(move |input, out| {
        let end = n.min(at + part);
        write_rows(out, &mut head.take().into_iter().chain((at..end).map(|at| row(input, at))))?;
        at = end;
        Ok(at < n)
    })
}

/// Works in steps as long as `step` says that there is more to do, then writes what `then` makes of it.
pub(super) fn after<S: 'static>(
    state: S,
    mut step: impl FnMut(&mut S, &ExportInput) -> bool + 'static,
    then: impl FnOnce(S, &ExportInput) -> Parts + 'static,
) -> Parts {
    let (mut begun, mut rest) = (Some((state, then)), None::<Parts>);
    Box::new(move |input, out| {
        if let Some(rest) = &mut rest {
            return rest(input, out);
        }
        if !begun.as_mut().is_some_and(|(state, _)| step(state, input)) {
            rest = begun.take().map(|(state, then)| then(state, input));
        }
        Ok(true)
    })
}

/// The same behind a job.
pub(super) fn after_job<T: 'static>(
    job: Job<T>,
    then: impl FnOnce(T, &ExportInput) -> Parts + 'static,
) -> Parts {
    let (mut begun, mut rest) = (Some((job, then)), None::<Parts>);
    Box::new(move |input, out| {
        if let Some(rest) = &mut rest {
            return rest(input, out);
        }
        if let Some(result) = begun.as_mut().and_then(|(job, _)| job.poll()) {
            rest = begun.take().map(|(_, then)| then(result, input));
        }
        Ok(true)
    })
}

/// What a job writes: it is taken away at each pause.
#[derive(Clone, Default)]
pub struct Out(Rc<RefCell<Vec<u8>>>);

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A file that a job writes.
pub fn written<F: Future<Output = Result<()>> + 'static>(write: impl FnOnce(Out, Turn) -> F) -> Parts {
    let buffer = Out::default();
    let mut job = Job::new(|turn| write(buffer.clone(), turn));
    Box::new(move |_, out| {
        let done = job.poll();
        out.write_all(&std::mem::take(&mut *buffer.0.borrow_mut()))?;
        done.transpose().map(|done| done.is_none())
    })
}

/// An export that is being written.
pub struct Saving {
    /// Suggested name of the file.
    pub name: String,
    /// Media type.
    pub mime: &'static str,
    /// What is to be said beside it, in lines.
    pub said: String,
    /// Whether it holds all; otherwise what was said tells why not.
    pub is_whole: bool,
    values: Values,
    operators: Vec<OperatorHead>,
    parts: Parts,
}

impl Saving {
    /// Begins an export by its id, with the exports of systems beside the general ones.
    ///
    /// # Errors
    /// One sentence: no such export, nothing to write, or what went wrong.
    pub fn new(
        input: &ExportInput,
        id: &str,
        of_systems: impl Iterator<Item = &'static Export>,
    ) -> std::result::Result<Self, String> {
        let (name, argument) = id.split_once(':').unwrap_or((id, ""));
        let known: Vec<&Export> = all(of_systems).collect();
        let names = || known.iter().map(|e| e.id).collect::<Vec<_>>().join(", ");
        let takes = |e: &Export| argument.is_empty() || e.takes_argument || !e.parameters.is_empty();
        let found = known.iter().find(|e| e.id == name && takes(e));
        let export = *found.ok_or_else(|| format!("Unknown export {id}; available: {}.", names()))?;
        let values = export.values(input, argument)?;
        let input = &ExportInput { values: &values, ..*input };
        if !(export.can)(input) {
            let has = known.iter().filter(|export| (export.can)(input)).map(|export| export.id);
            let has = has.collect::<Vec<_>>().join(", ");
            let what = export.title.split(" as ").next().unwrap_or_default().to_lowercase();
            return Err(format!("Nothing to export for {name}: the files have no {what}. They have: {has}."));
        }
        let parts = (export.write)(input, argument).map_err(|why| why.to_string())?;
        let stem = stem(&input.bundle.title());
        let part: Vec<&str> = argument.split([':', ',', '/', '\\']).filter(|part| !part.is_empty()).collect();
        let part = part.join("-");
        let dash = if part.is_empty() { "" } else { "." };
        let name = format!("{stem}{dash}{part}.{}", export.suffix);
        let operators = input.operators.to_vec();
        Ok(Self { name, mime: export.mime, said: String::new(), is_whole: true, values, operators, parts })
    }

    /// Writes the next part; says whether there is more. The input differs from that of the first call at most by what
    /// was computed since. A machine, as only some parts are written by jobs.
    ///
    /// # Errors
    /// One sentence: what went wrong.
    pub fn step(&mut self, input: &ExportInput, out: &mut dyn Write) -> std::result::Result<bool, String> {
        let input = &ExportInput { values: &self.values, operators: &self.operators, ..*input };
        (self.parts)(input, out).or_else(|error| {
            let message = error.downcast::<ExportMessage>().map_err(|why| why.to_string())?;
            (self.said, self.is_whole) = (message.text, message.is_whole);
            Ok(false)
        })
    }
}

/// The name of the document without the endings of its file.
pub fn stem(title: &str) -> String {
    // What is read from an archive has its name with a `!`.
    let name = title.trim_end_matches('!').rsplit('/').next().unwrap_or(title);
    let cut = [".gz", ".xz", ".zst", ".json", ".bin", ".zip", ".tar"];
    let mut stem = name;
    while let Some(shorter) = cut.iter().find_map(|end| stem.strip_suffix(end)).filter(|s| !s.is_empty()) {
        stem = shorter;
    }
    stem.to_owned()
}
